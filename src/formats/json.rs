//! JSON records: `{"id", "text", "entities": [{"start", "end", "label"}]}` and close variants, as JSON Lines,
//! one array, or values one after another: Prodigy, doccano, spaCy training tuples, BigBio, the NCER
//! benchmark's own, tokens with BIO tags. Offsets are code points, end exclusive.
//!
//! serde_json walks each record once and borrows; the text is skipped over and only its place is kept.

use super::surface::{self, CharIndex};
use super::{Format, Reading};
use crate::corpus::problems::{Kind, Place};
use crate::corpus::text::{self, Digest, Form, Piece};
use crate::corpus::{Detail, LabelId, Labels, Surface};
use crate::source::lines::{JsonValues, Lines};
use crate::source::{Source, SourceError};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use std::ops::Range;

/// The format.
pub static FORMAT: Format =
    Format { name: "json", title: "JSON records", companion: None, extension: None, sniff, read };

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

/// A span's parts as a record gives them. Small, since there are many.
#[derive(Default)]
struct RawSpan {
    start: Option<i64>,
    end: Option<i64>,
    label: Option<LabelId>,
    wrong: Option<&'static str>,
    rare: Option<Box<Rare>>,
}

/// What few spans have.
#[derive(Default)]
struct Rare {
    more_labels: Vec<LabelId>,
    fragments: Vec<(i64, i64)>,
    /// Where its own text stands in the record.
    own: Option<Range<usize>>,
}

impl RawSpan {
    fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }
}

/// What one record holds; reused from record to record.
#[derive(Default)]
struct Record {
    id: Option<String>,
    id_rank: usize,
    text: Option<Range<usize>>,
    passages: Option<Range<usize>>,
    tokens: Option<Range<usize>>,
    tags: Option<Range<usize>>,
    rejected: Option<String>,
    spans: Vec<RawSpan>,
    spans_rank: Option<usize>,
    /// Keys seen twice.
    twice: Vec<&'static str>,
    /// What is wrong with the whole record.
    wrong: Option<String>,
}

impl Record {
    fn clear(&mut self) {
        let mut spans = std::mem::take(&mut self.spans);
        spans.clear();
        *self = Record { spans, ..Record::default() };
    }
}

/// Keys of a record. Where several are there, the first of this list counts.
static RECORD_KEYS: &[(&str, Field)] = &[
    ("text", Field::Text),
    ("entities", Field::Spans),
    ("id", Field::Id),
    ("spans", Field::Spans),
    ("doc_id", Field::Id),
    ("document_id", Field::Id),
    ("note_id", Field::Id),
    ("pmid", Field::Id),
    ("hadm_id", Field::Id),
    ("filename", Field::Id),
    ("record_id", Field::Id),
    ("_input_hash", Field::Id),
    ("label", Field::Spans),
    ("labels", Field::Spans),
    ("tokens", Field::Tokens),
    ("ner_tags", Field::Tags),
    ("tags", Field::Tags),
    ("answer", Field::Answer),
    ("passages", Field::Passages),
];

/// Keys of a span, likewise.
static SPAN_KEYS: &[(&str, Field)] = &[
    ("start", Field::Start),
    ("end", Field::End),
    ("label", Field::Label),
    ("text", Field::Own),
    ("type", Field::Label),
    ("begin", Field::Start),
    ("start_char", Field::Start),
    ("start_offset", Field::Start),
    ("offset", Field::Start),
    ("end_char", Field::End),
    ("end_offset", Field::End),
    ("stop", Field::End),
    ("length", Field::Length),
    ("entity", Field::Label),
    ("entity_group", Field::Label),
    ("ner_label", Field::Label),
    ("tag", Field::Label),
    ("class", Field::Label),
    ("category", Field::Label),
    ("labels", Field::Label),
    ("offsets", Field::Offsets),
    ("word", Field::Own),
    ("span_text", Field::Own),
    ("chunk", Field::Own),
    ("mention", Field::Own),
    ("surface", Field::Own),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Text,
    Id,
    Spans,
    Tokens,
    Tags,
    Answer,
    Passages,
    Start,
    End,
    Length,
    Label,
    Own,
    Offsets,
}

