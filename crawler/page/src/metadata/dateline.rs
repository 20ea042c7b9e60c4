//! The dates that a page shows: in elements that are marked as such, and in lines near the heading.

mod form;

use std::sync::LazyLock;

use jiff::civil::Date;

use super::claims::Source;
use super::date::{self, Order, PageDate};
use super::phrases::AnyOf;
use super::visible::{Mark, Marked, Visible};

/// Words before a date of publication, in lower case.
#[rustfmt::skip]
const PUBLISHED: &[&str] = &[
    "published", "posted", "publication date", "veröffentlicht", "veröffentlichung", "erstellt", "publié",
    "publicado", "pubblicato", "gepubliceerd", "publicerad", "publisert", "udgivet", "julkaistu", "opublikowano",
    "publikováno", "zveřejněno", "опубликовано", "дата публикации", "发布", "發佈", "公開日", "投稿日", "نشر", "انتشار", "פורסם", "प्रकाशित", "เผยแพร่", "diterbitkan", "ngày đăng", "megjelent", "опубліковано", "публикува", "입력", "등록", "δημοσιεύ",
    "yayınlan", "közzétéve", "publicat",
];

/// Words before a date of a change, in lower case.
#[rustfmt::skip]
const MODIFIED: &[&str] = &[
    "updated", "modified", "last edited", "aktualisiert", "geändert", "stand:", "mis à jour", "mise à jour",
    "modifié", "actualizado", "modificado", "atualizado", "aggiornato", "aggiornamento", "bijgewerkt", "gewijzigd",
    "uppdaterad", "oppdatert", "opdateret", "päivitetty", "zaktualizowano", "aktualizováno", "обновлено", "изменено",
    "更新", "수정", "güncelle", "עודכן", "بروزرسانی", "تحديث", "diperbarui", "cập nhật", "оновлено", "frissítve",
];

static PUBLISHED_WORDS: LazyLock<AnyOf> = LazyLock::new(|| AnyOf::new(PUBLISHED));
static MODIFIED_WORDS: LazyLock<AnyOf> = LazyLock::new(|| AnyOf::new(MODIFIED));

/// Longest text of an element that is marked as a date and is nothing else, in bytes.
const MAX_DATE_BYTES: usize = 64;

/// Reads dates that are possible.
#[derive(Clone, Copy)]
pub(super) struct DateReader<'a> {
    pub order: Order,
    pub is_possible: &'a dyn Fn(Date) -> bool,
}

impl DateReader<'_> {
    /// The date that a program wrote.
    pub(super) fn declared(self, text: &str) -> Option<PageDate> {
        date::declared(text, self.order).filter(|date| (self.is_possible)(date.day))
    }

    /// The first date in a text that people read.
    pub(super) fn shown(self, text: &str) -> Option<PageDate> {
        date::shown(text, self.order).filter(|date| (self.is_possible)(date.day))
    }

    fn of_mark(self, marked: &Marked) -> Option<PageDate> {
        let declared = marked.declared.as_deref().and_then(|text| self.declared(text));
        declared.or_else(|| self.shown(&marked.text))
    }
}

/// The day of publication that an element gives: a `<time>`, or one with such a class.
pub(super) fn marked(visible: &Visible<'_>, source: Source, reader: DateReader<'_>) -> Option<PageDate> {
    match source {
        Source::Time => of_marks(visible, |mark| mark == Mark::Time, reader),
        _ => of_marks(visible, |mark| mark == Mark::Published, reader),
    }
}

/// The day of the last change that a marked element gives.
pub(super) fn marked_change(visible: &Visible<'_>, reader: DateReader<'_>) -> Option<PageDate> {
    of_marks(visible, |mark| mark == Mark::Modified, reader)
}

