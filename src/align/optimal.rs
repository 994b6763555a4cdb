//! `optimal`, ours: one-to-one pairing that no order of the spans can change. Of all pairings of spans that
//! share a character, the one with the most pairs; of these, the greatest sum of Jaccard indices (characters in
//! both spans over characters in either); of these, the most pairs of equal label. Where several are left, the
//! smallest gold span, by (start, end, label), is paired if it can be, with the smallest prediction that it can
//! have; then the next gold span.
//!
//! The pairing is solved exactly, by shortest augmenting paths over the pairs that overlap, so that a search
//! stays within a group of overlapping spans. The three aims are digits of one integer, which makes sums exact.
//! Its dual solution says which pairs any best pairing can be made of; ties are settled among those.

use super::{Definition, Event, Item, Method, NONE, Outcome, Spans};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The definition and its aligner.
pub static METHOD: Method = Method {
    definition: DEFINITION,
    aligner: || Box::new(Aligner::default()),
    order_free: true,
    knows_fragments: true,
};

const DEFINITION: Definition = Definition {
    name: "optimal",
    headline: "F1 by overlap and label (ent_type)",
    headline_mode: "ent_type",
    words: "Gold and predicted spans that share a character are paired one to one so that the most pairs, then \
            the greatest overlap, then the most equal labels come about, whatever the order of the spans; all \
            fragments count. F1 of the pooled counts over all documents.",
    source: "clinscore: bipartite assignment by Jaccard index of characters, outcomes counted as nervaluate does",
    cleans: true,
};

/// Which pairs are allowed beside sharing a character.
struct Allowed {
    /// The least Jaccard index, in units of 1 / [`WHOLE`].
    least: u64,
    /// Labels must be equal.
    typed: bool,
}

/// Any overlap, whatever the labels.
const ALLOWED: Allowed = Allowed { least: 0, typed: false };

/// A Jaccard index of 1: indices are whole multiples of 1 / 2⁴⁰, rounded down.
const WHOLE: u64 = 1 << 40;

/// What a pair is worth: a pair, then its Jaccard index, then whether its labels are equal. Each digit has room
/// for 2²⁴ pairs.
const PAIR: i128 = 1 << 88;
const JACCARD: i128 = 1 << 24;

/// A span and the characters it covers.
struct Shape {
    /// Index among the items given.
    item: usize,
    label: u32,
    /// Its characters, as ranges in order and apart, in [`Side::ranges`].
    ranges: std::ops::Range<usize>,
    /// How many they are.
    size: u128,
}

/// One side's spans in order of value.
#[derive(Default)]
struct Side {
    shapes: Vec<Shape>,
    ranges: Vec<(i64, i64)>,
}

impl Side {
    /// Puts the spans in order: by value, then fragments, then as given, which is left to equal spans alone.
    fn read(&mut self, spans: Spans<'_>) {
        self.shapes.clear();
        self.ranges.clear();
        for (at, item) in spans.items.iter().enumerate() {
            let from = self.ranges.len();
            match spans.fragments(item) {
                [] => self.ranges.push((item.start, item.end)),
                // Trimming moves the bounds alone.
                fragments => self
                    .ranges
                    .extend(fragments.iter().map(|&(start, end)| (start.max(item.start), end.min(item.end)))),
            }
            let kept = apart(&mut self.ranges[from..]);
            self.ranges.truncate(from + kept);
            let size = self.ranges[from..].iter().map(|&range| length(range)).sum();
            self.shapes.push(Shape { item: at, label: item.label, ranges: from..self.ranges.len(), size });
        }
        let ranges = &self.ranges;
        self.shapes.sort_by(|a, b| {
            let key = |shape: &Shape| {
                let item = &spans.items[shape.item];
                (item.value(), &ranges[shape.ranges.clone()])
            };
            key(a).cmp(&key(b))
        });
    }

    fn ranges(&self, at: u32) -> &[(i64, i64)] {
        &self.ranges[self.shapes[at as usize].ranges.clone()]
    }

    /// First and one past the last character; none of a span without characters.
    fn bounds(&self, at: u32) -> Option<(i64, i64)> {
        let ranges = self.ranges(at);
        Some((ranges.first()?.0, ranges.last()?.1))
    }
}

