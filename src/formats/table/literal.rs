//! Lists as Python prints them, brought to JSON: `[(0, 7, 'drug')]`, `[{'start': 0, 'label': None}]`. The
//! least that cells of tables need.

/// The same list as JSON; what is JSON already stays as it is.
pub(in crate::formats) fn to_json(list: &str) -> String {
    let mut out = String::with_capacity(list.len() + 8);
    let mut rest = list;
    while let Some(first) = rest.chars().next() {
        match first {
            '\'' | '"' => rest = string(&rest[1..], first, &mut out),
            '(' => {
                out.push('[');
                rest = &rest[1..];
            }
            ')' | ']' | '}' => {
                // `(1,)` and `[1,]` end in a comma that JSON does not have.
                out.truncate(out.trim_end().len());
                if out.ends_with(',') {
                    out.pop();
                }
                out.push(if first == ')' { ']' } else { first });
                rest = &rest[1..];
            }
            'a'..='z' | 'A'..='Z' => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
                let word = &rest[..end];
                rest = &rest[end..];
                match word {
                    "None" | "nan" | "NaN" => out.push_str("null"),
                    "True" => out.push_str("true"),
                    "False" => out.push_str("false"),
                    // The prefix of a string.
                    "u" | "b" | "r" if rest.starts_with(['\'', '"']) => {}
                    _ => out.push_str(word),
                }
            }
            _ => {
                out.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    out
}

/// Writes one string as JSON; `rest` begins behind its quote. Returns what comes after it.
fn string<'r>(rest: &'r str, quote: char, out: &mut String) -> &'r str {
    out.push('"');
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            c if c == quote => {
                out.push('"');
                return &rest[at + 1..];
            }
            '\\' => match chars.next() {
                Some((_, '\'')) => out.push('\''),
                Some((at, 'x')) => {
                    out.push_str("\\u00");
                    out.push_str(rest.get(at + 1..at + 3).unwrap_or(""));
                    chars.next();
                    chars.next();
                }
                Some((_, next)) => out.extend(['\\', next]),
                None => {}
            },
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    rest.get(rest.len()..).unwrap_or("")
}
