//! What a benchmark's `reference` mode does that scoring what was annotated does not.

use super::comparison::{Comparison, Noticed, Order, Otherwise};
use super::notes::touches;
use crate::align::{Event, NONE};
use crate::benchmarks::loader::Done;
use crate::metrics::span;
use crate::report::{Difference, Example};
use std::collections::BTreeSet;

/// Examples listed of each.
const LISTED: usize = 20;

/// Everything of one system that has a count.
pub(super) fn list(
    run: &Comparison<'_>,
    done: &[Done],
    events: &crate::align::Events,
    noticed: &Noticed,
) -> Vec<Difference> {
    let mut list: Vec<Difference> = done
        .iter()
        .map(|done| Difference {
            kind: done.kind,
            title: done.title,
            count: done.places.len() as u64,
            examples: (done.places.iter().take(LISTED))
                .map(|(document, found)| Example { document: document.clone(), found: found.clone() })
                .collect(),
        })
        .collect();
    let mut add = |kind, title, count: u64, examples: Vec<Example>| {
        if count > 0 {
            list.push(Difference { kind, title, count, examples });
        }
    };
    let dropped = run.selection.dropped(run.gold);
    let count = dropped.len() as u64;
    let examples = dropped.into_iter().take(LISTED).collect();
    add(
        "documents_dropped",
        "Documents that the loader drops: blank, or without a gold span",
        count,
        examples,
    );

    let (mut touching, mut again, mut order) = (Vec::new(), Vec::new(), Vec::new());
    let [gold_reversed, pred_reversed] = [Order::GoldReversed, Order::PredReversed].map(|order| {
        (noticed.overlapping > 0).then(|| run.realign(&Otherwise { order, ..Otherwise::default() }))
    });
    for (at, &(gold, _)) in run.pairing.pairs.iter().enumerate() {
        let document = &run.gold.documents[gold as usize].id;
        let mut hit = BTreeSet::new();
        let here = events.of(at);
        for event in here {
            let paired = event.gold != NONE && event.pred != NONE;
            if paired && !hit.insert(event.gold) {
                again.push(example(run, document, event));
            }
            if touches(run, event) {
                touching.push(example(run, document, event));
            }
        }
        let tally = |events: &[Event]| {
            let mut tally = [0_u64; 6];
            events.iter().for_each(|event| tally[event.outcome as usize] += 1);
            span::modes(&tally).ent_type.correct
        };
        let given = tally(here);
        let other = [&gold_reversed, &pred_reversed].map(|events| events.as_ref().map(|e| tally(e.of(at))));
        if other.iter().flatten().any(|correct| *correct != given) {
            let [gold, pred] = other.map(|correct| correct.unwrap_or(given));
            let found = format!(
                "{given} correct as given, {gold} with gold reversed, {pred} with predictions reversed"
            );
            order.push(Example { document: document.clone(), found });
        }
    }
    let mut add_all = |kind, title, mut examples: Vec<Example>| {
        let count = examples.len() as u64;
        examples.truncate(LISTED);
        add(kind, title, count, examples);
    };
    add_all("touching", "Pairs that only touch: ends count as part of a span", touching);
    add_all("repeated", "Predictions on gold that was hit before: each counts again, right or wrong", again);
    add_all("order", "Documents whose score depends on the order of spans", order);
    add(
        "duplicate_gold",
        "Gold spans like one before: one hit covers all of them",
        noticed.duplicate_gold,
        if noticed.duplicate_gold > 0 { duplicates(run) } else { Vec::new() },
    );
    let [mut trim, mut dedupe, mut unusable] = [0; 3];
    for side in &noticed.cleanable {
        (trim, dedupe, unusable) = (trim + side.trim, dedupe + side.dedupe, unusable + side.unusable);
    }
    add("clean_trim", "Spans with white space at an edge: trimmed when corrected", trim, Vec::new());
    add("clean_dedupe", "Spans like one before: removed when corrected", dedupe, Vec::new());
    add(
        "clean_unusable",
        "Predictions without a place in the text (hallucinated, empty, beyond it): spurious when corrected",
        unusable,
        Vec::new(),
    );
    let tie = |&(gold, in_gold, predicted): &(u32, u64, u64)| Example {
        document: run.gold.documents[gold as usize].id.clone(),
        found: format!("{in_gold} tokens of gold, {predicted} of the predictions"),
    };
    add(
        "token_ties",
        "Tokens with equally many characters of two labels: the reference takes either",
        noticed.ties.iter().map(|(_, gold, predicted)| gold + predicted).sum(),
        noticed.ties.iter().take(LISTED).map(tie).collect(),
    );
    list
}

/// The first gold spans that repeat one before.
fn duplicates(run: &Comparison<'_>) -> Vec<Example> {
    let (mut list, mut pair) = (Vec::new(), 0);
    run.for_each(|items| {
        let document = &run.gold.documents[run.pairing.pairs[pair].0 as usize].id;
        pair += 1;
        let mut seen = BTreeSet::new();
        let again = items.gold.iter().filter(|item| !seen.insert((item.start, item.end, item.label)));
        list.extend(again.map(|item| Example {
            document: document.clone(),
            found: format!("{} {}–{}", run.scheme.names[item.label as usize], item.start, item.end),
        }));
    });
    list.truncate(LISTED);
    list
}

/// A pair in words.
fn example(run: &Comparison<'_>, document: &str, event: &Event) -> Example {
    let (gold, pred) = (&run.gold.spans[event.gold as usize], &run.pred.spans[event.pred as usize]);
    let name = |label: u32| run.scheme.names.get(label as usize).map_or("", String::as_str);
    let found = format!(
        "gold {} {}–{}, predicted {} {}–{}",
        name(event.gold_label),
        gold.start,
        gold.end,
        name(event.pred_label),
        pred.start,
        pred.end
    );
    Example { document: document.to_owned(), found }
}
