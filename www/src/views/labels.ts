// The label map: a row a label, from how the files spell it to how it is scored.

import { css, html, nothing, type PropertyValues } from "lit";
import { live } from "lit/directives/live.js";
import { count, visible } from "../format.js";
import { mapFor, mapsIn, withMap } from "../maps.js";
import type { LabelFold, LabelMaps } from "../report.js";
import type { Facts } from "../store.js";
import { t } from "../strings.js";
import { shared, sheet } from "../style.js";
import { download, loader, StoreElement } from "../ui/element.js";
import { select } from "../ui/parts.js";

/** More labels than this are mapped by a file, not by hand. */
const mostLabels = 300;

/** A label as the files spell it. */
interface Row {
  label: string;
  /** Spans in gold, and in all systems. */
  gold: number;
  predicted: number;
  /** Whether a side has it at all. */
  inGold: boolean;
  inPredictions: boolean;
  /** What it is scored as; null when it is dropped. */
  mapped: string | null;
  /** Likewise under a dataset, whose map for gold is its own. */
  goldMapped: string | null;
  scored: boolean;
  goldOnly: boolean;
  /** Systems that alone have what it is scored as. */
  only: string[];
}

class LabelMap extends StoreElement {
  static override properties = {
    ...StoreElement.properties,
    said: { state: true },
    of: { state: true },
  };
  declare said: string;
  /** The system whose map is shown; empty for the map of all. */
  declare of: string;
  /** Proposals made before there was a map: the core makes none for labels that a map names. */
  #proposed = new Map<string, LabelFold>();
  /** What was just entered, until the core says what becomes of it. */
  #entered = new Map<string, string>();
  #facts: Facts | null = null;
  #shown = "";

  constructor() {
    super();
    this.of = "";
    this.said = "";
  }

  static override styles = [
    shared,
    sheet,
    css`
      .scroll {
        max-height: 460px;
      }
      thead th {
        position: sticky;
        top: 0;
        z-index: 1;
      }
      tbody th {
        min-width: 12ch;
        overflow-wrap: anywhere;
      }
      td input {
        width: 100%;
        min-width: 12ch;
        max-width: 32ch;
      }
      td.as {
        width: 32ch;
      }
      td.says {
        width: 50%;
        min-width: 40ch;
      }
      .flags {
        display: flex;
        flex-wrap: wrap;
        gap: var(--s1) var(--s2);
        align-items: center;
        min-height: 28px;
        line-height: 1.45;
      }
      .flag {
        font-size: var(--small);
        border: 1px solid;
        border-radius: var(--round);
        padding: 0 4px;
        color: var(--muted);
      }
      .flag.only {
        color: var(--missed);
      }
      .fold {
        color: var(--accent);
      }
    `,
  ];

  #rows(): Row[] {
    const { facts, systemNames } = this.store;
    const rows = new Map<string, Row>();
    const row = (label: string) => {
      const one = rows.get(label) ?? {
        label,
        gold: 0,
        predicted: 0,
        inGold: false,
        inPredictions: false,
        mapped: null,
        goldMapped: null,
        scored: false,
        goldOnly: false,
        only: [],
      };
      rows.set(label, one);
      return one;
    };
    const bothSides = !!facts?.gold && facts.systems.length > 0;
    for (const use of facts?.gold?.labels ?? []) {
      const one = row(use.label);
      one.gold += use.spans;
      one.inGold = true;
      one.mapped = one.goldMapped = use.mapped;
      one.scored ||= use.scored;
      one.goldOnly = bothSides && use.only_here;
    }
    const owned = systemNames.map((name) => !!this.#own(name));
    for (const [at, { side }] of facts?.systems.entries() ?? []) {
      if (this.of && systemNames[at] !== this.of) continue;
      for (const use of side.labels) {
        const one = row(use.label);
        one.predicted += use.spans;
        // What a system's own map says is not what is said of all.
        if (this.of || !owned[at] || !one.inPredictions) one.mapped = use.mapped;
        one.inPredictions = true;
        one.scored ||= use.scored;
        if (bothSides && use.only_here) one.only.push(systemNames[at] ?? "");
      }
    }
    return [...rows.values()].sort((a, b) => (a.label < b.label ? -1 : 1));
  }

