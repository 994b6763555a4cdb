//! What each format reads, repairs and lists.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::formats::Choices;
use common::{Entry, problems, read, read_with, spans, text, zip_of};

fn one(json: &str) -> Vec<(String, i64, i64, String)> {
    let corpus = read(&[("x.jsonl", json.as_bytes())]);
    assert_eq!(problems(&corpus), [], "{json}");
    spans(&corpus)
}

fn span(id: &str, start: i64, end: i64, label: &str) -> (String, i64, i64, String) {
    (id.to_owned(), start, end, label.to_owned())
}

#[test]
fn json_variants_that_need_no_question() {
    let drug = [span("7", 0, 7, "drug")];
    for json in [
        r#"{"id":"7","text":"Aspirin for angina","entities":[{"start":0,"end":7,"label":"drug"}]}"#,
        r#"{"id":7,"text":"Aspirin for angina","entities":[[0,7,"drug"]]}"#,
        r#"{"doc_id":"7","text":"Aspirin","spans":[{"start":0,"end":7,"label":"drug","token_start":0}],"answer":"accept"}"#,
        r#"{"id":7,"text":"Aspirin","label":[[0,7,"drug"]],"Comments":[]}"#,
        r#"{"id":7,"text":"Aspirin","labels":[[0,7,"drug"]]}"#,
        r#"{"pmid":7,"text":"Aspirin","entities":[{"begin":"0","end_char":7.0,"type":"drug","text":"Aspirin"}]}"#,
        r#"{"note_id":"7","text":"Aspirin","entities":[{"offset":0,"length":7,"entity_group":"drug","score":0.5}]}"#,
        r#"{"id":"7","text":"Aspirin","entities":[{"start":0,"end":7,"labels":["drug"]}]}"#,
        r#"{"id":"7","document_id":"x","passages":[{"text":["Aspirin"],"offsets":[[0,7]]}],"entities":[{"id":"T1","type":"drug","text":["Aspirin"],"offsets":[[0,7]],"normalized":[]}]}"#,
        r#"{"id":"7","tokens":["Aspirin","helps"],"ner_tags":["B-drug","O"]}"#,
        r#"{"id":"7","text":"Aspirin helps","tokens":[{"text":"Aspirin","start":0},{"text":"helps"}],"spans":[{"start":0,"end":7,"label":"drug"}]}"#,
        "\u{feff}{\"id\":\"7\",\"text\":\"Aspirin\",\"entities\":[[0,7,\"drug\"]]}",
        "[{\"id\":\"7\",\"text\":\"Aspirin\",\n\"entities\":[[0,7,\"drug\"]]}]",
        "{\n  \"id\": \"7\",\n  \"text\": \"Aspirin {[\\\"\",\n  \"entities\": [\n    [0, 7, \"drug\"]\n  ]\n}\n",
    ] {
        assert_eq!(one(json), drug, "{json}");
    }
    assert_eq!(
        one("[\"Aspirin\", {\"entities\": [[0, 7, \"drug\"]]}]\n[\"x\", {\"entities\": []}]\n"),
        [span("#1", 0, 7, "drug")]
    );
}

#[test]
fn json_tags_follow_conlleval() {
    let json = r#"{"id":"1","tokens":["a","bb","c","d","e"],"ner_tags":["I-x","I-x","B-x","I-y","O"]}"#;
    assert_eq!(one(json), [span("1", 0, 4, "x"), span("1", 5, 6, "x"), span("1", 7, 8, "y")]);
}

