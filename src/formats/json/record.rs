//! One JSON record: which keys stand for what, and the visitors that fill a [`Record`] from them.

use super::plain;
use crate::corpus::text;
use crate::corpus::{LabelId, Labels};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use std::ops::Range;

/// Parses one record. Labels are interned; everything else becomes ranges of `json`.
///
/// # Errors
/// When `json` is not one JSON value.
pub(super) fn parse(json: &str, labels: &mut Labels, record: &mut Record) -> Result<(), serde_json::Error> {
    record.clear();
    if plain::record(json, labels, record) {
        return Ok(());
    }
    record.clear();
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let mut context = Context { base: json.as_ptr() as usize, labels, record };
    RecordSeed(&mut context).deserialize(&mut deserializer)?;
    if let (Some(key), None) = (record.no_list, record.spans_rank) {
        record.wrong.get_or_insert_with(|| format!("\"{key}\" is not a list of spans"));
    }
    deserializer.end()
}

/// A span's parts as a record gives them. Small, since there are many.
#[derive(Default)]
pub(super) struct RawSpan {
    pub(super) start: Option<i64>,
    pub(super) end: Option<i64>,
    pub(super) label: Option<LabelId>,
    pub(super) wrong: Option<&'static str>,
    pub(super) rare: Option<Box<Rare>>,
}

/// What few spans have.
#[derive(Default)]
pub(super) struct Rare {
    pub(super) more_labels: Vec<LabelId>,
    pub(super) fragments: Vec<(i64, i64)>,
    /// Where its own text stands in the record.
    pub(super) own: Option<Range<usize>>,
}

impl RawSpan {
    /// Before a better key, or the same again, says the label.
    fn forget_labels(&mut self) {
        self.label = None;
        if let Some(rare) = &mut self.rare {
            rare.more_labels.clear();
        }
    }

    fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }
}

/// What one record holds; reused from record to record.
#[derive(Default)]
pub(super) struct Record {
    pub(super) id: Option<String>,
    id_rank: usize,
    pub(super) text: Option<Range<usize>>,
    pub(super) passages: Option<Range<usize>>,
    pub(super) tokens: Option<Range<usize>>,
    pub(super) tags: Option<Range<usize>>,
    tags_rank: Option<usize>,
    pub(super) rejected: Option<String>,
    pub(super) spans: Vec<RawSpan>,
    pub(super) spans_rank: Option<usize>,
    /// A key of spans that holds no list.
    no_list: Option<&'static str>,
    /// Keys seen twice.
    pub(super) twice: Vec<&'static str>,
    /// What is wrong with the whole record.
    pub(super) wrong: Option<String>,
}

impl Record {
    /// Whether a list of spans was found.
    pub(super) fn has_spans(&self) -> bool {
        self.spans_rank.is_some()
    }

    /// Says that the spans were found under `entities`.
    pub(super) fn spans_are_entities(&mut self) {
        self.spans_rank = Some(ENTITIES);
    }

    /// Forgets the texts, passages, tokens and tags whose place in the file is not as it was parsed.
    pub(super) fn forget(&mut self, changed: impl Fn(Range<usize>) -> bool) {
        for slot in [&mut self.text, &mut self.passages, &mut self.tokens, &mut self.tags] {
            if slot.as_ref().is_some_and(|range| changed(range.clone())) {
                *slot = None;
            }
        }
        for span in &mut self.spans {
            if let Some(rare) = &mut span.rare
                && rare.own.as_ref().is_some_and(|range| changed(range.clone()))
            {
                rare.own = None;
            }
        }
    }

