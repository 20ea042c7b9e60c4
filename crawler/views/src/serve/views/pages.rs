//! Pages: the search among all URLs, with what became of each.

use std::sync::Arc;
use std::time::SystemTime;

use askama::Template;
use serde::Serialize;
use url::form_urlencoded::Serializer;

use super::listing::{Address, Column, Head, Order, Part, csv};
use crate::report::html::{cut, filters};
use crate::serve::asked::Asked;
use crate::serve::frame::Frame;
use crate::serve::model::{Listed, Model, Outcome, OutcomeFilter, Query, SortKey};
use crate::serve::moment::Moment;
use crate::serve::reply::{Refusal, Reply};
use crate::serve::site::Site;
use terminal::units::grouped;

/// Pages in one answer.
const SHOWN: usize = 50;

/// Hosts that the form suggests.
const SUGGESTED: usize = 500;

const URL_CHARS: usize = 300;
const TITLE_CHARS: usize = 200;

/// The parameters of a search. `verdict` is the older name of `outcome`.
const NAMES: &[&str] = &["q", "host", "outcome", "verdict", "language", "type"];

#[derive(Template)]
#[template(path = "serve/pages.html")]
struct PagesPage<'a> {
    frame: Frame<'a>,
    query: &'a Query,
    outcome: &'a str,
    model: &'a Model,
    chips: Vec<Chip>,
    heads: Vec<Head>,
    orders: Vec<Order>,
    part: Part<'a, Listed<'a>>,
    rows: Vec<Shown>,
    /// Whether the words may be a URL that has no page.
    may_be_url: bool,
    left_out: Option<String>,
}

impl PagesPage<'_> {
    fn suggested(&self) -> impl Iterator<Item = &String> {
        self.model.hosts.iter().take(SUGGESTED)
    }
}

/// A link to the URLs with an outcome.
struct Chip {
    name: &'static str,
    class: &'static str,
    count: String,
    link: String,
    is_current: bool,
}

/// A row of the table.
struct Shown {
    /// The path of its page.
    link: String,
    url: String,
    title: String,
    outcome: Outcome,
    note: String,
    /// The kept page that a dropped one repeats.
    repeats: Option<KeptPage>,
    language: String,
    fetched: Option<Moment>,
}

/// A kept page with its path here.
struct KeptPage {
    url: String,
    link: String,
}

impl Shown {
    fn of(row: Listed<'_>, model: &Model, now: SystemTime) -> Self {
        let fetched = Some(row.fetched_at()).filter(|at| !at.is_empty());
        Self {
            link: page_link(row.url()),
            url: cut(row.url(), URL_CHARS),
            title: cut(row.title(), TITLE_CHARS),
            outcome: row.outcome(),
            note: cut(&why(row, model), URL_CHARS),
            repeats: repeated(row, model).map(|kept| KeptPage {
                url: cut(kept, URL_CHARS),
                link: page_link(kept),
            }),
            language: cut(row.language(), TITLE_CHARS),
            fetched: fetched.map(|at| Moment::of(at, now)),
        }
    }
}

/// The kept page that a dropped one repeats.
fn repeated<'m>(row: Listed<'_>, model: &'m Model) -> Option<&'m str> {
    match row {
        Listed::Page(page) if OutcomeFilter::Dropped.takes(page.outcome) => {
            page.cluster.and_then(|id| model.row(id)).map(|kept| &*kept.url)
        }
        _ => None,
    }
}

/// Why there is no page, or what a dropped page repeats; empty for a kept one.
fn why(row: Listed<'_>, model: &Model) -> String {
    match row {
        Listed::Page(page) if OutcomeFilter::Dropped.takes(page.outcome) => repeated(row, model)
            .map(|kept| format!("repeats {kept}"))
            .unwrap_or_default(),
        _ => row.note().to_owned(),
    }
}

/// The path of the page about a URL.
pub(super) fn page_link(url: &str) -> String {
    format!(
        "/page?{}",
        Serializer::new(String::new()).append_pair("url", url).finish()
    )
}

#[derive(Serialize)]
struct PagesAnswer<'a> {
    total: usize,
    page: usize,
    pages: usize,
    rows: &'a [Listed<'a>],
}

