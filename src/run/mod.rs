//! A run from files to the report: the only place that knows the order of the rooms.

use crate::align::{Event, Events, Item, NONE, nervaluate};
use crate::benchmarks::ncer::NcerDataset;
use crate::corpus::pairing::{self, Pairing};
use crate::corpus::problems::{Kind, Place, Problems};
use crate::corpus::scheme::{LabelMap, Mapping, Renaming, Scheme};
use crate::corpus::text::{TextReader, locate};
use crate::corpus::{Corpus, Document, Span, Surface};
use crate::formats::{self, Choices, Given};
use crate::metrics::{span, token::TokenCounts};
use crate::report::{
    self, Input, LabelUse, LabelsFrom, ProblemGroup, ProblemItem, Report, Side, System,
};
use crate::source::{SharedSource, SourceError};
use crate::tokens::{self, Canvas, TokenSource};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;

mod notes;
mod options;

pub use options::Options;
use options::Tokens;

/// What an input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The reference annotation.
    Gold,
    /// What a system predicted.
    Prediction,
}

/// Why nothing could be scored, in the user's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Stable name.
    pub code: &'static str,
    /// One sentence: what, where, what to do.
    pub message: String,
    /// What was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// What was expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
}

impl Failure {
    fn new(code: &'static str, message: impl Into<String>) -> Self {
        Failure {
            code,
            message: message.into(),
            found: None,
            expected: None,
        }
    }

    pub(crate) fn option(name: &str, found: &str, expected: &str) -> Self {
        Failure {
            code: "bad_option",
            message: format!("option {name}: found {found:?}, expected {expected}"),
            found: Some(found.to_owned()),
            expected: Some(expected.to_owned()),
        }
    }

    /// Something was asked about a score that is not there.
    pub(crate) fn no_score() -> Self {
        Failure::new("no_score", "nothing is scored yet")
    }

    /// An output that cannot be made.
    pub(crate) fn output(shape: &str, why: &str) -> Self {
        Failure::new("bad_output", format!("output {shape}: {why}"))
    }

