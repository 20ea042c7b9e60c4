//! Texts to fingerprint: generated, or read from a file that the environment names.

use std::error::Error;
use std::{env, fs};

use serde_json::Value;

use crate::experiment::documents::Writer;
use crate::experiment::vocabulary::Vocabulary;
use crate::random::Random;

/// The environment variable that names a JSONL file whose `text` fields are measured too.
pub const VARIABLE: &str = "DEDUP_BENCH_TEXTS";

/// Size of the texts of each kind: about a megabyte.
const BYTES: usize = 1 << 20;

/// Texts of English letters, about 3 KB each: words of 2 to 11 letters, drawn by Zipf's law from 5,000, 7 % of them
/// capitalised, in sentences of 6 to 25 words.
#[must_use]
pub fn ascii() -> Vec<String> {
    let mut random = Random::new(8);
    let words: Vec<String> = (0..5_000).map(|rank| ascii_word(&mut random, rank)).collect();
    let mut texts = vec![String::new()];
    let mut bytes = 0;
    while bytes < BYTES {
        if texts.last().is_none_or(|text| text.len() > 3_000) {
            texts.push(String::new());
        }
        if let Some(text) = texts.last_mut() {
            let before = text.len();
            ascii_sentence(&mut random, &words, text);
            bytes += text.len() - before;
        }
    }
    texts
}

/// A random word; the 50 commonest words are short.
fn ascii_word(random: &mut Random, rank: usize) -> String {
    let length = if rank < 50 {
        2 + random.below(3)
    } else {
        4 + random.below(8)
    };
    (0..length).map(|_| char::from(b'a' + random.below(26) as u8)).collect()
}

fn ascii_sentence(random: &mut Random, words: &[String], text: &mut String) {
    let length = 6 + random.below(20);
    for at in 0..length {
        let word = &words[random.zipf(words.len())];
        if at == 0 || random.below(100) < 7 {
            text.push_str(&word[..1].to_uppercase());
            text.push_str(&word[1..]);
        } else {
            text.push_str(word);
        }
        text.push_str(match at {
            _ if at + 1 == length => ". ",
            _ if random.below(12) == 0 => ", ",
            _ => " ",
        });
    }
}

/// Chinese documents of the five topics of the experiment.
#[must_use]
pub fn chinese() -> Vec<String> {
    let vocabulary = Vocabulary::default();
    let mut writers: Vec<_> = (0..5).map(|topic| Writer::new(&vocabulary, topic, 0, 9)).collect();
    let (mut texts, mut bytes) = (Vec::new(), 0);
    while bytes < BYTES {
        let topic = texts.len() % writers.len();
        let text = writers[topic].document(texts.len()).text();
        bytes += text.len();
        texts.push(text);
    }
    texts
}

/// The texts of the file that [`VARIABLE`] names; `None` if the variable is not set.
///
/// # Errors
/// The file cannot be read, or a line is not JSON.
pub fn named_by_environment() -> Result<Option<Vec<String>>, Box<dyn Error>> {
    let Ok(path) = env::var(VARIABLE) else {
        return Ok(None);
    };
    let mut texts = Vec::new();
    for line in fs::read_to_string(path)?.lines() {
        let page: Value = serde_json::from_str(line)?;
        texts.extend(page["text"].as_str().map(str::to_owned));
    }
    Ok(Some(texts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_have_the_documented_scripts_and_sizes() {
        let (ascii, chinese) = (ascii(), chinese());
        assert!(ascii.iter().all(|text| text.is_ascii()));
        let han = |text: &String| text.chars().filter(|c| ('\u{4e00}'..='\u{9fff}').contains(c)).count();
        assert!(chinese.iter().all(|text| han(text) * 10 > text.chars().count() * 8));
        for texts in [ascii, chinese] {
            assert!(texts.iter().map(String::len).sum::<usize>() >= BYTES && texts.len() > 100);
        }
    }
}
