// The run file: every option of a run as JSON, the same for the page and the command line.

import { mapsIn } from "./maps.js";
import type { Options } from "./protocol.js";
import type { FileOptions } from "./report.js";

/** What an option's value looks like, from its type. */
type ShapeOf<K, T> = K extends "map" | "maps" | "files"
  ? K
  : [T] extends [boolean]
    ? "switch"
    : [T] extends [string]
      ? "text"
      : "texts";

type Shapes<T> = { [K in keyof T]-?: ShapeOf<K, NonNullable<T[K]>> };

/** Every option. The type is made from the core's: one that is missing here does not compile. */
const shapes: Shapes<Options> = {
  benchmark: "text",
  clean: "texts",
  commonOnly: "switch",
  dataset: "text",
  definition: "text",
  encoding: "text",
  end: "text",
  files: "files",
  foldLabels: "switch",
  format: "text",
  formatGold: "text",
  formatPred: "text",
  fragments: "text",
  goldOffsets: "text",
  labels: "texts",
  llm: "text",
  map: "map",
  maps: "maps",
  mode: "text",
  normaliseIds: "switch",
  occurrences: "text",
  offsets: "text",
  paths: "switch",
  predOffsets: "text",
  realign: "switch",
  tokens: "text",
  view: "text",
};

/** Every option of a single file, likewise. */
const fileShapes: Shapes<FileOptions> = {
  encoding: "text",
  end: "text",
  format: "text",
  offsets: "text",
  view: "text",
};

const isText = (value: unknown) => typeof value === "string";
const isObject = (value: unknown): value is object =>
  !!value && typeof value === "object" && !Array.isArray(value);

/** Whether something is label maps, or a configuration that holds them: the core reads it. */
const isMaps = (value: unknown) => mapsIn(value) !== null;

const fits: Record<Shapes<Options>[keyof Options], (value: unknown) => boolean> = {
  switch: (value) => typeof value === "boolean",
  text: isText,
  texts: (value) => Array.isArray(value) && value.every(isText),
  map: isMaps,
  maps: (value) => isObject(value) && Object.values(value).every(isMaps),
  files: (value) =>
    isObject(value) &&
    Object.values(value).every(
      (one) =>
        isObject(one) &&
        Object.entries(one).every(
          ([key, inner]) => Object.hasOwn(fileShapes, key) && (inner === null || isText(inner)),
        ),
    ),
};

/** What a run file says, and the keys that are not known or whose values are no values of theirs. */
export function readRunFile(value: object): { options: Options; leftOut: string[] } {
  // The command line's names for having none.
  const isNone = (key: string, one: unknown) =>
    one === null || (["benchmark", "dataset"].includes(key) && (one === "none" || one === ""));
  const entries = Object.entries(value).filter(([key, one]) => !isNone(key, one));
  const isKnown = ([key, one]: [string, unknown]) =>
    Object.hasOwn(shapes, key) && fits[shapes[key as keyof Options]](one);
  // A configuration is taken for the maps in it.
  const plain = ([key, one]: [string, unknown]) => {
    if (key === "map") return [key, mapsIn(one)];
    if (key !== "maps") return [key, one];
    const maps = Object.entries(one as object).map(([name, map]) => [name, mapsIn(map)]);
    return [key, Object.fromEntries(maps)];
  };
  return {
    options: Object.fromEntries(entries.filter(isKnown).map(plain)),
    leftOut: entries.filter((entry) => !isKnown(entry)).map(([key]) => key),
  };
}

/** The run file of some options. */
export const runFile = (options: Options) => `${JSON.stringify(options, null, 2)}\n`;
