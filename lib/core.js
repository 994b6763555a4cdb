// The core as WASM, its failures, and how it is given files.
import { existsSync, readFileSync } from "node:fs";
import { FileError, inputsAt, namesOf } from "./files.js";
import { isTokenizer, tokenizerOf } from "./tokenizer.js";

/** @typedef {import("./index.js").Failure} Failure */

/** A run that could not be scored. */
export class ScoreError extends Error {
  /**
   * @param {Failure} failure
   * @param {{report: any, paths: string[]}} [read] what was read all the same: a report without scores
   */
  constructor(failure, read) {
    super(failure.message);
    this.name = "ScoreError";
    this.failure = failure;
    this.read = read;
  }
}

let generation = 0;

/** The core; a fresh one where the last one died. */
export async function loadCore() {
  const module = new URL("../dist/wasm/clinscore_bg.wasm", import.meta.url);
  if (!existsSync(module)) {
    throw new ScoreError({
      code: "not-built",
      message: "clinscore is not built yet.",
      hint: "Run this in its folder: npm run build",
    });
  }
  const core = /** @type {typeof import("../dist/wasm/clinscore.js")} */ (
    await import(`../dist/wasm/clinscore.js?${generation}`)
  );
  core.initSync({ module: readFileSync(module) });
  return core;
}

/** The inputs at what was given, in order. @returns {import("./files.js").Input[][]} one list each */
export function inputsOf(/** @type {import("./index.js").Given[]} */ given) {
  const names = namesOf(given.filter((one) => typeof one === "string"));
  return given.map((one) => (typeof one === "string" ? inputsAt(one, names.get(one)) : [one]));
}

/** All bytes of an input; what a reader gives is valid until it reads again. */
export const bytesOf = (/** @type {import("./files.js").Input} */ input) =>
  "bytes" in input ? input.bytes : input.read(0, input.size).slice();

/**
 * Gives a session its inputs. A tokenizer.json among a system's is its tokenizer, one among gold's everyone's.
 * @param {import("../dist/wasm/clinscore.js").Session} session
 * @param {{role: string, system: string, input: import("./files.js").Input}[]} inputs
 * @param {import("./files.js").Input} [tokenizer] for every system without one
 * @returns {Promise<string[]>} the paths of all but tokenizers, in the order of the report's inputs
 */
export async function fill(session, inputs, tokenizer) {
  /** @type {Map<string | undefined, import("./files.js").Input>} by system; without one, everyone's */
  const tokenizers = new Map();
  const paths = [];
  for (const { role, system, input } of inputs) {
    if (isTokenizer(input.path)) {
      tokenizers.set(role === "gold" ? undefined : system, input);
      continue;
    }
    if ("bytes" in input) session.addBytes(role, system, input.path, input.bytes);
    else session.addReader(role, system, input.path, input.size, input.read);
    paths.push(input.path);
  }
  if (tokenizer) tokenizers.set(undefined, tokenizer);
  for (const [system, input] of tokenizers) {
    const { description, tokens } = await tokenizerOf(bytesOf(input));
    session.setTokenizer(system, input.path, description, tokens);
  }
  return paths;
}

/** Makes one error of whatever the core threw. */
export function asError(/** @type {unknown} */ thrown) {
  if (thrown instanceof FileError) {
    return new ScoreError({ code: "unreadable", message: thrown.message });
  }
  if (thrown instanceof WebAssembly.RuntimeError || thrown instanceof RangeError) {
    generation += 1;
    return new ScoreError({
      code: "crash",
      message:
        "clinscore itself failed on these files: a fault of the program, or too little memory.",
      hint: "Your files are unchanged. Please report it, without any note text.",
    });
  }
  if (thrown instanceof Error || !thrown || typeof thrown !== "object") return thrown;
  return new ScoreError(/** @type {Failure} */ (thrown));
}
