//! UIMA CAS XMI, as INCEpTION, WebAnno, cTAKES and DKPro write it: `<cas:Sofa sofaString="…"/>` holds the text,
//! every other element is an annotation or something that annotations refer to. Offsets are UTF-16 units.

use super::cas::{Cas, Sofa, Structure};
use super::uima::{self, Turn};
use super::xml::{self, Event, Tag, Xml};
use super::{Format, Reading};
use crate::corpus::Unit;
use crate::corpus::problems::Kind;
use crate::corpus::text::{Digest, Form, Piece};
use crate::source::{SourceError, read_range};
use rustc_hash::FxHashMap;

/// The format.
pub static FORMAT: Format = Format {
    extension: Some("xmi"),
    file_is_document: true,
    unit: Unit::Utf16,
    ..Format::of("xmi", "UIMA CAS XMI", sniff, read)
};

fn sniff(head: &str) -> Option<(u8, String)> {
    let first = xml::elements(head, 1);
    let (_, name) = first.first()?;
    (name.ends_with(":XMI") && head.contains("uima/")).then(|| (99, "first element is xmi:XMI".into()))
}

fn read(mut reading: Reading<'_>) -> Result<(), SourceError> {
    let mut id = match uima::turn(&mut reading) {
        Turn::Document(id) => id,
        Turn::Another => return Ok(()),
    };
    let (source, from) = reading.source();
    let mut stream = Xml::new(&*source, reading.chunk, from);
    let mut cas = Cas::default();
    let mut packages: FxHashMap<String, String> = FxHashMap::default();
    // The element that may still get values from elements inside it.
    let mut open: Option<Structure> = None;
    loop {
        match stream.next(&mut reading)? {
            Event::Open(_) => {}
            Event::Close(_) => continue,
            Event::End => {
                if stream.depth() > 0 {
                    let place = reading.at(stream.line()).of(&id);
                    let found = "elements that are not closed; the file looks cut off";
                    reading.corpus.problems.add(Kind::BadRecord, place, found, "</xmi:XMI>");
                }
                break;
            }
            Event::Fault(found) => {
                // What stands before it is kept; an element that was cut has no end.
                let place = reading.at(stream.line()).of(&id);
                reading.corpus.problems.add(Kind::BadRecord, place, found, "well-formed XML");
                break;
            }
        }
        match (stream.depth(), stream.tag()) {
            (1, tag) => packages = namespaces(tag),
            (2, tag) => {
                if let Some(structure) = open.take() {
                    cas.add(structure, &mut reading);
                }
                open = element(&mut cas, &mut reading, tag, &packages)?;
            }
            // Values of a list, an element each.
            (_, tag) => {
                let name = tag.name.to_owned();
                let content = stream.content(&mut reading)?;
                if let Some(structure) = &mut open {
                    structure.features.push((name, content.text));
                }
            }
        }
    }
    if let Some(structure) = open {
        cas.add(structure, &mut reading);
    }
    if uima::path_is_silent(&reading)
        && let Some(title) = cas.title()
    {
        id = super::stem(&title).to_owned();
    }
    cas.finish(reading, id);
    Ok(())
}

/// The packages behind prefixes: `http:///de/tudarmstadt/…/ner/type.ecore` is `de.tudarmstadt.….ner.type`.
fn namespaces(tag: Tag<'_>) -> FxHashMap<String, String> {
    tag.attributes()
        .filter_map(|attribute| {
            let prefix = attribute.name.strip_prefix("xmlns:")?;
            let name = attribute.value();
            let package = name.strip_prefix("http:///").unwrap_or(&name);
            let package = package.strip_suffix(".ecore").unwrap_or(package).replace('/', ".");
            Some((prefix.to_owned(), package))
        })
        .collect()
}

/// One element: a text, a view, or a structure.
fn element(
    cas: &mut Cas,
    reading: &mut Reading<'_>,
    tag: Tag<'_>,
    packages: &FxHashMap<String, String>,
) -> Result<Option<Structure>, SourceError> {
    let (prefix, local) = tag.name.split_once(':').unwrap_or(("", tag.name));
    let package = packages.get(prefix).map_or(prefix, String::as_str);
    let number = |name: &str| tag.get(name).and_then(|value| value.trim().parse::<i64>().ok());
    let id = number("xmi:id").unwrap_or(0);
    match (package, local) {
        ("uima.cas", "NULL") => {}
        ("uima.cas", "Sofa") => {
            let name = tag.get("sofaID").unwrap_or_default();
            let text = match tag.attribute("sofaString") {
                Some(string) => Some(text(reading, tag.line, string.start, string.len)?),
                None => None,
            };
            cas.sofa(Sofa { id, name, text });
        }
        ("uima.cas", "View") => {
            let members = tag.get("members").unwrap_or_default();
            let members = members.split_whitespace().filter_map(|id| id.parse().ok()).collect();
            cas.view(number("sofa").unwrap_or(0), members);
        }
        ("uima.cas", _) => {
            let elements = tag.get("elements").unwrap_or_default();
            cas.array(id, elements.split_whitespace().filter_map(|id| id.parse().ok()).collect());
        }
        _ => {
            let kind = if package.is_empty() { local.to_owned() } else { format!("{package}.{local}") };
            let features = tag
                .attributes()
                .filter(|attribute| attribute.name != "xmi:id")
                .map(|attribute| (attribute.name.to_owned(), attribute.value()))
                .collect();
            return Ok(Some(Structure { kind, id, line: tag.line, features, ..Structure::default() }));
        }
    }
    Ok(None)
}

/// The text of an attribute, and its place.
fn text(
    reading: &mut Reading<'_>,
    line: u64,
    start: u64,
    length: u64,
) -> Result<(Piece, Digest), SourceError> {
    let (source, _) = reading.source();
    let raw = read_range(&*source, start, length)?;
    let text = xml::attribute(&raw).unwrap_or_default();
    // Halves of characters are written as references, which alone are no characters.
    let raw = String::from_utf8_lossy(&raw).to_ascii_lowercase();
    let plain: usize = ["\u{FFFD}", "&#65533;", "&#xfffd;"].iter().map(|one| raw.matches(one).count()).sum();
    let halves = text.matches('\u{FFFD}').count().saturating_sub(plain);
    if halves > 0 {
        let found = format!("{halves} references to half a character; read as U+FFFD");
        let place = reading.at(line);
        reading.corpus.problems.add(Kind::BadEncoding, place, found, "both halves, or one number");
    }
    let piece = Piece::new(reading.file, start, length, Form::Encoded(xml::attribute));
    Ok((piece, Digest::of(text.as_bytes())))
}
