//! Where spans stand: units, views and ends inferred from own texts; ids; labels; clean-up.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::corpus::Unit;
use clinscore::{Options, Report};
use common::{problems, read, score, spans};
use proptest::prelude::*;
use serde_json::json;

/// One record with (start, end, own text).
fn record(text: &str, entities: &[(i64, i64, Option<&str>)]) -> String {
    let entities: Vec<_> = entities
        .iter()
        .map(|&(start, end, own)| match own {
            Some(own) => json!({"start": start, "end": end, "label": "x", "text": own}),
            None => json!({"start": start, "end": end, "label": "x"}),
        })
        .collect();
    format!("{}\n", json!({"id": "1", "text": text, "entities": entities}))
}

fn places(file: &str) -> Vec<(i64, i64)> {
    spans(&read(&[("p.jsonl", file.as_bytes())])).into_iter().map(|(_, start, end, _)| (start, end)).collect()
}

fn options(value: serde_json::Value) -> Options {
    serde_json::from_value(value).unwrap()
}

/// True positives, false positives, false negatives, strict.
fn strict(report: &Report) -> [u64; 3] {
    let strict = &report.systems[0].spans.as_ref().unwrap().overall.strict;
    [strict.correct, strict.actual - strict.correct, strict.possible - strict.correct]
}

const TEXT: &str = "😖 5 µg ibuprofen, then gout\r\nand ibuprofen";

/// A range of `TEXT` in a unit.
fn at(word: &str, from: usize, unit: Unit) -> (i64, i64) {
    let byte = TEXT[from..].find(word).unwrap() + from;
    let width = |part: &str| part.chars().map(|c| unit.width(c)).sum::<usize>() as i64;
    let start = width(&TEXT[..byte]);
    (start, start + width(word))
}

#[test]
fn every_unit_is_recognised_by_own_texts() {
    let expected = [at("ibuprofen", 0, Unit::CodePoint), at("gout", 0, Unit::CodePoint)];
    for unit in Unit::ALL {
        let [(a, b), (c, d)] = [at("ibuprofen", 0, unit), at("gout", 0, unit)];
        let file = record(TEXT, &[(a, b, Some("ibuprofen")), (c, d, Some("gout"))]);
        assert_eq!(places(&file), expected, "{unit:?}");
        let inclusive = record(TEXT, &[(a, b - 1, Some("ibuprofen")), (c, d - 1, Some("gout"))]);
        assert_eq!(places(&inclusive), expected, "{unit:?}, inclusive");
    }
}

#[test]
fn crlf_may_count_as_one() {
    let (start, end) = at("ibuprofen", 30, Unit::CodePoint);
    let file = record(TEXT, &[(start - 1, end - 1, Some("ibuprofen"))]);
    assert_eq!(places(&file), [(start, end)]);
    let corpus = read(&[("p.jsonl", file.as_bytes())]);
    assert!(corpus.offsets[0].way.lf && corpus.offsets[0].inferred);
}

#[test]
fn without_evidence_nothing_is_claimed() {
    // ASCII agrees in every unit; a wrong own text must not move a span.
    let corpus = read(&[("p.jsonl", record("gout and pain", &[(0, 4, Some("gout"))]).as_bytes())]);
    assert!(!corpus.offsets[0].inferred);
    assert_eq!(corpus.offsets[0].checked, 1);
    let mut entities = vec![(0, 4, Some("gout")); 30];
    entities.push((9, 13, Some("gout")));
    entities.push((9, 12, Some("pain")));
    let corpus = read(&[("p.jsonl", record("gout and pain", &entities).as_bytes())]);
    assert!(!corpus.offsets[0].inferred);
    assert_eq!(spans(&corpus)[31].1..spans(&corpus)[31].2, 9..12);
    assert_eq!(problems(&corpus), [("surface_differs", 2)]);
    // One of two is no clear majority.
    let file = record("gout and pain", &[(0, 3, Some("gout")), (9, 13, Some("pain"))]);
    assert_eq!(places(&file), [(0, 3), (9, 13)]);
    // Lower case and folded white space agree.
    let file = record("😖 Acute  Renal failure", &[(2, 22, Some("acute renal failure"))]);
    assert_eq!(problems(&read(&[("p.jsonl", file.as_bytes())])), [("surface_folded", 1)]);
    // Most spans agree nowhere: said, and kept.
    let file = record("gout and pain", &[(0, 4, Some("fever")), (9, 13, Some("chill"))]);
    let corpus = read(&[("p.jsonl", file.as_bytes())]);
    assert_eq!(problems(&corpus), [("surface_differs", 2), ("offsets_unclear", 1)]);
}

