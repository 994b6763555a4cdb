//! JSON records: `{"id", "text", "entities": [{"start", "end", "label"}]}` and close variants, as JSON Lines,
//! one array, or values one after another: Prodigy, doccano, spaCy training tuples, BigBio, the NCER
//! benchmark's own, tokens with BIO tags. Offsets are code points, end exclusive.
//!
//! serde_json walks each record once and borrows; the text is skipped over and only its place is kept.

use super::tags::Tagged;
use super::{Format, Reading, envelope, labelstudio};
use crate::corpus::problems::{Kind, Place, shorten};
use crate::corpus::text::{self, Digest, Form, Piece, TokenList};
use crate::corpus::{Detail, Own, TextKind, Unit};
use crate::source::lines::{JsonStrings, JsonValues, Lines};
use crate::source::{Source, SourceError, read_range};
pub(super) use record::scalar;
use record::{RawSpan, Record};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use std::ops::Range;

mod plain;
mod record;

/// The format.
pub static FORMAT: Format = Format {
    name: "json",
    title: "JSON records",
    companion: None,
    extension: None,
    file_is_document: false,
    unit: Unit::CodePoint,
    sniff,
    read,
};

const EXPECTED: &str = r#"{"id", "text", "entities": [{"start", "end", "label"}]}"#;

fn sniff(head: &str) -> Option<(u8, String)> {
    let start = head.trim_start();
    match start.as_bytes() {
        [b'{', rest @ ..] => {
            let next = rest.iter().find(|b| !b.is_ascii_whitespace());
            matches!(next, Some(b'"' | b'}')).then(|| (95, "JSON objects".into()))
        }
        [b'[', rest @ ..] => {
            let next = rest.iter().find(|b| !b.is_ascii_whitespace());
            matches!(next, Some(b'{' | b'[' | b'"' | b']')).then(|| (90, "a JSON array".into()))
        }
        _ => None,
    }
}

fn read(mut reading: Reading<'_>) -> Result<(), SourceError> {
    let (source, from) = reading.source();
    let head = source.len().saturating_sub(from).min(1 << 16);
    if labelstudio::is_bare_minimal(&String::from_utf8_lossy(&read_range(&*source, from, head)?)) {
        reading.corpus.files[reading.file as usize].unit = Unit::Utf16;
    }
    let mut reader =
        Reader { record: Record::default(), any_list: false, records: 0, keys: Vec::new(), tagged: None };
    if one_a_line(&*source, from)? {
        let mut lines = Lines::new(&*source, reading.chunk, from);
        while let Some(line) = lines.next_line()? {
            (reading.progress)(line.offset);
            if !line.bytes.iter().all(u8::is_ascii_whitespace) {
                reader.record(&mut reading, line.bytes, line.offset, line.number, line.ended);
            }
        }
    } else {
        let mut values = JsonValues::new(&*source, reading.chunk, from);
        while let Some(value) = values.next_value()? {
            (reading.progress)(value.offset);
            reader.record(&mut reading, value.bytes, value.offset, value.line, value.complete);
        }
        if values.is_open() {
            let found = "a list of records that does not end; the file looks cut off";
            reading.corpus.problems.add(Kind::BadRecord, reading.at(0), found, "]");
        }
    }
    if reader.records > 0 && !reader.any_list {
        let found = format!("no record has a list of spans; keys found: {}", reader.keys.join(", "));
        reading.corpus.problems.add(Kind::NoSpanList, reading.at(0), found, EXPECTED);
    }
    if let Some(tagged) = reader.tagged {
        tagged.finish(reading.corpus, reading.file);
    }
    Ok(())
}

/// Whether each line is a value of its own (JSON Lines): one of the first lines begins with `{` and is one
/// whole object, or is one of spaCy's `[text, …]`. Otherwise values may span lines or share one.
fn one_a_line(source: &dyn Source, from: u64) -> Result<bool, SourceError> {
    let head = crate::source::read_range(source, from, source.len().saturating_sub(from).min(4096))?;
    let mut start = head.iter().filter(|byte| !byte.is_ascii_whitespace());
    // A list of records may be one long line: not read as one.
    if start.next() == Some(&b'[') && start.next() != Some(&b'"') {
        return Ok(false);
    }
    let mut lines = Lines::new(source, crate::source::lines::CHUNK, from);
    for _ in 0..10 {
        let Some(line) = lines.next_line()? else { break };
        let begins = match line.bytes {
            [b'{', ..] => true,
            [b'[', rest @ ..] => rest.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'"'),
            _ => false,
        };
        if begins && is_one_value(line.bytes) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether brackets outside strings close at the very end, and not before.
fn is_one_value(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    let mut strings = JsonStrings::default();
    let mut depth = 0_u64;
    for (at, &byte) in line.iter().enumerate() {
        if strings.step(byte) {
            continue;
        }
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1 == line.len();
                }
            }
            _ => {}
        }
    }
    false
}

