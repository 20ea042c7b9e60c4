//! The authors that a page shows: in elements that are marked as such, and in lines such as "By Jane Doe".

use std::sync::LazyLock;

use super::claims::Source;
use super::date::{self, Order};
use super::names::{Certainty, MAX_AUTHORS, after_written_by, is_agency, may_be_written_by, people};
use super::phrases::AnyOf;
use super::text::folded;
use super::visible::{Mark, Visible};

/// Most names in an element that does not say "by". More are a list of something else.
const MAX_UNTOLD_NAMES: usize = 5;

/// Words between a date and an author.
const BETWEEN: &[&str] = &[
    " by ", " By ", " von ", " par ", " por ", " da ", " door ", " av ", " af ",
];

/// What stands before such a word, in lower case, if the name behind it is that of a program, a host or a designer: English, German, French,
/// Spanish, Portuguese, Italian, Dutch, Scandinavian, Chinese.
#[rustfmt::skip]
const MADE: &[&str] = &[
    "powered", "hosted", "designed", "built", "made", "developed", "maintained", "operated", "managed", "sponsored", "supported", "provided", "protected",
    "generated", "run", "reserved",
    "betrieben", "bereitgestellt", "gehostet", "entwickelt", "gestaltet", "umgesetzt", "realisiert", "unterstützt", "gesponsert",
    "propulsé", "hébergé", "développé", "conçu", "réalisé", "desarrollado", "diseñado", "alojado", "impulsado",
    "desenvolvido", "hospedado", "mantido", "sviluppato", "realizzato", "progettato", "offerto", "ontwikkeld", "gemaakt", "ontworpen", "aangeboden",
    "drivs", "drives", "utvecklad", "utviklet", "udviklet", "levereras", "leveres",
    "驱动", "驅動",
];

/// As [`MADE`], also before a label: what helps to run a site.
const SUPPORT: &[&str] = &["技术支持", "技術支持", "技術支援"];

/// As [`MADE`], if nothing stands before them. Behind other words, they are subjects: "Posted in Web Design by Jane Doe".
#[rustfmt::skip]
const WORKS: &[&str] = &[
    "design", "development", "hosting", "theme", "template", "skin", "website", "site", "web design", "website design", "site design", "web development",
    "design et développement", "主题", "主題", "模板", "制作", "製作", "设计", "設計", "テーマ", "デザイン", "개발", "디자인", "제작", "호스팅",
];

/// Signs of the rights in a page, in lower case. The name after such a sign is that of the owner.
const RIGHTS: &[&str] = &["©", "(c)", "copyright", "版权所有", "版權所有", "版权归", "無断転載"];

/// The texts before and behind each word between a date and an author.
pub(super) fn between(text: &str, order: Order) -> impl Iterator<Item = (&str, &str)> {
    let parts = BETWEEN.iter().filter_map(|word| text.split_once(word));
    parts.filter(move |(before, _)| {
        let lower = before.to_lowercase();
        // Who has the rights is named with a year, and an author with the day.
        let has_rights = RIGHTS.iter().any(|sign| lower.contains(sign)) && date::shown(before, order).is_none();
        !has_rights && !names_maker(&lower)
    })
}

/// Whether a text in lower case ends with a word that stands before the maker of a site.
fn names_maker(lower: &str) -> bool {
    let lower = lower.trim_end_matches([':', '：', ' ']);
    let is_made = ends_with_any(lower, MADE, |before| {
        !before.chars().next_back().is_some_and(|c| c.is_lowercase())
    });
    let begins = |before: &str| {
        let before = before.trim_end();
        let last = before.chars().next_back();
        before.ends_with(['日', '일']) || last.is_none_or(|c| !c.is_alphabetic() && !matches!(c, ':' | '：'))
    };
    is_made || is_supported(lower) || ends_with_any(lower, WORKS, begins)
}

