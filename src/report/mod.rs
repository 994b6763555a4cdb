//! One [`Report`] value; every output is a view of it.
//!
//! The report is the only thing that leaves the core. It holds counts, labels and document ids, never
//! note text, and no file paths unless [`crate::run::Options::paths`] asks for them. Nothing is computed
//! here: the numbers come from [`crate::metrics`].

use crate::align::Definition;
use crate::benchmarks::Dataset;
use crate::corpus::Role;
use crate::failure::Failure;
use crate::run::Options;
use serde::Serialize;

pub mod csv;
pub mod markdown;
pub mod ncer;
pub mod nervaluate;
pub mod problems;
pub mod python;
pub mod sklearn;
pub mod table;

/// Version of the report's shape; it changes when a reader of the JSON would have to.
pub const SCHEMA: &str = "clinscore-report/1";

/// Everything a run found.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// Version of clinscore that made the report.
    pub clinscore: &'static str,
    /// The run file: every option that made these numbers.
    pub run: Options,
    /// How gold met predicted spans.
    pub definition: Definition,
    /// How each outcome counts under each mode of the definition.
    pub modes: Vec<ModeTable>,
    /// The benchmark's dataset, when one was chosen.
    pub dataset: Option<Dataset>,
    /// The labels scored, of all systems together; each system's tables hold those of gold and itself.
    pub labels: Vec<String>,
    /// Where the labels come from.
    pub labels_from: LabelsFrom,
    /// Every file that was given, in order; `input` fields elsewhere are indices into this list.
    pub inputs: Vec<Input>,
    /// Every tokenizer that was given.
    pub tokenizers: Vec<TokenizerFile>,
    /// The gold side.
    pub gold: Side,
    /// One entry per system, in the order given.
    pub systems: Vec<System>,
}

/// How outcomes count under one mode: `correct`, `incorrect`, `partial`, `missed` or `spurious`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModeTable {
    /// Name of the mode: a field of [`Modes`].
    pub mode: &'static str,
    /// Of outcome `exact`.
    pub exact: &'static str,
    /// Of outcome `other_label`.
    pub other_label: &'static str,
    /// Of outcome `overlap`.
    pub overlap: &'static str,
    /// Of outcome `overlap_other_label`.
    pub overlap_other_label: &'static str,
    /// Of outcome `spurious`.
    pub spurious: &'static str,
    /// Of outcome `missed`.
    pub missed: &'static str,
}

/// Where the scored labels come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LabelsFrom {
    /// The benchmark's dataset has its own.
    Dataset,
    /// `labels` of the run file.
    Chosen,
    /// The sorted union of gold and predicted labels after mapping.
    Union,
}

/// A `tokenizer.json` that was given.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TokenizerFile {
    /// The system whose tokens it makes; absent: those of every system without one of its own.
    pub system: Option<String>,
    /// Path inside what was given; only when the run asks for paths.
    pub path: Option<String>,
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256 of the bytes, lower-case hex; absent when it cannot be used.
    pub sha256: Option<String>,
    /// `BPE`, `WordPiece`, `WordLevel` or `Unigram`; absent when it cannot be used.
    pub model: Option<String>,
    /// Entries of the vocabulary.
    pub vocabulary: u64,
    /// What the file would do to texts and was not let, in words: truncation, padding, chance.
    pub switched_off: Vec<String>,
    /// Why it cannot be used.
    pub failure: Option<String>,
}

/// One input file (or pasted text), as it was read.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Input {
    /// `gold` or `prediction`.
    pub role: Role,
    /// Index into `systems` for predictions.
    pub system: Option<usize>,
    /// Path inside what was given; only when the run asks for paths.
    pub path: Option<String>,
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256 of the bytes, lower-case hex; absent until it was computed.
    pub sha256: Option<String>,
    /// Name of the format it was read as; absent when it was not read.
    pub format: Option<&'static str>,
    /// Why that format.
    pub format_reason: String,
    /// `utf-8`, `utf-16le`, `utf-16be` or `windows-1252`.
    pub encoding: Option<&'static str>,
    /// Whether the file begins with a byte-order mark.
    pub byte_order_mark: bool,
    /// How its offsets were read: index into its side's `offsets`.
    pub offsets: Option<u32>,
    /// Whether it holds gold and predictions (two tag columns, annotations beside predictions); the part that
    /// its role says is read.
    pub both_sides: bool,
    /// How its tags were understood, where it has tags.
    pub tagging: Option<TaggingUse>,
    /// Documents that came from this file; one joined from several records counts where its first is.
    pub documents: u64,
    /// Spans of those documents.
    pub spans: u64,
    /// Problems found in this file.
    pub problems: u64,
}

