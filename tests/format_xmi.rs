//! UIMA CAS, as XMI and as JSON: what is read, repaired and listed.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::corpus::{Argument, Corpus};
use common::{Doc, as_docs, every_prefix, problems, read, spans, text};
use proptest::prelude::*;

const CASSIS_XMI: &[u8] = include_bytes!("fixtures/formats/xmi/example.xmi");
const CASSIS_JSON: &[u8] = include_bytes!("fixtures/formats/xmi/example.json");
const EXPECTED: &str = include_str!("fixtures/formats/xmi/expected.json");

const ROOT: &str = concat!(
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
    "<xmi:XMI xmlns:xmi=\"http://www.omg.org/XMI\" xmlns:cas=\"http:///uima/cas.ecore\" ",
    "xmlns:tcas=\"http:///uima/tcas.ecore\" xmlns:custom=\"http:///webanno/custom.ecore\" ",
    "xmlns:type4=\"http:///de/tudarmstadt/ukp/dkpro/core/api/ner/type.ecore\" ",
    "xmlns:pos=\"http:///de/tudarmstadt/ukp/dkpro/core/api/lexmorph/type/pos.ecore\" ",
    "xmlns:type3=\"http:///de/tudarmstadt/ukp/dkpro/core/api/metadata/type.ecore\" ",
    "xmlns:textsem=\"http:///org/apache/ctakes/typesystem/type/textsem.ecore\" ",
    "xmlns:refsem=\"http:///org/apache/ctakes/typesystem/type/refsem.ecore\" ",
    "xmlns:relation=\"http:///org/apache/ctakes/typesystem/type/relation.ecore\" ",
    "xmlns:syntax=\"http:///org/apache/ctakes/typesystem/type/syntax.ecore\" ",
    "xmlns:textspan=\"http:///org/apache/ctakes/typesystem/type/textspan.ecore\" xmi:version=\"2.0\">\n",
);

fn span(id: &str, start: i64, end: i64, label: &str) -> (String, i64, i64, String) {
    (id.to_owned(), start, end, label.to_owned())
}

fn xmi_file(body: &str) -> String {
    format!("{ROOT}<cas:NULL xmi:id=\"0\"/>\n{body}</xmi:XMI>\n")
}

fn xmi(body: &str) -> Corpus {
    read(&[("x.xmi", xmi_file(body).as_bytes())])
}

fn attributes(corpus: &Corpus, at: usize) -> Vec<(String, String)> {
    let detail = corpus.detail(&corpus.spans[at]).unwrap();
    detail.more.as_ref().map(|more| more.attributes.clone()).unwrap_or_default()
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

#[test]
fn cassis_files_are_read_alike() {
    #[derive(serde::Deserialize)]
    struct Expected {
        text: String,
        spans: Vec<(i64, i64, String)>,
    }
    let expected: Expected = serde_json::from_str(EXPECTED).unwrap();
    for (name, format, bytes) in [("n7.xmi", "xmi", CASSIS_XMI), ("n7.json", "cas-json", CASSIS_JSON)] {
        let corpus = read(&[(name, bytes)]);
        assert_eq!(corpus.files[0].format, Some(format));
        assert_eq!(text(&corpus, 0).unwrap(), expected.text, "{name}");
        let found: Vec<(i64, i64, String)> = spans(&corpus).into_iter().map(|s| (s.1, s.2, s.3)).collect();
        assert_eq!(found, expected.spans, "{name}");
        assert_eq!(corpus.documents[0].id, "n7");
        assert_eq!(problems(&corpus), [("layers", 1)]);
        let layers = &corpus.problems.by_kind()[0].2[0].found;
        assert_eq!(layers, "4 NamedEntity (label: value), 2 Drug (label: substance)");
        assert_eq!(corpus.detail(&corpus.spans[0]).unwrap().more.as_ref().unwrap().concepts, ["C0030193"]);
        assert_eq!(
            attributes(&corpus, 4),
            [pair("layer", "Drug"), pair("dose", "100"), pair("negated", "false")]
        );
        assert_eq!(corpus.relations.len(), 1);
        assert_eq!(corpus.relations[0].label, "helps");
        assert_eq!(
            corpus.relations[0].arguments,
            [("Governor".to_owned(), Argument::Span(4)), ("Dependent".to_owned(), Argument::Span(0))]
        );
    }
}

#[test]
fn json_structures_may_be_an_object_by_id_and_offsets_have_a_caret() {
    let file = r##"{"%VIEWS": {"_InitialView": {"%SOFA": 1, "%MEMBERS": [3]}},
        "%FEATURE_STRUCTURES": {
            "3": {"%TYPE": "webanno.custom.Drug", "@sofa": 1, "^begin": 2, "^end": 6, "label": "x", "#score": "NaN"},
            "1": {"%TYPE": "uima.cas.Sofa", "sofaID": "_InitialView", "sofaString": "😖\u0041bcd"}}}"##;
    let corpus = read(&[("x.json", file.as_bytes())]);
    assert_eq!(corpus.files[0].format, Some("cas-json"));
    assert_eq!(spans(&corpus), [span("x", 1, 5, "x")]);
    assert_eq!(text(&corpus, 0).unwrap(), "😖Abcd");
    assert_eq!(problems(&corpus), []);
    assert!(corpus.detail(&corpus.spans[0]).unwrap().score.unwrap().is_nan());
}

