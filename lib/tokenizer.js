// A model's own tokenizer: the second module, loaded only where one is given.
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";

/** Whether a file among a system's is its tokenizer. */
export const isTokenizer = (/** @type {string} */ path) => basename(path) === "tokenizer.json";

let copies = 0;

/**
 * A tokenizer as the core takes it: what the file is, and a function unless the file cannot be used.
 * @param {Uint8Array} bytes
 * @returns {Promise<{description: string, tokens?: (text: string) => Uint32Array}>}
 */
export async function tokenizerOf(bytes) {
  const module = new URL("../dist/tokenizer/tokenizer_bg.wasm", import.meta.url);
  const failed = (/** @type {string} */ failure) => ({
    description: JSON.stringify({ failure, bytes: bytes.length }),
  });
  if (!existsSync(module)) return failed("its module is not built yet: run npm run build");
  // A copy each: one that dies takes no other with it.
  copies += 1;
  const { initSync, Tokenizer } = /** @type {typeof import("../dist/tokenizer/tokenizer.js")} */ (
    await import(`../dist/tokenizer/tokenizer.js?${copies}`)
  );
  initSync({ module: readFileSync(module) });
  try {
    const tokenizer = new Tokenizer(bytes);
    return { description: tokenizer.describe(), tokens: (text) => tokenizer.tokens(text) };
  } catch (error) {
    return failed(
      typeof error === "string"
        ? error
        : "the program failed on the file: a fault of its own, or too little memory",
    );
  }
}
