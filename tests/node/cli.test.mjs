import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { catalog } from "../../lib/index.js";
import { clinscore, fixtures } from "./run.mjs";

const jsonl = ["score", "--gold", "gold.jsonl", "--pred", "pred.jsonl"];
const brat = ["score", "--gold", "gold", "--pred", "system"];

/** Must be scored. */
function scored(/** @type {string[]} */ args, /** @type {object} */ options) {
  const { status, out, err } = clinscore(args, options);
  assert.equal(status, 0, err);
  return { out, err };
}

/** Must be refused, with a sentence that says why, and nothing on stdout. */
function refused(/** @type {string[]} */ args, /** @type {RegExp} */ why) {
  const { status, out, err } = clinscore(args);
  assert.equal(status, 2, err);
  assert.equal(out, "");
  assert.match(err, why);
  assert.doesNotMatch(err, /\bat .*\.js:\d+|RuntimeError/, "no stack");
}

const folder = (/** @type {import("node:test").TestContext} */ t) => {
  const path = mkdtempSync(join(tmpdir(), "clinscore-"));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
};

test("folders are read in name order, hidden files left out", () => {
  const { out, err } = scored([...brat, "--paths"]);
  const { inputs, systems } = JSON.parse(out);
  assert.deepEqual(
    inputs.map((input) => input.path),
    ["gold/d1.ann", "gold/d1.txt", "gold/d2.ann", "gold/d2.txt", "system/d1.ann", "system/d2.ann"],
  );
  assert.equal(systems[0].name, "system");
  assert.deepEqual(systems[0].spans.overall.strict.correct, 2);
  assert.match(err, /Spans that cannot be read; skipped\n {4}system\/d2\.ann, line 2/);
});

test("problems stay away with --quiet", () => {
  assert.equal(scored([...brat, "--quiet"]).err, "");
});

test("problems hold no note text", () => {
  assert.doesNotMatch(scored(brat).err, /aspirin|fever|cough/);
});

test("the report holds the SHA-256 of each input and no path unless asked", () => {
  const [gold] = JSON.parse(scored(jsonl).out).inputs;
  assert.match(gold.sha256, /^[0-9a-f]{64}$/);
  assert.equal(gold.path, null);
});

