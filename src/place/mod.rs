//! Where spans stand: offsets in the unit of their file become code points of the text that is scored. Spans
//! without offsets are searched by their own text, and spans of another text (tokens, a model's reply) are
//! brought to gold's. Runs once a side, after reading; predictions need gold's texts where they have none.

use crate::corpus::offsets::{Found, Wanted, Way};
use crate::corpus::problems::{Kind, Place};
use crate::corpus::text::{CharIndex, TextReader};
use crate::corpus::{Corpus, Detail, Document, Own, Search, Span, Surface, TextKind, Unit};
use crate::formats::{envelope, tags};
use crate::source::SourceError;
use offsets::{Evidence, Ruler, Shape};
use project::Projection;
use rustc_hash::{FxHashMap, FxHashSet};
use search::Squeezed;
use std::collections::BTreeMap;
use std::ops::Range;

pub mod answers;
mod grid;
pub mod offsets;
mod project;
mod search;
mod surface;
pub mod tokens;

/// Which occurrences of an item without offsets become spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Occurrences {
    /// Every one (as the NCER benchmark does).
    #[default]
    All,
    /// The first one.
    First,
    /// The first one that no item before it took.
    Next,
}

/// How generated text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Llm {
    /// By the rules of the NCER benchmark's parsers.
    Reference,
    /// Brought to the document's text.
    #[default]
    Aligned,
}

impl Llm {
    /// Name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Llm::Reference => "reference",
            Llm::Aligned => "aligned",
        }
    }
}

/// What the options say about places.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Placing {
    /// About offsets.
    pub offsets: Wanted,
    /// For items without offsets.
    pub occurrences: Occurrences,
    /// Bring predictions to gold's text where the texts differ.
    pub realign: bool,
    /// How generated text is read.
    pub llm: Llm,
}

/// Gold, for predictions: its texts are what is scored.
#[derive(Clone, Copy)]
pub struct Against<'g> {
    /// The gold corpus, in place.
    pub gold: &'g Corpus,
    /// Per predicted document: the gold document it met.
    pub documents: &'g [Option<u32>],
}

/// Puts every span of a side in its place.
///
/// # Errors
/// When a file cannot be read any more.
pub fn settle(
    corpus: &mut Corpus,
    against: Option<Against<'_>>,
    placing: &Placing,
) -> Result<(), SourceError> {
    grid::settle(corpus, against)?;
    let groups = Groups::new(corpus);
    let evidence = gather(corpus, against, placing, &groups)?;
    let mut ways: Vec<Found> = Vec::new();
    for (group, evidence) in groups.list.iter().zip(&evidence) {
        let way = evidence.decide();
        ways.push(Found {
            format: group.format,
            way: evidence.ways[way],
            inferred: way != 0,
            checked: evidence.checked,
            agree: evidence.agree[way],
            deciding: evidence.deciding(way),
            boms: [0; 2],
            astral: 0,
        });
        let best = evidence.best();
        if evidence.checked > 0 && evidence.agree[way] * 2 < evidence.checked {
            let found = format!(
                "{} of {} spans have the text that stands at their offsets; the best other reading fits {}",
                evidence.agree[way], evidence.checked, evidence.agree[best]
            );
            let place = Place::at(group.first, 0);
            corpus.problems.add(
                Kind::OffsetsUnclear,
                place,
                found,
                "offsets of the text; check that both files are of the same text and, where documents meet by position, in the same order",
            );
        }
    }
    let (unsure, strangers) = (BTreeMap::new(), FxHashSet::default());
    let mut settler = Settler { against, placing, ways, groups, unsure, strangers };
    settler.run(corpus)?;
    settler.say_unsure(corpus);
    let lengths: Vec<Option<u64>> = (0..corpus.documents.len())
        .map(|at| {
            let document = &corpus.documents[at];
            let own = document.settled_on.or(document.digest);
            own.or_else(|| reference(corpus, at, against)?.1.digest).map(|digest| digest.length)
        })
        .collect();
    corpus.list_unusable(|at| lengths[at]);
    tags::list_ill_formed(corpus);
    if let Some(against) = against {
        list_early_end(corpus, against, &lengths);
    }
    answers::settle(corpus, &settler.strangers, &lengths);
    corpus.offsets = settler.ways;
    for (file, group) in settler.groups.of.iter().enumerate() {
        corpus.files[file].offsets = *group;
    }
    Ok(())
}

