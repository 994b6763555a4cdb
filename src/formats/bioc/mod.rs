//! BioC: documents of passages with offsets of their own, annotations with locations, infons and relations. As
//! XML and as JSON, which differ in how they are written alone.
//!
//! Offsets count from the start of the document, a passage's own offset included. The format's description
//! says bytes, every corpus seen counts code points: the annotations' own texts decide.

use super::{Reading, envelope};
use crate::corpus::problems::{Kind, Place, shorten};
use crate::corpus::text::{Digest, Piece, code_points};
use crate::corpus::{Argument, Detail, Own, Relation};
use rustc_hash::FxHashMap;
use std::ops::Range;

pub mod json;
pub mod xml;

/// Spaces that the gaps between a document's passages may stand for.
const MAX_GAP: i64 = 1 << 20;

/// Keys of infons that name an annotation's type; the first of the list counts.
const TYPE_KEYS: &[&str] = &["type", "entity_type", "entity", "label", "class", "category", "semantic_type"];
/// Keys that name a relation's type.
const RELATION_KEYS: &[&str] = &["type", "relation", "relation_type", "label"];
/// Keys of an annotation's concepts; those of NCBI's databases begin alike.
const CONCEPT_KEYS: &[&str] = &[
    "identifier",
    "identifiers",
    "mesh",
    "omim",
    "cui",
    "umls",
    "umls_cui",
    "snomed",
    "icd10",
    "rxnorm",
    "concept",
    "concept_id",
    "conceptid",
];
/// Keys of a confidence.
const SCORE_KEYS: &[&str] = &["score", "confidence", "probability"];

/// A document being read.
#[derive(Default)]
struct Draft {
    id: Option<String>,
    line: u64,
    passages: Vec<Passage>,
    annotations: Vec<Annotation>,
    relations: Vec<Link>,
    /// What its texts say, one after another.
    words: String,
}

/// A passage, or a sentence of one.
#[derive(Default)]
struct Passage {
    offset: Option<i64>,
    text: Option<Words>,
    sentences: Vec<Passage>,
}

/// A text: where it stands, and what it says as a range of the draft's words.
struct Words {
    piece: Piece,
    range: Range<usize>,
}

#[derive(Default)]
struct Annotation {
    id: String,
    line: u64,
    infons: Vec<(String, String)>,
    /// (offset, length); none where they are no whole numbers.
    locations: Vec<Option<(i64, i64)>>,
    own: Option<Piece>,
    /// Its passage, and its sentence in that.
    passage: Option<usize>,
    sentence: Option<usize>,
}

#[derive(Default)]
struct Link {
    line: u64,
    infons: Vec<(String, String)>,
    /// (role, id of an annotation).
    nodes: Vec<(String, String)>,
}

impl Draft {
    /// Takes a text; an empty one is none, so that the sentences' texts count.
    fn words(&mut self, piece: Piece, words: &str) -> Option<Words> {
        let start = self.words.len();
        self.words.push_str(words);
        (!words.is_empty()).then_some(Words { piece, range: start..self.words.len() })
    }

    /// The passage, or sentence, that is being read.
    fn current(&mut self, in_sentence: bool) -> Option<&mut Passage> {
        let passage = self.passages.last_mut()?;
        if in_sentence { passage.sentences.last_mut() } else { Some(passage) }
    }

    /// A new annotation or relation belongs to this passage and this sentence.
    fn place(&self, in_passage: bool, in_sentence: bool) -> (Option<usize>, Option<usize>) {
        let passage = self.passages.len().checked_sub(1).filter(|_| in_passage);
        let sentences = passage.map_or(0, |at| self.passages[at].sentences.len());
        (passage, sentences.checked_sub(1).filter(|_| in_sentence))
    }

