//! BioC as XML and as JSON.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::corpus::{Argument, Corpus, Unit};
use common::{Doc, as_docs, docs, every_prefix, problems, read, shared, spans, text};
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;

fn formats(corpus: &Corpus) -> Vec<&'static str> {
    corpus.files.iter().filter_map(|file| file.format).collect()
}

fn span(id: &str, start: i64, end: i64, label: &str) -> (String, i64, i64, String) {
    (id.into(), start, end, label.into())
}

/// Everything that problems say, with their kinds and lines.
fn said(corpus: &Corpus) -> Vec<(&'static str, u64, String)> {
    let kinds = corpus.problems.by_kind();
    let list = kinds.iter().flat_map(|(kind, _, list)| list.iter().map(move |problem| (kind, problem)));
    list.map(|(kind, problem)| {
        (kind.name(), problem.place.line, format!("{} / {}", problem.found, problem.expected))
    })
    .collect()
}

/// A collection around documents, on one line with a DOCTYPE that nobody has.
fn collection(documents: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE collection SYSTEM \"BioC.dtd\">\n\
         <collection><source>s</source><date>d</date><key>k</key>{documents}</collection>"
    )
}

fn passage(offset: i64, text: &str, rest: &str) -> String {
    format!(
        "<passage><infon key=\"type\">body</infon><offset>{offset}</offset><text>{text}</text>{rest}</passage>"
    )
}

fn annotation(key: &str, label: &str, locations: &[(i64, i64)], own: &str) -> String {
    let place =
        |(offset, length): &(i64, i64)| format!("<location offset=\"{offset}\" length=\"{length}\"/>");
    let places: String = locations.iter().map(place).collect();
    format!(
        "<annotation id=\"0\"><infon key=\"{key}\">{label}</infon>{places}<text>{own}</text></annotation>"
    )
}

fn one(passages: &str) -> String {
    collection(&format!("<document><id>d1</id>{passages}</document>"))
}

#[test]
fn the_tool_s_own_files() {
    // As make.py states them, counted by hand.
    let expected = [
        span("é/1", 0, 6, "Sign"),
        span("é/1", 9, 15, "Sign"),
        span("é/1", 26, 59, "Disease"),
        span("é/1", 62, 71, "Drug"),
        span("é/1", 16, 23, "Sign"),
    ];
    let words = "Fièvre & <toux> \"sèche\" 😖 Visual or auditory hallucinations.  µ-opioids\nstopped.";
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/formats/bioc");
    for (name, format) in [
        ("written.xml", "bioc-xml"),
        ("written.json", "bioc-json"),
        ("escaped.json", "bioc-json"),
        ("lines.jsonl", "bioc-json"),
    ] {
        let corpus = read(&[(name, &std::fs::read(folder.join(name)).unwrap())]);
        assert_eq!(formats(&corpus), [format], "{name}");
        let mut found = spans(&corpus);
        // Where the document's own annotations stand depends on the writer.
        found.sort();
        let mut wanted = expected.to_vec();
        wanted.sort();
        assert_eq!(found, wanted, "{name}");
        assert_eq!(text(&corpus, 0).unwrap(), words, "{name}");
        assert_eq!(text(&corpus, 1).unwrap(), "Nothing found.");
        assert_eq!(problems(&corpus), [("relation", 1), ("discontinuous", 1)], "{name}");
        let of = |start: i64| corpus.spans.iter().position(|span| span.start == start).unwrap();
        let detail = |start: i64| corpus.detail(&corpus.spans[of(start)]).unwrap();
        assert_eq!(detail(26).fragments, [(26, 32), (45, 59)]);
        assert_eq!(detail(9).score, Some(0.75));
        let more = |start: i64| detail(start).more.as_deref().unwrap();
        assert_eq!(more(9).concepts, ["D003371"]);
        assert_eq!(more(0).concepts, ["D005334"]);
        assert_eq!(more(62).concepts, ["4988"]);
        assert_eq!(more(26).attributes, [("CompositeRole".to_owned(), "IndividualMention".to_owned())]);
        let relation = &corpus.relations[0];
        assert_eq!((relation.document, relation.label.as_str()), (0, "Causes"));
        let end = |role: &str, start: i64| (role.to_owned(), Argument::Span(of(start) as u32));
        assert_eq!(relation.arguments, [end("cause", 62), end("effect", 26)]);
    }
}

