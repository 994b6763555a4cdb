//! What the integration tests share.
#![allow(clippy::print_stdout, clippy::unwrap_used, dead_code, missing_docs)]

use clinscore::corpus::Corpus;
use clinscore::corpus::offsets::Wanted;
use clinscore::formats::{Choices, Given, load};
use clinscore::place::{Placing, settle};
use clinscore::source::Bytes;
use clinscore::{Options, Report, Role, Workspace};
use proptest::prelude::*;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Reads named files as one side.
pub fn read_with(files: &[(&str, &[u8])], choices: &Choices) -> Corpus {
    let mut corpus = load(&given(files), choices, &mut |_, _| {});
    settle(&mut corpus, None, &Placing::default()).unwrap();
    corpus
}

/// Reads named files as one side, with every choice automatic.
pub fn read(files: &[(&str, &[u8])]) -> Corpus {
    read_with(files, &Choices::default())
}

/// Spans as (document, start, end, label).
pub fn spans(corpus: &Corpus) -> Vec<(String, i64, i64, String)> {
    let mut out = Vec::new();
    for document in &corpus.documents {
        for span in corpus.spans_of(document) {
            let label = corpus.labels.name(span.label).to_owned();
            out.push((document.id.clone(), span.start, span.end, label));
        }
    }
    out
}

/// Problems as (kind, count), in order.
pub fn problems(corpus: &Corpus) -> Vec<(&'static str, u64)> {
    corpus.problems.by_kind().iter().map(|(kind, count, _)| (kind.name(), *count)).collect()
}

/// The text of a document.
pub fn text(corpus: &Corpus, document: usize) -> Option<String> {
    let mut text = String::new();
    let found = clinscore::corpus::text::TextReader::new(corpus)
        .read(&corpus.documents[document], &mut text)
        .unwrap();
    found.then_some(text)
}

/// Scores bytes against bytes.
pub fn score(gold: &[(&str, &[u8])], pred: &[(&str, &[u8])], options: &Options) -> Report {
    let mut workspace = workspace(gold, pred);
    workspace.score(options, &mut |_| {}).unwrap().clone()
}

/// A workspace with one system named `system`.
pub fn workspace(gold: &[(&str, &[u8])], pred: &[(&str, &[u8])]) -> Workspace {
    let mut workspace = Workspace::new();
    for (path, bytes) in gold {
        workspace.add(Role::Gold, "", path, Rc::new(Bytes(bytes.to_vec())));
    }
    for (path, bytes) in pred {
        workspace.add(Role::Prediction, "system", path, Rc::new(Bytes(bytes.to_vec())));
    }
    workspace
}

/// The folder with the real corpora, or none after a printed notice (a failure when CI is true).
pub fn shared() -> Option<PathBuf> {
    let folder = std::env::var_os("CLINSCORE_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "the shared corpora are missing");
    println!("skipped: the real corpora are not beside the checkout; set CLINSCORE_SHARED to their folder");
    None
}

/// A document to write in a format and read again.
#[derive(Debug, Clone, PartialEq)]
pub struct Doc {
    /// Its id, unique in the corpus; letters and digits.
    pub id: String,
    /// Its text: not blank, no white space at either end.
    pub text: String,
    /// (fragments, label), in code points; fragments are in order, apart, and neither begin nor end with
    /// white space.
    pub spans: Vec<(Vec<(i64, i64)>, String)>,
}

impl Doc {
    /// The text of a range of code points.
    pub fn slice(&self, (start, end): (i64, i64)) -> String {
        self.text.chars().skip(start as usize).take((end - start) as usize).collect()
    }

    /// A range in another unit.
    pub fn range(&self, (start, end): (i64, i64), width: impl Fn(char) -> usize) -> (i64, i64) {
        let to = |at: i64| self.text.chars().take(at as usize).map(&width).sum::<usize>() as i64;
        (to(start), to(end))
    }
}

const WORDS: &[&str] =
    &["ab", "naïve", "😖", "5µg", "\"q\"", "<b>", "a&b", "x,y", "it's", "日本", "-", "O", "|t|"];

/// Random documents for round trips: words of several scripts, an emoji, quotes, markup, and where `newlines`
/// is true line breaks. `fragments` is the most fragments of a span.
pub fn docs(newlines: bool, fragments: usize) -> impl Strategy<Value = Vec<Doc>> {
    let word = proptest::sample::select(WORDS).prop_map(str::to_owned);
    let gap = if newlines { vec![" ", "  ", "\n", " "] } else { vec![" ", "  "] };
    let gap = proptest::sample::select(gap);
    let text = prop::collection::vec((word, gap), 1..12);
    let span =
        prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..=fragments);
    let label = proptest::sample::select(&["drug", "Condition", "PROC-1", "a_b"][..]);
    let spans = prop::collection::vec((span, label), 0..6);
    prop::collection::vec((text, spans), 1..5).prop_map(|list| {
        list.into_iter()
            .enumerate()
            .map(|(number, (words, spans))| {
                let mut text = String::new();
                let mut places: Vec<(i64, i64)> = Vec::new();
                for (at, (word, gap)) in words.iter().enumerate() {
                    let start = text.chars().count() as i64;
                    text.push_str(word);
                    places.push((start, text.chars().count() as i64));
                    if at + 1 < words.len() {
                        text.push_str(gap);
                    }
                }
                let spans = spans
                    .into_iter()
                    .map(|(parts, label)| {
                        let mut ranges: Vec<(i64, i64)> = parts
                            .into_iter()
                            .map(|(a, b)| {
                                let (a, b) = (a.index(places.len()), b.index(places.len()));
                                (places[a.min(b)].0, places[a.max(b)].1)
                            })
                            .collect();
                        ranges.sort_unstable();
                        let mut apart: Vec<(i64, i64)> = Vec::new();
                        for range in ranges {
                            if apart.last().is_none_or(|last| last.1 < range.0) {
                                apart.push(range);
                            }
                        }
                        (apart, label.to_owned())
                    })
                    .collect();
                Doc { id: format!("d{number}"), text, spans }
            })
            .collect()
    })
}

