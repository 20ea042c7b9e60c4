//! One spelling for texts that read the same: compatibility composition (NFKC, UAX #15), lower case, single spaces.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// `text` in NFKC and lower case, runs of white space and control characters as one space, none at the ends.
///
/// Idempotent, and the same for a text in any encoding form: `ﬁ` and `fi`, `Ｅ` and `e`, `e` + `´` and `é`.
#[must_use]
pub fn normalize(text: &str) -> String {
    let mut out = Spaced {
        text: String::with_capacity(text.len()),
        gap: false,
    };
    // Where the last character was read, and what was written before it: a mark that follows changes it.
    let mut last = (0, out.mark());
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_ascii() {
            let run = text.as_bytes()[at..]
                .iter()
                .position(|b| !b.is_ascii())
                .unwrap_or(text.len() - at);
            let end = at + run;
            out.push_ascii(&text[at..end - 1]);
            last = (end - 1, out.mark());
            out.push_ascii(&text[end - 1..end]);
            at = end;
        } else if let Some(lower) = simple(c) {
            last = (at, out.mark());
            out.push(lower);
            at += c.len_utf8();
        } else {
            let length = text[at..].find(|c: char| c.is_ascii() || simple(c).is_some());
            let end = length.map_or(text.len(), |length| at + length);
            out.reset(last.1);
            compose(&text[last.0..end], &mut out);
            last = (end, out.mark());
            at = end;
        }
    }
    out.text
}

/// The lower case of a character whose normalisation is a single character whatever stands around it: it is composed
/// already, and it does not join with what precedes it. Not all such characters, but those that texts are full of.
fn simple(c: char) -> Option<char> {
    match c {
        // CJK ideographs, kana, Hangul syllables, and the punctuation of these texts.
        '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' => {
            Some(c)
        }
        '\u{30fb}'..='\u{30fe}' | '\u{ac00}'..='\u{d7a3}' | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' => {
            Some(c)
        }
        // Full-width forms of ASCII, and spaces.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).map(|ascii| ascii.to_ascii_lowercase()),
        '\u{3000}' | '\u{a0}' => Some(' '),
        // Quotation marks, dashes, bullets.
        '\u{2013}' | '\u{2014}' | '\u{2018}'..='\u{201f}' | '\u{2022}' | '\u{b6}' | '\u{b7}' | '\u{a9}' => Some(c),
        // Western European letters, Cyrillic.
        '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{de}' | '\u{410}'..='\u{42f}' => char::from_u32(c as u32 + 32),
        '\u{df}'..='\u{f6}' | '\u{f8}'..='\u{ff}' | '\u{430}'..='\u{44f}' | '\u{451}' => Some(c),
        _ => None,
    }
}

/// The whole way, for a piece that starts and ends between characters that do not join.
fn compose(piece: &str, out: &mut Spaced) {
    let lower: String = piece.nfkc().flat_map(char::to_lowercase).collect();
    // Lower case can leave composed form (`J̌` has no letter of its own, `ǰ` has); a second pass closes the circle.
    if is_nfkc_quick(lower.chars()) == IsNormalized::Yes {
        lower.chars().for_each(|c| out.push(c));
    } else {
        lower.nfkc().for_each(|c| out.push(c));
    }
}

/// A text that takes white space and control characters as the gaps between other characters.
struct Spaced {
    text: String,
    gap: bool,
}

impl Spaced {
    fn mark(&self) -> (usize, bool) {
        (self.text.len(), self.gap)
    }

    fn reset(&mut self, (length, gap): (usize, bool)) {
        self.text.truncate(length);
        self.gap = gap;
    }

    fn push(&mut self, c: char) {
        if c.is_whitespace() || c.is_control() {
            self.gap = !self.text.is_empty();
            return;
        }
        self.close_gap();
        self.text.push(c);
    }

    fn close_gap(&mut self) {
        if std::mem::take(&mut self.gap) {
            self.text.push(' ');
        }
    }

    /// Copies words with the single spaces between them at once.
    fn push_ascii(&mut self, ascii: &str) {
        let bytes = ascii.as_bytes();
        let written = self.text.len();
        // The start of what is not copied yet, which is no gap.
        let mut start = 0;
        for (at, &b) in bytes.iter().enumerate() {
            if !is_gap(b) || b == b' ' && at > start && bytes.get(at + 1).is_some_and(|next| !is_gap(*next)) {
                continue;
            }
            if start < at {
                self.close_gap();
                self.text.push_str(&ascii[start..at]);
            }
            self.gap = !self.text.is_empty();
            start = at + 1;
        }
        if start < bytes.len() {
            self.close_gap();
            self.text.push_str(&ascii[start..]);
        }
        self.text[written..].make_ascii_lowercase();
    }
}

/// White space and control characters of ASCII.
fn is_gap(b: u8) -> bool {
    b <= b' ' || b == 0x7f
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, without the shortcuts.
    fn by_definition(text: &str) -> String {
        let lower: String = text.nfkc().flat_map(char::to_lowercase).collect();
        let composed: String = lower.nfkc().collect();
        composed
            .split(|c: char| c.is_whitespace() || c.is_control())
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn texts_that_read_the_same_are_the_same() {
        for (a, b) in [
            ("The  CAT\n sat\t", "the cat sat"),
            ("ﬁne Ｔｅｘｔ", "fine text"),
            ("cafe\u{301}", "café"),
            ("CAFÉ, J\u{30c}", "café, \u{1f0}"),
            ("①②", "12"),
            ("\u{1112}\u{1161}\u{11ab}글", "한글"),
            ("가\u{11a8}", "각"),
            ("か\u{3099}", "が"),
            ("全角，１２３", "全角,123"),
        ] {
            assert_eq!(normalize(a), b, "{a:?}");
        }
    }

    #[test]
    fn white_space_alone_is_nothing() {
        assert_eq!(normalize(" \u{3000}\r\n\u{0}\t"), "");
    }

    #[test]
    fn simple_characters_are_normalised_alone_and_join_with_nothing_before_them() {
        for c in ('\u{80}'..=char::MAX).filter(|c| simple(*c).is_some()) {
            let lower = by_definition(&c.to_string());
            let expected = simple(c)
                .filter(|c| !c.is_whitespace())
                .map(String::from)
                .unwrap_or_default();
            assert_eq!(lower, expected, "{c:?}");
            if let Some(lower) = simple(c) {
                assert_eq!(is_nfkc_quick([lower].into_iter()), IsNormalized::Yes, "{c:?}");
                assert!(lower.is_ascii() || simple(lower) == Some(lower), "{c:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn it_is_idempotent(text in any::<String>()) {
            let once = normalize(&text);
            prop_assert_eq!(normalize(&once), once);
        }

        #[test]
        fn the_shortcuts_change_nothing(
            text in "([a-zA-Z \\n\u{0}.]{0,4}|[가-각か-ご中文，。Ａｂ\u{3000}]{1,3}|[\u{11a8}\u{3099}\u{301}\u{30c}\u{345}]|[ÀéЖžſﬁ…İΣ①]){0,12}",
        ) {
            prop_assert_eq!(normalize(&text), by_definition(&text));
        }

        #[test]
        fn the_shortcuts_change_nothing_in_any_text(text in any::<String>()) {
            prop_assert_eq!(normalize(&text), by_definition(&text));
        }
    }
}
