//! The methods: each is a scheme and a rule of the `dedup` crate. A method reads a stream of documents, keeps the
//! unique ones, and names for every other document the kept one that it repeats.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dedup::{
    Analyzer, Confirm, DedupError, Deduplicator, DocId, DuplicateRule, IdfBuilder, MIN_SIMILARITY, MemoryIndex, Scheme,
    Segmenter, Signature, Weighting,
};

/// The names of the methods, in the order of the results.
pub const NAMES: [&str; 6] = [
    "original",
    "improved weights",
    "combined rule",
    "improved: both",
    "default",
    "default at 0.3",
];

/// Largest distance of the original method.
const ORIGINAL: u32 = 3;
/// Largest distance that the combined rule accepts: with equal metadata, 0.9 / (1 + 5) + 0.1 equals its bound of 0.25.
const COMBINED: u32 = 5;

/// All methods, to run on one stream:
///
/// - *original*: words of the dictionary weighed by tf, at most 3 bits apart,
/// - *improved weights*: the same with the weight tf · idf · (1 + len),
/// - *combined rule*: tf, and fingerprints combined with metadata,
/// - *improved*: both,
/// - *default*: the defaults of the crate, at most 10 bits apart and confirmed by a sketch; with the default threshold,
///   and with 0.3.
#[derive(Debug)]
pub struct Methods {
    schemes: [Timed<Analyzer>; 3],
    /// The rules, each with the number of its scheme.
    rules: [(usize, Timed<Deduplicator<MemoryIndex>>); NAMES.len()],
    judged: u64,
}

/// The verdict of a method on a document: the place of the kept document that it repeats, `None` if it is unique and
/// now kept. The place of a document is the number of documents before it.
pub type Repeats = Option<usize>;

/// Time of a method, summed over all documents.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spent {
    /// Time from text and metadata to signature; the same for methods with one scheme.
    pub analyzing: Duration,
    /// Time to search, decide and insert.
    pub deciding: Duration,
}

impl Methods {
    /// Methods with empty indices. `corpus` is the corpus of the idf table.
    ///
    /// # Errors
    /// A scheme or a rule is invalid.
    pub fn new<'a>(corpus: impl Iterator<Item = &'a str>) -> Result<Self, Box<dyn Error>> {
        let tf = Scheme {
            segmenter: Segmenter::Dictionary,
            ..Scheme::default()
        };
        let mut builder = IdfBuilder::new(&tf);
        corpus.for_each(|text| builder.add(text));
        let table = Arc::new(builder.freeze());
        let improved = tf.clone().weighted(Weighting::Improved, Some(table))?;
        let rule = |max_distance, confirm| {
            let rule = DuplicateRule {
                max_distance,
                confirm,
                ..DuplicateRule::default()
            };
            Deduplicator::new(MemoryIndex::new(&rule)?, rule).map(Timed::new)
        };
        let original = || rule(ORIGINAL, Confirm::Distance);
        let combined = || rule(COMBINED, Confirm::PAPER);
        let sketch = |min_similarity| {
            rule(
                DuplicateRule::default().max_distance,
                Confirm::Sketch { min_similarity },
            )
        };
        Ok(Self {
            schemes: [tf, improved, Scheme::default()].map(|scheme| Timed::new(Analyzer::new(&scheme))),
            rules: [
                (0, original()?),
                (1, original()?),
                (0, combined()?),
                (1, combined()?),
                (2, sketch(MIN_SIMILARITY)?),
                (2, sketch(0.3)?),
            ],
            judged: 0,
        })
    }

    /// Gives the next document to each method.
    ///
    /// # Errors
    /// An index cannot be read or written.
    pub fn judge(&mut self, text: &str, metadata: &[String]) -> Result<[Repeats; NAMES.len()], DedupError> {
        let signatures = self.schemes.each_mut().map(|scheme| {
            scheme.run(|analyzer| Signature {
                metadata: analyzer.metadata(metadata.iter().map(String::as_str)),
                ..analyzer.analyze(text)
            })
        });
        let mut repeats = [None; NAMES.len()];
        for ((scheme, rule), repeats) in self.rules.iter_mut().zip(&mut repeats) {
            let verdict = rule.run(|dedup| dedup.check_and_insert(DocId(self.judged), &signatures[*scheme]))?;
            *repeats = verdict.of().map(|of| of.0 as usize);
        }
        self.judged += 1;
        Ok(repeats)
    }

    /// The time that each method has spent so far.
    #[must_use]
    pub fn spent(&self) -> [Spent; NAMES.len()] {
        self.rules.each_ref().map(|(scheme, rule)| Spent {
            analyzing: self.schemes[*scheme].spent,
            deciding: rule.spent,
        })
    }
}

/// A value with the time that work on it took.
#[derive(Debug)]
struct Timed<T> {
    value: T,
    spent: Duration,
}

impl<T> Timed<T> {
    fn new(value: T) -> Self {
        let spent = Duration::ZERO;
        Self { value, spent }
    }

    fn run<R>(&mut self, work: impl FnOnce(&T) -> R) -> R {
        let start = Instant::now();
        let result = work(&self.value);
        self.spent += start.elapsed();
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::documents::Writer;
    use crate::experiment::vocabulary::Vocabulary;

    #[test]
    fn each_method_names_the_repeated_document() {
        let vocabulary = Vocabulary::default();
        let mut writer = Writer::new(&vocabulary, 0, 0, 7);
        let documents = [writer.document(0), writer.document(1)];
        let texts = documents.each_ref().map(|document| document.text());
        // One character more, so that the digests differ.
        let last = texts[0].clone() + "了";
        let mut methods = Methods::new(texts.iter().map(String::as_str)).unwrap();
        let mut judge = |text: &str, of: usize| methods.judge(text, &documents[of].metadata).unwrap();
        assert_eq!(judge(&texts[0], 0), [None; 6]);
        assert_eq!(judge(&texts[1], 1), [None; 6]);
        assert_eq!(judge(&last, 0), [Some(0); 6]);
    }

    #[test]
    fn the_distance_of_the_combined_rule_covers_all_that_it_can_accept() {
        let Confirm::Combined { weight, bound } = Confirm::PAPER else {
            panic!("{:?}", Confirm::PAPER);
        };
        let most = |distance: u32| weight / (1.0 + distance as f32) + (1.0 - weight);
        assert!(most(COMBINED) >= bound && most(COMBINED + 1) < bound);
    }
}
