//! The process of the browser: started with a fresh profile, and ended with all its children.
//!
//! A shell stands between the crawler and the browser. It does two things that this crate cannot do without `unsafe`: it moves the
//! pipes to the descriptors 3 and 4, where the browser expects them, and it removes the profile when the browser has ended, also
//! if the crawler was killed. All of them are one process group.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Stdio;

use tempfile::TempDir;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::error::RenderError;
use crate::settings::Settings;

/// Runs its arguments with the pipes in place. Children of the browser may write a last file while the profile is being removed.
const SHELL: &str = r#""$@" 3<&0 4>&1 0</dev/null 1>/dev/null 2>"$CRAWLER_PROFILE/messages"
exec 0<&- 1>&-
rm -rf "$CRAWLER_PROFILE" || { sleep 1; rm -rf "$CRAWLER_PROFILE"; }"#;

/// Tries to remove the profile, 50 ms apart.
const REMOVALS: u32 = 40;

/// A running browser. Dropping it kills the browser and all its children, and removes the profile.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    group: Option<u32>,
    profile: TempDir,
}

impl Process {
    /// Starts the browser behind the proxy at `wall`.
    pub fn start(settings: &Settings, wall: &str) -> Result<(Self, ChildStdin, ChildStdout), RenderError> {
        let failed = |detail: String| RenderError::Start {
            program: settings.program.display().to_string(),
            detail,
        };
        let profile = tempfile::Builder::new().prefix("crawler-browser-").tempdir();
        let profile = profile.map_err(|error| failed(format!("no folder for its profile: {error}")))?;
        let mut command = Command::new("sh");
        command
            .args(["-c", SHELL, "sh"])
            .arg(&settings.program)
            .args(arguments(settings, wall, profile.path()))
            .env("CRAWLER_PROFILE", profile.path())
            // Chromium would take a proxy, a display or a session of the desktop from them.
            .env_remove("http_proxy")
            .env_remove("https_proxy")
            .env_remove("all_proxy")
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("DBUS_SESSION_BUS_ADDRESS")
            .env("HOME", profile.path())
            .env("XDG_CONFIG_HOME", profile.path())
            .env("XDG_CACHE_HOME", profile.path())
            .env("TMPDIR", profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        // Ctrl-C on the terminal is for the crawler, which ends the browser itself.
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed("it has no pipes".into()));
        };
        let group = child.id();
        Ok((Self { child, group, profile }, stdin, stdout))
    }

    /// The last lines that the browser wrote.
    pub fn messages(&self) -> String {
        let text = fs::read(self.profile.path().join("messages")).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = lines[lines.len().saturating_sub(3)..].join("; ");
        if last.is_empty() {
            "it gave no reason".into()
        } else {
            last
        }
    }

    /// Kills the process `id`, if it is a child of this browser.
    pub fn kill_child(&self, id: u32) {
        if self.group.is_some_and(|group| memory::group_of(id) == Some(group)) {
            kill(id);
        }
    }
}

