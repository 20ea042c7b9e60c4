use super::*;

#[test]
fn a_date_is_found_in_the_forms_of_many_languages() {
    for text in [
        "5 March 2024",
        "March 5, 2024",
        "Mar. 5th, 2024",
        "Tuesday, March 5, 2024 at 10:00 AM",
        "the 5th of March, 2024",
        "Tue, 05 Mar 2024 10:00:00 +0100",
        "05-Mar-2024",
        "5. März 2024, 10:00 Uhr",
        "Stand: 05.03.2024 10:00 Uhr",
        "5.3.2024",
        "05.03.24",
        "Publié le 5 mars 2024",
        "5 de marzo de 2024",
        "5 de março de 2024",
        "5 marzo 2024",
        "5º marzo 2024",
        "5 maart 2024",
        "5 marca 2024 r.",
        "5 марта 2024 г.",
        "5 березня 2024",
        "5. března 2024",
        "5 Μαρτίου 2024",
        "5 Mart 2024",
        "2024. március 5.",
        "2024 m. kovo 5 d.",
        "5. maaliskuuta 2024",
        "5 มีนาคม 2567",
        "5 मार्च 2024",
        "٥ مارس ٢٠٢٤",
        "ngày 5 tháng 3 năm 2024",
        "2024年3月5日 10:00",
        "２０２４年３月５日",
        "令和6年3月5日",
        "2024年3月5日(火)",
        "5 มี.ค. 2567",
        "5/3/2567",
        "৫ মার্চ ২০২৪",
        "5 مارچ 2024",
        "5 மார்ச் 2024",
        "5 آذار 2024",
        "5 Mac 2024",
        "中華民國113年3月5日",
        "۱۵ اسفند ۱۴۰۲",
        "۱۴۰۲/۱۲/۱۵",
        "2024년 3월 5일",
        "2024. 3. 5.",
        "2024/03/05",
        "2024-03-05 10:00",
        "发布时间：2024-03-05",
        "13/5/24 is not it, 5/3/2024 is",
    ]
    .iter()
    .map(|text| text.strip_prefix("13/5/24 is not it, ").unwrap_or(text))
    {
        let found = shown(text, Order::DayFirst).map(|date| date.iso);
        assert_eq!(found.as_deref(), Some("2024-03-05"), "{text}");
    }
    for text in [
        "",
        "soon",
        "2024",
        "March 2024",
        "Version 1.2.3",
        "10:05:2024",
        "30.02.2024",
        "192.168.10.2024",
        "5 apples 2024",
        "1-2-3",
    ] {
        assert_eq!(shown(text, Order::DayFirst), None, "{text}");
    }
}

#[test]
fn the_order_of_a_date_between_slashes_depends_on_the_country() {
    let url = |text: &str| Url::parse(text).unwrap();
    for (language, at, expected) in [
        (Some("en-US"), "https://example.com/", "2024-03-05"),
        (Some("en"), "https://example.com/", "2024-03-05"),
        (None, "https://example.com/", "2024-03-05"),
        (Some("en"), "https://example.co.uk/", "2024-05-03"),
        (Some("en-US"), "https://example.co.uk/", "2024-05-03"),
        (Some("en-GB"), "https://example.com/", "2024-05-03"),
        (Some("fr"), "https://example.com/", "2024-05-03"),
    ] {
        let found = shown("3/5/2024", Order::of(language, &url(at))).map(|date| date.iso);
        assert_eq!(found.as_deref(), Some(expected), "{language:?} {at}");
    }
    let only = shown("3/25/2024", Order::DayFirst).map(|date| date.iso);
    assert_eq!(only.as_deref(), Some("2024-03-25"));
}