/// Models cut long texts off without a word: says so where predictions end early in most long documents whose
/// gold does not.
fn list_early_end(corpus: &mut Corpus, against: Against<'_>, lengths: &[Option<u64>]) {
    const LONG: u64 = 1_500;
    let (mut long, mut early, mut file) = (0_u64, 0_u64, None);
    for (at, document) in corpus.documents.iter().enumerate() {
        let Some(length) = lengths[at].filter(|&length| length >= LONG) else { continue };
        let Some(met) = against.documents.get(at).copied().flatten() else { continue };
        let late = i64::try_from(length).map_or(i64::MAX, |length| length / 5 * 3);
        let ends_late = |spans: &[Span]| spans.iter().any(|span| span.end > late);
        let gold = against.gold.spans_of(&against.gold.documents[met as usize]);
        let spans = corpus.spans_of(document);
        if ends_late(gold) && !spans.is_empty() {
            long += 1;
            if !ends_late(spans) {
                early += 1;
                file.get_or_insert(document.file);
            }
        }
    }
    if let Some(file) = file.filter(|_| long >= 3 && early * 2 > long) {
        let found = format!(
            "in {early} of {long} documents of {LONG} characters and more, no prediction lies in the last 40 %, where gold has spans"
        );
        let expected = "predictions on the whole text; split long texts before the model reads them";
        corpus.problems.add(Kind::EndsEarly, Place::at(file, 0), found, expected);
    }
}

/// Files whose offsets are read alike: of one format and unit.
struct Groups {
    list: Vec<Group>,
    /// Per file.
    of: Vec<Option<u32>>,
}

struct Group {
    format: &'static str,
    unit: Unit,
    wanted: Wanted,
    first: u32,
}

impl Groups {
    fn new(corpus: &Corpus) -> Self {
        let mut list: Vec<Group> = Vec::new();
        let of = corpus
            .files
            .iter()
            .enumerate()
            .map(|(at, file)| {
                let format = file.format?;
                let same = |group: &Group| {
                    group.format == format && group.unit == file.unit && group.wanted == file.wanted
                };
                let found = list.iter().position(same).unwrap_or_else(|| {
                    list.push(Group { format, unit: file.unit, wanted: file.wanted, first: at as u32 });
                    list.len() - 1
                });
                Some(found as u32)
            })
            .collect();
        Groups { list, of }
    }
}

/// The text that a document's offsets count in: its own, or the one of the gold document it met.
fn reference<'c>(
    corpus: &'c Corpus,
    document: usize,
    against: Option<Against<'c>>,
) -> Option<(&'c Corpus, &'c Document)> {
    let own = &corpus.documents[document];
    if own.digest.is_some() {
        return Some((corpus, own));
    }
    let against = against?;
    let met = against.documents.get(document).copied().flatten()?;
    let gold = &against.gold.documents[met as usize];
    gold.digest.is_some().then_some((against.gold, gold))
}

/// Reads the text of a document into `text`, and notes where its passages start.
fn read_text(
    corpus: &Corpus,
    document: &Document,
    text: &mut String,
    passages: &mut Vec<Passage>,
) -> Result<(), SourceError> {
    let mut reader = TextReader::new(corpus);
    text.clear();
    passages.clear();
    let mut point = 0;
    for piece in &corpus.pieces[document.text.start as usize..document.text.end as usize] {
        text.extend(std::iter::repeat_n(' ', piece.pad as usize));
        point += i64::from(piece.pad);
        let before = text.len();
        reader.append(piece, text)?;
        passages.push(Passage { start: point, base: piece.base });
        point += crate::corpus::text::code_points(&text.as_bytes()[before..]) as i64;
    }
    Ok(())
}

