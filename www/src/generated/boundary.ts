// Made by scripts/types.mjs from docs/boundary.schema.json; do not edit.

/**
 * What an input is.
 */
export type Role = "gold" | "prediction";
/**
 * Where the scored labels come from.
 */
export type LabelsFrom = "dataset" | "chosen" | "union";
/**
 * What a person gives as label map: one map, or one a dataset. The NCER benchmark's `config.json` holds the
 * latter under `inference_config.label_normalization_map` (older ones `{"ncbi": {"label_normalization_map":
 * {…}}}`); both are read.
 */
export type LabelMaps =
  | {
      [k: string]: string;
    }
  | {
      [k: string]: {
        [k: string]: string;
      };
    };

/**
 * One schema whose definitions are all the types that the page sees.
 */
export interface Boundary {
  answer: Answer;
  arranged: Arranged;
  board: BoardView;
  board_query: BoardQuery;
  catalog: Catalog;
  inspection: Inspection;
  open_document: OpenDocument;
  query: Query;
  report: Report;
}
/**
 * Documents with events that a query wants.
 */
export interface Answer {
  /**
   * One page of them, in gold order.
   */
  documents: Found[];
  /**
   * Events in all documents.
   */
  events: number;
  /**
   * Documents with such events.
   */
  total: number;
}
/**
 * One document of an [`Answer`].
 */
export interface Found {
  /**
   * Index for [`Workspace::open`].
   */
  document: number;
  /**
   * Events that the query wants.
   */
  events: number;
  /**
   * Document id.
   */
  id: string;
  outcomes: Outcomes;
}
/**
 * The six outcomes of an alignment, counted.
 */
export interface Outcomes {
  /**
   * I: same bounds, same label.
   */
  exact: number;
  /**
   * III: gold that no prediction meets.
   */
  missed: number;
  /**
   * IV: same bounds, other label.
   */
  other_label: number;
  /**
   * V: overlap, same label.
   */
  overlap: number;
  /**
   * VI: overlap, other label.
   */
  overlap_other_label: number;
  /**
   * II: a prediction that meets no gold.
   */
  spurious: number;
}
/**
 * What one path says.
 */
export interface Arranged {
  /**
   * The benchmark's dataset, such as `NCBI`.
   */
  dataset: string | null;
  /**
   * `gold`, `prediction`, `config` (a system's label maps), `tokenizer` or `results`.
   */
  role: string | null;
  /**
   * Name of the system.
   */
  system: string | null;
}
/**
 * Everything a leaderboard shows.
 */
export interface BoardView {
  /**
   * The datasets that any system has, in the benchmark's order: keys of the results file (`ncbi`).
   */
  datasets: string[];
  /**
   * What could not be read, and what two sources say of one cell.
   */
  problems: BoardProblem[];
  /**
   * A row a system, in the order added.
   */
  systems: BoardRow[];
  /**
   * The clinical types that any system has, in the benchmark's order.
   */
  types: string[];
}
/**
 * Something about a results file.
 */
export interface BoardProblem {
  /**
   * What was expected.
   */
  expected: string;
  /**
   * Name of the file.
   */
  file: string;
  /**
   * What was found.
   */
  found: string;
}
/**
 * One system.
 */
export interface BoardRow {
  /**
   * Per metric, in the order of the catalog's `metrics`.
   */
  metrics: BoardMetric[];
  /**
   * Where its numbers come from: `scored` here, `report` or `results` file, each once.
   */
  sources: string[];
  /**
   * Its name.
   */
  system: string;
}
/**
 * One system under one metric. F1 is in per cent, as in the results file (rounded to two digits).
 */
export interface BoardMetric {
  /**
   * Per dataset of the view; null where the system has none.
   */
  datasets: (number | null)[];
  /**
   * Mean over the system's datasets.
   */
  mean_of_datasets: number | null;
  /**
   * Mean over the system's types.
   */
  mean_of_types: number | null;
  /**
   * Per clinical type of the view, the mean over the datasets that have it.
   */
  types: (number | null)[];
}
/**
 * What a table shows, and in which order.
 */
export interface BoardQuery {
  /**
   * The columns: `datasets`, `types` or `both`; absent: both.
   */
  by?: string | null;
  /**
   * Digits behind the point, 0 to 4; absent: 2, as in the results file.
   */
  digits?: number | null;
  /**
   * One of the catalog's `metrics`; absent: the headline.
   */
  metric?: string | null;
  /**
   * A dataset, a clinical type, `mean_of_datasets`, `mean_of_types` or `added`, the greatest first; absent: the
   * first mean that is shown.
   */
  sort?: string | null;
  /**
   * One system alone.
   */
  system?: string | null;
}
/**
 * The values of every option that has a list, the default first.
 */
