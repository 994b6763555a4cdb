//! Rows of a delimited file, streamed. csv-core splits a record into cells by RFC 4180 (it is the part of the
//! csv crate without buffers and serde, and says how many bytes each cell took, which a
//! [`Piece`](crate::corpus::text::Piece) needs); quotes that do not close are found here, so that one stray
//! quote never swallows the rows behind it.

use crate::corpus::text::{Form, Piece};
use crate::source::{Source, SourceError};
use csv_core::{ReadFieldResult, Reader, ReaderBuilder, Terminator};
use std::borrow::Cow;
use std::ops::Range;

/// Bytes that a record may have before its open quote is taken for a stray one.
const LONGEST: usize = 1 << 26;
/// Columns from which lines inside one quoted cell are taken for rows when each has as many cells; in files
/// separated by tabs only, since prose has commas in any number.
const TELLING: usize = 4;

/// How a file is divided.
#[derive(Debug, Clone, Copy)]
pub(in crate::formats) struct Dialect {
    /// What separates cells.
    pub(in crate::formats) delimiter: u8,
    /// Whether cells may be quoted.
    pub(in crate::formats) quotes: bool,
    /// Cells of a whole row; 0 where rows have as many as they like.
    pub(in crate::formats) columns: usize,
    /// The column that separators too many belong to (a text with tabs in it).
    pub(in crate::formats) absorbs: Option<usize>,
}

/// What is odd about a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::formats) enum Odd {
    /// A quote opens and does not close as quotes do: the line was read as it stands.
    StrayQuote,
    /// A quote opens and the file ends.
    OpenQuote,
    /// It has fewer cells than others.
    Short,
    /// It has more cells, and they went to the column that may have separators in it.
    Joined,
    /// It has more cells.
    Long,
}

/// One row.
pub(in crate::formats) struct Row<'a> {
    /// The bytes of the row.
    pub(in crate::formats) bytes: &'a [u8],
    /// Its cells in `bytes`, quotes included.
    cells: &'a [Range<usize>],
    /// Offset of the first byte in the source.
    pub(in crate::formats) offset: u64,
    /// Line on which it begins, from 1.
    pub(in crate::formats) line: u64,
    /// Cells found.
    pub(in crate::formats) found: usize,
    /// What is odd about it.
    pub(in crate::formats) odd: [Option<Odd>; 2],
}

impl Row<'_> {
    /// How many cells it has.
    pub(in crate::formats) fn len(&self) -> usize {
        self.cells.len()
    }

    /// What a cell stands for; empty where there is none.
    pub(in crate::formats) fn cell(&self, at: usize) -> Cow<'_, str> {
        let raw = self.cells.get(at).map_or(&[][..], |range| &self.bytes[range.clone()]);
        decode(std::str::from_utf8(raw).unwrap_or(""))
    }

    /// The same without white space around it, for ids, labels and numbers.
    pub(in crate::formats) fn value(&self, at: usize) -> Cow<'_, str> {
        match self.cell(at) {
            Cow::Borrowed(cell) => Cow::Borrowed(cell.trim()),
            Cow::Owned(cell) if cell.trim().len() == cell.len() => Cow::Owned(cell),
            Cow::Owned(cell) => Cow::Owned(cell.trim().to_owned()),
        }
    }

    /// Where a cell stands in the file.
    pub(in crate::formats) fn piece(&self, file: u32, at: usize) -> Option<Piece> {
        let range = self.cells.get(at)?;
        let form = match self.bytes[range.clone()].first() {
            Some(b'"') => Form::Encoded(decode_bytes),
            _ => Form::Plain,
        };
        Some(Piece::new(file, self.offset + range.start as u64, range.len() as u64, form))
    }

    /// Whether every cell is blank.
    pub(in crate::formats) fn is_blank(&self) -> bool {
        (0..self.len()).all(|at| self.value(at).is_empty())
    }
}

fn decode_bytes(raw: &[u8]) -> Option<String> {
    std::str::from_utf8(raw).ok().map(|raw| decode(raw).into_owned())
}

/// What a cell stands for: without its quotes when it is quoted from end to end, as it stands otherwise.
pub(in crate::formats) fn decode(raw: &str) -> Cow<'_, str> {
    match closing(raw.as_bytes()) {
        Some(at) if raw[at + 1..].trim().is_empty() => {
            let inner = &raw[1..at];
            if inner.contains('"') { Cow::Owned(inner.replace("\"\"", "\"")) } else { Cow::Borrowed(inner) }
        }
        _ => Cow::Borrowed(raw),
    }
}

