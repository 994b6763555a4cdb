//! Predicted tokens onto gold's. Predictions of tagged tokens lose their documents, and models cut sentences
//! short, split them, or print them in another order; so they are found by their tokens, and their tags are
//! read again over gold's: an entity that a sentence break cut in two is one again. Where one side has tokens
//! and the other a text, they meet by the text without its white space.

use crate::corpus::pairing::{self, By, Pairing};
use crate::corpus::problems::{Kind, Place};
use crate::corpus::text::{Digest, TextReader, locate};
use crate::corpus::{Corpus, Detail, Document, Taken, TextKind};
use crate::formats::tags::{self, Inventory, Scheme};
use crate::source::SourceError;
use imara_diff::{Algorithm, Diff, InternedInput};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::ops::Range;

/// Pairs tagged tokens without document ids by their text, and turns the predicted documents into gold's; where
/// both sides have ids, only documents whose tokens differ. None where this is not called for: then documents
/// are left as they are. Tags that leave their scheme open are read under gold's ([`tags::follow`]). The inner
/// result says why documents cannot be paired, not by their places either: sentences of a file that says nothing
/// of documents are no records of gold.
///
/// # Errors
/// When a file cannot be read any more.
pub fn align(
    gold: &Corpus,
    pred: &mut Corpus,
    normalise_ids: bool,
) -> Result<Option<Result<Pairing, String>>, SourceError> {
    tags::follow(gold, pred);
    if let Some(pairing) = find(gold, pred, normalise_ids)? {
        return Ok(Some(Ok(pairing)));
    }
    let sentences = |d: &Document| !d.has_id && pred.files[d.file as usize].sentences;
    let ids = gold.documents.iter().any(|document| document.has_id);
    if !ids || pred.documents.is_empty() || !pred.documents.iter().all(sentences) {
        return Ok(None);
    }
    let all = pred.documents.len();
    let occur = match Squeezed::read(gold, pred)? {
        Some((texts, words)) => {
            let met = texts.places(&words).iter().filter(|place| place.is_some()).count();
            format!("{met} of them occur in gold's texts")
        }
        None => "too much text to look for them in gold's".to_owned(),
    };
    Ok(Some(Err(format!(
        "{all} sentences of CoNLL columns without document ids: {occur}; \
         add `# doc_id = …` or -DOCSTART- lines"
    ))))
}

fn find(gold: &Corpus, pred: &mut Corpus, normalise_ids: bool) -> Result<Option<Pairing>, SourceError> {
    if gold.documents.is_empty() || pred.documents.is_empty() {
        return Ok(None);
    }
    let any_id = |corpus: &Corpus| corpus.documents.iter().any(|document| document.has_id);
    let made = |corpus: &Corpus| corpus.documents.iter().any(|d| d.text_kind == TextKind::Tokens);
    let tagged = pred.documents.iter().all(|d| d.tokens.is_some() && d.tags.is_some());
    let listed = gold.documents.iter().all(|d| d.tokens.is_some() || d.digest.is_none());
    if any_id(gold) && any_id(pred) {
        let tags = pred.documents.iter().any(|d| d.tags.is_some() && d.text_kind == TextKind::Tokens);
        return if tags && made(gold) { by_id(gold, pred, normalise_ids) } else { Ok(None) };
    }
    if tagged && listed {
        return by_tokens(gold, pred, false);
    }
    if pred.documents.iter().all(|d| d.tokens.is_none() && d.tags.is_some()) {
        return if listed { by_tokens(gold, pred, true) } else { Ok(None) };
    }
    if !made(gold) && !made(pred) {
        return Ok(None);
    }
    let (pairing, all) = by_equal_text(gold, pred)?;
    if all {
        return Ok(pairing);
    }
    if pred.documents.iter().all(|d| d.text_kind == TextKind::Tokens && d.digest.is_some())
        && let Some(pairing) = into_texts(gold, pred)?
    {
        return Ok(Some(pairing));
    }
    Ok(pairing)
}

/// No such token.
const NONE: u32 = u32::MAX;

/// The tokens of documents, as numbers, and their sentences.
#[derive(Default)]
struct Side {
    tokens: Vec<u32>,
    sentences: Vec<Sentence>,
}

#[derive(Clone)]
struct Sentence {
    document: usize,
    tokens: Range<usize>,
}

/// Every word once.
#[derive(Default)]
struct Words(FxHashMap<String, u32>);

impl Words {
    fn number(&mut self, word: String) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(word).or_insert(next)
    }
}

/// A document's tokens, their places in its text, and where its sentences start.
struct Placed {
    tokens: Vec<String>,
    places: Vec<(i64, i64)>,
    sentences: Vec<usize>,
}

/// None where the text does not have its tokens.
fn placed(reader: &mut TextReader<'_>, document: &Document) -> Result<Option<Placed>, SourceError> {
    let mut text = String::new();
    let tokens = reader.tokens(document)?.unwrap_or_default();
    if !reader.read(document, &mut text)? {
        let empty = Placed { tokens: Vec::new(), places: Vec::new(), sentences: Vec::new() };
        return Ok(tokens.is_empty().then_some(empty));
    }
    let Some(places) = locate(&text, &tokens) else { return Ok(None) };
    // A line break between tokens ends a sentence: in a text of tokens there are no others.
    let mut sentences = Vec::new();
    let mut chars = text.chars();
    let mut at = 0;
    for (number, &(start, end)) in places.iter().enumerate() {
        let gap = chars.by_ref().take((start - at) as usize).filter(|&c| c == '\n').count();
        if number == 0 || gap > 0 {
            sentences.push(number);
        }
        chars.by_ref().take((end - start) as usize).for_each(drop);
        at = end;
    }
    Ok(Some(Placed { tokens, places, sentences }))
}

