//! The evidence for and against a rule.

/// Bound on the examples of a rule.
const MAX_EXAMPLES: usize = 3;

/// Bound on the bytes of an example's two URLs: there may be tens of thousands of rules.
const MAX_EXAMPLE_BYTES: usize = 1_024;

/// Length of a chain of duplicates, each found on the page before, that makes the URLs of a rule a trap: for suspect
/// URLs (with parameters or several numbers), and for others.
const SUSPECT_CHAIN: u32 = 3;
const ANY_CHAIN: u32 = 10;

/// Number of duplicates, without a single new page, that makes suspect URLs a trap.
const ENDLESS: u32 = 100;

/// Two URLs that the rule takes for one, and whose pages are duplicates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The URL of the dropped page.
    pub url: String,
    /// The URL of the kept page.
    pub same_as: String,
}

/// The results of a rule's tests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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
    /// The hash of the path of the first pair.
    first_path: Option<u64>,
    /// Whether a later pair had another path.
    several_paths: bool,
}

impl Evidence {
    pub(super) fn confirm(&mut self, path: u64, is_exact: bool, chain: u32, example: impl FnOnce() -> Example) {
        self.confirmed = self.confirmed.saturating_add(1);
        self.exact = self.exact.saturating_add(u32::from(is_exact));
        self.longest_chain = self.longest_chain.max(chain);
        self.several_paths |= *self.first_path.get_or_insert(path) != path;
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
            && (self.several_paths || !needs_several_paths)
    }

    /// Whether it was right at least once and never wrong, so that it is worth a test.
    pub(super) fn is_suspicion(&self) -> bool {
        self.confirmed > 0 && self.contradicted == 0
    }

    /// Whether its URLs have no end. Either a chain of duplicates, each found on the page before, is long enough; each
    /// contradiction raises the required length. Or suspect URLs gave a hundred duplicates and no new page.
    pub(super) fn is_endless(&self, is_suspect: bool) -> bool {
        let chain = if is_suspect { SUSPECT_CHAIN } else { ANY_CHAIN };
        let is_chain = self.longest_chain >= chain.saturating_mul(self.contradicted.saturating_add(1));
        is_chain || is_suspect && self.contradicted == 0 && self.confirmed >= ENDLESS
    }

    /// Whether it was never wrong, at several paths, and always with the very same text.
    pub(super) fn is_without_effect(&self) -> bool {
        self.contradicted == 0 && self.several_paths && self.exact == self.confirmed
    }
}
