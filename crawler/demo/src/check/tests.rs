//! Made-up outcomes against the real truth.

use std::time::Instant;

use url::Url;

use super::*;
use crate::truth::{TruthSettings, truth};

fn real_truth() -> Vec<Expected> {
    let base = Url::parse("http://127.0.0.1:4711/").expect("the URL is valid");
    truth(
        &base,
        &TruthSettings {
            max_depth: 6,
            numbers_must_match: false,
            may_hold_back: false,
            renders: true,
        },
    )
}

/// The outcomes of a perfect crawl that fetches the pages in the order of `truth`.
fn perfect(truth: &[Expected]) -> Vec<UrlOutcome> {
    let mut kept: HashMap<&str, &Expected> = HashMap::new();
    let mut outcomes = Vec::new();
    for expected in truth {
        let (outcome, of) = match expected.answer {
            Answer::Kept | Answer::Listing => (Outcome::Kept, None),
            Answer::OneOf { cluster, wording } => match kept.get(cluster) {
                None => {
                    kept.insert(cluster, expected);
                    (Outcome::Kept, None)
                }
                Some(first) => (duplicate_of(first, wording).remove(0), Some(first.url.clone())),
            },
            Answer::Redirect | Answer::RedirectLoop => (Outcome::Redirect, None),
            Answer::Failed(kind) => (Outcome::Failed(kind.to_owned()), None),
            Answer::Excluded(_) => (Outcome::Excluded, None),
            Answer::BeyondDepth => continue,
        };
        outcomes.push(UrlOutcome {
            url: expected.url.clone(),
            outcome,
            of,
        });
    }
    outcomes
}

fn at<'a>(outcomes: &'a mut [UrlOutcome], path: &str) -> &'a mut UrlOutcome {
    outcomes
        .iter_mut()
        .find(|decision| decision.url.ends_with(path))
        .expect("the page is decided")
}

/// The expected and found words of the single mismatch.
fn only(mismatches: Vec<Mismatch>) -> (String, String) {
    assert_eq!(mismatches.len(), 1, "{mismatches:#?}");
    mismatches
        .into_iter()
        .map(|m| (m.expected, m.found))
        .next()
        .expect("there is one")
}

fn pair(expected: &str, found: &str) -> (String, String) {
    (expected.to_owned(), found.to_owned())
}

#[test]
fn a_perfect_crawl_agrees_in_whatever_order_it_met_the_pages() {
    let mut truth = real_truth();
    assert_eq!(check(&truth, &perfect(&truth)), []);
    let mut backward = truth.clone();
    backward.reverse();
    let outcomes = perfect(&backward);
    assert_eq!(check(&truth, &outcomes), []);
    assert_ne!(outcomes.iter().rev().cloned().collect::<Vec<_>>(), perfect(&truth));
    truth.rotate_left(57);
    assert_eq!(check(&truth, &outcomes), []);
}

#[test]
fn a_wrong_outcome_is_named() {
    let truth = real_truth();
    let mut outcomes = perfect(&truth);
    at(&mut outcomes, "/shop/compass").outcome = Outcome::Near;
    assert_eq!(only(check(&truth, &outcomes)), pair("kept", "near"));
    let mut outcomes = perfect(&truth);
    at(&mut outcomes, "/lost/offer").outcome = Outcome::Kept;
    assert_eq!(only(check(&truth, &outcomes)), pair("soft_404", "kept"));
    let mut outcomes = perfect(&truth);
    at(&mut outcomes, "/lost/machine").outcome = Outcome::Failed("timeout".to_owned());
    assert_eq!(only(check(&truth, &outcomes)), pair("http_500", "timeout"));
}

#[test]
fn same_text_must_be_exact_and_an_edited_sentence_near() {
    let truth = real_truth();
    let mut outcomes = perfect(&truth);
    at(&mut outcomes, "/mirror/articles/tea").outcome = Outcome::Near;
    assert_eq!(only(check(&truth, &outcomes)), pair("exact", "near"));
    let mut outcomes = perfect(&truth);
    let edited = at(&mut outcomes, "/archive/tides-reworded");
    assert_eq!(
        edited.outcome,
        Outcome::Kept,
        "the archive comes first in the order of the truth"
    );
    at(&mut outcomes, "/articles/tides").outcome = Outcome::Exact;
    assert_eq!(only(check(&truth, &outcomes)), pair("near", "exact"));
    let mut outcomes = perfect(&truth);
    for outcome in [Outcome::Exact, Outcome::Near] {
        at(&mut outcomes, "/print/articles/volcanoes").outcome = outcome;
        assert_eq!(check(&truth, &outcomes), []);
    }
}

#[test]
fn two_kept_pages_of_a_cluster_are_one_too_many() {
    let truth = real_truth();
    let mut outcomes = perfect(&truth);
    *at(&mut outcomes, "/sparse/memo-again") = UrlOutcome {
        outcome: Outcome::Kept,
        of: None,
        ..at(&mut outcomes, "/sparse/memo-again").clone()
    };
    assert_eq!(only(check(&truth, &outcomes)), pair("exact", "kept"));
}

#[test]
fn a_cluster_without_a_kept_page_is_missed() {
    let truth = real_truth();
    let mut outcomes = perfect(&truth);
    at(&mut outcomes, "/sparse/memo").outcome = Outcome::Exact;
    let missed = check(&truth, &outcomes);
    assert!(
        missed
            .iter()
            .any(|m| m.expected == "kept" && m.url.ends_with("/sparse/memo")),
        "{missed:#?}"
    );
}

