// What the command line says on stderr. Never note text: what the core hands over holds none.

/** @typedef {{path?: string, line?: number, document?: string, found?: string, expected?: string}} ProblemItem */
/** @typedef {{kind: string, title: string, count: number, items: ProblemItem[]}} ProblemGroup */

const shown = 3;

/** `file, line 3, document d1` of what is known. */
function place(
  /** @type {{path?: string | null, line?: number | null, document?: string | null}} */ at,
) {
  return [at.path, at.line && `line ${at.line}`, at.document && `document ${at.document}`]
    .filter(Boolean)
    .join(", ");
}

/**
 * Why nothing was scored: what, where, what to do.
 * @param {import("./index.js").Failure} failure
 */
export function describeFailure({ message, file, line, found, expected, hint }) {
  const where = place({ path: file, line });
  return [
    `error: ${where && `${where}: `}${message}`,
    found && `  found: ${found}`,
    expected && `  expected: ${expected}`,
    hint && `  ${hint}`,
  ]
    .filter(Boolean)
    .join("\n")
    .concat("\n");
}

/**
 * What was skipped or repaired: every kind with its count and the first few places.
 * @param {ProblemGroup[]} groups
 */
export function describeProblems(groups) {
  return groups
    .map(({ title, count, items }) => {
      const places = items.slice(0, shown).map((item) => {
        const what = item.found && `found ${item.found}`;
        return `    ${[place(item), what].filter(Boolean).join(": ")}\n`;
      });
      const rest = count - places.length;
      return `  ${count} × ${title}\n${places.join("")}${rest > 0 ? `    and ${rest} more\n` : ""}`;
    })
    .join("");
}
