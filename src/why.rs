//! Which documents and spans stand behind a number: reads the events of the last score.

use crate::align::{Event, NONE, Outcome};
use crate::corpus::answers::{Fate, Item};
use crate::corpus::scheme::Scheme;
use crate::corpus::text::{CharIndex, TextReader};
use crate::corpus::{Corpus, Document};
use crate::failure::Failure;
use crate::metrics::span::{self, Mode, Tally};
use crate::report::Outcomes;
use crate::run::{Scored, Workspace, present};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which events are wanted; absent parts do not restrict.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Query {
    /// Index of the system.
    pub system: usize,
    /// Outcomes by name.
    pub outcomes: Option<Vec<String>>,
    /// Label that the counts are charged to.
    pub charged: Option<String>,
    /// Label of the gold span.
    pub gold_label: Option<String>,
    /// Label of the predicted span.
    pub predicted_label: Option<String>,
    /// Part of a document id, in any case.
    pub search: Option<String>,
    /// Documents to pass over.
    pub offset: usize,
    /// Documents to return at most; 100 when absent.
    pub limit: Option<usize>,
}

/// Documents with events that a query wants.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answer {
    /// Events in all documents.
    pub events: u64,
    /// Documents with such events.
    pub total: u64,
    /// One page of them, in gold order.
    pub documents: Vec<Found>,
}

/// One document of an [`Answer`].
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Found {
    /// Index for [`Workspace::open`].
    pub document: usize,
    /// Document id.
    pub id: String,
    /// Events that the query wants.
    pub events: u64,
    /// All outcomes of the document.
    pub outcomes: Outcomes,
}

/// A document with its text, spans and events.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OpenDocument {
    /// Document id.
    pub id: String,
    /// The text, read again from the file; null without one.
    pub text: Option<String>,
    /// `gold` or `prediction`: whose file the text is from.
    pub text_from: Option<&'static str>,
    /// Gold spans, in input order.
    pub gold: Vec<SpanView>,
    /// Predicted spans, in input order.
    pub predicted: Vec<SpanView>,
    /// What became of them.
    pub events: Vec<EventView>,
    /// The answers of a language model that the predicted spans came from, in reading order.
    pub answers: Vec<AnswerView>,
}

/// An answer to show beside the note.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnswerView {
    /// The type that was asked for; null where all were asked for at once.
    pub asked: Option<String>,
    /// The answer as the model wrote it, read again from the file; null where the record has none.
    pub text: Option<String>,
    /// Whether no list and no marked text was found in it, or it is not about the document.
    pub failed: bool,
    /// Its marked or listed items, in order.
    pub pieces: Vec<PieceView>,
}

/// An item of an answer.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PieceView {
    /// UTF-16 range of the answer; null where the answer writes the item in another way.
    pub range: Option<(usize, usize)>,
    /// Label as spelled.
    pub label: String,
    /// `span`, `hallucinated` (the document does not have it), `inside` (another item's span covers it),
    /// `unmapped` (the label is not scored) or `unsearched` (no text).
    pub fate: &'static str,
    /// Indices into `predicted`.
    pub spans: Vec<u32>,
}

/// A span to draw.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpanView {
    /// Label as spelled.
    pub label: String,
    /// Label it is scored as; null when it is not scored.
    pub scored_as: Option<String>,
    /// First code point, as given.
    pub start: i64,
    /// One past the last code point, as given.
    pub end: i64,
    /// UTF-16 ranges of the text, one a fragment, cut to the text; none where the span has no place in it.
    pub ranges: Vec<(usize, usize)>,
    /// The system's confidence, if the file gives one.
    pub score: Option<f64>,
    /// Concept ids.
    pub concepts: Vec<String>,
    /// Attributes as (name, value).
    pub attributes: Vec<(String, String)>,
}

/// An event to show.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EventView {
    /// Outcome by name.
    pub outcome: &'static str,
    /// Index into `gold`.
    pub gold: Option<u32>,
    /// Index into `predicted`.
    pub predicted: Option<u32>,
    /// Label that the counts are charged to.
    pub charged: String,
    /// Verdict under strict.
    pub strict: &'static str,
    /// Verdict under ent_type.
    pub ent_type: &'static str,
    /// Verdict under partial.
    pub partial: &'static str,
    /// Verdict under exact.
    pub exact: &'static str,
}

impl Workspace {
    fn scored(&self, system: usize) -> Result<(&Scored, &Corpus, &Corpus), Failure> {
        let scored = self.last().and_then(|last| last.scored.get(system)?.as_ref());
        match (scored, self.gold_corpus(), self.predicted_corpus(system)) {
            (Some(scored), Some(gold), Some(pred)) => Ok((scored, gold, pred)),
            _ => Err(Failure::no_score()),
        }
    }

