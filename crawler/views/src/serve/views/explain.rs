//! One URL: why the crawl kept or dropped its page, as `crawler explain` says, and the stored text.

use std::sync::Arc;
use std::time::SystemTime;

use askama::Template;
use axum::http::StatusCode;

use super::links::{Links, all_links};
use super::pages::page_link;
use super::undo::Undo;
use crate::report::failures::what_to_do;
use crate::report::html::{StaticDiff, StaticRow, cut, filters, visible};
use crate::serve::asked::Asked;
use crate::serve::frame::Frame;
use crate::serve::keeper::Current;
use crate::serve::model::{Outcome, Row};
use crate::serve::moment::Moment;
use crate::serve::paths::pages_of_host;
use crate::serve::reply::{Refusal, Reply};
use crate::serve::site::Site;
use storage::Store;
use study::diff;
use study::explain::{self, Answer, ComparedPage, FailureAnswer, Feature, PageAnswer, State};
use study::in_words::likeness;
use study::typed_url::TypedUrl;
use terminal::units::{bytes, grouped};

/// Features and nearest pages in the answer, as the command has.
const TOP: usize = 8;

/// Upper bound on the characters of the text that the page shows; the rest is in the export.
const TEXT_CHARS: usize = 200_000;

const URL_CHARS: usize = 1_000;

#[derive(Template)]
#[template(path = "serve/page.html")]
struct UrlPage<'a> {
    frame: Frame<'a>,
    answer: &'a Answer,
    url: String,
    /// The URL as a link; `None` if it is not http or https.
    outside: Option<&'a str>,
    diff: Option<StaticDiff>,
    text: Option<Text>,
    row: Option<&'a Row>,
    fetched: Option<Moment>,
    /// `None` for a page that was not dropped.
    undo: Option<Undo>,
    links: Links<'a>,
}

/// The stored text.
struct Text {
    shown: String,
    is_cut: bool,
}

impl UrlPage<'_> {
    fn page(&self) -> Option<&PageAnswer> {
        match &self.answer.state {
            State::Page(page) => Some(page),
            _ => None,
        }
    }

    fn title(&self) -> String {
        let title = self.page().map_or("", |page| &page.title);
        if title.is_empty() {
            self.url.clone()
        } else {
            cut(title, URL_CHARS)
        }
    }

    fn is_named_by_url(&self) -> bool {
        self.title() == self.url
    }

    /// What became of the URL.
    fn outcome(&self) -> Option<Outcome> {
        match &self.answer.state {
            State::Page(_) => self.row.map(|row| row.outcome),
            State::Queued(_) => Some(Outcome::Queued),
            State::Redirect { .. } => Some(Outcome::Redirected),
            State::Failed(_) => Some(Outcome::Failed),
            State::Excluded { .. } => Some(Outcome::Excluded),
            State::Elsewhere { .. } | State::Unknown { .. } => None,
        }
    }

    fn moment(&self, stamp: &str) -> Moment {
        Moment::of(stamp, SystemTime::now())
    }

    /// The answer in a sentence or two.
    fn lead(&self) -> String {
        match &self.answer.state {
            State::Failed(failed) => failed_in_words(failed, &self.answer.summary),
            _ => self.shown(&self.answer.summary),
        }
    }

    /// The page that a dropped one repeats, and the answer before and after its URL.
    fn of_kept(&self) -> Option<(String, &ComparedPage, String)> {
        let other = self.page()?.compared_with.as_ref()?;
        let (before, after) = self.answer.summary.split_once(&other.page.url)?;
        Some((self.shown(before), other, self.shown(after)))
    }

    /// The title of a page, or its URL.
    fn named(&self, other: &ComparedPage) -> String {
        let page = &other.page;
        self.shown(if page.title.is_empty() { &page.url } else { &page.title })
    }

    fn what_to_do(&self, failed: &FailureAnswer) -> Option<&'static str> {
        what_to_do(&failed.kind)
    }

    /// The host of the URL, and the path of what failed there.
    fn failed_of_host(&self) -> Option<(String, String)> {
        let url = url::Url::parse(&self.answer.url).ok()?;
        let host = &url[url::Position::BeforeHost..url::Position::AfterPort];
        (!host.is_empty()).then(|| (self.shown(host), pages_of_host(host, "failed")))
    }

    /// Whether the weight of a feature says more than its count.
    fn has_weight(&self, feature: &Feature) -> bool {
        (feature.weight - feature.count as f64).abs() > 0.05
    }

    /// Whether the crawl does not know the URL, or only another worker has its page.
    fn is_unknown(&self) -> bool {
        matches!(self.answer.state, State::Unknown { .. } | State::Elsewhere { .. })
    }

    fn link(&self, url: &str) -> String {
        page_link(url)
    }

    fn shown(&self, text: &str) -> String {
        cut(text, URL_CHARS)
    }

    /// What the page says about itself.
    fn said(&self) -> Vec<(&'static str, String)> {
        let said = self.page().and_then(|page| page.metadata.as_ref());
        said.map(|said| said.explained().collect()).unwrap_or_default()
    }

    fn compared(&self, other: &ComparedPage) -> String {
        let nothing = "Not compared: both texts are too short for any comparison except equality.";
        other.likeness.as_ref().map_or_else(|| nothing.to_owned(), likeness)
    }

    /// The nearest kept pages, except the page that the verdict names.
    fn nearest(&self) -> Vec<&ComparedPage> {
        let Some(page) = self.page() else { return Vec::new() };
        let named = page.compared_with.as_ref().map(|other| other.page.number);
        page.nearest
            .iter()
            .filter(|other| Some(other.page.number) != named)
            .collect()
    }

    fn bytes(&self, count: &u64) -> String {
        bytes(*count)
    }

    fn grouped(&self, count: &u64) -> String {
        grouped(*count)
    }
}

