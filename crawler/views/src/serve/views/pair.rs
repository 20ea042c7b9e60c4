//! One pair of pages side by side, and its label.

use std::sync::Arc;

use askama::Template;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use storage::Store;

use super::pages::page_link;
use crate::report::html::{StaticDiff, StaticRow, cut, filters};
use crate::serve::asked::Asked;
use crate::serve::frame::Frame;
use crate::serve::model::{DoubtfulPair, Model, Outcome, OutcomeFilter};
use crate::serve::reply::{Refusal, Reply};
use crate::serve::site::Site;
use crawl::labels::Label;
use study::diff::{self, Diff};
use study::named_page::{NamedPage, text_elsewhere};

/// The rows of a difference that the page shows.
const SHOWN: diff::Options = diff::Options {
    context: 2,
    max_rows: 400,
    max_line_chars: 2_000,
};

const URL_CHARS: usize = 1_000;

/// A page of the pair.
#[derive(Debug, Serialize)]
struct Side {
    id: u64,
    url: String,
    title: String,
    /// The number of the worker whose folder holds the page, if it is not this folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    worker: Option<u16>,
}

impl Side {
    fn name(&self) -> String {
        cut(if self.title.is_empty() { &self.url } else { &self.title }, URL_CHARS)
    }

    fn link(&self) -> String {
        page_link(&self.url)
    }

    fn shown(&self) -> String {
        cut(&self.url, URL_CHARS)
    }
}

/// The two pages, compared.
#[derive(Debug, Serialize)]
struct Compared {
    kept: Side,
    other: Side,
    label: Option<&'static str>,
    /// `None` if the archive does not hold a text.
    diff: Option<Diff>,
}

#[derive(Template)]
#[template(path = "serve/pair.html")]
struct PairPage<'a> {
    frame: Frame<'a>,
    compared: &'a Compared,
    /// The pair in the list of doubtful pairs, if it is there.
    doubtful: Option<&'a DoubtfulPair>,
    /// What became of the other page; `None` if it is another worker's.
    outcome: Option<Outcome>,
    is_dropped: bool,
    diff: Option<StaticDiff>,
    before: Option<String>,
    after: Option<String>,
    /// Place and length of the list.
    place: Option<(usize, usize)>,
    /// The list that the pair belongs to.
    list: String,
}

impl PairPage<'_> {
    fn is(&self, label: &str) -> bool {
        self.compared.label == Some(label)
    }

    /// The head of the right side of the difference.
    fn right(&self) -> &'static str {
        if self.is_dropped { "dropped page" } else { "other page" }
    }

    /// Why there is no difference to show.
    fn without_diff(&self) -> String {
        let sides = [&self.compared.kept, &self.compared.other];
        match sides.into_iter().find_map(|side| Some((side, side.worker?))) {
            Some((side, worker)) => format!("{}: {}.", side.shown(), text_elsewhere(worker)),
            None => "The archive does not hold the text of one of the pages.".to_owned(),
        }
    }

    fn label(&self) -> &'static str {
        super::duplicates::in_words(self.compared.label)
    }
}

fn numbers(asked: &Asked) -> Result<(u64, u64), Refusal> {
    let number = |name| asked.value(name).and_then(|number| number.parse().ok());
    let pair = number("kept").zip(number("other"));
    pair.ok_or_else(|| Refusal::bad("name two pages by their numbers: kept=1&other=2"))
}

fn side(store: &Store, id: u64) -> Result<(Side, Option<String>), Refusal> {
    let page = NamedPage::find(store, id)?;
    let page = page.ok_or_else(|| Refusal::new(StatusCode::NOT_FOUND, format!("The crawl has no page {id}.")))?;
    // A damaged record is no reason to hide the pair.
    let record = store.page(id)?;
    let text = record.and_then(|record| store.text_of(&record).ok().flatten());
    let side = Side {
        id,
        url: page.url,
        title: page.title,
        worker: page.worker,
    };
    Ok((side, text))
}

