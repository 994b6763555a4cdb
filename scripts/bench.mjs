// Speed, side by side: each row times clinscore and its yardstick by turns in one run and prints the ratio.
// Nothing is asserted. usage: npm run bench [-- --runs 7] [--skip-python]
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";
import { scorer } from "../benches/score.js";
import { programOf } from "./browsers.mjs";
import { build } from "./build.mjs";
import { at, main, run } from "./lib.mjs";
import { serve } from "./server.mjs";

const runs = Number(flag("--runs") ?? 5);
const shared = process.env.CLINSCORE_SHARED ?? at("..", "shared");
const python = at(".cache", "venv", "bin", "python");

function flag(/** @type {string} */ name) {
  const place = process.argv.indexOf(name);
  return place < 0 ? undefined : process.argv[place + 1];
}

/** Makes a benchmark corpus once. Returns its two files. */
function corpus(/** @type {string} */ name, /** @type {string[]} */ args) {
  const folder = at(".cache", name);
  const files = ["gold.jsonl", "pred.jsonl"].map((file) => at(".cache", name, file));
  if (!files.every((file) => existsSync(file))) {
    mkdirSync(folder, { recursive: true });
    run("python3", [`${shared}/tools/gen_corpus.py`, folder, ...args]);
  }
  return files;
}

const median = (/** @type {number[]} */ times) =>
  [...times].sort((a, b) => a - b)[times.length >> 1];

/** Times two things by turns after one warm-up each; medians in milliseconds. */
function byTurns(/** @type {() => number} */ ours, /** @type {() => number} */ yardstick) {
  const times = /** @type {[number[], number[]]} */ ([[], []]);
  ours();
  yardstick();
  for (let turn = 0; turn < runs; turn += 1) {
    times[0].push(ours());
    times[1].push(yardstick());
  }
  return { ours: median(times[0]), yardstick: median(times[1]) };
}

/** @type {{name: string, ours: number, yardstick: number, bar: string}[]} */
const rows = [];
function row(
  /** @type {string} */ name,
  /** @type {{ours: number, yardstick: number}} */ { ours, yardstick },
  /** @type {string} */ bar,
) {
  rows.push({ name, ours, yardstick, bar });
  const ratio = bar.includes("faster")
    ? `${(yardstick / ours).toFixed(1)} × faster`
    : `${(ours / yardstick).toFixed(2)} ×`;
  console.log(
    `${name.padEnd(58)} ${ours.toFixed(0).padStart(7)} ms ${yardstick.toFixed(0).padStart(8)} ms  ${ratio.padEnd(14)} bar ${bar}`,
  );
}

async function inNode(/** @type {string[]} */ files) {
  const core = await import(pathToFileURL(at("dist", "wasm", "clinscore.js")).href);
  const { parseAll } = await import(pathToFileURL(`${shared}/tools/json_yardstick.mjs`).href);
  core.initSync({ module: readFileSync(at("dist", "wasm", "clinscore_bg.wasm")) });
  const bench = scorer(core.Session);
  const read = () => files.map((file) => new Uint8Array(readFileSync(file)));
  const parse = (/** @type {Uint8Array[]} */ buffers) => {
    const start = performance.now();
    parseAll(buffers);
    return performance.now() - start;
  };
  return { bench, parse, read };
}

/** One cold run in a process of its own. */
async function cold(/** @type {string} */ what, /** @type {string[]} */ files) {
  const { bench, parse, read } = await inNode(files);
  const buffers = read();
  console.log(what === "parse" ? parse(buffers) : bench(buffers, what));
}

function coldRuns(/** @type {string} */ what, /** @type {string[]} */ files) {
  const times = Array.from({ length: runs }, () => {
    const child = spawnSync(
      process.execPath,
      [at("scripts", "bench.mjs"), "--cold", what, ...files],
      {
        encoding: "utf8",
      },
    );
    return Number(child.stdout.trim());
  });
  return median(times);
}

