//! The JSON family: what each tool's shape carries beyond spans, and the traps of `json`.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::corpus::text::TextReader;
use clinscore::corpus::{Argument, Corpus, Unit};
use common::{Doc, as_docs, problems, read, spans, text};
use proptest::prelude::*;
use serde_json::{Value, json};

fn span(id: &str, start: i64, end: i64, label: &str) -> (String, i64, i64, String) {
    (id.to_owned(), start, end, label.to_owned())
}

/// Document-level labels with scores; none where the file gives no such labels.
fn classes(corpus: &Corpus, document: usize) -> Option<Vec<(String, Option<f64>)>> {
    let range = corpus.documents[document].classes.clone()?;
    let list = &corpus.classes[range.start as usize..range.end as usize];
    Some(list.iter().map(|class| (corpus.labels.name(class.label).to_owned(), class.score)).collect())
}

fn names(corpus: &Corpus, document: usize) -> Option<Vec<String>> {
    Some(classes(corpus, document)?.into_iter().map(|(name, _)| name).collect())
}

/// Relations as `label role=start-end …`.
fn relations(corpus: &Corpus) -> Vec<String> {
    let argument = |(role, argument): &(String, Argument)| match argument {
        Argument::Span(at) => {
            let span = corpus.spans[*at as usize];
            format!(" {role}={}-{}", span.start, span.end)
        }
        Argument::Concept(id) => format!(" {role}={id}"),
    };
    let one = |relation: &clinscore::corpus::Relation| {
        let id = &corpus.documents[relation.document as usize].id;
        format!("{id}: {}{}", relation.label, relation.arguments.iter().map(argument).collect::<String>())
    };
    corpus.relations.iter().map(one).collect()
}

/// (concepts, attributes, score) of every span.
type Extras = Vec<(Vec<String>, Vec<(String, String)>, Option<f64>)>;

