//! What robots.txt forbids, allows and names.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::support::crawl::Crawl;
use crate::support::outcomes::{count, expected};
use crate::support::page::{NO_LINKS, article, home, page, words};
use crate::support::site::{Answer, Site};

#[test]
fn robots_txt_comes_first_and_is_obeyed() {
    let robots = "User-agent: *\nDisallow: /private\nAllow: /private/open\n";
    let site = Site::of([
        ("/robots.txt", Answer::text(robots)),
        ("/", home(&["/private/a", "/private/open", "/b"])),
        ("/private/a", article(1, NO_LINKS)),
        ("/private/open", article(2, NO_LINKS)),
        ("/b", article(3, NO_LINKS)),
    ]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    assert_eq!(
        crawl.outcomes(&site),
        expected([
            ("/", "kept"),
            ("/private/a", "excluded robots.txt: Disallow: /private"),
            ("/private/open", "kept"),
            ("/b", "kept"),
        ])
    );
    let paths = site.paths();
    assert_eq!(paths[0], "/robots.txt");
    assert_eq!(paths.iter().filter(|path| *path == "/robots.txt").count(), 1);
    assert!(!paths.contains(&"/private/a".to_owned()));
}

#[test]
fn the_group_that_names_the_product_is_the_one_that_counts() {
    let robots = "User-agent: *\nDisallow: /\n\nUser-agent: Examplebot\nDisallow: /b\n";
    let site = Site::of([
        ("/robots.txt", Answer::text(robots)),
        ("/", home(&["/a", "/b"])),
        ("/a", article(1, NO_LINKS)),
        ("/b", article(2, NO_LINKS)),
    ]);
    let named = Crawl::of(site.url("/")).set("identity.product", "\"examplebot\"");
    named.run();
    assert_eq!(
        named.outcomes(&site),
        expected([
            ("/", "kept"),
            ("/a", "kept"),
            ("/b", "excluded robots.txt: Disallow: /b")
        ])
    );
    let other = Crawl::of(site.url("/"));
    other.run();
    assert_eq!(
        other.outcomes(&site),
        expected([("/", "excluded robots.txt: Disallow: /")])
    );
}

#[test]
fn a_site_without_robots_txt_allows_everything() {
    for status in [401, 403, 404, 410] {
        let site = Site::scripted(move |asked| match asked.path.as_str() {
            "/" => home(&["/a"]),
            "/a" => article(1, NO_LINKS),
            _ => Answer::status(status),
        });
        let crawl = Crawl::of(site.url("/"));
        crawl.run();
        assert_eq!(
            crawl.outcomes(&site),
            expected([("/", "kept"), ("/a", "kept")]),
            "status {status}"
        );
    }
}

#[test]
fn a_robots_txt_that_fails_forbids_everything_until_it_is_there() {
    let is_well = Arc::new(AtomicBool::new(false));
    let robots_well = is_well.clone();
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/robots.txt" if !robots_well.load(Relaxed) => Answer::status(500),
        "/robots.txt" => Answer::text("User-agent: *\nDisallow: /b\n"),
        "/" => home(&["/a", "/b"]),
        "/a" => article(1, NO_LINKS),
        _ => Answer::status(404),
    });
    let crawl = Crawl::of(site.url("/"));
    crawl.run_without_page().says(&[
        "was given up for this run (robots.txt: HTTP status 500)",
        "still queued 1",
    ]);
    assert!(
        site.paths().iter().all(|path| path == "/robots.txt"),
        "{:?}",
        site.paths()
    );
    let report = crawl.report();
    assert_eq!((count(&report, "discovered"), count(&report, "queued")), (1, 1));
    is_well.store(true, Relaxed);
    crawl.run();
    assert_eq!(
        crawl.outcomes(&site),
        expected([
            ("/", "kept"),
            ("/a", "kept"),
            ("/b", "excluded robots.txt: Disallow: /b")
        ])
    );
}

