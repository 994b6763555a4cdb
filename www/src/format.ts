// Numbers and hostile strings as people see them. Nothing is computed here.

import type { Value } from "./report.js";

/** Digits after the point; `all` is the shortest text that reads back as the same number. */
export type Digits = 2 | 4 | "all";

const integer = new Intl.NumberFormat();
const fixed = {
  2: new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
  4: new Intl.NumberFormat(undefined, { minimumFractionDigits: 4, maximumFractionDigits: 4 }),
};

/** A count with the reader's thousands separators. */
export function count(n: number): string {
  return integer.format(n);
}

/** A score, or a dash where it is undefined. */
export function score(value: Value | null | undefined, digits: Digits): string {
  if (!value?.defined || value.value === null) return "—";
  return digits === "all" ? String(value.value) : fixed[digits].format(value.value);
}

const units = ["B", "kB", "MB", "GB"];

/** A size in bytes, to three significant digits. */
export function bytes(n: number): string {
  let unit = 0;
  let value = n;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const text = unit === 0 ? count(n) : value.toPrecision(3);
  return `${text} ${units[unit]}`;
}

/** `3 documents`, `1 document`. */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

const longest = 200;
// Controls, and the characters that reorder or hide text.
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to show.
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A label, id or file name that cannot disturb what is around it: short, controls shown by code. */
export function visible(text: string): string {
  const short = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return short.replace(
    unseen,
    (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}

/** What the core's CSV takes for a number. */
const numeric = /^[+-]?(inf|infinity|nan|(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)$/i;

/** A cell that a spreadsheet takes as text, not as a formula; by the rule of the core's CSV. */
function safeCell(cell: string | number): string {
  if (typeof cell === "number") return String(cell);
  return /^[=+\-@\t\r]/.test(cell) && !numeric.test(cell) ? `'${cell}` : cell;
}

/** Rows as CSV (RFC 4180) or tab-separated text. */
export function separated(rows: (string | number)[][], separator: "," | "\t"): string {
  const line = (row: (string | number)[]) =>
    row
      .map((cell) => {
        const text = safeCell(cell);
        if (separator === "\t") return text.replace(/[\t\r\n]+/g, " ");
        return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
      })
      .join(separator);
  const end = separator === "," ? "\r\n" : "\n";
  return rows.map((row) => line(row) + end).join("");
}
