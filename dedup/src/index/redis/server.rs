//! The connections of a process to the server.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use redis::{Client, Connection, FromRedisValue, Pipeline, RedisResult, ScriptInvocation};

use super::address::RedisAddress;
use super::error::ServerError;

/// The server, and the connections that no thread uses now. A thread takes one for a question and gives it back, so that
/// threads that share an index do not wait for each other.
pub(super) struct Server {
    client: Client,
    /// The address without user and password.
    place: String,
    timeout: Duration,
    idle: Mutex<Vec<Connection>>,
    round_trips: AtomicU64,
}

impl Server {
    /// Connects, so that a wrong address is noticed at once.
    pub fn connect(address: &RedisAddress, timeout: Duration) -> Result<Self, ServerError> {
        let place = address.to_string();
        let client = Client::open(address.connection().clone()).map_err(|source| ServerError::new(&place, source))?;
        let server = Self {
            client,
            place,
            timeout,
            idle: Mutex::new(Vec::new()),
            round_trips: AtomicU64::new(0),
        };
        server.ask(|_| Ok(()))?;
        Ok(server)
    }

    pub fn place(&self) -> &str {
        &self.place
    }

    /// Questions since the index was opened, each of which waited once for the server.
    pub fn round_trips(&self) -> u64 {
        self.round_trips.load(Ordering::Relaxed)
    }

    pub fn query<T: FromRedisValue>(&self, pipeline: &Pipeline) -> Result<T, ServerError> {
        self.round_trips.fetch_add(1, Ordering::Relaxed);
        self.ask(|connection| pipeline.query(connection))
    }

    pub fn run<T: FromRedisValue>(&self, script: &ScriptInvocation<'_>) -> Result<T, ServerError> {
        self.round_trips.fetch_add(1, Ordering::Relaxed);
        self.ask(|connection| script.invoke(connection))
    }

    fn ask<T>(&self, question: impl FnOnce(&mut Connection) -> RedisResult<T>) -> Result<T, ServerError> {
        let idle = self.idle().pop();
        let asked = idle
            .map_or_else(|| self.new_connection(), Ok)
            .and_then(|mut connection| {
                let answer = question(&mut connection)?;
                // After an error, an answer may still be on its way: such a connection is not used again.
                self.idle().push(connection);
                Ok(answer)
            });
        asked.map_err(|source| {
            if source.is_io_error() {
                // The server was gone, and so the other connections are, too.
                self.idle().clear();
            }
            ServerError::new(&self.place, source)
        })
    }

    fn new_connection(&self) -> RedisResult<Connection> {
        let connection = self.client.get_connection_with_timeout(self.timeout)?;
        connection.set_read_timeout(Some(self.timeout))?;
        connection.set_write_timeout(Some(self.timeout))?;
        Ok(connection)
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
