//! A collection gives the verdicts of a comparison with every unique document, and a folder keeps them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use dedup::{Analyzer, Collection, CollectionError, CollectionSettings, DocId, DocIds, Id, Signature, Verdict};
use proptest::prelude::*;
use tempfile::TempDir;

/// A text of about `words` words about `topic`; every edition changes another word.
fn text(topic: u64, words: u64, edition: u64) -> String {
    let word = |n: u64| {
        if n == edition * 13 % words.max(1) && edition > 0 {
            format!("edition{edition} ")
        } else {
            format!("topic{topic}word{} ", n * 7919 % 997)
        }
    };
    (0..words).map(word).collect()
}

fn analyze(text: &str) -> Signature {
    Analyzer::new(&CollectionSettings::default().scheme()).analyze(text)
}

fn open(folder: &Path) -> Collection {
    Collection::open_or_create(folder, &CollectionSettings::default()).unwrap()
}

/// The verdict in words that do not depend on numbers.
fn named(collection: &Collection, verdict: Verdict) -> (&'static str, Option<Id>) {
    let kind = match verdict {
        Verdict::Unique => "unique",
        Verdict::Exact { .. } => "exact",
        Verdict::Near { .. } => "near",
    };
    (kind, verdict.of().map(|of| collection.id(of).unwrap().clone()))
}

fn clusters(collection: &Collection) -> BTreeMap<String, Vec<String>> {
    collection
        .clusters()
        .map(|(of, duplicates)| (of.to_string(), duplicates.map(Id::to_string).collect()))
        .collect()
}

#[test]
fn a_folder_keeps_documents_and_verdicts() {
    let folder = TempDir::new().unwrap();
    let mut collection = open(folder.path());
    for (id, edition) in [(1, 0), (2, 0), (3, 1)] {
        collection.add(&Id::from(id), &analyze(&text(1, 200, edition))).unwrap();
    }
    collection.add(&"other".into(), &analyze(&text(2, 200, 0))).unwrap();
    collection.save().unwrap();
    let before = clusters(&collection);
    assert_eq!(
        before,
        BTreeMap::from([("1".to_owned(), vec!["2".to_owned(), "3".to_owned()])])
    );
    drop(collection);

    let collection = Collection::open(folder.path()).unwrap();
    assert_eq!((collection.len(), clusters(&collection)), (4, before));
    assert!(collection.contains(&"other".into()) && !collection.contains(&"1".into()));
    let found = collection.check(&analyze(&text(2, 200, 3))).unwrap();
    assert_eq!(named(&collection, found), ("near", Some("other".into())));
}

#[test]
fn an_id_has_one_text() {
    let mut collection = Collection::in_memory(&CollectionSettings::default()).unwrap();
    let (first, same, other) = (analyze("One two."), analyze("one  TWO."), analyze("One two three."));
    assert_eq!(collection.add(&7.into(), &first).unwrap(), Verdict::Unique);
    assert_eq!(collection.add(&7.into(), &same).unwrap(), Verdict::Unique);
    assert!(matches!(
        collection.add(&7.into(), &other),
        Err(CollectionError::OtherText(Id::Number(7)))
    ));
    assert_eq!(
        collection.add(&"7".into(), &same).unwrap(),
        Verdict::Exact { of: DocId(0) }
    );
    assert_eq!(collection.len(), 2);
    assert!(matches!(collection.save(), Err(CollectionError::NoFolder)));
}

#[test]
fn a_removal_names_the_duplicates_that_go_with_it() {
    let folder = TempDir::new().unwrap();
    let mut collection = open(folder.path());
    for edition in 0..4 {
        collection
            .add(&edition.into(), &analyze(&text(1, 200, edition as u64)))
            .unwrap();
    }
    assert_eq!(collection.remove(&2.into()).unwrap(), []);
    assert_eq!(collection.remove(&0.into()).unwrap(), [Id::from(1), Id::from(3)]);
    assert!(collection.is_empty());
    assert!(matches!(collection.remove(&0.into()), Err(CollectionError::Unknown(_))));
    let first = analyze(&text(1, 200, 3));
    assert_eq!(collection.add(&3.into(), &first).unwrap(), Verdict::Unique);
    collection.save().unwrap();
    drop(collection);
    let collection = open(folder.path());
    assert_eq!(
        (collection.len(), collection.verdict(&3.into())),
        (1, Some(Verdict::Unique))
    );
}

