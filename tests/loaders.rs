//! What the NCER benchmark's loaders do to gold, predictions on the texts that they make, and label maps by
//! dataset and system. Expected texts and moves: the rules of clinical_ner_benchmark by hand.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::report::{Beside, Report};
use clinscore::{Options, Role};
use common::{score, workspace};
use serde_json::json;

/// A name of the test split, and one that is none.
const DOCUMENT: &str = "NCT03463564_exc";
const OTHER: &str = "NCT00000000_inc";
/// As its file has it; the loader's text is
/// "Age over 18\nsevere asthma.\n\nheparin and aspirin, low dose\n".
const RAW: &str = "Age over 18\r\nsevere asthma.\r\nheparin and aspirin, low dose\r\n";
const ANN: &str = "T1\tMeasurement 0 3\tAge\n\
                   T2\tCondition 13 26\tsevere asthma\n\
                   T3\tDrug 29 36\theparin\n\
                   T4\tDrug 29 36;49 57\theparin low dose\n\
                   T5\tDrug 29 30\tX\n\
                   T6\tTemporal 4 8\tover\n\
                   R1\tHas_value Arg1:T1 Arg2:T2\n";

fn options(value: serde_json::Value) -> Options {
    serde_json::from_value(value).unwrap()
}

/// Chia of two documents of which one is in the test split.
fn chia() -> Vec<(String, Vec<u8>)> {
    [(DOCUMENT, RAW, ANN), (OTHER, "x", "T1\tDrug 0 1\tx\n")]
        .into_iter()
        .flat_map(|(name, text, ann)| {
            [(format!("chia/{name}.txt"), text.into()), (format!("chia/{name}.ann"), ann.into())]
        })
        .collect()
}

fn against_chia(pred: &str, option: serde_json::Value) -> Report {
    let gold = chia();
    let gold: Vec<(&str, &[u8])> = gold.iter().map(|(path, bytes)| (&path[..], &bytes[..])).collect();
    score(&gold, &[("pred.jsonl", pred.as_bytes())], &options(option))
}

/// Gold spans, exact hits.
fn hits(report: &Report) -> (u64, u64) {
    let spans = report.systems[0].spans.as_ref().unwrap();
    (spans.per_label.iter().map(|label| label.support).sum(), spans.overall.strict.correct)
}

fn difference(beside: &Beside, kind: &str) -> u64 {
    beside.differences.iter().find(|one| one.kind == kind).map_or(0, |one| one.count)
}

#[test]
fn chia_as_the_loader_leaves_it() {
    // Offsets of the loader's text: T1 stays, T2 and T3 move, T4 and T5 are dropped.
    let pred =
        json!({"id": DOCUMENT, "entities": [[0, 3, "measurement"], [12, 25, "condition"], [28, 35, "drug"]]});
    let report = against_chia(&pred.to_string(), json!({"dataset": "CHIA"}));
    assert_eq!(hits(&report), (3, 3));
    assert_eq!((report.gold.documents, report.systems[0].pairing.gold_only.len()), (1, 0));
    let beside = &report.systems[0].beside[0];
    assert_eq!((beside.option, beside.value, beside.gold, beside.documents), ("mode", "corrected", 5, 1));
    assert_eq!(difference(beside, "spans_moved"), 2);
    assert_eq!(difference(beside, "spans_dropped"), 2);
    assert_eq!(beside.differences[0].examples[0].document, DOCUMENT);
    // The same predictions are brought to the raw text there.
    assert_eq!(beside.overall.as_ref().unwrap().strict.correct, 3);
}

