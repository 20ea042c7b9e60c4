//! All pages of a crawl decided anew from their stored texts, by another scheme or rule, without a request.
//!
//! ```text
//! the pages in the order of their numbers ─▶ stored text ─▶ signature by the scheme ─▶ verdict by the rule ─▶ state that is being rebuilt
//! ```
//!
//! The last version of each page is compared with the last versions before it, as a crawl that met them in this order would have.
//! The metadata of a signature come from the markup, which is not there for duplicates; they do not depend on the scheme and are
//! taken over.

use dedup::{Analyzer, Deduplicator, DocId, Signature, SledIndex};
use storage::{Fate, PageRecord, Rebuild, Redecided, Redecision, Replaced, StorageError, Verdict};

use crate::config::settings::Settings;
use crate::crawl::canonical::{self, KeptPage, Named};
use crate::crawl::index::{decode_signature, encode_signature, open_existing_index, stored};
use crate::error::RunError;
use crate::terminal::tell::tell;

/// Pages after which the index is written.
const PERSISTED_EVERY: u64 = 4_096;

/// Decides all pages of `rebuild` anew by `settings`; `scheme` is what the state is to be called by. `step` is called after each.
///
/// # Errors
/// The state or the archive cannot be read, or the state not be written.
pub fn redecide(
    rebuild: &mut Rebuild,
    settings: &Settings,
    scheme: &str,
    mut step: impl FnMut(u64),
) -> Result<Redecided, RunError> {
    rebuild.begin_redeciding(scheme)?;
    SledIndex::erase(rebuild.store().index_db())?;
    let index = open_existing_index(rebuild.store(), settings)?;
    let dedup = Deduplicator::new(index, settings.rule.clone())?;
    let analyzer = Analyzer::new(&settings.scheme);
    let mut came_to = Redecided {
        at: crate::crawl::clock::unix_millis(std::time::SystemTime::now()),
        schemes_before: rebuild.schemes().into_iter().map(str::to_owned).collect(),
        scheme: scheme.to_owned(),
        rule: settings.rule.to_string(),
        ..Redecided::default()
    };
    let mut decided = 0_u64;
    for row in rebuild.store().pages_from(0) {
        let (id, page) = row?;
        let signature = sign(rebuild, &page, &analyzer)?;
        came_to.without_text += u64::from(signature.is_none() && page.fate == Fate::Current);
        let decision = match &signature {
            Some(signature) if page.fate == Fate::Current => decide(rebuild, &dedup, settings, (id, &page), signature)?,
            _ => Decision::unchanged(&page),
        };
        let signature = match signature {
            Some(signature) => signature,
            // Nothing is known to be like it; if it is kept it is in the index all the same, as all that is kept is.
            None => {
                let signature = Signature {
                    metadata: decode_signature(&page.signature)?.metadata,
                    ..Signature::default()
                };
                if page.is_kept() {
                    dedup.insert(DocId(id), &signature)?;
                }
                signature
            }
        };
        let signature = encode_signature(&signature)?;
        if let Some(replaced) = decision.replaced {
            let other = rebuild.store().latest_page(replaced.page)?;
            if let Some(other) = other {
                let again = Redecision {
                    verdict: replaced.verdict,
                    signature: other.signature,
                    replaces: other.replaces,
                };
                rebuild.redecide(replaced.page, again)?;
            }
        }
        let redecision = Redecision {
            verdict: decision.verdict,
            signature,
            replaces: decision.replaced.map(|replaced| replaced.page).or(decision.replaces),
        };
        rebuild.redecide(id, redecision)?;
        decided += 1;
        if decided.is_multiple_of(PERSISTED_EVERY) {
            // What is pending is in memory, and gone through at each removal.
            dedup.index_mut().persist(id)?;
        }
        step(decided);
    }
    dedup.index_mut().persist(rebuild.store().next_page_id() - 1)?;
    dedup.index_mut().settle()?;
    rebuild.end_redeciding(&mut came_to)?;
    Ok(came_to)
}

/// What a page is decided as, and whose place it takes.
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
    (id, page): (u64, &PageRecord),
    signature: &Signature,
) -> Result<Decision, RunError> {
    let verdict = stored(dedup.check_and_insert(DocId(id), signature)?);
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

/// The signature of a page's stored text; `None` where the text was not kept.
fn sign(rebuild: &Rebuild, page: &PageRecord, analyzer: &Analyzer) -> Result<Option<Signature>, RunError> {
    let before = decode_signature(&page.signature)?;
    let store = rebuild.store();
    let text = match store.text_of(page) {
        Ok(text) => text,
        Err(error @ StorageError::ArchiveDamaged { .. }) => {
            tell(format_args!("{}: {error}; it stays as it was decided", page.url));
            None
        }
        Err(error) => return Err(error.into()),
    };
    let signature = match (text, page.verdict) {
        (Some(text), _) => analyzer.analyze(&text),
        // The same normalised text, and so the same signature.
        (None, Verdict::Exact { of }) => match store.latest_page(of)? {
            Some(same) => decode_signature(&same.signature)?,
            None => return Ok(None),
        },
        (None, _) => return Ok(None),
    };
    Ok(Some(Signature {
        metadata: before.metadata,
        ..signature
    }))
}
