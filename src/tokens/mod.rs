//! Characters → tokens → token labels.
//!
//! The built-in word pattern is `\w+(?:[-_]\w+)*|\S`, the one GLiNER models use in the NCER benchmark, with
//! Python's classes: `\w` is every letter and number (general categories L* and N*) and `_`; white space is
//! `str.isspace`.

use std::collections::BinaryHeap;
use unicode_general_category::{GeneralCategory as Category, get_general_category};

pub mod tokenizer;

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
    /// A tokenizer that was given: [`tokenizer`].
    Tokenizer,
}

impl TokenSource {
    /// Name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            TokenSource::Words => "words",
            TokenSource::WhiteSpace => "whitespace",
            TokenSource::File => "file",
            TokenSource::Tokenizer => "tokenizer",
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
            TokenSource::Tokenizer => "the tokens of the tokenizer.json that was given",
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
        return ascii_class(c as u8);
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

/// Puts the tokens of a text into `out`: words or white-space tokens, others are not made here. The text
/// must be shorter than 2^32 code points.
pub fn tokenize(source: TokenSource, text: &str, out: &mut Vec<Token>) {
    out.clear();
    match source {
        TokenSource::Words => words(text, out),
        TokenSource::WhiteSpace => white_space(text, out),
        TokenSource::File | TokenSource::Tokenizer => {}
    }
}

fn words(text: &str, out: &mut Vec<Token>) {
    // Most notes are ASCII, where bytes are code points and a class is a look-up.
    if text.is_ascii() {
        split_words(text.bytes().map(|byte| (byte, ASCII[usize::from(byte & 0x7F)])), b'-', out);
    } else {
        split_words(text.chars().map(|c| (c, class(c))), '-', out);
    }
}

/// Classes of the first 128 code points.
static ASCII: [Class; 128] = {
    let mut classes = [Class::Other; 128];
    let mut at = 0;
    while at < 128 {
        classes[at] = ascii_class(at as u8);
        at += 1;
    }
    classes
};

const fn ascii_class(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => Class::Word,
        b'\t'..=b'\r' | 0x1c..=0x1f | b' ' => Class::Space,
        _ => Class::Other,
    }
}

fn split_words<C: PartialEq>(chars: impl Iterator<Item = (C, Class)>, hyphen: C, out: &mut Vec<Token>) {
    // A word is open from `start`; `joint` says that a hyphen stands behind it, which belongs to the word
    // if a word character follows. `_` is a word character itself, so only the hyphen is left of `[-_]`.
    let (mut start, mut joint) = (None, false);
    let mut at = 0;
    for (c, class) in chars {
        match (class, start) {
            (Class::Word, Some(_)) => joint = false,
            (Class::Word, None) => start = Some(at),
            (Class::Other, Some(_)) if c == hyphen && !joint => joint = true,
            _ => {
                close_word(&mut start, &mut joint, at, out);
                if class == Class::Other {
                    out.push((at, at + 1));
                }
            }
        }
        at += 1;
    }
    close_word(&mut start, &mut joint, at, out);
}

