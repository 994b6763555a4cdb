//! A model's own tokenizer, seen from the core: a function from a text to tokens, and what is told of it.
//! What runs it is another module (`crates/tokenizer`), so that the core stays small.

use super::Token;
use serde::Deserialize;
use std::rc::Rc;

/// Gives a text's tokens as code points; none where it fails on the text.
pub type Tokenize = Rc<dyn Fn(&str) -> Option<Vec<Token>>>;

/// What a tokenizer file says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Description {
    /// `BPE`, `WordPiece`, `WordLevel` or `Unigram`.
    pub model: Option<String>,
    /// Entries of the vocabulary.
    pub vocabulary: u64,
    /// What the file would do to texts and was not let, in words.
    pub switched_off: Vec<String>,
    /// Size of the file.
    pub bytes: u64,
    /// SHA-256 of the file, lower-case hex.
    pub sha256: Option<String>,
    /// Why the file is no tokenizer that can be used.
    pub failure: Option<String>,
}

/// A tokenizer that was given.
#[derive(Clone)]
pub struct Tokenizer {
    /// What the file is.
    pub description: Description,
    /// None where the file cannot be used.
    pub tokenize: Option<Tokenize>,
}

impl Tokenizer {
    /// Puts the tokens of a text of `length` code points into `out`, in order of start; false where there
    /// are none to trust: the tokenizer failed, or places one outside the text.
    pub fn tokens(&self, text: &str, length: usize, out: &mut Vec<Token>) -> bool {
        out.clear();
        let Some(mut list) = self.tokenize.as_ref().and_then(|tokenize| tokenize(text)) else { return false };
        if list.iter().any(|&(start, end)| start > end || end as usize > length) {
            return false;
        }
        if !list.is_sorted_by_key(|token| token.0) {
            list.sort_by_key(|token| token.0);
        }
        *out = list;
        true
    }

    /// The tokens in words.
    pub fn words(&self) -> String {
        let Description { model, vocabulary, switched_off, .. } = &self.description;
        let model = model.as_deref().unwrap_or("given");
        let mut words = format!("the tokens of the {model} tokenizer.json ({vocabulary} entries)");
        if !switched_off.is_empty() {
            words.push_str(&format!(", its {} switched off", switched_off.join(" and ")));
        }
        words
    }
}
