//! Pages that a worker gives up in favour of another worker of the crawl.

use storage::{Fate, OpenOptions, Outcome, PageElsewhere, Rebuild, StorageError, Store, UrlState, Verdict};

use super::rebuild::{findings, rebuilt};
use super::support::*;

const OTHER: PageElsewhere = PageElsewhere {
    worker: 3,
    sequence: 41,
};

fn near_other() -> Verdict {
    Verdict::Near {
        of: OTHER.packed(),
        distance: Some(2),
        similarity: 0.9,
    }
}

fn exact_of_other() -> Verdict {
    Verdict::Exact { of: OTHER.packed() }
}

/// Page 1 is kept, 2 yields, 3 is a duplicate of 2, 4 a duplicate of another worker's page, 5 and 6 are withdrawn.
fn store_of_a_worker(dir: &std::path::Path) -> Store {
    let mut store = open(dir);
    let links: Vec<_> = ["a", "b", "c", "d", "e", "f"].map(|path| link("h", path)).to_vec();
    let queued = store.discover(&links).unwrap();
    store.finish(&queued[0], kept(&queued[0]), &[]).unwrap();
    store.finish(&queued[1], kept(&queued[1]), &[]).unwrap();
    store.finish(&queued[2], exact(2), &[]).unwrap();
    store.commit().unwrap();
    store.yield_page(2, near_other()).unwrap();
    let of_other = exact(OTHER.packed());
    store.finish(&queued[3], of_other, &[]).unwrap();
    store.finish(&queued[4], kept(&queued[4]), &[]).unwrap();
    store.finish(&queued[5], exact(1), &[]).unwrap();
    assert!(store.withdraw(5, "another worker fetches it").unwrap());
    assert!(store.withdraw(6, "another worker fetches it").unwrap());
    assert!(!store.withdraw(6, "again").unwrap());
    assert!(!store.withdraw(9, "no such page").unwrap());
    store.commit().unwrap();
    store
}

fn assert_given_up(store: &Store) {
    assert_sound(store);
    let verdicts: Vec<Verdict> = store.pages_from(1).map(|page| page.unwrap().1.verdict).collect();
    let exact_of = |of| Verdict::Exact { of };
    let (unique, packed) = (Verdict::Unique, OTHER.packed());
    assert_eq!(
        verdicts,
        [unique, near_other(), exact_of(2), exact_of_other(), unique, exact_of(1)]
    );
    for page in [2, 3, 4] {
        assert_eq!(store.catalogue().representative_of(page).unwrap(), Some(packed));
        assert_eq!(store.catalogue().kept_representative_of(page).unwrap(), Some(packed));
        assert_eq!(store.catalogue().kept_of(page).unwrap(), Some(packed));
    }
    for page in [5, 6] {
        assert_eq!(store.page(page).unwrap().unwrap().fate, Fate::Moved);
    }
    let excluded = UrlState::Excluded {
        reason: "another worker fetches it".to_owned(),
    };
    assert_eq!(store.url_state("h", "https://h/e").unwrap(), Some(excluded));
    let counts = store.counts();
    assert_eq!((counts.kept, counts.exact, counts.near, counts.excluded), (1, 2, 1, 2));
    let yielded = store.page(2).unwrap().unwrap();
    assert_eq!(yielded.verdict.of_elsewhere(), Some(OTHER));
    assert_eq!(store.text_of(&yielded).unwrap(), Some(text_of("https://h/b")));
}

#[test]
fn a_page_yields_to_another_workers_page_and_a_rebuild_restores_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = store_of_a_worker(dir.path());
    assert_given_up(&store);
    assert_eq!(
        store.catalogue().departed().unwrap(),
        [2, 5],
        "the kept ones leave the index"
    );
    store.note_worker(7).unwrap();
    store.commit().unwrap();
    assert_eq!(store.run_notes().worker().unwrap(), Some(7));
    drop(store);
    assert_given_up(&open(dir.path()));
    assert_eq!(findings(dir.path()), []);

    let (done, problems) = rebuilt(dir.path());
    assert_eq!(problems, [""; 0]);
    assert_eq!((done.pages, done.kept, done.lost), (4, 1, 0));
    let store = Store::open(dir.path(), &OpenOptions::existing()).unwrap();
    assert_given_up(&store);
    drop(store);
    assert_eq!(findings(dir.path()), []);
}

#[test]
fn a_yield_is_durable_with_the_commit_and_not_before() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let queued = store.discover(&[link("h", "a")]).unwrap();
    store.finish(&queued[0], kept(&queued[0]), &[]).unwrap();
    store.commit().unwrap();
    store.yield_page(1, exact_of_other()).unwrap();
    assert_eq!(store.latest_page(1).unwrap().unwrap().verdict, exact_of_other());
    let copy = tempfile::tempdir().unwrap();
    copy_folder(dir.path(), copy.path());
    let mut copied = open(copy.path());
    assert_sound(&copied);
    assert!(copied.page(1).unwrap().unwrap().is_kept());
    copied.yield_page(1, exact_of_other()).unwrap();
    copied.commit().unwrap();
    store.commit().unwrap();
    for store in [copied, store] {
        assert_sound(&store);
        assert_eq!((store.counts().kept, store.counts().exact), (0, 1));
    }
}

