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
    other
        .run_without_page()
        .says(&["robots.txt: Disallow: /"])
        .complains_of(&["no seed led to a page: 1 URL is excluded"]);
    assert_eq!(
        other.outcomes(&site),
        expected([("/", "excluded robots.txt: Disallow: /")])
    );
}

#[test]
fn a_run_says_how_many_links_the_site_asks_not_to_follow() {
    let page = |robots: &str| {
        Answer::html(format!(
            "<meta name=robots content='{robots}'><p>The front page of the harbour.<a href=/a>a</a><a href=/b>b</a>"
        ))
    };
    let site = Site::of([
        ("/", page("index, nofollow")),
        ("/a", article(1, NO_LINKS)),
        ("/b", article(2, NO_LINKS)),
    ]);
    let crawl = Crawl::of(site.url("/"));
    crawl
        .run()
        .says(&["2 links were not followed, as the site asks (nofollow)"]);
    let answer = crawl.read("explain", &[&site.url("/a"), "--format", "json"]);
    answer
        .with_code(4)
        .says(&["It may be the target of links marked nofollow, which were not followed."]);
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
            "/busy.xml" if asked.times <= 3 => Answer::status(500),
            "/busy.xml" => Answer::xml(format!("<urlset><url><loc>{base}/b</loc></url></urlset>")),
            "/" | "/later" => home(NO_LINKS),
            "/a" => article(1, NO_LINKS),
            "/b" => article(2, NO_LINKS),
            _ => Answer::status(404),
        }
    });
    let mut crawl = Crawl::of(site.url("/"));
    let ended = crawl.run();
    ended.says(&["/busy.xml was not read (HTTP status 500)", "asks for it again"]);
    assert_eq!(crawl.outcomes(&site), expected([("/", "kept"), ("/a", "kept")]));
    crawl.add_seed(&site.url("/later"));
    crawl.run();
    let times = site.times_asked();
    let times = |path: &str| times.get(path).copied().unwrap_or_default();
    for path in ["/index.xml", "/moved.xml", "/pages.xml", "/missing.xml"] {
        assert_eq!(times(path), 1, "{path}");
    }
    assert_eq!(times("/busy.xml"), 4, "three times in the first run");
    assert_eq!(crawl.outcomes(&site).get("/b").map(String::as_str), Some("kept"));
}

#[test]
fn a_sitemap_that_fails_at_first_is_asked_for_again_in_the_same_run() {
    let answers = [
        (500, None),
        (503, None),
        (408, None),
        (429, Some(("retry-after", "1"))),
        (206, Some(("content-range", "bytes 0-0/9"))),
    ];
    for (status, header) in answers {
        let site = Site::scripted(move |asked| {
            let base = format!("http://{}", asked.host);
            let fails = asked.times == 1;
            match asked.path.as_str() {
                "/robots.txt" => Answer::text(format!("Sitemap: {base}/index.xml\n")),
                "/index.xml" | "/pages.xml" if fails => {
                    let answer = Answer::status(status);
                    header.map_or(answer.clone(), |(name, value)| answer.with(name, value))
                }
                "/index.xml" => Answer::xml(format!(
                    "<sitemapindex><sitemap><loc>{base}/pages.xml</loc></sitemap></sitemapindex>"
                )),
                "/pages.xml" => Answer::xml(format!("<urlset><url><loc>{base}/a</loc></url></urlset>")),
                "/" => home(NO_LINKS),
                "/a" => article(1, NO_LINKS),
                _ => Answer::status(404),
            }
        });
        let crawl = Crawl::of(site.url("/"));
        crawl.run();
        assert_eq!(
            crawl.outcomes(&site),
            expected([("/", "kept"), ("/a", "kept")]),
            "{status}"
        );
    }
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

/// A sitemap with these URLs.
fn map(urls: &[&str]) -> Answer {
    let urls: String = urls.iter().map(|url| format!("<url><loc>{url}</loc></url>")).collect();
    Answer::xml(format!("<urlset>{urls}</urlset>"))
}

#[test]
fn sitemaps_on_other_hosts_are_read_as_far_as_their_hosts_permit() {
    let elsewhere = Site::scripted(|asked| match asked.path.as_str() {
        "/robots.txt" => Answer::text("User-agent: *\nDisallow: /private\nSitemap: /own.xml\n"),
        "/map.xml" => map(&["/of-elsewhere"]),
        "/index.xml" => Answer::xml(
            "<sitemapindex><sitemap><loc>/deeper.xml</loc></sitemap><sitemap><loc>http://127.0.0.2:9/third.xml</loc></sitemap></sitemapindex>",
        ),
        _ => Answer::status(404),
    });
    let base = elsewhere.url("/");
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/robots.txt" => Answer::text(format!(
            "Sitemap: {base}map.xml\nSitemap: {base}private/map.xml\nSitemap: {base}index.xml\nSitemap: /moved.xml\n"
        )),
        "/moved.xml" => Answer::redirect(&format!("{base}moved-here.xml")),
        "/" => home(NO_LINKS),
        _ => article(2, NO_LINKS),
    });
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let asked = elsewhere.paths();
    assert_eq!(asked[0], "/robots.txt", "its robots.txt comes first: {asked:?}");
    for path in ["/map.xml", "/index.xml", "/deeper.xml", "/moved-here.xml"] {
        assert!(asked.contains(&path.to_owned()), "{path}: {asked:?}");
    }
    for path in ["/private/map.xml", "/own.xml", "/of-elsewhere", "/sitemap.xml"] {
        assert!(!asked.contains(&path.to_owned()), "{path}: {asked:?}");
    }
    assert!(elsewhere.times_asked().values().all(|&times| times == 1));
}