/// Finds a key in a table: its row and what it stands for.
struct Key(&'static [(&'static str, Field)]);

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Option<(usize, Field)>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key {
    type Value = Option<(usize, Field)>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }
    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        // First bytes first: most comparisons end there.
        let first = key.as_bytes().first();
        let same = |(name, _): &(&str, Field)| name.as_bytes().first() == first && *name == key;
        Ok(self.0.iter().position(same).map(|row| (row, self.0[row].1)))
    }
}

/// What the visitors share.
struct Context<'c> {
    /// Address of the record's first byte: borrowed values become ranges of the record.
    base: usize,
    labels: &'c mut Labels,
    record: &'c mut Record,
}

impl Context<'_> {
    fn range(&self, value: &RawValue) -> Range<usize> {
        let start = value.get().as_ptr() as usize - self.base;
        start..start + value.get().len()
    }
}

macro_rules! others {
    ($what:expr) => {
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            $what(self);
            Ok(())
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            $what(self);
            Ok(())
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            $what(self);
            Ok(())
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            $what(self);
            Ok(())
        }
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            $what(self);
            Ok(())
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            $what(self);
            Ok(())
        }
    };
}

macro_rules! seed {
    ($name:ident) => {
        impl<'de> DeserializeSeed<'de> for $name<'_, '_> {
            type Value = ();
            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
                deserializer.deserialize_any(self)
            }
        }
    };
}

/// A whole record: an object, or spaCy's `[text, {"entities": …}]`.
struct RecordSeed<'a, 'c>(&'a mut Context<'c>);
seed!(RecordSeed);

impl<'de> Visitor<'de> for RecordSeed<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a record")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let ctx = self.0;
        let mut seen = 0_u64;
        while let Some(key) = map.next_key_seed(Key(RECORD_KEYS))? {
            let Some((row, field)) = key else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if seen & (1 << row) != 0 {
                ctx.record.twice.push(RECORD_KEYS[row].0);
            }
            seen |= 1 << row;
            if field == Field::Spans {
                if ctx.record.spans_rank.is_some_and(|rank| rank < row) {
                    map.next_value::<IgnoredAny>()?;
                } else {
                    map.next_value_seed(SpansSeed { ctx: &mut *ctx, row })?;
                }
                continue;
            }
            let value: &RawValue = map.next_value()?;
            let range = ctx.range(value);
            let is_list = value.get().starts_with('[');
            match field {
                Field::Text if value.get().starts_with('"') => ctx.record.text = Some(range),
                Field::Text if value.get() != "null" => {
                    ctx.record.wrong = Some("\"text\" is not a string".into());
                }
                Field::Id if ctx.record.id.is_none() || row <= ctx.record.id_rank => {
                    if let Some(id) = scalar(value.get()) {
                        ctx.record.id = Some(id);
                        ctx.record.id_rank = row;
                    }
                }
                Field::Tokens if is_list => ctx.record.tokens = Some(range),
                Field::Tags if is_list => ctx.record.tags = Some(range),
                Field::Passages if is_list => ctx.record.passages = Some(range),
                Field::Answer => {
                    ctx.record.rejected = scalar(value.get()).filter(|a| a == "reject" || a == "ignore");
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let ctx = self.0;
        let Some(first) = seq.next_element::<&RawValue>()? else {
            ctx.record.wrong = Some("an empty list".into());
            return Ok(());
        };
        let text = first.get().starts_with('"').then(|| ctx.range(first));
        if text.is_none() {
            ctx.record.wrong = Some(list_of(first.get()));
        } else if seq.next_element_seed(RecordSeed(&mut *ctx))?.is_none() {
            ctx.record.wrong = Some("a list of one string".into());
        }
        ctx.record.text = text;
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    others!(|this: Self| this.0.record.wrong = Some("a single value".into()));
}

fn list_of(first: &str) -> String {
    match first.as_bytes().first() {
        Some(b'{') => "a list of objects without a document around it (as pipelines print them)".into(),
        Some(b'[') => "a list of lists".into(),
        _ => "a list of numbers".into(),
    }
}

/// A string's content, or a number as written; none for anything else.
fn scalar(raw: &str) -> Option<String> {
    match raw.as_bytes().first()? {
        b'"' => text::unescape(raw.as_bytes()).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        b'{' | b'[' | b'n' => None,
        _ => Some(raw.to_owned()),
    }
}

/// The list of spans. `row` says which key held it.
struct SpansSeed<'a, 'c> {
    ctx: &'a mut Context<'c>,
    row: usize,
}
seed!(SpansSeed);

impl SpansSeed<'_, '_> {
    fn not_a_list(self) {
        // `label` and `labels` often hold a document's class: no spans, but no fault either.
        let key = RECORD_KEYS[self.row].0;
        if !key.starts_with("label") {
            self.ctx.record.wrong = Some(format!("\"{key}\" is not a list of spans"));
        }
    }
}

impl<'de> Visitor<'de> for SpansSeed<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of spans")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        self.ctx.record.spans.clear();
        self.ctx.record.spans_rank = Some(self.row);
        while seq.next_element_seed(SpanSeed(&mut *self.ctx))?.is_some() {}
        let list = &mut self.ctx.record.spans;
        if RECORD_KEYS[self.row].0.starts_with("label")
            && list.iter().all(|span| span.wrong == Some(NOT_A_SPAN))
        {
            // A list of class names, or of tags for tokens.
            list.clear();
            self.ctx.record.spans_rank = None;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        self.not_a_list();
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.ctx.record.spans_rank = Some(self.row);
        Ok(())
    }
    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        self.not_a_list();
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        self.not_a_list();
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        self.not_a_list();
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        self.not_a_list();
        Ok(())
    }
    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        self.not_a_list();
        Ok(())
    }
}

