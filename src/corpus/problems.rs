//! What was skipped or repaired while reading. A problem is data, not an error: the rest of the work is
//! kept. No message holds note text.

use std::collections::BTreeMap;

/// Problems listed per file and kind; all are counted.
pub const LISTED: u64 = 1_000;
/// Problems listed per kind.
pub const LISTED_OF_KIND: u64 = 10_000;

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident, $name:literal, $loses:literal, $title:literal;)*) => {
        /// What happened.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Kind { $($(#[$doc])* $variant,)* }

        impl Kind {
            /// Stable name for reports.
            pub fn name(self) -> &'static str {
                match self { $(Kind::$variant => $name,)* }
            }

            /// Whether something is lost, rather than read as it stands.
            pub fn loses(self) -> bool {
                match self { $(Kind::$variant => $loses,)* }
            }

            /// What it means and what was done, in words.
            pub fn title(self) -> &'static str {
                match self { $(Kind::$variant => $title,)* }
            }
        }
    };
}

kinds! {
    /// The file could not be read at all.
    UnreadableFile, "unreadable_file", true, "Files that cannot be read; skipped";
    /// An archive that breaks off.
    CutArchive, "cut_archive", true, "Archives that break off; what could be unpacked is read";
    /// Gold and predictions in one drop.
    SidesMixed, "sides_mixed", false, "Files whose names say gold and others whose names say predictions, given as one side";
    /// The file is of no format we read.
    UnknownFormat, "unknown_format", true, "Files of a format that is not read; skipped";
    /// The file holds nothing.
    EmptyFile, "empty_file", false, "Files without content";
    /// Not UTF-8.
    BadEncoding, "bad_encoding", true, "Bytes that are not valid text in the file's encoding";
    /// `&name;` of an entity that is not XML's own.
    UnknownEntity, "unknown_entity", false, "XML references that are not expanded; read as they are written";
    /// A record that does not parse.
    BadRecord, "bad_record", true, "Records that cannot be read; skipped";
    /// A record that the annotator rejected.
    RejectedRecord, "rejected_record", true, "Records marked as rejected or ignored; left out";
    /// Several people or views annotated one document.
    OtherAnnotator, "other_annotator", true, "Annotations of one document by further annotators, or of its other views; left out";
    /// A span that cannot be read.
    BadSpan, "bad_span", true, "Spans that cannot be read; skipped";
    /// No record has spans.
    NoSpanList, "no_span_list", false, "Records without a list of spans";
    /// More than one config.
    MapsAgain, "maps_again", true, "Label maps more than once; the last ones count";
    /// The same key twice in one object.
    DuplicateKey, "duplicate_key", false, "The same key twice in one record; the last one counts";
    /// Python's notation and the like.
    NotQuiteJson, "not_quite_json", false, "Records that are not quite JSON (Python's notation, stray commas); read all the same";
    /// NaN or Infinity in JSON.
    NotANumber, "not_a_number", false, "NaN or Infinity in JSON; read as missing";
    /// Passages that make no text.
    TextUnusable, "text_unusable", true, "Texts that cannot be put together; the spans are kept";
    /// The same document id twice, same text.
    DocumentJoined, "document_joined", false, "Records of the same document; joined";
    /// The same document id twice, other text.
    DocumentConflict, "document_conflict", true, "One id with two different texts; the first is kept";
    /// Annotation lines that hold no span.
    Relation, "relation", false, "Relations; not scored";
    /// Labels of whole documents among spans.
    DocumentLabels, "document_labels", false, "Labels of whole documents; not scored as spans";
    /// Layers of WebAnno and UIMA.
    Layers, "layers", false, "Files with several annotation layers; all layers of spans are read";
    /// brat events.
    Event, "event", false, "Events; not scored";
    /// brat attributes.
    Attribute, "attribute", false, "Attributes; not scored";
    /// brat normalisations.
    Normalisation, "normalisation", false, "Concept links; not scored";
    /// brat equivalences.
    Equivalence, "equivalence", false, "Equivalences; not scored";
    /// brat notes.
    Comment, "comment", false, "Annotators' comments; not read";
    /// The annotation's text spans lines.
    Continuation, "continuation", false, "Continuation lines; the annotation's text contains a line break";
    /// NA row.
    Placeholder, "placeholder", false, "Placeholder rows; ignored";
    /// A table's row with more or fewer cells.
    UnevenRow, "uneven_row", false, "Rows with another number of cells than the table has columns; read by the columns they have";
    /// A quote that never closes.
    UnclosedQuote, "unclosed_quote", false, "Quotes that open a cell and do not close it; the line is read as it stands";
    /// A table's column that has no meaning here.
    ColumnNotRead, "column_not_read", false, "Columns of a table that are not read";
    /// No column says the label.
    LabelDerived, "label_derived", false, "Files without a column of labels; labels come from elsewhere";
    /// term_exists = N.
    Negated, "negated", false, "Mentions that their file marks as negated; scored like the others";
    /// NaN, infinite or empty.
    UnusableScore, "unusable_score", true, "Scores that are not finite numbers; the label is kept without a score";
    /// Neither 0 nor 1.
    EmptyValue, "empty_value", false, "Empty cells of a table of truth values; read as absent";
    /// A span's own text is not what the document has there.
    SurfaceDiffers, "surface_differs", false, "Spans whose own text differs from the document's; kept as given";
    /// The same up to case and white space.
    SurfaceFolded, "surface_folded", false, "Spans whose own text differs in case or white space only; kept";
    /// Parts of a word that a pipeline left apart.
    GroupJoined, "group_joined", false, "Groups of a pipeline that go on inside a word; joined with the group before";
    /// The offsets fit the text in no way.
    OffsetsUnclear, "offsets_unclear", false, "Offsets that may count something else; read as they stand";
    /// An offset between the parts of a character.
    OffsetInsideCharacter, "offset_inside_character", true, "Spans that begin or end inside a character; not scored";
    /// No text to convert by.
    NotConverted, "not_converted", false, "Documents whose offsets could not be converted for want of a text; kept as given";
    /// Searched by its own text.
    FoundOnce, "found_once", false, "Items without offsets; found in the text once";
    /// Searched, several places.
    FoundMore, "found_more", false, "Items without offsets that occur in the text several times";
    /// Searched, no place.
    NotInText, "not_in_text", true, "Predicted texts that the document does not have; not scored unless clean-up counts them as spurious";
    /// No text to search.
    NotSearched, "not_searched", true, "Items without offsets in documents without a text; not scored unless clean-up counts them as spurious";
    /// Nothing to score in a reply.
    ReplyUnparsed, "reply_unparsed", true, "Replies in which no list and no marked text was found; scored as no predictions";
    /// Not as the benchmark's prompts ask.
    ReplyOtherShape, "reply_other_shape", false, "Replies of a shape that the benchmark's parsers do not read; read as lists of texts with their types";
    /// A reply that was cut off.
    ReplyCut, "reply_cut", true, "Replies whose list breaks off; the items before are kept";
    /// A mark without an end.
    MarkOpen, "mark_open", false, "Marks that are never closed; taken to end at the next mark or the end of the line";
    /// No type said.
    NoType, "no_type", false, "Items whose type is said nowhere; labelled \"entity\"";
    /// A reply that is not about the document.
    ReplyWithoutDocument, "reply_without_document", true, "Replies that do not contain the document; scored as no predictions";
    /// A reply with other white space.
    ReplyRespaced, "reply_respaced", false, "Replies that repeat the document; aligned ignoring white space";
    /// A reply with other words.
    ReplyRewritten, "reply_rewritten", false, "Replies that change the document's text or add to it; aligned by what is the same";
    /// Texts that differ in BOM and line ends.
    TextViewDiffers, "text_view_differs", false, "Texts that differ from gold's in the byte-order mark or line ends only; offsets converted";
    /// Texts that differ, brought together.
    TextRealigned, "text_realigned", false, "Texts that differ from gold's; spans brought to gold's text";
    /// A strict reader drops it.
    IllFormedTags, "ill_formed_tags", false, "Entities whose tags break their scheme, such as an I- that opens; read as conlleval reads them";
    /// Gold's tokens that the predictions lack.
    TokensNotPredicted, "tokens_not_predicted", true, "Gold tokens without a prediction, sentence by sentence; read as O";
    /// Predicted tokens that gold lacks.
    TokensNotInGold, "tokens_not_in_gold", true, "Predicted tokens that gold does not have, sentence by sentence; left out";
    /// Sentences of other bounds.
    SentencesSplit, "sentences_split", false, "Sentences that are split or joined otherwise than gold's; aligned by their tokens";
    /// Sentences in another order.
    SentencesReordered, "sentences_reordered", false, "Sentences in another order than gold's; paired by their tokens";
    /// The model read a part only.
    EndsEarly, "ends_early", false, "Predictions that end early in most long documents; the model may have cut its input";
    /// start = end.
    EmptySpan, "empty_span", false, "Empty spans; scored as given";
    /// start > end.
    InvertedSpan, "inverted_span", false, "Spans that end before they start; scored as given";
    /// Below zero.
    NegativeSpan, "negative_span", false, "Spans with negative offsets; scored as given";
    /// Past the end.
    SpanBeyondText, "span_beyond_text", false, "Spans beyond the end of the text; scored as given";
    /// Fragments.
    Discontinuous, "discontinuous", false, "Discontinuous spans; scored by all fragments, or as the option fragments says";
    /// A note without annotation file.
    NotAnnotated, "not_annotated", true, "Texts without annotations; not annotated, left out";
    /// A file of the annotation tool.
    ToolFile, "tool_file", false, "Files of a tool, or about the data; not needed";
    /// Map.
    UnmappedLabel, "unmapped_label", true, "Spans whose label the map does not name; dropped";
    /// Moved by a benchmark's loader.
    DatasetMovesSpan, "dataset_moves_span", false, "Spans that the benchmark's loader moves to the only place that has their text";
    /// Fragments that a benchmark's loader leaves out.
    DatasetFirstFragment, "dataset_first_fragment", true, "Discontinuous spans of which the benchmark's loader keeps the first fragment";
    /// Not of the test split.
    DatasetSelects, "dataset_selects", false, "Documents outside the benchmark's test split; left out";
    /// Offsets of another text than the one that is scored.
    DatasetOtherText, "dataset_other_text", false, "Predictions made on another text of the dataset than the one that is scored; offsets converted";
    /// The benchmark's loader.
    DatasetDropsSpan, "dataset_drops_span", true, "Spans that the benchmark's loader drops";
    /// The benchmark's loader.
    DatasetDropsDocument, "dataset_drops_document", true, "Documents that the benchmark's loader drops";
}

