//! Duplicates: the doubtful pairs and the clusters, as lists.

use std::sync::Arc;

use askama::Template;
use axum::http::StatusCode;
use serde::Serialize;

use super::listing::{Address, Column, Head, Order, Part, csv};
use super::pages::page_link;
use crate::report::html::{cut, filters};
use crate::report::{Cluster, Duplicate, DuplicateVerdict};
use crate::serve::asked::Asked;
use crate::serve::frame::Frame;
use crate::serve::labels::Labels;
use crate::serve::model::{DoubtfulPair, Model, Outcome};
use crate::serve::reply::{Refusal, Reply};
use crate::serve::site::Site;
use terminal::units::grouped;

/// Items of one page of a list.
const SHOWN: usize = 25;

const URL_CHARS: usize = 300;

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
    words: &'a str,
    heads: Vec<Head>,
    orders: Vec<Order>,
    part: Part<'a, &'a DoubtfulPair>,
    /// The first pair without a label.
    next: Option<&'a DoubtfulPair>,
}

impl PairsPage<'_> {
    fn name(&self, id: &u64, url: &str) -> String {
        name(self.model, *id, url)
    }

    fn link(&self, url: &str) -> String {
        page_link(url)
    }

    fn label(&self, pair: &DoubtfulPair) -> &'static str {
        in_words(self.labels.of(&pair.kept, &pair.other))
    }

    fn shown(&self, url: &str) -> String {
        cut(url, URL_CHARS)
    }

    fn verdict(&self, pair: &DoubtfulPair) -> Outcome {
        verdict(pair)
    }

    fn bits(&self, pair: &DoubtfulPair) -> String {
        bits(pair)
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

const fn column(name: &'static str, class: &'static str, key: &'static str) -> Column {
    Column { name, class, key }
}

fn pairs_address(asked: &Asked) -> Address<'_> {
    Address {
        path: "/duplicates",
        names: &["q"],
        asked,
    }
}

/// The pairs with the words, in the order that is asked for.
fn pairs<'m>(model: &'m Model, asked: &Asked) -> Result<Vec<&'m DoubtfulPair>, Refusal> {
    let words = asked.value("q").unwrap_or_default().to_lowercase();
    let title = |id| model.row(id).map(|row| row.title.to_lowercase()).unwrap_or_default();
    let has_all = |pair: &&DoubtfulPair| {
        let texts = [pair.kept.to_lowercase(), pair.other.to_lowercase()];
        let texts = texts.into_iter().chain([title(pair.kept_id), title(pair.other_id)]);
        let text = texts.collect::<Vec<_>>().join("\n");
        words.split_whitespace().all(|word| text.contains(word))
    };
    let mut pairs: Vec<_> = model.pairs.iter().filter(has_all).collect();
    match pairs_address(asked).sort() {
        None => {}
        Some(("similarity", _)) => pairs.sort_by(|a, b| a.similarity.total_cmp(&b.similarity)),
        Some(("distance", _)) => pairs.sort_by_key(|pair| pair.distance),
        Some(("verdict", _)) => pairs.sort_by_key(|pair| pair.because.is_some()),
        Some(_) => return Err(Refusal::bad("sort must be similarity, distance or verdict")),
    }
    if pairs_address(asked)
        .sort()
        .is_some_and(|(_, is_descending)| is_descending)
    {
        pairs.reverse();
    }
    Ok(pairs)
}

pub fn page(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let (model, labels) = (&current.model, site.labels.read()?);
    let pairs = pairs(model, asked)?;
    Reply::page(&PairsPage {
        frame: site.frame("duplicates", Some(&current)),
        words: asked.value("q").unwrap_or_default(),
        heads: pairs_address(asked).heads([
            column("kept page", "u", ""),
            column("other page", "u", ""),
            column("verdict on the other", "t", "verdict"),
            column("similarity", "n", "similarity"),
            column("bits", "n", "distance"),
            column("your label", "t", ""),
        ]),
        orders: pairs_address(asked).orders([
            ("", "most doubtful first"),
            ("-similarity", "most similar first"),
            ("similarity", "least similar first"),
            ("distance", "fewest bits first"),
            ("-distance", "most bits first"),
            ("verdict", "verdict"),
        ]),
        part: Part::of(&pairs, SHOWN, pairs_address(asked))?,
        next: model
            .pairs
            .iter()
            .find(|pair| labels.of(&pair.kept, &pair.other).is_none()),
        labels: &labels,
        model,
    })
}

