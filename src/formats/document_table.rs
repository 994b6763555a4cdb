//! Tables of document-level labels: a column a label with 0 and 1 or scores, a label a row, a list of codes
//! in a cell, rows of codes after an id separated by bars (CAML), and files that hold predictions beside the
//! gold (mimic3-benchmarks). Codes are strings, however much they look like numbers. What the columns are is
//! decided by all rows, before any is read.

use super::table::rows::{Dialect, Row};
use super::table::{self, Documents, Sample, find, is_missing, key, names, number, truth};
use super::{Format, Reading, Role, conll, span_table};
use crate::corpus::problems::{Kind, Place, shorten};
use crate::corpus::text::tokens;
use crate::corpus::{Class, LabelId};
use crate::source::SourceError;
use std::collections::BTreeSet;

/// The format.
pub static FORMAT: Format =
    Format { extension: Some("psv"), ..Format::of("document-table", "Table of documents", sniff, read) };

const EXPECTED: &str = "an id and labels a row";
/// Whole numbers that differ more often than this are quantities, not classes.
const CLASSES: usize = 20;

/// Words in a column's name by which its numbers are quantities.
static QUANTITIES: &[&str] = &[
    "los",
    "days",
    "hours",
    "age",
    "score",
    "prob",
    "probability",
    "logit",
    "risk",
    "value",
    "count",
    "time",
    "rate",
];
/// Columns that say whether the label beside them applies.
static PRESENCE: &[&str] = &["present", "value", "ytrue", "truth", "gold", "assigned"];

fn sniff(head: &str) -> Option<(u8, String)> {
    if is_bars(head) {
        return Some((80, Shape::Bars.words(false).into()));
    }
    let sample = Sample::of(head)?;
    if span_table::holds_spans(&sample) {
        return None;
    }
    if sample.header.is_none()
        && ((conll::FORMAT.sniff)(head).is_some() || head.trim().lines().any(|l| l.trim().is_empty()))
    {
        return None;
    }
    let mut columns = vec![Column::default(); sample.dialect.columns];
    for row in sample.body() {
        for (column, cell) in columns.iter_mut().zip(row) {
            column.add(cell, sample.comma());
        }
    }
    let (layout, sure) = Layout::of(sample.header.as_deref(), &columns, Role::Prediction)?;
    // Notes have commas too: where no name says that it is a table, every row must look like one.
    let ids = columns.get(layout.id);
    let regular = sample.even == 100
        && sample.body().len() > 1
        && ids.is_some_and(|ids| ids.spaces == 0 && ids.filled == sample.body().len() as u64);
    let named = sample.keys().iter().any(|key| names::IDS.contains(&key.as_str()));
    if !(regular || named && sample.even >= 50 || sample.header.is_none() && sample.even == 100) {
        return None;
    }
    Some((sure, layout.shape.words(layout.both).into()))
}

/// Rows such as `100|401.9|038.9`, `100|` and `100`: no white space, an id first.
fn is_bars(head: &str) -> bool {
    let mut lines: Vec<&str> = head.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if head.len() > 60_000 {
        lines.pop();
    }
    let fits = |line: &str| {
        !line.starts_with('|') && !line.contains(|c: char| c.is_whitespace() || ",;\"".contains(c))
    };
    let barred = lines.iter().filter(|line| line.contains('|')).count();
    let has_code =
        |line: &str| line.split('|').skip(1).any(|cell| cell.bytes().any(|byte| byte.is_ascii_digit()));
    let known = |cell: &str| {
        let lists = [names::IDS, names::CODES, names::CLASSES];
        lists.iter().any(|list| list.contains(&key(cell).as_str()))
    };
    barred * 2 >= lines.len()
        && lines.iter().all(|line| fits(line))
        && lines.iter().any(|line| has_code(line))
        && !lines.first().is_some_and(|line| line.split('|').any(known))
}

