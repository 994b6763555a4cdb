// The page as people use it: both builds, whichever browser the harness runs.
import assert from "node:assert/strict";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { at } from "../../scripts/lib.mjs";
import { builds, choose, drop, isChromium, open } from "./harness.mjs";
import {
  click,
  find,
  give,
  on,
  openExample,
  record,
  scored,
  textOf,
  textsOf,
  type,
  waitForText,
} from "./page.mjs";

const brat = (/** @type {string} */ side) => at("tests", "fixtures", "brat-small", side);

for (const build of builds) {
  test(`${build}: the example scores, and every view shows it`, async (t) => {
    const { page, log } = await openExample(t, build);
    await click(page, on.files("#to-score"));
    assert.equal(await textOf(page, on.score("#f1")), "0.9419");
    const cells = (/** @type {number} */ nth) =>
      textsOf(page, on.score(`#modes >>> tbody tr:nth-child(${nth}) td`));
    assert.deepEqual(
      [await cells(1), await cells(2), await cells(3), await cells(4)].map((row) => row.join(" ")),
      [
        "0.8312 0.8205 0.8258 64 10 0 4 3 78 77",
        "0.9481 0.9359 0.9419 73 1 0 4 3 78 77",
        "0.9026 0.8910 0.8968 65 0 9 4 3 78 77",
        "0.8442 0.8333 0.8387 65 9 0 4 3 78 77",
      ],
    );
    await click(page, on.tab("compare"));
    const systems = await textsOf(page, on.compare("#systems >>> tbody tr"));
    assert.match(systems[0] ?? "", /^system-a .*0\.9419/);
    assert.match(systems[1] ?? "", /^system-b .*0\.7467/);
    assert.match(page.url(), /#view=compare$/);
    await page.goBack();
    await find(page, `${on.tab("score")}[aria-selected="true"]`);
    assert.deepEqual(log.console, []);
    assert.deepEqual(log.errors, []);
  });

  test(`${build}: a dropped brat folder scores`, async (t) => {
    const { page, log } = await open(t, build);
    await drop(page, on.files('[data-role="gold"]'), [brat("gold")]);
    await waitForText(page, on.files("#sources tbody tr"), /brat.* 3 4 2 3 /);
    await drop(page, on.files('[data-role="prediction"]'), [brat("system-x")]);
    assert.deepEqual(await scored(page), ["0.6667"]);
    if (isChromium) {
      const [gold] = await textsOf(page, on.files("#sources tbody tr"));
      assert.match(gold ?? "", /^▶ gold 6 files/);
    }
    assert.deepEqual(log.errors, []);
  });

  test(`${build}: a folder picked in the file dialog scores`, async (t) => {
    const { page } = await open(t, build);
    await choose(page, on.files("#gold-folder"), [brat("gold")]);
    await choose(page, on.files("#prediction-folder"), [brat("system-x")]);
    assert.deepEqual(await scored(page), ["0.6667"]);
  });
}

test("a .zip and pasted text score like files", async (t) => {
  const { page } = await open(t, "http");
  await choose(page, on.files("#prediction-files"), [at("tests/fixtures/brat-small/system-x.zip")]);
  await click(page, on.files('[aria-label="Gold: Paste…"]'));
  const area = await find(page, on.files("#pasted"));
  const spans = /** @type {[number, number, string][]} */ ([[12, 25, "Problem"]]);
  const text = readFileSync(join(brat("gold"), "d1.txt"), "utf8");
  await area.evaluate(
    (node, value) => {
      /** @type {HTMLTextAreaElement} */ (node).value = value;
    },
    record("d1", text, spans),
  );
  await click(page, on.files("#paste button.main"));
  // One overlap with the right label, one drug too many.
  assert.deepEqual(await scored(page), ["0.6667"]);
  assert.match(await textOf(page, on.files(".pairing")), /1 in both 2 predicted only, not scored/);
});

test("a dropped folder of gold and a system is split, whatever lies beside them", {
  skip: !isChromium,
}, async (t) => {
  const { page } = await open(t, "file");
  const folder = mkdtempSync(join(tmpdir(), "clinscore-"));
  t.after(async () => rmSync(folder, { recursive: true, force: true }));
  cpSync(brat("gold"), join(folder, "gold"), { recursive: true });
  cpSync(brat("system-x"), join(folder, "system"), { recursive: true });
  mkdirSync(join(folder, "expected"));
  for (const name of ["license.txt", "expected/score.txt"]) writeFileSync(join(folder, name), "x");
  await drop(page, `${on.app} >>> main`, [folder]);
  assert.deepEqual(await scored(page), ["0.6667"]);
  const rows = await textsOf(page, on.files("#sources .open"));
  assert.deepEqual(rows, ["▶ gold 6 files", "▶ system 6 files"]);
  assert.deepEqual(
    await page.$$eval(on.files("#sources .role"), (all) => all.map((one) => one.value)),
    ["gold", "prediction"],
  );
});

test("a text that comes after its annotations is read with them", async (t) => {
  const { page } = await open(t, "file");
  const read = (/** @type {string} */ name) => readFileSync(join(brat("gold"), name), "utf8");
  await give(page, "gold", { "d1.ann": read("d1.ann") });
  await waitForText(page, on.files("#sources tbody tr"), /^▶ d1\.ann/);
  await give(page, "gold", { "d1.txt": read("d1.txt") });
  await waitForText(page, on.files("#sources tbody tr"), /^▶ d1 … \(2\).*brat/);
  assert.equal((await textsOf(page, on.files("#sources .source"))).length, 1);
});

test("what is added while files are read has none of them read again", async (t) => {
  const { page, log } = await open(t, "file", {
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
            calls.push(message.files ? `${message.call} ${message.files.length}` : message.call);
          }
        };
      }),
  });
  const give = (/** @type {string} */ role, /** @type {number} */ copies) =>
    page.$eval(
      on.files(`[data-role="${role}"]`),
      (zone, copies) => {
        const line = (/** @type {number} */ at) =>
          JSON.stringify({ id: `d${at}`, entities: [{ start: 0, end: 3, label: "a" }] });
        const lines = Array.from({ length: copies }, (_, at) => line(at)).join("\n");
        const data = new DataTransfer();
        data.items.add(new File([lines], `${copies}.jsonl`));
        const init = { bubbles: true, cancelable: true, composed: true, dataTransfer: data };
        zone.dispatchEvent(new DragEvent("drop", init));
      },
      copies,
    );
  await give("gold", 300_000);
  const busy = await find(page, `${on.app} >>> .busy progress`);
  assert.ok(await busy.evaluate((bar) => bar.isConnected));
  await give("prediction", 1);
  await scored(page, 60_000);
  const calls = await page.evaluate(() => Reflect.get(window, "calls"));
  assert.deepEqual(
    calls.filter((/** @type {string} */ call) => /^(start|files|add|inspect|score)/.test(call)),
    ["start", "files 0", "add 1", "inspect", "add 1", "score"],
  );
  assert.deepEqual(log.errors, []);
});

