import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { ScoreError, score } from "../../lib/index.js";
import { tokenizerOf } from "../../lib/tokenizer.js";
import { clinscore, fixtures, root } from "./run.mjs";

const kinds = { wordpiece: "WordPiece", bpe: "BPE", unigram: "Unigram" };
const file = (/** @type {string} */ kind) => `${fixtures}tokenizers/${kind}.json`;
const jsonl = ["score", "--gold", "gold.jsonl", "--pred", "pred.jsonl"];
const text = "Café pain 😀";

/** One document with a span, as JSON Lines. */
const document = (/** @type {[number, number, string]} */ ...span) =>
  new TextEncoder().encode(`${JSON.stringify({ id: "1", text, entities: [span] })}\n`);
const run = {
  gold: [{ path: "gold.jsonl", bytes: document(5, 9, "Problem") }],
  predictions: [
    { name: "a", inputs: [{ path: "a.jsonl", bytes: document(5, 8, "Problem") }] },
    { name: "b", inputs: [{ path: "b.jsonl", bytes: document(5, 9, "Problem") }] },
  ],
};
const tokensOf = (/** @type {any} */ report) =>
  report.systems.map((/** @type {any} */ { tokens }) => [tokens.tokens_from, tokens.tokens]);

// Expected values: tokenizers 0.23.2 (Python), Tokenizer.from_file(…).encode(text, add_special_tokens=False).
const expected = {
  wordpiece: [0, 2, 2, 3, 3, 4, 5, 9, 10, 11],
  bpe: [0, 2, 2, 4, 5, 6, 6, 9, 10, 10, 10, 11, 10, 11, 10, 11, 10, 11],
  unigram: [0, 1, 0, 1, 1, 2, 2, 3, 3, 4, 4, 7, 7, 9, 9, 10, 10, 11],
};

for (const [kind, model] of Object.entries(kinds)) {
  test(`tokens of ${model}`, async () => {
    const { description, tokens } = await tokenizerOf(readFileSync(file(kind)));
    assert.equal(JSON.parse(description).model, model);
    assert.deepEqual([...(tokens?.(text) ?? [])], expected[/** @type {"bpe"} */ (kind)]);
    const { status, out, err } = clinscore([...jsonl, "--tokens", file(kind)]);
    assert.equal(status, 0, err);
    const { run, tokenizers, systems } = JSON.parse(out);
    assert.equal(run.tokens, "tokenizer");
    assert.equal(systems[0].tokens.tokens_from, "tokenizer");
    assert.match(systems[0].tokens.words, new RegExp(`${model} tokenizer.json`));
    const [{ sha256, path, model: told }] = tokenizers;
    assert.deepEqual([sha256.length, path, told], [64, null, model]);
  });
}

test("what a file would do to texts is switched off, and said", async () => {
  const { description, tokens } = await tokenizerOf(readFileSync(file("wordpiece")));
  assert.deepEqual(JSON.parse(description).switched_off, ["truncation at 16 tokens", "padding"]);
  assert.equal(tokens?.("pain ".repeat(100)).length, 200);
  assert.equal(tokens?.("").length, 0);
});

test("a tokenizer is used where the gold file has no tokens of its own", async () => {
  const { report } = await score({ ...run, tokenizer: file("bpe") });
  assert.deepEqual(tokensOf(report), [
    ["tokenizer", expected.bpe.length / 2],
    ["tokenizer", expected.bpe.length / 2],
  ]);
  const words = await score({ ...run, tokenizer: file("bpe"), options: { tokens: "words" } });
  assert.deepEqual(tokensOf(words.report)[0], ["words", 3]);
});

test("a system's own tokenizer wins over the run's", async () => {
  const own = { path: "b/tokenizer.json", bytes: readFileSync(file("unigram")) };
  const [a, b] = run.predictions;
  const predictions = [a, { ...b, inputs: [...b.inputs, own] }];
  const { report } = await score({ ...run, predictions, tokenizer: file("wordpiece") });
  assert.deepEqual(tokensOf(report), [
    ["tokenizer", expected.wordpiece.length / 2],
    ["tokenizer", expected.unigram.length / 2],
  ]);
  assert.deepEqual(
    report.tokenizers.map((/** @type {any} */ { system, model }) => [system, model]),
    [
      ["b", "Unigram"],
      [null, "WordPiece"],
    ],
  );
  // One system alone has a tokenizer, and the others say that they have none.
  const alone = await score({ gold: run.gold, predictions, options: { tokens: "tokenizer" } });
  assert.match(alone.report.systems[0].tokens_missing, /no tokenizer\.json was given/);
  assert.equal(alone.report.systems[1].tokens.tokens_from, "tokenizer");
});

test("on the command line a system's folder may hold it", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "clinscore-"));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "model"));
  writeFileSync(join(folder, "gold.jsonl"), run.gold[0].bytes);
  writeFileSync(join(folder, "model", "pred.jsonl"), run.gold[0].bytes);
  copyFileSync(file("bpe"), join(folder, "model", "tokenizer.json"));
  const args = ["score", "--gold", "gold.jsonl", "--pred", "model", "--paths"];
  const { status, out, err } = clinscore(args, { cwd: folder });
  assert.equal(status, 0, err);
  const report = JSON.parse(out);
  assert.deepEqual(tokensOf(report), [["tokenizer", expected.bpe.length / 2]]);
  assert.equal(report.tokenizers[0].path, "model/tokenizer.json");
  assert.equal(report.inputs.length, 2);
  assert.deepEqual(report.systems[0].side.problems, []);
});

