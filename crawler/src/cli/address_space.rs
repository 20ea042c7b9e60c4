//! A limit on the address space of the process (`ulimit -v`).
//!
//! Allocators and threads reserve far more addresses than they use: mimalloc a GiB at a time, glibc 128 MiB for each thread. Under a
//! limit, the program starts itself again with allocators that reserve little. A limit that is too low even then ends it with a message
//! instead of an abort in the middle of its work.

use crate::cli::arguments::Command;
use error::{Bytes, RunError};

/// What a command needs besides what its data needs, in bytes: the program, its libraries, and the stacks of its threads.
const NEEDED: u64 = 400 * 1024 * 1024;

/// What the threads of a crawl need in addition: a base, and for each core.
const NEEDED_BY_CRAWL: u64 = 200 * 1024 * 1024;
const NEEDED_BY_CORE: u64 = 50 * 1024 * 1024;

/// The limit on the address space of this process, in bytes.
#[cfg(unix)]
fn limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::As).current
}

#[cfg(not(unix))]
fn limit() -> Option<u64> {
    None
}

/// Under a limit, starts this program again with frugal allocators. Returns if there is no limit, if it is already frugal, or if it
/// cannot be started.
pub(super) fn become_frugal() {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;

        let is_frugal = documents::FRUGAL
            .iter()
            .all(|(name, _)| std::env::var_os(name).is_some());
        if limit().is_none() || is_frugal {
            return;
        }
        let mut arguments = std::env::args_os();
        let name = arguments.next().unwrap_or_else(|| "crawler".into());
        let error = std::process::Command::new(super::document_reader::program())
            .arg0(name)
            .args(arguments)
            .envs(documents::FRUGAL)
            .exec();
        tracing::debug!(%error, "the program could not be started again");
    }
}

/// Checks that the limit leaves a command enough to start.
///
/// # Errors
/// It does not: how much is needed, and what to do.
pub(super) fn check(command: &Command) -> Result<(), RunError> {
    let Some(limit) = limit() else { return Ok(()) };
    let needed = needed(
        command,
        std::thread::available_parallelism().map_or(1, usize::from) as u64,
    );
    if limit < needed {
        Err(RunError::AddressSpace {
            limit: Bytes(limit),
            needed: Bytes(needed),
        })
    } else {
        Ok(())
    }
}

fn needed(command: &Command, cores: u64) -> u64 {
    let is_crawl = matches!(
        command,
        Command::Run(_) | Command::Demo(_) | Command::Serve(_) | Command::Init(_)
    );
    if is_crawl {
        NEEDED + NEEDED_BY_CRAWL + NEEDED_BY_CORE * cores
    } else {
        NEEDED + NEEDED_BY_CORE * cores
    }
}
