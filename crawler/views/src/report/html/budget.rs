//! The bounds on the size of the page.

/// The bytes left for one part of the page.
#[derive(Debug)]
pub(super) struct Budget {
    left: usize,
}

impl Budget {
    pub fn of(bytes: usize) -> Self {
        Self { left: bytes }
    }

    /// Takes `bytes` if they are left, and returns whether they were. A refused item leaves its room to smaller ones.
    pub fn take(&mut self, bytes: usize) -> bool {
        let fits = bytes <= self.left;
        if fits {
            self.left -= bytes;
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_item_takes_no_room() {
        let mut budget = Budget::of(10);
        assert_eq!([8, 3, 2, 1].map(|bytes| budget.take(bytes)), [true, false, true, false]);
    }
}
