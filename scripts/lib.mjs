// What the scripts share. Node built-ins only: they run before anything is installed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
export const at = (/** @type {string[]} */ ...parts) => join(root, ...parts);

/** Where `cargo install` puts programs, and where ours go when another version stands there. */
export const cargoHome = process.env.CARGO_HOME ?? join(homedir(), ".cargo");
export const ownTools = at(".cache", "tools");

/** The environment of every child: our tools first. */
export const env = {
  ...process.env,
  PATH: [
    join(ownTools, "bin"),
    join(cargoHome, "bin"),
    at("node_modules", ".bin"),
    process.env.PATH,
  ].join(delimiter),
};

/** In CI a missing optional tool is a failure. */
export const inCI = ["true", "1"].includes(process.env.CI ?? "");

/** Why a script cannot go on, as a plain sentence. */
class Failure extends Error {}

/** Ends the script, or the layer of `npm test`. @returns {never} */
export function fail(/** @type {string} */ message) {
  throw new Failure(message);
}

/**
 * Does a script's work where it is the one that was started; a failure is told without a stack.
 * @param {ImportMeta} script
 * @param {() => void | Promise<void>} work
 */
export async function main(script, work) {
  const started = process.argv[1];
  if (!started || realpathSync(started) !== fileURLToPath(script.url)) return;
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}

/**
 * Runs a program with our output, and tells whether it succeeded.
 * @param {string} program
 * @param {string[]} args
 * @param {{env?: NodeJS.ProcessEnv}} [options]
 */
export function tryRun(program, args, options = {}) {
  console.log(`$ ${[program, ...args].join(" ").replaceAll(root, "")}`);
  const done = spawnSync(program, args, {
    cwd: root,
    stdio: "inherit",
    env: { ...env, ...options.env },
  });
  if (done.error) console.error(`${program} could not be started: ${done.error.message}`);
  return done.status === 0;
}

/** Runs a program and ends the script where it fails. @type {typeof tryRun} */
export function run(program, args, options) {
  return tryRun(program, args, options) || fail(`${program} failed.`);
}

/** What a program prints, or undefined where it is missing or fails. */
export function outputOf(/** @type {string} */ program, /** @type {string[]} */ ...args) {
  const done = spawnSync(program, args, { cwd: root, env, encoding: "utf8" });
  return done.status === 0 ? done.stdout.trim() : undefined;
}

/** Every file below a path (or the file itself), in code point order, with `/` between parts. */
export function filesBelow(/** @type {string} */ path) {
  if (!existsSync(at(path))) return [];
  if (statSync(at(path)).isFile()) return [path];
  return readdirSync(at(path), { recursive: true, encoding: "utf8" })
    .map((name) => `${path}/${name.replaceAll("\\", "/")}`)
    .filter((file) => statSync(at(file)).isFile())
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** One hash over files and further facts: equal when a build from them would be equal. */
export function fingerprint(
  /** @type {string[]} */ paths,
  /** @type {(string | undefined)[]} */ facts = [],
) {
  const hash = createHash("sha256").update(JSON.stringify(facts));
  for (const file of paths.flatMap(filesBelow)) {
    hash.update(`\0${file}\0`).update(readFileSync(at(file)));
  }
  return hash.digest("hex");
}
