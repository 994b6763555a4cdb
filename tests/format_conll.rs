//! CoNLL columns: layouts, schemes, documents, problems.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod common;

use clinscore::corpus::{Corpus, Role, TextKind};
use clinscore::formats::Choices;
use proptest::prelude::*;

use common::{as_docs, problems, read, read_with, spans, text};

fn span(document: &str, start: i64, end: i64, label: &str) -> (String, i64, i64, String) {
    (document.to_owned(), start, end, label.to_owned())
}

fn one(file: &str) -> Corpus {
    read(&[("x.tsv", file.as_bytes())])
}

fn scheme(corpus: &Corpus) -> (&'static str, u64) {
    let tagging = corpus.files[0].tagging.as_ref().unwrap();
    (tagging.scheme, tagging.ill_formed)
}

fn tokens(corpus: &Corpus, document: usize) -> Vec<String> {
    let mut reader = clinscore::corpus::text::TextReader::new(corpus);
    reader.tokens(&corpus.documents[document]).unwrap().unwrap()
}

#[test]
fn a_sentence_is_a_document_where_the_file_says_no_more() {
    let corpus = one("Torsade\tB-Disease\nde\tI-Disease\npointes\tI-Disease\n\nin\tO\nrats\tO\n");
    assert_eq!(corpus.files[0].format, Some("conll"));
    assert_eq!(spans(&corpus), [span("#1", 0, 18, "Disease")]);
    assert_eq!(text(&corpus, 0).unwrap(), "Torsade de pointes");
    assert_eq!(text(&corpus, 1).unwrap(), "in rats");
    assert_eq!(tokens(&corpus, 0), ["Torsade", "de", "pointes"]);
    assert_eq!((corpus.records, corpus.documents[1].line), (2, 5));
    assert_eq!(corpus.documents[0].text_kind, TextKind::Tokens);
    assert!(!corpus.documents[0].has_id);
    assert_eq!(scheme(&corpus), ("IOB2", 0));
    assert_eq!(problems(&corpus), []);
}

#[test]
fn separators_and_what_tokens_hold() {
    // Tabs: tokens may hold spaces, non-breaking ones too; the file ends without a line break.
    let corpus = one("5 mg\tB-dose\nof\u{a0}it\tI-dose\r\n#\tO\n#1\tB-drug");
    assert_eq!(tokens(&corpus, 0), ["5 mg", "of\u{a0}it", "#", "#1"]);
    assert_eq!(spans(&corpus), [span("#1", 0, 10, "dose"), span("#1", 13, 15, "drug")]);
    // Spaces: runs of them, trailing ones, a byte-order mark, CRLF, a non-breaking space inside a token.
    let file = "\u{FEFF}of\u{a0}it   B-dose \r\n# O\r\n\r\n#  O  \r\n. O\r\n";
    let corpus = one(file);
    assert_eq!(tokens(&corpus, 0), ["of\u{a0}it", "#"]);
    assert_eq!(tokens(&corpus, 1), ["#", "."]);
    assert_eq!(spans(&corpus), [span("#1", 0, 5, "dose")]);
    // A token with spaces where spaces separate.
    let corpus = one("5 mg B-dose\nof O\nit O\n");
    assert_eq!(tokens(&corpus, 0), ["5 mg", "of", "it"]);
    // Old Macs.
    let corpus = one("a\tB-x\rb\tI-x\r\rc\tO\r");
    assert_eq!(spans(&corpus), [span("#1", 0, 3, "x")]);
    assert_eq!(text(&corpus, 1).unwrap(), "c");
    assert_eq!(tokens(&corpus, 1), ["c"]);
}

#[test]
fn comments_are_no_tokens_and_ids_are_read() {
    let file = "# global.columns = FORM NER\n# id = d1\n# text = # O\n#\tO\naspirin\tB-drug\n\nno\tO\n# note\n\n# id = d2\nno\tO\n";
    let corpus = one(file);
    assert_eq!(spans(&corpus), [span("d1", 2, 9, "drug")]);
    assert_eq!(text(&corpus, 0).unwrap(), "# aspirin\nno");
    assert_eq!((corpus.documents[1].id.as_str(), corpus.documents[1].line), ("d2", 11));
    assert_eq!(problems(&corpus), [("comment", 3)]);
    // A token is no id.
    let corpus = one("#id\tO\naspirin\tB-drug\n\n#id\tO\n");
    assert_eq!((corpus.documents.len(), corpus.documents[0].has_id), (2, false));
    // An id before every sentence of a document; a space between key and value.
    let file = "# doc_id: d1\na O\nb B-x\n\n# doc_id: d1\nc I-x\nd O\n\n# id d2\te=f\ne O\n";
    let corpus = one(file);
    assert_eq!(text(&corpus, 0).unwrap(), "a b\nc d");
    assert_eq!(spans(&corpus), [span("d1", 2, 3, "x"), span("d1", 4, 5, "x")]);
    assert_eq!(corpus.documents[1].id, "d2");
}

#[test]
fn docstart_begins_documents() {
    let file = "-DOCSTART- -X- -X- O\n\nEU NNP B-NP B-ORG\nlamb NN I-NP O\n\nnow RB B-ADVP O\n\n-DOCSTART- (947 x)\n\na NN B-NP I-ORG\n\n-DOCSTART- d3\n";
    let corpus = one(file);
    assert!(!corpus.files[0].both_sides, "chunks are no gold tags");
    assert_eq!(text(&corpus, 0).unwrap(), "EU lamb\nnow");
    assert_eq!(spans(&corpus), [span("#1", 0, 2, "ORG"), span("947 x", 0, 1, "ORG")]);
    let ids: Vec<_> = corpus.documents.iter().map(|d| (d.id.as_str(), d.has_id)).collect();
    assert_eq!(ids, [("#1", false), ("947 x", true), ("d3", true)]);
    assert_eq!(corpus.files[0].reason, "first line is -DOCSTART- (99 % sure)");
}

