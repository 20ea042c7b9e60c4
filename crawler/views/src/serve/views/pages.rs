//! Pages: the search among the current pages.

use std::sync::Arc;

use askama::Template;
use axum::http::StatusCode;
use serde::Serialize;
use url::form_urlencoded::Serializer;

use crate::report::html::cut;
use crate::serve::asked::Asked;
use crate::serve::frame::Frame;
use crate::serve::model::{Model, Query, Row, VerdictFilter};
use crate::serve::reply::{Refusal, Reply};
use crate::serve::site::Site;
use terminal::units::grouped;

/// Pages in one answer.
const SHOWN: usize = 50;

/// Hosts that the form suggests.
const SUGGESTED: usize = 500;

const URL_CHARS: usize = 300;
const TITLE_CHARS: usize = 200;

#[derive(Template)]
#[template(path = "serve/pages.html")]
struct PagesPage<'a> {
    frame: Frame<'a>,
    query: &'a Query,
    verdict: &'a str,
    model: &'a Model,
    rows: Vec<Shown<'a>>,
    total: String,
    from: String,
    to: String,
    /// Whether the words may be a URL that has no page.
    may_be_url: bool,
    before: Option<String>,
    after: Option<String>,
}

impl PagesPage<'_> {
    fn suggested(&self) -> impl Iterator<Item = &String> {
        self.model.hosts.iter().take(SUGGESTED)
    }

    fn verdicts(&self) -> impl Iterator<Item = &'static str> {
        VerdictFilter::ALL.into_iter().map(|(name, _)| name)
    }
}

/// A row of the table.
struct Shown<'a> {
    row: &'a Row,
    /// The path of its page.
    link: String,
    url: String,
    title: String,
}

impl<'a> Shown<'a> {
    fn of(row: &'a Row) -> Self {
        Self {
            link: page_link(&row.url),
            url: cut(&row.url, URL_CHARS),
            title: cut(&row.title, TITLE_CHARS),
            row,
        }
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
    rows: &'a [&'a Row],
}

/// The found rows of one page of the answer.
struct Found<'a> {
    total: usize,
    page: usize,
    rows: Vec<&'a Row>,
}

impl<'a> Found<'a> {
    fn of(query: &Query, asked: &Asked, model: &'a Model) -> Result<Self, Refusal> {
        let found = query.find(&model.rows);
        let page = asked.number("page")?;
        let from = (page - 1).saturating_mul(SHOWN);
        if from > 0 && from >= found.len() {
            let reason = format!(
                "The search has {} pages of results.",
                found.len().div_ceil(SHOWN).max(1)
            );
            return Err(Refusal::new(StatusCode::NOT_FOUND, reason));
        }
        Ok(Self {
            total: found.len(),
            page,
            rows: found.into_iter().skip(from).take(SHOWN).collect(),
        })
    }

    fn pages(&self) -> usize {
        self.total.div_ceil(SHOWN).max(1)
    }
}

fn query(asked: &Asked) -> Result<Query, Refusal> {
    let owned = |name| asked.value(name).map(str::to_owned);
    let verdict = match asked.value("verdict") {
        None => None,
        Some(name) => {
            let found = VerdictFilter::ALL.into_iter().find(|(known, _)| *known == name);
            let (_, verdict) = found.ok_or_else(|| Refusal::bad("verdict must be kept, dropped, exact or near"))?;
            Some(verdict)
        }
    };
    Ok(Query {
        words: owned("q").unwrap_or_default(),
        host: owned("host"),
        language: owned("language"),
        verdict,
    })
}

pub fn page(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let query = query(asked)?;
    let found = Found::of(&query, asked, &current.model)?;
    let from = (found.page - 1) * SHOWN;
    let link = |page: usize| {
        let mut link = Serializer::for_suffix("/pages?".to_owned(), "/pages?".len());
        for name in ["q", "host", "verdict", "language"] {
            if let Some(value) = asked.value(name) {
                link.append_pair(name, value);
            }
        }
        link.append_pair("page", &page.to_string()).finish()
    };
    Reply::page(&PagesPage {
        frame: site.frame("pages", Some(&current)),
        verdict: asked.value("verdict").unwrap_or_default(),
        model: &current.model,
        total: grouped(found.total as u64),
        from: grouped((from + 1) as u64),
        to: grouped((from + found.rows.len()) as u64),
        may_be_url: query.words.contains(['.', ':']) && !query.words.contains(' '),
        before: (found.page > 1).then(|| link(found.page - 1)),
        after: (found.page < found.pages()).then(|| link(found.page + 1)),
        rows: found.rows.iter().map(|row| Shown::of(row)).collect(),
        query: &query,
    })
}

pub(super) fn json(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let found = Found::of(&query(asked)?, asked, &current.model)?;
    Reply::json(&PagesAnswer {
        total: found.total,
        page: found.page,
        pages: found.pages(),
        rows: &found.rows,
    })
}
