//! Finds repeated URLs in bounded memory.

use std::collections::HashSet;

use xxhash_rust::xxh3::xxh3_128;

/// URLs whose hashes are in memory at the same time: about 70 MB.
const URLS_A_PASS: u64 = 2_000_000;

/// Finds repeated URLs among any number of them. Each pass looks at one share of the hashes.
pub(super) struct Repeated {
    hashes: HashSet<u128>,
    pass: u128,
    passes: u128,
}

impl Repeated {
    /// For about this number of URLs.
    pub fn among(urls: u64) -> Self {
        Self::with_passes(1 + urls / URLS_A_PASS)
    }

    fn with_passes(passes: u64) -> Self {
        Self {
            hashes: HashSet::new(),
            pass: 0,
            passes: u128::from(passes),
        }
    }

    /// Whether the URL belongs to this pass, and the pass has met it before.
    pub fn is_repeated(&mut self, url: &str) -> bool {
        let hash = xxh3_128(url.as_bytes());
        hash % self.passes == self.pass && !self.hashes.insert(hash)
    }

    /// Begins the next pass. Returns whether there is one: then the caller shows all URLs again.
    pub fn next_pass(&mut self) -> bool {
        self.hashes.clear();
        self.pass += 1;
        self.pass < self.passes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_repetition_is_found_once_with_any_number_of_passes() {
        let urls: Vec<String> = (0..100).map(|n| format!("https://h/{}", n % 93)).collect();
        for passes in [1, 2, 7, 200] {
            let (mut seen, mut repeated, mut most) = (Repeated::with_passes(passes), Vec::new(), 0);
            loop {
                repeated.extend(urls.iter().filter(|url| seen.is_repeated(url)));
                most = most.max(seen.hashes.len());
                if !seen.next_pass() {
                    break;
                }
            }
            repeated.sort();
            let mut expected: Vec<&String> = urls[..7].iter().collect();
            expected.sort();
            assert_eq!(repeated, expected);
            assert!(passes == 1 || most < 93, "{passes} passes held {most}");
        }
        assert_eq!(Repeated::among(10_000_000).passes, 6);
    }
}
