//! Tables of spans, separated by tabs, commas, semicolons or bars: one span a row (shared tasks of the BSC,
//! Spark NLP, exports of data frames), with or without header, or one document a row with a list of spans in
//! a cell (Label Studio's CSV, data frames of Python lists). Offsets are code points unless the spans' own
//! texts say otherwise; which columns mean what is told by their names, without a header by what they hold.

use super::table::rows::Row;
use super::table::{self, Documents, Sample, find, is_missing, names, number, offset, ranges, truth};
use super::{Format, Reading, envelope, json, stem};
use crate::corpus::problems::Kind;
use crate::corpus::{Detail, Own, Search, Unit};
use crate::source::SourceError;
use std::collections::BTreeSet;

/// The format.
pub static FORMAT: Format = Format::of("span-table", "Table of spans", sniff, read);

const EXPECTED: &str = "a document id, start, end and label a row";

/// Which column holds what.
#[derive(Default)]
struct Columns {
    id: Option<usize>,
    start: Option<usize>,
    end: Option<usize>,
    length: Option<usize>,
    /// Start and end in one cell, with `;` between fragments.
    ranges: Option<usize>,
    label: Option<usize>,
    own: Option<usize>,
    /// The document's text.
    text: Option<usize>,
    score: Option<usize>,
    /// Lists of spans.
    list: Option<usize>,
    concepts: Vec<usize>,
    /// With the names to give them.
    attributes: Vec<(usize, String)>,
    /// Label Studio wrote it, which counts UTF-16 units.
    label_studio: bool,
}

impl Columns {
    fn used(&self) -> Vec<usize> {
        let single = [
            self.id,
            self.start,
            self.end,
            self.length,
            self.ranges,
            self.label,
            self.own,
            self.text,
            self.score,
            self.list,
        ];
        let more = self.concepts.iter().copied().chain(self.attributes.iter().map(|(at, _)| *at));
        single.into_iter().flatten().chain(more).collect()
    }
}

fn sniff(head: &str) -> Option<(u8, String)> {
    let sample = Sample::of(head)?;
    let (columns, sure) = columns(&sample)?;
    let rows = match (columns.list, columns.ranges, &sample.header) {
        (Some(_), ..) => "a table with a list of spans a row",
        (_, _, None) => "rows of a table that hold offsets, without a header",
        (_, Some(_), _) => "a table with start and end in one column",
        _ if columns.start.is_none() => "a table of mentions and labels without offsets",
        _ => "a table with columns for start, end and label",
    };
    Some((sure, rows.into()))
}

/// Whether a table holds spans, whatever else it could be.
pub(super) fn holds_spans(sample: &Sample) -> bool {
    columns(sample).is_some()
}

/// What the columns mean and how surely; none where they hold no spans.
fn columns(sample: &Sample) -> Option<(Columns, u8)> {
    match &sample.header {
        Some(header) => with_header(sample, header),
        None => without_header(sample),
    }
}

/// Whether most cells of a column are so.
fn mostly(sample: &Sample, at: usize, is: impl Fn(&str) -> bool) -> bool {
    let cells: Vec<&str> = sample.column(at).collect();
    cells.iter().filter(|cell| is(cell)).count() * 10 >= cells.len() * 8
}

fn is_offset(cell: &str, comma: bool) -> bool {
    offset(cell, comma).is_ok()
}

