//! The words of generated documents.

use jieba_rs::Jieba;

use crate::random::Random;

const LISTS: &str = include_str!("../../data/vocabulary.txt");

/// The topics of the paper.
pub const TOPICS: [&str; 5] = ["internet", "medicine", "education", "ai", "housing"];

/// What Chinese documents are made of; each list in order of frequency, the commonest first.
#[derive(Debug)]
pub struct Vocabulary {
    /// Words that hold a sentence together.
    pub function: Vec<&'static str>,
    /// Words of two characters that occur whatever the topic.
    pub general: Vec<String>,
    topics: [Vec<&'static str>; TOPICS.len()],
}

impl Vocabulary {
    /// The lists in `data/vocabulary.txt`; `jieba`'s dictionary says which pairs of characters are words.
    #[must_use]
    pub fn new(jieba: &Jieba) -> Self {
        Self {
            function: list("function"),
            general: general(jieba, &list("characters")),
            topics: TOPICS.map(list),
        }
    }

    /// The terms of a topic by its place in [`TOPICS`].
    #[must_use]
    pub fn topic(&self, topic: usize) -> &[&'static str] {
        &self.topics[topic]
    }
}

fn list(name: &str) -> Vec<&'static str> {
    let line = LISTS
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.into_iter().flat_map(str::split_whitespace).collect()
}

/// Pairs that the dictionary knows; which is common and which is rare is left to chance.
fn general(jieba: &Jieba, characters: &[&str]) -> Vec<String> {
    let pairs = characters
        .iter()
        .flat_map(|a| characters.iter().map(move |b| format!("{a}{b}")));
    let mut words: Vec<String> = pairs.filter(|word| jieba.has_word(word)).collect();
    words.sort_unstable();
    words.dedup();
    Random::new(4).shuffle(&mut words);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_words_of_every_kind_and_none_twice_in_a_list() {
        let vocabulary = Vocabulary::new(&Jieba::new());
        assert!(vocabulary.function.len() > 40 && vocabulary.general.len() > 3_000);
        for (topic, name) in TOPICS.iter().enumerate() {
            let mut terms = vocabulary.topic(topic).to_vec();
            assert!(terms.len() >= 50, "{name}");
            terms.sort_unstable();
            let count = terms.len();
            terms.dedup();
            assert_eq!(terms.len(), count, "{name}");
        }
    }
}
