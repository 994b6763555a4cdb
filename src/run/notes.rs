//! What moved the number, or could: each a count and a sentence, shown beside the score.

use super::Scored;
use super::comparison::{Comparison, Noticed, Order, Otherwise};
use super::describe::offsets_in_words;
use super::options::{Fragments, Mode};
use super::rules::{OwnMap, Rules, Selection};
use crate::align::{Event, Events, Item, NONE, Outcome};
use crate::corpus::pairing::By;
use crate::corpus::scheme::{Fold, Mapping, Scheme};
use crate::corpus::{Corpus, Document, Span};
use crate::metrics::span;
use crate::report::{AnswerCounts, CleanUp, Note, SpanReport, TokenReport, Value};
use crate::tokens::tokenizer::Tokenizer;

/// Notes in the order in which they are shown.
#[derive(Default)]
pub(super) struct Notes {
    list: Vec<Note>,
}

impl Notes {
    /// Adds a note unless the count is zero; `{}` in the message is the count with its noun.
    fn add(&mut self, kind: &'static str, count: u64, noun: &str, message: &str) {
        if count == 0 {
            return;
        }
        let plural = match (count, noun) {
            (1, _) => "",
            (_, "match") => "es",
            _ => "s",
        };
        let message = message.replacen("{}", &format!("{count} {noun}{plural}"), 1);
        self.list.push(Note { kind, count, message });
    }

    /// Adds notes that were made elsewhere.
    pub(super) fn extend(&mut self, notes: Vec<Note>) {
        self.list.extend(notes);
    }

    /// All notes.
    pub(super) fn into_list(self) -> Vec<Note> {
        self.list
    }

    /// How offsets were read, where the spans' own texts decided it or a byte-order mark is not counted.
    pub(super) fn offsets(&mut self, run: &Comparison<'_>) {
        for (side, corpus) in [("Gold", run.gold), ("Predictions", run.pred)] {
            for found in corpus.offsets.iter().filter(|found| found.inferred || found.boms[1] > 0) {
                let message = format!("{side} ({}): offsets are {}.", found.format, offsets_in_words(found));
                self.list.push(Note { kind: "offsets", count: found.checked, message });
            }
        }
    }

    /// How documents met, where it was not by their ids.
    pub(super) fn pairing(&mut self, run: &Comparison<'_>, normalised: bool) {
        let both = run.pairing.pairs.iter().filter(|pair| pair.1.is_some()).count() as u64;
        let message = match run.pairing.by {
            By::Id => "",
            By::NormalisedId => "{} paired by ids normalised as confirmed.",
            By::Position => "{} paired by position, for want of ids.",
            By::Text => "{} paired by their text, for want of ids.",
        };
        if !message.is_empty() {
            self.add("paired_otherwise", both, "document", message);
        }
        if let Some(proposal) = run.pairing.proposal.as_ref().filter(|_| !normalised) {
            let message = format!(
                "{{}} more would meet if ids were compared without {}: confirm with normaliseIds.",
                proposal.steps.join(", ")
            );
            self.add("ids_could_meet", proposal.more, "document", &message);
        }
    }

    /// Gold that is not all of the benchmark's, or more.
    pub(super) fn gold_of(
        &mut self,
        rules: &Rules,
        selection: &Selection,
        gold: &Corpus,
        scored: Option<&Scored>,
    ) {
        let Some(dataset) = rules.dataset.filter(|_| rules.mode == Mode::Reference) else { return };
        let (Some((documents, spans)), Some(scored)) = (dataset.gold, scored) else { return };
        let kept = |document: &Document| {
            let keeps = |span: &&Span| {
                scored.scheme.scored(&scored.scheme.gold, span.label).is_some() && selection.keeps(gold, span)
            };
            gold.spans_of(document).iter().filter(keeps).count() as u64
        };
        let each = || gold.documents.iter().map(kept).filter(|spans| *spans > 0);
        let here = (each().count() as u64, each().sum::<u64>());
        if here != (documents, spans) {
            let message = format!(
                "Gold is not the benchmark's {}: {} documents and {} spans of its clinical types, where the benchmark has {documents} and {spans}; the score is not comparable with published ones.",
                dataset.shown.name, here.0, here.1
            );
            self.list.push(Note { kind: "dataset_gold_differs", count: here.1, message });
        }
    }

