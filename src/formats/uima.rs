//! What WebAnno and INCEpTION exports and UIMA CAS files share: which layers hold entities, which feature is
//! the label, and whose annotations a file holds.

use super::{Reading, extension, stem};
use crate::corpus::problems::Kind;

/// Parts of type names that stand for text structure and linguistics; none of them holds entities.
static STRUCTURE: &[&str] = &[
    "uima.cas.",
    "uima.tcas.",
    "uima.examples.",
    ".segmentation.type.",
    ".lexmorph.type.",
    ".syntax.type.",
    ".metadata.type.",
    ".transform.type.",
    ".anomaly.type.",
    ".coref.type.",
    ".typesystem.type.syntax.",
    ".typesystem.type.textspan.",
    ".typesystem.type.structured.",
    ".typesystem.type.refsem.",
];

/// Likewise by short name, in whatever package.
static STRUCTURE_NAMES: &[&str] = &[
    "Sofa",
    "View",
    "NULL",
    "Annotation",
    "DocumentAnnotation",
    "DocumentMetaData",
    "SourceDocumentInformation",
    "TagsetDescription",
    "TagDescription",
    "CASMetadata",
    "Token",
    "Sentence",
    "Paragraph",
    "Segment",
    "Lemma",
    "Stem",
    "POS",
];

/// Features that name what a span is, the best first.
static LABELS: &[&str] =
    &["value", "label", "type", "kind", "category", "class", "entitytype", "entity", "tag"];

/// Features that hold concept ids.
static CONCEPTS: &[&str] = &["identifier", "cui", "code", "conceptid", "concept_id", "concept", "uri", "iri"];

/// Features that say something about a span, but not what it is; some are free text.
static ATTRIBUTES: &[&str] = &[
    "polarity",
    "uncertainty",
    "subject",
    "conditional",
    "generic",
    "historyof",
    "confidence",
    "certainty",
    "score",
    "negated",
    "negation",
    "id",
    "segment",
    "segmentid",
    "sentenceid",
    "discoverytechnique",
    "comment",
    "comments",
    "note",
    "notes",
    "remark",
    "description",
    "order",
];

/// The last part of a type's name.
pub(super) fn short(name: &str) -> &str {
    name.rsplit(['.', ':']).next().unwrap_or(name)
}

/// Whether a type (with its package) is text structure or linguistics.
pub(super) fn is_structure(name: &str) -> bool {
    STRUCTURE.iter().any(|part| name.contains(part)) || STRUCTURE_NAMES.contains(&short(name))
}

/// Whether every text has annotations of this type, so that nobody needs to hear of it.
pub(super) fn is_scaffold(name: &str) -> bool {
    ["Token", "Sentence", "Paragraph", "Segment"].iter().any(|end| short(name).ends_with(end))
        || [".metadata.", "uima.", ".syntax.", ".structured.", ".refsem."]
            .iter()
            .any(|part| name.contains(part))
}

/// Whether a feature holds concept ids.
pub(super) fn is_concept(feature: &str) -> bool {
    CONCEPTS.contains(&feature.to_ascii_lowercase().as_str())
}

/// Whether a value names something: it is neither a truth value nor numbers, which may be references.
fn is_name(value: &str) -> bool {
    let number = |word: &str| word.parse::<f64>().is_ok();
    !value.split_whitespace().all(number) && !matches!(value, "true" | "false")
}

/// The feature of a layer that is the label, as an index: one that is called so, or the first one that holds
/// names. `used` says of a feature and a test whether the layer has such a value.
pub(super) fn label_feature(
    features: &[impl AsRef<str>],
    used: impl Fn(usize, fn(&str) -> bool) -> bool,
) -> Option<usize> {
    let lower: Vec<String> = features.iter().map(|name| name.as_ref().to_ascii_lowercase()).collect();
    let named = LABELS.iter().find_map(|label| lower.iter().position(|name| name == label));
    if let Some(named) = named.filter(|&at| used(at, |value| !value.is_empty())) {
        return Some(named);
    }
    let other = |name: &String| !CONCEPTS.contains(&name.as_str()) && !ATTRIBUTES.contains(&name.as_str());
    (0..lower.len()).find(|&at| other(&lower[at]) && used(at, is_name)).or(named)
}

/// A layer, for the list of layers.
pub(super) struct Layer {
    /// Its short name.
    pub name: String,
    /// The feature that was read as the label.
    pub label: Option<String>,
    /// Annotations.
    pub count: u64,
    /// Whether its annotations became spans.
    pub read: bool,
}

/// Lists a file's layers where there is anything to choose or to know.
pub(super) fn list_layers(reading: &mut Reading<'_>, id: &str, layers: &[Layer]) {
    let (read, not): (Vec<&Layer>, Vec<&Layer>) =
        layers.iter().filter(|layer| layer.count > 0).partition(|layer| layer.read);
    if read.len() < 2 && not.is_empty() {
        return;
    }
    let words = |layer: &&Layer| {
        let label = layer.label.as_ref().map(|label| format!(" (label: {label})")).unwrap_or_default();
        format!("{} {}{label}", layer.count, layer.name)
    };
    let list = |layers: &[&Layer]| layers.iter().map(words).collect::<Vec<_>>().join(", ");
    let mut found = if read.is_empty() { "none of spans".to_owned() } else { list(&read) };
    if !not.is_empty() {
        found.push_str("; not read: ");
        found.push_str(&list(&not));
    }
    let place = reading.at(0).of(id);
    reading.corpus.problems.add(Kind::Layers, place, found, "one layer; choose labels to score fewer");
}

