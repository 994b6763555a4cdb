//! BioC JSON: one collection with `documents`, PubTator3's `{"PubTator3": […]}`, or documents one a line, in an
//! array or one after another. Documents are read one at a time, whatever stands around them.

use super::{Annotation, Draft, Link, Passage, whole};
use crate::corpus::problems::{Kind, Place, shorten};
use crate::corpus::text::{self, Form, Piece};
use crate::formats::json::{scalar, syntax, without_nan};
use crate::formats::{Format, Reading};
use crate::source::SourceError;
use crate::source::lines::{JsonStrings, JsonValues};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The format.
pub static FORMAT: Format = Format::of("bioc-json", "BioC JSON", sniff, read);

const EXPECTED: &str = r#"{"id", "passages": [{"offset", "text", "annotations": [{"infons": {"type"}, "text", "locations": [{"offset", "length"}]}]}]}"#;

fn sniff(head: &str) -> Option<(u8, String)> {
    if !head.trim_start().starts_with(['{', '[']) || !head.contains("\"passages\"") {
        return None;
    }
    has_passages(head).then(|| (98, "JSON documents with passages that have offsets, as BioC's".into()))
}

/// Whether a list under `passages` holds an object with a key that BioC's passages have and others do not.
fn has_passages(head: &str) -> bool {
    let mut strings = JsonStrings::default();
    // What is open, and under which key.
    let mut open: Vec<(u8, &str)> = Vec::new();
    let (mut start, mut last, mut key) = (None, "", "");
    for (at, byte) in head.bytes().enumerate() {
        if strings.step(byte) {
            match start.take() {
                None => start = Some(at + 1),
                Some(from) => {
                    last = head.get(from..at).unwrap_or("");
                    start = Some(from);
                }
            }
            continue;
        }
        start = None;
        match byte {
            b':' => {
                key = last;
                if let [.., (b'[', "passages"), (b'{', _)] = &open[..]
                    && matches!(key, "offset" | "infons" | "annotations" | "sentences")
                {
                    return true;
                }
            }
            b'{' | b'[' => open.push((byte, std::mem::take(&mut key))),
            b'}' | b']' => {
                open.pop();
            }
            b',' => key = "",
            _ => {}
        }
    }
    false
}

/// Fields as they are written, so that what is wrong with one is not wrong with all.
type Raw<'a> = Option<&'a RawValue>;

#[derive(serde::Deserialize)]
struct DocumentJson<'a> {
    #[serde(borrow, default)]
    id: Raw<'a>,
    #[serde(borrow, default)]
    pmid: Raw<'a>,
    #[serde(borrow, default)]
    pmcid: Raw<'a>,
    #[serde(borrow, default, rename = "_id")]
    under: Raw<'a>,
    #[serde(borrow)]
    passages: Vec<PassageJson<'a>>,
    #[serde(borrow, default)]
    annotations: Option<Vec<&'a RawValue>>,
    #[serde(borrow, default)]
    relations: Option<Vec<&'a RawValue>>,
}

#[derive(serde::Deserialize)]
struct PassageJson<'a> {
    #[serde(borrow, default)]
    offset: Raw<'a>,
    #[serde(borrow, default)]
    text: Raw<'a>,
    #[serde(borrow, default)]
    sentences: Option<Vec<PassageJson<'a>>>,
    #[serde(borrow, default)]
    annotations: Option<Vec<&'a RawValue>>,
    #[serde(borrow, default)]
    relations: Option<Vec<&'a RawValue>>,
}

#[derive(serde::Deserialize)]
struct AnnotationJson<'a> {
    #[serde(borrow, default)]
    id: Raw<'a>,
    #[serde(borrow, default)]
    infons: Infons<'a>,
    #[serde(borrow, default)]
    text: Raw<'a>,
    #[serde(borrow, default)]
    locations: Option<Vec<LocationJson<'a>>>,
}

#[derive(serde::Deserialize)]
struct LocationJson<'a> {
    #[serde(borrow, default)]
    offset: Raw<'a>,
    #[serde(borrow, default)]
    length: Raw<'a>,
}