#[test]
fn detection() {
    let xml = one(&passage(0, "Pain", ""));
    let first = |file: &str| {
        let corpus = read(&[("x", file.as_bytes())]);
        (formats(&corpus).first().copied(), corpus.files[0].reason.clone())
    };
    assert_eq!(first(&xml), (Some("bioc-xml"), "XML with the root <collection> of BioC (99 % sure)".into()));
    let bare = format!("<!-- x --><document><id>1</id>{}</document>", passage(0, "Pain", ""));
    assert_eq!(first(&bare).0, Some("bioc-xml"));
    assert_eq!(first("<collection><record/></collection>").0, None);
    assert_eq!(first("<html><body>passage</body></html>").0, None);
    let document = r#"{"id":"1","infons":{},"passages":[{"offset":0,"text":"Pain","annotations":[]}]}"#;
    for file in [
        document.to_owned(),
        format!("{{\"source\":\"s\",\"documents\":[{document}]}}"),
        format!("[{document},{document}]"),
        format!("{{\"PubTator3\": [{document}]}}"),
        r#"{"x":{"a":[1,"]"]},"documents":[{"passages":[{"text":"a\"b","infons":{}}]}]}"#.to_owned(),
    ] {
        assert_eq!(first(&file).0, Some("bioc-json"), "{file}");
    }
    // BigBio's passages have lists of texts and of offsets; other records mention the words in their texts.
    for file in [
        r#"{"id":"1","passages":[{"id":"2","type":"title","text":["Pain"],"offsets":[[0,4]]}],"entities":[]}"#,
        r#"{"id":"1","text":"\"passages\":[{\"offset\":0}]","entities":[]}"#,
        r#"{"passages":{"offset":1},"text":"a","entities":[]}"#,
    ] {
        assert_eq!(first(file).0, Some("json"), "{file}");
    }
}

#[test]
fn bytes_and_utf16_are_found_by_the_own_texts() {
    let text = "12 µg 😖 diclofenac";
    for (offset, unit) in [(8, Unit::CodePoint), (9, Unit::Utf16), (12, Unit::Byte)] {
        let note = annotation("type", "Drug", &[(offset, 10)], "diclofenac");
        let corpus = read(&[("x.xml", one(&passage(0, text, &note)).as_bytes())]);
        assert_eq!(spans(&corpus), [span("d1", 8, 18, "Drug")], "{unit:?}");
        assert_eq!(corpus.offsets[0].way.unit, unit);
    }
    // An offset inside a character is that span's fault alone.
    let notes = annotation("type", "Drug", &[(12, 10)], "diclofenac").repeat(20);
    let notes = [notes, annotation("type", "Drug", &[(4, 2)], "g")].concat();
    let corpus = read(&[("x.xml", one(&passage(0, text, &notes)).as_bytes())]);
    assert_eq!(spans(&corpus)[..20], vec![span("d1", 8, 18, "Drug"); 20]);
    assert_eq!(problems(&corpus), [("offset_inside_character", 1)]);
}

