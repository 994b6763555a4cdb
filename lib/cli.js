// The command line: flags → one call of score() → text.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { nameOf } from "./files.js";
import { ScoreError, score } from "./index.js";
import { describeFailure, describeReport } from "./messages.js";

const formats = ["auto", "json", "brat", "pubtator"];
/** Stands before the paths of each --pred, since one --pred is one system. No argument holds a NUL. */
const nextSystem = "\0";

/** @typedef {{name: string, inputs: string[]}} System */

const choice = (
  /** @type {string} */ flags,
  /** @type {string} */ text,
  /** @type {string[]} */ values,
) => new Option(flags, text).choices(values);

function scoreCommand() {
  return new Command("score")
    .description("Score predictions against gold.")
    .requiredOption("--gold <path...>", "files, folders, .zip, or - for standard input")
    .requiredOption(
      "--pred <[name=]path...>",
      "the same, for one system; repeat for more",
      addPrediction,
    )
    .addOption(choice("--benchmark <name>", "a benchmark's rules", ["ncer"]))
    .addOption(choice("--dataset <name>", "one of its datasets", ["NCBI", "BIORED"]))
    .addOption(choice("--definition <name>", "how spans are matched", ["nervaluate-0.1.8"]))
    .option("--labels <a,b>", "the labels scored", splitList)
    .option("--map <file>", 'label map: {"their label": "our label"}', readJson)
    .addOption(choice("--format <name>", "format of all files", formats))
    .addOption(choice("--format-gold <name>", "format of the gold files", formats))
    .addOption(choice("--format-pred <name>", "format of the predictions", formats))
    .addOption(
      choice("--encoding <name>", "text encoding", ["auto", "utf-8", "utf-16", "windows-1252"]),
    )
    .addOption(
      choice("--tokens <source>", "token source", ["auto", "file", "words", "whitespace", "none"]),
    )
    .option("--config <file>", "a run file: these options as JSON; flags win over it")
    .addOption(
      choice("--output <kind>", "what is printed", [
        "report",
        "nervaluate",
        "sklearn",
        "ncer",
        "csv",
        "markdown",
      ]).default("report"),
    )
    .option("--out <file>", "print into a file")
    .option("--paths", "put file paths into the report")
    .option("--quiet", "say nothing about problems in the files")
    .action(runScore);
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
  try {
    return JSON.parse(readFileSync(file, "utf8").replace(/^\uFEFF/, ""));
  } catch (error) {
    const reason = error instanceof SyntaxError ? "It is no valid JSON." : reasonOf(error);
    throw new InvalidArgumentError(`${file}: ${reason}`);
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

/** @param {unknown} error */
function reasonOf(error) {
  const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
  if (code === "ENOENT") return "There is no such file or folder.";
  if (code === "EACCES") return "It may not be read.";
  return String(message);
}

/**
 * @param {import("./index.js").Options & {gold: string[], pred: System[], config?: string, output: string, out?: string, quiet?: boolean}} flags
 */
async function runScore({ gold, pred, config, output, out, quiet, ...flags }) {
  checkInputs(gold, pred);
  const options = { ...(config && readRunFile(config)), ...flags };
  const { report, outputs, paths } = await score({
    gold,
    predictions: pred,
    options,
    outputs: [output],
    onProgress: quiet || !process.stderr.isTTY ? undefined : showProgress,
  });
  if (!quiet) process.stderr.write(describeReport(report, paths));
  const text = outputs[output].endsWith("\n") ? outputs[output] : `${outputs[output]}\n`;
  if (out) writeFileSync(out, text);
  else process.stdout.write(text);
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
  const missing = all.find((path) => path !== "-" && !existsSync(path));
  if (missing !== undefined) {
    throw new InvalidArgumentError(`${missing}: There is no such file or folder.`);
  }
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
 * Runs a command line and gives its exit status: 0 scored, 2 not.
 * @param {string[]} args what follows the program's name
 */
export async function main(args) {
  const program = new Command("clinscore")
    .description("Scores clinical text annotations on this computer.")
    .version(JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version)
    .addCommand(scoreCommand());
  for (const command of [program, ...program.commands]) {
    command.exitOverride().showHelpAfterError("(clinscore score --help lists the flags)");
  }
  const marked = args.flatMap((arg) => {
    if (arg === "--pred") return ["--pred", nextSystem];
    if (arg.startsWith("--pred=")) return ["--pred", nextSystem, arg.slice("--pred=".length)];
    return [arg];
  });
  try {
    await program.parseAsync(marked, { from: "user" });
    return 0;
  } catch (error) {
    return explain(error);
  }
}

/** Says on stderr why nothing was scored. @param {unknown} error */
function explain(error) {
  if (error instanceof InvalidArgumentError) process.stderr.write(`error: ${error.message}\n`);
  else if (error instanceof ScoreError) {
    const { failure, read } = error;
    if (read) process.stderr.write(describeReport(read.report, read.paths));
    process.stderr.write(describeFailure(failure));
  } else if (error instanceof Error && "exitCode" in error) return error.exitCode === 0 ? 0 : 2;
  else process.stderr.write(`error: ${reasonOf(error)}\n`);
  return 2;
}
