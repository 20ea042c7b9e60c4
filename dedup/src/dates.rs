//! Recognises dates and clock times, so that a page is not new if only its date changes.
//!
//! A small recogniser over tokens, not a parser. It prefers precision to recall, because all dates of a text count as
//! one feature. It recognises `2024-03-05` (also with `/` and `.`, and day or month first), `5 March 2024`,
//! `March 5th, 2024`, `March 2024`, `5 March`, 2024年3月5日, 3月5日 and other forms of [East Asia](east_asian), `12:30`, `12:30:45`, `12:30 pm`,
//! `03-05 10:30` behind a word for a date, and RFC 3339.

mod east_asian;

use crate::segment::{Token, TokenKind};

/// Upper bound on the tokens of a date or clock time.
pub(crate) const MOST_TOKENS: usize = 15;

/// The number of tokens at the start of `tokens` that are one date or clock time in the normalised `text`; 0 if none
/// are.
#[must_use]
pub(crate) fn date_length(text: &str, tokens: &[Token<'_>]) -> usize {
    let Some(first) = tokens.first() else { return 0 };
    if !may_begin(text.as_bytes(), first.start, first.start + first.text.len()) {
        return 0;
    }
    [
        with_characters,
        with_separators,
        with_t,
        month_and_day,
        dotted,
        day_first,
        month_first,
        clock_time,
    ]
    .iter()
    .map(|form| form(text, tokens))
    .max()
    .unwrap_or(0)
}

/// Whether a date or clock time may begin with the token at `start..end`. A quick check of the next bytes that rules
/// out most tokens.
pub(crate) fn may_begin(text: &[u8], start: usize, end: usize) -> bool {
    let (token, after) = (
        text.get(start..end).unwrap_or_default(),
        text.get(end..).unwrap_or_default(),
    );
    // Between two parts of a date there are at most four bytes.
    let gap = after
        .iter()
        .take(4)
        .take_while(|b| b.is_ascii() && !b.is_ascii_alphanumeric())
        .count();
    let (gap, next) = after.split_at(gap);
    let next_is_digit = next.first().is_some_and(u8::is_ascii_digit);
    match token.first() {
        Some(b'0'..=b'9') if token.len() > "2024.03.05".len() => false,
        Some(b'0'..=b'9') if token.contains(&b'.') => true,
        Some(b'0'..=b'9') if next_is_digit => {
            gap.iter().any(|b| matches!(b, b'-' | b'/' | b':')) || gap == b". " && token.len() == "2024".len()
        }
        Some(b'0'..=b'9') => match next {
            [a, b, c, ..] if a.is_ascii() => begins_month([*a, *b, *c]) || [*a, *b] == *b"of",
            [a, ..] => !a.is_ascii(),
            [] => false,
        },
        Some(0x80..) => may_begin_with_character(text.get(start..).unwrap_or_default()),
        Some(_) => next_is_digit && token.first_chunk().is_some_and(|first| begins_month(*first)),
        None => false,
    }
}

/// Whether a date or clock time may begin with the first character of these bytes, which is not ASCII.
#[inline]
pub(crate) fn may_begin_with_character(text: &[u8]) -> bool {
    east_asian::may_begin(text)
}

/// Whether a date may begin with this word: it begins with a digit, or with the first three letters of a month. The
/// lowest byte of `word` is its first.
pub(crate) fn begins_like_date(word: u128) -> bool {
    let [a, b, c, ..] = word.to_le_bytes();
    a.is_ascii_digit() || begins_month([a, b, c])
}

/// Whether these are the first three letters of a month.
fn begins_month([a, b, c]: [u8; 3]) -> bool {
    MONTHS_WITH[0][usize::from(a)] & MONTHS_WITH[1][usize::from(b)] & MONTHS_WITH[2][usize::from(c)] != 0
}

/// For each of the first three places and each letter: the months with that letter at that place, one bit per month.
const MONTHS_WITH: [[u16; 256]; 3] = {
    let mut months = [[0; 256]; 3];
    let mut at = 0;
    while at < 36 {
        months[at % 3][b"janfebmaraprmayjunjulaugsepoctnovdec"[at] as usize] |= 1 << (at / 3);
        at += 1;
    }
    months
};

type Tokens<'a, 'b> = &'b [Token<'a>];

/// The number of tokens of a date or clock time that [`east_asian`] recognises.
fn with_characters(text: &str, tokens: Tokens<'_, '_>) -> usize {
    let start = tokens[0].start;
    tokens_within(tokens, start + east_asian::length(text, start))
}

