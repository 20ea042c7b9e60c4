//! What can be ordered of a crawl that runs, or that will run: pause, resume, stop, add, drop, restore, delay.
//!
//! ```text
//! crawler control ──one line, durable──▶ control.jsonl ──Taker──▶ recorder ──Event::Ordered──▶ frontier
//!        ▲                                    ▲                      │
//!        └────────────the answer──────────────┴────the commit────────┘
//! ```
//!
//! `control.jsonl` in the data folder is a journal. The command appends a line for each order and makes it durable; the crawl appends a line
//! for each answer. So every order is logged, an order may come before the crawl does, and neither outlives the other half-done. The
//! crawl looks at the length of the file a few times a second, which costs less than a second channel would: the
//! [socket](storage::Store::lend) of the commands that read would have to carry writes, and an order would need the journal all the same.
//!
//! - Orders that stand (pause, drop, delay) are what the journal [folds](in_force::InForce) to, at the start and again at each order. They
//!   have no other store, so they cannot disagree with it.
//! - Orders that act once (add, restore) are applied by the recorder. The number of the last one is in the same store as its effects, and
//!   is committed after them. If a kill falls between the two, the order is applied again. That queues no URL twice, because a known URL is
//!   not queued.
//! - A stop counts for the run in which it was given: its number is a time, and a run ignores stops from before its start.
//!
//! A line that a kill cut short is no order, because the command did not say that it was one. The next line begins on its own.
//!
//! The owner of the data folder may give orders: the file belongs to this user alone, another user could not read it, and the crawl
//! [refuses](journal::Journal) one that others may write.
//!
//! - `order`: the orders; `entry`: the lines; `journal`: the file; `in_force`: what the orders come to; `target`: hosts and patterns
//! - `steer`: the same for the frontier, which knows nothing of files
//! - `taker`: takes the orders of a run; `answer`: says what became of each
//! - `giver`: gives orders, for the command and the web interface; `written`: orders as people write them; `status`: what is in force

pub mod answer;
pub mod entry;
pub mod giver;
pub mod in_force;
pub mod journal;
pub mod order;
pub mod status;
pub(crate) mod steer;
pub(crate) mod taker;
pub mod target;
pub mod written;
