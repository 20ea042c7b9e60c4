//! Selects the pages to export.

use storage::{PageRecord, Verdict};

use crate::cli::arguments::{ExportArgs, ExportVerdict};

/// Selects pages by their records in the catalogue.
pub(super) struct Filter<'a> {
    args: &'a ExportArgs,
    takes_empty: bool,
}

/// Why a page is not exported: the filter that it does not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Excluded {
    /// By `--verdict`: it is a duplicate.
    Duplicate,
    /// By `--verdict`: it is kept.
    Kept,
    /// By `--host`.
    Host,
    /// By `--match`.
    Url,
    /// By `--language`.
    Language,
    /// By `--since` and `--until`.
    Fetched,
    /// By `--min-chars`.
    Short,
    /// It has no text, and there is neither `--include-empty` nor `--verdict all`.
    Empty,
    /// By `--since-published` and `--until-published`.
    Published,
    /// It does not say when it was published.
    Undated,
}

impl<'a> Filter<'a> {
    pub fn new(args: &'a ExportArgs) -> Self {
        Self {
            args,
            takes_empty: args.include_empty || args.verdicts().contains(&ExportVerdict::All),
        }
    }

    /// The filter for an index, in which a capture counts and not its text.
    pub fn of_captures(args: &'a ExportArgs) -> Self {
        Self {
            args,
            takes_empty: true,
        }
    }

    /// The first filter that the page does not pass; `None` if it passes each of them by at least one of its values.
    pub fn excludes(&self, page: &PageRecord) -> Option<Excluded> {
        let args = self.args;
        let at = fetched_at(page);
        let is_duplicate = page.verdict.is_duplicate();
        let takes_verdict = args.verdicts().iter().any(|verdict| is_of(page.verdict, *verdict));
        let is_in_time = args.since.is_none_or(|since| at >= since) && args.until.is_none_or(|until| at <= until);
        let passes = [
            (takes_verdict || !is_duplicate, Excluded::Duplicate),
            (takes_verdict || is_duplicate, Excluded::Kept),
            (
                any_or_none_given(&args.hosts, |host| host.takes(&page.host)),
                Excluded::Host,
            ),
            (
                any_or_none_given(&args.patterns, |pattern| pattern.matches(&page.url)),
                Excluded::Url,
            ),
            (
                any_or_none_given(&args.languages, |language| page.language.as_ref() == Some(language)),
                Excluded::Language,
            ),
            (is_in_time, Excluded::Fetched),
            (
                args.min_chars.is_none_or(|chars| page.text_chars >= chars),
                Excluded::Short,
            ),
            (self.takes_empty || page.text_chars > 0, Excluded::Empty),
        ];
        passes.into_iter().find(|(passes, _)| !passes).map(|(_, reason)| reason)
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
