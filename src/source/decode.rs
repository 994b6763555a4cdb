//! Encodings. Everything behind this file is UTF-8: a file in UTF-16 or Windows-1252 is seen through
//! [`Transcoded`], which re-encodes block by block on demand and holds no text.

use super::{SharedSource, Source, SourceError};
use std::cell::RefCell;

/// Encodings that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
    Windows1252,
}

impl Encoding {
    fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf16Le => "utf-16le",
            Encoding::Utf16Be => "utf-16be",
            Encoding::Windows1252 => "windows-1252",
        }
    }

    /// The UTF-16 unit of two bytes.
    fn unit(self, pair: [u8; 2]) -> u16 {
        if self == Encoding::Utf16Be { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
    }
}

/// How a file's bytes become characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decoding {
    /// `utf-8`, `utf-16le`, `utf-16be` or `windows-1252`.
    pub encoding: &'static str,
    /// Whether the file begins with a byte-order mark (kept: some corpora count it).
    pub byte_order_mark: bool,
    /// Bytes or code units that do not stand for a character and read as U+FFFD; invalid UTF-8 is reported
    /// where it stands instead.
    pub malformed: u64,
}

const BLOCK: u64 = 1 << 16;

/// Chooses the encoding of a file and makes it read as UTF-8.
///
/// `wanted` is `auto`, `utf-8`, `utf-16` or `windows-1252`. `auto` takes UTF-16 with a byte-order mark or
/// with the alternating zeros of Latin text, otherwise UTF-8; it never guesses an 8-bit code page. A
/// byte-order mark wins over `utf-8` and `utf-16`.
///
/// # Errors
/// When the source cannot be read.
pub fn decode(source: SharedSource, wanted: &str) -> Result<(SharedSource, Decoding), SourceError> {
    let size = source.len();
    let mut head = vec![0; usize::try_from(size.min(1024)).unwrap_or(1024)];
    source.read(0, &mut head)?;
    let (encoding, byte_order_mark) = match (wanted, &head[..]) {
        ("windows-1252", _) => (Encoding::Windows1252, false),
        (_, [0xEF, 0xBB, 0xBF, ..]) => (Encoding::Utf8, true),
        (_, [0xFF, 0xFE, ..]) => (Encoding::Utf16Le, true),
        (_, [0xFE, 0xFF, ..]) => (Encoding::Utf16Be, true),
        ("utf-16", _) => {
            (if zeros(&head, 0) > zeros(&head, 1) { Encoding::Utf16Be } else { Encoding::Utf16Le }, false)
        }
        ("utf-8", _) => (Encoding::Utf8, false),
        _ if size.is_multiple_of(2) && zeros(&head, 1) * 10 > head.len() * 4 => (Encoding::Utf16Le, false),
        _ if size.is_multiple_of(2) && zeros(&head, 0) * 10 > head.len() * 4 => (Encoding::Utf16Be, false),
        _ => (Encoding::Utf8, false),
    };
    let mut decoding = Decoding { encoding: encoding.name(), byte_order_mark, malformed: 0 };
    if encoding == Encoding::Utf8 {
        return Ok((source, decoding));
    }
    let transcoded = Transcoded::new(source, encoding)?;
    decoding.malformed = transcoded.malformed;
    Ok((std::rc::Rc::new(transcoded), decoding))
}

/// Whether a source is UTF-8 and holds more than ASCII; false where it cannot be read.
pub fn is_utf8(source: &dyn Source) -> bool {
    let (mut at, mut rest, mut ascii) = (0, Vec::new(), true);
    while at < source.len() {
        let take = BLOCK.min(source.len() - at);
        let Ok(bytes) = super::read_range(source, at, take) else { return false };
        at += take;
        rest.extend(bytes);
        ascii &= rest.is_ascii();
        rest = match std::str::from_utf8(&rest) {
            Ok(_) => Vec::new(),
            // A character may go on in the next block.
            Err(error) if error.error_len().is_none() => rest.split_off(error.valid_up_to()),
            Err(_) => return false,
        };
    }
    !ascii && rest.is_empty()
}

