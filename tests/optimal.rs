//! `optimal`: the order-free pairing, against every pairing there is.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use clinscore::Options;
use clinscore::align::{Aligner as _, Event, Item, NONE, Outcome, Spans, optimal::Aligner};
use clinscore::corpus::{Corpus, Detail};
use clinscore::report::Modes;
use proptest::collection::vec;
use proptest::prelude::*;
use std::cmp::Reverse;

/// Fragments and label.
type Span = (Vec<(i64, i64)>, u32);

struct Side {
    corpus: Corpus,
    items: Vec<Item>,
}

impl Side {
    fn of(spans: &[Span]) -> Self {
        let mut corpus = Corpus::default();
        corpus.begin(0, None, 1);
        let mut items = Vec::new();
        for ((fragments, label), span) in spans.iter().zip(0..) {
            let start = fragments.iter().map(|f| f.0).min().unwrap();
            let end = fragments.iter().map(|f| f.1).max().unwrap();
            let kept = if fragments.len() > 1 { fragments.clone() } else { Vec::new() };
            corpus.push(start, end, *label, Detail { fragments: kept, ..Detail::default() });
            items.push(Item { start, end, label: *label, span });
        }
        Side { corpus, items }
    }

    fn spans(&self) -> Spans<'_> {
        Spans { items: &self.items, corpus: &self.corpus }
    }
}

fn align(gold: &[Span], pred: &[Span]) -> Vec<Event> {
    let (gold, pred) = (Side::of(gold), Side::of(pred));
    let mut events = Vec::new();
    Aligner::default().align(gold.spans(), pred.spans(), &mut events);
    events
}

