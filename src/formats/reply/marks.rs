//! Text with marks in it, as models are asked to write it: `<span class="drug">x</span>`, `<drug>x</drug>`,
//! `@@x##`, `[x](drug)`. One function takes the marks out; it makes both the spans and, whenever the text is
//! read again, the text.

use std::collections::BTreeSet;

/// One marked stretch of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// First code point.
    pub start: usize,
    /// One past the last code point.
    pub end: usize,
    /// The label that the mark names, if it names one.
    pub label: Option<String>,
    /// Whether it is closed.
    pub closed: bool,
    /// Byte of the reply where it opens.
    pub at: usize,
    /// Byte of the reply where it ends, its tags included.
    pub until: usize,
}

/// A reply without its marks.
#[derive(Debug, Default)]
pub struct Stripped {
    /// The text.
    pub text: String,
    /// The marks, in order of where they open.
    pub marks: Vec<Mark>,
    /// Whether there is text outside the marks.
    pub outside: bool,
}

/// The marked text of a reply: what stands in its fence, if the marks do, and nothing of what the model
/// thought aloud.
pub fn strip(reply: &str) -> Stripped {
    let from = answer(reply);
    let body = &reply[from..];
    let fences = fences(body);
    let mut best: Option<Stripped> = None;
    for (start, end) in &fences {
        let stripped = scan(&body[*start..*end], from + start);
        let most = best.as_ref().map_or(0, |best| best.marks.len());
        if stripped.marks.len() > most || fences.len() == 1 && scan(body, from).marks.is_empty() {
            best = Some(stripped);
        }
    }
    best.unwrap_or_else(|| scan(body, from))
}

/// Where the answer starts: behind the last end of what the model thought, if any; the end, where thinking
/// does not end.
pub fn answer(reply: &str) -> usize {
    const THOUGHTS: &[(&str, &str)] =
        &[("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<reasoning>", "</reasoning>")];
    for (open, close) in THOUGHTS {
        if let Some(at) = reply.rfind(close) {
            return at + close.len();
        }
        if reply.trim_start().starts_with(open) {
            return reply.len();
        }
    }
    0
}

/// Byte ranges of what stands between fences of backticks or tildes; the last may be open.
pub fn fences(text: &str) -> Vec<(usize, usize)> {
    let (mut found, mut open, mut at) = (Vec::new(), None, 0);
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            match open.take() {
                Some(start) => found.push((start, at)),
                None => {
                    // A fence that closes on its own line: ```["a"]```
                    let inner = trimmed.trim_start_matches(['`', '~']);
                    let lead = line.len() - inner.len();
                    match inner.find("```") {
                        Some(end) => found.push((at + lead, at + lead + end)),
                        None => open = Some(at + line.len()),
                    }
                }
            }
        } else if let Some(start) = open
            && let Some(end) = line.find("```")
        {
            found.push((start, at + end));
            open = None;
        }
        at += line.len();
    }
    found.extend(open.map(|start| (start, text.len())));
    found
}

/// An element that was opened and not closed yet.
struct Open<'t> {
    name: &'t str,
    /// Index into the marks, where it is one.
    mark: Option<usize>,
}

struct Scan<'t> {
    body: &'t str,
    out: Stripped,
    /// Code points of the text so far.
    point: usize,
    open: Vec<Open<'t>>,
    /// Marks that are open, and that have no tag and no line end behind them yet.
    fresh: Vec<usize>,
    /// Marks that are open.
    depth: usize,
    /// Byte of the reply that is being read.
    here: usize,
    /// Names of the elements that are closed somewhere, in lower case.
    closed: BTreeSet<String>,
    /// Names of the elements that were marks, likewise.
    opened: BTreeSet<String>,
}