fn extras(corpus: &Corpus) -> Extras {
    let one = |span: &clinscore::corpus::Span| {
        let detail = corpus.detail(span).cloned().unwrap_or_default();
        let more = detail.more.map(|more| *more).unwrap_or_default();
        (more.concepts, more.attributes, detail.score)
    };
    corpus.spans.iter().map(one).collect()
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/fixtures/formats/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn tokens(corpus: &Corpus, document: usize) -> Option<Vec<String>> {
    TextReader::new(corpus).tokens(&corpus.documents[document]).unwrap()
}

#[test]
fn spacy_writes() {
    let wanted = [
        span("#1", 0, 7, "DRUG"),
        span("#1", 12, 18, "COND"),
        span("#2", 2, 7, "QUAL"),
        span("#2", 22, 31, "DRUG"),
    ];
    let corpus = read(&[("to_json.jsonl", &fixture("spacy/to_json.jsonl"))]);
    assert_eq!((spans(&corpus), problems(&corpus)), (wanted.to_vec(), vec![]));
    assert_eq!(text(&corpus, 1).unwrap(), "😖 naïve Schmerz\nwith \"ibuprofen\" 5µg");
    // Tokens are cut out of the text.
    let list = tokens(&corpus, 1).unwrap();
    assert_eq!(list, ["😖", "naïve", "Schmerz", "\n", "with", "\"", "ibuprofen", "\"", "5", "µg"]);
    assert_eq!(names(&corpus, 0).unwrap(), ["SIDE_EFFECT"]);
    assert_eq!(names(&corpus, 2).unwrap(), [""; 0]);

    let corpus = read(&[("tuples.json", &fixture("spacy/tuples.json"))]);
    assert_eq!((spans(&corpus), problems(&corpus)), (wanted.to_vec(), vec![]));
    assert_eq!(text(&corpus, 1).unwrap(), "😖 naïve Schmerz\nwith \"ibuprofen\" 5µg");

    let corpus = read(&[("spancat.json", &fixture("spacy/spancat.json"))]);
    assert_eq!(spans(&corpus), [span("#1", 0, 7, "DRUG"), span("#1", 0, 18, "PLAN")]);
    assert_eq!((extras(&corpus)[0].0.join(","), problems(&corpus)), ("C0004057".to_owned(), vec![]));
}

#[test]
fn prodigy_writes() {
    let file = concat!(
        r#"{"text":"Aspirin for gout","_input_hash":-11,"_task_hash":1,"tokens":[{"text":"Aspirin","start":0,"end":7,"id":0,"ws":true},{"text":"for","start":8,"end":11,"id":1,"ws":true},{"text":"gout","start":12,"end":16,"id":2,"ws":false}],"_view_id":"relations","spans":[{"text":"Aspirin","start":0,"end":7,"token_start":0,"token_end":0,"type":"span","label":"DRUG"},{"start":12,"end":16,"token_start":2,"token_end":2,"label":"COND"}],"relations":[{"head":0,"child":2,"head_span":{"start":0,"end":7,"token_start":0,"token_end":0,"label":"DRUG"},"child_span":{"start":12,"end":16,"token_start":2,"token_end":2,"label":"COND"},"color":"red","label":"TREATS"}],"answer":"accept","_timestamp":1}"#,
        "\n",
        // Blocks: spans and a choice of classes.
        r#"{"text":"Aspirin","_input_hash":12,"spans":[{"start":0,"end":7,"label":"DRUG","token_end":0}],"options":[{"id":"GOOD","text":"good"},{"id":"BAD","text":"bad"}],"accept":["GOOD"],"_view_id":"blocks","answer":"accept"}"#,
        "\n",
        // Rows without spans have no key for them.
        r#"{"text":"Nothing","_input_hash":13,"_view_id":"ner_manual","answer":"accept"}"#,
        "\n",
        r#"{"text":"Nothing","_input_hash":14,"accept":[],"_view_id":"choice","answer":"accept"}"#,
        "\n",
        r#"{"text":"Positive","_input_hash":15,"label":"POS","_view_id":"classification","answer":"accept"}"#,
        "\n",
        r#"{"text":"No","_input_hash":16,"spans":[{"start":0,"end":2,"label":"DRUG"}],"answer":"reject"}"#,
        "\n",
        r#"{"text":"No","_input_hash":17,"spans":[],"answer":"ignore"}"#,
        "\n",
    );
    let corpus = read(&[("prodigy.jsonl", file.as_bytes())]);
    let wanted = [span("-11", 0, 7, "DRUG"), span("-11", 12, 16, "COND"), span("12", 0, 7, "DRUG")];
    assert_eq!(spans(&corpus), wanted);
    assert_eq!(problems(&corpus), [("rejected_record", 2), ("relation", 1)]);
    assert_eq!(relations(&corpus), ["-11: TREATS head=0-7 child=12-16"]);
    assert_eq!(corpus.documents.len(), 5);
    let all: Vec<_> = (0..5).map(|at| names(&corpus, at)).collect();
    let list = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    assert_eq!(all, [None, list(&["GOOD"]), None, list(&[]), list(&["POS"])]);
    assert_eq!(tokens(&corpus, 0).unwrap(), ["Aspirin", "for", "gout"]);
    assert_eq!(corpus.files[0].unit, Unit::CodePoint);
}

#[test]
fn doccano_writes_utf16() {
    // 😖 counts two in JavaScript: the drug is 3..10 there, 2..9 in code points.
    for (name, line) in [
        ("text1", r#"{"id":1,"text":"😖 Aspirin","label":[[3,10,"drug"]]}"#),
        ("comments", r#"{"id":1,"text":"😖 Aspirin","labels":[[3,10,"drug"]],"Comments":[]}"#),
        (
            "relations",
            r#"{"id":1,"text":"😖 Aspirin","entities":[{"id":31,"label":"drug","start_offset":3,"end_offset":10}],"relations":[]}"#,
        ),
    ] {
        let corpus = read(&[("x.jsonl", line.as_bytes())]);
        assert_eq!(corpus.files[0].unit, Unit::Utf16, "{name}");
        assert_eq!((spans(&corpus), problems(&corpus)), (vec![span("1", 2, 9, "drug")], vec![]), "{name}");
    }
    // Other shapes count code points.
    for line in [
        r#"{"id":1,"text":"😖 Aspirin","entities":[[2,9,"drug"]]}"#,
        r#"{"id":1,"text":"😖 Aspirin","label":[{"start":2,"end":9,"label":"drug"}]}"#,
        r#"{"id":1,"text":"😖 Aspirin","entities":[{"id":31,"label":"drug","start_offset":2,"end_offset":9}]}"#,
    ] {
        let corpus = read(&[("x.jsonl", line.as_bytes())]);
        assert_eq!(spans(&corpus), [span("1", 2, 9, "drug")], "{line}");
    }
    let file = r#"{"id":7,"text":"Aspirin for gout","entities":[{"id":40,"label":"drug","start_offset":0,"end_offset":7},{"id":41,"label":"cond","start_offset":12,"end_offset":16}],"relations":[{"id":3,"from_id":40,"to_id":41,"type":"treats"},{"id":4,"from_id":40,"to_id":99,"type":"treats"}]}"#;
    let corpus = read(&[("x.jsonl", file.as_bytes())]);
    assert_eq!(relations(&corpus), ["7: treats from=0-7 to=12-16"]);
    assert_eq!(problems(&corpus), [("relation", 2)]);
    // Classes: a list of names, one name; numbers are names as they are written.
    let file = "{\"id\":1,\"text\":\"a\",\"label\":[\"x\",\"y\"]}\n{\"id\":2,\"text\":\"b\",\"label\":\"x\"}\n\
                {\"id\":3,\"text\":\"c\",\"label\":[]}\n{\"id\":4,\"text\":\"d\",\"label\":3}\n{\"id\":5,\"text\":\"e\",\"label\":null}\n";
    let corpus = read(&[("x.jsonl", file.as_bytes())]);
    assert_eq!(problems(&corpus), []);
    let all: Vec<_> = (0..5).map(|at| names(&corpus, at).map(|names| names.join(","))).collect();
    let list = |names: &str| Some(names.to_owned());
    assert_eq!(all, [list("x,y"), list("x"), list(""), list("3"), None]);
}

#[test]
fn bigbio_writes() {
    let record = json!({
        "id": "b1", "document_id": "77",
        "passages": [
            {"id": "p1", "type": "title", "text": ["Aspirin"], "offsets": [[0, 7]]},
            {"id": "p2", "type": "abstract", "text": ["helps left and right knees"], "offsets": [[9, 35]]},
        ],
        "entities": [
            {"id": "e1", "type": "Chemical", "text": ["Aspirin"], "offsets": [[0, 7]],
             "normalized": [{"db_name": "MESH", "db_id": "D001241"}, {"db_name": "CUI", "db_id": "C0004057"}]},
            {"id": "e2", "type": "Part", "text": ["left", "knees"], "offsets": [[15, 19], [30, 35]], "normalized": []},
            {"id": "e3", "type": "Verb", "text": ["helps"], "offsets": [[9, 14]], "normalized": []},
        ],
        "events": [{"id": "v1", "type": "Help", "trigger": {"text": ["helps"], "offsets": [[9, 14]]},
                    "arguments": [{"role": "theme", "ref_id": "e2"}]}],
        "coreferences": [{"id": "c1", "entity_ids": ["e1", "e3"]}],
        "relations": [{"id": "r1", "type": "treats", "arg1_id": "e1", "arg2_id": "e2", "normalized": []}],
    });
    let corpus = read(&[("x.jsonl", record.to_string().as_bytes())]);
    assert_eq!(
        spans(&corpus),
        [span("b1", 0, 7, "Chemical"), span("b1", 15, 35, "Part"), span("b1", 9, 14, "Verb")]
    );
    assert_eq!(text(&corpus, 0).unwrap(), "Aspirin  helps left and right knees");
    assert_eq!(extras(&corpus)[0].0, ["MESH:D001241", "CUI:C0004057"]);
    let detail = corpus.detail(&corpus.spans[1]).unwrap();
    assert_eq!(detail.fragments, [(15, 19), (30, 35)]);
    assert_eq!(detail.surface, clinscore::corpus::Surface::Agrees);
    let mut found = relations(&corpus);
    found.sort();
    assert_eq!(
        found,
        [
            "b1: Help trigger=9-14 theme=15-35",
            "b1: coreference member=0-7 member=9-14",
            "b1: treats arg1=0-7 arg2=15-35"
        ]
    );
}

#[test]
fn benchmark_records_and_their_extras() {
    let line = r#"{"id":"1","text":"No angina","entities":[
        {"text":"angina","start":3,"end":9,"label":"Condition","score":0.5,"cui":"C0002962","negated":true,"assertion":"absent"},
        {"start":3,"end":9,"label":"b","confidence":"0.25","concept_id":123,"attributes":{"certainty":"low","family":false,"note":null}},
        {"start":3,"end":9,"label":"c","probability":NaN,"normalized":"C1","attributes":["negated"]},
        {"start":3,"end":9,"label":"d","linked":[{"cui":"C2"},"C3"],"attributes":[{"name":"temporality","value":"past"},{"type":"x"}]},
        {"start":3,"end":9,"label":"e","kb_id":"","code":"401.9","identifier":null,"is_negated":false}]}"#;
    let corpus = read(&[("x.json", line.as_bytes())]);
    assert_eq!(spans(&corpus).len(), 5);
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let wanted: Extras = vec![
        (vec!["C0002962".into()], vec![pair("negated", "true"), pair("assertion", "absent")], Some(0.5)),
        (vec!["123".into()], vec![pair("certainty", "low"), pair("family", "false")], Some(0.25)),
        (vec!["C1".into()], vec![pair("negated", "true")], None),
        (vec!["C2".into(), "C3".into()], vec![pair("temporality", "past"), pair("x", "true")], None),
        (vec!["401.9".into()], vec![pair("is_negated", "false")], None),
    ];
    assert_eq!(extras(&corpus), wanted);
    // A long value is a remark, and is not kept.
    let remark = "secret ".repeat(20);
    let line = json!({"id": "1", "text": "ab", "entities": [{"start": 0, "end": 1, "label": "x", "assertion": remark}]});
    let corpus = read(&[("x.json", line.to_string().as_bytes())]);
    assert!(!format!("{:?}", extras(&corpus)).contains("secret"));
}

#[test]
fn spans_under_their_labels() {
    let wanted = [span("1", 0, 7, "drug"), span("1", 12, 16, "cond")];
    for entities in [
        r#"{"drug":[[0,7]],"cond":[[12,16]]}"#,
        r#"{"drug":[{"start":0,"end":7,"text":"Aspirin","confidence":0.9}],"cond":[{"start":12,"end":16}],"dose":[]}"#,
        r#"{"drug":["aspirin"],"cond":["gout"],"dose":null}"#,
        r#"{"drug":"Aspirin","cond":["gout"]}"#,
        r#"{"T1":{"start":0,"end":7,"label":"drug"},"T2":{"start":12,"end":16,"label":"cond"}}"#,
        r#"[{"text":"aspirin","label":"drug"},{"text":"gout","label":"cond"}]"#,
        r#"[{"text":"aspirin","label":"drug","start":null,"end":null},{"word":"gout","label":"cond"}]"#,
        r#""[[0,7,\"drug\"],[12,16,\"cond\"]]""#,
        r#""[{\"start\":0,\"end\":7,\"label\":\"drug\",\"text\":\"Aspirin\"},{\"start\":12,\"end\":16,\"label\":\"cond\",\"text\":\"gout\"}]""#,
        r#""{\"drug\":[\"Aspirin\"],\"cond\":[\"gout\"]}""#,
    ] {
        let line = format!(r#"{{"id":"1","text":"Aspirin for gout","entities":{entities}}}"#);
        let corpus = read(&[("x.jsonl", line.as_bytes())]);
        assert_eq!(spans(&corpus), wanted, "{entities}");
        assert!(
            problems(&corpus).iter().all(|problem| problem.0 == "found_once"),
            "{entities}: {:?}",
            problems(&corpus)
        );
    }
    // All places, unless one is asked for; what the text does not have is listed.
    let line = r#"{"id":"1","text":"gout, no gout","entities":{"cond":["gout","angina"]}}"#;
    let corpus = read(&[("x.jsonl", line.as_bytes())]);
    let placed = |span: &&clinscore::corpus::Span| !corpus.detail(span).is_some_and(|detail| detail.unplaced);
    let bounds: Vec<_> = corpus.spans.iter().filter(placed).map(|span| (span.start, span.end)).collect();
    assert_eq!(
        (bounds, problems(&corpus)),
        (vec![(0, 4), (9, 13)], vec![("found_more", 1), ("not_in_text", 1)])
    );
    // No spans at all.
    for entities in [r#"{"a":1}"#, r#"{"a":{"b":1},"c":2}"#, r#""[[0,1,'x']]""#, r#""none""#, "7"] {
        let line = format!(r#"{{"id":"1","text":"ab","entities":{entities}}}"#);
        let corpus = read(&[("x.jsonl", line.as_bytes())]);
        assert_eq!(spans(&corpus), [], "{entities}");
        assert!(!problems(&corpus).is_empty(), "{entities}");
    }
}

#[test]
fn tags_that_are_numbers() {
    let wanted = [span("1", 0, 7, "drug"), span("1", 12, 16, "cond")];
    let record = r#"{"id":"1","tokens":["Aspirin","for","gout"],"ner_tags":[1,0,2]}"#;
    for file in [
        format!("{{\"names\":[\"O\",\"B-drug\",\"B-cond\"]}}\n{record}\n"),
        format!("{{\"id2label\":{{\"0\":\"O\",\"2\":\"B-cond\",\"1\":\"B-drug\"}}}}\n{record}\n"),
        r#"{"id":"1","tokens":["Aspirin","for","gout"],"ner_tags":[1,-100,2],"names":["O","B-drug","B-cond"]}"#.to_owned(),
        format!("{{\"names\":[\"O\",\"B-drug\",\"B-cond\"],\"data\":[{record}]}}"),
        r#"{"id":"1","tokens":["Aspirin","for","gout"],"labels":["B-drug","O","B-cond"]}"#.to_owned(),
    ] {
        let corpus = read(&[("x.json", file.as_bytes())]);
        assert_eq!((spans(&corpus), problems(&corpus)), (wanted.to_vec(), vec![]), "{file}");
        assert_eq!((corpus.documents.len(), corpus.records), (1, 1), "{file}");
    }
    // Without names: listed, with what to do.
    let corpus = read(&[("x.json", record.as_bytes())]);
    assert_eq!(problems(&corpus), [("bad_record", 1)]);
    assert!(corpus.problems.by_kind()[0].2[0].expected.contains("names"));
    let file = format!("{{\"names\":[\"O\",\"B-drug\"]}}\n{record}\n");
    assert_eq!(problems(&read(&[("x.json", file.as_bytes())])), [("bad_record", 1)]);
}

#[test]
fn many_documents_in_one_object() {
    let one = r#"{"text":"Aspirin","entities":[{"start":0,"end":7,"label":"drug"}]}"#;
    let two = r#"{"text":"naïve\ngout","entities":[[6,10,"cond"]]}"#;
    let wanted = [span("1", 0, 7, "drug"), span("two", 6, 10, "cond")];
    for file in [
        format!("{{\"1\":{one},\"two\":{two}}}"),
        format!("{{\n  \"1\": {one},\n  \"two\": {two}\n}}\n"),
        format!(
            "{{\"version\":\"1\",\"data\":[{},{}]}}",
            one.replacen('{', "{\"id\":1,", 1),
            two.replacen('{', "{\"id\":\"two\",", 1)
        ),
    ] {
        let corpus = read(&[("x.json", file.as_bytes())]);
        assert_eq!((spans(&corpus), problems(&corpus)), (wanted.to_vec(), vec![]), "{file}");
        assert_eq!(text(&corpus, 1).unwrap(), "naïve\ngout");
        assert_eq!(corpus.records, 2);
    }
    // Only spans by id, as predictions often come.
    let corpus = read(&[(
        "x.json",
        br#"{"1":[[0,7,"drug"]],"two":[{"start":6,"end":10,"label":"cond"}],"three":[]}"#,
    )]);
    assert_eq!((spans(&corpus), corpus.documents.len()), (wanted.to_vec(), 3));
    // What is wrong is told where it is.
    let file = format!(
        "{{\"1\":{one},\n\"two\":{{\"text\":7}},\n\"3\":{{\"text\":\"ab\",\"entities\":[[0,1,\"x\"]],\"score\":NaN}}}}"
    );
    let corpus = read(&[("x.json", file.as_bytes())]);
    assert_eq!(spans(&corpus), [span("1", 0, 7, "drug"), span("3", 0, 1, "x")]);
    assert_eq!(problems(&corpus), [("bad_record", 1), ("not_a_number", 1)]);
    assert_eq!(corpus.problems.by_kind()[0].2[0].place.line, 2);
    assert_eq!(text(&corpus, 1).unwrap(), "ab");
}

#[test]
fn edges_are_as_in_the_general_way() {
    // White space at an edge is noted by the reader or by the placing, whichever has the text: both alike.
    let texts = [" Aspirin ", "😖 naïve ", "é gout"];
    for words in texts {
        let length = words.chars().count();
        let plain =
            json!({"id": "1", "text": words, "entities": [{"start": 0, "end": length, "label": "x"}]});
        let own = json!({"id": "1", "text": words, "entities": [{"start": 0, "end": length, "label": "x", "text": words}]});
        let trimmed = |record: &Value| {
            let corpus = read(&[("x.jsonl", record.to_string().as_bytes())]);
            let found = corpus.detail(&corpus.spans[0]).and_then(|detail| detail.trimmed);
            (found, corpus.spans[0].start, corpus.spans[0].end)
        };
        assert_eq!(trimmed(&plain), trimmed(&own), "{words:?}");
    }
    // Ends that turn out inclusive: what the reader saw at the edges of a plain span is looked for again.
    let mut file =
        String::from("{\"id\":\"p\",\"text\":\"gout and\",\"entities\":[[0,3,\"x\"],[4,7,\"x\"]]}\n");
    for id in 0..30 {
        file += &json!({"id": id, "text": "gout, angina", "entities": [
            {"start": 0, "end": 3, "label": "x", "text": "gout"}, {"start": 6, "end": 11, "label": "x", "text": "angina"}]})
        .to_string();
        file.push('\n');
    }
    let corpus = read(&[("x.jsonl", file.as_bytes())]);
    assert_eq!(spans(&corpus)[..2], [span("p", 0, 4, "x"), span("p", 4, 8, "x")]);
    let trimmed: Vec<_> =
        corpus.spans[..2].iter().map(|span| corpus.detail(span).and_then(|detail| detail.trimmed)).collect();
    assert_eq!(trimmed, [None, Some((5, 8))]);
}

#[test]
fn no_note_text_in_problems() {
    let file = concat!(
        r#"{"id":"1","text":"secret","entities":{"secret":[{"text":"secret"},7]},"relations":[{"type":"x","head":"secret","tail":"secret"}]}"#,
        "\n",
        r#"{"id":"2","text":"secret","entities":"[['secret']]","relations":"secret"}"#,
        "\n",
        r#"{"id":"3","text":"a","entities":[{"text":"secret","label":"x"}],"relations":["secret"]}"#,
        "\n",
    );
    let corpus = read(&[("x.jsonl", file.as_bytes())]);
    let shown = format!("{:?}", corpus.problems);
    assert!(!shown.contains("secret"), "{shown}");
}

/// Ways to write the same documents.
fn write(docs: &[Doc], way: usize) -> (Vec<u8>, Vec<usize>) {
    let mut out = String::new();
    let mut ends = Vec::new();
    for doc in docs {
        let bounds = |fragments: &[(i64, i64)]| (fragments[0].0, fragments[fragments.len() - 1].1);
        let utf16 = |range| doc.range(range, char::len_utf16);
        type Write<'w> = &'w dyn Fn(&[(i64, i64)], &str) -> Value;
        let spans = |one: Write<'_>| -> Value {
            doc.spans.iter().map(|(fragments, label)| one(fragments, label)).collect()
        };
        let record = match way {
            0 => {
                json!({"id": doc.id, "text": doc.text, "entities": spans(&|f, l| json!({"start": bounds(f).0, "end": bounds(f).1, "label": l}))})
            }
            1 => {
                json!({"id": doc.id, "text": doc.text, "label": spans(&|f, l| json!([utf16(bounds(f)).0, utf16(bounds(f)).1, l])), "Comments": []})
            }
            2 => {
                json!({"id": doc.id, "passages": [{"text": [doc.text], "offsets": [[0, doc.text.chars().count()]]}],
                "entities": spans(&|f, l| json!({"id": "e", "type": l, "offsets": f, "text": f.iter().map(|r| doc.slice(*r)).collect::<Vec<_>>()}))})
            }
            _ => {
                json!({"id": doc.id, "text": doc.text, "entities": Value::String(spans(&|f, l| json!([bounds(f).0, bounds(f).1, l])).to_string())})
            }
        };
        out += &record.to_string();
        ends.push(out.len());
        out.push('\n');
    }
    (out.into_bytes(), ends)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn round_trips(docs in common::docs(true, 1), ways in 0_usize..4) {
        let (file, _) = write(&docs, ways);
        let corpus = read(&[("x.jsonl", &file)]);
        prop_assert_eq!(as_docs(&corpus), docs);
    }

    #[test]
    fn fragments_round_trip(docs in common::docs(true, 3)) {
        let (file, _) = write(&docs, 2);
        prop_assert_eq!(as_docs(&read(&[("x.jsonl", &file)])), docs);
    }

    #[test]
    fn one_object_of_documents_reads_as_lines_do(docs in common::docs(true, 1)) {
        let members: serde_json::Map<String, Value> = docs.iter().map(|doc| {
            let entities: Value = doc.spans.iter().map(|(f, l)| json!({"start": f[0].0, "end": f[0].1, "label": l})).collect();
            (doc.id.clone(), json!({"text": doc.text, "entities": entities}))
        }).collect();
        let file = serde_json::to_string_pretty(&Value::Object(members)).unwrap();
        prop_assert_eq!(as_docs(&read(&[("x.json", file.as_bytes())])), docs);
    }
}

#[test]
fn json_that_speaks_of_pubtator_is_json() {
    let corpus = read(&[("x.jsonl", br#"{"id":"1","text":"|t|a","entities":[[0,3,"x"]]}"#)]);
    assert_eq!((spans(&corpus), corpus.files[0].format), (vec![span("1", 0, 3, "x")], Some("json")));
}

#[test]
fn a_cut_at_every_byte() {
    let doc = |id: &str, text: &str, spans: &[(i64, i64)]| Doc {
        id: id.to_owned(),
        text: text.to_owned(),
        spans: spans.iter().map(|&span| (vec![span], "drug".to_owned())).collect(),
    };
    let docs = [doc("a", "naïve 😖 Aspirin", &[(0, 5), (8, 15)]), doc("b", "gout", &[(0, 4)])];
    for way in 0..4 {
        let (file, ends) = write(&docs, way);
        common::every_prefix("x.jsonl", &file, &[], &ends);
    }
}
