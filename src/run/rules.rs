//! What the options and a benchmark's loader say of labels, spans and documents.

use super::Options;
use super::options::Mode;
use crate::benchmarks::loader;
use crate::benchmarks::ncer::{Loading, NcerDataset};
use crate::corpus::pairing::Pairing;
use crate::corpus::problems::{Kind, Problems};
use crate::corpus::scheme::{self, Fold, LabelMap, LabelMaps, Renamed, Renaming};
use crate::corpus::text::TextReader;
use crate::corpus::{Corpus, Span, Surface};
use crate::failure::Failure;
use crate::report::{Example, LabelsFrom};
use std::collections::{BTreeMap, BTreeSet};

/// What the options say about labels.
pub(super) struct Rules {
    pub(super) dataset: Option<&'static NcerDataset>,
    pub(super) mode: Mode,
    dataset_map: LabelMap,
    map: Option<LabelMap>,
    /// Of single systems, by name.
    maps: BTreeMap<String, LabelMap>,
    /// The datasets that maps given are for, where this one is not among them: of all systems (""), or one.
    elsewhere: BTreeMap<String, String>,
    /// Of systems whose files hold maps, where the options give none.
    own: BTreeMap<String, LabelMap>,
}

/// What decides the labels that a system's predictions are scored as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LabelsBy {
    dataset: Option<&'static str>,
    map: Option<LabelMap>,
    fold: bool,
}

impl Rules {
    pub(super) fn new(options: &Options) -> Result<Self, Failure> {
        let dataset = options.ncer()?;
        let dataset_map = dataset.map(NcerDataset::label_map).unwrap_or_default();
        let mode = options.mode()?;
        let name = dataset.map(|dataset| dataset.shown.name);
        let of = |maps: &LabelMaps| match (maps.for_dataset(name), maps) {
            // A model that brings no map for a dataset is read by the dataset's own.
            (None, LabelMaps::PerDataset(maps)) if dataset.is_none() => {
                let found = format!("maps for {}", maps.keys().cloned().collect::<Vec<_>>().join(", "));
                Err(Failure::option("map", &found, "one map, or a dataset that says which of them"))
            }
            (map, _) => Ok(map.cloned()),
        };
        let map = options.map.as_ref().map(of).transpose()?.flatten();
        let maps = options.maps.iter().filter_map(|(system, maps)| {
            of(maps).map(|map| map.map(|map| (system.clone(), map))).transpose()
        });
        let maps = maps.collect::<Result<_, _>>()?;
        let all = options.maps.iter().map(|(system, maps)| (system.as_str(), maps));
        let elsewhere = all.chain(options.map.iter().map(|map| ("", map))).filter_map(|(system, maps)| {
            let LabelMaps::PerDataset(of) = maps else { return None };
            let names = of.keys().cloned().collect::<Vec<_>>().join(", ");
            maps.for_dataset(name).is_none().then(|| (system.to_owned(), names))
        });
        let elsewhere = elsewhere.collect();
        Ok(Rules { dataset, mode, dataset_map, map, maps, elsewhere, own: BTreeMap::new() })
    }

    /// The dataset, and those that the map given for a system is for, where that has none for it.
    pub(super) fn no_map_for(&self, system: &str) -> Option<(&'static str, &str)> {
        let dataset = self.dataset.filter(|_| self.map_of(system).is_none())?;
        let maps = self.elsewhere.get(system).or_else(|| self.elsewhere.get(""))?;
        Some((dataset.shown.name, maps))
    }

    /// Takes the maps that a system's files hold, unless the options give one. Says what came of it; nothing
    /// where there are none.
    pub(super) fn take_maps(&mut self, system: &str, maps: Option<&LabelMaps>) -> Option<OwnMap> {
        let maps = maps?;
        if self.map.is_some() || self.maps.contains_key(system) {
            return Some(OwnMap::Overruled);
        }
        let dataset = self.dataset.map(|dataset| dataset.shown.name);
        let Some(map) = maps.for_dataset(dataset) else {
            return Some(OwnMap::NoneFits(dataset));
        };
        self.own.insert(system.to_owned(), map.clone());
        Some(OwnMap::Used)
    }

    /// The labels that are scored whatever occurs: the chosen ones, or the dataset's.
    pub(super) fn chosen(&self, options: &Options) -> Option<Vec<String>> {
        let types = |dataset: &NcerDataset| dataset.types.iter().map(|name| (*name).to_owned()).collect();
        options.labels().map(<[String]>::to_vec).or_else(|| self.dataset.map(types))
    }

    /// Where the labels scored come from.
    pub(super) fn labels_from(&self, options: &Options) -> LabelsFrom {
        match (options.labels(), self.dataset) {
            (Some(_), _) => LabelsFrom::Chosen,
            (None, Some(_)) => LabelsFrom::Dataset,
            (None, None) => LabelsFrom::Union,
        }
    }

