//! Full disks, and limits of the system.

use std::fs;
use std::process::{Command, Stdio};

use super::{PAGES, crawl_of, mounted, site, verified};
use crate::support::crawl::Crawl;
use crate::support::outcomes::count;
use crate::support::page::words;
use crate::support::process::{crawler, run};

/// The command in a shell that sets a limit first.
fn limited(limit: &str, command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &format!("{limit}; exec \"$@\""), "sh"])
        .arg(command.get_program())
        .args(command.get_args());
    for (key, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(key, value),
            None => shell.env_remove(key),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        shell.current_dir(folder);
    }
    shell.stdin(Stdio::null());
    shell
}

#[test]
fn a_limit_on_file_sizes_ends_a_crawl_with_a_message_and_the_next_run_goes_on() {
    let site = site();
    let mut ended_early = 0;
    for kilobytes in [64, 200, 400, 600] {
        let crawl = Crawl::of(site.url("/")).set("storage.commit_interval_ms", 1);
        // In units of 512 bytes, as the standard has it. The default of the signal would end the process.
        let limit = format!("ulimit -f {}", kilobytes * 2);
        let ended = run(&mut limited(&limit, &crawl.command(&["-q"])));
        if ended.code == Some(0) {
            continue;
        }
        ended_early += 1;
        let ended = ended.with_code(1);
        let said = ended.stderr.trim_end();
        assert_eq!(said.lines().count(), 1, "{kilobytes} kB: {said}");
        assert!(
            said.starts_with("crawler: ") && !said.contains("panicked"),
            "{kilobytes} kB: {said}"
        );
        let did_open = crawl.data().join("last-commit").exists();
        if did_open {
            let at_hand = crawl.read("verify", &[]);
            assert!(at_hand.code == Some(0), "{kilobytes} kB: {said}\n{at_hand:?}");
        }
        crawl.run();
        assert_eq!(count(&crawl.report(), "queued"), 0, "{kilobytes} kB");
        assert_eq!(crawl.outcomes(&site).len(), PAGES + 3, "{kilobytes} kB: {said}");
        verified(&crawl);
    }
    assert!(ended_early > 1, "{ended_early}");
}

#[test]
fn a_full_disk_ends_a_crawl_with_a_message_and_the_next_run_goes_on() {
    let site = site();
    let mut ended_early = 0;
    for kilobytes in [40, 300, 600, 750, 900] {
        let crawl = crawl_of(&site).set("storage.commit_interval_ms", 1);
        let data = crawl.data();
        fs::create_dir_all(&data).unwrap();
        let size = format!("size={kilobytes}k");
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
            .arg(&data)
            .output();
        if !mount.is_ok_and(|mount| mount.status.success()) {
            eprintln!("NOT TESTED: a small file system cannot be mounted by this user");
            return;
        }
        let ended = run(&mut crawl.command(&["-q"]));
        let more = Command::new("mount")
            .args(["-o", "remount,size=64m"])
            .arg(&data)
            .status()
            .unwrap();
        let went_on = more.success().then(|| crawl.end(&["-q"]));
        let outcomes = went_on
            .is_some()
            .then(|| crawl.read("report", &["--format", "json"]).stdout);
        let verdict = crawl.read("verify", &[]);
        assert!(Command::new("umount").arg(&data).status().unwrap().success());
        went_on.unwrap().succeeded();
        let report: serde_json::Value = serde_json::from_str(&outcomes.unwrap()).unwrap();
        assert_eq!(
            (count(&report, "queued"), count(&report, "discovered")),
            (0, PAGES as u64 + 3)
        );
        verdict.succeeded();
        if ended.code == Some(0) {
            continue;
        }
        ended_early += 1;
        let ended = ended.with_code(1);
        let said = ended.stderr.trim_end();
        assert!(
            said.starts_with("crawler: ") && said.lines().count() == 1,
            "{kilobytes} kB: {said}"
        );
        assert!(
            said.contains("free some space") || said.contains("see to the disk"),
            "{kilobytes} kB: {said}"
        );
        assert!(
            !said.contains("Os {") && !said.contains("kind:"),
            "{kilobytes} kB: {said}"
        );
    }
    assert!(ended_early > 1, "{ended_early}");
}

#[test]
fn a_full_disk_under_an_index_is_said_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let lines: String = (0..40)
        .map(|seed| format!("{{\"text\":\"{}\"}}\n", words(seed, 300)))
        .collect();
    fs::write(folder.path().join("in.jsonl"), lines).unwrap();
    let mut failed = 0;
    for kilobytes in [4, 12, 20, 32, 48] {
        let disk = folder.path().join("disk");
        fs::create_dir_all(&disk).unwrap();
        if !mounted(&["-t", "tmpfs", "-o", &format!("size={kilobytes}k"), "tmpfs"], &disk) {
            eprintln!("NOT TESTED: a small file system cannot be mounted by this user");
            return;
        }
        let ended = run(
            crawler(["dedup", "in.jsonl", "-q", "--output", "out", "--index", "disk/index"]).current_dir(folder.path()),
        );
        assert!(Command::new("umount").arg(&disk).status().unwrap().success());
        if ended.code == Some(0) {
            continue;
        }
        failed += 1;
        let said = ended.with_code(1).stderr;
        assert!(
            !said.contains("Os {") && !said.contains("panicked"),
            "{kilobytes} kB: {said}"
        );
        assert!(
            said.contains("crawler: ") && said.contains("space"),
            "{kilobytes} kB: {said}"
        );
    }
    assert!(failed > 1, "{failed}");
}

#[cfg(unix)]
#[test]
fn a_limit_on_the_address_space_is_obeyed_or_said_in_words() {
    let site = site();
    let crawl = Crawl::of(site.url("/"));
    for kilobytes in [150_000, 250_000, 500_000] {
        let ended = run(&mut limited(&format!("ulimit -v {kilobytes}"), &crawl.command(&["-q"]))).with_code(1);
        let said = ended.stderr.trim_end();
        assert_eq!(said.lines().count(), 1, "{kilobytes} kB: {said}");
        assert!(
            said.contains("the limit on the address space is") && said.contains("ulimit -v"),
            "{kilobytes} kB: {said}"
        );
    }
    // A crawl reserves less than this, although its allocator would reserve more without a limit.
    run(&mut limited("ulimit -v 2000000", &crawl.command(&["-q"]))).succeeded();
    for command in [["report"], ["export"], ["verify"]] {
        let mut command = crawler(command);
        command.arg("--data").arg(crawl.data());
        run(&mut limited("ulimit -v 600000", &command)).succeeded();
        let said = run(&mut limited("ulimit -v 250000", &command)).with_code(1).stderr;
        assert!(said.contains("the limit on the address space is"), "{said}");
    }
}
