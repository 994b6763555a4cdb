//! i2b2 and n2c2 XML: a file with `<TEXT>` and `<TAGS>`, whose tags are elements with `start`, `end` and `text`
//! (2014 de-identification, MEDDOCAN, MAE's `spans`). The label is the attribute `TYPE`, or else the element's
//! name. Tags without offsets (2014 heart disease, 2018 track 1) are labels of the document.

use super::xml::{self, Content, Event, Tag, Xml};
use super::{Format, Reading, envelope};
use crate::corpus::problems::{Kind, Place};
use crate::corpus::text::{Digest, Form, Piece};
use crate::corpus::{Argument, Class, Detail, Own, Relation};
use crate::source::{Source, SourceError, read_range};
use rustc_hash::FxHashMap;

/// The format.
pub static FORMAT: Format =
    Format { file_is_document: true, ..Format::of("i2b2", "i2b2 / n2c2 XML", sniff, read) };

fn sniff(head: &str) -> Option<(u8, String)> {
    let elements = xml::elements(head, 8);
    let (_, root) = elements.first()?;
    let inner = elements.iter().find(|(depth, name)| *depth == 1 && matches!(name.as_str(), "TEXT" | "TAGS"));
    // The root's name is the task's; it may be anything, so it is only quoted when it is short.
    inner.filter(|_| root.len() < 40).map(|_| (98, format!("XML with <TEXT> and <TAGS> in <{root}>")))
}

/// Attributes that say where a tag stands or who made it.
const PLACE: &[&str] = &["id", "start", "end", "spans", "text", "comment", "docid"];

#[derive(Default)]
struct State {
    has_text: bool,
    /// Spans and their ids, for links.
    spans: FxHashMap<String, u32>,
    links: Vec<Link>,
    classes: Vec<Class>,
    /// Tags without offsets, and the line of the first.
    whole: u64,
    line: u64,
}

struct Link {
    line: u64,
    label: String,
    from: String,
    to: String,
}

fn read(mut reading: Reading<'_>) -> Result<(), SourceError> {
    reading.corpus.begin(reading.file, Some(reading.id.to_owned()), 0);
    let (source, from) = reading.source();
    let mut xml = Xml::new(&*source, reading.chunk, from);
    let mut state = State::default();
    // How many elements the tags are inside of, once their list is open.
    let mut tags = None;
    loop {
        let depth = xml.depth();
        let mut fault = None;
        match xml.next(&mut reading)? {
            Event::Open(tag) if tag.name == "TEXT" && tags.is_none() && !state.has_text => {
                let content = xml.content(&mut reading)?;
                fault = content.fault.clone();
                if fault.is_none() {
                    state.has_text = true;
                    text(&mut reading, &*source, content)?;
                }
            }
            Event::Open(tag) if tag.name == "TAGS" && tags.is_none() => tags = Some(depth + 1),
            Event::Open(tag) if tags.is_some() => state.tag(&mut reading, tag),
            Event::Close(_) if tags.is_some_and(|inside| depth <= inside) => tags = None,
            Event::Open(_) | Event::Close(_) => {}
            Event::Fault(found) => fault = Some(found),
            Event::End => break,
        }
        if let Some(found) = fault {
            let place = reading.at(xml.line()).of(reading.id);
            let expected = "<TEXT>…</TEXT><TAGS>…</TAGS>, well-formed; what follows is not read";
            reading.corpus.problems.add(Kind::BadRecord, place, found, expected);
            break;
        }
    }
    state.finish(&mut reading);
    Ok(())
}

/// Gives the document its text. White space around a CDATA section is the file's, not the note's.
fn text(reading: &mut Reading<'_>, source: &dyn Source, content: Content) -> Result<(), SourceError> {
    let (piece, text) = match content.section {
        Some((start, len)) => {
            let bytes = read_range(source, start, len)?;
            (Piece::new(reading.file, start, len, Form::Plain), String::from_utf8_lossy(&bytes).into_owned())
        }
        None => {
            let form = Form::Encoded(xml::content);
            (Piece::new(reading.file, content.start, content.len, form), content.text)
        }
    };
    reading.corpus.set_text(&[piece], Digest::of(text.as_bytes()));
    Ok(())
}

/// MAE's list of fragments: `0~5,7~9`.
fn fragments(list: &str) -> Option<Vec<(i64, i64)>> {
    list.split(',')
        .map(|part| {
            let (start, end) = part.split_once('~')?;
            Some((start.trim().parse().ok()?, end.trim().parse().ok()?))
        })
        .collect()
}

