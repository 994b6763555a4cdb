//! Tokens with tags → spans. A tag is a prefix, `-` and a label: B, I, E, S, L, U as in IOB2, IOBES and
//! BILOU. A leading I- starts a span and a change of label splits, as conlleval has it.

/// Spans of tagged tokens as (start, end, label), and how many tags are of no known shape (read as `O`).
pub(super) fn spans<'t>(tags: &'t [String], places: &[(i64, i64)]) -> (Vec<(i64, i64, &'t str)>, u64) {
    let mut spans: Vec<(i64, i64, &str)> = Vec::new();
    let mut unknown = 0;
    // Whether the last span may go on.
    let mut open = false;
    for (tag, &(start, end)) in tags.iter().zip(places) {
        let (prefix, label) = tag.split_once('-').unwrap_or((tag, ""));
        let known = matches!(prefix, "B" | "I" | "E" | "S" | "L" | "U") && !label.is_empty();
        if !known {
            unknown += u64::from(!matches!(tag.as_str(), "O" | ""));
            open = false;
            continue;
        }
        match spans.last_mut() {
            Some(last) if open && matches!(prefix, "I" | "E" | "L") && last.2 == label => last.1 = end,
            _ => spans.push((start, end, label)),
        }
        open = matches!(prefix, "B" | "I");
    }
    (spans, unknown)
}

#[cfg(test)]
mod tests {
    fn read(tags: &str) -> (Vec<(i64, i64, String)>, u64) {
        let tags: Vec<String> = tags.split(' ').map(str::to_owned).collect();
        let places: Vec<(i64, i64)> = (0..tags.len() as i64).map(|at| (at, at + 1)).collect();
        let (spans, unknown) = super::spans(&tags, &places);
        (spans.into_iter().map(|(start, end, label)| (start, end, label.to_owned())).collect(), unknown)
    }

    #[test]
    fn prefixes() {
        let x = |start, end| (start, end, "x".to_owned());
        assert_eq!(read("B-x I-x E-x O S-x"), (vec![x(0, 3), x(4, 5)], 0));
        assert_eq!(read("B-x L-x I-x U-x"), (vec![x(0, 2), x(2, 3), x(3, 4)], 0));
        assert_eq!(read("I-x I-x B-x I-y"), (vec![x(0, 2), x(2, 3), (3, 4, "y".to_owned())], 0));
        assert_eq!(read("drug B- X O"), (vec![], 3));
    }
}
