// The answer beside the note: items and spans point at each other, by mouse and by keyboard.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, open } from "./harness.mjs";
import { click, find, give, on, record, scored, textsOf, waitForText } from "./page.mjs";

test("answers", async (t) => {
  const { page } = await open(t, "file");
  await give(page, "gold", {
    "gold.jsonl": record("1", "Takes aspirin daily.", [
      [6, 13, "drug"],
      [14, 19, "drug"],
    ]),
  });
  const response = '{"drug": ["aspirin", "statin"]}';
  await give(page, "prediction", { "p.jsonl": JSON.stringify({ id: "1", response }) });
  await scored(page);
  await click(page, on.tab("why"));
  const answer = (/** @type {string} */ inner) => on.why(`cs-answer >>> ${inner}`);
  await waitForText(page, answer(".text"), /"aspirin/);
  assert.deepEqual(await textsOf(page, answer(".legend li")), ["1 in the note", "1 hallucinated"]);
  assert.equal((await page.$$(answer(".text .piece.hallucinated"))).length, 1);

  const item = await find(page, answer(".text .piece.span"));
  await item.focus();
  const words = await find(page, on.why("cs-note >>> .shown"));
  assert.equal(await words.evaluate((node) => node.textContent), "aspirin");
  await page.keyboard.press("Enter");
  await find(page, on.why("cs-note >>> .picked"));
  await item.evaluate((node) => /** @type {HTMLElement} */ (node).blur());
  await (await find(page, on.why("cs-note >>> [data-predicted='0']"))).hover();
  await find(page, answer(".text .piece.shown"));

  for (const [width, theme] of /** @type {const} */ ([
    [1400, "dark"],
    [1400, "light"],
    [320, "light"],
  ])) {
    await page.setViewport({ width, height: 800 });
    await page.$eval(on.app, (app, theme) => app.setAttribute("theme", theme), theme);
    assert.deepEqual(await axe(page), [], `${theme}, ${width} px`);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(over <= 0, `scrolls sideways by ${over} px at ${width} px`);
  }
});