impl Side {
    /// The documents with these indices; none where a document's text does not have its tokens.
    fn read(
        corpus: &Corpus,
        documents: Range<usize>,
        words: &mut Words,
    ) -> Result<Option<Side>, SourceError> {
        let mut reader = TextReader::new(corpus);
        let mut side = Side::default();
        for at in documents {
            let Some(found) = placed(&mut reader, &corpus.documents[at])? else { return Ok(None) };
            let from = side.tokens.len();
            let ends = found.sentences.iter().skip(1).copied().chain([found.tokens.len()]);
            for (&start, end) in found.sentences.iter().zip(ends) {
                side.sentences.push(Sentence { document: at, tokens: from + start..from + end });
            }
            side.tokens.extend(found.tokens.into_iter().map(|token| words.number(token)));
        }
        Ok(Some(side))
    }

    /// Gold's tokens for lists of tags, one a sentence; none, and a problem, where there are not as many.
    fn of_lists(pred: &mut Corpus, gold: &Side) -> Result<Option<Side>, SourceError> {
        let (lists, sentences) = (pred.documents.len(), gold.sentences.len());
        if lists != sentences {
            let found = format!("{lists} lists of tags without tokens, for {sentences} sentences of gold");
            let place = Place::at(pred.documents[0].file, 0);
            pred.problems.add(Kind::BadRecord, place, found, "as many, or tokens beside the tags");
            return Ok(None);
        }
        let mut reader = TextReader::new(pred);
        let mut side = Side::default();
        for (at, document) in pred.documents.iter().enumerate() {
            let Some(list) = &document.tags else { return Ok(None) };
            let count = reader.list(list)?.len();
            let from = side.tokens.len();
            side.tokens.extend_from_slice(&gold.of(at)[..count.min(gold.of(at).len())]);
            side.tokens.resize(from + count, NONE);
            side.sentences.push(Sentence { document: at, tokens: from..from + count });
        }
        Ok(Some(side))
    }

    fn of(&self, sentence: usize) -> &[u32] {
        &self.tokens[self.sentences[sentence].tokens.clone()]
    }

    /// The sentence of a token.
    fn holder(&self, token: usize) -> usize {
        self.sentences.partition_point(|sentence| sentence.tokens.end <= token)
    }
}

/// Which predicted token stands for each of gold's.
struct Matching<'s> {
    gold: &'s Side,
    pred: &'s Side,
    /// Per gold token.
    from: Vec<u32>,
    /// Per predicted token.
    used: Vec<bool>,
}

/// Share of predicted tokens, in percent, that must be gold's in a comparison token by token: for all of both to
/// be the same text, for a stretch to be, and for one to be taken when nothing better was found.
const ORDERED: usize = 95;
const SAME: usize = 80;
const ALIKE: usize = 50;
/// Sentences that are tried as the beginning of one.
const CANDIDATES: usize = 1_000;
/// Tokens up to which a comparison token by token is cheap, whatever they are.
const SMALL: usize = 2_000;

impl<'s> Matching<'s> {
    fn new(gold: &'s Side, pred: &'s Side) -> Self {
        let (from, used) = (vec![NONE; gold.tokens.len()], vec![false; pred.tokens.len()]);
        let mut this = Matching { gold, pred, from, used };
        // Mostly the same tokens in the same order: bounds of sentences do not matter.
        this.differ((0..gold.sentences.len()).collect(), (0..pred.sentences.len()).collect(), ORDERED);
        let hunks = this.equal_in_order();
        // What is certain comes first: whole sentences of gold, wherever they stand.
        this.equal_anywhere();
        this.pieces_anywhere(true);
        this.differ_in(&hunks, SAME);
        this.pieces_anywhere(false);
        this.differ_in(&hunks, ALIKE);
        this
    }

    /// Sentences at the same place, from their first tokens on.
    fn by_place(gold: &'s Side, pred: &'s Side) -> Self {
        let (from, used) = (vec![NONE; gold.tokens.len()], vec![false; pred.tokens.len()]);
        let mut this = Matching { gold, pred, from, used };
        for (gold, pred) in gold.sentences.iter().zip(&pred.sentences) {
            let length = gold.tokens.len().min(pred.tokens.len());
            this.join(gold.tokens.start, pred.tokens.start, length);
        }
        this
    }

    /// Compares what is left in each stretch.
    fn differ_in(&mut self, hunks: &[(Range<usize>, Range<usize>)], share: usize) {
        for (golds, preds) in hunks {
            let golds = golds.clone().filter(|&at| !self.has_gold(at)).collect();
            let preds = preds.clone().filter(|&at| !self.has_pred(at)).collect();
            self.differ(golds, preds, share);
        }
    }

    fn has_gold(&self, sentence: usize) -> bool {
        self.gold.sentences[sentence].tokens.clone().any(|token| self.from[token] != NONE)
    }

    fn has_pred(&self, sentence: usize) -> bool {
        self.pred.sentences[sentence].tokens.clone().any(|token| self.used[token])
    }

    fn join(&mut self, gold: usize, pred: usize, length: usize) {
        for step in 0..length {
            self.from[gold + step] = (pred + step) as u32;
            self.used[pred + step] = true;
        }
    }