    /// A label map for other datasets than this one.
    pub(super) fn map_of(&mut self, rules: &Rules, system: &str) {
        if let Some((dataset, maps)) = rules.no_map_for(system) {
            let message = format!(
                "The label map given has maps for {maps}, none for {dataset}: predictions are read by the dataset's own labels."
            );
            self.list.push(Note { kind: "no_map_for_dataset", count: 1, message });
        }
    }

    /// Gold and predictions that are the same file.
    pub(super) fn same_file(&mut self, same: bool) {
        if same {
            let message = "The same file is on both sides: gold is compared with itself.".to_owned();
            self.list.push(Note { kind: "same_file", count: 1, message });
        }
    }

    /// The label maps among a system's files.
    pub(super) fn own_map(&mut self, found: Option<OwnMap>) {
        let message = match found {
            None => return,
            Some(OwnMap::Used) => "Labels are mapped by the config among the files.".to_owned(),
            Some(OwnMap::Overruled) => "The config's label map is not used: the options give one.".to_owned(),
            Some(OwnMap::NoneFits(Some(dataset))) => {
                format!("The config among the files has no label map for {dataset}: it is not used.")
            }
            Some(OwnMap::NoneFits(None)) => {
                "The config among the files has label maps of several datasets: choose one of them."
                    .to_owned()
            }
        };
        self.list.push(Note { kind: "config", count: 1, message });
    }

    /// Documents of one side alone.
    pub(super) fn documents(&mut self, run: &Comparison<'_>, events: &Events) {
        let missing = run.pairing.pairs.iter().filter(|pair| pair.1.is_none()).count() as u64;
        if missing > 0 && events.list.is_empty() {
            let message = "{} without predictions: counted as without predicted labels.";
            self.add("documents_without_prediction", missing, "gold document", message);
        } else if missing > 0 {
            let mut common = Events::default();
            for (at, _) in run.pairing.pairs.iter().enumerate().filter(|(_, pair)| pair.1.is_some()) {
                common.list.extend_from_slice(events.of(at));
            }
            let message = format!(
                "{{}} without predictions: all of their gold counts as missed; ent_type F1 is {:.4} over the common documents alone.",
                f1(run, &common)
            );
            self.add("documents_without_prediction", missing, "gold document", &message);
        }
        let extra = run.pairing.predicted_only.len() as u64;
        let message = "{} without gold: not scored.";
        self.add("documents_without_gold", extra, "predicted document", message);
        let differ = run.pairing.pairs.iter().filter(|&&(gold, pred)| {
            let pred = pred.and_then(|pred| {
                let document = &run.pred.documents[pred as usize];
                document.settled_on.or(document.digest)
            });
            run.gold.documents[gold as usize].digest.zip(pred).is_some_and(|(gold, pred)| gold != pred)
        });
        let message = "{} with another text on either side: scored as given.";
        self.add("texts_differ", differ.count() as u64, "document", message);
    }

    /// Spans that labels keep out of the score.
    pub(super) fn left_out(&mut self, run: &Comparison<'_>, spans: &SpanReport) {
        let out = LeftOut::new(run);
        let of = |[gold, pred]: [u64; 2]| format!("({gold} gold, {pred} predicted)");
        let message =
            format!("{{}} {} with labels that are not among the labels scored: left out.", of(out.other));
        self.add("labels_not_scored", out.other.iter().sum(), "span", &message);
        let message = format!("{{}} {} with labels that the map does not name: dropped.", of(out.unmapped));
        self.add("unmapped", out.unmapped.iter().sum(), "span", &message);
        let unseen = spans.per_label.iter().filter(|label| label.support == 0 && label.predicted == 0);
        let names: Vec<&str> = unseen.clone().map(|label| label.label.as_str()).take(10).collect();
        let message = format!("{{}} of the labels scored on neither side ({}).", names.join(", "));
        self.add("labels_unseen", unseen.count() as u64, "label", &message);
    }

