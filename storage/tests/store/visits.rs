//! Visits: further fetches of pages that the crawl has fetched before.

mod model;

use std::collections::HashSet;

use storage::{
    Fate, Outcome, QueuedUrl, RefreshCounts, Replaced, StorageError, Store, UrlState, Validators, Verdict, Visit,
    Visits,
};

use super::support::*;

const HOUR: u64 = 3_600_000;

/// A store with these pages of host `h`, all kept and committed: `/0`, `/1`, ….
fn store_of(pages: usize) -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let links: Vec<_> = (0..pages).map(|n| link("h", &n.to_string())).collect();
    for queued in store.discover(&links).unwrap() {
        store.finish(&queued, kept(&queued), &[]).unwrap();
    }
    store.commit().unwrap();
    (dir, store)
}

fn at(hours: u64) -> u64 {
    NOW_MS + hours * HOUR
}

fn visited(visit: Visit, hours: u64) -> Outcome {
    Outcome::Visited {
        visit,
        at: at(hours),
        wire_bytes: 0,
        capture: None,
    }
}

/// A new version of a page, fetched so many hours later.
fn version(queued: &QueuedUrl, verdict: Verdict, hours: u64) -> Outcome {
    let Outcome::Page { mut draft, capture } = kept(queued) else {
        panic!("a page")
    };
    draft.verdict = verdict;
    draft.fetched_at = at(hours);
    Outcome::Page {
        draft,
        capture: capture.filter(|_| verdict == Verdict::Unique),
    }
}

/// Visits a page with this outcome.
fn visit(store: &mut Store, page: u64, outcome: impl FnOnce(&QueuedUrl) -> Outcome) -> QueuedUrl {
    let queued = store.revisit(&[page], 0).unwrap().remove(0);
    let outcome = outcome(&queued);
    store.finish(&queued, outcome, &[]).unwrap();
    queued
}

fn refresh_of(store: &Store) -> RefreshCounts {
    store.revisits().refreshes().unwrap().pop().unwrap()
}

#[test]
fn an_unchanged_page_keeps_its_record_and_its_history_grows() {
    let (dir, mut store) = store_of(1);
    let before = (store.counts(), store.page(1).unwrap());
    store.begin_refresh(at(1)).unwrap();
    visit(&mut store, 1, |_| visited(Visit::Unchanged, 1));
    store.commit().unwrap();
    drop(store);
    let store = open(dir.path());
    assert_sound(&store);
    assert_eq!((store.counts(), store.page(1).unwrap()), before);
    let visits = Visits {
        first_at: NOW_MS,
        last_at: at(1),
        count: 1,
        ..Visits::default()
    };
    assert_eq!(store.revisits().visits(1).unwrap(), Some(visits));
    let refresh = RefreshCounts {
        started_at: at(1),
        due: 1,
        unchanged: 1,
        ..RefreshCounts::default()
    };
    assert_eq!(store.revisits().refreshes().unwrap(), [refresh]);
    assert_eq!(store.catalogue().departed().unwrap(), [0; 0]);
}

#[test]
fn a_changed_page_has_two_versions_and_the_new_one_is_kept() {
    let (dir, mut store) = store_of(1);
    store.begin_refresh(at(1)).unwrap();
    visit(&mut store, 1, |queued| version(queued, Verdict::Unique, 1));
    store.commit().unwrap();
    drop(store);
    let mut store = open(dir.path());
    assert_sound(&store);
    let (old, new) = (store.page(1).unwrap().unwrap(), store.page(2).unwrap().unwrap());
    assert_eq!((old.fate, old.previous), (Fate::Superseded { by: 2 }, None));
    assert_eq!((new.fate, new.previous), (Fate::Current, Some(1)));
    assert!(!old.is_kept() && new.is_kept());
    assert_eq!(store.text_of(&old).unwrap(), store.text_of(&new).unwrap());
    assert_eq!((store.counts().kept, store.counts().discovered), (1, 1));
    assert_eq!(
        store.revisits().visits(1).unwrap(),
        None,
        "the history goes on with the new version"
    );
    let visits = store.revisits().visits(2).unwrap().unwrap();
    assert_eq!((visits.count, visits.changes, visits.first_at), (1, 1, NOW_MS));
    assert_eq!((refresh_of(&store).changed, refresh_of(&store).new), (1, 0));
    assert_eq!(store.catalogue().departed().unwrap(), [1]);
    store.forget_departed(&[1]).unwrap();
    store.commit().unwrap();
    assert_eq!(store.catalogue().departed().unwrap(), [0; 0]);
    // A superseded version cannot be visited.
    assert_eq!(store.revisit(&[1], 0).unwrap(), []);
}