const NOT_A_SPAN: &str = "neither an object nor a list";

/// One span: an object, or `[start, end, label]`.
struct SpanSeed<'a, 'c>(&'a mut Context<'c>);
seed!(SpanSeed);

impl<'de> Visitor<'de> for SpanSeed<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a span")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let ctx = self.0;
        let mut span = RawSpan::default();
        let mut length = None;
        let mut seen = 0_u64;
        // The best row so far for start, end and label; the first row of the table wins.
        let mut rank = [usize::MAX; 3];
        while let Some(key) = map.next_key_seed(Key(SPAN_KEYS))? {
            let Some((row, field)) = key else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if seen & (1 << row) != 0 {
                ctx.record.twice.push(SPAN_KEYS[row].0);
            }
            seen |= 1 << row;
            let slot = match field {
                Field::Start => Some(0),
                Field::End => Some(1),
                Field::Label => Some(2),
                _ => None,
            };
            if let Some(slot) = slot {
                if rank[slot] < row {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
                rank[slot] = row;
            }
            match field {
                Field::Start => span.start = map.next_value_seed(Offset(&mut span.wrong))?,
                Field::End => span.end = map.next_value_seed(Offset(&mut span.wrong))?,
                Field::Length => length = map.next_value_seed(Offset(&mut span.wrong))?,
                Field::Label => map.next_value_seed(LabelSeed { labels: ctx.labels, span: &mut span })?,
                Field::Own => {
                    let value: &RawValue = map.next_value()?;
                    if value.get().starts_with('"') {
                        span.rare().own = Some(ctx.range(value));
                    }
                }
                _ => {
                    let value: &RawValue = map.next_value()?;
                    match fragments(value.get()) {
                        Some(fragments) => span.rare().fragments = fragments,
                        None => span.wrong = Some("\"offsets\" that are not pairs of whole numbers"),
                    }
                }
            }
        }
        if span.end.is_none()
            && let (Some(start), Some(length)) = (span.start, length)
        {
            span.end = start.checked_add(length);
        }
        ctx.record.spans.push(span);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let ctx = self.0;
        let mut span = RawSpan::default();
        span.start = seq.next_element_seed(Offset(&mut span.wrong))?.flatten();
        span.end = seq.next_element_seed(Offset(&mut span.wrong))?.flatten();
        seq.next_element_seed(LabelSeed { labels: ctx.labels, span: &mut span })?;
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        ctx.record.spans.push(span);
        Ok(())
    }

    others!(|this: Self| this.0.record.spans.push(RawSpan { wrong: Some(NOT_A_SPAN), ..RawSpan::default() }));
}

