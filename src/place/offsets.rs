//! What a file's offsets count, decided by the spans' own texts: code points, UTF-16 units or bytes; of the
//! text as stored or with CRLF as one; with or without the byte-order mark; ends exclusive or inclusive; from
//! the document's or the passage's start. Decided for the files of one set together, the byte-order mark per
//! document, and never by the score.

use crate::corpus::Unit;
use crate::corpus::offsets::{Wanted, Way};

/// What of a text makes readings differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// All units agree.
    pub ascii: bool,
    /// It has CRLF.
    pub crlf: bool,
    /// It begins with U+FEFF.
    pub bom: bool,
    /// Its passages have offsets of their own.
    pub passages: bool,
}

impl Shape {
    /// Of a text.
    pub fn of(text: &str, passages: bool) -> Self {
        Shape {
            ascii: text.is_ascii(),
            crlf: memchr::memmem::find(text.as_bytes(), b"\r\n").is_some(),
            bom: text.starts_with('\u{FEFF}'),
            passages,
        }
    }
}

/// The ways that the options leave open, the first wins where evidence is equal.
pub fn open_ways(own: Unit, wanted: &Wanted) -> Vec<Way> {
    let mut units = vec![own];
    units.extend(Unit::ALL.into_iter().filter(|unit| *unit != own));
    let units = wanted.unit.map_or(units, |unit| vec![unit]);
    let lf = wanted.lf.map_or(vec![false, true], |lf| vec![lf]);
    let inclusive = wanted.inclusive.map_or(vec![false, true], |inclusive| vec![inclusive]);
    let mut ways = Vec::new();
    for &unit in &units {
        for &lf in &lf {
            for &inclusive in &inclusive {
                for passage in [false, true] {
                    ways.push(Way { unit, lf, bom: true, inclusive, passage });
                }
            }
        }
    }
    ways
}

/// Whether two ways read the same offsets of such a text alike.
fn alike(a: Way, b: Way, text: &Shape) -> bool {
    (a.unit == b.unit || text.ascii)
        && (a.lf == b.lf || !text.crlf)
        && a.inclusive == b.inclusive
        && (a.passage == b.passage || !text.passages)
}

/// Agreement of own texts with the document's, per way.
pub struct Evidence {
    /// The ways, the default first.
    pub ways: Vec<Way>,
    /// Spans with an own text and a text to compare it with.
    pub checked: u64,
    /// Spans that agree, per way.
    pub agree: Vec<u64>,
    /// Spans that agree this way and not the default way.
    wins: Vec<u64>,
    /// The reverse.
    losses: Vec<u64>,
    /// Documents whose byte-order mark counts, and those where it does not.
    pub boms: [u64; 2],
}

/// Share of spans, in percent, that must agree before another way than the default is taken.
const SHARE: u64 = 95;
/// How many times more spans must speak for it than against it.
const MARGIN: u64 = 4;

impl Evidence {
    /// No evidence yet.
    pub fn new(ways: Vec<Way>) -> Self {
        let zeros = vec![0; ways.len()];
        Evidence { ways, checked: 0, agree: zeros.clone(), wins: zeros.clone(), losses: zeros, boms: [0; 2] }
    }

    /// Adds one document: `agreement` says for a way which of its spans agree.
    pub fn add(&mut self, shape: &Shape, mut agreement: impl FnMut(Way) -> Vec<bool>) {
        let mut known: Vec<(Way, Vec<bool>)> = Vec::new();
        for at in 0..self.ways.len() {
            let way = self.ways[at];
            let found = match known.iter().position(|(other, _)| alike(*other, way, shape)) {
                Some(found) => found,
                None => {
                    known.push((way, agreement(way)));
                    known.len() - 1
                }
            };
            if at == 0 {
                self.checked += known[0].1.len() as u64;
            }
            for (&here, &default) in known[found].1.iter().zip(&known[0].1) {
                self.agree[at] += u64::from(here);
                self.wins[at] += u64::from(here && !default);
                self.losses[at] += u64::from(default && !here);
            }
        }
    }

    /// The way that the evidence speaks for, as an index into `ways`.
    pub fn decide(&self) -> usize {
        let mut best = 0;
        for at in 1..self.ways.len() {
            if self.agree[at] > self.agree[best] {
                best = at;
            }
        }
        let enough = self.agree[best] * 100 >= self.checked * SHARE;
        let clear = self.wins[best] > 0 && self.wins[best] >= MARGIN * self.losses[best];
        if enough && clear { best } else { 0 }
    }

    /// Spans that tell a way from the default.
    pub fn deciding(&self, way: usize) -> u64 {
        self.wins[way]
    }

