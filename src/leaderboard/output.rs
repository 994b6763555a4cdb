//! A leaderboard as CSV, Markdown, LaTeX and results files.

use super::{Board, BoardMetric, BoardView};
use crate::Failure;
use crate::benchmarks::ncer::{self, METRICS};
use crate::report::python::{object, round2};
use crate::report::{csv, markdown};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// What a table shows, and in which order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct BoardQuery {
    /// One of the catalog's `metrics`; absent: the headline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// The columns: `datasets`, `types` or `both`; absent: both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// A dataset, a clinical type, `mean_of_datasets`, `mean_of_types` or `added`, the greatest first; absent: the
    /// first mean that is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<String>,
    /// Digits behind the point, 0 to 4; absent: 2, as in the results file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digits: Option<u8>,
    /// One system alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
}

/// A shape that a leaderboard can be written in.
pub struct BoardOutput {
    /// Name in options.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// Extension of a file of this shape.
    pub extension: &'static str,
    /// Writes a leaderboard.
    write: fn(&Board, &BoardQuery) -> Result<String, Failure>,
}

/// Every shape, by name.
pub static BOARD_OUTPUTS: &[BoardOutput] = &[
    BoardOutput { name: "markdown", title: "Markdown table", extension: "md", write: write_markdown },
    BoardOutput { name: "csv", title: "Table", extension: "csv", write: write_csv },
    BoardOutput { name: "latex", title: "LaTeX table", extension: "tex", write: write_latex },
    BoardOutput { name: "ncer", title: "NCER results", extension: "json", write: write_results },
];

impl Board {
    /// The leaderboard in one of its shapes.
    ///
    /// # Errors
    /// When the shape or something of the query is unknown.
    pub fn output(&self, shape: &str, query: &BoardQuery) -> Result<String, Failure> {
        let Some(output) = BOARD_OUTPUTS.iter().find(|output| output.name == shape) else {
            let names = BOARD_OUTPUTS.iter().map(|output| output.name).collect::<Vec<_>>().join(", ");
            return Err(Failure::option("output", shape, &names));
        };
        (output.write)(self, query)
    }
}

const MEAN_OF_DATASETS: &str = "mean over datasets";
const MEAN_OF_TYPES: &str = "mean over types";

/// The table that a query asks for.
struct Table {
    metric: &'static ncer::Metric,
    /// What is shown, behind the system's name.
    columns: Vec<String>,
    /// (system, F1 in per cent).
    rows: Vec<(String, Vec<Option<f64>>)>,
    digits: usize,
    /// How many of the columns are datasets and types, and how many datasets and types each row has.
    of: [usize; 2],
    has: Vec<[usize; 2]>,
}

impl Table {
    fn new(board: &Board, query: &BoardQuery) -> Result<Self, Failure> {
        // Each number is rounded once.
        let mut view = board.view_in(|f1| f1 * 100.0);
        let metric = metric(query.metric.as_deref())?;
        let headline = &METRICS[metric];
        let by = query.by.as_deref().unwrap_or("both");
        let (datasets, types) = match by {
            "both" => (true, true),
            "datasets" => (true, false),
            "types" => (false, true),
            _ => return Err(Failure::option("by", by, "datasets, types, both")),
        };
        let digits = query.digits.unwrap_or(2);
        if digits > 4 {
            return Err(Failure::option("digits", &digits.to_string(), "0 to 4"));
        }
        one_system(&mut view, query)?;
        sort(&mut view, metric, query.sort.as_deref(), datasets)?;
        let name = |key: &String| {
            ncer::DATASETS
                .iter()
                .find(|dataset| dataset.key == key)
                .map_or(key.clone(), |d| d.shown.name.to_owned())
        };
        let mut columns = Vec::new();
        if datasets {
            columns.extend(view.datasets.iter().map(name));
            columns.push(MEAN_OF_DATASETS.into());
        }
        if types {
            columns.extend(view.types.iter().cloned());
            columns.push(MEAN_OF_TYPES.into());
        }
        let row = |cells: &BoardMetric| {
            let mut row = Vec::new();
            if datasets {
                row.extend(&cells.datasets);
                row.push(cells.mean_of_datasets);
            }
            if types {
                row.extend(&cells.types);
                row.push(cells.mean_of_types);
            }
            row
        };
        let cells = || view.systems.iter().map(|system| &system.metrics[metric]);
        let count = |cells: &[Option<f64>]| cells.iter().flatten().count();
        Ok(Table {
            metric: headline,
            columns,
            rows: view
                .systems
                .iter()
                .zip(cells())
                .map(|(system, cells)| (system.system.clone(), row(cells)))
                .collect(),
            digits: digits.into(),
            of: [if datasets { view.datasets.len() } else { 0 }, if types { view.types.len() } else { 0 }],
            has: cells().map(|cells| [count(&cells.datasets), count(&cells.types)]).collect(),
        })
    }

