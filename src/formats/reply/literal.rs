//! Python literals, read as strictly as Python's `ast.literal_eval` reads them: what that refuses is refused
//! here. (`python_literal` reads what models write instead of literals.) Source: the grammar of Python 3.11;
//! `tests/reference/answers.py` compares. One deviation: `\N{…}` stands for U+FFFD, for want of the names.

use std::collections::BTreeSet;
use std::ops::Range;

/// One thing that iterating over the value gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// Its text; none where it is no string.
    pub text: Option<String>,
    /// Bytes of the source that it comes from.
    pub at: Range<usize>,
}

/// What iterating over a literal gives: elements of a list, tuple or set (in the order of the source), keys of
/// a dictionary, characters of a string. None where the source is no literal, or one without elements of its
/// own, such as a number.
pub fn elements(source: &str) -> Option<Vec<Element>> {
    if source.contains('\0') {
        return None;
    }
    let mut reader = Reader { source, at: 0, depth: 0 };
    reader.at = source.len() - source.trim_start_matches([' ', '\t']).len();
    // The first line with anything on it may not be indented.
    if reader.blank_lines()? > 0 {
        return None;
    }
    let node = reader.sequence_or_one(None)?;
    reader.end()?;
    let other = |at: &Range<usize>| Element { text: None, at: at.clone() };
    Some(match node.value {
        Value::Text(text) => {
            text.chars().map(|c| Element { text: Some(c.into()), at: node.at.clone() }).collect()
        }
        Value::Bytes(bytes) => bytes.iter().map(|_| other(&node.at)).collect(),
        Value::List(nodes) | Value::Tuple(nodes) | Value::Set(nodes) | Value::Dict(nodes) => nodes
            .into_iter()
            .map(|node| match node.value {
                Value::Text(text) => Element { text: Some(text), at: node.at },
                _ => other(&node.at),
            })
            .collect(),
        Value::Number(_) | Value::Word(_) => return None,
    })
}

/// Brackets in brackets that Python's tokenizer follows.
const DEPTH: usize = 200;
/// Digits of a whole number that Python reads.
const DIGITS: usize = 4300;

struct Node {
    value: Value,
    at: Range<usize>,
}

enum Value {
    Text(String),
    Bytes(Vec<u8>),
    Number(Number),
    /// `None`, `...`, and as 0 and 1 the truth values.
    Word(&'static str),
    List(Vec<Node>),
    Tuple(Vec<Node>),
    Set(Vec<Node>),
    /// Keys alone.
    Dict(Vec<Node>),
}

struct Number {
    real: f64,
    /// Whole numbers that a float does not hold, as written.
    digits: Option<String>,
    imaginary: Option<f64>,
    /// How it is put together: a sign or a sum may not stand in another one.
    made: Made,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    Plain,
    Signed,
    Sum,
}

impl Value {
    /// Equal for values that are equal in Python; none for those that cannot be in a set.
    fn key(&self) -> Option<String> {
        Some(match self {
            Value::Text(text) => format!("t{}:{text}", text.len()),
            Value::Bytes(bytes) => format!("b{bytes:?}"),
            Value::Word("True") => "n1".into(),
            Value::Word("False") => "n0".into(),
            Value::Word(word) => format!("w{word}"),
            Value::Number(Number { digits: Some(digits), .. }) => format!("i{digits}"),
            // 0.0 and -0.0 are equal.
            Value::Number(number) => match number.imaginary.filter(|&part| part != 0.0) {
                None => format!("n{}", number.real + 0.0),
                Some(part) => format!("c{},{part}", number.real + 0.0),
            },
            Value::Tuple(nodes) => {
                let keys = nodes.iter().map(|node| node.value.key()).collect::<Option<Vec<_>>>()?;
                format!("({})", keys.join(","))
            }
            Value::List(_) | Value::Set(_) | Value::Dict(_) => return None,
        })
    }
}

/// The first of equal nodes each; none where one cannot be in a set.
fn distinct(nodes: Vec<Node>) -> Option<Vec<Node>> {
    let mut seen = BTreeSet::new();
    let mut kept = Vec::new();
    for node in nodes {
        if seen.insert(node.value.key()?) {
            kept.push(node);
        }
    }
    Some(kept)
}

struct Reader<'s> {
    source: &'s str,
    at: usize,
    /// Brackets that are open.
    depth: usize,
}

