//! The run file: everything that makes a run. One name an option, the same on the command line (kebab
//! case), in the page and here (camel case).

use crate::align::{METHODS, Method};
use crate::benchmarks::ncer::{self, NcerDataset};
use crate::corpus::offsets::Wanted;
use crate::corpus::scheme::LabelMaps;
use crate::corpus::{Role, Unit};
use crate::failure::Failure;
use crate::formats::{Choices, FORMATS};
use crate::place::{Llm, Occurrences, Placing};
use crate::tokens::TokenSource;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Values of `encoding` with their names for people, the default first.
pub static ENCODINGS: &[(&str, &str)] =
    &[("auto", "automatic"), ("utf-8", "UTF-8"), ("utf-16", "UTF-16"), ("windows-1252", "Windows-1252")];

/// Values of `tokens`, likewise.
pub static TOKENS: &[(&str, &str)] = &[
    ("auto", "automatic"),
    ("file", "the file's own"),
    ("words", "words"),
    ("whitespace", "white space"),
    ("tokenizer", "the tokenizer.json that was given"),
    ("none", "no token scores"),
];

/// Values of `offsets`, likewise.
pub static OFFSETS: &[(&str, &str)] = &[
    ("auto", "automatic"),
    ("codepoint", "code points"),
    ("utf16", "UTF-16 units"),
    ("byte", "UTF-8 bytes"),
];

/// Values of `view`, likewise.
pub static VIEWS: &[(&str, &str)] = &[
    ("auto", "automatic"),
    ("raw", "text as stored"),
    ("lf", "CRLF counts as one"),
    ("no-bom", "byte-order mark does not count"),
];

/// Values of `end`, likewise.
pub static ENDS: &[(&str, &str)] =
    &[("auto", "automatic"), ("exclusive", "behind the span"), ("inclusive", "last character")];

/// Values of `occurrences`, likewise.
pub static OCCURRENCES: &[(&str, &str)] =
    &[("all", "every occurrence"), ("first", "the first"), ("next", "the next unused")];

/// Values of `mode`, likewise.
pub static MODES: &[(&str, &str)] = &[
    ("reference", "as the benchmark's code scores"),
    ("corrected", "as the corpus was annotated, order-free"),
];

/// Values of `llm`. The default is `reference` under a benchmark and `aligned` without one.
pub static LLM: &[(&str, &str)] =
    &[("reference", "the benchmark's own parser"), ("aligned", "brought to the document's text")];

/// Values of `fragments`, likewise.
pub static FRAGMENTS: &[(&str, &str)] =
    &[("envelope", "first start to last end"), ("first", "the first fragment"), ("each", "each as a span")];

/// Values of `clean`; absent, it is what the definition says.
pub static CLEAN: &[(&str, &str)] = &[
    ("trim", "trim white space at the edges"),
    ("dedupe", "remove duplicates after label mapping"),
    ("unusable", "unusable predictions are spurious, unusable gold is left out"),
    ("o-label", "leave out spans labelled O"),
    ("none", "no clean-up"),
];

/// The names of a table, for a message.
fn names(table: &[(&str, &str)]) -> String {
    table.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// What the token option says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tokens {
    /// The file's own where gold has them, otherwise words.
    Auto,
    /// No token scores.
    None,
    /// This source.
    From(TokenSource),
}

