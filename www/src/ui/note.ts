// A note's text with gold above and prediction below each line. The text is cut at every boundary;
// each piece carries one line per span that covers it, in that span's lane.

import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from "lit";
import { count, visible } from "../format.js";
import type { OpenDocument, Outcome } from "../protocol.js";
import { t } from "../strings.js";
import { shared } from "../style.js";
import { property } from "./property.js";

type SideName = "gold" | "predicted";

interface Drawn {
  side: SideName;
  label: string;
  from: number;
  to: number;
  /** Whether this is the span's first fragment, which carries its label. */
  first: boolean;
  lane: number;
  /** Room for the label, in characters. */
  room: number;
  look: Outcome | "unscored";
  events: number[];
  /** Index among its side's spans. */
  span: number;
}

/** Longer texts are shown around the chosen event only. */
const longText = 60_000;
const around = 15_000;
const mostLanes = 9;

/** Groups of spans, sorted by start, that overlap or touch one another. */
function* touching<T extends { from: number; to: number }>(spans: T[]): Generator<T[]> {
  let group: T[] = [];
  let end = -1;
  for (const span of spans) {
    if (group.length && span.from > end) {
      yield group;
      group = [];
    }
    group.push(span);
    end = Math.max(end, span.to);
  }
  if (group.length) yield group;
}

export class NoteText extends LitElement {
  static override properties = {
    doc: { attribute: false },
    picked: { type: Number },
    names: { type: Boolean },
    shown: { attribute: false },
  };
  declare doc: OpenDocument;
  /** Predicted spans that are pointed at elsewhere. */
  declare shown: number[];
  /** Index of the chosen event, or -1. */
  declare picked: number;
  declare names: boolean;

  /** What is drawn: the part of the text, and which pieces belong to an event. */
  #from = 0;
  #to = 0;
  #count = 0;
  #pieces = new Map<number, number[]>();

  constructor() {
    super();
    this.picked = -1;
    this.names = true;
    this.shown = [];
  }

  static override styles = [
    shared,
    css`
      .text {
        --lane: 5px;
        font-size: var(--large);
        line-height: calc(24px + (var(--gold) + var(--predicted)) * var(--lane));
        white-space: pre-wrap;
        overflow-wrap: anywhere;
        padding: 0 var(--s1);
        max-width: 100ch;
        tab-size: 4;
        unicode-bidi: plaintext;
      }
      .text.names {
        --lane: 18px;
      }
      .line {
        border: 0 solid;
        border-color: currentColor;
        cursor: pointer;
      }
      .words {
        color: var(--text);
      }
      .gold {
        border-top-width: 3px;
        padding-top: calc(1px + var(--n) * var(--lane));
      }
      .predicted {
        border-bottom-width: 3px;
        padding-bottom: calc(1px + var(--n) * var(--lane));
      }
      .n0 {
        --n: 0;
      }
      .n1 {
        --n: 1;
      }
      .n2 {
        --n: 2;
      }
      .n3 {
        --n: 3;
      }
      .n4 {
        --n: 4;
      }
      .n5 {
        --n: 5;
      }
      .n6 {
        --n: 6;
      }
      .n7 {
        --n: 7;
      }
      .n8 {
        --n: 8;
      }
      .line.exact {
        border-style: solid;
      }
      .line.other_label {
        border-style: double;
      }
      .line.overlap,
      .line.overlap_other_label {
        border-style: dashed;
      }
      .line.missed {
        border-style: dotted;
      }
      .line.spurious {
        border-color: transparent;
        text-decoration: underline wavy 2px;
        text-decoration-skip-ink: none;
        text-underline-offset: calc(4px + var(--n) * var(--lane));
      }
      .unscored {
        color: var(--line-strong);
      }
      .line.unscored {
        border-style: solid;
        border-width: 0;
      }
      .line.gold.unscored {
        border-top-width: 1px;
      }
      .line.predicted.unscored {
        border-bottom-width: 1px;
      }
      .picked {
        background: var(--pick);
      }
      .shown {
        outline: 2px solid var(--accent);
      }
      .anchor {
        position: relative;
      }
      .tag {
        position: absolute;
        inset-inline-start: 0;
        font: var(--small) / 14px system-ui, sans-serif;
        white-space: nowrap;
        overflow: hidden;
        text-overflow: ellipsis;
        max-width: calc(max(3, var(--room)) * 7px);
        pointer-events: none;
        user-select: none;
        unicode-bidi: isolate;
      }
      /* Not in the text: what is selected and copied is the note's own. */
      .tag::before {
        content: attr(data-label);
      }
      .tag.gold {
        padding: 0;
        border: 0;
        bottom: calc(100% + 4px + var(--n) * var(--lane));
      }
      .tag.predicted {
        padding: 0;
        border: 0;
        top: calc(100% + 4px + var(--n) * var(--lane));
      }
      .tag.spurious {
        top: calc(100% + 6px + var(--n) * var(--lane));
      }
      .caret {
        display: inline-block;
        width: 2px;
        height: 1em;
        vertical-align: -2px;
        background: currentColor;
      }
    `,
  ];

