//! CoNLL columns: a token and its tag a line, an empty line between sentences, `-DOCSTART-` or `# id = x` before
//! documents. Columns are separated by tabs or by runs of spaces; the tag is the last one, or the last two are
//! gold's and the prediction's (as conlleval reads them). What a file looks like ([`Layout`]) is decided once,
//! from its first rows.
//!
//! `['O', 'B-x']`, a list of tags a line as some scripts print them, is read too: the tokens are gold's then.
//!
//! The text is what the tokens make: joined by spaces, sentences by line breaks. Files say nothing of the white
//! space that was there; [`crate::place::tokens`] brings predictions to gold's tokens or text.

use super::tags::{self, Tagged};
use super::{Format, Reading};
use crate::corpus::problems::Kind;
use crate::corpus::text::{CharIndex, Digest, Form, Piece, TokenList};
use crate::corpus::{Role, TextKind};
use crate::source::lines::Lines;
use crate::source::{SourceError, read_range};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The format.
pub static FORMAT: Format = Format {
    extension: Some("conll"),
    file_is_document: true,
    ..Format::of("conll", "CoNLL columns", sniff, read)
};

const EXPECTED: &str = "a token and a tag, separated by a tab or spaces";
const DOCSTART: &str = "-DOCSTART-";
/// Bytes from which a file's layout is decided.
const HEAD: u64 = 1 << 20;
/// Rows from which it is decided.
const ROWS: usize = 20_000;
/// What models put around and behind their input.
const SPECIAL: &[&str] = &["[CLS]", "[SEP]", "<s>", "</s>", "[PAD]", "<pad>"];
/// Labels of syntactic chunks, which the column before the tags of CoNLL-2003 holds.
const CHUNKS: &[&str] =
    &["NP", "VP", "PP", "ADJP", "ADVP", "SBAR", "PRT", "CONJP", "INTJ", "LST", "UCP", "PNP", "FRAG"];

fn sniff(head: &str) -> Option<(u8, String)> {
    if head.trim_start().starts_with(DOCSTART) {
        return Some((99, "first line is -DOCSTART-".into()));
    }
    if tag_list(first_line(head)).is_some() {
        return Some((97, "lists of tags, one a line".into()));
    }
    let (layout, shown) = Layout::of(head)?;
    let what = if layout.tabs { "tabs" } else { "spaces" };
    let columns = layout.columns;
    let why =
        format!("{} of {} rows end in a tag; {columns} columns separated by {what}", shown.tags, shown.rows);
    if shown.tags * 10 < shown.rows * 9 || layout.bare {
        return (layout.bare && columns == 2 && shown.rows >= 5)
            .then(|| (50, "rows of a token and a label or O".into()));
    }
    if shown.typed { Some((94, why)) } else { (shown.rows > 1 || layout.tabs).then_some((75, why)) }
}

/// Where things are in the rows of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Layout {
    /// Columns end at tabs; otherwise at runs of spaces and tabs.
    tabs: bool,
    /// Words may be split into pieces (`##ache`, tagged `X`), which are joined again.
    pieces: bool,
    /// Tags are labels without a prefix.
    bare: bool,
    /// Columns of a row.
    columns: usize,
    /// The token's column.
    token: usize,
    /// The tag's column, counted from the last, or [`FIRST`].
    tag: usize,
    /// The column of a score, counted from the last; [`FIRST`] without one.
    score: usize,
    /// Gold's tag stands right before the predicted one.
    both: bool,
    /// Lines end as old Macs ended them.
    old: bool,
}

/// The first column, or none.
const FIRST: usize = 15;

/// What the rows showed.
struct Shown {
    rows: usize,
    /// Rows with a tag in the tag's column.
    tags: usize,
    /// A tag has a label.
    typed: bool,
}