export interface Catalog {
  /**
   * `benchmark`.
   */
  benchmarks: Choice[];
  /**
   * `output` of a leaderboard.
   */
  board_outputs: OutputChoice[];
  /**
   * `clean`: any of these.
   */
  clean: Choice[];
  /**
   * `dataset`; the title names the benchmark.
   */
  datasets: Choice[];
  /**
   * `definition`; the title is the headline.
   */
  definitions: Choice[];
  /**
   * `encoding`.
   */
  encodings: Choice[];
  /**
   * `end`.
   */
  ends: Choice[];
  /**
   * `format`, `formatGold`, `formatPred`.
   */
  formats: Choice[];
  /**
   * `fragments`.
   */
  fragments: Choice[];
  /**
   * `llm`; without a benchmark the default is the last.
   */
  llm: Choice[];
  /**
   * The metrics of a leaderboard, the headline first.
   */
  metrics: Choice[];
  /**
   * `mode`.
   */
  modes: Choice[];
  /**
   * `occurrences`.
   */
  occurrences: Choice[];
  /**
   * `offsets`, `goldOffsets`, `predOffsets`.
   */
  offsets: Choice[];
  /**
   * `output`.
   */
  outputs: OutputChoice[];
  /**
   * `tokens`.
   */
  tokens: Choice[];
  /**
   * `view`.
   */
  views: Choice[];
}
/**
 * One value of an option.
 */
export interface Choice {
  /**
   * The value.
   */
  name: string;
  /**
   * Name for people.
   */
  title: string;
}
/**
 * One shape that a report can be written in.
 */
export interface OutputChoice {
  /**
   * Extension of a file of this shape.
   */
  extension: string;
  /**
   * The value of `output`.
   */
  name: string;
  /**
   * Name for people.
   */
  title: string;
}
/**
 * What was read, before a score.
 */
export interface Inspection {
  /**
   * As in the report; absent without gold files.
   */
  gold: Side | null;
  /**
   * As in the report.
   */
  inputs: Input[];
  /**
   * Each system's side.
   */
  systems: InspectedSystem[];
  /**
   * As in the report.
   */
  tokenizers: TokenizerFile[];
}
/**
 * Gold, or one system's predictions.
 */
export interface Side {
  /**
   * The benchmark's dataset that the labels of gold speak for, where they do.
   */
  dataset: string | null;
  /**
   * Documents read.
   */
  documents: number;
  /**
   * Labels as the files spell them, in order of name.
   */
  labels: LabelUse[];
  /**
   * How offsets were read, a set of files each.
   */
  offsets: OffsetsUse[];
  /**
   * What was skipped or repaired, grouped by kind.
   */
  problems: ProblemGroup[];
  /**
   * Spans read.
   */
  spans: number;
}
/**
 * How often a label occurs and what became of it.
 */
export interface LabelUse {
  /**
   * The label as the file spells it.
   */
  label: string;
  /**
   * The label after mapping; absent when the map drops it.
   */
  mapped: string | null;
  /**
   * Whether the mapped label occurs on this side alone.
   */
  only_here: boolean;
  /**
   * Whether the mapped label is among the labels scored.
   */
  scored: boolean;
  /**
   * Spans that carry it.
   */
  spans: number;
}
/**
 * How the offsets of a set of files were read, and why.
 */
export interface OffsetsUse {
  /**
   * Those that agree this way.
   */
  agree: number;
  /**
   * Documents whose byte-order mark is counted, and those where it is not.
   *
   * @minItems 2
   * @maxItems 2
   */
  byte_order_marks: [number, number];
  /**
   * Spans whose own text could be compared with the document's.
   */
  checked: number;
  /**
   * Those that agree this way and not in the format's own way.
   */
  deciding: number;
  /**
   * `exclusive` or `inclusive`.
   */
  end: string;
  /**
   * Format of the files.
   */
  format: string;
  /**
   * `document` or `passage`: where offsets count from.
   */
  from: string;
  /**
   * Whether the spans' own texts spoke for another way than the format's own.
   */
  inferred: boolean;
  /**
   * `codepoint`, `utf16` or `byte`.
   */
  unit: string;
  /**
   * `raw`, or `lf` where CRLF counts as one.
   */
  view: string;
  /**
   * The same in a sentence.
   */
  words: string;
}
/**
 * Problems of one kind.
 */
