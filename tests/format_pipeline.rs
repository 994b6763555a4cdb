//! Hugging Face pipelines and GLiNER: what is read, repaired and listed.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::Options;
use clinscore::corpus::Own;
use clinscore::place::{Against, Placing, settle};
use common::{problems, read, spans};
use serde_json::json;

type Found = Vec<(String, i64, i64, String)>;
/// Entity, index, word, bounds.
type Token<'t> = (&'t str, i64, &'t str, Option<(i64, i64)>);

fn span(id: &str, start: i64, end: i64, label: &str) -> (String, i64, i64, String) {
    (id.to_owned(), start, end, label.to_owned())
}

/// Reads predictions and puts them on a gold text.
fn placed(text: &str, pred: &str) -> (Found, Vec<(&'static str, u64)>) {
    let gold = format!("{{\"id\":\"1\",\"text\":{},\"entities\":[]}}", serde_json::to_string(text).unwrap());
    let gold = read(&[("gold.jsonl", gold.as_bytes())]);
    let mut pred = common::load_only(&[("pred.json", pred.as_bytes())]);
    settle(&mut pred, Some(Against { gold: &gold, documents: &[Some(0)] }), &Placing::default()).unwrap();
    (spans(&pred), problems(&pred))
}

/// Spans of predictions on a text.
fn on(text: &str, pred: &str) -> Vec<(i64, i64, String)> {
    placed(text, pred).0.into_iter().map(|(_, start, end, label)| (start, end, label)).collect()
}

fn drug(start: i64, end: i64) -> (i64, i64, String) {
    (start, end, "drug".into())
}

/// A pipeline's token.
fn token(entity: &str, index: i64, word: &str, bounds: Option<(i64, i64)>) -> String {
    let (start, end) = bounds.map_or(("null".into(), "null".into()), |(s, e)| (s.to_string(), e.to_string()));
    let word = serde_json::to_string(word).unwrap();
    format!(
        r#"{{"entity":"{entity}","score":0.5,"index":{index},"word":{word},"start":{start},"end":{end}}}"#
    )
}

fn tokens(list: &[Token<'_>]) -> String {
    let list: Vec<String> = list.iter().map(|(e, i, w, b)| token(e, *i, w, *b)).collect();
    format!("[{}]", list.join(", "))
}

/// What transformers' own code printed (`make.py`), against the spans that were meant.
#[test]
fn the_pipelines_own_prints() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/formats/hf-pipeline");
    let gold = std::fs::read(folder.join("gold.jsonl")).unwrap();
    let mut files: Vec<String> = vec!["printed.txt".into()];
    for vocabulary in ["wordpiece", "uncased", "bytelevel", "sentencepiece"] {
        for kind in ["none", "none-null", "simple", "simple-null"] {
            files.push(format!("{vocabulary}-{kind}.json"));
        }
    }
    // Two tokenizers count the space before a word to it.
    let options = Options { clean: vec!["trim".into()], ..Options::default() };
    for file in files {
        let pred = std::fs::read(folder.join(&file)).unwrap();
        let report = common::score(&[("gold.jsonl", &gold)], &[(&file, &pred)], &options);
        assert_eq!(report.inputs[1].format, Some("hf-pipeline"), "{file}");
        let problems = common::problem_counts(&report.systems[0].side);
        let other = |(kind, _): &&(String, u64)| kind == "surface_differs" || kind == "not_in_text";
        assert!(!problems.iter().any(|p| other(&p)), "{file} {problems:?}");
        assert_eq!(common::strict(&report), [8, 0, 0], "{file} {problems:?}");
    }
}

#[test]
fn shapes_of_files() {
    let item = r#"{"entity_group":"drug","score":0.99,"word":"apixaban","start":11,"end":19}"#;
    for (file, ids) in [
        (format!("[[{item}]]"), &["#1"][..]),
        (format!("[{item}]"), &["#1"]),
        (format!("[[{item}], [], [{item}]]"), &["#1", "#2", "#3"]),
        (format!("[[], [{item}]]"), &["#1", "#2"]),
        (format!("{{\"1\": [{item}], \"b\": [], \"3\": [{item}]}}"), &["1", "b", "3"]),
        (format!("[{item}]\n[]\n[{item}]\n"), &["#1", "#2", "#3"]),
        (format!("[]\n[{item}]\n"), &["#1", "#2"]),
        (format!("[[{item}]]\n[[{item}]]\n"), &["#1", "#2"]),
        (format!("[\n {item},\n {item}\n]\n[{item}]"), &["#1", "#2"]),
        (format!("{{\"id\":\"a\",\"entities\":[{item}]}}\n{{\"id\":7,\"entities\":[]}}\n"), &["a", "7"]),
        (format!("{{\"doc_id\":\"a\",\"predictions\":[{item}]}}"), &["a"]),
        (format!("[{{\"id\":\"a\",\"output\":[{item}]}}, {{\"id\":\"b\",\"output\":[]}}]"), &["a", "b"]),
        (format!("{{\"predictions\": [[{item}], []]}}"), &["#1", "#2"]),
        (format!("{{\"predictions\": {{\"x\": [{item}]}}}}"), &["x"]),
    ] {
        let corpus = read(&[("p.json", file.as_bytes())]);
        assert_eq!(corpus.files[0].format, Some("hf-pipeline"), "{file}: {}", corpus.files[0].reason);
        assert_eq!(corpus.documents.iter().map(|d| d.id.as_str()).collect::<Vec<_>>(), ids, "{file}");
        assert_eq!(problems(&corpus), [], "{file}");
        assert_eq!(corpus.records, ids.len() as u64, "{file}");
        assert_eq!(corpus.spans.len(), file.matches("apixaban").count(), "{file}");
        assert!(corpus.spans.iter().all(|span| (span.start, span.end) == (11, 19)), "{file}");
        assert_eq!(corpus.detail(&corpus.spans[0]).unwrap().score, Some(0.99));
    }
}

#[test]
fn other_formats_are_left_alone() {
    for file in [
        r#"{"id":"7","text":"Aspirin for angina","entities":[{"start":0,"end":7,"label":"drug"}]}"#,
        r#"{"id":"7","text":"Aspirin","entities":[{"start":0,"end":7,"label":"drug","text":"Aspirin","score":0.5}]}"#,
        r#"{"note_id":"7","text":"Aspirin","entities":[{"offset":0,"length":7,"entity_group":"drug","score":0.5}]}"#,
        r#"{"tokens":["Aspirin","helps"],"ner_tags":["B-drug","O"]}"#,
        r#"["Aspirin", {"entities": [[0, 7, "drug"]]}]"#,
        r#"{"id":"1","text":"Aspirin","entities":{"drug":["Aspirin"]}}"#,
        r#"{"a":{"text":"Aspirin","entities":[{"text":"Aspirin","label":"drug"}]}}"#,
        r#"{"id":"1","text":"Aspirin","entities":"[[0,7,\"drug\"]]"}"#,
        "{\"names\":[\"O\",\"B-drug\"]}\n{\"tokens\":[\"Aspirin\"],\"ner_tags\":[1]}",
        r#"{"id":"x","text":"a","label":["C1","C2"]}"#,
        r#"[{"doc_id":"1","start":0,"end":7,"text":"Aspirin","label":"drug"}]"#,
        r#"{"source":"x","documents":[{"id":"1","passages":[{"offset":0,"text":"a","annotations":[]}]}]}"#,
        r#"[{"id":1,"data":{"text":"a"},"annotations":[{"result":[{"value":{"start":0,"end":1,"labels":["x"]}}]}]}]"#,
    ] {
        let corpus = read(&[("p.json", file.as_bytes())]);
        let format = corpus.files[0].format.unwrap();
        assert!(!["hf-pipeline", "gliner", "reply"].contains(&format), "{file}: {}", corpus.files[0].reason);
    }
}

#[test]
fn tokens_become_spans() {
    let text = "Started on apixaban and aspirin 5 mg.";
    let at = |start, end| Some((start, end));
    // A B- within a word continues it, with offsets and without.
    for known in [true, false] {
        let at = |start, end| at(start, end).filter(|_| known);
        let list = tokens(&[
            ("B-drug", 3, "ap", at(11, 13)),
            ("I-drug", 4, "##ix", at(13, 15)),
            ("B-drug", 5, "##aban", at(15, 19)),
            ("B-drug", 7, "aspirin", at(24, 31)),
            ("I-drug", 8, "5", at(32, 33)),
            ("I-drug", 9, "mg", at(34, 36)),
        ]);
        assert_eq!(on(text, &list), [drug(11, 19), drug(24, 36)], "offsets {known}");
    }
    // Neighbouring B- are two; an I- behind a gap, or of another label, opens; O separates.
    let list = tokens(&[
        ("B-drug", 7, "aspirin", at(24, 31)),
        ("B-drug", 8, "5", at(32, 33)),
        ("I-dose", 9, "mg", at(34, 36)),
    ]);
    assert_eq!(on(text, &list), [drug(24, 31), drug(32, 33), (34, 36, "dose".into())]);
    let list = tokens(&[("B-drug", 3, "apixaban", at(11, 19)), ("I-drug", 5, "aspirin", at(24, 31))]);
    assert_eq!(on(text, &list), [drug(11, 19), drug(24, 31)]);
    let list =
        tokens(&[("B-drug", 3, "apixaban", None), ("O", 4, "and", None), ("I-drug", 5, "aspirin", None)]);
    assert_eq!(on(text, &list), [drug(11, 19), drug(24, 31)]);
    // BIOES and BILOU.
    let list = tokens(&[
        ("S-drug", 3, "apixaban", at(11, 19)),
        ("B-drug", 5, "aspirin", at(24, 31)),
        ("I-drug", 6, "5", at(32, 33)),
        ("E-drug", 7, "mg", at(34, 36)),
        ("U-dot", 8, ".", at(36, 37)),
    ]);
    assert_eq!(on(text, &list), [drug(11, 19), drug(24, 36), (36, 37, "dot".into())]);
    // Labels without prefix: neighbours of one label are one span; LABEL_0 is a label.
    let list = tokens(&[
        ("LABEL_1", 3, "ap", at(11, 13)),
        ("LABEL_1", 4, "##ixaban", at(13, 19)),
        ("LABEL_0", 5, "and", at(20, 23)),
        ("LABEL_1", 6, "aspirin", at(24, 31)),
    ]);
    let label = |start, end, name: &str| (start, end, name.to_owned());
    assert_eq!(
        on(text, &list),
        [label(11, 19, "LABEL_1"), label(20, 23, "LABEL_0"), label(24, 31, "LABEL_1")]
    );
}

#[test]
fn the_score_is_the_mean_over_the_tokens() {
    let list = r###"[{"entity":"B-x","score":0.9,"index":1,"word":"ap","start":0,"end":2},{"entity":"I-x","score":0.5,"index":2,"word":"##ix","start":2,"end":4},{"entity":"I-x","score":NaN,"index":3,"word":"##a","start":4,"end":5}]"###;
    let corpus = read(&[("p.json", list.as_bytes())]);
    assert_eq!(corpus.spans.len(), 1);
    assert_eq!(corpus.detail(&corpus.spans[0]).unwrap().score, Some(0.7));
    assert_eq!(problems(&corpus), [("not_quite_json", 1)]);
}

#[test]
fn vocabularies_mark_words_in_their_ways() {
    let text = "naïve use of apixaban/aspirin 5µg";
    // SentencePiece, byte-level BPE, </w>, @@: a B- that does not begin a word continues it.
    for list in [
        tokens(&[("B-drug", 5, "▁ap", None), ("B-drug", 6, "ixaban", None), ("B-drug", 8, "aspirin", None)]),
        tokens(&[("B-drug", 5, "Ġap", None), ("B-drug", 6, "ixaban", None), ("B-drug", 8, "aspirin", None)]),
        tokens(&[
            ("B-drug", 5, "ap", None),
            ("B-drug", 6, "ixaban</w>", None),
            ("B-drug", 8, "aspirin</w>", None),
        ]),
        tokens(&[("B-drug", 5, "ap@@", None), ("B-drug", 6, "ixaban", None), ("B-drug", 8, "aspirin", None)]),
    ] {
        assert_eq!(on(text, &list), [drug(13, 21), drug(22, 29)], "{list}");
    }
    // Byte-level characters stand for bytes.
    let list = tokens(&[
        ("B-drug", 1, "na", None),
        ("I-drug", 2, "Ã¯ve", None),
        ("B-drug", 9, "Ġ5", None),
        ("I-drug", 10, "Âµg", None),
    ]);
    assert_eq!(on(text, &list), [drug(0, 5), drug(30, 33)]);
    // SentencePiece offsets may count the space before a word.
    let list =
        tokens(&[("B-drug", 5, "▁apixaban", Some((12, 21))), ("B-drug", 8, "▁aspirin", Some((21, 29)))]);
    let (found, problems) = placed("naïve use of apixaban aspirin", &list);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(problems, []);
    // Scripts without spaces: touching characters are no word.
    let list = tokens(&[
        ("B-drug", 1, "阿", Some((0, 1))),
        ("I-drug", 2, "司", Some((1, 2))),
        ("B-drug", 3, "林", Some((2, 3))),
    ]);
    assert_eq!(on("阿司林", &list), [drug(0, 2), drug(2, 3)]);
}

#[test]
fn aggregated_words_are_searched_without_offsets() {
    let list = r#"[{"entity_group":"drug","score":0.9,"word":"covid - 19","start":null,"end":null},{"entity_group":"drug","score":0.9,"word":"mg","start":null,"end":null},{"entity_group":"drug","score":0.9,"word":"mg"},{"entity_group":"drug","score":0.9,"word":"[UNK]","start":null,"end":null}]"#;
    let (found, problems) = placed("mg: COVID-19, 5 mg, 6 mg", list);
    let found: Vec<_> = found.into_iter().map(|(_, s, e, l)| (s, e, l)).collect();
    assert_eq!(found[..3], [drug(4, 12), drug(16, 18), drug(22, 24)]);
    assert!(problems.contains(&("not_in_text", 1)), "{problems:?}");
}

#[test]
fn detokenised_words_are_no_evidence_against_offsets() {
    let list = r#"[{"entity_group":"x","score":0.9,"word":"covid - 19","start":0,"end":8},{"entity_group":"x","score":0.9,"word":"gout","start":10,"end":14}]"#;
    let (found, problems) = placed("Covid-19, Gout", list);
    assert_eq!(found, [span("#1", 0, 8, "x"), span("#1", 10, 14, "x")]);
    assert_eq!(problems, [("surface_folded", 1)]);
}

#[test]
fn aggregated_parts_of_a_word_are_one() {
    // `simple` prints the parts of a word whose tags differ in B- and I- one by one.
    let list = r###"[{"entity_group":"drug","score":0.9,"word":"apix","start":0,"end":4},{"entity_group":"drug","score":0.7,"word":"##aban","start":4,"end":8},{"entity_group":"drug","score":0.7,"word":"aspirin","start":9,"end":16}]"###;
    assert_eq!(on("apixaban aspirin", list), [drug(0, 8), drug(9, 16)]);
    assert_eq!(placed("apixaban aspirin", list).1, [("group_joined", 1)]);
    // What is not marked stays as the pipeline left it.
    let list = list.replace("##", "");
    assert_eq!(on("apixaban aspirin", &list), [drug(0, 4), drug(4, 8), drug(9, 16)]);
}

#[test]
fn python_prints_are_read() {
    let file = "[[{'entity_group': 'drug', 'score': np.float32(0.75), 'word': \"Crohn's [\", 'start': np.int64(11), 'end': 19}], [],\n {'entity_group': 'drug'}]";
    let corpus = read(&[("p.txt", file.as_bytes())]);
    assert_eq!(corpus.files[0].format, Some("hf-pipeline"));
    assert_eq!(spans(&corpus), [span("#1", 11, 19, "drug")]);
    assert_eq!(corpus.documents.len(), 2);
    assert_eq!(problems(&corpus), [("bad_record", 1), ("not_quite_json", 1)]);
    let detail = corpus.detail(&corpus.spans[0]).unwrap();
    assert_eq!(detail.score, Some(0.75));
    let file = "[{'entity': 'B-drug', 'score': 0.5, 'index': 1, 'word': 'ap', 'start': None, 'end': None}]\n[{'entity': 'B-drug', 'score': 0.5, 'index': 1, 'word': 'it', 'start': 3, 'end': 5}]\n";
    let corpus = read(&[("p.jsonl", file.as_bytes())]);
    assert_eq!(corpus.documents.iter().map(|d| d.line).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(corpus.spans[1].start, 3);
}

#[test]
fn faults_are_listed_and_the_rest_is_kept() {
    let good = r#"{"entity_group":"drug","score":0.9,"word":"secret","start":1,"end":7}"#;
    let file = format!(
        "[{good}, {{\"entity_group\":\"drug\",\"score\":0.9,\"word\":\"secret\",\"start\":\"x\",\"end\":7}}, 5]\n[{{\"entity_group\":\"drug\",\"score\":0.9,\"word\":\" \",\"start\":null,\"end\":null}}]\n\"secret\"\n[{good}, oops secret]\n[{good}]\n[{good}, {{\"entity_gr"
    );
    let corpus = read(&[("p.jsonl", file.as_bytes())]);
    assert_eq!(corpus.documents.iter().map(|d| d.line).collect::<Vec<_>>(), [1, 2, 4, 5, 6]);
    assert_eq!(corpus.records, 6);
    assert_eq!(corpus.spans.len(), 4);
    assert_eq!(problems(&corpus), [("bad_record", 3), ("bad_span", 3)]);
    let kinds = corpus.problems.by_kind();
    let lines = |at: usize| kinds[at].2.iter().map(|p| p.place.line).collect::<Vec<_>>();
    assert_eq!((lines(0), lines(1)), (vec![3, 4, 6], vec![1, 1, 2]));
    assert!(kinds[0].2[2].found.contains("cut off"), "{}", kinds[0].2[2].found);
    assert!(kinds.iter().all(|k| k.2.iter().all(|p| !p.found.contains("secret"))));
}

#[test]
fn gliner_shapes() {
    let item = r#"{"start":11,"end":19,"text":"apixaban","label":"drug","score":0.93}"#;
    let item2 = r#"{"text":"apixaban","start":11,"end":19,"confidence":0.93}"#;
    for (file, ids) in [
        (format!("[{item}]"), &["#1"][..]),
        (format!("[[{item}],[],[{item}]]"), &["#1", "#2", "#3"]),
        (format!("{{\"a\":[{item}],\"b\":[]}}"), &["a", "b"]),
        (format!("{{\"entities\":{{\"drug\":[{item2}],\"dose\":[]}}}}"), &["#1"]),
        (
            format!(
                "{{\"entities\":{{\"dose\":[],\"drug\":[{item2}]}}}}\n{{\"entities\":{{\"dose\":[]}}}}\n"
            ),
            &["#1", "#2"],
        ),
        (format!("[{{\"entities\":{{\"drug\":[{item2}]}}}},{{\"entities\":{{}}}}]"), &["#1", "#2"]),
        (format!("{{\"id\":\"a\",\"entities\":{{\"drug\":[{item2}]}}}}"), &["a"]),
        (
            format!("{{\"a\":{{\"entities\":{{\"drug\":[{item2}]}}}},\"b\":{{\"entities\":{{}}}}}}"),
            &["a", "b"],
        ),
        (format!("{{\"a\":{{\"drug\":[{item2}]}},\"b\":{{\"drug\":[]}}}}"), &["a", "b"]),
        (format!("{{\"drug\":[{item2}]}}"), &["#1"]),
        (format!("{{\"id\":\"a\",\"predictions\":[{item}]}}"), &["a"]),
    ] {
        let corpus = read(&[("p.json", file.as_bytes())]);
        assert_eq!(corpus.files[0].format, Some("gliner"), "{file}: {}", corpus.files[0].reason);
        assert_eq!(corpus.documents.iter().map(|d| d.id.as_str()).collect::<Vec<_>>(), ids, "{file}");
        assert_eq!(problems(&corpus), [], "{file}");
        assert_eq!(corpus.spans.len(), file.matches("apixaban").count(), "{file}");
        assert!(
            spans(&corpus).iter().all(|span| (span.1, span.2, span.3.as_str()) == (11, 19, "drug")),
            "{file}"
        );
        let detail = corpus.detail(&corpus.spans[0]).unwrap();
        assert_eq!(detail.score, Some(0.93));
        assert!(matches!(detail.own, Some(Own::At(_))));
    }
}

#[test]
fn texts_by_label_are_searched() {
    let text = "Fever on admission; fever resolved after ceftriaxone.";
    for file in [
        r#"{"condition":["fever"],"drug":["ceftriaxone","vancomycin"]}"#,
        r#"{"1":{"condition":["fever"],"drug":["ceftriaxone","vancomycin"]}}"#,
        r#"{"id":"1","condition":["fever"],"drug":["ceftriaxone","vancomycin"]}"#,
        r#"{"id":"1","entities":{"condition":["fever"],"drug":["ceftriaxone","vancomycin"]}}"#,
        r#"{"id":"1","entities":[{"text":"fever","label":"condition"},{"text":"ceftriaxone","type":"drug"},{"entity":"vancomycin","type":"drug"}]}"#,
    ] {
        let (found, problems) = placed(text, file);
        let found: Vec<_> = found.into_iter().map(|(_, s, e, l)| (s, e, l)).collect();
        let condition = |start, end| (start, end, "condition".to_owned());
        assert_eq!(found[..3], [condition(0, 5), condition(20, 25), drug(41, 52)], "{file}");
        assert_eq!(problems, [("found_once", 1), ("found_more", 1), ("not_in_text", 1)], "{file}");
    }
}

#[test]
fn a_file_a_document_has_the_files_name() {
    let item = r#"[{"start":11,"end":19,"text":"apixaban","label":"drug","score":0.93}]"#;
    let corpus = read(&[("x/p/1.json", item.as_bytes()), ("x/p/b.json", item.as_bytes())]);
    assert_eq!(spans(&corpus), [span("1", 11, 19, "drug"), span("b", 11, 19, "drug")]);
}

#[test]
fn input_that_was_cut_off_is_noticed() {
    let text = "aspirin ".repeat(250);
    let gold = |id: u32| {
        let entities =
            json!([{"start": 0, "end": 7, "label": "drug"}, {"start": 1992, "end": 1999, "label": "drug"}]);
        json!({"id": id.to_string(), "text": text, "entities": entities}).to_string() + "\n"
    };
    let gold: String = (0..4).map(gold).collect();
    let pred = |early: u32| {
        let item =
            |at: u64| json!({"start": at, "end": at + 7, "text": "aspirin", "label": "drug", "score": 0.5});
        let list = |id: u32| (id.to_string(), json!([item(0), item(if id < early { 8 } else { 1992 })]));
        json!((0..4).map(list).collect::<serde_json::Map<_, _>>()).to_string()
    };
    for (early, noticed) in [(0, false), (2, false), (3, true), (4, true)] {
        let (gold, pred) = ([("gold.jsonl", gold.as_bytes())], pred(early));
        let report = common::score(&gold, &[("p.json", pred.as_bytes())], &Options::default());
        let problems = common::problem_counts(&report.systems[0].side);
        assert_eq!(problems.contains(&("ends_early".to_owned(), 1)), noticed, "{early}: {problems:?}");
    }
}

#[test]
fn cut_at_every_byte() {
    let item = r#"{"entity_group":"drug","score":0.99,"word":"apixaban","start":11,"end":19}"#;
    let array = format!("[[{item}],[{item}, {item}]]");
    let first = 1 + item.len() + 2;
    common::every_prefix("p.json", array.as_bytes(), &[], &[first, array.len() - 1]);
    let lines = format!("[{item}]\n[{item}, {item}]\n");
    common::every_prefix("p.jsonl", lines.as_bytes(), &[], &[first - 1, lines.len() - 1]);
    let ids = format!("{{\"a\": [{item}], \"b\": [{item}, {item}]}}");
    let first = ids.find(']').unwrap() + 1;
    common::every_prefix("p.json", ids.as_bytes(), &[], &[first, ids.len() - 1]);
    let python = array.replace('"', "'");
    common::every_prefix("p.txt", python.as_bytes(), &[], &[1 + item.len() + 2, python.len() - 1]);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
    #[test]
    fn what_is_written_is_read(docs in common::docs(true, 1), gliner: bool, python: bool) {
        let quote = |text: &str| serde_json::to_string(text).unwrap();
        let mut json = String::from("{");
        for (at, doc) in docs.iter().enumerate() {
            let items: Vec<String> = doc.spans.iter().map(|(fragments, label)| {
                let (start, end) = fragments[0];
                let own = quote(&doc.slice((start, end)));
                if gliner {
                    format!(r#"{{"start":{start},"end":{end},"text":{own},"label":"{label}","score":0.5}}"#)
                } else {
                    format!(r#"{{"entity_group":"{label}","score":0.5,"word":{own},"start":{start},"end":{end}}}"#)
                }
            }).collect();
            json.push_str(&format!("{}\"{}\": [{}]", if at == 0 { "" } else { ", " }, doc.id, items.join(", ")));
        }
        json.push('}');
        if python {
            json = json.replace("0.5", "np.float32(0.5)");
        }
        let corpus = read(&[("p.json", json.as_bytes())]);
        let read = common::as_docs(&corpus);
        if docs.iter().any(|doc| !doc.spans.is_empty()) {
            proptest::prop_assert_eq!(read.len(), docs.len());
            for (read, doc) in read.iter().zip(&docs) {
                proptest::prop_assert_eq!(&read.id, &doc.id);
                proptest::prop_assert_eq!(&read.spans, &doc.spans);
            }
        }
    }
}
