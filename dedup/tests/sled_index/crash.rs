//! States that a crash, an error or damage may leave, made by hand.

use dedup::{DedupError, Digest, DocId, Index, SledIndex, SledOptions, SledReader};

use super::{assert_answers, database, log, look, near, numbered, of_numbered, open, rows, rule, tiny, write};

#[test]
fn an_interrupted_merge_runs_again_and_duplicates_no_document() {
    let trees = ["dedup-places", "dedup-digests", "dedup-shingles", "dedup-block-0"];
    for reached in 0..=trees.len() {
        let db = database();
        let unmerged = SledOptions {
            recent_documents: 100,
            ..tiny()
        };
        let (mut index, mut scan) = of_numbered(&db, &rule(), &unmerged, 50);
        index.persist(1).unwrap();
        drop(index);
        let mut index = open(&db, &rule(), &tiny());
        index.persist(1).unwrap();
        assert!(log(&db).is_empty());
        drop(index);
        // The state after a kill: some trees written, and the log begins where it began before.
        db.open_tree("dedup-meta").unwrap().remove("merged").unwrap();
        assert!(!log(&db).is_empty());
        for tree in &trees[reached..] {
            db.open_tree(tree).unwrap().clear().unwrap();
        }
        assert_answers(&look(&db, &rule(), &unmerged), &scan, &[numbered(50)], &rule());
        let mut index = open(&db, &rule(), &unmerged);
        assert_answers(&index, &scan, &[numbered(50)], &rule());
        // A document that is in the log and in the trees is removed from both.
        assert!(index.remove(DocId(7)).unwrap());
        scan.0.remove(&DocId(7));
        assert_answers(&index, &scan, &[numbered(7)], &rule());
        drop(index);
        let mut index = open(&db, &rule(), &tiny());
        index.persist(1).unwrap();
        assert_answers(&index, &scan, &[numbered(7)], &rule());
        drop(index);
        assert_answers(&open(&db, &rule(), &unmerged), &scan, &[numbered(7)], &rule());
    }
}

#[test]
fn a_failed_persist_can_be_repeated_and_duplicates_no_document() {
    for tree in ["dedup-block-0", "dedup-digests", "dedup-places"] {
        let db = database();
        let (mut index, mut scan) = of_numbered(&db, &rule(), &tiny(), 20);
        index.persist(1).unwrap();
        let intact = rows(&db, tree);
        write(
            &db,
            tree,
            &intact
                .iter()
                .map(|(key, _)| (key.clone(), b"\x09damaged".into()))
                .collect(),
        );
        for n in 20..40 {
            index.insert(DocId(n), &numbered(n)).unwrap();
            scan.0.insert(DocId(n), numbered(n));
        }
        for _ in 0..2 {
            let error = index.persist(2).unwrap_err();
            assert!(
                matches!(error, DedupError::Corrupt(_) | DedupError::Signature(_)),
                "{error}"
            );
        }
        write(&db, tree, &intact);
        index.persist(3).unwrap();
        assert_eq!(index.applied(), 3);
        assert_answers(&index, &scan, &[], &rule());
        drop(index);
        assert_answers(&open(&db, &rule(), &tiny()), &scan, &[], &rule());
    }
}

#[test]
fn after_a_crash_the_index_is_that_of_its_mark() {
    for reached in 0..=3 {
        let db = database();
        let (mut index, mut scan) = of_numbered(&db, &rule(), &tiny(), 20);
        assert_eq!(index.mark(), None);
        index.persist_marked(b"twenty").unwrap();
        let before = rows(&db, "dedup-meta");
        for n in 20..40 {
            index.insert(DocId(n), &numbered(n)).unwrap();
        }
        index.persist_marked(b"forty").unwrap();
        assert_eq!(index.mark(), Some(&b"forty"[..]));
        drop(index);
        // The state after a kill: the new documents are noted, and none, some or all of them are written.
        if reached < 3 {
            let mut index = open(&db, &rule(), &tiny());
            for n in 20 + 10 * reached..40 {
                index.remove(DocId(n)).unwrap();
            }
            drop(index);
            let unmarked: Vec<u64> = (20..40).collect();
            let mut meta = before;
            meta.push((b"unmarked".into(), postcard::to_stdvec(&unmarked).unwrap().into()));
            write(&db, "dedup-meta", &meta);
        }
        let mut index = open(&db, &rule(), &tiny());
        if reached < 3 {
            assert_eq!(index.mark(), Some(&b"twenty"[..]));
            assert_answers(&index, &scan, &[numbered(25)], &rule());
        }
        for n in 20..40 {
            index.insert(DocId(n), &numbered(n)).unwrap();
            scan.0.insert(DocId(n), numbered(n));
        }
        index.persist_marked(b"forty").unwrap();
        drop(index);
        let index = open(&db, &rule(), &tiny());
        assert_eq!(index.mark(), Some(&b"forty"[..]));
        assert_answers(&index, &scan, &[], &rule());
    }
}

