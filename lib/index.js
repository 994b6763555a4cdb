// The JavaScript API for Node. The command line is its first user; numbers come from the core alone.
import { asError, fill, inputsOf, loadCore, ScoreError } from "./core.js";
import { closeFiles } from "./files.js";
import { unscored } from "./messages.js";

export { leaderboard, scoreBenchmark } from "./benchmark.js";
export { ScoreError };

/**
 * @typedef {import("./benchmark.js").BoardQuery} BoardQuery
 * @typedef {import("./benchmark.js").BoardView} BoardView
 */

/** @typedef {string | import("./files.js").Input} Given the path of a file or folder, or bytes */

/**
 * The options of a run: the keys of a run file, the command line's flags in camelCase.
 * @typedef {object} Options
 * @property {string} [benchmark]
 * @property {string} [dataset] a dataset of the benchmark: its loader rules, label map and labels
 * @property {string} [definition] how predicted spans are matched to gold spans
 * @property {string[]} [labels] the labels that are scored; the rest is left out
 * @property {string} [mode] of a benchmark: as its code scores, or what was annotated
 * @property {string} [llm] how generated text is read
 * @property {Record<string, any>} [map] their label → our label; one map, one a dataset, or the
 *   benchmark's config
 * @property {Record<string, Record<string, any>>} [maps] label maps of single systems, by name
 * @property {string} [format]
 * @property {string} [formatGold]
 * @property {string} [formatPred]
 * @property {string} [encoding]
 * @property {string} [offsets] what offsets count
 * @property {string} [goldOffsets]
 * @property {string} [predOffsets]
 * @property {string} [view] of which text offsets count
 * @property {string} [end] whether the end is the last unit of a span
 * @property {Record<string, {format?: string, encoding?: string, offsets?: string, view?: string, end?: string}>} [files]
 *   what is chosen for single files: by the end of the path, or `#` and the index in the report's inputs
 * @property {boolean} [foldLabels] apply the proposed folding of labels
 * @property {string} [fragments] discontinuous spans as one range
 * @property {string} [occurrences] of items without offsets in the text
 * @property {string[]} [clean] clean-up switches
 * @property {boolean} [normaliseIds] pair documents by ids normalised as proposed
 * @property {boolean} [commonOnly] score documents that are on both sides only
 * @property {boolean} [realign] bring predictions to gold's text where texts differ
 * @property {string} [tokens] where tokens come from
 * @property {boolean} [paths] whether the report holds file paths
 */

/**
 * What can be chosen, by option; the default comes first.
 * @typedef {{name: string, title: string}} Choice
 * @typedef {Choice & {extension: string}} OutputChoice
 * @typedef {object} Catalog
 * @property {Choice[]} formats
 * @property {Choice[]} encodings
 * @property {Choice[]} offsets
 * @property {Choice[]} views
 * @property {Choice[]} ends
 * @property {Choice[]} occurrences
 * @property {Choice[]} fragments
 * @property {Choice[]} clean
 * @property {Choice[]} definitions
 * @property {Choice[]} benchmarks
 * @property {Choice[]} datasets the title names the benchmark
 * @property {Choice[]} modes
 * @property {Choice[]} llm
 * @property {Choice[]} metrics of a leaderboard
 * @property {Choice[]} tokens
 * @property {OutputChoice[]} outputs
 * @property {OutputChoice[]} board_outputs of a leaderboard
 */

/**
 * How far a run is.
 * @typedef {{stage: string, done: number, total: number}} Progress
 */

/**
 * Why a run could not be scored.
 * @typedef {object} Failure
 * @property {string} code
 * @property {string} message what, where, what to do
 * @property {string} [found]
 * @property {string} [expected]
 * @property {string} [hint]
 */

/** The problems of files that could not be scored, where the core still answers. */
function whatWasRead(
  /** @type {import("../dist/wasm/clinscore.js").Session} */ session,
  /** @type {Options} */ options,
  /** @type {string[]} */ paths,
) {
  try {
    return { report: JSON.parse(session.inspect(options)), paths };
  } catch {
    return undefined;
  }
}

/**
 * The values of every option that has a list.
 * @returns {Promise<Catalog>}
 * @throws {ScoreError} when clinscore is not built
 */
export async function catalog() {
  const core = await loadCore();
  return JSON.parse(core.catalog());
}

/**
 * Scores predictions against gold.
 *
 * @example
 * const { report } = await score({
 *   gold: ["gold.jsonl"],
 *   predictions: [{ name: "mine", inputs: ["predictions.jsonl"] }],
 *   options: { labels: ["Disease"] },
 * });
 *
 * @param {object} run
 * @param {Given[]} run.gold a tokenizer.json among them is every system's
 * @param {{name: string, inputs: Given[]}[]} run.predictions one entry a system; a tokenizer.json among
 *   its inputs is its own
 * @param {Given} [run.tokenizer] a tokenizer.json for every system without one of its own
 * @param {Options} [run.options]
 * @param {string[]} [run.outputs] names from `catalog()`; "report" then holds the inputs' SHA-256
 * @param {(progress: Progress) => void} [run.onProgress]
 * @returns {Promise<{report: any, outputs: Record<string, string>, paths: string[]}>} the report, the
 *   outputs' texts, and the paths of the inputs in the report's order
 * @throws {ScoreError} when no system can be scored; where some can, the others' `failure` says why
 */
export async function score({
  gold,
  predictions,
  tokenizer,
  options = {},
  outputs = [],
  onProgress,
}) {
  const { Session } = await loadCore();
  const session = new Session();
  /** @type {string[]} */
  const paths = [];
  try {
    const sides = [
      ...gold.map((input) => ({ role: "gold", system: "", input })),
      ...predictions.flatMap(({ name, inputs }) =>
        inputs.map((input) => ({ role: "prediction", system: name, input })),
      ),
    ];
    const found = inputsOf(sides.map(({ input }) => input));
    const inputs = sides.flatMap(({ role, system }, at) =>
      found[at].map((input) => ({ role, system, input })),
    );
    const [shared] = tokenizer ? inputsOf([tokenizer])[0] : [];
    paths.push(...(await fill(session, inputs, shared)));
    const report = JSON.parse(session.score(options, onProgress));
    const [first] = report.systems;
    if (report.systems.every((/** @type {any} */ { failure }) => failure)) {
      const failure = { ...first.failure, message: unscored(report) };
      throw new ScoreError(failure, { report, paths });
    }
    if (outputs.includes("report")) session.hash(onProgress);
    const texts = outputs.map((kind) => [kind, session.output(kind)]);
    session.free();
    return { report, outputs: Object.fromEntries(texts), paths };
  } catch (thrown) {
    const error = asError(thrown);
    if (error instanceof ScoreError) error.read ??= whatWasRead(session, options, paths);
    throw error;
  } finally {
    closeFiles();
  }
}