#[test]
fn columns_behind_the_id_of_a_docstart() {
    let file = "-DOCSTART- (B1)\n\na B-x\n\n-DOCSTART- (B2) O\n\nb O\n\n-DOCSTART-\t(B3)\tO\n\nc O\n\n-DOCSTART- (B (4)) -X- O\n\nd O\n\n-DOCSTART- () O\n\ne O\n";
    let corpus = one(file);
    let ids: Vec<_> = corpus.documents.iter().map(|d| (d.id.as_str(), d.has_id)).collect();
    assert_eq!(ids, [("B1", true), ("B2", true), ("B3", true), ("B (4)", true), ("#1", false)]);
}

#[test]
fn files_of_a_folder_are_documents() {
    let corpus = read(&[
        ("gold/a.bio", b"He\tO\ndenied\tO\n\nfever\tB-problem\n"),
        ("gold/b.bio", b"No\tO\nfever\tB-problem\n"),
    ]);
    assert_eq!(spans(&corpus), [span("a", 10, 15, "problem"), span("b", 3, 8, "problem")]);
    assert_eq!(text(&corpus, 0).unwrap(), "He denied\nfever");
    let corpus = read(&[
        ("gold/a.bio", b"-DOCSTART- O\n\na\tB-x\n\n-DOCSTART- O\nb\tB-x\n"),
        ("gold/b.bio", b"No\tO\nfever\tB-problem\n"),
    ]);
    let ids: Vec<_> = corpus.documents.iter().map(|d| d.id.as_str()).collect();
    assert_eq!(ids, ["a", "a#2", "b"]);
}

#[test]
fn schemes() {
    for (tags, name, ill_formed, found) in [
        ("I-x I-x B-x O I-y", "IOB1", 0, &["0-3 x", "4-5 x", "8-9 y"][..]),
        ("B-x I-x O I-y B-y", "IOB2", 1, &["0-3 x", "6-7 y", "8-9 y"]),
        ("B-x I-x E-x S-y B-y", "IOBES", 1, &["0-5 x", "6-7 y", "8-9 y"]),
        ("B-x I-x L-x U-y O", "BILOU", 0, &["0-5 x", "6-7 y"]),
        ("B-x M-x E-x W-y O", "BMEWO", 0, &["0-5 x", "6-7 y"]),
        ("I-x I-x O I-y I-x", "IO", 0, &["0-3 x", "6-7 y", "8-9 x"]),
        ("I-x E-x O E-y O", "IOE2", 0, &["0-3 x", "6-7 y"]),
        ("B I O O B", "IOB2, without labels", 0, &["0-3 _", "8-9 _"]),
        ("x-B x-I O y-1-B O", "IOB2, label first", 0, &["0-3 x", "6-7 y-1"]),
        ("x x O y O O O", "IO", 0, &["0-3 x", "6-7 y"]),
        ("O O O O O", "O", 0, &[]),
    ] {
        let rows: Vec<String> = tags.split(' ').map(|tag| format!("t\t{tag}\n")).collect();
        let corpus = one(&rows.concat());
        assert_eq!(scheme(&corpus), (name, ill_formed), "{tags}");
        let shown: Vec<String> =
            spans(&corpus).into_iter().map(|(_, s, e, label)| format!("{s}-{e} {label}")).collect();
        assert_eq!(shown, found, "{tags}");
        assert_eq!(corpus.problems.count(clinscore::corpus::problems::Kind::IllFormedTags), ill_formed);
    }
}

#[test]
fn json_tags_are_read_alike() {
    let json = r#"{"id":"1","tokens":["a","b"],"ner_tags":["B-x","I-x"]}
{"id":"2","tokens":["a","b"],"ner_tags":["I-x","foo"]}"#;
    let corpus = read(&[("x.jsonl", json.as_bytes())]);
    assert_eq!(spans(&corpus), [span("1", 0, 3, "x"), span("2", 0, 1, "x")]);
    assert_eq!(scheme(&corpus), ("IOB2", 1));
    assert_eq!(problems(&corpus), [("bad_span", 1), ("ill_formed_tags", 1)]);
    assert_eq!(corpus.problems.by_kind()[1].2[0].place.line, 2);
}

#[test]
fn two_tag_columns_are_gold_and_prediction() {
    let file = b"Torsade NN B-D B-D\nde NN I-D O\npointes NN I-D O\n\nin IN O B-D\n";
    let gold = read(&[("x.txt", file)]);
    assert!(gold.files[0].both_sides);
    assert_eq!(spans(&gold), [span("#1", 0, 18, "D")]);
    let choices = Choices { role: Role::Prediction, ..Choices::default() };
    let pred = read_with(&[("x.txt", file)], &choices);
    assert_eq!(spans(&pred), [span("#1", 0, 7, "D"), span("#2", 0, 2, "D")]);
    let report = common::score(&[("x.txt", file)], &[("x.txt", file)], &clinscore::Options::default());
    let strict = &report.systems[0].spans.as_ref().unwrap().overall.strict;
    assert_eq!((strict.correct, strict.incorrect + strict.spurious, strict.possible), (0, 2, 1));
}

#[test]
fn a_score_may_follow_the_tag() {
    let corpus = one("take\tO\t0.99\naspirin\tB-drug\t0.5\nnow\tI-drug\t1\n");
    assert_eq!(spans(&corpus), [span("#1", 5, 16, "drug")]);
    let score = corpus.detail(&corpus.spans[0]).unwrap().score;
    assert_eq!(score, Some(0.75));
}

