//! What does a page contain after its scripts have run?
//!
//! This crate starts an installed Chromium and drives it over the Chrome DevTools Protocol (CDP). It loads a page that the caller has
//! fetched already, waits until the page is finished, and returns its tree as HTML. It does not know what a crawl is.
//!
//! **The browser has no network.** Each request of a page is paused by the CDP domain `Fetch`, and the caller answers it
//! ([`Resources`]). What the domain does not pause (WebSocket, WebTransport, WebRTC, service workers, speculative requests, requests of
//! the browser itself) meets the [wall]: a proxy on loopback that refuses everything and counts it. A second wall is the
//! browser's resolver, which finds no name.
//!
//! **A page makes no document request.** Its own document is the response that the caller has fetched. Frames are not loaded: a frame is a
//! page of its own, whose address is a link. A navigation by script is answered with 204, which leaves the document in place; its
//! target is [returned](Rendered::links).
//!
//! The client speaks CDP over a pipe (`--remote-debugging-pipe`) and not over a WebSocket, as the library chromiumoxide does. A
//! WebSocket needs a port that listens on loopback, and a page or another user of the machine could reach it. The pipe
//! closes when the process of the caller ends in any way, and the browser ends with it. The part of CDP that is needed is small, and
//! the crate brings no dependency that the workspace does not have.
//!
//! - [`Renderer`]: renders pages in slots; starts the browser, and replaces it when it fails
//! - [`find()`]: the installed browser
//! - [`Resources`]: answers the requests of pages
//! - [`Rendered`], [`RenderError`], [`Refusal`]: the results

mod clock;
mod connection;
mod document;
mod error;
mod find;
mod finish;
mod hook;
mod open;
mod page;
mod patience;
mod process;
mod refusal;
mod renderer;
mod resources;
mod running;
mod session;
mod settings;
pub mod wall;

pub use document::Document;
pub use error::RenderError;
pub use find::{find, find_named};
pub use page::{Ending, Rendered};
pub use refusal::{Refusal, Refusals};
pub use renderer::Renderer;
pub use resources::{Kind, Request, Resource, Resources, Unanswered};
pub use settings::Settings;
