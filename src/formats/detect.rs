//! Which format a file is in, by its content. The name decides only where content cannot: an empty file.

use super::{FORMATS, Format, extension};
use crate::corpus::File;
use crate::corpus::problems::Kind;
use crate::source::{Source, SourceError};

/// What a file is.
pub enum Detection {
    /// A format that is read.
    Format(&'static Format),
    /// Nothing to read: the kind of problem, what was found, what was expected.
    Nothing(Kind, String, String),
}

/// Bytes looked at.
const HEAD: u64 = 1 << 16;
/// Bytes looked at where lines are long.
const LONG_HEAD: u64 = 1 << 20;

/// Formats that people drop and that are not read (yet), by their first characters.
static LOOKALIKES: &[(&str, &str)] = &[
    ("#FORMAT=WebAnno", "WebAnno TSV of a version before 3; export it as WebAnno TSV 3"),
    ("<?xml", "XML of a kind that is not read"),
    ("<!DOCTYPE", "XML or HTML of a kind that is not read"),
    ("<", "XML or HTML of a kind that is not read"),
];

/// What to do with tables that Python wrote.
const PANDAS: &str =
    r#"JSON Lines; in pandas or datasets: df.to_json("x.jsonl", orient="records", lines=True)"#;
const AS_TEXT: &str = "the annotations as JSON Lines, CSV or brat; save a text as plain text";
const AS_CSV: &str = "the sheet saved as CSV (UTF-8)";
const UNPACKED: &str = "its files, or a zip of them; unpack it first";
const NO_DATA: &str = "annotations; leave it out";

/// Files that hold bytes and no text, by what they begin with (offset, bytes, what it is, what to give instead).
static MAGIC: &[(usize, &[u8], &str, &str)] = &[
    (0, b"PAR1\x15", "a Parquet file", PANDAS),
    (0, b"ARROW1\0\0", "an Arrow (Feather) file", PANDAS),
    (0, b"\xFF\xFF\xFF\xFF", "an Arrow stream (datasets' save_to_disk)", PANDAS),
    (0, b"Obj\x01", "an Avro file", PANDAS),
    (0, b"\x89HDF\r\n\x1A\n", "an HDF5 file", PANDAS),
    (0, b"\x93NUMPY", "a NumPy array", PANDAS),
    (0, b"\x80\x02", "a Python pickle", PANDAS),
    (0, b"\x80\x03", "a Python pickle", PANDAS),
    (0, b"\x80\x04\x95", "a Python pickle", PANDAS),
    (0, b"\x80\x05\x95", "a Python pickle", PANDAS),
    (0, b"SQLite format 3\0", "an SQLite database", "the table exported as CSV or JSON Lines"),
    (0, b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "an old Excel or Word file", AS_CSV),
    (0, b"%PDF-", "a PDF", AS_TEXT),
    (0, b"{\\rtf", "an RTF document", AS_TEXT),
    (0, b"\x89PNG\r\n\x1A\n", "an image (PNG)", NO_DATA),
    (0, b"\xFF\xD8\xFF", "an image (JPEG)", NO_DATA),
    (0, b"GIF87a", "an image (GIF)", NO_DATA),
    (0, b"GIF89a", "an image (GIF)", NO_DATA),
    (0, b"II*\0", "an image (TIFF)", NO_DATA),
    (0, b"MM\0*", "an image (TIFF)", NO_DATA),
    (8, b"WEBPVP8", "an image (WebP)", NO_DATA),
    (0, b"7z\xBC\xAF\x27\x1C", "a 7z archive", UNPACKED),
    (0, b"Rar!\x1A\x07", "a RAR archive", UNPACKED),
    (0, b"\xFD7zXZ\0", "an xz archive", UNPACKED),
    (0, b"\x28\xB5\x2F\xFD", "a zstd archive", UNPACKED),
    (4, b"1AY&SY", "a bzip2 archive", UNPACKED),
    (0, b"\x1F\x9D", "a compress (.Z) archive", UNPACKED),
    (0, b"\x1F\x8B", "a gzip archive with another method than deflate", UNPACKED),
    (257, b"ustar\0", "a tar archive", UNPACKED),
    (257, b"ustar  ", "a tar archive", UNPACKED),
    (0, b"PK\x03\x04", "a zip archive that is cut off", "the whole archive"),
    (0, b"PK\x07\x08", "one part of a split zip archive", "the whole archive as one zip"),
    (0, b"\x7FELF", "a program", NO_DATA),
    (0, b"GGUF\x03\0", "a language model's weights", NO_DATA),
];

/// What a file that holds no text is, and what to give instead; none for a text.
///
/// # Errors
/// When it cannot be read.
pub fn foreign(source: &dyn Source) -> Result<Option<(&'static str, &'static str)>, SourceError> {
    let head = crate::source::read_range(source, 0, source.len().min(512))?;
    let begins =
        |(at, bytes, ..): &&(usize, &[u8], &str, &str)| head.get(*at..).is_some_and(|h| h.starts_with(bytes));
    Ok(MAGIC.iter().find(begins).map(|&(_, _, what, advice)| (what, advice)))
}

/// A test of a text's beginning, what such a text is, and what to give instead.
type Stranger = (fn(&str) -> bool, &'static str, &'static str);

/// JSON that holds no records, which the formats would take.
static JSON_STRANGERS: &[Stranger] = &[
    (
        |head| {
            head.starts_with('{')
                && head.contains("\"cells\"")
                && (head.contains("\"cell_type\"") || head.contains("\"nbformat\""))
        },
        "a Jupyter notebook",
        "the data that it writes",
    ),
    (
        |head| head.starts_with('{') && head.contains("\"_data_files\"") && head.contains("\"_fingerprint\""),
        "the state of a datasets folder",
        PANDAS,
    ),
];

/// Texts that no format took.
static TEXT_STRANGERS: &[Stranger] = &[
    (
        |head| begins_folded(head, "<!doctype html") || begins_folded(head, "<html"),
        "an HTML page",
        "the data behind it: use the page's download or raw link, not \"save page\"",
    ),
    (
        |head| head.starts_with("version https://git-lfs"),
        "a Git LFS pointer",
        "the file itself; run git lfs pull",
    ),
    (|head| head.starts_with("(dp") || head.starts_with("(lp"), "a Python pickle", PANDAS),
];

/// Whether a text begins so, in either case.
fn begins_folded(text: &str, with: &str) -> bool {
    text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with))
}

