//! The depths of a crawl do not depend on the order of the answers: compared with a breadth-first search.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use proptest::collection::vec;
use proptest::prelude::*;
use storage::{Discovered, Outcome, QueuedUrl, Store, UrlState};

use super::support::*;

/// A site: the links of each page, or the target of each redirect.
#[derive(Debug, Clone)]
struct Graph {
    links: Vec<Vec<usize>>,
    redirects: Vec<Option<usize>>,
    failing: Vec<bool>,
}

const PAGES: usize = 24;

fn graph() -> impl Strategy<Value = Graph> {
    let links = vec(vec(0..PAGES, 0..4), PAGES);
    let redirects = vec(prop::option::weighted(0.15, 0..PAGES), PAGES);
    let failing = vec(prop::bool::weighted(0.1), PAGES);
    (links, redirects, failing).prop_map(|(links, redirects, failing)| Graph {
        links,
        redirects,
        failing,
    })
}

fn found(n: usize, depth: u16) -> Discovered {
    Discovered {
        depth,
        ..link(&format!("h{}", n % 3), &n.to_string())
    }
}

fn number(url: &str) -> usize {
    url.rsplit('/').next().unwrap().parse().unwrap()
}

impl Graph {
    /// The least depth of each page that is at most `max_depth` from the seeds.
    fn within(&self, seeds: &[usize], max_depth: u16) -> BTreeMap<usize, u16> {
        let mut depths = BTreeMap::new();
        let mut waiting: VecDeque<(usize, u16)> = seeds.iter().map(|seed| (*seed, 0)).collect();
        while let Some((n, depth)) = waiting.pop_front() {
            if depth > max_depth || depths.get(&n).is_some_and(|known| *known <= depth) {
                continue;
            }
            depths.insert(n, depth);
            if self.failing[n] {
                continue;
            }
            match self.redirects[n] {
                Some(to) => waiting.push_front((to, depth)),
                None => waiting.extend(self.links[n].iter().map(|to| (*to, depth + 1))),
            }
        }
        depths
    }

    /// The outcome of a page and its outlinks, as one finds them that knows only its place in the queue.
    fn fetch(&self, queued: &QueuedUrl) -> (Outcome, Vec<Discovered>) {
        let n = number(&queued.url);
        if self.failing[n] {
            let failed = Outcome::Failed {
                kind: "http_500".into(),
                status: Some(500),
                detail: String::new(),
            };
            return (failed, Vec::new());
        }
        match self.redirects[n] {
            Some(to) => {
                let target = found(to, queued.depth);
                let to = target.url.clone();
                (Outcome::Redirect { to, status: 301 }, vec![target])
            }
            None => {
                let links = self.links[n].iter().map(|to| found(*to, queued.depth + 1));
                (kept(queued), links.collect())
            }
        }
    }
}

/// A crawler in memory that fetches the URLs of the queue in any order.
struct Crawl {
    store: Store,
    queue: Vec<QueuedUrl>,
}

impl Crawl {
    fn open(dir: &std::path::Path, max_depth: u16) -> Self {
        let mut store = open(dir);
        store.set_max_depth(max_depth).unwrap();
        let mut crawl = Self {
            store,
            queue: Vec::new(),
        };
        crawl.follow_lowered();
        crawl.store.commit().unwrap();
        crawl.queue = crawl.store.queue().urls().map(Result::unwrap).collect();
        crawl
    }

    fn follow_lowered(&mut self) {
        while let Some(lowered) = self.store.next_lowered().unwrap() {
            let queued = self.store.discover(&lowered.links).unwrap();
            self.queue.extend(queued);
            self.store.end_lowered(&lowered).unwrap();
        }
    }

    fn seed(&mut self, n: usize) {
        let queued = self.store.discover(&[found(n, 0)]).unwrap();
        self.queue.extend(queued);
        self.follow_lowered();
    }

    fn fetch(&mut self, graph: &Graph, at: usize) {
        let queued = self.queue.swap_remove(at % self.queue.len());
        let (outcome, links) = graph.fetch(&queued);
        let finished = self.store.finish(&queued, outcome, &links).unwrap();
        self.queue.extend(finished.newly_queued);
        self.follow_lowered();
    }

    fn known(&self) -> BTreeSet<usize> {
        self.store.urls().map(|known| number(&known.unwrap().url)).collect()
    }

