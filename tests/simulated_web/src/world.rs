//! What the hosts of the web are, by the seed: nothing is stored.

use crate::random::Random;
use crate::words::{Language, language};

/// Fewest and most pages of a host. Between them, the share of hosts with more than n pages falls as 1/n.
const FEWEST_PAGES: f64 = 4.0;
const MOST_PAGES: f64 = 100_000.0;

/// The web.
pub struct World {
    /// Decides everything.
    pub seed: u64,
    /// Its hosts.
    pub hosts: u64,
    /// Where the hosts listen.
    pub port: u16,
    /// Where nobody listens: the port of dead hosts.
    pub dead_port: u16,
}

/// How a host answers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    Usual,
    /// Its answers take some seconds.
    Slow,
    /// It takes requests and never answers.
    Silent,
    /// Nothing listens at its port.
    Dead,
    /// It leads to another host, page by page.
    Redirects,
}

/// What `/robots.txt` of a host is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Robots {
    Missing,
    Allows,
    ForbidsPart,
    Delays(u64),
}

/// A host.
pub struct Host {
    pub number: u64,
    pub manner: Manner,
    pub robots: Robots,
    pub pages: u64,
    pub language: &'static Language,
    /// The host whose texts it shows: itself, except for mirrors.
    pub original: u64,
    /// Median time of an answer in milliseconds.
    pub median_ms: f64,
    /// Bytes of styles and scripts in each page.
    pub markup_bytes: usize,
}

impl World {
    /// The host with this number.
    pub fn host(&self, number: u64) -> Host {
        let mut random = Random::of(&[self.seed, 1, number]);
        let manner = match random.below(1_000) {
            0..20 => Manner::Dead,
            20..25 => Manner::Silent,
            25..55 => Manner::Slow,
            55..75 => Manner::Redirects,
            _ => Manner::Usual,
        };
        let robots = match random.below(100) {
            0..45 => Robots::Missing,
            45..75 => Robots::Allows,
            75..95 => Robots::ForbidsPart,
            _ => Robots::Delays(2 + random.below(9)),
        };
        let is_mirror = number > 0 && random.below(100) < 3;
        let original = if is_mirror { random.below(number) } else { number };
        let mut texts = Random::of(&[self.seed, 2, original]);
        Host {
            number,
            manner,
            robots,
            pages: (FEWEST_PAGES / (1.0 - texts.unit())).min(MOST_PAGES) as u64,
            language: language(texts.below(100)),
            original,
            median_ms: random.log_normal(if manner == Manner::Slow { 2_000.0 } else { 60.0 }, 0.7),
            markup_bytes: texts.log_normal(8_000.0, 0.8).min(60_000.0) as usize,
        }
    }

    /// The address of a host with its port. Only the hosts that a link leads to are made, so that a page costs few of them.
    pub fn authority(&self, number: u64) -> String {
        let port = if self.host(number).manner == Manner::Dead {
            self.dead_port
        } else {
            self.port
        };
        let [a, b, c, d] = address(number);
        format!("{a}.{b}.{c}.{d}:{port}")
    }
}

/// The address of a host, as `loopback_hosts` of the scripts numbers them.
pub fn address(number: u64) -> [u8; 4] {
    [
        127,
        (1 + number / 62_500) as u8,
        (number / 250 % 250) as u8,
        (1 + number % 250) as u8,
    ]
}

/// The number of the host with this address; `None` for 127.0.0.1 and its like, which are no hosts.
pub fn number_of([_, b, c, d]: [u8; 4]) -> Option<u64> {
    let (block, host) = (u64::from(b).checked_sub(1)?, u64::from(d).checked_sub(1)?);
    Some(block * 62_500 + u64::from(c) * 250 + host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_has_an_address_of_its_own() {
        for number in [0, 1, 249, 250, 62_499, 62_500, 99_999, 4_000_000] {
            assert_eq!(number_of(address(number)), Some(number));
        }
        assert_eq!(address(0), [127, 1, 0, 1]);
        assert_eq!(number_of([127, 0, 0, 1]), None);
    }

    #[test]
    fn few_hosts_have_most_pages() {
        let world = World {
            seed: 7,
            hosts: 10_000,
            port: 80,
            dead_port: 81,
        };
        let mut pages: Vec<u64> = (0..10_000).map(|number| world.host(number).pages).collect();
        pages.sort_unstable_by(|a, b| b.cmp(a));
        assert!(pages[..1_000].iter().sum::<u64>() > pages[1_000..].iter().sum());
        assert!(pages[9_999] >= 4 && pages[0] <= 100_000);
    }
}
