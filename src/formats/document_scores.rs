//! Scores of document-level labels as one JSON object, `{"100": {"401.9": 0.93, "038.9": 0.2}}`, as CAML
//! writes them. Read document by document.

use super::table::Documents;
use super::{Format, Reading, json};
use crate::corpus::problems::Kind;
use crate::corpus::text::unescape;
use crate::corpus::{Class, Labels};
use crate::source::SourceError;
use crate::source::lines::{JsonStrings, JsonValues};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// The format.
pub static FORMAT: Format = Format::of("document-scores", "Scores of documents (JSON)", sniff, read);

const EXPECTED: &str = r#"{"id": {"label": score, …}, …}"#;
/// Scores of the first document that are enough to know the format by.
const ENOUGH: usize = 3;
/// Bytes from which what is looked at may be the first part of a file.
const CUT: usize = 60_000;

fn sniff(head: &str) -> Option<(u8, String)> {
    let mut rest = head.trim_start().strip_prefix('{')?.trim_start();
    let mut documents = 0;
    loop {
        let Some((_, after)) = string(rest) else {
            return (documents > 0 && head.len() > CUT).then(found);
        };
        rest = after.trim_start().strip_prefix(':')?.trim_start().strip_prefix('{')?.trim_start();
        let mut scores = 0;
        while !rest.starts_with('}') {
            let Some(after) = pair(rest) else {
                // Anything but the end of what is looked at speaks against it.
                let cut = rest.len() < 512 && !rest.contains(['{', '[', '}']);
                return (cut && head.len() > CUT && (documents > 0 || scores >= ENOUGH)).then(found);
            };
            scores += 1;
            rest = after;
        }
        rest = rest[1..].trim_start();
        documents += usize::from(scores > 0);
        match rest.as_bytes() {
            [b',', ..] => rest = rest[1..].trim_start(),
            [] | [b'}', ..] => return (documents > 0).then(found),
            _ => return None,
        }
        if rest.is_empty() {
            return (documents > 0).then(found);
        }
    }
}

fn found() -> (u8, String) {
    (97, "JSON: document-level labels with scores, by document id".into())
}

/// One `"label": 0.5` and the comma behind it: what comes after.
fn pair(rest: &str) -> Option<&str> {
    let (_, rest) = string(rest)?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    let end = rest.find([',', '}'])?;
    let value = rest[..end].trim();
    if value != "null" && value.parse::<f64>().is_err() {
        return None;
    }
    let rest = &rest[end..];
    Some(rest.strip_prefix(',').unwrap_or(rest).trim_start())
}

/// The JSON string at the start, and what comes after it.
fn string(rest: &str) -> Option<(&str, &str)> {
    let mut strings = JsonStrings::default();
    let end = rest.bytes().position(|byte| !strings.step(byte))?;
    (end > 1).then(|| rest.split_at(end))
}

fn read(mut reading: Reading<'_>) -> Result<(), SourceError> {
    let (source, from) = reading.source();
    // Behind the brace that opens the file, its keys and values are values one after another.
    let mut open = None;
    let mut at = from;
    while at < source.len() && open.is_none() {
        let mut byte = [0];
        source.read(at, &mut byte)?;
        at += 1;
        match byte[0] {
            b'{' => open = Some(at),
            byte if byte.is_ascii_whitespace() => {}
            _ => break,
        }
    }
    let Some(start) = open else {
        reading.corpus.problems.add(Kind::BadRecord, reading.at(1), "no JSON object", EXPECTED);
        return Ok(());
    };
    let mut values = JsonValues::new(&*source, reading.chunk, start);
    let mut documents = Documents::default();
    let (mut id, mut closed) = (None, false);
    while let Some(value) = values.next_value()? {
        (reading.progress)(value.offset);
        let bytes = match value.bytes {
            [b':', rest @ ..] => rest.trim_ascii_start(),
            bytes => bytes,
        };
        match (bytes.first(), id.take()) {
            (None, waiting) => id = waiting,
            (Some(b'"'), None) if value.complete => {
                id = unescape(bytes).ok().map(|id| String::from_utf8_lossy(&id).into_owned());
            }
            (Some(b'}'), None) => closed = true,
            (Some(b'{'), Some(id)) if value.complete => {
                document(&mut reading, &mut documents, &id, bytes, value.line)
            }
            _ => {
                let cut = if value.complete { "" } else { "; the file looks cut off" };
                let found = format!("a part of the object that is no id with scores{cut}");
                reading.corpus.problems.add(Kind::BadRecord, reading.at(value.line), found, EXPECTED);
            }
        }
    }
    if !closed {
        let found = "an object that does not end; the file looks cut off";
        reading.corpus.problems.add(Kind::BadRecord, reading.at(0), found, "}");
    }
    documents.flush(&mut reading);
    Ok(())
}

fn document(reading: &mut Reading<'_>, documents: &mut Documents, id: &str, bytes: &[u8], line: u64) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
        return reading.bad_encoding(line, bytes, valid);
    };
    let place = reading.at(line).of(id);
    let mut scores = Scores { labels: &mut reading.corpus.labels, classes: Vec::new(), unusable: Vec::new() };
    let mut read = |text: &str| {
        scores.classes.clear();
        scores.unusable.clear();
        serde_json::Deserializer::from_str(text).deserialize_map(&mut scores)
    };
    // Python writes NaN and Infinity; they become empty strings, which are no scores.
    if read(text).is_err() && json::without_nan(text).is_none_or(|text| read(&text).is_err()) {
        let found = "scores that are not valid JSON";
        reading.corpus.problems.add(Kind::BadRecord, place, found, EXPECTED);
        return;
    }
    let Scores { classes, unusable, .. } = scores;
    for label in unusable {
        let found = format!("no finite number for {}", reading.corpus.labels.name(label));
        reading.corpus.problems.add(Kind::UnusableScore, place.clone(), found, "a finite number");
    }
    let (document, new) = documents.of(id, line);
    if !new {
        reading.corpus.problems.add(Kind::DocumentJoined, place, "an id again", "each id once");
    }
    document.classes.get_or_insert_default().extend(classes);
}

/// Collects the labels and scores of one document.
struct Scores<'l> {
    labels: &'l mut Labels,
    classes: Vec<Class>,
    unusable: Vec<u32>,
}

impl<'de> Visitor<'de> for &mut Scores<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of scores")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some((label, score)) = map.next_entry::<std::borrow::Cow<'_, str>, &RawValue>()? {
            let label = self.labels.intern(&label);
            let score = score.get().parse::<f64>().ok().filter(|score| score.is_finite());
            if score.is_none() {
                self.unusable.push(label);
            }
            self.classes.push(Class { label, score });
        }
        Ok(())
    }
}
