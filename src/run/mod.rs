//! A run from files to the report: the only place that knows the order of the rooms.

use crate::align::{Events, NONE};
use crate::benchmarks::loader::{self, Done};
use crate::benchmarks::ncer::{self, Loading, NcerDataset};
use crate::corpus::pairing::{self, Pairing};
use crate::corpus::problems::{Kind, Place};
use crate::corpus::scheme::{self, Fold, Renamed, Scheme};
use crate::corpus::{Corpus, File, Role};
use crate::failure::Failure;
use crate::formats::{self, Choices, Given};
use crate::metrics::span;
use crate::place::{self, Against, Llm, Placing};
use crate::report::{
    self, CleanUp, Difference, Input, LabelFold, LabelsFrom, Report, Side, System, TokenizerFile,
};
use crate::source::{self, SharedSource, SourceError};
use crate::tokens::TokenSource;
use crate::tokens::tokenizer::Tokenizer;
use comparison::{Cleanable, Comparison, Noticed};
use notes::Notes;
use rules::{LabelsBy, OwnMap, Rules, Selection};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};

mod answers;
mod classes;
mod comparison;
mod concepts;
mod describe;
mod differences;
mod notes;
mod options;
mod rules;

pub use options::{
    CLEAN, ENCODINGS, ENDS, FRAGMENTS, FileOptions, LLM, MODES, OCCURRENCES, OFFSETS, Options, TOKENS, VIEWS,
};
use options::{Clean, FileChoices, Mode, Tokens};

/// How far a long job is.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Progress {
    /// `read` (bytes), `score` or `tokens` (documents).
    pub stage: &'static str,
    /// Done so far.
    pub done: u64,
    /// Of this many.
    pub total: u64,
}

/// Called at least once a document.
pub type OnProgress<'p> = &'p mut dyn FnMut(Progress);

/// One input that was given.
#[derive(Clone)]
struct InputFile {
    role: Role,
    system: usize,
    path: String,
    source: SharedSource,
    sha256: Option<String>,
}

/// One side as it was read, and the choices it was read with.
struct Loaded {
    choices: Choices,
    /// Per input: what was chosen for it alone.
    files: Vec<FileChoices>,
    /// For predictions: the gold that their spans were placed by, and the pairing with it.
    placed: Option<Placed>,
    /// For gold: whose loader made it, and what that did.
    loader: Option<(&'static str, Mode)>,
    done: Vec<Done>,
    corpus: Corpus,
}

/// Where spans of a side were placed, and how documents met.
struct Placed {
    by: PlacedBy,
    pairing: Option<Result<Pairing, Failure>>,
}

/// What predictions' places depend on beside their own files.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PlacedBy {
    /// Which reading of gold; none without gold.
    gold: Option<u64>,
    normalise_ids: bool,
    /// What decides labels, where the benchmark's parsers read answers: they drop spans by label.
    labels: Option<LabelsBy>,
}

/// What a system's last score was made of; [`crate::why`] reads it.
pub(crate) struct Scored {
    pub(crate) pairing: Pairing,
    /// Per pair, like `pairing.pairs`.
    pub(crate) events: Events,
    pub(crate) scheme: Scheme,
}

/// The last score.
pub(crate) struct Outcome {
    pub(crate) report: Report,
    /// Per system; none where it could not be scored.
    pub(crate) scored: Vec<Option<Scored>>,
    /// Per system: what a benchmark's `reference` mode does that `corrected` does not.
    differences: Vec<Vec<Difference>>,
}

/// Files, what was read from them, and the last score.
#[derive(Default)]
pub struct Workspace {
    inputs: Vec<InputFile>,
    systems: Vec<String>,
    gold: Option<Loaded>,
    /// Readings of gold so far.
    gold_read: u64,
    predictions: Vec<Option<Loaded>>,
    tokenizers: Vec<GivenTokenizer>,
    last: Option<Outcome>,
    /// The same files under other options, by what is otherwise.
    others: Vec<(Otherwise, Workspace)>,
}

/// What is otherwise in a second score of the same files: an option and its other value.
type Otherwise = (&'static str, &'static str);

/// A tokenizer, and whose tokens it makes: one system's, or those of every system without its own.
#[derive(Clone)]
struct GivenTokenizer {
    system: Option<String>,
    path: String,
    tokenizer: Tokenizer,
}

impl Workspace {
    /// An empty workspace.
    pub fn new() -> Self {
        Workspace::default()
    }