/// What the cells of a column are.
#[derive(Debug, Clone, Default)]
struct Column {
    filled: u64,
    missing: u64,
    truths: u64,
    whole: u64,
    numbers: u64,
    /// Cells with white space, `;`, `; `, `|`, `,` and a bracket at the start.
    spaces: u64,
    semicolons: u64,
    loose: u64,
    bars: u64,
    commas: u64,
    brackets: u64,
    /// Cells whose parts all look like codes.
    codes: u64,
    longest: usize,
    /// Different cells, no more than are asked for.
    kinds: BTreeSet<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Empty,
    Truth,
    Whole,
    Number,
    Words,
}

impl Column {
    fn add(&mut self, cell: &str, comma: bool) {
        if cell.is_empty() {
            return;
        }
        self.filled += 1;
        if is_missing(cell) {
            self.missing += 1;
            return;
        }
        self.truths += u64::from(truth(cell).is_some());
        self.whole += u64::from(cell.parse::<i64>().is_ok());
        self.numbers += u64::from(number(cell, comma).is_some());
        self.spaces += u64::from(cell.contains(char::is_whitespace));
        self.semicolons += u64::from(cell.contains(';'));
        self.loose += u64::from(cell.contains("; "));
        self.bars += u64::from(cell.contains('|'));
        self.commas += u64::from(cell.contains(','));
        self.brackets += u64::from(cell.starts_with('['));
        let code = |part: &str| {
            part.len() <= 20 && (part.is_empty() || part.bytes().any(|byte| byte.is_ascii_digit()))
        };
        self.codes += u64::from(cell.split(|c: char| ";|,".contains(c) || c.is_whitespace()).all(code));
        self.longest = self.longest.max(cell.len());
        if self.kinds.len() <= CLASSES && !self.kinds.contains(cell) {
            self.kinds.insert(cell.to_owned());
        }
    }

    fn what(&self) -> What {
        let real = self.filled - self.missing;
        if real == 0 {
            if self.missing > 0 { What::Number } else { What::Empty }
        } else if self.truths == real {
            What::Truth
        } else if self.whole == real {
            What::Whole
        } else if self.numbers * 20 >= real * 19 {
            What::Number
        } else {
            What::Words
        }
    }

    fn is_numeric(&self) -> bool {
        matches!(self.what(), What::Truth | What::Whole | What::Number)
    }

    /// How a cell is a list; `list` says that the column's name is one of lists.
    fn split(&self, list: bool) -> Split {
        let all_codes = self.codes * 10 >= self.filled * 9;
        if self.brackets > 0 && self.brackets + self.missing == self.filled {
            Split::Brackets
        } else if self.semicolons > 0 && (list || self.loose == 0) {
            Split::At(';')
        } else if self.bars > 0 {
            Split::At('|')
        } else if self.commas > 0 && (list || all_codes) && self.what() == What::Words {
            Split::At(',')
        } else if self.spaces > 0 && list && all_codes {
            Split::Spaces
        } else {
            Split::No
        }
    }
}

/// How one cell holds several labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Split {
    No,
    At(char),
    Spaces,
    Brackets,
}

/// Where labels are.
#[derive(Debug)]
enum Shape {
    /// Codes behind the id, separated by bars.
    Bars,
    /// In a column of labels.
    Labels { label: usize, score: Option<usize>, present: Option<usize>, split: Split },
    /// A column a label, with the names to give them; truth values or scores.
    Matrix { columns: Vec<(usize, String)>, truth: bool },
}

impl Shape {
    fn words(&self, both: bool) -> &'static str {
        match (self, both) {
            (Shape::Bars, _) => "document-level labels: an id and codes separated by bars",
            (_, true) => "document-level labels: predictions beside the gold",
            (Shape::Labels { split: Split::No, score: None, .. }, _) => "document-level labels: one a row",
            (Shape::Labels { split: Split::No, .. }, _) => "document-level labels: one a row, with its score",
            (Shape::Labels { .. }, _) => "document-level labels: a list a row",
            (Shape::Matrix { truth: true, .. }, _) => {
                "document-level labels: a column each, with truth values"
            }
            (Shape::Matrix { .. }, _) => "document-level labels: a column each, with scores",
        }
    }
}

