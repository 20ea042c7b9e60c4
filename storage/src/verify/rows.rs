//! Reads every row of the database. When the database reads a part of its files that holds rows, it checks the checksum of the part. So
//! this check finds damage to rows that no other check reads.

use super::Check;
use super::findings::{FindingKind, Findings};
use crate::error::StorageError;
use crate::host_memory::HostMemory;
use crate::noted_pages::PagesElsewhere;

impl Check<'_> {
    pub(super) fn verify_rows(self, findings: &mut Findings<'_>) -> Result<(), StorageError> {
        self.store.each_row(|key, value, is_of_store| {
            if is_of_store && let Some(what) = self.wrong_with_minor_row((key, value))? {
                findings.note(FindingKind::State, what);
            }
            Ok(())
        })?;
        let (found, discovered) = (self.store.known_urls()?, self.store.counts().discovered);
        if found != discovered {
            findings.note(
                FindingKind::State,
                format!("{found} URLs are known by their hashes, but {discovered} have a row"),
            );
        }
        Ok(())
    }

    /// The fault of a row of a table that no other check reads.
    fn wrong_with_minor_row(self, row: (&[u8], &[u8])) -> Result<Option<String>, StorageError> {
        if let Some(what) = HostMemory::fault(row).or_else(|| PagesElsewhere::fault(row)) {
            return Ok(Some(format!("a row cannot be read: {what}")));
        }
        match self.store.catalogue().fault(row)? {
            None => self.store.revisits().fault(row),
            fault => Ok(fault),
        }
    }
}
