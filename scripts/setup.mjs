// Installs what the project needs, once: the WASM target, npm packages, wasm-bindgen, wasm-pack.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at, cargoHome, fail, fingerprint, main, outputOf, ownTools, run } from "./lib.mjs";

const wasmPack = "0.15.1";
const target = "wasm32-unknown-unknown";
const getRust = "Install Rust (stable) with rustup, see rust-lang.org, then run this again.";

/** The library and the tool must be of one version: Cargo.lock says which. */
function wasmBindgen() {
  const pin = /name = "wasm-bindgen"\r?\nversion = "([^"]+)"/.exec(
    readFileSync(at("Cargo.lock"), "utf8"),
  );
  return pin?.[1] ?? fail("Cargo.lock names no wasm-bindgen.");
}

function checkNode() {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < 20) fail(`Node ${process.versions.node} is too old: Node 20 or later is needed.`);
}

function checkRust() {
  if (!outputOf("cargo", "--version")) fail(`cargo is missing. ${getRust}`);
  const sysroot = outputOf("rustc", "--print", "sysroot") ?? "";
  if (existsSync(join(sysroot, "lib", "rustlib", target))) return;
  if (!outputOf("rustup", "--version")) {
    fail(`The Rust target ${target} is missing, and so is rustup, which adds it. ${getRust}`);
  }
  run("rustup", ["target", "add", target]);
}

function npmPackages() {
  const stamp = at("node_modules", ".clinscore-lock");
  const wanted = fingerprint(["package-lock.json"]);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  const npm = process.env.npm_execpath;
  if (npm) run(process.execPath, [npm, "ci"]);
  else run("npm", ["ci"]);
  writeFileSync(stamp, wanted);
}

function cargoTool(
  /** @type {string} */ program,
  /** @type {string} */ crate,
  /** @type {string} */ version,
  /** @type {string[]} */ flags,
) {
  const found = outputOf(program, "--version");
  if (found?.split(" ")[1] === version) return;
  console.log(`Installing ${crate} ${version}: once, a few minutes.`);
  // Somebody's other version stays where it is.
  const place = existsSync(join(cargoHome, "bin", program)) ? ["--root", ownTools] : [];
  run("cargo", ["install", crate, "--version", version, ...flags, ...place]);
}

export function setup() {
  checkNode();
  checkRust();
  npmPackages();
  cargoTool("wasm-bindgen", "wasm-bindgen-cli", wasmBindgen(), []);
  cargoTool("wasm-pack", "wasm-pack", wasmPack, ["--locked"]);
}

await main(import.meta, () => {
  setup();
  console.log("Everything needed is installed.");
});