#[test]
fn what_models_add_is_left_out() {
    let file = "[CLS] O\nhead B-x\n##ache X\n## O\nnow -100\n[SEP] O\n";
    let corpus = one(file);
    assert_eq!(tokens(&corpus, 0), ["headache", "##", "now"]);
    assert_eq!(spans(&corpus), [span("#1", 0, 8, "x")]);
    assert_eq!(problems(&corpus), [("placeholder", 3)]);
    // Without any of these, ## is text.
    let corpus = one("plan\tO\n##CHF\tB-x\n");
    assert_eq!(tokens(&corpus, 0), ["plan", "##CHF"]);
}

#[test]
fn nersuite_columns() {
    // Tag first, as it trains.
    let file = "O\t60\t62\tby\tby\tIN\tB-PP\nB-GGP\t63\t74\tinterleukin\tinterleukin\tNN\tB-NP\nI-GGP\t74\t75\t-\t-\tHYPH\tB-NP\n";
    let corpus = one(file);
    assert_eq!(tokens(&corpus, 0), ["by", "interleukin", "-"]);
    assert_eq!(spans(&corpus), [span("#1", 3, 16, "GGP")]);
    // Tag last, as it tags; six columns.
    let file = "60\t62\tby\tby\tIN\tO\n63\t74\tinterleukin\tinterleukin\tNN\tB-GGP\n";
    let corpus = one(file);
    assert_eq!(spans(&corpus), [span("#1", 3, 14, "GGP")]);
    // Numbered tokens.
    let corpus = one("1\tby\tO\n2\tinterleukin\tB-GGP\n\n1\tno\tO\n");
    assert_eq!(tokens(&corpus, 0), ["by", "interleukin"]);
}

#[test]
fn rows_that_cannot_be_read_are_listed() {
    let file =
        "aspirin\tB-drug\nsecret\n\tO\nheparin\tdrug\nmore\tO\nx\tO\nx\tO\nx\tO\nx\tO\nx\tO\nx\tO\nsecr";
    let corpus = one(file);
    assert_eq!(problems(&corpus), [("bad_record", 3), ("bad_span", 1)]);
    let groups = corpus.problems.by_kind();
    let lines: Vec<u64> = groups[0].2.iter().map(|problem| problem.place.line).collect();
    assert_eq!(lines, [2, 3, 13 - 1]);
    assert!(groups[0].2[2].found.ends_with("; the file looks cut off"));
    assert_eq!(groups[1].2[0].place.line, 4);
    assert!(!format!("{:?}", corpus.problems).contains("secr"));
    assert!(!format!("{:?}", corpus.problems).contains("heparin"));
    let corpus = one("aspirin\tB-drug\nfor\tO\n\npain\tI-dru");
    assert_eq!(spans(&corpus), [span("#1", 0, 7, "drug")]);
    assert_eq!(problems(&corpus), [("bad_record", 1)]);
}

#[test]
fn an_ill_formed_entity_is_listed_by_line() {
    let corpus = one("a\tB-x\n\nb\tO\nc\tI-x\nd\tI-x\n");
    assert_eq!(problems(&corpus), [("ill_formed_tags", 1)]);
    let problem = corpus.problems.by_kind()[0].2[0];
    assert_eq!(
        (problem.place.line, problem.expected.as_str()),
        (4, "IOB2: B- opens an entity, I- goes on with it")
    );
    assert!(corpus.detail(&corpus.spans[1]).unwrap().ill_formed);
    assert!(corpus.detail(&corpus.spans[0]).is_none());
}

#[test]
fn detection() {
    let format = |file: &str| one(file).files[0].format;
    assert_eq!(format("a\tB-x\n"), Some("conll"));
    assert_eq!(format("No\tO\nfindings\tO\n"), Some("conll"));
    assert_eq!(format("Severe O\nmigraine B\n"), Some("conll"));
    assert_eq!(format("He was here\nand said O\n"), None);
    assert_eq!(format("id\tstart\tend\tlabel\n1\t0\t4\tdrug\n"), Some("span-table"));
    assert_eq!(format("T1\tDrug 0 4\tO\n"), Some("brat"));
    assert_eq!(format(r#"{"id": "B-x"}"#), Some("json"));
    assert_eq!(read(&[("x.conll", b"")]).files[0].format, Some("conll"));
}

#[test]
fn cut_at_every_byte() {
    let sentences =
        ["take\tO\n5 mg\tB-dose\nµg\tI-dose\n\n", "a\tB-drug\nb\tI-drug\n\n", "c\tO\nd\tB-drug\n"];
    let file = sentences.concat();
    let mut end = 0;
    let ends: Vec<usize> = sentences
        .iter()
        .map(|sentence| {
            end += sentence.len();
            end - usize::from(sentence.ends_with("\n\n"))
        })
        .collect();
    common::every_prefix("x.tsv", file.as_bytes(), &[], &ends);
    let file = "-DOCSTART- (d1)\n\na B-x O\nb I-x O\n\n-DOCSTART- (d2)\n\nc O B-x\n";
    common::every_prefix("x.txt", file.as_bytes(), &[], &[32, file.len()]);
}

#[test]
fn real_files() {
    let Some(shared) = common::shared() else { return };
    let file = |name: &str| std::fs::read(shared.join("data/iob").join(name)).unwrap();
    let iob2 = read(&[("x", &file("BC5CDR.iob2.tsv"))]);
    let iobes = read(&[("x", &file("BC5CDR.iobes.tsv"))]);
    assert_eq!((scheme(&iob2), scheme(&iobes)), (("IOB2", 0), ("IOBES", 0)));
    assert_eq!(spans(&iob2), spans(&iobes));
    assert_eq!((problems(&iob2), problems(&iobes)), (vec![], vec![]));
    let ncbi = read(&[("x", &file("NCBI-disease.iob2.tsv"))]);
    assert_eq!((ncbi.spans.len(), scheme(&ncbi)), (960, ("IOB2", 0)));
    assert_eq!(problems(&ncbi), []);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(shared.join("data/llm-mtsamples/gold")).unwrap() {
        let path = entry.unwrap().path();
        files.push((path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(&path).unwrap()));
    }
    files.sort();
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])).collect();
    let corpus = read(&files);
    assert_eq!(corpus.documents.len(), 201);
    // As many as a reader of one's own finds: a B, or an I that opens.
    let mut expected = 0;
    for (_, bytes) in files {
        let mut before = "O".to_owned();
        for line in std::str::from_utf8(bytes).unwrap().lines() {
            let tag = line.rsplit('\t').next().filter(|_| !line.trim().is_empty()).unwrap_or("O").to_owned();
            let goes_on = tag.starts_with("I-") && before.get(1..) == tag.get(1..);
            expected += usize::from(tag != "O" && !goes_on);
            before = tag;
        }
    }
    assert_eq!(corpus.spans.len(), expected);
    assert_eq!(as_docs(&corpus).len(), 201);
}

