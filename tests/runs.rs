//! From files to a report: pairing, labels, scores that outlive their files.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::why::Query;
use clinscore::{Options, Role};
use common::{score, workspace};
use serde_json::json;

const ONE: &[u8] = b"{\"id\":\"1\",\"text\":\"ab cd\",\"entities\":[[0,2,\"x\"]]}\n";

fn options(value: serde_json::Value) -> Options {
    serde_json::from_value(value).unwrap()
}

#[test]
fn a_score_ends_with_the_files_it_was_made_of() {
    let mut workspace = workspace(&[("g", ONE)], &[("p", ONE)]);
    workspace.score(&Options::default(), &mut |_| {}).unwrap();
    workspace.inspect(&options(json!({"formatGold": "pubtator"})), &mut |_| {}).unwrap();
    assert_eq!(workspace.explain(&Query::default()).unwrap_err().code, "no_score");
    assert_eq!(workspace.open(0, 0).unwrap_err().code, "no_score");
    assert!(workspace.score(&options(json!({"formatGold": "brat"})), &mut |_| {}).is_ok());
    assert!(workspace.score(&options(json!({"formatGold": "x"})), &mut |_| {}).is_err());
    assert!(workspace.report().is_none());
    workspace.score(&Options::default(), &mut |_| {}).unwrap();
    assert!(workspace.open(0, 7).is_err());
    workspace.add(Role::Gold, "", "g2", std::rc::Rc::new(clinscore::source::Bytes(ONE.to_vec())));
    assert!(workspace.report().is_none());
}

#[test]
fn without_ids_records_that_were_lost_keep_their_place() {
    let record = |text: &str| format!("{{\"text\":\"{text}\",\"entities\":[[0,1,\"x\"]]}}\n");
    let gold = [record("a"), "broken\n".into(), record("c"), record("d")].concat();
    let pred = [record("a"), record("b"), "broken\n".into(), record("d")].concat();
    let report = score(&[("g", gold.as_bytes())], &[("p", pred.as_bytes())], &Options::default());
    let pairing = &report.systems[0].pairing;
    assert_eq!((pairing.by, pairing.both), ("position", 2));
    assert_eq!(
        (&pairing.gold_only[..], &pairing.predicted_only[..]),
        (&["#3".into()][..], &["#2".into()][..])
    );
    assert!(pairing.text_differs.is_empty());
    let short = [record("a"), record("b")].concat();
    let mut uneven = workspace(&[("g", gold.as_bytes())], &[("p", short.as_bytes())]);
    let report = uneven.score(&Options::default(), &mut |_| {}).unwrap();
    assert_eq!(report.systems[0].failure.as_ref().unwrap().code, "cannot_pair");
}

#[test]
fn documents_without_an_id_among_others_are_not_paired() {
    let file = "{\"id\":\"1\",\"text\":\"ab\",\"entities\":[[0,1,\"x\"]]}\n{\"text\":\"cd\",\"entities\":[[0,1,\"x\"]]}\n";
    let report = score(&[("g", file.as_bytes())], &[("p", file.as_bytes())], &Options::default());
    let pairing = &report.systems[0].pairing;
    assert_eq!((pairing.both, pairing.gold_only.len(), pairing.predicted_only.len()), (1, 1, 1));
}

#[test]
fn label_maps_and_chosen_labels() {
    let gold = b"{\"id\":\"1\",\"text\":\"ab cd ef\",\"entities\":[[0,2,\"Disease\"],[3,5,\"Drug\"],[6,8,\"other\"]]}\n";
    let pred = b"{\"id\":\"1\",\"text\":\"ab cd ef\",\"entities\":[[0,2,\"dis\"],[3,5,\"med\"],[6,8,\"med\"],[6,8,\"junk\"]]}\n";
    let map = json!({"map": {"dis": "Disease", "med": "Drug", "other": "Drug"}});
    let report = score(&[("g", gold)], &[("p", pred)], &options(map));
    assert_eq!(report.labels, ["Disease", "Drug"]);
    assert_eq!(report.systems[0].spans.as_ref().unwrap().outcomes.exact, 3);
    let dropped = report.systems[0].side.problems.iter().find(|p| p.kind == "unmapped_label").unwrap();
    assert_eq!(dropped.count, 1);

    let empty = score(&[("g", gold)], &[("p", pred)], &options(json!({"labels": []})));
    let none = score(&[("g", gold)], &[("p", pred)], &Options::default());
    assert_eq!(empty.labels, none.labels);
    assert_eq!(empty.labels_from, none.labels_from);
    let kinds = |report: &clinscore::Report| -> Vec<&str> {
        report.systems[0].notes.iter().map(|note| note.kind).collect()
    };
    assert_eq!(kinds(&empty), kinds(&none));
    assert!(kinds(&none).contains(&"predicted_only_labels"));

    let chosen =
        score(&[("g", gold)], &[("p", gold)], &options(json!({"labels": ["Drug", "Drug", "absent"]})));
    assert_eq!(chosen.labels, ["Drug", "absent"]);
    assert_eq!(chosen.systems[0].spans.as_ref().unwrap().overall.strict.correct, 1);
    assert!(!chosen.systems[0].spans.as_ref().unwrap().per_label[1].modes.strict.f1.defined);
}

