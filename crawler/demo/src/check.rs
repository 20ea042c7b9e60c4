//! The comparison of a crawl with the truth: a list of mismatches, and a table.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::RangeInclusive;

use super::page::{Answer, Area, Exclusion, Wording};
use super::server::Request;
use super::site::{ROBOTS, SITEMAP, Site};
use super::truth::Expected;

/// The outcome of a URL in a crawl.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Stored.
    Kept,
    /// Dropped: the same text as a kept page.
    Exact,
    /// Dropped: nearly the same text as a kept page.
    Near,
    /// A redirect to another URL.
    Redirect,
    /// A failure of this kind.
    Failed(String),
    /// Neither stored nor a failure: forbidden, not a document, or out of scope.
    Excluded,
    /// The crawl does not know the URL, or has not fetched it.
    Absent,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Kept => f.write_str("kept"),
            Outcome::Exact => f.write_str("exact"),
            Outcome::Near => f.write_str("near"),
            Outcome::Redirect => f.write_str("redirect"),
            Outcome::Failed(kind) => f.write_str(kind),
            Outcome::Excluded => f.write_str("excluded"),
            Outcome::Absent => f.write_str("absent"),
        }
    }
}

/// A URL with its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlOutcome {
    /// The URL.
    pub url: String,
    /// Its outcome.
    pub outcome: Outcome,
    /// The URL of the kept page, for a duplicate.
    pub of: Option<String>,
}

/// A URL with an unexpected outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The URL.
    pub url: String,
    /// Its area; `None` for a URL that the site does not have.
    pub area: Option<Area>,
    /// The expected outcome.
    pub expected: String,
    /// The actual outcome.
    pub found: String,
    /// The reason for the expected outcome.
    pub why: &'static str,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: expected {}, found {} ({})",
            self.url, self.expected, self.found, self.why
        )
    }
}

/// The URLs whose outcome differs from `truth`, that have two outcomes, or that the site does not have.
///
/// The order of the crawl decides which page of a cluster is kept. The expected outcomes of the other pages follow from it.
pub fn check(truth: &[Expected], outcomes: &[UrlOutcome]) -> Vec<Mismatch> {
    let by_url = by_url(outcomes);
    let representatives = representatives(truth, &by_url);
    let mut mismatches: Vec<Mismatch> = truth
        .iter()
        .filter_map(|expected| judge(expected, &representatives, &by_url).err())
        .collect();
    let known: HashMap<&str, &Expected> = truth.iter().map(|expected| (expected.url.as_str(), expected)).collect();
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for decided in outcomes {
        let times = seen.entry(&decided.url).or_default();
        *times += 1;
        let expected = known.get(decided.url.as_str());
        if *times == 2 || expected.is_none() {
            mismatches.push(Mismatch {
                url: decided.url.clone(),
                area: expected.map(|expected| expected.area),
                expected: if *times == 2 {
                    "one outcome".to_owned()
                } else {
                    "nothing".to_owned()
                },
                found: if *times == 2 {
                    "two outcomes".to_owned()
                } else {
                    decided.outcome.to_string()
                },
                why: if *times == 2 {
                    "a URL has one outcome"
                } else {
                    "the site has no such page"
                },
            });
        }
    }
    mismatches
}

/// The differences between `requests` and those of a correct and polite first crawl.
///
/// Such a crawl requests robots.txt first. It requests no URL that robots.txt forbids or that exceeds the depth limit, and every other
/// page exactly once. It may repeat a request after a server error, and need not request a URL that is not a document.
pub fn check_requests(truth: &[Expected], requests: &[Request]) -> Vec<Mismatch> {
    let mut mismatches = Vec::new();
    let first = requests.first().map_or("", |request| request.path_and_query.as_str());
    if first != ROBOTS {
        mismatches.push(Mismatch {
            url: first.to_owned(),
            area: None,
            expected: "robots.txt first".to_owned(),
            found: "a request before it".to_owned(),
            why: "robots.txt decides on the other requests",
        });
    }
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for request in requests
        .iter()
        .filter(|r| r.status != 404 || truth.iter().any(|e| e.path == r.path_and_query))
    {
        *times.entry(&request.path_and_query).or_default() += 1;
    }
    for expected in truth {
        let count = times.remove(expected.path.as_str()).unwrap_or_default();
        let allowed = allowed_requests(expected);
        if !allowed.contains(&count) {
            let wanted = if *allowed.end() == 0 {
                "no request"
            } else {
                "one request"
            };
            mismatches.push(Mismatch {
                url: expected.url.clone(),
                area: Some(expected.area),
                expected: wanted.to_owned(),
                found: format!("{count} requests"),
                why: expected.why,
            });
        }
    }
    let unknown = times
        .into_keys()
        .filter(|path| ![ROBOTS, SITEMAP].contains(path) && Site::asset(path).is_none());
    mismatches.extend(unknown.map(|path| Mismatch {
        url: path.to_owned(),
        area: None,
        expected: "no request".to_owned(),
        found: "a request".to_owned(),
        why: "no link leads to it",
    }));
    mismatches
}