/// How the tags of a file were understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaggingUse {
    /// The scheme, such as `IOB2`.
    pub scheme: &'static str,
    /// Tags that are not well formed under it; read as conlleval does.
    pub ill_formed: u64,
}

/// How the offsets of a set of files were read, and why.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OffsetsUse {
    /// Format of the files.
    pub format: &'static str,
    /// `codepoint`, `utf16` or `byte`.
    pub unit: &'static str,
    /// `raw`, or `lf` where CRLF counts as one.
    pub view: &'static str,
    /// `exclusive` or `inclusive`.
    pub end: &'static str,
    /// `document` or `passage`: where offsets count from.
    pub from: &'static str,
    /// Whether the spans' own texts spoke for another way than the format's own.
    pub inferred: bool,
    /// Spans whose own text could be compared with the document's.
    pub checked: u64,
    /// Those that agree this way.
    pub agree: u64,
    /// Those that agree this way and not in the format's own way.
    pub deciding: u64,
    /// Documents whose byte-order mark is counted, and those where it is not.
    pub byte_order_marks: [u64; 2],
    /// The same in a sentence.
    pub words: String,
}

/// Gold, or one system's predictions.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Side {
    /// Documents read.
    pub documents: u64,
    /// Spans read.
    pub spans: u64,
    /// How offsets were read, a set of files each.
    pub offsets: Vec<OffsetsUse>,
    /// Labels as the files spell them, in order of name.
    pub labels: Vec<LabelUse>,
    /// What was skipped or repaired, grouped by kind.
    pub problems: Vec<ProblemGroup>,
    /// The benchmark's dataset that the labels of gold speak for, where they do.
    pub dataset: Option<&'static str>,
}

/// How often a label occurs and what became of it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LabelUse {
    /// The label as the file spells it.
    pub label: String,
    /// Spans that carry it.
    pub spans: u64,
    /// The label after mapping; absent when the map drops it.
    pub mapped: Option<String>,
    /// Whether the mapped label is among the labels scored.
    pub scored: bool,
    /// Whether the mapped label occurs on this side alone.
    pub only_here: bool,
}

/// Problems of one kind.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProblemGroup {
    /// Stable name of the kind.
    pub kind: &'static str,
    /// What this kind means and what was done, in words.
    pub title: &'static str,
    /// Whether something was lost (a record, a span), rather than read as it stands.
    pub loses: bool,
    /// How many there are.
    pub count: u64,
    /// The first ones of each file (all of them up to a limit; `count` is exact).
    pub items: Vec<ProblemItem>,
}

/// One problem with its place.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProblemItem {
    /// Index into `inputs`.
    pub input: Option<usize>,
    /// Path of the entry, when the input is an archive and the run asks for paths.
    pub entry: Option<String>,
    /// Line, from 1.
    pub line: Option<u64>,
    /// Document id.
    pub document: Option<String>,
    /// What was found, without note text.
    pub found: String,
    /// What was expected.
    pub expected: String,
}

/// One system's result.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct System {
    /// Name, as it was given.
    pub name: String,
    /// What was read.
    pub side: Side,
    /// Why the system could not be scored; the others are.
    pub failure: Option<Failure>,
    /// Which documents were compared.
    pub pairing: Pairing,
    /// Predicted labels that are gold's but for their spelling.
    pub folds: Vec<LabelFold>,
    /// Every clean-up switch that would change something, and what.
    pub clean: Vec<CleanUp>,
    /// Span scores; absent when the system could not be scored.
    pub spans: Option<SpanReport>,
    /// Scores of document-level labels; absent where the files have none.
    pub classes: Option<ClassReport>,
    /// Why there are none, where a side has such labels.
    pub classes_missing: Option<String>,
    /// Token scores; absent when no document has a text or tokens (`tokens_missing` says why).
    pub tokens: Option<TokenReport>,
    /// Why there are no token scores.
    pub tokens_missing: Option<String>,
    /// Scores of concepts; absent where a side has none among the spans scored.
    pub concepts: Option<ConceptReport>,
    /// What became of generated text; absent where there is none.
    pub answers: Option<AnswerCounts>,
    /// The same files under another choice: the other mode of a benchmark, the other way to read generated
    /// text.
    pub beside: Vec<Beside>,
    /// What moved the number: order, touching spans, duplicates, missing documents and so on.
    pub notes: Vec<Note>,
}

