//! Whether the index holds exactly the kept pages, and no two of them are duplicates.

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
            "the crawl was made with scheme {:?}, the configuration has another: index and duplicates were not looked at; give \
             its configuration with --config",
            store.scheme()
        ));
        return Ok(());
    }
    members(store, settings, findings, notes)?;
    duplicates(store, settings, findings, notes)
}

/// Every document of the index is a kept page, and every kept page up to where the index has come is in it.
fn members(
    store: &Store,
    settings: &Settings,
    findings: &mut Findings<'_>,
    notes: &mut Vec<String>,
) -> Result<(), RunError> {
    if !SledIndex::is_in(store.index_db()) {
        notes.push("there is no index yet; the next run makes it from the catalogue".to_owned());
        return Ok(());
    }
    let index = match index::open_existing_index(store, settings) {
        Err(error) if error.is_other_layout() => {
            notes.push("the index was made for another rule; the next run makes it anew from the catalogue".to_owned());
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
            // What was kept until the last commit leaves the index after it, at the latest when the next run begins.
            if is_member && !departed.contains(&id) {
                findings.note(
                    FindingKind::Index,
                    format!("page {id}, {}, is in the index and is not kept", page.url),
                );
            }
            continue;
        }
        if !is_member {
            if id <= applied {
                findings.note(
                    FindingKind::Index,
                    format!("page {id}, {}, is kept and not in the index", page.url),
                );
            }
            continue;
        }
        let signature = decode_signature(&page.signature)?;
        if dedup.index().signature(DocId(id))?.as_ref() != Some(&signature) {
            findings.note(
                FindingKind::Index,
                format!("page {id}, {}: the index has another signature of it", page.url),
            );
        } else if has_features(&signature) && dedup.check(&signature)? == Verdict::Unique {
            findings.note(
                FindingKind::Index,
                format!("page {id}, {}, is in the index and not found by its own text", page.url),
            );
        }
    }
    for id in members {
        findings.note(
            FindingKind::Index,
            format!("page {id} is in the index and not in the catalogue"),
        );
    }
    Ok(())
}

/// A text without any is no one's duplicate, not even its own.
fn has_features(signature: &dedup::Signature) -> bool {
    signature.digest.is_some()
}

/// No kept page is a duplicate of one kept before it: one search of an index a page.
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
    let mut in_the_place: HashMap<u64, u64> = HashMap::new();
    let (mut beside, mut by_this_rule) = (0_u64, 0_u64);
    let rules = store.rules()?;
    let had_others = rules.iter().any(|rule| *rule != settings.rule.to_string());
    for row in store.pages_from(0) {
        let (id, page) = row?;
        if !page.is_kept() {
            continue;
        }
        let signature = decode_signature(&page.signature)?;
        let verdict = dedup.check(&signature)?;
        // It answers for the pages after it, whatever is found.
        dedup.insert(DocId(id), &signature)?;
        if let Some(replaced) = page.replaces {
            in_the_place.insert(id, replaced);
        }
        findings.step();
        let Some(of) = verdict.of() else { continue };
        if in_the_place.contains_key(&id) || in_the_place.contains_key(&of.0) {
            beside += 1;
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
            "{by_this_rule} kept pages are duplicates of others by the rule of this configuration; some pages were decided by another one \
             ({}): crawler rebuild --redecide decides all of them anew",
            rules.join(" · ")
        ));
    }
    if beside > 0 {
        notes.push(format!(
            "{beside} kept pages are near another one of which one took the place of a duplicate as its canonical page; that is \
             decided by what the pages say, not by their texts"
        ));
    }
    Ok(())
}
