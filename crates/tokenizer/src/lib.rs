//! Hugging Face's `tokenizer.json`: which characters of a text each token has. The tokens are those of
//! `Tokenizer.encode(text, add_special_tokens=False)` of the `tokenizers` package.
//!
//! The core (`clinscore`) does not depend on this crate: it is a second module, loaded only when a
//! tokenizer is given, and handed to the core as a function.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokenizers::models::ModelWrapper;
use tokenizers::normalizers::Precompiled;

#[cfg(target_arch = "wasm32")]
mod wasm;

/// A tokenizer, ready.
pub struct Tokenizer {
    inner: tokenizers::Tokenizer,
    description: Description,
}

/// What a tokenizer file is, for reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Description {
    /// `BPE`, `WordPiece`, `WordLevel` or `Unigram`.
    pub model: &'static str,
    /// Entries of the vocabulary, added tokens included.
    pub vocabulary: usize,
    /// What the file would do and was not let: it would lose tokens, invent some, or depend on chance.
    pub switched_off: Vec<String>,
    /// Size of the file.
    pub bytes: usize,
    /// SHA-256 of the file, lower-case hex.
    pub sha256: String,
}

/// The parts of a file that say whether it is one. What is not named here is not kept.
#[derive(Deserialize)]
struct Outline {
    model: Option<OutlineModel>,
    normalizer: Option<Value>,
    pre_tokenizer: Option<Value>,
    post_processor: Option<Value>,
    truncation: Option<Truncation>,
    padding: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct OutlineModel {
    #[serde(rename = "type")]
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Truncation {
    max_length: u64,
}

const MODELS: [&str; 4] = ["BPE", "WordPiece", "WordLevel", "Unigram"];
const NORMALIZERS: [&str; 15] = [
    "BertNormalizer",
    "Strip",
    "StripAccents",
    "NFC",
    "NFD",
    "NFKC",
    "NFKD",
    "Sequence",
    "Lowercase",
    "Nmt",
    "Precompiled",
    "Replace",
    "Prepend",
    "ByteLevel",
    // Of files that older versions wrote.
    "Bert",
];
const PRE_TOKENIZERS: [&str; 13] = [
    "BertPreTokenizer",
    "ByteLevel",
    "Delimiter",
    "CharDelimiterSplit",
    "Metaspace",
    "Whitespace",
    "Sequence",
    "Split",
    "Punctuation",
    "WhitespaceSplit",
    "Digits",
    "UnicodeScripts",
    "FixedLength",
];
const POST_PROCESSORS: [&str; 5] =
    ["RobertaProcessing", "BertProcessing", "ByteLevel", "TemplateProcessing", "Sequence"];

impl Tokenizer {
    /// Reads a file.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn new(bytes: &[u8]) -> Result<Self, String> {
        let outline = outline(bytes)?;
        let mut inner = tokenizers::Tokenizer::from_bytes(bytes)
            .map_err(|error| format!("the tokenizer.json is not valid: {error}"))?;
        let mut switched_off = Vec::new();
        if let Some(Truncation { max_length }) = outline.truncation {
            switched_off.push(format!("truncation at {max_length} tokens"));
        }
        if outline.padding.is_some() {
            switched_off.push("padding".to_owned());
        }
        // `with_truncation` fails for a length that is too short; none is never that.
        let _ = inner.with_truncation(None);
        inner.with_padding(None);
        if let Some(model) = without_chance(inner.get_model()) {
            inner.with_model(model);
            switched_off.push("random choice of subwords".to_owned());
        }
        let model = match inner.get_model() {
            ModelWrapper::BPE(_) => MODELS[0],
            ModelWrapper::WordPiece(_) => MODELS[1],
            ModelWrapper::WordLevel(_) => MODELS[2],
            ModelWrapper::Unigram(_) => MODELS[3],
        };
        let description = Description {
            model,
            vocabulary: inner.get_vocab_size(true),
            switched_off,
            bytes: bytes.len(),
            sha256: Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect(),
        };
        Ok(Tokenizer { inner, description })
    }

    /// The tokens of a text, in order: start and end in code points, end exclusive. Special tokens are not
    /// added. Byte-level tokenizers can give one character several tokens, each with the whole of it.
    ///
    /// # Errors
    /// When the tokenizer has no token for a part of the text, not even an unknown one. The message holds
    /// nothing of the text.
    pub fn tokens(&self, text: &str) -> Result<Vec<(u32, u32)>, &'static str> {
        let encoding = self
            .inner
            .encode_char_offsets(text, false)
            .map_err(|_| "the tokenizer has no token for a part of a text")?;
        Ok(encoding.get_offsets().iter().map(|&(start, end)| (start as u32, end as u32)).collect())
    }

    /// What the file is.
    pub fn describe(&self) -> &Description {
        &self.description
    }
}

/// Reads the outline, and finds what `tokenizers` would say in words of its own, or not survive.
fn outline(bytes: &[u8]) -> Result<Outline, String> {
    let found = |what: &str| format!("it is no Hugging Face tokenizer.json: {what}");
    // A tokenizer with a byte-order mark would be read as no JSON by the crate too.
    let outline: Outline = serde_json::from_slice(bytes).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => found(&error.to_string()),
        _ => format!("it is no valid JSON: {error}"),
    })?;
    let Some(model) = &outline.model else {
        return Err(found("it has no \"model\""));
    };
    if let Some(kind) = model.kind.as_deref().filter(|kind| !MODELS.contains(kind)) {
        return Err(unknown("model", kind, &MODELS));
    }
    check("normalizer", outline.normalizer.as_ref(), &NORMALIZERS)?;
    check("pre_tokenizer", outline.pre_tokenizer.as_ref(), &PRE_TOKENIZERS)?;
    check("post_processor", outline.post_processor.as_ref(), &POST_PROCESSORS)?;
    Ok(outline)
}

