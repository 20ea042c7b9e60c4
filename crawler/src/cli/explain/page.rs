//! A page with a verdict.

use dedup::{Analyzer, Explanation, Fingerprint, Layout, Signature};
use storage::{Fate, PageRecord, Redecided, Verdict};

use super::answer::{Block, Decided, Difference, Event, Feature, Link, Other, Page, State};
use super::{Explainer, time};
use crate::cli::in_words::{counted, rule_in_words, short_rule_in_words};
use crate::crawl::index::decode_signature;
use crate::error::RunError;
use crate::study::diff::diff;
use crate::study::nearest::{KeptPages, Likeness, has_scheme_of, scheme_of_texts};

/// Versions of a page that are listed.
const MAX_VERSIONS: usize = 20;

/// Similarity from which it is of interest what a kept page differs in from the nearest other.
const MIN_SIMILARITY_OF_DIFF: f32 = 0.3;

impl Explainer {
    pub(super) fn page(&self, id: u64) -> Result<(String, State), RunError> {
        let Some(page) = self.store.page(id)? else {
            let what = "the page that a URL names".to_owned();
            return Err(RunError::Unread {
                what,
                reason: "it is not in the catalogue; crawler verify says more".to_owned(),
            });
        };
        let signature = decode_signature(&page.signature)?;
        let mut notes = Vec::new();
        let is_same_scheme = has_scheme_of(&self.store, &self.settings);
        if !is_same_scheme {
            notes.push(format!(
                "Features, blocks and nearest pages are left out: the fingerprints were made by the scheme {}, the configuration \
                 says {}. Use the configuration of the crawl (--config), or let crawler rebuild make them anew.",
                scheme_of_texts(&self.store),
                self.settings.scheme.id()
            ));
        }
        let compared_with = match page.verdict.of() {
            Some(of) => self
                .store
                .page(of)?
                .map(|other| self.other(of, other, &signature))
                .transpose()?,
            None => None,
        };
        let kept_page = match page.is_kept() {
            true => None,
            false => self.link(self.store.kept_of(id)?)?,
        };
        let (nearest, duplicate_by_rule) = match is_same_scheme {
            true => self.nearest(id, &signature, &mut notes)?,
            false => (Vec::new(), None),
        };
        let duplicate_by_rule = duplicate_by_rule.filter(|_| page.is_kept());
        let former = self.former(id)?;
        let text = match self.store.text_of(&page) {
            Ok(Some(text)) => Some(text),
            Ok(None) => {
                notes.push(
                    "Its text is not in the archive: it was dropped by a version that did not keep the texts of duplicates. There \
                     are no features and no difference to show."
                        .to_owned(),
                );
                None
            }
            // The verdict stands without it.
            Err(error) => {
                notes.push(format!(
                    "Its text cannot be read, so there are no features and no difference to show: {error}"
                ));
                None
            }
        };
        let explanation = match &text {
            Some(text) if is_same_scheme => Some(Analyzer::new(&self.settings.scheme).explain(text)),
            _ => None,
        };
        let beside = compared_with.as_ref().or_else(|| nearest.first());
        let blocks = match (
            is_same_scheme,
            signature.fingerprint,
            beside.and_then(|other| other.fingerprint),
        ) {
            (true, Some(this), Some(other)) => self.blocks(this, other),
            _ => Vec::new(),
        };
        let difference = self.difference(&page, text.as_deref(), beside, &mut notes)?;
        if let Some(other) = &compared_with
            && other.likeness.as_ref().is_some_and(|likeness| !likeness.is_duplicate)
        {
            notes.push(
                "By the rule of the configuration the two are no duplicates: it was another when this was decided. crawler rebuild \
                 --redecide decides all pages anew."
                    .to_owned(),
            );
        }
        let summary = match page.verdict {
            Verdict::Unique => kept_summary(&page, former.as_ref(), duplicate_by_rule.as_ref()),
            _ => dropped_summary(&page, compared_with.as_ref(), kept_page.as_ref()),
        };
        let answer = Page {
            id,
            fetched_at: time(page.fetched_at),
            status: page.status,
            language: page.language.clone(),
            body_bytes: page.body_bytes,
            text_chars: page.text_chars,
            tokens: signature.tokens,
            via: self.url_of(page.via.as_ref())?,
            verdict: Decided::of(page.verdict),
            is_kept: page.is_kept(),
            is_without_body: page.is_kept_without_body(),
            history: self.history(id, &page, former.as_ref())?,
            crawled_as: former.map(|former| Decided::of(former.verdict)),
            duplicate_by_rule,
            compared_with,
            kept_page,
            rule: match signature.fingerprint {
                Some(_) => rule_in_words(&self.settings.rule),
                None => short_rule_in_words(&self.settings.rule),
            },
            scheme: scheme_of_texts(&self.store).to_owned(),
            fingerprint: signature.fingerprint.map(|fingerprint| fingerprint.to_string()),
            distinct_features: explanation.as_ref().map_or(0, |explanation| explanation.distinct),
            features: explanation.map_or_else(Vec::new, |explanation| self.features(explanation)),
            blocks,
            nearest,
            diff: difference,
            notes,
            title: page.title,
            content_type: page.content_type,
        };
        Ok((summary, State::Page(Box::new(answer))))
    }

