//! `crawler rebuild` decides all pages anew: by another threshold, by another scheme, without a request.

use std::fs;

use serde_json::Value;
use storage::{OpenOptions, PageRecord, Store};

use crate::support::crawl::Crawl;
use crate::support::outcomes::{count, expected};
use crate::support::page::{NO_LINKS, article, home, html, page, replaced, words};
use crate::support::site::{Answer, Site};

/// A home page, an article and its print version, an exact copy, and three edits: a little, more, and so much that it is another.
/// Each leads to the next, so that they are decided in this order.
fn site() -> Site {
    let text = words(1, 400);
    let edited = |places: usize| {
        let edit = |text: String, n: usize| replaced(&text, 7 + n * 31, 1, 50 + n as u64);
        (0..places).fold(text.clone(), edit)
    };
    let print = html("Article", &replaced(&text, 300, 2, 9), &["/article"]);
    Site::of([
        ("/", home(&["/print"])),
        (
            "/print",
            Answer::html(print.replace("</head>", "<link rel=canonical href=\"/article\"></head>")),
        ),
        ("/article", page("Article", &text, &["/copy"])),
        ("/copy", page("Another title", &text.to_uppercase(), &["/little"])),
        ("/little", page("Article", &edited(2), &["/more"])),
        ("/more", page("Article", &edited(5), &["/else"])),
        ("/else", article(9, &["/short"])),
        ("/later", article(12, NO_LINKS)),
        ("/short", page("短", "潮汐表每年春天印刷一次。", NO_LINKS)),
    ])
}

fn crawled(site: &Site) -> Crawl {
    let crawl = Crawl::of(site.url("/")).one_at_a_time().set("steering.enabled", false);
    crawl.run();
    crawl
}

/// `crawler rebuild` with the configuration as it is now.
fn rebuild(crawl: &Crawl, arguments: &[&str]) -> String {
    crawl.command(&[]);
    let arguments = [&["--config", "test.toml"], arguments].concat();
    crawl.read("rebuild", &arguments).succeeded().stdout
}

fn verify(crawl: &Crawl) {
    crawl.read("verify", &["--config", "test.toml"]).succeeded();
}

/// The rows as they are, but for when they were fetched.
fn rows(crawl: &Crawl) -> Vec<(u64, PageRecord)> {
    let store = Store::open_untouched(&crawl.data(), &OpenOptions::existing()).unwrap();
    store.pages_from(0).map(Result::unwrap).collect()
}

#[test]
fn by_the_same_rules_every_page_is_what_it_was() {
    let site = site();
    let crawl = crawled(&site);
    let (before, outcomes) = (rows(&crawl), crawl.outcomes(&site));
    let said = rebuild(&crawl, &["--redecide"]);
    assert!(
        said.contains("0 that were dropped are kept, 0 that were kept are dropped, 0 have other reasons"),
        "{said}"
    );
    assert_eq!(rows(&crawl), before);
    assert_eq!(crawl.outcomes(&site), outcomes);
    verify(&crawl);
    let requests = site.requests().len();
    crawl.run();
    assert_eq!(site.requests().len(), requests, "nothing is left to do");
}