  protected override willUpdate(_: PropertyValues) {
    const { facts, options, systemNames } = this.store;
    if (!systemNames.includes(this.of)) this.of = "";
    const shown = JSON.stringify([this.#dataset, this.of]);
    if (facts !== this.#facts || shown !== this.#shown) this.#entered.clear();
    if (!options.map || shown !== this.#shown) this.#proposed = new Map();
    this.#facts = facts;
    this.#shown = shown;
    const systems = facts?.systems.filter((_, at) => !this.of || systemNames[at] === this.of);
    const folds = systems?.flatMap((system) => system.folds) ?? [];
    for (const fold of folds) this.#proposed.set(fold.from, fold);
  }

  /** The dataset whose labels are shown. */
  get #dataset(): string | null {
    const { many, dataset, options } = this.store;
    return many ? dataset : (options.dataset ?? null);
  }

  /** The maps of the system that is shown, or of all. */
  get #maps(): LabelMaps | null | undefined {
    const { options } = this.store;
    return this.of ? options.maps?.[this.of] : options.map;
  }

  /** A system's own map. */
  #own(system: string) {
    return mapFor(this.store.options.maps?.[system], this.#dataset);
  }

  /** What the map says, or would if there were one: under a dataset it is that of the predictions. */
  #entries(rows: Row[]): [string, string][] {
    const map = mapFor(this.#maps, this.#dataset);
    if (map) return Object.entries(map);
    return rows.flatMap(({ label, mapped, inPredictions }) =>
      mapped !== null && (inPredictions || !this.#dataset) ? [[label, mapped]] : [],
    );
  }

  /** Takes maps for the system that is shown, or for all. */
  #setMaps(maps: LabelMaps | undefined) {
    const { store } = this;
    const labels = undefined;
    if (!this.of) return store.setOptions({ map: maps, labels });
    const others = Object.entries(store.options.maps ?? {}).filter(([name]) => name !== this.of);
    const all = maps ? [...others, [this.of, maps] as const] : others;
    store.setOptions({ maps: Object.fromEntries(all), labels });
  }

  #setMap(entries: [string, string][] | undefined) {
    const { store } = this;
    // fromEntries makes own properties of any label, `__proto__` included.
    const map = entries && Object.fromEntries(entries);
    this.#setMaps(withMap(this.#maps, this.#dataset, map, store.many ? store.datasets : []));
  }

  /** Scores a label as another; as nothing, it is dropped. */
  #edit(rows: Row[], changes: [string, string][]) {
    const entries = new Map(this.#entries(rows));
    for (const [label, to] of changes) {
      if (to) entries.set(label, to);
      else entries.delete(label);
      this.#entered.set(label, to);
    }
    this.said = "";
    this.#setMap([...entries]);
  }

  /** The proposals that wait for a yes. */
  #open(rows: Row[]): LabelFold[] {
    const mapped = new Map(rows.map((row) => [row.label, row.mapped]));
    const isOpen = ({ applied, from, to }: LabelFold) =>
      !applied && mapped.has(from) && mapped.get(from) !== to;
    return [...this.#proposed.values()].filter(isOpen);
  }

  #applyAll(rows: Row[], open: LabelFold[]) {
    if (!mapFor(this.#maps, this.#dataset)) {
      this.store.setOptions({ foldLabels: true, labels: undefined });
    } else
      this.#edit(
        rows,
        open.map(({ from, to }) => [from, to]),
      );
  }

  #flags(row: Row, fold: LabelFold | undefined, rows: Row[]) {
    const { facts, report } = this.store;
    const several = (facts?.systems.length ?? 0) > 1;
    const rule = fold ? (t.files.foldRules[fold.rule] ?? fold.rule) : "";
    return html`<div class="flags">
      ${row.goldOnly ? html`<span class="flag only">${t.files.onlyGold}</span>` : nothing}
      ${
        row.only.length
          ? html`<span class="flag only"
              >${t.files.onlyPredicted}${several ? html`: <bdi>${row.only.map(visible).join(", ")}</bdi>` : nothing}</span
            >`
          : nothing
      }
      ${
        report && row.mapped !== null && !row.scored
          ? html`<span class="flag">${t.files.labelNotScored}</span>`
          : nothing
      }
      ${
        fold?.applied
          ? html`<span class="fold">${t.files.folded(rule)}</span>`
          : fold
            ? html`<span class="fold"
                  >${t.files.foldProposed} <bdi>${visible(fold.to)}</bdi>?</span
                >
                <button
                  class="plain use"
                  aria-label=${t.files.useFold(visible(fold.from), visible(fold.to))}
                  @click=${() => this.#edit(rows, [[fold.from, fold.to]])}
                >
                  ${t.files.use}
                </button>
                <span class="muted small">${rule}</span>`
            : nothing
      }
    </div>`;
  }

