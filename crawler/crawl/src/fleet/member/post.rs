//! What the recorder of a worker tells the desk, and hears from it.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::{Duration, Instant, SystemTime};

use crossbeam_channel::{Select, TryRecvError, never};
use fleet::{Partition, UNKNOWN_DEPTH, WaitingUrl};
use storage::{Discovered, FETCHED_ELSEWHERE, HostRecord, IS_LEFT, Letter, Outcome, QueuedUrl, Store, UrlState};
use url::Url;
use web::host_key::HostKey;

use super::super::leased::{group, partition};
use super::super::letter::{VIA_FLEET, read_record};
use super::super::messages::{FromDesk, HostStates, ToDesk};
use super::{Claims, Member, letters};
use crate::admission::HostGroup;
use crate::clock::unix_millis;
use crate::messages::{Event, GroupEvent};
use crate::recorder::{Books, News, Post, SLICE, Share};
use error::RunError;

/// At the end of a run, how long the recorder waits for the arrival of its last letters.
const LAST_LETTERS: Duration = Duration::from_secs(10);

/// The same if it has no letters: for what the desk has said already.
const LAST_NEWS: Duration = Duration::from_secs(1);

impl<C: Claims> Post for Member<C> {
    fn divide<'a>(&mut self, found: Cow<'a, [Discovered]>, are_seeds: bool) -> Result<Share<'a>, RunError> {
        self.letters.divide(found, are_seeds)
    }

    /// That the URL is done; for a page that is kept, also its claim.
    fn of_outcome(&self, queued: &QueuedUrl, outcome: &Outcome, page: u64) -> Result<Vec<Letter>, RunError> {
        let mut letters = Vec::new();
        if letters::ends(outcome) {
            let page = matches!(outcome, Outcome::Page { .. }).then_some(page);
            letters.push(self.letters.of_done(&queued.host, &queued.url, page)?);
        }
        if let Outcome::Page { draft, .. } = outcome
            && !draft.verdict.is_duplicate()
        {
            let claim = C::letter(self, page, (&queued.host, &queued.url), &draft.signature)?;
            letters.push(claim.letter()?);
        }
        Ok(letters)
    }

    fn of_queued(&self, urls: &[&QueuedUrl]) -> Vec<Letter> {
        letters::of_queued(urls)
    }

    fn of_hosts(&self, states: &[(String, HostRecord)]) -> Result<Vec<Letter>, RunError> {
        let letters = states.iter();
        letters
            .map(|(host, record)| self.letters.of_host(host, record))
            .collect()
    }

    fn has_letters_to_give(&self, store: &Store) -> bool {
        self.letters.wait(store)
    }

    fn give(&mut self, store: &Store) -> Result<(), RunError> {
        self.letters.give(store)?;
        self.letters.show(self.awaits_arrivals(store));
        Ok(())
    }

    /// Tells the desk how far the claims are decided, and shows whether letters are left.
    fn note(&mut self, store: &Store) {
        C::note(self);
        self.letters.show(self.awaits_arrivals(store));
    }

    fn frees(&mut self, group: HostGroup, store: &Store) {
        let (partition, after) = (partition(group), store.outbox().last());
        self.letters.tell(ToDesk::Freed { partition, after });
    }

    fn listen<'a>(&'a self, select: &mut Select<'a>) -> Option<usize> {
        Some(select.recv(&self.from_desk))
    }

    fn hear(&mut self, books: &mut Books) -> Result<News, RunError> {
        match self.from_desk.try_recv() {
            Ok(message) => self.on_message(books, message),
            Err(TryRecvError::Empty) => Ok(News::default()),
            Err(TryRecvError::Disconnected) => {
                // The thread of the desk has failed, and has stopped the run.
                self.from_desk = never();
                Ok(News::default())
            }
        }
    }

    /// Waits a bounded time until all letters have arrived and the claims among them are decided. What has not arrived goes with the next
    /// run. Takes in the depths that have sunk, which the servers do not tell again.
    fn hear_last(&mut self, books: &mut Books, ended_at: Instant) -> Result<Option<News>, RunError> {
        // If nothing is awaited, only what is there already. It may be a long log, whose parts come as fast as they are applied.
        let (until, at_most) = if self.awaits_arrivals(books.store()) {
            (ended_at + LAST_LETTERS, LAST_LETTERS)
        } else {
            (ended_at, LAST_NEWS)
        };
        if Instant::now() >= ended_at + at_most {
            return Ok(None);
        }
        let Ok(message) = self.from_desk.recv_deadline(until) else {
            return Ok(None);
        };
        match message {
            FromDesk::Sent(_)
            | FromDesk::Log(_)
            | FromDesk::Segment(_)
            | FromDesk::Claimed(_)
            | FromDesk::Lowered { .. }
            | FromDesk::Refused { .. } => self.on_message(books, message).map(Some),
            _ => Ok(Some(News::default())),
        }
    }

    fn ends(&mut self, books: &mut Books) -> Result<(), RunError> {
        if self.awaits_arrivals(books.store()) {
            tracing::warn!("not everything that this worker did has reached the fleet; the next run sends the rest");
        }
        self.letters.tell(ToDesk::Ended);
        books.store_mut().commit()?;
        Ok(())
    }
}

