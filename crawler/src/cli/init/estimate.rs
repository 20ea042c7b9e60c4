//! How long a polite crawl of the known pages takes.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use web::host_key::HostKey;

use super::survey::Survey;
use config::settings::Settings;
use terminal::units::{duration, grouped};

/// The known pages, and the time for them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Estimate {
    pages: u64,
    hosts: usize,
    /// At least this long, because the answers of the servers take time as well.
    time: Duration,
    may_be_more: bool,
}

impl Estimate {
    /// Adds up the surveys. The crawler asks hosts at the same time, so the host with the most to wait for decides, or the number of
    /// requests that the crawler makes at a time.
    pub fn of(surveys: &[Survey], settings: &Settings) -> Self {
        let mut hosts: HashMap<String, (u64, Duration)> = HashMap::new();
        for survey in surveys {
            let host = HostKey::from_url(&survey.url).map(String::from).unwrap_or_default();
            let host = hosts.entry(host).or_default();
            // Two URLs of one host have the same sitemaps.
            host.0 = host.0.max(survey.pages);
            host.1 = host
                .1
                .max(survey.delay / u32::try_from(survey.parallel).unwrap_or(1).max(1));
        }
        let times = hosts.values().map(|(pages, delay)| delay.as_secs_f64() * *pages as f64);
        let (longest, all) = times.fold((0.0_f64, 0.0), |(longest, all), time| (longest.max(time), all + time));
        let seconds = longest.max(all / settings.fetch.parallel as f64);
        Self {
            pages: hosts.values().map(|(pages, _)| pages).sum(),
            hosts: hosts.values().filter(|(pages, _)| *pages > 0).count(),
            time: Duration::try_from_secs_f64(seconds.ceil()).unwrap_or(Duration::MAX),
            may_be_more: surveys.iter().any(Survey::may_have_more),
        }
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pages == 0 {
            return write!(
                formatter,
                "Known pages: none. The crawl finds pages by their links; scope.max_pages in config.toml bounds their number."
            );
        }
        let (pages, time) = (grouped(self.pages), duration(self.time.as_secs()));
        let hosts = match self.hosts {
            1 => "1 host".to_owned(),
            hosts => format!("{} hosts", grouped(hosts as u64)),
        };
        write!(
            formatter,
            "Known pages: {pages} on {hosts}. A polite crawl of them takes at least {time}."
        )?;
        if self.may_be_more {
            write!(formatter, " The sites may have more pages.")?;
        }
        Ok(())
    }
}
