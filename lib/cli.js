// The command line: flags → one call of score() → text.
import { existsSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { FileError, nameOf, plainly, textAt } from "./files.js";
import { catalog, ScoreError, score } from "./index.js";
import { describeFailure, describeReport, escaped, unscored } from "./messages.js";

/** Stands before the paths of each --pred, since one --pred is one system. No argument holds a NUL. */
const nextSystem = "\0";

/** @typedef {{name: string, inputs: string[]}} System */

/** Outputs that are made of token scores alone. */
const ofTokens = ["sklearn"];

const choice = (
  /** @type {string} */ flags,
  /** @type {string} */ text,
  /** @type {import("./index.js").Choice[]} */ values,
) => new Option(flags, text).choices(values.map(({ name }) => name));

function scoreCommand(/** @type {import("./index.js").Catalog} */ lists) {
  return new Command("score")
    .description("Score predictions against gold.")
    .requiredOption("--gold <path...>", "files, folders, .zip, or - for standard input")
    .requiredOption(
      "--pred <[name=]path...>",
      "the same, for one system; repeat for more",
      addPrediction,
    )
    .addOption(choice("--benchmark <name>", "a benchmark's rules", lists.benchmarks))
    .addOption(choice("--dataset <name>", "one of its datasets", lists.datasets))
    .addOption(choice("--mode <mode>", "of a benchmark", lists.modes))
    .addOption(choice("--llm <rule>", "how generated text is read", lists.llm))
    .addOption(choice("--definition <name>", "how spans are matched", lists.definitions))
    .option("--labels <a,b>", "the labels scored", splitList)
    .option("--map <file>", 'label map: {"their label": "our label"}', readJson)
    .option(
      "--fold-labels",
      "apply the proposed folding of case, separators and prefixes of labels",
    )
    .addOption(choice("--format <name>", "format of all files", lists.formats))
    .addOption(choice("--format-gold <name>", "format of the gold files", lists.formats))
    .addOption(choice("--format-pred <name>", "format of the predictions", lists.formats))
    .addOption(choice("--encoding <name>", "text encoding", lists.encodings))
    .addOption(choice("--offsets <unit>", "what offsets count", lists.offsets))
    .addOption(choice("--gold-offsets <unit>", "what gold's offsets count", lists.offsets))
    .addOption(choice("--pred-offsets <unit>", "what predictions' offsets count", lists.offsets))
    .addOption(choice("--view <view>", "of which text offsets count", lists.views))
    .addOption(choice("--end <end>", "whether the end is the last unit of a span", lists.ends))
    .addOption(choice("--fragments <way>", "discontinuous spans as one range", lists.fragments))
    .addOption(
      choice("--occurrences <which>", "of items without offsets in the text", lists.occurrences),
    )
    .option(
      "--clean <a,b>",
      `clean-up (any of: ${lists.clean.map(({ name }) => `"${name}"`).join(", ")})`,
      splitList,
    )
    .option("--normalise-ids", "pair documents by ids normalised as proposed")
    .option("--common-only", "score documents that are on both sides only")
    .option("--realign", "bring predictions to gold's text where texts differ")
    .addOption(tokensOption(lists.tokens))
    .option("--config <file>", "a run file: options as JSON; flags win over it")
    .addOption(
      choice("--output <kind>", "what is printed", lists.outputs).default(lists.outputs[0].name),
    )
    .option("--out <file>", "print into a file")
    .option("--paths", "put file paths into the report")
    .option("--quiet", "say nothing about problems in the files")
    .action(runScore);
}

/** A token source by name, or the path of a tokenizer. @param {import("./index.js").Choice[]} sources */
function tokensOption(sources) {
  const names = sources.map(({ name }) => name);
  return new Option(
    "--tokens <source>",
    `token source (${names.map((name) => `"${name}"`).join(", ")}), or a path: a model's tokenizer.json`,
  ).argParser((value) => {
    if (names.includes(value)) return { name: value };
    if (existsSync(value)) return { name: "tokenizer", path: value };
    throw new InvalidArgumentError(
      `It is neither one of ${names.join(", ")} nor the path of a tokenizer.json.`,
    );
  });
}

/** @param {string} value @param {System[]} [systems] */
function addPrediction(value, systems = []) {
  if (value === nextSystem) return [...systems, { name: "", inputs: [] }];
  const system = systems[systems.length - 1];
  const named = existsSync(value) ? null : /^([^=]+)=(.+)$/s.exec(value);
  if (named && system.name) {
    throw new InvalidArgumentError("One --pred is one system: repeat the flag for the next.");
  }
  const path = named?.[2] ?? value;
  system.name ||= named?.[1] ?? nameOf(path);
  system.inputs.push(path);
  return systems;
}

const splitList = (/** @type {string} */ text) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);

function readJson(/** @type {string} */ file) {
  const text = textAt(file);
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    throw new InvalidArgumentError(`${file}: It is no valid JSON.`);
  }
}

/** A run file's options; a map given as a path lies beside the run file. */
function readRunFile(/** @type {string} */ file) {
  const options = readJson(file);
  if (!options || typeof options !== "object" || Array.isArray(options)) {
    throw new InvalidArgumentError(`${file}: a run file is one JSON object.`);
  }
  if (typeof options.map === "string") {
    options.map = readJson(resolve(dirname(file), options.map));
  }
  return options;
}

