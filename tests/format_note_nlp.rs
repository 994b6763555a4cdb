//! OMOP's NOTE_NLP table.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::corpus::{Corpus, More};
use common::{Doc, as_docs, docs, every_prefix, problems, read, spans};
use proptest::prelude::*;

const HEADER: &str = "note_nlp_id,note_id,section_concept_id,snippet,offset,lexical_variant,note_nlp_concept_id,\
note_nlp_source_concept_id,nlp_system,nlp_date,nlp_datetime,term_exists,term_temporal,term_modifiers";

fn span(id: &str, start: i64, end: i64, label: &str) -> (String, i64, i64, String) {
    (id.to_owned(), start, end, label.to_owned())
}

fn table(content: &str) -> Corpus {
    let corpus = read(&[("note_nlp.csv", content.as_bytes())]);
    assert_eq!(corpus.files[0].format, Some("note-nlp"), "{content}");
    corpus
}

fn more(corpus: &Corpus) -> Vec<More> {
    corpus.spans.iter().map(|span| *corpus.detail(span).unwrap().more.clone().unwrap()).collect()
}

#[test]
fn the_row_of_the_specification() {
    let corpus = table(&format!(
        "{HEADER}\n1,77,0,\"hx of asthma\",6,asthma,317009,0,ctakes,2024-01-01,,Y,Past,\"negation=N\"\n"
    ));
    assert_eq!(spans(&corpus), [span("77", 6, 12, "concept 317009")]);
    assert_eq!(problems(&corpus), [("label_derived", 1)]);
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let expected = More {
        concepts: vec!["317009".into()],
        attributes: vec![pair("temporal", "Past"), pair("negation", "N")],
        ..More::default()
    };
    assert_eq!(more(&corpus), [expected]);
}

#[test]
fn offsets_are_strings() {
    for offset in ["6", "6-12", "6-11", "6.0", "\"6\"", "\"\"\"6\"\"\"", " 6 "] {
        let corpus = table(&format!("{HEADER}\n1,77,0,x,{offset},asthma,317009,0,,,,,,\n"));
        assert_eq!(spans(&corpus), [span("77", 6, 12, "concept 317009")], "{offset}");
    }
    let corpus = table(&format!(
        "{HEADER}\n1,77,0,x,6-12,,317009,0,,,,,,\n2,77,0,x,secret,asthma,317009,0,,,,,,\n3,77,0,x,,asthma,317009,0,,,,,,\n4,77,0,x,6,asthma,,0,,,,,,\n5,,0,x,6,asthma,1,0,,,,,,\n"
    ));
    assert_eq!(spans(&corpus), [span("77", 6, 12, "concept 317009")]);
    assert_eq!(problems(&corpus), [("bad_record", 1), ("bad_span", 3), ("label_derived", 1)]);
    let kinds = corpus.problems.by_kind();
    let lines: Vec<u64> = kinds[1].2.iter().map(|problem| problem.place.line).collect();
    assert_eq!(lines, [3, 4, 5]);
    assert!(kinds.iter().all(|kind| kind.2.iter().all(|problem| !problem.found.contains("secret"))));
}

#[test]
fn headers_of_sql_dumps() {
    let header = HEADER.to_uppercase().replace("OFFSET", "\"\"\"offset\"\"\"");
    let corpus = table(&format!("\u{feff}{header}\r\n1,77,0,x,6,asthma,317009,0,,,,,,\r\n"));
    assert_eq!(spans(&corpus), [span("77", 6, 12, "concept 317009")]);
    let tabs = HEADER.replace(',', "\t") + "\n1\t77\t0\ta, b\t6\tasthma\t317009\t0\t\t\t\t\t\t\n";
    assert_eq!(spans(&table(&tabs)), [span("77", 6, 12, "concept 317009")]);
}

#[test]
fn labels_of_a_domain_column() {
    let corpus = table(&format!(
        "{HEADER},domain_id\n1,77,0,x,6,asthma,317009,4051466,,,,Y,,,Condition\n2,77,0,x,0,ASA,1112807,0,,,,,,,\n"
    ));
    assert_eq!(spans(&corpus), [span("77", 6, 12, "Condition"), span("77", 0, 3, "concept 1112807")]);
    assert_eq!(more(&corpus)[0].concepts, ["317009"]);
    assert_eq!(more(&corpus)[0].attributes, [("source_concept".to_owned(), "4051466".to_owned())]);
    assert_eq!(problems(&corpus), []);
}

#[test]
fn negated_terms_are_kept_and_counted() {
    let corpus = table(&format!(
        "{HEADER}\n1,77,0,x,6,asthma,317009,0,,,,N,,\n2,77,0,x,20,fever,437663,0,,,,Y,,\n3,77,0,x,30,cough,254761,0,,,,,,\n"
    ));
    assert_eq!(corpus.spans.len(), 3);
    assert_eq!(problems(&corpus), [("label_derived", 1), ("negated", 1)]);
    assert_eq!(more(&corpus)[0].attributes, [("negated".to_owned(), "true".to_owned())]);
    assert!(more(&corpus)[1].attributes.is_empty());
    assert!(!clinscore::corpus::problems::Kind::Negated.loses());
}

#[test]
fn scored_against_gold_with_text() {
    let gold = b"{\"id\":\"77\",\"text\":\"hx of asthma\",\"entities\":[[6,12,\"Condition\"]]}";
    let pred = format!("{HEADER},domain_id\n1,77,0,x,6,asthma,317009,0,,,,Y,,,Condition\n");
    let report =
        common::score(&[("g.jsonl", gold)], &[("p.csv", pred.as_bytes())], &clinscore::Options::default());
    assert_eq!(report.systems[0].spans.as_ref().unwrap().overall.strict.correct, 1);
}

fn quoted(cell: &str) -> String {
    if cell.contains(['"', '\n', ',']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.into() }
}

/// One row a span; documents without spans have no row. And where each document ends.
fn write(docs: &[Doc]) -> (String, Vec<usize>) {
    let mut out = format!("{HEADER},domain_id\n");
    let mut ends = Vec::new();
    for doc in docs {
        for (fragments, label) in &doc.spans {
            let own = quoted(&doc.slice(fragments[0]));
            out += &format!("1,{},0,,{},{own},7,0,,,,Y,,,{label}\n", doc.id, fragments[0].0);
        }
        ends.push(out.len());
    }
    (out, ends)
}

/// Without texts, which the table does not have.
fn textless(docs: &[Doc]) -> Vec<Doc> {
    docs.iter()
        .filter(|doc| !doc.spans.is_empty())
        .map(|doc| Doc { text: String::new(), ..doc.clone() })
        .collect()
}

proptest! {
    #[test]
    fn round_trip(docs in docs(true, 1)) {
        let corpus = read(&[("x.csv", write(&docs).0.as_bytes())]);
        prop_assert_eq!(as_docs(&corpus), textless(&docs));
    }
}

#[test]
fn cut_at_every_byte() {
    let doc = |id: &str, text: &str, spans: &[(i64, i64)]| Doc {
        id: id.into(),
        text: text.into(),
        spans: spans.iter().map(|&range| (vec![range], "Condition".to_owned())).collect(),
    };
    let docs = [doc("d0", "a, \"b\"\nc", &[(0, 8), (3, 6)]), doc("d1", "na\u{ef}ve", &[(0, 5)])];
    let (file, ends) = write(&docs);
    every_prefix("x.csv", file.as_bytes(), &[], &ends);
}
