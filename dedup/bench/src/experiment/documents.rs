//! Documents: sentences of words, with metadata.

use icu_segmenter::WordSegmenter;
use icu_segmenter::options::WordBreakInvariantOptions;

use super::edits::Edit;
use super::vocabulary::Vocabulary;
use crate::random::Random;

/// The words of a sentence; the last word is the punctuation that ends it.
pub type Sentence = Vec<String>;

/// A document as sentences of words.
#[derive(Debug, Clone)]
pub struct Document {
    /// The sentences of its text.
    pub sentences: Vec<Sentence>,
    /// Keywords, tags and works cited.
    pub metadata: Vec<String>,
    /// Number of the family, which is a document and its edited copies.
    pub family: usize,
    /// The edit that made this copy; `None` for an original.
    pub edit: Option<Edit>,
}

impl Document {
    /// The text.
    #[must_use]
    pub fn text(&self) -> String {
        self.sentences.iter().flatten().map(String::as_str).collect()
    }
}

/// Least number of sentences in a document, and one more than the greatest: about 300 to 1,200 characters.
const SENTENCES: (usize, usize) = (18, 60);
/// Least number of words in a clause, and one more than the greatest.
const CLAUSE: (usize, usize) = (4, 10);

/// Writes documents of a topic. Like a real document, each repeats some words: terms of its topic and general words
/// that are drawn once per document. Of a hundred words,
///
/// - 25 are function words,
/// - 35 are general words,
/// - 25 are general words drawn for the document,
/// - 15 are terms of the topic drawn for the document,
///
/// each chosen by Zipf's law. The order of words is random: no method here uses grammar.
#[derive(Debug)]
pub struct Writer<'a> {
    vocabulary: &'a Vocabulary,
    topic: usize,
    /// Sentences that all documents have in common, like the frame of a site.
    template: Vec<Sentence>,
    random: Random,
}

impl<'a> Writer<'a> {
    /// A writer whose documents share a template of `template` sentences (0 for none).
    #[must_use]
    pub fn new(vocabulary: &'a Vocabulary, topic: usize, template: usize, seed: u64) -> Self {
        let mut writer = Self {
            vocabulary,
            topic,
            template: Vec::new(),
            random: Random::new(seed),
        };
        let (words, terms) = writer.own_words();
        writer.template = (0..template).map(|_| writer.sentence(&words, &terms)).collect();
        writer
    }

    /// The next document, an original of `family`.
    pub fn document(&mut self, family: usize) -> Document {
        let (words, terms) = self.own_words();
        let count = SENTENCES.0 + self.random.below(SENTENCES.1 - SENTENCES.0);
        let own = (0..count).map(|_| self.sentence(&words, &terms)).collect::<Vec<_>>();
        Document {
            sentences: self.template.iter().cloned().chain(own).collect(),
            metadata: metadata(&terms, &mut self.random),
            family,
            edit: None,
        }
    }

    fn own_words(&mut self) -> (Vec<String>, Vec<String>) {
        let words = self.random.sample(&self.vocabulary.general, 40);
        let terms = self.random.sample(self.vocabulary.topic(self.topic), 15);
        (words, terms.into_iter().map(str::to_owned).collect())
    }

    fn sentence(&mut self, words: &[String], terms: &[String]) -> Sentence {
        let mut sentence = Sentence::new();
        let clauses = 1 + self.random.below(3);
        for clause in 1..=clauses {
            let length = CLAUSE.0 + self.random.below(CLAUSE.1 - CLAUSE.0);
            sentence.extend((0..length).map(|_| self.word(words, terms)));
            sentence.push(if clause == clauses { "。" } else { "，" }.to_owned());
        }
        sentence
    }

