//! Tables of spans: what is detected, read, repaired and listed.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::corpus::{Corpus, Detail, Unit};
use clinscore::formats::Choices;
use common::{Doc, as_docs, docs, every_prefix, problems, read, read_with, shared, spans, text};
use proptest::prelude::*;

fn span(id: &str, start: i64, end: i64, label: &str) -> (String, i64, i64, String) {
    (id.to_owned(), start, end, label.to_owned())
}

fn table(content: &str) -> Corpus {
    let corpus = read(&[("x.csv", content.as_bytes())]);
    assert_eq!(corpus.files[0].format, Some("span-table"), "{content}");
    corpus
}

fn details(corpus: &Corpus) -> Vec<Detail> {
    corpus.spans.iter().map(|span| corpus.detail(span).cloned().unwrap_or_default()).collect()
}

/// No problem may hold text of the notes, which the tests write with the word `secret`.
fn no_note_text(corpus: &Corpus) {
    for (_, _, list) in corpus.problems.by_kind() {
        for problem in list {
            assert!(!format!("{} {}", problem.found, problem.expected).contains("secret"), "{problem:?}");
        }
    }
}

#[test]
fn headers_of_shared_tasks_and_tools() {
    let expected = [span("es-001", 12, 29, "ENFERMEDAD"), span("es-002", 0, 3, "SINTOMA")];
    for file in [
        // SympTEMIST, MedProcNER
        "filename\tann_id\tlabel\tstart_span\tend_span\ttext\nes-001\tT1\tENFERMEDAD\t12\t29\tdiabetes mellitus\nes-002\tT1\tSINTOMA\t0\t3\ttos\n",
        // DisTEMIST, and its linking file
        "filename\tmark\tlabel\toff0\toff1\tspan\nes-001\tT1\tENFERMEDAD\t12\t29\tdiabetes mellitus\nes-002\tT1\tSINTOMA\t0\t3\ttos\n",
        "filename\tmark\tlabel\toff0\toff1\tspan\tcode\tsemantic_rel\nes-001\tT1\tENFERMEDAD\t12\t29\tdiabetes mellitus\t73211009\tEXACT\nes-002\tT1\tSINTOMA\t0\t3\ttos\t49727002\tNARROW\n",
        // commas, bars, semicolons; CRLF; a byte-order mark in the first name; quotes around every cell
        "\u{feff}doc_id,start,end,label,text\r\nes-001,12,29,ENFERMEDAD,diabetes mellitus\r\nes-002,0,3,SINTOMA,tos\r\n",
        "\u{feff}\"doc_id\",\"start\",\"end\",\"label\"\n\"es-001\",\"12\",\"29\",\"ENFERMEDAD\"\n\"es-002\",\"0\",\"3\",\"SINTOMA\"\n",
        "Note ID|Begin|End|Type\nes-001|12|29|ENFERMEDAD\nes-002|0|3|SINTOMA\n",
        "document_id;start_char;length;entity_type;score\nes-001;12;17;ENFERMEDAD;0,95\nes-002;0;3;SINTOMA;1\n",
        // what pandas makes of it: an index column, floats
        ",note_id,begin,end,ner_label\n0,es-001,12.0,29.0,ENFERMEDAD\n1,es-002,0.0,3.0,SINTOMA\n",
        // a pair in one column, headed
        "file\tlabel\toffsets\nes-001\tENFERMEDAD\t12 29\nes-002\tSINTOMA\t0 3\n",
        // old Macs
        "id,start,end,label\res-001,12,29,ENFERMEDAD\res-002,0,3,SINTOMA\r",
        // only a start, as an end follows from the text
        "id,offset,label,chunk\nes-001,12,ENFERMEDAD,diabetes mellitus\nes-002,0,SINTOMA,tos\n",
    ] {
        let corpus = table(file);
        assert_eq!(spans(&corpus), expected, "{file}");
        let kinds: Vec<_> =
            problems(&corpus).into_iter().filter(|(kind, _)| *kind != "column_not_read").collect();
        assert_eq!(kinds, [], "{file}");
    }
}

