//! Replies of language models: what is read, repaired and listed.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::corpus::TextKind;
use clinscore::corpus::scheme::LabelMaps;
use clinscore::place::{Against, Placing, settle};
use clinscore::report::AnswerCounts;
use clinscore::{Options, Report, Workspace};
use common::{problems, read, spans, text};
use serde_json::json;

type Ranges = Vec<(i64, i64, String)>;
type Placed = (Ranges, Vec<(&'static str, u64)>);

/// Reads predictions and puts them on gold's text; the one document has the id 1.
fn on(gold: &str, name: &str, pred: &str) -> Placed {
    let gold = json!({"id": "1", "text": gold, "entities": []}).to_string();
    let gold = read(&[("gold.jsonl", gold.as_bytes())]);
    let mut pred = common::load_only(&[(name, pred.as_bytes())]);
    assert_eq!(pred.files[0].format, Some("reply"), "{}", pred.files[0].reason);
    let met: Vec<Option<u32>> =
        pred.documents.iter().map(|document| (document.id == "1").then_some(0)).collect();
    assert!(met.contains(&Some(0)), "{:?}", pred.documents);
    settle(&mut pred, Some(Against { gold: &gold, documents: &met }), &Placing::default()).unwrap();
    (spans(&pred).into_iter().map(|(_, start, end, label)| (start, end, label)).collect(), problems(&pred))
}

fn record(reply: &str) -> String {
    json!({"id": "1", "response": reply}).to_string()
}

fn at(start: i64, end: i64, label: &str) -> (i64, i64, String) {
    (start, end, label.to_owned())
}

const TEXT: &str = "He has Parkinson's disease and takes levodopa 100 mg.";

fn both() -> Ranges {
    vec![at(7, 26, "condition"), at(37, 45, "drug")]
}

#[test]
fn marks_in_files_and_in_records() {
    let same = "He has <span class=\"condition\" >Parkinson's disease</span > and takes <span class='drug'>levodopa</span> 100 mg.";
    let spaced = "He has <condition>Parkinson's  disease</condition>and takes\n<drug>levodopa</drug> 100mg .";
    let prose = format!("Sure! Here is the text:\n\n{same}\n\nLet me know if you need more.");
    for (reply, kind) in [(same, None), (spaced, Some("reply_respaced")), (&prose, Some("reply_rewritten"))] {
        for (name, file) in
            [("1.html", reply.to_owned()), ("1.md", reply.to_owned()), ("p.jsonl", record(reply))]
        {
            let (found, problems) = on(TEXT, name, &file);
            assert_eq!(found, both(), "{file}");
            assert_eq!(problems, kind.map(|kind| (kind, 1)).into_iter().collect::<Vec<_>>(), "{file}");
        }
    }
    let fenced = format!("Here:\n```html\n{spaced}\n```\nDone.");
    assert_eq!(on(TEXT, "1.html", &fenced), (both(), vec![("reply_respaced", 1)]));
    let links = "He has [Parkinson's disease](condition) and takes [levodopa](drug) 100 mg.";
    assert_eq!(on(TEXT, "p.jsonl", &record(links)), (both(), vec![]));
}

#[test]
fn the_text_is_read_again_without_its_marks() {
    let reply = "é 😖 <span class=\"a\">x &lt; 5</span> \"q\"";
    let file = format!("{}\n", record(reply));
    for (name, bytes) in [("1.html", reply), ("p.jsonl", file.as_str())] {
        let corpus = read(&[(name, bytes.as_bytes())]);
        assert_eq!(text(&corpus, 0).unwrap(), "é 😖 x < 5 \"q\"");
        assert_eq!(corpus.documents[0].text_kind, TextKind::Reply);
        assert_eq!(spans(&corpus), [("1".to_owned(), 4, 9, "a".to_owned())]);
    }
    let escaped = file.replace('é', "\\u00e9").replace('😖', "\\ud83d\\ude16");
    let corpus = read(&[("p.jsonl", escaped.as_bytes())]);
    assert_eq!(text(&corpus, 0).unwrap(), "é 😖 x < 5 \"q\"");
    assert_eq!(spans(&corpus)[0].1, 4);
}

#[test]
fn lists_are_searched() {
    for reply in [
        r#"{"condition": ["Parkinson's disease"], "drug": ["levodopa"]}"#,
        "Sure!\n```json\n{\"condition\": [\"parkinson's  disease\",], \"drug\": [\"levodopa\"],}\n```\nLet me know.",
        "{'condition': ['Parkinson's disease'], 'drug': ['levodopa']}",
        r#"[{"text": "Parkinson's disease", "label": "condition"}, {"entity": "levodopa", "type": "drug"}]"#,
        "- condition: Parkinson's disease\n- drug: levodopa\n- dose: none",
        "Parkinson's disease\tcondition\nlevodopa\tdrug",
        "<condition>Parkinson's disease</condition>\n<drug>levodopa</drug>",
        "<think>{\"drug\": [\"100\"]}</think>\n{\"condition\": [\"Parkinson's disease\"], \"drug\": [\"levodopa\"]}",
    ] {
        let (found, problems) = on(TEXT, "p.jsonl", &record(reply));
        assert_eq!(found, both(), "{reply}");
        assert_eq!(problems, [("found_once", 2)], "{reply}");
    }
    let structure = r#"{"id":"1","response":{"condition":["Parkinson's disease"],"drug":["levodopa"]}}"#;
    assert_eq!(on(TEXT, "p.json", structure).0, both());
    let cut = "{\"condition\": [\"Parkinson's disease\"], \"drug\": [\"levodopa\", \"mg";
    assert_eq!(on(TEXT, "p.jsonl", &record(cut)), (both(), vec![("found_once", 2), ("reply_cut", 1)]));
}

#[test]
fn one_type_asked() {
    let text = "levodopa, then apixaban and apixaban";
    let three = vec![at(0, 8, "drug"), at(15, 23, "drug"), at(28, 36, "drug")];
    for key in ["entity", "label", "entity_type"] {
        let list = json!({"id": 1, key: "drug", "output": "['levodopa', 'apixaban']"}).to_string();
        assert_eq!(on(text, "p.jsonl", &list), (three.clone(), vec![("found_once", 1), ("found_more", 1)]));
    }
    let marks =
        json!({"id": 1, "entity": "drug", "response": "@@levodopa##, then @@apixaban## and @@apixaban##"})
            .to_string();
    assert_eq!(on(text, "p.jsonl", &marks), (three.clone(), vec![]));
    // Nothing says the type: kept under a name of its own, so that a map can say it.
    let (found, problems) = on(text, "1.txt", "[\"levodopa\", \"apixaban\"]");
    assert_eq!(found, three.iter().map(|(s, e, _)| at(*s, *e, "entity")).collect::<Vec<_>>());
    assert_eq!(problems, [("found_once", 1), ("found_more", 1), ("no_type", 2)]);
    // A reply a type, each with the text: the second has other white space.
    let first = json!({"id": "1", "entity": "drug", "response": "@@levodopa##, then apixaban and apixaban"});
    let second =
        json!({"id": "1", "entity": "dose", "response": "levodopa,  then apixaban and @@apixaban##"});
    let (found, problems) = on(text, "p.jsonl", &format!("{first}\n{second}\n"));
    assert_eq!(found[0], at(0, 8, "drug"));
    assert_eq!(found[1].2, "dose");
    assert_eq!(problems, [("document_joined", 1), ("found_more", 1)]);
}

#[test]
fn offsets_of_a_model_only_choose() {
    let text = "apixaban, then apixaban";
    let reply = |start: i64| {
        json!([{"text": "apixaban", "label": "drug", "start": start, "end": start + 8}]).to_string()
    };
    assert_eq!(on(text, "p.jsonl", &record(&reply(15))).0, [at(15, 23, "drug")]);
    assert_eq!(on(text, "p.jsonl", &record(&reply(3))).0, [at(0, 8, "drug"), at(15, 23, "drug")]);
}

#[test]
fn records_of_apis() {
    for record in [
        r#"{"custom_id":"1","response":{"status_code":200,"body":{"choices":[{"index":0,"message":{"role":"assistant","content":"{\"drug\": [\"levodopa\"]}"}}]}}}"#,
        r#"{"custom_id":"1","result":{"type":"succeeded","message":{"content":[{"type":"text","text":"{\"drug\": [\"levodopa\"]}"}]}}}"#,
        r#"{"id":"1","generated_text":"['levodopa']","entity":"drug"}"#,
        r#"{"id":"1","content":"- drug: levodopa\n```json\n{\"drug\": [\"levodopa\"]}\n```"}"#,
        r#"{"1":"{\"drug\": [\"levodopa\"]}","2":"I cannot"}"#,
        r#"[{"id":"1","completion":"{\"drug\": [\"levodopa\"]}"}]"#,
        r#"{"id":"1","answer":"{\"drug\": [\"levodopa\"]}"}"#,
        "{'id': '1', 'response': '{\"drug\": [\"levodopa\"]}'}",
    ] {
        let (found, _) = on(TEXT, "p.jsonl", record);
        assert_eq!(found, [at(37, 45, "drug")], "{record}");
    }
}

#[test]
fn replies_that_say_nothing() {
    // The document without marks: nothing was found in it. Not the document: listed.
    assert_eq!(on(TEXT, "1.html", TEXT), (vec![], vec![]));
    let refusal = "Please provide the input text to be converted into HTML format.";
    assert_eq!(on(TEXT, "1.html", refusal), (vec![], vec![("reply_without_document", 1)]));
    assert_eq!(on(TEXT, "p.jsonl", &record(refusal)), (vec![], vec![("reply_without_document", 1)]));
    for empty in ["[]", "{\"drug\": []}", "None.", "There are no entities.", "Here: []"] {
        assert_eq!(on(TEXT, "p.jsonl", &record(empty)), (vec![], vec![]), "{empty}");
    }
    for broken in ["```json\nI cannot\n```", "{oops", "", "<think>never ends"] {
        assert_eq!(on(TEXT, "p.jsonl", &record(broken)), (vec![], vec![("reply_unparsed", 1)]), "{broken}");
    }
    assert_eq!(
        on(
            TEXT,
            "p.jsonl",
            r#"{"id":"1","response":null}
{"id":"2","response":"[]"}"#
        ),
        (vec![], vec![("reply_unparsed", 1)])
    );
    // Among replies with lists, prose is no reply.
    let file = format!("{}\n{}\n", json!({"id": "2", "response": "[\"x\"]", "entity": "a"}), record(refusal));
    assert_eq!(on(TEXT, "p.jsonl", &file).1, [("not_searched", 1), ("reply_unparsed", 1)]);
}

#[test]
fn a_repeated_note_with_bullets_is_no_list() {
    let note = "Allergies: none\n- Drug: levodopa\n- Dose: 100 mg\n";
    assert_eq!(on(note, "1.html", note), (vec![], vec![]));
    let marked = json!({"id": "2", "response": "<drug>x</drug> y"});
    let file = format!("{marked}\n{}\n", record(note));
    assert_eq!(on(note, "p.jsonl", &file).0.len(), 1);
}

#[test]
fn faults_are_listed_without_note_text() {
    let reply = "He has <span class=\"condition\">secret disease\nand <span class=drug></span>takes <span class=\"drug\">hidden</span>.";
    let (found, found_problems) = on("He has secret disease\nand takes hidden.", "1.html", reply);
    assert_eq!(found, [at(7, 21, "condition"), at(32, 38, "drug")]);
    assert_eq!(found_problems, [("bad_span", 1), ("mark_open", 1)]);
    let corpus = read(&[("1.html", reply.as_bytes())]);
    let kinds = corpus.problems.by_kind();
    assert_eq!(kinds.iter().map(|k| k.2[0].place.line).collect::<Vec<_>>(), [2, 1]);
    assert!(
        kinds.iter().all(|k| k.2.iter().all(|p| !p.found.contains("secret") && !p.found.contains("hidden")))
    );
    let file =
        "{\"id\":\"1\",\"response\":\"[]\"}\n{\"id\":\"2\"}\n[5]\n{\"id\":\"3\",\"response\":\"[\\\"secr";
    let corpus = read(&[("p.jsonl", file.as_bytes())]);
    assert_eq!(corpus.documents.len(), 1);
    assert_eq!(corpus.records, 3);
    assert_eq!(problems(&corpus), [("bad_record", 3)]);
}

#[test]
fn a_mark_of_other_words_is_not_scored() {
    let reply = "He has <span class=\"condition\">Alzheimer</span> and takes <span class=\"drug\">levodopa</span> 100 mg.";
    let (found, found_problems) = on(TEXT, "1.html", reply);
    assert_eq!(found[1], at(37, 45, "drug"));
    assert_eq!(found_problems, [("not_in_text", 1), ("reply_rewritten", 1)]);
}

#[test]
fn detection() {
    let format = |name: &str, file: &str| read(&[(name, file.as_bytes())]).files[0].format;
    assert_eq!(format("1.txt", "a <span class=\"x\">b</span>"), Some("reply"));
    assert_eq!(format("1.txt", "a @@b## c"), Some("reply"));
    assert_eq!(format("1.txt", "Sure:\n```json\n[\"a\"]\n```"), Some("reply"));
    assert_eq!(format("1.html", "Please provide the text."), Some("reply"));
    assert_eq!(format("1.txt", "- Allergies: penicillin\n- Drugs: none"), None);
    assert_eq!(format("1.txt", "A note with p < 0.05 and [x] (y)."), None);
    assert_ne!(
        format(
            "p.jsonl",
            r#"{"id":"1","text":"a b","spans":[{"start":0,"end":1,"label":"x"}],"answer":"accept"}"#
        ),
        Some("reply")
    );
    assert_ne!(format("p.jsonl", r#"{"id":"1","text":"a","entities":[],"response":"x"}"#), Some("reply"));
    assert_ne!(format("p.jsonl", r#"{"id":"1","prediction":"positive"}"#), Some("reply"));
    assert_ne!(format("p.xml", "<?xml version=\"1.0\"?><a><span class=\"x\">b</span></a>"), Some("reply"));
    assert_ne!(format("p.xml", "<collection><document><id>1</id></document></collection>"), Some("reply"));
    assert_ne!(
        format("p.xml", "<!DOCTYPE collection SYSTEM \"BioC.dtd\"><collection><id>1</id></collection>"),
        Some("reply")
    );
}

#[test]
fn cut_at_every_byte() {
    let lines = format!(
        "{}\n{}\n",
        json!({"id": "1", "response": "a <drug>b</drug> <drug>c</drug>"}),
        json!({"id": "2", "response": "[{\"text\": \"é\", \"label\": \"x\"}]"})
    );
    let first = lines.find('\n').unwrap();
    common::every_prefix("p.jsonl", lines.as_bytes(), &[], &[first, lines.len() - 1]);
    let array = format!("[{}]", lines.trim().replace('\n', ","));
    common::every_prefix("p.json", array.as_bytes(), &[], &[first + 1, array.len() - 1]);
    common::every_prefix("1.html", b"a <span class=\"x\">b \xc3\xa9</span> c", &[], &[usize::MAX]);
}

/// A text in which ranges that do not cross are marked.
fn marked(doc: &common::Doc, spans: &[((i64, i64), String)]) -> String {
    let escape = |c: char| match c {
        '<' => "&lt;".to_owned(),
        '&' => "&amp;".to_owned(),
        // Marks of other kinds are text.
        '@' => "&#64;".to_owned(),
        '[' => "&#91;".to_owned(),
        c => c.to_string(),
    };
    let mut out = String::new();
    let length = doc.text.chars().count() as i64;
    let mut chars = doc.text.chars();
    for at in 0..=length {
        spans.iter().filter(|s| s.0.1 == at).for_each(|_| out.push_str("</span >"));
        let mut opening: Vec<_> = spans.iter().filter(|s| s.0.0 == at).collect();
        opening.sort_by_key(|s| std::cmp::Reverse(s.0.1));
        opening.iter().for_each(|s| out.push_str(&format!("<span class=\"{}\" >", s.1)));
        out.extend(chars.next().map(escape));
    }
    out
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
    #[test]
    fn what_is_written_is_read(docs in common::docs(true, 1), html: bool) {
        let mut written: Vec<(String, String, Ranges)> = Vec::new();
        for doc in &docs {
            let mut spans: Vec<((i64, i64), String)> = Vec::new();
            for (fragments, label) in &doc.spans {
                let (start, end) = fragments[0];
                let crosses = |&(other, _): &((i64, i64), String)| {
                    (start, end) == other
                        || (start.max(other.0) < end.min(other.1)
                            && !(start <= other.0 && other.1 <= end || other.0 <= start && end <= other.1))
                };
                if !spans.iter().any(crosses) {
                    spans.push(((start, end), label.clone()));
                }
            }
            let reply = marked(doc, &spans);
            let mut expected: Vec<_> = spans.into_iter().map(|((s, e), l)| (s, e, l)).collect();
            expected.sort_by_key(|(s, e, _)| (*s, std::cmp::Reverse(*e)));
            written.push((doc.id.clone(), reply, expected));
        }
        let files: Vec<(String, String)> = if html {
            written.iter().map(|(id, reply, _)| (format!("p/{id}.html"), reply.clone())).collect()
        } else {
            let records = written.iter().map(|(id, reply, _)| json!({"id": id, "response": reply}).to_string() + "\n");
            vec![("p.jsonl".into(), records.collect())]
        };
        let files: Vec<(&str, &[u8])> = files.iter().map(|(name, file)| (name.as_str(), file.as_bytes())).collect();
        let corpus = read(&files);
        proptest::prop_assert_eq!(corpus.documents.len(), docs.len());
        for (at, (doc, (_, _, expected))) in docs.iter().zip(&written).enumerate() {
            proptest::prop_assert_eq!(&corpus.documents[at].id, &doc.id);
            if expected.is_empty() { continue }
            let found: Vec<_> = corpus.spans_of(&corpus.documents[at]).iter()
                .map(|s| (s.start, s.end, corpus.labels.name(s.label).to_owned())).collect();
            // A text that is marked from end to end is a list.
            if text(&corpus, at).is_some() {
                proptest::prop_assert_eq!(text(&corpus, at).unwrap(), doc.text.clone());
                proptest::prop_assert_eq!(&found, expected);
            } else {
                proptest::prop_assert_eq!(found.len(), expected.len());
            }
        }
    }
}

/// 201 sentences, gold as IOB columns, GPT-4's marked answers. Aligned: counts of an independent script, white
/// space left out of account, lenient IOB. By the benchmark's parser: tests/reference/answers.py --real
/// (Python 3.11.7).
#[test]
fn real_answers_of_gpt_4() {
    let Some(shared) = common::shared() else { return };
    let files = |folder: &str| -> Vec<(String, Vec<u8>)> {
        let folder = shared.join("data/llm-mtsamples").join(folder);
        let mut paths: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        assert_eq!(paths.len(), 201);
        paths.iter().map(|path| (path.to_string_lossy().into_owned(), std::fs::read(path).unwrap())).collect()
    };
    fn given(files: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
        files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect()
    }
    let (gold, pred) = (files("gold"), files("gpt4-5shot"));
    for llm in ["aligned", "reference"] {
        let report = common::score(&given(&gold), &given(&pred), &by(llm));
        assert_eq!(report.inputs[201].format, Some("reply"));
        assert_eq!(common::strict(&report), [181, 145, 104], "{llm}");
        let counts = counts(&report);
        assert_eq!(
            (counts.answers, counts.failed, counts.items, counts.hallucinated),
            (201, 0, 326, 0),
            "{llm}"
        );
    }
}

fn by(llm: &str) -> Options {
    Options { llm: Some(llm.into()), format_pred: Some("reply".into()), ..Options::default() }
}

fn counts(report: &Report) -> AnswerCounts {
    report.systems[0].answers.clone().unwrap()
}

/// Gold of one document, as JSON Lines.
fn gold(text: &str, spans: &[(i64, i64, &str)]) -> String {
    let entities: Vec<_> = spans.iter().map(|(s, e, l)| json!({"start": s, "end": e, "label": l})).collect();
    json!({"id": "1", "text": text, "entities": entities}).to_string()
}

fn lines(records: &[serde_json::Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// The predicted spans of the one document, in order, and what became of each answer's items.
fn opened(workspace: &Workspace) -> (Ranges, Vec<Vec<&'static str>>) {
    let open = workspace.open(0, 0).unwrap();
    let placed = open.predicted.iter().filter(|span| !span.ranges.is_empty());
    let fates = open.answers.iter().map(|answer| answer.pieces.iter().map(|piece| piece.fate).collect());
    (placed.map(|span| (span.start, span.end, span.label.clone())).collect(), fates.collect())
}

/// Expected: tests/reference/answers.py's rules (Python 3.11.7).
#[test]
fn the_benchmark_reads_marks_and_lists() {
    let text = "He takes Aspirin 81 mg; aspirin's fine.";
    let gold = gold(text, &[(9, 16, "drug"), (24, 31, "drug")]);
    let pred = lines(&[
        json!({"id": "1", "response": "He takes <span class=\"drug\">Aspirin</span> 81 mg; <span class=\"drug\">aspirin's</span>"}),
        json!({"id": "1", "entity": "drug", "response": "['aspirin', 'aspirin 81 mg', 'statin', 'ASPIRIN',]"}),
        json!({"id": "1", "entity": "dose", "response": "[81 mg, x]"}),
        json!({"id": "1", "entity": "dose", "response": "I cannot do that."}),
    ]);
    let mut workspace = common::workspace(&[("g.jsonl", gold.as_bytes())], &[("p.jsonl", pred.as_bytes())]);
    let report = workspace.score(&by("reference"), &mut |_| {}).unwrap();
    let expected = AnswerCounts {
        rule: "reference",
        answers: 4,
        parsed: 3,
        failed: 1,
        items: 8,
        hallucinated: 3,
        unmapped: 0,
        inside: 2,
        spans: 3,
    };
    assert_eq!(counts(report), expected);
    let (spans, fates) = opened(&workspace);
    assert_eq!(spans, [at(9, 22, "drug"), at(17, 22, "dose"), at(24, 31, "drug")]);
    assert_eq!(
        fates,
        [
            vec!["inside", "hallucinated"],
            vec!["span", "span", "hallucinated", "inside"],
            vec!["span", "hallucinated"],
            vec![]
        ]
    );
    // Under a map the two labels are one: the dose lies inside the drug. Another map reads the answers anew.
    let map = |from: &[&str]| {
        let map = from.iter().map(|label| ((*label).to_owned(), "drug".to_owned())).collect();
        Options { map: Some(LabelMaps::One(map)), ..by("reference") }
    };
    let report = workspace.score(&map(&["drug", "dose"]), &mut |_| {}).unwrap();
    assert_eq!((counts(report).inside, counts(report).unmapped, counts(report).spans), (3, 0, 2));
    let report = workspace.score(&map(&["drug"]), &mut |_| {}).unwrap();
    assert_eq!((counts(report).inside, counts(report).unmapped, counts(report).spans), (2, 1, 2));
    // The same answers aligned, and back.
    let report = workspace.score(&by("aligned"), &mut |_| {}).unwrap();
    assert_eq!((counts(report).rule, counts(report).answers, counts(report).failed), ("aligned", 4, 1));
    let report = workspace.score(&by("reference"), &mut |_| {}).unwrap();
    assert_eq!(counts(report), expected);
}

#[test]
fn items_add_up_under_both_rules() {
    let gold = gold("aspirin, aspirin and statin", &[(0, 7, "drug")]);
    for pred in [
        json!({"id": "1", "response": "{\"drug\": [\"aspirin\", \"aspirin\", \"none such\"], \"x\": [\"statin\"]}"}),
        json!({"id": "1", "response": "<span class=\"drug\">aspirin</span>, aspirin and <span class=\"x\">statin</span> <span class=\"x\">y</span>"}),
        json!({"id": "1", "entity": "drug", "response": "['aspirin', 'ASPIRIN', 'x']"}),
        json!({"id": "1", "response": null}),
    ] {
        for llm in ["aligned", "reference"] {
            let options = Options { labels: Some(vec!["drug".into()]), ..by(llm) };
            let pred = format!("{pred}\n");
            let mut workspace =
                common::workspace(&[("g.jsonl", gold.as_bytes())], &[("p.jsonl", pred.as_bytes())]);
            let counts = counts(workspace.score(&options, &mut |_| {}).unwrap());
            let open = workspace.open(0, 0).unwrap();
            let pieces: Vec<_> = open.answers.iter().flat_map(|answer| &answer.pieces).collect();
            assert_eq!((counts.rule, counts.answers, counts.parsed + counts.failed), (llm, 1, 1));
            let of = |fate: &str| pieces.iter().filter(|piece| piece.fate == fate).count() as u64;
            assert_eq!(
                [counts.items, counts.hallucinated, counts.unmapped, counts.inside],
                [pieces.len() as u64, of("hallucinated"), of("unmapped"), of("inside")],
                "{pred}"
            );
            assert_eq!(counts.items, of("span") + counts.hallucinated + counts.unmapped + counts.inside);
            let spans: usize =
                pieces.iter().filter(|piece| piece.fate == "span").map(|piece| piece.spans.len()).sum();
            assert_eq!(counts.spans, spans as u64, "{pred} {llm}");
        }
    }
}

#[test]
fn an_answer_is_shown_with_its_items() {
    let gold = gold("😖 takes aspirin", &[(8, 15, "drug")]);
    let answers = [
        (
            "reference",
            "😖 takes <span class='drug'>aspirin</span>",
            vec!["<span class='drug'>aspirin</span>"],
        ),
        ("aligned", "😖 takes <span class='drug'>aspirin</span>", vec!["<span class='drug'>aspirin</span>"]),
        ("aligned", "é: {\"drug\": [\"aspirin\", \"statin\"]}", vec!["aspirin", "statin"]),
    ];
    for (llm, answer, expected) in answers {
        let escaped = serde_json::to_string(answer).unwrap().replace('😖', "\\ud83d\\ude16");
        let pred = format!("{{\"id\": \"1\", \"response\": {escaped}}}\n");
        let mut workspace =
            common::workspace(&[("g.jsonl", gold.as_bytes())], &[("p.jsonl", pred.as_bytes())]);
        workspace.score(&by(llm), &mut |_| {}).unwrap();
        let open = workspace.open(0, 0).unwrap();
        let [view] = &open.answers[..] else { panic!("{answer}") };
        assert_eq!((view.text.as_deref(), view.failed, &view.asked), (Some(answer), false, &None));
        let units: Vec<u16> = answer.encode_utf16().collect();
        let cut = |piece: &clinscore::why::PieceView| {
            let (from, to) = piece.range.unwrap();
            String::from_utf16(&units[from..to]).unwrap()
        };
        assert_eq!(view.pieces.iter().map(cut).collect::<Vec<_>>(), expected);
        let spans = &view.pieces[0].spans;
        assert_eq!(spans.iter().map(|&at| open.predicted[at as usize].start).collect::<Vec<_>>(), [8]);
    }
}

#[test]
fn answers_that_attack() {
    let text = "aaaa aspirin ".repeat(50);
    let gold = gold(&text, &[(0, 4, "drug")]);
    let nested = "[".repeat(500_000);
    let html = "<span class=\"drug\">".repeat(60_000);
    let marked = "<span class=\"drug\">a</span>".repeat(40_000);
    let missing: String = (0..30_000).map(|n| format!("<span class=\"drug\">no {n}</span>")).collect();
    let empty = format!("[{}]", "'', ".repeat(200_000));
    let prefixes: String = (1..600).map(|n| format!("'{}', ", &text[..n])).collect();
    for (asked, answer) in [
        (Some("drug"), &nested),
        (None, &html),
        (None, &marked),
        (None, &missing),
        (Some("drug"), &empty),
        (Some("drug"), &prefixes),
        (Some("drug"), &"['a\0', \"\0\"]".to_owned()),
        (None, &"<span class=\"drug\">\0</span>".to_owned()),
        (None, &"<span class=\"drug\">a".to_owned()),
    ] {
        let mut record = json!({"id": "1", "response": answer});
        if let Some(asked) = asked {
            record["entity"] = json!(asked);
        }
        let other = json!({"id": "no such document", "entity": "drug", "response": "['a']"});
        let pred = lines(&[record, other]);
        let options = Options { tokens: Some("none".into()), ..by("reference") };
        let report =
            common::score(&[("g.jsonl", gold.as_bytes())], &[("p.jsonl", pred.as_bytes())], &options);
        assert_eq!(counts(&report).answers, 1);
        let problems = common::problem_counts(&report.systems[0].side);
        assert!(problems.contains(&("not_searched".to_owned(), 1)), "{problems:?}");
    }
}

const PARTS: &[&str] = &[
    "<",
    "</",
    ">",
    "span",
    " class=",
    "\"",
    "'",
    "drug",
    "<drug>",
    "</drug>",
    "<span class=\"a\">",
    "</span >",
    "@@",
    "##",
    "[",
    "](",
    ")",
    "]",
    "{",
    "}",
    ":",
    ",",
    "```",
    "\n",
    "- ",
    "Drug: ",
    "\t",
    "😖",
    "é",
    "&lt;",
    "&#",
    ";",
    "\\u",
    "d83d",
    "\\",
    "“",
    "”",
    "None",
    "np.float32(",
    "0.5",
    "(",
    "\"id\":\"1\",",
    "\"response\":",
    "\"entity\":",
    "\"word\":",
    "\"start\":",
    "\"end\":",
    "9223372036854775807",
    "-9223372036854775808",
    "\"score\":",
    "\"text\":",
    "\"label\":",
    "<think>",
    "</think>",
    "\r\n",
    " ",
];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(512))]
    #[test]
    fn anything_is_read_again_as_it_was_read(
        parts in proptest::collection::vec(proptest::sample::select(PARTS), 0..40), name in 0..4_usize,
        format in proptest::sample::select(&["auto", "reply", "gliner", "hf-pipeline"][..]),
    ) {
        let file = parts.concat();
        let choices = clinscore::formats::Choices { format: format.into(), ..Default::default() };
        let corpus = common::read_with(&[(["1.html", "p.json", "p.jsonl", "1.txt"][name], file.as_bytes())], &choices);
        for (at, document) in corpus.documents.iter().enumerate() {
            if let Some(text) = text(&corpus, at) {
                let digest = clinscore::corpus::text::Digest::of(text.as_bytes());
                proptest::prop_assert_eq!(document.digest, Some(digest));
                for span in corpus.spans_of(document) {
                    if document.text_kind == TextKind::Reply {
                        proptest::prop_assert!(0 <= span.start && span.end <= digest.length as i64);
                    }
                }
            }
        }
    }
}
