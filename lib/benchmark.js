// The NCER benchmark as a whole: many systems on many datasets, and leaderboards.
import { dirname, resolve } from "node:path";
import { asError, bytesOf, fill, inputsOf, loadCore, ScoreError } from "./core.js";
import { closeFiles, nameOf } from "./files.js";
import { unscored } from "./messages.js";

/**
 * @typedef {import("./index.js").Given} Given
 * @typedef {import("./index.js").Options} Options
 * @typedef {import("./index.js").Progress} Progress
 * @typedef {import("./index.js").Failure} Failure
 * @typedef {import("./index.js").Choice} Choice
 * @typedef {import("./index.js").OutputChoice} OutputChoice
 */

/**
 * What a leaderboard shows, and in which order.
 * @typedef {object} BoardQuery
 * @property {string} [metric] one of the catalog's `metrics`
 * @property {string} [by] the columns: `datasets`, `types` or `both`
 * @property {string} [sort] a dataset, a clinical type, `mean_of_datasets`, `mean_of_types` or `added`
 * @property {number} [digits] behind the point
 * @property {string} [system] one system alone
 */

/**
 * A leaderboard: systems × datasets and clinical types, F1 in per cent.
 * @typedef {object} BoardView
 * @property {string[]} datasets keys of the results file
 * @property {string[]} types
 * @property {{system: string, sources: string[], metrics: {datasets: (number | null)[], types: (number | null)[], mean_of_datasets: number | null, mean_of_types: number | null}[]}[]} systems
 *   `metrics` in the order of the catalog's
 * @property {{file: string, found: string, expected: string}[]} problems
 */

/**
 * Puts results files (the benchmark's or ours) and reports of the NCER benchmark in one table.
 *
 * @param {object} run
 * @param {Given[]} run.results files, or folders with such files; `SYSTEM/ncer_results.json` names the system
 * @param {string} [run.output] one of the catalog's `board_outputs`
 * @param {BoardQuery} [run.query]
 * @returns {Promise<{view: BoardView, output: string, unread: string[], left: string[]}>} also the files
 *   without any result, and those of folders that are called like something else
 * @throws {ScoreError} when there is no result at all
 */
export async function leaderboard({ results, output = "markdown", query }) {
  const { arrange, Board } = await loadCore();
  const board = new Board();
  /** @type {string[]} */
  const unread = [];
  /** @type {string[]} */
  const left = [];
  try {
    for (const inputs of inputsOf(results)) {
      /** @type {Arranged[]} */
      const said = JSON.parse(arrange(inputs.map(({ path }) => path)));
      for (const [at, input] of inputs.entries()) {
        const other = ![null, "results"].includes(said[at].role) || !/\.json$/i.test(input.path);
        if (inputs.length > 1 && other) left.push(input.path);
        else if (board.addResults(input.path, bytesOf(input)) === 0) unread.push(input.path);
      }
    }
    /** @type {BoardView} */
    const view = JSON.parse(board.view());
    if (view.systems.length === 0) {
      const lines = view.problems.map(
        ({ file, found, expected }) => `${file}: found ${found}; expected ${expected}`,
      );
      const message = lines.join("\n") || "there is no results file among the files given";
      throw new ScoreError({ code: "no_results", message });
    }
    return { view, output: board.output(output, query), unread, left };
  } catch (thrown) {
    throw asError(thrown);
  } finally {
    closeFiles();
  }
}

/** @typedef {{role: string | null, system: string | null, dataset: string | null}} Arranged what a path says */

/**
 * Scores many systems on many datasets of the NCER benchmark. Which file belongs where is told by the paths:
 * `SYSTEM/DATASET/…`, `gold/DATASET/…`, and the corpora's own file names.
 *
 * @param {object} run
 * @param {Given[]} run.gold
 * @param {{name?: string, inputs: Given[]}[]} run.predictions with a name, all of an entry are of that system
 * @param {Given} [run.tokenizer] a tokenizer.json for every system without one of its own
 * @param {Options} [run.options] `benchmark` and `dataset` are set here
 * @param {string[]} [run.outputs] of the catalog's `outputs` and `board_outputs`
 * @param {BoardQuery} [run.query] for the latter
 * @param {(progress: Progress & {dataset: string}) => void} [run.onProgress]
 * @returns {Promise<{datasets: Record<string, {report: any, paths: string[]}>, view: BoardView, outputs: Record<string, string>, failures: {dataset: string | null, failure: Failure}[], left: string[], without: string[]}>}
 *   each dataset's report, the leaderboard, the outputs (by dataset, where they are not of the whole), what could
 *   not be scored and why, the files that were not used, and the datasets without predictions
 * @throws {ScoreError} when nothing can be scored
 */
