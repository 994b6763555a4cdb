//! Answers of language models read by the benchmark's rules, many small cases, one a line, for the differential
//! test: every case goes the whole way through reader, placing and score.
#![allow(clippy::print_stdout, missing_docs)]

use clinscore::corpus::scheme::{LabelMap, LabelMaps};
use clinscore::source::Bytes;
use clinscore::{Options, Role, Workspace};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::rc::Rc;

#[derive(Deserialize)]
struct Case {
    map: LabelMap,
    documents: Vec<Document>,
}

#[derive(Deserialize)]
struct Document {
    text: String,
    answers: Vec<(Option<String>, String)>,
}

fn score(line: &str) -> Result<Value, Box<dyn std::error::Error>> {
    let case: Case = serde_json::from_str(line)?;
    let (mut gold, mut pred) = (String::new(), String::new());
    for (id, document) in case.documents.iter().enumerate() {
        let record = json!({"id": format!("d{id}"), "text": document.text, "entities": []});
        gold.push_str(&format!("{record}\n"));
        for (asked, answer) in &document.answers {
            let mut record = json!({"id": format!("d{id}"), "response": answer});
            if let Some(asked) = asked {
                record["entity"] = json!(asked);
            }
            pred.push_str(&format!("{record}\n"));
        }
    }
    let mut workspace = Workspace::new();
    workspace.add(Role::Gold, "", "gold.jsonl", Rc::new(Bytes(gold.into_bytes())));
    workspace.add(Role::Prediction, "s", "pred.jsonl", Rc::new(Bytes(pred.into_bytes())));
    let labels: std::collections::BTreeSet<String> = case.map.values().cloned().collect();
    let options = Options {
        llm: Some("reference".into()),
        format_pred: Some("reply".into()),
        tokens: Some("none".into()),
        labels: Some(labels.into_iter().collect()),
        map: Some(LabelMaps::One(case.map)),
        ..Options::default()
    };
    let report = workspace.score(&options, &mut |_| {})?;
    let counts = json!(report.systems[0].answers);
    let mut documents = Vec::new();
    for at in 0..case.documents.len() {
        let open = workspace.open(0, at)?;
        let (mut answers, mut spans) = (Vec::new(), Vec::new());
        for answer in &open.answers {
            let fates: Vec<&str> = answer.pieces.iter().map(|piece| piece.fate).collect();
            answers.push(json!({"failed": answer.failed, "fates": fates}));
            spans.extend(answer.pieces.iter().flat_map(|piece| piece.spans.iter().copied()));
        }
        spans.sort_unstable();
        let span = |at: &u32| {
            let span = &open.predicted[*at as usize];
            Some(json!([span.start, span.end, span.scored_as.as_ref()?]))
        };
        let spans: Vec<Value> = spans.iter().filter_map(span).collect();
        documents.push(json!({"answers": answers, "spans": spans}));
    }
    Ok(json!({"counts": counts, "documents": documents}))
}

fn main() -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let result = score(&line?).unwrap_or_else(|error| json!({"error": error.to_string()}));
        writeln!(out, "{result}")?;
    }
    out.flush()
}