test("a drop anywhere guesses the role, which can be corrected", async (t) => {
  const { page } = await open(t, "file");
  const line = `${record("1", "one two", [[0, 3, "a"]])}\n`;
  const app = await find(page, on.app);
  await app.evaluate((target, text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "model_output.jsonl"));
    data.items.add(new File([text], "gold.jsonl"));
    data.items.add(new File([text], "other.jsonl"));
    const init = { bubbles: true, cancelable: true, composed: true, dataTransfer: data };
    target.dispatchEvent(new DragEvent("drop", init));
  }, line);
  assert.deepEqual(await scored(page), ["1.0000", "1.0000"]);
  const roles = () => page.$$eval(on.files("#sources .role"), (all) => all.map((one) => one.value));
  assert.deepEqual(await roles(), ["prediction", "gold", "prediction"]);
  const last = (await page.$$(on.files("#sources .role")))[2];
  await last?.select("gold");
  await waitForText(page, on.files(".result"), /model_output 1\.0000 See the score$/);
  assert.equal((await scored(page)).length, 1);
});

test("every note of the report is under What moved this number", async (t) => {
  const { page } = await openExample(t, "file");
  await click(page, on.tab("score"));
  const reported = await page.$eval(on.app, (app) =>
    Reflect.get(app, "store").report.systems.map((/** @type {any} */ { notes }) =>
      notes.map((/** @type {any} */ { message }) => message),
    ),
  );
  assert.ok(reported.flat().length > 0);
  for (const [at, notes] of reported.entries()) {
    await click(page, on.score(`.systems label:nth-child(${at + 1}) input`));
    await find(page, on.score(`.systems label:nth-child(${at + 1}) input:checked`));
    assert.equal(await textOf(page, on.score("#notes")), "What moved this number");
    assert.deepEqual(await textsOf(page, on.score("#notes ~ ul li")), notes);
  }
});

