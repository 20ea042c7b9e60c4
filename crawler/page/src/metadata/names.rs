//! The names of authors in a text: "By Jane Doe and John Roe | 5 March" names two.

mod wide;
mod wide_words;
mod words;

use std::sync::LazyLock;

pub(super) use self::wide::is_wide;
use self::words::{
    AGENCIES, DEGREES, ENDS, LAST_WORDS, LETTERS, NOBODY, PARTICLES, ROLES, SEPARATORS, WEEKDAYS, WITH_COLON,
    WRITTEN_BY,
};
use super::months::month;
use super::phrases::{AnyOf, ByFirstLetters};
use super::text::{cut, folded};

/// Most authors of a page.
pub(super) const MAX_AUTHORS: usize = 16;

/// Longest text that is searched for names, in bytes: a paper may have many authors.
const MAX_TEXT_BYTES: usize = 2048;

/// Longest name, in bytes.
const MAX_NAME_BYTES: usize = 100;

/// Longest word before a full stop that may be an abbreviation, in characters: "Assoc. Prof."
const MAX_ABBREVIATION: usize = 5;

/// Longest word that joins two names, in characters: "and".
const MAX_JOINER: usize = 3;

/// Most words of a name. Editorial teams have long ones.
const MAX_NAME_WORDS: usize = 6;

/// How much is known of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    /// The page declares that it names authors.
    Declared,
    /// The class of its element, or a word before it, says so.
    Shown,
}

static BYLINES: LazyLock<ByFirstLetters> = LazyLock::new(|| ByFirstLetters::new(WRITTEN_BY));
static LABELS: LazyLock<ByFirstLetters> = LazyLock::new(|| ByFirstLetters::new(WITH_COLON));
static ANY_SEPARATOR: LazyLock<AnyOf> = LazyLock::new(|| AnyOf::new(SEPARATORS));
static ANY_END: LazyLock<AnyOf> = LazyLock::new(|| AnyOf::new(ENDS));

/// Whether a text begins like a word by which it may say that it names an author.
pub(super) fn may_be_written_by(text: &str) -> bool {
    !BYLINES.of(text).is_empty() || !LABELS.of(text).is_empty()
}

/// What follows after the word by which a text says that it names an author; `None` if it does not begin with one.
pub(super) fn after_written_by(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let with_colon = || {
        LABELS
            .of(text)
            .iter()
            .find_map(|word| without_prefix(text, word))
            .filter(|rest| rest.starts_with([':', '：']))
    };
    let rest = BYLINES
        .of(text)
        .iter()
        .find_map(|word| without_prefix(text, word))
        .or_else(with_colon)?;
    Some(rest.trim_start_matches([':', '：', ' ', '\u{a0}', '/', '|', '.']))
}

/// The text after a prefix in any case, if no letter follows it. A letter of Chinese, Japanese or Korean may follow.
fn without_prefix<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let mut rest = text.chars();
    for expected in prefix.chars() {
        let c = rest.next()?;
        if c.is_ascii() && c.to_ascii_lowercase() != expected {
            return None;
        }
        if c != expected && !c.to_lowercase().eq(std::iter::once(expected)) {
            return None;
        }
    }
    let rest = rest.as_str();
    let is_wide = prefix.ends_with(|c: char| c >= '\u{2e80}');
    let ends = is_wide || !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '\'' | '’'));
    ends.then_some(rest)
}

/// The names of authors in a text; empty if there are none.
pub(super) fn people(text: &str, certainty: Certainty) -> Vec<String> {
    let text = cut(text, MAX_TEXT_BYTES);
    let pieces = || pieces(text);
    // A piece that says that it names the author comes before others.
    let marked = pieces().filter(|piece| after_written_by(piece).is_some_and(|rest| !rest.is_empty()));
    let mut found = marked.chain(pieces()).map(|piece| listed(piece, certainty));
    found.find(|names| !names.is_empty()).unwrap_or_default()
}

/// The parts of a text between lines, bars and dashes.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(['|', '｜', '•', '·', '\n', '—', '–', '»', '›']);
    parts.flat_map(|part| part.split(" - ")).map(str::trim)
}

