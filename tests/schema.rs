//! The published schemas are those of the types.
#![cfg(feature = "schema")]
#![allow(missing_docs)]

use clinscore::schema;

#[test]
fn published_schemas_are_current() {
    let how = "run: cargo run --features schema --example schema && node scripts/types.mjs";
    assert!(include_str!("../docs/report.schema.json") == schema::report(), "{how}");
    assert!(include_str!("../docs/boundary.schema.json") == schema::boundary(), "{how}");
}