#[test]
fn a_folder_knows_the_documents_of_ended_runs() {
    let folder = TempDir::new().unwrap();
    let mut collection = open(folder.path());
    for id in 0..4 {
        let signature = analyze(&text(id as u64, 200, 0));
        let added = collection.add_or_find(&Id::from(id), &signature).unwrap();
        assert!(added.is_new && added.number == DocId(id as u64));
        assert!(!collection.add_or_find(&Id::from(id), &signature).unwrap().is_new);
    }
    for ended in [[1, 2], [2, 3]] {
        let mut numbers = DocIds::default();
        for number in ended {
            numbers.insert(DocId(number));
        }
        collection.end_run(&numbers).unwrap();
    }
    for _ in 0..2 {
        let of_ended = [0, 1, 2, 3].map(|number| collection.is_of_ended_run(DocId(number)));
        assert_eq!(of_ended, [false, true, true, true]);
        drop(collection);
        collection = open(folder.path());
    }
    // The next document gets the number of a removed one, and is of no ended run.
    collection.remove(&Id::from(3)).unwrap();
    collection.save().unwrap();
    drop(collection);
    let mut collection = open(folder.path());
    let added = collection
        .add_or_find(&Id::from(7), &analyze(&text(7, 200, 0)))
        .unwrap();
    assert_eq!(added.number, DocId(3));
    assert!(!collection.is_of_ended_run(DocId(3)) && collection.is_of_ended_run(DocId(2)));
}

#[test]
fn a_folder_that_cannot_be_used_is_refused_with_its_name() {
    let folder = TempDir::new().unwrap();
    let at = folder.path().join("collection");
    let missing = Collection::open(&at).unwrap_err();
    assert!(missing.to_string().starts_with(&at.display().to_string()), "{missing}");
    assert!(!at.exists());

    let invalid = CollectionSettings {
        max_distance: 60,
        ..CollectionSettings::default()
    };
    assert!(Collection::open_or_create(&at, &invalid).is_err());
    assert!(!at.exists());

    let collection = open(&at);
    assert!(matches!(Collection::open(&at), Err(CollectionError::InUse(_))));
    drop(collection);
    let settings = CollectionSettings {
        max_distance: 3,
        ..CollectionSettings::default()
    };
    let other = Collection::open_or_create(&at, &settings).unwrap_err();
    assert!(
        other.to_string().contains("max_distance=10") && other.to_string().contains("max_distance=3"),
        "{other}"
    );

    let of_crawl = folder.path().join("crawl");
    let db = sled::open(&of_crawl).unwrap();
    drop(dedup::SledIndex::open(&db, "test", &settings.rule()).unwrap());
    drop(db);
    assert!(matches!(
        Collection::open_or_create(&of_crawl, &settings),
        Err(CollectionError::OtherDatabase(_))
    ));
    assert!(Collection::open(&of_crawl).is_err());
    let db = database(&of_crawl);
    let ours = |name: &sled::IVec| name.starts_with(b"collection-");
    assert!(!db.tree_names().iter().any(ours), "nothing is written to it");
    drop(db);

    std::fs::write(at.join("conf"), "no configuration").unwrap();
    assert!(Collection::open(&at).is_err());
}

/// The database of a collection that was just dropped: threads of sled may hold its lock a little longer.
fn database(folder: &Path) -> sled::Db {
    let patience = Instant::now() + Duration::from_secs(30);
    loop {
        match sled::open(folder) {
            Err(error) if error.to_string().contains("could not acquire lock") && Instant::now() < patience => {
                std::thread::sleep(Duration::from_millis(5));
            }
            opened => return opened.unwrap(),
        }
    }
}

/// sled writes on to the file that it has open, so that the flush of sled succeeds.
#[test]
fn a_save_that_no_file_holds_is_an_error() {
    let folder = TempDir::new().unwrap();
    let mut collection = open(folder.path());
    collection.add(&1.into(), &analyze(&text(1, 200, 0))).unwrap();
    collection.save().unwrap();
    collection.add(&2.into(), &analyze(&text(2, 200, 0))).unwrap();
    std::fs::remove_file(folder.path().join("db")).unwrap();
    assert!(matches!(collection.save(), Err(CollectionError::Io { .. })));
}

/// sled takes an unfinished snapshot for the newest one.
#[test]
fn a_kill_while_a_folder_is_opened_leaves_it_usable() {
    let folder = TempDir::new().unwrap();
    let mut collection = open(folder.path());
    collection.add(&1.into(), &analyze(&text(1, 200, 0))).unwrap();
    collection.save().unwrap();
    let unfinished = folder.path().join("snap.7FFFFFFFFFFFFFFF.generating");
    std::fs::write(&unfinished, "").unwrap();
    // The process that has the database open may be writing it.
    assert!(matches!(
        Collection::open(folder.path()),
        Err(CollectionError::InUse(_))
    ));
    assert!(unfinished.exists());
    drop(collection);
    let collection = Collection::open(folder.path()).unwrap();
    assert!(collection.contains(&1.into()) && !unfinished.exists());
}

