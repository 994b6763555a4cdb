//! The report's numbers as Markdown tables.

use super::table::{COLUMNS, rows};
use super::{ConceptReport, Report, Value};
use std::fmt::Write;

/// This shape.
pub static OUTPUT: super::Output =
    super::Output { name: "markdown", title: "Summary", extension: "md", write: |report| Ok(write(report)) };

/// A heading, the definition in words, and one table of all rows.
pub fn write(report: &Report) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "# clinscore {}\n", report.clinscore);
    let _ = writeln!(
        out,
        "Definition: {} ({})\n",
        escape(report.definition.name),
        escape(report.definition.source)
    );
    let _ = writeln!(out, "{}\n", escape(report.definition.words));
    if let Some(dataset) = &report.dataset {
        let _ = writeln!(out, "Dataset: {} {}. {}\n", dataset.benchmark, dataset.name, escape(dataset.words));
    }
    let _ = writeln!(out, "| {} |", COLUMNS.map(escape).join(" | "));
    let _ = writeln!(out, "|{}{}|", "---|".repeat(5), vec!["---:"; COLUMNS.len() - 5].join("|"));
    for row in rows(report) {
        let names = row.names.iter().map(|name| escape(name));
        let counts = row.counts.iter().map(|count| count.map_or_else(String::new, |count| count.to_string()));
        let cells: Vec<String> = names.chain(counts).chain(row.scores.iter().map(score)).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    for system in &report.systems {
        if let Some(found) = &system.concepts {
            concepts(&system.name, found, &mut out);
        }
        if !system.notes.is_empty() {
            let _ = writeln!(out, "\n## Notes: {}\n", escape(&system.name));
            for note in &system.notes {
                let _ = writeln!(out, "- {}", escape(&note.message));
            }
        }
    }
    out
}

/// What share of matched spans has the right concepts: a column the one table does not have.
fn concepts(system: &str, found: &ConceptReport, out: &mut String) {
    let _ = writeln!(out, "\n## Concepts: {}\n", escape(system));
    let _ = writeln!(out, "| label | OMOP domain | matched | correct | accuracy |");
    let _ = writeln!(out, "|---|---|---:|---:|---:|");
    let mut row = |label: &str, domain: &str, matched: u64, correct: u64, accuracy: &Value| {
        let (label, accuracy) = (escape(label), score(accuracy));
        let _ = writeln!(out, "| {label} | {domain} | {matched} | {correct} | {accuracy} |");
    };
    row("", "", found.matched, found.correct, &found.accuracy);
    for of in &found.per_label {
        row(&of.label, of.domain.unwrap_or(""), of.matched, of.correct, &of.accuracy);
    }
}

fn score(value: &Value) -> String {
    value.value.map_or_else(|| "—".into(), |value| format!("{value:.4}"))
}

/// Escapes every character that Markdown or HTML inside it gives a meaning; line breaks become spaces.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '#' | '+' | '-' | '!' | '|'
            | '~' => {
                out.push('\\');
                out.push(c);
            }
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\n' | '\r' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
