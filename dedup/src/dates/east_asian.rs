//! Dates and clock times of China, Japan and Korea.
//!
//! A number before a character that also counts other things is content, so a date or a clock time has two parts: 3月5日, 10時30分 and 午後3時, but
//! not 3月, 3点 or 3時. R6.3.5 stays, too, because it is also the version of a program.

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
const DIGITS: &str = "零一二三四五六七八九";
const CHINESE_WEEKDAYS: &str = "一二三四五六日天";
const JAPANESE_WEEKDAYS: &str = "日月火水木金土";
const KOREAN_WEEKDAYS: &str = "일월화수목금토";

/// Whether a date or clock time may begin with the character that begins here.
#[inline]
pub(super) fn may_begin(text: &[u8]) -> bool {
    // Their first characters. Every ideograph of a text comes here.
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

/// The length in bytes of the date or clock time at the start of a normalised text; 0 if there is none.
pub(super) fn length(text: &str) -> usize {
    let text = Rest(text);
    let date = date(text).map(|rest| rest.weekday().unwrap_or(rest));
    let rest = date.or_else(|| clock_time(text)).or_else(|| spaced_date(text));
    rest.or_else(|| day_with_weekday(text))
        .map_or(0, |rest| text.0.len() - rest.0.len())
}

/// The length in bytes of the weekday behind a date, with what stands between them: (火), 星期二, 周二, 火曜日, 화요일; 0 if there is none.
pub(super) fn weekday_length(text: &str) -> usize {
    Rest(text).weekday().map_or(0, |rest| text.len() - rest.0.len())
}

/// 2024年3月5日, 2024年3月, 3月5日, 令和6年3月5日, 民國113年3月5日, 二〇二四年三月五日.
fn date(text: Rest<'_>) -> Option<Rest<'_>> {
    let behind_year = year(text);
    let month = behind_year.unwrap_or(text).part(1..=12, "月월")?;
    // A day without a year is written in digits.
    if behind_year.is_none() && !text.0.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    month.part(1..=31, "日号號일").or_else(|| behind_year.map(|_| month))
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

/// 10時30分, 10点30分15秒, 午後3時, 오후 4:10.
fn clock_time(text: Rest<'_>) -> Option<Rest<'_>> {
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
    let hour = from_hour.part(0..=24, "時时點点시")?;
    match hour.part(0..=59, "分분") {
        Some(minute) => Some(minute.part(0..=59, "秒초").unwrap_or(minute)),
        None => half_day.map(|_| hour),
    }
}

/// 2024. 3. 5. with its last point, as blogs of Korea write it.
fn spaced_date(text: Rest<'_>) -> Option<Rest<'_>> {
    let month = text.part(1900..=2099, ".")?.character(" ")?;
    let day = month.part(1..=12, ".")?.character(" ")?;
    let behind = day.part(1..=31, ".")?;
    let behind = behind.weekday().unwrap_or(behind);
    (!behind.0.starts_with(|c: char| c.is_ascii_digit())).then_some(behind)
}

/// 3/5(火).
fn day_with_weekday(text: Rest<'_>) -> Option<Rest<'_>> {
    let (day, behind) = text.part(1..=12, "/")?.number()?;
    (1..=31).contains(&day).then(|| behind.weekday_in_brackets())?
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
        let chinese = || name.one_of(&["星期", "周", "週"])?.character(CHINESE_WEEKDAYS);
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
        let chinese = || {
            name.one_of(&["星期", "周", "週"])
                .unwrap_or(name)
                .character(CHINESE_WEEKDAYS)
        };
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
