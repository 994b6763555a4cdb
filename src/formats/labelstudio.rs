//! Label Studio: tasks with a text among their `data`, `annotations` (older: `completions`) and `predictions`,
//! each a list of regions; also JSON-MIN, where a task's regions stand among its data. Offsets are UTF-16
//! units. Which field of the data was annotated is not in the file: it is the one that the regions' own texts
//! agree with.

use super::json::{scalar, without_nan};
use super::{Format, Reading};
use crate::corpus::offsets::Way;
use crate::corpus::problems::{Kind, Place};
use crate::corpus::text::{self, CharIndex, Digest, Form, Piece};
use crate::corpus::{Argument, Class, Detail, Own, Relation, Role, Unit};
use crate::place::offsets::{Ruler, agrees};
use crate::source::SourceError;
use crate::source::lines::{JsonStrings, JsonValues};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The format.
pub static FORMAT: Format =
    Format { unit: Unit::Utf16, ..Format::of("label-studio", "Label Studio", sniff, read) };

const EXPECTED: &str = r#"{"id", "data": {"text"}, "annotations": [{"result": […]}]}"#;
const LISTS: [&str; 3] = ["annotations", "completions", "predictions"];

fn sniff(head: &str) -> Option<(u8, String)> {
    let keys = keys(head);
    let has = |depth: usize, key: &str, first: &[u8]| {
        keys.iter().any(|(at, name, value)| *at == depth && *name == key && first.contains(value))
    };
    let listed = LISTS.iter().any(|key| has(1, key, b"["));
    if listed && (has(1, "data", b"{") || has(2, "result", b"[")) {
        return Some((98, "tasks with data and annotations or predictions".into()));
    }
    let number = b"0123456789n";
    (has(1, "annotation_id", number)
        && (has(1, "annotator", b"0123456789n\"{") || has(1, "lead_time", number)))
    .then(|| (97, "tasks of Label Studio's JSON-MIN".into()))
}

/// Whether records look like JSON-MIN of older versions, which has nothing but the data and the regions: those
/// are read as JSON records, but browsers counted their offsets.
pub(super) fn is_bare_minimal(head: &str) -> bool {
    let keys = keys(head);
    let has = |depth: usize, key: &str, first: u8| keys.contains(&(depth, key, first));
    let number =
        |key: &str| keys.iter().any(|(at, name, value)| (*at, *name) == (2, key) && value.is_ascii_digit());
    has(1, "label", b'[') && has(2, "labels", b'[') && number("start") && number("end")
}

/// Keys of the first object: how many objects they are inside of, the key, and the first byte of the value.
fn keys(head: &str) -> Vec<(usize, &str, u8)> {
    let bytes = head.as_bytes();
    let mut found = Vec::new();
    let (mut strings, mut open) = (JsonStrings::default(), Vec::new());
    let (mut start, mut last) = (None, None);
    for (at, &byte) in bytes.iter().enumerate() {
        if strings.step(byte) {
            let from = *start.get_or_insert(at);
            last = Some((from, at));
            continue;
        }
        start = None;
        match byte {
            b'{' | b'[' => open.push(byte),
            b'}' | b']' => {
                open.pop();
                if !open.contains(&b'{') {
                    break;
                }
            }
            b':' => {
                let value = bytes[at + 1..].iter().find(|byte| !byte.is_ascii_whitespace());
                if let Some((key, &value)) = last.and_then(|(from, to)| head.get(from + 1..to)).zip(value) {
                    found.push((open.iter().filter(|&&one| one == b'{').count(), key, value));
                }
            }
            _ => {}
        }
    }
    found
}

/// A task; parts that may be of any shape are looked at later.
#[derive(Deserialize)]
struct Task<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    inner_id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
    #[serde(borrow, default)]
    annotations: Option<Vec<&'a RawValue>>,
    #[serde(borrow, default)]
    completions: Option<Vec<&'a RawValue>>,
    #[serde(borrow, default)]
    predictions: Option<Vec<&'a RawValue>>,
    #[serde(borrow, default)]
    annotation_id: Option<&'a RawValue>,
}

/// What one annotator, or one model, says of a task.
#[derive(Deserialize)]
struct Annotation<'a> {
    #[serde(borrow, default)]
    result: Option<Vec<&'a RawValue>>,
    #[serde(borrow, default)]
    was_cancelled: Option<&'a RawValue>,
    #[serde(borrow, default)]
    skipped: Option<&'a RawValue>,
    #[serde(borrow, default)]
    ground_truth: Option<&'a RawValue>,
}