/// The same files scored under another choice.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Beside {
    /// The option that is otherwise: `mode` or `llm`.
    pub option: &'static str,
    /// Its other value.
    pub value: &'static str,
    /// Name of the definition that pairs spans.
    pub definition: &'static str,
    /// Why there is no score.
    pub failure: Option<Failure>,
    /// Documents scored.
    pub documents: u64,
    /// Gold spans scored.
    pub gold: u64,
    /// Predicted spans scored.
    pub predicted: u64,
    /// The four modes over all labels.
    pub overall: Option<Modes>,
    /// Each label, in order.
    pub per_label: Vec<LabelModes>,
    /// Token F1: micro, macro, weighted.
    pub tokens: Option<[Value; 3]>,
    /// What became of generated text.
    pub answers: Option<AnswerCounts>,
    /// What makes the two differ.
    pub differences: Vec<Difference>,
}

/// One thing that makes two ways of scoring differ.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Difference {
    /// Stable name.
    pub kind: &'static str,
    /// In words, without the count.
    pub title: &'static str,
    /// How many spans, documents or tokens.
    pub count: u64,
    /// The first of them.
    pub examples: Vec<Example>,
}

/// Where a [`Difference`] is seen; without note text.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Example {
    /// Document id.
    pub document: String,
    /// In words: offsets and labels.
    pub found: String,
}

/// What became of generated text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnswerCounts {
    /// `reference` or `aligned`.
    pub rule: &'static str,
    /// Answers read, to the documents that are scored.
    pub answers: u64,
    /// Answers in which a list or marked text was found (an empty list too).
    pub parsed: u64,
    /// Answers in which none was found; no predictions.
    pub failed: u64,
    /// Marked or listed items of the parsed answers.
    pub items: u64,
    /// Items whose text the document does not have; not scored.
    pub hallucinated: u64,
    /// Items with a label that is mapped to none of the labels scored; dropped.
    pub unmapped: u64,
    /// Items without a span of their own: they lie inside one of the same label (`reference`), or repeat one;
    /// dropped.
    pub inside: u64,
    /// Predicted spans that came of them and are scored: an item may occur several times.
    pub spans: u64,
}

/// Scores of concept ids: where both sides carry them.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConceptReport {
    /// Gold spans with a concept, in the documents scored.
    pub gold: u64,
    /// Predicted spans with a concept.
    pub predicted: u64,
    /// Matched spans (same bounds and label, one to one) of which both sides have a concept.
    pub matched: u64,
    /// Those whose concepts are the same.
    pub correct: u64,
    /// correct / matched.
    pub accuracy: Value,
    /// Over (document, span, label, concept), as sets.
    pub spans: ClassScore,
    /// Over (document, concept), as sets.
    pub documents: ClassScore,
    /// Each label of which either side has a concept.
    pub per_label: Vec<ConceptLabel>,
}

/// One label's concept scores.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConceptLabel {
    /// The label.
    pub label: String,
    /// The OMOP domain of the label, where it is a clinical type that has one, or a domain itself.
    pub domain: Option<&'static str>,
    /// Matched spans of which both sides have a concept.
    pub matched: u64,
    /// Those whose concepts are the same.
    pub correct: u64,
    /// correct / matched.
    pub accuracy: Value,
    /// Over (document, span, concept).
    pub spans: ClassScore,
    /// Over (document, concept).
    pub documents: ClassScore,
}

/// Which documents met.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pairing {
    /// `id`, `normalised_id`, `position` or `text`.
    pub by: &'static str,
    /// A normalisation of ids by which more documents meet.
    pub proposal: Option<IdProposal>,
    /// Documents on both sides.
    pub both: u64,
    /// Ids of gold documents without prediction; scored as all missed.
    pub gold_only: Vec<String>,
    /// Ids of predicted documents without gold; not scored.
    pub predicted_only: Vec<String>,
    /// Ids whose texts differ between the sides; scored as given.
    pub text_differs: Vec<String>,
}

/// A normalisation of ids that keeps the ids of each side apart; applied with `normaliseIds`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IdProposal {
    /// What is left out of account: `folder`, `extension`, `case`, `leading zeros`.
    pub steps: Vec<&'static str>,
    /// Documents that meet by it and not by their ids as given.
    pub more: u64,
    /// The first two ids that meet, gold's and the prediction's.
    pub example: Option<(String, String)>,
    /// Whether it was applied.
    pub applied: bool,
}