/// The number of tokens that end at or before `end`; 0 if a token begins before `end` and ends after it.
fn tokens_within(tokens: Tokens<'_, '_>, end: usize) -> usize {
    let within = tokens.iter().take_while(|token| token.start < end);
    let (count, last) = within.fold((0, 0), |(count, _), token| (count + 1, token.start + token.text.len()));
    if last <= end { count } else { 0 }
}

/// The number of the tokens of a date, with its weekday.
fn with_weekday(text: &str, tokens: Tokens<'_, '_>, length: usize) -> usize {
    let Some(last) = length.checked_sub(1).and_then(|last| tokens.get(last)) else {
        return length;
    };
    let end = last.start + last.text.len();
    let weekday = east_asian::weekday_length(text.get(end..).unwrap_or_default());
    length.max(tokens_within(tokens, end + weekday))
}

/// 2024-03-05T10:30, 2024-03-05T10:30:00.123Z, 2024-03-05T10:30:00+08:00 (RFC 3339).
fn with_t(text: &str, tokens: Tokens<'_, '_>) -> usize {
    let [year, month, day_and_hour, minute, rest @ ..] = tokens else {
        return 0;
    };
    let Some((day, hour)) = day_and_hour.text.split_once('t') else {
        return 0;
    };
    let two_digits = |text: &str| text.parse().ok().filter(|_: &u32| text.len() == 2);
    let is_hour = two_digits(hour).is_some_and(|hour| hour <= 24);
    let is_dated = between(text, year, month) == "-" && between(text, month, day_and_hour) == "-";
    let is_timed = is_hour && between(text, day_and_hour, minute) == ":";
    let is_utc_at = |part: &str| {
        part.strip_suffix('z')
            .unwrap_or(part)
            .parse::<f32>()
            .is_ok_and(|part| part < 61.0)
    };
    if !is_dated || !is_timed || !is_date([value(year), value(month), two_digits(day)]) || !is_utc_at(minute.text) {
        return 0;
    }
    let mut length = 4;
    let mut last = minute;
    if let Some(second) = rest
        .first()
        .filter(|second| between(text, minute, second) == ":" && is_utc_at(second.text))
    {
        (length, last) = (5, second);
    }
    // The offset from UTC.
    if let [hours, minutes, ..] = &tokens[length..]
        && matches!(between(text, last, hours), "+" | "-")
        && between(text, hours, minutes) == ":"
    {
        length += 2;
    }
    length
}

/// Words before a date without its year. Elsewhere 03-05 10:30 is as often the number of a part.
const DATE_WORDS: [&str; 14] = [
    "时间",
    "時間",
    "日期",
    "日時",
    "发布",
    "發布",
    "发布于",
    "發布於",
    "更新",
    "更新于",
    "更新於",
    "发表于",
    "發表於",
    "公告",
];

/// 03-05 10:30 behind a word for a date: month and day in two digits each, and a clock time.
fn month_and_day(text: &str, tokens: Tokens<'_, '_>) -> usize {
    let [first, second, rest @ ..] = tokens else { return 0 };
    let two_digits = |token: &Token<'_>| value(token).filter(|_| token.text.len() == 2);
    let before = text.get(..first.start).unwrap_or_default();
    let before = before.trim_end_matches([' ', ':']);
    let is_day = two_digits(first).is_some_and(month) && two_digits(second).is_some_and(day);
    let is_timed = rest
        .first()
        .is_some_and(|hour| hour.text.len() == 2 && between(text, second, hour) == " ");
    let is_dated = is_day && is_timed && matches!(between(text, first, second), "-" | "/");
    if !is_dated || !DATE_WORDS.iter().any(|word| before.ends_with(word)) {
        return 0;
    }
    match clock_time(text, rest) {
        0 => 0,
        length => 2 + length,
    }
}

/// 2024-03-05, 5/3/2024. Not 05-03-24, because too many other numbers look like it.
fn with_separators(text: &str, tokens: Tokens<'_, '_>) -> usize {
    let [a, b, c, ..] = tokens else { return 0 };
    let separator = between(text, a, b);
    if !matches!(separator, "-" | "/" | " - " | "‐" | "‑" | "–") || separator != between(text, b, c) {
        return 0;
    }
    with_weekday(text, tokens, usize::from(is_date([a, b, c].map(value))) * 3)
}

