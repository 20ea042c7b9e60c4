//! Everything that is stored can be read back.

use std::collections::HashSet;

use storage::{Discovered, Failure, Outcome, UrlState, Verdict, Via};

use super::support::*;

#[test]
fn a_page_can_be_read_back_with_its_body_and_its_text() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let queued = store
        .discover(&[Discovered {
            depth: 2,
            ..link("h", "a")
        }])
        .unwrap()
        .remove(0);
    let body = "<p>\r\n\r\nGrüße\0".as_bytes();
    let capture = capture(&queued.url, body, "Grüße");
    assert_eq!(store.next_page_id(), 1);
    let finished = store
        .finish(
            &queued,
            Outcome::Page {
                draft: Box::new(draft(Verdict::Unique)),
                capture: Some(capture),
            },
            &[],
        )
        .unwrap();
    assert_eq!(finished.page_id, Some(1));
    assert_eq!(store.page(1).unwrap(), None, "not yet committed");
    assert_eq!(store.commit().unwrap(), 1);
    drop(store);

    let store = open(dir.path());
    let (sequence, page) = store.page_by_url("h", "https://h/a").unwrap().unwrap();
    assert_eq!(
        (sequence, page.depth, page.signature.as_slice()),
        (1, 2, &[1, 2, 3][..])
    );
    assert_eq!(
        (page.title.as_str(), page.status, page.elapsed_ms),
        ("A title", 200, 12)
    );
    assert_eq!(body_of(&store, &page).as_deref(), Some(body));
    assert_eq!(store.text_of(&page).unwrap().as_deref(), Some("Grüße"));
    assert_eq!(store.started_at(), NOW_MS);
    let counts = store.counts();
    assert_eq!((counts.kept, counts.bytes_fetched, counts.bytes_kept), (1, 40, 100));
}

#[test]
fn a_duplicate_names_its_page_and_has_no_body() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let queued = store
        .discover(&[link("h", "a"), link("h", "b"), link("h", "c")])
        .unwrap();
    store.finish(&queued[0], kept(&queued[0]), &[]).unwrap();
    store.finish(&queued[1], exact(1), &[]).unwrap();
    let verdict = Verdict::Near {
        of: 1,
        distance: Some(3),
        similarity: 0.875,
    };
    store
        .finish(
            &queued[2],
            Outcome::Page {
                draft: Box::new(draft(verdict)),
                capture: None,
            },
            &[],
        )
        .unwrap();
    assert_eq!(store.commit().unwrap(), 3);
    let verdicts: Vec<_> = store.pages_from(2).map(|page| page.unwrap().1.verdict).collect();
    assert_eq!(verdicts, [Verdict::Exact { of: 1 }, verdict]);
    let duplicate = store.page(2).unwrap().unwrap();
    assert_eq!(
        (store.text_of(&duplicate).unwrap(), body_of(&store, &duplicate)),
        (None, None)
    );
    let counts = store.counts();
    assert_eq!((counts.kept, counts.exact, counts.near, counts.fetched()), (1, 1, 1, 3));
    assert_eq!((counts.bytes_fetched, counts.bytes_kept), (120, 100));
    assert_sound(&store);
}

#[test]
fn every_outcome_can_be_read_back_by_its_url() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let page = store.discover(&[link("h", "page")]).unwrap().remove(0);
    let others = [
        link("h", "moved"),
        link("h", "gone"),
        link("i", "forbidden"),
        link("h", "waiting"),
    ];
    let others = store.finish(&page, kept(&page), &others).unwrap().newly_queued;
    let moved = Outcome::Redirect {
        to: "https://h/new".into(),
        status: 301,
    };
    let target = Discovered {
        redirects: 1,
        ..link("h", "new")
    };
    let target = store
        .finish(&others[0], moved, &[target])
        .unwrap()
        .newly_queued
        .remove(0);
    assert_eq!(
        (target.redirects, target.via),
        (1, Some(Via::Url("https://h/moved".into())))
    );
    let again = store.finish(&others[1], Outcome::Retry, &[]).unwrap().requeued.unwrap();
    let gone = Outcome::Failed {
        kind: "http".into(),
        status: Some(410),
        detail: "Gone".into(),
    };
    store.finish(&again, gone, &[]).unwrap();
    store
        .finish(
            &others[2],
            Outcome::Excluded {
                reason: "robots".into(),
            },
            &[],
        )
        .unwrap();
    store.commit().unwrap();

    let state = |host, path: &str| store.url_state(host, &format!("https://{host}/{path}")).unwrap();
    assert_eq!(state("h", "page"), Some(UrlState::Page(1)));
    assert_eq!(
        state("h", "moved"),
        Some(UrlState::Redirect {
            to: "https://h/new".into(),
            status: 301
        })
    );
    assert_eq!(
        state("i", "forbidden"),
        Some(UrlState::Excluded {
            reason: "robots".into()
        })
    );
    assert_eq!(state("h", "waiting"), Some(UrlState::Queued));
    assert_eq!(state("h", "unheard"), None);
    assert!(store.page_by_url("h", "https://h/moved").unwrap().is_none());

    let failures: Vec<_> = store.failures().map(Result::unwrap).collect();
    assert_eq!(failures.len(), 1);
    assert_eq!(
        (failures[0].url.as_str(), failures[0].via.as_deref()),
        ("https://h/gone", Some("https://h/page"))
    );
    let Failure {
        kind, status, attempts, ..
    } = &failures[0].failure;
    assert_eq!((kind.as_str(), *status, *attempts), ("http", Some(410), 2));

    let hosts: Vec<_> = store.hosts().with_queue().map(|host| host.unwrap().0).collect();
    assert_eq!(hosts, ["h"]);
    assert_eq!(store.hosts().all().count(), 2);
    assert_sound(&store);
}

#[test]
fn more_outlinks_than_a_batch_holds_are_all_queued() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let page = store.discover(&[link("h", "page")]).unwrap().remove(0);
    let outlinks: Vec<_> = (0..1_000)
        .map(|n| link(&format!("h{}", n % 7), &format!("{n}")))
        .collect();
    assert_eq!(
        store.finish(&page, kept(&page), &outlinks).unwrap().newly_queued.len(),
        1_000
    );
    store.commit().unwrap();
    let h3 = store.refill("h3", 1_000, &HashSet::new()).unwrap();
    assert_eq!(h3.len(), 143);
    assert_eq!(h3[0].via, Some(Via::Page(1)));
    assert_eq!(store.counts().queued, 1_000);
    assert_sound(&store);
}

#[test]
fn the_readme_of_the_data_folder_names_its_files() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()));
    let readme = std::fs::read_to_string(dir.path().join("README.md")).unwrap();
    for name in ["warc/", "state/", "steering.checkpoint", "last-commit", "lock"] {
        assert!(readme.contains(name), "{name}");
    }
}
