//! The expected answer for every URL of the site under given settings.

use url::Url;

use super::page::{Answer, Area};
use super::site::{Site, absolute};

/// The settings of a crawl on which the answers depend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TruthSettings {
    /// Largest distance from the seed that the crawl fetches. The seed has distance 0; a link adds 1, a redirect 0. A bound of 7 or more
    /// cuts off only the calendar.
    pub max_depth: u16,
    /// Whether pages with different numbers, except in dates, are never duplicates.
    pub numbers_must_match: bool,
    /// Whether steering may hold back a predicted duplicate.
    pub may_hold_back: bool,
    /// Whether a browser renders the pages that scripts draw.
    pub renders: bool,
}

/// A URL and its expected answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// Absolute URL.
    pub url: String,
    /// Its path and query.
    pub path: String,
    /// Its area.
    pub area: Area,
    /// The answer of a correct crawl.
    pub answer: Answer,
    /// The reason for the answer.
    pub why: &'static str,
    /// Whether steering may hold the page back: a page of a listing, or a page of a cluster with another kept page.
    pub may_be_held_back: bool,
}

/// The truth about the site at `base`: every URL that a crawl from the home page can discover, sorted by path.
pub fn truth(base: &Url, settings: &TruthSettings) -> Vec<Expected> {
    let site = Site::new();
    let reached = site.depths(settings.max_depth, settings.renders).into_iter();
    reached
        .filter_map(|(path, depth)| {
            let page = site.page(&path)?;
            let strict = page
                .answer_if_numbers_must_match
                .filter(|_| settings.numbers_must_match);
            let (answer, why) = if depth > settings.max_depth {
                (Answer::BeyondDepth, "farther from the home page than the depth limit")
            } else if page.needs_browser && !settings.renders {
                (
                    Answer::Kept,
                    "drawn by a script, and empty without a browser; such a page is never a duplicate",
                )
            } else {
                (strict.unwrap_or(page.answer), page.why)
            };
            Some(Expected {
                url: absolute(base, &path),
                area: page.area,
                answer,
                why,
                may_be_held_back: settings.may_hold_back && matches!(answer, Answer::OneOf { .. } | Answer::Listing),
                path,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{DemoPage, Wording};
    use crate::shingles::Shingles;
    use std::collections::{HashMap, HashSet};

    const DEFAULT: TruthSettings = TruthSettings {
        max_depth: 8,
        numbers_must_match: false,
        may_hold_back: false,
        renders: true,
    };

    fn truth_of(settings: TruthSettings) -> Vec<Expected> {
        truth(
            &Url::parse("http://127.0.0.1:4711/").expect("the URL is valid"),
            &settings,
        )
    }

    /// Every page with text, and the name of its cluster or its path.
    fn texts(settings: TruthSettings) -> Vec<(String, Answer, DemoPage)> {
        let site = Site::new();
        let page = |expected: Expected| {
            let name = match expected.answer {
                Answer::Kept => expected.path.clone(),
                Answer::OneOf { cluster, .. } => cluster.to_owned(),
                _ => return None,
            };
            site.page(&expected.path)
                .map(|page| (name, expected.answer, page.into_owned()))
        };
        truth_of(settings).into_iter().filter_map(page).collect()
    }

    #[test]
    fn at_least_eighty_pages_have_an_answer() {
        let truth = truth_of(DEFAULT);
        assert!(truth.iter().filter(|e| e.answer != Answer::BeyondDepth).count() >= 80);
        let urls: HashSet<&String> = truth.iter().map(|expected| &expected.url).collect();
        assert_eq!(urls.len(), truth.len());
        for area in Area::ALL {
            assert!(truth.iter().any(|expected| expected.area == area), "{area} has no page");
        }
    }

    #[test]
    fn the_calendar_grows_by_two_sheets_a_step_and_nothing_else_grows() {
        let (eight, nine) = (
            truth_of(DEFAULT),
            truth_of(TruthSettings {
                max_depth: 9,
                ..DEFAULT
            }),
        );
        assert_eq!(nine.len(), eight.len() + 2);
        let beyond = |truth: &[Expected]| truth.iter().filter(|e| e.answer == Answer::BeyondDepth).count();
        assert_eq!((beyond(&eight), beyond(&nine)), (2, 2));
    }

    #[test]
    fn members_of_a_cluster_are_close_and_all_others_are_far_apart() {
        let pages: Vec<_> = texts(DEFAULT)
            .into_iter()
            .map(|(name, _, page)| (name, Shingles::of(&page.main_text), page.path))
            .collect();
        let mut pairs = 0;
        for (n, (name, shingles, path)) in pages.iter().enumerate() {
            for (other_name, other_shingles, other_path) in &pages[..n] {
                let jaccard = shingles.jaccard(other_shingles);
                if name == other_name {
                    pairs += 1;
                    assert!(jaccard >= 0.85, "{path} and {other_path}: {jaccard:.3}");
                } else {
                    assert!(jaccard < 0.4, "{path} and {other_path}: {jaccard:.3}");
                }
            }
        }
        assert!(pairs > 100);
    }

    #[test]
    fn equal_wording_means_equal_text_and_different_wording_does_not() {
        let mut by_wording: HashMap<(String, &str), String> = HashMap::new();
        for (cluster, answer, page) in texts(DEFAULT) {
            if let Answer::OneOf {
                wording: Wording::Exactly(wording),
                ..
            } = answer
            {
                let text = by_wording
                    .entry((cluster, wording))
                    .or_insert_with(|| page.main_text.clone());
                assert_eq!(*text, page.main_text, "{}", page.path);
            }
        }
        let distinct: HashSet<&String> = by_wording.values().collect();
        assert_eq!(distinct.len(), by_wording.len());
    }

    #[test]
    fn every_cluster_except_articles_has_at_least_two_members() {
        let mut sizes: HashMap<String, (usize, Area)> = HashMap::new();
        for (name, answer, page) in texts(DEFAULT) {
            if matches!(answer, Answer::OneOf { .. }) {
                sizes.entry(name).or_insert((0, page.area)).0 += 1;
            }
        }
        for (name, (size, area)) in sizes {
            assert!(
                size >= 2 || matches!(area, Area::Articles | Area::Chinese),
                "{name} has {size}"
            );
        }
    }

    #[test]
    fn where_numbers_must_match_only_equal_prices_remain_variants() {
        let strict = truth_of(TruthSettings {
            numbers_must_match: true,
            ..DEFAULT
        });
        let of = |path: &str| {
            strict
                .iter()
                .find(|e| e.path == path)
                .map(|e| e.answer)
                .expect("the page exists")
        };
        assert_eq!(of("/marlow/oxblood"), Answer::Kept);
        assert!(matches!(of("/marlow/moss"), Answer::OneOf { cluster, .. } if cluster != "marlow-jacket"));
        let changed = strict
            .iter()
            .zip(truth_of(DEFAULT))
            .filter(|(a, b)| a.answer != b.answer)
            .count();
        assert_eq!(changed, 8);
    }

    #[test]
    fn where_numbers_must_match_the_members_of_a_cluster_have_the_same_numbers_but_for_dates() {
        let mut numbers: HashMap<String, Vec<String>> = HashMap::new();
        for (name, answer, page) in texts(TruthSettings {
            numbers_must_match: true,
            ..DEFAULT
        }) {
            let Answer::OneOf {
                wording: Wording::Exactly(_),
                ..
            } = answer
            else {
                continue;
            };
            let found: Vec<String> = page
                .main_text
                .split(|c: char| !c.is_ascii_digit())
                .filter(|n| !n.is_empty())
                .map(str::to_owned)
                .collect();
            assert_eq!(
                numbers.entry(name).or_insert_with(|| found.clone()),
                &found,
                "{}",
                page.path
            );
        }
    }
}
