//! Texts in YAML. They are always in double quotes, so that no text reads as a number, a date, `null` or `no`. Every character
//! that a parser refuses, folds or reads as a line end is escaped (YAML 1.2.2, sections 5.1, 5.4 and 5.7; U+0085, U+2028 and
//! U+2029 are line ends in YAML 1.1).

use std::fmt::Write;

/// Appends `text` as a double-quoted scalar on one line.
pub(crate) fn push_quoted(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if must_be_escaped(c) => {
                let _ = match u32::from(c) {
                    code @ 0..=0xff => write!(out, "\\x{code:02x}"),
                    code @ 0x100..=0xffff => write!(out, "\\u{code:04x}"),
                    code => write!(out, "\\U{code:08x}"),
                };
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Whether a character is not printable in YAML, a line end, or invisible in an editor.
fn must_be_escaped(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{200b}'..='\u{200f}'       // zero width, and marks of direction
            | '\u{2028}'..='\u{202e}'     // line ends, and changes of direction
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff0}'..='\u{ffff}'
            | '\u{e0000}'..='\u{10ffff}') // tags, unassigned and private characters
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn quoted(text: &str) -> String {
        let mut out = String::new();
        push_quoted(text, &mut out);
        out
    }

    /// Reads a double-quoted scalar on one line (sections 5.7 and 7.3.1).
    fn read_quoted(scalar: &str) -> String {
        let inner = scalar.strip_prefix('"').unwrap().strip_suffix('"').unwrap();
        let mut chars = inner.chars();
        let mut text = String::new();
        while let Some(c) = chars.next() {
            assert!(c != '"' && !must_be_escaped(c), "{scalar:?}");
            if c != '\\' {
                text.push(c);
                continue;
            }
            let digits = match chars.next().unwrap() {
                'n' => {
                    text.push('\n');
                    continue;
                }
                'r' => {
                    text.push('\r');
                    continue;
                }
                't' => {
                    text.push('\t');
                    continue;
                }
                'x' => 2,
                'u' => 4,
                'U' => 8,
                escaped => {
                    assert!("\"\\".contains(escaped), "{scalar:?}");
                    text.push(escaped);
                    continue;
                }
            };
            let code: String = chars.by_ref().take(digits).collect();
            text.push(char::from_u32(u32::from_str_radix(&code, 16).unwrap()).unwrap());
        }
        text
    }

    #[test]
    fn texts_stay_texts() {
        for (text, scalar) in [
            ("no", "\"no\""),
            ("", "\"\""),
            ("a: b # c", "\"a: b # c\""),
            ("say \"hi\" \\", "\"say \\\"hi\\\" \\\\\""),
            ("one\ntwo\0", "\"one\\ntwo\\x00\""),
            ("\u{85}\u{2028}\u{feff}", "\"\\x85\\u2028\\ufeff\""),
            ("\u{e0041}", "\"\\U000e0041\""),
            ("漢字 🕷", "\"漢字 🕷\""),
        ] {
            assert_eq!(quoted(text), scalar);
        }
    }

    proptest! {
        #[test]
        fn any_text_reads_back(text in any::<String>()) {
            prop_assert_eq!(read_quoted(&quoted(&text)), text);
        }
    }
}
