//! Systems × datasets: results of many runs in one table, for each of the benchmark's five metrics.
//!
//! What is known unrounded (runs scored here, reports) is averaged unrounded; of a results file the numbers
//! that it gives, which are rounded.

use crate::benchmarks::ncer::{DATASETS, METRICS, TYPES};
use crate::report::ncer::{self, Results};
use crate::report::python::round2;
use crate::{Failure, Report};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

mod output;
mod read;

pub use output::{BOARD_OUTPUTS, BoardOutput, BoardQuery};

/// Everything a leaderboard shows.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BoardView {
    /// The datasets that any system has, in the benchmark's order: keys of the results file (`ncbi`).
    pub datasets: Vec<String>,
    /// The clinical types that any system has, in the benchmark's order.
    pub types: Vec<String>,
    /// A row a system, in the order added.
    pub systems: Vec<BoardRow>,
    /// What could not be read, and what two sources say of one cell.
    pub problems: Vec<BoardProblem>,
}

/// One system.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BoardRow {
    /// Its name.
    pub system: String,
    /// Where its numbers come from: `scored` here, `report` or `results` file, each once.
    pub sources: Vec<&'static str>,
    /// Per metric, in the order of the catalog's `metrics`.
    pub metrics: Vec<BoardMetric>,
}

/// One system under one metric. F1 is in per cent, as in the results file (rounded to two digits).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BoardMetric {
    /// Per dataset of the view; null where the system has none.
    pub datasets: Vec<Option<f64>>,
    /// Per clinical type of the view, the mean over the datasets that have it.
    pub types: Vec<Option<f64>>,
    /// Mean over the system's datasets.
    pub mean_of_datasets: Option<f64>,
    /// Mean over the system's types.
    pub mean_of_types: Option<f64>,
}

/// Something about a results file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BoardProblem {
    /// Name of the file.
    pub file: String,
    /// What was found.
    pub found: String,
    /// What was expected.
    pub expected: String,
}

/// Results of many systems.
#[derive(Default)]
pub struct Board {
    /// Names of systems, in the order added.
    systems: Vec<String>,
    /// Where numbers come from, the last one of a cell counts.
    sources: Vec<Source>,
    problems: Vec<BoardProblem>,
}

/// What one file or run says of one system.
struct Source {
    system: String,
    /// Name of the file, or of the dataset that was scored here.
    file: String,
    /// `scored`, `report` or `results`.
    kind: &'static str,
    /// Per metric of [`METRICS`].
    metrics: Vec<Part>,
}

/// F1 under one metric, from 0 to 1.
#[derive(Debug, Clone, Default)]
struct Part {
    /// (index into [`DATASETS`], F1), in the benchmark's order.
    datasets: Vec<(usize, f64)>,
    /// (index into [`TYPES`], mean F1 over those of the datasets that have the type).
    types: Vec<(usize, f64)>,
}

impl Part {
    /// The datasets that a type's number is of.
    fn of_type(&self, of: usize) -> Vec<usize> {
        let has = |&dataset: &usize| DATASETS[dataset].types.contains(&TYPES[of]);
        self.datasets.iter().map(|&(dataset, _)| dataset).filter(has).collect()
    }

    fn dataset(&self, of: usize) -> Option<f64> {
        self.datasets.iter().find(|&&(dataset, _)| dataset == of).map(|&(_, f1)| f1)
    }

    fn r#type(&self, of: usize) -> Option<f64> {
        self.types.iter().find(|&&(name, _)| name == of).map(|&(_, f1)| f1)
    }
}

/// One system under one metric: F1 from 0 to 1.
#[derive(Default)]
struct Row {
    datasets: BTreeMap<usize, f64>,
    types: BTreeMap<usize, f64>,
}

/// In per cent, as it is shown.
fn shown(f1: f64) -> f64 {
    round2(f1 * 100.0)
}

/// Summed from left to right, as the benchmark's code does.
fn mean(values: impl ExactSizeIterator<Item = f64>) -> Option<f64> {
    let count = values.len();
    (count > 0).then(|| values.fold(0.0, |sum, value| sum + value) / count as f64)
}

impl Board {
    /// An empty leaderboard.
    pub fn new() -> Self {
        Board::default()
    }

    /// Adds every scored system of a run, in the place of an earlier run of the same system and dataset.
    ///
    /// # Errors
    /// When the run's numbers are not the benchmark's.
    pub fn add_report(&mut self, report: &Report) -> Result<(), Failure> {
        let dataset = ncer::dataset(&ncer::Run::of(report)).map_err(|why| Failure::new("not_ranked", why))?;
        for system in &report.systems {
            let metrics = ncer::numbers(system).into_iter().map(|numbers| part(dataset.key, numbers));
            self.add(Source {
                system: system.name.clone(),
                file: dataset.shown.name.to_owned(),
                kind: "scored",
                metrics: metrics.collect(),
            });
        }
        Ok(())
    }

