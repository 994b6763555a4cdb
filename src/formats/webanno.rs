//! WebAnno TSV 3: a header of layers, then sentences as `#Text=` lines and a row a token:
//! `1-2⇥4-8⇥Haag⇥value⇥…`. Values are stacked with `|`; `[n]` joins the rows of one annotation; `*` has no
//! value, `_` is no annotation; rows such as `1-2.1` are parts of tokens. Offsets are UTF-16 units. What
//! stands between sentences is not in the file: a line break and spaces are put there.

use super::uima::{self, Layer as Listed, Turn};
use super::{Format, Reading};
use crate::corpus::problems::Kind;
use crate::corpus::text::{Digest, Form, Piece};
use crate::corpus::{Argument, Detail, Own, Relation, Unit};
use crate::source::SourceError;
use crate::source::lines::{Line, Lines};
use rustc_hash::FxHashMap;

/// The format.
pub static FORMAT: Format = Format {
    file_is_document: true,
    unit: Unit::Utf16,
    ..Format::of("webanno", "WebAnno TSV 3", sniff, read)
};

const HEADER: &str = "#FORMAT=WebAnno TSV ";
const TEXT: &str = "#Text=";
const ROW: &str = "sentence-token⇥begin-end⇥token⇥a column a feature";

fn sniff(head: &str) -> Option<(u8, String)> {
    let version = head.trim_start().strip_prefix(HEADER)?;
    version.starts_with('3').then(|| (99, "first line is #FORMAT=WebAnno TSV 3".into()))
}

/// A layer of the header.
struct Layer {
    name: String,
    kind: LayerKind,
    /// Its features; one without a name where it has none.
    features: Vec<String>,
    /// Its first column.
    column: usize,
    /// Rows with a value, for layers whose annotations are not spans.
    count: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LayerKind {
    Span,
    /// Text structure and linguistics.
    Structure,
    Chain,
    Relation,
}

impl Layer {
    /// The columns of the header line, if it is one.
    fn parse(line: &str, column: usize) -> Option<Layer> {
        let (prefix, rest) = line.split_once('=')?;
        let mut fields = rest.split('|').filter(|field| !field.is_empty());
        let name = fields.next().unwrap_or("").to_owned();
        let kind = match prefix {
            "#T_SP" if uima::is_structure(&name) => LayerKind::Structure,
            "#T_SP" => LayerKind::Span,
            "#T_CH" => LayerKind::Chain,
            "#T_RL" => LayerKind::Relation,
            _ => return None,
        };
        let mut features: Vec<String> = fields.map(str::to_owned).collect();
        if features.is_empty() {
            features.push(String::new());
        }
        Some(Layer { name, kind, features, column, count: 0 })
    }

    /// Whether a feature's column holds roles of links or their targets.
    fn is_slot(&self, feature: usize) -> bool {
        let role = |at: usize| self.features.get(at).is_some_and(|name| name.starts_with("ROLE_"));
        role(feature) || feature.checked_sub(1).is_some_and(role) && self.features[feature].contains('.')
    }
}

/// An annotation of a span layer.
struct Annotation {
    layer: usize,
    line: u64,
    start: i64,
    end: i64,
    values: Vec<Option<String>>,
    /// Rows it stands on: the first and the last of the sentence.
    rows: (usize, usize),
    sentence: usize,
    /// It goes beyond its first sentence or has rows of parts of tokens.
    scattered: bool,
    /// The text of its only row, where that is a part of a token: first byte and length.
    part: Option<(u64, u64)>,
}

/// Where a relation comes from, to be looked up when every span is known.
struct Link {
    layer: usize,
    line: u64,
    label: Option<String>,
    source: (String, u64),
    target: (String, u64),
}

/// A sentence: its `#Text=` lines and where the file says it begins.
#[derive(Default)]
struct Sentence {
    line: u64,
    begin: Option<i64>,
    texts: Vec<TextLine>,
    /// Where each row's token is in the texts, as (text line, bytes); none where it is not there.
    rows: Vec<Option<(usize, usize, usize)>>,
    /// How far rows went: text line and byte.
    reach: (usize, usize),
    /// A row's token was not in the text.
    lost: bool,
    /// It has characters that UTF-16 counts as two.
    astral: bool,
    /// Rows whose begin fits their token's place, counted in UTF-16 and in code points.
    votes: [u64; 2],
    /// A text line, a byte of it, and the units before: of [`Sentence::units`].
    counted: Option<(usize, usize, [i64; 2])>,
}

impl Sentence {
    fn new(line: u64) -> Self {
        Sentence { line, counted: Some((0, 0, [0; 2])), ..Sentence::default() }
    }
}

/// A `#Text=` line as it stands in the file.
struct TextLine {
    offset: u64,
    bytes: u64,
    raw: String,
    text: String,
    /// Bytes up to the next line.
    whole: u64,
}

impl Sentence {
    /// Its length in units of both kinds: UTF-16 and code points.
    fn length(&self) -> [i64; 2] {
        let breaks = self.texts.len().saturating_sub(1) as i64;
        let sum = |width: fn(char) -> usize| {
            self.texts.iter().flat_map(|line| line.text.chars()).map(width).sum::<usize>() as i64 + breaks
        };
        [sum(char::len_utf16), sum(|_| 1)]
    }