/// One passage of a text.
#[derive(Clone, Copy)]
struct Passage {
    /// Its first code point.
    start: i64,
    /// The offset that the file gives for it.
    base: Option<i64>,
}

/// A text measured one way.
struct Measured<'t> {
    ruler: Ruler,
    passages: &'t [Passage],
    way: Way,
}

impl<'t> Measured<'t> {
    fn new(text: &str, passages: &'t [Passage], way: Way) -> Self {
        Measured { ruler: Ruler::new(text, &way), passages, way }
    }

    /// A range in code points; none inside a character.
    fn range(&self, (start, end): (i64, i64), passage: Option<u32>) -> Option<(i64, i64)> {
        let end = if self.way.inclusive { end.checked_add(1)? } else { end };
        let known = |at: u32| self.passages.get(at as usize).filter(|p| p.base.is_some());
        let passage = passage
            .and_then(known)
            .or_else(|| self.passages.iter().rev().find(|p| p.base.is_some_and(|base| base <= start)));
        let shift = match passage {
            Some(Passage { start: at, base: Some(base) }) => {
                self.ruler.position(*at) - if self.way.passage { 0 } else { *base }
            }
            _ => 0,
        };
        let is_inverted = start > end;
        let start = self.ruler.start(start.checked_add(shift)?)?;
        let end = self.ruler.end(end.checked_add(shift)?)?;
        // Characters that count nothing stand before a start and behind an end: an empty span stays empty.
        Some((start, if is_inverted { end } else { end.max(start) }))
    }

    fn ranges(&self, span: &Span, detail: &Detail) -> Option<Vec<(i64, i64)>> {
        if detail.fragments.is_empty() {
            return Some(vec![self.range((span.start, span.end), detail.passage)?]);
        }
        detail.fragments.iter().map(|&range| self.range(range, detail.passage)).collect()
    }
}

/// Compares own texts with the documents' texts, every way that is open.
fn gather(
    corpus: &Corpus,
    against: Option<Against<'_>>,
    placing: &Placing,
    groups: &Groups,
) -> Result<Vec<Evidence>, SourceError> {
    let mut evidence: Vec<Evidence> = groups
        .list
        .iter()
        .map(|group| Evidence::new(offsets::open_ways(group.unit, &group.wanted.or(placing.offsets))))
        .collect();
    if !corpus.has_details() {
        return Ok(evidence);
    }
    let (mut text, mut passages) = (String::new(), Vec::new());
    for (at, document) in corpus.documents.iter().enumerate() {
        let Some(group) = groups.of[document.file as usize] else { continue };
        let compared = |detail: &Detail| detail.own.is_some() && detail.search.is_none();
        let has_own = |span: &Span| corpus.detail(span).is_some_and(compared);
        if document.text_kind != TextKind::Original && document.digest.is_some() {
            continue;
        }
        let spans: Vec<&Span> = corpus.spans_of(document).iter().filter(|span| has_own(span)).collect();
        if spans.is_empty() {
            continue;
        }
        let Some((of, holder)) = reference(corpus, at, against) else { continue };
        read_text(of, holder, &mut text, &mut passages)?;
        let own = own_texts(corpus, spans.iter().copied())?;
        let index = CharIndex::new(&text);
        let based = passages.iter().any(|p| p.base.is_some());
        let shape = Shape::of(&text, based);
        evidence[group as usize].add(&shape, |way| {
            best_bom(&shape, placing, way, |way| {
                let measured = Measured::new(&text, &passages, way);
                agreement(corpus, &spans, &own, &index, &measured)
            })
            .1
        });
    }
    Ok(evidence)
}

