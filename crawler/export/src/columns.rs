//! The fields of one export.

use crate::field::{FIELDS, Field, Group};

/// The fields that an export has, in order.
#[derive(Debug, Clone)]
pub struct Columns {
    fields: Vec<&'static Field>,
    fingerprint_bits: u32,
}

impl Columns {
    /// The fields of every export, and those of `groups`. `fingerprint_bits` is the width of the fingerprints.
    #[must_use]
    pub fn new(fingerprint_bits: u32, groups: &[Group]) -> Self {
        let has = |field: &&Field| field.group == Group::Always || groups.contains(&field.group);
        Self {
            fields: FIELDS.iter().filter(has).collect(),
            fingerprint_bits,
        }
    }

    /// These fields, in this order.
    #[must_use]
    pub fn of_fields(fingerprint_bits: u32, fields: Vec<&'static Field>) -> Self {
        Self {
            fields,
            fingerprint_bits,
        }
    }

    /// The fields in order.
    pub fn fields(&self) -> impl ExactSizeIterator<Item = &'static Field> + '_ {
        self.fields.iter().copied()
    }

    /// Width of the fingerprints, in bits.
    #[must_use]
    pub fn fingerprint_bits(&self) -> u32 {
        self.fingerprint_bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_cost_a_reading_are_there_where_they_are_asked_for() {
        let count = |groups: &[Group]| Columns::new(64, groups).fields().len();
        let always = count(&[]);
        assert_eq!(count(&[Group::Markdown]), always + 1);
        assert_eq!(count(&[Group::Markdown, Group::Metadata]), FIELDS.len());
    }
}
