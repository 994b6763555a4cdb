//! Files of what models put out, read alike for pipelines and GLiNER: which documents' items are where. A list
//! a document, an object a document, an object of documents by id, one list of items as the only document.

use super::Reading;
use super::items::{self, Fields, Grain, Item, SCORE_KEYS};
use super::pipeline::{self, Marks};
use super::python_literal::{self, Ended};
use crate::corpus::problems::Kind;
use crate::corpus::text::{self, Digest, Form, Piece};
use crate::corpus::{Detail, Own, Search};
use crate::source::lines::{JsonValues, Lines, is_one_value};
use crate::source::{Bytes, SourceError, read_range};
use std::rc::Rc;

/// One JSON value of a file.
pub struct Value<'v> {
    /// Strict JSON.
    pub json: &'v str,
    /// Its first byte in the file; none where the JSON is not what stands there.
    pub offset: Option<u64>,
    /// Line on which it starts.
    pub line: u64,
    /// Whether it is an element of the file's list.
    pub in_list: bool,
}

impl Value<'_> {
    /// Where a part of the value stands in the file.
    pub fn piece(&self, file: u32, part: &str, form: Form) -> Option<Piece> {
        let at = part.as_ptr() as usize - self.json.as_ptr() as usize;
        Some(Piece::new(file, self.offset? + at as u64, part.len() as u64, form))
    }
}

/// Bytes in which the end of the first line is looked for.
const PROBE: u64 = 1 << 20;

/// Calls `each` with every value of a file: the elements of one list, or values one after another, each on a
/// line of its own or not. What is not strict JSON is rewritten and counted; of a value that is cut off, `each`
/// gets what is complete. Returns whether the file is one list that ends, without elements.
///
/// # Errors
/// When the file cannot be read.
pub fn each_value(
    reading: &mut Reading<'_>,
    each: &mut dyn FnMut(&mut Reading<'_>, &Value<'_>),
) -> Result<bool, SourceError> {
    let (mut source, mut from) = reading.source();
    let head = read_range(&*source, from, (source.len() - from).min(PROBE))?;
    let mut plain = true;
    let mut cut = false;
    if is_python(&head) {
        // Strings in single quotes hide brackets from the walk over values: rewritten as a whole.
        let bytes = read_range(&*source, from, source.len() - from)?;
        let (json, faults) = python_literal::file_to_json(&String::from_utf8_lossy(&bytes));
        reading.corpus.problems.add(
            Kind::NotQuiteJson,
            reading.at(1),
            "strings in single quotes, as Python prints them",
            "JSON",
        );
        for (line, ended) in faults {
            cut |= ended == Ended::Cut;
            broken(reading, line, ended);
        }
        source = Rc::new(Bytes(json.into_bytes()));
        (from, plain) = (0, false);
    }
    let list = head.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    if one_a_line(&head) {
        let mut lines = Lines::new(&*source, reading.chunk, from);
        while let Some(line) = lines.next_line()? {
            (reading.progress)(line.offset);
            if !line.bytes.iter().all(u8::is_ascii_whitespace) {
                let offset = plain.then_some(line.offset);
                one(reading, each, line.bytes, offset, line.number, false);
            }
        }
        return Ok(false);
    }
    let mut values = JsonValues::new(&*source, reading.chunk, from);
    let mut any = false;
    while let Some(value) = values.next_value()? {
        let (bytes, offset, line) = (value.bytes.to_vec(), value.offset, value.line);
        any = true;
        (reading.progress)(offset);
        cut |= one(reading, each, &bytes, plain.then_some(offset), line, values.is_open());
    }
    if values.is_open() && !cut {
        let found = "a list that does not end; the file looks cut off";
        reading.corpus.problems.add(Kind::BadRecord, reading.at(0), found, "]");
    }
    Ok(list && !any && !values.is_open())
}

