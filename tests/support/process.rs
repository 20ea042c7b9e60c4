//! The binary at work, bounded in time.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use super::PATIENCE;

/// A process of the binary with these arguments, without the log settings of the caller. The binary is cargo's debug build, or the file
/// that the environment variable `CRAWLER_BINARY` names, such as a release build for measurements.
pub fn crawler<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let named = std::env::var_os("CRAWLER_BINARY");
    let mut command = Command::new(named.unwrap_or_else(|| env!("CARGO_BIN_EXE_crawler").into()));
    command
        .args(arguments)
        .env_remove("RUST_LOG")
        .env_remove("COLUMNS")
        .stdin(Stdio::null());
    command
}

/// Runs a command to its end.
#[track_caller]
pub fn run(command: &mut Command) -> Ended {
    Running::start(command).wait()
}

/// What a process left behind.
#[derive(Debug)]
pub struct Ended {
    /// Exit code; `None` where a signal ended it.
    pub code: Option<i32>,
    /// All of its standard output.
    pub stdout: String,
    /// All of its standard error.
    pub stderr: String,
}

impl Ended {
    /// Asserts the exit code, and that nothing panicked.
    #[track_caller]
    pub fn with_code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert!(!self.stderr.contains("panicked"), "{self:?}");
        self
    }

    /// Asserts exit code 0.
    #[track_caller]
    pub fn succeeded(self) -> Self {
        self.with_code(0)
    }

    /// Asserts that standard error holds each of `parts`.
    #[track_caller]
    pub fn complains_of(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.stderr.contains(part), "{part:?} is not in {}", self.stderr);
        }
        self
    }

    /// Asserts that standard output holds each of `parts`.
    #[track_caller]
    pub fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.stdout.contains(part), "{part:?} is not in {}", self.stdout);
        }
        self
    }
}

/// A process that is killed when it is dropped.
#[derive(Debug)]
pub struct Running {
    child: Child,
    stdout: Stream,
    stderr: Stream,
}

impl Running {
    /// Starts a command; what it writes is collected.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        Self {
            stdout: Stream::collect(child.stdout.take().unwrap()),
            stderr: Stream::collect(child.stderr.take().unwrap()),
            child,
        }
    }

    /// Ends it as `kill -9` does, and waits until it is gone.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends it what Ctrl-C sends.
    pub fn interrupt(&self) {
        self.signal("INT");
    }

    /// Sends it a signal: `STOP`, `CONT`.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([&format!("-{name}"), &self.child.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
    }

    /// Waits until it has written `part` to standard error.
    #[track_caller]
    pub fn wait_for_stderr(&self, part: &str) {
        let found = self.stderr.wait_until(|text| text.contains(part));
        assert!(found, "{part:?} is not in {}", self.stderr.text());
    }

    /// What it has written to standard error so far.
    pub fn stderr(&self) -> String {
        self.stderr.text()
    }

    /// Its process number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until the process ends, and measures its cost: the last counts of the kernel that could be read. `None` on systems without
    /// such counts.
    #[track_caller]
    pub fn wait_measured(self) -> (Ended, Option<Cost>) {
        let id = self.id();
        let watch = std::thread::spawn(move || {
            let mut last = None;
            while let Some(cost) = Cost::of_process(id) {
                last = Some(cost);
                std::thread::park_timeout(Duration::from_millis(5));
            }
            last
        });
        (self.wait(), watch.join().unwrap())
    }

    /// Waits for its end.
    #[track_caller]
    pub fn wait(mut self) -> Ended {
        let ended = self.stdout.wait_for_end() && self.stderr.wait_for_end();
        let (stdout, stderr) = (self.stdout.text(), self.stderr.text());
        assert!(ended, "it did not end; it wrote {stdout:?} and {stderr:?}");
        Ended {
            code: self.child.wait().unwrap().code(),
            stdout,
            stderr,
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // An error says that it has ended already.
        if self.child.kill().is_ok() {
            self.child.wait().unwrap();
        }
    }
}

/// The cost of a process so far.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// Its largest resident memory, in bytes.
    pub peak_bytes: u64,
    /// The processor time of the process and of the kernel on its behalf.
    pub processor: Duration,
}

impl Cost {
    /// The cost of a running process on Linux: `VmHWM`, and `utime` and `stime`, which proc(5) counts in hundredths of a second.
    fn of_process(id: u32) -> Option<Self> {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The second field is the program's name in parentheses; the fourteenth and fifteenth are the times.
        let mut after_name = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
        let mut ticks = || after_name.next()?.parse::<u64>().ok();
        Some(Self {
            peak_bytes: kilobytes * 1024,
            processor: Duration::from_millis(10 * (ticks()? + ticks()?)),
        })
    }
}

/// What a process writes, as it comes.
#[derive(Debug, Clone)]
struct Stream {
    shared: Arc<(Mutex<Written>, Condvar)>,
}

#[derive(Debug, Default)]
struct Written {
    bytes: Vec<u8>,
    is_complete: bool,
}

impl Stream {
    fn collect(mut source: impl Read + Send + 'static) -> Self {
        let stream = Self { shared: Arc::default() };
        let shared = stream.shared.clone();
        std::thread::spawn(move || {
            let (written, changed) = &*shared;
            let mut chunk = [0; 4096];
            loop {
                let length = source.read(&mut chunk).unwrap_or(0);
                let mut written = written.lock().unwrap();
                written.bytes.extend_from_slice(&chunk[..length]);
                written.is_complete = length == 0;
                changed.notify_all();
                if length == 0 {
                    return;
                }
            }
        });
        stream
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.shared.0.lock().unwrap().bytes).into_owned()
    }

    fn wait_until(&self, holds: impl Fn(&str) -> bool) -> bool {
        let (written, changed) = &*self.shared;
        let holds = |written: &Written| holds(&String::from_utf8_lossy(&written.bytes));
        let waits = |written: &mut Written| !written.is_complete && !holds(written);
        let (written, _) = changed
            .wait_timeout_while(written.lock().unwrap(), PATIENCE, waits)
            .unwrap();
        holds(&written)
    }

    fn wait_for_end(&self) -> bool {
        let (written, changed) = &*self.shared;
        let waits = |written: &mut Written| !written.is_complete;
        let (written, _) = changed
            .wait_timeout_while(written.lock().unwrap(), PATIENCE, waits)
            .unwrap();
        written.is_complete
    }
}
