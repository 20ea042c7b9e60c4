//! The usual character references of texts and attribute values (WHATWG HTML, section 13.2.5.72).

use html5ever::tendril::StrTendril;

/// Longest reference that is read, in bytes.
const MAX_BYTES: usize = 10;

/// `text` with its references as characters; `None` if one of them is not simple. A simple one is in the list or a number, ends with
/// `;` and stands for a character that needs no correction.
pub(super) fn resolved(text: &str) -> Option<StrTendril> {
    let mut resolved = StrTendril::with_capacity(text.len() as u32);
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        let (c, len) = first(&rest[at..])?;
        resolved.push_slice(&rest[..at]);
        resolved.push_char(c);
        rest = &rest[at + len..];
    }
    resolved.push_slice(rest);
    Some(resolved)
}

/// The character of the simple reference at the start of `text`, and the length of the reference.
pub(super) fn first(text: &str) -> Option<(char, usize)> {
    let bytes = text.as_bytes();
    let end = bytes.iter().take(MAX_BYTES).position(|&b| b == b';')?;
    let name = &bytes[1..end];
    let c = match name {
        b"amp" => '&',
        b"lt" => '<',
        b"gt" => '>',
        b"quot" => '"',
        b"nbsp" => '\u{a0}',
        [b'#', b'x' | b'X', digits @ ..] => number(digits, 16)?,
        [b'#', digits @ ..] => number(digits, 10)?,
        b"copy" => '©',
        b"reg" => '®',
        b"trade" => '™',
        b"laquo" => '«',
        b"raquo" => '»',
        b"lsquo" => '‘',
        b"rsquo" => '’',
        b"ldquo" => '“',
        b"rdquo" => '”',
        b"ndash" => '–',
        b"mdash" => '—',
        b"hellip" => '…',
        b"bull" => '•',
        b"middot" => '·',
        b"times" => '×',
        b"larr" => '←',
        b"rarr" => '→',
        b"para" => '¶',
        b"sect" => '§',
        _ => return None,
    };
    Some((c, end + 1))
}

/// The character of a number that needs no correction: no control, surrogate or noncharacter.
fn number(digits: &[u8], base: u32) -> Option<char> {
    if digits.is_empty() {
        return None;
    }
    let number = digits.iter().try_fold(0u32, |number, digit| {
        Some(number * base + char::from(*digit).to_digit(base)?)
    })?;
    let c = char::from_u32(number)?;
    matches!(c, ' '..='~' | '\u{a0}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}').then_some(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_references_are_resolved() {
        for (text, expected) in [
            ("a &lt; b &amp;&amp; c", Some("a < b && c")),
            ("&#160;&#xA9;&#39;", Some("\u{a0}©'")),
            ("none", Some("none")),
            ("&amp", None),
            ("&ampx;", None),
            ("&#0;", None),
            ("&#128;", None),
            ("&#x110000;", None),
            ("&#xD800;", None),
            ("&#;", None),
            ("& &amp;", None),
            ("&#99999999;", None),
        ] {
            assert_eq!(resolved(text).as_deref(), expected, "{text}");
        }
    }
}
