// Ways through the page that its tests share.
import assert from "node:assert/strict";
import { open } from "./harness.mjs";

/** @typedef {import("puppeteer-core").Page} Page */

/** The parts of the page, by their place in its shadow trees. */
export const on = {
  app: "clinscore-app",
  files: (/** @type {string} */ inner) => `clinscore-app >>> cs-files >>> ${inner}`,
  score: (/** @type {string} */ inner) => `clinscore-app >>> cs-score >>> ${inner}`,
  why: (/** @type {string} */ inner) => `clinscore-app >>> cs-why >>> ${inner}`,
  compare: (/** @type {string} */ inner) => `clinscore-app >>> cs-compare >>> ${inner}`,
  take: (/** @type {string} */ inner) => `clinscore-app >>> cs-take >>> ${inner}`,
  tab: (/** @type {string} */ view) => `clinscore-app >>> #tab-${view}`,
};

/** Waits for an element; the library's own wait does not see changes inside shadow trees. */
export async function find(
  /** @type {Page} */ page,
  /** @type {string} */ selector,
  timeout = 10_000,
) {
  for (const end = Date.now() + timeout; Date.now() < end; ) {
    const element = await page.$(selector);
    if (element) return element;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${selector} is not in the page`);
}

/** The visible text of an element, white space folded. */
export async function textOf(/** @type {Page} */ page, /** @type {string} */ selector) {
  const element = await find(page, selector);
  const text = await element.evaluate((node) => node.textContent ?? "");
  return text.replace(/\s+/g, " ").trim();
}

/** Every match's text. */
export async function textsOf(/** @type {Page} */ page, /** @type {string} */ selector) {
  const all = await page.$$(selector);
  const texts = all.map((one) => one.evaluate((node) => node.textContent ?? ""));
  return (await Promise.all(texts)).map((text) => text.replace(/\s+/g, " ").trim());
}

export async function click(/** @type {Page} */ page, /** @type {string} */ selector) {
  const element = await find(page, selector);
  await element.scrollIntoView();
  await element.click();
}

/** Puts a text in the place of what a field holds, as typing and leaving it does. */
export async function type(
  /** @type {Page} */ page,
  /** @type {string} */ selector,
  /** @type {string} */ text,
) {
  const field = await find(page, selector);
  await field.evaluate((input, value) => {
    /** @type {HTMLInputElement} */ (input).value = value;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }, text);
}

/** Chooses a value of a list, wherever it lies. */
export async function pick(
  /** @type {Page} */ page,
  /** @type {string} */ selector,
  /** @type {string} */ value,
) {
  await (await find(page, selector)).select(value);
}

/** Waits until a text stands somewhere. */
export async function waitForText(
  /** @type {Page} */ page,
  /** @type {string} */ selector,
  /** @type {RegExp} */ wanted,
  timeout = 10_000,
) {
  const end = Date.now() + timeout;
  let seen = "";
  while (Date.now() < end) {
    const element = await page.$(selector);
    seen = element
      ? await element.evaluate((node) => node.textContent ?? "").catch(() => "")
      : "(absent)";
    seen = seen.replace(/\s+/g, " ").trim();
    if (wanted.test(seen)) return seen;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`${selector}: waited for ${wanted}, saw “${seen.slice(0, 300)}”`);
}

/** Waits until the page has scored, and tells the headline values as shown. */
export async function scored(/** @type {Page} */ page, timeout = 10_000) {
  await waitForText(page, on.files(".result"), /See the score/, timeout);
  return textsOf(page, on.files(".result b"));
}

/**
 * Opens the page with the example scored.
 * @param {Parameters<typeof open>[0]} t
 * @param {string} where
 * @param {Parameters<typeof open>[2]} [options]
 */
export async function openExample(t, where, options) {
  const opened = await open(t, where, options);
  await click(opened.page, on.files("#example"));
  assert.deepEqual(await scored(opened.page), ["0.9419", "0.7467"]);
  return opened;
}

/** Puts text into a zone as a pasted or dropped file would come: a drop of File objects. */
export async function give(
  /** @type {Page} */ page,
  /** @type {"gold" | "prediction"} */ role,
  /** @type {Record<string, string>} */ files,
) {
  const zone = await find(page, on.files(`[data-role="${role}"]`));
  await zone.evaluate((target, contents) => {
    const data = new DataTransfer();
    for (const [name, text] of Object.entries(contents)) data.items.add(new File([text], name));
    for (const type of ["dragenter", "dragover", "drop"]) {
      target.dispatchEvent(
        new DragEvent(type, {
          bubbles: true,
          cancelable: true,
          composed: true,
          dataTransfer: data,
        }),
      );
    }
  }, files);
}

/** One document as a JSON line. */
export function record(
  /** @type {string} */ id,
  /** @type {string} */ text,
  /** @type {[number, number, string][]} */ spans,
) {
  const entities = spans.map(([start, end, label]) => ({ start, end, label }));
  return JSON.stringify({ id, text, entities });
}
