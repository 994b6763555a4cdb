//! The NCER benchmark's results file: `{METRIC: {"dataset_results": …, "clinical_type_results": …}}`.

use super::python::{by_system, float, object, round2};
use super::{Modes, Report, Score, System, TokenReport};
use crate::benchmarks::ncer;

/// This shape.
pub static OUTPUT: super::Output =
    super::Output { name: "ncer", title: "NCER results", extension: "json", write };

/// The results of one dataset; f1 in per cent, rounded as Python rounds.
///
/// # Errors
/// When the run is not of a dataset of the benchmark, or there are no token scores.
pub fn write(report: &Report) -> Result<String, String> {
    let dataset = report.dataset.as_ref().and_then(|dataset| ncer::dataset(dataset.name));
    let Some(dataset) = dataset else {
        return Err("the benchmark's results file needs one of its datasets: choose one of NCBI, CHIA, BIORED, BC5CDR".into());
    };
    if let Some(system) = report.systems.iter().find(|system| system.tokens.is_none()) {
        let why = system.tokens_missing.as_deref().unwrap_or("there are no token scores");
        return Err(format!("{}: the results file needs token scores, but {why}", system.name));
    }
    Ok(by_system(report, |system| results(system, dataset.key)))
}

fn results(system: &System, key: &str) -> String {
    let (Some(spans), Some(tokens)) = (&system.spans, &system.tokens) else { return "null".into() };
    let percent = |f1: Option<f64>| float(round2(f1.unwrap_or(0.0) * 100.0));
    let f1 = |value: Option<f64>| object([("f1", percent(value))]);
    let metric = |overall: Option<f64>, types: Vec<(&str, Option<f64>)>| {
        object([
            ("dataset_results", object([(key, f1(overall))])),
            ("clinical_type_results", object(types.into_iter().map(|(name, value)| (name, f1(value))))),
        ])
    };
    let by_span = |score: fn(&Modes) -> &Score| {
        let types = spans.per_label.iter().map(|l| (l.label.as_str(), score(&l.modes).f1.value)).collect();
        metric(score(&spans.overall).f1.value, types)
    };
    let by_token = |overall: fn(&TokenReport) -> Option<f64>| {
        let types = tokens.per_label.iter().map(|l| (l.label.as_str(), l.score.f1.value)).collect();
        metric(overall(tokens), types)
    };
    object([
        ("SpanBasedWithPartialOverlap", by_span(|modes| &modes.ent_type)),
        ("SpanBasedWithExactOverlap", by_span(|modes| &modes.strict)),
        ("TokenBasedWithMacroAverage", by_token(|tokens| tokens.macro_avg.f1.value)),
        ("TokenBasedWithMicroAverage", by_token(|tokens| tokens.micro.f1.value)),
        ("TokenBasedWithWeightedAverage", by_token(|tokens| tokens.weighted.f1.value)),
    ])
}