#[test]
fn predictions_on_either_text_of_chia_meet_gold_in_either_mode() {
    let lines = RAW.replace("\r\n", "\n");
    let loader = "Age over 18\nsevere asthma.\n\nheparin and aspirin, low dose\n";
    let spans = |text: &str, own: bool| {
        [("Age", "measurement"), ("severe asthma", "condition"), ("heparin", "drug")].map(|(word, label)| {
            let at = text.find(word).unwrap();
            let mut span = json!({"start": at, "end": at + word.len(), "label": label});
            if own {
                span["text"] = word.into();
            }
            span
        })
    };
    for (mode, gold) in [("reference", 3), ("corrected", 5)] {
        for text in [RAW, &lines, loader] {
            // Its own text, or its spans' own texts, say what offsets count.
            for pred in [
                json!({"id": DOCUMENT, "text": text, "entities": spans(text, false)}),
                json!({"id": DOCUMENT, "entities": spans(text, true)}),
            ] {
                let report = against_chia(&pred.to_string(), json!({"dataset": "CHIA", "mode": mode}));
                assert_eq!(hits(&report), (gold, 3), "{mode} {text:?} {pred}");
                assert!(report.systems[0].pairing.text_differs.is_empty());
            }
        }
        let silent = json!({"id": DOCUMENT, "entities": spans(RAW, false)}).to_string();
        let report = against_chia(&silent, json!({"dataset": "CHIA", "mode": mode}));
        assert_eq!(hits(&report).1, 1, "nothing says that it is the file's text");
        let report = against_chia(
            &silent,
            json!({"dataset": "CHIA", "mode": mode, "predOffsets": "codepoint", "view": "raw"}),
        );
        assert_eq!(hits(&report).1, 3);
    }
}

const BIOC: &str = "<collection><document><id>1</id><passage><offset>0</offset><text>Renal and hepatic failure</text>\
    <annotation id=\"0\"><infon key=\"type\">Disease</infon><location offset=\"0\" length=\"5\"/>\
    <location offset=\"18\" length=\"7\"/><text>Renal failure</text></annotation>\
    <annotation id=\"1\"><infon key=\"type\">Disease</infon><location offset=\"10\" length=\"15\"/>\
    <text>hepatic failure</text></annotation></passage></document></collection>";

#[test]
fn of_a_span_in_two_places_bc5cdr_keeps_the_first() {
    let pred = json!({"id": "1", "entities": [[0, 5, "condition"], [10, 25, "condition"]]}).to_string();
    let report = score(
        &[("g.xml", BIOC.as_bytes())],
        &[("p.jsonl", pred.as_bytes())],
        &options(json!({"dataset": "BC5CDR"})),
    );
    assert_eq!(hits(&report), (2, 2));
    let beside = &report.systems[0].beside[0];
    assert_eq!(difference(beside, "fragments_lost"), 1);
    assert_eq!(beside.overall.as_ref().unwrap().strict.correct, 1);
}

#[test]
fn blank_documents_and_those_without_gold_are_dropped_in_reference_mode_alone() {
    let gold = [
        json!({"id": "1", "text": "Na na", "entities": [[0, 2, "Chemical"]]}),
        json!({"id": "2", "text": "nana", "entities": [[0, 4, "Chemical"]]}),
        json!({"id": "3", "text": "salt", "entities": [[0, 4, "Food"]]}),
    ]
    .map(|record| record.to_string())
    .join("\n");
    let pred = gold.replace("Food", "Chemical");
    for (mode, documents) in [("reference", 1), ("corrected", 3)] {
        let report = score(
            &[("g.jsonl", gold.as_bytes())],
            &[("p.jsonl", pred.as_bytes())],
            &options(json!({"dataset": "BC5CDR", "mode": mode})),
        );
        assert_eq!(report.systems[0].pairing.both, documents, "{mode}");
    }
}

