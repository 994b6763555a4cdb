//! What the formats of tables share: which character divides a file, whether it has a header, what its
//! columns are called, rows with their problems, and documents whose rows lie apart.

use super::{Reading, python_literal};
use crate::corpus::problems::{Kind, Place, shorten};
use crate::corpus::text::{Digest, Piece};
use crate::corpus::{Class, Detail, LabelId};
use crate::source::{Bytes, SourceError, read_range};
use rows::{Dialect, Odd, Row, Rows};
use rustc_hash::FxHashMap;

pub(super) mod rows;

/// Names of columns as [`key`] makes them; of several that are there, the first of a list counts.
pub(super) mod names {
    /// Document ids. A plain `id` may be a row's own, so it comes late.
    pub(in super::super) static IDS: &[&str] = &[
        "docid",
        "documentid",
        "noteid",
        "filename",
        "file",
        "hadmid",
        "pmid",
        "doc",
        "document",
        "documentname",
        "docname",
        "reportid",
        "recordid",
        "articleid",
        "textid",
        "caseid",
        "clinicalcase",
        "stayid",
        "icustayid",
        "stay",
        "guid",
        "uuid",
        "id",
        "subjectid",
        "patientid",
        "rowid",
    ];
    pub(in super::super) static STARTS: &[&str] = &[
        "start",
        "begin",
        "startchar",
        "startoffset",
        "startspan",
        "off0",
        "offset0",
        "charstart",
        "spanstart",
        "beginoffset",
        "beginchar",
        "beginspan",
        "offsetstart",
        "startpos",
        "startposition",
        "startindex",
        "startidx",
        "offset",
        "from",
    ];
    pub(in super::super) static ENDS: &[&str] = &[
        "end",
        "endchar",
        "endoffset",
        "endspan",
        "off1",
        "offset1",
        "charend",
        "spanend",
        "offsetend",
        "stop",
        "endpos",
        "endposition",
        "endindex",
        "endidx",
        "to",
    ];
    pub(in super::super) static LENGTHS: &[&str] = &["length", "len"];
    /// Columns that hold start and end together.
    pub(in super::super) static RANGES: &[&str] = &[
        "offsets",
        "offset",
        "position",
        "positions",
        "referenceposition",
        "startend",
        "spans",
        "span",
        "location",
        "locations",
        "range",
    ];
    pub(in super::super) static LABELS: &[&str] = &[
        "label",
        "type",
        "nerlabel",
        "entitytype",
        "entitygroup",
        "entitylabel",
        "semantictype",
        "semanticgroup",
        "semantic",
        "labels",
        "nertag",
        "category",
        "class",
        "tag",
        "entity",
    ];
    /// A span's own text.
    pub(in super::super) static OWNS: &[&str] = &[
        "mention",
        "chunk",
        "nerchunk",
        "span",
        "spantext",
        "mentiontext",
        "entitytext",
        "lexicalvariant",
        "coveredtext",
        "surface",
        "surfaceform",
        "text",
        "word",
        "term",
    ];
    /// A document's text.
    pub(in super::super) static TEXTS: &[&str] = &[
        "text",
        "notetext",
        "documenttext",
        "doctext",
        "fulltext",
        "note",
        "sentence",
        "content",
        "context",
        "abstract",
        "report",
        "body",
    ];
    /// Lists of spans, one a document.
    pub(in super::super) static LISTS: &[&str] =
        &["entities", "spans", "label", "labels", "annotations", "ner", "predictions", "prediction"];
    pub(in super::super) static SCORES: &[&str] = &[
        "score",
        "confidence",
        "probability",
        "prob",
        "conf",
        "nerconfidence",
        "proba",
        "labelscore",
        "yscore",
        "yprob",
    ];
    /// Concept ids of a span.
    pub(in super::super) static CONCEPTS: &[&str] = &[
        "code",
        "codes",
        "concept",
        "conceptid",
        "cui",
        "identifier",
        "identifiers",
        "normid",
        "kbid",
        "icd",
        "icd10",
        "icd9",
        "snomed",
        "snomedcode",
        "snomedct",
        "sctid",
        "mesh",
        "meshid",
        "umls",
        "umlscui",
        "omopid",
    ];
    /// Attributes of a span.
    pub(in super::super) static ATTRIBUTES: &[&str] = &[
        "negated",
        "negation",
        "assertion",
        "assertionstatus",
        "polarity",
        "certainty",
        "uncertain",
        "uncertainty",
        "experiencer",
        "subject",
        "temporality",
        "historical",
        "hypothetical",
        "family",
        "modality",
        "status",
        "semanticrel",
        "isabbrev",
        "iscomposite",
        "needcontext",
        "termexists",
        "termtemporal",
        "termmodifiers",
    ];
    /// Document-level codes: strings, however they look.
    pub(in super::super) static CODES: &[&str] = &[
        "codes",
        "code",
        "labels",
        "icdcodes",
        "icdcode",
        "icd9codes",
        "icd9code",
        "icd10codes",
        "icd10code",
        "icd9",
        "icd10",
        "icd",
        "diagnoses",
        "diagnosis",
        "diagnosiscodes",
        "drg",
        "drgcode",
        "classes",
        "tags",
        "categories",
        "targets",
        "cui",
        "cuis",
    ];
    /// Document-level labels: one a row, or truth values.
    pub(in super::super) static CLASSES: &[&str] =
        &["label", "class", "category", "tag", "pred", "prediction", "predicted", "ypred", "predictedlabel"];
    /// The gold column of a file that holds predictions too.
    pub(in super::super) static TRUTHS: &[&str] = &[
        "ytrue",
        "truelabel",
        "gold",
        "goldlabel",
        "target",
        "truth",
        "groundtruth",
        "actual",
        "reference",
        "label",
        "class",
    ];
    /// The other column of such a file: the score before the decision.
    pub(in super::super) static PREDICTIONS: &[&str] = &[
        "yscore",
        "yprob",
        "prediction",
        "pred",
        "ypred",
        "predicted",
        "predictedlabel",
        "predictions",
        "yhat",
    ];
}

