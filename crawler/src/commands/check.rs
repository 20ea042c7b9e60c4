//! `crawler check`: whether a text is already in the store.

mod answer;
mod text;

use std::path::Path;

use ::dedup::segment::TokenKind;
use ::dedup::short::jaccard;
use ::dedup::{Analyzer, Signature};
use storage::Store;

use super::inspect;
use super::screen::Screen;
use crate::cli::{AnswerFormat, Check};
use crate::error::{Error, RunError, UsageError};
use crate::host_key::HostKey;
use crate::inputs::Format;
use crate::nearest::{Candidate, KeptPages, has_scheme_of, nearest_of_all, scheme_of_texts};
use crate::passages::{self, Common};
use crate::settings::Settings;
use crate::tell::tell;
use answer::{Answer, ComparedBy, Near, Passage, SameUrl, Verdict};

/// Passages of a page that are named.
const MAX_PASSAGES: usize = 20;

/// Characters of a passage that are shown.
const MAX_PASSAGE_CHARS: usize = 1_000;

pub(super) fn execute(args: &Check) -> Result<(), Error> {
    reject_collections(&args.source)?;
    let settings = inspect::settings(&args.fetching)?;
    let store = super::open_to_read(&args.data.data)?;
    check_scheme(&store, &settings)?;
    let page = inspect::read_one(&args.source, args.url.as_deref(), &settings, args.ignore_robots)?;
    let page = page.map_err(|unread| RunError::Unread {
        what: unread.source,
        reason: unread.error,
    })?;
    let kept = KeptPages::open(&store, &settings)?;
    if kept.is_derived {
        tell(format_args!(
            "crawler: the rule of the configuration is not that of the store's index: compared by an index made of all kept \
             pages, which takes longer; the next crawler run makes the store's own anew"
        ));
    }
    let (signature, text) = (&page.signature, page.text.as_str());
    let mut candidates = kept.nearest(&settings.rule, signature, None).map_err(RunError::from)?;
    if args.thorough {
        let known: Vec<u64> = candidates.iter().map(|candidate| candidate.id).collect();
        let all = nearest_of_all(&store, &settings.rule, signature, usize::from(args.top) + known.len())?;
        candidates.extend(all.into_iter().filter(|candidate| !known.contains(&candidate.id)));
    }
    let verdict = verdict(signature, &candidates);
    let analyzer = Analyzer::new(&settings.scheme);
    let beside = Beside {
        store: &store,
        shingles: match candidates.is_empty() {
            true => Vec::new(),
            false => analyzer.shingles(text),
        },
        analyzer,
        text,
    };
    let mut covered = Covered::default();
    let mut nearest = Vec::new();
    for candidate in candidates.into_iter().take(args.top.into()) {
        nearest.extend(beside.near(candidate, &mut covered)?);
    }
    let count = |kind| {
        ::dedup::segment::tokens(text)
            .filter(|token| token.kind == kind)
            .count()
    };
    let answer = Answer {
        verdict,
        reason: String::new(),
        compared_by: compared_by(signature),
        tokens: signature.tokens,
        words: count(TokenKind::Word) + count(TokenKind::Number),
        characters: count(TokenKind::Character),
        min_words: settings.scheme.min_words,
        fingerprint: page.fingerprint,
        digest: page.digest,
        scheme: settings.scheme.id(),
        thorough: args.thorough,
        same_url: same_url(&store, page.canonical_url.as_deref())?,
        covered: covered.share(),
        is_cut: nearest.iter().any(|near| near.is_cut || near.unreadable.is_some()),
        nearest,
        source: page.source,
        url: page.canonical_url,
        title: page.title,
    };
    let answer = Answer {
        reason: text::reason(&answer, &settings.rule),
        ..answer
    };
    let mut output = super::Output::open(None)?;
    output.write(match args.format {
        AnswerFormat::Text => text::render(&answer, &settings.rule, Screen::of_stdout()),
        AnswerFormat::Json => json(&answer)?,
    })?;
    output.finish()?;
    match verdict.exit_code() {
        0 => Ok(()),
        code => Err(Error::Answer(code)),
    }
}

/// An answer on a line.
pub(super) fn json(answer: &impl serde::Serialize) -> Result<String, RunError> {
    let line = serde_json::to_string(answer).map_err(|error| RunError::Render(error.to_string()))?;
    Ok(line + "\n")
}