#[derive(serde::Deserialize)]
struct RelationJson<'a> {
    #[serde(borrow, default)]
    infons: Infons<'a>,
    #[serde(borrow, default)]
    nodes: Option<Vec<NodeJson<'a>>>,
}

#[derive(serde::Deserialize)]
struct NodeJson<'a> {
    #[serde(borrow, default)]
    refid: Raw<'a>,
    #[serde(borrow, default)]
    role: Raw<'a>,
}

/// Infons in the order of the file.
#[derive(Default)]
struct Infons<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Infons<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Infons<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Infons<'de>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Infons(pairs))
            }
            fn visit_unit<E>(self) -> Result<Infons<'de>, E> {
                Ok(Infons::default())
            }
        }
        deserializer.deserialize_any(Pairs)
    }
}

fn read(mut reading: Reading<'_>) -> Result<(), SourceError> {
    let (source, from) = reading.source();
    let mut values =
        JsonValues::new(&*source, reading.chunk, from).inside(&["documents", "PubTator3"], "passages");
    while let Some(value) = values.next_value()? {
        (reading.progress)(value.offset);
        reading.corpus.records += 1;
        document(&mut reading, value.bytes, value.offset, value.line, value.complete);
    }
    if values.is_open() {
        let found = "a list of documents that does not end; the file looks cut off";
        reading.corpus.problems.add(Kind::BadRecord, reading.at(0), found, "]");
    }
    Ok(())
}

/// One document of the file.
struct Record<'r> {
    json: &'r str,
    /// What the file has, where NaN was patched.
    written: &'r str,
    file: u32,
    offset: u64,
    /// A byte of the record and its line.
    known: (usize, u64),
}

impl Record<'_> {
    fn range(&self, raw: &RawValue) -> std::ops::Range<usize> {
        let start = raw.get().as_ptr() as usize - self.json.as_ptr() as usize;
        start..start + raw.get().len()
    }

    /// A string that can be read again; none for anything else.
    fn piece(&self, raw: &RawValue) -> Option<Piece> {
        let range = self.range(raw);
        let kept = raw.get().starts_with('"') && self.written.get(range.clone()) == Some(raw.get());
        let start = self.offset + range.start as u64;
        kept.then(|| Piece::new(self.file, start, range.len() as u64, Form::JsonString))
    }

    /// The line of a value; they are asked for in order.
    fn line(&mut self, raw: &RawValue) -> u64 {
        let at = self.range(raw).start;
        let (from, line) = self.known;
        let breaks = memchr::memchr_iter(b'\n', &self.json.as_bytes()[from.min(at)..at]).count();
        self.known = (at.max(from), line + breaks as u64);
        self.known.1
    }
}

fn document(reading: &mut Reading<'_>, bytes: &[u8], offset: u64, line: u64, complete: bool) {
    let written = match std::str::from_utf8(bytes) {
        Ok(json) => json,
        Err(error) => return reading.bad_encoding(line, bytes, error.valid_up_to()),
    };
    // Python writes NaN and Infinity; one retry with them as missing values of the same length.
    let patched = match serde_json::from_str::<DocumentJson<'_>>(written) {
        Ok(_) => None,
        Err(error) => {
            let patched = without_nan(written);
            let readable = |json: &String| serde_json::from_str::<DocumentJson<'_>>(json).is_ok();
            if !patched.as_ref().is_some_and(readable) {
                let found = if error.is_data() {
                    "a document of another shape, or without passages".to_owned()
                } else {
                    syntax(&error, complete)
                };
                reading.corpus.problems.add(Kind::BadRecord, reading.at(line), found, EXPECTED);
                return;
            }
            let found = "NaN or Infinity";
            reading.corpus.problems.add(Kind::NotANumber, reading.at(line), found, "a number or null");
            patched
        }
    };
    let json = patched.as_deref().unwrap_or(written);
    let Ok(found) = serde_json::from_str::<DocumentJson<'_>>(json) else { return };
    let mut record = Record { json, written, file: reading.file, offset, known: (0, line) };
    let id = [found.id, found.pmid, found.pmcid, found.under].into_iter().flatten().find_map(word);
    let mut draft = Draft { id: id.filter(|id| !id.is_empty()), line, ..Draft::default() };
    for passage in &found.passages {
        let kept = keep_text(&mut draft, &record, passage);
        draft.passages.push(kept);
        notes(reading, &mut draft, &mut record, &passage.annotations, &passage.relations, (true, false));
        for sentence in passage.sentences.iter().flatten() {
            let kept = keep_text(&mut draft, &record, sentence);
            if let Some(passage) = draft.passages.last_mut() {
                passage.sentences.push(kept);
            }
            notes(reading, &mut draft, &mut record, &sentence.annotations, &sentence.relations, (true, true));
        }
    }
    notes(reading, &mut draft, &mut record, &found.annotations, &found.relations, (false, false));
    draft.finish(reading);
}