#[test]
fn what_rows_carry_is_kept() {
    let corpus = table(
        "id;start;end;label;text;score;cui;negated;assertion;comment\n\
         a;0;3;drug;ASA;0,5;C0004057;False;present;x\n\
         a;4;7;drug;ASS;;;True;absent;\n",
    );
    let details = details(&corpus);
    assert_eq!(details.iter().map(|d| d.score).collect::<Vec<_>>(), [Some(0.5), None]);
    assert_eq!(details.iter().map(|d| d.line).collect::<Vec<_>>(), [2, 3]);
    let more: Vec<_> = details.iter().map(|d| d.more.clone().unwrap()).collect();
    let concepts: Vec<_> = more.iter().map(|m| m.concepts.clone()).collect();
    assert_eq!(concepts, [vec!["C0004057".to_owned()], vec![]]);
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(more[0].attributes, [pair("negated", "False"), pair("assertion", "present")]);
    assert_eq!(more[1].attributes, [pair("negated", "True"), pair("assertion", "absent")]);
    assert_eq!(problems(&corpus), [("column_not_read", 1)]);
    assert_eq!(corpus.problems.by_kind()[0].2[0].found, "comment");
}

#[test]
fn rows_of_a_document_may_lie_apart() {
    let corpus = table("id,start,end,label\nb,5,6,x\na,0,1,x\nb,1,2,y\na,0,1,y\nb,0,9,x\n");
    assert_eq!(
        spans(&corpus),
        [
            span("b", 5, 6, "x"),
            span("b", 1, 2, "y"),
            span("b", 0, 9, "x"),
            span("a", 0, 1, "x"),
            span("a", 0, 1, "y")
        ]
    );
    assert_eq!(problems(&corpus), []);
}

#[test]
fn inclusive_ends_are_seen_by_the_texts() {
    // Spark NLP: `end` is the last character.
    let gold =
        b"{\"id\":\"n1\",\"text\":\"Aspirin for angina\",\"entities\":[[0,7,\"drug\"],[12,18,\"problem\"]]}";
    let pred = b"note_id,begin,end,chunk,ner_label\nn1,0,6,Aspirin,drug\nn1,12,17,angina,problem\n";
    let report = common::score(&[("g.jsonl", gold)], &[("p.csv", pred)], &clinscore::Options::default());
    let json: String = report.output("nervaluate").unwrap();
    assert!(json.contains("\"correct\": 2") || json.contains("\"correct\":2"), "{json}");
}

#[test]
fn without_header() {
    // CodiEsp-X, gold and run files, with fragments.
    let gold = "c-1\tDIAGNOSTICO\tn20.0\tlitiasis renal\t0 14\nc-1\tDIAGNOSTICO\tr10.33\tdolor periumbilical\t20 25;33 46\n\
                c-2\tPROCEDIMIENTO\tbw40zzz\tecograf\u{ed}a\t1949 1958\n";
    let corpus = table(gold);
    assert_eq!(
        spans(&corpus),
        [
            span("c-1", 0, 14, "DIAGNOSTICO"),
            span("c-1", 20, 46, "DIAGNOSTICO"),
            span("c-2", 1949, 1958, "PROCEDIMIENTO")
        ]
    );
    let found = details(&corpus);
    assert_eq!(found[1].fragments, [(20, 25), (33, 46)]);
    assert_eq!(found[0].more.clone().unwrap().concepts, ["n20.0"]);
    assert!(found.iter().all(|d| d.own.is_some()));
    assert_eq!(problems(&corpus), [("discontinuous", 1)]);
    let run = "c-1\t100 200\tDIAGNOSTICO\tn20.0\nc-1\t1968 1969\tPROCEDIMIENTO\tbw40zzz\nc-2\t1 2\tDIAGNOSTICO\tCODE4\n";
    let corpus = table(run);
    assert_eq!(spans(&corpus)[1], span("c-1", 1968, 1969, "PROCEDIMIENTO"));
    assert_eq!(details(&corpus)[0].more.clone().unwrap().concepts, ["n20.0"]);
    // Five columns separated by commas; by tabs they are PubTator's.
    let rows = "7,0,7,Aspirin,drug,MESH:D001241\n7,12,18,angina,problem,-\n8,0,4,Pain,problem,-\n";
    let corpus = table(rows);
    assert_eq!(
        spans(&corpus),
        [span("7", 0, 7, "drug"), span("7", 12, 18, "problem"), span("8", 0, 4, "problem")]
    );
    let tabs = rows.replace(',', "\t");
    let corpus = read(&[("x.ann", tabs.as_bytes())]);
    assert_eq!(corpus.files[0].format, Some("pubtator"));
    assert_eq!(spans(&corpus).len(), 3);
}

