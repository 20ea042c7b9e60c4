use proptest::prelude::*;

use super::*;

fn subject(group: &str, heading: &str, text: &str) -> Option<Subject> {
    Subject::new(About { group, heading }, text)
}

fn own_words(a: (&str, &str), b: (&str, &str)) -> Option<u32> {
    let of = |(heading, text)| subject("example.org", heading, text).unwrap();
    let (a, b) = (of(a), of(b));
    assert_eq!(a.own_words(&b), b.own_words(&a));
    assert!(a.own_words(&b).is_some() || !a.label().is_otherwise(b.label()));
    a.own_words(&b)
}

#[test]
fn own_words_count_where_headings_name_different_things() {
    let table = [
        // The entries of a glossary: two words of each heading at most, and those of the sentence.
        (
            ("bollard", "a short post to tie ships"),
            ("gaff", "the spar that holds a sail"),
            Some(6),
        ),
        // A print view has the heading of its page, and adds a line.
        (
            ("bollard", "a short post"),
            ("Print: bollard", "a short post printed by Jane Doe"),
            None,
        ),
        // Two sizes of one product.
        (
            ("Shirt, size M", "cotton shirt, size M, washable"),
            ("Shirt, size L", "cotton shirt, size L, washable"),
            Some(1),
        ),
        // Versions that differ in numbers, and versions with a sentence of their own.
        (
            ("Act of 1994", "a fee of 20 crowns in 1994"),
            ("Act of 1997", "a fee of 25 crowns in 1997"),
            Some(0),
        ),
        (
            ("Act of 1994", "adopted after the flood of Malmo"),
            ("Act of 1997", "moved by a council at Riga"),
            Some(5),
        ),
        // Pages of a calendar.
        (
            ("Tides of May 3, 2024", "high water at noon"),
            ("Tides of June 7, 2024", "low water by night"),
            Some(3),
        ),
        // One page says all that the other says.
        (
            ("bollard", "no entry"),
            ("gaff", "no entry about the spar that holds a sail"),
            Some(1),
        ),
        // Another heading alone.
        (
            ("Mayor quits after scandal", "the council met"),
            ("Head of town resigns at last", "the council met"),
            Some(2),
        ),
        // Characters and pairs of them.
        (
            ("系船柱", "系船柱是岸上拴船的短柱"),
            ("斜桁", "斜桁是撑起帆上缘的圆杆"),
            Some(10),
        ),
        (("公钥认证", "说明"), ("公钥认证方式", "说明"), None),
        (
            ("Крюк", "крюк держит канат"),
            ("Кнехт", "кнехт стоит на причале"),
            Some(3),
        ),
    ];
    for (a, b, expected) in table {
        assert_eq!(own_words(a, b), expected, "{a:?} {b:?}");
    }
}

#[test]
fn only_a_long_text_has_credits() {
    let of = |length: usize, a: &str, b: &str| {
        let body = "a fine crop of barley ".repeat(length);
        let page = |credit| format!("{body}\n{credit}");
        own_words(("Spring sowing starts", &page(a)), ("Farmers race on", &page(b)))
    };
    let reprints = (
        "Reporting by Max Lee in Dover; editing by Ann Poe",
        "By Jane Doe, staff writer, edited by Tom Ray",
    );
    assert_eq!(of(60, reprints.0, reprints.1), Some(2));
    assert!(of(1, reprints.0, reprints.1) > Some(5));
    for (a, b) in [
        ("By Claude Monet", "By Edgar Degas"),
        ("作者：曹雪芹", "作者：罗贯中"),
        ("홍길동 기자", "김철수 기자"),
    ] {
        assert!(of(1, a, b) > Some(2), "{a}");
        assert_eq!(of(60, a, b), Some(2), "{a}");
    }
    let (a, b) = (
        "Source: mains 240 volts alternating current, bronze housing",
        "Source: four alkaline cells, plastic waterproof housing, clip",
    );
    assert!(of(60, a, b) > Some(5));
}