/// Options of a run. Absent ones have the default that the command line's documentation gives first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Options {
    /// Benchmark: `ncer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<String>,
    /// Dataset of the benchmark, such as `CHIA`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dataset: Option<String>,
    /// Of a benchmark: `reference` scores as its code does, `corrected` what was annotated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// How gold meets predicted spans.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// The labels scored; absent: the dataset's, or the sorted union of both sides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
    /// Their label → our label; spans with other labels are dropped. One map, or one a dataset; the
    /// benchmark's `config.json` is read too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<LabelMaps>,
    /// Label maps of single systems, by name, over `map`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub maps: BTreeMap<String, LabelMaps>,
    /// Format of all files: `auto`, or a name of docs/formats.md.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Format of gold files, over `format`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format_gold: Option<String>,
    /// Format of predictions, over `format`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format_pred: Option<String>,
    /// Encoding of all files: `auto`, `utf-8`, `utf-16` or `windows-1252`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Token source: `auto`, `file`, `words`, `whitespace`, `tokenizer` or `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<String>,
    /// What offsets count: `auto`, `codepoint`, `utf16` or `byte`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offsets: Option<String>,
    /// Of gold files, over `offsets`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gold_offsets: Option<String>,
    /// Of predictions, over `offsets`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pred_offsets: Option<String>,
    /// Of which text: `auto`, `raw`, `lf` (CRLF counts as one) or `no-bom` (a byte-order mark does not count).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<String>,
    /// Whether the end is the last unit of a span: `auto`, `exclusive` or `inclusive`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    /// What was chosen for single files: by the end of the path, or `#` and the index in the report's inputs.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, FileOptions>,
    /// Pair by ids normalised in the proposed way.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub normalise_ids: bool,
    /// Score only documents that are on both sides.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub common_only: bool,
    /// Bring predictions to gold's text where the texts of a document differ.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub realign: bool,
    /// Which occurrences of an item without offsets become spans: `all`, `first` or `next` (unused one).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurrences: Option<String>,
    /// How generated text is read: `reference` (the benchmark's parser) or `aligned`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llm: Option<String>,
    /// Apply the proposed folding of labels.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fold_labels: bool,
    /// Discontinuous spans as one range: `envelope`, `first` or `each` fragment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fragments: Option<String>,
    /// Clean-up: any of `trim`, `dedupe`, `unusable` and `o-label`, or `none`. Absent: all of them under
    /// `optimal`, otherwise none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clean: Vec<String>,
    /// Whether the report holds file paths.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub paths: bool,
}

/// What was chosen for one file; absent parts are as for its side.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct FileOptions {
    /// As `format` of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// As `encoding` of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// As `offsets` of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offsets: Option<String>,
    /// As `view` of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<String>,
    /// As `end` of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
}

/// [`FileOptions`], understood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FileChoices {
    pub(crate) format: Option<String>,
    pub(crate) encoding: Option<String>,
    pub(crate) wanted: Wanted,
}

impl Options {
    /// Checks every value.
    ///
    /// # Errors
    /// Names the option, what was found and what was expected.
    pub fn check(&self) -> Result<(), Failure> {
        self.ncer()?;
        self.mode()?;
        self.llm()?;
        self.method()?;
        self.tokens()?;
        self.choices(Role::Gold)?;
        self.choices(Role::Prediction)?;
        self.file_choices(std::iter::empty())?;
        self.fragments()?;
        self.clean()?;
        Ok(())
    }