test("every output has its shape", () => {
  const json = (/** @type {string} */ kind) => JSON.parse(scored([...jsonl, "--output", kind]).out);
  assert.deepEqual(Object.keys(json("nervaluate")), ["overall", "per_tag"]);
  assert.ok(json("sklearn")["micro avg"]);
  assert.equal(json("report").systems.length, 1);
  assert.match(scored([...jsonl, "--output", "csv"]).out, /^system,definition,level,label,/);
  assert.match(scored([...jsonl, "--output", "markdown"]).out, /^# clinscore /);
});

test("several systems are keyed by name; one --pred takes several files", () => {
  const { out } = scored([
    ...["score", "--gold", "gold", "--output", "nervaluate"],
    ...["--pred", "A=system/d1.ann", "system/d2.ann", "--pred=B=system"],
  ]);
  const { A, B } = JSON.parse(out);
  assert.deepEqual(A, B);
});

test("a file whose name holds = is a path", (t) => {
  const path = join(folder(t), "a=b.jsonl");
  writeFileSync(path, readFileSync(`${fixtures}cli/pred.jsonl`));
  const { out } = scored(["score", "--gold", "gold.jsonl", "--pred", path]);
  assert.equal(JSON.parse(out).systems[0].name, "a=b.jsonl");
});

test("- is standard input", () => {
  const input = readFileSync(`${fixtures}cli/gold.jsonl`);
  const args = ["--pred", "pred.jsonl", "--output", "csv"];
  const piped = scored(["score", "--gold", "-", ...args], { input });
  assert.equal(piped.out, scored([...jsonl, "--output", "csv"]).out);
});

test("a link back to a folder above is not followed", (t) => {
  const path = folder(t);
  writeFileSync(join(path, "gold.jsonl"), readFileSync(`${fixtures}cli/gold.jsonl`));
  symlinkSync(path, join(path, "loop"));
  scored(["score", "--gold", path, "--pred", "pred.jsonl"]);
});

test("what is no file is refused in plain words, and nothing waits for it", (t) => {
  const path = join(folder(t), "PATHSENTINEL");
  const at = (/** @type {string} */ name) => join(path, name);
  const gold = (/** @type {string} */ file) => ["score", "--gold", file, "--pred", "pred.jsonl"];
  mkdirSync(path);
  symlinkSync(at("b"), at("a"));
  symlinkSync(at("a"), at("b"));
  refused(gold(at("a")), /: Its links lead in a circle\.\n$/);
  // Below a folder, only the path from the folder on is told.
  refused(gold(path), /^error: PATHSENTINEL\/a: Its links lead in a circle\.\n$/);
  rmSync(at("a"));
  refused(gold(path), /^error: PATHSENTINEL\/b: There is no such file or folder\.\n$/);
  rmSync(at("b"));
  mkdirSync(at("gold.jsonl"));
  refused(gold(at("gold.jsonl")), /there is no gold/);
  refused([...jsonl, "--map", at("gold.jsonl")], /: It is a folder\.\n$/);
  refused([...jsonl, "--config", at("gold.jsonl")], /: It is a folder\.\n$/);
  refused([...jsonl, "--out", path], /: It is a folder\.\n$/);
  refused([...jsonl, "--out", jsonl[jsonl.indexOf("--gold") + 1]], /one of the files to score/);
  writeFileSync(at("gold.jsonl/gold.jsonl"), readFileSync(`${fixtures}cli/gold.jsonl`));
  scored(gold(at("gold.jsonl")));
  if (process.platform === "win32") return;
  execFileSync("mkfifo", [at("pipe.jsonl")]);
  refused(gold(at("pipe.jsonl")), /: It is neither a file nor a folder\.\n$/);
  refused(gold(path), /^error: PATHSENTINEL\/pipe\.jsonl: It is neither a file nor a folder\.\n$/);
  refused([...jsonl, "--map", at("pipe.jsonl")], /neither a file nor a folder/);
  refused(gold("/dev/zero"), /neither a file nor a folder/);
});

test("a pipe of the shell is read", { skip: process.platform === "win32" }, () => {
  const script = `"$1" "$2" score --gold <(cat gold.jsonl) --pred pred.jsonl --output csv`;
  const program = new URL("../../bin/clinscore.js", import.meta.url).pathname;
  const out = execFileSync("bash", ["-c", script, "-", process.execPath, program], {
    cwd: `${fixtures}cli`,
  });
  assert.equal(`${out}`, scored([...jsonl, "--output", "csv"]).out);
});

test("--out writes a file and prints nothing", (t) => {
  const out = join(folder(t), "report.csv");
  assert.equal(scored([...jsonl, "--output", "csv", "--out", out]).out, "");
  assert.match(readFileSync(out, "utf8"), /^system,/);
});

test("labels and map choose what is scored", () => {
  const { out } = scored([...jsonl, "--map", "map.json", "--labels", "Problem, Drug"]);
  const { labels, run } = JSON.parse(out);
  assert.deepEqual(labels, ["Problem", "Drug"]);
  assert.equal(run.map.SIGN, "Problem");
});

test("a run file gives options, its map beside it; flags win", () => {
  const ofFile = JSON.parse(scored([...jsonl, "--config", "run.json"]).out);
  assert.deepEqual(ofFile.labels, ["Problem"]);
  assert.equal(ofFile.run.map.SIGN, "Problem");
  const flag = JSON.parse(scored([...jsonl, "--config", "run.json", "--labels", "Drug"]).out);
  assert.deepEqual(flag.labels, ["Drug"]);
});

test("the run file in a report gives the same report", (t) => {
  const config = join(folder(t), "run.json");
  const { out } = scored([...jsonl, "--map", "map.json", "--labels", "Drug"]);
  writeFileSync(config, JSON.stringify(JSON.parse(out).run));
  assert.equal(scored([...jsonl, "--config", config]).out, out);
});

test("what cannot be scored says why and exits 2", (t) => {
  const path = folder(t);
  const file = (/** @type {string} */ name, /** @type {string} */ text) => {
    writeFileSync(join(path, name), text);
    return join(path, name);
  };
  refused([], /Usage: clinscore/);
  refused(["guess"], /unknown command 'guess'/);
  refused(["score", "--gold", "gold.jsonl"], /--pred/);
  refused(["score", "--gold", "gold.jsonl", "--pred"], /--pred needs a path/);
  refused([...jsonl, "--bogus"], /unknown option '--bogus'/);
  refused([...jsonl, "--output", "xml"], /'xml' is invalid. Allowed choices are report,/);
  refused([...jsonl, "--dataset", "MIMIC"], /Allowed choices are NCBI, CHIA, BIORED/);
  refused([...jsonl, "--benchmark", "ncer"], /dataset/);
  refused([...jsonl, "--output", "ncer"], /ncer/);
  refused([...jsonl, "--map", "none.json"], /none\.json: There is no such file/);
  refused([...jsonl, "--map", "gold.jsonl"], /gold\.jsonl: It is no valid JSON/);
  refused([...jsonl, "--config", file("list.json", "[]")], /one JSON object/);
  refused([...jsonl, "--config", file("key.json", '{"lables": []}')], /lables/);
  refused([...jsonl, "--config", file("tokens.json", '{"tokens": "x"}')], /tokens.*"x"/);
  refused([...jsonl, "--pred", "pred.jsonl"], /Two systems are called pred\.jsonl/);
  refused([...jsonl, "B=pred.jsonl"], /One --pred is one system/);
  refused(["score", "--gold", "nowhere", "--pred", "pred.jsonl"], /nowhere: There is no such/);
  refused(["score", "--gold", "-", "--pred", "-"], /once only/);
  const prose = file("prose.txt", "Nothing to score here.\n");
  refused(["score", "--gold", prose, "--pred", "pred.jsonl"], /prose\.txt: .*\nerror: .*gold/);
  refused([...jsonl, "--out", join(path, "no", "folder.json")], /no such file or folder/i);
});

test("a system that cannot be scored is named, and the others are scored", (t) => {
  const path = join(folder(t), "other.jsonl");
  const [line] = readFileSync(`${fixtures}cli/gold.jsonl`, "utf8").split("\n");
  writeFileSync(path, JSON.stringify({ ...JSON.parse(line), id: "elsewhere" }));
  const { status, out, err } = clinscore([...jsonl, "--pred", path, "--quiet"]);
  assert.equal(status, 2);
  assert.match(err, /^error: other\.jsonl: no predicted document has the id/);
  const [scored, failed] = JSON.parse(out).systems;
  assert.ok(scored.spans);
  assert.equal(failed.spans, null);
  refused(["score", "--gold", "gold.jsonl", "--pred", path], /error: other\.jsonl: no predicted/);
});

test("--quiet says nothing but why it failed", () => {
  const prose = "map.json";
  const { err, out } = clinscore(["score", "--gold", prose, "--pred", "pred.jsonl", "--quiet"]);
  assert.equal(out, "");
  assert.match(err, /^error: .*gold.*\n$/);
});

test("an output of tokens alone says why there are none", () => {
  refused(
    [...brat, "--output", "sklearn", "--tokens", "none", "--quiet"],
    /^error: system: there are no token scores: .+\n$/,
  );
});

test("a result that cannot be written is refused before the work", (t) => {
  const out = join(folder(t), "none", "report.json");
  // Such gold would fail, too.
  const args = ["score", "--gold", "map.json", "--pred", "pred.jsonl", "--out", out];
  refused(args, /^error: .*none: There is no such file or folder\.\n$/);
});

test("a problem says what was expected, and counts add up", (t) => {
  const path = folder(t);
  const bad = join(path, "bad.jsonl");
  writeFileSync(bad, Buffer.from('{"id":"1","text":"\x93","entities":[]}\n', "latin1"));
  refused(["score", "--gold", bad, "--pred", "pred.jsonl"], /expected .*choose windows-1252/);
  const map = join(path, "map.json");
  writeFileSync(map, '{"Drug": "Drug"}');
  const { err } = scored([...jsonl, "--map", map]);
  // One item is a label with all its spans.
  assert.match(
    err,
    / {2}2 × Spans whose label the map .*\n {4}found 2 spans labelled "Problem";.*\npred/,
  );
  assert.match(err, / {2}4 × .*\n {4}found .* labelled "NEG.*\n {4}found 3 .*\n {2}note/);
});

test("what would steer a terminal is shown escaped", (t) => {
  const path = join(folder(t), "pred.jsonl");
  const record = { id: "\u001b[2Jid\nerror: x", text: "a", entities: [{ start: 0, end: "?" }] };
  writeFileSync(path, `${JSON.stringify(record)}\n`);
  const { err } = clinscore(["score", "--gold", "gold.jsonl", "--pred", `E\u001b[31m=${path}`]);
  assert.match(err, /E\\u\{1b\}\[31m/);
  assert.match(err, /document \\u\{1b\}\[2Jid\\u\{a\}error: x/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be there.
  assert.doesNotMatch(err, /[\u0000-\u0009\u000b-\u001f]/);
});

test("paths that end alike are told apart", (t) => {
  const path = folder(t);
  for (const side of ["s1", "s2"]) mkdirSync(join(path, side, "notes"), { recursive: true });
  for (const [side, file] of [
    ["s1", "gold.jsonl"],
    ["s2", "pred.jsonl"],
  ]) {
    writeFileSync(join(path, side, "notes", file), readFileSync(`${fixtures}cli/${file}`));
  }
  const at = (/** @type {string} */ side) => join(path, side, "notes");
  const { out } = scored(["score", "--gold", at("s1"), "--pred", at("s2"), "--paths"]);
  assert.deepEqual(
    JSON.parse(out).inputs.map((/** @type {any} */ input) => input.path),
    ["s1/notes/gold.jsonl", "s2/notes/pred.jsonl"],
  );
});

test("help tells the flags and the core's choices", async () => {
  const out = scored(["score", "--help"]).out + scored(["leaderboard", "--help"]).out;
  for (const choices of Object.values(await catalog())) {
    for (const { name } of choices) assert.ok(out.includes(`"${name}"`), name);
  }
  assert.match(scored(["score", "--help"]).out, /--gold <path\.\.\.>/);
  assert.match(scored(["--version"]).out, /^\d+\.\d+\.\d+\n$/);
});
