// Score: the headline, the four modes, labels, tokens, the confusion matrix, and what moved it all.

import { css, html, nothing, type TemplateResult } from "lit";
import { count, type Digits, score as shown, visible } from "../format.js";
import type { Mode, Verdict } from "../protocol.js";
import type {
  ClassLabel,
  ClassReport,
  LabelModes,
  Modes,
  Report,
  Score,
  SpanReport,
  System,
  TokenReport,
  TokenScore,
} from "../report.js";
import { type Filter, modes, outcomes } from "../store.js";
import { t } from "../strings.js";
import { shared } from "../style.js";
import { StoreElement } from "../ui/element.js";
import { fewLabels } from "../ui/matrix.js";
import {
  behind,
  digitsChoice,
  headlineF1,
  headlineMode,
  labelColumn,
  labelMode,
  link,
  modeChoice,
  nothingShown,
  outcomeMark,
  titleOf,
} from "../ui/parts.js";
import type { Column } from "../ui/table.js";
import "../ui/table.js";
import "./benchmark.js";

type ClassRow = ClassLabel & { total: boolean };
type ModeRow = { mode: Mode; score: Score };
type TokenRow = {
  name: string;
  score: TokenScore;
  correct: number | null;
  predicted: number | null;
};

class ScoreView extends StoreElement {
  static override styles = [
    shared,
    css`
      cs-benchmark {
        margin-bottom: var(--s3);
      }
      .page {
        display: grid;
        gap: var(--s5);
        align-items: start;
        grid-template-columns: minmax(0, 1fr);
      }
      @media (min-width: 1180px) {
        .page {
          grid-template:
            "head notes" "modes modes" "labels labels" "tokens matrix" / minmax(0, 1fr)
            minmax(0, 1fr);
        }
        .head {
          grid-area: head;
        }
        .what {
          grid-area: notes;
        }
        .modes {
          grid-area: modes;
        }
        .labels {
          grid-area: labels;
        }
        .tokens {
          grid-area: tokens;
        }
        .crossed {
          grid-area: matrix;
        }
        .page.broad {
          grid-template:
            "head notes" "modes modes" "labels labels" "tokens tokens" "matrix matrix" / minmax(0, 1fr)
            minmax(0, 1fr);
        }
      }
      @media (min-width: 1640px) {
        .page {
          grid-template:
            "head notes" "modes matrix" "labels matrix" "tokens matrix" / minmax(0, 1000px)
            minmax(0, 1fr);
        }
      }
      .systems {
        display: flex;
        flex-wrap: wrap;
        gap: var(--s2);
      }
      .systems label {
        position: relative;
        display: grid;
        grid-template-columns: auto auto;
        gap: 0 var(--s3);
        align-items: baseline;
        padding: var(--s1) var(--s3);
        border: 1px solid var(--line);
        border-bottom: 3px solid var(--line);
        border-radius: var(--round);
        background: var(--raised);
        cursor: pointer;
        max-width: 100%;
      }
      .systems label:hover {
        border-color: var(--line-strong);
      }
      .systems label:has(:checked) {
        border-bottom-color: var(--accent);
        background: var(--accent-soft);
      }
      .systems label:has(:focus-visible) {
        outline: 2px solid var(--accent);
      }
      .systems b {
        font-size: var(--large);
        font-variant-numeric: tabular-nums;
      }
      .top {
        display: flex;
        flex-wrap: wrap;
        gap: var(--s2) var(--s4);
        align-items: center;
        margin-bottom: var(--s4);
      }
      .headline {
        display: grid;
        grid-template-columns: max-content minmax(0, 1fr);
        gap: 0 var(--s5);
        align-items: start;
      }
      .headline .f1 {
        font-size: var(--huge);
        font-weight: 650;
        line-height: 1.15;
        font-variant-numeric: tabular-nums;
        letter-spacing: -0.01em;
      }
      .f1s {
        display: flex;
        flex-wrap: wrap;
        gap: 0 var(--s4);
        align-items: baseline;
      }
      .beside b {
        font-size: var(--title);
        font-weight: 600;
        font-variant-numeric: tabular-nums;
      }
      .headline .name {
        font-weight: 600;
      }
      .headline .pr {
        display: grid;
        grid-template-columns: max-content max-content max-content;
        gap: 0 var(--s3);
        margin-top: var(--s2);
        font-variant-numeric: tabular-nums;
      }
      @media (max-width: 480px) {
        .headline {
          grid-template-columns: minmax(0, 1fr);
          gap: var(--s2);
        }
      }
      .notes {
        display: grid;
        gap: var(--s2);
      }
      .notes li {
        overflow-wrap: anywhere;
        font-variant-numeric: tabular-nums;
      }
      .outcomes {
        display: flex;
        flex-wrap: wrap;
        gap: var(--s1) var(--s4);
      }
      .outcomes li {
        display: inline-flex;
        align-items: center;
        gap: var(--s1) var(--s2);
      }
      .nothing {
        padding: var(--s6) 0;
        display: grid;
        gap: var(--s3);
        justify-items: start;
      }
    `,
  ];

