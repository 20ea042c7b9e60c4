//! What a document is about, and which words it uses where: the evidence against a near-duplicate within one site.
//!
//! The pages of a site often share one long box: "about this dictionary", "working for us", the text of a law. Two entries of a
//! glossary then have nearly the same text, although each defines its own term. No threshold on the whole texts tells them from two
//! versions of one page: these may differ by as much. What tells them apart is where they differ:
//!
//! - **Their headings name different things**: each heading has a word that the other lacks. Copies of a page keep its heading, or add
//!   words to it ("Print: bollard").
//! - **Each page has passages of its own**, full of words that stand nowhere on the other. An edited page has other words here and
//!   there. A copy has a passage of its own on one side at most: a print view lacks one, or adds a line.
//!
//! In a long text, a line that names authors and editors is no passage: it is all that reprints of one press release have of their own.
//!
//! So a [`DuplicateRule`](crate::DuplicateRule) counts the [own words](Subject::own_words) of such a pair, and asks for few on at least
//! one side. The rule looks at two signatures alone. It needs no statistics of the site, so it is right from the second page on, the
//! verdict depends neither on threads nor on pages in between, and every later decision finds the same evidence. A list of the blocks
//! that stand on many pages of the site would have to be learned first, and copies of a page look like a template, too: their blocks
//! stand on many pages.
//!
//! In the documentation of IPython and ServiceComb, up to ten versions of each page, 2 of 2,402 and 1 of 593 pages are kept for this
//! reason: each is about another module or topic than the page that it resembles. Of 960 generated entries of eight kinds (glossary,
//! offers of jobs, persons, parts, events, recipes, flats, versions of a law) in 24 sites, each with one sentence of its own from a small
//! vocabulary in one box of 60 to 400 words, 939 to 949 are kept, and 1 of 864 print views and session copies.
//!
//! # Form
//!
//! ```text
//! text    │ heading and first sentence │ sentence │ …    passages: whole sentences or lines, at least 8 words if there are as many
//! words   │ a b c d e f g h            │ i c j b  │ …    without numbers; pairs of characters of a script without spaces
//! stored  │ a b c d e f g h            │ i j      │ …    each word once, where it stands first, 12 bits of its hash
//! ```
//!
//! The words of the heading are left out of the passages: the first line has them, and they alone make no page.
//!
//! Two words may share their 12 bits, so an own word may be overlooked, at most as often as the other page is rich in words: 7 % for a
//! page of 300 different words. The count is hardly ever too high: a word that a passage repeats from an earlier one counts there.

mod credits;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::hash::{hash_run, hash64, mix};
use crate::normalize::normalize;
use crate::units::{Unit, UnitKind, cut};

/// Bits of a word.
const WORD_BITS: usize = 12;
/// Number of words that differ.
const WORDS: usize = 1 << WORD_BITS;

/// Number of words from which a passage ends with its sentence or line. In a shorter one, one edit would be a large share.
const SHORT_PASSAGE: usize = 8;
/// Number of words at which a passage ends in any case: numbers of words are stored in a byte.
const LONG_PASSAGE: usize = 128;
/// A passage is a page's own if at least one in so many of its words stands nowhere on the other page, and both headings have words of
/// their own. Entries that fill in the same sentence differ in every third to ninth word, an edition in every fiftieth.
const OWN_SHARE: usize = 9;
/// The same if the headings differ in numbers alone: versions of a law, parts of a series, but also copies with a count in the title.
const OWN_SHARE_OF_NUMBERED: usize = 5;

/// Largest number of own words of a heading that count: fewer than the default rule asks for, so that a heading alone makes no page.
const MOST_OF_HEADING: usize = 2;

/// Largest number of different words of a document with a subject. What a longer text shares with another is no box.
const MOST_WORDS: usize = 1_500;
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

/// Group, heading and words of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// Hash of the name of the group.
    group: u32,
    /// Hashes of the words of the heading, ascending, each once.
    heading: Vec<u32>,
    /// The same of its numbers and dates.
    numbers: Vec<u32>,
    passages: Vec<Passage>,
    words: Words,
}

/// The size of a passage, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Passage {
    /// All words.
    all: u8,
    /// Those that stand here first.
    new: u8,
}