fn compared(site: &Site, (kept, other): (u64, u64)) -> Result<Compared, Refusal> {
    let store = site.store()?;
    let ((kept, one), (other, two)) = (side(&store, kept)?, side(&store, other)?);
    drop(store);
    Ok(Compared {
        label: site.labels.read()?.of(&kept.url, &other.url),
        diff: one.zip(two).map(|(one, two)| diff::diff(&one, &two, &SHOWN)),
        kept,
        other,
    })
}

/// The pairs among which the keys go on: those of the cluster, or the doubtful ones.
fn list(model: &Model, asked: &Asked, kept: u64) -> (Vec<(u64, u64)>, &'static str) {
    if asked.value("list") != Some("cluster") {
        let pairs = model.pairs.iter().map(|pair| (pair.kept_id, pair.other_id));
        return (pairs.collect(), "");
    }
    let cluster = model.report.clusters.iter().find(|cluster| cluster.id == kept);
    let pairs = cluster.into_iter().flat_map(|cluster| {
        let others = cluster.duplicates.iter();
        others.map(|duplicate| (cluster.id, duplicate.id))
    });
    (pairs.collect(), "&list=cluster")
}

pub fn page(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let model = &current.model;
    let pair = numbers(asked)?;
    let compared = compared(site, pair)?;
    let (pairs, suffix) = list(model, asked, pair.0);
    let at = pairs.iter().position(|listed| *listed == pair);
    let link = |place: usize| {
        let (kept, other) = pairs.get(place)?;
        Some(format!("/duplicates/pair?kept={kept}&other={other}{suffix}"))
    };
    let outcome = model.row(pair.1).map(|row| row.outcome);
    Reply::page(&PairPage {
        outcome,
        is_dropped: outcome.is_some_and(|outcome| OutcomeFilter::Dropped.takes(outcome)),
        frame: site.frame("duplicates", Some(&current)),
        doubtful: model
            .pairs
            .iter()
            .find(|doubtful| (doubtful.kept_id, doubtful.other_id) == pair),
        diff: compared.diff.as_ref().map(StaticDiff::of),
        before: at.and_then(|at| at.checked_sub(1)).and_then(link),
        after: at.and_then(|at| link(at + 1)),
        place: at.map(|at| (at + 1, pairs.len())),
        list: match suffix {
            "" => "/duplicates".to_owned(),
            _ => format!("/duplicates/cluster?id={}", pair.0),
        },
        compared: &compared,
    })
}

pub(super) fn json(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    Reply::json(&compared(site, numbers(asked)?)?)
}

/// The label that a page sends.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    a: String,
    b: String,
    label: Label,
}

/// Writes a label.
pub(super) fn label(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let form = "send {\"a\": URL, \"b\": URL, \"label\": \"duplicate\", \"different\" or \"withdrawn\"}";
    let given: Given = serde_json::from_slice(&asked.body).map_err(|error| Refusal::bad(format!("{form}: {error}")))?;
    let current = site.current()?;
    let model = &current.model;
    let of_other_workers = |url: &str| {
        let mut clusters = model.report.clusters.iter();
        clusters.any(|cluster| cluster.worker.is_some() && cluster.kept == url)
    };
    let is_page = |url: &str| model.rows.iter().any(|row| *row.url == *url) || of_other_workers(url);
    if let Some(unknown) = [&given.a, &given.b].into_iter().find(|url| !is_page(url)) {
        return Err(Refusal::bad(format!("{unknown} is not a page of this crawl")));
    }
    if given.a == given.b {
        return Err(Refusal::bad("a label is about two different pages"));
    }
    site.labels.write(&given.a, &given.b, given.label)?;
    labels(site)
}

/// All labels.
pub(super) fn labels(site: &Arc<Site>) -> Result<Reply, Refusal> {
    let labels = site.labels.read()?;
    let pairs: Vec<_> = labels
        .sorted()
        .into_iter()
        .map(|(a, b, label)| json!({"a": a, "b": b, "label": label}))
        .collect();
    Reply::json(&json!({
        "file": site.labels.path().display().to_string(),
        "count": labels.len(),
        "bad_lines": labels.bad_lines,
        "labels": pairs,
    }))
}