fn with_header(sample: &Sample, header: &[String]) -> Option<(Columns, u8)> {
    let keys = sample.keys();
    let comma = sample.comma();
    let has = |name: &str| keys.iter().any(|key| key == name);
    let id = find(&keys, names::IDS, &[]);
    let offsets = |list: &[&str], taken: &[Option<usize>]| {
        find(&keys, list, taken).filter(|&at| mostly(sample, at, |cell| is_offset(cell, comma)))
    };
    let mut found = Columns { id, ..Columns::default() };
    found.start = offsets(names::STARTS, &[id]);
    found.end = offsets(names::ENDS, &[id, found.start]);
    found.length = offsets(names::LENGTHS, &[id]).filter(|_| found.end.is_none() && found.start.is_some());
    let holds =
        |at: usize, is: &dyn Fn(&str) -> bool| sample.column(at).next().is_some() && mostly(sample, at, is);
    if found.start.is_none() || found.end.is_none() && found.length.is_none() {
        let pairs = |&at: &usize| holds(at, &|cell| ranges(cell).is_some());
        found.ranges = find(&keys, names::RANGES, &[id]).filter(pairs);
        // `span` may be the mention and another column the place.
        let spaced = |cell: &str| cell.contains(' ') && ranges(cell).is_some();
        let any = || (0..keys.len()).find(|&at| Some(at) != id && holds(at, &spaced));
        found.ranges = found.ranges.or_else(any);
        if found.ranges.is_some() {
            (found.start, found.end, found.length) = (None, None, None);
        }
    }
    if found.start.is_none() && found.ranges.is_none() {
        found.list = find(&keys, names::LISTS, &[id]).filter(|&at| holds(at, &is_list));
        if found.list.is_some() {
            found.text = find(&keys, names::TEXTS, &[id, found.list]);
            found.label_studio = has("leadtime") || has("annotationid");
            return Some((found, 92));
        }
    }
    let taken = [id, found.start, found.end, found.length, found.ranges];
    found.label = find(&keys, names::LABELS, &taken);
    // `entity` beside another label is the mention.
    let mut owns: Vec<&str> = names::OWNS.to_vec();
    owns.push("entity");
    let taken = [id, found.start, found.end, found.length, found.ranges, found.label];
    found.own = find(&keys, &owns, &taken);
    if let Some(own) = found.own {
        let more = [taken.as_slice(), &[Some(own)]].concat();
        found.text = find(&keys, names::TEXTS, &more);
        if found.text.is_none()
            && names::TEXTS.contains(&keys[own].as_str())
            && holds_documents(sample, &found)
        {
            (found.text, found.own) = (found.own, None);
        }
    }
    found.score = find(&keys, names::SCORES, &[]);
    let used = found.used();
    let free = |at: &usize| !used.contains(at) && !keys[*at].is_empty();
    found.concepts =
        (0..keys.len()).filter(free).filter(|&at| names::CONCEPTS.contains(&keys[at].as_str())).collect();
    let is_flag = |at: &usize| {
        let flag = |cell: &str| truth(cell).is_some() && cell.parse::<f64>().is_err();
        names::ATTRIBUTES.contains(&keys[*at].as_str()) || holds(*at, &flag)
    };
    found.attributes = (0..keys.len())
        .filter(|at| free(at) && !found.concepts.contains(at))
        .filter(is_flag)
        .map(|at| (at, header[at].clone()))
        .collect();
    let placed =
        found.ranges.is_some() || found.start.is_some() && (found.end.is_some() || found.length.is_some());
    let named = found.label.is_some() || found.own.is_some();
    let sure = if placed && (named || id.is_some()) {
        if named { 92 } else { 75 }
    } else if found.start.is_some() && found.own.is_some() {
        80
    } else if found.start.is_none()
        && found.label.is_some()
        && found.own.is_some_and(|own| !names::TEXTS.contains(&keys[own].as_str()))
        && id.is_some()
    {
        86
    } else {
        return None;
    };
    Some((found, sure))
}

/// Whether the column of own texts holds the documents' texts: longer than its spans, which lie inside.
fn holds_documents(sample: &Sample, found: &Columns) -> bool {
    let (Some(own), Some(start), Some(end)) = (found.own, found.start, found.end) else { return false };
    let (mut rows, mut documents) = (0, 0);
    for row in sample.body() {
        let at = |at: usize| row.get(at).and_then(|cell| offset(cell, sample.comma()).ok().flatten());
        let (Some(start), Some(end), Some(text)) = (at(start), at(end), row.get(own)) else { continue };
        let length = text.chars().count() as i64;
        rows += 1;
        let own = end.saturating_sub(start);
        let is_own = length == own || length == own.saturating_add(1);
        documents += u64::from(!is_own && length >= end);
    }
    documents > 0 && documents * 10 >= rows * 9
}

