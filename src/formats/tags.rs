//! Tokens with tags → spans. Tags are read as conlleval and seqeval read them by default: a tag that cannot go
//! on with the span before it opens one (a leading I-), a change of label splits. That does not depend on the
//! scheme, so a span is decoded at once; the scheme is inferred from all tags of a file, and then says which
//! spans a strict reader of it (seqeval's `mode="strict"`) would drop.

use crate::corpus::problems::Kind;
use crate::corpus::{Corpus, Detail, Tagging};
use std::collections::BTreeSet;

/// The label of a tag that names none, as seqeval has it.
pub const UNTYPED: &str = "_";

/// What a tag says of its token. L is E, U and W are S, M is I.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mark {
    /// Outside.
    #[default]
    O,
    /// Begins a span.
    B,
    /// Inside.
    I,
    /// Ends a span.
    E,
    /// A span of one token.
    S,
}

/// One tag, taken apart.
#[derive(Debug, Clone, Copy)]
struct Tag<'t> {
    mark: Mark,
    /// The letter as written; `O` where outside.
    letter: u8,
    label: &'t str,
    suffix: bool,
}

const OUTSIDE: Tag<'static> = Tag { mark: Mark::O, letter: b'O', label: "", suffix: false };

fn mark(letter: &str) -> Option<(Mark, u8)> {
    let mark = match letter {
        "B" => Mark::B,
        "I" | "M" => Mark::I,
        "E" | "L" => Mark::E,
        "S" | "U" | "W" => Mark::S,
        _ => return None,
    };
    Some((mark, letter.as_bytes()[0]))
}

/// Takes a tag apart: `B-drug`, `drug-B`, `B`. None when it has none of these shapes.
fn parse(tag: &str) -> Option<Tag<'_>> {
    if matches!(tag, "O" | "") {
        return Some(OUTSIDE);
    }
    if let Some((mark, letter)) = mark(tag) {
        return Some(Tag { mark, letter, label: UNTYPED, suffix: false });
    }
    let (first, rest) = tag.split_once('-')?;
    if let Some((mark, letter)) = mark(first).filter(|_| !rest.is_empty()) {
        return Some(Tag { mark, letter, label: rest, suffix: false });
    }
    let (rest, last) = tag.rsplit_once('-')?;
    let (mark, letter) = mark(last).filter(|_| !rest.is_empty())?;
    Some(Tag { mark, letter, label: rest, suffix: true })
}

/// The label of a tag; none when it is outside or of no known shape.
pub fn label(tag: &str) -> Option<&str> {
    parse(tag).filter(|tag| tag.mark != Mark::O).map(|tag| tag.label)
}

/// Whether this is a tag of a known shape.
pub fn is_tag(tag: &str) -> bool {
    !tag.is_empty() && parse(tag).is_some()
}

/// What of a span's tags tells whether they are well formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// The tag before it, and whether that has its label.
    before: (Mark, bool),
    first: Mark,
    last: Mark,
    single: bool,
    /// The tag after it, likewise.
    after: (Mark, bool),
}

/// A span over tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk<'t> {
    /// First token.
    pub start: usize,
    /// One past the last token.
    pub end: usize,
    /// Its label.
    pub label: &'t str,
    /// How it is tagged.
    pub shape: Shape,
}

/// Decodes the tags of one sentence, and how many of them are of no known shape (read as `O`).
pub fn decode<'t>(tags: &[&'t str], seen: &mut Inventory) -> (Vec<Chunk<'t>>, u64) {
    let mut unknown = 0;
    let parsed: Vec<Tag<'t>> = tags
        .iter()
        .map(|tag| {
            parse(tag).unwrap_or_else(|| {
                unknown += 1;
                OUTSIDE
            })
        })
        .collect();
    let mut chunks: Vec<Chunk<'t>> = Vec::new();
    // Whether the last span may go on.
    let mut open = false;
    let beside = |at: Option<usize>, label: &str| {
        let tag = at.and_then(|at| parsed.get(at)).unwrap_or(&OUTSIDE);
        (tag.mark, tag.mark != Mark::O && tag.label == label)
    };
    for (at, tag) in parsed.iter().enumerate() {
        seen.tag(tag);
        if tag.mark == Mark::O {
            open = false;
            continue;
        }
        match chunks.last_mut() {
            Some(last) if open && matches!(tag.mark, Mark::I | Mark::E) && last.label == tag.label => {
                last.end = at + 1;
                last.shape.last = tag.mark;
                last.shape.single = false;
            }
            _ => {
                let before = beside(at.checked_sub(1), tag.label);
                let (first, last, after) = (tag.mark, tag.mark, (Mark::O, false));
                let shape = Shape { before, first, last, single: true, after };
                chunks.push(Chunk { start: at, end: at + 1, label: tag.label, shape });
            }
        }
        open = matches!(tag.mark, Mark::B | Mark::I);
    }
    for chunk in &mut chunks {
        chunk.shape.after = beside(Some(chunk.end), chunk.label);
        seen.chunk(chunk);
    }
    (chunks, unknown)
}

