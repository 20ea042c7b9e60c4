//! The recorder's part of a fleet: which URLs belong into the store of this worker, and the letters that tell the fleet what was found and
//! done. The letters are durable together with what they tell of.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::SystemTime;

use crossbeam_channel::Receiver;
use fleet::{Partition, UrlHash, WaitingUrl};
use storage::{Discovered, FETCHED_ELSEWHERE, HostRecord, Letter, Outcome, QueuedUrl, Store};
use tokio::sync::mpsc::UnboundedSender;
use url::Url;
use web::host_key::HostKey;

use super::{Recorder, SLICE};
use crate::crawl::clock::unix_millis;
use crate::crawl::fleet::idle::IdleSign;
use crate::crawl::fleet::letter::{Done, Mail, TreatedHost, VIA_FLEET, read_record};
use crate::crawl::fleet::messages::{FromDesk, HostStates, ToDesk};
use crate::crawl::fleet::ownership::Ownership;
use crate::crawl::messages::{Event, FleetEvent};
use crate::crawl::scope::Scope;
use crate::error::RunError;

/// Bound on the letters at the desk. The store keeps the others.
const MAX_AT_DESK: usize = 16_384;

/// Bound on the URLs of other workers that the recorder remembers to have sent. It saves commands, so forgetting does no harm.
const MAX_REMEMBERED: usize = 1 << 20;

/// At the end of a run, how long the recorder waits for the arrival of its last letters.
const LAST_LETTERS: std::time::Duration = std::time::Duration::from_secs(10);

/// The recorder's part of a fleet.
#[derive(Debug)]
pub(crate) struct Post {
    ownership: Ownership,
    sign: IdleSign,
    desk: UnboundedSender<ToDesk>,
    from_desk: Receiver<FromDesk>,
    scope: Arc<Scope>,
    /// URLs that were sent.
    remembered: HashSet<u64>,
    /// The last row that the desk was given.
    given: u64,
    /// The rows at the desk, with the number of their letters.
    at_desk: VecDeque<(u64, usize)>,
    /// Whether claims of this worker have not come back.
    has_claims: bool,
}

impl Post {
    /// The part of a worker whose desk takes `desk` and sends `from_desk`.
    pub fn new(
        ownership: Ownership,
        sign: IdleSign,
        desk: UnboundedSender<ToDesk>,
        from_desk: Receiver<FromDesk>,
        scope: Arc<Scope>,
    ) -> Self {
        Self {
            ownership,
            sign,
            desk,
            from_desk,
            scope,
            remembered: HashSet::new(),
            given: 0,
            at_desk: VecDeque::new(),
            has_claims: false,
        }
    }

    /// The messages of the desk.
    pub fn news(&self) -> &Receiver<FromDesk> {
        &self.from_desk
    }

    /// Divides URLs into those for the store of this worker, and letters about the others, which other workers fetch or have finished.
    /// Leaves out what was sent before.
    pub fn divide(
        &mut self,
        found: Vec<Discovered>,
        are_seeds: bool,
    ) -> Result<(Vec<Discovered>, Vec<Letter>), RunError> {
        let mut own = Vec::with_capacity(found.len());
        let mut letters = Vec::new();
        let mut last: Option<(String, bool)> = None;
        for link in found {
            let is_stored = match &last {
                Some((host, is_stored)) if *host == link.host => *is_stored,
                _ => self.ownership.stores_links(self.ownership.partition_of(&link.host)),
            };
            if last.as_ref().is_none_or(|(host, _)| *host != link.host) {
                last = Some((link.host.clone(), is_stored));
            }
            if is_stored {
                own.push(link);
                continue;
            }
            if self.remembered.len() >= MAX_REMEMBERED {
                self.remembered.clear();
            }
            if self.remembered.insert(UrlHash::of(&link.url).0) {
                let found = WaitingUrl {
                    url: link.url,
                    depth: link.depth,
                    redirects: link.redirects,
                    priority: link.priority,
                    is_seed: are_seeds,
                };
                letters.push(Mail::Found(found).letter()?);
            }
        }
        Ok((own, letters))
    }

