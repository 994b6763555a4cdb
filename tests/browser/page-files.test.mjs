// The Files view: how files were read, how documents and labels meet, and every way to say otherwise.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { at } from "../../scripts/lib.mjs";
import { axe, choose, open } from "./harness.mjs";
import { click, find, give, on, pick, record, scored, textOf, type, waitForText } from "./page.mjs";

/** @typedef {import("puppeteer-core").Page} Page */

/** The options of the run, as the page holds them. */
const optionsOf = (/** @type {Page} */ page) =>
  page.$eval(on.app, (app) => JSON.parse(JSON.stringify(Reflect.get(app, "store").options)));

/** What a click saves. @returns {Promise<string>} */
async function saved(/** @type {Page} */ page, /** @type {string} */ selector) {
  await page.evaluate(() => {
    const real = URL.createObjectURL;
    Reflect.set(window, "saved", undefined);
    URL.createObjectURL = (/** @type {Blob} */ blob) => {
      Reflect.set(window, "saved", blob);
      URL.createObjectURL = real;
      return real.call(URL, blob);
    };
  });
  await click(page, selector);
  return page.evaluate(async () => {
    for (let tries = 0; tries < 200 && !Reflect.get(window, "saved"); tries += 1) {
      await new Promise((done) => setTimeout(done, 20));
    }
    return Reflect.get(window, "saved").text();
  });
}

/**
 * Waits until something of the page is as wanted.
 * @template T
 * @param {Page} page
 * @param {T} wanted
 * @param {(app: Element) => T} look
 */