struct Reader {
    record: Record,
    /// Whether any record had a list of spans (or tags).
    any_list: bool,
    records: u64,
    /// Keys of the first record, for the message when no record has spans.
    keys: Vec<String>,
    /// Spans of tagged tokens, where there are any.
    tagged: Option<Tagged>,
}

impl Reader {
    fn record(&mut self, reading: &mut Reading<'_>, bytes: &[u8], offset: u64, line: u64, complete: bool) {
        reading.corpus.records += 1;
        let json = match std::str::from_utf8(bytes) {
            Ok(json) => json,
            Err(error) => return reading.bad_encoding(line, bytes, error.valid_up_to()),
        };
        let mut kept = None;
        if let Err(error) = record::parse(json, &mut reading.corpus.labels, &mut self.record) {
            // Python writes NaN and Infinity; one retry with them as missing values of the same length.
            let patched = without_nan(json);
            if patched
                .as_ref()
                .is_none_or(|json| record::parse(json, &mut reading.corpus.labels, &mut self.record).is_err())
            {
                let place = reading.at(line);
                let found = syntax(&error, complete);
                reading.corpus.problems.add(Kind::BadRecord, place, found, "one JSON record");
                return;
            }
            let found = "NaN or Infinity";
            reading.corpus.problems.add(Kind::NotANumber, reading.at(line), found, "a number or null");
            kept = patched;
        }
        if let Some(patched) = &kept {
            // Only what stands in the file as it was parsed can be read again.
            self.record.forget(|range| json[range.clone()] != patched[range]);
        }
        let json = kept.as_deref().unwrap_or(json);
        self.records += 1;
        if self.records == 1 {
            self.keys = keys(json);
        }
        self.keep(reading, json, offset, line);
    }

    /// Moves a parsed record into the corpus.
    fn keep(&mut self, reading: &mut Reading<'_>, json: &str, offset: u64, line: u64) {
        let file = reading.file;
        let record = &mut self.record;
        let place =
            |id: &Option<String>| Place { document: id.as_deref().map(shorten), ..Place::at(file, line) };
        for key in record.twice.drain(..) {
            let found = format!("\"{key}\" twice");
            reading.corpus.problems.add(Kind::DuplicateKey, place(&record.id), found, "each key once");
        }
        if let Some(wrong) = record.wrong.take() {
            self.any_list = true;
            reading.corpus.problems.add(Kind::BadRecord, place(&record.id), wrong, EXPECTED);
            return;
        }
        if let Some(answer) = record.rejected.take() {
            self.any_list = true;
            let found = format!("answer {answer:?}");
            reading.corpus.problems.add(Kind::RejectedRecord, place(&record.id), found, "accept");
            return;
        }
        self.any_list |= record.spans_rank.is_some() || record.tags.is_some();
        let id = record.id.take();
        let place = || Place { document: id.as_deref().map(shorten), ..Place::at(file, line) };
        reading.corpus.begin(file, id.clone(), line);
        let piece = |range: &Range<usize>, form, pad| Piece {
            pad,
            ..Piece::new(file, offset + range.start as u64, range.len() as u64, form)
        };
        let content = set_text(reading, json, record, &piece, &place);
        let list = |range| TokenList { piece: piece(range, Form::Plain, 0), list: list_of_tokens, how: 0 };
        if let Some(document) = reading.corpus.documents.last_mut() {
            document.tokens = record.tokens.as_ref().map(list);
            if record.text.is_none() && record.passages.is_none() && record.tokens.is_some() {
                document.text_kind = TextKind::Tokens;
            }
        }
        let spans = record.spans.len();
        for span in record.spans.drain(..) {
            keep_span(reading, span, &place, &piece);
        }
        if spans == 0
            && let (Some(tags), Some(words)) = (&record.tags, &record.tokens)
        {
            let list = list(tags);
            let into = self.tagged.get_or_insert_default();
            if tagged(reading, into, json, tags, words, content.as_deref(), &place())
                && let Some(document) = reading.corpus.documents.last_mut()
            {
                document.tags = Some(list);
            }
        }
    }
}

