//! Control: whether the crawl runs, what was ordered of it, and orders to it, as `crawler control` gives them.

use std::sync::Arc;
use std::time::SystemTime;

use askama::Template;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::orders::{self, GivenOrder};
use crate::report::html::{cut, filters};
use crate::serve::asked::Asked;
use crate::serve::frame::Frame;
use crate::serve::moment::Moment;
use crate::serve::reply::{Refusal, Reply};
use crate::serve::site::Site;
use config::Config;
use config::settings::Settings;
use crawl::control::giver::{self, Giver, NotGiven};
use crawl::control::order::Order;
use crawl::control::status::Status;
use crawl::control::written;
use terminal::units::utc;

const CHARS: usize = 300;

#[derive(Template)]
#[template(path = "serve/control.html")]
struct ControlPage<'a> {
    frame: Frame<'a>,
    is_running: bool,
    running_since: Option<Moment>,
    /// When the last page came, of a crawl that does not run.
    last_page: Option<Moment>,
    paused_since: Option<Moment>,
    /// Why no order can be given.
    why_not: Option<String>,
    /// The number of the worker, in the folder of one: orders of hosts would not hold.
    worker: Option<u16>,
    dropped: Vec<Standing>,
    delays: Vec<Standing>,
    orders: Vec<GivenOrder>,
    /// Older orders.
    left_out: usize,
    damaged_lines: u64,
}

impl ControlPage<'_> {
    fn may_order(&self) -> bool {
        self.why_not.is_none()
    }

    /// Whether the crawl tells the delay of a host.
    fn has_now(&self) -> bool {
        self.delays.iter().any(|delay| !delay.now.is_empty())
    }

    fn has_answers(&self) -> bool {
        self.orders.iter().any(|order| !order.answer.is_empty())
    }

    fn may_order_of_hosts(&self) -> bool {
        self.may_order() && self.worker.is_none()
    }
}

/// An order that stands, with the order that takes it back.
struct Standing {
    name: String,
    value: String,
    /// The delay that counts now, with the rule that sets it.
    now: String,
    since: Moment,
    /// JSON, in which every character is visible.
    back: String,
}

/// The crawl and its journal, for one question.
fn crawl(site: &Site) -> Result<Giver<'_>, Refusal> {
    Ok(Giver::of(&site.program.data, site.store()?)?)
}

fn order_json(order: &Value) -> String {
    terminal::json::escaped(order.to_string())
}

fn dropped(status: &Status, now: SystemTime) -> Vec<Standing> {
    let dropped = status.dropped.iter().map(|dropped| Standing {
        name: cut(&dropped.what, CHARS),
        value: String::new(),
        now: String::new(),
        since: Moment::of(&dropped.since, now),
        back: order_json(&json!({"order": "restore", "what": [dropped.what]})),
    });
    dropped.collect()
}

fn delays(status: &Status, now: SystemTime) -> Vec<Standing> {
    let delays = status.delays.iter().map(|delay| Standing {
        name: cut(&delay.host, CHARS),
        value: format!("{} s", delay.seconds),
        now: delay.now.clone().unwrap_or_default(),
        since: Moment::of(&delay.since, now),
        back: order_json(&json!({"order": "delay", "host": delay.host, "seconds": "default"})),
    });
    delays.collect()
}

pub fn page(site: &Arc<Site>) -> Result<Reply, Refusal> {
    // A crawl whose first state is still being read can be steered, too.
    let current = site.current().ok();
    let crawl = crawl(site)?;
    let (status, now) = (Status::of(&crawl)?, SystemTime::now());
    let ended = current
        .as_ref()
        .and_then(|current| current.model.report.timeline.ended_at.as_deref())
        .filter(|_| !status.running);
    let lender = crawl.store.lender().and_then(|lender| lender.since_ms);
    Reply::page(&ControlPage {
        frame: site.frame("control", current.as_ref()),
        is_running: status.running,
        running_since: lender.map(|since| Moment::of(&utc(since), now)),
        last_page: ended.map(|ended| Moment::of(ended, now)),
        paused_since: status.paused_since.as_deref().map(|since| Moment::of(since, now)),
        why_not: giver::why_not(&site.program.data),
        worker: crawl.store.run_notes().worker()?,
        dropped: dropped(&status, now),
        delays: delays(&status, now),
        orders: orders::last(&crawl, now)?,
        left_out: crawl.entries.orders().count().saturating_sub(orders::SHOWN),
        damaged_lines: status.damaged_lines,
    })
}

