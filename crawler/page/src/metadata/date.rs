//! Dates in the forms of programs and of people.
//!
//! A program writes a date by ISO 8601 or RFC 5322. People write it in the order and with the words of their language. Both are found in a
//! text by its tokens: numbers, words and punctuation.

mod calendars;
mod program;
mod span;
mod tokens;

use jiff::civil::Date;
use url::Url;

pub(super) use self::program::{declared, in_path};
use self::tokens::{Token, digits, tokens};
use super::text::{self, cut};

/// Longest text that is searched for a date, in bytes.
const MAX_TEXT_BYTES: usize = 512;

/// Most words and commas between the parts of a date.
const MAX_FILLERS: usize = 3;

/// Most tokens of a date: three parts and what is between them.
const MAX_DATE_TOKENS: usize = 3 + 2 * MAX_FILLERS;

/// A day, and the date as ISO 8601 writes it: with a time and an offset if the page gives them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageDate {
    pub day: Date,
    pub iso: String,
}

impl PageDate {
    fn of_day(day: Date) -> Self {
        Self {
            day,
            iso: day.to_string(),
        }
    }
}

/// Which number of `3/5/2024` is the month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    DayFirst,
    MonthFirst,
    /// The month between slashes. Between hyphens it cannot be told: Americans rarely write them, and others who write English often do.
    MonthFirstBetweenSlashes,
}

impl Order {
    /// The order of a page in this language with this URL: only the United States and the Philippines put the month first.
    pub(super) fn of(language: Option<&str>, url: &Url) -> Self {
        let language = language.unwrap_or_default().to_ascii_lowercase().replace('_', "-");
        let end = url
            .host_str()
            .and_then(|host| host.rsplit('.').next())
            .unwrap_or_default();
        let of_country = end.len() == 2 && !matches!(end, "us" | "io" | "co" | "tv" | "me" | "ai" | "ph");
        // Programs declare American English where nobody has chosen a language.
        match language.as_str() {
            "en-ph" => Self::MonthFirst,
            "en-us" | "en" | "" if !of_country => Self::MonthFirstBetweenSlashes,
            _ => Self::DayFirst,
        }
    }
}

/// Least digits of a date in ASCII (`5.3.24`), and of another one (`令和元年5月1日`).
const MIN_DIGITS: usize = 4;
const MIN_DIGITS_OF_ERA: usize = 2;

/// Whether a text has as many digits as a date. Most lines of a page have not.
pub(super) fn may_be_in(text: &str) -> bool {
    let (digits, is_ascii) = digits(text);
    digits >= if is_ascii { MIN_DIGITS } else { MIN_DIGITS_OF_ERA }
}

/// The tokens of the part of a text that is searched for a date; `None` if it has none.
fn tokens_with_date(text: &str) -> Option<Vec<Token>> {
    let text = cut(text, MAX_TEXT_BYTES);
    may_be_in(text).then(|| tokens(text))
}

/// The first date in a text that people read. `None` if it is part of a span of time, which is that of an event.
pub(super) fn shown(text: &str, order: Order) -> Option<PageDate> {
    let tokens = tokens_with_date(text)?;
    let (at, day) = (0..tokens.len()).find_map(|at| Some((at, date_at(&tokens, at, order)?)))?;
    let is_of_span = span::is_of_span(&tokens, at, order);
    (!is_of_span).then(|| PageDate::of_day(day))
}

/// Most words of the place before the date with which a text begins.
const MAX_PLACE_WORDS: usize = 3;

/// The date with which a text begins, as news do: `(5 March 2024) Text`, `5.3.2024 – Text`, `Rome, 5 March 2024 – Text`. `None` if the text
/// goes on with the sentence.
pub(super) fn opening(text: &str, order: Order) -> Option<PageDate> {
    use Token::{Mark, Word};
    let tokens = tokens_with_date(text)?;
    let place = tokens.iter().take_while(|token| matches!(token, Word(_))).count();
    let marks = tokens[place..]
        .iter()
        .take_while(|token| matches!(token, Mark('(' | ',' | '–' | '—' | '-' | '/' | '[' | '（' | '【')))
        .count();
    let is_opened = place == 0 || marks > 0;
    let rest = tokens
        .get(place + marks..)
        .filter(|_| is_opened && place <= MAX_PLACE_WORDS)?;
    let day = date_from(rest, order)?;
    let next = rest.get(end_of_date(rest, order))?;
    let is_closed = matches!(next, Mark(')' | '–' | '—' | '-' | ':' | '/' | '|' | ']' | '）' | '】'));
    is_closed.then(|| PageDate::of_day(day))
}

