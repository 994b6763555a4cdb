// The NCER benchmark as a whole: many systems on many datasets, leaderboards; the command line and the API.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test from "node:test";
import { leaderboard, ScoreError, scoreBenchmark } from "../../lib/index.js";
import { clinscore } from "./run.mjs";

const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);

/** A results file with the same number under every metric. */
const results = (/** @type {Record<string, number>} */ datasets, types = datasets) => {
  const list = (/** @type {Record<string, number>} */ numbers) =>
    Object.fromEntries(Object.entries(numbers).map(([name, f1]) => [name, { f1 }]));
  const one = { dataset_results: list(datasets), clinical_type_results: list(types) };
  return JSON.stringify({
    SpanBasedWithPartialOverlap: one,
    SpanBasedWithExactOverlap: one,
    TokenBasedWithMacroAverage: one,
    TokenBasedWithMicroAverage: one,
    TokenBasedWithWeightedAverage: one,
  });
};

const text = "1|t|ab cd ef\n1|a|gh\n";
const spans = (/** @type {string[][]} */ ...rows) =>
  `${text}${rows.map((row) => `1\t${row.join("\t")}\tD1\n`).join("")}\n`;
const ncbi = spans(["0", "2", "ab", "Modifier"], ["3", "5", "cd", "DiseaseClass"]);
const biored = spans(["0", "2", "ab", "ChemicalEntity"], ["3", "5", "cd", "GeneOrGeneProduct"]);

