//! What a language model replied: marked text (`<span class="drug">x</span>` and the like) or a list of texts by
//! type, with or without prose around. A file a document, or JSON records with an id, the reply, and where one
//! type was asked for its name. Replies have no offsets: marked text is aligned with gold's, the texts of lists
//! are searched in it. For the benchmark's parsers replies are only kept; [`crate::place::answers`] reads them.

use super::items::{self, Fields};
use super::outputs::{Value, each_value};
use super::{Format, Reading, extension, python_literal};
use crate::corpus::answers::Shape;
use crate::corpus::problems::{Kind, Place};
use crate::corpus::text::{Digest, Form, Piece, unescape};
use crate::corpus::{Detail, Own, Search, TextKind};
use crate::source::{SourceError, read_range};
use lists::{Listed, Lists};
use rustc_hash::FxHashMap;

mod lists;
mod literal;
mod marks;
pub mod reference;

/// The format.
pub static FORMAT: Format = Format {
    extension: Some("html"),
    file_is_document: true,
    ..Format::of("reply", "Replies of a language model", sniff, read)
};

/// Keys of a record that hold the reply and say so.
const REPLY_KEYS: &[&str] = &[
    "response",
    "generated_text",
    "completion",
    "raw_output",
    "model_output",
    "llm_output",
    "raw_response",
    "reply",
];
/// Keys that may hold it.
const LOOSE_KEYS: &[&str] =
    &["output", "outputs", "prediction", "predictions", "answer", "content", "result", "message", "choices"];
/// Keys of the type that was asked for.
const ASKED_KEYS: &[&str] = &["entity", "entity_type", "asked", "type", "label", "class", "category"];
/// What is read for a type that is said nowhere.
const NO_TYPE: &str = "entity";

fn sniff(head: &str) -> Option<(u8, String)> {
    let start = head.trim_start();
    if start.starts_with(['[', '{', '(']) {
        return sniff_json(start);
    }
    if start.starts_with("<?xml") || root_of_other_format(start) {
        return None;
    }
    let stripped = marks::strip(head);
    if !stripped.marks.is_empty() {
        let sure = match () {
            () if head.contains("<span class=") => 80,
            () if head.contains("@@") && stripped.marks.iter().all(|mark| mark.label.is_none()) => 60,
            () => 40,
        };
        return Some((sure, format!("text with {} marked places", stripped.marks.len())));
    }
    let fenced = head.contains("```") && lists::read(head, false).is_some();
    fenced.then(|| (85, "a list in a fence".into()))
}

/// Whether a text begins like the XML of other formats.
fn root_of_other_format(start: &str) -> bool {
    let root = start.strip_prefix("<!DOCTYPE").or_else(|| start.strip_prefix('<')).unwrap_or("").trim_start();
    let root =
        &root[..root.find(|c: char| c.is_whitespace() || matches!(c, '>' | '/')).unwrap_or(root.len())];
    root.contains(':')
        || ["collection", "root", "corpus", "tags", "cas", "mae"]
            .iter()
            .any(|name| root.to_lowercase().contains(name))
}

fn sniff_json(start: &str) -> Option<(u8, String)> {
    let json = python_literal::head_to_json(start);
    let values = serde_json::Deserializer::from_str(&json).into_iter::<&serde_json::value::RawValue>();
    let values: Vec<&str> =
        values.map_while(Result::ok).take(16).map(serde_json::value::RawValue::get).collect();
    if let [only] = values[..]
        && is_list_of_texts(only)
    {
        return Some((96, "a list of texts".into()));
    }
    let records: Vec<&str> = match values[..] {
        [list] if list.starts_with('[') => items::list(list)?,
        _ => values,
    };
    // The first reply may be a refusal.
    for record in records.into_iter().take(16) {
        let fields = Fields::of(record)?;
        // The JSON format reads records with a text and spans of any shape.
        let spans = fields.first(&["entities", "spans", "tokens"]);
        if spans.is_some_and(|value| value.starts_with('[') || fields.has(&["text"])) {
            return None;
        }
        if let Some((_, key)) = reply_of(&fields, REPLY_KEYS) {
            return Some((98, format!("records with {key}")));
        }
        if let Some((raw, key)) = reply_of(&fields, LOOSE_KEYS)
            && raw.starts_with('"')
        {
            let reply = items::string(raw)?;
            if !marks::strip(&reply).marks.is_empty()
                || lists::read(&reply, false).is_some()
                || lists::tries(&reply)
            {
                return Some((98, format!("records with a list or marked text in {key}")));
            }
        } else if let Some(why) = by_id(&fields) {
            return Some((96, why.into()));
        }
    }
    None
}

