//! What the NCER benchmark's loaders make of a corpus before anything is scored
//! (`clinical_ner/tasks/prepare_dataset.py` of clinical_ner_benchmark), and the reading of predictions that
//! were made on the loaders' texts.
//!
//! Gold is changed between reading and [`crate::place`], while offsets are still those of the file.

use super::ncer::{Loading, NcerDataset};
use crate::corpus::text::{CharIndex, Digest, Form, Piece, TextReader, code_points};
use crate::corpus::{Corpus, Document, Span};
use crate::place::own_text;
use crate::source::SourceError;
use std::collections::BTreeSet;

/// The documents of Chia in the benchmark's test split: `DatasetDict.train_test_split(seed=42)` twice.
static CHIA_TEST: &str = include_str!("chia-test-ids.txt");

/// Something that the benchmark's loader did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// Stable name.
    pub kind: &'static str,
    /// In words.
    pub title: &'static str,
    /// (document id, in words) of every one.
    pub places: Vec<(String, String)>,
}

impl Done {
    fn new(kind: &'static str, title: &'static str) -> Self {
        Done { kind, title, places: Vec::new() }
    }

    fn add(&mut self, document: &Document, span: &Span, label: &str, what: &str) {
        self.places.push((document.id.clone(), format!("{label} {}–{}{what}", span.start, span.end)));
    }
}

/// Keeps the documents of the benchmark's test split, where a corpus has any of them. Returns the ids of those
/// that are left out.
pub fn select(corpus: &mut Corpus, dataset: &NcerDataset) -> Vec<String> {
    if !matches!(dataset.loading, Loading::Chia) {
        return Vec::new();
    }
    let wanted: BTreeSet<&str> = CHIA_TEST.lines().map(|line| line.trim().trim_end_matches(".txt")).collect();
    let is_wanted = |document: &Document| {
        let name = document.id.rsplit('/').next().unwrap_or("");
        wanted.contains(name.strip_suffix(".txt").unwrap_or(name))
    };
    if !corpus.documents.iter().any(is_wanted) {
        return Vec::new();
    }
    let (ids, out): (Vec<String>, BTreeSet<u32>) =
        corpus.documents.iter().filter(|one| !is_wanted(one)).map(|one| (one.id.clone(), one.file)).unzip();
    corpus.retain(is_wanted, |_| true);
    let kept: BTreeSet<u32> = corpus.documents.iter().map(|document| document.file).collect();
    corpus.problems.forget(|file| out.contains(&file) && !kept.contains(&file));
    ids
}

/// Makes gold what the benchmark's loader makes of it; returns what was done, also for labels that are not
/// scored.
///
/// # Errors
/// When a file cannot be read any more.
pub fn reference(corpus: &mut Corpus, dataset: &NcerDataset) -> Result<Vec<Done>, SourceError> {
    let counts = |label: &str| dataset.map.iter().any(|(from, _)| *from == label);
    let mut first =
        Done::new("fragments_lost", "Discontinuous spans of which the first fragment alone counts");
    let chia = matches!(dataset.loading, Loading::Chia);
    if chia {
        capitalise(corpus);
        set_texts(corpus)?;
    }
    let mut moved = Done::new("spans_moved", "Spans that the loader moves to the only place with their text");
    let mut dropped =
        Done::new("spans_dropped", "Spans that the loader drops: their text is not at their offsets");
    let (mut keep, mut now) = (vec![true; corpus.spans.len()], corpus.spans.clone());
    let mut whole = vec![false; corpus.spans.len()];
    {
        let (mut reader, mut owns) = (TextReader::new(corpus), TextReader::new(corpus));
        let mut text = String::new();
        for document in &corpus.documents {
            let index = (chia && reader.read(document, &mut text)?).then(|| CharIndex::new(&text));
            for at in document.spans.start as usize..document.spans.end as usize {
                let span = &corpus.spans[at];
                let Some(detail) = corpus.detail(span) else { continue };
                if let [(start, end), _, ..] = detail.fragments[..] {
                    now[at] = span.moved(start, end);
                    whole[at] = true;
                }
                let own = match index {
                    Some(_) => own_text(&mut owns, detail.own.as_ref())?,
                    None => String::new(),
                };
                let here = |index: &CharIndex<'_>| {
                    own.is_empty() || index.slice(now[at].start, now[at].end) == Some(&own)
                };
                let fragments = detail.fragments.len();
                let (done, what) = if index.as_ref().is_none_or(here) {
                    if !whole[at] {
                        continue;
                    }
                    (&mut first, format!(", {fragments} fragments"))
                } else if let Some((start, end)) = only(&text, &own) {
                    now[at] = span.moved(start, end);
                    (&mut moved, format!(" → {start}–{end}"))
                } else {
                    keep[at] = false;
                    (&mut dropped, String::new())
                };
                let label = corpus.labels.name(span.label);
                if counts(label) {
                    done.add(document, span, label, &what);
                }
            }
        }
    }
    corpus.spans = now;
    for at in (0..whole.len()).filter(|&at| whole[at]) {
        let detail = corpus.detail_mut(at);
        detail.fragments.clear();
        if !chia {
            // The text of the whole span; the loader has that of the fragment.
            detail.own = None;
        }
    }
    let done = [first, moved, dropped].into_iter().filter(|done| !done.places.is_empty()).collect();
    corpus.retain(|_| true, |at| keep[at]);
    Ok(done)
}

