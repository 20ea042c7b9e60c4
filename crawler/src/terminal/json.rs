//! JSON that can be looked at on a terminal: what came from the web stands in it as it is, but for what a terminal or a reader would
//! be misled by.

use serde::Serialize;

/// `value` on one line; see [`escaped`].
///
/// # Errors
/// It has no form in JSON.
pub fn to_string(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(value).map(escaped)
}

/// `value` on lines for people; see [`escaped`].
///
/// # Errors
/// It has no form in JSON.
pub fn to_string_pretty(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string_pretty(value).map(escaped)
}

/// The same JSON (RFC 8259, section 7) with control characters beyond ASCII, marks of direction and what takes no room written as
/// `\u` and four hexadecimal digits. Outside of strings JSON has none of them, and serde writes no backslash before any.
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

/// DEL and C1 controls (ECMA-48: U+009B begins what a terminal obeys), Unicode's marks of direction (UAX #9), line separators, tags
/// and other characters that are not seen. The controls of ASCII are escaped in all JSON.
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
    fn what_misleads_is_escaped_and_the_json_is_the_same() {
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
