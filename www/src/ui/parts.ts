// Small pieces several views draw, and which outcomes a count is made of.

import { html, nothing, type TemplateResult } from "lit";
import { live } from "lit/directives/live.js";
import { count, type Digits, visible } from "../format.js";
import type { Mode, Outcome, Verdict } from "../protocol.js";
import type { Choice, Report, System } from "../report.js";
import { type BoardShown, type Filter, modes, outcomes, type Store } from "../store.js";
import { t } from "../strings.js";
import type { Column } from "./table.js";

/** The mode whose F1 is the headline number. */
export function headlineMode(report: Report): Mode {
  return modes.find((mode) => mode === report.definition.headline_mode) ?? "strict";
}

/** The headline F1 of a system: of its spans, or of documents' labels where there are no spans. */
export function headlineF1(report: Report, { spans, classes }: System) {
  return spans ? spans.overall[headlineMode(report)].f1 : classes?.overall.f1;
}

/** What the headline F1 is called. */
export function headlineName(report: Report): string {
  const spans = report.systems.some((system) => system.spans);
  return spans || !report.systems.some((system) => system.classes)
    ? report.definition.headline
    : t.score.classesHeadline;
}

/** Which outcomes stand behind a count of a mode, as the report's definition counts them. */
export function behind(
  report: Report,
  mode: Mode,
  verdict: Verdict | "possible" | "actual",
): Outcome[] {
  if (verdict === "possible") return outcomes.filter((outcome) => outcome !== "spurious");
  if (verdict === "actual") return outcomes.filter((outcome) => outcome !== "missed");
  const table = report.modes.find((one) => one.mode === mode);
  return outcomes.filter((outcome) => table?.[outcome] === verdict);
}

/** A count that opens the events behind it. */
export function link(
  store: Store,
  n: number,
  filter: Filter,
  system = store.system,
): TemplateResult | string {
  if (!n) return "0";
  return html`<button
    class="count"
    title=${t.score.showEvents(n)}
    @click=${() => store.explain(filter, system)}
  >
    ${count(n)}
  </button>`;
}

/** An outcome with its line and its name. */
export function outcomeMark(outcome: Outcome): TemplateResult {
  const mark =
    outcome === "spurious"
      ? html`<svg class="mark spurious" viewBox="0 0 18 6" aria-hidden="true">
          <path d="M0 3q2.25-4 4.5 0t4.5 0 4.5 0 4.5 0" />
        </svg>`
      : html`<span class="mark ${outcome}" aria-hidden="true"></span>`;
  return html`${mark} <span>${t.outcome[outcome]}</span>`;
}

/** Choice of one among a few, as a row of radio buttons. */
export function choice<T extends string | number>(
  name: string,
  legend: string,
  values: readonly (readonly [T, string])[],
  now: T,
  choose: (value: T) => void,
): TemplateResult {
  return html`<fieldset class="choice">
    <legend>${legend}</legend>
    ${values.map(
      ([value, text]) => html`<label>
        <input
          type="radio"
          name=${name}
          .checked=${value === now}
          @change=${() => choose(value)}
        /><span>${text}</span></label
      >`,
    )}
  </fieldset>`;
}

/** How many digits are shown. */
export function digitsChoice(store: Store): TemplateResult {
  const values: [Digits, string][] = [
    [2, "2"],
    [4, "4"],
    ["all", t.score.all],
  ];
  return choice("digits", t.score.digits, values, store.digits, (digits) => store.set({ digits }));
}

/** By which mode labels are shown; the headline's until one is chosen. */
export function labelMode(store: Store, report: Report): Mode {
  return store.mode ?? headlineMode(report);
}

/** The choice of that mode. */
export function modeChoice(store: Store, report: Report): TemplateResult {
  const values = modes.map((mode) => [mode, t.score.modes[mode]] as const);
  return choice("mode", t.score.mode, values, labelMode(store, report), (mode) =>
    store.set({ mode }),
  );
}

/** A table's first column: labels. */
export function labelColumn<Row>(of: (row: Row) => string): Column<Row> {
  return {
    key: "label",
    head: t.score.label,
    rowHead: true,
    value: of,
    cell: (row) => html`<bdi>${visible(of(row))}</bdi>`,
  };
}

/** A choice from a list. */
export function select(
  values: readonly (readonly [string, string])[],
  now: string,
  choose: (value: string) => void,
  { id, label, title, kind }: { id?: string; label?: string; title?: string; kind?: string } = {},
): TemplateResult {
  return html`<select
    id=${id ?? nothing}
    class=${kind ?? nothing}
    aria-label=${label ?? nothing}
    title=${title || nothing}
    @change=${(event: Event) => choose((event.target as HTMLSelectElement).value)}
  >
    ${values.map(
      ([value, text]) =>
        // What a person chose and what a run file says must both show.
        html`<option value=${value} .selected=${live(value === now)}>${text}</option>`,
    )}
  </select>`;
}

/** A list of the catalog as values of a choice. */
export function titles(list: Choice[] = []): [string, string][] {
  return list.map(({ name, title }) => [name, title]);
}

/** What a value of a list is called. */
export function titleOf(list: Choice[] | undefined, name: string): string {
  return list?.find((one) => one.name === name)?.title ?? name;
}

/** A switch of the run. */
export function tick(
  words: unknown,
  on: boolean,
  change: (on: boolean) => void,
  id?: string,
): TemplateResult {
  return html`<label class="tick">
    <input
      type="checkbox"
      id=${id ?? nothing}
      .checked=${live(on)}
      @change=${(event: Event) => change((event.target as HTMLInputElement).checked)}
    />
    <span>${words}</span>
  </label>`;
}

/** Which of several datasets is shown. */
export function datasetChoice(store: Store): TemplateResult | typeof nothing {
  if (!store.many) return nothing;
  return html`<label class="row datasets">
    <span class="muted small">${t.datasetShown}</span>
    ${select(
      store.datasets.map((name) => [name, name] as const),
      store.dataset,
      (name) => store.showDataset(name),
      { kind: "dataset" },
    )}
  </label>`;
}

/** Why there is no score to show. */
export function nothingShown({ many, dataset, failures }: Store): string {
  if (!many) return t.score.nothing;
  return failures.get(dataset)?.message ?? t.score.nothingOfDataset(dataset);
}

/** What of the leaderboard is shown. */
export function boardChoices(store: Store): TemplateResult {
  const { catalog, boardShown } = store;
  const bys = Object.entries(t.compare.bys) as [BoardShown["by"], string][];
  return html`<div class="row">
    <label class="row">
      <span class="muted small">${t.compare.metric}</span>
      ${select(
        titles(catalog?.metrics),
        boardShown.metric || (catalog?.metrics[0]?.name ?? ""),
        (metric) => store.set({ boardShown: { ...boardShown, metric } }),
        { kind: "metric" },
      )}
    </label>
    ${choice("by", t.compare.by, bys, boardShown.by, (by) =>
      store.set({ boardShown: { ...boardShown, by } }),
    )}
  </div>`;
}
