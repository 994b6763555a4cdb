//! `nervaluate-0.1.8`, the NCER benchmark's definition: `compute_metrics` of the Python package nervaluate
//! 0.1.8. Predictions are walked in input order and take the first gold span that fits, so order matters;
//! ends count as inclusive when overlap is tested, so spans that touch overlap.

use super::{Definition, Event, Item, Method, NONE, Outcome, Spans, overlap::Overlaps};

/// The definition and its aligner.
pub static METHOD: Method = Method {
    definition: DEFINITION,
    aligner: || Box::new(Aligner::default()),
    order_free: false,
    knows_fragments: false,
};

const DEFINITION: Definition = Definition {
    name: "nervaluate-0.1.8",
    headline: "F1 by overlap and label (ent_type)",
    headline_mode: "ent_type",
    words: "A prediction is right when it overlaps a gold span of the same label that no earlier prediction \
            took; spans that touch count as overlapping. F1 of the pooled counts over all documents.",
    source: "nervaluate 0.1.8 (Python), after SemEval-2013 task 9.1; used by the NCER benchmark \
             (arXiv 2410.05046)",
    cleans: false,
};

/// Documents with at most this many gold spans are walked as the definition reads; larger ones use an
/// index that gives the same answers in near-linear time.
const WALKED: usize = 48;

/// Aligns documents one after another; holds the buffers.
#[derive(Default)]
pub struct Aligner {
    walked: Option<usize>,
    used: Vec<bool>,
    overlaps: Overlaps,
}

impl Aligner {
    /// An aligner that uses the index from this many gold spans on (for tests; results do not depend on it).
    pub fn with_walked(walked: usize) -> Self {
        Aligner { walked: Some(walked), ..Aligner::default() }
    }
}

impl super::Aligner for Aligner {
    fn align(&mut self, gold: Spans<'_>, pred: Spans<'_>, out: &mut Vec<Event>) {
        let (gold, pred) = (gold.items, pred.items);
        self.used.clear();
        self.used.resize(gold.len(), false);
        if gold.len() <= self.walked.unwrap_or(WALKED) {
            self.walk(gold, pred, out);
        } else {
            self.look_up(gold, pred, out);
        }
        for (g, _) in gold.iter().zip(&self.used).filter(|(_, used)| !**used) {
            out.push(event(Outcome::Missed, Some(g), None));
        }
    }
}

impl Aligner {
    /// The definition, word for word, over the gold that a prediction can meet at all.
    fn walk(&mut self, gold: &[Item], pred: &[Item], out: &mut Vec<Event>) {
        let tidy = tidy(gold);
        for p in pred {
            let from = if tidy { gold.partition_point(|g| g.end < p.start) } else { 0 };
            let to = if tidy { gold.partition_point(|g| g.start <= p.end) } else { gold.len() };
            // An inverted prediction meets no tidy gold.
            let near = &gold[from..to.max(from)];
            let used = &mut self.used[from..to.max(from)];
            // Whether the gold was used is not asked: a repeated exact prediction counts again.
            if let Some(at) = near.iter().position(|g| g.value() == p.value()) {
                take(near, used, at);
                out.push(event(Outcome::Exact, Some(&near[at]), Some(p)));
                continue;
            }
            let hit = near.iter().enumerate().find_map(|(at, g)| {
                if (g.start, g.end) == (p.start, p.end) {
                    Some((at, Outcome::OtherLabel))
                } else if !used[at] && meet(g, p) {
                    Some((at, overlap_outcome(g, p)))
                } else {
                    None
                }
            });
            match hit {
                Some((at, outcome)) => {
                    take(near, used, at);
                    out.push(event(outcome, Some(&near[at]), Some(p)));
                }
                None => out.push(event(Outcome::Spurious, None, Some(p))),
            }
        }
    }

