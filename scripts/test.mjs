// Everything that must hold, layer by layer; a failing layer does not hide the next.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { howToGet, programOf } from "./browsers.mjs";
import { build } from "./build.mjs";
import { at, fingerprint, inCI, main, outputOf, tryRun } from "./lib.mjs";
import { setup } from "./setup.mjs";

/**
 * A layer tells whether it passed, or why it cannot run here.
 * @typedef {boolean | {skip: string}} Verdict
 */

const wasmTarget = "wasm32-unknown-unknown";
const denyWarnings = ["--", "-D", "warnings"];
const tokenizer = ["--manifest-path", "crates/tokenizer/Cargo.toml"];
const { CLINSCORE_SHARED: shared = at("..", "shared") } = process.env;

/** Native builds of the tests: optimised, without the shipped build's slow linking. */
const quick = { CARGO_PROFILE_RELEASE_LTO: "off", CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "16" };

/** Runs every command, also after one failed. */
const all = (/** @type {string[][]} */ ...commands) =>
  commands.map(([program, ...args]) => tryRun(program, args, { env: quick })).every(Boolean);

const lints = () =>
  all(
    ["cargo", "fmt", "--all", "--check"],
    ["cargo", "clippy", "--all-targets", "--features", "schema", ...denyWarnings],
    ["cargo", "clippy", "--lib", "--target", wasmTarget, ...denyWarnings],
    ["cargo", "fmt", "--check", ...tokenizer],
    ["cargo", "clippy", "--all-targets", ...tokenizer, ...denyWarnings],
    ["cargo", "clippy", "--lib", "--target", wasmTarget, ...tokenizer, ...denyWarnings],
    ["tsc", "-p", "."],
    ["tsc", "-p", "www"],
    ["tsc", "-p", "www/worker"],
    ["biome", "ci", `--colors=${process.stdout.isTTY ? "force" : "off"}`],
    ["node", "scripts/example.mjs", "--check"],
    ["node", "scripts/types.mjs", "--check"],
  );

const rustTests = () =>
  all(["cargo", "test", "--release", "--features", "schema"], ["cargo", "test", ...tokenizer]);

/** The references' own Python, in an environment of ours. @returns {Verdict} */
function pythonReferences() {
  const check = "import sys, venv, ensurepip; print(sys.version_info >= (3, 11))";
  if (outputOf("python3", "-c", check) !== "True") {
    return { skip: "Python 3.11 or later is missing (Debian: apt-get install python3-venv)" };
  }
  const venv = at(".cache", "venv");
  const python = at(".cache", "venv", process.platform === "win32" ? "Scripts" : "bin", "python");
  const requirements = "tests/reference/requirements.txt";
  const stamp = at(".cache", "venv", ".clinscore-requirements");
  const wanted = fingerprint([requirements]);
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
    const made =
      tryRun("python3", ["-m", "venv", "--clear", venv]) &&
      tryRun(python, ["-m", "pip", "install", "--quiet", "-r", requirements]);
    if (!made) return false;
    writeFileSync(stamp, wanted);
  }
  return all([python, "tests/reference/run.py"]);
}

/** The shared corpora: tests that need them skip without. @returns {Verdict} */
function sharedCorpora() {
  if (existsSync(shared)) return true;
  return { skip: `${shared} is missing: name the folder in CLINSCORE_SHARED` };
}

function nodeTests(/** @type {string} */ folder, /** @type {NodeJS.ProcessEnv} */ env = {}) {
  const files = readdirSync(at(folder)).filter((name) => name.endsWith(".test.mjs"));
  const args = ["--test", ...files.sort().map((name) => `${folder}/${name}`)];
  return tryRun(process.execPath, args, { env: { ...quick, ...env } });
}

/** @returns {Verdict} */
function browserTests(/** @type {import("./browsers.mjs").BrowserName} */ browser) {
  if (!programOf(browser)) return { skip: howToGet(browser) };
  return nodeTests("tests/browser", { BROWSER: browser });
}

/** @type {{name: string, needsBuild?: boolean, test: () => Verdict | Promise<Verdict>}[]} */
const layers = [
  { name: "Build", test: () => build().then(() => true) },
  { name: "Formatting and lints", needsBuild: true, test: lints },
  { name: "Rust tests", test: rustTests },
  { name: "Shared corpora", test: sharedCorpora },
  { name: "Python references", needsBuild: true, test: pythonReferences },
  { name: "Node tests", needsBuild: true, test: () => nodeTests("tests/node") },
  { name: "Chromium tests", needsBuild: true, test: () => browserTests("chromium") },
  { name: "Firefox tests", needsBuild: true, test: () => browserTests("firefox") },
];

/** A layer that throws has failed. */
async function attempt(/** @type {() => Verdict | Promise<Verdict>} */ test) {
  try {
    return await test();
  } catch (error) {
    console.error(error);
    return false;
  }
}

await main(import.meta, async () => {
  setup();
  /** @type {{name: string, outcome: string, seconds: number, why: string}[]} */
  const results = [];
  for (const { name, needsBuild, test } of layers) {
    console.log(`\n=== ${name} ===`);
    const start = performance.now();
    const built = results[0]?.outcome === "passed";
    const verdict = needsBuild && !built ? { skip: "the build failed" } : await attempt(test);
    const skip = typeof verdict === "object" ? verdict.skip : "";
    if (skip) console.log(`skipped: ${skip}`);
    results.push({
      name,
      outcome: skip && !inCI ? "skipped" : verdict === true ? "passed" : "failed",
      seconds: (performance.now() - start) / 1000,
      why: skip,
    });
  }

  console.log("\n=== Summary ===");
  for (const { name, outcome, seconds, why } of results) {
    console.log(
      `${outcome.padEnd(8)} ${seconds.toFixed(1).padStart(7)} s  ${name}${why && `: ${why}`}`,
    );
  }
  const count = (/** @type {string} */ outcome) =>
    results.filter((result) => result.outcome === outcome).length;
  console.log(
    `\n${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped`,
  );
  process.exitCode = count("failed") ? 1 : 0;
});
