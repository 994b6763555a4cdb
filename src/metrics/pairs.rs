//! Counts of label pairs.

use rustc_hash::FxHashMap;

/// Counts of (gold label, predicted label). Runs of one pair are summed before they reach the table.
#[derive(Default)]
pub(super) struct PairCounts {
    counts: FxHashMap<(u32, u32), u64>,
    run: ((u32, u32), u64),
}

impl PairCounts {
    pub(super) fn add(&mut self, gold: u32, pred: u32) {
        if self.run.0 != (gold, pred) {
            self.flush();
            self.run.0 = (gold, pred);
        }
        self.run.1 += 1;
    }

    fn flush(&mut self) {
        if self.run.1 > 0 {
            *self.counts.entry(self.run.0).or_default() += self.run.1;
            self.run.1 = 0;
        }
    }

    /// Every pair that occurs with its count, in order.
    pub(super) fn sorted(mut self) -> Vec<((u32, u32), u64)> {
        self.flush();
        let mut pairs: Vec<_> = self.counts.into_iter().collect();
        pairs.sort_unstable();
        pairs
    }
}
