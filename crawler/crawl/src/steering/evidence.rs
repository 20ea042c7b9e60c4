//! The evidence for and against a rule.

use serde::{Deserialize, Serialize};

use super::traps::{EXACT_RUN, NEAR_RUN};

/// Bound on the examples of a rule.
const MAX_EXAMPLES: usize = 3;

/// Bound on the bytes of an example's two URLs: there may be tens of thousands of rules.
const MAX_EXAMPLE_BYTES: usize = 1_024;

/// Length of a chain of duplicates, each found on the page before, that makes the URLs of a rule a trap: for suspect
/// URLs (with parameters or several numbers), and for others whose pages are exact and near-duplicates.
const SUSPECT_CHAIN: u32 = 3;
const EXACT_CHAIN: u32 = 10;
const NEAR_CHAIN: u32 = 50;

/// Confirmations by near-duplicates after which a parameter that no page contradicts has no effect. A single text differs often by
/// chance, such as the date of a page.
const NEAR_WITHOUT_EFFECT: u32 = 8;

/// Number of paths that show that a parameter has no effect, although none of its values occurred twice, such as a session id in each
/// link.
const MANY_PATHS: u32 = 30;

/// A duplicate of the page that a rule predicted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Confirmation {
    pub is_exact: bool,
    /// The length of the chain of duplicates that ends with the page, each found on the page before.
    pub chain: u64,
    /// Whether the page was found on a page that confirmed the rule.
    pub is_from_within: bool,
    /// Whether no page with its path has confirmed the rule before.
    pub has_new_path: bool,
    /// Whether the same value of the parameter has confirmed the rule in another class.
    pub shares_value: bool,
}

/// Two URLs that the rule takes for one, and whose pages are duplicates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// The URL of the dropped page.
    pub url: String,
    /// The URL of the kept page.
    pub same_as: String,
}

/// The results of a rule's tests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Pages that were duplicates of the page that the rule predicted.
    pub confirmed: u32,
    /// Exact duplicates among them.
    pub exact: u32,
    /// Pages that said something new, although the rule predicted a decided page.
    pub contradicted: u32,
    /// The longest chain of duplicates, each found on the page before.
    pub longest_chain: u32,
    /// The first confirmed pairs.
    pub examples: Vec<Example>,
    /// Confirming pages that were found on a page that confirmed the rule.
    from_within: u32,
    /// Paths of the confirming pages.
    paths: u32,
    /// Whether a value of the parameter confirmed the rule in several classes.
    has_shared_value: bool,
}

impl Evidence {
    pub(super) fn confirm(&mut self, by: &Confirmation, example: impl FnOnce() -> Example) {
        self.confirmed = self.confirmed.saturating_add(1);
        self.exact = self.exact.saturating_add(u32::from(by.is_exact));
        self.longest_chain = self.longest_chain.max(u32::try_from(by.chain).unwrap_or(u32::MAX));
        self.from_within = self.from_within.saturating_add(u32::from(by.is_from_within));
        self.paths = self.paths.saturating_add(u32::from(by.has_new_path));
        self.has_shared_value |= by.shares_value;
        if self.examples.len() < MAX_EXAMPLES {
            let example = example();
            let is_short = example.url.len() + example.same_as.len() <= MAX_EXAMPLE_BYTES;
            self.examples.extend(is_short.then_some(example));
        }
    }

    pub(super) fn contradict(&mut self) {
        self.contradicted = self.contradicted.saturating_add(1);
    }

    /// Whether it was right nine times in ten, often enough, and at several paths if it needs them.
    pub(super) fn holds(&self, min_confirmed: u32, needs_several_paths: bool) -> bool {
        self.confirmed >= min_confirmed
            && u64::from(self.confirmed) >= 9 * u64::from(self.contradicted)
            && (self.paths > 1 || !needs_several_paths)
    }

    /// Whether it was right at least once and never wrong, so that it is worth a test.
    pub(super) fn is_suspicion(&self) -> bool {
        self.confirmed > 0 && self.contradicted == 0
    }

    /// Whether its URLs have no end. Either a chain of duplicates, each found on the page before, is long enough; each
    /// contradiction raises the required length. Or suspect URLs gave very many duplicates, found on each other, and no new page.
    pub(super) fn is_endless(&self, is_suspect: bool) -> bool {
        let (chain, run) = match (is_suspect, self.is_mostly_exact()) {
            (true, true) => (SUSPECT_CHAIN, EXACT_RUN),
            (true, false) => (SUSPECT_CHAIN, NEAR_RUN),
            (false, true) => (EXACT_CHAIN, u32::MAX),
            (false, false) => (NEAR_CHAIN, u32::MAX),
        };
        let is_chain = self.longest_chain >= chain.saturating_mul(self.contradicted.saturating_add(1));
        let is_closed = u64::from(self.from_within) * 10 >= u64::from(self.confirmed) * 9;
        is_chain || self.contradicted == 0 && is_closed && self.confirmed >= run
    }

    /// Whether the rule was never wrong and its parameter occurs on many pages: one value at several pages, or different values at many
    /// pages. A parameter that chooses a part of one page, such as a variant of a product, has values that no other page has.
    pub(super) fn is_without_effect(&self) -> bool {
        self.contradicted == 0
            && (self.has_shared_value || self.paths >= MANY_PATHS)
            && (self.exact == self.confirmed || self.confirmed >= NEAR_WITHOUT_EFFECT)
    }

    fn is_mostly_exact(&self) -> bool {
        u64::from(self.exact) * 10 >= u64::from(self.confirmed) * 9
    }
}
