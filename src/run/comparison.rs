//! Gold against one system: both corpora seen through the labels and documents that are scored.

use super::options::{Clean, Fragments, Tokens};
use super::rules::Selection;
use super::{OnProgress, Options, Progress};
use crate::align::{Event, Events, Item, Method, NONE, Outcome, Spans};
use crate::corpus::pairing::Pairing;
use crate::corpus::scheme::Scheme;
use crate::corpus::text::{TextReader, code_points, locate};
use crate::corpus::{Corpus, Document, Span};
use crate::failure::Failure;
use crate::metrics::token::TokenCounts;
use crate::report::TokenReport;
use crate::tokens::tokenizer::Tokenizer;
use crate::tokens::{self, Canvas, O, Token, TokenSource};
use rustc_hash::FxHashSet;

/// Overlapping pairs of one document that an order-free pairing takes.
const MOST_PAIRS: usize = 1 << 22;

/// In which order spans are given to the aligner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Order {
    #[default]
    Given,
    GoldReversed,
    PredReversed,
}

/// Two corpora and what is scored of them.
#[derive(Clone, Copy)]
pub(super) struct Comparison<'a> {
    pub(super) method: &'static Method,
    pub(super) gold: &'a Corpus,
    pub(super) pred: &'a Corpus,
    pub(super) pairing: &'a Pairing,
    pub(super) selection: &'a Selection,
    pub(super) scheme: &'a Scheme,
    pub(super) fragments: Fragments,
    pub(super) clean: Clean,
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
    /// Spans that each clean-up switch concerns, gold and predicted.
    pub(super) cleanable: [Cleanable; 2],
    /// Gold documents with tokens whose label is a tie, and how many in gold and in the predictions.
    pub(super) ties: Vec<(u32, u64, u64)>,
    /// Pairs with such spans, and what concerns them.
    pub(super) concerned: Vec<(usize, Cleanable)>,
}

/// Scored spans of one side that clean-up concerns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Cleanable {
    pub(super) trim: u64,
    pub(super) dedupe: u64,
    pub(super) unusable: u64,
    pub(super) o_label: u64,
}

/// The scored spans of one document, both sides, in input order.
#[derive(Default)]
pub(super) struct Items {
    pub(super) gold: Vec<Item>,
    pub(super) pred: Vec<Item>,
    /// Unusable predictions that clean-up counts as spurious without aligning them.
    pub(super) spurious: Vec<Item>,
    cleanable: [Cleanable; 2],
}

/// How spans are given to the aligner, other than they are scored.
#[derive(Debug, Clone, Default)]
pub(super) struct Otherwise<'w> {
    pub(super) order: Order,
    /// Labels that are not predicted.
    pub(super) without: &'w [u32],
    /// Spans of ill-formed tags are left out.
    pub(super) well_formed: bool,
}