macro_rules! schemes {
    ($($(#[$doc:meta])* $variant:ident, $name:literal, $expected:literal;)*) => {
        /// How tags mark spans.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Scheme { $($(#[$doc])* $variant,)* }

        impl Scheme {
            /// Its name, with what is particular about the tags of a file.
            pub fn name(self, form: Form) -> &'static str {
                match self {
                    $(Scheme::$variant => match form {
                        Form::Prefix => $name,
                        Form::Suffix => concat!($name, ", label first"),
                        Form::Untyped => concat!($name, ", without labels"),
                    },)*
                }
            }

            /// The scheme and form of a name.
            pub fn of(name: &str) -> Option<(Scheme, Form)> {
                let all = [$(Scheme::$variant,)*];
                all.into_iter()
                    .flat_map(|scheme| Form::ALL.map(|form| (scheme, form)))
                    .find(|(scheme, form)| scheme.name(*form) == name)
            }

            /// What well-formed tags look like.
            pub fn expected(self) -> &'static str {
                match self { $(Scheme::$variant => $expected,)* }
            }
        }
    };
}

schemes! {
    /// I goes on or opens; B only between spans of one label that touch.
    Iob1, "IOB1", "IOB1: I- opens; B- only right behind an entity of the same label";
    /// B opens.
    Iob2, "IOB2", "IOB2: B- opens an entity, I- goes on with it";
    /// I goes on or ends; E only between spans of one label that touch.
    Ioe1, "IOE1", "IOE1: E- only right before an entity of the same label";
    /// E ends.
    Ioe2, "IOE2", "IOE2: E- ends an entity";
    /// B opens, E ends, S is alone.
    Iobes, "IOBES", "IOBES: B- … E-, or S- for one token";
    /// B opens, L ends, U is alone.
    Bilou, "BILOU", "BILOU: B- … L-, or U- for one token";
    /// B opens, M goes on, E ends, W is alone.
    Bmewo, "BMEWO", "BMEWO: B- … E-, or W- for one token";
    /// I alone.
    Io, "IO", "IO: I-";
    /// No entity at all.
    Outside, "O", "O";
}

/// How tags are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `B-drug`.
    Prefix,
    /// `drug-B`.
    Suffix,
    /// `B`.
    Untyped,
}

impl Form {
    const ALL: [Form; 3] = [Form::Prefix, Form::Suffix, Form::Untyped];
}

impl Scheme {
    /// Whether a strict reader keeps such a span. As seqeval 1.2.2: under IOB1 a lone B before a B of another
    /// label does not end, and under IOE1 an E ends only before the same label.
    pub fn accepts(self, shape: &Shape) -> bool {
        let Shape { before, first, last, single, after } = *shape;
        match self {
            Scheme::Iob1 => {
                let starts = first == Mark::I || first == Mark::B && before.1;
                let ends = last == Mark::I || after.0 != Mark::B || after.1;
                starts && ends
            }
            Scheme::Iob2 => first == Mark::B,
            Scheme::Ioe1 => {
                let starts = first == Mark::I || first == Mark::E && before == (Mark::E, true);
                starts && (last == Mark::I || after.1)
            }
            Scheme::Ioe2 => last == Mark::E,
            Scheme::Iobes | Scheme::Bilou | Scheme::Bmewo => {
                if single {
                    first == Mark::S
                } else {
                    first == Mark::B && last == Mark::E
                }
            }
            Scheme::Io | Scheme::Outside => true,
        }
    }
}

/// What the tags of a file showed.
#[derive(Debug, Clone, Default)]
pub struct Inventory {
    letters: u32,
    typed: bool,
    untyped: bool,
    suffix: bool,
    /// A span begins with I.
    i_opens: bool,
    /// A span begins with B and not right behind one of its label.
    b_apart: bool,
    /// A span ends in I.
    i_ends: bool,
    /// A span ends in E and not right before one of its label.
    e_apart: bool,
    labels: BTreeSet<Box<str>>,
}

impl Inventory {
    fn tag(&mut self, tag: &Tag<'_>) {
        if tag.mark == Mark::O {
            return;
        }
        self.letters |= 1 << (tag.letter - b'A');
        self.suffix |= tag.suffix;
        if tag.label == UNTYPED {
            self.untyped = true;
        } else {
            self.typed = true;
        }
    }