    /// A run file that is not one.
    pub fn run_file(why: &str) -> Self {
        Failure::new("bad_run_file", format!("the options cannot be read: {why}"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        Failure::new(
            "unreadable",
            format!("a file cannot be read any more: {error}"),
        )
    }
}

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
    corpus: Corpus,
}

/// What a system's last score was made of; [`crate::why`] reads it.
pub(crate) struct Scored {
    pub(crate) pairing: Pairing,
    /// Per pair, like `pairing.pairs`.
    pub(crate) events: Events,
}

/// The last score.
pub(crate) struct Outcome {
    pub(crate) report: Report,
    pub(crate) scheme: Scheme,
    pub(crate) scored: Vec<Option<Scored>>,
}

/// Files, what was read from them, and the last score.
#[derive(Default)]
pub struct Workspace {
    inputs: Vec<InputFile>,
    systems: Vec<String>,
    gold: Option<Loaded>,
    predictions: Vec<Option<Loaded>>,
    last: Option<Outcome>,
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
                number = self
                    .systems
                    .iter()
                    .position(|name| name == system)
                    .unwrap_or_else(|| {
                        self.systems.push(system.to_owned());
                        self.predictions.push(None);
                        self.systems.len() - 1
                    });
                self.predictions[number] = None;
            }
        }
        self.last = None;
        self.inputs.push(InputFile {
            role,
            system: number,
            path: path.to_owned(),
            source,
            sha256: None,
        });
        self.inputs.len() - 1
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
        self.predictions
            .get(system)?
            .as_ref()
            .map(|loaded| &loaded.corpus)
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
                    progress(Progress {
                        stage: "hash",
                        done: done + bytes,
                        total,
                    });
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

    /// Reads what is new or is to be read in another way.
    fn load(&mut self, options: &Options, progress: OnProgress<'_>) -> Result<(), Failure> {
        let gold = options.choices(Role::Gold)?;
        let pred = options.choices(Role::Prediction)?;
        let stale = |loaded: &Option<Loaded>, choices: &Choices| {
            loaded
                .as_ref()
                .is_none_or(|loaded| loaded.choices != *choices)
        };
        let mut jobs = Vec::new();
        if stale(&self.gold, &gold) {
            jobs.push((Role::Gold, 0));
        }
        jobs.extend(
            (0..self.systems.len())
                .filter(|&at| stale(&self.predictions[at], &pred))
                .map(|at| (Role::Prediction, at)),
        );
        let of = |(role, system): (Role, usize)| -> Vec<Given> {
            let inputs = self.inputs.iter().enumerate();
            inputs
                .filter(|(_, input)| {
                    input.role == role && (role == Role::Gold || input.system == system)
                })
                .map(|(at, input)| Given {
                    input: at,
                    path: input.path.clone(),
                    source: input.source.clone(),
                })
                .collect()
        };
        let given: Vec<Vec<Given>> = jobs.iter().map(|&job| of(job)).collect();
        let total: u64 = given.iter().flatten().map(|given| given.source.len()).sum();
        let mut before = 0;
        for ((role, system), given) in jobs.into_iter().zip(given) {
            let choices = if role == Role::Gold { &gold } else { &pred };
            let corpus = formats::load(&given, choices, &mut |bytes| {
                progress(Progress {
                    stage: "read",
                    done: (before + bytes).min(total),
                    total,
                });
            });
            before += given.iter().map(|given| given.source.len()).sum::<u64>();
            let loaded = Some(Loaded {
                choices: choices.clone(),
                corpus,
            });
            match role {
                Role::Gold => self.gold = loaded,
                Role::Prediction => self.predictions[system] = loaded,
            }
        }
        Ok(())
    }

    /// What was read, before anything can be scored: inputs, the gold side and each system's side.
    ///
    /// # Errors
    /// When an option has no meaning.
    pub fn inspect(
        &mut self,
        options: &Options,
        progress: OnProgress<'_>,
    ) -> Result<Inspection, Failure> {
        options.check()?;
        self.load(options, progress)?;
        let rules = Rules::new(options)?;
        let scheme = self.scheme(options, &rules);
        let gold = self.gold_corpus().filter(|_| self.has(Role::Gold));
        Ok(Inspection {
            inputs: self.describe_inputs(options.paths),
            gold: gold.map(|corpus| {
                self.side(
                    corpus,
                    &rules.gold(),
                    &scheme,
                    &scheme.gold,
                    &Problems::default(),
                    options.paths,
                )
            }),
            systems: (0..self.systems.len())
                .filter_map(|at| {
                    let corpus = self.predicted_corpus(at)?;
                    let (renaming, mapping) = (rules.predictions(), &scheme.systems[at]);
                    let none = Problems::default();
                    let side = self.side(corpus, &renaming, &scheme, mapping, &none, options.paths);
                    Some(InspectedSystem {
                        name: self.systems[at].clone(),
                        side,
                    })
                })
                .collect(),
        })
    }

    fn has(&self, role: Role) -> bool {
        self.inputs.iter().any(|input| input.role == role)
    }

    fn scheme(&self, options: &Options, rules: &Rules) -> Scheme {
        let empty = Corpus::default();
        let gold = self.gold_corpus().unwrap_or(&empty);
        let systems: Vec<(&Corpus, Renaming<'_>)> = (0..self.systems.len())
            .map(|at| {
                (
                    self.predicted_corpus(at).unwrap_or(&empty),
                    rules.predictions(),
                )
            })
            .collect();
        let types: Option<Vec<String>> = rules
            .dataset
            .map(|dataset| dataset.types.iter().map(|t| (*t).to_owned()).collect());
        let chosen = options
            .labels
            .as_deref()
            .filter(|labels| !labels.is_empty())
            .or(types.as_deref());
        Scheme::new(chosen, (gold, rules.gold()), &systems)
    }

    /// Scores every system against gold.
    ///
    /// # Errors
    /// When a side is missing, an option has no meaning, or documents cannot be paired.
    pub fn score(
        &mut self,
        options: &Options,
        progress: OnProgress<'_>,
    ) -> Result<&Report, Failure> {
        options.check()?;
        if !self.has(Role::Gold) {
            return Err(Failure::new(
                "no_gold",
                "there is no gold: add a file with gold annotations",
            ));
        }
        if !self.has(Role::Prediction) {
            return Err(Failure::new(
                "no_predictions",
                "there are no predictions: add a system's file",
            ));
        }
        self.load(options, progress)?;
        let rules = Rules::new(options)?;
        let scheme = self.scheme(options, &rules);
        let Some(gold) = self.gold_corpus() else {
            return Err(Failure::new("no_gold", "there is no gold"));
        };
        let selection = Selection::new(gold, &rules, &scheme)?;
        if gold.documents.is_empty() {
            let message = "no document could be read from the gold files; see their problems";
            return Err(Failure::new("empty_gold", message));
        }
        let mut systems = Vec::new();
        let mut scored = Vec::new();
        for at in 0..self.systems.len() {
            let Some(pred) = self.predicted_corpus(at) else {
                continue;
            };
            let (system, kept) = self.score_system(
                at, gold, pred, &selection, &rules, &scheme, options, progress,
            )?;
            systems.push(system);
            scored.push(Some(kept));
        }
        let report = Report {
            schema: report::SCHEMA,
            clinscore: env!("CARGO_PKG_VERSION"),
            run: options.clone(),
            definition: options.definition()?.clone(),
            dataset: rules.dataset.map(|dataset| dataset.shown.clone()),
            labels: scheme.names[..scheme.scored].to_vec(),
            labels_from: match (&options.labels, rules.dataset) {
                (Some(labels), _) if !labels.is_empty() => LabelsFrom::Chosen,
                (_, Some(_)) => LabelsFrom::Dataset,
                _ => LabelsFrom::Union,
            },
            inputs: self.describe_inputs(options.paths),
            gold: self.side(
                gold,
                &rules.gold(),
                &scheme,
                &scheme.gold,
                &selection.problems,
                options.paths,
            ),
            systems,
        };
        let last = Outcome {
            report,
            scheme,
            scored,
        };
        Ok(&self.last.insert(last).report)
    }

    #[allow(clippy::too_many_arguments)]
    fn score_system(
        &self,
        at: usize,
        gold: &Corpus,
        pred: &Corpus,
        selection: &Selection,
        rules: &Rules,
        scheme: &Scheme,
        options: &Options,
        progress: OnProgress<'_>,
    ) -> Result<(System, Scored), Failure> {
        let name = &self.systems[at];
        let mut pairing = pairing::pair(gold, pred)
            .map_err(|why| Failure::new("cannot_pair", format!("{name}: {why}")))?;
        selection.apply(&mut pairing);
        let mapping = &scheme.systems[at];
        let run = Alignment {
            gold,
            pred,
            selection,
            scheme,
            mapping,
        };
        let events = run.events(
            &pairing,
            &mut nervaluate::Aligner::default(),
            Order::Given,
            progress,
        );
        let counts = run.label_counts(&pairing);
        let labels = &scheme.names[..scheme.scored];
        let spans = span::report(&events, labels, &counts.0, &counts.1);
        let (tokens, tokens_missing) = match self.tokens(&run, &pairing, options, progress)? {
            Ok(tokens) => (Some(tokens), None),
            Err(why) => (None, Some(why.to_owned())),
        };
        let notes = notes::notes(
            &run,
            &pairing,
            &events,
            &spans,
            tokens.as_ref(),
            options.labels.is_none(),
            rules,
        );
        let none = Problems::default();
        let system = System {
            name: name.clone(),
            side: self.side(
                pred,
                &rules.predictions(),
                scheme,
                mapping,
                &none,
                options.paths,
            ),
            pairing: describe_pairing(gold, pred, &pairing),
            spans: Some(spans),
            tokens,
            tokens_missing,
            notes,
        };
        Ok((system, Scored { pairing, events }))
    }

    /// The token report, or why there is none.
    fn tokens(
        &self,
        run: &Alignment<'_>,
        pairing: &Pairing,
        options: &Options,
        progress: OnProgress<'_>,
    ) -> Result<Result<report::TokenReport, &'static str>, Failure> {
        let has_tokens = |corpus: &Corpus| corpus.documents.iter().any(|d| d.tokens.is_some());
        let source = match options.tokens()? {
            Tokens::None => return Ok(Err("token scores were not asked for")),
            Tokens::From(source) => source,
            Tokens::Auto if has_tokens(run.gold) => TokenSource::File,
            Tokens::Auto => TokenSource::Words,
        };
        let mut counts = TokenCounts::default();
        let (mut gold_reader, mut pred_reader) =
            (TextReader::new(run.gold), TextReader::new(run.pred));
        let (mut text, mut list) = (String::new(), Vec::new());
        let (mut gold_canvas, mut pred_canvas) = (Canvas::default(), Canvas::default());
        let total = pairing.pairs.len() as u64;
        for (done, &(g, p)) in pairing.pairs.iter().enumerate() {
            progress(Progress {
                stage: "tokens",
                done: done as u64,
                total,
            });
            let document = &run.gold.documents[g as usize];
            let predicted = p.map(|p| &run.pred.documents[p as usize]);
            let found = gold_reader.read(document, &mut text)?
                || match predicted {
                    Some(predicted) => pred_reader.read(predicted, &mut text)?,
                    None => false,
                };
            if !found {
                counts.without_text += 1;
                continue;
            }
            if source == TokenSource::File {
                let Some(words) = gold_reader.tokens(document)? else {
                    counts.without_text += 1;
                    continue;
                };
                let Some(places) = locate(&text, &words) else {
                    counts.without_text += 1;
                    continue;
                };
                list.clear();
                list.extend(
                    places
                        .into_iter()
                        .map(|(start, end)| (start as u32, end as u32)),
                );
            } else {
                tokens::tokenize(source, &text, &mut list);
            }
            counts.documents += 1;
            let length = crate::corpus::text::code_points(text.as_bytes()) as usize;
            run.paint(document, true, length, &mut gold_canvas);
            match predicted {
                Some(predicted) => run.paint(predicted, false, length, &mut pred_canvas),
                None => pred_canvas.clear(length),
            }
            for &token in &list {
                let (gold_label, gold_tie) = gold_canvas.label(token);
                let (pred_label, pred_tie) = pred_canvas.label(token);
                counts.gold_ties += u64::from(gold_tie);
                counts.pred_ties += u64::from(pred_tie);
                counts.add(gold_label, pred_label);
            }
        }
        if counts.documents == 0 {
            return Ok(Err(match source {
                TokenSource::File => {
                    "no gold document holds tokens that its text has in this order"
                }
                _ => "no document has a text, so there are no tokens to score",
            }));
        }
        Ok(Ok(counts.report(
            source,
            &run.scheme.names,
            run.scheme.scored,
        )))
    }

    fn describe_inputs(&self, paths: bool) -> Vec<Input> {
        let mut inputs: Vec<Input> = self
            .inputs
            .iter()
            .map(|input| Input {
                role: input.role,
                system: (input.role == Role::Prediction).then_some(input.system),
                path: paths.then(|| input.path.clone()),
                bytes: input.source.len(),
                sha256: input.sha256.clone(),
                format: None,
                format_reason: String::new(),
                encoding: None,
                byte_order_mark: false,
                documents: 0,
                spans: 0,
                problems: 0,
            })
            .collect();
        let corpora = self.gold.iter().chain(self.predictions.iter().flatten());
        for Loaded { corpus, .. } in corpora {
            for (at, file) in corpus.files.iter().enumerate() {
                let input = &mut inputs[file.input];
                input.problems += corpus.problems.of_file(at as u32);
                if file.format.is_some() && input.format.is_none() {
                    input.format = file.format;
                    input.format_reason.clone_from(&file.reason);
                }
                if input.encoding.is_none() && !file.decoding.encoding.is_empty() {
                    input.encoding = Some(file.decoding.encoding);
                }
                input.byte_order_mark |= file.decoding.byte_order_mark;
            }
            for document in &corpus.documents {
                let input = &mut inputs[corpus.files[document.file as usize].input];
                input.documents += 1;
                input.spans += u64::from(document.spans.end - document.spans.start);
            }
        }
        inputs
    }

    fn side(
        &self,
        corpus: &Corpus,
        renaming: &Renaming<'_>,
        scheme: &Scheme,
        mapping: &Mapping,
        more: &Problems,
        paths: bool,
    ) -> Side {
        let mut uses = vec![0_u64; corpus.labels.names().len()];
        for span in &corpus.spans {
            uses[span.label as usize] += 1;
        }
        let mut labels: Vec<LabelUse> = corpus
            .labels
            .names()
            .iter()
            .enumerate()
            .map(|(at, label)| LabelUse {
                label: label.clone(),
                spans: uses[at],
                mapped: renaming.apply(label),
                scored: scheme.scored(mapping, at as u32).is_some(),
            })
            .collect();
        labels.sort_by(|a, b| a.label.cmp(&b.label));
        let mut problems = groups(corpus, &corpus.problems, paths);
        problems.extend(groups(corpus, more, paths));
        let dropped: Vec<&LabelUse> = labels.iter().filter(|use_| use_.mapped.is_none()).collect();
        if dropped.iter().any(|use_| use_.spans > 0) {
            problems.push(ProblemGroup {
                kind: Kind::UnmappedLabel.name(),
                title: Kind::UnmappedLabel.title(),
                loses: true,
                count: dropped.iter().map(|use_| use_.spans).sum(),
                items: dropped
                    .iter()
                    .map(|use_| ProblemItem {
                        input: None,
                        entry: None,
                        line: None,
                        document: None,
                        found: format!("{} spans labelled {:?}", use_.spans, use_.label),
                        expected: "a label that the map names".into(),
                    })
                    .collect(),
            });
        }
        Side {
            documents: corpus.documents.len() as u64,
            spans: corpus.spans.len() as u64,
            labels,
            problems,
        }
    }
}