    /// The dataset of the benchmark, if one is chosen.
    pub(crate) fn ncer(&self) -> Result<Option<&'static NcerDataset>, Failure> {
        if let Some(benchmark) = &self.benchmark
            && !matches!(benchmark.as_str(), "ncer" | "none")
        {
            return Err(Failure::option("benchmark", benchmark, "ncer or none"));
        }
        let named = self.dataset.as_deref().filter(|name| !matches!(*name, "" | "none"));
        let Some(name) = named else {
            return match &self.benchmark {
                Some(name) if name == "ncer" => Err(Failure::option(
                    "dataset",
                    "nothing",
                    &format!("a dataset of the benchmark: {}", ncer::names()),
                )),
                _ => Ok(None),
            };
        };
        ncer::dataset(name).map(Some).ok_or_else(|| Failure::option("dataset", name, &ncer::names()))
    }

    /// Under a benchmark: as its code scores, or as the corpus was annotated.
    pub(crate) fn mode(&self) -> Result<Mode, Failure> {
        Ok(match one_of("mode", self.mode.as_deref().unwrap_or("reference"), MODES)? {
            "corrected" => Mode::Corrected,
            _ => Mode::Reference,
        })
    }

    /// How generated text is read.
    pub(crate) fn llm(&self) -> Result<Llm, Failure> {
        let default = if self.ncer()?.is_some() { "reference" } else { "aligned" };
        Ok(match one_of("llm", self.llm.as_deref().unwrap_or(default), LLM)? {
            "reference" => Llm::Reference,
            _ => Llm::Aligned,
        })
    }

    /// The method of the chosen definition.
    pub(crate) fn method(&self) -> Result<&'static Method, Failure> {
        let corrected = self.ncer()?.is_some() && self.mode()? == Mode::Corrected;
        let default = if corrected { "optimal" } else { METHODS[0].definition.name };
        let name = self.definition.as_deref().unwrap_or(default);
        let found = METHODS.iter().find(|method| method.definition.name == name);
        found.copied().ok_or_else(|| {
            let names = METHODS.iter().map(|method| method.definition.name).collect::<Vec<_>>().join(", ");
            Failure::option("definition", name, &names)
        })
    }

    /// The chosen labels, if any are chosen.
    pub(crate) fn labels(&self) -> Option<&[String]> {
        self.labels.as_deref().filter(|labels| !labels.is_empty())
    }

    /// Where tokens come from.
    pub(crate) fn tokens(&self) -> Result<Tokens, Failure> {
        match self.tokens.as_deref() {
            None | Some("auto") => Ok(Tokens::Auto),
            Some("none") => Ok(Tokens::None),
            Some("words") => Ok(Tokens::From(TokenSource::Words)),
            Some("whitespace") => Ok(Tokens::From(TokenSource::WhiteSpace)),
            Some("file") => Ok(Tokens::From(TokenSource::File)),
            Some("tokenizer") => Ok(Tokens::From(TokenSource::Tokenizer)),
            Some(other) => Err(Failure::option("tokens", other, &names(TOKENS))),
        }
    }

    /// How one side's files are read.
    pub(crate) fn choices(&self, role: Role) -> Result<Choices, Failure> {
        let side = match role {
            Role::Gold => ("formatGold", self.format_gold.as_deref()),
            Role::Prediction => ("formatPred", self.format_pred.as_deref()),
        };
        let named = [side, ("format", self.format.as_deref())];
        let (name, format) =
            named.into_iter().find_map(|(name, format)| Some((name, format?))).unwrap_or(("format", "auto"));
        let encoding = self.encoding.as_deref().unwrap_or("auto");
        let (own, offsets) = match role {
            Role::Gold => ("goldOffsets", &self.gold_offsets),
            Role::Prediction => ("predOffsets", &self.pred_offsets),
        };
        let (name_of_offsets, offsets) =
            if offsets.is_some() { (own, offsets) } else { ("offsets", &self.offsets) };
        Ok(Choices {
            role,
            format: format_named(name, format)?.into(),
            encoding: one_of("encoding", encoding, ENCODINGS)?.into(),
            placing: Placing {
                offsets: wanted(name_of_offsets, offsets, &self.view, &self.end)?,
                occurrences: match one_of(
                    "occurrences",
                    self.occurrences.as_deref().unwrap_or("all"),
                    OCCURRENCES,
                )? {
                    "first" => Occurrences::First,
                    "next" => Occurrences::Next,
                    _ => Occurrences::All,
                },
                realign: self.realign,
                llm: if role == Role::Prediction { self.llm()? } else { Llm::Aligned },
            },
            ..Choices::default()
        })
    }

    /// What was chosen for each file, by the paths of all inputs in order.
    pub(crate) fn file_choices<'p>(
        &self,
        paths: impl Iterator<Item = &'p str>,
    ) -> Result<Vec<FileChoices>, Failure> {
        let mut chosen = BTreeMap::new();
        for (key, file) in &self.files {
            let format =
                file.format.as_deref().map(|format| format_named("files.format", format)).transpose()?;
            let encoding = file.encoding.as_deref().map(|name| one_of("files.encoding", name, ENCODINGS));
            chosen.insert(
                key.as_str(),
                FileChoices {
                    format: format.map(str::to_owned),
                    encoding: encoding.transpose()?.map(str::to_owned),
                    wanted: wanted("files.offsets", &file.offsets, &file.view, &file.end)?,
                },
            );
        }
        let of = |(at, path): (usize, &str)| {
            let number = format!("#{at}");
            let fits = |key: &str| {
                key == number
                    || path.strip_suffix(key).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
            };
            // The longest key is the most particular.
            let found = chosen.iter().filter(|(key, _)| fits(key)).max_by_key(|(key, _)| key.len());
            found.map(|(_, choices)| choices.clone()).unwrap_or_default()
        };
        Ok(paths.enumerate().map(of).collect())
    }

    /// How discontinuous spans are given to a definition that knows one range.
    pub(crate) fn fragments(&self) -> Result<Fragments, Failure> {
        Ok(match one_of("fragments", self.fragments.as_deref().unwrap_or("envelope"), FRAGMENTS)? {
            "first" => Fragments::First,
            "each" => Fragments::Each,
            _ => Fragments::Envelope,
        })
    }

    /// The clean-up that is switched on.
    pub(crate) fn clean(&self) -> Result<Clean, Failure> {
        if self.clean.is_empty() && self.method()?.definition.cleans {
            return Ok(Clean { trim: true, dedupe: true, unusable: true, o_label: true });
        }
        let mut clean = Clean::default();
        for name in &self.clean {
            match one_of("clean", name, CLEAN)? {
                "trim" => clean.trim = true,
                "dedupe" => clean.dedupe = true,
                "unusable" => clean.unusable = true,
                "o-label" => clean.o_label = true,
                // It is there to say that none of the others is.
                _ => {}
            }
        }
        Ok(clean)
    }
}

