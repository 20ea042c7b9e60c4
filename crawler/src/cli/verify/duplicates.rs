//! Checks that no kept page is a duplicate of an earlier one.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use dedup::{Deduplicator, DocId, DuplicateRule, Layout, MemoryIndex, Signature, Width};
use storage::{FindingKind, Findings, PageRecord, Store};

use config::settings::Settings;
use crawl::exceptions::Exceptions;
use crawl::index::{decode_signature, decode_signature_with_bands};
use error::RunError;
use study::threads::by_all_cores;
use terminal::commands::command;

/// Pages that the threads share at a time.
const PAGES_AT_A_TIME: usize = 2_048;

/// Pages that a thread checks at a time.
const BATCH: usize = 64;

/// Checks each kept page against the kept pages before it.
pub(super) fn verify(
    store: &Store,
    settings: &Settings,
    findings: &mut Findings<'_>,
    notes: &mut Vec<String>,
) -> Result<(), RunError> {
    let mut kept = KeptPages::by(settings.rule.clone(), settings.scheme.width)?;
    let mut excused = Excused::of(store, settings)?;
    let mut rows = store.pages_from(0);
    loop {
        let mut some = Vec::with_capacity(PAGES_AT_A_TIME);
        for row in rows.by_ref() {
            let (id, page) = row?;
            if page.is_kept() {
                some.push((id, kept.add(id, &page)?));
                if some.len() == PAGES_AT_A_TIME {
                    break;
                }
            }
        }
        if some.is_empty() {
            break;
        }
        for (id, of) in kept.duplicates(&some)? {
            let url = |id| Ok::<_, RunError>(store.page(id)?.map_or_else(String::new, |page| page.url));
            let (page, other) = (url(id)?, url(of)?);
            if excused.covers(id, of, &kept) || excused.is_missed_by_bands(store, id, of)? {
                continue;
            }
            let different = excused.exceptions.pages(store, &page)?;
            if different.contains(&DocId(of)) && kept.is_unique_beside(store, id, &different)? {
                excused.labelled += 1;
                continue;
            }
            let what = format!("page {id}, {page}, is a duplicate of page {of}, {other}, and both are kept");
            findings.note(FindingKind::Duplicates, what);
        }
        findings.steps(some.len() as u64);
    }
    notes.extend(excused.notes());
    Ok(())
}

/// The kept pages so far.
struct KeptPages {
    dedup: Deduplicator<MemoryIndex>,
    /// For each page: the page that it replaced as the canonical page.
    replacements: HashMap<u64, u64>,
}

impl KeptPages {
    fn by(rule: DuplicateRule, width: Width) -> Result<Self, RunError> {
        Ok(Self {
            dedup: Deduplicator::new(MemoryIndex::of_width(width, &rule)?, rule)?,
            replacements: HashMap::new(),
        })
    }

    /// Adds a page. Returns its signature.
    fn add(&mut self, id: u64, page: &PageRecord) -> Result<Signature, RunError> {
        self.replacements.extend(page.replaces.map(|replaced| (id, replaced)));
        let signature = decode_signature(&page.signature)?;
        self.dedup.insert(DocId(id), &signature)?;
        Ok(signature)
    }

    /// Whether the page is a duplicate of no earlier page, but for the `different` ones, which it may be like and must not repeat.
    fn is_unique_beside(&self, store: &Store, id: u64, different: &[DocId]) -> Result<bool, RunError> {
        let Some(page) = store.page(id)? else { return Ok(true) };
        let signature = decode_signature(&page.signature)?;
        let verdict = self.dedup.check_beside(&signature, different, Some(DocId(id)))?;
        // All kept pages of a batch are in the index, also later ones.
        Ok(verdict.of().is_none_or(|of| of > DocId(id)))
    }

    /// The pages among `some` that are duplicates, each with the earlier page, in order. All cores take part.
    fn duplicates(&self, some: &[(u64, Signature)]) -> Result<Vec<(u64, u64)>, RunError> {
        let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        by_all_cores(|| {
            loop {
                let first = next.fetch_add(BATCH, Ordering::Relaxed);
                if first >= some.len() {
                    return Ok::<_, RunError>(());
                }
                for (id, signature) in &some[first..some.len().min(first + BATCH)] {
                    if let Some(DocId(of)) = self.dedup.check_before(signature, DocId(*id))?.of() {
                        found.lock().unwrap_or_else(PoisonError::into_inner).push((*id, of));
                    }
                }
            }
        })?;
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_unstable();
        Ok(found)
    }
}