impl<C: Claims> Member<C> {
    fn on_message(&mut self, books: &mut Books, message: FromDesk) -> Result<News, RunError> {
        let mut news = News::default();
        match message {
            FromDesk::Sent(row) => {
                self.letters.arrived(books.store_mut(), row)?;
                if !C::HAS_LOG {
                    self.claim_next(books.store_mut())?;
                }
                self.letters.show(self.awaits_arrivals(books.store()));
            }
            FromDesk::Granted(partitions) => self.on_granted(books, &partitions)?,
            FromDesk::Came {
                partitions,
                done,
                number,
            } => {
                for queued in done {
                    let reason = FETCHED_ELSEWHERE.to_owned();
                    books.store_mut().finish(&queued, Outcome::Excluded { reason }, &[])?;
                }
                let groups = partitions.into_iter().map(group).collect();
                news.events.push(Event::Groups(GroupEvent::Came { groups, number }));
            }
            FromDesk::Arrived { urls, number } => {
                let queued = self.on_arrived(books, urls)?;
                news.events.push(arrived(queued, number));
            }
            FromDesk::Lowered { urls, number } => {
                let queued = self.on_lowered(books, urls)?;
                news.events.push(arrived(queued, number));
            }
            FromDesk::Go(partitions) => {
                let groups = partitions.into_iter().map(group).collect();
                news.events.push(Event::Groups(GroupEvent::Go(groups)));
            }
            FromDesk::Refused { pages, number } => {
                news.ended = self.on_refused(books, &pages)?;
                let queued = self.refetched(books, &pages)?;
                news.events.push(arrived(queued, number));
            }
            of_claims => return C::take(self, books, of_claims),
        }
        Ok(news)
    }

    /// Takes over partitions that other workers had: how their hosts were treated, and which URLs of this folder are done.
    fn on_granted(&mut self, books: &mut Books, partitions: &[(Partition, HostStates)]) -> Result<(), RunError> {
        let now = unix_millis(SystemTime::now());
        let hosts = partitions.iter().flat_map(|(_, hosts)| hosts);
        let records = hosts.filter_map(|(host, bytes)| {
            let record = read_record(bytes)?;
            // The last owner may have asked the host until now, and its clock may differ from this one.
            Some((
                host.clone(),
                HostRecord {
                    asked_at: now,
                    ..record
                },
            ))
        });
        let records: Vec<_> = records.collect();
        books.store_mut().record_hosts(&records)?;
        books.commit(self)?;
        let mut waiting: BTreeMap<Partition, Vec<QueuedUrl>> = partitions
            .iter()
            .map(|(partition, _)| (*partition, Vec::new()))
            .collect();
        let store = books.store_mut();
        for row in store.hosts().with_queue().collect::<Vec<_>>() {
            let (host, _) = row?;
            let Some(queued) = waiting.get_mut(&self.letters.partition_of(&host)) else {
                continue;
            };
            let mut from = None;
            loop {
                let some = store.refill_behind(&host, from, SLICE, &HashSet::new())?;
                let Some(last) = some.last() else { break };
                from = Some((last.priority, last.depth, last.seq));
                queued.extend(some.into_iter().filter(|queued| queued.revisits.is_none()));
            }
        }
        self.letters.tell(ToDesk::Waiting(waiting.into_iter().collect()));
        Ok(())
    }

    /// Stores URLs of own partitions that came from the fleet.
    fn on_arrived(&mut self, books: &mut Books, urls: Vec<WaitingUrl>) -> Result<Vec<QueuedUrl>, RunError> {
        let mut links = self.links_of(urls);
        // A partition that has left keeps its URLs on the servers.
        links.retain(|link| self.letters.is_mine(&link.host));
        let mut taken = Vec::with_capacity(links.len());
        for link in &mut links {
            let is_unknown = link.depth == UNKNOWN_DEPTH;
            if is_unknown {
                // That of a page, so its depth is within the bound.
                link.depth = self.max_depth.min(1);
            }
            // A depth that nobody knows lowers none.
            if !is_unknown || books.store().latest_state(&link.host, &link.url)?.is_none() {
                taken.push(link.clone());
            }
        }
        let mut queued = books.take_in(&taken)?;
        queued.extend(admitted_again(books.store_mut(), &links)?);
        self.report_again(books.store_mut(), &links, &queued)?;
        queued.extend(books.follow_lowered(self)?);
        Ok(queued)
    }

    /// Lowers the depths of finished URLs. One that this folder does not know was fetched by another worker.
    fn on_lowered(&mut self, books: &mut Books, urls: Vec<WaitingUrl>) -> Result<Vec<QueuedUrl>, RunError> {
        let mut known = Vec::new();
        for link in self.links_of(urls) {
            if link.depth != UNKNOWN_DEPTH && books.store().latest_state(&link.host, &link.url)?.is_some() {
                known.push(link);
            }
        }
        let mut queued = books.store_mut().discover(&known)?;
        queued.extend(books.follow_lowered(self)?);
        Ok(queued)
    }

