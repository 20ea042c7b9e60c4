//! The measures from which features are made: of text, of counts and of elements.

use html5ever::{LocalName, local_name};

use super::display::is_heading;

/// What a run says by itself.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Letters {
    /// Punctuation of sentences.
    pub marks: usize,
    pub digits: usize,
    pub capitals: usize,
    /// ASCII letters.
    pub ascii: usize,
    /// 2: the last character ends a sentence; 1: it ends a part of one; 0: neither.
    pub end: i16,
    /// Signs of currencies.
    pub prices: usize,
}

impl Letters {
    pub(super) fn of(text: &str) -> Self {
        let mut letters = Self::default();
        if text.is_ascii() {
            let mut counts = [0; KINDS];
            text.bytes()
                .for_each(|byte| counts[usize::from(KIND_OF[usize::from(byte)])] += 1);
            let [_, digits, capitals, small, marks, prices] = counts;
            return Self {
                marks,
                digits,
                capitals,
                ascii: capitals + small,
                end: end(text),
                prices,
            };
        }
        for c in text.chars() {
            match c {
                '0'..='9' => letters.digits += 1,
                '$' | '€' | '£' | '¥' | '₹' | '₽' | '₩' | '元' => letters.prices += 1,
                'A'..='Z' => {
                    letters.capitals += 1;
                    letters.ascii += 1;
                }
                'a'..='z' => letters.ascii += 1,
                '.' | ',' | ';' | ':' | '!' | '?' | '。' | '，' | '、' | '；' | '：' | '！' | '？' => {
                    letters.marks += 1
                }
                _ => {}
            }
        }
        letters.end = end(text);
        letters
    }
}

/// Number of kinds of ASCII characters: others, digits, capitals, small letters, punctuation of sentences, signs of currencies.
const KINDS: usize = 6;

/// The kind of each ASCII character.
const KIND_OF: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        kinds[byte] = match byte as u8 {
            b'0'..=b'9' => 1,
            b'A'..=b'Z' => 2,
            b'a'..=b'z' => 3,
            b'.' | b',' | b';' | b':' | b'!' | b'?' => 4,
            b'$' => 5,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};

/// 2: the last character ends a sentence; 1: it ends a part of one; 0: neither.
fn end(text: &str) -> i16 {
    match text.chars().next_back() {
        Some('.' | '!' | '?' | '。' | '！' | '？' | '…' | '”' | '"' | '」') => 2,
        Some(':' | ',' | ';' | '：' | '，' | '；') => 1,
        _ => 0,
    }
}

pub(super) fn small(count: usize) -> i16 {
    count.min(20) as i16
}

/// The number of an element, in an order from elements for text to boxes.
pub(super) fn tag(name: &LocalName) -> i16 {
    match *name {
        local_name!("p") => 0,
        local_name!("pre") => 1,
        local_name!("blockquote") => 2,
        _ if is_heading(name) => 3,
        local_name!("dd") => 4,
        local_name!("dt") => 5,
        local_name!("li") => 6,
        local_name!("td") => 7,
        local_name!("th") => 8,
        local_name!("caption") | local_name!("figcaption") => 9,
        local_name!("summary") | local_name!("legend") => 10,
        local_name!("article") | local_name!("section") | local_name!("main") => 11,
        local_name!("div") => 12,
        local_name!("address") => 13,
        _ => 14,
    }
}

pub(super) fn is_for_running_text(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("p") | local_name!("pre") | local_name!("blockquote") | local_name!("dd")
    )
}
