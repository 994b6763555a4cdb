//! JSON as Python and language models write it → strict JSON: single and typographic quotes, `None`, tuples,
//! sets, `np.float32(0.9)`, trailing commas, keys without quotes, a value that is cut off. One walk with a
//! stack of its own; no recursion.

use std::borrow::Cow;

/// A value rewritten as strict JSON.
#[derive(Debug)]
pub struct Rewritten {
    /// The value. Line breaks outside strings are kept.
    pub json: String,
    /// How it ended.
    pub ended: Ended,
    /// Bytes of the input that were read.
    pub read: usize,
}

/// How a value ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// With its own bracket.
    Whole,
    /// With the input: what was complete before is kept.
    Cut,
    /// With something that has no meaning there; likewise.
    Fault,
}

/// Brackets in brackets that are followed.
const DEPTH: usize = 64;

/// Rewrites the list, object or tuple with which `text` begins. `bare` takes words without quotes in lists for
/// strings. None where nothing complete was read.
pub fn to_json(text: &str, bare: bool) -> Option<Rewritten> {
    let mut walk = Walk { text, at: 0, out: String::new(), stack: Vec::new(), safe: None, bare };
    let ended = walk.run();
    if ended != Ended::Whole {
        let (length, closers) = walk.safe.take()?;
        walk.out.truncate(length);
        walk.out.push_str(&closers);
    }
    Some(Rewritten { json: walk.out, ended, read: walk.at })
}

/// The beginning of a file as JSON, for a look at it: as it is where its first value is JSON and whole.
pub fn head_to_json(head: &str) -> Cow<'_, str> {
    let first = serde_json::Deserializer::from_str(head).into_iter::<serde::de::IgnoredAny>().next();
    if matches!(first, Some(Ok(_))) { Cow::Borrowed(head) } else { Cow::Owned(file_to_json(head).0) }
}

/// Rewrites a whole file of such values, one behind another. Returns the JSON, line for line where the values
/// are whole, and the lines whose value is not whole.
pub fn file_to_json(text: &str) -> (String, Vec<(u64, Ended)>) {
    let (mut json, mut faults) = (String::new(), Vec::new());
    let (mut at, mut line) = (0, 1_u64);
    while let Some(next) = text[at..].chars().next() {
        if !matches!(next, '[' | '{' | '(') {
            if next == '\n' {
                json.push('\n');
                line += 1;
            }
            at += next.len_utf8();
            continue;
        }
        let before = json.len();
        let rest = &text[at..];
        let (ended, read) = match to_json(rest, false) {
            Some(value) => {
                json.push_str(&value.json);
                (value.ended, value.read)
            }
            None => (Ended::Cut, 0),
        };
        // Behind a fault the next line may be whole again.
        let read = match ended {
            Ended::Whole => read,
            _ => memchr::memchr(b'\n', &rest.as_bytes()[read..]).map_or(rest.len(), |end| read + end),
        };
        if ended != Ended::Whole {
            faults.push((line, if at + read == text.len() { Ended::Cut } else { Ended::Fault }));
        }
        let breaks = memchr::memchr_iter(b'\n', &rest.as_bytes()[..read]).count();
        let kept = memchr::memchr_iter(b'\n', &json.as_bytes()[before..]).count();
        json.extend(std::iter::repeat_n('\n', breaks.saturating_sub(kept)));
        line += breaks as u64;
        at += read;
    }
    (json, faults)
}

/// Appends a JSON string.
pub fn push_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if (c as u32) < 0x20 => {
                const HEX: &[u8; 16] = b"0123456789abcdef";
                out.push_str("\\u00");
                out.push(char::from(HEX[c as usize >> 4]));
                out.push(char::from(HEX[c as usize & 15]));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `[…]`, `(…)`, and `{…}` without colons.
    List,
    Map,
    /// `np.float32(…)`: the first argument stands for the whole.
    Call,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    /// A value, or a key of a map.
    First,
    /// The colon behind a key.
    Colon,
    /// The value behind a colon.
    Value,
    /// A comma or the end.
    Comma,
}

#[derive(Debug)]
struct Frame {
    kind: Kind,
    /// What ends it in the input.
    closer: char,
    /// Where its bracket is in the output.
    open: usize,
    /// Values so far.
    values: usize,
    expect: Expect,
    /// Of a call: where its first argument ended in the output.
    keep: usize,
}

struct Walk<'t> {
    text: &'t str,
    at: usize,
    out: String,
    stack: Vec<Frame>,
    /// Where the output may be cut, and what closes it there.
    safe: Option<(usize, String)>,
    bare: bool,
}

