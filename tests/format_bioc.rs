//! BioC as XML and as JSON.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::corpus::{Argument, Corpus, Unit};
use clinscore::report::Report;
use common::{problems, read, shared, spans, text};
use std::collections::BTreeMap;

fn formats(corpus: &Corpus) -> Vec<&'static str> {
    corpus.files.iter().filter_map(|file| file.format).collect()
}

fn by_label(corpus: &Corpus) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for (_, _, _, label) in spans(corpus) {
        *counts.entry(label).or_default() += 1;
    }
    counts
}

#[test]
fn real_bc5cdr() {
    let Some(shared) = shared() else { return };
    let bytes = std::fs::read(shared.join("data/bc5cdr/CDR_TestSet.BioC.xml")).unwrap();
    let corpus = read(&[("CDR_TestSet.BioC.xml", &bytes)]);
    assert_eq!(formats(&corpus), ["bioc-xml"]);
    assert_eq!((corpus.documents.len(), corpus.spans.len()), (500, 9928));
    println!("{:?}", by_label(&corpus));
    println!("{:?}", problems(&corpus));
}

#[test]
fn real_biored() {
    let Some(shared) = shared() else { return };
    for name in ["Test.PubTator", "Test.BioC.XML", "Test.BioC.JSON"] {
        let bytes = std::fs::read(shared.join("data/biored").join(name)).unwrap();
        let corpus = read(&[(name, &bytes)]);
        println!("{name} {:?} {} {:?}", formats(&corpus), corpus.documents.len(), by_label(&corpus));
        println!("{:?} {}", problems(&corpus), corpus.relations.len());
    }
}
