// What the command line says on stderr. Never note text: what the core hands over holds none.

/**
 * The parts of a report that are told.
 * @typedef {{input?: number | null, entry?: string | null, line?: number | null, document?: string | null, found?: string}} ProblemItem
 * @typedef {{title: string, count: number, items: ProblemItem[]}} ProblemGroup
 * @typedef {{message: string}} Note
 * @typedef {{name: string, side: {problems: ProblemGroup[]}, notes?: Note[], failure?: {message: string} | null}} System
 * @typedef {{gold: {problems: ProblemGroup[]} | null, systems: System[]}} Report
 */

const shown = 3;

/** Why nothing was scored: what, where, what to do. */
export function describeFailure(/** @type {import("./index.js").Failure} */ { message, hint }) {
  return `error: ${message}\n${hint ? `  ${hint}\n` : ""}`;
}

/** Which systems could not be scored, and why. @returns {string} empty when all are */
export function unscored(/** @type {Report} */ { systems }) {
  return systems
    .flatMap(({ name, failure }) => (failure ? [`${name}: ${failure.message}`] : []))
    .join("\n");
}

/**
 * What was skipped or repaired on each side, and what moved the scores; empty when there is nothing.
 * @param {Report} report
 * @param {string[]} paths of the inputs, in the report's order
 */
export function describeReport(report, paths) {
  const gold = (report.gold?.problems ?? []).map((group) => describeGroup(group, paths));
  const systems = report.systems.map(({ name, side, notes = [] }) => [
    name,
    [
      ...side.problems.map((group) => describeGroup(group, paths)),
      ...notes.map(({ message }) => `  note: ${message}\n`),
    ],
  ]);
  return [["gold", gold], ...systems]
    .filter(([, lines]) => lines.length > 0)
    .map(([name, lines]) => `${name}:\n${/** @type {string[]} */ (lines).join("")}`)
    .join("");
}

/** A kind of problem: how many, and where the first ones are. */
function describeGroup(
  /** @type {ProblemGroup} */ { title, count, items },
  /** @type {string[]} */ paths,
) {
  const places = items.slice(0, shown).map((item) => `    ${describeItem(item, paths)}\n`);
  const rest = count - places.length;
  return `  ${count} × ${title}\n${places.join("")}${rest > 0 ? `    and ${rest} more\n` : ""}`;
}

function describeItem(/** @type {ProblemItem} */ item, /** @type {string[]} */ paths) {
  const path = typeof item.input === "number" ? paths[item.input] : undefined;
  const place = [
    path,
    item.entry !== path && item.entry,
    item.line && `line ${item.line}`,
    item.document && `document ${item.document}`,
  ].filter(Boolean);
  return [place.join(", "), item.found && `found ${item.found}`].filter(Boolean).join(": ");
}
