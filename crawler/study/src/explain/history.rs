//! The history of a page: earlier versions of its URL, its verdicts, the page that replaced it, later visits.

use storage::{Fate, PageRecord, Redecided, Verdict};

use super::answer::{HistoryEvent, PageRef};
use super::{Explainer, time};
use error::RunError;
use terminal::units::counted;

/// Upper bound on the earlier versions that the history lists.
const MAX_VERSIONS: usize = 20;

/// The verdict of the crawl, where a later decision on all pages changed it.
pub(super) struct Former {
    pub verdict: Verdict,
    /// The page of which it was a duplicate.
    pub of: Option<PageRef>,
    pub redecided: Redecided,
}

impl Explainer<'_> {
    pub(super) fn former(&self, id: u64) -> Result<Option<Former>, RunError> {
        let Some(redecided) = self.store.run_notes().redecided()? else {
            return Ok(None);
        };
        for row in self.store.catalogue().redecisions() {
            let (page, verdict) = row?;
            if page >= id {
                let of = self.page_ref(verdict.of())?;
                let former = Former { verdict, of, redecided };
                return Ok((page == id).then_some(former));
            }
        }
        Ok(None)
    }

    /// In the order of time.
    pub fn history(&self, id: u64, page: &PageRecord, former: Option<&Former>) -> Result<Vec<HistoryEvent>, RunError> {
        let mut history = self.earlier_versions(page)?;
        history.extend(self.decided(page, former)?);
        history.extend(self.replaced(page)?);
        history.extend(self.exchange(id, page)?);
        history.extend(self.fate(page)?);
        history.extend(self.later_visits(id, page)?);
        in_order(&mut history);
        Ok(history)
    }

    /// The page whose body this one brought: an earlier version with the same bytes, which was kept without its body.
    fn without_body(&self, page: &PageRecord) -> Result<Option<(u64, PageRecord)>, RunError> {
        let Some(id) = page.previous else { return Ok(None) };
        let version = self.store.page(id)?;
        let version = version.filter(|version| version.payload_digest == page.payload_digest);
        Ok(version.map(|version| (id, version)))
    }

    /// The decisions on the page.
    fn decided(&self, page: &PageRecord, former: Option<&Former>) -> Result<Vec<HistoryEvent>, RunError> {
        let mut events = Vec::new();
        match self.without_body(page)? {
            None => events.push(fetched(page, former)),
            Some((id, first)) => {
                // Its verdict is the one of the first fetch, or the one that the last decision on all pages gave it.
                let before = self.former(id)?;
                events.push(fetched(&first, before.as_ref().or(former)));
                let at = before.as_ref().and_then(|before| time(before.redecided.at));
                let again = before.map(|_| HistoryEvent::new(at, KEPT_AGAIN, None));
                events.extend(again);
                let body = "fetched again for its body";
                events.push(HistoryEvent::new(time(page.fetched_at), body, None));
            }
        }
        events.extend(former.map(|former| decided_again(page, former)));
        Ok(events)
    }

    /// Versions of the URL with another content.
    fn earlier_versions(&self, page: &PageRecord) -> Result<Vec<HistoryEvent>, RunError> {
        let mut versions = Vec::new();
        let mut before = match self.without_body(page)? {
            Some((_, first)) => first.previous,
            None => page.previous,
        };
        while let Some(id) = before.filter(|_| versions.len() < MAX_VERSIONS) {
            let Some(version) = self.store.page(id)? else { break };
            let what = match version.verdict {
                Verdict::Unique => "an earlier version was kept",
                Verdict::Exact { .. } => "an earlier version was an exact duplicate",
                Verdict::Near { .. } => "an earlier version was a near-duplicate",
            };
            let what = format!("{what} (page {id}, {})", title_of(&version));
            versions.push(HistoryEvent::new(time(version.fetched_at), &what, None));
            before = version.previous;
        }
        versions.reverse();
        Ok(versions)
    }

    fn replaced(&self, page: &PageRecord) -> Result<Option<HistoryEvent>, RunError> {
        let replaced = self.page_ref(page.replaces)?;
        Ok(replaced.map(|replaced| {
            let what = "replaced the page that names this URL as its canonical URL";
            HistoryEvent::new(None, what, Some(replaced))
        }))
    }

    /// The event that a canonical page replaced this page, or the page of which this one is a duplicate; or that this page yielded to
    /// another worker's page.
    fn exchange(&self, id: u64, page: &PageRecord) -> Result<Option<HistoryEvent>, RunError> {
        let Some(of) = page.verdict.of() else {
            return Ok(None);
        };
        if page.verdict.of_elsewhere().is_some() {
            let what = "the log of the fleet had the same text of another worker first";
            let yielded = page.response.is_some();
            let of = self.page_ref(Some(of).filter(|_| yielded))?;
            return Ok(of.map(|of| HistoryEvent::new(None, what, Some(of))));
        }
        if of > id {
            let what = "kept until the crawl fetched its canonical page";
            return Ok(Some(HistoryEvent::new(None, what, self.page_ref(Some(of))?)));
        }
        let now = self.store.catalogue().representative_of(id)?.filter(|now| *now != of);
        match now {
            Some(_) => {
                let what = "the canonical page of the kept page replaced the kept page";
                Ok(Some(HistoryEvent::new(None, what, self.page_ref(now)?)))
            }
            None => Ok(None),
        }
    }

    fn fate(&self, page: &PageRecord) -> Result<Option<HistoryEvent>, RunError> {
        Ok(match page.fate {
            Fate::Current => None,
            Fate::Superseded { by } => {
                let what = "a later fetch of the URL returned another page";
                Some(HistoryEvent::new(None, what, self.page_ref(Some(by))?))
            }
            Fate::Moved => {
                let what = "a later fetch met a permanent redirect, or found nothing to store";
                Some(HistoryEvent::new(None, what, None))
            }
            Fate::Gone { at } => {
                let what = "gone: two fetches in a row returned no page";
                Some(HistoryEvent::new(time(at), what, None))
            }
        })
    }

    fn later_visits(&self, id: u64, page: &PageRecord) -> Result<Vec<HistoryEvent>, RunError> {
        let mut events = Vec::new();
        let Some(visits) = self.store.revisits().visits(id)? else {
            return Ok(events);
        };
        let only_brought_it = visits.changes == 0 && visits.last_at == page.fetched_at;
        if visits.count > 0 && !only_brought_it {
            let times = |count: u64| counted(count, "time");
            let what = format!(
                "fetched again {}, changed {}",
                times(visits.count.into()),
                times(visits.changes.into())
            );
            events.push(HistoryEvent::new(time(visits.last_at), &what, None));
        }
        if visits.is_waiting {
            events.push(HistoryEvent::new(None, "queued to be fetched again", None));
        }
        Ok(events)
    }
}