#[test]
fn surrogates_written_as_two_references_are_one_character() {
    let corpus = xmi(
        "<cas:Sofa xmi:id=\"1\" sofaNum=\"1\" sofaID=\"_InitialView\" sofaString=\"&#55357;&#56832; Pain&#10;&#xD83D; x\ny&#9;z\"/>\
         <type4:NamedEntity xmi:id=\"2\" sofa=\"1\" begin=\"3\" end=\"7\" value=\"P\"/>\
         <type4:NamedEntity xmi:id=\"3\" sofa=\"1\" begin=\"10\" end=\"11\" value=\"Q\"/>\
         <cas:View sofa=\"1\" members=\"2 3\"/>",
    );
    assert_eq!(text(&corpus, 0).unwrap(), "😀 Pain\n\u{FFFD} x y\tz");
    assert_eq!(spans(&corpus), [span("x", 2, 6, "P"), span("x", 9, 10, "Q")]);
    assert_eq!(problems(&corpus), [("bad_encoding", 1)]);
}

#[test]
fn ctakes_mentions_are_labelled_by_their_type() {
    let corpus = xmi(concat!(
        "<cas:Sofa xmi:id=\"1\" sofaNum=\"1\" sofaID=\"_InitialView\" mimeType=\"text\" sofaString=\"No fever. Chest pain.\"/>",
        "<textspan:Segment xmi:id=\"5\" sofa=\"1\" begin=\"0\" end=\"21\" id=\"SIMPLE_SEGMENT\"/>",
        "<textspan:Sentence xmi:id=\"6\" sofa=\"1\" begin=\"0\" end=\"9\"/>",
        "<syntax:WordToken xmi:id=\"7\" sofa=\"1\" begin=\"0\" end=\"2\" partOfSpeech=\"DT\"/>",
        "<refsem:UmlsConcept xmi:id=\"10\" codingScheme=\"SNOMEDCT_US\" code=\"29857009\" cui=\"C0008031\" tui=\"T184\"/>",
        "<refsem:UmlsConcept xmi:id=\"11\" codingScheme=\"SNOMEDCT_US\" code=\"1\" cui=\"C0008031\" tui=\"T184\"/>",
        "<textsem:SignSymptomMention xmi:id=\"20\" sofa=\"1\" begin=\"3\" end=\"8\" id=\"0\" typeID=\"3\" segmentID=\"S\" ",
        "discoveryTechnique=\"1\" confidence=\"0.5\" polarity=\"-1\" uncertainty=\"0\" subject=\"patient\"/>",
        "<textsem:SignSymptomMention xmi:id=\"21\" sofa=\"1\" begin=\"10\" end=\"20\" ontologyConceptArr=\"10 11\" polarity=\"1\"/>",
        "<textsem:AnatomicalSiteMention xmi:id=\"22\" sofa=\"1\" begin=\"10\" end=\"15\" polarity=\"1\"/>",
        "<relation:RelationArgument xmi:id=\"30\" argument=\"22\" role=\"Argument\"/>",
        "<relation:RelationArgument xmi:id=\"31\" argument=\"21\" role=\"Related_to\"/>",
        "<relation:LocationOfTextRelation xmi:id=\"32\" category=\"location_of\" arg1=\"31\" arg2=\"30\"/>",
        "<cas:View sofa=\"1\" members=\"5 6 7 20 21 22 32\"/>",
    ));
    assert_eq!(
        spans(&corpus),
        [
            span("x", 3, 8, "SignSymptomMention"),
            span("x", 10, 20, "SignSymptomMention"),
            span("x", 10, 15, "AnatomicalSiteMention")
        ]
    );
    assert_eq!(problems(&corpus), [("layers", 1)]);
    assert_eq!(
        attributes(&corpus, 0),
        [
            pair("confidence", "0.5"),
            pair("polarity", "-1"),
            pair("uncertainty", "0"),
            pair("subject", "patient")
        ]
    );
    assert_eq!(corpus.detail(&corpus.spans[0]).unwrap().score, Some(0.5));
    assert_eq!(
        corpus.detail(&corpus.spans[1]).unwrap().more.as_ref().unwrap().concepts,
        ["C0008031", "29857009", "1"]
    );
    assert_eq!(corpus.relations[0].label, "location_of");
    assert_eq!(
        corpus.relations[0].arguments,
        [("arg1".to_owned(), Argument::Span(1)), ("arg2".to_owned(), Argument::Span(2))]
    );
}