#[test]
fn tags_are_decoded_as_seqeval_decodes_them() {
    use clinscore::formats::tags::{Inventory, Scheme, decode};
    #[derive(serde::Deserialize)]
    struct Golden {
        scheme: String,
        tags: Vec<String>,
        lenient: Vec<(usize, usize, String)>,
        strict: Vec<(usize, usize, String)>,
    }
    let mut compared = 0;
    for line in include_str!("fixtures/formats/conll/seqeval.jsonl").lines() {
        let golden: Golden = serde_json::from_str(line).unwrap();
        let tags: Vec<&str> = golden.tags.iter().map(String::as_str).collect();
        let (chunks, unknown) = decode(&tags, &mut Inventory::default());
        assert_eq!(unknown, 0, "{line}");
        let (scheme, _) = Scheme::of(&golden.scheme).unwrap();
        let all: Vec<_> = chunks.iter().map(|c| (c.start, c.end, c.label.to_owned())).collect();
        assert_eq!(all, golden.lenient, "{line}");
        let strict: Vec<_> = chunks
            .iter()
            .filter(|c| scheme.accepts(&c.shape))
            .map(|c| (c.start, c.end, c.label.to_owned()))
            .collect();
        // Under IOB1 and IOE1, seqeval's strict mode also makes entities of parts of ill-formed ones (its own
        // comment says that IOE1 cannot handle some cases); no lenient reader has these.
        let known: Vec<_> =
            golden.strict.iter().filter(|span| golden.lenient.contains(span)).cloned().collect();
        assert!(
            matches!(scheme, Scheme::Iob1 | Scheme::Ioe1) || known.len() == golden.strict.len(),
            "{line}"
        );
        assert_eq!(strict, known, "{line}");
        compared += 1;
    }
    assert_eq!(compared, 960);
}

/// Scores bytes; (TP, FP, FN) of exact bounds and label, and the system.
fn exact(gold: &[(&str, &[u8])], pred: &[(&str, &[u8])]) -> ((u64, u64, u64), clinscore::report::System) {
    let report = common::score(gold, pred, &clinscore::Options::default());
    let system = report.systems[0].clone();
    let strict = &system.spans.as_ref().unwrap_or_else(|| panic!("{:?}", system.failure)).overall.strict;
    ((strict.correct, strict.actual - strict.correct, strict.possible - strict.correct), system)
}

fn groups(system: &clinscore::report::System) -> Vec<(&'static str, u64)> {
    system.side.problems.iter().map(|group| (group.kind, group.count)).collect()
}

#[test]
fn case_07_i_without_b() {
    let gold = b"Gave\tO\naspirin\tB-drug\nand\tO\nlow\tB-drug\ndose\tI-drug\nheparin\tI-drug\n.\tO\n";
    let pred = b"Gave\tO\naspirin\tI-drug\nand\tO\nlow\tO\ndose\tI-drug\nheparin\tI-drug\n.\tO\n";
    let (counts, system) = exact(&[("gold.tsv", gold)], &[("pred.tsv", pred)]);
    assert_eq!(counts, (1, 1, 1));
    assert_eq!(system.pairing.by, "text");
    assert_eq!(groups(&system), [("ill_formed_tags", 2)]);
    let lines: Vec<u64> = system.side.problems[0].items.iter().map(|item| item.line.unwrap()).collect();
    assert_eq!(lines, [2, 5]);
}

#[test]
fn case_08_tags_without_type() {
    let gold = one("Severe\tO\nmigraine\tB-Disease\nheadache\tI-Disease\n.\tO\n");
    let pred = read(&[("pred.txt", b"Severe O\nmigraine B\nheadache I\n. O\n")]);
    assert_eq!(spans(&gold), [span("#1", 7, 24, "Disease")]);
    assert_eq!(spans(&pred), [span("#1", 7, 24, "_")]);
    assert_eq!(scheme(&pred).0, "IOB2, without labels");
}

#[test]
fn case_11_truncated_and_resplit() {
    let gold = b"Patient\tO\nhas\tO\nacute\tB-c\nrenal\tI-c\nfailure\tI-c\nand\tO\ngout\tB-c\n\nNo\tO\nfever\tB-c\n.\tO\n";
    let pred = b"Patient O\nhas O\nacute B-c\nrenal I-c\n\nfailure I-c\nand O\n\nNo O\nfever B-c\n. O\n";
    let (counts, system) = exact(&[("gold.tsv", gold)], &[("pred.txt", pred)]);
    assert_eq!(counts, (2, 0, 1));
    assert_eq!((system.pairing.by, system.pairing.both), ("text", 2));
    assert_eq!(groups(&system), [("tokens_not_predicted", 1), ("sentences_split", 1)]);
    let found = |at: usize| system.side.problems[at].items[0].found.as_str();
    assert_eq!(found(0), "1 of 7 tokens of gold's sentence 1 have no prediction");
    assert_eq!(found(1), "1 extra sentence breaks inside gold's sentence 1");
    // The same where both sides have ids: files of a folder.
    let gold = [("g/a.bio", &gold[..]), ("g/b.bio", &b"a\tO\n"[..])];
    let pred = [("p/a.bio", &pred[..]), ("p/b.bio", &b"a\tO\n"[..])];
    let (counts, system) = exact(&gold, &pred);
    assert_eq!((counts, system.pairing.by), ((2, 0, 1), "id"));
    assert_eq!(groups(&system), [("tokens_not_predicted", 1), ("sentences_split", 1)]);
}

