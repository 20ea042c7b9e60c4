//! Room on the page.

/// Bytes that something may take.
#[derive(Debug)]
pub(super) struct Budget {
    left: usize,
}

impl Budget {
    pub fn of(bytes: usize) -> Self {
        Self { left: bytes }
    }

    /// Takes so many bytes; whether there was room. What is too large leaves the room for what is smaller.
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
    fn what_does_not_fit_takes_nothing() {
        let mut budget = Budget::of(10);
        assert_eq!([8, 3, 2, 1].map(|bytes| budget.take(bytes)), [true, false, true, false]);
    }
}
