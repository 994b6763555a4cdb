// The command line: flags → one call of score() → text.
import { existsSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { FileError, nameOf, plainly, textAt } from "./files.js";
import { catalog, leaderboard, ScoreError, score, scoreBenchmark } from "./index.js";
import { describeBoard, describeFailure, describeReport, escaped, unscored } from "./messages.js";

/** Stands before the paths of each --pred, since one --pred is one system. No argument holds a NUL. */
const nextSystem = "\0";

/** @typedef {{name: string, named: boolean, inputs: string[]}} System */

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
    .option("--maps <name=file>", "label map of one system; repeat for more", addMap)
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
      choice("--output <kind>", "what is printed", [
        ...lists.outputs,
        ...lists.board_outputs.filter(({ name }) => !lists.outputs.some((o) => o.name === name)),
      ]).default(lists.outputs[0].name),
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

function leaderboardCommand(/** @type {import("./index.js").Catalog} */ lists) {
  return new Command("leaderboard")
    .description("Put results of the NCER benchmark in one table.")
    .argument("<results...>", "results files and reports, or folders with them")
    .addOption(
      choice("--output <kind>", "what is printed", lists.board_outputs).default(
        lists.board_outputs[0].name,
      ),
    )
    .addOption(choice("--metric <name>", "of which numbers", lists.metrics))
    .addOption(new Option("--by <columns>", "columns").choices(["both", "datasets", "types"]))
    .option("--sort <key>", "a dataset, a clinical type, mean_of_datasets, mean_of_types or added")
    .option("--digits <number>", "digits behind the point", wholeNumber)
    .option("--system <name>", "one system alone")
    .option("--out <file>", "print into a file")
    .option("--quiet", "say nothing about problems in the files")
    .action(runLeaderboard);
}

function wholeNumber(/** @type {string} */ text) {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError("It is no whole number.");
  return Number(text);
}

/** @param {string} value @param {Record<string, any>} [maps] */
function addMap(value, maps = {}) {
  const named = /^([^=]+)=(.+)$/s.exec(value);
  if (!named) throw new InvalidArgumentError("It is not NAME=FILE.");
  return { ...maps, [named[1]]: readJson(named[2]) };
}

/** @param {string} value @param {System[]} [systems] */
function addPrediction(value, systems = []) {
  if (value === nextSystem) return [...systems, { name: "", named: false, inputs: [] }];
  const system = systems[systems.length - 1];
  const named = existsSync(value) ? null : /^([^=]+)=(.+)$/s.exec(value);
  if (named && system.name) {
    throw new InvalidArgumentError("One --pred is one system: repeat the flag for the next.");
  }
  const path = named?.[2] ?? value;
  system.named ||= named !== null;
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

/** A run file's options; maps given as paths lie beside the run file. */
function readRunFile(/** @type {string} */ file) {
  const options = readJson(file);
  if (!options || typeof options !== "object" || Array.isArray(options)) {
    throw new InvalidArgumentError(`${file}: a run file is one JSON object.`);
  }
  const beside = (/** @type {any} */ map) =>
    typeof map === "string" ? readJson(resolve(dirname(file), map)) : map;
  if (options.map) options.map = beside(options.map);
  for (const name of Object.keys(options.maps ?? {}))
    options.maps[name] = beside(options.maps[name]);
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
  if (options.benchmark && !options.dataset) {
    return runBenchmark({ gold, pred, tokenizer, options, output, out, quiet });
  }
  const names = pred.map(({ name }) => name);
  const nobody = Object.keys(options.maps ?? {}).find((name) => !names.includes(name));
  if (nobody !== undefined) {
    const message = `No system is called ${nobody}, for which there is a label map; there are ${names.join(", ")}.`;
    throw new InvalidArgumentError(message);
  }
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
  if (systems.some((/** @type {any} */ { failure }) => !failure)) print(outputs[output], out);
  const message = unscored({ systems });
  if (message) throw new ScoreError({ code: "not_all_scored", message });
}

/** Prints a result, or writes it into a file. @param {string} result @param {string} [out] */
function print(result, out) {
  const text = result.endsWith("\n") ? result : `${result}\n`;
  if (out !== undefined) plainly(out, () => writeFileSync(out, text));
  else process.stdout.write(text);
}

/**
 * Scores all datasets of a benchmark that the files are of.
 * @param {{gold: string[], pred: System[], tokenizer?: string, options: import("./index.js").Options, output: string, out?: string, quiet?: boolean}} run
 */
async function runBenchmark({ gold, pred, tokenizer, options, output, out, quiet }) {
  const { datasets, outputs, failures, left, without } = await scoreBenchmark({
    gold,
    predictions: pred.map(({ name, named, inputs }) => (named ? { name, inputs } : { inputs })),
    tokenizer,
    options,
    outputs: [output],
    onProgress: quiet || !process.stderr.isTTY ? undefined : showProgress,
  });
  if (!quiet) {
    for (const [dataset, { report, paths }] of Object.entries(datasets)) {
      process.stderr.write(describeReport(report, paths, dataset));
    }
    process.stderr.write(described("not used, for want of a dataset in the path:", left));
    process.stderr.write(described("gold without predictions:", without));
  }
  print(outputs[output], out);
  if (failures.length) {
    const message = failures.map(({ dataset, failure }) =>
      failure.message
        .split("\n")
        .map((line) => `${dataset}: ${line}`)
        .join("\n"),
    );
    throw new ScoreError({ code: "not_all_scored", message: message.join("\n") });
  }
}

/** A heading and some of a list; nothing for an empty one. @param {string} heading @param {string[]} list */
function described(heading, list) {
  if (!list.length) return "";
  const more = list.length > 5 ? `, and ${list.length - 5} more` : "";
  return `${heading} ${escaped(list.slice(0, 5).join(", "))}${more}\n`;
}

/**
 * @param {string[]} results
 * @param {import("./index.js").BoardQuery & {output: string, out?: string, quiet?: boolean}} flags
 */
async function runLeaderboard(results, { output, out, quiet, ...query }) {
  for (const path of results) if (path !== "-") plainly(path, () => statSync(path));
  if (out !== undefined) checkOut(out, results);
  const { view, output: text, unread, left } = await leaderboard({ results, output, query });
  if (!quiet) {
    process.stderr.write(describeBoard(view));
    process.stderr.write(described("not read, by their names no results:", left));
  }
  print(text, out);
  if (unread.length) {
    const message = unread.map((path) => `${path}: no results in it`).join("\n");
    throw new ScoreError({ code: "not_all_read", message });
  }
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
  const lists = await catalog();
  const whole = new Command("clinscore")
    .description("Scores clinical text annotations on this computer.")
    .version(about.version)
    .addCommand(scoreCommand(lists))
    .addCommand(leaderboardCommand(lists));
  for (const command of [whole, ...whole.commands]) {
    const name = command === whole ? "score" : command.name();
    command.exitOverride().showHelpAfterError(`(clinscore ${name} --help lists the flags)`);
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
