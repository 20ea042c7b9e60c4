//! The verdicts that another program has given on the pages of a merge: `near_duplicates.spark.deduplicate`, in one pass over the pages of
//! all workers.
//!
//! ```text
//! row: URL, verdict, URL of the kept page ─▶ page of the merge ─▶ its new verdict
//!                                                                     │ all rows
//!                                                                     ▼
//!                                   every page with a text has one, and names a kept page?
//! ```
//!
//! The other program sees the texts of all pages, also of those that a worker has dropped. A page that a worker dropped as a near-duplicate of an
//! own page may be no duplicate when that page turns out to be one itself, so nothing but a pass over all texts has the verdicts of one process.
//! Pages whose texts the archive does not hold keep their verdicts, as in [`redecide`](crate::redecide).
//!
//! A page is found by its URL in the state, so the memory is a bit a page, however many rows there are.

use storage::{ChangedVerdicts, Fate, PageRecord, Rebuild, Redecided, Redecision, UrlState, Verdict};
use url::Url;
use web::host_key::HostKey;

use error::RunError;

/// The verdict on a page, as it was given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Given<'a> {
    /// The URL of the page.
    pub url: &'a str,
    /// `kept`, `exact` or `near`.
    pub verdict: &'a str,
    /// The URL of the kept page that it repeats.
    pub of: Option<&'a str>,
    /// Hamming distance of the two fingerprints.
    pub distance: Option<u32>,
    /// Similarity of the two texts, 0 to 1.
    pub similarity: Option<f32>,
}

/// Gives the pages of a merge their verdicts.
#[derive(Debug)]
pub struct GivenVerdicts<'a> {
    rebuild: &'a mut Rebuild,
    /// Where the verdicts come from, for messages.
    source: String,
    /// A bit for each page by its number: whether it has its verdict.
    decided: Vec<u64>,
    redecided: Redecided,
}

impl<'a> GivenVerdicts<'a> {
    /// Begins to give verdicts from `source`. The pages keep their signatures.
    ///
    /// # Errors
    /// The state cannot be written.
    pub fn begin(rebuild: &'a mut Rebuild, source: String) -> Result<Self, RunError> {
        let scheme = rebuild.store().scheme().to_owned();
        let schemes = rebuild.decided_schemes().schemes();
        let redecided = Redecided {
            at: crawl::clock::unix_millis(std::time::SystemTime::now()),
            schemes_before: schemes.into_iter().map(str::to_owned).collect(),
            scheme: scheme.clone(),
            // Not that of the configuration: nobody knows by which one they were made.
            rule: format!("the verdicts of {source}"),
            ..Redecided::default()
        };
        rebuild.begin_redeciding(&scheme)?;
        Ok(Self {
            rebuild,
            source,
            decided: Vec::new(),
            redecided,
        })
    }

    /// Gives a page its verdict.
    ///
    /// # Errors
    /// The verdict is none, or names no page of the merge, or the page has one already; the state cannot be read or written.
    pub fn give(&mut self, given: Given<'_>) -> Result<(), RunError> {
        let (page, record) = self.page_at(given.url, given.url)?;
        if self.is_decided(page) {
            return Err(self.unusable(format!(
                "{} has two verdicts: give the folder of one run of Spark alone",
                given.url
            )));
        }
        let of = match given.of {
            Some(of) => Some(self.page_at(of, given.url)?.0),
            None => None,
        };
        let verdict = match (given.verdict, of) {
            // `crawler dedup` says unique.
            ("kept" | "unique", _) => Verdict::Unique,
            ("exact", Some(of)) => Verdict::Exact { of },
            ("near", Some(of)) => Verdict::Near {
                of,
                distance: given.distance,
                similarity: given.similarity.unwrap_or_default(),
            },
            ("exact" | "near", None) => {
                return Err(self.unusable(format!(
                    "{} is a duplicate, and its column `of` names no page: give the verdicts with the columns `verdict` and `of`",
                    given.url
                )));
            }
            (other, _) => {
                return Err(self.unusable(format!(
                    "{} has the verdict {other:?}: a verdict is kept (or unique), exact or near",
                    given.url
                )));
            }
        };
        let again = Redecision {
            verdict,
            signature: record.signature,
            replaces: None,
        };
        self.rebuild.redecide(page, again)?;
        let word = (page / 64) as usize;
        if self.decided.len() <= word {
            self.decided.resize(word + 1, 0);
        }
        self.decided[word] |= 1 << (page % 64);
        Ok(())
    }