/// What was read, as documents. Texts that are missing are empty.
pub fn as_docs(corpus: &Corpus) -> Vec<Doc> {
    (0..corpus.documents.len())
        .map(|at| {
            let document = &corpus.documents[at];
            let span = |span: &clinscore::corpus::Span| {
                let fragments = corpus.detail(span).map(|d| d.fragments.clone()).unwrap_or_default();
                let fragments = if fragments.is_empty() { vec![(span.start, span.end)] } else { fragments };
                (fragments, corpus.labels.name(span.label).to_owned())
            };
            Doc {
                id: document.id.clone(),
                text: text(corpus, at).unwrap_or_default(),
                spans: corpus.spans_of(document).iter().map(span).collect(),
            }
        })
        .collect()
}

/// Cuts a file at every byte and reads what is left, together with files beside it. Every document that ends
/// before the cut (its last byte in `ends`, document by document) must be read as in the whole file, and a cut
/// inside a record must be listed or leave a document with less than the whole has.
pub fn every_prefix(name: &str, bytes: &[u8], beside: &[(&str, &[u8])], ends: &[usize]) {
    let with = |bytes: &[u8]| {
        let mut files = vec![(name, bytes)];
        files.extend_from_slice(beside);
        read(&files)
    };
    let whole = as_docs(&with(bytes));
    assert_eq!(whole.len(), ends.len(), "one end a document");
    for cut in 0..bytes.len() {
        let corpus = with(&bytes[..cut]);
        let found = as_docs(&corpus);
        let complete = ends.iter().filter(|&&end| end <= cut).count();
        assert!(found.len() >= complete, "cut at {cut}: {} documents, {complete} end before it", found.len());
        assert_eq!(found[..complete], whole[..complete], "cut at {cut}");
        assert!(found.len() <= whole.len(), "cut at {cut}: more documents than the whole has");
        for (part, all) in found.iter().zip(&whole).skip(complete) {
            assert!(part.spans.len() <= all.spans.len(), "cut at {cut}: more spans than the whole has");
        }
    }
}

/// Reads named files as one side; nothing is put in its place yet.
pub fn load_only(files: &[(&str, &[u8])]) -> Corpus {
    load(&given(files), &Choices::default(), &mut |_, _| {})
}

fn given(files: &[(&str, &[u8])]) -> Vec<Given> {
    let given = |(input, (path, bytes)): (usize, &(&str, &[u8]))| Given {
        input,
        path: (*path).to_owned(),
        source: Rc::new(Bytes(bytes.to_vec())),
        format: None,
        encoding: None,
        wanted: Wanted::default(),
    };
    files.iter().enumerate().map(given).collect()
}

