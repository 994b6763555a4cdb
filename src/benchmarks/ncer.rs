//! The Named Clinical Entity Recognition Benchmark (arXiv 2410.05046): datasets whose native files give the
//! benchmark's gold. Read from its public code (clinical_ner_benchmark, Apache-2.0).

use super::Dataset;
use crate::corpus::scheme::LabelMap;

/// One dataset of the benchmark.
pub struct NcerDataset {
    /// How it is shown.
    pub shown: Dataset,
    /// Key in the results file: the name in lower case.
    pub key: &'static str,
    /// Clinical types scored, in order.
    pub types: &'static [&'static str],
    /// Native label → clinical type; everything else is dropped.
    pub map: &'static [(&'static str, &'static str)],
    /// What its loader does in `reference` mode.
    pub loading: Loading,
    /// Documents and spans of the benchmark's gold, where it is known.
    pub gold: Option<(u64, u64)>,
}

/// What a dataset's loader does to gold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loading {
    /// A span whose own text is not the document's at its offsets is dropped.
    ByText,
    /// Of a discontinuous span the first fragment counts.
    FirstFragment,
    /// The test split's documents, the loader's text, first fragments; a span whose text is not at its offsets
    /// moves to the only place with it or is dropped.
    Chia,
}

impl NcerDataset {
    /// The label map as a map.
    pub fn label_map(&self) -> LabelMap {
        self.map.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect()
    }
}

/// One of the benchmark's five metrics.
pub struct Metric {
    /// Name in the results file.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// Whether it counts spans, not tokens.
    pub spans: bool,
}

/// The metrics, in the order of the results file; the first is the headline.
pub static METRICS: &[Metric] = &[
    Metric { name: "SpanBasedWithPartialOverlap", title: "span F1, partial overlap", spans: true },
    Metric { name: "SpanBasedWithExactOverlap", title: "span F1, exact", spans: true },
    Metric { name: "TokenBasedWithMacroAverage", title: "token F1, macro", spans: false },
    Metric { name: "TokenBasedWithMicroAverage", title: "token F1, micro", spans: false },
    Metric { name: "TokenBasedWithWeightedAverage", title: "token F1, weighted", spans: false },
];

const SOURCE: &str = "NCER benchmark, arXiv 2410.05046";
const MAPPED: &str = "The gold labels are mapped to the benchmark's clinical types, others are dropped, and so is a \
                      document that is blank or left without gold spans.";

const BY_TEXT: &str = "The gold labels are mapped to the benchmark's clinical types, others are dropped. A gold \
                       span whose own text differs from the document's at its offsets is dropped, and so is a \
                       document that is blank or left without gold spans.";

const fn shown(name: &'static str, words: &'static str) -> Dataset {
    Dataset { benchmark: "ncer", name, words, source: SOURCE }
}

/// The benchmark's clinical types, in its order.
pub const TYPES: &[&str] = &["condition", "drug", "procedure", "measurement", "gene", "gene variant"];

