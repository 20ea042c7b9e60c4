//! The sample of held-back URLs that the crawl fetches, to test the prediction.

/// Distance between the square roots of the sampled numbers.
const STRIDE: u64 = 3;

/// Number of URLs held back so far. Neither a replay nor a checkpoint restores it, so the crawl takes some more samples after a restart.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Sample {
    held_back: u64,
}

impl Sample {
    /// Counts a URL. Returns `true` for a URL of the sample: the 9th, 36th, 81st, …, which is √n/3 of n.
    pub fn takes_next(&mut self) -> bool {
        self.held_back += 1;
        let root = self.held_back.isqrt();
        root * root == self.held_back && root.is_multiple_of(STRIDE)
    }
}
