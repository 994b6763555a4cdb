//! Everything that was skipped or repaired, as CSV: one row a listed problem, and one for those of a kind that
//! are counted but not listed. No note text.

use super::csv::cell;
use super::{ProblemGroup, Report};

/// This shape.
pub static OUTPUT: super::Output = super::Output {
    name: "problems",
    title: "Problems",
    extension: "csv",
    write: |report| Ok(write(report)),
};

const COLUMNS: &str = "side,kind,what,lost,input,path,entry,line,document,found,expected,count";

fn write(report: &Report) -> String {
    let mut out = format!("{COLUMNS}\r\n");
    rows("gold", &report.gold.problems, report, &mut out);
    for system in &report.systems {
        rows(&system.name, &system.side.problems, report, &mut out);
    }
    out
}

fn rows(side: &str, groups: &[ProblemGroup], report: &Report, out: &mut String) {
    for group in groups {
        let lost = if group.loses { "yes" } else { "no" };
        let mut row = |place: [&str; 5], found: &str, expected: &str, count: u64| {
            let [input, path, entry, line, document] = place;
            let count = count.to_string();
            let cells = [
                side,
                group.kind,
                group.title,
                lost,
                input,
                path,
                entry,
                line,
                document,
                found,
                expected,
                count.as_str(),
            ];
            out.push_str(&cells.map(cell).join(","));
            out.push_str("\r\n");
        };
        for item in &group.items {
            let number = |value: Option<u64>| value.map_or_else(String::new, |value| value.to_string());
            let input = number(item.input.map(|input| input as u64));
            let path = item.input.and_then(|input| report.inputs[input].path.as_deref()).unwrap_or("");
            let (entry, document) = (item.entry.as_deref(), item.document.as_deref());
            let line = number(item.line);
            let place = [&input, path, entry.unwrap_or(""), &line, document.unwrap_or("")];
            row(place, &item.found, &item.expected, 1);
        }
        let rest = group.count.saturating_sub(group.items.len() as u64);
        // An item of an unmapped label stands for all spans that carry it.
        if rest > 0 && group.kind != "unmapped_label" {
            row([""; 5], "more of this kind, not listed", "", rest);
        }
    }
}