/// What the columns mean.
struct Layout {
    id: usize,
    /// The second part of the id: an hour of a stay.
    period: Option<usize>,
    text: Option<usize>,
    shape: Shape,
    both: bool,
}

impl Layout {
    /// What the columns mean to one side, and how surely; none where the table holds no labels.
    fn of(header: Option<&[String]>, columns: &[Column], role: Role) -> Option<(Self, u8)> {
        match header {
            Some(header) => Layout::with_header(header, columns, role),
            None => Layout::without_header(columns),
        }
    }

    fn without_header(columns: &[Column]) -> Option<(Self, u8)> {
        let (ids, labels) = (columns.first()?, columns.get(1)?);
        let codes = labels.codes * 10 >= labels.filled * 8 && labels.filled > 0;
        let score = columns.get(2).filter(|_| columns.len() == 3);
        if columns.len() > 3 || ids.spaces > 0 || !codes || score.is_some_and(|score| !score.is_numeric()) {
            return None;
        }
        // Whole numbers there are ranks.
        let score = score.filter(|score| score.what() == What::Number).map(|_| 2);
        let shape = Shape::Labels { label: 1, score, present: None, split: labels.split(false) };
        Some((Layout { id: 0, period: None, text: None, shape, both: false }, 60))
    }

    fn with_header(header: &[String], columns: &[Column], role: Role) -> Option<(Self, u8)> {
        let mut keys: Vec<String> = header.iter().map(|name| key(name)).collect();
        keys.resize(columns.len(), String::new());
        let known = find(&keys, names::IDS, &[]);
        let id = known.unwrap_or(0);
        let period = find(&keys, &["periodlength"], &[known]);
        let text = find(&keys, names::TEXTS, &[known]).filter(|&at| columns[at].what() == What::Words);
        let free = |at: &usize| {
            ![Some(id), period, text].contains(&Some(*at))
                && !keys[*at].is_empty()
                && !keys[*at].starts_with("unnamed")
        };
        let values: Vec<usize> = (0..columns.len()).filter(free).collect();
        let both = both_sides(header, &keys, columns, &values, role);
        let is_both = both.is_some();
        let shape = both.or_else(|| one_side(header, &keys, columns, &values))?;
        let named = match &shape {
            Shape::Labels { label, .. } => {
                names::CODES.contains(&keys[*label].as_str())
                    || names::CLASSES.contains(&keys[*label].as_str())
            }
            _ => true,
        };
        let sure = match (known, named) {
            (Some(_), true) => 85,
            (Some(_), false) => 70,
            (None, true) => 60,
            (None, false) => return None,
        };
        Some((Layout { id, period, text, shape, both: is_both }, sure))
    }

    /// The columns that are read.
    fn used(&self, header: &[String]) -> Vec<usize> {
        let mut used: Vec<usize> = [Some(self.id), self.period, self.text].into_iter().flatten().collect();
        match &self.shape {
            Shape::Bars => {}
            Shape::Labels { label, score, present, .. } => {
                used.extend([Some(*label), *score, *present].into_iter().flatten());
            }
            Shape::Matrix { columns, .. } => used.extend(columns.iter().map(|(at, _)| *at)),
        }
        if self.both {
            // The other side's columns are not lost.
            return (0..header.len()).collect();
        }
        used
    }
}