/// The answer of `crawler control status --format json`, and more.
#[derive(Serialize)]
struct StatusAnswer {
    #[serde(flatten)]
    status: Status,
    /// Why this server gives no orders.
    why_not: Option<String>,
    /// The newest first.
    orders: Vec<Value>,
}

pub(super) fn json(site: &Arc<Site>) -> Result<Reply, Refusal> {
    let crawl = crawl(site)?;
    Reply::json(&StatusAnswer {
        status: Status::of(&crawl)?,
        why_not: giver::why_not(&site.program.data),
        orders: orders::last_json(&crawl)?,
    })
}

/// An order as a page or a program sends it.
#[derive(Debug, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case", deny_unknown_fields)]
enum Sent {
    Pause {},
    Resume {},
    Stop {},
    Add { urls: Vec<String> },
    Drop { what: Vec<String> },
    Restore { what: Vec<String> },
    Delay { host: String, seconds: Value },
}

impl Sent {
    fn order(self) -> Result<Order, String> {
        let named = |what: Vec<String>| {
            if what.is_empty() {
                return Err("name a host or a pattern".to_owned());
            }
            written::targets(&what)
        };
        Ok(match self {
            Self::Pause {} => Order::Pause,
            Self::Resume {} => Order::Resume,
            Self::Stop {} => Order::Stop,
            Self::Add { urls } => add(urls)?,
            Self::Drop { what } => Order::Drop { what: named(what)? },
            Self::Restore { what } => Order::Restore { what: named(what)? },
            Self::Delay { host, seconds } => {
                let seconds = seconds.as_str().map_or_else(|| seconds.to_string(), str::to_owned);
                written::delay(host.trim(), seconds.trim())?
            }
        })
    }
}

fn add(urls: Vec<String>) -> Result<Order, String> {
    if urls.is_empty() {
        return Err("name a URL".to_owned());
    }
    let settings = Settings::new(&Config::default()).map_err(|error| error.to_string())?;
    let urls: Vec<String> = urls.iter().map(|url| url.trim().to_owned()).collect();
    written::check_urls(&urls, &settings)?;
    written::add(urls)
}

/// Gives an order, and waits for the answer. The request has a thread of its own, so it holds up no other.
pub fn order(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    if let Some(reason) = giver::why_not(&site.program.data) {
        return Err(Refusal::new(StatusCode::FORBIDDEN, reason));
    }
    let sent: Sent = serde_json::from_slice(&asked.body)
        .map_err(|error| Refusal::bad(format!("send an order such as {{\"order\": \"pause\"}}: {error}")))?;
    let order = sent.order().map_err(Refusal::bad)?;
    let told = crawl(site)?.give(order).map_err(|error| match error {
        NotGiven::Run(error) => error.into(),
        senseless => Refusal::bad(senseless),
    })?;
    Reply::json(&told)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order_of(body: &str) -> Result<Order, String> {
        let sent: Sent = serde_json::from_str(body).map_err(|error| error.to_string())?;
        sent.order()
    }

    #[test]
    fn an_order_is_whole_or_it_is_none() {
        let delay = |seconds| Order::Delay {
            host: "a.example".to_owned(),
            seconds,
        };
        for (body, order) in [
            (r#"{"order": "pause"}"#, Order::Pause),
            (
                r#"{"order": "delay", "host": "A.example", "seconds": 2.5}"#,
                delay(Some(2.5)),
            ),
            (
                r#"{"order": "delay", "host": "a.example", "seconds": "5"}"#,
                delay(Some(5.0)),
            ),
            (
                r#"{"order": "delay", "host": "a.example", "seconds": "default"}"#,
                delay(None),
            ),
        ] {
            assert_eq!(order_of(body), Ok(order), "{body}");
        }
        for body in [
            "{}",
            "[]",
            r#"{"order": "halt"}"#,
            r#"{"order": "pause", "host": "a.example"}"#,
            r#"{"order": "delay", "host": "a.example"}"#,
            r#"{"order": "delay", "host": "a.example", "seconds": null}"#,
            r#"{"order": "drop", "what": []}"#,
            r#"{"order": "drop", "what": ["https://a.example/"]}"#,
            r#"{"order": "add", "urls": []}"#,
            r#"{"order": "add", "urls": ["not a url"]}"#,
        ] {
            assert!(order_of(body).is_err(), "{body}");
        }
    }
}
