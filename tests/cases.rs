//! Small inputs that must come out right: one test a case, named after it. `tests/fixtures/cases/runs.json` says
//! what each run gives; the command line and the page are held to the same list.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::{Options, Role, Workspace};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::rc::Rc;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    case: String,
    gold: Vec<String>,
    pred: Vec<String>,
    #[serde(default)]
    options: Options,
    /// True positives, false positives, false negatives of spans; absent for document-level data.
    strict: Option<[u64; 3]>,
    /// Likewise, under ent_type; where it is of interest.
    ent_type: Option<[u64; 3]>,
    /// Likewise, of document-level labels.
    classes: Option<[u64; 3]>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/cases")
}

/// The files of a path, with the paths they are given under.
fn files(case: &str, path: &str) -> Vec<(String, Vec<u8>)> {
    let whole = folder().join(case).join(path);
    if whole.is_file() {
        return vec![(path.to_owned(), std::fs::read(whole).unwrap())];
    }
    let mut found: Vec<_> = std::fs::read_dir(whole).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    let named = |file: PathBuf| {
        let name = file.file_name().unwrap().to_str().unwrap();
        (format!("{path}/{name}"), std::fs::read(&file).unwrap())
    };
    found.into_iter().map(named).collect()
}

fn check(case: &str) {
    let runs: Vec<Run> = serde_json::from_slice(&std::fs::read(folder().join("runs.json")).unwrap()).unwrap();
    let mut any = false;
    for run in runs.into_iter().filter(|run| run.case == case) {
        any = true;
        let mut workspace = Workspace::new();
        for (role, paths) in [(Role::Gold, &run.gold), (Role::Prediction, &run.pred)] {
            for (path, bytes) in paths.iter().flat_map(|path| files(case, path)) {
                workspace.add(role, "system", &path, Rc::new(clinscore::source::Bytes(bytes)));
            }
        }
        let report = workspace.score(&run.options, &mut |_| {}).unwrap();
        let system = &report.systems[0];
        let spans = system.spans.as_ref().map(|spans| &spans.overall.strict);
        let spans = spans.map(|s| [s.correct, s.actual - s.correct, s.possible - s.correct]);
        if let Some(expected) = run.ent_type {
            let score = &system.spans.as_ref().unwrap().overall.ent_type;
            let found = [score.correct, score.actual - score.correct, score.possible - score.correct];
            assert_eq!(found, expected, "{case} {:?}", run.options);
        }
        let classes = system.classes.as_ref().map(|classes| &classes.overall);
        let classes = classes.map(|c| [c.correct, c.predicted - c.correct, c.gold - c.correct]);
        assert_eq!((spans, classes), (run.strict, run.classes), "{case} {:?}", run.options);
    }
    assert!(any, "{case} has no run");
}

macro_rules! cases {
    ($($name:ident $case:literal;)*) => {
        $(#[test] fn $name() { check($case); })*
    };
}

cases! {
    case_01_utf16_vs_codepoint_offsets "01-utf16-vs-codepoint-offsets";
    case_02_bioc_byte_offsets "02-bioc-byte-offsets";
    case_04_bom_counted_in_offsets "04-bom-counted-in-offsets";
    case_05_discontinuous_fragments "05-discontinuous-fragments";
    case_06_ann_text_contains_newline "06-ann-text-contains-newline";
    case_07_i_without_b "07-i-without-b";
    case_08_bio_tags_without_type "08-bio-tags-without-type";
    case_11_pred_truncated_and_resplit "11-pred-truncated-and-resplit";
    case_13_pred_label_outside_gold_inventory "13-pred-label-outside-gold-inventory";
    case_15_same_span_two_labels_order_dependence "15-same-span-two-labels-order-dependence";
    case_16_touching_spans_are_not_overlap "16-touching-spans-are-not-overlap";
    case_17_duplicate_predictions "17-duplicate-predictions";
    case_18_nested_and_crossing_entities "18-nested-and-crossing-entities";
    case_20_no_gold_entities "20-no-gold-entities";
    case_21_documents_missing_from_predictions "21-documents-missing-from-predictions";
    case_23_label_spelling_differs "23-label-spelling-differs";
    case_24_llm_html_spans_with_rewritten_text "24-llm-html-spans-with-rewritten-text";
    case_25_llm_json_fenced_no_offsets "25-llm-json-fenced-no-offsets";
    case_26_hf_pipeline_subwords_null_offsets "26-hf-pipeline-subwords-null-offsets";
    case_31_icd_codes_read_as_numbers "31-icd-codes-read-as-numbers";
    case_32_pipe_file_crlf_and_empty_predictions "32-pipe-file-crlf-and-empty-predictions";
    case_37_truncated_jsonl "37-truncated-jsonl";
    case_38_na_sentinel_and_o_entities "38-na-sentinel-and-O-entities";
    case_41_i2b2_con_line_token_offsets "41-i2b2-con-line-token-offsets";
}
