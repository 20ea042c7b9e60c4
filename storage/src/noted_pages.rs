//! Rows about the kept pages in other folders of a crawl.
//!
//! The bodies and texts of those pages lie in their folders. This folder notes the URL and the signature of each of them. The owner stores these
//! rows before its index of all folders' pages is durable, so that the index holds no page without its row. No archive holds the rows: after a
//! rebuild they are missing until the owner has read them again where it has them from.

use crate::commit::Piece;
use crate::elsewhere::{KeptElsewhere, PageElsewhere};
use crate::error::StorageError;
use crate::format;
use crate::state::State;

/// The table of ⟨[`KeptElsewhere`]⟩, by packed number.
const KEPT: u8 = b'f';

/// The row's name in the error for a damaged state.
const KEPT_ROW: &str = "the row of another worker's page";

/// The kept pages of other workers. [`Store::pages_elsewhere`](crate::Store::pages_elsewhere) makes it.
pub struct PagesElsewhere<'a> {
    state: &'a State,
}

impl<'a> PagesElsewhere<'a> {
    pub(crate) fn new(state: &'a State) -> Self {
        Self { state }
    }

    /// The committed row of a page, by its packed number; `None` if this folder has no such row.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn page(&self, packed: u64) -> Result<Option<KeptElsewhere>, StorageError> {
        self.state.versioned_row(format::numbered(KEPT, packed), KEPT_ROW)
    }

    /// Iterates over the committed rows, in the order of their packed numbers.
    pub fn all(&self) -> impl Iterator<Item = Result<(PageElsewhere, KeptElsewhere), StorageError>> + use<> {
        let state = self.state.clone();
        self.state.scan([KEPT]).map(move |row| {
            let (key, value) = row?;
            let page = format::number(KEPT, &key).and_then(PageElsewhere::unpacked);
            let record = format::decode_versioned(&value);
            page.zip(record).ok_or_else(|| state.corrupt(KEPT_ROW))
        })
    }

    /// Iterates over the committed rows of one worker.
    pub fn of(
        &self,
        worker: u16,
    ) -> impl Iterator<Item = Result<(PageElsewhere, KeptElsewhere), StorageError>> + use<> {
        let state = self.state.clone();
        let first = PageElsewhere { worker, sequence: 0 };
        let rows = self.state.scan_from(&format::numbered(KEPT, first.packed()));
        let rows = rows.map(move |row| {
            let (key, value) = row?;
            let page = format::number(KEPT, &key).and_then(PageElsewhere::unpacked);
            let record = format::decode_versioned(&value);
            page.zip(record).ok_or_else(|| state.corrupt(KEPT_ROW))
        });
        rows.take_while(move |row| row.as_ref().map_or(true, |(page, _)| page.worker == worker))
    }

    pub(crate) fn remove(page: PageElsewhere, piece: &mut Piece) {
        piece.remove(format::numbered(KEPT, page.packed()));
    }

    pub(crate) fn set(page: PageElsewhere, record: &KeptElsewhere, piece: &mut Piece) -> Result<(), StorageError> {
        piece.set(format::numbered(KEPT, page.packed()), format::encode_versioned(record)?);
        Ok(())
    }

    /// The fault of a row, if it is one of this table and cannot be read.
    pub(crate) fn fault((key, value): (&[u8], &[u8])) -> Option<&'static str> {
        let is_good = || {
            format::number(KEPT, key).and_then(PageElsewhere::unpacked).is_some()
                && format::decode_versioned::<KeptElsewhere>(value).is_some()
        };
        (key.first() == Some(&KEPT) && !is_good()).then_some("a page of another worker")
    }
}