/// The first stranger of a table that a text is.
fn stranger(table: &[Stranger], head: &str) -> Option<(&'static str, &'static str)> {
    let head = head.trim_start();
    table.iter().find(|(test, ..)| test(head)).map(|&(_, what, advice)| (what, advice))
}

/// Decides what a file is; none where it could not be opened (listed already). Notes the reason.
pub fn detect(file: &mut File, wanted: &str) -> Option<Detection> {
    if file.decoding.encoding.is_empty() {
        return None;
    }
    let size = file.source.len();
    let head = match crate::source::read_range(&*file.source, 0, size.min(HEAD)) {
        // A first record may be longer than what is usually looked at.
        Ok(head) if memchr::memrchr(b'\n', &head).is_none_or(|end| (end as u64) < HEAD / 2) => {
            crate::source::read_range(&*file.source, 0, size.min(LONG_HEAD))
        }
        head => head,
    };
    let head = match head {
        Ok(head) => head,
        Err(error) => {
            let expected = "a file that can be read".into();
            return Some(Detection::Nothing(Kind::UnreadableFile, error.0, expected));
        }
    };
    let text = String::from_utf8_lossy(&head);
    let text = text.trim_start_matches('\u{FEFF}');
    let (format, reason) = choose(&file.path, text, wanted);
    file.reason = reason;
    if let Some(format) = format {
        return Some(Detection::Format(format));
    }
    Some(not_read(&file.path, text))
}