fn scan(body: &str, offset: usize) -> Stripped {
    let mut scan = Scan {
        body,
        out: Stripped::default(),
        point: 0,
        open: Vec::new(),
        fresh: Vec::new(),
        depth: 0,
        here: offset,
        closed: closed(body),
        opened: BTreeSet::new(),
    };
    let mut at = 0;
    while let Some(c) = body[at..].chars().next() {
        let rest = &body[at..];
        scan.here = offset + at;
        let read = match c {
            '<' => scan.tag(at, offset),
            '@' if rest.starts_with("@@") => scan.inline(at, offset, gpt_ner(rest)),
            '[' => scan.inline(at, offset, link(rest)),
            '&' => entity(rest).map(|(character, length)| {
                scan.push(character);
                length
            }),
            _ => None,
        };
        at += read.unwrap_or_else(|| {
            scan.push(c);
            c.len_utf8()
        });
    }
    // What is still open ends where the next tag or line began.
    scan.here = offset + body.len();
    scan.pause();
    scan.out
}

impl<'t> Scan<'t> {
    fn push(&mut self, c: char) {
        if c == '\n' {
            self.pause();
        }
        self.out.text.push(c);
        self.point += 1;
        self.out.outside |= self.depth == 0 && !c.is_whitespace();
    }

    /// Notes that an open mark ends here, should it never be closed.
    fn pause(&mut self) {
        if self.fresh.is_empty() {
            return;
        }
        // White space before it is not marked.
        let spaces = self.out.text.chars().rev().take_while(|c| c.is_whitespace()).count();
        for mark in std::mem::take(&mut self.fresh) {
            let mark = &mut self.out.marks[mark];
            mark.end = mark.start.max(self.point - spaces);
            mark.until = self.here;
        }
    }

    fn start(&mut self, label: Option<String>, at: usize) -> usize {
        self.out.marks.push(Mark { start: self.point, end: self.point, label, closed: false, at, until: at });
        self.depth += 1;
        self.out.marks.len() - 1
    }

    fn end(&mut self, mark: usize, until: usize) {
        self.fresh.retain(|&fresh| fresh != mark);
        self.depth -= 1;
        self.out.marks[mark].end = self.point;
        self.out.marks[mark].closed = true;
        self.out.marks[mark].until = until;
    }

    /// A mark around plain text: its label, the bytes before and behind the text, and the text.
    fn inline(
        &mut self,
        at: usize,
        offset: usize,
        found: Option<(Option<String>, usize, &'t str, usize)>,
    ) -> Option<usize> {
        let (label, before, text, behind) = found?;
        self.pause();
        let mark = self.start(label, offset + at);
        text.chars().for_each(|c| self.push(c));
        self.end(mark, offset + at + before + text.len() + behind);
        Some(before + text.len() + behind)
    }

    /// A tag. Returns its length, or none where this is text.
    fn tag(&mut self, at: usize, offset: usize) -> Option<usize> {
        let body: &'t str = self.body;
        let tag = Tag::of(&body[at..])?;
        let layout = is_one_of(tag.name, LAYOUT);
        let plain = is_one_of(tag.name, PLAIN);
        if tag.closing {
            let same = |open: &Open<'_>| open.name.eq_ignore_ascii_case(tag.name);
            let by_label = |open: &Open<'_>| {
                let mark = open.mark.and_then(|mark| self.out.marks[mark].label.as_deref());
                mark.is_some_and(|label| label.eq_ignore_ascii_case(tag.name))
            };
            // Marks that are open further out are out of reach: answers of open marks alone stay linear.
            let near = self.open.len().saturating_sub(OPEN);
            let open = &self.open[near..];
            let found = open.iter().rposition(same).or_else(|| open.iter().rposition(by_label));
            let found = found.map(|found| near + found);
            self.pause();
            match found {
                Some(found) => {
                    // What was opened within may be closed later: marks may cross.
                    if let Some(mark) = self.open.remove(found).mark {
                        self.end(mark, offset + at + tag.length);
                    }
                }
                None if layout || plain || self.opened.contains(&tag.name.to_lowercase()) => {}
                // A slip in the name closes what is open.
                None if self.depth > 0 => {
                    while let Some(open) = self.open.pop() {
                        if let Some(mark) = open.mark {
                            self.end(mark, offset + at + tag.length);
                            break;
                        }
                    }
                }
                None => return None,
            }
            return Some(tag.length);
        }
        if layout {
            self.pause();
            return Some(tag.length);
        }
        let label = match tag.label {
            Some(label) => Some(unescape(label)),
            None if plain => {
                let last = self.open.last().filter(|open| open.name.eq_ignore_ascii_case(tag.name));
                if let Some(mark) = last.and_then(|open| open.mark) {
                    // `<span class="drug">x<span>`: the stroke was forgotten.
                    self.pause();
                    self.end(mark, offset + at + tag.length);
                    self.open.pop();
                    return Some(tag.length);
                }
                if !is_one_of(tag.name, NAMELESS) {
                    self.pause();
                    self.open.push(Open { name: tag.name, mark: None });
                    return Some(tag.length);
                }
                None
            }
            // `<drug>` is a mark where it is closed; `<5 mg` and `<name>` are text.
            None if self.closed.contains(&tag.name.to_lowercase()) => Some(tag.name.to_owned()),
            None => return None,
        };
        self.pause();
        if tag.empty {
            return Some(tag.length);
        }
        let mark = self.start(label, offset + at);
        self.fresh.push(mark);
        self.opened.insert(tag.name.to_lowercase());
        self.open.push(Open { name: tag.name, mark: Some(mark) });
        Some(tag.length)
    }
}

