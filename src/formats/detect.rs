//! Which format a file is in, by its content. The name decides only where content cannot: an empty file.

use super::{FORMATS, Format, extension};
use crate::corpus::File;
use crate::corpus::problems::Kind;

/// What a file is.
pub enum Detection {
    /// A format that is read.
    Format(&'static Format),
    /// Nothing to read: the kind of problem, what was found, what was expected.
    Nothing(Kind, String, String),
}

/// Bytes looked at.
const HEAD: u64 = 1 << 16;

/// Formats that people drop and that are not read (yet), by their first characters.
static LOOKALIKES: &[(&str, &str)] = &[
    ("PAR1", "a Parquet file; export it as JSON Lines"),
    ("ARROW1", "an Arrow file; export it as JSON Lines"),
    ("\u{1f}", "a gzip archive; unpack it first"),
    ("%PDF", "a PDF"),
    ("#FORMAT=WebAnno", "WebAnno TSV of a version before 3; export it as WebAnno TSV 3"),
    ("<?xml", "XML of a kind that is not read"),
    ("<!DOCTYPE", "XML or HTML of a kind that is not read"),
    ("<", "XML or HTML of a kind that is not read"),
];

/// Decides what a file is; none where it could not be opened (listed already). Notes the reason.
pub fn detect(file: &mut File, wanted: &str) -> Option<Detection> {
    if file.decoding.encoding.is_empty() {
        return None;
    }
    let size = file.source.len();
    let mut head = vec![0; usize::try_from(size.min(HEAD)).unwrap_or(0)];
    if let Err(error) = file.source.read(0, &mut head) {
        return Some(Detection::Nothing(Kind::UnreadableFile, error.0, "a file that can be read".into()));
    }
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
    match by_extension() {
        Some(format) => (Some(format), "by its extension; the content is not clear".into()),
        None => (None, String::new()),
    }
}

fn not_read(path: &str, head: &str) -> Detection {
    let nothing = |kind, found: &str, expected: &str| Detection::Nothing(kind, found.into(), expected.into());
    let expected = "JSON records, brat .ann (with .txt), PubTator, BioC, i2b2 XML or .con (with .txt)";
    if is_tool_file(path) {
        return nothing(Kind::ToolFile, "a configuration or statistics file", "");
    }
    if head.trim().is_empty() {
        return nothing(Kind::EmptyFile, "nothing but white space", expected);
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

/// Files that annotation tools leave beside the data.
fn is_tool_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(extension(name), "conf" | "stats_cache")
        || name.starts_with('.')
        || super::uima::is_type_system(name)
        || name == "exportedproject.json"
        || ["license", "readme"].iter().any(|n| super::stem(name).eq_ignore_ascii_case(n))
}

/// Entries that archive programs add for themselves.
pub fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| part == "__MACOSX" || part == ".DS_Store" || part.starts_with("._"))
}
