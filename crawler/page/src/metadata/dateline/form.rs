//! The form of a line that is only a date, or a byline with a date. A day within a sentence is that of an event.

use super::super::byline;
use super::super::date::{self, Order};
use super::super::names::after_written_by;
use super::super::text::words;

/// Most words before the date: the day of the week, or a word such as "on". After a word for the publication, both may follow.
const MAX_BEFORE: usize = 1;
const MAX_AFTER_LABEL: usize = 3;

/// Most words behind the date: the day of the week. Those around a time are "at", "o'clock" and the zone.
const MAX_BEHIND: usize = 1;
const MAX_AROUND_TIME: usize = 4;

/// Most words of another part of the line: the section, the number of comments.
const MAX_OTHER_WORDS: usize = 3;

/// Whether a line is only a date or a byline with a date. `labels` are words for the publication, in lower case.
pub(super) fn is_date_line(line: &str, order: Order, labels: &[&str]) -> bool {
    let parts = line.split(['|', '｜', '•', '·', '–', '—']);
    let mut parts = parts.flat_map(|part| part.split(" - ")).map(str::trim);
    parts.all(|part| match date::words_around(part, order) {
        Some(_) => is_date(part, order, labels) || is_dated_byline(part, order, labels),
        None => words(part) <= MAX_OTHER_WORDS || byline::is_byline(part),
    })
}

/// Whether a text is a date with the few words that accompany one.
fn is_date(text: &str, order: Order, labels: &[&str]) -> bool {
    let Some(around) = date::words_around(text, order) else {
        return false;
    };
    let lower = text.to_lowercase();
    let before = if labels.iter().any(|label| lower.starts_with(label)) {
        MAX_AFTER_LABEL
    } else {
        MAX_BEFORE
    };
    // Chinese and Japanese pages write further fields into the line, each with a label.
    let behind = if around.has_time || text.contains('：') {
        MAX_AROUND_TIME
    } else {
        MAX_BEHIND
    };
    around.before <= before && around.behind <= behind
}

/// Whether a text is "By Jane Doe on 5 March 2024" or "5 March 2024 by Jane Doe".
fn is_dated_byline(text: &str, order: Order, labels: &[&str]) -> bool {
    if after_written_by(text).is_some() && byline::is_byline(text) {
        return true;
    }
    byline::between(text, order).any(|(date, name)| is_date(date, order, labels) && byline::has_sure_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_only_a_date_is_told_from_a_sentence() {
        let labels = ["published", "veröffentlicht"];
        for (line, expected) in [
            ("29 April 2024", true),
            ("Monday, April 29, 2024", true),
            ("Monday, April 29, 2024 at 10:30 a.m. EST", true),
            ("Montag, 29. April 2024 um 10:30 Uhr", true),
            ("Veröffentlicht am Montag, 29. April 2024", true),
            ("Published: 2024-04-29", true),
            ("By Jane Doe on April 29, 2024", true),
            ("By Jane Doe, April 29, 2024 | 3 comments", true),
            ("29 April 2024 by Jane Doe", true),
            ("Politics | 29 April 2024 | 5 min read", true),
            ("By Jane Doe - Monday, 29 April 2024", true),
            ("2024年4月29日 10:00 来源：新华网 作者：王小明", true),
            ("2024年4月29日(月)", true),
            ("The storm of 29 April 2024", false),
            ("The storm of 29 April 2024 took forty roofs", false),
            ("Storm on 29 April 2024", false),
            ("On 29 April 2024 the storm took forty roofs", false),
            ("29 April 2024: the storm takes forty roofs", false),
            ("Painted in Rome on 29 April 2024 by Jane Doe", false),
            ("By the evening of 29 April 2024 all was over", false),
            ("29 April 2024 – the day on which the storm came", false),
            ("2024年4月29日 | 経済・社会面 | 来源：人民日报海外版", true),
            ("2024年4月29日 | 昨日の嵐で四十軒の家の屋根が飛ばされた", false),
            ("2024年4月29日の嵐で四十軒の家の屋根が飛ばされた", false),
            ("Бурята от 29 април 2024 отнесе покриви", false),
        ] {
            assert_eq!(is_date_line(line, Order::DayFirst, &labels), expected, "{line}");
        }
    }
}
