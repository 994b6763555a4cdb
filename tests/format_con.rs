//! i2b2 concepts by line and token.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::Options;
use clinscore::corpus::Corpus;
use common::{Doc, as_docs, docs, every_prefix, problems, read, score, shared, spans, text};
use proptest::prelude::*;

fn span(start: i64, end: i64, label: &str) -> (String, i64, i64, String) {
    ("d1".into(), start, end, label.into())
}

fn load(con: &str, text: &str) -> Corpus {
    read(&[("d1.con", con.as_bytes()), ("d1.txt", text.as_bytes())])
}

/// Everything that problems say, with their kinds and lines.
fn said(corpus: &Corpus) -> Vec<(&'static str, u64, String)> {
    let kinds = corpus.problems.by_kind();
    let list = kinds.iter().flat_map(|(kind, _, list)| list.iter().map(move |problem| (kind, problem)));
    list.map(|(kind, problem)| {
        (kind.name(), problem.place.line, format!("{} / {}", problem.found, problem.expected))
    })
    .collect()
}

#[test]
fn lines_from_one_and_tokens_from_zero() {
    let note = "Admission :\r\n\u{a0}1 .  Acute  Renal\tfailure 😖 .\r\n\r\nHe said \"stop\" to\r\nit .";
    let con = "c=\"acute renal failure\" 2:2 2:4||t=\"problem\"\r\nc=\"😖\" 2:5 2:5||t=\"test\"\r\n\r\n\
               c=\"said \"stop\" to it\" 4:1 5:0||t=\"treatment\"\r\nc=\"admission\" 1:0 1:0||t=\"problem\"||a=\"present\"\r\n";
    let corpus = load(con, note);
    assert_eq!(corpus.files[0].format, Some("con"));
    let at = |needle: &str| note[..note.find(needle).unwrap()].chars().count() as i64;
    assert_eq!(
        spans(&corpus),
        [
            span(at("Acute"), at(" 😖"), "problem"),
            span(at("😖"), at("😖") + 1, "test"),
            span(at("said"), at(" ."), "treatment").clone(),
            span(0, 9, "problem"),
        ]
        .map(|(id, start, end, label)| if label == "treatment" {
            (id, start, at("it .") + 2, label)
        } else {
            (id, start, end, label)
        })
    );
    // The format folds case and white space itself.
    assert_eq!(problems(&corpus), []);
    assert_eq!(text(&corpus, 0).unwrap(), note);
    let more = corpus.detail(&corpus.spans[3]).unwrap().more.as_deref().unwrap();
    assert_eq!(more.attributes, [("assertion".to_owned(), "present".to_owned())]);
    assert!(more.grid.is_empty());
}

#[test]
fn the_reading_that_agrees() {
    let note = "a  b c d";
    // Runs of white space; single spaces, where a double one makes an empty token; neither.
    assert_eq!(spans(&load("c=\"c\" 1:2 1:2||t=\"x\"", note)), [span(5, 6, "x")]);
    assert_eq!(spans(&load("c=\"c\" 1:3 1:3||t=\"x\"", note)), [span(5, 6, "x")]);
    assert_eq!(spans(&load("c=\"d\" 1:4 1:4||t=\"x\"", note)), [span(7, 8, "x")]);
    let corpus = load("c=\"c\" 1:2 1:2||t=\"x\"\nc=\"z\" 1:1 1:2||t=\"x\"", note);
    assert_eq!(spans(&corpus)[1], span(3, 6, "x"));
    assert_eq!(
        said(&corpus).iter().map(|(kind, line, _)| (*kind, *line)).collect::<Vec<_>>(),
        [("surface_differs", 2)]
    );
}

