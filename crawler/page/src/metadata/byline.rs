//! The authors that a page shows: in elements that are marked as such, and in lines such as "By Jane Doe".

use super::claims::Source;
use super::date::{self, Order};
use super::names::{Certainty, after_written_by, people};
use super::text::folded;
use super::visible::{MAX_SHORT_LINE_BYTES, Mark, Visible};

/// Most names in an element that does not say "by". More are a list of something else.
const MAX_UNTOLD_NAMES: usize = 5;

/// Words between a date and an author.
const BETWEEN: &[&str] = &[
    " by ", " By ", " von ", " par ", " por ", " da ", " door ", " av ", " af ",
];

/// Labels within a line: Chinese and Japanese pages write source, author and editor in one.
const LABELS: &[&str] = &[
    "作者：",
    "作者:",
    "记者：",
    "记者:",
    "記者：",
    "記者:",
    "撰文：",
    "撰文:",
    "文：",
    "執筆：",
    "著者：",
    "글쓴이:",
    "작성자:",
];

impl Visible {
    /// Whether a short line after the heading has this name, folded. The name of the site is before it.
    pub(super) fn is_named_after_heading(&self, name: &str) -> bool {
        let heading = self.heading.unwrap_or(usize::MAX);
        let mut after = self.lines_near().filter(|(at, _)| *at > heading);
        after.any(|(_, line)| folded(line).contains(name))
    }

    /// The authors that marked elements name. Away from the heading, only one name is believed.
    pub(super) fn marked_authors(&self, is_refused: impl Fn(&str) -> bool) -> Option<(Vec<String>, Source)> {
        for (mark, source) in [(Mark::AuthorLink, Source::Link), (Mark::Author, Source::Class)] {
            let mut far: Vec<(usize, Vec<String>)> = Vec::new();
            let mut near: Option<(usize, Vec<String>)> = None;
            for marked in self.near_first(|this| this == mark) {
                let mut names = people(&marked.text, Certainty::Shown);
                names.retain(|name| !is_refused(name));
                let is_list = names.len() > MAX_UNTOLD_NAMES && after_written_by(&marked.text).is_none();
                if names.is_empty() || is_list {
                    continue;
                }
                match &mut near {
                    _ if !self.is_near(marked.line) => far.push((marked.line, names)),
                    None => near = Some((marked.line, names)),
                    // Several authors have an element each, in one line or in lines one after the other.
                    Some((line, found)) if mark == Mark::AuthorLink && marked.line.abs_diff(*line) <= 1 => {
                        names.retain(|name| !found.contains(name));
                        found.extend(names);
                        *line = marked.line;
                    }
                    Some(_) => {}
                }
            }
            far.dedup_by(|one, other| one.1 == other.1);
            let only = || Some(far).filter(|far| far.len() == 1).and_then(|mut far| far.pop());
            if let Some((_, names)) = near.or_else(only) {
                return Some((names, source));
            }
        }
        None
    }

    /// The authors that a line near the heading names after a word such as "by". The word may be a line of its own.
    pub(super) fn told_authors(&self, order: Order) -> Vec<String> {
        let mut near = self.lines_near();
        let next = |at: usize| self.lines.get(at + 1).map(String::as_str).unwrap_or_default();
        let found = near.find_map(|(at, line)| authors_of_line(line, next(at), order));
        found.or_else(|| self.labelled_authors(next)).unwrap_or_default()
    }

    /// The authors after a label with a colon, such as "Author:", or after "Posted by", anywhere on the page, if they are the same wherever
    /// they stand.
    fn labelled_authors<'a>(&self, next: impl Fn(usize) -> &'a str) -> Option<Vec<String>> {
        let short = self
            .lines
            .iter()
            .enumerate()
            .filter(|(_, line)| line.len() <= MAX_SHORT_LINE_BYTES);
        let mut found = short.filter_map(|(at, line)| {
            let rest = after_label(line)?;
            let names = told(if rest.is_empty() { next(at) } else { rest });
            (!names.is_empty()).then_some(names)
        });
        let first = found.next()?;
        found.all(|names| names == first).then_some(first)
    }
}

/// What follows a label that is only written before authors.
fn after_label(line: &str) -> Option<&str> {
    let rest = after_written_by(line)?;
    let label = &line[..line.len() - rest.len()];
    let is_phrase = label.trim().contains(' ');
    (is_phrase || label.contains([':', '：'])).then_some(rest)
}

/// The authors that a line names. `next` is the line after it.
fn authors_of_line(line: &str, next: &str, order: Order) -> Option<Vec<String>> {
    if after_written_by(line) == Some("") {
        return Some(told(next)).filter(|names| !names.is_empty());
    }
    let parts = line.split(['|', '•', '·', '–', '—']).map(str::trim);
    let after_word = parts.filter_map(after_written_by);
    // "5 March 2024 by Jane Doe"
    let is_dated = date::shown(line, order).is_some();
    let between = BETWEEN
        .iter()
        .filter(|_| is_dated)
        .filter_map(|word| Some(line.split_once(word)?.1));
    let labelled = LABELS.iter().filter_map(|label| Some(line.split_once(label)?.1));
    after_word
        .chain(between)
        .chain(labelled)
        .map(told)
        .find(|names| !names.is_empty())
}

/// The names in a text that may also be about something else: each needs two words, both with a capital, or a script without capitals.
fn told(text: &str) -> Vec<String> {
    let mut names = people(text, Certainty::Shown);
    let is_capital = |word: &str| word.starts_with(|c: char| c.is_uppercase());
    names.retain(|name| {
        let capitals = name.split_whitespace().filter(|word| is_capital(word)).count();
        let has_case = name.chars().any(|c| c.is_uppercase() || c.is_lowercase());
        capitals >= 2 || !has_case && name.chars().count() <= 12
    });
    names
}