/// A string's content, or a number as written.
fn word(raw: &RawValue) -> Option<String> {
    scalar(raw.get()).map(|word| word.trim().to_owned())
}

fn number(raw: Raw<'_>) -> Option<i64> {
    whole(&word(raw?)?)
}

fn keep_text(draft: &mut Draft, record: &Record<'_>, passage: &PassageJson<'_>) -> Passage {
    let text = passage.text.and_then(|raw| {
        let piece = record.piece(raw)?;
        let bytes = text::unescape(raw.get().as_bytes()).ok()?;
        draft.words(piece, &String::from_utf8_lossy(&bytes))
    });
    Passage { offset: number(passage.offset), text, sentences: Vec::new() }
}

/// Keeps annotations and relations of the document, a passage or a sentence.
fn notes(
    reading: &mut Reading<'_>,
    draft: &mut Draft,
    record: &mut Record<'_>,
    annotations: &Option<Vec<&RawValue>>,
    relations: &Option<Vec<&RawValue>>,
    (in_passage, in_sentence): (bool, bool),
) {
    let (passage, sentence) = draft.place(in_passage, in_sentence);
    for raw in annotations.iter().flatten() {
        let line = record.line(raw);
        let Ok(found) = serde_json::from_str::<AnnotationJson<'_>>(raw.get()) else {
            let place = Place { document: draft.id.as_deref().map(shorten), ..reading.at(line) };
            let found = "an annotation of another shape";
            reading.corpus.problems.add(Kind::BadSpan, place, found, EXPECTED);
            continue;
        };
        let own = found.text.filter(|raw| word(raw).is_some_and(|own| !own.is_empty()));
        let location = |location: &LocationJson<'_>| number(location.offset).zip(number(location.length));
        draft.annotations.push(Annotation {
            id: found.id.and_then(word).unwrap_or_default(),
            line,
            infons: infons(found.infons),
            locations: found.locations.iter().flatten().map(location).collect(),
            own: own.and_then(|raw| record.piece(raw)),
            passage,
            sentence,
        });
    }
    for raw in relations.iter().flatten() {
        let line = record.line(raw);
        let Ok(found) = serde_json::from_str::<RelationJson<'_>>(raw.get()) else {
            let place = Place { document: draft.id.as_deref().map(shorten), ..reading.at(line) };
            reading.corpus.problems.add(Kind::Relation, place, "a relation of another shape", "");
            continue;
        };
        let value = |raw: Raw<'_>| raw.and_then(word).unwrap_or_default();
        let node = |node: &NodeJson<'_>| (value(node.role), value(node.refid));
        let nodes = found.nodes.iter().flatten().map(node).collect();
        draft.relations.push(Link { line, infons: infons(found.infons), nodes });
    }
}

/// Infons with values as text: strings, numbers as written; of an object (PubTator3's roles) its identifier,
/// of anything else what is written. Missing values are left out.
fn infons(infons: Infons<'_>) -> Vec<(String, String)> {
    #[derive(serde::Deserialize)]
    struct Identified {
        identifier: String,
    }
    let value = |raw: &RawValue| match raw.get().as_bytes() {
        [b'n', ..] => None,
        [b'{', ..] => serde_json::from_str::<Identified>(raw.get())
            .map_or_else(|_| Some(raw.get().to_owned()), |found| Some(found.identifier)),
        [b'[', ..] => Some(raw.get().to_owned()),
        _ => scalar(raw.get()),
    };
    infons.0.into_iter().filter_map(|(key, raw)| Some((key, value(raw)?))).collect()
}
