//! Bytes that can only be read from front to back (deflate, gzip) as a [`Source`]: a range that lies further
//! back is inflated again from the start. Nothing but a few open streams is kept.

use super::{SharedSource, Source, SourceError, SourceReader};
use flate2::Crc;
use std::cell::RefCell;
use std::io::Read;
use std::rc::Rc;

/// Bytes inflated at a time. Always the same pieces, so that a damaged stream breaks at the same place
/// whenever it is read.
const BLOCK: usize = 1 << 16;
/// Streams kept open: two readers may walk through one file, each with its own.
const STREAMS: usize = 4;

/// Makes a decoder of a source's packed bytes.
pub type Decode = fn(SourceReader) -> Box<dyn Read>;

/// The open streams of all files that share it.
#[derive(Clone, Default)]
pub struct Streams(Rc<RefCell<Pool>>);

#[derive(Default)]
struct Pool {
    /// By file; the last one used is last.
    open: Vec<(usize, Stream)>,
    files: usize,
}

struct Stream {
    decoder: Box<dyn Read>,
    /// Offset of the block.
    start: u64,
    block: Vec<u8>,
    crc: Crc,
    /// Why nothing follows the block.
    broken: Option<String>,
}

impl Stream {
    /// Inflates the next block; an empty one is the end.
    fn advance(&mut self) -> Result<(), SourceError> {
        self.start += self.block.len() as u64;
        self.block.clear();
        if let Some(why) = &self.broken {
            return Err(SourceError(why.clone()));
        }
        self.block.resize(BLOCK, 0);
        let mut have = 0;
        while have < BLOCK {
            match self.decoder.read(&mut self.block[have..]) {
                Ok(0) => break,
                Ok(more) => have += more,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.broken = Some(error.to_string());
                    break;
                }
            }
        }
        self.block.truncate(have);
        self.crc.update(&self.block);
        match &self.broken {
            Some(why) if have == 0 => Err(SourceError(why.clone())),
            _ => Ok(()),
        }
    }

    fn end(&self) -> u64 {
        self.start + self.block.len() as u64
    }
}

/// A packed stretch of a source, read as what it inflates to.
pub struct Inflated {
    packed: SharedSource,
    start: u64,
    end: u64,
    decode: Decode,
    size: u64,
    /// CRC-32 of all bytes, checked whenever the last one is read.
    checksum: Option<u32>,
    streams: Streams,
    file: usize,
}

impl Inflated {
    /// The bytes `start..end` of `packed`, which inflate to `size` bytes.
    pub fn new(
        packed: SharedSource,
        (start, end): (u64, u64),
        decode: Decode,
        size: u64,
        checksum: Option<u32>,
        streams: &Streams,
    ) -> Self {
        let mut pool = streams.0.borrow_mut();
        pool.files += 1;
        let file = pool.files;
        drop(pool);
        Inflated { packed, start, end, decode, size, checksum, streams: streams.clone(), file }
    }

    /// How many bytes there are: inflates all of them once, up to `most`. Says why it ended early.
    pub fn measure(&mut self, most: u64) -> Option<String> {
        let mut stream = self.open();
        loop {
            match stream.advance() {
                Ok(()) if stream.block.is_empty() => break,
                Ok(()) => {}
                Err(error) => {
                    self.size = stream.start;
                    return Some(error.0);
                }
            }
            if stream.end() > most {
                break;
            }
        }
        self.size = stream.end();
        None
    }

    fn open(&self) -> Stream {
        let packed = SourceReader::new(self.packed.clone(), self.start, self.end);
        let decoder = (self.decode)(packed);
        Stream { decoder, start: 0, block: Vec::new(), crc: Crc::new(), broken: None }
    }

    /// The open stream of this file that is nearest before `offset`, or a new one.
    fn stream(&self, offset: u64) -> Stream {
        let found = {
            let open = &mut self.streams.0.borrow_mut().open;
            (0..open.len())
                .filter(|&at| open[at].0 == self.file && open[at].1.start <= offset)
                .max_by_key(|&at| open[at].1.start)
                .map(|at| open.remove(at).1)
        };
        // A decoder reads its header at once, perhaps out of another file of the pool.
        found.unwrap_or_else(|| self.open())
    }

    fn keep(&self, stream: Stream) {
        let mut pool = self.streams.0.borrow_mut();
        if pool.open.len() >= STREAMS {
            pool.open.remove(0);
        }
        pool.open.push((self.file, stream));
    }
}

impl Source for Inflated {
    fn len(&self) -> u64 {
        self.size
    }

    fn read(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError> {
        let end = offset.checked_add(buf.len() as u64).filter(|&end| end <= self.size);
        let Some(end) = end else {
            return Err(SourceError::out_of_range(offset, buf.len(), self.size));
        };
        let damaged = |why: SourceError| SourceError(format!("it cannot be inflated ({why})"));
        let mut stream = self.stream(offset);
        let mut done = 0;
        while done < buf.len() {
            let at = offset + done as u64;
            if stream.end() <= at {
                stream.advance().map_err(damaged)?;
                if stream.block.is_empty() {
                    return Err(SourceError("it is shorter than the archive says".into()));
                }
                continue;
            }
            let block = &stream.block[usize::try_from(at - stream.start).unwrap_or(BLOCK)..];
            let take = block.len().min(buf.len() - done);
            buf[done..done + take].copy_from_slice(&block[..take]);
            done += take;
        }
        let Some(checksum) = self.checksum.filter(|_| end == self.size) else {
            self.keep(stream);
            return Ok(());
        };
        // To the very end: what follows tells whether the archive spoke the truth.
        while stream.end() <= self.size {
            stream.advance().map_err(damaged)?;
            if stream.block.is_empty() {
                break;
            }
        }
        if stream.end() > self.size {
            return Err(SourceError("it is longer than the archive says".into()));
        }
        if stream.crc.sum() != checksum {
            return Err(SourceError("it is damaged (its checksum differs)".into()));
        }
        Ok(())
    }
}