  get #digits(): Digits {
    return this.store.digits;
  }

  #systems(report: Report) {
    if (report.systems.length < 2) return nothing;
    return html`<div class="systems" role="radiogroup" aria-label=${t.score.systems}>
      ${report.systems.map(
        (system, at) => html`<label>
          <input
            type="radio"
            name="system"
            .checked=${at === this.store.system}
            @change=${() => this.store.set({ system: at })}
          />
          <bdi>${visible(this.store.systemNames[at] ?? system.name)}</bdi>
          ${
            system.failure
              ? html`<span class="muted small">${t.score.notScored}</span>`
              : html`<b>${shown(headlineF1(report, system), this.#digits)}</b>`
          }
        </label>`,
      )}
    </div>`;
  }

  /** What the headline is called: under a benchmark by the benchmark's name, as its code scores. */
  #headlineName(report: Report): string {
    const { catalog } = this.store;
    if (!report.dataset) return report.definition.headline;
    const benchmark = titleOf(catalog?.benchmarks, report.dataset.benchmark);
    const { mode } = report.run;
    return !mode || mode === catalog?.modes[0]?.name
      ? t.score.ofBenchmark(benchmark)
      : t.score.ofBenchmarkMode(benchmark, mode);
  }

  /** The same number under the benchmark's other mode. */
  #beside(report: Report, { beside }: System) {
    const other = beside.find(({ option }) => option === "mode");
    if (!other) return nothing;
    return html`<p class="beside" title=${titleOf(this.store.catalog?.modes, other.value)}>
      <span class="muted">${other.value}</span>
      <b id="beside">${shown(other.overall?.[headlineMode(report)].f1, this.#digits)}</b>
    </p>`;
  }

  #headline(report: Report, system: System, spans: SpanReport) {
    const mode = headlineMode(report);
    const score = spans.overall[mode];
    const all = this.store;
    const value = (of: keyof Pick<Score, "precision" | "recall" | "f1">) =>
      html`<span title=${score[of].reason ?? nothing}>${shown(score[of], this.#digits)}</span>`;
    const filter = (verdict: Verdict | "possible" | "actual"): Filter => ({
      outcomes: behind(report, mode, verdict),
    });
    return html`<section aria-labelledby="headline" class="stack head">
      <div class="headline">
        <div>
          <h2 id="headline" class="name">${this.#headlineName(report)}</h2>
          <div class="f1s">
            <div class="f1" id="f1">${value("f1")}</div>
            ${this.#beside(report, system)}
          </div>
          <div class="pr">
            <span class="muted">${t.score.precision}</span> ${value("precision")}
            <span class="muted small"
              >${link(all, score.correct, filter("correct"))} ${
                score.partial ? html`+ ½ · ${link(all, score.partial, filter("partial"))}` : nothing
              }
              ${t.score.of} ${link(all, score.actual, filter("actual"))}</span
            >
            <span class="muted">${t.score.recall}</span> ${value("recall")}
            <span class="muted small"
              >${link(all, score.correct, filter("correct"))} ${
                score.partial ? html`+ ½ · ${link(all, score.partial, filter("partial"))}` : nothing
              }
              ${t.score.of} ${link(all, score.possible, filter("possible"))}</span
            >
          </div>
        </div>
        <div class="stack">
          <p>
            ${report.dataset ? html`${report.definition.headline}. ` : nothing}<code
              >${report.definition.name}</code
            >
            ${report.definition.words}
          </p>
          ${
            report.dataset
              ? html`<p><code>${report.dataset.benchmark} ${report.dataset.name}</code> ${report.dataset.words}</p>`
              : nothing
          }
          <p class="muted small">${t.score.source}: ${report.definition.source}</p>
        </div>
      </div>
      <ul class="outcomes" aria-label=${t.score.outcomes}>
        ${outcomes.map(
          (outcome) => html`<li title=${t.outcomeWords[outcome]}>
            ${outcomeMark(outcome)} ${link(all, spans.outcomes[outcome], { outcomes: [outcome] })}
          </li>`,
        )}
      </ul>
    </section>`;
  }

  #notes(system: System) {
    return html`<section class="stack what" aria-labelledby="notes">
      <h2 id="notes">${t.score.notes}</h2>
      ${
        system.notes.length
          ? html`<ul class="notes">
              ${system.notes.map((note) => html`<li>${note.message}</li>`)}
            </ul>`
          : html`<p class="muted">${t.score.notesNone}</p>`
      }
    </section>`;
  }

  #numbers<Row>(
    of: (row: Row) => {
      precision: TokenScore["f1"];
      recall: TokenScore["f1"];
      f1: TokenScore["f1"];
    },
  ): Column<Row>[] {
    const column = (key: "precision" | "recall" | "f1", head: string): Column<Row> => ({
      key,
      head,
      title: t.score[key],
      numeric: true,
      value: (row) => of(row)[key].value,
      cell: (row) => {
        const value = of(row)[key];
        return html`<span title=${value.reason ?? nothing}>${shown(value, this.#digits)}</span>`;
      },
    });
    return [column("precision", t.score.p), column("recall", t.score.r), column("f1", t.score.f1)];
  }

  /** Columns of counts, each a way into Why. */
  #counts<Row>(
    report: Report,
    of: (row: Row) => Score,
    mode: (row: Row) => Mode,
    extra: (row: Row) => Partial<Filter>,
    which: (Verdict | "possible" | "actual")[],
  ): Column<Row>[] {
    return which.map((verdict) => ({
      key: verdict,
      head: t.score[verdict],
      numeric: true,
      value: (row) => of(row)[verdict],
      cell: (row): TemplateResult | string =>
        link(this.store, of(row)[verdict], {
          outcomes: behind(report, mode(row), verdict),
          ...extra(row),
        }),
    }));
  }

  #fourModes(report: Report, overall: Modes) {
    const columns: Column<ModeRow>[] = [
      {
        key: "mode",
        head: t.score.mode,
        rowHead: true,
        value: ({ mode }) => t.score.modes[mode],
        cell: ({ mode }) =>
          html`${t.score.modes[mode]} <span class="muted small">${t.score.modeWords[mode]}</span>`,
      },
      ...this.#numbers<ModeRow>(({ score }) => score),
      ...this.#counts<ModeRow>(
        report,
        ({ score }) => score,
        ({ mode }) => mode,
        () => ({}),
        ["correct", "incorrect", "partial", "missed", "spurious", "possible", "actual"],
      ),
    ];
    return html`<cs-table
      id="modes"
      .caption=${t.score.fourModes}
      .columns=${columns}
      .rows=${modes.map((mode) => ({ mode, score: overall[mode] }))}
      plain
    ></cs-table>`;
  }

  #perLabel(report: Report, spans: SpanReport) {
    const mode = labelMode(this.store, report);
    const columns: Column<LabelModes>[] = [
      labelColumn(({ label }) => label),
      ...this.#numbers<LabelModes>(({ modes }) => modes[mode]),
      {
        key: "support",
        head: t.score.support,
        numeric: true,
        value: ({ support }) => support,
        cell: ({ support }) => count(support),
      },
      {
        key: "predicted",
        head: t.score.predicted,
        numeric: true,
        value: ({ predicted }) => predicted,
        cell: ({ predicted }) => count(predicted),
      },
      ...this.#counts<LabelModes>(
        report,
        ({ modes }) => modes[mode],
        () => mode,
        ({ label }) => ({ charged: label }),
        ["possible", "actual", "correct", "incorrect", "partial", "missed", "spurious"],
      ),
    ];
    return html`<div class="stack">
      ${modeChoice(this.store, report)}
      <cs-table
        id="labels"
        .caption=${t.score.perLabel}
        .columns=${columns}
        .rows=${spans.per_label}
      ></cs-table>
    </div>`;
  }

  #tokens(system: System) {
    const { tokens } = system;
    if (!tokens) {
      return html`<section class="stack tokens">
        <h2 class="small-h">${t.score.tokens}</h2>
        <p class="muted">${system.tokens_missing ?? ""}</p>
      </section>`;
    }
    const average = (name: string, score: TokenScore): TokenRow => ({
      name,
      score,
      correct: null,
      predicted: null,
    });
    const plain = (key: "correct" | "predicted", head: string): Column<TokenRow> => ({
      key,
      head,
      numeric: true,
      value: (row) => row[key],
      cell: (row) => (row[key] === null ? "" : count(row[key])),
    });
    const columns: Column<TokenRow>[] = [
      labelColumn(({ name }) => name),
      ...this.#numbers<TokenRow>(({ score }) => score),
      {
        key: "support",
        head: t.score.support,
        numeric: true,
        value: ({ score }) => score.support,
        cell: ({ score }) => count(score.support),
      },
      plain("predicted", t.score.predicted),
      plain("correct", t.score.tokenCorrect),
    ];
    return html`<section class="stack tokens">
      <cs-table
        id="tokens"
        .caption=${t.score.tokens}
        .columns=${columns}
        .rows=${tokens.per_label.map((one) => ({ ...one, name: one.label }))}
        .foot=${[
          average(t.score.micro, tokens.micro),
          average(t.score.macro, tokens.macro),
          average(t.score.weighted, tokens.weighted),
        ]}
      ></cs-table>
      ${this.#tokenWords(tokens)}
    </section>`;
  }

  /** Document-level labels: all together in the first row, then each. */
  #classes(classes: ClassReport) {
    const plain = (key: "correct" | "predicted" | "gold", head: string): Column<ClassRow> => ({
      key,
      head,
      numeric: true,
      value: ({ score }) => score[key],
      cell: ({ score }) => count(score[key]),
    });
    const columns: Column<ClassRow>[] = [
      labelColumn(({ label }) => label),
      ...this.#numbers<ClassRow>(({ score }) => score),
      plain("correct", t.score.tokenCorrect),
      plain("predicted", t.score.predicted),
      plain("gold", t.score.support),
    ];
    const all = { label: t.score.classesAll, score: classes.overall, total: true };
    return html`<section class="stack">
      <cs-table
        id="classes"
        .caption=${t.score.classes}
        .columns=${columns}
        .rows=${[all, ...classes.per_label.map((one) => ({ ...one, total: false }))]}
      ></cs-table>
      <p class="muted small">
        ${t.score.classesOf(classes.documents, classes.without_gold, classes.without_predictions)}
        ${t.score.classesExact} ${shown(classes.exact, this.#digits)}
      </p>
    </section>`;
  }

  #scores(report: Report, system: System) {
    const { spans, classes } = system;
    return html`${
      spans
        ? this.#headline(report, system, spans)
        : html`<section class="head" aria-labelledby="headline">
            <h2 id="headline" class="name">${t.score.classesHeadline}</h2>
            <div class="f1" id="f1">${shown(headlineF1(report, system), this.#digits)}</div>
            <p class="muted">${t.score.classesWords}</p>
          </section>`
    }
    ${this.#notes(system)}
    <div class="modes stack">
      ${
        report.dataset || system.beside.length || system.answers || system.concepts
          ? html`<cs-benchmark .store=${this.store}></cs-benchmark>`
          : nothing
      }
      ${classes ? this.#classes(classes) : nothing}
      ${system.classes_missing ? html`<p>${t.score.classes}: ${system.classes_missing}</p>` : nothing}
      ${spans ? this.#fourModes(report, spans.overall) : nothing}
    </div>
    ${
      spans
        ? html`<div class="labels">${this.#perLabel(report, spans)}</div>
            ${this.#tokens(system)} ${this.#confusion(system, spans)}`
        : nothing
    }`;
  }

  #tokenWords(tokens: TokenReport) {
    return html`<p class="muted small">
      ${t.score.accuracy} ${shown(tokens.accuracy, this.#digits)} · ${t.score.kappa}
      ${shown(tokens.kappa, this.#digits)} · ${t.score.tokensOf(tokens.tokens, tokens.documents)}
      ${tokens.documents_without_text ? t.score.withoutText(tokens.documents_without_text) : nothing}
      ${t.score.ties(tokens.gold_ties, tokens.predicted_ties)} ${t.score.tokensAre(tokens.words)}
    </p>`;
  }

  #confusion(system: System, spans: SpanReport) {
    return html`<div class="stack crossed">
      <cs-matrix
        id="confusion"
        .caption=${t.score.confusion}
        .hint=${t.score.confusionHint}
        .confusion=${spans.confusion}
        .open=${(filter: Filter) => this.store.explain(filter)}
      ></cs-matrix>
      ${
        system.tokens
          ? html`<details>
              <summary>${t.score.tokenConfusion}</summary>
              <cs-matrix
                .caption=${t.score.tokenConfusion}
                .hint=${t.score.tokenConfusionHint}
                .confusion=${system.tokens.confusion}
              ></cs-matrix>
            </details>`
          : nothing
      }
    </div>`;
  }

  override render() {
    const { report, system: at } = this.store;
    if (!report) {
      return html`<div class="nothing">
        <p class="muted">${nothingShown(this.store)}</p>
        <button @click=${() => this.store.show("files")}>${t.score.goFiles}</button>
      </div>`;
    }
    const system = report.systems[at] as System;
    const labels = system.spans?.confusion.labels.length ?? 0;
    return html`
      <div class="top">
        ${this.#systems(report)}
        <span class="push">${digitsChoice(this.store)}</span>
      </div>
      <div class="page ${labels > fewLabels ? "broad" : ""}">
        ${
          system.spans || system.classes
            ? this.#scores(report, system)
            : html`<p class="unscored">
                <strong
                  ><bdi>${visible(this.store.systemNames[at] ?? system.name)}</bdi>
                  ${t.score.unscored}:</strong
                >
                ${system.failure?.message}
              </p>`
        }
      </div>
    `;
  }
}
customElements.define("cs-score", ScoreView);
