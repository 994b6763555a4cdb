// The options of a run: what is scored, how files are read, clean-up, and the run file that says so.

import { css, html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import { score, visible } from "../format.js";
import type { Options } from "../protocol.js";
import type { Choice, LabelUse } from "../report.js";
import { readRunFile, runFile } from "../runfile.js";
import { t } from "../strings.js";
import { shared } from "../style.js";
import { download, loader, StoreElement } from "../ui/element.js";
import { select, tick, titleOf, titles } from "../ui/parts.js";

/** More labels than this are chosen by a run file, not by hand. */
const mostLabels = 300;

/** Options whose value is one of a list. */
type Listed = {
  [K in keyof Options]-?: NonNullable<Options[K]> extends string ? K : never;
}[keyof Options];

class OptionsPanel extends StoreElement {
  static override properties = {
    ...StoreElement.properties,
    labels: { attribute: false },
    said: { state: true },
  };
  declare labels: LabelUse[];
  declare said: string;
  /** What is rarely needed shows once it is used, and is not closed under a person's hand. */
  #rareShown = false;

  constructor() {
    super();
    this.labels = [];
    this.said = "";
  }

  static override styles = [
    shared,
    css`
      .grid {
        display: grid;
        grid-template-columns: minmax(10ch, max-content) minmax(0, 1fr);
        gap: var(--s2) var(--s3);
        align-items: center;
      }
      .grid .proposal {
        grid-column: 1 / -1;
        border-inline-start: 4px solid var(--accent);
        background: var(--accent-soft);
        padding: var(--s2) var(--s3);
        display: grid;
        gap: var(--s2);
        justify-items: start;
      }
      .grid select {
        width: 100%;
      }
      fieldset {
        border: 0;
        padding: 0;
        margin: 0;
        min-width: 0;
      }
      legend,
      h3 {
        font-weight: 600;
        padding: 0;
        margin-bottom: var(--s2);
      }
      .group h3 {
        margin: 0;
      }
      details[open] > summary {
        margin-bottom: var(--s2);
      }
      .group {
        border-top: 1px solid var(--line);
        padding-top: var(--s3);
      }
      .sub {
        margin: 0;
        font-weight: 400;
        color: var(--muted);
      }
      .ticks {
        display: flex;
        flex-wrap: wrap;
        gap: 0 var(--s4);
        max-height: 220px;
        overflow: auto;
      }
      .clean label.tick {
        align-items: start;
      }
      .clean input {
        margin-top: 3px;
      }
      .clean {
        display: grid;
        gap: var(--s2);
      }
      .clean ul {
        margin-inline-start: calc(14px + var(--s2));
        font-size: var(--small);
        color: var(--muted);
        font-variant-numeric: tabular-nums;
      }
      .clean b {
        color: var(--text);
        font-weight: 600;
      }
      .now {
        text-decoration: underline;
        text-underline-offset: 3px;
      }
    `,
  ];

  /** A choice from a list whose first value is the default; `general` is the option that it goes over. */
  #select(name: string, key: Listed, values: [string, string][], general?: Listed) {
    const { options } = this.store;
    const above = general && options[general];
    const all: [string, string][] = above
      ? [["", t.files.asAll(values.find(([value]) => value === above)?.[1] ?? above)], ...values]
      : values;
    const first = all[0]?.[0] ?? "";
    return html`<label for=${key}>${name}</label>
      ${select(
        all,
        options[key] ?? first,
        (value) => this.store.setOptions({ [key]: value === first ? undefined : value }),
        { id: key },
      )}`;
  }

  /** The dataset of the run, or that several are told by the sources; and what the files speak for. */
  #dataset(datasets: [string, string][]) {
    const { store } = this;
    const several = "*";
    const values: [string, string][] = [["", t.files.datasetNone], ...datasets];
    if (store.many) values.push([several, t.files.datasetEach]);
    const [[id, proposed] = []] = store.proposals;
    const source = store.sources.find((one) => one.id === id);
    return html`<label for="dataset">${t.files.dataset}</label>
      ${select(
        values,
        store.many ? several : (store.options.dataset ?? ""),
        (name) => {
          if (name !== several) store.setDataset(name || undefined);
        },
        { id: "dataset" },
      )}
      ${
        proposed && !store.many && !store.options.dataset
          ? html`<div class="proposal">
              <p>
                ${source?.dataset ? t.files.namesSpeakFor(proposed) : t.files.speaksFor(proposed)}
              </p>
              <button class="main" id="use-dataset" @click=${() => store.setDataset(proposed)}>
                ${t.files.scoreAs(proposed)}
              </button>
            </div>`
          : nothing
      }`;
  }

  /** Labels as they are scored: after the map, gold's and every system's, each once. */
  #mappedLabels(): string[] {
    const mapped = new Set<string>();
    for (const use of this.labels) if (use.mapped !== null) mapped.add(use.mapped);
    for (const label of this.store.options.labels ?? []) mapped.add(label);
    return [...mapped].sort();
  }

  #scoredLabels() {
    const { options } = this.store;
    if (options.dataset || this.store.many) {
      return html`<p class="muted">${t.files.labelsByDataset}</p>`;
    }
    const all = this.#mappedLabels();
    if (!all.length) return html`<p class="muted">${t.files.labelsNone}</p>`;
    const chosen = options.labels;
    const toggle = (label: string, on: boolean) => {
      const next = all.filter((one) => (one === label ? on : (chosen?.includes(one) ?? true)));
      // Without a label there is nothing to score: the last tick stays.
      if (!next.length) this.requestUpdate();
      else this.store.setOptions({ labels: next.length === all.length ? undefined : next });
    };
    return html`<div class="ticks">
      ${all.slice(0, mostLabels).map(
        (label) => html`<label class="tick">
          <input
            type="checkbox"
            .checked=${live(chosen?.includes(label) ?? true)}
            @change=${(event: Event) => toggle(label, (event.target as HTMLInputElement).checked)}
          />
          <bdi>${visible(label)}</bdi>
        </label>`,
      )}
      ${all.length > mostLabels ? t.files.more(all.length - mostLabels) : nothing}
      ${
        chosen
          ? html`<button class="plain" @click=${() => this.store.setOptions({ labels: undefined })}>
              ${t.files.allLabels}
            </button>`
          : nothing
      }
    </div>`;
  }

  /** Clean-up switches that concern a span somewhere, or are on. */
  #clean() {
    const { report, catalog, options, systemNames, digits } = this.store;
    const systems = report?.systems ?? [];
    // Without a choice, what the definition says stands.
    const all = catalog?.clean.map(({ name }) => name).filter((name) => name !== "none");
    const chosen = options.clean ?? (report?.definition.cleans ? (all ?? []) : []);
    const concerns = (name: string) =>
      systems.flatMap(({ clean }, at) =>
        clean.filter((one) => one.switch === name).map((one) => ({ ...one, system: at })),
      );
    const shown = (catalog?.clean ?? []).filter(
      ({ name }) => chosen.includes(name) || concerns(name).length,
    );
    const set = (name: string, on: boolean) => {
      const order = catalog?.clean.map((one) => one.name) ?? [];
      const clean = order.filter((one) => (one === name ? on : chosen.includes(one)));
      const none = !clean.length && report?.definition.cleans;
      this.store.setOptions({ clean: none ? ["none"] : clean });
    };
    const clean = systemNames.filter((_, at) => systems[at]?.spans && !systems[at].clean.length);
    return html`<fieldset>
      <legend>${t.files.clean}</legend>
      <div class="clean">
        ${shown.map(
          ({ name, title }) => html`<div>
            ${tick(title, chosen.includes(name), (on) => set(name, on), `clean-${name}`)}
            <ul>
              ${concerns(name).map(
                ({ system, gold, predicted, on, ...f1 }) => html`<li>
                  ${
                    systems.length > 1
                      ? html`<bdi>${visible(systemNames[system] ?? "")}</bdi>: `
                      : nothing
                  }${t.files.cleans(gold, predicted)};
                  ${report?.definition.headline} ${t.files.without}
                  <b class=${on ? "" : "now"}>${score(f1.without, digits)}</b>, ${t.files.with}
                  <b class=${on ? "now" : ""}>${score(f1.with, digits)}</b>
                </li>`,
              )}
            </ul>
          </div>`,
        )}
        ${
          !systems.some(({ spans }) => spans)
            ? shown.length
              ? nothing
              : html`<p class="muted">${t.files.cleanNone}</p>`
            : clean.length
              ? html`<p class="muted">
                  ${
                    clean.length < systems.length
                      ? html`<bdi>${clean.map(visible).join(", ")}</bdi>: ${t.files.cleanNothing.toLowerCase()}`
                      : t.files.cleanNothing
                  }
                </p>`
              : nothing
        }
      </div>
    </fieldset>`;
  }

  #loadRun(value: object) {
    const { options, leftOut } = readRunFile(value);
    this.said = leftOut.length ? t.files.unknownKeys(leftOut.map(visible).join(", ")) : "";
    this.store.replaceOptions(options);
  }

  override render() {
    const { catalog, options, report } = this.store;
    const names = (list: Choice[] = []) => list.map(({ name }): [string, string] => [name, name]);
    const datasets = titles(catalog?.datasets).map(([name, benchmark]): [string, string] => [
      name,
      `${titleOf(catalog?.benchmarks, benchmark)} ${name}`,
    ]);
    const rare: Listed[] = [
      "goldOffsets",
      "predOffsets",
      "view",
      "end",
      "fragments",
      "occurrences",
    ];
    const inBenchmark = this.store.many || !!options.dataset;
    const isGenerated = report?.systems.some(({ answers }) => answers);
    // The default comes first: the benchmark's own way is that of a benchmark.
    const ways = titles(catalog?.llm);
    const llm = inBenchmark ? ways : ways.reverse();
    const used = rare.filter((key) => options[key]).length;
    this.#rareShown ||= used > 0;
    return html`<section class="stack" aria-labelledby="options">
      <h2 id="options">${t.files.options}</h2>
      <fieldset class="stack">
        <legend>${t.files.whatIsScored}</legend>
        <div class="grid">
          ${this.#dataset(datasets)}
          ${
            inBenchmark
              ? this.#select(t.files.benchmarkMode, "mode", titles(catalog?.modes))
              : nothing
          }
          ${this.#select(t.files.definition, "definition", names(catalog?.definitions))}
          ${this.#select(t.files.tokens, "tokens", titles(catalog?.tokens))}
          ${isGenerated || options.llm ? this.#select(t.files.llm, "llm", llm) : nothing}
        </div>
        <fieldset>
          <legend class="sub">${t.files.scoredLabels}</legend>
          ${this.#scoredLabels()}
        </fieldset>
      </fieldset>
      <fieldset class="group stack">
        <legend class="unseen">${t.files.howRead}</legend>
        <h3 aria-hidden="true">${t.files.howRead}</h3>
        <div class="grid">
          ${this.#select(t.files.formatGold, "formatGold", titles(catalog?.formats), "format")}
          ${this.#select(t.files.formatPred, "formatPred", titles(catalog?.formats), "format")}
          ${this.#select(t.files.encoding, "encoding", titles(catalog?.encodings))}
        </div>
        <details ?open=${this.#rareShown}>
          <summary>${t.files.rare}${used ? html` <span class="muted">(${t.files.changed(used)})</span>` : nothing}</summary>
          <div class="grid">
            ${this.#select(t.files.goldOffsets, "goldOffsets", titles(catalog?.offsets), "offsets")}
            ${this.#select(t.files.predOffsets, "predOffsets", titles(catalog?.offsets), "offsets")}
            ${this.#select(t.files.view, "view", titles(catalog?.views))}
            ${this.#select(t.files.end, "end", titles(catalog?.ends))}
            ${this.#select(t.files.fragments, "fragments", titles(catalog?.fragments))}
            ${this.#select(t.files.occurrences, "occurrences", titles(catalog?.occurrences))}
          </div>
        </details>
      </fieldset>
      <div class="group">${this.#clean()}</div>
      <fieldset class="group stack">
        <legend class="unseen">${t.files.runFile}</legend>
        <h3 aria-hidden="true">${t.files.runFile}</h3>
        <p class="muted small">${t.files.runFileHint}</p>
        <div class="row">
          ${loader(
            "load-run",
            `${t.files.runFile}: ${t.files.load}`,
            t.files.load,
            (_, value) => this.#loadRun(value),
            (name) => {
              this.said = t.files.notJson(name);
            },
          )}
          <button
            id="save-run"
            aria-label=${`${t.files.runFile}: ${t.files.save}`}
            @click=${() => download("run.json", runFile(this.store.options), "application/json")}
          >
            ${t.files.save}
          </button>
        </div>
      </fieldset>
      <p role="status">${this.said}</p>
    </section>`;
  }
}
customElements.define("cs-options", OptionsPanel);
