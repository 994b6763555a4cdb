//! Bytes → [`Corpus`]. One file a format, all of one shape ([`Format`]); a new format is a file here and a
//! line in [`FORMATS`]. Readers keep what they can and list the rest; they never score.

use crate::corpus::offsets::Wanted;
use crate::corpus::problems::{Kind, Place};
use crate::corpus::{Corpus, File, Role, Unit};
use crate::place::{Llm, Placing};
use crate::source::archive::{Content, Unpacked, Unpacker};
use crate::source::{self, SharedSource, SourceError, decode, lines};
use detect::Detection;

pub mod bioc;
pub mod brat;
mod cas;
pub mod cas_json;
pub mod con;
pub mod config;
pub mod conll;
pub mod detect;
pub mod document_scores;
pub mod document_table;
pub mod gliner;
pub mod i2b2;
pub mod items;
pub mod json;
pub mod labelstudio;
pub mod note_nlp;
pub mod outputs;
pub mod pipeline;
pub mod pubtator;
pub mod python_literal;
pub mod reply;
pub mod span_table;
mod table;
pub mod tags;
mod uima;
pub mod webanno;
pub mod xmi;
pub mod xml;

/// One file format.
pub struct Format {
    /// Name in options and reports.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// Extension of the file beside it that holds the text, for formats of two files.
    pub companion: Option<&'static str>,
    /// Extension that says the format where content cannot (an empty file).
    pub extension: Option<&'static str>,
    /// Whether a file is one document, whose id is the file's path.
    pub file_is_document: bool,
    /// What offsets count, as the format defines it.
    pub unit: Unit,
    /// Whether the first bytes look like this format: how surely (0 to 100), and why.
    pub sniff: fn(head: &str) -> Option<(u8, String)>,
    /// Reads one file into the corpus.
    pub read: fn(Reading<'_>) -> Result<(), SourceError>,
}

impl Format {
    /// A format of records in one file, offsets in code points; what is otherwise is said beside it.
    pub const fn of(
        name: &'static str,
        title: &'static str,
        sniff: fn(&str) -> Option<(u8, String)>,
        read: fn(Reading<'_>) -> Result<(), SourceError>,
    ) -> Self {
        Format {
            name,
            title,
            companion: None,
            extension: None,
            file_is_document: false,
            unit: Unit::CodePoint,
            sniff,
            read,
        }
    }
}

/// Every format, in the order in which equally sure detections win.
pub static FORMATS: &[&Format] = &[
    &pubtator::FORMAT,
    &webanno::FORMAT,
    &xmi::FORMAT,
    &cas_json::FORMAT,
    &bioc::xml::FORMAT,
    &bioc::json::FORMAT,
    &i2b2::FORMAT,
    &con::FORMAT,
    &labelstudio::FORMAT,
    &pipeline::FORMAT,
    &gliner::FORMAT,
    &reply::FORMAT,
    &json::FORMAT,
    &brat::FORMAT,
    &conll::FORMAT,
    &note_nlp::FORMAT,
    &span_table::FORMAT,
    &document_table::FORMAT,
    &document_scores::FORMAT,
    &config::FORMAT,
];

/// What a reader gets.
pub struct Reading<'r> {
    /// Where documents, spans and problems go.
    pub corpus: &'r mut Corpus,
    /// The file to read, as an index into the corpus' files.
    pub file: u32,
    /// The companion that holds the text.
    pub text: Option<u32>,
    /// Document id, where a file is one document: its path without extension, behind the folder that all such
    /// files of the side share.
    pub id: &'r str,
    /// Which side is read: a file may hold both.
    pub role: Role,
    /// Whether no other file of the side has this format.
    pub alone: bool,
    /// Whether generated text is kept for the benchmark's parsers, which need gold's text.
    pub reference: bool,
    /// Bytes to read at a time.
    pub chunk: usize,
    /// Called with the bytes of this file that are done.
    pub progress: &'r mut dyn FnMut(u64),
}

impl Reading<'_> {
    /// The bytes of the file being read, and where its content starts (past a byte-order mark).
    pub fn source(&self) -> (SharedSource, u64) {
        let file = &self.corpus.files[self.file as usize];
        (file.source.clone(), if file.decoding.byte_order_mark { 3 } else { 0 })
    }