fn choose(path: &str, head: &str, wanted: &str) -> (Option<&'static Format>, String) {
    let by_extension = || {
        FORMATS.iter().copied().find(|f| f.extension.is_some_and(|e| extension(path).eq_ignore_ascii_case(e)))
    };
    // The label maps beside predictions are no predictions, whatever format these have.
    if let Some((_, why)) = (super::config::FORMAT.sniff)(head).filter(|_| wanted != "auto") {
        return (Some(&super::config::FORMAT), why);
    }
    if wanted != "auto" {
        let chosen = FORMATS.iter().copied().find(|f| f.name == wanted);
        // The companion of a chosen two-file format is text, not another file of that format.
        let companion = chosen.and_then(|f| f.companion);
        if companion.is_some_and(|e| extension(path).eq_ignore_ascii_case(e)) || is_tool_file(path) {
            return (None, String::new());
        }
        return (chosen, "chosen".into());
    }
    if is_tool_file(path) {
        return (None, String::new());
    }
    if head.trim().is_empty() {
        return (by_extension(), "empty; by its extension".into());
    }
    if stranger(JSON_STRANGERS, head).is_some() {
        return (None, String::new());
    }
    let mut best: Option<(u8, &'static Format, String)> = None;
    for format in FORMATS {
        if let Some((sure, why)) = (format.sniff)(head)
            && best.as_ref().is_none_or(|(most, ..)| sure > *most)
        {
            best = Some((sure, format, why));
        }
    }
    if let Some((sure, format, why)) = best {
        return (Some(format), format!("{why} ({sure} % sure)"));
    }
    // A page of a web site is no reply.
    match by_extension().filter(|_| stranger(TEXT_STRANGERS, head).is_none()) {
        Some(format) => (Some(format), "by its extension; the content is not clear".into()),
        None => (None, String::new()),
    }
}

fn not_read(path: &str, head: &str) -> Detection {
    let nothing = |kind, found: &str, expected: &str| Detection::Nothing(kind, found.into(), expected.into());
    let titles: Vec<&str> = FORMATS.iter().map(|format| format.title).collect();
    let expected = &format!("annotations in a format that is read: {}", titles.join(", "));
    if is_tool_file(path) {
        return nothing(Kind::ToolFile, "a file of a tool, or about the data", "");
    }
    if head.trim().is_empty() {
        return nothing(Kind::EmptyFile, "nothing but white space", expected);
    }
    if let Some((what, advice)) = stranger(JSON_STRANGERS, head).or_else(|| stranger(TEXT_STRANGERS, head)) {
        return nothing(Kind::UnknownFormat, &format!("looks like {what}"), advice);
    }
    let start = head.trim_start();
    if let Some((_, what)) = LOOKALIKES.iter().find(|(magic, _)| start.starts_with(magic)) {
        return nothing(Kind::UnknownFormat, &format!("looks like {what}"), expected);
    }
    if head.contains('\0') {
        return nothing(Kind::UnknownFormat, "binary data", expected);
    }
    if extension(path).eq_ignore_ascii_case("txt") {
        return nothing(
            Kind::NotAnnotated,
            "a text without an .ann file beside it",
            "an .ann file of that name",
        );
    }
    nothing(Kind::UnknownFormat, "a text of no format that is read", expected)
}

/// Files that say something about the data, by their name without extension.
static ABOUT: &[&str] = &[
    "license",
    "licence",
    "copying",
    "notice",
    "readme",
    "changelog",
    "citation",
    "authors",
    "contributing",
    "requirements",
    "dataset_info",
    "dataset_infos",
    "dataset_dict",
];

/// Files that annotation tools leave beside the data, and those about it.
fn is_tool_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(extension(name), "conf" | "stats_cache" | "gitattributes" | "lock")
        || name.starts_with('.')
        || matches!(name, "Thumbs.db" | "desktop.ini")
        || super::uima::is_type_system(name)
        || name == "exportedproject.json"
        || ABOUT.iter().any(|about| super::stem(name).eq_ignore_ascii_case(about))
}

/// Words of file and folder names that say which side the files are of.
static SIDES: [&[&str]; 2] = [
    &["gold", "golden", "goldstandard", "reference", "truth", "groundtruth"],
    &["pred", "preds", "prediction", "predictions", "predicted", "system", "systems", "output", "outputs"],
];

/// Files given as one side whose names differ in no more than gold's word for predictions' word: the places of
/// those that say predictions.
pub fn mixed_sides<'p>(paths: impl Iterator<Item = (u32, &'p str)>) -> Vec<u32> {
    // Per path with its side's word taken out: whether gold was seen, and which files say predictions.
    let mut seen: std::collections::BTreeMap<String, (bool, Vec<u32>)> = std::collections::BTreeMap::new();
    for (file, path) in paths {
        let mut rest = String::with_capacity(path.len());
        let mut side = None;
        for word in super::stem(path).split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
            let bare = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()).to_ascii_lowercase();
            match SIDES.iter().position(|words| words.contains(&bare.as_str())) {
                Some(found) if side.is_none() => {
                    side = Some(found);
                    rest.push('\0');
                    rest.push_str(&word[bare.len()..]);
                }
                _ => rest.push_str(word),
            }
        }
        match side {
            Some(0) => seen.entry(rest).or_default().0 = true,
            Some(_) => seen.entry(rest).or_default().1.push(file),
            None => {}
        }
    }
    seen.into_values().filter(|(gold, _)| *gold).flat_map(|(_, files)| files).collect()
}

/// Entries that archive programs add for themselves.
pub fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| part == "__MACOSX" || part == ".DS_Store" || part.starts_with("._"))
}
