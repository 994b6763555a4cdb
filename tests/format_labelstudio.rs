//! Label Studio's JSON and JSON-MIN: what is read, repaired and listed. Shapes follow Label Studio's task format
//! (labelstud.io, "Label Studio JSON format of annotated tasks").
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::Role;
use clinscore::corpus::{Argument, Corpus};
use clinscore::formats::Choices;
use common::{Doc, as_docs, every_prefix, problems, read, read_with, spans, text};
use proptest::prelude::*;

const TASKS: &[u8] = include_bytes!("fixtures/formats/labelstudio/tasks.json");
const MIN: &[u8] = include_bytes!("fixtures/formats/labelstudio/min.json");

fn span(id: &str, start: i64, end: i64, label: &str) -> (String, i64, i64, String) {
    (id.to_owned(), start, end, label.to_owned())
}

fn one(json: &str) -> Corpus {
    let corpus = read(&[("x.json", json.as_bytes())]);
    assert_eq!(corpus.files[0].format, Some("label-studio"), "{json}");
    corpus
}

fn predicted(json: &str) -> Corpus {
    let choices = Choices { role: Role::Prediction, ..Choices::default() };
    read_with(&[("x.json", json.as_bytes())], &choices)
}

/// A region as Label Studio writes it.
fn region(id: &str, start: i64, end: i64, text: &str, labels: &str) -> String {
    format!(
        r#"{{"id":"{id}","type":"labels","from_name":"label","to_name":"text","origin":"manual","value":{{"start":{start},"end":{end},"text":{},"labels":[{labels}]}}}}"#,
        serde_json::to_string(text).unwrap()
    )
}

