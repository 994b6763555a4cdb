//! What dropped paths say: `SYSTEM/DATASET/file`, `gold/DATASET/file`, the corpora's own file names. Only paths
//! are looked at, and nothing is said that they do not say.

use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What one path says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Arranged {
    /// `gold`, `prediction`, `config` (a system's label maps), `tokenizer` or `results`.
    pub role: Option<&'static str>,
    /// Name of the system.
    pub system: Option<String>,
    /// The benchmark's dataset, such as `NCBI`.
    pub dataset: Option<&'static str>,
}

/// Names of a dataset: words in lower case, put together.
static NAMES: &[(&str, &[&str])] = &[
    ("NCBI", &["ncbi", "ncbidisease"]),
    ("CHIA", &["chia"]),
    ("BIORED", &["biored"]),
    ("BC5CDR", &["bc5cdr"]),
    ("BC2GM", &["bc2gm"]),
    ("BC4CHEMD", &["bc4chemd", "chemdner"]),
    ("JNLPBA", &["jnlpba"]),
];

/// Words of names that say gold, or predictions.
static GOLD: &[&str] = &["gold", "golden", "goldstandard", "reference", "truth", "groundtruth"];
static PREDICTION: &[&str] =
    &["pred", "preds", "prediction", "predictions", "predicted", "system", "systems", "output", "outputs"];

/// Words that name no system.
static PLAIN: &[&str] = &[
    "annotation",
    "annotations",
    "ann",
    "benchmark",
    "bioc",
    "brat",
    "clinscore",
    "config",
    "configs",
    "conll",
    "corpora",
    "corpus",
    "data",
    "dataset",
    "datasets",
    "disease",
    "eval",
    "file",
    "files",
    "inference",
    "input",
    "inputs",
    "model",
    "models",
    "ncer",
    "ner",
    "out",
    "pubtator",
    "report",
    "reports",
    "result",
    "results",
    "run",
    "runs",
    "scope",
    "set",
    "split",
    "splits",
    "test",
    "testset",
    "txt",
    "with",
    "without",
];

/// One path, taken apart.
struct Path<'p> {
    folders: Vec<&'p str>,
    /// The file's name.
    file: &'p str,
    /// Its name without its extension.
    stem: &'p str,
}

impl<'p> Path<'p> {
    fn new(path: &'p str) -> Self {
        let parts = path.split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | ".."));
        let mut folders: Vec<&str> = parts.collect();
        let file = folders.pop().unwrap_or(path);
        Path { folders, file, stem: file.rsplit_once('.').map_or(file, |(stem, _)| stem) }
    }

    /// The path of its first folders.
    fn prefix(&self, folders: usize) -> String {
        self.folders[..folders].join("/")
    }

    fn prefixes(&self, folders: usize) -> impl Iterator<Item = String> {
        (1..=folders).map(|folders| self.prefix(folders))
    }

    fn has_extension(&self, any: &[&str]) -> bool {
        self.file.rsplit_once('.').is_some_and(|(_, of)| any.contains(&of.to_lowercase().as_str()))
    }
}

/// Words in lower case and where they stand: `BC5-CDR_test` is `bc5`, `cdr`, `test`.
fn words(name: &str) -> Vec<(String, Range<usize>)> {
    let mut at = 0;
    let mut words = Vec::new();
    for word in name.split(|c: char| !c.is_alphanumeric()) {
        let start = name[at..].find(word).map_or(at, |found| at + found);
        at = start + word.len();
        if !word.is_empty() {
            words.push((word.to_lowercase(), start..at));
        }
    }
    words
}

fn is(word: &str, of: &[&[&str]]) -> bool {
    of.iter().any(|list| list.contains(&word))
}

/// Whether a word names no system.
fn plain(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_digit()) || is(word, &[GOLD, PREDICTION, PLAIN])
}

