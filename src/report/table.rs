//! The rows that CSV and Markdown share.

use super::{ClassScore, Modes, Report, Score, TokenScore, Value};

/// What token rows are defined by.
const TOKENS: &str = "classification_report";

/// What rows of document-level labels are defined by.
const CLASSES: &str = "sets of labels";

/// What rows of concepts are defined by.
const CONCEPTS: &str = "sets of concepts";

/// Names of the columns.
pub const COLUMNS: [&str; 15] = [
    "system",
    "definition",
    "level",
    "label",
    "mode",
    "correct",
    "incorrect",
    "partial",
    "missed",
    "spurious",
    "possible",
    "actual",
    "precision",
    "recall",
    "f1",
];

/// One row: text cells first (system, definition, level, label, mode), then counts or none, then scores.
pub struct Row<'r> {
    /// System, definition, level (what the row sums up), label, mode or token source. The level, not the
    /// label, tells a total: a label may be called like one.
    pub names: [&'r str; 5],
    /// correct, incorrect, partial, missed, spurious, possible, actual; for tokens only what applies.
    pub counts: [Option<u64>; 7],
    /// Precision, recall, F1.
    pub scores: [Value; 3],
}

/// Every row of a report.
pub fn rows(report: &Report) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    let definition = report.definition.name;
    for system in &report.systems {
        let name = system.name.as_str();
        if let Some(spans) = &system.spans {
            modes([name, definition, "spans", ""], &spans.overall, &mut rows);
            for label in &spans.per_label {
                modes([name, definition, "spans of label", &label.label], &label.modes, &mut rows);
            }
        }
        if let Some(classes) = &system.classes {
            rows.push(class([name, CLASSES, "documents, micro avg", "", ""], &classes.overall));
            for label in &classes.per_label {
                rows.push(class([name, CLASSES, "documents of label", &label.label, ""], &label.score));
            }
        }
        if let Some(concepts) = &system.concepts {
            rows.push(class([name, CONCEPTS, "concepts of spans, micro avg", "", ""], &concepts.spans));
            rows.push(class(
                [name, CONCEPTS, "concepts of documents, micro avg", "", ""],
                &concepts.documents,
            ));
            for label in &concepts.per_label {
                rows.push(class(
                    [name, CONCEPTS, "concepts of spans of label", &label.label, ""],
                    &label.spans,
                ));
                let level = "concepts of documents of label";
                rows.push(class([name, CONCEPTS, level, &label.label, ""], &label.documents));
            }
        }
        if let Some(tokens) = &system.tokens {
            let source = tokens.tokens_from;
            for label in &tokens.per_label {
                let counts = [Some(label.correct), Some(label.predicted)];
                rows.push(token(
                    [name, TOKENS, "tokens of label", &label.label, source],
                    &label.score,
                    counts,
                ));
            }
            for (average, score) in [
                ("micro avg", &tokens.micro),
                ("macro avg", &tokens.macro_avg),
                ("weighted avg", &tokens.weighted),
            ] {
                rows.push(token([name, TOKENS, average, "", source], score, [None; 2]));
            }
        }
    }
    rows
}

fn modes<'r>([system, definition, level, label]: [&'r str; 4], modes: &'r Modes, rows: &mut Vec<Row<'r>>) {
    for (mode, score) in [
        ("strict", &modes.strict),
        ("ent_type", &modes.ent_type),
        ("partial", &modes.partial),
        ("exact", &modes.exact),
    ] {
        rows.push(span([system, definition, level, label, mode], score));
    }
}

fn span<'r>(names: [&'r str; 5], s: &Score) -> Row<'r> {
    let counts = [s.correct, s.incorrect, s.partial, s.missed, s.spurious, s.possible, s.actual].map(Some);
    Row { names, counts, scores: [s.precision, s.recall, s.f1] }
}

fn token<'r>(names: [&'r str; 5], s: &TokenScore, [correct, predicted]: [Option<u64>; 2]) -> Row<'r> {
    let counts = [correct, None, None, None, None, Some(s.support), predicted];
    Row { names, counts, scores: [s.precision, s.recall, s.f1] }
}

fn class<'r>(names: [&'r str; 5], s: &ClassScore) -> Row<'r> {
    let (missed, spurious) = (s.gold - s.correct, s.predicted - s.correct);
    let counts = [Some(s.correct), None, None, Some(missed), Some(spurious), Some(s.gold), Some(s.predicted)];
    Row { names, counts, scores: [s.precision, s.recall, s.f1] }
}