/// A column's name without case and punctuation.
pub(super) fn key(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The column that the first name of a list finds, `taken` ones left out.
pub(super) fn find(keys: &[String], names: &[&str], taken: &[Option<usize>]) -> Option<usize> {
    names.iter().find_map(|name| {
        keys.iter().enumerate().position(|(at, key)| key == name && !taken.contains(&Some(at)))
    })
}

/// The first rows of a file and what they say of it.
pub(super) struct Sample {
    /// How it is divided.
    pub(super) dialect: Dialect,
    /// Rows, cells without quotes and white space around them.
    pub(super) rows: Vec<Vec<String>>,
    /// Percentage of rows that have the most frequent number of cells.
    pub(super) even: u64,
    /// The header's names; none without header.
    pub(super) header: Option<Vec<String>>,
}

/// Rows of a sample.
const ROWS: usize = 200;
/// Bytes at the start of a file by which it is judged.
const HEAD: u64 = 1 << 16;

impl Sample {
    /// Of the first bytes of a file as text; none when no character divides them into columns.
    pub(super) fn of(head: &str) -> Option<Self> {
        let start = head.trim_start();
        let other = ["{", "[", "<", "#FORMAT=", "c=\"", "-DOCSTART-", "%PDF", "PAR1"];
        if start.is_empty() || other.iter().any(|magic| start.starts_with(magic)) || head.contains('\0') {
            return None;
        }
        // Many files are notes and their annotations: told from their first line, without dividing anything.
        let first = start.lines().next().unwrap_or("");
        if is_other_line(first) {
            return None;
        }
        let cut = head.len() as u64 + 4 > HEAD;
        let source = Bytes(head.as_bytes().to_vec());
        let mut best: Option<(u64, Sample)> = None;
        for delimiter in [b'\t', b',', b';', b'|'] {
            if !first.as_bytes().contains(&delimiter) {
                continue;
            }
            let Some((share, sample)) = Sample::divided(&source, delimiter, cut) else { continue };
            let columns = sample.dialect.columns;
            if best.as_ref().is_none_or(|(most, best)| (share, columns) > (*most, best.dialect.columns)) {
                best = Some((share, sample));
            }
        }
        best.map(|(_, sample)| sample)
    }

    /// The sample of a file that is being read.
    pub(super) fn of_file(reading: &Reading<'_>) -> Result<Option<Self>, SourceError> {
        Ok(Sample::of(&head(reading)?))
    }

    /// Divides at a character; with the percentage of rows of the most frequent length. None when that is one
    /// cell, or of few rows.
    fn divided(source: &Bytes, delimiter: u8, cut: bool) -> Option<(u64, Sample)> {
        let read = |columns| -> Option<Vec<Vec<String>>> {
            let dialect = Dialect { delimiter, quotes: true, columns, absorbs: None };
            let mut rows = Rows::new(source, 1 << 16, 0, dialect).ok()?;
            let mut list = Vec::new();
            while list.len() < ROWS {
                let Some(row) = rows.next_row().ok()? else { break };
                if row.odd.contains(&Some(Odd::OpenQuote)) {
                    break;
                }
                if !row.is_blank() {
                    list.push((0..row.len()).map(|at| row.value(at).into_owned()).collect());
                }
            }
            if cut && list.len() > 1 && list.len() < ROWS {
                list.pop();
            }
            Some(list)
        };
        let rows = read(0)?;
        let mut lengths: Vec<usize> = rows.iter().map(Vec::len).collect();
        lengths.sort_unstable();
        let same = lengths.chunk_by(|a, b| a == b).max_by_key(|same| (same.len(), same[0]))?;
        let columns = same[0];
        // With the columns known, lines that a stray quote swallowed are rows again.
        let rows = read(columns)?;
        let fit = rows.iter().filter(|row| row.len() == columns).count();
        let share = (fit * 100 / rows.len().max(1)) as u64;
        let header = has_header(&rows, delimiter != b',').then(|| rows[0].clone());
        // Under a header rows may be worse.
        if columns < 2 || share < if header.is_some() { 30 } else { 60 } {
            return None;
        }
        // The header says how many columns there are, if its names are one each.
        let columns = header.as_ref().map_or(columns, |header| header.len().max(columns));
        let dialect = Dialect { delimiter, quotes: true, columns, absorbs: None };
        Some((share, Sample { dialect, rows, even: share, header }))
    }

    /// The rows below the header.
    pub(super) fn body(&self) -> &[Vec<String>] {
        &self.rows[usize::from(self.header.is_some())..]
    }

    /// Names of the columns without case and punctuation; empty ones without header.
    pub(super) fn keys(&self) -> Vec<String> {
        match &self.header {
            Some(header) => header.iter().map(|name| key(name)).collect(),
            None => vec![String::new(); self.dialect.columns],
        }
    }

    /// Cells of a column that are not blank.
    pub(super) fn column(&self, at: usize) -> impl Iterator<Item = &str> {
        self.body().iter().filter_map(move |row| row.get(at)).map(String::as_str).filter(|c| !c.is_empty())
    }

    /// Whether a decimal comma is possible.
    pub(super) fn comma(&self) -> bool {
        self.dialect.delimiter != b','
    }
}

/// Whether a line is one of brat (`T1⇥Type 0 4⇥…`) or PubTator (`1|t|…`), which have columns too.
fn is_other_line(line: &str) -> bool {
    let mut parts = line.split('\t');
    let id = parts.next().unwrap_or("").strip_prefix('T');
    let numbered = id.is_some_and(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()));
    let brat = numbered
        && parts.next().is_some_and(|rest| {
            let mut words = rest.split(' ').skip(1);
            words.next().is_some_and(|start| start.parse::<i64>().is_ok()) && words.next().is_some()
        });
    let id = line.split('|').next().unwrap_or("");
    let text = line.get(id.len()..).is_some_and(|rest| rest.starts_with("|t|") || rest.starts_with("|a|"));
    brat || text && !id.contains(char::is_whitespace)
}

