//! Token classification as Hugging Face pipelines print it: `[[{"entity_group", "score", "word", "start",
//! "end"}]]`, or token by token under `entity` with B- and I-. Tokens become spans here; where offsets are null
//! (slow tokenizers, transformers.js) the words are put together and searched. Offsets are code points, end
//! exclusive.

use super::items::Grain;
use super::outputs::{Flat, Ready, own_of};
use super::{Format, outputs};
use crate::corpus::{Detail, Own, Search};

/// The format.
pub static FORMAT: Format = Format {
    file_is_document: true,
    ..Format::of("hf-pipeline", "Hugging Face pipeline", sniff, outputs::read)
};

fn sniff(head: &str) -> Option<(u8, String)> {
    let probe = outputs::probe(head)?;
    let [_, label, _, score] = probe.has;
    let why = match probe.grain {
        _ if !label || !score || probe.row => return None,
        // What is a span already, the JSON format reads in a record with its text.
        Grain::Group if probe.in_record[0] => return None,
        Grain::Group => "items with entity_group, score and word",
        Grain::Token => "tokens with entity, score and word",
        Grain::Span => return None,
    };
    Some((98, why.into()))
}

/// How a vocabulary marks where words begin.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Marks {
    /// `##` on what continues a word (WordPiece), or nothing.
    #[default]
    Continuation,
    /// `▁` before a word (SentencePiece).
    Before,
    /// `Ġ` before a word, and characters that stand for bytes (byte-level BPE).
    Bytes,
    /// `</w>` behind a word.
    Behind,
    /// `@@` behind what goes on.
    Joined,
}

impl Marks {
    /// Of a file, by its first bytes: not every document shows how words are marked.
    pub(super) fn of_file(head: &[u8]) -> Self {
        let has =
            |texts: &[&str]| texts.iter().any(|text| memchr::memmem::find(head, text.as_bytes()).is_some());
        match () {
            () if has(&["\"▁", "'▁", "\"\\u2581"]) => Marks::Before,
            () if has(&["\"Ġ", "'Ġ", "\"\\u0120", "\"Ċ", "\"\\u010a"]) => Marks::Bytes,
            () if has(&["</w>\"", "</w>'"]) => Marks::Behind,
            () if has(&["@@\"", "@@'"]) => Marks::Joined,
            () => Marks::Continuation,
        }
    }

    /// A token without its marks, and whether it continues the word before it, and whether the next one
    /// continues it; none where its form does not say.
    fn read(self, word: &str) -> (&str, Option<bool>, Option<bool>) {
        match self {
            Marks::Continuation => match word.strip_prefix("##") {
                Some(rest) if !rest.is_empty() => (rest, Some(true), None),
                _ => (word, None, None),
            },
            Marks::Before | Marks::Bytes => {
                let rest = word.trim_start_matches(['▁', 'Ġ', 'Ċ']);
                (rest, Some(rest.len() == word.len()), None)
            }
            Marks::Behind => match word.strip_suffix("</w>") {
                Some(rest) => (rest, None, Some(false)),
                None => (word, None, Some(true)),
            },
            Marks::Joined => match word.strip_suffix("@@") {
                Some(rest) => (rest, None, Some(true)),
                None => (word, None, Some(false)),
            },
        }
    }
}

/// The parts of a tag: its prefix, where it has one, and the label.
fn decode(tag: &str) -> (Option<u8>, &str) {
    match tag.as_bytes() {
        [prefix @ (b'B' | b'I' | b'E' | b'S' | b'L' | b'U'), b'-' | b'_', _, ..] => {
            (Some(*prefix), &tag[2..])
        }
        _ => (None, tag),
    }
}

/// A span being put together.
struct Open {
    label: String,
    grain: Grain,
    line: u64,
    bounds: Option<(i64, i64)>,
    words: String,
    scores: Vec<f64>,
    index: Option<i64>,
    /// Whether the next token continues the word.
    goes_on: Option<bool>,
    /// An E-, L-, S- or U- was read.
    ended: bool,
    own: Option<Own>,
    search: Search,
}