    /// Ends. Returns how the verdicts differ from those of the crawl, and from those before.
    ///
    /// # Errors
    /// A page with a text has no verdict, or a page is a duplicate of one that is none that is kept; the state cannot be read or written.
    pub fn end(mut self) -> Result<(Redecided, ChangedVerdicts), RunError> {
        let mut without_verdict: Option<(String, u64)> = None;
        for row in self.rebuild.store().pages_from(0) {
            let (page, committed) = row?;
            // The verdicts are staged.
            let Some(record) = self
                .rebuild
                .store()
                .latest_page(page)?
                .filter(|_| committed.fate == Fate::Current)
            else {
                continue;
            };
            if self.is_decided(page) {
                self.check_kept(&record)?;
                continue;
            }
            match self.rebuild.store().text_of(&record)? {
                Some(text) if !text.trim().is_empty() => {
                    without_verdict.get_or_insert((record.url, 0)).1 += 1;
                }
                // A page without a text is nobody's duplicate.
                Some(_) => {
                    let again = Redecision {
                        verdict: Verdict::Unique,
                        signature: record.signature,
                        replaces: None,
                    };
                    self.rebuild.redecide(page, again)?;
                }
                None => self.redecided.without_text += 1,
            }
        }
        if let Some((url, pages)) = without_verdict {
            return Err(self.unusable(format!(
                "{url} has a text and no verdict, and there are {pages} such pages: export the merge of the same folders with \
                 --include-duplicates, and decide all of its pages"
            )));
        }
        let changed = self.rebuild.end_redeciding(&mut self.redecided)?;
        Ok((self.redecided, changed))
    }

    /// The page of a URL, for the row about the page at `on`.
    fn page_at(&self, url: &str, on: &str) -> Result<(u64, PageRecord), RunError> {
        let store = self.rebuild.store();
        let host = Url::parse(url).ok().as_ref().and_then(HostKey::from_url);
        if let Some(host) = host
            && let Some(UrlState::Page(page)) = store.latest_state(host.as_str(), url)?
            && let Some(record) = store.latest_page(page)?
        {
            return Ok((page, record));
        }
        let row = if url == on {
            String::new()
        } else {
            format!(" in the row of {on}")
        };
        Err(self.unusable(format!(
            "{url:?}{row} is no page of this merge: the verdicts name pages by the URLs that crawler export gives, in the column url or id; \
             export the merge of the same folders again, and decide its pages"
        )))
    }

    /// The page that a duplicate names is kept.
    fn check_kept(&self, record: &PageRecord) -> Result<(), RunError> {
        let Some(of) = record.verdict.of() else { return Ok(()) };
        let named = self.rebuild.store().latest_page(of)?;
        if named.as_ref().is_some_and(PageRecord::is_kept) {
            return Ok(());
        }
        let named = named.map_or_else(|| of.to_string(), |named| named.url);
        Err(self.unusable(format!(
            "{} is a duplicate of {named}, which is not kept itself: give all verdicts of one run of Spark",
            record.url
        )))
    }

    fn is_decided(&self, page: u64) -> bool {
        let word = self.decided.get((page / 64) as usize);
        word.is_some_and(|word| word >> (page % 64) & 1 == 1)
    }

    fn unusable(&self, reason: String) -> RunError {
        RunError::Unread {
            what: format!("the verdicts of {}", self.source),
            reason,
        }
    }
}
