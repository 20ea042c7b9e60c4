use http::header::HeaderName;
use http::{HeaderMap, HeaderValue};
use url::Url;

use super::rules::{self, Clue, Rule, THIN};
use super::*;
use crate::{Documents, Options};

mod captchas;
mod challenges;
mod ordinary;
mod refusals;
mod sites;

/// The pages of each kind.
const WALLS: &[(WallKind, &[Sent])] = &[
    (WallKind::Challenge, challenges::PAGES),
    (WallKind::Captcha, captchas::PAGES),
    (WallKind::Javascript, refusals::JAVASCRIPT),
    (WallKind::Denied, refusals::DENIED),
    (WallKind::RateLimit, refusals::RATE_LIMIT),
    (WallKind::Region, refusals::REGION),
    (WallKind::Consent, sites::CONSENT),
    (WallKind::Login, sites::LOGIN),
    (WallKind::Parked, sites::PARKED),
    (WallKind::DefaultPage, sites::DEFAULT_PAGE),
];

/// A page as a server sends it.
struct Sent {
    /// What it is a case of.
    name: &'static str,
    url: &'static str,
    headers: &'static [(&'static str, &'static str)],
    html: &'static str,
}

impl Sent {
    const fn new(name: &'static str, html: &'static str) -> Self {
        Self {
            name,
            url: "https://example.org/articles/2024/05/harbour.html",
            headers: &[],
            html,
        }
    }

    const fn with_headers(self, headers: &'static [(&'static str, &'static str)]) -> Self {
        Self { headers, ..self }
    }

    const fn at(self, url: &'static str) -> Self {
        Self { url, ..self }
    }

    fn wall(&self) -> Option<Wall> {
        found(self.html.as_bytes(), self.headers, self.url)
    }
}

fn found(body: &[u8], fields: &[(&'static str, &'static str)], url: &str) -> Option<Wall> {
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    let url = Url::parse(url).unwrap();
    let options = Options {
        agent: "mybot",
        embedded: false,
        max_text_bytes: 1 << 20,
        extract: None,
        documents: Documents::all(),
        favor: crate::Favor::default(),
        markdown: None,
        metadata: None,
    };
    let page = crate::read(body, &headers, &url, &options).unwrap();
    let answer = Answer {
        url: &url,
        headers: &headers,
        body,
    };
    wall(&answer, &page)
}

/// Each page that is not of this kind, with what was found instead.
fn of_another_kind(kind: Option<WallKind>, pages: &[Sent]) -> Vec<(&'static str, Option<Wall>)> {
    let found = pages.iter().map(|page| (page.name, page.wall()));
    found
        .filter(|(_, wall)| wall.as_ref().map(|wall| wall.kind) != kind)
        .collect()
}

#[test]
fn each_kind_of_wall_is_found_in_the_pages_of_the_products_that_make_it() {
    for (kind, pages) in WALLS {
        assert_eq!(of_another_kind(Some(*kind), pages), [], "{kind:?}");
    }
}

#[test]
fn a_page_that_has_the_words_or_marks_of_a_wall_and_content_is_none() {
    assert_eq!(of_another_kind(None, ordinary::PAGES), []);
}

#[test]
fn an_article_that_quotes_a_wall_is_none() {
    let reports =
        "The harbour master reported that the ferry had left on time, and that the wind had turned to the north. ";
    let quoted: String = (0..30).map(|n| format!("<p>On day {n}: {reports}</p>")).collect();
    for page in WALLS.iter().flat_map(|(_, pages)| *pages) {
        let escaped = page.html.replace('&', "&amp;").replace('<', "&lt;");
        let html = format!(
            "<html><head><title>What the crawler saw</title></head><body><article><h1>What the crawler saw</h1>{quoted}\
             <pre>{escaped}</pre></article></body></html>"
        );
        assert_eq!(found(html.as_bytes(), &[], page.url), None, "{}", page.name);
        // A short text with the source of the page is about it, too.
        let html = format!(
            "<html><head><title>What is this page?</title></head><body><article><p>My crawler got this source from a site today, and \
             I would like to know which program has written it and why.</p><pre>{escaped}</pre></article></body></html>"
        );
        let found = found(html.as_bytes(), &[], page.url);
        assert!(
            !matches!(&found, Some(wall) if wall.evidence.contains("mark")),
            "{}: {found:?}",
            page.name
        );
    }
}

#[test]
fn the_evidence_names_the_product_the_clues_and_the_length_of_the_text() {
    for (name, evidence) in [
        ("Cloudflare, header", "Cloudflare, header cf-mitigated: challenge"),
        (
            "DataDome",
            "DataDome, mark “geo.captcha-delivery.com”, mark “var dd=”; 8 words of main text",
        ),
    ] {
        let page = challenges::PAGES.iter().find(|page| page.name == name).unwrap();
        assert_eq!(page.wall().unwrap().evidence, evidence);
    }
}

#[test]
fn a_rule_needs_clues_of_two_sorts_or_little_text() {
    for rule in rules::all() {
        let positive = |clue: &&Clue| !matches!(clue, Clue::SaysNone(_) | Clue::MarkNone(_) | Clue::NotAt(_));
        let clues = rule.clues.iter().filter(positive).count();
        let is_little = rule.most_words <= THIN || rule.most_beside <= 2 * THIN && says(rule);
        assert!(clues >= 2 || clues == 1 && is_little, "{rule:?}");
        assert!(rule.most_words <= rules::MOST_WORDS, "{rule:?}");
    }
}

fn says(rule: &Rule) -> bool {
    rule.clues.iter().any(|clue| matches!(clue, Clue::Says(_)))
}

#[test]
fn the_words_of_the_rules_can_be_found() {
    for clue in rules::all().flat_map(|rule| rule.clues) {
        match clue {
            Clue::Says(list) | Clue::SaysNone(list) => {
                for phrase in *list {
                    let inner = phrase.trim_end_matches(['.', '!', '?']);
                    assert_eq!(
                        sentences::sentences(inner).len(),
                        1,
                        "{phrase:?} is more than a sentence"
                    );
                }
            }
            Clue::Mark(list) | Clue::MarkNone(list) | Clue::NotAt(list) => {
                for mark in *list {
                    assert_eq!(*mark, mark.to_ascii_lowercase());
                }
            }
            Clue::Title(_) | Clue::TitleBegins(_) => {}
        }
    }
}

#[test]
fn the_names_of_the_kinds_are_distinct_words() {
    let names: std::collections::HashSet<&str> = WallKind::ALL.iter().map(|kind| kind.name()).collect();
    assert_eq!(names.len(), WallKind::ALL.len());
    assert!(
        names
            .iter()
            .all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'))
    );
}

proptest::proptest! {
    #[test]
    fn any_short_page_is_looked_at(html in "(<[a-z]{1,6}( id=\"[a-z]{1,5}\")?>|captcha|access denied|[.!?。\\n “é访问过于频繁]){0,60}") {
        let _ = found(html.as_bytes(), &[], "https://example.org/");
    }
}