    /// Moves the document into the corpus.
    fn finish(self, reading: &mut Reading<'_>) {
        let file = reading.file;
        let place = |line: u64| Place {
            document: self.id.as_deref().map(shorten),
            ..Place::at(file, if line > 0 { line } else { self.line })
        };
        let corpus = &mut *reading.corpus;
        corpus.begin(file, self.id.clone(), self.line);
        let mut assembled = Assembled::default();
        match self.assemble(&mut assembled) {
            Ok(()) if assembled.pieces.is_empty() => {}
            Ok(()) => corpus.set_text(&assembled.pieces, Digest::of(assembled.text.as_bytes())),
            Err(found) => {
                let expected = "passages in the order of their offsets, not overlapping";
                corpus.problems.add(Kind::TextUnusable, place(0), found, expected);
                assembled.first.clear();
            }
        }
        let mut spans: FxHashMap<&str, u32> = FxHashMap::default();
        for annotation in &self.annotations {
            let place = place(annotation.line);
            let locations: Option<Vec<(i64, i64)>> = annotation
                .locations
                .iter()
                .map(|location| {
                    let (offset, length) = (*location)?;
                    Some((offset, offset.checked_add(length)?))
                })
                .collect();
            let label = find(&annotation.infons, TYPE_KEYS);
            let (locations, label) = match (locations, label) {
                (Some(locations), Some(label)) if !locations.is_empty() => (locations, label),
                (Some(locations), None) if !locations.is_empty() => {
                    let keys: Vec<String> = annotation.infons.iter().map(|(key, _)| shorten(key)).collect();
                    let found = format!("an annotation without a type; infons: {}", keys.join(", "));
                    corpus.problems.add(Kind::BadSpan, place, found, "an infon \"type\"");
                    continue;
                }
                _ => {
                    let found = "an annotation whose locations are missing or no whole numbers";
                    corpus.problems.add(Kind::BadSpan, place, found, "a location with offset and length");
                    continue;
                }
            };
            let (start, end) = envelope(&locations);
            let mut detail = Detail {
                line: annotation.line,
                fragments: if locations.len() > 1 { locations } else { Vec::new() },
                own: annotation.own.map(Own::At),
                ..Detail::default()
            };
            detail.passage = annotation.passage.and_then(|passage| {
                let first = assembled.first.get(passage)?;
                annotation.sentence.and_then(|at| *first.1.get(at)?).or(first.0)
            });
            carry(&mut detail, &annotation.infons, label);
            let name = corpus.labels.intern(&annotation.infons[label].1);
            spans.entry(&annotation.id).or_insert(corpus.spans.len() as u32);
            corpus.push(start, end, name, detail);
        }
        for link in &self.relations {
            let place = place(link.line);
            let label = find(&link.infons, RELATION_KEYS);
            corpus.relations.push(Relation {
                document: (corpus.documents.len() - 1) as u32,
                label: label.map_or_else(String::new, |at| link.infons[at].1.clone()),
                arguments: arguments(link, label, &spans),
            });
            corpus.problems.add(Kind::Relation, place, "a relation", "");
        }
    }

    /// Puts the passages together: each begins where its offset says. The error says why they make no text.
    fn assemble(&self, assembled: &mut Assembled) -> Result<(), String> {
        for passage in &self.passages {
            let mut first = None;
            if let Some(words) = &passage.text {
                first = Some(assembled.add(passage.offset, words, &self.words)?);
            }
            let mut sentences = Vec::new();
            if passage.text.is_none() {
                for sentence in &passage.sentences {
                    let at = match &sentence.text {
                        Some(words) => Some(assembled.add(sentence.offset, words, &self.words)?),
                        None => None,
                    };
                    first = first.or(at);
                    sentences.push(at);
                }
            }
            assembled.first.push((first, sentences));
        }
        Ok(())
    }
}

/// A text being put together.
#[derive(Default)]
struct Assembled {
    pieces: Vec<Piece>,
    text: String,
    /// Offset of the last piece, and its length in each unit.
    last: Option<(i64, [i64; 3])>,
    gaps: i64,
    /// Per passage: its first piece, and the piece of each sentence.
    first: Vec<(Option<u32>, Vec<Option<u32>>)>,
}