test("a count opens the events behind it, and keys walk through them", async (t) => {
  const { page, log } = await openExample(t, "file");
  await click(page, on.tab("score"));
  // Type, missed.
  await click(page, on.score("#modes >>> tbody tr:nth-child(2) td:nth-child(8) button"));
  await waitForText(page, on.why("#found"), /^4 events in 4 documents$/);
  assert.equal(await textOf(page, on.why("#id")), "note-06");
  const picked = on.why("cs-note >>> .picked");
  assert.equal(await textOf(page, picked), "déjà vu episodes");
  await page.keyboard.press("n");
  await waitForText(page, on.why("#id"), /^note-08$/);
  await page.keyboard.press("k");
  await waitForText(page, on.why("#id"), /^note-06$/);
  await page.keyboard.press("j");
  await page.keyboard.press("p");
  await waitForText(page, on.why("#id"), /^note-06$/);

  // The matrix: measurement said to be a condition.
  await click(page, on.tab("score"));
  await click(page, on.score('#confusion >>> button[title="measurement → condition"]'));
  await waitForText(page, on.why("#found"), /^1 event in 1 document$/);
  const row = await textOf(page, on.why("#events tr[aria-current]"));
  assert.match(
    row,
    /^Wrong label measurement 85–98 condition 85–98 ✗ incorrect✗ incorrect✓ correct✓ correct measurement raised lipase/,
  );
  // The event of a span that is clicked becomes the chosen one.
  await click(page, on.why("#clear"));
  await waitForText(page, on.why("#found"), /^17 events in 14 documents$/);
  // Search reaches document ids.
  await (await find(page, on.why("#search"))).type("NOTE-2");
  await waitForText(page, on.why("#found"), /^2 events in 1 document$/);
  await page.select(
    on.why("#system"),
    await page.$eval(on.why("#system"), (s) => s.options[1].value),
  );
  await waitForText(page, on.why("#found"), /^1 event in 1 document$/);
  assert.deepEqual(log.errors, []);
});

test("text is drawn exactly, astral characters and all", async (t) => {
  const { page } = await openExample(t, "file");
  await click(page, on.tab("why"));
  await (await find(page, on.why("#search"))).type("note-07");
  await page.select(
    on.why("#system"),
    await page.$eval(on.why("#system"), (s) => s.options[1].value),
  );
  await waitForText(page, on.why("#id"), /^note-07$/);
  const spurious = on.why("cs-note >>> .line.spurious");
  await waitForText(page, spurious, /^🤒$/);
  const text = await page.$eval(on.why("cs-note >>> .text"), (node) => node.textContent);
  assert.equal(
    text,
    "Patient writes: “🤒 since Monday, vomiting and diarrhoea”. Rehydration by mouth, ondansetron if needed.",
  );
});

test("options change the score at once, and a run file brings them back", async (t) => {
  const { page } = await openExample(t, "file");
  const options = (/** @type {string} */ inner) => on.files(`cs-options >>> ${inner}`);
  // Without `date`, that only system B has.
  await click(page, options(".ticks label:nth-child(2) input"));
  await waitForText(page, on.files(".result"), /system-b 0\.7619/);
  const run = await page.$eval(on.app, (app) => JSON.stringify(Reflect.get(app, "store").options));
  assert.deepEqual(JSON.parse(run), {
    labels: ["condition", "drug", "measurement", "procedure"],
  });
  await click(page, options(".ticks button"));
  await waitForText(page, on.files(".result"), /system-b 0\.7467/);
  // A label map: everything but drugs dropped.
  for (const nth of [1, 2, 4, 5]) {
    await type(page, on.files(`.map tbody tr:nth-child(${nth}) input`), "");
  }
  await waitForText(page, on.files(".result"), /system-a 1\.0000/);

  const folder = mkdtempSync(join(tmpdir(), "clinscore-"));
  t.after(async () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "run.json");
  writeFileSync(file, JSON.stringify({ tokens: "whitespace", labels: ["drug"], unheard: 1 }));
  await choose(page, options("#load-run"), [file]);
  await waitForText(page, on.files(".result"), /system-b 0\.8718/);
  await waitForText(page, options("[role=status]"), /left out: unheard/);
  assert.equal(await page.$eval(options("#tokens"), (select) => select.value), "whitespace");
});