/// The names of a list.
fn listed(text: &str, certainty: Certainty) -> Vec<String> {
    if is_address(text) {
        return Vec::new();
    }
    let text = without_date(text.split(['(', '[', '（', '<', '@']).next().unwrap_or_default());
    let text = bare(text, certainty);
    let text = if certainty == Certainty::Shown {
        before_end(before_sentence(text))
    } else {
        text
    };
    if text.starts_with(wide::is_wide) {
        return wide::names(text);
    }
    let mut names: Vec<String> = Vec::new();
    for part in split(text) {
        let part = without_full_stop(bare(part, certainty).trim_matches(is_around_name));
        let is_role = !names.is_empty() && has_role(part);
        if is_name(part, certainty) && !is_role && !names.iter().any(|name| name == part) && names.len() < MAX_AUTHORS {
            names.push(part.to_owned());
        }
    }
    names
}

/// A text without the words before its name.
fn bare(text: &str, certainty: Certainty) -> &str {
    let text = text.trim();
    match after_written_by(text) {
        Some(rest) if !rest.is_empty() && !is_particle(text, certainty) => after_written_by(rest)
            .filter(|inner| !inner.is_empty() && !is_particle(rest, certainty))
            .unwrap_or(rest),
        _ => text,
    }
}

/// Whether the first word of a text may be a part of the name.
fn is_particle(text: &str, certainty: Certainty) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let is_capital = first.starts_with(char::is_uppercase);
    certainty == Certainty::Declared
        && is_capital
        && text.split_whitespace().count() < 3
        && PARTICLES.contains(&first.to_lowercase().as_str())
}

/// The text before the first word that begins with a digit, without the word that led to it ("on", "am").
fn without_date(text: &str) -> &str {
    let is_number = |(at, c): (usize, char)| {
        c.is_numeric() && text[..at].ends_with(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
    };
    let Some((at, _)) = text.char_indices().find(|found| is_number(*found)) else {
        return text;
    };
    let before = text[..at].trim_end_matches(|c: char| !c.is_alphanumeric());
    let before = match before.rsplit_once(' ') {
        Some((name, last)) if month(&last.to_lowercase()).is_some() => name.trim_end(),
        _ => before,
    };
    let bare = before.trim_end_matches(|c: char| !c.is_alphanumeric());
    let before = match bare.rsplit_once(' ') {
        Some((name, last)) if WEEKDAYS.contains(&last.to_lowercase().as_str()) => name.trim_end(),
        _ => before,
    };
    match before.rsplit_once(' ') {
        Some((name, last)) if last.chars().count() <= 3 && last.chars().all(char::is_lowercase) => name,
        _ => before,
    }
}

/// The text before the first word that no name has.
fn before_end(text: &str) -> &str {
    let has_end = ANY_END.is_in(text);
    let ends = ENDS.iter().filter(|_| has_end).filter_map(|end| text.find(end));
    let text = ends.min().map_or(text, |at| &text[..at]);
    // "Jane Doe on November" is what is left of "on November 5".
    match text.rsplit_once(' ') {
        Some((name, last)) if LAST_WORDS.contains(&last.to_lowercase().as_str()) => name,
        _ => text,
    }
}

/// A text up to the end of its first sentence, if that is a name, or if a label of a date follows: "Karin Berg. Publicerad". A short word may
/// be the beginning of a name or of a title, as in "J. R. Doe".
fn before_sentence(text: &str) -> &str {
    let is_capital = |word: &str| word.starts_with(char::is_uppercase);
    let ends = |at: usize| {
        let (name, rest) = (&text[..at], text[at + 1..].trim_start());
        let mut words = name.split_whitespace().rev();
        let is_word = |word: &str| is_capital(word) && word.chars().all(char::is_alphabetic);
        let is_long = words
            .next()
            .is_some_and(|last| is_word(last) && last.chars().count() > MAX_ABBREVIATION);
        let follows = rest.split([' ', ':']).next().unwrap_or_default().to_lowercase();
        let is_label = follows.chars().count() > MAX_JOINER && LAST_WORDS.contains(&follows.as_str());
        is_long && words.next().is_some_and(is_capital) || is_label
    };
    let found = text.match_indices(". ").map(|(at, _)| at).find(|at| ends(*at));
    found.map_or(text, |at| &text[..at])
}

/// The parts of a list of names.
fn split(text: &str) -> Vec<&str> {
    let mut parts = vec![text];
    let has_separator = ANY_SEPARATOR.is_in(text);
    for separator in SEPARATORS.iter().filter(|_| has_separator) {
        parts = parts.into_iter().flat_map(|part| part.split(separator)).collect();
    }
    for separator in LETTERS {
        parts = parts
            .into_iter()
            .flat_map(|part| split_whole(part, separator))
            .collect();
    }
    parts
}

/// The two names on both sides of a separator, if both have several words and begin with a capital.
fn split_whole<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
    let is_whole = |name: &str| name.trim().contains(' ') && !name.trim().starts_with(char::is_lowercase);
    match text.split_once(separator) {
        Some((one, other)) if is_whole(one) && is_whole(other) => vec![one, other],
        _ => vec![text],
    }
}

