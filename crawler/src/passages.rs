//! The passages that two texts have in common: runs of tokens that stand in both, wherever they stand.
//!
//! Greedy string tiling (Wise 1993): of all runs that both texts have the longest is taken, then the longest of what is left
//! of both, and so on down to a least length, so no token belongs to two passages. Runs are found from where the texts have
//! a run of the least length in common (by a table of one text's runs) and extended as far as they go, each once for each
//! diagonal. Tokens are compared in their normalised spelling.
//!
//! Bounded: of a run that one text repeats, the first places count, and past a number of comparisons no more runs are
//! looked for, so texts that consist of repetitions take no longer than others.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
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
    /// The part of the left text's tokens that stand in a passage, 0 to 1.
    #[must_use]
    pub fn left_share(&self) -> f64 {
        self.share(self.left_tokens)
    }

    /// The part of the right text's tokens that stand in a passage, 0 to 1.
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

/// Comparisons of tokens in each of the two steps.
const MAX_WORK: usize = 20_000_000;

/// The passages that two texts have in common.
#[must_use]
pub fn common(left: &str, right: &str, options: &Options) -> Common {
    let mut numbers = HashMap::new();
    let (a, b) = (Text::of(left, &mut numbers), Text::of(right, &mut numbers));
    let least = options.min_words.min(options.min_characters).max(1);
    let runs = runs(&a.tokens, &b.tokens, least);
    let mut taken = tile(runs, (a.tokens.len(), b.tokens.len()), least, |run| {
        a.is_passage(run.a..run.a + run.length, options)
    });
    taken.sort_unstable_by_key(|run| run.a);
    let passage = |run: Run| Passage {
        left: a.place(run.a, run.length),
        right: b.place(run.b, run.length),
        tokens: run.length,
    };
    Common {
        passages: taken.into_iter().map(passage).collect(),
        left_tokens: a.tokens.len(),
        right_tokens: b.tokens.len(),
    }
}

/// A text's tokens by number: the same for the same spelling.
struct Text {
    tokens: Vec<u32>,
    places: Vec<Range<usize>>,
    /// Characters among the tokens before each, and among all.
    characters_before: Vec<usize>,
}

impl Text {
    fn of(text: &str, numbers: &mut HashMap<String, u32>) -> Self {
        let mut this = Self {
            tokens: Vec::new(),
            places: Vec::new(),
            characters_before: vec![0],
        };
        let mut characters = 0;
        for token in tokens(text) {
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

/// All runs of at least so many tokens that go on to neither side.
fn runs(a: &[u32], b: &[u32], least: usize) -> Vec<Run> {
    let mut work = MAX_WORK;
    let mut places: HashMap<&[u32], Vec<usize>> = HashMap::new();
    for (at, run) in b.windows(least).enumerate() {
        let places = places.entry(run).or_default();
        if places.len() < MAX_PLACES {
            places.push(at);
        }
    }
    // By diagonal, where the last run on it ends in `a`.
    let mut ends: HashMap<(bool, usize), usize> = HashMap::new();
    let mut found = Vec::new();
    for (at_a, run) in a.windows(least).enumerate() {
        for &at_b in places.get(run).map_or(&[][..], Vec::as_slice) {
            let diagonal = (at_a < at_b, at_a.abs_diff(at_b));
            if ends.get(&diagonal).is_some_and(|end| *end > at_a) {
                continue;
            }
            let equal = |(x, y): &(&u32, &u32)| x == y;
            let before = a[..at_a]
                .iter()
                .rev()
                .zip(b[..at_b].iter().rev())
                .take_while(equal)
                .count();
            let after = a[at_a..].iter().zip(&b[at_b..]).take_while(equal).count();
            ends.insert(diagonal, at_a + after);
            found.push(Run {
                a: at_a - before,
                b: at_b - before,
                length: before + after,
            });
            work = work.saturating_sub(before + after);
            if work == 0 {
                return found;
            }
        }
    }
    found
}

/// Of the runs the longest, the longest of what is left of both texts, and so on; of equal length the first in the left text,
/// then in the right.
fn tile(
    runs: Vec<Run>,
    (length_a, length_b): (usize, usize),
    least: usize,
    is_passage: impl Fn(&Run) -> bool,
) -> Vec<Run> {
    let mut work = MAX_WORK;
    let key = |run: Run| (run.length, Reverse(run.a), Reverse(run.b));
    let mut longest_first: BinaryHeap<_> = runs.into_iter().map(key).collect();
    let (mut is_taken_a, mut is_taken_b) = (vec![false; length_a], vec![false; length_b]);
    let mut taken = Vec::new();
    while let Some((length, Reverse(a), Reverse(b))) = longest_first.pop() {
        if !is_passage(&Run { a, b, length }) {
            // Nor is any part of it.
            continue;
        }
        if work < length {
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
    taken
}

#[cfg(test)]
mod tests;
