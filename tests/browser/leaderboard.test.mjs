// Many systems on many datasets at once: how they are told apart, scored, put side by side and taken away.
// Scores are those of nervaluate 0.1.8 and scikit-learn 1.9.1 on tests/fixtures/ncer-small.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { test } from "node:test";
import { at } from "../../scripts/lib.mjs";
import { axe, builds, choose, drop, isChromium, open } from "./harness.mjs";
import { click, find, give, on, pick, textOf, textsOf, type, waitForText } from "./page.mjs";

/** @typedef {import("puppeteer-core").Page} Page */

const small = at("tests", "fixtures", "ncer-small");

/** @returns {string[]} */
const filesBelow = (/** @type {string} */ path) =>
  statSync(path).isDirectory()
    ? readdirSync(path)
        .sort()
        .flatMap((name) => filesBelow(join(path, name)))
    : [path];

/** The fixture's files, by path. */
const fixture = (/** @type {RegExp} */ wanted = /./) =>
  Object.fromEntries(
    filesBelow(small)
      .map((file) => [`ncer-small/${relative(small, file).replaceAll("\\", "/")}`, file])
      .filter(([path]) => wanted.test(path ?? ""))
      .map(([path, file]) => [path, readFileSync(file ?? "", "utf8")]),
  );

/** Gives a folder as a drop does; Firefox takes no real one from a test. */
async function giveFolder(
  /** @type {Page} */ page,
  /** @type {Record<string, string>} */ files,
  /** @type {string} */ role = "",
) {
  await page.$eval(
    on.app,
    (app, files, role) => {
      const [first = ""] = Object.keys(files);
      const all = Object.entries(files).map(([path, text]) => ({
        path,
        file: new File([text], path.split("/").at(-1) ?? ""),
      }));
      const given = { name: first.split("/")[0], files: all };
      return Reflect.get(app, "store").add([given], role || undefined);
    },
    files,
    role,
  );
}

/** Waits until every dataset is scored. */
const scoredAll = (/** @type {Page} */ page) =>
  waitForText(page, on.files(".result"), /mean of datasets.*See the score$/);

const board = (/** @type {string} */ inner) => on.compare(`cs-board >>> ${inner}`);
/** The rows of a table, their cells apart. */
const cellsOf = (/** @type {Page} */ page, /** @type {string} */ table) =>
  page.$$eval(`${table} >>> tr`, (rows) =>
    rows.map((row) =>
      [...row.children].map((cell) => cell.textContent?.replace(/\s+/g, " ").trim()).join(" "),
    ),
  );
const rowsOf = async (/** @type {Page} */ page) => (await cellsOf(page, board("#board"))).slice(1);