fn zeros(head: &[u8], parity: usize) -> usize {
    head.iter().skip(parity).step_by(2).filter(|&&b| b == 0).count()
}

/// A source seen in UTF-8. Blocks of the original decode on their own, so any range can be read again.
struct Transcoded {
    inner: SharedSource,
    encoding: Encoding,
    /// Start of each block: (offset in the original, offset in UTF-8), and the end of both last.
    blocks: Vec<(u64, u64)>,
    malformed: u64,
    cached: RefCell<(usize, Vec<u8>)>,
}

impl Transcoded {
    fn new(inner: SharedSource, encoding: Encoding) -> Result<Self, SourceError> {
        let mut this = Transcoded {
            inner,
            encoding,
            blocks: vec![(0, 0)],
            malformed: 0,
            cached: RefCell::new((usize::MAX, Vec::new())),
        };
        let (mut at, mut out) = (0, 0);
        while at < this.inner.len() {
            let end = this.block_end(at)?;
            let (text, malformed) = this.decode(at, end)?;
            this.malformed += malformed;
            at = end;
            out += text.len() as u64;
            this.blocks.push((at, out));
        }
        Ok(this)
    }

    /// Where the block that starts at `at` ends: never between the halves of a surrogate pair.
    fn block_end(&self, at: u64) -> Result<u64, SourceError> {
        let end = (at + BLOCK).min(self.inner.len());
        if end == self.inner.len() || self.encoding == Encoding::Windows1252 {
            return Ok(end);
        }
        let mut pair = [0; 2];
        self.inner.read(end - 2, &mut pair)?;
        let unit = self.encoding.unit(pair);
        Ok(if (0xD800..0xDC00).contains(&unit) { end - 2 } else { end })
    }

    fn decode(&self, start: u64, end: u64) -> Result<(Vec<u8>, u64), SourceError> {
        let bytes = super::read_range(&*self.inner, start, end - start)?;
        let mut malformed = 0;
        let text = match self.encoding {
            Encoding::Windows1252 => {
                yore::CodePage::decode_lossy(&yore::code_pages::CP1252, &bytes).into_owned()
            }
            _ => {
                let pairs = bytes.chunks(2).map(|pair| match *pair {
                    [a, b] => self.encoding.unit([a, b]),
                    // An odd last byte is a unit that stands for nothing.
                    _ => 0xDC00,
                });
                let lossy = |c: Result<char, _>| {
                    c.unwrap_or_else(|_| {
                        malformed += 1;
                        char::REPLACEMENT_CHARACTER
                    })
                };
                char::decode_utf16(pairs).map(lossy).collect()
            }
        };
        if self.encoding == Encoding::Windows1252 {
            malformed = text.matches(char::REPLACEMENT_CHARACTER).count() as u64;
        }
        Ok((text.into_bytes(), malformed))
    }
}

impl Source for Transcoded {
    fn len(&self) -> u64 {
        self.blocks.last().map_or(0, |block| block.1)
    }

    fn read(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError> {
        let mut done = 0;
        while done < buf.len() {
            let at = offset + done as u64;
            let block = self.blocks.partition_point(|b| b.1 <= at).wrapping_sub(1);
            let (Some(&(start, out)), Some(&(end, _))) = (self.blocks.get(block), self.blocks.get(block + 1))
            else {
                return Err(SourceError::out_of_range(offset, buf.len(), self.len()));
            };
            let mut cached = self.cached.borrow_mut();
            if cached.0 != block {
                *cached = (block, self.decode(start, end)?.0);
            }
            let from = usize::try_from(at - out).unwrap_or(usize::MAX);
            let Some(text) = cached.1.get(from..).filter(|text| !text.is_empty()) else {
                return Err(SourceError::out_of_range(offset, buf.len(), self.len()));
            };
            let take = text.len().min(buf.len() - done);
            buf[done..done + take].copy_from_slice(&text[..take]);
            done += take;
        }
        Ok(())
    }
}