/// The dataset that words name, and which words: of their own, never a part of one.
fn named(words: &[(String, Range<usize>)]) -> Option<(&'static str, Range<usize>)> {
    // "ncbi-disease" before "ncbi".
    for length in [3, 2, 1] {
        for (at, some) in words.windows(length).enumerate() {
            let together: String = some.iter().map(|(word, _)| word.as_str()).collect();
            if let Some((dataset, _)) = NAMES.iter().find(|(_, names)| names.contains(&together.as_str())) {
                return Some((dataset, at..at + length));
            }
        }
    }
    None
}

/// The dataset that a name says, and nothing else.
fn exact(name: &str) -> Option<&'static str> {
    let words = words(name);
    let (dataset, place) = named(&words)?;
    let others = words.iter().enumerate().filter(|(at, _)| !place.contains(at));
    others.into_iter().all(|(_, (word, _))| plain(word)).then_some(dataset)
}

/// What a name says beside the dataset and the side: `gliner-v2` of `gliner-v2_NCBI_predictions`.
fn rest(name: &str) -> Option<String> {
    let words = words(name);
    let place = named(&words).map_or(0..0, |(_, place)| place);
    let kept = |at: &usize| !place.contains(at) && !is(&words[*at].0, &[GOLD, PREDICTION]);
    let kept: Vec<usize> = (0..words.len()).filter(kept).collect();
    if kept.iter().all(|&at| plain(&words[at].0)) {
        return None;
    }
    let mut out = String::new();
    for (number, &at) in kept.iter().enumerate() {
        match number.checked_sub(1).map(|before| kept[before]) {
            Some(before) if before + 1 == at => out.push_str(&name[words[before].1.end..words[at].1.start]),
            Some(_) => out.push('-'),
            None => {}
        }
        out.push_str(&name[words[at].1.clone()]);
    }
    Some(out)
}

/// The dataset of a corpus' own file name, and whether the file is its gold for sure.
fn own(path: &Path<'_>) -> Option<(&'static str, bool)> {
    let file = path.file.to_lowercase();
    let folder = path.folders.iter().rev().find_map(|folder| exact(folder));
    let chia = |name: &str| name.to_lowercase().starts_with("chia_with");
    let is_gold = path.has_extension(&["txt", "xml", "zip", "gz"]);
    match () {
        () if file.starts_with("ncbitestset_corpus") => Some(("NCBI", is_gold)),
        () if file.starts_with("cdr_testset") => Some(("BC5CDR", is_gold)),
        () if chia(&file) && is_gold || path.folders.iter().any(|folder| chia(folder)) => {
            Some(("CHIA", true))
        }
        () if folder == Some("BIORED") => {
            let names = ["test.bioc.json", "test.bioc.xml", "test.pubtator"];
            names.iter().any(|name| file.starts_with(name)).then_some(("BIORED", true))
        }
        // The predictions for a document are called like it.
        () if folder == Some("CHIA") && of_chia(path.stem) => Some(("CHIA", false)),
        () => None,
    }
}

