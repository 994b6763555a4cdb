//! What moved the number, or could: each a count and a sentence, shown beside the score.

use super::comparison::{Comparison, Noticed, Order};
use crate::align::{Event, Events, NONE, Outcome};
use crate::corpus::Corpus;
use crate::metrics::span;
use crate::report::{Note, SpanReport, TokenReport};
use std::collections::BTreeSet;

/// The notes of one system. `union` says that the labels scored are the union of both sides.
pub(super) fn notes(
    run: &Comparison<'_>,
    (events, noticed): (&Events, &Noticed),
    spans: &SpanReport,
    tokens: Option<&TokenReport>,
    union: bool,
) -> Vec<Note> {
    let mut notes = Vec::new();
    // `{}` in a message is the count with its noun.
    let mut add = |kind, count: u64, noun: &str, message: &str| {
        if count > 0 {
            let plural = match (count, noun) {
                (1, _) => "",
                (_, "match") => "es",
                _ => "s",
            };
            let message = message.replacen("{}", &format!("{count} {noun}{plural}"), 1);
            notes.push(Note { kind, count, message });
        }
    };
    let f1 = |events: &Events| {
        let tally = span::total(&span::tallies(events, run.scheme.scored));
        span::modes(&tally).ent_type.f1.value.unwrap_or(0.0)
    };
    let missing = run.pairing.pairs.iter().filter(|pair| pair.1.is_none()).count() as u64;
    add(
        "documents_without_prediction",
        missing,
        "gold document",
        "{} without predictions: all of their gold counts as missed.",
    );
    let extra = run.pairing.predicted_only.len() as u64;
    add("documents_without_gold", extra, "predicted document", "{} without gold: not scored.");
    if noticed.overlapping > 0 {
        let given = f1(events);
        let [gold, pred] =
            [Order::GoldReversed, Order::PredReversed].map(|order| f1(&run.realign(order, &[])));
        let effect = if gold == given && pred == given {
            "reversing either side gives the same ent_type F1".to_owned()
        } else {
            format!(
                "ent_type F1 is {given:.4} as given, {gold:.4} with gold reversed and {pred:.4} with \
                 predictions reversed"
            )
        };
        add(
            "order",
            noticed.overlapping,
            "document",
            &format!(
                "Spans of one side overlap in {{}}, so the score can depend on their order in the file: {effect}."
            ),
        );
    }
    let touching = events.list.iter().filter(|event| touches(run, event)).count() as u64;
    add(
        "touching",
        touching,
        "match",
        "{} between spans that only touch: this definition counts them as overlapping.",
    );
    add(
        "repeated_predictions",
        noticed.repeated,
        "prediction",
        "{} exactly on gold that was hit before: this definition counts each as correct again.",
    );
    add(
        "duplicate_gold",
        noticed.duplicate_gold,
        "gold span",
        "{} like one before it: one hit covers all of them, so possible is lower than the gold count.",
    );

    let only: Vec<u32> = (0..run.scheme.scored as u32)
        .filter(|&at| {
            let label = &spans.per_label[at as usize];
            label.support == 0 && label.predicted > 0
        })
        .collect();
    if union && !only.is_empty() {
        let count: u64 = only.iter().map(|&at| spans.per_label[at as usize].predicted).sum();
        let without = f1(&run.realign(Order::Given, &only));
        let names: Vec<&str> =
            only.iter().take(5).map(|&at| run.scheme.names[at as usize].as_str()).collect();
        let more = if only.len() > 5 { ", …" } else { "" };
        let message = format!(
            "{{}} with a label that gold never has ({}{more}); without them ent_type F1 is {without:.4}.",
            names.join(", ")
        );
        add("predicted_only_labels", count, "prediction", &message);
    }

    add(
        "discontinuous",
        discontinuous(run, events),
        "discontinuous span",
        "{} scored by the envelope (first start to last end).",
    );
    if let Some(tokens) = tokens {
        add(
            "token_ties",
            tokens.gold_ties + tokens.predicted_ties,
            "token",
            "{} with equally many characters of two labels: the earlier character's label is taken.",
        );
        add(
            "tokens_without_text",
            tokens.documents_without_text,
            "document",
            "{} without text or tokens: not in the token scores.",
        );
    }
    notes
}

fn touches(run: &Comparison<'_>, event: &Event) -> bool {
    matches!(event.outcome, Outcome::Overlap | Outcome::OverlapOtherLabel) && {
        let (gold, pred) = (&run.gold.spans[event.gold as usize], &run.pred.spans[event.pred as usize]);
        gold.end <= pred.start || pred.end <= gold.start
    }
}

fn discontinuous(run: &Comparison<'_>, events: &Events) -> u64 {
    let count = |corpus: &Corpus, indices: BTreeSet<u32>| {
        let fragments = |at: &u32| {
            corpus.detail(&corpus.spans[*at as usize]).is_some_and(|detail| detail.fragments.len() > 1)
        };
        indices.iter().filter(|at| fragments(at)).count() as u64
    };
    if !run.gold.has_details() && !run.pred.has_details() {
        return 0;
    }
    let side = |index: fn(&Event) -> u32| -> BTreeSet<u32> {
        events.list.iter().map(index).filter(|&at| at != NONE).collect()
    };
    count(run.gold, side(|event| event.gold)) + count(run.pred, side(|event| event.pred))
}
