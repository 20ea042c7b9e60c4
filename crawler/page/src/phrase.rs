//! Phrases in titles and texts: folded, so that case, punctuation and invisible characters do not matter.

use crate::words::is_ignorable;

/// Separators between the title of a page and the name of its site.
const SEPARATORS: &[&str] = &[
    " | ", " - ", " – ", " — ", " · ", " • ", " :: ", " » ", " « ", " / ", ": ", "｜", "_", "－",
];

/// A title, and its first and last part beside each separator: one of them may be the name of the site.
pub(crate) fn parts(title: &str) -> impl Iterator<Item = &str> {
    let beside_a_name = SEPARATORS.iter().flat_map(move |separator| {
        let before = title.split_once(separator).map(|(first, _)| first);
        let after = title.rsplit_once(separator).map(|(_, last)| last);
        before.into_iter().chain(after)
    });
    std::iter::once(title).chain(beside_a_name)
}

/// Lower case, punctuation as white space, white space collapsed.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !is_ignorable(*c)).flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            folded.push(c);
        } else if !folded.is_empty() && !folded.ends_with(' ') {
            folded.push(' ');
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

/// Whether a folded text has a phrase: whole words, except in scripts without spaces.
pub(crate) fn says(folded: &str, phrase: &str) -> bool {
    folded
        .match_indices(phrase)
        .any(|(at, _)| is_whole(folded, at, at + phrase.len()))
}

/// Whether the bytes from `start` to `end` of a folded text are whole words. Scripts without spaces have no such bounds.
pub(crate) fn is_whole(folded: &str, start: usize, end: usize) -> bool {
    let is_part_of_word = |c: char| c.is_alphanumeric() && c < '\u{2e80}';
    let before = folded[..start].chars().next_back();
    let after = folded[end..].chars().next();
    !before.is_some_and(is_part_of_word) && !after.is_some_and(is_part_of_word)
}
