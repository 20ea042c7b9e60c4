//! Duplicates: the doubtful pairs and the clusters, as lists.

use std::sync::Arc;

use askama::Template;
use axum::http::StatusCode;
use serde::Serialize;

use super::pages::page_link;
use crate::report::html::cut;
use crate::report::{Cluster, Duplicate};
use crate::serve::asked::Asked;
use crate::serve::frame::Frame;
use crate::serve::labels::Labels;
use crate::serve::model::{DoubtfulPair, Model};
use crate::serve::reply::{Refusal, Reply};
use crate::serve::site::Site;
use terminal::units::grouped;

/// Items of one page of a list.
const SHOWN: usize = 25;

const URL_CHARS: usize = 300;

/// A part of a list, with the links to the parts before and after it.
struct Part<'a, T> {
    items: &'a [T],
    page: usize,
    pages: usize,
    from: String,
    to: String,
    total: String,
    before: Option<String>,
    after: Option<String>,
}

impl<'a, T> Part<'a, T> {
    /// The part that the parameter `page` names. `path` ends where the number of the page goes.
    fn of(all: &'a [T], asked: &Asked, path: &str) -> Result<Self, Refusal> {
        let page = asked.number("page")?;
        let pages = all.len().div_ceil(SHOWN).max(1);
        if page > pages {
            let reason = format!("This list has {pages} pages.");
            return Err(Refusal::new(StatusCode::NOT_FOUND, reason));
        }
        let from = (page - 1) * SHOWN;
        let items = &all[from..all.len().min(from + SHOWN)];
        let link = |page: usize| format!("{path}{page}");
        Ok(Self {
            items,
            page,
            pages,
            from: grouped((from + 1) as u64),
            to: grouped((from + items.len()) as u64),
            total: grouped(all.len() as u64),
            before: (page > 1).then(|| link(page - 1)),
            after: (page < pages).then(|| link(page + 1)),
        })
    }
}

#[derive(Serialize)]
struct PartAnswer<T> {
    total: usize,
    page: usize,
    pages: usize,
    rows: Vec<T>,
}

#[derive(Template)]
#[template(path = "serve/duplicates.html")]
struct PairsPage<'a> {
    frame: Frame<'a>,
    model: &'a Model,
    labels: &'a Labels,
    part: Part<'a, DoubtfulPair>,
    /// The first pair without a label.
    next: Option<&'a DoubtfulPair>,
}

impl PairsPage<'_> {
    fn name(&self, id: &u64, url: &str) -> String {
        name(self.model, *id, url)
    }

    fn label(&self, pair: &DoubtfulPair) -> &'static str {
        in_words(self.labels.of(&pair.kept, &pair.other))
    }
}

/// A label as the buttons name it.
pub(super) fn in_words(label: Option<&str>) -> &'static str {
    match label {
        Some("duplicate") => "same",
        Some(_) => "different",
        None => "",
    }
}

/// The title of a page, or its URL.
pub(super) fn name(model: &Model, id: u64, url: &str) -> String {
    match model.row(id).filter(|row| !row.title.is_empty()) {
        Some(row) => cut(&row.title, URL_CHARS),
        None => cut(url, URL_CHARS),
    }
}

pub fn page(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let (model, labels) = (&current.model, site.labels.read()?);
    Reply::page(&PairsPage {
        frame: site.frame("duplicates", Some(&current)),
        part: Part::of(&model.pairs, asked, "/duplicates?page=")?,
        next: model
            .pairs
            .iter()
            .find(|pair| labels.of(&pair.kept, &pair.other).is_none()),
        labels: &labels,
        model,
    })
}

#[derive(Serialize)]
struct PairRow<'a> {
    #[serde(flatten)]
    pair: &'a DoubtfulPair,
    label: Option<&'static str>,
}

pub(super) fn pairs_json(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let labels = site.labels.read()?;
    let part = Part::of(&current.model.pairs, asked, "")?;
    let rows = part.items.iter().map(|pair| PairRow {
        label: labels.of(&pair.kept, &pair.other),
        pair,
    });
    Reply::json(&PartAnswer {
        total: current.model.pairs.len(),
        page: part.page,
        pages: part.pages,
        rows: rows.collect(),
    })
}

#[derive(Template)]
#[template(path = "serve/clusters.html")]
struct ClustersPage<'a> {
    frame: Frame<'a>,
    part: Part<'a, &'a Cluster>,
}

impl ClustersPage<'_> {
    fn name(&self, cluster: &Cluster) -> String {
        cut(
            if cluster.title.is_empty() {
                &cluster.kept
            } else {
                &cluster.title
            },
            URL_CHARS,
        )
    }

    fn size(&self, cluster: &Cluster) -> String {
        grouped(cluster.duplicates.len() as u64)
    }

    fn url(&self, cluster: &Cluster) -> String {
        cut(&cluster.kept, URL_CHARS)
    }
}

pub fn clusters(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let clusters = current.model.report.by_size();
    Reply::page(&ClustersPage {
        frame: site.frame("duplicates", Some(&current)),
        part: Part::of(&clusters, asked, "/duplicates/clusters?page=")?,
    })
}

/// A cluster as in the report, with the number of its kept page.
#[derive(Serialize)]
struct ClusterRow<'a> {
    id: u64,
    #[serde(flatten)]
    cluster: &'a Cluster,
}

pub(super) fn clusters_json(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let clusters = current.model.report.by_size();
    let part = Part::of(&clusters, asked, "")?;
    let rows = part.items.iter().map(|cluster| ClusterRow {
        id: cluster.id,
        cluster,
    });
    Reply::json(&PartAnswer {
        total: clusters.len(),
        page: part.page,
        pages: part.pages,
        rows: rows.collect(),
    })
}

#[derive(Template)]
#[template(path = "serve/cluster.html")]
struct ClusterPage<'a> {
    frame: Frame<'a>,
    model: &'a Model,
    labels: &'a Labels,
    cluster: &'a Cluster,
    part: Part<'a, Duplicate>,
}

impl ClusterPage<'_> {
    fn name(&self, id: &u64, url: &str) -> String {
        name(self.model, *id, url)
    }

    fn link(&self, url: &str) -> String {
        page_link(url)
    }

    fn shown(&self, url: &str) -> String {
        cut(url, URL_CHARS)
    }

    fn label(&self, duplicate: &Duplicate) -> &'static str {
        in_words(self.labels.of(&self.cluster.kept, &duplicate.url))
    }

    fn measures(&self, duplicate: &Duplicate) -> String {
        match (duplicate.distance, duplicate.similarity) {
            (_, Some(similarity)) if duplicate.distance.is_none() => format!("{similarity:.3}, short"),
            (Some(bits), Some(similarity)) => format!("{similarity:.3}, {bits} bits"),
            _ => String::new(),
        }
    }
}

pub(super) fn cluster(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let id: Option<u64> = asked.value("id").and_then(|id| id.parse().ok());
    let mut clusters = current.model.report.clusters.iter();
    let cluster = clusters.find(|cluster| Some(cluster.id) == id);
    let cluster = cluster.ok_or_else(|| {
        let reason = "No kept page has this number now. The list of clusters has the kept pages.";
        Refusal::new(StatusCode::NOT_FOUND, reason)
    })?;
    let path = format!("/duplicates/cluster?id={}&page=", cluster.id);
    Reply::page(&ClusterPage {
        frame: site.frame("duplicates", Some(&current)),
        model: &current.model,
        labels: &site.labels.read()?,
        part: Part::of(&cluster.duplicates, asked, &path)?,
        cluster,
    })
}