impl Walk<'_> {
    fn run(&mut self) -> Ended {
        loop {
            let rest = &self.text[self.at..];
            let Some(c) = rest.chars().next() else { return Ended::Cut };
            let step = match c {
                '\n' => {
                    self.out.push('\n');
                    self.at += 1;
                    Some(())
                }
                c if c.is_whitespace() => {
                    self.at += c.len_utf8();
                    Some(())
                }
                '[' | '(' => self.open(Kind::List, if c == '[' { ']' } else { ')' }),
                '{' => self.open(Kind::Map, '}'),
                ']' | ')' | '}' => self.close(c),
                ',' => self.comma(),
                ':' => self.colon(),
                '=' if self.stack.last().is_some_and(|f| f.kind == Kind::Call) => {
                    self.at += 1;
                    Some(())
                }
                '"' | '\'' | '“' | '”' | '‘' | '’' | '„' => {
                    self.at += c.len_utf8();
                    let Some(string) = self.string(c) else { return Ended::Cut };
                    self.scalar(|out| push_string(out, &string))
                }
                _ => self.word(),
            };
            if step.is_none() {
                return if self.text[self.at..].trim().is_empty() { Ended::Cut } else { Ended::Fault };
            }
            if self.stack.is_empty() {
                return Ended::Whole;
            }
        }
    }

    /// Before a value: a comma in the output, or the place of a key. None where no value may stand.
    fn begin(&mut self) -> Option<()> {
        let Some(frame) = self.stack.last_mut() else { return Some(()) };
        match (frame.kind, frame.expect) {
            (_, Expect::Colon) => return None,
            (Kind::Call, _) => {}
            (Kind::Map, Expect::Value) => {}
            (Kind::Map | Kind::List, _) if frame.values > 0 => self.out.push(','),
            _ => {}
        }
        Some(())
    }

    /// After a value.
    fn done(&mut self, container: bool) {
        let length = self.out.len();
        let Some(frame) = self.stack.last_mut() else { return };
        if frame.kind == Kind::Map && frame.expect != Expect::Value {
            frame.expect = Expect::Colon;
            return;
        }
        frame.values += 1;
        frame.expect = Expect::Comma;
        if frame.kind == Kind::Call {
            if frame.values == 1 {
                frame.keep = length;
            }
            return;
        }
        let whole = frame.kind == Kind::List || container;
        if whole && self.stack.iter().all(|frame| frame.kind != Kind::Call) {
            let close = |frame: &Frame| if frame.kind == Kind::Map { '}' } else { ']' };
            self.safe = Some((length, self.stack.iter().rev().map(close).collect()));
        }
    }

    fn scalar(&mut self, write: impl FnOnce(&mut String)) -> Option<()> {
        self.begin()?;
        write(&mut self.out);
        self.done(false);
        Some(())
    }

    fn open(&mut self, kind: Kind, closer: char) -> Option<()> {
        let key = self.stack.last().is_some_and(|f| f.kind == Kind::Map && f.expect != Expect::Value);
        if self.stack.len() >= DEPTH || key {
            return None;
        }
        self.begin()?;
        let open = self.out.len();
        match kind {
            Kind::List => self.out.push('['),
            Kind::Map => self.out.push('{'),
            Kind::Call => {}
        }
        self.stack.push(Frame { kind, closer, open, values: 0, expect: Expect::First, keep: open });
        self.at += 1;
        Some(())
    }

    fn close(&mut self, c: char) -> Option<()> {
        self.set_not_map();
        let frame = self.stack.last()?;
        if frame.closer != c || frame.expect == Expect::Colon {
            return None;
        }
        if frame.kind == Kind::Map && frame.expect == Expect::Value {
            self.out.push_str("null");
        }
        let frame = self.stack.pop()?;
        match frame.kind {
            Kind::List => self.out.push(']'),
            Kind::Map => self.out.push('}'),
            Kind::Call => {
                self.out.truncate(frame.keep);
                if frame.values == 0 {
                    self.out.push_str("null");
                }
            }
        }
        self.at += 1;
        self.done(frame.kind != Kind::Call);
        Some(())
    }

    fn comma(&mut self) -> Option<()> {
        self.set_not_map();
        let frame = self.stack.last_mut()?;
        match frame.expect {
            Expect::Colon => return None,
            Expect::Value => {
                self.out.push_str("null");
                self.done(false);
            }
            Expect::First | Expect::Comma => {}
        }
        if let Some(frame) = self.stack.last_mut() {
            frame.expect = Expect::First;
        }
        self.at += 1;
        Some(())
    }

    fn colon(&mut self) -> Option<()> {
        let frame = self.stack.last_mut()?;
        if frame.expect != Expect::Colon {
            return None;
        }
        frame.expect = Expect::Value;
        self.out.push(':');
        self.at += 1;
        Some(())
    }

    /// `{'a', 'b'}` is a set: its first value has no colon behind it.
    fn set_not_map(&mut self) {
        if let Some(frame) = self.stack.last_mut()
            && frame.kind == Kind::Map
            && frame.expect == Expect::Colon
            && frame.values == 0
        {
            frame.kind = Kind::List;
            self.out.replace_range(frame.open..=frame.open, "[");
            self.done(false);
        }
    }

    /// A string whose opening quote was read. A quote ends it only where something may follow, so that
    /// `'Parkinson's disease'` is one string. None where it does not end.
    fn string(&mut self, quote: char) -> Option<String> {
        let mut string = String::new();
        let mut chars = self.text[self.at..].char_indices();
        while let Some((at, c)) = chars.next() {
            if c == '\\' {
                let (_, escaped) = chars.next()?;
                let mut hex = |digits: usize| {
                    let mut code = 0;
                    for _ in 0..digits {
                        code = code * 16 + chars.clone().next().and_then(|(_, c)| c.to_digit(16))?;
                        chars.next();
                    }
                    Some(code)
                };
                let code = match escaped {
                    'n' => Some(10),
                    't' => Some(9),
                    'r' => Some(13),
                    'b' => Some(8),
                    'f' => Some(12),
                    '\n' => continue,
                    'x' => hex(2),
                    'u' => match hex(4) {
                        Some(high @ 0xD800..0xDC00) if chars.as_str().starts_with("\\u") => {
                            chars.next();
                            chars.next();
                            let mut low = 0;
                            for _ in 0..4 {
                                low = low * 16 + chars.next().and_then(|(_, c)| c.to_digit(16)).unwrap_or(0);
                            }
                            let pair = 0xDC00..0xE000;
                            Some(if pair.contains(&low) {
                                0x10000 + ((high - 0xD800) << 10) + low - 0xDC00
                            } else {
                                low
                            })
                        }
                        code => code,
                    },
                    'U' => hex(8),
                    other => Some(other as u32),
                };
                string.push(code.and_then(char::from_u32).unwrap_or('\u{FFFD}'));
            } else if closes(quote, c) && may_follow(&self.text[self.at + at + c.len_utf8()..]) {
                self.at += at + c.len_utf8();
                return Some(string);
            } else {
                string.push(c);
            }
        }
        self.at = self.text.len();
        None
    }

    /// A number, `None`, `True`, a name before a bracket or a quote, a key or an item without quotes.
    fn word(&mut self) -> Option<()> {
        let rest = &self.text[self.at..];
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '+');
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let word = &rest[..length];
        let next = rest[length..].chars().next();
        let named = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if named && next == Some('(') {
            self.at += length;
            return self.open(Kind::Call, ')');
        }
        if named && word.len() <= 2 && matches!(next, Some('"' | '\'')) {
            // u'…', b'…', r'…'
            self.at += length;
            return Some(());
        }
        let key = self.stack.last().is_some_and(|f| f.kind == Kind::Map && f.expect != Expect::Value);
        let in_call = self.stack.last().is_some_and(|f| f.kind == Kind::Call);
        if key && named {
            let word = word.to_owned();
            self.at += length;
            return self.scalar(|out| push_string(out, &word));
        }
        // What touches the end of the input may go on behind it.
        let alone = rest[length..].trim_start().starts_with([',', ']', '}', ')', '\n']);
        let whole = alone || in_call && next.is_some();
        let value = match word.to_ascii_lowercase().as_str() {
            "none" | "null" | "nan" | "inf" | "-inf" | "infinity" | "-infinity" | "undefined" => {
                Some("null".to_owned())
            }
            "true" => Some("true".to_owned()),
            "false" => Some("false".to_owned()),
            _ if !word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) => None,
            _ => number(word),
        };
        match value {
            Some(value) if whole => {
                self.at += length;
                return self.scalar(|out| out.push_str(&value));
            }
            _ if word == "..." && alone => {
                self.at += length;
                return Some(());
            }
            _ if in_call && !word.is_empty() => {
                self.at += length;
                return Some(());
            }
            _ => {}
        }
        if rest[length..].trim_start().is_empty() {
            self.at = self.text.len();
            return None;
        }
        let list = self.stack.last().is_some_and(|f| f.kind == Kind::List);
        if !self.bare || !list {
            return None;
        }
        let length = rest.find([',', ']', '\n', '[', '{', '}'])?;
        let item = rest[..length].trim().to_owned();
        if item.is_empty() {
            return None;
        }
        self.at += length;
        self.scalar(|out| push_string(out, &item))
    }
}

