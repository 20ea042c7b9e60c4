//! Pages that consist of a redirect: the crawl records and follows them as redirects.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::support::crawl::Crawl;
use crate::support::outcomes::{count, expected, list};
use crate::support::page::{NO_LINKS, article, home, html, page, words};
use crate::support::process::{Ended, crawler, run};
use crate::support::site::{Answer, Site};

/// A page with this head and body.
fn stub(head: &str, body: &str) -> Answer {
    Answer::html(format!(
        "<!DOCTYPE html><html><head><meta charset=utf-8>{head}</head><body>{body}</body></html>"
    ))
}

/// A page with a refresh, as generators of documentation write it.
fn refresh(seconds: u32, to: &str) -> Answer {
    stub(
        &format!("<title>Redirecting…</title><meta http-equiv=refresh content='{seconds}; url={to}'>"),
        &format!("<p>Redirecting to <a href=\"{to}\">{to}</a>...</p>"),
    )
}

fn script(to: &str) -> Answer {
    stub(
        &format!("<script>window.location.href = '{to}' + window.location.hash;</script>"),
        "",
    )
}

/// The command on the data of a crawl, with its configuration.
fn on(crawl: &Crawl, arguments: &[&str]) -> Ended {
    run(crawler(arguments).current_dir(crawl.path("")))
}

/// A page of each form, and the pages that they lead to.
fn site() -> Site {
    let rustdoc = "<html><head><meta http-equiv=\"refresh\" content=\"0;URL=../rustdoc/to.html\"></head><body><p>Redirecting to \
                   <a href=\"../rustdoc/to.html\">../rustdoc/to.html</a>...</p><script>location.replace(\"../rustdoc/to.html\" + \
                   location.search + location.hash);</script></body></html>";
    let jekyll = "<link rel=canonical href=/jekyll/to><script>location=\"/jekyll/to\"</script><meta http-equiv=refresh \
                  content=\"0; url=/jekyll/to\"><meta name=robots content=noindex>";
    let mkdocs = "<noscript><meta http-equiv=\"refresh\" content=\"1; url=/mkdocs/to\" /></noscript><script>(function () { \
                  window.location.replace(\"/mkdocs/to\" + window.location.hash); })()</script>";
    let live = "<meta http-equiv=refresh content=5>";
    let news = html("News", &words(90, 150), NO_LINKS)
        .replace("<head>", "<head><meta http-equiv=refresh content='5;url=/more'>");
    let answers = [
        ("/old/rustdoc.html", Answer::html(rustdoc)),
        (
            "/old/jekyll.html",
            stub(
                jekyll,
                "<h1>Redirecting&hellip;</h1><a href=/jekyll/to>Click here if you are not redirected.</a>",
            ),
        ),
        ("/old/mkdocs.html", stub(mkdocs, "Redirecting...")),
        ("/old/script.html", script("/script/to#part")),
        (
            "/old/header.html",
            refresh(0, "/header/to").with("x-robots-tag", "noindex"),
        ),
        (
            "/old/choice.html",
            stub(
                "<meta http-equiv=refresh content='0;url=/choice/to'>",
                "<a href=/choice/to>English</a> <a href=/choice/other>Deutsch</a>",
            ),
        ),
        ("/choice/other", article(9, NO_LINKS)),
        ("/live", stub(live, "<p>The score is 3 to 2.</p>")),
        ("/news", Answer::html(news)),
        ("/more", article(91, NO_LINKS)),
        (
            "/old/refresh-header",
            stub("<title>Moved</title>", "").with("refresh", "0; url=/refresh/to"),
        ),
        (
            "/old/refresh.txt",
            Answer::text("Moved.").with("refresh", "1;url=/refresh/text"),
        ),
        ("/refresh/to", article(11, NO_LINKS)),
        ("/refresh/text", article(12, NO_LINKS)),
        ("/rustdoc/to.html", article(1, NO_LINKS)),
        ("/jekyll/to", article(2, NO_LINKS)),
        ("/mkdocs/to", article(3, NO_LINKS)),
        ("/script/to", article(4, NO_LINKS)),
        ("/header/to", article(5, NO_LINKS)),
        ("/choice/to", article(6, NO_LINKS)),
        ("/secret/to", article(7, NO_LINKS)),
        ("/robots.txt", Answer::text("User-agent: *\nDisallow: /secret\n")),
        (
            "/old/nofollow.html",
            refresh(0, "/never").with("x-robots-tag", "nofollow"),
        ),
        ("/old/secret.html", refresh(0, "/secret/to")),
        ("/old/outside.html", refresh(0, "http://elsewhere.example/")),
        (
            "/old/mail.html",
            stub(
                "<meta http-equiv=refresh content='0;url=mailto:me@example.org'>",
                "<a href=/write>By form</a>",
            ),
        ),
        ("/write", article(8, NO_LINKS)),
        (
            "/old/lost.html",
            stub(
                "<title>404 Not Found</title><meta http-equiv=refresh content='5;url=/'>",
                "Page not found",
            ),
        ),
        // What the pages above say, as a page.
        ("/said", page("Redirecting…", "Redirecting to", NO_LINKS)),
    ];
    let links = answers
        .iter()
        .map(|(path, _)| *path)
        .filter(|path| path.starts_with("/old/"));
    let home = home(&links.chain(["/live", "/news", "/said"]).collect::<Vec<_>>());
    Site::of([("/", home)].into_iter().chain(answers))
}

