//! From text to signature, by a scheme.

use std::cell::RefCell;

use crate::dates::date_length;
use crate::hash::{hash_sequence, hash_words, hash64, hash128};
use crate::normalize::normalize;
use crate::scheme::Scheme;
use crate::segment::{Token, TokenKind, tokens};
use crate::signature::{Digest, Signature};
use crate::simhash::of_equal_weights;
use crate::sketch::Sketch;

/// Tokens in a shingle.
pub const SHINGLE: usize = 5;

/// A character of a script without spaces counts as this part of a word against the floor: about 50 words or 300
/// characters of Chinese say enough for a fingerprint.
const CHARACTERS_A_WORD: usize = 6;

/// Turns texts into signatures. Shared by threads; each keeps buffers of its own.
#[derive(Debug, Clone)]
pub struct Analyzer {
    scheme: Scheme,
}

/// A token after masking.
#[derive(Debug, Clone, Copy)]
struct Unit {
    hash: u64,
    kind: TokenKind,
    /// A number, or a word with a digit in it.
    is_number: bool,
}

#[derive(Default)]
struct Scratch {
    units: Vec<Unit>,
    features: Vec<u64>,
    shingles: Vec<u64>,
    numbers: Vec<u64>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Analyzer {
    /// An analyzer by `scheme`.
    #[must_use]
    pub fn new(scheme: &Scheme) -> Self {
        Self { scheme: scheme.clone() }
    }

    /// The signature of `text`.
    #[must_use]
    pub fn analyze(&self, text: &str) -> Signature {
        let text = normalize(text);
        SCRATCH.with_borrow_mut(|scratch| {
            self.units(&text, &mut scratch.units);
            let units = &scratch.units;
            if units.is_empty() {
                return Signature::default();
            }
            shingle_hashes(units, &mut scratch.shingles);
            let mut signature = Signature {
                digest: Some(Digest(hash128(text.as_bytes()))),
                numbers: numbers(units, &mut scratch.numbers),
                tokens: u32::try_from(units.len()).unwrap_or(u32::MAX),
                ..Signature::default()
            };
            if is_long(units, self.scheme.min_words) {
                features(units, &mut scratch.features);
                signature.fingerprint = of_equal_weights(&scratch.features);
                signature.sketch = Sketch::new(&scratch.shingles);
            } else if units.len() >= SHINGLE {
                // Fewer tokens than a shingle are compared as a whole: by their digest.
                scratch.shingles.sort_unstable();
                scratch.shingles.dedup();
                signature.shingles.clone_from(&scratch.shingles);
            }
            signature
        })
    }

    fn units(&self, text: &str, units: &mut Vec<Unit>) {
        units.clear();
        if !self.scheme.mask_dates {
            return units.extend(tokens(text).map(|token| unit(&token)));
        }
        // A date is at most this many tokens long, so no more are looked at ahead.
        const AHEAD: usize = 6;
        let date = hash64(b"<date>");
        let mut window: Vec<Token<'_>> = Vec::with_capacity(2 * AHEAD);
        let mut all = tokens(text);
        let mut at = 0;
        loop {
            if window.len() < at + AHEAD {
                window.drain(..at);
                at = 0;
                window.extend(all.by_ref().take(AHEAD * 8));
            }
            let Some(token) = window.get(at) else { return };
            match date_length(text, &window[at..]) {
                0 => {
                    units.push(unit(token));
                    at += 1;
                }
                length => {
                    units.push(Unit {
                        hash: date,
                        kind: TokenKind::Word,
                        is_number: false,
                    });
                    at += length;
                }
            }
        }
    }
}

fn unit(token: &Token<'_>) -> Unit {
    let has_digit = || token.text.bytes().any(|b| b.is_ascii_digit());
    Unit {
        hash: hash64(token.text.as_bytes()),
        kind: token.kind,
        is_number: token.kind == TokenKind::Number || token.kind == TokenKind::Word && has_digit(),
    }
}

/// Whether there are enough words, characters counting less.
fn is_long(units: &[Unit], min_words: usize) -> bool {
    let characters = units.iter().filter(|unit| unit.kind == TokenKind::Character).count();
    units.len() - characters + characters / CHARACTERS_A_WORD >= min_words
}

/// Words, numbers and dates each a feature; of characters the pairs of neighbours, a lone one by itself. Every
/// occurrence counts, so the weight of a feature is its frequency.
fn features(units: &[Unit], features: &mut Vec<u64>) {
    features.clear();
    let is_character = |at: usize| {
        units
            .get(at)
            .is_some_and(|unit: &Unit| unit.kind == TokenKind::Character)
    };
    for (at, unit) in units.iter().enumerate() {
        if unit.kind != TokenKind::Character {
            features.push(unit.hash);
        } else if is_character(at + 1) {
            features.push(hash_sequence([unit.hash, units[at + 1].hash]));
        } else if at == 0 || !is_character(at - 1) {
            features.push(unit.hash);
        }
    }
}

/// The hash of every run of [`SHINGLE`] tokens; of the whole where there are fewer.
fn shingle_hashes(units: &[Unit], shingles: &mut Vec<u64>) {
    shingles.clear();
    if units.len() < SHINGLE {
        let hashes: Vec<u64> = units.iter().map(|unit| unit.hash).collect();
        shingles.push(hash_words(&hashes));
    } else {
        let runs = units.array_windows::<SHINGLE>();
        shingles.extend(runs.map(|run| hash_sequence(run.map(|unit| unit.hash))));
    }
}

fn numbers(units: &[Unit], numbers: &mut Vec<u64>) -> u64 {
    numbers.clear();
    numbers.extend(units.iter().filter(|unit| unit.is_number).map(|unit| unit.hash));
    numbers.sort_unstable();
    hash_words(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::Fingerprint;
    use proptest::prelude::*;

    fn analyze(text: &str) -> Signature {
        Analyzer::new(&Scheme::default()).analyze(text)
    }

    /// As if there were no floor.
    fn fingerprint_of(text: &str) -> Fingerprint {
        let scheme = Scheme {
            min_words: 0,
            ..Scheme::default()
        };
        Analyzer::new(&scheme).analyze(text).fingerprint.unwrap()
    }

    fn long(seed: &str) -> String {
        (0..80).map(|n| format!("{seed}{} ", n * 7 % 53)).collect()
    }

    #[test]
    fn the_sources_sentences_are_near_and_far_as_they_say() {
        let cat = fingerprint_of("the cat sat on the mat");
        let near = cat.distance(fingerprint_of("the cat sat on a mat"));
        let far = cat.distance(fingerprint_of("we all scream for ice cream"));
        assert!(near < far && far - near >= 6, "{near} {far}");
        let call = fingerprint_of("你妈妈喊你回家吃饭哦，回家罗回家罗");
        let near = call.distance(fingerprint_of("你妈妈叫你回家吃饭啦，回家罗回家罗"));
        let far = call.distance(fingerprint_of("美国51区雇员称内部有9架飞碟，曾看见灰色外星人"));
        assert!(near < 20 && near + 6 <= far, "{near} {far}");
    }

    #[test]
    fn fingerprints_are_pinned() {
        // A change here breaks every store: raise VERSION with it.
        assert_eq!(fingerprint_of("the cat sat on the mat").to_string(), PINNED_ENGLISH);
        assert_eq!(
            fingerprint_of("你妈妈喊你回家吃饭哦，回家罗回家罗").to_string(),
            PINNED_CHINESE
        );
        let signature = analyze(&long("word"));
        assert_eq!(format!("{:032x}", signature.digest.unwrap().0), PINNED_DIGEST);
        assert_eq!(signature.fingerprint.unwrap().to_string(), PINNED_LONG);
    }

    const PINNED_ENGLISH: &str = "cb10034311d3346d";
    const PINNED_CHINESE: &str = "631fbb104b490379";
    const PINNED_DIGEST: &str = "1b58149d76f36ae55e1243cbffee3e0f";
    const PINNED_LONG: &str = "9974b48c6ca8710f";

    #[test]
    fn a_text_without_a_token_has_no_trace() {
        for text in ["", " \n\t", "*** — !!! …"] {
            assert_eq!(analyze(text), Signature::default(), "{text:?}");
        }
    }

    #[test]
    fn short_texts_have_shingles_and_no_fingerprint() {
        let short = analyze("only a handful of words stand here");
        assert_eq!((short.tokens, short.shingles.len()), (7, 3));
        assert!(short.fingerprint.is_none() && short.sketch.is_none() && short.digest.is_some());
        let tiny = analyze("four words stand here");
        assert!(tiny.shingles.is_empty() && tiny.digest.is_some());
        let chinese = analyze(&"天地玄黄宇宙洪荒".repeat(30));
        assert!(chinese.fingerprint.is_none() && !chinese.shingles.is_empty());
    }

    #[test]
    fn long_texts_have_a_fingerprint_and_no_shingles() {
        let signature = analyze(&long("word"));
        assert!(signature.fingerprint.is_some() && signature.sketch.is_some() && signature.shingles.is_empty());
        assert!(analyze(&"天地玄黄宇宙洪荒".repeat(40)).fingerprint.is_some());
    }

    #[test]
    fn only_the_digest_sees_a_date() {
        let a = analyze(&format!("{} as of 5 March 2024, 12:30", long("word")));
        let b = analyze(&format!("{} as of 6 April 2025, 9:15", long("word")));
        assert_ne!(a.digest, b.digest);
        assert_eq!(
            (a.fingerprint, a.sketch, a.numbers),
            (b.fingerprint, b.sketch, b.numbers)
        );
    }

    #[test]
    fn a_date_is_masked_wherever_the_window_of_the_recogniser_falls() {
        for before in 0..60 {
            let text = format!("{}5 March 2024 {}", "x ".repeat(before), "y ".repeat(10));
            let other = format!("{}7 April 2025 {}", "x ".repeat(before), "y ".repeat(10));
            assert_eq!(analyze(&text).shingles, analyze(&other).shingles, "{before}");
        }
    }

    #[test]
    fn numbers_are_compared_without_their_order() {
        let numbers = |text: &str| analyze(text).numbers;
        assert_eq!(numbers("a 12 b 1,299.00 c x200"), numbers("x200 1,299.00 and 12"));
        assert_ne!(numbers("price 12"), numbers("price 13"));
        assert_ne!(numbers("12 12"), numbers("12"));
        assert_eq!(numbers("no number"), numbers("none at all"));
    }

    proptest! {
        #[test]
        fn any_text_has_a_signature_and_it_does_not_depend_on_spacing(text in any::<String>()) {
            let signature = analyze(&text);
            prop_assert_eq!(&signature, &analyze(&format!("  {text}\n")));
            prop_assert!(signature.shingles.is_sorted());
        }
    }
}