/// The first bytes of the file being read, as detection saw them.
pub(super) fn head(reading: &Reading<'_>) -> Result<String, SourceError> {
    let (source, from) = reading.source();
    let head = read_range(&*source, 0, source.len().min(HEAD))?;
    let head = head.get(usize::try_from(from).unwrap_or(0)..).unwrap_or(&[]);
    Ok(String::from_utf8_lossy(head).into_owned())
}

/// Whether the first row names columns: one of its cells is a known name, or no number in a column of
/// numbers.
fn has_header(rows: &[Vec<String>], comma: bool) -> bool {
    let Some(first) = rows.first() else { return false };
    let lists = [
        names::IDS,
        names::STARTS,
        names::ENDS,
        names::LABELS,
        names::OWNS,
        names::TEXTS,
        names::SCORES,
        names::CODES,
        names::TRUTHS,
        names::PREDICTIONS,
        names::LISTS,
    ];
    let known = |cell: &String| {
        let key = key(cell);
        !key.is_empty() && lists.iter().any(|list| list.contains(&key.as_str()))
    };
    // Data may hold such a word too, but then beside numbers.
    let is_id = |cell: &String| names::IDS.contains(&key(cell).as_str());
    let numbers = first.iter().any(|cell| number(cell, comma).is_some());
    if first.iter().any(known) && (!numbers || first.iter().any(is_id)) {
        return true;
    }
    (0..first.len()).any(|at| {
        let mut below =
            rows[1..].iter().filter_map(|row| row.get(at)).filter(|cell| !cell.is_empty()).peekable();
        let named = !first[at].is_empty() && number(&first[at], comma).is_none();
        named && below.peek().is_some() && below.all(|cell| number(cell, comma).is_some())
    })
}

