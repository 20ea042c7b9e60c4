//! The archive says what was asked, and keeps no secret of the operator's.

use std::fs::File;
use std::net::{IpAddr, Ipv4Addr};

use storage::warc::{Record, WarcReader};

use crate::support::archive::{archived, warc_files};
use crate::support::crawl::Crawl;
use crate::support::heads::{HeadServer, answer, page};
use crate::support::page::{NO_LINKS, html, words};

/// A site that sets a cookie by a redirect and has a page, its copy and one page more.
fn serve() -> HeadServer {
    HeadServer::at(IpAddr::V4(Ipv4Addr::LOCALHOST), |head| {
        let text = words(1, 120);
        match head.target.as_str() {
            "/" => answer(
                "302 Found",
                "Location: /a?x=1\r\nSet-Cookie: visit=c00kie-s3cret; Path=/\r\n",
                "",
            ),
            "/a?x=1" => page(&html("A", &text, &["/copy", "/b"])),
            "/copy" => page(&html("Copy", &text, NO_LINKS)),
            "/b" => page(&html("B", &words(2, 120), NO_LINKS)),
            _ => answer("404 Not Found", "", ""),
        }
    })
}

fn all_records(crawl: &Crawl) -> Vec<Record> {
    let files = warc_files(&crawl.data()).into_iter();
    let records = files.flat_map(|path| WarcReader::new(File::open(path).unwrap()));
    records.map(|record| record.unwrap().unwrap().record).collect()
}

/// Method line and fields of a request record.
fn shown(request: &Record) -> (String, Vec<(String, String)>) {
    let block = std::str::from_utf8(&request.block).unwrap();
    let mut lines = block.strip_suffix("\r\n\r\n").unwrap().split("\r\n");
    let first = lines.next().unwrap().to_owned();
    let field = |line: &str| {
        let (name, value) = line.split_once(": ").unwrap();
        (name.to_owned(), value.to_owned())
    };
    (first, lines.map(field).collect())
}

#[test]
fn a_request_is_archived_as_it_was_sent() {
    let server = serve();
    let crawl = Crawl::of(server.url("/"));
    crawl.run();
    let pages = archived(&crawl.data());
    assert_eq!(pages.len(), 3);
    for path in ["/a?x=1", "/copy", "/b"] {
        let [request] = &pages[&server.url(path)].requests[..] else {
            panic!("one request of {path}")
        };
        let (first, fields) = shown(request);
        assert_eq!(first, format!("GET {path} HTTP/1.1"));
        assert_eq!(fields, server.heads_of(path)[0].fields, "{path}");
        assert_eq!(request.field("Content-Type"), Some("application/http;msgtype=request"));
    }
}

#[test]
fn the_url_that_was_asked_is_archived_and_not_the_one_that_it_is_known_by() {
    let server = HeadServer::at(IpAddr::V4(Ipv4Addr::LOCALHOST), |head| {
        let unchanging = "ETag: \"1\"\r\nContent-Type: text/html\r\n";
        match head.target.as_str() {
            "/" => page(&html("Home", &words(1, 120), &["/a"])),
            "/a" => answer("302 Found", "Location: /a?utm_source=x\r\n", ""),
            "/a?utm_source=x" => answer("200 OK", unchanging, &html("A", &words(2, 120), NO_LINKS)),
            _ => answer("404 Not Found", "", ""),
        }
    });
    let crawl = Crawl::of(server.url("/")).set("refresh.min_interval", "\"0s\"");
    let crawl = crawl
        .set("refresh.first_interval", "\"0s\"")
        .set("refresh.max_interval", "\"0s\"");
    crawl.run();
    crawl.end(&["--refresh"]).succeeded();
    let pages = archived(&crawl.data());
    let requests = &pages[&server.url("/a")].requests;
    let sent = server.heads_of("/a?utm_source=x");
    assert_eq!((requests.len(), sent.len()), (2, 2));
    for (request, sent) in requests.iter().zip(sent) {
        let (first, fields) = shown(request);
        assert_eq!((&*first, fields), ("GET /a?utm_source=x HTTP/1.1", sent.fields));
    }
}

#[test]
fn no_credentials_cookies_or_fields_of_the_operator_are_in_the_archive() {
    let server = serve();
    let credentials = format!(
        "[{{ host = \"{}\", user = \"reader\", password = \"s3cret-word\" }}]",
        server.origin()
    );
    let mut crawl = Crawl::of(server.url("/"))
        .set("fetch.cookies", true)
        .set("fetch.credentials", credentials)
        .set("fetch.headers.X-Api-Key", "\"k3y-s3cret\"")
        .set("fetch.headers.Accept", "\"text/html;token=t0ken-s3cret\"")
        .set("canonicalize.drop_userinfo", false);
    let with_userinfo = server.url("/b?u").replace("http://", "http://me:us3r-s3cret@");
    crawl.add_seed(&with_userinfo);
    crawl.run();
    let sent = server.heads_of("/copy").remove(0);
    assert_eq!(
        sent.field("cookie"),
        "visit=c00kie-s3cret",
        "there is something to hide"
    );
    assert_eq!(sent.field("authorization"), "Basic cmVhZGVyOnMzY3JldC13b3Jk");
    assert_eq!(sent.field("x-api-key"), "k3y-s3cret");
    let records = all_records(&crawl);
    assert_eq!(records.iter().filter(|record| record.kind() == "request").count(), 3);
    let index = std::fs::read(crawl.data().join("warc/index.cdxj")).unwrap();
    let mut texts = vec![index];
    for record in records {
        let fields = record.fields.iter().map(|(name, value)| format!("{name}: {value}\n"));
        texts.push([fields.collect::<String>().as_bytes(), &record.block].concat());
    }
    for text in texts {
        let text = String::from_utf8_lossy(&text).to_ascii_lowercase();
        for secret in [
            "s3cret",
            "cmvhzgvyonmzy3jldc13b3jk",
            "authorization:",
            "\r\ncookie:",
            "x-api-key",
        ] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
        assert!(!text.starts_with("get ") || !text.contains("\r\naccept:"), "{text}");
    }
}
