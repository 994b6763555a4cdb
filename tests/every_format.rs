//! The same five documents in every format: each, as a system, pairs with gold and is right throughout, and so
//! does each as gold.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::formats::FORMATS;
use clinscore::{Options, Role, Workspace};
use common::Doc;
use serde_json::{Value, json};
use std::rc::Rc;

type Files = Vec<(String, String)>;

/// Five documents of words that stand apart, with a character of two bytes and one of two UTF-16 units. Every
/// mention occurs once, so that lists without offsets find it.
fn docs() -> Vec<Doc> {
    let texts = [
        ("d1", "Aspirin 5 µg was given for gout .", vec![("Aspirin", "drug"), ("gout", "condition")]),
        (
            "d2",
            "😖 Pain in the left knee , ibuprofen helped .",
            vec![("Pain", "condition"), ("ibuprofen", "drug")],
        ),
        ("d3", "No acute distress .", vec![]),
        (
            "d4",
            "Type 2 diabetes mellitus , metformin stopped .",
            vec![("Type 2 diabetes mellitus", "condition"), ("metformin", "drug")],
        ),
        ("d5", "Fever resolved after ceftriaxone .", vec![("Fever", "condition"), ("ceftriaxone", "drug")]),
    ];
    let doc = |(id, text, mentions): (&str, &str, Vec<(&str, &str)>)| {
        let span = |(mention, label): (&str, &str)| {
            let start = text[..text.find(mention).unwrap()].chars().count() as i64;
            (vec![(start, start + mention.chars().count() as i64)], label.to_owned())
        };
        Doc { id: id.into(), text: text.into(), spans: mentions.into_iter().map(span).collect() }
    };
    texts.into_iter().map(doc).collect()
}

fn one(name: &str, text: String) -> Files {
    vec![(name.to_owned(), text)]
}

/// A file a document.
fn each(extension: &str, write: impl Fn(&Doc) -> String) -> Files {
    docs().iter().map(|doc| (format!("{}.{extension}", doc.id), write(doc))).collect()
}

/// Start, end, own text and label of a document's spans, in a unit.
fn spans(doc: &Doc, width: fn(char) -> usize) -> Vec<(i64, i64, String, String)> {
    let span = |(ranges, label): &(Vec<(i64, i64)>, String)| {
        let (start, end) = doc.range(ranges[0], width);
        (start, end, doc.slice(ranges[0]), label.clone())
    };
    doc.spans.iter().map(span).collect()
}

fn points(doc: &Doc) -> Vec<(i64, i64, String, String)> {
    spans(doc, |_| 1)
}

fn utf16(doc: &Doc) -> Vec<(i64, i64, String, String)> {
    spans(doc, char::len_utf16)
}

/// Tokens with their tags.
fn tagged(doc: &Doc) -> Vec<(&str, String)> {
    let mut at = 0;
    doc.text
        .split(' ')
        .map(|token| {
            let start = at;
            at += token.chars().count() as i64 + 1;
            let span = points(doc).into_iter().find(|(s, e, ..)| (*s..*e).contains(&start));
            let tag = span.map_or("O".to_owned(), |(s, _, _, label)| {
                format!("{}-{label}", if s == start { "B" } else { "I" })
            });
            (token, tag)
        })
        .collect()
}

fn lines(write: impl Fn(&Doc) -> Value) -> String {
    docs().iter().map(|doc| format!("{}\n", write(doc))).collect()
}

fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// Tokens before a code point.
fn token_at(doc: &Doc, at: i64) -> usize {
    doc.text.chars().take(at as usize).filter(|c| *c == ' ').count()
}

fn webanno(doc: &Doc) -> String {
    let mut out = format!(
        "#FORMAT=WebAnno TSV 3.3\n#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|value\n\n\n#Text={}\n",
        doc.text
    );
    let mut at = 0;
    for (number, token) in doc.text.split(' ').enumerate() {
        let start = at;
        at += token.encode_utf16().count() as i64 + 1;
        let span = utf16(doc).into_iter().enumerate().find(|(_, (s, e, ..))| (*s..*e).contains(&start));
        let value = span.map_or("_".to_owned(), |(n, (.., label))| format!("{label}[{}]", n + 1));
        out += &format!("1-{}\t{start}-{}\t{token}\t{value}\t\n", number + 1, at - 1);
    }
    out
}