#[test]
fn a_kept_page_can_change_into_a_duplicate_and_back() {
    let (_dir, mut store) = store_of(2);
    visit(&mut store, 1, |queued| version(queued, Verdict::Exact { of: 2 }, 1));
    store.commit().unwrap();
    assert_sound(&store);
    assert_eq!((store.counts().kept, store.counts().exact), (1, 1));
    assert_eq!(store.catalogue().departed().unwrap(), [1]);
    store.forget_departed(&[1]).unwrap();
    visit(&mut store, 3, |queued| version(queued, Verdict::Unique, 2));
    store.commit().unwrap();
    assert_sound(&store);
    assert_eq!((store.counts().kept, store.counts().exact), (2, 0));
    assert_eq!(
        store.catalogue().departed().unwrap(),
        [0; 0],
        "a duplicate was in no index"
    );
}

#[test]
fn a_page_is_gone_after_two_misses_in_a_row_and_stays_in_catalogue_and_archive() {
    let (dir, mut store) = store_of(1);
    store.begin_refresh(at(1)).unwrap();
    visit(&mut store, 1, |_| visited(Visit::Missing, 1));
    assert!(store.latest_page(1).unwrap().unwrap().is_kept());
    visit(&mut store, 1, |_| visited(Visit::Unchanged, 2));
    visit(&mut store, 1, |_| visited(Visit::Missing, 3));
    store.commit().unwrap();
    assert_sound(&store);
    assert_eq!(store.counts().kept, 1, "once each, with a visit that found it between");
    visit(&mut store, 1, |_| visited(Visit::Missing, 4));
    store.commit().unwrap();
    drop(store);
    let mut store = open(dir.path());
    assert_sound(&store);
    let page = store.page(1).unwrap().unwrap();
    assert_eq!(page.fate, Fate::Gone { at: at(4) });
    assert_eq!(store.text_of(&page).unwrap(), Some(text_of("https://h/0")));
    assert_eq!(store.url_state("h", "https://h/0").unwrap(), Some(UrlState::Page(1)));
    assert_eq!(
        (store.counts().kept, store.counts().gone, store.counts().bytes_kept),
        (0, 1, 0)
    );
    assert_eq!(store.catalogue().departed().unwrap(), [1]);
    let refresh = refresh_of(&store);
    assert_eq!((refresh.missing, refresh.unchanged, refresh.gone), (2, 1, 1));
    assert_eq!(store.revisit(&[1], 0).unwrap(), []);
    assert_eq!(store.discover(&[link("h", "0")]).unwrap(), [], "it is known");
}

#[test]
fn a_visit_without_an_answer_changes_nothing() {
    let failed = Outcome::Failed {
        kind: "timeout".into(),
        status: None,
        detail: "timed out".into(),
    };
    for outcome in [failed, visited(Visit::Unanswered, 5)] {
        let (_dir, mut store) = store_of(1);
        store.begin_refresh(at(1)).unwrap();
        visit(&mut store, 1, |_| visited(Visit::Missing, 1));
        store.commit().unwrap();
        let before = (
            store.counts(),
            store.page(1).unwrap(),
            store.revisits().visits(1).unwrap(),
        );
        visit(&mut store, 1, |_| outcome);
        store.commit().unwrap();
        assert_sound(&store);
        assert_eq!(
            (
                store.counts(),
                store.page(1).unwrap(),
                store.revisits().visits(1).unwrap()
            ),
            before
        );
        assert_eq!(refresh_of(&store).unanswered, 1);
    }
}

#[test]
fn a_redirected_or_excluded_page_has_moved() {
    let excluded = Outcome::Excluded {
        reason: "noindex".into(),
    };
    let redirect = Outcome::Redirect {
        to: "https://h/new".into(),
        status: 301,
    };
    for outcome in [excluded, redirect] {
        let (_dir, mut store) = store_of(1);
        store.begin_refresh(at(1)).unwrap();
        let queued = store.revisit(&[1], 0).unwrap().remove(0);
        store.finish(&queued, outcome, &[link("h", "new")]).unwrap();
        store.commit().unwrap();
        assert_sound(&store);
        assert_eq!(store.page(1).unwrap().unwrap().fate, Fate::Moved);
        let counts = store.counts();
        assert_eq!(
            (counts.kept, counts.redirected + counts.excluded, counts.queued),
            (0, 1, 1)
        );
        assert_eq!(
            (refresh_of(&store).moved, store.catalogue().departed().unwrap()),
            (1, vec![1])
        );
    }
}

