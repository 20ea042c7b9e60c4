//! Gives texts that read the same one spelling: compatibility composition (NFKC, UAX #15), lower case, single spaces, and nothing that
//! readers do not see or may leave out (`ignorable` has the list and the reasons).

use crate::ignorable;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// `text` in NFKC and lower case, with one space for each run of white space and control characters, and none at the
/// ends. Invisible characters, the vowel marks of Arabic, Hebrew and Syriac, and the tatweel are left out.
///
/// Idempotent. Equivalent spellings give the same result: `ﬁ` and `fi`, `Ｅ` and `e`, `e` + `´` and `é`, and a word with and without a soft
/// hyphen.
#[must_use]
pub fn normalize(text: &str) -> String {
    let mut out = Spaced {
        bytes: Vec::with_capacity(text.len() + 8),
    };
    let mut room = text.len() / 4 + FREE_GROWTH;
    // Positions of the last character in input and output: a following mark changes that character.
    let mut last = (0, 0);
    let mut at = 0;
    while at < text.len() {
        let end = at + ascii_prefix(&text.as_bytes()[at..]);
        if at < end {
            out.push_ascii(&text.as_bytes()[at..end - 1]);
            last = (end - 1, out.bytes.len());
            out.push_ascii_byte(text.as_bytes()[end - 1]);
            at = end;
        }
        let as_it_is = ideographs(&text.as_bytes()[at..]);
        if as_it_is > 0 {
            out.bytes.extend_from_slice(&text.as_bytes()[at..at + as_it_is]);
            at += as_it_is;
            last = (at - 3, out.bytes.len() - 3);
        }
        for c in text[at..].chars() {
            let Some(lower) = simple(c) else { break };
            last = (at, out.bytes.len());
            out.push(lower);
            at += c.len_utf8();
        }
        if text[at..].starts_with(|c: char| !c.is_ascii()) {
            let length = text[at..].find(|c: char| c.is_ascii() || simple(c).is_some());
            at = length.map_or(text.len(), |length| at + length);
            out.bytes.truncate(last.1);
            compose(&text[last.0..at], &mut room, &mut out);
            last = (at, out.bytes.len());
        }
    }
    out.into_text()
}

/// Number of ASCII bytes at the start.
fn ascii_prefix(bytes: &[u8]) -> usize {
    let (words, _) = bytes.as_chunks::<8>();
    let ascii = |word: &&[u8; 8]| u64::from_le_bytes(**word) & HIGH == 0;
    let sure = words.iter().take_while(ascii).count() * 8;
    sure + bytes[sure..].iter().take_while(|b| b.is_ascii()).count()
}

/// Number of bytes at the start that are characters U+4E00 to U+9FFF, which are [`simple`] and unchanged by
/// normalisation.
fn ideographs(bytes: &[u8]) -> usize {
    let (threes, _) = bytes.as_chunks::<3>();
    let ideograph = |three: &&[u8; 3]| matches!(three, [0xe4, 0xb8..=0xff, _] | [0xe5..=0xe9, ..]);
    threes.iter().take_while(ideograph).count() * 3
}

/// The lower case of a character whose normalisation is one character in any context: it is composed already and does
/// not combine with the character before it. `None` for all others, and for rare ones of this kind.
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

/// Bytes by which normalisation may lengthen any text.
const FREE_GROWTH: usize = 4_096;

/// Normalises a piece in full. The characters at its ends must not combine with their neighbours.
///
/// NFKC turns U+FDFA into 18 characters and U+3316 into six, so a page of them would grow elevenfold, and every later stage would pay for
/// it. No ordinary text grows by a quarter. So `room` bounds the growth of a text, in bytes: a piece that would grow beyond it is only put into
/// lower case.
fn compose(piece: &str, room: &mut usize, out: &mut Spaced) {
    let mut lower = String::with_capacity(piece.len());
    for c in piece.nfkc().flat_map(char::to_lowercase) {
        lower.push(c);
        if lower.len() > piece.len() + *room {
            *room = 0;
            let shown = ignorable::without(piece);
            return shown.chars().flat_map(char::to_lowercase).for_each(|c| out.push(c));
        }
    }
    *room -= lower.len().saturating_sub(piece.len());
    let lower = ignorable::without(&lower);
    // Lower case can leave composed form: `J̌` has no composed character, `ǰ` has one. What was left out may have stood between a letter
    // and its mark. So compose again.
    if is_nfkc_quick(lower.chars()) == IsNormalized::Yes {
        lower.chars().for_each(|c| out.push(c));
    } else {
        lower.nfkc().for_each(|c| out.push(c));
    }
}

/// An output in which every run of white space and control characters (a gap) becomes one space, without one at the
/// start.
struct Spaced {
    bytes: Vec<u8>,
}

