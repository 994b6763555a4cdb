//! What readers of XML share, over quick-xml: elements with byte positions and lines, and decoders of exactly
//! the bytes that hold a text. Nothing is fetched and no entity is expanded beyond XML's five and numbers; line
//! ends inside elements stay as they are stored, because offsets may count them.

use super::Reading;
use crate::corpus::problems::{Kind, Place};
use crate::source::{Bytes, Source, SourceError, read_range};
use quick_xml::events::Event as Raw;
use quick_xml::events::attributes::Attributes;
use std::io::{BufRead, Read};

/// Elements that may be open at once.
const DEPTH: usize = 256;

/// Elements of a file, one after another.
pub struct Xml<'s> {
    reader: quick_xml::Reader<Feed<'s>>,
    /// The bytes of the last event.
    buffer: Vec<u8>,
    /// Names of the open elements.
    open: Vec<Box<str>>,
    closed: Box<str>,
    start: u64,
    line: u64,
    done: bool,
}

/// What comes next.
pub enum Event<'e> {
    /// A start tag; an empty element gives a start and an end.
    Open(Tag<'e>),
    /// The end tag of the innermost open element.
    Close(&'e str),
    /// The file is not well formed here, in words. What follows cannot be trusted before [`Xml::recover`].
    Fault(String),
    /// The end of the file.
    End,
}

/// A start tag.
#[derive(Clone, Copy)]
pub struct Tag<'e> {
    /// Name, with its prefix.
    pub name: &'e str,
    /// Line of its first byte, from 1.
    pub line: u64,
    /// What stands between the brackets.
    raw: &'e str,
    /// Where that begins in the file.
    at: u64,
}

/// An attribute of a tag.
#[derive(Clone, Copy)]
pub struct Attribute<'e> {
    /// Name, with its prefix.
    pub name: &'e str,
    /// Its value as it is written.
    raw: &'e str,
    /// First byte of the value, behind the quote.
    pub start: u64,
    /// Bytes of the value; [`attribute`] decodes them.
    pub len: u64,
}

/// What stands inside an element.
pub struct Content {
    /// Its text, as [`content`] decodes it.
    pub text: String,
    /// First byte behind the start tag.
    pub start: u64,
    /// Bytes up to the end tag.
    pub len: u64,
    /// The bytes inside its CDATA section, where it holds that and white space only.
    pub section: Option<(u64, u64)>,
    /// Line of the first byte.
    pub line: u64,
    /// What is not well formed in it: it goes no further than that.
    pub fault: Option<String>,
}

/// Names of the first elements of a file and how many elements each is inside of. For detection.
pub fn elements(head: &str, most: usize) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    if !head.trim_start().starts_with('<') {
        return found;
    }
    let source = Bytes(head.trim_start().as_bytes().to_vec());
    let mut xml = Xml::new(&source, crate::source::lines::CHUNK, 0);
    while found.len() < most {
        match xml.step(None) {
            Ok(Step::Open) => found.push((xml.open.len() - 1, xml.tag().name.to_owned())),
            Ok(Step::Close) => {}
            _ => break,
        }
    }
    found
}

/// The text of an element's content: references replaced, CDATA sections opened, tags and comments left out.
/// References to other entities stay as they are written.
pub fn content(bytes: &[u8]) -> Option<String> {
    let raw = String::from_utf8_lossy(bytes);
    if memchr::memchr2(b'<', b'&', bytes).is_none() {
        return Some(raw.into_owned());
    }
    // The parser takes a mark at the start for the file's own.
    let rest = raw.trim_start_matches('\u{FEFF}');
    let mut text = Text { out: raw[..raw.len() - rest.len()].to_owned(), ..Text::default() };
    let source = Bytes(rest.as_bytes().to_vec());
    let mut xml = Xml::new(&source, source.0.len().max(1), 0);
    while !matches!(xml.step(Some(&mut text)), Ok(Step::End) | Err(_)) {}
    text.flush();
    Some(text.out)
}

/// The value of an attribute: references replaced; line breaks and tabs that are not written as references are
/// spaces, as XML says.
pub fn attribute(bytes: &[u8]) -> Option<String> {
    Some(value(&String::from_utf8_lossy(bytes)).out)
}

fn value(raw: &str) -> Text {
    let mut text = Text::default();
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        text.spaced(&rest[..at]);
        let name = &rest[at + 1..];
        match name.find([';', '&', '<']) {
            Some(end) if name.as_bytes()[end] == b';' => {
                text.reference(&name[..end]);
                rest = &name[end + 1..];
            }
            _ => {
                text.bare();
                rest = name;
            }
        }
    }
    text.spaced(rest);
    text.flush();
    text
}