#[test]
fn a_column_with_the_documents_text() {
    let file = "id,text,start,end,mention,label\n\
                a,\"Aspirin, for \"\"angina\"\"\n\u{1f616} daily\",0,7,Aspirin,drug\n\
                a,\"Aspirin, for \"\"angina\"\"\n\u{1f616} daily\",14,20,angina,problem\n\
                b,No pain,3,7,pain,problem\n";
    let corpus = table(file);
    assert_eq!(
        spans(&corpus),
        [span("a", 0, 7, "drug"), span("a", 14, 20, "problem"), span("b", 3, 7, "problem")]
    );
    assert_eq!(text(&corpus, 0).unwrap(), "Aspirin, for \"angina\"\n\u{1f616} daily");
    assert_eq!(text(&corpus, 1).unwrap(), "No pain");
    assert_eq!(problems(&corpus), []);
    // The name alone does not say whose text it is.
    let corpus =
        table("id,text,start,end,label\na,Aspirin for angina,0,7,drug\na,Aspirin for angina,12,18,problem\n");
    assert_eq!(text(&corpus, 0).unwrap(), "Aspirin for angina");
    let corpus = table("id,text,start,end,label\na,Aspirin,0,7,drug\na,angina,12,18,problem\n");
    assert_eq!(text(&corpus, 0), None);
    // Another text under the same id.
    let corpus =
        table("id,note,start,end,mention,label\na,Aspirin secret,0,7,Aspirin,drug\na,Other,0,5,Other,drug\n");
    assert_eq!(problems(&corpus), [("document_conflict", 1)]);
    assert_eq!(spans(&corpus).len(), 1);
    no_note_text(&corpus);
}

#[test]
fn a_list_of_spans_a_row() {
    let drug = [span("7", 0, 7, "drug")];
    for list in [
        r#""[{""start"": 0, ""end"": 7, ""label"": ""drug""}]""#,
        r#""[[0, 7, ""drug""]]""#,
        r#""[(0, 7, 'drug')]""#,
        r#""[{'start': 0, 'end': 7, 'label': 'drug', 'text': 'Aspirin', 'negated': False, 'cui': None},]""#,
        r#""[{'start': 0, 'end': 7, 'entity_group': 'drug', 'word': ""Aspirin"", 'score': nan}]""#,
        r#""[{""start"": 0, ""end"": 7, ""text"": ""Aspirin"", ""labels"": [""drug""]}]""#,
    ] {
        let corpus = table(&format!(
            "id,text,entities\n7,\"Aspirin, it's \"\"for\"\" angina\",{list}\n8,None,[]\n9,,\n"
        ));
        assert_eq!(spans(&corpus), drug, "{list}");
        assert_eq!(problems(&corpus), [], "{list}");
        assert_eq!(text(&corpus, 0).unwrap(), "Aspirin, it's \"for\" angina");
        assert_eq!(corpus.documents.len(), 3);
    }
    // Python quotes: an apostrophe, an escape, a backslash.
    let corpus = table(
        "id,text,entities\n1,x,\"[(0, 1, 'it\\'s'), (0, 1, \"\"a'b\"\"), (0, 1, 'c\\x41\\\\d'), (0, 1, 'e\"\"f')]\"\n",
    );
    let labels: Vec<_> = spans(&corpus).into_iter().map(|s| s.3).collect();
    assert_eq!(labels, ["it's", "a'b", "cA\\d", "e\"f"]);
    // Without ids, a row's place counts.
    let corpus =
        table("text,entities\nAspirin,\"[[0,7,\"\"drug\"\"]]\"\nNo,[]\nPain,\"[[0,4,\"\"problem\"\"]]\"\n");
    assert_eq!(spans(&corpus), [span("#1", 0, 7, "drug"), span("#3", 0, 4, "problem")]);
    assert!(!corpus.documents[0].has_id);
    assert_eq!(corpus.records, 3);
    // What cannot be read is listed, the rest kept.
    let corpus = table(
        "id,text,entities\n1,a,\"[[0,1,\"\"x\"\"]]\"\n2,b,\"[[0,1,'secret\"\n3,c,\"[[0,1,\"\"x\"\"],[0,null,\"\"x\"\"],[0,1]]\"\n",
    );
    assert_eq!(spans(&corpus), [span("1", 0, 1, "x"), span("3", 0, 1, "x")]);
    assert_eq!(problems(&corpus), [("bad_record", 1), ("bad_span", 2)]);
    no_note_text(&corpus);
}