export interface ProblemGroup {
  /**
   * How many there are.
   */
  count: number;
  /**
   * The first ones of each file (all of them up to a limit; `count` is exact).
   */
  items: ProblemItem[];
  /**
   * Stable name of the kind.
   */
  kind: string;
  /**
   * Whether something was lost (a record, a span), rather than read as it stands.
   */
  loses: boolean;
  /**
   * What this kind means and what was done, in words.
   */
  title: string;
}
/**
 * One problem with its place.
 */
export interface ProblemItem {
  /**
   * Document id.
   */
  document: string | null;
  /**
   * Path of the entry, when the input is an archive and the run asks for paths.
   */
  entry: string | null;
  /**
   * What was expected.
   */
  expected: string;
  /**
   * What was found, without note text.
   */
  found: string;
  /**
   * Index into `inputs`.
   */
  input: number | null;
  /**
   * Line, from 1.
   */
  line: number | null;
}
/**
 * One input file (or pasted text), as it was read.
 */
export interface Input {
  /**
   * Whether it holds gold and predictions (two tag columns, annotations beside predictions); the part that
   * its role says is read.
   */
  both_sides: boolean;
  /**
   * Whether the file begins with a byte-order mark.
   */
  byte_order_mark: boolean;
  /**
   * Size in bytes.
   */
  bytes: number;
  /**
   * Documents that came from this file; one joined from several records counts where its first is.
   */
  documents: number;
  /**
   * `utf-8`, `utf-16le`, `utf-16be` or `windows-1252`.
   */
  encoding: string | null;
  /**
   * Name of the format it was read as; absent when it was not read.
   */
  format: string | null;
  /**
   * Why that format.
   */
  format_reason: string;
  /**
   * How its offsets were read: index into its side's `offsets`.
   */
  offsets: number | null;
  /**
   * Path inside what was given; only when the run asks for paths.
   */
  path: string | null;
  /**
   * Problems found in this file.
   */
  problems: number;
  role: Role;
  /**
   * SHA-256 of the bytes, lower-case hex; absent until it was computed.
   */
  sha256: string | null;
  /**
   * Spans of those documents.
   */
  spans: number;
  /**
   * Index into `systems` for predictions.
   */
  system: number | null;
  /**
   * How its tags were understood, where it has tags.
   */
  tagging: TaggingUse | null;
}
/**
 * How the tags of a file were understood.
 */
export interface TaggingUse {
  /**
   * Tags that are not well formed under it; read as conlleval does.
   */
  ill_formed: number;
  /**
   * The scheme, such as `IOB2`.
   */
  scheme: string;
}
/**
 * One system of an [`Inspection`].
 */
export interface InspectedSystem {
  /**
   * Predicted labels that are gold's but for their spelling.
   */
  folds: LabelFold[];
  /**
   * Name, as it was given.
   */
  name: string;
  side: Side;
}
/**
 * A predicted label that is a known one but for its spelling; applied with `foldLabels`.
 */
export interface LabelFold {
  /**
   * Whether it was applied.
   */
  applied: boolean;
  /**
   * As the predictions spell it.
   */
  from: string;
  /**
   * What differs: `case`, `separator`, `prefix`, or `untyped` (no type, and there is only one).
   */
  rule: string;
  /**
   * The label it becomes.
   */
  to: string;
}
/**
 * A `tokenizer.json` that was given.
 */
export interface TokenizerFile {
  /**
   * Size in bytes.
   */
  bytes: number;
  /**
   * Why it cannot be used.
   */
  failure: string | null;
  /**
   * `BPE`, `WordPiece`, `WordLevel` or `Unigram`; absent when it cannot be used.
   */
  model: string | null;
  /**
   * Path inside what was given; only when the run asks for paths.
   */
  path: string | null;
  /**
   * SHA-256 of the bytes, lower-case hex; absent when it cannot be used.
   */
  sha256: string | null;
  /**
   * What the file would do to texts and was not let, in words: truncation, padding, chance.
   */
  switched_off: string[];
  /**
   * The system whose tokens it makes; absent: those of every system without one of its own.
   */
  system: string | null;
  /**
   * Entries of the vocabulary.
   */
  vocabulary: number;
}
/**
 * A document with its text, spans and events.
 */
