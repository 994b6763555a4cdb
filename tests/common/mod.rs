//! What the integration tests share.
#![allow(clippy::print_stdout, clippy::unwrap_used, dead_code, missing_docs)]

use clinscore::corpus::Corpus;
use clinscore::corpus::offsets::Wanted;
use clinscore::formats::{Choices, Given, load};
use clinscore::place::{Placing, settle};
use clinscore::source::Bytes;
use clinscore::{Options, Report, Role, Workspace};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Reads named files as one side.
pub fn read_with(files: &[(&str, &[u8])], choices: &Choices) -> Corpus {
    let given: Vec<Given> = files
        .iter()
        .enumerate()
        .map(|(input, (path, bytes))| Given {
            input,
            path: (*path).to_owned(),
            source: Rc::new(Bytes(bytes.to_vec())),
            format: None,
            encoding: None,
            wanted: Wanted::default(),
        })
        .collect();
    let mut corpus = load(&given, choices, &mut |_, _| {});
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
