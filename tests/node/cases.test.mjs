// The cases on the command line: the counts and the words of tests/fixtures/cases/runs.json.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { clinscore, fixtures } from "./run.mjs";

const folder = mkdtempSync(join(tmpdir(), "clinscore-"));
test.after(() => rmSync(folder, { recursive: true }));

/** @type {{case: string, gold: string[], pred: string[], options?: object, strict?: number[], classes?: number[], notes?: string[], problems?: string[]}[]} */
const runs = JSON.parse(readFileSync(`${fixtures}cases/runs.json`, "utf8"));
for (const [number, run] of runs.entries()) {
  const options = run.options ?? {};
  test(`case ${run.case} ${JSON.stringify(options)}`, () => {
    const config = join(folder, `${number}.json`);
    writeFileSync(config, JSON.stringify(options));
    const args = ["score", "--gold", ...run.gold, "--pred", ...run.pred, "--config", config];
    const { status, out, err } = clinscore(args, { cwd: `${fixtures}cases/${run.case}` });
    assert.equal(status, 0, err);
    const [system] = JSON.parse(out).systems;
    if (run.strict) {
      const { correct, actual, possible } = system.spans.overall.strict;
      assert.deepEqual([correct, actual - correct, possible - correct], run.strict);
    }
    if (run.classes) {
      const { correct, predicted, gold } = system.classes.overall;
      assert.deepEqual([correct, predicted - correct, gold - correct], run.classes);
    }
    for (const words of [...(run.notes ?? []), ...(run.problems ?? [])])
      assert.ok(err.includes(words), `“${words}” in:\n${err}`);
  });
}
