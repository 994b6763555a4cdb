//! Which labels are scored, and how each side's labels map onto them.

use super::{Corpus, LabelId};
use std::collections::{BTreeMap, BTreeSet};

/// A label map: their label → our label.
pub type LabelMap = BTreeMap<String, String>;

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

/// One side's labels, by label id: index into [`Scheme::names`], or none when the map drops the label.
pub type Mapping = Vec<Option<u32>>;

/// The labels of a run.
#[derive(Debug, Clone, Default)]
pub struct Scheme {
    /// The labels scored, in order, then the others that occur after mapping.
    pub names: Vec<String>,
    /// How many of them are scored.
    pub scored: usize,
    /// The gold side's labels.
    pub gold: Mapping,
    /// Each system's labels.
    pub systems: Vec<Mapping>,
}

impl Scheme {
    /// Puts the labels of both sides in order. Without `chosen` the labels scored are the sorted union of
    /// gold and predicted labels after mapping.
    pub fn new(
        chosen: Option<&[String]>,
        gold: (&Corpus, Renaming<'_>),
        systems: &[(&Corpus, Renaming<'_>)],
    ) -> Scheme {
        let renamed = |(corpus, renaming): &(&Corpus, Renaming<'_>)| -> Vec<Option<String>> {
            let uses = corpus.label_uses();
            let labels = corpus.labels.names().iter().zip(uses);
            labels.map(|(label, uses)| if uses > 0 { renaming.apply(label) } else { None }).collect()
        };
        let gold = renamed(&gold);
        let systems: Vec<_> = systems.iter().map(renamed).collect();
        let all: BTreeSet<&String> = gold.iter().chain(systems.iter().flatten()).flatten().collect();
        let mut names: Vec<String> = Vec::new();
        match chosen {
            None => names.extend(all.iter().map(|name| (*name).clone())),
            Some(chosen) => {
                let mut seen = BTreeSet::new();
                names.extend(chosen.iter().filter(|name| seen.insert(*name)).cloned());
            }
        }
        let scored = names.len();
        let known: BTreeSet<String> = names.iter().cloned().collect();
        names.extend(all.iter().filter(|name| !known.contains(**name)).map(|name| (*name).clone()));
        let index: BTreeMap<&str, u32> =
            names.iter().enumerate().map(|(at, name)| (name.as_str(), at as u32)).collect();
        let mapping = |labels: Vec<Option<String>>| -> Mapping {
            labels.into_iter().map(|label| index.get(label?.as_str()).copied()).collect()
        };
        let (gold, systems) = (mapping(gold), systems.into_iter().map(mapping).collect());
        Scheme { names, scored, gold, systems }
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
