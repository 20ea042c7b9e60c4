//! Days of other calendars that pages write: the Persian one, the Buddhist one of Thailand, and those that count by eras.

use jiff::ToSpan;
use jiff::civil::Date;

/// The years of the Persian calendar in which pages are dated: 1921 to 2071.
const PERSIAN_YEARS: std::ops::RangeInclusive<i16> = 1300..=1450;

/// The years of the Buddhist calendar, which is 543 years ahead.
const BUDDHIST_YEARS: std::ops::RangeInclusive<i16> = 2500..=2620;

/// The years of the Gregorian calendar in which a page may name a day.
const YEARS: std::ops::RangeInclusive<i16> = 1900..=2200;

/// The eras of Japan and Taiwan, with the year before the first one.
const ERAS: [(&str, i16); 3] = [("令和", 2018), ("平成", 1988), ("民國", 1911)];

/// The day of a date in the calendar that its year tells. `None` if there is no such day, or no page can name it.
pub(super) fn day(year: i16, month: i8, day: i8) -> Option<Date> {
    if PERSIAN_YEARS.contains(&year) {
        return persian(year, month, day);
    }
    let year = if BUDDHIST_YEARS.contains(&year) {
        year - 543
    } else {
        year
    };
    Date::new(year, month, day).ok().filter(|_| YEARS.contains(&year))
}

/// The year of an era whose name ends a text.
pub(super) fn year_of_era(text: &str, year: i64) -> Option<i64> {
    let (_, before) = ERAS.iter().find(|(name, _)| text.ends_with(name))?;
    Some(i64::from(*before) + year)
}

/// A day of the Persian calendar. The first six months have 31 days, the others 30.
fn persian(year: i16, month: i8, day: i8) -> Option<Date> {
    let days_of_month = if month <= 6 { 31 } else { 30 };
    if !(1..=12).contains(&month) || !(1..=days_of_month).contains(&day) {
        return None;
    }
    let (month, day) = (i32::from(month), i32::from(day));
    let before_month = if month <= 7 {
        (month - 1) * 31
    } else {
        186 + (month - 7) * 30
    };
    let days = days_before(i32::from(year)) - days_before(1400) + before_month + day - 1;
    // The first day of the year 1400.
    Date::new(2021, 3, 21).ok()?.checked_add(days.days()).ok()
}

/// The days before a year of the Persian calendar, counted from a day before all of them. Eight of 33 years are leap years, which is exact
/// in these years.
fn days_before(year: i32) -> i32 {
    // A cycle began 1,595 years before the calendar.
    let year = year + 1595;
    365 * year + year / 33 * 8 + (year % 33 + 3) / 4
}