impl Spaced {
    fn into_text(mut self) -> String {
        if self.bytes.last() == Some(&b' ') {
            self.bytes.pop();
        }
        // The bytes are always UTF-8; the fallback only avoids a panic.
        String::from_utf8(self.bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }

    fn ends_in_gap(&self) -> bool {
        self.bytes.last().is_none_or(|b| *b == b' ')
    }

    fn push(&mut self, c: char) {
        if c.is_ascii() {
            self.push_ascii_byte(c as u8);
        } else if c.is_whitespace() || c.is_control() {
            self.push_ascii_byte(b' ');
        } else {
            // Always copy four bytes: cheaper than copying the exact number.
            let mut bytes = [0; 4];
            let length = c.encode_utf8(&mut bytes).len();
            self.bytes.extend_from_slice(&bytes);
            self.bytes.truncate(self.bytes.len() - 4 + length);
        }
    }

    fn push_ascii_byte(&mut self, b: u8) {
        if !is_gap(b) {
            self.bytes.push(b.to_ascii_lowercase());
        } else if !self.ends_in_gap() {
            self.bytes.push(b' ');
        }
    }

    /// Pushes ASCII, eight bytes at once.
    fn push_ascii(&mut self, ascii: &[u8]) {
        let (words, rest) = ascii.as_chunks::<8>();
        let mut gap_before = if self.ends_in_gap() { 0x80 } else { 0 };
        for word in words {
            let (word, gaps) = fold(u64::from_le_bytes(*word));
            let surplus = gaps & (gaps << 8 | gap_before);
            gap_before = gaps >> 56;
            self.bytes.extend_from_slice(&word.to_le_bytes());
            if surplus != 0 {
                self.drop_surplus(word, surplus);
            }
        }
        rest.iter().for_each(|b| self.push_ascii_byte(*b));
    }

    /// Removes from the last eight bytes, which are `word`, those whose highest bit is set in `surplus`.
    fn drop_surplus(&mut self, word: u64, surplus: u64) {
        let (mut kept, mut bits) = (0_u64, 0);
        for at in (0..64).step_by(8) {
            let keep = !surplus >> (at + 7) & 1;
            kept |= ((word >> at & 0xff) * keep) << bits;
            bits += keep * 8;
        }
        let start = self.bytes.len() - 8;
        self.bytes[start..].copy_from_slice(&kept.to_le_bytes());
        self.bytes.truncate(start + bits as usize / 8);
    }
}

/// The highest bit of each byte.
const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);

/// Eight ASCII characters in lower case with spaces for gaps; and a word with the highest bit of each gap byte set.
fn fold(word: u64) -> (u64, u64) {
    // The highest bit of each byte says whether the byte is at least `least`: sums of seven-bit numbers do not carry.
    let at_least = |least: u8| word + u64::from_ne_bytes([0x80 - least; 8]);
    let upper = at_least(b'A') & !at_least(b'Z' + 1) & HIGH;
    let gaps = (!at_least(b' ' + 1) | at_least(0x7f)) & HIGH;
    // All bits of the bytes that are gaps.
    let mask = (gaps >> 7) * 0xff;
    let lower = word | upper >> 2;
    (lower & !mask | u64::from_ne_bytes([b' '; 8]) & mask, gaps)
}

/// White space and control characters of ASCII.
fn is_gap(b: u8) -> bool {
    b <= b' ' || b == 0x7f
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition without the shortcuts.
    fn by_definition(text: &str) -> String {
        let lower: String = text.nfkc().flat_map(char::to_lowercase).collect();
        let composed: String = ignorable::without(&lower).nfkc().collect();
        composed
            .split(|c: char| c.is_whitespace() || c.is_control())
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn no_text_grows_by_more_than_a_quarter() {
        for c in ['\u{3316}', '\u{fdfa}', '\u{1d160}', '\u{33a8}'] {
            for separator in ["", " ", "é, "] {
                let text = format!("{c}{separator}").repeat(100_000);
                assert!(
                    normalize(&text).len() <= text.len() + text.len() / 4 + FREE_GROWTH,
                    "{c:?}"
                );
            }
        }
        let signs = "\u{3316} \u{fdfa} ㈱ ½ ".repeat(20);
        assert_eq!(normalize(&signs), by_definition(&signs));
    }

    #[test]
    fn texts_that_read_the_same_normalise_to_the_same() {
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
            (
                "Fisher\u{ad}men in the north\u{ad}ern bay",
                "fishermen in the northern bay",
            ),
            ("caf\u{200d}e\u{200d}\u{301} \u{2060} bar", "café bar"),
            ("e\u{34f}\u{323}\u{ad}\u{301}", "e\u{323}\u{301}"),
            ("\u{feff}The \u{202a}CAT\u{202c}", "the cat"),
            ("\u{3164}\u{1160}한\u{ffa0}글", "한글"),
            ("ไทย \u{200b}\u{200b} ไทย\u{200b}", "ไทย ไทย"),
            ("foo\u{200b}Bar/\u{200b}baz", "foobar/baz"),
            // Presentation forms contain the marks.
            (
                "\u{fb2a}\u{5b8}\u{5dc}\u{fe77}\u{627}\u{640}\u{653}",
                "\u{5e9}\u{5dc}\u{622}",
            ),
        ] {
            assert_eq!(normalize(a), normalize(b), "{a:?}");
            assert_eq!(normalize(a), by_definition(b), "{a:?}");
        }
    }

    #[test]
    fn white_space_normalises_to_the_empty_text() {
        assert_eq!(normalize(" \u{3000}\r\n\u{0}\t"), "");
    }

    #[test]
    fn simple_characters_normalise_alone_and_do_not_combine_with_the_one_before() {
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
            text in "([a-zA-Z \\n\u{0}\u{7f}.@\\[`{]{0,20}|[가-각か-ご中文，。Ａｂ\u{3000}]{1,3}|[\u{11a8}\u{3099}\u{301}\u{30c}\u{345}]|[ÀéЖžſﬁ…İΣ①]|[\u{ad}\u{200b}\u{200d}\u{34f}\u{fe0f}\u{3164}]|[กขاآךשׁﷲ\u{64e}\u{653}\u{640}\u{5b8}]){0,12}",
        ) {
            prop_assert_eq!(normalize(&text), by_definition(&text));
        }

        #[test]
        fn the_shortcuts_change_nothing_in_any_text(text in any::<String>()) {
            prop_assert_eq!(normalize(&text), by_definition(&text));
        }
    }
}