    /// The depths of the pages and the failures.
    fn depths(&self) -> HashMap<usize, u16> {
        let mut depths = HashMap::new();
        for known in self.store.urls().map(Result::unwrap) {
            match known.state {
                UrlState::Page(page) => {
                    depths.insert(number(&known.url), self.store.page(page).unwrap().unwrap().depth);
                }
                state => assert!(!matches!(state, UrlState::Queued), "{}", known.url),
            }
        }
        depths
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_crawl_reaches_the_same_urls_in_any_order(
        graph in graph(),
        seeds in vec(0..PAGES, 1..3),
        late_seed in prop::option::of(0..PAGES),
        max_depth in 0_u16..6,
        order in vec((any::<usize>(), 0_u8..12), 4 * PAGES),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let mut crawl = Crawl::open(dir.path(), max_depth);
        for seed in &seeds {
            crawl.seed(*seed);
        }
        let mut order = order.into_iter().cycle();
        let mut late_seed = late_seed;
        let mut all_seeds = seeds.clone();
        loop {
            while !crawl.queue.is_empty() {
                let (at, step) = order.next().unwrap();
                match step {
                    // The process is killed, and what it has not committed comes again.
                    0 => {
                        drop(crawl);
                        crawl = Crawl::open(dir.path(), max_depth);
                        if crawl.store.counts().discovered == 0 {
                            seeds.iter().for_each(|seed| crawl.seed(*seed));
                        }
                    }
                    1 => drop(crawl.store.commit().unwrap()),
                    _ => crawl.fetch(&graph, at),
                }
            }
            crawl.store.commit().unwrap();
            let Some(seed) = late_seed.take() else { break };
            all_seeds.push(seed);
            crawl.seed(seed);
        }
        // A kill may have lost a seed that was not committed yet; the seeds file brings it again.
        all_seeds.iter().for_each(|seed| crawl.seed(*seed));
        while !crawl.queue.is_empty() {
            crawl.fetch(&graph, 0);
        }
        crawl.store.commit().unwrap();
        let expected = graph.within(&all_seeds, max_depth);
        prop_assert_eq!(crawl.known(), expected.keys().copied().collect::<BTreeSet<_>>());
        for (n, depth) in crawl.depths() {
            prop_assert_eq!(depth, expected[&n], "page {}", n);
        }
        // A greater depth continues where the lesser one ended.
        drop(crawl);
        let mut crawl = Crawl::open(dir.path(), max_depth + 2);
        while !crawl.queue.is_empty() {
            crawl.fetch(&graph, 0);
        }
        crawl.store.commit().unwrap();
        let expected = graph.within(&all_seeds, max_depth + 2);
        prop_assert_eq!(crawl.known(), expected.keys().copied().collect::<BTreeSet<_>>());
        for (n, depth) in crawl.depths() {
            prop_assert_eq!(depth, expected[&n], "page {}", n);
        }
    }
}

#[test]
fn a_known_url_keeps_its_place_and_its_number_when_its_depth_sinks() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    store.set_max_depth(3).unwrap();
    let deep = store.discover(&[found(0, 3)]).unwrap().remove(0);
    assert_eq!(store.discover(&[found(0, 1)]).unwrap(), []);
    assert!(store.next_lowered().unwrap().is_none(), "it is not finished");
    store.commit().unwrap();
    let queued: Vec<QueuedUrl> = store.queue().urls().map(Result::unwrap).collect();
    assert_eq!(queued, std::slice::from_ref(&deep));
    // Its links are at depth 4 by its place, and at depth 2 by the shorter path.
    let finished = store.finish(&deep, kept(&deep), &[found(1, 4)]).unwrap();
    assert_eq!(finished.newly_queued[0].depth, 2);
    store.commit().unwrap();
    assert_eq!(store.page(1).unwrap().unwrap().depth, 1);
}

#[test]
fn links_beyond_the_depth_are_not_known_until_a_shorter_path_comes() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    store.set_max_depth(2).unwrap();
    let deep = store.discover(&[found(0, 2)]).unwrap().remove(0);
    // More than a row holds.
    let links: Vec<Discovered> = (1..900).map(|n| found(n, 3)).collect();
    assert_eq!(store.finish(&deep, kept(&deep), &links).unwrap().newly_queued, []);
    store.commit().unwrap();
    assert_eq!(store.counts().discovered, 1);
    store.discover(&[found(0, 1)]).unwrap();
    let lowered = store.next_lowered().unwrap().unwrap();
    assert_eq!(lowered.links.len(), links.len());
    assert!(
        lowered
            .links
            .iter()
            .all(|link| link.depth == 2 && link.via.as_deref() == Some(&*deep.url))
    );
    store.discover(&lowered.links).unwrap();
    store.end_lowered(&lowered).unwrap();
    assert!(store.next_lowered().unwrap().is_none());
    store.commit().unwrap();
    assert_eq!(store.counts().discovered, 900);
    store.discover(&[found(0, 0)]).unwrap();
    assert_eq!(store.next_lowered().unwrap().unwrap().links, [], "they are known");
}
