//! What is recalled, before and after the commit of it, and beside a thread that commits.

use std::sync::Arc;

use config::Config;
use config::settings::Settings;
use storage::{OpenOptions, Store, StoredRobots};

use super::*;
use crate::scope::Scope;

const ORIGIN: &str = "http://a.example";

/// Commits beside which a reader reads.
const COMMITS: u64 = 40;

fn store(dir: &std::path::Path) -> Store {
    Store::open(dir, &OpenOptions::new("exact")).unwrap()
}

fn recall(store: &Store) -> Recall {
    let settings = Settings::new(&Config::default()).unwrap();
    let scope = Scope::new(settings.scope, settings.limits.max_depth);
    Recall::new(store.answers(), RobotsReader::new(&settings.product, Arc::new(scope)))
}

fn robots_errand() -> Errand {
    Errand::Robots {
        for_host: "a.example".into(),
        origin: ORIGIN.into(),
        url: Url::parse("http://a.example/robots.txt").unwrap(),
        redirects: 0,
        failures: 0,
    }
}

fn sitemap_errand(path: &str, depth: u8) -> Errand {
    Errand::Sitemap {
        url: Url::parse(ORIGIN).unwrap().join(path).unwrap(),
        depth,
        redirects: 0,
        failures: 0,
        is_guessed: false,
    }
}

/// The time of the robots.txt that is recalled; `None` if there is none.
fn robots_of(recall: &Recall) -> Option<u64> {
    match recall.answer(robots_errand()).unwrap() {
        Event::Robots {
            answer: RobotsAnswer::Recalled(_, _, at),
            ..
        } => Some(at),
        Event::Robots {
            answer: RobotsAnswer::Forgotten,
            ..
        } => None,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_robots_txt_is_recalled_from_its_commit_on() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = store(dir.path());
    let recall = recall(&store);
    assert_eq!(robots_of(&recall), None);
    let stored = StoredRobots {
        fetched_at: 7,
        text: b"User-agent: *\nDisallow: /x".to_vec(),
    };
    store.record_robots("a.example", ORIGIN, Some(&stored)).unwrap();
    assert_eq!(robots_of(&recall), None);
    store.commit().unwrap();
    assert_eq!(robots_of(&recall), Some(7));
}

#[test]
fn a_sitemap_is_recalled_while_its_record_is_recent() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = store(dir.path());
    let now = unix_millis(SystemTime::now());
    let hour = 60 * 60 * 1_000;
    for (path, fetched_at) in [
        ("/new.xml", now - hour),
        ("/old.xml", now - 25 * hour),
        ("/to.xml", now + hour),
    ] {
        let onward = vec![onward_of(&sitemap_errand("/next.xml", 1)).unwrap()];
        let stored = StoredSitemap { fetched_at, onward };
        let url = format!("{ORIGIN}{path}");
        store.record_sitemap("a.example", &url, &stored).unwrap();
    }
    store.commit().unwrap();
    let recall = recall(&store);
    let Event::Sitemap {
        queued,
        further,
        elsewhere,
    } = recall.answer(sitemap_errand("/new.xml", 0)).unwrap()
    else {
        panic!("the record is recent");
    };
    assert!(queued.is_empty() && elsewhere.is_empty());
    assert_eq!(further, [sitemap_errand("/next.xml", 1)]);
    for path in ["/old.xml", "/to.xml", "/unknown.xml"] {
        let event = recall.answer(sitemap_errand(path, 0)).unwrap();
        assert!(matches!(event, Event::SitemapForgotten(_)), "{path}: {event:?}");
    }
}

#[test]
fn a_reader_beside_commits_sees_whole_answers_and_none_that_is_older_than_the_last() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = store(dir.path());
    let (reader, last_reader) = (recall(&store), recall(&store));
    let writer = std::thread::spawn(move || {
        for at in 1..=COMMITS {
            // The text and its time belong together.
            let text = format!("User-agent: *\nDisallow: /{at}\n").repeat(100).into_bytes();
            let stored = StoredRobots { fetched_at: at, text };
            store.record_robots("a.example", ORIGIN, Some(&stored)).unwrap();
            store.commit().unwrap();
        }
    });
    let mut seen = 0;
    while seen < COMMITS && !writer.is_finished() {
        let Event::Robots {
            answer: RobotsAnswer::Recalled(robots, _, at),
            ..
        } = reader.answer(robots_errand()).unwrap()
        else {
            continue;
        };
        assert!(at >= seen, "{at} after {seen}");
        let url = Url::parse(&format!("{ORIGIN}/{at}")).unwrap();
        assert!(!robots.decide(&url).allowed, "the rules of {at}");
        seen = at;
    }
    writer.join().unwrap();
    assert_eq!(robots_of(&last_reader), Some(COMMITS));
}

#[test]
fn the_folder_is_free_when_the_store_and_its_readers_are_dropped() {
    let dir = tempfile::tempdir().unwrap();
    for _ in 0..3 {
        let store = store(dir.path());
        let recall = recall(&store);
        drop((recall, store));
    }
}
