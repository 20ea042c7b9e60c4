//! The links of one URL: what led to it and what it led to first, which the model knows, and all links, which are read when somebody asks.

use std::collections::HashMap;
use std::sync::Arc;

use storage::Store;
use url::Url;
use url::form_urlencoded::Serializer;

use super::pages::page_link;
use crate::report::html::cut;
use crate::serve::asked::Asked;
use crate::serve::keeper::Current;
use crate::serve::model::{Listed, Model, Outcome, Source};
use crate::serve::reply::{Refusal, Reply};
use crate::serve::site::Site;
use study::links;
use study::typed_url::TypedUrl;
use terminal::units::grouped;

/// Upper bound on the links of each kind that the page shows.
const LINKS: usize = 50;

/// The same where somebody asks for all of them, and for programs.
const ALL_LINKS: usize = 1_000;

const URL_CHARS: usize = 1_000;

/// The URLs that lead to a URL, and those that it led to first.
pub(super) struct Links<'a> {
    pub redirects: Vec<&'a str>,
    pub found: Vec<Listed<'a>>,
    /// All that were found first on the page; `found` has the beginning.
    pub count: String,
    /// The path that shows all links.
    pub more: String,
    /// `None` if nobody asks for them.
    pub all: Option<AllLinks>,
}

impl<'a> Links<'a> {
    pub fn of(model: &'a Model, url: &str, id: Option<u64>) -> Self {
        let source = id.map(Source::Page);
        let is_here = |via: &Option<Source>| source.is_some() && *via == source;
        let pages = model.rows.iter().filter(|row| is_here(&row.via)).map(Listed::Page);
        let others = model.others.iter().filter(|other| is_here(&other.via));
        let mut found: Vec<Listed<'a>> = pages.chain(others.map(Listed::Other)).collect();
        let count = grouped(found.len() as u64);
        found.truncate(LINKS);
        let redirects = model.report.redirects.iter().filter(|redirect| redirect.to == url);
        let query = Serializer::new(String::new())
            .extend_pairs([("url", url), ("links", "all")])
            .finish();
        Self {
            redirects: redirects.map(|redirect| &*redirect.url).take(LINKS).collect(),
            found,
            count,
            more: format!("/page?{query}#links-h"),
            all: None,
        }
    }
}

/// All links of a URL.
pub(super) struct AllLinks {
    pub from: Vec<Linked>,
    pub from_count: String,
    pub to: Vec<Linked>,
    pub to_count: String,
    /// Why the links of the page are not known.
    pub unread: Option<String>,
}

/// The other end of a link.
pub(super) struct Linked {
    pub link: String,
    pub url: String,
    /// `None` for a URL that the crawl does not list.
    pub outcome: Option<Outcome>,
    pub nofollow: bool,
}

fn read(store: &Store, current: &Current, url: &Url) -> Result<links::Links, Refusal> {
    Ok(links::Links::of(
        store,
        &current.model.outlinks,
        &current.model.settings,
        url,
        ALL_LINKS,
    )?)
}

/// The links of a canonical URL, with what became of each.
pub(super) fn all_links(store: &Store, current: &Current, url: &str) -> Result<AllLinks, Refusal> {
    let url = Url::parse(url).map_err(Refusal::bad)?;
    let links = read(store, current, &url)?;
    let urls = links.from.iter().chain(links.to.iter().map(|link| &link.url));
    let outcomes = outcomes(&current.model, urls.map(String::as_str));
    let linked = |url: &String, nofollow| Linked {
        link: page_link(url),
        url: cut(url, URL_CHARS),
        outcome: outcomes.get(url.as_str()).copied().flatten(),
        nofollow,
    };
    Ok(AllLinks {
        from: links.from.iter().map(|url| linked(url, false)).collect(),
        from_count: grouped(links.from_count),
        to: links.to.iter().map(|link| linked(&link.url, link.nofollow)).collect(),
        to_count: grouped(links.to_count),
        unread: links.unread.clone(),
    })
}

/// What became of the URLs. Passes all rows once: no index of them is in memory for this.
fn outcomes<'u>(model: &Model, urls: impl Iterator<Item = &'u str>) -> HashMap<&'u str, Option<Outcome>> {
    let mut outcomes: HashMap<&str, Option<Outcome>> = urls.map(|url| (url, None)).collect();
    let pages = model.rows.iter().map(Listed::Page);
    for row in pages.chain(model.others.iter().map(Listed::Other)) {
        if let Some(outcome) = outcomes.get_mut(row.url()) {
            *outcome = Some(row.outcome());
        }
    }
    outcomes
}

/// For programs.
pub(super) fn json(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let url = asked.value("url");
    let url = url.ok_or_else(|| Refusal::bad("name a URL: /api/links?url=https://example.org/"))?;
    let typed = TypedUrl::parse(url, &current.model.settings.canonicalize).map_err(Refusal::bad)?;
    let is_known =
        |url: &Url| Ok::<_, Refusal>(outcomes(&current.model, [url.as_str()].into_iter())[url.as_str()].is_some());
    let url = typed.known(is_known)?;
    Reply::json(&read(&site.store()?, &current, &url)?)
}
