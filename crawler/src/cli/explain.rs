//! `crawler explain`: why a page was kept or dropped, or what else became of its URL. Looks up single rows, however large the
//! crawl.

mod answer;
mod page;
mod queued;
mod spellings;
mod text;

use ::url::Url;
use storage::{Store, UrlState, Via};
use web::canonicalize::CanonicalUrl;
use web::host_key::HostKey;

use super::screen::Screen;
use crate::cli::arguments::{AnswerFormat, ExplainArgs};
use crate::cli::error::Error;
use crate::config::settings::Settings;
use crate::error::RunError;
use crate::study::diff;
use answer::{Answer, Failed, State};

/// Exit code where the crawl does not know the URL.
const UNKNOWN: u8 = 3;

/// Known URLs that are suggested.
const MAX_ALIKE: usize = 8;

/// Known URLs that one which is not known is compared with: more take too long for an answer that one waits for.
const MAX_LOOKED_THROUGH: usize = 50_000;

/// Redirects that are followed to what they lead to.
const MAX_REDIRECTS: usize = 5;

pub(super) fn execute(args: &ExplainArgs) -> Result<(), Error> {
    let (config, path) = super::configuration::read(&args.config)?;
    let settings = super::configuration::validate(&config, path)?;
    let store = super::store::open_to_read(&args.data.data)?;
    let screen = Screen::of_stdout();
    let diff = match args.format {
        AnswerFormat::Text => diff::Options {
            context: 1,
            max_rows: 40,
            max_line_chars: 600,
        },
        AnswerFormat::Json => diff::Options::default(),
    };
    let mut explainer = Explainer {
        store,
        settings,
        top: args.top.into(),
        diff: (!args.no_diff).then_some(diff),
    };
    let url = explainer.known_spelling(&args.url)?;
    let answer = explainer.answer(&args.url, &url, MAX_REDIRECTS)?;
    let mut output = super::output::Output::open(None)?;
    output.write(match args.format {
        AnswerFormat::Text => text::render(&answer, screen),
        AnswerFormat::Json => super::check::json(&answer)?,
    })?;
    output.finish()?;
    super::store::leave_open(explainer.store);
    match answer.state {
        State::Unknown { .. } => Err(Error::Answer(UNKNOWN)),
        _ => Ok(()),
    }
}

struct Explainer {
    store: Store,
    settings: Settings,
    /// Features and pages that are listed.
    top: usize,
    diff: Option<diff::Options>,
}

impl Explainer {
    fn known_spelling(&self, typed: &str) -> Result<Url, Error> {
        let is_known = |url: &Url| Ok(self.state_of(url)?.is_some());
        super::typed_url::known_spelling(typed, &self.settings.canonicalize, is_known)
    }

    fn state_of(&self, url: &Url) -> Result<Option<UrlState>, RunError> {
        match HostKey::from_url(url) {
            Some(host) => Ok(self.store.url_state(host.as_str(), url.as_str())?),
            None => Ok(None),
        }
    }

    fn answer(&mut self, asked: &str, url: &Url, redirects: usize) -> Result<Answer, RunError> {
        let host = HostKey::from_url(url).map_or_else(String::new, |host| host.as_str().to_owned());
        let (summary, state) = match self.state_of(url)? {
            None => {
                let alike = self.alike(url)?;
                let summary =
                    "The crawl does not know this URL: no seed, link, redirect or sitemap within its scope named it.";
                (summary.to_owned(), State::Unknown { alike })
            }
            Some(UrlState::Queued) => self.queued(&host, url)?,
            Some(UrlState::Redirect { to, status }) => {
                let summary = format!("Not a page: the server redirects to {to} (status {status}).");
                let target = match self.canonical(&to).filter(|target| target != url && redirects > 0) {
                    Some(target) => Some(Box::new(self.answer(&to, &target, redirects - 1)?)),
                    None => None,
                };
                (summary, State::Redirect { to, status, target })
            }
            Some(UrlState::Failed(failure)) => {
                let via = self.url_of(failure.via.as_ref())?;
                let times = match failure.attempts {
                    0 | 1 => String::new(),
                    attempts => format!(", tried {attempts} times"),
                };
                let summary = format!("Not fetched: {} ({}{times}).", failure.detail, failure.kind);
                let failed = Failed {
                    kind: failure.kind,
                    status: failure.status,
                    detail: failure.detail,
                    attempts: failure.attempts,
                    depth: failure.depth,
                    via,
                };
                (summary, State::Failed(failed))
            }
            Some(UrlState::Excluded { reason }) => (format!("Not stored: {reason}."), State::Excluded { reason }),
            Some(UrlState::Page(id)) => self.page(id)?,
        };
        Ok(Answer {
            asked: asked.to_owned(),
            url: url.to_string(),
            summary,
            state,
        })
    }

    fn canonical(&self, url: &str) -> Option<Url> {
        let url = CanonicalUrl::parse(url, &self.settings.canonicalize).ok()?;
        Some(url.into_url())
    }

    /// The URL of what led to another.
    fn url_of(&self, via: Option<&Via>) -> Result<Option<String>, RunError> {
        Ok(match via {
            None => None,
            Some(Via::Url(url)) => Some(url.to_string()),
            Some(Via::Page(id)) => self.store.page(*id)?.map(|page| page.url),
        })
    }

    /// Known URLs that are spelt nearly as `url` is: by what people get wrong, then by how little differs, of the first that
    /// became known.
    fn alike(&self, url: &Url) -> Result<Vec<String>, RunError> {
        let mut alike = Vec::new();
        for spelling in spellings::of(url) {
            let Some(spelling) = self.canonical(spelling.as_str()).filter(|other| other != url) else {
                continue;
            };
            let text = spelling.to_string();
            if !alike.contains(&text) && self.state_of(&spelling)?.is_some() {
                alike.push(text);
            }
        }
        let Some(host) = HostKey::from_url(url) else {
            return Ok(alike);
        };
        let wanted = spellings::Wanted::of(url);
        let mut nearly = Vec::new();
        for known in self.store.urls().take(MAX_LOOKED_THROUGH) {
            let known = known?;
            if known.host == host.as_str()
                && !alike.contains(&known.url)
                && let Ok(other) = Url::parse(&known.url)
                && let Some(edits) = wanted.edits_to(&other)
            {
                nearly.push((edits, known.url));
            }
        }
        nearly.sort();
        alike.extend(nearly.into_iter().map(|(_, url)| url));
        alike.truncate(MAX_ALIKE);
        Ok(alike)
    }
}

/// A time as RFC 3339 has it, in whole seconds.
fn time(millis: u64) -> Option<String> {
    let seconds = i64::try_from(millis / 1_000).ok()?;
    Some(jiff::Timestamp::from_second(seconds).ok()?.to_string())
}
