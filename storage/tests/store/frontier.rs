//! The frontier compared with a model in memory, through any steps and reopenings.

use std::collections::{BTreeMap, HashMap, HashSet};

use proptest::collection::vec;
use proptest::prelude::*;
use storage::{Discovered, Outcome, QueuedUrl, Store, UrlState};

use super::support::*;

#[derive(Debug, Clone)]
enum Step {
    Discover(Vec<Discovered>),
    /// Finish the n-th queued URL in this way, with these outlinks.
    Finish(usize, u8, Vec<Discovered>),
    Commit,
    /// A commit is written while the next steps are made.
    BeginCommit,
    /// Ask whether it has ended.
    Ask,
    /// The process ends without a commit, after the one that began, and another opens the store.
    Crash,
    /// Read the head of a host's queue, without its first n URLs.
    Refill(u8, usize),
}

fn links() -> impl Strategy<Value = Vec<Discovered>> {
    let link = (0_u8..3, 0_u16..40, 0_u16..3, 0_u8..2).prop_map(|(host, path, depth, priority)| Discovered {
        depth,
        priority,
        ..link(&format!("h{host}"), &path.to_string())
    });
    vec(link, 0..12)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => links().prop_map(Step::Discover),
        6 => (any::<usize>(), 0_u8..7, links()).prop_map(|(n, way, links)| Step::Finish(n, way, links)),
        1 => Just(Step::Commit),
        2 => Just(Step::BeginCommit),
        1 => Just(Step::Ask),
        1 => Just(Step::Crash),
        3 => (0_u8..3, 0_usize..4).prop_map(|(host, n)| Step::Refill(host, n)),
    ]
}

/// The frontier as a map from each URL to its place in the queue, or to `None` if it is finished.
#[derive(Debug, Clone, Default)]
struct Model {
    known: HashMap<String, Option<QueuedUrl>>,
    finished: BTreeMap<String, usize>,
}

impl Model {
    fn discover(&mut self, found: &[Discovered], queued: &[QueuedUrl]) {
        let mut queued = queued.iter();
        for link in found {
            if self.known.contains_key(&link.url) {
                continue;
            }
            let place = queued.next().expect("a URL not known before is queued").clone();
            assert_eq!(
                (&place.url, place.depth, place.priority),
                (&link.url, link.depth, link.priority)
            );
            self.known.insert(link.url.clone(), Some(place));
        }
        assert_eq!(queued.next(), None, "what is known is not queued again");
    }

    fn queue(&self, host: &str) -> Vec<QueuedUrl> {
        let mut queue: Vec<_> = self
            .known
            .values()
            .flatten()
            .filter(|queued| queued.host == host)
            .cloned()
            .collect();
        queue.sort_by_key(|queued| (queued.priority, queued.depth, queued.seq));
        queue
    }

    fn all_queued(&self) -> Vec<QueuedUrl> {
        let mut queue: Vec<_> = self.known.values().flatten().cloned().collect();
        queue.sort_by_key(|queued| queued.seq);
        queue
    }
}

fn outcome(way: u8, queued: &QueuedUrl) -> Outcome {
    match way {
        0 => kept(queued),
        1 => exact(1),
        2 => Outcome::Redirect {
            to: "https://h0/1".into(),
            status: 302,
        },
        3 => Outcome::Failed {
            kind: "timeout".into(),
            status: None,
            detail: "30 s".into(),
        },
        4 => Outcome::Excluded {
            reason: "robots".into(),
        },
        5 => Outcome::Postponed { priority: 200 },
        _ => Outcome::Retry,
    }
}

fn finish(store: &mut Store, model: &mut Model, n: usize, way: u8, links: &[Discovered]) {
    let queue = model.all_queued();
    let Some(queued) = queue.get(n % queue.len().max(1)) else {
        return;
    };
    // As they are: the model knows no depths.
    let finished = store.finish_with(queued, outcome(way, queued), &links.into(), |_| Vec::new());
    let finished = finished.unwrap();
    model.discover(links, &finished.newly_queued);
    if let Some(again) = &finished.requeued {
        let expected = match way {
            5 => (200, queued.attempts),
            _ => (queued.priority, queued.attempts + 1),
        };
        assert_eq!(
            (&again.url, again.priority, again.attempts),
            (&queued.url, expected.0, expected.1)
        );
        assert!(finished.newly_queued.iter().all(|new| new.seq != again.seq));
    } else {
        *model.finished.entry(queued.url.clone()).or_default() += 1;
    }
    model.known.insert(queued.url.clone(), finished.requeued);
}