    /// Units of both kinds before a place in its texts, counted on from the place before; none where texts
    /// are escaped.
    fn units(&mut self, line: usize, byte: usize) -> Option<[i64; 2]> {
        let (mut at, mut from, mut units) = self.counted?;
        self.counted = None;
        while at <= line {
            let raw = &self.texts.get(at)?.raw;
            let part = if at == line { raw.get(from..byte)? } else { raw.get(from..)? };
            if part.contains('\\') {
                return None;
            }
            let breaks = i64::from(at < line);
            units[0] += part.chars().map(char::len_utf16).sum::<usize>() as i64 + breaks;
            units[1] += part.chars().count() as i64 + breaks;
            (at, from) = if at == line { (at + 1, byte) } else { (at + 1, 0) };
        }
        self.counted = Some((line, byte, units));
        Some(units)
    }

    /// Notes a row; its token is searched behind the one before.
    fn row(&mut self, token: &str, start: i64) {
        let token = token.replace('\\', "\\\\");
        let found = (!self.lost && !token.is_empty()).then(|| {
            let (mut line, mut from) = self.reach;
            while let Some(text) = self.texts.get(line) {
                if let Some(at) = text.raw.get(from..).and_then(|rest| rest.find(&token)) {
                    self.reach = (line, from + at + token.len());
                    return Some((line, from + at, from + at + token.len()));
                }
                (line, from) = (line + 1, 0);
            }
            None
        });
        self.lost |= found == Some(None);
        let found = found.flatten();
        self.rows.push(found);
        if self.begin.is_some() && !self.astral {
            return;
        }
        let units = found.and_then(|(line, byte, _)| self.units(line, byte));
        // Rows before this one may have been skipped.
        let begin = *self.begin.get_or_insert(start.saturating_sub(units.map_or(0, |units| units[0])));
        if let Some(units) = units.filter(|units| units[0] != units[1]) {
            for (vote, unit) in self.votes.iter_mut().zip(units) {
                *vote += u64::from(begin.saturating_add(unit) == start);
            }
        }
    }

