//! A batch gets the verdicts that its documents get one after the other, however the documents are cut into batches.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use dedup::{
    About, Bands, Candidates, Deduplicator, Digest, DocId, DuplicateRule, Index, MemoryIndex, Signature, Sketch,
    SledIndex, SledOptions, Subject, Verdict,
};
use proptest::prelude::*;

type Document = (DocId, Signature);

fn rule() -> DuplicateRule {
    DuplicateRule::default()
}

fn in_memory(candidates: Candidates) -> Deduplicator<MemoryIndex> {
    let index = MemoryIndex::new(&rule()).unwrap().candidates_from(candidates);
    Deduplicator::new(index, rule()).unwrap()
}

fn in_sled(db: &sled::Db, candidates: Candidates) -> Deduplicator<SledIndex> {
    let options = SledOptions {
        candidates,
        seed: Some(7),
        ..SledOptions::default()
    };
    let index = SledIndex::open_with(db, "test", &rule(), options).unwrap();
    Deduplicator::new(index, rule()).unwrap()
}

/// Of few families: documents of one are near one another, some share their digest, some are about something else.
fn signature() -> impl Strategy<Value = Signature> {
    let changes = prop::collection::vec((0_u32..64, 0_usize..40, 0_u64..3), 0..7);
    let long = (0_u64..4, changes, 0_u64..60).prop_map(|(family, changes, digest)| {
        let mut shingles: Vec<u64> = (0..40).map(|n| family * 1_000 + n).collect();
        let mut fingerprint = family.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for (bit, place, other) in changes {
            fingerprint ^= 1 << bit;
            shingles[place] = 10_000 + other;
        }
        Signature {
            digest: Some(Digest(u128::from(digest) << 64)),
            fingerprint: Some(fingerprint.into()),
            sketch: Sketch::new(&shingles),
            bands: Bands::new(&shingles).map(Box::new),
            ..Signature::default()
        }
    });
    let shingles = || prop::collection::btree_set(0_u64..12, 0..8).prop_map(Vec::from_iter);
    let short = (shingles(), 0_u64..60).prop_map(|(shingles, digest)| Signature {
        digest: Some(Digest(u128::from(digest))),
        shingles,
        ..Signature::default()
    });
    let between = (long.clone(), shingles()).prop_map(|(long, shingles)| Signature { shingles, ..long });
    let subject = prop::sample::select(vec![None, Some("bollard"), Some("gaff")]);
    let any = prop_oneof![4 => long, 1 => short, 1 => between, 1 => Just(Signature::default())];
    (any, subject).prop_map(|(signature, heading)| Signature {
        subject: heading.and_then(|heading| {
            let group = "example.org";
            Subject::new(About { group, heading }, heading)
        }),
        ..signature
    })
}

fn one_by_one(dedup: &Deduplicator<impl Index>, documents: &[Document]) -> Vec<Verdict> {
    let documents = documents.iter();
    documents
        .map(|(id, signature)| dedup.check_and_insert(*id, signature).unwrap())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_verdicts_are_those_of_one_document_after_the_other(
        signatures in prop::collection::vec(signature(), 1..400),
        sizes in prop::collection::vec(1_usize..120, 1..8),
        candidates in prop::sample::select(vec![Candidates::Blocks, Candidates::Bands, Candidates::Auto]),
    ) {
        let documents: Vec<Document> = (1..).map(DocId).zip(signatures).collect();
        let expected = one_by_one(&in_memory(candidates), &documents);
        let folder = tempfile::tempdir().unwrap();
        let db = sled::open(folder.path()).unwrap();
        let (memory, mut sled) = (in_memory(candidates), in_sled(&db, candidates));
        let (mut rest, mut sizes) = (&documents[..], sizes.into_iter().cycle());
        let mut found = (Vec::new(), Vec::new());
        while !rest.is_empty() {
            let (batch, behind) = rest.split_at(sizes.next().unwrap().min(rest.len()));
            rest = behind;
            found.0.extend(memory.check_and_insert_all(batch).unwrap());
            found.1.extend(sled.check_and_insert_all(batch).unwrap());
            // Answers do not depend on whether the index has been opened meanwhile.
            if batch.len() % 3 == 0 {
                sled.index_mut().persist(batch[0].0.0).unwrap();
                drop(sled);
                sled = in_sled(&db, candidates);
                for (document, verdict) in documents.iter().zip(&found.1) {
                    if *verdict == Verdict::Unique {
                        sled.insert(document.0, &document.1).unwrap();
                    }
                }
            }
        }
        prop_assert_eq!(&found.0, &expected);
        prop_assert_eq!(&found.1, &expected);
    }
}

