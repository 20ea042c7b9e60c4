//! What is wrong with the configuration or the seeds ends the command before any request, with exit code 2 and a message
//! that says where.

use std::fs;

use crate::support::crawl::Crawl;
use crate::support::outcomes::{expected, list};
use crate::support::page::{NO_LINKS, article, home};
use crate::support::process::{Ended, crawler, run};
use crate::support::site::Site;

/// `crawler run` in a folder of its own with these files.
fn run_with(files: &[(&str, &str)], arguments: &[&str]) -> Ended {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let ended = run(crawler(["run"]).args(arguments).current_dir(folder.path()));
    assert!(
        !folder.path().join("data").exists(),
        "a data folder was made: {ended:?}"
    );
    ended
}

const SEEDS: (&str, &str) = ("seeds.txt", "http://127.0.0.1:1/\n");

#[test]
fn an_unknown_key_is_named_with_file_and_line_and_the_keys_there_are() {
    let config = ("my.toml", "[politeness]\n# slower\ndelay_msec = 5\n");
    let ended = run_with(&[SEEDS, config], &["--seeds", "seeds.txt", "--config", "my.toml"]);
    ended
        .with_code(2)
        .complains_of(&["my.toml, line 3", "delay_msec", "delay_ms"]);
}

#[test]
fn an_unknown_section_is_named() {
    let config = ("my.toml", "[dedup]\nmax_distance = 3\n\n[polite]\ndelay_ms = 5\n");
    let ended = run_with(&[SEEDS, config], &["--seeds", "seeds.txt", "--config", "my.toml"]);
    ended.with_code(2).complains_of(&["my.toml, line 4", "polite"]);
}

#[test]
fn the_configuration_of_the_current_folder_is_read_unasked() {
    let config = ("config.toml", "surprise = true\n");
    let ended = run_with(&[SEEDS, config], &["--seeds", "seeds.txt"]);
    ended.with_code(2).complains_of(&["config.toml, line 1", "surprise"]);
}

#[test]
fn a_value_that_cannot_be_used_is_named_with_its_key() {
    for (config, parts) in [
        ("[dedup]\nbucket_skew = -1.0", ["dedup.bucket_skew = -1", "0 or more"]),
        ("[dedup]\nmax_distance = 40", ["dedup.max_distance = 40", "64 bits"]),
        (
            "[dedup]\nmin_similarity = 1.5",
            ["dedup.min_similarity = 1.5", "at most 1"],
        ),
        (
            "[dedup]\nmin_similarity_short = 0.0",
            ["dedup.min_similarity_short = 0", "above 0"],
        ),
        (
            "[dedup]\nmin_similarity = nan",
            ["dedup.min_similarity = NaN", "above 0"],
        ),
        (
            "[identity]\nproduct = \"my bot\"",
            ["identity.product = \"my bot\"", "letters"],
        ),
        (
            "[identity]\ncontact_url = \"me\"",
            ["identity.contact_url = \"me\"", "absolute"],
        ),
        ("[fetch]\nparallel = 0", ["fetch.parallel = 0", "at least 1"]),
        ("[fetch]\ntimeout_ms = 0", ["fetch.timeout_ms = 0", "at least 1"]),
        (
            "[politeness]\nparallel_per_host = 0",
            ["politeness.parallel_per_host = 0", "at least 1"],
        ),
        ("[politeness]\ndelay_ms = -1", ["line 2", "delay_ms"]),
        (
            "[refresh]\nmin_interval = \"daily\"",
            ["refresh.min_interval = \"daily\"", "such as 12h"],
        ),
        (
            "[refresh]\nmax_interval = \"2d\"",
            ["refresh.first_interval = \"7d\"", "at most refresh.max_interval (2d)"],
        ),
        ("[scope]\nmode = \"web\"", ["line 2", "subdomains"]),
        ("[scope]\nmax_depth = \"deep\"", ["line 2", "string"]),
        ("[scope\n", ["line 1", "my.toml"]),
    ] {
        let ended = run_with(
            &[SEEDS, ("my.toml", config)],
            &["--seeds", "seeds.txt", "--config", "my.toml"],
        );
        ended.with_code(2).complains_of(&["my.toml"]).complains_of(&parts);
    }
}

#[test]
fn a_missing_configuration_is_named() {
    let ended = run_with(&[SEEDS], &["--seeds", "seeds.txt", "--config", "none.toml"]);
    ended.with_code(2).complains_of(&["none.toml", "No such file"]);
}

#[test]
fn a_missing_seeds_file_is_named() {
    let ended = run_with(&[], &["--seeds", "none.txt"]);
    ended.with_code(2).complains_of(&["none.txt", "one URL a line"]);
}

#[test]
fn a_seeds_file_without_a_valid_line_says_which_line_failed() {
    let seeds = ("seeds.txt", "# my seeds\n\nexample.org\nftp://example.org/\n");
    let ended = run_with(&[seeds], &["--seeds", "seeds.txt"]);
    ended
        .with_code(2)
        .complains_of(&["seeds.txt holds no valid seed", "line 3", "https://example.org"]);
    run_with(&[("seeds.txt", "")], &["--seeds", "seeds.txt"]).with_code(2);
    run_with(&[("seeds.txt", "# nothing\n\n")], &["--seeds", "seeds.txt"]).with_code(2);
}

#[test]
fn a_bad_line_is_reported_with_its_number_and_skipped() {
    let site = Site::of([("/", home(NO_LINKS)), ("/a", article(1, NO_LINKS))]);
    let mut crawl = Crawl::of("# where to begin");
    for line in [
        &site.url("/"),
        "",
        "not a url",
        "javascript:alert(1)",
        &format!("  {}  # too", site.url("/a")),
    ] {
        crawl.add_seed(line);
    }
    crawl.run().complains_of(&[
        "seeds.txt, line 4: skipped: not a url",
        "seeds.txt, line 5: skipped: javascript",
    ]);
    assert_eq!(crawl.outcomes(&site), expected([("/", "kept"), ("/a", "kept")]));
}

#[test]
fn a_private_address_is_refused_unless_it_is_allowed() {
    let site = Site::of([("/", home(NO_LINKS))]);
    for seed in [site.url("/"), site.localhost_url("/")] {
        let crawl = Crawl::of(&seed).set("fetch.allow_private_addresses", false);
        crawl.run();
        let report = crawl.report();
        let [failure] = list(&report, "failures") else {
            panic!("{report:#}")
        };
        assert_eq!(
            (&failure["kind"], &failure["url"]),
            (&"forbidden_address".into(), &seed.as_str().into())
        );
        let detail = failure["detail"].as_str().unwrap();
        assert!(
            detail.contains("--allow-private") && detail.contains("fetch.allow_private_addresses"),
            "{detail}"
        );
        assert!(site.requests().is_empty(), "nothing was connected");
    }
    let allowed = Crawl::of(site.url("/")).set("fetch.allow_private_addresses", false);
    allowed.end(&["--allow-private"]).succeeded();
    assert_eq!(allowed.outcomes(&site), expected([("/", "kept")]));
}

#[test]
fn a_redirect_into_a_forbidden_network_is_not_followed() {
    let site = Site::of([(
        "/",
        crate::support::site::Answer::redirect("http://169.254.169.254/latest/meta-data/"),
    )]);
    let crawl = Crawl::of(site.url("/"));
    crawl.run();
    let report = crawl.report();
    let failure = &report["failures"][0];
    assert_eq!(failure["kind"], "forbidden_address", "{report:#}");
    assert!(
        failure["detail"].as_str().unwrap().contains("no setting permits"),
        "{failure}"
    );
}