impl Subject {
    /// The subject of a document with this text; `None` without a group or a heading, and for a text with very many words.
    #[must_use]
    pub fn new(about: About<'_>, text: &str) -> Option<Self> {
        if about.group.is_empty() {
            return None;
        }
        let (heading, numbers) = heading_words(about.heading);
        if heading.is_empty() && numbers.is_empty() {
            return None;
        }
        let mut passages = Cutter::except(&heading);
        let mut units = Vec::new();
        // One line after the other, because normalisation makes a space of a line end.
        for line in credits::lines_without(text) {
            let line = normalize(line);
            cut(&line, true, &mut units);
            passages.add_line(&line, &units);
        }
        passages.end();
        let Cutter { passages, words, .. } = passages;
        (words.len() <= MOST_WORDS).then(|| Self {
            group: hash64(about.group.as_bytes()) as u32,
            heading,
            numbers,
            passages,
            words: Words(words),
        })
    }

    /// Number of words in passages of its own that each of the two documents has and the other lacks: of the two numbers, the lower one.
    /// `None` if the documents are of different groups, or if one heading has all words of the other.
    #[must_use]
    pub fn own_words(&self, other: &Self) -> Option<u32> {
        if self.group != other.group {
            return None;
        }
        let by_words = has_other(&self.heading, &other.heading) && has_other(&other.heading, &self.heading);
        let share = if by_words {
            OWN_SHARE
        } else if self.names_other(other) && other.names_other(self) {
            OWN_SHARE_OF_NUMBERED
        } else {
            return None;
        };
        Some(self.beyond(other, share).min(other.beyond(self, share)))
    }

    /// Whether the heading has a word or a number that the other heading lacks.
    fn names_other(&self, other: &Self) -> bool {
        has_other(&self.heading, &other.heading) || has_other(&self.numbers, &other.numbers)
    }

    /// Number of words that `other` lacks: in the heading, and in the passages of which they are at least one word in `share`.
    fn beyond(&self, other: &Self, share: usize) -> u32 {
        let known = other.all_words();
        let is_own = |word: &u16| !known.has(*word);
        let mut rest = &self.words.0[..];
        let of_heading = self.heading.iter().filter(|word| is_own(&bits(**word))).count();
        let mut beyond = of_heading.min(MOST_OF_HEADING);
        for passage in &self.passages {
            let (new, later) = rest.split_at(rest.len().min(passage.new.into()));
            let own = new.iter().filter(|word| is_own(word)).count();
            if own * share >= passage.all.into() {
                beyond += own;
            }
            rest = later;
        }
        beyond as u32
    }

    fn all_words(&self) -> Set {
        let mut all = Set::default();
        for word in self
            .heading
            .iter()
            .map(|word| bits(*word))
            .chain(self.words.0.iter().copied())
        {
            all.insert(word);
        }
        all
    }

    /// Group and heading in eight bytes.
    pub(crate) fn label(&self) -> Label {
        let bits = self
            .heading
            .iter()
            .chain(&self.numbers)
            .fold(0_u32, |bits, word| bits | 1 << (word % 32));
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
fn has_other(a: &[u32], b: &[u32]) -> bool {
    a.iter().any(|word| b.binary_search(word).is_err())
}

/// The words of a heading, and its numbers and dates.
fn heading_words(heading: &str) -> (Vec<u32>, Vec<u32>) {
    let heading = normalize(heading);
    let mut units = Vec::new();
    cut(&heading, true, &mut units);
    let (mut words, mut numbers) = (Vec::new(), Vec::new());
    let mut before: Option<Unit> = None;
    for &unit in units.iter().take(MOST_HEADING_WORDS) {
        if unit.is(UnitKind::Date) {
            let date = heading.get(unit.start()..unit.end()).unwrap_or_default();
            numbers.push(hash64(date.as_bytes()) as u32);
            continue;
        }
        let of_kind = if unit.is_number() { &mut numbers } else { &mut words };
        of_kind.push(mix(unit.hash) as u32);
        // Of characters both each one and each pair, so that a shorter heading is a part of a longer one.
        let neighbour = before.filter(|before| before.end() == unit.start());
        words.extend(pair(unit, neighbour).map(|hash| mix(hash) as u32));
        before = Some(unit);
    }
    for list in [&mut words, &mut numbers] {
        list.sort_unstable();
        list.dedup();
    }
    (words, numbers)
}

/// The bits of a word that a passage keeps.
fn bits(word: u32) -> u16 {
    (word % WORDS as u32) as u16
}

/// Two characters, of which the second follows at once.
fn pair(unit: Unit, neighbour: Option<Unit>) -> Option<u64> {
    let before = neighbour.filter(|before| before.is(UnitKind::Character) && unit.is(UnitKind::Character))?;
    Some(hash_run(PAIR, [before.hash, unit.hash]))
}

/// 32 bits of the word that a unit is, or that it makes with the unit that it follows at once. A number is none.
fn word(unit: Unit, neighbour: Option<Unit>) -> Option<u32> {
    let hash = if unit.is(UnitKind::Character) {
        pair(unit, neighbour)?
    } else if unit.is(UnitKind::Word) && !unit.is_number() {
        unit.hash
    } else {
        return None;
    };
    Some(mix(hash) as u32)
}

/// Whether what stands between two words of a line ends a sentence.
fn ends_sentence(between: &str) -> bool {
    between.contains(['.', '!', '?', '。', '！', '？', '।', '؟'])
}

/// Cuts words into passages.
struct Cutter<'a> {
    /// Words that are left out.
    heading: &'a [u32],
    passages: Vec<Passage>,
    words: Vec<u16>,
    seen: Set,
    /// The words of the open passage.
    here: Set,
    all: usize,
    new: usize,
}

impl<'a> Cutter<'a> {
    fn except(heading: &'a [u32]) -> Self {
        Self {
            heading,
            passages: Vec::new(),
            words: Vec::new(),
            seen: Set::default(),
            here: Set::default(),
            all: 0,
            new: 0,
        }
    }

