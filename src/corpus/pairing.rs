//! Which gold document meets which predicted document: by id, or by position when neither side has ids
//! and the counts agree.

use super::{Corpus, Document};
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

/// Pairs two corpora. Without ids, a document's place among all records of its side counts, records that
/// could not be read included.
///
/// # Errors
/// When ids and positions cannot both be trusted: one side has ids and the other not, or neither has and
/// the counts differ. The message says what to do.
pub fn pair(gold: &Corpus, pred: &Corpus) -> Result<Pairing, String> {
    let any_id = |corpus: &Corpus| corpus.documents.iter().any(|d| d.has_id);
    let by_position = !any_id(gold) && !any_id(pred);
    if !gold.documents.is_empty() && !pred.documents.is_empty() {
        if by_position && gold.records != pred.records {
            return Err(format!(
                "neither side has document ids, and the counts differ ({} gold, {} predicted): \
                 documents cannot be paired; give each record an id",
                gold.records, pred.records
            ));
        }
        if any_id(gold) != any_id(pred) {
            let (with, without) =
                if any_id(pred) { ("predictions", "gold") } else { ("gold", "predictions") };
            return Err(format!(
                "the {with} have document ids and the {without} have none: documents cannot be paired; \
                 give each record of the {without} an id"
            ));
        }
    }
    let counts = |document: &Document| document.has_id || by_position;
    let mut by_id: FxHashMap<&str, u32> = FxHashMap::default();
    for (at, document) in pred.documents.iter().enumerate().filter(|(_, d)| counts(d)) {
        by_id.entry(&document.id).or_insert(at as u32);
    }
    let mut met = vec![false; pred.documents.len()];
    let mut pairs = Vec::with_capacity(gold.documents.len());
    for (at, document) in gold.documents.iter().enumerate() {
        let found = by_id.get(document.id.as_str()).copied().filter(|_| counts(document));
        if let Some(found) = found {
            met[found as usize] = true;
        }
        pairs.push((at as u32, found));
    }
    let predicted_only = (0..met.len()).filter(|&at| !met[at]).map(|at| at as u32).collect();
    Ok(Pairing { by_position, pairs, predicted_only })
}
