//! Leaderboards: what is read, averaged, sorted and written; what paths say.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::Report;
use clinscore::benchmarks::arrange::{Arranged, arrange, system_of_results};
use clinscore::leaderboard::{Board, BoardQuery};
use clinscore::metrics::span::{self, Mode};
use proptest::prelude::*;

fn board(files: &[(&str, &str)]) -> Board {
    let mut board = Board::new();
    for (name, text) in files {
        board.add_results(name, text.as_bytes());
    }
    board
}

fn problems(board: &Board) -> Vec<(String, String)> {
    let problems = board.view().problems;
    problems.into_iter().map(|problem| (problem.found, problem.expected)).collect()
}

/// A results file with the same numbers under every metric.
fn results(datasets: &str, types: &str) -> String {
    let list = |text: &str| {
        let cells = text.split(", ").filter(|cell| !cell.is_empty()).map(|cell| {
            let (name, f1) = cell.split_once(": ").unwrap();
            format!("\"{name}\": {{\"f1\": {f1}}}")
        });
        cells.collect::<Vec<_>>().join(", ")
    };
    let metrics = [
        "SpanBasedWithPartialOverlap",
        "SpanBasedWithExactOverlap",
        "TokenBasedWithMacroAverage",
        "TokenBasedWithMicroAverage",
        "TokenBasedWithWeightedAverage",
    ]
    .map(|metric| {
        format!(
            "\"{metric}\": {{\"dataset_results\": {{{}}}, \"clinical_type_results\": {{{}}}}}",
            list(datasets),
            list(types)
        )
    });
    format!("{{{}}}", metrics.join(", "))
}

fn query(text: &str) -> BoardQuery {
    serde_json::from_str(text).unwrap()
}

#[test]
fn published_run() {
    // gliner-community/gliner_large-v2.5, from the benchmark's own notebook (nervaluate 0.1.8): correct,
    // incorrect, partial, missed, spurious, F1.
    let published = [
        (Mode::EntType, [810, 0, 0, 150, 371], 0.756_655_768_332_554_8),
        (Mode::Strict, [686, 124, 0, 150, 371], 0.640_822_045_773_003_3),
        (Mode::Partial, [686, 0, 124, 150, 371], 0.698_738_907_052_779_1),
        (Mode::EntType, [1514, 178, 0, 264, 830], 0.676_194_729_790_084_9),
        (Mode::Strict, [1276, 416, 0, 264, 830], 0.569_897_275_569_450_6),
        (Mode::Exact, [1382, 310, 0, 264, 830], 0.617_239_839_213_934_8),
        (Mode::EntType, [2174, 281, 0, 637, 556], 0.712_436_506_636_080_6),
        (Mode::Strict, [1810, 645, 0, 637, 556], 0.593_150_909_388_825_2),
        (Mode::EntType, [8723, 239, 0, 962, 2860], 0.802_262_485_054_722_6),
        (Mode::Strict, [7341, 1621, 0, 962, 2860], 0.675_158_649_866_642_1),
        (Mode::EntType, [187, 55, 0, 58, 280], 0.454_987_834_549_878_34),
        (Mode::Strict, [608, 363, 0, 209, 103], 0.539_485_359_361_135_7),
        (Mode::EntType, [4682, 210, 0, 502, 1063], 0.825_094_722_001_938_6),
    ];
    for (mode, [correct, incorrect, partial, missed, spurious], f1) in published {
        // Outcomes that this mode counts so: exact, other label, overlap, overlap with other label.
        let met = match mode {
            Mode::Exact | Mode::Partial => [correct, 0, incorrect + partial, 0],
            Mode::EntType | Mode::Strict => [correct, incorrect, 0, 0],
        };
        let [exact, other, overlap, both] = met;
        let score = span::score(mode, &[exact, other, overlap, both, spurious, missed]);
        assert_eq!([score.correct, score.incorrect, score.partial], [correct, incorrect, partial]);
        assert_eq!(score.f1.value, Some(f1), "{mode:?} {correct}");
    }
    let shown =
        results("ncbi: 75.67, chia: 67.62, biored: 71.24, bc5cdr: 80.23", "condition: 70.0, drug: 82.51");
    let board = board(&[("gliner_large-v2.5/ncer_results.json", &shown)]);
    assert_eq!(board.output("ncer", &BoardQuery::default()).unwrap(), shown);
    assert_eq!(problems(&board), []);
    let view = board.view();
    assert_eq!(view.systems[0].system, "gliner_large-v2.5");
    // (75.67 + 67.62 + 71.24 + 80.23) / 4
    assert_eq!(view.systems[0].metrics[0].mean_of_datasets, Some(73.69));
}

