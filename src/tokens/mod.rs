//! Characters → tokens → token labels.
//!
//! The built-in word pattern is `\w+(?:[-_]\w+)*|\S`, the one GLiNER models use in the NCER benchmark, with
//! Python's classes: `\w` is every letter and number (general categories L* and N*) and `_`; white space is
//! `str.isspace`.

use unicode_general_category::{GeneralCategory as Category, get_general_category};

/// A token as code points, end exclusive.
pub type Token = (u32, u32);

/// Where tokens come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenSource {
    /// The built-in word pattern.
    Words,
    /// Runs of anything but white space.
    WhiteSpace,
    /// The file's own tokens.
    File,
}

impl TokenSource {
    /// Name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            TokenSource::Words => "words",
            TokenSource::WhiteSpace => "whitespace",
            TokenSource::File => "file",
        }
    }

    /// The source in words.
    pub fn words(self) -> &'static str {
        match self {
            TokenSource::Words => {
                "words by the pattern \\w+(?:[-_]\\w+)*|\\S (GLiNER's, with Python's character classes)"
            }
            TokenSource::WhiteSpace => "runs of anything but white space",
            TokenSource::File => "the tokens that the gold file holds",
        }
    }
}

/// What the word pattern sees in a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Part of a word.
    Word,
    /// White space.
    Space,
    /// A token of its own.
    Other,
}

/// Version of Unicode whose categories are used (those of the crate unicode-general-category 1.1).
pub const UNICODE: &str = "16.0";

/// The class of a character.
pub fn class(c: char) -> Class {
    if c.is_ascii() {
        return match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => Class::Word,
            '\t'..='\r' | '\u{1c}'..='\u{1f}' | ' ' => Class::Space,
            _ => Class::Other,
        };
    }
    match c {
        '\u{85}'
        | '\u{a0}'
        | '\u{1680}'
        | '\u{2000}'..='\u{200a}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{202f}'
        | '\u{205f}'
        | '\u{3000}' => return Class::Space,
        _ => {}
    }
    match get_general_category(c) {
        Category::UppercaseLetter
        | Category::LowercaseLetter
        | Category::TitlecaseLetter
        | Category::ModifierLetter
        | Category::OtherLetter
        | Category::DecimalNumber
        | Category::LetterNumber
        | Category::OtherNumber => Class::Word,
        _ => Class::Other,
    }
}

/// Appends the tokens of a text; the text must be shorter than 2^32 code points.
pub fn tokenize(source: TokenSource, text: &str, out: &mut Vec<Token>) {
    out.clear();
    match source {
        TokenSource::Words => words(text, out),
        TokenSource::WhiteSpace => white_space(text, out),
        TokenSource::File => {}
    }
}

fn words(text: &str, out: &mut Vec<Token>) {
    let mut chars = text.chars().peekable();
    let mut at = 0;
    // A hyphen was seen behind a word: it joins if a word character follows.
    while let Some(c) = chars.next() {
        let start = at;
        at += 1;
        match class(c) {
            Class::Space => {}
            Class::Other => out.push((start, at)),
            Class::Word => loop {
                while chars.next_if(|&c| class(c) == Class::Word).is_some() {
                    at += 1;
                }
                // `_` is a word character itself, so only the hyphen is left of `[-_]`.
                if chars.next_if_eq(&'-').is_none() {
                    out.push((start, at));
                    break;
                }
                if chars.peek().is_some_and(|&c| class(c) == Class::Word) {
                    at += 1;
                } else {
                    out.push((start, at));
                    out.push((at, at + 1));
                    at += 1;
                    break;
                }
            },
        }
    }
}

fn white_space(text: &str, out: &mut Vec<Token>) {
    let mut start = None;
    let mut at = 0;
    for c in text.chars() {
        if class(c) == Class::Space {
            if let Some(start) = start.take() {
                out.push((start, at));
            }
        } else if start.is_none() {
            start = Some(at);
        }
        at += 1;
    }
    if let Some(start) = start {
        out.push((start, at));
    }
}

/// The label of no span.
pub const O: u32 = 0;

/// Labels of a text's characters: spans paint in input order, later ones over earlier ones.
#[derive(Default)]
pub struct Canvas {
    labels: Vec<u32>,
}

impl Canvas {
    /// Starts a text of `length` code points.
    pub fn clear(&mut self, length: usize) {
        self.labels.clear();
        self.labels.resize(length, O);
    }

    /// Paints `start..end` with a label above [`O`]; what lies outside the text is cut.
    pub fn paint(&mut self, start: i64, end: i64, label: u32) {
        let length = self.labels.len() as i64;
        let (start, end) = (start.clamp(0, length), end.clamp(0, length));
        if start < end {
            self.labels[start as usize..end as usize].fill(label);
        }
    }

    /// The most frequent label of a token's characters, and whether several were equally frequent (then
    /// the one whose character comes first). A token of zero length is [`O`].
    pub fn label(&self, token: Token) -> (u32, bool) {
        let length = self.labels.len();
        let (start, end) = ((token.0 as usize).min(length), (token.1 as usize).min(length));
        let labels = &self.labels[start..end.max(start)];
        let Some(&first) = labels.first() else {
            return (O, false);
        };
        if labels.iter().all(|&label| label == first) {
            return (first, false);
        }
        majority(labels)
    }
}

fn majority(labels: &[u32]) -> (u32, bool) {
    // Counted in order of first occurrence, so the first maximum is the earliest label.
    let mut sorted: Vec<(u32, usize)> = labels.iter().copied().zip(0..).collect();
    sorted.sort_unstable();
    let mut counts: Vec<(usize, usize, u32)> =
        sorted.chunk_by(|a, b| a.0 == b.0).map(|run| (run.len(), run[0].1, run[0].0)).collect();
    counts.sort_unstable_by_key(|&(count, first, _)| (std::cmp::Reverse(count), first));
    (counts[0].2, counts.get(1).is_some_and(|second| second.0 == counts[0].0))
}
