//! Visits compared with a model in memory, through commits and crashes.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use storage::{Discovered, Fate, Outcome, QueuedUrl, RefreshCounts, Store, UrlState, Verdict, Visit};

use super::super::support::*;
use super::{at, version, visited};

/// State of a URL in the model.
#[derive(Debug, Clone, PartialEq)]
enum Known {
    Queued,
    Page {
        id: u64,
        is_kept: bool,
        is_due: bool,
        missing: u8,
        count: u32,
        changes: u32,
    },
    Ended,
    Gone,
}

#[derive(Debug, Clone, Default)]
struct Model {
    urls: BTreeMap<String, Known>,
    /// Places in the queue.
    queue: Vec<QueuedUrl>,
    superseded: u64,
    moved: u64,
}

#[derive(Debug, Clone)]
enum Step {
    Discover(Vec<u8>),
    /// Finish the n-th queued URL in this way.
    Finish(usize, u8),
    /// Begin a refresh of every n-th page.
    Refresh(usize),
    Commit,
    Crash,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => vec(0_u8..12, 1..4).prop_map(Step::Discover),
        8 => (any::<usize>(), 0_u8..10).prop_map(|(n, way)| Step::Finish(n, way)),
        3 => (1_usize..4).prop_map(Step::Refresh),
        2 => Just(Step::Commit),
        1 => Just(Step::Crash),
    ]
}

impl Model {
    fn finish(&mut self, store: &mut Store, n: usize, way: u8, clock: u64) {
        if self.queue.is_empty() {
            return;
        }
        let queued = self.queue.remove(n % self.queue.len());
        let url = queued.url.clone();
        let known = self.urls[&url].clone();
        let (count, changes, missing) = match known {
            Known::Page {
                count,
                changes,
                missing,
                ..
            } => (count, changes, missing),
            _ => (0, 0, 0),
        };
        let is_visit = queued.revisits.is_some();
        let duplicate = |store: &Store| {
            let mut kept = store.pages_from(1).map(|row| row.unwrap());
            kept.find(|(_, page)| page.is_kept() && page.url != url)
                .map(|(id, _)| id)
        };
        let page = |known: &Known| match known {
            Known::Page { id, is_kept, .. } => (*id, *is_kept),
            _ => (0, false),
        };
        let (id, is_kept) = page(&known);
        let same = |missing, count| Known::Page {
            id,
            is_kept,
            is_due: false,
            missing,
            count,
            changes,
        };
        let of = duplicate(store);
        let (outcome, after) = match way {
            0 => (Outcome::Retry, known.clone()),
            1 => (
                Outcome::Redirect {
                    to: "https://h/x".into(),
                    status: 301,
                },
                Known::Ended,
            ),
            2 => (
                Outcome::Excluded {
                    reason: "noindex".into(),
                },
                Known::Ended,
            ),
            3 if is_visit => (visited(Visit::Unanswered, clock), same(missing, count)),
            4 if is_visit => (visited(Visit::Unchanged, clock), same(0, count + 1)),
            5 | 6 if is_visit && missing == 0 => (visited(Visit::Missing, clock), same(1, count + 1)),
            5 | 6 if is_visit => (visited(Visit::Missing, clock), Known::Gone),
            3 => {
                let failed = Outcome::Failed {
                    kind: "dns".into(),
                    status: None,
                    detail: String::new(),
                };
                (failed, Known::Ended)
            }
            _ => {
                let verdict = of
                    .filter(|_| way == 7)
                    .map_or(Verdict::Unique, |of| Verdict::Exact { of });
                let id = store.next_page_id();
                let is_kept = verdict == Verdict::Unique;
                let (count, changes) = (count + u32::from(is_visit), changes + u32::from(is_visit));
                let after = Known::Page {
                    id,
                    is_kept,
                    is_due: false,
                    missing: 0,
                    count,
                    changes,
                };
                (version(&queued, verdict, clock), after)
            }
        };
        if is_visit && matches!(outcome, Outcome::Page { .. }) {
            self.superseded += 1;
        }
        if is_visit && after == Known::Ended {
            self.moved += 1;
        }
        let finished = store.finish(&queued, outcome, &[]).unwrap();
        self.queue.extend(finished.requeued);
        self.urls.insert(url, after);
    }