    /// Sentences with equal tokens, in the order of both sides. Returns the stretches between them.
    fn equal_in_order(&mut self) -> Vec<(Range<usize>, Range<usize>)> {
        let (gold, pred) = (self.gold, self.pred);
        let mut input: InternedInput<&[u32]> = InternedInput::default();
        input.update_before((0..gold.sentences.len()).map(|at| gold.of(at)));
        input.update_after((0..pred.sentences.len()).map(|at| pred.of(at)));
        let diff = Diff::compute(Algorithm::Myers, &input);
        let mut hunks = Vec::new();
        let (mut at_gold, mut at_pred) = (0, 0);
        let end = (gold.sentences.len(), pred.sentences.len());
        let last = std::iter::once((end.0..end.0, end.1..end.1));
        let found = diff.hunks().map(|hunk| {
            let range = |range: Range<u32>| range.start as usize..range.end as usize;
            (range(hunk.before), range(hunk.after))
        });
        for (golds, preds) in found.chain(last) {
            for (g, p) in (at_gold..golds.start).zip(at_pred..preds.start) {
                if self.has_gold(g) || self.has_pred(p) {
                    continue;
                }
                let tokens = &gold.sentences[g].tokens;
                self.join(tokens.start, pred.sentences[p].tokens.start, tokens.len());
            }
            (at_gold, at_pred) = (golds.end, preds.end);
            hunks.push((golds, preds));
        }
        hunks
    }

    /// Joins what a comparison token by token finds in stretches of sentences, if it is enough.
    fn differ(&mut self, golds: Vec<usize>, preds: Vec<usize>, share: usize) {
        if golds.is_empty() || preds.is_empty() {
            return;
        }
        let flat = |side: &Side, sentences: &[usize]| -> Vec<usize> {
            sentences.iter().flat_map(|&at| side.sentences[at].tokens.clone()).collect()
        };
        let (golds, preds) = (flat(self.gold, &golds), flat(self.pred, &preds));
        let words = |side: &Side, tokens: &[usize]| -> Vec<u32> {
            tokens.iter().map(|&at| side.tokens[at]).collect()
        };
        if golds.len().max(preds.len()) > SMALL
            && in_order(&words(self.gold, &golds), &words(self.pred, &preds)) < share
        {
            return;
        }
        let mut input: InternedInput<u32> = InternedInput::default();
        input.update_before(golds.iter().map(|&at| self.gold.tokens[at]));
        input.update_after(preds.iter().map(|&at| self.pred.tokens[at]));
        let diff = Diff::compute(Algorithm::Myers, &input);
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        let (mut at_gold, mut at_pred) = (0, 0);
        let last = std::iter::once((golds.len(), preds.len(), 0, 0));
        let found = diff.hunks().map(|hunk| {
            let (before, after) = (hunk.before, hunk.after);
            (before.start as usize, after.start as usize, before.end as usize, after.end as usize)
        });
        for (gold, pred, gold_end, pred_end) in found.chain(last) {
            pairs.extend(golds[at_gold..gold].iter().copied().zip(preds[at_pred..pred].iter().copied()));
            (at_gold, at_pred) = (gold_end, pred_end);
        }
        if pairs.len() * 100 >= preds.len() * share {
            for (gold, pred) in pairs {
                self.join(gold, pred, 1);
            }
        }
    }

    /// Sentences with equal tokens that stand elsewhere.
    fn equal_anywhere(&mut self) {
        let (gold, pred) = (self.gold, self.pred);
        let mut free: FxHashMap<&[u32], VecDeque<usize>> = FxHashMap::default();
        for at in (0..gold.sentences.len()).filter(|&at| !self.has_gold(at)) {
            free.entry(gold.of(at)).or_default().push_back(at);
        }
        for at in 0..pred.sentences.len() {
            if self.has_pred(at) {
                continue;
            }
            if let Some(found) = free.get_mut(pred.of(at)).and_then(VecDeque::pop_front) {
                let tokens = &gold.sentences[found].tokens;
                self.join(tokens.start, pred.sentences[at].tokens.start, tokens.len());
            }
        }
    }

    /// Sentences that were split, and where they need not be `whole` cut short: a predicted sentence that begins
    /// one of gold's and those behind it as long as they go on with it. The most tokens win, then the first.
    fn pieces_anywhere(&mut self, whole: bool) {
        let (gold, pred) = (self.gold, self.pred);
        let key = |tokens: &[u32]| (tokens[0], tokens.get(1).copied());
        let mut free: FxHashMap<(u32, Option<u32>), Vec<usize>> = FxHashMap::default();
        for at in (0..pred.sentences.len()).filter(|&at| !self.has_pred(at)) {
            free.entry(key(pred.of(at))).or_default().push(at);
        }
        for at in 0..gold.sentences.len() {
            if self.has_gold(at) {
                continue;
            }
            let tokens = gold.of(at);
            let chain = |first: usize| {
                let (mut piece, mut done) = (first, 0);
                while piece < pred.sentences.len()
                    && done < tokens.len()
                    && !self.has_pred(piece)
                    && tokens[done..].starts_with(pred.of(piece))
                {
                    done += pred.of(piece).len();
                    piece += 1;
                }
                (done, first, piece)
            };
            let mut keys = vec![key(tokens), (tokens[0], None)];
            keys.dedup();
            let firsts = keys.iter().filter_map(|key| free.get(key)).flatten().copied();
            let firsts = firsts.filter(|&first| !self.has_pred(first)).take(CANDIDATES);
            let chains = firsts.map(chain);
            let best = chains.max_by_key(|&(done, first, _)| (done, std::cmp::Reverse(first)));
            let Some((done, first, end)) = best else { continue };
            if done == 0 || whole && done < tokens.len() {
                continue;
            }
            let mut to = gold.sentences[at].tokens.start;
            for piece in first..end {
                let length = pred.of(piece).len();
                self.join(to, pred.sentences[piece].tokens.start, length);
                to += length;
            }
        }
    }
}