/// Where the quote that opens a cell is closed.
fn closing(raw: &[u8]) -> Option<usize> {
    if raw.first() != Some(&b'"') {
        return None;
    }
    let mut at = 1;
    loop {
        at += memchr::memchr(b'"', raw.get(at..)?)?;
        if raw.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

/// Reads rows; memory is one chunk plus the longest row.
pub(in crate::formats) struct Rows<'s> {
    source: &'s dyn Source,
    chunk: usize,
    bytes: Vec<u8>,
    /// Offset in the source of `bytes[0]`.
    base: u64,
    /// Index in `bytes` where the next row starts.
    start: usize,
    line: u64,
    end: u8,
    dialect: Dialect,
    quoted: Reader,
    /// Made when a line has to be read as it stands.
    bare: Option<Box<Reader>>,
    /// What csv-core writes; not used.
    scratch: Vec<u8>,
    cells: Vec<Range<usize>>,
}

impl<'s> Rows<'s> {
    /// Starts at byte `from` (past a byte-order mark).
    ///
    /// # Errors
    /// When the source cannot be read.
    pub(in crate::formats) fn new(
        source: &'s dyn Source,
        chunk: usize,
        from: u64,
        dialect: Dialect,
    ) -> Result<Self, SourceError> {
        let size = source.len().saturating_sub(from).min(1 << 16);
        let head = crate::source::read_range(source, from, size)?;
        let old = memchr::memchr(b'\n', &head).is_none() && memchr::memchr(b'\r', &head).is_some();
        let end = if old { b'\r' } else { b'\n' };
        Ok(Rows {
            source,
            chunk: chunk.max(1),
            bytes: Vec::new(),
            base: from,
            start: 0,
            line: 1,
            end,
            dialect,
            quoted: reader(dialect.delimiter, dialect.quotes, end),
            bare: None,
            scratch: Vec::new(),
            cells: Vec::new(),
        })
    }

    fn at_end(&self) -> bool {
        self.base + self.bytes.len() as u64 >= self.source.len()
    }

    /// Drops what was consumed and reads on, at least as much again as is pending.
    fn more(&mut self) -> Result<(), SourceError> {
        self.bytes.drain(..self.start);
        self.base += self.start as u64;
        self.start = 0;
        let old = self.bytes.len();
        let at = self.base + old as u64;
        let left = usize::try_from(self.source.len().saturating_sub(at)).unwrap_or(usize::MAX);
        self.bytes.resize(old + left.min(self.chunk.max(old)), 0);
        self.source.read(at, &mut self.bytes[old..])
    }

    /// The next row that is not an empty line, or none at the end.
    ///
    /// # Errors
    /// When the source cannot be read.
    pub(in crate::formats) fn next_row(&mut self) -> Result<Option<Row<'_>>, SourceError> {
        loop {
            match self.bytes[self.start..] {
                [first, ..] if first == self.end => self.start += 1,
                [b'\r', second, ..] if second == self.end => self.start += 2,
                [] | [b'\r'] if !self.at_end() => {
                    self.more()?;
                    continue;
                }
                [] | [b'\r'] => return Ok(None),
                _ => break,
            }
            self.line += 1;
        }
        let mut quoted = true;
        let mut length = loop {
            let rest = &self.bytes[self.start..];
            let last = self.base + self.bytes.len() as u64 >= self.source.len();
            match split(&mut self.quoted, rest, last, self.end, &mut self.scratch, &mut self.cells) {
                Some(length) => break length,
                None if rest.len() > LONGEST => {
                    quoted = false;
                    break rest.len();
                }
                None => self.more()?,
            }
        };
        let mut odd = [None; 2];
        let rest = &self.bytes[self.start..];
        let quotes = if quoted { self.quotes(&rest[..length]) } else { Some(Odd::StrayQuote) };
        if let Some(found) = quotes {
            odd[0] = Some(found);
            if found == Odd::StrayQuote {
                let line = memchr::memchr(self.end, rest).map_or(rest.len(), |at| at + 1);
                let (delimiter, end) = (self.dialect.delimiter, self.end);
                let bare = self.bare.get_or_insert_with(|| Box::new(reader(delimiter, false, end)));
                length =
                    split(bare, &rest[..line], true, end, &mut self.scratch, &mut self.cells).unwrap_or(line);
            }
        }
        let (offset, line, start) = (self.base + self.start as u64, self.line, self.start);
        self.start += length;
        let bytes = &self.bytes[start..start + length];
        self.line += memchr::memchr_iter(self.end, bytes).count() as u64;
        if let Some(last) = self.cells.last_mut()
            && bytes[last.clone()].last() == Some(&b'\r')
        {
            last.end -= 1;
        }
        let found = self.cells.len();
        odd[1] = fit(&mut self.cells, &self.dialect);
        Ok(Some(Row { bytes, cells: &self.cells, offset, line, found, odd }))
    }

    /// What is wrong with the quotes of a record as it was split.
    fn quotes(&self, record: &[u8]) -> Option<Odd> {
        let columns = self.dialect.columns;
        let inner = record.strip_suffix(&[self.end]).unwrap_or(record);
        let mut spans_lines = false;
        for cell in &self.cells {
            let raw = record[cell.clone()].trim_ascii_end();
            if !self.dialect.quotes || raw.first() != Some(&b'"') {
                continue;
            }
            let lines = memchr::memchr(self.end, raw).is_some();
            spans_lines |= lines;
            match closing(raw) {
                None => return Some(self.open_quote(inner)),
                Some(at) if lines && at + 1 < raw.len() => return Some(Odd::StrayQuote),
                Some(_) => {}
            }
        }
        let rows = || inner.split(|&byte| byte == self.end).all(|line| self.count(line) == columns);
        (spans_lines && self.dialect.delimiter == b'\t' && columns >= TELLING && rows())
            .then_some(Odd::StrayQuote)
    }

    fn count(&self, line: &[u8]) -> usize {
        memchr::memchr_iter(self.dialect.delimiter, line).count() + 1
    }

    /// A quote that is open when the file ends: a stray one when the lines behind it are rows, else the file
    /// was cut inside a quoted cell.
    fn open_quote(&self, record: &[u8]) -> Odd {
        let columns = self.dialect.columns;
        let (mut lines, mut rows) = (0_u64, 0_u64);
        for line in record.split(|&byte| byte == self.end).skip(1) {
            if !line.trim_ascii().is_empty() {
                lines += 1;
                rows += u64::from(self.count(line) == columns);
            }
        }
        let stray = if columns > 2 { rows * 2 >= lines } else { rows == lines };
        if lines > 0 && columns > 1 && stray { Odd::StrayQuote } else { Odd::OpenQuote }
    }
}