fn is_list_of_texts(json: &str) -> bool {
    items::list(json)
        .is_some_and(|list| !list.is_empty() && list.iter().all(|element| element.starts_with('"')))
}

/// `{"1": "…", "2": "…"}`: replies by document id, if one of them is a list or marked.
fn by_id(fields: &Fields<'_>) -> Option<&'static str> {
    // A record of another format, whose spans are JSON in a string.
    if fields.id().is_some() || fields.has(&["text", "entities", "spans", "label", "labels"]) {
        return None;
    }
    let strings: Option<Vec<String>> = fields.0.iter().map(|(_, value)| items::string(value)).collect();
    let is_reply = |reply: &String| {
        !marks::strip(reply).marks.is_empty()
            || lists::read(reply, false).is_some_and(|lists| !lists.items.is_empty())
    };
    strings?.iter().any(is_reply).then_some("replies by document id")
}

/// The reply of a record, and its key. APIs wrap it: `{"body": {"choices": [{"message": {"content": "…"}}]}}`.
fn reply_of<'v>(fields: &Fields<'v>, keys: &[&'static str]) -> Option<(&'v str, &'static str)> {
    const WITHIN: &[&str] = &[
        "body",
        "choices",
        "message",
        "content",
        "generated_text",
        "text",
        "result",
        "response",
        "output",
        "completion",
    ];
    let key = keys
        .iter()
        .copied()
        .find(|key| fields.first(&[key]).is_some_and(|value| is_reply_value(key, value)))?;
    let mut value = fields.first(&[key])?;
    // As deep as the APIs go.
    for _ in 0..10 {
        let inner = match items::list(value).as_deref() {
            Some([one, ..]) if one.starts_with('{') && Fields::of(one)?.first(WITHIN).is_some() => *one,
            _ => value,
        };
        let Some(within) = Fields::of(inner).and_then(|fields| {
            // An item has a text too.
            let item = items::Item::of(&fields, inner, None).is_some_and(|item| item.label.is_some());
            let text_part = fields.first(&["type"]).is_none_or(|kind| kind == "\"text\"");
            (!item || text_part).then(|| fields.first(WITHIN)).flatten()
        }) else {
            break;
        };
        value = within;
    }
    Some((value, key))
}

/// Prodigy's `answer` is no reply; numbers are none.
fn is_reply_value(key: &str, value: &str) -> bool {
    let decided = matches!(value, "\"accept\"" | "\"reject\"" | "\"ignore\"");
    !(key == "answer" && decided) && value.starts_with(['"', '[', '{'])
}

/// The text of a whole file without its marks.
fn file_text(bytes: &[u8]) -> Option<String> {
    Some(marks::strip(&String::from_utf8_lossy(bytes)).text)
}

/// The text of a JSON string without its marks.
fn string_text(literal: &[u8]) -> Option<String> {
    file_text(&unescape(literal).ok()?)
}

fn read(mut reading: Reading<'_>) -> Result<(), SourceError> {
    let (source, from) = reading.source();
    let length = source.len() - from;
    let mut head = read_range(&*source, from, length.min(1 << 20))?;
    // The first record may be longer than that.
    if head.trim_ascii_start().starts_with(b"{") && !starts_with_value(&head) {
        head = read_range(&*source, from, length.min(1 << 26))?;
    }
    let text = String::from_utf8_lossy(&head);
    let mut replies = Replies::default();
    let json = text.trim_start();
    // A file that is one list is one reply; so is one of which nothing is known.
    let records = json.starts_with(['[', '{']) && {
        let values = python_literal::file_to_json(json).0;
        let first =
            serde_json::Deserializer::from_str(&values).into_iter::<&serde_json::value::RawValue>().next();
        let first = first.and_then(Result::ok).map_or("", serde_json::value::RawValue::get);
        let record =
            items::list(first).map_or(Some(first), |list| list.first().copied()).and_then(Fields::of);
        record.is_some_and(|fields| {
            reply_of(&fields, REPLY_KEYS).or_else(|| reply_of(&fields, LOOSE_KEYS)).is_some()
                && !is_labels(&fields)
                || fields.id().is_some()
                || by_id(&fields).is_some()
        })
    };
    if records {
        each_value(&mut reading, &mut |reading, value| replies.record(reading, value))?;
        return Ok(());
    }
    let bytes = read_range(&*source, from, length)?;
    if let Err(error) = std::str::from_utf8(&bytes) {
        reading.bad_encoding(1, &bytes, error.valid_up_to());
    }
    let reply = String::from_utf8_lossy(&bytes);
    let piece = Piece::new(reading.file, from, length, Form::Encoded(file_text));
    let id = Some(reading.id.to_owned());
    // A note that is repeated may have lines that look like items.
    let page = ["html", "htm"]
        .iter()
        .any(|e| extension(&reading.corpus.files[reading.file as usize].path).eq_ignore_ascii_case(e));
    replies.marked |= page;
    let raw = Some(Piece::new(reading.file, from, length, Form::Plain));
    let whole = Reply { text: &reply, raw, piece: Some(piece), id, asked: None, line: 1, file: true };
    replies.reply(&mut reading, whole);
    (reading.progress)(from + length);
    Ok(())
}

/// Whether bytes begin with a whole JSON value.
fn starts_with_value(bytes: &[u8]) -> bool {
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<serde::de::IgnoredAny>();
    values.next().is_some_and(|value| value.is_ok())
}

/// Whether a record with a loose key is a list of texts by label after all.
fn is_labels(fields: &Fields<'_>) -> bool {
    fields.id().is_none()
        && fields.0.len() > 1
        && fields.0.iter().all(|(_, value)| is_list_of_texts(value) || *value == "[]")
}

/// One reply.
struct Reply<'r> {
    text: &'r str,
    /// Where it stands; none where the file does not have it as it is here.
    raw: Option<Piece>,
    /// How its text without marks is read again; likewise.
    piece: Option<Piece>,
    id: Option<String>,
    asked: Option<String>,
    line: u64,
    /// Whether it is a file: lines count within it.
    file: bool,
}