/// Why there is no page. The status of the answer says it, if there was one.
fn failed_in_words(failed: &FailureAnswer, summary: &str) -> String {
    match failed.status {
        Some(status) if failed.kind == format!("http_{status}") => {
            let times = match failed.attempts {
                0 | 1 => String::new(),
                attempts => format!(", the last of {attempts} times"),
            };
            format!("The server answered {status}{times}.")
        }
        _ => cut(summary, URL_CHARS),
    }
}

/// The answer of `crawler explain`, and the text of the page, with the store that they are from.
fn explained(site: &Arc<Site>, current: &Current, asked: &Asked) -> Result<(Answer, Option<String>, Store), Refusal> {
    let url = asked.value("url");
    let url = url.ok_or_else(|| Refusal::bad("name a URL: /page?url=https://example.org/"))?;
    let settings = &current.model.settings;
    let typed = TypedUrl::parse(url, &settings.canonicalize).map_err(Refusal::bad)?;
    let options = explain::Options {
        top: TOP,
        diff: Some(diff::Options::default()),
    };
    let mut store = site.store()?;
    let answer = explain::explain(&mut store, settings, url, typed, options)?;
    let text = match &answer.state {
        State::Page(page) => match store.page(page.id)? {
            // A damaged record is among the notes of the answer.
            Some(record) => store.text_of(&record).ok().flatten(),
            None => None,
        },
        _ => None,
    };
    Ok((answer, text, store))
}

pub fn page(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let (answer, text, store) = explained(site, &current, asked)?;
    let page = match &answer.state {
        State::Page(page) => Some(page),
        _ => None,
    };
    let is_web = ["http://", "https://"]
        .iter()
        .any(|scheme| answer.url.starts_with(scheme));
    let id = page.map(|page| page.id);
    let mut links = Links::of(&current.model, &answer.url, id);
    if asked.value("links").is_some() {
        links.all = Some(all_links(&store, &current, &answer.url)?);
    }
    let reply = Reply::page(&UrlPage {
        frame: site.frame("pages", Some(&current)),
        url: cut(&answer.url, URL_CHARS),
        outside: is_web.then_some(&*answer.url),
        diff: page
            .and_then(|page| page.diff.as_ref())
            .map(|diff| StaticDiff::of(&diff.diff)),
        text: text.as_deref().map(Text::of),
        fetched: page
            .and_then(|page| page.fetched_at.as_deref())
            .map(|at| Moment::of(at, SystemTime::now())),
        undo: page.and_then(|page| {
            let row = current.model.row(page.id)?;
            Some(Undo::of(row, page.compared_with.as_ref()?, page.remedy.as_ref()?))
        }),
        links,
        row: page.and_then(|page| current.model.row(page.id)),
        answer: &answer,
    })?;
    Ok(match (&answer.state, reply) {
        (State::Unknown { .. }, Reply::Page(_, html)) => Reply::Page(StatusCode::NOT_FOUND, html),
        (_, reply) => reply,
    })
}

impl Text {
    fn of(text: &str) -> Self {
        let end = text.char_indices().nth(TEXT_CHARS).map(|(end, _)| end);
        let beginning = &text[..end.unwrap_or(text.len())];
        Self {
            shown: beginning.lines().map(visible).collect::<Vec<_>>().join("\n"),
            is_cut: end.is_some(),
        }
    }
}

/// As `crawler explain --format json`, with the status 404 for an unknown URL.
pub(super) fn json(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let (answer, ..) = explained(site, &current, asked)?;
    let reply = Reply::json(&answer)?;
    Ok(match (&answer.state, reply) {
        (State::Unknown { .. }, Reply::Json(_, json)) => Reply::Json(StatusCode::NOT_FOUND, json),
        (_, reply) => reply,
    })
}