fn xmi(doc: &Doc) -> String {
    let annotations: String = utf16(doc)
        .iter()
        .enumerate()
        .map(|(n, (s, e, _, label))| {
            format!(
                "<custom:Span xmi:id=\"{}\" sofa=\"1\" begin=\"{s}\" end=\"{e}\" value=\"{label}\"/>",
                n + 10
            )
        })
        .collect();
    let members: Vec<String> = (0..doc.spans.len()).map(|n| (n + 10).to_string()).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><xmi:XMI xmlns:xmi=\"http://www.omg.org/XMI\" xmlns:cas=\"http:///uima/cas.ecore\" \
         xmlns:custom=\"http:///webanno/custom.ecore\" xmi:version=\"2.0\"><cas:NULL xmi:id=\"0\"/>{annotations}\
         <cas:Sofa xmi:id=\"1\" sofaNum=\"1\" sofaID=\"_InitialView\" mimeType=\"text\" sofaString=\"{}\"/>\
         <cas:View sofa=\"1\" members=\"{}\"/></xmi:XMI>",
        xml(&doc.text),
        members.join(" ")
    )
}

fn cas_json(doc: &Doc) -> String {
    let mut list = vec![
        json!({"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaNum": 1, "sofaID": "_InitialView", "mimeType": "text", "sofaString": doc.text}),
    ];
    list.extend(utf16(doc).iter().enumerate().map(|(n, (s, e, _, label))| {
        json!({"%ID": n + 10, "%TYPE": "custom.Span", "@sofa": 1, "begin": s, "end": e, "value": label})
    }));
    let members: Vec<usize> = (0..doc.spans.len()).map(|n| n + 10).collect();
    json!({
        "%TYPES": {"custom.Span": {"%NAME": "custom.Span", "%SUPER_TYPE": "uima.tcas.Annotation", "value": {"%NAME": "value", "%RANGE": "uima.cas.String"}}},
        "%VIEWS": {"_InitialView": {"%SOFA": 1, "%MEMBERS": members}},
        "%FEATURE_STRUCTURES": list,
    })
    .to_string()
}

/// The files of a format.
fn write(format: &str) -> Option<Files> {
    let all = docs();
    Some(match format {
        "json" => one("all.jsonl", lines(|doc| {
            let entities: Vec<Value> =
                points(doc).iter().map(|(s, e, own, l)| json!({"start": s, "end": e, "label": l, "text": own})).collect();
            json!({"id": doc.id, "text": doc.text, "entities": entities})
        })),
        "brat" => all
            .iter()
            .flat_map(|doc| {
                let rows = points(doc).into_iter().enumerate();
                let ann: String =
                    rows.map(|(n, (s, e, own, l))| format!("T{}\t{l} {s} {e}\t{own}\n", n + 1)).collect();
                [(format!("{}.ann", doc.id), ann), (format!("{}.txt", doc.id), doc.text.clone())]
            })
            .collect(),
        "pubtator" => one("all.pubtator", all.iter().map(|doc| {
            let rows: String =
                points(doc).iter().map(|(s, e, own, l)| format!("{}\t{s}\t{e}\t{own}\t{l}\n", doc.id)).collect();
            format!("{}|t|{}\n{rows}\n", doc.id, doc.text)
        }).collect()),
        "conll" => one("all.conll", all.iter().map(|doc| {
            let rows: String = tagged(doc).iter().map(|(token, tag)| format!("{token}\t{tag}\n")).collect();
            format!("-DOCSTART- ({})\n\n{rows}\n", doc.id)
        }).collect()),
        "bioc-xml" => one("all.xml", format!("<?xml version=\"1.0\"?><collection><source/><date/><key/>{}</collection>", all.iter().map(|doc| {
            let notes: String = points(doc).iter().enumerate().map(|(n, (s, e, own, l))| format!(
                "<annotation id=\"{n}\"><infon key=\"type\">{l}</infon><location offset=\"{s}\" length=\"{}\"/><text>{}</text></annotation>",
                e - s, xml(own)
            )).collect();
            format!("<document><id>{}</id><passage><offset>0</offset><text>{}</text>{notes}</passage></document>", doc.id, xml(&doc.text))
        }).collect::<String>())),
        "bioc-json" => one("all.json", json!({"source": "", "documents": all.iter().map(|doc| {
            let notes: Vec<Value> = points(doc).iter().enumerate().map(|(n, (s, e, own, l))| json!({
                "id": n.to_string(), "infons": {"type": l}, "text": own, "locations": [{"offset": s, "length": e - s}]
            })).collect();
            json!({"id": doc.id, "passages": [{"offset": 0, "text": doc.text, "annotations": notes}]})
        }).collect::<Vec<_>>()}).to_string()),
        "i2b2" => each("xml", |doc| {
            let tags: String = points(doc).iter().enumerate().map(|(n, (s, e, own, l))| format!(
                "<TAG id=\"P{n}\" start=\"{s}\" end=\"{e}\" text=\"{}\" TYPE=\"{l}\"/>", xml(own)
            )).collect();
            format!("<?xml version=\"1.0\"?><deIdi2b2><TEXT><![CDATA[{}]]></TEXT><TAGS>{tags}</TAGS></deIdi2b2>", doc.text)
        }),
        "con" => all
            .iter()
            .flat_map(|doc| {
                let con: String = points(doc).iter().map(|(s, e, own, l)| format!(
                    "c=\"{}\" 1:{} 1:{}||t=\"{l}\"\n", own.to_lowercase(), token_at(doc, *s), token_at(doc, *e - 1)
                )).collect();
                [(format!("{}.con", doc.id), con), (format!("{}.txt", doc.id), doc.text.clone())]
            })
            .collect(),
        "webanno" => each("tsv", webanno),
        "xmi" => each("xmi", xmi),
        "cas-json" => each("json", cas_json),
        "label-studio" => one("export.json", Value::Array(all.iter().map(|doc| {
            let result: Vec<Value> = utf16(doc).iter().map(|(s, e, own, l)| json!({
                "type": "labels", "from_name": "label", "to_name": "text",
                "value": {"start": s, "end": e, "text": own, "labels": [l]}
            })).collect();
            json!({"id": doc.id, "data": {"text": doc.text}, "annotations": [{"result": result, "was_cancelled": false}], "predictions": []})
        }).collect()).to_string()),
        "span-table" => one("spans.tsv", format!("filename\tlabel\tstart_span\tend_span\ttext\n{}", all.iter().map(|doc| {
            points(doc).iter().map(|(s, e, own, l)| format!("{}\t{l}\t{s}\t{e}\t{own}\n", doc.id)).collect::<String>()
        }).collect::<String>())),
        "note-nlp" => one("note_nlp.csv", format!(
            "note_nlp_id,note_id,snippet,offset,lexical_variant,note_nlp_concept_id,domain,term_exists\n{}",
            all.iter().map(|doc| {
                points(doc).iter().map(|(s, _, own, l)| format!("1,{},,{s},{own},0,{l},Y\n", doc.id)).collect::<String>()
            }).collect::<String>()
        )),
        "hf-pipeline" => one("pipeline.json", Value::Array(all.iter().map(|doc| {
            Value::Array(points(doc).iter().map(|(s, e, own, l)| json!({
                "entity_group": l, "score": 0.9, "word": own.to_lowercase(), "start": s, "end": e
            })).collect())
        }).collect()).to_string()),
        "gliner" => one("gliner.jsonl", lines(|doc| {
            let mut entities = serde_json::Map::new();
            for (s, e, own, l) in points(doc) {
                let list = entities.entry(l).or_insert_with(|| json!([])).as_array_mut().unwrap();
                list.push(json!({"start": s, "end": e, "text": own, "confidence": 0.9}));
            }
            json!({"id": doc.id, "entities": entities})
        })),
        "reply" => each("html", |doc| {
            let mut text = doc.text.clone();
            for (_, _, own, l) in points(doc) {
                text = text.replace(&own, &format!("<span class=\"{l}\" >{own}</span >"));
            }
            text
        }),
        // Document-level labels.
        "document-table" | "document-scores" => return None,
        // No documents.
        "config" => return None,
        other => panic!("no writer for {other}: the same five documents belong here in every format"),
    })
}

