//! The slot of a key in a Redis Cluster.

/// Number of slots of a cluster.
pub(crate) const SLOTS: u16 = 16_384;

/// CRC-16/XMODEM of the hash tag, modulo 16,384 (Redis Cluster specification, "Key distribution model").
pub(crate) fn of_tag(tag: &str) -> u16 {
    let mut crc: u16 = 0;
    for byte in tag.bytes() {
        crc ^= u16::from(byte) << 8;
        for _ in 0..8 {
            crc = if crc & 0x8000 == 0 { crc << 1 } else { crc << 1 ^ 0x1021 };
        }
    }
    crc % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slots_are_those_of_the_specification() {
        // CRC-16/XMODEM of "123456789" is 0x31C3; the others are answers of CLUSTER KEYSLOT.
        assert_eq!(of_tag("123456789"), 0x31C3 % SLOTS);
        assert_eq!(of_tag("user1000"), 3_443);
        assert_eq!(of_tag("foo"), 12_182);
    }
}
