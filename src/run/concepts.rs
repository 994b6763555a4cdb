//! Concepts of gold's spans against one system's.

use super::comparison::Comparison;
use super::options::Clean;
use crate::align::Item;
use crate::benchmarks::omop;
use crate::corpus::{Corpus, concepts};
use crate::metrics::concepts::{Annotated, ConceptTally};
use crate::report::{ConceptReport, Note};
use rustc_hash::FxHashMap;

/// How ids are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ids {
    AsWritten,
    /// What stands behind the last `:`.
    Bare,
}

/// The concept scores, where both sides have concepts, and what is to be said of them.
pub(super) fn score(run: &Comparison<'_>) -> (Option<ConceptReport>, Vec<Note>) {
    let mut notes = Vec::new();
    if !any(run.gold, |_| true) && !any(run.pred, |_| true) {
        return (None, notes);
    }
    let tally = tally(run, Ids::AsWritten);
    let mut note = |kind, count: u64, message: String| notes.push(Note { kind, count, message });
    match tally.spans {
        [0, 0] => return (None, notes),
        [0, count] | [count, 0] => {
            let sides = if tally.spans[0] > 0 { ["gold", "predicted"] } else { ["predicted", "gold"] };
            let carry = if count == 1 { " carries" } else { "s carry" };
            let message = format!(
                "{count} {} span{carry} concepts and no {} one does: concepts are not scored.",
                sides[0], sides[1]
            );
            note("concepts_on_one_side", count, message);
            return (None, notes);
        }
        _ => {}
    }
    let prefixed = |id: &str| id.contains(':');
    if any(run.gold, prefixed) || any(run.pred, prefixed) {
        let more = self::tally(run, Ids::Bare).correct().saturating_sub(tally.correct());
        if more > 0 {
            let noun = if more == 1 { "span has" } else { "spans have" };
            let message = format!(
                "{more} matched {noun} concepts that are equal but for a prefix such as MESH: they count as \
                 different."
            );
            note("concept_prefixes", more, message);
        }
    }
    let names = &run.scheme.names[..run.scheme.scored];
    (Some(tally.report(names, omop::domain)), notes)
}

fn any(corpus: &Corpus, wanted: impl Fn(&str) -> bool) -> bool {
    corpus.any_detail(|detail| {
        detail.more.as_ref().is_some_and(|more| more.concepts.iter().any(|concept| wanted(concept)))
    })
}

/// Counts the spans that are scored. Duplicates stay: each may have concepts of its own.
fn tally(run: &Comparison<'_>, ids: Ids) -> ConceptTally {
    let run = Comparison { clean: Clean { dedupe: false, ..run.clean }, ..*run };
    let mut tally = ConceptTally::new(run.scheme.scored);
    let mut numbers = FxHashMap::default();
    run.for_each(|items| {
        let mut gold = annotated(&run, run.gold, &items.gold, ids, &mut numbers);
        let mut pred = annotated(&run, run.pred, &items.pred, ids, &mut numbers);
        pred.extend(annotated(&run, run.pred, &items.spurious, ids, &mut numbers));
        tally.add(&mut gold, &mut pred);
    });
    tally
}

/// The items that carry concepts, with these.
fn annotated<'a>(
    run: &Comparison<'_>,
    corpus: &'a Corpus,
    items: &[Item],
    how: Ids,
    numbers: &mut FxHashMap<&'a str, u32>,
) -> Vec<Annotated<'a>> {
    let mut out = Vec::new();
    for item in items {
        let Some(detail) = corpus.detail(&corpus.spans[item.span as usize]) else { continue };
        let Some(more) = &detail.more else { continue };
        let ids = more.concepts.iter().flat_map(|value| concepts::ids(value));
        let ids = ids.filter(|id| !concepts::is_none(id)).map(|id| match how {
            Ids::AsWritten => id,
            Ids::Bare => id.rsplit(':').next().unwrap_or(id),
        });
        let mut concepts: Vec<u32> = ids
            .map(|id| {
                let next = numbers.len() as u32;
                *numbers.entry(id).or_insert(next)
            })
            .collect();
        concepts.sort_unstable();
        concepts.dedup();
        if !concepts.is_empty() {
            let fragments = if run.method.knows_fragments { &detail.fragments[..] } else { &[] };
            out.push(Annotated { label: item.label, place: (item.start, item.end, fragments), concepts });
        }
    }
    out
}
