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
const { belongTogether, guessRole, parts, split } = await import(
  `data:text/javascript;base64,${code}`
);

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

/** What files of a folder `all` become under what their paths say: role, system, dataset, name. */
function sources(
  /** @type {Record<string, [role: string | null, system?: string | null, dataset?: string | null]>} */ told,
  zone = "",
) {
  const given = { name: "all", files: files(...Object.keys(told).map((path) => `all/${path}`)) };
  const arranged = Object.values(told).map(([role, system = null, dataset = null]) => ({
    role,
    system,
    dataset,
  }));
  const found = parts([given], arranged, zone || undefined, false);
  return {
    left: found.left,
    sources: found.parts.map((/** @type {any} */ one) =>
      [one.role, one.system, one.dataset, one.name, one.files.length].join(" "),
    ),
  };
}

test("a source a system and dataset, with what belongs to a system beside them", () => {
  const told = /** @type {Parameters<typeof sources>[0]} */ ({
    "README.md": [null],
    "gold/NCBI/1.ann": ["gold", null, "NCBI"],
    "gold/NCBI/1.txt": ["gold", null, "NCBI"],
    "gold/CHIA/1.ann": ["gold", null, "CHIA"],
    "bert/config.json": ["config", "bert"],
    "bert/NCBI/1.ann": ["prediction", "bert", "NCBI"],
    "bert/CHIA/a/1.ann": ["prediction", "bert", "CHIA"],
    "bert/CHIA/b/2.ann": ["prediction", "bert", "CHIA"],
    "crf/ncer_results.json": ["results", "crf"],
  });
  const expected = [
    "gold  NCBI all/gold/NCBI 2",
    "gold  CHIA all/gold/CHIA/1.ann 1",
    "config bert  all/bert/config.json 1",
    "prediction bert NCBI all/bert/NCBI/1.ann 1",
    "prediction bert CHIA all/bert/CHIA 2",
    "results crf  all/crf/ncer_results.json 1",
  ];
  assert.deepEqual(sources(told), { left: ["all/README.md"], sources: expected });
  // What plainly holds both sides is both, wherever it was let go.
  assert.deepEqual(sources(told, "prediction").sources, expected);
});

test("a zone says the side of what names none; beside files keep their role", () => {
  const told = /** @type {Parameters<typeof sources>[0]} */ ({
    "NCBI/1.json": ["prediction", null, "NCBI"],
    "tokenizer.json": ["tokenizer"],
    "ncer_results.json": ["results", "all"],
    "results.json": ["results", "all"],
  });
  assert.deepEqual(sources(told, "gold").sources, [
    "gold  NCBI all/NCBI/1.json 1",
    "tokenizer   all/tokenizer.json 1",
    "results all  all/ncer_results.json 1",
    "gold all  all/results.json 1",
  ]);
});

test("without a dataset folders decide, as ever", () => {
  assert.deepEqual(
    sources({
      "gold/1.ann": ["gold"],
      "bert/1.ann": [null, "bert"],
      "bert/config.json": ["config", "bert"],
    }).sources,
    ["gold   gold 1", "prediction   bert 1", "config bert  all/bert/config.json 1"],
  );
});
