//! What a reader sees is the text of a page, in a crawl from end to end: what the verdicts are about, and what the export has.

use std::collections::HashMap;

use serde_json::Value;

use crate::support::crawl::Crawl;
use crate::support::outcomes::expected;
use crate::support::page::home;
use crate::support::site::{Answer, Site};

const BAKERY: &str = "The bakery opens at five. By then the first loaves have cooled, and the baker has already shaped the rolls for the \
    hospital, which orders four hundred of them on weekdays and half as many on Sundays.";
const FERRY: &str = "The ferry to the northern islands leaves at half past six, and in winter it is often the only vessel in the bay. Fishermen \
    load crates of bread and mail on the upper deck while the crew checks the ropes that hold two small tractors in place.";
const WORKSHOP: &str = "Our workshop repairs wooden boats that were built before the war. Most of them arrive with soft planks near the keel, \
    because rain water collects there during the months ashore, and nobody thinks of opening the drain.";
const DAM: &str = "When the dam was finished, eleven villages had moved to higher ground. The old church was taken apart stone by stone, numbered \
    with chalk, and built again beside the new school, where it still leans slightly to the west.";
const STATUS: &str = "The server cannot find the requested resource. In a browser, this means that the URL is not recognised. Servers may send \
    this status instead of 403 to hide a resource from a client that is not allowed to see it. The status says nothing about whether the \
    absence is temporary or permanent; for the latter there is 410.";
const CONSENT: &str = "<div role=dialog aria-modal=true aria-label=Cookies><p>We and our 842 partners store and access information on a device, \
    such as cookies, and process personal data for personalised advertising and content, measurement and audience research.</p><p>You can \
    withdraw your consent at any time by returning to this site and clicking the button at the bottom of the page.</p><button>Accept</button></div>";

/// (path, body, text)
fn pages() -> Vec<(&'static str, String, String)> {
    let paragraph = |text: &str| format!("<p>{text}</p>");
    let question = "Why do planks matter to boats?";
    vec![
        (
            "/shadow-open",
            format!(
                "<main><h1>Open</h1><x-notes><template shadowrootmode=open><p>{BAKERY}</p><p>{FERRY}</p></template></x-notes></main>"
            ),
            format!("Open\n{BAKERY}\n{FERRY}"),
        ),
        (
            "/shadow-closed",
            format!(
                "<main><h1>Closed</h1><x-notes><template shadowrootmode=closed><p>{DAM}</p><slot></slot></template><p>{WORKSHOP}</p></x-notes></main>"
            ),
            format!("Closed\n{DAM}\n{WORKSHOP}"),
        ),
        (
            "/fieldsets",
            format!(
                "<h1>Plan</h1><fieldset><legend>Bakery</legend><p>{BAKERY}</p></fieldset><fieldset><legend>Boats</legend><p>{WORKSHOP}</p></fieldset>"
            ),
            format!("Plan\nBakery\n{BAKERY}\nBoats\n{WORKSHOP}"),
        ),
        (
            "/labels",
            format!(
                "<main><h1>Answers</h1>{}<input type=checkbox id=q><label for=q>{question}</label><div>{}</div></main>",
                paragraph(DAM),
                paragraph(WORKSHOP)
            ),
            format!("Answers\n{DAM}\n{question}\n{WORKSHOP}"),
        ),
        (
            "/letters",
            format!(
                "<main><h1><span>H</span><span>a</span><span>r</span><span>b</span><span>o</span><span>u</span><span>r</span></h1><p><b>Un</b>usual. {FERRY}</p></main>"
            ),
            format!("Harbour\nUnusual. {FERRY}"),
        ),
        (
            "/status",
            format!(
                "<nav><a href=/403>403 Forbidden</a></nav><article><h1>404 Not Found</h1><p>{STATUS}</p></article>"
            ),
            format!("404 Not Found\n{STATUS}"),
        ),
        (
            "/consent",
            format!("<main><h1>Notice</h1><p>{BAKERY}</p></main>{CONSENT}"),
            format!("Notice\n{BAKERY}"),
        ),
    ]
}

/// Pages that say the same as `/consent` and `/letters`.
fn duplicates() -> [(&'static str, String); 2] {
    let hyphened = FERRY
        .replace("northern", "north\u{ad}ern")
        .replace("Fishermen", "Fisher\u{ad}men");
    [
        (
            "/without-consent",
            format!("<main><h1>Notice</h1><p>{BAKERY}</p></main>"),
        ),
        (
            "/soft-hyphens",
            format!("<main><h1>Har\u{ad}bour</h1><p>\u{feff}Unusual. {hyphened}</p></main>"),
        ),
    ]
}

fn answer(title: &str, body: &str) -> Answer {
    Answer::html(format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title></head><body>{body}</body></html>"
    ))
}

#[test]
fn a_crawl_keeps_what_readers_see_and_no_more() {
    let (pages, duplicates) = (pages(), duplicates());
    let mut answers: HashMap<&str, Answer> = HashMap::new();
    for (path, body, _) in &pages {
        let title = if *path == "/status" {
            "404 Not Found - HTTP status codes"
        } else {
            *path
        };
        answers.insert(path, answer(title, body));
    }
    for (path, body) in &duplicates {
        answers.insert(path, answer("Again", body));
    }
    let mut links: Vec<&str> = pages.iter().map(|(path, ..)| *path).collect();
    links.extend(duplicates.iter().map(|(path, _)| *path));
    answers.insert("/", home(&links));
    answers.insert("/403", Answer::status(404));
    let site = Site::of(answers);
    // A page is read and decided before the next one is asked for, so that the first of two equal texts is kept.
    let crawl = Crawl::of(site.url("/")).one_at_a_time().set("politeness.delay_ms", 60);
    crawl.run();
    let texts: HashMap<String, Value> = crawl
        .export()
        .into_iter()
        .map(|page| {
            (
                page["url"].as_str().unwrap().replace(&site.url(""), ""),
                page["text"].clone(),
            )
        })
        .collect();
    for (path, _, text) in &pages {
        assert_eq!(texts[*path], text.as_str(), "{path}");
    }
    assert_eq!(
        crawl.outcomes(&site),
        expected([
            ("/", "kept"),
            ("/403", "failed http_404"),
            ("/shadow-open", "kept"),
            ("/shadow-closed", "kept"),
            ("/fieldsets", "kept"),
            ("/labels", "kept"),
            ("/letters", "kept"),
            ("/status", "kept"),
            ("/consent", "kept"),
            ("/without-consent", "exact of /consent"),
            ("/soft-hyphens", "exact of /letters"),
        ])
    );
}
