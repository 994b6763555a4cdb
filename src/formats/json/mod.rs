//! JSON records: `{"id", "text", "entities": [{"start", "end", "label"}]}` and close variants, as JSON Lines,
//! one array, or values one after another: Prodigy, doccano, spaCy training tuples, BigBio, the NCER
//! benchmark's own, tokens with BIO tags. Offsets are code points, end exclusive.
//!
//! serde_json walks each record once and borrows; the text is skipped over and only its place is kept.

use super::tags::Tagged;
use super::{Format, Reading, envelope, labelstudio};
use crate::corpus::problems::{Kind, Place, shorten};
use crate::corpus::text::{self, CharIndex, Digest, Form, Piece, TokenList};
use crate::corpus::{
    Argument, Class, Corpus, Detail, LabelId, Labels, More, Own, Relation, Search, TextKind, Unit,
};
use crate::source::lines::{JsonStrings, JsonValues, Lines, is_one_value};
use crate::source::{Source, SourceError, read_range};
pub(super) use record::scalar;
use record::{Pairs, RawOwn, RawSpan, Record};
use relation::{RawRelation, Target};
use rustc_hash::FxHashMap;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::ops::Range;

mod plain;
mod record;
mod relation;

/// The format.
pub static FORMAT: Format = Format::of("json", "JSON records", sniff, read);

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
    let first = reading.corpus.documents.len();
    let mut reader = Reader::default();
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
    // In a file of spans, an empty `label` is a list without spans, and says nothing of classes.
    let own = reading.corpus.documents.get_mut(first..).unwrap_or_default();
    let no_class = own.iter().all(|d| d.classes.as_ref().is_none_or(std::ops::Range::is_empty));
    if no_class && own.iter().any(|document| !document.spans.is_empty()) {
        own.iter_mut().for_each(|document| document.classes = None);
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

#[derive(Default)]
struct Reader {
    record: Record,
    /// Whether any record had a list of spans (or tags).
    any_list: bool,
    records: u64,
    /// Keys of the first record, for the message when no record has spans.
    keys: Vec<String>,
    /// Names of numbered tags, once the file gave them.
    names: Option<Vec<String>>,
    /// Spans of tagged tokens, where there are any.
    tagged: Option<Tagged>,
}

/// A record's JSON as it is parsed, and as the file has it; where it stands.
struct Json<'j> {
    parsed: &'j str,
    /// The same length; differs where NaN was patched.
    written: &'j str,
    offset: u64,
    line: u64,
}

impl<'j> Json<'j> {
    /// A value of it.
    fn part(&self, value: &RawValue) -> Json<'j> {
        let start = value.get().as_ptr() as usize - self.parsed.as_ptr() as usize;
        let range = start..start + value.get().len();
        let before = self.parsed.as_bytes().get(..start).unwrap_or_default();
        Json {
            parsed: self.parsed.get(range.clone()).unwrap_or_default(),
            written: self.written.get(range).unwrap_or_default(),
            offset: self.offset + start as u64,
            line: self.line + memchr::memchr_iter(b'\n', before).count() as u64,
        }
    }
}

/// Keys under which a file may keep its list of records.
static LISTS: &[&str] =
    &["data", "documents", "examples", "records", "rows", "items", "train", "dev", "test"];

