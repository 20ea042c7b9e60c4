//! Edits of known kind and size: what makes a document similar to another.

use std::fmt;

use super::documents::{Document, Sentence};
use crate::random::Random;

/// What is done to a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Another piece stands in its place.
    Replace,
    /// It goes.
    Delete,
    /// Another piece is put before it.
    Insert,
    /// It changes places with a neighbour.
    Swap,
}

/// What a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// A word.
    Word,
    /// A sentence.
    Sentence,
}

/// An edit: what happens to which share of the pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// What happens.
    pub kind: Kind,
    /// To what.
    pub unit: Unit,
    /// To how many of a hundred.
    pub percent: usize,
}

/// Shares of the pieces, in a hundred.
pub const PERCENTS: [usize; 4] = [2, 5, 10, 20];

impl Edit {
    /// The n-th edit: all kinds of all units and sizes by turns.
    #[must_use]
    pub fn nth(n: usize) -> Self {
        let kinds = [Kind::Replace, Kind::Delete, Kind::Insert, Kind::Swap];
        Self {
            kind: kinds[n % 4],
            unit: [Unit::Word, Unit::Sentence][n / 4 % 2],
            percent: PERCENTS[n / 8 % 4],
        }
    }

    /// A copy of `original` with this edit made, at least once; new words and sentences are those of `other`. As many of a
    /// hundred keywords and cited works are exchanged for others.
    #[must_use]
    pub fn copy(self, original: &Document, other: &Document, random: &mut Random) -> Document {
        let mut copy = original.clone();
        copy.edit = Some(self);
        match self.unit {
            Unit::Sentence => self.apply(&mut copy.sentences, &other.sentences, random),
            Unit::Word => {
                let strangers: Vec<String> = other.sentences.iter().flatten().cloned().collect();
                let ends: Vec<usize> = copy.sentences.iter().map(Vec::len).collect();
                let mut words: Vec<String> = copy.sentences.concat();
                self.apply(&mut words, &strangers, random);
                copy.sentences = cut(words, &ends);
            }
        }
        for item in &mut copy.metadata {
            if random.below(100) < self.percent {
                item.clone_from(random.pick(&other.metadata));
            }
        }
        copy
    }

    fn apply<T: Clone>(self, pieces: &mut Vec<T>, strangers: &[T], random: &mut Random) {
        let length = pieces.len();
        let places: Vec<usize> = (0..length).collect();
        let count = (length * self.percent / 100).max(1);
        let mut places = random.sample(&places, count);
        // From the last to the first, so that a place still means what it meant.
        places.sort_unstable_by(|a, b| b.cmp(a));
        for place in places {
            match self.kind {
                Kind::Replace => pieces[place] = random.pick(strangers).clone(),
                Kind::Delete => drop(pieces.remove(place)),
                Kind::Insert => pieces.insert(place, random.pick(strangers).clone()),
                Kind::Swap => pieces.swap(place, (place + 1) % length),
            }
        }
    }
}

/// Words in sentences about as long as before.
fn cut(words: Vec<String>, lengths: &[usize]) -> Vec<Sentence> {
    let mut words = words.into_iter();
    let mut sentences: Vec<Sentence> = lengths
        .iter()
        .map(|&length| words.by_ref().take(length).collect())
        .collect();
    sentences.push(words.collect());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            Unit::Word => "words",
            Unit::Sentence => "sentences",
        };
        let kind = match self.kind {
            Kind::Replace => "replaced",
            Kind::Delete => "deleted",
            Kind::Insert => "inserted",
            Kind::Swap => "swapped",
        };
        write!(f, "{} % {unit} {kind}", self.percent)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::experiment::documents::Writer;
    use crate::experiment::vocabulary::Vocabulary;

    #[test]
    fn an_edit_changes_as_much_as_it_says() {
        let vocabulary = Vocabulary::default();
        let mut writer = Writer::new(&vocabulary, 0, 0, 3);
        let (original, other) = (writer.document(0), writer.document(1));
        let words = |document: &Document| document.sentences.concat();
        let mut seen = HashSet::new();
        for n in 0..32 {
            let edit = Edit::nth(n);
            seen.insert(edit.to_string());
            let copy = edit.copy(&original, &other, &mut Random::new(n as u64));
            assert_eq!((copy.family, copy.edit), (0, Some(edit)));
            assert_ne!(words(&copy), words(&original), "{edit}");
            if edit.unit == Unit::Word {
                let count = words(&original).len();
                let changed = (count * edit.percent / 100).max(1) as isize;
                let longer = words(&copy).len() as isize - count as isize;
                let expected = match edit.kind {
                    Kind::Delete => -changed,
                    Kind::Insert => changed,
                    Kind::Replace | Kind::Swap => 0,
                };
                assert_eq!(longer, expected, "{edit}");
            }
        }
        assert_eq!(seen.len(), 32);
    }
}