#[test]
fn an_offset_inside_a_character_is_one_span_lost() {
    let text = "µµ gout pain";
    let file = record(text, &[(5, 9, Some("gout")), (10, 14, Some("pain")), (1, 4, None)]);
    let corpus = read(&[("p.jsonl", file.as_bytes())]);
    assert_eq!(spans(&corpus)[..2], [("1".into(), 3, 7, "x".into()), ("1".into(), 8, 12, "x".into())]);
    assert_eq!(problems(&corpus), [("offset_inside_character", 1)]);
    let gold = record(text, &[(3, 7, None), (8, 12, None)]);
    let report = score(&[("g", gold.as_bytes())], &[("p", file.as_bytes())], &Options::default());
    assert_eq!(strict(&report), [2, 0, 0]);
    let clean = options(json!({"clean": ["unusable"]}));
    let report = score(&[("g", gold.as_bytes())], &[("p", file.as_bytes())], &clean);
    assert_eq!(strict(&report), [2, 1, 0]);
}

#[test]
fn options_win_over_evidence() {
    let (a, b) = at("gout", 0, Unit::Utf16);
    let (c, d) = at("gout", 0, Unit::CodePoint);
    let gold = record(TEXT, &[(c, d, None)]);
    let pred = record(TEXT, &[(a, b, None)]);
    let strict_with =
        |value| strict(&score(&[("g", gold.as_bytes())], &[("p", pred.as_bytes())], &options(value)));
    assert_eq!(strict_with(json!({})), [0, 1, 1]);
    assert_eq!(strict_with(json!({"predOffsets": "utf16"})), [1, 0, 0]);
    assert_eq!(strict_with(json!({"offsets": "utf16", "goldOffsets": "codepoint"})), [1, 0, 0]);
    assert_eq!(strict_with(json!({"files": {"p": {"offsets": "utf16"}}})), [1, 0, 0]);
    assert_eq!(strict_with(json!({"files": {"#1": {"offsets": "utf16"}}})), [1, 0, 0]);
    assert_eq!(strict_with(json!({"files": {"p": {"offsets": "utf16", "end": "inclusive"}}})), [0, 1, 1]);
    let wrong = options(json!({"offsets": "utf32"}));
    let failure = common::workspace(&[("g", gold.as_bytes())], &[("p", pred.as_bytes())])
        .score(&wrong, &mut |_| {})
        .unwrap_err();
    assert!(failure.message.contains("offsets") && failure.message.contains("utf16"), "{}", failure.message);
}

#[test]
fn texts_that_differ_in_line_ends_alone_are_brought_together() {
    let gold_text = "\u{FEFF}one\r\ntwo\r\nthree";
    let gold = record(gold_text, &[(11, 16, Some("three")), (1, 4, Some("one"))]);
    let pred = record("one\ntwo\nthree", &[(8, 13, None), (0, 3, None)]);
    let run = |value| score(&[("g", gold.as_bytes())], &[("p", pred.as_bytes())], &options(value));
    let report = run(json!({}));
    assert_eq!(strict(&report), [2, 0, 0]);
    assert_eq!(report.systems[0].pairing.text_differs, Vec::<String>::new());
    assert!(report.systems[0].side.problems.iter().any(|p| p.kind == "text_view_differs"));
}

#[test]
fn other_texts_are_realigned_when_asked() {
    let gold = record("Take aspirin 100 mg daily.", &[(5, 12, None), (13, 19, None)]);
    let pred = record("Take  aspirin 100mg every day.", &[(6, 13, None), (14, 19, None)]);
    let run = |value| score(&[("g", gold.as_bytes())], &[("p", pred.as_bytes())], &options(value));
    let as_given = run(json!({}));
    assert_eq!(strict(&as_given), [0, 2, 2]);
    assert_eq!(as_given.systems[0].pairing.text_differs, ["1"]);
    let realigned = run(json!({"realign": true}));
    assert_eq!(strict(&realigned), [2, 0, 0]);
    assert_eq!(realigned.systems[0].pairing.text_differs, Vec::<String>::new());
}

/// Documents with one span each.
fn with_ids(ids: &[&str]) -> String {
    let one = |id: &&str| {
        format!("{}\n", json!({"id": id, "text": "gout", "entities": [{"start": 0, "end": 4, "label": "x"}]}))
    };
    ids.iter().map(one).collect()
}

