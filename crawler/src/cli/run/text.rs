//! The summary of a run for people.

use std::time::Duration;

use super::ended::{Ended, Reason};
use config::RenderMode;
use config::settings::Settings;
use crawl::HostStateKind;
use crawl::failures::{FailedSeed, FailedSeeds, FailedSitemaps};
use crawl::messages::{Ending, GivenUp};
use crawl::pipeline::Summary;
use crawl::stats::Snapshot;
use terminal::commands;
use terminal::text::terminal_text;
use terminal::units::{self, bytes, counted};
use views::report::Steering;

/// Bound on the shown reasons for held-back URLs.
const REASONS_SHOWN: usize = 5;
/// Bound on the hosts that the summary names. It counts the others.
const MAX_NAMED: usize = 20;

/// Describes a finished run in a few lines.
pub(super) fn describe(ended: &Ended, settings: &Settings) -> String {
    let (summary, run) = (&ended.summary, &ended.run);
    let held_back = ended.held_back.as_ref();
    let mut lines = vec![outcome(ended), counts(ended)];
    lines.extend(run.refresh.map(|refresh| refreshed(&refresh, run.counts.due)));
    lines.extend(unrendered(run, settings));
    lines.extend(ignored_links(run, settings));
    lines.extend(faults(run));
    lines.extend(failed_seeds(&ended.failed_seeds));
    lines.extend(failed_sitemaps(&ended.failed_sitemaps));
    lines.extend(summary.given_up.iter().take(MAX_NAMED).map(given_up));
    lines.extend(further_given_up(summary));
    if summary.without_page().is_some() && !summary.given_up.is_empty() {
        let check = "  check scheme, name and port of the URL; if a browser reaches it, run the same command again";
        lines.push(check.to_owned());
    }
    lines.extend(waiting_names(run.standing.count(HostStateKind::Trial)));
    if summary.has_unread_seeds {
        lines.push("  the seeds file was not read to its end; the same command reads the rest".to_owned());
    }
    lines.extend(held_back.map(held_back_by));
    let held_back = held_back.map_or(0, |steering| steering.held_back);
    if summary.counts.queued + summary.counts.due > held_back {
        lines.push(advice(summary, settings).to_owned());
    }
    lines.push(format!("  see the report: {}", commands::command("report", &[])));
    lines.join("\n")
}

fn outcome(ended: &Ended) -> String {
    let summary = &ended.summary;
    let ending = match ended.reason() {
        Reason::Finished => "Finished",
        Reason::PageLimit => "Page limit reached",
        Reason::Duration => "Stopped by --max-duration",
        Reason::Signal | Reason::Drained => "Stopped",
    };
    let whole_millis = Duration::from_millis((summary.elapsed.as_secs_f64() * 1_000.0) as u64);
    let elapsed = humantime::format_duration(whole_millis);
    let run = &ended.run;
    format!("{ending} in {elapsed}: {} requests, {}", run.requests, bytes(run.bytes))
}

/// The counts are of the whole crawl; the line says so if an earlier run has a part in them.
fn counts(ended: &Ended) -> String {
    let counts = &ended.summary.counts;
    let scope = if counts.fetched() > ended.run.verdicts.total() {
        "in all runs: "
    } else {
        ""
    };
    format!(
        "  {scope}kept {}  exact {}  near {}  redirected {}  failed {}  excluded {}  still queued {}",
        counts.kept, counts.exact, counts.near, counts.redirected, counts.failed, counts.excluded, counts.queued
    )
}

/// Outcomes of a refresh; `due` pages are still to be visited.
fn refreshed(refresh: &storage::RefreshCounts, due: u64) -> String {
    if refresh.due == 0 {
        return format!("  refresh: no page was due, {} new", refresh.new);
    }
    let mut line = format!(
        "  refresh: {} due: changed {}  unchanged {}  missing once {}  gone {}  moved {}  unanswered {}; new {}",
        counted(refresh.due, "page"),
        refresh.changed,
        refresh.unchanged,
        refresh.missing,
        refresh.gone,
        refresh.moved,
        refresh.unanswered,
        refresh.new
    );
    if due > 0 {
        line.push_str(&format!("; {due} still to be visited"));
    }
    line
}

/// The pages that say little without a browser, and what to do.
fn unrendered(run: &Snapshot, settings: &Settings) -> Option<String> {
    let advice = match settings.render.mode {
        RenderMode::Off => "render.mode = \"auto\" runs their scripts in a browser",
        RenderMode::Auto | RenderMode::Always => "no browser rendered them",
    };
    let pages = run.unrendered;
    let have = if pages == 1 { "page has" } else { "pages have" };
    (pages > 0).then(|| format!("  {pages} {have} scripts and hardly any text: {advice}"))
}

/// The links that a bound of the configuration excluded.
fn ignored_links(run: &Snapshot, settings: &Settings) -> Vec<String> {
    let mut lines = Vec::new();
    if run.links_to_other_hosts > 0 {
        lines.push(format!(
            "  {} led to other hosts{} and {} not followed (scope.mode)",
            counted(run.links_to_other_hosts, "link"),
            run.other_host
                .as_ref()
                .map_or(String::new(), |host| format!(", such as {},", terminal_text(host, 100))),
            if run.links_to_other_hosts == 1 { "was" } else { "were" }
        ));
    }
    if run.links_too_deep > 0 {
        lines.push(format!(
            "  {} lay deeper than scope.max_depth = {}",
            counted(run.links_too_deep, "link"),
            settings.limits.max_depth
        ));
    }
    if run.links_of_nofollow > 0 {
        lines.push(format!(
            "  {} not followed, as the site asks (nofollow)",
            if run.links_of_nofollow == 1 {
                "1 link was".to_owned()
            } else {
                format!("{} were", counted(run.links_of_nofollow, "link"))
            }
        ));
    }
    if run.links_over_budget > 0 {
        lines.push(format!(
            "  {}, some of them to known URLs, led to hosts that have reached scope.max_urls_per_host",
            counted(run.links_over_budget, "link")
        ));
    }
    lines
}

