//! Note text, read again when it is needed. A document keeps [`Piece`]s: byte ranges of its file and how
//! they are written there.

use super::{Corpus, Document, Own};
use crate::source::SourceError;
use serde::de::{Deserializer, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// How a piece of text is written in its file.
#[derive(Debug, Clone, Copy)]
pub enum Form {
    /// As it is.
    Plain,
    /// A JSON string, quotes included.
    JsonString,
    /// In a way that a format knows how to undo; none when the bytes are not what they were.
    Encoded(fn(&[u8]) -> Option<String>),
    /// Likewise, where files of the format differ: the number says how this one is written.
    Coded(fn(&[u8], u32) -> Option<String>, u32),
}

/// Tokens, or the tags of tokens: a byte range and how to make a list of it.
#[derive(Debug, Clone, Copy)]
pub struct TokenList {
    /// Where; its form is not used.
    pub piece: Piece,
    /// Makes the list; none when the bytes are not what they were.
    pub list: fn(&[u8], u32) -> Option<Vec<String>>,
    /// How this file is written, where files of a format differ; given to `list`.
    pub how: u32,
}

/// A byte range of a file that holds text.
#[derive(Debug, Clone, Copy)]
pub struct Piece {
    /// Spaces before it: a separator, or a gap that offsets count.
    pub pad: u32,
    /// The offset that the file gives for its first character, in the file's unit, where it gives one.
    pub base: Option<i64>,
    /// Index into the corpus' files.
    pub file: u32,
    /// First byte.
    pub start: u64,
    /// Bytes.
    pub len: u64,
    /// How it is written.
    pub form: Form,
}

impl Piece {
    /// A range without a separator before it.
    pub fn new(file: u32, start: u64, len: u64, form: Form) -> Self {
        Piece { pad: 0, base: None, file, start, len, form }
    }
}

/// Length in code points and hash of a text, so that texts can be compared without holding them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest {
    /// Code points.
    pub length: u64,
    /// XXH3 of the text as UTF-8.
    pub hash: u64,
    /// Whether it has characters outside the BMP, which UTF-16 counts as two.
    pub astral: bool,
}

impl Digest {
    /// Of a text.
    pub fn of(text: &[u8]) -> Self {
        // The greatest byte of all rather than the first such byte: that compiles to SIMD.
        let astral = text.iter().fold(0, |most: u8, &byte| most.max(byte)) >= 0xF0;
        Digest { length: code_points(text), hash: xxhash_rust::xxh3::xxh3_64(text), astral }
    }
}

/// Whether a byte of UTF-8 begins a code point.
fn is_start(byte: u8) -> bool {
    (byte as i8) >= -0x40
}

/// How many of eight bytes do.
fn starts_in(eight: [u8; 8]) -> usize {
    let eight = u64::from_le_bytes(eight);
    // 10xxxxxx continues a code point. The product sums the bytes, of which each is 0 or 1.
    let continuations = (eight >> 7) & !(eight >> 6) & 0x0101_0101_0101_0101;
    8 - (continuations.wrapping_mul(0x0101_0101_0101_0101) >> 56) as usize
}

/// Code points of UTF-8: every byte but the continuations.
pub fn code_points(text: &[u8]) -> u64 {
    let mut count = 0_u64;
    // Blocks of 255 let the inner sum stay in bytes, which compiles to SIMD.
    for block in text.chunks(255) {
        count += u64::from(block.iter().map(|&b| u8::from(is_start(b))).sum::<u8>());
    }
    count
}

/// The text that a JSON string literal, quotes included, stands for. Lone surrogates become U+FFFD each, so that the
/// number of code points is the one Python counts.
///
/// # Errors
/// When the bytes are not a JSON string.
pub fn unescape(literal: &[u8]) -> Result<Cow<'_, [u8]>, serde_json::Error> {
    if let [b'"', inner @ .., b'"'] = literal
        && memchr::memchr(b'\\', inner).is_none()
    {
        return Ok(Cow::Borrowed(inner));
    }
    struct Bytes;
    impl Visitor<'_> for Bytes {
        type Value = Vec<u8>;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a string")
        }
        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }
    }
    let mut reader = serde_json::Deserializer::from_slice(literal);
    let mut bytes = reader.deserialize_bytes(Bytes)?;
    replace_surrogates(&mut bytes);
    Ok(Cow::Owned(bytes))
}

