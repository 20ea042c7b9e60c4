//! The archive: what is kept is in it, whole and readable, and nothing else.

use std::collections::BTreeSet;

use serde_json::Value;
use storage::warc::Record;

use crate::support::archive::{archived, damage_text_of, warc_files};
use crate::support::crawl::Crawl;
use crate::support::outcomes::{count, urls_that};
use crate::support::page::{NO_LINKS, article, home, html, page, replaced, words};
use crate::support::process::{crawler, run};
use crate::support::site::{Answer, Site};

/// Kept: `/`, `/a`, `/zipped`; dropped: a copy, an edited copy; neither: a redirect, a missing and a forbidden page.
/// What is a copy links from the page that it copies, so that this one comes first.
fn site() -> Site {
    let text = words(1, 200);
    Site::of([
        ("/robots.txt", Answer::text("User-agent: *\nDisallow: /forbidden\n")),
        ("/", home(&["/a", "/zipped", "/moved", "/missing", "/forbidden"])),
        ("/a", page("The page", &text, LINKS_OF_A).with("x-test", "seen")),
        ("/copy", page("The copy", &text, NO_LINKS)),
        ("/edited", page("The edition", &replaced(&text, 50, 3, 2), NO_LINKS)),
        ("/zipped", zipped().gzipped()),
        ("/twin", page("The page", &text, LINKS_OF_A)),
        ("/moved", Answer::redirect("/a")),
        ("/forbidden", article(9, NO_LINKS)),
    ])
}