    /// How gold labels are renamed.
    pub(super) fn gold(&self) -> Renaming<'_> {
        match (&self.dataset, &self.map) {
            (Some(_), _) => Renaming::Map(&self.dataset_map),
            (None, Some(map)) => Renaming::Map(map),
            (None, None) => Renaming::None,
        }
    }

    /// What a system's labels could be: known ones in another spelling, and without a map of its own, under a
    /// benchmark, the clinical types that their names speak for.
    pub(super) fn folds(&self, system: &str, labels: &[String], gold: &Renamed) -> Vec<Fold> {
        let known = self.known(system, gold);
        let mut folds = scheme::folds(labels, &known);
        let dataset = self.dataset.filter(|_| self.map_of(system).is_none());
        for (dataset, label) in
            dataset.into_iter().flat_map(|dataset| labels.iter().map(move |l| (dataset, l)))
        {
            let open = !known.contains(label) && folds.iter().all(|fold| fold.from != *label);
            if let Some(to) = dataset.propose(label).filter(|_| open) {
                folds.push(Fold { from: label.clone(), to: to.to_owned(), rule: "name" });
            }
        }
        folds
    }

    /// The labels that a system's predictions may be folded onto: those the map for them knows, otherwise
    /// gold's.
    pub(super) fn known(&self, system: &str, gold: &Renamed) -> BTreeSet<String> {
        match self.predictions(system) {
            Renaming::None => gold.iter().flatten().cloned().collect(),
            Renaming::Map(map) => map.keys().chain(map.values()).cloned().collect(),
            Renaming::Keys(map) => map.keys().cloned().collect(),
        }
    }

    /// What decides the labels of a system; with the reading of gold, two that are equal give equal labels.
    pub(super) fn labels_by(&self, system: &str, options: &Options) -> LabelsBy {
        LabelsBy {
            dataset: self.dataset.map(|dataset| dataset.shown.name),
            map: self.map_of(system).cloned(),
            fold: options.fold_labels,
        }
    }

    /// The label that a label of a system's predictions is scored as.
    pub(super) fn mapping(
        &self,
        system: &str,
        gold: Option<&Corpus>,
        fold: bool,
    ) -> impl Fn(&str) -> Option<String> {
        let renaming = self.predictions(system);
        let renamed = gold.map(|gold| scheme::rename(gold, self.gold(), &[])).unwrap_or_default();
        move |label| {
            let label = label.to_owned();
            let folds =
                if fold { self.folds(system, std::slice::from_ref(&label), &renamed) } else { Vec::new() };
            renaming.apply(folds.first().map_or(label.as_str(), |fold| fold.to.as_str()))
        }
    }

    fn map_of(&self, system: &str) -> Option<&LabelMap> {
        self.maps.get(system).or(self.map.as_ref()).or_else(|| self.own.get(system))
    }

    /// A model's map under a benchmark names every label that counts; without one, predictions may carry
    /// the corpus' own labels or the clinical types.
    pub(super) fn predictions(&self, system: &str) -> Renaming<'_> {
        match (&self.dataset, self.map_of(system)) {
            (Some(_), Some(map)) => Renaming::Keys(map),
            (Some(_), None) => Renaming::Map(&self.dataset_map),
            (None, Some(map)) => Renaming::Map(map),
            (None, None) => Renaming::None,
        }
    }
}

/// What came of the label maps that a system's files hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnMap {
    Used,
    /// The options give a map.
    Overruled,
    /// None is for the dataset, or several could be meant.
    NoneFits(Option<&'static str>),
}

/// What a benchmark's loader keeps of gold.
pub(super) struct Selection {
    /// Per gold document; empty: all.
    documents: Vec<bool>,
    exact_surface: bool,
    /// What the loader drops.
    pub(super) problems: Problems,
}

impl Selection {
    pub(super) fn new(gold: &Corpus, rules: &Rules, renamed: &Renamed) -> Result<Self, Failure> {
        let mut this =
            Selection { documents: Vec::new(), exact_surface: false, problems: Problems::default() };
        let Some(dataset) = rules.dataset.filter(|_| rules.mode == Mode::Reference) else { return Ok(this) };
        this.exact_surface = dataset.loading == Loading::ByText;
        let mut reader = TextReader::new(gold);
        let mut text = String::new();
        for document in &gold.documents {
            let place = || document.place(0);
            let mut spans = 0;
            for span in gold.spans_of(document) {
                if renamed.get(span.label as usize).is_none_or(Option::is_none) {
                    continue;
                }
                if this.keeps(gold, span) {
                    spans += 1;
                } else {
                    let found = format!("a span {}–{} whose own text differs", span.start, span.end);
                    this.problems.add(Kind::DatasetDropsSpan, place(), found, "the document's text there");
                }
            }
            let blank = reader.read(document, &mut text)? && loader::is_blank(&text);
            if blank || spans == 0 {
                let found = if blank { "a blank text" } else { "no gold span of a clinical type" };
                this.problems.add(Kind::DatasetDropsDocument, place(), found, "");
            }
            this.documents.push(!blank && spans > 0);
        }
        Ok(this)
    }

    /// Whether a gold span counts.
    pub(super) fn keeps(&self, gold: &Corpus, span: &Span) -> bool {
        !self.exact_surface || gold.detail(span).is_none_or(|detail| detail.surface == Surface::Agrees)
    }

    /// The gold documents that a loader drops.
    pub(super) fn dropped(&self, gold: &Corpus) -> Vec<Example> {
        let out = gold.documents.iter().zip(&self.documents).filter(|(_, kept)| !**kept);
        out.map(|(document, _)| Example {
            document: document.id.clone(),
            found: "blank, or no gold span of a clinical type".into(),
        })
        .collect()
    }

    /// Takes documents that do not count out of a pairing.
    pub(super) fn apply(&self, pairing: &mut Pairing, common_only: bool) {
        let kept = |gold: u32| self.documents.is_empty() || self.documents[gold as usize];
        pairing.pairs.retain(|&(gold, pred)| kept(gold) && (pred.is_some() || !common_only));
    }

    /// Whether any gold document counts.
    pub(super) fn any(&self) -> bool {
        self.documents.is_empty() || self.documents.contains(&true)
    }
}
