//! Character references in values that were escaped twice.

use std::borrow::Cow;

/// Longest character reference with `&` and `;`, in bytes.
const MAX_REFERENCE_BYTES: usize = 10;

/// The text with its character references resolved: many templates escape a value that is escaped already.
pub(super) fn without_references(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest[..rest.floor_char_boundary(MAX_REFERENCE_BYTES)].find(';');
        match end.and_then(|end| Some((end, character(&rest[1..end])?))) {
            Some((end, c)) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The names of the characters from U+00A0 to U+00FF, in order (WHATWG HTML, section 13.5).
#[rustfmt::skip]
const LATIN_1: [&str; 96] = [
    "nbsp", "iexcl", "cent", "pound", "curren", "yen", "brvbar", "sect", "uml", "copy", "ordf", "laquo", "not", "shy", "reg", "macr",
    "deg", "plusmn", "sup2", "sup3", "acute", "micro", "para", "middot", "cedil", "sup1", "ordm", "raquo", "frac14", "frac12", "frac34", "iquest",
    "Agrave", "Aacute", "Acirc", "Atilde", "Auml", "Aring", "AElig", "Ccedil", "Egrave", "Eacute", "Ecirc", "Euml", "Igrave", "Iacute", "Icirc", "Iuml",
    "ETH", "Ntilde", "Ograve", "Oacute", "Ocirc", "Otilde", "Ouml", "times", "Oslash", "Ugrave", "Uacute", "Ucirc", "Uuml", "Yacute", "THORN", "szlig",
    "agrave", "aacute", "acirc", "atilde", "auml", "aring", "aelig", "ccedil", "egrave", "eacute", "ecirc", "euml", "igrave", "iacute", "icirc", "iuml",
    "eth", "ntilde", "ograve", "oacute", "ocirc", "otilde", "ouml", "divide", "oslash", "ugrave", "uacute", "ucirc", "uuml", "yacute", "thorn", "yuml",
];

/// The character of a reference without `&` and `;`, if it is a number or one of the usual names.
fn character(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => number.parse(),
        };
        return char::from_u32(code.ok()?);
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "ndash" => '–',
        "mdash" => '—',
        "hellip" => '…',
        "lsquo" => '‘',
        "rsquo" => '’',
        "sbquo" => '‚',
        "ldquo" => '“',
        "rdquo" => '”',
        "bdquo" => '„',
        "bull" => '•',
        "euro" => '€',
        "trade" => '™',
        name => {
            let at = LATIN_1.iter().position(|known| *known == name)?;
            char::from_u32(0xa0 + u32::try_from(at).ok()?)?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_characters() {
        for (text, expected) in [
            ("Redacci&oacute;n", "Redacción"),
            ("&Uuml;ber &laquo;&yuml;&raquo;&nbsp;&copy;", "Über «ÿ» ©"),
            ("&#8211;&#x2013;", "––"),
            ("Q&A; R&D", "Q&A; R&D"),
            ("&unknown; & &", "&unknown; & &"),
        ] {
            assert_eq!(without_references(text), expected, "{text}");
        }
    }
}