/// The number of requests that a correct crawl may make for a URL.
fn allowed_requests(expected: &Expected) -> RangeInclusive<usize> {
    match expected.answer {
        Answer::BeyondDepth | Answer::Excluded(Exclusion::Robots) => 0..=0,
        Answer::Excluded(Exclusion::ContentType) => 0..=1,
        Answer::Failed(kind) if kind.starts_with("http_5") => 1..=usize::MAX,
        Answer::RedirectLoop => 1..=usize::MAX,
        Answer::Listing => usize::from(!expected.may_be_held_back)..=1,
        _ if expected.may_be_held_back => 0..=1,
        _ => 1..=1,
    }
}

/// A plain-text table of the expected and the actual outcomes, one row for each area.
pub fn table(truth: &[Expected], outcomes: &[UrlOutcome]) -> String {
    let by_url = by_url(outcomes);
    let representatives = representatives(truth, &by_url);
    let mut rows = vec![["area", "pages", "expected", "found", "ok"].map(str::to_owned)];
    for area in Area::ALL {
        let pages: Vec<&Expected> = truth
            .iter()
            .filter(|e| e.area == area && e.answer != Answer::BeyondDepth)
            .collect();
        let wrong = pages
            .iter()
            .filter(|expected| judge(expected, &representatives, &by_url).is_err())
            .count();
        let found = |expected: &&Expected| in_table(&[outcome(&by_url, &expected.url)]);
        rows.push([
            area.label().to_owned(),
            pages.len().to_string(),
            tally(
                pages
                    .iter()
                    .map(|expected| in_table(&allowed(expected, &representatives))),
            ),
            tally(pages.iter().map(found)),
            if wrong == 0 {
                "yes".to_owned()
            } else {
                format!("{wrong} wrong")
            },
        ]);
    }
    render(&rows)
}

type ByUrl<'a> = HashMap<&'a str, &'a UrlOutcome>;
/// The kept page of each cluster, by the cluster's name.
type Representatives<'a> = HashMap<&'static str, &'a Expected>;

fn by_url(outcomes: &[UrlOutcome]) -> ByUrl<'_> {
    outcomes
        .iter()
        .rev()
        .map(|decided| (decided.url.as_str(), decided))
        .collect()
}

fn outcome(by_url: &ByUrl<'_>, url: &str) -> Outcome {
    by_url
        .get(url)
        .map_or(Outcome::Absent, |decided| decided.outcome.clone())
}

/// The kept member of each cluster, or the first member if none was kept, which then is a mismatch.
fn representatives<'a>(truth: &'a [Expected], by_url: &ByUrl<'_>) -> Representatives<'a> {
    let mut representatives = Representatives::new();
    let kept = truth
        .iter()
        .filter(|expected| outcome(by_url, &expected.url) == Outcome::Kept);
    for expected in kept.chain(truth) {
        if let Answer::OneOf { cluster, .. } = expected.answer {
            representatives.entry(cluster).or_insert(expected);
        }
    }
    representatives
}

