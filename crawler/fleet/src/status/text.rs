//! The status as text, for a terminal.

use std::fmt::{self, Display, Formatter};

use super::{FleetStatus, LogStatus};

impl Display for FleetStatus {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            crawl,
            totals,
            partitions,
            log,
            digests,
            ..
        } = self;
        writeln!(
            f,
            "crawl {name} ({crawl}){}{}",
            if self.drain { ", asked to stop" } else { "" },
            if self.pause { ", asked to wait" } else { "" }
        )?;
        if !self.awaited.is_empty() {
            writeln!(
                f,
                "the servers had lost the crawl; the crawl goes on when these workers have brought back their data folders: {}",
                numbers(&self.awaited)
            )?;
        }
        if !self.changed.is_empty() {
            let changed: Vec<String> = self
                .changed
                .iter()
                .map(|(key, value)| format!("{key} = {value}"))
                .collect();
            writeln!(f, "settings changed for all workers: {}", changed.join(", "))?;
        }
        if !self.unchanged.is_empty() {
            writeln!(
                f,
                "workers that have not taken over the last change of settings yet: {}",
                numbers(&self.unchanged)
            )?;
        }
        writeln!(
            f,
            "partitions: {} leased, {} free ({} with waiting URLs)",
            partitions.leased, partitions.free, partitions.free_with_work
        )?;
        writeln!(
            f,
            "URLs: {} known, {} finished, {} waiting",
            partitions.known, partitions.done, partitions.waiting
        )?;
        writeln!(
            f,
            "pages: {:.1}/s, {} kept, {} duplicates ({:.1} %); {} URLs failed",
            totals.pages_per_second, totals.kept, totals.duplicates, totals.duplicate_percent, totals.failed
        )?;
        match digests {
            Some(digests) => writeln!(
                f,
                "verdicts: provisional, because each worker decides near-duplicates among its own pages only; exact duplicates are decided \
                 across workers, by {} digests",
                digests.pages
            )?,
            None => writeln!(f, "log: {log}")?,
        }
        for server in &self.servers {
            write!(f, "server {}: {}", server.address, Mebibytes(server.memory_bytes))?;
            if server.memory_limit_bytes > 0 {
                write!(f, " of {}", Mebibytes(server.memory_limit_bytes))?;
            }
            writeln!(
                f,
                ", {} replicas, {} commands/s",
                server.replicas, server.commands_per_second
            )?;
        }
        writeln!(
            f,
            "{:>6} {:<16} {:<9} {:>6} {:>9} {:>9} {:>9} {:>7} {:>6} {:>7} {:>6} {:>7} {:>7}",
            "worker",
            "machine",
            "state",
            "leases",
            "queued",
            "kept",
            "dupl.",
            "failed",
            "hosts",
            "pages/s",
            "req/s",
            "outbox",
            "lag s"
        )?;
        for worker in &self.workers {
            let report = &worker.report;
            writeln!(
                f,
                "{:>6} {:<16} {:<9} {:>6} {:>9} {:>9} {:>9} {:>7} {:>6} {:>7.1} {:>6.1} {:>7} {:>7}{}{}",
                worker.number,
                report.host,
                worker.state,
                worker.leases,
                report.queued,
                report.kept,
                report.duplicates,
                report.failed,
                report.hosts,
                report.pages_per_second,
                report.requests_per_second,
                report.outbox,
                worker.lag_seconds.map_or("-".to_owned(), |lag| format!("{lag:.1}")),
                if report.note.is_empty() { "" } else { " " },
                report.note
            )?;
        }
        Ok(())
    }
}

/// Numbers of workers in a sentence.
fn numbers(workers: &[u16]) -> String {
    workers.iter().map(u16::to_string).collect::<Vec<_>>().join(", ")
}

impl Display for LogStatus {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} entries, {}", self.entries, Mebibytes(self.memory_bytes))?;
        if self.segments > 0 {
            write!(
                f,
                "; {} of them in {} segments, {}",
                self.segment_entries,
                self.segments,
                Mebibytes(self.segment_bytes)
            )?;
            if self.stored_bytes > 0 {
                write!(f, ", {} of this in the object store", Mebibytes(self.stored_bytes))?;
            }
            write!(f, "; {} in no segment yet", self.backlog())?;
        }
        Ok(())
    }
}

/// Bytes as mebibytes.
struct Mebibytes(u64);

impl Display for Mebibytes {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} MiB", self.0 as f64 / f64::from(1 << 20))
    }
}
