//! `scope.max_depth` counts the links of the shortest path, also if the workers of a fleet find the hosts of this path one from another.

use std::sync::Arc;

use super::*;
use crate::support::gate::Gate;

/// Hosts of the chain.
const CHAIN: usize = 20;

/// Pages of each host beside its front page.
const OWN_PAGES: usize = 40;

/// A host that leads to both paths.
const ENTRANCE: usize = CHAIN;

/// The last page of each host is a seed, so that the host belongs to the crawl.
const SEED_PAGE: usize = OWN_PAGES;

fn host_of_chain(number: usize) -> String {
    format!("127.1.0.{}", number + 1)
}

/// A chain of hosts. The front page of a host links to its pages and to the front page of the next host, so no page is deeper than 20. All front
/// pages have the same text. The long path leads over two pages of each host, and from there to the front page. It begins at a seed. The short one begins
/// at the first front page, which answers late: when a front page far behind was asked for. Nothing begins before `begin` is open.
fn chain(begin: Arc<Gate>) -> Site {
    let is_far = Arc::new(Gate::closed());
    Site::of_many_hosts(move |asked| {
        let (name, port) = asked.host.split_once(':').unwrap();
        let number: usize = name.rsplit('.').next().unwrap().parse::<usize>().unwrap() - 1;
        let next = |path: &str| {
            let is_last = number + 1 == CHAIN;
            (!is_last).then(|| format!("http://{}:{port}{path}", host_of_chain(number + 1)))
        };
        match asked.path.as_str() {
            "/robots.txt" => Answer::status(404),
            path if number == ENTRANCE => {
                assert!(begin.pass());
                // The target has the depth of a seed.
                Answer::redirect(&format!("http://{}:{port}{path}", host_of_chain(0)))
            }
            "/" => {
                match number {
                    0 => assert!(is_far.pass()),
                    5 => is_far.open(),
                    _ => {}
                }
                let own = (1..OWN_PAGES).map(|page| format!("/{page}"));
                article(0, &own.chain(next("/")).collect::<Vec<_>>())
            }
            path => {
                let page: usize = path[1..].parse().unwrap();
                let links: Vec<String> = match page {
                    SEED_PAGE if number == 0 => vec!["/1".to_owned()],
                    SEED_PAGE => Vec::new(),
                    2 => ["/".to_owned(), "/3".to_owned()]
                        .into_iter()
                        .chain(next("/1"))
                        .collect(),
                    _ => vec!["/".to_owned(), format!("/{}", page + 1)],
                };
                article((1_000 * (number + 1) + page) as u64, &links)
            }
        }
    })
}

fn crawl_of(site: &Site) -> Crawl {
    let entrances = ["/".to_owned(), format!("/{SEED_PAGE}")].map(|path| (ENTRANCE, path));
    let pages = (1..CHAIN).map(|number| (number, format!("/{SEED_PAGE}")));
    let seeds: Vec<String> = entrances
        .into_iter()
        .chain(pages)
        .map(|(number, path)| format!("http://{}:{}{path}", host_of_chain(number), site.port()))
        .collect();
    Crawl::of(seeds.join("\n"))
        .set("scope.max_depth", 20)
        .set("politeness.parallel_per_host", 4)
}

/// The pages that were asked for, each once, by the number of the host and the path.
fn asked_once(site: &Site) -> BTreeSet<String> {
    let times = times(site);
    assert!(times.values().all(|times| *times == 1), "{times:?}");
    let port = format!(":{}", site.port());
    let entrance = host_of_chain(ENTRANCE);
    let pages = times.into_keys().filter(|page| !page.starts_with(&entrance));
    pages.map(|page| page.replace(&port, "")).collect()
}

#[test]
fn a_shorter_path_over_the_hosts_of_other_workers_brings_the_pages_behind_it() {
    let begin = Arc::new(Gate::closed());
    begin.open();
    let alone = chain(begin);
    crawl_of(&alone).run();
    let by_one = asked_once(&alone);
    assert_eq!(by_one.len(), CHAIN * (OWN_PAGES + 1));

    let begin = Arc::new(Gate::closed());
    let (redis, site) = (Redis::start(&[]), chain(begin.clone()));
    let workers: Vec<Crawl> = (1..=4)
        .map(|number| {
            crawl_of(&site)
                .set(
                    "identity.contact_url",
                    format!("\"https://example.org/worker-{number}\""),
                )
                .set("fleet.address", format!("\"{}\"", address(&redis)))
                .set("fleet.lease_seconds", 4 * LEASE.as_secs())
        })
        .collect();
    let running: Vec<Running> = workers.iter().map(Crawl::start).collect();
    // From here on, no host changes its owner.
    wait_until("each worker has its share", || {
        let status = run(&mut crawler(["fleet", "status", "--format", "json", &address(&redis)]));
        let Ok(status) = serde_json::from_str::<serde_json::Value>(&status.stdout) else {
            return false;
        };
        let workers = status["workers"].as_array().unwrap();
        let shares = workers.iter().map(|worker| worker["leases"].as_u64().unwrap());
        workers.len() == 4 && shares.max() <= Some(1_024 / 4 + 1)
    });
    begin.open();
    for worker in running {
        worker.wait().succeeded();
    }
    assert_eq!(asked_once(&site), by_one);
    assert_one_worker_at_a_time(&site);
    for worker in &workers {
        worker.read("verify", &[]).succeeded();
    }
}
