//! The Named Clinical Entity Recognition Benchmark (arXiv 2410.05046): datasets whose native files give the
//! benchmark's gold. Read from its public code (clinical_ner_benchmark, Apache-2.0).

use super::Dataset;
use crate::corpus::scheme::LabelMap;

/// One dataset of the benchmark.
pub struct NcerDataset {
    /// How it is shown.
    pub shown: Dataset,
    /// Key in the results file.
    pub key: &'static str,
    /// Clinical types scored, in order.
    pub types: &'static [&'static str],
    /// Native label → clinical type; everything else is dropped.
    pub map: &'static [(&'static str, &'static str)],
}

impl NcerDataset {
    /// The label map as a map.
    pub fn label_map(&self) -> LabelMap {
        self.map.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect()
    }
}

const WORDS: &str = "The gold labels are mapped to the benchmark's clinical types, others are dropped. A gold span \
                     whose own text differs from the document's at its offsets is dropped, and so is a \
                     document that is blank or left without gold spans.";
const SOURCE: &str = "NCER benchmark, arXiv 2410.05046";

/// The benchmark's clinical types, in its order.
pub const TYPES: &[&str] = &["condition", "drug", "procedure", "measurement", "gene", "gene variant"];

/// Every dataset, by name.
pub static DATASETS: &[NcerDataset] = &[
    NcerDataset {
        shown: Dataset { benchmark: "ncer", name: "NCBI", words: WORDS, source: SOURCE },
        key: "ncbi",
        types: &["condition"],
        map: &[
            ("SpecificDisease", "condition"),
            ("DiseaseClass", "condition"),
            ("Modifier", "condition"),
            ("CompositeMention", "condition"),
        ],
    },
    NcerDataset {
        shown: Dataset { benchmark: "ncer", name: "BIORED", words: WORDS, source: SOURCE },
        key: "biored",
        types: &["condition", "drug", "gene", "gene variant"],
        map: &[
            ("DiseaseOrPhenotypicFeature", "condition"),
            ("ChemicalEntity", "drug"),
            ("GeneOrGeneProduct", "gene"),
            ("SequenceVariant", "gene variant"),
        ],
    },
];

/// The dataset of a name, in any case.
pub fn dataset(name: &str) -> Option<&'static NcerDataset> {
    DATASETS.iter().find(|dataset| dataset.shown.name.eq_ignore_ascii_case(name))
}