fn list_of_tokens(list: &[u8], _how: u32) -> Option<Vec<String>> {
    text::tokens(list).ok()
}

fn joined_tokens(list: &[u8]) -> Option<String> {
    Some(list_of_tokens(list, 0)?.join(" "))
}

/// Gives the current document its text: the record's own, its passages, or its tokens. Returns what it says
/// where spans must be compared with it or placed in it.
fn set_text(
    reading: &mut Reading<'_>,
    json: &str,
    record: &Record,
    piece: &impl Fn(&Range<usize>, Form, u32) -> Piece,
    place: &impl Fn() -> Place,
) -> Option<String> {
    let corpus = &mut *reading.corpus;
    if let Some(range) = &record.text {
        let bytes = text::unescape(&json.as_bytes()[range.clone()]).ok()?;
        corpus.set_text(&[piece(range, Form::JsonString, 0)], Digest::of(&bytes));
        let own = |span: &RawSpan| span.rare.as_ref().is_some_and(|rare| rare.own.is_some());
        let wanted = record.tags.is_some() || record.spans.iter().any(own);
        return wanted.then(|| String::from_utf8_lossy(&bytes).into_owned());
    }
    let (pieces, joined) = if let Some(range) = &record.passages {
        let Some(found) = passages(json, range, piece) else {
            let found = "passages that overlap, lie far apart or are of another shape";
            let expected = r#"[{"text": ["…"], "offsets": [[start, end]]}] in order"#;
            corpus.problems.add(Kind::TextUnusable, place(), found, expected);
            return None;
        };
        found
    } else {
        let range = record.tokens.as_ref()?;
        let words = text::tokens(&json.as_bytes()[range.clone()]).ok()?;
        (vec![piece(range, Form::Encoded(joined_tokens), 0)], words.join(" "))
    };
    corpus.set_text(&pieces, Digest::of(joined.as_bytes()));
    Some(joined)
}

fn keep_span(
    reading: &mut Reading<'_>,
    span: RawSpan,
    place: &impl Fn() -> Place,
    piece: &impl Fn(&Range<usize>, Form, u32) -> Piece,
) {
    let corpus = &mut *reading.corpus;
    if let RawSpan { start: Some(start), end: Some(end), label: Some(label), wrong: None, rare: None } = span
    {
        corpus.push(start, end, label, Detail::default());
        return;
    }
    let rare = span.rare.map(|rare| *rare).unwrap_or_default();
    let bounds = match (&rare.fragments[..], span.start, span.end) {
        ([], Some(start), Some(end)) => Some((start, end)),
        ([], ..) => None,
        (list, ..) => Some(envelope(list)),
    };
    let (start, end, label) = match (span.wrong, bounds, span.label) {
        (None, Some((start, end)), Some(label)) => (start, end, label),
        (wrong, bounds, _) => {
            let missing =
                if bounds.is_none() { "a span without start and end" } else { "a span without a label" };
            let expected = r#"{"start", "end", "label"}"#;
            corpus.problems.add(Kind::BadSpan, place(), wrong.unwrap_or(missing), expected);
            return;
        }
    };
    let fragments = if rare.fragments.len() > 1 { rare.fragments } else { Vec::new() };
    let own = rare.own.map(|range| Own::At(piece(&range, Form::JsonString, 0)));
    let detail = Detail { line: place().line, fragments, own, ..Detail::default() };
    for label in std::iter::once(label).chain(rare.more_labels) {
        corpus.push(start, end, label, detail.clone());
    }
}

/// Spaces that the gaps between a document's passages may stand for.
const MAX_GAP: i64 = 1 << 20;