    fn chunk(&mut self, chunk: &Chunk<'_>) {
        let Shape { before, first, last, after, .. } = chunk.shape;
        self.i_opens |= first == Mark::I;
        self.b_apart |= first == Mark::B && !before.1;
        self.i_ends |= last == Mark::I;
        self.e_apart |= last == Mark::E && !after.1;
        if !self.labels.contains(chunk.label) {
            self.labels.insert(chunk.label.into());
        }
    }

    fn has(&self, letters: &[u8]) -> bool {
        letters.iter().any(|letter| self.letters & (1 << (letter - b'A')) != 0)
    }

    /// The scheme that these tags speak for.
    pub fn scheme(&self) -> Scheme {
        match () {
            () if self.letters == 0 => Scheme::Outside,
            () if self.has(b"MW") => Scheme::Bmewo,
            () if self.has(b"LU") => Scheme::Bilou,
            () if self.has(b"E") && !self.has(b"BS") => {
                if self.i_ends && !self.e_apart {
                    Scheme::Ioe1
                } else {
                    Scheme::Ioe2
                }
            }
            () if self.has(b"ES") => Scheme::Iobes,
            () if !self.has(b"B") => Scheme::Io,
            () if self.i_opens && !self.b_apart => Scheme::Iob1,
            () => Scheme::Iob2,
        }
    }

    /// How the tags are put together.
    pub fn form(&self) -> Form {
        match self {
            _ if self.suffix => Form::Suffix,
            _ if self.untyped && !self.typed => Form::Untyped,
            _ => Form::Prefix,
        }
    }

    /// Whether a tag, the last of a file that ends without a line break, looks like a part of a longer one:
    /// its label is none of the file's and begins one of them, or it has none where all others have.
    pub fn looks_cut(&self, tag: &str) -> bool {
        let Some(label) = label(tag) else { return false };
        if label == UNTYPED {
            return self.typed && !self.untyped;
        }
        !self.labels.contains(label) && self.labels.iter().any(|other| other.starts_with(label))
    }
}

/// The spans of one file's tags, while it is read.
#[derive(Default)]
pub struct Tagged {
    /// What its tags showed so far.
    pub seen: Inventory,
    /// Per span: its index in the corpus, its shape, its line.
    spans: Vec<(u32, Shape, u64)>,
}

impl Tagged {
    /// Adds the spans of a sentence to the current document: `places` are the tokens' places in its text,
    /// `line` gives a token's line, `score` the confidence of a range of tokens. Returns how many tags are of
    /// no known shape.
    pub fn sentence(
        &mut self,
        corpus: &mut Corpus,
        tags: &[&str],
        places: &[(i64, i64)],
        line: impl Fn(usize) -> u64,
        score: impl Fn(usize, usize) -> Option<f64>,
    ) -> u64 {
        let (chunks, unknown) = decode(tags, &mut self.seen);
        for chunk in chunks {
            let (Some(&(start, _)), Some(&(_, end))) = (places.get(chunk.start), places.get(chunk.end - 1))
            else {
                continue;
            };
            let label = corpus.labels.intern(chunk.label);
            self.spans.push((corpus.spans.len() as u32, chunk.shape, line(chunk.start)));
            let score = score(chunk.start, chunk.end);
            corpus.push(start, end, label, Detail { score, ..Detail::default() });
        }
        unknown
    }

    /// Infers the scheme, marks spans that are not well formed, and notes both on the file.
    pub fn finish(self, corpus: &mut Corpus, file: u32) {
        let scheme = self.seen.scheme();
        let mut ill_formed = 0;
        for (span, shape, line) in self.spans {
            let ill = !scheme.accepts(&shape);
            // Under IOB2 these would be ill formed; gold may say that this is what was meant.
            let opens = matches!(scheme, Scheme::Io | Scheme::Iob1) && shape.first == Mark::I;
            if ill || opens {
                let detail = corpus.detail_mut(span as usize);
                detail.line = line;
                detail.ill_formed = ill;
                ill_formed += u64::from(ill);
            }
        }
        let name = scheme.name(self.seen.form());
        corpus.files[file as usize].tagging = Some(Tagging { scheme: name, ill_formed });
    }
}

