//! `[[host]]`: delays, parallel requests, header fields and patterns of some hosts.

use std::time::Duration;

use crate::support::crawl::Crawl;
use crate::support::page::{NO_LINKS, article, home};
use crate::support::process::{crawler, run};
use crate::support::site::{Answer, Request, Site};

/// A configuration with one section for the host of the site.
fn with_section(crawl: Crawl, site: &Site, keys: &str) -> Crawl {
    crawl.set("host", format!("[{{ host = \"{}\", {keys} }}]", authority(site)))
}

fn authority(site: &Site) -> String {
    let url = url::Url::parse(&site.url("/")).unwrap();
    format!("{}:{}", url.host_str().unwrap(), url.port().unwrap())
}

/// Each request begins at least `delay` after the answer to the one before.
#[track_caller]
fn assert_spaced(requests: &[Request], delay: Duration) {
    for pair in requests.windows(2) {
        let rest = pair[1].received - pair[0].answered.unwrap();
        assert!(rest >= delay, "{} after {rest:?}", pair[1].path);
    }
}

fn three_pages(robots: &'static str) -> Site {
    Site::scripted(move |asked| match asked.path.as_str() {
        "/robots.txt" => Answer::text(robots),
        "/" => home(&["/a", "/b"]),
        "/a" => article(1, NO_LINKS),
        "/b" => article(2, NO_LINKS),
        _ => Answer::status(404),
    })
}

#[test]
fn a_host_has_a_delay_of_its_own_and_a_longer_crawl_delay_still_counts() {
    for (robots, delay) in [("", 60), ("User-agent: *\nCrawl-delay: 0.1\n", 100)] {
        let site = three_pages(robots);
        let crawl = Crawl::of(site.url("/")).set("politeness.parallel_per_host", 1);
        with_section(crawl, &site, "delay_ms = 60").run();
        assert_eq!(site.requests().len(), 4);
        assert_spaced(&site.requests(), Duration::from_millis(delay));
    }
}

#[test]
fn the_header_fields_of_a_host_go_to_that_host_alone() {
    let other = Site::of([("/", article(1, NO_LINKS)), ("/moved", article(2, NO_LINKS))]);
    let moved = other.localhost_url("/moved");
    let site = Site::of([("/", home(&["/away"])), ("/away", Answer::redirect(&moved))]);
    let mut crawl = Crawl::of(site.url("/"));
    crawl.add_seed(&other.localhost_url("/"));
    let fields = "headers = { Cookie = \"login=s3cret\", X-Key = \"s3cret\", Authorization = \"Bearer s3cret\" }";
    let crawl = with_section(crawl, &site, fields);
    let ended = crawl.end(&["-vv"]).succeeded();
    assert!(!format!("{ended:?}").contains("s3cret"), "{ended:?}");
    for name in ["cookie", "x-key", "authorization"] {
        assert!(
            site.requests()
                .iter()
                .all(|request| request.headers[name].to_str().unwrap().contains("s3cret"))
        );
        assert!(
            other
                .requests()
                .iter()
                .all(|request| !request.headers.contains_key(name))
        );
    }
    assert_eq!(other.requests().len(), 3);
    for entry in walk(&crawl.data()) {
        let bytes = std::fs::read(&entry).unwrap();
        assert!(
            !bytes.windows(6).any(|window| window == b"s3cret"),
            "{}",
            entry.display()
        );
    }
    let mut show = crawler(["config", "show", "--config", "test.toml"]);
    let shown = run(show.current_dir(crawl.path(""))).succeeded().stdout;
    assert!(
        shown.contains("X-Key = \"***\"") && !shown.contains("s3cret"),
        "{shown}"
    );
}

/// All files below a folder.
fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(walk(&path));
        } else {
            files.push(path);
        }
    }
    files
}

#[test]
fn a_secret_goes_over_http_only_where_the_section_names_the_port() {
    let site = three_pages("");
    let crawl = Crawl::of(site.url("/")).set("host", "[{ host = \"127.0.0.1\", headers = { X-Key = \"s3cret\" } }]");
    crawl.run();
    assert!(
        site.requests()
            .iter()
            .all(|request| !request.headers.contains_key("x-key"))
    );
}

#[test]
fn a_host_has_patterns_of_its_own() {
    let site = three_pages("");
    with_section(Crawl::of(site.url("/")), &site, "exclude = [\"glob:/b\"]").run();
    let mut asked = site.paths();
    asked.sort();
    assert_eq!(asked, ["/", "/a", "/robots.txt"]);
}

#[test]
fn inspect_url_and_config_check_show_what_holds_for_a_host() {
    let folder = tempfile::tempdir().unwrap();
    let write = |text: &str| std::fs::write(folder.path().join("config.toml"), text).unwrap();
    write(
        "[[host]]\nhost = \"*.example.org\"\ndelay_ms = 5000\nexclude = [\"glob:/private/**\"]\n\n\
         [host.headers]\nCookie = \"s3cret\"\n",
    );
    let ended = |arguments: &[&str]| run(crawler(arguments).current_dir(folder.path()));
    let shown = ended(&["inspect", "url", "https://docs.example.org/private/a"])
        .succeeded()
        .stdout;
    let expected = "\texcluded: host[1].exclude has glob:/private/**\t[[host]] 1, *.example.org: delay_ms 5000, parallel 1, \
                    headers cookie\n";
    assert!(shown.ends_with(expected), "{shown}");
    let shown = ended(&["inspect", "url", "--format", "json", "https://docs.example.org/a"])
        .succeeded()
        .stdout;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let section = serde_json::json!({
        "number": 1, "host": "*.example.org", "delay_ms": 5000, "parallel": 1, "headers": ["cookie"]
    });
    assert_eq!((&shown["admitted"], &shown["host_section"]), (&true.into(), &section));
    write("[[host]]\nhost = \"example.org\"\ndelay = 3\n\n[[host]]\nparallel = \"x\"\nheaders = { A = 3 }\n");
    let ended = ended(&["config", "check"]).with_code(2);
    ended.says(&[
        "config.toml:3: unknown key `host.delay`; did you mean `delay_ms`?",
        "config.toml:5: an entry of [[host]] must have host",
        "config.toml:6: `host.parallel` must be a whole number, 0 or more; it is the text \"x\"",
        "config.toml:7: `host.headers` must be a section with a line for each header field",
    ]);
}
