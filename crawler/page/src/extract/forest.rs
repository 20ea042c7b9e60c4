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
//! Many runs go through a tree together. Neighbours are alike, so they take few ways, and a split is one comparison of two rows of small
//! numbers, which the processor does several at a time.

use std::sync::LazyLock;

use super::features::{FEATURES, NAMES, Row};

/// Runs that go through the trees together.
const LANES: usize = 64;

/// Largest number of splits between the root of a tree and a leaf.
const DEPTH: usize = 5;

/// Steps of the table of probabilities in a unit of log-odds.
const STEPS: i32 = 16;

/// Largest log-odds of the table, in units.
const LIMIT: i32 = 7;

/// Units of a leaf in a unit of log-odds.
const LEAF_UNITS: i32 = 4096;

/// The model that is part of the program.
pub(super) static FOREST: LazyLock<Forest> = LazyLock::new(|| Forest::parse(include_str!("../../model/forest.txt")));

/// The model that is used.
#[cfg(not(feature = "training"))]
pub(super) fn used() -> &'static Forest {
    &FOREST
}

/// The model that is used: another one, while a script tests it.
#[cfg(feature = "training")]
pub(super) fn used() -> &'static Forest {
    OTHER.get().unwrap_or(&FOREST)
}

#[cfg(feature = "training")]
static OTHER: std::sync::OnceLock<Forest> = std::sync::OnceLock::new();

/// Uses another model from now on. Only the first call counts.
#[cfg(feature = "training")]
pub(super) fn replace(text: &str) {
    OTHER.get_or_init(|| Forest::parse(text));
}

/// A split or a leaf.
#[derive(Debug, Clone, Copy)]
enum Node {
    /// Its left subtree follows.
    Split {
        feature: u16,
        /// Values up to this go left.
        at: i16,
        /// The place of the right subtree.
        right: u32,
    },
    Leaf(i16),
}

/// A number for each of some runs.
type Lanes = [i16; LANES];

/// A sum of trees.
#[derive(Debug)]
pub(super) struct Forest {
    /// The trees in prefix order.
    nodes: Vec<Node>,
    /// Where each tree begins.
    trees: Vec<usize>,
    /// Trees whose leaves can be added without an overflow.
    trees_a_sum: usize,
    /// Probabilities by log-odds, from `-LIMIT` to `LIMIT` in steps of one in `STEPS`.
    probabilities: Vec<f64>,
}

impl Forest {
    /// Reads trees, one a line. Lines that begin with `#` are comments.
    ///
    /// # Panics
    /// The text is not a forest. It is a part of the program, and a test reads it.
    fn parse(text: &str) -> Self {
        let mut forest = Self {
            nodes: Vec::new(),
            trees: Vec::new(),
            trees_a_sum: 1,
            probabilities: probabilities(),
        };
        let mut largest = 1;
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            forest.trees.push(forest.nodes.len());
            let mut words = line.split_ascii_whitespace();
            let leaf = forest.read_subtree(&mut words, 0);
            assert_eq!(words.next(), None, "the line {line:?} goes on after its tree");
            largest = largest.max(leaf);
        }
        forest.trees_a_sum = usize::from(i16::MAX as u16 / largest);
        forest
    }

    /// Reads a subtree, and returns the largest amount of its leaves.
    fn read_subtree<'a>(&mut self, words: &mut impl Iterator<Item = &'a str>, depth: usize) -> u16 {
        let word = words.next().unwrap_or_default();
        if let Ok(leaf) = word.parse::<i16>() {
            self.nodes.push(Node::Leaf(leaf));
            return leaf.unsigned_abs();
        }
        assert!(depth < DEPTH, "a tree is deeper than {DEPTH}");
        let feature = NAMES.iter().position(|name| *name == word);
        let at = words.next().and_then(|at| at.parse().ok());
        let (Some(feature), Some(at)) = (feature, at) else {
            panic!("{word:?} is neither a feature with a number nor a leaf");
        };
        debug_assert!(feature < FEATURES);
        let split = self.nodes.len();
        self.nodes.push(Node::Leaf(0));
        let left = self.read_subtree(words, depth + 1);
        self.nodes[split] = Node::Split {
            feature: feature as u16,
            at,
            right: self.nodes.len() as u32,
        };
        left.max(self.read_subtree(words, depth + 1))
    }

    /// The probabilities that runs with these features are content.
    pub(super) fn probabilities(&self, rows: impl ExactSizeIterator<Item = Row>) -> Vec<f64> {
        let mut probabilities = Vec::with_capacity(rows.len());
        let mut columns = [[0; LANES]; FEATURES];
        let mut lanes = 0;
        for row in rows {
            for (column, value) in columns.iter_mut().zip(row) {
                column[lanes] = value;
            }
            lanes += 1;
            if lanes == LANES {
                let sums = self.sums(&columns, lanes);
                probabilities.extend(sums.iter().map(|sum| self.probability(*sum)));
                lanes = 0;
            }
        }
        let sums = self.sums(&columns, lanes);
        probabilities.extend(sums[..lanes].iter().map(|sum| self.probability(*sum)));
        probabilities
    }

    fn probability(&self, sum: i32) -> f64 {
        let step = (sum + LEAF_UNITS / STEPS / 2).div_euclid(LEAF_UNITS / STEPS);
        self.probabilities[(step.clamp(-LIMIT * STEPS, LIMIT * STEPS) + LIMIT * STEPS) as usize]
    }

    /// The log-odds of the first `lanes` runs, in units of a leaf. `columns` has the values of each feature.
    fn sums(&self, columns: &[Lanes; FEATURES], lanes: usize) -> [i32; LANES] {
        let mut sums = [0; LANES];
        let mut all = [0; LANES];
        all[..lanes].fill(-1);
        for trees in self.trees.chunks(self.trees_a_sum) {
            let mut part = [0; LANES];
            for tree in trees {
                self.add(*tree, columns, &all, &mut part);
            }
            for (sum, part) in sums.iter_mut().zip(part) {
                *sum += i32::from(part);
            }
        }
        sums
    }

    /// Adds the leaves of the subtree at `place` to the runs that `mask` lets through: -1 for them, 0 for others.
    fn add(&self, mut place: usize, columns: &[Lanes; FEATURES], mask: &Lanes, sums: &mut Lanes) {
        loop {
            let (feature, at, right_place) = match self.nodes[place] {
                Node::Leaf(leaf) => {
                    for (sum, mask) in sums.iter_mut().zip(mask) {
                        *sum += leaf & mask;
                    }
                    return;
                }
                Node::Split { feature, at, right } => (feature, at, right as usize),
            };
            let column = &columns[usize::from(feature)];
            let (mut left, mut right) = ([0; LANES], [0; LANES]);
            for lane in 0..LANES {
                right[lane] = mask[lane] & -i16::from(column[lane] > at);
                left[lane] = mask[lane] ^ right[lane];
            }
            match (has_any(&left), has_any(&right)) {
                (_, false) => place += 1,
                (false, true) => place = right_place,
                (true, true) => {
                    self.add(place + 1, columns, &left, sums);
                    return self.add(right_place, columns, &right, sums);
                }
            }
        }
    }
}