fn is_list(cell: &str) -> bool {
    let inner = cell.strip_prefix('[').map(str::trim_start);
    inner.is_some_and(|inner| inner.starts_with(['{', '[', '(', ']']))
}

/// Without a header: a column of `start end` (CodiEsp), or two neighbouring columns of whole numbers.
fn without_header(sample: &Sample) -> Option<(Columns, u8)> {
    let columns = sample.dialect.columns;
    let rows = sample.body();
    let all = |at: usize, is: &dyn Fn(&str) -> bool| {
        rows.iter().all(|row| row.get(at).is_none_or(|cell| is(cell))) && sample.column(at).next().is_some()
    };
    let spaced = |cell: &str| cell.contains(' ') && ranges(cell).is_some();
    let whole = |cell: &str| cell.parse::<i64>().is_ok_and(|n| n >= 0);
    let mut found = Columns::default();
    let sure = if let Some(at) = (1..columns).find(|&at| all(at, &spaced)) {
        found.ranges = Some(at);
        88
    } else {
        let ordered = |start: usize| {
            let pair = |row: &&Vec<String>| {
                let at = |at: usize| row.get(at).and_then(|cell| cell.parse::<i64>().ok());
                at(start).zip(at(start + 1)).is_some_and(|(start, end)| start < end)
            };
            rows.iter().filter(pair).count() * 20 >= rows.len() * 19
        };
        let start = (1..columns.saturating_sub(1))
            .find(|&at| all(at, &whole) && all(at + 1, &whole) && ordered(at))?;
        (found.start, found.end) = (Some(start), Some(start + 1));
        75
    };
    found.id = Some(0);
    let used = found.used();
    let words: Vec<usize> = (0..columns)
        .filter(|at| !used.contains(at) && mostly(sample, *at, |cell| number(cell, sample.comma()).is_none()))
        .collect();
    let length = |row: &[String]| -> Option<i64> {
        let at = |at: Option<usize>| at.and_then(|at| row.get(at)).map(String::as_str);
        let pairs = match found.ranges {
            Some(_) => ranges(at(found.ranges)?)?,
            None => vec![(at(found.start)?.parse().ok()?, at(found.end)?.parse().ok()?)],
        };
        match pairs[..] {
            [(start, end)] => end.checked_sub(start),
            _ => None,
        }
    };
    let as_long = |at: usize| {
        let fits = |row: &&Vec<String>| {
            let own = row.get(at).map_or(0, |cell| cell.chars().count() as i64);
            length(row).is_some_and(|length| length == own || length.saturating_add(1) == own)
        };
        rows.iter().filter(fits).count()
    };
    found.own =
        words.iter().copied().max_by_key(|&at| as_long(at)).filter(|&at| as_long(at) * 10 >= rows.len() * 6);
    let kinds = |at: usize| sample.column(at).collect::<BTreeSet<_>>().len();
    let short = |at: &usize| Some(*at) != found.own && sample.column(*at).all(|cell| cell.len() <= 60);
    found.label = words.iter().copied().filter(short).min_by_key(|&at| kinds(at));
    found.label?;
    let code = |cell: &str| cell.bytes().any(|b| b.is_ascii_digit()) && !cell.contains(' ');
    found.concepts = words
        .iter()
        .copied()
        .filter(|&at| Some(at) != found.own && Some(at) != found.label && mostly(sample, at, code))
        .collect();
    Some((found, sure))
}

