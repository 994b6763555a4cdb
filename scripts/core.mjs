// Compiles the core to dist/wasm/. A file of its own, so that other scripts' changes do not rebuild it.
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { at, cargoHome, outputOf, root, run } from "./lib.mjs";

/** Builds dist/wasm/; the bytes depend on the sources and tools alone. */
export function buildCore() {
  const made = at(".cache", "wasm");
  run("cargo", ["fetch", "--target", "wasm32-unknown-unknown"]);
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
    "build --release --target web --no-pack --mode no-install --out-name clinscore"
      .split(" ")
      .concat("--out-dir", made),
    { env: { CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS: flags.join(" ") } },
  );
  // In place at once, and only when it is whole.
  rmSync(join(made, ".gitignore"), { force: true });
  rmSync(at("dist", "wasm"), { recursive: true, force: true });
  renameSync(made, at("dist", "wasm"));
}