#[test]
fn case_20_no_gold_entities() {
    let gold = b"No\tO\nfindings\tO\n";
    let (counts, system) = exact(&[("gold.tsv", gold)], &[("pred.tsv", b"No\tO\nfindings\tB-c\n")]);
    assert_eq!(counts, (0, 1, 0));
    assert_eq!(groups(&system), []);
}

#[test]
fn other_orders_and_missing_sentences() {
    let gold = b"the\tO\npain\tB-c\n\nno\tO\nfever\tB-c\nnow\tO\n\ngout\tB-c\n\nhe\tO\nis\tO\nwell\tO\n";
    // The last sentence first, the third one missing, the second one in pieces, one that gold does not have.
    let pred = b"he O\nis O\nwell B-c\n\nthe O\npain B-c\n\nfoo B-c\nbar O\n\nno O\nfever B-c\n\nnow O\n";
    let (counts, system) = exact(&[("gold.tsv", gold)], &[("pred.txt", pred)]);
    assert_eq!(counts, (2, 1, 1));
    assert_eq!(groups(&system), [("sentences_split", 1), ("sentences_reordered", 1)]);
    assert_eq!(system.pairing.gold_only, ["#3"]);
    assert_eq!(system.pairing.predicted_only, ["#3"]);
}

#[test]
fn lists_of_tags_take_golds_tokens() {
    let gold = b"no\tO\nfever\tB-c\n\nacute\tB-c\npain\tI-c\n.\tO\n\nno\tO\n";
    let pred = b"['O', 'B-c']\n['B-c', 'I-c']\n['O', 'B-c']\n";
    let corpus = read(&[("test_predictions.txt", pred)]);
    assert_eq!((corpus.files[0].format, corpus.records), (Some("conll"), 3));
    let (counts, system) = exact(&[("g", gold)], &[("test_predictions.txt", pred)]);
    assert_eq!((counts, system.pairing.by), ((2, 0, 0), "text"));
    assert_eq!(groups(&system), [("tokens_not_predicted", 1), ("tokens_not_in_gold", 1)]);
    let report = common::score(&[("g", gold)], &[("p", b"['O']\n['B-c', ")], &clinscore::Options::default());
    let groups = groups(&report.systems[0]);
    assert_eq!(groups, [("bad_record", 2)]);
}

#[test]
fn schemes_may_differ_between_the_sides() {
    let gold = b"a\tB-x\nb\tI-x\n\nc\tO\nd\tB-y\n";
    for pred in
        ["a B-x\nb E-x\nc O\nd S-y\n", "a I-x\nb I-x\n\nc O\n\nd I-y\n", "a B-x\nb L-x\n\nc O\nd U-y\n"]
    {
        assert_eq!(exact(&[("g", gold)], &[("p", pred.as_bytes())]).0, (2, 0, 0), "{pred}");
    }
}

#[test]
fn documents_of_gold_and_sentences_of_predictions() {
    let gold = b"-DOCSTART- (d1)\n\ntake\tO\naspirin\tB-drug\n\nno\tO\nfever\tB-c\n\n-DOCSTART- (d2)\n\nno\tO\nfever\tB-c\n";
    let pred = b"take O\naspirin B-drug\n\nno O\nfever O\n\nno O\nfever B-c\n";
    let (counts, system) = exact(&[("g", gold)], &[("p", pred)]);
    assert_eq!((counts, system.pairing.by, system.pairing.both), ((2, 0, 1), "text", 2));
    assert_eq!(groups(&system), []);
}

#[test]
fn tokens_into_texts_and_texts_onto_tokens() {
    let gold = br#"{"id":"a","text":"Take aspirin, now.\nNo fever.","entities":[[5,12,"drug"],[22,27,"c"]]}
{"id":"b","text":"Acute renal failure","entities":[[0,19,"c"]]}"#;
    let pred =
        b"Take O\naspirin B-drug\n, O\nnow O\n\nNo O\nfever B-c\n. O\n\nAcute O\nrenal B-c\nfailure I-c\n";
    let (counts, system) = exact(&[("g.jsonl", gold)], &[("p.txt", pred)]);
    assert_eq!((counts, system.pairing.by, system.pairing.both), ((2, 1, 1), "text", 2));
    assert!(system.pairing.predicted_only.is_empty());
    let gold = b"Take\tO\naspirin\tB-drug\n,\tO\nnow\tO\n\nNo\tO\nfever\tB-c\n\nAcute\tB-c\npain\tI-c\n";
    let pred = br#"{"text":"No  fever","entities":[[4,9,"c"]]}
{"text":"Take aspirin, now","entities":[[5,12,"drug"]]}
{"text":"Acute pain","entities":[[6,10,"c"]]}"#;
    let (counts, system) = exact(&[("g.tsv", gold)], &[("p.jsonl", pred)]);
    assert_eq!((counts, system.pairing.by, system.pairing.both), ((2, 1, 1), "text", 3));
    // Ids win.
    let gold = br#"{"id":"a","text":"a b","entities":[[0,1,"x"]]}
{"id":"b","text":"a b","entities":[]}"#;
    let pred = b"# id = b\na O\nb O\n\n# id = a\na B-x\nb O\n";
    let (counts, system) = exact(&[("g.jsonl", gold)], &[("p.txt", pred)]);
    assert_eq!((counts, system.pairing.by), ((1, 0, 0), "id"));
}

