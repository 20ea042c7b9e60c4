//! A page with a verdict, and the evidence for the verdict.

use dedup::{Analyzer, Explanation, Fingerprint, Layout, Signature};
use storage::{PageRecord, Verdict};
use url::Url;

use super::answer::{BlockComparison, ComparedPage, Feature, PageAnswer, PageDiff, PageRef, State};
use super::history::Former;
use super::remedy::Remedy;
use super::summary::{dropped_summary, kept_summary};
use super::{Explainer, time};
use crate::archived::ArchivedBody;
use crate::diff::diff;
use crate::in_words::{TextSize, rule_in_words, short_rule_in_words};
use crate::named_page::{NamedPage, text_elsewhere};
use crate::nearest::{KeptPages, Likeness};
use crate::said::Said;
use crate::scheme::{has_scheme_of, scheme_of_texts};
use crawl::exceptions::Exceptions;
use crawl::index::decode_signature;
use error::RunError;
use terminal::commands::command;

/// Lower bound on the similarity at which the answer shows the difference between a kept page and its nearest page.
const MIN_SIMILARITY_OF_DIFF: f32 = 0.3;

/// The explained page as the store has it.
struct StoredPage {
    record: PageRecord,
    signature: Signature,
    text: Option<String>,
}

/// Other pages with which the explained page is compared.
#[derive(Default)]
struct Comparisons {
    /// The page that it duplicates, by its verdict.
    compared_with: Option<ComparedPage>,
    /// The kept page that represents it now.
    kept_page: Option<PageRef>,
    nearest: Vec<ComparedPage>,
    /// If it is kept: the first earlier page that it duplicates by the configured rule.
    duplicate_by_rule: Option<PageRef>,
    /// Whether a label says that the two differ.
    is_exception: bool,
}

impl Comparisons {
    /// The page whose fingerprint and text the answer shows next to the explained page.
    fn shown(&self) -> Option<&ComparedPage> {
        self.compared_with.as_ref().or_else(|| self.nearest.first())
    }
}

/// Says from which of its two forms the text of the page comes.
fn note_rendering(page: &PageRecord, notes: &mut Vec<String>) {
    let Some(rendering) = page.rendering else {
        return;
    };
    let seconds = f64::from(rendering.elapsed_ms) / 1_000.0;
    let requests = rendering.requests;
    notes.push(if rendering.says_more { format!(
        "The text comes from the page after its scripts had run: it took {seconds:.1} s in a browser and {requests} further requests. The archive \
         has the response and, if the page is kept, the rendered page."
    ) } else { format!(
        "A browser also rendered the page ({seconds:.1} s, {requests} further requests) and found no more than the response has, so the text \
         comes from the response."
    ) });
    if page.is_incomplete {
        notes.push(
            "The browser had to give the page up before it was finished, also when it was visited again, so the page may say more. The next \
             refresh visits it."
                .to_owned(),
        );
    }
}

