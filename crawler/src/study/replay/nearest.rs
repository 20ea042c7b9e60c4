//! The kept pages most like a page, found without the index: what the index cannot find must count as missed too.

use std::collections::HashMap;

use dedup::Sketch;
use dedup::short::{jaccard, prefix};

use super::DUPLICATE_FROM;
use super::cells::CellSet;
use super::page::DecidedPage;
use super::pass::Replayed;

/// Pages that are remembered as most like a page: many, since of the most alike a setting may keep none.
const MOST_ALIKE: usize = 4_096;

/// Of so alike sketches the texts may be duplicates: five standard errors under [`DUPLICATE_FROM`].
const MAYBE_FROM: f32 = DUPLICATE_FROM - 0.1;

/// Bits of the first two words of sketches that may differ. Of duplicates that are just alike enough 12.8 ± 3.4 do, of texts that have
/// nothing in common 64 ± 5.7.
const HEAD_BITS: u32 = 32;

/// Short texts that a page is compared with at most: where thousands share what is looked up, the rest would tell nothing new.
const MOST_SHORT: usize = 4_096;

/// A page that may be a duplicate, with how alike it seems.
pub(super) type Alike = (usize, f32);

/// The pages that may be duplicates of one.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The most alike first.
    pub alike: Vec<Alike>,
    /// The settings that keep one more, of which there was not room to tell.
    pub left_out: CellSet,
}

/// The sketches of the pages that are kept at some setting, laid out to be gone through.
pub(super) struct Nearest<'a> {
    pages: &'a [DecidedPage],
    replayed: &'a Replayed,
    /// Place and first words of a sketch.
    heads: Vec<(u32, [u64; 2])>,
    short: HashMap<u64, Vec<u32>>,
}

impl<'a> Nearest<'a> {
    pub(super) fn new(pages: &'a [DecidedPage], replayed: &'a Replayed) -> Self {
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
        }
    }

    /// The earlier pages that some setting keeps together with this one and that may be duplicates of it, the most alike first.
    pub(super) fn of(&self, page: usize) -> Found {
        let mut found = Found::default();
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

    fn by_sketch(&self, page: usize, found: &mut Found) {
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

    /// Texts that are both long have been compared by their sketches.
    fn by_shingles(&self, page: usize, found: &mut Found) {
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
            let similarity = jaccard(&signature.shingles, &other.shingles);
            if similarity >= DUPLICATE_FROM {
                found.alike.push((place, similarity));
            }
        }
    }

    /// Sorts, and leaves the [`MOST_ALIKE`].
    fn most(&self, found: &mut Found) {
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