#[test]
fn pages_that_redirect_are_recorded_as_redirects_and_their_targets_are_fetched() {
    let site = site();
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let outcomes = expected([
        ("/", "kept"),
        ("/old/rustdoc.html", "redirect to /rustdoc/to.html"),
        ("/old/jekyll.html", "redirect to /jekyll/to"),
        ("/old/mkdocs.html", "redirect to /mkdocs/to"),
        ("/old/script.html", "redirect to /script/to"),
        ("/old/header.html", "redirect to /header/to"),
        ("/old/refresh-header", "redirect to /refresh/to"),
        ("/old/refresh.txt", "redirect to /refresh/text"),
        ("/refresh/to", "kept"),
        ("/refresh/text", "kept"),
        ("/old/choice.html", "redirect to /choice/to"),
        ("/old/nofollow.html", "redirect to /never"),
        ("/old/secret.html", "redirect to /secret/to"),
        ("/old/outside.html", "redirect to http://elsewhere.example/"),
        ("/old/mail.html", "failed bad_redirect"),
        ("/write", "kept"),
        ("/choice/other", "kept"),
        ("/old/lost.html", "failed soft_404"),
        ("/secret/to", "excluded robots.txt: Disallow: /secret"),
        ("/rustdoc/to.html", "kept"),
        ("/jekyll/to", "kept"),
        ("/mkdocs/to", "kept"),
        ("/script/to", "kept"),
        ("/header/to", "kept"),
        ("/choice/to", "kept"),
        ("/live", "kept"),
        ("/news", "kept"),
        ("/more", "kept"),
        ("/said", "kept"),
    ]);
    assert_eq!(crawl.outcomes(&site), outcomes);
    assert!(!site.paths().iter().any(|path| path == "/never" || path == "/secret/to"));
    // The index and the archive have none of them.
    assert!(
        crawl
            .export()
            .iter()
            .all(|page| !page["url"].as_str().unwrap().contains("/old/"))
    );
    let report = crawl.report();
    assert!(
        list(&report, "redirects")
            .iter()
            .all(|redirect| redirect["in_html"] == true && redirect["status"] == 200)
    );
    crawl
        .read("report", &["--format", "html", "--output", "report.html"])
        .succeeded();
    let shown = std::fs::read_to_string(crawl.path("report.html")).unwrap();
    assert!(shown.contains("HTML: a meta refresh or a script"));

    let explained = crawl.read("explain", &[&site.url("/old/mkdocs.html"), "--format", "json"]);
    let explained: Value = serde_json::from_str(&explained.succeeded().stdout).unwrap();
    assert_eq!(
        (&explained["state"], &explained["in_html"]),
        (&json!("redirect"), &json!(true))
    );
    assert_eq!(explained["target"]["url"], site.url("/mkdocs/to"));
    assert!(
        explained["summary"]
            .as_str()
            .unwrap()
            .contains("by a meta refresh or a script")
    );

    // A rebuilt catalogue has none of them either, and the next run finds the same.
    crawl.read("rebuild", &[]).succeeded();
    assert_eq!(count(&crawl.report(), "kept"), count(&report, "kept"));
    crawl.run();
    assert_eq!(crawl.outcomes(&site), outcomes);
}

#[test]
fn inspect_and_check_recognise_the_same_redirects() {
    let site = site();
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    for (path, to, by) in [
        ("/old/rustdoc.html", "/rustdoc/to.html", "meta refresh"),
        ("/old/script.html", "/script/to", "script"),
    ] {
        let url = site.url(path);
        let fixed = ["inspect", "page", "--config", "test.toml", &url];
        on(&crawl, &fixed)
            .succeeded()
            .says(&[&format!("to {} ({by})", site.url(to))]);
        let inspected = on(&crawl, &[&fixed[..], &["--format", "json"]].concat())
            .succeeded()
            .stdout;
        let inspected: Value = serde_json::from_str(&inspected).unwrap();
        let redirect = json!({"to": site.url(to), "by": by, "delay_seconds": 0});
        assert_eq!(inspected["redirect"], redirect);
        on(&crawl, &["check", &url, "--data", "data", "--config", "test.toml"])
            .with_code(1)
            .complains_of(&["its HTML only redirects to", &site.url(to)]);
    }
    for path in ["/live", "/news", "/old/lost.html"] {
        let url = site.url(path);
        let inspected = on(
            &crawl,
            &["inspect", "page", "--config", "test.toml", &url, "--format", "json"],
        );
        let inspected: Value = serde_json::from_str(&inspected.succeeded().stdout).unwrap();
        assert_eq!(inspected["redirect"], Value::Null, "{path}");
    }
}

