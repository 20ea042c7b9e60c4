//! Servers that mean harm, or do it all the same.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

use crate::support::crawl::Crawl;
use crate::support::outcomes::{count, expected, list};
use crate::support::page::{NO_LINKS, article, home, html, words};
use crate::support::site::{Answer, Site};

/// A server of raw bytes: `answer` gives all that is sent for a path; the connection is closed after it.
fn raw_site(answer: impl Fn(&str) -> Vec<u8> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            serve(&stream, &answer);
        }
    });
    url
}

/// A client that goes away is its own affair.
fn serve(mut stream: &TcpStream, answer: &impl Fn(&str) -> Vec<u8>) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let Some(request) = lines.next() else { return };
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let path = request.split(' ').nth(1).unwrap_or("/");
    stream.write_all(&answer(path)).ok();
}

fn response(body: &str, length: usize) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}")
        .into_bytes()
}

#[test]
fn pages_that_break_off_are_failures_of_their_own_and_not_of_their_host() {
    let base = raw_site(|path| {
        let whole = |links: &[&str], seed| {
            let body = html(path, &words(seed, 120), links);
            response(&body, body.len())
        };
        match path {
            "/" => whole(&["/broken1", "/broken2", "/1"], 1),
            "/broken1" | "/broken2" => response("<p>half", 1_000),
            "/1" => whole(&["/2"], 2),
            "/2" => whole(&["/3"], 3),
            "/3" => whole(&[], 4),
            _ => b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".to_vec(),
        }
    });
    let crawl = Crawl::of(format!("{base}/")).set("politeness.max_retries", 2);
    crawl.run();
    let report = crawl.report();
    assert_eq!((count(&report, "kept"), count(&report, "queued")), (4, 0), "{report}");
    let kinds: Vec<_> = list(&report, "failures")
        .iter()
        .map(|failure| &failure["kind"])
        .collect();
    assert_eq!(kinds, ["interrupted", "interrupted"]);
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

#[test]
fn of_a_robots_txt_without_end_the_beginning_counts() {
    let rules = format!("User-agent: *\nDisallow: /a\n{}", "# and so on\n".repeat(100_000));
    for robots in [Answer::text(rules.clone()), Answer::text(rules).gzipped()] {
        let site = Site::of([
            ("/robots.txt", robots),
            ("/", home(&["/a", "/b"])),
            ("/a", article(1, NO_LINKS)),
            ("/b", article(2, NO_LINKS)),
        ]);
        let crawl = Crawl::of(site.url("/")).set("fetch.max_body_bytes", 100_000);
        crawl.run();
        assert!(!site.paths().contains(&"/a".to_owned()));
        assert_eq!(
            (count(&crawl.report(), "kept"), count(&crawl.report(), "excluded")),
            (2, 1)
        );
    }
}

#[test]
fn what_a_server_says_is_cut_before_it_is_stored() {
    let rules = format!("User-agent: *\nDisallow: /*{}\n", "*".repeat(15_000));
    let site = Site::of([("/robots.txt", Answer::text(rules)), ("/", home(&["/a"]))]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let report = crawl.report();
    let reason = list(&report, "excluded")[0]["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("robots.txt: ") && reason.len() < 600,
        "{} bytes",
        reason.len()
    );
}

#[test]
fn sitemaps_that_name_one_another_and_other_hosts_end() {
    let site = Site::scripted(|asked| {
        let index = |names: &[String]| {
            let maps: String = names
                .iter()
                .map(|name| format!("<sitemap><loc>{name}</loc></sitemap>"))
                .collect();
            Answer::xml(format!("<sitemapindex>{maps}</sitemapindex>"))
        };
        match asked.path.as_str() {
            "/robots.txt" => Answer::text("Sitemap: /map0.xml\nSitemap: http://localhost:9/elsewhere.xml\n"),
            "/" => home(NO_LINKS),
            path if path.starts_with("/map") => index(&["/map0.xml".to_owned(), "/map1.xml".to_owned()]),
            _ => Answer::status(404),
        }
    });
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let times = site.times_asked();
    assert!(times.values().all(|&times| times == 1), "{times:?}");
    assert_eq!(count(&crawl.report(), "kept"), 1);
}
