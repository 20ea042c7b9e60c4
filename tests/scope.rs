//! What the user includes in a crawl and excludes from it. The request log of the site shows that nothing else is asked for.

use crate::support::crawl::Crawl;
use crate::support::page::{NO_LINKS, article, home};
use crate::support::process::{crawler, run};
use crate::support::site::{Answer, Site};

/// A site with documentation, its old version, a blog, and a redirect into the blog.
fn site() -> Site {
    Site::of([
        ("/", home(&["/docs/", "/blog/1"])),
        ("/docs/", article(1, &["/docs/a", "/docs/old/a", "/docs/moved"])),
        ("/docs/a", article(2, &["/blog/2"])),
        ("/docs/old/a", article(3, NO_LINKS)),
        ("/docs/moved", Answer::redirect("/blog/3")),
        ("/blog/1", article(4, NO_LINKS)),
        ("/blog/2", article(5, NO_LINKS)),
        ("/blog/3", article(6, NO_LINKS)),
    ])
}

#[test]
fn only_urls_that_match_an_include_and_no_exclude_are_fetched() {
    let site = site();
    let crawl = Crawl::of(site.url("/docs/"))
        .set("scope.include", "[\"glob:/docs/**\"]")
        .set("scope.exclude", "[\"regex:/old/\"]");
    crawl.run();
    assert_eq!(site.pages_asked(), ["/docs/", "/docs/a", "/docs/moved"]);
    let report = crawl.report();
    let mut excluded: Vec<(String, String)> = report["excluded"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let text = |key: &str| one[key].as_str().unwrap().to_owned();
            (text("url"), text("reason"))
        })
        .collect();
    excluded.sort();
    let missing = "scope.include has no pattern that matches the URL";
    let expected = [
        ("/blog/2", missing),
        ("/blog/3", missing),
        ("/docs/old/a", "scope.exclude has regex:/old/"),
    ];
    assert_eq!(
        excluded,
        expected.map(|(path, reason)| (site.url(path), reason.to_owned()))
    );
    assert_eq!(report["counts"]["excluded"], 3, "{report:#}");
    let url = site.url("/docs/old/a");
    let explained = run(crawler(["explain", &url, "--data"]).arg(crawl.data()));
    explained.says(&["Excluded: scope.exclude has regex:/old/"]);
}

#[test]
fn a_seed_that_is_excluded_is_named_at_the_start() {
    let site = site();
    let mut crawl = Crawl::of(site.url("/docs/a")).set("scope.include", "[\"glob:/docs/**\"]");
    crawl.add_seed(&site.url("/"));
    let ended = crawl.run();
    ended.complains_of(&["seeds.txt, line 2: skipped: ", "excluded: scope.include has no pattern"]);
    let none = Crawl::of(site.url("/")).set("scope.exclude", "[\"glob:**\"]");
    none.end(&[])
        .with_code(2)
        .complains_of(&["holds no valid seed", "excluded: scope.exclude has glob:**"]);
}

#[test]
fn a_refresh_visits_no_page_that_a_pattern_now_excludes() {
    let site = site();
    let mut crawl = Crawl::of(site.url("/docs/")).set("refresh.min_interval", "\"0s\"");
    crawl.change("refresh.first_interval", "\"0s\"");
    crawl.change("refresh.max_interval", "\"0s\"");
    crawl.run();
    let before = site.times_asked();
    crawl.change("scope.exclude", "[\"glob:/blog/**\"]");
    crawl.end(&["--refresh"]).succeeded();
    let after = site.times_asked();
    assert_eq!(after["/blog/2"], before["/blog/2"]);
    assert_eq!(after["/docs/a"], before["/docs/a"] + 1);
}

#[test]
fn inspect_url_names_the_pattern_that_decides() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[scope]\ninclude = [\"glob:https://example.org/docs/**\"]\nexclude = [\"regex:[?]print=\"]\n";
    std::fs::write(folder.path().join("config.toml"), text).unwrap();
    let inspect = |arguments: &[&str]| {
        let mut command = crawler(["inspect", "url"]);
        run(command.args(arguments).current_dir(folder.path()))
            .succeeded()
            .stdout
    };
    for (url, ends) in [
        (
            "https://example.org/docs/a",
            "\tadmitted: scope.include has glob:https://example.org/docs/**\n",
        ),
        (
            "HTTPS://EXAMPLE.org/docs/a?print=1#x",
            "\texcluded: scope.exclude has regex:[?]print=\n",
        ),
        (
            "https://example.org/",
            "\texcluded: scope.include has no pattern that matches the URL\n",
        ),
    ] {
        assert!(inspect(&[url]).ends_with(ends), "{}", inspect(&[url]));
    }
    let json = inspect(&["--format", "json", "https://example.org/docs/a?print=1"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["admitted"], &json["pattern"]),
        (&false.into(), &"regex:[?]print=".into())
    );
}

#[test]
fn a_pattern_without_a_kind_is_named_with_its_line() {
    let site = site();
    let crawl = Crawl::of(site.url("/")).set("scope.exclude", "[\"/blog/\"]");
    crawl.end(&[]).with_code(2).complains_of(&[
        "scope.exclude = \"/blog/\": it must say of which kind it is",
        "'glob:/docs/**'",
        "'regex:/docs/'",
    ]);
    assert!(site.requests().is_empty(), "nothing was asked for");
}
