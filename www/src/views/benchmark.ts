// Under a benchmark: its metrics by their names, and the same files under another choice beside them.
// Also what became of generated text, and scores of concepts, where there are any.

import { css, html, nothing } from "lit";
import { count, score as shown, visible } from "../format.js";
import type {
  AnswerCounts,
  Beside,
  Choice,
  ClassScore,
  ConceptLabel,
  ConceptReport,
  Difference,
  Report,
  System,
  Value,
} from "../report.js";
import { outcomes } from "../store.js";
import { t } from "../strings.js";
import { shared } from "../style.js";
import { StoreElement } from "../ui/element.js";
import { headlineMode, labelColumn, titleOf } from "../ui/parts.js";
import type { Column } from "../ui/table.js";
import "../ui/table.js";

type MaybeValue = Value | null | undefined;

/** Where the report holds a metric of the benchmark: overall, for a label, and beside. */
interface Place {
  overall(system: System): MaybeValue;
  label(system: System, label: string): MaybeValue;
  beside(beside: Beside): MaybeValue;
}

const bySpan = (mode: "ent_type" | "strict"): Place => ({
  overall: ({ spans }) => spans?.overall[mode].f1,
  label: ({ spans }, label) => spans?.per_label.find((one) => one.label === label)?.modes[mode].f1,
  beside: ({ overall }) => overall?.[mode].f1,
});
const byToken = (average: "micro" | "macro" | "weighted", at: 0 | 1 | 2): Place => ({
  overall: ({ tokens }) => tokens?.[average].f1,
  label: ({ tokens }, label) => tokens?.per_label.find((one) => one.label === label)?.score.f1,
  beside: ({ tokens }) => tokens?.[at],
});

/** By the benchmark's names. */
const places: Record<string, Place> = {
  SpanBasedWithPartialOverlap: bySpan("ent_type"),
  SpanBasedWithExactOverlap: bySpan("strict"),
  TokenBasedWithMacroAverage: byToken("macro", 1),
  TokenBasedWithMicroAverage: byToken("micro", 0),
  TokenBasedWithWeightedAverage: byToken("weighted", 2),
};

type ConceptRow = Omit<ConceptLabel, "domain"> & { domain: string | null };
type AnswerRow = { counts: AnswerCounts; f1: MaybeValue };

class BenchmarkPanel extends StoreElement {
  static override styles = [
    shared,
    css`
      :host {
        display: grid;
        gap: var(--s5);
        grid-template-columns: minmax(0, 1fr);
      }
      .differences li {
        padding: var(--s1) 0;
        border-bottom: 1px solid var(--line);
        overflow-wrap: anywhere;
      }
      .differences b {
        font-variant-numeric: tabular-nums;
      }
      .examples {
        display: grid;
        gap: 2px;
        padding: var(--s1) 0 var(--s1) var(--s4);
      }
      .examples li {
        border: 0;
        padding: 0;
      }
    `,
  ];