#[test]
fn rows_with_another_number_of_cells() {
    let file = "id\tstart\tend\tlabel\ttext\n\
                a\t0\t3\tx\tone\n\
                a\t4\t11\tx\tsecret\tb\n\
                a\t4\t5\tx\n\
                a\t4\n\
                a\t4\t5\tx\ty\t\t\n";
    let corpus = table(file);
    assert_eq!(
        spans(&corpus),
        [span("a", 0, 3, "x"), span("a", 4, 11, "x"), span("a", 4, 5, "x"), span("a", 4, 5, "x")]
    );
    assert_eq!(problems(&corpus), [("bad_span", 1), ("uneven_row", 3)]);
    let uneven = corpus.problems.by_kind();
    let lines: Vec<u64> = uneven[1].2.iter().map(|p| p.place.line).collect();
    assert_eq!(lines, [3, 4, 5]);
    assert_eq!((uneven[1].2[0].found.as_str(), uneven[1].2[0].expected.as_str()), ("6 cells", "5 cells"));
    no_note_text(&corpus);
    // Separators too many and no text they could belong to.
    let corpus = table("id,start,end,label\na,0,1,x\na,1,2,x,y\na,2,3,x\n");
    assert_eq!(spans(&corpus).len(), 2);
    assert_eq!(problems(&corpus), [("bad_record", 1)]);
}

#[test]
fn rows_that_cannot_be_read() {
    let file = "id,start,end,label,text\n\
                a,0,3,x,one\n\
                a,NaN,,x,secret\n\
                a,1.5,3,x,secret\n\
                a,x,3,x,secret\n\
                a,1,,x,secret\n\
                a,1,3,,secret\n\
                ,1,3,x,secret\n\
                NA,NA,NA,NA,NA\n\
                b,,,,\n\
                a,-1,3,x,secret\n\
                a,7,3,x,secret\n";
    let corpus = table(file);
    // A row with a text and no place is searched; there is no text to search in.
    assert_eq!(
        spans(&corpus),
        [span("a", 0, 3, "x"), span("a", 0, 0, "x"), span("a", -1, 3, "x"), span("a", 7, 3, "x")]
    );
    let kinds = problems(&corpus);
    for expected in
        [("bad_record", 1), ("bad_span", 4), ("placeholder", 1), ("negative_span", 1), ("inverted_span", 1)]
    {
        assert!(kinds.contains(&expected), "{kinds:?}");
    }
    // A document without spans is one all the same.
    assert!(corpus.documents.iter().any(|d| d.id == "b" && d.spans.is_empty()));
    no_note_text(&corpus);
}