impl Layout {
    /// As a number, for what reads the bytes again.
    fn how(self) -> u32 {
        let flags = [self.tabs, self.pieces, self.bare];
        let flags = flags.iter().enumerate().map(|(at, &flag)| u32::from(flag) << at).sum::<u32>();
        flags
            | (self.columns as u32) << 3
            | (self.token as u32) << 8
            | (self.tag as u32) << 12
            | (self.score as u32) << 16
            | u32::from(self.old) << 20
    }

    fn from(how: u32) -> Self {
        let part = |at: u32, bits: u32| (how >> at & ((1 << bits) - 1)) as usize;
        Layout {
            tabs: part(0, 1) == 1,
            pieces: part(1, 1) == 1,
            bare: part(2, 1) == 1,
            columns: part(3, 5),
            token: part(8, 4),
            tag: part(12, 4),
            score: part(16, 4),
            both: false,
            old: part(20, 1) == 1,
        }
    }

    /// Decides from the first rows of a file; none without rows.
    fn of(head: &str) -> Option<(Layout, Shown)> {
        let end = if head.contains('\n') { '\n' } else { '\r' };
        let whole = head.rfind(end).map_or(head, |last| &head[..last]);
        let lines = whole.split(end).filter(|line| !is_blank(line) && !line.starts_with(DOCSTART));
        let (marked, lines): (Vec<&str>, Vec<&str>) =
            lines.take(ROWS).partition(|line| line.starts_with('#'));
        let (marked, lines) = if lines.is_empty() { (lines, marked) } else { (marked, lines) };
        if lines.is_empty() {
            return None;
        }
        let tabs = lines.iter().filter(|line| line.contains('\t')).count() * 2 >= lines.len();
        let mut layout = Layout {
            tabs,
            pieces: false,
            bare: false,
            columns: 31,
            token: 0,
            tag: 0,
            score: FIRST,
            both: false,
            old: false,
        };
        let rows: Vec<Vec<&str>> = lines.iter().map(|line| layout.split(line)).collect();
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        rows.iter().for_each(|row| *counts.entry(row.len()).or_default() += 1);
        let columns = counts.iter().max_by_key(|(_, count)| **count).map_or(0, |(&columns, _)| columns);
        if !(2..=31).contains(&columns) {
            return None;
        }
        layout.columns = columns;
        let marked = marked.iter().map(|line| layout.split(line)).filter(|row| row.len() == columns);
        let marked: Vec<Vec<&str>> = marked.filter(|row| is_tag(layout.tag_of(row))).collect();
        let rows = rows.into_iter().filter(|row| row.len() >= columns);
        let rows: Vec<Vec<&str>> = rows.chain(marked).collect();
        let last = |row: &[&str], at: usize| row[row.len() - 1 - at].trim_matches(' ').to_owned();
        let tagged = |at: usize| columns > at + 1 && most(&rows, |row| is_tag(&last(row, at)));
        let filler =
            |at: usize| most(&rows, |row| last(row, at).parse::<f64>().is_ok() || last(row, at).is_empty());
        layout.tag = (0..3).find(|&at| tagged(at) && (0..at).all(filler)).unwrap_or(0);
        if layout.tag > 0 && most(&rows, |row| last(row, layout.tag - 1).parse::<f64>().is_ok()) {
            layout.score = layout.tag - 1;
        }
        layout.columns_before(&rows);
        let labels = |at: usize| -> BTreeSet<String> {
            rows.iter().filter_map(|row| tags::label(&last(row, at)).map(str::to_owned)).collect()
        };
        if layout.tag != FIRST
            && layout.token != 1
            && columns >= layout.tag + layout.token + 3
            && tagged(layout.tag + 1)
        {
            let (before, here) = (labels(layout.tag + 1), labels(layout.tag));
            let chunks = !before.is_empty() && before.iter().all(|label| CHUNKS.contains(&label.as_str()));
            let same = before.is_empty() || here.is_empty() || before.intersection(&here).next().is_some();
            layout.both = same && !chunks;
        }
        let (mut tags, mut outside, mut typed, mut bare) = (0, 0, false, BTreeSet::new());
        for row in &rows {
            let tag = layout.tag_of(row).to_owned();
            tags += usize::from(is_tag(&tag));
            outside += usize::from(tag == "O");
            typed |= tags::label(&tag).is_some_and(|label| label != tags::UNTYPED);
            if !is_tag(&tag) && bare.len() <= 64 {
                bare.insert(tag.clone());
            }
            layout.pieces |= is_subword(&tag) || SPECIAL.contains(&row[layout.token]);
        }
        let name = |label: &String| label.starts_with(char::is_alphabetic) && label.len() <= 40;
        layout.bare = !typed
            && tags == outside
            && outside * 2 >= rows.len()
            && bare.len() <= 64
            && !bare.is_empty()
            && bare.iter().all(name);
        let shown = Shown { rows: rows.len(), tags, typed };
        Some((layout, shown))
    }

