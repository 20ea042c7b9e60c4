//! Sends the letters of the outbox to the fleet, in an order in which a crash loses nothing: first the URLs for other workers, then what
//! was done in the own partitions, then the claims. Everything may be sent twice.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use fleet::{
    Commit, Committed, DigestClaim, Entry, Epoch, FleetError, PageId, Partition, PartitionChanges, UrlHash, WaitingUrl,
    WorkerNumber,
};
use storage::Letter;
use tokio::sync::mpsc;
use url::Url;
use web::host_key::HostKey;

use super::super::letter::{self, Again, Claim, Done, Mail, TreatedHost};
use super::super::messages::{FromDesk, ToDesk};
use super::{Call, Desk};

/// This many letters do not wait for others. The recorder gives the desk at most twice as many.
const TOGETHER: usize = 8_192;

/// Most letters that are sent at a time: those that were gathered while no server answered must not be one burst, whose end would be
/// answered too late and sent again.
const AT_A_TIME: usize = 4_096;

/// The time over which letters are gathered, so that one call takes many: the changes of a partition cost one command, however many
/// pages they are of.
const GATHERED: Duration = Duration::from_millis(2_000);

/// Time after which the desk looks again whether letters are to be sent.
const TICK: Duration = Duration::from_millis(20);

/// What letters say, by the calls that send it.
#[derive(Debug, Default)]
struct Sorted {
    foreign: HashMap<Partition, Vec<WaitingUrl>>,
    own: HashMap<Partition, Changes>,
    claims: Vec<Claim>,
    /// Finished URLs to fetch again, by the worker whose pages are lost.
    again: HashMap<Option<WorkerNumber>, HashMap<Partition, Vec<WaitingUrl>>>,
    digests: Vec<letter::DigestClaim>,
    /// Outcomes that come too late, unless they are known already.
    late: Vec<Done>,
}

#[derive(Debug)]
struct Changes {
    epoch: Epoch,
    done: Vec<Done>,
    new: Vec<WaitingUrl>,
    /// Whether all new URLs are in the queue of this folder.
    are_stored: bool,
    /// The last treatment of each host.
    hosts: HashMap<String, Vec<u8>>,
}

impl Desk {
    /// Handles the messages of the recorder until it has ended. Returns the letters that are still to be sent.
    pub(super) async fn send_letters(
        &self,
        mut messages: mpsc::UnboundedReceiver<ToDesk>,
    ) -> Result<Vec<(u64, Letter)>, FleetError> {
        let mut letters = Vec::new();
        let mut sent_at = Instant::now();
        loop {
            let message = tokio::select! {
                biased;
                message = messages.recv() => Some(message.unwrap_or(ToDesk::Ended)),
                () = tokio::time::sleep(TICK) => None,
            };
            match message {
                Some(ToDesk::Outbox(more)) => letters.extend(more),
                Some(ToDesk::Applied(position)) => self.state().log_is_applied(position),
                Some(ToDesk::BringBack {
                    finished,
                    waiting,
                    answer,
                }) => self.bring_back(finished, waiting, answer).await?,
                Some(ToDesk::IsBack) => self.is_back().await?,
                Some(ToDesk::Restored) => self.is_restored(),
                Some(ToDesk::Forgot(worker, at)) => {
                    let mut state = self.state();
                    state.forgot.insert(worker.0);
                    state.forgot_at = state.forgot_at.max(at);
                }
                Some(ToDesk::BeginsAnew) => self.state().log_begins_anew(),
                Some(ToDesk::Freed { partition, after }) => {
                    self.state().left.push_back((partition, after));
                    self.give_back_left().await?;
                }
                Some(ToDesk::Waiting(waiting)) => self.compare(waiting).await?,
                Some(ToDesk::Ended) => {
                    self.state().is_ending = true;
                    return Ok(letters);
                }
                None => {}
            }
            let is_urgent = letters.len() >= TOGETHER || self.is_waited_for();
            let is_due = is_urgent || sent_at.elapsed() >= GATHERED;
            if !letters.is_empty() && is_due && messages.is_empty() && self.state().may_send() {
                let later = letters.split_off(together(&letters));
                let now = std::mem::replace(&mut letters, later);
                let have_arrived = self.send(&now).await?;
                if !have_arrived {
                    letters.splice(0..0, now);
                }
                if !have_arrived || letters.is_empty() {
                    sent_at = Instant::now();
                }
            }
        }
    }

