//! Ctrl-C, and what a service manager sends: the first asks to stop, the second ends at once.

/// Exit code of a process that a second Ctrl-C ended (128 + SIGINT).
const INTERRUPTED: i32 = 130;

/// Completes at the first Ctrl-C or SIGTERM; from then on the next one ends the process. That loses nothing: what was
/// committed is safe at any instant, and the rest is still in the queue.
pub async fn requested() {
    signal().await;
    tokio::spawn(async {
        signal().await;
        eprintln!("ended; run the same command to go on");
        std::process::exit(INTERRUPTED);
    });
}

#[cfg(unix)]
async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => tokio::select! {
            () = ctrl_c() => {},
            _ = terminate.recv() => {},
        },
        Err(error) => {
            tracing::warn!(%error, "SIGTERM cannot be caught");
            ctrl_c().await;
        }
    }
}

#[cfg(not(unix))]
async fn signal() {
    ctrl_c().await;
}

async fn ctrl_c() {
    if let Err(error) = tokio::signal::ctrl_c().await {
        tracing::warn!(%error, "Ctrl-C cannot be caught");
        std::future::pending::<()>().await;
    }
}
