//! Answers of language models as the NCER benchmark's parsers read them: their marks and items become spans of
//! gold's text, under the label map. And, whoever read an answer, what became of its items.

use super::{Against, read_text, reference};
use crate::corpus::answers::{Fate, Shape};
use crate::corpus::problems::{Kind, Place};
use crate::corpus::text::TextReader;
use crate::corpus::{Corpus, Detail, LabelId, Own, Span};
use crate::formats::reply::reference::{self as parser, Folded};
use crate::source::SourceError;
use rustc_hash::{FxHashMap, FxHashSet};
use std::num::NonZeroU32;

/// Places of items in one document: adversaries aside, far more than there are.
const MOST_PLACES: usize = 1_000_000;

/// A place of an item.
struct Found {
    start: i64,
    end: i64,
    label: LabelId,
    /// Index of the mapped label; none where it is dropped.
    mapped: Option<u32>,
    item: Option<NonZeroU32>,
    line: u64,
    unplaced: bool,
}

/// Reads the answers that were kept for the benchmark's parsers. `map` gives the label that a label of the
/// answers is scored as. Comes before [`super::settle`].
///
/// # Errors
/// When a file cannot be read any more.
pub fn read(
    corpus: &mut Corpus,
    against: Option<Against<'_>>,
    map: &dyn Fn(&str) -> Option<String>,
) -> Result<(), SourceError> {
    let mut of_document: Vec<Vec<u32>> = vec![Vec::new(); corpus.documents.len()];
    for (at, answer) in corpus.answers.iter().enumerate().filter(|(_, answer)| answer.shape.is_some()) {
        if let Some(list) = of_document.get_mut(answer.document as usize) {
            list.push(at as u32);
        }
    }
    if of_document.iter().all(Vec::is_empty) {
        return Ok(());
    }
    let (mut spans, mut ranges, mut moved) = (Vec::new(), Vec::new(), Vec::new());
    let mut mapping =
        Mapping { map, known: FxHashMap::default(), names: Vec::new(), numbers: FxHashMap::default() };
    let (mut text, mut passages) = (String::new(), Vec::new());
    for (at, answers) in of_document.iter().enumerate() {
        let from = spans.len() as u32;
        if !answers.is_empty() {
            let holder = reference(corpus, at, against);
            let known = holder.is_some();
            if let Some((of, document)) = holder {
                read_text(of, document, &mut text, &mut passages)?;
            }
            let mut reader = Reader {
                text: known.then_some(text.as_str()),
                mapping: &mut mapping,
                folded: None,
                occurs: FxHashMap::default(),
                searched: FxHashMap::default(),
                found: Vec::new(),
            };
            for &answer in answers {
                reader.answer(corpus, answer as usize)?;
            }
            let found = reader.found;
            keep(corpus, &mapping.names, found, &mut spans);
        }
        for span in corpus.documents[at].spans.clone() {
            moved.push(spans.len() as u32);
            spans.push(corpus.spans[span as usize]);
        }
        ranges.push(from..spans.len() as u32);
    }
    corpus.replace_spans(spans, ranges, &moved);
    Ok(())
}

/// Sorts a document's places and leaves out those that lie inside the one kept before, of the same label.
fn keep(corpus: &mut Corpus, names: &[String], found: Vec<Found>, spans: &mut Vec<Span>) {
    let (mut mapped, rest): (Vec<Found>, Vec<Found>) =
        found.into_iter().partition(|found| found.mapped.is_some() && !found.unplaced);
    let name = |found: &Found| found.mapped.and_then(|at| names.get(at as usize));
    mapped.sort_by(|a, b| (a.start, -a.end, name(a)).cmp(&(b.start, -b.end, name(b))));
    let mut last: Option<(i64, i64, Option<u32>)> = None;
    mapped.retain(|found| {
        let inside = last.is_some_and(|(start, end, mapped)| {
            mapped == found.mapped && start <= found.start && found.end <= end
        });
        if !inside {
            last = Some((found.start, found.end, found.mapped));
        }
        !inside
    });
    for Found { start, end, label, item, line, unplaced, .. } in mapped.into_iter().chain(rest) {
        if let Some(item) = item.and_then(|item| corpus.items.get_mut(item.get() as usize - 1))
            && !unplaced
        {
            item.fate = Fate::Span;
        }
        let detail = Detail { line, item, unplaced, ..Detail::default() };
        spans.push(corpus.span(start, end, label, detail));
    }
}

