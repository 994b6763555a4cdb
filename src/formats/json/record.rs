//! One JSON record: which keys stand for what, and the visitors that fill a [`Record`] from them.

use super::plain;
use super::relation::{self, RawRelation};
use crate::corpus::text;
use crate::corpus::{LabelId, Labels, More};
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
    record.complete();
    deserializer.end()
}

/// Reads a list of spans that stands where a record would.
///
/// # Errors
/// When `json` is not one JSON value.
pub(super) fn parse_spans(
    json: &str,
    labels: &mut Labels,
    record: &mut Record,
) -> Result<(), serde_json::Error> {
    record.clear();
    let value: &RawValue = serde_json::from_str(json)?;
    let mut context = Context { base: json.as_ptr() as usize, labels, record };
    context.spans(value, ENTITIES)?;
    record.complete();
    Ok(())
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
    pub(super) own: Option<RawOwn>,
    pub(super) id: Option<String>,
    pub(super) score: Option<f64>,
    pub(super) more: More,
}

/// A span's own text.
pub(super) enum RawOwn {
    /// Where it stands in the record.
    At(Range<usize>),
    /// Inside a string of the record, where it stands nowhere as it is.
    Text(String),
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
    /// Labels of the whole document.
    pub(super) classes: Option<Vec<(LabelId, Option<f64>)>>,
    /// A list under `label` or `labels` that holds no spans: classes, or tags where there are tokens.
    label_list: Option<Range<usize>>,
    pub(super) relations: Vec<RawRelation>,
    /// How many relations are of a shape that is not known.
    pub(super) strange_relations: u64,
    /// Names of tags that are numbers.
    pub(super) names: Option<Vec<String>>,
    /// Its tokens are offsets into the text.
    pub(super) tokens_are_offsets: bool,
    /// Whether it is of doccano's shape, whose offsets are UTF-16.
    pub(super) utf16: bool,
    /// A span has `start_offset`, `end_offset` and an id.
    offset_keys: bool,
    has_relations: bool,
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

    /// Settles what only the whole record tells.
    fn complete(&mut self) {
        if let (Some(key), None) = (self.no_list, self.spans_rank) {
            self.wrong.get_or_insert_with(|| format!("\"{key}\" is not a list of spans"));
        }
        self.utf16 |= self.offset_keys && self.has_relations;
        if self.tokens_are_offsets && self.text.is_none() {
            self.tokens = None;
        }
    }

    /// What a list under `label` is, now that the record is whole: tags of its tokens, or classes.
    pub(super) fn settle_labels(&mut self, json: &str, labels: &mut Labels) {
        let Some(range) = self.label_list.take() else { return };
        let Ok(list) = serde_json::from_str::<Vec<&RawValue>>(&json[range.clone()]) else { return };
        if let Some(tokens) = &self.tokens
            && text::tokens(&json.as_bytes()[tokens.clone()]).is_ok_and(|tokens| tokens.len() == list.len())
        {
            self.tags.get_or_insert(range);
            return;
        }
        let names = list.iter().filter_map(|raw| scalar(raw.get())).filter(|name| !name.is_empty());
        let names = names.map(|name| (labels.intern(&name), None));
        self.classes.get_or_insert_default().extend(names);
    }

