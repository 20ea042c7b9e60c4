//! What the folder of a worker has of the pages of other workers.

use storage::{KeptElsewhere, OpenOptions, PageElsewhere, Store};

use super::rebuild::{findings, rebuilt};
use super::support::*;

fn page(worker: u16, sequence: u64) -> PageElsewhere {
    PageElsewhere { worker, sequence }
}

fn record(name: &str) -> KeptElsewhere {
    KeptElsewhere {
        url: format!("https://other/{name}"),
        signature: vec![7; 200],
    }
}

#[test]
fn rows_about_pages_of_other_workers_are_durable_with_the_commit_and_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let pages = [(page(3, 1), "c"), (page(2, 300), "b"), (page(2, 5), "a")];
    for (page, name) in pages {
        store.note_elsewhere(page, &record(name)).unwrap();
    }
    assert_eq!(
        store.pages_elsewhere().page(page(2, 5).packed()).unwrap(),
        None,
        "not committed"
    );
    store.commit().unwrap();
    store.note_elsewhere(page(9, 9), &record("lost")).unwrap();
    drop(store);

    let mut store = open(dir.path());
    let rows: Vec<_> = store.pages_elsewhere().all().map(Result::unwrap).collect();
    let expected = [(page(2, 5), "a"), (page(2, 300), "b"), (page(3, 1), "c")];
    assert_eq!(rows, expected.map(|(page, name)| (page, record(name))));
    assert_eq!(
        store.pages_elsewhere().page(page(2, 300).packed()).unwrap(),
        Some(record("b"))
    );
    for unknown in [page(9, 9).packed(), 5] {
        assert_eq!(store.pages_elsewhere().page(unknown).unwrap(), None);
    }
    store.note_elsewhere(page(2, 5), &record("a")).unwrap();
    store.commit().unwrap();
    assert_eq!(
        store.pages_elsewhere().all().count(),
        3,
        "a row that comes twice counts once"
    );
    assert_sound(&store);
    drop(store);
    assert_eq!(findings(dir.path()), []);
}

#[test]
fn a_compaction_keeps_the_rows_and_a_rebuild_does_not() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let queued = store.discover(&[link("h", "a")]).unwrap();
    store.finish(&queued[0], kept(&queued[0]), &[]).unwrap();
    store.note_elsewhere(page(2, 5), &record("a")).unwrap();
    store.commit().unwrap();
    drop(store);
    storage::compact(dir.path(), &OpenOptions::existing(), &mut |_| ()).unwrap();
    let store = open(dir.path());
    assert_eq!(
        store.pages_elsewhere().page(page(2, 5).packed()).unwrap(),
        Some(record("a"))
    );
    drop(store);
    rebuilt(dir.path());
    let store = Store::open(dir.path(), &OpenOptions::existing()).unwrap();
    assert_eq!(store.pages_elsewhere().all().count(), 0, "no archive holds them");
}