/**
 * @param {Omit<import("./index.js").Options, "tokens"> & {gold: string[], pred: System[], tokens?: {name: string, path?: string}, config?: string, output: string, out?: string, quiet?: boolean}} flags
 */
async function runScore({ gold, pred, tokens, config, output, out, quiet, ...flags }) {
  checkInputs(gold, pred);
  const tokenizer = tokens?.path;
  if (out !== undefined) {
    checkOut(out, [...gold, ...pred.flatMap(({ inputs }) => inputs), tokenizer ?? []].flat());
  }
  const options = {
    ...(config && readRunFile(config)),
    ...flags,
    ...(tokens && { tokens: tokens.name }),
  };
  const { report, outputs, paths } = await score({
    gold,
    predictions: pred,
    tokenizer,
    options,
    outputs: [output],
    onProgress: quiet || !process.stderr.isTTY ? undefined : showProgress,
  }).catch((error) => {
    if (quiet && error instanceof ScoreError) error.read = undefined;
    throw error;
  });
  if (!quiet) process.stderr.write(describeReport(report, paths));
  const systems = ofTokens.includes(output) ? report.systems.map(needsTokens) : report.systems;
  if (systems.some((/** @type {any} */ { failure }) => !failure)) {
    const text = outputs[output].endsWith("\n") ? outputs[output] : `${outputs[output]}\n`;
    if (out !== undefined) plainly(out, () => writeFileSync(out, text));
    else process.stdout.write(text);
  }
  const message = unscored({ systems });
  if (message) throw new ScoreError({ code: "not_all_scored", message });
}

/** A system whose lack of token scores is its failure. @param {any} system */
function needsTokens({ tokens, tokens_missing, ...system }) {
  const message = `there are no token scores: ${tokens_missing}`;
  return tokens || system.failure ? system : { ...system, failure: { message } };
}

/**
 * A result that cannot be written should not cost a run, nor a run its input.
 * @param {string} out
 * @param {string[]} inputs
 */
function checkOut(out, inputs) {
  const folder = dirname(out);
  if (!plainly(folder, () => statSync(folder)).isDirectory()) {
    throw new FileError(`${folder}: It is not a folder.`);
  }
  if (existsSync(out) && statSync(out).isDirectory())
    throw new FileError(`${out}: It is a folder.`);
  if (!existsSync(out)) return;
  const target = realpathSync(out);
  const given = inputs.filter((input) => existsSync(input)).map((input) => realpathSync(input));
  if (given.some((input) => target === input || target.startsWith(input + sep)))
    throw new FileError(`${out}: It is one of the files to score; choose another name.`);
}

/** One line that is written over, and gone at the end. @param {import("./index.js").Progress} progress */
function showProgress({ stage, done, total }) {
  const percent = total ? Math.floor((done / total) * 100) : 100;
  process.stderr.write(`\r${stage} ${percent} %\x1b[K${done === total ? "\r\x1b[K" : ""}`);
}

/** @param {string[]} gold @param {System[]} systems */
function checkInputs(gold, systems) {
  if (systems.some(({ inputs }) => inputs.length === 0)) {
    throw new InvalidArgumentError("--pred needs a path.");
  }
  const all = [...gold, ...systems.flatMap(({ inputs }) => inputs)];
  for (const path of all) if (path !== "-") plainly(path, () => statSync(path));
  if (all.filter((path) => path === "-").length > 1) {
    throw new InvalidArgumentError("Standard input (-) can be read once only.");
  }
  const names = systems.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) {
    throw new InvalidArgumentError(
      `Two systems are called ${twice}: name them, as in --pred A=${twice} --pred B=${twice}.`,
    );
  }
}

/**
 * Runs a command line and gives its exit status: 0 every system scored, 2 not.
 * @param {string[]} args what follows the program's name
 */
export async function main(args) {
  const marked = args.flatMap((arg) => {
    if (arg === "--pred") return ["--pred", nextSystem];
    if (arg.startsWith("--pred=")) return ["--pred", nextSystem, arg.slice("--pred=".length)];
    return [arg];
  });
  try {
    await (await program()).parseAsync(marked, { from: "user" });
    return 0;
  } catch (error) {
    return explain(error);
  }
}

async function program() {
  const about = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const whole = new Command("clinscore")
    .description("Scores clinical text annotations on this computer.")
    .version(about.version)
    .addCommand(scoreCommand(await catalog()));
  for (const command of [whole, ...whole.commands]) {
    command.exitOverride().showHelpAfterError("(clinscore score --help lists the flags)");
  }
  return whole;
}

/** Says on stderr why nothing was scored. @param {unknown} error */
function explain(error) {
  if (error instanceof InvalidArgumentError || error instanceof FileError)
    process.stderr.write(`error: ${escaped(error.message)}\n`);
  else if (error instanceof ScoreError) {
    const { failure, read } = error;
    if (read) process.stderr.write(describeReport(read.report, read.paths));
    process.stderr.write(describeFailure(failure));
  } else if (error instanceof Error && "exitCode" in error) return error.exitCode === 0 ? 0 : 2;
  else
    process.stderr.write(
      `error: ${escaped(`${error instanceof Error ? error.message : error}`)}\n`,
    );
  return 2;
}
