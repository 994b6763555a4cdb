// The list of documents behind a filter: any length, one row high each, moved through by key.

import { css, html, LitElement, nothing, type PropertyValues } from "lit";
import { count, visible } from "../format.js";
import type { DocumentRow } from "../protocol.js";
import { t } from "../strings.js";
import { shared } from "../style.js";
import { property } from "./property.js";

const rowHeight = 28;
const spare = 8;
/** Characters at the end of an id that are always seen. */
const idEnd = 10;

export class DocumentList extends LitElement {
  static override properties = {
    documents: { attribute: false },
    chosen: { type: Number },
    top: { state: true },
    height: { state: true },
  };
  declare documents: DocumentRow[];
  /** Index of the open document in the list, or -1. */
  declare chosen: number;
  declare top: number;
  declare height: number;
  #size: ResizeObserver | undefined;

  constructor() {
    super();
    this.documents = [];
    this.chosen = -1;
    this.top = 0;
    this.height = 600;
  }

  static override styles = [
    shared,
    css`
      :host {
        height: 100%;
      }
      .list {
        height: 100%;
        overflow: auto;
        outline-offset: -2px;
      }
      .all {
        position: relative;
        height: calc(var(--rows) * 28px);
      }
      [role="option"] {
        position: absolute;
        inset-inline: 0;
        top: calc(var(--row) * 28px);
        height: 28px;
        display: flex;
        align-items: center;
        gap: var(--s2);
        padding: 0 var(--s3);
        cursor: pointer;
        border-inline-start: 3px solid transparent;
      }
      [role="option"]:hover {
        background: var(--panel);
      }
      [aria-selected="true"] {
        background: var(--accent-soft) !important;
        border-inline-start-color: var(--accent);
      }
      bdi {
        display: flex;
        min-width: 0;
        white-space: pre;
      }
      .start {
        overflow: hidden;
        text-overflow: ellipsis;
      }
      .n {
        margin-inline-start: auto;
        color: var(--muted);
        font-variant-numeric: tabular-nums;
      }
    `,
  ];

  protected override firstUpdated() {
    const list = this.renderRoot.querySelector(".list") as HTMLElement;
    this.#size = new ResizeObserver(() => {
      this.height = list.clientHeight;
    });
    this.#size.observe(list);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#size?.disconnect();
  }

  #choose(at: number) {
    const last = this.documents.length - 1;
    this.dispatchEvent(new CustomEvent("choose", { detail: Math.max(0, Math.min(last, at)) }));
  }

  #key(event: KeyboardEvent) {
    const page = Math.max(1, Math.floor(this.height / rowHeight) - 1);
    const to: Record<string, number> = {
      ArrowDown: this.chosen + 1,
      ArrowUp: this.chosen - 1,
      PageDown: this.chosen + page,
      PageUp: this.chosen - page,
      Home: 0,
      End: this.documents.length - 1,
    };
    const next = to[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.#choose(next);
  }

  override updated(changed: PropertyValues) {
    if (!changed.has("chosen") || this.chosen < 0) return;
    const list = this.renderRoot.querySelector(".list") as HTMLElement;
    const at = this.chosen * rowHeight;
    if (at < list.scrollTop) list.scrollTop = at;
    else if (at + rowHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = at + rowHeight - list.clientHeight;
    }
  }

  /** Ids of one corpus often begin alike: where there is no room, the middle goes. */
  #id(id: string) {
    const cut = id.length - [...id].slice(-idEnd).join("").length;
    return html`<span class="start">${id.slice(0, cut)}</span><span>${id.slice(cut)}</span>`;
  }

  override render() {
    const { documents } = this;
    const from = Math.max(0, Math.floor(this.top / rowHeight) - spare);
    const to = Math.min(documents.length, Math.ceil((this.top + this.height) / rowHeight) + spare);
    const isShown = this.chosen >= from && this.chosen < to;
    return html`<div
      class="list"
      role="listbox"
      tabindex="0"
      aria-label=${t.why.documents}
      aria-activedescendant=${isShown ? `row-${this.chosen}` : nothing}
      @keydown=${this.#key}
      @scroll=${(event: Event) => {
        this.top = (event.target as HTMLElement).scrollTop;
      }}
    >
      <div class="all" role="presentation" ${property("--rows", String(documents.length))}>
        ${documents.slice(from, to).map((one, index) => {
          const at = from + index;
          return html`<div
            role="option"
            id=${`row-${at}`}
            aria-selected=${at === this.chosen}
            aria-setsize=${documents.length}
            aria-posinset=${at + 1}
            title=${visible(one.id)}
            @click=${() => this.#choose(at)}
            ${property("--row", String(at))}
          >
            <bdi>${this.#id(visible(one.id))}</bdi><span class="n">${count(one.events)}</span>
          </div>`;
        })}
      </div>
    </div>`;
  }
}
customElements.define("cs-documents", DocumentList);
