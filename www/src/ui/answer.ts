// What a language model answered, beside the note: every marked or listed item with what became of it. An item and
// its spans in the note point at each other.

import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from "lit";
import { visible } from "../format.js";
import type { OpenDocument } from "../protocol.js";
import { t } from "../strings.js";
import { shared } from "../style.js";

type Answer = OpenDocument["answers"][number];
type Piece = Answer["pieces"][number];

/** Characters of an answer that are shown. */
const mostText = 60_000;

export class AnswerText extends LitElement {
  static override properties = {
    answers: { attribute: false },
    shown: { attribute: false },
  };
  declare answers: Answer[];
  /** Predicted spans that are pointed at elsewhere. */
  declare shown: number[];

  constructor() {
    super();
    this.answers = [];
    this.shown = [];
  }

  static override styles = [
    shared,
    css`
      .text {
        white-space: pre-wrap;
        overflow-wrap: anywhere;
        line-height: 1.7;
        tab-size: 4;
        unicode-bidi: plaintext;
      }
      .answer + .answer {
        border-top: 1px solid var(--line);
        margin-top: var(--s3);
        padding-top: var(--s2);
      }
      .head {
        display: flex;
        flex-wrap: wrap;
        gap: 0 var(--s3);
        font-size: var(--small);
        color: var(--muted);
      }
      .failed {
        color: var(--danger);
      }
      .piece {
        border-bottom: 2px solid;
        cursor: pointer;
        color: var(--text);
        border-color: var(--exact);
      }
      .piece.hallucinated {
        border-color: transparent;
        text-decoration: underline wavy 2px var(--other);
        text-decoration-skip-ink: none;
        text-underline-offset: 3px;
      }
      .piece.inside {
        border-bottom-style: dotted;
        border-color: var(--overlap);
      }
      .piece.unmapped {
        border-bottom-style: dashed;
        border-color: var(--missed);
      }
      .piece.unsearched {
        border-bottom-style: double;
        border-bottom-width: 3px;
        border-color: var(--line-strong);
      }
      .piece.shown {
        background: var(--pick);
      }
      .legend {
        display: flex;
        flex-wrap: wrap;
        gap: var(--s1) var(--s3);
        font-size: var(--small);
        padding: 0;
        margin: 0 0 var(--s2);
        list-style: none;
      }
      .legend .piece {
        cursor: auto;
      }
    `,
  ];

  /** What is pointed at: the spans that an item became. */
  #point(spans: number[], pick: boolean) {
    const detail = { spans, pick };
    this.dispatchEvent(new CustomEvent("point", { detail }));
  }

  #title(piece: Piece) {
    return `${visible(piece.label)}: ${t.why.fates[piece.fate] ?? piece.fate}`;
  }

  /** A stretch of the answer that lies in these items, the innermost last. */
  #stretch(text: string, over: Piece[]): TemplateResult | string {
    const inner = over.at(-1);
    if (!inner) return text;
    const shown = inner.spans.some((span) => this.shown.includes(span));
    const pick = () => this.#point(inner.spans, true);
    return html`<span
      class="piece ${inner.fate} ${shown ? "shown" : ""}"
      role="button"
      tabindex="0"
      title=${over.map((piece) => this.#title(piece)).join("\n")}
      @mouseenter=${() => this.#point(inner.spans, false)}
      @mouseleave=${() => this.#point([], false)}
      @focus=${() => this.#point(inner.spans, false)}
      @blur=${() => this.#point([], false)}
      @click=${pick}
      @keydown=${(event: KeyboardEvent) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        pick();
      }}
      >${text}<span class="unseen"> (${this.#title(inner)})</span></span
    >`;
  }

  #text(answer: Answer): TemplateResult {
    const whole = answer.text ?? "";
    const text = whole.slice(0, mostText);
    const pieces = answer.pieces
      .flatMap((piece) =>
        piece.range ? [{ piece, from: piece.range[0], to: piece.range[1] }] : [],
      )
      .filter(({ from }) => from < text.length)
      .sort((a, b) => a.from - b.from || b.to - a.to);
    const cuts = new Set([0, text.length]);
    for (const { from, to } of pieces) {
      cuts.add(from);
      cuts.add(Math.min(to, text.length));
    }
    const at = [...cuts].sort((a, b) => a - b);
    let open: typeof pieces = [];
    let next = 0;
    const stretches = at.slice(0, -1).map((start, index) => {
      open = open.filter(({ to }) => to > start);
      for (let one = pieces[next]; one && one.from <= start; one = pieces[++next]) open.push(one);
      const over = open.map(({ piece }) => piece);
      return this.#stretch(text.slice(start, at[index + 1]), over);
    });
    return html`<div class="text" dir="auto">${stretches}</div>
      ${
        text.length < whole.length
          ? html`<p class="muted small">${t.why.answerCut(text.length, whole.length)}</p>`
          : nothing
      }`;
  }

  override shouldUpdate(changed: PropertyValues): boolean {
    // Pointing at nothing twice draws nothing.
    const before = changed.get("shown") as number[] | undefined;
    return changed.has("answers") || !before || before.length > 0 || this.shown.length > 0;
  }

  override render() {
    const fates = new Map<string, number>();
    for (const { fate } of this.answers.flatMap(({ pieces }) => pieces)) {
      fates.set(fate, (fates.get(fate) ?? 0) + 1);
    }
    const words = t.why.fates;
    return html`
      ${
        fates.size
          ? html`<ul class="legend" aria-label=${t.why.items}>
              ${Object.keys(words).map((fate) =>
                fates.has(fate)
                  ? html`<li><span class="piece ${fate}">${t.why.fateCount(fates.get(fate) ?? 0, fate)}</span></li>`
                  : nothing,
              )}
            </ul>`
          : nothing
      }
      ${this.answers.map(
        (answer) => html`<div class="answer">
          <p class="head">
            ${answer.asked === null ? nothing : html`<span>${t.why.asked(visible(answer.asked))}</span>`}
            ${answer.failed ? html`<span class="failed">✗ ${t.why.answerFailed}</span>` : nothing}
            ${answer.pieces.length || answer.failed ? nothing : html`<span>${t.why.noItems}</span>`}
          </p>
          ${answer.text === null ? html`<p class="muted">${t.why.noAnswer}</p>` : this.#text(answer)}
        </div>`,
      )}
    `;
  }
}
customElements.define("cs-answer", AnswerText);