#[test]
fn structure_and_linguistics_are_no_spans_and_lists_are_values() {
    let corpus = xmi(concat!(
        "<type3:DocumentMetaData xmi:id=\"2\" sofa=\"1\" begin=\"0\" end=\"4\" documentId=\"doc\"/>",
        "<type3:TagsetDescription xmi:id=\"3\" sofa=\"1\" begin=\"0\" end=\"4\" layer=\"l\" name=\"Tags\"/>",
        "<tcas:DocumentAnnotation xmi:id=\"4\" sofa=\"1\" begin=\"0\" end=\"4\" language=\"en\"/>",
        "<pos:POS_NOUN xmi:id=\"5\" sofa=\"1\" begin=\"0\" end=\"4\" PosValue=\"NN\"/>",
        "<custom:Finding xmi:id=\"6\" sofa=\"1\" begin=\"0\" end=\"4\" comment=\"x\"><kind>A &amp; B</kind><kind>C</kind></custom:Finding>",
        "<custom:Report xmi:id=\"7\" sofa=\"1\" value=\"discharge\"/>",
        "<cas:Sofa xmi:id=\"1\" sofaID=\"_InitialView\" sofaString=\"Pain\"/>",
        "<cas:View sofa=\"1\" members=\"2 3 4 5 6 7\"/>",
    ));
    assert_eq!(spans(&corpus), [span("x", 0, 4, "A & B")]);
    assert_eq!(attributes(&corpus, 0), [pair("comment", "x"), pair("kind", "C")]);
    assert_eq!(problems(&corpus), [("layers", 1)]);
    assert_eq!(corpus.problems.by_kind()[0].2[0].found, "1 Finding (label: kind); not read: 1 POS_NOUN");
    assert_eq!(corpus.documents[0].classes, Some(0..1));
    assert_eq!(corpus.labels.name(corpus.classes[0].label), "discharge");
}

#[test]
fn views_say_what_counts() {
    let corpus = xmi(concat!(
        "<type4:NamedEntity xmi:id=\"2\" sofa=\"1\" begin=\"0\" end=\"4\" value=\"A\"/>",
        "<type4:NamedEntity xmi:id=\"3\" sofa=\"1\" begin=\"0\" end=\"4\" value=\"gone\"/>",
        "<type4:NamedEntity xmi:id=\"4\" sofa=\"9\" begin=\"0\" end=\"2\" value=\"B\"/>",
        "<type4:NamedEntity xmi:id=\"5\" sofa=\"9\" begin=\"0\" end=\"2\" value=\"B\"/>",
        "<cas:Sofa xmi:id=\"9\" sofaID=\"plain\" sofaString=\"other\"/>",
        "<cas:Sofa xmi:id=\"1\" sofaID=\"_InitialView\" sofaString=\"Pain\"/>",
        "<cas:View sofa=\"1\" members=\"2\"/><cas:View sofa=\"9\" members=\"4 5\"/>",
    ));
    assert_eq!(spans(&corpus), [span("x", 0, 4, "A")]);
    assert_eq!(problems(&corpus), [("rejected_record", 1), ("other_annotator", 1)]);
    // The initial view holds a page, another view its text.
    let corpus = xmi(concat!(
        "<type4:NamedEntity xmi:id=\"4\" sofa=\"9\" begin=\"0\" end=\"2\" value=\"B\"/>",
        "<cas:Sofa xmi:id=\"1\" sofaID=\"_InitialView\" sofaString=\"&lt;p>other&lt;/p>\"/>",
        "<cas:Sofa xmi:id=\"9\" sofaID=\"plain\" sofaString=\"other\"/>",
    ));
    assert_eq!(text(&corpus, 0).unwrap(), "other");
    assert_eq!(spans(&corpus), [span("x", 0, 2, "B")]);
}