    /// Whether there is text behind the last row.
    fn has_more(&self) -> bool {
        let (line, from) = self.reach;
        let rest = |(at, text): (usize, &TextLine)| {
            let rest = if at == line { text.raw.get(from..).unwrap_or("") } else { &text.raw };
            !rest.trim().is_empty()
        };
        !self.lost && self.texts.iter().enumerate().skip(line).any(rest)
    }
}

#[derive(Default)]
struct Reader {
    layers: Vec<Layer>,
    columns: usize,
    sentences: Vec<Sentence>,
    annotations: Vec<Annotation>,
    /// Annotations by their number in brackets.
    numbered: FxHashMap<(usize, u64), usize>,
    /// Annotations by layer and the row on which they begin.
    begun: FxHashMap<(usize, String), Vec<usize>>,
    links: Vec<Link>,
    /// Texts escape as Java does (before 3.2).
    java: bool,
    /// In the header of layers, in that of a sentence, or among rows.
    part: Part,
    /// Rows so far end in a tab, as WebAnno writes them.
    tabs: Option<bool>,
    /// A row without a sentence's text.
    textless: bool,
}

#[derive(Default, PartialEq, Eq, Clone, Copy)]
enum Part {
    #[default]
    Header,
    Sentence,
    Rows,
}

fn read(mut reading: Reading<'_>) -> Result<(), SourceError> {
    let id = match uima::turn(&mut reading) {
        Turn::Document(id) => id,
        Turn::Another => return Ok(()),
    };
    reading.corpus.begin(reading.file, Some(id.clone()), 0);
    let (source, from) = reading.source();
    let mut lines = Lines::new(&*source, reading.chunk, from);
    let mut reader = Reader::default();
    // The text line before, whose end is where the next line starts.
    let mut open = false;
    let mut end = from;
    while let Some(line) = lines.next_line()? {
        (reading.progress)(line.offset);
        if open {
            reader.close_text(line.offset);
        }
        end = line.offset + line.bytes.len() as u64;
        let words = String::from_utf8_lossy(line.bytes);
        if let Err(error) = std::str::from_utf8(line.bytes) {
            reading.bad_encoding(line.number, line.bytes, error.valid_up_to());
        }
        open = reader.line(&mut reading, &id, &words, line);
    }
    if open {
        reader.close_text(end);
    }
    reader.finish(reading, &id);
    Ok(())
}

impl Reader {
    fn close_text(&mut self, next: u64) {
        if let Some(text) = self.sentences.last_mut().and_then(|sentence| sentence.texts.last_mut()) {
            text.whole = next.saturating_sub(text.offset);
        }
    }

    /// Takes a line; true when it is one of text.
    fn line(
        &mut self,
        reading: &mut Reading<'_>,
        id: &str,
        words: &str,
        Line { bytes, offset, number, ended }: Line<'_>,
    ) -> bool {
        if let Some(version) = words.strip_prefix(HEADER) {
            self.java = matches!(version.trim(), "3" | "3.0" | "3.1");
            return false;
        }
        if self.part == Part::Header
            && let Some(layer) = Layer::parse(words, self.columns)
        {
            self.columns += layer.features.len();
            self.layers.push(layer);
            return false;
        }
        if let Some(raw) = words.strip_prefix(TEXT) {
            if self.part != Part::Sentence || self.sentences.is_empty() {
                self.sentences.push(Sentence::new(number));
            }
            self.part = Part::Sentence;
            let (offset, bytes) = (offset + TEXT.len() as u64, (bytes.len() - TEXT.len()) as u64);
            let text = if self.java { unescape_java(raw) } else { unescape(raw) };
            if let Some(sentence) = self.sentences.last_mut() {
                if sentence.texts.is_empty() {
                    sentence.line = number;
                }
                // Where bytes were replaced, tokens cannot be found by their bytes.
                sentence.lost |= bytes != raw.len() as u64;
                sentence.astral |= text.chars().any(|c| c.len_utf16() > 1);
                sentence.texts.push(TextLine { offset, bytes, raw: raw.to_owned(), text, whole: bytes });
            }
            return true;
        }
        if words.trim().is_empty() {
            if self.part == Part::Rows {
                self.part = Part::Sentence;
                self.sentences.push(Sentence::new(number));
            }
            return false;
        }
        let columns: Vec<&str> = words.split('\t').collect();
        if !is_row(&columns) {
            // `#Sentence.id=` and the like.
            if !words.starts_with('#') {
                let found = format!("a line of {} columns that is no row of a token", columns.len());
                let place = reading.at(number).of(id);
                reading.corpus.problems.add(Kind::BadRecord, place, found, ROW);
            }
            return false;
        }
        let tab = words.ends_with('\t');
        let missing = columns.len() < self.columns + 3;
        if missing || (!ended && self.tabs == Some(true) && !tab) {
            let cut = if ended { "" } else { "; the file looks cut off" };
            let found = format!("a row of {} columns{cut}", columns.len());
            let place = reading.at(number).of(id);
            let expected = format!("{} columns", self.columns + 3);
            reading.corpus.problems.add(Kind::BadRecord, place, found, expected);
            return false;
        }
        self.tabs.get_or_insert(tab);
        self.row(reading, id, &columns, offset, number);
        false
    }