#[derive(Default)]
struct Replies {
    /// Whether replies with marked text were met: lines of others are no items then.
    marked: bool,
    /// Whether replies with lists were met: others are expected to have one.
    listed: bool,
    /// Texts of replies by document: a second reply to a document may have another text.
    texts: FxHashMap<String, Digest>,
}

impl Replies {
    fn record(&mut self, reading: &mut Reading<'_>, value: &Value<'_>) {
        let first = items::list(value.json).and_then(|list| list.first().copied());
        let Some(fields) = Fields::of(first.unwrap_or(value.json)) else {
            reading.corpus.records += 1;
            reading.corpus.problems.add(
                Kind::BadRecord,
                reading.at(value.line),
                "a value that is no record",
                EXPECTED,
            );
            return;
        };
        let Some((raw, key)) = reply_of(&fields, REPLY_KEYS).or_else(|| reply_of(&fields, LOOSE_KEYS)) else {
            return self.without_reply(reading, value, &fields);
        };
        let asked = ASKED_KEYS.iter().filter(|asked| **asked != key);
        let asked =
            asked.filter_map(|key| items::string(fields.first(&[key])?)).find(|asked| !asked.is_empty());
        self.value(reading, value, raw, fields.id(), asked);
    }

    fn value(
        &mut self,
        reading: &mut Reading<'_>,
        value: &Value<'_>,
        raw: &str,
        id: Option<String>,
        asked: Option<String>,
    ) {
        reading.corpus.records += 1;
        let (file, line) = (reading.file, value.line);
        if raw.starts_with('"') {
            let text = items::string(raw).unwrap_or_default();
            let piece = value.piece(file, raw, Form::Encoded(string_text));
            let raw = value.piece(file, raw, Form::JsonString);
            self.reply(reading, Reply { text: &text, raw, piece, id, asked, line, file: false });
        } else {
            // A list as it is, not in a string.
            let at = value.piece(file, raw, Form::Plain);
            self.reply(reading, Reply { text: raw, raw: at, piece: None, id, asked, line, file: false });
        }
    }

    /// A record without a reply: replies by id, or a request that failed.
    fn without_reply(&mut self, reading: &mut Reading<'_>, value: &Value<'_>, fields: &Fields<'_>) {
        let id = fields.id();
        if id.is_none()
            && !fields.0.is_empty()
            && fields.0.iter().all(|(_, value)| value.starts_with(['"', '[', '{']))
        {
            for (id, raw) in &fields.0 {
                self.value(reading, value, raw, Some(id.to_string()), None);
            }
            return;
        }
        reading.corpus.records += 1;
        let place = place_of(reading, value.line, id.as_deref());
        let known = fields.has(REPLY_KEYS) || fields.has(LOOSE_KEYS);
        if known && id.is_some() {
            reading.corpus.begin(reading.file, id, value.line);
            reading.corpus.answer(None, None, value.line).failed = true;
            reading.corpus.problems.add(Kind::ReplyUnparsed, place, "a record without a reply", EXPECTED);
        } else {
            reading.corpus.problems.add(Kind::BadRecord, place, "a record without a reply", EXPECTED);
        }
    }