impl Explainer<'_> {
    pub fn page(&self, id: u64) -> Result<(String, State), RunError> {
        let mut notes = Vec::new();
        let record = self.record(id)?;
        let signature = decode_signature(&record.signature)?;
        let is_same_scheme = self.is_same_scheme(&mut notes);
        let comparisons = self.comparisons(id, &record, &signature, is_same_scheme, &mut notes)?;
        let former = self.former(id)?;
        let text = self.text(&record, &mut notes);
        let page = StoredPage {
            record,
            signature,
            text,
        };
        let explanation = match &page.text {
            Some(text) if is_same_scheme => Some(Analyzer::new(&self.settings.scheme).explain(text)),
            _ => None,
        };
        let blocks = if is_same_scheme {
            self.blocks(&page.signature, comparisons.shown())
        } else {
            Vec::new()
        };
        let diff = self.difference(&page, comparisons.shown(), &mut notes)?;
        note_another_rule(&comparisons, &mut notes);
        self.note_extract_rule(&page.record, &mut notes);
        note_rendering(&page.record, &mut notes);
        let summary = summary(&page.record, former.as_ref(), &comparisons);
        let history = self.history(id, &page.record, former.as_ref())?;
        let size = page.text.as_deref().map(TextSize::of);
        let answer = PageAnswer {
            id,
            fetched_at: time(page.record.fetched_at),
            status: page.record.status,
            body_bytes: page.record.body_bytes,
            text_chars: page.record.text_chars,
            tokens: page.signature.tokens,
            words: size.map(|size| size.words),
            characters: size.map(|size| size.characters),
            min_words: self.settings.scheme.min_words,
            via: self.url_of(page.record.via.as_ref())?,
            logged_in: page.record.logged_in,
            metadata: self.said(&page.record, &mut notes),
            verdict: page.record.verdict.kind(),
            is_kept: page.record.is_kept(),
            is_without_body: page.record.is_kept_without_body(),
            crawled_as: former.map(|former| former.verdict.kind()),
            duplicate_by_rule: comparisons.duplicate_by_rule,
            is_exception: comparisons.is_exception,
            remedy: self.remedy(&page.record, comparisons.compared_with.as_ref())?,
            compared_with: comparisons.compared_with,
            kept_page: comparisons.kept_page,
            rule: match page.signature.fingerprint {
                Some(_) => rule_in_words(&self.settings.rule),
                None => short_rule_in_words(&self.settings.rule),
            },
            max_distance: self.settings.rule.max_distance,
            scheme: scheme_of_texts(self.store).to_owned(),
            fingerprint: page.signature.fingerprint.map(|fingerprint| fingerprint.to_string()),
            distinct_features: explanation.as_ref().map_or(0, |explanation| explanation.distinct),
            features: explanation.map_or_else(Vec::new, |explanation| self.features(explanation)),
            blocks,
            nearest: comparisons.nearest,
            history,
            diff,
            notes,
            language: page.record.language,
            title: page.record.title,
            content_type: page.record.content_type,
        };
        Ok((summary, State::Page(Box::new(answer))))
    }

    fn record(&self, id: u64) -> Result<PageRecord, RunError> {
        self.store.page(id)?.ok_or_else(|| RunError::Unread {
            what: "the page of this URL".to_owned(),
            reason: format!(
                "the catalogue does not hold it; find the damage: {}",
                command("verify", &[])
            ),
        })
    }

    /// What the page says about itself. Each page is read for this alone when somebody asks.
    fn said(&self, page: &PageRecord, notes: &mut Vec<String>) -> Option<Said> {
        match ArchivedBody::of(self.store, page) {
            Ok(body) => body?.metadata().map(Said),
            Err(error) => {
                notes.push(format!("The archived page cannot be read: {error}"));
                None
            }
        }
    }

    fn note_extract_rule(&self, page: &PageRecord, notes: &mut Vec<String>) {
        let url = Url::parse(&page.url).ok();
        if let Some(named) = url.and_then(|url| self.settings.extract.of_page(&url)) {
            notes.push(format!(
                "The configuration has a rule for the content of this page ({}). The stored text follows the rule that was in force \
                 when the crawler read the page. The effect of the configured rule: `{}`",
                named.name,
                command("inspect page", &[&page.url])
            ));
        }
    }

    fn is_same_scheme(&self, notes: &mut Vec<String>) -> bool {
        let is_same = has_scheme_of(self.store, self.settings);
        if !is_same {
            notes.push(format!(
                "This answer leaves out features, blocks and nearest pages: the scheme {} made the stored fingerprints, and the \
                 configuration names the scheme {}. Use the configuration of the crawl (--config), or make the fingerprints again: `{}`",
                scheme_of_texts(self.store),
                self.settings.scheme.id(),
                command("rebuild", &[])
            ));
        }
        is_same
    }

    fn comparisons(
        &self,
        id: u64,
        page: &PageRecord,
        signature: &Signature,
        is_same_scheme: bool,
        notes: &mut Vec<String>,
    ) -> Result<Comparisons, RunError> {
        let mut comparisons = Comparisons::default();
        if let Some(of) = page.verdict.of() {
            comparisons.compared_with = self.compared(of, signature, page.verdict)?;
        }
        if !page.is_kept() {
            comparisons.kept_page = self.page_ref(self.store.catalogue().kept_of(id)?)?;
        }
        if is_same_scheme {
            let (nearest, duplicate) = self.nearest(id, signature, notes)?;
            comparisons.nearest = nearest;
            comparisons.duplicate_by_rule = duplicate.filter(|_| page.is_kept());
            if let Some(of) = &comparisons.duplicate_by_rule {
                let exceptions = Exceptions::of_store(self.store)?;
                comparisons.is_exception = exceptions.of(&page.url).contains(&of.url);
            }
        }
        Ok(comparisons)
    }

    /// What keeps the page; `None` for a kept one.
    fn remedy(&self, page: &PageRecord, of: Option<&ComparedPage>) -> Result<Option<Remedy>, RunError> {
        let is_exact = match page.verdict {
            Verdict::Unique => return Ok(None),
            Verdict::Exact { .. } => true,
            Verdict::Near { .. } => false,
        };
        let Some(other) = of else { return Ok(None) };
        let (likeness, rule) = (other.likeness.as_ref(), &self.settings.rule);
        let remedy = Remedy::of(is_exact, likeness, other.numbers_differ, rule);
        Ok(Some(if self.store.run_notes().worker()?.is_some() {
            remedy
        } else {
            let exceptions = Exceptions::of_store(self.store)?;
            let is_labelled = exceptions.of(&page.url).contains(&other.page.url);
            remedy.with_label(&page.url, is_labelled)
        }))
    }

    /// The stored text; a note says why there is none.
    fn text(&self, page: &PageRecord, notes: &mut Vec<String>) -> Option<String> {
        match self.store.text_of(page) {
            Ok(Some(text)) => Some(text),
            Ok(None) => {
                let because = match page.verdict.of() {
                    Some(_) => " (storage.duplicates was \"nothing\", or the text of its kept page could not be read)",
                    None => "",
                };
                notes.push(format!(
                    "The archive does not hold its text{because}, so there are no features and no difference to show."
                ));
                None
            }
            // The verdict does not depend on the text.
            Err(error) => {
                notes.push(format!(
                    "Its text cannot be read, so there are no features and no difference to show: {error}"
                ));
                None
            }
        }
    }

    pub(super) fn page_ref(&self, id: Option<u64>) -> Result<Option<PageRef>, RunError> {
        let Some(id) = id else { return Ok(None) };
        let page = NamedPage::find(self.store, id)?;
        Ok(page.map(|page| PageRef::new(id, page)))
    }

    /// The page with this number, compared with the page that has `signature`. If this folder does not have the signature of the other page,
    /// the `verdict` tells how the two compare.
    fn compared(&self, id: u64, signature: &Signature, verdict: Verdict) -> Result<Option<ComparedPage>, RunError> {
        let Some(page) = NamedPage::find(self.store, id)? else {
            return Ok(None);
        };
        let other = page.signature.as_deref().map(decode_signature).transpose()?;
        Ok(Some(ComparedPage {
            likeness: match &other {
                Some(other) => Likeness::of(signature, other, &self.settings.rule),
                None => Likeness::of_verdict(verdict),
            },
            numbers_differ: other.as_ref().is_some_and(|other| other.numbers != signature.numbers),
            fingerprint: other.and_then(|other| other.fingerprint),
            page: PageRef::new(id, page),
        }))
    }

    /// The nearest kept pages, and the first earlier page that this page duplicates by the configured rule.
    fn nearest(
        &self,
        id: u64,
        signature: &Signature,
        notes: &mut Vec<String>,
    ) -> Result<(Vec<ComparedPage>, Option<PageRef>), RunError> {
        let kept = KeptPages::open(self.store, self.settings)?;
        if kept.is_derived {
            notes.push(
                "The store's index was built for another rule than the configured one. The nearest pages come from an index of all \
                 kept pages that this command built, which takes longer."
                    .to_owned(),
            );
        }
        let mut candidates = kept.nearest(&self.settings.rule, signature, Some(id))?;
        if candidates.is_empty() && KeptPages::may_look_further(self.store, self.settings, signature) {
            let further = KeptPages::further(self.store, self.settings)?;
            candidates = further.nearest(&self.settings.rule, signature, Some(id))?;
            if !candidates.is_empty() {
                notes.push(format!(
                    "The rule in force compares pages up to {} bits apart. The nearest pages are further away, and come from an index of all kept \
                     pages that this command built.",
                    self.settings.rule.max_distance
                ));
            }
        }
        let mut earlier = candidates.iter().filter(|other| other.id < id);
        let duplicate = earlier.find(|other| other.likeness.is_duplicate);
        let duplicate = self.page_ref(duplicate.map(|other| other.id))?;
        let mut nearest = Vec::new();
        for candidate in candidates.into_iter().take(self.options.top) {
            nearest.extend(self.compared(candidate.id, signature, Verdict::Unique)?);
        }
        Ok((nearest, duplicate))
    }

    fn features(&self, explanation: Explanation) -> Vec<Feature> {
        let features = explanation.features.into_iter().take(self.options.top);
        features
            .map(|feature| Feature {
                feature: feature.text,
                count: feature.count,
                weight: feature.weight,
            })
            .collect()
    }

    fn blocks(&self, signature: &Signature, other: Option<&ComparedPage>) -> Vec<BlockComparison> {
        let width = self.settings.scheme.width;
        // The index uses the same layout; the settings were validated against it.
        let layout = Layout::for_distance(width, self.settings.rule.max_distance);
        let fingerprints = signature.fingerprint.zip(other.and_then(|other| other.fingerprint));
        let (Ok(layout), Some((this, other))) = (layout, fingerprints) else {
            return Vec::new();
        };
        let blocks = layout.blocks().enumerate();
        blocks
            .map(|(number, block)| compared_block(number, block, this, other))
            .collect()
    }

    /// The difference from `other`: for a duplicate always, for a kept page if the two are similar.
    fn difference(
        &self,
        page: &StoredPage,
        other: Option<&ComparedPage>,
        notes: &mut Vec<String>,
    ) -> Result<Option<PageDiff>, RunError> {
        let (Some(options), Some(text), Some(other)) = (&self.options.diff, &page.text, other) else {
            return Ok(None);
        };
        let similarity = other.likeness.as_ref().map_or(0.0, |likeness| likeness.similarity);
        if !page.record.verdict.is_duplicate() && similarity < MIN_SIMILARITY_OF_DIFF {
            return Ok(None);
        }
        if let Some(worker) = other.page.worker {
            notes.push(format!(
                "The difference from {} cannot be shown here: {}.",
                other.page.url,
                text_elsewhere(worker)
            ));
            return Ok(None);
        }
        let Some(record) = self.store.page(other.page.number)? else {
            return Ok(None);
        };
        let other_text = self.store.text_of(&record).unwrap_or_else(|error| {
            notes.push(format!(
                "The difference cannot be shown, because the text of {} cannot be read: {error}",
                other.page.url
            ));
            None
        });
        Ok(other_text.map(|other_text| PageDiff {
            from: other.page.url.clone(),
            to: page.record.url.clone(),
            diff: diff(&other_text, text, options),
        }))
    }
}