    pub(super) fn clear(&mut self) {
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

/// The row of `entities`.
const ENTITIES: usize = 1;

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
    /// Reads the list of spans behind the key of a row: the common shape quickly, any other by serde. The
    /// first key of the table that has spans counts; an empty list yields to a full one.
    fn spans(&mut self, value: &RawValue, row: usize) -> Result<(), serde_json::Error> {
        let key = RECORD_KEYS[row].0;
        match value.get().as_bytes() {
            [b'[', ..] => {}
            // Null, or NaN as it is patched: no spans, but the place where they would be.
            [b'n', ..] | b"\"\"" => {
                self.record.spans_rank.get_or_insert(usize::MAX);
                return Ok(());
            }
            // `label` and `labels` often hold a document's class: no spans, but no fault either.
            _ => {
                if !key.starts_with("label") {
                    self.record.no_list = Some(key);
                }
                return Ok(());
            }
        }
        let before = std::mem::take(&mut self.record.spans);
        if !plain::spans(value.get(), self.labels, &mut self.record.spans) {
            self.record.spans.clear();
            SpansSeed(&mut *self).deserialize(&mut serde_json::Deserializer::from_str(value.get()))?;
        }
        let list = &mut self.record.spans;
        if key.starts_with("label") && list.iter().all(|span| span.wrong == Some(NOT_A_SPAN)) {
            // A list of class names, or of tags for tokens.
            list.clear();
        } else {
            self.record.spans_rank.get_or_insert(row);
        }
        if list.is_empty() {
            self.record.spans = before;
        } else {
            self.record.spans_rank = Some(row);
        }
        Ok(())
    }

    fn range(&self, value: &RawValue) -> Range<usize> {
        let start = value.get().as_ptr() as usize - self.base;
        start..start + value.get().len()
    }
}

/// The visits of every value that is neither a list nor an object nor null; all do the same.
macro_rules! scalars {
    ($what:expr) => {
        scalars!($what; visit_bool bool, visit_i64 i64, visit_u64 u64, visit_f64 f64, visit_str &str);
    };
    ($what:expr; $($visit:ident $type:ty),*) => {
        $(fn $visit<E>(self, _: $type) -> Result<(), E> {
            $what(self);
            Ok(())
        })*
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

impl RecordSeed<'_, '_> {
    fn single(self) {
        self.0.record.wrong = Some("a single value".into());
    }
}

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
                if !ctx.record.spans.is_empty() && ctx.record.spans_rank.is_some_and(|rank| rank < row) {
                    map.next_value::<IgnoredAny>()?;
                } else {
                    ctx.spans(map.next_value()?, row).map_err(serde::de::Error::custom)?;
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
                    if let Some(id) = scalar(value.get()).filter(|id| !id.is_empty()) {
                        ctx.record.id = Some(id);
                        ctx.record.id_rank = row;
                    }
                }
                Field::Tokens if is_list => ctx.record.tokens = Some(range),
                Field::Tags if is_list && ctx.record.tags_rank.is_none_or(|rank| row <= rank) => {
                    ctx.record.tags = Some(range);
                    ctx.record.tags_rank = Some(row);
                }
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

    scalars!(Self::single);

    fn visit_unit<E>(self) -> Result<(), E> {
        self.single();
        Ok(())
    }
}

fn list_of(first: &str) -> String {
    match first.as_bytes().first() {
        Some(b'{') => "a list of objects without a document around it (as pipelines print them)".into(),
        Some(b'[') => "a list of lists".into(),
        _ => "a list of numbers".into(),
    }
}

/// A string's content, or a number as written; none for anything else.
pub(in crate::formats) fn scalar(raw: &str) -> Option<String> {
    match raw.as_bytes().first()? {
        b'"' => text::unescape(raw.as_bytes()).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        b'{' | b'[' | b'n' => None,
        _ => Some(raw.to_owned()),
    }
}

/// A list of spans.
struct SpansSeed<'a, 'c>(&'a mut Context<'c>);
seed!(SpansSeed);

impl<'de> Visitor<'de> for SpansSeed<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of spans")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(SpanSeed(&mut *self.0))?.is_some() {}
        Ok(())
    }
}

const NOT_A_SPAN: &str = "neither an object nor a list";

/// One span: an object, or `[start, end, label]`.
struct SpanSeed<'a, 'c>(&'a mut Context<'c>);
seed!(SpanSeed);

impl SpanSeed<'_, '_> {
    fn not_a_span(self) {
        self.0.record.spans.push(RawSpan { wrong: Some(NOT_A_SPAN), ..RawSpan::default() });
    }
}

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
                Field::Label => {
                    span.forget_labels();
                    map.next_value_seed(LabelSeed { labels: ctx.labels, span: &mut span })?;
                }
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

    scalars!(Self::not_a_span);

    fn visit_unit<E>(self) -> Result<(), E> {
        self.not_a_span();
        Ok(())
    }
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
        if name.is_empty() {
            return Ok(());
        }
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