/// The URLs that failed because of their server, and how to try them again before the next refresh does so.
fn faults(run: &Snapshot) -> Option<String> {
    let of_server = run.failures.iter().filter(|(kind, _)| kind.starts_with("http_5"));
    let count: u64 = of_server.map(|(_, count)| count).sum();
    let list = commands::command("report", &["--format", "json"]);
    let again = commands::command("control", &["add", "--file", "FILE"]);
    (count > 0).then(|| {
        format!(
            "  {} failed because of the server (5xx): {list} lists the failures; with their URLs in a file, {again} has the next run try them again",
            counted(count, "URL")
        )
    })
}

/// A line for each of the first seeds that led to no page: why, and what to do.
fn failed_seeds(seeds: &FailedSeeds) -> Vec<String> {
    let line = |seed: &FailedSeed| {
        let (url, detail) = (terminal_text(&seed.url, 200), terminal_text(&seed.detail, 200));
        let advice = seed.advice().map_or(String::new(), |advice| format!(". {advice}"));
        format!("  seed {url}: {detail}{advice}")
    };
    let mut lines: Vec<String> = seeds.named.iter().map(line).collect();
    let unnamed = seeds.count - seeds.named.len() as u64;
    if unnamed > 0 {
        let unnamed = units::grouped(unnamed);
        let report = commands::command("report", &["--format", "html"]);
        lines.push(format!("  {unnamed} further seeds led to no page: {report} lists them"));
    }
    lines
}

/// A line for each of the first sitemaps that could not be read, and how to read it later.
fn failed_sitemaps(sitemaps: &FailedSitemaps) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for sitemap in &sitemaps.named {
        let (url, detail) = (terminal_text(&sitemap.url, 200), terminal_text(&sitemap.detail, 200));
        let again = commands::command("run", &[&format!("sitemap:{url}")]);
        lines.push(format!(
            "  sitemap {url} was not read ({detail}): {again} asks for it again"
        ));
    }
    let unnamed = sitemaps.count - sitemaps.named.len() as u64;
    if unnamed > 0 {
        lines.push(format!(
            "  {unnamed} further sitemaps were not read; the log names them"
        ));
    }
    lines
}

fn given_up(host: &GivenUp) -> String {
    let reason = terminal_text(&host.last_failure, 200);
    let name = &host.host;
    match host.rests_until {
        _ if host.documents > 0 => {
            let documents = units::grouped(host.documents);
            format!("  {documents} documents of {name} were left to the next run ({reason}); they stay queued")
        }
        Some(until) => {
            let until = units::utc(until);
            format!("  {name} is resting until {until} ({reason}); its URLs stay queued")
        }
        None => format!("  {name} was given up for this run ({reason}); its URLs stay queued"),
    }
}

/// The number of hosts that the summary does not name.
fn further_given_up(summary: &Summary) -> Option<String> {
    let unnamed = summary.given_up.len().saturating_sub(MAX_NAMED) as u64 + summary.further_given_up;
    let hosts = units::grouped(unnamed);
    (unnamed > 0).then(|| format!("  {hosts} further hosts are resting or were given up; their URLs stay queued"))
}

/// The number of held-back URLs, the reasons, and the setting that fetches them.
fn held_back_by(steering: &Steering) -> String {
    let urls = units::grouped(steering.held_back);
    let mut lines = vec![format!(
        "  {urls} of the queued URLs are held back as probable duplicates:"
    )];
    let reasons = steering.held_back_by();
    for (reason, urls) in reasons.iter().take(REASONS_SHOWN) {
        lines.push(format!(
            "    {:>8}  {}",
            units::grouped(*urls),
            terminal_text(reason, 200)
        ));
    }
    if reasons.len() > REASONS_SHOWN {
        lines.push(format!("    and {} further reasons", reasons.len() - REASONS_SHOWN));
    }
    lines.push(format!("    {}", steering.how_to_fetch()));
    lines.push(format!("    why: {}", commands::command("rules", &[])));
    lines.join("\n")
}

/// The new names that waited when the run ended.
fn waiting_names(hosts: u64) -> Option<String> {
    (hosts > 0).then(|| {
        format!("  {hosts} hosts wait: other new names of their domains are tried first; their URLs stay queued")
    })
}

/// How to fetch the URLs that are still queued.
fn advice(summary: &Summary, settings: &Settings) -> &'static str {
    match summary.ending {
        Ending::PageLimit => "  to fetch more, raise --max-pages (or scope.max_pages) and run the command again",
        Ending::Stopped => "  the same command continues the crawl",
        Ending::Exhausted if !summary.given_up.is_empty() => {
            "  the same command asks the resting and given up hosts again after their rest"
        }
        Ending::Exhausted if settings.limits.max_pages_per_host.is_some() => {
            "  the queued URLs exceed scope.max_pages_per_host"
        }
        Ending::Exhausted if settings.fleet.is_some() => {
            "  the fleet has nothing left to fetch; what is queued in this folder belongs to hosts of other workers, or is held back"
        }
        Ending::Exhausted => "  the same command tries the queued URLs again",
    }
}