export interface OpenDocument {
  /**
   * The answers of a language model that the predicted spans came from, in reading order.
   */
  answers: AnswerView[];
  /**
   * What became of them.
   */
  events: EventView[];
  /**
   * Gold spans, in input order.
   */
  gold: SpanView[];
  /**
   * Document id.
   */
  id: string;
  /**
   * Predicted spans, in input order.
   */
  predicted: SpanView[];
  /**
   * The text, read again from the file; null without one.
   */
  text: string | null;
  /**
   * `gold` or `prediction`: whose file the text is from.
   */
  text_from: string | null;
}
/**
 * An answer to show beside the note.
 */
export interface AnswerView {
  /**
   * The type that was asked for; null where all were asked for at once.
   */
  asked: string | null;
  /**
   * Whether no list and no marked text was found in it, or it is not about the document.
   */
  failed: boolean;
  /**
   * Its marked or listed items, in order.
   */
  pieces: PieceView[];
  /**
   * The answer as the model wrote it, read again from the file; null where the record has none.
   */
  text: string | null;
}
/**
 * An item of an answer.
 */
export interface PieceView {
  /**
   * `span`, `hallucinated` (the document does not have it), `inside` (another item's span covers it),
   * `unmapped` (the label is not scored) or `unsearched` (no text).
   */
  fate: string;
  /**
   * Label as spelled.
   */
  label: string;
  /**
   * UTF-16 range of the answer; null where the answer writes the item in another way.
   *
   * @minItems 2
   * @maxItems 2
   */
  range: [number, number] | null;
  /**
   * Indices into `predicted`.
   */
  spans: number[];
}
/**
 * An event to show.
 */
export interface EventView {
  /**
   * Label that the counts are charged to.
   */
  charged: string;
  /**
   * Verdict under ent_type.
   */
  ent_type: string;
  /**
   * Verdict under exact.
   */
  exact: string;
  /**
   * Index into `gold`.
   */
  gold: number | null;
  /**
   * Outcome by name.
   */
  outcome: string;
  /**
   * Verdict under partial.
   */
  partial: string;
  /**
   * Index into `predicted`.
   */
  predicted: number | null;
  /**
   * Verdict under strict.
   */
  strict: string;
}
/**
 * A span to draw.
 */
export interface SpanView {
  /**
   * Attributes as (name, value).
   */
  attributes: [string, string][];
  /**
   * Concept ids.
   */
  concepts: string[];
  /**
   * One past the last code point, as given.
   */
  end: number;
  /**
   * Label as spelled.
   */
  label: string;
  /**
   * UTF-16 ranges of the text, one a fragment, cut to the text; none where the span has no place in it.
   */
  ranges: [number, number][];
  /**
   * The system's confidence, if the file gives one.
   */
  score: number | null;
  /**
   * Label it is scored as; null when it is not scored.
   */
  scored_as: string | null;
  /**
   * First code point, as given.
   */
  start: number;
}
/**
 * Which events are wanted; absent parts do not restrict.
 */
export interface Query {
  /**
   * Label that the counts are charged to.
   */
  charged: string | null;
  /**
   * Label of the gold span.
   */
  goldLabel: string | null;
  /**
   * Documents to return at most; 100 when absent.
   */
  limit: number | null;
  /**
   * Documents to pass over.
   */
  offset: number;
  /**
   * Outcomes by name.
   */
  outcomes: string[] | null;
  /**
   * Label of the predicted span.
   */
  predictedLabel: string | null;
  /**
   * Part of a document id, in any case.
   */
  search: string | null;
  /**
   * Index of the system.
   */
  system: number;
}
/**
 * Everything a run found.
 */
export interface Report {
  /**
   * Version of clinscore that made the report.
   */
  clinscore: string;
  /**
   * The benchmark's dataset, when one was chosen.
   */
  dataset: Dataset | null;
  definition: Definition;
  gold: Side;
  /**
   * Every file that was given, in order; `input` fields elsewhere are indices into this list.
   */
  inputs: Input[];
  /**
   * The labels scored, of all systems together; each system's tables hold those of gold and itself.
   */
  labels: string[];
  labels_from: LabelsFrom;
  /**
   * How each outcome counts under each mode of the definition.
   */
  modes: ModeTable[];
  run: Options;
  /**
   * Always [`SCHEMA`].
   */
  schema: string;
  /**
   * One entry per system, in the order given.
   */
  systems: System[];
  /**
   * Every tokenizer that was given.
   */
  tokenizers: TokenizerFile[];
}
/**
 * A benchmark's dataset.
 */
