//! A page takes the place of a kept page.

use storage::{Outcome, QueuedUrl, Replaced, StorageError, Store, Verdict};

use super::support::*;

fn near(of: u64) -> Verdict {
    Verdict::Near {
        of,
        distance: Some(3),
        similarity: 0.9,
    }
}

/// A page that takes the place of a kept page.
fn in_place_of(queued: &QueuedUrl, page: u64, verdict: Verdict) -> Outcome {
    let Outcome::Page { mut draft, capture } = kept(queued) else {
        panic!("a page")
    };
    draft.canonical = Some(queued.url.clone());
    draft.replaces = Some(Replaced { page, verdict });
    Outcome::Page { draft, capture }
}

fn verdicts(store: &Store) -> Vec<Verdict> {
    store.pages_from(1).map(|page| page.unwrap().1.verdict).collect()
}

fn representatives(store: &Store) -> Vec<Option<u64>> {
    (1..store.next_page_id())
        .map(|id| store.catalogue().representative_of(id).unwrap())
        .collect()
}

#[test]
fn a_page_takes_the_place_of_another_in_one_commit_or_in_a_later_one() {
    for commit_between in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let mut store = open(dir.path());
        let queued = store
            .discover(&[link("h", "a"), link("h", "d"), link("i", "b"), link("i", "e")])
            .unwrap();
        store.finish(&queued[0], kept(&queued[0]), &[]).unwrap();
        store.finish(&queued[1], exact(1), &[]).unwrap();
        if commit_between {
            store.commit().unwrap();
        }
        let before = store.counts();
        store
            .finish(&queued[2], in_place_of(&queued[2], 1, near(3)), &[])
            .unwrap();
        assert_eq!(store.latest_page(1).unwrap().unwrap().verdict, near(3));
        store.finish(&queued[3], exact(1), &[]).unwrap();

        let copy = tempfile::tempdir().unwrap();
        copy_folder(dir.path(), copy.path());
        let copied = open(copy.path());
        assert_sound(&copied);
        let nothing_of_it = if commit_between {
            vec![Verdict::Unique, Verdict::Exact { of: 1 }]
        } else {
            Vec::new()
        };
        assert_eq!(verdicts(&copied), nothing_of_it);

        store.commit().unwrap();
        drop(store);
        let store = open(dir.path());
        assert_sound(&store);
        let exact_of_1 = Verdict::Exact { of: 1 };
        assert_eq!(verdicts(&store), [near(3), exact_of_1, Verdict::Unique, exact_of_1]);
        assert_eq!(representatives(&store), [Some(3); 4]);
        let (counts, page) = (store.counts(), store.page(3).unwrap().unwrap());
        assert_eq!((counts.kept, counts.exact, counts.near), (1, 2, 1));
        assert_eq!(counts.bytes_kept, before.bytes_kept);
        assert_eq!(
            (page.replaces, page.canonical),
            (Some(1), Some("https://i/b".to_owned()))
        );
        let old = store.page(1).unwrap().unwrap();
        assert_eq!(
            store.text_of(&old).unwrap(),
            Some(text_of("https://h/a")),
            "still in the archive"
        );
    }
}

#[test]
fn representatives_are_found_over_several_replacements() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let links: Vec<_> = (1..=5).map(|n| link("h", &n.to_string())).collect();
    let queued = store.discover(&links).unwrap();
    store.finish(&queued[0], kept(&queued[0]), &[]).unwrap();
    store.finish(&queued[1], exact(1), &[]).unwrap();
    let exact_of = |of| Verdict::Exact { of };
    for n in [3, 4] {
        let replaced = if n == 3 { 1 } else { 3 };
        let outcome = in_place_of(&queued[n - 1], replaced, exact_of(n as u64));
        store.finish(&queued[n - 1], outcome, &[]).unwrap();
    }
    store.finish(&queued[4], exact(3), &[]).unwrap();
    store.commit().unwrap();
    assert_sound(&store);
    assert_eq!(representatives(&store), [Some(4); 5]);
    assert_eq!(store.catalogue().representative_of(9).unwrap(), None);
}

#[test]
fn only_a_kept_page_is_replaced_and_only_by_the_page_that_is_kept_instead() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let queued = store
        .discover(&[link("h", "a"), link("h", "b"), link("h", "c")])
        .unwrap();
    store.finish(&queued[0], kept(&queued[0]), &[]).unwrap();
    store.finish(&queued[1], exact(1), &[]).unwrap();
    for (page, verdict) in [
        (2, near(3)),
        (9, near(3)),
        (1, near(2)),
        (1, near(4)),
        (1, Verdict::Unique),
    ] {
        let refused = store.finish(&queued[2], in_place_of(&queued[2], page, verdict), &[]);
        assert!(
            matches!(refused, Err(StorageError::NotReplaceable { page: named }) if named == page),
            "{refused:?}"
        );
    }
    store
        .finish(&queued[2], in_place_of(&queued[2], 1, near(3)), &[])
        .unwrap();
    store.commit().unwrap();
    assert_sound(&store);
    assert_eq!(representatives(&store), [Some(3); 3]);
}
