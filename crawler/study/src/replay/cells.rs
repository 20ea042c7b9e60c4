//! The grid of the settings that a replay tries. A *cell* is a place in the grid; each cell holds one setting of the thresholds.

use dedup::{Confirm, DuplicateRule, Signature};
use serde::ser::{Serialize, SerializeStruct, Serializer};

/// Upper bound on the settings of a grid.
pub const MAX_CELLS: usize = 512;

/// The cell of the setting in force, in every grid.
pub const IN_FORCE: usize = 0;

const WORDS: usize = MAX_CELLS / 64;

/// A set of cells of a [`Grid`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CellSet([u64; WORDS]);

impl CellSet {
    /// The empty set.
    pub const EMPTY: Self = Self([0; WORDS]);

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    /// Whether the set holds this cell.
    #[must_use]
    pub fn contains(&self, cell: usize) -> bool {
        self.0[cell / 64] >> (cell % 64) & 1 == 1
    }

    /// Adds a cell.
    pub fn insert(&mut self, cell: usize) {
        self.0[cell / 64] |= 1 << (cell % 64);
    }

    /// The intersection.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    /// The union.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// The difference: the cells that are not in `other`.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// The cells, ascending.
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

/// A setting: the part of a [`DuplicateRule`] that differs between cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// See [`DuplicateRule::max_distance`].
    pub max_distance: u32,
    /// See [`DuplicateRule::confirm`].
    pub confirm: Confirm,
}

impl Thresholds {
    /// The setting that a rule has.
    #[must_use]
    pub fn of(rule: &DuplicateRule) -> Self {
        Self {
            max_distance: rule.max_distance,
            confirm: rule.confirm,
        }
    }

    /// The way to confirm, as in `config.toml`.
    #[must_use]
    pub fn confirm_name(self) -> &'static str {
        match self.confirm {
            Confirm::Sketch { .. } => "sketch",
            Confirm::Distance => "distance",
            Confirm::Combined { .. } => "combined",
        }
    }

    /// The similarity that decides; `None` if none does.
    #[must_use]
    pub fn min_similarity(self) -> Option<f32> {
        match self.confirm {
            Confirm::Sketch { min_similarity } => Some(min_similarity),
            _ => None,
        }
    }

    /// The lower bound on a candidate's similarity.
    fn bound(self) -> f32 {
        match self.confirm {
            Confirm::Distance => 0.0,
            Confirm::Sketch { min_similarity } => min_similarity,
            Confirm::Combined { bound, .. } => bound,
        }
    }
}

impl Serialize for Thresholds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Thresholds", 3)?;
        fields.serialize_field("max_distance", &self.max_distance)?;
        fields.serialize_field("confirm", self.confirm_name())?;
        fields.serialize_field("min_similarity", &self.min_similarity())?;
        fields.end()
    }
}

/// The settings that a replay tries, each once. They vary one rule, which holds all that they share.
#[derive(Debug, Clone)]
pub struct Grid {
    base: DuplicateRule,
    cells: Vec<Thresholds>,
    families: Vec<Family>,
}

/// There are more settings than [`MAX_CELLS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} settings are more than the {MAX_CELLS} that one run can try: name fewer distances or similarities")]
pub struct TooManyCells(pub usize);

impl Grid {
    /// A grid of the setting of `base`, in cell [`IN_FORCE`], and `others` without repetitions.
    ///
    /// # Errors
    /// There are too many settings.
    pub fn new(base: &DuplicateRule, others: impl IntoIterator<Item = Thresholds>) -> Result<Self, TooManyCells> {
        let mut cells = vec![Thresholds::of(base)];
        for cell in others {
            if !cells.contains(&cell) {
                cells.push(cell);
            }
        }
        if cells.len() > MAX_CELLS {
            return Err(TooManyCells(cells.len()));
        }
        Ok(Self::of(base, cells))
    }

    /// A grid of the setting of `base`, in cell [`IN_FORCE`], and `other` in the next cell.
    #[must_use]
    pub fn of_two(base: &DuplicateRule, other: Thresholds) -> Self {
        Self::of(base, vec![Thresholds::of(base), other])
    }

    fn of(base: &DuplicateRule, cells: Vec<Thresholds>) -> Self {
        let mut families: Vec<Family> = Vec::new();
        for (at, cell) in cells.iter().enumerate() {
            let measure = Measure::of(cell.confirm);
            match families.iter_mut().find(|family| family.measure == measure) {
                Some(family) => family.members.push((at, *cell)),
                None => families.push(Family::new(measure, (at, *cell))),
            }
        }
        families.iter_mut().for_each(Family::tabulate);
        Self {
            base: base.clone(),
            cells,
            families,
        }
    }

    /// The setting of each cell.
    #[must_use]
    pub fn cells(&self) -> &[Thresholds] {
        &self.cells
    }

    /// The cell of a setting.
    #[must_use]
    pub fn place_of(&self, cell: Thresholds) -> Option<usize> {
        self.cells.iter().position(|other| *other == cell)
    }

    /// The complete rule of a cell.
    #[must_use]
    pub fn rule(&self, cell: usize) -> DuplicateRule {
        DuplicateRule {
            max_distance: self.cells[cell].max_distance,
            confirm: self.cells[cell].confirm,
            ..self.base.clone()
        }
    }