/// Whether a quote ends a string that another one opened.
fn closes(open: char, c: char) -> bool {
    match open {
        '"' => c == '"',
        '\'' => c == '\'',
        '“' | '”' | '„' => matches!(c, '”' | '“' | '"'),
        _ => matches!(c, '’' | '‘' | '\''),
    }
}

/// Whether what stands behind a quote may follow a string.
fn may_follow(rest: &str) -> bool {
    let next = rest.trim_start().chars().next();
    next.is_none_or(|c| matches!(c, ',' | ']' | '}' | ')' | ':' | '"' | '\'' | '“' | '”' | '‘' | '’'))
}

/// A number as JSON writes it.
fn number(word: &str) -> Option<String> {
    if let Ok(whole) = word.parse::<i64>() {
        return Some(whole.to_string());
    }
    word.parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> String {
        let rewritten = to_json(text, false).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(rewritten.ended, Ended::Whole, "{text}");
        serde_json::from_str::<serde_json::Value>(&rewritten.json)
            .map_or_else(|e| panic!("{text}: {e}"), |v| v.to_string())
    }

    fn cut(text: &str) -> Option<(String, Ended)> {
        to_json(text, false).map(|r| (r.json, r.ended))
    }

    #[test]
    fn python_becomes_json() {
        assert_eq!(
            json("[('a', None), {'b': True, 'c': np.float32(0.5)},]"),
            r#"[["a",null],{"b":true,"c":0.5}]"#
        );
        assert_eq!(json("{'a', 'b'}"), r#"["a","b"]"#);
        assert_eq!(
            json("{'s': tensor(0.5, device='cuda:0'), 'n': np.str_('x'), 'e': array([1, 2])}"),
            r#"{"e":[1,2],"n":"x","s":0.5}"#
        );
        assert_eq!(json("[nan, -inf, 1e3, -.5, u'x']"), r#"[null,null,1000,-0.5,"x"]"#);
        assert_eq!(
            json(r#"['it\'s', "it's", '\x41\u00e9\ud83d\ude00', 'a\\n']"#),
            r#"["it's","it's","Aé😀","a\\n"]"#
        );
    }

    #[test]
    fn what_models_write() {
        assert_eq!(json("['Parkinson's disease', 'x']"), r#"["Parkinson's disease","x"]"#);
        assert_eq!(json(r#"["12" catheter", "y",]"#), r#"["12\" catheter","y"]"#);
        assert_eq!(json("{“drug”: [“a”, ‘b’], condition: []}"), r#"{"condition":[],"drug":["a","b"]}"#);
        assert_eq!(json("[\"a\" \"b\", ...]"), r#"["a","b"]"#);
        assert_eq!(
            to_json("[aspirin 81 mg, statin]", true).map(|r| r.json),
            Some(r#"["aspirin 81 mg","statin"]"#.into())
        );
        assert!(to_json("[see note above]", false).is_none());
    }

    #[test]
    fn what_is_complete_is_kept() {
        assert_eq!(cut(r#"{"drug": ["a", "b"#), Some((r#"{"drug":["a"]}"#.into(), Ended::Cut)));
        assert_eq!(
            cut(r#"[{"t": "a", "s": 1}, {"t": "b", "s": 2"#),
            Some((r#"[{"t":"a","s":1}]"#.into(), Ended::Cut))
        );
        assert_eq!(
            cut(r#"{"1": [{"t": 1}], "2": [{"t": 2"#),
            Some((r#"{"1":[{"t":1}]}"#.into(), Ended::Cut))
        );
        assert_eq!(cut("[1, 2"), Some(("[1]".into(), Ended::Cut)));
        assert_eq!(cut("[\"a\", %"), Some((r#"["a"]"#.into(), Ended::Fault)));
        assert_eq!(cut("[\"a"), None);
        assert!(to_json(&"[".repeat(100_000), true).is_none());
    }

    #[test]
    fn files_keep_their_lines() {
        let (json, faults) =
            file_to_json("[{'a': 'x'}]\n\n[{'a':\n 'y'},\n oops]\n[{'a': 'z'}]\n[{'a': 'w'}, {'a");
        assert_eq!(
            json.lines().collect::<Vec<_>>(),
            [r#"[{"a":"x"}]"#, "", r#"[{"a":"#, r#""y"}]"#, "", r#"[{"a":"z"}]"#, r#"[{"a":"w"}]"#]
        );
        assert_eq!(faults, [(3, Ended::Fault), (7, Ended::Cut)]);
    }
}