    /// Whether nothing was found that a record has.
    pub(super) fn is_nothing(&self) -> bool {
        self.text.is_none()
            && self.passages.is_none()
            && self.tokens.is_none()
            && self.tags.is_none()
            && self.classes.is_none()
            && self.label_list.is_none()
            && self.spans_rank.is_none()
            && self.id.is_none()
            && self.wrong.is_none()
            && self.rejected.is_none()
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
                && let Some(RawOwn::At(range)) = &rare.own
                && changed(range.clone())
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
    ("ents", Field::Spans),
    ("accept", Field::Accept),
    ("cats", Field::Cats),
    ("relations", Field::Relations),
    ("events", Field::Events),
    ("coreferences", Field::Coreferences),
    ("Comments", Field::Comments),
    ("names", Field::Names),
    ("id2label", Field::Names),
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
    ("id", Field::Id),
    ("score", Field::Score),
    ("confidence", Field::Score),
    ("probability", Field::Score),
    ("normalized", Field::Concepts),
    ("cui", Field::Concepts),
    ("concept_id", Field::Concepts),
    ("kb_id", Field::Concepts),
    ("linked", Field::Concepts),
    ("identifier", Field::Concepts),
    ("code", Field::Concepts),
    ("attributes", Field::Attributes),
    ("assertion", Field::Attribute),
    ("negated", Field::Attribute),
    ("is_negated", Field::Attribute),
    ("negation", Field::Attribute),
    ("polarity", Field::Attribute),
    ("certainty", Field::Attribute),
    ("uncertain", Field::Attribute),
    ("is_uncertain", Field::Attribute),
    ("hypothetical", Field::Attribute),
    ("is_hypothetical", Field::Attribute),
    ("historical", Field::Attribute),
    ("is_historical", Field::Attribute),
    ("is_family", Field::Attribute),
    ("temporality", Field::Attribute),
    ("experiencer", Field::Attribute),
];

const START_OFFSET: u64 = 1 << 7;
const END_OFFSET: u64 = 1 << 10;

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
    Score,
    Concepts,
    Attribute,
    Attributes,
    Accept,
    Cats,
    Relations,
    Events,
    Coreferences,
    Comments,
    Names,
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
        let is_label = key.starts_with("label");
        match value.get().as_bytes() {
            [b'[', ..] => {}
            [b'{', ..] if !is_label => {}
            // Null, or NaN as it is patched: no spans, but the place where they would be.
            [b'n', ..] | b"\"\"" => {
                self.record.spans_rank.get_or_insert(usize::MAX);
                return Ok(());
            }
            [b'"', ..] if !is_label && self.spans_in_string(value, row) => return Ok(()),
            // `label` and `labels` often hold a document's class: no spans, but no fault either.
            [b'{', ..] if is_label => return Ok(()),
            _ if is_label => {
                if let Some(name) = scalar(value.get()) {
                    let class = (self.labels.intern(&name), None);
                    self.record.classes.get_or_insert_default().push(class);
                }
                return Ok(());
            }
            _ => {
                self.record.no_list = Some(key);
                return Ok(());
            }
        }
        let before = std::mem::take(&mut self.record.spans);
        if !plain::spans(value.get(), self.labels, &mut self.record.spans) {
            self.record.spans.clear();
            SpansSeed(&mut *self).deserialize(&mut serde_json::Deserializer::from_str(value.get()))?;
        }
        let range = self.range(value);
        let record = &mut *self.record;
        let list = &mut record.spans;
        let none = list.iter().all(|span| span.wrong == Some(NOT_A_SPAN));
        if is_label && none {
            // A list of class names, or of tags for tokens.
            list.clear();
            record.label_list.get_or_insert(range);
        } else if value.get().starts_with('{') && none && !list.is_empty() {
            list.clear();
            record.no_list = Some(key);
        } else {
            record.spans_rank.get_or_insert(row);
            // doccano's `label`: [[start, end, label], …].
            let inner = value.get()[1..].trim_ascii_start();
            record.utf16 |= key == "label" && inner.starts_with('[');
        }
        if list.is_empty() {
            record.spans = before;
        } else {
            record.spans_rank = Some(row);
        }
        Ok(())
    }

    /// Spans as JSON inside a string; false when there are none.
    fn spans_in_string(&mut self, value: &RawValue, row: usize) -> bool {
        let Some(inner) = scalar(value.get()) else { return false };
        if !inner.trim_start().starts_with(['[', '{']) {
            return false;
        }
        let Ok(raw) = serde_json::from_str::<&RawValue>(&inner) else { return false };
        let (rank, no_list) = (self.record.spans_rank, self.record.no_list);
        let mut context =
            Context { base: inner.as_ptr() as usize, labels: &mut *self.labels, record: &mut *self.record };
        if context.spans(raw, row).is_err() || self.record.no_list != no_list {
            (self.record.spans_rank, self.record.no_list) = (rank, no_list);
            return false;
        }
        if self.record.spans_rank == Some(row) {
            for span in &mut self.record.spans {
                if let Some(rare) = &mut span.rare
                    && let Some(RawOwn::At(range)) = &rare.own
                {
                    rare.own = inner.get(range.clone()).and_then(scalar).map(RawOwn::Text);
                }
            }
        }
        true
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
                Field::Tokens if is_list => {
                    let first = value.get().split('}').next().unwrap_or("");
                    ctx.record.tokens_are_offsets =
                        first.contains("\"start\"") && !first.contains("\"text\"");
                    ctx.record.tokens = Some(range);
                }
                Field::Tags if is_list && ctx.record.tags_rank.is_none_or(|rank| row <= rank) => {
                    ctx.record.tags = Some(range);
                    ctx.record.tags_rank = Some(row);
                }
                Field::Passages if is_list => ctx.record.passages = Some(range),
                Field::Answer => {
                    ctx.record.rejected = scalar(value.get()).filter(|a| a == "reject" || a == "ignore");
                }
                Field::Accept if is_list => {
                    let chosen: Vec<&RawValue> = serde_json::from_str(value.get()).unwrap_or_default();
                    let names = chosen.iter().filter_map(|raw| scalar(raw.get()));
                    let names = names.map(|name| (ctx.labels.intern(&name), None));
                    ctx.record.classes.get_or_insert_default().extend(names);
                }
                Field::Cats => {
                    if let Ok(cats) = serde_json::from_str::<Pairs<f64>>(value.get()) {
                        // Truth values say which classes there are; anything else is a score.
                        let truth = cats.0.iter().all(|(_, score)| *score == 0.0 || *score == 1.0);
                        let kept = cats.0.iter().filter(|(_, score)| !truth || *score == 1.0);
                        let kept =
                            kept.map(|(name, score)| (ctx.labels.intern(name), (!truth).then_some(*score)));
                        ctx.record.classes.get_or_insert_default().extend(kept);
                    }
                }
                Field::Relations | Field::Events | Field::Coreferences if is_list => {
                    ctx.record.has_relations |= field == Field::Relations;
                    let read = match field {
                        Field::Relations => relation::relations,
                        Field::Events => relation::events,
                        _ => relation::coreferences,
                    };
                    ctx.record.strange_relations += read(value.get(), &mut ctx.record.relations);
                }
                Field::Comments => ctx.record.utf16 |= is_list,
                Field::Names => {
                    ctx.record.names = names(value.get()).or(ctx.record.names.take());
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
        while seq.next_element_seed(SpanSeed { context: &mut *self.0, of: None })?.is_some() {}
        Ok(())
    }

    /// `{"drug": ["aspirin"]}`, `{"drug": [[0, 7]]}`, `{"drug": [{…}]}`, or spans by their ids `{"T1": {…}}`.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let ctx = self.0;
        while let Some((key, value)) = map.next_entry::<String, &RawValue>()? {
            let before = ctx.record.spans.len();
            match value.get().as_bytes().first() {
                Some(b'[') => {
                    let list: Vec<&RawValue> =
                        serde_json::from_str(value.get()).map_err(serde::de::Error::custom)?;
                    for item in list {
                        ctx.item(&key, item).map_err(serde::de::Error::custom)?;
                    }
                }
                Some(b'{') => {
                    let seed = SpanSeed { context: &mut *ctx, of: None };
                    let mut deserializer = serde_json::Deserializer::from_str(value.get());
                    seed.deserialize(&mut deserializer).map_err(serde::de::Error::custom)?;
                    if let [span] = &mut ctx.record.spans[before..] {
                        span.rare().id.get_or_insert(key);
                    }
                }
                Some(b'n') => {}
                Some(b'"') => ctx.item(&key, value).map_err(serde::de::Error::custom)?,
                _ => {
                    let wrong = RawSpan { wrong: Some(NOT_A_SPAN), ..RawSpan::default() };
                    ctx.record.spans.push(wrong);
                }
            }
        }
        Ok(())
    }
}