    /// Adds a file. Predictions of one system share its name. Returns the input's index.
    pub fn add(&mut self, role: Role, system: &str, path: &str, source: SharedSource) -> usize {
        let mut number = 0;
        match role {
            Role::Gold => self.gold = None,
            Role::Prediction => {
                number = self.systems.iter().position(|name| name == system).unwrap_or_else(|| {
                    self.systems.push(system.to_owned());
                    self.predictions.push(None);
                    self.systems.len() - 1
                });
                self.predictions[number] = None;
            }
        }
        self.last = None;
        self.others.clear();
        self.inputs.push(InputFile { role, system: number, path: path.to_owned(), source, sha256: None });
        self.inputs.len() - 1
    }

    /// Sets the tokenizer of a system, or of every system without one of its own.
    pub fn set_tokenizer(&mut self, system: Option<&str>, path: &str, tokenizer: Tokenizer) {
        self.last = None;
        let system = system.map(str::to_owned);
        self.tokenizers.retain(|given| given.system != system);
        self.tokenizers.push(GivenTokenizer { system, path: path.to_owned(), tokenizer });
    }

    /// Forgets every tokenizer.
    pub fn clear_tokenizers(&mut self) {
        self.last = None;
        self.tokenizers.clear();
    }

    /// Forgets files and results; tokenizers stay.
    pub fn clear(&mut self) {
        *self = Workspace { tokenizers: std::mem::take(&mut self.tokenizers), ..Workspace::new() };
    }

    /// The tokenizer of a system.
    fn tokenizer(&self, system: &str) -> Option<&Tokenizer> {
        let of = |name: Option<&str>| self.tokenizers.iter().find(|given| given.system.as_deref() == name);
        of(Some(system)).or_else(|| of(None)).map(|given| &given.tokenizer)
    }

    /// Whether tokens that are to be a tokenizer's can be.
    fn can_tokenize(&self) -> Result<(), Failure> {
        if self.tokenizers.is_empty() {
            let message = "the tokens are to be a tokenizer's, but none was given: add the model's \
                           tokenizer.json, or choose other tokens";
            return Err(Failure::new("no_tokenizer", message));
        }
        for GivenTokenizer { system, tokenizer, .. } in &self.tokenizers {
            let Some(why) = &tokenizer.description.failure else { continue };
            let whose = system.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
            let message =
                format!("the tokenizer{whose} cannot be used: {why}; give another, or choose other tokens");
            return Err(Failure::new("bad_tokenizer", message));
        }
        Ok(())
    }

    /// The last score, if there is one.
    pub fn report(&self) -> Option<&Report> {
        self.last.as_ref().map(|last| &last.report)
    }

    pub(crate) fn last(&self) -> Option<&Outcome> {
        self.last.as_ref()
    }

    pub(crate) fn gold_corpus(&self) -> Option<&Corpus> {
        self.gold.as_ref().map(|loaded| &loaded.corpus)
    }

    pub(crate) fn predicted_corpus(&self, system: usize) -> Option<&Corpus> {
        self.predictions.get(system)?.as_ref().map(|loaded| &loaded.corpus)
    }

    /// Computes the SHA-256 of every input and enters it into the last report.
    ///
    /// # Errors
    /// When a file cannot be read any more.
    pub fn hash(&mut self, progress: OnProgress<'_>) -> Result<(), Failure> {
        let total = self.inputs.iter().map(|input| input.source.len()).sum();
        let mut done = 0;
        for input in &mut self.inputs {
            if input.sha256.is_none() {
                input.sha256 = Some(sha256(&input.source, &mut |bytes| {
                    progress(Progress { stage: "hash", done: done + bytes, total });
                })?);
            }
            done += input.source.len();
        }
        if let Some(last) = &mut self.last {
            for (shown, input) in last.report.inputs.iter_mut().zip(&self.inputs) {
                shown.sha256.clone_from(&input.sha256);
            }
        }
        Ok(())
    }

