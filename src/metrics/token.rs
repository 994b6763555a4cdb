//! Token scores: scikit-learn's `classification_report` with the chosen labels, accuracy and Cohen's kappa.
//! Definitions: `precision_recall_fscore_support` and `cohen_kappa_score` of scikit-learn 1.9.1.

use super::pairs::PairCounts;
use crate::report::{TokenConfusion, TokenLabel, TokenReport, TokenScore, Value};
use crate::tokens::TokenSource;

/// Counts of (gold label, predicted label) over tokens; 0 is `O`, label `i` of the scheme is `i + 1`.
#[derive(Default)]
pub struct TokenCounts {
    pairs: PairCounts,
    /// Documents scored.
    pub documents: u64,
    /// Documents without text or tokens.
    pub without_text: u64,
    /// Documents on which the tokenizer failed.
    pub tokenizer_failed: u64,
    /// Ties in gold.
    pub gold_ties: u64,
    /// Ties in the predictions.
    pub pred_ties: u64,
}

impl TokenCounts {
    /// Counts one token.
    pub fn add(&mut self, gold: u32, pred: u32) {
        self.pairs.add(gold, pred);
    }

    /// The report; `words` tell the source, `names` are the scheme's, of which the first `scored` are scored.
    pub fn report(self, source: TokenSource, words: String, names: &[String], scored: usize) -> TokenReport {
        let cells = self.pairs.sorted();
        let mut right = vec![0_u64; names.len() + 1];
        let (mut gold, mut pred) = (right.clone(), right.clone());
        for &((g, p), count) in &cells {
            gold[g as usize] += count;
            pred[p as usize] += count;
            if g == p {
                right[g as usize] += count;
            }
        }
        let tokens: u64 = gold.iter().sum();
        let agree: u64 = right.iter().sum();
        let per_label: Vec<TokenLabel> = (1..=scored)
            .filter(|at| names[at - 1] != "O")
            .map(|at| TokenLabel {
                label: names[at - 1].clone(),
                score: score(right[at], pred[at], gold[at]),
                correct: right[at],
                predicted: pred[at],
            })
            .collect();
        let sum = |list: &[u64]| list[1..=scored].iter().sum::<u64>();
        let micro = score(sum(&right), sum(&pred), sum(&gold));
        // `O` goes last, as the reader expects it.
        let shown: Vec<u32> = (1..=names.len() as u32).filter(|&at| names[at as usize - 1] != "O").collect();
        let place = |label: u32| shown.binary_search(&label).unwrap_or(shown.len()) as u32;
        let mut confusion: Vec<(u32, u32, u64)> =
            cells.iter().map(|&((g, p), count)| (place(g), place(p), count)).collect();
        confusion.sort_unstable();
        TokenReport {
            tokens_from: source.name(),
            words,
            documents: self.documents,
            documents_without_text: self.without_text,
            tokenizer_failed: self.tokenizer_failed,
            tokens,
            gold_ties: self.gold_ties,
            predicted_ties: self.pred_ties,
            macro_avg: average(&per_label, |_| 1.0, micro.support),
            weighted: average(&per_label, |label| label.score.support as f64, micro.support),
            per_label,
            micro,
            accuracy: Value::ratio(agree as f64, tokens as f64, "there are no tokens"),
            kappa: kappa(tokens, agree, &gold, &pred),
            confusion: TokenConfusion {
                labels: shown
                    .iter()
                    .map(|&at| names[at as usize - 1].clone())
                    .chain(std::iter::once("O".to_owned()))
                    .collect(),
                cells: confusion,
            },
        }
    }
}

fn score(right: u64, predicted: u64, support: u64) -> TokenScore {
    let f1 = Value::ratio(
        2.0 * right as f64,
        (support + predicted) as f64,
        "neither gold nor predictions have any",
    );
    TokenScore {
        precision: Value::ratio(right as f64, predicted as f64, "nothing was predicted"),
        recall: Value::ratio(right as f64, support as f64, "gold has none"),
        f1,
        support,
    }
}

/// Mean over labels, undefined ones as 0 (scikit-learn's `zero_division=0`).
fn average(labels: &[TokenLabel], weight: impl Fn(&TokenLabel) -> f64, support: u64) -> TokenScore {
    let weights: Vec<f64> = labels.iter().map(weight).collect();
    let total = pairwise_sum(&weights);
    let mean = |part: fn(&TokenScore) -> Value| {
        let terms: Vec<f64> = labels
            .iter()
            .zip(&weights)
            .map(|(label, weight)| part(&label.score).value.unwrap_or(0.0) * weight)
            .collect();
        Value::ratio(pairwise_sum(&terms), total, "gold has none")
    };
    TokenScore { precision: mean(|s| s.precision), recall: mean(|s| s.recall), f1: mean(|s| s.f1), support }
}

/// The sum in NumPy's order (`pairwise_sum` of numpy/_core/src/umath/loops_utils.h.src), so that averages
/// are equal to the last bit: one by one below 8 terms, eight running sums up to 128, halves above.
fn pairwise_sum(terms: &[f64]) -> f64 {
    let n = terms.len();
    if n < 8 {
        return terms.iter().fold(0.0, |sum, term| sum + term);
    }
    if n <= 128 {
        let mut sums = [0.0; 8];
        sums.copy_from_slice(&terms[..8]);
        let blocks = terms[8..].chunks_exact(8);
        let rest = blocks.remainder();
        for block in blocks {
            for (sum, term) in sums.iter_mut().zip(block) {
                *sum += term;
            }
        }
        let [a, b, c, d, e, f, g, h] = sums;
        let sum = ((a + b) + (c + d)) + ((e + f) + (g + h));
        return rest.iter().fold(sum, |sum, term| sum + term);
    }
    let half = n / 2;
    let half = half - half % 8;
    pairwise_sum(&terms[..half]) + pairwise_sum(&terms[half..])
}

/// Cohen's kappa from exact integer sums: 1 − n·disagreements / (n² − Σ gold·predicted).
fn kappa(tokens: u64, agree: u64, gold: &[u64], pred: &[u64]) -> Value {
    let n = u128::from(tokens);
    let chance: u128 = gold.iter().zip(pred).map(|(&g, &p)| u128::from(g) * u128::from(p)).sum();
    let expected = n * n - chance;
    if tokens == 0 {
        return Value::undefined("there are no tokens");
    }
    if expected == 0 {
        return Value::undefined("every token has one and the same label on both sides");
    }
    let observed = n * u128::from(tokens - agree);
    Value::of(1.0 - observed as f64 / expected as f64)
}
