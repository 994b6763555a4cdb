//! Lists in a reply: JSON or Python, in a fence or in prose, or one item a line. No offsets are asked of a
//! model; where it gives some, they only choose among places where the item's text stands.

use super::marks::fences;
use crate::formats::items;
use crate::formats::python_literal::{Ended, to_json};

/// One item.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Its text.
    pub text: String,
    /// Its label, where the reply names it.
    pub label: Option<String>,
    /// Offsets that the model gave.
    pub bounds: Option<(i64, i64)>,
    /// The model's confidence.
    pub score: Option<f64>,
    /// Byte of the reply near which it stands.
    pub at: usize,
}

/// The lists of a reply.
#[derive(Debug, Default)]
pub struct Lists {
    /// Items in order.
    pub items: Vec<Listed>,
    /// Whether a list ends before its end.
    pub cut: bool,
    /// What they are written as.
    pub way: &'static str,
}

/// Brackets of one region at which a list is looked for.
const TRIES: usize = 64;

/// The lists of an answer; none where there is no list. Lines are read as items where `lines` says so: a note
/// that is repeated may have such lines too.
pub fn read(answer: &str, lines: bool) -> Option<Lists> {
    let fences = fences(answer);
    let mut empty = None;
    for (start, end) in fences {
        match brackets(&answer[start..end], start) {
            Some(lists) if !lists.items.is_empty() => return Some(lists),
            lists => empty = empty.or(lists),
        }
    }
    match brackets(answer, 0) {
        Some(lists) if !lists.items.is_empty() => return Some(lists),
        lists => empty = empty.or(lists),
    }
    let by_line = || lines.then(|| tabs(answer).or_else(|| bullets(answer))).flatten();
    let none = || says_none(answer).then(|| Lists { way: "a word for none", ..Lists::default() });
    empty.or_else(by_line).or_else(none)
}

/// Whether a reply tries to be a list.
pub fn tries(answer: &str) -> bool {
    answer.contains("```") || answer.trim_start().starts_with(['[', '{'])
}

/// Every JSON or Python list of a region.
fn brackets(region: &str, offset: usize) -> Option<Lists> {
    let mut lists = Lists { way: "a list", ..Lists::default() };
    let (mut at, mut any) = (0, false);
    for _ in 0..TRIES {
        let Some(found) = region[at..].find(['[', '{']) else { break };
        let start = at + found;
        // Words without quotes are items only where there is nothing but the list.
        let bare = region[..start].trim().is_empty();
        at = start + 1;
        let Some(rewritten) = to_json(&region[start..], bare) else { continue };
        let collected = items::collect(&rewritten.json, None);
        let whole = rewritten.ended == Ended::Whole;
        if collected.items.is_empty() && !(whole && is_empty(&rewritten.json)) {
            continue;
        }
        any = true;
        lists.cut |= !whole;
        let prefix = label_before(&region[..start]);
        lists.items.extend(collected.items.into_iter().filter_map(|item| {
            Some(Listed {
                text: item.text()?,
                bounds: item.bounds().filter(|_| item.wrong.is_none()),
                score: item.score,
                label: item.label.or_else(|| prefix.clone()),
                at: offset + start,
            })
        }));
        at = start + rewritten.read.max(1);
    }
    any.then_some(lists)
}

/// Whether lists and objects hold nothing: `[]`, `{"drug": []}`.
fn is_empty(json: &str) -> bool {
    let mut in_key = false;
    json.chars().all(|c| {
        in_key ^= c == '"';
        in_key || matches!(c, '"' | '[' | ']' | '{' | '}' | ':' | ',') || c.is_whitespace()
    }) && !json.contains("[\"")
}

/// `Drug: [`: the label before a list, on its line.
fn label_before(text: &str) -> Option<String> {
    let line = &text[text.rfind('\n').map_or(0, |at| at + 1)..];
    label(unmarked(line).trim_end().strip_suffix([':', '='])?)
}

/// A label as people write it before a colon: a few words.
fn label(text: &str) -> Option<String> {
    let text = text.trim().trim_matches(['*', '_', '`', '"', '\'']).trim();
    let few = (1..=3).contains(&text.split_whitespace().count()) && text.len() <= 40;
    let plain = text.starts_with(|c: char| c.is_alphabetic())
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '/'));
    (few && plain).then(|| text.to_owned())
}

/// A line without its bullet or number, and whether it had one.
fn bullet(line: &str) -> Option<&str> {
    let line = line.trim();
    for mark in ["- ", "* ", "• ", "– ", "+ "] {
        if let Some(rest) = line.strip_prefix(mark) {
            return Some(rest.trim());
        }
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line[digits..].strip_prefix(['.', ')']).filter(|_| digits > 0)?;
    rest.starts_with(' ').then(|| rest.trim())
}

fn unmarked(line: &str) -> &str {
    bullet(line).unwrap_or(line).trim()
}

/// `levodopa⇥drug` a line.
fn tabs(answer: &str) -> Option<Lists> {
    let mut lists = Lists { way: "lines of text and type", ..Lists::default() };
    let mut at = 0;
    for line in answer.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim();
        if line.is_empty() || line.starts_with("```") {
            continue;
        }
        let (text, kind) = line.split_once('\t')?;
        let kind = kind.trim();
        let header =
            ["text", "entity", "mention", "span", "word"].iter().any(|h| text.trim().eq_ignore_ascii_case(h))
                && ["type", "label", "entity_type", "category", "class"]
                    .iter()
                    .any(|h| kind.eq_ignore_ascii_case(h));
        if header {
            continue;
        }
        let label = Some(label(kind)?);
        lists.items.push(Listed {
            text: quoted(text).to_owned(),
            label,
            bounds: None,
            score: None,
            at: start,
        });
    }
    (!lists.items.is_empty()).then_some(lists)
}