/// Keys that tell that an object is a document.
static DOCUMENT_KEYS: &[&str] =
    &["text", "entities", "spans", "ents", "tokens", "passages", "label", "labels"];

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
        let json = Json { parsed: kept.as_deref().unwrap_or(json), written: json, offset, line };
        self.records += 1;
        if self.records == 1 {
            self.keys = keys(json.parsed);
        }
        let names = self.record.names.take();
        let only_names = names.is_some();
        self.names = names.or(self.names.take());
        if self.record.is_nothing() {
            if self.many(reading, &json) {
                return;
            }
            if only_names {
                // A line of names alone is no document.
                reading.corpus.records -= 1;
                self.records -= 1;
                return;
            }
        }
        self.keep(reading, &json);
    }

    /// Reads an object that holds many records: `{"1": {"text": …}}`, whose keys are ids, or `{"data": [{…}]}`.
    /// False when it holds none.
    fn many(&mut self, reading: &mut Reading<'_>, json: &Json<'_>) -> bool {
        let Ok(Pairs(members)) = serde_json::from_str::<Pairs<&RawValue>>(json.parsed) else { return false };
        let list = members.iter().find(|(key, value)| {
            LISTS.contains(&&**key)
                && value.get()[1..].trim_start().starts_with(['{', '['])
                && value.get().starts_with('[')
        });
        let (mut parts, mut is_list) = (Vec::new(), false);
        if let Some((_, list)) = list {
            let Ok(list) = serde_json::from_str::<Vec<&RawValue>>(list.get()) else { return false };
            parts.extend(list.into_iter().map(|value| (None, value)));
        } else {
            let Some((_, first)) = members.first() else { return false };
            is_list = first.get().starts_with('[');
            let alike =
                members.iter().all(|(_, value)| value.get().starts_with(if is_list { '[' } else { '{' }));
            let of_spans = |value: &RawValue| {
                let inner = value.get()[1..].trim_start();
                inner.starts_with('[') || inner.starts_with('{') && inner.contains("\"start\"")
            };
            let fits = if is_list {
                members.iter().any(|(_, value)| of_spans(value))
            } else {
                serde_json::from_str::<Pairs<IgnoredAny>>(first.get())
                    .is_ok_and(|first| first.0.iter().any(|(key, _)| DOCUMENT_KEYS.contains(&&**key)))
            };
            if !alike || !fits {
                return false;
            }
            parts.extend(members.into_iter().map(|(key, value)| (Some(key), value)));
        }
        reading.corpus.records -= 1;
        for (id, value) in parts {
            reading.corpus.records += 1;
            let part = json.part(value);
            let labels = &mut reading.corpus.labels;
            let parsed = if is_list {
                record::parse_spans(part.parsed, labels, &mut self.record)
            } else {
                record::parse(part.parsed, labels, &mut self.record)
            };
            if let Err(error) = parsed {
                let place = reading.at(part.line);
                reading.corpus.problems.add(Kind::BadRecord, place, syntax(&error, true), "one JSON record");
                continue;
            }
            if id.is_some() {
                self.record.id = id;
            }
            self.keep(reading, &part);
        }
        true
    }

    /// Moves a parsed record into the corpus.
    fn keep(&mut self, reading: &mut Reading<'_>, json: &Json<'_>) {
        let (file, line) = (reading.file, json.line);
        let record = &mut self.record;
        // Nothing was patched where both are the same piece of memory; comparing every record would cost more.
        if !std::ptr::eq(json.parsed, json.written) {
            // Only what stands in the file as it was parsed can be read again.
            record.forget(|range| json.parsed.get(range.clone()) != json.written.get(range));
        }
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
        record.settle_labels(json.parsed, &mut reading.corpus.labels);
        self.any_list |= record.spans_rank.is_some() || record.tags.is_some() || record.classes.is_some();
        if record.utf16 {
            reading.corpus.files[file as usize].unit = Unit::Utf16;
        }
        let id = record.id.take();
        let place = || Place { document: id.as_deref().map(shorten), ..Place::at(file, line) };
        reading.corpus.begin(file, id.clone(), line);
        let piece = |range: &Range<usize>, form, pad| Piece {
            pad,
            ..Piece::new(file, json.offset + range.start as u64, range.len() as u64, form)
        };
        let content = set_text(reading, json.parsed, record, &piece, &place);
        let list = |range: &Range<usize>| TokenList {
            piece: piece(range, Form::Plain, 0),
            list: list_of_tokens,
            how: 0,
        };
        if let Some(document) = reading.corpus.documents.last_mut() {
            document.tokens = match &record.tokens {
                // The text is needed too, so the list is made of the whole record.
                Some(_) if record.tokens_are_offsets => (json.parsed == json.written).then(|| TokenList {
                    piece: piece(&(0..json.parsed.len()), Form::Plain, 0),
                    list: sliced_tokens,
                    how: 0,
                }),
                tokens => tokens.as_ref().map(list),
            };
            if record.text.is_none() && record.passages.is_none() && record.tokens.is_some() {
                document.text_kind = TextKind::Tokens;
            }
        }
        keep_classes(reading.corpus, record);
        let plain = record.spans.iter().all(|span| span.rare.is_none());
        let related = !record.relations.is_empty();
        let (mut known, spans) = (Known::default(), record.spans.len());
        for span in record.spans.drain(..) {
            let name = related.then(|| named(&span));
            let at = reading.corpus.spans.len();
            keep_span(reading, span, &place, &piece);
            if let Some((id, bounds)) = name {
                let kept = reading.corpus.spans.len() > at;
                known.add(id, bounds, u32::try_from(at).ok().filter(|_| kept));
            }
        }
        keep_relations(reading.corpus, record, &known, &place);
        if spans == 0
            && let (Some(tags), Some(words)) = (&record.tags, &record.tokens)
        {
            let list = list(tags);
            let names = self.names.as_deref();
            let words = text::tokens(&json.parsed.as_bytes()[words.clone()]).unwrap_or_default();
            let into = self.tagged.get_or_insert_default();
            if tagged(reading, into, &json.parsed[tags.clone()], &words, content.as_deref(), names, &place())
                && let Some(document) = reading.corpus.documents.last_mut()
            {
                // Numbers cannot be read again without their names.
                document.tags = names.is_none().then_some(list);
            }
        }
        let is_utf16 = reading.corpus.files[file as usize].unit != Unit::CodePoint;
        if let (true, false, Some(text)) = (plain, is_utf16, content) {
            reading.corpus.trim_spans(&CharIndex::new(&text));
        }
    }
}

