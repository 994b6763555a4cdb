// What page and worker say to each other: one request, then any progress, then a result or an error.

import type * as Core from "./report.js";

export type Role = "gold" | "prediction";

/** What a source is to the page: a side, or something that belongs to a system or to the leaderboard. */
export type SourceRole = Role | "config" | "tokenizer" | "results";

/** The options of a run, under the run file's keys; an absent key has its default. */
export type Options = Core.Options;

/** One file as the core is given it. */
export interface GivenFile {
  role: Role;
  system: string;
  path: string;
  file: File;
}

/** A tokenizer as the core is given it. */
export interface GivenTokenizer {
  /** None: of every system without one of its own. */
  system: string | null;
  path: string;
  file: File;
}

export type Outcome =
  | "exact"
  | "other_label"
  | "overlap"
  | "overlap_other_label"
  | "spurious"
  | "missed";
export type Verdict = "correct" | "incorrect" | "partial" | "missed" | "spurious";
export type Mode = "strict" | "ent_type" | "partial" | "exact";

/** Which events to look for. */
export interface Query extends Partial<Core.Query> {
  system: number;
  outcomes?: Outcome[];
}

export type Catalog = Core.Catalog;
export type Explanation = Core.Answer;
export type DocumentRow = Core.Found;
export type Inspection = Core.Inspection;
export type SpanView = Core.SpanView;

/** One event, with the names that the core's strings are. */
export interface EventView extends Omit<Core.EventView, "outcome" | Mode>, Record<Mode, Verdict> {
  outcome: Outcome;
}

/** One document with everything that is drawn of it. */
export interface OpenDocument extends Omit<Core.OpenDocument, "events"> {
  events: EventView[];
}

export interface Progress {
  stage: string;
  done: number;
  total: number;
}

/** A failure in words, with its place. */
export interface Failure {
  code: string;
  message: string;
  file?: string;
  line?: number;
  found?: string;
  expected?: string;
  hint?: string;
}

/** What a path says of its file. */
export interface Arranged extends Core.Arranged {
  role: SourceRole | null;
}

/** A results file, under the name that its system is told by. */
export interface ResultsFile {
  name: string;
  file: File;
}

export type BoardQuery = Core.BoardQuery;

/** One dataset's files and score; there may be one for each of several datasets. */
interface OfDataset {
  dataset: string;
}

/** Requests and what each is answered with. */
export interface Calls {
  start: { module: WebAssembly.Module };
  catalog: object;
  /** What paths say; needs no other call before it. */
  arrange: { module: WebAssembly.Module; paths: string[] };
  /** Sets the files. */
  files: OfDataset & { files: GivenFile[] };
  /** Adds files after those that are there: the rest is not read again. */
  add: OfDataset & { files: GivenFile[] };
  /** Sets the tokenizers of every dataset; the module runs them. */
  tokenizers: { module: WebAssembly.Module | null; tokenizers: GivenTokenizer[] };
  /** Forgets a dataset's files. */
  drop: OfDataset;
  score: OfDataset & { options: Options };
  inspect: OfDataset & { options: Options };
  /** What is in some files by themselves; they are forgotten again. */
  look: { files: GivenFile[] };
  output: OfDataset & { kind: string };
  hash: OfDataset;
  explain: OfDataset & { query: Query };
  open: OfDataset & { system: number; document: number };
  /** Makes the leaderboard anew from the last scores of datasets and from results files. */
  board: { datasets: string[]; results: ResultsFile[] };
  boardOutput: { kind: string; query: BoardQuery };
}

export type Request = { [K in keyof Calls]: { id: number; call: K } & Calls[K] }[keyof Calls];

export type Reply =
  | { id: number; reply: "progress"; progress: Progress }
  | { id: number; reply: "result"; text: string }
  | { id: number; reply: "error"; failure: Failure }
  /** The instance is beyond use; the page starts another worker. */
  | { id: number; reply: "died"; message: string };
