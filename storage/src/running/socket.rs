//! The place where the process that crawls listens.
//!
//! On Unix it is the socket `crawler.sock` in the data folder, so whoever may write to the folder may connect. Elsewhere, and where the
//! folder cannot hold a socket (its path is longer than about 100 bytes, or its file system has none), it is a port of the loopback
//! interface. The file `crawler.port`, which only its owner may read, then holds the port and a token, and a connection begins with the
//! token.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
#[cfg(unix)]
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

const SOCKET: &str = "crawler.sock";
const PORT: &str = "crawler.port";

/// Bytes of a token in hexadecimal digits.
const TOKEN: usize = 32;

/// Upper bound on the wait for a token.
const TOKEN_WITHIN: Duration = Duration::from_secs(2);

/// A listener, with a file in the data folder.
pub(super) struct Listener {
    inner: Inner,
    path: PathBuf,
}

enum Inner {
    #[cfg(unix)]
    Socket(UnixListener),
    Port {
        listener: TcpListener,
        token: String,
    },
}

/// A connection.
pub(super) enum Stream {
    #[cfg(unix)]
    Socket(UnixStream),
    Port(TcpStream),
}

impl Listener {
    /// Listens for readers of the data folder `dir`, which this process holds. Removes what a killed process left.
    pub fn bind(dir: &Path) -> io::Result<Self> {
        for name in [SOCKET, PORT] {
            match fs::remove_file(dir.join(name)) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        #[cfg(unix)]
        if let Ok(listener) = UnixListener::bind(dir.join(SOCKET)) {
            return Ok(Self {
                inner: Inner::Socket(listener),
                path: dir.join(SOCKET),
            });
        }
        Self::bind_port(dir)
    }

    /// Listens on a free port of the loopback interface.
    pub fn bind_port(dir: &Path) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let token = uuid::Uuid::new_v4().simple().to_string();
        let path = dir.join(PORT);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // Written in one piece, so that a reader finds the whole file or none of it.
        options.open(&path)?.write_all(format!("{port} {token}\n").as_bytes())?;
        Ok(Self {
            inner: Inner::Port { listener, token },
            path,
        })
    }

    /// Waits for the next connection, before its token is checked.
    pub fn accept(&self) -> io::Result<Stream> {
        Ok(match &self.inner {
            #[cfg(unix)]
            Inner::Socket(listener) => Stream::Socket(listener.accept()?.0),
            Inner::Port { listener, .. } => Stream::Port(listener.accept()?.0),
        })
    }

    /// Checks that the other side may read the folder.
    pub fn admit(&self, stream: &mut Stream) -> io::Result<()> {
        match &self.inner {
            #[cfg(unix)]
            Inner::Socket(_) => Ok(()),
            Inner::Port { token, .. } => {
                stream.set_read_timeout(TOKEN_WITHIN)?;
                let mut sent = [0; TOKEN];
                stream.read_exact(&mut sent)?;
                if sent == token.as_bytes() {
                    Ok(())
                } else {
                    Err(ErrorKind::PermissionDenied.into())
                }
            }
        }
    }

    /// Removes the file in the data folder. A file that stays does no harm: nobody listens there, and the next process removes it.
    pub fn remove_file(&self) {
        let _removed = fs::remove_file(&self.path);
    }

    /// Ends the wait of [`accept`](Self::accept) in another thread. Returns whether it does.
    ///
    /// Somebody may have moved the data folder, so the socket may not be at its path any more, or another process may listen there. So
    /// the listener is shut down. A connection to the path is for systems that do not end an `accept` by that.
    #[must_use]
    pub fn wake(&self) -> bool {
        match &self.inner {
            #[cfg(unix)]
            Inner::Socket(listener) => {
                let ended = socket2::SockRef::from(listener).shutdown(Shutdown::Both);
                cfg!(target_os = "linux") && ended.is_ok() || UnixStream::connect(&self.path).is_ok()
            }
            Inner::Port { listener, .. } => {
                let address = listener.local_addr();
                address.is_ok_and(|address| TcpStream::connect(address).is_ok())
            }
        }
    }
}

/// Connects to the process that crawls into `dir`. An error of kind [`NotFound`](ErrorKind::NotFound) or
/// [`ConnectionRefused`](ErrorKind::ConnectionRefused) means that nobody listens.
pub(super) fn connect(dir: &Path) -> io::Result<Stream> {
    match fs::read_to_string(dir.join(PORT)) {
        Ok(line) => {
            let (port, token) = line
                .trim_end()
                .split_once(' ')
                .and_then(|(port, token)| Some((port.parse::<u16>().ok()?, token)))
                .filter(|(_, token)| token.len() == TOKEN)
                .ok_or(ErrorKind::NotFound)?;
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
            stream.set_nodelay(true)?;
            stream.write_all(token.as_bytes())?;
            Ok(Stream::Port(stream))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => connect_socket(dir),
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn connect_socket(dir: &Path) -> io::Result<Stream> {
    match UnixStream::connect(dir.join(SOCKET)) {
        // The path is too long for a socket, so no process listens on one there.
        Err(error) if error.kind() == ErrorKind::InvalidInput => Err(ErrorKind::NotFound.into()),
        connected => Ok(Stream::Socket(connected?)),
    }
}

#[cfg(not(unix))]
fn connect_socket(_dir: &Path) -> io::Result<Stream> {
    Err(ErrorKind::NotFound.into())
}

impl Stream {
    /// A second handle of the same connection.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(match self {
            #[cfg(unix)]
            Self::Socket(stream) => Self::Socket(stream.try_clone()?),
            Self::Port(stream) => Self::Port(stream.try_clone()?),
        })
    }

    pub fn set_read_timeout(&self, timeout: Duration) -> io::Result<()> {
        match self {
            #[cfg(unix)]
            Self::Socket(stream) => stream.set_read_timeout(Some(timeout)),
            Self::Port(stream) => stream.set_read_timeout(Some(timeout)),
        }
    }

    pub fn set_write_timeout(&self, timeout: Duration) -> io::Result<()> {
        match self {
            #[cfg(unix)]
            Self::Socket(stream) => stream.set_write_timeout(Some(timeout)),
            Self::Port(stream) => stream.set_write_timeout(Some(timeout)),
        }
    }

    /// Ends reads and writes of both sides.
    pub fn shutdown(&self) {
        // The other side may have closed the connection already.
        let _closed = match self {
            #[cfg(unix)]
            Self::Socket(stream) => stream.shutdown(Shutdown::Both),
            Self::Port(stream) => stream.shutdown(Shutdown::Both),
        };
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            #[cfg(unix)]
            Self::Socket(stream) => stream.read(buffer),
            Self::Port(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            #[cfg(unix)]
            Self::Socket(stream) => stream.write(bytes),
            Self::Port(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            #[cfg(unix)]
            Self::Socket(stream) => stream.flush(),
            Self::Port(stream) => stream.flush(),
        }
    }
}