impl Process {
    /// Whether the browser and all its children have ended.
    fn is_gone(&mut self) -> bool {
        // The system counts the browser itself until somebody has asked how it ended.
        let has_ended = !matches!(self.child.try_wait(), Ok(None));
        has_ended && self.group.is_none_or(is_empty_group)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(group) = self.group.filter(|_| self.child.id().is_some()) {
            kill_group(group);
        }
        // The children run and write for a moment after they were killed. Who waits for the end of the browser must find none of them.
        for _ in 0..REMOVALS {
            let is_removed = remove(self.profile.path()).is_ok() && !self.profile.path().exists();
            if self.is_gone() && is_removed {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

#[cfg(unix)]
fn pid(id: u32) -> Option<rustix::process::Pid> {
    rustix::process::Pid::from_raw(i32::try_from(id).ok()?)
}

#[cfg(unix)]
fn kill_group(group: u32) {
    let killed = pid(group).map(|pid| rustix::process::kill_process_group(pid, rustix::process::Signal::KILL));
    tracing::trace!(group, ?killed, "ended the browser");
}

/// Whether no process of the group is left.
#[cfg(unix)]
fn is_empty_group(group: u32) -> bool {
    pid(group).is_none_or(|pid| rustix::process::test_kill_process_group(pid) == Err(rustix::io::Errno::SRCH))
}

#[cfg(unix)]
fn kill(id: u32) {
    let killed = pid(id).map(|pid| rustix::process::kill_process(pid, rustix::process::Signal::KILL));
    tracing::trace!(id, ?killed, "ended a tab");
}

#[cfg(not(unix))]
fn kill_group(_group: u32) {}

#[cfg(not(unix))]
fn is_empty_group(_group: u32) -> bool {
    true
}

#[cfg(not(unix))]
fn kill(_id: u32) {}

/// Whether the process has the rights of root. Chromium's own sandbox then refuses to work.
#[must_use]
pub(crate) fn is_root() -> bool {
    #[cfg(unix)]
    return rustix::process::geteuid().is_root();
    #[cfg(not(unix))]
    false
}

/// The arguments: no window, no network except the wall, no traffic of the browser's own, no sharing with other runs.
fn arguments(settings: &Settings, wall: &str, profile: &Path) -> Vec<String> {
    let mut arguments: Vec<String> = FLAGS.iter().map(|&flag| flag.to_owned()).collect();
    arguments.extend([
        format!("--user-data-dir={}", profile.display()),
        format!("--user-agent={}", settings.user_agent),
        format!("--proxy-server=http://{wall}"),
        // Chromium goes to loopback without a proxy, unless this entry takes that rule back.
        "--proxy-bypass-list=<-loopback>".to_owned(),
        format!(
            "--js-flags=--max-old-space-size={}",
            settings.max_memory_bytes / 2 / 1024 / 1024
        ),
    ]);
    if is_root() {
        arguments.push("--no-sandbox".into());
    }
    arguments
}

const FLAGS: [&str; 36] = [
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-startup-window",
    // The second wall: no name has an address. The proxy has none to look up.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--dns-prefetch-disable",
    "--disable-quic",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-client-side-phishing-detection",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,Translate,OptimizationHints,MediaRouter,\
     DialMediaRouteProvider,AutofillServerCommunication,CertificateTransparencyComponentUpdater,NetworkPrediction,\
     Prerender2,SpeculationRulesPrefetchFuture,SpareRendererForSitePerProcess,PreloadMediaEngagementData,\
     InterestFeedContentSuggestions,PaintHolding,LocalNetworkAccessChecks,BackForwardCache,GlobalMediaControls",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-pings",
    "--no-service-autorun",
    "--metrics-recording-only",
    "--mute-audio",
    "--hide-scrollbars",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    "--disable-prompt-on-repost",
    "--disable-popup-blocking",
    "--password-store=basic",
    "--window-size=1280,1024",
];

/// The memory of processes, where the system tells it.
pub(crate) mod memory {
    /// The process group of a process.
    #[cfg(target_os = "linux")]
    pub fn group_of(id: u32) -> Option<u32> {
        // pid (name) state ppid pgrp …; the name may hold spaces and parentheses.
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        stat.rsplit_once(") ")?.1.split(' ').nth(2)?.parse().ok()
    }

    /// The resident set of a process, in bytes.
    #[cfg(target_os = "linux")]
    pub fn resident_bytes(id: u32) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim()
            .strip_suffix(" kB")?
            .trim()
            .parse::<u64>()
            .ok()
            .map(|kilobytes| kilobytes * 1024)
    }

    /// Unknown here.
    #[cfg(not(target_os = "linux"))]
    pub fn group_of(_id: u32) -> Option<u32> {
        None
    }

    /// Unknown here.
    #[cfg(not(target_os = "linux"))]
    pub fn resident_bytes(_id: u32) -> Option<u64> {
        None
    }
}