    /// Adds a file: the benchmark's results or ours, of one system or by name of the system, or a report as
    /// JSON. `name` is its path, which names the system where the file does not. What cannot be read is listed.
    /// Returns how many systems' numbers it holds.
    pub fn add_results(&mut self, name: &str, bytes: &[u8]) -> usize {
        self.problems.retain(|problem| problem.file != name);
        self.sources.retain(|source| source.file != name || source.kind == "scored");
        let read = read::file(name, bytes);
        self.problems.extend(read.problems);
        let added = self.sources.len();
        read.sources.into_iter().for_each(|source| self.add(source));
        self.sources.len() - added
    }

    /// Takes a system out.
    pub fn remove(&mut self, system: &str) {
        let files: BTreeSet<String> = self.of(system).map(|source| source.file.clone()).collect();
        self.systems.retain(|name| name != system);
        self.sources.retain(|source| source.system != system);
        // What a file says of others stays.
        let used = |file: &String| self.sources.iter().any(|source| source.file == *file);
        self.problems.retain(|problem| !files.contains(&problem.file) || used(&problem.file));
    }

    fn add(&mut self, source: Source) {
        let again = |other: &Source| {
            other.kind == "scored" && (&other.system, &other.file) == (&source.system, &source.file)
        };
        if source.kind == "scored" {
            self.sources.retain(|other| !again(other));
        }
        // A system that could not be scored has no row.
        if source.metrics.iter().all(|part| part.datasets.is_empty() && part.types.is_empty()) {
            return;
        }
        if !self.systems.contains(&source.system) {
            self.systems.push(source.system.clone());
        }
        self.sources.push(source);
    }

    /// Everything that is shown.
    pub fn view(&self) -> BoardView {
        self.view_in(shown)
    }

    /// The same with F1 in another unit than rounded per cent.
    fn view_in(&self, unit: fn(f64) -> f64) -> BoardView {
        let mut problems = self.problems.clone();
        let rows: Vec<(&str, Vec<Row>)> = self
            .rows(&mut problems)
            .into_iter()
            .filter(|(_, rows)| rows.iter().any(|row| !row.datasets.is_empty() || !row.types.is_empty()))
            .collect();
        let all = || rows.iter().flat_map(|(_, rows)| rows);
        let datasets: BTreeSet<usize> = all().flat_map(|row| row.datasets.keys().copied()).collect();
        let types: BTreeSet<usize> = all().flat_map(|row| row.types.keys().copied()).collect();
        let cells = |known: &BTreeMap<usize, f64>, columns: &BTreeSet<usize>| {
            columns.iter().map(|column| known.get(column).copied().map(unit)).collect()
        };
        let systems = rows.iter().map(|(system, rows)| BoardRow {
            system: (*system).to_owned(),
            sources: self.kinds(system),
            metrics: rows
                .iter()
                .map(|row| BoardMetric {
                    datasets: cells(&row.datasets, &datasets),
                    types: cells(&row.types, &types),
                    mean_of_datasets: mean(row.datasets.values().copied()).map(unit),
                    mean_of_types: mean(row.types.values().copied()).map(unit),
                })
                .collect(),
        });
        BoardView {
            systems: systems.collect(),
            datasets: datasets.iter().map(|&dataset| DATASETS[dataset].key.to_owned()).collect(),
            types: types.iter().map(|&name| TYPES[name].to_owned()).collect(),
            problems,
        }
    }

    /// One system's results file; a key of the benchmark each, in its order.
    fn results(&self, system: &str) -> String {
        let rows = self.metrics_of(system, &mut Vec::new());
        ncer::results(&Vec::from_iter(rows.iter().map(|row| {
            // A type stands where it first occurs over the datasets.
            let mut order: Vec<usize> = Vec::new();
            let of_datasets = row.datasets.keys().flat_map(|&dataset| DATASETS[dataset].types);
            for name in of_datasets.chain(TYPES) {
                if let Some(at) = TYPES.iter().position(|of| of == name).filter(|at| !order.contains(at)) {
                    order.push(at);
                }
            }
            let types = order.iter().filter_map(|&at| Some((TYPES[at], *row.types.get(&at)?)));
            Results {
                datasets: row.datasets.iter().map(|(&at, &f1)| (DATASETS[at].key, f1)).collect(),
                types: types.collect(),
            }
        })))
    }