/// All pairs as a file.
pub(super) fn pairs_file(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let (pairs, labels) = (pairs(&current.model, asked)?, site.labels.read()?);
    let heads = ["kept", "other", "verdict", "similarity", "bits", "label"];
    // There are at most as many as the model lists.
    let rows = pairs.into_iter().map(|pair| {
        [
            pair.kept.clone(),
            pair.other.clone(),
            verdict(pair).name().to_owned(),
            pair.similarity.to_string(),
            bits(pair),
            labels.of(&pair.kept, &pair.other).unwrap_or_default().to_owned(),
        ]
    });
    let rows: Vec<[String; 6]> = rows.collect();
    Ok(csv("pairs.csv", heads, move |lines| {
        rows.iter().try_for_each(|row| lines.line(row))
    }))
}

/// What became of the other page of a pair.
pub(super) fn verdict(pair: &DoubtfulPair) -> Outcome {
    if pair.because.is_some() {
        Outcome::Kept
    } else {
        Outcome::Near
    }
}

fn bits(pair: &DoubtfulPair) -> String {
    pair.distance.map(|bits| bits.to_string()).unwrap_or_default()
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
    let pairs = pairs(&current.model, asked)?;
    let part = Part::of(&pairs, SHOWN, pairs_address(asked))?;
    let rows = part.items.iter().map(|pair| PairRow {
        label: labels.of(&pair.kept, &pair.other),
        pair,
    });
    Reply::json(&PartAnswer {
        total: part.count,
        page: part.page,
        pages: part.pages,
        rows: rows.collect(),
    })
}

#[derive(Template)]
#[template(path = "serve/clusters.html")]
struct ClustersPage<'a> {
    frame: Frame<'a>,
    words: &'a str,
    heads: Vec<Head>,
    orders: Vec<Order>,
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

fn clusters_address(asked: &Asked) -> Address<'_> {
    Address {
        path: "/duplicates/clusters",
        names: &["q"],
        asked,
    }
}

/// The clusters whose kept page has the words, in the order that is asked for.
fn found_clusters<'m>(model: &'m Model, asked: &Asked) -> Result<Vec<&'m Cluster>, Refusal> {
    let words = asked.value("q").unwrap_or_default().to_lowercase();
    let mut clusters = model.report.by_size();
    clusters.retain(|cluster| {
        let text = format!("{}\n{}", cluster.kept, cluster.title).to_lowercase();
        words.split_whitespace().all(|word| text.contains(word))
    });
    match clusters_address(asked).sort() {
        None | Some(("size", true)) => {}
        Some(("size", false)) => clusters.reverse(),
        Some(("url", is_descending)) => {
            clusters.sort_by(|a, b| a.kept.cmp(&b.kept));
            if is_descending {
                clusters.reverse();
            }
        }
        Some(_) => return Err(Refusal::bad("sort must be url or size")),
    }
    Ok(clusters)
}

pub fn clusters(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let clusters = found_clusters(&current.model, asked)?;
    let address = clusters_address(asked);
    Reply::page(&ClustersPage {
        frame: site.frame("duplicates", Some(&current)),
        words: asked.value("q").unwrap_or_default(),
        heads: address.heads([column("kept page", "u", "url"), column("pages dropped", "n", "size")]),
        orders: address.orders([("", "largest first"), ("size", "smallest first"), ("url", "URL")]),
        part: Part::of(&clusters, SHOWN, address)?,
    })
}

