export interface Report {
  schema: string;
  clinscore: string;
  run: Record<string, unknown>;
  definition: Definition;
  dataset: Dataset | null;
  labels: string[];
  labels_from: "dataset" | "chosen" | "union";
  inputs: Input[];
  gold: Side;
  systems: System[];
}
export interface Definition {
  name: string;
  headline: string;
  words: string;
  source: string;
}
export interface Dataset {
  benchmark: string;
  name: string;
  words: string;
  source: string;
}
export interface Input {
  role: "gold" | "prediction";
  system: number | null;
  path: string | null;
  bytes: number;
  sha256: string | null;
  format: string | null;
  format_reason: string;
  encoding: string | null;
  byte_order_mark: boolean;
  documents: number;
  spans: number;
  problems: number;
}
export interface Side {
  documents: number;
  spans: number;
  labels: LabelUse[];
  problems: ProblemGroup[];
}
export interface LabelUse {
  label: string;
  spans: number;
  mapped: string | null;
  scored: boolean;
}
export interface ProblemGroup {
  kind: string;
  title: string;
  loses: boolean;
  count: number;
  items: ProblemItem[];
}
export interface ProblemItem {
  input: number | null;
  entry: string | null;
  line: number | null;
  document: string | null;
  found: string;
  expected: string;
}
export interface System {
  name: string;
  side: Side;
  pairing: Pairing;
  spans: SpanReport | null;
  tokens: TokenReport | null;
  tokens_missing: string | null;
  notes: Note[];
}
export interface Pairing {
  by: string;
  both: number;
  gold_only: string[];
  predicted_only: string[];
  text_differs: string[];
}
export interface Value {
  value: number | null;
  defined: boolean;
  reason?: string;
}
export interface SpanReport {
  overall: Modes;
  per_label: LabelModes[];
  outcomes: Outcomes;
  confusion: Confusion;
}
export interface LabelModes {
  label: string;
  support: number;
  predicted: number;
  modes: Modes;
  outcomes: Outcomes;
}
export interface Modes {
  strict: Score;
  ent_type: Score;
  partial: Score;
  exact: Score;
}
export interface Score {
  correct: number;
  incorrect: number;
  partial: number;
  missed: number;
  spurious: number;
  possible: number;
  actual: number;
  precision: Value;
  recall: Value;
  f1: Value;
}
export interface Outcomes {
  exact: number;
  other_label: number;
  overlap: number;
  overlap_other_label: number;
  spurious: number;
  missed: number;
}
export interface Confusion {
  labels: string[];
  cells: number[][];
  missed: number[];
  spurious: number[];
}
export interface TokenReport {
  tokens_from: string;
  words: string;
  documents: number;
  documents_without_text: number;
  tokens: number;
  gold_ties: number;
  predicted_ties: number;
  per_label: TokenLabel[];
  micro: TokenScore;
  macro: TokenScore;
  weighted: TokenScore;
  accuracy: Value;
  kappa: Value;
  confusion: TokenConfusion;
}
export interface TokenLabel {
  label: string;
  score: TokenScore;
  correct: number;
  predicted: number;
}
export interface TokenScore {
  precision: Value;
  recall: Value;
  f1: Value;
  support: number;
}
export interface TokenConfusion {
  labels: string[];
  cells: number[][];
}
export interface Note {
  kind: string;
  count: number;
  message: string;
}