impl<'s> Reader<'s> {
    fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, c: char) -> bool {
        let is = self.peek() == Some(c);
        self.at += if is { c.len_utf8() } else { 0 };
        is
    }

    /// Takes a line break: `\n`, `\r\n` or `\r`.
    fn line_break(&mut self) -> bool {
        let carriage = self.take('\r');
        self.take('\n') || carriage
    }

    fn comment(&mut self) {
        let rest = self.rest();
        self.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
    }

    /// A backslash at the end of a line, which is not the last.
    fn continuation(&mut self) -> Option<()> {
        (self.line_break() && self.at < self.source.len()).then_some(())
    }

    /// Lines with nothing on them, and the indentation of the one behind them, which may be the end.
    fn blank_lines(&mut self) -> Option<usize> {
        let mut column = 0;
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' => column += 1,
                '\x0C' | '\n' | '\r' => column = 0,
                '#' => {
                    self.comment();
                    column = 0;
                    continue;
                }
                '\\' => {
                    self.at += 1;
                    self.continuation()?;
                    continue;
                }
                _ => break,
            }
            self.at += 1;
        }
        Some(column)
    }

    /// White space between tokens.
    fn space(&mut self) -> Option<()> {
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\x0C') => self.at += 1,
                Some('\n' | '\r') if self.depth > 0 => self.at += 1,
                Some('#') => self.comment(),
                Some('\\') => {
                    self.at += 1;
                    self.continuation()?;
                }
                _ => return Some(()),
            }
        }
    }

    /// Nothing but blank lines up to the end.
    fn end(&mut self) -> Option<()> {
        self.space()?;
        let column = if self.line_break() { self.blank_lines()? } else { 0 };
        (self.peek().is_none() && column == 0).then_some(())
    }

    /// Expressions up to a bracket (taken), or up to where no more follow: one, or a tuple where there is a
    /// comma.
    fn sequence_or_one(&mut self, close: Option<char>) -> Option<Node> {
        let from = self.at;
        let mut nodes = Vec::new();
        let mut comma = false;
        loop {
            self.space()?;
            if close.is_some_and(|close| self.take(close)) {
                break;
            }
            let over = close.is_none() && matches!(self.peek(), None | Some('\n' | '\r'));
            if over && comma {
                break;
            }
            if !nodes.is_empty() && !comma {
                return None;
            }
            nodes.push(self.expression()?);
            self.space()?;
            comma = self.take(',');
            if !comma && close.is_none() {
                break;
            }
            if !comma {
                // One without a comma is what stands in the parentheses.
                if !close.is_some_and(|close| self.take(close)) {
                    return None;
                }
                if nodes.len() == 1 {
                    return nodes.pop();
                }
                break;
            }
        }
        if nodes.len() == 1 && !comma {
            return nodes.pop();
        }
        if nodes.is_empty() && close.is_none() {
            return None;
        }
        Some(Node { value: Value::Tuple(nodes), at: from..self.at })
    }

    fn open(&mut self) -> Option<()> {
        self.at += 1;
        self.depth += 1;
        (self.depth <= DEPTH).then_some(())
    }

    /// A signed number, a sum of a real and an imaginary one, or anything without an operator.
    fn expression(&mut self) -> Option<Node> {
        let from = self.at;
        let minus = self.peek() == Some('-');
        let signed = minus || self.peek() == Some('+');
        if signed {
            self.at += 1;
            self.space()?;
        }
        let mut node = self.atom()?;
        if signed {
            let Value::Number(number) = &mut node.value else { return None };
            if number.made != Made::Plain {
                return None;
            }
            number.made = Made::Signed;
            if minus {
                number.real = -number.real;
                number.imaginary = number.imaginary.map(|part| -part);
                number.digits = number.digits.take().map(|digits| format!("-{digits}"));
            }
        }
        self.space()?;
        let minus = self.peek() == Some('-');
        if minus || self.peek() == Some('+') {
            self.at += 1;
            self.space()?;
            let (Value::Number(left), Value::Number(right)) = (&node.value, self.atom()?.value) else {
                return None;
            };
            let part = right.imaginary.filter(|_| right.made == Made::Plain)?;
            if left.imaginary.is_some()
                || left.made == Made::Sum
                || left.digits.is_some() && left.real.is_infinite()
            {
                return None;
            }
            let imaginary = Some(if minus { -part } else { part });
            node.value = Value::Number(Number { real: left.real, digits: None, imaginary, made: Made::Sum });
        }
        node.at = from..self.at;
        Some(node)
    }

    fn atom(&mut self) -> Option<Node> {
        let from = self.at;
        let value = match self.peek()? {
            '(' => {
                self.open()?;
                let node = self.sequence_or_one(Some(')'))?;
                self.depth -= 1;
                return Some(Node { at: from..self.at, ..node });
            }
            '[' => {
                self.open()?;
                let nodes = self.list()?;
                self.depth -= 1;
                Value::List(nodes)
            }
            '{' => {
                self.open()?;
                let value = self.braces()?;
                self.depth -= 1;
                value
            }
            '\'' | '"' => self.strings()?,
            '0'..='9' => self.number()?,
            '.' if self.rest().starts_with("...") => {
                self.at += 3;
                Value::Word("...")
            }
            '.' => self.number()?,
            _ => self.word()?,
        };
        Some(Node { value, at: from..self.at })
    }

    fn list(&mut self) -> Option<Vec<Node>> {
        let mut nodes = Vec::new();
        loop {
            self.space()?;
            if self.take(']') {
                return Some(nodes);
            }
            nodes.push(self.expression()?);
            self.space()?;
            if !self.take(',') {
                return self.take(']').then_some(nodes);
            }
        }
    }

    /// A dictionary or a set.
    fn braces(&mut self) -> Option<Value> {
        let mut nodes = Vec::new();
        let mut is_dict = None;
        loop {
            self.space()?;
            if self.take('}') {
                break;
            }
            nodes.push(self.expression()?);
            self.space()?;
            let pair = self.take(':');
            if *is_dict.get_or_insert(pair) != pair {
                return None;
            }
            if pair {
                self.space()?;
                self.expression()?;
                self.space()?;
            }
            if !self.take(',') {
                if !self.take('}') {
                    return None;
                }
                break;
            }
        }
        let nodes = distinct(nodes)?;
        Some(if is_dict == Some(false) { Value::Set(nodes) } else { Value::Dict(nodes) })
    }

    /// A name that is a value, the prefix of a string, or `set()`.
    fn word(&mut self) -> Option<Value> {
        let rest = self.rest();
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let word = &rest[..length];
        if rest[length..].starts_with(['\'', '"']) {
            return self.strings();
        }
        self.at += length;
        Some(match word {
            "None" => Value::Word("None"),
            "True" => Value::Word("True"),
            "False" => Value::Word("False"),
            "set" => {
                self.space()?;
                if self.peek() != Some('(') {
                    return None;
                }
                self.open()?;
                self.space()?;
                self.depth -= 1;
                self.take(')').then_some(Value::Set(Vec::new()))?
            }
            _ => return None,
        })
    }

    /// One string or several beside each other.
    fn strings(&mut self) -> Option<Value> {
        let mut value: Option<Value> = None;
        loop {
            let one = self.string()?;
            value = Some(match (value, one) {
                (None, one) => one,
                (Some(Value::Text(a)), Value::Text(b)) => Value::Text(a + &b),
                (Some(Value::Bytes(mut a)), Value::Bytes(b)) => {
                    a.extend(b);
                    Value::Bytes(a)
                }
                _ => return None,
            });
            let before = self.at;
            self.space()?;
            let rest = self.rest();
            let prefix = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
            if !rest[prefix..].starts_with(['\'', '"']) {
                self.at = before;
                return value;
            }
        }
    }

    fn string(&mut self) -> Option<Value> {
        let rest = self.rest();
        let prefix = rest[..rest.find(['\'', '"'])?].to_ascii_lowercase();
        let (raw, bytes) = match prefix.as_str() {
            "" | "u" => (false, false),
            "r" => (true, false),
            "b" => (false, true),
            "br" | "rb" => (true, true),
            _ => return None,
        };
        self.at += prefix.len();
        let quote = self.peek()?;
        let triple = self.rest().starts_with(&[quote; 3].iter().collect::<String>());
        self.at += if triple { 3 } else { 1 };
        let mut out = Vec::new();
        loop {
            let c = self.peek()?;
            if bytes && !c.is_ascii() {
                return None;
            }
            if c == quote {
                let ends = !triple || self.rest().starts_with(&[quote; 3].iter().collect::<String>());
                self.at += if triple && ends { 3 } else { 1 };
                if ends {
                    break;
                }
                out.push(c);
            } else if matches!(c, '\n' | '\r') {
                if !triple {
                    return None;
                }
                self.line_break();
                out.push('\n');
            } else if c == '\\' {
                self.at += 1;
                self.escape(raw, bytes, &mut out)?;
            } else {
                self.at += c.len_utf8();
                out.push(c);
            }
        }
        Some(if bytes {
            Value::Bytes(out.into_iter().map(|c| u32::from(c) as u8).collect())
        } else {
            Value::Text(out.into_iter().collect())
        })
    }

    /// What stands behind a backslash.
    fn escape(&mut self, raw: bool, bytes: bool, out: &mut Vec<char>) -> Option<()> {
        if self.line_break() {
            if raw {
                out.extend(['\\', '\n']);
            }
            return Some(());
        }
        let c = self.peek()?;
        if bytes && !c.is_ascii() {
            return None;
        }
        self.at += c.len_utf8();
        if raw {
            out.extend(['\\', c]);
            return Some(());
        }
        let meant = match c {
            '\\' | '\'' | '"' => c,
            'a' => '\x07',
            'b' => '\x08',
            'f' => '\x0C',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\x0B',
            '0'..='7' => {
                let digits = self.source[self.at - 1..].bytes().take(3);
                let length = digits.take_while(|b| matches!(b, b'0'..=b'7')).count();
                let code = self.code(self.at - 1, length, 8)?;
                self.at += length - 1;
                char::from_u32(if bytes { code & 0xFF } else { code })?
            }
            'x' => self.hex(2)?,
            'u' if !bytes => self.hex(4)?,
            'U' if !bytes => self.hex(8)?,
            'N' if !bytes => {
                let name = self.rest().strip_prefix('{')?;
                let length = name.find('}').filter(|&length| length > 0)?;
                self.at += length + 2;
                '\u{FFFD}'
            }
            _ => {
                out.push('\\');
                c
            }
        };
        out.push(meant);
        Some(())
    }

    fn code(&self, from: usize, length: usize, radix: u32) -> Option<u32> {
        let digits = self.source.get(from..from + length)?;
        digits
            .bytes()
            .all(|b| (b as char).is_digit(radix))
            .then(|| u32::from_str_radix(digits, radix).ok())?
    }

    /// A code point in hexadecimal; half a surrogate pair is U+FFFD.
    fn hex(&mut self, length: usize) -> Option<char> {
        let code = self.code(self.at, length, 16)?;
        self.at += length;
        (code <= 0x10_FFFF).then(|| char::from_u32(code).unwrap_or('\u{FFFD}'))
    }

    /// Digits with single underscores between them, without these.
    fn digits(&mut self, radix: u32) -> Option<String> {
        let mut digits = String::new();
        loop {
            let before = self.at;
            let between = !digits.is_empty() && self.take('_');
            match self.peek().filter(|c| c.is_digit(radix)) {
                Some(c) => {
                    digits.push(c);
                    self.at += 1;
                }
                None if between => {
                    self.at = before;
                    return None;
                }
                None => return (!digits.is_empty()).then_some(digits),
            }
        }
    }

    fn number(&mut self) -> Option<Value> {
        let rest = self.rest();
        let radix = match rest.as_bytes().get(..2) {
            Some(b"0x" | b"0X") => Some(16),
            Some(b"0o" | b"0O") => Some(8),
            Some(b"0b" | b"0B") => Some(2),
            _ => None,
        };
        let mut number = Number { real: 0.0, digits: None, imaginary: None, made: Made::Plain };
        if let Some(radix) = radix {
            self.at += 2;
            self.take('_');
            let digits = self.digits(radix)?;
            match u64::from_str_radix(&digits, radix).ok().filter(|&whole| whole < 1 << 53) {
                Some(whole) => number.real = whole as f64,
                None => {
                    number.real = digits.bytes().fold(0.0, |sum, b| {
                        sum * f64::from(radix) + f64::from((b as char).to_digit(radix).unwrap_or(0))
                    });
                    number.digits = Some(format!("{radix}:{digits}"));
                }
            }
        } else {
            let mut written = if rest.starts_with('.') { "0".to_owned() } else { self.digits(10)? };
            let mut whole = !rest.starts_with('.');
            let zeros = written.len() > 1 && written.starts_with('0') && written.bytes().any(|b| b != b'0');
            if self.take('.') {
                written.push('.');
                let fraction = self.peek().is_some_and(|c| c.is_ascii_digit());
                if fraction {
                    written.push_str(&self.digits(10)?);
                } else if !whole {
                    return None;
                }
                whole = false;
            }
            if self.take('e') || self.take('E') {
                written.push('e');
                if self.take('-') {
                    written.push('-');
                } else {
                    self.take('+');
                }
                written.push_str(&self.digits(10)?);
                whole = false;
            }
            number.real = written.parse().ok()?;
            if self.take('j') || self.take('J') {
                number = Number { real: 0.0, imaginary: Some(number.real), ..number };
            } else if whole {
                if zeros || written.len() > DIGITS {
                    return None;
                }
                if number.real >= 9_007_199_254_740_992.0 {
                    number.digits = Some(format!("10:{written}"));
                }
            }
        }
        // A name may not touch a number; where Python lets a keyword do so, it makes no literal.
        self.peek().is_none_or(|c| !(c.is_alphanumeric() || c == '_')).then_some(Value::Number(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Option<Vec<String>> {
        let list = elements(source)?;
        Some(list.into_iter().map(|element| element.text.unwrap_or_else(|| "-".into())).collect())
    }

    #[track_caller]
    fn check(source: &str, expected: &[&str]) {
        assert_eq!(
            texts(source).as_deref(),
            Some(&expected.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>()[..])
        );
    }

    /// As Python 3.11.7's `ast.literal_eval` has them.
    #[test]
    fn literals() {
        check("['a', \"b\" 'c', u'd', r'\\n',]", &["a", "bc", "d", "\\n"]);
        check("\n\t\n['a'\n,#c\n'b']\n\n# x", &["a", "b"]);
        check("'a','b'", &["a", "b"]);
        check("('ab')", &["a", "b"]);
        check("('ab',)", &["ab"]);
        check("{'a': [1], 'b': {}, 'a': -1j}", &["a", "b"]);
        check("{'a', 'a', 1, 1.0, True, (1, 'x')}", &["a", "-", "-"]);
        check("[1, -2.5e3, 0x_ff, 1_0, 1-2j, None, ..., b'x', [], set()]", &["-"; 10]);
        check("b'ab'", &["-", "-"]);
        check("['''a\r\nb\\\n''']", &["a\nb"]);
        check("['\\x41\\101\\u00e9\\U0001F600\\d']", &["AAé😀\\d"]);
        check("  ()", &[]);
        check("''", &[]);
        let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
        check(&deep(200), &["-"]);
        assert!(elements(&deep(201)).is_none());
        assert!(elements(&"[".repeat(1_000_000)).is_none());
    }

    #[test]
    fn what_is_none() {
        for source in [
            "",
            " ",
            "\n ['a']",
            "['a'",
            "['a'] x",
            "[a]",
            "['a' 1]",
            "[,]",
            "[1,,2]",
            "(,)",
            "{,}",
            "{'a': 1, 'b'}",
            "{[]}",
            "{(1, []): 2}",
            "f'a'",
            "ur'a'",
            "'a\nb'",
            "'a'\n'b'",
            "'\\x4'",
            "b'é'",
            "'a' b'b'",
            "--1",
            "-(-1)",
            "-True",
            "1+2",
            "1+2j+3j",
            "012",
            "1__0",
            "1_",
            "0x",
            "0b2",
            "1e",
            "1a",
            "5",
            "None",
            "...",
            "[*'a']",
            "{**{}}",
            "['a']\u{A0}",
            "[\u{B}'a']",
            "['a'] \\\n",
            "['a']\n ",
            "['a'];",
            "['a\0']",
            "set",
            "set(1)",
            "\u{FEFF}['a']",
        ] {
            assert_eq!(texts(source), None, "{source:?}");
        }
    }
}
