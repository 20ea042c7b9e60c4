//! All decisions of a crawl again, from the stored texts, by another scheme or rule and without a request.
//!
//! ```text
//! pages in the order of their numbers ─▶ stored text ─▶ signature by the scheme ─▶ verdict by the rule ─▶ rebuilt state
//! ```
//!
//! The last version of each page is compared with the last versions of the pages before it, as in a crawl that fetched them in this
//! order. The metadata of a signature come from the markup, which the archive does not hold for duplicates. They do not depend on the
//! scheme, so the new signature keeps them.
//!
//! Pairs that a person has labelled as different are [exceptions](crawl::exceptions).

use std::collections::HashMap;

use dedup::{Analyzer, Deduplicator, DocId, Signature, SledIndex};
use storage::{ChangedVerdicts, Fate, PageRecord, Rebuild, Redecided, Redecision, Replaced, StorageError, Verdict};

use config::settings::Settings;
use crawl::canonical::{self, KeptPage, Named};
use crawl::exceptions::Exceptions;
use crawl::index::{
    decode_signature, decode_signature_with_bands, encode_signature, erase_index, open_existing_index, stored,
};
use error::RunError;
use terminal::tell::tell;

/// Number of pages after which the index is written to disk.
const PERSISTED_EVERY: u64 = 4_096;

/// Decides all pages of `rebuild` again by `settings`, but for the `exceptions`. `scheme` is the new scheme of the state. `step` is called after each page. Returns
/// how the verdicts differ from those of the crawl, and from those before.
///
/// # Errors
/// The state or the archive cannot be read, or the state cannot be written.
pub fn redecide(
    rebuild: &mut Rebuild,
    settings: &Settings,
    scheme: &str,
    exceptions: &Exceptions,
    mut step: impl FnMut(u64),
) -> Result<(Redecided, ChangedVerdicts), RunError> {
    rebuild.begin_redeciding(scheme)?;
    erase_index(rebuild.store())?;
    let index = open_existing_index(rebuild.store(), settings)?;
    let dedup = Deduplicator::new(index, settings.rule.clone())?;
    let analyzer = settings.analyzer();
    let mut redecided = Redecided {
        at: crawl::clock::unix_millis(std::time::SystemTime::now()),
        schemes_before: rebuild
            .decided_schemes()
            .schemes()
            .into_iter()
            .map(str::to_owned)
            .collect(),
        scheme: scheme.to_owned(),
        rule: settings.rule.to_string(),
        ..Redecided::default()
    };
    let mut labelled = Labelled::by(exceptions);
    let mut decided = 0_u64;
    for row in rebuild.store().pages_from(0) {
        let (id, page) = row?;
        let signature = sign(rebuild, &page, &analyzer)?;
        redecided.without_text += u64::from(signature.is_none() && page.fate == Fate::Current);
        let decision = match &signature {
            Some(signature) if page.fate == Fate::Current => {
                decide(rebuild, &dedup, settings, &labelled, (id, &page), signature)?
            }
            _ => Decision::unchanged(&page),
        };
        let signature = match signature {
            Some(signature) => signature,
            None => insert_without_text(&dedup, id, &page)?,
        };
        record(rebuild, id, &decision, &signature)?;
        if page.fate == Fate::Current {
            labelled.has(id, page.url);
        }
        decided += 1;
        if decided.is_multiple_of(PERSISTED_EVERY) {
            // Pending entries are in memory, and each removal scans them.
            dedup.index_mut().persist(id)?;
        }
        step(decided);
    }
    dedup.index_mut().persist(rebuild.store().next_page_id() - 1)?;
    dedup.index_mut().settle()?;
    let changed = rebuild.end_redeciding(&mut redecided)?;
    Ok((redecided, changed))
}

/// The exceptions, and the labelled pages among those that were decided.
struct Labelled<'a> {
    exceptions: &'a Exceptions,
    numbers: HashMap<String, u64>,
}

impl<'a> Labelled<'a> {
    fn by(exceptions: &'a Exceptions) -> Self {
        Self {
            exceptions,
            numbers: HashMap::new(),
        }
    }

    /// Notes the number of a decided page.
    fn has(&mut self, id: u64, url: String) {
        if !self.exceptions.of(&url).is_empty() {
            self.numbers.insert(url, id);
        }
    }