const LINKS_OF_A: &[&str] = &["/copy", "/edited", "/twin"];

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
fn every_kept_page_has_one_response_and_one_text_and_every_duplicate_what_its_text_has_besides() {
    let (site, crawl) = finished();
    let outcomes = crawl.outcomes(&site);
    let kept: BTreeSet<String> = urls_that(&outcomes, |outcome| outcome == "kept")
        .into_iter()
        .map(|path| site.url(path))
        .collect();
    assert_eq!(kept, ["/", "/a", "/zipped"].map(|path| site.url(path)).into());
    let mut pages = archived(&crawl.data());
    for path in ["/copy", "/edited", "/twin"] {
        let page = pages.remove(&site.url(path)).unwrap();
        assert_eq!(
            (&page.responses[..], &page.conversions[..]),
            (&[][..], &[][..]),
            "{path}"
        );
        let (request, duplicate) = (one(&page.requests), one(&page.duplicates));
        let answer = match path {
            "/twin" => {
                let revisit = one(&page.revisits).field("WARC-Record-ID");
                assert_eq!(duplicate.field("WARC-Concurrent-To"), revisit);
                revisit
            }
            _ => {
                assert_eq!(page.revisits, [], "{path}");
                duplicate.field("WARC-Record-ID")
            }
        };
        assert_eq!(request.field("WARC-Concurrent-To"), answer, "{path}");
        assert!(page.of_duplicate("text-of").is_some(), "{path}");
        let has_delta = page.of_duplicate("text-delta").is_some();
        assert_eq!(
            has_delta,
            path == "/edited",
            "{path}: the others have the text of the kept page"
        );
    }
    assert_eq!(pages.keys().cloned().collect::<BTreeSet<_>>(), kept);
    for (url, page) in &pages {
        let (response, conversion) = (one(&page.responses), one(&page.conversions));
        assert_eq!(page.revisits, []);
        assert_eq!(
            one(&page.requests).field("WARC-Concurrent-To"),
            response.field("WARC-Record-ID"),
            "{url}"
        );
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
fn a_duplicate_says_what_it_is_of_and_in_which_sense() {
    let (site, crawl) = finished();
    let pages = archived(&crawl.data());
    let kept = one(&pages[&site.url("/a")].responses);
    let revisit = one(&pages[&site.url("/twin")].revisits);
    let field = |name| revisit.field(name);
    assert_eq!(
        field("WARC-Profile"),
        Some("http://netpreserve.org/warc/1.1/revisit/identical-payload-digest")
    );
    assert_eq!(field("WARC-Refers-To"), kept.field("WARC-Record-ID"));
    assert_eq!(field("WARC-Refers-To-Target-URI"), Some(&*site.url("/a")));
    assert_eq!(field("WARC-Refers-To-Date"), kept.field("WARC-Date"));
    assert_eq!(field("WARC-Payload-Digest"), kept.field("WARC-Payload-Digest"));
    assert_eq!(revisit.http_payload(), Some(&b""[..]));
    assert!(revisit.block.starts_with(b"HTTP/1.1 200 OK\r\n"));
    for (path, kind) in [("/copy", "same-text"), ("/edited", "near-duplicate")] {
        let line = |name| pages[&site.url(path)].of_duplicate(name);
        assert_eq!(line("is").as_deref(), Some(kind), "{path}");
        assert_eq!(line("refers-to-target-uri"), Some(site.url("/a")), "{path}");
        assert_eq!(line("refers-to-date").as_deref(), kept.field("WARC-Date"), "{path}");
        assert_eq!(line("status-line").as_deref(), Some("HTTP/1.1 200 OK"), "{path}");
        assert!(line("header").is_some_and(|header| header.contains(": ")), "{path}");
    }
}

#[test]
fn the_index_has_a_line_for_every_response_and_revisit_in_order() {
    let (_site, mut crawl) = finished();
    let index = |crawl: &Crawl| std::fs::read_to_string(crawl.data().join("warc/index.cdxj")).unwrap();
    let first = index(&crawl);
    let lines: Vec<&str> = first.lines().collect();
    // The kept pages, and the duplicate that has the bytes of one.
    assert_eq!(lines.len(), 4);
    assert!(lines.is_sorted());
    for line in &lines {
        let (_, json) = line.split_at(line.find('{').unwrap());
        let fields: Value = serde_json::from_str(json).unwrap();
        let number = |name: &str| fields[name].as_str().unwrap().parse::<usize>().unwrap();
        let file = std::fs::read(crawl.data().join("warc").join(fields["filename"].as_str().unwrap())).unwrap();
        let member = &file[number("offset")..number("offset") + number("length")];
        let mut records = storage::warc::WarcReader::new(std::io::Cursor::new(member));
        let record = records.next_record().unwrap().unwrap().unwrap().record;
        assert!(records.next_record().unwrap().is_none(), "one record");
        assert_eq!(record.field("WARC-Target-URI"), fields["url"].as_str());
        assert_eq!(record.field("WARC-Payload-Digest"), fields["digest"].as_str());
        let is_revisit = record.kind() == "revisit";
        assert_eq!(fields["mime"], if is_revisit { "warc/revisit" } else { "text/html" });
        assert_eq!(fields["status"], "200");
    }
    // What an interrupted run left of it does no harm, and the next run makes it anew.
    std::fs::write(crawl.data().join("warc/index.cdxj"), "cut").unwrap();
    std::fs::write(crawl.data().join("warc/index.cdxj.partial"), "half").unwrap();
    let new = Site::of([("/", article(77, NO_LINKS))]);
    crawl.add_seed(&new.url("/"));
    crawl.run();
    assert_eq!(index(&crawl).lines().count(), 5);
    assert!(!crawl.data().join("warc/index.cdxj.partial").exists());
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
    let served = html("The page", &words(1, 200), LINKS_OF_A);
    assert_eq!(response.http_payload(), Some(served.as_bytes()));
    let digest = storage::warc::shown_digest(&storage::warc::payload_digest(served.as_bytes()));
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
    let kept = pages.values().filter(|page| !page.responses.is_empty());
    assert_eq!(exported.len(), kept.count());
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
    assert_eq!(archived(&crawl.data()).len(), 6);
    let new = Site::of([("/", article(77, NO_LINKS))]);
    crawl.add_seed(&new.url("/"));
    crawl.run();
    assert!(archived(&crawl.data()).contains_key(&new.url("/")));
}

/// The kept pages that `crawler dedup` finds in a file or folder.
fn deduplicated(crawl: &Crawl, path: &str) -> BTreeSet<String> {
    let ended = run(crawler(["dedup", path]).current_dir(crawl.path(""))).succeeded();
    let lines = ended
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let kept = lines.filter(|line| line["verdict"] == "unique");
    kept.map(|line| line["id"].as_str().unwrap().to_owned()).collect()
}

fn names(crawl: &Crawl) -> Vec<String> {
    let files = warc_files(&crawl.data()).into_iter();
    files
        .map(|path| path.extension().unwrap().to_str().unwrap().to_owned())
        .collect()
}

/// The exported pages, in the order of their URLs.
fn exported(crawl: &Crawl) -> Vec<Value> {
    let mut pages = crawl.export();
    pages.sort_by_key(|page| page["url"].to_string());
    pages
}

#[test]
fn every_command_works_on_files_of_zstandard_and_of_both() {
    let site = site();
    let mut crawl = Crawl::of(site.url("/")).set("storage.compression", "\"zstd\"");
    crawl.run();
    assert_eq!(names(&crawl), ["zst"]);
    let check = |crawl: &Crawl| {
        crawl.read("verify", &[]).succeeded().says(&["No finding"]);
        crawl
            .read("explain", &[&site.url("/edited")])
            .succeeded()
            .says(&["near-duplicate"]);
        let before = exported(crawl);
        std::fs::remove_dir_all(crawl.data().join("state")).unwrap();
        crawl.read("rebuild", &[]).succeeded();
        assert_eq!(exported(crawl), before);
        let redecide = ["--redecide", "--config", "test.toml"];
        crawl.read("rebuild", &redecide).succeeded();
        assert_eq!(exported(crawl), before);
        crawl.read("verify", &[]).succeeded().says(&["No finding"]);
        let urls: BTreeSet<String> = before
            .iter()
            .map(|page| page["url"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(deduplicated(crawl, "data/warc"), urls);
        urls
    };
    let urls = check(&crawl);
    assert_eq!(urls, ["/", "/a", "/zipped"].map(|path| site.url(path)).into());
    let file = warc_files(&crawl.data()).remove(0);
    assert_eq!(deduplicated(&crawl, file.to_str().unwrap()), urls);
    // Another program's decompressor reads the file as a whole.
    let plain = zstd::decode_all(std::fs::File::open(&file).unwrap()).unwrap();
    assert!(plain.starts_with(b"WARC/1.1\r\n") && plain.ends_with(b"\r\n\r\n"));
    // The second run changes the value, the third changes it back.
    let others: Vec<Site> = (77..79)
        .map(|seed| Site::of([("/", article(seed, NO_LINKS))]))
        .collect();
    for (other, (value, files)) in others
        .iter()
        .zip([("gzip", &["zst", "gz"][..]), ("zstd", &["zst", "gz", "zst"])])
    {
        crawl.change("storage.compression", format!("{value:?}"));
        crawl.add_seed(&other.url("/"));
        crawl.run();
        assert_eq!(names(&crawl), files);
        check(&crawl);
    }
    assert_eq!(archived(&crawl.data()).len(), 8);
}

#[test]
fn a_changed_byte_of_a_frame_is_found_by_verify() {
    let site = site();
    let crawl = Crawl::of(site.url("/")).set("storage.compression", "\"zstd\"");
    crawl.run();
    damage_text_of(&crawl.data(), &site.url("/a"));
    crawl.read("verify", &[]).with_code(1).says(&["warc.zst"]);
}
