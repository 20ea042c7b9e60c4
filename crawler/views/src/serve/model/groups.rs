//! How many pages there are of each language, kind and outcome.

use std::collections::HashMap;

use super::others::Other;
use super::outcome::Outcome;
use super::rows::Row;

/// Pages that have something in common, by verdict.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Group {
    /// Empty for pages without it.
    pub name: String,
    pub kept: u64,
    pub exact: u64,
    pub near: u64,
}

impl Group {
    pub fn total(&self) -> u64 {
        self.kept + self.exact + self.near
    }
}

/// The groups of the rows by a name, the largest first.
pub(super) fn by<'r>(rows: &'r [Row], name: impl Fn(&'r Row) -> &'r str) -> Vec<Group> {
    let mut groups: HashMap<&str, Group> = HashMap::new();
    for row in rows {
        let group = groups.entry(name(row)).or_default();
        match row.outcome {
            Outcome::Exact => group.exact += 1,
            Outcome::Near => group.near += 1,
            _ => group.kept += 1,
        }
    }
    let named = groups.into_iter().map(|(name, group)| Group {
        name: name.to_owned(),
        ..group
    });
    let mut groups: Vec<Group> = named.collect();
    groups.sort_by(|a, b| b.total().cmp(&a.total()).then_with(|| a.name.cmp(&b.name)));
    groups
}

/// The outcomes that occur, with the number of their URLs.
pub(super) fn outcomes(rows: &[Row], others: &[Other]) -> Vec<(Outcome, u64)> {
    let mut counts: HashMap<Outcome, u64> = HashMap::new();
    let all = rows.iter().map(|row| row.outcome);
    for outcome in all.chain(others.iter().map(|other| other.outcome)) {
        *counts.entry(outcome).or_default() += 1;
    }
    let all = Outcome::ALL.into_iter();
    all.filter_map(|outcome| Some((outcome, *counts.get(&outcome)?)))
        .collect()
}