export interface Dataset {
  /**
   * Benchmark, such as `ncer`.
   */
  benchmark: string;
  /**
   * Dataset, such as `NCBI`.
   */
  name: string;
  /**
   * Where the definition comes from.
   */
  source: string;
  /**
   * What the benchmark's loader does to this dataset, in words.
   */
  words: string;
}
/**
 * A published definition, by name.
 */
export interface Definition {
  /**
   * Whether every clean-up switch is on unless `clean` says otherwise.
   */
  cleans: boolean;
  /**
   * What the headline number is called.
   */
  headline: string;
  /**
   * The mode whose F1 is the headline number: a field of [`crate::report::Modes`].
   */
  headline_mode: string;
  /**
   * The name used everywhere, such as `nervaluate-0.1.8`.
   */
  name: string;
  /**
   * Where the definition comes from.
   */
  source: string;
  /**
   * The definition in one or two sentences.
   */
  words: string;
}
/**
 * How outcomes count under one mode: `correct`, `incorrect`, `partial`, `missed` or `spurious`.
 */
export interface ModeTable {
  /**
   * Of outcome `exact`.
   */
  exact: string;
  /**
   * Of outcome `missed`.
   */
  missed: string;
  /**
   * Name of the mode: a field of [`Modes`].
   */
  mode: string;
  /**
   * Of outcome `other_label`.
   */
  other_label: string;
  /**
   * Of outcome `overlap`.
   */
  overlap: string;
  /**
   * Of outcome `overlap_other_label`.
   */
  overlap_other_label: string;
  /**
   * Of outcome `spurious`.
   */
  spurious: string;
}
/**
 * Options of a run. Absent ones have the default that the command line's documentation gives first.
 */
export interface Options {
  /**
   * Benchmark: `ncer`.
   */
  benchmark?: string | null;
  /**
   * Clean-up: any of `trim`, `dedupe`, `unusable` and `o-label`, or `none`. Absent: all of them under
   * `optimal`, otherwise none.
   */
  clean?: string[];
  /**
   * Score only documents that are on both sides.
   */
  commonOnly?: boolean;
  /**
   * Dataset of the benchmark, such as `CHIA`.
   */
  dataset?: string | null;
  /**
   * How gold meets predicted spans.
   */
  definition?: string | null;
  /**
   * Encoding of all files: `auto`, `utf-8`, `utf-16` or `windows-1252`.
   */
  encoding?: string | null;
  /**
   * Whether the end is the last unit of a span: `auto`, `exclusive` or `inclusive`.
   */
  end?: string | null;
  /**
   * What was chosen for single files: by the end of the path, or `#` and the index in the report's inputs.
   */
  files?: {
    [k: string]: FileOptions;
  };
  /**
   * Apply the proposed folding of labels.
   */
  foldLabels?: boolean;
  /**
   * Format of all files: `auto`, or a name of docs/formats.md.
   */
  format?: string | null;
  /**
   * Format of gold files, over `format`.
   */
  formatGold?: string | null;
  /**
   * Format of predictions, over `format`.
   */
  formatPred?: string | null;
  /**
   * Discontinuous spans as one range: `envelope`, `first` or `each` fragment.
   */
  fragments?: string | null;
  /**
   * Of gold files, over `offsets`.
   */
  goldOffsets?: string | null;
  /**
   * The labels scored; absent: the dataset's, or the sorted union of both sides.
   */
  labels?: string[] | null;
  /**
   * How generated text is read: `reference` (the benchmark's parser) or `aligned`.
   */
  llm?: string | null;
  /**
   * Their label → our label; spans with other labels are dropped. One map, or one a dataset; the
   * benchmark's `config.json` is read too.
   */
  map?: LabelMaps | null;
  /**
   * Label maps of single systems, by name, over `map`.
   */
  maps?: {
    [k: string]: LabelMaps;
  };
  /**
   * Of a benchmark: `reference` scores as its code does, `corrected` what was annotated.
   */
  mode?: string | null;
  /**
   * Pair by ids normalised in the proposed way.
   */
  normaliseIds?: boolean;
  /**
   * Which occurrences of an item without offsets become spans: `all`, `first` or `next` (unused one).
   */
  occurrences?: string | null;
  /**
   * What offsets count: `auto`, `codepoint`, `utf16` or `byte`.
   */
  offsets?: string | null;
  /**
   * Whether the report holds file paths.
   */
  paths?: boolean;
  /**
   * Of predictions, over `offsets`.
   */
  predOffsets?: string | null;
  /**
   * Bring predictions to gold's text where the texts of a document differ.
   */
  realign?: boolean;
  /**
   * Token source: `auto`, `file`, `words`, `whitespace`, `tokenizer` or `none`.
   */
  tokens?: string | null;
  /**
   * Of which text: `auto`, `raw`, `lf` (CRLF counts as one) or `no-bom` (a byte-order mark does not count).
   */
  view?: string | null;
}
/**
 * What was chosen for one file; absent parts are as for its side.
 */