/// Labels after mapping, each asked for once.
struct Mapping<'m> {
    map: &'m dyn Fn(&str) -> Option<String>,
    known: FxHashMap<LabelId, Option<u32>>,
    names: Vec<String>,
    numbers: FxHashMap<String, u32>,
}

impl Mapping<'_> {
    fn get(&mut self, corpus: &Corpus, label: LabelId) -> Option<u32> {
        if let Some(known) = self.known.get(&label) {
            return *known;
        }
        let name = (self.map)(corpus.labels.name(label)).filter(|name| !name.is_empty());
        let number = name.map(|name| {
            let next = self.names.len() as u32;
            *self.numbers.entry(name).or_insert_with_key(|name| {
                self.names.push(name.clone());
                next
            })
        });
        self.known.insert(label, number);
        number
    }
}

/// Reads the answers to one document.
struct Reader<'t, 'm> {
    text: Option<&'t str>,
    mapping: &'t mut Mapping<'m>,
    folded: Option<Folded>,
    /// Marked texts, and whether the document has them.
    occurs: FxHashMap<String, bool>,
    /// Items that were searched, with the label they are scored as, and whether the document has them.
    searched: FxHashMap<(String, Result<u32, LabelId>), bool>,
    found: Vec<Found>,
}

impl Reader<'_, '_> {
    fn answer(&mut self, corpus: &mut Corpus, at: usize) -> Result<(), SourceError> {
        let answer = corpus.answers[at].clone();
        let written = TextReader::new(corpus).own(answer.text.as_ref())?.unwrap_or_default();
        match (answer.shape, answer.asked) {
            (Some(Shape::Listed), Some(asked)) => self.list(corpus, at, &written, &asked),
            _ => self.marks(corpus, at, &written),
        }
        Ok(())
    }

    fn marks(&mut self, corpus: &mut Corpus, answer: usize, written: &str) {
        let (text, occurs) = (self.text, &mut self.occurs);
        let marks = parser::html(written, |inner| match (text, occurs.get(inner)) {
            // Without a text, nothing is known to be missing.
            (None, _) => true,
            (Some(_), Some(&known)) => known,
            (Some(text), None) => *occurs.entry(inner.to_owned()).or_insert(text.contains(inner)),
        });
        let mut lines = Lines::new(corpus, answer, written);
        for mark in marks {
            let label = corpus.labels.intern(&mark.label);
            let line = lines.line(mark.at.start);
            let item = corpus.item(answer, mark.at, label);
            match mark.span.filter(|_| text.is_some()) {
                Some((start, end)) => {
                    let mapped = self.mapping.get(corpus, label);
                    self.found.push(Found { start, end, label, mapped, item, line, unplaced: false });
                    fate(corpus, item, Fate::Inside);
                }
                None => self.without_place(corpus, answer, label, item, line),
            }
        }
    }

    fn list(&mut self, corpus: &mut Corpus, answer: usize, written: &str, asked: &str) {
        let Some(list) = parser::list(written) else {
            let place = place(corpus, answer, 0);
            let expected = "a Python list of texts, as the benchmark's parser reads it";
            corpus.problems.add(Kind::ReplyUnparsed, place, "a reply without a list", expected);
            corpus.answers[answer].failed = true;
            return;
        };
        let label = corpus.labels.intern(asked);
        let mapped = self.mapping.get(corpus, label);
        let mut lines = Lines::new(corpus, answer, written);
        for listed in list {
            let line = lines.line(listed.at.start);
            let item = corpus.item(answer, listed.at, label);
            let Some((text, own)) = self.text.zip(listed.text) else {
                self.without_place(corpus, answer, label, item, line);
                continue;
            };
            // An item again, in whatever case, lies inside itself.
            let key = (parser::fold(&own), mapped.ok_or(label));
            let occurs = match self.searched.get(&key) {
                Some(&occurs) => occurs,
                None => {
                    let mut places = self.folded.get_or_insert_with(|| Folded::new(text)).find(&key.0);
                    let occurs = !places.is_empty();
                    let left = MOST_PLACES.saturating_sub(self.found.len());
                    if places.len() > left {
                        let (found, expected) = (
                            format!("an item with {} places", places.len()),
                            "fewer places in all: not every one was taken",
                        );
                        corpus.problems.add(Kind::FoundMore, place(corpus, answer, line), found, expected);
                        places.truncate(left);
                    }
                    self.found.extend(places.into_iter().map(|(start, end)| Found {
                        start,
                        end,
                        label,
                        mapped,
                        item,
                        line,
                        unplaced: false,
                    }));
                    self.searched.insert(key, occurs);
                    occurs
                }
            };
            if occurs {
                // What the map drops is dropped before anything can lie inside it.
                fate(corpus, item, if mapped.is_some() { Fate::Inside } else { Fate::Span });
            } else {
                self.without_place(corpus, answer, label, item, line);
            }
        }
    }

