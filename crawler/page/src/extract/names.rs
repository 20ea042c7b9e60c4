//! What the names of elements say: their classes and ids, each read once for a page.

use super::hints::{self, Role};
use super::marks::{self, MAX_VALUE_BYTES};
use crate::map::Map;

/// The values of attributes that were read. The elements of a page share a few hundred of them.
#[derive(Debug, Default)]
pub(super) struct NameCache<'t> {
    roles: Map<&'t str, Role>,
    topics: Map<&'t str, u16>,
}

impl<'t> NameCache<'t> {
    /// The role that the names in the value of an attribute say.
    pub(super) fn role(&mut self, names: Option<&'t str>) -> Role {
        let names = names.filter(|names| names.len() <= MAX_VALUE_BYTES);
        names.map_or(Role::None, |names| {
            *self.roles.entry(names).or_insert_with(|| hints::role_of_names(names))
        })
    }

    /// The [topics](marks::TOPICS) of the names in the value of an attribute, as a set of bits.
    pub(super) fn topics(&mut self, names: Option<&'t str>) -> u16 {
        let names = names.filter(|names| names.len() <= MAX_VALUE_BYTES);
        names.map_or(0, |names| {
            *self.topics.entry(names).or_insert_with(|| marks::topics(names))
        })
    }
}