const KEPT_AGAIN: &str = "kept when a rebuild decided all pages again";

/// The first fetch of the page, with the verdict of the crawl if a later decision on all pages changed it.
fn fetched(page: &PageRecord, former: Option<&Former>) -> HistoryEvent {
    let what = match former.map_or(page.verdict, |former| former.verdict) {
        Verdict::Unique => "fetched and kept",
        Verdict::Exact { .. } => "fetched and dropped as an exact duplicate",
        Verdict::Near { .. } => "fetched and dropped as a near-duplicate",
    };
    let of = former.and_then(|former| former.of.clone());
    HistoryEvent::new(time(page.fetched_at), what, of)
}

fn decided_again(page: &PageRecord, former: &Former) -> HistoryEvent {
    let what = match page.verdict {
        Verdict::Unique => KEPT_AGAIN,
        _ => "dropped after another comparison when a rebuild decided all pages again",
    };
    HistoryEvent::new(time(former.redecided.at), what, None)
}

/// Sorts events by their times. One without a time stays behind the one before it.
fn in_order(history: &mut Vec<HistoryEvent>) {
    let mut last = None;
    let mut timed: Vec<_> = history
        .drain(..)
        .map(|event| {
            last = event.at.clone().or_else(|| last.take());
            (last.clone(), event)
        })
        .collect();
    // RFC 3339 times in UTC sort as texts.
    timed.sort_by(|(a, _), (b, _)| a.cmp(b));
    history.extend(timed.into_iter().map(|(_, event)| event));
}

fn title_of(page: &PageRecord) -> String {
    match page.title.as_str() {
        "" => "no title".to_owned(),
        title => format!("“{title}”"),
    }
}
