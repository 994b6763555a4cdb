//! The dictionaries that nervaluate 0.1.8's `Evaluator.evaluate()` returns, with its keys, their order, and
//! integers where it has them.

use super::python::{by_system, float, object};
use super::{Modes, Report, Score, System, Value};

/// This shape.
pub static OUTPUT: super::Output = super::Output {
    name: "nervaluate",
    title: "nervaluate 0.1.8",
    extension: "json",
    write: |report| Ok(write(report)),
};

/// `{"overall": {...}, "per_tag": {...}}`.
pub fn write(report: &Report) -> String {
    by_system(report, system)
}

fn system(system: &System) -> String {
    let Some(spans) = &system.spans else { return "null".into() };
    let per_tag = object(spans.per_label.iter().map(|label| (label.label.as_str(), modes(&label.modes))));
    object([("overall", modes(&spans.overall)), ("per_tag", per_tag)])
}

fn modes(modes: &Modes) -> String {
    object([
        ("ent_type", score(&modes.ent_type)),
        ("partial", score(&modes.partial)),
        ("strict", score(&modes.strict)),
        ("exact", score(&modes.exact)),
    ])
}

fn score(score: &Score) -> String {
    let ratio = |value: Value| value.value.map_or_else(|| "0".into(), float);
    // F1 is the integer 0 wherever P + R is not above zero.
    let f1 = if score.f1.value.unwrap_or(0.0) > 0.0 { ratio(score.f1) } else { "0".into() };
    object([
        ("correct", score.correct.to_string()),
        ("incorrect", score.incorrect.to_string()),
        ("partial", score.partial.to_string()),
        ("missed", score.missed.to_string()),
        ("spurious", score.spurious.to_string()),
        ("possible", score.possible.to_string()),
        ("actual", score.actual.to_string()),
        ("precision", ratio(score.precision)),
        ("recall", ratio(score.recall)),
        ("f1", f1),
    ])
}
