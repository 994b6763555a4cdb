//! Results files and reports, as they are dropped.

use super::{BoardProblem, Part, Source, part};
use crate::benchmarks::arrange;
use crate::benchmarks::ncer::{DATASETS, METRICS, TYPES};
use crate::corpus::problems::shorten;
use crate::formats::json;
use crate::report::ncer::{self, Numbers};
use crate::source::{Bytes, decode, read_range};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use std::rc::Rc;

const EXPECTED: &str =
    r#"a results file ({METRIC: {"dataset_results", "clinical_type_results"}}) or a report of clinscore"#;
/// Problems that are listed of one file.
const LISTED: usize = 100;
const DATASET_RESULTS: &str = "dataset_results";
const TYPE_RESULTS: &str = "clinical_type_results";

/// What a file says.
#[derive(Default)]
pub(super) struct Read {
    pub(super) sources: Vec<Source>,
    pub(super) problems: Vec<BoardProblem>,
    file: String,
}

/// Reads a file.
pub(super) fn file(name: &str, bytes: &[u8]) -> Read {
    let mut read = Read { file: name.to_owned(), ..Read::default() };
    match text(bytes) {
        Ok(text) => read.any(&text),
        Err(found) => read.problem(found, "JSON in UTF-8"),
    }
    let more = read.problems.len().saturating_sub(LISTED);
    if more > 0 {
        read.problems.truncate(LISTED);
        read.problem(format!("{more} more like these"), EXPECTED);
    }
    read
}

fn text(bytes: &[u8]) -> Result<String, String> {
    let (source, _) = decode::decode(Rc::new(Bytes(bytes.to_vec())), "auto").map_err(|error| error.0)?;
    let bytes = read_range(&*source, 0, source.len()).map_err(|error| error.0)?;
    let text = String::from_utf8(bytes).map_err(|_| "bytes that are not UTF-8")?;
    Ok(text.strip_prefix('\u{FEFF}').map(str::to_owned).unwrap_or(text))
}

impl Read {
    fn problem(&mut self, found: impl Into<String>, expected: impl Into<String>) {
        let (file, found, expected) = (self.file.clone(), found.into(), expected.into());
        self.problems.push(BoardProblem { file, found, expected });
    }

