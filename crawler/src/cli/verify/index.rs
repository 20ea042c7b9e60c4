//! Checks that the index holds exactly the kept pages, and that no two of them are duplicates.

use std::collections::{HashMap, HashSet};

use dedup::{Deduplicator, DocId, Index, MemoryIndex, SledIndex, Verdict};
use storage::{FindingKind, Findings, Store};

use crate::config::settings::Settings;
use crate::crawl::index;
use crate::crawl::index::decode_signature;
use crate::error::RunError;

pub(super) fn verify(
    store: &Store,
    settings: &Settings,
    findings: &mut Findings<'_>,
    notes: &mut Vec<String>,
) -> Result<(), RunError> {
    if store.scheme() != settings.store_scheme() {
        notes.push(format!(
            "the scheme of the crawl is {:?} and differs from the configuration: the index and the duplicates were not checked; \
             give the configuration of the crawl with --config",
            store.scheme()
        ));
        return Ok(());
    }
    members(store, settings, findings, notes)?;
    duplicates(store, settings, findings, notes)
}

/// Checks that every document of the index is a kept page, and that the index holds every kept page up to its sequence number.
fn members(
    store: &Store,
    settings: &Settings,
    findings: &mut Findings<'_>,
    notes: &mut Vec<String>,
) -> Result<(), RunError> {
    if !SledIndex::is_in(store.index_db()) {
        notes.push("the crawl has no index yet; the next run builds it from the catalogue".to_owned());
        return Ok(());
    }
    let index = match index::open_existing_index(store, settings) {
        Err(error) if error.is_other_layout() => {
            notes.push("the index belongs to another rule; the next run rebuilds it from the catalogue".to_owned());
            return Ok(());
        }
        opened => opened?,
    };
    let departed: HashSet<u64> = store.departed()?.into_iter().collect();
    let mut members = HashSet::new();
    index.for_each_id(|id| {
        members.insert(id.0);
    })?;
    let applied = index.applied();
    let dedup = Deduplicator::new(index, settings.rule.clone())?;
    for row in store.pages_from(0) {
        let (id, page) = row?;
        let is_member = members.remove(&id);
        findings.step();
        if !page.is_kept() {
            // A replaced page leaves the index after the commit, at the latest at the start of the next run.
            if is_member && !departed.contains(&id) {
                findings.note(
                    FindingKind::Index,
                    format!("page {id}, {}, is in the index but not kept", page.url),
                );
            }
            continue;
        }
        if !is_member {
            if id <= applied {
                findings.note(
                    FindingKind::Index,
                    format!("page {id}, {}, is kept but not in the index", page.url),
                );
            }
            continue;
        }
        let signature = decode_signature(&page.signature)?;
        if dedup.index().signature(DocId(id))?.as_ref() != Some(&signature) {
            findings.note(
                FindingKind::Index,
                format!("page {id}, {}, has another signature in the index", page.url),
            );
        } else if has_features(&signature) && dedup.check(&signature)? == Verdict::Unique {
            findings.note(
                FindingKind::Index,
                format!(
                    "page {id}, {}, is in the index, but its own text does not find it",
                    page.url
                ),
            );
        }
    }
    for id in members {
        findings.note(
            FindingKind::Index,
            format!("page {id} is in the index but not in the catalogue"),
        );
    }
    Ok(())
}

/// A text without features is no duplicate, not even of itself.
fn has_features(signature: &dedup::Signature) -> bool {
    signature.digest.is_some()
}

/// Checks that no kept page is a duplicate of an earlier one, with one search of an index per page.
fn duplicates(
    store: &Store,
    settings: &Settings,
    findings: &mut Findings<'_>,
    notes: &mut Vec<String>,
) -> Result<(), RunError> {
    let dedup = Deduplicator::new(
        MemoryIndex::of_width(settings.scheme.width, &settings.rule)?,
        settings.rule.clone(),
    )?;
    let mut replacements: HashMap<u64, u64> = HashMap::new();
    let (mut near_replacements, mut by_this_rule) = (0_u64, 0_u64);
    let rules = store.rules()?;
    let had_others = rules.iter().any(|rule| *rule != settings.rule.to_string());
    for row in store.pages_from(0) {
        let (id, page) = row?;
        if !page.is_kept() {
            continue;
        }
        let signature = decode_signature(&page.signature)?;
        let verdict = dedup.check(&signature)?;
        // Later pages are compared with this page even if it is a duplicate itself.
        dedup.insert(DocId(id), &signature)?;
        if let Some(replaced) = page.replaces {
            replacements.insert(id, replaced);
        }
        findings.step();
        let Some(of) = verdict.of() else { continue };
        if replacements.contains_key(&id) || replacements.contains_key(&of.0) {
            near_replacements += 1;
            continue;
        }
        if had_others {
            by_this_rule += 1;
            continue;
        }
        let other = store.page(of.0)?.map_or_else(String::new, |other| other.url);
        let what = format!(
            "page {id}, {}, is a duplicate of page {}, {other}, and both are kept",
            page.url, of.0
        );
        findings.note(FindingKind::Duplicates, what);
    }
    if by_this_rule > 0 {
        notes.push(format!(
            "{by_this_rule} kept pages are duplicates by the rule of this configuration; some pages have a verdict by another rule \
             ({}): crawler rebuild --redecide gives all of them a new verdict",
            rules.join(" · ")
        ));
    }
    if near_replacements > 0 {
        notes.push(format!(
            "{near_replacements} kept pages are near-duplicates of another kept page because one of the two replaced its duplicate as the \
             canonical page"
        ));
    }
    Ok(())
}
