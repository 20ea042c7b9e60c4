//! RFC 9309 by Google's test suite, and tests for points that the suite leaves out.

use std::time::Duration;

use proptest::prelude::*;
use serde::Deserialize;
use url::Url;

use super::*;

/// The cases of Google's robots.txt test-suite (github.com/google/robotstxt, robots_test.cc, Apache-2.0), one JSON object a
/// line.
const GOOGLE: &str = include_str!("../../tests/data/robots-google.jsonl");

/// The cases with a different answer, by line number, and the reason.
const DEVIATIONS: [(usize, &str); 3] = [
    (
        64,
        "the URL contains a raw ツ; every URL is percent-encoded before the match, so the pattern's %E3%83%84 matches it (RFC 9309, section 2.2.2)",
    ),
    (66, "as 64"),
    (
        67,
        "%62%61%7A equals baz: this is an example in RFC 9309, section 2.2.2; Google's matcher compares the raw bytes",
    ),
];

#[derive(Deserialize)]
struct Case {
    case: String,
    allowed: bool,
    robots: String,
    agent: String,
    url: String,
}

impl Case {
    fn is_answered_as_expected(&self) -> bool {
        // The suite's bytes stand in the JSON as characters up to U+00FF, one a byte.
        let robots: Vec<u8> = self
            .robots
            .chars()
            .map(|character| u8::try_from(character).unwrap())
            .collect();
        let robots = Robots::parse(&robots, &self.agent);
        let decision = match Url::parse(&self.url) {
            Ok(url) => robots.decide(&url),
            Err(_) => robots.decide_target(&self.url),
        };
        decision.allowed == self.allowed
    }
}

#[test]
fn answers_differ_from_the_google_suite_only_in_the_listed_cases() {
    let mut asked = 0;
    for (number, line) in (1..).zip(GOOGLE.lines()) {
        let case: Case = serde_json::from_str(line).unwrap();
        let deviation = DEVIATIONS.iter().find(|(listed, _)| *listed == number);
        match (case.is_answered_as_expected(), deviation) {
            (true, None) | (false, Some(_)) => asked += 1,
            (false, None) => panic!("line {number}, {}: expected allowed = {}", case.case, case.allowed),
            (true, Some((_, reason))) => {
                panic!("line {number} now has the expected answer; remove it from the list ({reason})")
            }
        }
    }
    assert_eq!(asked, 142);
}

#[test]
fn the_documentation_lists_these_deviations_and_no_others() {
    let rows: Vec<String> = DEVIATIONS
        .iter()
        .map(|(line, reason)| format!("| {line} | {reason} |"))
        .collect();
    let table = format!(
        "| line | reason for the different answer |\n|---|---|\n{}\n\n",
        rows.join("\n")
    );
    let documented = include_str!("../../../../docs/src/standards.md");
    assert!(
        documented.contains(&table),
        "docs/src/standards.md should have\n{table}"
    );
}

fn decide(robots: &str, agent: &str, target: &str) -> bool {
    Robots::parse(robots.as_bytes(), agent).decide_target(target).allowed
}

#[test]
fn the_longest_rule_decides_and_is_named() {
    let robots = Robots::parse(
        b"User-agent: *\nDisallow: /\n  Allow: /public/  # ours\nDisallow: /public/*.pdf$\n",
        "FooBot",
    );
    let rule = |path: &str| robots.decide(&Url::parse("https://example.com/").unwrap().join(path).unwrap());
    let decided = |allowed, line, rule: &str| RobotsDecision {
        allowed,
        rule: Some(rule.to_owned()),
        line: Some(line),
    };
    assert_eq!(rule("/a"), decided(false, 2, "Disallow: /"));
    assert_eq!(rule("/public/a#b"), decided(true, 3, "Allow: /public/"));
    assert_eq!(rule("/public/a.pdf"), decided(false, 4, "Disallow: /public/*.pdf$"));
    assert_eq!(rule("/robots.txt"), RobotsDecision::NO_RULE);
}

#[test]
fn a_path_that_no_line_matches_is_allowed_without_a_rule() {
    let robots = Robots::parse(b"User-agent: *\nDisallow: /x\n", "FooBot");
    assert_eq!(robots.decide_target("/y"), RobotsDecision::NO_RULE);
}

#[test]
fn a_token_is_compared_whole_and_without_regard_to_case_or_version() {
    let robots = "User-agent: foo-bot/1.2 (x)\nDisallow: /\n";
    for agent in [
        "foo-bot",
        "FOO-BOT",
        "Foo-Bot/9.0",
        "foo-bot/9.0 (+http://example.com/)",
        " foo-bot (+http://example.com/) bar/1",
    ] {
        assert!(!decide(robots, agent, "/x"), "{agent}");
    }
    for agent in ["foo", "foo-bots", "foo_bot", "my foo-bot", "foo-bot bar", ""] {
        assert!(decide(robots, agent, "/x"), "{agent}");
    }
}

