//! The settings that are tried, and sets of them.

use dedup::{Confirm, DuplicateRule, Signature};

/// Settings that can be tried at a time.
pub const MAX_CELLS: usize = 512;

const WORDS: usize = MAX_CELLS / 64;

/// A set of settings, by their places in a [`Grid`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CellSet([u64; WORDS]);

impl CellSet {
    /// None.
    pub const EMPTY: Self = Self([0; WORDS]);

    /// Whether it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    /// Whether it holds the setting at this place.
    #[must_use]
    pub fn contains(&self, cell: usize) -> bool {
        self.0[cell / 64] >> (cell % 64) & 1 == 1
    }

    /// Adds the setting at this place.
    pub fn insert(&mut self, cell: usize) {
        self.0[cell / 64] |= 1 << (cell % 64);
    }

    /// What both hold.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    /// What either holds.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// What it holds and `other` does not.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// The places, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        let words = self.0;
        (0..WORDS).flat_map(move |at| {
            let mut word = words[at];
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
                word &= word - 1;
                Some(at * 64 + bit)
            })
        })
    }
}

/// A setting: the part of a [`DuplicateRule`] that is tried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// See [`DuplicateRule::max_distance`].
    pub max_distance: u32,
    /// See [`DuplicateRule::confirm`].
    pub confirm: Confirm,
}

impl Cell {
    /// The setting of a rule.
    #[must_use]
    pub fn of(rule: &DuplicateRule) -> Self {
        Self {
            max_distance: rule.max_distance,
            confirm: rule.confirm,
        }
    }

    /// What a candidate's similarity must be at least.
    fn bound(self) -> f32 {
        match self.confirm {
            Confirm::Distance => 0.0,
            Confirm::Sketch { min_similarity } => min_similarity,
            Confirm::Combined { bound, .. } => bound,
        }
    }
}

/// All settings that are tried, each once; what they share is in the rule they vary.
#[derive(Debug, Clone)]
pub struct Grid {
    base: DuplicateRule,
    cells: Vec<Cell>,
    families: Vec<Family>,
}

/// More settings than [`MAX_CELLS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} settings are more than the {MAX_CELLS} that are tried at a time: name fewer distances or similarities")]
pub struct TooManyCells(pub usize);

impl Grid {
    /// The setting of `base` (at place 0) and `others`, of which those that are there already are passed over.
    ///
    /// # Errors
    /// There are too many.
    pub fn new(base: &DuplicateRule, others: impl IntoIterator<Item = Cell>) -> Result<Self, TooManyCells> {
        let mut cells = vec![Cell::of(base)];
        for cell in others {
            if !cells.contains(&cell) {
                cells.push(cell);
            }
        }
        if cells.len() > MAX_CELLS {
            return Err(TooManyCells(cells.len()));
        }
        let mut families: Vec<Family> = Vec::new();
        for (at, cell) in cells.iter().enumerate() {
            let measure = Measure::of(cell.confirm);
            match families.iter_mut().find(|family| family.measure == measure) {
                Some(family) => family.members.push((at, *cell)),
                None => families.push(Family::new(measure, (at, *cell))),
            }
        }
        families.iter_mut().for_each(Family::tabulate);
        Ok(Self {
            base: base.clone(),
            cells,
            families,
        })
    }

    /// The settings, that of the base first.
    #[must_use]
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The place of a setting.
    #[must_use]
    pub fn place_of(&self, cell: Cell) -> Option<usize> {
        self.cells.iter().position(|other| *other == cell)
    }

    /// The whole rule of the setting at a place.
    #[must_use]
    pub fn rule(&self, cell: usize) -> DuplicateRule {
        DuplicateRule {
            max_distance: self.cells[cell].max_distance,
            confirm: self.cells[cell].confirm,
            ..self.base.clone()
        }
    }

    /// The rule with the largest distance: an index for it finds what any of the settings accepts.
    #[must_use]
    pub fn widest(&self) -> DuplicateRule {
        let widest = self.cells.iter().map(|cell| cell.max_distance).max();
        DuplicateRule {
            max_distance: widest.unwrap_or(self.base.max_distance),
            ..self.base.clone()
        }
    }

    /// All settings.
    #[must_use]
    pub fn all(&self) -> CellSet {
        let mut all = CellSet::EMPTY;
        (0..self.cells.len()).for_each(|cell| all.insert(cell));
        all
    }

    /// The settings that go by the same measure.
    pub(super) fn families(&self) -> &[Family] {
        &self.families
    }
}

/// What two signatures are compared by: it orders candidates, so settings of one measure agree which of two is the better.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Measure {
    /// By the sketches of the texts, which do not decide.
    Distance,
    /// By the sketches of the texts.
    Sketch,
    /// By fingerprint and metadata, the first with this weight.
    Combined { weight: f32 },
}

impl Measure {
    fn of(confirm: Confirm) -> Self {
        match confirm {
            Confirm::Distance => Self::Distance,
            Confirm::Sketch { .. } => Self::Sketch,
            Confirm::Combined { weight, .. } => Self::Combined { weight },
        }
    }

