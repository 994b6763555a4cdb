//! Zip archives: the `zip` crate reads the directory, `flate2` inflates an entry, both over a
//! [`Source`](super::Source). An entry is a source of its own.

use super::archive::{MAX_ENTRIES, MAX_RATIO};
use super::inflate::{Inflated, Streams};
use super::{SharedSource, SourceError, SourceReader, Stretch};
use flate2::read::DeflateDecoder;
use std::io::Read;
use std::rc::Rc;
use zip::{CompressionMethod, ZipArchive};

/// One file of an archive, or why it cannot be read.
pub struct Entry {
    /// Path inside the archive, with `/`.
    pub path: String,
    /// Bytes that it claims to have; 0 when it is not read.
    pub size: u64,
    /// Whether it is compressed.
    pub packed: bool,
    /// The bytes, or the reason in words.
    pub source: Result<SharedSource, String>,
}

/// Whether the bytes begin like a zip archive.
pub fn is_zip(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
}

/// The files of an archive, in name order; folders are left out. At most `limit` of them.
///
/// # Errors
/// When the directory cannot be read, or the archive is over a limit.
pub fn entries(archive: &SharedSource, limit: usize, streams: &Streams) -> Result<Vec<Entry>, String> {
    let damaged = |e: zip::result::ZipError| format!("the archive's directory cannot be read ({e})");
    let zip = ZipArchive::new(SourceReader::new(archive.clone(), 0, archive.len())).map_err(damaged)?;
    if zip.len() > limit {
        let found = zip.len();
        return Err(format!("the archive has {found} entries; at most {MAX_ENTRIES} are read in all"));
    }
    let mut found = Vec::new();
    let mut taken: Vec<(u64, u64)> = Vec::new();
    if zip.has_duplicate_names() {
        let why = "some entries of the archive have the same name; only the last of each is read";
        found.push(Entry { path: String::new(), size: 0, packed: false, source: Err(why.to_owned()) });
    }
    for index in 0..zip.len() {
        let Ok(file) = zip.by_index_data(index) else {
            let why = format!("what the archive's directory says of entry {} cannot be read", index + 1);
            found.push(Entry { path: String::new(), size: 0, packed: false, source: Err(why) });
            continue;
        };
        if file.is_dir() {
            continue;
        }
        // Names are only ever ids: where they would lead on a disk does not matter.
        let path =
            file.name().map_or_else(|_| format!("entry {}", index + 1), |name| name.replace('\\', "/"));
        let (size, packed) = (file.size(), file.compressed_size());
        let source = if file.encrypted() {
            Err("it is encrypted; unpack the archive with its password".into())
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
                if packed > 0 {
                    taken.push((start, end));
                }
                let archive = archive.clone();
                if !deflated {
                    return Ok(Rc::new(Stretch::new(archive, start, end)) as SharedSource);
                }
                let decode = |packed| Box::new(DeflateDecoder::new(packed)) as Box<dyn Read>;
                let checksum = Some(file.crc32());
                let entry = Inflated::new(archive, (start, end), decode, size, checksum, streams);
                Ok(Rc::new(entry) as SharedSource)
            })
        };
        let size = if source.is_ok() { size } else { 0 };
        let packed = file.compression() != CompressionMethod::Stored;
        found.push(Entry { path, size, packed, source });
    }
    taken.sort_unstable();
    if taken.windows(2).any(|pair| pair[0].1 > pair[1].0) {
        return Err("entries of the archive share bytes, as in a zip bomb".into());
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