fn covered((fragments, _): &Span) -> Vec<i64> {
    let mut all: Vec<i64> = fragments.iter().flat_map(|&(start, end)| start..end).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The Jaccard index in units of 2⁻⁴⁰, or none where no character is shared.
fn jaccard(gold: &Span, pred: &Span) -> Option<u128> {
    let (g, p) = (covered(gold), covered(pred));
    let both = g.iter().filter(|at| p.contains(at)).count() as u128;
    (both > 0).then(|| (both << 40) / (g.len() as u128 + p.len() as u128 - both))
}

fn value(span: &Span) -> (i64, i64, u32, Vec<(i64, i64)>) {
    let side = Side::of(std::slice::from_ref(span));
    let mut fragments: Vec<(i64, i64)> = Vec::new();
    for at in covered(span) {
        match fragments.last_mut() {
            Some(last) if last.1 == at => last.1 = at + 1,
            _ => fragments.push((at, at + 1)),
        }
    }
    (side.items[0].start, side.items[0].end, span.1, fragments)
}

type Pairs = Vec<(usize, usize)>;

/// The best of all pairings: most pairs, greatest sum, most equal labels, first in order of value. Written as the
/// definition reads, over every pairing.
fn brute_force(gold: &[Span], pred: &[Span]) -> Pairs {
    fn each(at: usize, gold: &[Span], pred: &[Span], taken: &mut Pairs, see: &mut dyn FnMut(&Pairs)) {
        if at == gold.len() {
            return see(taken);
        }
        each(at + 1, gold, pred, taken, see);
        for p in 0..pred.len() {
            if taken.iter().all(|&(_, other)| other != p) && jaccard(&gold[at], &pred[p]).is_some() {
                taken.push((at, p));
                each(at + 1, gold, pred, taken, see);
                taken.pop();
            }
        }
    }
    let mut best = None;
    each(0, gold, pred, &mut Vec::new(), &mut |pairs| {
        let sum: u128 = pairs.iter().map(|&(g, p)| jaccard(&gold[g], &pred[p]).unwrap()).sum();
        let same = pairs.iter().filter(|&&(g, p)| gold[g].1 == pred[p].1).count();
        let mut order: Vec<_> =
            pairs.iter().map(|&(g, p)| (value(&gold[g]), value(&pred[p]), g, p)).collect();
        order.sort();
        // Equal spans in input order, as they are told apart by nothing else.
        let key = (pairs.len(), sum, same, Reverse(order));
        if best.as_ref().is_none_or(|(found, _)| key > *found) {
            best = Some((key, pairs.clone()));
        }
    });
    best.unwrap().1
}

fn pairs(events: &[Event]) -> Pairs {
    let paired = events.iter().filter(|event| event.gold != NONE && event.pred != NONE);
    let mut pairs: Pairs = paired.map(|event| (event.gold as usize, event.pred as usize)).collect();
    pairs.sort_unstable();
    pairs
}

/// Events by value, in order.
fn by_value(gold: &[Span], pred: &[Span]) -> Vec<String> {
    let name = |side: &[Span], at: u32| if at == NONE { None } else { Some(value(&side[at as usize])) };
    let mut list: Vec<String> = align(gold, pred)
        .iter()
        .map(|event| format!("{:?} {:?} {:?}", event.outcome, name(gold, event.gold), name(pred, event.pred)))
        .collect();
    list.sort();
    list
}

/// Pairs, the sum of their Jaccard indices, and those of equal label: what P and R of overlap are made of. Which
/// pairs they are starts from gold where several pairings are best.
fn sums(gold: &[Span], pred: &[Span]) -> (usize, u128, usize) {
    let pairs = pairs(&align(gold, pred));
    let sum = pairs.iter().map(|&(g, p)| jaccard(&gold[g], &pred[p]).unwrap()).sum();
    (pairs.len(), sum, pairs.iter().filter(|&&(g, p)| gold[g].1 == pred[p].1).count())
}

fn span(reach: i64, length: i64, fragments: usize) -> impl Strategy<Value = Span> {
    let fragment = (0..reach, 1..=length).prop_map(|(start, length)| (start, start + length));
    (vec(fragment, 1..=fragments), 0..2_u32)
}

fn one(start: i64, end: i64, label: u32) -> Span {
    (vec![(start, end)], label)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn no_pairing_is_better(gold in vec(span(8, 6, 1), 0..=5), pred in vec(span(8, 6, 1), 0..=5)) {
        prop_assert_eq!(pairs(&align(&gold, &pred)), brute_force(&gold, &pred));
    }

    #[test]
    fn no_pairing_of_few_places_is_better(gold in vec(span(3, 3, 1), 0..=5), pred in vec(span(3, 3, 1), 0..=5)) {
        prop_assert_eq!(pairs(&align(&gold, &pred)), brute_force(&gold, &pred));
    }

    #[test]
    fn no_pairing_of_fragments_is_better(gold in vec(span(10, 4, 3), 0..=4), pred in vec(span(10, 4, 3), 0..=4)) {
        prop_assert_eq!(pairs(&align(&gold, &pred)), brute_force(&gold, &pred));
    }

    #[test]
    fn order_does_not_matter(
        (gold, other_gold) in vec(span(40, 12, 2), 0..30).prop_flat_map(|l| (Just(l.clone()), Just(l).prop_shuffle())),
        (pred, other_pred) in vec(span(40, 12, 2), 0..30).prop_flat_map(|l| (Just(l.clone()), Just(l).prop_shuffle())),
    ) {
        prop_assert_eq!(by_value(&gold, &pred), by_value(&other_gold, &other_pred));
    }

    #[test]
    fn sides_may_be_swapped(gold in vec(span(6, 8, 1), 0..8), pred in vec(span(6, 8, 1), 0..8)) {
        let there = sums(&gold, &pred);
        let (pairs, sum, same) = sums(&pred, &gold);
        prop_assert_eq!(there, (pairs, sum, same));
    }

    #[test]
    fn events_are_complete_and_in_order(gold in vec(span(30, 9, 2), 0..20), pred in vec(span(30, 9, 2), 0..20)) {
        let events = align(&gold, &pred);
        let predicted: Vec<u32> = events.iter().map(|e| e.pred).filter(|&at| at != NONE).collect();
        prop_assert_eq!(predicted, (0..pred.len() as u32).collect::<Vec<_>>());
        let mut met: Vec<u32> = events.iter().map(|e| e.gold).filter(|&at| at != NONE).collect();
        let missed: Vec<u32> = events.iter().filter(|e| e.pred == NONE).map(|e| e.gold).collect();
        prop_assert!(missed.is_sorted() && events.iter().skip(pred.len()).all(|e| e.outcome == Outcome::Missed));
        met.sort_unstable();
        prop_assert_eq!(met, (0..gold.len() as u32).collect::<Vec<_>>());
    }
}

fn outcomes(gold: &[Span], pred: &[Span]) -> Vec<Outcome> {
    align(gold, pred).iter().map(|event| event.outcome).collect()
}

#[test]
fn outcomes_by_characters_and_label() {
    let gold = [one(0, 10, 0)];
    let of = |pred: Span| outcomes(&gold, &[pred]);
    assert_eq!(of(one(0, 10, 0)), [Outcome::Exact]);
    assert_eq!(of(one(0, 10, 1)), [Outcome::OtherLabel]);
    assert_eq!(of(one(9, 30, 0)), [Outcome::Overlap]);
    assert_eq!(of(one(9, 30, 1)), [Outcome::OverlapOtherLabel]);
    // Spans that touch share no character, nor do fragments around a span.
    assert_eq!(of(one(10, 12, 0)), [Outcome::Spurious, Outcome::Missed]);
    assert_eq!(of((vec![(-5, 0), (10, 12)], 0)), [Outcome::Spurious, Outcome::Missed]);
    // What is covered counts, not how it is cut, and twice is once.
    assert_eq!(of((vec![(4, 10), (0, 4)], 0)), [Outcome::Exact]);
    assert_eq!(of((vec![(0, 6), (3, 10), (8, 8)], 0)), [Outcome::Exact]);
    assert_eq!(of((vec![(0, 4), (5, 10)], 0)), [Outcome::Overlap]);
}

#[test]
fn more_pairs_before_better_ones() {
    // The exact pair would leave the other two alone.
    let (gold, pred) = ([one(0, 10, 0), one(0, 2, 0)], [one(0, 10, 0), one(5, 10, 0)]);
    assert_eq!(pairs(&align(&gold, &pred)), [(0, 1), (1, 0)]);
}

#[test]
fn equal_labels_before_the_smallest_value() {
    let gold = [one(0, 4, 1)];
    assert_eq!(pairs(&align(&gold, &[one(0, 4, 0), one(0, 4, 1)])), [(0, 1)]);
    assert_eq!(pairs(&align(&gold, &[one(2, 4, 0), one(0, 2, 0)])), [(0, 1)]);
    assert_eq!(pairs(&align(&[one(1, 3, 0), one(0, 2, 0)], &[one(1, 2, 0)])), [(1, 0)]);
}

#[test]
fn spans_without_characters_meet_their_like_alone() {
    for (start, end) in [(3, 3), (5, 2), (i64::MAX, i64::MIN)] {
        let empty = one(start, end, 0);
        let over = one(0, 10, 0);
        assert_eq!(outcomes(std::slice::from_ref(&empty), &[over]), [Outcome::Spurious, Outcome::Missed]);
        let pred = [one(start, end, 1), empty.clone(), empty.clone()];
        let expected = [Outcome::Spurious, Outcome::Exact, Outcome::Spurious];
        assert_eq!(outcomes(&[empty], &pred), expected);
    }
}

#[test]
fn the_widest_offsets() {
    let all = one(i64::MIN, i64::MAX, 0);
    assert_eq!(outcomes(std::slice::from_ref(&all), std::slice::from_ref(&all)), [Outcome::Exact]);
    // So little is shared that the index is 0 in its units; it is a pair all the same.
    assert_eq!(outcomes(&[all], &[one(0, 1, 0)]), [Outcome::Overlap]);
}

/// Documents of thousands of spans: apart, each over the next, all over all, one over all. Nothing is timed; without
/// searches that stay near this would take minutes.
#[test]
fn many_spans_are_paired() {
    let apart: Vec<Span> = (0..3000).map(|at| one(at * 10, at * 10 + 7, (at % 3) as u32)).collect();
    let moved: Vec<Span> = (0..3000).map(|at| one(at * 10 + at % 9, at * 10 + 9, (at % 2) as u32)).collect();
    let chain: Vec<Span> = (0..3000).map(|at| one(at * 10, at * 10 + 19, 0)).collect();
    let shifted: Vec<Span> = (0..3000).map(|at| one(at * 10 + 5, at * 10 + 24, 1)).collect();
    let short: Vec<Span> = (0..2500).map(|at| one(at * 12 + 5, at * 12 + 24, 1)).collect();
    let nested: Vec<Span> = (0..300).map(|at| one(at, 1000 - at, 0)).collect();
    let other: Vec<Span> = (0..280).map(|at| one(at + 1, 1002 - at, 0)).collect();
    let mut whole = apart.clone();
    whole.push(one(0, 30_000, 0));
    let cases = [
        ("apart", &apart, &moved),
        ("chain", &chain, &shifted),
        ("short", &chain, &short),
        ("short turned", &short, &chain),
        ("nested", &nested, &other),
        ("nested turned", &other, &nested),
        ("whole", &whole, &whole),
        ("whole moved", &whole, &moved),
    ];
    for (name, gold, pred) in cases {
        let events = align(gold, pred);
        let paired = events.iter().filter(|event| event.gold != NONE && event.pred != NONE).count();
        assert_eq!(events.len(), gold.len() + pred.len() - paired, "{name}");
    }
}

fn modes(gold: &str, pred: &str, options: &Options) -> (Modes, Vec<String>) {
    let report = common::score(&[("g.jsonl", gold.as_bytes())], &[("p.jsonl", pred.as_bytes())], options);
    let system = &report.systems[0];
    let notes = system.notes.iter().map(|note| note.message.clone()).collect();
    (system.spans.clone().unwrap().overall, notes)
}

fn optimal(clean: &[&str]) -> Options {
    let clean = clean.iter().map(|name| (*name).to_owned()).collect();
    Options { definition: Some("optimal".into()), clean, ..Options::default() }
}

#[test]
fn cleaned_unless_told_otherwise() {
    let gold = r#"{"id":"1","text":"a bc d","entities":[[2,4,"x"],[2,4,"x"],[3,3,"x"]]}"#;
    let pred = r#"{"id":"1","text":"a bc d","entities":[[1,5,"x"],[0,1,"O"],[4,4,"x"]]}"#;
    let counts = |clean: &[&str]| {
        let strict = modes(gold, pred, &optimal(clean)).0.strict;
        [strict.correct, strict.incorrect, strict.missed, strict.spurious]
    };
    // Trimmed, joined, gold without characters left out, a prediction like that spurious, O left out.
    assert_eq!(counts(&[]), [1, 0, 0, 1]);
    assert_eq!(counts(&["none"]), [0, 1, 2, 2]);
    assert_eq!(counts(&["trim"]), [1, 0, 2, 2]);
    let (modes, notes) = modes(gold, pred, &Options { clean: vec!["none".into()], ..Options::default() });
    assert_eq!(modes.strict.correct, 0);
    assert!(notes.iter().any(|note| note.starts_with("Clean-up trim would")), "{notes:?}");
}

#[test]
fn no_note_on_what_other_definitions_do() {
    let gold = r#"{"id":"1","text":"abcdefgh","entities":[[0,4,"x"],[2,6,"y"],[0,4,"x"]]}"#;
    let pred = r#"{"id":"1","text":"abcdefgh","entities":[[0,4,"x"],[0,4,"x"],[6,8,"y"]]}"#;
    let kinds = |options: &Options| {
        let gold = &[("g.jsonl", gold.as_bytes())];
        let report = common::score(gold, &[("p.jsonl", pred.as_bytes())], options);
        report.systems[0].notes.iter().map(|note| note.kind).collect::<Vec<_>>()
    };
    let theirs = kinds(&Options::default());
    for kind in ["order", "touching", "repeated_predictions", "duplicate_gold"] {
        assert!(theirs.contains(&kind), "{theirs:?}");
        assert!(!kinds(&optimal(&["none"])).contains(&kind));
    }
}

/// Whatever `fragments` says.
#[test]
fn fragments_are_scored_as_they_are() {
    let text = b"Cerebellar and oculomotor dysfunction persisted.";
    let gold = b"T1\tDisease 0 10;26 37\tx\nT2\tDisease 15 37\tx\n";
    let pred = b"T1\tDisease 0 37\tx\nT2\tDisease 15 37\tx\n";
    for fragments in ["envelope", "first", "each"] {
        let options = Options { fragments: Some(fragments.into()), ..optimal(&[]) };
        let gold: &[(&str, &[u8])] = &[("g/d.ann", gold), ("g/d.txt", text)];
        let report = common::score(gold, &[("p/d.ann", pred), ("p/d.txt", text)], &options);
        assert_eq!(common::strict(&report), [1, 1, 1], "{fragments}");
        let notes = &report.systems[0].notes;
        assert!(notes.iter().any(|note| note.message == "1 discontinuous span scored by all fragments."));
        let same = common::score(gold, gold, &options);
        assert_eq!(common::strict(&same), [2, 0, 0], "{fragments}");
    }
}

#[test]
fn duplicates_have_the_same_fragments() {
    let text = b"Cerebellar and oculomotor dysfunction persisted.";
    let gold = b"T1\tDisease 0 10;26 37\tx\nT2\tDisease 0 37\tx\nT3\tDisease 0 10;26 37\tx\n";
    for (clean, found) in [(&[][..], [2, 0, 0]), (&["none"], [3, 0, 0])] {
        let gold: &[(&str, &[u8])] = &[("g/d.ann", gold), ("g/d.txt", text)];
        let report = common::score(gold, gold, &optimal(clean));
        assert_eq!(common::strict(&report), found);
        let cleaned = &report.systems[0].clean;
        assert_eq!(cleaned.iter().map(|one| [one.gold, one.predicted]).collect::<Vec<_>>(), [[1, 1]]);
    }
}

#[test]
fn too_many_overlaps_end_that_score_alone() {
    // Every span crosses the middle, each of its own bounds.
    let crossing = |shift: usize| {
        let spans: Vec<String> =
            (0..2_100).map(|n| format!("[{},{},\"Chemical\"]", n + shift, 9_000 - n)).collect();
        format!(
            "{{\"id\":\"1\",\"entities\":[{}]}}\n{{\"id\":\"2\",\"entities\":[[0,2,\"Chemical\"]]}}",
            spans.join(",")
        )
    };
    let options: clinscore::Options = serde_json::from_str(r#"{"dataset": "BC5CDR"}"#).unwrap();
    let report = common::score(
        &[("g.jsonl", crossing(0).as_bytes())],
        &[("p.jsonl", crossing(1).as_bytes())],
        &options,
    );
    let system = &report.systems[0];
    assert!(system.failure.is_none() && system.spans.is_some());
    let beside = &system.beside[0];
    assert_eq!(beside.failure.as_ref().unwrap().code, "too_many_overlaps");
    assert!(beside.overall.is_none());
}