#[test]
fn json_faults_are_listed_and_the_rest_is_kept() {
    let file = concat!(
        "{\"id\":\"1\",\"text\":\"ab\",\"entities\":[[0,1,\"x\"],[0,null,\"x\"],[0,1,null],[0.5,1,\"x\"],7]}\n",
        "{\"id\":\"2\",\"text\":\"ab\",\"entities\":[[0,1,\"x\"]],\"answer\":\"reject\"}\n",
        "{\"id\":\"3\",\"id\":\"4\",\"text\":\"ab\",\"score\":NaN,\"entities\":[[0,1,\"x\"]]}\n",
        "not json\n",
        "{\"id\":\"5\",\"text\":\"ab\",\"entities\":\"[[0,1,'x']]\"}\n",
        "\n",
        "{\"id\":\"6\",\"text\":\"secret note te",
    );
    let corpus = read(&[("x.jsonl", file.as_bytes())]);
    assert_eq!(spans(&corpus), [span("1", 0, 1, "x"), span("4", 0, 1, "x")]);
    assert_eq!(
        problems(&corpus),
        [
            ("bad_record", 3),
            ("rejected_record", 1),
            ("bad_span", 4),
            ("duplicate_key", 1),
            ("not_a_number", 1)
        ]
    );
    let records = &corpus.problems.by_kind()[0];
    assert_eq!(records.2.iter().map(|p| p.place.line).collect::<Vec<_>>(), [4, 5, 7]);
    assert!(records.2[2].found.contains("the file looks cut off"), "{}", records.2[2].found);
    assert!(corpus.problems.by_kind().iter().all(|k| k.2.iter().all(|p| !p.found.contains("secret"))));
}

#[test]
fn json_text_is_read_again_as_it_was() {
    let file = "{\"id\":\"1\",\"text\":\"caf\\u00e9 \\ud83d\\ude00 \\ud83d \\\"q\\\" \\n\",\"entities\":[[0,4,\"x\"]]}\n\
                {\"id\":\"2\",\"text\":\"µg ≥ 3\",\"entities\":[[0,2,\"x\"]]}\n";
    let corpus = read(&[("x.jsonl", file.as_bytes())]);
    assert_eq!(text(&corpus, 0).unwrap(), "café 😀 \u{fffd} \"q\" \n");
    assert_eq!(text(&corpus, 1).unwrap(), "µg ≥ 3");
    assert_eq!(corpus.documents[0].digest.unwrap().length, 14);
    assert_eq!(problems(&corpus), []);
}

#[test]
fn json_surfaces_are_compared() {
    let file = r#"{"id":"1","text":"Acute  renal failure","entities":[{"start":0,"end":12,"label":"x","text":"acute renal"},{"start":13,"end":20,"label":"x","text":"fever"}]}"#;
    let corpus = read(&[("x.jsonl", file.as_bytes())]);
    assert_eq!(problems(&corpus), [("surface_differs", 1), ("surface_folded", 1)]);
    assert_eq!(spans(&corpus).len(), 2);
}

#[test]
fn a_file_without_spans_says_which_keys_it_has() {
    let corpus = read(&[("x.jsonl", b"{\"id\":\"1\",\"note\":\"abc\"}\n")]);
    let kinds = corpus.problems.by_kind();
    assert_eq!(kinds[0].0.name(), "no_span_list");
    assert!(kinds[0].2[0].found.contains("id, note"), "{}", kinds[0].2[0].found);
}

#[test]
fn pubtator_with_text() {
    let file = "\n1|t|Copper | toxicosis\n1|a|\n1\t0\t6\tCopper\tChem\tMESH:1\n1\tCID\tD1\tD2\n1\t9\t18\tTOXICOSIS\tDis\t\t\n\n\
                0|t|No abstract\r\n0\t0\t2\tNo\tX\r\n0\t0\tx\tNo\tX\r\n";
    let corpus = read(&[("x.txt", file.as_bytes())]);
    assert_eq!(spans(&corpus), [span("1", 0, 6, "Chem"), span("1", 9, 18, "Dis"), span("0", 0, 2, "X")]);
    assert_eq!(text(&corpus, 0).unwrap(), "Copper | toxicosis ");
    assert_eq!(text(&corpus, 1).unwrap(), "No abstract");
    assert_eq!(problems(&corpus), [("bad_span", 1), ("relation", 1), ("surface_folded", 1)]);
}

