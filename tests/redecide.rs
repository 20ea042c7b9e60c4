//! `crawler rebuild` decides all pages again: by another threshold or another scheme, without a request.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use storage::{OpenOptions, PageRecord, Store};

use crate::support::crawl::Crawl;
use crate::support::outcomes::{count, expected};
use crate::support::page::{NO_LINKS, article, home, html, page, replaced, words};
use crate::support::site::{Answer, Site};

/// A home page, an article and its print version, an exact copy, two edits of the article, and another article. Each page links to the
/// next, so the crawl decides on them in this order.
fn site() -> Site {
    Site::of(pages())
}

fn pages() -> Vec<(&'static str, Answer)> {
    let text = words(1, 400);
    let edited = |places: usize| {
        let edit = |text: String, n: usize| replaced(&text, 7 + n * 31, 1, 50 + n as u64);
        (0..places).fold(text.clone(), edit)
    };
    let print = html("Article", &replaced(&text, 300, 2, 9), &["/article"]);
    vec![
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
        ("/little-again", page("Again", &edited(2), NO_LINKS)),
        ("/short", page("短", "潮汐表每年春天印刷一次。", NO_LINKS)),
    ]
}

fn crawled(site: &Site) -> Crawl {
    let crawl = Crawl::of(site.url("/")).one_at_a_time().set("steering.enabled", false);
    crawl.run();
    crawl
}

#[test]
fn a_changed_rule_of_extract_holds_for_later_pages_and_a_rebuild_uses_the_stored_texts() {
    let site = site();
    let mut crawl = crawled(&site);
    let texts = |crawl: &Crawl| -> Vec<Value> { crawl.export().iter().map(|page| page["text"].clone()).collect() };
    let before = texts(&crawl);
    crawl.change("extract", "[{ host = '127.0.0.1', drop = ['main > p'] }]");
    rebuild(&crawl, &["--redecide"]);
    assert_eq!(texts(&crawl), before);
    verify(&crawl);
    let url = site.url("/else");
    let explained = crawl
        .read("explain", &[&url, "--config", "test.toml"])
        .succeeded()
        .stdout;
    assert!(explained.contains("[[extract]] rule 1"), "{explained}");
    crawl.add_seed(&site.url("/later"));
    crawl.run();
    let export = crawl.export();
    let later = export
        .iter()
        .find(|page| page["url"] == site.url("/later").as_str())
        .unwrap();
    assert!(!later["text"].as_str().unwrap().contains(&words(12, 5)), "{later}");
}

/// `crawler rebuild` with the current configuration.
fn rebuild(crawl: &Crawl, arguments: &[&str]) -> String {
    crawl.command(&[]);
    let arguments = [&["--config", "test.toml"], arguments].concat();
    crawl.read("rebuild", &arguments).succeeded().stdout
}

fn verify(crawl: &Crawl) {
    crawl.read("verify", &["--config", "test.toml"]).succeeded();
}

/// The rows of the catalogue.
fn rows(crawl: &Crawl) -> Vec<(u64, PageRecord)> {
    let store = Store::open_untouched(&crawl.data(), &OpenOptions::existing()).unwrap();
    store.pages_from(0).map(Result::unwrap).collect()
}