#[test]
fn an_interrupted_removal_is_finished_at_the_next_opening() {
    for recent_documents in [5, 100] {
        let db = database();
        let options = SledOptions {
            recent_documents,
            ..tiny()
        };
        let (mut index, mut scan) = of_numbered(&db, &rule(), &options, 20);
        index.persist(1).unwrap();
        drop(index);
        let noted = (
            9_u64.to_be_bytes()[..].into(),
            postcard::to_stdvec(&numbered(9)).unwrap().into(),
        );
        write(&db, "dedup-removals", &vec![noted]);
        scan.0.remove(&DocId(9));
        for _ in 0..2 {
            let index = open(&db, &rule(), &options);
            assert_answers(&index, &scan, &[numbered(9)], &rule());
            assert_eq!(index.signature(DocId(9)).unwrap(), None);
            assert!(rows(&db, "dedup-removals").is_empty());
        }
    }
}

#[test]
fn a_failed_removal_hides_the_document_and_the_next_call_finishes_it() {
    let db = database();
    let (mut index, mut scan) = of_numbered(&db, &rule(), &tiny(), 20);
    index.persist(1).unwrap();
    let intact = rows(&db, "dedup-block-0");
    write(
        &db,
        "dedup-block-0",
        &intact
            .iter()
            .map(|(key, _)| (key.clone(), b"\x09damaged".into()))
            .collect(),
    );
    assert!(index.remove(DocId(4)).is_err());
    write(&db, "dedup-block-0", &intact);
    scan.0.remove(&DocId(4));
    assert_answers(&index, &scan, &[numbered(4)], &rule());
    index.insert(DocId(4), &numbered(30)).unwrap();
    scan.0.insert(DocId(4), numbered(30));
    index.persist(2).unwrap();
    assert_answers(&index, &scan, &[numbered(4)], &rule());
}

#[test]
fn an_interrupted_clearing_is_finished_at_the_next_opening() {
    let db = database();
    let (mut index, _) = of_numbered(&db, &rule(), &tiny(), 20);
    index.persist(20).unwrap();
    drop(index);
    let note = ("clearing".into(), "".into());
    write(&db, "dedup-meta", &vec![note]);
    let index = SledIndex::open(&db, "another scheme, since nothing is left", &rule()).unwrap();
    assert_eq!((index.applied(), index.exact(Digest(0)).unwrap()), (0, None));
    assert!(near(&index, 0_u64.into()).is_empty());
}

#[test]
fn damage_is_an_error_that_says_what_to_do() {
    let unmerged = SledOptions {
        recent_documents: 100,
        ..tiny()
    };
    // A damaged row of the sorted documents, and one of the log.
    for options in [tiny(), unmerged] {
        let db = database();
        let (mut index, _) = of_numbered(&db, &rule(), &options, 20);
        index.persist(1).unwrap();
        drop(index);
        let first = rows(&db, "dedup-signatures")[0].0.clone();
        write(&db, "dedup-signatures", &vec![(first, b"\xff\xff".into())]);
        assert!(SledIndex::open_with(&db, "test", &rule(), options).is_err());
        SledIndex::erase(&db).unwrap();
        assert_eq!(open(&db, &rule(), &tiny()).applied(), 0);
    }
}

#[test]
fn no_damaged_row_makes_anything_panic() {
    let db = database();
    let (mut index, scan) = of_numbered(&db, &rule(), &tiny(), 60);
    index.persist(1).unwrap();
    drop(index);
    let names = db.tree_names();
    let trees: Vec<&str> = names.iter().filter_map(|name| std::str::from_utf8(name).ok()).collect();
    let trees: Vec<&str> = trees.into_iter().filter(|name| name.starts_with("dedup-")).collect();
    let (mut damaged, mut refused) = (0, 0);
    for tree in trees {
        let intact = rows(&db, tree);
        for (at, (key, value)) in intact.iter().enumerate() {
            for damage in 0..6_usize {
                let mut bytes = value.to_vec();
                let middle = (at * 7 + damage * 3) % bytes.len().max(1);
                match damage {
                    0 => bytes.clear(),
                    1 => bytes.truncate(middle),
                    2 => bytes.extend([0xff; 9]),
                    3 => bytes.iter_mut().take(3).for_each(|byte| *byte = 0xff),
                    _ => bytes
                        .get_mut(middle)
                        .into_iter()
                        .for_each(|byte| *byte ^= 1 << (at % 8)),
                }
                db.open_tree(tree).unwrap().insert(key, bytes).unwrap();
                damaged += 1;
                refused += usize::from(ask_everything(&db, &scan).is_err());
                db.open_tree(tree).unwrap().insert(key, value).unwrap();
            }
        }
    }
    // An index that is still readable may answer wrongly, but most damage is reported.
    assert!(damaged > 200 && refused > damaged / 4, "{refused} of {damaged} refused");
}

fn ask_everything(db: &sled::Db, scan: &super::Scan) -> Result<(), DedupError> {
    let look = SledReader::open(db, "test", &rule(), &tiny())?;
    look.map_or(Ok(()), |look| ask(&look, scan))?;
    ask(&SledIndex::open_with(db, "test", &rule(), tiny())?, scan)
}

fn ask(index: &impl Index, scan: &super::Scan) -> Result<(), DedupError> {
    for (id, signature) in &scan.0 {
        index.signature(*id)?;
        if let Some(digest) = signature.digest {
            index.exact(digest)?;
        }
        if let Some(fingerprint) = signature.fingerprint {
            index.near(fingerprint, &mut Vec::new())?;
        }
        for shingle in &signature.shingles {
            index.with_shingle(*shingle, &mut Vec::new())?;
        }
    }
    Ok(())
}