#[test]
fn a_duplicate_must_name_the_kept_page() {
    let truth = real_truth();
    let mut outcomes = perfect(&truth);
    at(&mut outcomes, "/mirror/articles/tea").of = Some("http://127.0.0.1:4711/".to_owned());
    let (expected, found) = only(check(&truth, &outcomes));
    assert_eq!(expected, "exact of http://127.0.0.1:4711/articles/tea");
    assert_eq!(found, "exact of http://127.0.0.1:4711/");
}

#[test]
fn missing_unknown_and_repeated_urls_are_named() {
    let truth = real_truth();
    let mut outcomes = perfect(&truth);
    outcomes.retain(|decision| !decision.url.ends_with("/rooms/map-room"));
    assert_eq!(only(check(&truth, &outcomes)), pair("kept", "absent"));
    let mut outcomes = perfect(&truth);
    outcomes.push(UrlOutcome {
        url: "http://127.0.0.1:4711/ghost".to_owned(),
        outcome: Outcome::Kept,
        of: None,
    });
    assert_eq!(only(check(&truth, &outcomes)), pair("nothing", "kept"));
    let mut outcomes = perfect(&truth);
    outcomes.push(outcomes[0].clone());
    assert_eq!(only(check(&truth, &outcomes)), pair("one outcome", "two outcomes"));
}

#[test]
fn either_end_of_a_redirect_loop_and_beyond_is_right() {
    let truth = real_truth();
    let mut outcomes = perfect(&truth);
    at(&mut outcomes, "/moved/hither").outcome = Outcome::Failed("redirect_loop".to_owned());
    let beyond = truth
        .iter()
        .find(|e| e.answer == Answer::BeyondDepth)
        .expect("the calendar is cut off");
    outcomes.push(UrlOutcome {
        url: beyond.url.clone(),
        outcome: Outcome::Excluded,
        of: None,
    });
    assert_eq!(check(&truth, &outcomes), []);
    at(&mut outcomes, &beyond.path).outcome = Outcome::Exact;
    assert_eq!(only(check(&truth, &outcomes)), pair("excluded or absent", "exact"));
}

/// The requests of a polite crawl: robots.txt and the sitemap, then every page that is not forbidden.
fn polite(truth: &[Expected]) -> Vec<Request> {
    let fetched = truth
        .iter()
        .filter(|e| !matches!(e.answer, Answer::BeyondDepth | Answer::Excluded(Exclusion::Robots)))
        .map(|e| e.path.as_str());
    [ROBOTS, SITEMAP].into_iter().chain(fetched).map(request).collect()
}

fn request(path: &str) -> Request {
    let status = if path == "/lost/nothing" { 404 } else { 200 };
    Request {
        path_and_query: path.to_owned(),
        received: Instant::now(),
        user_agent: String::new(),
        status,
    }
}

#[test]
fn a_polite_crawl_asks_for_every_page_once() {
    let truth = real_truth();
    let requests = polite(&truth);
    assert_eq!(check_requests(&truth, &requests), []);
    let with = |path: &str| [requests.clone(), vec![request(path)]].concat();
    assert_eq!(
        check_requests(&truth, &with("/lost/machine")),
        [],
        "a failing server may be asked again"
    );
    assert_eq!(
        only(check_requests(&truth, &with("/private/study"))),
        pair("no request", "1 requests")
    );
    assert_eq!(
        only(check_requests(&truth, &with("/articles/tea"))),
        pair("one request", "2 requests")
    );
    assert_eq!(
        only(check_requests(&truth, &with("/calendar/1999/01"))),
        pair("no request", "a request")
    );
    assert_eq!(
        only(check_requests(&truth, &requests[1..])),
        pair("robots.txt first", "a request before it")
    );
    assert_eq!(
        only(check_requests(&truth, &requests[..requests.len() - 1])),
        pair("one request", "0 requests")
    );
}

#[test]
fn the_table_sets_the_truth_beside_what_was_found() {
    let truth = real_truth();
    let mut outcomes = perfect(&truth);
    at(&mut outcomes, "/shop/compass").outcome = Outcome::Near;
    let table = table(&truth, &outcomes);
    let row = |label: &str| {
        table
            .lines()
            .find(|line| line.starts_with(label))
            .expect("there is a row")
            .to_owned()
    };
    let cells = |label: &str| {
        row(label)
            .split("  ")
            .map(str::trim)
            .filter(|c| !c.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        cells("products"),
        [
            "products in one template",
            "15",
            "15 kept",
            "14 kept, 1 near",
            "1 wrong"
        ]
    );
    assert_eq!(
        cells("session ids"),
        ["session ids", "41", "6 kept, 35 exact", "6 kept, 35 exact", "yes"]
    );
    assert_eq!(
        cells("forbidden")[2..],
        ["1 kept, 3 excluded", "1 kept, 3 excluded", "yes"]
    );
    assert_eq!(table.lines().count(), Area::ALL.len() + 1);
    let starts: Vec<_> = table.lines().map(|line| line.chars().count()).collect();
    assert!(
        starts.iter().all(|length| *length <= 140),
        "a row fits on a wide terminal"
    );
}
