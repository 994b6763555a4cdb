//! Prints the class of every code point, for comparison with Python's `re`: a first line with the Unicode
//! version, then `CODEPOINT CLASS` with W (word), S (white space) or O (other).
#![allow(clippy::print_stdout, missing_docs)]

use clinscore::tokens::{Class, UNICODE, class};
use std::io::Write;

fn main() -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    writeln!(out, "{UNICODE}")?;
    for c in (0..=0x0010_FFFF).filter_map(char::from_u32) {
        let letter = match class(c) {
            Class::Word => 'W',
            Class::Space => 'S',
            Class::Other => 'O',
        };
        writeln!(out, "{} {letter}", u32::from(c))?;
    }
    out.flush()
}
