// A table that sorts by its headers and copies itself.

import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { separated } from "../format.js";
import { t } from "../strings.js";
import { shared } from "../style.js";
import { copy } from "./element.js";

export interface Column<Row> {
  key: string;
  head: string;
  /** A longer name, told on hover. */
  title?: string;
  numeric?: boolean;
  /** The row's header cell. */
  rowHead?: boolean;
  /** What sorting and copying see; null sorts last and copies as nothing. */
  value(row: Row): string | number | null;
  /** What is seen; by default the value. */
  cell?(row: Row): TemplateResult | string | typeof nothing;
}

/** A longer table shows its first rows until the rest is asked for. */
const firstRows = 500;

interface Sort {
  key: string;
  down: boolean;
}

export class DataTable<Row = unknown> extends LitElement {
  static override properties = {
    columns: { attribute: false },
    rows: { attribute: false },
    foot: { attribute: false },
    caption: {},
    note: {},
    plain: { type: Boolean },
    sort: { state: true },
    whole: { state: true },
    said: { state: true },
  };
  declare columns: Column<Row>[];
  declare rows: Row[];
  /** Rows that stay below, whatever the order. */
  declare foot: Row[];
  declare caption: string;
  /** Words after the caption. */
  declare note: string;
  /** No sorting: the order of the rows is their meaning. */
  declare plain: boolean;
  declare sort: Sort | null;
  /** Whether a long table shows every row. */
  declare whole: boolean;
  declare said: string;

  constructor() {
    super();
    this.columns = [];
    this.rows = [];
    this.foot = [];
    this.caption = "";
    this.note = "";
    this.plain = false;
    this.sort = null;
    this.whole = false;
    this.said = "";
  }

  static override styles = [
    shared,
    css`
      :host {
        width: fit-content;
        min-width: min(100%, 400px);
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
        max-height: var(--table-height, none);
        border: 1px solid var(--line);
        border-radius: var(--round);
        background: var(--raised);
      }
      table {
        border-collapse: separate;
        border-spacing: 0;
        width: 100%;
        font-variant-numeric: tabular-nums;
      }
      th,
      td {
        padding: 3px var(--s3);
        text-align: start;
        border-bottom: 1px solid var(--line);
        white-space: nowrap;
        height: 28px;
      }
      tbody:last-child tr:last-child > * {
        border-bottom: 0;
      }
      thead th {
        position: sticky;
        top: 0;
        z-index: 1;
        background: var(--panel);
        font-weight: 600;
        font-size: var(--small);
        color: var(--muted);
      }
      thead button {
        min-height: 24px;
        padding: 0;
        border: 0;
        background: none;
        font-weight: 600;
        color: inherit;
      }
      thead button:hover {
        color: var(--text);
      }
      th[aria-sort] button {
        color: var(--text);
      }
      tbody th {
        font-weight: 500;
        max-width: 40ch;
        overflow: hidden;
        text-overflow: ellipsis;
      }
      .n {
        text-align: end;
      }
      .arrow {
        display: inline-block;
        width: 1em;
        text-align: center;
      }
      .n .arrow {
        width: 0;
        position: relative;
        inset-inline-start: 2px;
        font-size: 10px;
      }
      tbody tr:hover > * {
        background: var(--panel);
      }
      tbody.foot tr:first-child > * {
        border-top: 1px solid var(--line-strong);
      }
    `,
  ];

  #sortBy(key: string, numeric: boolean) {
    const { sort } = this;
    const first = numeric;
    if (sort?.key !== key) this.sort = { key, down: first };
    else if (sort.down === first) this.sort = { key, down: !first };
    else this.sort = null;
  }

  #sorted(): Row[] {
    const column = this.columns.find(({ key }) => key === this.sort?.key);
    if (!column || !this.sort) return this.rows;
    const sign = this.sort.down ? -1 : 1;
    return [...this.rows].sort((a, b) => {
      const [x, y] = [column.value(a), column.value(b)];
      if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
      if (typeof x === "number" && typeof y === "number") return sign * (x - y);
      return sign * String(x).localeCompare(String(y), undefined, { numeric: true });
    });
  }

  async #copy(separator: "," | "\t") {
    const heads = this.columns.map(({ head }) => head);
    const rows = [...this.#sorted(), ...this.foot].map((row) =>
      this.columns.map((column) => column.value(row) ?? ""),
    );
    this.said = (await copy(separated([heads, ...rows], separator)))
      ? t.table.copied
      : t.table.notCopied;
    setTimeout(() => {
      this.said = "";
    }, 3000);
  }

  #header(column: Column<Row>) {
    const state =
      this.sort?.key === column.key ? (this.sort.down ? "descending" : "ascending") : null;
    const arrow = state === "descending" ? "▼" : state === "ascending" ? "▲" : "";
    return html`<th
      scope="col"
      class=${column.numeric ? "n" : ""}
      aria-sort=${state ?? nothing}
      title=${column.title ?? nothing}
    >
      ${
        this.plain
          ? column.head
          : html`<button @click=${() => this.#sortBy(column.key, !!column.numeric)}>
              ${column.head}<span class="arrow" aria-hidden="true">${arrow}</span>
            </button>`
      }
    </th>`;
  }

  #row(row: Row) {
    return html`<tr>
      ${this.columns.map((column) => {
        const shown = column.cell ? column.cell(row) : (column.value(row) ?? "—");
        return column.rowHead
          ? html`<th scope="row">${shown}</th>`
          : html`<td class=${column.numeric ? "n" : ""}>${shown}</td>`;
      })}
    </tr>`;
  }

  override render() {
    const sorted = this.#sorted();
    const shown = this.whole ? sorted : sorted.slice(0, firstRows);
    return html`
      <div class="head">
        <h2 class="small-h" id="caption">${this.caption}</h2>
        ${this.note ? html`<span class="muted small">${this.note}</span>` : nothing}
        <span class="tools">
          <span role="status" class="muted">${this.said}</span>
          <button class="plain" @click=${() => this.#copy("\t")}>${t.table.copyTsv}</button>
          <button class="plain" @click=${() => this.#copy(",")}>${t.table.copyCsv}</button>
        </span>
      </div>
      <div class="scroll" tabindex="0" role="group" aria-labelledby="caption">
        <table aria-labelledby="caption">
          <thead>
            <tr>
              ${this.columns.map((column) => this.#header(column))}
            </tr>
          </thead>
          <tbody>
            ${shown.map((row) => this.#row(row))}
          </tbody>
          ${
            this.foot.length
              ? html`<tbody class="foot">
                  ${this.foot.map((row) => this.#row(row))}
                </tbody>`
              : nothing
          }
        </table>
      </div>
      ${
        shown.length < sorted.length
          ? html`<button
              class="plain"
              @click=${() => {
                this.whole = true;
              }}
            >
              ${t.table.showAll(sorted.length)}
            </button>`
          : nothing
      }
    `;
  }
}
customElements.define("cs-table", DataTable);
