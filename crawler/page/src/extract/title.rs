//! The words of the title of a page, and how much of a run is in them.

use crate::map::Set;
use crate::scale::share;

/// Longest run that is compared with the title, in bytes.
const MAX_RUN_BYTES: usize = 300;

/// The words of a title in lower case.
pub(super) struct Title {
    words: Set<String>,
    /// A bit for each beginning and length of an ASCII word. Most words of a run have no such bit, and need no search.
    beginnings: u64,
}

impl Title {
    pub(super) fn of(title: &str) -> Self {
        let words: Set<String> = words(title).map(str::to_lowercase).collect();
        let ascii = words.iter().filter(|word| word.is_ascii());
        let beginnings = ascii.fold(0, |bits, word| bits | beginning(word.as_bytes()));
        Self { words, beginnings }
    }

    /// The share of the letters of a short run in words of the title.
    pub(super) fn share_of(&self, text: &str) -> i16 {
        if text.len() > MAX_RUN_BYTES || self.words.is_empty() {
            return 0;
        }
        let (mut all, mut shared) = (0, 0);
        let mut count = |bytes, is_in_title| {
            all += bytes;
            shared += if is_in_title { bytes } else { 0 };
        };
        if text.is_ascii() {
            let bytes = text.as_bytes();
            for word in bytes
                .split(|byte| !byte.is_ascii_alphanumeric())
                .filter(|word| !word.is_empty())
            {
                count(word.len(), self.has_ascii(word));
            }
        } else {
            for word in words(text).map(str::to_lowercase) {
                count(word.len(), self.words.contains(&word));
            }
        }
        share(shared, all)
    }

    fn has_ascii(&self, word: &[u8]) -> bool {
        if self.beginnings & beginning(word) == 0 {
            return false;
        }
        let mut lower = [0; MAX_RUN_BYTES];
        let lower = &mut lower[..word.len()];
        lower.copy_from_slice(word);
        lower.make_ascii_lowercase();
        std::str::from_utf8(lower).is_ok_and(|word| self.words.contains(word))
    }
}

/// The bit of a word by its first byte, in lower case, and its length.
fn beginning(word: &[u8]) -> u64 {
    let first = word.first().map_or(0, u8::to_ascii_lowercase);
    1 << ((usize::from(first) + 5 * word.len()) % 64)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_that_of_the_letters_in_words_of_the_title() {
        let title = Title::of("The Ölofen: a HISTORY, 2nd part");
        for (text, part, all) in [
            ("History of the part", 14, 16),
            ("ölofen", 7, 7),
            ("of histories", 0, 11),
            ("2nd-part!", 7, 7),
            ("", 0, 0),
        ] {
            assert_eq!(title.share_of(text), share(part, all), "{text}");
        }
        assert_eq!(Title::of("").share_of("word"), 0);
        assert_eq!(title.share_of(&"part ".repeat(100)), 0, "long runs do not count");
    }
}
