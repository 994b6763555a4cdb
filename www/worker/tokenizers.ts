// The second module: tokenizers that were given, run for the core.

import { initSync, Tokenizer } from "../../dist/tokenizer/tokenizer.js";
import type { Session } from "../../dist/wasm/clinscore.js";
import type { GivenTokenizer } from "../src/protocol.js";

let held: Tokenizer[] = [];

/** Gives the core these tokenizers instead of those that it had. */
export function setTokenizers(
  session: Session,
  module: WebAssembly.Module | null,
  tokenizers: GivenTokenizer[],
) {
  session.clearTokenizers();
  for (const tokenizer of held) tokenizer.free();
  held = [];
  if (module) initSync({ module });
  for (const { system, path, file } of tokenizers) {
    let tokenizer: Tokenizer;
    try {
      tokenizer = new Tokenizer(new Uint8Array(new FileReaderSync().readAsArrayBuffer(file)));
    } catch (error) {
      // What is no reason in words is a fault of the module, or of the file's reader.
      const failure =
        typeof error === "string"
          ? error
          : "the program failed on the file: a fault of its own, or too little memory";
      session.setTokenizer(system, path, JSON.stringify({ failure, bytes: file.size }));
      continue;
    }
    held.push(tokenizer);
    session.setTokenizer(system, path, tokenizer.describe(), (text: string) =>
      tokenizer.tokens(text),
    );
  }
}
