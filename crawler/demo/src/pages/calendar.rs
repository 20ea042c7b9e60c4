//! An endless calendar: every month links to the next and to the previous one.

use super::index::{self, link};
use crate::content::{self, CALENDAR};
use crate::page::{Answer, Area, DemoPage, Wording};
use crate::template::Document;

const NAMES: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A month of a year from 1 to 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month {
    /// Months since January of year 0.
    count: u32,
}

impl Month {
    /// The month that the front page links to: November 2026.
    pub const FIRST_SHOWN: Month = Month { count: 2026 * 12 + 10 };

    /// The month of a path such as `/calendar/2026/11`.
    pub fn of_path(path: &str) -> Option<Month> {
        let (year, month) = path.strip_prefix("/calendar/")?.split_once('/')?;
        let (year, month): (u32, u32) = (year.parse().ok()?, month.parse().ok()?);
        let valid = (1..=9999).contains(&year) && (1..=12).contains(&month);
        // Only the spelling in the links of the site is valid, so that a month has one URL.
        valid
            .then(|| Month {
                count: year * 12 + month - 1,
            })
            .filter(|month| month.path() == path)
    }

    /// Its path on the site.
    pub fn path(self) -> String {
        format!("/calendar/{}/{:02}", self.count / 12, self.count % 12 + 1)
    }

    /// The months before and after it.
    pub fn neighbours(self) -> [Month; 2] {
        [
            Month {
                count: self.count.saturating_sub(1),
            },
            Month { count: self.count + 1 },
        ]
    }

    fn name(self) -> String {
        let name = NAMES.get((self.count % 12) as usize).copied().unwrap_or_default();
        format!("{name} {}", self.count / 12)
    }
}

/// The front page of the calendar.
pub fn front() -> Vec<DemoPage> {
    let first = Month::FIRST_SHOWN;
    vec![index::page(
        "/calendar/",
        "calendar",
        Area::Calendar,
        vec![link(first.path(), first.name())],
    )]
}

/// The sheet of a month.
pub fn sheet(month: Month) -> DemoPage {
    let mut document = content::find(CALENDAR, "month")
        .map(|entry| Document::new(&format!("{} {}", entry.title, month.name()), &entry.paragraphs))
        .unwrap_or_default();
    document
        .paragraphs
        .push(format!("No events have been handed in for {}.", month.name()));
    let [previous, next] = month.neighbours();
    document.pager = vec![link(previous.path(), "Previous month"), link(next.path(), "Next month")];
    DemoPage::html(
        month.path(),
        Area::Calendar,
        &document.in_almanac(),
        document.main_text(),
    )
    .expect(
        Answer::OneOf {
            cluster: "calendar",
            wording: Wording::Roughly,
        },
        "the sheet of a month without events: only the name of the month differs; equal if dates are masked",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_has_one_path_and_two_neighbours() {
        let november = Month::FIRST_SHOWN;
        assert_eq!(
            (november.path().as_str(), november.name().as_str()),
            ("/calendar/2026/11", "November 2026")
        );
        let [october, december] = november.neighbours();
        assert_eq!(
            (october.path(), december.path()),
            ("/calendar/2026/10".into(), "/calendar/2026/12".into())
        );
        assert_eq!(december.neighbours()[1].path(), "/calendar/2027/01");
        assert_eq!(Month::of_path("/calendar/2027/01"), Some(december.neighbours()[1]));
        for path in [
            "/calendar/",
            "/calendar/2026",
            "/calendar/2026/1",
            "/calendar/2026/13",
            "/calendar/0/01",
            "/calendar/x/y",
        ] {
            assert_eq!(Month::of_path(path), None, "{path}");
        }
    }

    #[test]
    fn a_sheet_links_to_its_neighbours() {
        let sheet = sheet(Month::FIRST_SHOWN);
        assert!(sheet.links.iter().any(|link| link == "/calendar/2026/10"));
        assert!(sheet.links.iter().any(|link| link == "/calendar/2026/12"));
    }
}
