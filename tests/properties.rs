//! Properties that hold for every input.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::align::{Aligner as _, Event, Item, Spans as Sided, nervaluate::Aligner};
use clinscore::corpus::Corpus;
use clinscore::formats::Choices;
use clinscore::report::{Modes, Score};
use clinscore::source::Bytes;
use clinscore::{Options, Role, Workspace};
use common::{problems, read, read_with, score, spans, text};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;
use std::rc::Rc;

fn item() -> impl Strategy<Value = (i64, i64, u32)> {
    let near =
        (-2..40_i64, -3..9_i64, 0..3_u32).prop_map(|(start, length, label)| (start, start + length, label));
    let edge = (0..40_i64, 0..3_u32).prop_map(|(start, label)| (start, i64::MAX, label));
    prop_oneof![20 => near, 1 => edge]
}

fn items(list: Vec<(i64, i64, u32)>) -> Vec<Item> {
    list.into_iter().zip(0..).map(|((start, end, label), span)| Item { start, end, label, span }).collect()
}

fn align(mut aligner: Aligner, gold: &[Item], pred: &[Item]) -> Vec<Event> {
    let mut events = Vec::new();
    let corpus = Corpus::default();
    let side = |items| Sided { items, corpus: &corpus };
    aligner.align(side(gold), side(pred), &mut events);
    events
}

type Spans = Vec<(i64, i64, u8)>;

/// Documents as (text, gold, predicted).
fn documents() -> impl Strategy<Value = Vec<(String, Spans, Spans)>> {
    let span =
        (0..30_i64, 0..8_i64, 0..3_u8).prop_map(|(start, length, label)| (start, start + length, label));
    vec(("[a-c é😀µ\\-_.\\\\\"\n]{0,40}", vec(span.clone(), 0..6), vec(span, 0..6)), 0..6)
}

fn jsonl(documents: &[(usize, String, Spans)]) -> Vec<u8> {
    let mut out = String::new();
    for (id, text, spans) in documents {
        let entities: Vec<_> =
            spans.iter().map(|(s, e, l)| json!({"start": s, "end": e, "label": format!("L{l}")})).collect();
        out += &json!({"id": id.to_string(), "text": text, "entities": entities}).to_string();
        out.push('\n');
    }
    out.into_bytes()
}

fn both(documents: &[(String, Spans, Spans)]) -> (Vec<u8>, Vec<u8>) {
    let side = |pick: fn(&(String, Spans, Spans)) -> &Spans| {
        let list: Vec<_> =
            documents.iter().enumerate().map(|(id, d)| (id, d.0.clone(), pick(d).clone())).collect();
        jsonl(&list)
    };
    (side(|d| &d.1), side(|d| &d.2))
}

