//! Document-level labels of gold against one system's.

use crate::corpus::pairing::Pairing;
use crate::corpus::scheme::Renaming;
use crate::corpus::{Corpus, Document};
use crate::metrics::classes::ClassTally;
use crate::report::{ClassReport, Note};
use std::collections::{BTreeMap, BTreeSet};

/// One side's labels by id: the label after mapping.
type Names = Vec<Option<String>>;

/// The document-level score, or why there is none; nothing where neither side has such labels.
pub(super) fn score(
    gold: &Corpus,
    pred: &Corpus,
    pairing: &Pairing,
    renaming: [Renaming<'_>; 2],
    chosen: Option<&[String]>,
) -> Option<Result<(ClassReport, Vec<Note>), &'static str>> {
    if gold.classes.is_empty() && pred.classes.is_empty() && !any(gold) && !any(pred) {
        return None;
    }
    if !any(gold) || !any(pred) {
        return Some(Err("one side has document-level labels and the other has none"));
    }
    if pred.classes.iter().chain(&gold.classes).any(|class| class.score.is_some()) {
        return Some(Err("the labels carry scores; they need a threshold, which is not supported yet"));
    }
    let names = |corpus: &Corpus, renaming: Renaming<'_>| -> Names {
        corpus.labels.names().iter().map(|label| renaming.apply(label)).collect()
    };
    let [gold_names, pred_names] = [names(gold, renaming[0]), names(pred, renaming[1])];
    let used = |corpus: &Corpus, names: &Names| -> BTreeSet<String> {
        corpus.classes.iter().filter_map(|class| names[class.label as usize].clone()).collect()
    };
    let (golds, preds) = (used(gold, &gold_names), used(pred, &pred_names));
    let all: Vec<String> = match chosen {
        Some(chosen) => chosen.iter().collect::<BTreeSet<_>>().into_iter().cloned().collect(),
        None => golds.union(&preds).cloned().collect(),
    };
    let index: BTreeMap<&str, u32> =
        all.iter().enumerate().map(|(at, name)| (name.as_str(), at as u32)).collect();
    let set = |corpus: &Corpus, document: &Document, names: &Names| -> Vec<u32> {
        let range = document.classes.clone().unwrap_or(0..0);
        let classes = &corpus.classes[range.start as usize..range.end as usize];
        let label = |label: u32| index.get(names[label as usize].as_deref()?).copied();
        let set: BTreeSet<u32> = classes.iter().filter_map(|class| label(class.label)).collect();
        set.into_iter().collect()
    };
    let mut tally = ClassTally::new(all.len());
    let mut silent = Vec::new();
    for &(g, p) in &pairing.pairs {
        let document = &gold.documents[g as usize];
        if document.classes.is_none() {
            continue;
        }
        let expected = set(gold, document, &gold_names);
        let found = p.map_or_else(Vec::new, |p| set(pred, &pred.documents[p as usize], &pred_names));
        if p.is_some() && found.is_empty() {
            silent.push(document.id.clone());
        }
        tally.add(&expected, &found);
    }
    let mut notes = Vec::new();
    if !silent.is_empty() {
        let shown = silent.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        let more = if silent.len() > 5 { ", …" } else { "" };
        let plural = if silent.len() == 1 { " has" } else { "s have" };
        let message = format!("{} document{plural} no predicted labels ({shown}{more}).", silent.len());
        notes.push(Note { kind: "documents_without_classes", count: silent.len() as u64, message });
    }
    notes.extend(lost_digits(&golds, &preds));
    Some(Ok((tally.report(&all), notes)))
}

fn any(corpus: &Corpus) -> bool {
    corpus.documents.iter().any(|document| document.classes.is_some())
}

/// Predicted codes that gold does not have but for zeros and dots, as spreadsheets drop them.
fn lost_digits(golds: &BTreeSet<String>, preds: &BTreeSet<String>) -> Option<Note> {
    let key = |code: &str| code.replace('.', "").trim_matches('0').to_lowercase();
    let known: BTreeMap<String, &String> = golds.iter().map(|code| (key(code), code)).collect();
    let is_code = |code: &&String| code.bytes().any(|b| b.is_ascii_digit());
    let unknown: Vec<(&String, &String)> = preds
        .difference(golds)
        .filter(is_code)
        .filter_map(|code| Some((code, *known.get(&key(code)).filter(|_| !key(code).is_empty())?)))
        .collect();
    let count = unknown.len() as u64;
    let shown: Vec<String> = unknown.iter().take(5).map(|(code, like)| format!("{code} ~ {like}")).collect();
    let message = format!(
        "{count} of {} predicted labels are unknown to gold; they look like codes that lost zeros or dots ({}).",
        preds.len(),
        shown.join(", ")
    );
    (count > 0).then_some(Note { kind: "codes_lost_digits", count, message })
}