    fn row(&mut self, reading: &mut Reading<'_>, id: &str, columns: &[&str], offset: u64, number: u64) {
        let bounds = columns[1].split_once('-').and_then(|(start, end)| {
            Some((start.trim().parse::<i64>().ok()?, end.trim().parse::<i64>().ok()?))
        });
        let place = reading.at(number).of(id);
        let Some((start, end)) = bounds else {
            let found = "a row whose begin and end are not whole numbers";
            reading.corpus.problems.add(Kind::BadSpan, place, found, ROW);
            return;
        };
        if self.part == Part::Header || self.sentences.is_empty() {
            self.sentences.push(Sentence::new(number));
        }
        self.part = Part::Rows;
        let part = columns[0].contains('.');
        let at = self.sentences.len() - 1;
        let sentence = &mut self.sentences[at];
        self.textless |= sentence.texts.is_empty();
        if !part {
            sentence.row(columns[2], start);
        }
        let row = sentence.rows.len().saturating_sub(1);
        let token = (offset + (columns[0].len() + columns[1].len() + 2) as u64, columns[2].len() as u64);
        for layer in 0..self.layers.len() {
            let (first, count) = (self.layers[layer].column + 3, self.layers[layer].features.len());
            let cells = &columns[first..first + count];
            if cells.iter().all(|cell| matches!(*cell, "_" | "")) {
                continue;
            }
            self.layers[layer].count += 1;
            match self.layers[layer].kind {
                LayerKind::Structure => {}
                LayerKind::Chain => {
                    reading.corpus.problems.add(Kind::Equivalence, place.clone(), "a link of a chain", "");
                }
                LayerKind::Relation => self.links(layer, cells, columns[0], number),
                LayerKind::Span => {
                    let here = Here {
                        start,
                        end,
                        number,
                        sentence: at,
                        row,
                        part: part.then_some(token),
                        unit: columns[0],
                    };
                    self.spans(layer, cells, &here);
                    for feature in (0..count).filter(|&at| cells[at] != "_" && self.layers[layer].is_slot(at))
                    {
                        if self.layers[layer].features[feature].starts_with("ROLE_") {
                            let found = "links of a span to others";
                            reading.corpus.problems.add(Kind::Relation, place.clone(), found, "");
                        }
                    }
                }
            }
        }
    }

    /// The annotations of one layer on one row.
    fn spans(&mut self, layer: usize, cells: &[&str], here: &Here<'_>) {
        let stacks: Vec<Vec<&str>> = cells
            .iter()
            .map(|cell| if matches!(*cell, "_" | "") { Vec::new() } else { split(cell, '|') })
            .collect();
        for level in 0..stacks.iter().map(Vec::len).max().unwrap_or(0) {
            let mut number = None;
            let mut values = Vec::with_capacity(cells.len());
            for (feature, stack) in stacks.iter().enumerate() {
                let slot = self.layers[layer].is_slot(feature);
                let target = slot && !self.layers[layer].features[feature].starts_with("ROLE_");
                let (value, own) = match stack.get(level) {
                    Some(value) if !target => numbered(value),
                    _ => ("_", None),
                };
                number = number.or(own);
                values.push((!slot && !matches!(value, "_" | "*" | "")).then(|| unescape_value(value)));
            }
            let known = number.and_then(|number| self.numbered.get(&(layer, number)).copied());
            if let Some(known) = known {
                let annotation = &mut self.annotations[known];
                annotation.end = here.end;
                annotation.scattered |= here.part.is_some() || annotation.sentence != here.sentence;
                annotation.part = None;
                annotation.rows.1 = here.row;
                for (slot, value) in annotation.values.iter_mut().zip(values) {
                    if slot.is_none() {
                        *slot = value;
                    }
                }
                continue;
            }
            let at = self.annotations.len();
            self.annotations.push(Annotation {
                layer,
                line: here.number,
                start: here.start,
                end: here.end,
                values,
                rows: (here.row, here.row),
                sentence: here.sentence,
                scattered: here.part.is_some(),
                part: here.part,
            });
            if let Some(number) = number {
                self.numbered.insert((layer, number), at);
            }
            self.begun.entry((layer, here.unit.to_owned())).or_default().push(at);
        }
    }

