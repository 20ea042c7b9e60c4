//! The dedup index beside the catalogue that it is derived from.

use std::borrow::Cow;

use dedup::{Candidates, Deduplicator, DocId, SledIndex, SledOptions, SledReader};
use storage::{StorageError, Store, Verdict};
use xxhash_rust::xxh3::xxh3_128;

use super::recorder::departures;
use config::settings::Settings;
use error::RunError;
use terminal::commands::command;

/// Number of kept pages after which the index is persisted during a replay, so that few documents are pending.
const PERSISTED_EVERY: u64 = 4_096;

/// Opens the index in `store` and brings it up to the catalogue: kept pages enter it, departed pages leave it.
pub fn open_up_to_date(store: &mut Store, settings: &Settings) -> Result<Deduplicator<SledIndex>, RunError> {
    let dedup = Deduplicator::new(open_index(store, settings, None)?, settings.rule.clone())?;
    let applied = dedup.index().applied();
    let mut replayed = 0_u64;
    for row in store.pages_from(applied + 1) {
        let (id, page) = row?;
        if page.is_kept() {
            dedup.insert(DocId(id), &decode_signature_with_bands(&page.signature)?)?;
            replayed += 1;
            if replayed.is_multiple_of(PERSISTED_EVERY) {
                dedup.index_mut().persist(id)?;
            }
        }
    }
    let departed = store.catalogue().departed()?;
    departures::remove(&dedup, &departed)?;
    if replayed > 0 || !departed.is_empty() {
        tracing::info!(
            from = applied + 1,
            pages = replayed,
            "dedup index brought up to the catalogue"
        );
        dedup.index_mut().persist(store.next_page_id() - 1)?;
        store.forget_departed(&departed)?;
    }
    tell_source(&dedup, settings.candidates);
    Ok(dedup)
}

/// Says from where the candidates come, if bands are wanted and some pages have none.
fn tell_source(dedup: &Deduplicator<SledIndex>, wanted: Candidates) {
    let may_use_bands = dedup.index().may_use_bands();
    tracing::debug!(may_use_bands, "dedup index opened");
    if wanted == Candidates::Bands && !may_use_bands {
        tracing::warn!(
            "dedup.candidates = \"bands\": some kept pages have no bands, because earlier runs stored none, so the candidates come from \
             blocks; {} gives all pages bands",
            command("rebuild", &["--redecide"])
        );
    }
}

/// Opens an index of pages that are not those of the catalogue alone. The indexes of all folders that must agree have one seed.
pub fn open_across_folders(store: &Store, settings: &Settings, seed: u64) -> Result<Deduplicator<SledIndex>, RunError> {
    Ok(Deduplicator::new(
        open_index(store, settings, Some(seed))?,
        settings.rule.clone(),
    )?)
}

/// Opens the index without bringing it up to the catalogue.
///
/// # Errors
/// It cannot be read, or it belongs to another scheme or rule.
pub fn open_existing_index(store: &Store, settings: &Settings) -> Result<SledIndex, RunError> {
    open_seeded(store, settings, None)
}

fn open_seeded(store: &Store, settings: &Settings, seed: Option<u64>) -> Result<SledIndex, RunError> {
    let db = store.index_db().ok_or_else(|| in_use(store))?;
    let options = SledOptions {
        seed,
        ..options(settings)?
    };
    Ok(SledIndex::open_with(
        db,
        &settings.scheme.id(),
        &settings.rule,
        options,
    )?)
}

fn in_use(store: &Store) -> StorageError {
    StorageError::Lent {
        dir: store.dir().to_owned(),
    }
}

/// Removes the index, to be derived from the catalogue again.
///
/// # Errors
/// It cannot be written.
pub fn erase_index(store: &Store) -> Result<(), RunError> {
    let db = store.index_db().ok_or_else(|| in_use(store))?;
    Ok(SledIndex::erase(db)?)
}

/// A read-only view of the index for a few queries; `None` if there is no index, or if another process holds the store.
///
/// # Errors
/// As [`open_existing_index`].
pub fn look_at_index(store: &Store, settings: &Settings) -> Result<Option<SledReader>, dedup::DedupError> {
    let Some(db) = store.index_db() else { return Ok(None) };
    SledReader::open(db, &settings.scheme.id(), &settings.rule, &options(settings)?)
}

