//! BioC XML: `<collection>` of `<document>`s, read one at a time.

use super::{Annotation, Draft, Link, Passage, whole};
use crate::corpus::problems::{Kind, Place, shorten};
use crate::corpus::text::{Form, Piece};
use crate::formats::xml::{self, Content, Event, Tag, Xml};
use crate::formats::{Format, Reading};
use crate::source::SourceError;

/// The format.
pub static FORMAT: Format = Format::of("bioc-xml", "BioC XML", sniff, read);

fn sniff(head: &str) -> Option<(u8, String)> {
    let elements = xml::elements(head, 64);
    let has = |name: &str| elements.iter().any(|(depth, element)| *depth > 0 && element == name);
    match elements.first()?.1.as_str() {
        "collection" if has("document") || head.contains("BioC.dtd") => {
            Some((99, "XML with the root <collection> of BioC".into()))
        }
        "document" if has("passage") => Some((98, "XML with a BioC document as its root".into())),
        _ => None,
    }
}

/// What is open.
#[derive(Default)]
struct State {
    draft: Option<Draft>,
    /// How many elements documents are inside of.
    depth: usize,
    in_passage: bool,
    in_sentence: bool,
    annotation: Option<Annotation>,
    link: Option<Link>,
}

fn read(mut reading: Reading<'_>) -> Result<(), SourceError> {
    let (source, from) = reading.source();
    let mut xml = Xml::new(&*source, reading.chunk, from);
    let mut state = State::default();
    loop {
        let mut fault = None;
        let depth = xml.depth();
        match xml.next(&mut reading)? {
            Event::Open(tag) => {
                let (line, name) = (tag.line, tag.name);
                match name {
                    "document" => {
                        state.depth = depth;
                        state.document(&mut reading, line);
                    }
                    "location" | "node" => state.empty(tag),
                    "passage" | "sentence" | "annotation" | "relation" => state.open(tag),
                    "id" | "offset" | "text" | "infon" => {
                        let name = name.to_owned();
                        let key = tag.get("key").unwrap_or_default();
                        let content = xml.content(&mut reading)?;
                        fault = content.fault.clone();
                        if fault.is_none() {
                            state.content(&reading, &name, key, content);
                        }
                    }
                    _ => {}
                }
            }
            Event::Close(name) => state.close(&mut reading, name),
            Event::Fault(found) => fault = Some(found),
            Event::End => break,
        }
        let Some(found) = fault else { continue };
        let lost = std::mem::take(&mut state);
        let id = lost.draft.and_then(|draft| draft.id);
        let place = Place { document: id.as_deref().map(shorten), ..reading.at(xml.line()) };
        reading.corpus.problems.add(Kind::BadRecord, place, found, "<document>…</document>, well-formed");
        if !xml.recover(&mut reading, "document", lost.depth.max(1))? {
            break;
        }
        state.depth = lost.depth.max(1);
        state.document(&mut reading, xml.line());
    }
    Ok(())
}

impl State {
    fn document(&mut self, reading: &mut Reading<'_>, line: u64) {
        reading.corpus.records += 1;
        *self = State { depth: self.depth, ..State::default() };
        self.draft = Some(Draft { line, ..Draft::default() });
    }

    fn open(&mut self, tag: Tag<'_>) {
        let Some(draft) = &mut self.draft else { return };
        match tag.name {
            "passage" => {
                draft.passages.push(Passage::default());
                (self.in_passage, self.in_sentence) = (true, false);
            }
            "sentence" => {
                if let Some(passage) = draft.passages.last_mut() {
                    passage.sentences.push(Passage::default());
                    self.in_sentence = true;
                }
            }
            "annotation" => {
                let (passage, sentence) = draft.place(self.in_passage, self.in_sentence);
                let id = tag.get("id").unwrap_or_default();
                let line = tag.line;
                self.annotation = Some(Annotation { id, line, passage, sentence, ..Annotation::default() });
            }
            _ => self.link = Some(Link { line: tag.line, ..Link::default() }),
        }
    }

    fn empty(&mut self, tag: Tag<'_>) {
        if let Some(annotation) = &mut self.annotation {
            let number = |name| tag.get(name).and_then(|value| whole(&value));
            annotation.locations.push(number("offset").zip(number("length")));
        } else if let Some(link) = &mut self.link {
            let value = |name| tag.get(name).unwrap_or_default();
            link.nodes.push((value("role"), value("refid")));
        }
    }

    fn content(&mut self, reading: &Reading<'_>, name: &str, key: String, content: Content) {
        let Some(draft) = &mut self.draft else { return };
        let piece = Piece::new(reading.file, content.start, content.len, Form::Encoded(xml::content));
        let (in_sentence, outside) = (self.in_sentence, !self.in_passage);
        match (name, &mut self.annotation, &mut self.link) {
            ("infon", Some(annotation), _) => annotation.infons.push((key, content.text)),
            ("infon", None, Some(link)) => link.infons.push((key, content.text)),
            ("text", Some(annotation), _) => {
                annotation.own = (!content.text.trim().is_empty()).then_some(piece);
            }
            (_, Some(_), _) | (_, _, Some(_)) => {}
            ("id", ..) if outside => {
                let id = content.text.trim();
                draft.id = (!id.is_empty()).then(|| id.to_owned());
            }
            ("offset", ..) => {
                if let Some(passage) = draft.current(in_sentence) {
                    passage.offset = whole(&content.text);
                }
            }
            ("text", ..) if !outside => {
                let words = draft.words(piece, &content.text);
                if let Some(passage) = draft.current(in_sentence) {
                    passage.text = words;
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, reading: &mut Reading<'_>, name: &str) {
        let Some(draft) = &mut self.draft else { return };
        match name {
            "annotation" => draft.annotations.extend(self.annotation.take()),
            "relation" => draft.relations.extend(self.link.take()),
            "sentence" => self.in_sentence = false,
            "passage" => (self.in_passage, self.in_sentence) = (false, false),
            "document" => {
                if let Some(draft) = self.draft.take() {
                    draft.finish(reading);
                }
            }
            _ => {}
        }
    }
}
