// Why: filters, the documents behind them, and the note with gold above and prediction below.

import { css, html, nothing, type PropertyValues } from "lit";
import { Failed } from "../client.js";
import { count, visible } from "../format.js";
import type {
  DocumentRow,
  EventView,
  OpenDocument,
  Outcome,
  SpanView,
  Verdict,
} from "../protocol.js";
import { errors, type Filter, modes, outcomes } from "../store.js";
import { t } from "../strings.js";
import { shared } from "../style.js";
import { StoreElement } from "../ui/element.js";
import { offsets } from "../ui/note.js";
import { outcomeMark } from "../ui/parts.js";
import "../ui/answer.js";
import "../ui/documents.js";
import "../ui/note.js";

type Order = "file" | "id" | "events";

const signs: Record<Verdict, string> = {
  correct: "✓",
  incorrect: "✗",
  partial: "½",
  missed: "−",
  spurious: "+",
};

/** More rows than this are shown around the chosen one. */
const shownEvents = 200;

/** Events as they come in the text; the core gives them as they were found. */
function inTextOrder(doc: OpenDocument): OpenDocument {
  const start = ({ gold, predicted }: EventView) =>
    Math.min(
      doc.gold[gold ?? -1]?.start ?? Number.POSITIVE_INFINITY,
      doc.predicted[predicted ?? -1]?.start ?? Number.POSITIVE_INFINITY,
    );
  return { ...doc, events: [...doc.events].sort((a, b) => start(a) - start(b)) };
}

class WhyView extends StoreElement {
  static override properties = {
    ...StoreElement.properties,
    embedded: { type: Boolean },
    found: { state: true },
    order: { state: true },
    doc: { state: true },
    chosen: { state: true },
    picked: { state: true },
    names: { state: true },
    keys: { state: true },
    every: { state: true },
    shown: { state: true },
    trouble: { state: true },
  };
  declare embedded: boolean;
  declare found: { events: number; documents: DocumentRow[] } | null;
  declare order: Order;
  declare doc: OpenDocument | null;
  /** The open document's number in the corpus. */
  declare chosen: number;
  declare picked: number;
  declare names: boolean;
  declare keys: boolean;
  /** Whether the table shows events that do not meet the filters, too. */
  declare every: boolean;
  /** Predicted spans that the mouse or the focus points at, in the note or in the answer. */
  declare shown: number[];
  declare trouble: string;

  #typing: ReturnType<typeof setTimeout> | undefined;
  #asked = "";
  #opened = "";
  #sorted: DocumentRow[] = [];

  constructor() {
    super();
    this.embedded = false;
    this.found = null;
    this.order = "file";
    this.doc = null;
    this.chosen = -1;
    this.picked = -1;
    this.names = true;
    this.keys = true;
    this.every = false;
    this.shown = [];
    this.trouble = "";
  }

