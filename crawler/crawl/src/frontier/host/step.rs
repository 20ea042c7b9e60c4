//! The choice of a host's next step: a refill, an errand, a revisit, or a new URL that robots.txt and steering let pass.

use storage::QueuedUrl;
use url::Url;
use web::politeness::Now;
use web::robots::robots_url;

use super::super::host_logins::LoginRuling;
use super::super::queue::Next;
use super::super::state::{OriginState, Ruling, UrlState, Work, origin};
use super::super::waiting::{NO_SKELETON, WaitingUrl};
use super::{Host, PageKind, RequestKind};
use crate::messages::{Errand, Passage, Refill, Step, Task, Unfit};
use crate::render::subrequest::Subrequest;
use crate::scope::LISTED;
use crate::steering::{Forecast, Skeleton, Steering};

/// Bound on the URLs that are set aside to wait for a verdict. Beyond it, the whole host waits.
const MAX_ASIDE: usize = 64;

/// Whether a URL may be fetched now.
enum Permission {
    Granted,
    /// It may not be fetched now, or not at all. The host takes this step instead.
    Instead(Box<Step>),
    /// It waits for a robots.txt or a log-in, or stays in the store for this run.
    Later,
}

/// The treatment of one new URL whose turn it is.
enum Choice {
    Step(Step),
    /// It waits for the verdict on another URL.
    Aside(WaitingUrl),
    /// It waits elsewhere, and the next URL has its turn.
    Next,
}

impl Host {
    /// The host's next step; `None` if it must wait. The caller has asked the gate of its address.
    pub(in crate::frontier) fn step(
        &mut self,
        name: &str,
        takes_new: bool,
        steering: &mut Steering,
        now: Now,
    ) -> Option<Step> {
        match self.work(takes_new) {
            Work::Nothing => return None,
            Work::Refill => return Some(self.refill(name, takes_new)),
            Work::Recall => return self.sitemaps_to_recall.pop_front().map(Step::Recall),
            Work::Request => {}
        }
        if self.only_excludes() {
            return self.exclude_dropped(name);
        }
        if self.gate.ready_at()? > now {
            return None;
        }
        if self.is_paused {
            let subrequest = self.next_subrequest(now)?;
            return Some(self.start_errand(name, Errand::Subrequest(subrequest), now));
        }
        if let Some(errand) = self.errand(takes_new, now) {
            return Some(self.start_errand(name, errand, now));
        }
        if self.has_respelled(takes_new) {
            return self.respelled_page(name, now);
        }
        self.page_in_turn(name, takes_new, steering, now)
    }

    fn refill(&mut self, name: &str, takes_new: bool) -> Step {
        let from = self.queue.begin_refill(takes_new && self.may_take_page());
        let awaiting = self.awaiting.iter().map(|queued| queued.seq);
        Step::Refill(Refill {
            host: name.to_owned(),
            limit: self.queue.most(),
            skip: self.queue.not_to_refill().chain(awaiting).collect(),
            from,
        })
    }

    /// The next errand: one that pages wait for, a request of a page in the browser, or a sitemap if sitemaps have their turn.
    fn errand(&mut self, takes_new: bool, now: Now) -> Option<Errand> {
        if let Some(first) = self.first_errands.pop_front() {
            return Some(first);
        }
        if let Some(subrequest) = self.next_subrequest(now) {
            return Some(Errand::Subrequest(subrequest));
        }
        if !self.has_sitemap(takes_new) {
            return None;
        }
        let turn = self.next_request;
        self.next_request = match turn {
            RequestKind::Sitemap => RequestKind::Page,
            RequestKind::Page => RequestKind::Sitemap,
        };
        // On trial, pages go before sitemaps, because only a page proves a name.
        let is_sitemaps_turn = turn == RequestKind::Sitemap && self.is_wanted;
        if is_sitemaps_turn || !self.has_page(takes_new) {
            self.next_sitemap()
        } else {
            None
        }
    }

    /// The next request of a page in the browser that a page still waits for and that no robots.txt forbids which the crawler has.
    fn next_subrequest(&mut self, now: Now) -> Option<Subrequest> {
        loop {
            let subrequest = self.browser.as_mut()?.subrequests.pop_front()?;
            let url = subrequest.url();
            let ruling = OriginState::ruling(self.origins.get(&origin(url)), url, now);
            let is_forbidden = self.obeys_robots && matches!(ruling, Ruling::Forbidden(_));
            let is_dropped = self.is_dropped_for(url).is_some();
            if is_dropped {
                tracing::debug!(%url, "the user dropped the request of a page");
            } else if is_forbidden {
                tracing::debug!(%url, "robots.txt forbids the request of a page");
            } else if subrequest.is_awaited() {
                return Some(subrequest);
            }
        }
    }

