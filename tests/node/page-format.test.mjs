// How the page writes numbers, labels and copied tables; the module itself, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "esbuild";
import { at } from "../../scripts/lib.mjs";

const { outputFiles } = await build({
  entryPoints: [at("www", "src", "format.ts")],
  bundle: true,
  format: "esm",
  write: false,
});
const code = Buffer.from(outputFiles[0].contents).toString("base64");
const { bytes, plural, score, separated, visible } = await import(
  `data:text/javascript;base64,${code}`
);

test("cells that a spreadsheet would run are text, numbers stay numbers", () => {
  const rows = [
    ["=1+1", "+x", "-x", "@x", "\tx", "-1.5", 0.1, 'a"b,c', "two\nlines"],
    ["plain", "", 3, 4, 5, 6, 7, 8, 9],
  ];
  assert.equal(
    separated(rows, ","),
    `'=1+1,'+x,'-x,'@x,'\tx,-1.5,0.1,"a""b,c","two\nlines"\r\nplain,,3,4,5,6,7,8,9\r\n`,
  );
  assert.equal(separated([["a\tb", "c\nd"]], "\t"), "a b\tc d\n");
});

test("a cell is a number where the core's CSV takes it for one", () => {
  const cell = (/** @type {string} */ text) => separated([[text]], "\t").trimEnd();
  for (const text of ["+1e5", "-1E-5", "+.5", "-5.", "-0", "+inf", "-Infinity", "-NaN"]) {
    assert.equal(cell(text), text);
  }
  for (const text of ["+1e", "+.", "-", "+1 2", "--1", "-1-1", "+0x1", "-1_0", "+e5", "=1"]) {
    assert.equal(cell(text), `'${text}`);
  }
});

test("a score is shown with the digits asked for, or as a dash", () => {
  const value = { value: 2 / 3, defined: true };
  assert.equal(score(value, 2), "0.67");
  assert.equal(score(value, 4), "0.6667");
  assert.equal(score(value, "all"), "0.6666666666666666");
  assert.equal(score({ value: null, defined: false, reason: "nothing" }, 4), "—");
  assert.equal(score(undefined, 4), "—");
});

test("what hides or reorders text is shown by its code, and long names are cut", () => {
  assert.equal(visible("a\u202eb\u0000\u200dc"), "a⟨U+202E⟩b⟨U+0000⟩⟨U+200D⟩c");
  assert.equal(visible("x".repeat(1000)).length, 201);
  assert.equal(visible("µg ≥ é 🙂"), "µg ≥ é 🙂");
});

test("counts agree with their nouns, sizes are short", () => {
  assert.equal(plural(1, "document"), "1 document");
  assert.equal(plural(1200, "document"), "1,200 documents");
  assert.equal(bytes(999), "999 B");
  assert.equal(bytes(84_000_000), "84.0 MB");
});