#[test]
fn label_maps_by_dataset_and_by_system() {
    let gold = json!({"id": "1", "text": "salt", "entities": [[0, 4, "Chemical"]]}).to_string();
    let pred = json!({"id": "1", "entities": [[0, 4, "substance"]]}).to_string();
    let strict = |option: serde_json::Value| {
        let report =
            score(&[("g.jsonl", gold.as_bytes())], &[("p.jsonl", pred.as_bytes())], &options(option));
        report.systems[0].spans.as_ref().unwrap().overall.strict.correct
    };
    let map = json!({"substance": "drug"});
    let per_dataset = json!({"BC5CDR": map, "NCBI": {"disease": "condition"}});
    let config = json!({"model_name": "x", "inference_config": {"label_normalization_map": per_dataset}});
    let older = json!({"bc5cdr": {"label_normalization_map": map, "prompt_file_path": "x"}});
    assert_eq!(strict(json!({"dataset": "BC5CDR"})), 0);
    for shape in [&map, &per_dataset, &config, &older, &json!({"label_normalization_map": map})] {
        assert_eq!(strict(json!({"dataset": "BC5CDR", "map": shape})), 1, "{shape}");
        assert_eq!(strict(json!({"dataset": "BC5CDR", "maps": {"system": shape}, "map": {}})), 1);
        assert_eq!(strict(json!({"dataset": "BC5CDR", "maps": {"another": shape}})), 0);
    }
    // A map for other datasets alone is none.
    assert_eq!(strict(json!({"dataset": "BC5CDR", "map": {"NCBI": {"substance": "drug"}}})), 0);
    let refused = workspace(&[("g.jsonl", gold.as_bytes())], &[("p.jsonl", pred.as_bytes())])
        .score(&options(json!({"map": per_dataset})), &mut |_| {})
        .map(|_| ())
        .unwrap_err();
    assert!(refused.message.contains("maps for BC5CDR, NCBI"), "{refused}");
    assert!(serde_json::from_value::<Options>(json!({"map": {"a": 1}})).is_err());
}

#[test]
fn other_scores_follow_new_files() {
    let gold = json!({"id": "1", "text": "salt", "entities": [[0, 4, "Chemical"]]}).to_string();
    let none = json!({"id": "1", "entities": []}).to_string();
    let mut workspace = workspace(&[("g.jsonl", gold.as_bytes())], &[("p.jsonl", none.as_bytes())]);
    let chosen = options(json!({"dataset": "BC5CDR"}));
    let correct = |report: &Report| {
        report
            .systems
            .iter()
            .map(|s| s.beside[0].overall.as_ref().unwrap().strict.correct)
            .collect::<Vec<_>>()
    };
    assert_eq!(correct(workspace.score(&chosen, &mut |_| {}).unwrap()), [0]);
    workspace.add(
        Role::Prediction,
        "b",
        "b.jsonl",
        std::rc::Rc::new(clinscore::source::Bytes(gold.into_bytes())),
    );
    assert_eq!(correct(workspace.score(&chosen, &mut |_| {}).unwrap()), [0, 1]);
}

#[test]
fn what_is_not_the_benchmarks_is_said() {
    let gold = json!({"id": "1", "text": "salt", "entities": [[0, 4, "Chemical"]]}).to_string();
    let pred = json!({"id": "1", "entities": [[0, 4, "B-chemicals"]]}).to_string();
    let report = |option: serde_json::Value| {
        score(&[("g.jsonl", gold.as_bytes())], &[("p.jsonl", pred.as_bytes())], &options(option))
    };
    let kinds = |report: &Report| report.systems[0].notes.iter().map(|note| note.kind).collect::<Vec<_>>();
    let plain = report(json!({"dataset": "BC5CDR"}));
    assert!(kinds(&plain).contains(&"dataset_gold_differs"), "one document of 500");
    // The name of a label speaks for a type: proposed, and applied when it is asked for.
    let fold = &plain.systems[0].folds[0];
    assert_eq!((fold.from.as_str(), fold.to.as_str(), fold.rule), ("B-chemicals", "drug", "name"));
    assert_eq!(hits(&plain).1, 0);
    assert_eq!(hits(&report(json!({"dataset": "BC5CDR", "foldLabels": true}))).1, 1);
    let elsewhere = report(json!({"dataset": "BC5CDR", "map": {"NCBI": {"x": "condition"}}}));
    assert!(kinds(&elsewhere).contains(&"no_map_for_dataset"));
}
