//! The first span, in input order, of those that share a position with a given range and were not removed.
//!
//! A span that overlaps [s, e] (ends inclusive) either starts inside it, or covers s. Starts are answered
//! by a tree of minima over spans sorted by start; covers by a tree over the end points, each node holding
//! the spans that cover all of it, in input order. Both take O(log n), amortised over removals.

use super::Item;

/// An index over one document's spans.
#[derive(Default)]
pub(super) struct Overlaps {
    /// Starts, sorted.
    starts: Vec<i64>,
    /// Position of each span in `starts`, or none for an empty range.
    place: Vec<u32>,
    /// Minima of input indices over `starts`, as an implicit binary tree.
    minima: Vec<u32>,
    leaves: usize,
    /// Starts and one past ends, sorted, unique: cell `i` is `points[i]..points[i + 1]`.
    points: Vec<i128>,
    /// Spans that cover a node's cells, last first in input order, so that the first is popped.
    covers: Vec<Vec<u32>>,
    cells: usize,
    removed: Vec<bool>,
}

const GONE: u32 = u32::MAX;

/// One past the last position; ends are inclusive.
fn behind(span: &Item) -> i128 {
    i128::from(span.end) + 1
}

impl Overlaps {
    pub(super) fn build(&mut self, spans: &[Item]) {
        let usable = |s: &Item| s.start <= s.end;
        self.removed.clear();
        self.removed.resize(spans.len(), false);
        let mut order: Vec<u32> = (0..spans.len() as u32).filter(|&at| usable(&spans[at as usize])).collect();
        order.sort_unstable_by_key(|&at| (spans[at as usize].start, at));
        self.starts = order.iter().map(|&at| spans[at as usize].start).collect();
        self.place.clear();
        self.place.resize(spans.len(), GONE);
        self.leaves = order.len().next_power_of_two();
        self.minima.clear();
        self.minima.resize(2 * self.leaves, GONE);
        for (at, &span) in order.iter().enumerate() {
            self.place[span as usize] = at as u32;
            self.minima[self.leaves + at] = span;
        }
        for node in (1..self.leaves).rev() {
            self.minima[node] = self.minima[2 * node].min(self.minima[2 * node + 1]);
        }
        self.points = order
            .iter()
            .flat_map(|&at| [i128::from(spans[at as usize].start), behind(&spans[at as usize])])
            .collect();
        self.points.sort_unstable();
        self.points.dedup();
        self.cells = self.points.len().next_power_of_two();
        self.covers.clear();
        self.covers.resize(2 * self.cells, Vec::new());
        for at in (0..spans.len()).rev().filter(|&at| usable(&spans[at])) {
            let mut low = self.cells + self.points.partition_point(|&p| p < i128::from(spans[at].start));
            let mut high = self.cells + self.points.partition_point(|&p| p < behind(&spans[at]));
            while low < high {
                if low % 2 == 1 {
                    self.covers[low].push(at as u32);
                    low += 1;
                }
                if high % 2 == 1 {
                    high -= 1;
                    self.covers[high].push(at as u32);
                }
                low /= 2;
                high /= 2;
            }
        }
    }

    /// The first span that shares a position with `start..=end`, or `u32::MAX`.
    pub(super) fn first(&mut self, start: i64, end: i64) -> u32 {
        if start > end {
            return GONE;
        }
        let mut best = GONE;
        let mut low = self.leaves + self.starts.partition_point(|&s| s < start);
        let mut high = self.leaves + self.starts.partition_point(|&s| s <= end);
        while low < high {
            if low % 2 == 1 {
                best = best.min(self.minima[low]);
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                best = best.min(self.minima[high]);
            }
            low /= 2;
            high /= 2;
        }
        let cell = self.points.partition_point(|&p| p <= i128::from(start));
        if cell > 0 {
            let mut node = self.cells + cell - 1;
            while node > 0 {
                let cover = &mut self.covers[node];
                while cover.last().is_some_and(|&at| self.removed[at as usize]) {
                    cover.pop();
                }
                best = best.min(cover.last().copied().unwrap_or(GONE));
                node /= 2;
            }
        }
        best
    }

    pub(super) fn remove(&mut self, span: u32) {
        let place = self.place[span as usize];
        self.removed[span as usize] = true;
        if place == GONE {
            return;
        }
        let mut node = self.leaves + place as usize;
        self.minima[node] = GONE;
        while node > 1 {
            node /= 2;
            self.minima[node] = self.minima[2 * node].min(self.minima[2 * node + 1]);
        }
    }
}