#[test]
fn predictions_count_in_gold_s_text() {
    let note = "Acute  renal failure .\nPain";
    let gold = [
        ("d1.con", &b"c=\"acute renal\" 1:0 1:1||t=\"x\"\nc=\"pain\" 2:0 2:0||t=\"y\"\n"[..]),
        ("d1.txt", note.as_bytes()),
    ];
    let pred = [("d1.con", &b"c=\"acute renal\" 1:0 1:1||t=\"x\"\nc=\"failure\" 1:2 1:2||t=\"x\"\n"[..])];
    let report = score(&gold, &pred, &Options::default());
    let strict = &report.systems[0].spans.as_ref().unwrap().overall.strict;
    assert_eq!((strict.correct, strict.spurious, strict.missed), (1, 1, 1));
    // And against another format.
    let json =
        br#"{"id": "d1", "text": "Acute  renal failure .\nPain", "entities": [[0, 12, "x"], [13, 20, "x"]]}"#;
    let report = score(&[("g.jsonl", json)], &pred, &Options::default());
    assert_eq!(report.systems[0].spans.as_ref().unwrap().overall.strict.correct, 2);
    // Without any text there is nothing to count in.
    let corpus = read(&pred);
    assert_eq!(
        problems(&corpus).iter().find(|(kind, _)| *kind == "not_converted"),
        Some(&("not_converted", 2))
    );
    assert!(corpus.spans.iter().all(|span| corpus.detail(span).unwrap().unplaced));
}

#[test]
fn texts_in_a_folder_of_their_own() {
    let corpus = read(&[
        ("beth/concept/r1.con", b"c=\"a\" 1:0 1:0||t=\"x\"\n"),
        ("beth/concept/r2.con", b"c=\"b\" 1:0 1:0||t=\"x\"\n"),
        ("beth/txt/r1.txt", b"a"),
        ("beth/txt/r2.txt", b" b"),
    ]);
    assert_eq!(spans(&corpus), [("r1".into(), 0, 1, "x".into()), ("r2".into(), 1, 2, "x".into())]);
    assert_eq!(problems(&corpus), []);
}

#[test]
fn medication_lines() {
    let note = "Take aspirin 81 mg , once daily\npo for two days .";
    let con = "m=\"aspirin\" 1:1 1:1||do=\"81 mg\" 1:2 1:3||mo=\"po\" 2:0 2:0||f=\"once daily\" 1:5 1:6||du=\"two days\" 2:2 2:3||r=\"nm\"||ln=\"list\"\n\
               m=\"take daily\" 1:0 1:0,1:6 1:6||do=\"nm\"||mo=\"nm\"||f=\"nm\"||du=\"nm\"||r=\"nm\"||e=\"stop\"||ln=\"narrative\"\n";
    let corpus = load(con, note);
    assert_eq!(
        spans(&corpus),
        [
            span(5, 12, "medication"),
            span(13, 18, "dosage"),
            span(32, 34, "mode"),
            span(21, 31, "frequency"),
            span(39, 47, "duration"),
            span(0, 31, "medication"),
        ]
    );
    assert_eq!(corpus.detail(&corpus.spans[5]).unwrap().fragments, [(0, 4), (26, 31)]);
    assert_eq!(problems(&corpus), [("discontinuous", 1)]);
}

#[test]
fn detection_and_problems() {
    let corpus = load(
        "c=\"secret\" 1:0 1:0||t=\"x\"\nc=\"secret\" 1:0||t=\"x\"\nsecret\nc=\"secret\" 1:0 1:0||t=\"\"\nc=\"secret\" 9:0 9:1||t=\"x\"\n\
         c=\"secret\" 1:0 1:9||t=\"x\"\nc=\"secret\" 0:0 0:0||t=\"x\"\nc=\"secret\" 1:0 1:0||r=\"TrIP\"||c=\"secret\" 1:0 1:0\n\
         c=\"secret\" 1:0 1:0||t=\"x\"\nc=\"secret\" 1:0 1:0||t=\"x\"\nc=\"secret\" 1:0 1:0||t=\"x\"\n",
        "Secret\n",
    );
    // Half the lines are not as they should be: chosen by the extension.
    assert_eq!(corpus.files[0].format, Some("con"));
    let found: Vec<_> = said(&corpus).into_iter().map(|(kind, line, _)| (kind, line)).collect();
    assert_eq!(
        found,
        [
            ("bad_span", 2),
            ("bad_span", 3),
            ("bad_span", 4),
            ("relation", 8),
            ("not_in_text", 5),
            ("not_in_text", 6),
            ("not_in_text", 7)
        ]
    );
    assert!(said(&corpus).iter().all(|(_, _, words)| !words.contains("secret")), "{:?}", said(&corpus));
    let whole = read(&[("x", b"\nc=\"a\" 1:0 1:0||t=\"x\"\n")]);
    assert_eq!(whole.files[0].format, Some("con"));
    assert_eq!(read(&[("x", b"c=\"a\"\n")]).files[0].format, None);
    // Annotated, nothing found.
    let empty = read(&[("d1.con", b""), ("d1.txt", b"a")]);
    assert_eq!((empty.documents.len(), empty.spans.len()), (1, 0));
}