fn options(settings: &Settings) -> Result<SledOptions, dedup::DedupError> {
    Ok(SledOptions {
        overfull: settings.bucket_skew,
        candidates: settings.candidates,
        ..SledOptions::of_width(settings.scheme.width, &settings.rule)?
    })
}

/// Opens the index. If it has the layout of another threshold, it is erased, to be derived from the catalogue again.
fn open_index(store: &Store, settings: &Settings, seed: Option<u64>) -> Result<SledIndex, RunError> {
    let open = || open_seeded(store, settings, seed);
    match open() {
        Err(RunError::Dedup { source }) if source.is_other_layout() => {
            tracing::warn!(
                "the dedup rule or the form of the index has changed; rebuilding the index from the catalogue"
            );
            erase_index(store)?;
            open()
        }
        opened => opened,
    }
}

/// A verdict in the catalogue's form.
#[must_use]
pub fn stored(verdict: dedup::Verdict) -> Verdict {
    match verdict {
        dedup::Verdict::Unique => Verdict::Unique,
        dedup::Verdict::Exact { of } => Verdict::Exact { of: of.0 },
        dedup::Verdict::Near {
            of,
            distance,
            similarity,
        } => Verdict::Near {
            of: of.0,
            distance,
            similarity,
        },
    }
}

/// A signature in the catalogue's form.
///
/// # Errors
/// It cannot be encoded.
pub fn encode_signature(signature: &dedup::Signature) -> Result<Vec<u8>, RunError> {
    signature.to_row().map_err(RunError::Signature)
}

/// The signature by which an index over several folders knows the page at `url`.
///
/// A text without a token has no digest and is nobody's duplicate. If the claim of such a page is lost, and its host moves to another folder, both
/// folders would keep it. So its URL takes the place of its text. No normalised text has a NUL.
#[must_use]
pub fn signature_across_folders<'a>(signature: &'a dedup::Signature, url: &str) -> Cow<'a, dedup::Signature> {
    if signature.digest.is_some() {
        return Cow::Borrowed(signature);
    }
    let of_url = xxh3_128(format!("\0{url}").as_bytes());
    Cow::Owned(dedup::Signature {
        digest: Some(dedup::Digest(of_url)),
        ..signature.clone()
    })
}

/// A signature from the catalogue, without its bands.
///
/// # Errors
/// The bytes are not a signature.
pub fn decode_signature(bytes: &[u8]) -> Result<dedup::Signature, RunError> {
    dedup::Signature::from_row(bytes).map_err(RunError::Signature)
}

/// A signature from the catalogue, with its bands if the crawl stored them.
///
/// # Errors
/// The bytes are not a signature.
pub fn decode_signature_with_bands(bytes: &[u8]) -> Result<dedup::Signature, RunError> {
    dedup::Signature::from_row_with_bands(bytes).map_err(RunError::Signature)
}

/// Takes the bands off a signature in the catalogue's form.
///
/// # Errors
/// The bytes are not a signature.
pub fn without_bands(mut bytes: Vec<u8>) -> Result<Vec<u8>, RunError> {
    let (_, bands) = postcard::take_from_bytes::<dedup::Signature>(&bytes).map_err(RunError::Signature)?;
    bytes.truncate(bytes.len() - bands.len());
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use dedup::{Analyzer, DocId, DuplicateRule, MemoryIndex, Scheme, Verdict};

    use super::*;

    #[test]
    fn an_index_over_several_folders_knows_a_page_without_text_by_its_url() {
        let analyzer = Analyzer::new(&Scheme::default());
        let rule = DuplicateRule::default();
        let index = Deduplicator::new(MemoryIndex::new(&rule).unwrap(), rule).unwrap();
        let empty = analyzer.analyze("");
        let at = |url: &str| signature_across_folders(&empty, url).into_owned();
        index.insert(DocId(1), &at("https://a.example/")).unwrap();
        assert_eq!(
            index.check(&at("https://a.example/")).unwrap(),
            Verdict::Exact { of: DocId(1) }
        );
        assert_eq!(index.check(&at("https://a.example/other")).unwrap(), Verdict::Unique);
        let page = analyzer.analyze("https://a.example/");
        assert_eq!(index.check(&page).unwrap(), Verdict::Unique);
        assert_eq!(*signature_across_folders(&page, "https://a.example/"), page);
    }
}