/// What was read, before a score.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Inspection {
    /// As in the report.
    pub inputs: Vec<Input>,
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
}

fn groups(corpus: &Corpus, problems: &Problems, paths: bool) -> Vec<ProblemGroup> {
    let item = |problem: &crate::corpus::problems::Problem| {
        let file = problem
            .place
            .file
            .and_then(|at| corpus.files.get(at as usize));
        ProblemItem {
            input: file.map(|file| file.input),
            entry: file.filter(|_| paths).map(|file| file.path.clone()),
            line: Some(problem.place.line).filter(|&line| line > 0),
            document: problem.place.document.clone(),
            found: problem.found.clone(),
            expected: problem.expected.clone(),
        }
    };
    problems
        .by_kind()
        .into_iter()
        .map(|(kind, count, listed)| ProblemGroup {
            kind: kind.name(),
            title: kind.title(),
            loses: kind.loses(),
            count,
            items: listed.into_iter().map(item).collect(),
        })
        .collect()
}

fn describe_pairing(gold: &Corpus, pred: &Corpus, pairing: &Pairing) -> report::Pairing {
    let id = |document: &Document| document.id.clone();
    let texts_differ = |&(g, p): &(u32, Option<u32>)| {
        let (g, p) = (&gold.documents[g as usize], &pred.documents[p? as usize]);
        (g.digest? != p.digest?).then(|| id(g))
    };
    report::Pairing {
        by: if pairing.by_position {
            "position"
        } else {
            "id"
        },
        both: pairing.pairs.iter().filter(|pair| pair.1.is_some()).count() as u64,
        gold_only: pairing
            .pairs
            .iter()
            .filter(|pair| pair.1.is_none())
            .map(|pair| id(&gold.documents[pair.0 as usize]))
            .collect(),
        predicted_only: pairing
            .predicted_only
            .iter()
            .map(|&at| id(&pred.documents[at as usize]))
            .collect(),
        text_differs: pairing.pairs.iter().filter_map(texts_differ).collect(),
    }
}