    /// The step of a revisit or of a new URL, in turn. If the kind whose turn it is has no step, the other kind has
    /// the turn.
    fn page_in_turn(&mut self, name: &str, takes_new: bool, steering: &mut Steering, now: Now) -> Option<Step> {
        let kinds = match self.next_page {
            PageKind::New => [PageKind::New, PageKind::Visit],
            PageKind::Visit => [PageKind::Visit, PageKind::New],
        };
        for (kind, other) in [(kinds[0], kinds[1]), (kinds[1], kinds[0])] {
            let step = match kind {
                PageKind::Visit => self.visit(name, now),
                PageKind::New if self.has_new(takes_new) => self.new_page(name, steering, now),
                PageKind::New => None,
            };
            if step.is_some() {
                self.next_page = other;
                return step;
            }
        }
        None
    }

    /// The step of the next revisit. Traps and steering do not apply, because the page at the URL is known.
    fn visit(&mut self, name: &str, now: Now) -> Option<Step> {
        while let Some(WaitingUrl { queued, url, .. }) = self.queue.visits.take() {
            let Some(url) = url else {
                return Some(self.exclude(queued, "not a URL".to_owned()));
            };
            match self.permission(name, &queued, &url, now) {
                Permission::Granted => return Some(self.start(queued, NO_SKELETON, url, now)),
                Permission::Instead(step) => return Some(*step),
                Permission::Later => {}
            }
        }
        None
    }

    fn respelled_page(&mut self, name: &str, now: Now) -> Option<Step> {
        let (queued, url) = self.respelled.pop_front()?;
        let is_visit = queued.revisits.is_some();
        let skeleton = if is_visit { NO_SKELETON } else { Skeleton::of(&url).hash };
        match self.permission(name, &queued, &url, now) {
            Permission::Granted => Some(self.start(queued, skeleton, url, now)),
            Permission::Instead(step) => Some(*step),
            Permission::Later => None,
        }
    }

    /// The step of the first new URL that has one now.
    fn new_page(&mut self, name: &str, steering: &mut Steering, now: Now) -> Option<Step> {
        let mut aside = Vec::new();
        let mut step = None;
        while step.is_none() && aside.len() < MAX_ASIDE {
            let waiting = match self.queue.take() {
                Next::Url(waiting) => *waiting,
                Next::AwaitsVerdict => {
                    self.awaits_verdict = true;
                    break;
                }
                Next::Empty => break,
            };
            match self.choose(waiting, name, steering, now) {
                Choice::Step(chosen) => step = Some(chosen),
                Choice::Aside(waiting) => aside.push(waiting),
                Choice::Next => {}
            }
        }
        self.awaits_verdict |= step.is_none() && !aside.is_empty();
        for waiting in aside {
            self.queue.put_back(waiting);
        }
        step
    }

    /// Checks the patterns of the user, then the URL for a trap, then its rule if it is held back, then robots.txt, then the forecast.
    fn choose(&mut self, waiting: WaitingUrl, name: &str, steering: &mut Steering, now: Now) -> Choice {
        let Some(url) = waiting.url.clone() else {
            return Choice::Step(self.exclude(waiting.queued, "not a URL".to_owned()));
        };
        if let Some(reason) = self.bars.refusal(&url) {
            return Choice::Step(self.exclude(waiting.queued, reason));
        }
        let state = UrlState::at(waiting.queued.priority);
        if state == UrlState::HeldBack && steering.holds_back(name, &url) {
            self.queue.hold_back();
            return Choice::Next;
        }
        match self.permission(name, &waiting.queued, &url, now) {
            Permission::Granted => {}
            Permission::Instead(step) => return Choice::Step(*step),
            Permission::Later => return Choice::Next,
        }
        let forecast = if steering.is_enabled() {
            steering.forecast(name, &url)
        } else {
            Forecast::New
        };
        if let Forecast::Test(rule) = &forecast {
            if steering.is_tested(name, rule) && self.queue.in_process() > 0 {
                return Choice::Aside(waiting);
            }
            steering.begin_test(name, waiting.queued.seq, rule.clone());
        }
        let is_sample = || match &forecast {
            Forecast::Duplicate(prediction) => steering.is_sample(name, &prediction.by),
            _ => false,
        };
        Choice::Step(match state.after_forecast(&forecast, is_sample).priority() {
            Some(priority) => self.postpone(waiting, priority),
            None => {
                let skeleton = waiting.skeleton();
                self.start(waiting.queued, skeleton, url, now)
            }
        })
    }