fn scores(modes: &Modes) -> [&Score; 4] {
    [&modes.strict, &modes.ent_type, &modes.partial, &modes.exact]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn the_index_gives_what_the_walk_gives(gold in vec(item(), 0..40), pred in vec(item(), 0..40)) {
        let (gold, pred) = (items(gold), items(pred));
        let walk = align(Aligner::with_walked(usize::MAX), &gold, &pred);
        let index = align(Aligner::with_walked(0), &gold, &pred);
        prop_assert_eq!(walk, index);
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in vec(any::<u8>(), 0..300), name in "[a-z]{1,3}\\.(ann|txt|json|zip)") {
        for format in ["auto", "json", "brat", "pubtator"] {
            let choices = Choices { format: format.into(), ..Choices::default() };
            read_with(&[(&name, &bytes)], &choices);
        }
    }

    #[test]
    fn almost_valid_records_are_read_without_panic(
        line in "(\\{\"(id|text|entities|spans|label|tokens|ner_tags|passages)\":(\"[a-z😀\\\\]{0,4}\"|[0-9.]{0,3}|null|\\[\\[?[0-9,\"a]{0,6}\\]?\\]|\\{\"(start|end|label|offsets)\":[0-9\\[\\]]{0,4}\\})\\}?\n){0,4}",
        rows in "(([0-9]\\|[ta]\\|[a-z|]{0,4}|[0-9]\t-?[0-9]{0,2}\t[0-9x]{0,2}\t[a-z]{0,2}\t[A-C]{0,1})\n){0,6}",
        ann in "([TREAN#*][0-9]{0,2}\t[A-Z ]{0,3}[0-9; ]{0,9}\t?[a-z]{0,4}\r?\n){0,6}",
    ) {
        read(&[("a.jsonl", line.as_bytes())]);
        read(&[("a.txt", rows.as_bytes())]);
        read(&[("b.ann", ann.as_bytes()), ("b.txt", line.as_bytes())]);
    }

    #[test]
    fn chunks_do_not_matter(documents in documents()) {
        prop_assume!(!documents.is_empty());
        let (file, _) = both(&documents);
        let whole = read(&[("a.jsonl", &file)]);
        let array = format!("[{}]", String::from_utf8(file.clone()).unwrap().trim_end().replace("}\n{", "},\n{"));
        for chunk in [1, 2, 3, 7, 64] {
            let choices = Choices { chunk, ..Choices::default() };
            for (name, bytes) in [("a.jsonl", &file[..]), ("a.json", array.as_bytes())] {
                let cut = read_with(&[(name, bytes)], &choices);
                prop_assert_eq!(spans(&cut), spans(&whole));
                prop_assert_eq!(problems(&cut), problems(&whole));
                for at in 0..whole.documents.len() {
                    prop_assert_eq!(text(&cut, at), text(&whole, at));
                }
            }
        }
    }

    #[test]
    fn the_quick_way_reads_what_the_general_one_reads(documents in documents()) {
        let (file, _) = both(&documents);
        // Another key in every span, and spans as lists, are beyond the quick way.
        let general = String::from_utf8(file.clone()).unwrap().replace("\"end\":", "\"x\":0,\"end\":");
        let (quick, general) = (read(&[("a.jsonl", &file)]), read(&[("a.jsonl", general.as_bytes())]));
        prop_assert_eq!(spans(&quick), spans(&general));
        prop_assert_eq!(problems(&quick), problems(&general));
    }

    #[test]
    fn the_quick_way_is_as_strict_as_the_general_one(documents in documents(), at in 1_usize..400, byte in 0_u8..128) {
        if documents.is_empty() || byte == b'\n' {
            return Ok(());
        }
        let (mut line, _) = both(&documents[..1]);
        let at = 2 + at % (line.len() - 3);
        line[at] = byte;
        if let Ok(line) = String::from_utf8(line) {
            // Another key in the record is beyond the quick way.
            let general = line.replacen('{', "{\"x\":0,", 1);
            let json = Choices { format: "json".into(), ..Choices::default() };
            let as_json = |line: &str| read_with(&[("a.jsonl", line.as_bytes())], &json);
            let (quick, general) = (as_json(&line), as_json(&general));
            prop_assert_eq!(spans(&quick), spans(&general), "{}", line);
            prop_assert_eq!(quick.documents.len(), general.documents.len());
        }
    }

    #[test]
    fn text_comes_back(documents in documents()) {
        let (file, _) = both(&documents);
        let corpus = read(&[("a.jsonl", &file)]);
        for (at, document) in documents.iter().enumerate() {
            prop_assert_eq!(text(&corpus, at).unwrap(), document.0.clone());
            prop_assert_eq!(corpus.documents[at].digest.unwrap().length, document.0.chars().count() as u64);
        }
    }

    #[test]
    fn gold_against_itself_is_perfect(documents in documents()) {
        prop_assume!(documents.iter().any(|d| !d.1.is_empty()));
        let (gold, _) = both(&documents);
        let report = score(&[("g.jsonl", &gold)], &[("p.jsonl", &gold)], &Options::default());
        let spans = report.systems[0].spans.clone().unwrap();
        for score in scores(&spans.overall) {
            prop_assert_eq!(score.f1.value, Some(1.0));
        }
    }

    #[test]
    fn counts_add_up(documents in documents()) {
        prop_assume!(!documents.is_empty());
        let (gold, pred) = both(&documents);
        let mut workspace = common::workspace(&[("g.jsonl", &gold)], &[("p.jsonl", &pred)]);
        let report = workspace.score(&Options::default(), &mut |_| {}).unwrap().clone();
        let spans = report.systems[0].spans.clone().unwrap();
        let o = spans.outcomes;
        let matched = o.exact + o.other_label + o.overlap + o.overlap_other_label;
        for score in scores(&spans.overall) {
            prop_assert_eq!(score.possible, matched + o.missed);
            prop_assert_eq!(score.actual, matched + o.spurious);
            for value in [score.precision, score.recall, score.f1] {
                prop_assert_eq!(value.defined, value.value.is_some());
                prop_assert!(value.value.is_none_or(|v| (0.0..=1.0).contains(&v)));
            }
        }
        // Every prediction is in exactly one event.
        prop_assert_eq!(spans.overall.strict.actual, report.systems[0].side.spans);
        let by_label = |pick: fn(&Score) -> u64| spans.per_label.iter().map(|l| pick(&l.modes.strict)).sum::<u64>();
        prop_assert_eq!(by_label(|s| s.correct), spans.overall.strict.correct);
        prop_assert_eq!(by_label(|s| s.possible), spans.overall.strict.possible);
        let cells: u64 = spans.confusion.cells.iter().map(|cell| cell.2).sum();
        prop_assert_eq!(cells, matched);
        prop_assert_eq!(spans.confusion.missed.iter().sum::<u64>(), o.missed);
        prop_assert_eq!(spans.confusion.spurious.iter().sum::<u64>(), o.spurious);
        // The error browser shows the same events.
        let answer = workspace.explain(&serde_json::from_value(json!({"system": 0})).unwrap()).unwrap();
        prop_assert_eq!(answer.events, matched + o.missed + o.spurious);
        for name in ["exact", "missed", "spurious"] {
            let query = serde_json::from_value(json!({"system": 0, "outcomes": [name]})).unwrap();
            let answer = workspace.explain(&query).unwrap();
            let count = match name { "exact" => o.exact, "missed" => o.missed, _ => o.spurious };
            prop_assert_eq!(answer.events, count);
            for found in &answer.documents {
                let open = workspace.open(0, found.document).unwrap();
                let here = open.events.iter().filter(|event| event.outcome == name).count() as u64;
                prop_assert_eq!(here, found.events);
            }
        }
    }

    #[test]
    fn document_order_does_not_matter(documents in documents(), seed in any::<u64>()) {
        prop_assume!(!documents.is_empty());
        let numbered: Vec<(usize, &(String, Spans, Spans))> = documents.iter().enumerate().collect();
        let mut shuffled = numbered.clone();
        shuffled.sort_by_key(|(id, _)| (seed.rotate_left(*id as u32 * 7), *id));
        let side = |list: &[(usize, &(String, Spans, Spans))], gold: bool| {
            let list: Vec<_> = list
                .iter()
                .map(|(id, d)| (*id, d.0.clone(), if gold { d.1.clone() } else { d.2.clone() }))
                .collect();
            jsonl(&list)
        };
        let straight = score(
            &[("g.jsonl", &side(&numbered, true))],
            &[("p.jsonl", &side(&numbered, false))],
            &Options::default(),
        );
        let mixed = score(
            &[("g.jsonl", &side(&shuffled, true))],
            &[("p.jsonl", &side(&numbered, false))],
            &Options::default(),
        );
        prop_assert_eq!(straight.output("nervaluate").unwrap(), mixed.output("nervaluate").unwrap());
        prop_assert_eq!(straight.output("sklearn").unwrap(), mixed.output("sklearn").unwrap());
    }
}