  #row(row: Row, fold: LabelFold | undefined, rows: Row[]) {
    const dataset = this.#dataset;
    const isEdited = !dataset || row.inPredictions;
    return html`<tr>
      <th scope="row"><bdi>${visible(row.label)}</bdi></th>
      <td class="n">${row.inGold ? count(row.gold) : "—"}</td>
      <td class="n">${row.inPredictions ? count(row.predicted) : "—"}</td>
      <td class="as">
        ${
          dataset && row.inGold && row.goldMapped !== row.mapped
            ? html`<span class="muted small"
                >${t.files.gold}: <bdi>${visible(row.goldMapped ?? t.files.mapDropped)}</bdi></span
              >`
            : nothing
        }
        ${
          isEdited
            ? html`<input
                aria-label=${`${t.files.mapTo}: ${visible(row.label)}`}
                placeholder=${t.files.mapDropped}
                .value=${live(this.#entered.get(row.label) ?? row.mapped ?? "")}
                @change=${(event: Event) =>
                  this.#edit(rows, [[row.label, (event.target as HTMLInputElement).value.trim()]])}
              />`
            : html`<bdi>${visible(row.mapped ?? t.files.mapDropped)}</bdi>`
        }
      </td>
      <td class="says">${this.#flags(row, fold, rows)}</td>
    </tr>`;
  }

  /** Whose map the table shows. */
  #systemChoice() {
    const { systemNames } = this.store;
    if (systemNames.length < 2) return nothing;
    return select(
      [
        ["", t.files.mapOfAll],
        ...systemNames.map(
          (name) => [name, t.files.mapOf(visible(name), !!this.#own(name))] as const,
        ),
      ],
      this.of,
      (name) => {
        this.of = name;
      },
      { id: "map-of", label: t.files.mapWhose },
    );
  }

  override render() {
    const rows = this.#rows();
    if (!rows.length) return nothing;
    const { foldLabels } = this.store.options;
    const dataset = this.#dataset;
    const map = mapFor(this.#maps, dataset);
    const open = this.#open(rows);
    const mapped = new Map(rows.map((row) => [row.label, row.mapped]));
    const applied = [...this.#proposed.values()].filter(
      (fold) => fold.applied && mapped.get(fold.from) === fold.to,
    );
    const folds = new Map([...open, ...applied].map((fold) => [fold.from, fold]));
    return html`<section class="stack" aria-labelledby="labels">
      <div class="row">
        <h2 id="labels">${t.files.labels}</h2>
        ${this.#systemChoice()}
        ${
          open.length
            ? html`<button id="fold" class="main" @click=${() => this.#applyAll(rows, open)}>
                ${t.files.foldAll(open.length)}
              </button>`
            : nothing
        }
        ${
          foldLabels
            ? html`<button
                id="unfold"
                @click=${() => this.store.setOptions({ foldLabels: false, labels: undefined })}
              >
                ${t.files.unfold}
              </button>`
            : nothing
        }
        <span class="row push">
          ${
            map
              ? html`<button class="plain" id="reset-map" @click=${() => this.#setMap(undefined)}>
                  ${t.files.mapReset}
                </button>`
              : nothing
          }
          ${loader(
            "load-map",
            `${t.files.map}: ${t.files.load}`,
            t.files.load,
            (name, value) => {
              const maps = mapsIn(value);
              if (maps) this.#setMaps(maps);
              this.said = maps ? "" : t.files.notMap(name);
            },
            (name) => {
              this.said = t.files.notJson(name);
            },
          )}
          <button
            id="save-map"
            aria-label=${`${t.files.map}: ${t.files.save}`}
            @click=${() => {
              const own = Object.fromEntries(this.#entries(rows));
              const value = this.#maps ?? (this.store.many ? { [dataset ?? ""]: own } : own);
              download("label-map.json", `${JSON.stringify(value, null, 2)}\n`, "application/json");
            }}
          >
            ${t.files.save}
          </button>
        </span>
        <span role="status">${this.said}</span>
      </div>
      <p class="muted small">${dataset ? t.files.mapHintDataset : t.files.mapHint}</p>
      <div class="frame scroll map" tabindex="0" role="group" aria-labelledby="labels">
        <table>
          <thead>
            <tr>
              <th scope="col">${t.files.mapFrom}</th>
              <th scope="col" class="n">${t.files.gold}</th>
              <th scope="col" class="n">${t.files.predictions}</th>
              <th scope="col">${t.files.mapTo}</th>
              <th scope="col">${t.files.mapSays}</th>
            </tr>
          </thead>
          <tbody>
            ${rows.slice(0, mostLabels).map((row) => this.#row(row, folds.get(row.label), rows))}
          </tbody>
        </table>
      </div>
      ${rows.length > mostLabels ? html`<p class="muted">${t.files.moreLabels(rows.length - mostLabels)}</p>` : nothing}
    </section>`;
  }
}
customElements.define("cs-labels", LabelMap);