/// The spans of a record that relations may name, as indices into the corpus; none for one that could not be
/// read.
#[derive(Default)]
struct Known {
    list: Vec<Option<u32>>,
    ids: FxHashMap<String, Option<u32>>,
    places: FxHashMap<(i64, i64), u32>,
}

impl Known {
    fn add(&mut self, id: Option<String>, bounds: (i64, i64), at: Option<u32>) {
        self.list.push(at);
        if let Some(id) = id {
            self.ids.entry(id).or_insert(at);
        }
        if let Some(at) = at {
            self.places.entry(bounds).or_insert(at);
        }
    }

    fn find(&self, target: &Target) -> Option<u32> {
        match target {
            Target::Place(start, end) => self.places.get(&(*start, *end)).copied(),
            // Without ids: the place in the list.
            Target::Id(id) if self.ids.is_empty() => *self.list.get(id.parse::<usize>().ok()?)?,
            Target::Id(id) => *self.ids.get(id)?,
        }
    }
}

/// A span's id and bounds, for relations.
fn named(span: &RawSpan) -> (Option<String>, (i64, i64)) {
    let rare = span.rare.as_deref();
    let bounds = match rare.map(|rare| &rare.fragments[..]) {
        Some(fragments @ [_, ..]) => envelope(fragments),
        _ => (span.start.unwrap_or(-1), span.end.unwrap_or(-1)),
    };
    (rare.and_then(|rare| rare.id.clone()), bounds)
}

fn keep_classes(corpus: &mut Corpus, record: &mut Record) {
    let Some(classes) = record.classes.take() else { return };
    let start = corpus.classes.len() as u32;
    corpus.classes.extend(classes.into_iter().map(|(label, score)| Class { label, score }));
    let end = corpus.classes.len() as u32;
    if let Some(document) = corpus.documents.last_mut() {
        document.classes = Some(start..end);
    }
}

fn keep_relations(corpus: &mut Corpus, record: &mut Record, known: &Known, place: &impl Fn() -> Place) {
    for _ in 0..std::mem::take(&mut record.strange_relations) {
        let found = "a relation without a type and two arguments that are known";
        corpus.problems.add(Kind::Relation, place(), found, r#"{"type", "arg1_id", "arg2_id"}"#);
    }
    let document = corpus.documents.len().saturating_sub(1) as u32;
    for RawRelation { label, arguments } in record.relations.drain(..) {
        let arguments: Option<Vec<_>> = arguments
            .into_iter()
            .map(|(role, target)| Some((role, Argument::Span(known.find(&target)?))))
            .collect();
        let found = match arguments {
            Some(arguments) => {
                corpus.relations.push(Relation { document, label, arguments });
                "a relation"
            }
            None => "a relation that names a span which the record does not have; left out",
        };
        corpus.problems.add(Kind::Relation, place(), found, "");
    }
}

/// Tokens given as offsets, cut out of their record's text.
fn sliced_tokens(record: &[u8], _how: u32) -> Option<Vec<String>> {
    #[derive(serde::Deserialize)]
    struct Sliced<'a> {
        #[serde(borrow)]
        text: &'a RawValue,
        tokens: Vec<Bounds>,
    }
    #[derive(serde::Deserialize)]
    struct Bounds {
        start: i64,
        end: i64,
    }
    let record: Sliced<'_> = serde_json::from_slice(record).ok()?;
    let text = scalar(record.text.get())?;
    let index = CharIndex::new(&text);
    record.tokens.iter().map(|token| index.slice(token.start, token.end).map(str::to_owned)).collect()
}

fn list_of_tokens(list: &[u8], _how: u32) -> Option<Vec<String>> {
    text::tokens(list).ok()
}

fn joined_tokens(list: &[u8]) -> Option<String> {
    Some(list_of_tokens(list, 0)?.join(" "))
}