    /// The decided pages that the page at `url` is labelled to differ from.
    fn different(&self, url: &str) -> Vec<DocId> {
        let others = self.exceptions.of(url).iter();
        others
            .filter_map(|other| self.numbers.get(other))
            .map(|id| DocId(*id))
            .collect()
    }
}

/// Inserts a page without a stored text into the index if it is kept: the index holds every kept page, although nothing resembles this
/// one.
fn insert_without_text(dedup: &Deduplicator<SledIndex>, id: u64, page: &PageRecord) -> Result<Signature, RunError> {
    let before = decode_signature(&page.signature)?;
    let signature = Signature {
        metadata: before.metadata,
        subject: before.subject,
        ..Signature::default()
    };
    if page.is_kept() {
        dedup.insert(DocId(id), &signature)?;
    }
    Ok(signature)
}

/// Writes a decision to the state, and the new verdict of the page whose place the decided page takes.
fn record(rebuild: &mut Rebuild, id: u64, decision: &Decision, signature: &Signature) -> Result<(), RunError> {
    if let Some(replaced) = decision.replaced
        && let Some(other) = rebuild.store().latest_page(replaced.page)?
    {
        let again = Redecision {
            verdict: replaced.verdict,
            signature: other.signature,
            replaces: other.replaces,
        };
        rebuild.redecide(replaced.page, again)?;
    }
    let redecision = Redecision {
        verdict: decision.verdict,
        signature: encode_signature(signature)?,
        replaces: decision.replaced.map(|replaced| replaced.page).or(decision.replaces),
    };
    Ok(rebuild.redecide(id, redecision)?)
}

/// The verdict on a page, and the page whose place it takes.
struct Decision {
    verdict: Verdict,
    replaced: Option<Replaced>,
    replaces: Option<u64>,
}

impl Decision {
    fn unchanged(page: &PageRecord) -> Self {
        Self {
            verdict: page.verdict,
            replaced: None,
            replaces: page.replaces,
        }
    }
}

fn decide(
    rebuild: &Rebuild,
    dedup: &Deduplicator<SledIndex>,
    settings: &Settings,
    labelled: &Labelled<'_>,
    (id, page): (u64, &PageRecord),
    signature: &Signature,
) -> Result<Decision, RunError> {
    let different = labelled.different(&page.url);
    let verdict = if different.is_empty() {
        dedup.check_and_insert(DocId(id), signature)?
    } else {
        let verdict = dedup.check_beside(signature, &different, None)?;
        if verdict == dedup::Verdict::Unique {
            dedup.insert(DocId(id), signature)?;
        }
        verdict
    };
    let verdict = stored(verdict);
    let mut decision = Decision {
        verdict,
        replaced: None,
        replaces: None,
    };
    if !settings.prefer_canonical {
        return Ok(decision);
    }
    let named = Named {
        url: &page.url,
        canonical: page.canonical.as_deref(),
    };
    let kept_page = |of| Ok(rebuild.store().latest_page(of)?.and_then(KeptPage::of));
    let decided = canonical::decide(dedup, id, named, signature, verdict, kept_page)?;
    if let Some(replaced) = decided.replaced {
        dedup.remove(DocId(replaced.page))?;
    }
    decision.verdict = decided.verdict;
    decision.replaced = decided.replaced;
    Ok(decision)
}

/// The signature of a page's stored text; `None` if the archive does not hold the text.
fn sign(rebuild: &Rebuild, page: &PageRecord, analyzer: &Analyzer) -> Result<Option<Signature>, RunError> {
    let before = decode_signature(&page.signature)?;
    let store = rebuild.store();
    let text = match store.text_of(page) {
        Ok(text) => text,
        Err(error @ StorageError::ArchiveDamaged { .. }) => {
            tell(format_args!("{}: {error}; its verdict stays", page.url));
            None
        }
        Err(error) => return Err(error.into()),
    };
    let signature = match (text, page.verdict) {
        (Some(text), _) => analyzer.analyze(&text),
        // The normalised text is equal, so the signature is equal.
        (None, Verdict::Exact { of }) => match store.latest_page(of)? {
            Some(same) => decode_signature_with_bands(&same.signature)?,
            None => return Ok(None),
        },
        (None, _) => return Ok(None),
    };
    Ok(Some(Signature {
        metadata: before.metadata,
        subject: before.subject,
        ..signature
    }))
}