test("one side alone is read and shown; what is not read is said with its line", async (t) => {
  const { page } = await open(t, "file");
  const lines = [record("1", "one", [[0, 3, "a"]]), "{ broken", record("2", "two", [])];
  await give(page, "gold", { "gold.jsonl": lines.join("\n") });
  await waitForText(page, on.files('[data-problems="gold"]'), /gold\.jsonl · line 2/i);
  await waitForText(
    page,
    on.files("#sources tbody tr"),
    /json \(auto\).*utf-8 \(auto\).* 2 1 1 1 /,
  );
});

test("a system that cannot be scored says why in every view, beside one that can", async (t) => {
  const { page, log } = await open(t, "file");
  const spans = /** @type {[number, number, string][]} */ ([[0, 3, "a"]]);
  const why = /no predicted document has the id of a gold document/;
  await give(page, "gold", { "gold.jsonl": record("1", "one two", spans) });
  await give(page, "prediction", { "bad.jsonl": record("2", "one two", [[0, 3, "x"]]) });
  await waitForText(page, on.files(".result"), why);
  await give(page, "prediction", { "good.jsonl": record("1", "one two", spans) });
  await waitForText(page, on.files(".result"), /good 1\.0000 See the score$/);
  await click(page, on.tab("score"));
  await waitForText(page, on.score(".unscored"), why);
  await click(page, on.tab("why"));
  await waitForText(page, on.why("[role=alert]"), why);
  await click(page, on.tab("compare"));
  await waitForText(page, on.compare(".page"), why);
  // A label of one system alone must not move the others' numbers.
  assert.deepEqual(await textsOf(page, on.compare("#label-matrix >>> tbody tr:first-child td")), [
    "1",
    "—",
    "1.0000",
  ]);
  await click(page, on.tab("score"));
  await click(page, on.score(".systems label:nth-child(2) input"));
  await waitForText(page, on.score("#f1"), /^1\.0000$/);
  assert.deepEqual(log.errors, []);
});

