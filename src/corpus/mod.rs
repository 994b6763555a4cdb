//! What is scored: documents with spans, and the problems found while reading them.
//!
//! Spans lie in one flat list in reading order (order is data: some definitions depend on it); a document
//! is a range of that list. Note text is never held: a document knows where its text is and
//! [`text::TextReader`] reads it again. Readers push offsets in the unit of their file; [`crate::place`]
//! turns them into code points, end exclusive, once.

use crate::source::window::Window;
use crate::source::{SharedSource, decode::Decoding};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::num::NonZeroU32;
use std::ops::Range;

pub mod answers;
pub mod concepts;
pub mod offsets;
pub mod pairing;
pub mod problems;
pub mod scheme;
pub mod text;

use offsets::{Found, Wanted};
use problems::{Kind, Place, Problems};
use text::{CharIndex, Digest, Piece, TokenList};

/// What an input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The reference annotation.
    Gold,
    /// What a system predicted.
    Prediction,
}

/// Index of a label in [`Labels`].
pub type LabelId = u32;

/// Labels as the files spell them, each once, in order of first use.
#[derive(Debug, Default, Clone)]
pub struct Labels {
    names: Vec<String>,
    ids: FxHashMap<String, LabelId>,
    last: LabelId,
}

impl Labels {
    /// The id of a label, new or known.
    pub fn intern(&mut self, name: &str) -> LabelId {
        // Labels come in runs; most look-ups end here.
        if self.names.get(self.last as usize).is_some_and(|last| last == name) {
            return self.last;
        }
        self.last = match self.ids.get(name) {
            Some(&id) => id,
            None => {
                let id = LabelId::try_from(self.names.len()).unwrap_or(LabelId::MAX);
                self.names.push(name.to_owned());
                self.ids.insert(name.to_owned(), id);
                id
            }
        };
        self.last
    }

    /// The label's name.
    pub fn name(&self, id: LabelId) -> &str {
        self.names.get(id as usize).map_or("", String::as_str)
    }

    /// All labels, in order of first use.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// How a span's own text agrees with the document's text at its offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Surface {
    /// It agrees, or there is nothing to compare.
    #[default]
    Agrees,
    /// It agrees after folding white space and case.
    Folded,
    /// It differs.
    Differs,
}

/// What offsets count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Unit {
    /// Unicode code points, as Python counts.
    #[default]
    CodePoint,
    /// UTF-16 code units, as Java and JavaScript count.
    Utf16,
    /// Bytes of UTF-8.
    Byte,
}

impl Unit {
    /// Every unit, in the order in which equal evidence is decided.
    pub const ALL: [Unit; 3] = [Unit::CodePoint, Unit::Utf16, Unit::Byte];

    /// Name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Unit::CodePoint => "codepoint",
            Unit::Utf16 => "utf16",
            Unit::Byte => "byte",
        }
    }

    /// Units of a character.
    pub fn width(self, c: char) -> usize {
        match self {
            Unit::CodePoint => 1,
            Unit::Utf16 => c.len_utf16(),
            Unit::Byte => c.len_utf8(),
        }
    }
}

/// A span's own text, as its file gives it.
#[derive(Debug, Clone)]
pub enum Own {
    /// Where it stands in the document's file.
    At(Piece),
    /// Put together by the reader, where no single place has it.
    Text(Box<str>),
}

/// How a span without offsets is found by its own text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// The next occurrence behind the span before it: items are listed in the order of the text.
    Next,
    /// As the option `occurrences` says: all, first, or the next unused.
    Listed,
}

