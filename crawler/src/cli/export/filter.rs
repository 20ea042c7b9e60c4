//! Selects the pages to export.

use storage::{PageRecord, Verdict};

use crate::cli::arguments::{ExportArgs, ExportVerdict};

/// Selects pages by their records in the catalogue.
pub(super) struct Filter<'a> {
    args: &'a ExportArgs,
}

impl<'a> Filter<'a> {
    pub fn new(args: &'a ExportArgs) -> Self {
        Self { args }
    }

    /// Whether the page passes every given filter by at least one of its values.
    pub fn takes(&self, page: &PageRecord) -> bool {
        let args = self.args;
        let at = fetched_at(page);
        args.verdicts.iter().any(|verdict| is_of(page.verdict, *verdict))
            && args.since.is_none_or(|since| at >= since)
            && args.until.is_none_or(|until| at <= until)
            && any_or_none_given(&args.languages, |language| page.language.as_ref() == Some(language))
            && any_or_none_given(&args.hosts, |host| host.takes(&page.host))
            && any_or_none_given(&args.patterns, |pattern| pattern.matches(&page.url))
    }
}

/// Time of the fetch, in milliseconds since the Unix epoch.
pub(super) fn fetched_at(page: &PageRecord) -> i64 {
    i64::try_from(page.fetched_at).unwrap_or(i64::MAX)
}

fn any_or_none_given<T>(given: &[T], takes: impl FnMut(&T) -> bool) -> bool {
    given.is_empty() || given.iter().any(takes)
}

fn is_of(verdict: Verdict, wanted: ExportVerdict) -> bool {
    match wanted {
        ExportVerdict::All => true,
        ExportVerdict::Kept => verdict == Verdict::Unique,
        ExportVerdict::Exact => matches!(verdict, Verdict::Exact { .. }),
        ExportVerdict::Near => matches!(verdict, Verdict::Near { .. }),
    }
}