/// Where a problem is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// Index into the corpus' files.
    pub file: Option<u32>,
    /// Line, from 1; 0 when unknown.
    pub line: u64,
    /// Document id.
    pub document: Option<String>,
}

impl Place {
    /// A line of a file.
    pub fn at(file: u32, line: u64) -> Self {
        Place { file: Some(file), line, document: None }
    }

    /// The same place, in a document.
    pub fn of(mut self, document: &str) -> Self {
        self.document = Some(shorten(document));
        self
    }
}

/// A name short enough to be listed many times.
pub fn shorten(name: &str) -> String {
    const LONGEST: usize = 120;
    if name.len() <= LONGEST {
        return name.to_owned();
    }
    name.chars().take(LONGEST - 1).chain(['…']).collect()
}

/// One problem.
#[derive(Debug, Clone)]
pub struct Problem {
    /// Where.
    pub place: Place,
    /// What was found, without note text.
    pub found: String,
    /// What was expected.
    pub expected: String,
}

/// Problems by kind and file: all counted, the first ones listed.
#[derive(Debug, Clone, Default)]
pub struct Problems {
    groups: BTreeMap<(Kind, Option<u32>), (u64, Vec<Problem>)>,
    listed: BTreeMap<Kind, u64>,
}

impl Problems {
    /// Adds one problem.
    pub fn add(&mut self, kind: Kind, place: Place, found: impl Into<String>, expected: impl Into<String>) {
        let (count, listed) = self.groups.entry((kind, place.file)).or_default();
        let of_kind = self.listed.entry(kind).or_default();
        *count += 1;
        if *count <= LISTED && *of_kind < LISTED_OF_KIND {
            *of_kind += 1;
            listed.push(Problem { place, found: found.into(), expected: expected.into() });
        }
    }