#[test]
fn documents_are_named_by_the_path_or_by_themselves() {
    let file = |label: &str| {
        xmi_file(&format!(
            "<type3:DocumentMetaData xmi:id=\"2\" sofa=\"1\" begin=\"0\" end=\"4\" documentTitle=\"note 7.txt\" documentId=\"7\"/>\
             <type4:NamedEntity xmi:id=\"3\" sofa=\"1\" begin=\"0\" end=\"4\" value=\"{label}\"/>\
             <cas:Sofa xmi:id=\"1\" sofaID=\"_InitialView\" sofaString=\"Pain\"/>"
        ))
    };
    let (a, b, c) = (file("A"), file("B"), file("C"));
    let (a, b, c) = (a.as_bytes(), b.as_bytes(), c.as_bytes());
    let types: &[u8] = b"<?xml version=\"1.0\"?><typeSystemDescription/>";
    let corpus = read(&[("one.zip/admin.xmi", a), ("one.zip/TypeSystem.xml", types)]);
    assert_eq!(spans(&corpus), [span("note 7", 0, 4, "A")]);
    assert_eq!(problems(&corpus), [("tool_file", 1)]);
    let corpus = read(&[("set/n1.xmi", a), ("set/n2.xmi", b), ("set/TypeSystem.xml", types)]);
    assert_eq!(spans(&corpus), [span("n1", 0, 4, "A"), span("n2", 0, 4, "B")]);
    let corpus = read(&[
        ("p.zip/annotation/n1.txt/ann.xmi", a),
        ("p.zip/annotation/n1.txt/ben.xmi", b),
        ("p.zip/annotation/n2.txt/ann.xmi", b),
        ("p.zip/curation/n2.txt/CURATION_USER.xmi", c),
        ("p.zip/exportedproject.json", b"{\"name\": \"p\"}"),
    ]);
    assert_eq!(spans(&corpus), [span("n1", 0, 4, "A"), span("n2", 0, 4, "C")]);
    assert_eq!(problems(&corpus), [("other_annotator", 2), ("tool_file", 1)]);
}

#[test]
fn faults_are_listed_with_their_lines_and_without_text() {
    let file = ROOT.to_owned()
        + concat!(
            "<cas:NULL xmi:id=\"0\"/>\n",
            "<type4:NamedEntity xmi:id=\"2\" sofa=\"1\" begin=\"zero\" end=\"4\" value=\"A\"/>\n",
            "<type4:NamedEntity xmi:id=\"3\" sofa=\"1\" begin=\"0\" end=\"6\" value=\"B\"/>\n",
            "<cas:Sofa xmi:id=\"1\" sofaID=\"_InitialView\" sofaString=\"Secret &nbsp; pain\"/>\n",
            "<custom:x secret",
        );
    let corpus = read(&[("x.xmi", file.as_bytes())]);
    assert_eq!(spans(&corpus), [span("x", 0, 6, "B")]);
    let listed: Vec<(&str, u64)> = corpus
        .problems
        .by_kind()
        .iter()
        .flat_map(|(kind, _, list)| list.iter().map(|problem| (kind.name(), problem.place.line)))
        .collect();
    assert_eq!(listed, [("unknown_entity", 6), ("bad_record", 7), ("bad_span", 4)]);
    assert!(
        corpus
            .problems
            .by_kind()
            .iter()
            .all(|k| k.2.iter().all(|p| !p.found.to_lowercase().contains("secret")))
    );
    let corpus = read(&[("x.json", b"{\"%FEATURE_STRUCTURES\": [{\"%ID\": 1, \"%TYPE\": \"uima.cas.Sofa\", \"sofaString\": \"Secret\"},\n7,\n{\"%ID\": 2, \"%TY")]);
    let kinds = corpus.problems.by_kind();
    let lines: Vec<u64> = kinds[0].2.iter().map(|problem| problem.place.line).collect();
    assert_eq!(lines, [2, 3]);
    assert!(kinds[0].2[1].found.contains("the file looks cut off"));
    assert_eq!(text(&corpus, 0).unwrap(), "Secret");
}

