//! How an index searches.

/// From which tables an index takes the candidates of a check: it leaves a check to the blocks if the bands have more candidates than this.
/// `None` if blocks answer every check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan(pub(super) Option<usize>);
