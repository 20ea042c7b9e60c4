//! Checks that the index holds exactly the kept pages; in the folder of a worker of a fleet, those of all workers.

use std::collections::HashSet;

use dedup::{Confirm, Deduplicator, DocId, Index, SledIndex, Verdict};
use storage::{FindingKind, Findings, PageElsewhere, PageRecord, Store};

use config::settings::Settings;
use crawl::index;
use crawl::index::decode_signature;
use error::RunError;

/// Checks that every document of the index is a kept page, and that the index holds every kept page up to its sequence number.
pub(super) fn verify(
    store: &Store,
    settings: &Settings,
    findings: &mut Findings<'_>,
    notes: &mut Vec<String>,
) -> Result<(), RunError> {
    let Some(mut members) = Members::open(store, settings, notes)? else {
        findings.steps(store.next_page_id() - 1);
        return Ok(());
    };
    for row in store.pages_from(0) {
        let (id, page) = row?;
        findings.step();
        if let Some(what) = members.wrong_with(id, &page)? {
            findings.note(FindingKind::Index, format!("page {id}, {}, {what}", page.url));
        }
    }
    for page in &members.elsewhere {
        if let Some(what) = members.wrong_with_elsewhere(store, *page)? {
            findings.note(FindingKind::Index, format!("{page} of the fleet {what}"));
        }
    }
    for id in members.others {
        let what = format!("page {id} is in the index but not in the catalogue");
        findings.note(FindingKind::Index, what);
    }
    Ok(())
}

/// The index, and the part of its documents that no page has claimed yet.
struct Members {
    dedup: Deduplicator<SledIndex>,
    others: HashSet<u64>,
    /// The pages of other workers in the index.
    elsewhere: Vec<PageElsewhere>,
    /// Pages that may still be in the index. A replaced page leaves the index after the commit, at the latest at the start of the next
    /// run.
    departed: HashSet<u64>,
    /// The last page whose verdict the index contains.
    applied: u64,
    /// The number of this worker, if the folder is one of a fleet. Its index holds the kept pages of all workers, by packed numbers.
    worker: Option<u16>,
    /// Whether the rule compares metadata. If not, the log of a fleet does without them, and so does the index.
    compares_metadata: bool,
}

impl Members {
    /// `None`, with a note, if there is no index by this rule.
    fn open(store: &Store, settings: &Settings, notes: &mut Vec<String>) -> Result<Option<Self>, RunError> {
        let Some(db) = store.index_db() else {
            notes.push("the index was not checked, because the process that crawls holds it".to_owned());
            return Ok(None);
        };
        if !SledIndex::is_in(db) {
            notes.push("the crawl has no index yet; the next run builds it from the catalogue".to_owned());
            return Ok(None);
        }
        let index = match index::open_existing_index(store, settings) {
            Err(RunError::Dedup { source }) if source.is_other_layout() => {
                notes.push("the index belongs to another rule; the next run rebuilds it from the catalogue".to_owned());
                return Ok(None);
            }
            opened => opened?,
        };
        let worker = store.run_notes().worker()?;
        let (mut others, mut elsewhere) = (HashSet::new(), Vec::new());
        index.for_each_id(|id| {
            let own = PageElsewhere::own_number(id.0, worker);
            match PageElsewhere::unpacked(own) {
                Some(page) if worker.is_some() => elsewhere.push(page),
                _ => {
                    others.insert(own);
                }
            }
        })?;
        Ok(Some(Self {
            others,
            elsewhere,
            departed: store.catalogue().departed()?.into_iter().collect(),
            applied: index.applied(),
            worker,
            compares_metadata: matches!(settings.rule.confirm, Confirm::Combined { .. }),
            dedup: Deduplicator::new(index, settings.rule.clone())?,
        }))
    }

    /// The contradiction between a page and its place in the index, if there is one.
    fn wrong_with(&mut self, id: u64, page: &PageRecord) -> Result<Option<&'static str>, RunError> {
        let is_member = self.others.remove(&id);
        Ok(match (page.is_kept(), is_member) {
            (true, true) => self.wrong_with_signature(id, page)?,
            // In a fleet, a kept page enters the index when the log of kept pages has brought it back.
            (true, false) if id <= self.applied && self.worker.is_none() => Some("is kept but not in the index"),
            (false, true) if !self.departed.contains(&id) => Some("is in the index but not kept"),
            _ => None,
        })
    }

    /// The contradiction between the row about another worker's page and its place in the index, if there is one. A crash can leave a row
    /// without a place in the index, and the worker reads the log again from there.
    fn wrong_with_elsewhere(&self, store: &Store, page: PageElsewhere) -> Result<Option<&'static str>, RunError> {
        let Some(record) = store.pages_elsewhere().page(page.packed())? else {
            return Ok(Some("is in the index, but the state has no row about it"));
        };
        let signature = decode_signature(&record.signature)?;
        let indexed = self.dedup.index().signature(DocId(page.packed()))?;
        Ok((indexed.as_ref() != Some(&signature)).then_some("has another signature in the index"))
    }

    fn wrong_with_signature(&self, id: u64, page: &PageRecord) -> Result<Option<&'static str>, RunError> {
        let mut signature = decode_signature(&page.signature)?;
        if self.worker.is_some() {
            signature = index::signature_across_folders(&signature, &page.url).into_owned();
        }
        let packed = self
            .worker
            .map(|worker| PageElsewhere { worker, sequence: id }.packed());
        let mut indexed = self.dedup.index().signature(DocId(packed.unwrap_or(id)))?;
        if let Some(indexed) = &mut indexed
            && packed.is_some()
            && !self.compares_metadata
        {
            indexed.metadata.clone_from(&signature.metadata);
        }
        if indexed.as_ref() != Some(&signature) {
            return Ok(Some("has another signature in the index"));
        }
        // A text without features is no duplicate, not even of itself.
        let has_features = signature.digest.is_some();
        let is_found = !has_features || self.dedup.check(&signature)? != Verdict::Unique;
        Ok((!is_found).then_some("is in the index, but its own text does not find it"))
    }
}
