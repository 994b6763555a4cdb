//! Why nothing could be scored.

use crate::source::SourceError;
use serde::Serialize;
use std::fmt;

/// Why nothing could be scored, in the user's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Failure { code, message: message.into(), found: None, expected: None }
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
        Failure::new("unreadable", format!("a file cannot be read any more: {error}"))
    }
}
