//! Benchmarks as data: datasets, label maps, loader rules.

pub mod arrange;
pub mod loader;
pub mod ncer;
pub mod omop;

use serde::Serialize;

/// A benchmark's dataset.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Dataset {
    /// Benchmark, such as `ncer`.
    pub benchmark: &'static str,
    /// Dataset, such as `NCBI`.
    pub name: &'static str,
    /// What the benchmark's loader does to this dataset, in words.
    pub words: &'static str,
    /// Where the definition comes from.
    pub source: &'static str,
}
