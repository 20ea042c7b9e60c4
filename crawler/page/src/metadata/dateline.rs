//! The dates that a page shows: in elements that are marked as such, and in lines near the heading.

mod form;
mod labels;

use jiff::civil::Date;

use self::labels::{Label, MAX_LABEL_WORDS, PUBLISHED, dated, has_label, parts};
use super::byline;
use super::claims::Source;
use super::date::{self, Order, PageDate};
use super::visible::{Mark, Marked, Visible};

/// Longest text of an element that is marked as a date and is nothing else, in bytes.
const MAX_DATE_BYTES: usize = 64;

/// Reads dates that are possible.
#[derive(Clone, Copy)]
pub(super) struct DateReader<'a> {
    pub order: Order,
    pub is_possible: &'a dyn Fn(Date) -> bool,
    /// The day on which the page was fetched.
    pub fetched: Option<Date>,
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

    /// Whether a day may be that of the reader: the day of the fetch, or the one beside it in another zone.
    fn is_of_reader(self, day: Date) -> bool {
        self.fetched
            .is_some_and(|fetched| (day - fetched).get_days().abs() <= 1)
    }

    /// The date with which a text begins.
    fn opening(self, text: &str) -> Option<PageDate> {
        date::opening(text, self.order).filter(|date| (self.is_possible)(date.day))
    }
}

/// The day of publication that an element gives: a `<time>`, or one with such a class.
pub(super) fn marked(visible: &Visible<'_>, source: Source, reader: DateReader<'_>) -> Option<PageDate> {
    let wanted = match source {
        Source::Time => Mark::Time,
        _ => Mark::Published,
    };
    let is_wanted = |marked: &Marked| is_of_publication(label_of(visible, marked, reader));
    of_marks(visible, Label::Published, (|mark| mark == wanted, is_wanted), reader)
}

/// The day of the last change that a marked element gives: by its class, or by a word beside it.
pub(super) fn marked_change(visible: &Visible<'_>, reader: DateReader<'_>) -> Option<PageDate> {
    let by_class = of_marks(
        visible,
        Label::Modified,
        (|mark| mark == Mark::Modified, |_: &Marked| true),
        reader,
    );
    let is_labelled = |marked: &Marked| label_of(visible, marked, reader) == Some(Label::Modified);
    by_class.or_else(|| of_marks(visible, Label::Modified, (is_date_mark, is_labelled), reader))
}

/// The date of the marked element that is nearest to the heading. Away from it, only one day is believed. An element must be wanted by its mark and
/// by what it says.
fn of_marks(
    visible: &Visible<'_>,
    label: Label,
    (is_mark, is_wanted): (impl Fn(Mark) -> bool, impl Fn(&Marked) -> bool),
    reader: DateReader<'_>,
) -> Option<PageDate> {
    let mut far: Vec<PageDate> = Vec::new();
    for marked in visible.near_first(is_mark) {
        let declared = marked.declared.as_deref().and_then(|text| reader.declared(text));
        let date = declared.or_else(|| date_in(&marked.text, label, reader));
        let may_be_own = |date: &PageDate| is_own(visible, marked.line, date, reader);
        match date.filter(|date| is_wanted(marked) && may_be_own(date)) {
            Some(date) if visible.is_near(marked.line) => return Some(date),
            Some(date) => far.push(date),
            None => {}
        }
    }
    far.dedup_by_key(|date| date.day);
    far.pop().filter(|_| far.is_empty())
}

/// What the words of a marked element, or those beside it, say of its date.
fn label_of(visible: &Visible<'_>, marked: &Marked, reader: DateReader<'_>) -> Option<Label> {
    let text = marked.text.to_lowercase();
    let within: Vec<Option<Label>> = labels_in(&text, reader);
    if within.contains(&Some(Label::Published)) {
        return Some(Label::Published);
    }
    if let Some(label) = within.first().copied().flatten() {
        return Some(label);
    }
    let line = visible.lines.get(marked.line)?.to_lowercase();
    let text = text.lines().next().filter(|text| !text.is_empty())?;
    let (before, behind) = line.split_once(text)?;
    label_beside(before, behind, reader).or_else(|| label_above(visible, marked.line))
}

/// The labels of the dates of a text in lower case.
fn labels_in(lower: &str, reader: DateReader<'_>) -> Vec<Option<Label>> {
    let parts = parts(lower);
    let dated = dated(&parts, |text| reader.shown(text)).into_iter();
    dated.map(|(label, ..)| label).collect()
}

/// The label of a date between these texts.
fn label_beside(before: &str, behind: &str, reader: DateReader<'_>) -> Option<Label> {
    let (before, behind) = (parts(before), parts(behind));
    let has_no_date = |text: &str| reader.shown(text).is_none();
    let label_before = before
        .last()
        .filter(|part| has_no_date(part.text))
        .and_then(|part| part.before);
    label_before.or_else(|| {
        let first = behind
            .first()
            .filter(|part| !part.text.contains(char::is_alphanumeric))?;
        let is_last = behind.get(1).is_some_and(|next| has_no_date(next.text));
        first.behind.filter(|_| is_last)
    })
}

/// The label that makes up the whole line above. A heading is no label, whatever its words are.
fn label_above(visible: &Visible<'_>, line: usize) -> Option<Label> {
    let above = line.checked_sub(1).filter(|above| !visible.is_heading(*above))?;
    labels::alone(&visible.lines.get(above)?.to_lowercase())
}

