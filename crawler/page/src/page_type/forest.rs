//! The model: for each type a sum of trees of decisions over the features of a page, which is the log-odds of the type but for a constant.
//!
//! A script makes the trees from pages whose type people named (`crawler/page/model`), and writes them as text, one a line:
//!
//! ```text
//! forum of_forum 9 -120 says_discussion 0 300 800
//! ```
//!
//! is a tree of the type `forum` in prefix order. A name is a split: the first subtree is for values up to the number, the second for
//! larger ones. A number alone is a leaf, in 4096ths of a unit of log-odds. Sums of integers are the same on every machine.

use std::sync::LazyLock;

use super::PageType;
use super::row::for_each_feature;
use super::signs::Signs;

/// Depth of a tree.
const DEPTH: usize = 3;

const SPLITS: usize = (1 << DEPTH) - 1;

const LEAVES: usize = 1 << DEPTH;

/// The model that is part of the program.
pub(super) static FOREST: LazyLock<Forest> =
    LazyLock::new(|| Forest::parse(include_str!("../../model/page_types.txt")));

#[derive(Debug, Clone, Copy)]
struct Split {
    feature: usize,
    /// Values up to this go left.
    at: i16,
}

/// A complete tree. The children of split `i` are `2 i + 1` and `2 i + 2`.
#[derive(Debug)]
struct Tree {
    of: usize,
    splits: [Split; SPLITS],
    leaves: [i32; LEAVES],
}

/// Sums of trees.
#[derive(Debug)]
pub(super) struct Forest {
    trees: Vec<Tree>,
}

impl Forest {
    /// Reads trees, one a line. Lines that begin with `#` are comments.
    ///
    /// # Panics
    /// The text is not a forest. It is a part of the program, and a test reads it.
    fn parse(text: &str) -> Self {
        let mut names = Vec::new();
        for_each_feature(&Signs::default(), &mut |part, name, _| {
            names.push(format!("{part}{name}"))
        });
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        Self {
            trees: lines.map(|line| Tree::parse(line, &names)).collect(),
        }
    }

    /// The log-odds of each type, in the order of [`PageType::KNOWN`].
    pub(super) fn sums(&self, row: &[i16]) -> [i32; PageType::KNOWN.len()] {
        let mut sums = [0; PageType::KNOWN.len()];
        for tree in &self.trees {
            sums[tree.of] += tree.value(row);
        }
        sums
    }
}

impl Tree {
    fn parse(line: &str, names: &[String]) -> Self {
        let mut words = line.split_ascii_whitespace();
        let of = words.next().unwrap_or_default();
        let Some(of) = PageType::KNOWN.iter().position(|known| known.name() == of) else {
            panic!("{of:?} is no type of a page");
        };
        let nothing = Split {
            feature: 0,
            at: i16::MAX,
        };
        let mut tree = Self {
            of,
            splits: [nothing; SPLITS],
            leaves: [0; LEAVES],
        };
        tree.fill(0, &mut words, names);
        assert_eq!(words.next(), None, "the line {line:?} goes on after its tree");
        tree
    }

    /// Reads the subtree at a place.
    fn fill<'a>(&mut self, place: usize, words: &mut impl Iterator<Item = &'a str>, names: &[String]) {
        let word = words.next().unwrap_or_default();
        if let Ok(leaf) = word.parse() {
            return self.fill_leaves(place, leaf);
        }
        assert!(place < SPLITS, "a tree is deeper than {DEPTH}");
        let feature = names.iter().position(|name| *name == word);
        let at = words.next().and_then(|at| at.parse().ok());
        let (Some(feature), Some(at)) = (feature, at) else {
            panic!("{word:?} is neither a feature with a number nor a leaf");
        };
        self.splits[place] = Split { feature, at };
        self.fill(2 * place + 1, words, names);
        self.fill(2 * place + 2, words, names);
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

    fn value(&self, row: &[i16]) -> i32 {
        let mut place = 0;
        for _ in 0..DEPTH {
            let split = self.splits[place];
            place = 2 * place + 1 + usize::from(row[split.feature] > split.at);
        }
        self.leaves[place - SPLITS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_add_up_for_each_type() {
        let forest =
            Forest::parse("# a comment\nforum of_forum 3 -7 page_links 0 10 20\nforum of_forum 0 1 2\narticle 5");
        let mut names = Vec::new();
        for_each_feature(&Signs::default(), &mut |part, name, _| {
            names.push(format!("{part}{name}"))
        });
        let at = |name: &str| names.iter().position(|known| known == name).unwrap();
        let place = |kind| PageType::KNOWN.iter().position(|known| *known == kind).unwrap();
        let mut row = vec![0; names.len()];
        for (of_forum, links, sum) in [(0, 0, -6), (3, 0, -5), (4, 0, 12), (4, 1, 22)] {
            (row[at("of_forum")], row[at("page_links")]) = (of_forum, links);
            let sums = forest.sums(&row);
            assert_eq!((sums[place(PageType::Forum)], sums[place(PageType::Article)]), (sum, 5));
        }
    }

    #[test]
    fn the_model_can_be_read_and_knows_every_type() {
        for of in 0..PageType::KNOWN.len() {
            assert!(FOREST.trees.iter().any(|tree| tree.of == of));
        }
    }

    #[test]
    #[should_panic(expected = "is neither a feature")]
    fn an_unknown_feature_is_told() {
        Forest::parse("forum wisdom 3 0 1");
    }
}