    /// The documents behind a filter.
    ///
    /// # Errors
    /// When nothing is scored, or an outcome's name is unknown.
    pub fn explain(&self, query: &Query) -> Result<Answer, Failure> {
        let (scored, gold, _) = self.scored(query.system)?;
        let names = &scored.scheme.names;
        let label = |name: &Option<String>| -> Option<u32> {
            // A label that nobody has matches no event.
            name.as_ref().map(|name| names.iter().position(|n| n == name).map_or(NONE - 1, |at| at as u32))
        };
        let wanted: Option<Vec<Outcome>> = match &query.outcomes {
            None => None,
            Some(list) => Some(
                list.iter()
                    .map(|name| {
                        Outcome::ALL.into_iter().find(|outcome| outcome.name() == name).ok_or_else(|| {
                            Failure {
                                code: "bad_query",
                                message: format!("there is no outcome {name:?}"),
                                found: Some(name.clone()),
                                expected: Some(Outcome::ALL.map(Outcome::name).join(", ")),
                            }
                        })
                    })
                    .collect::<Result<_, _>>()?,
            ),
        };
        let (charged, gold_label, pred_label) =
            (label(&query.charged), label(&query.gold_label), label(&query.predicted_label));
        let fits = |event: &Event| {
            wanted.as_ref().is_none_or(|wanted| wanted.contains(&event.outcome))
                && charged.is_none_or(|label| event.charged() == label)
                && gold_label.is_none_or(|label| event.gold_label == label)
                && pred_label.is_none_or(|label| event.pred_label == label)
        };
        let search = query.search.as_ref().map(|part| part.to_lowercase());
        let limit = query.limit.unwrap_or(100);
        let mut answer = Answer { events: 0, total: 0, documents: Vec::new() };
        for (at, &(g, _)) in scored.pairing.pairs.iter().enumerate() {
            let document = &gold.documents[g as usize];
            if search.as_ref().is_some_and(|part| !document.id.to_lowercase().contains(part)) {
                continue;
            }
            let events = scored.events.of(at);
            let count = events.iter().filter(|event| fits(event)).count() as u64;
            if count == 0 {
                continue;
            }
            answer.events += count;
            answer.total += 1;
            if answer.total as usize > query.offset && answer.documents.len() < limit {
                let mut tally: Tally = [0; 6];
                events.iter().for_each(|event| tally[event.outcome as usize] += 1);
                answer.documents.push(Found {
                    document: at,
                    id: document.id.clone(),
                    events: count,
                    outcomes: span::outcomes(&tally),
                });
            }
        }
        Ok(answer)
    }

    /// One document of one system; `document` is the index that [`Workspace::explain`] gives.
    ///
    /// # Errors
    /// When nothing is scored, the document is unknown, or its file cannot be read any more.
    pub fn open(&self, system: usize, document: usize) -> Result<OpenDocument, Failure> {
        let (scored, gold, pred) = self.scored(system)?;
        let Some(&(g, p)) = scored.pairing.pairs.get(document) else {
            return Err(Failure {
                code: "bad_query",
                message: format!("there is no document {document}"),
                found: None,
                expected: None,
            });
        };
        let gold_document = &gold.documents[g as usize];
        let pred_document = p.map(|p| &pred.documents[p as usize]);
        let mut text = String::new();
        let mut text_from = None;
        if TextReader::new(gold).read(gold_document, &mut text)? {
            text_from = Some("gold");
        } else if let Some(pred_document) = pred_document
            && TextReader::new(pred).read(pred_document, &mut text)?
        {
            text_from = Some("prediction");
        }
        let places = Places::new(&text);
        let scheme = &scored.scheme;
        let view = |corpus: &Corpus, document: &Document, mapping: &crate::corpus::scheme::Mapping| {
            corpus
                .spans_of(document)
                .iter()
                .map(|span| {
                    let detail = corpus.detail(span);
                    let fragments = match detail {
                        Some(detail) if detail.unplaced => Vec::new(),
                        Some(detail) if !detail.fragments.is_empty() => detail.fragments.clone(),
                        _ => vec![(span.start, span.end)],
                    };
                    let more = detail.and_then(|detail| detail.more.as_deref()).cloned().unwrap_or_default();
                    SpanView {
                        label: corpus.labels.name(span.label).to_owned(),
                        scored_as: scheme
                            .scored(mapping, span.label)
                            .map(|at| scheme.names[at as usize].clone()),
                        start: span.start,
                        end: span.end,
                        ranges: fragments.iter().filter_map(|&(s, e)| places.range(s, e)).collect(),
                        score: detail.and_then(|detail| detail.score),
                        concepts: more.concepts,
                        attributes: more.attributes,
                    }
                })
                .collect::<Vec<_>>()
        };
        let events = scored.events.of(document).iter().map(|event| {
            let verdict = |mode| span::verdict(mode, event.outcome).name();
            EventView {
                outcome: event.outcome.name(),
                gold: present(event.gold).map(|at| at - gold_document.spans.start),
                predicted: present(event.pred).map(|at| at - pred_document.map_or(0, |d| d.spans.start)),
                charged: scheme.names[event.charged() as usize].clone(),
                strict: verdict(Mode::Strict),
                ent_type: verdict(Mode::EntType),
                partial: verdict(Mode::Partial),
                exact: verdict(Mode::Exact),
            }
        });
        let answers = p.map_or_else(|| Ok(Vec::new()), |p| answers(pred, scheme, p))?;
        Ok(OpenDocument {
            answers,
            id: gold_document.id.clone(),
            gold: view(gold, gold_document, &scheme.gold),
            predicted: pred_document.map_or_else(Vec::new, |d| view(pred, d, &scheme.pred)),
            events: events.collect(),
            text: text_from.map(|_| text.clone()),
            text_from,
        })
    }
}