#[test]
fn the_shapes_of_exports() {
    let value = r#"{"start":0,"end":7,"text":"Aspirin","labels":["drug"]}"#;
    let result = format!(r#"[{{"type":"labels","from_name":"label","to_name":"text","value":{value}}}]"#);
    for json in [
        // As the specification has it.
        format!(
            r#"[{{"id":1,"data":{{"text":"Aspirin"}},"annotations":[{{"result":{result},"was_cancelled":false}}],"predictions":[]}}]"#
        ),
        // As the server writes it, keys in another order and more of them.
        format!(
            r#"[{{"id":1,"annotations":[{{"id":9,"completed_by":1,"result":{result},"was_cancelled":false,"ground_truth":false,"lead_time":NaN,"prediction":{{}}}}],"file_upload":"a.csv","drafts":[],"predictions":[],"data":{{"note":"Aspirin","source":"x"}},"meta":{{}},"inner_id":4,"project":24}}]"#
        ),
        // One task, older, without an id of its own.
        format!(r#"{{"inner_id":1,"data":{{"body":"Aspirin"}},"completions":[{{"result":{result}}}]}}"#),
        // One task a line.
        format!("{{\"id\":1,\"data\":{{\"text\":\"Aspirin\"}},\"annotations\":[{{\"result\":{result}}}]}}\n"),
        // JSON-MIN.
        format!(
            r#"[{{"text":"Aspirin","id":1,"ner":[{value}],"annotator":1,"annotation_id":9,"created_at":"2024","updated_at":"2024","lead_time":1.5}}]"#
        ),
    ] {
        let corpus = one(&json);
        assert_eq!(spans(&corpus), [span("1", 0, 7, "drug")], "{json}");
        assert_eq!(text(&corpus, 0).unwrap(), "Aspirin");
        assert_eq!(problems(&corpus), [], "{json}");
    }
    // Other records with such words in them are not Label Studio's.
    let corpus =
        read(&[("x.json", br#"[{"id":"1","text":"x","data":"annotations","entities":[[0,1,"a"]]}]"#)]);
    assert_eq!(corpus.files[0].format, Some("json"));
}

#[test]
fn json_min_without_bookkeeping_is_read_as_records() {
    let json = r#"[{"text":"Aspirin","label":[{"start":0,"end":7,"text":"Aspirin","labels":["drug"]}]}]"#;
    let corpus = read(&[("x.json", json.as_bytes())]);
    assert_eq!(corpus.files[0].format, Some("json"));
    assert_eq!(spans(&corpus), [span("#1", 0, 7, "drug")]);
    // Nothing but the shape says that a browser counted.
    let json = r#"[{"text":"😖 pain","label":[{"start":3,"end":7,"labels":["drug"]}]}]"#;
    let corpus = read(&[("x.json", json.as_bytes())]);
    assert_eq!(corpus.files[0].format, Some("json"));
    assert_eq!(spans(&corpus), [span("#1", 2, 6, "drug")]);
    assert_eq!(problems(&corpus), []);
}

#[test]
fn an_export_and_what_the_converter_makes_of_it_are_read_alike() {
    #[derive(serde::Deserialize)]
    struct Expected {
        text: String,
        spans: Vec<(i64, i64, String)>,
    }
    let expected: Expected =
        serde_json::from_str(include_str!("fixtures/formats/labelstudio/expected.json")).unwrap();
    for (bytes, is_min) in [(TASKS, false), (MIN, true)] {
        let corpus = read(&[("x.json", bytes)]);
        assert_eq!(corpus.files[0].format, Some("label-studio"));
        assert_eq!(text(&corpus, 0).unwrap(), expected.text);
        assert_eq!(text(&corpus, 1).unwrap(), "Nothing.");
        let found: Vec<(i64, i64, String)> = spans(&corpus).into_iter().map(|s| (s.1, s.2, s.3)).collect();
        assert_eq!(found, expected.spans);
        let ids: Vec<&str> = corpus.documents.iter().map(|document| document.id.as_str()).collect();
        assert_eq!(ids, ["41", "42"]);
        // The converter leaves the cancelled annotation out.
        let others = ("other_annotator", 1);
        if is_min {
            assert_eq!(problems(&corpus), [others]);
        } else {
            assert_eq!(problems(&corpus), [("rejected_record", 1), others]);
            assert_eq!(corpus.labels.name(corpus.classes[0].label), "Therapy");
        }
    }
}

#[test]
fn json_min_has_a_record_an_annotator() {
    let record = |annotator: u32, label: &str| {
        format!(
            r#"{{"text":"😖 pain","id":1,"label":[{{"start":3,"end":7,"labels":["{label}"]}}],"sentiment":"Bad","annotator":{annotator},"annotation_id":{annotator},"lead_time":1.5}}"#
        )
    };
    let corpus = one(&format!("[{},{}]", record(1, "A"), record(2, "B")));
    assert_eq!(spans(&corpus), [span("1", 2, 6, "A")]);
    assert_eq!(problems(&corpus), [("other_annotator", 1)]);
    assert_eq!(corpus.offsets[0].way.unit.name(), "utf16");
}

#[test]
fn offsets_are_utf16_unless_the_texts_say_otherwise() {
    let task = |start: i64, text: &str| {
        format!(
            r#"[{{"id":1,"data":{{"text":"😖😖 pain \n no"}},"annotations":[{{"result":[{}]}}]}}]"#,
            region("a", start, start + 4, text, "\"x\"")
        )
    };
    for (start, text, unit) in [(5, "pain", "utf16"), (3, "pain", "codepoint"), (5, "", "utf16")] {
        let corpus = one(&task(start, text));
        assert_eq!(spans(&corpus), [span("1", 3, 7, "x")], "{start} {text}");
        assert_eq!(corpus.offsets[0].way.unit.name(), unit);
        assert_eq!(problems(&corpus), []);
    }
}

#[test]
fn the_annotated_field_is_found_by_the_regions_texts() {
    let corpus = one(&format!(
        r#"[{{"id":1,"data":{{"text":"No, see the body for this","title":"Aspirin","report":"Gave aspirin\nfor pain"}},"annotations":[{{"result":[{},{}]}}]}},
            {{"id":2,"data":{{"text":"No, see the body for this","report":"Nothing"}},"annotations":[{{"result":[]}}]}}]"#,
        region("a", 5, 12, "aspirin", "\"drug\""),
        region("b", 5, 16, "aspirin\\nfor", "\"both\""),
    ));
    assert_eq!(text(&corpus, 0).unwrap(), "Gave aspirin\nfor pain");
    assert_eq!(text(&corpus, 1).unwrap(), "Nothing");
    // The second region's text has a backslash and an n for the line break.
    assert_eq!(problems(&corpus), []);
}

#[test]
fn own_texts_may_differ_in_white_space() {
    let corpus = one(&format!(
        r#"[{{"id":1,"data":{{"text":"acute\r\n  failure"}},"annotations":[{{"result":[{}]}}]}}]"#,
        region("a", 0, 16, "acute failure", "\"x\""),
    ));
    assert_eq!(spans(&corpus), [span("1", 0, 16, "x")]);
    assert_eq!(problems(&corpus), [("surface_folded", 1)]);
}

#[test]
fn annotations_and_predictions_are_two_sides() {
    let json = format!(
        r#"[{{"id":1,"data":{{"text":"Aspirin"}},"annotations":[{{"result":[{}]}}],"predictions":[{{"model_version":"m","score":0.1,"result":[{}]}},{{"result":[]}}]}},
            {{"id":2,"data":{{"text":"None"}},"annotations":[{{"result":[]}}],"predictions":[]}}]"#,
        region("a", 0, 7, "Aspirin", "\"gold\""),
        region("b", 0, 3, "Asp", "\"system\"").replace("\"origin\"", "\"score\":0.75,\"origin\""),
    );
    let gold = one(&json);
    assert_eq!(spans(&gold), [span("1", 0, 7, "gold")]);
    assert_eq!(gold.documents.len(), 2);
    assert!(gold.files[0].both_sides);
    let system = predicted(&json);
    assert_eq!(spans(&system), [span("1", 0, 3, "system")]);
    assert_eq!(system.detail(&system.spans[0]).unwrap().score, Some(0.75));
    assert!(system.files[0].both_sides);
    assert_eq!(problems(&system), [("other_annotator", 1), ("not_annotated", 1)]);
    // A file of annotations may be a system's.
    let json = format!(
        r#"[{{"id":1,"data":{{"text":"Aspirin"}},"annotations":[{{"result":[{}]}}],"predictions":[]}}]"#,
        region("a", 0, 7, "Aspirin", "\"x\"")
    );
    let system = predicted(&json);
    assert_eq!(spans(&system), [span("1", 0, 7, "x")]);
    assert!(!system.files[0].both_sides);
}

#[test]
fn the_first_annotation_that_was_kept_counts_or_the_ground_truth() {
    let annotation = |label: &str, more: &str| {
        format!("{{\"result\":[{}]{more}}}", region("a", 0, 7, "Aspirin", &format!("\"{label}\"")))
    };
    let task = |id: u32, list: &[String]| {
        format!(r#"{{"id":{id},"data":{{"text":"Aspirin"}},"annotations":[{}]}}"#, list.join(","))
    };
    let corpus = one(&format!(
        "[{},{},{},{}]",
        task(1, &[annotation("a", ",\"was_cancelled\":true"), annotation("b", ""), annotation("c", "")]),
        task(2, &[annotation("a", ""), annotation("b", ",\"ground_truth\":true")]),
        task(3, &[annotation("a", ",\"was_cancelled\":true")]),
        task(4, &[]),
    ));
    assert_eq!(spans(&corpus), [span("1", 0, 7, "b"), span("2", 0, 7, "b")]);
    assert_eq!(problems(&corpus), [("rejected_record", 2), ("other_annotator", 2), ("not_annotated", 1)]);
}

#[test]
fn labels_choices_and_relations() {
    let corpus = one(&format!(
        r#"[{{"id":"t","data":{{"text":"Aspirin for pain"}},"annotations":[{{"result":[
            {},
            {},
            {{"id":"a","type":"choices","from_name":"certainty","to_name":"text","value":{{"start":0,"end":7,"choices":["low"]}}}},
            {{"id":"q","type":"choices","from_name":"topic","to_name":"text","value":{{"choices":["Therapy","Other"]}}}},
            {{"id":"z","type":"taxonomy","from_name":"t","to_name":"text","value":{{"start":8,"end":11,"text":"for","taxonomy":[["Word","Small"]]}}}},
            {{"type":"relation","from_id":"a","to_id":"b","direction":"right","labels":["treats"]}},
            {{"type":"relation","from_id":"b","to_id":"a","direction":"left"}},
            {{"type":"relation","from_id":"a","to_id":"gone","labels":["x"]}},
            {{"id":"a","type":"textarea","from_name":"note","to_name":"text","value":{{"text":["free words"]}}}},
            {{"type":"rectanglelabels","value":{{"x":1,"y":2,"rectanglelabels":["r"]}}}}]}}]}}]"#,
        region("a", 0, 7, "Aspirin", "\"drug\",\"substance\""),
        region("b", 12, 16, "pain", "\"problem\""),
    ));
    assert_eq!(
        spans(&corpus),
        [
            span("t", 0, 7, "drug"),
            span("t", 0, 7, "substance"),
            span("t", 12, 16, "problem"),
            span("t", 8, 11, "Word/Small")
        ]
    );
    assert_eq!(problems(&corpus), [("relation", 1), ("attribute", 2)]);
    let detail = corpus.detail(&corpus.spans[0]).unwrap();
    assert_eq!(detail.more.as_ref().unwrap().attributes, [("certainty".to_owned(), "low".to_owned())]);
    let classes: Vec<&str> = corpus.classes.iter().map(|class| corpus.labels.name(class.label)).collect();
    assert_eq!(classes, ["Therapy", "Other"]);
    assert_eq!(corpus.documents[0].classes, Some(0..2));
    assert_eq!(corpus.relations.len(), 2);
    assert_eq!(corpus.relations[0].label, "treats");
    assert_eq!(
        corpus.relations[0].arguments,
        [("from".to_owned(), Argument::Span(0)), ("to".to_owned(), Argument::Span(2))]
    );
    assert_eq!(corpus.relations[1].label, "relation");
}

