// Runs the command line and the native core for the tests.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const fixtures = fileURLToPath(new URL("../fixtures/", import.meta.url));

/**
 * Runs `clinscore …` in tests/fixtures/cli.
 * @param {string[]} args
 * @param {{input?: string | Buffer, cwd?: string}} [options]
 */
export function clinscore(args, { input, cwd = `${fixtures}cli` } = {}) {
  const program = `${root}bin/clinscore.js`;
  const done = spawnSync(process.execPath, [program, ...args], { cwd, input, maxBuffer: 1 << 28 });
  return { status: done.status, out: done.stdout.toString(), err: done.stderr.toString() };
}