    /// A number as it is shown; an em dash where there is none.
    fn cell(&self, value: Option<f64>, none: &str) -> String {
        value.map_or_else(|| none.into(), |value| format!("{value:.*}", self.digits))
    }

    /// What the numbers are, and whose means are over less than all columns.
    fn words(&self) -> Vec<String> {
        let mut words = vec![format!(
            "{} ({}), F1 in per cent. A clinical type's number is its mean over the datasets that have it; means \
             are over what a system has.",
            self.metric.name, self.metric.title
        )];
        for ((system, _), has) in self.rows.iter().zip(&self.has) {
            let less =
                [("datasets", 0), ("clinical types", 1)].into_iter().filter(|&(_, at)| has[at] < self.of[at]);
            let less: Vec<String> =
                less.map(|(what, at)| format!("{} of {} {what}", has[at], self.of[at])).collect();
            if !less.is_empty() {
                words.push(format!("{system}: {}.", less.join(", ")));
            }
        }
        words
    }
}

/// The index of a metric.
fn metric(name: Option<&str>) -> Result<usize, Failure> {
    let Some(name) = name else { return Ok(0) };
    METRICS.iter().position(|metric| metric.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
        let names = METRICS.iter().map(|metric| metric.name).collect::<Vec<_>>().join(", ");
        Failure::option("metric", name, &names)
    })
}

fn one_system(view: &mut BoardView, query: &BoardQuery) -> Result<(), Failure> {
    let Some(wanted) = &query.system else { return Ok(()) };
    let names = view.systems.iter().map(|row| row.system.as_str()).collect::<Vec<_>>().join(", ");
    view.systems.retain(|row| row.system == *wanted);
    if view.systems.is_empty() { Err(Failure::option("system", wanted, &names)) } else { Ok(()) }
}

/// Puts the greatest first; those without a number last, equal ones by name.
fn sort(view: &mut BoardView, metric: usize, key: Option<&str>, datasets: bool) -> Result<(), Failure> {
    // "gene variant", "gene-variant" and "mean_of_types" however they are written.
    let folded = |text: &str| text.to_lowercase().replace(['-', '_'], " ");
    let key = folded(key.unwrap_or(if datasets { "mean of datasets" } else { "mean of types" }));
    if key == "added" {
        return Ok(());
    }
    let dataset = view.datasets.iter().position(|dataset| folded(dataset) == key);
    let of_type = view.types.iter().position(|name| folded(name) == key);
    let value = |cells: &BoardMetric| match (key.as_str(), dataset, of_type) {
        ("mean of types", ..) => cells.mean_of_types,
        (_, Some(at), _) => cells.datasets[at],
        (_, _, Some(at)) => cells.types[at],
        _ => cells.mean_of_datasets,
    };
    if dataset.is_none() && of_type.is_none() && !matches!(key.as_str(), "mean of datasets" | "mean of types")
    {
        let means = ["mean_of_datasets", "mean_of_types", "added"].map(str::to_owned);
        let known: Vec<String> = view.datasets.iter().chain(&view.types).chain(&means).cloned().collect();
        return Err(Failure::option("sort", &key, &known.join(", ")));
    }
    view.systems.sort_by(|a, b| {
        // By what the results file shows: a number that is known unrounded is no better for it.
        let [first, second] = [a, b].map(|row| value(&row.metrics[metric]).map(round2));
        let by_value = match (first, second) {
            (Some(first), Some(second)) => second.total_cmp(&first),
            _ => second.is_some().cmp(&first.is_some()),
        };
        by_value.then_with(|| a.system.cmp(&b.system))
    });
    Ok(())
}