    /// The letter about the outcome of a URL.
    pub fn done(&self, queued: &QueuedUrl, page: Option<u64>) -> Result<Letter, RunError> {
        let partition = self.ownership.partition_of(&queued.host);
        let done = Done {
            partition,
            epoch: self.ownership.epoch(partition),
            url: UrlHash::of(&queued.url).0,
            page,
        };
        Mail::Done(done).letter()
    }

    fn treated(&self, host: &str, record: &HostRecord) -> Result<Letter, RunError> {
        let partition = self.ownership.partition_of(host);
        let epoch = self.ownership.epoch(partition);
        Mail::Host(TreatedHost::new(partition, epoch, host, record)?).letter()
    }

    /// Gives the desk the committed letters for which it has room.
    fn give(&mut self, store: &Store) -> Result<(), RunError> {
        if self.has_room() {
            let letters = store
                .outbox()
                .letters(self.given, MAX_AT_DESK - self.letters_at_desk())?;
            for (row, _) in &letters {
                self.given = *row;
                match self.at_desk.back_mut() {
                    Some((last, count)) if last == row => *count += 1,
                    _ => self.at_desk.push_back((*row, 1)),
                }
            }
            if !letters.is_empty() {
                self.tell(ToDesk::Outbox(letters));
            }
        }
        self.note_letters(store);
        Ok(())
    }

    fn letters_at_desk(&self) -> usize {
        self.at_desk.iter().map(|(_, letters)| letters).sum()
    }

    fn has_room(&self) -> bool {
        self.letters_at_desk() < MAX_AT_DESK
    }

    fn note_letters(&self, store: &Store) {
        let at_desk = self.letters_at_desk();
        let waits = usize::from(!store.outbox().is_empty() || self.has_claims);
        self.sign.has_letters(at_desk.max(waits) as u64);
    }

    fn arrived(&mut self, store: &mut Store, row: u64) -> Result<(), RunError> {
        store.sent(row)?;
        while self.at_desk.front().is_some_and(|(front, _)| *front <= row) {
            self.at_desk.pop_front();
        }
        self.give(store)
    }

    /// Sends a message to the desk.
    pub fn tell(&self, message: ToDesk) {
        if self.desk.send(message).is_err() {
            tracing::debug!("a message to the fleet came after the end of its thread");
        }
    }
}

/// The letters about URLs that are new in the store. One that cannot be written is left out: the URL stays in this folder.
pub(super) fn queued_letters(urls: &[&QueuedUrl]) -> Vec<Letter> {
    let letters = urls.iter().map(|queued| {
        let found = WaitingUrl {
            url: queued.url.clone(),
            depth: queued.depth,
            redirects: queued.redirects,
            priority: queued.priority,
            is_seed: queued.via.is_none(),
        };
        Mail::Queued(found).letter()
    });
    letters.filter_map(Result::ok).collect()
}

/// Whether the URL has its outcome, so that no worker has to fetch it again.
pub(super) fn ends(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Page { .. } | Outcome::Redirect { .. } | Outcome::Failed { .. } | Outcome::Excluded { .. } => true,
        Outcome::Retry | Outcome::Visited { .. } | Outcome::Postponed { .. } => false,
    }
}

impl Recorder {
    /// Works in a fleet.
    pub(crate) fn joins(&mut self, post: Post) {
        self.post = Some(post);
    }

    /// Whether letters wait for which the desk has room.
    pub(super) fn has_letters_to_give(&self) -> bool {
        let post = self.post.as_ref();
        post.is_some_and(|post| post.has_room() && self.store.outbox().last() > post.given)
    }

    /// Gives the desk the letters of the last commit.
    pub(super) fn give_letters(&mut self) -> Result<(), RunError> {
        match &mut self.post {
            Some(post) => post.give(&self.store),
            None => Ok(()),
        }
    }

    /// Notes that there are letters, before the frontier learns of their cause.
    pub(super) fn note_letters(&mut self) {
        let has_claims = self.has_claims();
        if let Some(post) = &mut self.post {
            post.has_claims = has_claims;
            post.note_letters(&self.store);
        }
    }

