//! Commands, answers and events of CDP over two pipes: JSON texts, each ended by a zero byte.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::error::RenderError;

/// Bound on one message of the browser. A rendered page is far below it.
const MAX_MESSAGE_BYTES: u64 = 256 * 1024 * 1024;

/// Events of a page that wait to be read.
const MAX_EVENTS: usize = 4096;

/// Commands that wait to be written.
const MAX_COMMANDS: usize = 256;

/// An event of a session of a page.
#[derive(Debug)]
pub(crate) struct Event {
    /// The session; empty for the browser itself.
    pub session: String,
    /// Such as `Fetch.requestPaused`.
    pub method: String,
    /// Its parameters.
    pub params: Value,
}

type Answer = Result<Value, String>;

#[derive(Debug, Default)]
struct State {
    waiting: HashMap<u64, oneshot::Sender<Answer>>,
    /// The pages, by session.
    sessions: HashMap<String, mpsc::Sender<Event>>,
    /// The pages, by browser context.
    contexts: HashMap<String, mpsc::Sender<Event>>,
    has_ended: bool,
}

/// A connection to a browser. Cheap to clone; it ends with the last clone, and with the browser.
#[derive(Debug, Clone)]
pub(crate) struct Connection {
    commands: mpsc::Sender<Vec<u8>>,
    last: Arc<AtomicU64>,
    state: Arc<Mutex<State>>,
}

impl Connection {
    /// A connection over the pipes of a browser.
    pub fn new(stdin: ChildStdin, stdout: ChildStdout) -> Self {
        let (commands, written) = mpsc::channel(MAX_COMMANDS);
        let this = Self {
            commands,
            last: Arc::default(),
            state: Arc::default(),
        };
        tokio::spawn(write(stdin, written));
        tokio::spawn(read(
            stdout,
            this.state.clone(),
            this.commands.downgrade(),
            this.last.clone(),
        ));
        this
    }

    /// Whether the browser has ended.
    pub fn has_ended(&self) -> bool {
        self.state().has_ended
    }

    /// Sends a command, and waits for its answer, at most for `patience`.
    pub async fn call(
        &self,
        session: &str,
        method: &'static str,
        params: Value,
        patience: Duration,
    ) -> Result<Value, RenderError> {
        let id = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let (answer_in, answer) = oneshot::channel();
        {
            let mut state = self.state();
            if state.has_ended {
                return Err(RenderError::Ended);
            }
            state.waiting.insert(id, answer_in);
        }
        let called = async {
            self.commands
                .send(command(id, session, method, &params))
                .await
                .map_err(|_ended| RenderError::Ended)?;
            answer.await.map_err(|_ended| RenderError::Ended)
        };
        let answer = timeout(patience, called).await;
        self.state().waiting.remove(&id);
        match answer {
            Ok(Ok(Ok(result))) => Ok(result),
            Ok(Ok(Err(detail))) => Err(RenderError::Protocol { method, detail }),
            Ok(Err(error)) => Err(error),
            Err(_elapsed) => Err(RenderError::Hung),
        }
    }

    /// Sends a command. Nobody waits for its answer.
    pub async fn send(&self, session: &str, method: &'static str, params: Value) -> Result<(), RenderError> {
        let id = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let sent = self.commands.send(command(id, session, method, &params)).await;
        sent.map_err(|_ended| RenderError::Ended)
    }

    /// Sends the events of this browser context, and of all sessions in it, to the returned receiver, until [`close`](Self::close).
    pub fn open(&self, context: &str) -> mpsc::Receiver<Event> {
        let (events_in, events) = mpsc::channel(MAX_EVENTS);
        self.state().contexts.insert(context.to_owned(), events_in);
        events
    }

    /// Forgets the browser context.
    pub fn close(&self, context: &str) {
        let mut state = self.state();
        if let Some(page) = state.contexts.remove(context) {
            state.sessions.retain(|_, other| !other.same_channel(&page));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn command(id: u64, session: &str, method: &str, params: &Value) -> Vec<u8> {
    let mut command = json!({ "id": id, "method": method, "params": params });
    if !session.is_empty() {
        command["sessionId"] = session.into();
    }
    let mut text = command.to_string().into_bytes();
    text.push(0);
    text
}

async fn write(mut stdin: ChildStdin, mut commands: mpsc::Receiver<Vec<u8>>) {
    while let Some(command) = commands.recv().await {
        if stdin.write_all(&command).await.is_err() {
            return;
        }
    }
}

async fn read(
    stdout: ChildStdout,
    state: Arc<Mutex<State>>,
    commands: mpsc::WeakSender<Vec<u8>>,
    last: Arc<AtomicU64>,
) {
    let mut stdout = BufReader::with_capacity(64 * 1024, stdout);
    let mut message = Vec::new();
    loop {
        message.clear();
        let read = (&mut stdout).take(MAX_MESSAGE_BYTES).read_until(0, &mut message).await;
        if read.is_err() || message.pop() != Some(0) {
            break;
        }
        let Ok(parsed) = serde_json::from_slice::<Value>(&message) else {
            break;
        };
        if message.capacity() > 1024 * 1024 {
            message = Vec::new();
        }
        let stray = state.lock().unwrap_or_else(PoisonError::into_inner).take(parsed);
        if let Some(target) = stray
            && let Some(commands) = commands.upgrade()
        {
            let id = last.fetch_add(1, Ordering::Relaxed) + 1;
            let close = command(id, "", "Target.closeTarget", &json!({ "targetId": target }));
            if commands.send(close).await.is_err() {
                break;
            }
        }
    }
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    // Each waiting call and each page learns of the end when its channel closes.
    *state = State {
        has_ended: true,
        ..State::default()
    };
}

impl State {
    /// Gives the message to the one who waits for it. Returns a target that belongs to no page.
    fn take(&mut self, mut message: Value) -> Option<String> {
        if let Some(id) = message["id"].as_u64() {
            if let Some(waiting) = self.waiting.remove(&id) {
                let answer = match message.get("error") {
                    Some(error) => Err(error["message"].as_str().unwrap_or_default().to_owned()),
                    None => Ok(message["result"].take()),
                };
                // A caller that is gone needs no answer.
                waiting.send(answer).ok();
            }
            return None;
        }
        let event = Event {
            session: message["sessionId"].as_str().unwrap_or_default().to_owned(),
            method: message["method"].as_str().unwrap_or_default().to_owned(),
            params: message["params"].take(),
        };
        let info = &event.params["targetInfo"];
        let context = info["browserContextId"].as_str().unwrap_or_default();
        let by_session = self.sessions.get(&event.session);
        let page = by_session.or_else(|| self.contexts.get(context)).cloned();
        let Some(page) = page else {
            let is_stray = event.method == "Target.attachedToTarget" && info["type"] != "browser";
            return is_stray.then(|| info["targetId"].as_str().unwrap_or_default().to_owned());
        };
        match event.method.as_str() {
            "Target.attachedToTarget" => {
                let session = event.params["sessionId"].as_str().unwrap_or_default();
                self.sessions.insert(session.to_owned(), page.clone());
            }
            "Target.detachedFromTarget" => {
                self.sessions
                    .remove(event.params["sessionId"].as_str().unwrap_or_default());
            }
            _ => {}
        }
        if page.try_send(event).is_err() {
            // The page floods its channel: without a sender, its receiver ends.
            self.sessions.retain(|_, other| !other.same_channel(&page));
            self.contexts.retain(|_, other| !other.same_channel(&page));
        }
        None
    }
}