    fn kinds(&self, system: &str) -> Vec<&'static str> {
        let mut kinds = Vec::new();
        for source in self.of(system) {
            if !kinds.contains(&source.kind) {
                kinds.push(source.kind);
            }
        }
        kinds
    }

    fn of<'b>(&'b self, system: &'b str) -> impl DoubleEndedIterator<Item = &'b Source> {
        self.sources.iter().filter(move |source| source.system == system)
    }

    fn rows(&self, problems: &mut Vec<BoardProblem>) -> Vec<(&str, Vec<Row>)> {
        self.systems.iter().map(|system| (system.as_str(), self.metrics_of(system, problems))).collect()
    }

    /// A system's numbers from all its sources. Lists where they differ.
    fn metrics_of(&self, system: &str, problems: &mut Vec<BoardProblem>) -> Vec<Row> {
        let sources: Vec<&Source> = self.of(system).collect();
        for (at, later) in sources.iter().enumerate() {
            problems.extend(sources[..at].iter().filter_map(|earlier| differ(earlier, later)));
        }
        let metric = |at: usize| {
            let parts: Vec<(&Source, &Part)> =
                sources.iter().filter_map(|source| Some((*source, source.metrics.get(at)?))).collect();
            let mut row = Row::default();
            for (_, part) in &parts {
                row.datasets.extend(part.datasets.iter().copied());
            }
            for (of, name) in TYPES.iter().enumerate() {
                let (f1, left_out) = type_mean(of, &parts);
                row.types.extend(f1.map(|f1| (of, f1)));
                problems.extend(left_out.into_iter().map(|source| BoardProblem {
                    file: source.file.clone(),
                    found: format!(
                        "{system}: a mean of {name} over some of the datasets of another file ({})",
                        METRICS[at].name
                    ),
                    expected:
                        "files of the same datasets, or of none in common; the mean is not counted".into(),
                }));
            }
            row
        };
        (0..METRICS.len()).map(metric).collect()
    }
}

/// The mean over the datasets that have a type, and the sources whose mean cannot be counted with the others.
fn type_mean<'s>(of: usize, parts: &[(&'s Source, &Part)]) -> (Option<f64>, Vec<&'s Source>) {
    // A number over one dataset is that dataset's own; the last one counts.
    let mut singles: BTreeMap<usize, f64> = BTreeMap::new();
    let mut means = Vec::new();
    for (source, part) in parts {
        let Some(f1) = part.r#type(of) else { continue };
        let over = part.of_type(of);
        match over[..] {
            [dataset] => drop(singles.insert(dataset, f1)),
            _ => means.push((source, over, f1)),
        }
    }
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let mut counted = Vec::new();
    let mut left_out = Vec::new();
    for (source, over, f1) in means.into_iter().rev() {
        let known = |dataset: &usize| singles.contains_key(dataset) || taken.contains(dataset);
        if !over.is_empty() && over.iter().all(known) {
            continue;
        }
        if over.iter().any(|dataset| taken.contains(dataset)) || over.is_empty() && !counted.is_empty() {
            left_out.push(*source);
            continue;
        }
        taken.extend(&over);
        counted.push((over.len().max(1), f1));
    }
    singles.retain(|dataset, _| !taken.contains(dataset));
    let (mut sum, mut count) = (singles.values().fold(0.0, |sum, f1| sum + f1), singles.len());
    for (datasets, f1) in counted {
        sum += f1 * datasets as f64;
        count += datasets;
    }
    ((count > 0).then(|| sum / count as f64), left_out)
}

/// Where two sources of a system say different things of the same numbers.
fn differ(earlier: &Source, later: &Source) -> Option<BoardProblem> {
    let (mut same, mut differ, mut first) = (0, 0, None);
    let mut compare = |a: Option<f64>, b: Option<f64>, what: &dyn Fn() -> String| {
        let (Some(a), Some(b)) = (a.map(shown), b.map(shown)) else { return };
        if a == b {
            same += 1;
            return;
        }
        differ += 1;
        first.get_or_insert_with(|| (format!("{} {b}", what()), a));
    };
    for ((a, b), metric) in earlier.metrics.iter().zip(&later.metrics).zip(METRICS) {
        for (at, dataset) in DATASETS.iter().enumerate() {
            compare(a.dataset(at), b.dataset(at), &|| format!("{} of {}", metric.name, dataset.shown.name));
        }
        for (at, name) in TYPES.iter().enumerate() {
            // Means over other datasets may well differ.
            if a.of_type(at) == b.of_type(at) {
                compare(a.r#type(at), b.r#type(at), &|| format!("{} of {name}", metric.name));
            }
        }
    }
    let (found, was) = first?;
    Some(BoardProblem {
        file: later.file.clone(),
        found: format!("{}: {differ} of {} numbers differ, the first: {found}", later.system, differ + same),
        expected: format!("{was}, as {} has; the last one counts", earlier.file),
    })
}

/// What a run of one dataset says under one metric.
fn part(key: &str, numbers: Option<ncer::Numbers>) -> Part {
    let dataset = DATASETS.iter().position(|dataset| dataset.key == key);
    let (Some(dataset), Some(numbers)) = (dataset, numbers) else { return Part::default() };
    let types = numbers
        .types
        .iter()
        .filter_map(|(name, f1)| TYPES.iter().position(|of| of == name).map(|at| (at, *f1)));
    Part { datasets: vec![(dataset, numbers.overall)], types: types.collect() }
}