    /// Whether something waits for the letters: partitions that other workers are to have, or the frontier, which has nothing to do before
    /// somebody answers.
    fn is_waited_for(&self) -> bool {
        let state = self.state();
        !state.left.is_empty() || self.sign.shows(state.number)
    }

    /// Sends the last letters of the run.
    pub(super) async fn send_last(&self, letters: Vec<(u64, Letter)>) -> Result<(), FleetError> {
        let mut rest = letters.as_slice();
        while !rest.is_empty() {
            let (some, later) = rest.split_at(together(rest));
            while !self.send(some).await? {}
            rest = later;
        }
        Ok(())
    }

    /// Sends letters. Returns whether they have arrived.
    pub(super) async fn send(&self, letters: &[(u64, Letter)]) -> Result<bool, FleetError> {
        let Some((last, _)) = letters.last() else {
            return Ok(true);
        };
        let Sorted {
            foreign,
            own,
            claims,
            again,
            digests,
            mut late,
        } = self.sort(letters);
        // Before the outcomes: one of these URLs may have been fetched already.
        for (lost, urls) in again {
            let urls: Vec<(Partition, Vec<WaitingUrl>)> = urls.into_iter().collect();
            let reopened = self.fleet.reopen(lost, &urls).await;
            if self.answer_to(Call::Post, reopened).await?.is_none() {
                return Ok(false);
            }
        }
        let foreign: Vec<(Partition, Vec<WaitingUrl>)> = foreign.into_iter().collect();
        if self
            .answer_to(Call::Post, self.fleet.enqueue(&foreign).await)
            .await?
            .is_none()
        {
            return Ok(false);
        }
        let mut outcomes = Vec::with_capacity(own.len());
        let commits: Vec<Commit> = own
            .into_iter()
            .map(|(partition, of)| {
                let done = of.done.iter().map(Done::hash).collect();
                outcomes.push(of.done);
                Commit {
                    partition,
                    epoch: of.epoch,
                    changes: PartitionChanges {
                        done,
                        new: of.new,
                        are_stored: of.are_stored,
                        hosts: of.hosts.into_iter().collect(),
                    },
                }
            })
            .collect();
        let Some(committed) = self
            .answer_to(Call::Post, self.fleet.commit_all(&commits).await)
            .await?
        else {
            return Ok(false);
        };
        let mut lost = Vec::new();
        let mut foreign = Vec::new();
        let mut is_news = false;
        for ((commit, outcomes), committed) in commits.into_iter().zip(outcomes).zip(committed) {
            match committed {
                Committed::Stale => {
                    lost.push((commit.partition, commit.epoch));
                    foreign.push((commit.partition, commit.changes.new));
                    late.extend(outcomes);
                }
                Committed::Done { queue_end, is_read } => {
                    is_news |= self
                        .state()
                        .committed(commit.partition, commit.epoch, queue_end, is_read);
                }
            }
        }
        self.stats.worker().refused(lost.len());
        if is_news {
            self.arrivals.notify_one();
        }
        if self
            .answer_to(Call::Post, self.fleet.enqueue(&foreign).await)
            .await?
            .is_none()
        {
            return Ok(false);
        }
        let Some(refused) = self.refused(late).await? else {
            return Ok(false);
        };
        let too_late: HashSet<u64> = refused.iter().copied().collect();
        let arrived = if self.has_log {
            self.append(claims, &too_late).await?.map(|()| Vec::new())
        } else {
            self.claim(digests, &too_late).await?
        };
        let Some(claimed) = arrived else {
            return Ok(false);
        };
        if !refused.is_empty() {
            let number = self.next_number();
            self.tell(FromDesk::Refused { pages: refused, number }).await;
        }
        if !claimed.is_empty() {
            self.tell(FromDesk::Claimed(claimed)).await;
        }
        self.state().sent = *last;
        self.tell(FromDesk::Sent(*last)).await;
        // The lease is not held any more. This tells the connection, so that it asks for the partition again.
        if !lost.is_empty() && self.answer(self.fleet.release(&lost).await).await?.is_none() {
            tracing::debug!("the loss of leases was not confirmed; the next renewal shows it");
        }
        self.lost(lost.into_iter().map(|(partition, _)| partition).collect())
            .await;
        self.give_back_left().await?;
        Ok(true)
    }

