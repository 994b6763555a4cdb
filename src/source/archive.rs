//! Archives: zip, gzip, and one inside another. [`Unpacker`] turns what is given into files, under limits that
//! hold over everything given together.

use super::cache::LastFile;
use super::inflate::{Inflated, Streams};
use super::{SharedSource, Source, read_range, zip};
use flate2::read::MultiGzDecoder;
use std::io::Read;
use std::rc::Rc;

/// Files read from archives, all archives together.
pub const MAX_ENTRIES: usize = 100_000;
/// Bytes that all archives may inflate to.
pub const MAX_TOTAL: u64 = 8 << 30;
/// Times that a file may grow when it is inflated (deflate itself cannot pass 1,032).
pub const MAX_RATIO: u64 = 400;
/// Archives around a file.
pub const MAX_DEPTH: usize = 2;
/// Bytes of a packed archive inside another: it is read at random, so it is inflated as a whole.
pub const MAX_INNER: u64 = 64 << 20;

/// One file, or why there is none.
pub struct Unpacked {
    /// Path: that of the archive, `/`, and the path inside it.
    pub path: String,
    /// What is there.
    pub content: Content,
}

/// What a file is.
pub enum Content {
    /// Bytes.
    File(SharedSource),
    /// Bytes up to where the archive breaks off, and why.
    Cut(SharedSource, String),
    /// Something that holds no data that is read, and what to do.
    Foreign(&'static str, &'static str),
    /// Cannot be read: why, in words.
    Unreadable(String),
}

/// Documents of other programs that are zip archives: a file inside that tells them, and what they are.
static PACKED_DOCUMENTS: &[(&str, &str, &str)] = &[
    ("xl/workbook.xml", "an Excel workbook", "save the sheet as CSV (UTF-8)"),
    ("xl/workbook.bin", "an Excel workbook", "save the sheet as CSV (UTF-8)"),
    ("word/document.xml", "a Word document", "save it as plain text"),
    ("ppt/presentation.xml", "a PowerPoint presentation", "save it as plain text"),
    ("[Content_Types].xml", "an Office document", "save it as CSV or plain text"),
    ("META-INF/manifest.xml", "an OpenDocument file", "save it as CSV or plain text"),
];

/// Opens archives.
#[derive(Default)]
pub struct Unpacker {
    entries: usize,
    total: u64,
    streams: Streams,
    inner: LastFile,
}

/// Whether the bytes begin like gzip.
fn is_gzip(head: &[u8]) -> bool {
    head.starts_with(b"\x1f\x8b\x08")
}

/// What is still to be looked at.
struct Item {
    path: String,
    content: Content,
    /// Archives around it.
    depth: usize,
    /// Whether any byte of it can be read as quickly as the first.
    at_random: bool,
}

impl Unpacker {
    /// The files of what was given: itself, where it is no archive. In name order inside an archive.
    pub fn unpack(&mut self, path: &str, source: &SharedSource) -> Vec<Unpacked> {
        let mut found = Vec::new();
        let content = Content::File(source.clone());
        // The next one is last.
        let mut left = vec![Item { path: path.to_owned(), content, depth: 0, at_random: true }];
        while let Some(Item { path, content, depth, at_random }) = left.pop() {
            let content = match content {
                Content::File(source) => match read_range(&*source, 0, source.len().min(4)) {
                    Ok(head) if zip::is_zip(&head) || is_gzip(&head) => {
                        if depth >= MAX_DEPTH {
                            Content::Foreign("an archive inside two others", "unpack the outer ones")
                        } else if is_gzip(&head) {
                            let (path, content) = self.gzip(path, source);
                            left.push(Item { path, content, depth: depth + 1, at_random: false });
                            continue;
                        } else {
                            match self.zip(source, at_random) {
                                Err(content) => content,
                                Ok(entries) => {
                                    let inside = |(name, content, at_random)| {
                                        let path = format!("{path}/{name}");
                                        Item { path, content, depth: depth + 1, at_random }
                                    };
                                    left.extend(entries.into_iter().rev().map(inside));
                                    continue;
                                }
                            }
                        }
                    }
                    Ok(_) => Content::File(source),
                    Err(error) => Content::Unreadable(error.0),
                },
                other => other,
            };
            found.push(Unpacked { path, content });
        }
        found
    }

    /// Takes bytes off what may still be inflated.
    fn spend(&mut self, bytes: u64) -> Result<(), Content> {
        self.total = self.total.saturating_add(bytes);
        if self.total > MAX_TOTAL {
            return Err(Content::Unreadable(format!(
                "the archives inflate to more than {} GiB",
                MAX_TOTAL >> 30
            )));
        }
        Ok(())
    }

    /// What a gzip file holds, and its name: that of the archive without the ending. The name inside is not
    /// used: it is whatever the file was called once.
    fn gzip(&mut self, path: String, source: SharedSource) -> (String, Content) {
        let path = match path.rsplit_once('.') {
            Some((stem, end)) if end.eq_ignore_ascii_case("gz") => stem.to_owned(),
            _ => path,
        };
        let packed = source.len();
        let decode = |packed| Box::new(MultiGzDecoder::new(packed)) as Box<dyn Read>;
        let mut inflated = Inflated::new(source, (0, packed), decode, 0, None, &self.streams);
        let most = packed.saturating_mul(MAX_RATIO);
        let broken = inflated.measure(most.min(MAX_TOTAL.saturating_sub(self.total)));
        let size = inflated.len();
        let content = match (self.spend(size), broken) {
            _ if size > most => Content::Unreadable(format!(
                "{packed} bytes inflate to more than {MAX_RATIO} times as many, as in a zip bomb"
            )),
            (Err(content), _) => content,
            (_, None) => Content::File(Rc::new(inflated)),
            (_, Some(why)) if size == 0 => Content::Unreadable(format!("it cannot be inflated ({why})")),
            (_, Some(why)) => Content::Cut(Rc::new(inflated), why),
        };
        (path, content)
    }

    /// The entries of a zip archive in name order: name, content, whether it can be read at random.
    fn zip(
        &mut self,
        mut source: SharedSource,
        at_random: bool,
    ) -> Result<Vec<(String, Content, bool)>, Content> {
        if !at_random {
            if source.len() > MAX_INNER {
                return Err(Content::Unreadable(format!(
                    "a packed archive of more than {} MiB inside another; unpack the outer one",
                    MAX_INNER >> 20
                )));
            }
            source = self.inner.file(source);
        }
        let entries =
            zip::entries(&source, MAX_ENTRIES - self.entries, &self.streams).map_err(Content::Unreadable)?;
        let has = |name: &str| entries.iter().any(|entry| entry.path == name);
        if let Some((_, what, advice)) = PACKED_DOCUMENTS.iter().find(|(name, ..)| has(name)) {
            return Err(Content::Foreign(what, advice));
        }
        self.entries += entries.len();
        self.spend(entries.iter().fold(0, |sum, entry| sum.saturating_add(entry.size)))?;
        let content = |entry: zip::Entry| {
            let content = entry.source.map_or_else(Content::Unreadable, Content::File);
            (entry.path, content, at_random && !entry.packed)
        };
        Ok(entries.into_iter().map(content).collect())
    }
}