/// serde_json writes a lone surrogate as three bytes that are not UTF-8; U+FFFD is as long.
fn replace_surrogates(bytes: &mut [u8]) {
    let mut at = 0;
    while let Some(found) = memchr::memchr(0xED, &bytes[at..]) {
        at += found;
        if let [0xED, 0xA0..=0xBF, _] = bytes[at..(at + 3).min(bytes.len())] {
            bytes[at..at + 3].copy_from_slice("\u{FFFD}".as_bytes());
        }
        at += 1;
    }
}

/// The tokens of a JSON list: strings, numbers as they are written, or objects with a `text`. Other
/// elements are empty tokens.
///
/// # Errors
/// When the bytes are not a JSON list.
pub fn tokens(list: &[u8]) -> Result<Vec<String>, serde_json::Error> {
    #[derive(serde::Deserialize)]
    struct Object {
        text: String,
    }
    let list: Vec<&RawValue> = serde_json::from_slice(list)?;
    let token = |raw: &&RawValue| match raw.get().as_bytes().first() {
        Some(b'"') => unescape(raw.get().as_bytes())
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default(),
        Some(b'{') => serde_json::from_str::<Object>(raw.get()).map_or_else(|_| String::new(), |o| o.text),
        Some(b'-' | b'0'..=b'9') => raw.get().to_owned(),
        _ => String::new(),
    };
    Ok(list.iter().map(token).collect())
}

/// Reads texts of one corpus; fastest in document order. All readers of a corpus share one window on its files,
/// so that a reader for each document costs nothing.
pub struct TextReader<'c> {
    corpus: &'c Corpus,
}

impl<'c> TextReader<'c> {
    /// A reader for a corpus.
    pub fn new(corpus: &'c Corpus) -> Self {
        TextReader { corpus }
    }

    /// Puts the document's text into `out`; false when it has none. Invalid UTF-8 reads as U+FFFD.
    ///
    /// # Errors
    /// When the file cannot be read any more.
    pub fn read(&mut self, document: &Document, out: &mut String) -> Result<bool, SourceError> {
        out.clear();
        if document.digest.is_none() {
            return Ok(false);
        }
        let pieces = &self.corpus.pieces[document.text.start as usize..document.text.end as usize];
        for piece in pieces {
            out.extend(std::iter::repeat_n(' ', piece.pad as usize));
            self.append(piece, out)?;
        }
        Ok(true)
    }

    /// Appends one piece, without the spaces before it.
    ///
    /// # Errors
    /// When the file cannot be read any more.
    pub fn append(&mut self, piece: &Piece, out: &mut String) -> Result<(), SourceError> {
        self.bytes(piece, |bytes| {
            match piece.form {
                Form::Plain => push_lossy(out, bytes),
                Form::JsonString => push_lossy(out, &unescape(bytes).map_err(|_| changed())?),
                Form::Encoded(decode) => out.push_str(&decode(bytes).ok_or_else(changed)?),
                Form::Coded(decode, how) => out.push_str(&decode(bytes, how).ok_or_else(changed)?),
            }
            Ok(())
        })
    }

    /// A text that is no document's, such as a span's own; none where there is none.
    ///
    /// # Errors
    /// When the file cannot be read any more.
    pub fn own(&mut self, own: Option<&Own>) -> Result<Option<String>, SourceError> {
        let mut text = String::new();
        match own {
            Some(Own::At(piece)) => self.append(piece, &mut text)?,
            Some(Own::Text(own)) => text.push_str(own),
            None => return Ok(None),
        }
        Ok(Some(text))
    }

    /// A list of tokens or tags.
    ///
    /// # Errors
    /// When the file cannot be read any more.
    pub fn list(&mut self, list: &TokenList) -> Result<Vec<String>, SourceError> {
        self.bytes(&list.piece, |bytes| (list.list)(bytes, list.how).ok_or_else(changed))
    }

    /// The document's own tokens, if its file has them.
    ///
    /// # Errors
    /// When the file cannot be read any more.
    pub fn tokens(&mut self, document: &Document) -> Result<Option<Vec<String>>, SourceError> {
        document.tokens.as_ref().map(|tokens| self.list(tokens)).transpose()
    }

    fn bytes<T>(
        &mut self,
        piece: &Piece,
        with: impl FnOnce(&[u8]) -> Result<T, SourceError>,
    ) -> Result<T, SourceError> {
        let Some(file) = self.corpus.files.get(piece.file as usize) else {
            return Err(SourceError("the file is gone".into()));
        };
        let mut window = self.corpus.window.borrow_mut();
        let bytes = window
            .range(&file.source, piece.start, piece.len)
            .map_err(|why| SourceError(format!("{}: {why}", file.path)))?;
        with(bytes)
    }
}