#[test]
fn documents_of_two_groups_or_without_a_heading_have_no_words_of_their_own() {
    let a = subject("a.example", "bollard", "a short post to tie ships").unwrap();
    let b = subject("b.example", "gaff", "the spar that holds a sail").unwrap();
    assert_eq!(a.own_words(&b), None);
    assert!(!a.label().is_otherwise(b.label()));
    for (group, heading) in [("", "bollard"), ("a.example", ""), ("a.example", " – ")] {
        assert_eq!(subject(group, heading, "a short post"), None);
    }
}

#[test]
fn the_words_of_a_subject_are_frozen() {
    let subject = subject("example.org", "Knots 2", "a short post 短柱 2026-01-01 17").unwrap();
    assert_eq!(subject.group, 0x7ebc_bf45);
    assert_eq!(
        (subject.heading, subject.numbers),
        (vec![1_702_890_390], vec![468_434_129])
    );
    assert_eq!(subject.words.0, [179, 3764, 3291, 2724]);
}

#[test]
fn an_edition_has_no_passage_of_its_own() {
    let word =
        |n: usize| ["ba", "de", "fi", "go", "hu", "ka", "le", "mi", "no", "pu", "ra", "se"][n % 12].repeat(1 + n / 12);
    let text = |changes: &dyn Fn(usize) -> bool| {
        let words = (0..90).map(|n| if changes(n) { format!("x{}", word(n)) } else { word(n) });
        let words: Vec<String> = words.collect();
        let sentences: Vec<String> = words.chunks(15).map(|sentence| sentence.join(" ")).collect();
        sentences.join(". ")
    };
    let page = text(&|_| false);
    // One word in each sentence is another one, or all of one sentence.
    let edited = text(&|n| n % 15 == 3);
    let other_sentence = text(&|n| (30..45).contains(&n));
    assert_eq!(own_words(("one", &page), ("two", &edited)), Some(1));
    assert_eq!(own_words(("one", &page), ("two", &other_sentence)), Some(16));
}

#[test]
fn a_text_with_very_many_words_has_no_subject() {
    let word = |n: usize| {
        n.to_string()
            .bytes()
            .map(|digit| char::from(digit + 49))
            .collect::<String>()
    };
    let text = |count: usize| (0..count).map(word).collect::<Vec<_>>().join(" ");
    assert!(subject("a.example", "bollard", &text(1_000)).is_some());
    assert_eq!(subject("a.example", "bollard", &text(4_000)), None);
}

proptest! {
    #[test]
    fn stored_words_are_the_words(words in prop::collection::vec(0..WORDS as u16, 0..70)) {
        let words = Words(words);
        prop_assert_eq!(Words::decoded(&words.encoded()), words);
    }

    #[test]
    fn any_stored_subject_can_be_compared(bytes in prop::collection::vec(any::<u8>(), 0..60), text in "[a-z .]{0,80}") {
        let other = subject("a.example", "bollard", &format!("word {text}")).unwrap();
        if let Ok(found) = postcard::from_bytes::<Subject>(&bytes) {
            let _ = (found.own_words(&other), found.beyond(&other, 9), other.beyond(&found, 4));
        }
    }

    #[test]
    fn the_count_is_at_most_that_of_the_words(a in "[a-f]{1,2}( [a-f]{1,2}){0,40}", b in "[a-f]{1,2}( [a-f]{1,2}){0,40}") {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
        let (of_a, of_b) = (words(&a), words(&b));
        let exact = of_a.difference(&of_b).count().min(of_b.difference(&of_a).count());
        let of = |heading, text| subject("example.org", heading, text).unwrap();
        // One word is the heading's.
        let counted = of("zone", &a).own_words(&of("ztwo", &b)).unwrap();
        prop_assert!(counted as usize <= exact + 1, "{} {}", counted, exact);
    }
}
