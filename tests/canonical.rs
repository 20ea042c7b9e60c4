//! `rel=canonical` chooses which page of a cluster is kept.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use config::Config;
use config::settings::Settings;
use storage::warc::{Capture, Compression};
use storage::{OpenOptions, Outcome, PageDraft, Replaced, Store, Verdict};

use crate::support::crawl::Crawl;
use crate::support::gate::Gate;
use crate::support::outcomes::{Outcomes, count, expected, urls_that};
use crate::support::page::{NO_LINKS, home, html, replaced, words};
use crate::support::site::{Answer, Site};

/// An article's page whose head has `head` in it.
fn source(text: &str, head: &str) -> String {
    html("An article", text, NO_LINKS).replace("</head>", &format!("{head}</head>"))
}

fn page(text: &str, head: &str) -> Answer {
    Answer::html(source(text, head))
}

/// The same with links.
fn linked(text: &str, head: &str, links: &[&str]) -> Answer {
    Answer::html(html("An article", text, links).replace("</head>", &format!("{head}</head>")))
}

fn canonical(url: &str) -> String {
    format!("<link rel=canonical href=\"{url}\">")
}

fn crawled(site: &Site) -> Outcomes {
    let crawl = Crawl::of(site.url("/")).one_at_a_time();
    crawl.run();
    crawl.outcomes(site)
}

/// A print version that is fetched first, and the article that it names.
fn print_and_article(print: Answer, article: Answer) -> Site {
    Site::of([("/", home(&["/print"])), ("/print", print), ("/article", article)])
}

#[test]
fn the_page_that_a_duplicate_names_is_kept_in_its_place() {
    let text = words(1, 300);
    let nearly = replaced(&text, 100, 3, 2);
    let named = canonical("/article#top");
    for (print, article, how) in [
        (page(&text, &named), page(&text, ""), "exact"),
        (page(&nearly, &named), page(&text, ""), "near"),
        (page(&text, &named), page(&text, &canonical("article")), "exact"),
        (
            page(&text, "").with("link", "</article>; rel=\"canonical\""),
            page(&text, ""),
            "exact",
        ),
        (
            page(&text, &named).with("link", "</article>; rel=canonical"),
            page(&text, ""),
            "exact",
        ),
    ] {
        let site = print_and_article(print, article);
        let crawl = Crawl::of(site.url("/")).one_at_a_time();
        crawl.run();
        let of_article = format!("{how} of /article");
        assert_eq!(
            crawl.outcomes(&site),
            expected([("/", "kept"), ("/article", "kept"), ("/print", &of_article)])
        );
        let exported = crawl.export();
        let article = exported
            .iter()
            .find(|page| page["url"] == site.url("/article"))
            .unwrap();
        assert!(article["text"].as_str().unwrap().starts_with(&text[..60]), "{article}");
        assert_eq!(exported.len(), 2);
        // A second run finds nothing to do and says the same.
        crawl.run();
        assert_eq!(count(&crawl.report(), "kept"), 2);
    }
}

#[test]
fn the_first_page_stays_where_canonical_is_not_to_be_trusted() {
    let text = words(1, 300);
    let named = canonical("/article");
    for (print, article, why) in [
        (
            page(&text, ""),
            page(&text, &named),
            "nobody names the second but itself",
        ),
        (
            page(&text, &named),
            page(&text, &canonical("/print")),
            "they name each other",
        ),
        (
            page(&text, &named),
            page(&text, &canonical("/third")),
            "the second names a third",
        ),
        (
            page(&text, &format!("{named}{}", canonical("/third"))),
            page(&text, ""),
            "the first names two",
        ),
        (
            page(&text, &named).with("link", "</third>; rel=canonical"),
            page(&text, ""),
            "its head and its header disagree",
        ),
        (
            Answer::html(html("Print", &text, NO_LINKS).replace("<main>", &format!("{named}<main>"))),
            page(&text, ""),
            "in the body it may be a visitor's",
        ),
    ] {
        // The first leads to the second, so that it is decided before the other is asked for.
        let print = print.with("link", "</article>; rel=next");
        let site = print_and_article(print, article);
        let outcomes = crawled(&site);
        assert_eq!(outcomes["/print"], "kept", "{why}: {outcomes:?}");
        assert!(outcomes["/article"].ends_with("of /print"), "{why}: {outcomes:?}");
    }
}

