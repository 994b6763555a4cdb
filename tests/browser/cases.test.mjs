// The cases in the page: the counts and the notes of tests/fixtures/cases/runs.json, by way of its own controls.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { at } from "../../scripts/lib.mjs";
import { choose, open } from "./harness.mjs";
import { click, find, on, scored, textOf, textsOf } from "./page.mjs";

const cases = at("tests", "fixtures", "cases");
/** @type {{case: string, gold: string[], pred: string[], options?: object, strict?: number[], classes?: number[], notes?: string[]}[]} */
const runs = JSON.parse(readFileSync(join(cases, "runs.json"), "utf8"));

/** Waits until the page has read the run file. */
async function optionsAre(
  /** @type {import("puppeteer-core").Page} */ page,
  /** @type {object} */ wanted,
) {
  const now = () =>
    page.$eval(on.files("cs-options"), (panel) => {
      const { options } = /** @type {any} */ (panel).store;
      return JSON.stringify(options, (_, value) => value ?? undefined);
    });
  for (const end = Date.now() + 10_000; (await now()) !== JSON.stringify(wanted); ) {
    assert.ok(Date.now() < end, `the options are ${await now()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("cases", async (t) => {
  const { page, log } = await open(t, "file");
  const folder = mkdtempSync(join(tmpdir(), "clinscore-"));
  t.after(() => rmSync(folder, { recursive: true }));

  async function give(
    /** @type {string} */ role,
    /** @type {string} */ name,
    /** @type {string[]} */ paths,
  ) {
    const whole = paths.map((path) => join(cases, name, path));
    const picker = statSync(whole[0] ?? "").isDirectory() ? "folder" : "files";
    await choose(page, on.files(`#${role}-${picker}`), whole);
  }

  for (const [number, run] of runs.entries()) {
    const options = run.options ?? {};
    await t.test(`case ${run.case} ${JSON.stringify(options)}`, async () => {
      await click(page, on.tab("files"));
      const clear = await page.$(on.files("#remove-all"));
      if (clear) await clear.click();
      await give("gold", run.case, run.gold);
      const config = join(folder, `${number}.json`);
      writeFileSync(config, JSON.stringify(options));
      // Before the predictions, so that there is one score to wait for.
      await find(page, on.files("cs-options >>> #load-run"));
      await choose(page, on.files("cs-options >>> #load-run"), [config]);
      await optionsAre(page, options);
      await give("prediction", run.case, run.pred);
      await scored(page);
      await click(page, on.tab("score"));
      if (run.strict) {
        const row = on.score("#modes >>> tbody tr:nth-child(1) td");
        await find(page, row);
        const cells = await textsOf(page, row);
        const [correct, , , , , possible, actual] = cells.slice(3).map(Number);
        const counts = [
          correct,
          Number(actual) - Number(correct),
          Number(possible) - Number(correct),
        ];
        assert.deepEqual(counts, run.strict);
      }
      if (run.classes) {
        const row = on.score("#classes >>> tbody tr:nth-child(1) td");
        await find(page, row);
        const cells = await textsOf(page, row);
        const [correct, predicted, gold] = cells.slice(3).map(Number);
        const counts = [
          correct,
          Number(predicted) - Number(correct),
          Number(gold) - Number(correct),
        ];
        assert.deepEqual(counts, run.classes);
      }
      const seen = await textOf(page, on.score(".page"));
      for (const words of run.notes ?? [])
        assert.ok(seen.includes(words), `“${words}” in: ${seen}`);
    });
  }
  assert.deepEqual(log.errors, []);
});
