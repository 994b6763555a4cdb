//! What a language model answered, where it is, and what became of each marked or listed item of it. Answers lie in
//! one list in reading order, so do their items; a span knows the item it came from ([`super::Detail::item`]).

use super::{Corpus, LabelId, Own};
use std::num::NonZeroU32;
use std::ops::Range;

/// How an answer is read by the benchmark's parsers, once gold's text and the label map are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Marked text, by the benchmark's parser.
    Marked,
    /// A list of texts of the type that was asked for, likewise.
    Listed,
}

/// One answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Index into [`Corpus::documents`]; that of no document where another text was kept for its id.
    pub document: u32,
    /// The answer as the model wrote it; none where the record has none.
    pub text: Option<Own>,
    /// The type that was asked for.
    pub asked: Option<Box<str>>,
    /// Line on which it begins.
    pub line: u64,
    /// How the benchmark's parsers read it; none where the format's reader did.
    pub shape: Option<Shape>,
    /// Whether no list and no marked text was found in it, or it is not about the document.
    pub failed: bool,
}

/// What became of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It became spans, or would again where its label is dropped.
    Span,
    /// The document does not have its text.
    Hallucinated,
    /// It lies inside an item of the same label, or repeats one: no span of its own.
    Inside,
    /// The document has no text on either side.
    Unsearched,
}

/// A marked or listed item of an answer.
#[derive(Debug, Clone)]
pub struct Item {
    /// Index into [`Corpus::answers`].
    pub answer: u32,
    /// Bytes of the answer; empty where the item is written there in another way.
    pub at: Range<u32>,
    /// Its label as spelled.
    pub label: LabelId,
    /// What became of it; set by [`crate::place`].
    pub fate: Fate,
}

impl Corpus {
    /// Adds an answer to the current document.
    pub(crate) fn answer(&mut self, text: Option<Own>, asked: Option<&str>, line: u64) -> &mut Answer {
        let document = (self.documents.len() as u32).saturating_sub(1);
        let asked = asked.map(Into::into);
        self.answers.push(Answer { document, text, asked, line, shape: None, failed: false });
        let last = self.answers.len() - 1;
        &mut self.answers[last]
    }

    /// Adds an item to an answer: the reader's is the last one. Returns what its spans know it by.
    pub(crate) fn item(&mut self, answer: usize, at: Range<usize>, label: LabelId) -> Option<NonZeroU32> {
        let byte = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let at = byte(at.start)..byte(at.end);
        self.items.push(Item { answer: byte(answer), at, label, fate: Fate::Unsearched });
        NonZeroU32::new(byte(self.items.len()))
    }

    /// The item that a span came from: index into [`Corpus::items`].
    pub fn item_of(&self, span: &super::Span) -> Option<usize> {
        let item = self.detail(span)?.item?.get() as usize - 1;
        (item < self.items.len()).then_some(item)
    }
}
