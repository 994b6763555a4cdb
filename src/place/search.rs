//! Finds a span without offsets by its own text: white space and case do not count.

/// A text without its white space, in lower case, and where each character stands.
pub struct Squeezed {
    text: String,
    /// Code point of the original behind each byte of `text`.
    points: Vec<u32>,
    /// Per code point of the original: whether it can be part of a word.
    words: Vec<bool>,
}

impl Squeezed {
    /// Squeezes a text.
    pub fn new(text: &str) -> Self {
        let mut this = Squeezed { text: String::new(), points: Vec::new(), words: Vec::new() };
        for (point, c) in text.chars().enumerate() {
            this.words.push(c.is_alphanumeric() || c == '_');
            if c.is_whitespace() {
                continue;
            }
            for lower in c.to_lowercase() {
                this.text.push(lower);
                this.points.resize(this.text.len(), point as u32);
            }
        }
        this
    }

    /// Where `item` occurs, as code point ranges from left to right. Where an item begins or ends with a letter or digit, whole words are meant; parts of words count only where
    /// there is no whole one.
    pub fn find(&self, item: &str) -> Vec<(i64, i64)> {
        let needle: String =
            item.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
        if needle.is_empty() {
            return Vec::new();
        }
        let mut places = Vec::new();
        for at in memchr::memmem::find_iter(self.text.as_bytes(), needle.as_bytes()) {
            let (start, end) = (self.points[at], self.points[at + needle.len() - 1] + 1);
            places.push((i64::from(start), i64::from(end)));
        }
        let whole: Vec<(i64, i64)> = places.iter().copied().filter(|&place| self.is_whole(place)).collect();
        if whole.is_empty() { places } else { whole }
    }

    fn is_whole(&self, (start, end): (i64, i64)) -> bool {
        let word = |at: i64| usize::try_from(at).ok().and_then(|at| self.words.get(at)).is_some_and(|&w| w);
        let inside = |at: i64| word(at - 1) && word(at);
        !inside(start) && !inside(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_come_first() {
        let text = Squeezed::new("Admission: MI, mi again; covid-19");
        assert_eq!(text.find("mi"), [(11, 13), (15, 17)]);
        assert_eq!(text.find("covid - 19"), [(25, 33)]);
        assert_eq!(text.find("missio"), [(2, 8)]);
        assert_eq!(text.find(" "), []);
    }
}
