//! Normal form of percent-encoding (RFC 3986, sections 6.2.2.1 and 6.2.2.2).

use std::borrow::Cow;

/// The text with every `%xx` in upper case, and decoded where it stands for an unreserved character.
///
/// A `%` without two hexadecimal digits stays. An escape behind it stays encoded if its character would complete a triplet
/// (`%%34%31`), so that a second pass changes nothing.
pub(super) fn normalize(text: &str) -> Cow<'_, str> {
    let mut normal = String::new();
    let mut copied = 0;
    let mut from = 0;
    let mut after_lone_sign = None;
    while let Some(at) = text[from..].find('%').map(|offset| from + offset) {
        // Two hexadecimal digits are ASCII, so the slice ends on a character boundary.
        let Some((digits, byte)) = text
            .get(at + 1..at + 3)
            .and_then(|digits| Some((digits, decode(digits)?)))
        else {
            from = at + 1;
            after_lone_sign = Some(normal.len() + from - copied);
            continue;
        };
        normal.push_str(&text[copied..at]);
        let would_complete = after_lone_sign.is_some_and(|sign| starts_digits(&normal[sign..], byte));
        if is_unreserved(byte) && !would_complete {
            normal.push(char::from(byte));
        } else {
            normal.push('%');
            normal.push_str(&digits.to_ascii_uppercase());
        }
        from = at + 3;
        copied = from;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    normal.push_str(&text[copied..]);
    Cow::Owned(normal)
}

/// Whether `between`, which follows a lone `%`, and then this byte could be the two digits of an escape or their start.
fn starts_digits(between: &str, byte: u8) -> bool {
    between.len() <= 1 && between.bytes().all(|byte| byte.is_ascii_hexdigit()) && byte.is_ascii_hexdigit()
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn decode(digits: &str) -> Option<u8> {
    // `from_str_radix` alone would accept a sign.
    let both_are_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    both_are_digits.then(|| u8::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_become_upper_case_and_unreserved_characters_are_decoded() {
        for (text, normal) in [
            ("", ""),
            ("/plain", "/plain"),
            ("%7ejoe%2f%41", "~joe%2FA"),
            ("%e4%bd%a0", "%E4%BD%A0"),
            ("%2541", "%2541"),
            ("%", "%"),
            ("%4", "%4"),
            ("%zz%+1%-1", "%zz%+1%-1"),
            ("%%41", "%%41"),
            ("%é41", "%é41"),
        ] {
            assert_eq!(normalize(text), normal, "{text}");
        }
    }

    #[test]
    fn a_lone_percent_sign_forms_no_triplet_with_decoded_characters() {
        assert_eq!(normalize("%%34%31"), "%%341");
        assert_eq!(normalize("%4%31%32"), "%4%312");
        assert_eq!(normalize("%/%31%%7e"), "%/1%~");
    }

    proptest::proptest! {
        #[test]
        fn a_second_pass_changes_nothing(text in "[%0-9a-f/é]{0,16}") {
            let once = normalize(&text).into_owned();
            proptest::prop_assert_eq!(normalize(&once), once.as_str());
        }
    }
}