#[test]
fn pages_and_dialogues_need_global_offsets() {
    let hypertext = |global: &str| {
        format!(
            r#"[{{"id":1,"data":{{"html":"<p>Gave <b>aspirin</b></p>"}},"annotations":[{{"result":[{{"id":"a","type":"hypertextlabels","value":{{"start":"/p[1]/b[1]/text()[1]","end":"/p[1]/b[1]/text()[1]","startOffset":0,"endOffset":7,{global}"text":"aspirin","hypertextlabels":["drug"]}}}}]}}]}}]"#
        )
    };
    let corpus = one(&hypertext("\"globalOffsets\":{\"start\":5,\"end\":12},"));
    assert_eq!(spans(&corpus), [span("1", 5, 12, "drug")]);
    assert_eq!(text(&corpus, 0), None);
    assert_eq!(problems(&corpus)[0], ("text_unusable", 1));
    let corpus = one(&hypertext(""));
    assert_eq!(spans(&corpus), []);
    assert_eq!(problems(&corpus), [("bad_span", 1)]);
    // Older versions labelled plain text so.
    let corpus = one(
        r#"[{"id":1,"data":{"text":"Aspirin"},"annotations":[{"result":[{"type":"hypertextlabels","value":{"start":"0","end":"7","text":"Aspirin","hypertextlabels":["drug"]}}]}]}]"#,
    );
    assert_eq!(spans(&corpus), [span("1", 0, 7, "drug")]);
    assert_eq!(problems(&corpus), []);
    let corpus = one(
        r#"[{"id":1,"data":{"dialogue":[{"author":"A","text":"Aspirin"}]},"annotations":[{"result":[{"type":"paragraphlabels","value":{"start":"0","end":"0","startOffset":0,"endOffset":7,"text":"Aspirin","paragraphlabels":["drug"]}}]}]}]"#,
    );
    assert_eq!(problems(&corpus), [("bad_span", 1)]);
}

