//! What became of generated text: counted over the documents that are scored.

use super::comparison::Comparison;
use crate::corpus::answers::Fate;
use crate::place::Llm;
use crate::report::AnswerCounts;
use rustc_hash::FxHashSet;

/// The counts of a system; none where it has no answers.
pub(super) fn count(run: &Comparison<'_>, llm: Llm) -> Option<AnswerCounts> {
    if run.pred.answers.is_empty() {
        return None;
    }
    let documents: FxHashSet<u32> = run.pairing.pairs.iter().filter_map(|pair| pair.1).collect();
    let mut counts = AnswerCounts { rule: llm.name(), ..AnswerCounts::default() };
    for answer in run.pred.answers.iter().filter(|answer| documents.contains(&answer.document)) {
        counts.answers += 1;
        *if answer.failed { &mut counts.failed } else { &mut counts.parsed } += 1;
    }
    for item in &run.pred.items {
        let answer = &run.pred.answers[item.answer as usize];
        if answer.failed || !documents.contains(&answer.document) {
            continue;
        }
        counts.items += 1;
        match item.fate {
            Fate::Hallucinated => counts.hallucinated += 1,
            Fate::Inside => counts.inside += 1,
            Fate::Span if run.scheme.scored(&run.scheme.pred, item.label).is_none() => counts.unmapped += 1,
            Fate::Span | Fate::Unsearched => {}
        }
    }
    for document in run.pairing.pairs.iter().filter_map(|pair| pair.1) {
        let spans = run.pred.spans_of(&run.pred.documents[document as usize]).iter();
        let scored = spans.filter(|span| {
            run.pred.item_of(span).is_some()
                && run.pred.detail(span).is_some_and(|detail| !detail.unplaced)
                && run.scheme.scored(&run.scheme.pred, span.label).is_some()
        });
        counts.spans += scored.count() as u64;
    }
    Some(counts)
}
