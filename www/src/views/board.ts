// The leaderboard: systems × datasets or clinical types, for one metric at a time.

import { css, html, nothing, type TemplateResult } from "lit";
import { score as shown, visible } from "../format.js";
import { fromFiles } from "../intake.js";
import type { BoardMetric, BoardRow, BoardView } from "../report.js";
import { t } from "../strings.js";
import { shared } from "../style.js";
import { StoreElement } from "../ui/element.js";
import { boardChoices } from "../ui/parts.js";
import type { Column, Sort } from "../ui/table.js";
import "../ui/table.js";

interface Row {
  /** The system's name on screen. */
  name: string;
  row: BoardRow;
  metric: BoardMetric | undefined;
}

class Leaderboard extends StoreElement {
  static override styles = [
    shared,
    css`
      .problems li {
        border-inline-start: 4px solid var(--missed);
        padding-inline-start: var(--s3);
        overflow-wrap: anywhere;
      }
    `,
  ];

  /** A column of per cent; the highest is set apart in weight and by a sign. */
  #column(
    key: string,
    head: string,
    rows: Row[],
    of: (metric: BoardMetric) => number | null | undefined,
    go?: (row: Row, text: TemplateResult | string) => TemplateResult | string,
  ): Column<Row> {
    const value = ({ metric }: Row) => (metric && of(metric)) ?? null;
    const values = rows.map(value).filter((one) => one !== null);
    const most = values.length > 1 ? Math.max(...values) : null;
    return {
      key,
      head,
      numeric: true,
      value,
      cell: (row) => {
        const one = value(row);
        const text = shown({ value: one, defined: one !== null }, 2);
        const marked =
          most !== null && one === most
            ? html`<strong><span title=${t.compare.best}>▴</span> ${text}</strong>`
            : text;
        return one !== null && go ? go(row, marked) : marked;
      },
    };
  }

  /** A cell that was scored here leads to its score. */
  #link(dataset: string, { name }: Row, text: TemplateResult | string) {
    const { store } = this;
    const group = store.many ? dataset : "";
    const report = store.reports.get(group);
    const at = store.systemsOf(group).indexOf(name);
    if (report?.dataset?.name !== dataset || !report.systems[at]?.spans) return text;
    return html`<button
      class="count"
      title=${t.compare.showScore(visible(name), dataset)}
      @click=${() => {
        store.showDataset(group, name);
        store.show("score");
      }}
    >
      ${text}
    </button>`;
  }

  #table(board: BoardView) {
    const { store } = this;
    const { catalog, boardShown } = store;
    const at = catalog?.metrics.findIndex(({ name }) => name === boardShown.metric) ?? -1;
    const metric = Math.max(0, at);
    const rows: Row[] = board.systems.map((row) => ({
      name: store.shownSystem(row.system),
      row,
      metric: row.metrics[metric],
    }));
    // The results file spells datasets its own way.
    const nameOf = (key: string) =>
      catalog?.datasets.find(({ name }) => name.toLowerCase() === key.toLowerCase())?.name ?? key;
    const datasets = board.datasets.map((key, nth) => {
      const name = nameOf(key);
      return this.#column(
        key,
        name,
        rows,
        ({ datasets }) => datasets[nth],
        (row, text) => this.#link(name, row, text),
      );
    });
    const types = board.types.map((type, nth) =>
      this.#column(type, type, rows, ({ types }) => types[nth]),
    );
    const means = [
      this.#column(
        "mean_of_datasets",
        t.compare.meanOfDatasets,
        rows,
        (one) => one.mean_of_datasets,
      ),
      this.#column("mean_of_types", t.compare.meanOfTypes, rows, (one) => one.mean_of_types),
    ];
    const columns: Column<Row>[] = [
      {
        key: "system",
        head: t.compare.system,
        rowHead: true,
        value: ({ name }) => name,
        cell: ({ name }) => html`<bdi>${visible(name)}</bdi>`,
      },
      ...(boardShown.by === "types" ? [] : datasets),
      ...(boardShown.by === "datasets" ? [] : types),
      ...means,
      {
        key: "from",
        head: t.compare.from,
        value: ({ row }) => row.sources.map((one) => t.compare.fromWords[one] ?? one).join(", "),
      },
    ];
    const { name, title } = catalog?.metrics[metric] ?? { name: "", title: "" };
    return html`<cs-table
      id="board"
      .caption=${name}
      .note=${t.compare.boardNote(title)}
      .columns=${columns}
      .rows=${rows}
      .sort=${boardShown.sort}
      @sorted=${({ detail: sort }: CustomEvent<Sort | null>) =>
        store.set({ boardShown: { ...boardShown, sort } })}
    ></cs-table>`;
  }

  #add() {
    const picked = (event: Event) => {
      const input = event.target as HTMLInputElement;
      this.store.addResults(fromFiles(input.files ?? []));
      input.value = "";
    };
    return html`<input type="file" id="add-results" multiple accept=".json,application/json" hidden @change=${picked} />
      <button
        @click=${(event: Event) =>
          ((event.currentTarget as HTMLElement).previousElementSibling as HTMLElement).click()}
      >
        ${t.compare.addResults}
      </button>`;
  }

  override render() {
    const { board } = this.store;
    if (!board) {
      return html`<div class="row">
        ${this.#add()} <span class="muted small">${t.compare.addResultsHint}</span>
      </div>`;
    }
    return html`<section class="stack" aria-labelledby="leaderboard">
      <div class="row">
        <h2 id="leaderboard">${t.compare.leaderboard}</h2>
        <span class="push row">${this.#add()}</span>
      </div>
      ${boardChoices(this.store)} ${board.systems.length ? this.#table(board) : nothing}
      ${
        board.problems.length
          ? html`<ul class="problems stack" aria-label=${t.files.problems}>
              ${board.problems.map(
                ({ file, found, expected }) => html`<li>
                  <bdi>${visible(this.store.shownFile(file))}</bdi>: <bdi>${visible(found)}</bdi>.
                  ${expected ? html`<span class="muted">${t.expected}: ${expected}.</span>` : nothing}
                </li>`,
              )}
            </ul>`
          : nothing
      }
    </section>`;
  }
}
customElements.define("cs-board", Leaderboard);
