//! A small cache of blocks that many files share: archives and small files ask for many short ranges, and a
//! call out of WebAssembly for each would cost more than the bytes. It is small, so no text stays for long.

use super::{SharedSource, Source, SourceError};
use std::cell::RefCell;
use std::rc::Rc;

/// Bytes of a block.
pub const BLOCK: u64 = 1 << 16;
/// Blocks kept.
const BLOCKS: usize = 64;

struct Block {
    file: usize,
    number: u64,
    bytes: Vec<u8>,
}

#[derive(Default)]
struct Cache {
    /// The last one used is last.
    blocks: Vec<Block>,
    files: usize,
}

/// Blocks of the files last read.
#[derive(Clone, Default)]
pub struct BlockCache(Rc<RefCell<Cache>>);

impl BlockCache {
    /// A file read through this cache.
    pub fn file(&self, inner: SharedSource) -> SharedSource {
        let mut cache = self.0.borrow_mut();
        cache.files += 1;
        Rc::new(Cached { cache: self.clone(), file: cache.files, inner })
    }
}

struct Cached {
    cache: BlockCache,
    file: usize,
    inner: SharedSource,
}

impl Cached {
    /// Copies the part of `buf` that lies in one block.
    fn copy(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError> {
        let number = offset / BLOCK;
        let mut cache = self.cache.0.borrow_mut();
        let held = cache.blocks.iter().position(|block| block.file == self.file && block.number == number);
        let block = match held {
            Some(at) => cache.blocks.remove(at),
            None => {
                let start = number * BLOCK;
                let bytes = super::read_range(&*self.inner, start, BLOCK.min(self.len() - start))?;
                if cache.blocks.len() >= BLOCKS {
                    cache.blocks.remove(0);
                }
                Block { file: self.file, number, bytes }
            }
        };
        let from = usize::try_from(offset % BLOCK).unwrap_or(usize::MAX);
        let found = block.bytes.get(from..from + buf.len()).map(|bytes| buf.copy_from_slice(bytes));
        cache.blocks.push(block);
        found.ok_or_else(|| SourceError::out_of_range(offset, buf.len(), self.len()))
    }
}

impl Source for Cached {
    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn read(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError> {
        if buf.len() as u64 >= BLOCK {
            return self.inner.read(offset, buf);
        }
        if offset.checked_add(buf.len() as u64).is_none_or(|end| end > self.len()) {
            return Err(SourceError::out_of_range(offset, buf.len(), self.len()));
        }
        let mut done = 0;
        while done < buf.len() {
            let at = offset + done as u64;
            let left = usize::try_from(BLOCK - at % BLOCK).unwrap_or(usize::MAX);
            let take = left.min(buf.len() - done);
            self.copy(at, &mut buf[done..done + take])?;
            done += take;
        }
        Ok(())
    }
}

/// The file last read, as a whole: for small files that are read at random and can only be had from front to
/// back.
#[derive(Clone, Default)]
pub struct LastFile(Rc<RefCell<Held>>);

#[derive(Default)]
struct Held {
    files: usize,
    file: usize,
    bytes: Vec<u8>,
}

impl LastFile {
    /// A file that is held while it is the last one read.
    pub fn file(&self, inner: SharedSource) -> SharedSource {
        let mut held = self.0.borrow_mut();
        held.files += 1;
        Rc::new(HeldFile { held: self.clone(), file: held.files, inner })
    }
}

struct HeldFile {
    held: LastFile,
    file: usize,
    inner: SharedSource,
}

impl Source for HeldFile {
    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn read(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError> {
        let held = self.held.0.borrow().file;
        if held != self.file {
            let bytes = super::read_range(&*self.inner, 0, self.len())?;
            let mut held = self.held.0.borrow_mut();
            (held.file, held.bytes) = (self.file, bytes);
        }
        let held = self.held.0.borrow();
        let start = usize::try_from(offset).ok();
        let found = start.and_then(|start| held.bytes.get(start..start.checked_add(buf.len())?));
        found
            .map(|bytes| buf.copy_from_slice(bytes))
            .ok_or_else(|| SourceError::out_of_range(offset, buf.len(), self.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Bytes;
    use std::cell::Cell;

    /// Counts reads.
    struct Counted(Bytes, Rc<Cell<u32>>);

    impl Source for Counted {
        fn len(&self) -> u64 {
            self.0.len()
        }
        fn read(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError> {
            self.1.set(self.1.get() + 1);
            self.0.read(offset, buf)
        }
    }

    #[test]
    fn ranges_are_right_and_reads_are_few() {
        let bytes: Vec<u8> = (0..1_500_000_u32).map(|at| (at % 251) as u8).collect();
        let reads = Rc::new(Cell::new(0));
        let cache = BlockCache::default();
        let file = cache.file(Rc::new(Counted(Bytes(bytes.clone()), reads.clone())));
        let other = cache.file(Rc::new(Bytes(vec![7; 10])));
        for at in (0..1_499_000).step_by(997).rev() {
            let mut buf = [0; 700];
            file.read(at as u64, &mut buf).unwrap_or_default();
            assert_eq!(buf[..], bytes[at..at + 700]);
            other.read(3, &mut buf[..4]).unwrap_or_default();
            assert_eq!(buf[..4], [7; 4]);
        }
        assert_eq!(reads.get(), 23);
        assert!(file.read(1_499_999, &mut [0; 2]).is_err());
        assert!(file.read(u64::MAX, &mut [0; 2]).is_err());
    }
}
