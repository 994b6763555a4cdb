//! i2b2 concepts: `c="text" line:token line:token||t="type"`, lines counted from 1, tokens from 0, the last token
//! included, the text lower-cased. Also assertions (`||a="present"`) and the 2009 medication lines
//! (`m="…" 1:2 1:3||do="…" 1:4 1:4||…`). [`crate::place`] finds the tokens in the text, gold's where there is no
//! `.txt`.

use super::{Format, Reading};
use crate::corpus::problems::Kind;
use crate::corpus::text::{Form, Piece};
use crate::corpus::{Detail, Grid, Own};
use crate::source::{SourceError, lines::Lines};

/// The format.
pub static FORMAT: Format = Format {
    companion: Some("txt"),
    extension: Some("con"),
    file_is_document: true,
    ..Format::of("con", "i2b2 concepts (.con)", sniff, read)
};

fn sniff(head: &str) -> Option<(u8, String)> {
    let lines: Vec<&str> = head.lines().filter(|line| !line.trim().is_empty()).collect();
    let first = |line: &str| fields(line).is_some_and(|fields| !fields[0].grid.is_empty());
    // The last line of the head may be cut.
    let fit = lines.iter().filter(|line| first(line)).count();
    (fit > 0 && (fit + 1) * 10 >= lines.len() * 9)
        .then(|| (98, format!("{fit} of the first {} lines read c=\"…\" line:token line:token", lines.len())))
}

/// The fields of a medication line that are spans.
const MEDICATION: &[(&str, &str)] = &[
    ("m", "medication"),
    ("do", "dosage"),
    ("mo", "mode"),
    ("f", "frequency"),
    ("du", "duration"),
    ("r", "reason"),
];

/// `name="value" places`.
struct Field<'l> {
    name: &'l str,
    /// Byte in the line.
    start: usize,
    value: &'l str,
    grid: Vec<Grid>,
}

/// Quotes that a quoted text may hold.
const MOST_QUOTES: usize = 64;

/// The fields of a line; none where it is not one.
fn fields(line: &str) -> Option<Vec<Field<'_>>> {
    let mut fields = Vec::new();
    let mut at = 0;
    loop {
        let open = at + line[at..].find("=\"")?;
        let name = line[at..open].trim();
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return None;
        }
        let start = open + 2;
        // A text may hold quotes: its end is the first one behind which the line goes on as it should.
        let (length, grid, used) =
            line[start..].match_indices('"').take(MOST_QUOTES).find_map(|(length, _)| {
                let (grid, used) = behind(&line[start + length + 1..])?;
                Some((length, grid, used))
            })?;
        fields.push(Field { name, start, value: &line[start..start + length], grid });
        at = start + length + 1 + used;
        if at >= line.len() {
            return Some(fields);
        }
    }
}

/// What may stand behind a value: places, then the next field or the end. Gives the bytes up to that.
fn behind(rest: &str) -> Option<(Vec<Grid>, usize)> {
    let end = rest.find("||").unwrap_or(rest.len());
    let grid = match rest[..end].trim() {
        "" => Vec::new(),
        places => places.split(',').map(grid).collect::<Option<_>>()?,
    };
    match rest.get(end + 2..) {
        None => Some((grid, rest.len())),
        Some(next) => {
            let name = next.find("=\"").map(|at| next[..at].trim())?;
            let named = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic());
            named.then_some((grid, end + 2))
        }
    }
}

fn grid(place: &str) -> Option<Grid> {
    let mut points = place.split_ascii_whitespace().map(|point| {
        let (line, token) = point.split_once(':')?;
        Some((line.parse().ok()?, token.parse().ok()?))
    });
    let (first, last) = (points.next()??, points.next()??);
    points.next().is_none().then_some(Grid { first, last })
}

fn read(mut reading: Reading<'_>) -> Result<(), SourceError> {
    reading.corpus.begin(reading.file, Some(reading.id.to_owned()), 0);
    super::brat::text(&mut reading)?;
    let (source, from) = reading.source();
    let mut lines = Lines::new(&*source, reading.chunk, from);
    while let Some(line) = lines.next_line()? {
        (reading.progress)(line.offset);
        let Some(text) = reading.utf8(&line) else { continue };
        if !text.trim().is_empty() {
            keep(&mut reading, text, line.offset, line.number, line.ended);
        }
    }
    Ok(())
}

fn keep(reading: &mut Reading<'_>, text: &str, offset: u64, line: u64, ended: bool) {
    let place = reading.at(line).of(reading.id);
    let expected = r#"c="…" line:token line:token||t="…""#;
    let Some(fields) = fields(text) else {
        let cut = if ended { "" } else { "; the file looks cut off" };
        let found = format!("a line of another shape{cut}");
        reading.corpus.problems.add(Kind::BadSpan, place, found, expected);
        return;
    };
    if fields.iter().any(|field| field.name == "r") && fields[0].name == "c" {
        reading.corpus.problems.add(Kind::Relation, place, "a relation between concepts", "");
        return;
    }
    let medication = fields[0].name == "m";
    let kind = fields.iter().find(|field| field.name == "t" && !medication && field.grid.is_empty());
    let label_of = |field: &Field<'_>| {
        if medication {
            return MEDICATION.iter().find(|(name, _)| *name == field.name).map(|(_, label)| *label);
        }
        (field.name == "c").then(|| kind.map(|kind| kind.value.trim())).flatten()
    };
    let mut any = false;
    for field in fields.iter().filter(|field| !field.grid.is_empty()) {
        let Some(label) = label_of(field).filter(|label| !label.is_empty()) else { continue };
        let piece =
            Piece::new(reading.file, offset + field.start as u64, field.value.len() as u64, Form::Plain);
        let mut detail = Detail { line, own: Some(Own::At(piece)), ..Detail::default() };
        detail.more().grid = field.grid.clone();
        if !any {
            // What is said about the concept; places and types are not.
            for other in fields.iter().filter(|other| other.grid.is_empty() && other.value != "nm") {
                let name = match other.name {
                    "a" => "assertion",
                    "t" if !medication => continue,
                    name => name,
                };
                detail.more().attributes.push((name.to_owned(), other.value.to_owned()));
            }
        }
        any = true;
        let label = reading.corpus.labels.intern(label);
        reading.corpus.push(0, 0, label, detail);
    }
    if !any {
        let found = "a line without a place or a type";
        reading.corpus.problems.add(Kind::BadSpan, place, found, expected);
    }
}