/// Sorts ranges and joins those that overlap or touch; empty ones go. Returns how many are left.
fn apart(ranges: &mut [(i64, i64)]) -> usize {
    ranges.sort_unstable();
    let mut kept = 0;
    for at in 0..ranges.len() {
        let (start, end) = ranges[at];
        if start >= end {
            continue;
        }
        if kept > 0 && start <= ranges[kept - 1].1 {
            ranges[kept - 1].1 = ranges[kept - 1].1.max(end);
        } else {
            ranges[kept] = (start, end);
            kept += 1;
        }
    }
    kept
}

fn length((start, end): (i64, i64)) -> u128 {
    u128::from(end.abs_diff(start))
}

/// How many characters two lists of ranges, in order and apart, share.
fn shared(a: &[(i64, i64)], b: &[(i64, i64)]) -> u128 {
    let (mut i, mut j, mut sum) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        let range = (x.0.max(y.0), x.1.min(y.1));
        if range.0 < range.1 {
            sum += length(range);
        }
        if x.1 < y.1 { i += 1 } else { j += 1 }
    }
    sum
}

/// Two spans that may be paired, by their places in order of value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    gold: u32,
    pred: u32,
    worth: i128,
}

impl Edge {
    /// Whether both cover the same characters.
    fn same_place(&self) -> bool {
        (self.worth - PAIR) / JACCARD == i128::from(WHOLE)
    }
}

/// Aligns documents one after another; holds the buffers.
#[derive(Default)]
pub struct Aligner {
    gold: Side,
    pred: Side,
    matching: Matching,
    /// Per predicted item: gold item and outcome.
    met: Vec<Option<(usize, Outcome)>>,
    /// Per gold item: whether it is paired.
    paired: Vec<bool>,
}

impl super::Aligner for Aligner {
    fn align(&mut self, gold: Spans<'_>, pred: Spans<'_>, out: &mut Vec<Event>) {
        self.met.clear();
        self.met.resize(pred.items.len(), None);
        self.paired.clear();
        self.paired.resize(gold.items.len(), false);
        if !gold.items.is_empty() && !pred.items.is_empty() {
            self.gold.read(gold);
            self.pred.read(pred);
            self.pair_blank(gold, pred);
            self.find_edges();
            self.matching.solve(self.gold.shapes.len(), self.pred.shapes.len());
            for edge in self.matching.pairs() {
                let (g, p) = (&self.gold.shapes[edge.gold as usize], &self.pred.shapes[edge.pred as usize]);
                let outcome = match (edge.same_place(), g.label == p.label) {
                    (true, true) => Outcome::Exact,
                    (true, false) => Outcome::OtherLabel,
                    (false, true) => Outcome::Overlap,
                    (false, false) => Outcome::OverlapOtherLabel,
                };
                self.met[p.item] = Some((g.item, outcome));
                self.paired[g.item] = true;
            }
        }
        for (p, met) in pred.items.iter().zip(&self.met) {
            out.push(match *met {
                Some((g, outcome)) => event(outcome, Some(&gold.items[g]), Some(p)),
                None => event(Outcome::Spurious, None, Some(p)),
            });
        }
        for (g, _) in gold.items.iter().zip(&self.paired).filter(|(_, paired)| !**paired) {
            out.push(event(Outcome::Missed, Some(g), None));
        }
    }
}

impl Aligner {
    /// Spans without characters overlap nothing; one is right where gold has the very same value.
    fn pair_blank(&mut self, gold: Spans<'_>, pred: Spans<'_>) {
        let blank = |side: &Side| -> Vec<usize> {
            side.shapes.iter().filter(|shape| shape.size == 0).map(|shape| shape.item).collect()
        };
        let (golds, preds) = (blank(&self.gold), blank(&self.pred));
        let (mut i, mut j) = (0, 0);
        while let (Some(&g), Some(&p)) = (golds.get(i), preds.get(j)) {
            let order = gold.items[g].value().cmp(&pred.items[p].value());
            if order.is_eq() {
                self.met[p] = Some((g, Outcome::Exact));
                self.paired[g] = true;
            }
            i += usize::from(order.is_le());
            j += usize::from(order.is_ge());
        }
    }