  static override styles = [
    shared,
    css`
      .panes {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: var(--s3);
      }
      .pane {
        min-width: 0;
      }
      .list {
        height: 220px;
        display: grid;
        grid-template-rows: auto minmax(0, 1fr);
      }
      .listhead {
        display: flex;
        flex-wrap: wrap;
        gap: 0 var(--s2);
        align-items: center;
        padding: var(--s1) var(--s3);
        border-bottom: 1px solid var(--line);
        background: var(--panel);
        font-size: var(--small);
      }
      .listhead select {
        min-height: 24px;
        padding: 0 var(--s1);
      }
      .note {
        display: grid;
        grid-template-rows: auto minmax(0, auto) auto;
      }
      .bar {
        display: flex;
        flex-wrap: wrap;
        gap: var(--s1) var(--s3);
        align-items: center;
        padding: var(--s1) var(--s3);
        border-bottom: 1px solid var(--line);
        background: var(--panel);
      }
      .bar h2 {
        min-width: 0;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
        max-width: 100%;
      }
      .steps {
        display: flex;
        align-items: center;
        gap: var(--s1);
        font-size: var(--small);
      }
      .steps button {
        min-height: 26px;
        white-space: nowrap;
      }
      .body {
        padding: var(--s2) var(--s3) var(--s4);
        overflow: auto;
      }
      .texts {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        min-height: 0;
      }
      .texts .answer {
        border-top: 1px solid var(--line);
      }
      .filters {
        align-content: start;
      }
      .filters select,
      .filters input[type="search"] {
        width: 100%;
      }
      .filters label.field {
        display: grid;
        gap: 2px;
        font-size: var(--small);
        color: var(--muted);
      }
      .filters label.field > * {
        font-size: var(--body);
        color: var(--text);
      }
      .outcomes {
        border: 0;
        margin: 0;
        padding: 0;
        min-width: 0;
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(100%, 190px), 1fr));
      }
      .outcomes legend {
        padding: 0;
        font-size: var(--small);
        color: var(--muted);
      }
      .outcomes .n {
        margin-inline-start: auto;
        font-variant-numeric: tabular-nums;
        color: var(--muted);
      }
      .events {
        border-top: 1px solid var(--line);
        overflow: auto;
        max-height: 340px;
      }
      table {
        border-collapse: separate;
        border-spacing: 0;
        min-width: 100%;
        font-variant-numeric: tabular-nums;
      }
      th,
      td {
        text-align: start;
        padding: 3px var(--s2);
        border-bottom: 1px solid var(--line);
        white-space: nowrap;
        height: 28px;
      }
      thead th {
        position: sticky;
        top: 0;
        background: var(--panel);
        font-size: var(--small);
        color: var(--muted);
        z-index: 1;
      }
      tbody tr {
        cursor: pointer;
      }
      tbody tr:hover > * {
        background: var(--panel);
      }
      tbody tr[aria-current="true"] > * {
        background: var(--pick);
      }
      tbody tr.faint td {
        color: var(--muted);
      }
      td button.go {
        min-height: 22px;
        padding: 0 var(--s1);
        border-color: transparent;
        background: none;
        display: inline-flex;
        gap: var(--s2);
        align-items: center;
      }
      td bdi {
        display: inline-block;
        max-width: 26ch;
        overflow: hidden;
        text-overflow: ellipsis;
        vertical-align: bottom;
      }
      td bdi.words {
        max-width: 40ch;
      }
      .every {
        padding: var(--s1) var(--s3);
        position: sticky;
        inset-inline-start: 0;
        width: fit-content;
      }
      td .v {
        font-size: var(--small);
      }
      .correct-v {
        color: var(--exact);
      }
      .nothing {
        padding: var(--s4) var(--s3);
      }
      .legend {
        display: inline-flex;
        gap: var(--s3);
        font-size: var(--small);
        color: var(--muted);
      }
      @media (max-width: 759px) {
        .filters {
          grid-template-columns: repeat(2, minmax(0, 1fr));
        }
        .filters > :is(fieldset, .row) {
          grid-column: 1 / -1;
        }
      }
      @media (min-width: 760px) {
        .panes {
          grid-template-columns: 240px minmax(0, 1fr);
          grid-template-rows: auto auto;
        }
        .filters {
          grid-row: 1;
        }
        .list {
          grid-column: 1;
          height: 320px;
        }
        .note {
          grid-column: 2;
          grid-row: 1 / span 2;
          align-self: start;
        }
      }
      @media (min-width: 1180px) {
        .panes {
          grid-template-columns: 216px 220px minmax(0, 1fr);
          grid-template-rows: minmax(0, 1fr);
          height: max(480px, calc(100dvh - 80px));
        }
        .filters {
          overflow: auto;
        }
        .list,
        .note {
          grid-column: auto;
          grid-row: 1;
          height: auto;
          min-height: 0;
          align-self: stretch;
        }
        .note {
          grid-template-rows: auto minmax(80px, 1fr) minmax(0, auto);
        }
        .events {
          max-height: 42vh;
        }
        .texts.two {
          grid-template-columns: minmax(0, 3fr) minmax(0, 2fr);
          grid-template-rows: minmax(0, 1fr);
        }
        .texts .answer {
          border-top: 0;
          border-inline-start: 1px solid var(--line);
        }
      }
    `,
  ];

