//! Servers that take their time.

use std::sync::Arc;

use super::doing::{Harm, answer, html_head, ok};
use crate::support::crawl::Crawl;
use crate::support::gate::Gate;
use crate::support::hostile::{Act, Hostile};
use crate::support::outcomes::count;
use crate::support::page::{NO_LINKS, article, home};
use crate::support::site::{Answer, Site};

#[test]
fn headers_dripped() {
    let head = format!("HTTP/1.1 200 OK\r\n{}", "X-And-So-On: 1\r\n".repeat(1_000));
    Harm::of("headers dripped a byte at a time")
        .page("/drip", [Act::Drip(head.into())], "failed timeout")
        .impatiently()
        .done();
}

#[test]
fn body_dripped() {
    let body = "and so on ".repeat(1_000);
    Harm::of("a body dripped a byte at a time")
        .page(
            "/length",
            [
                answer("Content-Type: text/html\r\nContent-Length: 10000\r\n", ""),
                Act::Drip(body.clone().into()),
            ],
            "failed timeout",
        )
        .page("/no-length", [html_head(), Act::Drip(body.into())], "failed timeout")
        .impatiently()
        .done();
}

#[test]
fn silence() {
    Harm::of("a server that accepts and says nothing")
        .page("/silence", [Act::Hold], "failed timeout")
        .page("/silence-after-the-head", [html_head(), Act::Hold], "failed timeout")
        .impatiently()
        .done();
}

#[test]
fn interim_responses() {
    Harm::of("interim responses (1xx) without end")
        .page(
            "/continue",
            [Act::Repeat(b"HTTP/1.1 100 Continue\r\n\r\n".repeat(100))],
            "failed timeout",
        )
        .page(
            "/hints",
            [Act::Repeat(
                b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(100),
            )],
            "failed timeout",
        )
        .impatiently()
        .done();
}

/// The hostile servers let go only when all pages of the harmless one have been asked for. So if any of them held the others
/// up, this would never end.
#[test]
fn no_host_holds_up_the_others() {
    let gate = Arc::new(Gate::closed());
    let hold = |first: Act| vec![first, Act::Await(gate.clone())];
    let beginning = vec![b'x'; 1_000_000];
    let mut held = vec![
        hold(Act::Send(Vec::new())),
        hold(Act::Send(b"HTTP/1.1 200 OK\r\nContent-Type: text/h".to_vec())),
        hold(html_head()),
        hold(answer(
            "Content-Type: text/html\r\nContent-Length: 10000000\r\n",
            &beginning,
        )),
    ];
    // More bodies than the memory budget of this crawl has room for.
    held.extend((0..8).map(|_| hold(answer("Content-Type: text/html\r\n", &beginning))));
    let servers: Vec<Hostile> = held
        .into_iter()
        .map(|acts| {
            Hostile::serving(move |path| {
                if path == "/robots.txt" {
                    vec![super::doing::status(404)]
                } else {
                    acts.clone()
                }
            })
        })
        .collect();
    let numbers: Vec<String> = (1..=40).map(|number| format!("/{number}")).collect();
    let links = numbers.clone();
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home(&links),
        "/40" => Answer::html(format!("<p>{}", "a larger page ".repeat(20_000))),
        path => path[1..]
            .parse()
            .map_or_else(|_| Answer::status(404), |number| article(number, NO_LINKS)),
    });
    let mut crawl = Crawl::of(site.url("/"))
        .set("politeness.parallel_per_host", 1)
        .set("politeness.max_retries", 0)
        .set("fetch.memory_bytes", 4_000_000);
    for server in &servers {
        crawl.add_seed(&server.url("/"));
    }
    let running = crawl.start();
    site.wait_for_requests(numbers.len() + 2);
    gate.open();
    running.wait().succeeded();
    let report = crawl.report();
    let of_site = crate::support::outcomes::outcomes(&report, &site);
    assert!(numbers.iter().all(|path| of_site[path] == "kept"), "{of_site:?}");
    assert!(count(&report, "failed") >= 2, "{report}");
}

#[test]
fn a_page_that_comes_slowly_but_in_time_is_kept() {
    let page = ok(crate::support::page::html("Slow", "slow but sure", NO_LINKS));
    let Act::Send(bytes) = page else { unreachable!() };
    let server = Hostile::serving(move |path| match path {
        "/" => vec![Act::Drip(bytes.clone())],
        _ => vec![super::doing::status(404)],
    });
    let crawl = Crawl::of(server.url("/")).set("fetch.timeout_ms", 60_000);
    crawl.run();
    assert_eq!(count(&crawl.report(), "kept"), 1);
}
