//! `/metrics`: the figures in the OpenMetrics text format, for Prometheus. `docs/src/metrics.md` documents names, types, units and labels,
//! and a test compares it with this file.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, text};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use super::families::Families;
use super::figures::memory_bytes;
use super::{View, fleet};
use crate::live::log;
use crawl::HostStateKind;
use crawl::clock::unix_millis;
use crawl::stats::Snapshot;

/// All metrics now.
///
/// # Errors
/// Writing to a string is not known to fail.
pub fn render(view: &View) -> Result<String, fmt::Error> {
    let snapshot = view.look().snapshot;
    let started_at = unix_millis(view.stats.started_at()) as f64 / 1_000.0;
    let mut registry = Registry::default();
    registry.register(
        "crawler_build",
        "The running crawler",
        Info::new([("version", env!("CARGO_PKG_VERSION"))]),
    );
    registry.register_with_unit(
        "crawler_fetch",
        "Time from a request to its last byte, including failed requests",
        Unit::Seconds,
        view.stats.fetch_seconds().clone(),
    );
    registry.register_with_unit(
        "crawler_commit",
        "Time of a commit to the data folder",
        Unit::Seconds,
        view.stats.commit_seconds().clone(),
    );
    registry.register_collector(Box::new(Current { snapshot, started_at }));
    let mut out = String::new();
    text::encode(&mut out, &registry)?;
    Ok(out)
}

/// The metrics that come from a snapshot.
#[derive(Debug)]
struct Current {
    snapshot: Snapshot,
    started_at: f64,
}

impl Collector for Current {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let mut out = Families(encoder);
        self.encode_run(&mut out)?;
        self.encode_folder(&mut out)?;
        if let Some(standing) = &self.snapshot.worker {
            fleet::encode(standing, &mut out)?;
        }
        self.encode_process(&mut out)
    }
}

impl Current {
    /// The figures of this run.
    fn encode_run(&self, out: &mut Families<'_>) -> fmt::Result {
        let now = &self.snapshot;
        out.counter(
            "crawler_requests",
            "Completed requests, including robots.txt and sitemaps",
            None,
            now.requests,
        )?;
        out.counter(
            "crawler_fetched",
            "Body bytes received over the network",
            Some(Unit::Bytes),
            now.bytes,
        )?;
        let verdicts = [
            ("kept", now.verdicts.kept),
            ("exact", now.verdicts.exact),
            ("near", now.verdicts.near),
        ];
        out.counters("crawler_pages", "Pages with a verdict, by verdict", "verdict", verdicts)?;
        let failures = now.failures.iter().map(|(kind, count)| (kind.as_str(), *count));
        out.counters(
            "crawler_failures",
            "URLs that failed permanently, by kind",
            "kind",
            failures,
        )?;
        let links = [
            ("other_host", now.links_to_other_hosts),
            ("too_deep", now.links_too_deep),
            ("nofollow", now.links_of_nofollow),
            ("over_budget", now.links_over_budget),
        ];
        out.counters(
            "crawler_links_not_followed",
            "Links not followed, by reason",
            "reason",
            links,
        )
    }

    /// The figures of the data folder, earlier runs included.
    fn encode_folder(&self, out: &mut Families<'_>) -> fmt::Result {
        let counts = &self.snapshot.counts;
        out.gauge(
            "crawler_queued",
            "Queued URLs, including URLs in process",
            Some(urls()),
            counts.queued,
        )?;
        out.gauge(
            "crawler_due_visits",
            "Visits still to be made to pages fetched before",
            None,
            counts.due,
        )?;
        let outcomes = [
            ("kept", counts.kept),
            ("exact", counts.exact),
            ("near", counts.near),
            ("redirected", counts.redirected),
            ("failed", counts.failed),
            ("excluded", counts.excluded),
            ("gone", counts.gone),
        ];
        out.gauges(
            "crawler_decided",
            "URLs with an outcome, by outcome",
            Some(urls()),
            "outcome",
            outcomes,
        )?;
        out.gauge(
            "crawler_kept",
            "Decoded body bytes of the kept pages",
            Some(Unit::Bytes),
            counts.bytes_kept,
        )
    }

