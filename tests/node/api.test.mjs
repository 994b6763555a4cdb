import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { closeFiles, inputsAt } from "../../lib/files.js";
import { catalog, ScoreError, score } from "../../lib/index.js";
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

test("the catalog's values are taken, and its first is the default", async () => {
  const lists = await catalog();
  const run = async (/** @type {object} */ options, /** @type {string[]} */ outputs = []) => {
    const { report } = await score({
      gold: [{ path: "gold.jsonl", bytes: bytes(record) }],
      predictions: [{ name: "p", inputs: [{ path: "pred.jsonl", bytes: bytes(record) }] }],
      options,
      outputs,
    });
    // What the run says of itself is all that may differ.
    return { ...report, run: undefined };
  };
  const first = await run({});
  assert.deepEqual(await run({ format: lists.formats[0].name }), first);
  assert.deepEqual(await run({ encoding: lists.encodings[0].name }), first);
  assert.deepEqual(await run({ definition: lists.definitions[0].name }), first);
  assert.deepEqual(await run({ tokens: lists.tokens[0].name }), first);
  // Two of them need files that hold tokens, or a tokenizer: tokenizer.test.mjs.
  const own = ["file", "tokenizer"];
  for (const { name } of lists.tokens) if (!own.includes(name)) await run({ tokens: name });
  const general = lists.outputs.filter(({ name }) => name !== "ncer");
  await run(
    {},
    general.map(({ name }) => name),
  );
});

test("a file that goes away while it is read is told without its path", async (t) => {
  const above = mkdtempSync(join(tmpdir(), "clinscore-"));
  t.after(() => rmSync(above, { recursive: true, force: true }));
  t.after(closeFiles);
  const folder = join(above, "PATHSENTINEL");
  mkdirSync(folder);
  // More than stay open at once: the first must be opened again.
  for (let n = 0; n < 40; n += 1) writeFileSync(join(folder, `${n}.jsonl`), bytes(record));
  const gold = inputsAt(folder);
  rmSync(folder, { recursive: true });
  const [first] = gold;
  assert.ok("read" in first);
  assert.throws(() => first.read(0, 1), {
    message: "the file cannot be read (ENOENT)",
  });
  const { report } = await score({ gold, predictions: [{ name: "p", inputs: gold.slice(-1) }] });
  assert.match(JSON.stringify(report.gold.problems), /cannot be read \(ENOENT\)/);
  assert.doesNotMatch(JSON.stringify(report), /PATHSENTINEL/);
});