export interface FileOptions {
  /**
   * As `encoding` of the run.
   */
  encoding?: string | null;
  /**
   * As `end` of the run.
   */
  end?: string | null;
  /**
   * As `format` of the run.
   */
  format?: string | null;
  /**
   * As `offsets` of the run.
   */
  offsets?: string | null;
  /**
   * As `view` of the run.
   */
  view?: string | null;
}
/**
 * One system's result.
 */
export interface System {
  /**
   * What became of generated text; absent where there is none.
   */
  answers: AnswerCounts | null;
  /**
   * The same files under another choice: the other mode of a benchmark, the other way to read generated
   * text.
   */
  beside: Beside[];
  /**
   * Scores of document-level labels; absent where the files have none.
   */
  classes: ClassReport | null;
  /**
   * Why there are none, where a side has such labels.
   */
  classes_missing: string | null;
  /**
   * Every clean-up switch that would change something, and what.
   */
  clean: CleanUp[];
  /**
   * Scores of concepts; absent where a side has none among the spans scored.
   */
  concepts: ConceptReport | null;
  /**
   * Why the system could not be scored; the others are.
   */
  failure: Failure | null;
  /**
   * Predicted labels that are gold's but for their spelling.
   */
  folds: LabelFold[];
  /**
   * Name, as it was given.
   */
  name: string;
  /**
   * What moved the number: order, touching spans, duplicates, missing documents and so on.
   */
  notes: Note[];
  pairing: Pairing;
  side: Side;
  /**
   * Span scores; absent when the system could not be scored.
   */
  spans: SpanReport | null;
  /**
   * Token scores; absent when no document has a text or tokens (`tokens_missing` says why).
   */
  tokens: TokenReport | null;
  /**
   * Why there are no token scores.
   */
  tokens_missing: string | null;
}
/**
 * What became of generated text.
 */
export interface AnswerCounts {
  /**
   * Answers read, to the documents that are scored.
   */
  answers: number;
  /**
   * Answers in which none was found; no predictions.
   */
  failed: number;
  /**
   * Items whose text the document does not have; not scored.
   */
  hallucinated: number;
  /**
   * Items without a span of their own: they lie inside one of the same label (`reference`), or repeat one;
   * dropped.
   */
  inside: number;
  /**
   * Marked or listed items of the parsed answers.
   */
  items: number;
  /**
   * Answers in which a list or marked text was found (an empty list too).
   */
  parsed: number;
  /**
   * `reference` or `aligned`.
   */
  rule: string;
  /**
   * Predicted spans that came of them and are scored: an item may occur several times.
   */
  spans: number;
  /**
   * Items with a label that is mapped to none of the labels scored; dropped.
   */
  unmapped: number;
}
/**
 * The same files scored under another choice.
 */
export interface Beside {
  /**
   * What became of generated text.
   */
  answers: AnswerCounts | null;
  /**
   * Name of the definition that pairs spans.
   */
  definition: string;
  /**
   * What makes the two differ.
   */
  differences: Difference[];
  /**
   * Documents scored.
   */
  documents: number;
  /**
   * Why there is no score.
   */
  failure: Failure | null;
  /**
   * Gold spans scored.
   */
  gold: number;
  /**
   * The option that is otherwise: `mode` or `llm`.
   */
  option: string;
  /**
   * The four modes over all labels.
   */
  overall: Modes | null;
  /**
   * Each label, in order.
   */
  per_label: LabelModes[];
  /**
   * Predicted spans scored.
   */
  predicted: number;
  /**
   * Token F1: micro, macro, weighted.
   *
   * @minItems 3
   * @maxItems 3
   */
  tokens: [Value, Value, Value] | null;
  /**
   * Its other value.
   */
  value: string;
}
/**
 * One thing that makes two ways of scoring differ.
 */