export async function scoreBenchmark({
  gold,
  predictions,
  tokenizer,
  options = {},
  outputs = [],
  query,
  onProgress,
}) {
  const core = await loadCore();
  const board = new core.Board();
  /** @type {Record<string, {report: any, paths: string[]}>} */
  const scored = {};
  /** @type {{dataset: string | null, failure: Failure}[]} */
  const failures = [];
  try {
    const { datasets, left, without } = sortedOut(core, gold, predictions);
    const [shared] = tokenizer ? inputsOf([tokenizer])[0] : [];
    const lists = JSON.parse(core.catalog());
    const ofBoard = names(lists.board_outputs);
    // What was not scored as the benchmark does is in no leaderboard.
    const rank = (/** @type {InstanceType<typeof core.Session>} */ session) => {
      try {
        board.addReport(session);
      } catch (thrown) {
        if (outputs.some((kind) => ofBoard.includes(kind))) throw thrown;
      }
    };
    const perDataset = outputs.filter((kind) => !ofBoard.includes(kind));
    /** @type {Record<string, [string, string][]>} */
    const texts = Object.fromEntries(perDataset.map((kind) => [kind, []]));
    for (const [dataset, { inputs, missing }] of datasets) {
      const failed = (/** @type {Failure} */ failure) => failures.push({ dataset, failure });
      if (missing) {
        failed({ code: "no_gold", message: `there is no gold of ${dataset} among the gold files` });
        continue;
      }
      const session = new core.Session();
      const paths = await fill(session, inputs, shared);
      const progress =
        onProgress && ((/** @type {Progress} */ now) => onProgress({ ...now, dataset }));
      const run = { ...options, benchmark: "ncer", dataset };
      try {
        const report = JSON.parse(session.score(run, progress));
        const message = unscored(report);
        if (message) failed({ code: "not_all_scored", message });
        scored[dataset] = { report, paths };
        rank(session);
        if (perDataset.includes("report")) session.hash(progress);
        for (const kind of perDataset) texts[kind].push([dataset, session.output(kind)]);
      } catch (thrown) {
        const error = asError(thrown);
        if (!(error instanceof ScoreError) || error.failure.code === "crash") throw error;
        failed(error.failure);
      }
      session.free();
    }
    /** @type {BoardView} */
    const view = JSON.parse(board.view());
    const any = Object.values(scored).some(({ report }) =>
      report.systems.some((/** @type {any} */ { failure }) => !failure),
    );
    if (!any) throw new ScoreError({ code: "nothing_scored", message: whyNothing(failures, left) });
    const written = outputs.map((kind) => [
      kind,
      ofBoard.includes(kind)
        ? board.output(kind, query)
        : keyed(texts[kind], isJson(lists.outputs, kind)),
    ]);
    return {
      datasets: scored,
      view,
      outputs: Object.fromEntries(written),
      failures,
      left,
      without,
    };
  } catch (thrown) {
    throw asError(thrown);
  } finally {
    closeFiles();
  }
}

const names = (/** @type {Choice[]} */ choices) => choices.map(({ name }) => name);

const isJson = (/** @type {OutputChoice[]} */ choices, /** @type {string} */ kind) =>
  choices.find(({ name }) => name === kind)?.extension === "json";

/** One JSON object of texts that are JSON already, or are put in as strings. */
function keyed(/** @type {[string, string][]} */ texts, /** @type {boolean} */ json) {
  const entries = texts.map(([key, text]) => {
    return `${JSON.stringify(key)}: ${json ? text : JSON.stringify(text)}`;
  });
  return `{${entries.join(", ")}}`;
}

