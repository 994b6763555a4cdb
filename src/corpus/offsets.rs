//! How offsets count: what the options say, and what was found.

use super::Unit;

/// How offsets of a set of files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way {
    /// What is counted.
    pub unit: Unit,
    /// CRLF counts as one.
    pub lf: bool,
    /// Whether a byte-order mark at the start of the text counts.
    pub bom: bool,
    /// The end is the last unit of the span.
    pub inclusive: bool,
    /// Offsets count from the start of the passage.
    pub passage: bool,
}

impl Way {
    /// The way a format defines: raw text, ends exclusive, from the start of the document.
    pub fn of(unit: Unit) -> Self {
        Way { unit, lf: false, bom: true, inclusive: false, passage: false }
    }

    /// Whether offsets are what the core keeps, whatever the text.
    pub fn is_plain(&self) -> bool {
        *self == Way::of(Unit::CodePoint)
    }
}

/// What the options say of offsets; absent parts are decided by the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wanted {
    /// What offsets count.
    pub unit: Option<Unit>,
    /// Whether CRLF counts as one.
    pub lf: Option<bool>,
    /// Whether a byte-order mark counts.
    pub bom: Option<bool>,
    /// Whether ends are inclusive.
    pub inclusive: Option<bool>,
}

impl Wanted {
    /// These, and where they are silent, others.
    pub fn or(self, others: Wanted) -> Wanted {
        Wanted {
            unit: self.unit.or(others.unit),
            lf: self.lf.or(others.lf),
            bom: self.bom.or(others.bom),
            inclusive: self.inclusive.or(others.inclusive),
        }
    }
}

/// How the offsets of a set of files were read, and why.
#[derive(Debug, Clone)]
pub struct Found {
    /// Format of the files.
    pub format: &'static str,
    /// The way.
    pub way: Way,
    /// Whether the evidence spoke for another way than the format's own.
    pub inferred: bool,
    /// Spans whose own text could be compared.
    pub checked: u64,
    /// Those that agree this way.
    pub agree: u64,
    /// Those that agree this way and not the format's own way.
    pub deciding: u64,
    /// Documents that begin with a byte-order mark that counts, and that does not.
    pub boms: [u64; 2],
    /// Documents with characters outside the BMP.
    pub astral: u64,
}