/// The date of the marked element that is nearest to the heading. Away from it, only one day is believed.
fn of_marks(visible: &Visible<'_>, wanted: impl Fn(Mark) -> bool, reader: DateReader<'_>) -> Option<PageDate> {
    let mut far: Vec<PageDate> = Vec::new();
    for marked in visible.near_first(wanted) {
        match reader.of_mark(marked) {
            Some(date) if visible.is_near(marked.line) => return Some(date),
            Some(date) => far.push(date),
            None => {}
        }
    }
    far.dedup_by_key(|date| date.day);
    far.pop().filter(|_| far.is_empty())
}

/// The day of publication that the text tells: in a line near the heading, or after a word that says so.
pub(super) fn told(visible: &Visible<'_>, reader: DateReader<'_>) -> Option<PageDate> {
    let near = told_near(visible, reader).next();
    near.or_else(|| after_word(visible, &PUBLISHED_WORDS, reader))
}

/// The day of the last change that the text tells.
pub(super) fn told_change(visible: &Visible<'_>, reader: DateReader<'_>) -> Option<PageDate> {
    after_word(visible, &MODIFIED_WORDS, reader)
}

/// Whether the page shows a day: a `<time>` or another marked element gives it, or a line near the heading has it.
pub(super) fn is_shown(visible: &Visible<'_>, day: Date, reader: DateReader<'_>) -> bool {
    let is_same = |date: Option<PageDate>| date.is_some_and(|date| date.day == day);
    let dates = || visible.marks.iter().filter(|marked| is_date_mark(marked.mark));
    let is_declared = |marked: &Marked| is_same(marked.declared.as_deref().and_then(|text| reader.declared(text)));
    let is_read = |marked: &Marked| visible.is_near(marked.line) && is_same(reader.shown(&marked.text));
    dates().any(|marked| is_declared(marked) || is_read(marked))
        || told_near(visible, reader).any(|date| date.day == day)
}

/// The days that stand near the heading as the date of the page: in a marked element that is short, or in a line that is only a date or a
/// byline with a date. A day within a sentence is that of an event.
pub(super) fn days_of_page(visible: &Visible<'_>, reader: DateReader<'_>) -> impl Iterator<Item = Date> {
    let marked = visible.near_first(is_date_mark).into_iter();
    let marked = marked.filter(|marked| visible.is_near(marked.line) && marked.text.len() <= MAX_DATE_BYTES);
    // What readers see is in their time zone.
    let shown = marked.filter_map(move |marked| reader.shown(&marked.text));
    let lines = lines_near(visible).filter(move |line| form::is_date_line(line, reader.order, PUBLISHED));
    let told = lines.filter_map(move |line| reader.shown(line));
    shown.chain(told).map(|date| date.day)
}

/// Whether an element is marked as a date that may be that of the publication.
fn is_date_mark(mark: Mark) -> bool {
    matches!(mark, Mark::Time | Mark::Published)
}

fn told_near(visible: &Visible<'_>, reader: DateReader<'_>) -> impl Iterator<Item = PageDate> {
    lines_near(visible).filter_map(move |line| reader.shown(line))
}

/// The lines near the heading without those about a change.
fn lines_near<'a>(visible: &'a Visible<'_>) -> impl Iterator<Item = &'a str> {
    let is_changed = |line: &&str| has_one_of(line, &MODIFIED_WORDS) && !has_one_of(line, &PUBLISHED_WORDS);
    let lines = visible.lines_near().map(|(_, line)| line);
    lines.filter(move |line| !is_changed(line))
}

/// The date in the first line with one of these words.
fn after_word(visible: &Visible<'_>, words: &AnyOf, reader: DateReader<'_>) -> Option<PageDate> {
    let mut lines = visible.short_lines().filter(|(_, line)| has_one_of(line, words));
    lines.find_map(|(_, line)| reader.shown(line))
}

/// Whether a line has one of these words.
fn has_one_of(line: &str, words: &AnyOf) -> bool {
    words.is_in(&line.to_lowercase())
}
