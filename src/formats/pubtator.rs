//! PubTator: `id|t|title`, `id|a|abstract`, rows `id⇥start⇥end⇥mention⇥type[⇥concept[⇥parts]]`, relation rows
//! `id⇥relation⇥concept⇥concept`. Text is title, one space, abstract; offsets are code points. Files without
//! text rows are read too.

use super::{Format, Reading};
use crate::corpus::concepts;
use crate::corpus::problems::Kind;
use crate::corpus::text::{Digest, Form, Piece};
use crate::corpus::{Argument, Detail, LabelId, Own, Relation};
use crate::source::{SourceError, lines::Lines};

/// The format.
pub static FORMAT: Format = Format::of("pubtator", "PubTator", sniff, read);

fn sniff(head: &str) -> Option<(u8, String)> {
    let first = head.lines().find(|line| !line.trim().is_empty())?;
    // A line of another format may hold `|t|` in a text: its start is no id.
    if text_row(first).is_some_and(|(id, ..)| !id.contains(['{', '[', '<', '"'])) {
        return Some((99, "first line is ID|t|… or ID|a|…".into()));
    }
    let columns: Vec<&str> = first.split('\t').collect();
    let rows = columns.len() >= 5
        && !columns[0].is_empty()
        && columns[1].parse::<i64>().is_ok()
        && columns[2].parse::<i64>().is_ok();
    rows.then(|| (80, "rows of ID, start, end, mention, type without text".into()))
}

/// The parts of `id|t|text`; ids hold neither white space nor `|`, and JSON may hold `|t|` in a text.
fn text_row(line: &str) -> Option<(&str, bool, &str)> {
    let bar = line.find('|')?;
    let id = &line[..bar];
    if id.is_empty() || id.contains(|c: char| c.is_whitespace() || matches!(c, '"' | '{' | '<')) {
        return None;
    }
    let rest = &line[bar + 1..];
    if let Some(text) = rest.strip_prefix("t|") {
        Some((id, true, text))
    } else {
        rest.strip_prefix("a|").map(|text| (id, false, text))
    }
}

/// The document being read.
#[derive(Default)]
struct Current {
    id: String,
    line: u64,
    title: Option<(String, Piece)>,
    body: Option<(String, Piece)>,
    rows: Vec<Row>,
    /// (type, concept, concept)
    relations: Vec<[String; 3]>,
}

struct Row {
    line: u64,
    start: i64,
    end: i64,
    label: LabelId,
    mention: String,
    /// Concept ids as they are written.
    concepts: Vec<String>,
    /// How many mentions it is composed of, where it is more than one.
    parts: usize,
}

fn read(mut reading: Reading<'_>) -> Result<(), SourceError> {
    let (source, from) = reading.source();
    let mut lines = Lines::new(&*source, reading.chunk, from);
    let mut current: Option<Current> = None;
    while let Some(line) = lines.next_line()? {
        (reading.progress)(line.offset);
        let Some(text) = reading.utf8(&line) else { continue };
        if text.trim().is_empty() {
            finish(&mut reading, current.take());
            continue;
        }
        if let Some((id, is_title, words)) = text_row(text) {
            let fits = |c: &Current| {
                c.id == id
                    && if is_title { c.title.is_none() && c.body.is_none() } else { c.body.is_none() }
                    && c.rows.is_empty()
            };
            if !current.as_ref().is_some_and(fits) {
                finish(&mut reading, current.take());
            }
            let document = current.get_or_insert_with(|| Current {
                id: id.into(),
                line: line.number,
                ..Current::default()
            });
            let start = line.offset + (text.len() - words.len()) as u64;
            let piece = Piece::new(reading.file, start, words.len() as u64, Form::Plain);
            let slot = if is_title { &mut document.title } else { &mut document.body };
            *slot = Some((words.to_owned(), piece));
            continue;
        }
        row(&mut reading, &mut current, text, line.number);
    }
    finish(&mut reading, current.take());
    Ok(())
}

