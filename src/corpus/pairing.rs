//! Which gold document meets which predicted document: by id, or by position when neither side has ids
//! and the counts agree.

use super::Corpus;
use rustc_hash::FxHashMap;

/// Pairs in gold order, and what is left on either side.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pairing {
    /// Whether documents met by position.
    pub by_position: bool,
    /// (gold document, predicted document or none), for every gold document.
    pub pairs: Vec<(u32, Option<u32>)>,
    /// Predicted documents without gold.
    pub predicted_only: Vec<u32>,
}

/// Pairs two corpora.
///
/// # Errors
/// When ids and positions cannot both be trusted: one side has ids and the other not, or neither has and
/// the counts differ. The message says what to do.
pub fn pair(gold: &Corpus, pred: &Corpus) -> Result<Pairing, String> {
    let ids = |corpus: &Corpus| corpus.documents.iter().filter(|d| d.has_id).count();
    let (gold_ids, pred_ids) = (ids(gold), ids(pred));
    let (g, p) = (gold.documents.len(), pred.documents.len());
    if gold_ids == 0 && pred_ids == 0 && g > 0 && p > 0 {
        if g != p {
            return Err(format!(
                "neither side has document ids, and the counts differ ({g} gold, {p} predicted): \
                 documents cannot be paired; give each record an id"
            ));
        }
        let pairs = (0..g as u32).map(|at| (at, Some(at))).collect();
        return Ok(Pairing { by_position: true, pairs, predicted_only: Vec::new() });
    }
    if p > 0 && g > 0 && (gold_ids == 0) != (pred_ids == 0) {
        let (with, without) = if gold_ids == 0 { ("predictions", "gold") } else { ("gold", "predictions") };
        return Err(format!(
            "the {with} have document ids and the {without} have none: documents cannot be paired; \
             give each record of the {without} an id"
        ));
    }
    let mut by_id: FxHashMap<&str, u32> = FxHashMap::default();
    for (at, document) in pred.documents.iter().enumerate() {
        by_id.entry(&document.id).or_insert(at as u32);
    }
    let mut met = vec![false; p];
    let mut pairs = Vec::with_capacity(g);
    for (at, document) in gold.documents.iter().enumerate() {
        let found = by_id.get(document.id.as_str()).copied();
        if let Some(found) = found {
            met[found as usize] = true;
        }
        pairs.push((at as u32, found));
    }
    let predicted_only = (0..p as u32).filter(|&at| !met[at as usize]).collect();
    Ok(Pairing { by_position: false, pairs, predicted_only })
}
