//! Ctrl-C and SIGTERM: the first one stops the run in order, the second one ends the process at once.

use terminal::tell::tell;

/// Exit code after a signal: 128 and the number of the signal, as shells have it.
pub type SignalCode = u8;

/// Ctrl-C: SIGINT is signal 2.
pub const INTERRUPTED: SignalCode = 130;

/// SIGTERM is signal 15.
#[cfg(unix)]
const TERMINATED: SignalCode = 143;

/// SIGHUP is signal 1.
#[cfg(unix)]
const HUNG_UP: SignalCode = 129;

/// Turns a write beyond the limit on file sizes (`ulimit -f`) into an error with a message. Without it, SIGXFSZ ends the process
/// without a message.
pub fn outlive_file_size_limits() {
    #[cfg(unix)]
    {
        // Any registered listener is enough; the program never reads its flag.
        let listener = signal_hook::flag::register(FILE_TOO_LARGE, std::sync::Arc::default());
        if let Err(error) = listener {
            tracing::debug!(%error, "SIGXFSZ cannot be caught; a limit on file sizes would end the process");
        }
    }
}

/// SIGXFSZ on Linux and BSD systems.
#[cfg(unix)]
const FILE_TOO_LARGE: i32 = 25;

/// Completes at the first Ctrl-C, SIGTERM or SIGHUP. The next one ends the process, which loses nothing: everything committed is safe at
/// any instant, and the rest is still in the queue. Returns the exit code that the signal asks for.
pub async fn requested() -> SignalCode {
    requested_or_end("run the same command to go on").await
}

/// As [`requested`]; the message at the second signal ends with `advice`.
pub async fn requested_or_end(advice: &'static str) -> SignalCode {
    let mut signals = match Signals::listen() {
        Ok(signals) => signals,
        Err(error) => {
            tracing::warn!(%error, "Ctrl-C cannot be caught, so it ends the run at once; everything committed is safe");
            return std::future::pending().await;
        }
    };
    let code = signals.next().await;
    tokio::spawn(async move {
        let code = signals.next().await;
        tell(format_args!("ended; {advice}"));
        std::process::exit(code.into());
    });
    code
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

    async fn next(&mut self) -> SignalCode {
        tokio::select! {
            _ = self.interrupt.recv() => INTERRUPTED,
            _ = self.terminate.recv() => TERMINATED,
            _ = self.hang_up.recv() => HUNG_UP,
        }
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

    async fn next(&mut self) -> SignalCode {
        if self.interrupt.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
        INTERRUPTED
    }
}