fn read(mut reading: Reading<'_>) -> Result<(), SourceError> {
    let sample = Sample::of_file(&reading)?;
    let Some((sample, columns)) = sample.and_then(|sample| {
        let (columns, _) = columns(&sample)?;
        Some((sample, columns))
    }) else {
        table::no_table(&mut reading, EXPECTED);
        return Ok(());
    };
    if columns.label_studio {
        reading.corpus.files[reading.file as usize].unit = Unit::Utf16;
    }
    if let Some(header) = &sample.header {
        table::list_unread(&mut reading, header, &columns.used());
    }
    if columns.label.is_none() && columns.list.is_none() {
        let found = "no column of labels; every span is called `entity`";
        reading.corpus.problems.add(Kind::LabelDerived, reading.at(1), found, "a column `label` or `type`");
    }
    // Several files without ids are a document each.
    let name = stem(reading.id.rsplit('/').next().unwrap_or(reading.id)).to_owned();
    let mut table = Table {
        comma: sample.comma(),
        nameless: columns.id.is_none() && reading.alone,
        name,
        columns,
        documents: Documents::default(),
    };
    if table.nameless && table.columns.list.is_none() {
        reading.corpus.records += 1;
        table.documents.nameless(1);
    }
    let dialect = table::rows::Dialect { absorbs: table.columns.own, ..sample.dialect };
    table::each_data_row(&mut reading, dialect, sample.header.is_some(), &mut |reading, row| {
        table.row(reading, row);
    })?;
    table.documents.flush(&mut reading);
    Ok(())
}

struct Table {
    columns: Columns,
    comma: bool,
    /// No column and no file name says the document.
    nameless: bool,
    /// The file's name, where no column says the document.
    name: String,
    documents: Documents,
}

impl Table {
    fn row(&mut self, reading: &mut Reading<'_>, row: &Row<'_>) {
        let id = match self.columns.id {
            Some(at) => row.value(at).into_owned(),
            None => self.name.clone(),
        };
        if self.columns.id.is_some() && id.is_empty() {
            reading.corpus.problems.add(
                Kind::BadRecord,
                reading.at(row.line),
                "a row without an id",
                EXPECTED,
            );
            return;
        }
        if let Some(list) = self.columns.list {
            self.list(reading, row, &id, list);
            return;
        }
        let value = |at: Option<usize>| at.map(|at| row.value(at)).filter(|cell| !cell.is_empty());
        let place = table::place(reading, row.line, (!self.nameless).then_some(&id));
        let own = self.columns.own.filter(|&at| !row.cell(at).is_empty());
        let fragments = self.fragments(row, own);
        let label = value(self.columns.label).filter(|_| self.columns.label.is_some());
        let none = matches!(fragments, Ok(None));
        let document =
            if self.nameless { self.documents.last() } else { Some(self.documents.of(&id, row.line).0) };
        let Some(document) = document else { return };
        if let Some(at) = self.columns.text
            && !document.set_text(row.piece(reading.file, at), &row.cell(at))
        {
            let found = "an id again, with another text";
            reading.corpus.problems.add(Kind::DocumentConflict, place, found, "one text a document");
            return;
        }
        if none && own.is_none() && label.is_none() {
            // A document without spans.
            return;
        }
        if none && label.as_deref().is_none_or(is_missing) && own.is_none_or(|at| is_missing(&row.value(at)))
        {
            reading.corpus.problems.add(Kind::Placeholder, place, "a row of NA", "");
            return;
        }
        let (fragments, search) = match fragments {
            Ok(Some(fragments)) => (fragments, None),
            Ok(None) if own.is_some() => (vec![(0, 0)], Some(Search::Listed)),
            Ok(None) => {
                reading.corpus.problems.add(Kind::BadSpan, place, "a span without start and end", EXPECTED);
                return;
            }
            Err(why) => {
                reading.corpus.problems.add(Kind::BadSpan, place, why, EXPECTED);
                return;
            }
        };
        let label = match (label, self.columns.label) {
            (Some(label), _) => reading.corpus.labels.intern(&label),
            (None, None) => reading.corpus.labels.intern("entity"),
            (None, Some(_)) => {
                reading.corpus.problems.add(Kind::BadSpan, place, "a span without a label", EXPECTED);
                return;
            }
        };
        let (start, end) = envelope(&fragments);
        let mut detail = Detail { line: row.line, search, ..Detail::default() };
        detail.own = own.and_then(|at| row.piece(reading.file, at)).map(Own::At);
        detail.score =
            value(self.columns.score).and_then(|cell| number(&cell, self.comma)).filter(|s| s.is_finite());
        for &at in &self.columns.concepts {
            if let Some(concept) = value(Some(at)).filter(|cell| !is_missing(cell)) {
                detail.more().concepts.push(concept.into_owned());
            }
        }
        for (at, name) in &self.columns.attributes {
            if let Some(value) = value(Some(*at)).filter(|cell| !is_missing(cell)) {
                detail.more().attributes.push((name.clone(), value.into_owned()));
            }
        }
        if fragments.len() > 1 {
            detail.fragments = fragments;
        }
        document.spans.push((start, end, label, detail));
    }

