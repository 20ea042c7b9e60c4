//! A fault in the configuration or the seeds ends the command before any request, with exit code 2 and a message that names the
//! place.

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
fn an_unknown_key_is_named_with_file_line_and_the_known_keys() {
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
fn config_toml_in_the_current_folder_is_read_by_default() {
    let config = ("config.toml", "surprise = true\n");
    let ended = run_with(&[SEEDS, config], &["--seeds", "seeds.txt"]);
    ended.with_code(2).complains_of(&["config.toml, line 1", "surprise"]);
}

#[test]
fn an_invalid_value_is_named_with_its_key() {
    for (config, parts) in [
        (
            "[dedup]\ncandidates = \"bands\"\nconfirm = \"distance\"",
            ["dedup.candidates = \"bands\"", "at least 0.75"],
        ),
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
        (
            "[scope]\nmode = \"web\"",
            ["line 2", "must be \"host\" or \"subdomains\"; it is the text \"web\""],
        ),
        (
            "[scope]\nmax_depth = \"deep\"",
            [
                "line 2",
                "must be a whole number from 0 to 65535; it is the text \"deep\"",
            ],
        ),
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
fn a_rule_of_extract_that_cannot_work_is_named_with_file_line_and_key() {
    let right = "[[extract]]\nhost = \"a.example\"\ncontent = [\"main\"]\n\n[[extract]]\n";
    for (keys, line, part) in [
        (
            "host = \"a.example\"",
            5,
            "extract[2] = { host = \"a.example\" }: must have content or drop",
        ),
        (
            "drop = [\"p\"]",
            5,
            "extract[2] = { drop = [\"p\"] }: must have host or match",
        ),
        (
            "host = \"a\"\ndrop = [\"p:has(a)\"]",
            7,
            "extract[2].drop = \"p:has(a)\": :has() is not accepted",
        ),
        (
            "match = '['\ndrop = [\"p\"]",
            6,
            "extract[2].match = \"[\": regex parse error",
        ),
        (
            "host = \"a\"\nselect = [\"p\"]",
            7,
            "unknown key `extract.select`; [[extract]] has host, match, content, drop",
        ),
        (
            "host = \"a\"\ncontent = \"p\"",
            7,
            "`extract.content` must be a list in square brackets; it is the text \"p\"",
        ),
    ] {
        let text = format!("{right}{keys}\n");
        let files = [SEEDS, ("my.toml", &text)];
        let ended = run_with(&files, &["--seeds", "seeds.txt", "--config", "my.toml"]);
        ended
            .with_code(2)
            .complains_of(&[&format!("my.toml, line {line}"), part]);
    }
}

#[test]
fn the_rules_of_extract_are_shown_and_can_be_set_by_a_variable() {
    let text = "[scope]\nmax_depth = 3\n[[extract]]\nhost = \"a.example\"\ncontent = [\"main\", \"#c\"]\n";
    let shown = config(&[("config.toml", text)], &[], &["show"]).succeeded().stdout;
    let line = shown.lines().next().unwrap();
    assert!(
        line.starts_with("extract = [{ ") && line.ends_with("# config.toml, line 3"),
        "{shown}"
    );
    let again = config(&[("config.toml", &shown)], &[], &["show"]).succeeded().stdout;
    let values = |text: &str| text.parse::<toml::Table>().unwrap();
    assert_eq!(values(&shown), values(&again));
    let rules = "[{ match = '^http', drop = ['aside'] }]";
    let set = [("CRAWLER_EXTRACT", rules)];
    let shown = config(&[], &set, &["show", "--format", "json"]).succeeded().stdout;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let expected = serde_json::json!({
        "value": [{ "match": "^http", "drop": ["aside"] }],
        "origin": { "kind": "environment", "variable": "CRAWLER_EXTRACT" },
    });
    assert_eq!(shown["extract"], expected);
    let wrong = [("CRAWLER_EXTRACT", "[{ match = '^http', drop = ['p >'] }]")];
    let ended = config(&[], &wrong, &["show"]).with_code(2);
    ended.complains_of(&["environment variable CRAWLER_EXTRACT", "extract[1].drop"]);
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
    let seeds = ("seeds.txt", "# my seeds\n\nlocalhost\nftp://example.org/\n");
    let ended = run_with(&[seeds], &["--seeds", "seeds.txt"]);
    ended
        .with_code(2)
        .complains_of(&["seeds.txt holds no valid seed", "line 3", "https://localhost"]);
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
        crawl.run_without_page();
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
    crawl.run_without_page();
    let report = crawl.report();
    let failure = &report["failures"][0];
    assert_eq!(failure["kind"], "forbidden_address", "{report:#}");
    assert!(
        failure["detail"].as_str().unwrap().contains("no setting permits"),
        "{failure}"
    );
}

/// `crawler config` in a folder of its own with these files and variables.
fn config(files: &[(&str, &str)], variables: &[(&str, &str)], arguments: &[&str]) -> Ended {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut command = crawler(["config"]);
    command
        .args(arguments)
        .envs(variables.iter().copied())
        .current_dir(folder.path());
    run(&mut command)
}

#[test]
fn run_says_of_a_fault_what_config_check_says() {
    for (text, said) in [
        (
            "[scope]\nmax_depht = 3\n",
            "line 2: unknown key `scope.max_depht`; did you mean `max_depth`?",
        ),
        (
            "[scope]\n\nmax_pages = 3.5\nmode = 3\n",
            "line 3: `scope.max_pages` must be a whole number, 0 or more; it is the number 3.5 (and 1 more; `crawler config check \
             my.toml` lists them all)",
        ),
        (
            "[[fetch.credentials]]\nhost = \"a.example\"\npasword = \"secret\"\n",
            "line 1: an entry of [[fetch.credentials]] must have user (and 1 more",
        ),
    ] {
        let file = ("my.toml", text);
        let ended = run_with(&[SEEDS, file], &["--seeds", "seeds.txt", "--config", "my.toml"]);
        ended.with_code(2).complains_of(&[said]);
        let (_, words) = said.split_once(": ").unwrap();
        let words = words.split(" (").next().unwrap();
        config(&[file], &[], &["check", "my.toml"]).with_code(2).says(&[words]);
    }
}

#[test]
fn config_check_lists_every_fault_with_its_place() {
    let file = (
        "my.toml",
        "[scope]\nmax_depht = 3\nmode = \"web\"\n\n[fetch]\nparallel = 0\n",
    );
    let ended = config(&[file], &[], &["check", "my.toml"]).with_code(2);
    ended.complains_of(&["3 lines are invalid"]).says(&[
        "my.toml:2: unknown key `scope.max_depht`; did you mean `max_depth`?",
        "my.toml:3: `scope.mode` must be \"host\" or \"subdomains\"; it is the text \"web\"",
        "my.toml:6: fetch.parallel = 0: must be at least 1",
    ]);
    let right = ("config.toml", "[scope]\nmax_depth = 3\n");
    config(&[right], &[], &["check"])
        .succeeded()
        .says(&["config.toml is valid."]);
    config(&[("my.toml", right.1)], &[], &["check", "--config", "my.toml"])
        .succeeded()
        .says(&["my.toml is valid."]);
    for (value, part) in [
        ("many", "an integer"),
        ("40", "64 bits"),
        ("-1", "a whole number from 0"),
    ] {
        let set = [("CRAWLER_DEDUP_MAX_DISTANCE", value)];
        let ended = config(&[right], &set, &["check"]).with_code(2);
        ended.complains_of(&["environment variable CRAWLER_DEDUP_MAX_DISTANCE", part]);
        let ended = config(&[file], &set, &["check", "my.toml"]).with_code(2);
        ended.says(&["my.toml:2: ", "environment variable CRAWLER_DEDUP_MAX_DISTANCE", part]);
    }
    config(&[], &[], &["check"]).with_code(2).complains_of(&[
        "config.toml",
        "No such file",
        "--config",
        "crawler init URL",
    ]);
}

#[test]
fn each_value_is_shown_with_its_origin_and_without_secrets() {
    let file = (
        "config.toml",
        "[dedup]\nmax_distance = 3\nmin_similarity = 0.5\n[fetch]\nproxy = \"http://me:s3cret@proxy.example:1\"\n\
         headers = { X-Key = \"s3cret\" }\n[[fetch.credentials]]\nhost = \"a.example\"\nuser = \"u\"\npassword = \"s3cret\"\n",
    );
    let variables = [
        ("CRAWLER_DEDUP_MAX_DISTANCE", "5"),
        ("CRAWLER_IDENTITY_CONTACT_URL", "https://example.org/bot"),
        ("CRAWLER_SCOPE_MAX_DEPHT", "1"),
    ];
    let arguments = ["show", "--format", "json", "--max-pages", "9"];
    let ended = config(&[file], &variables, &arguments)
        .succeeded()
        .complains_of(&["CRAWLER_SCOPE_MAX_DEPHT", "did you mean CRAWLER_SCOPE_MAX_DEPTH?"]);
    assert!(!ended.stdout.contains("s3cret"), "{}", ended.stdout);
    let shown: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let is = |key: &str, value: serde_json::Value, origin: serde_json::Value| {
        assert_eq!(
            shown[key],
            serde_json::json!({ "value": value, "origin": origin }),
            "{key}"
        );
    };
    let variable = |name: &str| serde_json::json!({ "kind": "environment", "variable": name });
    is("dedup.max_distance", 5.into(), variable("CRAWLER_DEDUP_MAX_DISTANCE"));
    is(
        "identity.contact_url",
        "https://example.org/bot".into(),
        variable("CRAWLER_IDENTITY_CONTACT_URL"),
    );
    is(
        "dedup.min_similarity",
        0.5.into(),
        serde_json::json!({ "kind": "file", "path": "config.toml", "line": 3 }),
    );
    is(
        "scope.max_pages",
        9.into(),
        serde_json::json!({ "kind": "flag", "flag": "--max-pages" }),
    );
    is("scope.max_depth", 20.into(), serde_json::json!({ "kind": "default" }));
}

#[test]
fn the_output_of_config_show_is_an_equivalent_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let shown = config(&[], &[("CRAWLER_DEDUP_MAX_DISTANCE", "5")], &["show"])
        .succeeded()
        .stdout;
    assert!(
        shown.contains("# environment variable CRAWLER_DEDUP_MAX_DISTANCE"),
        "{shown}"
    );
    fs::write(folder.path().join("config.toml"), &shown).unwrap();
    let again = run(crawler(["config", "show"]).current_dir(folder.path()))
        .succeeded()
        .stdout;
    let values = |text: &str| text.parse::<toml::Table>().unwrap();
    assert_eq!(values(&shown), values(&again));
}

#[test]
fn every_command_reads_the_environment_and_names_the_variable_of_an_invalid_value() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("config.toml"), "[dedup]\nmax_distance = 3\n").unwrap();
    for arguments in [
        &["fingerprint", "config.toml"][..],
        &["run", "--refresh"],
        &["inspect", "url", "http://a.example/"],
    ] {
        for (value, part) in [("many", "an integer"), ("40", "64 bits")] {
            let mut command = crawler(arguments);
            command
                .env("CRAWLER_DEDUP_MAX_DISTANCE", value)
                .current_dir(folder.path());
            let ended = run(&mut command).with_code(2);
            ended.complains_of(&["environment variable CRAWLER_DEDUP_MAX_DISTANCE", part]);
        }
    }
}

