//! One text compared with the stored texts of candidates.

use std::cmp::{Ordering, Reverse};
use std::collections::HashSet;
use std::ops::Range;

use dedup::SHINGLE_UNITS;
use dedup::segment::tokens;
use dedup::short::jaccard;
use dedup::{Analyzer, DuplicateRule, Signature};
use storage::Store;

use super::IN_PART;
use super::answer::{NearPage, SharedPassage};
use super::thorough::{self, Thorough};
use crate::named_page::{NamedPage, sequence_of, text_elsewhere};
use crate::nearest::Candidate;
use crate::passages::{self, Common};
use error::RunError;

/// Lower bound on the candidates whose texts are compared: the page that contains the text may not be the most similar as a whole.
const MIN_COMPARED: usize = 12;

/// Upper bound on the passages of a page in the answer.
const MAX_PASSAGES: usize = 20;

/// Upper bound on the characters of a passage in the answer.
const MAX_PASSAGE_CHARS: usize = 1_000;

/// The first byte of each token of the text that is in a shared passage.
type Starts = HashSet<usize>;

/// Whether the text has a run of as many units as a shingle; a shorter text is compared as a whole, by its digest.
pub(super) fn has_runs(signature: &Signature) -> bool {
    signature.tokens as usize >= SHINGLE_UNITS
}

/// A text, and the store with whose pages it is compared.
pub(super) struct TextComparison<'a> {
    store: &'a Store,
    analyzer: Analyzer,
    text: &'a str,
    /// Of the text.
    shingles: Vec<u64>,
}

impl<'a> TextComparison<'a> {
    pub fn new(store: &'a Store, analyzer: Analyzer, text: &'a str) -> Self {
        Self {
            store,
            shingles: analyzer.shingles(text),
            analyzer,
            text,
        }
    }

    /// Compares the text with the texts of all kept pages.
    pub fn with_all_texts(
        &self,
        signature: &Signature,
        rule: &DuplicateRule,
        top: usize,
        step: impl Fn(u64),
    ) -> Result<Thorough, RunError> {
        let runs = if has_runs(signature) {
            self.shingles.as_slice()
        } else {
            &[]
        };
        let most = MIN_COMPARED.max(top);
        thorough::compare(self.store, rule, &self.analyzer, (signature, runs), most, step)
    }

    /// The `top` of all candidates: first duplicates, then the pages that contain a large part of the text, then the others, each
    /// in the given order. With the share of the text that is in any of these pages.
    pub fn nearest(
        &self,
        candidates: Vec<Candidate>,
        sharing: Vec<Candidate>,
        alike: Vec<Candidate>,
        top: usize,
    ) -> Result<(Vec<NearPage>, f64), RunError> {
        let compared = MIN_COMPARED.max(top);
        let all = [(candidates, compared), (sharing, compared), (alike, top)];
        let mut known = HashSet::new();
        let mut found = Vec::new();
        for candidate in all.into_iter().flat_map(|(list, most)| list.into_iter().take(most)) {
            if known.insert(candidate.id) {
                found.extend(self.near(candidate)?);
            }
        }
        found.sort_by(|(a, _), (b, _)| rank(a).partial_cmp(&rank(b)).unwrap_or(Ordering::Equal));
        found.truncate(top);
        let (nearest, starts): (Vec<NearPage>, Vec<Starts>) = found.into_iter().unzip();
        let starts: Starts = starts.into_iter().flatten().collect();
        let all_tokens = tokens(self.text).count();
        Ok((nearest, starts.len() as f64 / all_tokens.max(1) as f64))
    }

    /// A candidate with the passages that its stored text shares with this text; `None` if the catalogue does not hold it.
    fn near(&self, candidate: Candidate) -> Result<Option<(NearPage, Starts)>, RunError> {
        let Some(page) = NamedPage::find(self.store, candidate.id)? else {
            return Ok(None);
        };
        let (text, unreadable) = match page.worker {
            Some(worker) => (None, Some(text_elsewhere(worker))),
            None => self.text_of(candidate.id)?,
        };
        let mut near = NearPage {
            id: sequence_of(candidate.id),
            url: page.url,
            title: page.title,
            worker: page.worker,
            likeness: candidate.likeness,
            jaccard: None,
            covered: None,
            covered_of_page: None,
            passages: Vec::new(),
            passages_left_out: 0,
            is_cut: false,
            unreadable,
        };
        let starts = match text {
            Some(text) => self.compare(&mut near, &text),
            None => Starts::new(),
        };
        Ok(Some((near, starts)))
    }

    /// The stored text of a page, or why it cannot be read. The catalogue suffices for the verdict, so a damaged WARC record only goes into
    /// the answer.
    fn text_of(&self, page: u64) -> Result<(Option<String>, Option<String>), RunError> {
        let Some(page) = self.store.page(page)? else {
            return Ok((None, None));
        };
        Ok(match self.store.text_of(&page) {
            Ok(text) => (text, None),
            Err(error) => (None, Some(error.to_string())),
        })
    }

    fn compare(&self, near: &mut NearPage, other: &str) -> Starts {
        let common = passages::common(self.text, other, &passage_options(self.text));
        let starts = covered_starts(self.text, &common);
        near.jaccard = Some(jaccard(&self.shingles, &self.analyzer.shingles(other)));
        near.is_cut = common.is_cut;
        near.covered = Some(common.left_share());
        near.covered_of_page = Some(common.right_share());
        let mut found = common.passages;
        found.sort_by_key(|passage| (Reverse(passage.tokens), passage.left.start));
        near.passages_left_out = found.len().saturating_sub(MAX_PASSAGES);
        found.truncate(MAX_PASSAGES);
        near.passages = found.into_iter().map(|passage| self.shared(passage)).collect();
        starts
    }

    fn shared(&self, passage: passages::Passage) -> SharedPassage {
        SharedPassage {
            tokens: passage.tokens,
            text: self.text[passage.left.clone()]
                .chars()
                .take(MAX_PASSAGE_CHARS)
                .collect(),
            start: passage.left.start,
            end: passage.left.end,
            page_start: passage.right.start,
            page_end: passage.right.end,
        }
    }
}

fn covered_starts(text: &str, common: &Common) -> Starts {
    let passages = common.passages.iter().map(|passage| passage.left.clone());
    let starts = |place: Range<usize>| {
        let tokens = tokens(&text[place.clone()]);
        tokens.map(move |token| place.start + token.start)
    };
    passages.flat_map(starts).collect()
}

/// The order of the answer's pages, least first.
fn rank(near: &NearPage) -> (u8, f64) {
    match near.covered {
        _ if near.likeness.is_duplicate => (0, 0.0),
        Some(covered) if covered >= IN_PART => (1, -covered),
        _ => (2, 0.0),
    }
}

/// A text with fewer words than a passage is one passage as a whole.
fn passage_options(text: &str) -> passages::Options {
    let usual = passages::Options::default();
    let length = tokens(text).take(usual.min_characters).count().max(1);
    passages::Options {
        min_words: usual.min_words.min(length),
        min_characters: usual.min_characters.min(length),
    }
}