    /// Overlaps within a side, which make the score depend on the order of spans.
    pub(super) fn order(&mut self, run: &Comparison<'_>, events: &Events, noticed: &Noticed) {
        if noticed.overlapping == 0 || run.method.order_free {
            return;
        }
        let given = f1(run, events);
        let [gold, pred] = [Order::GoldReversed, Order::PredReversed]
            .map(|order| f1(run, &run.realign(&Otherwise { order, ..Otherwise::default() })));
        let effect = if gold == given && pred == given {
            "reversing either side gives the same ent_type F1".to_owned()
        } else {
            format!(
                "ent_type F1 is {given:.4} as given, {gold:.4} with gold reversed and {pred:.4} with \
                 predictions reversed"
            )
        };
        let message = format!(
            "Spans of one side overlap in {{}}, so the score can depend on their order in the file: {effect}."
        );
        self.add("order", noticed.overlapping, "document", &message);
    }

    /// What the definition counts as one would not expect.
    pub(super) fn surprises(&mut self, run: &Comparison<'_>, events: &Events, noticed: &Noticed) {
        if !run.method.order_free {
            let touching = events.list.iter().filter(|event| touches(run, event)).count() as u64;
            let message = "{} between spans that only touch: this definition counts them as overlapping.";
            self.add("touching", touching, "match", message);
            let message =
                "{} exactly on gold that was hit before: this definition counts each as correct again.";
            self.add("repeated_predictions", noticed.repeated, "prediction", message);
            let message = "{} like one before it: one hit covers all of them, so possible is lower than the gold count.";
            self.add("duplicate_gold", noticed.duplicate_gold, "gold span", message);
        }
        let message = match run.fragments {
            _ if run.method.knows_fragments => "{} scored by all fragments.",
            Fragments::Envelope => "{} scored by the envelope (first start to last end).",
            Fragments::First => "{} scored by the first fragment.",
            Fragments::Each => "{} scored as a span for each fragment.",
        };
        self.add("discontinuous", discontinuous(run), "discontinuous span", message);
    }

    /// Spans of tags that are not well formed, and the strict score without them.
    pub(super) fn ill_formed(&mut self, run: &Comparison<'_>) {
        let count = |corpus: &Corpus| corpus.any_detail(|detail| detail.ill_formed);
        if !count(run.gold) && !count(run.pred) {
            return;
        }
        let mut spans = [0_u64; 2];
        run.for_each(|items| {
            for (side, (corpus, items)) in
                [(run.gold, &items.gold), (run.pred, &items.pred)].into_iter().enumerate()
            {
                let ill = |item: &&Item| {
                    corpus.detail(&corpus.spans[item.span as usize]).is_some_and(|detail| detail.ill_formed)
                };
                spans[side] += items.iter().filter(ill).count() as u64;
            }
        });
        let events = run.realign(&Otherwise { well_formed: true, ..Otherwise::default() });
        let strict = span::modes(&span::total(&span::tallies(&events, run.scheme.scored))).strict.f1;
        let message = format!(
            "{{}} with tags that are not well formed ({} gold, {} predicted), read as conlleval does: a strict reader drops them, and strict F1 is then {:.4}.",
            spans[0],
            spans[1],
            strict.value.unwrap_or(0.0)
        );
        self.add("ill_formed_tags", spans[0] + spans[1], "span", &message);
    }