#[test]
fn quotes_that_do_not_close() {
    let row = |number: u64, own: &str| format!("d{number}\t{number}\t{}\tx\t{own}\n", number + 2);
    let expected = |lines: &[u64]| -> Vec<_> {
        lines.iter().map(|&n| span(&format!("d{n}"), n as i64, n as i64 + 2, "x")).collect()
    };
    let head = "id\tstart\tend\tlabel\ttext\n";
    for (file, lines) in [
        // Never closed.
        (format!("{head}{}{}{}", row(1, "a"), row(2, "\"secret"), row(3, "c")), vec![3]),
        // Closed by the quote of another row, as quotes do not close.
        (format!("{head}{}{}{}{}", row(1, "\"a"), row(2, "b"), row(3, "\"c"), row(4, "d")), vec![2, 4]),
        // Closed at the end of another row: every line would be a row.
        (format!("{head}{}{}{}", row(1, "\"a"), row(2, "b"), row(3, "c\"")), vec![2]),
    ] {
        let corpus = table(&file);
        let rows = file.lines().count() as u64 - 1;
        assert_eq!(spans(&corpus), expected(&(1..=rows).collect::<Vec<_>>()), "{file}");
        assert_eq!(problems(&corpus), [("unclosed_quote", lines.len() as u64)], "{file}");
        let listed: Vec<u64> = corpus.problems.by_kind()[0].2.iter().map(|p| p.place.line).collect();
        assert_eq!(listed, lines, "{file}");
        no_note_text(&corpus);
    }
    // A file that ends inside a quoted text: what came before is kept.
    let cut = format!("{head}{}{}d3\t0\t2\tx\t\"a secret\nthat goes on and", row(1, "a"), row(2, "b"));
    let corpus = table(&cut);
    assert_eq!(spans(&corpus), expected(&[1, 2]));
    assert_eq!(problems(&corpus), [("bad_record", 1)]);
    let problem = corpus.problems.by_kind()[0].2[0].clone();
    assert_eq!(problem.place.line, 4);
    assert!(problem.found.contains("the file looks cut off"), "{problem:?}");
}

#[test]
fn quotes_as_they_should_be() {
    let corpus = table(
        "id,start,end,label,text\na,0,9,x,\"one\ntwo, \"\"x\"\"\"\na,4,5,\"x,y\",\"\"\na,6,8,z,5\" w\na,1,2,z,\"q\" r\n",
    );
    assert_eq!(
        spans(&corpus),
        [span("a", 0, 9, "x"), span("a", 4, 5, "x,y"), span("a", 6, 8, "z"), span("a", 1, 2, "z")]
    );
    assert_eq!(problems(&corpus), []);
    let lines: Vec<u64> = details(&corpus).iter().map(|d| d.line).collect();
    assert_eq!(lines, [2, 0, 5, 6], "a span without anything else has no line");
}

#[test]
fn without_ids() {
    let file = "begin,end,chunk,ner_label\n0,6,Aspirin,drug\n";
    let corpus = table(file);
    assert!(!corpus.documents[0].has_id);
    assert_eq!(corpus.records, 1);
    // Several files are a document each.
    let corpus = read(&[("p/n1.csv", file.as_bytes()), ("p/n2.csv", file.as_bytes())]);
    assert_eq!(spans(&corpus), [span("n1", 0, 6, "drug"), span("n2", 0, 6, "drug")]);
}

#[test]
fn mentions_without_offsets_are_searched() {
    let gold =
        b"{\"id\":\"n1\",\"text\":\"Aspirin for angina\",\"entities\":[[0,7,\"drug\"],[12,18,\"problem\"]]}";
    let pred = b"note_id,mention,label\nn1,Aspirin,drug\nn1,angina,problem\n";
    let report = common::score(&[("g.jsonl", gold)], &[("p.csv", pred)], &clinscore::Options::default());
    let json: String = report.output("nervaluate").unwrap();
    assert!(json.contains("\"correct\": 2") || json.contains("\"correct\":2"), "{json}");
}

#[test]
fn no_column_of_labels() {
    let corpus = table("id,start,end,text\na,0,3,one\n");
    assert_eq!(spans(&corpus), [span("a", 0, 3, "entity")]);
    assert_eq!(problems(&corpus), [("label_derived", 1)]);
}