/// Every dataset: the benchmark's four in its order, then the later additions of its code.
pub static DATASETS: &[NcerDataset] = &[
    NcerDataset {
        shown: shown("NCBI", BY_TEXT),
        key: "ncbi",
        types: &["condition"],
        map: &[
            ("SpecificDisease", "condition"),
            ("DiseaseClass", "condition"),
            ("Modifier", "condition"),
            ("CompositeMention", "condition"),
        ],
        loading: Loading::ByText,
        gold: Some((100, 960)),
    },
    NcerDataset {
        shown: shown(
            "CHIA",
            "The 191 documents of the benchmark's test split are scored. Line ends become \\n, and a newline \
             between two letters, commas or full stops is doubled. Of a discontinuous span the first fragment's \
             offsets count. A gold span whose text is not at its offsets moves to the only place that has it, or \
             is dropped. The labels are mapped to the benchmark's clinical types, others are dropped, and so is \
             a document that is blank or left without gold spans.",
        ),
        key: "chia",
        types: &["condition", "drug", "procedure", "measurement"],
        map: &[
            ("Condition", "condition"),
            ("Drug", "drug"),
            ("Procedure", "procedure"),
            ("Measurement", "measurement"),
        ],
        loading: Loading::Chia,
        gold: Some((191, 1_956)),
    },
    NcerDataset {
        shown: shown("BIORED", BY_TEXT),
        key: "biored",
        types: &["condition", "drug", "gene", "gene variant"],
        map: &[
            ("DiseaseOrPhenotypicFeature", "condition"),
            ("ChemicalEntity", "drug"),
            ("GeneOrGeneProduct", "gene"),
            ("SequenceVariant", "gene variant"),
        ],
        loading: Loading::ByText,
        gold: Some((100, 3_092)),
    },
    NcerDataset {
        shown: shown(
            "BC5CDR",
            "Of a discontinuous gold span the first fragment counts. The labels are mapped to the benchmark's \
             clinical types, others are dropped, and so is a document that is blank or left without gold spans. \
             The benchmark reads the BioC XML file; the PubTator file has 119 mentions fewer.",
        ),
        key: "bc5cdr",
        types: &["condition", "drug"],
        map: &[("Disease", "condition"), ("Chemical", "drug")],
        loading: Loading::FirstFragment,
        gold: Some((500, 9_928)),
    },
    NcerDataset {
        shown: shown("BC2GM", MAPPED),
        key: "bc2gm",
        types: &["gene"],
        map: &[("gene", "gene"), ("GENE", "gene")],
        loading: Loading::ByText,
        gold: None,
    },
    NcerDataset {
        shown: shown("BC4CHEMD", MAPPED),
        key: "bc4chemd",
        types: &["drug"],
        map: &[("Chemical", "drug")],
        loading: Loading::ByText,
        gold: None,
    },
    // The benchmark's code loads JNLPBA without a map; cell types and cell lines are no clinical type.
    NcerDataset {
        shown: shown("JNLPBA", MAPPED),
        key: "jnlpba",
        types: &["gene"],
        map: &[("protein", "gene"), ("DNA", "gene"), ("RNA", "gene")],
        loading: Loading::ByText,
        gold: None,
    },
];

/// The dataset of a name, in any case.
pub fn dataset(name: &str) -> Option<&'static NcerDataset> {
    DATASETS.iter().find(|dataset| dataset.shown.name.eq_ignore_ascii_case(name))
}

/// The names of all datasets, for a message.
pub fn names() -> String {
    DATASETS.iter().map(|dataset| dataset.shown.name).collect::<Vec<_>>().join(", ")
}

/// The dataset that a corpus' labels speak for: all those of its map occur. Of the two labels of BC5CDR alone
/// nothing is said where others occur too.
pub fn of_labels<'l>(labels: impl Iterator<Item = &'l str> + Clone) -> Option<&'static str> {
    let fits = |dataset: &&NcerDataset| {
        let named = |name: &str| dataset.map.iter().any(|(from, _)| *from == name);
        dataset.map.len() > 1
            && dataset.map.iter().all(|(from, _)| labels.clone().any(|label| label == *from))
            && (dataset.map.len() > 2 || labels.clone().all(named))
    };
    DATASETS[..4].iter().find(fits).map(|dataset| dataset.shown.name)
}

/// Words of label names that say a clinical type, in lower case without separators.
static SYNONYMS: &[(&str, &[&str])] = &[
    (
        "condition",
        &[
            "disease",
            "diseases",
            "disorder",
            "medicalcondition",
            "problem",
            "diagnosis",
            "dis",
            "sign",
            "symptom",
            "signsymptom",
            "diseaseorphenotypicfeature",
            "specificdisease",
            "diseaseclass",
            "phenotype",
        ],
    ),
    (
        "drug",
        &[
            "drugs",
            "chemical",
            "chemicals",
            "chem",
            "medication",
            "medications",
            "medicine",
            "chemicalentity",
            "drugname",
        ],
    ),
    ("procedure", &["procedures", "treatment", "therapy", "operation", "surgery"]),
    ("measurement", &["measurements", "test", "lab", "labtest", "labvalue", "laboratory"]),
    ("gene", &["genes", "protein", "proteins", "geneorgeneproduct", "geneproduct", "geneprotein"]),
    (
        "gene variant",
        &[
            "variant",
            "variants",
            "genevariant",
            "mutation",
            "mutations",
            "sequencevariant",
            "dnamutation",
            "proteinmutation",
        ],
    ),
];

impl NcerDataset {
    /// The clinical type of this dataset that a label's name speaks for: a proposal, never applied unasked.
    pub fn propose(&self, label: &str) -> Option<&'static str> {
        let tag = label.strip_prefix("B-").or_else(|| label.strip_prefix("I-")).unwrap_or(label);
        let name: String = tag.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        let means = |kind: &str| {
            let same = kind.chars().filter(|c| *c != ' ').eq(name.chars());
            same || SYNONYMS.iter().any(|(of, words)| *of == kind && words.contains(&name.as_str()))
        };
        self.types.iter().copied().find(|kind| means(kind))
    }
}