    /// Stores the treatment of hosts, and tells the fleet.
    pub(super) fn treated(&mut self, states: &[(String, HostRecord)]) -> Result<(), RunError> {
        self.store.record_hosts(states)?;
        if let Some(post) = &self.post {
            let letters = states.iter().map(|(host, record)| post.treated(host, record));
            self.store.mail(letters.collect::<Result<_, _>>()?)?;
        }
        Ok(())
    }

    /// The frontier has left a partition: what it did there is recorded.
    pub(super) fn freed(&mut self, partition: Partition) -> Result<(), RunError> {
        self.commit()?;
        if let Some(post) = &self.post {
            let after = self.store.outbox().last();
            post.tell(ToDesk::Freed { partition, after });
        }
        Ok(())
    }

    /// Handles a message of the desk. Returns the events for the frontier.
    pub(super) fn hear(&mut self, message: FromDesk) -> Result<Vec<Event>, RunError> {
        let event = match message {
            FromDesk::Sent(row) => {
                if let Some(post) = &mut self.post {
                    post.arrived(&mut self.store, row)?;
                }
                None
            }
            FromDesk::Granted(partitions) => {
                self.granted(&partitions)?;
                None
            }
            FromDesk::Came {
                partitions,
                done,
                number,
            } => {
                for queued in done {
                    let reason = FETCHED_ELSEWHERE.to_owned();
                    self.store.finish(&queued, Outcome::Excluded { reason }, &[])?;
                }
                self.update_stats();
                Some(FleetEvent::Came { partitions, number })
            }
            FromDesk::Arrived { urls, number } => {
                let queued = self.arrived(urls)?;
                Some(FleetEvent::Arrived { queued, number })
            }
            FromDesk::Log(entries) => {
                let events = self.take_log(entries)?;
                self.log_is_applied();
                return Ok(events);
            }
            FromDesk::Segment(segment) => {
                let events = self.take_segment(segment)?;
                self.log_is_applied();
                return Ok(events);
            }
            FromDesk::LogLost => {
                self.begin_log_anew()?;
                if let Some(post) = &self.post {
                    post.tell(ToDesk::BeginsAnew);
                }
                None
            }
            FromDesk::Judge { pages, answer } => {
                if answer.send(self.judge(&pages)?).is_err() {
                    tracing::debug!("the verdicts for a segment came after the end of the fleet's thread");
                }
                None
            }
            FromDesk::Refused { pages, number } => {
                let mut events = self.refused(&pages)?;
                let queued = self.refetched(&pages)?;
                events.push(Event::Fleet(FleetEvent::Arrived { queued, number }));
                return Ok(events);
            }
            FromDesk::LogEnd => {
                let (queued, number) = (self.log_is_read()?, 0);
                (!queued.is_empty()).then_some(FleetEvent::Arrived { queued, number })
            }
        };
        Ok(event.map(Event::Fleet).into_iter().collect())
    }

    /// Whether the host belongs to this worker, as every host does without a fleet.
    pub(super) fn is_mine(&self, host: &str) -> bool {
        let post = self.post.as_ref();
        post.is_none_or(|post| post.ownership.is_mine(post.ownership.partition_of(host)))
    }

    /// Tells the desk how far the log is applied.
    fn log_is_applied(&mut self) {
        if let (Some(post), Some(position)) = (&self.post, self.position()) {
            post.tell(ToDesk::Applied(position));
        }
        self.note_letters();
    }

    /// Takes over partitions that other workers had: how their hosts were treated, and which URLs of this folder are done.
    fn granted(&mut self, partitions: &[(Partition, HostStates)]) -> Result<(), RunError> {
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
        self.store.record_hosts(&records)?;
        self.commit()?;
        let Some(post) = &self.post else { return Ok(()) };
        let mut waiting: BTreeMap<Partition, Vec<QueuedUrl>> = partitions
            .iter()
            .map(|(partition, _)| (*partition, Vec::new()))
            .collect();
        for row in self.store.hosts().with_queue().collect::<Vec<_>>() {
            let (host, _) = row?;
            let Some(queued) = waiting.get_mut(&post.ownership.partition_of(&host)) else {
                continue;
            };
            let mut from = None;
            loop {
                let some = self.store.refill_behind(&host, from, SLICE, &HashSet::new())?;
                let Some(last) = some.last() else { break };
                from = Some((last.priority, last.depth, last.seq));
                queued.extend(some.into_iter().filter(|queued| queued.revisits.is_none()));
            }
        }
        post.tell(ToDesk::Waiting(waiting.into_iter().collect()));
        Ok(())
    }

