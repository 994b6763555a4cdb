// What safety.md's promises look like from outside: no request, nothing left behind, nothing executed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { test } from "node:test";
import { at } from "../../scripts/lib.mjs";
import { addressOf, axe, builds, isChromium, launch, open } from "./harness.mjs";
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
  waitForText,
} from "./page.mjs";

/** @typedef {import("puppeteer-core").Page} Page */

/** Everything the page does, once: score, look at errors, compare, export with and without names. */
async function session(/** @type {Page} */ page) {
  for (const view of ["score", "why", "compare", "take"]) await click(page, on.tab(view));
  for (const kind of ["csv", "markdown", "problems", "nervaluate", "sklearn", "report"]) {
    await click(page, on.take(`input[value="${kind}"]`));
    await find(page, on.take("#preview"));
  }
  await click(page, on.tab("why"));
  await find(page, on.why("cs-note >>> .text"));
  for (const key of ["n", "n", "j", "p", "k"]) await page.keyboard.press(key);
  await click(page, on.tab("score"));
  await click(page, on.score("#modes >>> td button"));
  await find(page, on.why("#events tr[aria-current]"));
  await click(page, `${on.app} >>> .badge`);
  await click(page, `${on.app} >>> #privacy button`);
}

/** Every default export, one after the other. */
async function exportsOf(/** @type {Page} */ page) {
  return page.evaluate(async () => {
    const store = Reflect.get(document.querySelector("clinscore-app") ?? {}, "store");
    const texts = [];
    for (const kind of ["report", "csv", "markdown", "problems", "nervaluate", "sklearn"]) {
      texts.push(await store.output(kind));
    }
    return texts.join("\n");
  });
}

/** All that a page can leave behind in a browser, as one text. */
async function traces(/** @type {Page} */ page) {
  const inside = await page.evaluate(async () => {
    const parts = [document.cookie, document.title, location.href, JSON.stringify(history.state)];
    parts.push(JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage }), name);
    try {
      parts.push(JSON.stringify(await caches.keys()));
    } catch {
      // Not offered from a disk.
    }
    try {
      parts.push(JSON.stringify(await indexedDB.databases()));
    } catch {
      // As above.
    }
    return { text: parts.join("\n"), stored: localStorage.length + sessionStorage.length };
  });
  assert.equal(inside.stored, 0);
  if (!isChromium) return inside.text;
  const devtools = await page.createCDPSession();
  const { entries } = await devtools.send("Page.getNavigationHistory");
  await devtools.detach();
  return `${inside.text}\n${JSON.stringify(entries)}`;
}