#[test]
fn the_error_for_an_invalid_flag_does_not_name_the_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("config.toml"), "[dedup]\nmax_distance = 3\n").unwrap();
    let mut command = crawler(["dedup", "--max-distance", "40", "config.toml"]);
    let ended = run(command.current_dir(folder.path())).with_code(2);
    ended.complains_of(&["the command line: dedup.max_distance = 40"]);
}

#[test]
fn each_key_is_explained_with_its_value_and_origin() {
    let file = ("config.toml", "[politeness]\nlatency_factor = 3.0\n");
    config(&[file], &[], &["explain", "latency_factor"]).succeeded().says(&[
        "politeness.latency_factor = 3.0 (config.toml, line 2)",
        "times the latency of the server",
        "Default: 2.0. Environment: CRAWLER_POLITENESS_LATENCY_FACTOR",
    ]);
    let section = config(&[file], &[], &["explain", "politeness", "extract"]).succeeded();
    section.says(&[
        "politeness.max_crawl_delay_ms = 60000 (default)",
        "extract = []",
        "CSS selectors",
    ]);
    config(&[file], &[], &["explain", "latency_facto"])
        .with_code(2)
        .complains_of(&["did you mean latency_factor?"]);
    let shown = config(&[file], &[], &["show", "--comments"]).succeeded().stdout;
    assert!(
        shown.contains("# The delay is at least this factor times the latency"),
        "{shown}"
    );
    let again = config(&[("config.toml", &shown)], &[], &["show"]).succeeded();
    again.says(&["latency_factor = 3.0"]);
}