/// An offset: `12`, `12.0` and `"12"` count; null and an empty string are missing. What is none of these is
/// noted as wrong.
struct Offset<'a>(&'a mut Option<&'static str>);

impl Offset<'_> {
    fn wrong<T, E>(self) -> Result<Option<T>, E> {
        *self.0 = Some("an offset that is not a whole number");
        Ok(None)
    }
}

impl<'de> DeserializeSeed<'de> for Offset<'_> {
    type Value = Option<i64>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<i64>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Offset<'_> {
    type Value = Option<i64>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an offset")
    }
    fn visit_u64<E>(self, value: u64) -> Result<Option<i64>, E> {
        match i64::try_from(value) {
            Ok(value) => Ok(Some(value)),
            Err(_) => self.wrong(),
        }
    }
    fn visit_i64<E>(self, value: i64) -> Result<Option<i64>, E> {
        Ok(Some(value))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Option<i64>, E> {
        // Floats hold whole numbers up to 2^53.
        if value.trunc() == value && value.abs() <= 9_007_199_254_740_992.0 {
            Ok(Some(value as i64))
        } else {
            self.wrong()
        }
    }
    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Option<i64>, E> {
        let value = value.trim();
        match (value.is_empty(), value.parse::<i64>(), value.parse::<f64>()) {
            (true, ..) => Ok(None),
            (_, Ok(value), _) => Ok(Some(value)),
            (_, _, Ok(value)) => self.visit_f64(value),
            _ => self.wrong(),
        }
    }
    fn visit_unit<E>(self) -> Result<Option<i64>, E> {
        Ok(None)
    }
    fn visit_bool<E>(self, _: bool) -> Result<Option<i64>, E> {
        self.wrong()
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Option<i64>, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        self.wrong()
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<i64>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        self.wrong()
    }
}

/// A label, or a list of them. Numbers and truth values are labels as they are written; null is none.
struct LabelSeed<'a> {
    labels: &'a mut Labels,
    span: &'a mut RawSpan,
}

impl LabelSeed<'_> {
    fn take<E>(self, name: &str) -> Result<(), E> {
        let id = self.labels.intern(name);
        match self.span.label {
            None => self.span.label = Some(id),
            Some(_) => self.span.rare().more_labels.push(id),
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for LabelSeed<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for LabelSeed<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a label")
    }
    fn visit_str<E>(self, name: &str) -> Result<(), E> {
        self.take(name)
    }
    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        self.take(&number.to_string())
    }
    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        self.take(&number.to_string())
    }
    fn visit_f64<E>(self, number: f64) -> Result<(), E> {
        self.take(&number.to_string())
    }
    fn visit_bool<E>(self, truth: bool) -> Result<(), E> {
        self.take(&truth.to_string())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let LabelSeed { labels, span } = self;
        while seq.next_element_seed(LabelSeed { labels: &mut *labels, span: &mut *span })?.is_some() {}
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        self.span.wrong = Some("a label that is an object");
        Ok(())
    }
}

