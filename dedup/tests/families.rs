//! Thousands of look-alikes: every index gives the verdicts of a comparison with all documents, and reads the signatures
//! of few of them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use dedup::{
    Confirm, DedupError, Deduplicator, Digest, DocId, DuplicateRule, Fingerprint, Index, MemoryIndex, Neighbour,
    Signature, Sketch, SledIndex, SledOptions, Verdict,
};

/// Documents of a family.
const DOCUMENTS: u64 = 1_000;

/// Pseudo-random numbers (SplitMix64), equal in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// A page of a template: up to five bits of the fingerprint and up to `flips` bits of the sketch are its own.
fn long(random: &mut Random, flips: u64) -> Signature {
    let mut bits = 0x0123_4567_89ab_cdef_u64;
    (0..random.below(6)).for_each(|_| bits ^= 1 << random.below(64));
    let mut sketch = [0x5a_u8; 128];
    (0..random.below(flips)).for_each(|_| sketch[random.below(128) as usize] ^= 1 << random.below(8));
    Signature {
        digest: Some(Digest(u128::from(random.next()))),
        fingerprint: Some(Fingerprint::from(bits)),
        sketch: Some(Sketch::try_from(sketch.as_slice()).unwrap()),
        metadata: Sketch::new(&[random.below(3)]),
        numbers: random.below(4),
        ..Signature::default()
    }
}

