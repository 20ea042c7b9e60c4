//! What a robots.txt says of URLs.

use serde_json::json;

use super::{ROBOTS, folder, inspect, inspect_piped, json_lines};
use crate::support::site::{Answer, Site};

#[test]
fn robots_names_the_deciding_line_for_every_url() {
    let folder = folder(&[("robots.txt", ROBOTS)]);
    let urls = ["https://example.org/a", "http://example.org/a/b?c", "/c", "example.org"];
    let arguments = [
        &[
            "robots",
            "robots.txt",
            "--agent",
            "OtherBot/1.0 (+https://example.org/)",
        ],
        &urls[..],
    ]
    .concat();
    let text = inspect(&folder, &arguments).succeeded().stdout;
    let expected = "disallow\t3: Disallow: /a\thttps://example.org/a\n\
        allow\t4: Allow: /a/b\thttp://example.org/a/b?c\n\
        allow\tno rule\t/c\n\
        allow\tno rule\texample.org\n";
    assert_eq!(text, expected);
    let arguments = ["robots", "robots.txt", "--agent", "foobot", "-", "--format", "json"];
    let answers = json_lines(&inspect_piped(&folder, &arguments, b"http://h/c\n\n http://h/a \r\n").succeeded());
    assert_eq!(
        answers,
        [
            json!({"url": "http://h/c", "allowed": false, "rule": "Disallow: /c", "line": 9, "agent": "foobot",
                   "crawl_delay_ms": null, "sitemaps": ["/s.xml"]}),
            json!({"url": "http://h/a", "allowed": true, "rule": null, "line": null, "agent": "foobot",
                   "crawl_delay_ms": null, "sitemaps": ["/s.xml"]}),
        ]
    );
    let arguments = ["robots", "-", "--agent", "123", "/a", "--format", "jsonl"];
    let answer = json_lines(&inspect_piped(&folder, &arguments, ROBOTS).succeeded()).remove(0);
    assert_eq!(
        (&answer["agent"], &answer["crawl_delay_ms"]),
        (&json!("*"), &json!(1_500))
    );
}

#[test]
fn an_unavailable_robots_txt_is_reported() {
    let folder = folder(&[("robots.txt", ROBOTS)]);
    let ended = inspect(&folder, &["robots", "robots.txt", "--agent", "x", "http://[/", "/a"]).with_code(3);
    assert_eq!(ended.stdout, "disallow\t3: Disallow: /a\t/a\n");
    ended.complains_of(&["http://[/: not a URL"]);
    inspect(&folder, &["robots", "none.txt", "--agent", "x", "/"])
        .with_code(2)
        .complains_of(&["cannot read none.txt"]);
    inspect(&folder, &["robots", "-", "--agent", "x", "-"])
        .with_code(2)
        .complains_of(&["standard input (-) can be an input only once"]);
}

#[test]
fn without_urls_the_crawl_delay_and_the_sitemaps_are_shown_for_the_configured_name() {
    let folder = folder(&[("robots.txt", ROBOTS)]);
    let whole = inspect(&folder, &["robots", "robots.txt"]).succeeded();
    assert_eq!(whole.stdout, "agent\tcrawler\ncrawl-delay\t1s 500ms\nsitemap\t/s.xml\n");
    let json = &json_lines(&inspect(&folder, &["robots", "robots.txt", "--format", "json"]).succeeded())[0];
    assert_eq!(
        (&json["agent"], &json["crawl_delay_ms"]),
        (&"crawler".into(), &1_500.into())
    );
    let other = inspect(&folder, &["robots", "robots.txt", "--agent", "FooBot/2"]).succeeded();
    assert!(
        other.stdout.starts_with("agent\tFooBot\ncrawl-delay\tnone\n"),
        "{other:?}"
    );
    let without_name = inspect(&folder, &["robots", "robots.txt", "/a"]).succeeded();
    assert_eq!(without_name.stdout, "disallow\t3: Disallow: /a\t/a\n");
}

#[test]
fn robots_of_a_host_gives_the_rules_that_a_crawl_obeys() {
    let site = Site::scripted(|asked| match asked.path.as_str() {
        "/robots.txt" if asked.host.starts_with("localhost") => Answer::status(503),
        "/robots.txt" => Answer::redirect("/1"),
        "/5" => Answer::text("user-agent: *\ndisallow: /x\n"),
        // More than five redirects are too many: then there is no robots.txt.
        "/many" => Answer::redirect("/0"),
        path => Answer::redirect(&format!("/{}", path[1..].parse::<u32>().unwrap() + 1)),
    });
    let folder = folder(&[]);
    let ask = |robots: &str| {
        inspect(&folder, &["robots", robots, "--agent", "FooBot", "/x"])
            .succeeded()
            .stdout
    };
    assert_eq!(ask(&site.url("")), "disallow\t2: disallow: /x\t/x\n");
    assert_eq!(ask(&site.url("/many")), "allow\tno rule\t/x\n");
    assert_eq!(
        ask(&site.localhost_url("/robots.txt")),
        "disallow\tHTTP status 503\t/x\n"
    );
}
