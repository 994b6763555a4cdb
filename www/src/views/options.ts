// The options of a run: what is scored, how files are read, and the run file that says so.

import { css, html, nothing, type PropertyValues } from "lit";
import { live } from "lit/directives/live.js";
import { count, visible } from "../format.js";
import type { Options } from "../protocol.js";
import type { Choice, LabelUse } from "../report.js";
import { t } from "../strings.js";
import { shared } from "../style.js";
import { download, StoreElement } from "../ui/element.js";

/** More labels than this are chosen and mapped by a file, not by hand. */
const mostLabels = 300;
const keys: (keyof Options)[] = [
  "benchmark",
  "dataset",
  "definition",
  "labels",
  "map",
  "format",
  "formatGold",
  "formatPred",
  "encoding",
  "tokens",
  "paths",
];

class OptionsPanel extends StoreElement {
  static override properties = {
    ...StoreElement.properties,
    labels: { attribute: false },
    said: { state: true },
  };
  declare labels: LabelUse[];
  declare said: string;

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
        grid-template-columns: max-content minmax(0, 1fr);
        gap: var(--s2) var(--s3);
        align-items: center;
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
      legend {
        font-weight: 600;
        padding: 0;
        margin-bottom: var(--s1);
      }
      .ticks {
        display: flex;
        flex-wrap: wrap;
        gap: 0 var(--s4);
        max-height: 220px;
        overflow: auto;
      }
      .map {
        max-height: 320px;
        overflow: auto;
      }
      table {
        border-collapse: collapse;
        width: 100%;
        font-variant-numeric: tabular-nums;
      }
      th,
      td {
        text-align: start;
        padding: 2px var(--s2);
        overflow-wrap: anywhere;
      }
      thead th {
        font-size: var(--small);
        color: var(--muted);
        overflow-wrap: normal;
      }
      tbody th {
        font-weight: 400;
      }
      .n {
        text-align: end;
      }
      td input {
        width: 100%;
        min-width: 9ch;
      }
      hr {
        width: 100%;
        border: 0;
        border-top: 1px solid var(--line);
        margin: 0;
      }
    `,
  ];

  #select(name: string, key: keyof Options, values: [string, string][]) {
    const now = (this.store.options[key] as string | undefined) ?? values[0]?.[0];
    return html`<label for=${key}>${name}</label>
      <select
        id=${key}
        @change=${(event: Event) => {
          const { value } = event.target as HTMLSelectElement;
          this.store.setOptions({ [key]: value === values[0]?.[0] ? undefined : value });
        }}
      >
        ${values.map(
          ([value, text]) =>
            html`<option value=${value} ?selected=${value === now}>${text}</option>`,
        )}
      </select>`;
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
    if (options.dataset) return html`<p class="muted">${t.files.labelsByDataset}</p>`;
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

  /** One row per label of the files: spans in gold, spans in all systems. */
  #uses(): { label: string; gold: number; predicted: number }[] {
    const { facts } = this.store;
    const rows = new Map<string, { label: string; gold: number; predicted: number }>();
    const row = (label: string) => {
      const one = rows.get(label) ?? { label, gold: 0, predicted: 0 };
      rows.set(label, one);
      return one;
    };
    for (const use of facts?.gold?.labels ?? []) row(use.label).gold += use.spans;
    for (const { side } of facts?.systems ?? []) {
      for (const use of side.labels) row(use.label).predicted += use.spans;
    }
    return [...rows.values()].sort((a, b) => (a.label < b.label ? -1 : 1));
  }

  #setMap(entries: [string, string][] | undefined) {
    // fromEntries makes own properties of any label, `__proto__` included.
    this.store.setOptions({ map: entries && Object.fromEntries(entries), labels: undefined });
  }

  #map() {
    const { map, dataset } = this.store.options;
    if (dataset) return nothing;
    const uses = this.#uses();
    const entries = new Map(Object.entries(map ?? {}));
    const edit = (label: string, to: string) => {
      const next = new Map(entries);
      if (to) next.set(label, to);
      else next.delete(label);
      this.#setMap([...next]);
    };
    return html`<fieldset class="stack">
      <legend>${t.files.map}</legend>
      <label class="tick">
        <input
          type="checkbox"
          id="use-map"
          .checked=${!!map}
          @change=${(event: Event) =>
            this.#setMap(
              (event.target as HTMLInputElement).checked
                ? uses.map(({ label }) => [label, label])
                : undefined,
            )}
        />
        ${t.files.mapUse}
      </label>
      ${
        map
          ? html`<p class="muted small">${t.files.mapHint}</p>
              <div class="frame map">
                <table>
                  <thead>
                    <tr>
                      <th scope="col">${t.files.mapFrom}</th>
                      <th scope="col" class="n">${t.files.gold}</th>
                      <th scope="col" class="n">${t.files.predictions}</th>
                      <th scope="col">${t.files.mapTo}</th>
                    </tr>
                  </thead>
                  <tbody>
                    ${uses.slice(0, mostLabels).map(
                      ({ label, gold, predicted }) => html`<tr>
                        <th scope="row"><bdi>${visible(label)}</bdi></th>
                        <td class="n">${count(gold)}</td>
                        <td class="n">${count(predicted)}</td>
                        <td>
                          <input
                            aria-label=${`${t.files.mapTo}: ${visible(label)}`}
                            placeholder=${t.files.mapDropped}
                            .value=${entries.get(label) ?? ""}
                            @change=${(event: Event) =>
                              edit(label, (event.target as HTMLInputElement).value.trim())}
                          />
                        </td>
                      </tr>`,
                    )}
                  </tbody>
                </table>
              </div>`
          : nothing
      }
      <div class="row">
        ${this.#loader("map", (name, value) => {
          const fits = Object.values(value).every((to) => typeof to === "string");
          if (fits) this.#setMap(Object.entries(value) as [string, string][]);
          this.said = fits ? "" : t.files.notMap(name);
        })}
        ${
          map
            ? html`<button
                @click=${() => download("label-map.json", `${JSON.stringify(map, null, 2)}\n`, "application/json")}
              >
                ${t.files.save}
              </button>`
            : nothing
        }
      </div>
    </fieldset>`;
  }

  /** A button that reads a JSON object from a file. */
  #loader(id: string, use: (name: string, value: Record<string, unknown>) => void) {
    const read = async (event: Event) => {
      const input = event.target as HTMLInputElement;
      const file = input.files?.[0];
      input.value = "";
      if (!file) return;
      try {
        const value: unknown = JSON.parse((await file.text()).replace(/^\ufeff/, ""));
        if (!value || typeof value !== "object" || Array.isArray(value)) throw new Error();
        use(file.name, value as Record<string, unknown>);
      } catch {
        this.said = t.files.notJson(file.name);
      }
    };
    return html`<input type="file" id=${`load-${id}`} accept=".json,application/json" hidden @change=${read} />
      <button
        aria-label=${`${id === "map" ? t.files.map : t.files.runFile}: ${t.files.load}`}
        @click=${() => this.renderRoot.querySelector<HTMLElement>(`#load-${id}`)?.click()}
      >
        ${t.files.load}
      </button>`;
  }

  #loadRun(value: Record<string, unknown>) {
    const known = Object.fromEntries(
      Object.entries(value).filter(([key]) => keys.includes(key as keyof Options)),
    );
    const unknown = Object.keys(value).filter((key) => !(key in known));
    this.said = unknown.length ? t.files.unknownKeys(unknown.map(visible).join(", ")) : "";
    const cleared = Object.fromEntries(keys.map((key) => [key, undefined]));
    this.store.setOptions({ ...cleared, ...known });
  }

  override updated(_: PropertyValues) {
    // A select keeps what was chosen; a loaded run file must show.
    for (const select of this.renderRoot.querySelectorAll("select")) {
      const value = this.store.options[select.id as keyof Options] as string | undefined;
      select.value = value ?? select.options[0]?.value ?? "";
    }
  }

  override render() {
    const { catalog } = this.store;
    const titles = (list: Choice[] = []) =>
      list.map(({ name, title }): [string, string] => [name, title]);
    const names = (list: Choice[] = []) => list.map(({ name }): [string, string] => [name, name]);
    const benchmarks = new Map(titles(catalog?.benchmarks));
    const datasets = titles(catalog?.datasets).map(([name, benchmark]): [string, string] => [
      name,
      `${benchmarks.get(benchmark) ?? benchmark} ${name}`,
    ]);
    return html`<section class="stack" aria-labelledby="options">
      <h2 id="options">${t.files.options}</h2>
      <div class="grid">
        ${this.#select(t.files.dataset, "dataset", [["", t.files.datasetNone], ...datasets])}
        ${this.#select(t.files.definition, "definition", names(catalog?.definitions))}
        ${this.#select(t.files.formatGold, "formatGold", titles(catalog?.formats))}
        ${this.#select(t.files.formatPred, "formatPred", titles(catalog?.formats))}
        ${this.#select(t.files.encoding, "encoding", titles(catalog?.encodings))}
        ${this.#select(t.files.tokens, "tokens", titles(catalog?.tokens))}
      </div>
      <hr />
      <fieldset>
        <legend>${t.files.scoredLabels}</legend>
        ${this.#scoredLabels()}
      </fieldset>
      ${this.#map()}
      <hr />
      <fieldset class="stack">
        <legend>${t.files.runFile}</legend>
        <p class="muted small">${t.files.runFileHint}</p>
        <div class="row">
          ${this.#loader("run", (_, value) => this.#loadRun(value))}
          <button
            aria-label=${`${t.files.runFile}: ${t.files.save}`}
            @click=${() =>
              download(
                "run.json",
                `${JSON.stringify(this.store.options, null, 2)}\n`,
                "application/json",
              )}
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
