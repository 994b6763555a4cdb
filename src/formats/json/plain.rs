//! The common shape of a record, read without serde:
//! `{"id": "7", "text": "…", "entities": [{"start": 0, "end": 7, "label": "drug"}, …]}` with just these keys,
//! each once, whole numbers, and labels and ids without escapes. Most large files hold nothing else. It is
//! strict: what it takes is valid JSON, and any other record is left to the visitors of `record.rs`. A
//! property test holds both equal.

use super::record::{RawSpan, Record};
use crate::corpus::Labels;
use std::ops::Range;

/// Reads a record if it has the common shape; false, with anything in `record`, if it has not.
pub(super) fn record(json: &str, labels: &mut Labels, record: &mut Record) -> bool {
    Cursor { json, at: 0 }.record(labels, record).is_some()
}

/// Reads a list of spans likewise.
pub(super) fn spans(json: &str, labels: &mut Labels, out: &mut Vec<RawSpan>) -> bool {
    let mut cursor = Cursor { json, at: 0 };
    cursor.list(labels, out).and_then(|()| cursor.end()).is_some()
}

struct Cursor<'a> {
    json: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn record(&mut self, labels: &mut Labels, record: &mut Record) -> Option<()> {
        self.expect(b'{')?;
        loop {
            let key = self.string()?;
            self.expect(b':')?;
            match key {
                "id" if record.id.is_none() => {
                    record.id = Some(self.id().filter(|id| !id.is_empty())?.to_owned())
                }
                "text" if record.text.is_none() => record.text = Some(self.text()?),
                "entities" if !record.has_spans() => {
                    self.list(labels, &mut record.spans)?;
                    record.spans_are_entities();
                }
                _ => return None,
            }
            if self.member()? == b'}' {
                return self.end();
            }
        }
    }

    fn list(&mut self, labels: &mut Labels, out: &mut Vec<RawSpan>) -> Option<()> {
        self.expect(b'[')?;
        if self.peek()? == b']' {
            self.at += 1;
            return Some(());
        }
        loop {
            out.push(self.span(labels)?);
            match self.next()? {
                b',' => {}
                b']' => return Some(()),
                _ => return None,
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
                "start" if span.start.is_none() => span.start = Some(self.number()?),
                "end" if span.end.is_none() => span.end = Some(self.number()?),
                "label" if span.label.is_none() => {
                    let label = self.string().filter(|label| !label.is_empty())?;
                    span.label = Some(labels.intern(label));
                }
                _ => return None,
            }
            if self.member()? == b'}' {
                let complete = span.start.is_some() && span.end.is_some() && span.label.is_some();
                return complete.then_some(span);
            }
        }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.json.as_bytes().get(at).copied()
    }

    /// The next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.byte(self.at)? {
                b' ' | b'\n' | b'\r' | b'\t' => self.at += 1,
                byte => return Some(byte),
            }
        }
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    /// What follows a member of an object: `,` with another member behind it, or `}`.
    fn member(&mut self) -> Option<u8> {
        self.next().filter(|byte| matches!(byte, b',' | b'}'))
    }

    /// Nothing but white space is left.
    fn end(&mut self) -> Option<()> {
        self.peek().is_none().then_some(())
    }

    /// A short string without escapes.
    fn string(&mut self) -> Option<&'a str> {
        self.expect(b'"')?;
        let rest = &self.json.as_bytes()[self.at..];
        let length = rest.iter().position(|&byte| byte == b'"' || byte == b'\\' || byte < b' ')?;
        let string = self.json.get(self.at..self.at + length)?;
        // The very next byte, not the next one behind white space.
        let closed = rest[length] == b'"';
        self.at += length + 1;
        closed.then_some(string)
    }

    /// A string, or a whole number as it is written.
    fn id(&mut self) -> Option<&'a str> {
        if self.peek()? == b'"' {
            return self.string();
        }
        let start = self.at;
        self.number()?;
        self.json.get(start..self.at)
    }

    /// A long string, quotes included, that may hold escapes.
    fn text(&mut self) -> Option<Range<usize>> {
        let bytes = self.json.as_bytes();
        self.expect(b'"')?;
        let start = self.at;
        loop {
            self.at += memchr::memchr2(b'"', b'\\', &bytes[self.at..])?;
            if bytes[self.at] == b'"' {
                break;
            }
            self.at += match self.byte(self.at + 1)? {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 2,
                b'u' if bytes.get(self.at + 2..self.at + 6)?.iter().all(u8::is_ascii_hexdigit) => 6,
                _ => return None,
            };
        }
        let valid = bytes[start..self.at].iter().all(|&byte| byte >= b' ');
        self.at += 1;
        valid.then_some(start - 1..self.at)
    }

    /// A whole number of at most 18 digits.
    fn number(&mut self) -> Option<i64> {
        let negative = self.peek()? == b'-';
        self.at += usize::from(negative);
        let start = self.at;
        let mut value = 0_i64;
        while let Some(digit @ b'0'..=b'9') = self.byte(self.at) {
            if self.at - start >= 18 {
                return None;
            }
            value = value * 10 + i64::from(digit - b'0');
            self.at += 1;
        }
        let digits = self.at - start;
        let leading_zero = digits > 1 && self.byte(start) == Some(b'0');
        if digits == 0 || leading_zero || matches!(self.byte(self.at), Some(b'.' | b'e' | b'E')) {
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
        spans(list, &mut labels, &mut out).then(|| {
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
            "[],",
            "[{\"start\":00,\"end\":7,\"label\":\"a\"}]",
            "[{\"start\":0,\"end\":7,\"label\":\"a\"},]",
            "[{\"start\":0,\"end\":7,\"label\":\"a\",}]",
            "[{\"start\":0 1,\"end\":7,\"label\":\"a\"}]",
            "[{\"start\":0,\"end\":7,\"label\":\"a\tb\"}]",
        ] {
            assert_eq!(read(list), None, "{list}");
        }
    }

    #[test]
    fn records() {
        let takes = |json: &str| {
            let mut into = Record::default();
            let took = record(json, &mut Labels::default(), &mut into);
            took.then(|| (into.id, into.text.map(|range| json[range].to_owned()), into.spans.len()))
        };
        assert_eq!(
            takes(r#" {"id": "7", "text": "a\n\u00e9\"b", "entities": []} "#),
            Some((Some("7".into()), Some(r#""a\n\u00e9\"b""#.into()), 0))
        );
        assert_eq!(
            takes(r#"{"entities":[{"start":0,"end":1,"label":"a"}],"id":-7}"#),
            Some((Some("-7".into()), None, 1))
        );
        for json in [
            r#"{}"#,
            r#"{"id": null}"#,
            r#"{"id": "7", "id": "8"}"#,
            r#"{"id": "7", "x": 1}"#,
            r#"{"id": "\u0037"}"#,
            r#"{"id": "7"} x"#,
            r#"{"id": "7","#,
            r#"{"text": "a\q"}"#,
            r#"{"text": "a\u12g4"}"#,
            r#"{"text": "a\"}"#,
            "{\"text\": \"a\tb\"}",
            r#"{"text": 7}"#,
            r#"{"entities": [], "entities": []}"#,
            r#"{"entities": {}}"#,
            "",
        ] {
            assert_eq!(takes(json), None, "{json}");
        }
    }
}
