//! Folders to which nothing can be written are read from a copy.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Mount, finished, mounted};
use crate::support::crawl::Crawl;
use crate::support::process::{crawler, run};
use crate::support::site::Site;

/// The reading commands on the folder `data`, each with its exit code.
fn readings(site: &Site) -> Vec<(Vec<String>, i32)> {
    let page = site.url("/1");
    let commands: [(&[&str], i32); 8] = [
        (&["report"], 0),
        (&["report", "--format", "json"], 0),
        (&["explain", &page], 0),
        (&["check", "text.txt"], 12),
        (&["tune", "--sample", "10"], 0),
        (&["rules"], 0),
        (&["export"], 0),
        (&["verify"], 0),
    ];
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    commands.map(|(words, code)| (owned(words), code)).into()
}

/// What each reading command says on `data`.
fn read_all(crawl: &Crawl, site: &Site) -> Vec<String> {
    let read = |(words, code): (Vec<String>, i32)| {
        let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        (crawl.read(&words[0], &arguments), code)
    };
    let ended = readings(site).into_iter().map(read);
    ended.map(|(ended, code)| ended.with_code(code).stdout).collect()
}

/// Asserts that the reading commands answer as in `before`, from a copy that they remove, and that they change nothing in `data`.
fn assert_reads_a_copy(crawl: &Crawl, site: &Site, before: &[String]) {
    let temporary = tempfile::tempdir().unwrap();
    let state = fs::read(crawl.data().join("state/db")).unwrap();
    for ((words, code), before) in readings(site).into_iter().zip(before) {
        let mut command = crawler(&words);
        command
            .args(["--data", "data"])
            .current_dir(crawl.path(""))
            .env("TMPDIR", temporary.path());
        let ended = run(&mut command).with_code(code);
        assert_eq!(&ended.stdout, before, "{words:?}");
        ended.complains_of(&["data cannot be written to", "reads a copy of its state"]);
        assert_eq!(
            fs::read_dir(temporary.path()).unwrap().count(),
            0,
            "{words:?} left its copy"
        );
    }
    assert!(
        fs::read(crawl.data().join("state/db")).unwrap() == state,
        "the state has changed"
    );
}

fn set_modes(mode: &str, folder: &Path) {
    let status = Command::new("chmod").args(["-R", mode]).arg(folder).status();
    assert!(status.unwrap().success());
}

#[test]
fn a_read_only_folder_is_read_from_a_copy_and_a_crawl_there_is_refused() {
    let (site, crawl) = finished();
    let data = crawl.data();
    fs::write(crawl.path("text.txt"), "three words only").unwrap();
    let before = read_all(&crawl, &site);
    let place = data.to_str().unwrap().to_owned();
    let bound = mounted(&["--bind", &place], &data).then(|| Mount(&data));
    // Whoever may not mount is not root, and then modes hold.
    match &bound {
        Some(_) => assert!(mounted(&["-o", "remount,bind,ro"], &data)),
        None => set_modes("a-w", &data),
    }
    assert!(
        fs::write(data.join("probe"), "").is_err(),
        "this test needs a folder that it cannot write to"
    );
    let refused = crawl.end(&["-q"]);
    assert_reads_a_copy(&crawl, &site, &before);
    drop(bound);
    set_modes("u+w", &data);
    let said = refused.with_code(1).stderr;
    assert!(said.trim_end().lines().count() == 1 && said.contains("data"), "{said}");
    assert!(said.contains("choose another data folder"), "{said}");
}

#[test]
fn a_folder_on_a_full_disk_is_read_from_a_copy() {
    let (site, crawl) = finished();
    let data = crawl.data();
    fs::write(crawl.path("text.txt"), "three words only").unwrap();
    let before = read_all(&crawl, &site);
    let kept = crawl.path("kept");
    fs::rename(&data, &kept).unwrap();
    fs::create_dir(&data).unwrap();
    if !mounted(&["-t", "tmpfs", "-o", "size=64m", "tmpfs"], &data) {
        // The other reason for a copy holds for every user.
        fs::remove_dir(&data).unwrap();
        fs::rename(&kept, &data).unwrap();
        set_modes("a-w", &data);
        assert_reads_a_copy(&crawl, &site, &before);
        set_modes("u+w", &data);
        return;
    }
    let _mount = Mount(&data);
    let copied = Command::new("cp").arg("-a").arg(kept.join(".")).arg(&data).status();
    assert!(copied.unwrap().success());
    let mut filler = fs::File::create(data.join("filler")).unwrap();
    while std::io::Write::write_all(&mut filler, &[1; 4096]).is_ok() {}
    assert_reads_a_copy(&crawl, &site, &before);
}
