//! The only file of this crate that knows JavaScript. Messages are thrown as strings.

use wasm_bindgen::prelude::*;

/// A tokenizer, ready.
#[wasm_bindgen]
pub struct Tokenizer(crate::Tokenizer);

#[wasm_bindgen]
impl Tokenizer {
    /// Reads a tokenizer.json.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: &[u8]) -> Result<Tokenizer, String> {
        crate::Tokenizer::new(bytes).map(Tokenizer)
    }

    /// Start and end of each token, as code points, one after the other.
    pub fn tokens(&self, text: &str) -> Result<Vec<u32>, String> {
        Ok(self.0.tokens(text)?.into_iter().flat_map(|(start, end)| [start, end]).collect())
    }

    /// What the file is; JSON.
    pub fn describe(&self) -> String {
        serde_json::to_string(self.0.describe()).unwrap_or_default()
    }
}