    /// Columns before the token: its number in the sentence, or NERsuite's offsets and perhaps the tag.
    fn columns_before(&mut self, rows: &[Vec<&str>]) {
        let number = |column: &str| column.parse::<usize>().ok();
        let wide = |row: &[&str], at: usize| {
            let length = row.get(at + 2).map(|token| token.chars().count());
            let bounds = number(row[at]).zip(row.get(at + 1).and_then(|end| number(end)));
            bounds.is_some_and(|(start, end)| length == end.checked_sub(start) && length != Some(0))
        };
        if self.columns >= 4 && most(rows, |row| wide(row, 0)) {
            self.token = 2;
        } else if self.columns >= 5 && most(rows, |row| is_tag(row[0]) && wide(row, 1)) {
            (self.token, self.tag, self.score) = (3, FIRST, FIRST);
        } else if self.columns >= 3 && rows.len() > 1 {
            let mut before = None;
            let counted = rows.iter().filter(|row| {
                let here = number(row[0]);
                let fits = here.is_some_and(|here| here <= 1 || before == Some(here - 1));
                before = here;
                fits
            });
            self.token = usize::from(counted.count() * 10 >= rows.len() * 9);
        }
    }

    /// The columns of a line.
    fn split<'l>(&self, line: &'l str) -> Vec<&'l str> {
        let line = line.trim_end_matches([' ', '\r']);
        if !self.tabs {
            return line.split([' ', '\t']).filter(|column| !column.is_empty()).collect();
        }
        let mut columns: Vec<&str> = line.split('\t').collect();
        while columns.len() > self.columns && columns.last().is_some_and(|last| last.is_empty()) {
            columns.pop();
        }
        columns
    }

    fn tag_of<'l>(&self, columns: &[&'l str]) -> &'l str {
        let at = if self.tag == FIRST { Some(0) } else { columns.len().checked_sub(self.tag + 1) };
        at.and_then(|at| columns.get(at)).map_or("", |tag| tag.trim_matches(' '))
    }

    /// Reads a line that is not blank.
    fn row<'l>(&self, line: &'l str) -> Row<'l> {
        let columns = self.split(line);
        let tag = self.tag_of(&columns);
        if line.starts_with('#') && !(columns.len() == self.columns && (is_tag(tag) || self.bare)) {
            return Row::Comment;
        }
        let mut token = columns.get(self.token).copied().unwrap_or("");
        if columns.len() < self.columns || token.is_empty() || tag.is_empty() {
            return Row::Short(columns.len());
        }
        // A token with spaces where spaces separate.
        if !self.tabs && self.columns == 2 && columns.len() > 2 {
            token = line.trim_end_matches([' ', '\t', '\r']);
            token = token[..token.len() - tag.len()].trim_matches([' ', '\t']);
        }
        if SPECIAL.contains(&token) {
            return Row::Special;
        }
        let score = columns.len().checked_sub(self.score + 1).and_then(|at| columns.get(at));
        Row::Token { token, tag, score: score.and_then(|score| score.trim_matches(' ').parse().ok()) }
    }
}