#[test]
fn a_cut_at_every_byte() {
    let con = "c=\"a\" 1:0 1:0||t=\"x\"\nc=\"b c\" 1:1 2:0||t=\"y\"\n";
    every_prefix("d1.con", con.as_bytes(), &[("d1.txt", b"A b\nc")], &[con.len()]);
    let cut = load(&con[..30], "A b\nc");
    assert!(said(&cut)[0].2.contains("cut off"));
}

/// The line and token at which a word starts, and the one at which it ends.
fn token(text: &str, at: i64, end: bool) -> (usize, usize) {
    let chars: Vec<char> = text.chars().collect();
    let at = at as usize - usize::from(end);
    let line = chars[..at].iter().filter(|&&c| c == '\n').count();
    let start = chars[..at].iter().rposition(|&c| c == '\n').map_or(0, |at| at + 1);
    let before: String = chars[start..at + 1].iter().collect();
    (line + 1, before.split_whitespace().count() - 1)
}

proptest! {
    #[test]
    fn round_trip(docs in docs(true, 1)) {
        let write = |doc: &Doc| -> String {
            let line = |(fragments, label): &(Vec<(i64, i64)>, String)| {
                let range = fragments[0];
                let ((l, t), (m, u)) = (token(&doc.text, range.0, false), token(&doc.text, range.1, true));
                let own = doc.slice(range).to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
                format!("c=\"{own}\" {l}:{t} {m}:{u}||t=\"{label}\"\n")
            };
            doc.spans.iter().map(line).collect()
        };
        let mut files: Vec<(String, String)> = Vec::new();
        for doc in &docs {
            files.push((format!("{}.con", doc.id), write(doc)));
            files.push((format!("{}.txt", doc.id), doc.text.clone()));
        }
        let given: Vec<(&str, &[u8])> = files.iter().map(|(n, b)| (n.as_str(), b.as_bytes())).collect();
        let corpus = read(&given);
        prop_assert_eq!(as_docs(&corpus), docs);
        prop_assert_eq!(problems(&corpus), []);
    }
}

/// What is put into files.
fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let con =
        "c=\"a\" 1:0 1:0||t=\"x\"\nc=\"b c\" 2:0 2:1||t=\"y\"||a=\"z\"\nm=\"b\" 2:0 2:0,2:1 2:1||do=\"nm\"\n";
    vec![("x.con", con.as_bytes().to_vec())]
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_listed(
        at: prop::sample::Index,
        junk in prop::sample::select(common::JUNK),
        cut in 0_usize..3,
        again: prop::sample::Index,
    ) {
        for (name, bytes) in samples() {
            common::damaged_is_read(name, bytes, junk, &at, cut, &again);
        }
    }
}

#[test]
fn real() {
    let Some(shared) = shared() else { return };
    let bytes = |name: &str| std::fs::read(shared.join("data/i2b2-con").join(name)).unwrap();
    for (name, count) in [("ex_doc", 58), ("single", 1)] {
        let (con, note) = (bytes(&format!("{name}.con")), bytes(&format!("{name}.txt")));
        let corpus = read(&[(&format!("{name}.con"), &con), (&format!("{name}.txt"), &note)]);
        // As many spans as lines, and every quoted text stands where the line says.
        assert_eq!((corpus.spans.len(), problems(&corpus)), (count, vec![]), "{name}");
    }
}