/// Whether a text ends with a word before whoever helps to run a site.
fn is_supported(text: &str) -> bool {
    ends_with_any(text.trim_end_matches([':', '：', ' ']), SUPPORT, |_| true)
}

/// Whether a text ends with one of these words, behind a text that `is_right`.
fn ends_with_any(text: &str, words: &[&str], is_right: impl Fn(&str) -> bool) -> bool {
    words.iter().filter_map(|word| text.strip_suffix(word)).any(is_right)
}

/// Labels within a line: Chinese and Japanese pages write source, author and editor in one.
#[rustfmt::skip]
const LABELS: &[&str] = &[
    "作者：", "作者:", "记者：", "记者:", "記者：", "記者:", "撰文：", "撰文:", "執筆：", "著者：", "글쓴이:", "작성자:", "Autor: ", "Author: ", "Autorin: ",
    "Autor:in: ", "Auteur : ", "Auteur: ", "Autore: ", "Автор: ",
];

static ANY_LABEL: LazyLock<AnyOf> = LazyLock::new(|| AnyOf::new(LABELS));

/// Whether a short line after the heading has this name, folded. The name of the site is before it.
pub(super) fn is_named_after_heading(visible: &Visible<'_>, name: &str) -> bool {
    let heading = visible.heading.unwrap_or(usize::MAX);
    let mut after = visible.lines_near().filter(|(at, _)| *at > heading);
    after.any(|(_, line)| folded(line).contains(name))
}

/// The authors in elements that are marked in one way.
#[derive(Debug, Default)]
pub(super) struct MarkedAuthors {
    /// Those near the heading. Away from it, only one name is believed.
    pub names: Vec<String>,
    /// Whether elements of the page name many authors, as lists of articles do.
    pub are_many: bool,
}

/// Number of authors, each in an element of its own, of which one is not that of the page.
const MANY: usize = 4;

/// The authors in elements that are marked by a link or a class.
pub(super) fn marked(visible: &Visible<'_>, source: Source, is_refused: impl Fn(&str) -> bool) -> MarkedAuthors {
    let mark = match source {
        Source::Link => Mark::AuthorLink,
        _ => Mark::Author,
    };
    let mut all: Vec<Vec<String>> = Vec::new();
    let mut near: Option<(usize, Vec<String>)> = None;
    for marked in visible.near_first(|this| this == mark) {
        let mut names = people(&marked.text, Certainty::Shown);
        names.retain(|name| !is_refused(name));
        let is_list = names.len() > MAX_UNTOLD_NAMES && after_written_by(&marked.text).is_none();
        if names.is_empty() || is_list {
            continue;
        }
        if all.len() < MANY && !all.contains(&names) {
            all.push(names.clone());
        }
        match &mut near {
            _ if !visible.is_near(marked.line) => {}
            None => near = Some((marked.line, names)),
            // Several authors have a link each, in one line or in lines one after the other.
            Some((line, found)) if mark == Mark::AuthorLink && marked.line.abs_diff(*line) <= 1 => {
                names.retain(|name| !found.contains(name));
                found.extend(names);
                found.truncate(MAX_AUTHORS);
                *line = marked.line;
            }
            // "Jane Doe BBC Sport", with "Jane Doe" in an element of its own.
            Some((_, found)) if is_beginning_of(&names, found) => *found = names,
            Some(_) => {}
        }
    }
    let are_many = all.len() >= MANY;
    let only = all.pop().filter(|_| all.is_empty());
    MarkedAuthors {
        names: near.map(|(_, names)| names).or(only).unwrap_or_default(),
        are_many,
    }
}

/// Whether the only name of one list begins the only one of another.
fn is_beginning_of(one: &[String], other: &[String]) -> bool {
    let ([one], [other]) = (one, other) else {
        return false;
    };
    other
        .strip_prefix(one.as_str())
        .is_some_and(|rest| rest.starts_with(' '))
        && one.contains(' ')
}

