//! Dates and clock times of China, Japan and Korea.
//!
//! A number before a character that also counts other things is content, so a date or a clock time has two parts: 3月5日, 10時30分 and 午後3時, but
//! not 3月, 3点 or 3時. R6.3.5 is content, too, because it may be the version of a program.

/// A character that begins a date or a clock time if one of these follows: half days, eras, years in characters.
const BEGINNINGS: [(&str, &[&str]); 10] = [
    ("午", &["前", "後", "后"]),
    ("上", &["午"]),
    ("下", &["午"]),
    ("오", &["전", "후"]),
    ("令", &["和"]),
    ("平", &["成"]),
    ("昭", &["和"]),
    ("民", &["國", "国"]),
    ("二", &["〇", "○", "零"]),
    ("一", &["九"]),
];

const HALF_DAYS: [&str; 7] = ["午前", "午後", "午后", "上午", "下午", "오전", "오후"];
const ERAS: [&str; 5] = ["令和", "平成", "昭和", "民國", "民国"];
/// Characters of the longest date with its weekday and its spaces: 二〇二四年 十二月 三十一日 (星期二).
const LONGEST_DATE: usize = 28;
const DIGITS: &str = "零一二三四五六七八九";
/// Words before a place on the earth or in the sky, which is measured in hours and minutes, too.
const COORDINATES: [&str; 5] = ["度", "赤経", "赤经", "赤經", "ascension"];
const CHINESE_WEEKS: [&str; 5] = ["星期", "周", "週", "礼拜", "禮拜"];
const CHINESE_WEEKDAYS: &str = "一二三四五六日天";
const JAPANESE_WEEKDAYS: &str = "日月火水木金土";
const KOREAN_WEEKDAYS: &str = "일월화수목금토";

/// Whether a date or clock time may begin with the first character of these bytes.
#[inline]
pub(super) fn may_begin(text: &[u8]) -> bool {
    // The first characters of `BEGINNINGS`. This test is separate and fast, because it runs for every ideograph of a text.
    matches!(
        text,
        [0xe4, 0xb8, 0x80 | 0x8a | 0x8b, ..]
            | [0xe4, 0xba, 0x8c, ..]
            | [0xe4, 0xbb, 0xa4, ..]
            | [0xe5, 0x8d, 0x88, ..]
            | [0xe5, 0xb9, 0xb3, ..]
            | [0xe6, 0x98, 0xad, ..]
            | [0xe6, 0xb0, 0x91, ..]
            | [0xec, 0x98, 0xa4, ..]
    ) && begins(text)
}

#[inline(never)]
fn begins(text: &[u8]) -> bool {
    let begins = |text: &[u8], with: &str| text.starts_with(with.as_bytes());
    let found = BEGINNINGS.iter().find(|(first, _)| begins(text, first));
    found.is_some_and(|(first, seconds)| seconds.iter().any(|second| begins(&text[first.len()..], second)))
}

/// The length in bytes of the date or clock time that begins at `start` in a normalised text; 0 if there is none.
pub(super) fn length(text: &str, start: usize) -> usize {
    let (before, text) = text.split_at_checked(start).unwrap_or_default();
    let text = Rest(text);
    let rest = dated(text).or_else(|| clock_time(before, text));
    rest.or_else(|| day_with_weekday(text))
        .map_or(0, |rest| text.0.len() - rest.0.len())
}

