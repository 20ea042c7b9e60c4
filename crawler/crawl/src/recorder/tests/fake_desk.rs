//! A desk that no servers stand behind: the recorders of the tests hear what a test lets it say.

use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Sender, unbounded};
use fleet::{Epoch, FinishedUrl, Position, WorkerNumber};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::*;
use crate::fleet::by_digest::ByDigest;
use crate::fleet::by_log::ByLog;
use crate::fleet::idle::IdleSign;
use crate::fleet::member::DeskLink;
use crate::fleet::messages::{FromDesk, ToDesk};
use crate::fleet::ownership::Ownership;
use crate::messages::GroupEvent;

/// A host of a partition that the workers have.
pub(super) const HOST: &str = "h";

/// What the recorder of a worker takes for its desk.
pub(super) struct FakeDesk {
    me: WorkerNumber,
    to_recorder: Sender<FromDesk>,
    from_recorder: UnboundedReceiver<ToDesk>,
    sign: IdleSign,
    /// The place up to which the recorder has applied the log.
    applied: Position,
    /// Whether the workers decide by the log; otherwise by the table of digests.
    pub(super) has_log: bool,
    /// Whether the servers have lost the crawl, and own claims on their way at most then.
    pub(super) restores: bool,
    pub(super) window: usize,
    /// Whether the recorder has brought back what its folder knows.
    is_back: bool,
    /// What it has brought back of finished URLs.
    pub(super) finished: Vec<FinishedUrl>,
}

impl FakeDesk {
    pub(super) fn new(me: WorkerNumber) -> Self {
        Self {
            me,
            to_recorder: unbounded().0,
            from_recorder: unbounded_channel().1,
            sign: IdleSign::default(),
            applied: Position::default(),
            has_log: true,
            restores: false,
            window: usize::MAX,
            is_back: false,
            finished: Vec::new(),
        }
    }

    /// The judge of a recorder that begins, or begins again.
    pub(super) fn judge(&mut self, books: &mut Books, settings: &Settings) -> Box<dyn Judge> {
        let ownership = Ownership::new(8, Instant::now());
        ownership.hold(ownership.partition_of(HOST), Epoch(1), Duration::from_secs(3_600));
        let (to_recorder, from_desk) = unbounded();
        let (desk, from_recorder) = unbounded_channel();
        let link = DeskLink {
            ownership,
            sign: self.sign.clone(),
            desk,
            from_desk,
            scope: Arc::new(Scope::new(settings.scope, settings.limits.max_depth)),
            secret: 36,
            restores: self.restores,
            window: self.window,
        };
        (self.to_recorder, self.from_recorder) = (to_recorder, from_recorder);
        let (has_log, me) = (self.has_log, self.me);
        let open = || -> Box<dyn Judge> {
            if has_log {
                Box::new(ByLog::open(me, books, settings, link).unwrap())
            } else {
                Box::new(ByDigest::open(me, books, settings, link).unwrap())
            }
        };
        if !self.restores {
            return open();
        }
        let is_open = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_open.load(Ordering::Relaxed) {
                    self.take_all();
                }
            });
            let judge = open();
            is_open.store(true, Ordering::Relaxed);
            judge
        })
    }

    /// Takes what the recorder says. It waits for the answer when it brings something back.
    fn take_all(&mut self) {
        while let Ok(message) = self.from_recorder.try_recv() {
            match message {
                ToDesk::Applied(position) => self.applied = position,
                ToDesk::BeginsAnew => self.applied = Position::default(),
                ToDesk::IsBack => self.is_back = true,
                ToDesk::BringBack { finished, answer, .. } => {
                    self.finished.extend(finished.into_iter().map(|(_, url)| url));
                    answer.send(()).unwrap();
                }
                _ => {}
            }
        }
    }

    fn applied(&mut self) -> Position {
        self.take_all();
        self.applied
    }
}

impl World {
    /// The last message of the desk.
    pub(super) fn says_last(&mut self, message: FromDesk) {
        let desk = self.desk.as_mut().unwrap();
        desk.to_recorder.send(message).unwrap();
        desk.to_recorder = unbounded().0;
    }

    /// The recorder hears a message of the desk. Returns the events for the frontier.
    pub(super) fn hear(&mut self, message: FromDesk) -> Vec<Event> {
        self.desk.as_ref().unwrap().to_recorder.send(message).unwrap();
        let recorder = self.recorder();
        let news = recorder.judge.hear(&mut recorder.books).unwrap();
        recorder.on_news(news).unwrap()
    }

    /// The recorder hears that the log is read to its end. Returns the URLs that are to be fetched again.
    pub(super) fn log_is_read(&mut self) -> Vec<QueuedUrl> {
        arrived(self.hear(FromDesk::LogEnd))
    }

    /// The place up to which the recorder says that the log is applied.
    pub(super) fn position(&mut self) -> Position {
        self.desk.as_mut().unwrap().applied()
    }

    /// Whether the recorder has said that its folder is brought back.
    pub(super) fn is_back(&mut self) -> bool {
        let desk = self.desk.as_mut().unwrap();
        desk.take_all();
        desk.is_back
    }

    /// Letters and claims that have not arrived.
    pub(super) fn letters(&self) -> u64 {
        self.desk.as_ref().unwrap().sign.letters()
    }
}

/// The URLs that came to the frontier.
pub(super) fn arrived(events: Vec<Event>) -> Vec<QueuedUrl> {
    let arrived = events.into_iter().filter_map(|event| match event {
        Event::Groups(GroupEvent::Arrived { queued, .. }) => Some(queued),
        _ => None,
    });
    arrived.flatten().collect()
}
