// What was chosen for single files. The page knows it by file; a run file by the end of a path, and by
// `#` and the index among all files where a path is not enough. The rules of matching are the core's.

import type { FileOptions } from "./report.js";

/** The run file's `files`. */
export type Files = Record<string, FileOptions>;

/** A file that was given, in the order in which the core knows it. */
export interface Place {
  source: number;
  path: string;
}

/** The ends of a path that name it, the longest first. */
function ends(path: string): string[] {
  const all = [path];
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
    all.push(path.slice(at + 1));
  }
  return all;
}

/** What a run file's keys say of each file; the longest key wins. */
export function chosenOf(files: Files, paths: string[]): FileOptions[] {
  return paths.map((path, at) => {
    const keys = [...ends(path), `#${at}`].filter((key) => Object.hasOwn(files, key));
    const key = keys.reduce((best, one) => (one.length > best.length ? one : best), keys[0] ?? "");
    return (keys.length && files[key]) || {};
  });
}

/** Without parts that say nothing. */
const tidy = (chosen: FileOptions): FileOptions =>
  Object.fromEntries(
    Object.entries(chosen)
      .filter(([, value]) => value)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** Keys that mean none of these files: of files that are still to come. */
function waiting(files: Files, paths: string[]): [string, FileOptions][] {
  const known = new Set(paths.flatMap((path, at) => [...ends(path), `#${at}`]));
  return Object.entries(files).filter(([key]) => !known.has(key));
}

/** Keys that say this of each file, and leave those that wait for their files. */
export function written(files: Files, paths: string[], chosen: FileOptions[]): Files {
  const tidied = chosen.map(tidy);
  const texts = tidied.map((one) => JSON.stringify(one));
  const named = new Map<string, number[]>();
  for (const [at, path] of paths.entries()) {
    for (const end of ends(path)) {
      const its = named.get(end);
      if (its) its.push(at);
      else named.set(end, [at]);
    }
  }
  const entries = waiting(files, paths);
  for (const [at, path] of paths.entries()) {
    if (texts[at] === "{}") continue;
    const shared = named.get(path)?.every((other) => texts[other] === texts[at]);
    entries.push([shared ? path : `#${at}`, tidied[at] as FileOptions]);
  }
  // fromEntries makes own properties of any name, `__proto__` included.
  return Object.fromEntries(entries);
}

/** The keys after files came, went or moved: what was chosen for a file stays with it. */
export function moved(files: Files, before: Place[], after: Place[]): Files {
  const paths = (places: Place[]) => places.map(({ path }) => path);
  const key = ({ source, path }: Place) => `${source}:${path}`;
  const had = new Map<string, FileOptions>();
  for (const [at, chosen] of chosenOf(files, paths(before)).entries()) {
    had.set(key(before[at] as Place), chosen);
  }
  const waits = Object.fromEntries(waiting(files, paths(before)));
  const come = chosenOf(waits, paths(after));
  return written(
    waits,
    paths(after),
    after.map((place, at) => had.get(key(place)) ?? come[at] ?? {}),
  );
}
