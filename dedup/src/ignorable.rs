//! Characters that do not change what a text says: invisible ones, and marks that a writer may leave out.
//!
//! Two texts are the same to a reader if they differ only in
//!
//! - characters that are not shown: the property `Default_Ignorable_Code_Point` (Unicode 17, section 5.21, and
//!   `DerivedCoreProperties.txt`). Soft hyphens, joiners and non-joiners, directional marks, variation selectors and invisible operators
//!   are among them. A zero width non-joiner stands within a word of Persian, so the word stays one word without it.
//! - vowel marks of Arabic, Hebrew and Syriac. Most texts leave them out, and a school book or a prayer book writes them. The hamza and the madda
//!   (U+0653 to U+0655) stay, because they are parts of letters.
//! - the Arabic tatweel (U+0640), which only makes a word longer on paper.
//!
//! One invisible character has a meaning: in scripts without spaces, a zero width space (U+200B) separates words (UAX #14, class ZW). There
//! it becomes a space. In other scripts it only says where a line may be broken, mostly within URLs and names of programs.

use std::borrow::Cow;

/// The text without these characters, and with a space for each zero width space beside a letter of a script without spaces. `text` is
/// in NFKC, and so may miss no presentation forms, which contain vowel marks.
pub(crate) fn without(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(is_left_out) else {
        return Cow::Borrowed(text);
    };
    let mut shown = String::with_capacity(text.len());
    shown.push_str(&text[..first]);
    // A zero width space stands after the last character that is shown.
    let mut may_separate = false;
    for c in text[first..].chars() {
        if c == ZERO_WIDTH_SPACE {
            may_separate = true;
        } else if !is_left_out(c) {
            if std::mem::take(&mut may_separate) && (ends_without_space(&shown) || has_no_spaces(c)) {
                shown.push(' ');
            }
            shown.push(c);
        }
    }
    if may_separate && ends_without_space(&shown) {
        shown.push(' ');
    }
    Cow::Owned(shown)
}

const ZERO_WIDTH_SPACE: char = '\u{200b}';

fn ends_without_space(shown: &str) -> bool {
    shown.chars().next_back().is_some_and(has_no_spaces)
}

/// Whether a text says the same without the character.
fn is_left_out(c: char) -> bool {
    is_ignorable(c) || is_optional(c)
}

/// Whether the character has the property `Default_Ignorable_Code_Point`.
pub(crate) fn is_ignorable(c: char) -> bool {
    c >= '\u{ad}'
        && matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Vowel marks and signs for reading aloud of Hebrew, Arabic and Syriac, and the tatweel.
fn is_optional(c: char) -> bool {
    ('\u{591}'..='\u{8ff}').contains(&c)
        && matches!(c,
        '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}'..='\u{5c2}' | '\u{5c4}'..='\u{5c5}' | '\u{5c7}'
        | '\u{610}'..='\u{61a}' | '\u{640}' | '\u{64b}'..='\u{652}' | '\u{670}'
        | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e4}' | '\u{6e7}'..='\u{6e8}' | '\u{6ea}'..='\u{6ed}'
        | '\u{730}'..='\u{74a}' | '\u{8ca}'..='\u{8e1}' | '\u{8e3}'..='\u{8ff}')
}

/// Whether a character is of a script of South-East Asia or Tibet that writes words without spaces.
fn has_no_spaces(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{109f}' // Thai, Lao, Tibetan, Myanmar
        | '\u{1780}'..='\u{17ff}' // Khmer
        | '\u{1950}'..='\u{1aaf}' // Tai Le, New Tai Lue, Buginese, Tai Tham
        | '\u{1b00}'..='\u{1b7f}' // Balinese
        | '\u{a980}'..='\u{aadf}' // Javanese, Cham, Tai Viet, more Myanmar
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use icu_properties::CodePointSetData;
    use icu_properties::props::DefaultIgnorableCodePoint;

    #[test]
    fn the_table_is_the_property_of_unicode() {
        let property = CodePointSetData::new::<DefaultIgnorableCodePoint>();
        for c in '\0'..=char::MAX {
            assert_eq!(is_ignorable(c), property.contains(c), "{c:?}");
        }
    }

    #[test]
    fn only_a_zero_width_space_between_words_without_spaces_separates() {
        for (text, shown) in [
            ("plain", "plain"),
            ("north\u{ad}ern", "northern"),
            ("\u{feff}a\u{2060}b\u{200e}", "ab"),
            ("f\u{2061}(x)", "f(x)"),
            ("❤\u{fe0f}", "❤"),
            ("می\u{200c}روم", "میروم"),
            ("std::\u{200b}vec", "std::vec"),
            ("数据\u{200b}去重", "数据去重"),
            ("ตา\u{200b}กลม", "ตา กลม"),
            ("ភាសា\u{200b}\u{200b}ខ្មែរ\u{200b}", "ភាសា ខ្មែរ "),
            ("ລາວ\u{200b}Lao", "ລາວ Lao"),
            ("Lao\u{200b}ລາວ", "Lao ລາວ"),
            ("ꦧꦱ\u{200b}ꦗꦮ", "ꦧꦱ ꦗꦮ"),
            ("الـــسلام", "السلام"),
            ("كَتَبَ", "كتب"),
            ("آمن", "آمن"),
            ("שָׁלוֹם", "שלום"),
            ("בית־ספר", "בית־ספר"),
        ] {
            assert_eq!(without(text), shown, "{text:?}");
        }
    }
}
