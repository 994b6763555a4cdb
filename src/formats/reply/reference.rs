//! Answers read by the rules of the NCER benchmark's parsers (clinical_ner_benchmark, Apache-2.0), artefacts
//! included; `tests/reference/answers.py` compares. Pure: strings in, pieces out.

use super::literal;
use memchr::memmem;
use std::ops::Range;

/// One `<span class="…">…</span>` of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    /// Bytes of the answer, tags included.
    pub at: Range<usize>,
    /// Its class; the answer's single quotes are double ones here.
    pub label: String,
    /// Code points of the answer without the tags of what was accepted before. None where the document does not
    /// have its text.
    pub span: Option<(i64, i64)>,
}

/// The marks of an answer from left to right. Single quotes are double ones first; class and text are what
/// `<span class="([^"]+)" ?>(.*?)</span ?>` finds. `occurs` says whether the document has a text.
pub fn html(answer: &str, mut occurs: impl FnMut(&str) -> bool) -> Vec<Marked> {
    const OPEN: &str = "<span class=\"";
    let text = answer.replace('\'', "\"");
    let mut closing = Closing::new(&text);
    let (mut found, mut at) = (Vec::new(), 0);
    // Code points of the cleaned answer, and the byte up to which they are counted.
    let (mut points, mut counted) = (0, 0);
    let opens: Vec<usize> = memmem::find_iter(text.as_bytes(), OPEN).collect();
    for start in opens {
        if start < at {
            continue;
        }
        let class = start + OPEN.len();
        let Some(length) = text[class..].find('"').filter(|&length| length > 0) else { continue };
        let behind = &text[class + length + 1..];
        let Some(inner) = behind.strip_prefix(' ').unwrap_or(behind).strip_prefix('>') else { continue };
        let from = text.len() - inner.len();
        let Some((to, end)) = closing.behind(from) else { continue };
        at = end;
        let inner = &text[from..to];
        let mut span = None;
        if occurs(inner) {
            points += text[counted..start].chars().count() as i64;
            let before = points;
            points += inner.chars().count() as i64;
            counted = end;
            span = Some((before, points));
        }
        found.push(Marked { at: start..end, label: text[class..class + length].to_owned(), span });
    }
    found
}

/// Closing tags and line ends, asked for in order, so that each is looked for once.
struct Closing<'t> {
    text: &'t str,
    tag: Option<(usize, usize)>,
    line: usize,
}

impl<'t> Closing<'t> {
    fn new(text: &'t str) -> Self {
        Closing { text, tag: next_tag(text, 0), line: line_end(text, 0) }
    }

    /// Where the first closing tag behind a byte begins and ends, if it is on the same line.
    fn behind(&mut self, from: usize) -> Option<(usize, usize)> {
        if self.tag.is_some_and(|(start, _)| start < from) {
            self.tag = next_tag(self.text, from);
        }
        if self.line < from {
            self.line = line_end(self.text, from);
        }
        self.tag.filter(|&(start, _)| start <= self.line)
    }
}

fn line_end(text: &str, from: usize) -> usize {
    text[from..].find('\n').map_or(text.len(), |length| from + length)
}

/// The next `</span>` or `</span >`.
fn next_tag(text: &str, mut from: usize) -> Option<(usize, usize)> {
    const CLOSE: &str = "</span";
    loop {
        let start = from + memmem::find(&text.as_bytes()[from..], CLOSE.as_bytes())?;
        let behind = start + CLOSE.len();
        let space = usize::from(text[behind..].starts_with(' '));
        if text[behind + space..].starts_with('>') {
            return Some((start, behind + space + 1));
        }
        from = behind;
    }
}

/// One item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Bytes of the answer.
    pub at: Range<usize>,
    /// Its text; none where it is no string, which no document has.
    pub text: Option<String>,
}

/// The items of an answer that is a list: what `'([^']*?)'(?:,|])` finds; failing that, the elements of a
/// Python literal; failing that, likewise with quotes around what has none. None where all fail.
pub fn list(answer: &str) -> Option<Vec<Listed>> {
    let quoted = quoted(answer);
    if !quoted.is_empty() {
        return Some(quoted);
    }
    let listed = |element: literal::Element| Listed { at: element.at, text: element.text };
    if let Some(elements) = literal::elements(answer) {
        return Some(elements.into_iter().map(listed).collect());
    }
    if answer.contains('\'') {
        return None;
    }
    let (fixed, back) = with_quotes(answer);
    let elements = literal::elements(&fixed)?;
    let listed = |element: literal::Element| {
        let byte = |at: usize| back.get(at).copied().unwrap_or(answer.len());
        Listed { at: byte(element.at.start)..byte(element.at.end), text: element.text }
    };
    Some(elements.into_iter().map(listed).collect())
}