    /// A place in the file being read.
    pub fn at(&self, line: u64) -> Place {
        Place::at(self.file, line)
    }

    /// A line as text; none, and listed, where it is not UTF-8.
    pub fn utf8<'l>(&mut self, line: &lines::Line<'l>) -> Option<&'l str> {
        match std::str::from_utf8(line.bytes) {
            Ok(text) => Some(text),
            Err(error) => {
                self.bad_encoding(line.number, line.bytes, error.valid_up_to());
                None
            }
        }
    }

    /// Lists bytes that are not UTF-8, and where the first of them is.
    pub fn bad_encoding(&mut self, line: u64, bytes: &[u8], valid_up_to: usize) {
        let found = format!(
            "byte 0x{:02X} at column {} is not UTF-8",
            bytes.get(valid_up_to).copied().unwrap_or(0),
            valid_up_to + 1
        );
        let place = self.at(line);
        let expected = "UTF-8, or UTF-16 with a byte-order mark; choose windows-1252 if that is what it is";
        self.corpus.problems.add(Kind::BadEncoding, place, found, expected);
    }
}

/// One input: a file that was given, with the path it was given under.
#[derive(Clone)]
pub struct Given {
    /// Index of the input in the run.
    pub input: usize,
    /// Path, with `/`.
    pub path: String,
    /// Its bytes.
    pub source: SharedSource,
    /// Format and encoding chosen for this file, over those of the side.
    pub format: Option<String>,
    /// Likewise.
    pub encoding: Option<String>,
    /// What its offsets count, over what the side says.
    pub wanted: Wanted,
}

/// Choices that decide how files are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choices {
    /// The side: some files hold gold and predictions.
    pub role: Role,
    /// `auto` or the name of a format.
    pub format: String,
    /// `auto`, `utf-8`, `utf-16` or `windows-1252`.
    pub encoding: String,
    /// How spans are put in their places, after reading.
    pub placing: Placing,
    /// Bytes to read at a time.
    pub chunk: usize,
}

impl Default for Choices {
    fn default() -> Self {
        Choices {
            role: Role::Gold,
            format: "auto".into(),
            encoding: "auto".into(),
            placing: Placing::default(),
            chunk: lines::CHUNK,
        }
    }
}

/// Reads every input of one side into one corpus. `progress` is called with the bytes done so far and the
/// bytes of all files, archives unpacked.
pub fn load(inputs: &[Given], choices: &Choices, progress: &mut dyn FnMut(u64, u64)) -> Corpus {
    let mut corpus = Corpus::default();
    let mut unpacker = Unpacker::default();
    for given in inputs {
        open(given, choices, &mut unpacker, &mut corpus);
    }
    let detections: Vec<Option<Detection>> =
        corpus.files.iter_mut().map(|file| detect::detect(file, format_of(inputs, file, choices))).collect();
    let companions = companions(&corpus.files, &detections);
    let mut is_text = vec![false; corpus.files.len()];
    companions.iter().flatten().for_each(|&text| is_text[text as usize] = true);
    let folder = common_folder(&corpus.files, &detections);
    list_mixed_sides(&mut corpus, &detections);
    let total = corpus.files.iter().map(|file| file.source.len()).sum();
    let mut done = 0;
    for (at, detection) in detections.iter().enumerate() {
        let file = at as u32;
        let size = corpus.files[at].source.len();
        match detection {
            _ if is_text[at] => {}
            Some(Detection::Format(format)) => {
                corpus.files[at].format = Some(format.name);
                corpus.files[at].unit = format.unit;
                let path = corpus.files[at].path.clone();
                // A file of another format may lie outside the folder that the others share.
                let id = stem(path.get(folder..).unwrap_or(&path));
                let same = |other: &&Option<Detection>| matches!(other, Some(Detection::Format(f)) if f.name == format.name);
                let reading = Reading {
                    corpus: &mut corpus,
                    file,
                    text: companions[at],
                    id,
                    role: choices.role,
                    alone: detections.iter().filter(same).count() == 1,
                    reference: choices.placing.llm == Llm::Reference,
                    chunk: choices.chunk,
                    progress: &mut |bytes| progress(done + bytes, total),
                };
                if let Err(error) = (format.read)(reading) {
                    let expected = "a file that can be read to its end";
                    corpus.problems.add(Kind::UnreadableFile, Place::at(file, 0), error.0, expected);
                }
            }
            Some(Detection::Nothing(kind, found, expected)) => {
                corpus.problems.add(*kind, Place::at(file, 0), found.clone(), expected.clone());
            }
            None => {}
        }
        done += size;
        progress(done, total);
    }
    corpus.finish();
    corpus
}