#[test]
fn what_is_missing_and_what_is_unusable() {
    let board = board(&[
        ("a/ncer_results.json", &results("ncbi: 80.0, bc5cdr: 60.0", "condition: 70.0, drug: 50.0")),
        ("B.json", &results("NCBI: 90.0", "condition: 90.0")),
        (
            "c_ncer_results.json",
            &results("ncbi: NaN, chia: \"7\", biored: 101, i2b2: 3, bc5cdr: 10.5", "gene: 4"),
        ),
        ("d.json", "{\"a\": 1}"),
        ("e.json", "[1]"),
        ("f.json", "{\"SpanBased"),
    ]);
    let view = board.view();
    assert_eq!(view.datasets, ["ncbi", "bc5cdr"]);
    assert_eq!(view.types, ["condition", "drug"]);
    let systems: Vec<_> = view.systems.iter().map(|row| row.system.as_str()).collect();
    assert_eq!(systems, ["a", "B", "c"]);
    let of = |at: usize| &view.systems[at].metrics[3];
    assert_eq!(of(1).datasets, [Some(90.0), None]);
    assert_eq!(of(2).datasets, [None, Some(10.5)]);
    assert_eq!((of(0).mean_of_datasets, of(0).mean_of_types), (Some(70.0), Some(60.0)));
    let found: Vec<_> = view.problems.iter().map(|problem| problem.found.as_str()).collect();
    assert_eq!(
        found[..5],
        [
            "SpanBasedWithPartialOverlap of ncbi: no number as f1",
            "SpanBasedWithPartialOverlap of chia: no number as f1",
            "SpanBasedWithPartialOverlap of biored: F1 101",
            "SpanBasedWithPartialOverlap: the dataset \"i2b2\"",
            "SpanBasedWithPartialOverlap of gene, which none of the file's datasets has",
        ]
    );
    assert_eq!(
        found[25..],
        [
            "JSON without the benchmark's metrics",
            "JSON that is no object",
            "not valid JSON (it ends inside a value at column 11)",
        ]
    );
}

#[test]
fn several_sources_of_one_system() {
    // The mean over NCBI and BC5CDR goes with CHIA alone by the number of datasets.
    let two = results("ncbi: 80.0, bc5cdr: 60.0", "condition: 70.0, drug: 50.0");
    let one = results("chia: 40.0", "condition: 10.0, drug: 20.0, procedure: 30.0");
    let board_of_all =
        board(&[("a/x.json", "{}"), ("a/ncer_results.json", &two), ("a/chia/ncer_results.json", &one)]);
    let view = board_of_all.view();
    assert_eq!(view.systems.len(), 1);
    assert_eq!(view.systems[0].metrics[0].types, [Some(50.0), Some(35.0), Some(30.0)]);
    assert_eq!(problems(&board_of_all).len(), 1);
    // The same number twice is one; another one is told, and the last counts.
    let again = results("ncbi: 81.0, bc5cdr: 60.0", "condition: 70.0, drug: 50.0");
    let differing = board(&[("a/ncer_results.json", &two), ("again/a.json", &again)]);
    assert_eq!(differing.view().systems[0].metrics[4].datasets, [Some(81.0), Some(60.0)]);
    assert_eq!(
        problems(&differing),
        [(
            "a: 5 of 20 numbers differ, the first: SpanBasedWithPartialOverlap of NCBI 81".to_owned(),
            "80, as a/ncer_results.json has; the last one counts".to_owned()
        )]
    );
    // The same file again takes the place of itself, and a system can be taken out.
    let mut board = differing;
    board.add_results("again/a.json", two.as_bytes());
    assert_eq!(problems(&board), []);
    board.remove("a");
    assert!(board.view().systems.is_empty());
    // Means over files that share some datasets cannot be told apart.
    let shared = results("ncbi: 80.0, chia: 60.0", "condition: 70.0");
    let board = self::board(&[("a/x_ncer_results.json", &two), ("x/ncer_results.json", &shared)]);
    assert_eq!(problems(&board).len(), 5);
}

