//! WebAnno TSV 3: what is read, repaired and listed. Examples follow the format's documentation (WebAnno's user
//! guide, "WebAnno TSV 3.3 File format").
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::corpus::{Argument, Corpus};
use common::{Doc, as_docs, every_prefix, problems, read, spans, text};
use proptest::prelude::*;

const NER: &str = "#FORMAT=WebAnno TSV 3.3\n#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value\n\n\n";

/// Every kind of layer.
const LAYERS: &str = concat!(
    "#FORMAT=WebAnno TSV 3.3\n",
    "#T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|PosValue|coarseValue\n",
    "#T_SP=webanno.custom.Drug|certainty|dose|substance\n",
    "#T_SP=webanno.custom.Problem|negated|value\n",
    "#T_SP=webanno.custom.Frame|ROLE_webanno.custom.Frame:roles_webanno.custom.FrameRolesLink|webanno.custom.Drug\n",
    "#T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink|referenceType|referenceRelation\n",
    "#T_RL=de.tudarmstadt.ukp.dkpro.core.api.syntax.type.dependency.Dependency|DependencyType|BT_de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS\n",
    "#T_RL=webanno.custom.Treats|value|BT_webanno.custom.Problem\n",
    "\n\n",
    "#Text=Aspirin for pain\n",
    "1-1\t0-7\tAspirin\tNN\tNOUN\tlow\t5\tASA\t_\t_\t_\t_\tdrug[1]\tcoref->1-1\troot\t1-1\t_\t_\t\n",
    "1-2\t8-11\tfor\tIN\tADP\t_\t_\t_\tfalse\tUse\tgives\t1-1\t_\t_\tcase\t1-1\t_\t_\t\n",
    "1-3\t12-16\tpain\tNN\tNOUN\t_\t_\t_\ttrue[2]|*[3]\tSign[2]|Site[3]\t_\t_\t_\t_\tobj\t1-1\thelps|*\t1-2[0_3]|1-9[0_2]\t\n",
);

fn span(id: &str, start: i64, end: i64, label: &str) -> (String, i64, i64, String) {
    (id.to_owned(), start, end, label.to_owned())
}

fn tsv(body: &str) -> Corpus {
    read(&[("x.tsv", format!("{NER}{body}").as_bytes())])
}

#[test]
fn is_chosen_by_its_first_line() {
    let corpus = tsv("#Text=Hello\n1-1\t0-5\tHello\t_\t_\t\n");
    assert_eq!(corpus.files[0].format, Some("webanno"));
    let corpus = read(&[("x.tsv", b"#FORMAT=WebAnno TSV 2\n#T_SP=a|b\n")]);
    assert_eq!(problems(&corpus), [("unknown_format", 1)]);
}

#[test]
fn several_tokens_and_stacked_values() {
    let corpus = tsv(concat!(
        "#Text=Ms. Haag plays Elianti .\n",
        "1-1\t0-3\tMs.\tQ1[1]|*[2]\tPER[1]|PERpart[2]\t\n",
        "1-2\t4-8\tHaag\tQ1[1]\tPER[1]\t\n",
        "1-3\t9-14\tplays\t_\t_\t\n",
        "1-4\t15-22\tElianti\t*\t*\t\n",
        "1-5\t23-24\t.\t_\t_\t\n",
    ));
    assert_eq!(problems(&corpus), []);
    assert_eq!(
        spans(&corpus),
        [span("x", 0, 8, "PER"), span("x", 0, 3, "PERpart"), span("x", 15, 22, "NamedEntity")]
    );
    let concepts = |at: usize| {
        let detail = corpus.detail(&corpus.spans[at]).unwrap();
        detail.more.as_ref().map(|more| more.concepts.clone()).unwrap_or_default()
    };
    assert_eq!((concepts(0), concepts(1)), (vec!["Q1".to_owned()], vec![]));
    assert_eq!(text(&corpus, 0).unwrap(), "Ms. Haag plays Elianti .");
}

#[test]
fn offsets_are_utf16_and_astral_characters_count_two() {
    // The documentation's own example.
    let corpus = read(&[(
        "x.tsv",
        "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Smile|\n\n\n#Text=I like it 😊 .\n1-1\t0-1\tI\t_\n\
         1-2\t2-6\tlike\t_\n1-3\t7-9\tit\t_\n1-4\t10-12\t😊\t*\n1-5\t13-14\t.\t*\n"
            .as_bytes(),
    )]);
    assert_eq!(problems(&corpus), []);
    assert_eq!(spans(&corpus), [span("x", 10, 11, "Smile"), span("x", 12, 13, "Smile")]);
    assert_eq!(corpus.offsets[0].way.unit.name(), "utf16");
}

