//! OMOP's domains: which one a clinical type's concepts belong to.

/// Clinical type → domain of the OMOP vocabularies (`domain_id`). Variants are Measurement there, as all of COSMIC
/// and OMOP Genomic is; a gene as such has no domain of its own: what is measured, expressed or changed of it has.
static DOMAINS: &[(&str, &str)] = &[
    ("condition", "Condition"),
    ("drug", "Drug"),
    ("procedure", "Procedure"),
    ("measurement", "Measurement"),
    ("gene variant", "Measurement"),
];

/// The domain of a label: of a clinical type of a benchmark, or a domain itself, in any case.
pub fn domain(label: &str) -> Option<&'static str> {
    DOMAINS.iter().find(|(name, _)| name.eq_ignore_ascii_case(label)).map(|(_, domain)| *domain)
}