    /// Reads what is new or is to be read in another way, and puts spans in their places.
    fn load(&mut self, options: &Options, progress: OnProgress<'_>) -> Result<(), Failure> {
        let gold = options.choices(Role::Gold)?;
        let pred = options.choices(Role::Prediction)?;
        let files = options.file_choices(self.inputs.iter().map(|input| input.path.as_str()))?;
        let of = |role: Role, system: usize| -> Vec<Given> {
            let inputs = self.inputs.iter().zip(&files).enumerate();
            inputs
                .filter(|(_, (input, _))| {
                    input.role == role && (role == Role::Gold || input.system == system)
                })
                .map(|(at, (input, file))| Given {
                    input: at,
                    path: input.path.clone(),
                    source: input.source.clone(),
                    format: file.format.clone(),
                    encoding: file.encoding.clone(),
                    wanted: file.wanted,
                })
                .collect()
        };
        let chosen =
            |given: &[Given]| given.iter().map(|given| files[given.input].clone()).collect::<Vec<_>>();
        let stale = |loaded: &Option<Loaded>, choices: &Choices, given: &[Given]| {
            loaded.as_ref().is_none_or(|loaded| loaded.choices != *choices || loaded.files != chosen(given))
        };
        let mut jobs = Vec::new();
        let given = of(Role::Gold, 0);
        let dataset = options.ncer()?;
        let mode = options.mode()?;
        let loader = dataset.map(|dataset| (dataset.shown.name, mode));
        let gold_is_new = stale(&self.gold, &gold, &given)
            || self.gold.as_ref().is_some_and(|loaded| loaded.loader != loader);
        if gold_is_new {
            jobs.push((Role::Gold, 0, given));
        }
        let gold_read = self.gold_read + u64::from(gold_is_new);
        let mut rules = Rules::new(options)?;
        let reference = options.llm()? == Llm::Reference;
        let placed_by = |system: &String| PlacedBy {
            gold: self.has(Role::Gold).then_some(gold_read),
            normalise_ids: options.normalise_ids,
            labels: reference.then(|| rules.labels_by(system, options)),
        };
        let by: Vec<PlacedBy> = self.systems.iter().map(placed_by).collect();
        for (at, by) in by.iter().enumerate() {
            let given = of(Role::Prediction, at);
            let loaded = &self.predictions[at];
            let elsewhere =
                loaded.as_ref().and_then(|l| l.placed.as_ref()).is_some_and(|placed| placed.by != *by);
            if elsewhere || stale(loaded, &pred, &given) {
                jobs.push((Role::Prediction, at, given));
            }
        }
        if !jobs.is_empty() {
            // The last score points into what is read anew.
            self.last = None;
        }
        let total: u64 = jobs.iter().flat_map(|job| &job.2).map(|given| given.source.len()).sum();
        let mut before = 0;
        let jobs: Vec<_> =
            jobs.into_iter().map(|(role, system, given)| (role, system, chosen(&given), given)).collect();
        for (role, system, files, given) in jobs {
            let choices = if role == Role::Gold { &gold } else { &pred };
            let size: u64 = given.iter().map(|given| given.source.len()).sum();
            // Archives hold more than their size: the side's share of the whole is what is shown.
            let corpus = formats::load(&given, choices, &mut |done, of| {
                let done = before + (size as f64 * done as f64 / of.max(1) as f64) as u64;
                progress(Progress { stage: "read", done: done.min(total), total });
            });
            before += size;
            let mut loaded = Loaded {
                choices: choices.clone(),
                files,
                placed: None,
                loader: None,
                done: Vec::new(),
                corpus,
            };
            match role {
                Role::Gold => {
                    if let Some(dataset) = dataset {
                        loaded.loader = loader;
                        loaded.done = prepare(&mut loaded.corpus, dataset, mode)?;
                    }
                    place::settle(&mut loaded.corpus, None, &choices.placing)?;
                    self.gold = Some(loaded);
                    self.gold_read = gold_read;
                }
                Role::Prediction => {
                    let by = by[system].clone();
                    let gold = self.gold.as_ref().filter(|_| by.gold.is_some());
                    let corpus = gold.map(|gold| &gold.corpus);
                    rules.take_maps(&self.systems[system], loaded.corpus.label_maps.as_ref());
                    let map = rules.mapping(&self.systems[system], corpus, options.fold_labels);
                    let pairing = match gold {
                        Some(gold) => {
                            Some(place_predictions(gold, &mut loaded.corpus, &by, &map, &choices.placing)?)
                        }
                        None => {
                            place::answers::read(&mut loaded.corpus, None, &map)?;
                            place::settle(&mut loaded.corpus, None, &choices.placing)?;
                            None
                        }
                    };
                    loaded.placed = Some(Placed { by, pairing });
                    self.predictions[system] = Some(loaded);
                }
            }
        }
        Ok(())
    }