/// 2024.03.05 and 5.3.2024, which are one token.
fn dotted(text: &str, tokens: Tokens<'_, '_>) -> usize {
    let mut parts = tokens[0].text.split('.').map(|part| part.parse().ok());
    let three = [parts.next().flatten(), parts.next().flatten(), parts.next().flatten()];
    with_weekday(text, tokens, usize::from(parts.next().is_none() && is_date(three)))
}

/// 5 March 2024, 5th of March, 5-Mar-2024.
fn day_first(text: &str, tokens: Tokens<'_, '_>) -> usize {
    let first_is_day = ordinal_day(tokens[0].text)
        .or_else(|| value(&tokens[0]))
        .is_some_and(day);
    let of = usize::from(tokens.get(1).is_some_and(|token| token.text == "of"));
    let Some(name) = tokens.get(1 + of).filter(|token| first_is_day && is_month(token.text)) else {
        return 0;
    };
    if !near(text, &tokens[0], name, 4) {
        return 0;
    }
    2 + of + usize::from(year_follows(text, &tokens[1 + of..]))
}

/// March 5, 2024; March 5th; March 2024.
fn month_first(text: &str, tokens: Tokens<'_, '_>) -> usize {
    let [name, next, ..] = tokens else { return 0 };
    if !is_month(name.text) || !near(text, name, next, 2) {
        return 0;
    }
    if value(next).is_some_and(year) {
        return 2;
    }
    if !ordinal_day(next.text).or_else(|| value(next)).is_some_and(day) {
        return 0;
    }
    if year_follows(text, &tokens[1..]) {
        return 3;
    }
    // "may 5" alone is more often a verb than a date.
    if name.text == "may" { 0 } else { 2 }
}

/// 12:30, 12:30:45, 9:05 pm.
fn clock_time(text: &str, tokens: Tokens<'_, '_>) -> usize {
    let two_digits = |token: &Token<'_>| token.text.len() == 2 && value(token).is_some_and(|value| value < 60);
    let [hour, minute, rest @ ..] = tokens else { return 0 };
    if value(hour).is_none_or(|hour| hour >= 25) || !two_digits(minute) || between(text, hour, minute) != ":" {
        return 0;
    }
    let mut length = 2;
    if let Some(second) = rest.first()
        && between(text, minute, second) == ":"
    {
        // The third part is not a second, so this is not a time, as in "12:30:99".
        if !two_digits(second) {
            return 0;
        }
        length = 3;
    }
    let half = tokens
        .get(length)
        .is_some_and(|token| matches!(token.text, "am" | "pm"));
    length + usize::from(half)
}

fn year_follows(text: &str, tokens: Tokens<'_, '_>) -> bool {
    matches!(tokens, [before, next, ..] if value(next).is_some_and(year) && near(text, before, next, 3))
}

/// Whether the parts are year, month and day in a common order.
fn is_date(parts: [Option<u32>; 3]) -> bool {
    let [Some(a), Some(b), Some(c)] = parts else {
        return false;
    };
    year(a) && month(b) && day(c) || year(c) && (month(a) && day(b) || day(a) && month(b))
}

fn value(token: &Token<'_>) -> Option<u32> {
    if token.kind == TokenKind::Number && token.text.len() <= 4 {
        token.text.parse().ok()
    } else {
        None
    }
}

fn ordinal_day(text: &str) -> Option<u32> {
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let digits = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|ending| text.strip_suffix(ending))?;
    if digits.len() <= 2 { digits.parse().ok() } else { None }
}

fn year(value: u32) -> bool {
    (1000..=2999).contains(&value)
}

fn month(value: u32) -> bool {
    (1..=12).contains(&value)
}

fn day(value: u32) -> bool {
    (1..=31).contains(&value)
}

fn is_month(text: &str) -> bool {
    let name = match text.get(..3) {
        Some("jan") => "january",
        Some("feb") => "february",
        Some("mar") => "march",
        Some("apr") => "april",
        Some("may") => "may",
        Some("jun") => "june",
        Some("jul") => "july",
        Some("aug") => "august",
        Some("sep") => "september",
        Some("oct") => "october",
        Some("nov") => "november",
        Some("dec") => "december",
        _ => return false,
    };
    text.len() == 3 || text == name || text == "sept"
}

fn between<'a>(text: &'a str, before: &Token<'_>, after: &Token<'_>) -> &'a str {
    text.get(before.start + before.text.len()..after.start).unwrap_or("")
}

fn near(text: &str, before: &Token<'_>, after: &Token<'_>, bytes: usize) -> bool {
    between(text, before, after).len() <= bytes
}

#[cfg(test)]
mod tests;