#[test]
fn older_shape_and_several_systems() {
    let older = r#"{"dataset_results": {"ncbi": {"f1": 70.1}}, "clinical_type_results": {"condition": {"f1": 70.1}}}"#;
    let read = board(&[("old/results.json", older)]);
    let metrics = &read.view().systems[0].metrics;
    assert_eq!(metrics[0].datasets, [Some(70.1)]);
    assert_eq!(metrics[1].datasets, [None]);
    assert_eq!(problems(&read)[0].0, "results without the name of a metric");
    let one = results("ncbi: 10.0", "condition: 10.0");
    let two = format!("{{\"z\": {one}, \"a\": {one}}}");
    let read = board(&[("results.json", &two)]);
    assert_eq!(read.output("ncer", &BoardQuery::default()).unwrap(), two);
    assert_eq!(read.output("ncer", &query(r#"{"system": "a"}"#)).unwrap(), one);
}

#[test]
fn tables() {
    let board = board(&[
        ("a_b&c.json", &results("ncbi: 80.0, bc5cdr: 60.25", "condition: 70.0, drug: 50.0")),
        ("-=d|e.json", &results("ncbi: 90.0", "condition: 90.0")),
        ("[f].json", &results("ncbi: 85.0", "condition: 85.0")),
    ]);
    let csv = board.output("csv", &query(r#"{"by": "datasets", "sort": "bc5cdr"}"#)).unwrap();
    assert_eq!(
        csv,
        "system,metric,NCBI,BC5CDR,mean over datasets\r\n\
         a_b&c,SpanBasedWithPartialOverlap,80.00,60.25,70.12\r\n\
         '-=d|e,SpanBasedWithPartialOverlap,90.00,,90.00\r\n\
         [f],SpanBasedWithPartialOverlap,85.00,,85.00\r\n"
    );
    let markdown = board.output("markdown", &query(r#"{"by": "types", "digits": 1}"#)).unwrap();
    assert!(markdown.starts_with(
        "| system | condition | drug | mean over types |\n|---|---:|---:|---:|\n\
         | \\-=d\\|e | 90.0 | — | 90.0 |\n| \\[f\\] | 85.0 | — | 85.0 |\n| a\\_b&amp;c | 70.0 | 50.0 | 60.0 |\n"
    ));
    assert!(markdown.contains("1 of 2 clinical types"));
    let latex = board
        .output("latex", &query(r#"{"by": "datasets", "metric": "tokenbasedwithmicroaverage"}"#))
        .unwrap();
    assert!(latex.contains("{[}f{]} & 85.00 & --- & 85.00 \\\\\n"));
    assert!(latex.contains("a\\_b\\&c & 80.00"));
    let failure = board.output("csv", &query(r#"{"sort": "gene"}"#)).unwrap_err();
    assert!(failure.message.contains("ncbi, bc5cdr, condition, drug, mean_of_datasets"));
    assert!(board.output("html", &BoardQuery::default()).is_err());
    assert!(board.output("csv", &query(r#"{"metric": "F2"}"#)).is_err());
}

fn said(paths: &[&str]) -> Vec<(Option<&'static str>, Option<String>, Option<&'static str>)> {
    arrange(paths).into_iter().map(|Arranged { role, system, dataset }| (role, system, dataset)).collect()
}

/// One line a path: role, system, dataset.
fn lines(paths: &[&str]) -> Vec<String> {
    let line = |(role, system, dataset): (Option<&str>, Option<String>, Option<&str>)| {
        format!("{} {} {}", role.unwrap_or("-"), system.as_deref().unwrap_or("-"), dataset.unwrap_or("-"))
    };
    said(paths).into_iter().map(line).collect()
}

#[test]
fn paths() {
    let convention = [
        ("bench/gold/NCBI/gold.jsonl", "gold - NCBI"),
        ("bench/gold/bc5-cdr/x.xml", "gold - BC5CDR"),
        ("bench/gliner/ncbi-disease/preds.jsonl", "prediction gliner NCBI"),
        ("bench/gliner/BC5CDR/brat/1.ann", "prediction gliner BC5CDR"),
        ("bench/gliner/config.json", "config gliner -"),
        ("bench/gliner/NCBI/tokenizer.json", "tokenizer gliner NCBI"),
        (
            "bench/bioformer-8L-ncbi-disease/Chia/NCT00050349_exc.ann",
            "prediction bioformer-8L-ncbi-disease CHIA",
        ),
        ("bench/bioformer-8L-ncbi-disease/config.json", "config bioformer-8L-ncbi-disease -"),
        ("bench/gliner_BIORED.jsonl", "prediction gliner BIORED"),
        ("bench/other/NCER/ncer_results.json", "results other -"),
        ("bench/README.md", "- - -"),
        ("bench/anchiara/x.jsonl", "- - -"),
    ];
    let paths: Vec<&str> = convention.iter().map(|(path, _)| *path).collect();
    assert_eq!(lines(&paths), convention.map(|(_, said)| said.to_owned()));
}

#[test]
fn folders_side_by_side_above_datasets_are_systems() {
    let paths = [
        ("systems/model/NCBI/p.jsonl", "prediction model NCBI"),
        ("systems/run1/NCBI/p.jsonl", "prediction run1 NCBI"),
        ("systems/model/config.json", "config model -"),
        ("gold/NCBI/g.jsonl", "gold - NCBI"),
    ];
    assert_eq!(lines(&paths.map(|(path, _)| path)), paths.map(|(_, said)| said.to_owned()));
    // One alone may be the folder of all.
    assert_eq!(lines(&["model/NCBI/p.jsonl", "gold/NCBI/g.jsonl"]), ["prediction - NCBI", "gold - NCBI"]);
}

#[test]
fn own_names_of_corpora() {
    for (path, expected) in [
        ("NCBItestset_corpus.txt", "gold - NCBI"),
        ("CDR_Data/CDR.Corpus/CDR_TestSet.BioC.xml", "gold - BC5CDR"),
        ("chia_with_scope.zip", "gold - CHIA"),
        ("chia_with_scope/NCT00050349_exc.ann", "gold - CHIA"),
        ("chia/NCT00050349_exc.ann", "gold - CHIA"),
        ("gliner/chia/NCT00050349_exc.ann", "prediction gliner CHIA"),
        ("BioRED/Test.BioC.JSON", "gold - BIORED"),
        ("BioRED/Test.PubTator", "gold - BIORED"),
        ("Test.PubTator", "- - -"),
        ("ncbi/predictions.jsonl", "prediction - NCBI"),
        ("ncbi/gliner.jsonl", "prediction - NCBI"),
        ("ncbi.jsonl", "prediction - NCBI"),
        ("gold_ncbi.jsonl", "gold - NCBI"),
        ("out/gliner.ncbi.jsonl", "prediction gliner NCBI"),
        ("NCBI/gliner/x.jsonl", "prediction gliner NCBI"),
        ("gliner_ncbi/x.jsonl", "prediction gliner NCBI"),
        ("a.jsonl", "- - -"),
        ("gold.jsonl", "gold - -"),
        ("gliner/predictions/NCBI/NCBItestset_corpus.txt", "prediction gliner NCBI"),
        ("C:\\runs\\gliner\\ncbi\\x.jsonl", "prediction gliner NCBI"),
    ] {
        assert_eq!(lines(&[path]), [expected], "{path}");
    }
    // With gold in a place of its own, a file called like the corpus' is a prediction.
    assert_eq!(
        lines(&["gold/NCBI/x.txt", "gliner/NCBI/NCBItestset_corpus.txt"]),
        ["gold - NCBI", "prediction gliner NCBI"]
    );
    // Files of one dataset in one folder are called after their systems.
    assert_eq!(
        lines(&["runs24/gliner_ncbi.jsonl", "runs24/bert_ncbi.jsonl", "runs25/preds_ncbi.jsonl"]),
        ["prediction gliner NCBI", "prediction bert NCBI", "prediction runs25 NCBI"]
    );
}

#[test]
fn systems_of_results() {
    for (path, system) in [
        ("gliner/ncer_results.json", "gliner"),
        ("gliner/NCBI/ncer_results.json", "gliner"),
        ("gliner_large-v2.5.json", "gliner_large-v2.5"),
        ("x/gliner-v2_ncer_results.json", "gliner-v2"),
        ("ncer_results_gliner.json", "gliner"),
        ("ncer_results.json", "ncer_results"),
    ] {
        assert_eq!(system_of_results(path), system, "{path}");
    }
}

const GOLD: &str = "1|t|ab cd ef\n1|a|gh\n1\t0\t2\tab\tDisease\tD1\n1\t3\t5\tcd\tChemical\tC1\n\n";

/// A run of BC5CDR with one system, whose files are given.
fn bc5cdr(files: &[(&str, &[u8])], options: &str) -> Report {
    common::score(&[("g.txt", GOLD.as_bytes())], files, &serde_json::from_str(options).unwrap())
}

const OF_DATASET: &str = r#"{"benchmark": "ncer", "dataset": "BC5CDR"}"#;

#[test]
fn runs_and_their_reports() {
    let pred = GOLD.replace("3\t5\tcd\tChemical", "6\t8\tef\tDisease");
    let report = bc5cdr(&[("p.txt", pred.as_bytes())], OF_DATASET);
    let mut scored = Board::new();
    scored.add_report(&report).unwrap();
    let read = board(&[("x.json", &report.to_json())]);
    let of_datasets = format!("{{\"NCBI\": {{}}, \"BC5CDR\": {}}}", report.to_json());
    let keyed = board(&[("x.json", &of_datasets)]);
    let query = BoardQuery::default();
    for other in [&read, &keyed] {
        assert_eq!(other.output("csv", &query).unwrap(), scored.output("csv", &query).unwrap());
    }
    assert_eq!(scored.output("ncer", &query).unwrap(), report.output("ncer").unwrap());
    let view = scored.view();
    assert_eq!(
        (&view.systems[0].sources[..], &read.view().systems[0].sources[..]),
        (&["scored"][..], &["report"][..])
    );
    // ent_type: of condition 1 correct, 1 spurious; of drug 1 missed.
    assert_eq!(view.systems[0].metrics[0].types, [Some(66.67), Some(0.0)]);
    assert_eq!(view.systems[0].metrics[0].mean_of_types, Some(33.33));
    // Scored anew, the last run counts and nothing differs.
    let right = bc5cdr(&[("p.txt", GOLD.as_bytes())], OF_DATASET);
    scored.add_report(&right).unwrap();
    assert_eq!(scored.view().systems[0].metrics[0].datasets, [Some(100.0)]);
    assert_eq!(problems(&scored), []);
    // Beside a results file that says otherwise it is told.
    scored.add_results("system.json", results("bc5cdr: 50.0", "drug: 50.0").as_bytes());
    assert_eq!(problems(&scored).len(), 1);
    assert_eq!(scored.view().systems[0].sources, ["scored", "results"]);
    // Numbers that are not the benchmark's are not ranked.
    let general = bc5cdr(&[("p.txt", pred.as_bytes())], "{}");
    assert_eq!(scored.add_report(&general).unwrap_err().code, "not_ranked");
    let chosen = r#"{"dataset": "BC5CDR", "labels": ["drug"]}"#;
    assert!(bc5cdr(&[("p.txt", pred.as_bytes())], chosen).output("ncer").is_err());
    assert_eq!(
        problems(&board(&[("x.json", &general.to_json())]))[0].0,
        "a report whose numbers are not the benchmark's"
    );
}

#[test]
fn a_type_is_averaged_before_it_is_rounded() {
    // Two runs of the same system: condition 2/3 under BC5CDR, 1 under NCBI: Python's round((2/3 + 1) / 2 * 100, 2).
    let pred = GOLD.replace("3\t5\tcd\tChemical", "6\t8\tef\tDisease");
    let mut board = Board::new();
    board.add_report(&bc5cdr(&[("p.txt", pred.as_bytes())], OF_DATASET)).unwrap();
    let gold = "1|t|ab\n1|a|gh\n1\t0\t2\tab\tModifier\tD1\n\n".as_bytes();
    let options = serde_json::from_str(r#"{"dataset": "NCBI"}"#).unwrap();
    board.add_report(&common::score(&[("g.txt", gold)], &[("p.txt", gold)], &options)).unwrap();
    let view = board.view();
    assert_eq!(view.datasets, ["ncbi", "bc5cdr"]);
    assert_eq!(view.systems[0].metrics[0].types, [Some(83.33), Some(0.0)]);
    assert_eq!(view.systems[0].metrics[0].mean_of_datasets, Some(75.0));
    let shown = board.output("ncer", &BoardQuery::default()).unwrap();
    assert!(shown.starts_with(
        "{\"SpanBasedWithPartialOverlap\": {\"dataset_results\": {\"ncbi\": {\"f1\": 100.0}, \"bc5cdr\": {\"f1\": 50.0}}, \
         \"clinical_type_results\": {\"condition\": {\"f1\": 83.33}, \"drug\": {\"f1\": 0.0}}}, "
    ));
}

#[test]
fn the_label_maps_among_a_systems_files() {
    let pred = GOLD.replace("Disease", "ill").replace("Chemical", "pill");
    let config = br#"{"model_name": "m", "inference_config": {"label_normalization_map":
        {"BC5CDR": {"ill": "condition", "pill": "drug"}, "NCBI": {"ill": "condition"}}}}"#;
    let files: [(&str, &[u8]); 2] = [("m/p.txt", pred.as_bytes()), ("m/config.json", config)];
    let note = |report: &Report| {
        let note = report.systems[0].notes.iter().find(|note| note.kind == "config");
        note.map(|note| note.message.clone()).unwrap_or_default()
    };
    for options in [OF_DATASET, r#"{"dataset": "BC5CDR", "formatPred": "pubtator"}"#] {
        let report = bc5cdr(&files, options);
        assert_eq!(common::strict(&report), [2, 0, 0]);
        assert_eq!(report.inputs[2].format, Some("config"));
        assert_eq!(note(&report), "Labels are mapped by the config among the files.");
    }
    let report = bc5cdr(&files, r#"{"dataset": "BC5CDR", "map": {"ill": "condition"}}"#);
    assert_eq!(common::strict(&report), [1, 0, 1]);
    assert_eq!(note(&report), "The config's label map is not used: the options give one.");
    let report = bc5cdr(&files, r#"{"dataset": "CHIA"}"#);
    assert_eq!(note(&report), "The config among the files has no label map for CHIA: it is not used.");
    let broken: [(&str, &[u8]); 2] =
        [("p.txt", pred.as_bytes()), ("config.json", b"{\"label_normalization_map\": 3")];
    let report = bc5cdr(&broken, OF_DATASET);
    assert_eq!(common::problem_counts(&report.systems[0].side)[0], ("bad_record".to_owned(), 1));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn any_path_is_taken(paths in prop::collection::vec("([a-zÀé€😖._/ -]|NCBI|gold|config.json|CHIA){0,12}", 0..6)) {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        prop_assert_eq!(arrange(&paths).len(), paths.len());
        for path in paths {
            system_of_results(path);
        }
    }

    #[test]
    fn damaged_results_are_read(edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8)) {
        let whole = results("ncbi: 70.5, chia: 50.0", "condition: 60.0, drug: 12.25");
        let mut board = Board::new();
        board.add_results("a.json", whole.as_bytes());
        board.add_results("b.json", &common::edited(whole.as_bytes(), &edits));
        for row in board.view().systems {
            let cells = row.metrics.iter().flat_map(|cells| cells.datasets.iter().chain(&cells.types));
            prop_assert!(cells.flatten().all(|f1| (0.0..=100.0).contains(f1)));
        }
        for shape in ["csv", "markdown", "latex", "ncer"] {
            prop_assert!(board.output(shape, &BoardQuery::default()).is_ok());
        }
    }
}