/// Share of the words that occur once on both sides, in percent, that can be met in one order: what a
/// comparison token by token, which is slow where much differs, can hope to find.
fn in_order(gold: &[u32], pred: &[u32]) -> usize {
    let once = |tokens: &[u32]| {
        let mut places: FxHashMap<u32, Option<usize>> = FxHashMap::default();
        for (at, &token) in tokens.iter().enumerate() {
            places.entry(token).and_modify(|place| *place = None).or_insert(Some(at));
        }
        places
    };
    let (golds, preds) = (once(gold), once(pred));
    let words = pred.iter().filter(|token| preds.get(token).is_some_and(Option::is_some));
    let (mut count, mut ends) = (0, Vec::<usize>::new());
    for token in words {
        count += 1;
        // The longest rising run so far: `ends` has the lowest end of one of each length.
        if let Some(&Some(place)) = golds.get(token) {
            let at = ends.partition_point(|&end| end < place);
            match ends.get_mut(at) {
                Some(end) => *end = place,
                None => ends.push(place),
            }
        }
    }
    (ends.len() * 100).checked_div(count).unwrap_or(0)
}

/// What a problem says.
type Found = (Kind, Place, String, &'static str);

impl Matching<'_> {
    /// What the predictions lack, have too much, split and put elsewhere.
    fn problems(&self, gold: &Corpus, pred: &Corpus) -> Vec<Found> {
        let mut out = Vec::new();
        let place = |sentence: Option<usize>, id: &str| {
            let document = sentence.map(|at| &pred.documents[self.pred.sentences[at].document]);
            document.map_or_else(Place::default, |d| Place::at(d.file, d.line)).of(id)
        };
        let has: Vec<bool> = (0..self.gold.sentences.len()).map(|at| self.has_gold(at)).collect();
        let mut known = vec![false; gold.documents.len()];
        self.gold.sentences.iter().zip(&has).for_each(|(s, has)| known[s.document] |= has);
        let (mut near, mut reach, mut moved, mut placed) = (None, 0, 0_u64, 0_u64);
        let mut firsts: Vec<(usize, usize)> = Vec::new();
        for (at, sentence) in self.gold.sentences.iter().enumerate() {
            if !known[sentence.document] {
                continue;
            }
            let from = sentence.tokens.clone().map(|token| self.from[token]).filter(|&token| token != NONE);
            let mut pieces: Vec<usize> = from.map(|token| self.pred.holder(token as usize)).collect();
            let missing = sentence.tokens.len() - pieces.len();
            firsts.extend(pieces.first().map(|&piece| (piece, at)));
            pieces.dedup();
            near = pieces.first().copied().or(near);
            let id = &gold.documents[sentence.document].id;
            if missing > 0 {
                let all = sentence.tokens.len();
                let found =
                    format!("{missing} of {all} tokens of gold's sentence {} have no prediction", at + 1);
                out.push((Kind::TokensNotPredicted, place(near, id), found, "a tag for every token of gold"));
            }
            if pieces.len() > 1 {
                let found =
                    format!("{} extra sentence breaks inside gold's sentence {}", pieces.len() - 1, at + 1);
                out.push((Kind::SentencesSplit, place(near, id), found, "gold's sentences"));
            }
        }
        firsts.sort_unstable();
        for &(_, gold) in &firsts {
            placed += 1;
            moved += u64::from(gold < reach);
            reach = reach.max(gold);
        }
        if moved > 0 {
            let found = format!("{moved} of {placed} sentences stand behind one that follows them in gold");
            let place = Place::at(pred.documents[0].file, 0);
            out.push((Kind::SentencesReordered, place, found, "gold's order"));
        }
        let mut to = vec![NONE; self.pred.tokens.len()];
        for (token, &from) in self.from.iter().enumerate().filter(|(_, from)| **from != NONE) {
            to[from as usize] = token as u32;
        }
        let mut used = vec![false; pred.documents.len()];
        self.pred.sentences.iter().enumerate().for_each(|(at, s)| used[s.document] |= self.has_pred(at));
        for (at, sentence) in self.pred.sentences.iter().enumerate() {
            if !used[sentence.document] {
                continue;
            }
            let to = sentence.tokens.clone().map(|token| to[token]).filter(|&token| token != NONE);
            let mut covers: Vec<usize> = to.map(|token| self.gold.holder(token as usize)).collect();
            let extra = sentence.tokens.len() - covers.len();
            let id = &pred.documents[sentence.document].id;
            if extra > 0 {
                let all = sentence.tokens.len();
                let found = format!("{extra} of {all} tokens of a sentence are none of gold's");
                out.push((Kind::TokensNotInGold, place(Some(at), id), found, "the tokens of gold"));
            }
            covers.dedup();
            if covers.len() > 1 {
                let found = format!("a sentence that covers {} of gold's", covers.len());
                out.push((Kind::SentencesSplit, place(Some(at), id), found, "gold's sentences"));
            }
        }
        out
    }
}

/// A predicted document over gold's tokens.
struct Made {
    file: u32,
    line: u64,
    spans: Vec<(i64, i64, String, Detail)>,
}