/// The words before and behind the first date of a text, and whether a time follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Around {
    pub before: usize,
    pub behind: usize,
    pub has_time: bool,
}

/// What is around the first date of a text; `None` if it has no date.
pub(super) fn words_around(text: &str, order: Order) -> Option<Around> {
    use Token::{Mark, Number};
    let tokens = tokens_with_date(text)?;
    let at = (0..tokens.len()).find(|at| date_at(&tokens, *at, order).is_some())?;
    let (before, behind) = tokens.split_at(at);
    let count = |tokens: &[Token]| tokens.iter().map(words_of).sum();
    let behind_words = behind.iter().filter(|token| !is_filler(token)).map(words_of).sum();
    Some(Around {
        before: count(before),
        behind: behind_words,
        has_time: behind
            .windows(3)
            .any(|three| matches!(three, [Number(_, 1..=2), Mark(':' | '.' | 'h'), Number(_, 2)])),
    })
}

/// The number of words in a token.
fn words_of(token: &Token) -> usize {
    match token {
        Token::Word(word) if matches!(word.as_str(), "tháng" | "năm") => 0,
        Token::Word(word) => text::words_of(word),
        _ => 0,
    }
}

/// The day of these numbers, if there is one.
fn date(year: i64, month: i64, day: i64) -> Option<Date> {
    calendars::day(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?)
}

/// The order of a text whose first date between slashes or hyphens can be read in one order only.
pub(super) fn order_told(text: &str) -> Option<Order> {
    use Token::{Mark, Number};
    memchr::memchr2_iter(b'/', b'-', text.as_bytes()).nth(1)?;
    let tokens = tokens_with_date(text)?;
    tokens.windows(5).find_map(|five| match five {
        [
            Number(a, 1..=2),
            Mark(one @ ('/' | '-')),
            Number(b, 1..=2),
            Mark(other),
            Number(1990..=2100, 4),
        ] if one == other => match (a, b) {
            (13..=31, 1..=12) => Some(Order::DayFirst),
            (1..=12, 13..=31) => Some(Order::MonthFirst),
            _ => None,
        },
        _ => None,
    })
}

/// The date that begins at a token.
fn date_at(tokens: &[Token], at: usize, order: Order) -> Option<Date> {
    let rest = &tokens[at..];
    let is_cut = match (at.checked_sub(1).map(|before| &tokens[before]), rest.first()) {
        (Some(Token::Mark('-')), Some(Token::Number(..))) => {
            is_number_before(tokens, at) && !is_time_before(tokens, at)
        }
        (Some(Token::Mark('.' | '/' | ':')), Some(Token::Number(..))) => is_number_before(tokens, at),
        _ => false,
    };
    if is_cut { None } else { date_from(rest, order) }
}

/// The date with which these tokens begin.
fn date_from(tokens: &[Token], order: Order) -> Option<Date> {
    with_signs(tokens)
        .or_else(|| year_first(tokens))
        .or_else(|| day_first(tokens, order))
        .or_else(|| with_word(tokens))
        .or_else(|| of_era(tokens))
}

/// The number of tokens of the date with which these begin: of the shortest beginning that has the date.
fn end_of_date(tokens: &[Token], order: Order) -> usize {
    let longest = tokens.len().min(MAX_DATE_TOKENS);
    (1..longest)
        .find(|end| date_from(&tokens[..*end], order).is_some())
        .unwrap_or(longest)
}

/// Whether a number stands before the mark before this token.
fn is_number_before(tokens: &[Token], at: usize) -> bool {
    at > 1 && matches!(tokens[at - 2], Token::Number(..))
}

/// Whether a time stands before the mark before this token: `10:30 - 5 March 2024`.
fn is_time_before(tokens: &[Token], at: usize) -> bool {
    at > 2 && tokens[at - 3] == Token::Mark(':')
}

/// `2024年3月5日`, `2024년 3월 5일`.
fn with_signs(tokens: &[Token]) -> Option<Date> {
    use Token::{Mark, Number};
    match tokens {
        [
            Number(y, 4),
            Mark('年' | '년'),
            Number(m, _),
            Mark('月' | '월'),
            Number(d, _),
            Mark('日' | '号' | '號' | '일'),
            ..,
        ] => date(*y, *m, *d),
        _ => None,
    }
}

