//! Records of hosts, robots.txt, and the sitemaps that were read.

use storage::{HostRecord, MAX_STORED_ROBOTS_BYTES, OnwardSitemap, StoredRobots, StoredSitemap};

use super::support::*;

fn state(failures: u32) -> HostRecord {
    HostRecord {
        asked_at: NOW_MS,
        rests_until: NOW_MS + 5_000,
        failures,
        retired: failures > 4,
        last_failure: Some("HTTP status 503".into()),
        address: Some("2001:db8::1".parse().unwrap()),
        crawl_delay_ms: 3_000,
        latency_ms: Some(120),
        slowed_ms: 2_000,
    }
}

fn robots(text: &str) -> StoredRobots {
    StoredRobots {
        fetched_at: NOW_MS,
        text: text.into(),
    }
}

#[test]
fn the_record_of_a_host_and_its_robots_txt_survive_only_with_a_commit() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let hosts: Vec<_> = (0..1_000).map(|n| (format!("h{n}"), state(n))).collect();
    store.record_hosts(&hosts).unwrap();
    store
        .record_robots("h1", "https://h1", Some(&robots("Disallow: /x")))
        .unwrap();
    store.record_robots("h1", "http://h1", Some(&robots(""))).unwrap();
    store.commit().unwrap();
    store.record_hosts(&[("h1".into(), state(9))]).unwrap();
    drop(store);
    let mut store = open(dir.path());
    for (host, state) in &hosts {
        assert_eq!(store.host_memory().record(host).unwrap().as_ref(), Some(state));
    }
    let mut all: Vec<_> = store.host_memory().records().map(Result::unwrap).collect();
    all.sort_by_key(|(_, state)| state.failures);
    assert_eq!(all, hosts);
    assert_eq!(store.host_memory().record("h").unwrap(), None);
    assert_eq!(
        store.host_memory().robots("h1", "https://h1").unwrap(),
        Some(robots("Disallow: /x"))
    );
    assert_eq!(store.host_memory().robots("h1", "http://h1").unwrap(), Some(robots("")));
    assert_eq!(store.host_memory().robots("h", "http://h1").unwrap(), None);
    assert_eq!(store.hosts().all().count(), 0, "a host's state is no count of its URLs");
    store.record_hosts(&[("h1".into(), HostRecord::default())]).unwrap();
    store.commit().unwrap();
    assert_eq!(store.host_memory().record("h1").unwrap(), Some(HostRecord::default()));
    assert_sound(&store);
}

#[test]
fn a_robots_txt_that_is_too_long_removes_the_stored_one() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    store
        .record_robots("h", "http://h", Some(&robots("Disallow: /")))
        .unwrap();
    store.commit().unwrap();
    let longest = "#".repeat(MAX_STORED_ROBOTS_BYTES);
    store.record_robots("h", "http://h", Some(&robots(&longest))).unwrap();
    store.commit().unwrap();
    assert_eq!(
        store.host_memory().robots("h", "http://h").unwrap(),
        Some(robots(&longest))
    );
    store
        .record_robots("h", "http://h", Some(&robots(&(longest + "#"))))
        .unwrap();
    store.commit().unwrap();
    assert_eq!(store.host_memory().robots("h", "http://h").unwrap(), None);
}

#[test]
fn an_interrupted_run_is_detected() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    assert!(!store.run_notes().was_interrupted().unwrap());
    store.begin_run().unwrap();
    store.commit().unwrap();
    drop(store);
    let mut store = open(dir.path());
    assert!(store.run_notes().was_interrupted().unwrap());
    store.end_run().unwrap();
    store.commit().unwrap();
    drop(store);
    assert!(!open(dir.path()).run_notes().was_interrupted().unwrap());
}

#[test]
fn a_row_of_another_version_is_reported_as_damaged() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    store.record_hosts(&[("h".into(), state(1))]).unwrap();
    store.commit().unwrap();
    let tree = store.index_db().unwrap().open_tree("state").unwrap();
    let mut row = tree.get(b"gh").unwrap().unwrap().to_vec();
    assert_eq!(row[0], 1, "the row's version comes first");
    row[0] = 2;
    tree.insert(b"gh", row).unwrap();
    assert!(
        store
            .host_memory()
            .record("h")
            .unwrap_err()
            .to_string()
            .contains("a host's state")
    );
}

fn onward(count: usize) -> Vec<OnwardSitemap> {
    let sitemaps = (0..count).map(|number| OnwardSitemap {
        // Names that hardly compress.
        url: format!(
            "https://h/{:x}.xml",
            (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ),
        depth: 1,
        redirects: 2,
    });
    sitemaps.collect()
}

#[test]
fn the_record_of_a_sitemap_survives_only_with_a_commit_and_only_if_it_is_short() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let read = |count| StoredSitemap {
        fetched_at: NOW_MS,
        onward: onward(count),
    };
    for (url, count) in [
        ("https://h/a.xml", 0),
        ("https://h/index.xml", 100),
        ("https://h/vast.xml", 5_000),
    ] {
        store.record_sitemap("h", url, &read(count)).unwrap();
    }
    store.commit().unwrap();
    store.record_sitemap("h", "https://h/late.xml", &read(0)).unwrap();
    drop(store);
    let store = open(dir.path());
    for (url, count) in [
        ("https://h/a.xml", Some(0)),
        ("https://h/index.xml", Some(100)),
        ("https://h/vast.xml", None),
        ("https://h/late.xml", None),
    ] {
        assert_eq!(store.sitemaps().read("h", url).unwrap(), count.map(read), "{url}");
    }
    assert_eq!(store.sitemaps().read("", "https://h/a.xml").unwrap(), None);
    assert_sound(&store);
}