/// Tags and old spans of predicted documents.
struct Tags {
    /// Per token of the side.
    tags: Vec<u32>,
    names: Vec<String>,
    /// Line and score of the span that begins with a token, where it has any.
    known: FxHashMap<u32, (u64, Option<f64>)>,
}

impl Tags {
    fn read(corpus: &Corpus, documents: Range<usize>, side: &Side) -> Result<Option<Tags>, SourceError> {
        let mut reader = TextReader::new(corpus);
        let (mut tags, mut names, mut known) = (Vec::new(), Words::default(), FxHashMap::default());
        for document in &corpus.documents[documents] {
            let from = tags.len();
            let Some(list) = &document.tags else { return Ok(None) };
            tags.extend(reader.list(list)?.into_iter().map(|tag| names.number(tag)));
            if !corpus.has_details() {
                continue;
            }
            let Some(found) = placed(&mut reader, document)? else { return Ok(None) };
            for span in corpus.spans_of(document) {
                let Some(detail) = corpus.detail(span) else { continue };
                let token = found.places.partition_point(|place| place.0 < span.start);
                known.insert((from + token) as u32, (detail.line, detail.score));
            }
        }
        let mut names: Vec<(u32, String)> =
            names.0.into_iter().map(|(name, number)| (number, name)).collect();
        names.sort_unstable();
        let names = names.into_iter().map(|(_, name)| name).collect();
        Ok((tags.len() == side.tokens.len()).then_some(Tags { tags, names, known }))
    }
}

impl Matching<'_> {
    /// Reads the tags that gold's tokens of one document got; none where they got none. `sentences` are those
    /// of the document.
    fn make(&self, document: &Placed, sentences: &[Sentence], tags: &Tags, pred: &Corpus) -> Option<Made> {
        let first = sentences.first()?.tokens.start;
        let all = first..sentences.last()?.tokens.end;
        let token = self.from[all].iter().copied().find(|&token| token != NONE)? as usize;
        let holder = &pred.documents[self.pred.sentences[self.pred.holder(token)].document];
        let tagging = pred.files[holder.file as usize].tagging.as_ref();
        let scheme = tagging.and_then(|tagging| Scheme::of(tagging.scheme)).map(|(scheme, _)| scheme);
        let mut made = Made { file: holder.file, line: holder.line, spans: Vec::new() };
        for sentence in sentences {
            let from = &self.from[sentence.tokens.clone()];
            let name = |&token: &u32| match token {
                NONE => "O",
                token => tags.names[tags.tags[token as usize] as usize].as_str(),
            };
            let list: Vec<&str> = from.iter().map(name).collect();
            for chunk in tags::decode(&list, &mut Inventory::default()).0 {
                let at = sentence.tokens.start - first;
                let (start, end) =
                    (document.places[at + chunk.start].0, document.places[at + chunk.end - 1].1);
                let token = from[chunk.start];
                let (mut line, score) = tags.known.get(&token).copied().unwrap_or_default();
                let ill_formed = scheme.is_some_and(|scheme| !scheme.accepts(&chunk.shape));
                if ill_formed && line == 0 {
                    line =
                        pred.documents[self.pred.sentences[self.pred.holder(token as usize)].document].line;
                }
                let line = if ill_formed { line } else { 0 };
                let detail = Detail { ill_formed, line, score, ..Detail::default() };
                made.spans.push((start, end, chunk.label.to_owned(), detail));
            }
        }
        Some(made)
    }
}

/// Puts a document over gold's text into the corpus.
fn push(pred: &mut Corpus, made: Made, id: String, has_id: bool, digest: Option<Digest>) {
    let document = pred.begin(made.file, Some(id), made.line);
    (document.has_id, document.edges_known, document.settled_on) = (has_id, true, digest);
    for (start, end, label, detail) in made.spans {
        let label = pred.labels.intern(&label);
        pred.push(start, end, label, detail);
    }
}

/// Puts a document back as it was.
fn put_back(pred: &mut Corpus, taken: &Taken, document: &Document) {
    let start = pred.spans.len() as u32;
    pred.documents.push(Document { spans: start..start, ..document.clone() });
    for (span, detail) in taken.spans_of(document) {
        pred.push(span.start, span.end, span.label, detail.cloned().unwrap_or_default());
    }
}

