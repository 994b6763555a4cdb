//! The dictionary of scikit-learn's `classification_report(output_dict=True, zero_division=0)` for tokens;
//! always `micro avg`, never `accuracy`.

use super::python::{by_system, float, object};
use super::{Report, System, TokenScore, Value};

/// This shape.
pub static OUTPUT: super::Output = super::Output {
    name: "sklearn",
    title: "scikit-learn",
    extension: "json",
    write: |report| Ok(write(report)),
};

/// Label → precision, recall, f1-score, support, and the three averages; null without token scores.
pub fn write(report: &Report) -> String {
    by_system(report, system)
}

fn system(system: &System) -> String {
    let Some(tokens) = &system.tokens else {
        return "null".into();
    };
    let labels = tokens.per_label.iter().map(|label| (label.label.as_str(), score(&label.score)));
    object(labels.chain([
        ("micro avg", score(&tokens.micro)),
        ("macro avg", score(&tokens.macro_avg)),
        ("weighted avg", score(&tokens.weighted)),
    ]))
}

fn score(score: &TokenScore) -> String {
    let value = |value: Value| float(value.value.unwrap_or(0.0));
    object([
        ("precision", value(score.precision)),
        ("recall", value(score.recall)),
        ("f1-score", value(score.f1)),
        ("support", float(score.support as f64)),
    ])
}
