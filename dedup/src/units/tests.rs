use super::*;
use crate::normalize::normalize;
use proptest::prelude::*;

/// The definition: each token in turn, or a date where one begins.
fn by_definition(text: &str, mask_dates: bool) -> Vec<Unit> {
    let all: Vec<_> = tokens(text).collect();
    let (mut at, mut units) = (0, Vec::new());
    while let Some(token) = all.get(at) {
        let length = if mask_dates { date_length(text, &all[at..]) } else { 0 };
        units.push(match length {
            0 => unit(token.start, token),
            _ => {
                let last = &all[at + length - 1];
                date(token.start, last.start + last.text.len() - token.start)
            }
        });
        at += length.max(1);
    }
    units
}

fn assert_cut_by_definition(text: &str) {
    let text = normalize(text);
    for mask_dates in [true, false] {
        let mut units = Vec::new();
        cut(&text, mask_dates, &mut units);
        assert_eq!(units, by_definition(&text, mask_dates), "{text:?}");
    }
}

#[test]
fn words_numbers_and_dates_are_cut_by_definition_at_every_offset_of_the_blocks() {
    let text = "On 5 March 2024 at 12:30, x200 cost 1,299.00 (2024年3月5日 café 3.14号) supercalifragilistic a1.5 v1.2.3x 1.5. ";
    for before in 0..70 {
        assert_cut_by_definition(&format!("{}{text}{text}", "x ".repeat(before)));
        assert_cut_by_definition(&format!("{}{text}", "y".repeat(before)));
    }
}

#[test]
fn a_unit_keeps_its_parts() {
    for kind in [UnitKind::Word, UnitKind::Character, UnitKind::Date] {
        for is_number in [false, true] {
            for (start, length) in [(0, 0), (1 << 33, 1 << 26), (MAX_START as usize, MAX_LENGTH as usize)] {
                let unit = Unit::new(7, (start, length), kind, is_number);
                assert_eq!((unit.start(), unit.end()), (start, start + length));
                assert_eq!((unit.is(kind), unit.is_number()), (true, is_number));
            }
        }
    }
    let saturated = Unit::new(7, (usize::MAX, usize::MAX), UnitKind::Date, false);
    assert_eq!(saturated.start(), MAX_START as usize);
    assert!(saturated.is(UnitKind::Date) && !saturated.is_number());
}

proptest! {
    #[test]
    fn any_text_is_cut_by_definition(text in any::<String>()) {
        assert_cut_by_definition(&text);
    }

    #[test]
    fn texts_of_words_and_dates_are_cut_by_definition(
        text in "(([a-z]{1,20}|[0-9]{1,4}|march|may|of|[0-9]{1,2}(st|th)|年|月|日|[中é\u{0e33}٣\u{301}])[ .,:/–-]{0,2}){0,40}",
    ) {
        assert_cut_by_definition(&text);
    }
}
