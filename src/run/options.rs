//! The run file: everything that makes a run. One name an option, the same on the command line (kebab
//! case), in the page and here (camel case).

use crate::align::{METHODS, Method};
use crate::benchmarks::ncer::{self, NcerDataset};
use crate::corpus::Role;
use crate::corpus::scheme::LabelMap;
use crate::failure::Failure;
use crate::formats::{Choices, FORMATS};
use crate::tokens::TokenSource;
use serde::{Deserialize, Serialize};

/// Values of `encoding` with their names for people, the default first.
pub static ENCODINGS: &[(&str, &str)] =
    &[("auto", "automatic"), ("utf-8", "UTF-8"), ("utf-16", "UTF-16"), ("windows-1252", "Windows-1252")];

/// Values of `tokens`, likewise.
pub static TOKENS: &[(&str, &str)] = &[
    ("auto", "automatic"),
    ("file", "the file's own"),
    ("words", "words"),
    ("whitespace", "white space"),
    ("none", "no token scores"),
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
    /// Dataset of the benchmark: `NCBI` or `BIORED`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dataset: Option<String>,
    /// How gold meets predicted spans.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// The labels scored; absent: the dataset's, or the sorted union of both sides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
    /// Their label → our label; spans with other labels are dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<LabelMap>,
    /// Format of all files: `auto`, `json`, `brat` or `pubtator`.
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
    /// Token source: `auto`, `file`, `words`, `whitespace` or `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<String>,
    /// Whether the report holds file paths.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub paths: bool,
}

impl Options {
    /// Checks every value.
    ///
    /// # Errors
    /// Names the option, what was found and what was expected.
    pub fn check(&self) -> Result<(), Failure> {
        self.ncer()?;
        self.method()?;
        self.tokens()?;
        self.choices(Role::Gold)?;
        self.choices(Role::Prediction)?;
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
                Some(name) if name == "ncer" => {
                    Err(Failure::option("dataset", "nothing", "a dataset of the benchmark: NCBI or BIORED"))
                }
                _ => Ok(None),
            };
        };
        ncer::dataset(name).map(Some).ok_or_else(|| Failure::option("dataset", name, "NCBI or BIORED"))
    }

    /// The method of the chosen definition.
    pub(crate) fn method(&self) -> Result<&'static Method, Failure> {
        let Some(name) = self.definition.as_deref() else { return Ok(METHODS[0]) };
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
        if format != "auto" && !FORMATS.iter().any(|f| f.name == format) {
            let names = FORMATS.iter().map(|f| f.name).collect::<Vec<_>>().join(", ");
            return Err(Failure::option(name, format, &format!("auto, {names}")));
        }
        let encoding = self.encoding.as_deref().unwrap_or("auto");
        if !ENCODINGS.iter().any(|(name, _)| *name == encoding) {
            return Err(Failure::option("encoding", encoding, &names(ENCODINGS)));
        }
        Ok(Choices { format: format.into(), encoding: encoding.into(), ..Choices::default() })
    }
}