/// A number as Python and spreadsheets write it; NaN and infinities are numbers that cannot be used.
pub(super) fn number(cell: &str, comma: bool) -> Option<f64> {
    let cell = cell.trim();
    if comma && cell.contains(',') && !cell.contains('.') {
        return cell.replacen(',', ".", 1).parse().ok();
    }
    cell.parse().ok()
}

/// An offset: `12` and `12.0`; none for a blank cell or NaN.
pub(super) fn offset(cell: &str, comma: bool) -> Result<Option<i64>, &'static str> {
    if let Ok(whole) = cell.parse() {
        return Ok(Some(whole));
    }
    match number(cell, comma) {
        None if cell.is_empty() || is_missing(cell) => Ok(None),
        Some(number) if number.is_nan() => Ok(None),
        // Floats hold whole numbers up to 2^53.
        Some(number) if number.trunc() == number && number.abs() <= 9_007_199_254_740_992.0 => {
            Ok(Some(number as i64))
        }
        _ => Err("an offset that is not a whole number"),
    }
}

/// A list as Python prints it, as JSON; none where it is not whole.
pub(super) fn literal(cell: &str) -> Option<String> {
    let cell = cell.trim();
    let found = python_literal::to_json(cell, false)?;
    (found.ended == python_literal::Ended::Whole && found.read == cell.len()).then_some(found.json)
}

/// What programs write for a missing value.
pub(super) fn is_missing(cell: &str) -> bool {
    ["na", "n/a", "nan", "null", "none", "<na>"].iter().any(|word| cell.eq_ignore_ascii_case(word))
}