/// Columns of gold beside columns of predictions: the ones of this side, under names that both sides share.
fn both_sides(
    header: &[String],
    keys: &[String],
    columns: &[Column],
    values: &[usize],
    role: Role,
) -> Option<Shape> {
    let part = |at: usize, prefixes: &[&str]| {
        let name = header.get(at)?.to_lowercase();
        prefixes.iter().find_map(|prefix| name.strip_prefix(prefix).map(str::to_owned))
    };
    let gold = |at: usize| part(at, &["label_", "true_", "y_true_", "gold_"]);
    let pred = |at: usize| part(at, &["pred_", "prediction_", "y_pred_", "prob_"]);
    let golds: Vec<(usize, String)> = values.iter().filter_map(|&at| Some((at, gold(at)?))).collect();
    let preds: Vec<(usize, String)> = values.iter().filter_map(|&at| Some((at, pred(at)?))).collect();
    let shared = |list: &[(usize, String)], other: &[(usize, String)]| -> Vec<(usize, String)> {
        list.iter().filter(|(_, name)| other.iter().any(|(_, same)| same == name)).cloned().collect()
    };
    let own = match role {
        Role::Gold => shared(&golds, &preds),
        Role::Prediction => shared(&preds, &golds),
    };
    if !own.is_empty() {
        return Some(matrix(own, columns));
    }
    let only =
        |names: &[&str], taken: &[Option<usize>]| find(keys, names, taken).filter(|at| values.contains(at));
    let pred = only(names::PREDICTIONS, &[])?;
    let gold = only(names::TRUTHS, &[Some(pred)])?;
    let at = match role {
        Role::Gold => gold,
        Role::Prediction => pred,
    };
    let (truths, found) = (columns[gold].what(), columns[pred].what());
    let words = truths == What::Words || truths == What::Whole && found == What::Whole;
    if words {
        let class = &["ypred", "prediction", "pred", "predicted", "predictedlabel"];
        let pred = only(class, &[Some(gold)]).unwrap_or(pred);
        let (label, score) = match role {
            Role::Gold => (gold, None),
            Role::Prediction => (pred, only(names::SCORES, &[Some(pred)])),
        };
        return Some(Shape::Labels { label, score, present: None, split: columns[label].split(false) });
    }
    Some(matrix(vec![(at, header.get(gold)?.clone())], columns))
}

fn matrix(list: Vec<(usize, String)>, columns: &[Column]) -> Shape {
    let truth = list.iter().all(|(at, _)| matches!(columns[*at].what(), What::Truth | What::Empty));
    Shape::Matrix { columns: list, truth }
}

/// What the value columns of a table are that holds one side.
fn one_side(header: &[String], keys: &[String], columns: &[Column], values: &[usize]) -> Option<Shape> {
    let what = |at: usize| columns[at].what();
    let only =
        |names: &[&str], taken: &[Option<usize>]| find(keys, names, taken).filter(|at| values.contains(at));
    let numeric: Vec<usize> = values.iter().copied().filter(|&at| columns[at].is_numeric()).collect();
    let named = |list: Vec<usize>| {
        let list: Vec<(usize, String)> =
            list.into_iter().filter_map(|at| Some((at, header.get(at)?.clone()))).collect();
        matrix(list, columns)
    };
    let codes = only(names::CODES, &[]);
    let class = only(names::CLASSES, &[]);
    let words = values.iter().copied().find(|&at| what(at) == What::Words && columns[at].longest <= 120);
    let mut label = codes.or(class);
    // Some numbers are enough under such a name: what is none is listed.
    let score =
        only(names::SCORES, &[label]).filter(|&at| columns[at].numbers > 0 || what(at) == What::Empty);
    if codes.is_none() && score.is_none() {
        // Truth values and scores under the name of a class are a matrix of one column.
        label = label.filter(|&at| matches!(what(at), What::Words | What::Whole));
    }
    if label.is_none() && (numeric.len() < 2 || score.is_some()) {
        label = words;
    }
    if label.is_none()
        && let [only] = numeric[..]
    {
        let quantity = header.get(only).is_some_and(|name| {
            let name = name.to_lowercase();
            name.split(|c: char| !c.is_alphanumeric()).any(|word| QUANTITIES.contains(&word))
        });
        let classes = what(only) == What::Whole && columns[only].kinds.len() <= CLASSES;
        label = Some(only).filter(|_| classes && !quantity);
    }
    match label {
        Some(label) => {
            let present = only(PRESENCE, &[Some(label), score]).filter(|&at| what(at) == What::Truth);
            let list = names::CODES.contains(&keys[label].as_str());
            let split = columns[label].split(list);
            Some(Shape::Labels { label, score: score.filter(|&at| at != label), present, split })
        }
        None => {
            // Columns without a value go with the others.
            let all: Vec<usize> = values
                .iter()
                .copied()
                .filter(|&at| columns[at].is_numeric() || what(at) == What::Empty)
                .collect();
            (!all.is_empty()).then(|| named(all))
        }
    }
}

