//! Walls of programs that no rule knows: many pages of a host have one text.

use serde_json::Value;

use super::explained;
use crate::support::crawl::Crawl;
use crate::support::outcomes::{count, list};
use crate::support::page::{NO_LINKS, article, home};
use crate::support::site::{Answer, Site};

/// The pages of products that no rule knows, with an identifier of each request.
const INTERSTITIALS: [(&str, &str); 3] = [
    (
        "a shield",
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>EdgeShield</title><style>body{margin:4em}</style></head><body>\
         <div class=box><h1>EdgeShield</h1><p>Your connection is being prepared. You will be forwarded to the site shortly.</p>\
         <p class=small>Reference: {id}</p></div><script>setTimeout(function(){document.forms[0]&&document.forms[0].submit()},4000)</script>\
         </body></html>",
    ),
    (
        "a queue",
        "<html><head><title>Waiting room</title></head><body><table><tr><td><img src=\"/wr/logo.svg\"></td><td><b>You are in line.</b><br>\
         There are more visitors than usual. This window refreshes by itself, please leave it open.<br>Ticket {id}</td></tr></table>\
         <p><a href=\"https://line.example/why?from=%2F\">Why am I here</a></p></body></html>",
    ),
    (
        "a gate",
        "<html><head><meta name=viewport content=\"width=device-width\"></head><body><main><h2>Confirm to go on</h2>\
         <form method=post action=\"/.gate/pass\"><input type=hidden name=t value={id}><button>I am a visitor</button></form>\
         <p>Press the button to open the page. Protected by Gate {id}</p></main></body></html>",
    ),
];

fn interstitial(html: &str, times: usize) -> Answer {
    let id = format!(
        "{:08x}-{:04x}-4f1a-9c3b-00a1b2c3d4e5",
        0x51f0_77a1_u32.wrapping_mul(times as u32 + 3),
        times
    );
    Answer::html(html.replace("{id}", &id))
}

/// URLs whose usual pages differ.
const SECTIONS: [&str; 12] = [
    "/about",
    "/news/one",
    "/shop/chairs",
    "/jobs",
    "/contact",
    "/events/summer",
    "/press",
    "/team",
    "/help/faq",
    "/blog/first",
    "/terms",
    "/map",
];

#[test]
fn a_wall_that_no_rule_knows_is_recognised_by_the_many_pages_in_whose_place_it_is() {
    for (name, html) in INTERSTITIALS {
        let site = Site::scripted(move |asked| match asked.path.as_str() {
            "/robots.txt" => Answer::status(404),
            "/" => home(&SECTIONS),
            _ => interstitial(html, asked.times + asked.path.len() * 7),
        });
        let crawl = Crawl::of(site.url("/")).one_at_a_time();
        crawl.run();
        let outcomes = crawl.outcomes(&site);
        for path in SECTIONS {
            assert_eq!(outcomes[path], "failed blocked_repeated", "{name}: {path}");
        }
        let kept: Vec<Value> = crawl.export().into_iter().map(|page| page["url"].clone()).collect();
        assert_eq!(kept, [site.url("/")], "{name}");
        let report = crawl.report();
        assert!(
            list(&report["steering"], "rules").is_empty(),
            "{name}: {}",
            report["steering"]
        );
        let group = &list(&report, "failure_groups")[0];
        assert!(group["advice"].as_str().unwrap().contains("browser"), "{group}");
        let summary = explained(&crawl, &site.url("/about"))["summary"].to_string();
        assert!(
            summary.contains("words under ") && summary.contains("such as http"),
            "{summary}"
        );
        // Each URL at most once more than the number of tries, because its page was taken back.
        assert!(
            SECTIONS.iter().all(|path| site.times_asked()[*path] <= 4),
            "{name}: {:?}",
            site.times_asked()
        );
    }
}

#[test]
fn pages_come_when_the_wall_that_no_rule_knows_has_passed() {
    let (_, html) = INTERSTITIALS[0];
    let site = Site::scripted(move |asked| match (asked.path.as_str(), asked.times) {
        ("/robots.txt", _) => Answer::status(404),
        ("/", _) => home(&SECTIONS),
        (_, 1) => interstitial(html, asked.path.len()),
        (path, _) => article(path.bytes().map(u64::from).sum(), NO_LINKS),
    });
    let crawl = Crawl::of(site.url("/")).one_at_a_time();
    crawl.run();
    let outcomes = crawl.outcomes(&site);
    let kept = SECTIONS.iter().filter(|path| outcomes[**path] == "kept").count();
    assert_eq!(kept, SECTIONS.len(), "{outcomes:?}");
}

#[test]
fn a_host_that_begins_to_answer_with_an_unknown_wall_loses_no_page_that_it_gave_before() {
    let links: Vec<String> = (0..40).map(|n| format!("/item?id={n}")).collect();
    let (_, html) = INTERSTITIALS[2];
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home(&links),
        path if path.starts_with("/item?id=") => match path["/item?id=".len()..].parse::<u64>() {
            Ok(n) if n < 10 => article(n, NO_LINKS),
            Ok(n) => interstitial(html, n as usize),
            Err(_) => Answer::status(404),
        },
        _ => Answer::status(404),
    });
    let crawl = Crawl::of(site.url("/")).one_at_a_time();
    crawl.run();
    let outcomes = crawl.outcomes(&site);
    for n in 0..40 {
        let expected = if n < 10 { "kept" } else { "failed blocked_repeated" };
        assert_eq!(outcomes[&format!("/item?id={n}")], expected, "{n}");
    }
}