fn compared_block(number: usize, block: dedup::Block, this: Fingerprint, other: Fingerprint) -> BlockComparison {
    let mask = u128::MAX >> (128 - block.bits);
    let values = (this.bits() >> block.shift & mask, other.bits() >> block.shift & mask);
    let differing = (values.0 ^ values.1).count_ones();
    let digits = block.bits.div_ceil(4) as usize;
    BlockComparison {
        number,
        low_bit: block.shift,
        bits: block.bits,
        this: format!("{:0digits$x}", values.0),
        other: format!("{:0digits$x}", values.1),
        differing,
        radius: block.radius,
        finds: block.radius.is_some_and(|radius| differing <= radius),
        values,
    }
}

fn note_another_rule(comparisons: &Comparisons, notes: &mut Vec<String>) {
    let likeness = comparisons
        .compared_with
        .as_ref()
        .and_then(|other| other.likeness.as_ref());
    if likeness.is_some_and(|likeness| !likeness.is_duplicate) {
        notes.push(
            format!(
            "The two pages are not duplicates under the configured rule: another rule gave this verdict. Decide all pages again: `{}`",
            command("rebuild", &["--redecide"])
        ),
        );
    }
}

fn summary(page: &PageRecord, former: Option<&Former>, comparisons: &Comparisons) -> String {
    match page.verdict {
        Verdict::Unique => kept_summary(
            page,
            former,
            comparisons.duplicate_by_rule.as_ref(),
            comparisons.is_exception,
        ),
        _ => dropped_summary(page, comparisons.compared_with.as_ref(), comparisons.kept_page.as_ref()),
    }
}