/// What few spans have beyond bounds and label.
#[derive(Debug, Clone, Default)]
pub struct Detail {
    /// Line of the file on which the span stands, from 1; 0 when unknown.
    pub line: u64,
    /// The fragments of a discontinuous span, as given; empty for a contiguous one.
    pub fragments: Vec<(i64, i64)>,
    /// Its own text.
    pub own: Option<Own>,
    /// Whether its own text is the document's; set by [`crate::place`].
    pub surface: Surface,
    /// The passage it was annotated in: index into the document's pieces.
    pub passage: Option<u32>,
    /// The file gives no offsets: the own text is searched.
    pub search: Option<Search>,
    /// It has no place in the text: its own text does not occur, or its offsets lie inside a character. Not
    /// given to an aligner; `clean: unusable` counts such a prediction as spurious.
    pub unplaced: bool,
    /// Its tags are not well formed under the file's scheme (an I- that opens); a strict reader drops it.
    pub ill_formed: bool,
    /// The item of an answer that it came from: index into [`Corpus::items`], and one.
    pub item: Option<NonZeroU32>,
    /// Bounds without white space at the edges, where there is some; set by [`crate::place`].
    pub trimmed: Option<(i64, i64)>,
    /// The system's confidence.
    pub score: Option<f64>,
    /// What is rarer still.
    pub more: Option<Box<More>>,
}

/// What formats carry and no span score reads yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct More {
    /// Values that hold concept ids, as written, in order; [`concepts::ids`] takes them apart.
    pub concepts: Vec<String>,
    /// Attributes as (name, value), in order; a bare flag has the value `true`.
    pub attributes: Vec<(String, String)>,
    /// Where the file counts lines and tokens rather than characters: the span's places, until
    /// [`crate::place`] turns them into offsets.
    pub grid: Vec<Grid>,
}

/// A place by line, counted from 1, and token, counted from 0; the last one is part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Line and token of the first token.
    pub first: (u32, u32),
    /// Line and token of the last token.
    pub last: (u32, u32),
}

impl Detail {
    /// The rarer parts, made when missing.
    pub fn more(&mut self) -> &mut More {
        self.more.get_or_insert_default()
    }

    /// Whether there is nothing but a line.
    fn is_plain(&self) -> bool {
        self.fragments.is_empty()
            && self.own.is_none()
            && self.surface == Surface::Agrees
            && self.passage.is_none()
            && self.search.is_none()
            && !self.unplaced
            && !self.ill_formed
            && self.item.is_none()
            && self.trimmed.is_none()
            && self.score.is_none()
            && self.more.is_none()
    }
}

/// A relation between spans or concepts of one document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// Index into [`Corpus::documents`].
    pub document: u32,
    /// Its type as spelled.
    pub label: String,
    /// (role, what fills it), in order.
    pub arguments: Vec<(String, Argument)>,
}

/// What fills a role of a relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// Index into [`Corpus::spans`].
    Span(u32),
    /// A concept id.
    Concept(String),
}

/// One label of a whole document, as document-level tables give it.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// The label: a code, a class, a column's name.
    pub label: LabelId,
    /// Score or probability as given, if any.
    pub score: Option<f64>,
}

/// One labelled stretch of a document. For a discontinuous span, bounds are the envelope of its fragments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// First code point.
    pub start: i64,
    /// One past the last code point, as given (may lie before `start` in a broken file).
    pub end: i64,
    /// Its label.
    pub label: LabelId,
    detail: u32,
}

const NO_DETAIL: u32 = u32::MAX;

/// One document.
#[derive(Debug, Clone)]
pub struct Document {
    /// Id as the file spells it; where it has none, the record's place on its side, such as `#3`.
    pub id: String,
    /// Whether the file gave the id.
    pub has_id: bool,
    /// Index into [`Corpus::files`].
    pub file: u32,
    /// Line on which the record starts, from 1; 0 where a document is a file.
    pub line: u64,
    /// Its spans in [`Corpus::spans`].
    pub spans: Range<u32>,
    /// Its text in [`Corpus::pieces`]; empty without a text.
    pub text: Range<u32>,
    /// Length and hash of the text.
    pub digest: Option<Digest>,
    /// What the text is.
    pub text_kind: TextKind,
    /// Its tokens, where the file has them.
    pub tokens: Option<TokenList>,
    /// A tag a token, where the file has them.
    pub tags: Option<TokenList>,
    /// Its document-level labels in [`Corpus::classes`]; none where the file gives no such labels at all
    /// (an empty range says that there are none).
    pub classes: Option<Range<u32>>,
    /// The reader looked for white space at the edges of its spans already ([`Corpus::trim_spans`]).
    pub edges_known: bool,
    /// Its spans were brought to a text with this digest.
    pub settled_on: Option<Digest>,
}

