//! brat standoff: `x.ann` beside `x.txt`. Lines `T1⇥Type start end(;start end)*⇥text` are spans; attributes and
//! concepts are kept with them, relations, events and equivalences beside them, and all are listed by name. Offsets are code points of the text as stored: CR, LF and a byte-order mark count.

use super::{Format, Reading, envelope, extension, stem};
use crate::corpus::problems::{Kind, Place};
use crate::corpus::text::{Digest, Form, Piece};
use crate::corpus::{Argument, Detail, File, Own, Relation};
use crate::source::{SourceError, lines::Lines, read_range};
use rustc_hash::FxHashMap;

/// The format.
pub static FORMAT: Format = Format {
    companion: Some("txt"),
    extension: Some("ann"),
    file_is_document: true,
    ..Format::of("brat", "brat standoff", sniff, read)
};

fn sniff(head: &str) -> Option<(u8, String)> {
    let (mut lines, mut fit, mut spans) = (0, 0, false);
    // Characters that the last span's own text still lacks: a line break was in it.
    let mut missing = 0;
    for line in head.lines() {
        let kind = kind(line);
        if kind.is_none() && missing > 0 {
            missing -= line.chars().count() as i64 + 1;
            continue;
        }
        if line.trim().is_empty() {
            continue;
        }
        lines += 1;
        fit += usize::from(kind.is_some());
        if kind == Some('T') {
            spans = true;
            missing = span(line, 0).map_or(0, |open| {
                let lengths = open.fragments.iter().map(|(start, end)| end.saturating_sub(*start));
                let own = open.own.map_or(i64::MAX, |own| own.chars().count() as i64);
                lengths.fold(0, i64::saturating_add).saturating_sub(own)
            });
        }
    }
    (fit > 0 && fit * 10 >= lines * 9)
        .then(|| (if spans { 95 } else { 70 }, format!("{fit} of the first {lines} lines are brat's")))
}

/// The kind of a line: its first letter, if the line is one of brat's (`T1⇥`, `#1⇥`, `*⇥`).
fn kind(line: &str) -> Option<char> {
    let first = line.chars().next()?;
    if !matches!(first, 'T' | 'R' | 'E' | 'A' | 'M' | 'N' | '#' | '*') {
        return None;
    }
    let id = line[1..].split('\t').next()?;
    let numbered = id.len() + 1 < line.len() && (first == '*' || !id.is_empty());
    (numbered
        && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        && (first == '*' || id.contains(|c: char| c.is_ascii_digit())))
    .then_some(first)
}

/// Whether a line reads `T1 Type 0 4 …` with spaces where brat has tabs.
fn looks_like_span(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let id = words.next().and_then(|id| id.strip_prefix('T'));
    id.is_some_and(|id| !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit()))
        && words.next().is_some()
        && words.by_ref().take(2).filter(|word| word.parse::<i64>().is_ok()).count() == 2
}

/// A span line being read; continuation lines may follow.
struct Open {
    id: String,
    line: u64,
    label: String,
    fragments: Vec<(i64, i64)>,
    own: Option<String>,
}

/// What a document's lines name.
#[derive(Default)]
struct Named {
    /// Spans by the ids of their `T` lines.
    spans: FxHashMap<String, u32>,
    /// Lines about spans, looked at when all are known: they may stand before them.
    about: Vec<About>,
}

struct About {
    kind: char,
    place: Place,
    /// The line without what stands behind a third tab, which may be note text.
    words: String,
}

fn read(mut reading: Reading<'_>) -> Result<(), SourceError> {
    if beside(&reading, "a2", "a1")?.is_some() {
        // Read with the entities that it builds on.
        return Ok(());
    }
    let events = beside(&reading, "a1", "a2")?;
    reading.corpus.begin(reading.file, Some(reading.id.to_owned()), 0);
    text(&mut reading)?;
    let mut named = Named::default();
    annotations(&mut reading, &mut named)?;
    if let Some(events) = events {
        reading.file = events;
        annotations(&mut reading, &mut named)?;
    }
    relate(&mut reading, &named);
    Ok(())
}

