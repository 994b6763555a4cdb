//! The NCER benchmark's published counts: its gold from the native files, its F1 from a published run.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::metrics::span::{Mode, Tally, score};
use clinscore::report::python::round2;
use clinscore::{Options, Report};
use std::path::Path;

/// Scores a file's gold against a prediction for none of its documents but `id`.
fn gold_of(dataset: &str, mode: &str, file: &Path, id: &str) -> Report {
    let bytes = std::fs::read(file).unwrap();
    let prediction = format!("{{\"id\":\"{id}\",\"entities\":[[0,1,\"condition\"]]}}\n");
    let options = Options { dataset: Some(dataset.into()), mode: Some(mode.into()), ..Options::default() };
    let name = file.file_name().unwrap().to_string_lossy();
    common::score(&[(&*name, &bytes)], &[("p.jsonl", prediction.as_bytes())], &options)
}

fn problems(report: &Report, kind: &str) -> u64 {
    report.gold.problems.iter().find(|group| group.kind == kind).map_or(0, |group| group.count)
}

#[test]
fn gold_of_the_native_files() {
    let Some(shared) = common::shared() else { return };
    // Documents and gold spans of each type as published (arXiv 2410.05046), which the benchmark's own loaders
    // gave from these files.
    let biored: &[(&str, u64)] = &[("condition", 917), ("drug", 754), ("gene", 1_180), ("gene variant", 241)];
    let chia: &[(&str, u64)] =
        &[("condition", 1_103), ("drug", 295), ("procedure", 300), ("measurement", 258)];
    for (dataset, path, id, documents, counts) in [
        ("NCBI", "ncbi-disease/NCBItestset_corpus.txt", "9949209", 100, &[("condition", 960)][..]),
        ("CHIA", "chia/chia_with_scope.zip", "NCT03463564_exc", 191, chia),
        ("BIORED", "biored/Test.PubTator", "15485686", 100, biored),
        ("BIORED", "biored/Test.BioC.XML", "15485686", 100, biored),
        ("BIORED", "biored/Test.BioC.JSON", "15485686", 100, biored),
        ("BC5CDR", "bc5cdr/CDR_TestSet.BioC.xml", "8701013", 500, &[("condition", 4_534), ("drug", 5_394)]),
    ] {
        let report = gold_of(dataset, "reference", &shared.join("data").join(path), id);
        let system = &report.systems[0];
        assert!(system.failure.is_none(), "{path}: {:?}", system.failure);
        let spans = system.spans.as_ref().unwrap();
        let found: Vec<_> = spans.per_label.iter().map(|row| (row.label.as_str(), row.support)).collect();
        assert_eq!(found, counts, "{path}");
        assert_eq!(system.tokens.as_ref().unwrap().documents, documents, "{path}");
        assert_eq!(system.pairing.both, 1, "{path}");
        // Of the 2,183 spans of Chia's test split.
        let lost = if dataset == "CHIA" { [227, 460] } else { [0, 0] };
        assert_eq!(["dataset_drops_span", "dataset_moves_span"].map(|kind| problems(&report, kind)), lost);
    }
}

#[test]
fn a_published_run() {
    // gliner-community/gliner_large-v2.5 in the benchmark's own notebook: outcomes in the order of `Outcome::ALL`
    // (where a mode's counts do not tell two apart, either will do), the mode, correct, incorrect, partial,
    // missed, spurious, possible, actual, F1.
    let ncbi = [686, 0, 124, 0, 371, 150];
    let chia = [1276, 106, 238, 72, 830, 264];
    let biored = [1810, 0, 364, 281, 556, 637];
    let bc5cdr = [7341, 0, 1382, 239, 2860, 962];
    let rows: &[(Tally, Mode, [u64; 7], f64)] = &[
        (ncbi, Mode::EntType, [810, 0, 0, 150, 371, 960, 1181], 0.7566557683325548),
        (ncbi, Mode::Strict, [686, 124, 0, 150, 371, 960, 1181], 0.6408220457730033),
        (ncbi, Mode::Partial, [686, 0, 124, 150, 371, 960, 1181], 0.6987389070527791),
        (chia, Mode::EntType, [1514, 178, 0, 264, 830, 1956, 2522], 0.6761947297900849),
        (chia, Mode::Strict, [1276, 416, 0, 264, 830, 1956, 2522], 0.5698972755694506),
        (chia, Mode::Exact, [1382, 310, 0, 264, 830, 1956, 2522], 0.6172398392139348),
        (biored, Mode::EntType, [2174, 281, 0, 637, 556, 3092, 3011], 0.7124365066360806),
        (biored, Mode::Strict, [1810, 645, 0, 637, 556, 3092, 3011], 0.5931509093888252),
        (bc5cdr, Mode::EntType, [8723, 239, 0, 962, 2860, 9924, 11822], 0.8022624850547226),
        (bc5cdr, Mode::Strict, [7341, 1621, 0, 962, 2860, 9924, 11822], 0.6751586498666421),
        // CHIA procedure, BIORED gene, BC5CDR drug.
        ([187, 0, 0, 55, 280, 58], Mode::EntType, [187, 55, 0, 58, 280, 300, 522], 0.45498783454987834),
        ([608, 0, 0, 363, 103, 209], Mode::Strict, [608, 363, 0, 209, 103, 1180, 1074], 0.5394853593611357),
        (
            [4682, 0, 0, 210, 1063, 502],
            Mode::EntType,
            [4682, 210, 0, 502, 1063, 5394, 5955],
            0.8250947220019386,
        ),
    ];
    for (tally, mode, counts, f1) in rows {
        let ours = score(*mode, tally);
        let found = [
            ours.correct,
            ours.incorrect,
            ours.partial,
            ours.missed,
            ours.spurious,
            ours.possible,
            ours.actual,
        ];
        assert_eq!((found, ours.f1.value), (*counts, Some(*f1)), "{mode:?}");
    }
    assert_eq!(round2(rows[0].3 * 100.0), 75.67);
}

#[test]
fn a_results_file_of_nothing_right() {
    let gold = "1|t|a b\n1|a|c\n1\t0\t1\ta\tSpecificDisease\tD1\n";
    let pred = "{\"id\":\"1\",\"entities\":[[4,5,\"condition\"]]}\n";
    let options = Options { dataset: Some("NCBI".into()), ..Options::default() };
    let report = common::score(&[("g.txt", gold.as_bytes())], &[("p.jsonl", pred.as_bytes())], &options);
    // json.dumps of what the benchmark's code makes of nervaluate 0.1.8's integer 0 and scikit-learn 1.9.1's 0.0.
    let metric = |name: &str, zero: &str| {
        format!(
            "\"{name}\": {{\"dataset_results\": {{\"ncbi\": {{\"f1\": {zero}}}}}, \
             \"clinical_type_results\": {{\"condition\": {{\"f1\": 0.0}}}}}}"
        )
    };
    let expected = [
        metric("SpanBasedWithPartialOverlap", "0"),
        metric("SpanBasedWithExactOverlap", "0"),
        metric("TokenBasedWithMacroAverage", "0.0"),
        metric("TokenBasedWithMicroAverage", "0.0"),
        metric("TokenBasedWithWeightedAverage", "0.0"),
    ];
    assert_eq!(report.output("ncer").unwrap(), format!("{{{}}}", expected.join(", ")));
}
