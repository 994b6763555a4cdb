//! Scores of concepts. `tests/fixtures/concepts/sets.jsonl` holds random documents and what sets and scikit-learn 1.9.1
//! give of them (tests/reference/concepts.py).
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::report::{ClassScore, ConceptReport, Value};
use clinscore::{Options, Report};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;

type Span = (i64, i64, String, Vec<String>);

#[derive(Deserialize)]
struct Golden {
    documents: Vec<Document>,
    expected: Option<Expected>,
}

#[derive(Deserialize)]
struct Document {
    gold: Vec<Span>,
    pred: Vec<Span>,
}

#[derive(Deserialize)]
struct Expected {
    counts: [u64; 2],
    overall: Scores,
    per_label: BTreeMap<String, Scores>,
}

/// Matched, correct, accuracy; and of the sets: correct, predicted, gold, precision, recall, F1.
#[derive(Deserialize, Debug)]
struct Scores {
    accuracy: (u64, u64, Option<f64>),
    spans: (u64, u64, u64, Option<f64>, Option<f64>, Option<f64>),
    documents: (u64, u64, u64, Option<f64>, Option<f64>, Option<f64>),
}

impl PartialEq for Scores {
    /// Counts are equal, and values but for the last bits: scikit-learn does not simply divide.
    fn eq(&self, other: &Self) -> bool {
        let counts = |s: &Self| (s.accuracy.0, s.accuracy.1, [s.spans, s.documents].map(|x| (x.0, x.1, x.2)));
        let values = |s: &Self| {
            let [a, b] = [s.spans, s.documents].map(|x| [x.3, x.4, x.5]);
            [[s.accuracy.2, None, None], a, b].concat()
        };
        let near = |(a, b): (&Option<f64>, &Option<f64>)| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= 4.0 * f64::EPSILON * a.abs(),
            _ => a == b,
        };
        counts(self) == counts(other) && values(self).iter().zip(&values(other)).all(near)
    }
}

fn of_sets(score: &ClassScore) -> (u64, u64, u64, Option<f64>, Option<f64>, Option<f64>) {
    let ClassScore { correct, predicted, gold, precision, recall, f1 } = score;
    (*correct, *predicted, *gold, precision.value, recall.value, f1.value)
}

fn scores(m: u64, c: u64, a: &Value, spans: &ClassScore, documents: &ClassScore) -> Scores {
    Scores { accuracy: (m, c, a.value), spans: of_sets(spans), documents: of_sets(documents) }
}

fn overall(report: &ConceptReport) -> Scores {
    scores(report.matched, report.correct, &report.accuracy, &report.spans, &report.documents)
}

fn per_label(report: &ConceptReport) -> BTreeMap<String, Scores> {
    let of = |label: &clinscore::report::ConceptLabel| {
        scores(label.matched, label.correct, &label.accuracy, &label.spans, &label.documents)
    };
    report.per_label.iter().map(|label| (label.label.clone(), of(label))).collect()
}

fn jsonl<'d>(documents: impl Iterator<Item = &'d Vec<Span>>) -> String {
    let record = |(id, spans): (usize, &Vec<Span>)| {
        let entities: Vec<_> = spans
            .iter()
            .map(|(start, end, label, concepts)| {
                json!({"start": start, "end": end, "label": label, "concept_id": concepts})
            })
            .collect();
        json!({"id": id.to_string(), "text": "abcdefgh", "entities": entities}).to_string() + "\n"
    };
    documents.enumerate().map(record).collect()
}

fn optimal() -> Options {
    Options { definition: Some("optimal".into()), ..Options::default() }
}

fn score(gold: &str, pred: &str, options: &Options) -> Report {
    common::score(&[("g.jsonl", gold.as_bytes())], &[("p.jsonl", pred.as_bytes())], options)
}

fn notes(report: &Report) -> Vec<&str> {
    let of = report.systems[0].notes.iter().filter(|note| note.kind.starts_with("concept"));
    of.map(|note| note.message.as_str()).collect()
}

