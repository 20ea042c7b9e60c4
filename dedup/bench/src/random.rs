//! Pseudo-random numbers, the same in every run: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).

/// A generator; its seed determines the sequence.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which must not be 0. The bias is below 2⁻³² for bounds up to 2³².
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// A number from 0 to 1, 1 excluded.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// One of `items`, uniformly.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// A rank below `ranks`; rank r has a probability of about 1 / (r + 1) (Zipf).
    pub fn zipf(&mut self, ranks: usize) -> usize {
        let rank = ((ranks as f64 + 1.0).powf(self.unit()) - 1.0) as usize;
        rank.min(ranks - 1)
    }

    /// Puts `items` into random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// `count` different items, or all if there are fewer, in random order.
    pub fn sample<T: Clone>(&mut self, items: &[T], count: usize) -> Vec<T> {
        let mut items = items.to_vec();
        self.shuffle(&mut items);
        items.truncate(count);
        items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_the_published_ones() {
        let mut random = Random::new(1_234_567);
        assert_eq!(random.bits(), 6_457_827_717_110_365_317);
        assert_eq!(random.bits(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn every_rank_of_zipf_occurs_and_the_first_most_often() {
        let mut random = Random::new(1);
        let mut counts = [0; 10];
        (0..10_000).for_each(|_| counts[random.zipf(10)] += 1);
        assert!(counts.iter().all(|&count| count > 0));
        assert!(counts.windows(2).all(|pair| pair[0] > pair[1]), "{counts:?}");
    }

    #[test]
    fn a_sample_has_no_item_twice() {
        let items: Vec<u32> = (0..50).collect();
        let mut sample = Random::new(2).sample(&items, 20);
        sample.sort_unstable();
        sample.dedup();
        assert_eq!(sample.len(), 20);
    }
}