/// Whether the benchmark takes a text for blank: nothing is left of it without white space and every `na`.
pub fn is_blank(text: &str) -> bool {
    text.trim().to_lowercase().replace("na", "").is_empty()
}

/// Types are compared as Python's `str.capitalize` writes them.
fn capitalise(corpus: &mut Corpus) {
    let names = corpus.labels.names().to_vec();
    let capital = |name: &String| {
        let mut chars = name.chars();
        let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
        first + &chars.as_str().to_lowercase()
    };
    let now: Vec<u32> = names.iter().map(|name| corpus.labels.intern(&capital(name))).collect();
    for span in &mut corpus.spans {
        span.label = now[span.label as usize];
    }
}

/// Gives documents the text that the loader makes of their files.
fn set_texts(corpus: &mut Corpus) -> Result<(), SourceError> {
    let mut digests = vec![None; corpus.documents.len()];
    {
        let mut reader = TextReader::new(corpus);
        let mut text = String::new();
        for (digest, document) in digests.iter_mut().zip(&corpus.documents) {
            let plain = matches!(pieces(corpus, document), [piece] if matches!(piece.form, Form::Plain));
            if plain && reader.read(document, &mut text)? {
                *digest = Some(Digest::of(chia_text(&text).as_bytes()));
            }
        }
    }
    for (at, digest) in digests.into_iter().enumerate() {
        let Some(digest) = digest else { continue };
        corpus.documents[at].digest = Some(digest);
        let piece = corpus.documents[at].text.start as usize;
        corpus.pieces[piece].form = Form::Encoded(|bytes| Some(chia_text(&String::from_utf8_lossy(bytes))));
    }
    Ok(())
}

fn pieces<'c>(corpus: &'c Corpus, document: &Document) -> &'c [Piece] {
    &corpus.pieces[document.text.start as usize..document.text.end as usize]
}

/// How a text of Chia may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum View {
    /// As its file has it; the corpus' own offsets count so.
    Raw,
    /// With `\n` for every line end, as Python reads a text file.
    Lines,
    /// As the loader leaves it: every newline between two of `[A-Za-z,.]` doubled.
    Loader,
}

const VIEWS: [View; 3] = [View::Loader, View::Raw, View::Lines];

/// A text of Chia in a view, and where each of its characters and its end are there.
fn view(raw: &str, view: View) -> (String, Vec<i64>) {
    let chars: Vec<char> = raw.chars().collect();
    let (mut text, mut places) = (String::with_capacity(raw.len()), Vec::with_capacity(chars.len() + 1));
    let mut length = 0;
    let joins = |c: Option<&char>| c.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, ',' | '.'));
    for (at, &c) in chars.iter().enumerate() {
        places.push(length);
        let mut push = |c: char| {
            text.push(c);
            length += 1;
        };
        match (view, c) {
            (View::Raw, c) => push(c),
            (_, '\r') if chars.get(at + 1) == Some(&'\n') => {}
            (_, '\r' | '\n') => {
                push('\n');
                let before = if c == '\n' && at > 0 && chars[at - 1] == '\r' {
                    at.checked_sub(2)
                } else {
                    at.checked_sub(1)
                };
                let between = joins(before.and_then(|at| chars.get(at))) && joins(chars.get(at + 1));
                if view == View::Loader && between {
                    push('\n');
                }
            }
            (_, c) => push(c),
        }
    }
    places.push(length);
    (text, places)
}

fn chia_text(raw: &str) -> String {
    view(raw, View::Loader).0
}

