//! JSON that a terminal can show: characters that could mislead a terminal or a reader are escaped.

use serde::Serialize;

/// `value` on one line, [`escaped`].
///
/// # Errors
/// JSON cannot represent `value`.
pub fn to_string(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(value).map(escaped)
}

/// `value` on indented lines, [`escaped`].
///
/// # Errors
/// JSON cannot represent `value`.
pub fn to_string_pretty(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string_pretty(value).map(escaped)
}

/// The same JSON (RFC 8259, section 7) with non-ASCII control characters, directional marks and invisible characters written as
/// `\u` and four hexadecimal digits. These characters occur only inside JSON strings, and serde writes no backslash before them.
#[must_use]
pub fn escaped(json: String) -> String {
    if !json.contains(misleads) {
        return json;
    }
    let mut out = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        if misleads(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// Whether `c` is DEL or a C1 control (ECMA-48: U+009B starts a control sequence), a directional mark (UAX #9), a line separator,
/// a tag or another invisible character. JSON itself escapes the ASCII controls.
fn misleads(c: char) -> bool {
    matches!(
        c,
        '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misleading_characters_are_escaped_and_the_value_stays_the_same() {
        let text = "a\u{9b}31m \u{202e}b\u{2066}\u{200b} \\\u{7f} \"\u{e0041}\u{feff}\u{2028} é 漢字 🕷 \u{1b}";
        let value = serde_json::json!({ text: [text, 1] });
        for json in [to_string(&value), to_string_pretty(&value)].map(Result::unwrap) {
            assert!(!json.contains(misleads), "{json:?}");
            assert!(
                json.contains("a\\u009b31m \\u202eb\\u2066\\u200b") && json.contains("\\udb40\\udc41"),
                "{json}"
            );
            assert!(json.contains("é 漢字 🕷 \\u001b"), "{json}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&json).unwrap(), value);
        }
    }
}