    /// Appends claims to the log, but for those of pages that came too late.
    async fn append(&self, claims: Vec<Claim>, too_late: &HashSet<u64>) -> Result<Option<()>, FleetError> {
        let worker = self.fleet.worker();
        let claims = claims.into_iter().filter(|claim| !too_late.contains(&claim.page));
        let entries: Vec<Entry> = claims
            .map(|claim| Entry {
                page: PageId {
                    worker,
                    sequence: claim.page,
                },
                url: claim.url,
                signature: claim.signature,
            })
            .collect();
        self.answer_to(Call::Post, self.fleet.append(&entries).await).await
    }

    /// Claims digests, but for those of pages that came too late. Returns for each page the one that has its digest.
    async fn claim(
        &self,
        digests: Vec<letter::DigestClaim>,
        too_late: &HashSet<u64>,
    ) -> Result<Option<Vec<(u64, PageId)>>, FleetError> {
        let worker = self.fleet.worker();
        let digests = digests.into_iter().filter(|claim| !too_late.contains(&claim.page));
        let claims: Vec<DigestClaim> = digests
            .map(|claim| DigestClaim {
                digest: claim.digest,
                page: PageId {
                    worker,
                    sequence: claim.page,
                },
            })
            .collect();
        let keepers = self
            .answer_to(Call::Post, self.fleet.claim_digests(&claims).await)
            .await?;
        let pages = claims.iter().map(|claim| claim.page.sequence);
        Ok(keepers.map(|keepers| pages.zip(keepers).collect()))
    }

    /// The pages among these outcomes whose URLs nobody has finished: the owner will fetch them. An outcome that the servers had accepted
    /// and that is sent again after a crash is none of these.
    async fn refused(&self, late: Vec<Done>) -> Result<Option<Vec<u64>>, FleetError> {
        let mut by_partition: HashMap<Partition, Vec<Done>> = HashMap::new();
        for done in late.into_iter().filter(|done| done.page.is_some()) {
            by_partition.entry(done.partition).or_default().push(done);
        }
        let mut refused = Vec::new();
        for (partition, late) in by_partition {
            let hashes: Vec<UrlHash> = late.iter().map(Done::hash).collect();
            let Some(are_done) = self.answer(self.fleet.done(partition, &hashes).await).await? else {
                return Ok(None);
            };
            let open = late.iter().zip(are_done).filter(|(_, is_done)| !is_done);
            refused.extend(open.filter_map(|(done, _)| done.page));
        }
        Ok(Some(refused))
    }

    fn sort(&self, letters: &[(u64, Letter)]) -> Sorted {
        let mut sorted = Sorted::default();
        let state = self.state();
        for (_, letter) in letters {
            match Mail::read(letter) {
                Some(mail @ (Mail::Found(_) | Mail::Queued(_))) => {
                    let is_queued = matches!(mail, Mail::Queued(_));
                    let (Mail::Found(found) | Mail::Queued(found)) = mail else {
                        continue;
                    };
                    let Some(partition) = self.partition_of(&found.url) else {
                        continue;
                    };
                    match state.leases.get(&partition) {
                        Some(lease) => {
                            let changes = sorted.changes(partition, lease.epoch);
                            changes.new.push(found);
                            changes.are_stored &= is_queued;
                        }
                        None => sorted.foreign.entry(partition).or_default().push(found),
                    }
                }
                Some(Mail::Done(done)) => match state.valid(done.partition, done.epoch) {
                    Some(epoch) => sorted.changes(done.partition, epoch).done.push(done),
                    None => sorted.late.push(done),
                },
                Some(Mail::Host(TreatedHost {
                    partition,
                    epoch,
                    host,
                    record,
                })) => {
                    if let Some(epoch) = state.valid(partition, epoch) {
                        sorted.changes(partition, epoch).hosts.insert(host, record);
                    }
                }
                Some(Mail::Again(Again { url, lost })) => {
                    if let Some(partition) = self.partition_of(&url.url) {
                        let urls = sorted.again.entry(lost).or_default();
                        urls.entry(partition).or_default().push(url);
                    }
                }
                Some(Mail::Claim(claim)) => sorted.claims.push(claim),
                Some(Mail::Digest(claim)) => sorted.digests.push(claim),
                None => tracing::warn!(
                    kind = letter.kind,
                    "a letter to the fleet cannot be read, and is left out"
                ),
            }
        }
        sorted
    }