  /** Every fragment with its lane; one lane never holds two spans that touch. */
  #drawn(): { drawn: Drawn[]; lanes: Record<SideName, number> } {
    const { doc } = this;
    const all: Drawn[] = [];
    const lanes = { gold: 0, predicted: 0 };
    for (const side of ["gold", "predicted"] as const) {
      const events = new Map<number, number[]>();
      doc.events.forEach((event, at) => {
        const span = event[side];
        if (span !== null) events.set(span, [...(events.get(span) ?? []), at]);
      });
      const spans = doc[side]
        .map((span, at) => ({ span, at }))
        .filter(({ span }) => span.ranges.length)
        .map(({ span, at }) => ({
          span,
          at,
          its: events.get(at) ?? [],
          from: Math.min(...span.ranges.map(([from]) => from)),
          to: Math.max(...span.ranges.map(([, to]) => to)),
        }))
        .sort((a, b) => a.from - b.from || a.to - b.to);
      const ordered: Drawn[] = [];
      for (const group of touching(spans)) {
        // The shorter of two nested spans lies nearer to the text.
        group.sort((a, b) => a.to - a.from - (b.to - b.from) || a.from - b.from);
        const taken: { from: number; to: number }[][] = [];
        for (const one of group) {
          const meets = (other: { from: number; to: number }) =>
            other.from <= one.to && one.from <= other.to;
          let lane = taken.findIndex((its) => !its.some(meets));
          if (lane < 0) lane = Math.min(taken.length, mostLanes - 1);
          taken[lane] = [...(taken[lane] ?? []), one];
          const look = doc.events[one.its[0] ?? -1]?.outcome ?? "unscored";
          one.span.ranges.forEach(([from, to], fragment) => {
            ordered.push({
              side,
              label: one.span.scored_as ?? one.span.label,
              from,
              to,
              first: fragment === 0,
              lane,
              room: 40,
              look,
              events: one.its,
              span: one.at,
            });
          });
        }
        lanes[side] = Math.max(lanes[side], taken.length);
      }
      ordered.sort((a, b) => a.from - b.from);
      const before: Drawn[] = [];
      for (const one of ordered) {
        const last = before[one.lane];
        const between = last ? (doc.text ?? "").slice(last.from, one.from) : "";
        // After a line's end there is room again.
        if (last && between.length < last.room && !between.includes("\n")) {
          last.room = Math.max(0, between.length - 1);
        }
        before[one.lane] = one;
      }
      all.push(...ordered);
    }
    return { drawn: all, lanes };
  }

  /** The part of a long text that is shown. */
  #window(text: string): [number, number] {
    if (text.length <= longText) return [0, text.length];
    const event = this.doc.events[this.picked];
    const span =
      event &&
      (event.gold !== null
        ? this.doc.gold[event.gold]
        : event.predicted !== null
          ? this.doc.predicted[event.predicted]
          : undefined);
    const at = span?.ranges[0]?.[0] ?? 0;
    const from = Math.max(0, at - around);
    return [from, Math.min(text.length, from + 2 * around)];
  }

  #piece(text: string, from: number, over: Drawn[]): TemplateResult | string {
    if (!over.length) return text;
    const starting = over.filter((one) => one.first && one.from === from);
    let inner: TemplateResult | string = text;
    if (text === "") inner = html`<span class="caret"></span>`;
    if (this.names && starting.length) {
      // The label hangs on the first word, which does not break across lines.
      const word = /^\s*\S*/.exec(text)?.[0] ?? text;
      inner = html`<span class="anchor">${word || inner}${starting.map(
        (one) =>
          html`<span
            class="tag ${one.side} n${one.lane} ${one.look}"
            aria-hidden="true"
            data-label=${visible(one.label)}
            ${property("--room", String(one.room))}
          ></span>`,
      )}</span>${text.slice(word.length)}`;
    }
    let piece = html`<span class="words">${inner}</span>`;
    for (const one of over) {
      piece = html`<span class="line ${one.side} n${one.lane} ${one.look}">${piece}</span>`;
    }
    const events = [...new Set(over.flatMap((one) => one.events))];
    for (const event of events) {
      this.#pieces.set(event, [...(this.#pieces.get(event) ?? []), this.#count]);
    }
    this.#count += 1;
    const title = over.map((one) => `${t.why[one.side]}: ${visible(one.label)}`).join("\n");
    const predicted = over.filter(({ side }) => side === "predicted").map(({ span }) => span);
    return html`<span
      data-events=${events.join(" ")}
      data-predicted=${predicted.join(" ")}
      title=${title}
      >${piece}</span
    >`;
  }

  /** Says which predicted spans the mouse is over. */
  #over(event: Event) {
    const target = event.composedPath()[0] as Element;
    const spans = target.closest?.("[data-predicted]")?.getAttribute("data-predicted");
    const detail = { spans: spans ? spans.split(" ").map(Number) : [], pick: false };
    this.dispatchEvent(new CustomEvent("point", { detail }));
  }

  #click(event: Event) {
    const target = event.composedPath()[0] as Element;
    const events = target.closest("[data-events]")?.getAttribute("data-events");
    if (!events) return;
    const all = events.split(" ").map(Number);
    // A second click on nested spans goes on to the next one.
    const next = all[(all.indexOf(this.picked) + 1) % all.length];
    this.dispatchEvent(new CustomEvent("pick", { detail: next }));
  }

  /** The text is drawn anew for another document or part of it; the choice only moves a class. */
  protected override shouldUpdate(changed: PropertyValues): boolean {
    const moved = [...changed.keys()].every((key) => key === "picked" || key === "shown");
    if (!moved || this.doc.text === null) return true;
    if (changed.has("shown")) this.#show();
    if (!changed.has("picked")) return false;
    const [from, to] = this.#window(this.doc.text ?? "");
    if (from !== this.#from || to !== this.#to) return true;
    this.#mark();
    return false;
  }

  override updated() {
    this.#mark();
    this.#show();
  }

  #show() {
    for (const one of this.renderRoot.querySelectorAll(".shown")) one.classList.remove("shown");
    for (const span of this.shown) {
      for (const one of this.renderRoot.querySelectorAll(`[data-predicted~="${span}"]`)) {
        one.querySelector(".words")?.classList.add("shown");
      }
    }
  }

  #mark() {
    for (const one of this.renderRoot.querySelectorAll(".picked")) one.classList.remove("picked");
    const its = this.#pieces.get(this.picked) ?? [];
    const pieces = this.renderRoot.querySelectorAll("[data-events]");
    for (const at of its) pieces[at]?.querySelector(".words")?.classList.add("picked");
    pieces[its[0] ?? -1]?.scrollIntoView({ block: "nearest" });
  }

  override render() {
    const { text } = this.doc;
    if (text === null) return nothing;
    const { drawn, lanes } = this.#drawn();
    const [from, to] = this.#window(text);
    this.#from = from;
    this.#to = to;
    this.#pieces.clear();
    this.#count = 0;
    const inside = drawn.filter((one) => one.to >= from && one.from <= to);
    const cuts = new Set([from, to]);
    for (const one of inside) {
      cuts.add(Math.max(from, one.from));
      cuts.add(Math.min(to, one.to));
    }
    const at = [...cuts].sort((a, b) => a - b);
    const pieces: (TemplateResult | string)[] = [];
    // Spans that are open, so that each piece looks only at its own.
    const opening = [...inside].sort((a, b) => a.from - b.from);
    let open: Drawn[] = [];
    let next = 0;
    at.forEach((start, index) => {
      const end = at[index + 1] ?? start;
      open = open.filter((one) => one.to > start);
      const points: Drawn[] = [];
      for (let one = opening[next]; one && one.from <= start; one = opening[++next]) {
        if (one.to === one.from) points.push(one);
        else if (one.to > start) open.push(one);
      }
      if (points.length) pieces.push(this.#piece("", start, points));
      if (end > start) pieces.push(this.#piece(text.slice(start, end), start, open));
    });
    return html`
      ${
        to - from < text.length
          ? html`<p class="muted small">${t.why.part(from, to, text.length)}</p>`
          : nothing
      }
      <div
        class="text ${this.names ? "names" : ""}"
        dir="auto"
        @click=${this.#click}
        @mouseover=${this.#over}
        @mouseleave=${this.#over}
        ${property("--gold", String(lanes.gold))}
        ${property("--predicted", String(lanes.predicted))}
      >${pieces}</div>
    `;
  }
}
customElements.define("cs-note", NoteText);

/** `[3–9]`, as in the file. */
export function offsets(span: { start: number; end: number }): string {
  return `${count(span.start)}–${count(span.end)}`;
}
