//! Which gold document meets which predicted document: by id, by an id normalised in a way that was confirmed,
//! or by position where a side has no ids and the counts agree. [`crate::place`] pairs tokens by their text.

use super::{Corpus, Document};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::VecDeque;

/// How documents met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum By {
    /// Equal ids.
    #[default]
    Id,
    /// Ids equal after a normalisation that was confirmed.
    NormalisedId,
    /// Their place on either side.
    Position,
    /// Their tokens.
    Text,
}

impl By {
    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            By::Id => "id",
            By::NormalisedId => "normalised_id",
            By::Position => "position",
            By::Text => "text",
        }
    }
}

/// Pairs in gold order, and what is left on either side.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pairing {
    /// How documents met.
    pub by: By,
    /// (gold document, predicted document or none), for every gold document.
    pub pairs: Vec<(u32, Option<u32>)>,
    /// Predicted documents without gold.
    pub predicted_only: Vec<u32>,
    /// A normalisation of ids by which more documents would meet, or do.
    pub proposal: Option<Proposal>,
}

/// A normalisation of ids that keeps the ids of each side apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// What is left out of account, by name: `folder`, `extension`, `case`, `leading zeros`.
    pub steps: Vec<&'static str>,
    /// Documents that meet by it and not by their ids as given.
    pub more: u64,
    /// The first two ids that meet.
    pub example: Option<(String, String)>,
}

/// A step of the normalisation.
struct Step {
    name: &'static str,
    apply: fn(&str) -> Cow<'_, str>,
}

static STEPS: &[Step] = &[
    Step { name: "folder", apply: |id| Cow::Borrowed(id.rsplit(['/', '\\']).next().unwrap_or(id)) },
    Step { name: "extension", apply: without_extension },
    Step { name: "case", apply: |id| Cow::Owned(id.to_lowercase()) },
    Step { name: "leading zeros", apply: |id| Cow::Owned(without_zeros(id)) },
];

/// Without `.txt` and the like: up to five letters or digits, at least one a letter.
fn without_extension(id: &str) -> Cow<'_, str> {
    let is_extension = |end: &str| {
        (1..=5).contains(&end.len())
            && end.bytes().all(|b| b.is_ascii_alphanumeric())
            && end.bytes().any(|b| b.is_ascii_alphabetic())
    };
    match id.rsplit_once('.') {
        Some((stem, end)) if !stem.is_empty() && is_extension(end) => Cow::Borrowed(stem),
        _ => Cow::Borrowed(id),
    }
}

/// Without the zeros that lead a run of digits.
fn without_zeros(id: &str) -> String {
    let mut out = String::with_capacity(id.len());
    let mut chars = id.chars().peekable();
    let mut in_digits = false;
    while let Some(c) = chars.next() {
        let leads = c == '0' && !in_digits && chars.peek().is_some_and(char::is_ascii_digit);
        if !leads {
            in_digits = c.is_ascii_digit();
            out.push(c);
        }
    }
    out
}

fn normalised(id: &str, steps: &[&Step]) -> String {
    steps.iter().fold(id.to_owned(), |id, step| (step.apply)(&id).into_owned())
}

/// Pairs two corpora. Without ids, a document's place among all records of its side counts, records that
/// could not be read included.
///
/// # Errors
/// When ids and positions cannot be trusted: a side has no ids and the counts differ. The message says what
/// to do.
pub fn pair(gold: &Corpus, pred: &Corpus, normalise: bool) -> Result<Pairing, String> {
    let any_id = |corpus: &Corpus| corpus.documents.iter().any(|d| d.has_id);
    let (gold_ids, pred_ids) = (any_id(gold), any_id(pred));
    let empty = gold.documents.is_empty() || pred.documents.is_empty();
    let ids = gold_ids && pred_ids;
    if !empty && !ids {
        return by_position(gold, pred, gold_ids, pred_ids);
    }
    let exact = by_key(gold, pred, |document| Cow::Borrowed(&document.id));
    let proposal = propose(gold, pred, &exact);
    match proposal {
        Some((proposal, steps)) if normalise => {
            let mut pairing = by_key(gold, pred, |document| Cow::Owned(normalised(&document.id, &steps)));
            (pairing.by, pairing.proposal) = (By::NormalisedId, Some(proposal));
            Ok(pairing)
        }
        other => Ok(Pairing { proposal: other.map(|(proposal, _)| proposal), ..exact }),
    }
}