#[test]
fn ids_are_normalised_only_when_confirmed() {
    let gold = with_ids(&["notes/A01.txt", "notes/A02.txt", "notes/A10.txt"]);
    let pred = with_ids(&["a1", "a2", "a10"]);
    let run = |value| {
        let mut workspace = common::workspace(&[("g", gold.as_bytes())], &[("p", pred.as_bytes())]);
        workspace.score(&options(value), &mut |_| {}).unwrap().clone()
    };
    let given = run(json!({}));
    assert_eq!(given.systems[0].failure.as_ref().unwrap().code, "no_common_documents");
    let proposal = given.systems[0].pairing.proposal.as_ref().unwrap();
    assert_eq!(proposal.steps, ["folder", "extension", "case", "leading zeros"]);
    assert_eq!((proposal.more, proposal.applied), (3, false));
    assert_eq!(proposal.example, Some(("notes/A01.txt".into(), "a1".into())));
    let confirmed = run(json!({"normaliseIds": true}));
    assert_eq!(confirmed.systems[0].pairing.by, "normalised_id");
    assert_eq!(strict(&confirmed), [3, 0, 0]);
}

#[test]
fn no_normalisation_that_would_make_two_ids_one() {
    let gold = with_ids(&["a/1", "b/1", "c/2"]);
    let pred = with_ids(&["1", "2"]);
    let report =
        score(&[("g", gold.as_bytes())], &[("p", pred.as_bytes())], &options(json!({"normaliseIds": true})));
    assert!(report.systems[0].pairing.proposal.is_none());
    assert_eq!(report.systems[0].pairing.by, "id");
}

#[test]
fn records_without_ids_meet_by_position() {
    let gold = with_ids(&["a", "b"]);
    let pred = with_ids(&["a", "b"]).replace("\"id\":\"a\",", "").replace("\"id\":\"b\",", "");
    assert!(!pred.contains("id\""));
    let report = score(&[("g", gold.as_bytes())], &[("p", pred.as_bytes())], &Options::default());
    assert_eq!(report.systems[0].pairing.by, "position");
    assert_eq!(strict(&report), [2, 0, 0]);
    assert!(report.systems[0].notes.iter().any(|note| note.message.contains("paired by position")));
}

#[test]
fn texts_pair_what_positions_would_mix_up() {
    let line = |text: &str, id: Option<&str>| {
        let mut record = json!({"text": text, "entities": [{"start": 0, "end": 4, "label": "x"}]});
        if let Some(id) = id {
            record["id"] = json!(id);
        }
        format!("{record}\n")
    };
    let gold =
        [line("gout one", Some("a")), line("pain two", Some("b")), line("rash three", Some("c"))].concat();
    for pred in [["rash three", "gout one", "pain two"].as_slice(), &["pain two", "gout one"]] {
        let pred: String = pred.iter().map(|text| line(text, None)).collect();
        let report = score(&[("g", gold.as_bytes())], &[("p", pred.as_bytes())], &Options::default());
        let system = &report.systems[0];
        assert_eq!((system.pairing.by, strict(&report)[1]), ("text", 0));
        assert_eq!(system.pairing.both, pred.lines().count() as u64);
    }
}

#[test]
fn a_code_page_for_all_files_leaves_utf_8_alone() {
    let record = |text: &str| {
        format!(
            "{}\n",
            json!({"id": "1", "text": text, "entities": [{"start": 2, "end": 6, "label": "x", "text": "gout"}]})
        )
    };
    let gold = record("é gout");
    let latin: Vec<u8> = gold.chars().map(|c| c as u32 as u8).collect();
    let options = options(json!({"encoding": "windows-1252"}));
    let report = score(&[("g", gold.as_bytes())], &[("p", &latin)], &options);
    assert_eq!(strict(&report), [1, 0, 0]);
    assert!(report.systems[0].pairing.text_differs.is_empty());
}

#[test]
fn labels_fold_by_spelling_alone() {
    let known = ["CellLine", "Gene", "gene_variant", "Species"].map(str::to_owned).into_iter().collect();
    let labels =
        ["cell_line", "GENE", "Gene Variant", "umls:Species", "organism", "Gene", ""].map(str::to_owned);
    let folds = clinscore::corpus::scheme::folds(&labels, &known);
    let shown: Vec<_> = folds.iter().map(|f| (f.from.as_str(), f.to.as_str(), f.rule)).collect();
    assert_eq!(
        shown,
        [
            ("cell_line", "CellLine", "separator"),
            ("GENE", "Gene", "case"),
            ("Gene Variant", "gene_variant", "separator"),
            ("umls:Species", "Species", "prefix"),
        ]
    );
    // Two known labels that differ in spelling alone: which one is not guessed.
    let two = ["Gene", "GENE"].map(str::to_owned).into_iter().collect();
    assert!(clinscore::corpus::scheme::folds(&["gene".to_owned()], &two).is_empty());
}

