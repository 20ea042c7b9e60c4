//! A browser that is killed while it has a page. Alone in its process, because it kills every browser of its process.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use browser::{Renderer, Settings};
use support::{render, settings};

const GOOD: &str = "<p>fine</p>";

fn quick() -> Settings {
    Settings {
        timeout: Duration::from_secs(5),
        ..settings()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_browser_is_replaced_and_the_page_is_tried_again() {
    let renderer = Arc::new(Renderer::new(quick()));
    assert!(render(&renderer, GOOD, &Arc::default()).await.is_ok());
    for _ in 0..3 {
        let browsers = processes_named_in(&own_children());
        let slow = "<p>slow</p><script>setTimeout(() => document.body.append('end'), 400)</script>";
        let (under_way, other) = (renderer.clone(), Arc::default());
        let page = tokio::spawn(async move { render(&under_way, slow, &other).await });
        tokio::time::sleep(Duration::from_millis(300)).await;
        for browser in browsers {
            Command::new("kill").args(["-9", &browser]).status().unwrap();
        }
        assert!(page.await.unwrap().unwrap().html.contains("end"));
    }
    assert!(renderer.starts() >= 3, "{}", renderer.starts());
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

/// The browsers among the children of shells.
fn processes_named_in(shells: &[String]) -> Vec<String> {
    let children = shells.iter().map(|shell| {
        Command::new("ps")
            .args(["-o", "pid=,args=", "--ppid", shell])
            .output()
            .unwrap()
    });
    let lines: Vec<String> = children
        .map(|found| String::from_utf8_lossy(&found.stdout).into_owned())
        .collect();
    let lines = lines
        .iter()
        .flat_map(|text| text.lines())
        .filter(|line| line.contains("--remote-debugging-pipe"));
    lines
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}
