//! Pages and their texts, the same at every run.

use std::fmt::Write;

use super::site::Answer;

/// Words between two ends of a paragraph.
const WORDS_A_PARAGRAPH: usize = 40;

/// `count` words that only this `seed` brings in this order. No word has a digit, none is a name of a month.
pub fn words(seed: u64, count: usize) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xd1b5_4a32_d192_ed03;
    let words: Vec<String> = (0..count).map(|_| word(&mut state)).collect();
    words.join(" ")
}

/// Syllables by splitmix64 (Steele, Lea, Flood 2014).
fn word(state: &mut u64) -> String {
    const CONSONANTS: &[u8] = b"bdfgklmnprstvz";
    const VOWELS: &[u8] = b"aeiou";
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut random = *state;
    random = (random ^ (random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    random = (random ^ (random >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    random ^= random >> 31;
    let mut pick = |letters: &[u8]| {
        let index = random % letters.len() as u64;
        random /= letters.len() as u64;
        char::from(letters[index as usize])
    };
    (0..3).flat_map(|_| [pick(CONSONANTS), pick(VOWELS)]).collect()
}

/// `text` with its words `from..from + count` in reverse: the same words, other runs of words.
pub fn reversed(text: &str, from: usize, count: usize) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    words[from..from + count].reverse();
    words.join(" ")
}

/// `text` with `count` words from the word `from` on replaced by others.
pub fn replaced(text: &str, from: usize, count: usize, seed: u64) -> String {
    let other = words(seed, count);
    let mut words: Vec<&str> = text.split(' ').collect();
    words.splice(from..from + count, other.split(' '));
    words.join(" ")
}

/// A page with a title, a main text and links.
pub fn page<L: AsRef<str>>(title: &str, text: &str, links: &[L]) -> Answer {
    Answer::html(html(title, text, links))
}

/// Its source.
pub fn html<L: AsRef<str>>(title: &str, text: &str, links: &[L]) -> String {
    let mut html = format!("<!doctype html><html lang=\"en\"><head><title>{title}</title></head><body><nav><ul>");
    for link in links {
        let link = link.as_ref();
        write!(html, "<li><a href=\"{link}\">{link}</a></li>").unwrap();
    }
    write!(html, "</ul></nav><main>").unwrap();
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    for paragraph in words.chunks(WORDS_A_PARAGRAPH) {
        write!(html, "<p>{}.</p>", paragraph.join(" ")).unwrap();
    }
    html + "</main></body></html>"
}

/// A page like no other, with links.
pub fn article<L: AsRef<str>>(seed: u64, links: &[L]) -> Answer {
    page(&format!("Article {seed}"), &words(seed, 150), links)
}

/// A home page with links and no text: kept for what it is, nobody's duplicate.
pub fn home<L: AsRef<str>>(links: &[L]) -> Answer {
    page("Home", "", links)
}

/// No link.
pub const NO_LINKS: &[&str] = &[];
