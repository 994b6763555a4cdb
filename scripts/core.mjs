// Compiles a crate to a folder of dist/. A file of its own, so that other scripts' changes do not rebuild
// what it made.
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { at, cargoHome, outputOf, root, run } from "./lib.mjs";

/** The core, and the tokenizer, which is loaded only where one is given. */
export const modules = {
  wasm: { crate: ".", name: "clinscore" },
  tokenizer: { crate: "crates/tokenizer", name: "tokenizer" },
};

/** Builds dist/`out`/; the bytes depend on the sources and tools alone. */
export function buildModule(/** @type {keyof typeof modules} */ out) {
  const { crate, name } = modules[out];
  const made = at(".cache", out);
  const manifest = join(crate, "Cargo.toml");
  run("cargo", ["fetch", "--target", "wasm32-unknown-unknown", "--manifest-path", manifest]);
  // Where the sources lie must not show in the bytes.
  const registry = join(cargoHome, "registry", "src");
  const registries = existsSync(registry) ? readdirSync(registry) : [];
  const flags = [
    [root.replace(/[\\/]$/, ""), "."],
    [cargoHome, "cargo"],
    ...registries.map((name) => [join(registry, name), "crates"]),
    [outputOf("rustc", "--print", "sysroot"), "rust"],
  ].map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
  run(
    "wasm-pack",
    ["build", crate]
      .concat("--release --target web --no-pack --mode no-install".split(" "))
      .concat("--out-name", name, "--out-dir", made),
    { env: { CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS: flags.join(" ") } },
  );
  // In place at once, and only when it is whole.
  rmSync(join(made, ".gitignore"), { force: true });
  rmSync(at("dist", out), { recursive: true, force: true });
  renameSync(made, at("dist", out));
}