#[test]
fn sentences_find_their_texts_in_any_order() {
    let gold = br#"{"id":"a","text":"Take aspirin, now.\nNo fever.","entities":[[5,12,"drug"],[22,27,"c"]]}
{"id":"b","text":"Acute renal failure today","entities":[[0,19,"c"]]}
{"id":"c","text":"Nothing else to say.","entities":[]}
{"id":"d","text":"No fever. Na\u00efve to heparin.","entities":[[3,8,"c"],[19,26,"drug"]]}"#;
    // The last document first, a sentence cut short, one that is not gold's, the same one twice.
    let pred = b"No O\nfever B-c\n. O\n\nNa\xc3\xafve O\nto O\nheparin B-drug\n. O\n\nAcute B-c\nrenal I-c\nfailure I-c\n\n\
        Quite O\nanother B-c\nsentence O\n\nTake O\naspirin B-drug\n, O\nnow O\n. O\n\nNo O\nfever B-c\n. O\n";
    let (counts, system) = exact(&[("g.jsonl", gold)], &[("p.txt", pred)]);
    assert_eq!((counts, system.pairing.by, system.pairing.both), ((5, 0, 0), "text", 3));
    assert_eq!(system.pairing.gold_only.len(), 1);
    assert!(system.pairing.predicted_only.is_empty());
    assert_eq!(groups(&system), [("tokens_not_in_gold", 1), ("sentences_reordered", 1)]);
    let lines: Vec<_> = system.side.problems[0].items.iter().map(|item| item.line).collect();
    assert_eq!(lines, [Some(14)]);
}

#[test]
fn short_sentences_take_no_part_of_others() {
    let gold =
        br#"{"id":"a","text":"Nor did gout come back soon. No gout.","entities":[[8,12,"c"],[32,36,"c"]]}
{"id":"b","text":"Sepsis","entities":[[0,6,"c"]]}"#;
    let pred = b"No O\ngout B-c\n\nSepsis B-c\n\nNor O\ndid O\ngout B-c\ncome O\nback O\nsoon O\n. O\n";
    let (counts, system) = exact(&[("g.jsonl", gold)], &[("p.txt", pred)]);
    assert_eq!((counts, system.pairing.both), ((3, 0, 0), 2));
    let pred = b"Sep B-c\n\nNor O\ndid O\ngout B-c\ncome O\nback O\nsoon O\n. O\n";
    let (counts, system) = exact(&[("g.jsonl", gold)], &[("p.txt", pred)]);
    assert_eq!((counts, system.pairing.both, groups(&system)[0].0), ((1, 0, 2), 1, "tokens_not_in_gold"));
}

#[test]
fn sentences_are_not_paired_with_ids_by_position() {
    let gold = br#"{"id":"a","text":"Take aspirin.","entities":[[5,12,"drug"]]}
{"id":"b","text":"No fever.","entities":[[3,8,"c"]]}
{"id":"c","text":"Gout.","entities":[]}"#;
    let pred = b"Give O\nheparin B-drug\n\nNo O\nfever B-c\n. O\n\nNo O\ncough B-c\n";
    let report = common::score(&[("g.jsonl", gold)], &[("p.txt", pred)], &clinscore::Options::default());
    let failure = report.systems[0].failure.as_ref().unwrap();
    assert_eq!(failure.code, "cannot_pair");
    assert_eq!(
        failure.message,
        "3 sentences of CoNLL columns without document ids: 1 of them occur in gold's texts; \
         add `# doc_id = \u{2026}` or -DOCSTART- lines"
    );
    // Documents that are marked have places, if no ids.
    let pred = b"-DOCSTART-\n\nGive O\nheparin B-drug\n\n-DOCSTART-\n\nNo O\nfever B-c\n\n-DOCSTART-\n\nNo O\ncough O\n";
    let (_, system) = exact(&[("g.jsonl", gold)], &[("p.txt", pred)]);
    assert_eq!((system.pairing.by, system.pairing.both), ("position", 3));
}

#[test]
fn real_sentences_find_their_texts() {
    let Some(shared) = common::shared() else { return };
    let gold = std::fs::read(shared.join("data/ncbi-disease/NCBItestset_corpus.txt")).unwrap();
    let pred = std::fs::read_to_string(shared.join("data/iob/NCBI-disease.iob2.tsv")).unwrap();
    let mut sentences: Vec<&str> = pred.trim_end().split("\n\n").collect();
    for _ in 0..2 {
        let pred = sentences.join("\n\n") + "\n";
        let report =
            common::score(&[("g.txt", &gold)], &[("p.tsv", pred.as_bytes())], &clinscore::Options::default());
        let system = &report.systems[0];
        let exact = &system.spans.as_ref().unwrap_or_else(|| panic!("{:?}", system.failure)).overall.exact;
        assert_eq!((system.pairing.by, system.pairing.both), ("text", 100));
        // 960 entities, as the distribution counts them; its documents are in another order than the texts.
        assert_eq!((exact.correct, exact.actual, exact.possible), (960, 960, 960));
        assert_eq!(groups(system), [("sentences_reordered", 1)]);
        sentences.reverse();
    }
}

#[test]
fn other_texts_do_not_take_long() {
    let Some(shared) = common::shared() else { return };
    let file = |name: &str| std::fs::read(shared.join("data/iob").join(name)).unwrap();
    let (gold, pred) = (file("BC5CDR.iob2.tsv"), file("NCBI-disease.iob2.tsv"));
    let report = common::score(&[("g", &gold)], &[("p", &pred)], &clinscore::Options::default());
    assert!(report.systems[0].pairing.both < 100);
}