/// The correct outcomes of a page, given the kept page of its cluster.
fn allowed(expected: &Expected, representatives: &Representatives<'_>) -> Vec<Outcome> {
    match expected.answer {
        Answer::Kept => vec![Outcome::Kept],
        Answer::OneOf { cluster, wording } => match representatives.get(cluster) {
            Some(kept) if kept.url != expected.url => {
                let mut outcomes = duplicate_of(kept, wording);
                outcomes.extend(expected.may_be_held_back.then_some(Outcome::Absent));
                outcomes
            }
            _ => vec![Outcome::Kept],
        },
        Answer::Listing => {
            let mut outcomes = vec![Outcome::Kept, Outcome::Exact, Outcome::Near];
            outcomes.extend(expected.may_be_held_back.then_some(Outcome::Absent));
            outcomes
        }
        Answer::Redirect => vec![Outcome::Redirect],
        Answer::RedirectLoop => vec![Outcome::Redirect, Outcome::Failed("failed".to_owned())],
        Answer::Failed(kind) => vec![Outcome::Failed(kind.to_owned())],
        Answer::Excluded(_) => vec![Outcome::Excluded],
        Answer::BeyondDepth => vec![Outcome::Excluded, Outcome::Absent],
    }
}

fn duplicate_of(kept: &Expected, wording: Wording) -> Vec<Outcome> {
    match (kept.answer, wording) {
        (
            Answer::OneOf {
                wording: Wording::Exactly(a),
                ..
            },
            Wording::Exactly(b),
        ) if a == b => vec![Outcome::Exact],
        (
            Answer::OneOf {
                wording: Wording::Exactly(_),
                ..
            },
            Wording::Exactly(_),
        ) => vec![Outcome::Near],
        _ => vec![Outcome::Exact, Outcome::Near],
    }
}

fn judge(expected: &Expected, representatives: &Representatives<'_>, by_url: &ByUrl<'_>) -> Result<(), Mismatch> {
    let allowed = allowed(expected, representatives);
    let found = outcome(by_url, &expected.url);
    let right = match (&found, expected.answer) {
        (Outcome::Failed(_), Answer::RedirectLoop) => true,
        _ => allowed.contains(&found),
    };
    let mismatch = |wanted: String, found: String| {
        let (url, area) = (expected.url.clone(), Some(expected.area));
        Err(Mismatch {
            url,
            area,
            expected: wanted,
            found,
            why: expected.why,
        })
    };
    if !right {
        return mismatch(wanted(&allowed), found.to_string());
    }
    if let (Outcome::Exact | Outcome::Near, Answer::OneOf { cluster, .. }) = (&found, expected.answer) {
        let of = by_url
            .get(expected.url.as_str())
            .and_then(|decided| decided.of.as_deref());
        let kept = representatives.get(cluster).map(|kept| kept.url.as_str());
        if of != kept {
            return mismatch(
                format!("{found} of {}", kept.unwrap_or("nothing")),
                format!("{found} of {}", of.unwrap_or("nothing")),
            );
        }
    }
    Ok(())
}

fn wanted(allowed: &[Outcome]) -> String {
    allowed.iter().map(Outcome::to_string).collect::<Vec<_>>().join(" or ")
}

/// The words for a cell of the table, which does not distinguish kinds of failure.
fn in_table(allowed: &[Outcome]) -> String {
    let word = |outcome: &Outcome| match outcome {
        Outcome::Failed(_) => "failed".to_owned(),
        outcome => outcome.to_string(),
    };
    allowed.iter().map(word).collect::<Vec<_>>().join(" or ")
}

/// "9 kept, 2 near": the number of each word, in the order of `rank`.
fn tally(words: impl Iterator<Item = String>) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for word in words {
        match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    counts.sort_by_key(|(word, _)| rank(word));
    counts
        .iter()
        .map(|(word, count)| format!("{count} {word}"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn rank(word: &str) -> usize {
    let order = [
        "kept",
        "exact",
        "near",
        "exact or near",
        "redirect",
        "excluded",
        "absent",
    ];
    order.iter().position(|known| *known == word).unwrap_or(order.len())
}

/// The rows as lines. Columns are as wide as their widest cell, with two spaces between them and numbers aligned right.
fn render(rows: &[[String; 5]]) -> String {
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or_default()
    };
    let widths: [usize; 5] = std::array::from_fn(width);
    let line = |row: &[String; 5]| {
        let [area, pages, expected, found, ok] = row;
        let [a, p, e, f, _] = widths;
        format!("{area:<a$}  {pages:>p$}  {expected:<e$}  {found:<f$}  {ok}\n")
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests;