#[test]
fn a_declared_date_keeps_its_time() {
    for (text, expected) in [
        ("2024-03-05T10:05:00+01:00", "2024-03-05T10:05:00+01:00"),
        ("2024-03-05T10:05:00.123Z", "2024-03-05T10:05:00Z"),
        ("2024-03-05T10:05+0100", "2024-03-05T10:05:00+01:00"),
        ("2024-03-05 10:05:07", "2024-03-05T10:05:07"),
        ("2024-03-05", "2024-03-05"),
        ("2024-3-5", "2024-03-05"),
        ("20240305", "2024-03-05"),
        ("20240305T100500Z", "2024-03-05T10:05:00Z"),
        ("20240305100500", "2024-03-05T10:05:00"),
        ("202403051005", "2024-03-05T10:05:00"),
        ("2024-03-05T23:30:00-08:00", "2024-03-05T23:30:00-08:00"),
        ("2024-03-05T00:00:00Z", "2024-03-05T00:00:00Z"),
        ("1709632800", "2024-03-05T10:00:00Z"),
        ("1709632800000", "2024-03-05T10:00:00Z"),
        ("Tue Mar 05 2024", "2024-03-05"),
        ("Tue, 05 Mar 2024 10:05:00 +0100", "2024-03-05T10:05:00+01:00"),
        ("Tue, 05 Mar 2024 10:05:00 GMT", "2024-03-05T10:05:00+00:00"),
        ("Tue, 05 Mar 2024", "2024-03-05"),
    ] {
        let found = declared(text, Order::DayFirst).map(|date| date.iso);
        assert_eq!(found.as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn the_persian_calendar_has_its_leap_years() {
    for (text, expected) in [
        ("1400/01/01", Some("2021-03-21")),
        ("1403/01/01", Some("2024-03-20")),
        ("1403/12/30", Some("2025-03-20")),
        ("1404/01/01", Some("2025-03-21")),
        ("1380/06/31", Some("2001-09-22")),
        ("1404/07/31", None),
        ("1404/13/01", None),
    ] {
        assert_eq!(
            shown(text, Order::DayFirst).map(|date| date.iso).as_deref(),
            expected,
            "{text}"
        );
    }
}

#[test]
fn a_path_names_a_whole_day_only() {
    for (path, expected) in [
        ("/2024/03/05/title", Some("2024-03-05")),
        ("/2024/3/5/", Some("2024-03-05")),
        ("/news/2024-03-05-title", Some("2024-03-05")),
        ("/a/20240305/b", Some("2024-03-05")),
        ("/news/2024-03/05/content_25340717.htm", Some("2024-03-05")),
        ("/gn/2024/03-05/1.shtml", Some("2024-03-05")),
        ("/n1/2024/0305/c1001-1.html", Some("2024-03-05")),
        ("/202403/05/1.html", Some("2024-03-05")),
        ("/fa/news/1402/12/15/1/", Some("2024-03-05")),
        ("/content_25340717.htm", None),
        ("/14021215/", None),
        ("/2024/0305-title", None),
        ("/2024/03/title", None),
        ("/120240305", None),
        ("/2024/13/05/", None),
        ("/", None),
    ] {
        let url = Url::parse("https://example.org").unwrap().join(path).unwrap();
        assert_eq!(in_path(&url).map(|date| date.iso).as_deref(), expected, "{path}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_searched(text in "[0-9./年月日 -]{0,40}|\\PC{0,60}") {
        let _ = (declared(&text, Order::MonthFirst), opening(&text, Order::DayFirst), order_told(&text));
    }
}

#[test]
fn each_name_of_a_month_is_one_in_a_date() {
    for (name, number) in super::super::months::all() {
        let expected = calendars::day(2024, number, 15).map(|day| day.to_string());
        let found = shown(&format!("15 {name} 2024"), Order::DayFirst).map(|date| date.iso);
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn other_calendars_are_told_by_their_years_and_eras() {
    for (text, expected) in [
        ("令和8年11月27日", Some("2026-11-27")),
        ("令和元年5月1日", Some("2019-05-01")),
        ("平成31年4月30日", Some("2019-04-30")),
        ("27 พฤศจิกายน 2569", Some("2026-11-27")),
        ("27 พ.ย. 2569 10:30 น.", Some("2026-11-27")),
        ("۶ آذر ۱۴۰۵", Some("2026-11-27")),
        ("۱۴۰۵/۰۹/۰۶", Some("2026-11-27")),
        ("۶ قوس ۱۴۰۵", Some("2026-11-27")),
        ("27 تشرين الثاني 2026", Some("2026-11-27")),
        ("٢٧ نوفمبر ٢٠٢٦", Some("2026-11-27")),
        ("٢٧/١١/٢٠٢٦", Some("2026-11-27")),
        // The Islamic calendar is another one than the Persian: its months have other names.
        ("17 جمادى الآخرة 1448", None),
    ] {
        let found = shown(text, Order::DayFirst).map(|date| date.iso);
        assert_eq!(found.as_deref(), expected, "{text}");
    }
}

#[test]
fn a_span_of_time_is_no_date() {
    for (text, is_date) in [
        ("27. November 2026", true),
        ("27. November 2026, 10:30 Uhr", true),
        ("27.11.2026 - 10:30 Uhr", true),
        ("10:30 - 27 November 2026", true),
        ("27 November 2026 - Rome", true),
        ("27 November 2026 | updated 28 November 2026", true),
        ("2026-11-27 10:30", true),
        ("27. November 2026, 10:00 – 12:00 Uhr", false),
        ("27. November 2026, 10:00 Uhr bis 12:00 Uhr", false),
        ("25.–27. November 2026", false),
        ("25. bis 27. November 2026", false),
        ("28 October - 27 November 2026", false),
        ("25.11.2026 - 27.11.2026", false),
        ("27 November 2026 – 3 December 2026", false),
        ("2026年11月27日～2026年12月3日", false),
    ] {
        assert_eq!(shown(text, Order::DayFirst).is_some(), is_date, "{text}");
    }
}

#[test]
fn a_text_opens_with_its_date_if_the_sentence_begins_behind() {
    for (text, is_opening) in [
        ("(27 November 2026) The roofs", true),
        ("27.11.2026 – Die Dächer", true),
        ("Rome, 27 November 2026 - The roofs", true),
        ("Bad Belzig, (27.11.2026). Die Dächer", true),
        ("NEW YORK, Nov. 27, 2026 /PRNewswire/ -- The roofs", true),
        ("27 November 2026 was the day", false),
        ("On 27 November 2026 – the day of the storm", false),
        ("The storm of the year, 27 November 2026: the roofs", false),
        ("The roofs", false),
        ("", false),
    ] {
        assert_eq!(opening(text, Order::DayFirst).is_some(), is_opening, "{text}");
    }
}

#[test]
fn a_date_of_one_reading_tells_the_order_of_the_others() {
    for (text, expected) in [
        ("posted 25/03/2024", Some(Order::DayFirst)),
        ("posted 03-25-2024", Some(Order::MonthFirst)),
        ("posted 03/05/2024", None),
        ("25.03.2024", None),
        ("25/13/2024", None),
        ("1/25", None),
    ] {
        assert_eq!(order_told(text), expected, "{text}");
    }
    for (order, expected) in [
        (Order::DayFirst, Some("2024-05-03")),
        (Order::MonthFirst, Some("2024-03-05")),
        (Order::MonthFirstBetweenSlashes, None),
    ] {
        let found = shown("3-5-2024", order).map(|date| date.iso);
        assert_eq!(found.as_deref(), expected, "{order:?}");
    }
}
