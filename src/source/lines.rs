//! Streams of records over a [`Source`]: lines, and JSON values that span lines. Memory is one chunk plus
//! the longest record.

use super::{Source, SourceError};

/// Bytes read at a time.
pub const CHUNK: usize = 1 << 20;

/// A growing window over a source, read from front to back.
struct Buffer<'s> {
    source: &'s dyn Source,
    chunk: usize,
    bytes: Vec<u8>,
    /// Offset in the source of `bytes[0]`.
    base: u64,
    /// Index in `bytes` where the next record starts.
    start: usize,
}

impl<'s> Buffer<'s> {
    fn new(source: &'s dyn Source, chunk: usize, from: u64) -> Self {
        Buffer { source, chunk: chunk.max(1), bytes: Vec::new(), base: from, start: 0 }
    }

    /// Drops what was consumed and reads one more chunk. False at the end of the source.
    fn more(&mut self) -> Result<bool, SourceError> {
        let at = self.base + self.bytes.len() as u64;
        let left = self.source.len().saturating_sub(at);
        let take = usize::try_from(left).unwrap_or(usize::MAX).min(self.chunk);
        if take == 0 {
            return Ok(false);
        }
        self.bytes.drain(..self.start);
        self.base += self.start as u64;
        self.start = 0;
        let old = self.bytes.len();
        self.bytes.resize(old + take, 0);
        self.source.read(at, &mut self.bytes[old..])?;
        Ok(true)
    }

    /// What ends lines, judged by the first bytes: `\r` where there is no `\n`.
    fn line_end(&self) -> Result<u8, SourceError> {
        let size = self.source.len().saturating_sub(self.base).min(1 << 16);
        let head = super::read_range(self.source, self.base, size)?;
        let old = memchr::memchr(b'\n', &head).is_none() && memchr::memchr(b'\r', &head).is_some();
        Ok(if old { b'\r' } else { b'\n' })
    }

    fn offset(&self) -> u64 {
        self.base + self.start as u64
    }
}

/// One line without its terminator.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// The bytes, without `\n` or `\r\n`.
    pub bytes: &'a [u8],
    /// Offset of the first byte in the source.
    pub offset: u64,
    /// Line number, from 1.
    pub number: u64,
    /// Whether a `\n` ended it (only the last line of a file may lack one).
    pub ended: bool,
}

/// Reads lines that end in `\n` or `\r\n`, or all in `\r` as old Macs wrote them.
pub struct Lines<'s> {
    buffer: Buffer<'s>,
    number: u64,
    /// The last byte of a line's end; none until the first bytes are seen.
    end: Option<u8>,
}

impl<'s> Lines<'s> {
    /// Starts at byte `from` (past a byte-order mark).
    pub fn new(source: &'s dyn Source, chunk: usize, from: u64) -> Self {
        Lines { buffer: Buffer::new(source, chunk, from), number: 0, end: None }
    }

    /// The next line, or none at the end.
    ///
    /// # Errors
    /// When the source cannot be read.
    pub fn next_line(&mut self) -> Result<Option<Line<'_>>, SourceError> {
        let end = match self.end {
            Some(end) => end,
            None => *self.end.insert(self.buffer.line_end()?),
        };
        let mut scanned = 0;
        let (length, ended) = loop {
            let rest = &self.buffer.bytes[self.buffer.start..];
            if let Some(at) = memchr::memchr(end, &rest[scanned..]) {
                break (scanned + at, true);
            }
            scanned = rest.len();
            if !self.buffer.more()? {
                break (scanned, false);
            }
        };
        if length == 0 && !ended {
            return Ok(None);
        }
        self.number += 1;
        let offset = self.buffer.offset();
        let start = self.buffer.start;
        self.buffer.start += length + usize::from(ended);
        let mut bytes = &self.buffer.bytes[start..start + length];
        if ended && let [head @ .., b'\r'] = bytes {
            bytes = head;
        }
        Ok(Some(Line { bytes, offset, number: self.number, ended }))
    }
}

/// One JSON value of a file whose values are not one a line.
#[derive(Debug, Clone, Copy)]
pub struct JsonValue<'a> {
    /// The bytes of the value.
    pub bytes: &'a [u8],
    /// Offset of the first byte in the source.
    pub offset: u64,
    /// Line on which the value starts, from 1.
    pub line: u64,
    /// False when the file ended inside the value.
    pub complete: bool,
}

/// Splits a file into JSON values: the elements of one top-level array, or values one after another.
/// Only brackets and strings are looked at, without recursion; the values are parsed by the caller.
pub struct JsonValues<'s> {
    buffer: Buffer<'s>,
    line: u64,
    in_array: bool,
    first: bool,
    /// Keys of lists whose elements are the values, rather than the object around them.
    lists: &'static [&'static str],
    /// A key that only objects have that are values themselves.
    unless: &'static str,
    /// Where in an object with such a list.
    inside: Inside,
}

/// Where [`JsonValues`] is in an object around values.
#[derive(PartialEq)]
enum Inside {
    Nothing,
    /// In its list.
    List,
    /// Behind its list.
    Rest(Scan),
}

impl<'s> JsonValues<'s> {
    /// Starts at byte `from` (past a byte-order mark).
    pub fn new(source: &'s dyn Source, chunk: usize, from: u64) -> Self {
        JsonValues {
            buffer: Buffer::new(source, chunk, from),
            line: 1,
            in_array: false,
            first: true,
            lists: &[],
            unless: "",
            inside: Inside::Nothing,
        }
    }