#[test]
fn gaps_between_passages() {
    let two = |first: &str, offset: i64| {
        let corpus =
            read(&[("x.xml", one(&[passage(0, first, ""), passage(offset, "b", "")].concat()).as_bytes())]);
        (text(&corpus, 0), problems(&corpus))
    };
    // One separator in code points, UTF-16 and bytes; a gap filled; none; an overlap.
    assert_eq!(two("aµ😖", 4), (Some("aµ😖 b".into()), vec![]));
    assert_eq!(two("aµ😖", 5), (Some("aµ😖 b".into()), vec![]));
    assert_eq!(two("aµ😖", 8), (Some("aµ😖 b".into()), vec![]));
    assert_eq!(two("aµ😖", 7), (Some("aµ😖    b".into()), vec![]));
    assert_eq!(two("aµ😖", 3), (Some("aµ😖b".into()), vec![]));
    assert_eq!(two("aµ😖", 2), (None, vec![("text_unusable", 1)]));
    assert_eq!(two("a", 1 << 21), (None, vec![("text_unusable", 1)]));
    assert_eq!(two("a", i64::MIN), (None, vec![("text_unusable", 1)]));
    assert_eq!(two("a", i64::MAX), (None, vec![("text_unusable", 1)]));
    // A first passage that does not begin at 0.
    let late = one(&passage(3, "ab", &annotation("type", "X", &[(3, 2)], "ab")));
    let corpus = read(&[("x.xml", late.as_bytes())]);
    assert_eq!((text(&corpus, 0).unwrap(), spans(&corpus)), ("   ab".into(), vec![span("d1", 3, 5, "X")]));
    // Without usable text, spans stay as given.
    let notes = annotation("type", "X", &[(3, 2)], "ab");
    let corpus =
        read(&[("x.xml", one(&[passage(9, "ab", &notes), passage(0, "cd", "")].concat()).as_bytes())]);
    assert_eq!(spans(&corpus), [span("d1", 3, 5, "X")]);
}

#[test]
fn offsets_from_the_start_of_the_passage() {
    let passages = [
        passage(0, "Renal failure", &annotation("type", "Disease", &[(0, 13)], "Renal failure")),
        passage(14, "No diclofenac.", &annotation("type", "Drug", &[(3, 10)], "diclofenac")),
        passage(29, "Stop.", &annotation("type", "Act", &[(0, 4)], "Stop")),
    ];
    let corpus = read(&[("x.xml", one(&passages.concat()).as_bytes())]);
    assert!(corpus.offsets[0].way.passage);
    assert_eq!(
        spans(&corpus),
        [span("d1", 0, 13, "Disease"), span("d1", 17, 27, "Drug"), span("d1", 29, 33, "Act")]
    );
    assert_eq!(problems(&corpus), []);
}

#[test]
fn line_ends_stay_and_offsets_may_count_them_or_not() {
    // As stored, and as XML parsers give it.
    for (offset, lf) in [(6, false), (4, true)] {
        let note = annotation("type", "Sign", &[(offset, 4)], "pain");
        let corpus = read(&[("x.xml", one(&passage(0, "a\r\nb\r\npain", &note)).as_bytes())]);
        assert_eq!(text(&corpus, 0).unwrap(), "a\r\nb\r\npain");
        assert_eq!(spans(&corpus), [span("d1", 6, 10, "Sign")]);
        assert_eq!(corpus.offsets[0].way.lf, lf);
    }
}

#[test]
fn what_annotations_may_look_like() {
    let notes = [
        annotation("Type", "A", &[(0, 1)], "a"),
        annotation("entity_type", "B", &[(0, 1)], "a"),
        annotation("type", "C", &[(1, 0)], ""),
        annotation("type", "D &amp; &#x44;", &[(2, 3)], "&lt;b&#x3e;"),
        // The same mention as part and as whole.
        "<annotation><infon key=\"type\">E</infon><infon key=\"CompositeRole\">CompositeMention</infon>\
         <infon key=\"MESH\">D1|D2</infon><infon key='NCBI Gene'>1</infon><infon key='Identifier'>x</infon>\
         <location offset='0' length='1'/><text>a</text></annotation>"
            .into(),
    ]
    .concat();
    let second = format!(
        "<document><id>d2</id>{}</document>",
        passage(0, "a", &annotation("type", "A", &[(0, 1)], "a"))
    );
    let file = one(&passage(0, "a &lt;b&#x3e;&#13;<![CDATA[<&amp;]]>", &notes))
        .replace("</collection>", &format!("{second}</collection>"));
    let corpus = read(&[("x.xml", file.as_bytes())]);
    assert_eq!(text(&corpus, 0).unwrap(), "a <b>\r<&amp;");
    assert_eq!(
        spans(&corpus),
        [
            span("d1", 0, 1, "A"),
            span("d1", 0, 1, "B"),
            span("d1", 1, 1, "C"),
            span("d1", 2, 5, "D & D"),
            span("d1", 0, 1, "E"),
            span("d2", 0, 1, "A"),
        ]
    );
    assert_eq!(problems(&corpus), [("empty_span", 1)]);
    let last = corpus.detail(&corpus.spans[4]).unwrap().more.as_deref().unwrap();
    assert_eq!(last.concepts, ["D1|D2", "1", "x"]);
    assert_eq!(last.attributes, [("CompositeRole".into(), "CompositeMention".into())]);
}

