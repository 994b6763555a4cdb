// The same bytes from the native core and from WebAssembly, for every fixture and corpus.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import test, { before } from "node:test";
import { inputsAt } from "../../lib/files.js";
import { score } from "../../lib/index.js";
import { fixtures, root } from "./run.mjs";

const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const program = join(target, "release", "examples", "score");
const outputs = ["report", "nervaluate", "sklearn", "csv", "markdown"];
const shared = process.env.CLINSCORE_SHARED ?? resolve(root, "..", "shared");

before(() => {
  execFileSync("cargo", ["build", "--release", "--quiet", "--example", "score"], { cwd: root });
});

/** The native core sees the paths that the JavaScript API makes: relative to the folder's parent. */
function native(gold, pred, options, output) {
  const parent = dirname(gold);
  const files = (/** @type {string} */ path) => inputsAt(path).map((input) => input.path);
  assert.equal(dirname(pred), parent);
  const run = { gold: files(gold), predictions: { s: files(pred) }, options, output, hash: true };
  const done = spawnSync(program, { cwd: parent, input: JSON.stringify(run), maxBuffer: 1 << 28 });
  assert.equal(done.status, 0, `${done.stderr}`);
  return `${done.stdout}`;
}

async function same(gold, pred, options = {}, kinds = outputs) {
  const { outputs: texts } = await score({
    gold: [gold],
    predictions: [{ name: "s", inputs: [pred] }],
    options,
    // The report comes last natively too: its hashes are in no other output.
    outputs: kinds,
  });
  for (const kind of kinds) assert.equal(texts[kind], native(gold, pred, options, kind), kind);
}

const spans = join(fixtures, "spans");
for (const name of existsSync(spans) ? readdirSync(spans).sort() : []) {
  test(`fixture ${name}`, async () => {
    const at = (/** @type {string} */ file) => join(spans, name, file);
    const labels = JSON.parse(readFileSync(at("labels.json"), "utf8"));
    await same(at("gold.jsonl"), at("pred.jsonl"), { paths: true });
    await same(at("gold.jsonl"), at("pred.jsonl"), { labels, tokens: "whitespace" });
  });
}

test("brat folder", () =>
  same(join(fixtures, "cli", "gold"), join(fixtures, "cli", "system"), { paths: true }));

const corpora = [
  ["chemu/gold", "chemu/system", {}],
  [
    "ncbi-disease/NCBItestset_corpus.txt",
    "ncbi-disease/NCBItestset_corpus.txt",
    { dataset: "NCBI" },
  ],
  ["biored/Test.PubTator", "biored/Test.PubTator", { dataset: "BIORED" }],
];
for (const [gold, pred, options] of corpora) {
  const skip = existsSync(shared) ? false : `${shared} is missing (name it in CLINSCORE_SHARED)`;
  test(`corpus ${basename(gold)} of ${dirname(gold)}`, { skip }, () => {
    const data = (/** @type {string} */ path) => join(shared, "data", path);
    return same(data(gold), data(pred), options, options.dataset ? [...outputs, "ncer"] : outputs);
  });
}