/// Truth values as tables write them.
pub(super) fn truth(cell: &str) -> Option<bool> {
    let is = |words: &[&str]| words.iter().any(|word| cell.eq_ignore_ascii_case(word));
    if is(&["1", "1.0", "true", "yes", "y", "t", "1,0"]) {
        Some(true)
    } else if is(&["0", "0.0", "false", "no", "n", "f", "0,0"]) {
        Some(false)
    } else {
        None
    }
}

/// Start and end of one or more fragments in one cell: `887 910`, `5-9;12-20`, `[(0, 7)]`.
pub(super) fn ranges(cell: &str) -> Option<Vec<(i64, i64)>> {
    let fits = |c: char| c.is_ascii_digit() || " ;,:-()[]".contains(c);
    if !cell.chars().all(fits) {
        return None;
    }
    let numbers: Vec<i64> = cell
        .split(|c: char| !c.is_ascii_digit())
        .filter(|digits| !digits.is_empty())
        .map(str::parse)
        .collect::<Result<_, _>>()
        .ok()?;
    (!numbers.is_empty() && numbers.len().is_multiple_of(2))
        .then(|| numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
}

/// Visits every row behind the header and lists those that cannot be read.
pub(super) fn each_data_row(
    reading: &mut Reading<'_>,
    dialect: Dialect,
    has_header: bool,
    visit: &mut dyn FnMut(&mut Reading<'_>, &Row<'_>),
) -> Result<(), SourceError> {
    let mut is_header = has_header;
    each_row(reading, dialect, true, &mut |reading, row| {
        if !std::mem::take(&mut is_header) {
            visit(reading, row);
        }
    })
}

/// Visits every row of the file that can be read as one of the table; `list` says whether to list the others.
pub(super) fn each_row(
    reading: &mut Reading<'_>,
    dialect: Dialect,
    list: bool,
    visit: &mut dyn FnMut(&mut Reading<'_>, &Row<'_>),
) -> Result<(), SourceError> {
    let (source, from) = reading.source();
    let mut rows = Rows::new(&*source, reading.chunk, from, dialect)?;
    while let Some(row) = rows.next_row()? {
        if list {
            (reading.progress)(row.offset);
        }
        if let Err(error) = std::str::from_utf8(row.bytes) {
            if list {
                reading.bad_encoding(row.line, row.bytes, error.valid_up_to());
            }
            continue;
        }
        let mut read = true;
        for odd in row.odd.into_iter().flatten() {
            let columns = dialect.columns;
            let cells = format!("{} cells", row.found);
            let (kind, found, expected) = match odd {
                Odd::StrayQuote => (
                    Kind::UnclosedQuote,
                    "a quote that opens a cell and does not close it".to_owned(),
                    "a quote at both ends of the cell, quotes inside doubled".to_owned(),
                ),
                Odd::OpenQuote => {
                    read = false;
                    let found = "a quote that opens here and never closes; the file looks cut off";
                    (Kind::BadRecord, found.to_owned(), "a quote at both ends of the cell".to_owned())
                }
                Odd::Short | Odd::Joined => (Kind::UnevenRow, cells, format!("{columns} cells")),
                Odd::Long => {
                    read = false;
                    (Kind::BadRecord, cells, format!("{columns} cells, as the other rows have"))
                }
            };
            // Of a row that is left out, one word is enough.
            if list && (read || kind == Kind::BadRecord) {
                reading.corpus.problems.add(kind, reading.at(row.line), found, expected);
            }
            if !read {
                break;
            }
        }
        if read && !row.is_blank() {
            visit(reading, &row);
        }
    }
    Ok(())
}

/// Says which columns are not read, by their names where they look like names.
pub(super) fn list_unread(reading: &mut Reading<'_>, header: &[String], used: &[usize]) {
    let plain =
        |name: &str| name.len() <= 40 && name.chars().all(|c| c.is_alphanumeric() || "_-. ".contains(c));
    let unread: Vec<String> = header
        .iter()
        .enumerate()
        .filter(|(at, name)| !used.contains(at) && !name.is_empty() && !name.starts_with("Unnamed:"))
        .map(|(at, name)| if plain(name) { name.clone() } else { format!("column {}", at + 1) })
        .collect();
    if !unread.is_empty() {
        let found = shorten(&unread.join(", "));
        reading.corpus.problems.add(Kind::ColumnNotRead, reading.at(1), found, "");
    }
}

/// A document whose rows are being collected.
pub(super) struct Pending {
    id: Option<String>,
    line: u64,
    text: Option<(Piece, Digest)>,
    /// Its spans so far.
    pub(super) spans: Vec<(i64, i64, LabelId, Detail)>,
    /// Its document-level labels so far, where the table has such.
    pub(super) classes: Option<Vec<Class>>,
}

impl Pending {
    /// Gives the document its text; false when it has another one.
    pub(super) fn set_text(&mut self, piece: Option<Piece>, text: &str) -> bool {
        let digest = Digest::of(text.as_bytes());
        match (&self.text, piece) {
            (Some((_, known)), _) => *known == digest,
            (None, Some(piece)) => {
                self.text = Some((piece, digest));
                true
            }
            (None, None) => true,
        }
    }
}

/// Documents in the order in which their ids first occur; rows of one may lie apart.
#[derive(Default)]
pub(super) struct Documents {
    at: FxHashMap<String, usize>,
    list: Vec<Pending>,
}

impl Documents {
    /// The document of an id, and whether it is new.
    pub(super) fn of(&mut self, id: &str, line: u64) -> (&mut Pending, bool) {
        let next = self.list.len();
        let (at, new) = match self.at.get(id) {
            Some(&at) => (at, false),
            None => {
                self.at.insert(id.to_owned(), next);
                self.list.push(Pending {
                    id: Some(id.to_owned()),
                    line,
                    text: None,
                    spans: Vec::new(),
                    classes: None,
                });
                (next, true)
            }
        };
        (&mut self.list[at], new)
    }

    /// A document without an id: its row's place counts.
    pub(super) fn nameless(&mut self, line: u64) -> &mut Pending {
        self.at.clear();
        self.list.push(Pending { id: None, line, text: None, spans: Vec::new(), classes: None });
        let last = self.list.len() - 1;
        &mut self.list[last]
    }

    /// The document begun last.
    pub(super) fn last(&mut self) -> Option<&mut Pending> {
        self.list.last_mut()
    }

    /// Moves what was collected into the corpus.
    pub(super) fn flush(&mut self, reading: &mut Reading<'_>) {
        let corpus = &mut *reading.corpus;
        self.at.clear();
        for pending in self.list.drain(..) {
            corpus.begin(reading.file, pending.id, pending.line);
            if let Some((piece, digest)) = pending.text {
                corpus.set_text(&[piece], digest);
            }
            for (start, end, label, detail) in pending.spans {
                corpus.push(start, end, label, detail);
            }
            if let Some(classes) = pending.classes {
                let start = u32::try_from(corpus.classes.len()).unwrap_or(u32::MAX);
                corpus.classes.extend(classes);
                let end = u32::try_from(corpus.classes.len()).unwrap_or(u32::MAX);
                if let Some(document) = corpus.documents.last_mut() {
                    document.classes = Some(start..end);
                }
            }
        }
    }
}

/// A place in a document of the file being read.
pub(super) fn place(reading: &Reading<'_>, line: u64, id: Option<&str>) -> Place {
    match id {
        Some(id) => reading.at(line).of(id),
        None => reading.at(line),
    }
}

/// Says that a file chosen as a table is none.
pub(super) fn no_table(reading: &mut Reading<'_>, expected: &str) {
    let found = "no columns that could be told apart";
    reading.corpus.problems.add(Kind::BadRecord, reading.at(1), found, expected);
}