/// `NCT00050349_exc`: a document of CHIA.
fn of_chia(stem: &str) -> bool {
    let number = stem.strip_prefix("NCT").and_then(|rest| rest.split_once('_'));
    number.is_some_and(|(digits, part)| {
        digits.chars().all(|c| c.is_ascii_digit()) && matches!(part, "exc" | "inc")
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Gold,
    Prediction,
}

/// The side that a path says: in the file's name, or else the innermost folder of such a name.
fn side(path: &Path<'_>) -> Option<Side> {
    let of = |name: &str| {
        let words = words(name);
        let any = |of: &[&str]| words.iter().any(|(word, _)| is(word, &[of]));
        match (any(PREDICTION), any(GOLD)) {
            (true, _) => Some(Side::Prediction),
            (false, gold) => gold.then_some(Side::Gold),
        }
    };
    // A model may be called "gold-something".
    let folders = path.folders.iter().rev().filter(|folder| rest(folder).is_none());
    of(path.stem).or_else(|| folders.into_iter().find_map(|folder| of(folder)))
}

/// Where a path says its dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Folder(usize),
    File,
}

type Said = Option<(&'static str, Place)>;

/// The dataset of a path: a folder of that name, or else the file's name.
fn dataset(path: &Path<'_>) -> Said {
    let folder = |at: usize| Some((exact(path.folders[at])?, Place::Folder(at)));
    let file = || named(&words(path.stem)).map(|(dataset, _)| dataset).or_else(|| Some(own(path)?.0));
    (0..path.folders.len()).rev().find_map(folder).or_else(|| Some((file()?, Place::File)))
}

/// What each path says, in the light of the others.
pub fn arrange(paths: &[&str]) -> Vec<Arranged> {
    let paths: Vec<Path<'_>> = paths.iter().map(|path| Path::new(path)).collect();
    let said = datasets(&paths);
    let sides: Vec<Option<Side>> = paths.iter().map(side).collect();
    let each = || paths.iter().zip(&said).zip(&sides);
    let says_gold: BTreeSet<&str> = each()
        .filter(|(_, side)| **side == Some(Side::Gold))
        .filter_map(|((_, said), _)| said.map(|(dataset, _)| dataset))
        .collect();
    // A corpus' own file is gold unless gold is somewhere else.
    let own_gold = |path: &Path<'_>, side: &Option<Side>, for_sure: bool| {
        let own = own(path).filter(|(dataset, sure)| (*sure || !for_sure) && !says_gold.contains(dataset));
        side.is_none() && own.is_some()
    };
    let gold: Vec<bool> =
        each().map(|((path, _), side)| *side == Some(Side::Gold) || own_gold(path, side, true)).collect();
    // No folder with gold in it is a system's.
    let mut shared: BTreeSet<String> = BTreeSet::new();
    for (path, _) in paths.iter().zip(&gold).filter(|(_, gold)| **gold) {
        shared.extend(path.prefixes(path.folders.len()));
    }
    // Nor is one that has several files of one dataset, which are called after their systems.
    let mut files: BTreeMap<(String, &str), BTreeSet<String>> = BTreeMap::new();
    for (((path, said), _), _) in each().zip(&gold).filter(|(_, gold)| !**gold) {
        if let Some((dataset, Place::File)) = said {
            let names = files.entry((path.prefix(path.folders.len()), dataset)).or_default();
            names.extend(rest(path.stem));
        }
    }
    shared.extend(files.into_iter().filter(|(_, names)| names.len() > 1).map(|((folder, _), _)| folder));
    let systems = siblings(&paths, &said, &gold);
    let one = |((path, said), side): ((&Path<'_>, &Said), &Option<Side>), gold: bool| {
        let system = system(path, *said, &shared, &systems);
        let gold = gold || system.is_none() && own_gold(path, side, false);
        let known = said.is_some() || *side == Some(Side::Prediction);
        let role = match () {
            () if path.file.eq_ignore_ascii_case("config.json") => Some("config"),
            () if path.file.eq_ignore_ascii_case("tokenizer.json") => Some("tokenizer"),
            () if is_results(path) => Some("results"),
            () if gold => Some("gold"),
            () => known.then_some("prediction"),
        };
        let system = match role {
            Some("gold") | None => None,
            Some("results") => Some(system_of_path(path)),
            _ => system,
        };
        Arranged { role, system, dataset: said.map(|(dataset, _)| dataset) }
    };
    each().zip(&gold).map(|(each, &gold)| one(each, gold)).collect()
}

/// Folders above datasets of which several lie side by side: each is a system, even one called `model` or `run1`.
fn siblings(paths: &[Path<'_>], said: &[Said], gold: &[bool]) -> BTreeSet<String> {
    let mut below: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for ((path, said), _) in paths.iter().zip(said).zip(gold).filter(|(_, gold)| !**gold) {
        let Some((_, Place::Folder(at @ 1..))) = *said else { continue };
        let side = |(word, _): &(String, Range<usize>)| is(word, &[GOLD, PREDICTION]);
        if !words(path.folders[at - 1]).iter().all(side) {
            below.entry(path.prefix(at - 1)).or_default().insert(path.prefix(at));
        }
    }
    below.into_values().filter(|folders| folders.len() > 1).flatten().collect()
}

fn datasets(paths: &[Path<'_>]) -> Vec<Said> {
    let mut said: Vec<Said> = paths.iter().map(dataset).collect();
    // A folder that names a dataset beside other words may be a model's, which has datasets below it.
    let mut above: BTreeSet<String> = BTreeSet::new();
    for (path, said) in paths.iter().zip(&said) {
        above.extend(path.prefixes(match said {
            Some((_, Place::Folder(at))) => *at,
            Some((_, Place::File)) => path.folders.len(),
            None => 0,
        }));
    }
    for (path, said) in paths.iter().zip(&mut said).filter(|(_, said)| said.is_none()) {
        let folder = |at: usize| Some((named(&words(path.folders[at]))?.0, Place::Folder(at)));
        let free = |at: &usize| !above.contains(&path.prefix(at + 1));
        *said = (0..path.folders.len()).rev().filter(free).find_map(folder);
    }
    said
}

/// The system of a path: the folder above the dataset's, or else the one below it, or what the name that says the
/// dataset says beside it.
fn system(
    path: &Path<'_>,
    said: Said,
    shared: &BTreeSet<String>,
    systems: &BTreeSet<String>,
) -> Option<String> {
    let free = |at: usize| {
        let name = path.folders[at];
        let known = exact(name).is_some()
            || words(name).iter().all(|(word, _)| plain(word)) && !systems.contains(&path.prefix(at + 1));
        (!known && !shared.contains(&path.prefix(at + 1))).then(|| name.to_owned())
    };
    let all = path.folders.len();
    match said.map(|(_, place)| place) {
        Some(Place::Folder(at)) => rest(path.folders[at])
            .or_else(|| (0..at).rev().find_map(free))
            .or_else(|| (at + 1..all).find_map(free)),
        Some(Place::File) => (0..all).rev().find_map(free).or_else(|| rest(path.stem)),
        None => (0..all).rev().find_map(free),
    }
}

/// `ncer_results.json`, `results.json`, `SYSTEM_ncer_results.json`, `clinscore-report.json`.
fn is_results(path: &Path<'_>) -> bool {
    let words = words(path.stem);
    let has = |of: &str| words.iter().any(|(word, _)| word == of);
    let alone = words.iter().all(|(word, _)| plain(word));
    path.has_extension(&["json"]) && (has("results") && (has("ncer") || alone) || has("report") && alone)
}

/// The system of a results file, by its path: `SYSTEM/ncer_results.json`, `SYSTEM.json`,
/// `SYSTEM_ncer_results.json`.
pub fn system_of_results(path: &str) -> String {
    system_of_path(&Path::new(path))
}

fn system_of_path(path: &Path<'_>) -> String {
    // A model's version may stand behind a full stop.
    let stem = path.file.strip_suffix(".json").unwrap_or(path.file);
    let named = words(stem);
    let results = |word: &str| matches!(word, "ncer" | "results" | "result" | "clinscore" | "report");
    let from = named.iter().take_while(|(word, _)| results(word)).count();
    let to = named.iter().rposition(|(word, _)| !results(word)).map_or(0, |last| last + 1);
    let own = named.get(from..to).filter(|own| !own.is_empty() && !own.iter().all(|(word, _)| plain(word)));
    let own = own.map(|own| {
        let start = if from == 0 { 0 } else { own[0].1.start };
        let end = if to == named.len() { stem.len() } else { own[own.len() - 1].1.end };
        stem[start..end].to_owned()
    });
    let mut folders = path.folders.iter().rev();
    own.filter(|own| exact(own).is_none())
        .or_else(|| folders.find(|name| rest(name).is_some()).map(|name| (*name).to_owned()))
        .unwrap_or_else(|| stem.to_owned())
}