#[test]
fn label_studio_counts_utf16() {
    let list = "[{'start':3,'end':10,'labels':['drug']}]";
    let file =
        format!("annotation_id,annotator,id,label,lead_time,text\n1,1,5,\"{list}\",1.5,\u{1f616} Aspirin\n");
    let corpus = table(&file);
    assert_eq!(corpus.files[0].unit, Unit::Utf16);
    assert_eq!(spans(&corpus), [span("5", 2, 9, "drug")]);
}

#[test]
fn what_is_no_table_of_spans() {
    for file in [
        "Aspirin\tB-drug\nhelps\tO\n\nNo\tO\n",
        "T1\tdrug 0 7\tAspirin\nT2\tproblem 12 18\tangina\n",
        "1|t|Aspirin\n1|a|helps\n1\t0\t7\tAspirin\tdrug\n",
        "Name, age, and dates of the visit,\nwith commas, as prose has them, and more,\nall through, it, and on\n",
        "id,label\n1,x\n",
        "{\"id\":\"1\",\"text\":\"a\",\"entities\":[]}\n",
    ] {
        let corpus = read(&[("x", file.as_bytes())]);
        assert_ne!(corpus.files[0].format, Some("span-table"), "{file}");
    }
    // Chosen all the same: said.
    let choices = Choices { format: "span-table".into(), ..Choices::default() };
    let corpus = read_with(&[("x.csv", b"just words\nand words\n")], &choices);
    assert_eq!(problems(&corpus), [("bad_record", 1)]);
}

#[test]
fn small_chunks_read_the_same() {
    let file = "id,start,end,label,text\r\na,0,9,x,\"one\r\ntwo, \"\"x\"\"\"\r\n\r\nb,4,5,y,z\r\n";
    let whole = table(file);
    for chunk in 1..20 {
        let corpus = read_with(&[("x.csv", file.as_bytes())], &Choices { chunk, ..Choices::default() });
        assert_eq!(spans(&corpus), spans(&whole));
        assert_eq!(problems(&corpus), problems(&whole));
    }
}

fn quoted(cell: &str, delimiter: char) -> String {
    if cell.contains(['"', '\n', '\r', delimiter]) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.into()
    }
}

/// A table of rows with the document's text in each, as `csv.writer` writes it; and where each document ends.
fn write(docs: &[Doc], delimiter: char) -> (String, Vec<usize>) {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| quoted(cell, delimiter)).collect();
        cells.join(&delimiter.to_string()) + "\n"
    };
    let mut out = line(&["doc_id", "note", "position", "mention", "label"].map(str::to_owned));
    let mut ends = Vec::new();
    for doc in docs {
        if doc.spans.is_empty() {
            out += &line(&[doc.id.clone(), doc.text.clone(), String::new(), String::new(), String::new()]);
        }
        for (fragments, label) in &doc.spans {
            let places: Vec<String> = fragments.iter().map(|(start, end)| format!("{start} {end}")).collect();
            let own: Vec<String> = fragments.iter().map(|&range| doc.slice(range)).collect();
            out += &line(&[doc.id.clone(), doc.text.clone(), places.join(";"), own.join(" "), label.clone()]);
        }
        ends.push(out.len());
    }
    (out, ends)
}

fn write_list(docs: &[Doc], delimiter: char) -> String {
    let mut out = format!("doc_id{delimiter}text{delimiter}entities\n");
    for doc in docs {
        let spans: Vec<String> =
            doc.spans.iter().map(|(f, label)| format!("({}, {}, '{label}')", f[0].0, f[0].1)).collect();
        let list = format!("[{}]", spans.join(", "));
        out += &[doc.id.clone(), doc.text.clone(), list]
            .map(|cell| quoted(&cell, delimiter))
            .join(&delimiter.to_string());
        out.push('\n');
    }
    out
}

proptest! {
    #[test]
    fn round_trip(docs in docs(true, 3), delimiter in proptest::sample::select(vec![',', '\t', ';'])) {
        // A table without any span has no column of places to be known by.
        prop_assume!(docs.iter().any(|doc| !doc.spans.is_empty()));
        let corpus = read(&[("x.csv", write(&docs, delimiter).0.as_bytes())]);
        prop_assert_eq!(as_docs(&corpus), docs);
    }

    #[test]
    fn round_trip_of_lists(docs in docs(true, 1), delimiter in proptest::sample::select(vec![',', '\t', ';'])) {
        let corpus = read(&[("x.csv", write_list(&docs, delimiter).as_bytes())]);
        prop_assert_eq!(as_docs(&corpus), docs);
    }
}