fn read(mut reading: Reading<'_>) -> Result<(), SourceError> {
    let head = table::head(&reading)?;
    let bars = is_bars(&head);
    let sample = if bars { None } else { Sample::of(&head) };
    let (dialect, comma) = match &sample {
        Some(sample) => (sample.dialect, sample.comma()),
        None => (Dialect { delimiter: b'|', quotes: false, columns: 0, absorbs: None }, false),
    };
    let header = sample.and_then(|sample| sample.header);
    let layout = if bars {
        Some(Layout { id: 0, period: None, text: None, shape: Shape::Bars, both: false })
    } else if dialect.columns == 0 {
        None
    } else {
        let mut columns = vec![Column::default(); dialect.columns];
        let mut skip = header.is_some();
        table::each_row(&mut reading, dialect, false, &mut |_, row| {
            if !std::mem::take(&mut skip) {
                for (at, column) in columns.iter_mut().enumerate() {
                    column.add(&row.value(at), comma);
                }
            }
        })?;
        Layout::of(header.as_deref(), &columns, reading.role).map(|(layout, _)| layout)
    };
    let Some(layout) = layout else {
        table::no_table(&mut reading, EXPECTED);
        return Ok(());
    };
    let file = &mut reading.corpus.files[reading.file as usize];
    file.both_sides = layout.both;
    let words = layout.shape.words(layout.both);
    if !file.reason.starts_with(words) {
        file.reason = format!("{}; {words}", file.reason.split(" (").next().unwrap_or(""));
    }
    if let Some(header) = &header {
        table::list_unread(&mut reading, header, &layout.used(header));
    }
    let labels = match &layout.shape {
        Shape::Matrix { columns, .. } => {
            columns.iter().map(|(_, name)| reading.corpus.labels.intern(name)).collect()
        }
        _ => Vec::new(),
    };
    let mut table = Table { layout, comma, labels, documents: Documents::default() };
    table::each_data_row(&mut reading, dialect, header.is_some(), &mut |reading, row| {
        table.row(reading, row);
    })?;
    table.documents.flush(&mut reading);
    Ok(())
}

struct Table {
    layout: Layout,
    comma: bool,
    /// Labels of a matrix, column by column.
    labels: Vec<LabelId>,
    documents: Documents,
}