#[test]
fn code_points_of_other_writers_are_found_by_the_tokens() {
    let corpus = tsv("#Text=😊 a pain\n1-1\t0-1\t😊\t_\t_\n1-2\t2-3\ta\t_\t_\n1-3\t4-8\tpain\t*\tX\n\n\
                      #Text=fever\n2-1\t9-14\tfever\t*\tX\n");
    assert_eq!(spans(&corpus), [span("x", 4, 8, "X"), span("x", 9, 14, "X")]);
    assert_eq!(text(&corpus, 0).unwrap(), "😊 a pain\nfever");
    assert_eq!(corpus.offsets[0].way.unit.name(), "codepoint");
    assert_eq!(problems(&corpus), []);
}

#[test]
fn parts_of_tokens_and_empty_spans() {
    let corpus = tsv(concat!(
        "#Text=plays well\n",
        "1-1\t0-5\tplays\t_\t_\t\n",
        "1-1.1\t0-4\tplay\t*\tstem\t\n",
        "1-1.2\t3-5\tys\t*[1]\tend[1]\t\n",
        "1-1.3\t5-5\t\t*\tnothing\t\n",
        "1-2\t6-10\twell\t_\t_\t\n",
        "1-2.1\t6-8\twe\t*[1]\tend[1]\t\n",
    ));
    assert_eq!(spans(&corpus), [span("x", 0, 4, "stem"), span("x", 3, 8, "end"), span("x", 5, 5, "nothing")]);
    assert_eq!(problems(&corpus), [("empty_span", 1)]);
}

#[test]
fn values_and_texts_are_unescaped() {
    let corpus = tsv(concat!(
        "#Text=a\\\\b\\tc _ [x] \\r\n",
        "#Text=second * line | ;\n",
        "1-1\t0-3\ta\\b\thttp://x/Q\\_1\tA\\_B\\|C\\[1\\]\t\n",
        "1-2\t4-5\tc\t_\t_\t\n",
        "1-3\t14-20\tsecond\t*\tD\\->E\\\\\\;\\*\t\n",
    ));
    assert_eq!(text(&corpus, 0).unwrap(), "a\\b\tc _ [x] \r\nsecond * line | ;");
    assert_eq!(spans(&corpus), [span("x", 0, 3, "A_B|C[1]"), span("x", 14, 20, "D->E\\;*")]);
    assert_eq!(corpus.detail(&corpus.spans[0]).unwrap().more.as_ref().unwrap().concepts, ["http://x/Q_1"]);
    // The rows end before the text does.
    assert_eq!(problems(&corpus), [("bad_record", 1)]);
}

#[test]
fn texts_before_version_3_2_escape_as_java() {
    let file = "#FORMAT=WebAnno TSV 3.1\n#T_SP=webanno.custom.A|value\n\n\n#Text=caf\\u00e9 \\ud83d\\ude0a \\\"x\\\"\n\
                1-1\t0-4\tcafé\tP\t\n1-2\t5-7\t😊\tQ\t\n1-3\t8-11\t\"x\"\tR\t\n";
    let corpus = read(&[("x.tsv", file.as_bytes())]);
    assert_eq!(text(&corpus, 0).unwrap(), "café 😊 \"x\"");
    assert_eq!(spans(&corpus), [span("x", 0, 4, "P"), span("x", 5, 6, "Q"), span("x", 7, 10, "R")]);
    assert_eq!(problems(&corpus), []);
}

#[test]
fn sentences_stand_at_their_offsets() {
    for (end, name) in [("\n", "LF"), ("\r\n", "CRLF")] {
        let body = "#Text=One.\n1-1\t2-6\tOne.\t_\t_\t\n\n#Text=Two.\n2-1\t6-10\tTwo.\t*\tA\t\n\n#Text=Three\n#Text=four\n\
                    3-1\t11-16\tThree\t*[1]\tB[1]\t\n3-2\t17-21\tfour\t*[1]\tB[1]\t\n\n#Text=Five\n4-1\t24-28\tFive\t*\tC\t\n";
        let file = format!("{NER}{body}").replace('\n', end);
        let corpus = read(&[("x.tsv", file.as_bytes())]);
        assert_eq!(text(&corpus, 0).unwrap(), "  One.Two.\nThree\nfour\n  Five", "{name}");
        assert_eq!(spans(&corpus), [span("x", 6, 10, "A"), span("x", 11, 21, "B"), span("x", 24, 28, "C")]);
        assert_eq!(problems(&corpus), [], "{name}");
    }
}