/// Whether this is so of nearly all rows.
fn most(rows: &[Vec<&str>], fits: impl Fn(&[&str]) -> bool) -> bool {
    rows.iter().filter(|row| fits(row)).count() * 10 >= rows.len() * 9
}

/// One line.
enum Row<'l> {
    /// A line that begins with `#` and is no row.
    Comment,
    /// A row with this many columns, too few.
    Short(usize),
    /// What a model put around the text.
    Special,
    /// A token.
    Token { token: &'l str, tag: &'l str, score: Option<f64> },
}

fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| byte.is_ascii_whitespace())
}

/// Tags of tokens that a model did not predict: pieces of words, and what the loss ignores.
fn is_subword(tag: &str) -> bool {
    matches!(tag, "X" | "-100")
}

fn is_tag(tag: &str) -> bool {
    tags::is_tag(tag) || is_subword(tag)
}

/// The rows of a document.
#[derive(Default)]
struct Rows<'t> {
    tokens: Vec<String>,
    tags: Vec<Cow<'t, str>>,
    scores: Vec<Option<f64>>,
    /// Lines of the tokens, from 0.
    lines: Vec<u64>,
    /// Where sentences start.
    sentences: Vec<usize>,
    /// What was skipped, by line.
    faults: Vec<(u64, Fault)>,
}

enum Fault {
    Short(usize),
    Special,
    Ignored,
}

/// Reads the rows of a document: what is kept of its text can be made again from the same bytes.
fn rows<'t>(text: &'t str, layout: &Layout) -> Rows<'t> {
    let mut out = Rows::default();
    let mut starts = true;
    for (number, line) in text.split(|c| c == '\n' || layout.old && c == '\r').enumerate() {
        let number = number as u64;
        if is_blank(line) {
            starts = true;
            continue;
        }
        let (token, tag, score) = match layout.row(line) {
            Row::Comment => continue,
            Row::Short(columns) => {
                out.faults.push((number, Fault::Short(columns)));
                continue;
            }
            Row::Special => {
                out.faults.push((number, Fault::Special));
                continue;
            }
            Row::Token { token, tag, score } => (token, tag, score),
        };
        if layout.pieces
            && !starts
            && let (Some(piece), Some(word)) = (token.strip_prefix("##"), out.tokens.last_mut())
            && !piece.is_empty()
        {
            word.push_str(piece);
            continue;
        }
        if starts {
            out.sentences.push(out.tokens.len());
            starts = false;
        }
        let tag = match tag {
            _ if is_subword(tag) => {
                out.faults.push((number, Fault::Ignored));
                "O".into()
            }
            _ if layout.bare && tag != "O" => Cow::Owned(format!("I-{tag}")),
            _ => tag.into(),
        };
        out.tokens.push(token.to_owned());
        out.tags.push(tag);
        out.scores.push(score);
        out.lines.push(number);
    }
    out
}

impl Rows<'_> {
    /// The text, and the places of the tokens in it.
    fn text(&self) -> (String, Vec<(i64, i64)>) {
        let (mut text, mut point) = (String::new(), 0_i64);
        let mut places = Vec::with_capacity(self.tokens.len());
        let mut sentences = self.sentences.iter().copied().peekable();
        for (at, token) in self.tokens.iter().enumerate() {
            let starts = sentences.next_if_eq(&at).is_some();
            if at > 0 {
                text.push(if starts { '\n' } else { ' ' });
                point += 1;
            }
            text.push_str(token);
            let length = token.chars().count() as i64;
            places.push((point, point + length));
            point += length;
        }
        (text, places)
    }
}

fn text_of(bytes: &[u8], how: u32) -> Option<String> {
    Some(rows(&String::from_utf8_lossy(bytes), &Layout::from(how)).text().0)
}

fn tokens_of(bytes: &[u8], how: u32) -> Option<Vec<String>> {
    Some(rows(&String::from_utf8_lossy(bytes), &Layout::from(how)).tokens)
}

