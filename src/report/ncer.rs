//! The NCER benchmark's results file: `{METRIC: {"dataset_results": …, "clinical_type_results": …}}`.

use super::python::{by_system, float, object, round2};
use super::{LabelsFrom, Modes, Report, Score, System, TokenReport};
use crate::align::nervaluate::METHOD;
use crate::benchmarks::ncer::{self, METRICS, NcerDataset};

/// This shape.
pub static OUTPUT: super::Output =
    super::Output { name: "ncer", title: "NCER results", extension: "json", write };

/// F1 of one system under one of the benchmark's metrics, from 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbers {
    /// Over the whole dataset.
    pub overall: f64,
    /// Per clinical type, in the dataset's order.
    pub types: Vec<(String, f64)>,
}

/// What a results file says of one metric: F1 from 0 to 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Results<'r> {
    /// Per dataset, by its key.
    pub datasets: Vec<(&'r str, f64)>,
    /// Per clinical type.
    pub types: Vec<(&'r str, f64)>,
}

/// The results of one dataset; f1 in per cent, rounded as Python rounds.
///
/// # Errors
/// When the run is not the benchmark's of one of its datasets, or there are no token scores.
pub fn write(report: &Report) -> Result<String, String> {
    let dataset = dataset(&Run::of(report))?;
    if let Some(system) = report.systems.iter().find(|system| system.tokens.is_none()) {
        let why = system.tokens_missing.as_deref().unwrap_or("there are no token scores");
        return Err(format!("{}: the results file needs token scores, but {why}", system.name));
    }
    Ok(by_system(report, |system| {
        let numbers: Vec<Numbers> = numbers(system).into_iter().flatten().collect();
        if numbers.is_empty() {
            return "null".into();
        }
        results(&Vec::from_iter(numbers.iter().map(|numbers| Results {
            datasets: vec![(dataset.key, numbers.overall)],
            types: numbers.types.iter().map(|(name, f1)| (name.as_str(), *f1)).collect(),
        })))
    }))
}

/// What decides whether a run's numbers are the benchmark's.
pub struct Run<'r> {
    /// Name of the dataset.
    pub dataset: Option<&'r str>,
    /// The option `mode`.
    pub mode: Option<&'r str>,
    /// Name of the definition.
    pub definition: &'r str,
    /// Whether the labels scored are the dataset's.
    pub own_labels: bool,
}

impl<'r> Run<'r> {
    /// Of a report.
    pub fn of(report: &'r Report) -> Self {
        Run {
            dataset: report.dataset.as_ref().map(|dataset| dataset.name),
            mode: report.run.mode.as_deref(),
            definition: report.definition.name,
            own_labels: report.labels_from == LabelsFrom::Dataset,
        }
    }
}

/// The dataset whose results a run gives.
///
/// # Errors
/// Says why its numbers are not the benchmark's.
pub fn dataset(run: &Run<'_>) -> Result<&'static NcerDataset, String> {
    let Some(dataset) = run.dataset.and_then(ncer::dataset) else {
        let names = ncer::names();
        return Err(format!("the benchmark's results need one of its datasets: choose one of {names}"));
    };
    if run.mode.is_some_and(|mode| mode != "reference") {
        return Err("the benchmark's results are those of the mode reference".into());
    }
    let definition = METHOD.definition.name;
    if run.definition != definition {
        return Err(format!("the benchmark's results are those of the definition {definition}"));
    }
    if !run.own_labels {
        return Err("the benchmark's results are over all labels of the dataset: choose no labels".into());
    }
    Ok(dataset)
}

/// F1 of a system under each of [`METRICS`]; none where there is no such score. What is undefined counts as
/// zero, as in the references.
pub fn numbers(system: &System) -> Vec<Option<Numbers>> {
    let by_span = |score: fn(&Modes) -> &Score| {
        system.spans.as_ref().map(|spans| Numbers {
            overall: score(&spans.overall).f1.value.unwrap_or(0.0),
            types: spans
                .per_label
                .iter()
                .map(|label| (label.label.clone(), score(&label.modes).f1.value.unwrap_or(0.0)))
                .collect(),
        })
    };
    let by_token = |overall: fn(&TokenReport) -> Option<f64>| {
        system.tokens.as_ref().map(|tokens| Numbers {
            overall: overall(tokens).unwrap_or(0.0),
            types: tokens
                .per_label
                .iter()
                .map(|label| (label.label.clone(), label.score.f1.value.unwrap_or(0.0)))
                .collect(),
        })
    };
    vec![
        by_span(|modes| &modes.ent_type),
        by_span(|modes| &modes.strict),
        by_token(|tokens| tokens.macro_avg.f1.value),
        by_token(|tokens| tokens.micro.f1.value),
        by_token(|tokens| tokens.weighted.f1.value),
    ]
}

/// A results file, from what it says of each of [`METRICS`]; a metric that has nothing is left out. F1 in per
/// cent, rounded as Python rounds.
pub fn results(metrics: &[Results<'_>]) -> String {
    let percent = |f1: f64| float(round2(f1 * 100.0));
    let list = |list: &[(&str, f64)], percent: &dyn Fn(f64) -> String| {
        object(list.iter().map(|&(name, f1)| (name, object([("f1", percent(f1))]))))
    };
    let metrics = METRICS.iter().zip(metrics).filter(|(_, results)| !results.datasets.is_empty());
    object(metrics.map(|(metric, results)| {
        // nervaluate's F1 is the integer 0 where nothing is right, and stays one when rounded; a mean does not.
        let of_dataset = |f1: f64| if metric.spans && f1 == 0.0 { "0".into() } else { percent(f1) };
        let parts = [
            ("dataset_results", list(&results.datasets, &of_dataset)),
            ("clinical_type_results", list(&results.types, &percent)),
        ];
        (metric.name, object(parts))
    }))
}