/// The authors that a line near the heading names after a word such as "by". The word may be a line of its own.
pub(super) fn told(visible: &Visible<'_>, order: Order) -> Vec<String> {
    let mut near = visible.lines_near();
    let next = |at: usize| visible.lines.get(at + 1).unwrap_or_default();
    let found = near.find_map(|(at, line)| of_line(line, next(at), order));
    found.or_else(|| labelled(visible, next)).unwrap_or_default()
}

/// The authors after a label with a colon, such as "Author:", or after "Posted by", anywhere on the page, if they are the same wherever
/// they stand.
fn labelled<'a>(visible: &Visible<'_>, next: impl Fn(usize) -> &'a str) -> Option<Vec<String>> {
    // What stands before the second letter may be left out.
    let begins_otherwise = |line: &str| !line.is_ascii() && !line.chars().take(2).all(char::is_alphanumeric);
    let may_be = |line: &str| may_be_written_by(line) || begins_otherwise(line);
    let mut found = visible.short_lines(may_be).filter_map(|(at, line)| {
        let rest = after_label(line)?;
        let names = sure(if rest.is_empty() { next(at) } else { rest });
        (!names.is_empty()).then_some(names)
    });
    let first = found.next()?;
    found.all(|names| names == first).then_some(first)
}

/// What follows a label that is only written before authors.
fn after_label(line: &str) -> Option<&str> {
    let rest = after_written_by(line)?;
    let label = &line[..line.len() - rest.len()];
    let is_phrase = label.trim().contains(' ');
    (is_phrase || label.contains([':', '：'])).then_some(rest)
}

/// The authors that a line names. `next` is the line after it.
fn of_line(line: &str, next: &str, order: Order) -> Option<Vec<String>> {
    if after_written_by(line) == Some("") {
        return Some(sure(next)).filter(|names| !names.is_empty());
    }
    let parts = line.split(['|', '•', '·', '–', '—']).map(str::trim);
    let after_word = parts.filter_map(after_written_by);
    // "5 March 2024 by Jane Doe"
    let is_dated = date::may_be_in(line) && date::shown(line, order).is_some();
    let between = between(line, order).filter(|_| is_dated).map(|(_, name)| name);
    let has_label = line.contains([':', '：']) && ANY_LABEL.is_in(line);
    let labelled = LABELS
        .iter()
        .filter(|_| has_label)
        .filter_map(|label| line.split_once(label))
        .filter(|(before, _)| !is_supported(before))
        .map(|(_, name)| name);
    after_word
        .chain(between)
        .chain(labelled)
        .map(sure)
        .find(|names| !names.is_empty())
}

/// Whether a text says that it names an author, and names one surely.
pub(super) fn is_byline(text: &str) -> bool {
    after_written_by(text).is_some_and(has_sure_name)
}

/// Whether a text begins with a name, surely.
pub(super) fn has_sure_name(text: &str) -> bool {
    !sure(text).is_empty()
}

/// The names in a text that may also be about something else. An agency is the source of a text or a picture.
fn sure(text: &str) -> Vec<String> {
    let mut names = people(text, Certainty::Shown);
    names.retain(|name| is_sure(name) && !is_agency(name));
    names
}

/// Most words of a name without a capital: "de la".
const MAX_PARTICLES: usize = 2;

/// Most words of a name in a script without capitals.
const MAX_UNCASED_WORDS: usize = 4;

/// Whether a name has the form of one: two words with capitals, the first among them, or a script without capitals.
fn is_sure(name: &str) -> bool {
    let is_capital = |word: &&str| word.starts_with(|c: char| c.is_uppercase());
    let words = || name.split_whitespace();
    let capitals = words().filter(is_capital).count();
    let has_case = name.chars().any(|c| c.is_uppercase() || c.is_lowercase());
    let begins_so = words().next().is_some_and(|word| is_capital(&word));
    if !has_case {
        return words().count() <= MAX_UNCASED_WORDS;
    }
    begins_so && capitals >= 2 && words().count() - capitals <= MAX_PARTICLES
}