fn write_csv(board: &Board, query: &BoardQuery) -> Result<String, Failure> {
    let table = Table::new(board, query)?;
    let mut out = String::from("system,metric");
    for column in &table.columns {
        let _ = write!(out, ",{}", csv::cell(column));
    }
    out.push_str("\r\n");
    for (system, cells) in &table.rows {
        let _ = write!(out, "{},{}", csv::cell(system), table.metric.name);
        for &cell in cells {
            let _ = write!(out, ",{}", table.cell(cell, ""));
        }
        out.push_str("\r\n");
    }
    Ok(out)
}

fn write_markdown(board: &Board, query: &BoardQuery) -> Result<String, Failure> {
    let table = Table::new(board, query)?;
    let columns: Vec<String> = table.columns.iter().map(|column| markdown::escape(column)).collect();
    let mut out = format!("| system | {} |\n", columns.join(" | "));
    let _ = writeln!(out, "|---|{}", "---:|".repeat(columns.len()));
    for (system, cells) in &table.rows {
        let cells: Vec<String> = cells.iter().map(|&cell| table.cell(cell, "—")).collect();
        let _ = writeln!(out, "| {} | {} |", markdown::escape(system), cells.join(" | "));
    }
    for words in table.words() {
        let _ = writeln!(out, "\n{}", markdown::escape(&words));
    }
    Ok(out)
}

fn write_latex(board: &Board, query: &BoardQuery) -> Result<String, Failure> {
    let table = Table::new(board, query)?;
    let mut out = String::new();
    for words in table.words() {
        // A comment ends with its line.
        let _ = writeln!(out, "% {}", words.replace(['\n', '\r'], " "));
    }
    let columns: Vec<String> = table.columns.iter().map(|column| latex(column)).collect();
    let _ = writeln!(out, "\\begin{{tabular}}{{l{}}}\n\\hline", "r".repeat(columns.len()));
    let _ = writeln!(out, "system & {} \\\\\n\\hline", columns.join(" & "));
    for (system, cells) in &table.rows {
        let cells: Vec<String> = cells.iter().map(|&cell| table.cell(cell, "---")).collect();
        let _ = writeln!(out, "{} & {} \\\\", latex(system), cells.join(" & "));
    }
    out.push_str("\\hline\n\\end{tabular}\n");
    Ok(out)
}

/// One results file, or several by name of the system.
fn write_results(board: &Board, query: &BoardQuery) -> Result<String, Failure> {
    let mut view = board.view();
    one_system(&mut view, query)?;
    Ok(match &view.systems[..] {
        [row] => board.results(&row.system),
        rows => object(rows.iter().map(|row| (row.system.as_str(), board.results(&row.system)))),
    })
}

/// Escapes what LaTeX gives a meaning; line breaks become spaces.
fn latex(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for c in text.chars() {
        match c {
            // Two would become a dash; a bracket behind a row's end would be its argument.
            '-' if before == '-' => out.push_str("{-}"),
            '[' | ']' | '*' => {
                let _ = write!(out, "{{{c}}}");
            }
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            '`' => out.push_str("\\textasciigrave{}"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
        before = c;
    }
    out
}
