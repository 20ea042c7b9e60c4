use proptest::prelude::*;

use super::*;
use crate::{Analyzer, Scheme};

fn subject(group: &str, heading: &str, text: &str) -> Option<Subject> {
    let about = About { group, heading };
    Analyzer::new(&Scheme::default()).analyze_about(text, about).subject
}

fn own_words(a: (&str, &str), b: (&str, &str)) -> Option<u32> {
    let of = |(heading, text)| subject("example.org", heading, text).unwrap();
    let (a, b) = (of(a), of(b));
    assert_eq!(a.own_words(&b), b.own_words(&a));
    assert_eq!(
        a.label().is_otherwise(b.label()),
        a.own_words(&b).is_some(),
        "the labels of these few words do not collide"
    );
    a.own_words(&b)
}

#[test]
fn own_words_count_where_headings_name_different_things() {
    let table = [
        // The entries of a glossary.
        (
            ("bollard", "a short post to tie ships"),
            ("gaff", "the spar that holds a sail"),
            Some(5),
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
        // Versions that differ in numbers.
        (
            ("Act of 1994", "a fee of 20 crowns in 1994"),
            ("Act of 1997", "a fee of 25 crowns in 1997"),
            Some(0),
        ),
        // One page says all that the other says.
        (
            ("bollard", "no entry"),
            ("gaff", "no entry about the spar that holds a sail"),
            Some(0),
        ),
        // Pairs of characters: 短柱, 拴船, …
        (
            ("系船柱", "系船柱是岸上拴船的短柱"),
            ("斜桁", "斜桁是撑起帆上缘的圆杆"),
            Some(10),
        ),
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
    assert_eq!(subject.heading, [2966, 48337]);
    assert_eq!(subject.words.bits().collect::<Vec<_>>(), [179, 2724, 3291, 3764]);
}

proptest! {
    #[test]
    fn a_stored_set_is_the_set(bits in prop::collection::btree_set(0..WORD_BITS, 0..1_200)) {
        let mut set = WordSet(Box::new([0; WORDS]));
        for bit in &bits {
            set.0[bit / 64] |= 1 << (bit % 64);
        }
        prop_assert!(set.bits().eq(bits.iter().copied()));
        let encoded = set.encoded();
        prop_assert!(encoded.len() <= WORD_BITS / 8);
        prop_assert_eq!(WordSet::decoded(&encoded), Some(set));
    }

    #[test]
    fn any_bytes_are_a_set_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        if let Some(set) = WordSet::decoded(&bytes) {
            prop_assert_eq!(WordSet::decoded(&set.encoded()), Some(set));
        }
    }

    #[test]
    fn the_count_is_at_most_that_of_the_words(a in "[a-f]{1,2}( [a-f]{1,2}){0,40}", b in "[a-f]{1,2}( [a-f]{1,2}){0,40}") {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
        let (of_a, of_b) = (words(&a), words(&b));
        let exact = of_a.difference(&of_b).count().min(of_b.difference(&of_a).count());
        let counted = own_words_of(&a, &b);
        prop_assert!(counted as usize <= exact, "{} {}", counted, exact);
    }
}

fn own_words_of(a: &str, b: &str) -> u32 {
    let of = |heading, text| subject("example.org", heading, text).unwrap();
    of("one", a).own_words(&of("two", b)).unwrap()
}
