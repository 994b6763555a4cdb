// What was given, a row each: how it was read, every guess to be changed in its place, and what is
// wrong with it.

import { css, html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { bytes, count, visible } from "../format.js";
import type { Role, SourceRole } from "../protocol.js";
import type {
  Choice,
  FileOptions,
  Input,
  OffsetsUse,
  ProblemItem,
  Side,
  TokenizerFile,
} from "../report.js";
import type { Source } from "../store.js";
import { t } from "../strings.js";
import { shared, sheet } from "../style.js";
import type { Tokenizer } from "../tokenizer.js";
import { StoreElement } from "../ui/element.js";
import { select, titleOf, titles } from "../ui/parts.js";

/** Lists longer than this are cut; the count beside them is whole. */
const shownFiles = 200;
/** What is wrong with a source is told in so many lines at most. */
const shownTroubles = 4;

/** What the sources view asks for: the problems of a side, of the score that it is part of. */
export class ShowProblems extends Event {
  constructor(
    readonly side: string,
    readonly dataset: string,
  ) {
    super("show-problems");
  }
}

class SourcesTable extends StoreElement {
  static override properties = {
    ...StoreElement.properties,
    opened: { state: true },
    partner: { state: true },
  };
  /** Sources whose details are shown. */
  declare opened: Set<number>;
  /** The system to swap with gold. */
  declare partner: string;

  constructor() {
    super();
    this.opened = new Set();
    this.partner = "";
  }

  static override styles = [
    shared,
    sheet,
    css`
      td.given {
        min-width: 24ch;
        max-width: 40ch;
      }
      td input {
        width: 14ch;
      }
      td select {
        field-sizing: content;
        max-width: 20ch;
      }
      dd select {
        max-width: 100%;
      }
      button.open {
        text-align: start;
        color: var(--text);
        display: flex;
        gap: var(--s1);
        align-items: center;
        margin-inline-start: calc(-1 * var(--s1));
        min-height: 28px;
      }
      .open > span {
        color: var(--muted);
        white-space: nowrap;
      }
      .open .mark-open {
        font-size: 10px;
        width: 1em;
        flex: none;
      }
      tr.joined > td {
        border-bottom: 0;
      }
      /* Reads without sideways scrolling, however wide the table is. */
      .wide {
        position: sticky;
        inset-inline-start: var(--s2);
        width: calc(100cqi - 2 * var(--s2));
        max-width: 110ch;
        line-height: 1.45;
        padding-bottom: var(--s2);
      }
      .trouble {
        display: grid;
        gap: var(--s1);
      }
      .trouble li {
        border-inline-start: 4px solid var(--missed);
        padding-inline-start: var(--s3);
        overflow-wrap: anywhere;
      }
      dl {
        display: grid;
        grid-template-columns: max-content minmax(0, 1fr);
        gap: var(--s1) var(--s3);
        margin: 0;
      }
      dt {
        color: var(--muted);
      }
      dd {
        margin: 0;
        min-width: 0;
        overflow-wrap: anywhere;
      }
      .list {
        max-height: 240px;
        overflow: auto;
      }
      .swap {
        white-space: nowrap;
      }
      @media (max-width: 700px) {
        dl {
          grid-template-columns: minmax(0, 1fr);
        }
      }
    `,
  ];

  /** The side that a source belongs to. */
  #side(source: Source): Side | null | undefined {
    const { store } = this;
    const facts = store.factsOf(source);
    if (source.role === "gold") return facts?.gold;
    const systems = store.systemsOf(store.groupOf(source) ?? "");
    return facts?.systems[systems.indexOf(source.system)]?.side;
  }

  /** Inputs of a source, by their indices in the report. */
  #inputs(source: Source): [number, Input][] {
    const facts = this.store.factsOf(source);
    if (!facts) return [];
    return [...facts.inputs.entries()].filter(([at]) => facts.files[at]?.source === source.id);
  }

  /** How many labels there are; the core counts them by side, which can be several sources. */
  #labelsOf(source: Source) {
    if (source.role === "config") return "";
    const side = this.#side(source);
    if (!side) return "…";
    const { store } = this;
    const isSame = (one: Source) =>
      one.role === source.role &&
      store.groupOf(one) === store.groupOf(source) &&
      (one.role === "gold" || one.system === source.system);
    const together = store.sources.filter(isSame).length > 1;
    return html`<span title=${together ? t.files.labelsTogether : nothing}
      >${count(side.labels.length)}${together ? "*" : ""}</span
    >`;
  }

  /** A guess and its correction. The first value leaves the guess as it is. */
  #guess(
    source: Source,
    key: keyof FileOptions,
    { name, found, list, bySide, chosen, title }: Guess,
  ): TemplateResult {
    const [auto, ...rest] = list ?? [];
    const now = found.join(", ") || titleOf(list, bySide ?? auto?.name ?? "…");
    // Once something is chosen, what it would be without is not known.
    const inherited = bySide ? t.files.asSide : (auto?.title ?? "");
    const guess = !found.length ? now : bySide ? t.files.bySide(now) : t.files.guessed(now);
    const values: [string, string][] = [
      ["", chosen ? inherited : guess],
      ...(bySide && auto ? titles([auto]) : []),
      ...titles(rest),
    ];
    return select(
      values,
      chosen ?? "",
      (value) => this.store.choose(source, { [key]: value || null }),
      {
        kind: key,
        label: `${name}: ${visible(source.name)}`,
        title: title ?? "",
      },
    );
  }

  #source(source: Source, chosen: FileOptions) {
    const { catalog, options } = this.store;
    const inputs = this.#inputs(source);
    const known = inputs.length > 0;
    const sum = (of: (input: Input) => number) => inputs.reduce((all, [, one]) => all + of(one), 0);
    const distinct = (of: (input: Input) => string | null) => [
      ...new Set(inputs.map(([, input]) => of(input)).filter((text) => text !== null)),
    ];
    const side = this.#side(source);
    const uses = [...new Set(inputs.map(([, { offsets }]) => offsets))]
      .map((at) => (at === null ? undefined : side?.offsets[at]))
      .filter((use) => use !== undefined);
    const formats = distinct(({ format }) => format);
    const reasons = distinct(({ format_reason }) => format_reason || null);
    const problems = sum((input) => input.problems);
    const size = source.files.reduce((all, { file }) => all + file.size, 0);
    const isGold = source.role === "gold";
    const open = this.opened.has(source.id);
    const unused = this.#unused(source);
    const troubles = [
      ...(unused ? [html`<li><strong>${unused}</strong></li>`] : []),
      ...(side && known ? this.#troubles(source, side, inputs) : []),
    ];
    const isRead = source.role !== "results" && !unused;
    const pending = isRead ? "…" : "";
    const units = [...new Set(uses.map(({ unit }) => titleOf(catalog?.offsets, unit)))];
    const name = visible(source.name);
    return html`<tbody>
      <tr class="source ${open || troubles.length ? "joined" : ""}">
        <td class="given">
          <button
            class="plain open"
            aria-expanded=${open}
            aria-controls=${`details-${source.id}`}
            title=${t.files.details}
            @click=${() => this.#toggle(source.id)}
          >
            <span class="mark-open" aria-hidden="true">${open ? "▼" : "▶"}</span>
            <bdi>${name}</bdi>
            ${
              source.files.length === 1 && source.files[0]?.path === source.name
                ? nothing
                : html`<span>${t.files.filesIn(source.files.length)}</span>`
            }
          </button>
        </td>
        <td>
          ${select(
            Object.entries(t.files.roles),
            source.role,
            (role) => this.store.update(source.id, { role: role as SourceRole }),
            { kind: "role", label: `${t.files.role}: ${name}` },
          )}
        </td>
        <td>
          ${
            isGold
              ? nothing
              : html`<input
                  aria-label=${`${t.files.system}: ${name}`}
                  title=${t.files.systemHint}
                  .value=${source.system}
                  @change=${(event: Event) => {
                    const system = (event.target as HTMLInputElement).value.trim();
                    this.store.update(source.id, {
                      system: system || source.name,
                      named: !!system,
                    });
                  }}
                />`
          }
        </td>
        <td>${this.#dataset(source)}</td>
        <td>
          ${
            !isRead
              ? nothing
              : this.#guess(source, "format", {
                  name: t.files.format,
                  found: known && !formats.length ? [t.files.unread] : formats,
                  list: catalog?.formats,
                  bySide: (isGold ? options.formatGold : options.formatPred) ?? options.format,
                  chosen: chosen.format,
                  title: reasons.slice(0, 3).join("; "),
                })
          }
        </td>
        <td>
          ${
            !isRead
              ? nothing
              : this.#guess(source, "encoding", {
                  name: t.files.encoding,
                  found: distinct(({ encoding }) => encoding),
                  list: catalog?.encodings,
                  bySide: options.encoding,
                  chosen: chosen.encoding,
                  title: inputs.some(([, input]) => input.byte_order_mark) ? t.files.bom : "",
                })
          }
        </td>
        <td>
          ${
            !isRead
              ? nothing
              : this.#guess(source, "offsets", {
                  name: t.files.offsets,
                  found: units,
                  list: catalog?.offsets,
                  bySide: (isGold ? options.goldOffsets : options.predOffsets) ?? options.offsets,
                  chosen: chosen.offsets,
                  title: uses.map(({ words }) => words).join("; "),
                })
          }
        </td>
        <td class="n">${known ? count(sum((input) => input.documents)) : pending}</td>
        <td class="n">${known ? count(sum((input) => input.spans)) : pending}</td>
        <td class="n">${known ? this.#labelsOf(source) : pending}</td>
        <td class="n">
          ${
            problems
              ? html`<button
                  class="count"
                  aria-label=${`${count(problems)}: ${t.files.problemsOf(name)}`}
                  @click=${() =>
                    this.dispatchEvent(
                      new ShowProblems(
                        isGold ? "gold" : source.system,
                        this.store.groupOf(source) ?? "",
                      ),
                    )}
                >
                  ${count(problems)}
                </button>`
              : known
                ? "0"
                : pending
          }
        </td>
        <td class="n">${bytes(size)}</td>
        <td class="n">
          <button
            class="plain"
            aria-label=${`${t.files.remove}: ${name}`}
            title=${t.files.remove}
            @click=${() => this.store.remove(source.id)}
          >
            ✕
          </button>
        </td>
      </tr>
      ${
        troubles.length
          ? html`<tr class=${open ? "joined" : ""}>
              <td colspan="13">
                <ul class="wide trouble">
                  ${troubles}
                </ul>
              </td>
            </tr>`
          : nothing
      }
      <tr id=${`details-${source.id}`} ?hidden=${!open}>
        <td colspan="13">
          ${
            open
              ? html`<div class="wide">${this.#details(source, chosen, inputs, uses, reasons)}</div>`
              : nothing
          }
        </td>
      </tr>
    </tbody>`;
  }

  /** The dataset of a side, and what its labels or path speak for. */
  #dataset(source: Source) {
    const { store } = this;
    if (source.role !== "gold" && source.role !== "prediction") return nothing;
    const now = store.datasetOf(source);
    const names = store.catalog?.datasets.map(({ name }) => name) ?? [];
    const proposed = store.proposals.get(source.id);
    return html`${select(
      [["", t.files.noDataset], ...names.map((name) => [name, name] as const)],
      now ?? "",
      (name) => store.update(source.id, { dataset: name || null }),
      { kind: "dataset", label: `${t.files.dataset}: ${visible(source.name)}` },
    )}
    ${
      proposed && !now
        ? html`<button
            class="plain propose"
            title=${source.dataset ? t.files.namesSpeakFor(proposed) : t.files.speaksFor(proposed)}
            @click=${() => store.update(source.id, { dataset: proposed })}
          >
            ${proposed}?
          </button>`
        : nothing
    }`;
  }

  /** What keeps a source from being used at all. */
  #unused(source: Source): string {
    const { store } = this;
    if (source.role === "config" && !store.systemsOfAll.includes(source.system)) {
      return t.files.unusedConfig;
    }
    const isSide = source.role === "gold" || source.role === "prediction";
    return isSide && store.groupOf(source) === null ? t.files.chooseDataset : "";
  }

  #toggle(id: number) {
    const opened = new Set(this.opened);
    if (!opened.delete(id)) opened.add(id);
    this.opened = opened;
  }

  /** Everything that has no place in the row. */
  #details(
    source: Source,
    chosen: FileOptions,
    inputs: [number, Input][],
    uses: OffsetsUse[],
    reasons: string[],
  ) {
    const { catalog, options, sources } = this.store;
    const found = (list: Choice[] | undefined, of: (use: OffsetsUse) => string) => [
      ...new Set(uses.map((use) => titleOf(list, of(use)))),
    ];
    const tagging = inputs.flatMap(([, input]) => input.tagging ?? []);
    const schemes = [...new Set(tagging.map(({ scheme }) => scheme))];
    const illFormed = tagging.reduce((all, { ill_formed }) => all + ill_formed, 0);
    const other: Role = source.role === "gold" ? "prediction" : "gold";
    const isUsed = sources.some(
      ({ role, files }) =>
        role === other && source.files.every(({ file }) => files.some((one) => one.file === file)),
    );
    const both = inputs.some(([, input]) => input.both_sides) && !isUsed;
    return html`<dl>
      ${reasons.length ? html`<dt>${t.files.format}</dt><dd>${reasons.slice(0, 3).join("; ")}</dd>` : nothing}
      ${
        uses.length
          ? html`<dt>${t.files.offsets}</dt>
              <dd class="words">
                ${uses.map(
                  ({ format, words }) =>
                    html`<p>${uses.length > 1 ? `${format}: ` : ""}${words}</p>`,
                )}
              </dd>`
          : nothing
      }
      <dt>${t.files.counted}</dt>
      <dd class="row">
        ${this.#guess(source, "view", {
          name: t.files.view,
          found: found(catalog?.views, ({ view }) => view),
          list: catalog?.views,
          bySide: options.view,
          chosen: chosen.view,
        })}
        ${this.#guess(source, "end", {
          name: t.files.end,
          found: found(catalog?.ends, ({ end }) => end),
          list: catalog?.ends,
          bySide: options.end,
          chosen: chosen.end,
        })}
      </dd>
      ${
        inputs.some(([, input]) => input.byte_order_mark)
          ? html`<dt>${t.files.encoding}</dt><dd>${t.files.bom}</dd>`
          : nothing
      }
      ${
        schemes.length
          ? html`<dt>${t.files.tags}</dt>
              <dd class="tags">
                ${schemes.join(", ")}${illFormed ? `; ${t.files.illFormed(illFormed)}` : ""}
              </dd>`
          : nothing
      }
      ${
        both
          ? html`<dt>${t.files.bothSides}</dt>
              <dd>
                <button class="other-side" @click=${() => this.store.addOther(source)}>
                  ${t.files.useAs(t.files.roles[other])}
                </button>
              </dd>`
          : nothing
      }
      ${
        source.files.length > 1
          ? html`<dt>${t.files.filesIn(source.files.length)}</dt>
              <dd>
                <div class="list" tabindex="0" role="group" aria-label=${t.files.filesOf(visible(source.name))}>
                <ul class="small">
                  ${source.files
                    .slice(0, shownFiles)
                    .map(({ path }) => html`<li><bdi>${visible(path)}</bdi></li>`)}
                  ${
                    source.files.length > shownFiles
                      ? html`<li>${t.files.more(source.files.length - shownFiles)}</li>`
                      : nothing
                  }
                </ul></div>
              </dd>`
          : nothing
      }
    </dl>`;
  }

  /** What keeps a source, or much of it, from being read: what it looks like, and what to do. */
  #troubles(source: Source, side: Side, inputs: [number, Input][]): TemplateResult[] {
    const its = new Set(inputs.map(([at]) => at));
    const empty = inputs.every(([, { documents }]) => !documents);
    const told = side.problems.flatMap(({ kind, title, items }) => {
      // A text without annotations beside annotated ones is no reason to worry.
      const todo = t.files.todo[kind] ?? (empty ? t.files.todoEmpty[kind] : undefined);
      if (!todo) return [];
      const here = items.filter(({ input }) => input !== null && its.has(input));
      return here.map((item) => this.#trouble(source, title, item, todo));
    });
    const cut = told.slice(0, shownTroubles);
    if (told.length > cut.length) {
      cut.push(html`<li class="muted">${t.files.more(told.length - cut.length)}</li>`);
    }
    return cut;
  }

  #trouble(
    source: Source,
    title: string,
    { found, expected, entry, input }: ProblemItem,
    todo: string,
  ) {
    const path = entry ?? this.store.factsOf(source)?.files[input ?? -1]?.path ?? "";
    return html`<li>
      ${path && path !== source.name ? html`<bdi>${visible(path)}</bdi>: ` : nothing}<span
        title=${title}
        ><bdi>${visible(found)}</bdi>.</span
      >
      ${expected ? html`<span class="muted">${t.expected}: ${expected}.</span>` : nothing}
      <strong>${todo}</strong>
    </li>`;
  }

  /** A tokenizer: whose tokens it makes, and what it is. */
  #tokenizer(tokenizer: Tokenizer, at: number) {
    const { facts, systemsOfAll } = this.store;
    const name = visible(tokenizer.path);
    const found = facts?.tokenizers[at];
    return html`<tbody>
      <tr class="source tokenizer">
        <td class="given"><bdi>${name}</bdi></td>
        <td>${t.files.tokenizer.role}</td>
        <td>
          ${select(
            [
              ["", t.files.tokenizer.everyone],
              ...systemsOfAll.map((system): [string, string] => [system, visible(system)]),
            ],
            tokenizer.system,
            (system) => this.store.updateTokenizer(tokenizer.id, system),
            { kind: "of", label: `${t.files.system}: ${name}` },
          )}
        </td>
        <td colspan="8" class="words">${found ? this.#tokenizerWords(found) : "…"}</td>
        <td class="n">${bytes(tokenizer.file.size)}</td>
        <td class="n">
          <button
            class="plain"
            aria-label=${`${t.files.remove}: ${name}`}
            title=${t.files.remove}
            @click=${() => this.store.removeTokenizer(tokenizer.id)}
          >
            ✕
          </button>
        </td>
      </tr>
    </tbody>`;
  }

  #tokenizerWords({ system, model, vocabulary, switched_off, failure }: TokenizerFile) {
    if (failure) return html`${failure}. <strong>${t.files.tokenizer.todo}</strong>`;
    const { report } = this.store;
    const its = report?.systems.filter(
      ({ name, tokens }) => tokens && (system === null || name === system),
    );
    const unused = its?.length && its.every(({ tokens }) => tokens?.tokens_from !== "tokenizer");
    return [
      t.files.tokenizer.words(model ?? "", vocabulary),
      switched_off.length ? t.files.tokenizer.switchedOff(switched_off) : "",
      unused ? t.files.tokenizer.unused : "",
    ]
      .filter(Boolean)
      .join("; ");
  }

  #swap() {
    const { sources, systemsOfAll: systemNames } = this.store;
    if (!systemNames.length || !sources.some(({ role }) => role === "gold")) return nothing;
    const partner = systemNames.includes(this.partner) ? this.partner : (systemNames[0] as string);
    return html`<span class="row swap">
      ${
        systemNames.length > 1
          ? select(
              systemNames.map((name) => [name, visible(name)] as const),
              partner,
              (name) => {
                this.partner = name;
              },
              { id: "swap-with", label: t.files.swapWith },
            )
          : nothing
      }
      <button id="swap" @click=${() => this.store.swap(partner)}>
        <span aria-hidden="true">⇄</span>
        ${systemNames.length > 1 ? t.files.swapOne : t.files.swap}
      </button>
    </span>`;
  }

  override render() {
    const { store } = this;
    const chosen = store.chosen();
    const heads: [string, boolean][] = [
      [t.files.name, false],
      [t.files.role, false],
      [t.files.system, false],
      [t.files.dataset, false],
      [t.files.format, false],
      [t.files.encoding, false],
      [t.files.offsets, false],
      [t.files.documents, true],
      [t.files.spans, true],
      [t.files.labels, true],
      [t.files.problems, true],
      [t.files.size, true],
    ];
    return html`<section class="stack" aria-labelledby="given">
      <div class="row">
        <h2 id="given">${t.files.sources}</h2>
        ${this.#swap()}
        <button class="plain push" id="remove-all" @click=${() => store.clear()}>${t.files.clear}</button>
      </div>
      <div class="frame scroll" tabindex="0" role="group" aria-labelledby="given">
        <table id="sources">
          <thead>
            <tr>
              ${heads.map(([name, n]) => html`<th scope="col" class=${n ? "n" : ""}>${name}</th>`)}
              <th><span class="unseen">${t.files.remove}</span></th>
            </tr>
          </thead>
          ${repeat(
            store.sources,
            ({ id }) => id,
            (source) => this.#source(source, store.chosenFor(source, chosen)),
          )}
          ${repeat(
            store.tokenizers,
            ({ id }) => id,
            (tokenizer, at) => this.#tokenizer(tokenizer, at),
          )}
        </table>
      </div>
      ${
        store.leftOut.length
          ? html`<p class="muted small" id="left-out">
              <bdi>${t.files.leftOut(store.leftOut.length, visible(store.leftOut[0] ?? ""))}</bdi>
            </p>`
          : nothing
      }
    </section>`;
  }
}
customElements.define("cs-sources", SourcesTable);

interface Guess {
  name: string;
  /** How it was read. */
  found: string[];
  list: Choice[] | undefined;
  /** What was chosen for the side or the run. */
  bySide: string | null | undefined;
  chosen: string | null | undefined;
  title?: string;
}