  override connectedCallback() {
    super.connectedCallback();
    window.addEventListener("keydown", this.#key);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    window.removeEventListener("keydown", this.#key);
  }

  // Asking

  protected override willUpdate(_: PropertyValues) {
    const { store } = this;
    if (!store.report) {
      this.#asked = "";
      return;
    }
    const key = JSON.stringify([store.run, store.system, store.filter]);
    if (key !== this.#asked) {
      this.#asked = key;
      this.#ask(key);
    }
  }

  async #ask(key: string) {
    const { store } = this;
    const { filter } = store;
    const failure = store.report?.systems[store.system]?.failure;
    if (failure) {
      this.found = { events: 0, documents: [] };
      this.#sort();
      await this.#open(-1, "first");
      this.trouble = failure.message;
      return;
    }
    try {
      const found = await store.client.explain({
        ...filter,
        search: filter.search || undefined,
        system: store.system,
        offset: 0,
        limit: 0xffffffff,
      } as Parameters<typeof store.client.explain>[0]);
      if (key !== this.#asked) return;
      this.trouble = "";
      this.found = found;
      this.#sort();
      const still = this.#sorted.some(({ document }) => document === this.chosen);
      await this.#open(still ? this.chosen : (this.#sorted[0]?.document ?? -1), "first");
    } catch (error) {
      this.#fail(error);
    }
  }

  async #open(document: number, pick: "first" | "last") {
    this.chosen = document;
    if (document < 0) {
      this.doc = null;
      this.#opened = "";
      return;
    }
    const { store } = this;
    const key = `${store.run} ${store.system} ${document}`;
    try {
      if (key !== this.#opened || !this.doc) {
        const doc = await store.client.open(store.system, document);
        if (document !== this.chosen) return;
        this.doc = inTextOrder(doc);
        this.shown = [];
        this.#opened = key;
      }
      const matching = this.#matching();
      this.picked = (pick === "first" ? matching[0] : matching.at(-1)) ?? -1;
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown) {
    const failure = error instanceof Failed ? error.failure : null;
    if (failure?.code === "cancelled" || failure?.code === "superseded") return;
    this.trouble = failure?.code === "died" ? t.died : (failure?.message ?? String(error));
    if (failure?.code === "died") this.store.lost(failure);
  }

  #sort() {
    const documents = [...(this.found?.documents ?? [])];
    if (this.order === "id") {
      documents.sort((a, b) => a.id.localeCompare(b.id, undefined, { numeric: true }));
    } else if (this.order === "events") documents.sort((a, b) => b.events - a.events);
    this.#sorted = documents;
  }

