//! Fetches URLs like a crawl: with the same HTTP client, address policy and limits, with the crawl delay between two requests to a
//! host, and a page only if its robots.txt allows it.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use ::url::Url;
use bytes::Bytes;
use web::fetch::{FetchError, Fetcher, Response, Wanted, content_encoding};
use web::host_key::HostKey;
use web::memory_budget::MemoryBudget;
use web::robots::{MAX_ROBOTS_REDIRECTS, Robots, RobotsOutcome, robots_url};
use web::sitemap::MAX_SITEMAP_BYTES;

use config::settings::Settings;
use crawl::redirect;
use error::RunError;

/// Fetches one URL after the other.
#[derive(Debug)]
pub(in crate::cli) struct Web {
    settings: Settings,
    fetcher: Fetcher,
    runtime: tokio::runtime::Runtime,
    /// Rules by origin, for the origins asked so far.
    robots: HashMap<String, Robots>,
    /// For each host, the time of the last request and the crawl delay.
    asked: HashMap<HostKey, (Instant, Duration)>,
}

impl Web {
    /// # Errors
    /// The HTTP client or the async runtime cannot be set up.
    pub(in crate::cli) fn new(settings: &Settings) -> Result<Self, RunError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Ok(Self {
            settings: settings.clone(),
            fetcher: Fetcher::new(&settings.fetch, MemoryBudget::new(settings.fetch.memory_bytes))
                .map_err(RunError::Client)?,
            runtime: runtime.map_err(|source| RunError::io("start", "the network runtime", source))?,
            robots: HashMap::new(),
            asked: HashMap::new(),
        })
    }

    /// Fetches a page. Returns it with the URL at the end of its redirects. The robots.txt of every hop must allow it, unless the
    /// configuration or `ignore_robots` switches this off.
    ///
    /// # Errors
    /// The reason as text.
    pub(super) fn page(&mut self, url: &Url, ignore_robots: bool) -> Result<(Url, Response), String> {
        let obeys_robots = self.settings.politeness.robots && !ignore_robots;
        let max_redirects = usize::from(self.settings.fetch.max_redirects);
        self.follow(url, self.settings.wanted_page(), max_redirects, |web, hop| {
            if obeys_robots { web.check_robots(hop) } else { Ok(()) }
        })
    }

    /// Fetches a sitemap. Returns the decoded body with the URL at the end of its redirects.
    ///
    /// # Errors
    /// The reason as text.
    pub(in crate::cli) fn sitemap(&mut self, url: &Url) -> Result<(Url, Bytes), String> {
        let max_redirects = usize::from(self.settings.fetch.max_redirects);
        let (url, response) = self.follow(url, Wanted::Sitemap, max_redirects, |_, _| Ok(()))?;
        if !response.is_success() {
            return Err(format!("HTTP status {}", response.status));
        }
        let body = decoded_body(&response, MAX_SITEMAP_BYTES).map_err(|error| error.to_string())?;
        Ok((url, body))
    }

    /// Fetches the robots.txt at `url` and returns its rules for `agent`, or the rules that a failure implies.
    ///
    /// # Errors
    /// The address policy forbids the request.
    pub(in crate::cli) fn robots(&mut self, url: &Url, agent: &str) -> Result<RobotsOutcome, FetchError> {
        let mut hop = url.clone();
        for redirects in 0.. {
            let response = match self.get(&hop, Wanted::Robots) {
                Ok(response) => response,
                Err(error @ FetchError::ForbiddenAddress(_)) if redirects == 0 => return Err(error),
                Err(error) => return Ok(RobotsOutcome::unreachable(&error.to_string())),
            };
            match redirect::target(&hop, &response) {
                Some(Ok(to)) if redirects < MAX_ROBOTS_REDIRECTS => hop = to,
                _ => return Ok(robots_outcome(&response, agent)),
            }
        }
        unreachable!("the redirects are bounded")
    }

    /// Fetches `url` and follows its redirects. Calls `check` before each hop.
    fn follow(
        &mut self,
        url: &Url,
        wanted: Wanted,
        max_redirects: usize,
        mut check: impl FnMut(&mut Self, &Url) -> Result<(), String>,
    ) -> Result<(Url, Response), String> {
        let mut hops = vec![url.clone()];
        loop {
            let hop = &hops[hops.len() - 1];
            check(self, hop)?;
            let response = self.get(hop, wanted.clone()).map_err(|error| error.to_string())?;
            let Some(target) = redirect::target(hop, &response) else {
                return Ok((hop.clone(), response));
            };
            let target = target?;
            if hops.contains(&target) {
                return Err(format!("its redirects form a loop through {target}"));
            }
            if hops.len() > max_redirects {
                return Err(format!("more than {max_redirects} redirects (fetch.max_redirects)"));
            }
            hops.push(target);
        }
    }

    fn check_robots(&mut self, url: &Url) -> Result<(), String> {
        let origin = url.origin().ascii_serialization();
        if !self.robots.contains_key(&origin) {
            let product = self.settings.product.clone();
            let outcome = self
                .robots(&robots_url(url), &product)
                .map_err(|error| error.to_string())?;
            let longest = self.settings.politeness.max_crawl_delay;
            if let Some((delay, asked)) = outcome.robots.crawl_delay().zip(self.asked_of(url)) {
                asked.1 = asked.1.max(delay.min(longest));
            }
            self.robots.insert(origin.clone(), outcome.robots);
        }
        let decision = self.robots[&origin].decide(url);
        if decision.allowed {
            return Ok(());
        }
        let rule = decision.rule.unwrap_or_default();
        Err(match decision.line {
            Some(line) => {
                format!("its robots.txt forbids it (line {line}: {rule}); --ignore-robots fetches the URL anyway")
            }
            None => format!(
                "its robots.txt is unavailable ({rule}), which forbids every URL of the host; --ignore-robots fetches the URL \
                 anyway"
            ),
        })
    }

    fn asked_of(&mut self, url: &Url) -> Option<&mut (Instant, Duration)> {
        self.asked.get_mut(&HostKey::from_url(url)?)
    }

    fn get(&mut self, url: &Url, wanted: Wanted) -> Result<Response, FetchError> {
        if let Some((asked, delay)) = self.asked_of(url) {
            std::thread::sleep(delay.saturating_sub(asked.elapsed()));
        }
        let answer = self.runtime.block_on(self.fetcher.get(url, wanted));
        if let Some(host) = HostKey::from_url(url) {
            let politeness = &self.settings.politeness;
            let usual = self.settings.hosts.politeness(host.as_str(), politeness).delay;
            let asked = self.asked.entry(host).or_insert((Instant::now(), usual));
            asked.0 = Instant::now();
        }
        answer
    }
}

fn robots_outcome(response: &Response, agent: &str) -> RobotsOutcome {
    let body = response.body.clone().unwrap_or_default();
    let coding = content_encoding::named_in(&response.headers);
    match content_encoding::decode_robots(body, coding.as_deref()) {
        Ok(body) => RobotsOutcome::from_status(response.status, &body, agent),
        // An unreadable robots.txt forbids everything (RFC 9309, section 2.3.1.4).
        Err(error) => RobotsOutcome::unreachable(&error.to_string()),
    }
}

/// The decoded body; empty if the response has none.
///
/// # Errors
/// The body is malformed or has more than `limit` bytes.
pub(super) fn decoded_body(response: &Response, limit: usize) -> Result<Bytes, FetchError> {
    let body = response.body.clone().unwrap_or_default();
    let coding = content_encoding::named_in(&response.headers);
    content_encoding::decode(body, coding.as_deref(), limit)
}
