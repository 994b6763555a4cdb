// What is chosen for single files, as a run file says it; the module itself, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "esbuild";
import { at } from "../../scripts/lib.mjs";

/** @param {string} name */
async function load(name) {
  const { outputFiles } = await build({
    entryPoints: [at("www", "src", name)],
    bundle: true,
    format: "esm",
    write: false,
  });
  const code = Buffer.from(outputFiles[0].contents).toString("base64");
  return import(`data:text/javascript;base64,${code}`);
}

const { chosenOf, moved, written } = await load("chosen.ts");
const { readRunFile } = await load("runfile.ts");

const byte = { offsets: "byte" };
const brat = { format: "brat" };
const places = (/** @type {[number, string][]} */ ...list) =>
  list.map(([source, path]) => ({ source, path }));

test("a key is the end of a path or an index, and the longest wins", () => {
  const files = { "a.ann": byte, "gold/a.ann": brat, "#2": byte };
  assert.deepEqual(chosenOf(files, ["x/a.ann", "x/gold/a.ann", "b", "xa.ann"]), [
    byte,
    brat,
    byte,
    {},
  ]);
});

test("a path is the key unless it means another file too", () => {
  assert.deepEqual(written({}, ["gold.jsonl", "pred.jsonl"], [{}, byte]), { "pred.jsonl": byte });
  assert.deepEqual(written({}, ["all.jsonl", "all.jsonl"], [{}, byte]), { "#1": byte });
  assert.deepEqual(written({}, ["all.jsonl", "all.jsonl"], [byte, byte]), { "all.jsonl": byte });
  assert.deepEqual(written({}, ["d.ann", "x/d.ann"], [byte, {}]), { "#0": byte });
  assert.deepEqual(written({}, ["d.ann", "x/d.ann"], [{}, byte]), { "x/d.ann": byte });
  const odd = written({}, ["__proto__"], [byte]);
  assert.deepEqual(Object.entries(odd), [["__proto__", byte]]);
  // What says nothing is not written; keys of files that are still to come stay.
  const cleared = written({ "a.txt": byte, later: brat }, ["a.txt"], [{ offsets: null }]);
  assert.deepEqual(cleared, { later: brat });
});

test("what is read back is what was chosen, whatever the names", () => {
  const names = ["a", "b/a", "c/b/a", "b", "b/a", "a"];
  const choices = [{}, byte, brat];
  for (let seed = 0; seed < 3 ** names.length; seed += 1) {
    const chosen = names.map((_, at) => choices[Math.floor(seed / 3 ** at) % 3]);
    assert.deepEqual(chosenOf(written({}, names, chosen), names), chosen);
  }
});

test("a choice stays with its file when others come, go or change places", () => {
  const before = places([1, "all.jsonl"]);
  const after = places([2, "all.jsonl"], [1, "all.jsonl"]);
  assert.deepEqual(moved({ "all.jsonl": byte }, before, after), { "#1": byte });
  assert.deepEqual(moved({ "#1": byte }, after, before), { "all.jsonl": byte });
  assert.deepEqual(moved({ "#1": byte }, after, places([2, "all.jsonl"])), {});
  assert.deepEqual(moved({ "all.jsonl": byte }, [], before), { "all.jsonl": byte });
});

test("a run file's keys are taken where their values are of their kind", () => {
  assert.deepEqual(
    readRunFile({
      labels: ["a"],
      clean: "trim",
      files: { x: byte },
      map: { a: 1 },
      realign: true,
      dataset: "none",
      view: null,
      toString: "x",
      tokens: "words",
    }),
    {
      options: { labels: ["a"], files: { x: byte }, realign: true, tokens: "words" },
      leftOut: ["clean", "map", "toString"],
    },
  );
  assert.deepEqual(readRunFile({ files: { x: { colour: "red" } } }).leftOut, ["files"]);
});
