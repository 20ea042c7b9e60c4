//! Hosts of different domains at one address: the workers that have them divide the rate of the address.

use super::*;

/// Three names of one server, each a domain of its own.
const NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::ffff:7f00:1]"];

/// Pages of each name.
const PAGES: usize = 50;

/// Between two requests to one address.
const DELAY: Duration = Duration::from_millis(100);

/// After this time, each worker knows of the others: they look several times in a lease.
const KNOWN: Duration = Duration::from_secs(3);

/// The time over which requests are counted.
const COUNTED: Duration = Duration::from_secs(2);

#[test]
fn workers_divide_the_rate_of_an_address_that_several_of_them_ask() {
    let site = Site::of_many_hosts(|asked| match asked.path.as_str() {
        "/robots.txt" => Answer::status(404),
        path => {
            let page: usize = path.trim_start_matches('/').parse().unwrap_or_default();
            let name = NAMES.iter().position(|name| asked.host.starts_with(name)).unwrap();
            article(seed(name, page), &[format!("/{}", page + 1)])
        }
    });
    let redis = Redis::start(&[]);
    let seeds: Vec<String> = NAMES
        .iter()
        .flat_map(|name| (0..PAGES).map(move |page| (name, page)))
        .map(|(name, page)| format!("http://{name}:{}/{page}", site.port()))
        .collect();
    let workers: Vec<Crawl> = (1..=3)
        .map(|number| {
            Crawl::of(seeds.join("\n"))
                .set(
                    "identity.contact_url",
                    format!("\"https://example.org/worker-{number}\""),
                )
                .set("scope.max_depth", 0)
                .set("politeness.delay_ms", DELAY.as_millis())
                .set("politeness.address_delay_ms", DELAY.as_millis())
                .set("politeness.latency_factor", 0)
                .set("fleet.address", format!("\"{}\"", address(&redis)))
                .set("fleet.lease_seconds", 2 * LEASE.as_secs())
        })
        .collect();
    let running: Vec<Running> = workers.iter().map(Crawl::start).collect();
    for worker in running {
        worker.wait().succeeded();
    }
    let requests = site.requests();
    assert_eq!(times(&site).len(), NAMES.len() * PAGES, "every page of every name");
    let begun: BTreeSet<&str> = requests.iter().map(|request| request.user_agent.as_str()).collect();
    let first_of_last = begun.iter().map(|worker| {
        let of_worker = requests.iter().filter(|request| request.user_agent == *worker);
        of_worker.map(|request| request.received).min().unwrap()
    });
    let from = first_of_last.max().unwrap() + KNOWN;
    let counted = requests
        .iter()
        .filter(|request| (from..from + COUNTED).contains(&request.received))
        .count();
    // Each worker may be late with one request and early with the next.
    let most = (COUNTED.as_millis() / DELAY.as_millis()) as usize + 2 * workers.len();
    assert!(
        counted <= most,
        "{counted} requests of {} workers, at most {most}",
        begun.len()
    );
}