/// A date with its weekday.
fn dated(text: Rest<'_>) -> Option<Rest<'_>> {
    let (rest, has_day) = date(text).or_else(|| spaced_date(text).map(|rest| (rest, true)))?;
    Some(if has_day { rest.weekday().unwrap_or(rest) } else { rest })
}

/// The length in bytes of the weekday behind a date, with what stands between them: (火), 星期二, 周二, 火曜日, 화요일; 0 if there is none.
pub(super) fn weekday_length(text: &str) -> usize {
    Rest(text).weekday().map_or(0, |rest| text.len() - rest.0.len())
}

/// 2024年3月5日, 2024年3月, 3月5日, 令和6年3月5日, 民國113年3月5日, 二〇二四年三月五日; and whether it has a day.
fn date(text: Rest<'_>) -> Option<(Rest<'_>, bool)> {
    let behind_year = year(text);
    let month = behind_year.unwrap_or(text).part(1..=12, "月월")?;
    // A day without a year counts only in digits.
    if behind_year.is_none() && !text.0.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let day = month.part(1..=31, "日号號일").map(|day| (day, true));
    day.or_else(|| behind_year.map(|_| (month, false)))
}

fn year(text: Rest<'_>) -> Option<Rest<'_>> {
    if let Some(era) = text.one_of(&ERAS) {
        return era.part(1..=150, "年").or_else(|| era.character("元")?.character("年"));
    }
    text.part(1000..=2999, "年년").or_else(|| {
        let behind_digit = |rest: Rest<'_>| Some(rest.digit()?.1.0.len());
        let mut rest = text;
        for _ in 0..4 {
            rest = Rest(&text.0[text.0.len() - behind_digit(rest)?..]);
        }
        rest.character("年")
    })
}

/// 10時30分, 午後3時, 오후 4:10, and behind a date also 9点5分 and 10点30分15秒.
///
/// Without a half day or a date, two digits each are asked for, and no seconds: 2時05分10秒 is the result of a race and 9点5分 a mark.
fn clock_time<'a>(before: &str, text: Rest<'a>) -> Option<Rest<'a>> {
    let half_day = text.one_of(&HALF_DAYS);
    let from_hour = half_day.map_or(text, Rest::space);
    if half_day.is_some()
        && let Some(minute) = from_hour.part(0..=24, ":").and_then(|rest| rest.two_digits(0..=59))
    {
        return Some(
            minute
                .character(":")
                .and_then(|rest| rest.two_digits(0..=59))
                .unwrap_or(minute),
        );
    }
    let hour = from_hour.part(0..=24, "时時点點시")?;
    let Some(minute) = hour.part(0..=59, "分분") else {
        return half_day.map(|_| hour);
    };
    if half_day.is_some() || ends_with_date(before) {
        return Some(minute.part(0..=59, "秒초").unwrap_or(minute));
    }
    let has_two_digits = text.two_digits(0..=24).is_some() && hour.space().two_digits(0..=59).is_some();
    let has_second =
        minute.part(0..=59, "秒초").is_some() || minute.space().0.starts_with(|c: char| c.is_ascii_digit());
    let before = before.trim_end_matches([' ', '、', ',', ':']);
    let is_place = COORDINATES.iter().any(|word| before.ends_with(word));
    (has_two_digits && !has_second && !is_place).then_some(minute)
}

/// Whether a text ends with a date that has a day, perhaps with its weekday.
fn ends_with_date(text: &str) -> bool {
    let text = text.trim_end();
    let starts = text.char_indices().rev().take(LONGEST_DATE).map(|(at, _)| at);
    let dates = starts.filter(|at| !text[..*at].ends_with(|c: char| c.is_ascii_digit()));
    dates.map(|at| Rest(&text[at..])).any(|date| {
        let behind = dated(date).or_else(|| numeric_date(date).map(|rest| rest.weekday().unwrap_or(rest)));
        behind.is_some_and(|behind| behind.0.is_empty())
    })
}