/// Pairs documents of tokens with sentences of tokens by their tokens. `lists` says that the predictions are lists
/// of tags, one for each of gold's sentences.
fn by_tokens(gold: &Corpus, pred: &mut Corpus, lists: bool) -> Result<Option<Pairing>, SourceError> {
    let same = |(gold, pred): (&Document, &Document)| gold.digest.is_some() && gold.digest == pred.digest;
    let (golds, preds) = (gold.documents.len(), pred.documents.len());
    if golds == preds && gold.documents.iter().zip(&pred.documents).all(same) {
        let pairs = (0..golds as u32).map(|at| (at, Some(at))).collect();
        return Ok(Some(pairing::finish(By::Text, pairs, preds)));
    }
    let mut words = Words::default();
    let Some(gold_side) = Side::read(gold, 0..golds, &mut words)? else { return Ok(None) };
    let pred_side =
        if lists { Side::of_lists(pred, &gold_side)? } else { Side::read(pred, 0..preds, &mut words)? };
    let Some(pred_side) = pred_side else { return Ok(None) };
    drop(words);
    let Some(tags) = Tags::read(pred, 0..preds, &pred_side)? else { return Ok(None) };
    let matching = match lists {
        true => Matching::by_place(&gold_side, &pred_side),
        false => Matching::new(&gold_side, &pred_side),
    };
    if matching.from.iter().all(|&from| from == NONE) {
        return Ok(None);
    }
    let mut used = vec![false; preds];
    pred_side.sentences.iter().enumerate().for_each(|(at, s)| used[s.document] |= matching.has_pred(at));
    let mut documents: Vec<Option<Made>> = Vec::with_capacity(golds);
    let mut reader = TextReader::new(gold);
    let mut at = 0;
    for (number, document) in gold.documents.iter().enumerate() {
        let count = gold_side.sentences[at..].iter().take_while(|s| s.document == number).count();
        let sentences = &gold_side.sentences[at..at + count];
        at += count;
        documents.push(match placed(&mut reader, document)? {
            Some(placed) => matching.make(&placed, sentences, &tags, pred),
            None => None,
        });
    }
    for (kind, place, found, expected) in matching.problems(gold, pred) {
        pred.problems.add(kind, place, found, expected);
    }
    let taken = pred.take_documents();
    let mut pairs = Vec::with_capacity(golds);
    for (number, (made, document)) in documents.into_iter().zip(&gold.documents).enumerate() {
        let met = made.map(|made| {
            push(pred, made, document.id.clone(), document.has_id, document.digest);
            pred.documents.len() as u32 - 1
        });
        pairs.push((number as u32, met));
    }
    for (document, _) in taken.documents.iter().zip(used).filter(|(_, used)| !used) {
        put_back(pred, &taken, document);
    }
    Ok(Some(pairing::finish(By::Text, pairs, pred.documents.len())))
}

/// Documents that met by their ids and have other tokens.
fn by_id(gold: &Corpus, pred: &mut Corpus, normalise_ids: bool) -> Result<Option<Pairing>, SourceError> {
    let Ok(pairing) = pairing::pair(gold, pred, normalise_ids) else { return Ok(None) };
    let mut made: FxHashMap<usize, (Made, Option<Digest>)> = FxHashMap::default();
    for &(g, p) in &pairing.pairs {
        let Some(p) = p.map(|p| p as usize) else { continue };
        let (g, of_gold, of_pred) = (g as usize, &gold.documents[g as usize], &pred.documents[p]);
        let tokens =
            |d: &Document| d.text_kind == TextKind::Tokens && d.tokens.is_some() && d.digest.is_some();
        if !tokens(of_gold) || !tokens(of_pred) || of_pred.tags.is_none() || of_gold.digest == of_pred.digest
        {
            continue;
        }
        let mut words = Words::default();
        let Some(gold_side) = Side::read(gold, g..g + 1, &mut words)? else { continue };
        let Some(pred_side) = Side::read(pred, p..p + 1, &mut words)? else { continue };
        let Some(tags) = Tags::read(pred, p..p + 1, &pred_side)? else { continue };
        let matching = Matching::new(&gold_side, &pred_side);
        let Some(placed) = placed(&mut TextReader::new(gold), of_gold)? else { continue };
        let Some(found) = matching.make(&placed, &gold_side.sentences, &tags, pred) else { continue };
        made.insert(p, (found, of_gold.digest));
        for (kind, place, found, expected) in matching.problems(gold, pred) {
            pred.problems.add(kind, place, found, expected);
        }
    }
    if made.is_empty() {
        return Ok(None);
    }
    let taken = pred.take_documents();
    for (at, document) in taken.documents.iter().enumerate() {
        match made.remove(&at) {
            Some((made, digest)) => push(pred, made, document.id.clone(), true, digest),
            None => put_back(pred, &taken, document),
        }
    }
    Ok(Some(pairing))
}

/// What does not count where texts meet.
fn is_space(c: char) -> bool {
    c.is_whitespace() || c == '\u{FEFF}'
}

/// A text without white space.
fn squeezed(reader: &mut TextReader<'_>, document: &Document) -> Result<String, SourceError> {
    let mut text = String::new();
    reader.read(document, &mut text)?;
    text.retain(|c| !is_space(c));
    Ok(text)
}

/// Documents with the same text but for white space; also whether all predicted ones met. None where the
/// positions say as much, or too few met.
fn by_equal_text(gold: &Corpus, pred: &Corpus) -> Result<(Option<Pairing>, bool), SourceError> {
    let mut free: FxHashMap<Digest, VecDeque<u32>> = FxHashMap::default();
    let mut reader = TextReader::new(gold);
    for (at, document) in gold.documents.iter().enumerate() {
        let text = squeezed(&mut reader, document)?;
        if !text.is_empty() {
            free.entry(Digest::of(text.as_bytes())).or_default().push_back(at as u32);
        }
    }
    let mut pairs: Vec<(u32, Option<u32>)> = (0..gold.documents.len() as u32).map(|at| (at, None)).collect();
    let (mut met, mut in_place) = (0, true);
    let mut reader = TextReader::new(pred);
    for (at, document) in pred.documents.iter().enumerate() {
        let text = squeezed(&mut reader, document)?;
        let found = free.get_mut(&Digest::of(text.as_bytes())).and_then(VecDeque::pop_front);
        if let Some(found) = found.filter(|_| !text.is_empty()) {
            pairs[found as usize].1 = Some(at as u32);
            met += 1;
            in_place &= found as usize == at;
        }
    }
    let all = met == pred.documents.len();
    let positions = in_place && gold.documents.len() == pred.documents.len();
    let enough = all || met * 2 >= pred.documents.len() && !positions;
    Ok((enough.then(|| pairing::finish(By::Text, pairs, pred.documents.len())), all))
}

