//! The kept pages most similar to a page, found without the index: a duplicate that the index cannot find must count as missed too.

use std::collections::HashMap;

use dedup::Sketch;
use dedup::short::{Bitmap, jaccard, prefix};

use super::DUPLICATE_FROM;
use super::cells::CellSet;
use super::page::DecidedPage;
use super::pass::Replayed;

/// Upper bound on the similar pages of one page. It is large, because a setting may keep none of the most similar pages.
const MOST_ALIKE: usize = 4_096;

/// Lower bound on the similarity of the sketches of duplicates: five standard errors below [`DUPLICATE_FROM`].
const MAYBE_FROM: f32 = DUPLICATE_FROM - 0.1;

/// Upper bound on the bits that differ in the first two words of the sketches of duplicates. For a pair at the bound of a duplicate
/// 12.8 ± 3.4 bits differ, for unrelated texts 64 ± 5.7.
const HEAD_BITS: u32 = 32;

/// Upper bound on the short texts with which a page is compared: if thousands share its shingles, the others add nothing.
const MOST_SHORT: usize = 4_096;

/// A page that may be a duplicate, with the estimated similarity.
pub(super) type Alike = (usize, f32);

/// The pages that may be duplicates of one page.
#[derive(Debug, Default)]
pub(super) struct SimilarPages {
    /// In descending order of similarity.
    pub alike: Vec<Alike>,
    /// The settings that keep a further page, beyond the bound.
    pub left_out: CellSet,
}

/// The sketches of the pages that some setting keeps, laid out for a scan.
pub(super) struct Nearest<'a> {
    pages: &'a [DecidedPage],
    replayed: &'a Replayed,
    /// The place of each page, and the first words of its sketch.
    heads: Vec<(u32, [u64; 2])>,
    short: HashMap<u64, Vec<u32>>,
    /// The bitmap of each page, for short texts.
    texts: Vec<Bitmap>,
}

impl<'a> Nearest<'a> {
    pub fn new(pages: &'a [DecidedPage], replayed: &'a Replayed) -> Self {
        let (mut heads, mut short) = (Vec::new(), HashMap::<u64, Vec<u32>>::new());
        let kept = pages.iter().zip(replayed.kept()).zip(0_u32..);
        for ((page, _), place) in kept.filter(|((_, kept), _)| !kept.is_empty()) {
            if let Some(sketch) = &page.signature.sketch {
                heads.push((place, head(sketch)));
            }
            for shingle in prefix(&page.signature.shingles, DUPLICATE_FROM) {
                short.entry(*shingle).or_default().push(place);
            }
        }
        Self {
            pages,
            replayed,
            heads,
            short,
            texts: pages.iter().map(|page| Bitmap::new(&page.signature.shingles)).collect(),
        }
    }

    /// The earlier pages that may be duplicates of this page, and that some setting keeps together with it.
    pub(super) fn of(&self, page: usize) -> SimilarPages {
        let mut found = SimilarPages::default();
        if self.replayed.kept()[page].is_empty() {
            return found;
        }
        self.by_sketch(page, &mut found);
        self.by_shingles(page, &mut found);
        self.most(&mut found);
        found
    }

    fn is_kept_with(&self, other: usize, page: usize) -> bool {
        !self.replayed.kept()[other].and(&self.replayed.kept()[page]).is_empty()
    }

    fn by_sketch(&self, page: usize, found: &mut SimilarPages) {
        let Some(sketch) = &self.pages[page].signature.sketch else {
            return;
        };
        let [first, second] = head(sketch);
        let earlier = self.heads.partition_point(|(place, _)| (*place as usize) < page);
        for (place, [a, b]) in &self.heads[..earlier] {
            if (a ^ first).count_ones() + (b ^ second).count_ones() > HEAD_BITS {
                continue;
            }
            let place = *place as usize;
            let similarity = self.pages[place]
                .signature
                .sketch
                .as_ref()
                .map(|other| other.similarity(sketch));
            if let Some(similarity) = similarity.filter(|similarity| *similarity >= MAYBE_FROM)
                && self.is_kept_with(place, page)
            {
                found.alike.push((place, similarity));
                if found.alike.len() >= 2 * MOST_ALIKE {
                    self.most(found);
                }
            }
        }
    }

    /// Skips pairs of long texts, which [`by_sketch`](Self::by_sketch) compares.
    fn by_shingles(&self, page: usize, found: &mut SimilarPages) {
        let signature = &self.pages[page].signature;
        let sharing = prefix(&signature.shingles, DUPLICATE_FROM).iter();
        let sharing = sharing.filter_map(|shingle| self.short.get(shingle)).flatten();
        let mut places: Vec<usize> = sharing
            .map(|place| *place as usize)
            .filter(|place| *place < page)
            .collect();
        places.sort_unstable();
        places.dedup();
        let mut compared = 0;
        for place in places {
            let other = &self.pages[place].signature;
            if signature.sketch.is_some() && other.sketch.is_some() || !self.is_kept_with(place, page) {
                continue;
            }
            compared += 1;
            if compared > MOST_SHORT {
                found.left_out = found.left_out.or(&self.replayed.kept()[place]);
                continue;
            }
            if !self.texts[page].may_reach(&self.texts[place], DUPLICATE_FROM) {
                continue;
            }
            let similarity = jaccard(&signature.shingles, &other.shingles);
            if similarity >= DUPLICATE_FROM {
                found.alike.push((place, similarity));
            }
        }
    }

    /// Keeps the [`MOST_ALIKE`], in order.
    fn most(&self, found: &mut SimilarPages) {
        found
            .alike
            .sort_unstable_by(|(a, x), (b, y)| y.total_cmp(x).then(a.cmp(b)));
        for (place, _) in found.alike.drain(found.alike.len().min(MOST_ALIKE)..) {
            found.left_out = found.left_out.or(&self.replayed.kept()[place]);
        }
    }
}

fn head(sketch: &Sketch) -> [u64; 2] {
    let words = sketch.words();
    [words[0], words[1]]
}
