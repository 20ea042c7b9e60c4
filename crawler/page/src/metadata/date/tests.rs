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
        ("1709632800", "2024-03-05T10:00:00Z"),
        ("1709632800000", "2024-03-05T10:00:00Z"),
        ("Tue Mar 05 2024", "2024-03-05"),
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
        let _ = declared(&text, Order::MonthFirst);
    }
}