/// The places of a tag, none where one is no whole number. Empty for a tag of the whole document, which MAE
/// places at -1.
fn places(tag: &Tag<'_>) -> Option<Vec<(i64, i64)>> {
    let places = match (tag.get("start"), tag.get("end"), tag.get("spans")) {
        (None, None, None) => Vec::new(),
        (None, None, Some(list)) if list.trim().is_empty() => Vec::new(),
        (None, None, Some(list)) => fragments(&list)?,
        (start, end, _) => vec![(start?.trim().parse().ok()?, end?.trim().parse().ok()?)],
    };
    Some(if places == [(-1, -1)] { Vec::new() } else { places })
}

impl State {
    fn tag(&mut self, reading: &mut Reading<'_>, tag: Tag<'_>) {
        let place = reading.at(tag.line).of(reading.id);
        let Some(places) = places(&tag) else {
            let found = "a tag whose start or end is missing or no whole number";
            reading.corpus.problems.add(Kind::BadSpan, place, found, "start=\"0\" end=\"4\"");
            return;
        };
        let id = tag.get("id").unwrap_or_default();
        let kind = tag.get("TYPE").filter(|kind| !kind.trim().is_empty());
        if places.is_empty() {
            return self.without_place(reading, &tag, kind);
        }
        let own = tag.attribute("text").filter(|own| own.len > 0);
        let own = own
            .map(|own| Own::At(Piece::new(reading.file, own.start, own.len, Form::Encoded(xml::attribute))));
        let mut detail = Detail { line: tag.line, own, ..Detail::default() };
        if kind.is_some() {
            detail.more().attributes.push(("element".into(), tag.name.into()));
        }
        for attribute in tag.attributes() {
            if attribute.len > 0 && attribute.name != "TYPE" && !PLACE.contains(&attribute.name) {
                detail.more().attributes.push((attribute.name.into(), attribute.value()));
            }
        }
        let (start, end) = envelope(&places);
        if places.len() > 1 {
            detail.fragments = places;
        }
        let corpus = &mut *reading.corpus;
        self.spans.entry(id).or_insert(corpus.spans.len() as u32);
        let label = corpus.labels.intern(kind.as_deref().unwrap_or(tag.name));
        corpus.push(start, end, label, detail);
    }

    /// A link between tags, or a label of the document.
    fn without_place(&mut self, reading: &mut Reading<'_>, tag: &Tag<'_>, kind: Option<String>) {
        if let (Some(from), Some(to)) = (tag.get("fromID"), tag.get("toID")) {
            let label = kind.or_else(|| tag.get("type")).unwrap_or_else(|| tag.name.to_owned());
            self.links.push(Link { line: tag.line, label, from, to });
            return;
        }
        if self.whole == 0 {
            self.line = tag.line;
        }
        self.whole += 1;
        let labels = &mut reading.corpus.labels;
        if let Some(met) = tag.get("met") {
            // A criterion that is not met is a label that the document does not have.
            let label = labels.intern(tag.name);
            if met.trim().eq_ignore_ascii_case("met") {
                self.classes.push(Class { label, score: None });
            }
            return;
        }
        // Two tags say the same when all their values are the same, in whatever order.
        let mut values: Vec<(&str, String)> = tag
            .attributes()
            .filter(|attribute| attribute.len > 0 && !PLACE.contains(&attribute.name))
            .map(|attribute| (attribute.name, attribute.value()))
            .collect();
        values.sort();
        let mut label = tag.name.to_owned();
        for (_, value) in values {
            label.push('/');
            label.push_str(&value);
        }
        self.classes.push(Class { label: labels.intern(&label), score: None });
    }

    fn finish(self, reading: &mut Reading<'_>) {
        let (file, id) = (reading.file, reading.id);
        let place = |line| Place::at(file, line).of(id);
        let document = (reading.corpus.documents.len() - 1) as u32;
        for link in &self.links {
            let end = |id: &String| match self.spans.get(id) {
                Some(&span) => Argument::Span(span),
                None => Argument::Concept(id.clone()),
            };
            let arguments = vec![("from".to_owned(), end(&link.from)), ("to".to_owned(), end(&link.to))];
            let place = place(link.line);
            reading.corpus.relations.push(Relation { document, label: link.label.clone(), arguments });
            reading.corpus.problems.add(Kind::Relation, place, "a link between tags", "");
        }
        if self.whole > 0 {
            let found = format!("{} tags without offsets; kept as labels of the document", self.whole);
            let place = place(self.line);
            reading.corpus.problems.add(Kind::DocumentLabels, place, found, "");
            let start = reading.corpus.classes.len() as u32;
            reading.corpus.classes.extend(self.classes);
            let end = reading.corpus.classes.len() as u32;
            if let Some(document) = reading.corpus.documents.last_mut() {
                document.classes = Some(start..end);
            }
        }
    }
}
