//! Checks that no kept page is a duplicate of an earlier one.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use dedup::short::prefix;
use dedup::{Digest, DocId, DuplicateRule, Index, MemoryIndex, Signature};
use storage::{FindingKind, Findings, PageRecord, Store};

use crate::config::settings::Settings;
use crate::crawl::index::decode_signature;
use crate::error::RunError;
use crate::study::short_text::ShortText;
use crate::study::threads::by_all_cores;

/// Pages that the threads share at a time. A page is compared with those before it only, so the search of the last pages costs the most.
const PAGES_AT_A_TIME: usize = 2_048;

/// Pages that a thread searches at a time.
const BATCH: usize = 64;

/// For each kept page, searches the kept pages before it.
pub(super) fn verify(
    store: &Store,
    settings: &Settings,
    findings: &mut Findings<'_>,
    notes: &mut Vec<String>,
) -> Result<(), RunError> {
    let mut kept = KeptPages::none(settings)?;
    let mut excused = Excused::of(store, settings)?;
    let mut rows = store.pages_from(0);
    loop {
        let from = kept.pages.len();
        for row in rows.by_ref() {
            let (id, page) = row?;
            if page.is_kept() {
                kept.add(id, &page)?;
                if kept.pages.len() - from == PAGES_AT_A_TIME {
                    break;
                }
            }
        }
        if kept.pages.len() == from {
            break;
        }
        for (id, of) in kept.duplicates(from)? {
            if excused.covers(id, of, &kept) {
                continue;
            }
            let url = |id| Ok::<_, RunError>(store.page(id)?.map_or_else(String::new, |page| page.url));
            let (page, other) = (url(id)?, url(of)?);
            let what = format!("page {id}, {page}, is a duplicate of page {of}, {other}, and both are kept");
            findings.note(FindingKind::Duplicates, what);
        }
        findings.steps((kept.pages.len() - from) as u64);
    }
    notes.extend(excused.notes());
    Ok(())
}

/// The kept pages so far, by their signatures.
///
/// It finds the same as a [`Deduplicator`](dedup::Deduplicator) over the pages before each page, and a test compares the two. The
/// deduplicator would copy the signature of each page that looks alike, and decide on one page after the other.
struct KeptPages {
    rule: DuplicateRule,
    /// Numbers and signatures, in order.
    pages: Vec<(u64, Signature)>,
    /// The shingles of `pages`, in short.
    texts: Vec<ShortText>,
    /// The places in `pages`, by fingerprint and by shingle.
    index: MemoryIndex,
    /// The first place with each digest.
    digests: HashMap<Digest, usize>,
    /// For each page: the page that it replaced as the canonical page.
    replacements: HashMap<u64, u64>,
}

impl KeptPages {
    fn none(settings: &Settings) -> Result<Self, RunError> {
        Self::by(settings.rule.clone(), settings.scheme.width)
    }

    fn by(rule: DuplicateRule, width: dedup::Width) -> Result<Self, RunError> {
        Ok(Self {
            index: MemoryIndex::of_width(width, &rule)?,
            rule,
            pages: Vec::new(),
            texts: Vec::new(),
            digests: HashMap::new(),
            replacements: HashMap::new(),
        })
    }

    fn add(&mut self, id: u64, page: &PageRecord) -> Result<(), RunError> {
        self.replacements.extend(page.replaces.map(|replaced| (id, replaced)));
        self.add_signature(id, decode_signature(&page.signature)?)
    }

    fn add_signature(&mut self, id: u64, signature: Signature) -> Result<(), RunError> {
        let place = self.pages.len();
        let found_by = Signature {
            fingerprint: signature.fingerprint,
            shingles: signature.shingles.clone(),
            ..Signature::default()
        };
        self.index.insert(DocId(place as u64), &found_by)?;
        if let Some(digest) = signature.digest {
            self.digests.entry(digest).or_insert(place);
        }
        self.texts.push(ShortText::of(&signature));
        self.pages.push((id, signature));
        Ok(())
    }