#[test]
fn pubtator_without_text() {
    let corpus = read(&[("x.ann", b"9\t0\t4\tPain\tDis\n9\t5\t6\tx\tDis\n8\t0\t1\ty\tDis\n")]);
    assert_eq!(corpus.files[0].format, Some("pubtator"));
    assert_eq!(spans(&corpus), [span("9", 0, 4, "Dis"), span("9", 5, 6, "Dis"), span("8", 0, 1, "Dis")]);
    assert_eq!(text(&corpus, 0), None);
}

#[test]
fn brat_counts_what_is_stored() {
    // CRLF counts as two, the byte-order mark as one.
    let note = "\u{feff}Hip pain\r\nsince µ 1998.";
    let ann = "T1\tSign 1 9\tHip pain\nT2\tDate 19 23\t1998\nT3\tSign 1 4;19 23\tHip 1998\nT4\tLong 5 16\tpain\nsince\n\
               R1\tOf Arg1:T1 Arg2:T2\nE1\tSign:T1\nA1\tNeg T1\nN1\tReference T1 X:1\tx\n#1\tAnnotatorNotes T1\thm\n*\tEquiv T1 T2\n";
    let corpus = read(&[("f/a.ann", ann.as_bytes()), ("f/a.txt", note.as_bytes()), ("f/b.ann", b"")]);
    assert_eq!(
        spans(&corpus),
        [
            span("a", 1, 9, "Sign"),
            span("a", 19, 23, "Date"),
            span("a", 1, 23, "Sign"),
            span("a", 5, 16, "Long")
        ]
    );
    assert_eq!(corpus.documents[1].id, "b");
    assert_eq!(text(&corpus, 0).unwrap(), note);
    assert_eq!(
        problems(&corpus),
        [
            ("relation", 1),
            ("event", 1),
            ("attribute", 1),
            ("normalisation", 1),
            ("equivalence", 1),
            ("comment", 1),
            ("continuation", 1),
            ("surface_folded", 1),
            ("discontinuous", 1)
        ]
    );
}

#[test]
fn brat_folder_with_strangers() {
    let corpus = read(&[
        ("f/a.ann", b"T1\tX 0 1\ta\nT2\tX zero 1\ta\nT3\n"),
        ("f/annotation.conf", b"[entities]\nX\n"),
        ("f/b.txt", b"no annotations yet"),
        ("f/x.pdf", b"%PDF-1.7"),
        ("f/empty.json", b" "),
    ]);
    assert_eq!(spans(&corpus), [span("a", 0, 1, "X")]);
    assert_eq!(
        problems(&corpus),
        [
            ("unknown_format", 1),
            ("empty_file", 1),
            ("bad_record", 1),
            ("bad_span", 1),
            ("not_annotated", 1),
            ("tool_file", 1)
        ]
    );
}

#[test]
fn encodings() {
    let json = "{\"id\":\"1\",\"text\":\"é😀\",\"entities\":[[0,2,\"x\"]]}\n";
    let le: Vec<u8> = json.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let be: Vec<u8> = json.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let with = |mark: &[u8], rest: &[u8]| [mark, rest].concat();
    for (name, bytes) in [
        ("utf-16le", with(b"\xff\xfe", &le)),
        ("utf-16be", with(b"\xfe\xff", &be)),
        ("utf-16le", le.clone()),
        ("utf-16be", be.clone()),
        ("utf-8", with(b"\xef\xbb\xbf", json.as_bytes())),
    ] {
        let corpus = read(&[("x.jsonl", &bytes)]);
        assert_eq!(corpus.files[0].decoding.encoding, name);
        assert_eq!(spans(&corpus), [span("1", 0, 2, "x")], "{name}");
        assert_eq!(text(&corpus, 0).unwrap(), "é😀");
    }
    let latin = b"{\"id\":\"1\",\"text\":\"caf\xe9 \x80\",\"entities\":[]}\n{\"id\":\"2\",\"text\":\"a\",\"entities\":[]}\n";
    let corpus = read(&[("x.jsonl", latin)]);
    assert_eq!(problems(&corpus), [("bad_encoding", 1)]);
    assert_eq!(corpus.documents.len(), 1, "the valid record is kept");
    assert!(corpus.problems.by_kind()[0].2[0].found.contains("0xE9"));
    let choices = Choices { encoding: "windows-1252".into(), ..Choices::default() };
    let corpus = read_with(&[("x.jsonl", latin)], &choices);
    assert_eq!(text(&corpus, 0).unwrap(), "café €");
}

