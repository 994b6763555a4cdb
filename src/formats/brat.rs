//! brat standoff: `x.ann` beside `x.txt`. Lines `T1⇥Type start end(;start end)*⇥text` are spans; other kinds
//! are listed by name. Offsets are code points of the text as stored: CR, LF and a byte-order mark count.

use super::{Format, Reading, envelope};
use crate::corpus::problems::Kind;
use crate::corpus::text::{Digest, Form, Piece};
use crate::corpus::{Detail, Own, Unit};
use crate::source::{SourceError, lines::Lines, read_range};

/// The format.
pub static FORMAT: Format = Format {
    name: "brat",
    title: "brat standoff",
    companion: Some("txt"),
    extension: Some("ann"),
    file_is_document: true,
    unit: Unit::CodePoint,
    sniff,
    read,
};

fn sniff(head: &str) -> Option<(u8, String)> {
    let lines: Vec<&str> = head.lines().filter(|line| !line.trim().is_empty()).collect();
    let fit = lines.iter().filter(|line| kind(line).is_some()).count();
    let spans = lines.iter().any(|line| kind(line) == Some('T'));
    (fit > 0 && fit * 10 >= lines.len() * 9).then(|| {
        (if spans { 95 } else { 70 }, format!("{fit} of the first {} lines are brat's", lines.len()))
    })
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
    line: u64,
    label: String,
    fragments: Vec<(i64, i64)>,
    own: Option<String>,
}

fn read(mut reading: Reading<'_>) -> Result<(), SourceError> {
    reading.corpus.begin(reading.file, Some(reading.id.to_owned()), 0);
    text(&mut reading)?;
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
        let skipped = match kind(&words) {
            Some('T') => {
                close(&mut reading, open.take());
                match span(&words, line.number) {
                    Ok(found) => open = Some(found),
                    Err(found) => {
                        let expected = "T1⇥Type start end⇥text, fragments as start end;start end";
                        reading.corpus.problems.add(Kind::BadSpan, place, found, expected);
                    }
                }
                continue;
            }
            Some('R') => Kind::Relation,
            Some('E') => Kind::Event,
            Some('A' | 'M') => Kind::Attribute,
            Some('N') => Kind::Normalisation,
            Some('*') => Kind::Equivalence,
            Some('#') => Kind::Comment,
            _ if words.starts_with("NA\t") => {
                close(&mut reading, open.take());
                reading.corpus.problems.add(Kind::Placeholder, place, "an NA row", "");
                continue;
            }
            _ if looks_like_span(&words) => {
                close(&mut reading, open.take());
                let found = "a T line whose columns are not separated by tabs";
                reading.corpus.problems.add(Kind::BadSpan, place, found, "T1⇥Type start end⇥text");
                continue;
            }
            _ => {
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
                continue;
            }
        };
        close(&mut reading, open.take());
        reading.corpus.problems.add(skipped, place, "a line of this kind", "");
    }
    close(&mut reading, open.take());
    Ok(())
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
            let place = crate::corpus::problems::Place::at(file, 0).of(reading.id);
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
    let mut columns = line.splitn(3, '\t').skip(1);
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
    Ok(Open { line: number, label: label.to_owned(), fragments, own })
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

fn close(reading: &mut Reading<'_>, open: Option<Open>) {
    let Some(open) = open else { return };
    let (start, end) = envelope(&open.fragments);
    let label = reading.corpus.labels.intern(&open.label);
    let fragments = if open.fragments.len() > 1 { open.fragments } else { Vec::new() };
    let own = open.own.map(|own| Own::Text(own.into()));
    reading.corpus.push(start, end, label, Detail { line: open.line, fragments, own, ..Detail::default() });
}
