//! Concept ids as files write them: several in one value, and words for none.

/// The ids of a value, trimmed. Several are separated by `;`, `,`, `|` or `+`, the last two of which variants
/// hold themselves (`p|SUB|V|1763|M`, `c.76+1G>A`).
pub fn ids(value: &str) -> Vec<&str> {
    let is_variant = |id: &str| {
        let change = |part| matches!(part, "SUB" | "DEL" | "INS" | "DUP" | "INDEL" | "FS" | "SSR" | "Allele");
        id.contains('>') || id.split('|').any(change)
    };
    let mut ids = Vec::new();
    for part in value.split([';', ',']) {
        if is_variant(part) {
            ids.push(part);
        } else {
            ids.extend(part.split(['|', '+']));
        }
    }
    ids.into_iter().map(str::trim).filter(|id| !id.is_empty()).collect()
}

/// Whether an id says that there is no concept: OMOP's `0`, `-1` of BC5CDR and `-` of PubTator.
pub fn is_none(id: &str) -> bool {
    matches!(id, "0" | "-1" | "-")
}