#[test]
fn long_utf16_files_cross_blocks() {
    let filler = "😀é ".repeat(50_000);
    let json = format!("{{\"id\":\"1\",\"text\":\"{filler}\",\"entities\":[[0,2,\"x\"]]}}\n");
    let bytes: Vec<u8> =
        b"\xff\xfe".iter().copied().chain(json.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let corpus = read(&[("x.jsonl", &bytes)]);
    assert_eq!(problems(&corpus), []);
    assert_eq!(text(&corpus, 0).unwrap(), filler);
}

#[test]
fn the_same_id_twice() {
    let file = "{\"id\":\"1\",\"text\":\"ab\",\"entities\":[[0,1,\"x\"]]}\n{\"id\":\"2\",\"text\":\"c\",\"entities\":[]}\n\
                {\"id\":\"1\",\"text\":\"ab\",\"entities\":[[1,2,\"y\"]]}\n{\"id\":\"2\",\"text\":\"d\",\"entities\":[[0,1,\"z\"]]}\n";
    let corpus = read(&[("x.jsonl", file.as_bytes())]);
    assert_eq!(spans(&corpus), [span("1", 0, 1, "x"), span("1", 1, 2, "y")]);
    assert_eq!(problems(&corpus), [("document_joined", 1), ("document_conflict", 1)]);
}

#[test]
fn unusable_spans_are_listed_and_kept() {
    let file = r#"{"id":"1","text":"ab","entities":[[1,1,"x"],[2,1,"x"],[-1,1,"x"],[0,3,"x"],[0,9223372036854775807,"x"],[0,9223372036854775808,"x"]]}"#;
    let corpus = read(&[("x.jsonl", file.as_bytes())]);
    assert_eq!(spans(&corpus).len(), 5);
    assert_eq!(
        problems(&corpus),
        [
            ("bad_span", 1),
            ("empty_span", 1),
            ("inverted_span", 1),
            ("negative_span", 1),
            ("span_beyond_text", 2)
        ]
    );
}

/// A zip archive of stored or deflated entries.
fn zip(entries: &[(&str, &[u8], bool)]) -> Vec<u8> {
    let entry = |&(name, bytes, deflated): &(&str, &[u8], bool)| {
        Entry::new(name, bytes, if deflated { 8 } else { 0 })
    };
    zip_of(&entries.iter().map(entry).collect::<Vec<_>>())
}

#[test]
fn archives() {
    let long = "Aspirin. ".repeat(3000);
    let archive = zip(&[
        ("set/a.txt", long.as_bytes(), true),
        ("set/a.ann", b"T1\tDrug 0 7\tAspirin\n", true),
        ("set/b.ann", b"", false),
        ("__MACOSX/set/._a.ann", b"junk", false),
        ("set/inner.zip", &zip(&[("c.ann", b"", false)]), false),
    ]);
    let corpus = read(&[("notes.zip", &archive)]);
    assert_eq!(spans(&corpus), [span("a", 0, 7, "Drug")]);
    let ids: Vec<&str> = corpus.documents.iter().map(|document| &*document.id).collect();
    assert_eq!(ids, ["a", "b", "inner.zip/c"]);
    assert_eq!(text(&corpus, 0).unwrap(), long);
    // The archive program's own file is counted.
    assert_eq!(problems(&corpus), [("tool_file", 1)]);
}

#[test]
fn damaged_archives_lose_only_what_is_damaged() {
    let text = "Aspirin and more. ".repeat(200);
    let record = format!("{{\"id\":\"b\",\"text\":\"{text}\",\"entities\":[]}}");
    let archive = zip(&[("a.ann", b"T1\tDrug 0 7\tAspirin\n", false), ("b.jsonl", record.as_bytes(), true)]);
    let lying = |from: &[u8], to: &[u8]| {
        let mut bytes = archive.clone();
        let mut any = false;
        for at in 0..bytes.len() - from.len() {
            if bytes[at..].starts_with(from) {
                bytes[at..at + to.len()].copy_from_slice(to);
                any = true;
            }
        }
        assert!(any);
        bytes
    };
    let size = (record.len() as u32).to_le_bytes();
    for (name, bytes) in [
        ("longer", lying(&size, &(record.len() as u32 + 1).to_le_bytes())),
        ("shorter", lying(&size, &(record.len() as u32 - 5).to_le_bytes())),
        ("bomb", lying(&size, &u32::MAX.to_le_bytes())),
    ] {
        let corpus = read(&[("x.zip", &bytes)]);
        assert_eq!(spans(&corpus), [span("a", 0, 7, "Drug")], "{name}");
        assert!(
            problems(&corpus).iter().any(|p| p.0 == "unreadable_file"),
            "{name}: {:?}",
            problems(&corpus)
        );
    }
    for cut in 0..archive.len() {
        let _ = read(&[("x.zip", &archive[..cut])]);
    }
}

#[test]
fn sides_of_several_formats() {
    let corpus = read(&[
        ("a-folder-with-a-long-name/a.ann", b"T1\tX 0 1\ta\n"),
        ("x.json", b"{\"id\":\"1\",\"text\":\"ab\",\"entities\":[[0,1,\"x\"]]}"),
        ("p.txt", b"2|t|abc\n2\t0\t1\ta\ty\n"),
    ]);
    assert_eq!(spans(&corpus), [span("a", 0, 1, "X"), span("1", 0, 1, "x"), span("2", 0, 1, "y")]);
    assert_eq!(problems(&corpus), []);
}

#[test]
fn json_keys_that_say_the_same() {
    for entity in [
        r#"{"type":"Drug","label":"drug","start":0,"end":7}"#,
        r#"{"label":"drug","type":"Drug","start":0,"end":7}"#,
        r#"{"labels":["x","y"],"label":"drug","start":0,"end":7}"#,
        r#"{"begin":3,"start":0,"end":7,"label":"drug"}"#,
    ] {
        let json = format!(r#"{{"id":"7","text":"Aspirin","entities":[{entity}]}}"#);
        assert_eq!(one(&json), [span("7", 0, 7, "drug")], "{entity}");
    }
    for record in [
        r#"{"id":"7","text":"Aspirin","spans":{"a":1},"entities":[[0,7,"drug"]]}"#,
        r#"{"id":"7","text":"Aspirin","entities":[[0,7,"drug"]],"spans":"none","label":["drug"]}"#,
        r#"{"id":"7","text":"Aspirin","spans":[[0,7,"drug"]],"entities":null}"#,
        r#"{"id":"7","tokens":["Aspirin"],"ner_tags":["B-drug"],"tags":["cardio"]}"#,
        r#"{"id":"7","tokens":["Aspirin"],"tags":["x"],"ner_tags":["S-drug"]}"#,
    ] {
        assert_eq!(one(record), [span("7", 0, 7, "drug")], "{record}");
    }
    let twice = r#"{"id":"7","text":"Aspirin","entities":[{"label":"a","label":"drug","start":0,"end":7}]}"#;
    let corpus = read(&[("x.jsonl", twice.as_bytes())]);
    assert_eq!(spans(&corpus), [span("7", 0, 7, "drug")]);
    assert_eq!(problems(&corpus), [("duplicate_key", 1)]);
}

#[test]
fn nan_and_empty_strings_are_missing() {
    let file = "{\"id\":NaN,\"text\":\"ab\",\"entities\":[{\"start\":0,\"end\":1,\"label\":\"x\"}]}\n\
                {\"id\":\"\",\"text\":\"cd\",\"entities\":[{\"start\":0,\"end\":1,\"label\":NaN}]}\n";
    let corpus = read(&[("x.jsonl", file.as_bytes())]);
    assert_eq!(spans(&corpus), [span("#1", 0, 1, "x")]);
    assert_eq!(corpus.documents.len(), 2);
    assert_eq!(problems(&corpus), [("bad_span", 1), ("not_a_number", 2)]);
}

#[test]
fn pubtator_quotes_no_note_text() {
    let file =
        "1|t|Sodium\nSodium secret\tpotassium secret\tx\ty\tz\n1\t0\t6\tSodium\tChem\nsecret\t0\tx\ty\n";
    let corpus = read(&[("x.txt", file.as_bytes())]);
    assert_eq!(spans(&corpus), [span("1", 0, 6, "Chem")]);
    assert_eq!(problems(&corpus), [("bad_record", 2)]);
    let shown = format!("{:?}", corpus.problems);
    assert!(!shown.contains("secret"), "{shown}");
}

#[test]
fn passages_that_overlap_make_no_text() {
    let json = r#"{"id":"7","passages":[{"text":["Aspirin"],"offsets":[[0,7]]},{"text":["now"],"offsets":[[-9223372036854775808,9]]}],"entities":[]}"#;
    let corpus = read(&[("x.jsonl", json.as_bytes())]);
    assert_eq!(problems(&corpus), [("text_unusable", 1)]);
    assert_eq!(text(&corpus, 0), None);
}

#[test]
fn what_python_cannot_write_back_is_missing() {
    let file = "{\"id\":\"1\",\"text\":NaN,\"entities\":[[0,1,\"x\"]]}\n\
                {\"id\":\"2\",\"text\":\"a\",\"entities\":NaN}\n\
                {\"id\":\"3\",\"text\":\"ab\",\"tokens\":[\"a\",NaN],\"entities\":[[0,1,\"x\"]]}\n";
    let corpus = read(&[("x.jsonl", file.as_bytes())]);
    assert_eq!(spans(&corpus), [span("1", 0, 1, "x"), span("3", 0, 1, "x")]);
    assert_eq!(problems(&corpus), [("not_a_number", 3)]);
    assert_eq!(text(&corpus, 0), None);
    assert_eq!(text(&corpus, 2).unwrap(), "ab");
    let report =
        common::score(&[("g", file.as_bytes())], &[("p", file.as_bytes())], &clinscore::Options::default());
    assert!(report.systems[0].tokens.is_some() || report.systems[0].tokens_missing.is_some());
}

#[test]
fn an_empty_list_yields_to_a_full_one() {
    for record in [
        r#"{"id":"7","text":"Aspirin","spans":[[0,7,"drug"]],"entities":[]}"#,
        r#"{"id":"7","text":"Aspirin","entities":[],"label":[[0,7,"drug"]]}"#,
        r#"{"id":"7","tokens":["Aspirin"],"ner_tags":["B-drug"],"entities":[]}"#,
    ] {
        assert_eq!(one(record), [span("7", 0, 7, "drug")], "{record}");
    }
}

#[test]
fn values_need_not_be_one_a_line() {
    let record = |id: &str| format!(r#"{{"id":"{id}","text":"Aspirin","entities":[[0,7,"drug"]]}}"#);
    let both = [span("7", 0, 7, "drug"), span("8", 0, 7, "drug")];
    assert_eq!(one(&format!("{}{}", record("7"), record("8"))), both);
    assert_eq!(one(&format!("{} {}\n", record("7"), record("8"))), both);
    let long = "Aspirin ".repeat(20_000);
    let pretty = format!("{{\"text\": \"{long}\",\n \"id\": \"7\",\n \"entities\": [[0, 7, \"drug\"]]\n}}\n");
    assert_eq!(one(&pretty), both[..1]);
    let spacy = format!("[\"{long}\", {{\"entities\": [[0, 7, \"drug\"]]}}]\n");
    assert_eq!(one(&spacy), [span("#1", 0, 7, "drug")]);
    // A first line that is cut off does not hide the others.
    let cut = format!("{}\n{}\n{}\n", &record("6")[..20], record("7"), record("8"));
    let corpus = read(&[("x.jsonl", cut.as_bytes())]);
    assert_eq!((spans(&corpus), problems(&corpus)), (both.to_vec(), vec![("bad_record", 1)]));
    let list = format!("[{},\n", record("7"));
    assert_eq!(problems(&read(&[("x.json", list.as_bytes())])), [("bad_record", 1)]);
}

#[test]
fn old_macs_end_lines_in_cr() {
    let corpus = read(&[("x.txt", b"1|t|Pain\r1\t0\t4\tPain\tDis\r\r2|t|Pain\r")]);
    assert_eq!(spans(&corpus), [span("1", 0, 4, "Dis")]);
    assert_eq!(corpus.documents.len(), 2);
    let corpus = read(&[("a.ann", b"T1\tX 0 1\ta\rT2\tX 1 2\tb\r")]);
    assert_eq!(spans(&corpus).len(), 2);
}

#[test]
fn brat_lines_in_other_files_and_forms() {
    let corpus = read(&[("a.txt", b"T1\tX 0 1\ta\n")]);
    assert_eq!(spans(&corpus), [span("a", 0, 1, "X")]);
    let corpus = read(&[
        ("1.ann", b"T1\tX 0 1\ta\nT2 X 4 7 def\nN12-34-5678\tsecret\tsecret\n"),
        ("1.TXT", b"abc def"),
    ]);
    assert_eq!(text(&corpus, 0).unwrap(), "abc def");
    assert_eq!(problems(&corpus), [("bad_span", 1), ("normalisation", 1)]);
    assert!(!format!("{:?}", corpus.problems).contains("5678"));
}

#[test]
fn pubtator_relations_of_numbered_concepts() {
    let file =
        "1|t|Gene\n1|a|text\n1\t0\t4\tGene\tG\t6331\n1\tAssociation\t6331\t7157\tNovel\nNa\t140\t145\tx\n";
    let corpus = read(&[("x.txt", file.as_bytes())]);
    assert_eq!((corpus.documents.len(), spans(&corpus).len()), (1, 1));
    assert_eq!(problems(&corpus), [("bad_record", 1), ("relation", 1)]);
}

#[test]
fn tokens_may_be_numbers() {
    let json = r#"{"id":"7","tokens":["aspirin",100,"mg"],"ner_tags":["B-drug","O","O"]}"#;
    let corpus = read(&[("x.jsonl", json.as_bytes())]);
    assert_eq!(text(&corpus, 0).unwrap(), "aspirin 100 mg");
}

#[test]
fn messages_quote_no_keys_that_may_be_text() {
    let json = r#"{"id":"1","the patient fell":1,"note":"x","Mr. Smith":{"a":1}}"#;
    let corpus = read(&[("x.jsonl", json.as_bytes())]);
    let found = &corpus.problems.by_kind()[0].2[0].found;
    assert!(found.contains("id, note and 2 more") || found.contains("id, note, and 2 more"), "{found}");
}

#[test]
fn long_ids_are_cut_where_they_are_listed() {
    let id = "x".repeat(100_000);
    let list = vec!["[1,1,\"a\"]"; 50].join(",");
    let json = format!(r#"{{"id":"{id}","text":"ab","entities":[{list}]}}"#);
    let corpus = read(&[("x.jsonl", json.as_bytes())]);
    assert_eq!(problems(&corpus), [("empty_span", 50)]);
    assert!(format!("{:?}", corpus.problems).len() < 50_000);
}
