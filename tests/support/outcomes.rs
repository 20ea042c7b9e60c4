//! What the report says became of every URL, in one map that a test can write down.

use std::collections::BTreeMap;

use serde_json::Value;

use super::site::Site;

/// By path (of another site, by URL): `kept`, `exact of /a`, `near of /a`, `redirect to /b`, `failed http_404`,
/// `excluded noindex`, `gone`, `exact of departed /a`. URLs still queued are not in it.
pub type Outcomes = BTreeMap<String, String>;

/// Reads a JSON report of a crawl of `site`.
///
/// # Panics
/// When the report's counts do not agree with its lists.
#[track_caller]
pub fn outcomes(report: &Value, site: &Site) -> Outcomes {
    outcomes_at(report, &site.url(""))
}

/// As [`outcomes`], for a site at this URL without its path.
#[track_caller]
pub fn outcomes_at(report: &Value, base: &str) -> Outcomes {
    let short = |url: &Value| {
        let url = url.as_str().unwrap();
        url.strip_prefix(base).unwrap_or(url).to_owned()
    };
    let mut rows = Vec::new();
    for cluster in list(report, "clusters") {
        rows.push((short(&cluster["kept"]), "kept".to_owned()));
        for duplicate in list(cluster, "duplicates") {
            let outcome = format!(
                "{} of {}",
                duplicate["verdict"].as_str().unwrap(),
                short(&cluster["kept"])
            );
            rows.push((short(&duplicate["url"]), outcome));
        }
    }
    for orphan in list(report, "orphans") {
        let outcome = format!(
            "{} of departed {}",
            orphan["verdict"].as_str().unwrap(),
            short(&orphan["of"])
        );
        rows.push((short(&orphan["url"]), outcome));
    }
    for gone in list(&report["refresh"], "gone") {
        rows.push((short(&gone["url"]), "gone".to_owned()));
    }
    for failure in list(report, "failures") {
        rows.push((
            short(&failure["url"]),
            format!("failed {}", failure["kind"].as_str().unwrap()),
        ));
    }
    for excluded in list(report, "excluded") {
        rows.push((
            short(&excluded["url"]),
            format!("excluded {}", excluded["reason"].as_str().unwrap()),
        ));
    }
    for redirect in list(report, "redirects") {
        rows.push((
            short(&redirect["url"]),
            format!("redirect to {}", short(&redirect["to"])),
        ));
    }
    counts_add_up(report, rows.len() as u64);
    let decided = rows.len();
    let outcomes: Outcomes = rows.into_iter().collect();
    assert_eq!(outcomes.len(), decided, "a URL was decided twice");
    outcomes
}

/// Written down by a test.
pub fn expected<const N: usize>(rows: [(&str, &str); N]) -> Outcomes {
    rows.into_iter()
        .map(|(path, outcome)| (path.to_owned(), outcome.to_owned()))
        .collect()
}

/// The URLs of one outcome.
pub fn urls_that(outcomes: &Outcomes, is: impl Fn(&str) -> bool) -> Vec<&str> {
    let chosen = outcomes.iter().filter(|(_, outcome)| is(outcome));
    chosen.map(|(path, _)| path.as_str()).collect()
}

/// A list of the report, or of a part of it.
pub fn list<'a>(report: &'a Value, name: &str) -> &'a [Value] {
    report[name].as_array().unwrap()
}

/// A number among the report's counts.
pub fn count(report: &Value, name: &str) -> u64 {
    report["counts"][name].as_u64().unwrap()
}

#[track_caller]
fn counts_add_up(report: &Value, decided: u64) {
    let sum = |names: &[&str]| names.iter().map(|name| count(report, name)).sum::<u64>();
    let fates = sum(&["kept", "exact", "near", "redirected", "failed", "excluded", "gone"]);
    assert_eq!(fates, decided, "the counts and the lists differ: {}", report["counts"]);
    assert_eq!(
        count(report, "discovered"),
        fates + count(report, "queued"),
        "{}",
        report["counts"]
    );
    assert_eq!(
        count(report, "fetched"),
        sum(&["kept", "exact", "near"]),
        "{}",
        report["counts"]
    );
    for name in ["discovered", "queued", "kept", "failed", "gone", "due", "bytes_fetched"] {
        let of_hosts: u64 = list(report, "hosts")
            .iter()
            .map(|host| host[name].as_u64().unwrap())
            .sum();
        assert_eq!(of_hosts, count(report, name), "{name} of all hosts together");
    }
}