/// SHA-256 of a source, read in pieces.
fn sha256(source: &SharedSource, progress: &mut dyn FnMut(u64)) -> Result<String, SourceError> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    let mut at = 0;
    while at < source.len() {
        let take = usize::try_from(source.len() - at)
            .unwrap_or(usize::MAX)
            .min(buffer.len());
        source.read(at, &mut buffer[..take])?;
        hasher.update(&buffer[..take]);
        at += take as u64;
        progress(at);
    }
    Ok(hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

/// What the options say about labels.
pub(crate) struct Rules {
    pub(crate) dataset: Option<&'static NcerDataset>,
    dataset_map: LabelMap,
    map: Option<LabelMap>,
}

impl Rules {
    fn new(options: &Options) -> Result<Self, Failure> {
        let dataset = options.ncer()?;
        let dataset_map = dataset.map(NcerDataset::label_map).unwrap_or_default();
        Ok(Rules {
            dataset,
            dataset_map,
            map: options.map.clone(),
        })
    }

    fn gold(&self) -> Renaming<'_> {
        match (&self.dataset, &self.map) {
            (Some(_), _) => Renaming::Map(&self.dataset_map),
            (None, Some(map)) => Renaming::Map(map),
            (None, None) => Renaming::None,
        }
    }

    /// A model's map under a benchmark names every label that counts; without one, predictions may carry
    /// the corpus' own labels or the clinical types.
    fn predictions(&self) -> Renaming<'_> {
        match (&self.dataset, &self.map) {
            (Some(_), Some(map)) => Renaming::Keys(map),
            (Some(_), None) => Renaming::Map(&self.dataset_map),
            (None, Some(map)) => Renaming::Map(map),
            (None, None) => Renaming::None,
        }
    }
}

