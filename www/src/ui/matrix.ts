// Gold labels × predicted labels. Its counts lead to their events where there is a way to show them.

import { css, html, nothing } from "lit";
import { count, visible } from "../format.js";
import type { Outcome } from "../protocol.js";
import type { Confusion } from "../report.js";
import type { Filter } from "../store.js";
import { t } from "../strings.js";
import { Copyable } from "./copyable.js";
import { property } from "./property.js";

/** A larger matrix shows the labels with the most counts. */
const mostLabels = 60;
/** Beyond these a matrix takes the whole width, and its columns are narrow. */
export const fewLabels = 8;
const both: Outcome[] = ["exact", "other_label", "overlap", "overlap_other_label"];

export class Matrix extends Copyable {
  static override properties = {
    ...Copyable.properties,
    confusion: { attribute: false },
    open: { attribute: false },
    hint: {},
  };
  /** Without margins where nothing can be missed or spurious. */
  declare confusion: Pick<Confusion, "labels" | "cells"> & Partial<Confusion>;
  declare open: ((filter: Filter) => void) | undefined;
  declare hint: string;

  constructor() {
    super();
    this.hint = "";
  }

  static override styles = [
    Copyable.styles,
    css`
      .scroll {
        max-height: 70vh;
        width: fit-content;
        max-width: 100%;
      }
      th,
      td {
        padding: 0;
        border-inline-end: 1px solid var(--line);
        text-align: end;
        height: 30px;
        min-width: 56px;
      }
      th {
        background: var(--panel);
        font-weight: 500;
        font-size: var(--small);
        padding: 2px var(--s2);
        max-width: 16ch;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      tbody th {
        position: sticky;
        inset-inline-start: 0;
        text-align: start;
        z-index: 1;
        max-width: min(26ch, 36vw);
      }
      thead th:first-child {
        inset-inline-start: 0;
        z-index: 2;
        color: var(--muted);
        text-align: start;
        max-width: none;
      }
      td {
        background: color-mix(in srgb, var(--heat) var(--share, 0%), var(--raised));
        padding: 0 var(--s2);
      }
      td:has(button) {
        padding: 0;
      }
      td.wrong {
        background: color-mix(in srgb, var(--other) var(--share, 0%), var(--raised));
      }
      tr > :last-child {
        border-inline-end: 0;
      }
      tr:last-child > * {
        border-bottom: 0;
      }
      /* What is missed and spurious stays in sight. */
      .margin {
        border-inline-start: 1px solid var(--line-strong);
        position: sticky;
        inset-inline-end: 0;
        z-index: 1;
      }
      thead th.margin {
        z-index: 2;
      }
      tr.margin > * {
        border-top: 1px solid var(--line-strong);
        position: sticky;
        bottom: 0;
        z-index: 1;
      }
      tr.margin > :is(th, .margin) {
        z-index: 2;
      }
      /* Many labels: narrow columns under upright names. */
      .many td {
        min-width: 44px;
      }
      .many thead th.label {
        vertical-align: bottom;
        padding: var(--s2) 2px;
        height: auto;
      }
      .many thead th.label bdi {
        writing-mode: vertical-rl;
        transform: rotate(180deg);
        max-height: 26ch;
        overflow: hidden;
        text-overflow: ellipsis;
      }
      td button.count {
        width: 100%;
        height: 29px;
        margin: 0;
        padding: 0 var(--s2);
        text-align: end;
        color: var(--text);
        border-radius: 0;
      }
      td.none {
        color: var(--muted);
        padding-inline-end: calc(var(--s2) + 1px);
      }
      td.diagonal {
        font-weight: 600;
      }
      td.diagonal button {
        font-weight: inherit;
      }
    `,
  ];