/// Bytes without white space beyond which gold's texts, or twice as many predicted ones, are not searched.
const SEARCHED: usize = 32 << 20;
/// Bytes at the start of a sentence by which it is looked up.
const HEAD: usize = 12;
/// Places that are looked at for all sentences together.
const TRIES: usize = 100_000_000;

/// The texts of all documents without white space, one behind the other.
#[derive(Default)]
struct Squeezed {
    text: String,
    /// Where each document starts, and where the last one ends.
    starts: Vec<usize>,
    /// Per byte, whether it continues no word.
    bounds: Vec<bool>,
}

/// The first bytes of a sentence, and how many.
fn head(bytes: &[u8]) -> (u8, [u8; HEAD]) {
    let mut head = [0; HEAD];
    let length = bytes.len().min(HEAD);
    head[..length].copy_from_slice(&bytes[..length]);
    (length as u8, head)
}

/// Places in gold's text where sentences with one head may be.
#[derive(Default)]
struct Candidates {
    places: Vec<u32>,
    /// Those before are taken.
    free: usize,
}

impl Squeezed {
    /// Gold's texts and the predicted sentences; none where they are too long.
    fn read(gold: &Corpus, pred: &Corpus) -> Result<Option<(Squeezed, Squeezed)>, SourceError> {
        let read = |corpus: &Corpus, most: usize| -> Result<Option<Squeezed>, SourceError> {
            let (mut this, mut reader) = (Squeezed::default(), TextReader::new(corpus));
            let mut text = String::new();
            for document in &corpus.documents {
                this.starts.push(this.text.len());
                reader.read(document, &mut text)?;
                let mut in_word = false;
                for c in text.chars() {
                    if is_space(c) {
                        in_word = false;
                        continue;
                    }
                    this.bounds.resize(this.text.len() + 1, false);
                    this.bounds[this.text.len()] = !(in_word && c.is_alphanumeric());
                    in_word = c.is_alphanumeric();
                    this.text.push(c);
                }
                if this.text.len() > most {
                    return Ok(None);
                }
            }
            this.starts.push(this.text.len());
            this.bounds.resize(this.text.len(), false);
            Ok(Some(this))
        };
        let Some(texts) = read(gold, SEARCHED)? else { return Ok(None) };
        Ok(read(pred, 2 * SEARCHED)?.map(|words| (texts, words)))
    }

    fn of(&self, document: usize) -> &[u8] {
        &self.text.as_bytes()[self.starts[document]..self.starts[document + 1]]
    }

    fn documents(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether a range cuts no word at its ends.
    fn whole(&self, range: Range<usize>) -> bool {
        let bound = |at: usize| self.bounds.get(at).is_none_or(|&bound| bound);
        let ends = range.end == self.starts[self.holder(range.start) + 1];
        bound(range.start) && (ends || bound(range.end))
    }

    /// The document that holds a byte.
    fn holder(&self, at: usize) -> usize {
        self.starts.partition_point(|&start| start <= at).saturating_sub(1)
    }

    /// Where sentences with these heads may be.
    fn candidates(&self, sentences: &Squeezed) -> FxHashMap<(u8, [u8; HEAD]), Candidates> {
        let mut found: FxHashMap<_, Candidates> = FxHashMap::default();
        // Per first byte, the lengths of the heads that begin with it.
        let mut lengths = [0_u16; 256];
        for words in (0..sentences.documents()).map(|at| sentences.of(at)).filter(|words| !words.is_empty()) {
            let head = head(words);
            lengths[usize::from(words[0])] |= 1 << head.0;
            found.entry(head).or_default();
        }
        let bytes = self.text.as_bytes();
        for (at, &first) in bytes.iter().enumerate() {
            let mut left = lengths[usize::from(first)];
            while left != 0 {
                let length = left.trailing_zeros() as usize;
                left &= left - 1;
                let Some(start) = bytes.get(at..at + length) else { break };
                if let Some(candidates) = found.get_mut(&head(start)) {
                    candidates.places.push(at as u32);
                }
            }
        }
        found
    }

    /// A place for each sentence that has one, in whatever order they come: right behind the one before it,
    /// otherwise at the start of the next document, later in this one, or the first that no sentence took.
    /// Short sentences occur in many places, so they get what the others leave, and no part of a word.
    fn places(&self, sentences: &Squeezed) -> Vec<Option<usize>> {
        let mut candidates = self.candidates(sentences);
        let mut places: Vec<Option<usize>> = vec![None; sentences.documents()];
        let mut taken = vec![false; self.text.len()];
        let mut tries = TRIES;
        for short in [false, true] {
            // Where the next sentence is if nothing was left out.
            let mut expected = 0;
            for (at, found) in places.iter_mut().enumerate() {
                let words = sentences.of(at);
                if let Some(place) = *found {
                    expected = place + words.len();
                    continue;
                }
                if words.is_empty() || (words.len() < HEAD) != short {
                    expected += words.len();
                    continue;
                }
                let Some(candidates) = candidates.get_mut(&head(words)) else { continue };
                while candidates.places.get(candidates.free).is_some_and(|&place| taken[place as usize]) {
                    candidates.free += 1;
                }
                let fits = |place: usize| {
                    let end = place + words.len();
                    self.text.as_bytes().get(place..end) == Some(words)
                        && end <= self.starts[self.holder(place) + 1]
                        && !taken[place..end].contains(&true)
                };
                let here = self.holder(expected.saturating_sub(1));
                let next = self.starts.get(here + 1).copied().unwrap_or(expected);
                let later = candidates.places.partition_point(|&place| (place as usize) < expected);
                let behind = candidates.places[later..].iter().map(|&place| place as usize);
                let free = candidates.places[candidates.free..].iter().map(|&place| place as usize);
                let whole = |place: usize| !short || self.whole(place..place + words.len());
                let mut counted = |place: &usize| {
                    tries = tries.saturating_sub(1);
                    tries > 0 && fits(*place) && whole(*place)
                };
                let start = Some(next).filter(|&place| fits(place) && whole(place));
                *found = Some(expected)
                    .filter(|&place| fits(place))
                    .or(start)
                    .or_else(|| behind.take_while(|&place| place < next).find(&mut counted))
                    .or_else(|| free.into_iter().find(&mut counted));
                // One without a place stands there all the same, with words of its own.
                let start = found.unwrap_or(expected);
                expected = start + words.len();
                if found.is_some() {
                    taken[start..expected].fill(true);
                }
            }
        }
        places
    }
}

/// The code points of a text that are not white space, and their bytes in the text without it.
struct Points(Vec<(usize, i64)>);

impl Points {
    fn of(text: &str) -> Self {
        let mut byte = 0;
        let points = text.chars().enumerate().filter(|&(_, c)| !is_space(c));
        let points = points.map(|(at, c)| {
            let point = (byte, at as i64);
            byte += c.len_utf8();
            point
        });
        Points(points.collect())
    }