/// The answers to a predicted document, and what became of their items.
fn answers(pred: &Corpus, scheme: &Scheme, document: u32) -> Result<Vec<AnswerView>, Failure> {
    let mut views: Vec<(usize, AnswerView)> = Vec::new();
    for (at, answer) in pred.answers.iter().enumerate().filter(|(_, answer)| answer.document == document) {
        let text = TextReader::new(pred).own(answer.text.as_ref())?;
        let asked = answer.asked.as_deref().map(str::to_owned);
        views.push((at, AnswerView { asked, text, failed: answer.failed, pieces: Vec::new() }));
    }
    if views.is_empty() {
        return Ok(Vec::new());
    }
    let mut spans: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for (at, span) in pred.spans_of(&pred.documents[document as usize]).iter().enumerate() {
        let unplaced = pred.detail(span).is_some_and(|detail| detail.unplaced);
        if let Some(item) = pred.item_of(span).filter(|_| !unplaced) {
            spans.entry(item).or_default().push(at as u32);
        }
    }
    let mut items: BTreeMap<usize, Vec<(usize, &Item)>> = BTreeMap::new();
    for (at, item) in pred.items.iter().enumerate() {
        let answer = item.answer as usize;
        if pred.answers.get(answer).is_some_and(|answer| answer.document == document) {
            items.entry(answer).or_default().push((at, item));
        }
    }
    let mut piece = |(at, item): (usize, &Item), units: &Units<'_>| {
        let unmapped = scheme.scored(&scheme.pred, item.label).is_none();
        PieceView {
            range: units.range(item.at.start as usize, item.at.end as usize),
            label: pred.labels.name(item.label).to_owned(),
            fate: match item.fate {
                Fate::Span if unmapped => "unmapped",
                Fate::Span => "span",
                Fate::Hallucinated => "hallucinated",
                Fate::Inside => "inside",
                Fate::Unsearched => "unsearched",
            },
            spans: spans.remove(&at).unwrap_or_default(),
        }
    };
    for (at, view) in &mut views {
        let units = Units::new(view.text.as_deref().unwrap_or(""));
        let items = items.remove(at).unwrap_or_default();
        view.pieces = items.into_iter().map(|item| piece(item, &units)).collect();
    }
    Ok(views.into_iter().map(|(_, view)| view).collect())
}

/// Bytes → UTF-16 units of one text.
struct Units<'t> {
    text: &'t str,
    /// UTF-16 offset of each byte; none for ASCII.
    units: Option<Vec<u32>>,
}

impl<'t> Units<'t> {
    fn new(text: &'t str) -> Self {
        let units = (!text.is_ascii()).then(|| {
            let mut units = vec![0; text.len() + 1];
            let mut unit = 0;
            for (at, c) in text.char_indices() {
                units[at] = unit;
                unit += c.len_utf16() as u32;
            }
            units[text.len()] = unit;
            units
        });
        Units { text, units }
    }

    fn at(&self, byte: usize) -> usize {
        self.units.as_ref().map_or(byte, |units| units[byte] as usize)
    }

    fn range(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        self.text.get(start..end).filter(|part| !part.is_empty())?;
        Some((self.at(start), self.at(end)))
    }
}

/// Code points → UTF-16 units of one text: the unit of JavaScript strings, needed for drawing alone.
struct Places<'t> {
    index: CharIndex<'t>,
    units: Units<'t>,
    length: i64,
}

impl<'t> Places<'t> {
    fn new(text: &'t str) -> Self {
        let length = text.chars().count() as i64;
        Places { index: CharIndex::new(text), units: Units::new(text), length }
    }

    fn range(&self, start: i64, end: i64) -> Option<(usize, usize)> {
        let unit = |at: i64| Some(self.units.at(self.index.byte(at.clamp(0, self.length))?));
        let (start, end) = (unit(start)?, unit(end)?);
        (start < end).then_some((start, end))
    }
}
