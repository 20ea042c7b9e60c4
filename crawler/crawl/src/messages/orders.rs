//! The orders of the user, on their way to the recorder and from there to the frontier.

use std::sync::Arc;

use crossbeam_channel::Sender;
use storage::{Discovered, QueuedUrl};
use url::Url;

use crate::control::answer::Effect;
use crate::control::steer::Steer;
use crate::control::target::Target;
use crate::scope::Scope;

/// Orders for the recorder.
#[derive(Debug)]
pub(crate) struct Taken {
    /// The orders, in turn.
    pub orders: Vec<TakenOrder>,
    /// What stands with them.
    pub steer: Steer,
    /// Gets the hosts to which an added URL has redirected.
    pub scope: Arc<Scope>,
    /// Gets the effect of each order, in turn, when they are durable and the frontier knows of them.
    pub done: Sender<Vec<Effect>>,
}

/// The effects of orders, until the frontier knows of them.
#[derive(Debug)]
pub(crate) struct Done {
    /// The effect of each order, in turn.
    pub effects: Vec<Effect>,
    /// Gets them.
    pub to: Sender<Vec<Effect>>,
}

impl Done {
    /// Tells who waits for them.
    pub fn tell(self) {
        if self.to.send(self.effects).is_err() {
            tracing::debug!("nobody waits for what the orders did");
        }
    }
}

/// One order, as far as it concerns the store.
#[derive(Debug)]
pub(crate) struct TakenOrder {
    /// Its number.
    pub id: u64,
    /// What the recorder does.
    pub wanted: Wanted,
}

/// What an order wants of the store.
#[derive(Debug)]
pub(crate) enum Wanted {
    /// To know that it was taken.
    Nothing,
    /// To queue these.
    Seeds {
        /// Pages.
        pages: Vec<Discovered>,
        /// Sitemaps.
        sitemaps: Vec<Url>,
    },
    /// To count the queued URLs of these hosts.
    Count(Vec<Target>),
    /// To queue what was excluded for these reasons.
    Restore(Vec<String>),
}

/// Orders for the frontier.
#[derive(Debug)]
pub(crate) struct Orders {
    /// What stands from now on.
    pub steer: Steer,
    /// URLs that are new to the crawl, or tried again.
    pub queued: Vec<QueuedUrl>,
    /// The hosts of the other URLs that were added.
    pub known: Vec<String>,
    /// Sitemaps that were added.
    pub sitemaps: Vec<Url>,
    /// How many URLs of which hosts the store has queued again.
    pub restored: Vec<(String, u64)>,
    /// For the loop, which tells them when the frontier has taken the orders.
    pub done: Option<Done>,
}