fn add(workspace: &mut Workspace, role: Role, system: &str, files: Files) {
    for (path, text) in files {
        let path = format!("{system}/{path}");
        workspace.add(role, system, &path, Rc::new(clinscore::source::Bytes(text.into_bytes())));
    }
}

#[test]
fn one_drop_of_the_same_documents_in_every_format() {
    let formats: Vec<(&str, Files)> =
        FORMATS.iter().filter_map(|format| Some((format.name, write(format.name)?))).collect();
    assert!(formats.len() >= 17);
    // What only models write is no gold.
    let golds = formats.iter().filter(|(name, _)| !["hf-pipeline", "reply", "gliner"].contains(name));
    for (gold, files) in golds {
        let mut workspace = Workspace::new();
        add(&mut workspace, Role::Gold, "gold", files.clone());
        for (name, files) in &formats {
            add(&mut workspace, Role::Prediction, name, files.clone());
        }
        let report = workspace.score(&Options::default(), &mut |_| {}).unwrap();
        for (system, (name, _)) in report.systems.iter().zip(&formats) {
            // A table of spans does not know the document without any, so that lists without ids cannot meet it.
            if ["span-table", "note-nlp"].contains(gold) && *name == "hf-pipeline" {
                assert_eq!(system.failure.as_ref().unwrap().code, "cannot_pair");
                continue;
            }
            let inputs = report
                .inputs
                .iter()
                .filter(|input| input.system.is_some_and(|at| report.systems[at].name == system.name));
            for input in inputs {
                assert!(
                    input.format.is_none_or(|format| format == *name),
                    "{name} read as {:?}",
                    input.format
                );
            }
            let place = format!("gold {gold}, system {name}: {:?}", system.failure);
            let strict = &system.spans.as_ref().unwrap_or_else(|| panic!("{place}")).overall.strict;
            assert_eq!(
                (strict.correct, strict.possible, strict.actual),
                (8, 8, 8),
                "{place} {:?}",
                system.notes
            );
        }
    }
}
