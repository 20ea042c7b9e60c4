//! Whether the crawl has kept a text already: the verdict, and the nearest kept pages with the passages that they share with it.
//!
//! The index finds the pages that are similar as a whole. A thorough check also reads the text of every kept page, and so finds the
//! pages that contain an excerpt.

mod answer;
mod compare;
mod reason;
mod thorough;

use dedup::{Analyzer, Signature};
use storage::Store;
use web::host_key::HostKey;

use super::as_of::AsOf;
use super::in_words::TextSize;
use super::nearest::KeptPages;
use compare::TextComparison;
use config::settings::Settings;
use error::RunError;
use thorough::Thorough;

pub use answer::{Answer, ComparedBy, NearPage, SameUrl, TextVerdict};

/// A page contains a text if at least this share of the text is in shared passages. The rest is what people add around a quotation or
/// change in a copy.
pub const CONTAINED: f64 = 0.8;

/// The answer names a page that contains at least this share of the text.
pub const IN_PART: f64 = 0.2;

/// A text to check, read as the crawl reads a page.
#[derive(Debug)]
pub struct Subject {
    /// The file or URL, as the user named it.
    pub source: String,
    /// In canonical form.
    pub url: Option<String>,
    /// Its title; may be empty.
    pub title: String,
    /// Its main text.
    pub text: String,
    /// Its signature by the scheme of the store.
    pub signature: Signature,
    /// In hexadecimal digits.
    pub fingerprint: Option<String>,
    /// In hexadecimal digits.
    pub digest: Option<String>,
}

/// How far the check goes.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Upper bound on the nearest pages in the answer.
    pub top: usize,
    /// Read the text of every kept page.
    pub is_thorough: bool,
}

/// Compares a text with the kept pages. A thorough check calls `step` with the number of each page that it passes.
///
/// # Errors
/// The store cannot be read.
pub fn check(
    store: &Store,
    settings: &Settings,
    kept: &KeptPages,
    subject: Subject,
    options: Options,
    step: impl Fn(u64),
) -> Result<Answer, RunError> {
    let signature = &subject.signature;
    let candidates = kept.nearest(&settings.rule, signature, None)?;
    let comparison = TextComparison::new(store, Analyzer::new(&settings.scheme), &subject.text);
    let thorough = if options.is_thorough {
        comparison.with_all_texts(signature, &settings.rule, options.top, step)?
    } else {
        Thorough::default()
    };
    let (nearest, covered) = comparison.nearest(candidates, thorough.sharing, thorough.alike, options.top)?;
    let size = TextSize::of(&subject.text);
    let mut answer = Answer {
        as_of: AsOf::of(store),
        verdict: verdict(signature, &nearest, options.is_thorough),
        reason: String::new(),
        compared_by: compared_by(signature),
        tokens: signature.tokens,
        words: size.words,
        characters: size.characters,
        min_words: settings.scheme.min_words,
        scheme: settings.scheme.id(),
        thorough: options.is_thorough,
        texts_compared: options.is_thorough.then_some(thorough.compared),
        texts_unread: thorough.unread,
        texts_elsewhere: thorough.elsewhere,
        same_url: same_url(store, subject.url.as_deref())?,
        covered,
        is_cut: nearest.iter().any(|near| near.is_cut || near.unreadable.is_some()),
        nearest,
        fingerprint: subject.fingerprint,
        digest: subject.digest,
        source: subject.source,
        url: subject.url,
        title: subject.title,
    };
    answer.reason = reason::reason(&answer, &settings.rule);
    Ok(answer)
}

/// The verdict that follows from the first of the nearest pages.
fn verdict(signature: &Signature, nearest: &[NearPage], is_thorough: bool) -> TextVerdict {
    let is_comparable = if is_thorough {
        compare::has_runs(signature)
    } else {
        compared_by(signature) == ComparedBy::Fingerprint
    };
    match nearest.first() {
        Some(first) if first.likeness.is_exact => TextVerdict::Exact,
        Some(first) if first.likeness.is_duplicate => TextVerdict::Near,
        Some(first) if first.covered.is_some_and(|covered| covered >= CONTAINED) => TextVerdict::Contained,
        _ if is_comparable => TextVerdict::New,
        _ => TextVerdict::TooShort,
    }
}

/// The most precise evidence by which a text can be compared.
pub fn compared_by(signature: &Signature) -> ComparedBy {
    if signature.fingerprint.is_some() {
        ComparedBy::Fingerprint
    } else if !signature.shingles.is_empty() {
        ComparedBy::Shingles
    } else if signature.digest.is_some() {
        ComparedBy::Digest
    } else {
        ComparedBy::Nothing
    }
}

fn same_url(store: &Store, url: Option<&str>) -> Result<Option<SameUrl>, RunError> {
    let url = url.and_then(|url| url::Url::parse(url).ok());
    let Some((url, host)) = url.and_then(|url| HostKey::from_url(&url).map(|host| (url, host))) else {
        return Ok(None);
    };
    let found = store.page_by_url(host.as_str(), url.as_str())?;
    Ok(found.map(|(id, page)| SameUrl {
        id,
        kept: page.is_kept(),
        url: page.url,
        title: page.title,
    }))
}
