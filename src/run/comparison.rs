//! Gold against one system: both corpora seen through the labels and documents that are scored.

use super::options::Tokens;
use super::rules::Selection;
use super::{OnProgress, Options, Progress};
use crate::align::{Event, Events, Item, Method, NONE, Outcome};
use crate::corpus::pairing::Pairing;
use crate::corpus::scheme::Scheme;
use crate::corpus::text::{TextReader, code_points, locate};
use crate::corpus::{Corpus, Document};
use crate::failure::Failure;
use crate::metrics::token::TokenCounts;
use crate::report::TokenReport;
use crate::tokens::{self, Canvas, O, Token, TokenSource};

/// In which order spans are given to the aligner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Given,
    GoldReversed,
    PredReversed,
}

/// Two corpora and what is scored of them.
pub(super) struct Comparison<'a> {
    pub(super) method: &'static Method,
    pub(super) gold: &'a Corpus,
    pub(super) pred: &'a Corpus,
    pub(super) pairing: &'a Pairing,
    pub(super) selection: &'a Selection,
    pub(super) scheme: &'a Scheme,
}

/// What is noticed about the spans while they are aligned.
#[derive(Default)]
pub(super) struct Noticed {
    /// Gold spans per scored label, in the documents scored.
    pub(super) gold: Vec<u64>,
    /// Predicted spans per scored label.
    pub(super) pred: Vec<u64>,
    /// Documents in which spans of one side overlap (ends inclusive), so that order matters.
    pub(super) overlapping: u64,
    /// Exact predictions of gold that was hit before.
    pub(super) repeated: u64,
    /// Gold spans that repeat another one.
    pub(super) duplicate_gold: u64,
}