    /// What was read, before anything can be scored: inputs, the gold side and each system's side.
    ///
    /// # Errors
    /// When an option has no meaning.
    pub fn inspect(&mut self, options: &Options, progress: OnProgress<'_>) -> Result<Inspection, Failure> {
        options.check()?;
        self.load(options, progress)?;
        let mut rules = Rules::new(options)?;
        self.own_maps(&mut rules);
        let chosen = rules.chosen(options);
        let gold = self.gold_corpus().map(|gold| scheme::rename(gold, rules.gold(), &[])).unwrap_or_default();
        let systems = || self.systems.iter().zip(self.predicted());
        let folds: Vec<Vec<Fold>> =
            systems().map(|(name, pred)| rules.folds(name, pred.labels.names(), &gold)).collect();
        let preds: Vec<Renamed> = systems()
            .zip(&folds)
            .map(|((name, pred), folds)| {
                scheme::rename(pred, rules.predictions(name), if options.fold_labels { folds } else { &[] })
            })
            .collect();
        let scored = scheme::scored(std::iter::once(&gold).chain(&preds), chosen.as_deref());
        let golds: BTreeSet<&String> = gold.iter().flatten().collect();
        let predicted: BTreeSet<&String> = preds.iter().flatten().flatten().collect();
        let systems = self.systems.iter().cloned().zip(self.predicted().zip(&preds).zip(&folds));
        Ok(Inspection {
            inputs: describe::inputs(&self.inputs, self.corpora(), options.paths),
            tokenizers: describe::tokenizers(&self.tokenizers, options.paths),
            gold: self
                .gold_corpus()
                .filter(|_| self.has(Role::Gold))
                .map(|corpus| describe::side(corpus, &gold, &scored, &predicted, None, options.paths)),
            systems: systems
                .map(|(name, ((pred, renamed), folds))| InspectedSystem {
                    name,
                    side: describe::side(pred, renamed, &scored, &golds, None, options.paths),
                    folds: shown(folds, options.fold_labels),
                })
                .collect(),
        })
    }

    /// Lets systems be read by the label maps among their files; what came of it, by system.
    fn own_maps(&self, rules: &mut Rules) -> Vec<Option<OwnMap>> {
        let each = self.systems.iter().zip(self.predicted());
        each.map(|(name, pred)| rules.take_maps(name, pred.label_maps.as_ref())).collect()
    }

    /// Every system's corpus; all are there once they were loaded.
    fn predicted(&self) -> impl Iterator<Item = &Corpus> {
        self.predictions.iter().flatten().map(|loaded| &loaded.corpus)
    }

    /// Whether every annotated file of a system is one of gold's. Texts beside annotations are often the same.
    fn same_file(&self, gold: &Corpus, pred: &Corpus) -> bool {
        // What cannot be read any more is told elsewhere.
        let same =
            |a: usize, b: usize| same_bytes(&self.inputs[a].source, &self.inputs[b].source).unwrap_or(false);
        let annotated = |corpus: &Corpus| -> BTreeSet<usize> {
            let files = corpus.files.iter().filter(|file| file.format.is_some());
            files.map(|file| file.input).collect()
        };
        let mut by_length: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for input in annotated(gold) {
            by_length.entry(self.inputs[input].source.len()).or_default().push(input);
        }
        let preds = annotated(pred);
        let any = preds.iter().any(|&input| !self.inputs[input].source.is_empty());
        any && preds.into_iter().all(|pred| {
            let golds = by_length.get(&self.inputs[pred].source.len());
            golds.is_some_and(|golds| golds.iter().any(|&gold| same(gold, pred)))
        })
    }

    /// Gold, then every system; all are there once they were loaded.
    fn corpora(&self) -> impl Iterator<Item = &Corpus> {
        self.gold.iter().chain(self.predictions.iter().flatten()).map(|loaded| &loaded.corpus)
    }

    fn has(&self, role: Role) -> bool {
        self.inputs.iter().any(|input| input.role == role)
    }

    /// Scores every system against gold, and beside it the same files under the other mode of a benchmark and
    /// the other way to read generated text. A system that cannot be scored says why in the report.
    ///
    /// # Errors
    /// When a side is missing, nothing can be read of gold, or an option has no meaning.
    pub fn score(&mut self, options: &Options, progress: OnProgress<'_>) -> Result<&Report, Failure> {
        let mut outcome = self.score_once(options, progress)?;
        for (otherwise, options) in self.otherwise(options)? {
            let mut other = match self.others.iter().position(|(of, _)| *of == otherwise) {
                Some(at) => self.others.swap_remove(at).1,
                None => self.twin(),
            };
            other.tokenizers.clone_from(&self.tokenizers);
            let found = other.score_once(&options, progress);
            for (at, system) in outcome.report.systems.iter_mut().enumerate() {
                let differences = match (otherwise.0, &found) {
                    ("mode", Ok(found)) => {
                        let [one, two] = [&outcome.differences[at], &found.differences[at]];
                        if one.is_empty() { two.clone() } else { one.clone() }
                    }
                    _ => Vec::new(),
                };
                let found = found.as_ref().map(|found| &found.report);
                system.beside.push(describe::beside(otherwise, found, at, differences));
            }
            self.others.push((otherwise, other));
        }
        Ok(&self.last.insert(outcome).report)
    }