    /// The way to confirm that measures alike and accepts whatever is near enough.
    fn accepting_all(self) -> Confirm {
        match self {
            // What is measured is the same.
            Self::Distance | Self::Sketch => Confirm::Distance,
            Self::Combined { weight } => Confirm::Combined { weight, bound: 0.0 },
        }
    }
}

/// The settings of one measure, with the answer to "which of them does a pair meet?": those in the rectangle of distances at
/// least the pair's and bounds at most its similarity.
#[derive(Debug, Clone)]
pub(super) struct Family {
    measure: Measure,
    members: Vec<(usize, Cell)>,
    all: CellSet,
    /// By distance: the settings that reach so far.
    by_distance: Vec<CellSet>,
    /// The bounds, ascending, each with the settings whose bound is at most this.
    by_bound: Vec<(f32, CellSet)>,
}

impl Family {
    fn new(measure: Measure, first: (usize, Cell)) -> Self {
        Self {
            measure,
            members: vec![first],
            all: CellSet::EMPTY,
            by_distance: Vec::new(),
            by_bound: Vec::new(),
        }
    }

    fn tabulate(&mut self) {
        let set_of = |chosen: &dyn Fn(&Cell) -> bool| {
            let mut set = CellSet::EMPTY;
            let chosen = self.members.iter().filter(|(_, cell)| chosen(cell));
            chosen.for_each(|(at, _)| set.insert(*at));
            set
        };
        let widest = self
            .members
            .iter()
            .map(|(_, cell)| cell.max_distance)
            .max()
            .unwrap_or(0);
        let mut bounds: Vec<f32> = self.members.iter().map(|(_, cell)| cell.bound()).collect();
        bounds.sort_by(f32::total_cmp);
        bounds.dedup();
        let by_bound = bounds
            .iter()
            .map(|bound| (*bound, set_of(&|cell| cell.bound() <= *bound)));
        let by_bound = by_bound.collect();
        let by_distance = (0..=widest).map(|distance| set_of(&|cell| cell.max_distance >= distance));
        (self.by_distance, self.all) = (by_distance.collect(), set_of(&|_| true));
        self.by_bound = by_bound;
    }

    /// All of them.
    pub(super) fn all(&self) -> &CellSet {
        &self.all
    }

    /// Those whose distance is at least this.
    pub(super) fn reaching(&self, distance: u32) -> CellSet {
        self.by_distance
            .get(distance as usize)
            .copied()
            .unwrap_or(CellSet::EMPTY)
    }

    /// Whether the distance alone decides.
    pub(super) fn is_alone(&self) -> bool {
        self.measure == Measure::Distance
    }

    /// The least similarity of sketches that any of them accepts; `None` where that does not decide.
    pub(super) fn least_of_sketches(&self) -> Option<f32> {
        let least = self.by_bound.first().map(|(bound, _)| *bound);
        least.filter(|_| self.measure == Measure::Sketch)
    }

    /// Whether a pair so far apart may meet one of them, whatever else is known of it.
    pub(super) fn may_be_met(&self, distance: u32) -> bool {
        let least = self.by_bound.first().map_or(0.0, |(bound, _)| *bound);
        let most = match self.measure {
            Measure::Distance | Measure::Sketch => 1.0,
            // As `DuplicateRule::confirms` adds it up, for metadata that are the same.
            Measure::Combined { weight } => weight / (1.0 + distance as f32) + (1.0 - weight),
        };
        most >= least && (distance as usize) < self.by_distance.len()
    }

    /// How similar two documents are whose fingerprints are `distance` apart; `None` where their numbers keep them apart.
    pub(super) fn similarity(&self, base: &DuplicateRule, a: &Signature, b: &Signature, distance: u32) -> Option<f32> {
        let rule = DuplicateRule {
            max_distance: distance,
            confirm: self.measure.accepting_all(),
            min_similarity_short: base.min_similarity_short,
            numbers_must_match: base.numbers_must_match,
        };
        rule.confirms(a, b, distance)
    }

    /// Those that such a pair meets.
    pub(super) fn met_by(&self, distance: u32, similarity: f32) -> CellSet {
        let met = self.by_bound.partition_point(|(bound, _)| *bound <= similarity);
        match met.checked_sub(1) {
            Some(last) => self.by_bound[last].1.and(&self.reaching(distance)),
            None => CellSet::EMPTY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in() {
        let mut set = CellSet::EMPTY;
        [0, 63, 64, 511].into_iter().for_each(|cell| set.insert(cell));
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 64, 511]);
        assert!(set.contains(511) && !set.contains(510));
        assert!(set.without(&set).is_empty() && CellSet::EMPTY.is_empty());
    }

    #[test]
    fn a_setting_is_tried_once_and_too_many_are_refused() {
        let base = DuplicateRule::default();
        let cell = |max_distance| Cell {
            max_distance,
            confirm: Confirm::Distance,
        };
        let grid = Grid::new(&base, [cell(3), cell(3), Cell::of(&base)]).unwrap();
        assert_eq!(grid.cells(), [Cell::of(&base), cell(3)]);
        assert_eq!(Grid::new(&base, (0..600).map(cell)).unwrap_err(), TooManyCells(601));
    }
}