#[test]
fn a_cut_at_any_byte_keeps_the_records_before_it() {
    let file = b"{\"id\":\"1\",\"text\":\"caf\xc3\xa9\",\"entities\":[[0,4,\"x\"]]}\n{\"id\":\"2\",\"text\":\"ab\",\"entities\":[[0,1,\"y\"]]}\n";
    let first = file.iter().position(|&b| b == b'\n').unwrap();
    for cut in 0..file.len() {
        let corpus = read(&[("a.jsonl", &file[..cut])]);
        assert!(cut < first || !corpus.documents.is_empty(), "cut at {cut}");
        assert!(corpus.documents.len() <= 2);
    }
    let pubtator = b"1|t|Ab c\n1|a|d\n1\t0\t2\tAb\tX\n\n2|t|x\n2\t0\t1\tx\tY\n";
    for cut in 0..pubtator.len() {
        let corpus = read(&[("a.txt", &pubtator[..cut])]);
        assert!(cut < 27 || !spans(&corpus).is_empty(), "cut at {cut}");
    }
}

#[test]
fn hostile_files_end_quickly() {
    let deep = "[".repeat(3_000_000);
    let nested = format!("{{\"id\":\"1\",\"text\":\"a\",\"x\":{}", "{\"a\":".repeat(1_000_000));
    let long = format!(
        "{{\"id\":\"1\",\"text\":\"{}\",\"entities\":[[4294967296,4294967300,\"x\"]]}}",
        "a ".repeat(1_000_000)
    );
    for file in
        [deep, nested, long, "x".repeat(1_000_000), "1|t|\n".repeat(10_000), "T1\tX 0 1\ta\n".repeat(10_000)]
    {
        let corpus = read(&[("a", file.as_bytes())]);
        assert!(corpus.documents.len() <= 10_000);
    }
    let label = "L".repeat(1 << 20);
    let file =
        format!("{{\"id\":\"1\",\"text\":\"ab\",\"entities\":[[0,1,\"{label}\"],[0,1,\"__proto__\"]]}}\n");
    let report = score(&[("g", file.as_bytes())], &[("p", file.as_bytes())], &Options::default());
    assert_eq!(report.systems[0].spans.clone().unwrap().outcomes.exact, 2);
}

#[test]
fn options_name_what_is_wrong() {
    let gold: &[u8] = b"{\"id\":\"1\",\"text\":\"ab\",\"entities\":[[0,1,\"x\"]]}\n";
    let mut workspace = Workspace::new();
    let nothing = workspace.score(&Options::default(), &mut |_| {}).unwrap_err();
    assert_eq!(nothing.code, "no_gold");
    workspace.add(Role::Gold, "", "g", Rc::new(Bytes(gold.to_vec())));
    assert_eq!(workspace.score(&Options::default(), &mut |_| {}).unwrap_err().code, "no_predictions");
    workspace.add(Role::Prediction, "s", "p", Rc::new(Bytes(gold.to_vec())));
    for (options, word) in [
        (json!({"definition": "seqeval"}), "nervaluate-0.1.8"),
        (json!({"dataset": "X"}), "NCBI"),
        (json!({"benchmark": "ncer"}), "NCBI"),
        (json!({"tokens": "X"}), "whitespace"),
        (json!({"format": "X"}), "pubtator"),
        (json!({"encoding": "X"}), "windows-1252"),
    ] {
        let options: Options = serde_json::from_value(options).unwrap();
        let failure = workspace.score(&options, &mut |_| {}).unwrap_err();
        assert!(failure.message.contains(word), "{failure}");
    }
    assert!(workspace.score(&Options::default(), &mut |_| {}).is_ok());
}
