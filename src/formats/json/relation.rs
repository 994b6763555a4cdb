//! Relations, events and coreferences of a record.

use super::record::{Pairs, scalar};
use crate::formats::envelope;
use serde_json::value::RawValue;

/// A relation as a record gives it.
pub(super) struct RawRelation {
    pub(super) label: String,
    /// (role, what fills it), in order.
    pub(super) arguments: Vec<(String, Target)>,
}

/// What an argument names.
pub(super) enum Target {
    /// A span by its id, or by its place in the list where spans have none.
    Id(String),
    /// A span by its bounds.
    Place(i64, i64),
}

/// Keys of a relation's two arguments; the first pair that a relation has counts.
static ARGUMENTS: &[(&str, &str)] = &[
    ("arg1_id", "arg2_id"),
    ("from_id", "to_id"),
    // Prodigy: `head` and `child` are numbers of tokens.
    ("head_span", "child_span"),
    ("head_id", "tail_id"),
    ("head", "tail"),
    ("head", "child"),
    ("source", "target"),
    ("subject", "object"),
    ("from", "to"),
    ("arg1", "arg2"),
];

/// Keys of a relation's type.
static TYPES: &[&str] = &["type", "label", "relation", "predicate"];

type Object<'a> = Pairs<&'a RawValue>;

fn find<'a>(object: &Object<'a>, wanted: &str) -> Option<&'a str> {
    object.0.iter().find(|(key, _)| key == wanted).map(|(_, value)| value.get())
}

/// The type of a relation or event; several are joined as they are written in BigBio, never.
fn label(object: &Object<'_>) -> Option<String> {
    TYPES.iter().find_map(|key| find(object, key).and_then(scalar)).filter(|label| !label.is_empty())
}

fn target(raw: &str) -> Option<Target> {
    if let Ok(object) = serde_json::from_str::<Object<'_>>(raw) {
        if let Some(id) = ["id", "ref_id"].iter().find_map(|key| find(&object, key).and_then(scalar)) {
            return Some(Target::Id(id));
        }
        let number = |key: &str| find(&object, key).and_then(|raw| raw.parse::<i64>().ok());
        if let (Some(start), Some(end)) = (number("start"), number("end")) {
            return Some(Target::Place(start, end));
        }
        let offsets: Vec<(i64, i64)> =
            find(&object, "offsets").and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
        let (start, end) = envelope(&offsets);
        return (!offsets.is_empty()).then_some(Target::Place(start, end));
    }
    scalar(raw).map(Target::Id)
}

fn each(raw: &str, out: &mut Vec<RawRelation>, one: impl Fn(&Object<'_>) -> Option<RawRelation>) -> u64 {
    let Ok(list) = serde_json::from_str::<Vec<&RawValue>>(raw) else { return 1 };
    let mut strange = 0;
    for item in list {
        match serde_json::from_str::<Object<'_>>(item.get()).ok().and_then(|object| one(&object)) {
            Some(relation) => out.push(relation),
            None => strange += 1,
        }
    }
    strange
}

/// Relations of two arguments. Returns how many are of no known shape.
pub(super) fn relations(raw: &str, out: &mut Vec<RawRelation>) -> u64 {
    each(raw, out, |object| {
        let (first, second) =
            ARGUMENTS.iter().find_map(|(a, b)| Some(((*a, find(object, a)?), (*b, find(object, b)?))))?;
        let role = |key: &str| key.trim_end_matches("_id").trim_end_matches("_span").to_owned();
        let argument = |(key, raw): (&str, &str)| Some((role(key), target(raw)?));
        Some(RawRelation { label: label(object)?, arguments: vec![argument(first)?, argument(second)?] })
    })
}

/// BigBio's events: a trigger and arguments with roles.
pub(super) fn events(raw: &str, out: &mut Vec<RawRelation>) -> u64 {
    each(raw, out, |object| {
        let mut arguments = vec![("trigger".to_owned(), target(find(object, "trigger")?)?)];
        let list: Vec<Object<'_>> = serde_json::from_str(find(object, "arguments")?).ok()?;
        for argument in &list {
            let role = find(argument, "role").and_then(scalar)?;
            arguments.push((role, target(find(argument, "ref_id")?)?));
        }
        Some(RawRelation { label: label(object)?, arguments })
    })
}

/// BigBio's coreferences: spans that name the same thing.
pub(super) fn coreferences(raw: &str, out: &mut Vec<RawRelation>) -> u64 {
    each(raw, out, |object| {
        let ids: Vec<&RawValue> = serde_json::from_str(find(object, "entity_ids")?).ok()?;
        let member = |raw: &&RawValue| Some(("member".to_owned(), target(raw.get())?));
        Some(RawRelation {
            label: "coreference".to_owned(),
            arguments: ids.iter().map(member).collect::<Option<Vec<_>>>()?,
        })
    })
}
