//! Cuts the files of the archive into stretches that threads read at the same time. A stretch begins where the catalogue says that a
//! record begins.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::page::PageRecord;

/// About the bytes of a stretch.
const STRETCH_BYTES: u64 = 4 << 20;

/// Places where records begin: at most one for each stretch of each file.
#[derive(Debug, Default)]
pub(super) struct Stretches {
    begins: BTreeMap<(u32, u64), u64>,
}

impl Stretches {
    /// Notes where the records of a page begin.
    pub(super) fn note(&mut self, page: &PageRecord) {
        for place in [page.response, page.text, page.revisit].into_iter().flatten() {
            let begin = self
                .begins
                .entry((place.file, place.offset / STRETCH_BYTES))
                .or_insert(place.offset);
            *begin = place.offset.min(*begin);
        }
    }

    /// The stretches of a file up to `end`, in order. The last one has no end.
    pub(super) fn of_file(&self, file: u32, end: u64) -> Vec<Range<u64>> {
        let begins = self.begins.range((file, 0)..=(file, u64::MAX)).map(|(_, begin)| *begin);
        let mut begins: Vec<u64> = std::iter::once(0).chain(begins.filter(|begin| *begin < end)).collect();
        begins.dedup();
        let ends = begins.iter().skip(1).copied().chain([u64::MAX]);
        begins.iter().zip(ends).map(|(begin, end)| *begin..end).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::warc::location::WarcLocation;

    #[test]
    fn stretches_of_a_file_follow_one_another_and_begin_with_records() {
        let mut stretches = Stretches::default();
        let queued = crate::QueuedUrl::new(&crate::Discovered::default(), None, 1);
        let mut page = PageRecord::new(&queued, crate::PageDraft::default(), Default::default());
        for (file, offset) in [
            (0, 700),
            (0, STRETCH_BYTES + 9),
            (0, STRETCH_BYTES + 5),
            (1, 7),
            (0, 3 * STRETCH_BYTES),
        ] {
            page.response = Some(WarcLocation {
                file,
                offset,
                length: 1,
            });
            stretches.note(&page);
        }
        let second = STRETCH_BYTES + 5;
        assert_eq!(
            stretches.of_file(0, 2 * STRETCH_BYTES),
            [0..700, 700..second, second..u64::MAX]
        );
        assert_eq!(stretches.of_file(1, 1 << 40), [0..7, 7..u64::MAX]);
        assert_eq!(
            stretches.of_file(2, 1 << 40),
            vec![Range {
                start: 0,
                end: u64::MAX
            }]
        );
    }
}
