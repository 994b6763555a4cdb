// How the page takes apart and puts together what is dropped; the module itself, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "esbuild";
import { at } from "../../scripts/lib.mjs";

const { outputFiles } = await build({
  entryPoints: [at("www", "src", "intake.ts")],
  bundle: true,
  format: "esm",
  write: false,
});
const code = Buffer.from(outputFiles[0].contents).toString("base64");
const { belongTogether, guessRole, split } = await import(`data:text/javascript;base64,${code}`);

const files = (/** @type {string[]} */ ...paths) =>
  paths.map((path) => ({ path, file: new File([], path) }));

/** What a folder `all` becomes: names and roles. */
function sides(/** @type {string[]} */ ...paths) {
  const given = { name: "all", files: files(...paths.map((path) => `all/${path}`)) };
  return split(given).map((/** @type {{name: string}} */ { name }) => [
    name,
    guessRole(name) ?? "prediction",
  ]);
}

test("a folder becomes its sides, whatever lies beside them", () => {
  const gold = ["gold/1.ann", "gold/1.txt"];
  const both = [
    ["gold", "gold"],
    ["system", "prediction"],
  ];
  assert.deepEqual(sides(...gold, "system/1.ann"), both);
  assert.deepEqual(sides("license.txt", ...gold, "README", "system/1.ann"), both);
  assert.deepEqual(sides("expected/score.txt", ...gold, "system/1.ann", "license.txt"), both);
  assert.deepEqual(sides("gold/all.jsonl", "system/run1.jsonl"), both);
  // A name that says nothing is a side by its files.
  assert.deepEqual(sides(...gold, "bert/1.ann", "crf/1.ann", "docs/about.txt"), [
    ["gold", "gold"],
    ["bert", "prediction"],
    ["crf", "prediction"],
  ]);
});

test("a folder of one side stays whole", () => {
  const whole = [["all", "prediction"]];
  assert.deepEqual(sides("1.ann", "1.txt"), whole);
  assert.deepEqual(sides("part1/1.ann", "part2/2.ann"), whole);
  assert.deepEqual(sides("gold/1.ann", "readme.txt"), whole);
});

test("a text and its annotations belong together, however they come", () => {
  const together = (/** @type {string[]} */ had, /** @type {string[]} */ given) =>
    belongTogether(files(...had), files(...given));
  assert.ok(together(["1.ann"], ["1.txt"]));
  assert.ok(together(["1.txt"], ["1.ann"]));
  assert.ok(together(["1.ann", "2.ann"], ["1.txt", "2.txt"]));
  assert.ok(!together(["1.ann"], ["2.ann"]));
  assert.ok(!together(["1.ann"], ["1.ann"]), "the same file again is another source");
  assert.ok(!together(["1.txt"], ["1.txt"]));
  assert.ok(!together(["gold/1.ann"], ["1.txt"]));
  assert.ok(!together(["1.jsonl"], ["1.txt"]));
});