#[test]
fn a_page_is_queued_for_one_visit_at_a_time_committed_or_not() {
    for commits in [false, true] {
        let (_dir, mut store) = store_of(1);
        let queued = store.revisit(&[1], 7).unwrap();
        assert_eq!((queued.len(), queued[0].priority), (1, 7));
        if commits {
            store.commit().unwrap();
        }
        assert_eq!(store.revisit(&[1, 1, 9], 7).unwrap(), []);
        assert_eq!((store.counts().due, store.counts().queued), (1, 0));
        store.finish(&queued[0], visited(Visit::Unchanged, 1), &[]).unwrap();
        if commits {
            store.commit().unwrap();
        }
        visit(&mut store, 1, |queued| version(queued, Verdict::Unique, 2));
        if commits {
            store.commit().unwrap();
        }
        visit(&mut store, 2, |_| visited(Visit::Unchanged, 3));
        store.commit().unwrap();
        assert_sound(&store);
        let visits = store.revisits().visits(2).unwrap().unwrap();
        assert_eq!((visits.count, visits.changes, visits.first_at), (3, 1, NOW_MS));
    }
}

#[test]
fn an_uncommitted_visit_is_made_again() {
    let (dir, mut store) = store_of(2);
    store.begin_refresh(at(1)).unwrap();
    let queued = store.revisit(&[1, 2], 0).unwrap();
    store.commit().unwrap();
    store
        .finish(&queued[0], version(&queued[0], Verdict::Unique, 1), &[])
        .unwrap();
    drop(store);
    let mut store = open(dir.path());
    assert_sound(&store);
    assert!(store.page(1).unwrap().unwrap().is_kept());
    assert_eq!(store.refill("h", 9, &HashSet::new()).unwrap(), queued);
    assert_eq!(store.hosts().with_queue().count(), 1);
    // The refresh continues, and ends after all its visits.
    store.begin_refresh(at(2)).unwrap();
    assert_eq!(store.refresh().unwrap().started_at, at(1));
    for queued in &queued {
        store.finish(queued, visited(Visit::Unchanged, 2), &[]).unwrap();
    }
    store.commit().unwrap();
    assert_eq!(refresh_of(&store).unchanged, 2);
    store.begin_refresh(at(3)).unwrap();
    visit(&mut store, 1, |_| visited(Visit::Unchanged, 3));
    store.begin_refresh(at(4)).unwrap();
    visit(&mut store, 1, |_| visited(Visit::Unchanged, 4));
    store.commit().unwrap();
    let started: Vec<u64> = store
        .revisits()
        .refreshes()
        .unwrap()
        .iter()
        .map(|refresh| refresh.started_at)
        .collect();
    assert_eq!(started, [at(1), at(3), at(4)]);
    drop(store);
    assert_eq!(open(dir.path()).refresh(), None, "it is complete");
}

#[test]
fn a_retry_stays_a_visit_and_only_a_visit_can_be_visited() {
    let (_dir, mut store) = store_of(1);
    let queued = store.revisit(&[1], 3).unwrap().remove(0);
    let again = store.finish(&queued, Outcome::Retry, &[]).unwrap().requeued.unwrap();
    assert_eq!((again.attempts, &again.revisits), (1, &queued.revisits));
    assert_eq!((store.counts().due, store.counts().queued), (1, 0));
    store.finish(&again, visited(Visit::Unchanged, 1), &[]).unwrap();
    let fresh = store.discover(&[link("h", "x")]).unwrap().remove(0);
    let refused = store.finish(&fresh, visited(Visit::Unchanged, 1), &[]);
    assert!(matches!(refused, Err(StorageError::NotQueued { .. })), "{refused:?}");
    store.commit().unwrap();
    assert_sound(&store);
}

#[test]
fn validators_are_those_stored_unless_the_kept_page_has_departed() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let queued = store
        .discover(&[link("h", "a"), link("h", "b"), link("h", "c")])
        .unwrap();
    let validators = Validators {
        etag: Some("\"v1\"".into()),
        last_modified: Some("Sat, 21 Mar 2026 09:00:00 GMT".into()),
    };
    for (queued, verdict) in queued
        .iter()
        .zip([Verdict::Unique, Verdict::Exact { of: 1 }, Verdict::Unique])
    {
        let Outcome::Page { mut draft, capture } = version(queued, verdict, 0) else {
            panic!("a page")
        };
        draft.validators = validators.clone();
        draft.payload_digest = [7; 20];
        store.finish(queued, Outcome::Page { draft, capture }, &[]).unwrap();
    }
    store.commit().unwrap();
    for page in [1, 2] {
        let queued = visit(&mut store, page, |_| visited(Visit::Unchanged, 1));
        let revisit = queued.revisits.unwrap();
        assert_eq!((revisit.page, &revisit.validators), (page, &validators));
        assert_eq!(revisit.payload_digest, Some([7; 20]));
    }
    visit(&mut store, 1, |queued| version(queued, Verdict::Unique, 2));
    store.commit().unwrap();
    let queued = visit(&mut store, 2, |_| visited(Visit::Unchanged, 3));
    let revisit = queued.revisits.unwrap();
    assert_eq!(
        (revisit.page, revisit.validators, revisit.payload_digest),
        (2, Validators::default(), None)
    );
}

