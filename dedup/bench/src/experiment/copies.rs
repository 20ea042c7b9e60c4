//! Edited copies of documents.

use super::documents::{Document, Sentence};
use super::edits::{Edit, Kind, Unit};
use crate::random::Random;

/// A copy of `original` with an edit of at least one piece. New words and sentences come from `other`. The same
/// percentage of the metadata is replaced by metadata of `other`.
#[must_use]
pub fn edited_copy(edit: Edit, original: &Document, other: &Document, random: &mut Random) -> Document {
    let mut copy = original.clone();
    copy.edit = Some(edit);
    match edit.unit {
        Unit::Sentence => apply(edit, &mut copy.sentences, &other.sentences, random),
        Unit::Word => {
            let strangers: Vec<String> = other.sentences.iter().flatten().cloned().collect();
            let lengths: Vec<usize> = copy.sentences.iter().map(Vec::len).collect();
            let mut words: Vec<String> = copy.sentences.concat();
            apply(edit, &mut words, &strangers, random);
            copy.sentences = cut(words, &lengths);
        }
    }
    for item in &mut copy.metadata {
        if random.below(100) < edit.percent {
            item.clone_from(random.pick(&other.metadata));
        }
    }
    copy
}

/// Edits pieces at random places; new ones come from `strangers`.
fn apply<T: Clone>(edit: Edit, pieces: &mut Vec<T>, strangers: &[T], random: &mut Random) {
    let length = pieces.len();
    let places: Vec<usize> = (0..length).collect();
    let count = (length * edit.percent / 100).max(1);
    let mut places = random.sample(&places, count);
    // From the last to the first, so that an edit does not move the places still to come.
    places.sort_unstable_by(|a, b| b.cmp(a));
    for place in places {
        match edit.kind {
            Kind::Replace => pieces[place] = random.pick(strangers).clone(),
            Kind::Delete => drop(pieces.remove(place)),
            Kind::Insert => pieces.insert(place, random.pick(strangers).clone()),
            Kind::Swap => pieces.swap(place, (place + 1) % length),
        }
    }
}

/// Cuts words into sentences of about these lengths.
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::experiment::documents::Writer;
    use crate::experiment::vocabulary::Vocabulary;

    #[test]
    fn an_edit_changes_its_percentage_of_the_pieces() {
        let vocabulary = Vocabulary::default();
        let mut writer = Writer::new(&vocabulary, 0, 0, 3);
        let (original, other) = (writer.document(0), writer.document(1));
        let words = |document: &Document| document.sentences.concat();
        let mut seen = HashSet::new();
        for n in 0..32 {
            let edit = Edit::nth(n);
            seen.insert(edit.to_string());
            let copy = edited_copy(edit, &original, &other, &mut Random::new(n as u64));
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
