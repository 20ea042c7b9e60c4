//! The outcomes of finished URLs, with their outlinks.

use serde::{Deserialize, Serialize};

use crate::catalogue::Catalogue;
use crate::commit::Piece;
use crate::commit::staged::Latest;
use crate::edges::Edges;
use crate::error::StorageError;
use crate::format;
use crate::frontier::{UrlId, Via};
use crate::outlinks::Outlinks;
use crate::url_state::{Failure, UrlState};

/// The table of ⟨[`UrlRow`]⟩ and ⟨[`Edges`]⟩, by the number of the URL.
const URLS: u8 = b'u';

/// First byte of the row of a [`UrlState::Failed`].
const FAILED: u8 = 3;

/// The row's name in the error for a damaged state.
const URL_STATE: &str = "a URL's state";

/// A URL that the store knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownUrl {
    /// The key of its host.
    pub host: String,
    /// The URL.
    pub url: String,
    /// Its state.
    pub state: UrlState,
}

/// A URL that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedUrl {
    /// The key of its host.
    pub host: String,
    /// The URL.
    pub url: String,
    /// Why it failed.
    pub failure: Failure,
    /// The URL of what links to it; `None` for a seed.
    pub via: Option<String>,
}

/// The row of a finished URL.
#[derive(Debug, Serialize, Deserialize)]
struct UrlRow {
    state: UrlState,
    /// Host and packed URL; `None` for a page, whose record has them.
    url: Option<(String, String)>,
}

impl UrlRow {
    /// The name of the URL, and its outcome; `None` if the row is damaged or names a page that is not there.
    fn known(self, catalogue: Catalogue<'_>) -> Result<Option<KnownUrl>, StorageError> {
        let name = match (&self.state, self.url) {
            (UrlState::Page(sequence), _) => catalogue.latest(*sequence)?.map(|page| (page.host, page.url)),
            (_, Some((host, packed))) => format::unpack_url(&host, &packed).map(|url| (host, url)),
            (_, None) => None,
        };
        let state = self.state;
        Ok(name.map(|(host, url)| KnownUrl { host, url, state }))
    }
}

/// A finished URL.
pub(crate) struct FinishedUrl {
    row: UrlRow,
    pub edges: Edges,
}

impl FinishedUrl {
    pub fn state(&self) -> &UrlState {
        &self.row.state
    }

    pub fn into_state(self) -> UrlState {
        self.row.state
    }
}

/// The finished URLs.
#[derive(Clone, Copy)]
pub(crate) struct FinishedUrls<'a> {
    rows: Latest<'a>,
}

impl<'a> FinishedUrls<'a> {
    pub fn new(rows: Latest<'a>) -> Self {
        Self { rows }
    }

    /// The committed outcome of a URL; `None` for a URL in the queue.
    pub fn state_of(self, id: UrlId) -> Result<Option<UrlState>, StorageError> {
        let row: Option<UrlRow> = self.rows.state().row(format::numbered(URLS, id), URL_STATE)?;
        Ok(row.map(|row| row.state))
    }

    /// A finished URL, with staged changes; `None` for a URL in the queue.
    pub fn latest(self, id: UrlId) -> Result<Option<FinishedUrl>, StorageError> {
        let row = self.rows.get(&format::numbered(URLS, id))?;
        row.map(|row| read(&row).ok_or_else(|| self.corrupt())).transpose()
    }

    /// The name of a finished URL; `None` if its page is not there.
    pub fn name_of(self, url: FinishedUrl) -> Result<Option<KnownUrl>, StorageError> {
        url.row.known(Catalogue::new(self.rows))
    }

