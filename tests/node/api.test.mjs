import assert from "node:assert/strict";
import test from "node:test";
import { ScoreError, score } from "../../lib/index.js";
import { fixtures } from "./run.mjs";

const bytes = (/** @type {unknown} */ ...records) =>
  new TextEncoder().encode(records.map((record) => `${JSON.stringify(record)}\n`).join(""));

const record = { id: "1", text: "no fever", entities: [{ start: 3, end: 8, label: "Problem" }] };

test("bytes score as files do, and give paths back", async () => {
  const { report, outputs, paths } = await score({
    gold: [{ path: "gold.jsonl", bytes: bytes(record) }],
    predictions: [{ name: "10", inputs: [{ path: "pred.jsonl", bytes: bytes(record) }] }],
    outputs: ["nervaluate"],
  });
  assert.deepEqual(paths, ["gold.jsonl", "pred.jsonl"]);
  assert.equal(report.systems[0].name, "10");
  assert.equal(JSON.parse(outputs.nervaluate).overall.strict.f1, 1);
});

test("a file is read in ranges", async () => {
  const whole = bytes(...Array.from({ length: 40_000 }, (_, id) => ({ ...record, id: `${id}` })));
  let longest = 0;
  const input = {
    path: "gold.jsonl",
    size: whole.length,
    read(/** @type {number} */ offset, /** @type {number} */ length) {
      longest = Math.max(longest, length);
      return whole.subarray(offset, offset + length);
    },
  };
  const { report } = await score({
    gold: [input],
    predictions: [{ name: "same", inputs: [{ ...input, path: "pred.jsonl" }] }],
  });
  assert.equal(report.systems[0].spans.overall.strict.correct, 40_000);
  assert.ok(longest < whole.length, `${longest} of ${whole.length} bytes at once`);
});

test("a file that cannot be read fails with a reason, and the next run is right", async () => {
  const broken = {
    path: "broken.jsonl",
    size: 100,
    read() {
      throw new Error("the disk is gone");
    },
  };
  const run = (/** @type {import("../../lib/index.js").Given} */ gold) =>
    score({ gold: [gold], predictions: [{ name: "p", inputs: [`${fixtures}cli/pred.jsonl`] }] });
  await assert.rejects(run(broken), (error) => {
    assert.ok(error instanceof ScoreError);
    assert.ok(error.failure.code);
    return true;
  });
  assert.equal((await run(`${fixtures}cli/gold.jsonl`)).report.systems.length, 1);
});