    /// Start and end of a row's fragments; none where its cells are blank.
    fn fragments(&self, row: &Row<'_>, own: Option<usize>) -> Result<Option<Vec<(i64, i64)>>, &'static str> {
        let columns = &self.columns;
        if let Some(at) = columns.ranges {
            let cell = row.value(at);
            return match ranges(&cell) {
                Some(ranges) => Ok(Some(ranges)),
                None if cell.is_empty() || is_missing(&cell) => Ok(None),
                None => Err("a place that is not start and end in whole numbers"),
            };
        }
        let read = |at: Option<usize>| at.map_or(Ok(None), |at| offset(&row.value(at), self.comma));
        let start = read(columns.start)?;
        let end = match (columns.end, columns.length, own) {
            (Some(_), ..) => read(columns.end)?,
            (None, Some(_), _) => {
                start.zip(read(columns.length)?).and_then(|(s, length)| s.checked_add(length))
            }
            (None, None, Some(own)) => {
                start.and_then(|s| s.checked_add(row.cell(own).chars().count() as i64))
            }
            _ => None,
        };
        match (start, end) {
            (Some(start), Some(end)) => Ok(Some(vec![(start, end)])),
            (None, None) => Ok(None),
            _ => Err("a span without start or end"),
        }
    }

    /// A document with its spans in a cell.
    fn list(&mut self, reading: &mut Reading<'_>, row: &Row<'_>, id: &str, at: usize) {
        let has_id = self.columns.id.is_some();
        reading.corpus.records += 1;
        let line = row.line;
        let (document, new) =
            if has_id { self.documents.of(id, line) } else { (self.documents.nameless(line), true) };
        let place = table::place(reading, line, has_id.then_some(id));
        if let Some(at) = self.columns.text
            && !document.set_text(row.piece(reading.file, at), &row.cell(at))
        {
            let found = "an id again, with another text";
            reading.corpus.problems.add(Kind::DocumentConflict, place, found, "one text a document");
            return;
        }
        if !new {
            let found = "an id again";
            reading.corpus.problems.add(Kind::DocumentJoined, place.clone(), found, "one row a document");
        }
        let cell = row.value(at);
        if !cell.is_empty() && !is_missing(&cell) {
            let expected = "[[start, end, \"label\"], …]";
            let labels = &mut reading.corpus.labels;
            let mut listed = json::listed(&cell, labels);
            if listed.is_err()
                && let Some(cell) = table::literal(&cell)
            {
                listed = json::listed(&cell, labels);
            }
            let problems = &mut reading.corpus.problems;
            match listed {
                Err(why) => problems.add(Kind::BadRecord, place, why, expected),
                Ok(spans) => {
                    for span in spans {
                        let span = match span {
                            Ok(span) => span,
                            Err(why) => {
                                problems.add(Kind::BadSpan, place.clone(), why, expected);
                                continue;
                            }
                        };
                        let detail = Detail { line, ..span.detail };
                        for label in span.labels {
                            document.spans.push((span.start, span.end, label, detail.clone()));
                        }
                    }
                }
            }
        }
        if !has_id {
            self.documents.flush(reading);
        }
    }
}