/// BigBio's `[[0, 4], [6, 9]]`, or one `[0, 4]`.
fn fragments(raw: &str) -> Option<Vec<(i64, i64)>> {
    serde_json::from_str::<Vec<(i64, i64)>>(raw)
        .ok()
        .or_else(|| serde_json::from_str::<(i64, i64)>(raw).ok().map(|one| vec![one]))
        .filter(|list| !list.is_empty())
}

fn read(mut reading: Reading<'_>) -> Result<(), SourceError> {
    let (source, from) = reading.source();
    let mut reader = Reader { record: Record::default(), any_list: false, records: 0, keys: Vec::new() };
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
    }
    if reader.records > 0 && !reader.any_list {
        let found = format!("no record has a list of spans; keys found: {}", reader.keys.join(", "));
        reading.corpus.problems.add(Kind::NoSpanList, reading.at(0), found, EXPECTED);
    }
    Ok(())
}

/// Whether each line is a value of its own (JSON Lines). Looks at the first line only: an array, or an
/// object that goes on over the line's end, is read value by value instead.
fn one_a_line(source: &dyn Source, from: u64) -> Result<bool, SourceError> {
    let size = source.len().saturating_sub(from).min(1 << 16);
    let head = crate::source::read_range(source, from, size)?;
    let Some(start) = head.iter().position(|b| !b.is_ascii_whitespace()) else {
        return Ok(true);
    };
    let head = &head[start..];
    let (line, ended) = match memchr::memchr(b'\n', head) {
        Some(end) => (&head[..end], true),
        None => (head, false),
    };
    if head[0] == b'{' {
        return Ok(!ended || balanced(line));
    }
    // spaCy's tuples, one a line: a list that begins with the text.
    let second = line[1..].iter().find(|b| !b.is_ascii_whitespace());
    Ok(ended && second == Some(&b'"') && balanced(line))
}

/// Whether brackets outside strings close by the end.
fn balanced(line: &[u8]) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0_i64, false, false);
    for &byte in line {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => depth -= 1,
            _ => {}
        }
    }
    depth <= 0 && !in_string
}

struct Reader {
    record: Record,
    /// Whether any record had a list of spans (or tags).
    any_list: bool,
    records: u64,
    /// Keys of the first record, for the message when no record has spans.
    keys: Vec<String>,
}

impl Reader {
    fn record(&mut self, reading: &mut Reading<'_>, bytes: &[u8], offset: u64, line: u64, complete: bool) {
        let json = match std::str::from_utf8(bytes) {
            Ok(json) => json,
            Err(error) => return reading.bad_encoding(line, bytes, error.valid_up_to()),
        };
        self.record.clear();
        let mut kept = None;
        if let Err(error) = self.parse(reading, json) {
            // Python writes NaN and Infinity; one retry with them as missing values of the same length.
            let patched = without_nan(json);
            self.record.clear();
            if patched.as_ref().is_none_or(|json| self.parse(reading, json).is_err()) {
                let place = reading.at(line);
                let found = syntax(&error, complete);
                reading.corpus.problems.add(Kind::BadRecord, place, found, "one JSON record");
                return;
            }
            let found = "NaN or Infinity";
            reading.corpus.problems.add(Kind::NotANumber, reading.at(line), found, "a number or null");
            kept = patched;
        }
        let json = kept.as_deref().unwrap_or(json);
        self.records += 1;
        if self.records == 1 {
            self.keys = keys(json);
        }
        self.keep(reading, json, offset, line);
    }

    fn parse(&mut self, reading: &mut Reading<'_>, json: &str) -> Result<(), serde_json::Error> {
        let mut deserializer = serde_json::Deserializer::from_str(json);
        let mut context = Context {
            base: json.as_ptr() as usize,
            labels: &mut reading.corpus.labels,
            record: &mut self.record,
        };
        RecordSeed(&mut context).deserialize(&mut deserializer)?;
        deserializer.end()
    }

