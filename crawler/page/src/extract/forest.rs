//! The model: trees of decisions over the features of a run, whose sum is the log-odds that the run is content.
//!
//! A script makes the trees from pages whose content people marked (`crawler/page/model`), and writes them as text:
//!
//! ```text
//! rule_kept 0 b1_link 31 -1200 -300 after 900
//! ```
//!
//! is a tree in prefix order. A name is a split: the first subtree is for values up to the number, the second for larger ones. A
//! number alone is a leaf, in 4096ths of a unit of log-odds.
//!
//! All trees are filled up to the same depth, so the walk through one is a fixed number of comparisons without a branch.

use std::sync::LazyLock;

use super::features::{FEATURES, NAMES, Row};

/// Depth of a tree.
const DEPTH: usize = 5;

const SPLITS: usize = (1 << DEPTH) - 1;

const LEAVES: usize = 1 << DEPTH;

/// Steps of the table of probabilities in a unit of log-odds.
const STEPS: i32 = 16;

/// Largest log-odds of the table, in units.
const LIMIT: i32 = 7;

/// Units of a leaf in a unit of log-odds.
const LEAF_UNITS: i32 = 4096;

/// The model that is part of the program.
pub(super) static FOREST: LazyLock<Forest> = LazyLock::new(|| Forest::parse(include_str!("../../model/forest.txt")));

#[derive(Debug, Clone, Copy)]
struct Split {
    feature: u16,
    /// Values up to this go left.
    at: i16,
}

/// A complete tree. The children of split `i` are `2 i + 1` and `2 i + 2`.
#[derive(Debug)]
struct Tree {
    splits: [Split; SPLITS],
    leaves: [i32; LEAVES],
}

/// A sum of trees.
#[derive(Debug)]
pub(super) struct Forest {
    trees: Vec<Tree>,
    /// Probabilities by log-odds, from `-LIMIT` to `LIMIT` in steps of one in `STEPS`.
    probabilities: Vec<f64>,
}

impl Forest {
    /// Reads trees, one a line. Lines that begin with `#` are comments.
    ///
    /// # Panics
    /// The text is not a forest. It is a part of the program, and a test reads it.
    fn parse(text: &str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        Self {
            trees: lines.map(Tree::parse).collect(),
            probabilities: probabilities(),
        }
    }

    /// The probability that a run with these features is content.
    pub(super) fn probability(&self, row: &Row) -> f64 {
        let sum: i32 = self.trees.iter().map(|tree| tree.value(row)).sum();
        let step = (sum + LEAF_UNITS / STEPS / 2).div_euclid(LEAF_UNITS / STEPS);
        self.probabilities[(step.clamp(-LIMIT * STEPS, LIMIT * STEPS) + LIMIT * STEPS) as usize]
    }
}

/// The logistic function in steps. Powers by multiplication are the same on every machine, those of a mathematical library are not.
fn probabilities() -> Vec<f64> {
    /// e to the power of one in [`STEPS`].
    const ROOT: f64 = 1.064_494_458_917_859_4;
    let power = |step: i32| (0..step.abs()).fold(1.0, |power, _| power * ROOT);
    (-LIMIT * STEPS..=LIMIT * STEPS)
        .map(|step| {
            let odds = power(step);
            if step < 0 {
                1.0 / (1.0 + odds)
            } else {
                odds / (1.0 + odds)
            }
        })
        .collect()
}

impl Tree {
    fn parse(line: &str) -> Self {
        let mut tree = Self {
            splits: [Split {
                feature: 0,
                at: i16::MAX,
            }; SPLITS],
            leaves: [0; LEAVES],
        };
        let mut words = line.split_ascii_whitespace();
        tree.fill(0, &mut words);
        assert_eq!(words.next(), None, "the line {line:?} goes on after its tree");
        tree
    }

    /// Reads the subtree at a place.
    fn fill<'a>(&mut self, place: usize, words: &mut impl Iterator<Item = &'a str>) {
        let word = words.next().unwrap_or_default();
        if let Ok(leaf) = word.parse() {
            return self.fill_leaves(place, leaf);
        }
        assert!(place < SPLITS, "a tree is deeper than {DEPTH}");
        let feature = NAMES.iter().position(|name| *name == word);
        let at = words.next().and_then(|at| at.parse().ok());
        let (Some(feature), Some(at)) = (feature, at) else {
            panic!("{word:?} is neither a feature with a number nor a leaf");
        };
        debug_assert!(feature < FEATURES);
        self.splits[place] = Split {
            feature: feature as u16,
            at,
        };
        self.fill(2 * place + 1, words);
        self.fill(2 * place + 2, words);
    }

    /// Gives all leaves below a place the same value.
    fn fill_leaves(&mut self, place: usize, leaf: i32) {
        if place >= SPLITS {
            self.leaves[place - SPLITS] = leaf;
        } else {
            self.fill_leaves(2 * place + 1, leaf);
            self.fill_leaves(2 * place + 2, leaf);
        }
    }

    fn value(&self, row: &Row) -> i32 {
        let mut place = 0;
        for _ in 0..DEPTH {
            let split = self.splits[place];
            place = 2 * place + 1 + usize::from(row[usize::from(split.feature)] > split.at);
        }
        self.leaves[place - SPLITS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, value: i16) -> Row {
        let mut row = [0; FEATURES];
        row[NAMES.iter().position(|known| *known == name).unwrap()] = value;
        row
    }

    #[test]
    fn a_tree_is_read_and_walked() {
        let forest = Forest::parse("# a comment\nbytes 3 links 0 -4096 8192 4096\nbytes 7 0 4096");
        for (bytes, links, log_odds) in [(3, 0, -1.0), (3, 1, 2.0), (4, 0, 1.0), (4, 1, 1.0), (8, 0, 2.0)] {
            let mut row = row("bytes", bytes);
            row[NAMES.iter().position(|name| *name == "links").unwrap()] = links;
            let expected = 1.0 / (1.0 + f64::exp(-log_odds));
            assert!((forest.probability(&row) - expected).abs() < 1e-9, "{bytes} {links}");
        }
    }

    #[test]
    fn probabilities_stay_between_0_and_1() {
        let forest = Forest::parse("bytes 0 -100000000 100000000");
        assert!(forest.probability(&row("bytes", 0)) > 0.0);
        assert!(forest.probability(&row("bytes", 1)) < 1.0);
    }

    #[test]
    fn the_model_can_be_read() {
        assert!(!FOREST.trees.is_empty());
    }

    #[test]
    #[should_panic(expected = "is neither a feature")]
    fn an_unknown_feature_is_told() {
        Forest::parse("wisdom 3 0 1");
    }
}
