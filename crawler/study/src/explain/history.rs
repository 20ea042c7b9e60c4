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
        history.extend(decided(page, former));
        history.extend(self.replaced(page)?);
        history.extend(self.exchange(id, page)?);
        history.extend(self.fate(page)?);
        history.extend(self.later_visits(id)?);
        Ok(history)
    }

    fn earlier_versions(&self, page: &PageRecord) -> Result<Vec<HistoryEvent>, RunError> {
        let mut versions = Vec::new();
        let mut before = page.previous;
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

    fn later_visits(&self, id: u64) -> Result<Vec<HistoryEvent>, RunError> {
        let mut events = Vec::new();
        let Some(visits) = self.store.revisits().visits(id)? else {
            return Ok(events);
        };
        if visits.count > 0 {
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

fn decided(page: &PageRecord, former: Option<&Former>) -> Vec<HistoryEvent> {
    let fetched_at = time(page.fetched_at);
    let Some(former) = former else {
        return vec![HistoryEvent::new(fetched_at, "fetched and decided", None)];
    };
    let first = match former.verdict {
        Verdict::Unique => "fetched and kept",
        Verdict::Exact { .. } => "fetched and dropped as an exact duplicate",
        Verdict::Near { .. } => "fetched and dropped as a near-duplicate",
    };
    let again = match page.verdict {
        Verdict::Unique => "kept when a rebuild decided all pages again",
        _ => "dropped after another comparison when a rebuild decided all pages again",
    };
    vec![
        HistoryEvent::new(fetched_at, first, former.of.clone()),
        HistoryEvent::new(time(former.redecided.at), again, None),
    ]
}

fn title_of(page: &PageRecord) -> String {
    match page.title.as_str() {
        "" => "no title".to_owned(),
        title => format!("“{title}”"),
    }
}