/// What a benchmark's loader keeps of gold.
pub(crate) struct Selection {
    /// Per gold document; empty: all.
    documents: Vec<bool>,
    exact_surface: bool,
    problems: Problems,
}

impl Selection {
    fn new(gold: &Corpus, rules: &Rules, scheme: &Scheme) -> Result<Self, Failure> {
        let mut this = Selection {
            documents: Vec::new(),
            exact_surface: false,
            problems: Problems::default(),
        };
        if rules.dataset.is_none() {
            return Ok(this);
        }
        this.exact_surface = true;
        let mut reader = TextReader::new(gold);
        let mut text = String::new();
        for document in &gold.documents {
            let place = || Place::at(document.file, document.line).of(&document.id);
            let mut spans = 0;
            for span in gold.spans_of(document) {
                if scheme
                    .gold
                    .get(span.label as usize)
                    .copied()
                    .flatten()
                    .is_none()
                {
                    continue;
                }
                if this.keeps(gold, span) {
                    spans += 1;
                } else {
                    let found =
                        format!("a span {}–{} whose own text differs", span.start, span.end);
                    this.problems.add(
                        Kind::DatasetDropsSpan,
                        place(),
                        found,
                        "the document's text there",
                    );
                }
            }
            // "na" is how the benchmark's data frame spells a blank text.
            let short = document.digest.is_some_and(|digest| digest.length <= 2);
            let blank =
                short && reader.read(document, &mut text)? && matches!(text.trim(), "" | "na");
            if blank || spans == 0 {
                let found = if blank {
                    "a blank text"
                } else {
                    "no gold span of a clinical type"
                };
                this.problems
                    .add(Kind::DatasetDropsDocument, place(), found, "");
            }
            this.documents.push(!blank && spans > 0);
        }
        Ok(this)
    }

