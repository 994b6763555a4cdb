// A model's own tokenizer: how it is told from other files, and its module, which is unpacked only when
// there is one.

import moduleBase64 from "clinscore:tokenizer";
import { compiled } from "./compiled.js";
import type { Given, GivenPath } from "./intake.js";
import type { GivenTokenizer } from "./protocol.js";

/** A tokenizer as it was given. */
export interface Tokenizer {
  id: number;
  /** On screen, the system whose tokens it makes; empty for every system without one of its own. */
  system: string;
  path: string;
  file: File;
}

const isNamed = ({ path }: GivenPath) => /(^|\/)tokenizer\.json$/i.test(path);

/** Tokenizers, by their name, apart from the rest of what was given, each with the files beside it. */
export function withoutTokenizers(given: Given[]): {
  parts: Given[];
  tokenizers: { one: GivenPath; beside: GivenPath[] }[];
} {
  const parts = given.map((part) => ({
    ...part,
    files: part.files.filter((one) => !isNamed(one)),
  }));
  const tokenizers = given.flatMap(({ files }, at) =>
    files.filter(isNamed).map((one) => ({ one, beside: parts[at]?.files ?? [] })),
  );
  return { parts: parts.filter(({ files }) => files.length), tokenizers };
}

/** How every tokenizer.json begins that the `tokenizers` package has written. */
const beginning = /^\s*\{\s*"version"\s*:\s*"[^"]*"\s*,\s*"truncation"\s*:/;

/** Whether a file of another name is a tokenizer. */
export async function looksLikeTokenizer({ path, file }: GivenPath): Promise<boolean> {
  if (!/\.json$/i.test(path)) return false;
  const text = await file.slice(0, 512).text();
  return beginning.test(text);
}

export const isSameTokenizer = (a: GivenTokenizer, b: GivenTokenizer | undefined) =>
  a.file === b?.file && a.system === b.system && a.path === b.path;

let module: Promise<WebAssembly.Module> | undefined;

/** The module, compiled once. */
export function tokenizerModule(): Promise<WebAssembly.Module> {
  module ??= compiled(moduleBase64);
  return module;
}
