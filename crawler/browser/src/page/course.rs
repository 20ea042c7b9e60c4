//! The course of a page: its clock runs, frames are drawn, and the crawler looks at it until it is finished.

use std::pin::pin;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::requests::Answered;
use super::{Ending, Page};
use crate::connection::Event;
use crate::error::RenderError;
use crate::finish::{Duties, Look, Next};
use crate::patience::{Left, Patience, is_served_too_slowly};
use crate::resources::Resources;

/// What a page looks like at a moment, and what it still has to do.
const LOOK: &str = include_str!("../look.js");

/// Waits until so many frames are drawn.
const DRAW: &str = include_str!("../draw.js");

/// Scrolls to the end; whether there was anything below.
const SCROLL: &str =
    "(() => { const before = scrollY; scrollTo(0, document.documentElement.scrollHeight); return scrollY > before; })";

/// How long the browser may take to tell the processor time of a page.
const METRICS_PATIENCE: Duration = Duration::from_secs(5);

/// Upper bound on a call that the patience with the page ends.
const NEVER: Duration = Duration::from_secs(24 * 60 * 60);

/// What the page or its time brings next.
enum Turn {
    Event(Option<Event>),
    Answered(Option<Answered>),
    Check,
    Step,
}

impl<R: Resources> Page<'_, R> {
    /// Answers requests and looks at the page until it is finished or its time is up.
    pub(super) async fn finish(&mut self, patience: &mut Patience) -> Result<Ending, RenderError> {
        match self.run_until_finished(patience).await {
            // It does not answer, or draws no frames. What it has until now may still be had.
            Err(RenderError::Hung) => Ok(self.given_up.unwrap_or(Ending::CutOff)),
            result => result,
        }
    }

    async fn run_until_finished(&mut self, patience: &mut Patience) -> Result<Ending, RenderError> {
        let mut scrolls = self.settings.scrolls;
        loop {
            // The clock begins to run with the answer to the request for the document.
            while !self.clock.has_stopped() {
                let turn = self.next(patience).await;
                self.take(turn, patience).await?;
            }
            let frames = self.finish.frames();
            self.settle(frames, patience).await?;
            let look = self.look(patience).await?;
            match self.finish.looked(look, frames, self.clock.ran()) {
                Next::GoOn => {}
                Next::Restless => return Ok(Ending::Restless),
                Next::Finished => {
                    let scrolled = scrolls > 0 && self.ask(SCROLL, &json!([]), patience).await? == true;
                    if !scrolled {
                        return Ok(Ending::Finished);
                    }
                    scrolls -= 1;
                    self.finish.restart();
                }
            }
            self.run_clock().await?;
        }
    }

    /// Lets the clock of the page run for one step.
    pub(super) async fn run_clock(&mut self) -> Result<(), RenderError> {
        let budget = self.clock.runs(Instant::now());
        let step = json!({ "policy": "pauseIfNetworkFetchesPending", "budget": budget.as_millis() as u64 });
        self.connection
            .send(&self.session, "Emulation.setVirtualTimePolicy", step)
            .await
    }

    /// Waits until the workers have done what they were told, so many frames are drawn, and no request is open.
    async fn settle(&mut self, frames: u32, patience: &mut Patience) -> Result<(), RenderError> {
        for worker in self.workers.clone() {
            self.await_worker(&worker).await?;
        }
        self.awaits_frames = true;
        let drawn = self.ask(DRAW, &json!([frames]), patience).await;
        self.awaits_frames = false;
        drawn?;
        while !self.clock.has_stopped() || self.open.requests() > 0 {
            let turn = self.next(patience).await;
            self.take(turn, patience).await?;
        }
        Ok(())
    }

    /// Waits until a worker answers. It does so when it has dealt with all earlier messages. One that computes without an end is not
    /// waited for again.
    async fn await_worker(&mut self, worker: &str) -> Result<(), RenderError> {
        let mut patience = self.patience(self.settings.timeout / 4).await;
        let evaluate = json!({ "expression": "1" });
        match self.call(worker, "Runtime.evaluate", evaluate, &mut patience).await {
            Err(RenderError::Hung | RenderError::Protocol { .. }) => self.workers.retain(|other| other != worker),
            Err(error) => return Err(error),
            Ok(_) => {}
        }
        Ok(())
    }

    async fn look(&mut self, patience: &mut Patience) -> Result<Look, RenderError> {
        let arguments = json!([self.wait_for, self.hook.ask, self.hook.tell]);
        let seen = self.ask(LOOK, &arguments, patience).await?;
        let has = |name: &str| seen[name].as_bool().unwrap_or_default();
        let timer = seen["timer"].as_f64().filter(|timer| *timer >= 0.0);
        Ok(Look {
            is_loaded: has("isLoaded"),
            is_found: has("isFound"),
            digest: seen["digest"].as_str().unwrap_or_default().to_owned(),
            duties: Duties {
                timer: timer.and_then(|timer| Duration::try_from_secs_f64(timer / 1e3).ok()),
                is_idle_awaited: has("idle"),
                is_frame_awaited: has("frames"),
                is_animated: has("isAnimated"),
                has_opening_socket: seen["sockets"].as_i64().unwrap_or_default() > 0,
                messages: seen["messages"].as_u64().unwrap_or_default(),
                polls: self.polls,
            },
        })
    }

    /// The value of a function in the page. A page that runs a script without an end gives none.
    pub(super) async fn ask(
        &mut self,
        function: &str,
        arguments: &Value,
        patience: &mut Patience,
    ) -> Result<Value, RenderError> {
        let arguments = arguments.as_array().into_iter().flatten().map(Value::to_string);
        let expression = format!("{function}({})", arguments.collect::<Vec<_>>().join(","));
        let session = self.session.clone();
        for _ in 0..2 {
            let world = match self.world {
                Some(world) => world,
                None => {
                    let world = json!({ "frameId": self.target, "worldName": "crawler" });
                    let made = self.call(&session, "Page.createIsolatedWorld", world, patience).await?;
                    *self
                        .world
                        .insert(made["executionContextId"].as_u64().unwrap_or_default())
                }
            };
            let evaluate =
                json!({ "expression": expression, "contextId": world, "returnByValue": true, "awaitPromise": true });
            match self.call(&session, "Runtime.evaluate", evaluate, patience).await {
                Ok(mut found) => return Ok(found["result"]["value"].take()),
                // The document has been replaced, and the world with it.
                Err(RenderError::Protocol { .. }) => self.world = None,
                Err(error) => return Err(error),
            }
        }
        Err(RenderError::Hung)
    }

    /// Calls the page or a worker of it, and goes on with its requests meanwhile: what a page does before it answers may wait for one. A
    /// worker that has ended answers nothing.
    pub(super) async fn call(
        &mut self,
        session: &str,
        method: &'static str,
        params: Value,
        patience: &mut Patience,
    ) -> Result<Value, RenderError> {
        let connection = self.connection.clone();
        let mut called = pin!(async move { connection.call(session, method, params, NEVER).await });
        loop {
            let turn = tokio::select! {
                result = &mut called => return result,
                turn = self.next(patience) => turn,
            };
            self.take(turn, patience).await?;
            if session != self.session && !self.workers.iter().any(|worker| worker == session) {
                return Ok(Value::Null);
            }
        }
    }

    /// What comes next. Dropping the future loses nothing.
    async fn next(&mut self, patience: &Patience) -> Turn {
        let check = patience.next_check(self.open.total(Instant::now()));
        // Nobody knows yet how much of its time an open request has waited for its turn. The caller bounds it.
        let may_check = self.open.requests() == 0;
        let step = self.clock.needs_step().filter(|_| self.awaits_frames);
        tokio::select! {
            event = self.events.recv() => Turn::Event(event),
            Some(answered) = self.answers.join_next() => Turn::Answered(answered.ok()),
            () = tokio::time::sleep_until(check.into()), if may_check => Turn::Check,
            () = tokio::time::sleep_until(step.unwrap_or(check).into()), if step.is_some() => Turn::Step,
        }
    }

    async fn take(&mut self, turn: Turn, patience: &mut Patience) -> Result<(), RenderError> {
        match turn {
            Turn::Event(event) => self.on(event).await,
            Turn::Answered(answered) => {
                self.answered(answered).await?;
                if is_served_too_slowly(self.settings.timeout, self.open.served(Instant::now())) {
                    return self.give_up(Ending::CutOff);
                }
                Ok(())
            }
            Turn::Step => self.run_clock().await,
            Turn::Check => {
                let used = self.used().await;
                let now = Instant::now();
                match patience.check(now, self.open.total(now), used) {
                    Left::Some => Ok(()),
                    Left::Used => self.give_up(Ending::Restless),
                    Left::Withheld => self.give_up(Ending::CutOff),
                }
            }
        }
    }

    fn give_up(&mut self, ending: Ending) -> Result<(), RenderError> {
        self.given_up = Some(ending);
        Err(RenderError::Hung)
    }

    /// Patience for as long, from now on.
    pub(super) async fn patience(&self, limit: Duration) -> Patience {
        let used = self.used().await.unwrap_or_default();
        let now = Instant::now();
        Patience::new(limit, now, self.open.total(now), used)
    }

    /// The processor time of the page's process. The browser tells it also while a script runs.
    async fn used(&self) -> Option<Duration> {
        let session = &self.session;
        let metrics = self
            .connection
            .call(session, "Performance.getMetrics", json!({}), METRICS_PATIENCE)
            .await
            .ok()?;
        let mut metrics = metrics["metrics"].as_array()?.iter();
        let found = metrics.find(|metric| metric["name"] == "ProcessTime")?;
        Duration::try_from_secs_f64(found["value"].as_f64()?).ok()
    }
}