    /// Whether a gold span counts.
    fn keeps(&self, gold: &Corpus, span: &Span) -> bool {
        !self.exact_surface
            || gold
                .detail(span)
                .is_none_or(|detail| detail.surface == Surface::Agrees)
    }

    /// Takes documents that do not count out of a pairing.
    fn apply(&self, pairing: &mut Pairing) {
        if !self.documents.is_empty() {
            pairing.pairs.retain(|pair| self.documents[pair.0 as usize]);
        }
    }
}

/// In which order spans are given to the aligner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Given,
    GoldReversed,
    PredReversed,
}

/// Two corpora and what is scored of them.
pub(crate) struct Alignment<'a> {
    pub(crate) gold: &'a Corpus,
    pub(crate) pred: &'a Corpus,
    pub(crate) selection: &'a Selection,
    pub(crate) scheme: &'a Scheme,
    pub(crate) mapping: &'a Mapping,
}

impl Alignment<'_> {
    /// The scored spans of a gold document, in input order.
    pub(crate) fn gold_items(&self, document: &Document, out: &mut Vec<Item>) {
        out.clear();
        for (at, span) in self.gold.spans_of(document).iter().enumerate() {
            if let Some(label) = self.scheme.scored(&self.scheme.gold, span.label)
                && self.selection.keeps(self.gold, span)
            {
                let span_index = document.spans.start + at as u32;
                out.push(Item {
                    start: span.start,
                    end: span.end,
                    label,
                    span: span_index,
                });
            }
        }
    }

    /// The scored spans of a predicted document, in input order.
    pub(crate) fn pred_items(&self, document: &Document, out: &mut Vec<Item>) {
        out.clear();
        for (at, span) in self.pred.spans_of(document).iter().enumerate() {
            if let Some(label) = self.scheme.scored(self.mapping, span.label) {
                let span_index = document.spans.start + at as u32;
                out.push(Item {
                    start: span.start,
                    end: span.end,
                    label,
                    span: span_index,
                });
            }
        }
    }

    /// Calls `each` with the scored spans of every pair.
    pub(crate) fn for_each(
        &self,
        pairing: &Pairing,
        mut each: impl FnMut(usize, &mut Vec<Item>, &mut Vec<Item>),
    ) {
        let (mut gold, mut pred) = (Vec::new(), Vec::new());
        for (at, &(g, p)) in pairing.pairs.iter().enumerate() {
            self.gold_items(&self.gold.documents[g as usize], &mut gold);
            match p {
                Some(p) => self.pred_items(&self.pred.documents[p as usize], &mut pred),
                None => pred.clear(),
            }
            each(at, &mut gold, &mut pred);
        }
    }

    /// Aligns every pair.
    pub(crate) fn events(
        &self,
        pairing: &Pairing,
        aligner: &mut nervaluate::Aligner,
        order: Order,
        progress: OnProgress<'_>,
    ) -> Events {
        let mut list: Vec<Event> = Vec::new();
        let mut ends = Vec::with_capacity(pairing.pairs.len());
        let total = pairing.pairs.len() as u64;
        self.for_each(pairing, |at, gold, pred| {
            match order {
                Order::Given => {}
                Order::GoldReversed => gold.reverse(),
                Order::PredReversed => pred.reverse(),
            }
            aligner.align(gold, pred, &mut list);
            ends.push(list.len() as u32);
            progress(Progress {
                stage: "score",
                done: at as u64 + 1,
                total,
            });
        });
        Events { list, ends }
    }

    /// Gold and predicted spans per scored label, in the documents scored.
    fn label_counts(&self, pairing: &Pairing) -> (Vec<u64>, Vec<u64>) {
        let mut counts = (vec![0; self.scheme.scored], vec![0; self.scheme.scored]);
        self.for_each(pairing, |_, gold, pred| {
            gold.iter()
                .for_each(|item| counts.0[item.label as usize] += 1);
            pred.iter()
                .for_each(|item| counts.1[item.label as usize] += 1);
        });
        counts
    }

    /// Paints a document's spans; labels outside the chosen ones are painted too.
    fn paint(&self, document: &Document, is_gold: bool, length: usize, canvas: &mut Canvas) {
        canvas.clear(length);
        let (corpus, mapping) = if is_gold {
            (self.gold, &self.scheme.gold)
        } else {
            (self.pred, self.mapping)
        };
        for span in corpus.spans_of(document) {
            if is_gold && !self.selection.keeps(corpus, span) {
                continue;
            }
            if let Some(label) = mapping.get(span.label as usize).copied().flatten() {
                canvas.paint(span.start, span.end, label + 1);
            }
        }
    }
}

/// A gold or predicted span index of an event, if there is one.
pub(crate) fn present(index: u32) -> Option<u32> {
    (index != NONE).then_some(index)
}
