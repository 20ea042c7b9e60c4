//! Standard output on a terminal: a page must not be able to move the cursor, set the title or reverse the text.

use std::io::{self, Write};

/// Writes UTF-8 to a terminal. U+FFFD replaces control characters except tab and line end, directional marks, and characters without
/// width; in JSON, the escape of the character does, so that the value stays the same. Only for terminals: a file or a pipe receives the
/// unchanged text.
#[derive(Debug)]
pub struct Harmless<W> {
    to: W,
    is_json: bool,
    /// The first bytes of a character. The next write brings the others.
    cut: Vec<u8>,
}

impl<W: Write> Harmless<W> {
    /// Writes to `to`.
    pub fn new(to: W) -> Self {
        Self {
            to,
            is_json: false,
            cut: Vec::new(),
        }
    }

    /// Writes JSON to `to`.
    pub fn json(to: W) -> Self {
        Self {
            is_json: true,
            ..Self::new(to)
        }
    }
}

impl<W: Write> Write for Harmless<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.cut.extend_from_slice(bytes);
        let whole = whole_characters(&self.cut);
        let text = String::from_utf8_lossy(&self.cut[..whole]);
        let mut shown = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                c if !acts(c) => shown.push(c),
                // Between the parts of JSON, where it is white space.
                '\r' if self.is_json => {}
                // All of these characters are in the first plane (RFC 8259, section 7).
                c if self.is_json => shown.push_str(&format!("\\u{:04x}", u32::from(c))),
                _ => shown.push(char::REPLACEMENT_CHARACTER),
            }
        }
        self.to.write_all(shown.as_bytes())?;
        self.cut.drain(..whole);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Whether a terminal must not receive `c`.
fn acts(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
        || matches!(
            c,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        )
}

/// Number of bytes before the last character, if that character may be incomplete.
fn whole_characters(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let at = bytes.len() - back;
        let length = match bytes[at] {
            0b1000_0000..=0b1011_1111 => continue,
            0b1100_0000..=0b1101_1111 => 2,
            0b1110_0000..=0b1110_1111 => 3,
            0b1111_0000..=0b1111_0111 => 4,
            _ => 1,
        };
        return if length > back { at } else { bytes.len() };
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_cannot_control_the_terminal_however_its_bytes_are_cut() {
        let text = "a\u{1b}]0;x\u{7}\t漢字🕷\u{9b}31m\u{202e}b\r\nend\n";
        let expected = "a\u{fffd}]0;x\u{fffd}\t漢字🕷\u{fffd}31m\u{fffd}b\u{fffd}\nend\n";
        for size in 1..text.len() {
            let mut out = Harmless::new(Vec::new());
            for piece in text.as_bytes().chunks(size) {
                out.write_all(piece).unwrap();
            }
            assert_eq!(
                String::from_utf8(out.to).unwrap(),
                expected,
                "in pieces of {size} bytes"
            );
        }
    }

    #[test]
    fn json_on_a_terminal_keeps_its_value() {
        let value = serde_json::json!({"a\u{9b}31m": "\u{1b}]0;x\u{7}\u{7f}\u{85}\u{202e}\u{feff} 漢🕷\r\n"});
        let line = format!("{value}\r\n");
        let mut out = Harmless::json(Vec::new());
        out.write_all(line.as_bytes()).unwrap();
        let shown = String::from_utf8(out.to).unwrap();
        assert!(shown.ends_with("}\n") && !shown.trim_end().contains(acts), "{shown:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }

    #[test]
    fn bytes_that_are_no_text_do_not_hold_up_the_others() {
        let mut out = Harmless::new(Vec::new());
        out.write_all(b"a\xff\xf0\x9fb\xc3").unwrap();
        out.write_all(b"c").unwrap();
        assert_eq!(String::from_utf8(out.to).unwrap(), "a\u{fffd}\u{fffd}b\u{fffd}c");
    }
}
