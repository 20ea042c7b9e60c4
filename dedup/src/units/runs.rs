//! Finds the starts and ends of words, 64 bytes at a time. One bit per byte says whether the byte belongs to a word; a
//! word starts or ends where neighbouring bits differ. simdjson finds the structure of JSON in the same way (Langdale,
//! Lemire 2019).

/// Calls `take` with the start and end of every run of lower-case letters, digits and non-ASCII bytes, in order.
pub(super) fn each_run(bytes: &[u8], mut take: impl FnMut(usize, usize)) {
    let (blocks, rest) = bytes.as_chunks::<64>();
    // The padding ends the last run.
    let mut last = [b' '; 64];
    last[..rest.len()].copy_from_slice(rest);
    let (mut start, mut inside) = (0, 0);
    for (block, base) in blocks.iter().chain([&last]).zip((0..).step_by(64)) {
        let mask = inside_mask(block);
        let before = mask << 1 | inside;
        let (mut starts, mut ends) = (mask & !before, !mask & before);
        let mut next_start = || {
            let start = base + starts.trailing_zeros() as usize;
            starts &= starts.wrapping_sub(1);
            start
        };
        if inside == 0 {
            start = next_start();
        }
        while ends != 0 {
            take(start, base + ends.trailing_zeros() as usize);
            ends &= ends - 1;
            start = next_start();
        }
        inside = mask >> 63;
    }
}

/// Bit i is set where byte i belongs to a run.
fn inside_mask(block: &[u8; 64]) -> u64 {
    let (words, _) = block.as_chunks::<8>();
    let masks = words.iter().map(|word| inside_mask_of_eight(u64::from_le_bytes(*word)));
    masks.rev().fold(0, |all, mask| all << 8 | mask)
}

fn inside_mask_of_eight(word: u64) -> u64 {
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    let ascii = word & !HIGH;
    // The highest bit of each byte says whether the byte is at least `least`: sums of seven-bit numbers do not carry.
    let at_least = |least: u8| ascii + u64::from_ne_bytes([0x80 - least; 8]);
    let letters = at_least(b'a') & !at_least(b'z' + 1);
    let digits = at_least(b'0') & !at_least(b'9' + 1);
    let inside = (letters | digits | word) & HIGH;
    // Gathers the eight bits in the highest byte.
    (inside >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}