fn quoted(answer: &str) -> Vec<Listed> {
    let mut found = Vec::new();
    let mut quotes = memchr::memchr_iter(b'\'', answer.as_bytes());
    let mut open = quotes.next();
    while let (Some(start), Some(end)) = (open, quotes.next()) {
        open = if answer[end + 1..].starts_with([',', ']']) {
            let text = answer[start + 1..end].to_owned();
            found.push(Listed { at: start + 1..end, text: Some(text) });
            quotes.next()
        } else {
            Some(end)
        };
    }
    found
}

/// `[a, b]` → `['a', 'b']`, and the byte of the answer that each byte comes from.
fn with_quotes(answer: &str) -> (String, Vec<usize>) {
    let (mut out, mut back) = (String::with_capacity(answer.len()), Vec::with_capacity(answer.len()));
    let mut at = 0;
    while let Some(c) = answer[at..].chars().next() {
        // What is written, and the bytes of the answer from the first on that its bytes come from.
        let (written, from, length) = match c {
            ',' if answer[at + 1..].starts_with(' ') => ("', '", &[0, 0, 1, 2][..], 2),
            '[' => ("['", &[0, 1][..], 1),
            ']' => ("']", &[0, 0][..], 1),
            _ => (&answer[at..at + c.len_utf8()], &[][..], c.len_utf8()),
        };
        out.push_str(written);
        back.extend(from.iter().map(|byte| at + byte));
        back.resize(out.len(), at);
        at += length;
    }
    (out, back)
}

/// A text in which items are found whatever their case, as Python's `re.IGNORECASE` compares: character by
/// character.
pub struct Folded {
    text: String,
    /// Code point of each byte; none for ASCII.
    points: Option<Vec<u32>>,
    length: usize,
}

impl Folded {
    /// Of a document's text.
    pub fn new(text: &str) -> Self {
        let folded = fold(text);
        let length = folded.chars().count();
        let points = (!folded.is_ascii()).then(|| {
            let mut points = Vec::with_capacity(folded.len());
            for (point, c) in folded.chars().enumerate() {
                points.resize(points.len() + c.len_utf8(), point as u32);
            }
            points
        });
        Folded { text: folded, points, length }
    }

    /// Every place of an item that [`fold`] has folded, from left to right and apart, in code points; an empty one
    /// is everywhere.
    pub fn find(&self, item: &str) -> Vec<(i64, i64)> {
        if item.is_empty() {
            return (0..=self.length as i64).map(|at| (at, at)).collect();
        }
        let length = item.chars().count() as i64;
        let place = |at: usize| {
            let start = self.points.as_ref().map_or(at as i64, |points| i64::from(points[at]));
            (start, start + length)
        };
        memmem::find_iter(self.text.as_bytes(), item).map(place).collect()
    }
}

/// A text whose characters are equal where Python's `re.IGNORECASE` takes them for equal: simple lower case, and
/// one for each group of lower-case letters that share an upper-case one (Python 3.11, `re._casefix`).
pub fn fold(text: &str) -> String {
    text.chars().map(fold_char).collect()
}