/// For a file of one extension: the file of the same name with another, if both are there. Entities (`.a1`)
/// and what is said about them (`.a2`) are one document with one set of ids.
fn beside(reading: &Reading<'_>, own: &str, other: &str) -> Result<Option<u32>, SourceError> {
    let files = &reading.corpus.files;
    let path = &files[reading.file as usize].path;
    if !extension(path).eq_ignore_ascii_case(own) {
        return Ok(None);
    }
    let same = |file: &File| {
        file.path.len() == path.len()
            && stem(&file.path) == stem(path)
            && extension(&file.path).eq_ignore_ascii_case(other)
    };
    let Some(found) = files.iter().position(same) else { return Ok(None) };
    // An `.a1` that is none of brat's is not read, so it takes no `.a2` with it.
    let entities = if own == "a1" { reading.file as usize } else { found };
    let source = &files[entities].source;
    let head = read_range(&**source, 0, source.len().min(1 << 16))?;
    Ok(sniff(&String::from_utf8_lossy(&head)).map(|_| found as u32))
}

/// Reads the lines of a file into the current document.
fn annotations(reading: &mut Reading<'_>, named: &mut Named) -> Result<(), SourceError> {
    let (source, from) = reading.source();
    let mut lines = Lines::new(&*source, reading.chunk, from);
    let mut open: Option<Open> = None;
    while let Some(line) = lines.next_line()? {
        (reading.progress)(line.offset);
        let words = String::from_utf8_lossy(line.bytes);
        if let Err(error) = std::str::from_utf8(line.bytes) {
            reading.bad_encoding(line.number, line.bytes, error.valid_up_to());
        }
        let place = reading.at(line.number).of(reading.id);
        match kind(&words) {
            Some('T') => {
                close(reading, open.take(), named);
                match span(&words, line.number) {
                    Ok(found) => open = Some(found),
                    Err(found) => {
                        let expected = "T1⇥Type start end⇥text, fragments as start end;start end";
                        reading.corpus.problems.add(Kind::BadSpan, place, found, expected);
                    }
                }
            }
            // May be anything, note text too.
            Some('#') => {
                close(reading, open.take(), named);
                reading.corpus.problems.add(Kind::Comment, place, "a line of this kind", "");
            }
            Some(kind) => {
                close(reading, open.take(), named);
                let words = words.splitn(3, '\t').take(2).collect::<Vec<_>>().join("\t");
                named.about.push(About { kind, place, words });
            }
            None if words.starts_with("NA\t") => {
                close(reading, open.take(), named);
                reading.corpus.problems.add(Kind::Placeholder, place, "an NA row", "");
            }
            None if looks_like_span(&words) => {
                close(reading, open.take(), named);
                let found = "a T line whose columns are not separated by tabs";
                reading.corpus.problems.add(Kind::BadSpan, place, found, "T1⇥Type start end⇥text");
            }
            None => {
                if let Some(Open { own: Some(own), line: of, .. }) = &mut open {
                    own.push('\n');
                    own.push_str(&words);
                    if !words.trim().is_empty() {
                        let found = format!("continues the annotation of line {of}");
                        reading.corpus.problems.add(Kind::Continuation, place, found, "");
                    }
                } else if !words.trim().is_empty() {
                    let found = "a line that is none of brat's";
                    reading.corpus.problems.add(Kind::BadRecord, place, found, "T1⇥Type start end⇥text");
                }
            }
        }
    }
    close(reading, open.take(), named);
    Ok(())
}

