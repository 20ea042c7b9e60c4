//! The passages that two texts share: runs of tokens that occur in both, at any place.
//!
//! Greedy string tiling (Wise 1993): take the longest run that occurs in both texts, then the longest run in the remaining tokens, and so
//! on down to a least length. No token belongs to two passages. A table of the runs of least length in one text gives the starting
//! points; each run is extended to both sides, once for each diagonal. Tokens are compared in their normalised spelling.
//!
//! Bounds on time and memory: only the first tokens of a very long text count, only the first places of a repeated run, and the search
//! ends after a number of comparisons. If a bound ended the search, there may be more passages, and the result says so.

use std::cmp::Reverse;
use std::collections::hash_map::RandomState;
use std::collections::{BinaryHeap, HashMap};
use std::hash::BuildHasher;
use std::ops::Range;

use dedup::normalize::normalize;
use dedup::segment::{TokenKind, tokens};

/// The passages that two texts share.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Common {
    /// In the order of the left text.
    pub passages: Vec<Passage>,
    /// Number of tokens in the left text.
    pub left_tokens: usize,
    /// Number of tokens in the right text.
    pub right_tokens: usize,
    /// Whether a bound ended the search: there may be more passages.
    pub is_cut: bool,
}

/// A run of tokens that occurs in both texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Its place in the left text, in bytes.
    pub left: Range<usize>,
    /// Its place in the right text, in bytes.
    pub right: Range<usize>,
    /// Number of tokens: words, numbers, characters of scripts without spaces.
    pub tokens: usize,
}

impl Common {
    /// The share of the left text's tokens in passages, 0 to 1; a lower bound if the search [was cut](Self::is_cut).
    #[must_use]
    pub(crate) fn left_share(&self) -> f64 {
        self.share(self.left_tokens)
    }

    /// The share of the right text's tokens in passages, 0 to 1; a lower bound if the search was cut.
    #[must_use]
    pub(crate) fn right_share(&self) -> f64 {
        self.share(self.right_tokens)
    }

    fn share(&self, of: usize) -> f64 {
        let covered: usize = self.passages.iter().map(|passage| passage.tokens).sum();
        covered as f64 / of.max(1) as f64
    }
}

/// The least length of a passage: so many words, or so many characters of scripts without spaces, or a proportional mix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Words and numbers, at least 1.
    pub min_words: usize,
    /// Characters, at least 1.
    pub min_characters: usize,
}

impl Default for Options {
    /// Common phrases have fewer words.
    fn default() -> Self {
        Self {
            min_words: 8,
            min_characters: 16,
        }
    }
}

/// Upper bound on the places of a run in the right text that are compared.
const MAX_PLACES: usize = 64;

/// Upper bound on the comparisons of places or tokens in each of the two steps.
const MAX_WORK: usize = 20_000_000;

/// Upper bound on the tokens of a text that are compared: those of a book of a thousand pages.
pub const MAX_TOKENS: usize = 500_000;

/// Finds the passages that two texts share.
#[must_use]
pub fn common(left: &str, right: &str, options: &Options) -> Common {
    let mut numbers = HashMap::new();
    let (a, b) = (Text::of(left, &mut numbers), Text::of(right, &mut numbers));
    let least = options.min_words.min(options.min_characters).max(1);
    let runs = runs(&a.tokens, &b.tokens, least);
    let is_cut = runs.is_cut || a.is_cut() || b.is_cut();
    let tiles = tile(runs.all, (a.tokens.len(), b.tokens.len()), least, |run| {
        a.is_passage(run.a..run.a + run.length, options)
    });
    let mut taken = tiles.all;
    taken.sort_unstable_by_key(|run| run.a);
    let passage = |run: Run| Passage {
        left: a.place(run.a, run.length),
        right: b.place(run.b, run.length),
        tokens: run.length,
    };
    Common {
        passages: taken.into_iter().map(passage).collect(),
        left_tokens: a.all_tokens,
        right_tokens: b.all_tokens,
        is_cut: is_cut || tiles.is_cut,
    }
}

/// The first [`MAX_TOKENS`] tokens of a text as numbers, equal for equal spellings.
struct Text {
    tokens: Vec<u32>,
    places: Vec<Range<usize>>,
    /// Number of characters among the tokens before each token, and among all tokens.
    characters_before: Vec<usize>,
    /// Number of tokens in the whole text.
    all_tokens: usize,
}

impl Text {
    fn of(text: &str, numbers: &mut HashMap<String, u32>) -> Self {
        let mut this = Self {
            tokens: Vec::new(),
            places: Vec::new(),
            characters_before: vec![0],
            all_tokens: 0,
        };
        let mut characters = 0;
        for token in tokens(text) {
            this.all_tokens += 1;
            if this.all_tokens > MAX_TOKENS {
                continue;
            }
            let spelling = if token.text.is_ascii() {
                token.text.to_ascii_lowercase()
            } else {
                normalize(token.text)
            };
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            this.tokens.push(*numbers.entry(spelling).or_insert(next));
            this.places.push(token.start..token.start + token.text.len());
            characters += usize::from(token.kind == TokenKind::Character);
            this.characters_before.push(characters);
        }
        this
    }

