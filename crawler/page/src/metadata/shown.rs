//! The authors and the dates that a page shows, nearest to its heading first.

use super::claims::Source;
use super::date::{self, Order, PageDate};
use super::names::{Certainty, after_written_by, people};
use super::text::folded;
use super::visible::{Mark, Marked, Visible};

/// Lines after and before the heading in which an author or a date is that of the page.
const LINES_AFTER: usize = 15;
const LINES_BEFORE: usize = 6;

/// Bytes of a line that is a paragraph: the text has begun.
const PARAGRAPH_BYTES: usize = 200;

/// Longest line that tells an author or a date, in bytes.
const MAX_LINE_BYTES: usize = 160;

/// Words before a date of publication, in lower case.
#[rustfmt::skip]
const PUBLISHED: &[&str] = &[
    "published", "posted", "publication date", "veröffentlicht", "erstellt", "publié", "publicado", "pubblicato", "gepubliceerd", "publicerad",
    "publisert", "udgivet", "julkaistu", "opublikowano", "publikováno", "zveřejněno", "опубликовано", "дата публикации", "发布", "發佈", "公開日",
    "投稿日", "입력", "등록", "δημοσιεύ", "yayınlan", "közzétéve", "publicat",
];

/// Words before a date of a change, in lower case.
#[rustfmt::skip]
const MODIFIED: &[&str] = &[
    "updated", "modified", "last edited", "aktualisiert", "geändert", "stand:", "mis à jour", "mise à jour", "modifié", "actualizado", "modificado",
    "atualizado", "aggiornato", "aggiornamento", "bijgewerkt", "gewijzigd", "uppdaterad", "oppdatert", "opdateret", "päivitetty", "zaktualizowano",
    "aktualizováno", "обновлено", "изменено", "更新", "수정", "güncelle", "frissítve",
];

/// Words between a date and an author.
const BETWEEN: &[&str] = &[" by ", " von ", " par ", " por ", " da ", " door ", " av ", " af "];

impl Visible {
    /// Whether a line is near the heading.
    fn is_near(&self, line: usize) -> bool {
        let heading = self.heading.unwrap_or_default();
        (heading.saturating_sub(LINES_BEFORE)..=heading + LINES_AFTER).contains(&line)
    }

    /// Whether a line that is no paragraph has this text, folded.
    pub(super) fn has_short_line_with(&self, text: &str) -> bool {
        let mut short = self.lines.iter().filter(|line| line.len() <= MAX_LINE_BYTES);
        short.any(|line| folded(line).contains(text))
    }

    /// Marked elements, those near the heading first: after it, then before it, then the others.
    fn near_first(&self, wanted: impl Fn(Mark) -> bool) -> Vec<&Marked> {
        let heading = self.heading.unwrap_or_default();
        let mut marks: Vec<&Marked> = self.marks.iter().filter(|marked| wanted(marked.mark)).collect();
        marks.sort_by_key(|marked| match marked.line >= heading {
            true => (!self.is_near(marked.line), false, marked.line - heading),
            false => (!self.is_near(marked.line), true, heading - marked.line),
        });
        marks
    }

    /// The authors that marked elements name. Away from the heading, only one name is believed.
    pub(super) fn marked_authors(&self, is_refused: impl Fn(&str) -> bool) -> Option<(Vec<String>, Source)> {
        for (mark, source) in [(Mark::AuthorLink, Source::Link), (Mark::Author, Source::Class)] {
            let mut far: Vec<(usize, Vec<String>)> = Vec::new();
            let mut near: Option<(usize, Vec<String>)> = None;
            for marked in self.near_first(|this| this == mark) {
                let mut names = people(&marked.text, Certainty::Shown);
                names.retain(|name| !is_refused(name));
                if names.is_empty() {
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

    /// The lines near the heading: those after it up to the text, then those before it.
    fn lines_near(&self) -> impl Iterator<Item = (usize, &str)> {
        let heading = self.heading.unwrap_or_default().min(self.lines.len());
        let lines = || self.lines.iter().map(String::as_str).enumerate();
        let after = lines().skip(heading + 1).take(LINES_AFTER);
        let mut paragraphs = 0;
        let after = after.take_while(move |(_, line)| {
            paragraphs += usize::from(line.len() >= PARAGRAPH_BYTES);
            paragraphs < 2
        });
        let before = lines().take(heading).skip(heading.saturating_sub(LINES_BEFORE));
        let lines = after.chain(before);
        lines.filter(|(_, line)| line.len() <= MAX_LINE_BYTES)
    }

    /// The authors that a line near the heading names after a word such as "by". The word may be a line of its own.
    pub(super) fn told_authors(&self, order: Order) -> Vec<String> {
        let mut near = self.lines_near();
        near.find_map(|(at, line)| {
            let next = self.lines.get(at + 1).map(String::as_str).unwrap_or_default();
            authors_of_line(line, next, order)
        })
        .unwrap_or_default()
    }

    /// The day of publication that a marked element gives.
    pub(super) fn marked_date(
        &self,
        source: Source,
        order: Order,
        is_possible: impl Fn(&PageDate) -> bool,
    ) -> Option<PageDate> {
        let wanted = move |mark| match source {
            Source::Time => mark == Mark::Time,
            _ => mark == Mark::Published,
        };
        self.dated(wanted, order, is_possible)
    }

    /// The day of the last change that a marked element gives.
    pub(super) fn marked_change(&self, order: Order, is_possible: impl Fn(&PageDate) -> bool) -> Option<PageDate> {
        self.dated(|mark| mark == Mark::Modified, order, is_possible)
    }

    fn dated(
        &self,
        wanted: impl Fn(Mark) -> bool,
        order: Order,
        is_possible: impl Fn(&PageDate) -> bool,
    ) -> Option<PageDate> {
        let mut far: Vec<PageDate> = Vec::new();
        for marked in self.near_first(wanted) {
            let declared = marked.declared.as_deref().and_then(|text| date::declared(text, order));
            let found = declared
                .or_else(|| date::shown(&marked.text, order))
                .filter(&is_possible);
            match found {
                Some(date) if self.is_near(marked.line) => return Some(date),
                Some(date) => far.push(date),
                None => {}
            }
        }
        far.dedup_by_key(|date| date.day);
        far.pop().filter(|_| far.is_empty())
    }

    /// The day of publication that the text tells: after a word that says so, or in a line near the heading.
    pub(super) fn told_date(&self, order: Order, is_possible: impl Fn(&PageDate) -> bool) -> Option<PageDate> {
        let date = |line: &str| date::shown(line, order).filter(&is_possible);
        let is_changed = |line: &&str| has_one_of(line, MODIFIED) && !has_one_of(line, PUBLISHED);
        let near = || {
            self.lines_near()
                .map(|(_, line)| line)
                .filter(|line| !is_changed(line))
                .find_map(date)
        };
        let lines = || {
            self.lines
                .iter()
                .map(String::as_str)
                .filter(|line| line.len() <= MAX_LINE_BYTES)
        };
        let said = || lines().filter(|line| has_one_of(line, PUBLISHED)).find_map(date);
        near().or_else(said)
    }
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
    after_word.chain(between).map(told).find(|names| !names.is_empty())
}

/// Whether a line has one of these words.
fn has_one_of(line: &str, words: &[&str]) -> bool {
    let line = line.to_lowercase();
    words.iter().any(|word| line.contains(word))
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