/// The day of publication that the text tells: in a line near the heading, at the beginning of the text, or beside a word that says so.
pub(super) fn told(visible: &Visible<'_>, reader: DateReader<'_>) -> Option<PageDate> {
    let near = told_near(visible, reader).next();
    let opening = || visible.openings().find_map(|line| reader.opening(line));
    near.or_else(opening)
        .or_else(|| labelled(visible, Label::Published, reader))
}

/// The day of the last change that the text tells.
pub(super) fn told_change(visible: &Visible<'_>, reader: DateReader<'_>) -> Option<PageDate> {
    labelled(visible, Label::Modified, reader)
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

/// The days that stand near the heading, not before it, as the date of the page: in a marked element that is short, or in a line that is only
/// a date or a byline with a date. A day within a sentence is that of an event.
pub(super) fn days_of_page(visible: &Visible<'_>, reader: DateReader<'_>) -> impl Iterator<Item = Date> {
    let marked = visible.near_first(is_date_mark).into_iter();
    let marked = marked.filter(|marked| visible.is_near(marked.line) && visible.is_after_heading(marked.line));
    let marked = marked.filter(|marked| marked.text.len() <= MAX_DATE_BYTES);
    let marked = marked.filter(move |marked| is_of_publication(label_of(visible, marked, reader)));
    // What readers see is in their time zone.
    let shown = marked.filter_map(move |marked| told_in(&marked.text, reader));
    let lines = visible.lines_near().filter(|(at, _)| visible.is_after_heading(*at));
    let lines = lines.map(|(_, line)| line);
    let lines = lines.filter(move |line| form::is_date_line(line, reader.order, PUBLISHED));
    let told = lines.filter_map(move |line| told_in(line, reader));
    shown.chain(told).map(|date| date.day)
}

/// Whether an element is marked as a date that may be that of the publication.
fn is_date_mark(mark: Mark) -> bool {
    matches!(mark, Mark::Time | Mark::Published)
}

fn told_near(visible: &Visible<'_>, reader: DateReader<'_>) -> impl Iterator<Item = PageDate> {
    let lines = visible.lines_near().filter(|(_, line)| date::may_be_in(line));
    let lines = lines.filter(|(at, _)| is_of_publication(label_above(visible, *at)));
    let told = lines.filter_map(move |(at, line)| Some((at, told_in(line, reader)?)));
    let own = told.filter(move |(at, date)| is_own(visible, *at, date, reader));
    own.map(|(_, date)| date)
}

/// Whether a date in a line may be that of the page. Before the heading, it may be that of the reader, unless an author stands beside it.
fn is_own(visible: &Visible<'_>, line: usize, date: &PageDate, reader: DateReader<'_>) -> bool {
    let names_author = || {
        let mut parts = visible
            .lines
            .get(line)
            .unwrap_or_default()
            .split(['|', '•', '·', '–', '—']);
        parts.any(|part| byline::is_byline(part.trim()))
    };
    visible.is_after_heading(line) || visible.is_own(line) && !reader.is_of_reader(date.day) || names_author()
}

/// The day of publication in a line: the one with such a label, or one without a label.
fn told_in(line: &str, reader: DateReader<'_>) -> Option<PageDate> {
    date_in(line, Label::Published, reader)
}

/// The first date of a text with this label; if there is none, the first without a label.
fn date_in(text: &str, label: Label, reader: DateReader<'_>) -> Option<PageDate> {
    if !date::may_be_in(text) {
        return None;
    }
    let lower = text.to_lowercase();
    if !has_label(&lower) {
        return reader.shown(text);
    }
    let parts = parts(&lower);
    let mut dated = dated(&parts, |text| reader.shown(text));
    dated.retain(|(of_date, ..)| of_date.is_none_or(|of_date| of_date == label));
    // Stable: of several the first.
    dated.sort_by_key(|(label, ..)| label.is_none());
    dated.into_iter().next().map(|(.., date)| date)
}

/// Whether a date with this label, or without one, can be that of the publication.
fn is_of_publication(label: Option<Label>) -> bool {
    label.is_none_or(|label| label == Label::Published)
}

/// The date in the first line with such a label beside it.
fn labelled(visible: &Visible<'_>, label: Label, reader: DateReader<'_>) -> Option<PageDate> {
    visible.dated_lines().find_map(|(at, line)| {
        let lower = line.to_lowercase();
        if label_above(visible, at) == Some(label) {
            return reader.shown(&lower);
        }
        let parts = has_label(&lower).then(|| parts(&lower))?;
        let found = dated(&parts, |text| reader.shown(text)).into_iter();
        let mut found = found.filter(|(of_date, text, _)| *of_date == Some(label) && is_beside(text, reader.order));
        found.next().map(|(.., date)| date)
    })
}

/// Whether the date of a text beside a label belongs to the label: they are in one sentence, with few words between.
fn is_beside(text: &str, order: Order) -> bool {
    let gap = text.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default();
    let is_one_sentence = !gap.contains(['。', '．', '?', '!', '？', '！', '[', '［']);
    let around = date::words_around(text, order);
    is_one_sentence && around.is_some_and(|around| around.before.min(around.behind) <= MAX_LABEL_WORDS)
}
