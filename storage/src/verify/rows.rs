//! Reads every row of the database. When the database reads a part of its files that holds rows, it checks the checksum of the part. So
//! this check finds damage to rows that no other check reads.

use super::findings::{FindingKind, Findings};
use crate::error::StorageError;
use crate::foreign::{ForeignPage, ForeignRecord};
use crate::format;
use crate::guarded::guarded;
use crate::hosts::HostRecord;
use crate::page::Verdict;
use crate::store::Store;
use crate::visits::{RefreshCounts, Visits};

impl Store {
    pub(super) fn verify_rows(&self, findings: &mut Findings<'_>) -> Result<(), StorageError> {
        match self.state.db() {
            Some(db) => self.verify_trees(db, findings)?,
            // The process that holds the store has the other trees.
            None => {
                for row in self.state.scan([]) {
                    let (key, value) = row?;
                    self.verify_minor_row(&key, &value, findings)?;
                }
            }
        }
        let (found, discovered) = (self.known.count(&self.state)?, self.counts().discovered);
        if found != discovered {
            findings.note(
                FindingKind::State,
                format!("{found} URLs are known by their hashes, but {discovered} have a row"),
            );
        }
        Ok(())
    }

    fn verify_trees(&self, db: &sled::Db, findings: &mut Findings<'_>) -> Result<(), StorageError> {
        let dir = self.dir();
        for name in db.tree_names() {
            let tree = guarded(dir, || db.open_tree(&name))?;
            let is_state = name.as_ref() == format::STATE_TREE.as_bytes();
            let mut rows = tree.iter();
            while let Some((key, value)) = guarded(dir, || rows.next().transpose())? {
                if is_state {
                    self.verify_minor_row(&key, &value, findings)?;
                }
            }
        }
        Ok(())
    }

    fn verify_minor_row(&self, key: &[u8], value: &[u8], findings: &mut Findings<'_>) -> Result<(), StorageError> {
        if let Some(what) = self.wrong_with_minor_row(key, value)? {
            findings.note(FindingKind::State, what);
        }
        Ok(())
    }

    /// The fault of a row of a table that no other check reads.
    fn wrong_with_minor_row(&self, key: &[u8], value: &[u8]) -> Result<Option<String>, StorageError> {
        let Some(table) = key.first() else { return Ok(None) };
        let (what, page, is_readable) = match *table {
            format::VISITS => (
                "the visits of a page",
                Some(format::visited_page(key)),
                postcard::from_bytes::<Visits>(value).is_ok(),
            ),
            format::DEPARTED => (
                "a page that leaves the index",
                Some(format::departed_page(key)),
                value.is_empty(),
            ),
            format::REDECIDED => (
                "the first verdict of a page",
                Some(format::redecided_page(key)),
                postcard::from_bytes::<Verdict>(value).is_ok(),
            ),
            format::ARCHIVED_VISITS => ("a visit", Some(format::archived_visit(key).map(|(page, _)| page)), true),
            format::REFRESHES => ("a refresh", None, postcard::from_bytes::<RefreshCounts>(value).is_ok()),
            format::GATES => (
                "the state of a host",
                None,
                format::decode_versioned::<HostRecord>(value).is_some(),
            ),
            format::FOREIGN => (
                "a page of another worker",
                None,
                format::foreign_number(key).and_then(ForeignPage::unpacked).is_some()
                    && format::decode_versioned::<ForeignRecord>(value).is_some(),
            ),
            _ => return Ok(None),
        };
        if !is_readable {
            return Ok(Some(format!("a row cannot be read: {what}")));
        }
        Ok(match page {
            Some(None) => Some(format!("the key of a row cannot be read: {what}")),
            Some(Some(page)) if self.page(page)?.is_none() => {
                Some(format!("a row names page {page}, which is not there: {what}"))
            }
            _ => None,
        })
    }
}
