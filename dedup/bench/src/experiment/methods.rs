//! The methods side by side, each a scheme and a rule of the `dedup` crate: it reads a stream of documents, keeps those it
//! calls unique, and names for every other the kept one that it repeats.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dedup::{
    Analyzer, Confirm, DedupError, Deduplicator, DocId, IdfBuilder, MemoryIndex, Rule, Scheme, Segmenter, Weighting,
};

/// The names of [`all`], in their order.
pub const NAMES: [&str; 6] = [
    "original",
    "improved weights",
    "combined rule",
    "improved: both",
    "default",
    "default at 0.3",
];

/// Largest distance of the original.
const ORIGINAL: u32 = 3;
/// Largest distance that the combined rule can accept: with equal metadata 0.9 / (1 + 5) + 0.1 is its bound of 0.25.
const COMBINED: u32 = 5;

/// A method that has kept nothing yet; by [`NAMES`]:
///
/// - *original*: words of the dictionary, weighed by tf, at most 3 bits apart,
/// - *improved weights*: the same, weighed by tf · idf · (1 + len),
/// - *combined rule*: tf, fingerprints and metadata together,
/// - *improved*: both of them,
/// - *default*: the crate's, at most 10 bits apart and confirmed by a sketch; with its own threshold and with a low one.
///
/// The idf is frozen from `corpus`.
///
/// # Errors
/// A scheme or a rule that cannot be.
pub fn all<'a>(corpus: impl Iterator<Item = &'a str>) -> Result<[Method; NAMES.len()], Box<dyn Error>> {
    let tf = Scheme {
        segmenter: Segmenter::Dictionary,
        ..Scheme::default()
    };
    let mut builder = IdfBuilder::new(&tf);
    corpus.for_each(|text| builder.add(text));
    let improved = tf
        .clone()
        .weighted(Weighting::Improved, Some(Arc::new(builder.freeze())))?;
    let rule = |max_distance, confirm| Rule {
        max_distance,
        confirm,
        ..Rule::default()
    };
    let distance = rule(ORIGINAL, Confirm::Distance);
    let combined = rule(COMBINED, Confirm::PAPER);
    let low = Confirm::Sketch { min_similarity: 0.3 };
    Ok([
        Method::new(&tf, distance.clone())?,
        Method::new(&improved, distance)?,
        Method::new(&tf, combined.clone())?,
        Method::new(&improved, combined)?,
        Method::new(&Scheme::default(), Rule::default())?,
        Method::new(
            &Scheme::default(),
            Rule {
                confirm: low,
                ..Rule::default()
            },
        )?,
    ])
}

/// A method.
#[derive(Debug)]
pub struct Method {
    analyzer: Analyzer,
    dedup: Deduplicator<MemoryIndex>,
    judged: u64,
    spent: Spent,
}

/// Time spent, summed over all documents.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spent {
    /// From text and metadata to signature.
    pub analyzing: Duration,
    /// On looking up, deciding and keeping.
    pub deciding: Duration,
}

impl Method {
    fn new(scheme: &Scheme, rule: Rule) -> Result<Self, DedupError> {
        Ok(Self {
            analyzer: Analyzer::new(scheme),
            dedup: Deduplicator::new(MemoryIndex::of_width(scheme.width, &rule)?, rule)?,
            judged: 0,
            spent: Spent::default(),
        })
    }

    /// The place of the kept document that this one repeats, `None` for a document that is unique and now kept; the
    /// place of a document is the number of documents judged before it.
    ///
    /// # Errors
    /// The index cannot be read or written.
    pub fn judge(&mut self, text: &str, metadata: &[String]) -> Result<Option<usize>, DedupError> {
        let start = Instant::now();
        let mut signature = self.analyzer.analyze(text);
        signature.metadata = self.analyzer.metadata(metadata.iter().map(String::as_str));
        let analyzed = Instant::now();
        let verdict = self.dedup.check_and_insert(DocId(self.judged), &signature)?;
        self.judged += 1;
        self.spent.analyzing += analyzed - start;
        self.spent.deciding += analyzed.elapsed();
        Ok(verdict.of().map(|of| of.0 as usize))
    }

    /// So far.
    #[must_use]
    pub fn spent(&self) -> Spent {
        self.spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::documents::Writer;
    use crate::experiment::vocabulary::Vocabulary;

    #[test]
    fn each_method_names_the_document_that_is_repeated() {
        let vocabulary = Vocabulary::default();
        let mut writer = Writer::new(&vocabulary, 0, 0, 7);
        let documents = [writer.document(0), writer.document(1)];
        let texts = documents.each_ref().map(|document| document.text());
        // Not to the letter, or their digests would do.
        let last = texts[0].clone() + "了";
        for (mut method, name) in all(texts.iter().map(String::as_str)).unwrap().into_iter().zip(NAMES) {
            let mut judge = |text: &str, of: usize| method.judge(text, &documents[of].metadata).unwrap();
            assert_eq!(judge(&texts[0], 0), None, "{name}");
            assert_eq!(judge(&texts[1], 1), None, "{name}");
            assert_eq!(judge(&last, 0), Some(0), "{name}");
        }
    }

    #[test]
    fn the_combined_rule_can_accept_no_more_than_it_looks_for() {
        let Confirm::Combined { weight, bound } = Confirm::PAPER else {
            panic!("{:?}", Confirm::PAPER);
        };
        let most = |distance: u32| weight / (1.0 + distance as f32) + (1.0 - weight);
        assert!(most(COMBINED) >= bound && most(COMBINED + 1) < bound);
    }
}
