//! Ctrl-C, and what a service manager sends: the first asks to stop, the second ends at once.

use crate::terminal::tell::tell;

/// Exit code of a process that a second Ctrl-C ended (128 + SIGINT).
const INTERRUPTED: i32 = 130;

/// Makes a write beyond a limit on file sizes (`ulimit -f`) an error with a message, where SIGXFSZ would end the process without
/// one.
pub fn outlive_file_size_limits() {
    #[cfg(unix)]
    {
        // That somebody listens is enough.
        let listener = signal_hook::flag::register(FILE_TOO_LARGE, std::sync::Arc::default());
        if let Err(error) = listener {
            tracing::debug!(%error, "a limit on file sizes will end the process");
        }
    }
}

/// SIGXFSZ on Linux and the systems of BSD's family.
#[cfg(unix)]
const FILE_TOO_LARGE: i32 = 25;

/// Completes at the first Ctrl-C, SIGTERM or SIGHUP; from then on the next one ends the process. That loses nothing: what was
/// committed is safe at any instant, and the rest is still in the queue.
pub async fn requested() {
    requested_or_end("run the same command to go on").await;
}

/// As [`requested`]; `advice` is what to do after the second.
pub async fn requested_or_end(advice: &'static str) {
    let mut signals = match Signals::listen() {
        Ok(signals) => signals,
        Err(error) => {
            tracing::warn!(%error, "Ctrl-C cannot be caught; it ends the run at once, which loses nothing committed");
            return std::future::pending().await;
        }
    };
    signals.next().await;
    tokio::spawn(async move {
        signals.next().await;
        tell(format_args!("ended; {advice}"));
        std::process::exit(INTERRUPTED);
    });
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// The terminal was closed.
    hang_up: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! { _ = self.interrupt.recv() => {}, _ = self.terminate.recv() => {}, _ = self.hang_up.recv() => {} }
    }
}

#[cfg(windows)]
struct Signals {
    interrupt: tokio::signal::windows::CtrlC,
}

#[cfg(windows)]
impl Signals {
    fn listen() -> std::io::Result<Self> {
        let interrupt = tokio::signal::windows::ctrl_c()?;
        Ok(Self { interrupt })
    }

    async fn next(&mut self) {
        if self.interrupt.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}