/// How a benchmark's dataset is scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Mode {
    /// To the last bit as its code does, artefacts included.
    #[default]
    Reference,
    /// What was annotated: raw offsets, all fragments, all documents, order-free pairing.
    Corrected,
}

/// How discontinuous spans are given to a definition that knows one range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Fragments {
    /// First start to last end.
    #[default]
    Envelope,
    /// The first fragment alone.
    First,
    /// Each as a span of its own.
    Each,
}

/// Clean-up switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Clean {
    pub(crate) trim: bool,
    pub(crate) dedupe: bool,
    pub(crate) unusable: bool,
    pub(crate) o_label: bool,
}

/// Checks the name of a format.
fn format_named<'n>(option: &str, name: &'n str) -> Result<&'n str, Failure> {
    if name == "auto" || FORMATS.iter().any(|format| format.name == name) {
        return Ok(name);
    }
    let names = FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join(", ");
    Err(Failure::option(option, name, &format!("auto, {names}")))
}

/// Checks a value against a table.
fn one_of<'v>(option: &str, value: &'v str, table: &[(&str, &str)]) -> Result<&'v str, Failure> {
    if table.iter().any(|(name, _)| *name == value) {
        return Ok(value);
    }
    Err(Failure::option(option, value, &names(table)))
}

/// What the options say of offsets.
fn wanted(
    option: &str,
    offsets: &Option<String>,
    view: &Option<String>,
    end: &Option<String>,
) -> Result<Wanted, Failure> {
    let mut wanted = Wanted {
        unit: match one_of(option, offsets.as_deref().unwrap_or("auto"), OFFSETS)? {
            "codepoint" => Some(Unit::CodePoint),
            "utf16" => Some(Unit::Utf16),
            "byte" => Some(Unit::Byte),
            _ => None,
        },
        ..Wanted::default()
    };
    match one_of("view", view.as_deref().unwrap_or("auto"), VIEWS)? {
        "raw" => (wanted.lf, wanted.bom) = (Some(false), Some(true)),
        "lf" => wanted.lf = Some(true),
        "no-bom" => wanted.bom = Some(false),
        _ => {}
    }
    match one_of("end", end.as_deref().unwrap_or("auto"), ENDS)? {
        "exclusive" => wanted.inclusive = Some(false),
        "inclusive" => wanted.inclusive = Some(true),
        _ => {}
    }
    Ok(wanted)
}