/// Gives spans their attributes and concepts, and keeps relations, events and equivalences.
fn relate(reading: &mut Reading<'_>, named: &Named) {
    // An event stands for its trigger.
    let mut spans: FxHashMap<&str, u32> = named.spans.iter().map(|(id, &at)| (id.as_str(), at)).collect();
    for about in named.about.iter().filter(|about| about.kind == 'E') {
        let (id, rest) = about.words.split_once('\t').unwrap_or_default();
        let trigger = rest.split_whitespace().next().and_then(|word| word.split_once(':'));
        if let Some(&at) = trigger.and_then(|(_, trigger)| named.spans.get(trigger)) {
            spans.entry(id).or_insert(at);
        }
    }
    let document = reading.corpus.documents.len().saturating_sub(1) as u32;
    for About { kind, place, words } in &named.about {
        let rest = words.split_once('\t').map_or("", |(_, rest)| rest);
        let mut parts = rest.split_whitespace();
        let span = |id: &str| spans.get(id).copied();
        let filled = |word: &str| {
            let (role, id) = word.split_once(':')?;
            Some((role.to_owned(), Argument::Span(span(id)?)))
        };
        let (kind, expected, kept) = match kind {
            'A' | 'M' => {
                let kept = parts.next().zip(parts.next().and_then(span)).map(|(name, at)| {
                    let value = parts.next().unwrap_or("true").to_owned();
                    let more = reading.corpus.detail_mut(at as usize).more();
                    more.attributes.push((name.to_owned(), value));
                });
                (Kind::Attribute, "A1⇥Type T1 [value]", kept)
            }
            'N' => {
                let kept = parts.nth(1).and_then(span).zip(parts.next()).map(|(at, concept)| {
                    reading.corpus.detail_mut(at as usize).more().concepts.push(concept.to_owned());
                });
                (Kind::Normalisation, "N1⇥Reference T1 base:id⇥name", kept)
            }
            'E' => {
                // The trigger's role is the event's type.
                let mut arguments: Option<Vec<_>> = parts.map(filled).collect();
                let label = arguments.as_mut().and_then(|list| Some(list.first_mut()?.0.clone()));
                if let Some((role, _)) = arguments.as_mut().and_then(|list| list.first_mut()) {
                    *role = "trigger".to_owned();
                }
                let kept = label.zip(arguments).map(|(label, arguments)| {
                    reading.corpus.relations.push(Relation { document, label, arguments });
                });
                (Kind::Event, "E1⇥Type:T1 Role:T2", kept)
            }
            _ => {
                let is_relation = *kind == 'R';
                let label = parts.next().map(str::to_owned);
                let member = |id: &str| Some(("member".to_owned(), Argument::Span(span(id)?)));
                let arguments: Option<Vec<_>> =
                    if is_relation { parts.map(filled).collect() } else { parts.map(member).collect() };
                let arguments = arguments.filter(|arguments| arguments.len() > 1);
                let kept = label.zip(arguments).map(|(label, arguments)| {
                    reading.corpus.relations.push(Relation { document, label, arguments });
                });
                if is_relation {
                    (Kind::Relation, "R1⇥Type Arg1:T1 Arg2:T2", kept)
                } else {
                    (Kind::Equivalence, "*⇥Equiv T1 T2", kept)
                }
            }
        };
        let (found, expected) = match kept {
            Some(()) => ("a line of this kind", ""),
            None => (
                "a line of another shape, or one that names what the document does not have; left out",
                expected,
            ),
        };
        reading.corpus.problems.add(kind, place.clone(), found, expected);
    }
}

/// Reads the companion text once, for its length; it is not kept.
pub(super) fn text(reading: &mut Reading<'_>) -> Result<(), SourceError> {
    let Some(file) = reading.text else {
        return Ok(());
    };
    let source = reading.corpus.files[file as usize].source.clone();
    let bytes = read_range(&*source, 0, source.len())?;
    let piece = Piece::new(file, 0, source.len(), Form::Plain);
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let found = format!("byte 0x{:02X} at byte {at} is not UTF-8", error.as_bytes()[at]);
            let place = Place::at(file, 0).of(reading.id);
            let expected = "UTF-8; read as U+FFFD. Choose windows-1252 if that is what it is";
            reading.corpus.problems.add(Kind::BadEncoding, place, found, expected);
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        }
    };
    reading.corpus.set_text(&[piece], Digest::of(text.as_bytes()));
    Ok(())
}

/// Parses a `T` line; the error says what is wrong without its text.
fn span(line: &str, number: u64) -> Result<Open, String> {
    let mut columns = line.splitn(3, '\t');
    let id = columns.next().unwrap_or_default().to_owned();
    let middle = columns.next().ok_or("a T line without type and offsets")?;
    let own = columns.next().map(str::to_owned);
    // The type ends where offsets begin: brat forbids spaces in types, other tools do not.
    let (label, fragments) = middle
        .match_indices(' ')
        .find_map(|(at, _)| Some((&middle[..at], fragments(&middle[at + 1..])?)))
        .ok_or("a T line whose offsets are not whole numbers")?;
    if label.trim().is_empty() {
        return Err("a T line without a type".into());
    }
    Ok(Open { id, line: number, label: label.to_owned(), fragments, own })
}

fn fragments(offsets: &str) -> Option<Vec<(i64, i64)>> {
    offsets
        .split(';')
        .map(|part| {
            let mut numbers = part.split_ascii_whitespace();
            let range = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
            numbers.next().is_none().then_some(range)
        })
        .collect()
}

fn close(reading: &mut Reading<'_>, open: Option<Open>, named: &mut Named) {
    let Some(open) = open else { return };
    let (start, end) = envelope(&open.fragments);
    let label = reading.corpus.labels.intern(&open.label);
    let fragments = if open.fragments.len() > 1 { open.fragments } else { Vec::new() };
    let own = open.own.map(|own| Own::Text(own.into()));
    // Of an id given twice the first counts.
    named.spans.entry(open.id).or_insert(reading.corpus.spans.len() as u32);
    reading.corpus.push(start, end, label, Detail { line: open.line, fragments, own, ..Detail::default() });
}