/// BigBio passages: texts placed at their offsets, gaps filled with spaces. None when they overlap, lie
/// too far apart or are of another shape.
fn passages(
    json: &str,
    range: &Range<usize>,
    piece: &impl Fn(&Range<usize>, Form, u32) -> Piece,
) -> Option<(Vec<Piece>, String)> {
    #[derive(serde::Deserialize)]
    struct Passage<'a> {
        #[serde(borrow)]
        text: Vec<&'a RawValue>,
        offsets: Vec<(i64, i64)>,
    }
    let list: Vec<Passage<'_>> = serde_json::from_str(&json[range.clone()]).ok()?;
    let (mut pieces, mut joined, mut length, mut gaps) = (Vec::new(), String::new(), 0_i64, 0_i64);
    for passage in &list {
        for (text, (start, _)) in passage.text.iter().zip(&passage.offsets) {
            let gap = start.checked_sub(length).filter(|gap| (0..=MAX_GAP).contains(gap))?;
            gaps += gap;
            if gaps > MAX_GAP {
                return None;
            }
            let pad = u32::try_from(gap).ok()?;
            let words = scalar(text.get())?;
            let at = text.get().as_ptr() as usize - json.as_ptr() as usize;
            pieces.push(piece(&(at..at + text.get().len()), Form::JsonString, pad));
            joined.extend(std::iter::repeat_n(' ', pad as usize));
            joined.push_str(&words);
            length += i64::from(pad) + words.chars().count() as i64;
        }
    }
    Some((pieces, joined))
}

/// Adds the spans of tagged tokens; false when the tags cannot be read.
fn tagged(
    reading: &mut Reading<'_>,
    into: &mut Tagged,
    json: &str,
    tags: &Range<usize>,
    words: &Range<usize>,
    text: Option<&str>,
    place: &Place,
) -> bool {
    let corpus = &mut *reading.corpus;
    let words = text::tokens(&json.as_bytes()[words.clone()]).unwrap_or_default();
    let Ok(tags) = serde_json::from_str::<Vec<String>>(&json[tags.clone()]) else {
        let found = "tags that are not strings (numbers need the list of their names)";
        corpus.problems.add(Kind::BadRecord, place.clone(), found, r#"tags such as "B-drug""#);
        return false;
    };
    if tags.len() != words.len() {
        let found = format!("{} tokens and {} tags", words.len(), tags.len());
        corpus.problems.add(Kind::BadRecord, place.clone(), found, "one tag a token");
        return false;
    }
    let Some(places) = text.and_then(|text| crate::corpus::text::locate(text, &words)) else {
        let found = "tokens that do not occur in the text in their order";
        corpus.problems.add(Kind::BadRecord, place.clone(), found, "tokens of the text");
        return false;
    };
    let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
    let unknown = into.sentence(corpus, &tags, &places, |_| place.line, |_, _| None);
    if unknown > 0 {
        let found = format!("{unknown} tags of no known shape; read as O");
        corpus.problems.add(Kind::BadSpan, place.clone(), found, "O, or B-, I-, E-, S-, L-, U- with a label");
    }
    true
}

/// What is wrong with a record that does not parse, without its content.
pub(super) fn syntax(error: &serde_json::Error, complete: bool) -> String {
    let column = error.column();
    if error.is_eof() {
        let cut = if complete { "" } else { "; the file looks cut off" };
        format!("not valid JSON (it ends inside a value at column {column}{cut})")
    } else {
        format!("not valid JSON at column {column}")
    }
}

/// The record with NaN, Infinity and -Infinity outside strings replaced by empty strings of the same
/// length; none where there are none.
pub(super) fn without_nan(json: &str) -> Option<String> {
    let mut bytes = json.as_bytes().to_vec();
    let mut strings = JsonStrings::default();
    let (mut at, mut any) = (0, false);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let words = [&b"NaN"[..], b"Infinity", b"-Infinity"];
        if strings.step(bytes[at]) {
            at += 1;
        } else if let Some(word) = words.into_iter().find(|word| rest.starts_with(word)) {
            bytes[at..at + word.len()].fill(b' ');
            bytes[at..at + 2].fill(b'"');
            any = true;
            at += word.len();
        } else {
            at += 1;
        }
    }
    any.then(|| String::from_utf8(bytes).ok()).flatten()
}

/// The keys of an object, for a message: those that look like names of fields, since a file may use note
/// text as keys.
fn keys(json: &str) -> Vec<String> {
    let map: Result<std::collections::BTreeMap<String, IgnoredAny>, _> = serde_json::from_str(json);
    let plain = |key: &String| {
        let first = key.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        first && key.len() <= 30 && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let (named, other): (Vec<String>, Vec<String>) = map.unwrap_or_default().into_keys().partition(plain);
    let rest = (!other.is_empty()).then(|| format!("and {} more", other.len()));
    named.into_iter().take(12).chain(rest).collect()
}