/// Open marks among which the one that a closing tag ends is looked for.
const OPEN: usize = 256;

/// Elements of a page that stand around text.
const LAYOUT: &[&str] = &[
    "html",
    "head",
    "title",
    "meta",
    "body",
    "p",
    "br",
    "hr",
    "div",
    "ul",
    "ol",
    "li",
    "pre",
    "code",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "table",
    "tr",
    "td",
    "th",
    "thead",
    "tbody",
    "section",
    "article",
    "blockquote",
    "answer",
    "output",
    "response",
    "result",
    "text",
    "document",
    "note",
    "input",
    "sentence",
    "style",
    "doctype",
];
/// Elements that are marks where they name a label, and nothing otherwise.
const PLAIN: &[&str] = &[
    "span", "mark", "b", "i", "em", "strong", "u", "font", "a", "entity", "ent", "ner", "sub", "sup", "small",
];
/// Those that are marks all the same: of the type that was asked for.
const NAMELESS: &[&str] = &["mark", "entity", "ent", "ner"];
/// Attributes that name a label; the first that is there counts.
const LABEL_ATTRIBUTES: &[&str] = &[
    "class",
    "type",
    "label",
    "data-type",
    "data-label",
    "data-entity",
    "data-class",
    "entity",
    "category",
    "title",
];
/// Bytes of a tag.
const TAG: usize = 400;

fn is_one_of(name: &str, list: &[&str]) -> bool {
    list.iter().any(|item| item.eq_ignore_ascii_case(name))
}

struct Tag<'t> {
    name: &'t str,
    label: Option<&'t str>,
    closing: bool,
    /// `<x/>`
    empty: bool,
    length: usize,
}