#[test]
fn the_same_rules_give_every_page_the_same_verdict() {
    let site = site();
    let crawl = crawled(&site);
    let (before, outcomes) = (rows(&crawl), crawl.outcomes(&site));
    let said = rebuild(&crawl, &["--redecide"]);
    assert!(
        said.contains("0 dropped pages are now kept, 0 kept pages are now dropped, 0 have another reason"),
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
fn another_threshold_keeps_pages_without_bodies_until_a_run_fetches_them() {
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
    let anew = &report["redecided"];
    assert_eq!(
        (&anew["newly_kept"], &anew["newly_dropped"]),
        (&3.into(), &0.into()),
        "{anew}"
    );
    assert_eq!(
        anew["without_body"], 2,
        "one of them was kept once, in the place of another"
    );
    assert_eq!(anew["changed"][0]["verdict"], "kept");
    assert_eq!(exported_texts(&crawl, &site, &["/little", "/more"]), texts);
    // The next run fetches them and nothing else, and decides as before.
    crawl.run();
    let mut asked = site.paths().split_off(requests);
    asked.sort();
    assert_eq!(asked, ["/little", "/more"], "robots.txt is as before");
    assert_eq!(crawl.outcomes(&site), strict);
    let bodies = rows(&crawl).into_iter().filter(|(_, page)| page.is_kept());
    assert!(bodies.clone().count() == 7 && bodies.clone().all(|(_, page)| page.response.is_some()));
    verify(&crawl);
    assert_eq!(crawl.report()["redecided"]["without_body"], 0);
    // The old threshold gives the pages that were fetched again the verdicts of the crawl.
    crawl.change("dedup.min_similarity", 0.76);
    rebuild(&crawl, &["--redecide"]);
    assert_eq!(crawl.outcomes(&site), before);
    let anew = crawl.report()["redecided"].clone();
    assert_eq!(
        (&anew["newly_kept"], &anew["newly_dropped"]),
        (&0.into(), &0.into()),
        "{anew}"
    );
    verify(&crawl);
}

#[test]
fn pages_crawled_after_a_redecision_are_not_mixed_with_older_verdicts() {
    let site = site();
    let mut crawl = crawled(&site);
    crawl.change("dedup.min_similarity", 0.995);
    rebuild(&crawl, &["--redecide"]);
    // The first run fetches the bodies, which makes new versions; the second fetches a copy of a page that only the redecision keeps.
    crawl.run();
    crawl.add_seed(&site.url("/little-again"));
    crawl.run();
    let later = crawl.outcomes(&site);
    assert_eq!(later["/little-again"], "exact of /little");
    fs::remove_dir_all(crawl.data().join("state")).unwrap();
    // With its settings, the folder would say which rule made the verdicts.
    fs::remove_dir_all(crawl.data().join("settings")).unwrap();
    let refused = crawl.read("rebuild", &[]).with_code(2);
    assert!(
        refused.stderr.contains("gave all pages a new verdict"),
        "{}",
        refused.stderr
    );
    rebuild(&crawl, &[]);
    assert_eq!(crawl.outcomes(&site), later);
    verify(&crawl);
}

#[test]
fn an_old_version_follows_the_page_that_it_duplicated() {
    let is_later = Arc::new(AtomicBool::new(false));
    let later = is_later.clone();
    // A new version of a near-duplicate, and then rules that change the verdict on the page that the old version duplicated.
    let pages = pages();
    let site = Site::scripted(move |asked| match pages.iter().find(|(path, _)| *path == asked.path) {
        Some(("/more", _)) if later.load(Ordering::Relaxed) => article(77, &["/else"]),
        Some((_, answer)) => answer.clone(),
        None => Answer::status(404),
    });
    let mut crawl = crawled(&site)
        .set("refresh.min_interval", "\"0s\"")
        .set("refresh.first_interval", "\"0s\"");
    is_later.store(true, Ordering::Relaxed);
    crawl.end(&["--refresh"]).succeeded();
    assert_eq!(crawl.outcomes(&site)["/more"], "kept");
    for least in [0.995, 0.3, 0.76] {
        crawl.change("dedup.min_similarity", least);
        crawl.change("dedup.max_distance", if least < 0.5 { 20 } else { 10 });
        rebuild(&crawl, &["--redecide"]);
        verify(&crawl);
        crawl.run();
        verify(&crawl);
    }
}

#[test]
fn a_torn_record_is_cut_off_before_a_redecision() {
    let site = site();
    let mut crawl = crawled(&site);
    let warc = &crate::support::archive::warc_files(&crawl.data())[0];
    let whole = fs::read(warc).unwrap();
    fs::write(warc, [&whole[..], &whole[..300]].concat()).unwrap();
    crawl.change("dedup.bits", 128);
    crawl.change("dedup.max_distance", 20);
    rebuild(&crawl, &[]);
    verify(&crawl);
    assert!(fs::read(warc).unwrap() == whole);
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
    // Pages crawled from now on are in a WARC file of their own.
    crawl.add_seed(&site.url("/later"));
    crawl.run();
    verify(&crawl);
    let crawled_later = crawl.outcomes(&site);
    fs::remove_dir_all(crawl.data().join("state")).unwrap();
    // With its settings, the folder would say which rule made the verdicts.
    fs::remove_dir_all(crawl.data().join("settings")).unwrap();
    let refused = crawl.read("rebuild", &[]).with_code(2);
    assert!(
        refused.stderr.contains("gave all pages a new verdict"),
        "{}",
        refused.stderr
    );
    rebuild(&crawl, &[]);
    assert_eq!(crawl.outcomes(&site), crawled_later);
    verify(&crawl);
    crawl.run();
}

#[test]
fn verdicts_of_an_earlier_rule_are_a_note_and_not_a_finding() {
    let site = site();
    let mut crawl = Crawl::of(site.url("/"))
        .one_at_a_time()
        .set("steering.enabled", false)
        .set("dedup.min_similarity", 0.995);
    crawl.run();
    verify(&crawl);
    crawl.change("dedup.min_similarity", 0.76);
    crawl.run();
    let verified = crawl.read("verify", &["--config", "test.toml"]).succeeded();
    assert!(
        verified
            .stdout
            .contains("crawler rebuild --config test.toml --redecide"),
        "{}",
        verified.stdout
    );
    rebuild(&crawl, &["--redecide"]);
    let verified = crawl.read("verify", &["--config", "test.toml"]).succeeded();
    assert!(!verified.stdout.contains("--redecide"), "{}", verified.stdout);
}

#[test]
fn the_url_rules_of_the_first_run_stay() {
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
