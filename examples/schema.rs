//! Writes the JSON Schemas below `docs/`; run it after a change of the report's types, then
//! `node scripts/types.mjs`.
#![allow(missing_docs)]

use clinscore::schema;

fn main() -> std::io::Result<()> {
    std::fs::write("docs/report.schema.json", schema::report())?;
    std::fs::write("docs/boundary.schema.json", schema::boundary())
}