#[test]
fn relations_between_concepts() {
    let relations = "<relation id='R0'><infon key='relation'>CID</infon><infon key='Chemical'>D1</infon>\
                     <infon key='Disease'>D2</infon></relation>\
                     <relation id='R1'><infon key='entity1'>D1</infon><infon key='entity2'>D2</infon>\
                     <infon key='type'>Association</infon><infon key='novel'>No</infon></relation>";
    let corpus = read(&[("x.xml", one(&[passage(0, "a", "").as_str(), relations].concat()).as_bytes())]);
    let concept = |role: &str, id: &str| (role.to_owned(), Argument::Concept(id.to_owned()));
    let found: Vec<_> = corpus.relations.iter().map(|r| (r.label.as_str(), r.arguments.clone())).collect();
    assert_eq!(
        found,
        [
            ("CID", vec![concept("Chemical", "D1"), concept("Disease", "D2")]),
            ("Association", vec![concept("entity1", "D1"), concept("entity2", "D2")]),
        ]
    );
}

#[test]
fn pubtator3() {
    // As its export writes: both ids, infons that are no strings, roles as objects, one document after another.
    let document = |id: &str, passages: serde_json::Value| {
        json!({"_id": format!("{id}|None"), "id": id, "infons": {}, "pmid": id.parse::<u64>().unwrap(), "pmcid": null,
            "passages": passages, "relations": [{"id": "R1", "infons": {"score": "0.99", "type": "Association",
                "role1": {"identifier": "MESH:D1", "type": "Disease"}, "role2": {"identifier": "MESH:D2"}},
                "nodes": [{"refid": "0", "role": "0,1"}]}]})
    };
    let note = json!({"id": "2", "infons": {"identifier": "MESH:D1", "type": "Disease", "valid": true, "x": null,
        "normalized": [1], "score": 0.5}, "text": "pain", "locations": [{"offset": 5, "length": 4}]});
    let one = document(
        "7",
        json!([{"infons": {"type": "title"}, "offset": 0, "text": "Back", "sentences": [],
        "annotations": [], "relations": []}, {"offset": "5", "text": "pain\n\"😖\"", "annotations": [note]}]),
    );
    let two = document("8", json!([{"offset": 0, "text": "x", "annotations": null}]));
    let pretty = |value: &serde_json::Value| serde_json::to_string_pretty(value).unwrap();
    for file in [
        format!("{one}\n{two}\n"),
        format!("{one}{two}"),
        format!("[{},\n{}]", pretty(&one), pretty(&two)),
        json!({"PubTator3": [one, two]}).to_string(),
        format!(
            "{{\"date\": \"\", \"infons\": {{\"documents\": [1]}},\n \"documents\":\n [{one},\n{two}\n], \"key\": \"]}}\", \"more\": {{}}}}\n"
        ),
    ] {
        let corpus = read(&[("x.json", file.as_bytes())]);
        assert_eq!(formats(&corpus), ["bioc-json"]);
        let ids: Vec<&str> = corpus.documents.iter().map(|document| document.id.as_str()).collect();
        assert_eq!(ids, ["7", "8"], "{file}");
        assert_eq!(spans(&corpus), [span("7", 5, 9, "Disease")]);
        assert_eq!(text(&corpus, 0).unwrap(), "Back pain\n\"😖\"");
        assert_eq!(problems(&corpus), [("relation", 2)]);
        let detail = corpus.detail(&corpus.spans[0]).unwrap();
        assert_eq!(detail.score, Some(0.5));
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let more = detail.more.as_deref().unwrap();
        assert_eq!(more.concepts, ["MESH:D1"]);
        assert_eq!(more.attributes.len(), 2);
        assert!(more.attributes.contains(&pair("valid", "true")));
        assert!(more.attributes.iter().any(|(name, value)| name == "normalized" && value.starts_with('[')));
        let concept = |role: &str, id: &str| (role.to_owned(), Argument::Concept(id.to_owned()));
        assert_eq!(corpus.relations[0].arguments, [concept("role1", "MESH:D1"), concept("role2", "MESH:D2")]);
    }
}

