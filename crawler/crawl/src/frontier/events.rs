//! Takes in the reports of the stages.

use web::politeness::{Contact, HostSignal, Now};

use super::{Frontier, is_seed};
use crate::messages::Event;
use crate::steering::JudgedPage;

impl Frontier {
    /// Takes in the report of a stage.
    pub fn on(&mut self, event: Event, now: Now) {
        self.clock.set(now);
        match event {
            Event::RequestEnded {
                host,
                signal,
                failure,
                contact,
            } => self.on_request_ended(&host, signal, failure, contact, now),
            Event::Blocked { host, attempts } => self.on_blocked(&host, attempts, now),
            Event::LookedUp { host, route } => self.on_looked_up(&host, route, now),
            Event::Decided {
                host,
                seq,
                page,
                is_visit,
                queued,
            } => {
                self.tickets.end();
                if is_visit {
                    self.pages
                        .visited(queued.iter().any(|queued| queued.revisits.is_some()));
                } else {
                    self.pages.decide(page.is_some());
                }
                self.came_with_session(&host, seq);
                self.on_outcome(&host, seq, page.as_ref());
                self.add(queued, now);
                self.schedule(&host, now);
            }
            Event::Respelled { queued, url } => {
                self.tickets.end();
                self.pages.leave(&queued);
                let host = queued.host.clone();
                // The new spelling may have to wait, so another URL may test the rule meanwhile.
                self.steering.end_test(&host, queued.seq);
                self.host(&host).respell(queued, url);
                self.schedule(&host, now);
            }
            Event::Robots { errand, answer } => {
                self.tickets.end();
                self.on_robots(errand, answer, now);
            }
            Event::Sitemap {
                queued,
                further,
                elsewhere,
            } => {
                self.tickets.end();
                self.add(queued, now);
                for errand in further {
                    self.add_errand(errand, now);
                }
                for errand in elsewhere {
                    self.add_permitted_sitemap(errand, now);
                }
            }
            Event::Login { errand, answer } => {
                self.tickets.end();
                self.on_login_answer(&errand, answer, now);
            }
            Event::LoggedOut { queued } => {
                self.tickets.end();
                self.on_logged_out(queued, now);
            }
            Event::SitemapForgotten(errand) => {
                self.tickets.end();
                self.queue_sitemap(errand, now);
            }
            Event::SitemapAgain(errand) => {
                self.tickets.end();
                self.ask_sitemap_again(errand, now);
            }
            Event::Refilled { host, urls, more } => {
                self.tickets.end();
                if urls.iter().any(is_seed) {
                    self.want(&host, now);
                }
                self.host(&host).refilled(urls, more);
                self.schedule(&host, now);
            }
            Event::SeedsRead {
                queued,
                known,
                sitemaps,
                more,
            } => {
                self.on_seeds_read(queued, &known, more, now);
                self.add_sitemaps(sitemaps, now);
            }
            Event::HostsLoaded { hosts, behind } => self.on_hosts_loaded(hosts, behind),
            Event::RenderingBegan { host } => self.on_rendering_began(&host),
            Event::RenderingEnded { host } => self.on_rendering_ended(&host, now),
            Event::LaneEntered { host, bytes } => self.on_lane_entered(&host, bytes),
            Event::LaneLeft { host, bytes } => self.on_lane_left(&host, bytes, now),
            Event::DocumentLeft { queued, why } => {
                self.tickets.end();
                self.on_document_left(&queued, why, now);
            }
            Event::Asks(subrequest) => self.add_subrequest(subrequest, now),
            Event::SubrequestEnded => self.tickets.end(),
            Event::Ordered(orders) => self.on_ordered(*orders, now),
            Event::Adjusted(to) => self.adjust(*to, now),
            Event::Groups(event) => self.on_groups(event, now),
            Event::Stop => self.stopping = true,
        }
    }

    /// Reports the end of a request to the gates of its host and of its address.
    fn on_request_ended(
        &mut self,
        name: &str,
        signal: HostSignal,
        failure: Option<String>,
        contact: Contact,
        now: Now,
    ) {
        self.tickets.end_request();
        self.pass_gates(name, signal, contact, now);
        let host = self.host(name);
        host.memory.last_failure = match signal {
            HostSignal::Answered => failure,
            _ => failure.or(host.memory.last_failure.take()),
        };
        if host.gate.is_given_up() {
            for errand in host.drain_errands() {
                self.give_up_errand(errand, name, now);
            }
        }
        self.schedule(name, now);
    }

    /// Notes the outcome of a URL. Steering learns from the verdict.
    fn on_outcome(&mut self, name: &str, seq: u64, page: Option<&JudgedPage>) {
        if page.is_some_and(|page| page.duplicate_of.is_none()) {
            self.prove(name);
        }
        let host = self.host(name);
        host.urls = host.urls.saturating_sub(1);
        host.decided(seq, page);
        self.steering.end_test(name, seq);
        let to_review = page.map(|page| self.steering.decided(name, page)).unwrap_or_default();
        for host in to_review {
            self.review(&host);
        }
    }
}