/// Hands one value on; true where the file ended inside it.
fn one(
    reading: &mut Reading<'_>,
    each: &mut dyn FnMut(&mut Reading<'_>, &Value<'_>),
    bytes: &[u8],
    offset: Option<u64>,
    line: u64,
    in_list: bool,
) -> bool {
    let json = match std::str::from_utf8(bytes) {
        Ok(json) => json.trim_end(),
        Err(error) => {
            reading.bad_encoding(line, bytes, error.valid_up_to());
            return false;
        }
    };
    let lead = json.len() - json.trim_start().len();
    let json = json.trim_start();
    let offset = offset.map(|offset| offset + lead as u64);
    if serde_json::from_str::<&serde_json::value::RawValue>(json).is_ok() {
        each(reading, &Value { json, offset, line, in_list });
        return false;
    }
    let rewritten = python_literal::to_json(json, false);
    let ended = rewritten.as_ref().map_or(Ended::Cut, |rewritten| rewritten.ended);
    match ended {
        Ended::Whole => {
            let found = "quotes, commas or words that JSON does not have";
            reading.corpus.problems.add(Kind::NotQuiteJson, reading.at(line), found, "JSON");
        }
        _ => broken(reading, line, ended),
    }
    if let Some(rewritten) = rewritten {
        each(reading, &Value { json: &rewritten.json, offset: None, line, in_list });
    }
    ended == Ended::Cut
}

fn broken(reading: &mut Reading<'_>, line: u64, ended: Ended) {
    let found = match ended {
        Ended::Cut => "a value that does not end; the file looks cut off, what is complete before is kept",
        _ => "not valid JSON; what is complete before the fault is kept",
    };
    reading.corpus.problems.add(Kind::BadRecord, reading.at(line), found, "one JSON value");
}

/// Whether the first string of a file is in single quotes.
fn is_python(head: &[u8]) -> bool {
    let first = head.iter().find(|byte| matches!(byte, b'"' | b'\''));
    first == Some(&b'\'')
}

/// Whether the first line is a whole value and more lines follow.
fn one_a_line(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    let Some(end) = memchr::memchr(b'\n', head) else { return false };
    let (line, rest) = (head[..end].trim_ascii_end(), &head[end..]);
    if rest.trim_ascii_start().is_empty() {
        return false;
    }
    is_one_value(line)
}