impl Annotation<'_> {
    fn is_cancelled(&self) -> bool {
        is_true(self.was_cancelled) || is_true(self.skipped)
    }
}

fn is_true(raw: Option<&RawValue>) -> bool {
    raw.is_some_and(|raw| raw.get() == "true")
}

/// One result: a region, a choice, a relation.
#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow, default)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, default, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    from_name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    value: Option<&'a RawValue>,
    #[serde(borrow, default)]
    score: Option<&'a RawValue>,
    #[serde(borrow, default)]
    from_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    to_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    labels: Option<&'a RawValue>,
}

/// What a result says. JSON-MIN has such objects alone.
#[derive(Deserialize, Default)]
struct Value<'a> {
    #[serde(borrow, default)]
    start: Option<&'a RawValue>,
    #[serde(borrow, default)]
    end: Option<&'a RawValue>,
    #[serde(borrow, default)]
    text: Option<&'a RawValue>,
    #[serde(borrow, default)]
    labels: Option<&'a RawValue>,
    #[serde(borrow, default)]
    hypertextlabels: Option<&'a RawValue>,
    #[serde(borrow, default)]
    paragraphlabels: Option<&'a RawValue>,
    #[serde(borrow, default)]
    choices: Option<&'a RawValue>,
    #[serde(borrow, default)]
    taxonomy: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "globalOffsets")]
    global: Option<&'a RawValue>,
}

impl Value<'_> {
    /// Labels of a region; the paths of a taxonomy are joined.
    fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for list in [self.labels, self.hypertextlabels, self.paragraphlabels].into_iter().flatten() {
            names.extend(strings(list));
        }
        if names.is_empty()
            && let Some(paths) = self.taxonomy
        {
            let paths: Vec<&RawValue> = serde_json::from_str(paths.get()).unwrap_or_default();
            names.extend(paths.iter().map(|path| strings(path).join("/")).filter(|path| !path.is_empty()));
        }
        names
    }

    /// Start and end. Those of pages count from an element of the page; `globalOffsets` does not.
    fn bounds(&self) -> Option<(i64, i64)> {
        #[derive(Deserialize)]
        struct Global {
            start: i64,
            end: i64,
        }
        if let Some(Global { start, end }) = self.global.and_then(|raw| serde_json::from_str(raw.get()).ok())
        {
            return Some((start, end));
        }
        // Those of dialogues are numbers of paragraphs.
        if self.paragraphlabels.is_some() {
            return None;
        }
        Some((offset(self.start?)?, offset(self.end?)?))
    }
}

/// A whole number, also as `12.0` and `"12"`.
fn offset(raw: &RawValue) -> Option<i64> {
    let number = raw.get().trim_matches('"').trim();
    number.parse().ok().or_else(|| {
        let number: f64 = number.parse().ok()?;
        (number.trunc() == number && number.abs() <= 9_007_199_254_740_992.0).then_some(number as i64)
    })
}

/// The strings of a list, or one string.
fn strings(raw: &RawValue) -> Vec<String> {
    let list: Vec<&RawValue> = match raw.get().as_bytes().first() {
        Some(b'[') => serde_json::from_str(raw.get()).unwrap_or_default(),
        _ => vec![raw],
    };
    list.into_iter().filter_map(|raw| scalar(raw.get())).filter(|name| !name.is_empty()).collect()
}

/// A region that becomes a span, or several.
struct Region<'a> {
    id: Option<String>,
    line: u64,
    start: i64,
    end: i64,
    names: Vec<String>,
    own: Option<&'a RawValue>,
    score: Option<f64>,
    attributes: Vec<(String, String)>,
}

/// What of a task becomes a document.
#[derive(Default)]
struct Found<'a> {
    regions: Vec<Region<'a>>,
    classes: Option<Vec<(String, Option<f64>)>>,
    relations: Vec<(u64, String, String, String)>,
    /// Regions of pages, whose offsets count in the page as it is shown.
    shown: bool,
}

struct Reader {
    /// The side that is read: predictions where the file has any.
    predictions: bool,
    /// Field of the data that was annotated in the task before.
    field: Option<String>,
    /// Tasks of JSON-MIN, which has a record an annotator.
    seen: FxHashSet<String>,
    any: [bool; 2],
}

