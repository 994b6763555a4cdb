//! A model's `config.json` of the NCER benchmark: its label maps by dataset, under `label_normalization_map`. It
//! holds no documents; the maps are used for the predictions beside it.

use super::{Format, Reading, json};
use crate::corpus::problems::Kind;
use crate::corpus::scheme::LabelMaps;
use crate::source::{SourceError, read_range};

/// The format.
pub static FORMAT: Format = Format::of("config", "label maps of a model", sniff, read);

/// No config is as long; a file of records may be.
const LONGEST: u64 = 1 << 24;

fn sniff(head: &str) -> Option<(u8, String)> {
    let config = head.trim_start().starts_with('{') && head.contains("\"label_normalization_map\"");
    config.then(|| (98, "label_normalization_map".into()))
}

fn read(mut reading: Reading<'_>) -> Result<(), SourceError> {
    let (source, from) = reading.source();
    let length = source.len().saturating_sub(from);
    let bytes = read_range(&*source, from, length.min(LONGEST))?;
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        Err(error) => {
            reading.bad_encoding(0, &bytes, error.valid_up_to());
            return Ok(());
        }
    };
    let maps = serde_json::from_str::<serde_json::Value>(text)
        .map_err(|error| json::syntax(&error, length <= LONGEST))
        .and_then(|value| LabelMaps::of(&value));
    let place = reading.at(0);
    match maps {
        Ok(maps) => {
            if reading.corpus.label_maps.replace(maps).is_some() {
                let found = "label maps once more";
                reading.corpus.problems.add(Kind::MapsAgain, place, found, "one config a system");
            }
        }
        Err(found) => {
            let expected = r#"{"label_normalization_map": {"NCBI": {"their label": "our label"}}}"#;
            reading.corpus.problems.add(Kind::BadRecord, place, found, expected);
        }
    }
    Ok(())
}