    fn any(&mut self, text: &str) {
        // Python writes NaN where there is nothing; it becomes a text, which is no F1.
        let patched = json::without_nan(text);
        let text = patched.as_deref().unwrap_or(text);
        let object: Object<'_> = match serde_json::from_str(text) {
            Ok(object) => object,
            Err(error) if error.is_data() => return self.problem("JSON that is no object", EXPECTED),
            Err(error) => return self.problem(json::syntax(&error, true), EXPECTED),
        };
        if self.one(&arrange::system_of_results(&self.file), text, &object) {
            return;
        }
        self.repeated(&object);
        // Several, by name of the system (results) or of the dataset (reports).
        let mut any = false;
        for (name, value) in &object.entries {
            let inner = serde_json::from_str::<Object<'_>>(value.get());
            match inner {
                Ok(inner) if self.one(name, value.get(), &inner) => any = true,
                _ => self.problem(format!("{:?}", shorten(name)), EXPECTED),
            }
        }
        if !any {
            // Said once, not for each key.
            self.problems.clear();
            self.problem("JSON without the benchmark's metrics", EXPECTED);
        }
    }

    /// One system's results or a report; false when it is neither.
    fn one(&mut self, system: &str, text: &str, object: &Object<'_>) -> bool {
        let has = |key: &str| object.entries.iter().any(|(name, _)| name == key);
        if has("schema") && has("systems") {
            self.report(text);
        } else if METRICS.iter().any(|metric| has(metric.name)) {
            self.results(system, object);
        } else if has(DATASET_RESULTS) || has(TYPE_RESULTS) {
            let found = "results without the name of a metric";
            self.problem(found, format!("the name of the metric; taken as {}", METRICS[0].name));
            let mut metrics = vec![Part::default(); METRICS.len()];
            metrics[0] = self.part(METRICS[0].name, object);
            self.push(system, "results", metrics);
        } else {
            return false;
        }
        true
    }

    fn push(&mut self, system: &str, kind: &'static str, metrics: Vec<Part>) {
        self.sources.push(Source { system: system.to_owned(), file: self.file.clone(), kind, metrics });
    }

    fn repeated(&mut self, object: &Object<'_>) {
        for name in &object.repeated {
            self.problem(format!("{:?} twice", shorten(name)), "each key once; the last one counts");
        }
    }

    fn results(&mut self, system: &str, object: &Object<'_>) {
        self.repeated(object);
        let mut metrics = vec![Part::default(); METRICS.len()];
        for (name, value) in &object.entries {
            let Some(at) = METRICS.iter().position(|metric| metric.name == name) else {
                let names = METRICS.iter().map(|metric| metric.name).collect::<Vec<_>>().join(", ");
                self.problem(format!("the metric {:?}", shorten(name)), names);
                continue;
            };
            match serde_json::from_str::<Object<'_>>(value.get()) {
                Ok(object) => metrics[at] = self.part(name, &object),
                Err(_) => self.problem(format!("{name}: no object"), EXPECTED),
            }
        }
        self.push(system, "results", metrics);
    }

    /// What a results file says of one metric.
    fn part(&mut self, metric: &str, object: &Object<'_>) -> Part {
        self.repeated(object);
        let mut part = Part::default();
        for (key, value) in &object.entries {
            if key != DATASET_RESULTS && key != TYPE_RESULTS {
                let found = format!("{metric}: {:?}", shorten(key));
                self.problem(found, format!("{DATASET_RESULTS} and {TYPE_RESULTS}"));
                continue;
            }
            let Ok(list) = serde_json::from_str::<Object<'_>>(value.get()) else {
                self.problem(format!("{metric}: {key} that is no object"), r#"{"…": {"f1": 75.67}}"#);
                continue;
            };
            self.repeated(&list);
            let of_datasets = key == DATASET_RESULTS;
            for (name, value) in &list.entries {
                let shown = shorten(name);
                let at = if of_datasets {
                    DATASETS.iter().position(|dataset| dataset.key.eq_ignore_ascii_case(name))
                } else {
                    TYPES.iter().position(|of| of == name)
                };
                let Some(at) = at else {
                    let (what, known) = if of_datasets {
                        ("dataset", DATASETS.iter().map(|dataset| dataset.key).collect::<Vec<_>>())
                    } else {
                        ("clinical type", TYPES.to_vec())
                    };
                    self.problem(format!("{metric}: the {what} {shown:?}"), known.join(", "));
                    continue;
                };
                match serde_json::from_str::<F1>(value.get()) {
                    Ok(F1 { f1 }) if (0.0..=100.0).contains(&f1) => {
                        let list = if of_datasets { &mut part.datasets } else { &mut part.types };
                        list.push((at, f1 / 100.0));
                    }
                    Ok(F1 { f1 }) => {
                        self.problem(format!("{metric} of {shown}: F1 {f1}"), "0 to 100, in per cent")
                    }
                    Err(_) => {
                        let found = format!("{metric} of {shown}: no number as f1");
                        self.problem(found, r#"{"f1": 75.67}, in per cent"#);
                    }
                }
            }
        }
        part.datasets.sort_by_key(|&(at, _)| at);
        part.types.sort_by_key(|&(at, _)| at);
        self.without_strangers(metric, part)
    }

    /// A type that none of the file's datasets has is no mean of anything.
    fn without_strangers(&mut self, metric: &str, mut part: Part) -> Part {
        if part.datasets.is_empty() {
            return part;
        }
        let (known, strange): (Vec<_>, Vec<_>) =
            part.types.iter().copied().partition(|&(of, _)| !part.of_type(of).is_empty());
        for (of, _) in strange {
            let found = format!("{metric} of {}, which none of the file's datasets has", TYPES[of]);
            self.problem(found, "types of the datasets; not counted");
        }
        part.types = known;
        part
    }

    fn report(&mut self, text: &str) {
        let report: ReportFile = match serde_json::from_str(text) {
            Ok(report) => report,
            Err(_) => return self.problem("a report of another shape", crate::report::SCHEMA),
        };
        if report.schema != crate::report::SCHEMA {
            return self.problem(
                format!("a report of the shape {:?}", shorten(&report.schema)),
                crate::report::SCHEMA,
            );
        }
        let run = ncer::Run {
            dataset: report.dataset.as_ref().map(|dataset| dataset.name.as_str()),
            mode: report.run.mode.as_deref(),
            definition: &report.definition.name,
            own_labels: report.labels_from == "dataset",
        };
        let dataset = match ncer::dataset(&run) {
            Ok(dataset) => dataset,
            Err(why) => return self.problem("a report whose numbers are not the benchmark's", why),
        };
        for system in report.systems {
            if let Some(failure) = system.failure {
                self.problem(
                    format!("{}: not scored on {}", shorten(&system.name), dataset.shown.name),
                    failure.message,
                );
                continue;
            }
            let metrics = system.numbers().into_iter().map(|numbers| part(dataset.key, numbers)).collect();
            self.push(&system.name, "report", metrics);
        }
    }
}