/// A short page of a template: it lacks some of 40 common shingles and has some of its own. Every fourth has a
/// fingerprint.
fn short(random: &mut Random) -> Signature {
    let missing = random.below(6);
    let common = (missing..40).map(|shingle| shingle.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let own: Vec<u64> = (0..random.below(20)).map(|_| random.next()).collect();
    let mut shingles: Vec<u64> = common.chain(own).collect();
    shingles.sort_unstable();
    let page = match random.below(4) {
        0 => long(random, 500),
        _ => Signature::default(),
    };
    Signature {
        digest: Some(Digest(u128::from(random.next()))),
        numbers: random.below(4),
        shingles,
        ..page
    }
}

/// The verdict by a comparison with every document.
fn by_comparison(kept: &BTreeMap<DocId, Signature>, rule: &DuplicateRule, query: &Signature) -> Verdict {
    let found = kept.iter().filter_map(|(id, other)| {
        let distance = query.fingerprint.zip(other.fingerprint).map(|(a, b)| a.distance(b));
        let similarity = match distance {
            Some(distance) => rule.confirms(query, other, distance),
            None if query.shingles.is_empty() || other.shingles.is_empty() => None,
            None => rule.confirms_short(query, other),
        };
        similarity.map(|similarity| (similarity, distance, *id))
    });
    let order = |(similarity, distance, id): &(f32, Option<u32>, DocId)| {
        ((f64::from(*similarity) * 1e9) as u64, Reverse(*distance), Reverse(*id))
    };
    match found.max_by_key(order) {
        Some((similarity, distance, of)) => Verdict::Near {
            of,
            distance,
            similarity,
        },
        None => Verdict::Unique,
    }
}

fn in_sled(db: &sled::Db, rule: &DuplicateRule) -> Deduplicator<SledIndex> {
    let options = SledOptions {
        // A part of the documents is in the log, the others are in the trees.
        recent_documents: 500,
        ..SledOptions::default()
    };
    let index = SledIndex::open_with(db, "test", rule, options).unwrap();
    Deduplicator::new(index, rule.clone()).unwrap()
}

/// Gives every document to every index, with removals and one reopening, and compares the verdicts.
fn every_verdict_is_exact(rule: &DuplicateRule, documents: impl Iterator<Item = Signature>) -> [usize; 2] {
    let folder = tempfile::tempdir().unwrap();
    let db = sled::open(folder.path()).unwrap();
    let mut sled = in_sled(&db, rule);
    let in_memory = Deduplicator::new(MemoryIndex::new(rule).unwrap(), rule.clone()).unwrap();
    let mut kept = BTreeMap::new();
    let mut near = 0;
    for (id, document) in (1..).map(DocId).zip(documents) {
        let expected = by_comparison(&kept, rule, &document);
        assert_eq!(in_memory.check_and_insert(id, &document).unwrap(), expected, "{id:?}");
        assert_eq!(sled.check_and_insert(id, &document).unwrap(), expected, "{id:?}");
        match expected {
            Verdict::Unique => {
                kept.insert(id, document);
            }
            _ => near += 1,
        }
        if id.0 % 97 == 0 {
            let gone = DocId(id.0 / 2);
            let was_there = kept.remove(&gone).is_some();
            assert_eq!(in_memory.remove(gone).unwrap(), was_there);
            assert_eq!(sled.remove(gone).unwrap(), was_there);
        }
        if id.0 % 150 == 0 {
            sled.index_mut().persist(id.0).unwrap();
        }
        if id.0 == 900 {
            drop(sled);
            sled = in_sled(&db, rule);
        }
    }
    [kept.len(), near]
}

#[test]
fn every_verdict_on_look_alikes_is_exact() {
    let rules = [
        DuplicateRule::default(),
        DuplicateRule {
            numbers_must_match: true,
            ..DuplicateRule::default()
        },
        DuplicateRule {
            confirm: Confirm::Sketch { min_similarity: 0.95 },
            max_distance: 7,
            ..DuplicateRule::default()
        },
        DuplicateRule {
            confirm: Confirm::PAPER,
            ..DuplicateRule::default()
        },
        DuplicateRule {
            confirm: Confirm::Distance,
            max_distance: 3,
            ..DuplicateRule::default()
        },
    ];
    for rule in rules {
        let mut random = Random(1);
        let flips = if rule.numbers_must_match { 100 } else { 600 };
        let documents = (0..DOCUMENTS).map(|_| long(&mut random, flips));
        let [kept, near] = every_verdict_is_exact(&rule, documents);
        assert!(near > 10 && kept > 1, "{rule}: {kept} kept, {near} near");
    }
}

#[test]
fn every_verdict_on_short_look_alikes_is_exact() {
    for numbers_must_match in [false, true] {
        let rule = DuplicateRule {
            numbers_must_match,
            ..DuplicateRule::default()
        };
        let mut random = Random(2);
        let documents = (0..DOCUMENTS).map(|_| short(&mut random));
        let [kept, near] = every_verdict_is_exact(&rule, documents);
        assert!(near > 10 && kept > 500, "{kept} kept, {near} near");
    }
}

/// An index that counts the signatures that are read.
struct Counting<I> {
    index: I,
    read: Cell<usize>,
}

impl<I: Index> Index for Counting<I> {
    fn finds_all_of(&self, rule: &DuplicateRule) -> bool {
        self.index.finds_all_of(rule)
    }

    fn exact(&self, digest: Digest) -> Result<Option<DocId>, DedupError> {
        self.index.exact(digest)
    }

    fn near(&self, fingerprint: Fingerprint, found: &mut Vec<Neighbour>) -> Result<(), DedupError> {
        self.index.near(fingerprint, found)
    }

    fn candidates(
        &self,
        query: &Signature,
        rule: &DuplicateRule,
        found: &mut Vec<Neighbour>,
    ) -> Result<(), DedupError> {
        self.index.candidates(query, rule, found)
    }

    fn short_candidates(
        &self,
        query: &Signature,
        rule: &DuplicateRule,
        found: &mut Vec<DocId>,
    ) -> Result<(), DedupError> {
        self.index.short_candidates(query, rule, found)
    }

    fn with_shingle(&self, shingle: u64, found: &mut Vec<DocId>) -> Result<(), DedupError> {
        self.index.with_shingle(shingle, found)
    }

    fn signature(&self, id: DocId) -> Result<Option<Signature>, DedupError> {
        self.read.set(self.read.get() + 1);
        self.index.signature(id)
    }

    fn insert(&mut self, id: DocId, signature: &Signature) -> Result<(), DedupError> {
        self.index.insert(id, signature)
    }

    fn remove(&mut self, id: DocId) -> Result<bool, DedupError> {
        self.index.remove(id)
    }

    fn clear(&mut self) -> Result<(), DedupError> {
        self.index.clear()
    }

    fn len(&self) -> Result<usize, DedupError> {
        self.index.len()
    }
}

/// Signatures read per verdict among so many kept look-alikes.
fn read_per_verdict<I: Index>(index: I, rule: &DuplicateRule, documents: impl Iterator<Item = Signature>) -> f64 {
    let counting = Counting {
        index,
        read: Cell::new(0),
    };
    let dedup = Deduplicator::new(counting, rule.clone()).unwrap();
    let mut verdicts = 0;
    for (id, document) in (1..).map(DocId).zip(documents) {
        // Different digests and dissimilar sketches: every document is kept.
        assert_eq!(
            dedup.check_and_insert(id, &document).unwrap(),
            Verdict::Unique,
            "{id:?}"
        );
        verdicts += 1;
    }
    let read = dedup.index().read.get();
    read as f64 / f64::from(verdicts)
}

/// A page of a template whose sketch differs from every other in about a quarter of its bits.
fn dissimilar(random: &mut Random) -> Signature {
    let mut sketch = [0_u8; 128];
    sketch
        .iter_mut()
        .for_each(|byte| *byte = (random.next() & random.next() & random.next()) as u8);
    Signature {
        sketch: Some(Sketch::try_from(sketch.as_slice()).unwrap()),
        ..long(random, 1)
    }
}

#[test]
fn the_signatures_of_look_alikes_are_not_read() {
    let rule = DuplicateRule::default();
    let db = sled::Config::new().temporary(true).open().unwrap();
    let sled = SledIndex::open(&db, "test", &rule).unwrap();
    let in_memory = MemoryIndex::new(&rule).unwrap();
    let mut random = Random(3);
    let documents: Vec<Signature> = (0..2_000).map(|_| dissimilar(&mut random)).collect();
    let in_sled = read_per_verdict(sled, &rule, documents.iter().cloned());
    let in_memory = read_per_verdict(in_memory, &rule, documents.into_iter());
    assert!(
        in_sled < 0.1 && in_memory < 0.1,
        "{in_sled} and {in_memory} signatures a verdict"
    );
}