  /** Events of the open document that meet the filter. */
  #matching(): number[] {
    const { doc } = this;
    const { filter } = this.store;
    if (!doc) return [];
    const label = (span: SpanView | undefined) => span?.scored_as ?? null;
    return doc.events.flatMap((event, at) => {
      const gold = label(doc.gold[event.gold ?? -1]);
      const predicted = label(doc.predicted[event.predicted ?? -1]);
      const fits =
        filter.outcomes.includes(event.outcome) &&
        (filter.charged === undefined || event.charged === filter.charged) &&
        (filter.goldLabel === undefined || gold === filter.goldLabel) &&
        (filter.predictedLabel === undefined || predicted === filter.predictedLabel);
      return fits ? [at] : [];
    });
  }

  // Moving

  #step(by: 1 | -1) {
    const matching = this.#matching();
    const at = matching.indexOf(this.picked);
    const next = at < 0 ? matching[0] : matching[at + by];
    if (next !== undefined) this.picked = next;
    else this.#stepDocument(by, by > 0 ? "first" : "last");
  }

  #stepDocument(by: 1 | -1, pick: "first" | "last" = "first") {
    const at = this.#sorted.findIndex(({ document }) => document === this.chosen);
    const next = this.#sorted[at + by];
    if (next) this.#open(next.document, pick);
  }

  #key = (event: KeyboardEvent) => {
    if (!this.active || !this.keys || event.ctrlKey || event.metaKey || event.altKey) return;
    const path = event.composedPath();
    if (this.embedded && !path.includes(this)) return;
    const from = path[0] as HTMLElement;
    if (from.matches?.("input:not([type=checkbox], [type=radio]), select, textarea")) return;
    const moves: Record<string, () => void> = {
      n: () => this.#step(1),
      p: () => this.#step(-1),
      j: () => this.#stepDocument(1),
      k: () => this.#stepDocument(-1),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  };

  /** Shows spans in the note and the answer; picks the first one's event. */
  #point = (event: CustomEvent<{ spans: number[]; pick: boolean }>) => {
    const { spans, pick } = event.detail;
    if (spans.length || this.shown.length) this.shown = spans;
    const at = this.doc?.events.findIndex(
      ({ predicted }) => predicted !== null && spans.includes(predicted),
    );
    if (pick && at !== undefined && at >= 0) this.picked = at;
  };

  // Drawing

  #set(change: Partial<Filter>) {
    this.store.set({ filter: { ...this.store.filter, ...change } });
  }

  /** Looks once the typing pauses. */
  #search(text: string) {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#set({ search: text || undefined }), 120);
  }

  #labelField(name: string, key: "charged" | "goldLabel" | "predictedLabel") {
    const labels = this.store.report?.labels ?? [];
    const now = this.store.filter[key];
    return html`<label class="field">
      ${name}
      <select
        id=${key}
        @change=${(event: Event) => {
          const at = (event.target as HTMLSelectElement).selectedIndex;
          this.#set({ [key]: at > 0 ? labels[at - 1] : undefined });
        }}
      >
        <option ?selected=${now === undefined}>${t.why.anyLabel}</option>
        ${labels.map(
          (label) => html`<option ?selected=${label === now}>${visible(label)}</option>`,
        )}
      </select>
    </label>`;
  }

  #filters() {
    const { store } = this;
    const { filter, report } = store;
    const counts = report?.systems[store.system]?.spans?.outcomes;
    const toggle = (outcome: Outcome, on: boolean) =>
      this.#set({
        outcomes: outcomes.filter((one) => (one === outcome ? on : filter.outcomes.includes(one))),
      });
    return html`<section class="pane stack filters" aria-label=${t.why.filters}>
      ${
        (report?.systems.length ?? 0) > 1
          ? html`<label class="field">
              ${t.why.system}
              <select
                id="system"
                @change=${(event: Event) =>
                  store.set({ system: (event.target as HTMLSelectElement).selectedIndex })}
              >
                ${store.systemNames.map(
                  (name, at) =>
                    html`<option ?selected=${at === store.system}>${visible(name)}</option>`,
                )}
              </select>
            </label>`
          : nothing
      }
      <fieldset class="outcomes">
        <legend>${t.why.outcomes}</legend>
        ${outcomes.map(
          (outcome) => html`<label class="tick" title=${t.outcomeWords[outcome]}>
            <input
              type="checkbox"
              .checked=${filter.outcomes.includes(outcome)}
              @change=${(event: Event) => toggle(outcome, (event.target as HTMLInputElement).checked)}
            />
            ${outcomeMark(outcome)}
            <span class="n">${count(counts?.[outcome] ?? 0)}</span>
          </label>`,
        )}
      </fieldset>
      <div class="row">
        <button class="plain" @click=${() => this.#set({ outcomes: errors })}>${t.why.onlyErrors}</button>
        <button class="plain" @click=${() => this.#set({ outcomes })}>${t.why.everything}</button>
        <button class="plain push" id="clear" @click=${() => store.set({ filter: { outcomes: errors } })}>
          ${t.why.clear}
        </button>
      </div>
      ${this.#labelField(t.why.charged, "charged")}
      ${this.#labelField(t.why.goldIs, "goldLabel")}
      ${this.#labelField(t.why.predictedIs, "predictedLabel")}
      <label class="field">
        ${t.why.search}
        <input
          type="search"
          id="search"
          autocomplete="off"
          spellcheck="false"
          .value=${filter.search ?? ""}
          @input=${(event: Event) => this.#search((event.target as HTMLInputElement).value)}
        />
      </label>
    </section>`;
  }

  #list() {
    const orders: [Order, string][] = [
      ["file", t.why.byOrder],
      ["id", t.why.byId],
      ["events", t.why.byEvents],
    ];
    return html`<section class="pane frame list" aria-label=${t.why.documents}>
      <div class="listhead">
        <span role="status" id="found">
          ${this.found ? t.why.found(this.found.events, this.found.documents.length) : t.why.loading}
        </span>
        <label class="push">
          <span class="unseen">${t.why.sort}</span>
          <select
            id="order"
            @change=${(event: Event) => {
              this.order = (event.target as HTMLSelectElement).value as Order;
              this.#sort();
            }}
          >
            ${orders.map(
              ([value, text]) =>
                html`<option value=${value} ?selected=${value === this.order}>${text}</option>`,
            )}
          </select>
        </label>
      </div>
      <cs-documents
        .documents=${this.#sorted}
        .chosen=${this.#sorted.findIndex(({ document }) => document === this.chosen)}
        @choose=${(event: CustomEvent<number>) => {
          const row = this.#sorted[event.detail];
          if (row) this.#open(row.document, "first");
        }}
      ></cs-documents>
    </section>`;
  }

  #span(span: SpanView | undefined) {
    if (!span) return html`<span class="muted">—</span>`;
    return html`<bdi title=${visible(span.label)}>${visible(span.scored_as ?? span.label)}</bdi>
      <span class="muted small">${offsets(span)}</span>`;
  }

  #words(doc: OpenDocument, event: EventView) {
    if (doc.text === null) return "";
    const span = doc.gold[event.gold ?? -1] ?? doc.predicted[event.predicted ?? -1];
    if (!span) return "";
    if (!span.ranges.length) return html`<span class="muted">${t.why.outside}</span>`;
    const words = span.ranges
      .map(([from, to]) => (doc.text as string).slice(from, Math.min(to, from + 200)))
      .join(" … ");
    return html`<bdi class="words">${visible(words)}</bdi>`;
  }

  #events(doc: OpenDocument, matching: Set<number>) {
    const all = doc.events.map((_, at) => at);
    // One that was picked in the text is shown whatever the filters say.
    const rows = this.every ? all : all.filter((at) => matching.has(at) || at === this.picked);
    const middle = Math.max(0, rows.indexOf(this.picked) - shownEvents / 2);
    const from = rows.length > shownEvents ? middle : 0;
    const verdict = (one: Verdict) =>
      html`<span class=${one === "correct" ? "v correct-v" : "v"}
        ><span aria-hidden="true">${signs[one]}</span> ${t.verdict[one]}</span
      >`;
    return html`<div class="events" tabindex="0" role="group" aria-label=${t.why.events}>
      <table id="events">
        <thead>
          <tr>
            <th scope="col">${t.why.outcome}</th>
            <th scope="col">${t.why.gold}</th>
            <th scope="col">${t.why.predicted}</th>
            ${modes.map((mode) => html`<th scope="col" title=${t.score.modeWords[mode]}>${t.score.modes[mode]}</th>`)}
            <th scope="col" title=${t.why.charged}>${t.why.chargedShort}</th>
            ${doc.text === null ? nothing : html`<th scope="col">${t.why.words}</th>`}
          </tr>
        </thead>
        <tbody>
          ${rows.slice(from, from + shownEvents).map((at) => {
            const event = doc.events[at] as EventView;
            return html`<tr
              class=${matching.has(at) ? "" : "faint"}
              aria-current=${at === this.picked ? "true" : nothing}
              @click=${() => {
                this.picked = at;
              }}
            >
              <td><button class="go">${outcomeMark(event.outcome)}</button></td>
              <td>${this.#span(doc.gold[event.gold ?? -1])}</td>
              <td>${this.#span(doc.predicted[event.predicted ?? -1])}</td>
              ${modes.map((mode) => html`<td>${verdict(event[mode])}</td>`)}
              <td><bdi>${visible(event.charged)}</bdi></td>
              ${doc.text === null ? nothing : html`<td>${this.#words(doc, event)}</td>`}
            </tr>`;
          })}
        </tbody>
      </table>
      <label class="tick small every">
        <input
          type="checkbox"
          id="every"
          .checked=${this.every}
          @change=${(event: Event) => {
            this.every = (event.target as HTMLInputElement).checked;
          }}
        />
        ${t.why.allEvents(doc.events.length - matching.size)}
      </label>
    </div>`;
  }

  #note() {
    const { doc } = this;
    if (this.trouble) {
      return html`<section class="pane frame note"><p class="nothing" role="alert">${this.trouble}</p></section>`;
    }
    if (!doc) {
      return html`<section class="pane frame note">
        <p class="nothing muted">${this.found?.documents.length === 0 ? t.why.none : t.why.choose}</p>
      </section>`;
    }
    const matching = this.#matching();
    const set = new Set(matching);
    const unscored =
      doc.gold.filter((span) => span.scored_as === null).length +
      doc.predicted.filter((span) => span.scored_as === null).length;
    const step = (text: string, key: string, sign: string, go: () => void) =>
      html`<button @click=${go} title=${text} data-key=${key}>
        <span aria-hidden="true">${sign}</span><span class="unseen">${text}</span> <kbd>${key}</kbd>
      </button>`;
    return html`<section class="pane frame note" aria-label=${t.why.note}>
      <div class="bar">
        <h2><bdi id="id">${visible(doc.id)}</bdi></h2>
        <span class="steps">
          <span class="muted">${t.why.byId}</span>
          ${step(t.why.previousDocument, "k", "↑", () => this.#stepDocument(-1))}
          ${step(t.why.nextDocument, "j", "↓", () => this.#stepDocument(1))}
        </span>
        <span class="steps">
          <span class="muted">${t.why.event}</span>
          ${step(t.why.previousEvent, "p", "←", () => this.#step(-1))}
          ${step(t.why.nextEvent, "n", "→", () => this.#step(1))}
          <span class="muted" id="nth"
            >${
              matching.length
                ? t.why.nth(Math.max(0, matching.indexOf(this.picked)) + 1, matching.length)
                : ""
            }</span
          >
        </span>
        <span class="row push small">
          <label class="tick" title=${t.why.keysHint}>
            <input
              type="checkbox"
              .checked=${this.keys}
              @change=${(event: Event) => {
                this.keys = (event.target as HTMLInputElement).checked;
              }}
            />
            ${t.why.keys}
          </label>
          <label class="tick">
            <input
              type="checkbox"
              .checked=${this.names}
              @change=${(event: Event) => {
                this.names = (event.target as HTMLInputElement).checked;
              }}
            />
            ${t.why.names}
          </label>
        </span>
      </div>
      <div class="texts ${doc.answers.length ? "two" : ""}">
        <div class="body stack" tabindex="0" role="group" aria-label=${t.why.note}>
          <span class="legend">
            <span>▔ ${t.why.goldLine}</span><span>▁ ${t.why.predictedLine}</span>
            ${unscored ? html`<span>${t.why.unscoredSpans(unscored)}</span>` : nothing}
          </span>
          ${doc.text === null ? html`<p class="muted">${t.why.noText}</p>` : nothing}
          ${doc.text_from === "prediction" ? html`<p class="muted small">${t.why.textFromPrediction}</p>` : nothing}
          <cs-note
            .doc=${doc}
            .picked=${this.picked}
            .names=${this.names}
            .shown=${this.shown}
            @point=${this.#point}
            @pick=${(event: CustomEvent<number>) => {
              this.picked = event.detail;
            }}
          ></cs-note>
        </div>
        ${
          doc.answers.length
            ? html`<div class="body answer" tabindex="0" role="group" aria-label=${t.why.answer}>
                <h3>${t.why.answer}</h3>
                <cs-answer
                  .answers=${doc.answers}
                  .shown=${this.shown}
                  @point=${this.#point}
                ></cs-answer>
              </div>`
            : nothing
        }
      </div>
      ${this.#events(doc, set)}
    </section>`;
  }

  override updated(changed: PropertyValues) {
    if (changed.has("picked") || changed.has("doc")) {
      this.renderRoot
        .querySelector("tr[aria-current=true]")
        ?.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    for (const select of this.renderRoot.querySelectorAll<HTMLSelectElement>(".filters select")) {
      const labels = this.store.report?.labels ?? [];
      select.selectedIndex =
        select.id === "system"
          ? this.store.system
          : labels.indexOf(this.store.filter[select.id as "charged"] ?? "\0none") + 1;
    }
  }

  override render() {
    if (!this.store.report) return html`<p class="muted nothing">${t.score.nothing}</p>`;
    return html`<div class="panes">${this.#filters()} ${this.#list()} ${this.#note()}</div>`;
  }
}
customElements.define("cs-why", WhyView);