    /// Stores URLs of own partitions that came from the fleet.
    fn arrived(&mut self, urls: Vec<WaitingUrl>) -> Result<Vec<QueuedUrl>, RunError> {
        let Some(post) = &self.post else { return Ok(Vec::new()) };
        let mut links = Vec::with_capacity(urls.len());
        for waiting in urls {
            let Some(host) = Url::parse(&waiting.url).ok().as_ref().and_then(HostKey::from_url) else {
                continue;
            };
            // A partition that has left keeps its URLs on the servers.
            if !post.ownership.is_mine(post.ownership.partition_of(host.as_str())) {
                continue;
            }
            if waiting.depth == 0 {
                // A seed, or the page to which it redirects.
                post.scope.add_host(&host);
            }
            links.push(Discovered {
                via: (!waiting.is_seed).then(|| VIA_FLEET.to_owned()),
                url: waiting.url,
                host: host.as_str().to_owned(),
                depth: waiting.depth,
                redirects: waiting.redirects,
                priority: waiting.priority,
            });
        }
        let admitted = self.url_budget.admit(&self.store, &links)?;
        self.stats.links_over_budget(links.len() - admitted.len());
        let mut queued = self.store.discover(&admitted)?;
        self.url_budget.spend(&self.store, &queued)?;
        queued.extend(self.admitted_again(&links)?);
        queued.extend(self.follow_lowered()?);
        self.update_stats();
        Ok(queued)
    }

    /// Queues those of the URLs again that this worker has left to another one. No worker has finished them, and this worker is the one to
    /// fetch them now.
    fn admitted_again(&mut self, links: &[Discovered]) -> Result<Vec<QueuedUrl>, RunError> {
        let mut queued = Vec::new();
        if self.store.counts().excluded == 0 {
            return Ok(queued);
        }
        for link in links {
            queued.extend(self.store.admit_again(link, FETCHED_ELSEWHERE)?);
        }
        Ok(queued)
    }

    /// Queues the URLs of refused pages again if this worker has their partitions again: the servers have told it of these URLs when the
    /// pages still counted.
    fn refetched(&mut self, pages: &[u64]) -> Result<Vec<QueuedUrl>, RunError> {
        self.commit()?;
        let Some(post) = &self.post else { return Ok(Vec::new()) };
        let mut links = Vec::new();
        for &page in pages {
            let page = self.store.latest_page(page)?;
            let page = page.filter(|page| post.ownership.is_mine(post.ownership.partition_of(&page.host)));
            links.extend(page.map(|page| Discovered {
                via: Some(VIA_FLEET.to_owned()),
                url: page.url,
                host: page.host,
                depth: page.depth,
                ..Discovered::default()
            }));
        }
        let queued = self.admitted_again(&links)?;
        self.update_stats();
        Ok(queued)
    }

    /// Gives the desk all letters, and waits a bounded time until they have arrived and the claims among them are decided. What has not
    /// arrived goes with the next run.
    pub(super) fn send_last_letters(&mut self) -> Result<(), RunError> {
        let until = std::time::Instant::now() + LAST_LETTERS;
        self.give_letters()?;
        while let Some(post) = &self.post
            && (!self.store.outbox().is_empty() || self.has_claims())
            && let Ok(message) = post.from_desk.recv_deadline(until)
        {
            let news = matches!(
                message,
                FromDesk::Sent(_) | FromDesk::Log(_) | FromDesk::Segment(_) | FromDesk::Refused { .. }
            );
            if news {
                // The frontier has ended, and the pages have their outcomes without it.
                let _events = self.hear(message)?;
                self.commit()?;
            }
        }
        let Some(post) = &self.post else { return Ok(()) };
        if !self.store.outbox().is_empty() || self.has_claims() {
            tracing::warn!("not everything that this worker did has reached the fleet; the next run sends the rest");
        }
        post.tell(ToDesk::Ended);
        self.store.commit()?;
        Ok(())
    }
}
