//! brat: what its lines say beyond spans, entities and events in two files, real folders.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::corpus::{Argument, Corpus};
use common::{Doc, as_docs, problems, read, spans, text};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

fn span(id: &str, start: i64, end: i64, label: &str) -> (String, i64, i64, String) {
    (id.to_owned(), start, end, label.to_owned())
}

/// Relations as `label role=start …`.
fn relations(corpus: &Corpus) -> Vec<String> {
    let argument = |(role, argument): &(String, Argument)| match argument {
        Argument::Span(at) => format!(" {role}={}", corpus.spans[*at as usize].start),
        Argument::Concept(id) => format!(" {role}={id}"),
    };
    let all = corpus.relations.iter();
    all.map(|relation| relation.label.clone() + &relation.arguments.iter().map(argument).collect::<String>())
        .collect()
}

fn attributes(corpus: &Corpus, span: usize) -> Vec<String> {
    let detail = corpus.detail(&corpus.spans[span]).cloned().unwrap_or_default();
    let more = detail.more.unwrap_or_default();
    more.attributes.iter().map(|(name, value)| format!("{name}={value}")).collect()
}

fn concepts(corpus: &Corpus, span: usize) -> Vec<String> {
    corpus.detail(&corpus.spans[span]).and_then(|detail| detail.more.clone()).unwrap_or_default().concepts
}