/// Reads the tags of predictions as gold's scheme where their own leave it open: where gold is IOB2, an I that
/// opens is a fault, not the scheme IO or IOB1.
pub fn follow(gold: &Corpus, pred: &mut Corpus) {
    let scheme = |tagging: &Tagging| Scheme::of(tagging.scheme);
    let mut golds = gold.files.iter().filter_map(|file| scheme(file.tagging.as_ref()?));
    let iob2 = golds.next().is_some_and(|first| first.0 == Scheme::Iob2)
        && golds.all(|other| matches!(other.0, Scheme::Iob2 | Scheme::Outside));
    if !iob2 {
        return;
    }
    let mut changed = vec![false; pred.files.len()];
    for (file, changed) in pred.files.iter_mut().zip(&mut changed) {
        if let Some(tagging) = &mut file.tagging
            && let Some((Scheme::Io | Scheme::Iob1, form)) = Scheme::of(tagging.scheme)
        {
            tagging.scheme = Scheme::Iob2.name(form);
            *changed = true;
        }
    }
    for at in 0..pred.documents.len() {
        if !changed[pred.documents[at].file as usize] {
            continue;
        }
        for span in pred.documents[at].spans.clone() {
            // Those with a line are the ones that an I opens.
            if pred.detail(&pred.spans[span as usize]).is_some_and(|detail| detail.line > 0) {
                pred.detail_mut(span as usize).ill_formed = true;
            }
        }
    }
}

/// Lists entities whose tags are not well formed, and counts them on their files.
pub fn list_ill_formed(corpus: &mut Corpus) {
    let mut counts = vec![0; corpus.files.len()];
    let mut problems = std::mem::take(&mut corpus.problems);
    for document in &corpus.documents {
        let file = document.file as usize;
        let Some(tagging) = &corpus.files[file].tagging else { continue };
        let expected = Scheme::of(tagging.scheme).map_or("", |(scheme, _)| scheme.expected());
        for span in corpus.spans_of(document) {
            let Some(detail) = corpus.detail(span).filter(|detail| detail.ill_formed) else { continue };
            counts[file] += 1;
            let place = document.place(detail.line);
            let found = "an entity whose tags are not well formed";
            problems.add(Kind::IllFormedTags, place, found, expected);
        }
    }
    corpus.problems = problems;
    for (file, count) in corpus.files.iter_mut().zip(counts) {
        if let Some(tagging) = &mut file.tagging {
            tagging.ill_formed = count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Shown = (usize, usize, String, bool);

    /// Chunks as (start, end, label, well formed), the scheme, and tags of no known shape.
    fn read(tags: &str) -> (Vec<Shown>, &'static str, u64) {
        let tags: Vec<&str> = tags.split(' ').collect();
        let mut seen = Inventory::default();
        let (chunks, unknown) = decode(&tags, &mut seen);
        let scheme = seen.scheme();
        let shown = |c: Chunk<'_>| (c.start, c.end, c.label.to_owned(), scheme.accepts(&c.shape));
        (chunks.into_iter().map(shown).collect(), scheme.name(seen.form()), unknown)
    }

    #[test]
    fn schemes_are_inferred_from_the_inventory() {
        let scheme = |tags: &str| read(tags).1;
        assert_eq!(scheme("O O"), "O");
        assert_eq!(scheme("B-x I-x O B-x"), "IOB2");
        assert_eq!(scheme("I-x I-x B-x O I-y"), "IOB1");
        assert_eq!(scheme("I-x I-y O"), "IO");
        assert_eq!(scheme("B-x E-x S-y"), "IOBES");
        assert_eq!(scheme("B-x I-x L-x U-y"), "BILOU");
        assert_eq!(scheme("B-x M-x E-x W-y"), "BMEWO");
        assert_eq!(scheme("I-x E-x O E-y"), "IOE2");
        assert_eq!(scheme("I-x E-x I-x O I-y"), "IOE1");
        assert_eq!(scheme("B I O"), "IOB2, without labels");
        assert_eq!(scheme("Disease-B Disease-I O"), "IOB2, label first");
    }

    #[test]
    fn tags_are_read_leniently() {
        let x = |start, end, well| (start, end, "x".to_owned(), well);
        assert_eq!(read("B-x I-x E-x O S-x").0, [x(0, 3, true), x(4, 5, true)]);
        assert_eq!(read("B-x L-x I-x U-x").0, [x(0, 2, true), x(2, 3, false), x(3, 4, true)]);
        assert_eq!(read("B-x O I-x").0, [x(0, 1, true), x(2, 3, false)]);
        assert_eq!(read("drug B- X O"), (vec![], "O", 3));
        assert_eq!(read("B-PROC-1 I-PROC-1").0, [(0, 2, "PROC-1".to_owned(), true)]);
    }

    #[test]
    fn names_lead_back() {
        for name in ["IOB1", "BILOU, label first", "IOB2, without labels", "O"] {
            assert_eq!(Scheme::of(name).map(|(scheme, form)| scheme.name(form)), Some(name));
        }
    }
}