#[test]
fn what_sets_give() {
    let goldens = std::fs::read_to_string(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/concepts/sets.jsonl"),
    );
    let mut scored = 0;
    for (at, line) in goldens.unwrap().lines().enumerate() {
        let golden: Golden = serde_json::from_str(line).unwrap();
        let gold = jsonl(golden.documents.iter().map(|document| &document.gold));
        let pred = jsonl(golden.documents.iter().map(|document| &document.pred));
        // Neither how spans are paired nor what is cleaned up changes the sets.
        for options in [Options::default(), optimal()] {
            let report = score(&gold, &pred, &options);
            let found = &report.systems[0].concepts;
            assert_eq!(found.is_some(), golden.expected.is_some(), "line {}", at + 1);
            if let (Some(found), Some(expected)) = (found, &golden.expected) {
                scored += 1;
                assert_eq!([found.gold, found.predicted], expected.counts, "line {}", at + 1);
                assert_eq!(overall(found), expected.overall, "line {}", at + 1);
                assert_eq!(per_label(found), expected.per_label, "line {}", at + 1);
            }
        }
    }
    assert!(scored > 80, "{scored}");
}

#[test]
fn concepts_of_one_side_are_noted() {
    let with = r#"{"id":"1","text":"ab","entities":[{"start":0,"end":1,"label":"x","cui":"C1"}]}"#;
    let without = r#"{"id":"1","text":"ab","entities":[{"start":0,"end":1,"label":"x","cui":"-1"}]}"#;
    for (gold, pred, expected) in [
        (
            with,
            without,
            &["1 gold span carries concepts and no predicted one does: concepts are not scored."][..],
        ),
        (
            without,
            with,
            &["1 predicted span carries concepts and no gold one does: concepts are not scored."],
        ),
        (without, without, &[]),
        (with, with, &[]),
    ] {
        let report = score(gold, pred, &Options::default());
        assert_eq!(notes(&report), expected);
        assert_eq!(report.systems[0].concepts.is_some(), gold == pred && gold == with);
    }
}

#[test]
fn prefixes_are_kept_and_noted() {
    let side = |id: &str| {
        json!({"id": "1", "text": "ab", "entities": [{"start": 0, "end": 1, "label": "x", "cui": id}]})
            .to_string()
    };
    let report = score(&side("MESH:D1"), &side("D1"), &Options::default());
    let concepts = report.systems[0].concepts.as_ref().unwrap();
    assert_eq!((concepts.matched, concepts.correct, concepts.accuracy.value), (1, 0, Some(0.0)));
    let expected =
        "1 matched span has concepts that are equal but for a prefix such as MESH: they count as different.";
    assert_eq!(notes(&report), [expected]);
}

#[test]
fn spans_that_are_not_scored_do_not_count() {
    let gold = r#"{"id":"1","text":"abc","entities":[{"start":0,"end":1,"label":"x","cui":"C1"},{"start":1,"end":2,"label":"y","cui":"C2"}]}
{"id":"2","text":"abc","entities":[{"start":0,"end":1,"label":"x","cui":"C3"}]}"#;
    let pred = r#"{"id":"1","text":"abc","entities":[{"start":0,"end":1,"label":"x","cui":"C1"},{"start":1,"end":2,"label":"y","cui":"C9"},{"start":2,"end":2,"label":"x","cui":"C8"}]}
{"id":"3","text":"abc","entities":[{"start":0,"end":1,"label":"x","cui":"C3"}]}"#;
    let labels = Some(vec!["x".to_owned()]);
    let of = |options: Options| {
        let report = score(gold, pred, &Options { labels: labels.clone(), ..options });
        let concepts = report.systems[0].concepts.clone().unwrap();
        (of_sets(&concepts.spans), concepts.per_label.len())
    };
    // Document 2 has no prediction and 3 no gold; an unusable prediction is spurious.
    for options in [Options::default(), optimal()] {
        assert_eq!(of(options), ((1, 2, 2, Some(0.5), Some(0.5), Some(0.5)), 1));
    }
    let common = Options { common_only: true, ..Options::default() };
    assert_eq!(of(common), ((1, 2, 1, Some(0.5), Some(1.0), Some(2.0 / 3.0)), 1));
}