    /// Moves a parsed record into the corpus.
    fn keep(&mut self, reading: &mut Reading<'_>, json: &str, offset: u64, line: u64) {
        let file = reading.file;
        let record = &mut self.record;
        let place = |id: &Option<String>| Place { document: id.clone(), ..Place::at(file, line) };
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
        let place = || Place { document: id.clone(), ..Place::at(file, line) };
        reading.corpus.begin(file, id.clone(), line);
        let piece = |range: &Range<usize>, form, pad| Piece {
            pad,
            file,
            start: offset + range.start as u64,
            len: range.len() as u64,
            form,
        };
        let tokens = record.tokens.as_ref().map(|range| piece(range, Form::JsonTokens, 0));
        // Text, and its content where something must be compared with it.
        let wants_text = record.spans.iter().any(|s| s.rare.as_ref().is_some_and(|r| r.own.is_some()))
            || record.tags.is_some();
        let mut content: Option<String> = None;
        if let Some(range) = &record.text {
            let raw = &json.as_bytes()[range.clone()];
            if let Ok(bytes) = text::unescape(raw) {
                reading.corpus.set_text(&[piece(range, Form::JsonString, 0)], Digest::of(&bytes));
                content = wants_text.then(|| String::from_utf8_lossy(&bytes).into_owned());
            }
        } else if let Some(range) = &record.passages {
            if let Some((pieces, joined)) = passages(json, range, &piece) {
                reading.corpus.set_text(&pieces, Digest::of(joined.as_bytes()));
                content = Some(joined);
            }
        } else if let (Some(tokens), Some(range)) = (tokens, &record.tokens)
            && let Ok(words) = text::tokens(&json.as_bytes()[range.clone()])
        {
            let joined = words.join(" ");
            reading.corpus.set_text(&[tokens], Digest::of(joined.as_bytes()));
            content = Some(joined);
        }
        if let Some(document) = reading.corpus.documents.last_mut() {
            document.tokens = tokens;
        }
        let index = content.as_deref().map(CharIndex::new);
        for span in record.spans.drain(..) {
            keep_span(reading, json, span, index.as_ref(), &place);
        }
        if record.spans_rank.is_none()
            && let (Some(tags), Some(words)) = (&record.tags, &record.tokens)
        {
            tagged(reading, json, tags, words, content.as_deref(), &place());
        }
    }
}

fn keep_span(
    reading: &mut Reading<'_>,
    json: &str,
    span: RawSpan,
    index: Option<&CharIndex<'_>>,
    place: &impl Fn() -> Place,
) {
    let corpus = &mut *reading.corpus;
    if let RawSpan { start: Some(start), end: Some(end), label: Some(label), wrong: None, rare: None } = span
    {
        corpus.push(start, end, label, Detail::default());
        return;
    }
    let rare = span.rare.map(|rare| *rare).unwrap_or_default();
    let envelope = match (&rare.fragments[..], span.start, span.end) {
        ([], Some(start), Some(end)) => Some((start, end)),
        ([], ..) => None,
        (list, ..) => list.iter().map(|f| f.0).min().zip(list.iter().map(|f| f.1).max()),
    };
    let (start, end, label) = match (span.wrong, envelope, span.label) {
        (None, Some((start, end)), Some(label)) => (start, end, label),
        (wrong, envelope, _) => {
            let missing =
                if envelope.is_none() { "a span without start and end" } else { "a span without a label" };
            let expected = r#"{"start", "end", "label"}"#;
            corpus.problems.add(Kind::BadSpan, place(), wrong.unwrap_or(missing), expected);
            return;
        }
    };
    let contiguous = [(start, end)];
    let ranges = if rare.fragments.is_empty() { &contiguous[..] } else { &rare.fragments };
    let surface = match (rare.own.and_then(|range| scalar(&json[range])), index) {
        (Some(own), Some(index)) => surface::compare(&own, index, ranges),
        _ => Surface::Agrees,
    };
    if surface != Surface::Agrees {
        surface::report(&mut corpus.problems, surface, place(), start, end);
    }
    let fragments = if rare.fragments.len() > 1 {
        let found = format!("{} fragments in {start}–{end}", rare.fragments.len());
        corpus.problems.add(Kind::Discontinuous, place(), found, "");
        rare.fragments
    } else {
        Vec::new()
    };
    for label in std::iter::once(label).chain(rare.more_labels) {
        corpus.push(start, end, label, Detail { fragments: fragments.clone(), surface });
    }
}