#[test]
fn circles_and_chains_of_such_pages_end() {
    let site = Site::scripted(|asked| match asked.path.as_str() {
        "/" => home(&["/a", "/s", "/chain/0", "/spelled"]),
        "/a" => refresh(0, "/b"),
        "/b" => script("/c"),
        // A circle through a redirect by the server.
        "/c" => Answer::redirect("/a"),
        "/s" => script("/t"),
        "/t" => refresh(1, "/s"),
        // The canonical form of its target is its own.
        "/spelled" => refresh(0, "/spelled?utm_source=a"),
        "/spelled?utm_source=a" => refresh(0, "/spelled"),
        path => match path.strip_prefix("/chain/") {
            Some(number) => script(&format!("/chain/{}", number.parse::<u32>().unwrap() + 1)),
            None => Answer::status(404),
        },
    });
    let crawl = Crawl::of(site.url("/")).set("fetch.max_redirects", 4);
    crawl.run();
    let outcomes = crawl.outcomes(&site);
    let circle = |paths: &[&str]| {
        let failed = paths
            .iter()
            .filter(|path| outcomes[**path] == "failed redirect_loop")
            .count();
        assert_eq!(failed, 1, "{outcomes:?}");
        assert!(
            paths.iter().all(|path| outcomes[*path].contains("redirect")),
            "{outcomes:?}"
        );
    };
    circle(&["/a", "/b", "/c"]);
    circle(&["/s", "/t"]);
    assert_eq!(outcomes["/chain/3"], "redirect to /chain/4");
    assert_eq!(outcomes["/chain/4"], "failed too_many_redirects");
    assert_eq!(outcomes["/spelled"], "failed too_many_redirects");
    assert!(!outcomes.contains_key("/chain/5"));
}

#[test]
fn a_seed_that_redirects_in_html_widens_the_scope_as_a_redirect_of_the_server_does() {
    let site = Site::scripted(|asked| {
        let other = asked.host.replace("127.0.0.1", "localhost");
        match (asked.host.starts_with("127"), asked.path.as_str()) {
            (true, "/") => refresh(0, &format!("http://{other}/docs/")),
            (false, "/docs/") => article(1, &["/docs/a"]),
            (false, "/docs/a") => article(2, NO_LINKS),
            _ => Answer::status(404),
        }
    });
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    assert_eq!(count(&crawl.report(), "kept"), 2);
}

#[test]
fn a_page_that_becomes_a_refresh_has_moved_and_one_with_a_delay_or_a_script_is_missing_first() {
    let moved = Arc::new(AtomicBool::new(false));
    let has_moved = moved.clone();
    let site = Site::scripted(
        move |asked| match (asked.path.as_str(), has_moved.load(Ordering::SeqCst)) {
            ("/", _) => home(&["/at-once", "/later", "/scripted"]),
            ("/at-once", true) => refresh(0, "/new/1"),
            ("/later", true) => refresh(4, "/new/2"),
            ("/scripted", true) => script("/new/2"),
            ("/at-once", _) => article(1, NO_LINKS),
            ("/later", _) => article(2, NO_LINKS),
            ("/scripted", _) => article(5, NO_LINKS),
            ("/new/1", _) => article(3, NO_LINKS),
            ("/new/2", _) => article(4, NO_LINKS),
            _ => Answer::status(404),
        },
    );
    let mut crawl = Crawl::of(site.url("/"));
    for key in ["min_interval", "first_interval", "max_interval"] {
        crawl.change(&format!("refresh.{key}"), "\"0s\"");
    }
    crawl.run();
    moved.store(true, Ordering::SeqCst);
    crawl.end(&["--refresh"]).succeeded();
    let mut outcomes = expected([
        ("/", "kept"),
        ("/at-once", "redirect to /new/1"),
        ("/later", "kept"),
        ("/scripted", "kept"),
        ("/new/1", "kept"),
        ("/new/2", "kept"),
    ]);
    assert_eq!(crawl.outcomes(&site), outcomes);
    crawl.end(&["--refresh"]).succeeded();
    outcomes.extend(["/later", "/scripted"].map(|path| (path.to_owned(), "gone".to_owned())));
    assert_eq!(crawl.outcomes(&site), outcomes);
}
