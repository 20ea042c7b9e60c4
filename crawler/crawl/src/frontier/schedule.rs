//! The order of turns: the hosts and addresses that have something to do, by the time of their turn.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use web::politeness::{AddressKey, Contact, HostSignal, Now};

use super::Frontier;
use super::state::{Line, LineEvent, NextTurn, Work};
use crate::messages::Step;

/// The heaps behind the lines `Due` and `Rest` (see [`Line`]).
#[derive(Debug, Default)]
pub(super) struct Schedule {
    due: BinaryHeap<Reverse<(Now, u64, Who)>>,
    /// Hosts that rest for longer than the run waits for, by the end of the rest.
    resting: BinaryHeap<Reverse<(Now, String)>>,
    /// Numbers the turns, so that equal times keep their order.
    turn: u64,
}

/// A host or an address that waits for its turn.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Who {
    Host(String),
    /// The hosts that wait at an address.
    Address(AddressKey),
}

impl Schedule {
    /// Takes out the first host or address whose time has come.
    pub fn pop_due(&mut self, now: Now) -> Option<Who> {
        let Reverse((at, _, _)) = self.due.peek()?;
        if *at > now {
            return None;
        }
        self.due.pop().map(|Reverse((_, _, who))| who)
    }

    pub fn has_due(&self) -> bool {
        !self.due.is_empty()
    }

    /// Hosts that rest for longer than the run waits for.
    pub fn resting_hosts(&self) -> usize {
        self.resting.len()
    }

    /// When the next turn comes, or the next long rest ends.
    pub fn wakes_at(&self) -> Option<Now> {
        let due = self.due.peek().map(|Reverse((at, ..))| *at);
        let rest = self.resting.peek().map(|Reverse((at, _))| *at);
        due.into_iter().chain(rest).min()
    }

    /// The host or address whose turn comes first.
    fn first_due(&self) -> Option<&Who> {
        self.due.peek().map(|Reverse((_, _, who))| who)
    }

    /// Takes hosts out of both heaps.
    pub fn forget(&mut self, hosts: &HashSet<String>) {
        let stays = |who: &Who| !matches!(who, Who::Host(name) if hosts.contains(name));
        self.due.retain(|Reverse((_, _, who))| stays(who));
        self.resting.retain(|Reverse((_, name))| !hosts.contains(name));
    }

    /// Takes all addresses out of the heap.
    pub fn forget_addresses(&mut self) {
        self.due.retain(|Reverse((_, _, who))| matches!(who, Who::Host(_)));
    }

    fn push(&mut self, at: Now, who: Who) {
        self.due.push(Reverse((at, self.turn, who)));
        self.turn += 1;
    }

    /// The next host whose long rest is over, and the end of that rest.
    fn pop_rested(&mut self, now: Now) -> Option<(Now, String)> {
        let Reverse((at, _)) = self.resting.peek()?;
        if *at > now {
            return None;
        }
        self.resting.pop().map(|Reverse(rested)| rested)
    }
}

impl Frontier {
    /// Puts the host into a line, if it is in none and has something to do.
    pub(super) fn schedule(&mut self, name: &str, now: Now) {
        if !self.is_here(name) {
            return;
        }
        let takes_new = self.pages.takes_new();
        let host = self.host(name);
        if host.line != Line::None {
            return;
        }
        let turn = host.facts(takes_new, true, now).next_turn(now);
        let rests = host.gate.rests_until() > now;
        if !host.is_wanted && (turn.is_none() || rests) && !host.holds_place(rests) {
            self.trials.end(name);
        }
        let Some(turn) = turn else {
            return;
        };
        let host = self.host(name);
        host.line = host.line.on(LineEvent::HasWork(turn));
        match turn {
            NextTurn::AfterLongRest(at) => self.schedule.resting.push(Reverse((at, name.to_owned()))),
            // Not earlier than now. Otherwise a host without a delay would overtake, at every turn, the hosts whose
            // time has come.
            NextTurn::At(at) => self.schedule.push(at.max(now), Who::Host(name.to_owned())),
        }
    }

    /// Moves every host whose long rest is over to the line of the hosts that have something to do.
    pub(super) fn end_long_rests(&mut self, now: Now) {
        while let Some((at, name)) = self.schedule.pop_rested(now) {
            let host = self.host(&name);
            host.line = host.line.on(LineEvent::LongRestEnded);
            self.schedule.push(at, Who::Host(name));
        }
    }

    /// Ends the next turns that would lead to no request, so that no run waits for them. Since a host was scheduled, an event may have
    /// left it without work, such as the last failure of its robots.txt.
    ///
    /// Returns whether a name may have left its place in a trial, so that the next name gets a turn.
    pub(super) fn end_idle_turns(&mut self) -> bool {
        let takes_new = self.pages.takes_new();
        let mut has_freed_a_place = false;
        while let Some(Who::Host(name)) = self.schedule.first_due()
            && let Some(host) = self.hosts.get_mut(name)
            && host.work(takes_new) == Work::Nothing
        {
            host.line = host.line.on(LineEvent::CalledUp);
            if !host.is_wanted && !host.holds_place(false) {
                self.trials.end(name);
                has_freed_a_place = true;
            }
            self.schedule.due.pop();
        }
        has_freed_a_place
    }

