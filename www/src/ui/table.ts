// A table that sorts by its headers and copies itself.

import { css, html, nothing, type TemplateResult } from "lit";
import { t } from "../strings.js";
import { Copyable } from "./copyable.js";

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

export interface Sort {
  key: string;
  down: boolean;
}

export class DataTable<Row = unknown> extends Copyable {
  static override properties = {
    ...Copyable.properties,
    columns: { attribute: false },
    rows: { attribute: false },
    foot: { attribute: false },
    note: {},
    plain: { type: Boolean },
    sort: { state: true },
    whole: { state: true },
  };
  declare columns: Column<Row>[];
  declare rows: Row[];
  /** Rows that stay below, whatever the order. */
  declare foot: Row[];
  /** Words after the caption. */
  declare note: string;
  /** No sorting: the order of the rows is their meaning. */
  declare plain: boolean;
  declare sort: Sort | null;
  /** Whether a long table shows every row. */
  declare whole: boolean;

  constructor() {
    super();
    this.columns = [];
    this.rows = [];
    this.foot = [];
    this.note = "";
    this.plain = false;
    this.sort = null;
    this.whole = false;
  }

  static override styles = [
    Copyable.styles,
    css`
      :host {
        min-width: min(100%, 400px);
      }
      table {
        width: 100%;
      }
      th,
      td {
        padding: 3px var(--s3);
        text-align: start;
        white-space: nowrap;
        height: 28px;
      }
      tbody:last-child tr:last-child > * {
        border-bottom: 0;
      }
      thead th {
        font-weight: 600;
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
    this.dispatchEvent(new CustomEvent<Sort | null>("sorted", { detail: this.sort }));
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

  protected override cells() {
    const heads = this.columns.map(({ head }) => head);
    const rows = [...this.#sorted(), ...this.foot].map((row) =>
      this.columns.map((column) => column.value(row) ?? ""),
    );
    return [heads, ...rows];
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
      ${this.framed(
        this.note ? html`<span class="muted small">${this.note}</span>` : nothing,
        html`<table aria-labelledby="caption">
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
        </table>`,
      )}
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
