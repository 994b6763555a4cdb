// Compare: every system in one table, and F1 per label beside each other.

import { css, html, nothing } from "lit";
import { count, score as shown, visible } from "../format.js";
import type { Mode } from "../protocol.js";
import type { Report, System, Value } from "../report.js";
import { modes } from "../store.js";
import { t } from "../strings.js";
import { shared } from "../style.js";
import { StoreElement } from "../ui/element.js";
import {
  datasetChoice,
  digitsChoice,
  headlineMode,
  labelColumn,
  labelMode,
  modeChoice,
  nothingShown,
} from "../ui/parts.js";
import type { Column } from "../ui/table.js";
import "../ui/table.js";
import "./board.js";

interface Row {
  at: number;
  name: string;
  system: System;
}

class CompareView extends StoreElement {
  static override styles = [
    shared,
    css`
      .page {
        display: grid;
        gap: var(--s5);
        grid-template-columns: minmax(0, 1fr);
      }
    `,
  ];

  /** A column of values; the highest is set apart in weight and by a sign. */
  #value<R>(
    key: string,
    head: string,
    title: string,
    rows: R[],
    of: (row: R) => Value | null | undefined,
    mark: boolean,
  ): Column<R> {
    const values = rows.map((row) => of(row)?.value ?? null).filter((value) => value !== null);
    const most = mark && values.length > 1 ? Math.max(...values) : null;
    return {
      key,
      head,
      title,
      numeric: true,
      value: (row) => of(row)?.value ?? null,
      cell: (row) => {
        const value = of(row);
        const text = shown(value, this.store.digits);
        return most !== null && value?.value === most
          ? html`<strong><span title=${t.compare.best}>▴</span> ${text}</strong>`
          : html`<span title=${value?.reason ?? nothing}>${text}</span>`;
      },
    };
  }

  #number(key: string, head: string, of: (row: Row) => number): Column<Row> {
    return { key, head, numeric: true, value: of, cell: (row) => count(of(row)) };
  }

  #systems(rows: Row[], headline: Mode, note: string) {
    const of = (mode: Mode, key: "precision" | "recall" | "f1") => (row: Row) =>
      row.system.spans?.overall[mode][key];
    const columns: Column<Row>[] = [
      {
        key: "system",
        head: t.compare.system,
        rowHead: true,
        value: ({ name }) => name,
        cell: ({ name, at }) => html`<button
          class="plain"
          @click=${() => {
            this.store.set({ system: at });
            this.store.show("score");
          }}
        >
          <bdi>${visible(name)}</bdi>
        </button>`,
      },
      ...modes.map((mode) =>
        this.#value(
          mode,
          `${t.score.modes[mode]} F1`,
          t.score.modeWords[mode],
          rows,
          of(mode, "f1"),
          true,
        ),
      ),
      this.#value(
        "p",
        `${t.score.modes[headline]} P`,
        t.score.precision,
        rows,
        of(headline, "precision"),
        true,
      ),
      this.#value(
        "r",
        `${t.score.modes[headline]} R`,
        t.score.recall,
        rows,
        of(headline, "recall"),
        true,
      ),
      this.#value(
        "micro",
        t.compare.tokenMicro,
        t.score.micro,
        rows,
        (row) => row.system.tokens?.micro.f1,
        true,
      ),
      this.#value(
        "macro",
        t.compare.tokenMacro,
        t.score.macro,
        rows,
        (row) => row.system.tokens?.macro.f1,
        true,
      ),
      this.#number("documents", t.compare.documents, ({ system }) => system.pairing.both),
      this.#number("missing", t.compare.missing, ({ system }) => system.pairing.gold_only.length),
      this.#number("spans", t.compare.spans, ({ system }) => system.side.spans),
    ];
    return html`<cs-table
      id="systems"
      .caption=${t.compare.heading}
      .note=${note}
      .columns=${columns}
      .rows=${rows}
    ></cs-table>`;
  }

  #labels(report: Report, rows: Row[]) {
    const mode = labelMode(this.store, report);
    // Each system has gold's labels and its own.
    const found = rows.map(
      ({ system }) => new Map(system.spans?.per_label.map((one) => [one.label, one])),
    );
    const columns: Column<string>[] = [
      labelColumn((label) => label),
      {
        key: "support",
        head: t.score.support,
        numeric: true,
        value: (label) => found.find((labels) => labels.has(label))?.get(label)?.support ?? null,
      },
      ...rows.map(({ name, at }) =>
        this.#value<string>(
          `system-${at}`,
          visible(name),
          visible(name),
          report.labels,
          (label) => found[at]?.get(label)?.modes[mode].f1,
          false,
        ),
      ),
    ];
    return html`<cs-table
      id="label-matrix"
      .caption=${t.compare.perLabel}
      .note=${t.score.modeWords[mode]}
      .columns=${columns}
      .rows=${report.labels}
    ></cs-table>`;
  }

  override render() {
    const { report, systemNames, many, dataset } = this.store;
    const board = html`<cs-board .store=${this.store}></cs-board>`;
    if (!report) {
      const why = many || !this.store.board ? nothingShown(this.store) : "";
      return html`<div class="page">${board}${datasetChoice(this.store)}${why ? html`<p class="muted">${why}</p>` : nothing}</div>`;
    }
    const rows = report.systems.map((system, at) => ({
      at,
      name: systemNames[at] ?? system.name,
      system,
    }));
    return html`<div class="page">
      ${board}
      <div class="row">
        ${datasetChoice(this.store)}
        ${rows.length < 2 ? html`<p class="muted">${t.compare.one}</p>` : nothing}
        <span class="push">${digitsChoice(this.store)}</span>
      </div>
      ${this.#systems(rows, headlineMode(report), many ? dataset : "")}
      ${rows.map(({ name, system }) =>
        system.failure
          ? html`<p><bdi>${visible(name)}</bdi>: ${system.failure.message}</p>`
          : nothing,
      )}
      <div class="stack">
        ${modeChoice(this.store, report)} ${this.#labels(report, rows)}
      </div>
    </div>`;
  }
}
customElements.define("cs-compare", CompareView);
