// Builds dist/: the core and the tokenizer as WASM, then both pages. What is up to date stays as it is.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { buildModule } from "./core.mjs";
import { at, fail, filesBelow, fingerprint, main, outputOf, root, run } from "./lib.mjs";
import { policyFor } from "./policy.mjs";
import { setup } from "./setup.mjs";

const scripts = ["scripts/build.mjs", "scripts/policy.mjs", "package-lock.json"];
const cratesInputs = [".cargo/config.toml", "scripts/core.mjs"];
const crateInputs = (/** @type {string} */ folder) =>
  ["src", "Cargo.toml", "Cargo.lock"].map((name) => folder + name).concat(cratesInputs);
const pageInputs = ["www", "dist/wasm", "dist/tokenizer", "package.json", ...scripts];
const wasmFile = "dist/wasm/clinscore_bg.wasm";
const tokenizerFile = "dist/tokenizer/tokenizer_bg.wasm";
const pages = ["dist/clinscore.html", "dist/site/index.html", "dist/site/app.js"];

export const singleFile = at(pages[0]);
export const site = at("dist", "site");

/**
 * Runs a step unless its inputs and outputs are as it left them.
 * @param {string} name
 * @param {{inputs: string[], outputs: string[], facts?: (string | undefined)[]}} about
 * @param {() => void | Promise<void>} work
 */
async function step(name, { inputs, outputs, facts }, work) {
  const stamp = at("dist", `.${name}`);
  // Inputs before the work: what changes meanwhile is not in the outputs.
  const before = fingerprint(inputs, facts);
  const now = () => `${before} ${fingerprint(outputs, facts)}`;
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === now()) {
    console.log(`${name}: up to date`);
    return;
  }
  console.log(`${name}: building`);
  const start = performance.now();
  mkdirSync(at("dist"), { recursive: true });
  rmSync(stamp, { force: true });
  await work();
  writeFileSync(stamp, now());
  console.log(`${name}: built in ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

/** The types of the JavaScript API, from its JSDoc. */
function buildTypes() {
  const options =
    "--ignoreConfig --allowJs --declaration --emitDeclarationOnly --rootDir . --module nodenext --target es2022 --types node --skipLibCheck";
  run("tsc", ["lib/index.js", ...options.split(" "), "--outDir", "dist/types"]);
}

/** gzip without time or system in its header. */
function compress(/** @type {Buffer} */ bytes) {
  const gz = gzipSync(bytes, { level: 9 });
  gz[9] = 255;
  return gz;
}

/** The modules `clinscore:…` that the page imports. @returns {import("esbuild").Plugin} */
function virtualModules(/** @type {Record<string, unknown>} */ modules) {
  return {
    name: "clinscore",
    setup(build) {
      build.onResolve({ filter: /^clinscore:/ }, ({ path }) => ({ path, namespace: "clinscore" }));
      build.onLoad({ filter: /.*/, namespace: "clinscore" }, ({ path }) => ({
        contents: JSON.stringify(modules[path] ?? fail(`There is no module ${path}.`)),
        loader: "json",
      }));
    },
  };
}

/** Bundles one entry point into a classic script. */
async function bundle(
  /** @type {string} */ entry,
  /** @type {import("esbuild").Plugin[]} */ plugins,
) {
  const esbuild = await import("esbuild");
  /** @type {import("esbuild").BuildOptions & {write: false}} */
  const options = {
    entryPoints: [at(entry)],
    absWorkingDir: root,
    bundle: true,
    format: "iife",
    target: "es2022",
    minify: true,
    charset: "ascii",
    legalComments: "eof",
    write: false,
    logLevel: "warning",
    // The core's own loader looks at it; the page hands the bytes over instead.
    define: { "import.meta.url": '""' },
    plugins,
  };
  try {
    return (await esbuild.build(options)).outputFiles[0].text;
  } catch {
    return fail(`${entry} could not be bundled.`);
  }
}

/** Adds the policy to a page; scripts and styles must be in place. */
function withPolicy(/** @type {string} */ html) {
  const tag = `<meta http-equiv="Content-Security-Policy" content="${policyFor(html)}">`;
  return html.replace(/<meta charset="utf-8"\s*\/?>/i, (charset) => `${charset}\n${tag}`);
}

function withScript(/** @type {string} */ html, /** @type {string} */ script) {
  return html.replace("</body>", () => `${script}\n</body>`);
}

function exampleFiles() {
  const folder = "www/example/";
  return Object.fromEntries(
    filesBelow("www/example").map((file) => [
      file.slice(folder.length),
      readFileSync(at(file), "utf8"),
    ]),
  );
}

async function buildPages() {
  const app = await bundle("www/src/main.ts", [
    virtualModules({
      "clinscore:worker": await bundle("www/worker/worker.ts", []),
      "clinscore:wasm": compress(readFileSync(at(wasmFile))).toString("base64"),
      "clinscore:tokenizer": compress(readFileSync(at(tokenizerFile))).toString("base64"),
      "clinscore:example": exampleFiles(),
      "clinscore:version": {
        version: JSON.parse(readFileSync(at("package.json"), "utf8")).version,
      },
    }),
  ]);
  // These two would change how an HTML parser reads an inline script.
  const inline = app.replace(/<(?=!--|\/?script)/gi, "\\x3C");
  const template = readFileSync(at("www", "index.html"), "utf8");
  mkdirSync(site, { recursive: true });
  writeFileSync(singleFile, withPolicy(withScript(template, `<script>${inline}</script>`)));
  writeFileSync(at(pages[1]), withPolicy(withScript(template, '<script src="app.js"></script>')));
  writeFileSync(at(pages[2]), app);
}

function printSizes() {
  for (const file of [wasmFile, tokenizerFile, ...pages]) {
    const bytes = readFileSync(at(file));
    const kB = (/** @type {Buffer} */ b) => `${(b.length / 1000).toFixed(1)} kB`.padStart(12);
    console.log(`${kB(bytes)} ${kB(gzipSync(bytes))} gzip'd  ${file}`);
  }
}

export async function build() {
  const facts = [
    outputOf("rustc", "-V"),
    ...["wasm-pack", "wasm-bindgen", "wasm-opt"].map((tool) => outputOf(tool, "--version")),
  ];
  await step("core", { inputs: crateInputs(""), outputs: ["dist/wasm"], facts }, () =>
    buildModule("wasm"),
  );
  await step(
    "tokenizer",
    { inputs: crateInputs("crates/tokenizer/"), outputs: ["dist/tokenizer"], facts },
    () => buildModule("tokenizer"),
  );
  await step(
    "types",
    {
      inputs: [
        "lib",
        "dist/wasm/clinscore.d.ts",
        "dist/tokenizer/tokenizer.d.ts",
        "package-lock.json",
      ],
      outputs: ["dist/types"],
    },
    buildTypes,
  );
  await step("page", { inputs: pageInputs, outputs: pages }, buildPages);
  printSizes();
}

await main(import.meta, () => {
  setup();
  return build();
});