test("every export is shown and saved as shown, without names of files", async (t) => {
  const { page } = await openExample(t, "http");
  await click(page, on.files("[id='gold-files'] ~ button:last-of-type"));
  await click(page, on.files("#paste button:last-of-type"));
  const folder = mkdtempSync(join(tmpdir(), "clinscore-"));
  t.after(async () => rmSync(folder, { recursive: true, force: true }));
  if (isChromium) {
    const devtools = await page.createCDPSession();
    await devtools.send("Browser.setDownloadBehavior", {
      behavior: "allow",
      downloadPath: folder,
    });
  }
  await click(page, on.tab("take"));
  for (const [kind, wanted] of /** @type {const} */ ([
    ["report", /"sha256": "[0-9a-f]{64}"/],
    ["csv", /^system,/],
    ["markdown", /system/],
    ["nervaluate", /"ent_type"/],
    ["sklearn", /"micro avg"/],
  ])) {
    await click(page, on.take(`input[value="${kind}"]`));
    const seen = await waitForText(page, on.take("#preview"), wanted);
    assert.doesNotMatch(seen, /jsonl/);
  }
  await click(page, on.take('input[value="ncer"]'));
  await waitForText(page, on.take("[role=alert]"), /NCBI, CHIA/);
  await click(page, on.take('input[value="csv"]'));
  await waitForText(page, on.take("#preview"), /^system,/);
  if (isChromium) {
    await click(page, on.take("#download"));
    const file = join(folder, "clinscore-csv.csv");
    for (let tries = 0; !readdirSync(folder).includes("clinscore-csv.csv"); tries += 1) {
      assert.ok(tries < 200, "the download did not come");
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    assert.match(readFileSync(file, "utf8"), /^system,/);
  }
  // Names enter when they are asked for, with a warning.
  await click(page, on.take('input[value="report"]'));
  await click(page, on.take("#paths"));
  await waitForText(page, on.take("#preview"), /"path": "gold\.jsonl"/);
  assert.match(await textOf(page, on.take(".warning")), /can name patients/);
});

test("a long job shows its progress, is cancelled at once, and can be run again", async (t) => {
  const { page, log } = await open(t, "file");
  const zone = async (/** @type {string} */ role) => {
    const element = await find(page, on.files(`[data-role="${role}"]`));
    // 40,000 documents, made in the page.
    await element.evaluate((target) => {
      const text = `${"The patient was seen and sent home. ".repeat(20)}`;
      const lines = Array.from({ length: 40_000 }, (_, at) =>
        JSON.stringify({
          id: `d${at}`,
          text,
          entities: Array.from({ length: 20 }, (_, k) => ({
            start: k * 36 + 4,
            end: k * 36 + 11,
            label: `L${(k + at) % 7}`,
          })),
        }),
      );
      const data = new DataTransfer();
      data.items.add(new File([lines.join("\n")], "big.jsonl"));
      const init = { bubbles: true, cancelable: true, composed: true, dataTransfer: data };
      target.dispatchEvent(new DragEvent("drop", init));
    });
  };
  await zone("gold");
  await waitForText(page, on.files("#sources tbody tr"), / 40,000 800,000 /, 60_000);
  await zone("prediction");
  const cancel = await find(page, `${on.app} >>> #cancel`);
  const start = performance.now();
  await cancel.evaluate((button) => /** @type {HTMLElement} */ (button).click());
  await waitForText(page, `${on.app} >>> .failure`, /Cancelled\. Your files are still here\./);
  const took = performance.now() - start;
  assert.ok(took < 2000, `answered after ${took} ms`);
  assert.equal(await page.$(`${on.app} >>> #cancel`), null);
  await click(page, `${on.app} >>> .failure button`);
  assert.deepEqual(await scored(page, 120_000), ["1.0000"]);
  assert.deepEqual(log.errors, []);
});

test("when the worker dies the page says so, keeps the files and goes on", async (t) => {
  const { page } = await open(t, "file", {
    before: (page) =>
      page.evaluateOnNewDocument(() => {
        const Real = window.Worker;
        let alive = true;
        // The first score ends as a trap in the core would end it.
        window.Worker = class extends Real {
          /** @param {any} message */
          postMessage(message) {
            super.postMessage(message);
            if (message.call !== "score" || !alive) return;
            alive = false;
            this.dispatchEvent(new ErrorEvent("error", { message: "trap", cancelable: true }));
          }
        };
      }),
  });
  await click(page, on.files("#example"));
  await waitForText(page, `${on.app} >>> .failure`, /stopped unexpectedly/);
  await click(page, `${on.app} >>> .failure button`);
  assert.deepEqual(await scored(page), ["0.9419", "0.7467"]);
});

test("tables sort by their headers", async (t) => {
  const { page } = await openExample(t, "file");
  await click(page, on.tab("score"));
  const first = () => textOf(page, on.score("#labels >>> tbody tr:first-child th"));
  await click(page, on.score("#labels >>> thead th:nth-child(4) button"));
  assert.equal(await first(), "drug");
  const sort = () =>
    page.$eval(on.score("#labels >>> thead th:nth-child(4)"), (head) => head.ariaSort);
  assert.equal(await sort(), "descending");
  await click(page, on.score("#labels >>> thead th:nth-child(4) button"));
  assert.equal(await sort(), "ascending");
  // What is undefined comes last either way: recall without gold, which system B alone has.
  await click(page, on.score(".systems label:nth-child(2) input"));
  for (const direction of ["descending", "ascending"]) {
    await click(page, on.score("#labels >>> thead th:nth-child(3) button"));
    await find(page, on.score(`#labels >>> thead th:nth-child(3)[aria-sort="${direction}"]`));
    assert.equal(await textOf(page, on.score("#labels >>> tbody tr:last-child th")), "date");
  }
});

test("the keyboard reaches everything", async (t) => {
  const { page } = await openExample(t, "file");
  await page.focus(on.tab("files"));
  for (const view of ["score", "why", "compare", "take"]) {
    await page.keyboard.press("ArrowRight");
    await find(page, `${on.tab(view)}[aria-selected="true"]`);
  }
  await page.keyboard.press("Home");
  await find(page, `${on.tab("files")}[aria-selected="true"]`);
  /** @type {Set<string>} */
  const reached = new Set();
  for (let presses = 0; presses < 100; presses += 1) {
    await page.keyboard.press("Tab");
    reached.add(
      await page.evaluate(() => {
        let active = document.activeElement;
        while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
        return active?.ariaLabel ?? active?.id ?? "";
      }),
    );
  }
  for (const name of [
    "Gold: Files…",
    "Predictions: Paste…",
    "to-score",
    "tokens",
    "Scored as: drug",
  ]) {
    assert.ok(reached.has(name), `Tab did not reach ${name}: ${[...reached].join(", ")}`);
  }
});
