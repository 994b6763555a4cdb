//! GLiNER: `[{"start", "end", "text", "label", "score"}]` a document, GLiNER2:
//! `{"entities": {"drug": [{"text", "start", "end", "confidence"}]}}`, and plain dictionaries of texts by label.
//! Offsets are code points, end exclusive; where there are none, the texts are searched.

use super::items::Grain;
use super::{Format, outputs};

/// The format.
pub static FORMAT: Format = Format {
    file_is_document: true,
    ..Format::of("gliner", "GLiNER items, or texts by label", sniff, outputs::read)
};

fn sniff(head: &str) -> Option<(u8, String)> {
    let probe = outputs::probe(head).filter(|probe| probe.grain == Grain::Span && !probe.row)?;
    let [text, label, bounds, score] = probe.has;
    let why = match () {
        // The JSON format reads records with their text or with offsets itself.
        () if !text || !label || probe.in_record[0] || probe.in_record[1] && bounds => return None,
        () if probe.by_label => "texts listed by label",
        () if bounds && score => "items with start, end, text, label and score",
        () if bounds => "items with start, end, text and label",
        () => "items with text and label",
    };
    Some((97, why.into()))
}