impl Context<'_> {
    /// One item under a label's key: its text, `[start, end]`, or an object.
    fn item(&mut self, label: &str, item: &RawValue) -> Result<(), serde_json::Error> {
        let label = self.labels.intern(label);
        if item.get().starts_with('"') {
            let mut span = RawSpan { label: Some(label), ..RawSpan::default() };
            span.rare().own = Some(RawOwn::At(self.range(item)));
            self.record.spans.push(span);
            return Ok(());
        }
        let mut deserializer = serde_json::Deserializer::from_str(item.get());
        SpanSeed { context: &mut *self, of: Some(label) }.deserialize(&mut deserializer)
    }
}

const NOT_A_SPAN: &str = "neither an object nor a list";

/// One span: an object, or `[start, end, label]`; its label may be known from outside.
struct SpanSeed<'a, 'c> {
    context: &'a mut Context<'c>,
    of: Option<LabelId>,
}
seed!(SpanSeed);

impl SpanSeed<'_, '_> {
    fn not_a_span(self) {
        self.context.record.spans.push(RawSpan { wrong: Some(NOT_A_SPAN), ..RawSpan::default() });
    }
}

impl<'de> Visitor<'de> for SpanSeed<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a span")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let SpanSeed { context: ctx, of } = self;
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
                        span.rare().own = Some(RawOwn::At(ctx.range(value)));
                    }
                }
                Field::Id => {
                    let value: &RawValue = map.next_value()?;
                    if let Some(id) = scalar(value.get()).filter(|id| !id.is_empty()) {
                        span.rare().id = Some(id);
                    }
                }
                Field::Score => {
                    let value: &RawValue = map.next_value()?;
                    let score = scalar(value.get()).and_then(|score| score.trim().parse::<f64>().ok());
                    if let Some(score) = score.filter(|score| score.is_finite()) {
                        span.rare().score.get_or_insert(score);
                    }
                }
                Field::Concepts => {
                    let value: &RawValue = map.next_value()?;
                    concepts(value.get(), &mut span);
                }
                Field::Attribute => {
                    let value: &RawValue = map.next_value()?;
                    attribute(SPAN_KEYS[row].0, value.get(), &mut span);
                }
                Field::Attributes => {
                    let value: &RawValue = map.next_value()?;
                    attributes(value.get(), &mut span);
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
        if let (None, Some(label)) = (span.label, of) {
            span.label = Some(label);
        }
        let offsets = START_OFFSET | END_OFFSET;
        let has_id = span.rare.as_ref().is_some_and(|rare| rare.id.is_some());
        ctx.record.offset_keys |= seen & offsets == offsets && has_id;
        ctx.record.spans.push(span);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let SpanSeed { context: ctx, of } = self;
        let mut span = RawSpan::default();
        span.start = seq.next_element_seed(Offset(&mut span.wrong))?.flatten();
        span.end = seq.next_element_seed(Offset(&mut span.wrong))?.flatten();
        match of {
            Some(label) => span.label = Some(label),
            None => {
                seq.next_element_seed(LabelSeed { labels: ctx.labels, span: &mut span })?;
            }
        }
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

/// The longest value of an attribute: longer ones are remarks.
const LONGEST_VALUE: usize = 64;

fn attribute(name: &str, raw: &str, span: &mut RawSpan) {
    if let Some(value) = scalar(raw).filter(|value| !value.is_empty() && value.len() <= LONGEST_VALUE) {
        span.rare().more.attributes.push((name.to_owned(), value));
    }
}

/// `{"negated": true}`, `["negated"]` or `[{"name": "negated", "value": true}]`.
fn attributes(raw: &str, span: &mut RawSpan) {
    if let Ok(pairs) = serde_json::from_str::<Pairs<&RawValue>>(raw) {
        for (name, value) in pairs.0 {
            attribute(&name, value.get(), span);
        }
        return;
    }
    for item in serde_json::from_str::<Vec<&RawValue>>(raw).unwrap_or_default() {
        if item.get().starts_with('"') {
            if let Some(name) = scalar(item.get()).filter(|name| name.len() <= LONGEST_VALUE) {
                span.rare().more.attributes.push((name, "true".into()));
            }
            continue;
        }
        let Ok(Pairs(pairs)) = serde_json::from_str::<Pairs<&RawValue>>(item.get()) else { continue };
        let find = |keys: &[&str]| {
            pairs.iter().find(|(key, _)| keys.contains(&&**key)).map(|(_, value)| value.get())
        };
        if let Some(name) = find(&["name", "type", "label"]).and_then(scalar) {
            attribute(&name, find(&["value"]).unwrap_or("true"), span);
        }
    }
}

/// Concept ids: a string or number, an object such as BigBio's `{"db_name", "db_id"}`, or a list of these.
fn concepts(raw: &str, span: &mut RawSpan) {
    let list: Vec<&RawValue> = match raw.as_bytes().first() {
        Some(b'[') => serde_json::from_str(raw).unwrap_or_default(),
        _ => serde_json::from_str::<&RawValue>(raw).into_iter().collect(),
    };
    for item in list {
        let id = if let Ok(Pairs(pairs)) = serde_json::from_str::<Pairs<&RawValue>>(item.get()) {
            let find = |wanted: &str| {
                let value = pairs.iter().find(|(key, _)| key == wanted)?.1;
                scalar(value.get()).filter(|value| !value.is_empty())
            };
            match (find("db_name"), find("db_id")) {
                (Some(base), Some(id)) => Some(format!("{base}:{id}")),
                (None, Some(id)) => Some(id),
                _ => ["cui", "concept_id", "identifier", "code", "kb_id", "id"].into_iter().find_map(find),
            }
        } else {
            scalar(item.get()).filter(|id| !id.is_empty() && id != "false" && id != "true")
        };
        if let Some(id) = id {
            span.rare().more.concepts.push(id);
        }
    }
}

/// Names of numbered tags: a list, or `{"0": "O", "1": "B-drug"}`.
fn names(raw: &str) -> Option<Vec<String>> {
    if let Ok(list) = serde_json::from_str::<Vec<String>>(raw) {
        return (!list.is_empty()).then_some(list);
    }
    let Pairs(pairs) = serde_json::from_str::<Pairs<String>>(raw).ok()?;
    let mut names = vec![String::new(); pairs.len()];
    for (number, name) in pairs {
        *names.get_mut(number.parse::<usize>().ok()?)? = name;
    }
    (!names.is_empty()).then_some(names)
}

/// The members of an object, in order.
pub(super) struct Pairs<T>(pub(super) Vec<(String, T)>);

impl<'de, T: serde::Deserialize<'de>> serde::Deserialize<'de> for Pairs<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members<T>(std::marker::PhantomData<T>);
        impl<'de, T: serde::Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = Pairs<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<T>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Members(std::marker::PhantomData))
    }
}
