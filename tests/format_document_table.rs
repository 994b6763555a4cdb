//! Tables of document-level labels, and the JSON shapes of the same: what is detected, read and listed.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::Role;
use clinscore::corpus::Corpus;
use clinscore::formats::Choices;
use common::{problems, read, read_with, shared, text};
use proptest::prelude::*;

const TABLES: [&str; 4] = ["span-table", "document-table", "note-nlp", "document-scores"];

/// Labels and scores of a document; none where the file says nothing of it.
type Classes = Option<Vec<(String, Option<f64>)>>;

/// A label and its score, as tests write them.
type Scored = (&'static str, Option<f64>);

/// What was read, document by document.
fn classes(corpus: &Corpus) -> Vec<(String, Classes)> {
    let of = |document: &clinscore::corpus::Document| {
        document.classes.clone().map(|range| {
            let list = &corpus.classes[range.start as usize..range.end as usize];
            list.iter().map(|class| (corpus.labels.name(class.label).to_owned(), class.score)).collect()
        })
    };
    corpus.documents.iter().map(|document| (document.id.clone(), of(document))).collect()
}

/// Documents with labels and no scores.
fn sets(list: &[(&str, &[&str])]) -> Vec<(String, Classes)> {
    let one = |labels: &[&str]| Some(labels.iter().map(|label| ((*label).to_owned(), None)).collect());
    list.iter().map(|(id, labels)| ((*id).to_owned(), one(labels))).collect()
}

/// Documents with labels and scores.
fn scored(list: &[(&str, &[Scored])]) -> Vec<(String, Classes)> {
    let one = |labels: &[(&str, Option<f64>)]| {
        Some(labels.iter().map(|(label, score)| ((*label).to_owned(), *score)).collect())
    };
    list.iter().map(|(id, labels)| ((*id).to_owned(), one(labels))).collect()
}

fn table(content: &str) -> Corpus {
    let corpus = read(&[("x.csv", content.as_bytes())]);
    assert_eq!(corpus.files[0].format, Some("document-table"), "{content}");
    assert!(corpus.spans.is_empty());
    corpus
}

fn side(content: &str, role: Role) -> Corpus {
    let corpus = read_with(&[("x.csv", content.as_bytes())], &Choices { role, ..Choices::default() });
    assert_eq!(corpus.files[0].format, Some("document-table"), "{content}");
    corpus
}

#[test]
fn case_28_a_column_without_positives_is_a_label() {
    let gold = table("id,sepsis,stroke\na,1,0\nb,0,0\nc,1,0\n");
    assert_eq!(classes(&gold), sets(&[("a", &["sepsis"]), ("b", &[]), ("c", &["sepsis"])]));
    assert_eq!(gold.labels.names(), ["sepsis", "stroke"]);
    assert!(gold.files[0].reason.contains("a column each, with truth values"), "{}", gold.files[0].reason);
    let pred = table("id,sepsis,stroke\na,0.9,0.2\nb,0.3,0.1\nc,0.6,0.7\n");
    let row = |sepsis, stroke| [("sepsis", Some(sepsis)), ("stroke", Some(stroke))];
    assert_eq!(
        classes(&pred),
        scored(&[("a", &row(0.9, 0.2)), ("b", &row(0.3, 0.1)), ("c", &row(0.6, 0.7))])
    );
    assert!(pred.files[0].reason.contains("a column each, with scores"), "{}", pred.files[0].reason);
}

#[test]
fn case_29_logits_are_kept_as_they_are() {
    let gold = table("id,label\na,1\nb,0\nc,1\nd,0\n");
    assert_eq!(classes(&gold), sets(&[("a", &["label"]), ("b", &[]), ("c", &["label"]), ("d", &[])]));
    let pred = table("id,score\na,2.1\nb,0.3\nc,0.2\nd,-1.7\n");
    let row = |score| [("score", Some(score))];
    assert_eq!(
        classes(&pred),
        scored(&[("a", &row(2.1)), ("b", &row(0.3)), ("c", &row(0.2)), ("d", &row(-1.7))])
    );
}

#[test]
fn case_31_codes_are_strings() {
    let gold = table("hadm_id,codes\n100,038.9;250.00;V45.81\n");
    assert_eq!(classes(&gold), sets(&[("100", &["038.9", "250.00", "V45.81"])]));
    let pred = table("hadm_id,codes\n100,38.9;250.0;V4581\n");
    assert_eq!(classes(&pred), sets(&[("100", &["38.9", "250.0", "V4581"])]));
    // Even where every cell is a number.
    for name in ["codes", "icd9_code", "ICD9_CODE", "labels"] {
        let corpus = table(&format!("hadm_id,{name}\n100,038.90\n101,250.00\n"));
        assert_eq!(classes(&corpus), sets(&[("100", &["038.90"]), ("101", &["250.00"])]), "{name}");
        let corpus = table(&format!("hadm_id,{name}\n100,1\n101,0\n"));
        assert_eq!(classes(&corpus), sets(&[("100", &["1"]), ("101", &["0"])]), "{name}");
    }
}

#[test]
fn case_32_bars_crlf_and_no_codes() {
    let pred = table("1|401.9|038.9\r\n2|\r\n3\r\n4|272.4|\r\n");
    assert_eq!(
        classes(&pred),
        sets(&[("1", &["401.9", "038.9"]), ("2", &[]), ("3", &[]), ("4", &["272.4"])])
    );
    assert_eq!(pred.labels.names(), ["401.9", "038.9", "272.4"], "no empty label and no carriage return");
    assert_eq!(problems(&pred), []);
    assert!(pred.files[0].reason.contains("separated by bars"), "{}", pred.files[0].reason);
    let gold = table("id,codes\n1,401.9;038.9\n2,414.01\n3,\n4,272.4\n");
    assert_eq!(
        classes(&gold),
        sets(&[("1", &["401.9", "038.9"]), ("2", &["414.01"]), ("3", &[]), ("4", &["272.4"])])
    );
}

#[test]
fn case_34_one_class_a_document() {
    let corpus = table("id,stage\na,2\nb,2\nc,2\n");
    assert_eq!(classes(&corpus), sets(&[("a", &["2"]), ("b", &["2"]), ("c", &["2"])]));
    let corpus = table("id,stage\na,Stage 2\nb,Stage 3\n");
    assert_eq!(classes(&corpus), sets(&[("a", &["Stage 2"]), ("b", &["Stage 3"])]));
}

#[test]
fn case_35_decimal_comma_and_no_numbers() {
    let gold = table("id,los_days\na,2.5\nb,4\nc,7\nd,1\n");
    let row = |score| [("los_days", score)];
    assert_eq!(
        classes(&gold),
        scored(&[
            ("a", &row(Some(2.5))),
            ("b", &row(Some(4.0))),
            ("c", &row(Some(7.0))),
            ("d", &row(Some(1.0)))
        ])
    );
    let pred = table("id;los_days\na;2,5\nb;NaN\nc;inf\nd;\n");
    assert_eq!(
        classes(&pred),
        scored(&[("a", &row(Some(2.5))), ("b", &row(None)), ("c", &row(None)), ("d", &row(None))])
    );
    assert_eq!(problems(&pred), [("unusable_score", 3)]);
    let listed: Vec<_> = pred.problems.by_kind()[0]
        .2
        .iter()
        .map(|p| (p.place.line, p.place.document.clone().unwrap(), p.found.clone()))
        .collect();
    let expected = [(3, "b", "NaN"), (4, "c", "an infinite number"), (5, "d", "an empty cell")];
    let expected = expected.map(|(line, id, what)| (line, id.to_owned(), format!("{what} for los_days")));
    assert_eq!(listed, expected);
}

#[test]
fn truth_values_as_tables_write_them() {
    let expected = sets(&[("a", &["x"]), ("b", &["y"]), ("c", &["x", "y"])]);
    for (yes, no) in
        [("1", "0"), ("1.0", "0.0"), ("True", "False"), ("yes", "no"), ("Y", "N"), ("TRUE", "FALSE")]
    {
        let file = format!("id,x,y\na,{yes},{no}\nb,{no},{yes}\nc,{yes},{yes}\n");
        let corpus = table(&file);
        assert_eq!(classes(&corpus), expected, "{file}");
        assert_eq!(problems(&corpus), []);
    }
    // An empty cell is said.
    let corpus = table("id,x,y\na,1,\nb,0,1\n");
    assert_eq!(classes(&corpus), sets(&[("a", &["x"]), ("b", &["y"])]));
    assert_eq!(problems(&corpus), [("empty_value", 1)]);
    // The rows after the first ones decide too: one probability makes scores of all.
    let mut file = "id,x,y\n".to_owned();
    for row in 0..400 {
        file += &format!("d{row},1,0\n");
    }
    let corpus = table(&file);
    assert_eq!(corpus.classes.len(), 400);
    let corpus = table(&(file + "last,0.5,0.25\n"));
    assert_eq!(corpus.classes.len(), 802);
    assert!(corpus.files[0].reason.contains("with scores"), "{}", corpus.files[0].reason);
}

#[test]
fn a_label_a_row() {
    for file in [
        "id,label\na,x\nb,y\na,z\n",
        "id\tclass\na\tx\nb\ty\na\tz\n",
        ",hadm_id,seq,icd_code\n0,a,1,x\n1,b,1,y\n2,a,2,z\n",
        "id,label,present\na,x,1\na,w,0\nb,y,1\na,z,1\n",
    ] {
        let corpus = table(file);
        assert_eq!(classes(&corpus), sets(&[("a", &["x", "z"]), ("b", &["y"])]), "{file}");
    }
    let expected = scored(&[("a", &[("x", Some(0.5)), ("z", Some(0.25))]), ("b", &[("y", None)])]);
    for file in ["id,label,score\na,x,0.5\nb,y,\na,z,0.25\n", "id;pred;prob\na;x;0,5\nb;y;NaN\na;z;0,25\n"] {
        let corpus = table(file);
        assert_eq!(classes(&corpus), expected, "{file}");
        assert_eq!(problems(&corpus), [("unusable_score", 1)]);
    }
    // Without header, and a rank that is no score; the order is kept.
    let corpus = table("c1\t8041/3\nc1\t8000/6\nc2\t8140/3\n");
    assert_eq!(classes(&corpus), sets(&[("c1", &["8041/3", "8000/6"]), ("c2", &["8140/3"])]));
    let corpus = table("c1\tn20.0\t0.9\nc1\ta53.9\t0.5\n");
    assert_eq!(classes(&corpus), scored(&[("c1", &[("n20.0", Some(0.9)), ("a53.9", Some(0.5))])]));
    let corpus = table("c1\tn20.0\t1\nc1\ta53.9\t2\n");
    assert_eq!(classes(&corpus), sets(&[("c1", &["n20.0", "a53.9"])]));
}

#[test]
fn lists_in_a_cell() {
    for list in [
        "401.9;038.90",
        "401.9; 038.90;",
        "401.9|038.90",
        "\"401.9,038.90\"",
        "401.9 038.90",
        "\"['401.9', '038.90']\"",
        "\"[\"\"401.9\"\", \"\"038.90\"\"]\"",
        "\"[401.9, 038.90]\"",
    ] {
        let corpus = table(&format!("id,codes\na,{list}\nb,\n"));
        assert_eq!(classes(&corpus), sets(&[("a", &["401.9", "038.90"]), ("b", &[])]), "{list}");
        assert_eq!(problems(&corpus), [], "{list}");
    }
    let corpus = table("id,codes\na,\"[250.00, V45.81]\"\nb,\"[\"\"V45\"\", 250.00]\"\nc,\"['V45', 'x\"\n");
    assert_eq!(
        classes(&corpus),
        sets(&[("a", &["250.00", "V45.81"]), ("b", &["V45", "250.00"]), ("c", &[])])
    );
    assert_eq!(problems(&corpus), [("bad_record", 1)]);
    // Words with commas and white space are one label.
    let corpus = table("id,label\na,\"Pain, in the chest\"\nb,Other; unclear\n");
    assert_eq!(classes(&corpus), sets(&[("a", &["Pain, in the chest"]), ("b", &["Other; unclear"])]));
}

#[test]
fn predictions_beside_the_gold() {
    // mimic3-benchmarks: decompensation, in-hospital mortality.
    let file = "stay,period_length,prediction,y_true\n1_e1.csv,5.0,0.25,0\n1_e1.csv,6.0,0.75,1\n";
    let gold = side(file, Role::Gold);
    assert_eq!(classes(&gold), sets(&[("1_e1.csv 5", &[]), ("1_e1.csv 6", &["y_true"])]));
    assert!(gold.files[0].both_sides);
    assert_eq!(problems(&gold), []);
    let pred = side(file, Role::Prediction);
    let row = |score| [("y_true", Some(score))];
    assert_eq!(classes(&pred), scored(&[("1_e1.csv 5", &row(0.25)), ("1_e1.csv 6", &row(0.75))]));
    // Its list of the gold alone gives the same ids and label.
    let list = side("stay,period_length,y_true\n1_e1.csv,5,0\n1_e1.csv,6,1\n", Role::Gold);
    assert_eq!(classes(&list), classes(&gold));
    assert!(!list.files[0].both_sides);
    // Length of stay.
    let file = "stay,period_length,prediction,y_true\ns,5.0,30.5,28.25\n";
    assert_eq!(classes(&side(file, Role::Gold)), scored(&[("s 5", &row(28.25))]));
    assert_eq!(classes(&side(file, Role::Prediction)), scored(&[("s 5", &row(30.5))]));
    // Phenotyping.
    let file = "stay,period_length,pred_1,pred_2,label_1,label_2\ns,5.0,0.5,0.25,1,0\n";
    assert_eq!(classes(&side(file, Role::Gold)), sets(&[("s 5", &["1"])]));
    assert_eq!(
        classes(&side(file, Role::Prediction)),
        scored(&[("s 5", &[("1", Some(0.5)), ("2", Some(0.25))])])
    );
    // Classes.
    let file = "id,y_true,y_pred\na,x,y\nb,z,z\n";
    assert_eq!(classes(&side(file, Role::Gold)), sets(&[("a", &["x"]), ("b", &["z"])]));
    assert_eq!(classes(&side(file, Role::Prediction)), sets(&[("a", &["y"]), ("b", &["z"])]));
}

#[test]
fn documents_with_their_text() {
    let corpus =
        table("HADM_ID,TEXT,LABELS,length\n1,\"pain, \"\"bad\"\"\nsecret\",401.9;038.9,3\n2,none,,1\n");
    assert_eq!(classes(&corpus), sets(&[("1", &["401.9", "038.9"]), ("2", &[])]));
    assert_eq!(text(&corpus, 0).unwrap(), "pain, \"bad\"\nsecret");
    assert_eq!(problems(&corpus), [("column_not_read", 1)]);
}

#[test]
fn rows_that_are_odd() {
    let corpus = table("id,label,score\na,x,1.5\nb,y\n,z,1\na,x,2,3\nc,x,secret\nd,x,1\n");
    assert_eq!(
        problems(&corpus),
        [("bad_record", 2), ("uneven_row", 1), ("unusable_score", 2)],
        "b has no score, c none that is a number"
    );
    for (_, _, list) in corpus.problems.by_kind() {
        assert!(list.iter().all(|problem| problem.place.line > 1 && !problem.found.contains("secret")));
    }
    // The same document twice in a matrix.
    let corpus = table("id,x,y\na,1,0\na,0,1\n");
    assert_eq!(problems(&corpus), [("document_joined", 1)]);
    assert_eq!(classes(&corpus), sets(&[("a", &["x", "y"])]));
}

#[test]
fn json_lists_of_labels() {
    let corpus = read(&[(
        "x.jsonl",
        b"{\"id\":1,\"labels\":[\"401.9\",\"038.9\"]}\n{\"id\":2,\"labels\":[]}\n{\"id\":3}\n",
    )]);
    assert_eq!(corpus.files[0].format, Some("json"));
    let mut expected = sets(&[("1", &["401.9", "038.9"]), ("2", &[])]);
    expected.push(("3".into(), None));
    assert_eq!(classes(&corpus), expected);
    assert_eq!(problems(&corpus), []);
    // One class; spans beside it.
    let corpus =
        read(&[("x.jsonl", b"{\"id\":1,\"text\":\"ab\",\"label\":\"x\",\"entities\":[[0,1,\"y\"]]}\n")]);
    assert_eq!(classes(&corpus), sets(&[("1", &["x"])]));
    assert_eq!(corpus.spans.len(), 1);
    // Tags and spans are no classes, and an empty list of spans says nothing of classes.
    let corpus = read(&[("x.jsonl", b"{\"id\":1,\"tokens\":[\"a\"],\"ner_tags\":[\"O\"],\"labels\":[\"x\"]}\n{\"id\":2,\"text\":\"a\",\"label\":[]}\n{\"id\":3,\"text\":\"a\",\"label\":[[0,1,\"y\"]]}\n")]);
    assert_eq!(classes(&corpus), [("1".into(), None), ("2".into(), None), ("3".into(), None)]);
    assert_eq!(corpus.labels.names(), ["y"]);
}

#[test]
fn json_scores_by_document() {
    let file = "{\"100\": {\"401.9\": 0.93, \"038.90\": 2e-3},\n \"1\\u0030\": {}, \"102\": {\"V45\": NaN, \"x\\\"y\": 1, \"250.0\": null}}\n";
    let corpus = read(&[("x.json", file.as_bytes())]);
    assert_eq!(corpus.files[0].format, Some("document-scores"));
    assert_eq!(
        classes(&corpus),
        scored(&[
            ("100", &[("401.9", Some(0.93)), ("038.90", Some(0.002))]),
            ("10", &[]),
            ("102", &[("V45", None), ("x\"y", Some(1.0)), ("250.0", None)])
        ])
    );
    assert_eq!(problems(&corpus), [("unusable_score", 2)]);
    // Other JSON is left to its reader.
    for file in [
        "{\"id\": 1, \"text\": \"a\", \"entities\": []}",
        "{\"drug\": [\"levodopa\"]}",
        "{\"meta\": {\"version\": 1}, \"documents\": []}",
        "{\"a\": {\"start\": 0, \"label\": \"x\"}}",
        "{\"a\": {}}",
    ] {
        let corpus = read(&[("x.json", file.as_bytes())]);
        assert_ne!(corpus.files[0].format, Some("document-scores"), "{file}");
    }
    // A first document longer than what is looked at.
    let codes: Vec<String> = (0..20_000).map(|code| format!("\"{code}\":0.5")).collect();
    let file = format!("{{\"1\":{{{}}},\"2\":{{\"7\":0.25}}}}", codes.join(","));
    let corpus = read(&[("x.json", file.as_bytes())]);
    assert_eq!((corpus.documents.len(), corpus.classes.len()), (2, 20_001));
}

#[test]
fn json_scores_cut_at_every_byte() {
    let file = "{\"d0\":{\"a\":0.5,\"b\":1},\"d1\":{\"a\":0.25},\"d2\":{\"c\":0.125}}";
    let whole = classes(&read(&[("x.json", file.as_bytes())]));
    let ends: Vec<usize> = file.match_indices('}').map(|(at, _)| at + 1).take(3).collect();
    let choices = Choices { format: "document-scores".into(), ..Choices::default() };
    for cut in 1..file.len() {
        for chunk in [1, 1 << 20] {
            let corpus =
                read_with(&[("x.json", &file.as_bytes()[..cut])], &Choices { chunk, ..choices.clone() });
            let found = classes(&corpus);
            let complete = ends.iter().filter(|&&end| end <= cut).count();
            assert_eq!(found, whole[..complete], "cut at {cut}");
            assert!(problems(&corpus).iter().any(|p| p.0 == "bad_record"), "cut at {cut}");
        }
    }
}

#[test]
fn tables_cut_at_every_byte() {
    let file = "id,codes\nd0,\"401.9,038.9\"\nd1,\nd2,V45;272.4\n";
    let whole = classes(&table(file));
    let ends: Vec<usize> = file.match_indices('\n').map(|(at, _)| at + 1).skip(1).collect();
    for cut in 0..file.len() {
        let found = classes(&read(&[("x.csv", &file.as_bytes()[..cut])]));
        let complete = ends.iter().filter(|&&end| end <= cut).count();
        assert!(found.len() >= complete && found.len() <= whole.len(), "cut at {cut}: {found:?}");
        // Whether `;` and `,` separate codes is decided by all rows.
        let ids = |list: &[(String, Classes)]| list.iter().map(|d| d.0.clone()).collect::<Vec<_>>();
        assert_eq!(ids(&found[..complete]), ids(&whole[..complete]), "cut at {cut}");
    }
}

#[test]
fn what_is_no_table_of_documents() {
    for (file, format) in [
        ("id,start,end,label\na,0,1,x\n", Some("span-table")),
        ("id\tstart\tend\tlabel\na\t0\t1\tx\n", Some("span-table")),
        ("1\t0\t7\tAspirin\tdrug\n", Some("pubtator")),
        ("1|t|Aspirin\n1|a|helps\n", Some("pubtator")),
        ("T1\tdrug 0 7\tAspirin\n", Some("brat")),
    ] {
        assert_eq!(read(&[("x", file.as_bytes())]).files[0].format, format, "{file}");
    }
    for file in [
        "Aspirin\tB-drug\nhelps\tO\n\nNo\tO\n",
        "Vitamin\tB-drug\nB12\tI-drug\n",
        "Patient seen on day 3, doing well.\nPlan: discharge, follow-up in 2 weeks.\n",
        "HR 80, BP 120/80\nSpO2 98, T 37.0\n",
        // Titles with commas in the names of chemicals.
        "Synthesis of 1-(2,4-dichlorophenyl)-3-methyl\nA mixture (5 g, 2 mmol, 3 eq) was heated.\n",
        "Ester (2,3)\n4,5\n",
        "Pain, mild\n7,8\nand more\n",
        "- Drug: levodopa\n- Drug: apixaban\n",
        "| drug | dose |\n|---|---|\n| a | 5 |\n",
        "c=\"renal failure\" 2:2 2:3||t=\"problem\"\n",
    ] {
        assert_ne!(read(&[("x", file.as_bytes())]).files[0].format, Some("document-table"), "{file}");
    }
    let choices = Choices { format: "document-table".into(), ..Choices::default() };
    let corpus = read_with(&[("x.csv", b"just words\nand words\n")], &choices);
    assert_eq!(problems(&corpus), [("bad_record", 1)]);
}

fn quoted(cell: &str) -> String {
    if cell.contains(['"', '\n', ',']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.into() }
}

proptest! {
    /// A label a row, a list a row and bars hold the same labels.
    #[test]
    fn round_trip(rows in prop::collection::vec(
        prop::collection::btree_set(proptest::sample::select(vec!["401.9", "038.9", "V45.81", "8041/3"]), 0..4), 1..6
    )) {
        let expected: Vec<(String, Classes)> = rows
            .iter()
            .enumerate()
            .map(|(at, codes)| (format!("d{at}"), Some(codes.iter().map(|code| ((*code).to_owned(), None)).collect())))
            .collect();
        let (mut long, mut list, mut bars) = ("id,code\n".to_owned(), "id,codes\n".to_owned(), String::new());
        for (at, codes) in rows.iter().enumerate() {
            let codes: Vec<&str> = codes.iter().copied().collect();
            for code in &codes {
                long += &format!("d{at},{}\n", quoted(code));
            }
            if codes.is_empty() {
                long += &format!("d{at},\n");
            }
            list += &format!("d{at},{}\n", quoted(&codes.join(";")));
            bars += &format!("d{at}|{}\r\n", codes.join("|"));
        }
        prop_assert_eq!(&classes(&table(&long)), &expected);
        prop_assert_eq!(&classes(&table(&list)), &expected);
        if rows.iter().any(|codes| !codes.is_empty()) {
            prop_assert_eq!(&classes(&table(&bars)), &expected);
        }
    }

    /// Scores come back as they were written.
    #[test]
    fn round_trip_of_scores(rows in prop::collection::vec((0.0_f64..1.0, -5.0_f64..5.0), 1..6)) {
        let mut file = "id,x,y\n".to_owned();
        for (at, (x, y)) in rows.iter().enumerate() {
            file += &format!("d{at},{x:?},{y:?}\n");
        }
        let corpus = table(&file);
        let found: Vec<f64> = corpus.classes.iter().map(|class| class.score.unwrap()).collect();
        let expected: Vec<f64> = rows.iter().flat_map(|(x, y)| [*x, *y]).collect();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn the_same_labels_from_pandas() {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/formats/document-table");
    let load = |name: &str| read(&[(name, &std::fs::read(folder.join(name)).unwrap())]);
    // As tests/fixtures/formats/document-table/make.py says them to pandas.
    let expected = sets(&[("100", &["038.9", "250.00", "V45.81"]), ("101", &["401.9"]), ("102", &[])]);
    for name in ["list.csv", "python-list.csv", "semicolon.csv"] {
        let corpus = load(name);
        assert_eq!(corpus.files[0].format, Some("document-table"), "{name}");
        assert_eq!(classes(&corpus), expected, "{name}");
        assert_eq!(problems(&corpus), [], "{name}");
    }
    let expected = sets(&[("100", &["sepsis"]), ("101", &["sepsis", "stroke"]), ("102", &[])]);
    for name in ["truth-int.csv", "truth-bool.csv", "truth-float.csv"] {
        assert_eq!(classes(&load(name)), expected, "{name}");
    }
    let corpus = load("scores.csv");
    let row = |sepsis, stroke| [("sepsis", sepsis), ("stroke", stroke)];
    assert_eq!(
        classes(&corpus),
        scored(&[
            ("100", &row(Some(0.9), Some(1e-7))),
            ("101", &row(None, Some(0.5))),
            ("102", &row(Some(0.25), None))
        ])
    );
    assert_eq!(problems(&corpus), [("unusable_score", 2)]);
}

/// Notes, annotations and records of every other corpus are left to their own readers.
#[test]
fn other_real_files_are_no_tables() {
    let Some(shared) = shared() else { return };
    let mut folders = vec![shared.join("data")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.to_str().unwrap().to_owned();
            let small = path.metadata().unwrap().len() < 100_000;
            if !small || name.ends_with(".zip") || name.contains("coding/") && name.ends_with(".tsv") {
                continue;
            }
            files += 1;
            let corpus = read(&[(&name, &std::fs::read(&path).unwrap())]);
            assert!(corpus.files.iter().all(|f| f.format.is_none_or(|f| !TABLES.contains(&f))), "{name}");
        }
    }
    assert!(files > 100, "{files} files");
}

#[test]
fn real_files() {
    let Some(shared) = shared() else { return };
    let folder = shared.join("data/coding");
    let load = |name: &str| {
        let corpus = read(&[(name, &std::fs::read(folder.join(name)).unwrap())]);
        assert_eq!(corpus.files[0].format, Some("document-table"), "{name}");
        corpus
    };
    // Rows, documents and different codes, counted with cut, sort and Python's csv.
    for (name, rows, documents, codes) in [
        ("codiesp/gold/codiesp-D/sample/sample_annotations_D.tsv", 200, 15, 144),
        ("codiesp/gold/codiesp-P/sample/sample_annotations_P.tsv", 52, 12, 37),
        ("codiesp/gold/toy_data/gs_D.tsv", 14, 3, 10),
        ("codiesp/system/toy_data/pred_D.tsv", 15, 2, 12),
        ("cantemist/gs-data/gs-coding.tsv", 5, 2, 4),
        ("cantemist/toy-data/pred-coding.tsv", 6, 2, 6),
        ("hoc_test.tsv", 478, 315, 10),
    ] {
        let corpus = load(name);
        let found = (corpus.classes.len(), corpus.documents.len(), corpus.labels.names().len());
        assert_eq!(found, (rows, documents, codes), "{name}");
        assert_eq!(problems(&corpus), [], "{name}");
    }
    let hoc = load("hoc_test.tsv");
    let characters: u64 = hoc.documents.iter().map(|d| d.digest.unwrap().length).sum();
    assert_eq!(characters, 476_800);
}

proptest! {
    /// Whatever the bytes: no panic, and the same with any chunk.
    #[test]
    fn any_bytes(parts in prop::collection::vec(proptest::sample::select(vec![
        "id", "start", "end", "label", "text", "note_id", "offset", "lexical_variant", "entities", "codes", "score",
        ",", ",", ",", "\t", "\t", ";", "|", "\n", "\n", "\r\n", "\r", "\"", "\"\"", " ", "1", "0", "12.0",
        "9223372036854775807", "-9223372036854775808", "0.5", "NaN", "[", "]", "(1, 2, 'x')", "'", "\\", "\\x",
        "{", "}", ":", "\u{feff}", "\u{1f616}", "\u{ef}", "\0",
    ]), 0..60), broken in any::<bool>()) {
        let mut bytes = parts.concat().into_bytes();
        if broken {
            bytes.push(0xE9);
        }
        for format in std::iter::once("auto").chain(TABLES) {
            let all = |chunk| {
                let choices = Choices { format: format.into(), chunk, ..Choices::default() };
                let corpus = read_with(&[("x.csv", &bytes)], &choices);
                (classes(&corpus), common::spans(&corpus), problems(&corpus))
            };
            prop_assert_eq!(all(1), all(1 << 20), "{}", format);
        }
    }
}
