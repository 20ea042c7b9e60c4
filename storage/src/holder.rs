//! The process that holds a data folder, as its file `lock` names it.
//!
//! ```text
//! 4242                     the number of the process
//! 1774085400125            the time from which it holds the folder, milliseconds since the Unix epoch
//! crawler run              the command
//! ```

use std::fmt::{self, Display};

/// The process that holds a data folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Its number.
    pub pid: u32,
    /// The command that it carries out, if it is known: `crawler run`.
    pub command: Option<String>,
    /// The time from which it holds the folder, milliseconds since the Unix epoch, if it is known.
    pub since_ms: Option<u64>,
}

/// Upper bound on the characters of a command.
const MAX_COMMAND: usize = 80;

impl Holder {
    /// This process.
    pub(crate) fn this_process() -> Self {
        Self {
            pid: std::process::id(),
            command: None,
            since_ms: None,
        }
    }

    /// This process, which holds a folder from now on for `command`.
    pub(crate) fn from_now(command: &str, now_ms: u64) -> Self {
        Self {
            command: Some(command.to_owned()).filter(|command| !command.is_empty()),
            since_ms: Some(now_ms),
            ..Self::this_process()
        }
    }

    /// Reads the file `lock`; `None` if it names no process.
    pub(crate) fn parse(lock: &str) -> Option<Self> {
        let mut lines = lock.lines().map(str::trim);
        let pid = lines.next()?.parse().ok()?;
        let since_ms = lines.next().and_then(|since| since.parse().ok());
        let command = lines.next().filter(|command| {
            // The words go to a terminal.
            !command.is_empty() && command.chars().count() <= MAX_COMMAND && !command.chars().any(char::is_control)
        });
        Some(Self {
            pid,
            command: command.map(str::to_owned),
            since_ms,
        })
    }

    /// The contents of the file `lock`.
    pub(crate) fn lock(&self) -> String {
        let since = self.since_ms.map(|since| since.to_string()).unwrap_or_default();
        format!(
            "{}\n{since}\n{}\n",
            self.pid,
            self.command.as_deref().unwrap_or_default()
        )
    }
}

impl Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {}", self.pid)?;
        let since = self
            .since_ms
            .and_then(|since| i64::try_from(since).ok())
            .and_then(|since| jiff::Timestamp::from_millisecond(since).ok())
            .map(|since| since.strftime("%Y-%m-%d %H:%M:%S UTC").to_string());
        match (&self.command, since) {
            (Some(command), Some(since)) => write!(f, " ({command}, since {since})"),
            (Some(command), None) => write!(f, " ({command})"),
            (None, Some(since)) => write!(f, " (since {since})"),
            (None, None) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_names_process_command_and_time() {
        let holder = Holder {
            pid: 42,
            command: Some("crawler run".to_owned()),
            since_ms: Some(1_774_085_400_125),
        };
        assert_eq!(Holder::parse(&holder.lock()), Some(holder.clone()));
        assert_eq!(
            holder.to_string(),
            "process 42 (crawler run, since 2026-03-21 09:30:00 UTC)"
        );
    }

    #[test]
    fn a_lock_file_that_is_cut_or_has_control_characters_still_names_the_process() {
        for lock in ["42\n", "42", "42\n\n\n", "42\nx\n\u{1b}[31mred\n"] {
            let holder = Holder::parse(lock).unwrap();
            assert_eq!(holder.to_string(), "process 42", "{lock:?}");
        }
        assert_eq!(Holder::parse(""), None);
        assert_eq!(Holder::parse("crawler\n"), None);
    }
}