/// Appends UTF-8; what is none becomes U+FFFD.
fn push_lossy(out: &mut String, bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(text) => out.push_str(text),
        Err(_) => out.push_str(&String::from_utf8_lossy(bytes)),
    }
}

fn changed() -> SourceError {
    SourceError("the file changed after it was read; drop it again".into())
}

/// Code point ranges of tokens in a text, each searched behind the one before; none when one is not there.
pub fn locate(text: &str, tokens: &[String]) -> Option<Vec<(i64, i64)>> {
    let (mut byte, mut point) = (0, 0_i64);
    let mut places = Vec::with_capacity(tokens.len());
    for token in tokens {
        let skip = text[byte..].find(token.as_str())?;
        point += text[byte..byte + skip].chars().count() as i64;
        let length = token.chars().count() as i64;
        places.push((point, point + length));
        point += length;
        byte += skip + token.len();
    }
    Some(places)
}

/// Bytes between the marks of a [`CharIndex`].
const MARK: usize = 64;

/// Code point offsets into a text.
pub struct CharIndex<'t> {
    text: &'t str,
    /// Code points before every 64th byte; none for ASCII, where they are the same.
    marks: Option<Vec<u32>>,
}

impl<'t> CharIndex<'t> {
    /// Indexes a text.
    pub fn new(text: &'t str) -> Self {
        let marks = (!text.is_ascii()).then(|| {
            let mut before = 0;
            let mark = |block: &[u8]| {
                let here = before;
                let (eights, rest) = block.as_chunks();
                before += eights.iter().map(|eight| starts_in(*eight)).sum::<usize>() as u32;
                before += rest.iter().filter(|&&byte| is_start(byte)).count() as u32;
                here
            };
            text.as_bytes().chunks(MARK).map(mark).collect()
        });
        CharIndex { text, marks }
    }

    /// Byte offset of a code point offset.
    pub fn byte(&self, at: i64) -> Option<usize> {
        let at = usize::try_from(at).ok()?;
        let Some(marks) = &self.marks else {
            return (at <= self.text.len()).then_some(at);
        };
        let block = marks.partition_point(|&before| before as usize <= at) - 1;
        self.advance(block * MARK, at - marks[block] as usize)
    }

    /// The byte that is so many code points behind a byte; the end of the text is one past its last.
    fn advance(&self, mut byte: usize, mut points: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        // Eight bytes at a time, then one at a time.
        while let Some(eight) = bytes.get(byte..byte + 8).and_then(|eight| eight.try_into().ok()) {
            let starts = starts_in(eight);
            if points < starts {
                break;
            }
            points -= starts;
            byte += 8;
        }
        for &value in bytes.get(byte..)? {
            if is_start(value) {
                if points == 0 {
                    return Some(byte);
                }
                points -= 1;
            }
            byte += 1;
        }
        (points == 0).then_some(bytes.len())
    }

    /// The text of a range.
    pub fn slice(&self, start: i64, end: i64) -> Option<&'t str> {
        let from = self.byte(start)?;
        let to = match usize::try_from(end.checked_sub(start)?) {
            Ok(points) if points <= MARK && self.marks.is_some() => self.advance(from, points)?,
            _ => self.byte(end)?,
        };
        self.text.get(from..to)
    }

    /// The bounds of a range without white space at its edges; none where there is none, or nothing else.
    pub fn trim(&self, start: i64, end: i64) -> Option<(i64, i64)> {
        let slice = self.slice(start, end)?;
        let inner = slice.trim_start();
        let lead = slice.len() - inner.len();
        let inner = inner.trim_end();
        if inner.len() == slice.len() || inner.is_empty() {
            return None;
        }
        let points = |part: &str| part.chars().count() as i64;
        Some((start + points(&slice[..lead]), end - points(&slice[lead + inner.len()..])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_points_are_found_in_bytes() {
        for text in ["é", "a😖b", &"naïve 😖 日本 ".repeat(40), &"é".repeat(64), &"a".repeat(200)] {
            let index = CharIndex::new(text);
            let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            for (point, &byte) in starts.iter().enumerate() {
                assert_eq!(index.byte(point as i64), Some(byte), "{point} of {text}");
            }
            assert_eq!((index.byte(starts.len() as i64), index.byte(-1)), (None, None));
            for start in 0..starts.len() {
                for end in 0..starts.len() {
                    let wanted = text.get(starts[start]..starts[end]);
                    assert_eq!(index.slice(start as i64, end as i64), wanted);
                }
                assert_eq!(index.slice(start as i64, starts.len() as i64), None);
            }
        }
    }
}