for (const build of builds) {
  test(`${build}: a whole session asks for nothing but the page`, async (t) => {
    const { page, log } = await openExample(t, build);
    await session(page);
    const asked = log.requests.filter((url) => !/^(blob|data):/.test(url));
    // Firefox does not tell of a document from a disk.
    const own = asked.filter((url) => url === page.url().split("#")[0] || /\/app\.js$/.test(url));
    assert.deepEqual(asked, own);
    assert.ok(asked.length <= (build === "file" ? 1 : 2), asked.join("\n"));
    if (build === "http") assert.match(asked[1] ?? "", /\/app\.js$/);
    assert.deepEqual(log.console, []);
    assert.deepEqual(log.errors, []);
  });

  test(`${build}: what is in the files stays in the page`, async (t) => {
    const { page, log } = await open(t, build);
    const text = "TEXTSENTINEL has fever";
    await give(page, "gold", {
      "PATHSENTINEL.jsonl": `${record("IDSENTINEL", text, [[17, 22, "LABELSENTINEL"]])}\nTEXTSENTINEL\n`,
    });
    await give(page, "prediction", {
      "PATHSENTINEL-run.jsonl": record("IDSENTINEL", text, [
        [0, 12, "LABELSENTINEL"],
        [17, 22, "LABELSENTINEL"],
      ]),
    });
    assert.deepEqual(await scored(page), ["0.6667"]);
    await session(page);
    assert.match(await textOf(page, on.why("cs-note >>> .text")), /TEXTSENTINEL/);
    const left = `${await traces(page)}\n${log.console.join("\n")}\n${log.errors.join("\n")}`;
    assert.doesNotMatch(left, /SENTINEL/i);
    const exported = await exportsOf(page);
    assert.match(exported, /LABELSENTINEL/);
    assert.doesNotMatch(exported, /TEXTSENTINEL|PATHSENTINEL/);
    if (isChromium && build === "http") {
      const { origin } = new URL(page.url());
      await page.browserContext().overridePermissions(origin, ["clipboard-read"]);
      await page.bringToFront();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      assert.doesNotMatch(copied, /SENTINEL/);
    }
  });

  test(`${build}: hostile labels, ids, texts and names are text`, async (t) => {
    const { page, log } = await open(t, build);
    const hostile = [
      '<img src="x" onerror="window.pwned=1">',
      "<script>window.pwned=1</script>",
      "javascript:window.pwned=1",
      "\"'><svg onload=window.pwned=1>",
      "\u202egnp.exe\u0000",
      "__proto__",
      "constructor",
      "toString",
      "x".repeat(1_000_000),
      "=cmd|' /C calc'!A0",
    ];
    const lines = hostile.map((label, at) =>
      record(at ? label : `${label}${at}`, `${label} and more`, [[0, 4, label]]),
    );
    const odd = '{"id":"k","text":"abc","entities":[],"<img src=x onerror=window.pwned=1>":1}';
    const name = "<img src=x onerror=window.pwned=1>.jsonl";
    await give(page, "gold", { [name]: [...lines, odd].join("\n") });
    await give(page, "prediction", { [`run ${name}`]: lines.slice(0, 9).join("\n") });
    await waitForText(page, on.files(".result"), /0\.9474/, 30_000);
    await session(page);
    await click(page, on.tab("score"));
    const rows = await textsOf(page, on.score("#labels >>> tbody tr"));
    for (const label of ["__proto__", "constructor", "toString"]) {
      const row = rows.find((text) => text.startsWith(label));
      assert.match(row ?? "", /1\.0000\s*1\.0000\s*1\.0000\s*1\s*1\s*1/, label);
    }
    const found = await page.evaluate(() => {
      const odd = [];
      const walk = (/** @type {ParentNode} */ root) => {
        for (const node of root.querySelectorAll("*")) {
          if (/^(img|script|iframe|object|embed)$/i.test(node.localName)) odd.push(node.outerHTML);
          if (node.localName === "svg" && !node.classList.contains("mark")) odd.push("svg");
          for (const { name } of node.attributes) if (/^on/i.test(name)) odd.push(name);
          if (node.shadowRoot) walk(node.shadowRoot);
        }
      };
      const app = document.querySelector("clinscore-app");
      if (app?.shadowRoot) walk(app.shadowRoot);
      return { odd, pwned: Reflect.has(window, "pwned") };
    });
    assert.deepEqual(found, { odd: [], pwned: false });
    assert.deepEqual(log.errors, []);
    assert.match(await exportsOf(page), /'=cmd/);
  });
}

test("axe finds nothing: light, dark and 320 px wide", async (t) => {
  for (const [width, theme] of /** @type {const} */ ([
    [1280, "light"],
    [1280, "dark"],
    [320, "light"],
  ])) {
    const { page } = await open(t, "file", { width });
    await page.$eval(on.app, (app, theme) => app.setAttribute("theme", theme), theme);
    const check = async (/** @type {string} */ what) => {
      assert.deepEqual(await axe(page), [], `${what}, ${theme}, ${width} px`);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(over <= 0, `${what} scrolls sideways by ${over} px at ${width} px`);
    };
    await check("empty");
    await click(page, on.files("#example"));
    await scored(page);
    await check("files");
    for (const view of ["score", "why", "compare", "take"]) {
      await click(page, on.tab(view));
      await (view === "why" ? find(page, on.why("#events")) : Promise.resolve());
      await (view === "take" ? find(page, on.take("#preview")) : Promise.resolve());
      await check(view);
    }
  }
});

test("without WebAssembly the page says what to do", { skip: !isChromium }, async (t) => {
  const browser = await launch({ args: ["--js-flags=--jitless"] });
  t.after(() => browser.close());
  const page = await browser.newPage();
  await page.goto(await addressOf("file"));
  await waitForText(page, `${on.app} >>> .failure`, /does not offer WebAssembly/, 2000);
});

test("the page works in a sandboxed frame and inside another page", async (t) => {
  const single = readFileSync(at("dist", "clinscore.html"));
  const script = readFileSync(at("dist", "site", "app.js"));
  const pages = /** @type {Record<string, [string, string | Buffer]>} */ ({
    "/framed": [
      "text/html",
      '<!doctype html><iframe sandbox="allow-scripts allow-downloads" src="/clinscore.html" width="1200" height="800"></iframe>',
    ],
    "/clinscore.html": ["text/html", single],
    "/app.js": ["text/javascript", script],
    "/holding": [
      "text/html",
      '<!doctype html><html lang="en"><title>Held</title><h1>Ours</h1><p>Words.</p><clinscore-app embedded></clinscore-app><script src="/app.js"></script>',
    ],
  });
  const server = createServer((request, response) => {
    const [type, body] = pages[request.url ?? ""] ?? ["text/plain", ""];
    response.setHeader("Content-Type", `${type}; charset=utf-8`);
    response.end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  t.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());

  const { page, log } = await open(t, `http://127.0.0.1:${port}/framed`);
  const frame = /** @type {Page} */ (
    /** @type {unknown} */ (await (await find(page, "iframe")).contentFrame())
  );
  await click(frame, on.files("#example"));
  assert.deepEqual(await scored(frame), ["0.9419", "0.7467"]);
  await click(frame, on.tab("why"));
  await find(frame, on.why("cs-note >>> .text"));
  await click(frame, on.tab("take"));
  await find(frame, on.take("#preview"));
  assert.deepEqual(log.errors, []);

  const held = await open(t, `http://127.0.0.1:${port}/holding`);
  await click(held.page, on.files("#example"));
  assert.deepEqual(await scored(held.page), ["0.9419", "0.7467"]);
  await click(held.page, on.tab("score"));
  assert.match(held.page.url(), /\/holding$/);
  assert.deepEqual(held.log.errors, []);
});

test("the built page holds no way out", () => {
  // The module's bytes as base64 hold every short word by chance.
  const script = readFileSync(at("dist", "site", "app.js"), "utf8").replace(
    /"[A-Za-z0-9+/=]{1000,}"/g,
    '""',
  );
  const forbidden = [
    /\beval\b/,
    /\bFunction\(/,
    /document\.write/,
    /\bfetch\(/,
    /XMLHttpRequest/,
    /WebSocket/,
    /EventSource/,
    /sendBeacon/,
    /RTCPeerConnection/,
    /WebTransport/,
    /(window|self|globalThis)\.open\b/,
    /localStorage|sessionStorage|indexedDB|document\.cookie|\bcaches\b/,
    /serviceWorker/,
    /importScripts|\bimport\(/,
    /location\.(assign|replace)|location(\.href)?=[^=]/,
    /\b(https?|wss?):\/\//,
  ];
  for (const pattern of forbidden) {
    const hit = pattern.exec(script);
    const around = hit && script.slice(Math.max(0, hit.index - 60), hit.index + 60);
    assert.equal(around, null, `${pattern} in the bundle: ${around}`);
  }
  // Lit makes its templates with innerHTML, under its own policy: once, and nobody else.
  assert.equal(script.match(/innerHTML/g)?.length, 1);
});
