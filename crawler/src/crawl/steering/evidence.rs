//! What speaks for a rule and against it.

/// Examples kept of a rule.
const MAX_EXAMPLES: usize = 3;

/// Bytes of the two URLs of an example: there may be tens of thousands of rules.
const MAX_EXAMPLE_BYTES: usize = 1_024;

/// Duplicates that were found one on the other, each on the page before, from which on a rule's URLs are a trap: of URLs that
/// are made as those of traps are, and of others.
const SUSPECT_CHAIN: u32 = 3;
const ANY_CHAIN: u32 = 10;

/// Duplicates without a single page that says something new, from which on URLs that are made as those of traps are one.
const ENDLESS: u32 = 100;

/// Two URLs that the rule makes one and whose pages were duplicates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// URL of the dropped page.
    pub url: String,
    /// URL of the kept page.
    pub same_as: String,
}

/// The pages that a rule could be tested by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Pages that were duplicates of the page that the rule says they are.
    pub confirmed: u32,
    /// Of these, with the very same text.
    pub exact: u32,
    /// Pages that said something new although the rule says that they are a page already decided.
    pub contradicted: u32,
    /// The longest chain of duplicates, each found on the one before.
    pub longest_chain: u32,
    /// Confirmed pairs, the first of them.
    pub examples: Vec<Example>,
    /// Path of the first pair, hashed; and whether another path was met since.
    first_path: Option<u64>,
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

    /// Right nine times in ten, and often enough to be believed.
    pub(super) fn holds(&self, min_confirmed: u32, needs_several_paths: bool) -> bool {
        self.confirmed >= min_confirmed
            && u64::from(self.confirmed) >= 9 * u64::from(self.contradicted)
            && (self.several_paths || !needs_several_paths)
    }

    /// Never wrong so far, and worth a test.
    pub(super) fn is_suspicion(&self) -> bool {
        self.confirmed > 0 && self.contradicted == 0
    }

    /// Leading on and on: each duplicate was found on the one before, in a chain that is the longer the more pages of the
    /// class have said something new; or a hundred were found and no page said anything new.
    pub(super) fn is_endless(&self, is_suspect: bool) -> bool {
        let chain = if is_suspect { SUSPECT_CHAIN } else { ANY_CHAIN };
        let is_chain = self.longest_chain >= chain.saturating_mul(self.contradicted.saturating_add(1));
        is_chain || is_suspect && self.contradicted == 0 && self.confirmed >= ENDLESS
    }

    /// Never wrong, at several paths, and always with the very same text.
    pub(super) fn is_without_effect(&self) -> bool {
        self.contradicted == 0 && self.several_paths && self.exact == self.confirmed
    }
}
