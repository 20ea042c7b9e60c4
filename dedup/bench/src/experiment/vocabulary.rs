//! The words of generated documents.

use crate::random::Random;

const LISTS: &str = include_str!("../../data/vocabulary.txt");
const GENERAL: &str = include_str!("../../data/general_words.txt");

/// The topics of the paper.
pub const TOPICS: [&str; 5] = ["internet", "medicine", "education", "ai", "housing"];

/// The words of generated Chinese documents; each list is in order of frequency, the commonest word first.
#[derive(Debug)]
pub struct Vocabulary {
    /// Function words.
    pub function: Vec<&'static str>,
    /// Words of two characters that occur in every topic.
    pub general: Vec<String>,
    topics: [Vec<&'static str>; TOPICS.len()],
}

impl Default for Vocabulary {
    /// The lists in `data`.
    fn default() -> Self {
        Self {
            function: list("function"),
            general: general(),
            topics: TOPICS.map(list),
        }
    }
}

impl Vocabulary {
    /// The terms of a topic, by its place in [`TOPICS`].
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

/// The general words in random order, so that chance decides which words are common.
fn general() -> Vec<String> {
    let lines = GENERAL.lines().filter(|line| !line.starts_with('#'));
    let words = lines
        .filter_map(|line| line.split_once(' '))
        .flat_map(|(first, seconds)| {
            let word = move |second: char| format!("{first}{second}");
            seconds.chars().map(word)
        });
    let mut words: Vec<String> = words.collect();
    Random::new(4).shuffle(&mut words);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_words_and_no_list_repeats_one() {
        let vocabulary = Vocabulary::default();
        assert!(vocabulary.function.len() > 40);
        assert_eq!(vocabulary.general.len(), 7_967);
        assert!(vocabulary.general.iter().all(|word| word.chars().count() == 2));
        let mut lists: Vec<Vec<&str>> = (0..TOPICS.len())
            .map(|topic| vocabulary.topic(topic).to_vec())
            .collect();
        assert!(lists.iter().all(|terms| terms.len() >= 50));
        lists.push(vocabulary.general.iter().map(String::as_str).collect());
        for mut words in lists {
            words.sort_unstable();
            assert!(words.is_sorted_by(|a, b| a < b), "{words:?}");
        }
    }
}