    /// The pages from the place `from` on that are duplicates, each with the earlier page, in order.
    fn duplicates(&self, from: usize) -> Result<Vec<(u64, u64)>, RunError> {
        let (next, found) = (AtomicUsize::new(from), Mutex::new(Vec::new()));
        by_all_cores(|| {
            loop {
                let first = next.fetch_add(BATCH, Ordering::Relaxed);
                if first >= self.pages.len() {
                    return Ok::<_, RunError>(());
                }
                for place in first..self.pages.len().min(first + BATCH) {
                    if let Some(of) = self.earlier(place)? {
                        let pair = (self.pages[place].0, self.pages[of].0);
                        found.lock().unwrap_or_else(PoisonError::into_inner).push(pair);
                    }
                }
            }
        })?;
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_unstable();
        Ok(found)
    }

    /// The place of the earlier page of which the page at `place` is a duplicate.
    fn earlier(&self, place: usize) -> Result<Option<usize>, RunError> {
        let signature = &self.pages[place].1;
        let same = signature.digest.and_then(|digest| self.digests.get(&digest));
        if let Some(same) = same.filter(|same| **same < place) {
            return Ok(Some(*same));
        }
        let mut best = None;
        self.near(place, signature, &mut best)?;
        self.near_short(place, signature, &mut best)?;
        Ok(best.map(|(_, _, other)| other))
    }

    fn near(&self, place: usize, signature: &Signature, best: &mut Option<Confirmed>) -> Result<(), RunError> {
        let Some(fingerprint) = signature.fingerprint else {
            return Ok(());
        };
        let mut neighbours = Vec::new();
        self.index.near(fingerprint, &mut neighbours)?;
        for neighbour in neighbours {
            let (other, distance) = (neighbour.id.0 as usize, neighbour.distance);
            if other < place
                && let Some(similarity) = self.rule.confirms(signature, &self.pages[other].1, distance)
            {
                better(best, (similarity, Some(distance), other));
            }
        }
        Ok(())
    }

    fn near_short(&self, place: usize, signature: &Signature, best: &mut Option<Confirmed>) -> Result<(), RunError> {
        if signature.shingles.is_empty() {
            return Ok(());
        }
        let (text, least) = (&self.texts[place], self.rule.min_similarity_short);
        let mut candidates = Vec::new();
        for shingle in prefix(&signature.shingles, least) {
            self.index.with_shingle(*shingle, &mut candidates)?;
        }
        for other in candidates.into_iter().map(|other| other.0 as usize) {
            if other >= place || !text.may_reach(&self.texts[other], least) {
                continue;
            }
            let other_signature = &self.pages[other].1;
            if signature.fingerprint.is_some() && other_signature.fingerprint.is_some() {
                continue;
            }
            if let Some(similarity) = self.rule.confirms_short(signature, other_signature) {
                better(best, (similarity, None, other));
            }
        }
        Ok(())
    }
}

/// A page that the rule confirms: similarity, distance, place.
type Confirmed = (f32, Option<u32>, usize);

/// Keeps the more similar page, then the nearer, then the older, as a deduplicator does.
fn better(best: &mut Option<Confirmed>, found: Confirmed) {
    let is_better = |best: &Confirmed| {
        let by_similarity = best.0.total_cmp(&found.0);
        by_similarity
            .then(found.1.cmp(&best.1))
            .then(found.2.cmp(&best.2))
            .is_lt()
    };
    if best.as_ref().is_none_or(is_better) {
        *best = Some(found);
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

#[cfg(test)]
mod tests {
    use dedup::{Analyzer, Deduplicator, Scheme, Width};

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
    fn it_finds_what_a_deduplicator_finds_among_the_earlier_pages() {
        let analyzer = Analyzer::new(&Scheme::default());
        let rule = DuplicateRule::default();
        let index = MemoryIndex::of_width(Width::W64, &rule).unwrap();
        let dedup = Deduplicator::new(index, rule.clone()).unwrap();
        let mut kept = KeptPages::by(rule, Width::W64).unwrap();
        let mut expected = Vec::new();
        for (id, text) in (1_u64..).zip(texts()) {
            let signature = analyzer.analyze(&text);
            expected.extend(dedup.check(&signature).unwrap().of().map(|of| (id, of.0)));
            dedup.insert(DocId(id), &signature).unwrap();
            kept.add_signature(id, signature).unwrap();
        }
        assert!(expected.len() > 50, "{}", expected.len());
        assert_eq!(kept.duplicates(0).unwrap(), expected);
        let later: Vec<_> = expected.into_iter().filter(|(id, _)| *id > 100).collect();
        assert_eq!(kept.duplicates(100).unwrap(), later);
    }
}