    /// The relations of one layer that end on a row: `1-1[2_3]` comes from row 1-1, from its annotation 2
    /// to this row's annotation 3.
    fn links(&mut self, layer: usize, cells: &[&str], unit: &str, line: u64) {
        let Some((sources, features)) = cells.split_last() else { return };
        for (level, source) in split(sources, '|').into_iter().enumerate() {
            let (from, numbers) = source.split_once('[').unwrap_or((source, ""));
            let (first, second) = numbers.trim_end_matches(']').split_once('_').unwrap_or(("0", "0"));
            let number = |text: &str| text.parse().unwrap_or(0);
            let label = features.iter().find_map(|cell| {
                let value = split(cell, '|').get(level).copied().map(|value| numbered(value).0)?;
                (!matches!(value, "_" | "*" | "")).then(|| unescape_value(value))
            });
            self.links.push(Link {
                layer,
                line,
                label,
                source: (from.to_owned(), number(first)),
                target: (unit.to_owned(), number(second)),
            });
        }
    }

    fn finish(mut self, mut reading: Reading<'_>, id: &str) {
        // The empty line behind the last row opens no sentence.
        if self.sentences.last().is_some_and(|sentence| sentence.texts.is_empty() && sentence.begin.is_none())
        {
            self.sentences.pop();
        }
        for (at, sentence) in self.sentences.iter().enumerate() {
            let last = at + 1 == self.sentences.len();
            let found = match sentence.begin {
                None => "a sentence without rows",
                Some(_) if last && sentence.has_more() => "a sentence that goes on behind its last row",
                _ => continue,
            };
            let cut = if last { "; the file looks cut off" } else { "" };
            let place = reading.at(sentence.line).of(id);
            reading.corpus.problems.add(Kind::BadRecord, place, format!("{found}{cut}"), "a row a token");
        }
        let passages = self.text(&mut reading, id);
        let labels: Vec<Option<usize>> = (0..self.layers.len()).map(|layer| self.label(layer)).collect();
        let listed: Vec<Listed> = self
            .layers
            .iter()
            .enumerate()
            .map(|(at, layer)| Listed {
                name: uima::short(&layer.name).to_owned(),
                label: labels[at].map(|feature| layer.features[feature].clone()),
                count: match layer.kind {
                    LayerKind::Span => self.annotations.iter().filter(|one| one.layer == at).count() as u64,
                    LayerKind::Structure if !uima::is_scaffold(&layer.name) => layer.count,
                    _ => 0,
                },
                read: layer.kind == LayerKind::Span,
            })
            .collect();
        let several = listed.iter().filter(|layer| layer.read && layer.count > 0).count() > 1;
        uima::list_layers(&mut reading, id, &listed);
        let first = reading.corpus.spans.len() as u32;
        for annotation in &self.annotations {
            self.push(&mut reading, annotation, labels[annotation.layer], several, &passages);
        }
        self.relate(&mut reading, id, first);
    }

    /// Which feature of a layer is the label.
    fn label(&self, layer: usize) -> Option<usize> {
        if self.layers[layer].kind != LayerKind::Span {
            return None;
        }
        let of_layer = |feature: usize, test: fn(&str) -> bool| {
            let value = |one: &Annotation| one.values[feature].as_deref().is_some_and(test);
            self.annotations.iter().any(|one| one.layer == layer && value(one))
        };
        uima::label_feature(&self.layers[layer].features, of_layer)
    }

