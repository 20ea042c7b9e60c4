//! The passages that two texts have in common: runs of tokens that stand in both, wherever they stand.
//!
//! Greedy string tiling (Wise 1993): of all runs that both texts have the longest is taken, then the longest of what is left
//! of both, and so on down to a least length, so no token belongs to two passages. Runs are found from where the texts have
//! a run of the least length in common (by a table of one text's runs) and extended as far as they go, each once for each
//! diagonal. Tokens are compared in their normalised spelling.
//!
//! Bounded in time and memory: of a very long text the first tokens count, of a run that one text repeats the first places,
//! and past a number of comparisons no more runs are looked for. Where a bound ended the search there may be more passages
//! than those found, and the result says so.

use std::cmp::Reverse;
use std::collections::hash_map::RandomState;
use std::collections::{BinaryHeap, HashMap};
use std::hash::BuildHasher;
use std::ops::Range;

use dedup::normalize::normalize;
use dedup::segment::{TokenKind, tokens};

/// What two texts have in common.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Common {
    /// In the order of the left text.
    pub passages: Vec<Passage>,
    /// Tokens of the left text.
    pub left_tokens: usize,
    /// Tokens of the right text.
    pub right_tokens: usize,
    /// Whether a bound ended the search: there may be more passages.
    pub is_cut: bool,
}

/// A run of tokens that stands in both texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Where it stands in the left text, bytes.
    pub left: Range<usize>,
    /// Where it stands in the right text, bytes.
    pub right: Range<usize>,
    /// How many tokens it has: words, numbers, characters of scripts without spaces.
    pub tokens: usize,
}

impl Common {
    /// The part of the left text's tokens that stand in a passage, 0 to 1; at least, where the search [was cut](Self::is_cut).
    #[must_use]
    pub fn left_share(&self) -> f64 {
        self.share(self.left_tokens)
    }

    /// As [`left_share`](Self::left_share) of the right text's.
    #[must_use]
    pub fn right_share(&self) -> f64 {
        self.share(self.right_tokens)
    }

    fn share(&self, of: usize) -> f64 {
        let covered: usize = self.passages.iter().map(|passage| passage.tokens).sum();
        covered as f64 / of.max(1) as f64
    }
}

/// What counts as a passage: as many words, or as many characters of scripts without spaces, or part of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Words and numbers, at least 1.
    pub min_words: usize,
    /// Characters, at least 1.
    pub min_characters: usize,
}

impl Default for Options {
    /// Fewer words are a turn of phrase.
    fn default() -> Self {
        Self {
            min_words: 8,
            min_characters: 16,
        }
    }
}

/// Places of a run in the right text that are looked at.
const MAX_PLACES: usize = 64;

/// Comparisons in each of the two steps, of places or of tokens.
const MAX_WORK: usize = 20_000_000;

/// Tokens of a text that are looked at: those of a book of a thousand pages.
pub const MAX_TOKENS: usize = 500_000;

/// The passages that two texts have in common.
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

/// The first [`MAX_TOKENS`] tokens of a text, by number: the same for the same spelling.
struct Text {
    tokens: Vec<u32>,
    places: Vec<Range<usize>>,
    /// Characters among the tokens before each, and among all.
    characters_before: Vec<usize>,
    /// Tokens of the whole text.
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
            let spelling = match token.text.is_ascii() {
                true => token.text.to_ascii_lowercase(),
                false => normalize(token.text),
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

/// Tokens from `a` of one text that are those from `b` of the other.
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

/// Where a text has which run of so many tokens: a list in the order of the runs' hashes, then of the places. Twelve to
/// sixteen bytes a token.
struct Places<'a> {
    text: &'a [u32],
    length: usize,
    /// Keyed at random: nobody can write a text whose runs have all the same hash.
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
        // Of runs that differ the hashes do as well, but for one in 2^64.
        places.filter(move |at| self.text[*at..at + self.length] == *run)
    }
}

/// All runs of at least so many tokens that go on to neither side.
fn runs(a: &[u32], b: &[u32], least: usize) -> Runs {
    let mut work = MAX_WORK;
    let places = Places::of(b, least);
    // By diagonal, where the last run on it ends in `a`.
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

/// Of the runs the longest, the longest of what is left of both texts, and so on; of equal length the first in the left text,
/// then in the right.
fn tile(runs: Vec<Run>, (length_a, length_b): (usize, usize), least: usize, is_passage: impl Fn(&Run) -> bool) -> Runs {
    let mut work = MAX_WORK;
    let key = |run: Run| (run.length, Reverse(run.a), Reverse(run.b));
    let mut longest_first: BinaryHeap<_> = runs.into_iter().map(key).collect();
    let (mut is_taken_a, mut is_taken_b) = (vec![false; length_a], vec![false; length_b]);
    let mut taken = Vec::new();
    let mut is_cut = false;
    while let Some((length, Reverse(a), Reverse(b))) = longest_first.pop() {
        if !is_passage(&Run { a, b, length }) {
            // Nor is any part of it.
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
