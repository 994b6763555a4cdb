//! Predicted items in JSON that models and pipelines print: objects under many names, dictionaries by label,
//! plain lists. Works on strict JSON, one level at a time, without recursion.

use crate::corpus::text;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// An object: its keys and its values as they are written.
#[derive(Default)]
pub struct Fields<'a>(pub Vec<(Cow<'a, str>, &'a str)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Key<'a>(#[serde(borrow)] Cow<'a, str>);
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Fields<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some((Key(key), value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
                    fields.push((key, value.get()));
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

impl<'a> Fields<'a> {
    /// The members of an object.
    pub fn of(json: &'a str) -> Option<Self> {
        json.starts_with('{').then(|| serde_json::from_str(json).ok()).flatten()
    }

    /// The value of the first key of a list that is there; null is not. Case does not count; of a key given
    /// twice the last counts.
    pub fn first(&self, keys: &[&str]) -> Option<&'a str> {
        keys.iter().find_map(|key| self.get(key))
    }

    fn get(&self, key: &str) -> Option<&'a str> {
        let same = |(name, _): &&(Cow<'a, str>, &'a str)| name.eq_ignore_ascii_case(key);
        self.0.iter().rev().find(same).map(|(_, value)| *value).filter(|value| *value != "null")
    }

    /// Whether a key of the list is there, null or not.
    pub fn has(&self, keys: &[&str]) -> bool {
        self.0.iter().any(|(name, _)| keys.iter().any(|key| name.eq_ignore_ascii_case(key)))
    }

    /// The document's id.
    pub fn id(&self) -> Option<String> {
        ID_KEYS.iter().find_map(|key| scalar(self.get(key)?)).filter(|id| !id.is_empty())
    }
}

/// The elements of a list, as they are written.
pub fn list(json: &str) -> Option<Vec<&str>> {
    let values: Vec<&RawValue> = json.starts_with('[').then(|| serde_json::from_str(json).ok()).flatten()?;
    Some(values.into_iter().map(RawValue::get).collect())
}

/// A string's content.
pub fn string(raw: &str) -> Option<String> {
    let bytes = raw.starts_with('"').then(|| text::unescape(raw.as_bytes()).ok()).flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A string's content, or a number as written.
pub fn scalar(raw: &str) -> Option<String> {
    match raw.as_bytes().first()? {
        b'"' => string(raw),
        b'-' | b'0'..=b'9' => Some(raw.to_owned()),
        _ => None,
    }
}

/// A number, quoted or not.
fn number(raw: &str) -> Option<f64> {
    scalar(raw)?.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// An offset: `12`, `12.0` and `"12"` count.
fn whole(raw: &str) -> Option<i64> {
    let scalar = scalar(raw)?;
    // Floats hold whole numbers up to 2^53.
    let float = |float: f64| {
        (float.trunc() == float && float.abs() <= 9_007_199_254_740_992.0).then_some(float as i64)
    };
    scalar.trim().parse().ok().or_else(|| scalar.trim().parse().ok().and_then(float))
}

/// Keys of a document's id; the first that is there counts.
const ID_KEYS: &[&str] = &[
    "id",
    "doc_id",
    "document_id",
    "note_id",
    "pmid",
    "hadm_id",
    "filename",
    "file",
    "record_id",
    "custom_id",
    "key",
];
/// Keys that would make an object a row of a table of spans, if it is one of several in a list.
pub const ROW_KEYS: &[&str] =
    &["doc_id", "document_id", "note_id", "pmid", "hadm_id", "filename", "file", "record_id"];
/// Keys of an item's own text.
const TEXT_KEYS: &[&str] =
    &["text", "word", "mention", "span_text", "span", "surface", "chunk", "phrase", "term", "value", "name"];
/// Keys of an item's label; `entity` is one where another key has the text.
const LABEL_KEYS: &[&str] =
    &["entity_group", "label", "type", "entity_type", "ner_label", "category", "class", "tag"];
const START_KEYS: &[&str] = &["start", "begin", "start_char", "start_offset", "start_index", "offset"];
const END_KEYS: &[&str] = &["end", "end_char", "end_offset", "end_index", "stop"];
/// Keys of a confidence.
pub const SCORE_KEYS: &[&str] = &["score", "confidence", "probability", "prob"];
/// Keys around a list of items that are no label.
pub const WRAPPERS: &[&str] = &[
    "entities",
    "predictions",
    "prediction",
    "predicted_entities",
    "extracted_entities",
    "named_entities",
    "items",
    "output",
    "outputs",
    "results",
    "result",
    "annotations",
    "spans",
    "mentions",
    "ner",
    "ents",
    "data",
    "response",
    "answer",
];

/// What an item is, as far as it is printed token by token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grain {
    /// A span.
    Span,
    /// A span that a pipeline put together of tokens: `entity_group` and `word`.
    Group,
    /// A token: `entity` and `word`.
    Token,
}

/// One predicted item as it is written.
#[derive(Debug)]
pub struct Item<'a> {
    /// Whether it is a token.
    pub grain: Grain,
    /// Its label, with the tag's prefix where it has one; none where nothing says it.
    pub label: Option<String>,
    /// Its own text: the JSON string as written.
    pub own: Option<&'a str>,
    /// First offset.
    pub start: Option<i64>,
    /// Last offset.
    pub end: Option<i64>,
    /// The model's confidence.
    pub score: Option<f64>,
    /// Index of the token.
    pub index: Option<i64>,
    /// What is wrong with it.
    pub wrong: Option<&'static str>,
    /// The item as written: tells where it stands.
    pub raw: &'a str,
}

impl<'a> Item<'a> {
    fn bare(raw: &'a str, label: Option<&str>) -> Self {
        Item {
            grain: Grain::Span,
            label: label.map(str::to_owned),
            own: Some(raw),
            start: None,
            end: None,
            score: None,
            index: None,
            wrong: None,
            raw,
        }
    }

    /// The item that an object is; none where it has neither own text nor offsets, or no label and none is
    /// given.
    pub fn of(fields: &Fields<'a>, raw: &'a str, given: Option<&str>) -> Option<Self> {
        let mut wrong = None;
        let mut offset = |keys| {
            let raw = fields.first(keys)?;
            let offset = whole(raw);
            if offset.is_none() && raw != "\"\"" {
                wrong = Some("an offset that is not a whole number");
            }
            offset
        };
        let (start, end) = (offset(START_KEYS), offset(END_KEYS));
        let quoted = |raw: &&str| raw.starts_with('"');
        let (own, label) = (fields.first(TEXT_KEYS).filter(quoted), fields.first(LABEL_KEYS));
        let entity = fields.get("entity");
        let (own, label) = match (own, label, entity) {
            (None, Some(label), Some(entity)) => (Some(entity).filter(quoted), Some(label)),
            (own, None, Some(entity)) => (own, Some(entity)),
            (own, label, _) => (own, label),
        };
        // A label may be a list of one.
        let label =
            label.and_then(|raw| scalar(list(raw).and_then(|list| list.first().copied()).unwrap_or(raw)));
        let label = label.filter(|label| !label.is_empty()).or_else(|| given.map(str::to_owned));
        if own.is_none() && (start.is_none() || end.is_none()) || label.is_none() && !fields.has(TEXT_KEYS) {
            return None;
        }
        let grain = match (fields.has(&["word"]), fields.has(&["entity_group"]), fields.has(&["entity"])) {
            (true, true, _) => Grain::Group,
            (true, false, true) => Grain::Token,
            _ => Grain::Span,
        };
        Some(Item {
            grain,
            label,
            own,
            start,
            end,
            score: fields.first(SCORE_KEYS).and_then(number),
            index: fields.get("index").and_then(whole),
            wrong,
            raw,
        })
    }

    /// Its own text.
    pub fn text(&self) -> Option<String> {
        self.own.and_then(string)
    }

    /// Both offsets.
    pub fn bounds(&self) -> Option<(i64, i64)> {
        self.start.zip(self.end)
    }
}

/// What a value holds.
#[derive(Default)]
pub struct Collected<'a> {
    /// Items in order.
    pub items: Vec<Item<'a>>,
    /// Elements that are no items.
    pub strange: u64,
}