fn is_around_name(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            ':' | '：' | '"' | '“' | '”' | '„' | '*' | '-' | ',' | '/' | '\\' | '+' | '«' | '»' | '_' | '#' | '>' | '<'
        )
}

/// A name without the full stop of its sentence. That of "Jr." belongs to the name.
fn without_full_stop(text: &str) -> &str {
    let is_short = |word: &str| word.chars().count() < 3 || matches!(word, "Inc" | "Ltd" | "Esq");
    match text.strip_suffix('.') {
        Some(name) if !name.rsplit([' ', '.']).next().is_some_and(is_short) => name,
        _ => text,
    }
}

/// Whether a name is that of an agency for news or pictures.
pub(super) fn is_agency(name: &str) -> bool {
    AGENCIES.contains(&folded(name).as_str())
}

fn has_role(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    DEGREES.contains(&folded(text).as_str()) || words.any(|word| ROLES.contains(&word.to_lowercase().as_str()))
}

/// Whether a text can be the name of a person or of a team.
fn is_name(text: &str, certainty: Certainty) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let is_short = text.len() <= MAX_NAME_BYTES && text.split_whitespace().count() <= MAX_NAME_WORDS;
    let has_capital = || text.chars().any(|c| c.is_alphabetic() && !c.is_lowercase());
    let is_word = !text.contains(' ');
    let is_sentence = text.ends_with(['!', '?', '…']) || text.contains(": ") || text.contains(". ") && letters > 40;
    let ends_small = || {
        text.rsplit(' ')
            .next()
            .is_some_and(|word| word.chars().all(char::is_lowercase))
    };
    let is_plain = match certainty {
        Certainty::Declared => true,
        Certainty::Shown if text.starts_with(char::is_numeric) => false,
        Certainty::Shown => is_word || has_capital() && !ends_small(),
    };
    letters >= 2
        && after_written_by(text) != Some("")
        && !text.contains('©')
        && is_short
        && is_plain
        && !is_sentence
        && !is_address(text)
        && !NOBODY.contains(&folded(text).as_str())
}

/// Whether a text is an address of the Web or of a mailbox, or a file.
fn is_address(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let is_host = !text.contains(' ')
        && lower.rsplit_once('.').is_some_and(|(name, end)| {
            name.len() > 1 && (2..=6).contains(&end.len()) && end.bytes().all(|b| b.is_ascii_lowercase())
        });
    is_host
        || lower.contains("://")
        || lower.contains("www.")
        || is_mailbox(&lower)
        || lower.contains("{{")
        || lower.contains("%%")
}

