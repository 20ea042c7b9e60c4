//! `crawler check`: whether a text is already in the store.

mod answer;
mod text;
mod thorough;

use std::cmp::Ordering;
use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use ::dedup::SHINGLE_UNITS;
use ::dedup::segment::TokenKind;
use ::dedup::short::jaccard;
use ::dedup::{Analyzer, Signature};
use storage::Store;
use web::host_key::HostKey;

use super::inspect;
use super::screen::Screen;
use crate::cli::arguments::{AnswerFormat, CheckArgs};
use crate::cli::error::{Error, UsageError};
use crate::config::settings::Settings;
use crate::error::RunError;
use crate::files::Format;
use crate::study::nearest::{Candidate, KeptPages, has_scheme_of, scheme_of_texts};
use crate::study::passages::{self, Common};
use crate::terminal::tell::tell;
use crate::terminal::text::terminal_text;
use answer::{Answer, ComparedBy, Near, Passage, SameUrl, Verdict};

/// The part of a text that one page must hold in passages for the text to be contained in it: the rest, a fifth at most, is
/// what is put around a quotation or changed in a copy.
const CONTAINED: f64 = 0.8;

/// The part from which it is told that a page holds it.
const IN_PART: f64 = 0.2;

/// Candidates whose texts are compared with the text, at least: the page that holds it need not be the nearest as a whole.
const LOOKED_INTO: usize = 12;

/// Characters of the argument that are said back where it cannot be read.
const SOURCE_CHARS: usize = 200;

/// Passages of a page that are named.
const MAX_PASSAGES: usize = 20;

/// Characters of a passage that are shown.
const MAX_PASSAGE_CHARS: usize = 1_000;

pub(super) fn execute(args: &CheckArgs) -> Result<(), Error> {
    reject_collections(&args.source)?;
    let settings = inspect::settings(&args.fetching)?;
    let store = super::store::open_to_read(&args.data.data)?;
    check_scheme(&store, &settings)?;
    let page = inspect::read_one(&args.source, args.url.as_deref(), &settings, args.ignore_robots)?;
    let page = page.map_err(|unread| RunError::Unread {
        what: terminal_text(&unread.source, SOURCE_CHARS),
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
    let candidates = kept.nearest(&settings.rule, signature, None).map_err(RunError::from)?;
    let analyzer = Analyzer::new(&settings.scheme);
    let thorough = args.thorough.then(|| {
        // Fewer units than a run are compared as a whole: by their digest.
        let runs = match signature.tokens as usize >= SHINGLE_UNITS {
            true => analyzer.shingles(text),
            false => Vec::new(),
        };
        let most = LOOKED_INTO.max(args.top.into());
        thorough::compare(&store, &settings.rule, &analyzer, (signature, &runs), most)
    });
    let thorough = thorough.transpose()?.unwrap_or_default();
    let beside = Beside {
        store: &store,
        shingles: analyzer.shingles(text),
        analyzer,
        text,
    };
    let (nearest, covered) = beside.nearest(candidates, thorough.sharing, thorough.alike, args.top.into())?;
    let verdict = verdict(signature, &nearest, args.thorough);
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
        texts_compared: args.thorough.then_some(thorough.compared),
        texts_unread: thorough.unread,
        same_url: same_url(&store, page.canonical_url.as_deref())?,
        covered,
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
    let mut output = super::output::Output::open(None)?;
    output.write(match args.format {
        AnswerFormat::Text => text::render(&answer, &settings.rule, Screen::of_stdout()),
        AnswerFormat::Json => json(&answer)?,
    })?;
    output.finish()?;
    super::store::leave_open(store);
    match verdict.exit_code() {
        0 => Ok(()),
        code => Err(Error::Answer(code)),
    }
}

/// An answer on a line.
pub(super) fn json(answer: &impl serde::Serialize) -> Result<String, RunError> {
    let line = crate::terminal::json::to_string(answer).map_err(|error| RunError::Render(error.to_string()))?;
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

/// What the nearest page, which comes first, makes of a text.
fn verdict(signature: &Signature, nearest: &[Near], is_thorough: bool) -> Verdict {
    let is_comparable = match is_thorough {
        true => signature.tokens as usize >= SHINGLE_UNITS,
        // Without a fingerprint it was compared with short pages only.
        false => compared_by(signature) == ComparedBy::Fingerprint,
    };
    match nearest.first() {
        Some(first) if first.likeness.is_exact => Verdict::Exact,
        Some(first) if first.likeness.is_duplicate => Verdict::Near,
        Some(first) if first.covered.is_some_and(|covered| covered >= CONTAINED) => Verdict::Contained,
        _ if is_comparable => Verdict::New,
        _ => Verdict::TooShort,
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

/// First bytes of the text's tokens that stand in passages in common with a page.
type Starts = HashSet<usize>;

fn covered_starts(text: &str, common: &Common) -> Starts {
    let passages = common.passages.iter().map(|passage| passage.left.clone());
    let tokens = |place: Range<usize>| {
        let tokens = ::dedup::segment::tokens(&text[place.clone()]);
        tokens.map(move |token| place.start + token.start)
    };
    passages.flat_map(tokens).collect()
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
    /// The `top` of the candidates that the index finds, and of those that a thorough comparison does: first duplicates, then
    /// the pages that hold a good part of the text, then the rest, in that order. With the part of the text that stands in
    /// any of them.
    fn nearest(
        &self,
        candidates: Vec<Candidate>,
        sharing: Vec<Candidate>,
        alike: Vec<Candidate>,
        top: usize,
    ) -> Result<(Vec<Near>, f64), RunError> {
        let looked_into = LOOKED_INTO.max(top);
        let all = [(candidates, looked_into), (sharing, looked_into), (alike, top)];
        let mut known = HashSet::new();
        let mut found = Vec::new();
        for candidate in all.into_iter().flat_map(|(list, most)| list.into_iter().take(most)) {
            if known.insert(candidate.id) {
                found.extend(self.near(candidate)?);
            }
        }
        found.sort_by(|(a, _), (b, _)| place(a).partial_cmp(&place(b)).unwrap_or(Ordering::Equal));
        found.truncate(top);
        let (nearest, starts): (Vec<Near>, Vec<Starts>) = found.into_iter().unzip();
        let starts: Starts = starts.into_iter().flatten().collect();
        let tokens = ::dedup::segment::tokens(self.text).count();
        Ok((nearest, starts.len() as f64 / tokens.max(1) as f64))
    }

    /// A candidate with what its stored text has in common with this one; `None` where the catalogue does not know it.
    fn near(&self, candidate: Candidate) -> Result<Option<(Near, Starts)>, RunError> {
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
        let Some(other) = text else {
            return Ok(Some((near, Starts::new())));
        };
        let common = passages::common(self.text, &other, &passage_options(self.text));
        let starts = covered_starts(self.text, &common);
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
        Ok(Some((near, starts)))
    }
}

/// What a page is listed by, the least first.
fn place(near: &Near) -> (u8, f64) {
    match near.covered {
        _ if near.likeness.is_duplicate => (0, 0.0),
        Some(covered) if covered >= IN_PART => (1, -covered),
        _ => (2, 0.0),
    }
}

/// Of a text that has fewer words than a passage, the whole is one.
fn passage_options(text: &str) -> passages::Options {
    let usual = passages::Options::default();
    let tokens = ::dedup::segment::tokens(text).take(usual.min_characters).count().max(1);
    passages::Options {
        min_words: usual.min_words.min(tokens),
        min_characters: usual.min_characters.min(tokens),
    }
}
