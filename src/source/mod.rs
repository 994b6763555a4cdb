//! Where bytes come from. [`Source`] is the only way into the core: native files, browser `File`s, Node
//! file descriptors, byte buffers, entries of archives and transcoded files all look the same.

use std::fmt;
use std::rc::Rc;

pub mod archive;
pub mod cache;
pub mod decode;
pub mod inflate;
pub mod lines;
pub mod window;
pub mod zip;

/// Random access to bytes that stay where they are.
pub trait Source {
    /// Length in bytes.
    fn len(&self) -> u64;

    /// Fills `buf` with the bytes from `offset`. The range must lie inside the source.
    ///
    /// # Errors
    /// When the bytes cannot be read (a file that went away, a damaged archive).
    fn read(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError>;

    /// Whether there are no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A source that many places read.
pub type SharedSource = Rc<dyn Source>;

/// Why bytes could not be read, in words; never holds content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceError(pub String);

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SourceError {}

impl SourceError {
    /// A range that the source does not have.
    pub fn out_of_range(offset: u64, len: usize, size: u64) -> Self {
        SourceError(format!("asked for {len} bytes at {offset} of a file of {size} bytes"))
    }
}

/// Bytes that [`read_range`] reads at a time.
const STEP: usize = 1 << 24;

/// The bytes `offset..offset + len` as a vector.
///
/// # Errors
/// As [`Source::read`]; also when the range is outside the source.
pub fn read_range(source: &dyn Source, offset: u64, len: u64) -> Result<Vec<u8>, SourceError> {
    let size = source.len();
    let fits = offset.checked_add(len).is_some_and(|end| end <= size);
    let Ok(length) = usize::try_from(len) else {
        return Err(SourceError::out_of_range(offset, usize::MAX, size));
    };
    if !fits {
        return Err(SourceError::out_of_range(offset, length, size));
    }
    // Step by step: a file that claims more bytes than it has fails before they are all asked for.
    let mut bytes = Vec::new();
    while bytes.len() < length {
        let done = bytes.len();
        bytes.resize(length.min(done + STEP), 0);
        source.read(offset + done as u64, &mut bytes[done..])?;
    }
    Ok(bytes)
}

/// Bytes in memory: pasted text, the bundled example, tests.
pub struct Bytes(pub Vec<u8>);

impl Source for Bytes {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError> {
        let slice = usize::try_from(offset)
            .ok()
            .and_then(|start| self.0.get(start..start.checked_add(buf.len())?))
            .ok_or_else(|| SourceError::out_of_range(offset, buf.len(), self.len()))?;
        buf.copy_from_slice(slice);
        Ok(())
    }
}

/// A stretch of another source.
pub struct Stretch {
    inner: SharedSource,
    start: u64,
    len: u64,
}

impl Stretch {
    /// The bytes `start..end`, which the source must have.
    pub fn new(inner: SharedSource, start: u64, end: u64) -> Self {
        Stretch { inner, start, len: end.saturating_sub(start) }
    }
}

impl Source for Stretch {
    fn len(&self) -> u64 {
        self.len
    }

    fn read(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError> {
        if offset.checked_add(buf.len() as u64).is_none_or(|end| end > self.len) {
            return Err(SourceError::out_of_range(offset, buf.len(), self.len));
        }
        self.inner.read(self.start + offset, buf)
    }
}

/// A file of the operating system.
#[cfg(not(target_arch = "wasm32"))]
pub struct NativeFile {
    file: std::cell::RefCell<std::fs::File>,
    len: u64,
}

#[cfg(not(target_arch = "wasm32"))]
impl NativeFile {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// When the operating system cannot open it.
    pub fn open(path: &std::path::Path) -> Result<Self, SourceError> {
        let file = std::fs::File::open(path).map_err(|e| SourceError(e.to_string()))?;
        let len = file.metadata().map_err(|e| SourceError(e.to_string()))?.len();
        Ok(NativeFile { file: std::cell::RefCell::new(file), len })
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Source for NativeFile {
    fn len(&self) -> u64 {
        self.len
    }

    fn read(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError> {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = self.file.borrow_mut();
        file.seek(SeekFrom::Start(offset))
            .and_then(|_| file.read_exact(buf))
            .map_err(|e| SourceError(e.to_string()))
    }
}

/// [`Source`] as `std::io`, for libraries that want it.
pub struct SourceReader {
    source: SharedSource,
    position: u64,
    end: u64,
}

impl SourceReader {
    /// Reads the bytes `start..end` of a source.
    pub fn new(source: SharedSource, start: u64, end: u64) -> Self {
        let end = end.min(source.len());
        SourceReader { source, position: start.min(end), end }
    }
}

impl std::io::Read for SourceReader {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let left = usize::try_from(self.end - self.position).unwrap_or(usize::MAX);
        let take = left.min(buf.len());
        if take > 0 {
            self.source.read(self.position, &mut buf[..take]).map_err(std::io::Error::other)?;
            self.position += take as u64;
        }
        Ok(take)
    }
}

impl std::io::Seek for SourceReader {
    fn seek(&mut self, pos: std::io::SeekFrom) -> std::io::Result<u64> {
        let (base, delta) = match pos {
            std::io::SeekFrom::Start(at) => (at, 0),
            std::io::SeekFrom::End(delta) => (self.end, delta),
            std::io::SeekFrom::Current(delta) => (self.position, delta),
        };
        self.position = base
            .checked_add_signed(delta)
            .ok_or_else(|| std::io::Error::from(std::io::ErrorKind::InvalidInput))?
            .min(self.end);
        Ok(self.position)
    }
}
