//! Checks that no kept page is a duplicate of an earlier one.

use std::collections::HashMap;

use dedup::{Deduplicator, DocId, MemoryIndex};
use storage::{FindingKind, Findings, PageRecord, Store};

use crate::config::settings::Settings;
use crate::crawl::index::decode_signature;
use crate::error::RunError;

/// For each kept page, searches an index of the kept pages before it.
pub(super) fn verify(
    store: &Store,
    settings: &Settings,
    findings: &mut Findings<'_>,
    notes: &mut Vec<String>,
) -> Result<(), RunError> {
    let mut kept = KeptPages::none(settings)?;
    let mut excused = Excused::of(store, settings)?;
    for row in store.pages_from(0) {
        let (id, page) = row?;
        if !page.is_kept() {
            continue;
        }
        findings.step();
        if let Some(of) = kept.add(id, &page)?
            && !excused.covers(id, of, &kept)
        {
            let other = store.page(of)?.map_or_else(String::new, |other| other.url);
            let what = format!(
                "page {id}, {}, is a duplicate of page {of}, {other}, and both are kept",
                page.url
            );
            findings.note(FindingKind::Duplicates, what);
        }
    }
    notes.extend(excused.notes());
    Ok(())
}

/// The kept pages so far, by their signatures.
struct KeptPages {
    dedup: Deduplicator<MemoryIndex>,
    /// For each page: the page that it replaced as the canonical page.
    replacements: HashMap<u64, u64>,
}

impl KeptPages {
    fn none(settings: &Settings) -> Result<Self, RunError> {
        let index = MemoryIndex::of_width(settings.scheme.width, &settings.rule)?;
        Ok(Self {
            dedup: Deduplicator::new(index, settings.rule.clone())?,
            replacements: HashMap::new(),
        })
    }

    /// Adds a page. Returns the earlier page of which it is a duplicate. Later pages are compared with a duplicate too.
    fn add(&mut self, id: u64, page: &PageRecord) -> Result<Option<u64>, RunError> {
        let signature = decode_signature(&page.signature)?;
        let verdict = self.dedup.check(&signature)?;
        self.dedup.insert(DocId(id), &signature)?;
        self.replacements.extend(page.replaces.map(|replaced| (id, replaced)));
        Ok(verdict.of().map(|of| of.0))
    }
}

/// Pairs of kept duplicates that are no fault.
struct Excused {
    rules: Vec<String>,
    /// Some pages have, or may have, a verdict by another rule than the configured one.
    may_have_other_rules: bool,
    near_replacements: u64,
    by_this_rule: u64,
}

impl Excused {
    fn of(store: &Store, settings: &Settings) -> Result<Self, RunError> {
        let rules = store.rules()?;
        // A rebuild does not know the rules of the pages that it restores.
        let may_have_other_rules = rules.is_empty() || rules.iter().any(|rule| *rule != settings.rule.to_string());
        Ok(Self {
            rules,
            may_have_other_rules,
            near_replacements: 0,
            by_this_rule: 0,
        })
    }

    /// Whether the pair is no fault. Counts a pair that is none.
    fn covers(&mut self, id: u64, of: u64, kept: &KeptPages) -> bool {
        if kept.replacements.contains_key(&id) || kept.replacements.contains_key(&of) {
            self.near_replacements += 1;
        } else if self.may_have_other_rules {
            self.by_this_rule += 1;
        } else {
            return false;
        }
        true
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.by_this_rule > 0 {
            let others = match self.rules.is_empty() {
                true => "a rebuild has restored the pages, and the archive does not hold the rules of their verdicts"
                    .to_owned(),
                false => format!("some pages have a verdict by another rule ({})", self.rules.join(" · ")),
            };
            notes.push(format!(
                "{} kept pages are duplicates by the rule of this configuration; {others}: crawler rebuild --redecide gives all of them \
                 a new verdict",
                self.by_this_rule
            ));
        }
        if self.near_replacements > 0 {
            notes.push(format!(
                "{} kept pages are near-duplicates of another kept page because one of the two replaced its duplicate as the canonical \
                 page",
                self.near_replacements
            ));
        }
        notes
    }
}
