//! The lines of the journal.

use serde::{Deserialize, Serialize};

use super::answer::Answer;
use super::order::Order;

/// An order with its number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ordered {
    /// When it was given, in microseconds since the Unix epoch, and greater than any number before. So the orders of a journal that
    /// was removed are not taken for those of the next.
    pub id: u64,
    /// The same for people: RFC 3339, UTC.
    #[serde(default)]
    pub at: String,
    /// The order.
    #[serde(flatten)]
    pub order: Order,
}

/// What the crawl says of an order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    /// The number of the order.
    pub answers: u64,
    /// When, RFC 3339, UTC.
    #[serde(default)]
    pub at: String,
    /// The answer.
    #[serde(flatten)]
    pub answer: Answer,
}

/// A line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Entry {
    /// Of the command.
    Order(Ordered),
    /// Of the crawl.
    Answer(Answered),
}

impl Entry {
    /// The entry in a line of the journal; `None` if it is damaged.
    #[must_use]
    pub fn parse(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_can_be_read_back() {
        let orders = [
            Order::Pause,
            Order::Resume,
            Order::Stop,
            Order::Add {
                urls: vec!["https://a.example/é".to_owned()],
            },
            Order::Drop {
                what: vec!["a.example".to_owned()],
            },
            Order::Restore {
                what: vec!["glob:/x/**".to_owned()],
            },
            Order::Delay {
                host: "a.example".to_owned(),
                seconds: Some(2.5),
            },
            Order::Delay {
                host: "a.example".to_owned(),
                seconds: None,
            },
        ];
        for order in orders {
            let word = order.word();
            let entry = Entry::Order(Ordered {
                id: 1_764_294_123_456_789,
                at: "2025-11-28T01:42:03Z".to_owned(),
                order,
            });
            let line = serde_json::to_string(&entry).unwrap();
            assert!(line.contains(&format!("\"order\":\"{word}\"")), "{line}");
            assert_eq!(Entry::parse(line.as_bytes()), Some(entry));
            for cut in 1..line.len() {
                assert_eq!(Entry::parse(&line.as_bytes()[..cut]), None, "{line} cut at {cut}");
            }
        }
    }
}