    fn push(
        &self,
        reading: &mut Reading<'_>,
        annotation: &Annotation,
        label: Option<usize>,
        several: bool,
        passages: &[Option<u32>],
    ) {
        let layer = &self.layers[annotation.layer];
        let name = uima::short(&layer.name);
        let file = reading.file;
        let mut detail = Detail {
            line: annotation.line,
            own: self.own(annotation, file),
            passage: passages.get(annotation.sentence).copied().flatten(),
            ..Detail::default()
        };
        if several {
            detail.more().attributes.push(("layer".into(), name.into()));
        }
        for (at, value) in annotation.values.iter().enumerate() {
            let Some(value) = value.as_ref().filter(|_| Some(at) != label) else { continue };
            let feature = &layer.features[at];
            if uima::is_concept(feature) {
                detail.more().concepts.push(value.clone());
            } else {
                detail.more().attributes.push((feature.clone(), value.clone()));
            }
        }
        let value = label.and_then(|label| annotation.values[label].as_deref());
        let label = reading.corpus.labels.intern(value.unwrap_or(name));
        reading.corpus.push(annotation.start, annotation.end, label, detail);
    }

    /// The annotation's own text: what of the sentence its tokens are, found by the tokens, not the offsets.
    fn own(&self, annotation: &Annotation, file: u32) -> Option<Own> {
        if let Some((start, length)) = annotation.part.filter(|part| part.1 > 0) {
            return Some(Own::At(Piece::new(file, start, length, Form::Plain)));
        }
        if annotation.scattered {
            return None;
        }
        let sentence = &self.sentences[annotation.sentence];
        let row = |at: usize| sentence.rows.get(at).copied().flatten();
        let (first, last) = (row(annotation.rows.0)?, row(annotation.rows.1)?);
        if first.0 != last.0 {
            return None;
        }
        let line = &sentence.texts[first.0];
        let start = line.offset + first.1 as u64;
        Some(Own::At(Piece::new(file, start, (last.2 - first.1) as u64, self.form(&line.raw))))
    }

    /// How a text line's content is written.
    fn form(&self, raw: &str) -> Form {
        match (raw.contains('\\'), self.java) {
            (false, _) => Form::Plain,
            (true, false) => Form::Encoded(text_of),
            (true, true) => Form::Encoded(java_text_of),
        }
    }

    /// Puts the sentences at their offsets, with a line break and spaces between them. Returns for each
    /// sentence which piece of the text it begins with.
    fn text(&self, reading: &mut Reading<'_>, id: &str) -> Vec<Option<u32>> {
        let placed: Vec<usize> = (0..self.sentences.len())
            .filter(|&at| self.sentences[at].begin.is_some() && !self.sentences[at].texts.is_empty())
            .collect();
        let mut passages = vec![None; self.sentences.len()];
        if self.textless || placed.is_empty() {
            let line = self.sentences.first().map_or(0, |sentence| sentence.line);
            if self.textless {
                let place = reading.at(line).of(id);
                let found = "rows without the text of their sentence";
                reading.corpus.problems.add(Kind::TextUnusable, place, found, "#Text= before the rows");
            }
            return passages;
        }
        // Other writers count code points: as the tokens say, or gaps that make no sense otherwise.
        let gaps: [Vec<i64>; 2] = [0, 1].map(|unit| {
            let mut end = 0;
            let gap = |&at: &usize| {
                let begin = self.sentences[at].begin.unwrap_or(0);
                let gap = begin.saturating_sub(end);
                end = begin.saturating_add(self.sentences[at].length()[unit]);
                gap
            };
            placed.iter().map(gap).collect()
        });
        let fits = |gaps: &[i64]| gaps.iter().all(|gap| (0..=MAX_GAP).contains(gap));
        let votes = self.sentences.iter().fold([0, 0], |[a, b], one| [a + one.votes[0], b + one.votes[1]]);
        let points = fits(&gaps[1]) && (votes[1] > votes[0] || !fits(&gaps[0]));
        let gaps = if points { &gaps[1] } else { &gaps[0] };
        if let Some(at) = gaps.iter().position(|gap| !(0..=MAX_GAP).contains(gap)) {
            let place = reading.at(self.sentences[placed[at]].line).of(id);
            let found = match gaps[at] {
                gap if gap < 0 => "a sentence that begins before the end of the one before it",
                _ => "a sentence that begins far behind the one before it",
            };
            let expected = "offsets that go on from sentence to sentence; read as each sentence's own";
            reading.corpus.problems.add(Kind::OffsetsUnclear, place, found, expected);
        }
        let mut pieces: Vec<Piece> = Vec::new();
        let mut text = String::new();
        for (order, &at) in placed.iter().enumerate() {
            let sentence = &self.sentences[at];
            let gap = if (0..=MAX_GAP).contains(&gaps[order]) { gaps[order] } else { 1 };
            let spaces = if order == 0 {
                gap
            } else if gap > 0
                && pieces.last_mut().is_some_and(|piece| self.add_break(piece, placed[order - 1]))
            {
                text.push('\n');
                gap - 1
            } else {
                gap
            };
            text.extend(std::iter::repeat_n(' ', spaces as usize));
            passages[at] = u32::try_from(pieces.len()).ok();
            for (number, line) in sentence.texts.iter().enumerate() {
                let mut piece = Piece::new(reading.file, line.offset, line.bytes, self.form(&line.raw));
                if number == 0 {
                    piece.pad = spaces as u32;
                    piece.base = sentence.begin;
                }
                text.push_str(&line.text);
                if number + 1 < sentence.texts.len() {
                    self.with_break(&mut piece, line);
                    text.push('\n');
                }
                pieces.push(piece);
            }
        }
        reading.corpus.set_text(&pieces, Digest::of(text.as_bytes()));
        passages
    }