    /// The same answers from sorted lists: exact values and bounds by binary search, the first unused
    /// overlapping gold from [`Overlaps`].
    fn look_up(&mut self, gold: &[Item], pred: &[Item], out: &mut Vec<Event>) {
        let mut sorted: Vec<(i64, i64, u32, u32)> =
            gold.iter().enumerate().map(|(at, g)| (g.start, g.end, g.label, at as u32)).collect();
        sorted.sort_unstable();
        // For each run of equal bounds, the first of them in input order.
        let mut first_of_bounds = vec![u32::MAX; sorted.len()];
        for run in sorted.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let from = sorted.partition_point(|g| (g.0, g.1) < (run[0].0, run[0].1));
            first_of_bounds[from] = run.iter().map(|g| g.3).min().unwrap_or(u32::MAX);
        }
        self.overlaps.build(gold);
        for p in pred {
            let exact = sorted.partition_point(|g| (g.0, g.1, g.2) < p.value());
            if sorted.get(exact).is_some_and(|g| (g.0, g.1, g.2) == p.value()) {
                let at = sorted[exact].3 as usize;
                self.take_run(&sorted, exact);
                out.push(event(Outcome::Exact, Some(&gold[at]), Some(p)));
                continue;
            }
            let bounds = sorted.partition_point(|g| (g.0, g.1) < (p.start, p.end));
            let same_bounds = sorted
                .get(bounds)
                .filter(|g| (g.0, g.1) == (p.start, p.end))
                .map_or(u32::MAX, |_| first_of_bounds[bounds]);
            let overlapping = self.overlaps.first(p.start, p.end);
            let at = same_bounds.min(overlapping);
            if at == u32::MAX {
                out.push(event(Outcome::Spurious, None, Some(p)));
                continue;
            }
            let g = &gold[at as usize];
            let outcome = if at == same_bounds { Outcome::OtherLabel } else { overlap_outcome(g, p) };
            let run = sorted.partition_point(|s| (s.0, s.1, s.2) < g.value());
            self.take_run(&sorted, run);
            out.push(event(outcome, Some(g), Some(p)));
        }
    }

    /// Marks the run of equal values that starts at `from`, unless it is marked already.
    fn take_run(&mut self, sorted: &[(i64, i64, u32, u32)], from: usize) {
        let value = (sorted[from].0, sorted[from].1, sorted[from].2);
        if self.used[sorted[from].3 as usize] {
            return;
        }
        for g in sorted[from..].iter().take_while(|g| (g.0, g.1, g.2) == value) {
            self.used[g.3 as usize] = true;
            self.overlaps.remove(g.3);
        }
    }
}

/// Whether gold comes in order, so that what a prediction can meet is one stretch of it.
fn tidy(gold: &[Item]) -> bool {
    gold.iter().all(|g| g.start <= g.end)
        && gold.windows(2).all(|pair| pair[0].start <= pair[1].start && pair[0].end <= pair[1].end)
}

/// Marks a gold value as used; equal values share the mark.
fn take(gold: &[Item], used: &mut [bool], at: usize) {
    let value = gold[at].value();
    for (g, used) in gold.iter().zip(used) {
        *used |= g.value() == value;
    }
}

/// Whether the inclusive ranges share a position; a range that ends before it starts is empty.
fn meet(g: &Item, p: &Item) -> bool {
    g.start <= g.end && p.start <= p.end && g.start <= p.end && p.start <= g.end
}

fn overlap_outcome(g: &Item, p: &Item) -> Outcome {
    if g.label == p.label { Outcome::Overlap } else { Outcome::OverlapOtherLabel }
}

fn event(outcome: Outcome, gold: Option<&Item>, pred: Option<&Item>) -> Event {
    Event {
        outcome,
        gold: gold.map_or(NONE, |g| g.span),
        pred: pred.map_or(NONE, |p| p.span),
        gold_label: gold.map_or(NONE, |g| g.label),
        pred_label: pred.map_or(NONE, |p| p.label),
    }
}