#[test]
fn cut_at_every_byte() {
    let doc = |id: &str, text: &str, spans: &[(i64, i64, &str)]| Doc {
        id: id.into(),
        text: text.into(),
        spans: spans.iter().map(|&(start, end, label)| (vec![(start, end)], label.to_owned())).collect(),
    };
    let docs = [
        doc("d0", "Aspirin, \"for\"\nangina", &[(0, 7, "drug"), (15, 21, "problem")]),
        doc("d1", "na\u{ef}ve", &[(0, 5, "x")]),
        doc("d2", "no, pain", &[(4, 8, "problem")]),
    ];
    let (file, ends) = write(&docs, ',');
    every_prefix("x.csv", file.as_bytes(), &[], &ends);
}

#[test]
fn the_same_spans_from_the_tools_that_wrote_them() {
    // tests/fixtures/formats/span-table/make.py says the same spans to pandas and Label Studio.
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/formats/span-table");
    let expected = [
        span("n1", 0, 7, "drug"),
        span("n1", 12, 18, "problem"),
        span("n2", 2, 12, "drug"),
        span("n2", 19, 25, "problem"),
    ];
    for name in [
        "pandas-index.csv",
        "pandas-float.csv",
        "pandas-semicolon.csv",
        "pandas-tab.tsv",
        "pandas-list.csv",
        "pandas-json.csv",
    ] {
        let corpus = read(&[(name, &std::fs::read(folder.join(name)).unwrap())]);
        assert_eq!(spans(&corpus), expected, "{name}");
        let kinds: Vec<_> =
            problems(&corpus).into_iter().filter(|(kind, _)| *kind != "column_not_read").collect();
        assert_eq!(kinds, [], "{name}");
    }
    let name = "label-studio.csv";
    let corpus = read(&[(name, &std::fs::read(folder.join(name)).unwrap())]);
    let expected: Vec<_> = expected.into_iter().map(|(id, s, e, l)| (id.replace('n', ""), s, e, l)).collect();
    assert_eq!(spans(&corpus), expected);
    assert_eq!(text(&corpus, 1).unwrap(), "\u{1f616} \"Naproxen\",\nno \u{2265} angina");
}

#[test]
fn real_files() {
    let Some(shared) = shared() else { return };
    let folder = shared.join("data/coding/codiesp");
    let load = |name: &str| read(&[(name, &std::fs::read(folder.join(name)).unwrap())]);
    // Counted with cut and sort: rows, documents, rows of each label, rows with `;`.
    let corpus = load("gold/codiesp-X/sample/sample_annotations_task3_processed.tsv");
    assert_eq!((corpus.documents.len(), corpus.spans.len()), (15, 210));
    let uses: Vec<_> = corpus.labels.names().iter().map(String::as_str).zip(corpus.label_uses()).collect();
    assert_eq!(uses, [("PROCEDIMIENTO", 44), ("DIAGNOSTICO", 166)]);
    assert_eq!(problems(&corpus), [("discontinuous", 39)]);
    assert!(details(&corpus).iter().all(|d| d.own.is_some() && d.more.as_ref().unwrap().concepts.len() == 1));
    let gold = load("gold/toy_data/gs_X.tsv");
    assert_eq!((gold.documents.len(), gold.spans.len()), (2, 14));
    let pred = load("system/toy_data/pred_X.tsv");
    assert_eq!((pred.documents.len(), pred.spans.len()), (2, 15));
    assert_eq!(pred.labels.names(), ["DIAGNOSTICO", "PROCEDIMIENTO", "PROEDIMIENTO"]);
    assert_eq!(spans(&pred)[0], span("S1889-836X2016000100006-1", 100, 200, "DIAGNOSTICO"));
}