#[test]
fn a_robots_txt_that_recovers_within_the_run_is_obeyed() {
    let site = Site::scripted(|asked| match asked.path.as_str() {
        "/robots.txt" if asked.times == 1 => Answer::status(503),
        "/robots.txt" => Answer::text("User-agent: *\nDisallow: /a\n"),
        "/" => home(&["/a"]),
        _ => Answer::status(404),
    });
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    assert_eq!(site.paths(), ["/robots.txt", "/robots.txt", "/"]);
    assert_eq!(
        crawl.outcomes(&site),
        expected([("/", "kept"), ("/a", "excluded robots.txt: Disallow: /a")])
    );
}

#[test]
fn a_host_that_is_given_up_holds_no_other_host_back() {
    let down = Site::scripted(|_| Answer::status(500));
    let up = Site::of([("/", home(&["/a"])), ("/a", article(1, NO_LINKS))]);
    let mut crawl = Crawl::of(down.url("/"));
    crawl.add_seed(&up.url("/"));
    crawl.run();
    assert_eq!(crawl.outcomes(&up), expected([("/", "kept"), ("/a", "kept")]));
    assert_eq!(count(&crawl.report(), "queued"), 1);
}

#[test]
fn a_robots_txt_that_has_moved_is_followed() {
    let site = Site::of([
        ("/robots.txt", Answer::redirect("/rules")),
        ("/rules", Answer::text("User-agent: *\nDisallow: /a\n")),
        ("/", home(&["/a"])),
    ]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    assert_eq!(
        crawl.outcomes(&site),
        expected([("/", "kept"), ("/a", "excluded robots.txt: Disallow: /a")])
    );
}

#[test]
fn robots_can_be_switched_off_for_a_site_of_ones_own() {
    let site = Site::of([
        ("/robots.txt", Answer::text("User-agent: *\nDisallow: /\n")),
        ("/", home(NO_LINKS)),
    ]);
    let crawl = Crawl::of(site.url("/")).set("politeness.robots", false);
    crawl.run();
    assert_eq!(site.paths(), ["/"]);
}

#[test]
fn the_usual_sitemap_is_asked_for_where_none_is_named_and_robots_txt_allows_it() {
    let crawl_of = |robots: &'static str| {
        let site = Site::scripted(move |asked| match asked.path.as_str() {
            "/robots.txt" => Answer::text(robots),
            "/sitemap.xml" => Answer::xml(format!(
                "<urlset><url><loc>http://{}/a</loc></url></urlset>",
                asked.host
            )),
            "/" => home(NO_LINKS),
            _ => article(1, NO_LINKS),
        });
        let crawl = Crawl::of(site.url("/")).set("politeness.guess_sitemap", true);
        crawl.run();
        site.paths()
    };
    let asked = crawl_of("User-agent: *\nDisallow: /private\n");
    assert!(
        asked.contains(&"/sitemap.xml".to_owned()) && asked.contains(&"/a".to_owned()),
        "{asked:?}"
    );
    let asked = crawl_of("User-agent: *\nDisallow: /sitemap\n");
    assert!(!asked.contains(&"/sitemap.xml".to_owned()), "{asked:?}");
    let asked = crawl_of("Sitemap: /other.xml\n");
    assert!(!asked.contains(&"/sitemap.xml".to_owned()), "{asked:?}");
}

#[test]
fn pages_that_only_a_sitemap_names_are_found() {
    let site = Site::scripted(|asked| {
        let base = format!("http://{}", asked.host);
        match asked.path.as_str() {
            "/robots.txt" => Answer::text(format!("Sitemap: {base}/index.xml\n")),
            "/index.xml" => Answer::xml(format!(
                "<sitemapindex><sitemap><loc>{base}/one.xml</loc></sitemap>\
                 <sitemap><loc>{base}/two.txt</loc></sitemap></sitemapindex>"
            )),
            "/one.xml" => Answer::xml(format!(
                "<urlset><url><loc>{base}/a</loc></url><url><loc>http://elsewhere.invalid/x</loc></url></urlset>"
            ))
            .gzipped(),
            "/two.txt" => Answer::text(format!("{base}/b\n")),
            "/" => home(NO_LINKS),
            "/a" => article(1, NO_LINKS),
            "/b" => article(2, NO_LINKS),
            _ => Answer::status(404),
        }
    });
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let all = expected([("/", "kept"), ("/a", "kept"), ("/b", "kept")]);
    assert_eq!(crawl.outcomes(&site), all);
    let without = Crawl::of(site.url("/")).set("politeness.sitemaps", false);
    without.run();
    assert_eq!(without.outcomes(&site), expected([("/", "kept")]));
}

