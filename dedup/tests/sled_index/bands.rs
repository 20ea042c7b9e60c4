//! Bands in the index in sled: they answer as long as the index has those of every document, also after it was reopened.

use dedup::{Bands, Candidates, DocId, DuplicateRule, Index, Signature, Sketch, SledIndex, SledOptions};

/// The shingles of a text: no two texts share one.
fn shingles(text: u64) -> Vec<u64> {
    let hash = |number: u64| (text << 8 | number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (0..60).map(hash).collect()
}

fn signature(text: u64) -> Signature {
    let shingles = shingles(text);
    Signature {
        fingerprint: Some(shingles[0].into()),
        sketch: Sketch::new(&shingles),
        bands: Bands::new(&shingles).map(Box::new),
        ..Signature::default()
    }
}

/// A query for a document whose bands nobody shares: blocks find it, and bands do not.
fn only_for_blocks(text: u64) -> Signature {
    Signature {
        bands: Bands::new(&shingles(text + (1 << 40))).map(Box::new),
        ..signature(text)
    }
}

/// The same document without bands.
fn without_bands(text: u64) -> Signature {
    Signature {
        bands: None,
        ..signature(text)
    }
}

fn open(db: &sled::Db, candidates: Candidates) -> SledIndex {
    let options = SledOptions {
        // The documents are in the log and in the trees.
        recent_documents: 64,
        candidates,
        ..SledOptions::default()
    };
    SledIndex::open_with(db, "scheme", &DuplicateRule::default(), options).unwrap()
}

fn database() -> sled::Db {
    sled::Config::new().temporary(true).open().unwrap()
}

fn insert(index: &mut SledIndex, texts: std::ops::Range<u64>, of: impl Fn(u64) -> Signature) {
    for text in texts {
        index.insert(DocId(text), &of(text)).unwrap();
        if text % 10 == 9 {
            index.persist(text).unwrap();
        }
    }
}

fn found(index: &SledIndex, query: &Signature) -> Vec<u64> {
    let mut found = Vec::new();
    index.candidates(query, &DuplicateRule::default(), &mut found).unwrap();
    found.into_iter().map(|found| found.id.0).collect()
}

/// Whether bands answer; asserts that either table finds these texts.
fn bands_answer(index: &SledIndex, texts: std::ops::Range<u64>) -> bool {
    let mut by_blocks = 0;
    for text in texts.clone() {
        assert_eq!(found(index, &signature(text)), [text]);
        assert_eq!(found(index, &without_bands(text)), [text]);
        by_blocks += found(index, &only_for_blocks(text)).len() as u64;
    }
    let all = texts.end - texts.start;
    assert!(by_blocks == 0 || by_blocks == all, "{by_blocks} of {all}");
    by_blocks == 0
}

#[test]
fn a_reopened_index_has_its_bands() {
    let db = database();
    let mut index = open(&db, Candidates::Bands);
    insert(&mut index, 0..205, signature);
    assert!(bands_answer(&index, 0..205));
    index.persist(205).unwrap();
    drop(index);
    let mut index = open(&db, Candidates::Bands);
    assert!(bands_answer(&index, 0..205));
    for text in (0..205).step_by(2) {
        assert!(index.remove(DocId(text)).unwrap());
        assert!(found(&index, &signature(text)).is_empty() && found(&index, &only_for_blocks(text)).is_empty());
    }
    drop(index);
    let mut index = open(&db, Candidates::Bands);
    for text in 0..205 {
        assert_eq!(found(&index, &signature(text)).len() as u64, text % 2);
    }
    insert(&mut index, 205..230, signature);
    assert!(bands_answer(&index, 205..230));
    assert!(bands_answer(&index, 1..2));
}

#[test]
fn an_index_with_documents_without_bands_goes_on_with_blocks() {
    let db = database();
    insert(&mut open(&db, Candidates::Blocks), 0..100, signature);
    let mut index = open(&db, Candidates::Bands);
    assert!(!bands_answer(&index, 0..100));
    insert(&mut index, 100..120, signature);
    assert!(!bands_answer(&index, 0..120));
    drop(index);
    assert!(!bands_answer(&open(&db, Candidates::Bands), 0..120));
}

#[test]
fn an_index_with_bands_answers_by_blocks_where_they_are_asked_for() {
    let db = database();
    insert(&mut open(&db, Candidates::Bands), 0..100, signature);
    let mut index = open(&db, Candidates::Blocks);
    assert!(!bands_answer(&index, 0..100));
    drop(index);
    assert!(bands_answer(&open(&db, Candidates::Bands), 0..100));
    // A document that enters without bands ends their use.
    index = open(&db, Candidates::Blocks);
    insert(&mut index, 100..110, signature);
    drop(index);
    assert!(!bands_answer(&open(&db, Candidates::Bands), 0..110));
    // Documents without a sketch need none.
    let db = database();
    let mut index = open(&db, Candidates::Bands);
    insert(&mut index, 0..20, signature);
    let no_sketch = Signature {
        fingerprint: Some(7_u64.into()),
        ..Signature::default()
    };
    index.insert(DocId(20), &no_sketch).unwrap();
    index.persist(20).unwrap();
    drop(index);
    assert!(bands_answer(&open(&db, Candidates::Bands), 0..20));
}

#[test]
fn documents_that_were_not_persisted_have_their_bands_when_they_are_inserted_again() {
    let db = database();
    let mut index = open(&db, Candidates::Bands);
    insert(&mut index, 0..55, signature);
    // The last five were pending.
    drop(index);
    let mut index = open(&db, Candidates::Bands);
    assert!(found(&index, &signature(52)).is_empty());
    insert(&mut index, 40..55, signature);
    assert!(bands_answer(&index, 0..55));
}

#[test]
fn a_signature_that_was_read_has_no_bands() {
    let db = database();
    let mut index = open(&db, Candidates::Bands);
    index.insert(DocId(1), &signature(1)).unwrap();
    assert_eq!(index.signature(DocId(1)).unwrap(), Some(without_bands(1)));
    index.persist(1).unwrap();
    assert_eq!(index.signature(DocId(1)).unwrap(), Some(without_bands(1)));
}

#[test]
fn blocks_store_the_bytes_that_they_stored_without_bands() {
    let rows = |of: fn(u64) -> Signature, candidates| {
        let db = database();
        insert(&mut open(&db, candidates), 0..100, of);
        let tree = db.open_tree("dedup-signatures").unwrap();
        tree.iter().map(|row| row.unwrap().1.to_vec()).collect::<Vec<_>>()
    };
    let before = rows(without_bands, Candidates::Blocks);
    assert_eq!(rows(signature, Candidates::Blocks), before);
    let bytes = |rows: &[Vec<u8>]| rows.iter().map(Vec::len).sum::<usize>();
    let with_bands = bytes(&rows(signature, Candidates::Bands));
    // 128 bytes, and a longer length.
    assert!(with_bands - bytes(&before) <= 129 * 100);
}