#[test]
fn a_new_version_can_take_the_place_of_a_third_page() {
    let (_dir, mut store) = store_of(2);
    let queued = store.revisit(&[1], 0).unwrap().remove(0);
    let Outcome::Page { mut draft, capture } = version(&queued, Verdict::Unique, 1) else {
        panic!("a page")
    };
    draft.replaces = Some(Replaced {
        page: 2,
        verdict: Verdict::Exact { of: 3 },
    });
    store.finish(&queued, Outcome::Page { draft, capture }, &[]).unwrap();
    store.commit().unwrap();
    assert_sound(&store);
    assert_eq!((store.counts().kept, store.counts().exact), (1, 1));
    assert_eq!(store.catalogue().departed().unwrap(), [1, 2]);
    assert_eq!(store.catalogue().representative_of(2).unwrap(), Some(3));
}

#[test]
fn representatives_and_kept_pages_of_a_cluster_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let queued = store.discover(&[link("h", "a"), link("h", "b")]).unwrap();
    store.finish(&queued[0], kept(&queued[0]), &[]).unwrap();
    store.finish(&queued[1], exact(1), &[]).unwrap();
    let found = |store: &Store, id| {
        (
            store.catalogue().representative_of(id).unwrap(),
            store.catalogue().kept_representative_of(id).unwrap(),
            store.catalogue().kept_of(id).unwrap(),
        )
    };
    // Staged or committed.
    assert_eq!(found(&store, 2), (Some(1), Some(1), Some(1)));
    store.commit().unwrap();
    assert_eq!(found(&store, 2), (Some(1), Some(1), Some(1)));
    // The kept page changes: its next version is kept with another text.
    visit(&mut store, 1, |queued| version(queued, Verdict::Unique, 1));
    assert_eq!(found(&store, 2), (Some(1), None, Some(3)));
    store.commit().unwrap();
    assert_eq!(found(&store, 1), (Some(1), None, Some(3)));
    assert_eq!(found(&store, 3), (Some(3), Some(3), Some(3)));
    // Then it is gone.
    visit(&mut store, 3, |_| visited(Visit::Missing, 2));
    visit(&mut store, 3, |_| visited(Visit::Missing, 3));
    store.commit().unwrap();
    assert_eq!(found(&store, 2), (Some(1), None, None));
    assert_eq!(found(&store, 3), (Some(3), None, None));
    assert_eq!(found(&store, 9), (None, None, None));
}

#[test]
fn after_an_error_nothing_is_recorded_or_archived() {
    let (dir, mut store) = store_of(1);
    store.begin_refresh(at(1)).unwrap();
    let queued = store.revisit(&[1], 0).unwrap().remove(0);
    store.commit().unwrap();
    let before = (store.counts(), store.refresh());
    let mut of_no_page = queued.clone();
    of_no_page.revisits.as_mut().unwrap().page = 99;
    let unchanged = Outcome::Visited {
        visit: Visit::Unchanged,
        at: at(1),
        wire_bytes: 0,
        capture: Some(capture(&queued.url, b"<p>never", "never")),
    };
    for outcome in [version(&queued, Verdict::Unique, 1), unchanged] {
        assert!(store.finish(&of_no_page, outcome, &[link("h", "new")]).is_err());
        assert_eq!(
            (store.counts(), store.refresh(), store.next_page_id()),
            (before.0, before.1, 2)
        );
    }
    store
        .finish(&queued, version(&queued, Verdict::Unique, 1), &[])
        .unwrap();
    store.commit().unwrap();
    assert_sound(&store);
    let file = std::fs::File::open(only_warc(dir.path())).unwrap();
    let records = storage::warc::WarcReader::new(file).map(|record| record.unwrap().unwrap().record);
    let responses = records.filter(|record| record.kind() == "response").count();
    assert_eq!(responses, 2, "one of each version");
}