/// Spans of a document's items. Tokens of one span become one: an I- or an unmarked tag behind a token of the
/// same label, and whatever continues a word, B- or not. A span's score is the mean over its tokens, as the
/// pipeline's aggregation `simple` has it. Tokens tagged `O` are none. Also returns how many groups of tokens
/// were joined with the one before: the pipeline itself leaves them apart.
pub(super) fn group(items: Vec<Flat>, marks: Marks) -> (Vec<Ready>, u64) {
    let mut joined = 0;
    let mut spans: Vec<Ready> = Vec::new();
    let mut open: Option<Open> = None;
    for item in items {
        if item.grain == Grain::Span {
            spans.extend(open.take().map(|open| open.close(marks)));
            spans.push(single(item));
            continue;
        }
        let (prefix, label) = decode(&item.label);
        if label == "O" {
            spans.extend(open.take().map(|open| open.close(marks)));
            continue;
        }
        let word = item.own.as_deref().unwrap_or("");
        let (bare, continues, goes_on) = marks.read(word);
        let joins =
            open.as_ref().is_some_and(|open| open.takes(&item, prefix, label, bare, continues, marks));
        joined += u64::from(joins && item.grain == Grain::Group);
        if !joins {
            spans.extend(open.take().map(|open| open.close(marks)));
        }
        let ended = matches!(prefix, Some(b'E' | b'L' | b'S' | b'U'));
        match &mut open {
            Some(open) => {
                let inside = continues == Some(true)
                    || open.goes_on == Some(true)
                    || continues.is_none() && open.touches(&item);
                if !inside && !open.words.is_empty() {
                    open.words.push(' ');
                }
                open.words.push_str(bare);
                open.bounds = open.bounds.zip(item.bounds).map(|((start, _), (_, end))| (start, end));
                open.scores.extend(item.score);
                open.index = item.index;
                open.goes_on = goes_on;
                open.ended |= ended;
                open.own = None;
            }
            None => {
                open = Some(Open {
                    label: label.to_owned(),
                    grain: item.grain,
                    line: item.line,
                    bounds: item.bounds,
                    words: bare.to_owned(),
                    scores: item.score.into_iter().collect(),
                    index: item.index,
                    goes_on,
                    ended,
                    own: (bare == word).then(|| own_of(&item)).flatten(),
                    search: item.search,
                });
            }
        }
    }
    spans.extend(open.map(|open| open.close(marks)));
    (spans, joined)
}

/// An item that is a span as it stands.
fn single(item: Flat) -> Ready {
    let own = own_of(&item);
    let search = item.bounds.is_none().then_some(item.search);
    let detail = Detail { line: item.line, own, score: item.score, search, ..Detail::default() };
    Ready { label: item.label, bounds: item.bounds, detail }
}

