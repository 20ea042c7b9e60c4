//! The links of one URL: those that lead to it, as far as the store knows, and those of its archived page.

use std::collections::HashSet;

use serde::Serialize;
use storage::{Outlinks, StorageError, Store, UrlState, Via};
use url::Url;
use web::canonicalize::CanonicalUrl;
use web::host_key::HostKey;

use crate::archived::ArchivedBody;
use config::settings::Settings;
use error::RunError;

/// The links of a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Links {
    /// The canonical URL.
    pub url: String,
    /// URLs that lead to it, the first ones.
    pub from: Vec<String>,
    /// How many lead to it, as far as the store knows.
    pub from_count: u64,
    /// The links of its page, each URL once, the first ones.
    pub to: Vec<Link>,
    /// How many links the page has.
    pub to_count: u64,
    /// Why the links of the page are not known; null if they are.
    pub unread: Option<String>,
}

/// A link of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Link {
    /// Its canonical URL.
    pub url: String,
    /// Whether the page asks crawlers not to follow it.
    pub nofollow: bool,
}

impl Links {
    /// The links of a URL, at most `limit` of each kind. Reads its archived page.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn of(
        store: &Store,
        outlinks: &Outlinks,
        settings: &Settings,
        url: &Url,
        limit: usize,
    ) -> Result<Self, RunError> {
        let mut links = Self {
            url: url.to_string(),
            from: Vec::new(),
            from_count: 0,
            to: Vec::new(),
            to_count: 0,
            unread: Some("The crawl has no page of this URL.".to_owned()),
        };
        let Some(host) = HostKey::from_url(url) else {
            return Ok(links);
        };
        let (known, count) = store.links_to(outlinks, host.as_str(), url.as_str(), limit)?;
        links.from = known.into_iter().map(|known| known.url).collect();
        links.from_count = count;
        let state = store.url_state(host.as_str(), url.as_str())?;
        links.add_first(store, state.as_ref(), limit)?;
        if let Some(UrlState::Page(id)) = state
            && let Some(page) = store.page(id)?
        {
            match ArchivedBody::of(store, &page) {
                Ok(Some(body)) => links.read(&body, settings, limit),
                Ok(None) => {
                    links.unread = Some(
                        "The archive has no body of this page: of a duplicate it keeps what differs, unless storage.duplicates says body."
                            .to_owned(),
                    );
                }
                Err(error) => links.unread = Some(format!("The archived page cannot be read: {error}.")),
            }
        }
        Ok(links)
    }

    /// What led to the URL first is known of every page, also where the store knows no outlinks.
    fn add_first(&mut self, store: &Store, state: Option<&UrlState>, limit: usize) -> Result<(), StorageError> {
        let via = match state {
            Some(UrlState::Page(id)) => store.page(*id)?.and_then(|page| page.via),
            Some(UrlState::Failed(failure)) => failure.via.clone(),
            _ => None,
        };
        let first = match via {
            Some(Via::Page(id)) => store.page(id)?.map(|page| page.url),
            Some(Via::Url(url)) => Some(url.to_string()),
            None => None,
        };
        if let Some(first) = first
            && !self.from.contains(&first)
            && self.from_count <= limit as u64
        {
            self.from.insert(0, first);
            self.from_count += 1;
        }
        Ok(())
    }

    fn read(&mut self, body: &ArchivedBody, settings: &Settings, limit: usize) {
        let Some(page) = body.read(&settings.reading(&body.url)) else {
            self.unread = Some("The archived body cannot be read as a page again.".to_owned());
            return;
        };
        self.unread = None;
        let mut seen = HashSet::new();
        for link in page.outlinks {
            let canonical = CanonicalUrl::parse(link.url.as_str(), &settings.canonicalize);
            let url = canonical.map_or_else(|_| link.url.to_string(), |url| url.into_url().to_string());
            if seen.insert(url.clone()) {
                self.to_count += 1;
                if self.to.len() < limit {
                    self.to.push(Link {
                        url,
                        nofollow: link.nofollow,
                    });
                }
            }
        }
    }
}
