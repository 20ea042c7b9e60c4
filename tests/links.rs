//! What is followed, and what pages and headers ask of crawlers.

use crate::support::crawl::Crawl;
use crate::support::outcomes::{Outcomes, expected};
use crate::support::page::{NO_LINKS, article, html, words};
use crate::support::site::{Answer, Site};

/// A page with `head` in its head and `body` before its text; no other page has that text.
fn page(seed: u64, head: &str, body: &str) -> Answer {
    let page = html(&format!("Page {seed}"), &words(seed, 120), NO_LINKS);
    let page = page.replace("</head>", &format!("{head}</head>"));
    Answer::html(page.replace("<main>", &format!("{body}<main>")))
}

/// What becomes of a site whose home page is `home` and which has every other page that is asked for, and images.
fn crawled(home: &Answer, settings: &[(&str, &str)]) -> Outcomes {
    let home = home.clone();
    let site = Site::scripted(move |asked| match asked.path.as_str() {
        "/" => home.clone(),
        "/robots.txt" => Answer::status(404),
        path if path.ends_with(".png") => Answer::of_type("image/png", "PNG"),
        path => article(seed_of(path), NO_LINKS),
    });
    let mut crawl = Crawl::of(site.url("/"));
    for (key, value) in settings {
        crawl.change(key, value);
    }
    let ended = crawl.end(&[]);
    let mut outcomes = crawl.outcomes(&site);
    let has_page = outcomes.values().any(|outcome| outcome == "kept");
    ended.with_code(if has_page { 0 } else { 5 });
    outcomes.remove("/");
    outcomes
}

/// Another for every path.
fn seed_of(path: &str) -> u64 {
    path.bytes()
        .fold(7, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)))
}

/// The paths of what was kept.
fn kept(home: &Answer, settings: &[(&str, &str)]) -> Vec<String> {
    let outcomes = crawled(home, settings);
    assert!(outcomes.values().all(|outcome| outcome == "kept"), "{outcomes:?}");
    outcomes.into_keys().collect()
}

#[test]
fn every_place_that_names_a_document_is_followed() {
    let home = page(
        1,
        "<base href=/b/><link rel=next href=next><link rel=prev href=prev><link rel=alternate hreflang=zh href=zh>\
        <link rel=canonical href=canonical><link rel=stylesheet href=no.css><meta http-equiv=refresh content='600; url=refresh'>",
        "<a href=anchor>a</a><map name=m><area href=area></map><iframe src=frame></iframe><form action=form?gone=1></form>\
        <form action=no><input name=q></form><noscript><a href=noscript>n</a></noscript><img src=no.png>\
        <template><a href=no>t</a></template><a href=javascript:no>j</a><a href=mailto:no@example.org>m</a>",
    )
    .with("link", "<header-link>; rel=\"next\", <no>; rel=stylesheet")
    .with("content-location", "/header-content")
    .with("location", "/header-location")
    .with("refresh", "600; url=/header-refresh");
    let of_base = [
        "anchor",
        "area",
        "canonical",
        "form",
        "frame",
        "next",
        "noscript",
        "prev",
        "refresh",
        "zh",
    ];
    let mut paths: Vec<String> = of_base.iter().map(|name| format!("/b/{name}")).collect();
    let of_headers = ["content", "link", "location", "refresh"];
    paths.extend(of_headers.iter().map(|name| format!("/header-{name}")));
    assert_eq!(kept(&home, &[]), paths);
}

#[test]
fn embedded_resources_are_followed_only_on_request_and_left_at_the_headers() {
    let home = page(
        1,
        "",
        "<img src=/1.png srcset='/2.png 2x'><object data=/object></object><a href=/a>a</a>",
    );
    assert_eq!(kept(&home, &[]), ["/a"]);
    let all = crawled(&home, &[("scope.links", "\"all\"")]);
    let image = "excluded content type image/png";
    assert_eq!(
        all,
        expected([
            ("/1.png", image),
            ("/2.png", image),
            ("/a", "kept"),
            ("/object", "kept")
        ])
    );
}