    /// What clean-up does, or would do.
    pub(super) fn clean(&mut self, clean: &[CleanUp]) {
        for one in clean {
            let (noun, done, would) = match one.switch {
                "trim" => {
                    ("span", "{} with white space at an edge trimmed", "trim white space at the edges of {}")
                }
                "dedupe" => ("duplicate span", "{} removed", "remove {}"),
                "unusable" => (
                    "unusable span",
                    "{} taken out: predictions count as spurious, gold is left out",
                    "take out {}",
                ),
                _ => ("span", "{} labelled O left out", "leave out {} labelled O"),
            };
            let value = |value: Value| value.value.map_or("—".to_owned(), |value| format!("{value:.4}"));
            let (with, without) = (value(one.with), value(one.without));
            let message = if one.on {
                format!("{done} (clean-up {}): ent_type F1 is {with}, {without} without it.", one.switch)
            } else {
                format!("Clean-up {} would {would}: ent_type F1 {without} → {with}.", one.switch)
            };
            self.add("clean", one.gold + one.predicted, noun, &message);
        }
    }

    /// Predicted labels that are known in another spelling.
    pub(super) fn folds(&mut self, folds: &[Fold], applied: bool) {
        let shown = |fold: &Fold| {
            let name = |label: &str| label.chars().take(40).collect::<String>();
            format!("{} {} {}", name(&fold.from), if applied { "as" } else { "could be" }, name(&fold.to))
        };
        let mut list: Vec<String> = folds.iter().take(10).map(shown).collect();
        list.extend((folds.len() > 10).then(|| "…".to_owned()));
        let message = format!(
            "{{}} of the predictions in another spelling: {}{}.",
            list.join(", "),
            if applied { "" } else { "; apply with foldLabels" }
        );
        self.add("labels_could_fold", folds.len() as u64, "label", &message);
    }

    /// What became of generated text.
    pub(super) fn answers(&mut self, answers: &AnswerCounts) {
        let AnswerCounts { parsed, failed, items, hallucinated, unmapped, inside, .. } = answers;
        let parser = if answers.rule == "reference" { "reference parser" } else { "aligned" };
        let message = format!(
            "{{}}: {parsed} parsed, {failed} failed; of {items} items {hallucinated} hallucinated, {unmapped} \
             unmapped, {inside} inside another or repeated ({parser})."
        );
        self.add("answers", answers.answers, "answer", &message);
    }

    /// Spans without a place in the text.
    pub(super) fn unplaced(&mut self, run: &Comparison<'_>) {
        let of = |corpus: &Corpus| {
            let unplaced = |span: &&Span| corpus.detail(span).is_some_and(|detail| detail.unplaced);
            if corpus.has_details() { corpus.spans.iter().filter(unplaced).count() as u64 } else { 0 }
        };
        let (gold, pred) = (of(run.gold), of(run.pred));
        let message = format!(
            "{{}} without a place in the text ({gold} gold, {pred} predicted): not scored{}.",
            if run.clean.unusable {
                ", predictions count as spurious"
            } else {
                "; clean-up would count predictions as spurious"
            }
        );
        self.add("unplaced", gold + pred, "span", &message);
    }

    /// Labels that only the predictions have, and the score without them.
    pub(super) fn labels(&mut self, run: &Comparison<'_>, spans: &SpanReport) {
        let only: Vec<u32> = (0..run.scheme.scored as u32)
            .filter(|&at| {
                let label = &spans.per_label[at as usize];
                label.support == 0 && label.predicted > 0
            })
            .collect();
        let count = only.iter().map(|&at| spans.per_label[at as usize].predicted).sum();
        if count == 0 {
            return;
        }
        let without = f1(run, &run.realign(&Otherwise { without: &only, ..Otherwise::default() }));
        let name = |&at: &u32| run.scheme.names[at as usize].chars().take(40).collect::<String>();
        let names: Vec<String> = only.iter().take(5).map(name).collect();
        let more = if only.len() > 5 { ", …" } else { "" };
        let message = format!(
            "{{}} with labels that gold never has ({}{more}): ent_type F1 is {without:.4} when they are left out.",
            names.join(", ")
        );
        self.add("predicted_only_labels", count, "prediction", &message);
    }