fn reject_collections(source: &Path) -> Result<(), UsageError> {
    match Format::of_name(source).filter(|_| source.is_file()) {
        Some(Format::Jsonl | Format::Warc) => Err(UsageError::Argument(format!(
            "{} holds many documents, and check takes one page or text; crawler dedup compares those of files with each other",
            source.display()
        ))),
        Some(Format::Html | Format::Text) | None => Ok(()),
    }
}

/// Refuses to compare across schemes.
fn check_scheme(store: &Store, settings: &Settings) -> Result<(), RunError> {
    if has_scheme_of(store, settings) {
        return Ok(());
    }
    Err(RunError::OtherScheme {
        dir: store.dir().to_owned(),
        found: scheme_of_texts(store).to_owned(),
        wanted: settings.scheme.id(),
    })
}

fn verdict(signature: &Signature, candidates: &[Candidate]) -> Verdict {
    let first = candidates.first().map(|candidate| &candidate.likeness);
    match first {
        Some(first) if first.is_exact => Verdict::Exact,
        Some(first) if first.is_duplicate => Verdict::Near,
        _ if compared_by(signature) < ComparedBy::Shingles => Verdict::TooShort,
        _ => Verdict::New,
    }
}

fn compared_by(signature: &Signature) -> ComparedBy {
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

/// The parts of a text that stand in passages, whatever the page.
#[derive(Debug, Default)]
struct Covered {
    tokens: usize,
    /// First bytes of the covered tokens.
    starts: std::collections::HashSet<usize>,
}

impl Covered {
    fn add(&mut self, text: &str, common: &Common) {
        self.tokens = common.left_tokens;
        for passage in &common.passages {
            let tokens = ::dedup::segment::tokens(&text[passage.left.clone()]);
            self.starts.extend(tokens.map(|token| passage.left.start + token.start));
        }
    }

    fn share(&self) -> f64 {
        self.starts.len() as f64 / self.tokens.max(1) as f64
    }
}

/// The text that is compared.
struct Beside<'a> {
    store: &'a Store,
    analyzer: Analyzer,
    text: &'a str,
    /// Of the text.
    shingles: Vec<u64>,
}

impl Beside<'_> {
    /// A candidate with what its stored text has in common with this one; `None` where the catalogue does not know it.
    fn near(&self, candidate: Candidate, covered: &mut Covered) -> Result<Option<Near>, RunError> {
        let Some(page) = self.store.page(candidate.id)? else {
            return Ok(None);
        };
        // What is kept in the catalogue suffices for the verdict: of a record that is damaged one line is told.
        let (text, unreadable) = match self.store.text_of(&page) {
            Ok(text) => (text, None),
            Err(error) => (None, Some(error.to_string())),
        };
        let mut near = Near {
            id: candidate.id,
            url: page.url,
            title: page.title,
            likeness: candidate.likeness,
            jaccard: None,
            covered: None,
            covered_of_page: None,
            passages: Vec::new(),
            passages_left_out: 0,
            is_cut: false,
            unreadable,
        };
        let Some(other) = text else { return Ok(Some(near)) };
        let common = passages::common(self.text, &other, &passage_options(near.likeness.is_exact, self.text));
        covered.add(self.text, &common);
        near.jaccard = Some(jaccard(&self.shingles, &self.analyzer.shingles(&other)));
        near.is_cut = common.is_cut;
        near.covered = Some(common.left_share());
        near.covered_of_page = Some(common.right_share());
        let mut found = common.passages;
        found.sort_by_key(|passage| (std::cmp::Reverse(passage.tokens), passage.left.start));
        near.passages_left_out = found.len().saturating_sub(MAX_PASSAGES);
        found.truncate(MAX_PASSAGES);
        let shown = |passage: passages::Passage| Passage {
            tokens: passage.tokens,
            text: self.text[passage.left.clone()]
                .chars()
                .take(MAX_PASSAGE_CHARS)
                .collect(),
            start: passage.left.start,
            end: passage.left.end,
            page_start: passage.right.start,
            page_end: passage.right.end,
        };
        near.passages = found.into_iter().map(shown).collect();
        Ok(Some(near))
    }
}

/// Of a text that is known as a whole, the whole is a passage, however short.
fn passage_options(is_exact: bool, text: &str) -> passages::Options {
    let usual = passages::Options::default();
    let tokens = ::dedup::segment::tokens(text).take(usual.min_characters).count().max(1);
    match is_exact {
        true => passages::Options {
            min_words: usual.min_words.min(tokens),
            min_characters: usual.min_characters.min(tokens),
        },
        false => usual,
    }
}
