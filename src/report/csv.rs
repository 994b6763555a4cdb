//! The report's numbers as CSV (RFC 4180), one row a system, level, label and mode.

use super::Report;
use super::table::{COLUMNS, rows};

/// This shape.
pub static OUTPUT: super::Output =
    super::Output { name: "csv", title: "Table", extension: "csv", write: |report| Ok(write(report)) };

/// All rows, with a header. Undefined values are empty cells.
pub fn write(report: &Report) -> String {
    let mut out = COLUMNS.join(",");
    out.push_str("\r\n");
    for row in rows(report) {
        let names = row.names.iter().map(|name| cell(name));
        let counts = row.counts.iter().map(|count| count.map_or_else(String::new, |count| count.to_string()));
        let scores =
            row.scores.iter().map(|score| score.value.map_or_else(String::new, super::python::float));
        let cells: Vec<String> = names.chain(counts).chain(scores).collect();
        out.push_str(&cells.join(","));
        out.push_str("\r\n");
    }
    out
}

/// One cell. A text that a spreadsheet would take for a formula gets a leading apostrophe.
pub fn cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err();
    let text = if formula { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}