    fn add_line(&mut self, line: &str, units: &[Unit]) {
        let mut before: Option<Unit> = None;
        for &unit in units {
            let end = before.map_or(unit.start(), Unit::end);
            if ends_sentence(line.get(end..unit.start()).unwrap_or_default()) {
                self.end_if_long();
            }
            let neighbour = before.filter(|_| end == unit.start());
            if let Some(word) = word(unit, neighbour).filter(|word| self.heading.binary_search(word).is_err()) {
                self.add(bits(word));
            }
            before = Some(unit);
        }
        self.end_if_long();
    }

    fn add(&mut self, word: u16) {
        if self.here.insert(word) {
            self.all += 1;
            if self.seen.insert(word) {
                self.new += 1;
                self.words.push(word);
            }
        }
        if self.all == LONG_PASSAGE {
            self.end();
        }
    }

    fn end_if_long(&mut self) {
        if self.all >= SHORT_PASSAGE {
            self.end();
        }
    }

    fn end(&mut self) {
        if self.new > 0 {
            self.passages.push(Passage {
                all: self.all as u8,
                new: self.new as u8,
            });
        }
        (self.here, self.all, self.new) = (Set::default(), 0, 0);
    }
}

/// A set of words.
struct Set([u64; WORDS / 64]);

impl Default for Set {
    fn default() -> Self {
        Self([0; WORDS / 64])
    }
}

impl Set {
    /// Returns whether the word is new.
    fn insert(&mut self, word: u16) -> bool {
        let (at, bit) = (usize::from(word) / 64, 1 << (word % 64));
        let is_new = self.0[at] & bit == 0;
        self.0[at] |= bit;
        is_new
    }

    fn has(&self, word: u16) -> bool {
        self.0[usize::from(word) / 64] >> (word % 64) & 1 == 1
    }
}

/// Words of 12 bits, in any order.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Words(Vec<u16>);

impl Words {
    /// Two words in three bytes, the lowest bits first.
    fn encoded(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.0.len().div_ceil(2) * 3);
        for pair in self.0.chunks(2) {
            let both = u32::from(pair[0]) | pair.get(1).map_or(0, |word| u32::from(*word) << WORD_BITS);
            let count = if pair.len() == 2 { 3 } else { 2 };
            bytes.extend_from_slice(&both.to_le_bytes()[..count]);
        }
        bytes
    }

    fn decoded(bytes: &[u8]) -> Self {
        let mut words = Vec::with_capacity(bytes.len() * 2 / 3 + 1);
        for three in bytes.chunks(3) {
            let both = three
                .iter()
                .rev()
                .fold(0_usize, |all, byte| all << 8 | usize::from(*byte));
            words.push((both % WORDS) as u16);
            if three.len() == 3 {
                words.push((both >> WORD_BITS) as u16);
            }
        }
        Self(words)
    }
}

impl Serialize for Words {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.encoded().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::decoded(&Vec::<u8>::deserialize(deserializer)?))
    }
}

#[cfg(test)]
mod tests;