/// `- Drug: levodopa, apixaban` and `- levodopa` a line, most lines being such.
fn bullets(answer: &str) -> Option<Lists> {
    let mut lists = Lists { way: "bullets", ..Lists::default() };
    let (mut header, mut marked, mut other, mut at) = (None, 0, 0, 0);
    for line in answer.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let mut item = |text: &str, label: Option<String>| {
            let text = quoted(text);
            if !text.is_empty() && !is_none(text) {
                lists.items.push(Listed {
                    text: text.to_owned(),
                    label,
                    bounds: None,
                    score: None,
                    at: start,
                });
            }
        };
        // `Drug:` or `**Drug:** x` without a bullet is a heading over bullets, or a bullet in bold.
        let Some(inner) = bullet(line).or_else(|| line.starts_with("**").then_some(line)) else {
            let heading = line.trim_start_matches('#').trim().trim_matches('*').trim();
            match heading.strip_suffix(':').or_else(|| line.starts_with('#').then_some(heading)) {
                Some(words) => header = label(words),
                None => other += 1,
            }
            continue;
        };
        let split = inner.split_once(':').and_then(|(kind, rest)| Some((label(kind)?, rest)));
        match split {
            Some((kind, rest)) => {
                marked += 1;
                let rest = rest.trim_start_matches('*').trim();
                if rest.is_empty() {
                    header = Some(kind);
                } else {
                    rest.split([',', ';']).for_each(|text| item(text, Some(kind.clone())));
                }
            }
            None => {
                marked += 1;
                item(inner, header.clone());
            }
        }
    }
    (marked > other).then_some(lists)
}

/// A text without quotes, emphasis and full stop around it.
fn quoted(text: &str) -> &str {
    let text = text.trim().trim_end_matches('.').trim();
    let inner = text.trim_matches(['"', '`', '*', '“', '”']);
    inner.strip_prefix('\'').and_then(|inner| inner.strip_suffix('\'')).unwrap_or(inner).trim()
}

fn is_none(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "none",
        "n/a",
        "na",
        "-",
        "no entities",
        "none found",
        "none mentioned",
        "not mentioned",
        "null",
        "nil",
    ];
    WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// `None.`, `No entities found.`
fn says_none(answer: &str) -> bool {
    let text = answer.trim().trim_end_matches('.').trim();
    let lower = text.to_lowercase();
    is_none(text)
        || (lower.starts_with("no ") || lower.starts_with("there are no "))
            && lower.split_whitespace().count() <= 6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(reply: &str) -> Option<Vec<(String, String)>> {
        read(reply, true).map(|lists| {
            lists.items.into_iter().map(|item| (item.text, item.label.unwrap_or_default())).collect()
        })
    }

    fn check(reply: &str, expected: &[(&str, &str)]) {
        let list = found(reply).unwrap_or_else(|| panic!("{reply}"));
        let list: Vec<(&str, &str)> = list.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(list, expected, "{reply}");
    }

    #[test]
    fn json_and_python() {
        let two = [("a b", "drug"), ("c", "drug")];
        for reply in [
            r#"{"drug": ["a b", "c"]}"#,
            "Sure!\n```json\n{\"drug\": [\"a b\", \"c\"],}\n```\nLet me know [1].",
            "```{'drug': ['a b', 'c']}```",
            r#"The list [see below]: {"drug": ["a b", "c"], "dose": []}"#,
            r#"[{"text": "a b", "label": "drug"}, {"entity": "c", "type": "drug"}]"#,
            r#"{"entities": [{"text": "a b", "type": "drug"}, {"name": "c", "type": "drug"}]}"#,
            "{\"text\": \"a b\", \"type\": \"drug\"}\n{\"text\": \"c\", \"type\": \"drug\"}",
            r#"[["a b", "drug"], ["c", "drug"]]"#,
            "[('a b', 'drug'), ('c', 'drug')]",
            "{“drug”: [“a b”, “c”]}",
            "drug: [\"a b\", \"c\"]",
            "**drug**: ['a b', 'c']",
            r#"{"result": {"entities": {"drug": ["a b", "c"]}}, "model": "x"}"#,
            "{\"drug\": [\"a b\", \"c\", \"lef",
            r#"[{"drug": "a b"}, {"drug": "c"}]"#,
        ] {
            check(reply, &two);
        }
        check("['Parkinson's disease', 'x']", &[("Parkinson's disease", ""), ("x", "")]);
        check("[aspirin 81 mg, statin]", &[("aspirin 81 mg", ""), ("statin", "")]);
        check("[]", &[]);
        check("No entities found.", &[]);
        check("Here: {\"drug\": []}", &[]);
        assert_eq!(found("As an AI [model] I cannot."), None);
        assert_eq!(found("Please provide the text."), None);
    }

    #[test]
    fn lines() {
        check(
            "- Drug: levodopa, x\n- **Dose**: 5 mg\n- Route: none",
            &[("levodopa", "Drug"), ("x", "Drug"), ("5 mg", "Dose")],
        );
        check("Here is the list:\n\n**Drug:** levodopa\n**Dose:** N/A", &[("levodopa", "Drug")]);
        check(
            "Drugs:\n* levodopa\n* \"x\"\n\n### Dose\n1. 5 mg",
            &[("levodopa", "Drugs"), ("x", "Drugs"), ("5 mg", "Dose")],
        );
        check("text\ttype\nlevodopa\tdrug\n5 mg\tdose\n", &[("levodopa", "drug"), ("5 mg", "dose")]);
        assert!(read("- Drug: levodopa", false).is_none());
    }
}