/// What a value is.
pub enum Shape<'v> {
    /// The items of one document.
    Items(Vec<&'v str>),
    /// A list of documents.
    Documents(Vec<&'v str>),
    /// One item.
    Item,
    /// One document: its fields, and the value that holds its items.
    Record(Fields<'v>, &'v str),
    /// Documents by id.
    Ids(Fields<'v>),
    /// One document: lists by label.
    Labels(Fields<'v>),
    /// None of these.
    Other,
}

/// Keys of other formats' records: their lists are no labels' items.
const NOT_LABELS: &[&str] = &[
    "names",
    "id2label",
    "documents",
    "passages",
    "tokens",
    "ner_tags",
    "tags",
    "relations",
    "events",
    "label",
    "labels",
    "text",
    "words",
    "sentences",
    "choices",
    "messages",
    "completions",
    "codes",
    "cats",
    "images",
    "categories",
    "offsets",
    "classes",
    "predictions_list",
    "start",
    "end",
];

/// Keys that hold a document's items.
const ITEM_KEYS: &[&str] = &[
    "entities",
    "predictions",
    "prediction",
    "predicted_entities",
    "output",
    "outputs",
    "results",
    "result",
    "ents",
    "ner",
    "spans",
];

/// Tells what a value is.
pub fn shape(json: &str) -> Shape<'_> {
    if let Some(elements) = items::list(json) {
        let nested = elements.iter().find(|element| **element != "[]").copied().unwrap_or("{}");
        let record = Fields::of(nested).is_some_and(|fields| {
            !is_item(&fields, nested) && matches!(of_fields(fields), Shape::Record(..) | Shape::Labels(_))
        });
        return if nested.starts_with('[') || record || elements.first() == Some(&"[]") {
            Shape::Documents(elements)
        } else {
            Shape::Items(elements)
        };
    }
    match Fields::of(json) {
        Some(fields) if is_item(&fields, json) => Shape::Item,
        Some(fields) => of_fields(fields),
        None => Shape::Other,
    }
}

fn is_item<'v>(fields: &Fields<'v>, json: &'v str) -> bool {
    let holds = fields.first(ITEM_KEYS).is_some_and(is_container);
    !holds && Item::of(fields, json, None).is_some()
}

fn is_container(value: &str) -> bool {
    value.starts_with(['[', '{'])
}

fn of_fields(mut fields: Fields<'_>) -> Shape<'_> {
    if fields.has(&["tokens", "passages", "documents"]) {
        return Shape::Other;
    }
    if let Some(holder) =
        ITEM_KEYS.iter().find_map(|key| fields.first(&[key]).filter(|value| is_container(value)))
    {
        return Shape::Record(fields, holder);
    }
    // An id beside lists by label.
    let own_id = fields.id().is_some();
    let lists = |fields: &Fields<'_>| {
        !fields.0.is_empty() && fields.0.iter().all(|(_, v)| is_container(v) || *v == "null")
    };
    if own_id {
        let of_record: Vec<_> = std::mem::take(&mut fields.0);
        let (rest, about): (Vec<_>, Vec<_>) =
            of_record.into_iter().partition(|(_, value)| is_container(value));
        let labels = Fields(rest);
        if !lists(&labels) || !is_by_label(&labels) {
            return Shape::Other;
        }
        return Shape::Labels(Fields(about.into_iter().chain(labels.0).collect()));
    }
    if !lists(&fields) {
        return Shape::Other;
    }
    let by_id = fields.0.iter().find_map(|(_, value)| {
        let elements = items::list(value);
        let first = elements.as_ref().map_or(Some(*value), |list| list.first().copied())?;
        let inner = Fields::of(first)?;
        let labelled = |item: Item<'_>| item.label.is_some();
        Some(match elements {
            Some(_) => Item::of(&inner, first, None).is_some_and(labelled),
            None => matches!(of_inner(inner), Shape::Record(..) | Shape::Labels(_)),
        })
    });
    match by_id {
        Some(true) => Shape::Ids(fields),
        _ if is_by_label(&fields) => Shape::Labels(fields),
        _ => Shape::Other,
    }
}

/// The document under an id: as [`of_fields`], without a further level of ids.
fn of_inner(fields: Fields<'_>) -> Shape<'_> {
    if let Some(holder) =
        ITEM_KEYS.iter().find_map(|key| fields.first(&[key]).filter(|value| is_container(value)))
    {
        return Shape::Record(fields, holder);
    }
    if is_by_label(&fields) { Shape::Labels(fields) } else { Shape::Other }
}

/// Whether every value is a list of texts, or of objects that have a text, and no key is another format's.
fn is_by_label(fields: &Fields<'_>) -> bool {
    !fields.0.is_empty()
        && !fields.has(NOT_LABELS)
        && fields.0.iter().all(|(_, value)| {
            items::list(value).is_some_and(|list| {
                list.iter().all(|element| {
                    element.starts_with('"')
                        || Fields::of(element)
                            .and_then(|fields| Item::of(&fields, element, Some("")))
                            .is_some_and(|item| item.own.is_some())
                })
            })
        })
}

/// The first item of a file's first bytes, and whether the records around it are of the JSON format too.
pub struct Probe {
    /// How it is printed.
    pub grain: Grain,
    /// Whether it has a text, a label, both offsets, a confidence.
    pub has: [bool; 4],
    /// Whether the JSON format reads what it stands in: a record with its text, or a list under a key of that
    /// format.
    pub in_record: [bool; 2],
    /// Whether it stands in lists by label.
    pub by_label: bool,
    /// Whether it may be a whole document: a row with an id, or a text and its class.
    pub row: bool,
}

/// Looks at the first item of a file.
pub fn probe(head: &str) -> Option<Probe> {
    let start = head.trim_start();
    if !start.starts_with(['[', '{', '(']) {
        return None;
    }
    let json = python_literal::head_to_json(start);
    let values = serde_json::Deserializer::from_str(&json).into_iter::<&serde_json::value::RawValue>();
    let mut open: Vec<(&str, u32, [bool; 2], bool)> = Vec::new();
    for value in values.map_while(Result::ok).take(64) {
        open.push((value.get(), 0, [false; 2], false));
        while let Some((json, level, in_record, by_label)) = open.pop() {
            match shape(json) {
                Shape::Items(list) | Shape::Documents(list) => {
                    open.extend(
                        list.into_iter().rev().map(|element| (element, level + 1, in_record, by_label)),
                    );
                }
                Shape::Record(fields, holder) => {
                    let known = fields.first(&["entities", "spans"]) == Some(holder);
                    let text = fields.first(&["text"]).is_some_and(|text| text.starts_with('"'));
                    let readable = [known && text, known && holder.starts_with('[')];
                    open.push((holder, level + 2, readable, holder.starts_with('{')));
                }
                Shape::Ids(fields) => open.extend(
                    fields.0.iter().rev().map(|(_, value)| (*value, level + 1, [false; 2], by_label)),
                ),
                Shape::Labels(fields) => {
                    let collected =
                        fields.0.iter().filter(|(_, v)| is_container(v)).find_map(|(label, value)| {
                            items::collect(value, Some(label))
                                .items
                                .first()
                                .map(|item| seen(item, in_record, true))
                        });
                    if collected.is_some() {
                        return collected;
                    }
                }
                Shape::Item => {
                    let fields = Fields::of(json)?;
                    let mut probe = seen(&Item::of(&fields, json, None)?, in_record, by_label);
                    probe.has[3] |= fields.has(SCORE_KEYS);
                    probe.row = fields.has(items::ROW_KEYS)
                        || level < 2 && !probe.has[2] && probe.grain == Grain::Span;
                    return Some(probe);
                }
                Shape::Other if by_label => {
                    if let Some(item) = items::collect(json, None).items.first() {
                        return Some(seen(item, in_record, true));
                    }
                }
                Shape::Other => return None,
            }
        }
    }
    None
}

fn seen(item: &Item<'_>, in_record: [bool; 2], by_label: bool) -> Probe {
    let has = [item.own.is_some(), item.label.is_some(), item.bounds().is_some(), item.score.is_some()];
    Probe { grain: item.grain, has, in_record, by_label, row: false }
}

/// A document that is not in the corpus yet: more of it may follow, and whether it is the only one decides its
/// id.
struct Pending {
    id: Option<String>,
    line: u64,
    text: Option<(Piece, Digest)>,
    spans: Vec<Ready>,
}

/// A span as it is pushed.
pub struct Ready {
    /// Its label.
    pub label: String,
    /// Its offsets; none where they are searched.
    pub bounds: Option<(i64, i64)>,
    /// Its details.
    pub detail: Detail,
}

#[derive(Default)]
struct Outputs {
    pending: Option<Pending>,
    documents: u64,
    /// Items of the file's list, which are one document.
    listed: Vec<Flat>,
    listed_line: u64,
    /// How the vocabulary marks words.
    marks: Marks,
}

/// An item without its JSON.
pub struct Flat {
    /// As in [`Item`].
    pub grain: Grain,
    /// Likewise.
    pub label: String,
    /// Its own text.
    pub own: Option<String>,
    /// Where it stands in the file.
    pub piece: Option<Piece>,
    /// Likewise.
    pub bounds: Option<(i64, i64)>,
    /// Likewise.
    pub score: Option<f64>,
    /// Likewise.
    pub index: Option<i64>,
    /// Line on which it starts.
    pub line: u64,
    /// How a missing place is found.
    pub search: Search,
}

/// Reads a file of outputs.
pub(super) fn read(mut reading: Reading<'_>) -> Result<(), SourceError> {
    let (source, from) = reading.source();
    let head = read_range(&*source, from, (source.len() - from).min(PROBE))?;
    let mut outputs = Outputs { marks: Marks::of_file(&head), ..Outputs::default() };
    let empty = each_value(&mut reading, &mut |reading, value| outputs.value(reading, value))?;
    outputs.end_list(&mut reading);
    if empty && outputs.documents == 0 {
        outputs.document(&mut reading, None, None, Vec::new(), 1);
    }
    outputs.flush(&mut reading, true);
    Ok(())
}

impl Outputs {
    fn value(&mut self, reading: &mut Reading<'_>, value: &Value<'_>) {
        if !value.in_list {
            self.end_list(reading);
        }
        match shape(value.json) {
            Shape::Item if value.in_list || !self.listed.is_empty() => {
                if self.listed.is_empty() {
                    self.listed_line = value.line;
                }
                let found = items::collect(value.json, None);
                let flat = self.flat(reading, value, found, Search::Next);
                self.listed.extend(flat);
            }
            shape => {
                self.end_list(reading);
                self.shaped(reading, value, shape);
            }
        }
    }

    /// Ends the document whose items are the elements of the file's list.
    fn end_list(&mut self, reading: &mut Reading<'_>) {
        if !self.listed.is_empty() {
            let listed = std::mem::take(&mut self.listed);
            let spans = self.group(reading, listed, self.listed_line);
            self.document(reading, None, None, spans, self.listed_line);
        }
    }

    /// One value that is one document or several: lists of documents, or documents by id, in a wrapper or not.
    fn shaped(&mut self, reading: &mut Reading<'_>, value: &Value<'_>, shape: Shape<'_>) {
        let shape = match shape {
            Shape::Record(fields, holder) if fields.id().is_none() => match self::shape(holder) {
                Shape::Documents(list) if list.iter().any(|element| element.starts_with('[')) => {
                    Shape::Documents(list)
                }
                Shape::Ids(documents) => Shape::Ids(documents),
                _ => Shape::Record(fields, holder),
            },
            shape => shape,
        };
        let mut lines = LinesOf::new(value);
        match shape {
            Shape::Documents(list) => {
                for element in list {
                    let line = lines.line(element);
                    self.single(reading, value, element, None, line);
                }
            }
            Shape::Ids(fields) => {
                for (id, element) in &fields.0 {
                    let line = lines.line(element);
                    self.single(reading, value, element, Some(id), line);
                }
            }
            _ => self.single(reading, value, value.json, None, value.line),
        }
    }

    /// One document: a list of items, a record, or lists by label.
    fn single(
        &mut self,
        reading: &mut Reading<'_>,
        value: &Value<'_>,
        json: &str,
        id: Option<&str>,
        line: u64,
    ) {
        match shape(json) {
            Shape::Record(fields, holder) => self.record(reading, value, &fields, holder, id, line),
            Shape::Labels(fields) => {
                let id = id.map(str::to_owned).or_else(|| fields.id());
                let mut spans = Vec::new();
                for (label, part) in fields.0.iter().filter(|(_, part)| is_container(part)) {
                    let found = items::collect(part, Some(label));
                    spans.extend(self.flat(reading, value, found, Search::Listed));
                }
                let spans = self.group(reading, spans, line);
                self.document(reading, id, None, spans, line);
            }
            Shape::Items(_) | Shape::Item => {
                let flat = self.flat(reading, value, items::collect(json, None), Search::Next);
                let spans = self.group(reading, flat, line);
                self.document(reading, id.map(str::to_owned), None, spans, line);
            }
            _ if matches!(json, "[]" | "{}" | "null") => {
                self.document(reading, id.map(str::to_owned), None, Vec::new(), line);
            }
            _ => self.strange(reading, line),
        }
    }

    fn record(
        &mut self,
        reading: &mut Reading<'_>,
        value: &Value<'_>,
        fields: &Fields<'_>,
        holder: &str,
        id: Option<&str>,
        line: u64,
    ) {
        let text = fields.first(&["text"]).filter(|text| text.starts_with('"')).and_then(|text| {
            let piece = value.piece(reading.file, text, Form::JsonString)?;
            Some((piece, Digest::of(&text::unescape(text.as_bytes()).ok()?)))
        });
        let search = if holder.starts_with('{') { Search::Listed } else { Search::Next };
        let flat = self.flat(reading, value, items::collect(holder, None), search);
        let id = id.map(str::to_owned).or_else(|| fields.id());
        let spans = self.group(reading, flat, line);
        self.document(reading, id, text, spans, line);
    }

    /// Spans of a document's items; groups that were joined are listed.
    fn group(&self, reading: &mut Reading<'_>, items: Vec<Flat>, line: u64) -> Vec<Ready> {
        let (spans, joined) = pipeline::group(items, self.marks);
        for _ in 0..joined {
            let found = "a group that goes on inside the word before it (##)";
            reading.corpus.problems.add(Kind::GroupJoined, reading.at(line), found, "whole words");
        }
        spans
    }

    fn strange(&mut self, reading: &mut Reading<'_>, line: u64) {
        // It may have been a document: places of documents without ids count it.
        self.flush(reading, false);
        reading.corpus.records += 1;
        let expected = "a list of predicted items, an object with one, or such by document id";
        let place = reading.at(line);
        reading.corpus.problems.add(Kind::BadRecord, place, "a value that holds no list of items", expected);
    }

    /// Items as they are kept until their document is known. What cannot be one is listed. Tokens come in the
    /// order of the text, listed items in any.
    fn flat(
        &mut self,
        reading: &mut Reading<'_>,
        value: &Value<'_>,
        found: items::Collected<'_>,
        search: Search,
    ) -> Vec<Flat> {
        let mut lines = LinesOf::new(value);
        let mut flat = Vec::new();
        if found.strange > 0 {
            let what = format!("{} elements that are neither items nor texts", found.strange);
            reading.corpus.problems.add(Kind::BadSpan, reading.at(value.line), what, EXPECTED);
        }
        for item in found.items {
            let line = lines.line(item.raw);
            let own = item.text();
            let wrong = match (item.wrong, &item.label) {
                (Some(wrong), _) => Some(wrong),
                (None, None) => Some("an item without a label"),
                _ if item.bounds().is_none() && own.as_deref().is_none_or(|own| own.trim().is_empty()) => {
                    Some("an item with neither offsets nor text")
                }
                _ => None,
            };
            if let Some(wrong) = wrong {
                reading.corpus.problems.add(Kind::BadSpan, reading.at(line), wrong, EXPECTED);
                continue;
            }
            flat.push(Flat {
                grain: item.grain,
                label: item.label.clone().unwrap_or_default(),
                piece: item.own.and_then(|own| value.piece(reading.file, own, Form::JsonString)),
                own,
                bounds: item.bounds(),
                score: item.score,
                index: item.index,
                line,
                search: if item.grain == Grain::Span { Search::Listed } else { search },
            });
        }
        flat
    }

    fn document(
        &mut self,
        reading: &mut Reading<'_>,
        id: Option<String>,
        text: Option<(Piece, Digest)>,
        spans: Vec<Ready>,
        line: u64,
    ) {
        self.flush(reading, false);
        self.documents += 1;
        self.pending = Some(Pending { id, line, text, spans });
    }

    /// Moves the last document into the corpus. The only one of a file among others has the file's name.
    fn flush(&mut self, reading: &mut Reading<'_>, end: bool) {
        let Some(Pending { mut id, line, text, spans }) = self.pending.take() else { return };
        reading.corpus.records += 1;
        if end && self.documents == 1 && !reading.alone && id.is_none() {
            id = Some(reading.id.to_owned());
        }
        reading.corpus.begin(reading.file, id, line);
        if let Some((piece, digest)) = text {
            reading.corpus.set_text(&[piece], digest);
        }
        for span in spans {
            let label = reading.corpus.labels.intern(&span.label);
            let (start, end) = span.bounds.unwrap_or((0, 0));
            reading.corpus.push(start, end, label, span.detail);
        }
    }
}

const EXPECTED: &str = r#"{"text" or "word", "label" or "entity", "start", "end"}"#;

/// Lines on which parts of a value start, asked in order.
struct LinesOf<'v> {
    json: &'v str,
    at: usize,
    line: u64,
}

impl<'v> LinesOf<'v> {
    fn new(value: &Value<'v>) -> Self {
        LinesOf { json: value.json, at: 0, line: value.line }
    }

    fn line(&mut self, part: &str) -> u64 {
        let at = (part.as_ptr() as usize).saturating_sub(self.json.as_ptr() as usize);
        if let Some(between) = self.json.as_bytes().get(self.at..at) {
            self.line += memchr::memchr_iter(b'\n', between).count() as u64;
            self.at = at;
        }
        self.line
    }
}

/// A span's own text where the file has it in one place.
pub fn own_of(flat: &Flat) -> Option<Own> {
    match (flat.piece, &flat.own) {
        (Some(piece), _) => Some(Own::At(piece)),
        (None, Some(own)) => Some(Own::Text(own.as_str().into())),
        _ => None,
    }
}