fn by_position(gold: &Corpus, pred: &Corpus, gold_ids: bool, pred_ids: bool) -> Result<Pairing, String> {
    // Where a side has ids, its records are its documents.
    let count = |corpus: &Corpus, ids: bool| if ids { corpus.documents.len() as u64 } else { corpus.records };
    let (golds, preds) = (count(gold, gold_ids), count(pred, pred_ids));
    let who = match (gold_ids, pred_ids) {
        (false, false) => "neither side has document ids".to_owned(),
        (true, _) => "the gold has document ids and the predictions have none".to_owned(),
        (false, _) => "the predictions have document ids and the gold has none".to_owned(),
    };
    let met = |pairing: &Pairing| pairing.pairs.iter().filter(|pair| pair.1.is_some()).count();
    let by_text = by_text(gold, pred);
    if golds != preds {
        // Texts can pair what positions cannot, where most are found.
        if let Some(by_text) = by_text.filter(|pairing| met(pairing) * 10 >= pred.documents.len() * 9) {
            return Ok(by_text);
        }
        return Err(format!(
            "{who}, and the counts differ ({golds} gold, {preds} predicted): documents cannot be paired; \
             give each record an id"
        ));
    }
    // `#3` is the third record, whether or not those before it could be read.
    let place = |ids: bool, at: usize, document: &Document| {
        if ids { at as u64 + 1 } else { document.id[1..].parse().unwrap_or(0) }
    };
    let places: FxHashMap<u64, u32> =
        pred.documents.iter().enumerate().map(|(at, d)| (place(pred_ids, at, d), at as u32)).collect();
    let found =
        |(at, document): (usize, &Document)| (at as u32, places.get(&place(gold_ids, at, document)).copied());
    let pairs: Vec<_> = gold.documents.iter().enumerate().map(found).collect();
    let same_text = |&&(g, p): &&(u32, Option<u32>)| {
        let pred = p.and_then(|p| pred.documents[p as usize].digest);
        pred.is_some() && gold.documents[g as usize].digest == pred
    };
    // Where the texts say that the order differs, they pair.
    let in_place = pairs.iter().filter(same_text).count();
    if let Some(by_text) = by_text.filter(|pairing| met(pairing) > in_place) {
        return Ok(by_text);
    }
    Ok(finish(By::Position, pairs, pred.documents.len()))
}

/// Documents of equal texts; equal ones among themselves in order. None where no text is on both sides.
fn by_text(gold: &Corpus, pred: &Corpus) -> Option<Pairing> {
    let mut places: FxHashMap<(u64, u64), VecDeque<u32>> = FxHashMap::default();
    let key = |document: &Document| document.digest.map(|digest| (digest.hash, digest.length));
    for (at, document) in pred.documents.iter().enumerate() {
        if let Some(key) = key(document) {
            places.entry(key).or_default().push_back(at as u32);
        }
    }
    let found = |(at, document): (usize, &Document)| {
        (at as u32, key(document).and_then(|key| places.get_mut(&key)?.pop_front()))
    };
    let pairs: Vec<_> = gold.documents.iter().enumerate().map(found).collect();
    pairs.iter().any(|pair| pair.1.is_some()).then(|| finish(By::Text, pairs, pred.documents.len()))
}

fn by_key<'d>(gold: &'d Corpus, pred: &'d Corpus, key: impl Fn(&'d Document) -> Cow<'d, str>) -> Pairing {
    let mut by_id: FxHashMap<Cow<'d, str>, u32> = FxHashMap::default();
    for (at, document) in pred.documents.iter().enumerate().filter(|(_, d)| d.has_id) {
        by_id.entry(key(document)).or_insert(at as u32);
    }
    let found = |(at, document): (usize, &'d Document)| {
        (at as u32, by_id.get(&key(document)).copied().filter(|_| document.has_id))
    };
    let pairs = gold.documents.iter().enumerate().map(found).collect();
    finish(By::Id, pairs, pred.documents.len())
}

/// Finds what is left of the predicted documents.
pub(crate) fn finish(by: By, pairs: Vec<(u32, Option<u32>)>, predicted: usize) -> Pairing {
    let mut met = vec![false; predicted];
    for (_, pred) in &pairs {
        if let Some(pred) = pred {
            met[*pred as usize] = true;
        }
    }
    let predicted_only = (0..predicted).filter(|&at| !met[at]).map(|at| at as u32).collect();
    Pairing { by, pairs, predicted_only, proposal: None }
}

/// The fewest steps by which the most documents meet, if they are more than by the ids as given and no two
/// ids of a side become one.
fn propose(gold: &Corpus, pred: &Corpus, exact: &Pairing) -> Option<(Proposal, Vec<&'static Step>)> {
    if exact.predicted_only.is_empty() || exact.pairs.iter().all(|pair| pair.1.is_some()) {
        return None;
    }
    let already = exact.pairs.iter().filter(|pair| pair.1.is_some()).count() as u64;
    let mut best: Option<(Proposal, Vec<&'static Step>)> = None;
    let mut sets: Vec<u32> = (1..1 << STEPS.len()).collect();
    sets.sort_by_key(|set: &u32| set.count_ones());
    for set in sets {
        let steps: Vec<&'static Step> =
            STEPS.iter().enumerate().filter(|(at, _)| set & (1 << at) != 0).map(|(_, step)| step).collect();
        let keys = |corpus: &Corpus| -> Option<FxHashMap<String, u32>> {
            let mut keys = FxHashMap::default();
            for (at, document) in corpus.documents.iter().enumerate().filter(|(_, d)| d.has_id) {
                if keys.insert(normalised(&document.id, &steps), at as u32).is_some() {
                    return None;
                }
            }
            Some(keys)
        };
        let Some((golds, preds)) = keys(gold).zip(keys(pred)) else { continue };
        let met = golds.keys().filter(|key| preds.contains_key(*key)).count() as u64;
        let more = met.saturating_sub(already);
        if more == 0 || best.as_ref().is_some_and(|(best, _)| best.more >= more) {
            continue;
        }
        let example = gold.documents.iter().find_map(|document| {
            let found = preds.get(&normalised(&document.id, &steps))?;
            let other = &pred.documents[*found as usize].id;
            (*other != document.id).then(|| (document.id.clone(), other.clone()))
        });
        best = Some((Proposal { steps: steps.iter().map(|step| step.name).collect(), more, example }, steps));
    }
    best
}