impl Assembled {
    /// Adds a piece.
    fn add(&mut self, offset: Option<i64>, words: &Words, all: &str) -> Result<u32, String> {
        let words = (words.piece, &all[words.range.clone()]);
        let number = self.pieces.len() + 1;
        let offset = offset.ok_or_else(|| format!("text {number} has no offset"))?;
        let gap = match self.last {
            None => Some(offset),
            Some((base, lengths)) => {
                let behind = |length: i64| offset.checked_sub(base)?.checked_sub(length);
                // The unit is not known yet; where one leaves exactly a separator, that is it.
                let separator = lengths.iter().any(|&length| behind(length) == Some(1));
                if separator { Some(1) } else { behind(lengths[0]) }
            }
        };
        let gap = gap.filter(|gap| (0..=MAX_GAP - self.gaps).contains(gap)).ok_or_else(|| {
            let before = self.last.map_or(0, |(base, lengths)| base.saturating_add(lengths[0]));
            format!("text {number} begins at {offset}, the one before it ends at {before}")
        })?;
        self.gaps += gap;
        let utf16 = words.1.chars().map(char::len_utf16).sum::<usize>() as i64;
        self.last = Some((offset, [code_points(words.1.as_bytes()) as i64, utf16, words.1.len() as i64]));
        let pad = gap as u32;
        self.text.extend(std::iter::repeat_n(' ', pad as usize));
        self.text.push_str(words.1);
        self.pieces.push(Piece { pad, base: Some(offset), ..words.0 });
        Ok((self.pieces.len() - 1) as u32)
    }
}

/// The infon under the first of these keys that is there; capitals are no difference.
fn find(infons: &[(String, String)], keys: &[&str]) -> Option<usize> {
    let named = |key: &&str| {
        let exact = infons.iter().position(|(name, value)| name == key && !value.trim().is_empty());
        exact.or_else(|| {
            infons
                .iter()
                .position(|(name, value)| name.trim().eq_ignore_ascii_case(key) && !value.trim().is_empty())
        })
    };
    keys.iter().find_map(named)
}

fn is_one_of(key: &str, keys: &[&str]) -> bool {
    keys.iter().any(|name| key.trim().eq_ignore_ascii_case(name))
}

/// Keeps the infons other than the type.
fn carry(detail: &mut Detail, infons: &[(String, String)], label: usize) {
    for (at, (key, value)) in infons.iter().enumerate() {
        let ncbi = key.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("ncbi"));
        if at == label {
            continue;
        }
        if ncbi || is_one_of(key, CONCEPT_KEYS) {
            if !value.is_empty() {
                detail.more().concepts.push(value.clone());
            }
            continue;
        }
        match value.trim().parse::<f64>() {
            Ok(score) if is_one_of(key, SCORE_KEYS) && score.is_finite() && detail.score.is_none() => {
                detail.score = Some(score);
            }
            _ => detail.more().attributes.push((key.clone(), value.clone())),
        }
    }
}

/// What a relation relates: concepts under numbered keys (`entity1`), or its nodes, or else what its infons
/// name.
fn arguments(link: &Link, label: Option<usize>, spans: &FxHashMap<&str, u32>) -> Vec<(String, Argument)> {
    let rest = || link.infons.iter().enumerate().filter(move |(at, _)| Some(*at) != label).map(|(_, i)| i);
    let numbered = |key: &str| {
        let name = key.trim_end_matches(|c: char| c.is_ascii_digit());
        name.len() < key.len() && is_one_of(name, &["entity", "arg", "argument", "role", "concept"])
    };
    let concept = |(key, value): &(String, String)| (key.clone(), Argument::Concept(value.clone()));
    let found: Vec<_> = rest().filter(|(key, _)| numbered(key)).map(concept).collect();
    if !found.is_empty() {
        return found;
    }
    let node = |(role, id): &(String, String)| {
        let span = spans.get(id.as_str()).map(|&at| Argument::Span(at));
        (role.clone(), span.unwrap_or_else(|| Argument::Concept(id.clone())))
    };
    if !link.nodes.is_empty() {
        return link.nodes.iter().map(node).collect();
    }
    let told = |(key, _): &&(String, String)| {
        !is_one_of(key, SCORE_KEYS) && !is_one_of(key, &["novel", "note", "annotator", "updated_at"])
    };
    rest().filter(told).map(concept).collect()
}

/// A whole number as tools write it: `12`, also `12.0`.
fn whole(text: &str) -> Option<i64> {
    let text = text.trim();
    text.strip_suffix(".0").unwrap_or(text).parse().ok()
}