/// Lists the files that say predictions beside ones that say gold.
fn list_mixed_sides(corpus: &mut Corpus, detections: &[Option<Detection>]) {
    let read = corpus.files.iter().zip(detections).enumerate();
    let read = read.filter(|(_, (_, detection))| matches!(detection, Some(Detection::Format(_))));
    for file in detect::mixed_sides(read.map(|(at, (file, _))| (at as u32, file.path.as_str()))) {
        let found = "a name that says predictions, beside the same name that says gold";
        let expected = "gold in one place and each system in its own";
        corpus.problems.add(Kind::SidesMixed, Place::at(file, 0), found, expected);
    }
}

/// The format chosen for a file.
fn format_of<'c>(inputs: &'c [Given], file: &File, choices: &'c Choices) -> &'c str {
    let given = inputs.iter().find(|given| given.input == file.input);
    given.and_then(|given| given.format.as_deref()).unwrap_or(&choices.format)
}

/// Adds the file, or the files of the archive, to the corpus.
fn open(given: &Given, choices: &Choices, unpacker: &mut Unpacker, corpus: &mut Corpus) {
    for Unpacked { path, content } in unpacker.unpack(&given.path, &given.source) {
        let inside = path.len() > given.path.len();
        if inside && detect::is_hidden(&path[given.path.len()..]) {
            let found = "a file that the archive program keeps for itself";
            corpus.problems.add(Kind::ToolFile, Place::default(), found, "");
            continue;
        }
        let number = corpus.files.len() as u32;
        let mut problem = |kind, found: String, expected: &str| {
            corpus.problems.add(kind, Place::at(number, 0), found, expected);
        };
        let source = match content {
            Content::File(source) => Some(source),
            Content::Cut(source, why) => {
                let found = format!(
                    "the archive cannot be unpacked to its end ({why}); {} bytes are read",
                    source.len()
                );
                problem(Kind::CutArchive, found, "a whole archive");
                Some(source)
            }
            Content::Foreign(what, advice) => {
                problem(Kind::UnknownFormat, format!("looks like {what}"), advice);
                None
            }
            Content::Unreadable(why) => {
                problem(Kind::UnreadableFile, why, "a file that can be read");
                None
            }
        };
        let source = source.filter(|source| match detect::foreign(&**source) {
            Ok(None) => true,
            Ok(Some((what, advice))) => {
                problem(Kind::UnknownFormat, format!("looks like {what}"), advice);
                false
            }
            Err(error) => {
                problem(Kind::UnreadableFile, error.0, "a file that can be read");
                false
            }
        });
        let path = if path.is_empty() { given.path.clone() } else { path };
        add(corpus, given, path, source, choices);
    }
}