    fn word(&mut self, words: &[String], terms: &[String]) -> String {
        let kind = self.random.below(100);
        let mut of = |count: usize| self.random.zipf(count);
        match kind {
            0..25 => self.vocabulary.function[of(self.vocabulary.function.len())].to_owned(),
            25..60 => self.vocabulary.general[of(self.vocabulary.general.len())].clone(),
            60..85 => words[of(words.len())].clone(),
            _ => terms[of(terms.len())].clone(),
        }
    }
}

/// Five of the document's terms as keywords, and six cited works out of 2,000.
fn metadata(terms: &[String], random: &mut Random) -> Vec<String> {
    let keywords = terms.iter().take(5).cloned();
    let works = (0..6).map(|_| format!("work {}", random.below(2_000)));
    keywords.chain(works).collect::<Vec<_>>()
}

/// Documents of real sentences: the distinct sentences of all `texts`, each used once, in random order. So no two
/// documents share a sentence. A sentence ends at 。！？ or at the end of a line and has at least eight Chinese
/// characters.
#[must_use]
pub fn of_real_sentences(texts: &[String], seed: u64) -> Vec<Document> {
    let is_chinese = |c: &char| ('\u{4e00}'..='\u{9fff}').contains(c);
    let ends = |c: char| matches!(c, '。' | '！' | '？' | '\n');
    let mut sentences: Vec<&str> = texts
        .iter()
        .flat_map(|text| text.split(ends).map(str::trim))
        .filter(|sentence| sentence.chars().filter(is_chinese).count() >= 8)
        .collect();
    sentences.sort_unstable();
    sentences.dedup();
    let mut random = Random::new(seed);
    random.shuffle(&mut sentences);
    let segmenter = WordSegmenter::new_dictionary(WordBreakInvariantOptions::default());
    let mut rest = sentences.as_slice();
    let mut documents = Vec::new();
    while rest.len() >= SENTENCES.1 {
        let count = SENTENCES.0 + random.below(SENTENCES.1 - SENTENCES.0);
        let (own, others) = rest.split_at(count);
        rest = others;
        let cut = |sentence: &&str| -> Sentence {
            let ends: Vec<usize> = segmenter.segment_str(sentence).collect();
            let words = ends.windows(2).map(|ends| sentence[ends[0]..ends[1]].to_owned());
            words.chain(["。".to_owned()]).collect()
        };
        let sentences: Vec<Sentence> = own.iter().map(cut).collect();
        let long = |word: &&String| word.chars().filter(is_chinese).count() >= 2;
        let mut terms: Vec<String> = sentences.iter().flatten().filter(long).cloned().collect();
        terms.sort_unstable();
        terms.dedup();
        random.shuffle(&mut terms);
        documents.push(Document {
            metadata: metadata(&terms, &mut random),
            sentences,
            family: documents.len(),
            edit: None,
        });
    }
    documents
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::vocabulary::TOPICS;

    #[test]
    fn a_document_has_hundreds_of_characters_and_terms_of_its_topic() {
        let vocabulary = Vocabulary::default();
        for topic in 0..TOPICS.len() {
            let document = Writer::new(&vocabulary, topic, 0, 7).document(0);
            let text = document.text();
            assert!((300..3_000).contains(&text.chars().count()), "{}", text.chars().count());
            assert!(
                vocabulary
                    .topic(topic)
                    .iter()
                    .filter(|term| text.contains(**term))
                    .count()
                    >= 5
            );
            assert_eq!(document.metadata.len(), 11);
        }
    }

    #[test]
    fn documents_of_real_sentences_share_no_sentence() {
        let texts: Vec<String> = (0..400).map(|n| format!("这是第{n}个完全不同的句子。短。")).collect();
        let documents = of_real_sentences(&[texts.clone(), texts].concat(), 1);
        let mut sentences: Vec<String> = documents
            .iter()
            .flat_map(|d| &d.sentences)
            .map(|s| s.concat())
            .collect();
        let count = sentences.len();
        sentences.sort_unstable();
        sentences.dedup();
        assert!(documents.len() > 5 && sentences.len() == count);
    }
}
