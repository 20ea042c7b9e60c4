//! Words of scripts without spaces, by the dictionaries of ICU4X.

use icu_segmenter::WordSegmenter;
use icu_segmenter::options::WordBreakInvariantOptions;

/// Name of the dictionaries in the scheme. Cargo.toml pins the crate to this version, and a test pins its results.
pub(crate) const VERSION: &str = "icu4x-2.4.0";

/// Calls `take` with the end of every word of `text`, in order; the last is the end of the text. The text must consist
/// of letters and marks of scripts without spaces.
pub(crate) fn each_word_end(text: &str, take: impl FnMut(usize)) {
    let segmenter = WordSegmenter::new_dictionary(WordBreakInvariantOptions::default());
    segmenter.segment_str(text).filter(|end| *end > 0).for_each(take);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let (mut start, mut words) = (0, Vec::new());
        each_word_end(text, |end| words.push(&text[std::mem::replace(&mut start, end)..end]));
        words
    }

    #[test]
    fn the_dictionaries_find_these_words() {
        assert_eq!(words("我喜欢看电视"), ["我", "喜欢", "看", "电视"]);
        assert_eq!(words("飞碟曾看见灰色外星人"), ["飞碟", "曾", "看见", "灰色", "外星人"]);
        assert_eq!(words("これはペンです"), ["これ", "は", "ペン", "です"]);
        assert_eq!(words("ภาษาไทยง่ายมาก"), ["ภาษา", "ไทย", "ง่าย", "มาก"]);
        assert_eq!(words("ພາສາລາວ"), ["ພາສາ", "ລາວ"]);
        assert_eq!(words("ខ្ញុំស្រលាញ់ភាសាខ្មែរ"), ["ខ្ញុំ", "ស្រលាញ់", "ភាសាខ្មែរ"]);
        assert_eq!(words("မြန်မာစာ"), ["မြန်မာ", "စာ"]);
        assert_eq!(words("한국어"), ["한국어"]);
    }
}