fn tags_of(bytes: &[u8], how: u32) -> Option<Vec<String>> {
    let text = String::from_utf8_lossy(bytes);
    Some(rows(&text, &Layout::from(how)).tags.into_iter().map(Cow::into_owned).collect())
}

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Documents {
    /// What follows `-DOCSTART-` or a line with an id.
    Marked,
    /// The file.
    File,
    /// A sentence.
    Sentence,
}

/// The id that a comment gives the document behind it: `# id = x`, `# doc_id: x`, `# newdoc id = x`, `# id x`.
fn id_of_comment(line: &str) -> Option<&str> {
    let line = line.strip_prefix('#')?.trim();
    let line = line.strip_prefix("newdoc ").unwrap_or(line).trim_start();
    let keys = ["doc_id", "document_id", "docid", "note_id", "id"];
    let rest = keys.iter().find_map(|key| line.strip_prefix(key))?;
    let rest = match rest.trim_start().strip_prefix(['=', ':']) {
        Some(value) => value.trim(),
        None if rest.starts_with([' ', '\t']) => rest.split_ascii_whitespace().next()?,
        None => return None,
    };
    (!rest.is_empty()).then_some(rest)
}

/// The id on a `-DOCSTART-` line: in brackets, whatever columns are behind them, or alone and no tag.
fn id_of_docstart(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(DOCSTART)?.trim();
    if let Some(inner) = rest.strip_prefix('(') {
        // An id may hold brackets, so the last one that ends a column closes it.
        let closes = |&(at, _): &(usize, &str)| {
            let behind = inner[at + 1..].chars().next();
            behind.is_none_or(|c| c == ' ' || c == '\t')
        };
        if let Some((end, _)) = inner.rmatch_indices(')').find(closes) {
            return Some(inner[..end].trim()).filter(|id| !id.is_empty());
        }
    }
    let alone = !rest.is_empty() && !rest.contains([' ', '\t']);
    (alone && !is_tag(rest) && !matches!(rest, "-X-" | "_" | "-")).then_some(rest)
}

fn read(mut reading: Reading<'_>) -> Result<(), SourceError> {
    let (source, from) = reading.source();
    let size = source.len().saturating_sub(from);
    let head = read_range(&*source, from, size.min(HEAD))?;
    // As `Lines` sees it.
    let first = &head[..head.len().min(1 << 16)];
    let old = !first.contains(&b'\n') && first.contains(&b'\r');
    let head = String::from_utf8_lossy(&head);
    if tag_list(first_line(&head)).is_some() {
        return read_lists(&mut reading);
    }
    // A single row without a line break is a row too.
    let found = Layout::of(&head).or_else(|| Layout::of(&format!("{head}\n")));
    let gives_id = |line: &str| {
        let is_comment = |layout: &Layout| matches!(layout.row(line), Row::Comment);
        id_of_comment(line).is_some() && found.as_ref().is_none_or(|(layout, _)| is_comment(layout))
    };
    let marked = head.lines().any(|line| line.starts_with(DOCSTART) || gives_id(line));
    let documents = match (marked, reading.alone) {
        (true, _) => Documents::Marked,
        (false, false) => Documents::File,
        (false, true) => Documents::Sentence,
    };
    reading.corpus.files[reading.file as usize].sentences = documents == Documents::Sentence;
    let Some((mut layout, _)) = found else {
        if size > 0 && !is_blank(&head) && !head.starts_with(DOCSTART) {
            let found = "no rows of two or more columns";
            reading.corpus.problems.add(Kind::BadRecord, reading.at(1), found, EXPECTED);
        }
        if documents == Documents::File {
            reading.corpus.begin(reading.file, Some(reading.id.to_owned()), 0).text_kind = TextKind::Tokens;
        }
        return Ok(());
    };
    if layout.both {
        reading.corpus.files[reading.file as usize].both_sides = true;
        if reading.role == Role::Gold {
            layout.tag += 1;
            layout.score = FIRST;
        }
    }
    drop(head);
    let mut reader = Reader {
        old,
        layout,
        documents,
        tagged: Tagged::default(),
        open: None,
        id: None,
        named: 0,
        started: false,
    };
    if documents == Documents::File {
        reader.started = true;
    }
    let mut lines = Lines::new(&*source, reading.chunk, from);
    while let Some(line) = lines.next_line()? {
        (reading.progress)(line.offset);
        if let Err(error) = std::str::from_utf8(line.bytes) {
            reading.bad_encoding(line.number, line.bytes, error.valid_up_to());
        }
        let words = String::from_utf8_lossy(line.bytes);
        if is_blank(&words) {
            if documents == Documents::Sentence {
                reader.close(&mut reading, true);
            }
        } else if words.starts_with(DOCSTART) {
            reader.close(&mut reading, true);
            reader.start(&mut reading, id_of_docstart(&words));
        } else if words.starts_with('#') && matches!(layout.row(&words), Row::Comment) {
            match id_of_comment(&words) {
                // The same id before every sentence is one document.
                Some(id) if reader.id.as_deref() != Some(id) => {
                    reader.close(&mut reading, true);
                    reader.start(&mut reading, Some(id));
                }
                Some(_) => reader.pass_over(line.bytes, line.number),
                None => {
                    let place = reading.at(line.number);
                    reading.corpus.problems.add(Kind::Comment, place, "a line that begins with #", "");
                    reader.pass_over(line.bytes, line.number);
                }
            }
        } else {
            reader.add(line.bytes, line.offset, line.number);
            if !line.ended {
                reader.close(&mut reading, false);
            }
        }
    }
    reader.close(&mut reading, true);
    reader.empty(&mut reading);
    reader.tagged.finish(reading.corpus, reading.file);
    Ok(())
}