    fn link(&self, id: Option<u64>) -> Result<Option<Link>, RunError> {
        let Some(id) = id else { return Ok(None) };
        Ok(self.store.page(id)?.map(|page| Link {
            id,
            url: page.url,
            title: page.title,
        }))
    }

    /// A page beside the one with `signature`.
    fn other(&self, id: u64, page: PageRecord, signature: &Signature) -> Result<Other, RunError> {
        let other = decode_signature(&page.signature)?;
        Ok(Other {
            link: Link {
                id,
                url: page.url,
                title: page.title,
            },
            likeness: Likeness::of(signature, &other, &self.settings.rule),
            fingerprint: other.fingerprint,
        })
    }

    /// What a page was when it was crawled, where all pages were decided anew since and it came out otherwise.
    fn former(&self, id: u64) -> Result<Option<Former>, RunError> {
        let Some(redecided) = self.store.redecided()? else {
            return Ok(None);
        };
        for row in self.store.redecisions() {
            let (page, verdict) = row?;
            if page >= id {
                let of = self.link(verdict.of())?;
                let former = Former { verdict, of, redecided };
                return Ok((page == id).then_some(former));
            }
        }
        Ok(None)
    }

    /// The kept pages that are most like it, and the first of those kept before it of which the rule in force makes it a
    /// duplicate.
    fn nearest(
        &self,
        id: u64,
        signature: &Signature,
        notes: &mut Vec<String>,
    ) -> Result<(Vec<Other>, Option<Link>), RunError> {
        let kept = KeptPages::open(&self.store, &self.settings)?;
        if kept.is_derived {
            notes.push(
                "The rule of the configuration is not that of the store's index: the nearest pages come from an index made of all \
                 kept pages, which takes longer."
                    .to_owned(),
            );
        }
        let candidates = kept.nearest(&self.settings.rule, signature, Some(id))?;
        let mut earlier = candidates.iter().filter(|other| other.id < id);
        let duplicate = earlier.find(|other| other.likeness.is_duplicate);
        let duplicate = self.link(duplicate.map(|other| other.id))?;
        let mut nearest = Vec::new();
        for candidate in candidates.into_iter().take(self.top) {
            if let Some(page) = self.store.page(candidate.id)? {
                nearest.push(self.other(candidate.id, page, signature)?);
            }
        }
        Ok((nearest, duplicate))
    }

    fn features(&self, explanation: Explanation) -> Vec<Feature> {
        let features = explanation.features.into_iter().take(self.top);
        features
            .map(|feature| Feature {
                feature: feature.text,
                count: feature.count,
                weight: feature.weight,
            })
            .collect()
    }