/// Text being decoded.
#[derive(Default)]
struct Text {
    out: String,
    /// The first half of a surrogate pair that was written as two references.
    high: Option<u32>,
    /// References that mean nothing here.
    unknown: u64,
    /// Whether anything but white space stands outside CDATA sections.
    outside: bool,
    sections: u64,
}

impl Text {
    fn push(&mut self, part: &str) {
        self.flush();
        self.out.push_str(part);
    }

    /// A half without its other half is a character that no text has.
    fn flush(&mut self) {
        if self.high.take().is_some() {
            self.out.push('\u{FFFD}');
        }
    }

    fn spaced(&mut self, part: &str) {
        let mut last = ' ';
        for c in part.chars() {
            if !(c == '\n' && last == '\r') {
                self.flush();
                self.out.push(if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c });
            }
            last = c;
        }
    }

    /// An ampersand that begins no reference.
    fn bare(&mut self) {
        self.push("&");
        self.unknown += 1;
    }

    fn reference(&mut self, name: &str) {
        self.outside = true;
        let known = match name {
            "lt" => "<",
            "gt" => ">",
            "amp" => "&",
            "apos" => "'",
            "quot" => "\"",
            _ => "",
        };
        if !known.is_empty() {
            return self.push(known);
        }
        let digits = |digits: &str, base| {
            let all = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(base));
            all.then(|| u32::from_str_radix(digits, base).unwrap_or(u32::MAX))
        };
        let number = name.strip_prefix('#').and_then(|number| match number.strip_prefix(['x', 'X']) {
            Some(hexadecimal) => digits(hexadecimal, 16),
            None => digits(number, 10),
        });
        match (number, self.high) {
            (Some(high @ 0xD800..=0xDBFF), _) => {
                self.flush();
                self.high = Some(high);
            }
            (Some(low @ 0xDC00..=0xDFFF), Some(high)) => {
                self.high = None;
                let code = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                self.out.push(char::from_u32(code).unwrap_or('\u{FFFD}'));
            }
            (Some(number), _) => {
                self.flush();
                self.out.push(char::from_u32(number).unwrap_or('\u{FFFD}'));
            }
            (None, _) => {
                self.bare();
                self.out.push_str(name);
                self.out.push(';');
            }
        }
    }
}

/// What [`Xml::step`] met.
enum Step {
    Open,
    /// A CDATA section, where text is wanted.
    Section,
    Close,
    Fault(String),
    End,
}

impl<'s> Xml<'s> {
    /// Starts at byte `from` (past a byte-order mark), reading `chunk` bytes at a time.
    pub fn new(source: &'s dyn Source, chunk: usize, from: u64) -> Self {
        let feed = Feed {
            source,
            chunk: chunk.max(1),
            bytes: Vec::new(),
            base: from,
            at: 0,
            end: 0,
            line: 1,
            bad: Vec::new(),
            any_bad: false,
            error: None,
        };
        let mut reader = quick_xml::Reader::from_reader(feed);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.allow_dangling_amp = true;
        // Names are compared here, so that a fault need not end the file.
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        let buffer = Vec::new();
        Xml { reader, buffer, open: Vec::new(), closed: "".into(), start: from, line: 1, done: false }
    }

    /// How many elements are open.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// The line reached.
    pub fn line(&self) -> u64 {
        self.reader.get_ref().line
    }