/// 2024-03-05, 2024/3/5, 2024.3.5.
fn numeric_date(text: Rest<'_>) -> Option<Rest<'_>> {
    let mut separators = ["-", "/", "."].iter();
    let day = separators.find_map(|separator| text.part(1900..=2099, separator)?.part(1..=12, separator))?;
    let (day, behind) = day.number()?;
    (1..=31).contains(&day).then_some(behind)
}

/// 2024. 3. 5. with its last point, as blogs of Korea write it.
fn spaced_date(text: Rest<'_>) -> Option<Rest<'_>> {
    let month = text.part(1900..=2099, ".")?.character(" ")?;
    let day = month.part(1..=12, ".")?.character(" ")?;
    let behind = day.part(1..=31, ".")?;
    (!behind.0.starts_with(|c: char| c.is_ascii_digit())).then_some(behind)
}

/// 3/5(火曜日), 3/5(火) 10:30. Not 3/5(火) alone: 1/2(水) is half a spoon of water.
fn day_with_weekday(text: Rest<'_>) -> Option<Rest<'_>> {
    let (day, behind) = text.part(1..=12, "/")?.number()?;
    let rest = behind.weekday_in_brackets().filter(|_| (1..=31).contains(&day))?;
    let is_written_out = ["曜", "요일"]
        .iter()
        .any(|word| behind.0[..behind.0.len() - rest.0.len()].contains(word));
    let is_timed = || {
        rest.part(0..=24, ":")
            .is_some_and(|minute| minute.two_digits(0..=59).is_some())
    };
    (is_written_out || is_timed()).then_some(rest)
}

/// What is left of a text.
#[derive(Clone, Copy)]
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    fn space(self) -> Self {
        self.character(" ").unwrap_or(self)
    }

    fn one_of(self, beginnings: &[&str]) -> Option<Self> {
        beginnings
            .iter()
            .find_map(|beginning| self.0.strip_prefix(beginning).map(Self))
    }

    /// Behind one of these characters.
    fn character(self, characters: &str) -> Option<Self> {
        self.0.strip_prefix(|c| characters.contains(c)).map(Self)
    }

    /// Behind a number in the range and one of the characters, each with or without a space in front.
    fn part(self, range: std::ops::RangeInclusive<u32>, units: &str) -> Option<Self> {
        let (value, behind) = self.space().number()?;
        let behind = if units.is_ascii() { behind } else { behind.space() };
        behind.character(units).filter(|_| range.contains(&value))
    }

    /// A number of one to four digits, or one below 100 in characters.
    fn number(self) -> Option<(u32, Self)> {
        let length = self.0.bytes().take_while(u8::is_ascii_digit).count();
        if length > 0 {
            let (digits, behind) = self.0.split_at(length);
            return Some((digits.parse().ok().filter(|_| length <= 4)?, Self(behind)));
        }
        let (tens, rest) = self.digit().map_or((None, self), |(tens, rest)| (Some(tens), rest));
        let Some(rest) = rest.character("十") else {
            return tens.map(|ones| (ones, rest));
        };
        let (ones, rest) = rest.digit().unwrap_or((0, rest));
        Some((tens.unwrap_or(1) * 10 + ones, rest))
    }

    /// A digit that is a character.
    fn digit(self) -> Option<(u32, Self)> {
        let c = self.0.chars().next()?;
        let value = match c {
            '〇' | '○' => 0,
            _ => DIGITS.chars().zip(0..).find(|(digit, _)| *digit == c)?.1,
        };
        Some((value, Self(&self.0[c.len_utf8()..])))
    }

    fn two_digits(self, range: std::ops::RangeInclusive<u32>) -> Option<Self> {
        let (value, behind) = self.number()?;
        (self.0.len() - behind.0.len() == 2 && range.contains(&value)).then_some(behind)
    }

    fn weekday(self) -> Option<Self> {
        let name = self.space();
        let chinese = || name.one_of(&CHINESE_WEEKS)?.character(CHINESE_WEEKDAYS);
        let japanese = || name.character(JAPANESE_WEEKDAYS)?.one_of(&["曜日"]);
        let korean = || name.character(KOREAN_WEEKDAYS)?.one_of(&["요일"]);
        self.weekday_in_brackets()
            .or_else(chinese)
            .or_else(japanese)
            .or_else(korean)
    }

    fn weekday_in_brackets(self) -> Option<Self> {
        let name = self.space().character("(")?;
        let japanese = || {
            name.character(JAPANESE_WEEKDAYS)
                .map(|rest| rest.one_of(&["曜日", "曜"]).unwrap_or(rest))
        };
        let korean = || {
            name.character(KOREAN_WEEKDAYS)
                .map(|rest| rest.one_of(&["요일"]).unwrap_or(rest))
        };
        // (一) alone is a number.
        let chinese = || name.one_of(&CHINESE_WEEKS)?.character(CHINESE_WEEKDAYS);
        [japanese(), korean(), chinese()]
            .into_iter()
            .flatten()
            .find_map(|rest| rest.character(")"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_characters_are_read() {
        for (text, value) in [
            ("五", 5),
            ("十", 10),
            ("十二", 12),
            ("二十", 20),
            ("三十一日", 31),
            ("7日", 7),
        ] {
            assert_eq!(Rest(text).number().map(|(value, _)| value), Some(value), "{text}");
        }
        assert!(Rest("日").number().is_none() && Rest("12345").number().is_none());
    }

    #[test]
    fn every_beginning_is_found_by_its_bytes() {
        for (first, seconds) in BEGINNINGS {
            for second in seconds {
                assert!(may_begin(format!("{first}{second}").as_bytes()), "{first}{second}");
            }
            assert!(
                !may_begin(first.as_bytes()) && !may_begin(format!("{first}的").as_bytes()),
                "{first}"
            );
        }
        assert!(!may_begin("日".as_bytes()) && !may_begin(b""));
    }
}