#[test]
fn only_a_kept_page_yields_and_only_to_another_page() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let queued = store.discover(&[link("h", "a"), link("h", "b")]).unwrap();
    store.finish(&queued[0], kept(&queued[0]), &[]).unwrap();
    store.finish(&queued[1], exact(1), &[]).unwrap();
    for (page, verdict) in [
        (1, Verdict::Unique),
        (1, Verdict::Exact { of: 1 }),
        (2, exact_of_other()),
        (3, exact_of_other()),
    ] {
        let refused = store.yield_page(page, verdict);
        assert!(matches!(refused, Err(StorageError::NotReplaceable { page: named }) if named == page));
    }
    store.yield_page(1, exact_of_other()).unwrap();
    assert!(store.yield_page(1, exact_of_other()).is_err(), "it has yielded already");
}

#[test]
fn the_yield_of_a_lost_page_is_a_problem_and_no_end_of_a_rebuild() {
    let dir = tempfile::tempdir().unwrap();
    let store = store_of_a_worker(dir.path());
    let page = store.page(2).unwrap().unwrap();
    drop(store);
    // The body of the page that yields is damaged.
    let path = only_warc(dir.path());
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[page.response.unwrap().offset as usize + 40] ^= 0xff;
    std::fs::write(&path, bytes).unwrap();
    let mut problems = Vec::new();
    let mut say = |step| {
        if let storage::RebuildStep::Problem(what) = step {
            problems.push(what);
        }
    };
    let rebuild = Rebuild::begin(dir.path(), &OpenOptions::existing(), &mut say).unwrap();
    rebuild.finish(&mut say).unwrap();
    assert!(
        problems.iter().any(|what| what.contains("another worker's page")),
        "{problems:?}"
    );
    let store = Store::open(dir.path(), &OpenOptions::existing()).unwrap();
    assert_sound(&store);
    assert_eq!(store.url_state("h", "https://h/b").unwrap(), Some(UrlState::Queued));
    assert_eq!(store.catalogue().representative_of(4).unwrap(), Some(OTHER.packed()));
}

/// Pages 1 and 2 were taken back in one commit with their verdicts; then one URL failed, one has another page, and one is still queued.
#[test]
fn a_page_that_is_taken_back_leaves_its_url_in_the_queue_and_a_rebuild_restores_what_came_then() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let links = ["a", "b", "c", "d"].map(|path| link("h", path));
    let queued = store.discover(&links).unwrap();
    store.finish(&queued[0], kept(&queued[0]), &[]).unwrap();
    store.finish(&queued[1], exact(1), &[]).unwrap();
    store.finish(&queued[2], exact(1), &[]).unwrap();
    store.finish(&queued[3], kept(&queued[3]), &[]).unwrap();
    let mut again = Vec::new();
    for page in [1, 2, 3] {
        again.push(store.take_back(page).unwrap().unwrap());
    }
    assert_eq!(store.take_back(1).unwrap(), None, "it was taken back");
    assert_eq!(store.take_back(9).unwrap(), None, "there is no such page");
    assert_eq!(
        (store.counts().kept, store.counts().exact, store.counts().queued),
        (1, 0, 3)
    );
    store.commit().unwrap();
    assert_sound(&store);
    assert_eq!(
        store.catalogue().departed().unwrap(),
        [1],
        "the kept one leaves the index"
    );
    assert_eq!(store.url_state("h", "https://h/a").unwrap(), Some(UrlState::Queued));
    let failed = Outcome::Failed {
        kind: "blocked_repeated".to_owned(),
        status: Some(200),
        detail: "one text".to_owned(),
    };
    store.finish(&again[0], failed, &[]).unwrap();
    store.finish(&again[1], kept(&again[1]), &[]).unwrap();
    store.commit().unwrap();

    let states = |store: &Store| {
        ["a", "b", "c", "d"].map(|path| store.url_state("h", &format!("https://h/{path}")).unwrap().unwrap())
    };
    let before = states(&store);
    assert!(
        matches!(
            &before,
            [
                UrlState::Failed(_),
                UrlState::Page(5),
                UrlState::Queued,
                UrlState::Page(4)
            ]
        ),
        "{before:?}"
    );
    assert_sound(&store);
    drop(store);
    assert_eq!(findings(dir.path()), []);
    let (done, problems) = rebuilt(dir.path());
    assert_eq!((problems, done.lost), (vec![], 0));
    let store = Store::open(dir.path(), &OpenOptions::existing()).unwrap();
    assert_sound(&store);
    assert_eq!(states(&store), before);
    assert_eq!(store.page(1).unwrap().unwrap().fate, Fate::Moved);
    drop(store);
    assert_eq!(findings(dir.path()), []);
}