    /// Iterates over the committed finished URLs with their numbers, in the order of discovery.
    pub fn all(self) -> impl Iterator<Item = Result<(UrlId, FinishedUrl), StorageError>> + use<'a> {
        self.rows.state().scan([URLS]).map(move |row| {
            let (key, row) = row?;
            let url = format::number(URLS, &key).zip(read(&row));
            url.ok_or_else(|| self.corrupt())
        })
    }

    /// The outlinks of all committed finished URLs.
    pub fn outlinks(self) -> Result<Outlinks, StorageError> {
        let mut outlinks = Outlinks::default();
        for row in self.rows.state().scan([URLS]) {
            let (key, row) = row?;
            let rest = postcard::take_from_bytes::<UrlRow>(&row).ok().map(|(_, edges)| edges);
            let whole = rest.filter(|edges| postcard::from_bytes::<Edges>(edges).is_ok());
            let (id, edges) = format::number(URLS, &key).zip(whole).ok_or_else(|| self.corrupt())?;
            outlinks.push(id, edges);
        }
        Ok(outlinks)
    }

    /// As [`all`](Self::all), by their names.
    pub fn known(self) -> impl Iterator<Item = Result<KnownUrl, StorageError>> + use<'a> {
        self.all().map(move |row| {
            let (_, url) = row?;
            self.name_of(url)?.ok_or_else(|| self.corrupt())
        })
    }

    /// Iterates over the committed URLs that failed, in the order of discovery. Reads the rows of all finished URLs.
    pub fn failures(self) -> impl Iterator<Item = Result<FailedUrl, StorageError>> + use<'a> {
        let is_failure = |row: &Result<_, _>| {
            row.as_ref()
                .map_or(true, |(_, row): &crate::batch::KeyValue| row.first() == Some(&FAILED))
        };
        self.rows
            .state()
            .scan([URLS])
            .filter(is_failure)
            .filter_map(move |row| {
                let failed = row.and_then(|(_, row)| {
                    let row: UrlRow = self.rows.state().decode(URL_STATE, &row)?;
                    let Some(KnownUrl { host, url, state }) = row.known(Catalogue::new(self.rows))? else {
                        return Err(self.corrupt());
                    };
                    let UrlState::Failed(failure) = state else {
                        return Ok(None);
                    };
                    let via = match &failure.via {
                        Some(Via::Page(sequence)) => Catalogue::new(self.rows).page(*sequence)?.map(|page| page.url),
                        Some(Via::Url(url)) => Some(url.to_string()),
                        None => None,
                    };
                    Ok(Some(FailedUrl {
                        host,
                        url,
                        failure,
                        via,
                    }))
                });
                failed.transpose()
            })
    }

    pub fn corrupt(self) -> StorageError {
        self.rows.state().corrupt(URL_STATE)
    }

    /// Sets the outcome of a URL.
    pub fn set(
        id: UrlId,
        (host, url): (&str, &str),
        state: UrlState,
        edges: &Edges,
        piece: &mut Piece,
    ) -> Result<(), StorageError> {
        let is_page = matches!(state, UrlState::Page(_));
        let url = (!is_page).then(|| (host.to_owned(), format::pack_url(host, url)));
        Self::set_row(id, &UrlRow { state, url }, edges, piece)
    }

    /// Sets the outlinks of a finished URL.
    pub fn set_edges(id: UrlId, url: &FinishedUrl, edges: &Edges, piece: &mut Piece) -> Result<(), StorageError> {
        Self::set_row(id, &url.row, edges, piece)
    }

    fn set_row(id: UrlId, row: &UrlRow, edges: &Edges, piece: &mut Piece) -> Result<(), StorageError> {
        let row = postcard::to_extend(edges, format::encode(row)?).map_err(StorageError::Encode)?;
        piece.set(format::numbered(URLS, id), row);
        Ok(())
    }

    /// Removes the outcome of a URL, which returns to the queue.
    pub fn remove(id: UrlId, piece: &mut Piece) {
        piece.remove(format::numbered(URLS, id));
    }
}

fn read(row: &[u8]) -> Option<FinishedUrl> {
    let (row, edges) = postcard::take_from_bytes::<UrlRow>(row).ok()?;
    let edges = postcard::from_bytes(edges).ok()?;
    Some(FinishedUrl { row, edges })
}