#[test]
fn every_clean_up_switch_says_what_it_changes() {
    let gold = record("gout and  pain", &[(0, 4, None), (9, 14, None), (3, 3, None)]);
    let pred = record("gout and  pain", &[(0, 4, None), (0, 4, None), (10, 14, None), (99, 120, None)]);
    let run = |value| score(&[("g", gold.as_bytes())], &[("p", pred.as_bytes())], &options(value));
    let report = run(json!({}));
    let shown: Vec<_> =
        report.systems[0].clean.iter().map(|c| (c.switch, c.on, c.gold, c.predicted)).collect();
    assert_eq!(shown, [("trim", false, 1, 0), ("dedupe", false, 0, 1), ("unusable", false, 1, 1)]);
    let all = run(json!({"clean": ["trim", "dedupe", "unusable"]}));
    assert_eq!(strict(&all), [2, 1, 0]);
    let dedupe = run(json!({"clean": ["dedupe"]}));
    let f1 = |report: &Report| report.systems[0].spans.as_ref().unwrap().overall.ent_type.f1.value;
    assert_eq!(report.systems[0].clean[1].with.value, f1(&dedupe));
    assert_eq!(report.systems[0].clean[1].without.value, f1(&report));
    assert_eq!(dedupe.systems[0].clean[1].without.value, f1(&report));
}

#[test]
fn the_same_file_on_both_sides_is_told() {
    let gold = with_ids(&["a"]);
    let kinds = |pred: &str| -> Vec<&'static str> {
        let report = score(&[("g", gold.as_bytes())], &[("p", pred.as_bytes())], &Options::default());
        report.systems[0].notes.iter().map(|note| note.kind).collect()
    };
    assert!(kinds(&gold).contains(&"same_file"));
    assert!(!kinds(&with_ids(&["a", "b"])).contains(&"same_file"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// A document with any text and any offsets, in any way, on either side.
    #[test]
    fn any_offsets_are_placed_without_panic(
        texts in proptest::collection::vec("[ab \u{FEFF}\r\n😖µ]{0,12}", 2),
        bounds in proptest::collection::vec((offset(), offset(), proptest::option::of("[ab 😖]{0,4}")), 0..6),
        unit in proptest::sample::select(&["auto", "codepoint", "utf16", "byte"][..]),
        view in proptest::sample::select(&["auto", "raw", "lf", "no-bom"][..]),
        end in proptest::sample::select(&["auto", "exclusive", "inclusive"][..]),
        realign in any::<bool>(),
    ) {
        let entities: Vec<_> = bounds.iter().map(|(a, b, own)| (*a, *b, own.as_deref())).collect();
        let (gold, pred) = (record(&texts[0], &entities), record(&texts[1], &entities));
        let options = options(json!({
            "offsets": unit, "view": view, "end": end, "realign": realign, "clean": ["trim", "dedupe", "unusable"],
        }));
        let mut workspace = common::workspace(&[("g", gold.as_bytes())], &[("p", pred.as_bytes())]);
        let report = workspace.score(&options, &mut |_| {}).unwrap();
        prop_assert!(report.systems[0].spans.is_some());
        workspace.open(0, 0).unwrap();
    }

    /// Whatever unit offsets are written in, own texts bring them back, unless nothing tells the units apart.
    #[test]
    fn own_texts_bring_offsets_back(docs in common::docs(true, 1), unit in 0_usize..3, inclusive in any::<bool>()) {
        let unit = Unit::ALL[unit];
        let file: String = docs
            .iter()
            .map(|doc| {
                let entities: Vec<_> = doc
                    .spans
                    .iter()
                    .map(|(ranges, label)| {
                        let (start, end) = doc.range(ranges[0], |c| unit.width(c));
                        let end = if inclusive { end - 1 } else { end };
                        json!({"start": start, "end": end, "label": label, "text": doc.slice(ranges[0])})
                    })
                    .collect();
                format!("{}\n", json!({"id": doc.id, "text": doc.text, "entities": entities}))
            })
            .collect();
        let corpus = read(&[("p.jsonl", file.as_bytes())]);
        if common::as_docs(&corpus) != docs {
            // Then some other way must fit as well.
            prop_assert!(corpus.offsets[0].agree == corpus.offsets[0].checked, "{:?}", corpus.offsets);
        }
    }
}

fn offset() -> impl Strategy<Value = i64> {
    prop_oneof![8 => -2..14_i64, 1 => Just(i64::MAX), 1 => Just(i64::MIN), 1 => Just(1 << 40)]
}
