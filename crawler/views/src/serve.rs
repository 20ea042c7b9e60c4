//! How does a person work with a crawl in a browser?
//!
//! `crawler serve` answers on loopback, with the pages and the JSON of `docs/src/commands/serve.md`. It opens the data folder for one question
//! and closes it again, so a crawl can start at any time. With `--fleet`, it shows a fleet as its servers tell of it, beside a data folder or
//! without one.
//!
//! - [`program`]: what the commands lend to the server: the configuration, the store, and how a text is read
//! - `answer`: from a request to its answer; `asked`: the request; `guard`: which requests are answered; `reply`: the answers, with their
//!   headers; `file`: an answer of any length
//! - `served`: what the server shows; `site`: the state of a data folder; [`WatchedFleet`]: a fleet; `frame`: what stands around a view; `moment`: times for people; `paths`: searches to which views lead
//! - `keeper`: the prepared model, read again when the crawl has moved on; `model`: the rows that the views search
//! - `labels`: what a person says about pairs of pages
//! - `steered`: what the orders to the crawl come to
//! - `tuner`: the survey of all settings; `redecision`: all pages decided again
//! - `views`: one file for each view, with its JSON
//!
//! Uses: live, report.

mod answer;
mod asked;
mod file;
mod frame;
mod guard;
mod keeper;
mod labels;
mod model;
mod moment;
mod paths;
mod program;
mod redecision;
mod reply;
mod served;
mod site;
mod steered;
mod tuner;
mod views;
mod watched_fleet;

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use crate::live::http;
use crate::live::listen::Flags;
use error::RunError;
use guard::Guard;
use served::Served;
use site::Site;

pub use program::Program;
pub use watched_fleet::WatchedFleet;

/// The flags of the server of a data folder.
pub const FLAGS: Flags = Flags {
    address: "--listen",
    public: "--public",
    risk: "everyone who reaches it can read the crawl and steer it, and change labels, config.toml and verdicts",
};

/// The flags of the server of a fleet alone, which gives no orders.
pub const FLEET_FLAGS: Flags = Flags {
    risk: "everyone who reaches it sees the figures and the machines of the fleet",
    ..FLAGS
};

/// A running server; dropping it ends it.
#[derive(Debug)]
pub struct Server(http::Server);

impl Server {
    /// Serves a crawl, a fleet, or both at the listener's address.
    ///
    /// # Errors
    /// The server cannot be started.
    pub fn start(
        listener: TcpListener,
        crawl: Option<Program>,
        fleet: Option<WatchedFleet>,
        is_public: bool,
    ) -> Result<Self, RunError> {
        let address = listener.local_addr();
        let address = address.map_err(|source| RunError::io("start", "the report server", source))?;
        let guard = Arc::new(Guard::new(address, is_public)?);
        let described = fleet.as_ref().map(|fleet| fleet.described().to_owned());
        let crawl = crawl.map(|program| Arc::new(Site::new(guard.clone(), Arc::new(program), described)));
        let served = Arc::new(Served { guard, crawl, fleet });
        let server = http::Server::start(
            "report",
            listener,
            move |request| answer::answer(served.clone(), request),
            std::future::pending(),
        )?;
        Ok(Self(server))
    }

    /// The address, with the selected port if port 0 was requested.
    pub fn address(&self) -> SocketAddr {
        self.0.address()
    }
}
