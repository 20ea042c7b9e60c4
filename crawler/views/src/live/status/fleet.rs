//! What the status shows of a worker of a fleet: its figures in `/status.json`, and its metrics.

use std::fmt;
use std::time::SystemTime;

use prometheus_client::registry::Unit;
use serde::Serialize;

use super::families::Families;
use crawl::clock::unix_millis;
use crawl::stats::WorkerStanding;
use terminal::units::utc;

/// The part of a worker in its fleet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FleetFigures {
    /// Workers that live, this one included.
    pub workers: u64,
    /// Partitions that this worker owns.
    pub partitions: u64,
    /// Time between the last entry of the log that this worker has applied and the end of the log.
    pub log_lag_seconds: f64,
    /// Letters that Redis does not have yet.
    pub outbox: u64,
    /// Commands to Redis in this run, and those of them that were sent once more.
    pub commands: u64,
    pub repeats: u64,
    /// Bytes of these commands.
    pub bytes: u64,
    /// Writes about a partition that Redis refused, because another worker owned it by then.
    pub refused: u64,
    /// Since when Redis does not answer: RFC 3339, UTC; null if it does.
    pub away_since: Option<String>,
    /// Whether writes go to one server only, because the replicas of a primary are gone.
    pub is_unprotected: bool,
    /// The standing of Redis in words.
    pub text: String,
}

impl From<WorkerStanding> for FleetFigures {
    fn from(standing: WorkerStanding) -> Self {
        let away_since = standing.away_since.map(utc);
        Self {
            workers: standing.workers,
            partitions: standing.leases,
            log_lag_seconds: standing.log_lag.as_secs_f64(),
            outbox: standing.letters,
            commands: standing.commands,
            repeats: standing.repeats,
            bytes: standing.bytes,
            refused: standing.refused,
            is_unprotected: standing.is_unprotected,
            text: match (&away_since, standing.is_unprotected) {
                (Some(since), _) => format!("no answer from Redis since {since}"),
                (None, true) => "Redis answers; it writes to one server only, without a replica".to_owned(),
                (None, false) => "Redis answers".to_owned(),
            },
            away_since,
        }
    }
}

/// Writes the metrics of a worker.
pub(super) fn encode(standing: &WorkerStanding, out: &mut Families<'_>) -> fmt::Result {
    let without_redis = standing.away_since.map_or(0.0, |since| {
        unix_millis(SystemTime::now()).saturating_sub(since) as f64 / 1_000.0
    });
    let seconds = || Some(Unit::Seconds);
    let gauges = [
        (
            "crawler_fleet_workers",
            "Workers of the fleet that live",
            standing.workers,
        ),
        (
            "crawler_fleet_partitions",
            "Partitions that this worker owns",
            standing.leases,
        ),
        (
            "crawler_fleet_outbox",
            "Letters that Redis does not have yet",
            standing.letters,
        ),
        (
            "crawler_fleet_unprotected",
            "1 while writes go to one server only, because the replicas of a primary are gone",
            u64::from(standing.is_unprotected),
        ),
    ];
    for (name, help, value) in gauges {
        out.gauge(name, help, None, value)?;
    }
    out.gauge(
        "crawler_fleet_log_lag",
        "Time between the last entry of the log that this worker has applied and the end of the log",
        seconds(),
        standing.log_lag.as_secs_f64(),
    )?;
    out.gauge(
        "crawler_fleet_without_redis",
        "Time since which Redis does not answer, 0 if it does",
        seconds(),
        without_redis,
    )?;
    let counters = [
        ("crawler_fleet_commands", "Commands to Redis", None, standing.commands),
        (
            "crawler_fleet_repeats",
            "Commands to Redis that were sent once more",
            None,
            standing.repeats,
        ),
        (
            "crawler_fleet_sent",
            "Bytes of the commands to Redis",
            Some(Unit::Bytes),
            standing.bytes,
        ),
        (
            "crawler_fleet_refused",
            "Writes that Redis refused, because another worker owned the partition by then",
            None,
            standing.refused,
        ),
    ];
    for (name, help, unit, value) in counters {
        out.counter(name, help, unit, value)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use crate::live::status::figures::Figures;
    use crate::live::status::{View, metrics, page};
    use crawl::stats::{RunLimits, Stats};

    #[test]
    fn a_worker_of_a_fleet_shows_its_part_and_others_show_none() {
        let stats = Arc::new(Stats::default());
        let text = |stats: &Arc<Stats>| metrics::render(&View::new(stats.clone(), RunLimits::default())).unwrap();
        assert!(!text(&stats).contains("fleet"));
        stats.worker().stands(|standing| {
            standing.workers = 3;
            standing.leases = 341;
            standing.letters = 7;
            standing.log_lag = Duration::from_millis(1_500);
            (standing.commands, standing.bytes) = (90, 12_345);
        });
        stats.worker().refused(2);
        stats.worker().servers_answer(true);
        for line in [
            "crawler_fleet_workers 3",
            "crawler_fleet_partitions 341",
            "crawler_fleet_outbox 7",
            "crawler_fleet_log_lag_seconds 1.5",
            "crawler_fleet_commands_total 90",
            "crawler_fleet_sent_bytes_total 12345",
            "crawler_fleet_refused_total 2",
            "crawler_fleet_without_redis_seconds 0.0",
        ] {
            let shown = text(&stats);
            assert!(shown.lines().any(|shown| shown == line), "{line} is not in {shown}");
        }
        stats.worker().servers_answer(false);
        let since = stats.snapshot().worker.unwrap().away_since.unwrap();
        stats.worker().servers_answer(false);
        assert_eq!(
            stats.snapshot().worker.unwrap().away_since,
            Some(since),
            "the first call without an answer counts"
        );
    }

    #[test]
    fn the_page_of_a_worker_shows_the_fleet_and_since_when_redis_is_away() {
        let stats = Arc::new(Stats::default());
        let shown = |stats: &Arc<Stats>| {
            let view = View::new(stats.clone(), RunLimits::default());
            page::render(&Figures::of(&view), "n0nce").unwrap()
        };
        assert!(!shown(&stats).contains("The fleet"));
        stats.worker().stands(|standing| standing.workers = 3);
        assert!(shown(&stats).contains("Redis answers"));
        stats
            .worker()
            .stands(|standing| standing.away_since = Some(1_774_000_000_000));
        let html = shown(&stats);
        assert!(
            html.contains("no answer from Redis since 2026-03-20T09:46:40Z"),
            "{html}"
        );
    }
}