/// Brings predictions for Chia to the text that is scored. Their text, or else their spans' own texts, say
/// which of three texts their offsets count in (the loader's, the file's, the file's with `\n` as line end);
/// where nothing does, the loader's, on which the benchmark runs its models. Returns how many documents were
/// brought from which text. `met` is the gold document of each predicted one; `raw` says that the files'
/// offsets were asked for.
///
/// # Errors
/// When a file cannot be read any more.
pub fn bring(
    pred: &mut Corpus,
    gold: &Corpus,
    met: &[Option<u32>],
    corrected: bool,
    raw: bool,
) -> Result<Vec<(&'static str, u64)>, SourceError> {
    let scored = if corrected { View::Raw } else { View::Loader };
    let mut brought = [0_u64; 3];
    // Per document: what each view says, and whether its own text decided.
    let mut documents: Vec<(usize, String)> = Vec::new();
    for (at, met) in met.iter().enumerate() {
        let Some(gold_document) = met.map(|met| &gold.documents[met as usize]) else { continue };
        if let Some(text) = file_text(gold, gold_document)? {
            documents.push((at, text));
        }
    }
    let mut agree = [0_u64; 3];
    let mut decided: Vec<Option<View>> = vec![None; documents.len()];
    {
        let mut reader = TextReader::new(pred);
        for ((at, text), decided) in documents.iter().zip(&mut decided) {
            let document = &pred.documents[*at];
            let texts = VIEWS.map(|view_| view(text, view_).0);
            if let Some(digest) = document.digest {
                *decided = VIEWS
                    .into_iter()
                    .zip(&texts)
                    .find(|(_, text)| Digest::of(text.as_bytes()) == digest)
                    .map(|(view, _)| view);
                continue;
            }
            let indexes = texts.each_ref().map(|text| CharIndex::new(text));
            for span in pred.spans_of(document) {
                let own = own_text(&mut reader, pred.detail(span).and_then(|detail| detail.own.as_ref()))?;
                if !own.is_empty() {
                    for (agree, index) in agree.iter_mut().zip(&indexes) {
                        *agree += u64::from(index.slice(span.start, span.end) == Some(&own));
                    }
                }
            }
        }
    }
    let most = (0..VIEWS.len()).rev().max_by_key(|&at| agree[at]).map_or(View::Loader, |at| VIEWS[at]);
    let usual = if raw { View::Raw } else { most };
    for ((at, text), decided) in documents.iter().zip(&decided) {
        let has_text = pred.documents[*at].digest.is_some();
        let from = match decided {
            Some(view) => *view,
            // Another text than any of these: brought by what is the same, or told as differing.
            None if has_text => continue,
            None => usual,
        };
        if has_text {
            pred.documents[*at].text.end = pred.documents[*at].text.start;
            pred.documents[*at].digest = None;
            pred.documents[*at].edges_known = false;
        }
        if from == scored {
            continue;
        }
        brought[VIEWS.iter().position(|view| *view == from).unwrap_or(0)] += 1;
        let (from, to) = (view(text, from).1, view(text, scored).1);
        // The first character of the file that is there or behind.
        let there = |offset: i64| {
            let at = from.partition_point(|&place| place < offset);
            to.get(at).copied().unwrap_or(offset)
        };
        for span in pred.documents[*at].spans.clone() {
            let Span { start, end, .. } = pred.spans[span as usize];
            pred.spans[span as usize] = pred.spans[span as usize].moved(there(start), there(end));
            if pred.detail(&pred.spans[span as usize]).is_some() {
                let detail = pred.detail_mut(span as usize);
                detail.trimmed = None;
                for fragment in &mut detail.fragments {
                    *fragment = (there(fragment.0), there(fragment.1));
                }
            }
        }
    }
    let names = ["the loader's text", "the file's text", "the file's text with \\n as line end"];
    Ok(names.into_iter().zip(brought).filter(|(_, count)| *count > 0).collect())
}

/// The text of a Chia document as its file has it, where that can be read.
fn file_text(gold: &Corpus, document: &Document) -> Result<Option<String>, SourceError> {
    let [piece] = pieces(gold, document) else { return Ok(None) };
    if !matches!(piece.form, Form::Plain | Form::Encoded(_)) {
        return Ok(None);
    }
    let mut text = String::new();
    let plain = Piece { form: Form::Plain, ..*piece };
    TextReader::new(gold).append(&plain, &mut text)?;
    Ok(Some(text))
}

/// Where a text occurs in code points, if it occurs once (of overlapping occurrences the first counts).
fn only(text: &str, own: &str) -> Option<(i64, i64)> {
    let mut found = text.match_indices(own);
    let (at, _) = found.next().filter(|_| !own.is_empty())?;
    if found.next().is_some() {
        return None;
    }
    let point = |byte: usize| code_points(&text.as_bytes()[..byte]) as i64;
    Some((point(at), point(at + own.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Expected: Python 3.11, re.sub(r"(?<=[a-zA-Z,.])\n(?=[a-zA-Z,.])", "\n\n", text read with newline=None).
    #[test]
    fn newlines_between_letters_are_doubled() {
        for (raw, text) in [
            ("a\r\nb", "a\n\nb"),
            ("a\n\nb", "a\n\nb"),
            ("a\nb\nc", "a\n\nb\n\nc"),
            (".\n,\r1\r\nb", ".\n\n,\n1\nb"),
            ("\na\n", "\na\n"),
            ("é\na", "é\na"),
            ("a\r\r\nb", "a\n\nb"),
        ] {
            assert_eq!(chia_text(raw), text, "{raw:?}");
        }
        let (text, places) = view("a\r\nb", View::Loader);
        assert_eq!((text.as_str(), places), ("a\n\nb", vec![0, 1, 1, 3, 4]));
    }

    #[test]
    fn blank_as_the_benchmark_says() {
        for (text, blank) in
            [("", true), (" \n", true), ("NaN", false), ("nA na", false), ("naNA", true), ("n", false)]
        {
            assert_eq!(is_blank(text), blank, "{text:?}");
        }
    }
}