/** Why no dataset could be scored, one reason a line. */
function whyNothing(
  /** @type {{dataset: string | null, failure: Failure}[]} */ failures,
  /** @type {string[]} */ left,
) {
  const lines = failures.map(({ dataset, failure }) => `${dataset}: ${failure.message}`);
  if (lines.length) return lines.join("\n");
  const some = left.slice(0, 3).join(", ");
  return `no path says its dataset (${some}): arrange the files as SYSTEM/DATASET/… and gold/DATASET/…, or choose one dataset`;
}

/**
 * Which inputs belong to which dataset, in the order of the benchmark.
 * @param {Awaited<ReturnType<typeof loadCore>>} core
 * @param {Given[]} gold
 * @param {{name?: string, inputs: Given[]}[]} predictions
 */
function sortedOut(core, gold, predictions) {
  /** @returns {Arranged[]} */
  const arrange = (/** @type {string[]} */ paths) => JSON.parse(core.arrange(paths));
  const given = predictions.flatMap(({ name, inputs }) => inputs.map((one) => ({ name, one })));
  const found = inputsOf([...gold, ...given.map(({ one }) => one)]);
  // A single file may be called after its dataset by its folder alone.
  const within = (/** @type {Given} */ one, /** @type {string} */ path) =>
    typeof one === "string" && !path.includes("/")
      ? `${nameOf(dirname(resolve(one)))}/${path}`
      : path;
  // All that is given as gold is gold, unless it is a folder a part of which is called so.
  const golds = found.slice(0, gold.length).flatMap((inputs, at) => {
    const paths = inputs.map(({ path }) => within(gold[at], path));
    const says = arrange(paths).map(({ role }) => role === "gold");
    return inputs.map((input, index) => {
      const isGold = says[index] || !says.includes(true);
      const path = says[index] || !isGold ? paths[index] : `gold/${paths[index]}`;
      return { input, path, isGold };
    });
  });
  const preds = found.slice(gold.length).flatMap((inputs, at) => {
    const { name, one } = given[at];
    const otherwise = typeof one === "string" ? nameOf(one) : "system";
    return inputs.map((input) => ({ name, otherwise, input, path: within(one, input.path) }));
  });
  const said = arrange([...golds.map(({ path }) => path), ...preds.map(({ path }) => path)]);
  /** @type {Map<string, {inputs: {role: string, system: string, input: import("./files.js").Input}[], missing: boolean}>} */
  const datasets = new Map();
  const of = (/** @type {string} */ dataset) => {
    const entry = datasets.get(dataset) ?? { inputs: [], missing: true };
    datasets.set(dataset, entry);
    return entry;
  };
  /** @type {string[]} */
  const left = [];
  for (const [at, { input, isGold }] of golds.entries()) {
    const { dataset } = said[at];
    if (!isGold || !dataset) {
      const onBoth = preds.some((pred) => pred.input.path === input.path);
      if (isGold || !onBoth) left.push(input.path);
      continue;
    }
    const entry = of(dataset);
    entry.inputs.push({ role: "gold", system: "", input });
    entry.missing = false;
  }
  /** Of a system, for every dataset. @type {{system: string, input: import("./files.js").Input}[]} */
  const everywhere = [];
  for (const [index, { name, otherwise, input }] of preds.entries()) {
    const { role, dataset, ...arranged } = said[golds.length + index];
    const system = name ?? arranged.system ?? otherwise;
    const aside = role === "config" || role === "tokenizer";
    if (role === "results" || role === "gold" || (!dataset && !aside)) {
      const onBoth = golds.some((gold) => gold.input.path === input.path);
      if (role !== "gold" || !onBoth) left.push(input.path);
    } else if (dataset) of(dataset).inputs.push({ role: "prediction", system, input });
    else everywhere.push({ system, input });
  }
  const without = [];
  for (const [dataset, { inputs }] of datasets) {
    const systems = new Set(
      inputs.flatMap(({ role, system }) => (role === "gold" ? [] : [system])),
    );
    if (systems.size === 0) {
      without.push(dataset);
      datasets.delete(dataset);
    }
    for (const { system, input } of everywhere) {
      if (systems.has(system)) inputs.push({ role: "prediction", system, input });
    }
  }
  const order = names(JSON.parse(core.catalog()).datasets);
  const sorted = [...datasets].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  return { datasets: sorted, left, without };
}