/// A predicted label that is a known one but for its spelling; applied with `foldLabels`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LabelFold {
    /// As the predictions spell it.
    pub from: String,
    /// The label it becomes.
    pub to: String,
    /// What differs: `case`, `separator`, `prefix`, or `untyped` (no type, and there is only one).
    pub rule: &'static str,
    /// Whether it was applied.
    pub applied: bool,
}

/// One clean-up switch and what it changes.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CleanUp {
    /// `trim`, `dedupe`, `unusable` or `o-label`.
    pub switch: &'static str,
    /// What it does, in words.
    pub title: &'static str,
    /// Whether it is on.
    pub on: bool,
    /// Gold spans it concerns.
    pub gold: u64,
    /// Predicted spans it concerns.
    pub predicted: u64,
    /// The headline F1 with the switch on.
    pub with: Value,
    /// The headline F1 with the switch off.
    pub without: Value,
}

/// A value that may be undefined; the reason is then given in words.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Value {
    /// The value, or null.
    pub value: Option<f64>,
    /// Whether the value is defined.
    pub defined: bool,
    /// Why it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

impl Value {
    /// A defined value.
    pub fn of(value: f64) -> Self {
        Value { value: Some(value), defined: true, reason: None }
    }

    /// An undefined value and why.
    pub fn undefined(reason: &'static str) -> Self {
        Value { value: None, defined: false, reason: Some(reason) }
    }

    /// `numerator / denominator`, undefined where the denominator is zero.
    pub fn ratio(numerator: f64, denominator: f64, reason: &'static str) -> Self {
        if denominator == 0.0 { Value::undefined(reason) } else { Value::of(numerator / denominator) }
    }
}

/// Span scores of one system.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpanReport {
    /// All labels together.
    pub overall: Modes,
    /// Each scored label, in order; a partition of the same alignment by the label charged.
    pub per_label: Vec<LabelModes>,
    /// How often each outcome occurred.
    pub outcomes: Outcomes,
    /// Gold label against predicted label.
    pub confusion: Confusion,
}

/// One label's span scores.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LabelModes {
    /// The label.
    pub label: String,
    /// Gold spans of this label in the documents scored.
    pub support: u64,
    /// Predicted spans of this label in the documents scored.
    pub predicted: u64,
    /// Its four modes.
    pub modes: Modes,
    /// How often each outcome was charged to it.
    pub outcomes: Outcomes,
}

/// The four ways of counting one alignment.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Modes {
    /// Boundaries and label.
    pub strict: Score,
    /// Any overlap, the label right.
    pub ent_type: Score,
    /// Any overlap counts half, whatever the label.
    pub partial: Score,
    /// Boundaries, whatever the label.
    pub exact: Score,
}

/// Counts and scores of one mode.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Score {
    /// Right under this mode.
    pub correct: u64,
    /// Matched, but wrong under this mode.
    pub incorrect: u64,
    /// Half right.
    pub partial: u64,
    /// Gold without prediction.
    pub missed: u64,
    /// Prediction without gold.
    pub spurious: u64,
    /// correct + incorrect + partial + missed.
    pub possible: u64,
    /// correct + incorrect + partial + spurious.
    pub actual: u64,
    /// Precision.
    pub precision: Value,
    /// Recall.
    pub recall: Value,
    /// F1.
    pub f1: Value,
}

/// Scores of document-level labels, each document a set.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassReport {
    /// Gold documents scored; one without a prediction counts as one without labels.
    pub documents: u64,
    /// Those without a gold label.
    pub without_gold: u64,
    /// Those without a predicted label.
    pub without_predictions: u64,
    /// Share of documents whose set is right.
    pub exact: Value,
    /// Over all labels' pooled counts (micro).
    pub overall: ClassScore,
    /// Each label, in order of name.
    pub per_label: Vec<ClassLabel>,
}

/// One label's document-level scores.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassLabel {
    /// The label.
    pub label: String,
    /// Its scores.
    pub score: ClassScore,
}

/// Counts and scores of document-level labels.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassScore {
    /// On both sides.
    pub correct: u64,
    /// Predicted.
    pub predicted: u64,
    /// In gold.
    pub gold: u64,
    /// Precision.
    pub precision: Value,
    /// Recall.
    pub recall: Value,
    /// F1.
    pub f1: Value,
}