    /// The rule with the largest distance: an index for it finds every pair that any setting accepts.
    #[must_use]
    pub fn widest(&self) -> DuplicateRule {
        let widest = self.cells.iter().map(|cell| cell.max_distance).max();
        DuplicateRule {
            max_distance: widest.unwrap_or(self.base.max_distance),
            ..self.base.clone()
        }
    }

    /// All cells.
    #[must_use]
    pub fn all(&self) -> CellSet {
        let mut all = CellSet::EMPTY;
        (0..self.cells.len()).for_each(|cell| all.insert(cell));
        all
    }

    /// The cells, grouped by measure.
    pub(super) fn families(&self) -> &[Family] {
        &self.families
    }
}

/// The measure of similarity between two signatures. It orders candidates, so settings with one measure agree on the better of two.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Measure {
    /// The similarity of the sketches, without a bound on it.
    Distance,
    /// The similarity of the sketches.
    Sketch,
    /// Fingerprint and metadata, the fingerprint with this weight.
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

    /// The confirmation with the same measure that accepts every pair within the distance.
    fn accepting_all(self) -> Confirm {
        match self {
            // Both have the same measure.
            Self::Distance | Self::Sketch => Confirm::Distance,
            Self::Combined { weight } => Confirm::Combined { weight, bound: 0.0 },
        }
    }
}

/// The cells with one measure, and a table of the cells that a pair meets. These are a rectangle: distances of at least the pair's
/// distance, and bounds of at most its similarity.
#[derive(Debug, Clone)]
pub(super) struct Family {
    measure: Measure,
    members: Vec<(usize, Thresholds)>,
    all: CellSet,
    /// For each distance, the cells that reach it.
    by_distance: Vec<CellSet>,
    /// The bounds, ascending, each with the cells that have at most this bound.
    by_bound: Vec<(f32, CellSet)>,
}

impl Family {
    fn new(measure: Measure, first: (usize, Thresholds)) -> Self {
        Self {
            measure,
            members: vec![first],
            all: CellSet::EMPTY,
            by_distance: Vec::new(),
            by_bound: Vec::new(),
        }
    }

    fn tabulate(&mut self) {
        let set_of = |chosen: &dyn Fn(&Thresholds) -> bool| {
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

    /// All cells of the family.
    pub(super) fn all(&self) -> &CellSet {
        &self.all
    }

    /// The cells whose distance is at least `distance`.
    pub(super) fn reaching(&self, distance: u32) -> CellSet {
        self.by_distance
            .get(distance as usize)
            .copied()
            .unwrap_or(CellSet::EMPTY)
    }

    /// Whether only the distance decides.
    pub(super) fn is_alone(&self) -> bool {
        self.measure == Measure::Distance
    }

    /// The lowest similarity of sketches that any cell accepts; `None` if it does not decide.
    pub(super) fn least_of_sketches(&self) -> Option<f32> {
        let least = self.by_bound.first().map(|(bound, _)| *bound);
        least.filter(|_| self.measure == Measure::Sketch)
    }

    /// Whether a pair at this distance may meet any cell.
    pub(super) fn may_be_met(&self, distance: u32) -> bool {
        let least = self.by_bound.first().map_or(0.0, |(bound, _)| *bound);
        let most = match self.measure {
            Measure::Distance | Measure::Sketch => 1.0,
            // The sum in `DuplicateRule::confirms`, for equal metadata.
            Measure::Combined { weight } => weight / (1.0 + distance as f32) + (1.0 - weight),
        };
        most >= least && (distance as usize) < self.by_distance.len()
    }

    /// The similarity of two documents whose fingerprints are `distance` apart; `None` if their numbers differ and must not.
    pub(super) fn similarity(&self, base: &DuplicateRule, a: &Signature, b: &Signature, distance: u32) -> Option<f32> {
        let rule = DuplicateRule {
            max_distance: distance,
            confirm: self.measure.accepting_all(),
            min_similarity_short: base.min_similarity_short,
            numbers_must_match: base.numbers_must_match,
            min_own_words: base.min_own_words,
        };
        rule.confirms(a, b, distance)
    }

    /// The cells that a pair with this distance and similarity meets.
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
    fn a_set_holds_the_cells_that_were_inserted() {
        let mut set = CellSet::EMPTY;
        [0, 63, 64, 511].into_iter().for_each(|cell| set.insert(cell));
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 64, 511]);
        assert!(set.contains(511) && !set.contains(510));
        assert!(set.without(&set).is_empty() && CellSet::EMPTY.is_empty());
    }

    #[test]
    fn a_grid_has_each_setting_once_and_a_bound_on_their_number() {
        let base = DuplicateRule::default();
        let cell = |max_distance| Thresholds {
            max_distance,
            confirm: Confirm::Distance,
        };
        let grid = Grid::new(&base, [cell(3), cell(3), Thresholds::of(&base)]).unwrap();
        assert_eq!(grid.cells(), [Thresholds::of(&base), cell(3)]);
        assert_eq!(Grid::new(&base, (0..600).map(cell)).unwrap_err(), TooManyCells(601));
    }
}