export interface Difference {
  /**
   * How many spans, documents or tokens.
   */
  count: number;
  /**
   * The first of them.
   */
  examples: Example[];
  /**
   * Stable name.
   */
  kind: string;
  /**
   * In words, without the count.
   */
  title: string;
}
/**
 * Where a [`Difference`] is seen; without note text.
 */
export interface Example {
  /**
   * Document id.
   */
  document: string;
  /**
   * In words: offsets and labels.
   */
  found: string;
}
/**
 * Why nothing could be scored, in the user's words.
 */
export interface Failure {
  /**
   * Stable name.
   */
  code: string;
  /**
   * What was expected.
   */
  expected?: string | null;
  /**
   * What was found.
   */
  found?: string | null;
  /**
   * One sentence: what, where, what to do.
   */
  message: string;
}
/**
 * The four ways of counting one alignment.
 */
export interface Modes {
  ent_type: Score;
  exact: Score;
  partial: Score;
  strict: Score;
}
/**
 * Counts and scores of one mode.
 */
export interface Score {
  /**
   * correct + incorrect + partial + spurious.
   */
  actual: number;
  /**
   * Right under this mode.
   */
  correct: number;
  f1: Value;
  /**
   * Matched, but wrong under this mode.
   */
  incorrect: number;
  /**
   * Gold without prediction.
   */
  missed: number;
  /**
   * Half right.
   */
  partial: number;
  /**
   * correct + incorrect + partial + missed.
   */
  possible: number;
  precision: Value;
  recall: Value;
  /**
   * Prediction without gold.
   */
  spurious: number;
}
/**
 * A value that may be undefined; the reason is then given in words.
 */
export interface Value {
  /**
   * Whether the value is defined.
   */
  defined: boolean;
  /**
   * Why it is not.
   */
  reason?: string | null;
  /**
   * The value, or null.
   */
  value: number | null;
}
/**
 * One label's span scores.
 */
export interface LabelModes {
  /**
   * The label.
   */
  label: string;
  modes: Modes;
  outcomes: Outcomes;
  /**
   * Predicted spans of this label in the documents scored.
   */
  predicted: number;
  /**
   * Gold spans of this label in the documents scored.
   */
  support: number;
}
/**
 * Scores of document-level labels, each document a set.
 */
export interface ClassReport {
  /**
   * Gold documents scored; one without a prediction counts as one without labels.
   */
  documents: number;
  exact: Value;
  overall: ClassScore;
  /**
   * Each label, in order of name.
   */
  per_label: ClassLabel[];
  /**
   * Those without a gold label.
   */
  without_gold: number;
  /**
   * Those without a predicted label.
   */
  without_predictions: number;
}
/**
 * Counts and scores of document-level labels.
 */
export interface ClassScore {
  /**
   * On both sides.
   */
  correct: number;
  f1: Value;
  /**
   * In gold.
   */
  gold: number;
  precision: Value;
  /**
   * Predicted.
   */
  predicted: number;
  recall: Value;
}
/**
 * One label's document-level scores.
 */
export interface ClassLabel {
  /**
   * The label.
   */
  label: string;
  score: ClassScore;
}
/**
 * One clean-up switch and what it changes.
 */
export interface CleanUp {
  /**
   * Gold spans it concerns.
   */
  gold: number;
  /**
   * Whether it is on.
   */
  on: boolean;
  /**
   * Predicted spans it concerns.
   */
  predicted: number;
  /**
   * `trim`, `dedupe`, `unusable` or `o-label`.
   */
  switch: string;
  with: Value;
  without: Value;
  /**
   * What it does, in words.
   */
  title: string;
}
/**
 * Scores of concept ids: where both sides carry them.
 */
export interface ConceptReport {
  accuracy: Value;
  /**
   * Those whose concepts are the same.
   */
  correct: number;
  documents: ClassScore;
  /**
   * Gold spans with a concept, in the documents scored.
   */
  gold: number;
  /**
   * Matched spans (same bounds and label, one to one) of which both sides have a concept.
   */
  matched: number;
  /**
   * Each label of which either side has a concept.
   */
  per_label: ConceptLabel[];
  /**
   * Predicted spans with a concept.
   */
  predicted: number;
  spans: ClassScore;
}
/**
 * One label's concept scores.
 */
