//! Spans of time: `12.–14. März 2024`, `5 March 2024, 10:00 – 12:00`. An event has one, a publication has none.

use super::tokens::Token::{self, Mark, Month, Number, Word};
use super::{Order, date_from, end_of_date, is_filler};

/// Most tokens behind a date that are searched for its time.
const MAX_BEHIND: usize = 12;

/// Whether the date at a token is the beginning or the end of a span, or one with a span of hours.
pub(super) fn is_of_span(tokens: &[Token], at: usize, order: Order) -> bool {
    let (before, rest) = tokens.split_at(at);
    let behind = &rest[end_of_date(rest, order)..];
    is_end(before) || is_beginning(behind, order) || has_hours(behind)
}

/// Whether a token stands between the two ends of a span.
fn is_to(token: &Token) -> bool {
    match token {
        Mark(c) => matches!(c, '-' | '–' | '—' | '~' | '～' | '〜'),
        Word(word) => matches!(
            word.as_str(),
            "to" | "bis" | "au" | "al" | "até" | "до" | "по" | "至" | "से"
        ),
        _ => false,
    }
}

/// Whether these tokens end with the first day of a span: `12. –`, `28 February –`.
fn is_end(before: &[Token]) -> bool {
    let Some((last, before)) = before.split_last().filter(|(last, _)| is_to(last)) else {
        return false;
    };
    let before = before.iter().rev().skip_while(|token| match token {
        Month(_) | Number(_, 4) => true,
        token => is_filler(token) && *token != last,
    });
    let mut before = before.peekable();
    let is_day = before.next_if(|token| matches!(token, Number(1..=31, 1..=2))).is_some();
    // What follows a colon is the end of a time.
    is_day && before.next() != Some(&Mark(':'))
}

/// Whether these tokens begin with the last day of a span.
fn is_beginning(behind: &[Token], order: Order) -> bool {
    behind
        .split_first()
        .is_some_and(|(first, rest)| is_to(first) && date_from(rest, order).is_some())
}

/// Whether these tokens have a span of hours: `10:00 – 12:00`.
fn has_hours(behind: &[Token]) -> bool {
    let behind = &behind[..behind.len().min(MAX_BEHIND)];
    (0..behind.len()).any(|at| {
        let rest = after_time(&behind[at..]);
        let rest = rest.map(|rest| match rest {
            [Word(_), rest @ ..] if rest.first().is_some_and(is_to) => rest,
            rest => rest,
        });
        matches!(rest, Some([to, rest @ ..]) if is_to(to) && after_time(rest).is_some())
    })
}

/// What follows a time of hours and minutes at the start of some tokens.
fn after_time(tokens: &[Token]) -> Option<&[Token]> {
    match tokens {
        [Number(0..=24, 1..=2), Mark(':' | '.'), Number(0..=59, 2), rest @ ..] => Some(rest),
        _ => None,
    }
}