/// True positives, false positives and false negatives under strict matching, summed over labels.
pub fn strict(report: &Report) -> [u64; 3] {
    let spans = report.systems[0].spans.as_ref().unwrap();
    let modes = serde_json::to_value(&spans.overall).unwrap();
    let count = |key: &str| modes["strict"][key].as_u64().unwrap();
    [count("correct"), count("actual") - count("correct"), count("possible") - count("correct")]
}

/// Problems of a side of a report as (kind, count).
pub fn problem_counts(side: &impl serde::Serialize) -> Vec<(String, u64)> {
    let side = serde_json::to_value(side).unwrap();
    let problems = side["problems"].as_array().unwrap();
    problems.iter().map(|p| (p["kind"].as_str().unwrap().to_owned(), p["count"].as_u64().unwrap())).collect()
}

/// Bytes that damage files of any format.
pub const JUNK: &[&[u8]] = &[
    b"",
    b"<",
    b">",
    b"&",
    b"\xff",
    b"\xe2\x82",
    b"\"",
    b"<!--",
    b"<![CDATA[",
    b"]]>",
    b"</document>",
    b"<document>",
    b"&#xD800;",
    b"\0",
    b"{",
    b"}",
    b"[",
    b"]",
    b"99999999999999999999",
    b"-1",
    b"\\",
    b"/>",
    b"<?",
    b"<!DOCTYPE",
    b"||",
    b":",
    b"\n",
];

/// Reads a file, and a text beside it, in which bytes are replaced by junk and the junk is put in once more; every
/// text that is found must be readable.
pub fn damaged_is_read(
    name: &str,
    mut bytes: Vec<u8>,
    junk: &[u8],
    at: &prop::sample::Index,
    cut: usize,
    again: &prop::sample::Index,
) {
    let from = at.index(bytes.len());
    let to = (from + cut).min(bytes.len());
    bytes.splice(from..to, junk.iter().copied());
    let from = again.index(bytes.len());
    bytes.splice(from..from, junk.iter().copied());
    let corpus = read(&[(name, &bytes[..]), ("x.txt", b"a \xff\r\nb c")]);
    for at in 0..corpus.documents.len() {
        text(&corpus, at);
    }
}

/// A file in which bytes are replaced, half of them by bytes of the file itself, so that structure is met more
/// often.
pub fn edited(file: &[u8], edits: &[(prop::sample::Index, u8)]) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for (at, byte) in edits {
        let at = at.index(bytes.len());
        bytes[at] = if byte % 2 == 0 { file[*byte as usize * 7 % file.len()] } else { *byte };
    }
    bytes
}

/// Deflated bytes.
pub fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// What an archive says of one entry.
pub struct Entry {
    pub name: String,
    pub packed: Vec<u8>,
    pub size: u32,
    pub crc: u32,
    pub method: u16,
    pub flags: u16,
    /// Another entry's header, to overlap with it.
    pub header: Option<u32>,
}

impl Entry {
    /// Of bytes, by method 0 (stored) or 8 (deflated).
    pub fn new(name: &str, bytes: &[u8], method: u16) -> Self {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        let packed = if method == 8 { deflate(bytes) } else { bytes.to_vec() };
        let size = bytes.len() as u32;
        Entry { name: name.to_owned(), packed, size, crc: crc.sum(), method, flags: 0, header: None }
    }
}

/// A zip archive made by hand.
pub fn zip_of(entries: &[Entry]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let mut common = Vec::new();
        common.extend(20_u16.to_le_bytes());
        common.extend(entry.flags.to_le_bytes());
        common.extend(entry.method.to_le_bytes());
        common.extend([0, 0, 0x21, 0x58]);
        for number in [entry.crc, entry.packed.len() as u32, entry.size] {
            common.extend(number.to_le_bytes());
        }
        common.extend((entry.name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        let offset = entry.header.unwrap_or(out.len() as u32);
        if entry.header.is_none() {
            out.extend(b"PK\x03\x04");
            out.extend(&common);
            out.extend(entry.name.as_bytes());
            out.extend(&entry.packed);
        }
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(entry.name.as_bytes());
    }
    let at = out.len() as u32;
    let count = (entries.len() as u16).to_le_bytes();
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count);
    out.extend(count);
    out.extend((directory.len() as u32).to_le_bytes());
    out.extend(at.to_le_bytes());
    out.extend([0, 0]);
    out
}