/// A line that is no text row. It may be note text with tabs in it, so nothing of it is quoted unless it is
/// a row of the open document or has the shape of a span.
fn row(reading: &mut Reading<'_>, current: &mut Option<Current>, text: &str, line: u64) {
    let columns: Vec<&str> = text.split('\t').collect();
    let id = columns[0];
    let offset = |at: usize| columns.get(at).and_then(|column| column.trim().parse::<i64>().ok());
    let offsets = offset(1).zip(offset(2));
    let known = current.as_ref().is_some_and(|c| c.id == id);
    // Where documents have texts, rows belong to the document before them.
    let last = reading.corpus.documents.last().filter(|document| document.file == reading.file);
    let fits = last.is_none_or(|last| last.digest.is_none() || last.id == id)
        && current.as_ref().is_none_or(|c| c.title.is_none() && c.body.is_none());
    let is_row = columns.len() >= 4
        && !id.is_empty()
        && (known || fits && offsets.is_some() && !id.contains(char::is_whitespace));
    if !is_row {
        let found = format!("{} tab-separated columns that are no row of the document", columns.len());
        let expected = "ID|t|…, ID|a|…, or rows of ID, start, end, mention, type";
        reading.corpus.problems.add(Kind::BadRecord, reading.at(line), found, expected);
        return;
    }
    if !known {
        finish(reading, current.take());
        *current = Some(Current { id: id.into(), line, ..Current::default() });
    }
    let Some(document) = current.as_mut() else { return };
    let place = reading.at(line).of(id);
    let problems = &mut reading.corpus.problems;
    let expected = "ID, start, end, mention, type";
    let label = columns.get(4).map_or("", |label| label.trim());
    match (offsets, offset(1)) {
        (Some(_), _) if label.is_empty() => {
            let found = format!("a row of {} columns without a type", columns.len());
            problems.add(Kind::BadSpan, place, found, expected);
        }
        (Some((start, end)), _) => {
            let label = reading.corpus.labels.intern(label);
            let ids = concepts::ids(columns.get(5).map_or("", |column| column));
            let concepts = ids.into_iter().map(str::to_owned).collect();
            // The parts themselves are note text.
            let parts = columns.get(6).map_or("", |column| column.trim());
            let parts = if parts.is_empty() { 0 } else { parts.split('|').count() };
            document.rows.push(Row {
                line,
                start,
                end,
                label,
                mention: columns[3].to_owned(),
                concepts,
                parts,
            });
        }
        // Concepts of relations may be numbers, their names are not.
        (None, None) => {
            let [kind, first, second] = [1, 2, 3].map(|at| columns[at].trim().to_owned());
            let known = !kind.is_empty() && !first.is_empty() && !second.is_empty();
            let found =
                if known { "a relation row" } else { "a relation row without its concepts; left out" };
            problems.add(Kind::Relation, place, found, "ID, relation, concept, concept");
            if known {
                document.relations.push([kind, first, second]);
            }
        }
        _ => problems.add(Kind::BadSpan, place, "a row whose start or end is not a whole number", expected),
    }
}

fn finish(reading: &mut Reading<'_>, current: Option<Current>) {
    let Some(current) = current else { return };
    reading.corpus.begin(reading.file, Some(current.id.clone()), current.line);
    let has_text = current.title.is_some() || current.body.is_some();
    let mut text = String::new();
    if has_text {
        let mut pieces = Vec::new();
        if let Some((title, piece)) = current.title {
            text.push_str(&title);
            pieces.push(piece);
        }
        if let Some((body, piece)) = current.body {
            let pad = u32::from(!pieces.is_empty());
            text.extend(std::iter::repeat_n(' ', pad as usize));
            text.push_str(&body);
            pieces.push(Piece { pad, ..piece });
        }
        reading.corpus.set_text(&pieces, Digest::of(text.as_bytes()));
    }
    for row in current.rows {
        let own = (!row.mention.is_empty()).then(|| Own::Text(row.mention.into()));
        let mut detail = Detail { line: row.line, own, ..Detail::default() };
        if !row.concepts.is_empty() {
            detail.more().concepts = row.concepts;
        }
        if row.parts > 0 {
            detail.more().attributes.push(("parts".into(), row.parts.to_string()));
        }
        reading.corpus.push(row.start, row.end, row.label, detail);
    }
    let document = reading.corpus.documents.len().saturating_sub(1) as u32;
    for [label, first, second] in current.relations {
        let arguments = [("arg1", first), ("arg2", second)];
        let arguments = arguments.map(|(role, id)| (role.to_owned(), Argument::Concept(id))).into();
        reading.corpus.relations.push(Relation { document, label, arguments });
    }
}
