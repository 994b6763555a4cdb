//! Prints the JSON Schema of everything that crosses the boundary: the report, and what the page asks for.
#![allow(clippy::print_stdout, missing_docs)]

use clinscore::{Report, why};

/// One schema whose definitions are all the types.
#[derive(schemars::JsonSchema)]
#[allow(dead_code)]
struct Boundary {
    report: Report,
    query: why::Query,
    answer: why::Answer,
    open_document: why::OpenDocument,
    inspection: clinscore::run::Inspection,
}

fn main() {
    let boundary = std::env::args().any(|arg| arg == "--boundary");
    let schema = if boundary {
        schemars::schema_for!(Boundary)
    } else {
        schemars::schema_for!(Report)
    };
    println!(
        "{}",
        serde_json::to_string_pretty(&schema).unwrap_or_default()
    );
}
