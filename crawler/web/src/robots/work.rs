//! The work that one decision about a URL may cost.

/// Work for one URL, in bytes of the path that are searched. A file of 500 KiB can name patterns that need a hundred times as much. An
/// ordinary file needs less than a hundredth: a path of 60 bytes can be tried against 1,000 patterns whose parts all occur in it.
pub(super) const MAX_WORK: usize = 1 << 18;

/// Work of the search for one literal, besides the searched bytes: its start takes about as long as 128 bytes.
pub(super) const SEARCH_WORK: usize = 128;

/// Work of one pattern that is tried, besides its searches.
pub(super) const TRY_WORK: usize = 32;

/// The work that is left.
#[derive(Debug)]
pub(super) struct Work(usize);

impl Work {
    /// The work for one URL.
    pub fn for_one_url() -> Self {
        Self(MAX_WORK)
    }

    /// Work for a test of the matcher alone.
    #[cfg(test)]
    pub fn without_end() -> Self {
        Self(usize::MAX)
    }

    #[cfg(test)]
    pub fn left(&self) -> usize {
        self.0
    }

    /// Takes `bytes` from the remaining work. If less remains, returns `None`, and no work remains.
    pub fn spend(&mut self, bytes: usize) -> Option<()> {
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or(0);
        left.map(|_| ())
    }
}