fn read(mut reading: Reading<'_>) -> Result<(), SourceError> {
    let (source, from) = reading.source();
    let predictions = reading.role == Role::Prediction && has_predictions(&reading)?;
    let mut reader = Reader { predictions, field: None, seen: FxHashSet::default(), any: [false; 2] };
    let mut values = JsonValues::new(&*source, reading.chunk, from);
    while let Some(value) = values.next_value()? {
        (reading.progress)(value.offset);
        reading.corpus.records += 1;
        let json = match std::str::from_utf8(value.bytes) {
            Ok(json) => json,
            Err(error) => {
                reading.bad_encoding(value.line, value.bytes, error.valid_up_to());
                continue;
            }
        };
        // Python writes NaN and Infinity, as for a lead time.
        let patched = without_nan(json);
        let json = patched.as_deref().unwrap_or(json);
        let mut record = Record { json, offset: value.offset, line: value.line, seen: 0 };
        match serde_json::from_str::<Task<'_>>(json) {
            Ok(task) => reader.task(&mut reading, &mut record, task),
            Err(error) => {
                let cut = if value.complete { "" } else { "; the file looks cut off" };
                let what = if error.is_data() { "a task of another shape" } else { "not valid JSON" };
                let found = format!("{what} at column {}{cut}", error.column());
                let place = reading.at(value.line);
                reading.corpus.problems.add(Kind::BadRecord, place, found, EXPECTED);
            }
        }
    }
    if values.is_open() {
        let found = "a list of tasks that does not end; the file looks cut off";
        reading.corpus.problems.add(Kind::BadRecord, reading.at(0), found, "]");
    }
    reading.corpus.files[reading.file as usize].both_sides = reader.any == [true; 2];
    Ok(())
}

/// Whether any task has a prediction with a list of results.
fn has_predictions(reading: &Reading<'_>) -> Result<bool, SourceError> {
    #[derive(Deserialize)]
    struct Task<'a> {
        #[serde(borrow, default)]
        predictions: Option<Vec<&'a RawValue>>,
    }
    let (source, from) = reading.source();
    let mut values = JsonValues::new(&*source, reading.chunk, from);
    while let Some(value) = values.next_value()? {
        let Ok(json) = std::str::from_utf8(value.bytes) else { continue };
        let patched = without_nan(json);
        let task = serde_json::from_str::<Task<'_>>(patched.as_deref().unwrap_or(json));
        if task.is_ok_and(|task| task.predictions.is_some_and(|list| list.iter().any(|raw| is_object(raw)))) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Exports may list ids only.
fn is_object(raw: &RawValue) -> bool {
    raw.get().starts_with('{')
}

/// The record that is being read.
struct Record<'a> {
    json: &'a str,
    offset: u64,
    line: u64,
    /// Bytes whose lines are counted.
    seen: usize,
}

impl Record<'_> {
    fn at(&self, raw: &RawValue) -> usize {
        raw.get().as_ptr() as usize - self.json.as_ptr() as usize
    }

    fn piece(&self, file: u32, raw: &RawValue, form: Form) -> Piece {
        Piece::new(file, self.offset + self.at(raw) as u64, raw.get().len() as u64, form)
    }

    /// The line of a value.
    fn line(&mut self, raw: &RawValue) -> u64 {
        let at = self.at(raw);
        if at > self.seen {
            self.line += memchr::memchr_iter(b'\n', &self.json.as_bytes()[self.seen..at]).count() as u64;
            self.seen = at;
        }
        self.line
    }
}

