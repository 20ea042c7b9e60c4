//! What is dropped as saying nothing new, and what is not.

use std::sync::Arc;

use crate::support::crawl::Crawl;
use crate::support::gate::Gate;
use crate::support::outcomes::{count, expected, list, urls_that};
use crate::support::page::{NO_LINKS, home, page, replaced, reversed, words};
use crate::support::site::{Answer, Site};

/// A page of each of these texts, `/0`, `/1`, …, each linked from the one before and the first from the home page: a link
/// is followed once its page is decided, so they are decided in this order.
fn site_of(texts: &[String]) -> Site {
    let pages = texts.iter().enumerate().map(|(n, text)| {
        let next = if n + 1 < texts.len() {
            vec![format!("/{}", n + 1)]
        } else {
            Vec::new()
        };
        (format!("/{n}"), page(&format!("Page {n}"), text, &next))
    });
    Site::of([("/".to_owned(), home(&["/0"]))].into_iter().chain(pages))
}

#[test]
fn of_near_duplicates_in_flight_at_once_exactly_one_is_kept() {
    const PAGES: usize = 32;
    for round in 0..4 {
        let together = Arc::new(Gate::for_callers(PAGES));
        let gate = together.clone();
        let site = Site::scripted(move |asked| {
            let links: Vec<String> = (0..PAGES).map(|n| format!("/{n}")).collect();
            match asked.path[1..].parse::<usize>() {
                // All of them are asked for before the first is answered.
                Ok(n) if gate.pass() => {
                    let text = replaced(&words(round, 400), 9 * n, 2, n as u64);
                    page("Reprint", &text, NO_LINKS)
                }
                _ if asked.path == "/" => home(&links),
                _ => Answer::status(404),
            }
        });
        let crawl = Crawl::of(site.url("/"))
            .set("fetch.parallel", PAGES)
            .set("politeness.parallel_per_host", PAGES);
        crawl.run();
        let report = crawl.report();
        assert_eq!(
            (count(&report, "kept"), count(&report, "near")),
            (2, 31),
            "round {round}"
        );
        let of_one: Vec<usize> = list(&report, "clusters")
            .iter()
            .map(|cluster| list(cluster, "duplicates").len())
            .collect();
        assert!(of_one == [0, 31], "round {round}: {of_one:?}");
    }
}

#[test]
fn of_one_text_under_many_urls_exactly_one_is_kept() {
    let links: Vec<String> = (0..24).map(|n| format!("/?n={n}")).collect();
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home(&links),
        "/robots.txt" => Answer::status(404),
        _ => page("Everywhere", &words(1, 200), NO_LINKS),
    });
    let crawl = Crawl::of(site.url("/")).set("politeness.parallel_per_host", 32);
    crawl.run();
    let report = crawl.report();
    assert_eq!(
        (count(&report, "kept"), count(&report, "exact"), count(&report, "near")),
        (2, 23, 0)
    );
}

