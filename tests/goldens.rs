//! Golden outputs of nervaluate and scikit-learn (tests/reference/goldens.py), compared to the last bit.
#![allow(clippy::unwrap_used, clippy::panic)]

use clinscore::source::Bytes;
use clinscore::{Options, Role, Workspace};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

type Scores = BTreeMap<String, Box<RawValue>>;
type Modes = BTreeMap<String, Scores>;

#[derive(Deserialize)]
struct SpanGolden {
    overall: Modes,
    per_tag: BTreeMap<String, Modes>,
}

#[derive(Deserialize)]
struct Golden {
    nervaluate: SpanGolden,
    sklearn: Option<BTreeMap<String, Scores>>,
    ties: Option<Ties>,
    accuracy: Option<Box<RawValue>>,
    kappa: Option<Box<RawValue>>,
}

#[derive(Deserialize, Debug, PartialEq)]
struct Ties {
    gold: u64,
    pred: u64,
}

/// A number of JSON text; an integer and a float are never the same.
#[derive(Debug, PartialEq)]
enum Number {
    Integer(i64),
    /// The bits, so that equal means equal to the last one.
    Float(u64),
}

fn number(text: &RawValue) -> Number {
    match text.get().parse() {
        Ok(integer) => Number::Integer(integer),
        Err(_) => Number::Float(text.get().parse::<f64>().unwrap().to_bits()),
    }
}

/// Path → number, so that a difference in keys or values shows where it is.
fn numbers(prefix: &str, scores: &Scores, out: &mut BTreeMap<String, Number>) {
    for (key, value) in scores {
        out.insert(format!("{prefix}.{key}"), number(value));
    }
}

fn span_numbers(golden: &SpanGolden) -> BTreeMap<String, Number> {
    let mut out = BTreeMap::new();
    for (mode, scores) in &golden.overall {
        numbers(&format!("overall.{mode}"), scores, &mut out);
    }
    for (label, modes) in &golden.per_tag {
        for (mode, scores) in modes {
            numbers(&format!("per_tag.{label}.{mode}"), scores, &mut out);
        }
    }
    out
}

fn token_numbers(rows: &BTreeMap<String, Scores>) -> BTreeMap<String, Number> {
    let mut out = BTreeMap::new();
    for (row, scores) in rows {
        numbers(row, scores, &mut out);
    }
    out
}

/// Within 4 units in the last place, or 1e-15: kappa is computed in another order than scikit-learn's.
fn near(ours: Option<f64>, golden: Option<&RawValue>) -> bool {
    match (ours, golden.map(|raw| raw.get().parse::<f64>().unwrap())) {
        (None, None) => true,
        (Some(a), Some(b)) => a.to_bits().abs_diff(b.to_bits()) <= 4 || (a - b).abs() <= 1e-15,
        _ => false,
    }
}

fn check(folder: &Path) {
    let name = folder.file_name().unwrap().to_string_lossy().into_owned();
    let read = |file: &str| std::fs::read(folder.join(file)).unwrap();
    let golden: Golden = serde_json::from_slice(&read("expected.json")).unwrap();
    let mut workspace = Workspace::new();
    let gold = Rc::new(Bytes(read("gold.jsonl")));
    let pred = Rc::new(Bytes(read("pred.jsonl")));
    workspace.add(Role::Gold, "", "gold.jsonl", gold);
    workspace.add(Role::Prediction, "system", "pred.jsonl", pred);
    let options = Options {
        labels: Some(serde_json::from_slice(&read("labels.json")).unwrap()),
        tokens: Some("words".into()),
        ..Options::default()
    };
    let report = workspace.score(&options, &mut |_| {}).unwrap();

    let spans = report.output("nervaluate").unwrap();
    let spans: SpanGolden = serde_json::from_str(&spans).unwrap();
    assert_eq!(span_numbers(&spans), span_numbers(&golden.nervaluate), "{name}: spans");

    let ours = report.systems[0].tokens.as_ref();
    assert_eq!(ours.is_some(), golden.sklearn.is_some(), "{name}: token report");
    let (Some(ours), Some(rows)) = (ours, &golden.sklearn) else {
        return;
    };
    let tokens = report.output("sklearn").unwrap();
    let tokens: BTreeMap<String, Scores> = serde_json::from_str(&tokens).unwrap();
    assert_eq!(token_numbers(&tokens), token_numbers(rows), "{name}: tokens");
    let ties = Ties { gold: ours.gold_ties, pred: ours.predicted_ties };
    assert_eq!(Some(ties), golden.ties, "{name}: ties");
    assert!(near(ours.accuracy.value, golden.accuracy.as_deref()), "{name}: accuracy");
    assert!(near(ours.kappa.value, golden.kappa.as_deref()), "{name}: kappa");
}

#[test]
fn every_fixture_equals_the_references() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/spans");
    let mut folders: Vec<PathBuf> = std::fs::read_dir(&root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("expected.json").exists())
        .collect();
    folders.sort();
    assert!(folders.len() >= 25, "only {} fixtures", folders.len());
    folders.iter().for_each(|folder| check(folder));
}
