//! JSON Schemas of what crosses the boundary, as text; `docs/` holds them and the page's types come from them.

use crate::benchmarks::arrange::Arranged;
use crate::catalog::Catalog;
use crate::leaderboard::{BoardQuery, BoardView};
use crate::run::Inspection;
use crate::{Report, why};
use schemars::{JsonSchema, generate::SchemaSettings};

/// One schema whose definitions are all the types that the page sees.
#[derive(JsonSchema)]
#[allow(dead_code)]
struct Boundary {
    report: Report,
    query: why::Query,
    answer: why::Answer,
    open_document: why::OpenDocument,
    inspection: Inspection,
    catalog: Catalog,
    board: BoardView,
    board_query: BoardQuery,
    arranged: Arranged,
}

/// The schema of the report.
pub fn report() -> String {
    schema::<Report>()
}

/// The schema of everything the page sees.
pub fn boundary() -> String {
    schema::<Boundary>()
}

fn schema<T: JsonSchema>() -> String {
    // As written, not as read: a field that is always there, null included, is required.
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let schema = generator.into_root_schema_for::<T>();
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}