#[test]
fn lines_of_annotations() {
    let file = one(&passage(0, "ab", &["\n\n", &annotation("type", "X", &[(0, 1)], "b"), "\n"].concat()));
    let corpus = read(&[("x.xml", file.as_bytes())]);
    assert_eq!(corpus.detail(&corpus.spans[0]).unwrap().line, 5);
    let json = "{\"documents\": [\n{\"id\": \"1\",\n\"passages\": [{\"offset\": 0, \"text\": \"ab\", \"annotations\": [\n\
                {\"infons\": {\"type\": \"X\"}, \"locations\": [{\"offset\": 0, \"length\": 1}], \"text\": \"a\"},\n\n\
                {\"infons\": {\"type\": \"X\"}, \"locations\": [{\"offset\": 0, \"length\": 1}], \"text\": \"a\"}]}]}]}";
    let corpus = read(&[("x.json", json.as_bytes())]);
    let lines: Vec<u64> = corpus.spans.iter().map(|span| corpus.detail(span).unwrap().line).collect();
    assert_eq!((lines, corpus.documents[0].line), (vec![4, 6], 2));
}

#[test]
fn problems_of_xml() {
    let notes = [
        annotation("kind", "secret?", &[(0, 6)], "secret"),
        annotation("type", "X", &[], "secret"),
        "<annotation><infon key='type'>X</infon><location offset='zero' length='1'/><text>secret</text></annotation>"
            .into(),
        annotation("type", "X", &[(0, 5)], "secret"),
        annotation("type", "X", &[(1, 6)], "secret").repeat(2),
    ]
    .join("\n");
    let file = one(&passage(0, "\nsecret &unknown; a & b", &notes));
    let corpus = read(&[("x.xml", file.as_bytes())]);
    let found: Vec<_> = said(&corpus).into_iter().map(|(kind, line, _)| (kind, line)).collect();
    assert_eq!(
        found,
        [("unknown_entity", 3), ("bad_span", 4), ("bad_span", 5), ("bad_span", 6), ("surface_differs", 7)]
    );
    assert_eq!(text(&corpus, 0).unwrap(), "\nsecret &unknown; a & b");
    assert!(said(&corpus).iter().all(|(_, _, words)| !words.contains("secret")), "{:?}", said(&corpus));
    assert!(said(&corpus)[1].2.contains("kind"));
}

