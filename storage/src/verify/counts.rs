//! Checks the counts of the hosts against the rows.

use std::collections::BTreeMap;

use super::Check;
use super::findings::{FindingKind, Findings};
use crate::counts::Counts;
use crate::error::StorageError;

impl Check<'_> {
    pub(super) fn verify_counts(
        self,
        mut counted: BTreeMap<String, Counts>,
        findings: &mut Findings<'_>,
    ) -> Result<(), StorageError> {
        let mut total = Counts::default();
        for row in self.store.hosts().all() {
            let (host, stored) = row?;
            total += stored;
            let found = counted.remove(&host).unwrap_or_default();
            if let Some(what) = difference(&stored, &found) {
                findings.note(FindingKind::Counts, format!("host {host}: {what}"));
            }
        }
        for (host, found) in counted {
            if let Some(what) = difference(&Counts::default(), &found) {
                findings.note(FindingKind::Counts, format!("host {host} has no counts: {what}"));
            }
        }
        if total != self.store.counts() {
            findings.note(FindingKind::Counts, "the total is not the sum over the hosts");
        }
        Ok(())
    }
}

/// The counts that differ from the rows, in words; `None` if all agree. `bytes_fetched` may be larger: no row holds the bytes of
/// visits.
fn difference(stored: &Counts, found: &Counts) -> Option<String> {
    let pairs = [
        ("discovered", stored.discovered, found.discovered),
        ("queued", stored.queued, found.queued),
        ("kept", stored.kept, found.kept),
        ("exact", stored.exact, found.exact),
        ("near", stored.near, found.near),
        ("redirected", stored.redirected, found.redirected),
        ("failed", stored.failed, found.failed),
        ("excluded", stored.excluded, found.excluded),
        ("gone", stored.gone, found.gone),
        ("due", stored.due, found.due),
        ("bytes_kept", stored.bytes_kept, found.bytes_kept),
    ];
    let mut wrong: Vec<String> = pairs
        .iter()
        .filter(|(_, stored, found)| stored != found)
        .map(|(name, stored, found)| format!("{name} is {stored}, counted {found}"))
        .collect();
    if stored.bytes_fetched < found.bytes_fetched {
        let (stored, found) = (stored.bytes_fetched, found.bytes_fetched);
        wrong.push(format!("bytes_fetched is {stored}, counted {found}"));
    }
    (!wrong.is_empty()).then(|| wrong.join(", "))
}