#[test]
fn faults_are_listed_with_their_lines_and_without_text() {
    let file = format!(
        "[{{\"id\":1,\"data\":{{\"text\":\"Secret pain\"}},\n\"annotations\":[{{\"result\":[\n7,\n{},\n{},\n{}]}}]}},\n\
         {{\"id\":2,\"annotations\":[{{\"result\":[]}}]}},\n{{\"id\":3,\"data\":{{\"text\":\"Secret\"}},\"annotations\":[9]}},\n\
         [\"Secret\"],\n{{\"id\":4,\"data\":{{\"text\":\"Secret",
        region("a", 0, 6, "Secret", ""),
        region("b", 7, 11, "pain", "\"x\""),
        region("c", 7, 11, "pain", "\"x\"").replace("\"end\":11", "\"end\":\"Secret\""),
    );
    let corpus = one(&file);
    assert_eq!(spans(&corpus), [span("1", 7, 11, "x")]);
    let listed: Vec<(&str, u64)> = corpus
        .problems
        .by_kind()
        .iter()
        .flat_map(|(kind, _, list)| list.iter().map(|problem| (kind.name(), problem.place.line)))
        .collect();
    assert_eq!(
        listed,
        [
            ("bad_record", 7),
            ("bad_record", 8),
            ("bad_record", 9),
            ("bad_record", 10),
            ("bad_record", 0),
            ("bad_span", 3),
            ("bad_span", 4),
            ("bad_span", 6),
            ("not_annotated", 8)
        ]
    );
    let all = corpus.problems.by_kind();
    assert!(all.iter().all(|kind| kind.2.iter().all(|problem| !problem.found.contains("ecret"))));
    assert!(all[0].2[3].found.contains("the file looks cut off"));
}

