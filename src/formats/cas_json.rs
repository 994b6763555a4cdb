//! UIMA CAS as JSON (0.4), as INCEpTION and cassis write it: `%FEATURE_STRUCTURES` holds texts and annotations,
//! `%VIEWS` says which belong together. Offsets are UTF-16 units.

use super::cas::{Cas, Sofa, Structure};
use super::json::scalar;
use super::uima::{self, Turn};
use super::{Format, Reading};
use crate::corpus::Unit;
use crate::corpus::problems::Kind;
use crate::corpus::text::{self, Digest, Form, Piece};
use crate::source::{SourceError, read_range};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// The format.
pub static FORMAT: Format = Format {
    file_is_document: true,
    unit: Unit::Utf16,
    ..Format::of("cas-json", "UIMA CAS JSON", sniff, read)
};

const TYPES: &str = "%TYPES";
const STRUCTURES: &str = "%FEATURE_STRUCTURES";
const VIEWS: &str = "%VIEWS";

fn sniff(head: &str) -> Option<(u8, String)> {
    let inside = head.trim_start().strip_prefix('{')?.trim_start().strip_prefix('"')?;
    let key = inside.split('"').next()?;
    [TYPES, STRUCTURES, VIEWS].contains(&key).then(|| (99, format!("an object that begins with {key}")))
}

fn read(mut reading: Reading<'_>) -> Result<(), SourceError> {
    let mut id = match uima::turn(&mut reading) {
        Turn::Document(id) => id,
        Turn::Another => return Ok(()),
    };
    let (source, from) = reading.source();
    let bytes = read_range(&*source, from, source.len().saturating_sub(from))?;
    let json = match std::str::from_utf8(&bytes) {
        Ok(json) => Cow::Borrowed(json),
        Err(error) => {
            let line = 1 + memchr::memchr_iter(b'\n', &bytes[..error.valid_up_to()]).count() as u64;
            reading.bad_encoding(line, &bytes, error.valid_up_to());
            // Masked byte for byte, so that places stay true.
            let mut masked = bytes.clone();
            while let Err(error) = std::str::from_utf8(&masked) {
                let at = error.valid_up_to();
                let length = error.error_len().unwrap_or(masked.len() - at);
                masked[at..at + length].fill(b'?');
            }
            Cow::Owned(String::from_utf8(masked).unwrap_or_default())
        }
    };
    let mut file = File { json: &json, from, seen: 0, line: 1, cas: Cas::default(), reading: &mut reading };
    let mut deserializer = serde_json::Deserializer::from_str(&json);
    let outcome = Top(&mut file).deserialize(&mut deserializer).and_then(|()| deserializer.end());
    let mut cas = file.cas;
    if let Err(error) = outcome {
        let cut = if error.is_eof() { "; the file looks cut off" } else { "" };
        let place = reading.at(error.line() as u64).of(&id);
        let found = format!("not valid JSON at column {}{cut}", error.column());
        reading.corpus.problems.add(Kind::BadRecord, place, found, "one JSON object");
    }
    if uima::path_is_silent(&reading)
        && let Some(title) = cas.title()
    {
        id = super::stem(&title).to_owned();
    }
    cas.finish(reading, id);
    Ok(())
}

/// The file while it is walked.
struct File<'f, 'r> {
    json: &'f str,
    /// Where it begins in its source.
    from: u64,
    /// Bytes whose lines are counted.
    seen: usize,
    line: u64,
    cas: Cas,
    reading: &'f mut Reading<'r>,
}

impl File<'_, '_> {
    /// Where a value stands.
    fn place(&mut self, value: &RawValue) -> (usize, u64) {
        let at = value.get().as_ptr() as usize - self.json.as_ptr() as usize;
        if at > self.seen {
            self.line += memchr::memchr_iter(b'\n', &self.json.as_bytes()[self.seen..at]).count() as u64;
            self.seen = at;
        }
        (at, self.line)
    }