    /// Ties and documents that the token scores do not hold.
    pub(super) fn tokens(&mut self, tokens: &TokenReport) {
        let ties = tokens.gold_ties + tokens.predicted_ties;
        let message =
            "{} with equally many characters of two labels: the earlier character's label is taken.";
        self.add("token_ties", ties, "token", message);
        let message = "{} without text or tokens: not in the token scores.";
        self.add("tokens_without_text", tokens.documents_without_text, "document", message);
        let message = "{} on which the tokenizer failed: not in the token scores.";
        self.add("tokenizer_failed", tokens.tokenizer_failed, "document", message);
    }

    /// A tokenizer that was given in vain.
    pub(super) fn tokenizer(&mut self, given: Option<&Tokenizer>) {
        if let Some(why) = given.and_then(|tokenizer| tokenizer.description.failure.as_ref()) {
            let message = format!("The tokenizer that was given cannot be used: {why}.");
            self.list.push(Note { kind: "tokenizer_unusable", count: 1, message });
        }
    }
}

/// The headline F1 of events.
pub(super) fn headline(run: &Comparison<'_>, events: &Events) -> Value {
    let tally = span::total(&span::tallies(events, run.scheme.scored));
    span::modes(&tally).ent_type.f1
}

/// The same, 0 where it is undefined.
fn f1(run: &Comparison<'_>, events: &Events) -> f64 {
    headline(run, events).value.unwrap_or(0.0)
}

/// Whether a pair only touches.
pub(super) fn touches(run: &Comparison<'_>, event: &Event) -> bool {
    matches!(event.outcome, Outcome::Overlap | Outcome::OverlapOtherLabel) && {
        let (gold, pred) = (&run.gold.spans[event.gold as usize], &run.pred.spans[event.pred as usize]);
        gold.end <= pred.start || pred.end <= gold.start
    }
}

/// Discontinuous spans that are scored, on both sides.
fn discontinuous(run: &Comparison<'_>) -> u64 {
    if !run.gold.has_details() && !run.pred.has_details() {
        return 0;
    }
    let mut count = 0;
    run.for_each(|items| {
        for (corpus, items) in [(run.gold, &items.gold), (run.pred, &items.pred)] {
            let mut last = NONE;
            for item in items {
                let detail = corpus.detail(&corpus.spans[item.span as usize]);
                let fragments = detail.is_some_and(|detail| detail.fragments.len() > 1);
                // Each fragment may be an item of its own.
                count += u64::from(fragments && item.span != last);
                last = item.span;
            }
        }
    });
    count
}

/// Spans of the documents scored that are not, gold and predicted.
#[derive(Default)]
struct LeftOut {
    /// Their label is not among the labels scored.
    other: [u64; 2],
    /// The map drops their label.
    unmapped: [u64; 2],
}

impl LeftOut {
    fn new(run: &Comparison<'_>) -> Self {
        let mut out = LeftOut::default();
        for &(gold, pred) in &run.pairing.pairs {
            out.count(0, run.scheme, &run.scheme.gold, run.gold.spans_of(&run.gold.documents[gold as usize]));
            if let Some(pred) = pred {
                let document = &run.pred.documents[pred as usize];
                out.count(1, run.scheme, &run.scheme.pred, run.pred.spans_of(document));
            }
        }
        out
    }

    fn count(&mut self, side: usize, scheme: &Scheme, mapping: &Mapping, spans: &[Span]) {
        for span in spans {
            match scheme.mapped(mapping, span.label) {
                None => self.unmapped[side] += 1,
                Some(label) if label as usize >= scheme.scored => self.other[side] += 1,
                Some(_) => {}
            }
        }
    }
}
