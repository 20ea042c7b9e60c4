//! Deciding all pages again, in the background, one at a time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use super::program::Program;

/// A decision on all pages, under way or ended.
#[derive(Debug)]
pub(super) struct Redecision {
    program: Arc<Program>,
    standing: Mutex<Standing>,
}

/// How far it is.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Standing {
    /// `idle`, `running`, `done` or `failed`.
    pub state: &'static str,
    /// The progress, the result or the reason, in words.
    pub text: String,
}

impl Redecision {
    pub fn new(program: Arc<Program>) -> Arc<Self> {
        Arc::new(Self {
            program,
            standing: Mutex::new(Standing {
                state: "idle",
                text: String::new(),
            }),
        })
    }

    pub fn standing(&self) -> Standing {
        self.lock().clone()
    }

    pub fn is_running(&self) -> bool {
        self.lock().state == "running"
    }

    /// Begins, unless it is under way.
    pub fn begin(self: &Arc<Self>) -> Standing {
        let mut standing = self.lock();
        if standing.state == "running" {
            return standing.clone();
        }
        standing.state = "running";
        standing.text = "Waiting for the data folder.".to_owned();
        let this = self.clone();
        let started = std::thread::Builder::new()
            .name("redecide".into())
            .spawn(move || this.run());
        if let Err(error) = started {
            standing.state = "failed";
            standing.text = format!("cannot start a thread: {error}");
        }
        standing.clone()
    }

    fn run(&self) {
        let tell = |text: String| self.lock().text = text;
        let run = std::panic::AssertUnwindSafe(|| (self.program.redecide)(&tell));
        let ended = std::panic::catch_unwind(run);
        let ended =
            ended.unwrap_or_else(|_| Err("the state cannot be rebuilt; crawler verify finds the damage".to_owned()));
        let (state, text) = match ended {
            Ok(text) => ("done", text),
            Err(text) => ("failed", text),
        };
        *self.lock() = Standing { state, text };
    }

    fn lock(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