/// The reading of a byte-order mark that more spans agree with, and what agrees then.
fn best_bom(
    shape: &Shape,
    placing: &Placing,
    way: Way,
    agreement: impl Fn(Way) -> Vec<bool>,
) -> (bool, Vec<bool>) {
    let ways = match (shape.bom, placing.offsets.bom) {
        (false, _) => vec![true],
        (true, Some(bom)) => vec![bom],
        (true, None) => vec![true, false],
    };
    let mut best: Option<(usize, bool, Vec<bool>)> = None;
    for bom in ways {
        let agree = agreement(Way { bom, ..way });
        let count = agree.iter().filter(|&&a| a).count();
        if best.as_ref().is_none_or(|(most, ..)| count > *most) {
            best = Some((count, bom, agree));
        }
    }
    best.map_or((true, Vec::new()), |(_, bom, agree)| (bom, agree))
}

fn agreement(
    corpus: &Corpus,
    spans: &[&Span],
    own: &[String],
    index: &CharIndex<'_>,
    measured: &Measured<'_>,
) -> Vec<bool> {
    let agrees = |(span, own): (&&Span, &String)| {
        let ranges = corpus.detail(span).and_then(|detail| measured.ranges(span, detail));
        ranges.and_then(|ranges| surface::there(index, &ranges).map(|there| offsets::agrees(own, &there)))
            == Some(true)
    };
    spans.iter().zip(own).map(agrees).collect()
}

/// The own texts of spans, empty where one has none.
fn own_texts<'c>(
    corpus: &'c Corpus,
    spans: impl Iterator<Item = &'c Span>,
) -> Result<Vec<String>, SourceError> {
    let mut reader = TextReader::new(corpus);
    spans.map(|span| own_text(&mut reader, corpus.detail(span).and_then(|d| d.own.as_ref()))).collect()
}

/// A span's own text; empty where it has none.
pub(crate) fn own_text(reader: &mut TextReader<'_>, own: Option<&Own>) -> Result<String, SourceError> {
    let mut text = reader.own(own)?.unwrap_or_default();
    // What ends a line of the file is no part of the annotation.
    text.truncate(text.trim_end_matches(['\r', '\n']).len());
    Ok(text)
}

/// Starts and ends on word boundaries, counted in each unit, where no own text tells the unit.
#[derive(Default)]
struct Unsure {
    spans: u64,
    /// Both bounds on word boundaries: as they are read, as UTF-16.
    fit: [u64; 2],
    documents: u64,
}

struct Settler<'a> {
    against: Option<Against<'a>>,
    placing: &'a Placing,
    ways: Vec<Found>,
    groups: Groups,
    unsure: BTreeMap<u32, Unsure>,
    /// Documents whose reply is about something else.
    strangers: FxHashSet<u32>,
}

