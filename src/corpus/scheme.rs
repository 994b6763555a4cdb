//! Which labels are scored, and how each side's labels map onto them.

use super::{Corpus, LabelId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A label map: their label → our label.
pub type LabelMap = BTreeMap<String, String>;

/// What a person gives as label map: one map, or one a dataset. The NCER benchmark's `config.json` holds the
/// latter under `inference_config.label_normalization_map` (older ones `{"ncbi": {"label_normalization_map":
/// {…}}}`); both are read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum LabelMaps {
    /// One map for everything.
    One(LabelMap),
    /// Dataset → its map.
    PerDataset(BTreeMap<String, LabelMap>),
}

impl LabelMaps {
    /// The maps that a JSON value holds.
    ///
    /// # Errors
    /// Says what is no map.
    pub fn of(value: &serde_json::Value) -> Result<Self, String> {
        const KEY: &str = "label_normalization_map";
        let object = value.as_object().ok_or("a label map is an object: {\"their label\": \"our label\"}")?;
        let inner =
            object.get("inference_config").and_then(|config| config.get(KEY)).or_else(|| object.get(KEY));
        if let Some(inner) = inner {
            return LabelMaps::of(inner);
        }
        let map = |object: &serde_json::Map<String, serde_json::Value>| -> Result<LabelMap, String> {
            let entry = |(from, to): (&String, &serde_json::Value)| match to.as_str() {
                Some(to) => Ok((from.clone(), to.to_owned())),
                None => Err(format!("label map: {from:?} is mapped to something that is no text")),
            };
            object.iter().map(entry).collect()
        };
        if object.is_empty() || !object.values().all(serde_json::Value::is_object) {
            return map(object).map(LabelMaps::One);
        }
        let of_dataset = |(name, value): (&String, &serde_json::Value)| {
            let value = value.get(KEY).unwrap_or(value);
            let object = value.as_object().ok_or_else(|| format!("label map of {name}: not an object"))?;
            Ok((name.clone(), map(object)?))
        };
        object.iter().map(of_dataset).collect::<Result<_, String>>().map(LabelMaps::PerDataset)
    }

    /// The map for a dataset; without one, the only map there is. None where several could be meant, or none.
    pub fn for_dataset(&self, dataset: Option<&str>) -> Option<&LabelMap> {
        match (self, dataset) {
            (LabelMaps::One(map), _) => Some(map),
            (LabelMaps::PerDataset(maps), Some(name)) => {
                maps.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, map)| map)
            }
            (LabelMaps::PerDataset(maps), None) => maps.values().next().filter(|_| maps.len() == 1),
        }
    }
}

impl<'de> Deserialize<'de> for LabelMaps {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        LabelMaps::of(&value).map_err(serde::de::Error::custom)
    }
}

/// How labels of one side are renamed.
#[derive(Debug, Clone, Copy)]
pub enum Renaming<'m> {
    /// As they are.
    None,
    /// By a map. A label that is a key is renamed, one that is a value stands for itself, any other is
    /// dropped.
    Map(&'m LabelMap),
    /// By a map's keys alone, as the NCER benchmark reads a model's map.
    Keys(&'m LabelMap),
}

impl Renaming<'_> {
    /// The label after mapping; none when it is dropped.
    pub fn apply(&self, label: &str) -> Option<String> {
        match self {
            Renaming::None => Some(label.to_owned()),
            Renaming::Map(map) => map
                .get(label)
                .cloned()
                .or_else(|| map.values().any(|value| value == label).then(|| label.to_owned())),
            Renaming::Keys(map) => map.get(label).cloned(),
        }
    }
}

/// One side's labels after mapping, by label id; none where the label is dropped or no span carries it.
pub type Renamed = Vec<Option<String>>;

/// Renames a side's labels; `folds` respells them before the renaming.
pub fn rename(corpus: &Corpus, renaming: Renaming<'_>, folds: &[Fold]) -> Renamed {
    let labels = corpus.labels.names().iter().zip(corpus.label_uses());
    let folds: BTreeMap<&str, &str> =
        folds.iter().map(|fold| (fold.from.as_str(), fold.to.as_str())).collect();
    let spelled = |label: &str| renaming.apply(folds.get(label).copied().unwrap_or(label));
    labels.map(|(label, uses)| if uses > 0 { spelled(label) } else { None }).collect()
}

/// The label of tags without a type (`B`, `I`), as seqeval names it.
pub const UNTYPED: &str = "_";