/// `令和6年3月5日`, `令和元年5月1日`.
fn of_era(tokens: &[Token]) -> Option<Date> {
    use Token::{Mark, Number, Word};
    match tokens {
        [
            Word(era),
            Number(y, 1..=3),
            Mark('年'),
            Number(m, _),
            Mark('月'),
            Number(d, _),
            Mark('日'),
            ..,
        ] => date(calendars::year_of_era(era, *y)?, *m, *d),
        [
            Word(era),
            Mark('年'),
            Number(m, _),
            Mark('月'),
            Number(d, _),
            Mark('日'),
            ..,
        ] => date(calendars::year_of_era(era.strip_suffix('元')?, 1)?, *m, *d),
        _ => None,
    }
}

/// `2024-03-05`, `2024/3/5`, `2024.03.05`, `2024. 3. 5.`
fn year_first(tokens: &[Token]) -> Option<Date> {
    use Token::{Mark, Number};
    match tokens {
        [
            Number(y, 4),
            Mark(one @ ('-' | '/' | '.')),
            Number(m, 1..=2),
            Mark(other),
            Number(d, 1..=2),
            ..,
        ] if one == other => date(*y, *m, *d),
        _ => None,
    }
}

/// `05.03.2024`, `5/3/2024`, `5-3-2024`, `05.03.24`, `5 tháng 3 năm 2024`.
fn day_first(tokens: &[Token], order: Order) -> Option<Date> {
    use Token::{Mark, Number, Word};
    match tokens {
        [
            Number(d, 1..=2),
            Word(word),
            Number(m, 1..=2),
            Mark(',') | Word(_),
            Number(y, 4),
            ..,
        ] if word == "tháng" => date(*y, *m, *d),
        [
            Number(a, 1..=2),
            Mark(one @ ('-' | '/' | '.')),
            Number(b, 1..=2),
            Mark(other),
            Number(y, digits @ (2 | 4)),
            ..,
        ] if one == other => {
            // The short year is only usual between dots and slashes.
            let y = match digits {
                4 => *y,
                _ if *one == '-' => return None,
                _ => 2000 + y,
            };
            let is_month_first = match order {
                Order::DayFirst => false,
                Order::MonthFirst => *one != '.',
                Order::MonthFirstBetweenSlashes => *one == '/',
            };
            let is_undecided = *one == '-' && order == Order::MonthFirstBetweenSlashes && a != b;
            if is_undecided && *a <= 12 && *b <= 12 {
                return None;
            }
            let (usual, other) = if is_month_first {
                ((a, b), (b, a))
            } else {
                ((b, a), (a, b))
            };
            // Between dots only one order is usual.
            date(y, *usual.0, *usual.1).or_else(|| date(y, *other.0, *other.1).filter(|_| *one != '.'))
        }
        _ => None,
    }
}

/// `5. März 2024`, `5 de marzo de 2024`, `March 5th, 2024`, `2024. március 5.`, `5-Mar-2024`.
fn with_word(tokens: &[Token]) -> Option<Date> {
    use Token::{Month, Number};
    let (first, rest) = tokens.split_first()?;
    let (second, rest) = after_fillers(rest)?;
    let (third, _) = after_fillers(rest)?;
    match (first, second, third) {
        (Number(d, 1..=2), Month(m), Number(y, 4))
        | (Month(m), Number(d, 1..=2), Number(y, 4))
        | (Number(y, 4), Month(m), Number(d, 1..=2)) => date(*y, *m, *d),
        _ => None,
    }
}

/// The next token that is no filler, and what follows.
fn after_fillers(tokens: &[Token]) -> Option<(&Token, &[Token])> {
    let fillers = tokens
        .iter()
        .take(MAX_FILLERS)
        .take_while(|token| is_filler(token))
        .count();
    tokens[fillers..].split_first()
}

/// Whether a token may stand between the parts of a date.
fn is_filler(token: &Token) -> bool {
    match token {
        Token::Mark(c) => matches!(c, ',' | '.' | '-' | '/' | 'º' | 'ª' | '°' | '،' | '\'' | '’'),
        Token::Word(word) => matches!(
            word.as_str(),
            "de" | "del"
                | "of"
                | "di"
                | "do"
                | "da"
                | "d"
                | "den"
                | "the"
                | "st"
                | "nd"
                | "rd"
                | "th"
                | "er"
                | "ère"
                | "º"
                | "ª"
                | "года"
                | "г"
                | "m"
                | "a"
                | "år"
                | "kuuta"
                | "พ"
                | "ศ"
                | "ב"
                | "metų"
        ),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
