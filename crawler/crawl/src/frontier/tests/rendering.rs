//! Pages in the browser, and their requests.

use std::net::IpAddr;

use reqwest::header::HeaderMap;
use url::Url;
use web::fetch::Route;

use super::{WINDOW, at, decided, ended, robots_of, rules, settings, site, started, stored};
use crate::frontier::Frontier;
use crate::messages::{Ending, Event, Step};
use crate::render::subrequest::Subrequest;

const HOST: &str = "a.example";

fn began() -> Event {
    Event::RenderingBegan { host: HOST.into() }
}

fn came_back() -> Event {
    Event::RenderingEnded { host: HOST.into() }
}

/// A request of a page, and what the page waits with.
fn asks(url: &str) -> (Event, impl Sized) {
    let (subrequest, answer) = Subrequest::new(Url::parse(url).unwrap(), HeaderMap::new(), HOST.into(), false);
    (Event::Asks(subrequest), answer)
}

#[test]
fn a_request_of_a_page_passes_the_gate_of_its_host_before_further_pages() {
    let mut frontier = Frontier::new(&settings(|_| {}), WINDOW, 0);
    frontier.add(site(HOST, 3), at(0));
    started(frontier.next(at(0)));
    frontier.on(ended(HOST), at(0));
    frontier.on(began(), at(10));
    let (event, _waits) = asks("http://a.example/app.js");
    frontier.on(event, at(20));
    assert!(matches!(frontier.next(at(20)), Step::Wait(Some(t)) if t == at(1_000)));
    assert_eq!(started(frontier.next(at(1_000))), "http://a.example/app.js");
    frontier.on(ended(HOST), at(1_100));
    frontier.on(Event::SubrequestEnded, at(1_100));
    assert_eq!(started(frontier.next(at(2_100))), "http://a.example/1");
}

#[test]
fn pages_in_the_browser_hold_no_tickets_and_keep_the_run_alive() {
    let settings = settings(|config| {
        config.politeness.delay_ms = 0;
        config.scope.max_pages = 1;
    });
    let mut frontier = Frontier::new(&settings, 1, 0);
    frontier.add(site(HOST, 3), at(0));
    started(frontier.next(at(0)));
    frontier.on(ended(HOST), at(1));
    frontier.on(began(), at(2));
    // The limit of pages is reached, and the only ticket is free for the request of the page.
    assert!(matches!(frontier.next(at(3)), Step::Wait(_)));
    let (event, _waits) = asks("http://a.example/data.json");
    frontier.on(event, at(4));
    assert_eq!(started(frontier.next(at(4))), "http://a.example/data.json");
    frontier.on(ended(HOST), at(5));
    frontier.on(Event::SubrequestEnded, at(5));
    frontier.on(came_back(), at(6));
    frontier.on(decided(HOST, 0, true), at(7));
    assert!(matches!(frontier.next(at(8)), Step::Finished(Ending::PageLimit)));
}

#[test]
fn a_pause_does_not_hold_up_the_requests_of_pages_in_the_browser() {
    let settings = settings(|config| {
        config.politeness.delay_ms = 0;
        config.fetch.proxy = String::new();
    });
    let mut frontier = Frontier::new(&settings, WINDOW, 0);
    frontier.add(site(HOST, 1), at(0));
    assert!(matches!(frontier.next(at(0)), Step::LookUp(host) if host == HOST));
    let route = Route::Addresses([IpAddr::from([192, 0, 2, 1])].into());
    let host = HOST.into();
    frontier.on(Event::LookedUp { host, route }, at(0));
    started(frontier.next(at(0)));
    frontier.on(ended(HOST), at(0));
    frontier.on(began(), at(0));
    frontier.on(super::steered::pause(), at(1));
    // The store has more URLs of the host, which would be read before a request starts.
    frontier.add_stored_host(HOST, &stored(5));
    let (event, _waits) = asks("http://a.example/app.js");
    frontier.on(event, at(2));
    assert_eq!(started(frontier.next(at(2))), "http://a.example/app.js");
    // A host that only this page names has to be looked up.
    frontier.add(site("b.example", 1), at(3));
    let (event, _waits) = asks("http://cdn.example/app.js");
    frontier.on(event, at(3));
    assert!(matches!(frontier.next(at(3)), Step::LookUp(host) if host == "cdn.example"));
    assert!(matches!(frontier.next(at(3)), Step::Wait(_)), "b.example waits");
}

#[test]
fn a_host_has_few_pages_in_the_browser_at_a_time() {
    let settings = settings(|config| {
        config.politeness.delay_ms = 0;
        config.render.tabs = 1;
    });
    let mut frontier = Frontier::new(&settings, WINDOW, 0);
    frontier.add(site(HOST, 5), at(0));
    for _ in 0..2 {
        started(frontier.next(at(0)));
        frontier.on(ended(HOST), at(0));
        frontier.on(began(), at(0));
    }
    assert!(matches!(frontier.next(at(1)), Step::Wait(None)));
    frontier.on(came_back(), at(2));
    assert_eq!(started(frontier.next(at(2))), "http://a.example/2");
}

#[test]
fn hosts_that_need_the_browser_wait_while_it_has_enough_pages() {
    let settings = settings(|config| {
        config.politeness.delay_ms = 0;
        config.render.tabs = 1;
    });
    let mut frontier = Frontier::new(&settings, 64, 0);
    let names: Vec<String> = (0..17).map(|n| format!("h{n}.example")).collect();
    for name in &names {
        frontier.add(site(name, 3), at(0));
    }
    for _ in &names {
        let url = Url::parse(&started(frontier.next(at(0)))).unwrap();
        let host = url.host_str().unwrap().to_owned();
        frontier.on(ended(&host), at(0));
        frontier.on(Event::RenderingBegan { host }, at(0));
    }
    // One tab has enough with 16 pages.
    assert!(matches!(frontier.next(at(1)), Step::Wait(_)));
    frontier.on(Event::RenderingEnded { host: names[0].clone() }, at(2));
    assert!(matches!(frontier.next(at(2)), Step::Wait(_)), "16 are left");
    frontier.on(Event::RenderingEnded { host: names[1].clone() }, at(3));
    started(frontier.next(at(3)));
}

#[test]
fn a_request_that_robots_txt_forbids_or_that_nobody_awaits_is_not_made() {
    let settings = settings(|config| {
        config.politeness.robots = true;
        config.politeness.delay_ms = 0;
    });
    let mut frontier = Frontier::new(&settings, WINDOW, 0);
    frontier.add(site(HOST, 1), at(0));
    let errand = robots_of(frontier.next(at(0)));
    frontier.on(ended(HOST), at(1));
    let answer = rules("User-agent: *\nDisallow: /private/");
    frontier.on(Event::Robots { errand, answer }, at(1));
    started(frontier.next(at(1)));
    frontier.on(ended(HOST), at(2));
    frontier.on(began(), at(2));
    let (forbidden, _waits) = asks("http://a.example/private/data.json");
    frontier.on(forbidden, at(3));
    let (abandoned, waits) = asks("http://a.example/late.json");
    drop(waits);
    frontier.on(abandoned, at(3));
    let (awaited, _waits) = asks("http://a.example/data.json");
    frontier.on(awaited, at(3));
    assert_eq!(started(frontier.next(at(3))), "http://a.example/data.json");
}