    fn blocks(&self, this: Fingerprint, other: Fingerprint) -> Vec<Block> {
        let width = self.settings.scheme.width;
        // What the index is laid out by; the rule was validated against it.
        let Ok(layout) = Layout::for_distance(width, self.settings.rule.max_distance) else {
            return Vec::new();
        };
        let block = |(number, block): (usize, dedup::Block)| {
            let mask = u128::MAX >> (128 - block.bits);
            let values = (this.bits() >> block.shift & mask, other.bits() >> block.shift & mask);
            let differing = (values.0 ^ values.1).count_ones();
            let digits = block.bits.div_ceil(4) as usize;
            Block {
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
        };
        layout.blocks().enumerate().map(block).collect()
    }

    /// What differs from the page that it was compared with, or from the nearest if that is much like it.
    fn difference(
        &self,
        page: &PageRecord,
        text: Option<&str>,
        beside: Option<&Other>,
        notes: &mut Vec<String>,
    ) -> Result<Option<Difference>, RunError> {
        let (Some(options), Some(text), Some(beside)) = (&self.diff, text, beside) else {
            return Ok(None);
        };
        let similarity = beside.likeness.as_ref().map_or(0.0, |likeness| likeness.similarity);
        if page.verdict == Verdict::Unique && similarity < MIN_SIMILARITY_OF_DIFF {
            return Ok(None);
        }
        let Some(other) = self.store.page(beside.link.id)? else {
            return Ok(None);
        };
        let other = self.store.text_of(&other).unwrap_or_else(|error| {
            notes.push(format!(
                "What differs cannot be shown, as the text of {} cannot be read: {error}",
                beside.link.url
            ));
            None
        });
        Ok(other.map(|other| Difference {
            from: beside.link.url.clone(),
            to: page.url.clone(),
            diff: diff(&other, text, options),
        }))
    }

    /// The versions of its URL, what took its place, how often it was looked at; the latest last.
    fn history(&self, id: u64, page: &PageRecord, former: Option<&Former>) -> Result<Vec<Event>, RunError> {
        let mut versions = Vec::new();
        let mut before = page.previous;
        while let Some((id, version)) = match before.filter(|_| versions.len() < MAX_VERSIONS) {
            Some(id) => self.store.page(id)?.map(|page| (id, page)),
            None => None,
        } {
            let what = match version.verdict {
                Verdict::Unique => "an earlier version was kept",
                Verdict::Exact { .. } => "an earlier version was an exact duplicate",
                Verdict::Near { .. } => "an earlier version was a near-duplicate",
            };
            versions.push(Event {
                at: time(version.fetched_at),
                what: format!("{what} (page {id}, {})", title_of(&version)),
                url: None,
            });
            before = version.previous;
        }
        versions.reverse();
        let mut history = versions;
        let mut event = |at: Option<String>, what: &str, url: Option<String>| {
            history.push(Event {
                at,
                what: what.to_owned(),
                url,
            });
        };
        match former {
            None => event(time(page.fetched_at), "fetched and decided", None),
            Some(former) => {
                let what = match former.verdict {
                    Verdict::Unique => "fetched, and kept",
                    Verdict::Exact { .. } => "fetched, and dropped as an exact duplicate",
                    Verdict::Near { .. } => "fetched, and dropped as a near-duplicate",
                };
                event(time(page.fetched_at), what, former.of.as_ref().map(|of| of.url.clone()));
                let what = match page.verdict {
                    Verdict::Unique => "kept, when all pages were decided anew",
                    _ => "dropped by another comparison, when all pages were decided anew",
                };
                event(time(former.redecided.at), what, None);
            }
        }
        if let Some(replaced) = self.link(page.replaces)? {
            let what = "it took the place of the page that names it as its canonical URL";
            event(None, what, Some(replaced.url));
        }
        if let Some(of) = page.verdict.of().filter(|of| *of > id) {
            let what = "it was kept until its canonical page was fetched";
            event(None, what, self.link(Some(of))?.map(|link| link.url));
        } else if let Some(of) = page.verdict.of()
            && let Some(now) = self.store.representative_of(id)?.filter(|now| *now != of)
        {
            let what = "the page that it is a duplicate of has since given its place to its canonical page";
            event(None, what, self.link(Some(now))?.map(|link| link.url));
        }
        match page.fate {
            Fate::Current => {}
            Fate::Superseded { by } => {
                let what = "a later fetch of its URL brought another page";
                event(None, what, self.link(Some(by))?.map(|link| link.url));
            }
            Fate::Moved => event(
                None,
                "a later fetch was sent elsewhere for good, or found nothing to store",
                None,
            ),
            Fate::Gone { at } => event(time(at), "gone: its URL answered twice running without a page", None),
        }
        if let Some(visits) = self.store.visits(id)? {
            if visits.count > 0 {
                let what = format!(
                    "looked at again {} times, changed {} times",
                    visits.count, visits.changes
                );
                event(time(visits.last_at), &what, None);
            }
            if visits.is_waiting {
                event(None, "waits to be looked at again", None);
            }
        }
        Ok(history)
    }
}

fn title_of(page: &PageRecord) -> String {
    match page.title.as_str() {
        "" => "no title".to_owned(),
        title => format!("“{title}”"),
    }
}

/// What a page was before all pages were decided anew.
struct Former {
    verdict: Verdict,
    /// The page that it was a duplicate of.
    of: Option<Link>,
    redecided: Redecided,
}

fn kept_summary(page: &PageRecord, former: Option<&Former>, duplicate_by_rule: Option<&Link>) -> String {
    let mut summary = match duplicate_by_rule {
        _ if page.is_kept_without_body() => {
            let was = match former.map(|former| (former.verdict, &former.of)) {
                Some((Verdict::Exact { .. }, Some(of))) => format!(" as an exact duplicate of {}", of.url),
                Some((Verdict::Near { .. }, Some(of))) => format!(" as a near-duplicate of {}", of.url),
                _ => String::new(),
            };
            let since = former.map_or_else(String::new, |former| {
                let at = time(former.redecided.at).map_or_else(String::new, |at| format!(" at {at}"));
                format!("{at} ({})", former.redecided.rule)
            });
            format!(
                "Kept, by its text alone: when it was crawled it was dropped{was}; it is kept since all pages were decided \
                 anew{since}. Its body was not archived and is still to be fetched, which the next crawler run does."
            )
        }
        None => "Kept: no page that was kept before it says the same.".to_owned(),
        Some(_) => "Kept by the rule in force when it was decided.".to_owned(),
    };
    if let Some(of) = duplicate_by_rule {
        summary.push_str(&format!(
            " By the rule of the configuration it would be a duplicate of {}; crawler rebuild --redecide decides all pages anew.",
            of.url
        ));
    }
    summary + since(page)
}

/// What has become of it.
fn since(page: &PageRecord) -> &'static str {
    match page.fate {
        Fate::Current => "",
        Fate::Superseded { .. } => " A later fetch brought another page.",
        Fate::Moved => " It has moved since.",
        Fate::Gone { .. } => " It is gone since.",
    }
}

fn dropped_summary(page: &PageRecord, compared_with: Option<&Other>, kept: Option<&Link>) -> String {
    let of = compared_with.map_or_else(
        || page.verdict.of().map_or_else(String::new, |of| format!("page {of}")),
        |other| other.link.url.clone(),
    );
    let verdict = match page.verdict {
        Verdict::Unique | Verdict::Exact { .. } => format!("Dropped: its text is the very same as that of {of}."),
        Verdict::Near {
            distance: None,
            similarity,
            ..
        } => format!(
            "Dropped: its text, too short for a fingerprint, has a similarity of {similarity:.2} with that of {of}."
        ),
        Verdict::Near {
            distance: Some(distance),
            similarity,
            ..
        } => {
            let bits = counted(distance as usize, "bit");
            format!(
                "Dropped: its text is nearly that of {of}; their fingerprints differ in {bits}, their similarity is {similarity:.2}."
            )
        }
    };
    let now = match kept.filter(|kept| kept.url != of && kept.url != page.url) {
        Some(kept) => format!(" What it says is now said by {}.", kept.url),
        None => String::new(),
    };
    format!("{verdict}{}{now}", since(page))
}
