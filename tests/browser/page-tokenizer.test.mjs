// A model's own tokenizer, dropped beside the files: what the page says of it, and whose tokens are scored.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { at } from "../../scripts/lib.mjs";
import { builds, open, served } from "./harness.mjs";
import { click, find, give, on, pick, record, scored, textOf, waitForText } from "./page.mjs";

/** @typedef {import("puppeteer-core").Page} Page */

const file = (/** @type {string} */ kind) =>
  readFileSync(at("tests", "fixtures", "tokenizers", `${kind}.json`), "utf8");
const text = "Café pain 😀";
const row = on.files("#sources .tokenizer");
const words = `${row} .words`;

/** Gives gold and two systems, and waits for their scores. */
async function giveFiles(/** @type {Page} */ page) {
  const content = record("1", text, [[5, 9, "Problem"]]);
  await give(page, "gold", { "gold.jsonl": content });
  await give(page, "prediction", { "a.jsonl": content, "b.jsonl": content });
  assert.deepEqual(await scored(page), ["1.0000", "1.0000"]);
}

/** Where each system's tokens come from and how many there are, once the report is as wanted. */
async function waitForTokens(/** @type {Page} */ page, /** @type {unknown} */ wanted) {
  const look = () =>
    page.$eval(on.app, (app) =>
      Reflect.get(app, "store").report?.systems.map(
        (/** @type {any} */ { tokens, tokens_missing }) =>
          tokens ? [tokens.tokens_from, tokens.tokens] : tokens_missing,
      ),
    );
  let seen = await look();
  for (const end = Date.now() + 15_000; Date.now() < end; seen = await look()) {
    if (JSON.stringify(seen) === JSON.stringify(wanted)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.deepEqual(seen, wanted);
}

// Numbers of tokens: as in tests/node/tokenizer.test.mjs.
for (const where of builds) {
  test(`a dropped tokenizer.json makes the tokens (${where})`, async (t) => {
    const { page, log } = await open(t, where);
    await giveFiles(page);
    await waitForTokens(page, [
      ["words", 3],
      ["words", 3],
    ]);
    const before = served.length;
    await give(page, "prediction", { "tokenizer.json": file("wordpiece") });
    await waitForTokens(page, [
      ["tokenizer", 5],
      ["tokenizer", 5],
    ]);
    await waitForText(
      page,
      words,
      /^WordPiece, 260 entries; its truncation at 16 tokens and padding switched off$/,
    );
    await click(page, on.tab("score"));
    await waitForText(
      page,
      on.score(".tokens"),
      /the tokens of the WordPiece tokenizer\.json \(260 entries\), its truncation/,
    );
    assert.equal(served.length, before, "nothing was asked of the server");
    assert.deepEqual(log.errors, []);
  });
}

test("a system's own tokenizer, another for all, and none", async (t) => {
  const { page, log } = await open(t, "file");
  await give(page, "gold", { "bert.json": file("wordpiece") });
  await waitForText(page, `${row} .given`, /bert\.json/);
  await giveFiles(page);
  // A name says nothing, the content does.
  await waitForTokens(page, [
    ["tokenizer", 5],
    ["tokenizer", 5],
  ]);
  await pick(page, `${row} .of`, "b");
  await waitForTokens(page, [
    ["words", 3],
    ["tokenizer", 5],
  ]);
  await give(page, "gold", { "tokenizer.json": file("bpe") });
  await waitForTokens(page, [
    ["tokenizer", 9],
    ["tokenizer", 5],
  ]);
  await page.$eval(on.app, (app) => Reflect.get(app, "store").setOptions({ tokens: "words" }));
  await waitForText(page, words, /not used/);
  await page.$eval(on.app, (app) => Reflect.get(app, "store").setOptions({ tokens: "tokenizer" }));
  await waitForTokens(page, [
    ["tokenizer", 9],
    ["tokenizer", 5],
  ]);
  // The system goes with its tokenizer; what is left is everyone's.
  await page.$eval(on.app, (app) => {
    const store = Reflect.get(app, "store");
    store.remove(store.sources.at(-1).id);
  });
  await waitForTokens(page, [["tokenizer", 9]]);
  await click(page, `${row} button`);
  await waitForText(
    page,
    `${on.app} >>> .failure`,
    /add the model's tokenizer\.json, or choose other tokens/,
  );
  assert.deepEqual(log.errors, []);
});

test("a file that is no tokenizer says why, and spans are scored all the same", async (t) => {
  const { page, log } = await open(t, "file");
  await giveFiles(page);
  await give(page, "prediction", { "tokenizer.json": '{"model": {"type": "Magic"}}' });
  await waitForText(page, words, /its model is of the type "Magic"; known are .* Give another/);
  assert.deepEqual(await scored(page), ["1.0000", "1.0000"]);
  await find(page, on.files(".result"));
  assert.match(await textOf(page, row), /every system/);
  assert.deepEqual(log.errors, []);
});
