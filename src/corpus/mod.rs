//! What is scored: documents with spans, and the problems found while reading them.
//!
//! Spans lie in one flat list in reading order (order is data: some definitions depend on it); a document
//! is a range of that list. Note text is never held: a document knows where its text is and
//! [`text::TextReader`] reads it again. Offsets are code points, end exclusive, as given.

use crate::source::{SharedSource, decode::Decoding};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::ops::Range;

pub mod pairing;
pub mod problems;
pub mod scheme;
pub mod text;

use problems::{Kind, Place, Problems};
use text::{Digest, Piece};

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

/// What few spans have beyond bounds and label.
#[derive(Debug, Clone, Default)]
pub struct Detail {
    /// The fragments of a discontinuous span, as given; empty for a contiguous one.
    pub fragments: Vec<(i64, i64)>,
    /// Whether its own text is the document's.
    pub surface: Surface,
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
    /// Its tokens, as a JSON list in the file.
    pub tokens: Option<Piece>,
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
    details: Vec<Detail>,
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
            tokens: None,
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
        let detail = if detail.fragments.is_empty() && detail.surface == Surface::Agrees {
            NO_DETAIL
        } else {
            self.details.push(detail);
            u32::try_from(self.details.len() - 1).unwrap_or(NO_DETAIL)
        };
        self.spans.push(Span { start, end, label, detail });
        let end = u32::try_from(self.spans.len()).unwrap_or(u32::MAX);
        if let Some(document) = self.documents.last_mut() {
            document.spans.end = end;
        }
    }

    /// Ends reading: joins records of one document, lists spans that no text can hold.
    pub fn finish(&mut self) {
        self.join_documents();
        self.list_unusable();
        self.spans.shrink_to_fit();
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
        for (at, mut document) in documents.iter().cloned().enumerate() {
            if into[at].is_some() {
                continue;
            }
            let start = u32::try_from(self.spans.len()).unwrap_or(u32::MAX);
            let parts = std::iter::once(at).chain(extra.get(&at).into_iter().flatten().copied());
            for part in parts {
                let part = &documents[part];
                self.spans.extend_from_slice(&spans[part.spans.start as usize..part.spans.end as usize]);
                if document.digest.is_none() && part.digest.is_some() {
                    document.text = part.text.clone();
                    document.digest = part.digest;
                }
                if document.tokens.is_none() {
                    document.tokens = part.tokens;
                }
            }
            document.spans = start..u32::try_from(self.spans.len()).unwrap_or(u32::MAX);
            self.documents.push(document);
        }
    }

    fn list_unusable(&mut self) {
        for document in &self.documents {
            let length = document.digest.map(|digest| i64::try_from(digest.length).unwrap_or(i64::MAX));
            for span in &self.spans[document.spans.start as usize..document.spans.end as usize] {
                let kind = if span.start < 0 || span.end < 0 {
                    Kind::NegativeSpan
                } else if span.start == span.end {
                    Kind::EmptySpan
                } else if span.start > span.end {
                    Kind::InvertedSpan
                } else if length.is_some_and(|length| span.end > length) {
                    Kind::SpanBeyondText
                } else {
                    continue;
                };
                let expected = match (kind, length) {
                    (Kind::SpanBeyondText, Some(length)) => {
                        format!("at most {length}, the text's length")
                    }
                    _ => "0 ≤ start < end".to_owned(),
                };
                let place = Place::at(document.file, document.line).of(&document.id);
                self.problems.add(kind, place, format!("a span {}–{}", span.start, span.end), expected);
            }
        }
    }
}
