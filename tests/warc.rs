//! The archive: what is kept is in it, whole and readable, and nothing else.

use std::collections::BTreeSet;

use serde_json::Value;
use storage::warc::Record;

use crate::support::archive::{archived, warc_files};
use crate::support::crawl::Crawl;
use crate::support::outcomes::{count, urls_that};
use crate::support::page::{NO_LINKS, article, home, html, page, replaced, words};
use crate::support::site::{Answer, Site};

/// Kept: `/`, `/a`, `/zipped`; dropped: a copy, an edited copy; neither: a redirect, a missing and a forbidden page.
fn site() -> Site {
    let text = words(1, 200);
    Site::of([
        ("/robots.txt", Answer::text("User-agent: *\nDisallow: /forbidden\n")),
        ("/", home(&["/a", "/zipped", "/moved", "/missing", "/forbidden"])),
        (
            "/a",
            page("The page", &text, &["/copy", "/edited"]).with("x-test", "seen"),
        ),
        ("/copy", page("The copy", &text, NO_LINKS)),
        ("/edited", page("The edition", &replaced(&text, 50, 3, 2), NO_LINKS)),
        ("/zipped", zipped().gzipped()),
        ("/moved", Answer::redirect("/a")),
        ("/forbidden", article(9, NO_LINKS)),
    ])
}

fn zipped() -> Answer {
    Answer::html(zipped_source())
}

fn zipped_source() -> String {
    html("Zipped", &words(2, 200), NO_LINKS)
}

fn finished() -> (Site, Crawl) {
    let site = site();
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    (site, crawl)
}

/// The only record in `records`.
#[track_caller]
fn one(records: &[Record]) -> &Record {
    let [record] = records else {
        panic!("{} records where one is wanted", records.len())
    };
    record
}

#[test]
fn every_kept_page_has_one_response_and_one_text_and_no_other_page_has_any() {
    let (site, crawl) = finished();
    let outcomes = crawl.outcomes(&site);
    let kept: BTreeSet<String> = urls_that(&outcomes, |outcome| outcome == "kept")
        .into_iter()
        .map(|path| site.url(path))
        .collect();
    assert_eq!(kept, ["/", "/a", "/zipped"].map(|path| site.url(path)).into());
    let pages = archived(&crawl.data());
    assert_eq!(pages.keys().cloned().collect::<BTreeSet<_>>(), kept);
    for (url, page) in &pages {
        let (response, conversion) = (one(&page.responses), one(&page.conversions));
        assert_eq!(
            conversion.field("WARC-Refers-To"),
            response.field("WARC-Record-ID"),
            "{url}"
        );
        assert!(
            response
                .field("WARC-Block-Digest")
                .is_some_and(|digest| digest.starts_with("sha1:")),
            "{url}"
        );
        assert_eq!(response.field("WARC-IP-Address"), Some("127.0.0.1"), "{url}");
        assert_eq!(response.version, "WARC/1.1");
    }
}

#[test]
fn there_are_as_many_responses_as_kept_pages() {
    let (_site, crawl) = finished();
    let responses: usize = archived(&crawl.data()).values().map(|page| page.responses.len()).sum();
    assert_eq!(responses as u64, count(&crawl.report(), "kept"));
}

#[test]
fn a_response_is_stored_as_it_was_served_with_its_payload_digest() {
    let (site, crawl) = finished();
    let pages = archived(&crawl.data());
    let response = one(&pages[&site.url("/a")].responses);
    let served = html("The page", &words(1, 200), &["/copy", "/edited"]);
    assert_eq!(response.http_payload(), Some(served.as_bytes()));
    let digest = storage::warc::record::digest(&[served.as_bytes()]);
    assert_eq!(response.field("WARC-Payload-Digest"), Some(digest.as_str()));
    let head = String::from_utf8_lossy(&response.block);
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(head.contains("x-test: seen\r\n"), "{head}");
}

#[test]
fn a_compressed_page_is_stored_decoded_and_its_header_says_so() {
    let (site, crawl) = finished();
    let pages = archived(&crawl.data());
    let response = one(&pages[&site.url("/zipped")].responses);
    assert_eq!(response.http_payload(), Some(zipped_source().as_bytes()));
    let head = String::from_utf8_lossy(&response.block).to_lowercase();
    assert!(head.contains("\r\nx-crawler-content-encoding: gzip\r\n"), "{head}");
    assert!(!head.contains("\r\ncontent-encoding:"), "{head}");
    assert!(
        head.contains(&format!("\r\ncontent-length: {}\r\n", zipped_source().len())),
        "{head}"
    );
}

#[test]
fn the_stored_text_is_the_exported_one() {
    let (site, crawl) = finished();
    let pages = archived(&crawl.data());
    let exported = crawl.export();
    assert_eq!(exported.len(), pages.len());
    for line in &exported {
        let url = line["url"].as_str().unwrap();
        let conversion = one(&pages[url].conversions);
        assert_eq!(
            Value::from(String::from_utf8_lossy(&conversion.block)),
            line["text"],
            "{url}"
        );
    }
    let text = exported.iter().find(|line| line["url"] == site.url("/a")).unwrap()["text"]
        .as_str()
        .unwrap()
        .to_owned();
    let plain: Vec<&str> = text
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty())
        .collect();
    assert_eq!(
        plain.join(" "),
        words(1, 200),
        "the main text, and nothing of the navigation"
    );
}

#[test]
fn a_full_file_is_followed_by_another_and_all_of_them_can_be_read() {
    // Random letters hardly compress: half a megabyte a page, of a roll size of one.
    let pages = (1..=6_u64).map(|n| {
        (
            format!("/{n}"),
            page("Long", &words(n, 90_000), &[format!("/{}", n + 1)]),
        )
    });
    let site = Site::of(pages);
    let crawl = Crawl::of(site.url("/1")).set("storage.warc_file_bytes", 1_048_576);
    crawl.run();
    let files = warc_files(&crawl.data());
    assert!(files.len() > 1, "{files:?}");
    assert_eq!(archived(&crawl.data()).len(), 6);
    assert_eq!(crawl.export().len(), 6);
}

#[test]
fn a_second_run_adds_to_the_archive_what_is_new() {
    let (site, mut crawl) = finished();
    crawl.add_seed(&site.url("/a?again"));
    crawl.run();
    assert_eq!(archived(&crawl.data()).len(), 3);
    let new = Site::of([("/", article(77, NO_LINKS))]);
    crawl.add_seed(&new.url("/"));
    crawl.run();
    assert!(archived(&crawl.data()).contains_key(&new.url("/")));
}