#[test]
fn offsets_that_begin_again_in_every_sentence_are_listed() {
    let corpus = tsv(
        "#Text=Pain now\n1-1\t0-4\tPain\t*\tA\n1-2\t5-8\tnow\t_\t_\n\n#Text=No fever\n2-1\t0-2\tNo\t_\t_\n\
                      2-2\t3-8\tfever\t*\tB\n",
    );
    assert_eq!(problems(&corpus), [("offsets_unclear", 1)]);
    assert_eq!(spans(&corpus), [span("x", 0, 4, "A"), span("x", 12, 17, "B")]);
}

#[test]
fn layers_are_listed_and_linguistics_left_out() {
    let corpus = read(&[("x.tsv", LAYERS.as_bytes())]);
    assert_eq!(
        spans(&corpus),
        [
            span("x", 0, 7, "ASA"),
            span("x", 8, 11, "Use"),
            span("x", 8, 11, "Frame"),
            span("x", 12, 16, "Sign"),
            span("x", 12, 16, "Site"),
        ]
    );
    assert_eq!(problems(&corpus), [("relation", 2), ("layers", 1), ("equivalence", 1)]);
    let listed = corpus.problems.by_kind();
    let layers = listed.iter().find(|(kind, ..)| kind.name() == "layers").unwrap();
    assert_eq!(
        layers.2[0].found,
        "1 Drug (label: substance), 3 Problem (label: value), 1 Frame; not read: 3 POS"
    );
    let attributes = &corpus.detail(&corpus.spans[3]).unwrap().more.as_ref().unwrap().attributes;
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(*attributes, [pair("layer", "Problem"), pair("negated", "true")]);
    assert_eq!(corpus.relations.len(), 1);
    assert_eq!(corpus.relations[0].label, "helps");
    assert_eq!(
        corpus.relations[0].arguments,
        [("source".to_owned(), Argument::Span(1)), ("target".to_owned(), Argument::Span(4))]
    );
}

#[test]
fn a_folder_a_document_is_an_export_of_annotators() {
    let file = |label: &str| format!("{NER}#Text=Hello\n1-1\t0-5\tHello\t*\t{label}\t\n");
    let (a, b, c) = (file("A"), file("B"), file("C"));
    let (a, b, c) = (a.as_bytes(), b.as_bytes(), c.as_bytes());
    let corpus = read(&[("p/annotation/n1.txt/ann.tsv", a), ("p/annotation/n1.txt/ben.tsv", b)]);
    assert_eq!(spans(&corpus), [span("n1", 0, 5, "A")]);
    assert_eq!(problems(&corpus), [("other_annotator", 1)]);
    let corpus = read(&[
        ("p/annotation/n1.txt/ann.tsv", a),
        ("p/annotation/n2.txt/ann.tsv", b),
        ("p/curation/n1.txt/CURATION_USER.tsv", c),
    ]);
    assert_eq!(spans(&corpus), [span("n2", 0, 5, "B"), span("n1", 0, 5, "C")]);
    assert_eq!(problems(&corpus), [("other_annotator", 1)]);
    let corpus = read(&[("n1.txt/ann.tsv", a)]);
    assert_eq!(spans(&corpus), [span("n1", 0, 5, "A")]);
    let corpus = read(&[("set/a.tsv", a), ("set/b.tsv", b)]);
    assert_eq!(spans(&corpus), [span("a", 0, 5, "A"), span("b", 0, 5, "B")]);
}

#[test]
fn faults_are_listed_with_their_lines_and_without_text() {
    let corpus = tsv(concat!(
        "#Text=Secret pain\n",
        "1-1\t0-x\tSecret\t*\tA\t\n",
        "1-2\t7-11\tpain\t*\n",
        "Secret line\n",
        "1-2\t7-11\tpain\t*\tB\t\n",
        "\n",
        "#Text=Secret end",
    ));
    assert_eq!(spans(&corpus), [span("x", 7, 11, "B")]);
    assert_eq!(problems(&corpus), [("bad_record", 3), ("bad_span", 1)]);
    let listed: Vec<(u64, String)> = corpus
        .problems
        .by_kind()
        .iter()
        .flat_map(|(_, _, list)| list.iter().map(|p| (p.place.line, p.found.clone())))
        .collect();
    assert_eq!(listed.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [7, 8, 11, 6]);
    assert!(listed[2].1.contains("the file looks cut off"), "{}", listed[2].1);
    assert!(listed.iter().all(|(_, found)| !found.contains("Secret") && !found.contains("pain")));
    let corpus = tsv("1-1\t0-4\tPain\t*\tA\t\n");
    assert_eq!(problems(&corpus), [("text_unusable", 1), ("not_converted", 1)]);
    assert_eq!(spans(&corpus), [span("x", 0, 4, "A")]);
}

