//! Spans of one text → places in another: tokens joined by spaces, or what a model wrote, against the text that
//! was annotated. White space does not count; the rest is aligned by `imara-diff`.

use imara_diff::{Algorithm, Diff, InternedInput};

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
        let mut input: InternedInput<char> = InternedInput::default();
        input.update_before(a.iter().copied());
        input.update_after(b.iter().copied());
        let diff = Diff::compute(Algorithm::Myers, &input);
        let (mut at_a, mut at_b, mut met) = (0_usize, 0_usize, 0_u64);
        let mut same = |until_a: usize, at_a: usize, at_b: usize| {
            for step in 0..until_a - at_a {
                this.to[a_points[at_a + step] as usize] = b_points[at_b + step];
                met += 1;
            }
        };
        for hunk in diff.hunks() {
            same(hunk.before.start as usize, at_a, at_b);
            (at_a, at_b) = (hunk.before.end as usize, hunk.after.end as usize);
        }
        same(a.len(), at_a, at_b);
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
}
