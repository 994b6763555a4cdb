//! Two span lists → [`Events`]. One file a published definition; none blends two. Every count, table and
//! view is derived from the one list of events, so that they cannot disagree.

use crate::corpus::Corpus;
use serde::Serialize;

pub mod nervaluate;
pub mod optimal;
mod overlap;

/// What became of a predicted or a gold span. The roman numerals are nervaluate's scenarios.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// I: same bounds, same label.
    Exact,
    /// IV: same bounds, other label.
    OtherLabel,
    /// V: overlap, same label.
    Overlap,
    /// VI: overlap, other label.
    OverlapOtherLabel,
    /// II: a prediction that meets no gold.
    Spurious,
    /// III: gold that no prediction meets.
    Missed,
}

impl Outcome {
    /// All outcomes, in the order of counts.
    pub const ALL: [Outcome; 6] = [
        Outcome::Exact,
        Outcome::OtherLabel,
        Outcome::Overlap,
        Outcome::OverlapOtherLabel,
        Outcome::Spurious,
        Outcome::Missed,
    ];

    /// Name in reports and queries.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Exact => "exact",
            Outcome::OtherLabel => "other_label",
            Outcome::Overlap => "overlap",
            Outcome::OverlapOtherLabel => "overlap_other_label",
            Outcome::Spurious => "spurious",
            Outcome::Missed => "missed",
        }
    }
}

/// No span on this side.
pub const NONE: u32 = u32::MAX;

/// One decision of an aligner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// What happened.
    pub outcome: Outcome,
    /// The gold span, as an index into its corpus, or [`NONE`].
    pub gold: u32,
    /// The predicted span, or [`NONE`].
    pub pred: u32,
    /// Scored label of the gold span, or [`NONE`].
    pub gold_label: u32,
    /// Scored label of the predicted span, or [`NONE`].
    pub pred_label: u32,
}

impl Event {
    /// The label that the counts are charged to: gold's where there is gold.
    pub fn charged(&self) -> u32 {
        if self.gold_label == NONE { self.pred_label } else { self.gold_label }
    }
}

/// Events of a run, document by document in pairing order; within one, predictions in input order, then
/// missed gold in input order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Events {
    /// All events.
    pub list: Vec<Event>,
    /// Where each document's events end.
    pub ends: Vec<u32>,
}

impl Events {
    /// The events of one document.
    pub fn of(&self, document: usize) -> &[Event] {
        let start = if document == 0 { 0 } else { self.ends[document - 1] as usize };
        &self.list[start..self.ends[document] as usize]
    }
}

/// A span as aligners see it: filtered to the scored labels, in input order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Item {
    /// First code point.
    pub start: i64,
    /// One past the last code point.
    pub end: i64,
    /// Scored label.
    pub label: u32,
    /// Index in the corpus.
    pub span: u32,
}

impl Item {
    fn value(&self) -> (i64, i64, u32) {
        (self.start, self.end, self.label)
    }
}

/// A published definition, by name.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Definition {
    /// The name used everywhere, such as `nervaluate-0.1.8`.
    pub name: &'static str,
    /// What the headline number is called.
    pub headline: &'static str,
    /// The mode whose F1 is the headline number: a field of [`crate::report::Modes`].
    pub headline_mode: &'static str,
    /// The definition in one or two sentences.
    pub words: &'static str,
    /// Where the definition comes from.
    pub source: &'static str,
    /// Whether every clean-up switch is on unless `clean` says otherwise.
    pub cleans: bool,
}

/// The scored spans of one side of a document.
#[derive(Clone, Copy)]
pub struct Spans<'a> {
    /// In input order.
    pub items: &'a [Item],
    /// The corpus that their indices point into.
    pub corpus: &'a Corpus,
}

impl<'a> Spans<'a> {
    /// The fragments of a discontinuous span, in code points; empty for a contiguous one.
    pub fn fragments(&self, item: &Item) -> &'a [(i64, i64)] {
        let span = self.corpus.spans.get(item.span as usize);
        span.and_then(|span| self.corpus.detail(span)).map_or(&[], |detail| &detail.fragments)
    }
}

/// Aligns documents one after another; may hold buffers.
pub trait Aligner {
    /// Appends the events of one document.
    fn align(&mut self, gold: Spans<'_>, pred: Spans<'_>, out: &mut Vec<Event>);
}

/// A definition and what carries it out.
pub struct Method {
    /// What is shown of it.
    pub definition: Definition,
    /// A new aligner.
    pub aligner: fn() -> Box<dyn Aligner>,
    /// Pairs are one to one and no order of the spans changes them.
    pub order_free: bool,
    /// It reads all fragments of a discontinuous span: it is given envelopes, whatever `fragments` says.
    pub knows_fragments: bool,
}

/// Every method, the default first.
pub static METHODS: &[&Method] = &[&nervaluate::METHOD, &optimal::METHOD];