impl Settler<'_> {
    fn run(&mut self, corpus: &mut Corpus) -> Result<(), SourceError> {
        let mut spans: Vec<Span> = Vec::new();
        let mut ranges: Vec<Range<u32>> = Vec::with_capacity(corpus.documents.len());
        let mut moved: Vec<u32> = Vec::new();
        let rebuild = corpus.any_detail(|detail| detail.search.is_some());
        let (mut text, mut passages) = (String::new(), Vec::new());
        for at in 0..corpus.documents.len() {
            let from = spans.len() as u32;
            let found = self.document(corpus, at, &mut text, &mut passages)?;
            if rebuild {
                let range = corpus.documents[at].spans.clone();
                for span in range {
                    moved.push(spans.len() as u32);
                    match found.as_ref().and_then(|found| found.more.get(&span)) {
                        None => spans.push(corpus.spans[span as usize]),
                        Some(places) => {
                            for &(start, end) in places {
                                spans.push(corpus.spans[span as usize].moved(start, end));
                            }
                        }
                    }
                }
                ranges.push(from..spans.len() as u32);
            }
        }
        if rebuild {
            corpus.replace_spans(spans, ranges, &moved);
        }
        Ok(())
    }

    /// One document. Returns the places of spans that were searched.
    fn document(
        &mut self,
        corpus: &mut Corpus,
        at: usize,
        text: &mut String,
        passages: &mut Vec<Passage>,
    ) -> Result<Option<Searched>, SourceError> {
        let document = &corpus.documents[at];
        let Some(group) = self.groups.of[document.file as usize] else { return Ok(None) };
        let way = self.ways[group as usize].way;
        if document.spans.is_empty() && document.text_kind != TextKind::Reply {
            return Ok(None);
        }
        // White space at edges that the reader noted needs no text again.
        let details = corpus.has_details()
            && corpus.spans_of(document).iter().any(|span| corpus.detail(span).is_some_and(needs_text));
        let own_digest = document.digest;
        let met = self.against.and_then(|against| {
            let met = against.documents.get(at).copied().flatten()?;
            Some(&against.gold.documents[met as usize])
        });
        let gold_digest = met.and_then(|met| met.digest);
        let differs = own_digest.is_some() && gold_digest.is_some() && own_digest != gold_digest;
        let digest = own_digest.or(gold_digest);
        let astral = digest.is_some_and(|digest| digest.astral);
        self.ways[group as usize].astral += u64::from(astral);
        if !(details || !way.is_plain() || differs || astral || !document.edges_known) {
            return Ok(None);
        }
        let document = document.clone();
        if digest.is_none() {
            if !way.is_plain() {
                self.lacks_text(corpus, &document, &way);
            }
            not_searched(corpus, &document);
            return Ok(None);
        }
        match (own_digest, self.against, met) {
            (None, Some(against), Some(met)) => read_text(against.gold, met, text, passages)?,
            _ => read_text(corpus, &document, text, passages)?,
        }
        // Tokens and replies are ours: their offsets are code points.
        let ours = document.text_kind != TextKind::Original;
        let way = if ours { Way::of(Unit::CodePoint) } else { way };
        let way = self.convert(corpus, &document, group, way, text, passages)?;
        if astral && way.unit == Unit::CodePoint && !ours {
            self.note_boundaries(corpus, &document, group, text);
        }
        let gold = match met.filter(|_| differs) {
            Some(met) => self.project(corpus, &document, at, met, text)?,
            None => None,
        };
        // The text that is scored is searched.
        search_spans(corpus, &document, gold.as_ref().unwrap_or(text), self.placing.occurrences)
    }

    /// Converts offsets, compares own texts, finds white space at edges. Returns the way, byte-order mark
    /// decided.
    fn convert(
        &mut self,
        corpus: &mut Corpus,
        document: &Document,
        group: u32,
        way: Way,
        text: &str,
        passages: &[Passage],
    ) -> Result<Way, SourceError> {
        let index = CharIndex::new(text);
        let shape = Shape::of(text, false);
        let range = document.spans.start as usize..document.spans.end as usize;
        let mut own = Vec::new();
        {
            let mut reader = TextReader::new(corpus);
            for span in &corpus.spans[range.clone()] {
                let text = match corpus.detail(span) {
                    Some(Detail { own: Some(own), search: None, .. }) => {
                        Some(own_text(&mut reader, Some(own))?)
                    }
                    _ => None,
                };
                own.push(text);
            }
        }
        let mut way = way;
        if shape.bom {
            let with: Vec<&Span> = corpus.spans[range.clone()]
                .iter()
                .zip(&own)
                .filter(|(_, own)| own.is_some())
                .map(|(span, _)| span)
                .collect();
            let texts: Vec<String> = own.iter().flatten().cloned().collect();
            way.bom = best_bom(&shape, self.placing, way, |way| {
                agreement(corpus, &with, &texts, &index, &Measured::new(text, passages, way))
            })
            .0;
            if !with.is_empty() || self.placing.offsets.bom.is_some() {
                self.ways[group as usize].boms[usize::from(!way.bom)] += 1;
            } else {
                // No evidence here: as most others of the set so far.
                let [counted, not] = self.ways[group as usize].boms;
                way.bom = not <= counted;
            }
        }
        let plain = way.is_plain() && passages.iter().all(|p| p.base.is_none_or(|base| base == p.start));
        let measured = Measured::new(text, passages, way);
        for (span_at, own) in range.zip(own) {
            let span = corpus.spans[span_at];
            let detail = corpus.detail(&span);
            if detail.is_some_and(|d| d.search.is_some()) {
                continue;
            }
            let empty = Detail::default();
            let line = detail.map_or(0, |d| d.line);
            let ranges = if plain && detail.is_none() {
                Some(vec![(span.start, span.end)])
            } else {
                measured.ranges(&span, detail.unwrap_or(&empty))
            };
            let place = document.place(line);
            let Some(ranges) = ranges else {
                let found = format!("a span {}–{} with an end inside a character", span.start, span.end);
                let expected = format!("offsets in {} that lie between characters", way.unit.name());
                corpus.problems.add(Kind::OffsetInsideCharacter, place, found, expected);
                corpus.detail_mut(span_at).unplaced = true;
                continue;
            };
            let (start, end) = envelope(&ranges);
            corpus.spans[span_at].start = start;
            corpus.spans[span_at].end = end;
            if ranges.len() > 1 {
                corpus.detail_mut(span_at).fragments = ranges.clone();
            }
            if let Some(own) = own {
                let surface = surface::compare(&own, &index, &ranges);
                surface::report(&mut corpus.problems, surface, place, span.start, span.end);
                if surface != Surface::Agrees {
                    corpus.detail_mut(span_at).surface = surface;
                }
            }
            // What the reader saw at the edges may be another place.
            let trimmed = index.trim(start, end);
            if trimmed.is_some() || corpus.detail(&corpus.spans[span_at]).is_some_and(|d| d.trimmed.is_some())
            {
                corpus.detail_mut(span_at).trimmed = trimmed;
            }
        }
        Ok(way)
    }

    /// Spans of another text come to gold's, if they may. Returns gold's text where they did.
    fn project(
        &mut self,
        corpus: &mut Corpus,
        document: &Document,
        number: usize,
        met: &Document,
        text: &str,
    ) -> Result<Option<String>, SourceError> {
        let Some(against) = self.against else { return Ok(None) };
        let mut gold = String::new();
        TextReader::new(against.gold).read(met, &mut gold)?;
        let place = document.place(0);
        let ours = document.text_kind != TextKind::Original || met.text_kind != TextKind::Original;
        let same_view = !ours && views_agree(text, &gold);
        if !ours && !same_view && !self.placing.realign {
            return Ok(None);
        }
        let projection = Projection::new(text, &gold);
        let answers = document.text_kind != TextKind::Reply || projection.met * 2 > 100;
        if !answers {
            self.strangers.insert(number as u32);
        }
        let kind = match (document.text_kind, projection.complete) {
            (TextKind::Reply, _) if !answers => Kind::ReplyWithoutDocument,
            (TextKind::Reply, true) => Kind::ReplyRespaced,
            (TextKind::Reply, false) => Kind::ReplyRewritten,
            _ if same_view => Kind::TextViewDiffers,
            _ => Kind::TextRealigned,
        };
        let found =
            format!("{} % of gold's characters, white space left out, are in this text", projection.met);
        corpus.problems.add(kind, place.clone(), found, "gold's text");
        for at in document.spans.start as usize..document.spans.end as usize {
            let span = corpus.spans[at];
            let detail = corpus.detail(&span).cloned().unwrap_or_default();
            if detail.search.is_some() || detail.unplaced {
                continue;
            }
            let single = [(span.start, span.end)];
            let ranges = if detail.fragments.is_empty() { &single[..] } else { &detail.fragments };
            let there: Option<Vec<(i64, i64)>> =
                ranges.iter().map(|&(start, end)| projection.range(start, end)).collect();
            match there.filter(|_| answers) {
                Some(ranges) => {
                    let (start, end) = envelope(&ranges);
                    corpus.spans[at].start = start;
                    corpus.spans[at].end = end;
                    if ranges.len() > 1 {
                        corpus.detail_mut(at).fragments = ranges;
                    }
                    if detail.trimmed.is_some() {
                        corpus.detail_mut(at).trimmed = None;
                    }
                }
                None => {
                    let found =
                        format!("a span {}–{} of a text that gold does not have", span.start, span.end);
                    corpus.problems.add(Kind::NotInText, place.clone(), found, "a part of gold's text");
                    corpus.detail_mut(at).unplaced = true;
                }
            }
        }
        corpus.documents[number].settled_on = met.digest;
        Ok(Some(gold))
    }

    fn lacks_text(&self, corpus: &mut Corpus, document: &Document, way: &Way) {
        let place = document.place(0);
        let found = format!("offsets in {} and no text to convert them by", way.unit.name());
        corpus.problems.add(Kind::NotConverted, place, found, "the document's text, on either side");
    }

    /// Counts how many spans keep to word boundaries, as they are and as UTF-16, where no own text decides.
    fn note_boundaries(&mut self, corpus: &Corpus, document: &Document, group: u32, text: &str) {
        if self.ways[group as usize].checked > 0 || self.placing.offsets.unit.is_some() {
            return;
        }
        let way = |unit| Ruler::new(text, &Way::of(unit));
        let utf16 = way(Unit::Utf16);
        let chars: Vec<char> = text.chars().collect();
        let first = chars.iter().position(|c| c.len_utf16() > 1).unwrap_or(chars.len()) as i64;
        let word = |at: i64| {
            usize::try_from(at).ok().and_then(|at| chars.get(at)).is_some_and(|c| c.is_alphanumeric())
        };
        let before = |at: i64| word(at.saturating_sub(1));
        let edge = |at: i64| !(before(at) && word(at));
        let fits = |start: i64, end: i64| edge(start) && edge(end) && word(start) && before(end);
        let unsure = self.unsure.entry(group).or_default();
        unsure.documents += 1;
        for span in corpus.spans_of(document).iter().filter(|span| span.start > first) {
            unsure.spans += 1;
            unsure.fit[0] += u64::from(fits(span.start, span.end));
            let there = utf16.start(span.start).zip(utf16.end(span.end));
            unsure.fit[1] += u64::from(there.is_some_and(|(start, end)| fits(start, end)));
        }
    }

    fn say_unsure(&self, corpus: &mut Corpus) {
        for (group, unsure) in &self.unsure {
            let [here, utf16] = unsure.fit;
            if unsure.spans == 0 || utf16 * 100 < unsure.spans * 95 || here * 2 > unsure.spans {
                continue;
            }
            let found = format!(
                "{utf16} of {} spans in {} documents with characters outside the BMP keep to word boundaries as UTF-16 units, {here} as code points; without their own texts nothing is converted",
                unsure.spans, unsure.documents
            );
            let place = Place::at(self.groups.list[*group as usize].first, 0);
            let expected = "code points; choose the offsets utf16 if that is what they are";
            corpus.problems.add(Kind::OffsetsUnclear, place, found, expected);
        }
    }
}