/// Names of files that an INCEpTION project keeps beside those of annotators.
const CURATED: &str = "CURATION_USER";
const INITIAL: &str = "INITIAL_CAS";

/// For `…/<document>/<annotator>.xmi`: the path of the document, its id, and the annotator. INCEpTION and
/// WebAnno export a folder a document, named as the document was.
fn annotator_of(path: &str) -> Option<(&str, &str, &str)> {
    let (folder, name) = path.rsplit_once('/')?;
    let annotator = stem(name);
    // In a project's export each annotator's file lies in an archive of its own.
    let folder = match folder.rsplit_once('/') {
        Some((above, archive)) if extension(archive).eq_ignore_ascii_case("zip") => above,
        _ => folder,
    };
    let (above, document) = folder.rsplit_once('/').unwrap_or(("", folder));
    let kept = matches!(above.rsplit('/').next(), Some("annotation" | "curation"));
    let ending = extension(document).to_ascii_lowercase();
    let is_document = matches!(
        ending.as_str(),
        "txt" | "pdf" | "html" | "htm" | "xml" | "xmi" | "json" | "tsv" | "csv" | "conll" | "ann"
    );
    let of_project = matches!(annotator, CURATED | INITIAL) && ending != "zip";
    if !(kept || is_document || of_project) || document.is_empty() {
        return None;
    }
    Some((folder, stem(document), annotator))
}

/// Which document a file is of.
pub(super) enum Turn {
    /// This one, by its path.
    Document(String),
    /// Another annotator's file of the same document is read.
    Another,
}

/// The document of a file that is one document. Of several annotators' files of one document the curated one
/// is kept, or the first; the others are listed.
pub(super) fn turn(reading: &mut Reading<'_>) -> Turn {
    let files = &reading.corpus.files;
    let path = files[reading.file as usize].path.clone();
    let Some((folder, id, _)) = annotator_of(&path) else {
        return Turn::Document(reading.id.to_owned());
    };
    // The same document may lie under `annotation` and under `curation`.
    let project = |folder: &str| -> String {
        let (above, document) = folder.rsplit_once('/').unwrap_or(("", folder));
        let above = match above.rsplit_once('/') {
            Some((above, "annotation" | "curation")) => above,
            None if matches!(above, "annotation" | "curation") => "",
            _ => above,
        };
        format!("{above}/{document}")
    };
    let same_kind = extension(&path).to_ascii_lowercase();
    let own = project(folder);
    let mut first: Option<&str> = None;
    let mut others = 0;
    for file in files {
        let Some((folder, _, annotator)) = annotator_of(&file.path) else { continue };
        if project(folder) != own || !extension(&file.path).eq_ignore_ascii_case(&same_kind) {
            continue;
        }
        others += 1;
        let rank = |annotator: &str| match annotator {
            CURATED => 0,
            INITIAL => 2,
            _ => 1,
        };
        if first
            .is_none_or(|first| annotator_of(first).is_some_and(|(_, _, kept)| rank(annotator) < rank(kept)))
        {
            first = Some(&file.path);
        }
    }
    if first == Some(path.as_str()) {
        return Turn::Document(id.to_owned());
    }
    // Annotators are people: they are not named.
    let found = format!("one of {others} annotators' files of this document");
    let expected = match first.and_then(annotator_of) {
        Some((_, _, CURATED)) => "the curated file only",
        _ => "the first file only; choose another by giving it alone",
    };
    let place = reading.at(0).of(id);
    reading.corpus.problems.add(Kind::OtherAnnotator, place, found, expected);
    Turn::Another
}

/// Whether a file's path says nothing of its document: it has the name of a user and lies alone in a folder,
/// beside the description of its types.
pub(super) fn path_is_silent(reading: &Reading<'_>) -> bool {
    let files = &reading.corpus.files;
    let path = &files[reading.file as usize].path;
    if annotator_of(path).is_some_and(|(_, document, _)| !document.is_empty()) {
        return false;
    }
    if matches!(stem(path.rsplit('/').next().unwrap_or(path)), CURATED | INITIAL | "") {
        return true;
    }
    let folder = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_owned()).unwrap_or_default();
    let own = folder(path);
    let ending = extension(path);
    let mut described = false;
    for file in files.iter().filter(|file| file.path != *path && folder(&file.path) == own) {
        if is_type_system(&file.path) {
            described = true;
        } else if extension(&file.path).eq_ignore_ascii_case(ending) {
            return false;
        }
    }
    described
}

/// Whether a file describes types only.
pub(super) fn is_type_system(path: &str) -> bool {
    path.rsplit('/').next().unwrap_or(path).eq_ignore_ascii_case("TypeSystem.xml")
}
