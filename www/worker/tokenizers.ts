// The second module: tokenizers that were given, run for the core.

import { initSync, Tokenizer } from "../../dist/tokenizer/tokenizer.js";
import type { Session } from "../../dist/wasm/clinscore.js";
import type { GivenTokenizer } from "../src/protocol.js";

/** A tokenizer, or the description of what could not become one. */
interface Held {
  given: GivenTokenizer;
  tokenizer: Tokenizer | null;
  description: string;
}

let held: Held[] = [];

/** Reads tokenizers, instead of those that there were; sessions that had these must be given the new ones. */
export function holdTokenizers(module: WebAssembly.Module | null, tokenizers: GivenTokenizer[]) {
  for (const { tokenizer } of held) tokenizer?.free();
  if (module) initSync({ module });
  held = tokenizers.map((given) => {
    try {
      const bytes = new Uint8Array(new FileReaderSync().readAsArrayBuffer(given.file));
      const tokenizer = new Tokenizer(bytes);
      return { given, tokenizer, description: tokenizer.describe() };
    } catch (error) {
      // What is no reason in words is a fault of the module, or of the file's reader.
      const failure =
        typeof error === "string"
          ? error
          : "the program failed on the file: a fault of its own, or too little memory";
      const description = JSON.stringify({ failure, bytes: given.file.size });
      return { given, tokenizer: null, description };
    }
  });
}

/** Gives the core these tokenizers instead of those that it had. */
export function giveTokenizers(session: Session) {
  session.clearTokenizers();
  for (const { given, tokenizer, description } of held) {
    const tokens = tokenizer ? (text: string) => tokenizer.tokens(text) : undefined;
    session.setTokenizer(given.system, given.path, description, tokens);
  }
}