/// Whether a text has an address of mail. An account (`Jane Doe @jane`) is none.
fn is_mailbox(text: &str) -> bool {
    let before = text.split_once('@').map(|(before, _)| before);
    before.is_some_and(|before| before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+')))
}

/// A name that is written with the family name first, as in bibliographies: "Doe, Jane" is Jane Doe.
pub(super) fn turned(text: &str) -> String {
    match text.split_once(',') {
        Some((family, given))
            if !given.contains([',', ';']) && !given.trim().is_empty() && !family.trim().contains(' ') =>
        {
            format!("{} {}", given.trim(), family.trim())
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_the_forms_of_bylines() {
        let cases: &[(&str, &[&str])] = &[
            ("By Jane Doe", &["Jane Doe"]),
            ("BY JANE DOE AND JOHN ROE", &["JANE DOE AND JOHN ROE"]),
            ("by Jane Doe and John Roe", &["Jane Doe", "John Roe"]),
            (
                "Von Eva Muster und Max Beispiel, Berlin",
                &["Eva Muster", "Max Beispiel", "Berlin"],
            ),
            ("von Eva Muster am 5. März 2024", &["Eva Muster"]),
            ("5. März 2024 | von Eva Muster", &["Eva Muster"]),
            ("Par Loïc Le Clerc", &["Loïc Le Clerc"]),
            ("Por José García y López", &["José García y López"]),
            ("Por Ana Ruiz y Juan Gil", &["Ana Ruiz", "Juan Gil"]),
            ("Posted by gizzmo on June 12, 2017", &["gizzmo"]),
            ("Jane Doe, Senior Reporter", &["Jane Doe"]),
            ("Jane Doe on November 5, 2012", &["Jane Doe"]),
            ("Posted by Jane Doe in News", &["Jane Doe"]),
            ("View all posts by Becky", &["Becky"]),
            ("This post was written by", &[]),
            ("This post was written by Jane Doe.", &["Jane Doe"]),
            ("Jane Doe, Software Engineer", &["Jane Doe"]),
            ("Jane Doe, MD and Jack Ma", &["Jane Doe", "Jack Ma"]),
            ("JANE DOE March 11, 2015", &["JANE DOE"]),
            ("Jane Doe Monday, February 29, 2016 @ 11:10 PM UTC", &["Jane Doe"]),
            ("By Jane Doe (@jane)", &["Jane Doe"]),
            ("Jane Doe @jane", &["Jane Doe"]),
            ("Av Karin Lindqvist. Publicerad 12 mars 2022", &["Karin Lindqvist"]),
            ("Av Karin Berg. Publicerad 12 mars 2022", &["Karin Berg"]),
            ("Av Karin Berg Publicerad 12 mars 2022", &["Karin Berg"]),
            (
                "Geschrieben von: Eva Muster. Veröffentlicht: Samstag, den 12. März 2022",
                &["Eva Muster"],
            ),
            ("By Prof. Jane R. Doe", &["Prof. Jane R. Doe"]),
            ("Von Univ. Prof. Eva Muster", &["Univ. Prof. Eva Muster"]),
            ("By J. R. Doe", &["J. R. Doe"]),
            (
                "By Eva Muster, L.C.S.W. and Jane Doe",
                &["Eva Muster", "L.C.S.W.", "Jane Doe"],
            ),
            ("作者：李建国 我要评论 打印", &["李建国"]),
            ("作者：李建国　评论(3)", &["李建国"]),
            ("记者 李建国 通讯员 赵强 文/图 2023年11月8日", &["李建国", "赵强"]),
            ("投稿者: 佐藤健一 投稿日: 2022年6月20日", &["佐藤健一"]),
            ("@jane", &[]),
            ("Eingestellt von Jane Doe", &["Jane Doe"]),
            ("作者：王小明", &["王小明"]),
            ("作者：王小明 李四 编辑：张三", &["王小明", "李四"]),
            ("김철수 기자", &["김철수"]),
            ("Автор: Иван Петров", &["Иван Петров"]),
            ("Author: Jane Doe (Paris)", &["Jane Doe"]),
            ("Di Stefano", &["Stefano"]),
            ("admin", &[]),
            ("By admin", &[]),
            ("https://example.org/jane", &[]),
            ("jane@example.org", &[]),
            ("example.org", &[]),
            ("we all know that this is not the name of a person", &[]),
            ("", &[]),
            ("12.03.2024", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(people(text, Certainty::Shown), *expected, "{text:?}");
        }
        assert_eq!(people("Di Stefano", Certainty::Declared), ["Di Stefano"]);
        assert_eq!(turned("Doe, Jane"), "Jane Doe");
    }
}