#[test]
fn discontinuous_spans_by_what_the_definition_knows() {
    let text = b"Cerebellar and oculomotor dysfunction persisted.";
    let gold = b"T1\tDisease 0 10;26 37\tx\nN1\tReference T1 MESH:D1\tx\n";
    let pred = b"T1\tDisease 0 37\tx\nN1\tReference T1 MESH:D1\tx\n";
    for (options, matched) in [(Options::default(), 1), (optimal(), 0)] {
        let gold: &[(&str, &[u8])] = &[("g/d.ann", gold), ("g/d.txt", text)];
        let report = common::score(gold, &[("p/d.ann", pred), ("p/d.txt", text)], &options);
        let concepts = report.systems[0].concepts.as_ref().unwrap();
        assert_eq!((concepts.matched, concepts.documents.correct), (matched, 1));
        assert_eq!(concepts.accuracy.defined, matched == 1);
    }
}

const NOTE_NLP: &str = "note_nlp_id,note_id,offset,lexical_variant,note_nlp_concept_id,note_nlp_source_concept_id,term_exists,domain_id\n";

/// Gold and predictions as NOTE_NLP tables, the texts elsewhere.
#[test]
fn two_note_nlp_tables() {
    let gold = format!(
        "{NOTE_NLP}1,77,6,asthma,317009,45576876,Y,Condition\n2,77,20,aspirin,1112807,0,Y,Drug\n3,78,0,fever,437663,0,Y,Condition\n4,78,9,MRI,0,0,Y,Procedure\n"
    );
    let pred = format!(
        "{NOTE_NLP}1,78,0,fever,4141062,0,Y,condition\n2,78,9,MRI,4013636,0,Y,procedure\n3,77,6,asthma,317009,0,Y,condition\n4,77,20,aspirin,1112807,0,Y,drug\n5,77,40,cough,254761,0,Y,condition\n"
    );
    let map = json!({"Condition": "condition", "Drug": "drug", "Procedure": "procedure"});
    let options: Options = serde_json::from_value(json!({"map": map})).unwrap();
    let report = common::score(&[("g.csv", gold.as_bytes())], &[("p.csv", pred.as_bytes())], &options);
    assert_eq!(common::strict(&report), [4, 1, 0]);
    let concepts = report.systems[0].concepts.as_ref().unwrap();
    assert_eq!((concepts.gold, concepts.predicted), (3, 5));
    assert_eq!((concepts.matched, concepts.correct), (3, 2));
    let pairs = (2, 5, 3, Some(0.4), Some(2.0 / 3.0), Some(0.5));
    assert_eq!((of_sets(&concepts.spans), of_sets(&concepts.documents)), (pairs, pairs));
    let domains: Vec<_> = concepts.per_label.iter().map(|l| (l.label.as_str(), l.domain)).collect();
    let expected =
        [("condition", Some("Condition")), ("drug", Some("Drug")), ("procedure", Some("Procedure"))];
    assert_eq!(domains, expected);
    let markdown = report.output("markdown").unwrap();
    assert!(markdown.contains("| condition | Condition | 2 | 1 | 0.5000 |"), "{markdown}");
    assert!(report.output("csv").unwrap().contains("\"concepts of documents, micro avg\""));
}

/// The same annotations from two formats: PubTator separates ids as the infons of BioC do.
#[test]
fn formats_of_one_corpus_agree() {
    let Some(shared) = common::shared() else { return };
    let read = |path: &str| std::fs::read(shared.join("data").join(path)).unwrap();
    let (table, xml) = (read("biored/Test.PubTator"), read("biored/Test.BioC.XML"));
    let report = common::score(&[("g.txt", &table)], &[("p.xml", &xml)], &Options::default());
    let concepts = report.systems[0].concepts.as_ref().unwrap();
    assert_eq!((concepts.gold, concepts.predicted), (3523, 3523));
    assert_eq!((concepts.matched, concepts.correct), (3523, 3523));
    assert_eq!((concepts.spans.f1.value, concepts.documents.f1.value), (Some(1.0), Some(1.0)));
}
