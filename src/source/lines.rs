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
}

impl<'s> JsonValues<'s> {
    /// Starts at byte `from` (past a byte-order mark).
    pub fn new(source: &'s dyn Source, chunk: usize, from: u64) -> Self {
        JsonValues { buffer: Buffer::new(source, chunk, from), line: 1, in_array: false, first: true }
    }

    /// Whether the list of values is still open; at the end of the source it was cut off.
    pub fn is_open(&self) -> bool {
        self.in_array
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
            match byte {
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
        let mut at = 0;
        let (mut depth, mut in_string, mut escaped) = (0_u64, false, false);
        let complete = 'value: loop {
            let rest = &self.buffer.bytes[self.buffer.start..];
            while let Some(&byte) = rest.get(at) {
                if byte == b'\n' {
                    self.line += 1;
                }
                if in_string {
                    match byte {
                        _ if escaped => escaped = false,
                        b'\\' => escaped = true,
                        b'"' => in_string = false,
                        _ => {}
                    }
                    at += 1;
                    if !in_string && depth == 0 {
                        break 'value true;
                    }
                    continue;
                }
                match byte {
                    b'"' => in_string = true,
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' if depth > 0 => {
                        depth -= 1;
                        if depth == 0 {
                            at += 1;
                            break 'value true;
                        }
                    }
                    // A bare number or word ends at a separator.
                    b',' | b']' | b'}' | b'\n' | b' ' if depth == 0 => {
                        if at == 0 {
                            at = 1;
                        }
                        break 'value true;
                    }
                    _ => {}
                }
                at += 1;
            }
            if !self.buffer.more()? {
                break false;
            }
        };
        let offset = self.buffer.offset();
        let start = self.buffer.start;
        self.buffer.start += at;
        let bytes = &self.buffer.bytes[start..start + at];
        Ok(Some(JsonValue { bytes, offset, line, complete: complete || depth == 0 && !in_string }))
    }
}
