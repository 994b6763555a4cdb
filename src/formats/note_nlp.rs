//! OMOP's NOTE_NLP table as CSV or TSV. It defines neither the unit of `offset` nor an end, and has no label:
//! the end is the start and the length of `lexical_variant`, the label a column of domains where a site added
//! one, else the concept. The source concept is another vocabulary's word for the concept, so it is an attribute,
//! unless the table has no other. Mentions with `term_exists` N are kept, marked as negated.

use super::table::rows::{Dialect, Row};
use super::table::{self, Documents, Sample, find, is_missing, offset, ranges};
use super::{Format, Reading};
use crate::corpus::problems::Kind;
use crate::corpus::{Detail, Own};
use crate::source::SourceError;

/// The format.
pub static FORMAT: Format = Format::of("note-nlp", "OMOP NOTE_NLP", sniff, read);

const EXPECTED: &str = "note_id, offset and lexical_variant a row";

/// Columns that may say a label, best first.
static LABELS: &[&str] = &[
    "domainid",
    "domain",
    "label",
    "entitytype",
    "type",
    "notenlpsourcevalue",
    "sourcevalue",
    "conceptname",
];

/// Which column holds what.
struct Columns {
    note: usize,
    offset: usize,
    own: usize,
    label: Option<usize>,
    concept: Option<usize>,
    source_concept: Option<usize>,
    exists: Option<usize>,
    temporal: Option<usize>,
    modifiers: Option<usize>,
}

fn columns(sample: &Sample) -> Option<Columns> {
    let keys = sample.keys();
    let one = |name: &str| find(&keys, &[name], &[]);
    Some(Columns {
        note: one("noteid")?,
        offset: one("offset")?,
        own: one("lexicalvariant")?,
        label: find(&keys, LABELS, &[]),
        concept: one("notenlpconceptid").or_else(|| one("notenlpsourceconceptid")),
        source_concept: one("notenlpconceptid").and_then(|_| one("notenlpsourceconceptid")),
        exists: one("termexists"),
        temporal: one("termtemporal"),
        modifiers: one("termmodifiers"),
    })
}

fn sniff(head: &str) -> Option<(u8, String)> {
    columns(&Sample::of(head)?)?;
    Some((98, "the columns of OMOP's NOTE_NLP".into()))
}

fn read(mut reading: Reading<'_>) -> Result<(), SourceError> {
    let found = Sample::of_file(&reading)?.and_then(|sample| Some((columns(&sample)?, sample.dialect)));
    let Some((columns, dialect)) = found else {
        table::no_table(&mut reading, EXPECTED);
        return Ok(());
    };
    if columns.label.is_none() {
        let found = "NOTE_NLP has no labels; a label is `concept` and the note_nlp_concept_id";
        let expected = "a column `domain_id` or `label` to take labels from, or a label map";
        reading.corpus.problems.add(Kind::LabelDerived, reading.at(1), found, expected);
    }
    let mut documents = Documents::default();
    let dialect = Dialect { absorbs: None, ..dialect };
    table::each_data_row(&mut reading, dialect, true, &mut |reading, row| {
        keep(reading, row, &columns, &mut documents);
    })?;
    documents.flush(&mut reading);
    Ok(())
}

fn keep(reading: &mut Reading<'_>, row: &Row<'_>, columns: &Columns, documents: &mut Documents) {
    let value = |at: Option<usize>| at.map(|at| row.value(at)).filter(|v| !v.is_empty() && !is_missing(v));
    let Some(id) = value(Some(columns.note)) else {
        reading.corpus.problems.add(Kind::BadRecord, reading.at(row.line), "a row without note_id", EXPECTED);
        return;
    };
    let place = table::place(reading, row.line, Some(&id));
    let (document, _) = documents.of(&id, row.line);
    let own = row.cell(columns.own);
    let length = own.chars().count() as i64;
    // A string by definition: `6`, `6-12`, `6.0`, sometimes in quotes of its own.
    let cell = row.value(columns.offset);
    let cell = cell.trim_matches(['"', '\'']);
    let bounds = match (offset(cell, false), ranges(cell).as_deref()) {
        (Ok(Some(start)), _) => start.checked_add(length).map(|end| (start, end)),
        (_, Some(&[(start, end)])) => {
            Some((start, if length > 0 { start.checked_add(length).unwrap_or(end) } else { end }))
        }
        _ => None,
    };
    let Some((start, end)) = bounds else {
        let found = "an offset that is neither a whole number nor two";
        reading.corpus.problems.add(Kind::BadSpan, place, found, "a start such as 6, or 6-12");
        return;
    };
    let concept = value(columns.concept);
    let label = match (value(columns.label), &concept) {
        (Some(label), _) => label.into_owned(),
        (None, Some(concept)) => format!("concept {concept}"),
        (None, None) => {
            let found = "a row without a concept to take a label from";
            reading.corpus.problems.add(Kind::BadSpan, place, found, "a note_nlp_concept_id");
            return;
        }
    };
    let label = reading.corpus.labels.intern(&label);
    let mut detail = Detail { line: row.line, ..Detail::default() };
    if !own.is_empty() {
        detail.own = row.piece(reading.file, columns.own).map(Own::At);
    }
    if let Some(concept) = concept.filter(|concept| concept != "0") {
        detail.more().concepts.push(concept.into_owned());
    }
    if let Some(source) = value(columns.source_concept).filter(|concept| concept != "0") {
        detail.more().attributes.push(("source_concept".into(), source.into_owned()));
    }
    if value(columns.exists).is_some_and(|exists| table::truth(&exists) == Some(false)) {
        detail.more().attributes.push(("negated".into(), "true".into()));
        reading.corpus.problems.add(Kind::Negated, place, "term_exists N", "");
    }
    if let Some(temporal) = value(columns.temporal) {
        detail.more().attributes.push(("temporal".into(), temporal.into_owned()));
    }
    for modifier in value(columns.modifiers).iter().flat_map(|cell| cell.split([';', ','])) {
        let (name, value) = modifier.split_once('=').unwrap_or((modifier, "true"));
        if !name.trim().is_empty() {
            detail.more().attributes.push((name.trim().to_owned(), value.trim().to_owned()));
        }
    }
    document.spans.push((start, end, label, detail));
}
