// What the browser tests share: one browser a test file, pages with a log, real drops.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { after } from "node:test";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";
import { programOf } from "../../scripts/browsers.mjs";
import { at } from "../../scripts/lib.mjs";
import { serve } from "../../scripts/server.mjs";

/** @typedef {import("puppeteer-core").Page} Page */
/** @typedef {{requests: string[], console: string[], errors: string[]}} Log */

/** The browser under test; `BROWSER=firefox node --test tests/browser/…` runs the other one. */
export const browserName = /** @type {import("../../scripts/browsers.mjs").BrowserName} */ (
  process.env.BROWSER ?? "chromium"
);
export const isChromium = browserName === "chromium";

/** Both ways to the page: opened from a disk, and from a web server. */
export const builds = /** @type {const} */ (["file", "http"]);

/** @type {Promise<import("puppeteer-core").Browser> | undefined} */
let browser;
/** @type {Awaited<ReturnType<typeof serve>> | undefined} */
let server;

after(async () => {
  await (await browser)?.close();
  await server?.close();
});

/** No name but this computer's own resolves, so that nothing can leave it. */
const chromiumArgs = [
  ..."--no-sandbox --disable-quic --no-first-run --disable-background-networking".split(" "),
  ..."--disable-component-update --disable-sync --disable-gpu".split(" "),
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];
const firefoxPrefs = {
  // Puppeteer switches this off, which would hide that a page does not work from a disk.
  "security.fileuri.strict_origin_policy": true,
  "network.proxy.type": 1,
  "network.proxy.http": "127.0.0.1",
  "network.proxy.http_port": 9,
  "network.proxy.ssl": "127.0.0.1",
  "network.proxy.ssl_port": 9,
};

/**
 * Starts the browser under test; most tests want `open` instead.
 * @param {{args?: string[]}} [more]
 */
export function launch({ args = [] } = {}) {
  const executablePath = programOf(browserName);
  return isChromium
    ? puppeteer.launch({ executablePath, args: [...chromiumArgs, ...args] })
    : puppeteer.launch({
        browser: "firefox",
        executablePath,
        extraPrefsFirefox: firefoxPrefs,
        args,
      });
}

/** The address of a build; the server starts with the first call for "http". */
export async function addressOf(/** @type {"file" | "http"} */ build) {
  if (build === "file") return pathToFileURL(at("dist", "clinscore.html")).href;
  server ??= await serve(at("dist", "site"), (path) => served.push(path));
  return server.url;
}

/** Every path the server was asked for. @type {string[]} */
export const served = [];

/**
 * Opens a build of the page, or any address, in a fresh tab that closes with the test.
 * `log` holds every request, console line and page error (CSP violations too) from the start.
 * @param {{after: (work: () => Promise<void>) => void}} t the test
 * @param {string} where "file", "http" or an address
 * @param {{width?: number, height?: number, before?: (page: Page) => Promise<unknown>}} [options]
 * @returns {Promise<{page: Page, log: Log}>}
 */
export async function open(t, where, { width = 1280, height = 900, before } = {}) {
  browser ??= launch();
  const page = await (await browser).newPage();
  t.after(() => page.close());
  await page.setViewport({ width, height });
  const log = record(page);
  await page.evaluateOnNewDocument(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(
        `CSP violation: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`,
      );
    });
  });
  await before?.(page);
  await page.goto(where === "file" || where === "http" ? await addressOf(where) : where);
  return { page, log };
}

/** Collects what a page asks for and says. @returns {Log} */
function record(/** @type {Page} */ page) {
  /** @type {Log} */
  const log = { requests: [], console: [], errors: [] };
  page.on("request", (request) => log.requests.push(request.url()));
  page.on("console", (message) => {
    log.console.push(message.text());
    if (message.type() === "error") log.errors.push(message.text());
  });
  page.on("pageerror", (error) => log.errors.push(String(error)));
  return log;
}

/**
 * Drops files and folders onto an element (`>>>` reaches into shadow roots). In Chromium a real
 * drop, as from a file manager; Firefox has no way to make one, so it gets File objects: the files
 * of a folder, without the folder.
 * @param {Page} page
 * @param {string} selector
 * @param {string[]} paths
 */
export async function drop(page, selector, paths) {
  const element = await page.waitForSelector(selector);
  if (!element) throw new Error(`${selector} is not in the page.`);
  await element.scrollIntoView();
  if (isChromium) return dropReal(page, element, paths);
  const files = paths.flatMap(filesAt).map((file) => ({
    name: basename(file),
    base64: readFileSync(file).toString("base64"),
  }));
  return dropFiles(element, files);
}

async function dropReal(
  /** @type {Page} */ page,
  /** @type {import("puppeteer-core").ElementHandle} */ element,
  /** @type {string[]} */ files,
) {
  const { x, y } = await element.clickablePoint();
  const devtools = await page.createCDPSession();
  for (const type of /** @type {const} */ (["dragEnter", "dragOver", "drop"])) {
    const data = { items: [], files, dragOperationsMask: 1 };
    await devtools.send("Input.dispatchDragEvent", { type, x, y, data });
  }
  await devtools.detach();
}

/**
 * Drops File objects made in the page, for what no disk can hold (odd names) and for Firefox.
 * @param {import("puppeteer-core").ElementHandle} element
 * @param {{name: string, base64: string}[]} files
 */
export async function dropFiles(element, files) {
  await element.evaluate((target, contents) => {
    const data = new DataTransfer();
    for (const { name, base64 } of contents) {
      const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      data.items.add(new File([bytes], name));
    }
    for (const type of ["dragenter", "dragover", "drop"]) {
      const options = { bubbles: true, cancelable: true, composed: true, dataTransfer: data };
      target.dispatchEvent(new DragEvent(type, options));
    }
  }, files);
}

/**
 * Picks files, or one folder, in a file input. Firefox takes no folder from a test: it gets the
 * folder's files.
 * @param {Page} page
 * @param {string} selector
 * @param {string[]} paths
 */
export async function choose(page, selector, paths) {
  const input = await page.waitForSelector(selector);
  const element = /** @type {import("puppeteer-core").ElementHandle<HTMLInputElement>} */ (input);
  await element.uploadFile(...(isChromium ? paths : paths.flatMap(filesAt)));
}

/** @returns {string[]} */
function filesAt(/** @type {string} */ path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesAt(join(path, name)));
}

/**
 * What axe finds wrong, as short lines; none is right.
 * @param {Page} page
 * @returns {Promise<string[]>}
 */
export async function axe(page) {
  // Evaluated by the debugger, which the page's policy does not bind.
  await page.evaluate(
    readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"),
  );
  return page.evaluate(async () => {
    const { violations } = await Reflect.get(window, "axe").run();
    return violations.map(
      (/** @type {{id: string, nodes: {target: unknown}[]}} */ { id, nodes }) =>
        `${id}: ${nodes.map(({ target }) => JSON.stringify(target)).join(" ")}`,
    );
  });
}