async function inChromium(/** @type {string[]} */ files) {
  const folder = at(".cache", "bench");
  mkdirSync(folder, { recursive: true });
  const copies = ["clinscore.js", "clinscore_bg.wasm"].map((name) => at("dist", "wasm", name));
  for (const path of [...copies, at("benches", "score.js"), ...files])
    copyFileSync(path, join(folder, basename(path)));
  // Without its Node parts.
  const yardstick = readFileSync(`${shared}/tools/json_yardstick.mjs`, "utf8")
    .replace(/^import .*$/gm, "")
    .replace(/^if \(process[\s\S]*/m, "");
  writeFileSync(join(folder, "yardstick.js"), yardstick);
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>bench</title>");
  const server = await serve(folder);
  const browser = await puppeteer.launch({
    executablePath: programOf("chromium"),
    args: [
      "--no-sandbox --disable-quic --no-first-run --disable-background-networking",
      "--disable-component-update --disable-sync",
    ].flatMap((flags) => flags.split(" ")),
  });
  try {
    const page = await browser.newPage();
    // The page's policy would forbid what the benchmark does: fetch and eval.
    await page.setBypassCSP(true);
    await page.goto(server.url);
    return /** @type {Record<string, {ours: number, yardstick: number}>} */ (
      await page.evaluate(async (runs) => {
        // @ts-expect-error served by this script
        const core = await import("/clinscore.js");
        // @ts-expect-error likewise
        const { parseAll } = await import("/yardstick.js");
        await core.default("/clinscore_bg.wasm");
        // @ts-expect-error likewise
        const { scorer } = await import("/score.js");
        const bench = scorer(core.Session);
        const load = async (/** @type {string} */ path) =>
          new Uint8Array(await (await fetch(path)).arrayBuffer());
        const buffers = [await load("/gold.jsonl"), await load("/pred.jsonl")];
        const parse = () => {
          const start = performance.now();
          parseAll(buffers);
          return performance.now() - start;
        };
        const middle = (/** @type {number[]} */ times) =>
          times.sort((a, b) => a - b)[times.length >> 1];
        /** @type {Record<string, {ours: number, yardstick: number}>} */
        const out = {};
        for (const tokens of ["none", "words"]) {
          const ours = [];
          const yardstick = [];
          bench(buffers, tokens);
          parse();
          for (let turn = 0; turn < runs; turn += 1) {
            ours.push(bench(buffers, tokens));
            yardstick.push(parse());
          }
          out[tokens] = { ours: middle(ours), yardstick: middle(yardstick) };
        }
        return out;
      }, runs)
    );
  } finally {
    await browser.close();
    await server.close();
  }
}

/** Loads and scores with nervaluate in Python; milliseconds of one run. */
function nervaluate(/** @type {string[]} */ files) {
  const child = spawnSync(python, [at("benches", "nervaluate_run.py"), ...files], {
    encoding: "utf8",
  });
  return child.status === 0 ? Number(child.stdout.trim()) : undefined;
}

await main(import.meta, async () => {
  const coldAt = process.argv.indexOf("--cold");
  if (coldAt > 0) {
    await cold(process.argv[coldAt + 1], process.argv.slice(coldAt + 2));
    return;
  }
  if (!existsSync(shared)) {
    console.log("The benchmark corpora need the shared folder: set CLINSCORE_SHARED to it.");
    return;
  }
  await build();
  const d20k = corpus("d20k", ["--docs", "20000"]);
  const long = corpus("long", ["--docs", "125", "--tokens", "8000", "--spans", "800"]);
  const { bench, parse, read } = await inNode(d20k);
  const buffers = read();
  console.log(`medians of ${runs} after a warm-up, by turns; Python: one run`);
  console.log(`${"what".padEnd(58)} ${"clinscore".padStart(10)} ${"yardstick".padStart(11)}`);
  const spans = byTurns(
    () => bench(buffers, "none"),
    () => parse(buffers),
  );
  row("span report, d20k, Node; yardstick JSON.parse", spans, "≤ 0.5 ×");
  const tokens = byTurns(
    () => bench(buffers, "words"),
    () => parse(buffers),
  );
  row("span and token report, d20k, Node; JSON.parse", tokens, "≤ 1.0 ×");
  const parseCold = coldRuns("parse", d20k);
  row(
    "span report, d20k, Node, cold; JSON.parse, cold",
    { ours: coldRuns("none", d20k), yardstick: parseCold },
    "≤ 1.5 ×",
  );
  try {
    const chromium = await inChromium(d20k);
    row("span report, d20k, Chromium; JSON.parse", chromium.none, "≤ 0.5 ×");
    row("span and token report, d20k, Chromium; JSON.parse", chromium.words, "≤ 1.0 ×");
  } catch (error) {
    console.log(`Chromium: skipped (${error instanceof Error ? error.message : error})`);
  }
  if (process.argv.includes("--skip-python") || !existsSync(python)) {
    console.log("nervaluate: skipped; npm test makes its Python environment");
    return;
  }
  for (const [name, files, time, bar] of /** @type {[string, string[], number, string][]} */ ([
    [
      "span report, d20k, Node; nervaluate 0.1.8, load and score",
      d20k,
      spans.ours,
      "≥ 30 × faster",
    ],
    ["span report, long, Node; nervaluate 0.1.8, load and score", long, 0, "≥ 300 × faster"],
  ])) {
    let ours = time;
    if (!ours) {
      const small = files.map((file) => new Uint8Array(readFileSync(file)));
      bench(small, "none");
      ours = median(Array.from({ length: runs }, () => bench(small, "none")));
    }
    const yardstick = nervaluate(files);
    if (yardstick) row(name, { ours, yardstick }, bar);
  }
});
