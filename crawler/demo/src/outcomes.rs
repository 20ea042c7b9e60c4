//! The outcome of every URL in a report, for the comparison with the truth.

use super::check::{Outcome, UrlOutcome};
use views::report::{DuplicateVerdict, Report};

/// One outcome for each URL of the report, without queued URLs.
#[must_use]
pub fn outcomes(report: &Report) -> Vec<UrlOutcome> {
    let mut outcomes = Vec::new();
    let mut add = |url: &str, outcome, of: Option<&str>| {
        outcomes.push(UrlOutcome {
            url: url.to_owned(),
            outcome,
            of: of.map(str::to_owned),
        });
    };
    for cluster in &report.clusters {
        add(&cluster.kept, Outcome::Kept, None);
        for duplicate in &cluster.duplicates {
            let outcome = match duplicate.verdict {
                DuplicateVerdict::Exact => Outcome::Exact,
                DuplicateVerdict::Near => Outcome::Near,
            };
            add(&duplicate.url, outcome, Some(&cluster.kept));
        }
    }
    for failure in &report.failures {
        add(&failure.url, Outcome::Failed(failure.kind.clone()), None);
    }
    for excluded in &report.excluded {
        add(&excluded.url, Outcome::Excluded, None);
    }
    for redirect in &report.redirects {
        add(&redirect.url, Outcome::Redirect, None);
    }
    outcomes
}
