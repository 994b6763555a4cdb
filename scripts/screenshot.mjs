// Makes docs/screenshot.png from the built page: the example's score.
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";
import { programOf } from "./browsers.mjs";
import { at, fail } from "./lib.mjs";

const browser = await puppeteer.launch({
  executablePath: programOf("chromium") ?? fail("Chromium is missing."),
  args: ["--no-sandbox", "--disable-quic", "--disable-background-networking"],
});
const page = await browser.newPage();
await page.setViewport({ width: 1360, height: 1120 });
await page.goto(pathToFileURL(at("dist", "clinscore.html")).href);
const click = async (/** @type {string} */ selector) => {
  for (let tries = 0; tries < 200; tries += 1) {
    const element = await page.$(selector);
    if (element) return element.click();
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return fail(`${selector} is not in the page.`);
};
await click("clinscore-app >>> cs-files >>> #example");
await click("clinscore-app >>> cs-files >>> #to-score");
await page.mouse.move(0, 0);
await new Promise((resolve) => setTimeout(resolve, 300));
await page.screenshot({ path: at("docs", "screenshot.png") });
await browser.close();
console.log("docs/screenshot.png: made");
