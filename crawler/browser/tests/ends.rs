//! Pages and browsers that end badly, and what is left of them: nothing.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use browser::{RenderError, Renderer, Settings};
use support::{render, settings};

const GOOD: &str = "<p>fine</p>";

fn quick() -> Settings {
    Settings {
        timeout: Duration::from_secs(2),
        max_memory_bytes: 400 * 1024 * 1024,
        ..settings()
    }
}

/// The processes whose command line or working environment names the folder, except zombies.
fn processes_of(folder: &Path) -> Vec<String> {
    let folder = folder.to_string_lossy().into_owned();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let read = |file: &str| fs::read(entry.path().join(file)).unwrap_or_default();
        let environment = String::from_utf8_lossy(&read("environ")).into_owned();
        let command = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
        if command.contains(&folder) || environment.contains(&folder) {
            found.push(command);
        }
    }
    found
}

/// Waits until no process of the folder is left.
fn assert_gone(folder: &Path) {
    let end = Instant::now() + Duration::from_secs(20);
    while Instant::now() < end && (folder.exists() || !processes_of(folder).is_empty()) {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(processes_of(folder), Vec::<String>::new());
    assert!(!folder.exists(), "the profile {} is left", folder.display());
}

/// The profiles of browsers that this process, or its child, has started.
fn profiles_below(temporary: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(temporary).unwrap().flatten();
    let is_profile = |path: &PathBuf| path.to_string_lossy().contains("crawler-browser-");
    entries.map(|entry| entry.path()).filter(is_profile).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hung_page_and_one_that_eats_memory_harm_only_themselves() {
    let renderer = Renderer::new(quick());
    let hung = render(&renderer, "<p>x</p><script>while (true) {}</script>", &Arc::default()).await;
    assert_eq!(hung.unwrap_err(), RenderError::Hung);
    let greedy = "<script>const all = []; setInterval(() => { const a = new Uint8Array(30e6); a.fill(1); all.push(a); document.body.append('x') }, 1)</script>";
    let greedy = render(&renderer, greedy, &Arc::default()).await.unwrap_err();
    assert!(
        matches!(greedy, RenderError::Memory { .. } | RenderError::Crashed),
        "{greedy}"
    );
    assert!(
        render(&renderer, GOOD, &Arc::default())
            .await
            .unwrap()
            .html
            .contains("fine")
    );
    assert_eq!(renderer.starts(), 1);
}

/// The children of this process.
fn own_children() -> Vec<String> {
    let own = std::process::id().to_string();
    let found = Command::new("ps")
        .args(["-o", "pid=", "--ppid", &own])
        .output()
        .unwrap();
    String::from_utf8_lossy(&found.stdout)
        .split_whitespace()
        .map(str::to_owned)
        .collect()
}

/// Not a test by itself: the process that the next test kills.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "started by another test, which kills it"]
async fn renders_until_it_is_killed() {
    let renderer = Renderer::new(settings());
    loop {
        render(&renderer, GOOD, &Arc::default()).await.unwrap();
        fs::write(std::env::var_os("READY").unwrap(), "").unwrap();
    }
}

#[test]
fn nothing_is_left_of_a_browser_whose_user_was_killed_or_has_ended() {
    for _ in 0..2 {
        let temporary = tempfile::tempdir().unwrap();
        let ready = temporary.path().join("ready");
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "renders_until_it_is_killed"])
            .env("TMPDIR", temporary.path())
            .env("READY", &ready)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let end = Instant::now() + Duration::from_secs(60);
        while !ready.exists() {
            assert!(Instant::now() < end && child.try_wait().unwrap().is_none());
            std::thread::sleep(Duration::from_millis(20));
        }
        let profiles = profiles_below(temporary.path());
        assert_eq!(profiles.len(), 1);
        assert!(!processes_of(&profiles[0]).is_empty());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_gone(&profiles[0]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_the_renderer_is_the_end_of_the_browser() {
    let renderer = Renderer::new(quick());
    render(&renderer, GOOD, &Arc::default()).await.unwrap();
    let shells = own_children();
    let profiles: Vec<PathBuf> = profiles_below(&std::env::temp_dir())
        .into_iter()
        .filter(|profile| {
            shells.iter().any(|shell| {
                fs::read(format!("/proc/{shell}/environ"))
                    .is_ok_and(|text| String::from_utf8_lossy(&text).contains(&*profile.to_string_lossy()))
            })
        })
        .collect();
    assert!(!profiles.is_empty());
    drop(renderer);
    // Other tests of this process have browsers of their own: only those that end with this renderer count. Its processes end a little after
    // its profile.
    let is_gone = |profile: &PathBuf| !profile.exists() && processes_of(profile).is_empty();
    let end = Instant::now() + Duration::from_secs(20);
    while Instant::now() < end && !profiles.iter().any(is_gone) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(profiles.iter().any(is_gone));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_is_no_browser_is_named() {
    let settings = Settings {
        program: "/bin/false".into(),
        ..quick()
    };
    let error = render(&Renderer::new(settings), GOOD, &Arc::default())
        .await
        .unwrap_err();
    assert!(
        error.to_string().starts_with("the browser /bin/false did not start: "),
        "{error}"
    );
}