fn unknown(part: &str, kind: &str, known: &[&str]) -> String {
    let shown: String = kind.chars().take(40).collect();
    format!("its {part} is of the type {shown:?}; known are {}", known.join(", "))
}

/// Whether a component and those in it are known.
fn check(part: &str, component: Option<&Value>, known: &[&str]) -> Result<(), String> {
    let Some(component) = component else { return Ok(()) };
    if let Some(kind) = component.get("type").and_then(Value::as_str) {
        if !known.contains(&kind) {
            return Err(unknown(part, kind, known));
        }
        // A bad one ends the crate's reader, where others give an error.
        if kind == "Precompiled" && serde_json::from_value::<Precompiled>(component.clone()).is_err() {
            return Err("its normalizer \"Precompiled\" cannot be read".to_owned());
        }
    }
    for list in ["normalizers", "pretokenizers", "processors"] {
        let inner = component.get(list).and_then(Value::as_array);
        inner.into_iter().flatten().try_for_each(|one| check(part, Some(one), known))?;
    }
    Ok(())
}

/// The model without what it leaves to chance; none where it leaves nothing.
fn without_chance(model: &ModelWrapper) -> Option<ModelWrapper> {
    match model {
        ModelWrapper::BPE(bpe) if bpe.dropout.is_some_and(|dropout| dropout > 0.0) => {
            let mut bpe = bpe.clone();
            bpe.dropout = None;
            Some(ModelWrapper::BPE(bpe))
        }
        ModelWrapper::Unigram(unigram) if unigram.alpha.is_some_and(|alpha| alpha != 0.0) => {
            let mut unigram = unigram.clone();
            (unigram.alpha, unigram.nbest_size) = (None, None);
            Some(ModelWrapper::Unigram(unigram))
        }
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fixture(name: &str) -> Value {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/tokenizers");
        let text = std::fs::read_to_string(format!("{folder}/{name}.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    fn tokenizer(file: &Value) -> Result<Tokenizer, String> {
        Tokenizer::new(file.to_string().as_bytes())
    }

    // Expected values: tokenizers 0.23.2 (Python), Tokenizer.encode(text, add_special_tokens=False).offsets;
    // tests/reference/tokenizer_json.py compares many more.
    #[test]
    fn places_are_code_points() {
        for (name, model, places) in [
            ("wordpiece", "WordPiece", &[(0, 2), (2, 3), (3, 4), (5, 9), (10, 11)][..]),
            (
                "bpe",
                "BPE",
                &[(0, 2), (2, 4), (5, 6), (6, 9), (10, 10), (10, 11), (10, 11), (10, 11), (10, 11)],
            ),
            (
                "unigram",
                "Unigram",
                &[(0, 1), (0, 1), (1, 2), (2, 3), (3, 4), (4, 7), (7, 9), (9, 10), (10, 11)],
            ),
        ] {
            let tokenizer = tokenizer(&fixture(name)).unwrap();
            assert_eq!(tokenizer.describe().model, model);
            assert_eq!(tokenizer.tokens("Café pain 😀").unwrap(), places, "{name}");
            assert_eq!(tokenizer.tokens("").unwrap(), []);
        }
    }

    #[test]
    fn truncation_padding_and_chance_are_switched_off() {
        let off = |file: &Value| tokenizer(file).unwrap().describe().switched_off.clone();
        let wordpiece = fixture("wordpiece");
        assert_eq!(off(&wordpiece), ["truncation at 16 tokens", "padding"]);
        assert_eq!(tokenizer(&wordpiece).unwrap().tokens(&"pain ".repeat(40)).unwrap().len(), 40);
        let mut bpe = fixture("bpe");
        assert!(off(&bpe).is_empty());
        let text = "metoprolol and atorvastatin";
        let certain = tokenizer(&bpe).unwrap().tokens(text).unwrap();
        bpe["model"]["dropout"] = json!(0.9);
        assert_eq!(off(&bpe), ["random choice of subwords"]);
        assert_eq!(tokenizer(&bpe).unwrap().tokens(text).unwrap(), certain);
    }

    #[test]
    fn what_is_no_tokenizer_says_why() {
        let mut unknown = fixture("bpe");
        unknown["pre_tokenizer"] =
            json!({"type": "Sequence", "pretokenizers": [{"type": "Digits"}, {"type": "Rot13"}]});
        let mut charsmap = fixture("unigram");
        charsmap["normalizer"] = json!({"type": "Precompiled", "precompiled_charsmap": "AAAA"});
        for (file, why) in [
            (json!([]), "it is no Hugging Face tokenizer.json"),
            (json!({"id": 1}), "it has no \"model\""),
            (unknown, "its pre_tokenizer is of the type \"Rot13\""),
            (charsmap, "its normalizer \"Precompiled\" cannot be read"),
            (json!({"model": {"type": "Unigram", "vocab": [], "unk_id": 3}}), "not valid"),
        ] {
            let message = tokenizer(&file).err().unwrap();
            assert!(message.contains(why), "{message}");
        }
    }

    #[test]
    fn a_text_without_a_token_is_an_error_without_the_text() {
        let mut file = fixture("wordpiece");
        file["model"]["unk_token"] = json!("[MISSING]");
        assert_eq!(
            tokenizer(&file).unwrap().tokens("😀"),
            Err("the tokenizer has no token for a part of a text")
        );
    }
}
