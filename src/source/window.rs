//! A read-ahead window, for reading many small ranges of a source that mostly move forward.

use super::{SharedSource, SourceError};

const WINDOW: u64 = 1 << 20;

/// Caches the stretch of one source around the last range read.
#[derive(Default)]
pub struct Window {
    source: Option<SharedSource>,
    bytes: Vec<u8>,
    start: u64,
}

impl Window {
    /// The bytes `offset..offset + len` of a source.
    ///
    /// # Errors
    /// When the range is outside the source or cannot be read.
    pub fn range(&mut self, source: &SharedSource, offset: u64, len: u64) -> Result<&[u8], SourceError> {
        let size = source.len();
        let Some(end) = offset.checked_add(len).filter(|&end| end <= size) else {
            return Err(SourceError::out_of_range(offset, usize::try_from(len).unwrap_or(usize::MAX), size));
        };
        let same = self.source.as_ref().is_some_and(|held| std::rc::Rc::ptr_eq(held, source));
        if !same || offset < self.start || end > self.start + self.bytes.len() as u64 {
            // From a round offset, so that reading backwards is served too.
            let start = offset - offset % WINDOW;
            let take = (end - start).max(WINDOW).min(size - start);
            let take =
                usize::try_from(take).map_err(|_| SourceError::out_of_range(offset, usize::MAX, size))?;
            self.source = None;
            self.bytes.resize(take, 0);
            source.read(start, &mut self.bytes)?;
            self.start = start;
            self.source = Some(source.clone());
        }
        let from = usize::try_from(offset - self.start).unwrap_or(usize::MAX);
        let to = usize::try_from(end - self.start).unwrap_or(usize::MAX);
        self.bytes.get(from..to).ok_or_else(|| SourceError::out_of_range(offset, 0, size))
    }
}