#[test]
fn a_broken_document_loses_no_other() {
    let document = |id: &str, text: &str| {
        format!(
            "<document><id>{id}</id>\n{}</document>\n",
            passage(0, text, &annotation("type", "X", &[(0, 1)], "a"))
        )
    };
    let file = collection(
        &[
            document("1", "a"),
            document("2", "a</b>secret"),
            document("3", "p < secret 0.05"),
            document("4", "a"),
        ]
        .concat(),
    );
    let corpus = read(&[("x.xml", file.as_bytes())]);
    assert_eq!(spans(&corpus), [span("1", 0, 1, "X"), span("4", 0, 1, "X")]);
    let found = said(&corpus);
    assert!(
        found
            .iter()
            .all(|(kind, line, words)| *kind == "bad_record" && *line > 3 && !words.contains("secret")),
        "{found:?}"
    );
    assert_eq!(corpus.documents[1].line, 9);
    // Bytes that are no UTF-8 are read as U+FFFD, whatever the text around them.
    let mut bytes =
        one(&passage(0, "a?b &amp; pain", &annotation("type", "X", &[(6, 4)], "pain"))).into_bytes();
    let at = bytes.windows(3).position(|three| three == b"a?b").unwrap();
    bytes[at + 1] = 0xE9;
    let corpus = read(&[("x.xml", &bytes)]);
    assert_eq!(text(&corpus, 0).unwrap(), "a\u{fffd}b & pain");
    assert_eq!(
        (spans(&corpus), problems(&corpus)),
        (vec![span("d1", 6, 10, "X")], vec![("bad_encoding", 1)])
    );
    assert_eq!(corpus.documents[0].digest.unwrap().length, 10);
}

#[test]
fn entities_are_never_expanded() {
    let mut subset = String::from("<!ENTITY l0 \"lol\">");
    for at in 1..10 {
        subset.push_str(&format!("<!ENTITY l{at} \"{}\">", format!("&l{};", at - 1).repeat(10)));
    }
    let file = format!(
        "<!DOCTYPE collection [{subset}<!ENTITY file SYSTEM \"file:///etc/passwd\">]><collection><document><id>1</id>{}</document></collection>",
        passage(0, "&l9; and &file;", "")
    );
    let corpus = read(&[("x.xml", file.as_bytes())]);
    assert_eq!(text(&corpus, 0).unwrap(), "&l9; and &file;");
    assert_eq!(problems(&corpus), [("unknown_entity", 1)]);
    let deep = format!("<collection><document>{}", "<passage>".repeat(100_000));
    assert_eq!(problems(&read(&[("x.xml", deep.as_bytes())])), [("bad_record", 1)]);
}

#[test]
fn problems_of_json() {
    let note = |label: serde_json::Value, locations: serde_json::Value| json!({"infons": label, "text": "secret", "locations": locations});
    let place = json!([{"offset": 0, "length": 6}]);
    let good = json!({"id": "1", "passages": [{"offset": 0.0, "text": "secret", "annotations": [
        note(json!({"type": "X"}), place.clone()),
        note(json!({"kind": "secret"}), place.clone()),
        note(json!({"type": "X"}), json!([])),
        note(json!({"type": "X"}), json!([{"offset": "a", "length": 1}])),
        note(json!({"type": "X"}), json!({"offset": 0})),
        note(json!({"type": "X"}), json!([{"offset": "0", "length": 6.0}])),
    ]}]});
    let nan = good.to_string().replace("\"kind\"", "\"score\":NaN,\"kind\"");
    let file = format!("{good}\n{{\"id\": 2, \"passages\": \"secret\"}}\n{{\"id\": 3, secret}}\n{nan}\n");
    let corpus = read(&[("x.jsonl", file.as_bytes())]);
    assert_eq!(spans(&corpus), vec![span("1", 0, 6, "X"); 4]);
    assert_eq!(
        problems(&corpus),
        [("bad_record", 2), ("bad_span", 8), ("not_a_number", 1), ("document_joined", 1)]
    );
    assert!(
        said(&corpus).iter().all(|(_, line, words)| *line > 0 && !words.contains("secret")),
        "{:?}",
        said(&corpus)
    );
    assert_eq!(corpus.records, 4);
}