    /// An item that the document does not have, or may have: listed, and kept without a place.
    fn without_place(
        &mut self,
        corpus: &mut Corpus,
        answer: usize,
        label: LabelId,
        item: Option<NonZeroU32>,
        line: u64,
    ) {
        let place = place(corpus, answer, line);
        if self.text.is_some() {
            let found = "an item that does not occur in the text";
            corpus.problems.add(Kind::NotInText, place, found, "a part of the document's text");
            fate(corpus, item, Fate::Hallucinated);
        } else {
            let found = "an item without offsets and no text to search";
            corpus.problems.add(Kind::NotSearched, place, found, "the document's text, on either side");
        }
        let mapped = None;
        self.found.push(Found { start: 0, end: 0, label, mapped, item, line, unplaced: true });
    }
}

fn fate(corpus: &mut Corpus, item: Option<NonZeroU32>, fate: Fate) {
    if let Some(item) = item.and_then(|item| corpus.items.get_mut(item.get() as usize - 1)) {
        item.fate = fate;
    }
}

/// A line of an answer's file; 0 is where the answer begins.
fn place(corpus: &Corpus, answer: usize, line: u64) -> Place {
    let answer = &corpus.answers[answer];
    corpus.documents[answer.document as usize].place(if line > 0 { line } else { answer.line })
}

/// Lines of an answer that stands in its file as it is, asked in order; otherwise the line where it begins.
struct Lines<'a> {
    written: Option<&'a str>,
    at: usize,
    line: u64,
}

impl<'a> Lines<'a> {
    fn new(corpus: &Corpus, answer: usize, written: &'a str) -> Self {
        let answer = &corpus.answers[answer];
        let plain = |own: &Own| matches!(own, Own::At(piece) if matches!(piece.form, crate::corpus::text::Form::Plain));
        let written = answer.text.as_ref().is_some_and(plain).then_some(written);
        Lines { written, at: 0, line: answer.line }
    }

    fn line(&mut self, at: usize) -> u64 {
        if let Some(between) = self.written.and_then(|written| written.as_bytes().get(self.at..at)) {
            self.line += memchr::memchr_iter(b'\n', between).count() as u64;
            self.at = at;
        }
        self.line
    }
}

/// Notes what became of the items of answers that the format's reader read, once spans are in their places.
/// `strangers` are documents whose reply is about something else; `lengths` are those of the documents' texts.
pub(super) fn settle(corpus: &mut Corpus, strangers: &FxHashSet<u32>, lengths: &[Option<u64>]) {
    let mut placed: Vec<Option<bool>> = vec![None; corpus.items.len()];
    if !placed.is_empty() {
        for span in &corpus.spans {
            let Some(item) = corpus.item_of(span) else { continue };
            let here = corpus.detail(span).is_some_and(|detail| !detail.unplaced);
            placed[item] = Some(here || placed[item] == Some(true));
        }
    }
    for (item, placed) in corpus.items.iter_mut().zip(placed) {
        let answer = &corpus.answers[item.answer as usize];
        if answer.shape.is_some() {
            continue;
        }
        let has_text = lengths.get(answer.document as usize).copied().flatten().is_some();
        item.fate = match placed {
            Some(true) => Fate::Span,
            Some(false) if has_text => Fate::Hallucinated,
            Some(false) => Fate::Unsearched,
            None => Fate::Inside,
        };
    }
    for answer in corpus.answers.iter_mut().filter(|answer| answer.shape.is_none()) {
        answer.failed |= strangers.contains(&answer.document);
    }
}