#[test]
fn a_system_changes_no_other_systems_result() {
    let other = b"{\"id\":\"1\",\"text\":\"ab cd\",\"entities\":[[0,2,\"x\"],[3,5,\"strange\"]]}\n";
    let no_ids = b"{\"text\":\"ab cd\",\"entities\":[[0,2,\"x\"]]}\n{\"text\":\"ef\",\"entities\":[]}\n";
    let elsewhere = b"{\"id\":\"7\",\"text\":\"ab cd\",\"entities\":[[0,2,\"x\"]]}\n";
    let alone = score(&[("g", ONE)], &[("p", ONE)], &Options::default());
    let mut workspace = workspace(&[("g", ONE)], &[("p", ONE)]);
    let files = [("b", &other[..]), ("c", no_ids), ("d", elsewhere), ("e", b"<xml/>")];
    for (name, bytes) in files {
        let source = std::rc::Rc::new(clinscore::source::Bytes(bytes.to_vec()));
        workspace.add(Role::Prediction, name, name, source);
    }
    let report = workspace.score(&Options::default(), &mut |_| {}).unwrap();
    let json = |system: &clinscore::report::System| serde_json::to_string(system).unwrap();
    assert_eq!(json(&report.systems[0]), json(&alone.systems[0]));
    assert_eq!(report.labels, ["strange", "x"]);
    let codes: Vec<_> = report.systems.iter().map(|s| s.failure.as_ref().map(|f| f.code)).collect();
    let expected = [None, None, Some("cannot_pair"), Some("no_common_documents"), Some("empty_predictions")];
    assert_eq!(codes, expected);
}

#[test]
fn a_rejected_record_brings_no_label() {
    let gold = b"{\"id\":\"1\",\"text\":\"ab\",\"spans\":[{\"start\":0,\"end\":1,\"label\":\"x\"}],\"answer\":\"accept\"}\n\
                 {\"id\":\"2\",\"text\":\"cd\",\"spans\":[{\"start\":0,\"end\":1,\"label\":\"y\"}],\"answer\":\"reject\"}\n";
    let report = score(&[("g", gold)], &[("p", gold)], &Options::default());
    assert_eq!(report.labels, ["x"]);
}

#[test]
fn reports_hold_paths_only_when_asked() {
    let folder = [("secret/a.ann", &b"T1\tX 0 1\ta\nR1\tr\n"[..]), ("secret/a.txt", &b"abc"[..])];
    let plain = score(&folder, &folder, &Options::default());
    assert!(!plain.to_json().contains("secret"));
    let paths = score(&folder, &folder, &options(json!({"paths": true})));
    assert!(paths.to_json().contains("secret/a.ann"));
}

#[test]
fn spreadsheets_take_no_formulas() {
    let gold = br#"{"id":"1","text":"ab","entities":[[0,1,"=HYPERLINK(\"x\")"],[0,1,"-5"],[0,1,"a,\"b\""],[0,1,"@x"]]}"#;
    let csv = score(&[("g", gold)], &[("p", gold)], &Options::default()).output("csv").unwrap();
    assert!(csv.contains("\"'=HYPERLINK(\"\"x\"\")\""), "{csv}");
    assert!(csv.contains(",-5,"), "{csv}");
    assert!(csv.contains("system,nervaluate-0.1.8,spans,,strict,"), "{csv}");
    assert!(csv.contains("\"a,\"\"b\"\"\""), "{csv}");
    assert!(csv.contains(",'@x,"), "{csv}");
    let columns = csv.lines().next().unwrap().split(',').count();
    assert!(csv.lines().all(|line| line.split(',').count() >= columns));
}

#[test]
fn python_floats() {
    use clinscore::report::python::{float, round2};
    // Expected values: repr() and round(x, 2) of Python 3.11.
    for (value, text) in [
        (0.0, "0.0"),
        (1.0, "1.0"),
        (0.1, "0.1"),
        (1e-5, "1e-05"),
        (0.0001, "0.0001"),
        (1.5e16, "1.5e+16"),
        (123456789012345680.0, "1.2345678901234568e+17"),
        (2.0 / 3.0, "0.6666666666666666"),
    ] {
        assert_eq!(float(value), text);
    }
    for (value, rounded) in
        [(2.675, 2.67), (2.665, 2.67), (0.125, 0.12), (0.375, 0.38), (75.66557683325548, 75.67)]
    {
        assert_eq!(round2(value), rounded, "{value}");
    }
}
