//! Span scores from one list of events.
//!
//! Counts per mode follow nervaluate 0.1.8's table of outcomes; precision, recall and F1 are its
//! `compute_precision_recall`, in the same order of operations, so that they are equal to the last bit.

use super::pairs::PairCounts;
use crate::align::{Events, NONE, Outcome};
use crate::report::{Confusion, LabelModes, ModeTable, Modes, Outcomes, Score, SpanReport, Value};

/// How often each outcome occurred, in the order of [`Outcome::ALL`].
pub type Tally = [u64; 6];

/// The four modes, by the name nervaluate gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Boundaries and label.
    Strict,
    /// Overlap and label.
    EntType,
    /// Overlap, half credit.
    Partial,
    /// Boundaries.
    Exact,
}

/// How an outcome counts under a mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Right.
    Correct,
    /// Wrong.
    Incorrect,
    /// Half right.
    Partial,
    /// Gold without prediction.
    Missed,
    /// Prediction without gold.
    Spurious,
}

impl Mode {
    /// All modes, in the order of tables.
    pub const ALL: [Mode; 4] = [Mode::Strict, Mode::EntType, Mode::Partial, Mode::Exact];

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Strict => "strict",
            Mode::EntType => "ent_type",
            Mode::Partial => "partial",
            Mode::Exact => "exact",
        }
    }
}

/// The table of [`verdict`], for reports.
pub fn mode_tables() -> Vec<ModeTable> {
    let table = |mode: Mode| {
        let [exact, other_label, overlap, overlap_other_label, spurious, missed] =
            Outcome::ALL.map(|outcome| verdict(mode, outcome).name());
        ModeTable { mode: mode.name(), exact, other_label, overlap, overlap_other_label, spurious, missed }
    };
    Mode::ALL.map(table).to_vec()
}

impl Verdict {
    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Correct => "correct",
            Verdict::Incorrect => "incorrect",
            Verdict::Partial => "partial",
            Verdict::Missed => "missed",
            Verdict::Spurious => "spurious",
        }
    }
}

/// nervaluate's table: how each outcome counts under each mode.
pub fn verdict(mode: Mode, outcome: Outcome) -> Verdict {
    match (outcome, mode) {
        (Outcome::Spurious, _) => Verdict::Spurious,
        (Outcome::Missed, _) => Verdict::Missed,
        (Outcome::Exact, _) => Verdict::Correct,
        (Outcome::OtherLabel, Mode::Partial | Mode::Exact) => Verdict::Correct,
        (Outcome::Overlap, Mode::EntType) => Verdict::Correct,
        (Outcome::Overlap | Outcome::OverlapOtherLabel, Mode::Partial) => Verdict::Partial,
        _ => Verdict::Incorrect,
    }
}

/// Counts and scores of a tally under one mode.
pub fn score(mode: Mode, tally: &Tally) -> Score {
    let mut counts = [0_u64; 5];
    for (outcome, count) in Outcome::ALL.into_iter().zip(tally) {
        counts[verdict(mode, outcome) as usize] += count;
    }
    let [correct, incorrect, partial, missed, spurious] = counts;
    let possible = correct + incorrect + partial + missed;
    let actual = correct + incorrect + partial + spurious;
    // 0.5 × 0 adds nothing, so strict and exact need no case of their own.
    let credit = correct as f64 + 0.5 * partial as f64;
    let precision = Value::ratio(credit, actual as f64, "no prediction counts here");
    let recall = Value::ratio(credit, possible as f64, "no gold counts here");
    let f1 = f1(precision, recall);
    Score { correct, incorrect, partial, missed, spurious, possible, actual, precision, recall, f1 }
}

/// The harmonic mean; 0 where one side is empty, undefined where both are.
fn f1(precision: Value, recall: Value) -> Value {
    if !precision.defined && !recall.defined {
        return Value::undefined("neither gold nor predictions count here");
    }
    let (p, r) = (precision.value.unwrap_or(0.0), recall.value.unwrap_or(0.0));
    Value::of(if p + r > 0.0 { 2.0 * (p * r) / (p + r) } else { 0.0 })
}

/// The four modes of a tally.
pub fn modes(tally: &Tally) -> Modes {
    Modes {
        strict: score(Mode::Strict, tally),
        ent_type: score(Mode::EntType, tally),
        partial: score(Mode::Partial, tally),
        exact: score(Mode::Exact, tally),
    }
}

/// A tally by name.
pub fn outcomes(tally: &Tally) -> Outcomes {
    let [exact, other_label, overlap, overlap_other_label, spurious, missed] = *tally;
    Outcomes { exact, other_label, overlap, overlap_other_label, spurious, missed }
}

/// Tallies of events by the label charged.
pub fn tallies(events: &Events, labels: usize) -> Vec<Tally> {
    let mut tallies = vec![[0; 6]; labels];
    for event in &events.list {
        tallies[event.charged() as usize][event.outcome as usize] += 1;
    }
    tallies
}

/// The sum of tallies.
pub fn total(tallies: &[Tally]) -> Tally {
    let mut sum = [0; 6];
    for tally in tallies {
        for (sum, count) in sum.iter_mut().zip(tally) {
            *sum += count;
        }
    }
    sum
}

/// Every span score of a run. `gold` and `predicted` are the spans per label in the documents scored.
pub fn report(events: &Events, labels: &[String], gold: &[u64], predicted: &[u64]) -> SpanReport {
    let tallies = tallies(events, labels.len());
    let overall = total(&tallies);
    let per_label = labels
        .iter()
        .zip(&tallies)
        .zip(gold.iter().zip(predicted))
        .map(|((label, tally), (&support, &predicted))| LabelModes {
            label: label.clone(),
            support,
            predicted,
            modes: modes(tally),
            outcomes: outcomes(tally),
        })
        .collect();
    SpanReport {
        overall: modes(&overall),
        per_label,
        outcomes: outcomes(&overall),
        confusion: confusion(events, labels),
    }
}

fn confusion(events: &Events, labels: &[String]) -> Confusion {
    let mut cells = PairCounts::default();
    let (mut missed, mut spurious) = (vec![0; labels.len()], vec![0; labels.len()]);
    for event in &events.list {
        match (event.gold_label, event.pred_label) {
            (NONE, pred) => spurious[pred as usize] += 1,
            (gold, NONE) => missed[gold as usize] += 1,
            (gold, pred) => cells.add(gold, pred),
        }
    }
    let cells = cells.sorted().into_iter().map(|((gold, pred), count)| (gold, pred, count)).collect();
    Confusion { labels: labels.to_vec(), cells, missed, spurious }
}