#[test]
fn a_page_speaks_for_no_other_site() {
    let text = words(1, 300);
    let article_may_come = Arc::new(Gate::closed());
    let gate = article_may_come.clone();
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/print" => {
            let other = asked.host.replace("127.0.0.1", "localhost");
            linked(
                &text,
                &canonical(&format!("http://{other}/article")),
                &["/print-is-decided"],
            )
        }
        "/print-is-decided" => {
            gate.open();
            Answer::status(404)
        }
        "/article" => {
            gate.pass();
            page(&text, "")
        }
        _ => Answer::status(404),
    });
    let mut crawl = Crawl::of(site.url("/print"));
    crawl.add_seed(&site.localhost_url("/article"));
    crawl.run();
    let outcomes = crawl.outcomes(&site);
    assert_eq!(outcomes["/print"], "kept");
    assert_eq!(outcomes[&site.localhost_url("/article")], "exact of /print");
}

#[test]
fn it_is_a_choice_and_changes_nothing_between_pages_that_differ() {
    let text = words(1, 300);
    let site = print_and_article(page(&text, &canonical("/article")), page(&text, ""));
    let crawl = Crawl::of(site.url("/"))
        .one_at_a_time()
        .set("dedup.prefer_canonical", false);
    crawl.run();
    assert_eq!(
        crawl.outcomes(&site),
        expected([("/", "kept"), ("/article", "exact of /print"), ("/print", "kept")])
    );
    let other = print_and_article(page(&text, &canonical("/article")), page(&words(2, 300), ""));
    assert_eq!(
        crawled(&other),
        expected([("/", "kept"), ("/article", "kept"), ("/print", "kept")])
    );
}

#[test]
fn what_duplicates_the_first_page_is_a_duplicate_of_the_second_whenever_it_came() {
    let text = words(1, 300);
    let article_may_come = Arc::new(Gate::closed());
    let gate = article_may_come.clone();
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home(&["/print"]),
        "/print" => linked(&text, &canonical("/article"), &["/copy1"]),
        "/copy1" => linked(&text, "", &["/copy1-is-decided"]),
        "/copy1-is-decided" => {
            gate.open();
            Answer::status(404)
        }
        "/article" => {
            gate.pass();
            linked(&text, "", &["/copy2"])
        }
        "/copy2" => page(&text, ""),
        _ => Answer::status(404),
    });
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    assert_eq!(
        crawl.outcomes(&site),
        expected([
            ("/", "kept"),
            ("/article", "kept"),
            ("/copy1", "exact of /article"),
            ("/copy1-is-decided", "failed http_404"),
            ("/copy2", "exact of /article"),
            ("/print", "exact of /article"),
        ])
    );
}

#[test]
fn so_it_is_where_store_and_index_are_opened_anew_for_every_page() {
    let text = words(1, 300);
    let site = Site::of([
        ("/", home(&["/print", "/copy1"])),
        ("/print", page(&text, &canonical("/article"))),
        ("/copy1", page(&text, "")),
        ("/article", linked(&text, "", &["/copy2"])),
        ("/copy2", page(&text, "")),
    ]);
    let crawl = Crawl::of(site.url("/"));
    for pages in 1..=5 {
        crawl.end(&["--max-pages", &pages.to_string()]).with_code(6);
    }
    assert_eq!(
        crawl.outcomes(&site),
        expected([
            ("/", "kept"),
            ("/article", "kept"),
            ("/copy1", "exact of /article"),
            ("/copy2", "exact of /article"),
            ("/print", "exact of /article"),
        ])
    );
    let order: Vec<String> = site.paths().into_iter().filter(|path| path != "/robots.txt").collect();
    assert_eq!(order, ["/", "/print", "/copy1", "/article", "/copy2"]);
}