/** Waits for the leaderboard's rows. */
async function rowsAre(/** @type {Page} */ page, /** @type {RegExp[]} */ wanted) {
  await find(page, board("#board >>> tbody tr"));
  /** @type {string[]} */
  let rows = [];
  for (const end = Date.now() + 5000; Date.now() < end; ) {
    rows = await rowsOf(page);
    if (rows.length === wanted.length && wanted.every((one, nth) => one.test(rows[nth] ?? "")))
      return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.fail(`waited for ${wanted.join(" | ")}, saw ${rows.join(" | ")}`);
}

const folderOf = (/** @type {import("node:test").TestContext} */ t) => {
  const folder = mkdtempSync(join(tmpdir(), "clinscore-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

const optionsOf = (/** @type {Page} */ page) =>
  page.$eval(on.app, (app) => JSON.parse(JSON.stringify(Reflect.get(app, "store").options)));

for (const build of builds) {
  test(`${build}: a folder of systems and datasets becomes a leaderboard`, async (t) => {
    const { page, log } = await open(t, build);
    if (isChromium) await drop(page, on.app, [small]);
    else await giveFolder(page, fixture());
    await scoredAll(page);
    const sources = await page.$$eval(on.files("#sources .source"), (rows) =>
      rows.map((row) =>
        [".role", "input", "select.dataset"].map(
          (one) => Reflect.get(row.querySelector(one) ?? {}, "value") ?? null,
        ),
      ),
    );
    assert.deepEqual(
      sources.sort(),
      [
        ["gold", null, "BIORED"],
        ["gold", null, "NCBI"],
        ["prediction", "bert", "BIORED"],
        ["prediction", "bert", "NCBI"],
        ["prediction", "crf", "NCBI"],
        ["results", "gliner", null],
      ].sort(),
    );
    assert.match(
      await textOf(page, on.files("#left-out")),
      /^ncer-small\/README\.md belongs to no/,
    );

    await click(page, on.files("#to-board"));
    // NCBI, CHIA, BIORED, both means: sorted by the mean of datasets.
    await rowsAre(page, [
      /^bert ▴ 88\.89 — 57\.14 ▴ 73\.0[12] 61\.11 scored here$/,
      /^gliner 75\.67 67\.63 — 71\.65 ▴ 75\.95 a results file$/,
      /^crf 66\.67 — — 66\.67 66\.67 scored here$/,
    ]);
    await click(page, board("#board >>> thead th:nth-child(3) button"));
    await rowsAre(page, [/^gliner/, /^bert|^crf/, /^bert|^crf/]);
    await click(page, board("fieldset label:nth-of-type(2) input"));
    // Condition, drug, gene, gene variant, both means.
    await rowsAre(page, [/^(bert|gliner|crf) /, /^(bert|gliner|crf) /, /^(bert|gliner|crf) /]);
    assert.ok(
      (await rowsOf(page)).some((row) => /^bert 44\.44 ▴ 100\.00 100\.00 0\.00 /.test(row)),
    );
    await click(page, board("fieldset label:nth-of-type(1) input"));
    await pick(page, board("select.metric"), "SpanBasedWithExactOverlap");
    for (const row of [/^bert 66\.67 — 57\.14 /, /^crf 44\.44 /, /^gliner ▴ 74\.67 66\.63 /]) {
      assert.ok(
        (await rowsOf(page)).some((one) => row.test(one)),
        `${row}`,
      );
    }

    // A cell leads to the score behind it.
    await pick(page, board("select.metric"), "SpanBasedWithPartialOverlap");
    await page.$$eval(board("#board >>> tbody tr"), (rows) => {
      const row = rows.find((one) => one.querySelector("th")?.textContent?.trim() === "bert");
      row?.querySelectorAll("td")[2]?.querySelector("button")?.click();
    });
    await waitForText(page, on.score("#headline"), /^NCER score$/);
    assert.equal(await textOf(page, on.score("#f1")), "0.5714");
    assert.equal(await page.$eval(`${on.app} >>> select.dataset`, (one) => one.value), "BIORED");
    // F1, corrected F1 (these files have nothing that makes it differ), each clinical type.
    assert.deepEqual((await cellsOf(page, on.score("cs-benchmark >>> #metrics"))).slice(1), [
      "SpanBasedWithPartialOverlap span F1, partial overlap 0.5714 0.5714 0.0000 1.0000 1.0000 0.0000",
      "SpanBasedWithExactOverlap span F1, exact 0.5714 0.5714 0.0000 1.0000 1.0000 0.0000",
      "TokenBasedWithMacroAverage token F1, macro 0.3500 0.3500 0.0000 1.0000 0.4000 0.0000",
      "TokenBasedWithMicroAverage token F1, micro 0.3636 0.3636 0.0000 1.0000 0.4000 0.0000",
      "TokenBasedWithWeightedAverage token F1, weighted 0.2333 0.2333 0.0000 1.0000 0.4000 0.0000",
    ]);
    // Another dataset keeps the system, and Why and Take away follow.
    await pick(page, `${on.app} >>> select.dataset`, "NCBI");
    await waitForText(page, on.score("#f1"), /^0\.8889$/);
    await click(page, on.tab("why"));
    await waitForText(page, on.why("#found"), /^2 events in 1 document$/);
    assert.equal(await textOf(page, on.why("#id")), "1");
    await pick(page, `${on.app} >>> select.dataset`, "BIORED");
    await waitForText(page, on.why("#id"), /^7$/);
    await click(page, on.tab("take"));
    await click(page, on.take('input[value="ncer"]'));
    await waitForText(page, on.take("#preview"), /"biored"/);
    for (const [kind, wanted] of /** @type {const} */ ([
      ["csv", /system.*88\.89/s],
      // The folders above datasets name the systems.
      ["markdown", /\| *bert *\|/],
      ["latex", /\\begin\{tabular\}/],
    ])) {
      await click(page, on.take(`input[value="board-${kind}"]`));
      await waitForText(page, on.take("#preview"), wanted);
    }
    await click(page, on.take('input[value="board-ncer"]'));
    await waitForText(page, on.take("#preview"), /"bert": \{/);
    await pick(page, on.take("#board-system"), "gliner");
    await waitForText(page, on.take("#preview"), /^\{ "SpanBasedWithPartialOverlap".*"chia"/);

    const asked = log.requests.filter((url) => !/^(blob|data):/.test(url));
    assert.ok(asked.length <= (build === "file" ? 1 : 2), asked.join("\n"));
    assert.deepEqual(log.console, []);
    assert.deepEqual(log.errors, []);
  });
}

test("results files alone make a leaderboard; what is none says why", async (t) => {
  const { page, log } = await open(t, "file");
  const folder = folderOf(t);
  const results = readFileSync(join(small, "gliner", "ncer_results.json"), "utf8");
  writeFileSync(join(folder, "mine_ncer_results.json"), results.replaceAll("75.67", "80.01"));
  writeFileSync(join(folder, "other.json"), '{"hello": 1}');
  await click(page, on.tab("compare"));
  await find(page, board("#add-results"));
  await choose(page, board("#add-results"), [
    join(folder, "mine_ncer_results.json"),
    join(folder, "other.json"),
    join(small, "gliner", "ncer_results.json"),
  ]);
  await rowsAre(page, [/^mine ▴ 80\.01 ▴ 67\.63/, /^ncer_results 75\.67 ▴ 67\.63/]);
  assert.match(await textOf(page, board(".problems")), /^other\.json: .+Expected: /);
  await click(page, on.tab("files"));
  const roles = await page.$$eval(on.files("#sources .role"), (all) => all.map((one) => one.value));
  assert.deepEqual(roles, ["results", "results", "results"]);
  // A file that is not a score's leaves the scores alone.
  await click(page, on.files("#remove-all"));
  await click(page, on.tab("compare"));
  await waitForText(page, on.compare(".page"), /No score yet/);
  assert.deepEqual(log.errors, []);
});

test("what changes in one dataset has the others stay", async (t) => {
  const { page } = await open(t, "file", {
    before: (page) =>
      page.evaluateOnNewDocument(() => {
        /** @type {string[]} */
        const calls = [];
        Reflect.set(window, "calls", calls);
        const Real = window.Worker;
        window.Worker = class extends Real {
          /** @param {any} message */
          postMessage(message) {
            super.postMessage(message);
            calls.push([message.call, message.dataset].join(" ").trim());
          }
        };
      }),
  });
  const calls = () =>
    page.evaluate(() => {
      const all = Reflect.get(window, "calls").splice(0);
      return all.filter((/** @type {string} */ call) =>
        /^(files|add|drop|score|inspect|board)/.test(call),
      );
    });
  await giveFolder(page, fixture(/gold|bert/));
  await scoredAll(page);
  const first = await calls();
  assert.deepEqual(
    first.filter((/** @type {string} */ call) => /score/.test(call)),
    ["score NCBI", "score BIORED"],
  );
  await giveFolder(page, fixture(/crf/));
  await waitForText(page, on.files(".result"), /crf 66\.67/);
  assert.deepEqual(await calls(), ["add NCBI", "score NCBI", "board"]);
  // A system is in one dataset alone: the others' tables do not name it.
  await pick(page, on.files("label.datasets select"), "BIORED");
  await waitForText(page, on.files("cs-pairing >>> .systems"), /^bert/);
  assert.doesNotMatch(await textOf(page, on.files("cs-pairing >>> .systems")), /crf/);
});

test("an engine that dies in one dataset is started again, and a job is cancelled", async (t) => {
  const { page } = await open(t, "file", {
    before: (page) =>
      page.evaluateOnNewDocument(() => {
        const Real = window.Worker;
        let alive = true;
        window.Worker = class extends Real {
          /** @param {any} message */
          postMessage(message) {
            super.postMessage(message);
            if (message.call !== "score" || message.dataset !== "BIORED" || !alive) return;
            alive = false;
            this.dispatchEvent(new ErrorEvent("error", { message: "trap", cancelable: true }));
          }
        };
      }),
  });
  await giveFolder(page, fixture());
  await waitForText(page, `${on.app} >>> .failure`, /stopped unexpectedly/);
  assert.equal(await page.$(on.files(".result")), null);
  await click(page, `${on.app} >>> #retry`);
  await scoredAll(page);
  await page.$eval(on.app, (app) => {
    const store = Reflect.get(app, "store");
    const cancel = () => {
      if (store.busy?.dataset !== "BIORED") return;
      store.removeEventListener("change", cancel);
      store.cancel();
    };
    store.addEventListener("change", cancel);
    store.setOptions({ tokens: "whitespace" });
  });
  await waitForText(page, `${on.app} >>> .failure`, /Cancelled/);
  await click(page, `${on.app} >>> #retry`);
  await scoredAll(page);
});

test("a dataset that cannot be scored says why, the others are", async (t) => {
  const { page, log } = await open(t, "file");
  await giveFolder(page, {
    ...fixture(/NCBI/),
    "ncer-small/gold/BIORED/gold.PubTator": "Nothing that could be read.",
    "ncer-small/bert/BIORED/bert.PubTator": "7|t|A.\n7|a|B.\n7\t0\t1\tA\tOdd\tD1\n",
    "ncer-small/bert/CHIA/1.jsonl": '{"id":"1","text":"x","entities":[]}',
  });
  await scoredAll(page);
  await waitForText(page, `${on.app} >>> .failure`, /BIORED: /);
  await click(page, on.tab("compare"));
  await rowsAre(page, [/^bert ▴ 88\.89/, /^crf 66\.67/]);
  await click(page, on.tab("score"));
  await pick(page, `${on.app} >>> select.dataset`, "CHIA");
  await waitForText(page, on.score(".nothing"), /^CHIA has no score: gold and predictions/);
  assert.deepEqual(log.errors, []);
});

test("labels speak for a dataset, whose maps are its own and each system's", async (t) => {
  const { page, log } = await open(t, "file");
  const all = fixture();
  const read = (/** @type {string} */ path) => all[`ncer-small/${path}`] ?? "";
  await give(page, "gold", { "g.txt": read("gold/BIORED/gold.PubTator") });
  await give(page, "prediction", {
    "one.txt": read("bert/BIORED/bert.PubTator").replaceAll("ChemicalEntity", "chem"),
    "two.txt": read("bert/BIORED/bert.PubTator"),
  });
  const option = (/** @type {string} */ inner) => on.files(`cs-options >>> ${inner}`);
  await waitForText(page, option(".proposal"), /^The labels speak for BIORED\./);
  assert.deepEqual(await optionsOf(page), {});
  await click(page, option("#use-dataset"));
  await waitForText(page, on.files("cs-labels >>> .map tbody"), /chem/);
  assert.deepEqual(await optionsOf(page), { dataset: "BIORED" });
  assert.equal(await page.$(option(".proposal")), null);
  // Under the dataset its map is seen.
  await find(page, on.files(".result"));
  const mapped = on.files('cs-labels >>> input[aria-label="Scored as: ChemicalEntity"]');
  for (let tries = 0; (await page.$eval(mapped, (input) => input.value)) !== "drug"; tries += 1) {
    assert.ok(tries < 200, "the dataset's map is not seen");
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  const field = on.files('cs-labels >>> input[aria-label="Scored as: chem"]');
  await type(page, field, "drug");
  const own = {
    ChemicalEntity: "drug",
    GeneOrGeneProduct: "gene",
    SequenceVariant: "gene variant",
  };
  const mapIs = async (/** @type {object} */ wanted) => {
    for (const end = Date.now() + 5000; ; ) {
      const { map, maps } = await optionsOf(page);
      const now = { ...(map && { map }), ...(maps && { maps }) };
      if (Date.now() > end) return assert.deepEqual(now, wanted);
      try {
        return assert.deepEqual(now, wanted);
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    }
  };
  const { SequenceVariant: _, ...seen } = own;
  await mapIs({ map: { BIORED: { ...seen, chem: "drug" } } });
  await click(page, on.files("cs-labels >>> #reset-map"));
  await mapIs({});
  // One system's own, which says nothing of the other.
  await pick(page, on.files("cs-labels >>> #map-of"), "one");
  await type(page, field, "drug");
  await mapIs({ maps: { one: { BIORED: { GeneOrGeneProduct: "gene", chem: "drug" } } } });
  await waitForText(page, on.files(".result"), /one 0\.5714 two 0\.5714/);
  // The benchmark's configuration is read as the maps in it.
  const folder = folderOf(t);
  const config = {
    model: "x",
    inference_config: {
      label_normalization_map: { BIORED: { chem: "drug" }, NCBI: { d: "condition" } },
    },
  };
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));
  await choose(page, on.files("cs-labels >>> #load-map"), [join(folder, "config.json")]);
  await mapIs({ maps: { one: config.inference_config.label_normalization_map } });
  assert.deepEqual(log.errors, []);
});

test("a system's config.json is its label map on every dataset", async (t) => {
  const { page, log } = await open(t, "file");
  const files = fixture(/gold|bert/);
  const bert = (/** @type {string} */ dataset) => `ncer-small/bert/${dataset}/bert.PubTator`;
  const maps = {
    NCBI: { dis: "condition", Modifier: "condition" },
    BIORED: { chem: "drug", GeneOrGeneProduct: "gene" },
  };
  await giveFolder(page, {
    ...files,
    [bert("NCBI")]: files[bert("NCBI")]?.replaceAll("SpecificDisease", "dis") ?? "",
    [bert("BIORED")]: files[bert("BIORED")]?.replaceAll("ChemicalEntity", "chem") ?? "",
    "ncer-small/bert/config.json": JSON.stringify({
      inference_config: { label_normalization_map: maps },
    }),
  });
  await scoredAll(page);
  await waitForText(page, on.files(".result"), /bert 73\.02/);
  const rows = await textsOf(page, on.files("#sources .source"));
  assert.equal(rows.filter((row) => /config\.json/.test(row) && !/…/.test(row)).length, 1);
  // Another system's name on it, and it is no one's.
  const at = rows.findIndex((row) => /config\.json/.test(row));
  const field = (await page.$$(on.files("#sources .source")))[at];
  await field?.$eval("input", (input) => {
    input.value = "crf";
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await waitForText(page, on.files(".trouble"), /Enter the name of the system/);
  await waitForText(page, on.files(".result"), /bert (?!73\.02)/);
  assert.deepEqual(log.errors, []);
});

test("options of several datasets are saved as a run of the benchmark", async (t) => {
  const { page } = await open(t, "file");
  await giveFolder(page, fixture(/gold|bert|crf/));
  await scoredAll(page);
  assert.deepEqual(await optionsOf(page), { benchmark: "ncer" });
  // One dataset for everything, and back to each its own.
  await pick(page, on.files("cs-options >>> #dataset"), "NCBI");
  await waitForText(page, on.files(".result"), /^F1 by overlap/);
  assert.deepEqual(await optionsOf(page), { benchmark: "ncer", dataset: "NCBI" });
  const selects = await page.$$(on.files("#sources select.dataset"));
  const rows = await page.$$eval(on.files("#sources .source"), (all) =>
    all.map(
      (row) =>
        /BIORED/.test(row.textContent ?? "") && /BIORED\/\w+\.PubTator/.test(row.textContent ?? ""),
    ),
  );
  for (const [nth, isIts] of rows.entries()) if (isIts) await selects[nth]?.select("BIORED");
  await scoredAll(page);
  assert.deepEqual(await optionsOf(page), { benchmark: "ncer" });
});

/** What the core says beside a score, where its files do not make it say so. */
function addBeside(/** @type {Page} */ page) {
  return page.$eval(on.app, (app) => {
    const store = Reflect.get(app, "store");
    for (const report of store.reports.values()) {
      for (const system of report.systems) {
        const { spans, tokens } = system;
        const other = {
          definition: "optimal",
          failure: null,
          documents: 2,
          gold: 5,
          predicted: 4,
          overall: spans.overall,
          per_label: spans.per_label,
          tokens: [tokens.micro.f1, tokens.macro.f1, tokens.weighted.f1],
          answers: null,
          differences: [],
        };
        const counts = {
          failed: 3,
          items: 490,
          hallucinated: 22,
          unmapped: 3,
          inside: 4,
          spans: 520,
        };
        system.answers = { rule: "reference", answers: 201, parsed: 198, ...counts };
        system.beside = [
          {
            ...other,
            option: "mode",
            value: "corrected",
            differences: [
              {
                kind: "touching",
                title: "spans that touch count as overlapping",
                count: 12,
                examples: [{ document: "2", found: "0–15 condition" }],
              },
            ],
          },
          {
            ...other,
            option: "llm",
            value: "aligned",
            answers: { ...system.answers, rule: "aligned" },
          },
        ];
        const value = { value: 0.5, defined: true };
        const score = {
          precision: value,
          recall: value,
          f1: value,
          correct: 4,
          gold: 8,
          predicted: 8,
        };
        const both = { matched: 6, accuracy: value, spans: score, documents: score };
        const label = { label: "condition", domain: "Condition", ...both };
        system.concepts = { gold: 8, predicted: 8, correct: 4, ...both, per_label: [label] };
      }
    }
    store.changed();
  });
}

test("what stands beside the score is shown, and an example opens its document", async (t) => {
  const { page } = await open(t, "file");
  await giveFolder(page, fixture());
  await scoredAll(page);
  await addBeside(page);
  await click(page, on.tab("score"));
  await waitForText(page, on.score(".beside"), /^corrected 0\.8889$/);
  const part = (/** @type {string} */ inner) => on.score(`cs-benchmark >>> ${inner}`);
  assert.equal((await cellsOf(page, part("#metrics")))[0], "Metric Is F1 Corrected F1 condition");
  assert.match(await textOf(page, part("#differs")), /12 spans that touch count as overlapping/);
  assert.deepEqual(await textsOf(page, part("#answers >>> tbody td")), [
    ..."201 198 3 490 22 3 4 520 0.8889".split(" "),
    ..."201 198 3 490 22 3 4 520 0.8889".split(" "),
  ]);
  assert.match((await cellsOf(page, part("#concepts")))[1] ?? "", /^condition Condition 6 0\.5000/);
  await click(page, part("#differs summary"));
  await click(page, part("#differs .examples button"));
  await waitForText(page, on.why("#id"), /^2$/);
});

test("axe finds nothing in the views of many datasets", async (t) => {
  for (const [width, theme] of /** @type {const} */ ([
    [1400, "light"],
    [1400, "dark"],
    [320, "light"],
  ])) {
    const { page } = await open(t, "file", { width });
    await page.$eval(on.app, (app, theme) => app.setAttribute("theme", theme), theme);
    await giveFolder(page, { ...fixture(), "ncer-small/bad/ncer_results.json": "[1]" });
    await scoredAll(page);
    await addBeside(page);
    for (const view of ["files", "score", "why", "compare", "take"]) {
      await click(page, on.tab(view));
      if (view === "score") await click(page, on.score("cs-benchmark >>> #differs summary"));
      if (view === "compare") await find(page, board("#board >>> tbody tr"));
      if (view === "take") await click(page, on.take('input[value="board-markdown"]'));
      assert.deepEqual(await axe(page), [], `${view}, ${theme}, ${width} px`);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(over <= 0, `${view} scrolls sideways by ${over} px at ${width} px`);
    }
  }
});