export interface ConceptLabel {
  accuracy: Value;
  /**
   * Those whose concepts are the same.
   */
  correct: number;
  documents: ClassScore;
  /**
   * The OMOP domain of the label, where it is a clinical type that has one, or a domain itself.
   */
  domain: string | null;
  /**
   * The label.
   */
  label: string;
  /**
   * Matched spans of which both sides have a concept.
   */
  matched: number;
  spans: ClassScore;
}
/**
 * Something that moved, or could move, the number.
 */
export interface Note {
  /**
   * How many spans or documents.
   */
  count: number;
  /**
   * Stable name.
   */
  kind: string;
  /**
   * In words.
   */
  message: string;
}
/**
 * Which documents met.
 */
export interface Pairing {
  /**
   * Documents on both sides.
   */
  both: number;
  /**
   * `id`, `normalised_id`, `position` or `text`.
   */
  by: string;
  /**
   * Ids of gold documents without prediction; scored as all missed.
   */
  gold_only: string[];
  /**
   * Ids of predicted documents without gold; not scored.
   */
  predicted_only: string[];
  /**
   * A normalisation of ids by which more documents meet.
   */
  proposal: IdProposal | null;
  /**
   * Ids whose texts differ between the sides; scored as given.
   */
  text_differs: string[];
}
/**
 * A normalisation of ids that keeps the ids of each side apart; applied with `normaliseIds`.
 */
export interface IdProposal {
  /**
   * Whether it was applied.
   */
  applied: boolean;
  /**
   * The first two ids that meet, gold's and the prediction's.
   *
   * @minItems 2
   * @maxItems 2
   */
  example: [string, string] | null;
  /**
   * Documents that meet by it and not by their ids as given.
   */
  more: number;
  /**
   * What is left out of account: `folder`, `extension`, `case`, `leading zeros`.
   */
  steps: string[];
}
/**
 * Span scores of one system.
 */
export interface SpanReport {
  confusion: Confusion;
  outcomes: Outcomes;
  overall: Modes;
  /**
   * Each scored label, in order; a partition of the same alignment by the label charged.
   */
  per_label: LabelModes[];
}
/**
 * Counts of gold label × predicted label, with margins for what met nothing.
 */
export interface Confusion {
  /**
   * `[gold label, predicted label, count]` with indices into `labels`; only what occurs.
   */
  cells: [number, number, number][];
  /**
   * Labels of rows (gold) and columns (predicted).
   */
  labels: string[];
  /**
   * Gold spans of each label that were missed.
   */
  missed: number[];
  /**
   * Predicted spans of each label that were spurious.
   */
  spurious: number[];
}
/**
 * Token scores of one system (scikit-learn's `classification_report`).
 */
export interface TokenReport {
  accuracy: Value;
  confusion: TokenConfusion;
  /**
   * Documents whose tokens were scored.
   */
  documents: number;
  /**
   * Documents left out for want of a text or tokens.
   */
  documents_without_text: number;
  /**
   * Gold tokens whose label was a tie between their characters.
   */
  gold_ties: number;
  kappa: Value;
  macro: TokenScore;
  micro: TokenScore;
  /**
   * Each scored label.
   */
  per_label: TokenLabel[];
  /**
   * Predicted tokens whose label was a tie.
   */
  predicted_ties: number;
  /**
   * Documents left out because the tokenizer failed on them.
   */
  tokenizer_failed: number;
  /**
   * Tokens scored.
   */
  tokens: number;
  /**
   * `words`, `whitespace`, `file` or `tokenizer`.
   */
  tokens_from: string;
  weighted: TokenScore;
  /**
   * The token source in words.
   */
  words: string;
}
/**
 * Counts of gold × predicted token labels.
 */
export interface TokenConfusion {
  /**
   * `[gold label, predicted label, count]` with indices into `labels`; only what occurs.
   */
  cells: [number, number, number][];
  /**
   * Labels of rows and columns; `O` is last, labels outside the chosen set are before it.
   */
  labels: string[];
}
/**
 * Precision, recall and F1 over tokens, zero where scikit-learn says zero.
 */
export interface TokenScore {
  f1: Value;
  precision: Value;
  recall: Value;
  /**
   * Gold tokens.
   */
  support: number;
}
/**
 * One label's token scores.
 */
export interface TokenLabel {
  /**
   * Tokens right.
   */
  correct: number;
  /**
   * The label.
   */
  label: string;
  /**
   * Tokens predicted as this label.
   */
  predicted: number;
  score: TokenScore;
}
