//! A file of comma-separated values of any length: it is sent while it is written, so no list is in memory as text.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::Frame;
use tokio::sync::mpsc;

/// Bytes that are sent at a time.
const CHUNK: usize = 64 << 10;

/// Chunks that may wait for the client.
const WAITING: usize = 2;

/// The client has gone: nobody wants the rest.
#[derive(Debug)]
pub(super) struct Gone;

/// Writes the lines of a file.
type Write = Box<dyn FnOnce(&mut Lines) -> Result<(), Gone> + Send>;

/// A file to be saved under a name.
pub(super) struct File {
    pub name: &'static str,
    write: Write,
}

impl fmt::Debug for File {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("File")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl File {
    pub fn new(name: &'static str, write: impl FnOnce(&mut Lines) -> Result<(), Gone> + Send + 'static) -> Self {
        Self {
            name,
            write: Box::new(write),
        }
    }

    /// The body of the answer. A thread writes it as fast as the client takes it.
    pub fn into_body(self) -> Body {
        let (to, chunks) = mpsc::channel(WAITING);
        let write = move || {
            let mut lines = Lines { text: Vec::new(), to };
            let written = (self.write)(&mut lines).and_then(|()| lines.send());
            if let Err(Gone) = written {
                tracing::debug!("a file was not taken to its end");
            }
        };
        tokio::task::spawn_blocking(write);
        Body::new(Chunks(chunks))
    }
}

/// The lines of a file (RFC 4180).
#[derive(Debug)]
pub(super) struct Lines {
    text: Vec<u8>,
    to: mpsc::Sender<Bytes>,
}

impl Lines {
    /// Writes one line.
    pub fn line(&mut self, cells: &[impl AsRef<str>]) -> Result<(), Gone> {
        line(cells, &mut self.text);
        if self.text.len() < CHUNK {
            return Ok(());
        }
        self.send()
    }

    fn send(&mut self) -> Result<(), Gone> {
        let text = std::mem::take(&mut self.text);
        self.to.blocking_send(text.into()).map_err(|_| Gone)
    }
}

fn line(cells: &[impl AsRef<str>], text: &mut Vec<u8>) {
    for (place, cell) in cells.iter().enumerate() {
        if place > 0 {
            text.push(b',');
        }
        // A vector takes every write.
        let _ = export::csv::write_text(cell.as_ref(), text);
    }
    text.extend_from_slice(b"\r\n");
}

/// The chunks of a body as they come.
struct Chunks(mpsc::Receiver<Bytes>);

impl hyper::body::Body for Chunks {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let chunk = self.0.poll_recv(context);
        chunk.map(|chunk| chunk.map(|bytes| Ok(Frame::data(bytes))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_data_for_a_spreadsheet() {
        let cells = ["a,b", "say \"x\"", "=1+1", "@x", "a\nb", "plain", ""];
        let mut text = Vec::new();
        line(&cells, &mut text);
        let wanted = "\"a,b\",\"say \"\"x\"\"\",\"'=1+1\",\"'@x\",\"a\nb\",plain,\"\"\r\n";
        assert_eq!(String::from_utf8(text).unwrap(), wanted);
    }

    #[tokio::test]
    async fn a_long_file_comes_in_chunks_and_ends_when_its_client_goes() {
        let (written, lines) = std::sync::mpsc::channel();
        let write = move |lines: &mut Lines| {
            for number in 0_u64.. {
                written.send(number).unwrap();
                lines.line(&[number.to_string()])?;
            }
            Ok(())
        };
        let mut body = Box::pin(File::new("long.csv", write).into_body());
        let next = std::future::poll_fn(|context| hyper::body::Body::poll_frame(body.as_mut(), context)).await;
        let chunk = next.unwrap().unwrap().into_data().unwrap();
        assert!(chunk.len() >= CHUNK && chunk.starts_with(b"0\r\n1\r\n"));
        drop(body);
        // The thread ends: its sender of the numbers is gone.
        let all = tokio::task::spawn_blocking(move || lines.iter().count());
        assert!(all.await.unwrap() > 0);
    }
}