#[test]
fn a_text_that_pages_of_a_site_share_is_no_wall() {
    let nav = ["/", "/about", "/contact", "/imprint", "/feed"];
    let head = |title: &str| format!("<!doctype html><html><head><title>{title}</title></head><body>");
    let menu: String = nav.iter().map(|path| format!("<a href={path}>{path}</a> ")).collect();
    type Sent = Box<dyn Fn(&str) -> String + Send + Sync>;
    let name = |path: &str| path.trim_start_matches('/').replace('/', " ");
    let cases: Vec<(&str, Sent)> = vec![
        (
            "stubs of a wiki",
            Box::new(move |path| {
                format!(
                    "{}<h1>{}</h1><p>This article is a stub. You can help by expanding it.</p>",
                    head(&name(path)),
                    name(path)
                )
            }),
        ),
        ("empty pages of a template", {
            let menu = menu.clone();
            Box::new(move |_| {
                format!(
                    "{}<nav>{menu}</nav><main><p>Nothing was published here yet.</p></main>",
                    head("Site")
                )
            })
        }),
        (
            "shop pages that are out of stock",
            Box::new(move |path| {
                format!(
                    "{}<p>This product is currently out of stock.</p>",
                    head(&format!("{} | Shop", name(path)))
                )
            }),
        ),
        (
            "pictures with one caption",
            Box::new(move |path| {
                format!(
                    "{}<img src=/i{path}.jpg><p>Photo by Jane Doe, all rights reserved.</p>",
                    head("Gallery")
                )
            }),
        ),
        (
            "pages that have moved",
            Box::new(move |path| {
                format!(
                    "{}<p>This page has moved to another place.</p><a href=/new{path}>Go there</a>",
                    head("Moved")
                )
            }),
        ),
        (
            "announcements of one sentence",
            Box::new(move |path| {
                format!(
                    "{}<p>The office is closed on the day of {}.</p>",
                    head("Announcement"),
                    name(path)
                )
            }),
        ),
    ];
    for (case, sent) in cases {
        let site = Site::scripted(move |asked| match asked.path.as_str() {
            "/" => home(&SECTIONS),
            path if SECTIONS.contains(&path) => Answer::html(sent(path)),
            _ => Answer::status(404),
        });
        let crawl = Crawl::of(site.url("/")).one_at_a_time();
        crawl.run();
        let outcomes = crawl.outcomes(&site);
        for path in SECTIONS {
            assert!(
                !outcomes[path].starts_with("failed"),
                "{case}: {path}: {}",
                outcomes[path]
            );
            assert_eq!(site.times_asked()[path], 1, "{case}: {path}");
        }
    }
}

#[test]
fn empty_pages_of_one_section_are_duplicates() {
    let links: Vec<String> = ["ash", "elm", "fir", "oak", "yew", "box", "bay", "fig", "nut", "pine"]
        .iter()
        .map(|tag| format!("/tag/{tag}"))
        .collect();
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home(&links),
        path if path.starts_with("/tag/") => {
            Answer::html("<title>Blog</title><p>No posts have this tag.</p><a href=/>Home</a>")
        }
        _ => Answer::status(404),
    });
    let crawl = Crawl::of(site.url("/")).one_at_a_time();
    crawl.run();
    let report = crawl.report();
    assert_eq!(
        (
            count(&report, "kept"),
            count(&report, "exact"),
            count(&report, "failed")
        ),
        (2, 9, 0)
    );
}

#[test]
fn the_shell_of_an_app_without_its_scripts_is_no_page() {
    let shells = [
        (
            "blocked_javascript",
            "<title>App</title><div id=root></div><noscript>You need to enable JavaScript to run this app.</noscript>",
        ),
        (
            "blocked_repeated",
            "<title>App</title><div id=app><p>Loading the application</p></div><script src=/main.js></script>",
        ),
    ];
    for (kind, shell) in shells {
        let site = Site::scripted(move |asked| match asked.path.as_str() {
            "/robots.txt" => Answer::status(404),
            "/" => home(&SECTIONS),
            _ => Answer::html(shell),
        });
        let crawl = Crawl::of(site.url("/"));
        crawl.run();
        let outcomes = crawl.outcomes(&site);
        assert!(
            SECTIONS.iter().all(|path| outcomes[*path] == format!("failed {kind}")),
            "{outcomes:?}"
        );
    }
}

#[test]
fn without_the_recognition_an_unknown_wall_is_a_page() {
    let site = Site::scripted(|asked| match asked.path.as_str() {
        "/" => home(&SECTIONS),
        _ => Answer::html("<title>Wait</title><p>Your connection is being prepared for you.</p>"),
    });
    let crawl = Crawl::of(site.url("/")).set("fetch.walls", "false").one_at_a_time();
    crawl.run();
    let report = crawl.report();
    assert_eq!(
        (
            count(&report, "kept"),
            count(&report, "exact"),
            count(&report, "failed")
        ),
        (2, 11, 0)
    );
}

#[test]
fn a_page_that_was_taken_back_stays_so_after_a_rebuild_and_new_decisions() {
    let (_, html) = INTERSTITIALS[0];
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/robots.txt" => Answer::status(404),
        "/" => home(&SECTIONS),
        _ => interstitial(html, asked.times + asked.path.len()),
    });
    let crawl = Crawl::of(site.url("/")).one_at_a_time();
    crawl.run();
    let before = crawl.outcomes(&site);
    for arguments in [&[][..], &["--redecide"]] {
        crawl.read("rebuild", arguments).succeeded();
        assert_eq!(crawl.outcomes(&site), before, "{arguments:?}");
        crawl.read("verify", &[]).succeeded();
    }
}