/// Gives the current document its text: the record's own, its passages, or its tokens. Returns what it says.
fn set_text<'j>(
    reading: &mut Reading<'_>,
    json: &'j str,
    record: &Record,
    piece: &impl Fn(&Range<usize>, Form, u32) -> Piece,
    place: &impl Fn() -> Place,
) -> Option<Cow<'j, str>> {
    let corpus = &mut *reading.corpus;
    if let Some(range) = &record.text {
        let bytes = text::unescape(&json.as_bytes()[range.clone()]).ok()?;
        corpus.set_text(&[piece(range, Form::JsonString, 0)], Digest::of(&bytes));
        return match bytes {
            // As it stands there, between the quotes.
            Cow::Borrowed(_) => json.get(range.start + 1..range.end - 1).map(Cow::Borrowed),
            Cow::Owned(bytes) => Some(Cow::Owned(
                String::from_utf8(bytes)
                    .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
            )),
        };
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
    Some(Cow::Owned(joined))
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
    // Without offsets, its own text says where it is.
    let nowhere = bounds.is_none() && span.start.is_none() && span.end.is_none();
    let search = (nowhere && rare.own.is_some()).then_some(Search::Listed);
    let bounds = bounds.or(search.map(|_| (0, 0)));
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
    let own = rare.own.map(|own| match own {
        RawOwn::At(range) => Own::At(piece(&range, Form::JsonString, 0)),
        RawOwn::Text(text) => Own::Text(text.into()),
    });
    let mut detail =
        Detail { line: place().line, fragments, own, search, score: rare.score, ..Detail::default() };
    if rare.more != More::default() {
        detail.more = Some(Box::new(rare.more));
    }
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
    tags: &str,
    words: &[String],
    text: Option<&str>,
    names: Option<&[String]>,
    place: &Place,
) -> bool {
    let corpus = &mut *reading.corpus;
    let Some(tags) = tag_names(tags, names) else {
        let found = "tags that are numbers without names, or no tags";
        let expected =
            r#"tags such as "B-drug", or their names as a line of the file: {"names": ["O", "B-drug"]}"#;
        corpus.problems.add(Kind::BadRecord, place.clone(), found, expected);
        return false;
    };
    if tags.len() != words.len() {
        let found = format!("{} tokens and {} tags", words.len(), tags.len());
        corpus.problems.add(Kind::BadRecord, place.clone(), found, "one tag a token");
        return false;
    }
    let Some(places) = text.and_then(|text| crate::corpus::text::locate(text, words)) else {
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

/// Tags as they are spelled; numbers by their names, where -100 (what trainers leave out) is no tag.
fn tag_names(list: &str, names: Option<&[String]>) -> Option<Vec<String>> {
    if let Ok(tags) = serde_json::from_str::<Vec<String>>(list) {
        return Some(tags);
    }
    let name = |number: i64| match number {
        -100 => Some("O".to_owned()),
        _ => names?.get(usize::try_from(number).ok()?).cloned(),
    };
    serde_json::from_str::<Vec<i64>>(list).ok()?.into_iter().map(name).collect()
}

/// What is wrong with a record that does not parse, without its content.
pub(crate) fn syntax(error: &serde_json::Error, complete: bool) -> String {
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
pub(crate) fn without_nan(json: &str) -> Option<String> {
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

/// The spans of a JSON list as records have them, for formats that hold such lists in cells: bounds (zeros
/// where they are to be searched), labels, and what else they have. A span that cannot be read says why.
///
/// # Errors
/// When it is no list of spans.
pub(super) fn listed(
    list: &str,
    labels: &mut Labels,
) -> Result<Vec<Result<Listed, &'static str>>, &'static str> {
    let json = format!("{{\"entities\":{list}}}");
    let mut record = Record::default();
    if !list.trim_start().starts_with('[') || record::parse(&json, labels, &mut record).is_err() {
        return Err("a cell that is no list of spans");
    }
    let spans = record.spans.into_iter().map(|span| {
        let rare = span.rare.map(|rare| *rare).unwrap_or_default();
        let own = rare.own.and_then(|own| match own {
            RawOwn::At(range) => scalar(&json[range]),
            RawOwn::Text(text) => Some(text),
        });
        let nowhere = rare.fragments.is_empty() && span.start.is_none() && span.end.is_none();
        let search = (nowhere && own.is_some()).then_some(Search::Listed);
        let bounds = match (&rare.fragments[..], span.start, span.end) {
            ([], Some(start), Some(end)) => Some((start, end)),
            ([], ..) => search.map(|_| (0, 0)),
            (list, ..) => Some(envelope(list)),
        };
        let labels: Vec<LabelId> = span.label.into_iter().chain(rare.more_labels).collect();
        let (Some((start, end)), false, None) = (bounds, labels.is_empty(), span.wrong) else {
            let missing =
                if bounds.is_none() { "a span without start and end" } else { "a span without a label" };
            return Err(span.wrong.unwrap_or(missing));
        };
        let fragments = if rare.fragments.len() > 1 { rare.fragments } else { Vec::new() };
        let more = (rare.more != More::default()).then(|| Box::new(rare.more));
        let own = own.map(|own| Own::Text(own.into()));
        let detail = Detail { fragments, own, search, score: rare.score, more, ..Detail::default() };
        Ok(Listed { start, end, labels, detail })
    });
    Ok(spans.collect())
}

/// A span of such a list.
pub(super) struct Listed {
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) labels: Vec<LabelId>,
    pub(super) detail: Detail,
}