/// The search that a request asks for; `all` are the outcomes without a parameter.
fn query(asked: &Asked, all: OutcomeFilter) -> Result<Query, Refusal> {
    let owned = |name| asked.value(name).map(str::to_owned);
    let outcome = match asked.value("outcome").or_else(|| asked.value("verdict")) {
        None => all,
        Some(name) => OutcomeFilter::named(name).ok_or_else(|| {
            let names = Outcome::ALL.map(Outcome::name).join(", ");
            Refusal::bad(format!("outcome must be any, fetched, dropped, {names}"))
        })?,
    };
    let sort = match address(asked).sort() {
        None => None,
        Some((key, is_descending)) => {
            let key = SortKey::named(key);
            let key = key.ok_or_else(|| Refusal::bad("sort must be url, outcome, language or fetched"))?;
            Some((key, is_descending))
        }
    };
    Ok(Query {
        words: owned("q").unwrap_or_default(),
        host: owned("host"),
        language: owned("language"),
        kind: owned("type"),
        outcome,
        sort,
    })
}

fn address(asked: &Asked) -> Address<'_> {
    Address {
        path: "/pages",
        names: NAMES,
        asked,
    }
}

/// Links to the outcomes that the crawl has.
fn chips(model: &Model, asked: &Asked, now: OutcomeFilter) -> Vec<Chip> {
    let chip = |filter, name, class, count, value: &str| Chip {
        name,
        class,
        count: grouped(count),
        link: address(asked).with("", &[("verdict", ""), ("outcome", value)]),
        is_current: filter == now,
    };
    let all = model.outcomes.iter().map(|(_, count)| count).sum();
    let outcomes = model.outcomes.iter().map(|(outcome, count)| {
        let filter = OutcomeFilter::Only(*outcome);
        chip(filter, outcome.words(), outcome.class(), *count, outcome.name())
    });
    let any = chip(OutcomeFilter::Any, "all", "", all, "");
    std::iter::once(any).chain(outcomes).collect()
}

pub fn page(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let (current, now) = (site.current()?, SystemTime::now());
    let model = &current.model;
    let query = query(asked, OutcomeFilter::Any)?;
    let found = model.find(&query);
    let part = Part::of(&found, SHOWN, address(asked))?;
    let column = |name, class, key| Column { name, class, key };
    Reply::page(&PagesPage {
        frame: site.frame("pages", Some(&current)),
        outcome: asked
            .value("outcome")
            .or_else(|| asked.value("verdict"))
            .unwrap_or_default(),
        chips: chips(model, asked, query.outcome),
        heads: address(asked).heads([
            column("page", "u", "url"),
            column("outcome", "t", "outcome"),
            column("why", "u", ""),
            column("language", "t", "language"),
            column("fetched", "t", "fetched"),
        ]),
        orders: address(asked).orders([
            ("", "of decision"),
            ("url", "URL"),
            ("outcome", "outcome"),
            ("language", "language"),
            ("-fetched", "newest first"),
            ("fetched", "oldest first"),
        ]),
        rows: part.items.iter().map(|row| Shown::of(*row, model, now)).collect(),
        part,
        may_be_url: query.words.contains(['.', ':']) && !query.words.contains(' '),
        left_out: (model.left_out > 0).then(|| grouped(model.left_out)),
        model,
        query: &query,
    })
}

/// All rows of a search as a file.
pub(super) fn file(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let query = query(asked, OutcomeFilter::Any)?;
    let heads = ["url", "title", "outcome", "why", "language", "fetched"];
    Ok(csv("pages.csv", heads, move |lines| {
        let model = &current.model;
        for row in model.find(&query) {
            let why = why(row, model);
            lines.line(&[
                row.url(),
                row.title(),
                row.outcome().name(),
                &why,
                row.language(),
                row.fetched_at(),
            ])?;
        }
        Ok(())
    }))
}

pub(super) fn json(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let found = current.model.find(&query(asked, OutcomeFilter::Fetched)?);
    let part = Part::of(&found, SHOWN, address(asked))?;
    Reply::json(&PagesAnswer {
        total: part.count,
        page: part.page,
        pages: part.pages,
        rows: part.items,
    })
}