/// A JSON object with its keys in order; of a repeated key the last value counts.
struct Object<'j> {
    entries: Vec<(String, &'j RawValue)>,
    repeated: Vec<String>,
}

impl<'de: 'j, 'j> Deserialize<'de> for Object<'j> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries)
    }
}

struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Object<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
        let mut object = Object { entries: Vec::new(), repeated: Vec::new() };
        let mut places = FxHashMap::default();
        while let Some((key, value)) = map.next_entry::<String, &'de RawValue>()? {
            let at = *places.entry(key.clone()).or_insert(object.entries.len());
            match object.entries.get_mut(at) {
                None => object.entries.push((key, value)),
                Some(entry) => {
                    entry.1 = value;
                    object.repeated.push(key);
                }
            }
        }
        Ok(object)
    }
}

#[derive(Deserialize)]
struct F1 {
    f1: f64,
}

/// The parts of a report that are needed.
#[derive(Deserialize)]
struct ReportFile {
    schema: String,
    run: RunFile,
    definition: Name,
    dataset: Option<Name>,
    labels_from: String,
    systems: Vec<SystemFile>,
}

#[derive(Deserialize)]
struct RunFile {
    mode: Option<String>,
}

#[derive(Deserialize)]
struct Name {
    name: String,
}

#[derive(Deserialize)]
struct SystemFile {
    name: String,
    failure: Option<FailureFile>,
    spans: Option<SpansFile>,
    tokens: Option<TokensFile>,
}

#[derive(Deserialize)]
struct FailureFile {
    message: String,
}

#[derive(Deserialize)]
struct SpansFile {
    overall: ModesFile,
    per_label: Vec<SpansOfLabel>,
}

#[derive(Deserialize)]
struct SpansOfLabel {
    label: String,
    modes: ModesFile,
}

#[derive(Deserialize)]
struct ModesFile {
    ent_type: ScoreFile,
    strict: ScoreFile,
}

#[derive(Deserialize)]
struct ScoreFile {
    f1: ValueFile,
}

#[derive(Deserialize)]
struct ValueFile {
    value: Option<f64>,
}

#[derive(Deserialize)]
struct TokensFile {
    per_label: Vec<TokensOfLabel>,
    micro: ScoreFile,
    #[serde(rename = "macro")]
    macro_avg: ScoreFile,
    weighted: ScoreFile,
}

#[derive(Deserialize)]
struct TokensOfLabel {
    label: String,
    score: ScoreFile,
}

impl ScoreFile {
    fn f1(&self) -> f64 {
        self.f1.value.unwrap_or(0.0)
    }
}

impl SystemFile {
    /// As [`ncer::numbers`] of a report in memory.
    fn numbers(&self) -> Vec<Option<Numbers>> {
        let by_span = |score: fn(&ModesFile) -> &ScoreFile| {
            self.spans.as_ref().map(|spans| Numbers {
                overall: score(&spans.overall).f1(),
                types: spans
                    .per_label
                    .iter()
                    .map(|label| (label.label.clone(), score(&label.modes).f1()))
                    .collect(),
            })
        };
        let by_token = |overall: fn(&TokensFile) -> &ScoreFile| {
            self.tokens.as_ref().map(|tokens| Numbers {
                overall: overall(tokens).f1(),
                types: tokens.per_label.iter().map(|label| (label.label.clone(), label.score.f1())).collect(),
            })
        };
        vec![
            by_span(|modes| &modes.ent_type),
            by_span(|modes| &modes.strict),
            by_token(|tokens| &tokens.macro_avg),
            by_token(|tokens| &tokens.micro),
            by_token(|tokens| &tokens.weighted),
        ]
    }
}