    /// What is scored beside a run, and the options for it.
    fn otherwise(&self, options: &Options) -> Result<Vec<(Otherwise, Options)>, Failure> {
        let mut list = Vec::new();
        if options.ncer()?.is_some() {
            let value = match options.mode()? {
                Mode::Reference => "corrected",
                Mode::Corrected => "reference",
            };
            // The definition follows the mode.
            let other = Options { mode: Some(value.to_owned()), definition: None, ..options.clone() };
            list.push((("mode", value), other));
        }
        if self.predicted().any(|pred| !pred.answers.is_empty()) {
            let value = match options.llm()? {
                Llm::Reference => "aligned",
                Llm::Aligned => "reference",
            };
            list.push((("llm", value), Options { llm: Some(value.to_owned()), ..options.clone() }));
        }
        Ok(list)
    }

    /// A workspace with the same files, nothing read of them yet.
    fn twin(&self) -> Workspace {
        Workspace {
            inputs: self.inputs.clone(),
            systems: self.systems.clone(),
            predictions: self.systems.iter().map(|_| None).collect(),
            ..Workspace::default()
        }
    }

    fn score_once(&mut self, options: &Options, progress: OnProgress<'_>) -> Result<Outcome, Failure> {
        self.last = None;
        options.check()?;
        if !self.has(Role::Gold) {
            return Err(Failure::new("no_gold", "there is no gold: add a file with gold annotations"));
        }
        if !self.has(Role::Prediction) {
            return Err(Failure::new("no_predictions", "there are no predictions: add a system's file"));
        }
        if options.tokens()? == Tokens::From(TokenSource::Tokenizer) {
            self.can_tokenize()?;
        }
        self.load(options, progress)?;
        let mut rules = Rules::new(options)?;
        let own_maps = self.own_maps(&mut rules);
        let chosen = rules.chosen(options);
        let Some(gold) = self.gold_corpus().filter(|gold| !gold.documents.is_empty()) else {
            let message = "no document could be read from the gold files; see their problems";
            return Err(Failure::new("empty_gold", message));
        };
        let renamed = scheme::rename(gold, rules.gold(), &[]);
        let selection = Selection::new(gold, &rules, &renamed)?;
        let done = self.gold.as_ref().map_or(&[][..], |loaded| &loaded.done);
        let run =
            Run { gold, done, renamed: &renamed, rules: &rules, selection: &selection, chosen, options };
        let (mut systems, mut scored, mut differences) = (Vec::new(), Vec::new(), Vec::new());
        let mut sides = vec![renamed.clone()];
        for (at, name) in self.systems.iter().enumerate() {
            let Some(pred) = self.predicted_corpus(at) else { continue };
            let folds = rules.folds(name, pred.labels.names(), &renamed);
            let applied = if options.fold_labels { &folds[..] } else { &[] };
            let renamed = scheme::rename(pred, rules.predictions(name), applied);
            let pairing =
                self.predictions[at].as_ref().and_then(|loaded| loaded.placed.as_ref()?.pairing.clone());
            let tokenizer = self.tokenizer(name);
            let (mut system, kept, differ) =
                run.system(name, pred, pairing, &renamed, tokenizer, progress)?;
            differences.push(differ);
            system.folds = shown(&folds, options.fold_labels);
            let mut notes = Notes::default();
            // A file that holds both sides may well be on both.
            let both = |file: &File| file.both_sides;
            notes.own_map(own_maps.get(at).copied().flatten());
            notes.folds(&folds, options.fold_labels);
            notes.gold_of(&rules, &selection, gold, kept.as_ref());
            notes.map_of(&rules, name);
            notes.same_file(!pred.files.iter().any(both) && self.same_file(gold, pred));
            system.notes.splice(0..0, notes.into_list());
            systems.push(system);
            scored.push(kept);
            sides.push(renamed);
        }
        let labels = scheme::scored(&sides, run.chosen.as_deref());
        let report = Report {
            schema: report::SCHEMA,
            clinscore: env!("CARGO_PKG_VERSION"),
            run: options.clone(),
            definition: options.method()?.definition.clone(),
            modes: span::mode_tables(),
            dataset: rules.dataset.map(|dataset| dataset.shown.clone()),
            labels_from: rules.labels_from(options),
            inputs: describe::inputs(&self.inputs, self.corpora(), options.paths),
            tokenizers: describe::tokenizers(&self.tokenizers, options.paths),
            gold: {
                let predicted: BTreeSet<&String> = sides[1..].iter().flatten().flatten().collect();
                describe::side(gold, &renamed, &labels, &predicted, Some(&selection.problems), options.paths)
            },
            labels,
            systems,
        };
        Ok(Outcome { report, scored, differences })
    }
}