/// Adds a file to the corpus; one of no use (listed already) stays without content.
fn add(corpus: &mut Corpus, given: &Given, path: String, source: Option<SharedSource>, choices: &Choices) {
    let mut encoding = given.encoding.as_deref().unwrap_or(&choices.encoding);
    // Chosen for all files, a code page is meant for those that are no UTF-8.
    let for_all = given.encoding.is_none() && encoding == "windows-1252";
    if for_all && source.as_ref().is_some_and(|source| decode::is_utf8(&**source)) {
        encoding = "utf-8";
    }
    let number = corpus.files.len() as u32;
    let decoded = source.and_then(|source| match decode::decode(source, encoding) {
        Ok(decoded) => Some(decoded),
        Err(error) => {
            let place = Place::at(number, 0);
            corpus.problems.add(Kind::UnreadableFile, place, error.0, "a file that can be read");
            None
        }
    });
    let (source, decoding) = decoded.unwrap_or_else(|| {
        let nothing = decode::Decoding { encoding: "", byte_order_mark: false, malformed: 0 };
        (std::rc::Rc::new(source::Bytes(Vec::new())) as SharedSource, nothing)
    });
    if decoding.malformed > 0 {
        let found = format!("{} code units that stand for no character; read as U+FFFD", decoding.malformed);
        corpus.problems.add(Kind::BadEncoding, Place::at(number, 0), found, decoding.encoding);
    }
    corpus.files.push(File {
        input: given.input,
        path,
        source,
        decoding,
        format: None,
        reason: String::new(),
        unit: Unit::CodePoint,
        both_sides: false,
        sentences: false,
        tagging: None,
        wanted: given.wanted,
        offsets: None,
    });
}

/// For every file of a two-file format, the file that holds the text: the one beside it, or else the only one of
/// that name (i2b2 has `concept/x.con` and `txt/x.txt`).
fn companions(files: &[File], detections: &[Option<Detection>]) -> Vec<Option<u32>> {
    let mut by_path: rustc_hash::FxHashMap<String, u32> = rustc_hash::FxHashMap::default();
    let mut by_name: rustc_hash::FxHashMap<String, Option<u32>> = rustc_hash::FxHashMap::default();
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    for (at, file) in files.iter().enumerate() {
        let path = format!("{}.{}", stem(&file.path), extension(&file.path).to_lowercase());
        by_name.entry(name(&path)).and_modify(|only| *only = None).or_insert(Some(at as u32));
        by_path.entry(path).or_insert(at as u32);
    }
    files
        .iter()
        .zip(detections)
        .enumerate()
        .map(|(at, (file, detection))| {
            let Some(Detection::Format(format)) = detection else {
                return None;
            };
            let text = format!("{}.{}", stem(&file.path), format.companion?);
            let found = by_path.get(text.as_str()).copied();
            let found = found.or_else(|| by_name.get(name(&text).as_str()).copied().flatten());
            found.filter(|&text| text as usize != at)
        })
        .collect()
}

/// Length of the folder path that all files that are documents share; ids start behind it.
fn common_folder(files: &[File], detections: &[Option<Detection>]) -> usize {
    let mut shared: Option<&str> = None;
    for (file, detection) in files.iter().zip(detections) {
        let Some(Detection::Format(format)) = detection else {
            continue;
        };
        if !format.file_is_document {
            continue;
        }
        let folder = &file.path[..file.path.rfind('/').map_or(0, |at| at + 1)];
        shared = Some(match shared {
            None => folder,
            Some(shared) => {
                let same = shared.bytes().zip(folder.bytes()).take_while(|(a, b)| a == b).count();
                let cut = shared.as_bytes()[..same].iter().rposition(|&b| b == b'/').map_or(0, |at| at + 1);
                &shared[..cut]
            }
        });
    }
    shared.map_or(0, str::len)
}

/// First start to last end of fragments.
pub fn envelope(fragments: &[(i64, i64)]) -> (i64, i64) {
    (fragments.iter().map(|f| f.0).min().unwrap_or(0), fragments.iter().map(|f| f.1).max().unwrap_or(0))
}

/// A path without its extension.
pub fn stem(path: &str) -> &str {
    match path.rfind('.') {
        Some(dot) if dot > path.rfind('/').map_or(0, |slash| slash + 1) => &path[..dot],
        _ => path,
    }
}

/// A path's extension, lower case is not assumed.
pub fn extension(path: &str) -> &str {
    path.get(stem(path).len() + 1..).unwrap_or("")
}