impl Open {
    /// Whether a token belongs to this span.
    fn takes(
        &self,
        item: &Flat,
        prefix: Option<u8>,
        label: &str,
        bare: &str,
        continues: Option<bool>,
        marks: Marks,
    ) -> bool {
        if label != self.label {
            return false;
        }
        let bounds = self.bounds.zip(item.bounds);
        let touches = self.touches(item);
        let follows = match (self.index.zip(item.index), bounds) {
            (Some((before, now)), _) => before.checked_add(1) == Some(now),
            // A character at most lies between neighbours.
            (None, Some(((_, end), _))) => {
                touches || item.bounds.is_some_and(|now| end.checked_add(1) == Some(now.0))
            }
            (None, None) => true,
        };
        // A word is one span, and the tag of its first token counts.
        let linked = if bounds.is_some() { touches } else { follows };
        let new_word = continues == Some(false) || self.goes_on == Some(false);
        if linked && !new_word {
            let hashes = item.own.as_deref().is_some_and(|word| word.starts_with("##") && word.len() > 2);
            let letters = self.words.chars().next_back().zip(bare.chars().next());
            // Characters that stand for bytes are letters more often than not.
            let byte = |c: char| marks == Marks::Bytes && !c.is_ascii();
            let letters = letters.is_some_and(|(a, b)| (byte(a) || in_word(a)) && (byte(b) || in_word(b)));
            let marked = continues == Some(true) || self.goes_on == Some(true);
            // Some tokenizers count the space before a word to it.
            let exact = item
                .bounds
                .is_some_and(|(start, end)| end.checked_sub(start) == Some(bare.chars().count() as i64));
            // Of groups with offsets, what the pipeline left apart stays so unless it is marked.
            let letters = letters && (self.grain != Grain::Group || bounds.is_none());
            if hashes || letters && (marked || exact) {
                return true;
            }
        }
        match (self.grain, prefix) {
            _ if !follows || self.ended => false,
            (_, Some(b'I' | b'E' | b'L')) => true,
            (Grain::Token, None) => true,
            _ => false,
        }
    }

    /// Whether a token comes directly behind this span, or is of its last character (bytes are tokens of one
    /// character).
    fn touches(&self, item: &Flat) -> bool {
        let bounds = self.bounds.zip(item.bounds);
        bounds.is_some_and(|((_, end), (start, now))| {
            start == end || item.grain == Grain::Token && now == end && end.checked_sub(1) == Some(start)
        })
    }

    fn close(self, marks: Marks) -> Ready {
        let words = if marks == Marks::Bytes { bytes(&self.words) } else { self.words };
        let words = words.trim();
        let search = self.bounds.is_none().then_some(self.search);
        let own = match self.own {
            _ if words.is_empty() => None,
            // Words that a tokenizer spaced anew, or offsets that count the space before a word: no evidence of
            // what the offsets count.
            _ if self.bounds.is_some_and(|(start, end)| {
                end.checked_sub(start) == Some(words.chars().count() as i64 + 1)
            }) =>
            {
                None
            }
            _ if search.is_none() && is_respaced(words) => None,
            Some(own) => Some(own),
            None => Some(Own::Text(words.into())),
        };
        let mean = self.scores.iter().sum::<f64>() / self.scores.len().max(1) as f64;
        let score = (!self.scores.is_empty()).then_some(mean);
        let detail = Detail { line: self.line, own, score, search, ..Detail::default() };
        Ready { label: self.label, bounds: self.bounds, detail }
    }
}

/// Whether a character is part of words, where no vocabulary says it. Scripts without spaces have no such words.
fn in_word(c: char) -> bool {
    let spaceless = matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{2E80}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}');
    c.is_alphanumeric() && !spaceless
}

/// Whether a word is spaced as tokenizers decode: `covid - 19`.
fn is_respaced(words: &str) -> bool {
    words.contains("[UNK]")
        || words.split(' ').any(|part| !part.is_empty() && !part.contains(char::is_alphanumeric))
}

/// The text that byte-level BPE's characters stand for: printable Latin-1 for itself, the other bytes from
/// U+0100 on.
fn bytes(words: &str) -> String {
    let mut others = Vec::with_capacity(68);
    let printable = |byte: &u8| matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF);
    others.extend((0..=255_u8).filter(|byte| !printable(byte)));
    let mut out = Vec::with_capacity(words.len());
    for c in words.chars() {
        let code = c as u32;
        match u8::try_from(code) {
            Ok(byte) if printable(&byte) || byte == b' ' => out.push(byte),
            _ => match others.get((code as usize).wrapping_sub(256)) {
                Some(&byte) => out.push(byte),
                None => out.extend(c.to_string().as_bytes()),
            },
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_level_characters_are_bytes() {
        assert_eq!(bytes("naÃ¯ve"), "naïve");
        assert_eq!(bytes("aspirin 5ÂµgĠ"), "aspirin 5µg ");
    }
}
