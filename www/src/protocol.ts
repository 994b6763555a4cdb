// What page and worker say to each other: one request, then any progress, then a result or an error.

import type { Input, Outcomes, Side } from "./report.js";

export type Role = "gold" | "prediction";

/** The options of a run, under the run file's keys; an absent key has its default. */
export interface Options {
  dataset?: string;
  definition?: string;
  labels?: string[];
  map?: Record<string, string>;
  formatGold?: string;
  formatPred?: string;
  encoding?: string;
  tokens?: string;
  paths?: boolean;
}

/** One file as the core is given it. */
export interface GivenFile {
  role: Role;
  system: string;
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
export interface Query {
  system: number;
  outcomes?: Outcome[];
  charged?: string;
  goldLabel?: string;
  predictedLabel?: string;
  search?: string;
  offset?: number;
  limit?: number;
}

/** The documents behind a query. */
export interface Explanation {
  events: number;
  total: number;
  documents: DocumentRow[];
}

export interface DocumentRow {
  document: number;
  id: string;
  events: number;
  outcomes: Outcomes;
}

/** One document with everything that is drawn of it. */
export interface OpenDocument {
  id: string;
  text: string | null;
  text_from: "gold" | "prediction" | null;
  gold: SpanView[];
  predicted: SpanView[];
  events: EventView[];
}

export interface SpanView {
  label: string;
  scored_as: string | null;
  /** Code points, as in the file. */
  start: number;
  end: number;
  /** UTF-16 ranges into the text, one a fragment. */
  ranges: [number, number][];
}

export interface EventView extends Record<Mode, Verdict> {
  outcome: Outcome;
  gold: number | null;
  predicted: number | null;
  charged: string;
}

/** What was read, before both sides are there. */
export interface Inspection {
  inputs: Input[];
  gold: Side | null;
  systems: { name: string; side: Side }[];
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

/** Requests and what each is answered with. */
export interface Calls {
  start: { module: WebAssembly.Module };
  files: { files: GivenFile[] };
  score: { options: Options };
  inspect: { options: Options };
  output: { kind: string };
  hash: object;
  explain: { query: Query };
  open: { system: number; document: number };
}

export type Request = { [K in keyof Calls]: { id: number; call: K } & Calls[K] }[keyof Calls];

export type Reply =
  | { id: number; reply: "progress"; progress: Progress }
  | { id: number; reply: "result"; text: string }
  | { id: number; reply: "error"; failure: Failure }
  /** The instance is beyond use; the page starts another worker. */
  | { id: number; reply: "died"; message: string };