impl Comparison<'_> {
    /// Collects one side of a pair: `length` is the text's, where it is known.
    fn collect(&self, gold: bool, document: &Document, length: Option<i64>, items: &mut Items) {
        let (corpus, mapping) =
            if gold { (self.gold, &self.scheme.gold) } else { (self.pred, &self.scheme.pred) };
        let tally = &mut items.cleanable[usize::from(!gold)];
        let out = if gold { &mut items.gold } else { &mut items.pred };
        for (span, at) in corpus.spans_of(document).iter().zip(document.spans.clone()) {
            let Some(label) = self.scheme.scored(mapping, span.label) else { continue };
            if gold && !self.selection.keeps(corpus, span) {
                continue;
            }
            let detail = corpus.detail(span);
            let item = |(start, end): (i64, i64)| Item { start, end, label, span: at };
            if self.scheme.nothing == Some(label) {
                tally.o_label += 1;
                if self.clean.o_label {
                    continue;
                }
            }
            let unplaced = detail.is_some_and(|detail| detail.unplaced);
            if unplaced || span.fault(length).is_some() {
                tally.unusable += 1;
                if self.clean.unusable {
                    if !gold {
                        items.spurious.push(item((span.start, span.end)));
                    }
                    continue;
                }
            }
            if unplaced {
                continue;
            }
            let Some(detail) = detail else {
                out.push(item((span.start, span.end)));
                continue;
            };
            match (&detail.fragments[..], self.fragments_given()) {
                ([first, _, ..], Fragments::First) => out.push(item(*first)),
                (fragments @ [_, _, ..], Fragments::Each) => out.extend(fragments.iter().copied().map(item)),
                _ => {
                    tally.trim += u64::from(detail.trimmed.is_some());
                    let trimmed = detail.trimmed.filter(|_| self.clean.trim);
                    out.push(item(trimmed.unwrap_or((span.start, span.end))));
                }
            }
        }
        if self.clean.dedupe {
            let before = out.len();
            let mut seen = FxHashSet::default();
            out.retain(|item| seen.insert(self.value(corpus, item)));
            tally.dedupe += (before - out.len()) as u64;
        }
    }

    /// What tells an item from others of its document, as the definition sees it.
    fn value<'c>(&self, corpus: &'c Corpus, item: &Item) -> (i64, i64, u32, &'c [(i64, i64)]) {
        let detail = corpus.detail(&corpus.spans[item.span as usize]);
        let fragments = detail.filter(|_| self.method.knows_fragments).map_or(&[][..], |d| &d.fragments);
        (item.start, item.end, item.label, fragments)
    }

    /// Says when a document has more overlapping pairs of spans than an order-free pairing can hold in memory.
    pub(super) fn feasible(&self) -> Result<(), Failure> {
        if !self.method.order_free {
            return Ok(());
        }
        let (mut items, mut sorted) = (Items::default(), [Vec::new(), Vec::new()]);
        for (at, &(gold, pred)) in self.pairing.pairs.iter().enumerate() {
            let spans = |document: &Document| document.spans.len().max(1);
            let most = pred.map_or(1, |pred| spans(&self.pred.documents[pred as usize]));
            // Few documents have so many spans that these must be looked at.
            if self.fragments_given() != Fragments::Each
                && spans(&self.gold.documents[gold as usize]).saturating_mul(most) <= MOST_PAIRS
            {
                continue;
            }
            self.pair(at, &mut items);
            if items.gold.len().saturating_mul(items.pred.len()) <= MOST_PAIRS {
                continue;
            }
            // A prediction meets the gold spans that begin before its end, but for those that end before it.
            sorted[0].clear();
            sorted[1].clear();
            sorted[0].extend(items.gold.iter().map(|item| item.start));
            sorted[1].extend(items.gold.iter().map(|item| item.end));
            sorted.iter_mut().for_each(|list| list.sort_unstable());
            let meets = |item: &Item| {
                let begun = sorted[0].partition_point(|&start| start < item.end);
                begun.saturating_sub(sorted[1].partition_point(|&end| end <= item.start))
            };
            let pairs: usize = items.pred.iter().map(meets).sum();
            if pairs > MOST_PAIRS {
                let document = &self.gold.documents[gold as usize].id;
                let message = format!(
                    "document {document}: {pairs} pairs of overlapping spans; an order-free pairing takes at most {MOST_PAIRS} in a document: choose another definition, or look for spans given many times"
                );
                return Err(Failure::new("too_many_overlaps", message));
            }
        }
        Ok(())
    }

    /// Calls `each` with the scored spans of every pair.
    pub(super) fn for_each(&self, mut each: impl FnMut(&mut Items)) {
        let mut items = Items::default();
        for at in 0..self.pairing.pairs.len() {
            self.pair(at, &mut items);
            each(&mut items);
        }
    }

    /// The scored spans of one pair.
    fn pair(&self, at: usize, items: &mut Items) {
        let (g, p) = self.pairing.pairs[at];
        items.gold.clear();
        items.pred.clear();
        items.spurious.clear();
        items.cleanable = Default::default();
        let gold = &self.gold.documents[g as usize];
        let pred = p.map(|p| &self.pred.documents[p as usize]);
        let digest = gold.digest.or_else(|| pred?.digest);
        let length = digest.map(|digest| i64::try_from(digest.length).unwrap_or(i64::MAX));
        self.collect(true, gold, length, items);
        if let Some(pred) = pred {
            self.collect(false, pred, length, items);
        }
    }

    fn gold_spans<'i>(&'i self, items: &'i Items) -> Spans<'i> {
        Spans { items: &items.gold, corpus: self.gold }
    }

    fn pred_spans<'i>(&'i self, items: &'i Items) -> Spans<'i> {
        Spans { items: &items.pred, corpus: self.pred }
    }

    /// How discontinuous spans are given to the aligner.
    pub(super) fn fragments_given(&self) -> Fragments {
        if self.method.knows_fragments { Fragments::Envelope } else { self.fragments }
    }

    /// The events of some pairs alone, in which `change` has changed what is given.
    pub(super) fn align_pairs(
        &self,
        pairs: impl Iterator<Item = usize>,
        change: impl Fn(&mut Items),
    ) -> Events {
        let mut aligner = (self.method.aligner)();
        let (mut events, mut items) = (Events::default(), Items::default());
        for at in pairs {
            self.pair(at, &mut items);
            change(&mut items);
            aligner.align(self.gold_spans(&items), self.pred_spans(&items), &mut events.list);
            end_document(&items.spurious, &mut events);
        }
        events
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
        self.for_each(|items| {
            let from = events.list.len();
            aligner.align(self.gold_spans(items), self.pred_spans(items), &mut events.list);
            noticed.repeated += repeated(&events.list[from..], &mut hit);
            end_document(&items.spurious, &mut events);
            items.gold.iter().for_each(|item| noticed.gold[item.label as usize] += 1);
            let predicted = items.pred.iter().chain(&items.spurious);
            predicted.for_each(|item| noticed.pred[item.label as usize] += 1);
            let mut crossing = [false; 2];
            for (side, list) in [&items.gold, &items.pred].into_iter().enumerate() {
                crossing[side] = overlaps(list, &mut sorted);
                if crossing[side] {
                    // Spans with one envelope may have other fragments.
                    let again = if self.method.knows_fragments {
                        let corpus = if side == 0 { self.gold } else { self.pred };
                        let values: FxHashSet<_> = list.iter().map(|item| self.value(corpus, item)).collect();
                        (list.len() - values.len()) as u64
                    } else {
                        sorted.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64
                    };
                    items.cleanable[side].dedupe += again;
                    noticed.duplicate_gold += if side == 0 { again } else { 0 };
                }
                noticed.cleanable[side].add(&items.cleanable[side]);
            }
            let mut both_sides = items.cleanable[0];
            both_sides.add(&items.cleanable[1]);
            if both_sides != Cleanable::default() {
                noticed.concerned.push((events.ends.len() - 1, both_sides));
            }
            let both = !items.gold.is_empty() && !items.pred.is_empty();
            noticed.overlapping += u64::from((crossing[0] || crossing[1]) && both);
            progress(Progress { stage: "score", done: events.ends.len() as u64, total });
        });
        (events, noticed)
    }

    /// The events when spans are given otherwise.
    pub(super) fn realign(&self, otherwise: &Otherwise<'_>) -> Events {
        let well_formed = |corpus: &Corpus, item: &Item| {
            corpus.detail(&corpus.spans[item.span as usize]).is_none_or(|detail| !detail.ill_formed)
        };
        self.align_pairs(0..self.pairing.pairs.len(), |items| {
            match otherwise.order {
                Order::Given => {}
                Order::GoldReversed => items.gold.reverse(),
                Order::PredReversed => items.pred.reverse(),
            }
            if !otherwise.without.is_empty() {
                items.pred.retain(|item| !otherwise.without.contains(&item.label));
            }
            if otherwise.well_formed {
                items.gold.retain(|item| well_formed(self.gold, item));
                items.pred.retain(|item| well_formed(self.pred, item));
            }
        })
    }

    /// The token report, or why there is none. `tokenizer` is the system's, or the run's.
    pub(super) fn tokens(
        &self,
        options: &Options,
        tokenizer: Option<&Tokenizer>,
        noticed: &mut Noticed,
        progress: OnProgress<'_>,
    ) -> Result<Result<TokenReport, String>, Failure> {
        let source = match options.tokens()? {
            Tokens::None => return Ok(Err("token scores were not asked for".to_owned())),
            Tokens::From(source) => source,
            Tokens::Auto if self.gold.documents.iter().any(|d| d.tokens.is_some()) => TokenSource::File,
            Tokens::Auto if tokenizer.is_some() => TokenSource::Tokenizer,
            Tokens::Auto => TokenSource::Words,
        };
        let tokenizer = tokenizer.filter(|_| source == TokenSource::Tokenizer);
        if let Some(why) = tokenizer.and_then(|tokenizer| tokenizer.description.failure.as_ref()) {
            return Ok(Err(format!("the tokenizer cannot be used: {why}")));
        }
        if source == TokenSource::Tokenizer && tokenizer.is_none() {
            return Ok(Err("no tokenizer.json was given for this system".to_owned()));
        }
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
            let length = code_points(text.as_bytes()) as usize;
            if tokenizer.is_some_and(|tokenizer| !tokenizer.tokens(&text, length, &mut list)) {
                counts.tokenizer_failed += 1;
                continue;
            }
            counts.documents += 1;
            self.paint_gold(document, length, &mut gold_canvas);
            self.paint_pred(predicted, length, &mut pred_canvas);
            let gold_ties = gold_canvas.label(&list, &mut gold_labels);
            let pred_ties = pred_canvas.label(&list, &mut pred_labels);
            (counts.gold_ties, counts.pred_ties) =
                (counts.gold_ties + gold_ties, counts.pred_ties + pred_ties);
            if gold_ties + pred_ties > 0 {
                noticed.ties.push((g, gold_ties, pred_ties));
            }
            for (&gold, &pred) in gold_labels.iter().zip(&pred_labels) {
                counts.add(gold, pred);
            }
        }
        if counts.documents == 0 {
            return Ok(Err(match source {
                TokenSource::File => {
                    "no gold document holds tokens that its text has in this order".to_owned()
                }
                _ if counts.tokenizer_failed > 0 => "the tokenizer failed on every document".to_owned(),
                _ => "no document has a text, so there are no tokens to score".to_owned(),
            }));
        }
        let words = tokenizer.map_or_else(|| source.words().to_owned(), Tokenizer::words);
        Ok(Ok(counts.report(source, words, &self.scheme.names, self.scheme.scored)))
    }

    /// What a token of this label is counted as: a span labelled `O` paints over with no label.
    fn painted(&self, label: u32) -> u32 {
        if self.scheme.nothing == Some(label) { O } else { label + 1 }
    }

    /// Paints gold; labels outside the chosen ones are painted too.
    fn paint_gold(&self, document: &Document, length: usize, canvas: &mut Canvas) {
        canvas.clear(length);
        for span in self.gold.spans_of(document) {
            if let Some(label) = self.scheme.mapped(&self.scheme.gold, span.label)
                && self.selection.keeps(self.gold, span)
            {
                self.paint(self.gold, span, label, canvas);
            }
        }
    }

    fn paint_pred(&self, document: Option<&Document>, length: usize, canvas: &mut Canvas) {
        canvas.clear(length);
        for span in document.map_or(&[][..], |document| self.pred.spans_of(document)) {
            if let Some(label) = self.scheme.mapped(&self.scheme.pred, span.label) {
                self.paint(self.pred, span, label, canvas);
            }
        }
    }

    fn paint(&self, corpus: &Corpus, span: &Span, label: u32, canvas: &mut Canvas) {
        let label = self.painted(label);
        let Some(detail) = corpus.detail(span) else {
            canvas.paint(span.start, span.end, label);
            return;
        };
        if detail.unplaced {
            return;
        }
        // A definition that knows fragments labels the characters of each.
        let fragments = if self.method.knows_fragments { Fragments::Each } else { self.fragments };
        match (&detail.fragments[..], fragments) {
            ([first, _, ..], Fragments::First) => canvas.paint(first.0, first.1, label),
            (fragments @ [_, _, ..], Fragments::Each) => {
                fragments.iter().for_each(|&(start, end)| canvas.paint(start, end, label));
            }
            _ => {
                let trimmed = detail.trimmed.filter(|_| self.clean.trim);
                let (start, end) = trimmed.unwrap_or((span.start, span.end));
                canvas.paint(start, end, label);
            }
        }
    }
}

impl Cleanable {
    fn add(&mut self, other: &Cleanable) {
        self.trim += other.trim;
        self.dedupe += other.dedupe;
        self.unusable += other.unusable;
        self.o_label += other.o_label;
    }
}

/// Ends a document's events, after those of predictions that are spurious without being aligned.
fn end_document(spurious: &[Item], events: &mut Events) {
    events.list.extend(spurious.iter().map(|item| Event {
        outcome: Outcome::Spurious,
        gold: NONE,
        pred: item.span,
        gold_label: NONE,
        pred_label: item.label,
    }));
    events.ends.push(events.list.len() as u32);
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