#[test]
fn a_real_file_split_and_shuffled_is_aligned() {
    let Some(shared) = common::shared() else { return };
    let gold = std::fs::read_to_string(shared.join("data/iob/BC5CDR.iob2.tsv")).unwrap();
    // Sentences longer than 30 tokens are split, as a length limit does, and every third one of 50 comes first.
    let sentences: Vec<&str> = gold.trim_end().split("\n\n").collect();
    let split = |sentence: &str| {
        let rows: Vec<String> = sentence.lines().map(|row| row.replace('\t', " ")).collect();
        rows.chunks(30).map(|piece| piece.join("\n") + "\n\n").collect::<String>()
    };
    let place = |at: &usize| (at / 50, !at.is_multiple_of(3), *at);
    let mut order: Vec<usize> = (0..sentences.len()).collect();
    order.sort_by_key(place);
    let pred: String = order.iter().map(|&at| split(sentences[at])).collect();
    let (counts, system) = exact(&[("g.tsv", gold.as_bytes())], &[("p.txt", pred.as_bytes())]);
    let all = one(&gold).spans.len() as u64;
    assert_eq!((counts.0, counts.2), (all, 0));
    assert_eq!(counts.1, 0);
    let kinds: Vec<&str> = groups(&system).into_iter().map(|group| group.0).collect();
    assert_eq!(kinds, ["sentences_split", "sentences_reordered"]);
    // Backwards.
    let sentences = &sentences[..800];
    let gold = sentences.join("\n\n") + "\n";
    let all = one(&gold).spans.len() as u64;
    let pred: String = sentences.iter().rev().map(|sentence| split(sentence)).collect();
    assert_eq!(exact(&[("g.tsv", gold.as_bytes())], &[("p.txt", pred.as_bytes())]).0, (all, 0, 0));
}

#[test]
fn files_of_the_formats_own_tools() {
    let drug = |s, e| (s, e, "DRUG");
    let problem = |s, e| (s, e, "PROBLEM");
    let wanted = [
        ("Started aspirin 81 mg for chest pain .", vec![drug(8, 15), (16, 21, "DOSE"), problem(26, 36)]),
        (
            "Naïve to 5 - FU ; no fever , no night sweats .",
            vec![drug(9, 15), problem(21, 26), problem(32, 44)],
        ),
        ("No known allergies .", vec![]),
        ("Acute renal failure ( resolved )", vec![problem(0, 19)]),
    ];
    for (file, name) in [
        (&include_bytes!("fixtures/formats/conll/biluo.tsv")[..], "BILOU"),
        (&include_bytes!("fixtures/formats/conll/iob.tsv")[..], "IOB2"),
    ] {
        let corpus = read(&[("x.tsv", file)]);
        assert_eq!(scheme(&corpus), (name, 0));
        let found = as_docs(&corpus);
        assert_eq!(found.len(), wanted.len());
        for (doc, (text, spans)) in found.iter().zip(&wanted) {
            assert_eq!(doc.text, *text);
            let shown: Vec<_> = doc.spans.iter().map(|(f, l)| (f[0].0, f[0].1, l.as_str())).collect();
            assert_eq!(shown, *spans);
        }
        assert_eq!(problems(&corpus), []);
    }
    // conlleval 0.2: 1 right, 3 gold, 4 predicted.
    let two = &include_bytes!("fixtures/formats/conll/two.txt")[..];
    assert_eq!(exact(&[("two.txt", two)], &[("two.txt", two)]).0, (1, 3, 2));
}

/// Tokens of a sentence, and its entities over them, apart and in order.
type Sentence = (Vec<String>, Vec<(usize, usize, String)>);

/// A random document as sentences: lines of its text, and those of its spans that lie in one line and apart.
fn sentences(doc: &common::Doc) -> Vec<Sentence> {
    let mut out: Vec<Sentence> = vec![(Vec::new(), Vec::new())];
    let (mut starts, mut point) = (Vec::new(), 0);
    for line in doc.text.split('\n') {
        for word in line.split(' ') {
            if !word.is_empty() {
                let number = out.len() - 1;
                starts.push((point, point + word.chars().count() as i64, number, out[number].0.len()));
                out[number].0.push(word.to_owned());
            }
            point += word.chars().count() as i64 + 1;
        }
        out.push((Vec::new(), Vec::new()));
    }
    let mut spans: Vec<_> = doc.spans.iter().map(|(fragments, label)| (fragments[0], label)).collect();
    spans.sort();
    for ((start, end), label) in spans {
        let first = starts.iter().find(|token| token.0 == start).unwrap();
        let last = starts.iter().find(|token| token.1 == end).unwrap();
        let entities = &mut out[first.2].1;
        if first.2 == last.2 && entities.last().is_none_or(|before| before.1 <= first.3) {
            entities.push((first.3, last.3 + 1, label.clone()));
        }
    }
    out.retain(|sentence| !sentence.0.is_empty());
    out
}

/// The tags of a sentence in a scheme.
fn tags(sentence: &Sentence, scheme: &str) -> Vec<String> {
    let mut tags = vec!["O".to_owned(); sentence.0.len()];
    let mut before: Option<(usize, &str)> = None;
    for (start, end, label) in &sentence.1 {
        for (at, tag) in tags.iter_mut().enumerate().take(*end).skip(*start) {
            let touches = before == Some((*start, label.as_str()));
            let prefix = match (scheme, at == *start, at + 1 == *end) {
                ("IOBES", true, true) => "S",
                ("BILOU", true, true) => "U",
                ("IOBES", _, true) => "E",
                ("BILOU", _, true) => "L",
                ("IOB1", true, _) if !touches => "I",
                (_, true, _) => "B",
                _ => "I",
            };
            *tag = format!("{prefix}-{label}");
        }
        before = Some((*end, label));
    }
    tags
}

