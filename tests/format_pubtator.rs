//! PubTator: concepts, composite mentions and relations; real files.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::corpus::{Argument, Corpus};
use common::{Doc, as_docs, problems, read, spans};
use proptest::prelude::*;

fn concepts(corpus: &Corpus, span: usize) -> Vec<String> {
    corpus.detail(&corpus.spans[span]).and_then(|detail| detail.more.clone()).unwrap_or_default().concepts
}

fn relations(corpus: &Corpus) -> Vec<(String, String, Vec<String>)> {
    let one = |relation: &clinscore::corpus::Relation| {
        let arguments = relation.arguments.iter().map(|(_, argument)| match argument {
            Argument::Concept(id) => id.clone(),
            Argument::Span(_) => "span".to_owned(),
        });
        let id = corpus.documents[relation.document as usize].id.clone();
        (id, relation.label.clone(), arguments.collect())
    };
    corpus.relations.iter().map(one).collect()
}

#[test]
fn identifiers_parts_and_relations() {
    let file = "1|t|Cerebellar and oculomotor dysfunction\n1|a|V1763M\n\
                1\t0\t37\tCerebellar and oculomotor dysfunction\tDisease\tD002526|D005128\tCerebellar dysfunction|oculomotor dysfunction\n\
                1\t0\t10\tCerebellar\tA\tD1;D2, D3\n1\t0\t10\tCerebellar\tB\tGene:1+Gene:2\t\n1\t0\t10\tCerebellar\tC\t-1\n\
                1\t38\t44\tV1763M\tD\tp|SUB|V|1763|M;RS#:123\n1\t38\t44\tV1763M\tE\tc.76+1G>A\n1\t0\t10\tCerebellar\tF\n1\t0\t10\tCerebellar\tG\t\n\
                1\tCID\tD003300\tp|SUB|V|1763|M\tNovel\n1\tCID\tD1\t\n\n2|t|Next\n2\tBind\t1\t2\n";
    let corpus = read(&[("x.txt", file.as_bytes())]);
    let found: Vec<_> = (0..corpus.spans.len()).map(|span| concepts(&corpus, span).join(" ")).collect();
    assert_eq!(
        found,
        ["D002526 D005128", "D1 D2 D3", "Gene:1 Gene:2", "-1", "p|SUB|V|1763|M RS#:123", "c.76+1G>A", "", ""]
    );
    // The parts are note text: only their number is kept.
    let more = corpus.detail(&corpus.spans[0]).unwrap().more.clone().unwrap();
    assert_eq!(more.attributes, [("parts".to_owned(), "2".to_owned())]);
    let own = |id: &str, label: &str, a: &str, b: &str| {
        (id.to_owned(), label.to_owned(), vec![a.to_owned(), b.to_owned()])
    };
    assert_eq!(
        relations(&corpus),
        [own("1", "CID", "D003300", "p|SUB|V|1763|M"), own("2", "Bind", "1", "2")]
    );
    assert_eq!(problems(&corpus), [("relation", 3)]);
}

#[test]
fn real_files() {
    let Some(shared) = common::shared() else { return };
    // Spans as the data's README has them; relation rows counted with awk.
    for (path, documents, count, related) in [
        ("data/bc5cdr/CDR_TestSet.PubTator.txt", 500, 9_809, 1_066),
        ("data/biored/Test.PubTator", 100, 3_535, 1_163),
        ("data/ncbi-disease/NCBItestset_corpus.txt", 100, 960, 0),
    ] {
        let bytes = std::fs::read(shared.join(path)).unwrap();
        let corpus = read(&[("x.txt", &bytes)]);
        assert_eq!(
            (corpus.documents.len(), corpus.spans.len(), corpus.relations.len()),
            (documents, count, related),
            "{path}"
        );
        let named = (0..corpus.spans.len()).filter(|&span| !concepts(&corpus, span).is_empty()).count();
        assert_eq!(named, count, "{path}: every row has an identifier");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn round_trips(docs in common::docs(false, 1)) {
        let mut file = String::new();
        for Doc { id, text, spans } in &docs {
            file += &format!("{id}|t|{text}\n{id}|a|\n");
            for (fragments, label) in spans {
                let (start, end) = fragments[0];
                let own: String = text.chars().skip(start as usize).take((end - start) as usize).collect();
                file += &format!("{id}\t{start}\t{end}\t{own}\t{label}\tC:1|C:2\n");
            }
            file += &format!("{id}\tCID\tC:1\tC:2\n\n");
        }
        let corpus = read(&[("x.txt", file.as_bytes())]);
        let mut found = as_docs(&corpus);
        // An empty abstract adds the space before it.
        found.iter_mut().for_each(|doc| doc.text.truncate(doc.text.trim_end().len()));
        prop_assert_eq!(found, docs.clone());
        prop_assert_eq!(corpus.relations.len(), docs.len());
    }
}

#[test]
fn a_cut_at_every_byte() {
    let file =
        "1|t|Pain\n1|a|gout\n1\t0\t4\tPain\tSign\tD1\n1\tCID\tD1\tD2\n\n2|t|Next\n2\t0\t4\tNext\tSign\tD1\n";
    let first = file.find("2|t|").unwrap() - 1;
    common::every_prefix("x.txt", file.as_bytes(), &[], &[first, file.len()]);
    assert_eq!(spans(&read(&[("x.txt", file.as_bytes())])).len(), 2);
}
