//! What a document is about, and which words it uses: the evidence against a near-duplicate within one site.
//!
//! The pages of a site often share one long box: "about this dictionary", "working for us", the text of a law. Two entries of a
//! glossary then have nearly the same text, although each defines its own term. No threshold on the whole texts tells them from two
//! copies of one page: a copy may differ by as much. What tells them apart is where they differ:
//!
//! - **Their headings name different things**: each heading has a word that the other lacks. Copies of a page keep its heading, or add
//!   words to it ("Print: bollard").
//! - **Each page has words of its own**, that stand nowhere on the other. A copy has them on one side at most: a print view lacks
//!   words, or adds a line.
//!
//! So a [`DuplicateRule`](crate::DuplicateRule) counts the [own words](Subject::own_words) of such a pair, and asks for few on at least
//! one side. The rule looks at two signatures alone. It needs no statistics of the site, so it is right from the second page on, the
//! verdict depends neither on threads nor on pages in between, and every later decision finds the same evidence. A list of the blocks
//! that stand on many pages of the site would have to be learned first, and copies of a page look like a template, too: their blocks
//! stand on many pages.
//!
//! Of the 3,475 pairs of duplicates (Jaccard index of at least 0.8) in the documentation of IPython and ServiceComb, which hold up to ten
//! versions of each page, the headings and own words part 15. All of them are pages about different modules.
//!
//! # Form
//!
//! The words are bits of a set of [`WORD_BITS`]. Two words may share a bit, so a word of its own may be overlooked, at most as often as
//! the set of the other page is dense: 7 % for a page of 300 different words. The count is never too high. A subject takes at most
//! 560 bytes in a signature, usually 200 to 350.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::hash::{hash_run, hash64, mix};
use crate::normalize::normalize;
use crate::units::{Unit, UnitKind, cut};

/// Number of bits of the set of words.
pub const WORD_BITS: usize = 4_096;
const WORDS: usize = WORD_BITS / 64;

/// Largest number of words of a heading that count. A longer one is no heading but a text.
const MOST_HEADING_WORDS: usize = 24;

/// The kind of [`hash_run`] for two neighbouring characters.
const PAIR: u64 = 0x7061_6972;

/// Where a document stands and how its heading reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About<'a> {
    /// The name of the group whose documents may share a template, such as the host of a page. Empty: none.
    pub group: &'a str,
    /// The heading or the title. Empty: none.
    pub heading: &'a str,
}

/// Group, heading and words of a document; made by [`Analyzer::analyze_about`](crate::Analyzer::analyze_about).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// Hash of the name of the group.
    group: u32,
    /// Hashes of the words of the heading, ascending, each once.
    heading: Vec<u16>,
    words: WordSet,
}

impl Subject {
    /// The subject of a document with these units; `None` without a group or a heading.
    pub(crate) fn new(about: About<'_>, units: &[Unit]) -> Option<Self> {
        if about.group.is_empty() {
            return None;
        }
        let heading = heading_words(about.heading);
        (!heading.is_empty()).then(|| Self {
            group: hash64(about.group.as_bytes()) as u32,
            heading,
            words: WordSet::new(units),
        })
    }

    /// Number of words that each of the two documents has and the other lacks: of the two numbers, the lower one. Numbers do not count;
    /// in scripts without spaces, pairs of neighbouring characters count. `None` if the documents are of different groups, or if one
    /// heading has all words of the other.
    #[must_use]
    pub fn own_words(&self, other: &Self) -> Option<u32> {
        let name_different_things = self.group == other.group
            && has_other(&self.heading, &other.heading)
            && has_other(&other.heading, &self.heading);
        name_different_things.then(|| self.words.beyond(&other.words).min(other.words.beyond(&self.words)))
    }

    /// Group and heading in eight bytes.
    pub(crate) fn label(&self) -> Label {
        let bits = self.heading.iter().fold(0_u32, |bits, word| bits | 1 << (word % 32));
        Label {
            group: self.group,
            heading: bits,
        }
    }
}