fn has_any(mask: &Lanes) -> bool {
    mask.iter().fold(0, |any, mask| any | mask) != 0
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

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, value: i16) -> Row {
        let mut row = [0; FEATURES];
        row[NAMES.iter().position(|known| *known == name).unwrap()] = value;
        row
    }

    impl Forest {
        fn probability_of(&self, row: &Row) -> f64 {
            self.probabilities([*row].into_iter())[0]
        }

        /// The log-odds of one run, by a walk through each tree.
        fn walked(&self, row: &Row) -> f64 {
            let mut sum = 0;
            for tree in &self.trees {
                let mut place = *tree;
                sum += loop {
                    match self.nodes[place] {
                        Node::Leaf(leaf) => break i32::from(leaf),
                        Node::Split { feature, at, right } if row[usize::from(feature)] > at => place = right as usize,
                        Node::Split { .. } => place += 1,
                    }
                };
            }
            self.probability(sum)
        }
    }

    proptest::proptest! {
        #[test]
        fn runs_that_go_together_get_what_each_gets_alone(
            rows in proptest::collection::vec(proptest::collection::vec(-1i16..90, FEATURES), 0..80),
        ) {
            let rows: Vec<Row> = rows.into_iter().map(|row| row.try_into().unwrap()).collect();
            let alone: Vec<f64> = rows.iter().map(|row| FOREST.walked(row)).collect();
            proptest::prop_assert_eq!(FOREST.probabilities(rows.into_iter()), alone);
        }
    }

    #[test]
    fn a_tree_is_read_and_walked() {
        let forest = Forest::parse("# a comment\nbytes 3 links 0 -4096 8192 4096\nbytes 7 0 4096");
        for (bytes, links, log_odds) in [(3, 0, -1.0), (3, 1, 2.0), (4, 0, 1.0), (4, 1, 1.0), (8, 0, 2.0)] {
            let mut row = row("bytes", bytes);
            row[NAMES.iter().position(|name| *name == "links").unwrap()] = links;
            let expected = 1.0 / (1.0 + f64::exp(-log_odds));
            assert!((forest.probability_of(&row) - expected).abs() < 1e-9, "{bytes} {links}");
        }
    }

    #[test]
    fn probabilities_stay_between_0_and_1() {
        let forest = Forest::parse("bytes 0 -32000 32000");
        assert!(forest.probability_of(&row("bytes", 0)) > 0.0);
        assert!(forest.probability_of(&row("bytes", 1)) < 1.0);
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