#[test]
fn a_cut_at_every_byte() {
    let notes = annotation("type", "X", &[(0, 1)], "a");
    let document =
        |id: &str| format!("<document><id>{id}</id>\n{}</document>", passage(0, "aµ &lt;", &notes));
    let file = collection(&[document("1"), document("2")].concat());
    let ends: Vec<usize> = file.match_indices("</document>").map(|(at, end)| at + end.len()).collect();
    every_prefix("x.xml", file.as_bytes(), &[], &ends);
    // A cut is said wherever it is.
    for cut in file.find("<document").unwrap()..file.len() {
        let corpus = read(&[("x.xml", &file.as_bytes()[..cut])]);
        let listed =
            said(&corpus).iter().any(|(kind, _, words)| *kind == "bad_record" && words.contains("cut off"));
        assert!(listed, "{cut}: {:?}", said(&corpus));
    }
    let json = |id: &str| {
        json!({"id": id, "passages": [{"offset": 0, "text": "aµ \"", "annotations": [
        {"infons": {"type": "X"}, "text": "a", "locations": [{"offset": 0, "length": 1}]}]}]})
    };
    let file =
        format!("{{\"source\": \"[\", \"documents\": [{},\n{}], \"key\": \"\"}}", json("1"), json("2"));
    let head = file.find("\"annotations\"").unwrap();
    let first = file.find(&json("1").to_string()).unwrap() + json("1").to_string().len();
    let second = file.find(&json("2").to_string()).unwrap() + json("2").to_string().len();
    every_prefix("x.json", file.as_bytes(), &[], &[first, second]);
    for cut in head..file.len() {
        let corpus = read(&[("x.json", &file.as_bytes()[..cut])]);
        assert!(said(&corpus).iter().any(|(_, _, words)| words.contains("cut off")), "{cut}");
    }
}

/// Where a text can be cut into two passages with a space between them.
fn halves(doc: &Doc) -> Option<(i64, String, String)> {
    let chars: Vec<char> = doc.text.chars().collect();
    let at = (1..chars.len().saturating_sub(1)).find(|&at| chars[at] == ' ')?;
    Some((at as i64, chars[..at].iter().collect(), chars[at + 1..].iter().collect()))
}

fn escape(text: &str, hard: bool) -> String {
    if hard {
        return text.chars().map(|c| format!("&#x{:x};", u32::from(c))).collect();
    }
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn write_xml(docs: &[Doc], split: bool, hard: bool) -> String {
    let document = |doc: &Doc| {
        let notes: String = doc
            .spans
            .iter()
            .map(|(fragments, label)| {
                let places: Vec<(i64, i64)> = fragments.iter().map(|&(s, e)| (s, e - s)).collect();
                let own: Vec<String> = fragments.iter().map(|&range| doc.slice(range)).collect();
                annotation("type", label, &places, &escape(&own.join(" "), hard))
            })
            .collect();
        let passages = match halves(doc).filter(|_| split) {
            Some((at, first, second)) => [
                passage(0, &escape(&first, hard), ""),
                passage(at + 1, &format!("<![CDATA[{second}]]>"), &notes),
            ]
            .concat(),
            None => passage(0, &escape(&doc.text, hard), &notes),
        };
        format!("<document><id>{}</id>{passages}</document>", doc.id)
    };
    collection(&docs.iter().map(document).collect::<String>())
}

fn write_json(docs: &[Doc], split: bool) -> String {
    let document = |doc: &Doc| {
        let notes: Vec<serde_json::Value> = doc
            .spans
            .iter()
            .map(|(fragments, label)| {
                let places: Vec<_> =
                    fragments.iter().map(|&(s, e)| json!({"offset": s, "length": e - s})).collect();
                let own: Vec<String> = fragments.iter().map(|&range| doc.slice(range)).collect();
                json!({"infons": {"type": label}, "text": own.join(" "), "locations": places})
            })
            .collect();
        let passages = match halves(doc).filter(|_| split) {
            Some((at, first, second)) => json!([
                {"offset": 0, "text": first, "annotations": notes}, {"offset": at + 1, "text": second}]),
            None => {
                json!([{"offset": 0, "sentences": [{"offset": 0, "text": doc.text, "annotations": notes}]}])
            }
        };
        json!({"id": doc.id, "passages": passages})
    };
    json!({"documents": docs.iter().map(document).collect::<Vec<_>>()}).to_string()
}

proptest! {
    #[test]
    fn round_trip(docs in docs(true, 3), split: bool, hard: bool) {
        let corpus = read(&[("x.xml", write_xml(&docs, split, hard).as_bytes())]);
        prop_assert_eq!(as_docs(&corpus), docs.clone());
        let corpus = read(&[("x.json", write_json(&docs, split).as_bytes())]);
        prop_assert_eq!(as_docs(&corpus), docs);
    }
}

/// What is put into files.
fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/formats/bioc");
    ["written.xml", "escaped.json", "lines.jsonl"]
        .map(|name| (name, std::fs::read(folder.join(name)).unwrap()))
        .to_vec()
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_listed(
        at: prop::sample::Index,
        junk in prop::sample::select(common::JUNK),
        cut in 0_usize..3,
        again: prop::sample::Index,
    ) {
        for (name, bytes) in samples() {
            common::damaged_is_read(name, bytes, junk, &at, cut, &again);
        }
    }
}

