//! Dates in the forms of programs and of people.
//!
//! A program writes a date by ISO 8601 or RFC 5322. People write it in the order and with the words of their language. Both are found in a
//! text by its tokens: numbers, words and punctuation.

mod calendars;
mod tokens;

use jiff::civil::Date;
use url::Url;

use self::tokens::{Token, tokens};
use super::text::{cut, is_without_spaces};

/// Longest text that is searched for a date, in bytes.
const MAX_TEXT_BYTES: usize = 512;

/// Most words and commas between the parts of a date.
const MAX_FILLERS: usize = 3;

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
        match language.as_str() {
            "en-us" | "en-ph" => Self::MonthFirst,
            "en" | "" if !of_country => Self::MonthFirst,
            _ => Self::DayFirst,
        }
    }
}

/// The date that a program wrote: the text is the date, or begins with it.
pub(super) fn declared(text: &str, order: Order) -> Option<PageDate> {
    let text = text.trim();
    iso(text)
        .or_else(|| compact(text))
        .or_else(|| unix_time(text))
        .or_else(|| shown(text, order))
}

/// The first date in a text that people read.
pub(super) fn shown(text: &str, order: Order) -> Option<PageDate> {
    let tokens = tokens(cut(text, MAX_TEXT_BYTES));
    let found = (0..tokens.len()).find_map(|at| date_at(&tokens, at, order));
    found.map(PageDate::of_day)
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
    let tokens = tokens(cut(text, MAX_TEXT_BYTES));
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

/// Most letters that are one word where spaces do not separate words.
const LETTERS_OF_WORD: usize = 4;

/// The number of words in a token. A long run of letters without spaces, as in Chinese, is several.
fn words_of(token: &Token) -> usize {
    match token {
        Token::Word(word) if matches!(word.as_str(), "tháng" | "năm") => 0,
        Token::Word(word) if word.starts_with(is_without_spaces) => word.chars().count().div_ceil(LETTERS_OF_WORD),
        Token::Word(_) => 1,
        _ => 0,
    }
}

/// The day in the path of a URL, such as `/2024/03/05/` or `/2024-03-05-title`.
pub(super) fn in_path(url: &Url) -> Option<PageDate> {
    let path = cut(url.path(), MAX_TEXT_BYTES).as_bytes();
    (0..path.len()).find_map(|at| {
        let is_start = at > 0 && !path[at - 1].is_ascii_digit();
        let day = day_in_path(&path[at..]).filter(|_| is_start)?;
        Some(PageDate::of_day(day))
    })
}

/// The day at the start of a part of a path: `2024/03/05`, with `/`, `-` or `_`, or `20240305`.
fn day_in_path(path: &[u8]) -> Option<Date> {
    let (year, rest) = number(path, 4, 4)?;
    let separator = rest.first().copied().filter(|byte| matches!(byte, b'/' | b'-' | b'_'));
    let after = |rest: &'_ [u8]| -> Option<usize> {
        match separator {
            None => Some(0),
            Some(byte) => (rest.first() == Some(&byte)).then_some(1),
        }
    };
    let least = if separator == Some(b'/') { 1 } else { 2 };
    let (month, rest) = number(&rest[after(rest)?..], least, 2)?;
    let (day, rest) = number(&rest[after(rest)?..], least, 2)?;
    let ends = !rest.first().is_some_and(u8::is_ascii_digit);
    ends.then(|| date(year, month, day)).flatten()
}

/// The number at the start of some bytes, and the rest.
fn number(bytes: &[u8], least: usize, most: usize) -> Option<(i64, &[u8])> {
    let digits = bytes.iter().take(most).take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = bytes.split_at(digits);
    let value = digits
        .iter()
        .fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
    (digits.len() >= least).then_some((value, rest))
}

/// The day of these numbers, if there is one.
fn date(year: i64, month: i64, day: i64) -> Option<Date> {
    calendars::day(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?)
}