    /// Forgets what is told otherwise.
    pub(crate) fn forget_kind(&mut self, of: Kind) {
        self.groups.retain(|(kind, _), _| *kind != of);
    }

    /// Forgets the problems of files that do not count after all.
    pub(crate) fn forget(&mut self, of: impl Fn(u32) -> bool) {
        self.groups.retain(|(_, file), _| !file.is_some_and(&of));
    }

    /// Every kind with its count and listed problems, in order of kind, then file.
    pub fn by_kind(&self) -> Vec<(Kind, u64, Vec<&Problem>)> {
        let mut kinds: Vec<(Kind, u64, Vec<&Problem>)> = Vec::new();
        for (&(kind, _), (count, listed)) in &self.groups {
            match kinds.last_mut() {
                Some(last) if last.0 == kind => {
                    last.1 += count;
                    last.2.extend(listed);
                }
                _ => kinds.push((kind, *count, listed.iter().collect())),
            }
        }
        kinds
    }

    /// How many problems there are, by kind and file.
    pub fn by_file(&self) -> impl Iterator<Item = (u32, u64)> {
        self.groups.iter().filter_map(|((_, file), (count, _))| Some(((*file)?, *count)))
    }

    /// How many problems of a kind there are.
    pub fn count(&self, kind: Kind) -> u64 {
        self.groups.iter().filter(|((k, _), _)| *k == kind).map(|(_, (count, _))| count).sum()
    }
}
