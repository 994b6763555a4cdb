//! Spans of one text → places in another: tokens joined by spaces, or what a model wrote, against the text that
//! was annotated. White space does not count; the rest is aligned by `imara-diff`.

use imara_diff::{Algorithm, Diff, InternedInput};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher as _;

/// Where the characters of one text are in another.
pub struct Projection {
    /// Per code point of the first text: the code point of the second, or [`NOWHERE`].
    to: Vec<u32>,
    /// Whether all characters but white space have a place, in both.
    pub complete: bool,
    /// Share of the second text's characters, white space left out, that were met, in percent.
    pub met: u64,
}

const NOWHERE: u32 = u32::MAX;

impl Projection {
    /// Aligns two texts.
    pub fn new(from: &str, to: &str) -> Self {
        let squeeze = |text: &str| -> (Vec<char>, Vec<u32>) {
            text.chars()
                .enumerate()
                .filter(|(_, c)| !c.is_whitespace() && *c != '\u{FEFF}')
                .map(|(at, c)| (c, at as u32))
                .unzip()
        };
        let ((a, a_points), (b, b_points)) = (squeeze(from), squeeze(to));
        let mut this = Projection { to: vec![NOWHERE; from.chars().count()], complete: a == b, met: 100 };
        if this.complete {
            for (&from, &to) in a_points.iter().zip(&b_points) {
                this.to[from as usize] = to;
            }
            return this;
        }
        let mut met = 0_u64;
        for (at_a, at_b, length) in stretches(&a, &b) {
            for step in 0..length {
                this.to[a_points[at_a + step] as usize] = b_points[at_b + step];
            }
            met += length as u64;
        }
        this.met = met * 100 / (b.len() as u64).max(1);
        this
    }

    /// The place of a range: from its first to its last character that has one. None where fewer than half of
    /// its characters have one, or they lie far apart.
    pub fn range(&self, start: i64, end: i64) -> Option<(i64, i64)> {
        let (start, end) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
        let places: Vec<u32> =
            self.to.get(start..end)?.iter().copied().filter(|&place| place != NOWHERE).collect();
        let (first, last) = (*places.first()?, *places.last()?);
        let length = i64::from(last) + 1 - i64::from(first);
        let wide = (end - start) as i64;
        (places.len() * 2 >= end - start || self.complete).then_some(())?;
        (length <= 2 * wide + 8).then_some((i64::from(first), i64::from(last) + 1))
    }
}

/// Characters of an anchor: a stretch that both texts have exactly once.
const ANCHOR: usize = 12;
/// Product of the lengths up to which two texts are compared character by character.
const PRODUCT: usize = 4_000_000;

/// What two texts have in common in one order, as (place in the first, in the second, length). Long texts are cut
/// at anchors, and only what lies between two of them is compared character by character; where that is long too,
/// nothing of it is taken.
fn stretches(a: &[char], b: &[char]) -> Vec<(usize, usize, usize)> {
    let mut found = Vec::new();
    if a.len().saturating_mul(b.len()) <= PRODUCT {
        compare(a, b, (0, 0), &mut found);
        return found;
    }
    let (mut at_a, mut at_b) = (0, 0);
    for (x, y) in anchors(a, b) {
        if x < at_a || y < at_b {
            // It begins inside the one before: what is new of it goes on there when both shift alike.
            let shift = at_a.saturating_sub(x).max(at_b.saturating_sub(y));
            if shift >= ANCHOR || x + shift != at_a || y + shift != at_b {
                continue;
            }
            found.push((at_a, at_b, ANCHOR - shift));
        } else {
            between(&a[at_a..x], &b[at_b..y], (at_a, at_b), &mut found);
            found.push((x, y, ANCHOR));
        }
        (at_a, at_b) = (x + ANCHOR, y + ANCHOR);
    }
    between(&a[at_a..], &b[at_b..], (at_a, at_b), &mut found);
    found
}

/// Compares what lies between two anchors: what both begin and end with, and the rest if it is short.
fn between(a: &[char], b: &[char], (at_a, at_b): (usize, usize), found: &mut Vec<(usize, usize, usize)>) {
    let head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    if head > 0 {
        found.push((at_a, at_b, head));
    }
    let (a, b) = (&a[head..], &b[head..]);
    let tail = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[..a.len() - tail], &b[..b.len() - tail]);
    if a.len().saturating_mul(b.len()) <= PRODUCT {
        compare(a, b, (at_a + head, at_b + head), found);
    }
    if tail > 0 {
        found.push((at_a + head + a.len(), at_b + head + b.len(), tail));
    }
}

