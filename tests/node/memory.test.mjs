// Note text is not copied into the core: its memory does not grow with text.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { initSync, Session } from "../../dist/wasm/clinscore.js";
import { at } from "../../scripts/lib.mjs";

/** Peak memory of the core for one pair. @returns {number} bytes */
function peak(/** @type {Uint8Array} */ gold, /** @type {Uint8Array} */ pred) {
  // One instance a process, and its memory never shrinks: the test with the lower bound comes first.
  const core = initSync({ module: readFileSync(at("dist", "wasm", "clinscore_bg.wasm")) });
  const session = new Session();
  const reader =
    (/** @type {Uint8Array} */ bytes) =>
    (/** @type {number} */ from, /** @type {number} */ length) =>
      bytes.subarray(from, from + length);
  session.addReader("gold", "", "gold.jsonl", gold.length, reader(gold));
  session.addReader("prediction", "system", "pred.jsonl", pred.length, reader(pred));
  session.score({});
  session.hash();
  return core.memory.buffer.byteLength;
}

/** Notes of 40,000 characters with eight spans each: 99 % of the bytes are text. */
function longNotes(/** @type {number} */ shift) {
  const text = "The patient was admitted with chest pain and fever on Monday. ".repeat(645);
  const lines = Array.from({ length: 1500 }, (_, id) => {
    const entities = Array.from({ length: 8 }, (_, n) => ({
      start: n * 62 + 30,
      end: n * 62 + 40 - shift,
      label: n % 2 ? "condition" : "drug",
    }));
    return `${JSON.stringify({ id: `n${id}`, text, entities })}\n`;
  });
  return {
    bytes: Buffer.from(lines.join("")),
    share: (text.length * 1500) / lines.join("").length,
  };
}

test("memory stays under a tenth of files that are nearly all text", () => {
  const [gold, pred] = [longNotes(0), longNotes(2)];
  assert.ok(gold.share > 0.985, `share of text ${gold.share}`);
  const size = gold.bytes.length + pred.bytes.length;
  const used = peak(gold.bytes, pred.bytes);
  console.log(`files ${size} bytes, memory ${used} bytes`);
  assert.ok(used < size / 10);
});

const d20k = ["gold.jsonl", "pred.jsonl"].map((name) => at(".cache", "d20k", name));
test("memory stays under the size of d20k", {
  skip: d20k.every((file) => existsSync(file)) ? false : "d20k is made by the Python references",
}, () => {
  const [gold, pred] = d20k.map((file) => readFileSync(file));
  const used = peak(gold, pred);
  console.log(`files ${gold.length + pred.length} bytes, memory ${used} bytes`);
  assert.ok(used < gold.length + pred.length);
});
