//! Fields within objects, for names with dots.
//!
//! Each object on the way is read once more for each dot of the name, so the cost of a line is its length times the dots of the name.

use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::Roles;
use crate::document::Fields;

/// The objects of a line that may have a field with one of the roles.
#[derive(Debug, Default)]
pub(super) struct Nested<'a> {
    /// With the roles of fields within them, in the order of the line.
    objects: Vec<(Roles, &'a RawValue)>,
}

impl<'a> Nested<'a> {
    /// Notes the value of a key that may hold the fields of `roles`.
    pub fn note(&mut self, roles: Roles, raw: &'a RawValue) {
        if roles != Roles::default() && raw.get().starts_with('{') {
            self.objects.push((roles, raw));
        }
    }

    /// The fields within the objects, except those of roles that have one already.
    pub fn found<'f>(
        &'f self,
        is_found: Roles,
        fields: &'f Fields,
    ) -> impl Iterator<Item = (Roles, &'a RawValue)> + 'f {
        self.objects.iter().flat_map(move |(roles, raw)| {
            let none = Roles::default();
            let wanted = [
                (roles.id && !is_found.id, Some(&fields.id), Roles { id: true, ..none }),
                (roles.text && !is_found.text, Some(&fields.text), Roles::TEXT),
                (
                    roles.title && !is_found.title,
                    Some(&fields.title),
                    Roles { title: true, ..none },
                ),
                (
                    roles.url && !is_found.url,
                    Some(&fields.url),
                    Roles { url: true, ..none },
                ),
                (
                    roles.group && !is_found.group,
                    fields.group.as_ref(),
                    Roles { group: true, ..none },
                ),
                (
                    roles.score && !is_found.score,
                    fields.score.as_ref(),
                    Roles { score: true, ..none },
                ),
            ];
            wanted
                .into_iter()
                .filter(|(is_wanted, ..)| *is_wanted)
                .filter_map(|(_, name, role)| {
                    let (_, within) = name?.split_once('.')?;
                    Some((role, value(raw, within)?))
                })
        })
    }
}

/// The part of a field's name behind the key of an object: `b.c` of `a.b.c`, for the key `a`.
pub(super) fn rest<'n>(name: &'n str, key: &str) -> Option<&'n str> {
    let rest = name.strip_prefix(key)?.strip_prefix('.')?;
    (!key.contains('.')).then_some(rest)
}

/// The value of a field with this name, which may have dots, in an object.
fn value<'a>(mut object: &'a RawValue, mut name: &str) -> Option<&'a RawValue> {
    loop {
        let found = serde_json::Deserializer::from_str(object.get())
            .deserialize_map(Find { name })
            .ok()?;
        if found.whole.is_some() {
            return found.whole;
        }
        object = found.first?;
        (_, name) = name.split_once('.')?;
    }
}

struct Find<'n> {
    name: &'n str,
}

/// The last values of the whole name, and of its part before the first dot.
#[derive(Default)]
struct Values<'a> {
    whole: Option<&'a RawValue>,
    first: Option<&'a RawValue>,
}

impl<'de> Visitor<'de> for Find<'_> {
    type Value = Values<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Values<'de>, A::Error> {
        let mut values = Values::default();
        while let Some(key) = map.next_key::<String>()? {
            if key == self.name {
                values.whole = Some(map.next_value()?);
            } else if rest(self.name, &key).is_some() {
                values.first = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(values)
    }
}