impl Reader {
    fn task<'a>(&mut self, reading: &mut Reading<'_>, record: &mut Record<'a>, task: Task<'a>) {
        let line = record.line;
        let id = [task.id, task.inner_id].into_iter().flatten().find_map(|id| scalar(id.get()));
        let id = id.filter(|id| !id.is_empty());
        let place = || match &id {
            Some(id) => Place::at(reading.file, line).of(id),
            None => Place::at(reading.file, line),
        };
        let annotations = task.annotations.or(task.completions);
        let predictions = task.predictions.unwrap_or_default();
        self.any[0] |= annotations.as_ref().is_some_and(|list| !list.is_empty());
        self.any[1] |= predictions.iter().any(|raw| is_object(raw));
        if annotations.is_none() && task.annotation_id.is_some() {
            let place = place();
            if id.as_ref().is_some_and(|id| !self.seen.insert(id.clone())) {
                let found = "a further annotator's record of the task";
                reading.corpus.problems.add(Kind::OtherAnnotator, place, found, "the first one only");
                return;
            }
            self.minimal(reading, record, id, place);
            return;
        }
        let list = if self.predictions { predictions } else { annotations.unwrap_or_default() };
        let Some(data) = task.data.filter(|data| is_object(data)) else {
            reading.corpus.problems.add(Kind::BadRecord, place(), "a task without data", EXPECTED);
            return;
        };
        let what = if self.predictions { "prediction" } else { "annotation" };
        let mut chosen: Option<Annotation<'a>> = None;
        let (mut cancelled, mut others) = (0, 0);
        for raw in &list {
            let Ok(annotation) = serde_json::from_str::<Annotation<'a>>(raw.get()) else {
                let found = format!("an {what} that is no object with a result")
                    .replace("an prediction", "a prediction");
                let place = Place { line: record.line(raw), ..place() };
                reading.corpus.problems.add(Kind::BadRecord, place, found, EXPECTED);
                continue;
            };
            if annotation.is_cancelled() {
                cancelled += 1;
                continue;
            }
            // The ground truth is what the annotators' lead marked; otherwise the first.
            let better = is_true(annotation.ground_truth)
                && chosen.as_ref().is_some_and(|chosen| !is_true(chosen.ground_truth));
            others += u64::from(chosen.is_some());
            if chosen.is_none() || better {
                chosen = Some(annotation);
            }
        }
        for _ in 0..cancelled {
            let found = "a cancelled annotation";
            reading.corpus.problems.add(Kind::RejectedRecord, place(), found, "an annotation that was kept");
        }
        for _ in 0..others {
            let found = format!("a further {what} of the task");
            let expected = "the first one only, or the one marked as ground truth";
            reading.corpus.problems.add(Kind::OtherAnnotator, place(), found, expected);
        }
        let Some(chosen) = chosen else {
            if cancelled == 0 {
                let found = format!("a task without {what}s");
                reading.corpus.problems.add(Kind::NotAnnotated, place(), found, "one, be it empty");
            }
            return;
        };
        let place = place();
        let mut found = Found::default();
        for raw in chosen.result.unwrap_or_default() {
            item(reading, record, &place, raw, &mut found);
        }
        let fields: BTreeMap<Cow<'a, str>, &'a RawValue> = fields(data);
        self.keep(reading, record, id, place, &fields, found);
    }

    /// A record of JSON-MIN: regions stand beside the data, in lists named as the controls were.
    fn minimal(
        &mut self,
        reading: &mut Reading<'_>,
        record: &mut Record<'_>,
        id: Option<String>,
        place: Place,
    ) {
        let json = record.json;
        let Ok(all) = serde_json::from_str::<&RawValue>(json) else { return };
        let fields: BTreeMap<Cow<'_, str>, &RawValue> = fields(all);
        let mut found = Found::default();
        // In the order of the record, not of the names.
        let mut lists: Vec<&&RawValue> = fields.values().filter(|raw| raw.get().starts_with('[')).collect();
        lists.sort_by_key(|raw| record.at(raw));
        for list in lists {
            for raw in serde_json::from_str::<Vec<&RawValue>>(list.get()).unwrap_or_default() {
                let Ok(value) = serde_json::from_str::<Value<'_>>(raw.get()) else { continue };
                // Data may hold objects with a start of their own, as dialogues do.
                if (value.start.is_some() && value.end.is_some()) || value.global.is_some() {
                    region(reading, record, &place, raw, value, &mut found);
                }
            }
        }
        self.keep(reading, record, id, place, &fields, found);
    }

    /// Moves a task into the corpus.
    fn keep(
        &mut self,
        reading: &mut Reading<'_>,
        record: &Record<'_>,
        id: Option<String>,
        place: Place,
        fields: &BTreeMap<Cow<'_, str>, &RawValue>,
        found: Found<'_>,
    ) {
        let document = reading.corpus.documents.len() as u32;
        let file = reading.file;
        let text = self.text(fields, &found);
        reading.corpus.begin(file, id, place.line);
        let mut breaks = false;
        match text {
            Some((raw, text)) => {
                breaks = text.contains("\\n");
                let piece = record.piece(file, raw, Form::JsonString);
                reading.corpus.set_text(&[piece], Digest::of(text.as_bytes()));
            }
            None if found.shown => {
                let found = "offsets of a page as it is shown, and only its HTML";
                let expected = "the page's text; its spans are kept";
                reading.corpus.problems.add(Kind::TextUnusable, place.clone(), found, expected);
            }
            None => {}
        }
        let mut spans: FxHashMap<String, u32> = FxHashMap::default();
        for region in found.regions {
            if let Some(id) = region.id {
                spans.entry(id).or_insert(reading.corpus.spans.len() as u32);
            }
            let own = region.own.map(|raw| {
                // Some versions write a line break as a backslash and an n.
                let literal = !breaks && raw.get().contains("\\\\n");
                let form = if literal { Form::Encoded(with_breaks) } else { Form::JsonString };
                Own::At(record.piece(file, raw, form))
            });
            let mut detail = Detail { line: region.line, own, score: region.score, ..Detail::default() };
            if !region.attributes.is_empty() {
                detail.more().attributes = region.attributes;
            }
            for name in &region.names {
                let label = reading.corpus.labels.intern(name);
                reading.corpus.push(region.start, region.end, label, detail.clone());
            }
        }
        if let Some(classes) = found.classes {
            let start = reading.corpus.classes.len() as u32;
            for (name, score) in classes {
                let label = reading.corpus.labels.intern(&name);
                reading.corpus.classes.push(Class { label, score });
            }
            let end = reading.corpus.classes.len() as u32;
            if let Some(document) = reading.corpus.documents.last_mut() {
                document.classes = Some(start..end);
            }
        }
        for (line, label, from, to) in found.relations {
            match (spans.get(&from), spans.get(&to)) {
                (Some(&from), Some(&to)) => reading.corpus.relations.push(Relation {
                    document,
                    label,
                    arguments: vec![("from".into(), Argument::Span(from)), ("to".into(), Argument::Span(to))],
                }),
                _ => {
                    let place = Place { line, ..place.clone() };
                    let found = "a relation between others than spans";
                    reading.corpus.problems.add(Kind::Relation, place, found, "");
                }
            }
        }
    }

    /// The field that was annotated, and its text: the one that most regions' own texts agree with, and where
    /// none has any, the field of the task before, `text`, or the longest.
    fn text<'a>(
        &mut self,
        fields: &BTreeMap<Cow<'_, str>, &'a RawValue>,
        found: &Found<'_>,
    ) -> Option<(&'a RawValue, String)> {
        let texts: Vec<(&str, &'a RawValue, String)> = fields
            .iter()
            .filter(|(_, raw)| raw.get().starts_with('"'))
            .filter_map(|(name, &raw)| Some((&**name, raw, scalar(raw.get())?)))
            .collect();
        let own: Vec<(&Region<'_>, String)> = found
            .regions
            .iter()
            .filter_map(|region| Some((region, scalar(region.own?.get())?.replace("\\n", "\n"))))
            .collect();
        let known = self.field.as_deref();
        let rank = |(name, _, text): &&(&str, &RawValue, String)| {
            (fits(text, &own), known == Some(*name), *name == "text", text.chars().count())
        };
        let best = texts.iter().max_by_key(rank)?;
        let agree = fits(&best.2, &own);
        if agree == 0 && found.shown && !own.is_empty() {
            return None;
        }
        if agree > 0 {
            self.field = Some(best.0.to_owned());
        }
        Some((best.1, best.2.clone()))
    }
}

/// How many regions' own texts stand at their offsets, in the unit in which more do.
fn fits(text: &str, own: &[(&Region<'_>, String)]) -> usize {
    if own.is_empty() {
        return 0;
    }
    let index = CharIndex::new(text);
    let in_unit = |unit| {
        let ruler = Ruler::new(text, &Way::of(unit));
        let fit = |(region, own): &&(&Region<'_>, String)| {
            let there = ruler.start(region.start).zip(ruler.end(region.end));
            let there = there.and_then(|(start, end)| index.slice(start, end));
            there.is_some_and(|there| agrees(own, &there.replace("\\n", "\n")))
        };
        own.iter().filter(fit).count()
    };
    if text.is_ascii() {
        in_unit(Unit::CodePoint)
    } else {
        in_unit(Unit::Utf16).max(in_unit(Unit::CodePoint))
    }
}

/// The fields of an object.
fn fields<'a>(object: &'a RawValue) -> BTreeMap<Cow<'a, str>, &'a RawValue> {
    #[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
    struct Key<'a>(#[serde(borrow)] Cow<'a, str>);
    let fields: BTreeMap<Key<'a>, &'a RawValue> = serde_json::from_str(object.get()).unwrap_or_default();
    fields.into_iter().map(|(key, value)| (key.0, value)).collect()
}

/// The content of a JSON string whose line breaks are written as a backslash and an n.
fn with_breaks(literal: &[u8]) -> Option<String> {
    let bytes = text::unescape(literal).ok()?;
    Some(String::from_utf8_lossy(&bytes).replace("\\n", "\n"))
}

/// Takes one result.
fn item<'a>(
    reading: &mut Reading<'_>,
    record: &mut Record<'_>,
    place: &Place,
    raw: &'a RawValue,
    found: &mut Found<'a>,
) {
    let line = record.line(raw);
    let place = &Place { line, ..place.clone() };
    let Ok(item) = serde_json::from_str::<Item<'a>>(raw.get()) else {
        let words = "a result that is no object of Label Studio's";
        reading.corpus.problems.add(Kind::BadSpan, place.clone(), words, r#"{"type", "value"}"#);
        return;
    };
    let id = item.id.as_deref().unwrap_or("").to_owned();
    if item.kind.as_deref() == Some("relation") {
        let names = item.labels.map(strings).unwrap_or_default();
        let names = if names.is_empty() { vec!["relation".to_owned()] } else { names };
        let end = |id: Option<Cow<'_, str>>| id.map(Cow::into_owned).unwrap_or_default();
        let (from, to) = (end(item.from_id), end(item.to_id));
        for name in names {
            found.relations.push((line, name, from.clone(), to.clone()));
        }
        return;
    }
    let value =
        item.value.and_then(|raw| serde_json::from_str::<Value<'a>>(raw.get()).ok()).unwrap_or_default();
    let score = item.score.and_then(|raw| raw.get().parse().ok());
    if let Some(choices) = value.choices {
        // Of a region, an attribute; of the task, its class.
        match found.regions.iter_mut().rev().find(|region| !id.is_empty() && region.id.as_ref() == Some(&id))
        {
            Some(region) => {
                let name = item.from_name.as_deref().unwrap_or("choices");
                region
                    .attributes
                    .extend(strings(choices).into_iter().map(|choice| (name.to_owned(), choice)));
            }
            None if value.start.is_some() || value.global.is_some() => {
                let words = "a choice for a region without a label";
                reading.corpus.problems.add(Kind::Attribute, place.clone(), words, "");
            }
            None => {
                let names = strings(choices).into_iter().map(|name| (name, score));
                found.classes.get_or_insert_default().extend(names);
            }
        }
        return;
    }
    if !value.names().is_empty() && (value.start.is_some() || value.global.is_some()) {
        let before = found.regions.len();
        region(reading, record, place, raw, value, found);
        for region in &mut found.regions[before..] {
            region.id = (!id.is_empty()).then(|| id.clone());
            region.score = score;
        }
        return;
    }
    let words = match item.kind.as_deref() {
        Some("labels" | "hypertextlabels" | "paragraphlabels") => {
            let words = "a region without a label or without start and end";
            reading.corpus.problems.add(Kind::BadSpan, place.clone(), words, r#"{"start", "end", "labels"}"#);
            return;
        }
        Some("textarea") => "a text that annotators wrote",
        _ => "a result that is neither a labelled stretch of text nor a choice",
    };
    reading.corpus.problems.add(Kind::Attribute, place.clone(), words, "");
}

/// Takes a labelled stretch.
fn region<'a>(
    reading: &mut Reading<'_>,
    record: &mut Record<'_>,
    place: &Place,
    raw: &RawValue,
    value: Value<'a>,
    found: &mut Found<'a>,
) {
    let line = record.line(raw);
    let place = Place { line, ..place.clone() };
    let names = value.names();
    let Some((start, end)) = value.bounds().filter(|_| !names.is_empty()) else {
        let words = match names.is_empty() {
            true => "a region without a label",
            false => "a region by elements of a page or numbers of paragraphs, without globalOffsets",
        };
        reading.corpus.problems.add(
            Kind::BadSpan,
            place,
            words,
            "start and end as whole numbers, and labels",
        );
        return;
    };
    found.shown |= value.global.is_some();
    let own = value.text.filter(|raw| raw.get().starts_with('"') && raw.get().len() > 2);
    let (id, score, attributes) = (None, None, Vec::new());
    found.regions.push(Region { id, line, start, end, names, own, score, attributes });
}