  #value<Row>(key: string, head: string, of: (row: Row) => MaybeValue, title = ""): Column<Row> {
    return {
      key,
      head,
      title,
      numeric: true,
      value: (row) => of(row)?.value ?? null,
      cell: (row) => {
        const value = of(row);
        return html`<span title=${value?.reason ?? nothing}>${shown(value, this.store.digits)}</span>`;
      },
    };
  }

  #number<Row>(key: string, head: string, of: (row: Row) => number, title = ""): Column<Row> {
    return { key, head, title, numeric: true, value: of, cell: (row) => count(of(row)) };
  }

  #metrics(report: Report, system: System) {
    const { catalog } = this.store;
    const other = system.beside.find(({ option }) => option === "mode");
    const place = ({ name }: Choice) => places[name];
    const columns: Column<Choice>[] = [
      {
        key: "metric",
        head: t.score.metric,
        rowHead: true,
        value: ({ name }) => name,
      },
      { key: "is", head: t.score.metricIs, value: ({ title }) => title },
      this.#value("f1", t.score.f1, (metric) => place(metric)?.overall(system)),
      ...(other
        ? [
            this.#value<Choice>(
              "beside",
              t.score.besideF1(other.value),
              (metric) => place(metric)?.beside(other),
              titleOf(catalog?.modes, other.value),
            ),
          ]
        : []),
      ...report.labels.map((label) =>
        this.#value<Choice>(`label ${label}`, visible(label), (metric) =>
          place(metric)?.label(system, label),
        ),
      ),
    ];
    return html`<cs-table
      id="metrics"
      .caption=${t.score.metrics(titleOf(catalog?.benchmarks, report.dataset?.benchmark ?? ""))}
      .note=${t.score.metricsNote(report.dataset?.name ?? "")}
      .columns=${columns}
      .rows=${catalog?.metrics ?? []}
      plain
    ></cs-table>`;
  }

  #difference({ count: n, title, examples }: Difference) {
    const line = html`<b>${count(n)}</b> ${title}`;
    if (!examples.length) return html`<li>${line}</li>`;
    return html`<li>
      <details>
        <summary>${line}</summary>
        <ul class="examples small">
          ${examples.map(
            ({ document, found }) => html`<li>
              <button
                class="plain"
                title=${t.score.showDocument}
                @click=${() => this.store.explain({ outcomes, search: document })}
              >
                <bdi>${visible(document)}</bdi></button
              >: <bdi>${visible(found)}</bdi>
            </li>`,
          )}
          ${n > examples.length ? html`<li class="muted">${t.files.more(n - examples.length)}</li>` : nothing}
        </ul>
      </details>
    </li>`;
  }

  #differences(other: Beside) {
    const { catalog } = this.store;
    const way = titleOf(catalog?.modes, other.value);
    return html`<section class="stack" aria-labelledby="differences" id="differs">
      <h2 class="small-h" id="differences">${t.score.differences(other.value)}</h2>
      <p class="muted small">
        ${t.score.besideWords(way, other.definition)}
        ${t.score.besideCounts(other.documents, other.gold, other.predicted)}
      </p>
      ${other.failure ? html`<p>${other.failure.message}</p>` : nothing}
      ${
        other.differences.length
          ? html`<ul class="differences">
              ${other.differences.map((one) => this.#difference(one))}
            </ul>`
          : other.failure
            ? nothing
            : html`<p class="muted">${t.score.noDifferences}</p>`
      }
    </section>`;
  }

  /** What became of generated text, and what would have by the other way of reading it. */
  #answers(report: Report, system: System, counts: AnswerCounts) {
    const mode = headlineMode(report);
    const other = system.beside.find(({ option }) => option === "llm");
    const rows: AnswerRow[] = [{ counts, f1: system.spans?.overall[mode].f1 }];
    if (other?.answers) rows.push({ counts: other.answers, f1: other.overall?.[mode].f1 });
    const { catalog } = this.store;
    const names = [
      "answers",
      "parsed",
      "failed",
      "items",
      "hallucinated",
      "unmapped",
      "inside",
      "spans",
    ] as const;
    const columns: Column<AnswerRow>[] = [
      {
        key: "rule",
        head: t.score.answerRule,
        rowHead: true,
        value: ({ counts }) => counts.rule,
        cell: ({ counts }) =>
          html`${counts.rule} <span class="muted small">${titleOf(catalog?.llm, counts.rule)}</span>`,
      },
      ...names.map((name) =>
        this.#number<AnswerRow>(
          name,
          t.score.answer[name],
          ({ counts }) => counts[name],
          t.score.answerWords[name],
        ),
      ),
      this.#value("f1", t.score.f1, ({ f1 }) => f1),
    ];
    return html`<div class="stack">
      <cs-table
        id="answers"
        .caption=${t.score.answers}
        .columns=${columns}
        .rows=${rows}
        plain
      ></cs-table>
      ${other?.failure ? html`<p>${other.value}: ${other.failure.message}</p>` : nothing}
    </div>`;
  }

  #concepts(concepts: ConceptReport) {
    const of = (key: "spans" | "documents") =>
      (["precision", "recall", "f1"] as const).map((part) =>
        this.#value<ConceptRow>(
          `${key} ${part}`,
          `${t.score.conceptOf[key]} ${part === "f1" ? t.score.f1 : part === "precision" ? t.score.p : t.score.r}`,
          (row) => (row[key] as ClassScore)[part],
          t.score.conceptWords[key],
        ),
      );
    const columns: Column<ConceptRow>[] = [
      labelColumn(({ label }) => label),
      {
        key: "domain",
        head: t.score.domain,
        value: ({ domain }) => domain,
      },
      this.#number("matched", t.score.matched, ({ matched }) => matched, t.score.matchedWords),
      this.#value("accuracy", t.score.accuracy, ({ accuracy }) => accuracy, t.score.matchedWords),
      ...of("spans"),
      ...of("documents"),
    ];
    const { matched, accuracy, spans, documents } = concepts;
    const all = { label: t.score.conceptsAll, domain: null, matched, accuracy, spans, documents };
    return html`<div class="stack">
      <cs-table
        id="concepts"
        .caption=${t.score.concepts}
        .columns=${columns}
        .rows=${concepts.per_label}
        .foot=${[all]}
      ></cs-table>
      <p class="muted small">
        ${t.score.conceptCounts(concepts.gold, concepts.predicted, concepts.correct, matched)}
      </p>
    </div>`;
  }

  override render() {
    const { report, system: at } = this.store;
    const system = report?.systems[at];
    if (!report || !system) return nothing;
    const other = system.beside.find(({ option }) => option === "mode");
    return html`
      ${report.dataset && system.spans ? this.#metrics(report, system) : nothing}
      ${other ? this.#differences(other) : nothing}
      ${system.answers ? this.#answers(report, system, system.answers) : nothing}
      ${system.concepts ? this.#concepts(system.concepts) : nothing}
    `;
  }
}
customElements.define("cs-benchmark", BenchmarkPanel);