/// A date of ISO 8601 in its extended form, with a time and an offset if they are there.
fn iso(text: &str) -> Option<PageDate> {
    let bytes = text.as_bytes();
    let (year, rest) = number(bytes, 4, 4)?;
    let (month, rest) = number(rest.strip_prefix(b"-")?, 1, 2)?;
    let (day, rest) = number(rest.strip_prefix(b"-")?, 1, 2)?;
    let day = date(year, month, day)?;
    let time = rest
        .strip_prefix(b"T")
        .or_else(|| rest.strip_prefix(b"t"))
        .or_else(|| rest.strip_prefix(b" "));
    let iso = match time.and_then(iso_time) {
        Some(time) => format!("{day}T{time}"),
        None => day.to_string(),
    };
    Some(PageDate { day, iso })
}

/// A time with its offset: `10:05:00+01:00`. Fractions of seconds are left out.
fn iso_time(bytes: &[u8]) -> Option<String> {
    let (hour, rest) = number(bytes, 2, 2)?;
    let (minute, mut rest) = number(rest.strip_prefix(b":")?, 2, 2)?;
    let mut second = 0;
    if let Some((value, after)) = rest.strip_prefix(b":").and_then(|rest| number(rest, 2, 2)) {
        (second, rest) = (value, after);
    }
    if let [b'.' | b',', fraction @ ..] = rest {
        let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
        rest = &fraction[digits..];
    }
    let is_time = hour <= 23 && minute <= 59 && second <= 60;
    is_time.then(|| format!("{hour:02}:{minute:02}:{second:02}{}", offset(rest)))
}

/// An offset as ISO 8601 writes it; empty if there is none.
fn offset(bytes: &[u8]) -> String {
    let found = || {
        let (sign, rest) = match bytes.trim_ascii() {
            [b'Z' | b'z', ..] => return Some("Z".to_owned()),
            [sign @ (b'+' | b'-'), rest @ ..] => (char::from(*sign), rest),
            _ => return None,
        };
        let (hours, rest) = number(rest, 2, 2)?;
        let (minutes, _) = number(rest.strip_prefix(b":").unwrap_or(rest), 2, 2).unwrap_or((0, rest));
        (hours <= 14 && minutes <= 59).then(|| format!("{sign}{hours:02}:{minutes:02}"))
    };
    found().unwrap_or_default()
}

/// A date of ISO 8601 in its basic form: `20240305`, perhaps with a time.
fn compact(text: &str) -> Option<PageDate> {
    let bytes = text.as_bytes();
    let ends = bytes.len() == 8 || matches!(bytes.get(8), Some(b'T' | b' '));
    let is_digits = bytes.iter().take(8).all(u8::is_ascii_digit);
    let day = day_in_path(bytes).filter(|_| ends && is_digits)?;
    Some(PageDate::of_day(day))
}

/// Seconds or milliseconds since 1970.
fn unix_time(text: &str) -> Option<PageDate> {
    let is_time = matches!(text.len(), 10 | 13) && text.bytes().all(|byte| byte.is_ascii_digit());
    let number: i64 = text.parse().ok().filter(|_| is_time)?;
    let seconds = if text.len() == 13 { number / 1000 } else { number };
    let time = jiff::Timestamp::from_second(seconds).ok()?;
    let time = time.to_zoned(jiff::tz::TimeZone::UTC);
    Some(PageDate {
        day: time.date(),
        iso: format!("{}T{}Z", time.date(), time.time()),
    })
}

/// The date that begins at a token.
fn date_at(tokens: &[Token], at: usize, order: Order) -> Option<Date> {
    let rest = &tokens[at..];
    let is_cut = at > 0
        && matches!(
            (&tokens[at - 1], rest.first()),
            (Token::Mark('.' | '/' | '-' | ':'), Some(Token::Number(..)))
        )
        && is_number_before(tokens, at);
    if is_cut {
        return None;
    }
    with_signs(rest)
        .or_else(|| year_first(rest))
        .or_else(|| day_first(rest, order))
        .or_else(|| with_word(rest))
        .or_else(|| of_era(rest))
}

/// Whether a number stands before the mark before this token.
fn is_number_before(tokens: &[Token], at: usize) -> bool {
    at > 1 && matches!(tokens[at - 2], Token::Number(..))
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

/// `令和6年3月5日`.
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
            let is_month_first = *one == '/' && order == Order::MonthFirst;
            let (usual, other) = if is_month_first {
                ((a, b), (b, a))
            } else {
                ((b, a), (a, b))
            };
            // Only between slashes is either order usual.
            date(y, *usual.0, *usual.1).or_else(|| date(y, *other.0, *other.1).filter(|_| *one == '/'))
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