    fn partition_of(&self, url: &str) -> Option<Partition> {
        let host = Url::parse(url).ok().as_ref().and_then(HostKey::from_url)?;
        Some(self.ownership.partition_of(host.as_str()))
    }
}

/// How many of the letters are sent together: whole rows of the outbox, because a row leaves it as a whole, and the claim of a page with its
/// outcome, because an outcome that comes too late takes the claim with it. What is to be fetched again is sent before the outcomes beside it, so
/// it does not go with those that came before it: the servers would finish a URL after they had queued it again.
fn together(letters: &[(u64, Letter)]) -> usize {
    let mut count = letters.len().min(AT_A_TIME);
    while let Some((row, letter)) = letters.get(count)
        && let Some((last, _)) = count.checked_sub(1).and_then(|at| letters.get(at))
        && (row == last || matches!(Mail::read(letter), Some(Mail::Claim(_) | Mail::Digest(_))))
    {
        count += 1;
    }
    let mut has_outcome = false;
    for (at, (row, letter)) in letters.iter().take(count).enumerate() {
        match Mail::read(letter) {
            Some(Mail::Done(_)) => has_outcome = true,
            Some(Mail::Again(_)) if has_outcome && letters[at - 1].0 != *row => return at,
            _ => {}
        }
    }
    count
}

impl Sorted {
    fn changes(&mut self, partition: Partition, epoch: Epoch) -> &mut Changes {
        self.own.entry(partition).or_insert_with(|| Changes {
            epoch,
            done: Vec::new(),
            new: Vec::new(),
            are_stored: true,
            hosts: HashMap::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_the_outbox_and_a_claim_with_its_outcome_are_sent_together() {
        let letter = |claim: bool| {
            let page = 1;
            let mail = if claim {
                Mail::Digest(letter::DigestClaim { page, digest: 1 })
            } else {
                Mail::Done(Done {
                    partition: Partition(1),
                    epoch: None,
                    url: 1,
                    page: Some(page),
                })
            };
            mail.letter().unwrap()
        };
        let rows = |count: usize| (0..count as u64).map(|row| (row, letter(false))).collect::<Vec<_>>();
        assert_eq!(together(&rows(7)), 7);
        assert_eq!(together(&rows(AT_A_TIME + 7)), AT_A_TIME);
        let mut letters = rows(AT_A_TIME + 7);
        letters[AT_A_TIME].1 = letter(true);
        assert_eq!(together(&letters), AT_A_TIME + 1);
        letters[AT_A_TIME + 2].0 = letters[AT_A_TIME + 1].0;
        assert_eq!(together(&letters), AT_A_TIME + 1);
        letters[AT_A_TIME + 1].0 = AT_A_TIME as u64;
        letters[AT_A_TIME + 2].0 = AT_A_TIME as u64;
        assert_eq!(together(&letters), AT_A_TIME + 3);
    }

    #[test]
    fn what_is_to_be_fetched_again_is_not_sent_with_the_outcomes_before_it() {
        let outcome = Mail::Done(Done {
            partition: Partition(1),
            epoch: None,
            url: 1,
            page: Some(1),
        });
        let url = WaitingUrl {
            url: "https://a.example/".to_owned(),
            depth: 1,
            redirects: 0,
            priority: 0,
            is_seed: false,
        };
        let again = Mail::Again(Again { url, lost: None });
        let letters = |mails: &[(u64, &Mail)]| {
            let letters = mails.iter().map(|(row, mail)| (*row, mail.letter().unwrap()));
            letters.collect::<Vec<_>>()
        };
        assert_eq!(
            together(&letters(&[(1, &outcome), (2, &outcome), (3, &again), (3, &again)])),
            2
        );
        assert_eq!(together(&letters(&[(1, &again), (2, &again), (3, &outcome)])), 3);
        assert_eq!(together(&letters(&[(1, &again), (2, &outcome), (3, &again)])), 2);
    }
}