/// Makes gold what a benchmark's loader makes of it: in `corrected` mode its documents alone are selected.
fn prepare(gold: &mut Corpus, dataset: &NcerDataset, mode: Mode) -> Result<Vec<Done>, Failure> {
    for document in loader::select(gold, dataset) {
        let place = Place::default().of(&document);
        gold.problems.add(Kind::DatasetSelects, place, "a document of another split", "");
    }
    let done = match mode {
        Mode::Reference => {
            // What became of each is said below.
            gold.problems.forget_kind(Kind::Discontinuous);
            loader::reference(gold, dataset)?
        }
        Mode::Corrected => Vec::new(),
    };
    for one in &done {
        let kind = match one.kind {
            "spans_dropped" => Kind::DatasetDropsSpan,
            "spans_moved" => Kind::DatasetMovesSpan,
            _ => Kind::DatasetFirstFragment,
        };
        for (document, found) in &one.places {
            gold.problems.add(kind, Place::default().of(document), found.as_str(), "");
        }
    }
    Ok(done)
}

/// Pairs predictions with gold and puts their spans in their places on gold's texts. The inner result says
/// why documents cannot be paired.
fn place_predictions(
    by_gold: &Loaded,
    pred: &mut Corpus,
    by: &PlacedBy,
    map: &dyn Fn(&str) -> Option<String>,
    placing: &Placing,
) -> Result<Result<Pairing, Failure>, Failure> {
    let gold = &by_gold.corpus;
    let pairing = match place::tokens::align(gold, pred, by.normalise_ids)? {
        Some(pairing) => pairing,
        None => pairing::pair(gold, pred, by.normalise_ids),
    };
    let mut met = vec![None; pred.documents.len()];
    for &(gold, pred) in pairing.iter().flat_map(|pairing| &pairing.pairs) {
        if let Some(pred) = pred {
            met[pred as usize] = Some(gold);
        }
    }
    if let Some((name, mode)) = by_gold.loader
        && ncer::dataset(name).is_some_and(|dataset| dataset.loading == Loading::Chia)
    {
        let raw = placing.offsets.lf == Some(false);
        for (from, documents) in loader::bring(pred, gold, &met, mode == Mode::Corrected, raw)? {
            let found = format!("{documents} documents whose offsets count in {from}");
            pred.problems.add(Kind::DatasetOtherText, Place::default(), found, "");
        }
    }
    let against = Some(Against { gold, documents: &met });
    place::answers::read(pred, against, map)?;
    place::settle(pred, against, placing)?;
    Ok(pairing.map_err(|why| Failure::new("cannot_pair", why)))
}

/// The clean-up switches that concern any span, and the headline F1 with and without each.
fn clean_ups(run: &Comparison<'_>, events: &Events, noticed: &Noticed) -> Vec<CleanUp> {
    type Switch = (fn(&Cleanable) -> u64, fn(&mut Clean) -> &mut bool);
    let switches: [Switch; 4] = [
        (|c| c.trim, |c| &mut c.trim),
        (|c| c.dedupe, |c| &mut c.dedupe),
        (|c| c.unusable, |c| &mut c.unusable),
        (|c| c.o_label, |c| &mut c.o_label),
    ];
    let here = notes::headline(run, events);
    let whole = span::total(&span::tallies(events, run.scheme.scored));
    let mut list = Vec::new();
    for (&(switch, title), (count, flag)) in CLEAN.iter().zip(switches) {
        let [gold, predicted] = [0, 1].map(|side| count(&noticed.cleanable[side]));
        if gold + predicted == 0 {
            continue;
        }
        let mut clean = run.clean;
        let on = *flag(&mut clean);
        *flag(&mut clean) = !on;
        let other = Comparison { clean, ..*run };
        // Only pairs with such spans are aligned again.
        let concerned: Vec<usize> =
            noticed.concerned.iter().filter(|(_, of)| count(of) > 0).map(|(at, _)| *at).collect();
        let mut before = Events::default();
        concerned.iter().for_each(|&at| before.list.extend_from_slice(events.of(at)));
        let after = other.align_pairs(concerned.into_iter(), |_| {});
        let [before, after] =
            [before, after].map(|events| span::total(&span::tallies(&events, run.scheme.scored)));
        let mut tally = whole;
        for (sum, (before, after)) in tally.iter_mut().zip(before.iter().zip(&after)) {
            *sum = *sum + after - before;
        }
        let there = span::modes(&tally).ent_type.f1;
        let (with, without) = if on { (here, there) } else { (there, here) };
        list.push(CleanUp { switch, title, on, gold, predicted, with, without });
    }
    list
}

