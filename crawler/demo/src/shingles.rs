//! The oracle for the tests of the truth: the exact Jaccard index over word 5-shingles, with each CJK character as a word.

use std::collections::HashSet;

/// The set of a text's 5-shingles.
pub(super) struct Shingles(HashSet<Vec<String>>);

impl Shingles {
    /// The 5-shingles of the lower-cased words of `text`. A text of fewer words has one shingle with all words.
    pub(super) fn of(text: &str) -> Shingles {
        let words = words(text);
        Shingles(
            words
                .windows(5.min(words.len().max(1)))
                .map(<[String]>::to_vec)
                .collect(),
        )
    }

    /// |A ∩ B| / |A ∪ B|; 0 for two empty sets, because an empty page is never a duplicate.
    pub(super) fn jaccard(&self, other: &Shingles) -> f64 {
        let common = self.0.intersection(&other.0).count();
        let all = self.0.len() + other.0.len() - common;
        if all == 0 { 0.0 } else { common as f64 / all as f64 }
    }
}

fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for c in text.to_lowercase().chars() {
        let cjk = matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}');
        if c.is_alphanumeric() && !cjk {
            word.push(c);
            continue;
        }
        words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        words.extend(cjk.then(|| c.to_string()));
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

#[test]
fn jaccard_is_counted_over_sets_of_five_words() {
    let of = Shingles::of;
    assert_eq!(of("a b c d e f").jaccard(&of("A, b c d e f!")), 1.0);
    assert_eq!(of("a b c d e f").jaccard(&of("a b c d e g")), 1.0 / 3.0);
    assert_eq!(of("你妈妈喊你回").jaccard(&of("你妈妈喊你吃")), 1.0 / 3.0);
    assert_eq!(of("coming soon").jaccard(&of("coming soon")), 1.0);
    assert_eq!(of("").jaccard(&of("")), 0.0);
}