/// The six outcomes of an alignment, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Outcomes {
    /// I: same bounds, same label.
    pub exact: u64,
    /// IV: same bounds, other label.
    pub other_label: u64,
    /// V: overlap, same label.
    pub overlap: u64,
    /// VI: overlap, other label.
    pub overlap_other_label: u64,
    /// II: a prediction that meets no gold.
    pub spurious: u64,
    /// III: gold that no prediction meets.
    pub missed: u64,
}

/// Counts of gold label × predicted label, with margins for what met nothing.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Confusion {
    /// Labels of rows (gold) and columns (predicted).
    pub labels: Vec<String>,
    /// `[gold label, predicted label, count]` with indices into `labels`; only what occurs.
    pub cells: Vec<(u32, u32, u64)>,
    /// Gold spans of each label that were missed.
    pub missed: Vec<u64>,
    /// Predicted spans of each label that were spurious.
    pub spurious: Vec<u64>,
}

/// Token scores of one system (scikit-learn's `classification_report`).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TokenReport {
    /// `words`, `whitespace`, `file` or `tokenizer`.
    pub tokens_from: &'static str,
    /// The token source in words.
    pub words: String,
    /// Documents whose tokens were scored.
    pub documents: u64,
    /// Documents left out for want of a text or tokens.
    pub documents_without_text: u64,
    /// Documents left out because the tokenizer failed on them.
    pub tokenizer_failed: u64,
    /// Tokens scored.
    pub tokens: u64,
    /// Gold tokens whose label was a tie between their characters.
    pub gold_ties: u64,
    /// Predicted tokens whose label was a tie.
    pub predicted_ties: u64,
    /// Each scored label.
    pub per_label: Vec<TokenLabel>,
    /// Over the chosen labels' pooled counts.
    pub micro: TokenScore,
    /// Unweighted mean over the chosen labels.
    #[serde(rename = "macro")]
    pub macro_avg: TokenScore,
    /// Mean weighted by gold support.
    pub weighted: TokenScore,
    /// Share of tokens with the right label, `O` included.
    pub accuracy: Value,
    /// Cohen's kappa over all token labels, `O` included.
    pub kappa: Value,
    /// Gold × predicted token labels; the last row and column is `O`.
    pub confusion: TokenConfusion,
}

/// One label's token scores.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TokenLabel {
    /// The label.
    pub label: String,
    /// Its scores.
    pub score: TokenScore,
    /// Tokens right.
    pub correct: u64,
    /// Tokens predicted as this label.
    pub predicted: u64,
}

/// Precision, recall and F1 over tokens, zero where scikit-learn says zero.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TokenScore {
    /// Precision.
    pub precision: Value,
    /// Recall.
    pub recall: Value,
    /// F1.
    pub f1: Value,
    /// Gold tokens.
    pub support: u64,
}

/// Counts of gold × predicted token labels.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TokenConfusion {
    /// Labels of rows and columns; `O` is last, labels outside the chosen set are before it.
    pub labels: Vec<String>,
    /// `[gold label, predicted label, count]` with indices into `labels`; only what occurs.
    pub cells: Vec<(u32, u32, u64)>,
}

/// Something that moved, or could move, the number.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Note {
    /// Stable name.
    pub kind: &'static str,
    /// How many spans or documents.
    pub count: u64,
    /// In words.
    pub message: String,
}

/// A shape that a report can be written in.
pub struct Output {
    /// Name in options.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// Extension of a file of this shape.
    pub extension: &'static str,
    /// Writes a report; the error says why this run cannot have this shape.
    pub write: fn(&Report) -> Result<String, String>,
}

/// Every shape, by name.
pub static OUTPUTS: &[&Output] = &[
    &REPORT,
    &nervaluate::OUTPUT,
    &sklearn::OUTPUT,
    &ncer::OUTPUT,
    &csv::OUTPUT,
    &markdown::OUTPUT,
    &problems::OUTPUT,
];

/// The whole report.
pub static REPORT: Output =
    Output { name: "report", title: "Report", extension: "json", write: |report| Ok(report.to_json()) };

impl Report {
    /// The report in one of its shapes.
    ///
    /// # Errors
    /// When the shape is unknown, or cannot hold this run.
    pub fn output(&self, shape: &str) -> Result<String, Failure> {
        let Some(output) = OUTPUTS.iter().find(|output| output.name == shape) else {
            let names = OUTPUTS.iter().map(|output| output.name).collect::<Vec<_>>().join(", ");
            return Err(Failure::option("output", shape, &names));
        };
        (output.write)(self).map_err(|why| Failure::output(shape, &why))
    }

    /// The whole report as JSON.
    pub fn to_json(&self) -> String {
        // Serialising plain data to a string cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}