    /// The bytes of the first and the last character of a range.
    fn bytes(&self, (start, end): (i64, i64)) -> Option<(usize, usize)> {
        let first = self.0.partition_point(|point| point.1 < start);
        let behind = self.0.partition_point(|point| point.1 < end);
        (first < behind).then(|| (self.0[first].0, self.0[behind - 1].0))
    }

    /// The range from one character to another.
    fn range(&self, (first, last): (usize, usize)) -> Option<(i64, i64)> {
        let point = |byte| self.0.binary_search_by_key(&byte, |point| point.0).ok().map(|at| self.0[at].1);
        Some((point(first)?, point(last)? + 1))
    }
}

/// Sentences of tokens into the texts of gold's documents, where most of them occur there.
fn into_texts(gold: &Corpus, pred: &mut Corpus) -> Result<Option<Pairing>, SourceError> {
    let Some((texts, words)) = Squeezed::read(gold, pred)? else { return Ok(None) };
    let places = texts.places(&words);
    let all = (0..places.len()).filter(|&at| !words.of(at).is_empty()).count();
    // (place, sentence), in gold's order.
    let mut order: Vec<(usize, usize)> =
        places.iter().enumerate().filter_map(|(at, place)| place.map(|place| (place, at))).collect();
    if order.is_empty() || order.len() * 2 < all {
        return Ok(None);
    }
    let (mut reach, mut moved) = (0, 0_u64);
    for &(place, _) in &order {
        moved += u64::from(place < reach);
        reach = reach.max(place);
    }
    order.sort_unstable();
    let mut documents: Vec<(usize, Made)> = Vec::new();
    let (mut gold_reader, mut pred_reader) = (TextReader::new(gold), TextReader::new(pred));
    let mut text = String::new();
    for sentences in order.chunk_by(|a, b| texts.holder(a.0) == texts.holder(b.0)) {
        let number = texts.holder(sentences[0].0);
        gold_reader.read(&gold.documents[number], &mut text)?;
        let to = Points::of(&text);
        let first = &pred.documents[sentences[0].1];
        let mut made = Made { file: first.file, line: first.line, spans: Vec::new() };
        for &(place, at) in sentences {
            let sentence = &pred.documents[at];
            pred_reader.read(sentence, &mut text)?;
            let from = Points::of(&text);
            let base = place - texts.starts[number];
            let moved = |range| {
                let (first, last) = from.bytes(range)?;
                to.range((base + first, base + last))
            };
            for span in pred.spans_of(sentence) {
                let Some((start, end)) = moved((span.start, span.end)) else { continue };
                let mut detail = pred.detail(span).cloned().unwrap_or_default();
                detail.fragments = detail.fragments.iter().filter_map(|&range| moved(range)).collect();
                (detail.own, detail.passage, detail.trimmed) = (None, None, None);
                made.spans.push((start, end, pred.labels.name(span.label).to_owned(), detail));
            }
        }
        documents.push((number, made));
    }
    if moved > 0 {
        let found =
            format!("{moved} of {} sentences stand behind one that follows them in gold", order.len());
        let place = Place::at(pred.documents[0].file, 0);
        pred.problems.add(Kind::SentencesReordered, place, found, "gold's order");
    }
    let taken = pred.take_documents();
    let lost = places.iter().enumerate().filter(|(at, place)| place.is_none() && !words.of(*at).is_empty());
    for (at, _) in lost {
        let document = &taken.documents[at];
        let place = document.place(0);
        let found = "a sentence that does not occur in gold's texts";
        pred.problems.add(Kind::TokensNotInGold, place, found, "the tokens of gold");
    }
    let mut pairs: Vec<(u32, Option<u32>)> = (0..gold.documents.len() as u32).map(|at| (at, None)).collect();
    for (number, made) in documents {
        let met = &gold.documents[number];
        push(pred, made, met.id.clone(), met.has_id, met.digest);
        pairs[number].1 = Some(pred.documents.len() as u32 - 1);
    }
    Ok(Some(pairing::finish(By::Text, pairs, pred.documents.len())))
}