#[test]
fn the_next_run_asks_again_only_for_the_sitemap_that_gave_no_answer() {
    let site = Site::scripted(|asked| {
        let base = format!("http://{}", asked.host);
        match asked.path.as_str() {
            "/robots.txt" => Answer::text(format!(
                "Sitemap: {base}/index.xml\nSitemap: {base}/missing.xml\nSitemap: {base}/busy.xml\n"
            )),
            "/index.xml" => Answer::xml(format!(
                "<sitemapindex><sitemap><loc>{base}/moved.xml</loc></sitemap></sitemapindex>"
            )),
            "/moved.xml" => Answer::redirect("/pages.xml"),
            "/pages.xml" => Answer::xml(format!("<urlset><url><loc>{base}/a</loc></url></urlset>")),
            "/busy.xml" if asked.times == 1 => Answer::status(500),
            "/busy.xml" => Answer::xml(format!("<urlset><url><loc>{base}/b</loc></url></urlset>")),
            "/" | "/later" => home(NO_LINKS),
            "/a" => article(1, NO_LINKS),
            "/b" => article(2, NO_LINKS),
            _ => Answer::status(404),
        }
    });
    let mut crawl = Crawl::of(site.url("/"));
    crawl.run();
    assert_eq!(crawl.outcomes(&site), expected([("/", "kept"), ("/a", "kept")]));
    crawl.add_seed(&site.url("/later"));
    crawl.run();
    let times = site.times_asked();
    let times = |path: &str| times.get(path).copied().unwrap_or_default();
    for path in ["/index.xml", "/moved.xml", "/pages.xml", "/missing.xml"] {
        assert_eq!(times(path), 1, "{path}");
    }
    assert_eq!(times("/busy.xml"), 2);
    assert_eq!(crawl.outcomes(&site).get("/b").map(String::as_str), Some("kept"));
}

#[test]
fn gzip_is_undone_for_robots_txt_and_pages() {
    let text = words(5, 120);
    let site = Site::of([
        ("/robots.txt", Answer::text("User-agent: *\nDisallow: /a\n").gzipped()),
        ("/", page("Zipped", &text, &["/a", "/b"]).gzipped()),
        ("/b", page("Plain", &text, NO_LINKS)),
    ]);
    let crawl = Crawl::of(site.url("/")).one_at_a_time();
    crawl.run();
    assert_eq!(
        crawl.outcomes(&site),
        expected([
            ("/", "kept"),
            ("/a", "excluded robots.txt: Disallow: /a"),
            ("/b", "exact of /")
        ])
    );
    let counts = &crawl.report()["counts"];
    assert!(counts["bytes_fetched"].as_u64().unwrap() < 2 * counts["bytes_kept"].as_u64().unwrap());
}

#[test]
fn a_page_may_forbid_its_storing_and_the_following_of_its_links() {
    let robots_meta = |content: &str| {
        format!(
            "<meta name=robots content={content}><a href=/next>next</a> {}",
            words(1, 90)
        )
    };
    let site = Site::of([
        ("/", home(&["/noindex", "/nofollow"])),
        ("/noindex", Answer::html(robots_meta("noindex"))),
        (
            "/nofollow",
            Answer::html(robots_meta("nofollow").replace("/next", "/hidden")),
        ),
        ("/next", article(3, NO_LINKS)),
        ("/hidden", article(4, NO_LINKS)),
    ]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    assert_eq!(
        crawl.outcomes(&site),
        expected([
            ("/", "kept"),
            ("/noindex", "excluded noindex"),
            ("/nofollow", "kept"),
            ("/next", "kept")
        ])
    );
}