impl Document {
    /// The place of something in it: a line of its file, or where it starts when the line is unknown (0).
    pub fn place(&self, line: u64) -> Place {
        Place::at(self.file, if line > 0 { line } else { self.line }).of(&self.id)
    }
}

/// What a document's text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextKind {
    /// The text that was annotated.
    #[default]
    Original,
    /// Tokens joined by spaces; the white space between them is lost.
    Tokens,
    /// What a model wrote: the document, more or less.
    Reply,
}

/// How tags of a file were understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tagging {
    /// Name of the scheme, such as `IOB2`.
    pub scheme: &'static str,
    /// Entities whose tags are not well formed under it.
    pub ill_formed: u64,
}

/// One file that was read: given as it is, or an entry of a given archive.
pub struct File {
    /// Index of the given input.
    pub input: usize,
    /// Path, for people; never in a report unless asked for.
    pub path: String,
    /// The bytes, as UTF-8.
    pub source: SharedSource,
    /// How they were decoded.
    pub decoding: Decoding,
    /// Name of the format it was read as.
    pub format: Option<&'static str>,
    /// Why that format.
    pub reason: String,
    /// The unit that the format names for its offsets.
    pub unit: Unit,
    /// Whether it holds gold and predictions (two tag columns, annotations beside predictions).
    pub both_sides: bool,
    /// It says nothing of documents: each of its sentences became one.
    pub sentences: bool,
    /// How its tags were understood, where it has tags.
    pub tagging: Option<Tagging>,
    /// What the options say of this file's offsets.
    pub wanted: Wanted,
    /// How its offsets were read: index into [`Corpus::offsets`].
    pub offsets: Option<u32>,
}

/// Gold, or one system's predictions.
#[derive(Default)]
pub struct Corpus {
    /// Every file, in reading order.
    pub files: Vec<File>,
    /// Every document, in reading order.
    pub documents: Vec<Document>,
    /// Every span, document by document, in reading order.
    pub spans: Vec<Span>,
    /// Labels as spelled.
    pub labels: Labels,
    /// Where texts are.
    pub pieces: Vec<Piece>,
    /// What was skipped or repaired.
    pub problems: Problems,
    /// Records met in files whose records may lack ids, unreadable ones included.
    pub records: u64,
    /// Relations, in reading order.
    pub relations: Vec<Relation>,
    /// Document-level labels, document by document.
    pub classes: Vec<Class>,
    /// What language models answered, in reading order.
    pub answers: Vec<answers::Answer>,
    /// Items of the answers, answer by answer.
    pub items: Vec<answers::Item>,
    /// How offsets were read, a set of files each; set by [`crate::place`].
    pub offsets: Vec<Found>,
    /// The label maps that a file of the side holds.
    pub label_maps: Option<scheme::LabelMaps>,
    details: Vec<Detail>,
    /// The stretch of a file that was read last ([`text::TextReader`]).
    window: RefCell<Window>,
}

/// Documents and spans that were taken out of a corpus.
pub(crate) struct Taken {
    /// The documents; their ranges point into `spans`.
    pub(crate) documents: Vec<Document>,
    /// Their spans.
    pub(crate) spans: Vec<Span>,
    details: Vec<Detail>,
}

impl Taken {
    /// The spans of a document, each with its detail.
    pub(crate) fn spans_of(&self, document: &Document) -> impl Iterator<Item = (&Span, Option<&Detail>)> {
        let range = document.spans.start as usize..document.spans.end as usize;
        self.spans[range].iter().map(|span| (span, self.details.get(span.detail as usize)))
    }
}

impl Corpus {
    /// The spans of a document.
    pub fn spans_of(&self, document: &Document) -> &[Span] {
        &self.spans[document.spans.start as usize..document.spans.end as usize]
    }