/// Documents with crowded fingerprints, so that an index goes over from blocks to bands among few of them, and its bound on the bands
/// grows. A tenth are near an earlier one.
fn crowd(count: u64) -> Vec<Document> {
    let mut random = fastrand::Rng::with_seed(36);
    let mut documents: Vec<Document> = Vec::new();
    for id in 1..=count {
        let mut shingles: Vec<u64> = (0..40).map(|_| random.u64(..)).collect();
        let mut fingerprint = 0x0123_4567_89ab_cdef_u64;
        (0..16).for_each(|_| fingerprint ^= 1 << random.u32(..64));
        if id % 10 == 0 {
            let (_, earlier) = &documents[random.usize(..documents.len())];
            let mut copy = earlier.clone();
            copy.digest = Some(Digest(u128::from(id)));
            // The blocks find these, and the bands do not.
            if id % 20 == 0 {
                copy.bands = Bands::new(&shingles).map(Box::new);
            }
            documents.push((DocId(id), copy));
            continue;
        }
        // Some share a band by the thousand, although they say something else.
        if id % 3 == 0 {
            shingles.truncate(3);
            shingles.extend(0..12);
        }
        documents.push((
            DocId(id),
            Signature {
                digest: Some(Digest(u128::from(id))),
                fingerprint: Some(fingerprint.into()),
                sketch: Sketch::new(&shingles),
                bands: Bands::new(&shingles).map(Box::new),
                ..Signature::default()
            },
        ));
    }
    documents
}

#[test]
fn a_batch_in_which_the_plan_of_the_index_changes_has_the_same_verdicts() {
    let documents = crowd(24_000);
    let alone = in_memory(Candidates::Auto);
    let expected = one_by_one(&alone, &documents);
    let batches = in_memory(Candidates::Auto);
    let (mut found, mut plans) = (Vec::new(), Vec::new());
    for batch in documents.chunks(700) {
        found.extend(batches.check_and_insert_all(batch).unwrap());
        plans.push(batches.index().plan().unwrap());
    }
    assert_eq!(found, expected);
    assert!(expected.iter().any(|verdict| *verdict != Verdict::Unique));
    plans.dedup();
    assert!((3..30).contains(&plans.len()), "{plans:?}");
    assert_eq!(plans.last().copied(), alone.index().plan());
}

#[test]
fn indexes_with_one_seed_give_the_same_answers_in_whatever_order_the_documents_came() {
    let documents = crowd(24_000);
    let alone = in_memory(Candidates::Auto);
    let verdicts = one_by_one(&alone, &documents);
    let kept: Vec<&Document> = documents
        .iter()
        .zip(&verdicts)
        .filter_map(|(document, verdict)| (*verdict == Verdict::Unique).then_some(document))
        .collect();
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let dbs = folders.each_ref().map(|folder| sled::open(folder.path()).unwrap());
    let ascending = in_sled(&dbs[0], Candidates::Auto);
    kept.iter()
        .for_each(|(id, signature)| ascending.insert(*id, signature).unwrap());
    let descending = in_sled(&dbs[1], Candidates::Auto);
    kept.iter()
        .rev()
        .for_each(|(id, signature)| descending.insert(*id, signature).unwrap());
    descending.index_mut().persist(24_000).unwrap();
    drop(descending);
    let descending = in_sled(&dbs[1], Candidates::Auto);
    assert_ne!(ascending.index().plan(), in_memory(Candidates::Blocks).index().plan());
    assert_eq!(ascending.index().plan(), descending.index().plan());
    for (_, query) in documents.iter().step_by(7) {
        assert_eq!(ascending.check(query).unwrap(), descending.check(query).unwrap());
    }
}