fn compare(store: &Store, model: &Model) {
    let counts = store.counts();
    assert_eq!(counts.discovered, model.known.len() as u64);
    assert_eq!(counts.queued, model.all_queued().len() as u64);
    assert!(
        model.finished.values().all(|times| *times == 1),
        "nothing is finished twice"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_frontier_is_the_model_through_commits_and_crashes(steps in vec(step(), 1..60)) {
        let dir = tempfile::tempdir().unwrap();
        let mut store = open(dir.path());
        let mut model = Model::default();
        let mut committed = model.clone();
        // The last page of the last commit that began.
        let mut begun = 0;
        for step in steps {
            match step {
                Step::Discover(found) => {
                    let queued = store.discover(&found).unwrap();
                    model.discover(&found, &queued);
                }
                Step::Finish(n, way, links) => finish(&mut store, &mut model, n, way, &links),
                Step::Commit => {
                    store.commit().unwrap();
                    committed = model.clone();
                    assert_sound(&store);
                }
                Step::BeginCommit => {
                    begun = store.next_page_id() - 1;
                    store.begin_commit().unwrap();
                    committed = model.clone();
                }
                Step::Ask => {
                    if !store.is_committing().unwrap() {
                        prop_assert!(store.durable() >= begun);
                    }
                }
                Step::Crash => {
                    drop(store);
                    store = open(dir.path());
                    model = committed.clone();
                    assert_sound(&store);
                }
                Step::Refill(host, held) => {
                    let host = format!("h{host}");
                    let queue = model.queue(&host);
                    let skip: HashSet<u64> = queue.iter().take(held).map(|queued| queued.seq).collect();
                    let refilled = store.refill(&host, 5, &skip).unwrap();
                    prop_assert_eq!(refilled, queue.into_iter().skip(held).take(5).collect::<Vec<_>>());
                }
            }
            compare(&store, &model);
        }
    }
}

#[test]
fn a_url_found_twice_before_a_commit_is_queued_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    assert_eq!(store.discover(&[link("h", "a"), link("h", "a")]).unwrap().len(), 1);
    let page = store.discover(&[link("h", "b")]).unwrap().remove(0);
    let outlinks = [link("h", "a"), link("h", "b"), link("h", "c"), link("h", "c")];
    let queued = store.finish(&page, kept(&page), &outlinks).unwrap().newly_queued;
    assert_eq!(
        queued.iter().map(|queued| queued.url.as_str()).collect::<Vec<_>>(),
        ["https://h/c"]
    );
    assert_eq!(store.counts().discovered, 3);
}

#[test]
fn a_host_that_begins_another_hosts_name_keeps_its_own_queue() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    store
        .discover(&[link("h", "a"), link("h.example", "a"), link("h2", "a")])
        .unwrap();
    let urls: Vec<_> = store
        .refill("h", 9, &HashSet::new())
        .unwrap()
        .into_iter()
        .map(|queued| queued.url)
        .collect();
    assert_eq!(urls, ["https://h/a"]);
}

#[test]
fn a_url_that_failed_can_be_tried_again_and_is_counted_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let link = Discovered {
        url: "https://h/a".into(),
        host: "h".into(),
        ..Discovered::default()
    };
    let queued = store.discover(std::slice::from_ref(&link)).unwrap().remove(0);
    assert_eq!(store.try_again(&link, |_| true).unwrap(), None, "it waits");
    let failed = |detail: &str| Outcome::Failed {
        kind: "tls".into(),
        status: None,
        detail: detail.into(),
    };
    store.finish(&queued, failed("first"), &[]).unwrap();
    store.commit().unwrap();
    assert_eq!(
        store
            .try_again(
                &link,
                |state| matches!(state, UrlState::Failed(failure) if failure.status.is_some())
            )
            .unwrap(),
        None
    );
    let again = store
        .try_again(
            &link,
            |state| matches!(state, UrlState::Failed(failure) if failure.kind == "tls"),
        )
        .unwrap()
        .unwrap();
    assert_eq!((again.attempts, again.url.as_str()), (0, "https://h/a"));
    assert_eq!(store.try_again(&link, |_| true).unwrap(), None, "it waits already");
    store.begin_commit().unwrap();
    assert_eq!(store.try_again(&link, |_| true).unwrap(), None, "it still waits");
    store.commit().unwrap();
    drop(store);
    let mut store = open(dir.path());
    let counts = store.counts();
    assert_eq!((counts.discovered, counts.queued, counts.failed), (1, 1, 0));
    assert_eq!(
        store.refill("h", 9, &HashSet::new()).unwrap(),
        std::slice::from_ref(&again)
    );
    store.finish(&again, failed("second"), &[]).unwrap();
    store.commit().unwrap();
    assert_eq!((store.counts().queued, store.counts().failed), (0, 1));
}