#[test]
fn by_another_threshold_pages_are_kept_by_their_texts_until_a_run_fetches_their_bodies() {
    let site = site();
    let mut crawl = crawled(&site);
    let strict = expected([
        ("/", "kept"),
        ("/article", "kept"),
        ("/print", "kept"),
        ("/copy", "exact of /article"),
        ("/little", "kept"),
        ("/more", "kept"),
        ("/else", "kept"),
        ("/short", "kept"),
    ]);
    let before = crawl.outcomes(&site);
    let texts = text_by_path(&crawl, &site, &["/little", "/more"]);
    let requests = site.requests().len();
    crawl.change("dedup.min_similarity", 0.995);
    let said = rebuild(&crawl, &["--redecide"]);
    assert!(said.contains("similarity at least 0.995"), "{said}");
    assert_eq!(site.requests().len(), requests, "nothing was asked for");
    assert_eq!(crawl.outcomes(&site), strict);
    verify(&crawl);
    let report = crawl.report();
    assert_eq!(count(&report, "kept"), 7);
    assert_eq!(count(&report, "due"), 2, "the bodies that are not there");
    assert_eq!(exported_texts(&crawl, &site, &["/little", "/more"]), texts);
    // The next run fetches them and nothing else, and decides as before.
    crawl.run();
    let mut asked = site.paths().split_off(requests);
    asked.sort();
    assert_eq!(asked, ["/little", "/more", "/robots.txt"]);
    assert_eq!(crawl.outcomes(&site), strict);
    let bodies = rows(&crawl).into_iter().filter(|(_, page)| page.is_kept());
    assert!(bodies.clone().count() == 7 && bodies.clone().all(|(_, page)| page.response.is_some()));
    verify(&crawl);
    // And back.
    crawl.change("dedup.min_similarity", 0.76);
    rebuild(&crawl, &["--redecide"]);
    assert_eq!(crawl.outcomes(&site), before);
    verify(&crawl);
}

#[test]
fn another_scheme_is_refused_by_a_run_and_made_by_a_rebuild() {
    let site = site();
    let mut crawl = crawled(&site);
    let before = crawl.outcomes(&site);
    let requests = site.requests().len();
    crawl.change("dedup.bits", 128);
    crawl.change("dedup.max_distance", 20);
    crawl.change("dedup.mask_dates", false);
    let refused = crawl.end(&[]).with_code(1);
    assert!(refused.stderr.contains("crawler rebuild --data"), "{}", refused.stderr);
    rebuild(&crawl, &[]);
    assert_eq!(crawl.outcomes(&site), before);
    assert_eq!(site.requests().len(), requests);
    verify(&crawl);
    // What is crawled from now on lies in a file of its own, beside pages of the first scheme.
    crawl.add_seed(&site.url("/later"));
    crawl.run();
    verify(&crawl);
    let crawled_later = crawl.outcomes(&site);
    fs::remove_dir_all(crawl.data().join("state")).unwrap();
    let refused = crawl.read("rebuild", &[]).with_code(2);
    assert!(refused.stderr.contains("several schemes"), "{}", refused.stderr);
    rebuild(&crawl, &[]);
    assert_eq!(crawl.outcomes(&site), crawled_later);
    verify(&crawl);
    crawl.run();
}

#[test]
fn url_rules_stay_those_that_the_crawl_was_begun_with() {
    let site = site();
    let mut crawl = crawled(&site);
    let before = crawl.outcomes(&site);
    crawl.change("canonicalize.drop_empty_query", false);
    rebuild(&crawl, &[]);
    assert_eq!(crawl.outcomes(&site), before);
    let refused = crawl.end(&[]).with_code(1);
    assert!(refused.stderr.contains("scheme"), "{}", refused.stderr);
}

fn text_by_path(crawl: &Crawl, site: &Site, paths: &[&str]) -> Vec<String> {
    let store = Store::open_untouched(&crawl.data(), &OpenOptions::existing()).unwrap();
    let pages: Vec<_> = store.pages_from(0).map(|row| row.unwrap().1).collect();
    let text = |path: &&str| {
        let page = pages.iter().find(|page| page.url == site.url(path)).unwrap();
        store.text_of(page).unwrap().unwrap()
    };
    paths.iter().map(text).collect()
}

fn exported_texts(crawl: &Crawl, site: &Site, paths: &[&str]) -> Vec<String> {
    let exported = crawl.export();
    let text = |path: &&str| {
        let is_it = |page: &&Value| page["url"] == site.url(path);
        exported.iter().find(is_it).unwrap()["text"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    paths.iter().map(text).collect()
}