    fn refresh(&mut self, store: &mut Store, every: usize, clock: u64) {
        store.begin_refresh(at(clock)).unwrap();
        let mut ids = Vec::new();
        for known in self.urls.values_mut() {
            if let Known::Page { id, is_due, .. } = known
                && (*id as usize).is_multiple_of(every)
            {
                ids.push((*id, *is_due));
                *is_due = true;
            }
        }
        let wanted: Vec<u64> = ids.iter().filter(|(_, was_due)| !was_due).map(|(id, _)| *id).collect();
        let all: Vec<u64> = ids.into_iter().map(|(id, _)| id).collect();
        let queued = store.revisit(&all, 1).unwrap();
        let pages: Vec<u64> = queued
            .iter()
            .map(|queued| queued.revisits.as_ref().unwrap().page)
            .collect();
        assert_eq!(pages, wanted);
        self.queue.extend(queued);
    }

    /// Compares the committed state with the model.
    fn compare(&self, store: &Store) {
        assert_sound(store);
        let counts = store.counts();
        let count = |is: &dyn Fn(&Known) -> bool| self.urls.values().filter(|known| is(known)).count() as u64;
        assert_eq!(
            counts.kept,
            count(&|known| matches!(known, Known::Page { is_kept: true, .. }))
        );
        assert_eq!(
            counts.exact,
            count(&|known| matches!(known, Known::Page { is_kept: false, .. }))
        );
        assert_eq!(counts.gone, count(&|known| *known == Known::Gone));
        assert_eq!(counts.queued, count(&|known| *known == Known::Queued));
        assert_eq!(
            counts.due,
            count(&|known| matches!(known, Known::Page { is_due: true, .. }))
        );
        for (url, known) in &self.urls {
            let Known::Page {
                id,
                missing,
                count,
                changes,
                is_due,
                ..
            } = known
            else {
                continue;
            };
            assert_eq!(store.url_state("h", url).unwrap(), Some(UrlState::Page(*id)));
            let visits = store.revisits().visits(*id).unwrap().unwrap_or_default();
            let of_model = (*missing, *count, *changes, *is_due);
            assert_eq!(
                (visits.missing, visits.count, visits.changes, visits.is_waiting),
                of_model,
                "{url}"
            );
        }
        let fates: Vec<Fate> = store.pages_from(1).map(|page| page.unwrap().1.fate).collect();
        let of_fate = |is: fn(&Fate) -> bool| fates.iter().filter(|fate| is(fate)).count() as u64;
        assert_eq!(of_fate(|fate| matches!(fate, Fate::Superseded { .. })), self.superseded);
        assert_eq!(of_fate(|fate| *fate == Fate::Moved), self.moved);
        let refreshes = store.revisits().refreshes().unwrap();
        let sum = |of: fn(&RefreshCounts) -> u64| refreshes.iter().map(of).sum::<u64>();
        assert_eq!(
            (sum(|r| r.changed), sum(|r| r.moved), sum(|r| r.gone)),
            (self.superseded, self.moved, counts.gone)
        );
        let ends = sum(|r| r.changed + r.unchanged + r.missing + r.gone + r.moved + r.unanswered);
        assert_eq!(sum(|r| r.due), ends + counts.due);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn visits_are_the_model_through_commits_and_crashes(steps in vec(step(), 1..80)) {
        let dir = tempfile::tempdir().unwrap();
        let mut store = open(dir.path());
        let mut model = Model::default();
        let mut committed = model.clone();
        for (clock, step) in (1..).zip(steps) {
            match step {
                Step::Discover(paths) => {
                    let links: Vec<Discovered> = paths.iter().map(|n| link("h", &n.to_string())).collect();
                    for queued in store.discover(&links).unwrap() {
                        model.urls.insert(queued.url.clone(), Known::Queued);
                        model.queue.push(queued);
                    }
                }
                Step::Finish(n, way) => model.finish(&mut store, n, way, clock),
                Step::Refresh(every) => model.refresh(&mut store, every, clock),
                Step::Commit => {
                    store.commit().unwrap();
                    committed = model.clone();
                    model.compare(&store);
                }
                Step::Crash => {
                    drop(store);
                    store = open(dir.path());
                    model = committed.clone();
                    model.compare(&store);
                }
            }
        }
        store.commit().unwrap();
        model.compare(&store);
    }
}
