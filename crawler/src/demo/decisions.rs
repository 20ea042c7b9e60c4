//! A report read as decisions, so that a crawl can be held against the truth.

use super::check::{Decision, Outcome};
use crate::report::{DuplicateVerdict, Report};

/// One decision a URL that the report tells of; URLs still queued have none.
#[must_use]
pub fn decisions(report: &Report) -> Vec<Decision> {
    let mut decisions = Vec::new();
    let mut decide = |url: &str, outcome, of: Option<&str>| {
        decisions.push(Decision {
            url: url.to_owned(),
            outcome,
            of: of.map(str::to_owned),
        });
    };
    for cluster in &report.clusters {
        decide(&cluster.kept, Outcome::Kept, None);
        for duplicate in &cluster.duplicates {
            let outcome = match duplicate.verdict {
                DuplicateVerdict::Exact => Outcome::Exact,
                DuplicateVerdict::Near => Outcome::Near,
            };
            decide(&duplicate.url, outcome, Some(&cluster.kept));
        }
    }
    for failure in &report.failures {
        decide(&failure.url, Outcome::Failed(failure.kind.clone()), None);
    }
    for excluded in &report.excluded {
        decide(&excluded.url, Outcome::Excluded, None);
    }
    for redirect in &report.redirects {
        decide(&redirect.url, Outcome::Redirect, None);
    }
    decisions
}