    /// Adds the line break of the file to the last piece of the sentence before.
    fn add_break(&self, piece: &mut Piece, sentence: usize) -> bool {
        self.sentences[sentence].texts.last().is_some_and(|line| self.with_break(piece, line))
    }

    /// Lets a piece reach to the next line of the file, if there is one.
    fn with_break(&self, piece: &mut Piece, line: &TextLine) -> bool {
        if line.whole <= line.bytes {
            return false;
        }
        piece.len = line.whole;
        piece.form = Form::Encoded(if self.java { java_text_of } else { text_of });
        true
    }

    /// Relations whose ends were read; the others are counted.
    fn relate(&self, reading: &mut Reading<'_>, id: &str, first: u32) {
        let document = (reading.corpus.documents.len() as u32).saturating_sub(1);
        for link in &self.links {
            let layer = &self.layers[link.layer];
            let base = layer.features.last().and_then(|name| name.strip_prefix("BT_")).unwrap_or("");
            let Some(base) =
                self.layers.iter().position(|one| one.kind == LayerKind::Span && one.name == base)
            else {
                // Of a layer that is not read, as dependencies are.
                if !uima::is_structure(&layer.name) {
                    let place = reading.at(link.line).of(id);
                    reading.corpus.problems.add(Kind::Relation, place, "a relation of another layer", "");
                }
                continue;
            };
            let end = |(unit, number): &(String, u64)| {
                if *number > 0 {
                    return self.numbered.get(&(base, *number)).copied();
                }
                self.begun.get(&(base, unit.clone())).and_then(|list| list.first()).copied()
            };
            match (end(&link.source), end(&link.target)) {
                (Some(source), Some(target)) => {
                    let argument = |at: usize| Argument::Span(first + at as u32);
                    reading.corpus.relations.push(Relation {
                        document,
                        label: link.label.clone().unwrap_or_else(|| uima::short(&layer.name).to_owned()),
                        arguments: vec![
                            ("source".into(), argument(source)),
                            ("target".into(), argument(target)),
                        ],
                    });
                }
                _ => {
                    let place = reading.at(link.line).of(id);
                    let found = "a relation from or to a row without a span";
                    reading.corpus.problems.add(Kind::Relation, place, found, "");
                }
            }
        }
    }
}

/// Units that a gap between sentences may have.
const MAX_GAP: i64 = 1 << 20;

/// A row's place.
struct Here<'a> {
    start: i64,
    end: i64,
    number: u64,
    sentence: usize,
    row: usize,
    /// Where its text is, if it is a part of a token.
    part: Option<(u64, u64)>,
    unit: &'a str,
}

