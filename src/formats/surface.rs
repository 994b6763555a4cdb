//! Does a span's own text agree with the document's? Files that carry both let us check their offsets.

use crate::corpus::Surface;
use crate::corpus::problems::{Kind, Place, Problems};
use crate::corpus::text::CharIndex;

/// Compares a span's own text with the document's at its ranges, joined by one space as brat does.
pub fn compare(own: &str, text: &CharIndex<'_>, ranges: &[(i64, i64)]) -> Surface {
    let single;
    let joined;
    let there: &str = match ranges {
        [(start, end)] => {
            single = text.slice(*start, *end);
            match single {
                Some(slice) => slice,
                None => return Surface::Differs,
            }
        }
        _ => {
            let parts: Option<Vec<&str>> = ranges.iter().map(|&(s, e)| text.slice(s, e)).collect();
            match parts {
                Some(parts) => {
                    joined = parts.join(" ");
                    &joined
                }
                None => return Surface::Differs,
            }
        }
    };
    if own == there {
        Surface::Agrees
    } else if fold(own) == fold(there) {
        Surface::Folded
    } else {
        Surface::Differs
    }
}

/// White space collapsed, case folded.
fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Lists a disagreement. Shows offsets only: the texts are note text.
pub fn report(problems: &mut Problems, surface: Surface, place: Place, start: i64, end: i64) {
    let kind = match surface {
        Surface::Agrees => return,
        Surface::Folded => Kind::SurfaceFolded,
        Surface::Differs => Kind::SurfaceDiffers,
    };
    let found = format!("a span {start}–{end} with another text than the document has there");
    problems.add(kind, place, found, "the document's text at these offsets (code points)");
}