  /** Counts by the indices of their labels. */
  #counts(): Map<string, number> {
    return new Map(this.confusion.cells.map(([gold, predicted, n]) => [`${gold} ${predicted}`, n]));
  }

  protected override cells() {
    const { labels, missed, spurious } = this.confusion;
    const counts = this.#counts();
    const rows = labels.map((gold, at) => [
      gold,
      ...labels.map((_, column) => counts.get(`${at} ${column}`) ?? 0),
      ...(missed ? [missed[at] ?? 0] : []),
    ]);
    const head = [t.score.goldDown, ...labels, ...(missed ? [t.outcome.missed] : [])];
    return [head, ...rows, ...(spurious ? [[t.outcome.spurious, ...spurious]] : [])];
  }

  /** The labels that are shown, as indices in their order. */
  #shown(): number[] {
    const { labels, cells, missed, spurious } = this.confusion;
    const all = labels.map((_, at) => at);
    if (all.length <= mostLabels) return all;
    const weight = labels.map((_, at) => (missed?.[at] ?? 0) + (spurious?.[at] ?? 0));
    for (const [gold, predicted, n] of cells) {
      weight[gold] = (weight[gold] ?? 0) + n;
      weight[predicted] = (weight[predicted] ?? 0) + n;
    }
    return all
      .sort((a, b) => (weight[b] ?? 0) - (weight[a] ?? 0))
      .slice(0, mostLabels)
      .sort((a, b) => a - b);
  }

  override render() {
    const { labels, missed, spurious } = this.confusion;
    const counts = this.#counts();
    const largest = [...counts.values(), ...(missed ?? []), ...(spurious ?? [])].reduce(
      (most, n) => Math.max(most, n),
      1,
    );
    const shown = this.#shown();
    const nameOf = (at: number) => visible(labels[at] ?? "");
    const cell = (n: number, filter: Filter, look: string, name: string) => {
      if (!n) return html`<td class="none ${look}">0</td>`;
      // Square root: a matrix with one large cell still shows its small ones.
      const share = `${Math.round(8 + 34 * Math.sqrt(n / largest))}%`;
      const { open } = this;
      return html`<td class=${look} title=${open ? nothing : name} ${property("--share", share)}>
        ${
          open
            ? html`<button
                class="count"
                aria-label=${`${name}: ${count(n)}`}
                title=${name}
                @click=${() => open(filter)}
              >
                ${count(n)}
              </button>`
            : count(n)
        }
      </td>`;
    };
    return this.framed(
      html`<span class="muted small">${this.hint}</span>
        ${
          shown.length < labels.length
            ? html`<span class="muted small">${t.score.matrixCut(shown.length, labels.length)}</span>`
            : nothing
        }`,
      html`<table class=${shown.length > fewLabels ? "many" : ""} aria-labelledby="caption">
        <thead>
          <tr>
            <th>${t.score.goldDown}</th>
            ${shown.map(
              (at) =>
                html`<th scope="col" class="label" title=${nameOf(at)}><bdi>${nameOf(at)}</bdi></th>`,
            )}
            ${missed ? html`<th scope="col" class="margin">${t.outcome.missed}</th>` : nothing}
          </tr>
        </thead>
        <tbody>
          ${shown.map(
            (gold) => html`<tr>
              <th scope="row" title=${nameOf(gold)}><bdi>${nameOf(gold)}</bdi></th>
              ${shown.map((predicted) =>
                cell(
                  counts.get(`${gold} ${predicted}`) ?? 0,
                  {
                    outcomes: both,
                    goldLabel: labels[gold],
                    predictedLabel: labels[predicted],
                  },
                  gold === predicted ? "diagonal" : "wrong",
                  `${nameOf(gold)} → ${nameOf(predicted)}`,
                ),
              )}
              ${
                missed
                  ? cell(
                      missed[gold] ?? 0,
                      { outcomes: ["missed"], goldLabel: labels[gold] },
                      "wrong margin",
                      `${nameOf(gold)} → ${t.outcome.missed}`,
                    )
                  : nothing
              }
            </tr>`,
          )}
          ${
            spurious
              ? html`<tr class="margin">
                  <th scope="row">${t.outcome.spurious}</th>
                  ${shown.map((predicted) =>
                    cell(
                      spurious[predicted] ?? 0,
                      { outcomes: ["spurious"], predictedLabel: labels[predicted] },
                      "wrong",
                      `${t.outcome.spurious} → ${nameOf(predicted)}`,
                    ),
                  )}
                  ${missed ? html`<td class="margin none"></td>` : nothing}
                </tr>`
              : nothing
          }
        </tbody>
      </table>`,
    );
  }
}
customElements.define("cs-matrix", Matrix);
