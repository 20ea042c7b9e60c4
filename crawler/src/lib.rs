//! A polite web crawler that decides before storing whether a page says anything new, and keeps only the pages that do.
//!
//! The way of a page, a line a module:
//!
//! - [`cli`] what the user typed, [`config`] what `config.toml` says, [`settings`] the validated form of both
//! - [`seeds`] where a crawl starts, [`scope`] how far it goes
//! - [`canonicalize`] one spelling a URL, [`host_key`] which host it belongs to, [`site`] whose it is
//! - [`scheduler`] what is fetched next, [`politeness`] when, [`robots`] whether, [`sitemap`] what else there is
//! - [`revisit`] which pages are looked at again, and when
//! - [`fetch`] one request, [`address_policy`] to which addresses, [`content_encoding`] undone under a bound,
//!   [`content_type`] taken apart, [`memory_budget`] how much of all that at a time
//! - [`interpret`] what a response means: [`decode`] its characters, [`parse`] its tree and links, [`extract`] its main
//!   text, [`language`] in which language, [`soft_404`] whether it is a page at all
//! - [`stored_text`] what a server says, cut before it is stored
//! - [`content_seen`] decides (crate `dedup`) and records (crate `storage`)
//! - [`pipeline`] joins the stages, [`shutdown`] ends them
//! - [`stats`] what they have come to so far: [`progress`] shows it on the terminal, [`status`] over HTTP
//! - [`redecide`] gives all verdicts anew, from the stored texts, by another scheme or rule
//! - [`inputs`] documents from files instead of the web
//! - [`nearest`] the kept pages most like a text, [`passages`] what two texts have in common, [`diff`] what differs
//! - [`replay`] every stored decision again at other thresholds
//! - [`report`] what was kept and dropped, and why, [`terminal_text`] without harm to a terminal
//! - [`panics`] of the database, told as errors, [`tell`] to whoever watches, [`log`] of what happens
//! - [`commands`] one file a command, [`demo`] a web site with a known truth, [`error`] what ends a command

pub mod address_policy;
pub mod canonicalize;
pub mod cli;
pub mod commands;
pub mod config;
pub mod content_encoding;
pub mod content_seen;
pub mod content_type;
pub mod decode;
pub mod demo;
pub mod diff;
pub mod error;
pub mod extract;
pub mod fetch;
pub mod host_key;
pub mod inputs;
pub mod interpret;
pub mod json;
pub mod language;
pub mod log;
pub mod memory_budget;
pub mod nearest;
pub mod panics;
pub mod parse;
pub mod passages;
pub mod pipeline;
pub mod politeness;
pub mod progress;
pub mod redecide;
pub mod replay;
pub mod report;
pub mod revisit;
pub mod robots;
pub mod scheduler;
pub mod scope;
pub mod seeds;
pub mod settings;
pub mod shutdown;
pub mod site;
pub mod sitemap;
pub mod soft_404;
pub mod stats;
pub mod status;
pub mod steering;
pub mod stored_text;
pub mod tell;
pub mod terminal_text;
pub mod terminal_width;
pub mod trap;