    /// The next start or end of an element; text between them is passed over.
    ///
    /// # Errors
    /// When the source cannot be read.
    pub fn next(&mut self, reading: &mut Reading<'_>) -> Result<Event<'_>, SourceError> {
        let step = self.step(None);
        self.report(reading);
        Ok(match step? {
            Step::Open => {
                let tag = self.tag();
                let unknown = tag.attributes().map(|a| value(a.raw).unknown).sum();
                list_unknown(reading, tag.line, unknown);
                Event::Open(tag)
            }
            Step::Close => Event::Close(&self.closed),
            Step::Fault(fault) => Event::Fault(fault),
            Step::End | Step::Section => Event::End,
        })
    }

    /// Reads on to the end of the element that was opened last; its end tag gives no event any more. Elements
    /// inside it are passed over, their text is kept.
    ///
    /// # Errors
    /// When the source cannot be read.
    pub fn content(&mut self, reading: &mut Reading<'_>) -> Result<Content, SourceError> {
        let depth = self.open.len();
        let (start, line) = (self.reader.get_ref().position(), self.line());
        let mut text = Text::default();
        let mut section = None;
        let fault = loop {
            let sections = text.sections;
            let step = self.step(Some(&mut text));
            self.report(reading);
            if text.sections > sections {
                section = Some((self.start + 9, self.reader.get_ref().position() - self.start - 12));
            }
            match step? {
                Step::Close if self.open.len() < depth => break None,
                Step::Fault(fault) => break Some(fault),
                Step::End => break Some("the file ends here".into()),
                _ => {}
            }
        };
        text.flush();
        list_unknown(reading, line, text.unknown);
        let len = self.start - start;
        if self.reader.get_ref().any_bad && fault.is_none() {
            // Bytes that are not UTF-8 were masked for the parser.
            text.out = content(&read_range(self.reader.get_ref().source, start, len)?).unwrap_or_default();
        }
        let section = section.filter(|_| text.sections == 1 && !text.outside);
        Ok(Content { text: text.out, start, len, section, line, fault })
    }

    /// After a fault: reads on to the next start of an element of this name, and takes it to lie `depth`
    /// elements deep. False where there is none.
    ///
    /// # Errors
    /// When the source cannot be read.
    pub fn recover(
        &mut self,
        reading: &mut Reading<'_>,
        name: &str,
        depth: usize,
    ) -> Result<bool, SourceError> {
        loop {
            self.open.truncate(DEPTH - 1);
            let step = self.step(None);
            self.report(reading);
            match step? {
                Step::Open if self.tag().name == name => {
                    self.open.truncate(depth);
                    self.open.resize(depth, "".into());
                    self.open.push(name.into());
                    return Ok(true);
                }
                Step::End => return Ok(false),
                _ => {}
            }
        }
    }

    /// The tag that was opened last, until the next event.
    pub fn tag(&self) -> Tag<'_> {
        let raw = std::str::from_utf8(&self.buffer).unwrap_or("");
        let raw = raw.strip_prefix('<').unwrap_or(raw);
        let raw = raw.strip_suffix('>').unwrap_or(raw);
        let raw = raw.strip_suffix('/').unwrap_or(raw);
        let name = raw.split([' ', '\t', '\r', '\n']).next().unwrap_or("");
        Tag { name, line: self.line, raw, at: self.start + 1 }
    }

    /// One event of the parser; text goes to `text`.
    fn step(&mut self, mut text: Option<&mut Text>) -> Result<Step, SourceError> {
        if self.done {
            return Ok(Step::End);
        }
        loop {
            (self.start, self.line) = (self.reader.get_ref().position(), self.line());
            self.buffer.clear();
            match self.reader.read_event_into(&mut self.buffer) {
                Ok(Raw::Start(tag)) => {
                    if self.open.len() >= DEPTH {
                        self.done = true;
                        return Ok(Step::Fault(format!(
                            "elements inside each other, more than {DEPTH} deep"
                        )));
                    }
                    self.open.push(tag.name().as_ref().into());
                    return Ok(Step::Open);
                }
                Ok(Raw::End(tag)) => {
                    let fits = self.open.last().is_some_and(|open| **open == *tag.name().as_ref());
                    return Ok(match self.open.pop() {
                        Some(name) if fits => {
                            self.closed = name;
                            Step::Close
                        }
                        _ => Step::Fault("an end tag that does not fit the element it should end".into()),
                    });
                }
                Ok(Raw::Text(part)) => {
                    if let Some(text) = &mut text {
                        // A text that begins so could not be read as a reference.
                        text.unknown += u64::from(part.starts_with('&'));
                        text.outside |= part.contains(|c: char| !c.is_whitespace());
                        text.push(&part);
                    }
                }
                Ok(Raw::CData(part)) => {
                    if let Some(text) = &mut text {
                        text.push(&part);
                        text.sections += 1;
                        // The caller may want to know where.
                        return Ok(Step::Section);
                    }
                }
                Ok(Raw::GeneralRef(name)) => {
                    if let Some(text) = &mut text {
                        text.reference(&name);
                    }
                }
                Ok(Raw::Eof) => {
                    self.done = true;
                    if self.open.is_empty() {
                        return Ok(Step::End);
                    }
                    return Ok(Step::Fault("the file ends inside an element; it looks cut off".into()));
                }
                Ok(Raw::Comment(_) | Raw::Decl(_) | Raw::PI(_) | Raw::DocType(_) | Raw::Empty(_)) => {}
                Err(error) => {
                    if let Some(error) = self.reader.get_mut().error.take() {
                        return Err(error);
                    }
                    self.done = true;
                    let ended = self.reader.get_ref().at_end();
                    return Ok(Step::Fault(fault(&error, ended)));
                }
            }
        }
    }