#[test]
fn every_place_that_names_a_resource_is_followed_on_request() {
    let home = page(
        1,
        "<base href=/b/><link rel=preload href=preload><link rel=manifest href=manifest><link rel=prefetch href=prefetch>\
        <style>@import \"import.css\"; p { background: url( 'style\\2e x' ) }</style>",
        "<svg><image href=image /><use xlink:href=use#icon /><script href=script></script></svg>\
        <table background=table><tr><td style='background: url(attribute)'></table>\
        <iframe srcdoc='&lt;a href=framed>f&lt;/a>&lt;img src=framed-image>'></iframe><p style='background: url(data:,no)'>",
    )
    .with("link", "</header>; rel=modulepreload, </no>; rel=preconnect");
    assert_eq!(kept(&home, &[]), NO_LINKS);
    let of_base = [
        "attribute",
        "framed",
        "framed-image",
        "image",
        "import.css",
        "manifest",
        "prefetch",
        "preload",
        "script",
        "style.x",
        "table",
        "use",
    ];
    let mut paths: Vec<String> = of_base.iter().map(|name| format!("/b/{name}")).collect();
    paths.push("/header".to_owned());
    assert_eq!(kept(&home, &[("scope.links", "\"all\"")]), paths);
}

#[test]
fn rel_nofollow_is_followed_by_choice() {
    let home = page(
        1,
        "",
        "<a rel=nofollow href=/no>n</a><a href=/yes>y</a><a rel='ugc' href=/ugc>u</a>",
    );
    assert_eq!(kept(&home, &[]), ["/no", "/ugc", "/yes"]);
    assert_eq!(kept(&home, &[("scope.follow_nofollow", "false")]), ["/ugc", "/yes"]);
}

#[test]
fn nofollow_of_a_page_or_its_header_is_always_obeyed() {
    let links = "<a href=/a>a</a>";
    for (home, followed) in [
        (page(1, "<meta name=robots content=nofollow>", links), false),
        (page(1, "<meta name=crawler content=NONE>", links), false),
        (page(1, "<meta name=otherbot content=nofollow>", links), true),
        (page(1, "", links).with("x-robots-tag", "nofollow"), false),
        (page(1, "", links).with("x-robots-tag", "otherbot: nofollow"), true),
        (
            page(1, "", links)
                .with("x-robots-tag", "otherbot: noindex")
                .with("x-robots-tag", "Crawler: nofollow, noarchive"),
            false,
        ),
        (
            page(1, "", "")
                .with("link", "</a>; rel=next")
                .with("x-robots-tag", "none"),
            false,
        ),
        (
            Answer::of_type("application/x-tar", "files").with("link", "</a>; rel=canonical"),
            true,
        ),
        (
            Answer::of_type("application/x-tar", "files")
                .with("link", "</a>; rel=canonical")
                .with("x-robots-tag", "nofollow"),
            false,
        ),
    ] {
        let outcomes = crawled(&home, &[]);
        assert_eq!(outcomes.contains_key("/a"), followed, "{home:?}: {outcomes:?}");
    }
}

#[test]
fn noindex_pages_are_fetched_and_followed_but_not_stored() {
    let asks = |seed, content: &str| {
        page(
            seed,
            &format!("<meta name=robots content=\"{content}\">"),
            "<a href=/a>a</a>",
        )
    };
    let site = Site::of([
        (
            "/",
            page(
                1,
                "",
                "<a href=/b>b</a><a href=/c>c</a><a href=/d>d</a><a href=/e>e</a>",
            ),
        ),
        ("/a", article(10, NO_LINKS)),
        ("/b", asks(2, "noindex")),
        ("/c", asks(3, "unavailable_after: 25 Jun 2010 15:00:00 PST")),
        ("/d", asks(4, "unavailable_after: 2999-12-31")),
        (
            "/e",
            asks(5, "index").with("x-robots-tag", "unavailable_after: Friday, 25-Jun-10 15:00:00 GMT"),
        ),
    ]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    assert_eq!(
        crawl.outcomes(&site),
        expected([
            ("/", "kept"),
            ("/a", "kept"),
            ("/b", "excluded noindex"),
            ("/c", "excluded unavailable_after"),
            ("/d", "kept"),
            ("/e", "excluded unavailable_after"),
        ])
    );
    let exported = crawl.export();
    assert_eq!(exported.len(), 3, "{exported:?}");
}
