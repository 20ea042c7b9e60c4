//! Where the text stands in a line, for those who put another one there and leave the rest of the line as it is.

use std::ops::Range;

use super::{Asks, FoundFields, repair};
use crate::document::Fields;

/// The bytes of the line that are its text: a string of JSON, with its quotes. `None` if it has none.
pub fn text_place(line: &[u8], fields: &Fields) -> Option<Range<usize>> {
    let mut unescaped = String::new();
    let mut place = |json: &str| {
        let found = FoundFields::read(json, fields, Asks::Place, &mut unescaped).ok()?;
        Some(place_of(found.raw_text?.get(), json))
    };
    if let Some(place) = std::str::from_utf8(line).ok().and_then(&mut place) {
        return Some(place);
    }
    let mut repaired = String::new();
    if !repair::repair(line, &mut repaired) {
        return None;
    }
    // A repair changes the lengths of strings and what stands between them, but not their number.
    let start = place(&repaired)?.start;
    let number = strings(repaired.as_bytes())
        .take_while(|string| string.start < start)
        .count();
    strings(line).nth(number)
}

/// The place of a part in the whole that it is a slice of.
fn place_of(part: &str, whole: &str) -> Range<usize> {
    let start = part.as_ptr() as usize - whole.as_ptr() as usize;
    start..start + part.len()
}

/// The strings of JSON, each with its quotes, in their order.
fn strings(json: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + memchr::memchr(b'"', json.get(at..)?)?;
        at = start + 1;
        loop {
            at += memchr::memchr2(b'"', b'\\', json.get(at..)?)?;
            if json[at] == b'"' {
                at += 1;
                return Some(start..at);
            }
            at += 2;
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_text_has_its_quotes() {
        let nested = Fields {
            text: "meta.text".into(),
            ..Fields::default()
        };
        for (line, fields, text) in [
            (r#"{"text": "a\n\"b\""}"#, &Fields::default(), r#""a\n\"b\"""#),
            (r#"{"id":"text","text":"","z":"text"}"#, &Fields::default(), r#""""#),
            // The last of two counts.
            (r#"{"text":"a","te\u0078t":"b"}"#, &Fields::default(), r#""b""#),
            (r#"{"meta":{"text":"a"},"text":"b"}"#, &nested, r#""a""#),
            (r#"{"meta":{"text":"a"},"meta.text":"b"}"#, &nested, r#""b""#),
            // Only a lenient reader takes these.
            (
                r#"{"n":NaN,"s":"\ud800\\","text":"中\ud83d"}"#,
                &Fields::default(),
                r#""中\ud83d""#,
            ),
            ("{\"a\":\"\t\",\"text\":\"b\tc\"}", &Fields::default(), "\"b\tc\""),
        ] {
            let place = text_place(line.as_bytes(), fields).unwrap();
            assert_eq!(&line[place], text, "{line}");
        }
        for none in [r#"{"a":"b"}"#, r#"{"text":7}"#, "[]", "no JSON"] {
            assert_eq!(text_place(none.as_bytes(), &Fields::default()), None, "{none}");
        }
        let surrogate = b"{\"a\":\"\xed\xa0\x80\",\"text\":\"b\"}";
        assert_eq!(&surrogate[text_place(surrogate, &Fields::default()).unwrap()], b"\"b\"");
    }
}
