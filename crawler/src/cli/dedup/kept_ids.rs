//! The ids of the kept documents, which verdicts name.

/// The ids in one piece of memory. An id costs its bytes and eight more.
#[derive(Debug, Default)]
pub(super) struct KeptIds {
    bytes: Vec<u8>,
    /// End of each id in `bytes`.
    ends: Vec<u64>,
}

impl KeptIds {
    /// The number of ids, which is also the number of the next id.
    pub(super) fn len(&self) -> u64 {
        self.ends.len() as u64
    }

    pub(super) fn push(&mut self, id: &[u8]) {
        self.bytes.extend_from_slice(id);
        self.ends.push(self.bytes.len() as u64);
    }

    /// The id with this number, counted from 0.
    pub(super) fn get(&self, number: u64) -> Option<&[u8]> {
        let at = usize::try_from(number).ok()?;
        let start = at.checked_sub(1).map_or(Some(&0), |before| self.ends.get(before))?;
        self.bytes.get(*start as usize..*self.ends.get(at)? as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_found_by_its_number() {
        let mut ids = KeptIds::default();
        for id in ["\"a\"", "", "12"] {
            ids.push(id.as_bytes());
        }
        assert_eq!(ids.len(), 3);
        assert_eq!([0, 1, 2].map(|n| ids.get(n).unwrap()), [&b"\"a\""[..], b"", b"12"]);
        assert_eq!((ids.get(3), ids.get(u64::MAX)), (None, None));
    }
}