#[test]
fn a_sitemap_on_another_host_may_list_the_urls_of_the_crawl_alone() {
    use std::sync::OnceLock;
    static SITE: OnceLock<String> = OnceLock::new();
    let elsewhere = Site::scripted(|asked| match asked.path.as_str() {
        "/map.xml" => map(&[
            &format!("{}only-in-map", SITE.get().unwrap()),
            "/of-elsewhere",
            "http://127.0.0.3/other",
        ]),
        _ => Answer::status(404),
    });
    // A name and not an address, which has to pass a trial.
    let named = elsewhere.url("/map.xml").replace("127.0.0.1", "localhost");
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/robots.txt" => Answer::text(format!("Sitemap: {named}\n")),
        "/" => home(NO_LINKS),
        _ => article(2, NO_LINKS),
    });
    SITE.set(site.url("/")).unwrap();
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    assert_eq!(
        crawl.outcomes(&site),
        expected([("/", "kept"), ("/only-in-map", "kept")])
    );
    assert_eq!(elsewhere.paths(), ["/robots.txt", "/map.xml"]);
}

#[test]
fn a_robots_txt_makes_the_crawler_ask_few_other_hosts() {
    let others: Vec<Site> = (0..8).map(|_| Site::scripted(|_| Answer::status(404))).collect();
    let lines: String = others
        .iter()
        .map(|other| format!("Sitemap: {}\n", other.url("/map.xml")))
        .collect();
    let site = Site::of([("/robots.txt", Answer::text(lines)), ("/", home(NO_LINKS))]);
    Crawl::of(site.url("/")).run();
    let asked = others.iter().filter(|other| !other.paths().is_empty()).count();
    assert_eq!(asked, 4);
}

#[test]
fn a_robots_txt_is_read_as_leniently_as_a_page() {
    use crate::support::hostile::{Act, Hostile};
    let rules = "User-agent: *\nDisallow: /private\n";
    let plain = |lines: &str| format!("HTTP/1.1 200 OK\r\nConnection: close\r\n{lines}\r\n{rules}").into_bytes();
    let packed = |bytes: &[u8], behind: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, bytes).unwrap();
        let head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Encoding: gzip\r\n\r\n";
        [&head[..], &encoder.finish().unwrap(), behind].concat()
    };
    let utf_16: Vec<u8> = format!("\u{feff}{rules}")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let long = format!("{rules}{}", "# and so on and on and on\n".repeat(400_000));
    for (what, answer) in [
        ("a line that is no field", plain("<!DOCTYPE html>\r\n")),
        ("a name with a blank", plain("X Powered By: cms\r\n")),
        ("a control character", plain("X-A: a\x01\r\n")),
        ("a folded line", plain("X-A: a\r\n b\r\n")),
        ("a coding that is none", plain("Content-Encoding: utf-8\r\n")),
        ("bytes behind gzip", packed(rules.as_bytes(), b"<!-- cached -->")),
        ("gzip of ten megabytes", packed(long.as_bytes(), b"")),
        (
            "UTF-16",
            [b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", &utf_16[..]].concat(),
        ),
        (
            "identity",
            plain(&format!(
                "Transfer-Encoding: identity\r\nContent-Length: {}\r\n",
                rules.len()
            )),
        ),
    ] {
        let server = Hostile::serving(move |path| {
            vec![match path {
                "/robots.txt" => Act::Send(answer.clone()),
                "/" => Act::Send(
                    format!(
                        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/html\r\n\r\n<p>{}<a href=/private/x>x</a>",
                        words(1, 120)
                    )
                    .into_bytes(),
                ),
                _ => Act::Reset,
            }]
        });
        let crawl = Crawl::of(server.url("/"));
        crawl.run();
        let report = crawl.report();
        assert_eq!(
            (count(&report, "kept"), count(&report, "excluded")),
            (1, 1),
            "{what}: {report}"
        );
        assert!(!server.times_asked().contains_key("/private/x"), "{what}");
    }
}