    /// Whether robots.txt and the log-in of its origin let the URL be fetched.
    fn permission(&mut self, name: &str, queued: &QueuedUrl, url: &Url, now: Now) -> Permission {
        if let Some(reason) = self.is_dropped_for(url) {
            return Permission::Instead(Box::new(self.exclude(queued.clone(), reason)));
        }
        self.seeks_sitemap |= queued.depth != LISTED;
        match self.permission_by_robots(name, queued, url, now) {
            Permission::Granted => self.permission_by_login(queued, url),
            other => other,
        }
    }

    fn permission_by_login(&mut self, queued: &QueuedUrl, url: &Url) -> Permission {
        let logins = self.logins.as_mut();
        match logins.map_or(LoginRuling::Granted, |logins| logins.ruling(queued.seq, url)) {
            LoginRuling::Granted => return Permission::Granted,
            LoginRuling::Wait => self.await_errand(queued.clone()),
            LoginRuling::GiveUp(why) => {
                self.queue.skip(queued.seq);
                self.settle(origin(url), OriginState::GivenUp { why: why.to_string() });
            }
            LoginRuling::Fail(unfit) => return self.fail(queued, unfit),
        }
        Permission::Later
    }

    fn fail(&mut self, queued: &QueuedUrl, unfit: Unfit) -> Permission {
        self.queue.begin(queued.seq, NO_SKELETON);
        let queued = queued.clone();
        Permission::Instead(Box::new(Step::Fail { queued, unfit }))
    }

    fn permission_by_robots(&mut self, name: &str, queued: &QueuedUrl, url: &Url, now: Now) -> Permission {
        if !self.obeys_robots {
            return Permission::Granted;
        }
        let state = self.origins.get(&origin(url));
        let is_unknown = state.is_none();
        match OriginState::ruling(state, url, now) {
            Ruling::Allowed => return Permission::Granted,
            Ruling::Wait => self.await_errand(queued.clone()),
            Ruling::Skip => self.queue.skip(queued.seq),
            Ruling::AskFirst => {
                let errand = self.robots_errand(name, queued.clone(), url);
                return Permission::Instead(Box::new(if is_unknown && self.memory.may_have_answers {
                    Step::Recall(errand)
                } else {
                    self.start_errand(name, errand, now)
                }));
            }
            Ruling::Fail(unfit) => return self.fail(queued, unfit),
            Ruling::Forbidden(reason) => return Permission::Instead(Box::new(self.exclude(queued.clone(), reason))),
        }
        Permission::Later
    }

    fn start(&mut self, queued: QueuedUrl, skeleton: u64, url: Url, now: Now) -> Step {
        self.queue.begin(queued.seq, skeleton);
        if let Some(logins) = &mut self.logins {
            logins.begin(queued.seq, &url);
        }
        self.gate.start(now);
        Step::Start(Task::Page { queued, url }, self.passage(now))
    }

    fn start_errand(&mut self, name: &str, errand: Errand, now: Now) -> Step {
        self.gate.start(now);
        let host = name.to_owned();
        Step::Start(Task::Errand { host, errand }, self.passage(now))
    }

    /// How the next request goes out. The caller has its permit.
    fn passage(&self, now: Now) -> Passage {
        Passage {
            route: self.route(now).cloned().unwrap_or_default(),
            ..Passage::default()
        }
    }

    fn postpone(&mut self, waiting: WaitingUrl, priority: u8) -> Step {
        self.queue.begin(waiting.queued.seq, NO_SKELETON);
        Step::Postpone {
            queued: waiting.queued,
            priority,
        }
    }

    pub(super) fn exclude(&mut self, queued: QueuedUrl, reason: String) -> Step {
        self.queue.begin(queued.seq, NO_SKELETON);
        Step::Exclude { queued, reason }
    }

    /// The errand for the robots.txt of the URL's origin. The URL waits for it from now on.
    fn robots_errand(&mut self, name: &str, queued: QueuedUrl, url: &Url) -> Errand {
        self.await_errand(queued);
        let origin = origin(url);
        self.origins.insert(origin.clone(), OriginState::Asked);
        Errand::Robots {
            for_host: name.to_owned(),
            origin,
            url: robots_url(url),
            redirects: 0,
            failures: 0,
        }
    }

    fn await_errand(&mut self, queued: QueuedUrl) {
        self.queue.end(queued.seq);
        self.awaits_verdict = false;
        self.awaiting.push(queued);
    }
}