fn write(sentences: &[Sentence], scheme: &str, between: &str, end: &str) -> String {
    let row = |(token, tag): (&String, String)| format!("{token}{between}{tag}{end}");
    let rows = |s: &Sentence| s.0.iter().zip(tags(s, scheme)).map(row).collect::<String>() + end;
    sentences.iter().map(rows).collect()
}

/// What a reader makes of sentences.
fn expected(sentences: &[Sentence]) -> (String, Vec<(i64, i64, String)>) {
    let (mut text, mut spans) = (String::new(), Vec::new());
    for (number, (tokens, entities)) in sentences.iter().enumerate() {
        text.push_str(if number > 0 { "\n" } else { "" });
        let mut places = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            text.push_str(if at > 0 { " " } else { "" });
            let start = text.chars().count() as i64;
            text.push_str(token);
            places.push((start, text.chars().count() as i64));
        }
        spans.extend(entities.iter().map(|(s, e, label)| (places[*s].0, places[*e - 1].1, label.clone())));
    }
    (text, spans)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_written_is_read_again(
        docs in common::docs(true, 1),
        scheme in proptest::sample::select(&["IOB1", "IOB2", "IOBES", "BILOU"][..]),
        between in proptest::sample::select(&["\t", " ", "  "][..]),
        end in proptest::sample::select(&["\n", "\r\n"][..]),
    ) {
        let mut file = String::new();
        for doc in &docs {
            file += &format!("# id = {}{end}{}", doc.id, write(&sentences(doc), scheme, between, end));
        }
        let choices = Choices { format: "conll".into(), ..Choices::default() };
        let corpus = read_with(&[("x", file.as_bytes())], &choices);
        let found: Vec<_> = as_docs(&corpus)
            .into_iter()
            .map(|doc| (doc.id, doc.text, doc.spans.into_iter().map(|(f, l)| (f[0].0, f[0].1, l)).collect()))
            .collect();
        let wanted: Vec<_> = docs
            .iter()
            .map(|doc| {
                let (text, spans) = expected(&sentences(doc));
                (doc.id.clone(), text, spans)
            })
            .collect::<Vec<(String, String, Vec<_>)>>();
        prop_assert_eq!(found, wanted);
        prop_assert_eq!(problems(&corpus), []);
    }

    #[test]
    fn nothing_panics(
        gold in "(-DOCSTART-|# id = [ab]|#|\\[CLS\\]|##a|a|b|é|1|\t|\t| | |\n|\n|\r\n|O|B-x|I-x|E-y|S-x|X|-100|0\\.5|\u{FEFF}|\u{a0}|\\['O'\\]){0,60}",
        pred in "(-DOCSTART-|# id = [ab]|#|\\[CLS\\]|##a|a|b|é|1|\t|\t| | |\n|\n|\r|O|B-x|I-x|E-y|S-x|X|-100|0\\.5|\\['O'\\]){0,60}",
        more in prop::collection::vec(any::<u8>(), 0..30),
    ) {
        let conll = clinscore::Options { format_pred: Some("conll".into()), ..clinscore::Options::default() };
        let both = clinscore::Options { format: Some("conll".into()), ..clinscore::Options::default() };
        let score = |gold: &[(&str, &[u8])], pred: &[(&str, &[u8])], options: &clinscore::Options| {
            let mut workspace = common::workspace(gold, pred);
            drop(workspace.score(options, &mut |_| {}).map(|_| ()));
        };
        score(&[("g", gold.as_bytes())], &[("p", pred.as_bytes())], &both);
        let (a, b) = (gold.as_bytes(), pred.as_bytes());
        score(&[("g/a", a), ("g/b", &more)], &[("p/a", b), ("p/b", a)], &both);
        score(&[("g", br#"{"text":"a b 1 a","entities":[[0,1,"x"]]}"#)], &[("p", b)], &conll);
        // What is read again is what was read.
        let choices = Choices { format: "conll".into(), ..Choices::default() };
        for files in [&[("x", b)][..], &[("x", a), ("y", &more)]] {
            let corpus = read_with(files, &choices);
            let mut reader = clinscore::corpus::text::TextReader::new(&corpus);
            let mut text = String::new();
            for document in &corpus.documents {
                if !reader.read(document, &mut text).unwrap() {
                    continue;
                }
                prop_assert_eq!(document.digest, Some(clinscore::corpus::text::Digest::of(text.as_bytes())));
                let tokens = reader.tokens(document).unwrap().unwrap();
                let tags = reader.list(document.tags.as_ref().unwrap()).unwrap();
                prop_assert_eq!(tokens.len(), tags.len());
                let flat = text.replace('\n', " ");
                prop_assert_eq!(flat, tokens.join(" ").replace('\n', " "));
            }
        }
    }

    #[test]
    fn sentence_breaks_do_not_matter(docs in common::docs(true, 1), breaks in prop::collection::vec(1..5_usize, 1..8)) {
        let all: Vec<Sentence> = docs.iter().flat_map(sentences).collect();
        let gold = write(&all, "IOB2", "\t", "\n");
        let mut pred = String::new();
        let mut sizes = breaks.iter().cycle();
        let mut left = *sizes.next().unwrap();
        for row in write(&all, "IOB2", " ", "\n").lines().filter(|row| !row.is_empty()) {
            pred += &format!("{row}\n");
            left -= 1;
            if left == 0 {
                pred.push('\n');
                left = *sizes.next().unwrap();
            }
        }
        let options = clinscore::Options { format: Some("conll".into()), ..clinscore::Options::default() };
        let report = common::score(&[("g", gold.as_bytes())], &[("p", pred.as_bytes())], &options);
        let spans = report.systems[0].spans.as_ref().unwrap();
        let entities = all.iter().map(|sentence| sentence.1.len() as u64).sum::<u64>();
        prop_assert_eq!(spans.overall.strict.correct, entities);
        prop_assert_eq!(spans.overall.strict.actual, entities);
    }
}
