//! Rows of documents.
//!
//! ```text
//! row       documents, in the order of insertion
//! document  id varint │ length varint │ signature, as `Signature::to_row`
//! ```
//!
//! The bands follow the signature only in an index that may use them.

use crate::error::DedupError;
use crate::signature::{DocId, Signature};

/// Appends a document to a row.
pub(super) fn push(row: &mut Vec<u8>, id: DocId, signature: &[u8]) -> Result<(), DedupError> {
    // Two varints have at most ten bytes each. The signature follows in one copy: postcard would add it byte by byte.
    let mut head = [0; 20];
    row.extend_from_slice(postcard::to_slice(&(id.0, signature.len() as u64), &mut head)?);
    row.extend_from_slice(signature);
    Ok(())
}

/// The documents of a row, their signatures not yet decoded.
pub(super) fn documents(row: &[u8]) -> impl Iterator<Item = Result<(DocId, &[u8]), DedupError>> {
    let mut rest = row;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let taken = postcard::take_from_bytes::<(u64, &[u8])>(rest);
        rest = taken.as_ref().map_or(&[], |(_, after)| *after);
        Some(
            taken
                .map(|((id, signature), _)| (DocId(id), signature))
                .map_err(DedupError::from),
        )
    })
}

/// The signature of a document in a row.
pub(super) fn find(row: &[u8], id: DocId) -> Result<Option<Signature>, DedupError> {
    for document in documents(row) {
        let (other, signature) = document?;
        if other == id {
            return Ok(Some(Signature::from_row(signature)?));
        }
    }
    Ok(None)
}

/// A row without a document.
pub(super) fn without(row: &[u8], id: DocId) -> Result<Vec<u8>, DedupError> {
    let mut rest = Vec::with_capacity(row.len());
    for document in documents(row) {
        let (other, signature) = document?;
        if other != id {
            push(&mut rest, other, signature)?;
        }
    }
    Ok(rest)
}