    /// Ways that fit as well as the best one and better than the default, when none could be taken.
    pub fn best(&self) -> usize {
        (0..self.ways.len()).rev().max_by_key(|&at| self.agree[at]).unwrap_or(0)
    }
}

/// Where each code point of a text stands when it is read one way.
pub struct Ruler {
    /// Position of every code point boundary, in the unit; none where positions are code points.
    positions: Option<Vec<u32>>,
    points: i64,
}

impl Ruler {
    /// Measures a text.
    pub fn new(text: &str, way: &Way) -> Self {
        let bytes = text.as_bytes();
        let mut points = 0;
        let starts_with_bom = text.starts_with('\u{FEFF}');
        let skips =
            (way.lf && memchr::memmem::find(bytes, b"\r\n").is_some()) || (!way.bom && starts_with_bom);
        if !skips && (way.unit == Unit::CodePoint || text.is_ascii()) {
            points += crate::corpus::text::code_points(bytes) as i64;
            return Ruler { positions: None, points };
        }
        let mut positions = Vec::with_capacity(text.len() + 1);
        let mut position = 0;
        for (at, c) in text.char_indices() {
            positions.push(position);
            let silent = (way.lf && c == '\r' && bytes.get(at + 1) == Some(&b'\n'))
                || (!way.bom && at == 0 && c == '\u{FEFF}');
            if !silent {
                position += way.unit.width(c) as u32;
            }
        }
        points += positions.len() as i64;
        positions.push(position);
        Ruler { positions: Some(positions), points }
    }

    /// The position of a code point.
    pub fn position(&self, point: i64) -> i64 {
        match &self.positions {
            None => point,
            Some(positions) => {
                usize::try_from(point).ok().and_then(|at| positions.get(at)).map_or(point, |&p| i64::from(p))
            }
        }
    }

    /// The code point at which a span starts; none inside a character. Positions outside the text stay as
    /// far outside.
    pub fn start(&self, position: i64) -> Option<i64> {
        self.point(position, false)
    }

    /// The code point before which a span ends.
    pub fn end(&self, position: i64) -> Option<i64> {
        self.point(position, true)
    }

    fn point(&self, position: i64, first: bool) -> Option<i64> {
        let Some(positions) = &self.positions else { return Some(position) };
        let last = i64::from(*positions.last()?);
        if position < 0 {
            return Some(position);
        }
        if position > last {
            return Some((position - last).saturating_add(self.points));
        }
        let wanted = u32::try_from(position).ok()?;
        // Characters that count nothing stand at the position of the next one.
        let at = if first {
            positions.partition_point(|&p| p < wanted)
        } else {
            positions.partition_point(|&p| p <= wanted).checked_sub(1)?
        };
        (*positions.get(at)? == wanted).then_some(at as i64)
    }
}

/// Whether a span's own text is the text there: exactly, or up to runs of white space, or up to case.
pub fn agrees(own: &str, there: &str) -> bool {
    own == there || {
        let (own, there) = (collapse(own), collapse(there));
        own == there || own.to_lowercase() == there.to_lowercase()
    }
}

/// Runs of white space as one space each.
fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut space = false;
    for c in text.chars() {
        if c.is_whitespace() {
            if !space {
                out.push(' ');
            }
            space = true;
        } else {
            out.push(c);
            space = false;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rulers_measure_every_unit() {
        let text = "\u{FEFF}a😖\r\nµ";
        let way = |unit, lf, bom| Way { unit, lf, bom, inclusive: false, passage: false };
        let raw = Ruler::new(text, &way(Unit::CodePoint, false, true));
        assert_eq!((raw.start(2), raw.end(99), raw.start(-3)), (Some(2), Some(99), Some(-3)));
        let utf16 = Ruler::new(text, &way(Unit::Utf16, false, true));
        assert_eq!((utf16.start(2), utf16.start(3), utf16.end(4)), (Some(2), None, Some(3)));
        assert_eq!(utf16.end(9), Some(8));
        let bytes = Ruler::new(text, &way(Unit::Byte, true, false));
        // a, emoji, CR (nothing), LF, µ
        assert_eq!(
            (bytes.start(0), bytes.start(1), bytes.end(5), bytes.start(5)),
            (Some(1), Some(2), Some(3), Some(4))
        );
        assert_eq!((bytes.start(6), bytes.end(7), bytes.end(8)), (Some(5), None, Some(6)));
    }

    #[test]
    fn collapsing_keeps_edges() {
        assert!(agrees("acute  renal\n failure", "Acute renal failure"));
        assert!(!agrees("renal", "renal "));
    }
}
