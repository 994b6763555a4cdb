// What the command line says on stderr. Never note text: what the core hands over holds none.

/**
 * The parts of a report that are told.
 * @typedef {{input?: number | null, entry?: string | null, line?: number | null, document?: string | null, found?: string, expected?: string}} ProblemItem
 * @typedef {{kind?: string, title: string, count: number, items: ProblemItem[]}} ProblemGroup
 * @typedef {{message: string}} Note
 * @typedef {{name: string, side: {problems: ProblemGroup[]}, notes?: Note[], failure?: {message: string} | null}} System
 * @typedef {{gold: {problems: ProblemGroup[]} | null, systems: System[]}} Report
 */

const shown = 3;

/** Labels, ids and file names can hold what would steer a terminal or begin a line. */
export function escaped(/** @type {string} */ text) {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to show.
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (c) => `\\u{${c.charCodeAt(0).toString(16)}}`,
  );
}

/** Why nothing, or not everything, was scored: what, where, what to do. One system a line. */
export function describeFailure(
  /** @type {import("./index.js").Failure} */ { message, found, expected, hint },
) {
  // Most messages tell these two themselves.
  const apart = (/** @type {string | null | undefined} */ text) => text && !message.includes(text);
  return [
    ...message.split("\n").map((line) => `error: ${line}`),
    apart(found) && `  found ${found}`,
    apart(expected) && `  expected ${expected}`,
    hint && `  ${hint}`,
  ]
    .flatMap((line) => (line ? [`${escaped(line)}\n`] : []))
    .join("");
}

/** Which systems could not be scored, and why. @returns {string} empty when all are */
export function unscored(/** @type {{systems: Pick<System, "name" | "failure">[]}} */ { systems }) {
  return systems
    .flatMap(({ name, failure }) =>
      failure ? [`${escaped(name)}: ${escaped(failure.message)}`] : [],
    )
    .join("\n");
}

/** What could not be read of results files. */
export function describeBoard(
  /** @type {Pick<import("./index.js").BoardView, "problems">} */ { problems },
) {
  return problems
    .map(({ file, found, expected }) => `${file}: found ${found}; expected ${expected}`)
    .map((line) => `${escaped(line)}\n`)
    .join("");
}

/**
 * What was skipped or repaired on each side, and what moved the scores; empty when there is nothing.
 * @param {Report} report
 * @param {string[]} paths of the inputs, in the report's order
 * @param {string} [dataset] whose report it is, where there are several
 */
export function describeReport(report, paths, dataset) {
  const groups = (/** @type {ProblemGroup[]} */ problems) =>
    problems.flatMap((group) => describeGroup(group, paths));
  const sides = [
    { name: "gold", lines: groups(report.gold?.problems ?? []) },
    ...report.systems.map(({ name, side, notes = [] }) => ({
      name,
      lines: [...groups(side.problems), ...notes.map(({ message }) => `  note: ${message}`)],
    })),
  ];
  return sides
    .flatMap(({ name, lines }) =>
      lines.length ? [`${dataset ? `${dataset}, ` : ""}${name}:`, ...lines] : [],
    )
    .map((line) => `${escaped(line)}\n`)
    .join("");
}

/** A kind of problem: how many, and where the first ones are. */
function describeGroup(
  /** @type {ProblemGroup} */ { kind, title, count, items },
  /** @type {string[]} */ paths,
) {
  const places = items.slice(0, shown).map((item) => `    ${describeItem(item, paths)}`);
  // There an item is a label, with all its spans.
  const byLabel = kind === "unmapped_label";
  const rest = (byLabel ? items.length : count) - places.length;
  const more = `    and ${rest} more${byLabel ? (rest === 1 ? " label" : " labels") : ""}`;
  return [`  ${count} × ${title}`, ...places, ...(rest > 0 ? [more] : [])];
}

function describeItem(/** @type {ProblemItem} */ item, /** @type {string[]} */ paths) {
  const path = typeof item.input === "number" ? paths[item.input] : undefined;
  const place = [
    path,
    item.entry !== path && item.entry,
    item.line && `line ${item.line}`,
    item.document && `document ${item.document}`,
  ].filter(Boolean);
  const words = [
    item.found && `found ${item.found}`,
    item.expected && `expected ${item.expected}`,
  ].filter(Boolean);
  return [place.join(", "), words.join("; ")].filter(Boolean).join(": ");
}