fn first_line(head: &str) -> &str {
    head.lines().find(|line| !is_blank(line)).unwrap_or("")
}

/// The tags of a line that is a list of them, as Python or JSON writes it.
fn tag_list(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('[')?.strip_suffix(']')?.trim();
    inner.split(',').map(|item| bare_tag(item.trim())).collect()
}

/// A tag without its quotes.
fn bare_tag(item: &str) -> Option<&str> {
    let tag = ['\'', '"'].iter().find_map(|&quote| item.strip_prefix(quote)?.strip_suffix(quote))?;
    is_tag(tag).then_some(tag)
}

fn list_of_tags(bytes: &[u8], _how: u32) -> Option<Vec<String>> {
    let name = |tag: &str| if is_subword(tag) { "O".to_owned() } else { tag.to_owned() };
    Some(tag_list(std::str::from_utf8(bytes).ok()?)?.into_iter().map(name).collect())
}

/// Reads lists of tags, one a line: documents with tags and no tokens.
fn read_lists(reading: &mut Reading<'_>) -> Result<(), SourceError> {
    let (source, from) = reading.source();
    let mut tagged = Tagged::default();
    let mut lines = Lines::new(&*source, reading.chunk, from);
    while let Some(line) = lines.next_line()? {
        (reading.progress)(line.offset);
        let words = String::from_utf8_lossy(line.bytes);
        if is_blank(&words) {
            continue;
        }
        reading.corpus.records += 1;
        let Some(tags) = tag_list(&words) else {
            let cut = if line.ended { "" } else { "; the file looks cut off" };
            let found = format!("a line that is no list of tags{cut}");
            reading.corpus.problems.add(Kind::BadRecord, reading.at(line.number), found, "['O', 'B-drug']");
            continue;
        };
        tags::decode(&tags, &mut tagged.seen);
        let piece = Piece::new(reading.file, line.offset, line.bytes.len() as u64, Form::Plain);
        let document = reading.corpus.begin(reading.file, None, line.number);
        document.text_kind = TextKind::Tokens;
        document.tags = Some(TokenList { piece, list: list_of_tags, how: 0 });
    }
    tagged.finish(reading.corpus, reading.file);
    Ok(())
}