fn reader(delimiter: u8, quotes: bool, end: u8) -> Reader {
    ReaderBuilder::new().delimiter(delimiter).quoting(quotes).terminator(Terminator::Any(end)).build()
}

/// Splits off one record: its length with the line end. None when `input` ends before it does and is not the
/// `last` of the file.
fn split(
    reader: &mut Reader,
    input: &[u8],
    last: bool,
    end: u8,
    scratch: &mut Vec<u8>,
    cells: &mut Vec<Range<usize>>,
) -> Option<usize> {
    reader.reset();
    cells.clear();
    // A line end before the record changes nothing, and keeps csv-core from taking the record's start for a
    // file's, where it drops a byte-order mark.
    reader.read_field(&[end], &mut [0]);
    if scratch.len() < input.len() + 1 {
        scratch.resize(input.len() + 1, 0);
    }
    let (mut at, mut from) = (0, 0);
    loop {
        if at == input.len() && !last {
            return None;
        }
        let (result, read, _) = reader.read_field(&input[at..], scratch);
        at += read;
        match result {
            ReadFieldResult::Field { record_end } => {
                // Without a byte read, the end of the file ended it.
                cells.push(from..at - usize::from(read > 0));
                from = at;
                if record_end {
                    return Some(at);
                }
            }
            ReadFieldResult::End => return Some(at),
            ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull => {}
        }
    }
}

/// Brings a row to the columns of the table.
fn fit(cells: &mut Vec<Range<usize>>, dialect: &Dialect) -> Option<Odd> {
    let columns = dialect.columns;
    if columns == 0 {
        return None;
    }
    while cells.len() > columns && cells.last().is_some_and(Range::is_empty) {
        cells.pop();
    }
    match cells.len().checked_sub(columns) {
        None => Some(Odd::Short),
        Some(0) => None,
        Some(extra) => match dialect.absorbs {
            Some(at) if at < columns => {
                cells[at].end = cells[at + extra].end;
                cells.drain(at + 1..=at + extra);
                Some(Odd::Joined)
            }
            _ => Some(Odd::Long),
        },
    }
}