    /// Lists what the feed found, and says how far it is.
    fn report(&mut self, reading: &mut Reading<'_>) {
        let feed = self.reader.get_mut();
        (reading.progress)(feed.position());
        for (line, found) in feed.bad.drain(..) {
            let expected = "UTF-8; read as U+FFFD. Choose windows-1252 if that is what it is, whatever its first line says";
            reading.corpus.problems.add(Kind::BadEncoding, Place::at(reading.file, line), found, expected);
        }
    }
}

impl<'e> Tag<'e> {
    /// Its attributes, in order; what is not written as one is passed over.
    pub fn attributes(&self) -> impl Iterator<Item = Attribute<'e>> + use<'e> {
        let (raw, at) = (self.raw, self.at);
        let mut attributes = Attributes::new(raw, self.name.len());
        attributes.with_checks(false);
        attributes.filter_map(move |attribute| {
            let std::borrow::Cow::Borrowed(value) = attribute.as_ref().ok()?.value else { return None };
            let start = at + (value.as_ptr() as usize - raw.as_ptr() as usize) as u64;
            Some(Attribute { name: attribute.ok()?.key.0, raw: value, start, len: value.len() as u64 })
        })
    }

    /// The attribute of this name.
    pub fn attribute(&self, name: &str) -> Option<Attribute<'e>> {
        self.attributes().find(|attribute| attribute.name == name)
    }

    /// The value of the attribute of this name.
    pub fn get(&self, name: &str) -> Option<String> {
        self.attribute(name).map(|attribute| attribute.value())
    }
}

impl Attribute<'_> {
    /// Its value.
    pub fn value(&self) -> String {
        value(self.raw).out
    }
}

fn list_unknown(reading: &mut Reading<'_>, line: u64, unknown: u64) {
    if unknown > 0 {
        let found = format!("{unknown} references to something else than XML's five characters or a number");
        let place = Place::at(reading.file, line);
        reading.corpus.problems.add(
            Kind::UnknownEntity,
            place,
            found,
            "&lt; &gt; &amp; &apos; &quot; or &#…;",
        );
    }
}

/// Why the parser gave up. Its own words may quote the text.
fn fault(error: &quick_xml::Error, ended: bool) -> String {
    use quick_xml::Error;
    match error {
        _ if ended => "the file ends inside a tag, comment or CDATA section; it looks cut off".into(),
        Error::Syntax(_) => "a tag, comment or CDATA section that is not written as one".into(),
        _ => "not well-formed XML".into(),
    }
}

/// Bytes for the parser. What is not UTF-8 is masked, byte for byte, so that the rest can be read and positions
/// stay true.
struct Feed<'s> {
    source: &'s dyn Source,
    chunk: usize,
    /// Bytes from `base` on: taken up to `at`, ready up to `end`, the rest is the start of a character.
    bytes: Vec<u8>,
    base: u64,
    at: usize,
    end: usize,
    /// Line of the next byte.
    line: u64,
    /// Line and words for runs of bytes that are not UTF-8.
    bad: Vec<(u64, String)>,
    any_bad: bool,
    error: Option<SourceError>,
}

impl Feed<'_> {
    fn position(&self) -> u64 {
        self.base + self.at as u64
    }

    fn at_end(&self) -> bool {
        self.position() >= self.source.len()
    }

    fn more(&mut self) -> Result<(), SourceError> {
        self.bytes.drain(..self.end);
        self.base += self.end as u64;
        (self.at, self.end) = (0, 0);
        let from = self.base + self.bytes.len() as u64;
        let left = self.source.len().saturating_sub(from);
        let take = usize::try_from(left).unwrap_or(usize::MAX).min(self.chunk.max(4));
        let old = self.bytes.len();
        self.bytes.resize(old + take, 0);
        self.source.read(from, &mut self.bytes[old..])?;
        let last = take as u64 == left;
        let mut listed = 0;
        while let Err(error) = std::str::from_utf8(&self.bytes[self.end..]) {
            self.end += error.valid_up_to();
            let rest = self.bytes.len() - self.end;
            let length = match error.error_len() {
                None if !last => return Ok(()),
                length => length.unwrap_or(rest),
            };
            self.any_bad = true;
            let line = self.line + memchr::memchr_iter(b'\n', &self.bytes[..self.end]).count() as u64;
            // One a line is enough to find it.
            if line != listed {
                let found = format!(
                    "byte 0x{:02X} at byte {} is not UTF-8",
                    self.bytes[self.end],
                    self.base + self.end as u64
                );
                self.bad.push((line, found));
                listed = line;
            }
            self.bytes[self.end..self.end + length].fill(b'?');
            self.end += length;
        }
        self.end = self.bytes.len();
        Ok(())
    }
}