    /// The step of a host whose turn it is, or of the next host that waits at an address; `None` if there is no step
    /// now.
    pub(super) fn take_turn(&mut self, who: Who, now: Now) -> Option<Step> {
        match who {
            Who::Host(name) => self.turn_of(&name, false, now),
            Who::Address(key) => {
                let name = self.addresses.next(key, now);
                let step = name.and_then(|name| self.turn_of(&name, true, now));
                self.schedule_address(key, now);
                step
            }
        }
    }

    /// The host's next step. `is_first_at_address` says whether its turn at its address has come as well.
    fn turn_of(&mut self, name: &str, is_first_at_address: bool, now: Now) -> Option<Step> {
        let takes_new = self.pages.takes_new();
        if let Some(host) = self.hosts.get_mut(name) {
            self.rendering.hold_up(name, host);
        }
        let host = self.host(name);
        host.line = host.line.on(LineEvent::CalledUp);
        let group = host.group;
        let Some(permit) = self.groups.permit(group, now) else {
            self.await_permit(name);
            return None;
        };
        let host = self.host(name);
        let work = host.work(takes_new);
        let only_excludes = host.only_excludes();
        let would_ask = work == Work::Request && !only_excludes && host.gate.ready_at().is_some_and(|at| at <= now);
        let would_act = would_ask || !only_excludes && matches!(work, Work::Refill | Work::Recall);
        if would_act && !host.is_wanted && !self.trials.admits(name) {
            let host = self.host(name);
            host.line = host.line.on(LineEvent::NameHasNoPlace);
            host.queue.leave_to_store();
            return None;
        }
        let host = self.host(name);
        if would_ask && host.route(now).is_none() {
            host.line = host.line.on(LineEvent::AddressIsUnknown);
            let is_wanted = host.is_wanted;
            self.lookups.wait(name, is_wanted);
            return None;
        }
        let key = host.address;
        if let Some(key) = key
            && would_ask
            && !is_first_at_address
            && !self.addresses.admits(key, now)
        {
            let host = self.host(name);
            host.line = host.line.on(LineEvent::AddressIsBusy);
            self.addresses.wait(key, name);
            self.schedule_address(key, now);
            return None;
        }
        let most = self.buffer_of_a_host();
        let host = self.hosts.get_mut(name);
        let mut step = host.and_then(|host| {
            host.queue.bound(most);
            host.step(name, takes_new, &mut self.steering, now)
        });
        if let Some(Step::Start(_, passage)) = &mut step {
            passage.permit = permit;
            self.trials.note_request(name);
            if let Some(key) = key {
                self.addresses.start(key, now);
                self.groups.ask(key);
            }
        }
        self.begin_wanted_login(name, now);
        self.schedule(name, now);
        step
    }

    /// Tells the gates of the host and of its address that a request has ended.
    pub(super) fn pass_gates(&mut self, name: &str, signal: HostSignal, contact: Contact, now: Now) {
        let mut random = self.random.fork();
        if let Some(address) = contact.address {
            self.host(name).memory.address = Some(address);
            self.move_to(name, AddressKey::new(address, name), now);
        }
        let host = self.host(name);
        host.gate.finish(now, signal, contact.latency, &mut random);
        if matches!(signal, HostSignal::Unreachable | HostSignal::Absent) {
            host.doubt_route();
        }
        if let Some(key) = host.address {
            self.addresses.finish(key, now, signal, contact);
            self.schedule_address(key, now);
        }
        self.mark_unsaved(name);
    }

    /// Lets a host rest that answered with a wall. The number of earlier attempts at the same URL is `attempts`.
    pub(super) fn on_blocked(&mut self, name: &str, attempts: u8, now: Now) {
        let mut random = self.random.fork();
        let Some(host) = self.hosts.get_mut(name) else { return };
        host.gate.was_blocked(attempts.into(), now, &mut random);
        self.mark_unsaved(name);
        self.schedule(name, now);
    }

    /// Notes that the host is at the address `key`, and counts its open requests there.
    pub(super) fn move_to(&mut self, name: &str, key: AddressKey, now: Now) {
        let host = self.host(name);
        let before = host.address.replace(key);
        if before == Some(key) {
            return;
        }
        let open = host.gate.open();
        host.line = host.line.on(LineEvent::ChangedAddress);
        self.addresses.moved(name, before, key, open);
        if let Some(before) = before {
            self.schedule_address(before, now);
        }
    }

    /// Schedules the address for the time at which the next host that waits there may be asked.
    pub(super) fn schedule_address(&mut self, key: AddressKey, now: Now) {
        if let Some(at) = self.addresses.schedule(key) {
            self.schedule.push(at.max(now), Who::Address(key));
        }
    }
}