    /// Marked text, or else lists, or else text as it is: no predictions, if it is the document.
    fn reply(&mut self, reading: &mut Reading<'_>, mut reply: Reply<'_>) {
        reading.corpus.begin(reading.file, reply.id.clone(), reply.line);
        let own = reply.raw.map_or_else(|| Own::Text(reply.text.into()), Own::At);
        let answer = reading.corpus.answer(Some(own), reply.asked.as_deref(), reply.line);
        if reading.reference {
            // The benchmark asks for one type, or has all of them marked.
            answer.shape = match reply.asked {
                Some(_) => Some(Shape::Listed),
                None => Some(Shape::Marked).filter(|_| !self.is_otherwise(reply.text)),
            };
            if let Some(document) = reading.corpus.documents.last_mut() {
                document.text_kind = TextKind::Reply;
            }
            if let Some(shape) = reading.corpus.answers.last().and_then(|answer| answer.shape) {
                self.marked |= shape == Shape::Marked && reply.text.contains("<span");
                return;
            }
            // Offsets of the others count in gold's text: searched, not aligned.
            reply.piece = None;
            let place = place_of(reading, reply.line, reply.id.as_deref());
            let found = "a list or marks, no <span …> and no type asked for";
            reading.corpus.problems.add(Kind::ReplyOtherShape, place, found, EXPECTED);
        }
        let stripped = marks::strip(reply.text);
        if !stripped.marks.is_empty() {
            self.marked = true;
            return self.marks(reading, &reply, &stripped);
        }
        let answer = marks::answer(reply.text);
        if let Some(lists) = lists::read(&reply.text[answer..], !self.marked) {
            self.listed |= !lists.items.is_empty();
            return list(reading, &reply, answer, lists);
        }
        let tries =
            self.listed || lists::tries(&reply.text[answer..]) || reply.text[answer..].trim().is_empty();
        match reply.piece {
            Some(piece) if !tries => {
                self.set_text(reading, &reply, piece, &stripped.text);
            }
            _ => {
                let found = "a reply without a list or marks";
                let expected = "a list of texts by type, or the document's text with marks";
                let place = place_of(reading, reply.line, reply.id.as_deref());
                reading.corpus.problems.add(Kind::ReplyUnparsed, place, found, expected);
                if let Some(answer) = reading.corpus.answers.last_mut() {
                    answer.failed = true;
                }
            }
        }
    }

    /// Whether a reply for all types at once is one that the benchmark's parser finds nothing in, and the
    /// reader does.
    fn is_otherwise(&self, reply: &str) -> bool {
        !reply.contains("<span")
            && (!marks::strip(reply).marks.is_empty()
                || lists::read(&reply[marks::answer(reply)..], !self.marked)
                    .is_some_and(|lists| !lists.items.is_empty()))
    }

    /// Gives the document the reply's text, if no other reply to it has another one.
    fn set_text(&mut self, reading: &mut Reading<'_>, reply: &Reply<'_>, piece: Piece, text: &str) -> bool {
        let digest = Digest::of(text.as_bytes());
        if let Some(id) = &reply.id
            && *self.texts.entry(id.clone()).or_insert(digest) != digest
        {
            return false;
        }
        reading.corpus.set_text(&[piece], digest);
        if let Some(document) = reading.corpus.documents.last_mut() {
            document.text_kind = TextKind::Reply;
        }
        true
    }

