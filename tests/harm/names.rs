//! A name server that answers for every name below a domain.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::doing::{Harm, ok, plain, status};
use crate::support::crawl::Crawl;
use crate::support::hostile::{Act, Hostile};
use crate::support::outcomes::{count, list};
use crate::support::page::{html, words};

/// Names below one domain.
const NAMES: usize = 5_000;

/// Time between two requests to one address.
const ADDRESS_DELAY_MS: u128 = 50;

/// Pages after which the crawl ends.
const MAX_PAGES: usize = 40;

/// The pages of a domain whose home page links to [`NAMES`] names. All other pages are equal.
fn wild_pages(server: &Arc<OnceLock<String>>) -> impl Fn(&str) -> Vec<Act> + use<> {
    let port = server.clone();
    move |path| match path {
        "/seed" => {
            let port = port.get().unwrap();
            let links: Vec<String> = (0..NAMES)
                .map(|name| format!("http://n{name}.wild.localhost:{port}/"))
                .collect();
            vec![ok(html("Home", &words(1, 120), &links))]
        }
        "/" => vec![plain(2)],
        _ => vec![status(404)],
    }
}

#[test]
fn of_one_address() {
    let port = Arc::new(OnceLock::new());
    let hostile = Arc::new(Hostile::serving(wild_pages(&port)));
    port.set(hostile.port().to_owned()).unwrap();
    let crawl = Crawl::of(format!("http://www.wild.localhost:{}/seed", hostile.port()))
        .set("scope.mode", "\"subdomains\"")
        .set("politeness.parallel_per_host", 1)
        .set("politeness.delay_ms", ADDRESS_DELAY_MS)
        .set("politeness.address_delay_ms", ADDRESS_DELAY_MS)
        .set("scope.max_pages", MAX_PAGES);
    let began = Instant::now();
    let done = Harm::of("5,000 names of one domain, at one address")
        .until_the_limit()
        .done_by(crawl, hostile);
    let elapsed = began.elapsed().as_millis();
    let requests: usize = done.server.times_asked().values().sum();
    println!("{requests} requests in {elapsed} ms");
    assert!(requests > 4, "the names are tried");
    let bound = 1 + elapsed / ADDRESS_DELAY_MS;
    assert!(requests as u128 <= bound, "{requests} requests in {elapsed} ms");
    let hosts = list(&done.report, "hosts");
    let asked = hosts.iter().filter(|host| host["fetched"].as_u64() > Some(0)).count();
    assert!(asked <= MAX_PAGES, "{asked}");
    assert!(count(&done.report, "queued") > NAMES as u64 - 100, "none is lost");
}
