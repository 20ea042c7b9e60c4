//! What a running crawl does now: what each host waits for, and the requests under way. The figures are those of the run itself, as its
//! status page has them.

use std::sync::Arc;
use std::time::SystemTime;

use askama::Template;
use serde::Serialize;
use url::form_urlencoded::Serializer;

use crate::live::pace;
use crate::live::status::figures::HostFigures;
use crate::report::html::{cut, filters};
use crate::serve::frame::Frame;
use crate::serve::moment::Moment;
use crate::serve::paths::search_link;
use crate::serve::reply::{Refusal, Reply};
use crate::serve::site::Site;
use crawl::HostStanding;
use crawl::delays;
use crawl::stats::RunNow;
use terminal::units::{duration, grouped, utc};

/// Requests that the view names; the answer for programs has more.
const REQUESTS: usize = 20;

const HOST_CHARS: usize = 200;
const URL_CHARS: usize = 300;

/// What the run does, for a template.
pub(super) struct Now {
    /// What bounds the rate.
    pub bound: String,
    /// What the hosts do.
    pub states: String,
    pub open_requests: String,
    pub parallel: String,
    pub hosts: Vec<HostRow>,
    /// Hosts without a row.
    pub more_hosts: Option<String>,
    pub requests: Vec<RequestRow>,
}

/// A host with queued URLs.
pub(super) struct HostRow {
    pub name: String,
    /// Its URLs that wait.
    pub link: String,
    pub urls: String,
    pub state: String,
    pub open: u64,
    pub delay: String,
    /// The view that changes the delay.
    pub control: String,
    /// The delay with the rule that sets it, and the other rules.
    pub reason: String,
    pub failure: String,
}

/// A request under way.
pub(super) struct RequestRow {
    pub url: String,
    pub since: Moment,
}

impl Now {
    /// `None` while no crawl runs.
    pub fn of(site: &Site) -> Option<Self> {
        let (now, at) = (site.run_now()?, SystemTime::now());
        let hosts = now.standing.largest.iter().map(|host| HostRow::of(host, now.at_ms));
        let hosts: Vec<HostRow> = hosts.collect();
        let all: u64 = crawl::HostStateKind::ALL
            .map(|state| now.standing.count(state))
            .iter()
            .sum();
        let more_hosts = all.saturating_sub(hosts.len() as u64);
        let requests = now.oldest_requests.iter().take(REQUESTS).map(|request| RequestRow {
            url: cut(&request.url, URL_CHARS),
            since: Moment::of(&utc(request.since_ms), at),
        });
        Some(Self {
            bound: pace::bound(&now),
            states: pace::hosts(&now.standing),
            open_requests: grouped(now.open_requests),
            parallel: grouped(now.parallel),
            requests: requests.collect(),
            more_hosts: (more_hosts > 0).then(|| grouped(more_hosts)),
            hosts,
        })
    }
}

impl Now {
    pub fn has_failures(&self) -> bool {
        self.hosts.iter().any(|host| !host.failure.is_empty())
    }
}

impl HostRow {
    fn of(host: &HostStanding, now_ms: u64) -> Self {
        let left = host
            .until
            .map_or(0, |until| until.saturating_sub(now_ms))
            .div_ceil(1_000);
        let state = host.state.meaning();
        Self {
            name: cut(&host.host, HOST_CHARS),
            link: search_link(&[("outcome", "queued"), ("host", &host.host)]),
            urls: grouped(host.urls),
            state: if left > 0 {
                format!("{state}, {} more", duration(left))
            } else {
                state.to_owned()
            },
            open: host.open,
            control: format!(
                "/control?{}",
                Serializer::new(String::new()).append_pair("host", &host.host).finish()
            ),
            delay: delays::seconds(host.delays.longest()),
            reason: delays::reason(host),
            failure: host.failure.clone().unwrap_or_default(),
        }
    }
}

#[derive(Template)]
#[template(path = "serve/now_page.html")]
struct NowPage<'a> {
    frame: Frame<'a>,
    now: Option<Now>,
}

/// The part alone, which a page that stays open asks for again and again.
pub fn page(site: &Arc<Site>) -> Result<Reply, Refusal> {
    let current = site.current()?;
    Reply::page(&NowPage {
        frame: site.frame("hosts", Some(&current)),
        now: Now::of(site),
    })
}

#[derive(Serialize)]
struct NowAnswer {
    /// RFC 3339, UTC.
    at: String,
    paused: bool,
    stopping: bool,
    /// What bounds the rate, in words.
    bound: String,
    open_requests: u64,
    /// `fetch.parallel`.
    parallel: u64,
    largest_hosts: Vec<HostFigures>,
    oldest_requests: Vec<RequestFigures>,
}

#[derive(Serialize)]
struct RequestFigures {
    url: String,
    since: String,
}

/// Null while no crawl runs.
pub(super) fn json(site: &Arc<Site>) -> Result<Reply, Refusal> {
    let answer = |now: RunNow| NowAnswer {
        at: utc(now.at_ms),
        paused: now.paused,
        stopping: now.stopping,
        bound: pace::bound(&now),
        open_requests: now.open_requests,
        parallel: now.parallel,
        largest_hosts: now.standing.largest.iter().map(HostFigures::from).collect(),
        oldest_requests: now
            .oldest_requests
            .into_iter()
            .map(|request| RequestFigures {
                url: request.url,
                since: utc(request.since_ms),
            })
            .collect(),
    };
    Reply::json(&site.run_now().map(answer))
}