    fn marks(&mut self, reading: &mut Reading<'_>, reply: &Reply<'_>, stripped: &marks::Stripped) {
        // Marks with nothing around them are a list. So is what cannot be read again, or is another text.
        let with_text = match reply.piece {
            Some(piece) if stripped.outside => self.set_text(reading, reply, piece, &stripped.text),
            _ => false,
        };
        let index = crate::corpus::text::CharIndex::new(&stripped.text);
        let mut lines = LineCounter::new(reply);
        let mut unnamed = 0;
        for mark in &stripped.marks {
            let line = lines.line(mark.at);
            let (start, end) = (mark.start as i64, mark.end as i64);
            let text = index.slice(start, end).unwrap_or("");
            if text.trim().is_empty() {
                let place = place_of(reading, line, reply.id.as_deref());
                reading.corpus.problems.add(Kind::BadSpan, place, "a mark around nothing", "a marked text");
                continue;
            }
            if !mark.closed {
                let place = place_of(reading, line, reply.id.as_deref());
                reading.corpus.problems.add(Kind::MarkOpen, place, "a mark that is never closed", "an end");
            }
            let label = mark.label.as_deref().or(reply.asked.as_deref());
            unnamed += u64::from(label.is_none());
            let label = reading.corpus.labels.intern(label.unwrap_or(NO_TYPE));
            let answer = reading.corpus.answers.len() - 1;
            let item = reading.corpus.item(answer, mark.at..mark.until, label);
            if with_text {
                reading.corpus.push(start, end, label, Detail { line, item, ..Detail::default() });
            } else {
                let search = if stripped.outside { Search::Next } else { Search::Listed };
                let own = Some(Own::Text(text.into()));
                let detail = Detail { line, item, own, search: Some(search), ..Detail::default() };
                reading.corpus.push(0, 0, label, detail);
            }
        }
        no_type(reading, reply, unnamed);
    }
}

/// Bytes behind an item within which the next one is looked for.
const NEAR: usize = 1_000;

const EXPECTED: &str = r#"{"id", "response", and "entity" where one type was asked for}"#;

/// Items of a list: found in the text by their own texts.
fn list(reading: &mut Reading<'_>, reply: &Reply<'_>, answer: usize, lists: Lists) {
    let place = place_of(reading, reply.line, reply.id.as_deref());
    if lists.cut {
        let found = format!("{} that breaks off", lists.way);
        reading.corpus.problems.add(Kind::ReplyCut, place, found, "a list with an end");
    }
    let mut lines = LineCounter::new(reply);
    let mut unnamed = 0;
    let mut from = 0;
    // Where one type was asked for, a heading ("Answer: […]", {"drugs": […]}) names no other; several types do.
    let first = lists.items.first().and_then(|item| item.label.clone());
    let one_type = lists.items.iter().all(|item| item.label == first);
    let asked = reply.asked.as_deref().filter(|_| one_type);
    for Listed { text, label, bounds, score, at } in lists.items {
        let line = lines.line(answer + at);
        if text.trim().is_empty() {
            continue;
        }
        // Items follow one another where their list begins; one that is written with escapes is not found.
        from = from.max(answer + at);
        let found = marks::head(&reply.text[from..], text.len() + NEAR).find(&text);
        let range = found.map_or(from..from, |found| from + found..from + found + text.len());
        from = range.end;
        let label = asked.or(label.as_deref()).or(reply.asked.as_deref());
        unnamed += u64::from(label.is_none());
        let label = reading.corpus.labels.intern(label.unwrap_or(NO_TYPE));
        let number = reading.corpus.answers.len() - 1;
        let item = reading.corpus.item(number, range, label);
        let own = Some(Own::Text(text.into()));
        let detail = Detail { line, item, own, score, search: Some(Search::Listed), ..Detail::default() };
        let (start, end) = bounds.unwrap_or((0, 0));
        reading.corpus.push(start, end, label, detail);
    }
    no_type(reading, reply, unnamed);
}

fn no_type(reading: &mut Reading<'_>, reply: &Reply<'_>, unnamed: u64) {
    for _ in 0..unnamed {
        let place = place_of(reading, reply.line, reply.id.as_deref());
        let expected = "a type at the item, or the one asked for in the record (\"entity\")";
        reading.corpus.problems.add(Kind::NoType, place, "an item without a type", expected);
    }
}

fn place_of(reading: &Reading<'_>, line: u64, id: Option<&str>) -> Place {
    match id {
        Some(id) => reading.at(line).of(id),
        None => reading.at(line),
    }
}

/// Lines of a reply, asked in order; a record's own line where it is no file.
struct LineCounter<'r> {
    text: &'r str,
    at: usize,
    line: u64,
    file: bool,
}

impl<'r> LineCounter<'r> {
    fn new(reply: &Reply<'r>) -> Self {
        LineCounter { text: reply.text, at: 0, line: reply.line, file: reply.file }
    }

    fn line(&mut self, at: usize) -> u64 {
        if self.file
            && let Some(between) = self.text.as_bytes().get(self.at..at)
        {
            self.line += memchr::memchr_iter(b'\n', between).count() as u64;
            self.at = at;
        }
        self.line
    }
}