impl Comparison<'_> {
    /// The scored spans of a gold document, in input order.
    fn gold_items(&self, document: &Document, out: &mut Vec<Item>) {
        out.clear();
        for (span, at) in self.gold.spans_of(document).iter().zip(document.spans.clone()) {
            if let Some(label) = self.scheme.scored(&self.scheme.gold, span.label)
                && self.selection.keeps(self.gold, span)
            {
                out.push(Item { start: span.start, end: span.end, label, span: at });
            }
        }
    }

    /// The scored spans of a predicted document, in input order.
    fn pred_items(&self, document: &Document, out: &mut Vec<Item>) {
        out.clear();
        for (span, at) in self.pred.spans_of(document).iter().zip(document.spans.clone()) {
            if let Some(label) = self.scheme.scored(&self.scheme.pred, span.label) {
                out.push(Item { start: span.start, end: span.end, label, span: at });
            }
        }
    }

    /// Calls `each` with the scored spans of every pair.
    pub(super) fn for_each(&self, mut each: impl FnMut(&mut Vec<Item>, &mut Vec<Item>)) {
        let (mut gold, mut pred) = (Vec::new(), Vec::new());
        for &(g, p) in &self.pairing.pairs {
            self.gold_items(&self.gold.documents[g as usize], &mut gold);
            match p {
                Some(p) => self.pred_items(&self.pred.documents[p as usize], &mut pred),
                None => pred.clear(),
            }
            each(&mut gold, &mut pred);
        }
    }

    /// Aligns every pair and notices what the notes need.
    pub(super) fn align(&self, progress: OnProgress<'_>) -> (Events, Noticed) {
        let mut events = Events::default();
        let mut noticed = Noticed {
            gold: vec![0; self.scheme.scored],
            pred: vec![0; self.scheme.scored],
            ..Noticed::default()
        };
        let mut aligner = (self.method.aligner)();
        let mut sorted = Vec::new();
        let mut hit = Vec::new();
        let total = self.pairing.pairs.len() as u64;
        self.for_each(|gold, pred| {
            let from = events.list.len();
            aligner.align(gold, pred, &mut events.list);
            events.ends.push(events.list.len() as u32);
            gold.iter().for_each(|item| noticed.gold[item.label as usize] += 1);
            pred.iter().for_each(|item| noticed.pred[item.label as usize] += 1);
            let crossing = overlaps(gold, &mut sorted);
            if crossing {
                noticed.duplicate_gold += sorted.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
            }
            let both = !gold.is_empty() && !pred.is_empty();
            noticed.overlapping += u64::from((crossing || overlaps(pred, &mut sorted)) && both);
            noticed.repeated += repeated(&events.list[from..], &mut hit);
            progress(Progress { stage: "score", done: events.ends.len() as u64, total });
        });
        (events, noticed)
    }

    /// The events when spans come in another order, or some labels are not predicted.
    pub(super) fn realign(&self, order: Order, without: &[u32]) -> Events {
        let mut aligner = (self.method.aligner)();
        let mut events = Events::default();
        self.for_each(|gold, pred| {
            match order {
                Order::Given => {}
                Order::GoldReversed => gold.reverse(),
                Order::PredReversed => pred.reverse(),
            }
            if !without.is_empty() {
                pred.retain(|item| !without.contains(&item.label));
            }
            aligner.align(gold, pred, &mut events.list);
            events.ends.push(events.list.len() as u32);
        });
        events
    }

    /// The token report, or why there is none.
    pub(super) fn tokens(
        &self,
        options: &Options,
        progress: OnProgress<'_>,
    ) -> Result<Result<TokenReport, &'static str>, Failure> {
        let source = match options.tokens()? {
            Tokens::None => return Ok(Err("token scores were not asked for")),
            Tokens::From(source) => source,
            Tokens::Auto if self.gold.documents.iter().any(|d| d.tokens.is_some()) => TokenSource::File,
            Tokens::Auto => TokenSource::Words,
        };
        let mut counts = TokenCounts::default();
        let (mut gold_reader, mut pred_reader) = (TextReader::new(self.gold), TextReader::new(self.pred));
        let (mut text, mut list) = (String::new(), Vec::new());
        let (mut gold_canvas, mut pred_canvas) = (Canvas::default(), Canvas::default());
        let (mut gold_labels, mut pred_labels) = (Vec::new(), Vec::new());
        let total = self.pairing.pairs.len() as u64;
        for (done, &(g, p)) in self.pairing.pairs.iter().enumerate() {
            progress(Progress { stage: "tokens", done: done as u64, total });
            let document = &self.gold.documents[g as usize];
            let predicted = p.map(|p| &self.pred.documents[p as usize]);
            let found = gold_reader.read(document, &mut text)?
                || match predicted {
                    Some(predicted) => pred_reader.read(predicted, &mut text)?,
                    None => false,
                };
            let found = found
                && match source {
                    TokenSource::File => file_tokens(&mut gold_reader, document, &text, &mut list)?,
                    _ => {
                        tokens::tokenize(source, &text, &mut list);
                        true
                    }
                };
            if !found {
                counts.without_text += 1;
                continue;
            }
            counts.documents += 1;
            let length = code_points(text.as_bytes()) as usize;
            self.paint_gold(document, length, &mut gold_canvas);
            self.paint_pred(predicted, length, &mut pred_canvas);
            counts.gold_ties += gold_canvas.label(&list, &mut gold_labels);
            counts.pred_ties += pred_canvas.label(&list, &mut pred_labels);
            for (&gold, &pred) in gold_labels.iter().zip(&pred_labels) {
                counts.add(gold, pred);
            }
        }
        if counts.documents == 0 {
            return Ok(Err(match source {
                TokenSource::File => "no gold document holds tokens that its text has in this order",
                _ => "no document has a text, so there are no tokens to score",
            }));
        }
        Ok(Ok(counts.report(source, &self.scheme.names, self.scheme.scored)))
    }

    /// What a token of this label is counted as: a span labelled `O` paints over with no label.
    fn painted(&self, label: u32) -> u32 {
        if self.scheme.names[label as usize] == "O" { O } else { label + 1 }
    }

    /// Paints gold; labels outside the chosen ones are painted too.
    fn paint_gold(&self, document: &Document, length: usize, canvas: &mut Canvas) {
        canvas.clear(length);
        for span in self.gold.spans_of(document) {
            if let Some(label) = self.scheme.mapped(&self.scheme.gold, span.label)
                && self.selection.keeps(self.gold, span)
            {
                canvas.paint(span.start, span.end, self.painted(label));
            }
        }
    }

    fn paint_pred(&self, document: Option<&Document>, length: usize, canvas: &mut Canvas) {
        canvas.clear(length);
        for span in document.map_or(&[][..], |document| self.pred.spans_of(document)) {
            if let Some(label) = self.scheme.mapped(&self.scheme.pred, span.label) {
                canvas.paint(span.start, span.end, self.painted(label));
            }
        }
    }
}

/// The document's own tokens, placed in its text; false when it has none or they are not there.
fn file_tokens(
    reader: &mut TextReader<'_>,
    document: &Document,
    text: &str,
    out: &mut Vec<Token>,
) -> Result<bool, Failure> {
    let places = reader.tokens(document)?.and_then(|words| locate(text, &words));
    out.clear();
    out.extend(places.iter().flatten().map(|&(start, end)| (start as u32, end as u32)));
    Ok(places.is_some())
}

/// Whether spans of one side overlap or repeat; leaves them sorted.
fn overlaps(items: &[Item], sorted: &mut Vec<(i64, i64, u32)>) -> bool {
    sorted.clear();
    sorted.extend(items.iter().map(|item| (item.start, item.end, item.label)));
    sorted.sort_unstable();
    let mut reach = i64::MIN;
    sorted.iter().any(|&(start, end, _)| {
        let meets = start <= reach;
        reach = reach.max(end);
        meets
    })
}

/// Exact events of one document whose gold had an event before.
fn repeated(events: &[Event], hit: &mut Vec<u32>) -> u64 {
    hit.clear();
    hit.extend(
        events.iter().filter(|event| event.pred != NONE && event.gold != NONE).map(|event| event.gold),
    );
    hit.sort_unstable();
    if hit.windows(2).all(|pair| pair[0] != pair[1]) {
        return 0;
    }
    let mut seen = std::collections::BTreeSet::new();
    let again = |event: &&Event| event.gold != NONE && !seen.insert(event.gold);
    events.iter().filter(again).filter(|event| event.outcome == Outcome::Exact).count() as u64
}
