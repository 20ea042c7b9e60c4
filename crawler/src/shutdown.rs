//! Ctrl-C, and what a service manager sends: the first asks to stop, the second ends at once.

/// Exit code of a process that a second Ctrl-C ended (128 + SIGINT).
const INTERRUPTED: i32 = 130;

/// Completes at the first Ctrl-C or SIGTERM; from then on the next one ends the process. That loses nothing: what was
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
        eprintln!("ended; {advice}");
        std::process::exit(INTERRUPTED);
    });
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// Never waited for. That it is listened for makes a write beyond a limit on file sizes an error with a message, where it would
    /// end the process without one.
    _file_too_large: Option<tokio::signal::unix::Signal>,
}

/// SIGXFSZ on Linux and the systems of BSD's family.
#[cfg(unix)]
const FILE_TOO_LARGE: i32 = 25;

#[cfg(unix)]
impl Signals {
    fn listen() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            _file_too_large: signal(SignalKind::from_raw(FILE_TOO_LARGE)).ok(),
        })
    }

    async fn next(&mut self) {
        tokio::select! { _ = self.interrupt.recv() => {}, _ = self.terminate.recv() => {} }
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