test("a file that is no tokenizer says why", async () => {
  const bert = JSON.parse(readFileSync(file("wordpiece"), "utf8"));
  /** @type {[unknown, RegExp][]} */
  const bad = [
    ["{", /no valid JSON/],
    ["", /no valid JSON/],
    ["[]", /no Hugging Face tokenizer\.json/],
    ["7", /no Hugging Face tokenizer\.json/],
    [{ id: "1" }, /it has no "model"/],
    [{ ...bert, model: { type: "Magic" } }, /its model is of the type "Magic"; known are BPE/],
    [{ ...bert, normalizer: { type: "Rot13" } }, /its normalizer is of the type "Rot13"/],
    [
      { ...bert, pre_tokenizer: { type: "Sequence", pretokenizers: [{ type: "Rot13" }] } },
      /its pre_tokenizer is of the type "Rot13"/,
    ],
    [{ ...bert, normalizer: { type: "Precompiled", precompiled_charsmap: "AAAA" } }, /Precompiled/],
    [{ ...bert, normalizer: { type: "Precompiled", precompiled_charsmap: "" } }, /Precompiled/],
    [
      {
        ...bert,
        pre_tokenizer: {
          type: "Split",
          pattern: { Regex: "(" },
          behavior: "Isolated",
          invert: false,
        },
      },
      /not valid/,
    ],
    [{ ...bert, model: { type: "BPE", vocab: {}, merges: [["a", "b"]] } }, /not valid/],
    [{ ...bert, model: { type: "Unigram", vocab: [], unk_id: 3 } }, /not valid/],
    [{ ...bert, version: "9" }, /not valid/],
  ];
  for (const [content, why] of bad) {
    const bytes = Buffer.from(typeof content === "string" ? content : JSON.stringify(content));
    const { description, tokens } = await tokenizerOf(bytes);
    const { failure } = JSON.parse(description);
    assert.equal(tokens, undefined, String(content));
    assert.match(failure, why);
  }
  const tokenizer = { path: "x.json", bytes: Buffer.from("{}") };
  const { report } = await score({ ...run, tokenizer });
  const [system] = report.systems;
  assert.match(system.tokens_missing, /the tokenizer cannot be used: it is no Hugging Face/);
  assert.ok(system.notes.some((/** @type {any} */ { kind }) => kind === "tokenizer_unusable"));
  assert.ok(system.spans);
  const asked = score({ ...run, tokenizer, options: { tokens: "tokenizer" } });
  await assert.rejects(asked, (error) => {
    assert.ok(error instanceof ScoreError);
    assert.equal(error.failure.code, "bad_tokenizer");
    return true;
  });
});

test("a text without a token is a document without tokens, and counted", async () => {
  const tokenizer = JSON.parse(readFileSync(file("wordpiece"), "utf8"));
  tokenizer.model.unk_token = "[MISSING]";
  const bytes = Buffer.from(JSON.stringify(tokenizer));
  const { report } = await score({ ...run, tokenizer: { path: "t.json", bytes } });
  assert.match(report.systems[0].tokens_missing, /failed on every document/);
  const more = new TextEncoder().encode(
    `${JSON.stringify({ id: "2", text: "pain", entities: [] })}\n`,
  );
  const gold = [{ path: "gold.jsonl", bytes: Buffer.concat([run.gold[0].bytes, more]) }];
  const again = await score({ ...run, gold, tokenizer: { path: "t.json", bytes } });
  const [{ tokens, notes }] = again.report.systems;
  assert.deepEqual([tokens.documents, tokens.tokenizer_failed], [1, 1]);
  assert.ok(notes.some((/** @type {any} */ { kind }) => kind === "tokenizer_failed"));
});

test("a tokenizer that ends is not called again, and one that fails is", async () => {
  const { initSync, Session } = await import("../../dist/wasm/clinscore.js");
  initSync({ module: readFileSync(`${root}dist/wasm/clinscore_bg.wasm`) });
  const records = ["1", "2", "3"].map((id) => `${JSON.stringify({ id, text, entities: [] })}\n`);
  const bytes = new TextEncoder().encode(records.join(""));
  for (const [thrown, calls, failed] of /** @type {const} */ ([
    [new WebAssembly.RuntimeError("unreachable"), 2, 2],
    ["no token", 3, 1],
  ])) {
    const session = new Session();
    session.addBytes("gold", "", "gold.jsonl", bytes);
    session.addBytes("prediction", "p", "pred.jsonl", bytes);
    let called = 0;
    session.setTokenizer(null, "t.json", "{}", () => {
      called += 1;
      if (called === 2) throw thrown;
      return new Uint32Array([0, 4]);
    });
    const [{ tokens }] = JSON.parse(session.score({})).systems;
    assert.deepEqual([called, tokens.tokenizer_failed], [calls, failed]);
  }
});

test("tokens of a tokenizer that was not given, or of no file, are refused with what to do", () => {
  const none = clinscore([...jsonl, "--tokens", "tokenizer"]);
  assert.equal(none.status, 2);
  assert.match(none.err, /add the model's tokenizer\.json/);
  const absent = clinscore([...jsonl, "--tokens", "absent.json"]);
  assert.equal(absent.status, 2);
  assert.match(
    absent.err,
    /neither one of auto, file, words, .* nor the path of a tokenizer\.json/,
  );
});