    /// Of an object with a list under one of these keys, takes the list's elements as values; an object that
    /// has the key `unless` first is a value itself.
    pub fn inside(mut self, lists: &'static [&'static str], unless: &'static str) -> Self {
        (self.lists, self.unless) = (lists, unless);
        self
    }

    /// Whether the list of values is still open; at the end of the source it was cut off.
    pub fn is_open(&self) -> bool {
        self.in_array || self.inside != Inside::Nothing
    }

    /// The next value, or none at the end.
    ///
    /// # Errors
    /// When the source cannot be read.
    pub fn next_value(&mut self) -> Result<Option<JsonValue<'_>>, SourceError> {
        // To the first byte of a value.
        loop {
            let Some(&byte) = self.buffer.bytes.get(self.buffer.start) else {
                if self.buffer.more()? {
                    continue;
                }
                return Ok(None);
            };
            if let Inside::Rest(scan) = &mut self.inside {
                let ended = scan.value(&self.buffer.bytes[self.buffer.start..], &mut self.line);
                self.buffer.start += std::mem::take(&mut scan.at);
                if ended {
                    self.inside = Inside::Nothing;
                }
                continue;
            }
            match byte {
                b']' if self.inside == Inside::List => {
                    self.inside = Inside::Rest(Scan { depth: 1, ..Scan::default() });
                }
                b'{' if self.inside == Inside::Nothing && !self.lists.is_empty() => {
                    self.first = false;
                    let Some(length) = self.list_of_object()? else { break };
                    let passed = &self.buffer.bytes[self.buffer.start..self.buffer.start + length];
                    self.line += memchr::memchr_iter(b'\n', passed).count() as u64;
                    self.buffer.start += length;
                    self.inside = Inside::List;
                    continue;
                }
                b'\n' => self.line += 1,
                b' ' | b'\t' | b'\r' | b',' => {}
                b'[' if self.first => {
                    self.in_array = true;
                    self.first = false;
                }
                b']' if self.in_array => self.in_array = false,
                _ => break,
            }
            self.buffer.start += 1;
        }
        self.first = false;
        let line = self.line;
        let mut scan = Scan::default();
        let complete = loop {
            if scan.value(&self.buffer.bytes[self.buffer.start..], &mut self.line) {
                break true;
            }
            if !self.buffer.more()? {
                break scan.depth == 0 && !scan.strings.inside;
            }
        };
        let offset = self.buffer.offset();
        let start = self.buffer.start;
        self.buffer.start += scan.at;
        let bytes = &self.buffer.bytes[start..start + scan.at];
        Ok(Some(JsonValue { bytes, offset, line, complete }))
    }
}

impl JsonValues<'_> {
    /// Bytes up to the first element of the object's list; none where it has no such list.
    fn list_of_object(&mut self) -> Result<Option<usize>, SourceError> {
        let mut strings = JsonStrings::default();
        let (mut at, mut depth) = (0, 0_u64);
        let (mut string, mut key) = (0..0, 0..0);
        loop {
            let Some(&byte) = self.buffer.bytes.get(self.buffer.start + at) else {
                if self.buffer.more()? {
                    continue;
                }
                return Ok(None);
            };
            at += 1;
            let was_inside = strings.inside;
            if strings.step(byte) {
                match was_inside {
                    false => string = at..at,
                    true => string.end = at - 1,
                }
                continue;
            }
            let name = &self.buffer.bytes[self.buffer.start..][key.clone()];
            match byte {
                b':' if depth == 1 => {
                    key = string.clone();
                    if self.buffer.bytes[self.buffer.start..][key.clone()] == *self.unless.as_bytes() {
                        return Ok(None);
                    }
                }
                b'[' if depth == 1 && self.lists.iter().any(|list| list.as_bytes() == name) => {
                    return Ok(Some(at));
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return Ok(None);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Follows JSON strings byte by byte.
#[derive(Default, PartialEq)]
pub struct JsonStrings {
    inside: bool,
    escaped: bool,
}

impl JsonStrings {
    /// Takes the next byte; true when it belongs to a string, quotes included.
    pub fn step(&mut self, byte: u8) -> bool {
        if !self.inside {
            self.inside = byte == b'"';
            return self.inside;
        }
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' => self.escaped = true,
            b'"' => self.inside = false,
            _ => {}
        }
        true
    }
}

/// Whether a line is one value: brackets outside strings close at its very end, and not before.
pub fn is_one_value(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    let mut strings = JsonStrings::default();
    let mut depth = 0_u64;
    for (at, &byte) in line.iter().enumerate() {
        if strings.step(byte) {
            continue;
        }
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1 == line.len();
                }
            }
            _ => {}
        }
    }
    false
}

/// A walk over one value.
#[derive(Default, PartialEq)]
struct Scan {
    strings: JsonStrings,
    depth: u64,
    /// Bytes of the value so far.
    at: usize,
}

impl Scan {
    /// Goes on over `bytes`, which begin with the value; true at its end. Counts line breaks.
    fn value(&mut self, bytes: &[u8], lines: &mut u64) -> bool {
        while let Some(&byte) = bytes.get(self.at) {
            *lines += u64::from(byte == b'\n');
            self.at += 1;
            if self.strings.step(byte) {
                if self.depth == 0 && !self.strings.inside {
                    return true;
                }
                continue;
            }
            match byte {
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth > 0 => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return true;
                    }
                }
                // A bare number or word ends before a separator; a stray one is a value of its own.
                b',' | b']' | b'}' | b'\n' | b' ' if self.depth == 0 => {
                    if self.at > 1 {
                        self.at -= 1;
                        *lines -= u64::from(byte == b'\n');
                    }
                    return true;
                }
                _ => {}
            }
        }
        false
    }
}
