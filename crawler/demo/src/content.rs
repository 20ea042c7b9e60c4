//! The prose of the site, compiled into the program, and the parser of its files.
//!
//! A content file is a sequence of entries. An entry is a head line and paragraphs of one line each:
//!
//! ```text
//! === slug | title | further field | …
//! First paragraph.
//! Second paragraph.
//! ```

use std::sync::LazyLock;

/// One entry of a content file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Short name, unique over all content files; becomes the last segment of the path.
    pub slug: &'static str,
    /// The heading.
    pub title: &'static str,
    /// Further fields of the head line: the date of an article, the price and the article number of a product.
    pub fields: Vec<&'static str>,
    /// The text.
    pub paragraphs: Vec<&'static str>,
}

impl Entry {
    /// The further field at `index`; empty if the head line does not have it.
    pub fn field(&self, index: usize) -> &'static str {
        self.fields.get(index).copied().unwrap_or_default()
    }
}

/// Twelve encyclopaedic articles; the further field is the date of the last revision.
pub const ARTICLES: &str = include_str!("content/articles.txt");
/// Nine Chinese articles; the further field is the date of the last revision.
pub const CHINESE: &str = include_str!("content/chinese.txt");
/// Fifteen products; the further fields are price in euros and article number.
pub const PRODUCTS: &str = include_str!("content/products.txt");
/// The introductions of the home page and of the index page of each area.
pub const INDEXES: &str = include_str!("content/indexes.txt");
/// Single short pages: notices, rooms, tickets, excuses.
pub const NOTES: &str = include_str!("content/notes.txt");
/// The pages of the application that scripts draw; the first is its index.
pub const APP: &str = include_str!("content/app.txt");
/// The text of every sheet of the calendar.
pub const CALENDAR: &str = include_str!("content/calendar.txt");

/// Words of a generated sentence.
const SENTENCE: usize = 13;

/// A text of `words` words that no other `name` has. The text makes no sense, and its words come from the articles.
pub fn prose(name: &str, words: usize) -> String {
    let mut text = String::new();
    for n in 0..words {
        let word = word(name, n);
        match n % SENTENCE {
            0 => text.push_str(&capital(word)),
            _ => text.push_str(word),
        }
        let is_end = n % SENTENCE == SENTENCE - 1 || n + 1 == words;
        text.push_str(if is_end { ". " } else { " " });
    }
    text.trim_end().to_owned()
}

/// A title of three words.
pub fn title(name: &str, n: usize) -> String {
    let words: Vec<&str> = (0..3).map(|at| word(&format!("{name} title"), 3 * n + at)).collect();
    capital(&words.join(" "))
}

/// A word from the articles, by a name and a number.
pub fn word(name: &str, n: usize) -> &'static str {
    static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let words = ARTICLES.split(|c: char| !c.is_ascii_lowercase());
        let mut words: Vec<&str> = words.filter(|word| (4..=9).contains(&word.len())).collect();
        words.sort_unstable();
        words.dedup();
        words
    });
    // FNV-1a over the name and the number: any frozen hash will do.
    let bytes = name.bytes().chain((n as u64).to_le_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let at = (hash >> 17) % (WORDS.len().max(1) as u64);
    WORDS
        .get(usize::try_from(at).unwrap_or_default())
        .copied()
        .unwrap_or("word")
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// The entries of a content file, in order.
pub fn entries(file: &'static str) -> Vec<Entry> {
    file.split("=== ").skip(1).map(entry).collect()
}

/// The entry called `slug`, if the file has one.
pub fn find(file: &'static str, slug: &str) -> Option<Entry> {
    entries(file).into_iter().find(|entry| entry.slug == slug)
}

fn entry(text: &'static str) -> Entry {
    let mut lines = text.lines();
    let mut head = lines.next().unwrap_or_default().split(" | ");
    Entry {
        slug: head.next().unwrap_or_default(),
        title: head.next().unwrap_or_default(),
        fields: head.collect(),
        paragraphs: lines.filter(|line| !line.is_empty()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn an_entry_is_a_head_line_and_its_paragraphs() {
        let parsed = entries("=== a | Title A | 1.00 | X-1\nOne.\n\nTwo.\n=== b | Title B\nThree.\n");
        assert_eq!(parsed.len(), 2);
        assert_eq!((parsed[0].slug, parsed[0].title), ("a", "Title A"));
        assert_eq!(
            (parsed[0].field(0), parsed[0].field(1), parsed[0].field(2)),
            ("1.00", "X-1", "")
        );
        assert_eq!(parsed[0].paragraphs, ["One.", "Two."]);
        assert_eq!((parsed[1].slug, parsed[1].paragraphs.len()), ("b", 1));
    }

    #[test]
    fn slugs_are_unique_and_every_entry_has_text() {
        let mut seen = HashSet::new();
        for file in [ARTICLES, CHINESE, PRODUCTS, NOTES, CALENDAR] {
            for entry in entries(file) {
                assert!(seen.insert(entry.slug), "{} is there twice", entry.slug);
                assert!(
                    !entry.title.is_empty() && !entry.paragraphs.is_empty(),
                    "{}",
                    entry.slug
                );
            }
        }
    }

    #[test]
    fn articles_are_long_and_descriptions_have_substance() {
        let words = |entry: &Entry| {
            entry
                .paragraphs
                .iter()
                .map(|p| p.split_whitespace().count())
                .sum::<usize>()
        };
        let articles = entries(ARTICLES);
        assert!(articles.len() >= 10 && articles.iter().all(|a| (300..=800).contains(&words(a))));
        let products = entries(PRODUCTS);
        assert!(products.len() >= 13 && products.iter().all(|p| words(p) >= 80));
        let characters = |entry: &Entry| entry.paragraphs.iter().map(|p| p.chars().count()).sum::<usize>();
        let chinese = entries(CHINESE);
        assert!(chinese.len() >= 8 && chinese.iter().all(|c| (400..=800).contains(&characters(c))));
    }
}