impl<'t> Tag<'t> {
    /// The tag with which a text begins.
    fn of(text: &'t str) -> Option<Self> {
        let inner = text.strip_prefix('<')?;
        let trimmed = inner.trim_start_matches(' ');
        let closing = trimmed.starts_with('/');
        // A space behind `<` is text, unless it is a closing tag.
        if inner.len() != trimmed.len() && !closing {
            return None;
        }
        let named = trimmed.trim_start_matches(['/', '!']).trim_start_matches(' ');
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
        let length = named.find(|c| !is_name(c))?;
        let name = &named[..length];
        if !name.starts_with(|c: char| c.is_alphabetic()) {
            return None;
        }
        let mut rest = &named[length..];
        let mut best: Option<(usize, &'t str)> = None;
        let mut empty = false;
        loop {
            rest = rest.trim_start();
            if text.len() - rest.len() > TAG {
                return None;
            }
            if let Some(behind) = rest.strip_prefix('>') {
                let length = text.len() - behind.len();
                return Some(Tag { name, label: best.map(|best| best.1), closing, empty, length });
            }
            if let Some(behind) = rest.strip_prefix('/') {
                (rest, empty) = (behind, true);
                continue;
            }
            empty = false;
            let length =
                rest.find(|c: char| c.is_whitespace() || matches!(c, '=' | '>' | '<' | '"' | '\''))?;
            let key = &rest[..length];
            if key.is_empty() {
                return None;
            }
            rest = rest[length..].trim_start();
            let Some(behind) = rest.strip_prefix('=') else { continue };
            let behind = behind.trim_start();
            let value;
            (value, rest) = match behind.chars().next()? {
                quote @ ('"' | '\'' | '“' | '”' | '‘' | '’') => {
                    let inner = &behind[quote.len_utf8()..];
                    let ends = |c: char| match quote {
                        '"' | '\'' => c == quote,
                        _ => matches!(c, '”' | '“' | '"' | '’' | '‘'),
                    };
                    // A value whose quote was forgotten ends with the tag.
                    let end = head(inner, TAG).find(ends).filter(|&end| !inner[..end].contains('<'));
                    let end = end.or_else(|| head(inner, TAG).find('>'))?;
                    let behind = &inner[end..];
                    (&inner[..end], behind.strip_prefix(|c: char| c != '>').unwrap_or(behind))
                }
                _ => behind.split_at(behind.find(|c: char| c.is_whitespace() || c == '>')?),
            };
            let rank = LABEL_ATTRIBUTES.iter().position(|name| name.eq_ignore_ascii_case(key));
            if let Some(rank) = rank.filter(|_| !value.trim().is_empty())
                && best.is_none_or(|(best, _)| rank < best)
            {
                best = Some((rank, value.trim()));
            }
        }
    }
}

/// Names in closing tags.
fn closed(body: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, _) in body.match_indices('<') {
        if let Some(tag) = Tag::of(&body[at..]).filter(|tag| tag.closing) {
            names.insert(tag.name.to_lowercase());
        }
    }
    names
}

/// Bytes of a mark around plain text.
const INLINE: usize = 400;