    /// The links to URLs that came from the fleet. Of a URL that came several times, the smallest depth counts.
    fn links_of(&self, urls: Vec<WaitingUrl>) -> Vec<Discovered> {
        let mut links: Vec<Discovered> = Vec::with_capacity(urls.len());
        let mut places = HashMap::with_capacity(urls.len());
        for waiting in urls {
            let Some(host) = Url::parse(&waiting.url).ok().as_ref().and_then(HostKey::from_url) else {
                continue;
            };
            if waiting.depth == 0 && self.letters.is_mine(host.as_str()) {
                // A seed, or the page to which it redirects.
                self.scope.add_host(&host);
            }
            let link = Discovered {
                via: (!waiting.is_seed).then(|| VIA_FLEET.to_owned()),
                url: waiting.url,
                host: host.as_str().to_owned(),
                depth: waiting.depth,
                redirects: waiting.redirects,
                priority: waiting.priority,
            };
            match places.entry(link.url.clone()) {
                Entry::Vacant(place) => {
                    place.insert(links.len());
                    links.push(link);
                }
                Entry::Occupied(place) => {
                    if let Some(before) = links.get_mut(*place.get()).filter(|before| link.depth < before.depth) {
                        *before = link;
                    }
                }
            }
        }
        links
    }

    /// Reports URLs once more that wait on the servers although this folder has their outcomes: the reports came after the partition had
    /// another owner, and now it is this worker's again. Nobody else would report them, and a later worker would fetch them again. A page
    /// counts if the log has it; otherwise its report goes with its claim, and if that comes too late, the page is fetched again.
    fn report_again(&self, store: &mut Store, arrived: &[Discovered], queued: &[QueuedUrl]) -> Result<(), RunError> {
        let new: HashSet<&str> = queued.iter().map(|queued| queued.url.as_str()).collect();
        let mut letters = Vec::new();
        for link in arrived.iter().filter(|link| !new.contains(link.url.as_str())) {
            let page = match store.latest_state(&link.host, &link.url)? {
                Some(UrlState::Redirect { .. } | UrlState::Failed(_)) => None,
                Some(UrlState::Excluded { reason }) if !IS_LEFT.contains(&reason.as_str()) => None,
                Some(UrlState::Page(page)) if self.verdicts.is_confirmed(&self.dedup, page)? => Some(page),
                _ => continue,
            };
            letters.push(self.letters.of_done(&link.host, &link.url, page)?);
        }
        store.mail(letters)?;
        Ok(())
    }

    /// Withdraws pages whose outcome came too late: another worker is to fetch their URLs. A page that the log has already stays, because
    /// other pages may be duplicates of it, and is reported again if its partition is this worker's again. Returns the pages that are
    /// withdrawn.
    fn on_refused(&mut self, books: &mut Books, pages: &[u64]) -> Result<BTreeSet<u64>, RunError> {
        let mut ended = BTreeSet::new();
        for &page in pages {
            if self.verdicts.is_confirmed(&self.dedup, page)? {
                let record = books.store().latest_page(page)?;
                if let Some(record) = record.filter(|record| self.letters.is_mine(&record.host)) {
                    let done = self.letters.of_done(&record.host, &record.url, Some(page))?;
                    books.store_mut().mail(vec![done])?;
                }
                continue;
            }
            self.verdicts.forget(page)?;
            books.store_mut().withdraw(page, FETCHED_ELSEWHERE)?;
            books.note_departures();
            ended.insert(page);
        }
        Ok(ended)
    }

    /// Queues the URLs of refused pages again if this worker has their partitions again: the servers have told it of these URLs when the
    /// pages still counted.
    fn refetched(&mut self, books: &mut Books, pages: &[u64]) -> Result<Vec<QueuedUrl>, RunError> {
        books.commit(self)?;
        let mut links = Vec::new();
        for &page in pages {
            let page = books.store().latest_page(page)?;
            let page = page.filter(|page| self.letters.is_mine(&page.host));
            links.extend(page.map(|page| Discovered {
                via: Some(VIA_FLEET.to_owned()),
                url: page.url,
                host: page.host,
                depth: page.depth,
                ..Discovered::default()
            }));
        }
        admitted_again(books.store_mut(), &links)
    }
}

/// The event for the frontier about URLs that were queued.
pub(crate) fn arrived(queued: Vec<QueuedUrl>, number: u64) -> Event {
    Event::Groups(GroupEvent::Arrived { queued, number })
}

/// Queues those of the URLs again that this worker has left to another one. No worker has finished them, and this worker is the one to
/// fetch them now.
fn admitted_again(store: &mut Store, links: &[Discovered]) -> Result<Vec<QueuedUrl>, RunError> {
    let mut queued = Vec::new();
    if store.counts().excluded == 0 {
        return Ok(queued);
    }
    for link in links {
        let is_left =
            |state: &UrlState| matches!(state, UrlState::Excluded { reason } if IS_LEFT.contains(&reason.as_str()));
        queued.extend(store.try_again(link, is_left)?);
    }
    Ok(queued)
}