/// Compares character by character.
fn compare(a: &[char], b: &[char], (at_a, at_b): (usize, usize), found: &mut Vec<(usize, usize, usize)>) {
    let mut input: InternedInput<char> = InternedInput::default();
    input.update_before(a.iter().copied());
    input.update_after(b.iter().copied());
    let (mut x, mut y) = (0, 0);
    for hunk in Diff::compute(Algorithm::Myers, &input).hunks() {
        let length = hunk.before.start as usize - x;
        found.push((at_a + x, at_b + y, length));
        (x, y) = (hunk.before.end as usize, hunk.after.end as usize);
    }
    found.push((at_a + x, at_b + y, a.len() - x));
}

/// Stretches that both texts have exactly once, as many as follow one another in both.
fn anchors(a: &[char], b: &[char]) -> Vec<(usize, usize)> {
    let once = |text: &[char]| -> FxHashMap<u64, Option<usize>> {
        let mut places: FxHashMap<u64, Option<usize>> = FxHashMap::default();
        for (at, window) in text.windows(ANCHOR).enumerate() {
            let hash = FxBuildHasher.hash_one(window);
            places.entry(hash).and_modify(|place| *place = None).or_insert(Some(at));
        }
        places
    };
    let (in_a, in_b) = (once(a), once(b));
    let mut pairs = Vec::new();
    for (at, window) in a.windows(ANCHOR).enumerate() {
        let hash = FxBuildHasher.hash_one(window);
        if in_a.get(&hash) == Some(&Some(at))
            && let Some(&Some(there)) = in_b.get(&hash)
            && b[there..there + ANCHOR] == *window
        {
            pairs.push((at, there));
        }
    }
    longest_rising(&pairs)
}

/// The longest part of the pairs, which rise on the left, that rises on the right too.
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // Per length: the pair that ends the run with the smallest right side.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < pair.1);
        before.push(length.checked_sub(1).map(|last| ends[last]));
        if length == ends.len() { ends.push(at) } else { ends[length] = at }
    }
    let mut run = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied();
    while let Some(here) = at {
        run.push(pairs[here]);
        at = before[here];
    }
    run.reverse();
    run
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_does_not_count() {
        let projection = Projection::new("take 100 mg .", "take 100mg.\n");
        assert!(projection.complete);
        assert_eq!(projection.range(5, 11), Some((5, 10)));
        assert_eq!(projection.range(5, 99), None);
    }

    #[test]
    fn prose_around_a_reply_is_passed_over() {
        let projection = Projection::new("Sure! He has gout now. Done", "He has gout.");
        assert!(!projection.complete);
        assert_eq!(projection.range(13, 17), Some((7, 11)));
        assert_eq!(projection.range(0, 5), None);
    }

    #[test]
    fn long_texts_are_cut_at_anchors() {
        let words: Vec<String> = (0..3_000_u32).map(|at| format!("word{} ", at * 7_919 % 5_003)).collect();
        let whole = words.concat();
        // A word changed here and there, one stretch left out, prose before and after.
        let mut other = words.clone();
        for at in (5..3_000).step_by(97) {
            other[at] = "changed ".to_owned();
        }
        other.drain(1_000..1_100);
        let other = format!("Sure, here it is: {} Let me know.", other.concat());
        let projection = Projection::new(&other, &whole);
        assert!(projection.met >= 93, "{}", projection.met);
        for word in [100_usize, 998, 1_101, 2_998] {
            let mark = format!(" {}", words[word]);
            let (from, to) =
                (other.find(&mark).unwrap_or(0) as i64 + 1, whole.find(&mark).unwrap_or(0) as i64 + 1);
            let length = words[word].len() as i64 - 1;
            assert_eq!(projection.range(from, from + length), Some((to, to + length)), "{word}");
        }
        let nothing = Projection::new(&"ab".repeat(200_000), &"cd".repeat(200_000));
        assert_eq!(nothing.met, 0);
    }
}