    /// One structure; its id may be the key in front of it.
    fn structure(&mut self, key: Option<&str>, raw: &RawValue) {
        let (at, line) = self.place(raw);
        let Ok(fields) = serde_json::from_str::<Fields<'_>>(raw.get()) else {
            let place = self.reading.at(line);
            let found = "a feature structure that is no object";
            self.reading.corpus.problems.add(Kind::BadRecord, place, found, r#"{"%ID", "%TYPE", …}"#);
            return;
        };
        let id = fields.number("%ID").or_else(|| key?.parse().ok()).unwrap_or(0);
        let kind = fields.text("%TYPE").unwrap_or_default();
        if kind == "uima.cas.Sofa" {
            let name = fields.text("sofaID").unwrap_or_default();
            let string = fields.get("sofaString").filter(|raw| raw.get().starts_with('"'));
            let text = string.and_then(|string| {
                let bytes = text::unescape(string.get().as_bytes()).ok()?;
                let start = at + (string.get().as_ptr() as usize - raw.get().as_ptr() as usize);
                let length = string.get().len() as u64;
                let piece = Piece::new(self.reading.file, self.from + start as u64, length, Form::JsonString);
                Some((piece, Digest::of(&bytes)))
            });
            self.cas.sofa(Sofa { id, name, text });
            return;
        }
        if kind.starts_with("uima.cas.") || kind.ends_with("[]") {
            if let Some(elements) = fields.get("%ELEMENTS") {
                self.cas.array(id, ids(elements));
            }
            return;
        }
        let mut structure = Structure { kind, id, line, ..Structure::default() };
        for (key, value) in fields.0 {
            match key.as_bytes() {
                [b'%', ..] => {}
                [b'@', ..] => structure.references.push((key[1..].to_owned(), ids(value))),
                _ => {
                    // `#` stands before numbers, `^` before offsets.
                    let name = key.trim_start_matches(['#', '^']).to_owned();
                    structure.features.extend(scalar(value.get()).map(|value| (name, value)));
                }
            }
        }
        self.cas.add(structure, self.reading);
    }
}

/// One id or a list of them.
fn ids(raw: &RawValue) -> Vec<i64> {
    let list = serde_json::from_str::<Vec<i64>>(raw.get());
    list.or_else(|_| serde_json::from_str::<i64>(raw.get()).map(|id| vec![id])).unwrap_or_default()
}

/// Fields of a structure, in order.
struct Fields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Fields<'a> {
    fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.0.iter().find(|field| field.0 == key).map(|field| field.1)
    }

    fn text(&self, key: &str) -> Option<String> {
        scalar(self.get(key)?.get())
    }

    fn number(&self, key: &str) -> Option<i64> {
        self.text(key)?.parse().ok()
    }
}

impl<'de> serde::Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Walk;
        impl<'de> Visitor<'de> for Walk {
            type Value = Fields<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a feature structure")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some(key) = map.next_key::<Key<'de>>()? {
                    fields.push((key.0, map.next_value()?));
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Walk)
    }
}

/// A key, borrowed where it has no escapes.
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// The object of the whole file.
struct Top<'a, 'f, 'r>(&'a mut File<'f, 'r>);

impl<'de> DeserializeSeed<'de> for Top<'_, '_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Top<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        #[derive(serde::Deserialize)]
        struct View {
            #[serde(rename = "%SOFA", default)]
            sofa: i64,
            #[serde(rename = "%MEMBERS", default)]
            members: Vec<i64>,
        }
        while let Some(Key(key)) = map.next_key()? {
            match &*key {
                STRUCTURES => map.next_value_seed(Structures(&mut *self.0))?,
                VIEWS => {
                    for view in map.next_value::<BTreeMap<String, View>>()?.into_values() {
                        self.0.cas.view(view.sofa, view.members);
                    }
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// The structures: a list, or an object by id.
struct Structures<'a, 'f, 'r>(&'a mut File<'f, 'r>);

impl<'de> DeserializeSeed<'de> for Structures<'_, '_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Structures<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of feature structures")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(raw) = list.next_element::<&RawValue>()? {
            self.0.structure(None, raw);
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Key(key)) = map.next_key()? {
            let raw: &RawValue = map.next_value()?;
            self.0.structure(Some(&key), raw);
        }
        Ok(())
    }
}