/// Ends the open word before `at`; a hyphen behind it is a token of its own.
fn close_word(start: &mut Option<u32>, joint: &mut bool, at: u32, out: &mut Vec<Token>) {
    let Some(start) = start.take() else { return };
    let end = at - u32::from(*joint);
    out.push((start, end));
    if std::mem::take(joint) {
        out.push((end, at));
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

/// A stretch of characters of one label, as code points, end exclusive.
type Stretch = (u32, u32, u32);

/// Labels of a text's characters: spans paint in input order, later ones over earlier ones. Kept as
/// stretches, so that neither long texts nor nested spans cost more than their number.
#[derive(Default)]
pub struct Canvas {
    length: u32,
    /// What was painted, in order.
    spans: Vec<Stretch>,
    /// What is seen of it: sorted, apart from one another.
    seen: Vec<Stretch>,
}

impl Canvas {
    /// Starts a text of `length` code points.
    pub fn clear(&mut self, length: usize) {
        self.length = u32::try_from(length).unwrap_or(u32::MAX);
        self.spans.clear();
    }

    /// Paints `start..end` with a label; what lies outside the text is cut.
    pub fn paint(&mut self, start: i64, end: i64, label: u32) {
        let cut = |at: i64| at.clamp(0, i64::from(self.length)) as u32;
        let (start, end) = (cut(start), cut(end));
        if start < end {
            self.spans.push((start, end, label));
        }
    }

    /// The label of each token, in order of start: the most frequent one of its characters; of several
    /// equally frequent ones, the one whose character comes first. A token of zero length is [`O`].
    /// Returns how many tokens had such a tie.
    pub fn label(&mut self, tokens: &[Token], out: &mut Vec<u32>) -> u64 {
        self.look();
        out.clear();
        let mut from = 0;
        let mut ties = 0;
        for &(start, end) in tokens {
            while self.seen.get(from).is_some_and(|&(_, until, _)| until <= start) {
                from += 1;
            }
            let (label, tie) = match self.seen.get(from) {
                Some(&(first, until, label)) if first <= start && end <= until && start < end => {
                    (label, false)
                }
                Some(&(first, ..)) if first < end && start < end => {
                    majority((start, end), &self.seen[from..])
                }
                _ => (O, false),
            };
            ties += u64::from(tie);
            out.push(label);
        }
        ties
    }

    /// Works out what is seen of the painted spans.
    fn look(&mut self) {
        self.seen.clear();
        if self.spans.windows(2).all(|pair| pair[0].1 <= pair[1].0) {
            self.seen.extend_from_slice(&self.spans);
            return;
        }
        let mut by_start: Vec<usize> = (0..self.spans.len()).collect();
        by_start.sort_by_key(|&at| self.spans[at].0);
        let mut edges: Vec<u32> = self.spans.iter().flat_map(|&(start, end, _)| [start, end]).collect();
        edges.sort_unstable();
        edges.dedup();
        // The spans that have begun; the one painted last is on top.
        let mut begun = BinaryHeap::new();
        let mut next = by_start.iter().copied().peekable();
        for pair in edges.windows(2) {
            let (start, end) = (pair[0], pair[1]);
            while let Some(at) = next.next_if(|&at| self.spans[at].0 <= start) {
                begun.push(at);
            }
            while begun.peek().is_some_and(|&at| self.spans[at].1 <= start) {
                begun.pop();
            }
            let Some(&top) = begun.peek() else { continue };
            let label = self.spans[top].2;
            match self.seen.last_mut() {
                Some(last) if last.1 == start && last.2 == label => last.1 = end,
                _ => self.seen.push((start, end, label)),
            }
        }
    }
}

/// The most frequent label of a token's characters, and whether others are as frequent. `seen` begins with
/// the first stretch that ends behind the token's start.
fn majority((start, end): Token, seen: &[Stretch]) -> (u32, bool) {
    // Each label with its characters and its first one, which decides a tie.
    let mut counts: Vec<(u32, u32, u32)> = Vec::new();
    let mut add = |label: u32, from: u32, to: u32| {
        if from < to {
            match counts.iter_mut().find(|count| count.0 == label) {
                Some(count) => count.1 += to - from,
                None => counts.push((label, to - from, from)),
            }
        }
    };
    let mut at = start;
    for &(from, until, label) in seen.iter().take_while(|stretch| stretch.0 < end) {
        add(O, at, from);
        add(label, at.max(from), until.min(end));
        at = at.max(until);
    }
    add(O, at, end);
    counts.sort_unstable_by_key(|&(_, count, first)| (std::cmp::Reverse(count), first));
    (counts[0].0, counts.get(1).is_some_and(|second| second.1 == counts[0].1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(source: TokenSource, text: &str) -> Vec<String> {
        let mut list = Vec::new();
        tokenize(source, text, &mut list);
        let chars: Vec<char> = text.chars().collect();
        list.iter().map(|&(s, e)| chars[s as usize..e as usize].iter().collect()).collect()
    }

    // Expected values: Python 3.11, re.findall(r"\w+(?:[-_]\w+)*|\S", text) and str.split().
    #[test]
    fn words_and_white_space() {
        for (text, words) in [
            ("beta-blocker 50mg/day", vec!["beta-blocker", "50mg", "/", "day"]),
            ("a--b a- -b a_-b _x", vec!["a", "-", "-", "b", "a", "-", "-", "b", "a_-b", "_x"]),
            ("a-b-c- d", vec!["a-b-c", "-", "d"]),
            ("é-µg ½² x\u{301}y", vec!["é-µg", "½²", "x", "\u{301}", "y"]),
            ("😀-a\u{a0}\u{1c}b", vec!["😀", "-", "a", "b"]),
            ("-", vec!["-"]),
            ("", vec![]),
            ("a-", vec!["a", "-"]),
        ] {
            assert_eq!(tokens(TokenSource::Words, text), words, "{text}");
        }
        let text = " a-b\u{85}c\u{2009}d ";
        assert_eq!(tokens(TokenSource::WhiteSpace, text), ["a-b", "c", "d"]);
    }

    #[test]
    fn painting_and_ties() {
        let mut canvas = Canvas::default();
        let mut labels = Vec::new();
        canvas.clear(10);
        canvas.paint(0, 4, 1);
        canvas.paint(2, 4, 2);
        canvas.paint(8, 99, 3);
        canvas.paint(-5, 1, 4);
        // Characters: 4 1 2 2 O O O O 3 3
        let tokens = [(0, 4), (1, 3), (2, 5), (4, 6), (5, 5), (6, 10), (9, 10)];
        assert_eq!(canvas.label(&tokens, &mut labels), 2);
        assert_eq!(labels, [2, 1, 2, O, O, O, 3]);
        canvas.clear(3);
        canvas.label(&[(0, 3)], &mut labels);
        assert_eq!(labels, [O]);
    }

    #[test]
    fn nested_spans_do_not_hide_tokens() {
        let mut canvas = Canvas::default();
        let mut labels = Vec::new();
        canvas.clear(12);
        canvas.paint(0, 12, 1);
        canvas.paint(2, 3, 2);
        let tokens = [(0, 2), (2, 3), (4, 6), (8, 12)];
        canvas.label(&tokens, &mut labels);
        assert_eq!(labels, [1, 2, 1, 1]);
    }
}