/// What a crash between the two steps of a save or of a removal leaves.
#[test]
fn what_an_interrupted_step_leaves_is_repaired() {
    let folder = TempDir::new().unwrap();
    let mut collection = open(folder.path());
    for (id, topic, edition) in [(0, 1, 0), (1, 2, 0), (2, 2, 1), (3, 3, 0)] {
        collection
            .add(&id.into(), &analyze(&text(topic, 200, edition)))
            .unwrap();
    }
    collection.save().unwrap();
    drop(collection);
    // A removal of document 1 that ended after its row; a save that ended before the row of document 3.
    let db = database(folder.path());
    let rows = db.open_tree("collection-documents").unwrap();
    for number in [1_u64, 3] {
        assert!(rows.remove(number.to_be_bytes()).unwrap().is_some());
    }
    db.flush().unwrap();
    drop((rows, db));

    let mut collection = open(folder.path());
    assert_eq!((collection.len(), collection.contains(&0.into())), (1, true));
    for (id, topic) in [(3, 3), (2, 2), (1, 2)] {
        let verdict = collection
            .add(&id.into(), &analyze(&text(topic, 200, id as u64)))
            .unwrap();
        let found = named(&collection, verdict);
        assert_eq!(found.1, (id == 1).then_some(Id::from(2)), "{id}");
    }
}

/// A step of the owner.
#[derive(Debug, Clone)]
enum Step {
    Add { topic: u64, words: u64, edition: u64 },
    Remove(prop::sample::Index),
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => (0_u64..4, prop::sample::select(vec![0, 3, 12, 45, 200]), 0_u64..6)
            .prop_map(|(topic, words, edition)| Step::Add { topic, words, edition }),
        2 => any::<prop::sample::Index>().prop_map(Step::Remove),
        1 => Just(Step::Reopen),
    ]
}

/// The definition: the most similar unique document that the rule confirms, the first of several.
fn by_comparison(unique: &BTreeMap<i64, Signature>, signature: &Signature) -> (&'static str, Option<Id>) {
    let rule = CollectionSettings::default().rule();
    let same = |other: &&Signature| signature.digest.is_some() && other.digest == signature.digest;
    if let Some((id, _)) = unique.iter().find(|(_, other)| same(other)) {
        return ("exact", Some(Id::from(*id)));
    }
    let mut best: Option<(i64, Option<u32>, f32)> = None;
    for (id, other) in unique {
        let distance = signature.fingerprint.zip(other.fingerprint).map(|(a, b)| a.distance(b));
        let similarity = match distance {
            Some(distance) => rule.confirms(signature, other, distance),
            None => rule
                .confirms_short(signature, other)
                .filter(|_| !signature.shingles.is_empty()),
        };
        let Some(similarity) = similarity else { continue };
        // Then the nearer one; a comparison without fingerprints counts as nearest.
        if best.is_none_or(|(_, at, most)| similarity > most || similarity == most && distance < at) {
            best = Some((*id, distance, similarity));
        }
    }
    best.map_or(("unique", None), |(id, ..)| ("near", Some(Id::from(id))))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_verdict_is_that_of_a_comparison_with_every_unique_document(
        steps in prop::collection::vec(step(), 1..40),
    ) {
        let folder = TempDir::new().unwrap();
        let mut collections = [Collection::in_memory(&CollectionSettings::default()).unwrap(), open(folder.path())];
        let mut unique = BTreeMap::new();
        let mut ids: Vec<i64> = Vec::new();
        for (number, step) in (0_i64..).zip(steps) {
            match step {
                Step::Add { topic, words, edition } => {
                    let signature = analyze(&text(topic, words, edition));
                    let expected = by_comparison(&unique, &signature);
                    for collection in &mut collections {
                        let verdict = collection.add(&number.into(), &signature).unwrap();
                        prop_assert_eq!(named(collection, verdict), expected.clone());
                    }
                    if expected.0 == "unique" {
                        unique.insert(number, signature);
                    }
                    ids.push(number);
                }
                Step::Remove(_) if ids.is_empty() => {}
                Step::Remove(index) => {
                    let id = *index.get(&ids);
                    let [memory, saved] = collections.each_mut().map(|collection| collection.remove(&id.into()).unwrap());
                    prop_assert_eq!(&memory, &saved);
                    unique.remove(&id);
                    ids.retain(|other| *other != id && !memory.contains(&Id::from(*other)));
                }
                Step::Reopen => {
                    collections[1].save().unwrap();
                    let [memory, saved] = collections;
                    drop(saved);
                    collections = [memory, open(folder.path())];
                }
            }
            let [memory, saved] = collections.each_ref().map(|collection| (collection.len(), clusters(collection)));
            prop_assert_eq!(&memory, &saved);
            prop_assert_eq!(memory.0, ids.len());
        }
    }
}