impl Table {
    fn row(&mut self, reading: &mut Reading<'_>, row: &Row<'_>) {
        let mut id = row.value(self.layout.id).into_owned();
        if id.is_empty() {
            reading.corpus.problems.add(
                Kind::BadRecord,
                reading.at(row.line),
                "a row without an id",
                EXPECTED,
            );
            return;
        }
        if let Some(period) = self.layout.period {
            let cell = row.value(period);
            // `5.0` in one file is `5` in another.
            let hour = cell.strip_suffix(".0").unwrap_or(&cell);
            id = format!("{id} {hour}");
        }
        let place = table::place(reading, row.line, Some(&id));
        let (document, new) = self.documents.of(&id, row.line);
        if let Some(at) = self.layout.text
            && !document.set_text(row.piece(reading.file, at), &row.cell(at))
        {
            let found = "an id again, with another text";
            reading.corpus.problems.add(Kind::DocumentConflict, place, found, "one text a document");
            return;
        }
        let again = match &self.layout.shape {
            Shape::Labels { split, .. } => *split != Split::No,
            _ => true,
        };
        if again && !new {
            let found = "an id again";
            reading.corpus.problems.add(Kind::DocumentJoined, place.clone(), found, "one row a document");
        }
        let classes = document.classes.get_or_insert_default();
        match &self.layout.shape {
            Shape::Bars => {
                for at in 1..row.len() {
                    let code = row.value(at);
                    if !code.is_empty() {
                        let label = reading.corpus.labels.intern(&code);
                        classes.push(Class { label, score: None });
                    }
                }
            }
            Shape::Matrix { columns, truth } => {
                for ((at, _), &label) in columns.iter().zip(&self.labels) {
                    let cell = row.value(*at);
                    if *truth {
                        truth_value(reading, &cell, label, &place, classes);
                    } else {
                        let score = score(reading, &cell, self.comma, label, &place);
                        classes.push(Class { label, score });
                    }
                }
            }
            Shape::Labels { label, score: scores, present, split } => {
                if present.is_some_and(|at| table::truth(&row.value(at)) == Some(false)) {
                    return;
                }
                let cell = row.value(*label);
                for code in parts(&cell, *split, reading, &place) {
                    let label = reading.corpus.labels.intern(&code);
                    let score =
                        scores.and_then(|at| score(reading, &row.value(at), self.comma, label, &place));
                    classes.push(Class { label, score });
                }
            }
        }
    }
}

/// The labels of one cell, in order.
fn parts(cell: &str, split: Split, reading: &mut Reading<'_>, place: &Place) -> Vec<String> {
    let own = |part: &str| {
        let part = part.trim();
        (!part.is_empty() && !part.eq_ignore_ascii_case("nan")).then(|| part.to_owned())
    };
    match split {
        Split::No => own(cell).into_iter().collect(),
        Split::At(separator) => cell.split(separator).filter_map(own).collect(),
        Split::Spaces => cell.split_whitespace().filter_map(own).collect(),
        Split::Brackets => {
            if cell.is_empty() || is_missing(cell) {
                return Vec::new();
            }
            // Without quotes the codes are taken as they are written: `250.00` is no number.
            if !cell.contains(['"', '\'']) {
                let inner = cell.trim_start_matches('[').trim_end_matches(']');
                return inner.split(',').filter_map(own).collect();
            }
            let list = tokens(cell.as_bytes()).ok();
            let list = list.or_else(|| tokens(table::literal(cell)?.as_bytes()).ok());
            let Some(list) = list else {
                let found = "a cell that is no list of labels";
                reading.corpus.problems.add(Kind::BadRecord, place.clone(), found, "[\"label\", …]");
                return Vec::new();
            };
            list.iter().filter_map(|code| own(code)).collect()
        }
    }
}

/// Keeps a label that a truth table says is present.
fn truth_value(
    reading: &mut Reading<'_>,
    cell: &str,
    label: LabelId,
    place: &Place,
    classes: &mut Vec<Class>,
) {
    match truth(cell) {
        Some(true) => classes.push(Class { label, score: None }),
        Some(false) => {}
        None => {
            let found = format!("no value for {}", shorten(reading.corpus.labels.name(label)));
            reading.corpus.problems.add(Kind::EmptyValue, place.clone(), found, "0 or 1");
        }
    }
}

/// A finite score; what is none is listed.
fn score(reading: &mut Reading<'_>, cell: &str, comma: bool, label: LabelId, place: &Place) -> Option<f64> {
    let what = match number(cell, comma) {
        Some(score) if score.is_finite() => return Some(score),
        Some(score) if score.is_nan() => "NaN",
        Some(_) => "an infinite number",
        None if cell.is_empty() => "an empty cell",
        None => "a cell that is no number",
    };
    let found = format!("{what} for {}", shorten(reading.corpus.labels.name(label)));
    reading.corpus.problems.add(Kind::UnusableScore, place.clone(), found, "a finite number");
    None
}