/// A label of the predictions that is another one but for its spelling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    /// As the predictions spell it.
    pub from: String,
    /// The label it would become.
    pub to: String,
    /// What differs: `case`, `separator`, `prefix`, or `untyped` (no type, and there is only one).
    pub rule: &'static str,
}

/// Proposes folds of labels that no map and no gold label knows onto `known` ones: equal but for case, for
/// `_`, `-` and space, or for a prefix up to the last `:`, `/` or `#`. Never between different words, and only
/// where one known label fits.
pub fn folds(labels: &[String], known: &BTreeSet<String>) -> Vec<Fold> {
    type Key = fn(&str) -> String;
    let rules: [(&'static str, Key); 3] = [
        ("case", |label| label.to_lowercase()),
        ("separator", squeeze),
        ("prefix", |label| squeeze(label.rsplit([':', '/', '#']).next().unwrap_or(label))),
    ];
    // Per rule, the known labels by their key; none where two share one.
    let by_key = rules.map(|(rule, key)| {
        let mut by_key: BTreeMap<String, Option<&String>> = BTreeMap::new();
        for label in known {
            by_key.entry(key(label)).and_modify(|one| *one = None).or_insert(Some(label));
        }
        (rule, key, by_key)
    });
    let propose = |label: &String| {
        let fold = |to: &String, rule| Fold { from: label.clone(), to: to.clone(), rule };
        if label == UNTYPED {
            let mut known = known.iter();
            return known.next().filter(|_| known.next().is_none()).map(|to| fold(to, "untyped"));
        }
        by_key.iter().find_map(|(rule, key, by_key)| {
            let wanted = key(label);
            let to = by_key.get(&wanted).filter(|_| !wanted.is_empty())?;
            Some(fold((*to)?, *rule))
        })
    };
    labels.iter().filter(|label| !known.contains(*label)).filter_map(propose).collect()
}

/// Lower case, without `_`, `-` and spaces.
fn squeeze(label: &str) -> String {
    label.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

/// One side's labels, by label id: index into [`Scheme::names`], or none when the label is dropped.
pub type Mapping = Vec<Option<u32>>;

/// The labels of gold and one system. They do not depend on other systems.
#[derive(Debug, Clone, Default)]
pub struct Scheme {
    /// The labels scored, in order, then the others that occur after mapping.
    pub names: Vec<String>,
    /// How many of them are scored.
    pub scored: usize,
    /// Gold's labels.
    pub gold: Mapping,
    /// The system's labels.
    pub pred: Mapping,
    /// Index of the label `O`, which says that nothing is there.
    pub nothing: Option<u32>,
}

impl Scheme {
    /// Puts the labels of both sides in order. Without `chosen` the labels scored are the sorted union of
    /// both sides.
    pub fn new(chosen: Option<&[String]>, gold: &Renamed, pred: &Renamed) -> Scheme {
        let mut names = scored([gold, pred], chosen);
        let scored = names.len();
        let known: BTreeSet<String> = names.iter().cloned().collect();
        let all: BTreeSet<&String> = gold.iter().chain(pred).flatten().collect();
        names.extend(all.into_iter().filter(|name| !known.contains(*name)).cloned());
        let index: BTreeMap<&str, u32> =
            names.iter().enumerate().map(|(at, name)| (name.as_str(), at as u32)).collect();
        let mapping = |labels: &Renamed| -> Mapping {
            labels.iter().map(|label| index.get(label.as_ref()?.as_str()).copied()).collect()
        };
        let (gold, pred) = (mapping(gold), mapping(pred));
        let nothing = index.get("O").copied();
        Scheme { names, scored, gold, pred, nothing }
    }

    /// The label after mapping, as an index into [`Scheme::names`]; none when it is dropped.
    pub fn mapped(&self, mapping: &Mapping, label: LabelId) -> Option<u32> {
        mapping.get(label as usize).copied().flatten()
    }

    /// The scored label of a side's label, if it is scored.
    pub fn scored(&self, mapping: &Mapping, label: LabelId) -> Option<u32> {
        self.mapped(mapping, label).filter(|&at| (at as usize) < self.scored)
    }
}

/// The labels scored: the chosen ones, each once, or the sorted union of the sides.
pub fn scored<'r>(sides: impl IntoIterator<Item = &'r Renamed>, chosen: Option<&[String]>) -> Vec<String> {
    match chosen {
        Some(chosen) => {
            let mut seen = BTreeSet::new();
            chosen.iter().filter(|name| seen.insert(*name)).cloned().collect()
        }
        None => sides.into_iter().flatten().flatten().cloned().collect::<BTreeSet<_>>().into_iter().collect(),
    }
}
