//! Concepts of spans and documents, as sets. Spans of both sides match where place and label are equal; accuracy
//! is the share of matched spans with the same set of concepts, as scikit-learn's `accuracy_score` over them.
//! Precision, recall and F1 are of the sets of (document, place, label, concept) and (document, concept).

use super::classes::ClassCounts;
use crate::report::{ConceptLabel, ConceptReport, Value};

/// Start, end and, where they tell spans apart, fragments.
pub type Place<'a> = (i64, i64, &'a [(i64, i64)]);

/// A span that carries concepts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Annotated<'a> {
    /// Scored label.
    pub label: u32,
    /// Where it is.
    pub place: Place<'a>,
    /// Its concepts as numbers, in order, each once; at least one.
    pub concepts: Vec<u32>,
}

/// One label's counts.
#[derive(Debug, Clone, Default)]
struct LabelTally {
    matched: u64,
    correct: u64,
    spans: ClassCounts,
    documents: ClassCounts,
}

/// Counts concepts, document by document.
#[derive(Debug, Clone)]
pub struct ConceptTally {
    labels: Vec<LabelTally>,
    /// Of (document, concept), whatever the label.
    documents: ClassCounts,
    /// Spans with concepts: gold, predicted.
    pub spans: [u64; 2],
}

impl ConceptTally {
    /// For so many labels.
    pub fn new(labels: usize) -> Self {
        ConceptTally {
            labels: vec![LabelTally::default(); labels],
            documents: ClassCounts::default(),
            spans: [0; 2],
        }
    }

    /// Matched spans with the same concepts.
    pub fn correct(&self) -> u64 {
        self.labels.iter().map(|label| label.correct).sum()
    }

    /// Adds one document's spans of both sides; their order does not matter.
    pub fn add(&mut self, gold: &mut [Annotated<'_>], pred: &mut [Annotated<'_>]) {
        self.spans[0] += gold.len() as u64;
        self.spans[1] += pred.len() as u64;
        gold.sort_unstable();
        pred.sort_unstable();
        self.match_spans(gold, pred);
        let (golds, preds) = (members(gold), members(pred));
        count(&golds, &preds, |&(label, ..), counts| self.labels[label as usize].spans.add(&counts));
        let [golds, preds] = [golds, preds].map(|all| set(all.into_iter().map(|(label, _, c)| (label, c))));
        count(&golds, &preds, |&(label, _), counts| self.labels[label as usize].documents.add(&counts));
        let [golds, preds] = [golds, preds].map(|all| set(all.into_iter().map(|(_, concept)| concept)));
        count(&golds, &preds, |_, counts| self.documents.add(&counts));
    }

    /// Matches spans one to one. Of several in one place with one label as many as possible with equal concepts
    /// are matched.
    fn match_spans(&mut self, gold: &[Annotated<'_>], pred: &[Annotated<'_>]) {
        let same = |a: &Annotated<'_>, b: &Annotated<'_>| (a.label, a.place) == (b.label, b.place);
        let (golds, preds): (Vec<_>, Vec<_>) = (gold.chunk_by(same).collect(), pred.chunk_by(same).collect());
        let (mut i, mut j) = (0, 0);
        while let (Some(g), Some(p)) = (golds.get(i), preds.get(j)) {
            let order = (g[0].label, g[0].place).cmp(&(p[0].label, p[0].place));
            if order.is_eq() {
                let tally = &mut self.labels[g[0].label as usize];
                tally.matched += g.len().min(p.len()) as u64;
                tally.correct += in_both(g, p);
            }
            i += usize::from(order.is_le());
            j += usize::from(order.is_ge());
        }
    }

    /// The report; `names` are the labels in order, `domain` gives a label's. Labels without a concept on either
    /// side are left out.
    pub fn report(&self, names: &[String], domain: fn(&str) -> Option<&'static str>) -> ConceptReport {
        let accuracy = |correct: u64, matched: u64| {
            Value::ratio(correct as f64, matched as f64, "no matched span has concepts on both sides")
        };
        let mut spans = ClassCounts::default();
        self.labels.iter().for_each(|label| spans.add(&label.spans));
        let matched = self.labels.iter().map(|label| label.matched).sum();
        let any = |label: &LabelTally| label.spans.gold + label.spans.predicted > 0;
        let per_label = names.iter().zip(&self.labels).filter(|(_, label)| any(label));
        ConceptReport {
            gold: self.spans[0],
            predicted: self.spans[1],
            matched,
            correct: self.correct(),
            accuracy: accuracy(self.correct(), matched),
            spans: spans.score(),
            documents: self.documents.score(),
            per_label: per_label
                .map(|(name, label)| ConceptLabel {
                    label: name.clone(),
                    domain: domain(name),
                    matched: label.matched,
                    correct: label.correct,
                    accuracy: accuracy(label.correct, label.matched),
                    spans: label.spans.score(),
                    documents: label.documents.score(),
                })
                .collect(),
        }
    }
}

/// The spans' (label, place, concept), each once, in order.
fn members<'a>(spans: &[Annotated<'a>]) -> Vec<(u32, Place<'a>, u32)> {
    set(spans.iter().flat_map(|span| span.concepts.iter().map(|&concept| (span.label, span.place, concept))))
}

/// Each once, in order.
fn set<T: Ord>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = all.collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Calls `each` with every member of two sets and what it counts.
fn count<T: Ord>(gold: &[T], pred: &[T], mut each: impl FnMut(&T, ClassCounts)) {
    for member in gold {
        let correct = u64::from(pred.binary_search(member).is_ok());
        each(member, ClassCounts { correct, predicted: 0, gold: 1 });
    }
    for member in pred {
        each(member, ClassCounts { correct: 0, predicted: 1, gold: 0 });
    }
}

/// How many of two sorted lists are equal, one to one.
fn in_both(a: &[Annotated<'_>], b: &[Annotated<'_>]) -> u64 {
    let (mut i, mut j, mut both) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        let order = x.concepts.cmp(&y.concepts);
        both += u64::from(order.is_eq());
        i += usize::from(order.is_le());
        j += usize::from(order.is_ge());
    }
    both
}