#[test]
fn an_agent_without_a_token_obeys_the_rules_for_all() {
    let robots = "User-agent: 1\nUser-agent:\nAllow: /\nUser-agent: *\nDisallow: /\n";
    for agent in ["", "123", "Foo Bar", "**"] {
        assert!(!decide(robots, agent, "/x"), "{agent}");
    }
}

#[test]
fn groups_of_one_agent_are_merged() {
    let robots =
        "User-agent: a\nDisallow: /1\nUser-agent: b\nDisallow: /2\nUser-agent: A\nUser-agent: c\nDisallow: /3\n";
    assert_eq!(
        ["/1", "/2", "/3"].map(|path| decide(robots, "a", path)),
        [false, true, false]
    );
    assert_eq!(
        ["/1", "/2", "/3"].map(|path| decide(robots, "c", path)),
        [true, true, false]
    );
}

#[test]
fn an_empty_group_of_its_own_frees_an_agent_from_the_rules_for_all() {
    assert!(decide(
        "User-agent: *\nDisallow: /\n\nUser-agent: a\nDisallow:\n",
        "a",
        "/x"
    ));
}

#[test]
fn the_crawl_delay_is_the_longest_of_the_own_groups() {
    let delay = |robots: &str| Robots::parse(robots.as_bytes(), "a").crawl_delay();
    assert_eq!(
        delay("User-agent: *\nCrawl-delay: 2.5\n"),
        Some(Duration::from_millis(2_500))
    );
    assert_eq!(
        delay("User-agent: a\nCrawl-delay: 1\nCrawl-delay: 3\nUser-agent: *\nCrawl-delay: 9\nDisallow:\n"),
        Some(Duration::from_secs(3))
    );
    assert_eq!(delay("User-agent: a\nDisallow:\nUser-agent: *\nCrawl-delay: 9\n"), None);
    assert_eq!(delay("Crawl-delay: 9\n"), None);
    for (long, seconds) in [
        ("1 s", 1),
        ("1e300", u32::MAX),
        ("99999999999999999999999999", u32::MAX),
        ("184467440737095516150.5", u32::MAX),
    ] {
        let found = delay(&format!("User-agent: a\nCrawl-delay: {long}\n"));
        assert_eq!(found, Some(Duration::from_secs(seconds.into())), "{long}");
    }
    for nonsense in ["-1", "-1e300", "NaN", "inf", "soon", ""] {
        assert_eq!(
            delay(&format!("User-agent: a\nCrawl-delay: {nonsense}\n")),
            None,
            "{nonsense}"
        );
    }
}

#[test]
fn a_crawl_delay_does_not_end_a_group_of_rules() {
    assert!(!decide(
        "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nDisallow: /\n",
        "a",
        "/x"
    ));
}

#[test]
fn sitemaps_belong_to_no_group() {
    let robots = Robots::parse(
        b"Sitemap: https://a/1\nUser-agent: b\nsitemap:/2\nDisallow: /\nSITEMAP: https://a/1\nSitemap:\n",
        "a",
    );
    assert_eq!(robots.sitemaps(), ["https://a/1", "/2"]);
}

#[test]
fn text_beyond_the_limit_is_not_read_nor_is_the_line_that_it_cuts() {
    let head = b"User-agent: *\nDisallow: /early\n".to_vec();
    let mut body = head.clone();
    body.resize(MAX_ROBOTS_BYTES - b"\nDisallow: /".len(), b'#');
    body.extend(b"\nDisallow: /cut-in-two\nDisallow: /late\n");
    let robots = Robots::parse(&body, "a");
    assert_eq!(
        ["/early", "/cut", "/late"].map(|path| robots.decide_target(path).allowed),
        [false, true, true]
    );
}

#[test]
fn a_page_of_html_in_its_place_allows_everything() {
    let robots = Robots::parse(
        b"<!doctype html>\n<title>404</title>\n<p style=\"color: red\">Not found\0\xff</p>",
        "a",
    );
    assert_eq!(robots, Robots::allow_all());
}

/// Files made of the words that the parser recognises.
fn any_robots() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        "user-agent",
        "Disallow",
        "ALLOW",
        "crawl-delay",
        "sitemap",
        ":",
        " ",
        "\t",
        "\n",
        "\r",
        "\r\n",
        "#",
        "*",
        "$",
        "/",
        "?",
        "%",
        "%2",
        "%2f",
        "%zz",
        "a",
        "foo",
        "FooBot",
        "-",
        "1.5",
        "é",
        "\0",
        "\u{feff}",
        "http://a/",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn any_file_can_be_read(body in any_robots(), noise: Vec<u8>, target: String) {
        for body in [&body, &noise, &[body.clone(), noise.clone()].concat()] {
            let decision = Robots::parse(body, "FooBot").decide_target(&target);
            prop_assert!(decision.allowed || decision.rule.is_some());
        }
    }

    #[test]
    fn a_forbidden_path_stays_forbidden_below_it(path in "/[a-z/]{0,10}", below in "[a-z/?=]{0,10}") {
        let robots = format!("user-agent: *\ndisallow: {path}\n");
        let target = format!("{path}{below}");
        prop_assume!(target != "/robots.txt");
        prop_assert!(!decide(&robots, "a", &target));
    }
}
