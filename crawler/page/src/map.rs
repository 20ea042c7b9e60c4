//! Hash maps and sets whose hashes are fast. Their seeds are random, so a page cannot know which of its keys collide.

use foldhash::fast::RandomState;

/// A map.
pub(crate) type Map<K, V> = std::collections::HashMap<K, V, RandomState>;

/// A set.
pub(crate) type Set<K> = std::collections::HashSet<K, RandomState>;