fn by_label(corpus: &Corpus) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for (_, _, _, label) in spans(corpus) {
        *counts.entry(label).or_default() += 1;
    }
    counts
}

#[test]
fn real_bc5cdr() {
    let Some(shared) = shared() else { return };
    let bytes = std::fs::read(shared.join("data/bc5cdr/CDR_TestSet.BioC.xml")).unwrap();
    let corpus = read(&[("CDR_TestSet.BioC.xml", &bytes)]);
    assert_eq!(formats(&corpus), ["bioc-xml"]);
    assert_eq!((corpus.documents.len(), corpus.spans.len()), (500, 9928));
    assert_eq!(by_label(&corpus), [("Chemical".to_owned(), 5394), ("Disease".to_owned(), 4534)].into());
    // 1,066 <relation>s and 37 annotations with two locations, as ElementTree counts them; each annotation's text
    // is its document's.
    assert_eq!(problems(&corpus), [("relation", 1066), ("discontinuous", 37)]);
    // The same spans as PubTator has, and 119 more.
    let pubtator = std::fs::read(shared.join("data/bc5cdr/CDR_TestSet.PubTator.txt")).unwrap();
    let mut rest = spans(&corpus);
    rest.sort();
    for span in spans(&read(&[("x", &pubtator)])) {
        if let Ok(at) = rest.binary_search(&span) {
            rest.remove(at);
        }
    }
    assert!(rest.len() >= 119, "{}", rest.len());
}

#[test]
fn real_biored() {
    let Some(shared) = shared() else { return };
    let load = |name: &str| read(&[(name, &std::fs::read(shared.join("data/biored").join(name)).unwrap())]);
    let [pubtator, xml, json] = ["Test.PubTator", "Test.BioC.XML", "Test.BioC.JSON"].map(load);
    assert_eq!((formats(&xml), formats(&json)), (vec!["bioc-xml"], vec!["bioc-json"]));
    let counts = [
        ("CellLine", 50),
        ("ChemicalEntity", 754),
        ("DiseaseOrPhenotypicFeature", 917),
        ("GeneOrGeneProduct", 1180),
        ("OrganismTaxon", 393),
        ("SequenceVariant", 241),
    ];
    assert_eq!(by_label(&xml), counts.map(|(label, count)| (label.to_owned(), count)).into());
    let sorted = |corpus: &Corpus| {
        let mut spans = spans(corpus);
        spans.sort();
        spans
    };
    assert_eq!(sorted(&xml).len(), 3535);
    assert_eq!(sorted(&xml), sorted(&pubtator));
    assert_eq!(spans(&json), spans(&xml));
    assert_eq!(json.relations, xml.relations);
    assert_eq!(problems(&json), [("relation", 1163)]);
    for at in 0..100 {
        assert_eq!(text(&json, at), text(&xml, at));
        assert_eq!(text(&pubtator, at), text(&xml, at));
    }
}