    /// The state of the hosts and of the process.
    fn encode_process(&self, out: &mut Families<'_>) -> fmt::Result {
        let now = &self.snapshot;
        let hosts = HostStateKind::ALL
            .into_iter()
            .map(|state| (state.as_str(), now.standing.count(state)));
        out.gauges(
            "crawler_hosts",
            "Hosts with queued URLs, by state",
            None,
            "state",
            hosts,
        )?;
        if let Some(bytes) = memory_bytes() {
            out.gauge(
                "crawler_memory",
                "Resident memory of the process",
                Some(Unit::Bytes),
                bytes,
            )?;
        }
        out.gauge(
            "crawler_running",
            "1 while the crawl runs, 0 after its end",
            None,
            u64::from(now.ending.is_none()),
        )?;
        out.gauge(
            "crawler_start_time",
            "Start of the run, Unix time",
            Some(Unit::Seconds),
            self.started_at,
        )?;
        out.counter(
            "crawler_log_lines_lost",
            "Lines that could not be written to the log file",
            None,
            log::lines_lost(),
        )
    }
}

fn urls() -> Unit {
    Unit::Other("urls".to_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crawl::stats::{RunLimits, Stats};

    /// Type, unit and labels by name.
    type Families = BTreeMap<String, (String, String, BTreeSet<String>)>;

    fn served() -> String {
        let stats = Arc::new(Stats::default());
        stats.request(Duration::from_millis(20), 1_000);
        stats.commit(Duration::from_millis(2));
        stats.failure("http_404");
        stats.failure("a \"quoted\"\nkind");
        stats.worker().stands(|standing| standing.workers = 3);
        render(&View::new(stats, RunLimits::default())).unwrap()
    }

    fn families(text: &str) -> Families {
        let mut families = Families::new();
        for line in text.lines() {
            let words: Vec<&str> = line.splitn(4, ' ').collect();
            match words[..] {
                ["#", "TYPE", name, kind] => families.entry(name.to_owned()).or_default().0 = kind.to_owned(),
                ["#", "UNIT", name, unit] => families.entry(name.to_owned()).or_default().1 = unit.to_owned(),
                ["#", ..] => {}
                _ => {
                    let sample = line.split([' ', '{']).next().unwrap();
                    let family = families.iter_mut().rev().find(|(name, _)| {
                        let rest = sample.strip_prefix(name.as_str());
                        rest.is_some_and(|rest| ["", "_total", "_info", "_sum", "_count", "_bucket"].contains(&rest))
                    });
                    let (_, (_, _, labels)) = family.unwrap_or_else(|| panic!("{line}"));
                    if let Some((label, _)) = line.split_once('{').and_then(|(_, rest)| rest.split_once('=')) {
                        labels.insert(label.to_owned());
                    }
                }
            }
        }
        families
    }

    #[test]
    fn the_document_lists_every_metric_with_its_type_unit_and_labels() {
        let document = include_str!("../../../../../docs/src/metrics.md");
        let mut documented = Families::new();
        for row in document.lines().filter(|line| line.starts_with("| `crawler_")) {
            let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            let [name, kind, unit, labels, scope, meaning] = cells[..] else {
                panic!("{row}")
            };
            assert!(
                matches!(scope, "run" | "folder" | "process") && !meaning.is_empty(),
                "{row}"
            );
            let name = name.trim_matches('`');
            let name = name
                .strip_suffix("_total")
                .or(name.strip_suffix("_info"))
                .unwrap_or(name);
            let labels = labels
                .split([' ', ',', '`'])
                .filter(|label| !label.is_empty() && *label != "–");
            let labels = labels.map(str::to_owned).collect();
            let unit = unit.trim_matches('–').to_owned();
            documented.insert(name.to_owned(), (kind.to_owned(), unit, labels));
        }
        let mut served = families(&served());
        // The label of the buckets belongs to the type histogram.
        served.values_mut().for_each(|(_, _, labels)| {
            labels.remove("le");
        });
        assert_eq!(served, documented);
    }

    #[test]
    fn counters_end_in_total_and_units_are_in_the_names() {
        let text = served();
        for (name, (kind, unit, _)) in families(&text) {
            assert!(unit.is_empty() || name.ends_with(&format!("_{unit}")), "{name}: {unit}");
            assert_eq!(kind == "counter", text.contains(&format!("\n{name}_total")), "{name}");
        }
        assert!(text.ends_with("# EOF\n"), "{text}");
    }

    #[test]
    fn labels_with_text_from_servers_are_escaped() {
        assert!(
            served().contains(r#"crawler_failures_total{kind="a \"quoted\"\nkind"} 1"#),
            "{}",
            served()
        );
    }
}