    /// Fragments and surface agreement of a span, if it has any.
    pub fn detail(&self, span: &Span) -> Option<&Detail> {
        self.details.get(span.detail as usize)
    }

    /// Whether any span has more than bounds and label.
    pub fn has_details(&self) -> bool {
        !self.details.is_empty()
    }

    /// Whether any span has such a detail.
    pub fn any_detail(&self, wanted: impl Fn(&Detail) -> bool) -> bool {
        self.details.iter().any(wanted)
    }

    /// The detail of a span, made when it has none.
    pub(crate) fn detail_mut(&mut self, span: usize) -> &mut Detail {
        if self.spans[span].detail == NO_DETAIL {
            self.details.push(Detail::default());
            self.spans[span].detail = u32::try_from(self.details.len() - 1).unwrap_or(NO_DETAIL);
        }
        let at = self.spans[span].detail as usize;
        &mut self.details[at]
    }

    /// Replaces all spans: each document's range is given, and where each old span is now.
    pub(crate) fn replace_spans(&mut self, spans: Vec<Span>, ranges: Vec<Range<u32>>, moved: &[u32]) {
        self.spans = spans;
        for (document, range) in self.documents.iter_mut().zip(ranges) {
            document.spans = range;
        }
        for (_, argument) in self.relations.iter_mut().flat_map(|relation| &mut relation.arguments) {
            if let Argument::Span(span) = argument {
                *span = moved.get(*span as usize).copied().unwrap_or(*span);
            }
        }
    }

    /// Keeps some documents, and of their spans some (by index); relations of what goes go too.
    pub(crate) fn retain(&mut self, document: impl Fn(&Document) -> bool, keep_span: impl Fn(usize) -> bool) {
        let (documents, spans) = (std::mem::take(&mut self.documents), std::mem::take(&mut self.spans));
        let (mut now, mut moved) = (vec![u32::MAX; documents.len()], vec![u32::MAX; spans.len()]);
        for (at, mut one) in documents.into_iter().enumerate().filter(|(_, one)| document(one)) {
            now[at] = self.documents.len() as u32;
            let start = self.spans.len() as u32;
            for span in (one.spans.start as usize..one.spans.end as usize).filter(|&span| keep_span(span)) {
                moved[span] = self.spans.len() as u32;
                self.spans.push(spans[span]);
            }
            one.spans = start..self.spans.len() as u32;
            self.documents.push(one);
        }
        self.follow(&now, &moved);
    }

    /// Has relations and answers follow documents and spans to their new places; `u32::MAX` where one is gone,
    /// and the relations of it with it.
    fn follow(&mut self, documents: &[u32], spans: &[u32]) {
        self.relations.retain_mut(|relation| {
            relation.document = documents[relation.document as usize];
            relation.document != u32::MAX
                && relation.arguments.iter_mut().all(|(_, argument)| match argument {
                    Argument::Span(span) => {
                        *span = spans[*span as usize];
                        *span != u32::MAX
                    }
                    Argument::Concept(_) => true,
                })
        });
        for answer in &mut self.answers {
            answer.document = documents[answer.document as usize];
        }
    }

    /// Takes every document out, and the spans with them; texts stay where they are, for documents that are
    /// made of these. Relations go, and answers, which documents of tokens have not.
    pub(crate) fn take_documents(&mut self) -> Taken {
        self.relations.clear();
        self.answers.clear();
        self.items.clear();
        Taken {
            documents: std::mem::take(&mut self.documents),
            spans: std::mem::take(&mut self.spans),
            details: std::mem::take(&mut self.details),
        }
    }

    /// Notes white space at the edges of the current document's spans, for readers that hold the text anyway
    /// and whose offsets are code points.
    pub fn trim_spans(&mut self, text: &CharIndex<'_>) {
        let Some(document) = self.documents.last_mut() else { return };
        document.edges_known = true;
        for at in document.spans.start as usize..document.spans.end as usize {
            let Span { start, end, .. } = self.spans[at];
            if let Some(trimmed) = text.trim(start, end) {
                self.detail_mut(at).trimmed = Some(trimmed);
            }
        }
    }