#[test]
fn killed_at_any_moment_the_articles_are_kept_in_the_end() {
    const ARTICLES: u64 = 40;
    let print = |n| {
        (
            format!("/print{n}"),
            page(&words(n, 200), &canonical(&format!("/article{n}"))),
        )
    };
    let article = |n| (format!("/article{n}"), page(&words(n, 200), ""));
    let links: Vec<String> = (0..ARTICLES).map(|n| format!("/print{n}")).collect();
    let pages = (0..ARTICLES).map(print).chain((0..ARTICLES).map(article));
    let site = Site::of(pages.chain([("/".to_owned(), home(&links))]));
    let mut crawl = Crawl::of(site.url("/")).set("politeness.delay_ms", 5);
    for requests in [30, 14, 12, 11] {
        let before = site.requests().len();
        let mut life = crawl.start();
        site.wait_for_requests(before + requests);
        life.kill();
    }
    crawl.change("politeness.delay_ms", 0);
    crawl.run();
    let outcomes = crawl.outcomes(&site);
    assert_eq!(outcomes.len() as u64, 2 * ARTICLES + 1);
    for n in 0..ARTICLES {
        assert_eq!(outcomes[&format!("/article{n}")], "kept");
        assert_eq!(outcomes[&format!("/print{n}")], format!("exact of /article{n}"));
    }
    assert_eq!(
        urls_that(&outcomes, |outcome| outcome == "kept").len() as u64,
        ARTICLES + 1
    );
}

#[test]
fn a_crash_between_catalogue_and_index_is_made_good() {
    let text = words(1, 300);
    let nearly = replaced(&text, 100, 3, 2);
    let site = Site::of([
        ("/", home(&["/print", "/copy"])),
        ("/print", page(&nearly, &canonical("/article"))),
        ("/article", page(&text, "")),
        ("/copy", page(&nearly, "")),
    ]);
    let crawl = Crawl::of(site.url("/")).one_at_a_time();
    crawl.end(&["--max-pages", "2"]).with_code(6);
    article_in_the_catalogue_alone(&crawl.data(), &site, &source(&text, ""));
    crawl.run();
    assert_eq!(
        crawl.outcomes(&site),
        expected([
            ("/", "kept"),
            ("/article", "kept"),
            ("/copy", "near of /article"),
            ("/print", "near of /article"),
        ])
    );
    // It was decided by an index without the print version, of which it is an exact copy.
    let store = open(&crawl.data());
    let copies = store.pages_from(4).map(|page| page.unwrap().1.verdict);
    let copies: Vec<Verdict> = copies.collect();
    assert!(matches!(copies[..], [Verdict::Near { of: 3, .. }]), "{copies:?}");
    assert_eq!(store.catalogue().representative_of(2).unwrap(), Some(3));
}

fn settings() -> Settings {
    Settings::new(&Config::default()).unwrap()
}

fn open(data: &Path) -> Store {
    Store::open(data, &OpenOptions::new(settings().store_scheme())).unwrap()
}

/// Decides the article as the crawler does, as page 3 in the place of page 2, and "crashes" before the index has heard of it.
fn article_in_the_catalogue_alone(data: &Path, site: &Site, html: &str) {
    let mut store = open(data);
    let host = site.url("").replace("http://", "");
    let queued = store.refill(&host, 10, &HashSet::new()).unwrap();
    let article = queued.iter().find(|queued| queued.url == site.url("/article")).unwrap();
    let url = url::Url::parse(&article.url).unwrap();
    let page = page::read(
        html.as_bytes(),
        &reqwest::header::HeaderMap::new(),
        &url,
        &settings().reading(&url),
    )
    .unwrap();
    let text = page.text;
    let signature = dedup::Analyzer::new(&settings().scheme).analyze(&text);
    assert_eq!(store.page(2).unwrap().unwrap().canonical, Some(article.url.clone()));
    let draft = PageDraft {
        title: "An article".to_owned(),
        fetched_at: 1_774_085_400_125,
        status: 200,
        content_type: "text/html".to_owned(),
        encoding: "UTF-8".to_owned(),
        body_bytes: html.len() as u64,
        wire_bytes: html.len() as u64,
        text_chars: text.len() as u64,
        language: None,
        verdict: Verdict::Unique,
        signature: postcard::to_stdvec(&signature).unwrap(),
        elapsed_ms: 1,
        canonical: None,
        replaces: Some(Replaced {
            page: 2,
            verdict: Verdict::Near {
                of: 3,
                distance: Some(1),
                similarity: 0.9,
            },
        }),
        ..PageDraft::default()
    };
    let capture = Capture {
        url: &article.url,
        fetched_at: draft.fetched_at,
        ip: None,
        request: None,
        status: 200,
        reason: "OK",
        headers: Vec::new(),
        payload: html.as_bytes(),
        truncated: None,
        rendered: None,
        text: &text,
    };
    let outcome = Outcome::Page {
        draft: Box::new(draft),
        capture: Some(capture.encode(Compression::default()).unwrap()),
    };
    store.finish(article, outcome, &[]).unwrap();
    store.commit().unwrap();
}
