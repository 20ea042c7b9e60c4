//! What became of an order, in words and figures.

use serde::{Deserialize, Serialize};

use super::order::Order;
use terminal::commands::command;
use terminal::units::grouped;

/// Refused URLs that an answer names in its sentence.
const NAMED: usize = 3;

/// What became of an order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Whether the crawl did it, or a part of it.
    pub done: bool,
    /// One sentence.
    pub text: String,
    /// URLs that are new in the queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued: Option<u64>,
    /// URLs to add that the crawl knew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<u64>,
    /// URLs to add that the crawl does not take.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<Refused>,
}

/// A URL that the crawl does not take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// As it was given.
    pub url: String,
    /// The rule, or the fault.
    pub reason: String,
}

/// What an order did in the store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Effect {
    /// URLs that are new in the queue.
    pub queued: u64,
    /// URLs to add that the crawl knew.
    pub known: u64,
    /// Sitemaps to read.
    pub sitemaps: u64,
    /// Queued URLs of the dropped hosts.
    pub dropped: u64,
}

impl Answer {
    /// That the crawl does not do it.
    pub(crate) fn refusal(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// With the delays that count now, in words.
    pub(crate) fn with_delays(mut self, now: Option<String>) -> Self {
        if let Some(now) = now {
            self.text.push_str(&format!(". Now {now}"));
        }
        self
    }

    /// That the crawl has done it.
    pub(crate) fn of(order: &Order, effect: Effect, refused: Vec<Refused>) -> Self {
        let done = |text: String| Self {
            done: true,
            text,
            ..Self::default()
        };
        match order {
            Order::Pause => done(format!(
                "paused: no request starts until `{}`; those under way end",
                command("control", &["resume"])
            )),
            Order::Resume => done("resumed".to_owned()),
            Order::Stop => done(
                "stopping: the requests under way end within seconds, and what is queued waits for the next run"
                    .to_owned(),
            ),
            Order::Add { .. } => Self {
                done: effect.queued + effect.known + effect.sitemaps > 0 || refused.is_empty(),
                text: added(effect, &refused),
                queued: Some(effect.queued),
                known: Some(effect.known),
                refused,
            },
            Order::Drop { what } => done(format!("dropped {}: {}", what.join(", "), of_dropped(effect.dropped))),
            Order::Restore { what } => Self {
                queued: Some(effect.queued),
                ..done(format!(
                    "restored {}: {} queued again",
                    what.join(", "),
                    urls(effect.queued)
                ))
            },
            Order::Delay {
                host,
                seconds: Some(seconds),
            } => done(format!(
                "{seconds} s between two requests to {host} from now on, unless its robots.txt, its latency or its answers 429 and 503 \
                 ask for more"
            )),
            Order::Delay { host, seconds: None } => done(format!("{host} has the delay of the configuration again")),
        }
    }
}

/// `3 URLs queued, 1 was known already; 1 refused: …`
fn added(effect: Effect, refused: &[Refused]) -> String {
    let mut text = format!("{} queued", urls(effect.queued));
    match effect.known {
        0 => {}
        1 => text.push_str(", 1 was known already"),
        known => text.push_str(&format!(", {} were known already", grouped(known))),
    }
    match effect.sitemaps {
        0 => {}
        1 => text.push_str(", 1 sitemap to read"),
        sitemaps => text.push_str(&format!(", {} sitemaps to read", grouped(sitemaps))),
    }
    if !refused.is_empty() {
        let named: Vec<String> = refused
            .iter()
            .take(NAMED)
            .map(|refused| format!("{} ({})", refused.url, refused.reason))
            .collect();
        let more = if refused.len() > NAMED { ", …" } else { "" };
        text.push_str(&format!("; {} refused: {}{more}", refused.len(), named.join(", ")));
    }
    text
}

/// What becomes of the queued URLs. Only those of whole hosts are counted: a pattern would have to be compared with every URL.
fn of_dropped(queued: u64) -> String {
    let rest = "requests under way end, and what is stored stays";
    match queued {
        0 => format!("no further URL is fetched, {rest}"),
        queued => format!("{} in the queue will be excluded, {rest}", urls(queued)),
    }
}

fn urls(count: u64) -> String {
    match count {
        1 => "1 URL".to_owned(),
        count => format!("{} URLs", grouped(count)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_addition_is_counted_in_one_line() {
        let add = Order::Add { urls: Vec::new() };
        let effect = |queued, known| Effect {
            queued,
            known,
            ..Effect::default()
        };
        let answer = |queued, known, refused| Answer::of(&add, effect(queued, known), refused);
        assert_eq!(answer(3, 1, vec![]).text, "3 URLs queued, 1 was known already");
        let refused = || Refused {
            url: "https://a.example/x".to_owned(),
            reason: "excluded: scope.exclude has regex:x".to_owned(),
        };
        let one = answer(1, 0, vec![refused()]);
        assert_eq!(
            one.text,
            "1 URL queued; 1 refused: https://a.example/x (excluded: scope.exclude has regex:x)"
        );
        assert!(one.done && !answer(0, 0, vec![refused()]).done);
        assert!(answer(0, 2, vec![refused(); 5]).text.ends_with(", …"));
    }
}