/// Whether a text must settle the span: what else a span may have does not depend on it.
fn needs_text(detail: &Detail) -> bool {
    detail.own.is_some() || detail.search.is_some() || detail.passage.is_some()
}

/// Spans without offsets have no place without a text.
fn not_searched(corpus: &mut Corpus, document: &Document) {
    for at in document.spans.start as usize..document.spans.end as usize {
        let Some(line) = corpus.detail(&corpus.spans[at]).filter(|d| d.search.is_some()).map(|d| d.line)
        else {
            continue;
        };
        let place = document.place(line);
        let found = "an item without offsets and no text to search";
        corpus.problems.add(Kind::NotSearched, place, found, "the document's text, on either side");
        corpus.detail_mut(at).unplaced = true;
    }
}

/// Places of the spans that were searched, by index.
struct Searched {
    more: BTreeMap<u32, Vec<(i64, i64)>>,
}

/// Spans that searching may make in one document.
const MOST_FOUND: usize = 200_000;

/// Searches the spans without offsets.
fn search_spans(
    corpus: &mut Corpus,
    document: &Document,
    text: &str,
    occurrences: Occurrences,
) -> Result<Option<Searched>, SourceError> {
    let wanted: Vec<(u32, Search)> = document
        .spans
        .clone()
        .filter_map(|at| Some((at, corpus.detail(&corpus.spans[at as usize])?.search?)))
        .collect();
    if wanted.is_empty() {
        return Ok(None);
    }
    let own = own_texts(corpus, wanted.iter().map(|&(at, _)| &corpus.spans[at as usize]))?;
    let squeezed = Squeezed::new(text);
    let mut more: BTreeMap<u32, Vec<(i64, i64)>> = BTreeMap::new();
    let mut taken: FxHashSet<(i64, i64, u32)> = FxHashSet::default();
    // Places of each item, and per label how many of them are known to be taken.
    let mut known: FxHashMap<&str, Vec<(i64, i64)>> = FxHashMap::default();
    let mut used: FxHashMap<(&str, u32), usize> = FxHashMap::default();
    let (mut reach, mut made) = (0, 0_usize);
    for (&(at, search), own) in wanted.iter().zip(&own) {
        let label = corpus.spans[at as usize].label;
        let all = &*known.entry(own).or_insert_with(|| squeezed.find(own));
        let ahead = if search == Search::Next { all.partition_point(|place| place.0 < reach) } else { 0 };
        let all = &all[ahead..];
        // Offsets that a model gave beside the text choose among its places.
        let given = (corpus.spans[at as usize].start, corpus.spans[at as usize].end);
        let free = |place: &(i64, i64)| !taken.contains(&(place.0, place.1, label));
        let places: Vec<(i64, i64)> = match (search, occurrences) {
            _ if all.binary_search(&given).is_ok() => [given].into_iter().filter(free).collect(),
            (Search::Next, _) | (Search::Listed, Occurrences::First) => all.iter().copied().take(1).collect(),
            (Search::Listed, Occurrences::All) => {
                let left = MOST_FOUND.saturating_sub(made);
                all.iter().copied().filter(free).take(left).collect()
            }
            (Search::Listed, Occurrences::Next) => {
                let from = used.entry((own, label)).or_default();
                *from += all[*from..].iter().take_while(|place| !free(place)).count();
                all.get(*from).copied().into_iter().collect()
            }
        };
        made += places.len();
        let detail_line = corpus.detail(&corpus.spans[at as usize]).map_or(0, |d| d.line);
        let place = document.place(detail_line);
        if all.is_empty() {
            let found = "an item that does not occur in the text";
            corpus.problems.add(Kind::NotInText, place, found, "a part of the document's text");
            corpus.detail_mut(at as usize).unplaced = true;
            continue;
        }
        for &(start, end) in &places {
            taken.insert((start, end, label));
            reach = reach.max(end);
        }
        let kind = if all.len() > 1 { Kind::FoundMore } else { Kind::FoundOnce };
        let found = format!("an item without offsets, {} places", all.len());
        let expected = if made < MOST_FOUND { "" } else { "fewer places in all: not every one was taken" };
        corpus.problems.add(kind, place, found, expected);
        more.insert(at, places);
    }
    for at in more.keys() {
        let detail = corpus.detail_mut(*at as usize);
        detail.search = None;
    }
    Ok(Some(Searched { more }))
}

/// Whether texts are the same but for a byte-order mark and line ends.
fn views_agree(a: &str, b: &str) -> bool {
    let view = |text: &str| -> Vec<u8> {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        text.replace("\r\n", "\n").into_bytes()
    };
    view(a) == view(b)
}
