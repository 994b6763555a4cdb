//! Spans given by line and token become offsets, once there is a text: the document's own or gold's.

use super::offsets::agrees;
use super::{Against, own_texts, read_text, reference, surface};
use crate::corpus::problems::Kind;
use crate::corpus::text::CharIndex;
use crate::corpus::{Corpus, Detail, Grid, Surface};
use crate::formats::envelope;
use crate::source::SourceError;
use std::cell::OnceCell;

/// A line of a text.
struct Row<'t> {
    text: &'t str,
    /// Its first code point.
    start: i64,
    /// Code points of its tokens by runs of white space, once they are asked for.
    runs: OnceCell<Vec<(i64, i64)>>,
    /// By single spaces.
    singles: OnceCell<Vec<(i64, i64)>>,
}

/// Turns the lines and tokens of every span that has them into code points.
pub(super) fn settle(corpus: &mut Corpus, against: Option<Against<'_>>) -> Result<(), SourceError> {
    let gridded = |detail: &Detail| detail.more.as_ref().is_some_and(|more| !more.grid.is_empty());
    if !corpus.any_detail(gridded) {
        return Ok(());
    }
    let (mut text, mut passages) = (String::new(), Vec::new());
    for at in 0..corpus.documents.len() {
        let document = corpus.documents[at].clone();
        let spans: Vec<usize> = (document.spans.start as usize..document.spans.end as usize)
            .filter(|&span| corpus.detail(&corpus.spans[span]).is_some_and(gridded))
            .collect();
        if spans.is_empty() {
            continue;
        }
        let holder = reference(corpus, at, against);
        let known = holder.is_some();
        if let Some((of, holder)) = holder {
            read_text(of, holder, &mut text, &mut passages)?;
        }
        let (rows, index) = (rows(&text), CharIndex::new(&text));
        let own = own_texts(corpus, spans.iter().map(|&span| &corpus.spans[span]))?;
        for (span, own) in spans.into_iter().zip(own) {
            let line = corpus.detail(&corpus.spans[span]).map_or(0, |detail| detail.line);
            let grid = std::mem::take(&mut corpus.detail_mut(span).more().grid);
            let place = document.place(line);
            let found = if known { ranges(&rows, &grid, &own, &index) } else { None };
            let Some((ranges, fits)) = found else {
                let Grid { first, last } = grid[0];
                let (kind, found, expected) = if known {
                    let found = format!(
                        "{}:{} {}:{}, a line or token that the text does not have",
                        first.0, first.1, last.0, last.1
                    );
                    (Kind::NotInText, found, "lines from 1, tokens from 0, of the text")
                } else {
                    let found = "a line and token without a text to count in".to_owned();
                    (Kind::NotConverted, found, "the text beside it, or gold with the text")
                };
                corpus.problems.add(kind, place, found, expected);
                let detail = corpus.detail_mut(span);
                (detail.own, detail.unplaced) = (None, true);
                continue;
            };
            let (start, end) = envelope(&ranges);
            (corpus.spans[span].start, corpus.spans[span].end) = (start, end);
            if ranges.len() > 1 {
                let found = format!("{} fragments in {start}–{end}", ranges.len());
                corpus.problems.add(Kind::Discontinuous, place.clone(), found, "");
                corpus.detail_mut(span).fragments = ranges;
            }
            // Compared here, once: the format folds case and white space itself.
            let surface = if fits { Surface::Agrees } else { Surface::Differs };
            surface::report(&mut corpus.problems, surface, place, start, end);
            let detail = corpus.detail_mut(span);
            (detail.own, detail.surface) = (None, surface);
        }
    }
    Ok(())
}

fn rows(text: &str) -> Vec<Row<'_>> {
    let end = if text.contains('\n') { '\n' } else { '\r' };
    let mut start = 0;
    text.split(end)
        .map(|text| {
            let row = Row { text, start, runs: OnceCell::new(), singles: OnceCell::new() };
            start += text.chars().count() as i64 + 1;
            row
        })
        .collect()
}

/// Where the tokens stand, and whether the span's own text says the same: by runs of white space, or by single
/// spaces where only that agrees.
fn ranges(
    rows: &[Row<'_>],
    grid: &[Grid],
    own: &str,
    text: &CharIndex<'_>,
) -> Option<(Vec<(i64, i64)>, bool)> {
    let read = |single: bool| -> Option<Vec<(i64, i64)>> {
        let place = |(line, token): (u32, u32)| {
            let row = rows.get((line as usize).checked_sub(1)?)?;
            let tokens = if single { &row.singles } else { &row.runs };
            let tokens = tokens.get_or_init(|| tokens_in(row.text, single));
            tokens.get(token as usize).map(|(s, e)| (row.start + s, row.start + e))
        };
        grid.iter().map(|grid| Some((place(grid.first)?.0, place(grid.last)?.1))).collect()
    };
    let fits = |ranges: &[(i64, i64)]| {
        surface::there(text, ranges).is_some_and(|there| agrees(own.trim(), there.trim()))
    };
    let runs = read(false);
    if let Some(runs) = &runs
        && fits(runs)
    {
        return Some((runs.clone(), true));
    }
    match read(true) {
        Some(singles) if fits(&singles) => Some((singles, true)),
        singles => runs.or(singles).map(|ranges| (ranges, false)),
    }
}

/// Code points of the tokens of a line.
fn tokens_in(line: &str, single: bool) -> Vec<(i64, i64)> {
    let mut places = Vec::new();
    let (mut start, mut point) = (0, 0);
    let is_end = |c: char| if single { c == ' ' } else { c.is_whitespace() };
    for c in line.trim_end_matches('\r').chars().chain([' ']) {
        if is_end(c) {
            if single || start < point {
                places.push((start, point));
            }
            start = point + 1;
        }
        point += 1;
    }
    places
}