/// Levels of lists and dictionaries that are looked into.
const LEVELS: usize = 6;

/// All items of a value: lists of strings or objects, pairs of text and label, dictionaries by label.
/// `asked` is the label of what names none.
pub fn collect<'a>(json: &'a str, asked: Option<&str>) -> Collected<'a> {
    let mut found = Collected::default();
    let mut open = vec![(json, asked.map(str::to_owned), 0, false)];
    while let Some((raw, label, level, in_list)) = open.pop() {
        if level > LEVELS {
            found.strange += 1;
        } else if raw.starts_with('"') {
            if level > 0 && raw != "\"\"" {
                found.items.push(Item::bare(raw, label.as_deref()));
            }
        } else if let Some(elements) = list(raw) {
            if let Some(pair) = pair(&elements).filter(|_| in_list && label.is_none()) {
                found.items.push(pair);
                continue;
            }
            open.extend(elements.into_iter().rev().map(|element| (element, label.clone(), level + 1, true)));
        } else if let Some(fields) = Fields::of(raw) {
            if let Some(item) = Item::of(&fields, raw, label.as_deref()) {
                found.items.push(item);
                continue;
            }
            for (key, value) in fields.0.iter().rev() {
                let wrapper = WRAPPERS.iter().any(|name| key.eq_ignore_ascii_case(name));
                match value.as_bytes().first() {
                    Some(b'[' | b'{') => {}
                    Some(b'"') if !wrapper && !is_about(key) => {}
                    _ => continue,
                }
                let label = if wrapper { label.clone() } else { Some(key.to_string()) };
                open.push((value, label, level + 1, false));
            }
        } else if raw != "null" {
            found.strange += 1;
        }
    }
    found
}

/// Keys whose strings say something about the answer.
fn is_about(key: &str) -> bool {
    const KEYS: &[&str] =
        &["id", "model", "reasoning", "explanation", "comment", "note", "status", "rationale", "error"];
    KEYS.iter().chain(ID_KEYS).any(|name| key.eq_ignore_ascii_case(name))
}

/// `["levodopa", "drug"]`: a text and its label.
fn pair<'a>(elements: &[&'a str]) -> Option<Item<'a>> {
    match elements {
        [own, label] if own.starts_with('"') && label.starts_with('"') => {
            Some(Item { label: string(label), ..Item::bare(own, None) })
        }
        _ => None,
    }
}