#[test]
fn a_page_like_a_dropped_one_only_is_kept() {
    // 300 words are 296 runs of five; 28 words in another order change 32 of them, twice 64:
    // J = 264 / 328 = 0.80 between neighbours, 232 / 360 = 0.64 between the ends of the chain.
    let a = words(1, 300);
    let b = reversed(&a, 40, 28);
    let c = reversed(&b, 160, 28);
    let site = site_of(&[a, b, c]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let outcomes = crawl.outcomes(&site);
    assert_eq!(
        outcomes,
        expected([("/", "kept"), ("/0", "kept"), ("/1", "near of /0"), ("/2", "kept")])
    );
}

#[test]
fn a_duplicate_names_the_kept_page_its_distance_and_its_similarity() {
    let text = words(1, 300);
    let site = site_of(&[text.clone(), replaced(&text, 100, 3, 7), text]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let report = crawl.report();
    let clusters = list(&report, "clusters");
    let cluster = clusters
        .iter()
        .find(|cluster| cluster["kept"] == site.url("/0"))
        .unwrap();
    assert_eq!(cluster["title"], "Page 0");
    let [near, exact] = list(cluster, "duplicates") else {
        panic!("{cluster}")
    };
    assert_eq!(
        (&near["verdict"], &near["url"]),
        (&"near".into(), &site.url("/1").into())
    );
    // Seven of 296 runs are others: J = 289 / 303.
    let similarity = near["similarity"].as_f64().unwrap();
    assert!((similarity - 289.0 / 303.0).abs() < 0.06, "{similarity}");
    assert!((1..=10).contains(&near["distance"].as_u64().unwrap()), "{near}");
    assert_eq!((&exact["verdict"], &exact["distance"]), (&"exact".into(), &0.into()));
    assert_eq!(exact["similarity"], 1.0);
}

#[test]
fn empty_pages_are_nobodys_duplicates() {
    let links: Vec<String> = (0..6).map(|n| format!("/{n}")).collect();
    let empty = ["", "<p></p>", "<!-- nothing -->", "<p> </p>", "<hr>", "<p>— … —</p>"];
    let pages = empty
        .iter()
        .zip(&links)
        .map(|(body, path)| (path.clone(), Answer::html(format!("<body>{body}</body>"))));
    let site = Site::of([("/".to_owned(), home(&links))].into_iter().chain(pages));
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    assert_eq!(urls_that(&crawl.outcomes(&site), |outcome| outcome == "kept").len(), 7);
    assert!(crawl.export().iter().all(|line| line["fingerprint"].is_null()));
}

#[test]
fn a_new_date_makes_no_new_page() {
    let dated = |date: &str| format!("{} Last changed on {date} by us", words(3, 200));
    let texts = [
        dated("5 March 2024"),
        dated("17 November 2025"),
        dated("2026-01-31, 12:30"),
    ];
    let site = site_of(&texts);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    assert_eq!(
        crawl.outcomes(&site),
        expected([
            ("/", "kept"),
            ("/0", "kept"),
            ("/1", "near of /0"),
            ("/2", "near of /0")
        ])
    );
    let near = list(&crawl.report(), "clusters")[1]["duplicates"][0].clone();
    eprintln!(
        "{:#} {:#}",
        crawl.report()["clusters"],
        serde_json::Value::from(crawl.export())
    );
    assert_eq!((&near["distance"], &near["similarity"]), (&0.into(), &1.0.into()));
}

#[test]
fn pages_of_one_template_with_texts_of_their_own_are_all_kept() {
    let frame = words(1, 60);
    let texts: Vec<String> = (0..12).map(|n| format!("{frame} {}", words(100 + n, 240))).collect();
    let site = site_of(&texts);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    assert_eq!(count(&crawl.report(), "kept"), 13);
}

#[test]
fn short_texts_are_compared_exactly() {
    let text = words(9, 40);
    // 36 runs of five; one word at the end changes one of them, one in the middle five.
    let close = replaced(&text, 39, 1, 4);
    let far = replaced(&text, 20, 1, 5);
    let site = site_of(&[text, close, far]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let outcomes = crawl.outcomes(&site);
    assert_eq!(
        outcomes,
        expected([("/", "kept"), ("/0", "kept"), ("/1", "near of /0"), ("/2", "kept")])
    );
    let report = crawl.report();
    let near = &list(&report, "clusters")[1]["duplicates"][0];
    assert!(near["distance"].is_null(), "a short text has no fingerprint: {near}");
    let similarity = near["similarity"].as_f64().unwrap();
    assert!((similarity - 35.0 / 37.0).abs() < 1e-6, "{similarity}");
}

#[test]
fn a_wider_distance_between_two_runs_is_obeyed() {
    let text = words(1, 300);
    let near = [replaced(&text, 30, 2, 8), replaced(&text, 200, 3, 9)];
    let site = Site::of([
        ("/0", page("Kept at three bits", &text, NO_LINKS)),
        ("/1", page("Met at ten", &near[0], NO_LINKS)),
        ("/2", page("Met at three again", &near[1], NO_LINKS)),
    ]);
    let mut crawl = Crawl::of(site.url("/0")).set("dedup.max_distance", 3);
    crawl.run();
    crawl.change("dedup.max_distance", 10);
    crawl.add_seed(&site.url("/1"));
    crawl.run();
    assert_eq!(crawl.outcomes(&site), expected([("/0", "kept"), ("/1", "near of /0")]));
    crawl.change("dedup.max_distance", 11);
    crawl.add_seed(&site.url("/2"));
    crawl.run();
    assert_eq!(
        crawl.outcomes(&site),
        expected([("/0", "kept"), ("/1", "near of /0"), ("/2", "near of /0")])
    );
}

#[test]
fn a_narrower_distance_between_two_runs_is_obeyed() {
    // The same words in another order are at distance 0; other words change some bits.
    let text = words(1, 300);
    let site = Site::of([
        ("/0", page("Kept", &text, NO_LINKS)),
        ("/1", page("Other order", &reversed(&text, 50, 6), NO_LINKS)),
        ("/2", page("Other words", &replaced(&text, 100, 12, 3), NO_LINKS)),
    ]);
    let mut crawl = Crawl::of(site.url("/0"));
    crawl.run();
    crawl.change("dedup.max_distance", 0);
    crawl.add_seed(&site.url("/1"));
    crawl.add_seed(&site.url("/2"));
    crawl.run();
    assert_eq!(
        crawl.outcomes(&site),
        expected([("/0", "kept"), ("/1", "near of /0"), ("/2", "kept")])
    );
}

#[test]
fn another_similarity_for_short_texts_makes_the_index_anew() {
    let text = words(9, 40);
    // Five of 36 runs are others: J = 31 / 41 = 0.756.
    let changed = [
        replaced(&text, 20, 1, 5),
        replaced(&text, 20, 1, 6),
        replaced(&text, 20, 1, 7),
    ];
    let site = Site::of([
        ("/0", page("Kept", &text, NO_LINKS)),
        ("/1", page("Kept at 0.8", &changed[0], NO_LINKS)),
        ("/2", page("Dropped at 0.7", &changed[1], NO_LINKS)),
        ("/3", page("Kept at 0.9", &changed[2], NO_LINKS)),
    ]);
    let mut crawl = Crawl::of(site.url("/0"));
    crawl.run();
    crawl.add_seed(&site.url("/1"));
    crawl.run();
    crawl.change("dedup.min_similarity_short", 0.7);
    crawl.add_seed(&site.url("/2"));
    crawl.run().complains_of(&["rebuilding the index"]);
    crawl.change("dedup.min_similarity_short", 0.9);
    crawl.add_seed(&site.url("/3"));
    crawl.run();
    let outcomes = crawl.outcomes(&site);
    assert_eq!(urls_that(&outcomes, |outcome| outcome == "kept"), ["/0", "/1", "/3"]);
    assert!(outcomes["/2"].starts_with("near of "), "{outcomes:?}");
}

#[test]
fn masking_dates_cannot_be_changed_on_a_data_folder() {
    let site = site_of(&[words(1, 100)]);
    let mut crawl = Crawl::of(site.url("/"));
    crawl.run();
    crawl.change("dedup.mask_dates", false);
    let data = crawl.data();
    let refused = crawl.end(&[]).with_code(1);
    refused.complains_of(&["scheme", "crawl into another data folder"]);
    assert!(data.is_dir());
    crawl.change("dedup.mask_dates", true);
    crawl.run();
}

/// What a crawl warns of that was begun without bands.
const WITHOUT_BANDS: &str = "some kept pages have no bands";

#[test]
fn bands_give_the_verdicts_of_blocks_and_an_older_crawl_gets_them_by_a_rebuild() {
    let base = words(1, 300);
    let mut texts: Vec<String> = (0..12).map(|n| words(100 + n, 300)).collect();
    texts.extend((0..12).map(|n| replaced(&base, 20 * n as usize, 1, n)));
    texts.extend((100..104).map(|n| replaced(&words(n, 300), 50, 2, n)));
    // The home page links to all, since steering takes a chain of duplicates for a trap.
    let paths: Vec<String> = (0..texts.len()).map(|n| format!("/{n}")).collect();
    let pages = paths.iter().zip(&texts);
    let pages = pages.map(|(path, text)| (path.clone(), page(path, text, NO_LINKS)));
    let site = Site::of([("/".to_owned(), home(&paths))].into_iter().chain(pages));
    let by = |candidates: &str| {
        let crawl = Crawl::of(site.url("/"))
            .one_at_a_time()
            .set("dedup.candidates", candidates);
        let ended = crawl.run();
        assert!(!ended.stderr.contains(WITHOUT_BANDS), "{}", ended.stderr);
        crawl
    };
    let (mut blocks, bands) = (by("\"blocks\""), by("\"bands\""));
    // Which page of a group is decided first is a matter of chance.
    let counts = |crawl: &Crawl| {
        let report = crawl.report();
        (count(&report, "kept"), count(&report, "exact"), count(&report, "near"))
    };
    assert_eq!((counts(&bands), counts(&blocks)), ((14, 0, 15), (14, 0, 15)));
    for crawl in [&blocks, &bands] {
        crawl.read("verify", &[]).succeeded();
    }

    // The next run loads the bands of the last one.
    let ended = bands.end(&["--verbose"]).succeeded();
    assert!(ended.stderr.contains("may_use_bands=true"), "{}", ended.stderr);

    blocks.change("dedup.candidates", "\"bands\"");
    blocks
        .end(&[])
        .succeeded()
        .complains_of(&[WITHOUT_BANDS, "rebuild", "--redecide"]);
    blocks.read("rebuild", &["--redecide"]).succeeded();
    let ended = blocks.end(&[]).succeeded();
    assert!(!ended.stderr.contains(WITHOUT_BANDS), "{}", ended.stderr);
    assert_eq!(counts(&blocks), (14, 0, 15));
    blocks.read("verify", &[]).succeeded();
}