    /// How many spans carry each label; a label can be known from a record that was left out.
    pub fn label_uses(&self) -> Vec<u64> {
        let mut uses = vec![0; self.labels.names().len()];
        for span in &self.spans {
            uses[span.label as usize] += 1;
        }
        uses
    }

    /// Starts a document; spans pushed until the next call belong to it.
    pub fn begin(&mut self, file: u32, id: Option<String>, line: u64) -> &mut Document {
        let at = u32::try_from(self.spans.len()).unwrap_or(u32::MAX);
        let piece = u32::try_from(self.pieces.len()).unwrap_or(u32::MAX);
        let has_id = id.is_some();
        let id = id.unwrap_or_else(|| format!("#{}", self.records));
        self.documents.push(Document {
            id,
            has_id,
            file,
            line,
            spans: at..at,
            text: piece..piece,
            digest: None,
            text_kind: TextKind::Original,
            tokens: None,
            tags: None,
            classes: None,
            edges_known: false,
            settled_on: None,
        });
        let last = self.documents.len() - 1;
        &mut self.documents[last]
    }

    /// Gives the current document its text.
    pub fn set_text(&mut self, pieces: &[Piece], digest: Digest) {
        self.pieces.extend_from_slice(pieces);
        let end = u32::try_from(self.pieces.len()).unwrap_or(u32::MAX);
        if let Some(document) = self.documents.last_mut() {
            document.text.end = end;
            document.digest = Some(digest);
        }
    }

    /// Adds a span to the current document.
    pub fn push(&mut self, start: i64, end: i64, label: LabelId, detail: Detail) {
        let span = self.span(start, end, label, detail);
        self.spans.push(span);
        let end = u32::try_from(self.spans.len()).unwrap_or(u32::MAX);
        if let Some(document) = self.documents.last_mut() {
            document.spans.end = end;
        }
    }

    /// A span that is not in the list yet.
    pub(crate) fn span(&mut self, start: i64, end: i64, label: LabelId, detail: Detail) -> Span {
        let detail = if detail.is_plain() {
            NO_DETAIL
        } else {
            self.details.push(detail);
            u32::try_from(self.details.len() - 1).unwrap_or(NO_DETAIL)
        };
        Span { start, end, label, detail }
    }

    /// Ends reading: joins records of one document, lists discontinuous spans.
    pub fn finish(&mut self) {
        self.join_documents();
        self.list_discontinuous();
        self.spans.shrink_to_fit();
    }

    fn list_discontinuous(&mut self) {
        if !self.any_detail(|detail| detail.fragments.len() > 1) {
            return;
        }
        for document in &self.documents {
            for span in &self.spans[document.spans.start as usize..document.spans.end as usize] {
                let Some(detail) = self.details.get(span.detail as usize) else { continue };
                if detail.fragments.len() > 1 {
                    let found =
                        format!("{} fragments in {}–{}", detail.fragments.len(), span.start, span.end);
                    let place = document.place(detail.line);
                    self.problems.add(Kind::Discontinuous, place, found, "");
                }
            }
        }
    }