/** A folder with files, removed after the test. */
function folder(
  /** @type {import("node:test").TestContext} */ t,
  /** @type {Record<string, string>} */ files,
) {
  const root = mkdtempSync(join(tmpdir(), "clinscore-"));
  t.after(() => rmSync(root, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

const bench = {
  "gold/NCBI/gold.txt": ncbi,
  "gold/biored/gold.txt": biored,
  "runs/a/NCBI/p.txt": ncbi,
  "runs/a/BIORED/p.txt": spans(["0", "2", "ab", "ChemicalEntity"]),
  "runs/b/ncbi/p.txt": spans(["0", "2", "ab", "ill"]),
  "runs/b/config.json": JSON.stringify({
    inference_config: { label_normalization_map: { NCBI: { ill: "condition" } } },
  }),
  "runs/README.md": "about",
};

const benchmark = ["score", "--benchmark", "ncer"];

test("many systems on many datasets make a leaderboard", (t) => {
  const root = folder(t, bench);
  const args = [...benchmark, "--gold", join(root, "gold"), "--pred", join(root, "runs")];
  const { status, out, err } = clinscore([...args, "--output", "csv"]);
  assert.equal(status, 0, err);
  assert.deepEqual(out.split("\r\n").slice(0, 3), [
    "system,metric,NCBI,BIORED,mean over datasets,condition,drug,gene,gene variant,mean over types",
    // Of two gold spans one is found: P 1, R ½.
    "a,SpanBasedWithPartialOverlap,100.00,66.67,83.33,50.00,100.00,0.00,0.00,37.50",
    "b,SpanBasedWithPartialOverlap,66.67,,66.67,66.67,,,,66.67",
  ]);
  assert.match(err, /not used, for want of a dataset in the path: runs\/README\.md/);
  assert.match(err, /NCBI, b:\n(?:.*\n)*? +note: Labels are mapped by the config/);
  const report = JSON.parse(clinscore([...args, "--output", "report"]).out);
  assert.deepEqual(Object.keys(report), ["NCBI", "BIORED"]);
  assert.match(report.NCBI.inputs[0].sha256, /^[0-9a-f]{64}$/);
  const file = join(root, "all.json");
  assert.equal(clinscore([...args, "--output", "ncer", "--out", file]).status, 0);
  assert.deepEqual(Object.keys(JSON.parse(readFileSync(file, "utf8"))), ["a", "b"]);
  // What was written is a leaderboard's file; its means are of rounded numbers.
  const again = clinscore(["leaderboard", file, "--output", "csv"]);
  assert.equal(again.out, out.replace("83.33", "83.34"));
});

test("what cannot be scored is said, and the rest is kept", (t) => {
  const root = folder(t, {
    ...bench,
    "runs/b/CHIA/p.txt": ncbi,
    "runs/b/biored/p.txt": "no annotations",
    "gold/bc5cdr/gold.txt": spans(["0", "2", "ab", "Disease"]),
  });
  const { status, out, err } = clinscore([
    ...[...benchmark, "--gold", join(root, "gold"), "--pred", join(root, "runs")],
    ...["--output", "markdown"],
  ]);
  assert.equal(status, 2);
  assert.match(out, /\| a \| 100\.00 \| 66\.67 \|/);
  assert.match(err, /error: CHIA: there is no gold of CHIA/);
  assert.match(err, /error: BIORED: b: no document could be read/);
  assert.match(err, /gold without predictions: BC5CDR/);
});

test("a name given with --pred is that of the system, and a map may be given for one", (t) => {
  const root = folder(t, { ...bench, "map.json": '{"ill": "condition"}' });
  const args = [...benchmark, "--gold", join(root, "gold"), "--output", "csv"];
  const { out, err } = clinscore([
    ...[...args, "--pred", `mine=${join(root, "runs/b/ncbi")}`],
    ...["--maps", `mine=${join(root, "map.json")}`],
  ]);
  assert.match(out, /^mine,SpanBasedWithPartialOverlap,66\.67,/m, err);
  const refused = clinscore([...args, "--pred", root, "--maps", "map.json"]);
  assert.equal(refused.status, 2);
  assert.match(refused.err, /NAME=FILE/);
});

test("one folder may hold gold and systems", (t) => {
  const root = folder(t, bench);
  const { status, out, err } = clinscore([
    ...[...benchmark, "--gold", root, "--pred", root],
    ...["--output", "csv"],
  ]);
  assert.equal(status, 0, err);
  assert.match(out, /^a,SpanBasedWithPartialOverlap,100\.00,66\.67,/m);
});

test("paths that say no dataset are refused with what to do", (t) => {
  const root = folder(t, { "g.txt": ncbi, "p.txt": ncbi });
  const { status, out, err } = clinscore([
    ...[...benchmark, "--gold", join(root, "g.txt"), "--pred", join(root, "p.txt")],
  ]);
  assert.deepEqual([status, out], [2, ""]);
  assert.match(err, /SYSTEM\/DATASET/);
});

test("leaderboards of folders and files, sorted", (t) => {
  const root = folder(t, {
    "a/ncer_results.json": results({ ncbi: 70, chia: 50 }, { condition: 60 }),
    "b/ncer_results.json": results({ ncbi: 80 }, { condition: 80 }),
    "a/NCBI/p.jsonl": "{}",
    "broken.json": "{",
  });
  const sorted = (/** @type {string[]} */ ...more) => {
    const { status, out, err } = clinscore(["leaderboard", root, "--output", "csv", ...more]);
    assert.equal(status, 2);
    assert.match(err, /broken\.json: no results in it/);
    assert.match(err, /broken\.json: found not valid JSON/);
    assert.match(err, /by their names no results: .*p\.jsonl/);
    return out
      .trim()
      .split("\r\n")
      .slice(1)
      .map((line) => line.split(",")[0]);
  };
  assert.deepEqual(sorted(), ["b", "a"]);
  assert.deepEqual(sorted("--sort", "chia", "--metric", "TokenBasedWithMicroAverage"), ["a", "b"]);
  const latex = clinscore(["leaderboard", join(root, "a"), "--output", "latex", "--by", "types"]);
  assert.match(latex.out, /system & condition & mean over types \\\\/);
  const bad = clinscore(["leaderboard", root, "--sort", "gene"]);
  assert.equal(bad.status, 2);
  assert.match(bad.err, /option sort: found "gene", expected ncbi, chia, condition/);
  const none = clinscore(["leaderboard", join(root, "broken.json")]);
  assert.deepEqual([none.status, none.out], [2, ""]);
});

test("the API takes bytes", async () => {
  const input = (/** @type {string} */ path, /** @type {string} */ content) => ({
    path,
    bytes: bytes(content),
  });
  const { view, datasets, outputs, failures } = await scoreBenchmark({
    gold: [input("NCBItestset_corpus.txt", ncbi), input("BioRED/Test.PubTator", biored)],
    predictions: [{ inputs: [input("x/ncbi/p.txt", ncbi), input("x/biored/p.txt", biored)] }],
    outputs: ["ncer", "nervaluate", "problems"],
  });
  assert.deepEqual(failures, []);
  assert.deepEqual(Object.keys(datasets), ["NCBI", "BIORED"]);
  assert.deepEqual(view.systems[0].metrics[0].datasets, [100, 100]);
  assert.equal(JSON.parse(outputs.nervaluate).NCBI.overall.strict.correct, 2);
  assert.equal(typeof JSON.parse(outputs.problems).NCBI, "string");
  const table = await leaderboard({
    results: [input("x.json", outputs.ncer)],
    output: "csv",
    query: { by: "datasets" },
  });
  assert.match(table.output, /^x,SpanBasedWithPartialOverlap,100\.00,100\.00,100\.00\r$/m);
  await assert.rejects(leaderboard({ results: [input("x.json", "[]")] }), ScoreError);
});
