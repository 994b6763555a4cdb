//! Scores many small corpora, one a line, for the differential tests: every case is written as JSON Lines
//! and goes the whole way through reader, pairing, alignment and report.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use clinscore::source::Bytes;
use clinscore::{Options, Role, Workspace};
use serde::Deserialize;
use serde_json::json;
use std::io::{BufRead, Write};
use std::rc::Rc;

#[derive(Deserialize)]
struct Case {
    labels: Vec<String>,
    documents: Vec<Document>,
    tokens: Option<String>,
}

#[derive(Deserialize)]
struct Document {
    id: String,
    text: Option<String>,
    tokens: Option<Vec<String>>,
    gold: Vec<(i64, i64, String)>,
    pred: Vec<(i64, i64, String)>,
}

fn lines(case: &Case, side: fn(&Document) -> &Vec<(i64, i64, String)>) -> Vec<u8> {
    let mut out = String::new();
    for document in &case.documents {
        let entities: Vec<_> = side(document)
            .iter()
            .map(|(start, end, label)| json!({"start": start, "end": end, "label": label}))
            .collect();
        let mut record = json!({"id": document.id, "entities": entities});
        if let Some(text) = &document.text {
            record["text"] = json!(text);
        }
        if let Some(tokens) = &document.tokens {
            record["tokens"] = json!(tokens);
        }
        out.push_str(&record.to_string());
        out.push('\n');
    }
    out.into_bytes()
}

fn score(line: &str) -> Result<String, Box<dyn std::error::Error>> {
    let case: Case = serde_json::from_str(line)?;
    let mut workspace = Workspace::new();
    workspace.add(Role::Gold, "", "gold.jsonl", Rc::new(Bytes(lines(&case, |d| &d.gold))));
    workspace.add(Role::Prediction, "s", "pred.jsonl", Rc::new(Bytes(lines(&case, |d| &d.pred))));
    let options =
        Options { labels: Some(case.labels.clone()), tokens: case.tokens.clone(), ..Options::default() };
    let report = workspace.score(&options, &mut |_| {})?;
    let system = &report.systems[0];
    let tokens = system.tokens.as_ref().filter(|_| case.tokens.is_some());
    Ok(format!(
        r#"{{"nervaluate": {}, "sklearn": {}, "ties": {}, "accuracy": {}, "kappa": {}, "outcomes": {}}}"#,
        report.output("nervaluate")?,
        if tokens.is_some() { report.output("sklearn")? } else { "null".into() },
        json!({"gold": tokens.map(|t| t.gold_ties), "pred": tokens.map(|t| t.predicted_ties)}),
        json!(tokens.and_then(|t| t.accuracy.value)),
        json!(tokens.and_then(|t| t.kappa.value)),
        json!(system.spans.as_ref().map(|spans| spans.outcomes)),
    ))
}

fn main() -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        match score(&line) {
            Ok(result) => writeln!(out, "{result}")?,
            Err(error) => writeln!(out, "{}", json!({"error": error.to_string()}))?,
        }
    }
    out.flush()
}
