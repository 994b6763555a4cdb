//! The common shape of a span list, read without serde: `[{"start": 0, "end": 7, "label": "drug"}, …]` with
//! just these keys, each once, whole numbers and labels without escapes. Most files hold nothing else, and
//! there are a hundred spans for every text. Any other list is left to the visitors of `record.rs`; a
//! property test holds both equal.

use super::record::RawSpan;
use crate::corpus::Labels;

/// Reads a list of valid JSON if it has the common shape; false, with anything in `out`, if it has not.
pub(super) fn spans(list: &[u8], labels: &mut Labels, out: &mut Vec<RawSpan>) -> bool {
    Cursor { rest: list }.list(labels, out).is_some()
}

struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    fn list(&mut self, labels: &mut Labels, out: &mut Vec<RawSpan>) -> Option<()> {
        self.expect(b'[')?;
        if self.peek()? == b']' {
            return Some(());
        }
        loop {
            out.push(self.span(labels)?);
            if self.next()? == b']' {
                return Some(());
            }
        }
    }

    fn span(&mut self, labels: &mut Labels) -> Option<RawSpan> {
        let mut span = RawSpan::default();
        self.expect(b'{')?;
        loop {
            let key = self.string()?;
            self.expect(b':')?;
            match key {
                b"start" if span.start.is_none() => span.start = Some(self.number()?),
                b"end" if span.end.is_none() => span.end = Some(self.number()?),
                b"label" if span.label.is_none() => {
                    span.label = Some(labels.intern(std::str::from_utf8(self.string()?).ok()?));
                }
                _ => return None,
            }
            if self.next()? == b'}' {
                let complete = span.start.is_some() && span.end.is_some() && span.label.is_some();
                return complete.then_some(span);
            }
        }
    }

    /// The next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.rest {
                [b' ' | b'\n' | b'\r' | b'\t', rest @ ..] => self.rest = rest,
                [byte, ..] => return Some(*byte),
                [] => return None,
            }
        }
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.rest = &self.rest[1..];
        Some(byte)
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    /// A string without escapes.
    fn string(&mut self) -> Option<&'a [u8]> {
        self.expect(b'"')?;
        let end = self.rest.iter().position(|&byte| byte == b'"' || byte == b'\\')?;
        let (string, rest) = self.rest.split_at(end);
        if rest[0] == b'\\' {
            return None;
        }
        self.rest = &rest[1..];
        Some(string)
    }

    /// A whole number of at most 18 digits.
    fn number(&mut self) -> Option<i64> {
        let negative = self.peek()? == b'-';
        if negative {
            self.rest = &self.rest[1..];
        }
        let mut value = 0_i64;
        let mut digits = 0;
        while let [digit @ b'0'..=b'9', rest @ ..] = self.rest {
            value = value * 10 + i64::from(digit - b'0');
            digits += 1;
            self.rest = rest;
            if digits > 18 {
                return None;
            }
        }
        if digits == 0 || matches!(self.rest.first(), Some(b'.' | b'e' | b'E')) {
            return None;
        }
        Some(if negative { -value } else { value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(list: &str) -> Option<Vec<(i64, i64, String)>> {
        let (mut labels, mut out) = (Labels::default(), Vec::new());
        spans(list.as_bytes(), &mut labels, &mut out).then(|| {
            let name = |span: &RawSpan| labels.name(span.label.unwrap_or(0)).to_owned();
            out.iter().map(|s| (s.start.unwrap_or(0), s.end.unwrap_or(0), name(s))).collect()
        })
    }

    #[test]
    fn the_common_shape_is_read() {
        assert_eq!(read("[]"), Some(Vec::new()));
        assert_eq!(
            read(
                "[ {\"start\":0,\"end\": 7 , \"label\":\"é\"} ,\n{\"label\":\"b\",\"end\":-2,\"start\":-0}]"
            ),
            Some(vec![(0, 7, "é".into()), (0, -2, "b".into())])
        );
    }

    #[test]
    fn any_other_shape_is_left() {
        for list in [
            "[[0,7,\"a\"]]",
            "[{}]",
            "[{\"start\":0,\"end\":7}]",
            "[{\"start\":0,\"end\":7,\"label\":\"a\\n\"}]",
            "[{\"start\":0,\"end\":7,\"label\":null}]",
            "[{\"start\":0,\"end\":7,\"label\":\"a\",\"text\":\"b\"}]",
            "[{\"start\":0,\"start\":0,\"end\":7,\"label\":\"a\"}]",
            "[{\"start\":0.0,\"end\":7,\"label\":\"a\"}]",
            "[{\"start\":1e2,\"end\":7,\"label\":\"a\"}]",
            "[{\"start\":\"0\",\"end\":7,\"label\":\"a\"}]",
            "[{\"start\":0,\"end\":9223372036854775807,\"label\":\"a\"}]",
            "{\"start\":0,\"end\":7,\"label\":\"a\"}",
            "null",
        ] {
            assert_eq!(read(list), None, "{list}");
        }
    }
}