struct Reader {
    layout: Layout,
    documents: Documents,
    /// Lines of the file end as old Macs ended them; in [`Open`] they do not.
    old: bool,
    tagged: Tagged,
    open: Option<Open>,
    /// Id of the document that was started.
    id: Option<String>,
    /// Documents of this file that have its name.
    named: u64,
    /// A document was started and has no rows yet.
    started: bool,
}

/// The document being read.
struct Open {
    /// Line and place in the file of its first row.
    line: u64,
    start: u64,
    /// Where its last row ends in the file, and the one before.
    end: u64,
    before: u64,
    /// Its lines.
    bytes: Vec<u8>,
    /// Line breaks in `bytes`.
    breaks: u64,
    /// Where the last row starts in `bytes`.
    last: usize,
}

impl Open {
    /// Adds a line; lines left out before it were empty.
    fn line(&mut self, bytes: &[u8], number: u64) {
        let breaks = number - self.line;
        let missing = usize::try_from(breaks - self.breaks).unwrap_or(0);
        self.bytes.extend(std::iter::repeat_n(b'\n', missing));
        self.breaks = breaks;
        self.bytes.extend_from_slice(bytes);
    }
}

impl Reader {
    fn start(&mut self, reading: &mut Reading<'_>, id: Option<&str>) {
        self.empty(reading);
        self.id = id.map(str::to_owned);
        self.started = true;
    }

    /// A document that was started and has no rows: kept where it can be told from others.
    fn empty(&mut self, reading: &mut Reading<'_>) {
        if std::mem::take(&mut self.started) && (self.id.is_some() || self.documents == Documents::File) {
            let id = self.name(reading);
            reading.corpus.begin(reading.file, id, 0).text_kind = TextKind::Tokens;
        }
    }

    /// The id of the document: its own, or the file's where the side has several.
    fn name(&mut self, reading: &Reading<'_>) -> Option<String> {
        if self.id.is_some() || reading.alone {
            return self.id.clone();
        }
        self.named += 1;
        Some(if self.named == 1 { reading.id.to_owned() } else { format!("{}#{}", reading.id, self.named) })
    }

    /// Adds a row.
    fn add(&mut self, bytes: &[u8], offset: u64, number: u64) {
        let open = self.open.get_or_insert_with(|| Open {
            line: number,
            start: offset,
            end: offset,
            before: offset,
            bytes: Vec::new(),
            breaks: 0,
            last: 0,
        });
        open.line(b"", number);
        open.last = open.bytes.len();
        open.bytes.extend_from_slice(bytes);
        open.before = open.end;
        open.end = offset + bytes.len() as u64;
    }

    /// Takes a comment into the open document, whose bytes are read again with it.
    fn pass_over(&mut self, bytes: &[u8], number: u64) {
        if let Some(open) = &mut self.open {
            open.line(bytes, number);
        }
    }

    /// Ends the open document; `ended` says whether a line break ends its last row.
    fn close(&mut self, reading: &mut Reading<'_>, ended: bool) {
        let Some(mut open) = self.open.take() else { return };
        let bytes = std::mem::take(&mut open.bytes);
        let text = String::from_utf8_lossy(&bytes);
        let found = rows(&text, &self.layout);
        if ended || !self.is_cut(&found, open.breaks) {
            return self.keep(reading, &open, &found, ended);
        }
        let what = "a last row whose tag is the beginning of another; the file looks cut off";
        reading.corpus.problems.add(Kind::BadRecord, reading.at(open.line + open.breaks), what, EXPECTED);
        open.end = open.before;
        let text = String::from_utf8_lossy(&bytes[..open.last]);
        self.keep(reading, &open, &rows(&text, &self.layout), true);
    }