    /// The same id twice: equal texts (per-sentence records) become one document, of different texts the
    /// first is kept.
    fn join_documents(&mut self) {
        let mut first: FxHashMap<&str, usize> = FxHashMap::default();
        let mut into: Vec<Option<usize>> = vec![None; self.documents.len()];
        let mut any = false;
        for (at, document) in self.documents.iter().enumerate() {
            if !document.has_id {
                continue;
            }
            match first.entry(&document.id) {
                std::collections::hash_map::Entry::Occupied(seen) => {
                    into[at] = Some(*seen.get());
                    any = true;
                }
                std::collections::hash_map::Entry::Vacant(slot) => {
                    slot.insert(at);
                }
            }
        }
        if !any {
            return;
        }
        let mut extra: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for (at, target) in into.iter().enumerate() {
            let Some(target) = *target else { continue };
            let (kept, again) = (&self.documents[target], &self.documents[at]);
            let place = Place::at(again.file, again.line).of(&again.id);
            let same = match (&kept.digest, &again.digest) {
                (Some(a), Some(b)) => a == b,
                _ => true,
            };
            if same {
                let found = "an id again, with the same text";
                self.problems.add(Kind::DocumentJoined, place, found, "one record a document");
                extra.entry(target).or_default().push(at);
            } else {
                let found = "an id again, with another text";
                self.problems.add(Kind::DocumentConflict, place, found, "one text a document");
            }
        }
        let (documents, spans) = (std::mem::take(&mut self.documents), std::mem::take(&mut self.spans));
        let mut moved = vec![u32::MAX; spans.len()];
        let mut now = vec![u32::MAX; documents.len()];
        for (at, mut document) in documents.iter().cloned().enumerate() {
            if into[at].is_some() {
                continue;
            }
            let start = u32::try_from(self.spans.len()).unwrap_or(u32::MAX);
            let parts = std::iter::once(at).chain(extra.get(&at).into_iter().flatten().copied());
            for part in parts {
                now[part] = self.documents.len() as u32;
                let part = &documents[part];
                for (to, from) in part.spans.clone().enumerate() {
                    moved[from as usize] = (self.spans.len() + to) as u32;
                }
                self.spans.extend_from_slice(&spans[part.spans.start as usize..part.spans.end as usize]);
                if document.digest.is_none() && part.digest.is_some() {
                    document.text = part.text.clone();
                    document.digest = part.digest;
                    document.text_kind = part.text_kind;
                }
                if document.tokens.is_none() {
                    (document.tokens, document.tags) = (part.tokens, part.tags);
                }
                document.edges_known &= part.edges_known;
                document.classes = match (document.classes, &part.classes) {
                    (None, classes) => classes.clone(),
                    (Some(own), Some(more)) if own != *more => {
                        let start = self.classes.len() as u32;
                        for range in [own, more.clone()] {
                            self.classes.extend_from_within(range.start as usize..range.end as usize);
                        }
                        Some(start..self.classes.len() as u32)
                    }
                    (own, _) => own,
                };
            }
            document.spans = start..u32::try_from(self.spans.len()).unwrap_or(u32::MAX);
            self.documents.push(document);
        }
        self.follow(&now, &moved);
    }

    /// Lists spans that no text can hold. `length` gives the code points of a document's text by index.
    pub(crate) fn list_unusable(&mut self, length: impl Fn(usize) -> Option<u64>) {
        for (at, document) in self.documents.iter().enumerate() {
            let length = length(at).map(|length| i64::try_from(length).unwrap_or(i64::MAX));
            for span in &self.spans[document.spans.start as usize..document.spans.end as usize] {
                let Some(kind) = span.fault(length) else { continue };
                if self.details.get(span.detail as usize).is_some_and(|detail| detail.unplaced) {
                    continue;
                }
                let expected = match (kind, length) {
                    (Kind::SpanBeyondText, Some(length)) => {
                        format!("at most {length}, the text's length")
                    }
                    _ => "0 ≤ start < end".to_owned(),
                };
                let place = document.place(0);
                self.problems.add(kind, place, format!("a span {}–{}", span.start, span.end), expected);
            }
        }
    }
}

impl Span {
    /// The same span at another place.
    pub(crate) fn moved(self, start: i64, end: i64) -> Span {
        Span { start, end, ..self }
    }

    /// Why no text of this length can hold the span.
    pub fn fault(&self, length: Option<i64>) -> Option<Kind> {
        if self.start < 0 || self.end < 0 {
            Some(Kind::NegativeSpan)
        } else if self.start == self.end {
            Some(Kind::EmptySpan)
        } else if self.start > self.end {
            Some(Kind::InvertedSpan)
        } else if length.is_some_and(|length| self.end > length) {
            Some(Kind::SpanBeyondText)
        } else {
            None
        }
    }
}
