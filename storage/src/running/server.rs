//! Gives the rows of this process's store to readers.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::socket::{Listener, Stream};
use super::wire::{self, Greeting, Range, Reply, Request, VERSION, Welcome};
use crate::batch::KeyValue;
use crate::error::StorageError;
use crate::snapshot::Snapshot;
use crate::state::State;

/// Upper bound on the readers that are connected.
const MAX_READERS: usize = 16;

/// Rows and bytes after which a reply ends.
const REPLY_ROWS: usize = 4_096;
const REPLY_BYTES: usize = 256 << 10;

/// Time without a question after which a reader is disconnected: a stopped process must not hold a snapshot for ever. `verify` and `tune`
/// compute for some minutes at most between two questions.
const IDLE: Duration = Duration::from_secs(15 * 60);

/// Upper bound on the wait for a reader to take a reply.
const TAKE_WITHIN: Duration = Duration::from_secs(60);

/// Upper bound on the wait for connected readers when the store is closed.
const FINISH_WITHIN: Duration = Duration::from_secs(5);

/// Says what the process does now, in a form of its own. It must not wait.
pub(crate) type Tell = Box<dyn Fn() -> Vec<u8> + Send + Sync>;

/// The thread that accepts readers. Dropping it disconnects them.
pub(crate) struct Server {
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

struct Shared {
    listener: Listener,
    state: State,
    tell: Tell,
    is_closing: AtomicBool,
    readers: Mutex<Readers>,
    has_left: Condvar,
}

/// The connections, by number, for closing them.
#[derive(Default)]
struct Readers {
    next: u64,
    connected: Vec<(u64, Stream)>,
}

impl Server {
    /// Listens for readers of `dir`.
    ///
    /// # Errors
    /// Neither a socket nor a port can be opened.
    pub fn start(dir: &Path, state: State, tell: Tell) -> io::Result<Self> {
        Self::with(Listener::bind(dir)?, state, tell)
    }

    pub(super) fn with(listener: Listener, state: State, tell: Tell) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            listener,
            state,
            tell,
            is_closing: AtomicBool::new(false),
            readers: Mutex::default(),
            has_left: Condvar::new(),
        });
        let accepting = thread::Builder::new().name("readers".to_owned()).spawn({
            let shared = Arc::clone(&shared);
            move || accept(&shared)
        })?;
        Ok(Self {
            shared,
            accepting: Some(accepting),
        })
    }
}

impl Drop for Server {
    /// Lets the connected readers finish for a short time, then disconnects them. The threads end before the database does.
    fn drop(&mut self) {
        self.shared.is_closing.store(true, Ordering::Release);
        // A thread that cannot be woken ends with the process.
        let is_woken = self.shared.listener.wake();
        if let Some(accepting) = self.accepting.take().filter(|_| is_woken) {
            let _ended = accepting.join();
        }
        self.shared.listener.remove_file();
        let readers = self.shared.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .shared
            .has_left
            .wait_timeout_while(readers, FINISH_WITHIN, |readers| !readers.connected.is_empty());
        let (readers, _) = waited.unwrap_or_else(PoisonError::into_inner);
        for (_, stream) in &readers.connected {
            stream.shutdown();
        }
        // Each thread holds the database until it has noticed.
        let waited = self
            .shared
            .has_left
            .wait_timeout_while(readers, FINISH_WITHIN, |readers| !readers.connected.is_empty());
        drop(waited);
    }
}

fn accept(shared: &Arc<Shared>) {
    let mut failed_at: Option<Instant> = None;
    loop {
        let stream = shared.listener.accept();
        if shared.is_closing.load(Ordering::Acquire) {
            return;
        }
        match stream {
            Ok(stream) => {
                if let Err(error) = welcome(shared, stream) {
                    tracing::debug!(%error, "a reader was not connected");
                }
            }
            // Out of open files, for example. The crawl goes on, and the reader tries again.
            Err(error) => {
                if failed_at.is_none_or(|at| at.elapsed() > IDLE) {
                    tracing::warn!(%error, "a command that reads this crawl cannot connect");
                    failed_at = Some(Instant::now());
                }
                thread::sleep(Duration::from_millis(100));
            }
        }
    }
}

/// Begins a thread for the reader, or tells it to come again.
fn welcome(shared: &Arc<Shared>, mut stream: Stream) -> io::Result<()> {
    stream.set_write_timeout(TAKE_WITHIN)?;
    let number = {
        let mut readers = shared.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.connected.len() >= MAX_READERS {
            drop(readers);
            return wire::send(&mut stream, &Greeting::Busy);
        }
        readers.next += 1;
        let number = readers.next;
        readers.connected.push((number, stream.try_clone()?));
        number
    };
    let spawned = thread::Builder::new().name(format!("reader {number}")).spawn({
        let shared = Arc::clone(shared);
        move || {
            if let Err(error) = answer(&shared, &mut stream) {
                tracing::debug!(%error, "a reader was disconnected");
            }
            leave(&shared, number);
        }
    });
    if spawned.is_err() {
        leave(shared, number);
    }
    spawned.map(|_| ())
}

fn leave(shared: &Shared, number: u64) {
    let mut readers = shared.readers.lock().unwrap_or_else(PoisonError::into_inner);
    readers.connected.retain(|(connected, _)| *connected != number);
    drop(readers);
    shared.has_left.notify_all();
}

/// Answers a reader until it closes the connection.
fn answer(shared: &Shared, stream: &mut Stream) -> io::Result<()> {
    shared.listener.admit(stream)?;
    stream.set_read_timeout(IDLE)?;
    let Some((snapshot, last)) = shared.state.snapshot() else {
        return Err(io::Error::other("there is no snapshot of another process's rows"));
    };
    wire::send(
        stream,
        &Greeting::Welcome(Welcome {
            version: VERSION,
            commit: last.number,
            at_ms: last.at_ms,
        }),
    )?;
    loop {
        let request = match wire::receive_request(stream) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            request => request?,
        };
        wire::send(stream, &reply(&snapshot, &shared.tell, &request))?;
    }
}

fn reply(snapshot: &Snapshot, tell: &Tell, request: &Request) -> Reply {
    let bytes = |(key, value): KeyValue| (key.to_vec(), value.to_vec());
    let read = || {
        Ok(match request {
            Request::Get(key) => Reply::Value(snapshot.get(key)?.map(|value| value.to_vec())),
            Request::Scan(Range { from, end }) => {
                let (rows, next) = snapshot.scan(from, end.as_deref(), (REPLY_ROWS, REPLY_BYTES))?;
                Reply::Rows(rows.into_iter().map(bytes).collect(), next)
            }
            Request::Last(Range { from, end }) => Reply::Last(snapshot.last(from, end.as_deref())?.map(bytes)),
            Request::Tell => Reply::Told(tell()),
        })
    };
    read().unwrap_or_else(|error: StorageError| match error {
        StorageError::SnapshotLost { .. } => Reply::Lost,
        error => Reply::Unreadable(error.to_string()),
    })
}