async function waitFor(page, wanted, look) {
  for (const end = Date.now() + 10_000; Date.now() < end; ) {
    if (JSON.stringify(await page.$eval(on.app, look)) === JSON.stringify(wanted)) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.deepEqual(await page.$eval(on.app, look), wanted);
}

/** A folder with files that is gone after the test. */
function folderOf(
  /** @type {{after: (work: () => Promise<void>) => void}} */ t,
  /** @type {Record<string, string>} */ files,
) {
  const folder = mkdtempSync(join(tmpdir(), "clinscore-"));
  t.after(async () => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const result = on.files(".result");

test("a file's format and offsets are overridden in its row, and go with the file", async (t) => {
  const { page, log } = await open(t, "file");
  // Six characters that UTF-16 counts twice; without own texts nothing tells how offsets count.
  const text = `${"😖".repeat(6)} flu and more`;
  await give(page, "gold", { "all.jsonl": record("1", text, [[7, 10, "a"]]) });
  await give(page, "prediction", { "all.jsonl": record("1", text, [[13, 16, "a"]]) });
  assert.deepEqual(await scored(page), ["0.0000"]);
  const row = (/** @type {number} */ nth, /** @type {string} */ inner) =>
    on.files(`#sources tbody:nth-of-type(${nth}) ${inner}`);
  await pick(page, row(2, ".offsets"), "utf16");
  await waitForText(page, result, /all 2 1\.0000|all 1\.0000/);
  // The path is on both sides, so that it does not say which file is meant.
  assert.deepEqual((await optionsOf(page)).files, { "#1": { offsets: "utf16" } });
  await click(page, row(2, ".open"));
  await waitForText(page, row(2, ".words"), /^UTF-16 code units/);

  await pick(page, row(1, ".format"), "brat");
  await waitForText(page, result, /no predicted document has the id/);
  await pick(page, row(1, ".format"), "");
  await waitForText(page, result, /all 2 1\.0000|all 1\.0000/);
  assert.deepEqual((await optionsOf(page)).files, { "#1": { offsets: "utf16" } });

  await click(page, on.files("#swap"));
  await waitForText(page, result, /all 2 1\.0000|all 1\.0000/);
  assert.deepEqual((await optionsOf(page)).files, { "#0": { offsets: "utf16" } });
  assert.equal(await page.$eval(row(2, ".role"), (list) => Reflect.get(list, "value")), "gold");
  await click(page, row(1, '[aria-label^="Remove"]'));
  await waitForText(page, on.files("#sources"), /^(?!.*Remove.*▶.*▶).*all\.jsonl/);
  assert.deepEqual((await optionsOf(page)).files, { "all.jsonl": { offsets: "utf16" } });
  assert.deepEqual(log.errors, []);
});

test("gold and predictions are swapped, one system or the chosen one", async (t) => {
  const { page } = await open(t, "file");
  const text = "one two three";
  const roles = () =>
    page.$$eval(on.files("#sources .role"), (all) => all.map((one) => Reflect.get(one, "value")));
  /** Spans of gold and of each system, as scored. */
  const sides = (/** @type {number[]} */ ...wanted) =>
    waitFor(page, wanted, (app) => {
      const { report } = Reflect.get(app, "store");
      return [
        report?.gold,
        ...(report?.systems ?? []).map((/** @type {any} */ one) => one.side),
      ].map((side) => side?.spans);
    });
  await give(page, "gold", { "g.jsonl": record("1", text, [[0, 3, "a"]]) });
  await give(page, "prediction", {
    "p.jsonl": record("1", text, [
      [0, 3, "a"],
      [4, 7, "a"],
    ]),
  });
  await waitForText(page, result, /p 0\.6667/);
  await sides(1, 2);
  await click(page, on.files("#swap"));
  await waitForText(page, result, /g 0\.6667/);
  await sides(2, 1);
  assert.deepEqual(await roles(), ["prediction", "gold"]);
  await click(page, on.files("#swap"));
  await waitForText(page, result, /p 0\.6667/);
  await sides(1, 2);
  assert.deepEqual(await roles(), ["gold", "prediction"]);

  await give(page, "prediction", { "q.jsonl": record("1", text, []) });
  await waitForText(page, result, /q —|q 0\.0000/);
  await pick(page, on.files("#swap-with"), "p");
  // What was chosen for a side stays with its files.
  await pick(page, on.files("#formatGold"), "json");
  await click(page, on.files("#swap"));
  await sides(2, 1, 0);
  assert.deepEqual(await roles(), ["prediction", "gold", "prediction"]);
  assert.deepEqual((await optionsOf(page)).files, { "g.jsonl": { format: "json" } });
});

test("proposed ids are confirmed and undone; documents of one side can be left out", async (t) => {
  const { page } = await open(t, "file");
  const line = (/** @type {string} */ id) => record(id, "one two", [[0, 3, "a"]]);
  await give(page, "gold", {
    "gold.jsonl": [line("a/1.txt"), line("a/2.txt"), line("3")].join("\n"),
  });
  await give(page, "prediction", { "p.jsonl": [line("1"), line("2"), line("3")].join("\n") });
  await waitForText(page, result, /p 0\.5000/);
  await waitForText(
    page,
    on.files(".proposal"),
    /^2 more documents would meet .*folders, extensions\. For example, a\/1\.txt = 1\. Confirm$/,
  );
  await click(page, on.files("#commonOnly"));
  await waitForText(page, result, /p 1\.0000/);
  await click(page, on.files("#commonOnly"));
  await waitForText(page, result, /p 0\.5000/);
  await click(page, on.files('[data-ids="confirm"]'));
  await waitForText(page, result, /p 1\.0000/);
  await waitForText(page, on.files(".pairing"), /3 in both .*normalised as confirmed/);
  assert.deepEqual(await optionsOf(page), { normaliseIds: true });
  await click(page, on.files('[data-ids="undo"]'));
  await waitForText(page, result, /p 0\.5000/);
  assert.deepEqual(await optionsOf(page), {});
});

test("texts that differ are told, and predictions brought to gold's", async (t) => {
  const { page } = await open(t, "file");
  await give(page, "gold", { "g.jsonl": record("1", "x flu, then a rash", [[14, 18, "a"]]) });
  await give(page, "prediction", {
    "p.jsonl": record("1", "a long preface: flu, then a rash", [[28, 32, "a"]]),
  });
  await waitForText(page, result, /p 0\.0000/);
  await waitForText(page, on.files(".pairing"), /1 with different texts/);
  await click(page, on.files("#realign"));
  await waitForText(page, result, /p 1\.0000/);
  await click(page, on.files("#realign"));
  await waitForText(page, result, /p 0\.0000/);
});

test("labels: proposals apply together or singly, the map is edited, saved and loaded", async (t) => {
  const { page } = await open(t, "file");
  const text = "one two three four";
  const spans = /** @type {[number, number][]} */ ([
    [0, 3],
    [4, 7],
    [8, 13],
  ]);
  const of = (/** @type {string[]} */ ...labels) =>
    record(
      "1",
      text,
      spans.map(([from, to], at) => [from, to, labels[at] ?? ""]),
    );
  await give(page, "gold", { "g.jsonl": of("drug", "problem", "test") });
  await give(page, "prediction", { "p.jsonl": of("DRUG", "Problem", "other") });
  await waitForText(page, result, /p 0\.0000/);
  const rows = on.files(".map tbody");
  await waitForText(page, rows, /DRUG — 1 predictions only proposed: drug\? Use/);
  await waitForText(page, rows, /test 1 — gold only/);
  await click(page, on.files("#fold"));
  await waitForText(page, result, /p 0\.6667/);
  assert.deepEqual(await optionsOf(page), { foldLabels: true });
  await waitForText(page, rows, /DRUG — 1 respelled/);
  await click(page, on.files("#unfold"));
  await waitForText(page, result, /p 0\.0000/);

  await click(page, on.files('[aria-label="Use the proposal: DRUG is drug"]'));
  await waitForText(page, result, /p 0\.3333/);
  // The other one is still proposed, and now goes into the map.
  await click(page, on.files("#fold"));
  await waitForText(page, result, /p 0\.6667/);
  await type(page, on.files('[aria-label="Scored as: other"]'), "test");
  await waitForText(page, result, /p 1\.0000/);
  const map = JSON.parse(await saved(page, on.files("#save-map")));
  assert.deepEqual(map, {
    DRUG: "drug",
    Problem: "problem",
    drug: "drug",
    other: "test",
    problem: "problem",
    test: "test",
  });
  await click(page, on.files("#reset-map"));
  await waitForText(page, result, /p 0\.0000/);
  const folder = folderOf(t, { "map.json": JSON.stringify(map), "bad.json": '{"a":1}' });
  await choose(page, on.files("#load-map"), [join(folder, "map.json")]);
  await waitForText(page, result, /p 1\.0000/);
  await choose(page, on.files("#load-map"), [join(folder, "bad.json")]);
  await waitForText(page, on.files("cs-labels >>> [role=status]"), /bad\.json is not a label map/);
  assert.deepEqual((await optionsOf(page)).map, map);
});

test("clean-up says whom it concerns and what it changes, and changes it", async (t) => {
  const { page } = await open(t, "file");
  const gold = /** @type {[number, number, string]} */ ([0, 3, "a"]);
  await give(page, "gold", { "g.jsonl": record("1", "one two", [gold]) });
  await give(page, "prediction", { "p.jsonl": record("1", "one two", [gold, [4, 7, "O"]]) });
  await give(page, "prediction", { "q.jsonl": record("1", "one two", [gold]) });
  await waitForText(page, result, /p 0\.6667 q 1\.0000/);
  const clean = on.files(".clean");
  await waitForText(
    page,
    clean,
    /leave out spans labelled O p: 0 gold, 1 predicted span; .* without 0\.6667, with 1\.0000 q: nothing to clean/,
  );
  await click(page, on.files("#clean-o-label"));
  await waitForText(page, result, /p 1\.0000 q 1\.0000/);
  await waitForText(page, clean, /without 0\.6667, with 1\.0000/);
  assert.deepEqual(await optionsOf(page), { clean: ["o-label"] });
  await click(page, on.files("#clean-o-label"));
  await waitForText(page, result, /p 0\.6667/);
  assert.deepEqual(await optionsOf(page), {});
});

test("a run file with every option gives the same report on the command line", async (t) => {
  const { page, log } = await open(t, "file");
  const text = "fever and flu with 😖 and rash";
  const files = {
    "gold.jsonl": [
      record("a/1.txt", text, [
        [0, 5, "Modifier"],
        [10, 13, "SpecificDisease"],
      ]),
      record("2", text, [[0, 5, "Modifier"]]),
    ].join("\n"),
    "pred.jsonl": [
      record("1", text, [
        [0, 5, "modifier"],
        [9, 13, "condition"],
        [9, 13, "condition"],
      ]),
      record("3", text, []),
    ].join("\n"),
  };
  const runs = [
    {
      clean: ["trim", "dedupe", "unusable", "o-label"],
      commonOnly: true,
      definition: "nervaluate-0.1.8",
      encoding: "utf-8",
      end: "exclusive",
      files: {
        "gold.jsonl": { format: "json", encoding: "auto", offsets: "codepoint" },
        "pred.jsonl": { end: "exclusive", view: "raw" },
      },
      foldLabels: true,
      format: "auto",
      formatGold: "json",
      formatPred: "json",
      fragments: "first",
      goldOffsets: "codepoint",
      labels: ["condition", "Modifier"],
      map: { Modifier: "Modifier", SpecificDisease: "condition", condition: "condition" },
      normaliseIds: true,
      occurrences: "first",
      offsets: "codepoint",
      paths: true,
      predOffsets: "utf16",
      realign: true,
      tokens: "whitespace",
      view: "raw",
    },
    {
      benchmark: "ncer",
      dataset: "NCBI",
      llm: "aligned",
      map: { NCBI: { modifier: "condition" } },
      maps: { pred: { NCBI: { condition: "condition" } } },
      mode: "reference",
      normaliseIds: true,
      paths: true,
    },
  ];
  // Every option there is.
  const known = Object.keys(
    JSON.parse(
      spawnSync(
        "node",
        ["-p", "JSON.stringify(require('./docs/boundary.schema.json').$defs.Options.properties)"],
        {
          cwd: at("."),
        },
      ).stdout.toString(),
    ),
  );
  assert.deepEqual([...new Set(runs.flatMap((run) => Object.keys(run)))].sort(), known.sort());

  const folder = folderOf(t, files);
  await give(page, "gold", { "gold.jsonl": files["gold.jsonl"] });
  await give(page, "prediction", { "pred.jsonl": files["pred.jsonl"] });
  await scored(page);
  for (const [nth, run] of runs.entries()) {
    const loaded = join(folder, `loaded-${nth}.json`);
    writeFileSync(loaded, JSON.stringify(run));
    const before = await page.$eval(on.app, (app) => Reflect.get(app, "store").run);
    await choose(page, on.files("#load-run"), [loaded]);
    const report = await page.$eval(
      on.app,
      async (app, before) => {
        const store = Reflect.get(app, "store");
        for (let tries = 0; tries < 300 && store.run === before; tries += 1) {
          await new Promise((done) => setTimeout(done, 20));
        }
        return JSON.parse(await store.output("report"));
      },
      before,
    );
    const saidByPage = await saved(page, on.files("#save-run"));
    assert.deepEqual(JSON.parse(saidByPage), run);
    writeFileSync(join(folder, "run.json"), saidByPage);
    const program = [at("bin", "clinscore.js"), "score", "--config", "run.json", "--quiet"];
    const inputs = ["--gold", "gold.jsonl", "--pred", "pred=pred.jsonl"];
    const done = spawnSync(process.execPath, [...program, ...inputs], { cwd: folder });
    assert.equal(done.stderr.toString(), "");
    assert.deepEqual(JSON.parse(done.stdout.toString()), report);
  }
  assert.deepEqual(log.errors, []);
});

test("problems are saved as CSV without note text", async (t) => {
  const { page } = await open(t, "file");
  const text = "TEXTSENTINEL has fever";
  await give(page, "gold", {
    "PATHSENTINEL.jsonl": `${record("1", text, [[0, 99, "a"]])}\nTEXTSENTINEL\n`,
  });
  await give(page, "prediction", { "p.jsonl": record("1", text, [[9, 3, "a"]]) });
  await scored(page);
  const csv = await saved(page, on.files("#save-problems"));
  assert.match(csv, /^side,kind,what,lost,input,path,entry,line,document,found,expected,count\r\n/);
  assert.match(csv, /\r\ngold,bad_record,[^\r]*,yes,0,,,2,/);
  assert.match(csv, /\r\nsystem 1,inverted_span,/);
  assert.doesNotMatch(csv, /TEXTSENTINEL|PATHSENTINEL|fever/);
  await click(page, on.tab("take"));
  await click(page, on.take('input[value="problems"]'));
  const seen = await waitForText(page, on.take("#preview"), /^side,kind,/);
  assert.equal(seen, csv.replace(/\s+/g, " ").trim());
});

test("the same file on both sides is warned of", async (t) => {
  const { page } = await open(t, "file");
  const line = record("1", "one two", [[0, 3, "a"]]);
  await give(page, "gold", { "g.jsonl": line });
  await give(page, "prediction", { "p.jsonl": line, "q.jsonl": `${line}\n` });
  await scored(page);
  assert.match(await textOf(page, on.files("#same-file")), /^p: The same file is on both sides/);
  assert.equal((await page.$$(on.files("#same-file"))).length, 1);
});

test("what a file is, when it is not read, and what to do stand at its row", async (t) => {
  const { page } = await open(t, "file");
  await give(page, "gold", { "scan.dat": "%PDF-1.7 and so on" });
  await waitForText(
    page,
    on.files("#sources .trouble"),
    /^looks like a PDF\. Expected: .+\. Give that instead, or choose/,
  );
  await give(page, "gold", { "note.txt": "Nothing but a note." });
  await waitForText(page, on.files("#sources tbody:nth-of-type(2)"), /without an \.ann file.*Give/);
  await give(page, "prediction", { "p.jsonl": '{"id":"1","text":"no list of spans"}' });
  await waitForText(page, on.files("#sources tbody:nth-of-type(3)"), /Check that it is the right/);
});

test("a file that holds both sides is used for the other one too", async (t) => {
  const { page } = await open(t, "file");
  await give(page, "gold", { "both.jsonl": record("1", "one two", [[0, 3, "a"]]) });
  await waitForText(page, on.files("#sources"), /code points \(auto\)/);
  await click(page, on.files(".open"));
  await find(page, on.files(".words"));
  assert.equal(await page.$(on.files(".other-side")), null);
  // As a format with two tag columns says it.
  await page.$eval(on.app, (app) => {
    const store = Reflect.get(app, "store");
    Object.assign(store.facts.inputs[0], {
      both_sides: true,
      tagging: { scheme: "IOB2", ill_formed: 2 },
    });
    store.changed();
  });
  await waitForText(page, on.files(".tags"), /^IOB2; 2 tags not well formed$/);
  await click(page, on.files(".other-side"));
  await waitForText(page, result, /both 2 1\.0000/);
});

test("axe finds nothing in a Files view that is full", async (t) => {
  const gold = [record("a/1.txt", "one two", [[0, 3, "drug"]]), record("2", "x", [])].join("\n");
  const pred = record("1", "one  two", [
    [0, 4, "DRUG"],
    [5, 99, "O"],
  ]);
  for (const [width, theme] of /** @type {const} */ ([
    [1400, "light"],
    [1400, "dark"],
    [320, "light"],
  ])) {
    const { page } = await open(t, "file", { width });
    await page.$eval(on.app, (app, theme) => app.setAttribute("theme", theme), theme);
    await give(page, "gold", { "gold.jsonl": gold, "d.ann": "T1\tx 0 1\ta", "d.txt": "a" });
    await give(page, "prediction", { "p.jsonl": pred, "g.jsonl": gold, "scan.dat": "%PDF" });
    await waitForText(page, result, /scan/);
    for (const open of await page.$$(on.files(".open"))) {
      await open.evaluate((button) => /** @type {HTMLElement} */ (button).click());
    }
    await click(page, on.files('[data-ids="confirm"]'));
    await waitForText(page, on.files(".clean"), /leave out spans labelled O/);
    assert.deepEqual(await axe(page), [], `${theme}, ${width} px`);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(over <= 0, `scrolls sideways by ${over} px at ${width} px`);
  }
});
