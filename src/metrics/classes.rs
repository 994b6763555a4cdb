//! Document-level labels as sets: true and false positives and negatives per label and pooled, as
//! scikit-learn's `precision_recall_fscore_support` counts a multilabel indicator matrix.

use crate::report::{ClassLabel, ClassReport, ClassScore, Value};

/// Counts of one label, or of all: right, predicted, gold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClassCounts {
    /// On both sides.
    pub correct: u64,
    /// Predicted.
    pub predicted: u64,
    /// In gold.
    pub gold: u64,
}

impl ClassCounts {
    pub(super) fn add(&mut self, other: &ClassCounts) {
        self.correct += other.correct;
        self.predicted += other.predicted;
        self.gold += other.gold;
    }

    /// F1 is 2·correct / (predicted + gold): undefined only where neither side has the label.
    pub(super) fn score(&self) -> ClassScore {
        let &ClassCounts { correct, predicted, gold } = self;
        ClassScore {
            correct,
            predicted,
            gold,
            precision: Value::ratio(correct as f64, predicted as f64, "nothing is predicted"),
            recall: Value::ratio(correct as f64, gold as f64, "gold has none"),
            f1: Value::ratio(2.0 * correct as f64, (predicted + gold) as f64, "neither side has any"),
        }
    }
}

/// Counts sets of labels, document by document.
pub struct ClassTally {
    counts: Vec<ClassCounts>,
    documents: u64,
    exact: u64,
    without_gold: u64,
    without_predictions: u64,
}

impl ClassTally {
    /// For so many labels.
    pub fn new(labels: usize) -> Self {
        ClassTally {
            counts: vec![ClassCounts::default(); labels],
            documents: 0,
            exact: 0,
            without_gold: 0,
            without_predictions: 0,
        }
    }

    /// Adds one document: labels of both sides, sorted, each once.
    pub fn add(&mut self, gold: &[u32], predicted: &[u32]) {
        self.documents += 1;
        self.exact += u64::from(gold == predicted);
        self.without_gold += u64::from(gold.is_empty());
        self.without_predictions += u64::from(predicted.is_empty());
        for &label in gold {
            self.counts[label as usize].gold += 1;
        }
        for label in predicted {
            let counts = &mut self.counts[*label as usize];
            counts.predicted += 1;
            counts.correct += u64::from(gold.binary_search(label).is_ok());
        }
    }

    /// The report; `names` are the labels in order.
    pub fn report(&self, names: &[String]) -> ClassReport {
        let mut overall = ClassCounts::default();
        self.counts.iter().for_each(|counts| overall.add(counts));
        let per_label = names
            .iter()
            .zip(&self.counts)
            .map(|(label, counts)| ClassLabel { label: label.clone(), score: counts.score() });
        ClassReport {
            documents: self.documents,
            without_gold: self.without_gold,
            without_predictions: self.without_predictions,
            exact: Value::ratio(self.exact as f64, self.documents as f64, "there are no documents"),
            overall: overall.score(),
            per_label: per_label.collect(),
        }
    }
}