#[test]
fn a_cut_keeps_what_stands_before_it() {
    let file = tsv_of(&Doc {
        id: "x".into(),
        text: "Ab 😖 naïve\n\"q\" <b>\n日本 5µg".into(),
        spans: vec![
            (vec![(0, 4)], "drug".into()),
            (vec![(5, 10)], "a_b".into()),
            (vec![(11, 21)], "X".into()),
        ],
    });
    every_prefix("x.tsv", file.as_bytes(), &[], &[file.len()]);
    let cut = file.rfind("µg\t").unwrap();
    let corpus = read(&[("x.tsv", &file.as_bytes()[..cut])]);
    assert_eq!(problems(&corpus), [("bad_record", 2)]);
}

/// Writes a document as WebAnno does: a sentence a line of the text, tokens between white space, an annotation
/// in the columns of every token it touches.
fn tsv_of(doc: &Doc) -> String {
    let escape = |value: &str| -> String {
        let mut out = String::new();
        for c in value.chars() {
            if matches!(c, '\\' | '[' | ']' | '|' | '_' | ';' | '*') {
                out.push('\\');
            }
            out.push(c);
        }
        out
    };
    let wide = |range| doc.range(range, char::len_utf16);
    let mut out = NER.trim_end().to_owned() + "\n\n";
    let chars: Vec<char> = doc.text.chars().collect();
    let (mut at, mut sentence) = (0, 0);
    for line in doc.text.split('\n') {
        let start = at;
        let end = at + line.chars().count();
        at = end + 1;
        // WebAnno's sentences have no white space at their edges.
        let Some(first) = (start..end).find(|&at| !chars[at].is_whitespace()) else { continue };
        let last = (first..end).rev().find(|&at| !chars[at].is_whitespace()).unwrap() + 1;
        sentence += 1;
        let text: String = chars[first..last].iter().collect();
        out.push_str(&format!("\n#Text={}\n", text.replace('\\', "\\\\")));
        let (mut from, mut token) = (first, 0);
        while from < last {
            let to = (from..last).find(|&at| chars[at].is_whitespace()).unwrap_or(last);
            if to > from {
                token += 1;
                let word: String = chars[from..to].iter().collect();
                let here: Vec<(usize, &String)> = doc
                    .spans
                    .iter()
                    .enumerate()
                    .filter(|(_, (list, _))| list[0].0 < to as i64 && list[0].1 > from as i64)
                    .map(|(number, (_, label))| (number + 1, label))
                    .collect();
                let cell = |value: &dyn Fn(&str) -> String| -> String {
                    let list: Vec<String> =
                        here.iter().map(|(number, label)| format!("{}[{number}]", value(label))).collect();
                    if list.is_empty() { "_".into() } else { list.join("|") }
                };
                let (begin, stop) = wide((from as i64, to as i64));
                out.push_str(&format!(
                    "{sentence}-{token}\t{begin}-{stop}\t{word}\t{}\t{}\t\n",
                    cell(&|_| "*".into()),
                    cell(&|label| escape(label))
                ));
            }
            from = to + 1;
        }
    }
    out
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(docs in common::docs(true, 1)) {
        let files: Vec<(String, String)> =
            docs.iter().map(|doc| (format!("{}.tsv", doc.id), tsv_of(doc))).collect();
        let given: Vec<(&str, &[u8])> =
            files.iter().map(|(name, file)| (name.as_str(), file.as_bytes())).collect();
        let corpus = read(&given);
        let found = as_docs(&corpus);
        for (read, mut written) in found.into_iter().zip(docs) {
            // The file has neither the white space before a line break nor what follows it.
            let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert_eq!(squeeze(&read.text), squeeze(&written.text));
            prop_assert_eq!(read.text.chars().count(), written.text.chars().count());
            // Annotations are met in the order of the rows.
            written.spans.sort_by_key(|(list, _)| list[0].0);
            prop_assert_eq!(read.spans, written.spans);
        }
        prop_assert_eq!(problems(&corpus), []);
    }

    #[test]
    fn damaged_files_are_read_without_panic(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)
    ) {
        for (name, file) in [("x.tsv", LAYERS.as_bytes())] {
            let mut bytes = file.to_vec();
            for (at, byte) in &edits {
                let at = at.index(bytes.len());
                // Half of the edits take a byte of the file itself, so that structure is met more often.
                bytes[at] = if byte % 2 == 0 { file[*byte as usize * 7 % file.len()] } else { *byte };
            }
            read(&[(name, &bytes)]);
        }
    }
}
