//! Zip archives: the `zip` crate reads the directory, `flate2` inflates an entry, both over a [`Source`].
//! An entry is a source of its own, inflated again when a range of it is read again; nothing is kept.

use super::{SharedSource, Source, SourceError, SourceReader};
use flate2::{Crc, read::DeflateDecoder};
use std::cell::RefCell;
use std::io::Read;
use zip::{CompressionMethod, ZipArchive};

/// Entries read from one archive.
pub const MAX_ENTRIES: usize = 100_000;
/// Bytes that the entries of one archive may inflate to.
pub const MAX_TOTAL: u64 = 8 << 30;
/// Times that an entry may grow when it is inflated (deflate itself cannot pass 1,032).
pub const MAX_RATIO: u64 = 400;

/// One file of an archive, or why it cannot be read.
pub struct Entry {
    /// Path inside the archive, with `/`.
    pub path: String,
    /// The bytes, or the reason in words.
    pub source: Result<SharedSource, String>,
}

/// Whether the bytes begin like a zip archive.
pub fn is_zip(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
}

/// The files of an archive, in name order; folders are left out.
///
/// # Errors
/// When the directory cannot be read, or the archive is over the limits of this module.
pub fn entries(archive: &SharedSource) -> Result<Vec<Entry>, String> {
    let damaged = |e: zip::result::ZipError| format!("the archive's directory cannot be read ({e})");
    let mut zip = ZipArchive::new(SourceReader::new(archive.clone(), 0, archive.len())).map_err(damaged)?;
    if zip.len() > MAX_ENTRIES {
        return Err(format!("the archive has {} entries; at most {MAX_ENTRIES} are read", zip.len()));
    }
    if zip.has_overlapping_files().map_err(damaged)? {
        return Err("entries of the archive share bytes, as in a zip bomb".into());
    }
    let mut found = Vec::new();
    let mut total = 0_u64;
    if zip.has_duplicate_names() {
        let why = "some entries of the archive have the same name; only the last of each is read";
        found.push(Entry { path: String::new(), source: Err(why.to_owned()) });
    }
    for index in 0..zip.len() {
        let file = zip.by_index_data(index).map_err(damaged)?;
        if file.is_dir() {
            continue;
        }
        let path = file.name().map_err(damaged)?.replace('\\', "/");
        let (size, packed) = (file.size(), file.compressed_size());
        total = total.saturating_add(size);
        if total > MAX_TOTAL {
            return Err(format!("the archive inflates to more than {} GiB", MAX_TOTAL >> 30));
        }
        let source = if file.encrypted() {
            Err("it is encrypted".into())
        } else if size / MAX_RATIO > packed {
            Err(format!("{packed} bytes claim to inflate to {size}, as in a zip bomb"))
        } else {
            let deflated = match file.compression() {
                CompressionMethod::Stored if size == packed => Ok(false),
                CompressionMethod::Stored => Err("its size is not what the archive says".to_owned()),
                CompressionMethod::Deflated => Ok(true),
                other => Err(format!("its compression ({other}) is not supported; pack it as plain zip")),
            };
            deflated.and_then(|deflated| {
                let start = data_start(archive, file.header_start()).map_err(|e| e.0)?;
                let packed_end = start.checked_add(packed).filter(|&end| end <= archive.len());
                let end = packed_end.ok_or_else(|| "the archive ends inside it".to_owned())?;
                let entry = EntrySource {
                    archive: archive.clone(),
                    start,
                    end,
                    size,
                    crc: file.crc32(),
                    deflated,
                    stream: RefCell::new(None),
                };
                Ok(std::rc::Rc::new(entry) as SharedSource)
            })
        };
        found.push(Entry { path, source });
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// An entry's data follows its local header, whose name and extra field differ from the directory's.
fn data_start(archive: &SharedSource, header: u64) -> Result<u64, SourceError> {
    let bytes = super::read_range(&**archive, header, 30)?;
    if !bytes.starts_with(b"PK\x03\x04") {
        return Err(SourceError("its header is damaged".into()));
    }
    let two = |at: usize| u64::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    Ok(header + 30 + two(26) + two(28))
}

struct EntrySource {
    archive: SharedSource,
    start: u64,
    end: u64,
    size: u64,
    crc: u32,
    deflated: bool,
    /// The inflating stream and where it stands, so that reading forward does not start over.
    stream: RefCell<Option<Stream>>,
}

struct Stream {
    decoder: DeflateDecoder<SourceReader>,
    position: u64,
    crc: Crc,
}

impl Stream {
    fn fill(&mut self, buf: &mut [u8]) -> Result<(), SourceError> {
        self.decoder
            .read_exact(buf)
            .map_err(|e| SourceError(format!("the archive's entry cannot be inflated ({e})")))?;
        self.crc.update(buf);
        self.position += buf.len() as u64;
        Ok(())
    }
}

impl Source for EntrySource {
    fn len(&self) -> u64 {
        self.size
    }

    fn read(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError> {
        let end = offset.checked_add(buf.len() as u64).filter(|&end| end <= self.size);
        let Some(end) = end else {
            return Err(SourceError::out_of_range(offset, buf.len(), self.size));
        };
        if !self.deflated {
            return self.archive.read(self.start + offset, buf);
        }
        let mut slot = self.stream.borrow_mut();
        let mut stream = match slot.take() {
            Some(stream) if stream.position <= offset => stream,
            _ => Stream {
                decoder: DeflateDecoder::new(SourceReader::new(self.archive.clone(), self.start, self.end)),
                position: 0,
                crc: Crc::new(),
            },
        };
        let mut skip = vec![0; usize::try_from((offset - stream.position).min(1 << 16)).unwrap_or(1 << 16)];
        while stream.position < offset {
            let take = usize::try_from(offset - stream.position).unwrap_or(usize::MAX).min(skip.len());
            stream.fill(&mut skip[..take])?;
        }
        stream.fill(buf)?;
        if end == self.size {
            if stream.decoder.read(&mut [0]).unwrap_or(0) > 0 {
                return Err(SourceError("the archive's entry is longer than the archive says".into()));
            }
            if stream.crc.sum() != self.crc {
                return Err(SourceError("the archive's entry is damaged (its checksum differs)".into()));
            }
        } else {
            *slot = Some(stream);
        }
        Ok(())
    }
}