fn fold_char(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    // Only İ has a longer lower case, which begins with its simple one.
    let lower = c.to_lowercase().next().unwrap_or(c);
    match lower {
        'ı' => 'i',
        'ſ' => 's',
        'µ' => 'μ',
        '\u{345}' | '\u{1FBE}' => 'ι',
        '\u{1FD3}' => '\u{390}',
        '\u{1FE3}' => '\u{3B0}',
        'ϐ' => 'β',
        'ϵ' => 'ε',
        'ϑ' => 'θ',
        'ϰ' => 'κ',
        'ϖ' => 'π',
        'ϱ' => 'ρ',
        'ς' => 'σ',
        'ϕ' => 'φ',
        '\u{1C80}' => 'в',
        '\u{1C81}' => 'д',
        '\u{1C82}' => 'о',
        '\u{1C83}' => 'с',
        '\u{1C84}' | '\u{1C85}' => 'т',
        '\u{1C86}' => 'ъ',
        '\u{1C87}' => 'ѣ',
        '\u{1C88}' => '\u{A64B}',
        '\u{1E9B}' => '\u{1E61}',
        '\u{FB05}' => '\u{FB06}',
        _ => lower,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(answer: &str, text: &str) -> Vec<(String, Option<(i64, i64)>)> {
        html(answer, |inner| text.contains(inner)).into_iter().map(|mark| (mark.label, mark.span)).collect()
    }

    #[test]
    fn marks_count_in_the_cleaned_answer() {
        let answer = "é <span class='a'>b</span> <span class=\"c d\" >no</span ><span class=\"c\">b b</span>";
        assert_eq!(
            marks(answer, "é b b b"),
            [("a".into(), Some((2, 3))), ("c d".into(), None), ("c".into(), Some((33, 36)))]
        );
        for nothing in [
            "<span class=\"a\"  >b</span>",
            "<span class=\"\">b</span>",
            "<span class=\"a\">b\n</span>",
            "<SPAN class=\"a\">b</SPAN>",
            "<span class=a>b</span>",
            "<span class=\"a\">b</span  >",
        ] {
            assert_eq!(marks(nothing, "b"), [], "{nothing}");
        }
        // The first tag that opens and the first that closes behind it.
        let nested = "<span class=\"a\">b <span class=\"c\">d</span></span>";
        assert_eq!(marks(nested, "b d"), [("a".into(), None)]);
        let broken = "<span class=\"a\">b\n<span class=\"c\"></span>";
        assert_eq!(marks(broken, ""), [("c".into(), Some((18, 18)))]);
        // The apostrophe is what the document has and the answer has no more.
        assert_eq!(marks("<span class='a'>Parkinson's</span>", "Parkinson's"), [("a".into(), None)]);
    }

    #[test]
    fn many_open_tags_take_no_time() {
        let open = "<span class=\"a\">".repeat(100_000);
        assert_eq!(marks(&open, "b"), []);
        assert_eq!(marks(&("<span class=\"".repeat(100_000)), "b"), []);
        assert_eq!(marks(&(open.clone() + "\n" + &"</span>".repeat(100_000)), "b"), []);
        assert_eq!(marks(&"<span class=\"a\">b</span>".repeat(50_000), "b").len(), 50_000);
    }

    fn items(answer: &str) -> Option<Vec<String>> {
        let text = |item: Listed| item.text.unwrap_or_else(|| "-".into());
        list(answer).map(|items| items.into_iter().map(text).collect())
    }

    #[test]
    fn lists() {
        let some = |list: &[&str]| Some(list.iter().map(|item| (*item).to_owned()).collect::<Vec<_>>());
        assert_eq!(items("['a', 'b']"), some(&["a", "b"]));
        assert_eq!(items("Sure: ['a\nc', ''] and ['b'] 'x'"), some(&["a\nc", "", "b"]));
        assert_eq!(items("['it's', 'b']"), some(&["s", "b"]));
        assert_eq!(items("[\"a\", 5]"), some(&["a", "-"]));
        assert_eq!(items("[a, b c]"), some(&["a", "b c"]));
        assert_eq!(items("[]"), some(&[]));
        assert_eq!(items("[[a], b]"), None);
        assert_eq!(items("\"ab\""), some(&["a", "b"]));
        for nothing in ["", "5", "None", "I cannot.", "['a'", "\n ['a' ]"] {
            assert_eq!(items(nothing), None, "{nothing}");
        }
        let ranges: Vec<_> = list("[é, b c]").unwrap_or_default().into_iter().map(|item| item.at).collect();
        assert_eq!(ranges, [1..3, 5..8]);
    }

    #[test]
    fn places_whatever_the_case() {
        let find = |text: &str, item: &str| Folded::new(text).find(&fold(item));
        assert_eq!(find("Aspirin, aspirin; ASPIRINS", "aspiriN"), [(0, 7), (9, 16), (18, 25)]);
        assert_eq!(find("aaa", "aa"), [(0, 2)]);
        assert_eq!(find("éb", ""), [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(find("5 µg İV Σς ſ", "5 μG"), [(0, 4)]);
        assert_eq!(find("5 µg İV Σς ſ", "iv σσ S"), [(5, 12)]);
        assert_eq!(find("Straße", "STRASSE"), []);
    }
}