    fn is_cut(&self) -> bool {
        self.tokens.len() < self.all_tokens
    }

    fn place(&self, from: usize, length: usize) -> Range<usize> {
        match self.places.get(from..from + length) {
            Some([only]) => only.clone(),
            Some([first, .., last]) => first.start..last.end,
            _ => 0..0,
        }
    }

    fn is_passage(&self, run: Range<usize>, options: &Options) -> bool {
        let characters = self.characters_before[run.end] - self.characters_before[run.start];
        let words = run.len() - characters;
        // words / min_words + characters / min_characters >= 1
        words * options.min_characters + characters * options.min_words >= options.min_words * options.min_characters
    }
}

/// Tokens from place `a` of one text that equal the tokens from place `b` of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    a: usize,
    b: usize,
    length: usize,
}

/// Runs, and whether there may be more.
struct Runs {
    all: Vec<Run>,
    is_cut: bool,
}

/// The places of all runs of one length in a text, ordered by the hash of the run and then by place. Takes 12 to 16 bytes a token.
struct Places<'a> {
    text: &'a [u32],
    length: usize,
    /// With a random key, so that nobody can write a text whose runs all have the same hash.
    hash: RandomState,
    by_hash: Vec<(u64, u32)>,
}

impl<'a> Places<'a> {
    fn of(text: &'a [u32], length: usize) -> Self {
        let hash = RandomState::new();
        let windows = text.windows(length).zip(0_u32..);
        let mut by_hash: Vec<(u64, u32)> = windows.map(|(run, at)| (hash.hash_one(run), at)).collect();
        by_hash.sort_unstable();
        Self {
            text,
            length,
            hash,
            by_hash,
        }
    }

    /// The first places of a run.
    fn find(&self, run: &[u32]) -> impl Iterator<Item = usize> {
        let hash = self.hash.hash_one(run);
        let first = self.by_hash.partition_point(|(other, _)| *other < hash);
        let alike = self.by_hash[first..]
            .iter()
            .take_while(move |(other, _)| *other == hash);
        let places = alike.map(|(_, at)| *at as usize).take(MAX_PLACES);
        // Two different runs have the same hash once in 2^64.
        places.filter(move |at| self.text[*at..at + self.length] == *run)
    }
}

/// All maximal runs of at least `least` tokens.
fn runs(a: &[u32], b: &[u32], least: usize) -> Runs {
    let mut work = MAX_WORK;
    let places = Places::of(b, least);
    // For each diagonal, the end of its last run in `a`.
    let mut ends = vec![0; a.len() + b.len()];
    let mut all = Vec::new();
    for (at_a, run) in a.windows(least).enumerate() {
        for at_b in places.find(run) {
            let diagonal = at_a + b.len() - at_b;
            let mut steps = 1;
            if ends[diagonal] <= at_a {
                let equal = |(x, y): &(&u32, &u32)| x == y;
                let before = a[..at_a]
                    .iter()
                    .rev()
                    .zip(b[..at_b].iter().rev())
                    .take_while(equal)
                    .count();
                let after = a[at_a..].iter().zip(&b[at_b..]).take_while(equal).count();
                ends[diagonal] = at_a + after;
                all.push(Run {
                    a: at_a - before,
                    b: at_b - before,
                    length: before + after,
                });
                steps += before + after;
            }
            work = work.saturating_sub(steps);
            if work == 0 {
                return Runs { all, is_cut: true };
            }
        }
    }
    Runs { all, is_cut: false }
}

/// Takes the longest run, then the longest run in the remaining tokens, and so on. Among runs of equal length, takes the first in the
/// left text, then in the right.
fn tile(runs: Vec<Run>, (length_a, length_b): (usize, usize), least: usize, is_passage: impl Fn(&Run) -> bool) -> Runs {
    let mut work = MAX_WORK;
    let key = |run: Run| (run.length, Reverse(run.a), Reverse(run.b));
    let mut longest_first: BinaryHeap<_> = runs.into_iter().map(key).collect();
    let (mut is_taken_a, mut is_taken_b) = (vec![false; length_a], vec![false; length_b]);
    let mut taken = Vec::new();
    let mut is_cut = false;
    while let Some((length, Reverse(a), Reverse(b))) = longest_first.pop() {
        if !is_passage(&Run { a, b, length }) {
            // No part of it is a passage either.
            continue;
        }
        if work < length {
            is_cut = true;
            break;
        }
        work -= length;
        let is_free = |at: &usize| !is_taken_a[a + at] && !is_taken_b[b + at];
        let free: Vec<usize> = (0..length).filter(is_free).collect();
        if free.len() == length {
            is_taken_a[a..a + length].fill(true);
            is_taken_b[b..b + length].fill(true);
            taken.push(Run { a, b, length });
            continue;
        }
        for part in free.chunk_by(|x, y| x + 1 == *y) {
            if part.len() >= least {
                longest_first.push(key(Run {
                    a: a + part[0],
                    b: b + part[0],
                    length: part.len(),
                }));
            }
        }
    }
    Runs { all: taken, is_cut }
}

#[cfg(test)]
mod tests;