    /// Every allowed pair, in order: a sweep over the spans by their first character, in time of the spans and
    /// of what overlaps.
    fn find_edges(&mut self) {
        let edges = &mut self.matching.edges;
        edges.clear();
        let sides = [&self.gold, &self.pred];
        let mut starts: Vec<(i64, usize, u32, i64)> = Vec::new();
        for (side, of) in sides.into_iter().enumerate() {
            let bounds = (0..of.shapes.len() as u32).filter_map(|at| Some((at, of.bounds(at)?)));
            starts.extend(bounds.map(|(at, (start, end))| (start, side, at, end)));
        }
        starts.sort_unstable();
        // Spans of either side that may reach the current one.
        let mut open: [Vec<(u32, i64)>; 2] = Default::default();
        for (start, side, at, end) in starts {
            open[1 - side].retain(|&(other, reach)| {
                if reach > start {
                    let (g, p) = if side == 0 { (at, other) } else { (other, at) };
                    edges.extend(edge(sides, g, p));
                }
                reach > start
            });
            open[side].push((at, end));
        }
        edges.sort_unstable();
    }
}

/// The pair of two spans, if it is allowed.
fn edge([golds, preds]: [&Side; 2], gold: u32, pred: u32) -> Option<Edge> {
    let both = shared(golds.ranges(gold), preds.ranges(pred));
    if both == 0 {
        return None;
    }
    let (g, p) = (&golds.shapes[gold as usize], &preds.shapes[pred as usize]);
    let jaccard = (both * u128::from(WHOLE) / (g.size + p.size - both)) as u64;
    let same_label = g.label == p.label;
    let worth = PAIR + i128::from(jaccard) * JACCARD + i128::from(same_label);
    let fits = jaccard >= ALLOWED.least && (same_label || !ALLOWED.typed);
    fits.then_some(Edge { gold, pred, worth })
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

/// An edge that is none.
const NO_EDGE: u32 = u32::MAX;

/// A matching of greatest worth in a bipartite graph, with its dual solution: prices of gold and predicted spans,
/// never negative, whose sum is at least the worth of each pair. It is a best one where the prices of its pairs
/// add up to their worth (these edges are called tight) and what is not paired has no price.
#[derive(Default)]
struct Matching {
    /// What may be paired, in order.
    edges: Vec<Edge>,
    /// Per gold: where its edges start; they are in order of the prediction.
    of_gold: Vec<u32>,
    /// Per predicted: where its edges start in `by_pred`, which are indices of edges.
    of_pred: Vec<u32>,
    by_pred: Vec<u32>,
    /// The edge by which each is paired.
    gold_edge: Vec<u32>,
    pred_edge: Vec<u32>,
    gold_price: Vec<i128>,
    pred_price: Vec<i128>,
    search: Search,
}

/// Buffers of one search; what is not of this search is told by its number.
#[derive(Default)]
struct Search {
    number: u32,
    /// Per predicted: the search that reached it, how far it is, by which edge, and whether that is final.
    seen: Vec<u32>,
    distance: Vec<i128>,
    by: Vec<u32>,
    done: Vec<bool>,
    /// (distance, whether it is paired, predicted): of equally near ones the free come first, as they end the search.
    heap: BinaryHeap<Reverse<(i128, bool, u32)>>,
    /// Gold and predicted spans whose distance is final.
    golds: Vec<(u32, i128)>,
    preds: Vec<u32>,
}

impl Matching {
    /// The pairs that were found.
    fn pairs(&self) -> impl Iterator<Item = &Edge> {
        self.gold_edge.iter().filter(|&&edge| edge != NO_EDGE).map(|&edge| &self.edges[edge as usize])
    }

    /// Orders the edges by their ends.
    fn index(&mut self, golds: usize, preds: usize) {
        let edges = &self.edges;
        let count = |ends: &mut Vec<u32>, nodes: usize, end: fn(&Edge) -> u32| {
            ends.clear();
            ends.resize(nodes + 1, 0);
            edges.iter().for_each(|edge| ends[end(edge) as usize + 1] += 1);
            (0..nodes).for_each(|at| ends[at + 1] += ends[at]);
        };
        count(&mut self.of_gold, golds, |edge| edge.gold);
        count(&mut self.of_pred, preds, |edge| edge.pred);
        self.by_pred.clear();
        self.by_pred.resize(edges.len(), 0);
        let mut next = self.of_pred.clone();
        for (at, edge) in edges.iter().enumerate() {
            let place = &mut next[edge.pred as usize];
            self.by_pred[*place as usize] = at as u32;
            *place += 1;
        }
    }

    /// Finds the matching of so many gold and predicted spans.
    fn solve(&mut self, golds: usize, preds: usize) {
        self.index(golds, preds);
        for (list, nodes) in [(&mut self.gold_edge, golds), (&mut self.pred_edge, preds)] {
            list.clear();
            list.resize(nodes, NO_EDGE);
        }
        self.pred_price.clear();
        self.pred_price.resize(preds, 0);
        self.gold_price.clear();
        self.gold_price.resize(golds, 0);
        for edge in &self.edges {
            let price = &mut self.gold_price[edge.gold as usize];
            *price = edge.worth.max(*price);
        }
        self.search.begin(preds);
        // Most spans overlap one other, which overlaps no third.
        let alone = |this: &Self, range: &std::ops::Range<usize>| {
            range.len() == 1 && this.edges_at(this.edges[range.start].pred).len() == 1
        };
        let mut open = Vec::new();
        for gold in 0..golds as u32 {
            let mut range = self.edges_of(gold);
            if !range.is_empty() && !alone(self, &range) {
                open.push(gold);
            }
            // Each takes its best prediction if that is free; this leaves little to search for.
            let free = |at: &usize| self.pred_edge[self.edges[*at].pred as usize] == NO_EDGE;
            if let Some(edge) = range.find(|at| self.slack(*at) == 0 && free(at)) {
                self.join(edge as u32);
            }
        }
        for &gold in &open {
            if self.gold_edge[gold as usize] == NO_EDGE {
                self.augment(gold);
            }
        }
        if !open.is_empty() {
            self.keep_tight();
            self.settle_ties(&open);
        }
    }

    /// Leaves only tight edges: every best matching is made of these.
    fn keep_tight(&mut self) {
        let mut moved = vec![NO_EDGE; self.edges.len()];
        let mut kept = 0;
        for at in 0..self.edges.len() {
            if self.slack(at) == 0 {
                self.edges.swap(kept, at);
                moved[at] = kept as u32;
                kept += 1;
            }
        }
        self.edges.truncate(kept);
        for edge in self.gold_edge.iter_mut().chain(&mut self.pred_edge).filter(|edge| **edge != NO_EDGE) {
            *edge = moved[*edge as usize];
        }
        self.index(self.gold_edge.len(), self.pred_edge.len());
    }

    fn edges_of(&self, gold: u32) -> std::ops::Range<usize> {
        self.of_gold[gold as usize] as usize..self.of_gold[gold as usize + 1] as usize
    }

    fn edges_at(&self, pred: u32) -> &[u32] {
        &self.by_pred[self.of_pred[pred as usize] as usize..self.of_pred[pred as usize + 1] as usize]
    }

    fn join(&mut self, edge: u32) {
        let Edge { gold, pred, .. } = self.edges[edge as usize];
        self.gold_edge[gold as usize] = edge;
        self.pred_edge[pred as usize] = edge;
    }

    /// How much the prices of an edge's ends exceed its worth.
    fn slack(&self, edge: usize) -> i128 {
        let Edge { gold, pred, worth } = self.edges[edge];
        self.gold_price[gold as usize] + self.pred_price[pred as usize] - worth
    }

    /// Takes one more gold span in: the shortest alternating path to a free prediction, or to a gold span that
    /// is better left out (this one, perhaps).
    fn augment(&mut self, root: u32) {
        let mut search = std::mem::take(&mut self.search);
        search.start();
        // The nearest place at which a gold span's price would be used up.
        let mut out = (self.gold_price[root as usize], root);
        let mut next = Some((root, 0));
        // The nearest free prediction seen so far.
        let mut near = i128::MAX;
        let mut free = None;
        loop {
            if let Some((gold, distance)) = next.take() {
                search.golds.push((gold, distance));
                out = out.min((distance + self.gold_price[gold as usize], gold));
                for edge in self.edges_of(gold) {
                    let there = distance + self.slack(edge);
                    let pred = self.edges[edge].pred;
                    let paired = self.pred_edge[pred as usize] != NO_EDGE;
                    // Nothing behind an end that is known is of use.
                    if there < near.min(out.0) || (there == near.min(out.0) && !paired) {
                        search.reach(pred, there, edge as u32, paired);
                        if !paired {
                            near = there;
                        }
                    }
                }
            }
            let Some(Reverse((distance, _, pred))) = search.heap.pop() else { break };
            if distance > out.0 {
                break;
            }
            if std::mem::replace(&mut search.done[pred as usize], true) {
                continue;
            }
            let mate = self.pred_edge[pred as usize];
            if mate == NO_EDGE {
                free = Some((pred, distance));
                break;
            }
            search.preds.push(pred);
            next = Some((self.edges[mate as usize].gold, distance));
        }
        let reach = free.map_or(out.0, |(_, distance)| distance);
        for &(gold, distance) in &search.golds {
            self.gold_price[gold as usize] -= reach - distance;
        }
        for &pred in &search.preds {
            self.pred_price[pred as usize] += reach - search.distance[pred as usize];
        }
        // The path back to the root takes each gold span's prediction for the one behind it.
        let mut pred = match free {
            Some((pred, _)) => Some(pred),
            None => {
                let edge = std::mem::replace(&mut self.gold_edge[out.1 as usize], NO_EDGE);
                (edge != NO_EDGE).then(|| self.edges[edge as usize].pred)
            }
        };
        while let Some(at) = pred {
            let edge = search.by[at as usize];
            let before = self.gold_edge[self.edges[edge as usize].gold as usize];
            self.join(edge);
            pred = (before != NO_EDGE).then(|| self.edges[before as usize].pred);
        }
        self.search = search;
    }

    /// Of all best matchings, the one whose pairs come first in order. They are those that tight edges make
    /// and that pair everything with a price: gold span by gold span, the earliest edge is taken for which the
    /// others can make room, and then left alone.
    fn settle_ties(&mut self, golds: &[u32]) {
        let mut ties = Ties {
            number: 0,
            gold_passed: vec![0; self.gold_edge.len()],
            pred_passed: vec![0; self.pred_edge.len()],
        };
        for &gold in golds {
            for edge in self.edges_of(gold) {
                if self.gold_edge[gold as usize] == edge as u32 {
                    break;
                }
                let free = ties.pred_passed[self.edges[edge].pred as usize] != FIXED;
                if free && self.force(edge as u32, &mut ties) {
                    break;
                }
            }
            ties.gold_passed[gold as usize] = FIXED;
            let edge = self.gold_edge[gold as usize];
            if edge != NO_EDGE {
                ties.pred_passed[self.edges[edge as usize].pred as usize] = FIXED;
            }
        }
    }

    /// Takes an edge into the matching, if what it displaces finds another place.
    fn force(&mut self, edge: u32, ties: &mut Ties) -> bool {
        let Edge { gold, pred, .. } = self.edges[edge as usize];
        let mate = |edge: u32| (edge != NO_EDGE).then(|| self.edges[edge as usize]);
        let gold_lost = mate(self.pred_edge[pred as usize]).map(|edge| edge.gold);
        let pred_lost = mate(self.gold_edge[gold as usize]).map(|edge| edge.pred);
        ties.number += 1;
        ties.pass_gold(gold);
        ties.pass_pred(pred);
        let mut taken = vec![edge];
        let mut closed = false;
        if let Some(lost) = gold_lost {
            match self.place_gold(lost, pred_lost, ties, &mut taken) {
                None => return false,
                Some(circle) => closed = circle,
            }
        }
        // What the gold's search reached cannot reach this prediction, or the circle would have closed.
        if let Some(lost) = pred_lost.filter(|_| !closed)
            && !self.place_pred(lost, ties, &mut taken)
        {
            return false;
        }
        for &edge in &taken {
            let Edge { gold, pred, .. } = self.edges[edge as usize];
            for old in [self.gold_edge[gold as usize], self.pred_edge[pred as usize]] {
                if old != NO_EDGE {
                    let Edge { gold, pred, .. } = self.edges[old as usize];
                    (self.gold_edge[gold as usize], self.pred_edge[pred as usize]) = (NO_EDGE, NO_EDGE);
                }
            }
        }
        taken.into_iter().for_each(|edge| self.join(edge));
        true
    }

    /// Finds a place for a gold span that lost its prediction: best the prediction that is `wanted` (true:
    /// the circle is closed), else a free one, or that of a gold span that needs none. Adds the edges taken.
    fn place_gold(
        &self,
        lost: u32,
        wanted: Option<u32>,
        ties: &mut Ties,
        taken: &mut Vec<u32>,
    ) -> Option<bool> {
        // Gold spans that must move, each with the edge that takes its prediction and who takes it.
        let mut queue = vec![(lost, NO_EDGE, usize::MAX)];
        ties.pass_gold(lost);
        let mut end = None;
        let mut closed = false;
        let mut at = 0;
        while at < queue.len() && !closed && (end.is_none() || wanted.is_some()) {
            let (gold, ..) = queue[at];
            if self.gold_price[gold as usize] == 0 {
                end = end.or(Some((at, NO_EDGE)));
            }
            for edge in self.edges_of(gold) {
                let pred = self.edges[edge].pred;
                if !ties.pass_pred(pred) {
                    continue;
                }
                let mate = self.pred_edge[pred as usize];
                if wanted == Some(pred) {
                    (end, closed) = (Some((at, edge as u32)), true);
                    break;
                } else if mate == NO_EDGE {
                    end = end.or(Some((at, edge as u32)));
                } else {
                    queue.push((self.edges[mate as usize].gold, edge as u32, at));
                }
            }
            at += 1;
        }
        take_path(&queue, end?, taken);
        Some(closed)
    }

    /// The same for a prediction that lost its gold span: it may stay free if it has no price, take a free gold
    /// span, or one whose prediction finds a place.
    fn place_pred(&self, lost: u32, ties: &mut Ties, taken: &mut Vec<u32>) -> bool {
        let mut queue = vec![(lost, NO_EDGE, usize::MAX)];
        ties.pass_pred(lost);
        let mut end = None;
        let mut at = 0;
        while at < queue.len() && end.is_none() {
            let (pred, ..) = queue[at];
            if self.pred_price[pred as usize] == 0 {
                end = Some((at, NO_EDGE));
                break;
            }
            for &edge in self.edges_at(pred) {
                let gold = self.edges[edge as usize].gold;
                if !ties.pass_gold(gold) {
                    continue;
                }
                let mate = self.gold_edge[gold as usize];
                if mate == NO_EDGE {
                    end = Some((at, edge));
                    break;
                }
                queue.push((self.edges[mate as usize].pred, edge, at));
            }
            at += 1;
        }
        end.is_some_and(|end| {
            take_path(&queue, end, taken);
            true
        })
    }
}

/// Adds the edges of a search's path: its last one, and those by which each came into the queue.
fn take_path(queue: &[(u32, u32, usize)], (mut at, last): (usize, u32), taken: &mut Vec<u32>) {
    taken.extend((last != NO_EDGE).then_some(last));
    while let Some(&(_, edge, by)) = queue.get(at) {
        taken.extend((edge != NO_EDGE).then_some(edge));
        at = by;
    }
}

/// Spans that searches for ties pass by: those seen by the current search, by its number, and those [`FIXED`].
struct Ties {
    number: u32,
    gold_passed: Vec<u32>,
    pred_passed: Vec<u32>,
}

/// The pair is settled.
const FIXED: u32 = u32::MAX;

impl Ties {
    /// Whether a gold span is met for the first time.
    fn pass_gold(&mut self, at: u32) -> bool {
        first_time(&mut self.gold_passed[at as usize], self.number)
    }

    fn pass_pred(&mut self, at: u32) -> bool {
        first_time(&mut self.pred_passed[at as usize], self.number)
    }
}

fn first_time(passed: &mut u32, number: u32) -> bool {
    let first = *passed != FIXED && *passed != number;
    if first {
        *passed = number;
    }
    first
}

impl Search {
    /// For a graph with so many predictions.
    fn begin(&mut self, preds: usize) {
        self.number = 0;
        self.seen.clear();
        self.seen.resize(preds, 0);
        self.distance.resize(preds, 0);
        self.by.resize(preds, NO_EDGE);
        self.done.resize(preds, false);
    }

    fn start(&mut self) {
        self.number += 1;
        self.heap.clear();
        self.golds.clear();
        self.preds.clear();
    }

    /// Notes a way to a prediction, if it is the shortest so far.
    fn reach(&mut self, pred: u32, distance: i128, edge: u32, paired: bool) {
        let at = pred as usize;
        if self.seen[at] == self.number && (self.done[at] || self.distance[at] <= distance) {
            return;
        }
        (self.seen[at], self.distance[at], self.by[at], self.done[at]) = (self.number, distance, edge, false);
        self.heap.push(Reverse((distance, paired, pred)));
    }
}
