//! Does a span's own text agree with the document's? Files that carry both let us check their offsets.

use crate::corpus::Surface;
use crate::corpus::problems::{Kind, Place, Problems};
use crate::corpus::text::CharIndex;
use std::borrow::Cow;

/// The text at the ranges, joined by one space as brat does; none outside the text.
pub(super) fn there<'t>(text: &CharIndex<'t>, ranges: &[(i64, i64)]) -> Option<Cow<'t, str>> {
    if let [(start, end)] = ranges {
        return text.slice(*start, *end).map(Cow::Borrowed);
    }
    let parts: Option<Vec<&str>> = ranges.iter().map(|&(s, e)| text.slice(s, e)).collect();
    Some(Cow::Owned(parts?.join(" ")))
}

/// Compares a span's own text with the document's at its ranges.
pub(super) fn compare(own: &str, text: &CharIndex<'_>, ranges: &[(i64, i64)]) -> Surface {
    match there(text, ranges) {
        Some(there) if own == there => Surface::Agrees,
        Some(there) if fold(own) == fold(&there) => Surface::Folded,
        _ => Surface::Differs,
    }
}

/// White space collapsed, case folded.
fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Lists a disagreement. Shows offsets only: the texts are note text.
pub(super) fn report(problems: &mut Problems, surface: Surface, place: Place, start: i64, end: i64) {
    let kind = match surface {
        Surface::Agrees => return,
        Surface::Folded => Kind::SurfaceFolded,
        Surface::Differs => Kind::SurfaceDiffers,
    };
    let found = format!("a span {start}–{end} with another text than the document has there");
    problems.add(kind, place, found, "the document's text at these offsets");
}
