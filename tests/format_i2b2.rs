//! i2b2 / n2c2 XML: TEXT and TAGS.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::Options;
use clinscore::corpus::{Argument, Corpus};
use common::{Doc, as_docs, docs, every_prefix, problems, read, score, shared, spans, text};
use proptest::prelude::*;
use std::path::Path;

fn span(start: i64, end: i64, label: &str) -> (String, i64, i64, String) {
    ("d1".into(), start, end, label.into())
}

fn file(root: &str, text: &str, tags: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n<{root}>\n<TEXT>{text}</TEXT>\n<TAGS>\n{tags}\n</TAGS>\n</{root}>\n"
    )
}

fn load(root: &str, text: &str, tags: &str) -> Corpus {
    read(&[("d1.xml", file(root, text, tags).as_bytes())])
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

fn classes(corpus: &Corpus) -> Option<Vec<&str>> {
    let range = corpus.documents[0].classes.clone()?;
    let classes = &corpus.classes[range.start as usize..range.end as usize];
    Some(classes.iter().map(|class| corpus.labels.name(class.label)).collect())
}

#[test]
fn labels_and_attributes() {
    let tags = "<DATE id=\"P0\" start=\"13\" end=\"23\" text=\"2067-05-03\" TYPE=\"DATE\" comment=\"\"/>\n\
                <NAME id=\"P1\" start=\"24\" end=\"28\" text=\"Anna\" TYPE=\"PATIENT\" comment=\"\" note=\"a &amp; b\"/>\n\
                <PHI id=\"P2\" start=\"24\" end=\"28\" text=\"Anna\" TYPE=\"\"></PHI>\n\
                <AGE start='0' end='6'/>";
    let corpus = load("deIdi2b2", "<![CDATA[Record date: 2067-05-03\nAnna]]>", tags);
    assert_eq!(corpus.files[0].format, Some("i2b2"));
    assert_eq!(corpus.files[0].reason, "XML with <TEXT> and <TAGS> in <deIdi2b2> (98 % sure)");
    assert_eq!(
        spans(&corpus),
        [span(13, 23, "DATE"), span(24, 28, "PATIENT"), span(24, 28, "PHI"), span(0, 6, "AGE")]
    );
    let attributes = |at: usize| {
        let more = corpus.detail(&corpus.spans[at]).unwrap().more.clone();
        more.map(|more| more.attributes).unwrap_or_default()
    };
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(attributes(1), [pair("element", "NAME"), pair("note", "a & b")]);
    assert_eq!(attributes(2), []);
    assert_eq!(problems(&corpus), []);
    assert_eq!(classes(&corpus), None);
}

#[test]
fn detection() {
    let format = |file: &str| read(&[("x", file.as_bytes())]).files[0].format;
    assert_eq!(format("<!-- c --><root><TEXT>a</TEXT></root>"), Some("i2b2"));
    assert_eq!(format("<a:root xmlns:a='x'><TAGS/></a:root>"), Some("i2b2"));
    assert_eq!(format("<root><a><TEXT>a</TEXT></a></root>"), None);
    assert_eq!(format("<TEXT>a</TEXT>"), None);
}

#[test]
fn line_ends_and_marks_count_as_stored() {
    // A byte-order mark inside the section counts, as MEDDOCAN has it; CR counts where the tags say so.
    let text_ = "<![CDATA[\u{feff}a\r\nAnna &amp; <b>]]>";
    let corpus = load("MEDDOCAN", text_, "<NAME start=\"4\" end=\"8\" text=\"Anna\" TYPE=\"X\"/>");
    assert_eq!(text(&corpus, 0).unwrap(), "\u{feff}a\r\nAnna &amp; <b>");
    assert_eq!(spans(&corpus), [span(4, 8, "X")]);
    // Offsets of a tool that read the file through an XML parser.
    let corpus = load("r", "<![CDATA[a\r\nb\r\nAnna]]>", "<NAME start=\"4\" end=\"8\" text=\"Anna\"/>");
    assert_eq!(spans(&corpus), [span(6, 10, "NAME")]);
    // The first line end counts. White space around the section does not.
    let corpus = load("r", "\n  <![CDATA[\n\nAnna]]>\n", "<NAME start=\"2\" end=\"6\" text=\"Anna\"/>");
    assert_eq!((text(&corpus, 0).unwrap(), spans(&corpus)), ("\n\nAnna".into(), vec![span(2, 6, "NAME")]));
    // A text that is not in a section.
    let corpus = load("r", "\nP &lt; Anna", "<NAME start=\"5\" end=\"9\" text=\"Anna\"/>");
    assert_eq!((text(&corpus, 0).unwrap(), spans(&corpus)), ("\nP < Anna".into(), vec![span(5, 9, "NAME")]));
    // Several sections, as XML writes a text with the end of a section in it.
    let corpus = load("r", "<![CDATA[a]]]]><![CDATA[>Anna]]>", "<NAME start=\"4\" end=\"8\" text=\"Anna\"/>");
    assert_eq!((text(&corpus, 0).unwrap(), spans(&corpus)), ("a]]>Anna".into(), vec![span(4, 8, "NAME")]));
    // Line breaks of an attribute are spaces.
    let corpus = load("r", "Anna\nLee", "<NAME start=\"0\" end=\"8\" text=\"Anna\r\nLee\"/>");
    assert_eq!(problems(&corpus), [("surface_folded", 1)]);
    assert_eq!(problems(&load("r", "Anna\nLee", "<NAME start=\"0\" end=\"8\" text=\"Anna&#10;Lee\"/>")), []);
}

#[test]
fn tags_of_the_whole_document() {
    let criteria = "<ABDOMINAL met=\"not met\" />\n<CREATININE met=\"met\" />\n<MI-6MOS met=\"met\" />";
    let corpus = load("PatientMatching", "<![CDATA[Note]]>", criteria);
    assert_eq!(classes(&corpus).unwrap(), ["CREATININE", "MI-6MOS"]);
    assert_eq!(problems(&corpus), [("document_labels", 1)]);
    assert!(said(&corpus)[0].2.contains("3 tags without offsets"));
    assert_eq!(corpus.labels.names(), ["ABDOMINAL", "CREATININE", "MI-6MOS"]);
    // None met is not: not annotated.
    assert_eq!(classes(&load("r", "Note", "<ABDOMINAL met=\"not met\"/>")), Some(vec![]));

    // 2014: risk factors with what they say, evidence inside them.
    let factors = "<DIABETES id=\"DOC0\" time=\"before DCT\" indicator=\"mention\">\n\
                   <DIABETES id=\"D1\" start=\"0\" end=\"2\" text=\"DM\" time=\"before DCT\"/></DIABETES>\n\
                   <SMOKER status=\"past\" id=\"DOC1\" comment=\"x\"/><MAE spans=\"-1~-1\" text=\"\"/><OBESE start=\"-1\" end=\"-1\"/>";
    let corpus = load("root", "<![CDATA[DM 2]]>", factors);
    assert_eq!(classes(&corpus).unwrap(), ["DIABETES/mention/before DCT", "SMOKER/past", "MAE", "OBESE"]);
    assert_eq!(spans(&corpus), [span(0, 2, "DIABETES")]);
}

#[test]
fn links_and_fragments() {
    let tags = "<EVENT id=\"E0\" start=\"0\" end=\"4\" text=\"Pain\" type=\"PROBLEM\" />\n\
                <EVENT id=\"E1\" spans=\"5~7,10~12\" text=\"in it\"/>\n\
                <TLINK id=\"TL0\" fromID=\"E0\" fromText=\"Pain\" toID=\"E1\" toText=\"x\" type=\"BEFORE\" />\n\
                <TLINK id=\"TL1\" fromID=\"E9\" toID=\"E0\" type=\"AFTER\" />";
    let corpus = load("ClinicalNarrativeTemporalAnnotation", "Pain in x it", tags);
    assert_eq!(spans(&corpus), [span(0, 4, "EVENT"), span(5, 12, "EVENT")]);
    assert_eq!(corpus.detail(&corpus.spans[1]).unwrap().fragments, [(5, 7), (10, 12)]);
    let attributes = &corpus.detail(&corpus.spans[0]).unwrap().more.as_ref().unwrap().attributes;
    assert_eq!(attributes[..], [("type".to_owned(), "PROBLEM".to_owned())]);
    let found: Vec<_> = corpus.relations.iter().map(|r| (r.label.as_str(), r.arguments.clone())).collect();
    let from = |argument| ("from".to_owned(), argument);
    let to = |argument| ("to".to_owned(), argument);
    assert_eq!(
        found,
        [
            ("BEFORE", vec![from(Argument::Span(0)), to(Argument::Span(1))]),
            ("AFTER", vec![from(Argument::Concept("E9".into())), to(Argument::Span(0))]),
        ]
    );
    assert_eq!(problems(&corpus), [("relation", 2), ("discontinuous", 1)]);
}

#[test]
fn problems_are_listed_without_text() {
    let tags = "<A start=\"0\" end=\"six\" text=\"secret\"/>\n<A start=\"0\" text=\"secret\"/>\n<A spans=\"0-6\" text=\"secret\"/>\n\
                <A start=\"1\" end=\"6\" text=\"secret\"/>\n<A start=\"0\" end=\"6\" text=\"secret\"/>\n<A start=\"0\" end=\"6\" text=\"secret\"/>";
    let corpus = load("r", "secret &secret;", tags);
    let found: Vec<_> = said(&corpus).into_iter().map(|(kind, line, _)| (kind, line)).collect();
    assert_eq!(
        found,
        [("unknown_entity", 3), ("bad_span", 5), ("bad_span", 6), ("bad_span", 7), ("surface_differs", 8)]
    );
    assert!(said(&corpus).iter().all(|(_, _, words)| !words.contains("secret")), "{:?}", said(&corpus));
    // Markup that does not close as it should: what is before it is kept.
    let corpus = load("r", "secret", "<A start=\"0\" end=\"6\"/></B>secret");
    assert_eq!(spans(&corpus), [span(0, 6, "A")]);
    assert_eq!(said(&corpus).len(), 1);
    assert!(said(&corpus)[0].0 == "bad_record" && !said(&corpus)[0].2.contains("secret"));
}

#[test]
fn a_cut_at_every_byte() {
    let whole = file(
        "r",
        "<![CDATA[µ Anna]]>",
        "<A start=\"2\" end=\"6\" text=\"Anna\"/>\n<B start=\"0\" end=\"1\" text=\"µ\"/>",
    );
    every_prefix("d1.xml", whole.as_bytes(), &[], &[whole.len()]);
    for cut in whole.find("<TEXT>").unwrap() + 6..whole.find("</r>").unwrap() {
        let corpus = read(&[("d1.xml", &whole.as_bytes()[..cut])]);
        assert!(
            said(&corpus).iter().any(|(_, _, words)| words.contains("cut off")),
            "{cut}: {:?}",
            said(&corpus)
        );
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;").replace('\n', "&#10;")
}

proptest! {
    #[test]
    fn round_trip(docs in docs(true, 3), section: bool) {
        let write = |doc: &Doc| {
            let tag = |(fragments, label): &(Vec<(i64, i64)>, String)| {
                let own: Vec<String> = fragments.iter().map(|&range| doc.slice(range)).collect();
                let own = escape(&own.join(" "));
                match fragments[..] {
                    [(start, end)] => format!("<A start=\"{start}\" end=\"{end}\" text=\"{own}\" TYPE=\"{label}\"/>"),
                    _ => {
                        let list: Vec<String> = fragments.iter().map(|(s, e)| format!("{s}~{e}")).collect();
                        format!("<A spans=\"{}\" text=\"{own}\" TYPE=\"{label}\"/>", list.join(","))
                    }
                }
            };
            let tags: String = doc.spans.iter().map(tag).collect();
            let text = if section { format!("<![CDATA[{}]]>", doc.text) } else { escape(&doc.text) };
            (format!("{}.xml", doc.id), file("r", &text, &tags))
        };
        let files: Vec<(String, String)> = docs.iter().map(write).collect();
        let given: Vec<(&str, &[u8])> = files.iter().map(|(n, b)| (n.as_str(), b.as_bytes())).collect();
        prop_assert_eq!(as_docs(&read(&given)), docs);
    }
}

/// What is put into files.
fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let tags = "<A start=\"2\" end=\"6\" text=\"Anna&#10;\" TYPE='x'/>\n<B spans=\"0~1,2~3\" text=\"µ\"/><C met='met'/><L fromID='a' toID='b'/>";
    let whole = file("r", "<![CDATA[µ Anna]]>", tags);
    let plain = file("r", "µ &lt; Anna", tags);
    vec![("x.xml", whole.into_bytes()), ("y.xml", plain.into_bytes())]
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

fn folder(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = std::fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(&path).unwrap()))
        .collect();
    files.sort();
    files
}

fn named(files: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
    files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect()
}

#[test]
fn real_meddocan() {
    let Some(shared) = shared() else { return };
    let shared = shared.join("data/meddocan-sample");
    for gold in ["i2b2", "brat"] {
        let gold = folder(&shared.join("gold").join(gold).join("sample"));
        let corpus = read(&named(&gold));
        assert_eq!((corpus.documents.len(), corpus.spans.len()), (15, 347));
        assert_eq!(problems(&corpus), []);
        let marks = (0..15).filter(|&at| text(&corpus, at).unwrap().starts_with('\u{feff}')).count();
        assert_eq!(marks, 6);
        for system in ["i2b2", "brat"] {
            let system = folder(&shared.join("system").join(system).join("subtrack1/sample/baseline"));
            let predicted = read(&named(&system)).spans.len() as u64;
            let report = score(&named(&gold), &named(&system), &Options::default());
            // The README counts sets; nervaluate 0.1.8 may count a gold span as hit and missed.
            let correct = report.systems[0].spans.as_ref().unwrap().overall.strict.correct;
            let counts = (correct, predicted - correct, corpus.spans.len() as u64 - correct);
            assert_eq!(counts, (48, 89, 299));
        }
    }
}