/// The files of a folder, with their paths under it.
fn folder(root: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut left = vec![root.to_path_buf()];
    while let Some(at) = left.pop() {
        for entry in std::fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
                files.push((name, std::fs::read(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

fn read_folder(root: &Path) -> Corpus {
    let files = folder(root);
    let given: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])).collect();
    read(&given)
}

#[test]
fn lines_about_spans_are_kept() {
    let ann = "A1\tNegated T1\nT1\tDrug 0 7\tAspirin\nT2\tSign 12 18;22 26\tangina pain\nT3\tDose 27 29\tmg\n\
               A2\tCertainty T2 possible\nM1\tSpeculation E1\nN1\tReference T1 UMLS:C0004057\tAspirin\nN2\tReference T2 ICD:I20\tx\nN3\tReference T2 ICD:I21\n\
               E1\tTreat:T1 Theme:T2 Dose2:T3\nE2\tCause:T2 Cause:E1\nR1\tReason-Drug Arg1:T2 Arg2:T1\n*\tEquiv T1 T2 T3\n\
               #1\tAnnotatorNotes T1\tsecret 8041/3\n";
    let note = "Aspirin for angina or pain mg";
    let corpus = read(&[("a.ann", ann.as_bytes()), ("a.txt", note.as_bytes())]);
    assert_eq!(
        spans(&corpus),
        [span("a", 0, 7, "Drug"), span("a", 12, 26, "Sign"), span("a", 27, 29, "Dose")]
    );
    assert_eq!(attributes(&corpus, 0), ["Negated=true", "Speculation=true"]);
    assert_eq!(attributes(&corpus, 1), ["Certainty=possible"]);
    assert_eq!(
        (concepts(&corpus, 0), concepts(&corpus, 1)),
        (vec!["UMLS:C0004057".into()], vec!["ICD:I20".into(), "ICD:I21".into()])
    );
    assert_eq!(
        relations(&corpus),
        [
            "Treat trigger=0 Theme=12 Dose2=27",
            "Cause trigger=12 Cause=0",
            "Reason-Drug Arg1=12 Arg2=0",
            "Equiv member=0 member=12 member=27"
        ]
    );
    assert_eq!(
        problems(&corpus),
        [
            ("relation", 1),
            ("event", 2),
            ("attribute", 3),
            ("normalisation", 3),
            ("equivalence", 1),
            ("comment", 1),
            ("discontinuous", 1)
        ]
    );
    assert!(!format!("{:?}{:?}", corpus.relations, corpus.problems).contains("secret"));
}

#[test]
fn lines_that_name_nothing_are_listed() {
    let ann = "T1\tDrug 0 7\tAspirin\nA1\tNegated T9\nA2\tNegated\nN1\tReference T9 X:1\tsecret\nR1\tOf Arg1:T1 Arg2:T9\n\
               R2\tOf T1\nE1\tDrug:T9 Theme:T1\n*\tEquiv T1 T9\nA3\tX R1\nR12-34 secret\n";
    let corpus = read(&[("a.ann", ann.as_bytes())]);
    assert_eq!((spans(&corpus).len(), corpus.relations.len()), (1, 0));
    assert!(attributes(&corpus, 0).is_empty() && concepts(&corpus, 0).is_empty());
    let found: Vec<_> = corpus
        .problems
        .by_kind()
        .iter()
        .flat_map(|(kind, _, list)| {
            list.iter()
                .map(|problem| (kind.name(), problem.place.line, problem.found.contains("left out")))
                .collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(
        found,
        [
            // Behind a line that is no span, nothing can be continued.
            ("bad_record", 10, false),
            ("relation", 5, true),
            ("relation", 6, true),
            ("event", 7, true),
            ("attribute", 2, true),
            ("attribute", 3, true),
            // A relation's attribute has no span.
            ("attribute", 9, true),
            ("normalisation", 4, true),
            ("equivalence", 8, true),
        ]
    );
    assert!(!format!("{:?}", corpus.problems).contains("secret"));
}

#[test]
fn entities_and_events_in_two_files() {
    let a1 = "T1\tProtein 0 3\tp53\nT2\tProtein 13 17\tMDM2\n";
    let a2 = "T3\tBinding 4 9\tbinds\nE1\tBinding:T3 Theme:T1 Theme2:T2\nM1\tNegation E1\n*\tEquiv T1 T2\n";
    let note = "p53 binds to MDM2";
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let files: [(&str, &[u8]); 3] =
            [("set/x.a1", a1.as_bytes()), ("set/x.a2", a2.as_bytes()), ("set/x.txt", note.as_bytes())];
        let given: Vec<_> = order.into_iter().map(|at| files[at]).collect();
        let corpus = read(&given);
        assert_eq!(
            spans(&corpus),
            [span("x", 0, 3, "Protein"), span("x", 13, 17, "Protein"), span("x", 4, 9, "Binding")]
        );
        assert_eq!(relations(&corpus), ["Binding trigger=4 Theme=0 Theme2=13", "Equiv member=0 member=13"]);
        assert_eq!(attributes(&corpus, 2), ["Negation=true"]);
        assert_eq!((corpus.documents.len(), text(&corpus, 0).unwrap()), (1, note.to_owned()));
        assert_eq!(problems(&corpus), [("event", 1), ("attribute", 1), ("equivalence", 1)]);
    }
    // Alone, or beside an empty file, each is a document.
    let corpus = read(&[("x.a2", b"T1\tX 0 1\ta\n"), ("y.a1", b"T1\tX 0 1\ta\n"), ("x.a1", b" ")]);
    let mut ids: Vec<String> = spans(&corpus).into_iter().map(|span| span.0).collect();
    ids.sort();
    assert_eq!(ids, ["x", "y"]);
}

#[test]
fn own_texts_with_line_breaks_are_still_brats() {
    // Most lines are none of brat's by themselves, and look like a token with a tag.
    let note = "x O\nB\nO\nI";
    let corpus = read(&[("a.ann", b"T1\tDrug 2 9\tO\nB\nO\nI\n"), ("a.txt", note.as_bytes())]);
    assert_eq!((spans(&corpus), corpus.files[0].format), (vec![span("a", 2, 9, "Drug")], Some("brat")));
    assert_eq!(problems(&corpus), [("continuation", 3)]);
}

#[test]
fn n2c2_2018_track_2() {
    let ann = "T1\tReason 10 25\tstomach ulcers \nT2\tDrug 27 40\tomeprazole 20\nR1\tReason-Drug Arg1:T1 Arg2:T2\nT3\tStrength 38 40\t20\nR2\tStrength-Drug Arg1:T3 Arg2:T2\n";
    let corpus = read(&[("100035.ann", ann.as_bytes())]);
    assert_eq!(spans(&corpus).len(), 3);
    assert_eq!(relations(&corpus), ["Reason-Drug Arg1=10 Arg2=27", "Strength-Drug Arg1=38 Arg2=27"]);
}

#[test]
fn three_annotators() {
    let Some(shared) = common::shared() else { return };
    let root = shared.join("data/bratiaa/example-project");
    for annotator in ["Lisa", "Maria", "Peter", "Max"] {
        let files = folder(&root.join(annotator));
        // T lines, counted without the reader.
        let mut wanted: BTreeMap<String, usize> = BTreeMap::new();
        for (name, bytes) in files.iter().filter(|(name, _)| name.ends_with(".ann")) {
            let count = String::from_utf8_lossy(bytes).lines().filter(|line| line.starts_with('T')).count();
            wanted.insert(name.trim_end_matches(".ann").to_owned(), count);
        }
        let corpus = read_folder(&root.join(annotator));
        let found: BTreeMap<String, usize> = corpus
            .documents
            .iter()
            .map(|document| (document.id.clone(), corpus.spans_of(document).len()))
            .collect();
        assert_eq!(found, wanted, "{annotator}");
        assert!(found.len() >= 7 && found.values().sum::<usize>() > 0);
        assert!(
            problems(&corpus)
                .iter()
                .all(|problem| !matches!(problem.0, "bad_span" | "bad_record" | "surface_differs")),
            "{annotator}: {:?}",
            problems(&corpus)
        );
    }
    // The whole project: each annotator's documents under the annotator's folder.
    let corpus = read_folder(&root);
    assert!(corpus.documents.iter().any(|document| document.id == "Lisa/esp.train-doc-46"));
}

#[test]
fn chia_and_chemu() {
    let Some(shared) = common::shared() else { return };
    let archive = std::fs::read(shared.join("data/chia/chia_with_scope.zip")).unwrap();
    let corpus = read(&[("chia.zip", &archive)]);
    // The counts of the data's README.
    let fragments =
        |span: &&clinscore::corpus::Span| corpus.detail(span).is_some_and(|d| d.fragments.len() > 1);
    let apart = corpus.spans.iter().filter(fragments).count();
    assert_eq!((corpus.documents.len(), corpus.spans.len(), apart), (2_000, 48_870, 1_822));
    let uses = corpus.label_uses();
    let count = |name: &str| corpus.labels.names().iter().position(|label| label == name).map(|at| uses[at]);
    for (name, wanted) in
        [("Condition", 12_039), ("Drug", 3_801), ("Procedure", 3_595), ("Measurement", 3_305)]
    {
        assert_eq!(count(name), Some(wanted), "{name}");
    }
    // Counted by a script: 19,304 R lines, 4,968 equivalences and 316 attributes, all of spans that are there.
    assert_eq!(corpus.relations.len(), 19_304 + 4_968);
    let attributes: usize = (0..corpus.spans.len()).map(|span| attributes(&corpus, span).len()).sum();
    assert_eq!(attributes, 316);
    let corpus = read_folder(&shared.join("data/chemu/gold"));
    assert!(corpus.documents.iter().all(|document| document.digest.is_some()));
    assert_eq!(corpus.spans.len(), 770);
}

fn write(doc: &Doc) -> String {
    let mut out = String::new();
    for (number, (fragments, label)) in doc.spans.iter().enumerate() {
        let offsets: Vec<String> = fragments.iter().map(|(start, end)| format!("{start} {end}")).collect();
        let own: Vec<String> = fragments.iter().map(|range| doc.slice(*range)).collect();
        out += &format!("T{}\t{label} {}\t{}\n", number + 1, offsets.join(";"), own.join(" "));
        out += &format!("A{0}\tNumber T{0} {0}\n", number + 1);
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn round_trips(docs in common::docs(true, 3)) {
        let files: Vec<(String, String)> = docs.iter().flat_map(|doc| {
            [(format!("{}.ann", doc.id), write(doc)), (format!("{}.txt", doc.id), doc.text.clone())]
        }).collect();
        let given: Vec<(&str, &[u8])> = files.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
        let corpus = read(&given);
        prop_assert_eq!(as_docs(&corpus), docs);
        for document in &corpus.documents {
            for (number, at) in document.spans.clone().enumerate() {
                prop_assert_eq!(attributes(&corpus, at as usize), [format!("Number={}", number + 1)]);
            }
        }
    }
}

#[test]
fn a_cut_at_every_byte() {
    let ann = "T1\tDrug 0 7\tAspirin\nA1\tNegated T1\nR1\tOf Arg1:T1 Arg2:T2\nT2\tSign 12 18\tangina\nE1\tDrug:T1 Theme:T2\n";
    common::every_prefix("a.ann", ann.as_bytes(), &[("a.txt", b"Aspirin for angina")], &[ann.len()]);
}