    /// Whether the last row, on this line, has a part of a tag.
    fn is_cut(&self, found: &Rows<'_>, line: u64) -> bool {
        let (Some(last), true) = (found.tags.last(), found.lines.last() == Some(&line)) else {
            return false;
        };
        let before: Vec<&str> = found.tags[..found.tags.len() - 1].iter().map(AsRef::as_ref).collect();
        let mut seen = self.tagged.seen.clone();
        tags::decode(&before, &mut seen);
        seen.looks_cut(last)
    }

    /// Moves a document into the corpus.
    fn keep(&mut self, reading: &mut Reading<'_>, open: &Open, found: &Rows<'_>, ended: bool) {
        let id = if self.documents == Documents::Sentence { None } else { self.name(reading) };
        let at = |line: u64| match &id {
            Some(id) => reading.at(open.line + line).of(id),
            None => reading.at(open.line + line),
        };
        let mut faults = Vec::new();
        for (line, fault) in &found.faults {
            let (kind, what, expected) = match fault {
                Fault::Short(columns) => {
                    let cut = if !ended && *line == open.breaks { "; the file looks cut off" } else { "" };
                    let what = format!("a row with {columns} columns, or with an empty one{cut}");
                    (Kind::BadRecord, what, format!("{} columns", self.layout.columns))
                }
                Fault::Special => {
                    (Kind::Placeholder, "a special token of a model; left out".into(), String::new())
                }
                Fault::Ignored => (Kind::Placeholder, "a tag X or -100; read as O".into(), String::new()),
            };
            faults.push((kind, at(*line), what, expected));
        }
        let unnamed = id.is_none();
        let corpus = &mut *reading.corpus;
        for (kind, place, what, expected) in faults {
            corpus.problems.add(kind, place, what, expected);
        }
        let readable = !found.tokens.is_empty();
        let short = found.faults.iter().any(|(_, fault)| matches!(fault, Fault::Short(_)));
        corpus.records += u64::from(unnamed && (readable || short));
        if unnamed && !readable {
            return;
        }
        self.started = false;
        corpus.begin(reading.file, id.clone(), open.line).text_kind = TextKind::Tokens;
        if !readable {
            return;
        }
        let how = Layout { old: self.old, ..self.layout }.how();
        let (text, places) = found.text();
        let piece = |form| Piece::new(reading.file, open.start, open.end - open.start, form);
        corpus.set_text(&[piece(Form::Coded(text_of, how))], Digest::of(text.as_bytes()));
        if let Some(document) = corpus.documents.last_mut() {
            let list = |list| TokenList { piece: piece(Form::Plain), list, how };
            document.tokens = Some(list(tokens_of));
            document.tags = Some(list(tags_of));
        }
        let mut unknown = Vec::new();
        let ends = found.sentences.iter().skip(1).copied().chain([found.tokens.len()]);
        for (start, end) in found.sentences.iter().copied().zip(ends) {
            let tags: Vec<&str> = found.tags[start..end].iter().map(AsRef::as_ref).collect();
            let line = |at: usize| open.line + found.lines[start + at];
            let score = |from: usize, to: usize| mean(&found.scores[start + from..start + to]);
            let count = self.tagged.sentence(corpus, &tags, &places[start..end], line, score);
            if count > 0 {
                let is_unknown = |at: &usize| !tags::is_tag(tags[*at]);
                unknown.extend((0..tags.len()).filter(is_unknown).map(line));
            }
        }
        corpus.trim_spans(&CharIndex::new(&text));
        for line in unknown {
            let place = reading.at(line);
            let place = id.iter().fold(place, |place, id| place.of(id));
            let expected = "O, or B-, I-, E-, S-, L-, U- with a label";
            reading.corpus.problems.add(Kind::BadSpan, place, "a tag of no known shape; read as O", expected);
        }
    }
}

/// The mean of the scores that are there.
fn mean(scores: &[Option<f64>]) -> Option<f64> {
    let count = scores.iter().flatten().count();
    (count > 0).then(|| scores.iter().flatten().sum::<f64>() / count as f64)
}