/// Pairs of kept duplicates that are no fault.
struct Excused {
    rules: Vec<String>,
    /// Some pages have, or may have, a verdict by another rule than the configured one.
    may_have_other_rules: bool,
    near_replacements: u64,
    by_this_rule: u64,
    /// The number of pages from which bands may have answered; `None` if they never do.
    bands_from: Option<u64>,
    without_a_common_band: u64,
    exceptions: Exceptions,
    labelled: u64,
}

impl Excused {
    fn of(store: &Store, settings: &Settings) -> Result<Self, RunError> {
        let rules = store.run_notes().rules()?;
        // A rebuild does not know the rules of the pages that it restores.
        let may_have_other_rules = rules.is_empty() || rules.iter().any(|rule| *rule != settings.rule.to_string());
        Ok(Self {
            rules,
            may_have_other_rules,
            near_replacements: 0,
            by_this_rule: 0,
            bands_from: Layout::for_distance(settings.scheme.width, settings.rule.max_distance)
                .ok()
                .and_then(|layout| settings.candidates.bands_from(layout)),
            without_a_common_band: 0,
            exceptions: Exceptions::of_store(store)?,
            labelled: 0,
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

    /// Whether the crawl may have looked for the pair by its bands, and these have none in common. Counts such a pair.
    fn is_missed_by_bands(&mut self, store: &Store, id: u64, of: u64) -> Result<bool, RunError> {
        // No more pages are kept than there are.
        if self.bands_from.is_none_or(|from| id < from) {
            return Ok(false);
        }
        let bands = |id| {
            let page = store.page(id)?;
            let signature = page
                .map(|page| decode_signature_with_bands(&page.signature))
                .transpose()?;
            Ok::<_, RunError>(signature.and_then(|signature| signature.bands))
        };
        let Some((a, b)) = bands(id)?.zip(bands(of)?) else {
            return Ok(false);
        };
        let is_missed = !a.meets(&b);
        self.without_a_common_band += u64::from(is_missed);
        Ok(is_missed)
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.labelled > 0 {
            notes.push(format!(
                "{} kept pages are near-duplicates of another kept page from which they differ by a label",
                self.labelled
            ));
        }
        if self.without_a_common_band > 0 {
            notes.push(format!(
                "{} kept pages are near-duplicates of another kept page with which they share no band: dedup.candidates = \"bands\" or \
                 \"auto\" misses them; with \"blocks\", {} finds them",
                self.without_a_common_band,
                command("rebuild", &["--redecide"])
            ));
        }
        if self.by_this_rule > 0 {
            let others = if self.rules.is_empty() {
                "a rebuild has restored the pages, and the archive does not hold the rules of their verdicts".to_owned()
            } else {
                format!("some pages have a verdict by another rule ({})", self.rules.join(" · "))
            };
            notes.push(format!(
                "{} kept pages are duplicates by the rule of this configuration; {others}; give all pages a new verdict: {}",
                self.by_this_rule,
                command("rebuild", &["--redecide"])
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

#[cfg(test)]
mod tests {
    use dedup::{Analyzer, Scheme};

    use super::*;

    /// Texts of three lengths with some words of their own each; some are equal.
    fn texts() -> Vec<String> {
        let word = |number: usize| format!("word{} ", number * 7_919 % 10_007);
        let text = |number: usize| {
            let words = [20, 70, 300][number % 3];
            let own = number * 31 % 23;
            let template = (0..words - own.min(words / 4)).map(word);
            let own = (0..own.min(words / 4)).map(|place| word(1_000 + number % 40 * 50 + place));
            template.chain(own).collect()
        };
        (0..200).map(text).collect()
    }

    #[test]
    fn each_page_is_checked_against_the_earlier_ones_alone() {
        let analyzer = Analyzer::new(&Scheme::default());
        let rule = DuplicateRule::default();
        let index = MemoryIndex::of_width(Width::W64, &rule).unwrap();
        let grown = Deduplicator::new(index, rule.clone()).unwrap();
        let kept = KeptPages::by(rule, Width::W64).unwrap();
        let (mut all, mut expected) = (Vec::new(), Vec::new());
        for (id, text) in (1_u64..).zip(texts()) {
            let signature = analyzer.analyze(&text);
            expected.extend(grown.check(&signature).unwrap().of().map(|of| (id, of.0)));
            grown.insert(DocId(id), &signature).unwrap();
            kept.dedup.insert(DocId(id), &signature).unwrap();
            all.push((id, signature));
        }
        assert!(expected.len() > 50, "{}", expected.len());
        assert_eq!(kept.duplicates(&all).unwrap(), expected);
        let later: Vec<_> = expected.into_iter().filter(|(id, _)| *id > 100).collect();
        assert_eq!(kept.duplicates(&all[100..]).unwrap(), later);
    }
}