/// All clusters as a file: a line for each dropped page.
pub(super) fn clusters_file(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let (current, asked) = (site.current()?, asked.clone());
    // An order that does not exist is refused before the file begins.
    found_clusters(&current.model, &asked)?;
    Ok(csv("clusters.csv", ["kept", "dropped", "verdict"], move |lines| {
        for cluster in found_clusters(&current.model, &asked).unwrap_or_default() {
            for page in &cluster.duplicates {
                lines.line(&[&*cluster.kept, &*page.url, page.verdict.as_str()])?;
            }
        }
        Ok(())
    }))
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
    let clusters = found_clusters(&current.model, asked)?;
    let part = Part::of(&clusters, SHOWN, clusters_address(asked))?;
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
    heads: Vec<Head>,
    part: Part<'a, Duplicate>,
    /// Whether a row has a label.
    is_labelled: bool,
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

    fn verdict(&self, duplicate: &Duplicate) -> Outcome {
        match duplicate.verdict {
            DuplicateVerdict::Exact => Outcome::Exact,
            DuplicateVerdict::Near => Outcome::Near,
        }
    }

    fn similarity(&self, duplicate: &Duplicate) -> String {
        duplicate
            .similarity
            .map(|similarity| format!("{similarity:.3}"))
            .unwrap_or_default()
    }

    /// A text that is too short for a fingerprint has no distance.
    fn bits(&self, duplicate: &Duplicate) -> String {
        match (duplicate.distance, duplicate.similarity) {
            (Some(bits), _) => bits.to_string(),
            (None, Some(_)) => "short".to_owned(),
            (None, None) => String::new(),
        }
    }
}

fn cluster_address(asked: &Asked) -> Address<'_> {
    Address {
        path: "/duplicates/cluster",
        names: &["id"],
        asked,
    }
}

/// The cluster that the parameter `id` names.
fn named<'m>(model: &'m Model, asked: &Asked) -> Result<&'m Cluster, Refusal> {
    let id: Option<u64> = asked.value("id").and_then(|id| id.parse().ok());
    let mut clusters = model.report.clusters.iter();
    let cluster = clusters.find(|cluster| Some(cluster.id) == id);
    cluster.ok_or_else(|| {
        let reason = "No kept page has this number now. The list of clusters has the kept pages.";
        Refusal::new(StatusCode::NOT_FOUND, reason)
    })
}

pub(super) fn cluster(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let cluster = named(&current.model, asked)?;
    let (address, labels) = (cluster_address(asked), site.labels.read()?);
    let part = Part::of(&cluster.duplicates, SHOWN, address)?;
    let is_labelled = part
        .items
        .iter()
        .any(|page| labels.of(&cluster.kept, &page.url).is_some());
    let mut heads = address.heads([
        column("dropped page", "u", ""),
        column("verdict", "t", ""),
        column("similarity", "n", ""),
        column("bits", "n", ""),
        column("your label", "t", ""),
    ]);
    heads.truncate(heads.len() - usize::from(!is_labelled));
    Reply::page(&ClusterPage {
        frame: site.frame("duplicates", Some(&current)),
        model: &current.model,
        labels: &labels,
        heads,
        part,
        is_labelled,
        cluster,
    })
}

/// All pages of a cluster as a file.
pub(super) fn cluster_file(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let asked = asked.clone();
    named(&current.model, &asked)?;
    let heads = ["dropped", "verdict", "similarity", "bits"];
    Ok(csv("cluster.csv", heads, move |lines| {
        let cluster = named(&current.model, &asked);
        for page in cluster.iter().flat_map(|cluster| &cluster.duplicates) {
            let similarity = page.similarity.map(|least| least.to_string()).unwrap_or_default();
            let bits = page.distance.map(|bits| bits.to_string()).unwrap_or_default();
            lines.line(&[&*page.url, page.verdict.as_str(), &similarity, &bits])?;
        }
        Ok(())
    }))
}
