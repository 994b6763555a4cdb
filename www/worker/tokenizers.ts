// The second module: tokenizers that were given, run for the core.

import { initSync, Tokenizer } from "../../dist/tokenizer/tokenizer.js";
import type { Session } from "../../dist/wasm/clinscore.js";
import type { GivenTokenizer } from "../src/protocol.js";

/** A tokenizer, or why it is none, as the core is told of it. */
interface Held {
  system: string | null;
  path: string;
  description: string;
  tokenizer?: Tokenizer;
}

let held: Held[] = [];

/** Gives these tokenizers to sessions instead of those that they had. */
export function setTokenizers(
  sessions: Iterable<Session>,
  module: WebAssembly.Module | null,
  tokenizers: GivenTokenizer[],
) {
  const all = [...sessions];
  for (const session of all) session.clearTokenizers();
  for (const { tokenizer } of held) {
    try {
      tokenizer?.free();
    } catch {
      // One that failed in the middle of a text cannot be freed; its module is not used again.
    }
  }
  if (module) initSync({ module });
  held = tokenizers.map(hold);
  for (const session of all) useTokenizers(session);
}

/** Gives the tokenizers that there are to a session. */
export function useTokenizers(session: Session) {
  for (const { system, path, description, tokenizer } of held) {
    const tokens = tokenizer && ((text: string) => tokenizer.tokens(text));
    session.setTokenizer(system, path, description, tokens);
  }
}

function hold({ system, path, file }: GivenTokenizer): Held {
  try {
    const bytes = new Uint8Array(new FileReaderSync().readAsArrayBuffer(file));
    const tokenizer = new Tokenizer(bytes);
    return { system, path, description: tokenizer.describe(), tokenizer };
  } catch (error) {
    // What is no reason in words is a fault of the module, or of the file's reader.
    const failure =
      typeof error === "string"
        ? error
        : "the program failed on the file: a fault of its own, or too little memory";
    return { system, path, description: JSON.stringify({ failure, bytes: file.size }) };
  }
}