#[test]
fn a_cut_keeps_what_stands_before_it() {
    every_prefix("x.xmi", CASSIS_XMI, &[], &[CASSIS_XMI.len()]);
    let json = json_of(&Doc {
        id: "x".into(),
        text: "Ab 😖 naïve\n\"q\"".into(),
        spans: vec![(vec![(0, 4)], "drug".into()), (vec![(5, 10)], "a_b".into())],
    });
    every_prefix("x.json", json.as_bytes(), &[], &[json.len()]);
    let cut = CASSIS_XMI.len() - 100;
    assert_eq!(problems(&read(&[("x.xmi", &CASSIS_XMI[..cut])]))[0], ("bad_record", 1));
}

/// Writes a document as UIMA's XMI writer does.
fn xmi_of(doc: &Doc, pairs: bool) -> String {
    let escape = |text: &str| -> String {
        let mut out = String::new();
        for c in text.chars() {
            match c {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '"' => out.push_str("&quot;"),
                '\n' => out.push_str("&#10;"),
                c if pairs && c.len_utf16() > 1 => {
                    c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("&#{unit};")));
                }
                c => out.push(c),
            }
        }
        out
    };
    let mut body = String::new();
    for (number, (list, label)) in doc.spans.iter().enumerate() {
        let (begin, end) = doc.range(list[0], char::len_utf16);
        body.push_str(&format!(
            "<type4:NamedEntity xmi:id=\"{}\" sofa=\"1\" begin=\"{begin}\" end=\"{end}\" value=\"{}\"/>\n",
            number + 2,
            escape(label)
        ));
    }
    body.push_str(&format!(
        "<cas:Sofa xmi:id=\"1\" sofaID=\"_InitialView\" sofaString=\"{}\"/>\n",
        escape(&doc.text)
    ));
    xmi_file(&body)
}

/// Writes a document as JSON.
fn json_of(doc: &Doc) -> String {
    let quote = |text: &str| serde_json::to_string(text).unwrap();
    let mut list =
        vec![format!("{{\"%ID\":1,\"%TYPE\":\"uima.cas.Sofa\",\"sofaString\":{}}}", quote(&doc.text))];
    for (number, (ranges, label)) in doc.spans.iter().enumerate() {
        let (begin, end) = doc.range(ranges[0], char::len_utf16);
        list.push(format!(
            "{{\"%ID\":{},\"%TYPE\":\"custom.Entity\",\"@sofa\":1,\"begin\":{begin},\"end\":{end},\"label\":{}}}",
            number + 2,
            quote(label)
        ));
    }
    format!("{{\"%TYPES\":{{}},\"%FEATURE_STRUCTURES\":[{}],\"%VIEWS\":{{}}}}", list.join(",\n"))
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(docs in common::docs(true, 1), pairs: bool, json: bool) {
        let ending = if json { "json" } else { "xmi" };
        let files: Vec<(String, String)> = docs
            .iter()
            .map(|doc| {
                let file = if json { json_of(doc) } else { xmi_of(doc, pairs) };
                (format!("{}.{ending}", doc.id), file)
            })
            .collect();
        let given: Vec<(&str, &[u8])> =
            files.iter().map(|(name, file)| (name.as_str(), file.as_bytes())).collect();
        let corpus = read(&given);
        prop_assert_eq!(as_docs(&corpus), docs);
        prop_assert_eq!(problems(&corpus), []);
    }

    #[test]
    fn damaged_files_are_read_without_panic(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)
    ) {
        for (name, file) in [("x.xmi", CASSIS_XMI), ("x.json", CASSIS_JSON)] {
            read(&[(name, &common::edited(file, &edits))]);
        }
    }
}
