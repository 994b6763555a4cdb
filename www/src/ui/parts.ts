// Small pieces several views draw, and what a verdict means in outcomes.

import { html, type TemplateResult } from "lit";
import { count, type Digits } from "../format.js";
import type { Mode, Outcome, Verdict } from "../protocol.js";
import type { Report } from "../report.js";
import { type Filter, modes, outcomes, type Store } from "../store.js";
import { t } from "../strings.js";

/** The mode whose F1 is the headline number. */
export function headlineMode(report: Report): Mode {
  return modes.find((mode) => mode === report.definition.headline_mode) ?? "strict";
}

/** Which outcomes stand behind a count of a mode; the same for every definition with six outcomes. */
export function behind(mode: Mode, verdict: Verdict | "possible" | "actual"): Outcome[] {
  const label = mode === "strict" || mode === "ent_type";
  const bounds = mode === "strict" || mode === "exact";
  switch (verdict) {
    case "possible":
      return outcomes.filter((outcome) => outcome !== "spurious");
    case "actual":
      return outcomes.filter((outcome) => outcome !== "missed");
    case "missed":
    case "spurious":
      return [verdict];
    case "partial":
      return mode === "partial" ? ["overlap", "overlap_other_label"] : [];
    case "correct":
      return [
        "exact",
        ...(label ? [] : (["other_label"] as const)),
        ...(mode === "ent_type" ? (["overlap"] as const) : []),
      ];
    case "incorrect":
      return [
        ...(label ? (["other_label"] as const) : []),
        ...(bounds ? (["overlap"] as const) : []),
        ...(mode === "partial" ? [] : (["overlap_other_label"] as const)),
      ];
  }
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
