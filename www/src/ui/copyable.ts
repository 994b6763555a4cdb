// What the tables share: a caption, buttons that copy, and a frame that scrolls.

import { type CSSResultGroup, css, html, LitElement, type TemplateResult } from "lit";
import { separated } from "../format.js";
import { t } from "../strings.js";
import { shared } from "../style.js";
import { copy } from "./element.js";

export abstract class Copyable extends LitElement {
  static override properties = {
    caption: {},
    said: { state: true },
  };
  declare caption: string;
  declare said: string;

  constructor() {
    super();
    this.caption = "";
    this.said = "";
  }

  static override styles: CSSResultGroup = [
    shared,
    css`
      :host {
        width: fit-content;
        max-width: 100%;
      }
      .head {
        display: flex;
        flex-wrap: wrap;
        align-items: baseline;
        gap: 0 var(--s3);
        margin-bottom: var(--s1);
      }
      .tools {
        margin-inline-start: auto;
        font-size: var(--small);
      }
      .scroll {
        overflow: auto;
      }
      table {
        border-collapse: separate;
        border-spacing: 0;
        font-variant-numeric: tabular-nums;
      }
      th,
      td {
        border-bottom: 1px solid var(--line);
      }
      thead th {
        position: sticky;
        top: 0;
        z-index: 1;
        background: var(--panel);
        font-size: var(--small);
      }
    `,
  ];

  /** Every row as it is copied, the header first. */
  protected abstract cells(): (string | number)[][];

  async #copy(separator: "," | "\t") {
    const done = await copy(separated(this.cells(), separator));
    this.said = done ? t.table.copied : t.table.notCopied;
    setTimeout(() => {
      this.said = "";
    }, 3000);
  }

  /** The table in its frame, below the caption, the words after it and the buttons. */
  protected framed(words: unknown, table: TemplateResult): TemplateResult {
    return html`
      <div class="head">
        <h2 class="small-h" id="caption">${this.caption}</h2>
        ${words}
        <span class="tools">
          <span role="status" class="muted">${this.said}</span>
          <button class="plain" @click=${() => this.#copy("\t")}>${t.table.copyTsv}</button>
          <button class="plain" @click=${() => this.#copy(",")}>${t.table.copyCsv}</button>
        </span>
      </div>
      <div class="frame scroll" tabindex="0" role="group" aria-labelledby="caption">${table}</div>
    `;
  }
}