/// BigBio passages: texts placed at their offsets, gaps filled with spaces.
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
    let (mut pieces, mut joined, mut length) = (Vec::new(), String::new(), 0_i64);
    for passage in &list {
        for (text, (start, _)) in passage.text.iter().zip(&passage.offsets) {
            let pad = u32::try_from(start - length).unwrap_or(0).min(1 << 20);
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

/// Tokens with BIO tags. A leading I- starts a span and a change of type splits, as conlleval has it.
fn tagged(
    reading: &mut Reading<'_>,
    json: &str,
    tags: &Range<usize>,
    words: &Range<usize>,
    text: Option<&str>,
    place: &Place,
) {
    let corpus = &mut *reading.corpus;
    let words = text::tokens(&json.as_bytes()[words.clone()]).unwrap_or_default();
    let Ok(tags) = serde_json::from_str::<Vec<String>>(&json[tags.clone()]) else {
        let found = "tags that are not strings (numbers need the list of their names)";
        corpus.problems.add(Kind::BadRecord, place.clone(), found, r#"tags such as "B-drug""#);
        return;
    };
    if tags.len() != words.len() {
        let found = format!("{} tokens and {} tags", words.len(), tags.len());
        corpus.problems.add(Kind::BadRecord, place.clone(), found, "one tag a token");
        return;
    }
    let Some(places) = text.and_then(|text| crate::corpus::text::locate(text, &words)) else {
        let found = "tokens that do not occur in the text in their order";
        corpus.problems.add(Kind::BadRecord, place.clone(), found, "tokens of the text");
        return;
    };
    let mut open: Option<(i64, i64, LabelId)> = None;
    for (tag, (start, end)) in tags.iter().zip(places) {
        let (prefix, name) = tag.split_once('-').unwrap_or((tag, ""));
        if prefix == "O" || tag.is_empty() {
            if let Some((start, end, label)) = open.take() {
                corpus.push(start, end, label, Detail::default());
            }
            continue;
        }
        let label = corpus.labels.intern(name);
        match &mut open {
            Some(span) if prefix == "I" && span.2 == label => span.1 = end,
            _ => {
                if let Some((start, end, label)) = open.replace((start, end, label)) {
                    corpus.push(start, end, label, Detail::default());
                }
            }
        }
    }
    if let Some((start, end, label)) = open {
        corpus.push(start, end, label, Detail::default());
    }
}

/// What is wrong with a record that does not parse, without its content.
fn syntax(error: &serde_json::Error, complete: bool) -> String {
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
fn without_nan(json: &str) -> Option<String> {
    let mut bytes = json.as_bytes().to_vec();
    let (mut in_string, mut escaped, mut any) = (false, false, false);
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
        } else if byte == b'"' {
            in_string = true;
        } else {
            let rest = &bytes[at..];
            let word = [&b"NaN"[..], b"Infinity", b"-Infinity"].into_iter().find(|w| rest.starts_with(w));
            if let Some(word) = word {
                bytes[at..at + word.len()].fill(b' ');
                bytes[at] = b'"';
                bytes[at + 1] = b'"';
                any = true;
                at += word.len();
                continue;
            }
        }
        at += 1;
    }
    any.then(|| String::from_utf8(bytes).ok()).flatten()
}

/// The keys of an object, for a message. Keys are structure, not note text; long ones are cut.
fn keys(json: &str) -> Vec<String> {
    let map: Result<std::collections::BTreeMap<String, IgnoredAny>, _> = serde_json::from_str(json);
    map.map(|map| map.into_keys().take(12).map(|key| key.chars().take(40).collect()).collect())
        .unwrap_or_default()
}
