//! What can be chosen, from the tables of the rooms: for the command line's help, the page's lists and messages.

use crate::align::METHODS;
use crate::benchmarks::ncer::{DATASETS, METRICS};
use crate::formats::FORMATS;
use crate::leaderboard::BOARD_OUTPUTS;
use crate::report::OUTPUTS;
use crate::run::{CLEAN, ENCODINGS, ENDS, FRAGMENTS, LLM, MODES, OCCURRENCES, OFFSETS, TOKENS, VIEWS};
use serde::Serialize;

/// One value of an option.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Choice {
    /// The value.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
}

/// One shape that a report can be written in.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutputChoice {
    /// The value of `output`.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// Extension of a file of this shape.
    pub extension: &'static str,
}

/// The values of every option that has a list, the default first.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Catalog {
    /// `format`, `formatGold`, `formatPred`.
    pub formats: Vec<Choice>,
    /// `encoding`.
    pub encodings: Vec<Choice>,
    /// `offsets`, `goldOffsets`, `predOffsets`.
    pub offsets: Vec<Choice>,
    /// `view`.
    pub views: Vec<Choice>,
    /// `end`.
    pub ends: Vec<Choice>,
    /// `occurrences`.
    pub occurrences: Vec<Choice>,
    /// `fragments`.
    pub fragments: Vec<Choice>,
    /// `clean`: any of these.
    pub clean: Vec<Choice>,
    /// `definition`; the title is the headline.
    pub definitions: Vec<Choice>,
    /// `benchmark`.
    pub benchmarks: Vec<Choice>,
    /// `dataset`; the title names the benchmark.
    pub datasets: Vec<Choice>,
    /// `mode`.
    pub modes: Vec<Choice>,
    /// `llm`; without a benchmark the default is the last.
    pub llm: Vec<Choice>,
    /// The metrics of a leaderboard, the headline first.
    pub metrics: Vec<Choice>,
    /// `tokens`.
    pub tokens: Vec<Choice>,
    /// `output`.
    pub outputs: Vec<OutputChoice>,
    /// `output` of a leaderboard.
    pub board_outputs: Vec<OutputChoice>,
}

/// Everything that can be chosen.
pub fn catalog() -> Catalog {
    let auto = Choice { name: "auto", title: "automatic" };
    let choices = |list: &'static [(&'static str, &'static str)]| {
        list.iter().map(|&(name, title)| Choice { name, title }).collect()
    };
    let output = |name, title, extension| OutputChoice { name, title, extension };
    let formats = FORMATS.iter().map(|format| Choice { name: format.name, title: format.title });
    Catalog {
        formats: std::iter::once(auto).chain(formats).collect(),
        encodings: choices(ENCODINGS),
        offsets: choices(OFFSETS),
        views: choices(VIEWS),
        ends: choices(ENDS),
        occurrences: choices(OCCURRENCES),
        fragments: choices(FRAGMENTS),
        clean: choices(CLEAN),
        definitions: METHODS
            .iter()
            .map(|method| Choice { name: method.definition.name, title: method.definition.headline })
            .collect(),
        benchmarks: vec![Choice { name: "ncer", title: "NCER" }],
        datasets: DATASETS
            .iter()
            .map(|dataset| Choice { name: dataset.shown.name, title: dataset.shown.benchmark })
            .collect(),
        modes: choices(MODES),
        llm: choices(LLM),
        metrics: METRICS.iter().map(|metric| Choice { name: metric.name, title: metric.title }).collect(),
        tokens: choices(TOKENS),
        outputs: OUTPUTS.iter().map(|o| output(o.name, o.title, o.extension)).collect(),
        board_outputs: BOARD_OUTPUTS.iter().map(|o| output(o.name, o.title, o.extension)).collect(),
    }
}