/// Whether columns are a row's: `1-2` or `1-2.1`, and something for the offsets and the token.
fn is_row(columns: &[&str]) -> bool {
    let digits =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    columns.len() > 2 && columns[0].split_once('-').is_some_and(|(a, b)| digits(a) && digits(b))
}

/// Splits at a separator that no backslash stands before.
fn split(cell: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (at, c) in cell.char_indices() {
        if c == separator && !escaped {
            parts.push(&cell[start..at]);
            start = at + c.len_utf8();
        }
        escaped = c == '\\' && !escaped;
    }
    parts.push(&cell[start..]);
    parts
}

/// A value and its number in brackets, if it has one.
fn numbered(value: &str) -> (&str, Option<u64>) {
    let number = value.strip_suffix(']').and_then(|head| head.rsplit_once('['));
    match number {
        Some((head, number)) if !head.ends_with('\\') || head.ends_with("\\\\") => match number.parse() {
            Ok(number) => (head, Some(number)),
            Err(_) => (value, None),
        },
        _ => (value, None),
    }
}

/// A value without its escapes: `\_`, `\[`, `\]`, `\|`, `\;`, `\*`, `\->`, `\\`, `\t`, `\n`.
fn unescape_value(value: &str) -> String {
    unescape_by(value, |c| match c {
        '_' | '[' | ']' | '|' | ';' | '*' | '-' | '\\' => Some(c),
        't' => Some('\t'),
        'n' => Some('\n'),
        _ => None,
    })
}

/// A text without its escapes, from version 3.2 on.
fn unescape(text: &str) -> String {
    unescape_by(text, |c| match c {
        't' => Some('\t'),
        'n' => Some('\n'),
        'f' => Some('\u{C}'),
        'r' => Some('\r'),
        'b' => Some('\u{8}'),
        '\\' => Some('\\'),
        '\0'..='\u{7}' | '\u{E}'..='\u{1F}' => Some(c),
        _ => None,
    })
}

/// Puts a character for a backslash and the one behind it, where `known` has one.
fn unescape_by(text: &str, known: impl Fn(char) -> Option<char>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek().filter(|_| c == '\\').and_then(|&next| known(next)) {
            Some(plain) => {
                out.push(plain);
                chars.next();
            }
            None => out.push(c),
        }
    }
    out
}

/// A text without Java's escapes, up to version 3.1: also `\"`, `\'`, `\/` and UTF-16 units as `\uXXXX`.
fn unescape_java(text: &str) -> String {
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut rest = text;
    let mut buffer = [0; 2];
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let next = rest.chars().next().filter(|_| c == '\\');
        let plain = match next {
            Some('u') => {
                let digits = rest.trim_start_matches('u').get(..4);
                let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
                if let Some(unit) = unit {
                    units.push(unit);
                    rest = &rest.trim_start_matches('u')[4..];
                    continue;
                }
                None
            }
            Some('t') => Some('\t'),
            Some('n') => Some('\n'),
            Some('f') => Some('\u{C}'),
            Some('r') => Some('\r'),
            Some('b') => Some('\u{8}'),
            Some(next @ ('\\' | '"' | '\'' | '/')) => Some(next),
            _ => None,
        };
        if plain.is_some() {
            rest = &rest[1..];
        }
        units.extend_from_slice(plain.unwrap_or(c).encode_utf16(&mut buffer));
    }
    String::from_utf16_lossy(&units)
}

/// The text of a `#Text=` line, its line break included where the bytes have it.
fn text_of(bytes: &[u8]) -> Option<String> {
    Some(broken(bytes, unescape))
}

fn java_text_of(bytes: &[u8]) -> Option<String> {
    Some(broken(bytes, unescape_java))
}

fn broken(bytes: &[u8], unescape: fn(&str) -> String) -> String {
    let text = String::from_utf8_lossy(bytes);
    let line = text.trim_end_matches(['\n', '\r']);
    let mut out = unescape(line);
    if line.len() < text.len() {
        out.push('\n');
    }
    out
}
