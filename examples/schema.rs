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
    // As written, not as read: a field that is always there, null included, is required.
    let generator = schemars::generate::SchemaSettings::draft2020_12().for_serialize().into_generator();
    let schema = if boundary {
        generator.into_root_schema_for::<Boundary>()
    } else {
        generator.into_root_schema_for::<Report>()
    };
    println!("{}", serde_json::to_string_pretty(&schema).unwrap_or_default());
}
