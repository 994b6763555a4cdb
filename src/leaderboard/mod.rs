//! Systems × datasets: results of many runs in one table, for each of the benchmark's five metrics.

use serde::Serialize;

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