fn shown(folds: &[Fold], applied: bool) -> Vec<LabelFold> {
    let shown =
        |fold: &Fold| LabelFold { from: fold.from.clone(), to: fold.to.clone(), rule: fold.rule, applied };
    folds.iter().map(shown).collect()
}

/// Whether two sources of one length hold the same.
fn same_bytes(a: &SharedSource, b: &SharedSource) -> Result<bool, SourceError> {
    const STEP: u64 = 1 << 16;
    let mut at = 0;
    while at < a.len() {
        let take = STEP.min(a.len() - at);
        if source::read_range(&**a, at, take)? != source::read_range(&**b, at, take)? {
            return Ok(false);
        }
        at += take;
    }
    Ok(true)
}

/// What all systems of a run share.
struct Run<'a> {
    gold: &'a Corpus,
    /// What a benchmark's loader did to it.
    done: &'a [Done],
    renamed: &'a Renamed,
    rules: &'a Rules,
    selection: &'a Selection,
    chosen: Option<Vec<String>>,
    options: &'a Options,
}

impl Run<'_> {
    /// One system: scored, or why it cannot be.
    fn system(
        &self,
        name: &str,
        pred: &Corpus,
        pairing: Option<Result<Pairing, Failure>>,
        renamed: &Renamed,
        tokenizer: Option<&Tokenizer>,
        progress: OnProgress<'_>,
    ) -> Result<(System, Option<Scored>, Vec<Difference>), Failure> {
        let scheme = Scheme::new(self.chosen.as_deref(), self.renamed, renamed);
        let labels = &scheme.names[..scheme.scored];
        let mut system = System {
            name: name.to_owned(),
            side: describe::side(
                pred,
                renamed,
                labels,
                &self.renamed.iter().flatten().collect(),
                None,
                self.options.paths,
            ),
            folds: Vec::new(),
            clean: Vec::new(),
            failure: None,
            pairing: describe::pairing(self.gold, pred, &Pairing::default()),
            spans: None,
            classes: None,
            classes_missing: None,
            tokens: None,
            tokens_missing: None,
            concepts: None,
            answers: None,
            beside: Vec::new(),
            notes: Vec::new(),
        };
        match self.pair(pred, pairing) {
            Err(failure) => {
                system.failure = Some(failure);
                Ok((system, None, Vec::new()))
            }
            Ok(pairing) => {
                system.pairing = describe::pairing(self.gold, pred, &pairing);
                if pairing.pairs.iter().all(|pair| pair.1.is_none()) {
                    system.failure = Some(self.nothing_in_common(&pairing));
                    return Ok((system, None, Vec::new()));
                }
                let (scored, differences) =
                    self.score(&mut system, pred, pairing, scheme, tokenizer, progress)?;
                Ok((system, scored, differences))
            }
        }
    }

    fn pair(&self, pred: &Corpus, pairing: Option<Result<Pairing, Failure>>) -> Result<Pairing, Failure> {
        if pred.documents.is_empty() {
            let message = "no document could be read from the predictions; see their problems";
            return Err(Failure::new("empty_predictions", message));
        }
        let mut pairing = pairing.unwrap_or_else(|| Err(Failure::no_score()))?;
        self.selection.apply(&mut pairing, self.options.common_only);
        Ok(pairing)
    }

    /// Why no documents are left to compare.
    fn nothing_in_common(&self, pairing: &Pairing) -> Failure {
        if !self.selection.any() {
            let message = "the dataset's label map fits no gold span, so that its loader drops every gold \
                           document; is this the gold of that dataset?";
            return Failure::new("dataset_drops_all", message);
        }
        let mut message =
            "no predicted document has the id of a gold document; compare the ids on both sides".to_owned();
        if let Some(proposal) = &pairing.proposal {
            message.push_str(&format!(
                "; without {} {} would meet: confirm with normaliseIds",
                proposal.steps.join(", "),
                proposal.more
            ));
        }
        Failure::new("no_common_documents", message)
    }

    /// Scores a paired system into its report, or says there why it cannot be.
    fn score(
        &self,
        system: &mut System,
        pred: &Corpus,
        pairing: Pairing,
        scheme: Scheme,
        tokenizer: Option<&Tokenizer>,
        progress: OnProgress<'_>,
    ) -> Result<(Option<Scored>, Vec<Difference>), Failure> {
        let comparison = Comparison {
            method: self.options.method()?,
            gold: self.gold,
            pred,
            pairing: &pairing,
            selection: self.selection,
            scheme: &scheme,
            fragments: self.options.fragments()?,
            clean: self.options.clean()?,
        };
        if let Err(failure) = comparison.feasible() {
            // This system's alone: the others are scored.
            system.failure = Some(failure);
            return Ok((None, Vec::new()));
        }
        let mut notes = Notes::default();
        let renaming = [self.rules.gold(), self.rules.predictions(&system.name)];
        match classes::score(self.gold, pred, &pairing, renaming, self.chosen.as_deref()) {
            None => {}
            Some(Err(why)) => system.classes_missing = Some(why.to_owned()),
            Some(Ok((report, found))) => {
                system.classes = Some(report);
                notes.extend(found);
            }
        }
        system.answers = answers::count(&comparison, self.options.llm()?);
        system.answers.iter().for_each(|answers| notes.answers(answers));
        let (events, mut noticed) = comparison.align(progress);
        let spans = span::report(&events, &scheme.names[..scheme.scored], &noticed.gold, &noticed.pred);
        let (concepts, of_concepts) = concepts::score(&comparison);
        system.concepts = concepts;
        match comparison.tokens(self.options, tokenizer, &mut noticed, progress)? {
            Ok(tokens) => system.tokens = Some(tokens),
            Err(why) => system.tokens_missing = Some(why),
        }
        notes.offsets(&comparison);
        notes.pairing(&comparison, self.options.normalise_ids);
        notes.documents(&comparison, &events);
        notes.ill_formed(&comparison);
        notes.unplaced(&comparison);
        notes.left_out(&comparison, &spans);
        notes.order(&comparison, &events, &noticed);
        notes.surprises(&comparison, &events, &noticed);
        if self.rules.labels_from(self.options) == LabelsFrom::Union {
            notes.labels(&comparison, &spans);
        }
        system.tokens.iter().for_each(|tokens| notes.tokens(tokens));
        notes.tokenizer(tokenizer);
        notes.extend(of_concepts);
        system.clean = clean_ups(&comparison, &events, &noticed);
        notes.clean(&system.clean);
        system.notes = notes.into_list();
        // Files of document-level labels alone have no spans to score.
        if !(self.gold.spans.is_empty() && pred.spans.is_empty() && system.classes.is_some()) {
            system.spans = Some(spans);
        }
        let differences = match self.rules.dataset {
            Some(_) if self.rules.mode == Mode::Reference => {
                differences::list(&comparison, self.done, &events, &noticed)
            }
            _ => Vec::new(),
        };
        Ok((Some(Scored { pairing, events, scheme }), differences))
    }
}

/// What was read, before a score.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Inspection {
    /// As in the report.
    pub inputs: Vec<Input>,
    /// As in the report.
    pub tokenizers: Vec<TokenizerFile>,
    /// As in the report; absent without gold files.
    pub gold: Option<Side>,
    /// Each system's side.
    pub systems: Vec<InspectedSystem>,
}

/// One system of an [`Inspection`].
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InspectedSystem {
    /// Name, as it was given.
    pub name: String,
    /// As in the report.
    pub side: Side,
    /// Predicted labels that are gold's but for their spelling.
    pub folds: Vec<LabelFold>,
}

/// SHA-256 of a source, read in pieces.
fn sha256(source: &SharedSource, progress: &mut dyn FnMut(u64)) -> Result<String, SourceError> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    let mut at = 0;
    while at < source.len() {
        let take = usize::try_from(source.len() - at).unwrap_or(usize::MAX).min(buffer.len());
        source.read(at, &mut buffer[..take])?;
        hasher.update(&buffer[..take]);
        at += take as u64;
        progress(at);
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A gold or predicted span index of an event, if there is one.
pub(crate) fn present(index: u32) -> Option<u32> {
    (index != NONE).then_some(index)
}