impl Read for Feed<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let ready = self.fill_buf()?;
        let take = ready.len().min(out.len());
        out[..take].copy_from_slice(&ready[..take]);
        self.consume(take);
        Ok(take)
    }
}

impl BufRead for Feed<'_> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        if self.at == self.end
            && let Err(error) = self.more()
        {
            self.error = Some(error);
            return Err(std::io::Error::other("the source"));
        }
        Ok(&self.bytes[self.at..self.end])
    }

    fn consume(&mut self, amount: usize) {
        let to = (self.at + amount).min(self.end);
        self.line += memchr::memchr_iter(b'\n', &self.bytes[self.at..to]).count() as u64;
        self.at = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_decoded_as_stored() {
        let decode = |raw: &str| content(raw.as_bytes()).unwrap_or_default();
        assert_eq!(decode("a\r\nb"), "a\r\nb");
        assert_eq!(decode("\u{feff}a &lt;&#65;&#x1F616;&amp;&quot;&apos;&gt;\r"), "\u{feff}a <A😖&\"'>\r");
        assert_eq!(decode("x<!-- &amp; --><![CDATA[<&amp;\r\n]]>y<i a='>'>z</i><?p ?>"), "x<&amp;\r\nyz");
        // Halves of a surrogate pair, as some tools write them; alone, they are no character.
        assert_eq!(
            decode("&#55357;&#56854;|&#55357;|&#56854;|&#xFFFFFFFFFF;|&#0;"),
            "😖|\u{fffd}|\u{fffd}|\u{fffd}|\0"
        );
        assert_eq!(decode("&nbsp;&a b;&;&#;&#x;&#1a; R&D & x"), "&nbsp;&a b;&;&#;&#x;&#1a; R&D & x");
        assert_eq!(content(b"a\xff&amp;\xe2\x82").unwrap_or_default(), "a\u{fffd}&\u{fffd}");
    }

    #[test]
    fn attributes_are_normalised() {
        let decode = |raw: &str| attribute(raw.as_bytes()).unwrap_or_default();
        assert_eq!(decode("a\r\nb\tc\nd\re"), "a b c d e");
        assert_eq!(decode("&#10;&#9;&lt;&#xD83D;&#xDE16; &x; & y&"), "\n\t<😖 &x; & y&");
    }

    #[test]
    fn positions_hold_whatever_the_chunk() {
        let file = "<?xml version='1.0'?>\n<!DOCTYPE r [<!ENTITY a 'x'>]>\n<r>\n <é ü=\"µ&amp;\" b='😖'/>\n<t>é&a;<u/>\n</t></r>";
        for chunk in [1, 2, 3, 5, 1000] {
            let source = Bytes(file.as_bytes().to_vec());
            let mut xml = Xml::new(&source, chunk, 0);
            assert!(matches!(xml.step(None), Ok(Step::Open)));
            assert!(matches!(xml.step(None), Ok(Step::Open)));
            let tag = xml.tag();
            assert_eq!((tag.name, tag.line), ("é", 4));
            let values: Vec<(&str, &str, String)> = tag
                .attributes()
                .map(|a| (a.name, &file[a.start as usize..(a.start + a.len) as usize], a.value()))
                .collect();
            assert_eq!(values, [("ü", "µ&amp;", "µ&".to_owned()), ("b", "😖", "😖".to_owned())]);
            assert!(matches!(xml.step(None), Ok(Step::Close)));
            assert!(matches!(xml.step(None), Ok(Step::Open)));
            let mut text = Text::default();
            while xml.depth() > 1 {
                assert!(xml.step(Some(&mut text)).is_ok());
            }
            assert_eq!((text.out.as_str(), text.unknown), ("é&a;\n", 1));
            assert!(matches!(xml.step(None), Ok(Step::Close)));
            assert!(matches!(xml.step(None), Ok(Step::End)));
        }
    }

    #[test]
    fn depth_is_limited() {
        let source = Bytes("<a>".repeat(100_000).into_bytes());
        let mut xml = Xml::new(&source, 1 << 20, 0);
        while matches!(xml.step(None), Ok(Step::Open)) {}
        assert!(xml.done && xml.depth() == DEPTH);
    }
}