/// The first bytes of a text, whole characters.
pub fn head(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// `@@x##`, as GPT-NER marks the one type that was asked for.
fn gpt_ner(text: &str) -> Option<(Option<String>, usize, &str, usize)> {
    let inner = head(&text[2..], INLINE);
    let line = &inner[..inner.find('\n').unwrap_or(inner.len())];
    let marked = &line[..line.find("##")?];
    (!marked.trim().is_empty() && !marked.contains("@@")).then_some((None, 2, marked, 2))
}

/// `[x](drug)`, where what is in brackets is no address.
fn link(text: &str) -> Option<(Option<String>, usize, &str, usize)> {
    let inner = head(&text[1..], INLINE);
    let end = inner.find([']', '[', '\n'])?;
    let (marked, behind) = (&inner[..end], inner[end..].strip_prefix("](")?);
    let label = &behind[..head(behind, 64).find([')', '\n'])?];
    let is_label = label.len() <= 40
        && label.starts_with(|c: char| c.is_alphabetic())
        && label.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-'));
    let whole = behind[label.len()..].starts_with(')') && is_label && !marked.trim().is_empty();
    whole.then(|| (Some(label.to_owned()), 1, marked, 2 + label.len() + 1))
}

/// A character that is written as an entity, and its length.
fn entity(text: &str) -> Option<(char, usize)> {
    let inner = text.strip_prefix('&')?;
    let name = &inner[..inner.bytes().take(12).position(|byte| byte == b';')?];
    let c = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{A0}',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some((c, name.len() + 2))
}

fn unescape(text: &str) -> String {
    let (mut out, mut at) = (String::new(), 0);
    while let Some(c) = text[at..].chars().next() {
        let (c, length) = entity(&text[at..]).unwrap_or((c, c.len_utf8()));
        out.push(c);
        at += length;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(reply: &str) -> (String, Vec<(String, String)>) {
        let stripped = strip(reply);
        let slice =
            |mark: &Mark| stripped.text.chars().skip(mark.start).take(mark.end - mark.start).collect();
        let label = |mark: &Mark| mark.label.clone().unwrap_or_default() + if mark.closed { "" } else { "?" };
        (stripped.text.clone(), stripped.marks.iter().map(|mark| (slice(mark), label(mark))).collect())
    }

    fn check(reply: &str, text: &str, expected: &[(&str, &str)]) {
        let (found, list) = marks(reply);
        assert_eq!(found, text, "{reply}");
        let list: Vec<(&str, &str)> = list.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(list, expected, "{reply}");
    }

    #[test]
    fn ways_to_write_a_mark() {
        let text = "He takes levodopa daily.";
        let drug = [("levodopa", "drug")];
        for reply in [
            r#"He takes <span class="drug">levodopa</span> daily."#,
            r#"He takes <span class="drug" >levodopa</span > daily."#,
            "He takes <span class='drug'>levodopa</ span> daily.",
            "He takes <span class=drug>levodopa</SPAN> daily.",
            "He takes <span class=“drug”>levodopa</span> daily.",
            "He takes <span style='x>y' id=1 class=\"drug\" >levodopa</span> daily.",
            "He takes <span class=\"drug>levodopa</span> daily.",
            "He takes <entity type=\"drug\">levodopa</entity> daily.",
            "He takes <mark data-entity=\"drug\">levodopa</mark> daily.",
            "He takes <drug>levodopa</drug> daily.",
            "He takes <span class=\"drug\">levodopa</drug> daily.",
            "He takes <span class=\"drug\">levodopa<span> daily.",
            "He takes <span class=\"drug\">levodopa</spn> daily.",
            "He takes [levodopa](drug) daily.",
            "<think>maybe <dose>x</dose>?</think>He takes <drug>levodopa</drug> daily.",
            "<html><body><p>He takes <b><span class=\"drug\">levodopa</span></b> daily.</p></body></html>",
        ] {
            check(reply, text, &drug);
        }
        check("He takes @@levodopa## daily.", text, &[("levodopa", "")]);
        check(
            "Sure:\n```html\nHe takes <drug>levodopa</drug> daily.\n```\nDone",
            "He takes levodopa daily.\n",
            &drug,
        );
        check("Sure:\n```\nHe takes <drug>levodopa</drug> daily.", text, &drug);
        check("Here:\n```html\nNothing marked.\n```\nDone", "Nothing marked.\n", &[]);
    }

    #[test]
    fn nested_and_unclosed() {
        check("<span class=a>x <span class=b>y</span> z</span> w", "x y z w", &[("x y z", "a"), ("y", "b")]);
        check(
            "<span class=a>x and <span class=b>y</span> z\nw",
            "x and y z\nw",
            &[("x and", "a?"), ("y", "b")],
        );
        check("a <span class=drug>levodopa \nb", "a levodopa \nb", &[("levodopa", "drug?")]);
        check("a <span class=drug>levo", "a levo", &[("levo", "drug?")]);
        check("<drug>a <dose>b</drug> c</dose>", "a b c", &[("a b", "drug"), ("b c", "dose")]);
    }

    #[test]
    fn what_is_text_stays() {
        for text in ["p < 0.05 and x > 3", "<5 mg & more", "see <name> @@ ## [1](http://x) [a] (b)", "a</b c"]
        {
            check(text, text, &[]);
        }
        check(
            "a &lt;b&gt; &amp;amp; &#39;&#x27; &foo; <span class=x>&lt;</span>",
            "a <b> &amp; '' &foo; <",
            &[("<", "x")],
        );
        check("<think>never ends <drug>x</drug>", "", &[]);
    }
}