/// What [`Subject::own_words`] asks before it counts, in little memory. It may overlook that two headings name different things, and
/// never says so wrongly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Label {
    group: u32,
    /// One bit for each word; 0 for a document without a subject.
    heading: u32,
}

impl Label {
    /// Whether the documents are of one group and their headings name different things.
    pub(crate) fn is_otherwise(self, other: Self) -> bool {
        self.group == other.group && self.heading & !other.heading != 0 && other.heading & !self.heading != 0
    }
}

/// Whether `a` has an element that is not in `b`. Both ascend.
fn has_other(a: &[u16], b: &[u16]) -> bool {
    a.iter().any(|word| b.binary_search(word).is_err())
}

fn heading_words(heading: &str) -> Vec<u16> {
    let heading = normalize(heading);
    let mut units = Vec::new();
    cut(&heading, false, &mut units);
    let hashes = units.iter().take(MOST_HEADING_WORDS);
    let mut words: Vec<u16> = hashes.map(|unit| mix(unit.hash) as u16).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// A set of words, one bit for each.
#[derive(Debug, Clone, PartialEq, Eq)]
struct WordSet(Box<[u64; WORDS]>);

impl WordSet {
    fn new(units: &[Unit]) -> Self {
        let mut set = Self(Box::new([0; WORDS]));
        let mut before: Option<Unit> = None;
        for &unit in units {
            let is_character = unit.is(UnitKind::Character);
            if is_character {
                let neighbour = before.filter(|before| before.is(UnitKind::Character) && before.end() == unit.start());
                if let Some(neighbour) = neighbour {
                    set.insert(hash_run(PAIR, [neighbour.hash, unit.hash]));
                }
            } else if unit.is(UnitKind::Word) && !unit.is_number() {
                set.insert(unit.hash);
            }
            before = Some(unit);
        }
        set
    }

    fn insert(&mut self, hash: u64) {
        let bit = mix(hash) as usize % WORD_BITS;
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    /// Number of elements that are not in `other`.
    fn beyond(&self, other: &Self) -> u32 {
        self.0.iter().zip(&*other.0).map(|(a, b)| (a & !b).count_ones()).sum()
    }

    fn bits(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(at, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(at * 64 + bit)
            })
        })
    }

    /// The gaps between the bits, a byte each, where that is shorter than the bits. A byte of 255 stands for 255 bits without an element.
    fn encoded(&self) -> Vec<u8> {
        let (mut gaps, mut from) = (Vec::new(), 0);
        for bit in self.bits() {
            let mut gap = bit - from;
            while gap >= usize::from(u8::MAX) {
                gaps.push(u8::MAX);
                gap -= usize::from(u8::MAX);
            }
            gaps.push(gap as u8);
            from = bit + 1;
        }
        if gaps.len() < WORD_BITS / 8 {
            return gaps;
        }
        self.0.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// `None` for bytes that no set is encoded as.
    fn decoded(bytes: &[u8]) -> Option<Self> {
        let mut set = Self(Box::new([0; WORDS]));
        if bytes.len() == WORD_BITS / 8 {
            for (word, eight) in set.0.iter_mut().zip(bytes.as_chunks::<8>().0) {
                *word = u64::from_le_bytes(*eight);
            }
            return Some(set);
        }
        let mut at = 0;
        for &gap in bytes {
            at += usize::from(gap);
            if gap < u8::MAX {
                let word = set.0.get_mut(at / 64)?;
                *word |= 1 << (at % 64);
                at += 1;
            }
        }
        Some(set)
    }
}

impl Serialize for WordSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.encoded().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for WordSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = Vec::<u8>::deserialize(deserializer)?;
        Self::decoded(&bytes).ok_or_else(|| serde::de::Error::custom("the bytes of a set of words"))
    }
}

#[cfg(test)]
mod tests;
