//! Redirects that lead nowhere, or where they should not.

use crate::support::outcomes::expected;
use crate::support::page::{article, home};
use crate::support::site::{Answer, Site};
use std::sync::Arc;

use super::doing::{Harm, ok, redirect, status};
use crate::support::crawl::Crawl;
use crate::support::hostile::Hostile;
use crate::support::page::{NO_LINKS, html, words};

#[test]
fn loops() {
    Harm::of("redirect loops")
        .page("/self", [redirect("/self")], "failed redirect_loop")
        .page("/ping", [redirect("/pong")], "redirect to /pong")
        .also("/pong", [redirect("/ping")])
        .leads_to("/pong", "failed redirect_loop")
        .done();
}

#[test]
fn without_end() {
    let mut harm = Harm::of("redirects without end").page("/r0", [redirect("/r1")], "redirect to /r1");
    for number in 1..=20 {
        harm = harm.also(&format!("/r{number}"), [redirect(&format!("/r{}", number + 1))]);
    }
    let done = harm.leads_to("/r10", "failed too_many_redirects").done();
    assert!(!done.server.times_asked().contains_key("/r11"));
}

#[test]
fn other_schemes() {
    let mut harm = Harm::of("redirects to file: and other schemes");
    for (number, to) in [
        "file:///etc/passwd",
        "FILE://localhost/etc/passwd",
        "ftp://127.0.0.1/",
        "gopher://127.0.0.1:70/_x",
        "data:text/html,hello",
        "javascript:alert(1)",
        "unix:/var/run/x.sock",
        "http://",
        "http://[::1",
        "http:// /",
        "",
    ]
    .into_iter()
    .enumerate()
    {
        let kind = if to.is_empty() { "redirect_loop" } else { "bad_redirect" };
        harm = harm.page(&format!("/{number}"), [redirect(to)], &format!("failed {kind}"));
    }
    harm.done();
}

/// A server whose every page redirects to one of `targets`, and a crawl with each of them as a seed.
fn redirecting(targets: &[String]) -> (Crawl, Arc<Hostile>) {
    let list = targets.to_vec();
    let server = Arc::new(Hostile::serving(move |path| match path {
        "/robots.txt" => vec![status(404)],
        "/target" => vec![ok(html("Target", &words(1, 120), NO_LINKS))],
        _ => path[1..]
            .parse::<usize>()
            .map_or_else(|_| vec![status(404)], |number| vec![redirect(&list[number])]),
    }));
    let mut crawl = Crawl::of(server.url("/0"));
    for number in 1..targets.len() {
        crawl.add_seed(&server.url(&format!("/{number}")));
    }
    (crawl, server)
}

#[test]
fn to_addresses_that_are_never_permitted() {
    // Even where private networks are permitted, as they are here: the server itself is in one.
    let targets: Vec<String> = [
        "169.254.169.254",
        "169.254.169.254.",
        "2852039166",
        "0xa9fea9fe",
        "0xa9.0xfe.0xa9.0xfe",
        "0251.0376.0251.0376",
        "169.254.43518",
        "[::ffff:169.254.169.254]",
        "[::ffff:a9fe:a9fe]",
        "[64:ff9b::169.254.169.254]",
        "[fd00:ec2::254]",
        "100.100.100.200",
        "0",
        "0.0.0.0",
        "[::]",
        "255.255.255.255",
        "224.0.0.1",
    ]
    .iter()
    .enumerate()
    // Another path for each, so that each is a URL of its own.
    .map(|(number, host)| format!("http://{host}/latest/meta-data/{number}"))
    .collect();
    let (crawl, server) = redirecting(&targets);
    let done = Harm::of("redirects to the addresses of cloud metadata in every spelling").done_by(crawl, server);
    let failures = done.report["failures"].as_array().unwrap();
    assert_eq!(failures.len(), targets.len(), "{failures:?}");
}

#[test]
fn literals() {
    let server = Arc::new(Hostile::serving(|_| vec![ok("<p>secret")]));
    let hosts = [
        "127.0.0.1",
        "127.0.0.1.",
        "127.1",
        "127.0.1",
        "0x7f.1",
        "0x7f000001",
        "2130706433",
        "0177.0.0.1",
        "017700000001",
        "%31%32%37.0.0.1",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[0:0:0:0:0:ffff:7f00:0001]",
        "127.0.0.2",
        "user@127.0.0.1",
        "0",
    ];
    let url = |(number, host): (usize, &&str)| format!("http://{host}:{}/{number}", server.port());
    let seeds: Vec<String> = hosts.iter().enumerate().map(url).collect();
    let crawl = Crawl::of(seeds.join("\n")).set("fetch.allow_private_addresses", false);
    let done = Harm::of("IP literals of private addresses in every spelling")
        .without_bystander()
        .done_by(crawl, server);
    assert!(done.server.times_asked().is_empty(), "{:?}", done.server.times_asked());
    // Those and the bystander's home page.
    assert_eq!(done.report["failures"].as_array().unwrap().len(), hosts.len() + 1);
}

#[test]
fn names() {
    let server = Arc::new(Hostile::serving(|_| vec![ok("<p>secret")]));
    let seeds = ["localhost", "LOCALHOST", "localhost."]
        .iter()
        .enumerate()
        .map(|(number, host)| format!("http://{host}:{}/{number}", server.port()));
    let crawl = Crawl::of(seeds.collect::<Vec<_>>().join("\n")).set("fetch.allow_private_addresses", false);
    let done = Harm::of("a name that resolves to a private address")
        .without_bystander()
        .done_by(crawl, server);
    assert!(done.server.times_asked().is_empty(), "{:?}", done.server.times_asked());
    let failures = done.report["failures"].as_array().unwrap();
    assert!(
        failures.iter().all(|failure| failure["kind"] == "forbidden_address"),
        "{failures:?}"
    );
}

#[test]
fn a_redirect_that_only_adds_a_session_id_or_a_tracking_parameter_is_followed() {
    let site = Site::scripted(|asked| match asked.path.as_str() {
        "/" => home(&["/page", "/track"]),
        "/page" => Answer::redirect("/page?PHPSESSID=0123456789abcdef"),
        "/page?PHPSESSID=0123456789abcdef" => article(1, NO_LINKS),
        "/track" => Answer::redirect("/track?utm_source=home"),
        "/track?utm_source=home" => Answer::redirect("/track?utm_source=home"),
        _ => Answer::status(404),
    });
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    assert_eq!(
        crawl.outcomes(&site),
        expected([("/", "kept"), ("/page", "kept"), ("/track", "failed redirect_loop")])
    );
}