/// Writes documents as an export has them.
fn json_of(docs: &[Doc], ascii: bool) -> (String, Vec<usize>) {
    let mut out = String::from("[");
    let mut ends = Vec::new();
    for doc in docs {
        let regions: Vec<String> = doc
            .spans
            .iter()
            .enumerate()
            .map(|(number, (list, label))| {
                let (start, end) = doc.range(list[0], char::len_utf16);
                region(&format!("r{number}"), start, end, &doc.slice(list[0]), &format!("\"{label}\""))
            })
            .collect();
        if out.len() > 1 {
            out.push_str(", ");
        }
        out.push_str(&format!(
            "{{\"id\": \"{}\", \"annotations\": [{{\"id\": 1, \"result\": [{}], \"was_cancelled\": false}}], \"predictions\": [],\n \"data\": {{\"text\": {}, \"name\": \"x\"}}}}",
            doc.id,
            regions.join(", "),
            serde_json::to_string(&doc.text).unwrap()
        ));
        ends.push(out.len());
    }
    out.push_str("]\n");
    if ascii {
        let mut plain = String::new();
        for c in out.chars() {
            if c.is_ascii() {
                plain.push(c);
            } else {
                c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| plain.push_str(&format!("\\u{unit:04x}")));
            }
        }
        return (plain, Vec::new());
    }
    (out, ends)
}

#[test]
fn a_cut_keeps_what_stands_before_it() {
    let doc = |id: &str| Doc {
        id: id.into(),
        text: "Ab 😖 naïve\n\"q\"".into(),
        spans: vec![(vec![(0, 4)], "drug".into()), (vec![(5, 10)], "a_b".into())],
    };
    let (file, ends) = json_of(&[doc("a"), doc("b")], false);
    every_prefix("x.json", file.as_bytes(), &[], &ends);
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(docs in common::docs(true, 1), ascii: bool) {
        let corpus = read(&[("x.json", json_of(&docs, ascii).0.as_bytes())]);
        prop_assert_eq!(corpus.files[0].format, Some("label-studio"));
        prop_assert_eq!(as_docs(&corpus), docs);
        prop_assert_eq!(problems(&corpus), []);
    }

    #[test]
    fn damaged_files_are_read_without_panic(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)
    ) {
        for (name, file) in [("x.json", TASKS), ("x.json", MIN)] {
            read(&[(name, &common::edited(file, &edits))]);
        }
    }
}
