//! Pages behind a log-in, and secrets that stay where they belong.

mod secrets;
mod site;

use std::fs;
use std::time::Duration;

use crate::status::Watched;
use crate::support::archive::archived;
use crate::support::crawl::Crawl;
use crate::support::outcomes::Outcomes;
use crate::support::page::{NO_LINKS, article};
use crate::support::process::{Ended, Running, crawler, run};
use crate::support::redis::Redis;
use crate::support::site::{Answer, Site};
use secrets::assert_nowhere;
use site::{Club, PASSWORD, PASSWORD_VARIABLE, USER};

/// A crawl of the club with the log-in of a member.
fn crawl(club: &Club) -> Crawl {
    with_login(Crawl::of(club.site.url("/")), club, "")
}

/// The crawl with a log-in, and further keys of its section.
fn with_login(crawl: Crawl, club: &Club, more: &str) -> Crawl {
    let form = club.site.url("/login");
    crawl.set(
        "fetch.login",
        format!(
            "[{{ url = \"{form}\", fields = {{ user = \"{USER}\", password = \"env:{PASSWORD_VARIABLE}\" }}, \
             success = \"text:Sign out\"{more} }}]"
        ),
    )
}

/// Runs the crawl with this password, and everything in the log.
fn run_with(crawl: &Crawl, password: &str) -> Ended {
    let mut command = crawl.command(&["--log-file", "trace.log"]);
    run(command.env(PASSWORD_VARIABLE, password).env("RUST_LOG", "trace"))
}

/// A command that reads the data folder.
fn read(crawl: &Crawl, arguments: &[&str]) -> Ended {
    let mut command = crawler(arguments);
    command.args(["--data", "data", "--config", "test.toml"]);
    command.env(PASSWORD_VARIABLE, PASSWORD);
    run(command.current_dir(crawl.path("")))
}

fn outcomes(crawl: &Crawl, site: &Site) -> Outcomes {
    crate::support::outcomes::outcomes(&crawl.report(), site)
}

fn expected(rows: &[(&str, &str)]) -> Outcomes {
    let rows = rows.iter();
    rows.map(|(path, outcome)| ((*path).to_owned(), (*outcome).to_owned()))
        .collect()
}

/// Nothing that the crawl wrote or says holds a secret.
#[track_caller]
fn assert_secret(crawl: &Crawl, club: &Club, ended: &Ended) {
    let mut said = vec![format!("{ended:?}")];
    for arguments in [
        &["report", "--format", "json"][..],
        &["report"],
        &["report", "--format", "html"],
        &["export"],
        &["verify"],
        &["rules"],
    ] {
        said.push(format!("{:?}", crawl.read(arguments[0], &arguments[1..])));
    }
    said.push(format!(
        "{:?}",
        read(crawl, &["explain", &club.site.url("/1"), "--format", "json"])
    ));
    assert_nowhere(&crawl.path(""), &said, &club.secrets());
}

#[test]
fn pages_behind_a_form_are_fetched_through_lapses_and_no_secret_is_written() {
    let club = Club::new().lapsing_after(7);
    let crawl = crawl(&club);
    let ended = run_with(&crawl, PASSWORD).succeeded();
    assert_eq!(outcomes(&crawl, &club.site), expected(&club.kept()));
    assert_eq!(club.refusals(), 0, "the token of the form came with it");
    assert!(club.logins() >= 2, "{}", club.logins());
    let wall = club
        .site
        .times_asked()
        .into_iter()
        .filter(|(path, _)| path.starts_with("/login"));
    let wall: usize = wall.map(|(_, times)| times).sum();
    assert_eq!(
        wall,
        3 * club.logins(),
        "the form, what it was sent to, and the page after it"
    );
    for (url, page) in archived(&crawl.data()) {
        let responses = page.responses.iter().chain(&page.revisits);
        assert!(responses.clone().count() == 1, "{url}");
        assert!(
            responses
                .clone()
                .all(|record| !String::from_utf8_lossy(&record.block).contains("Only for members")),
            "{url}"
        );
    }
    let explained = read(&crawl, &["explain", &club.site.url("/1"), "--format", "json"]).succeeded();
    explained.says(&["\"logged_in\":true"]);
    assert_secret(&crawl, &club, &ended);
}

#[test]
fn the_status_of_a_running_crawl_and_what_others_read_of_it_hold_no_secret() {
    let club = Club::new().lapsing_after(7);
    // On a busy machine, the commands of the first round take seconds.
    let crawl = crawl(&club).set("politeness.delay_ms", 400).one_at_a_time();
    let mut command = crawl.command(&["--status", "127.0.0.1:0"]);
    let watched = Watched::of(command.env(PASSWORD_VARIABLE, PASSWORD));
    let mut said = Vec::new();
    for requests in [8, 16] {
        club.site.wait_for_requests(requests);
        for path in ["/", "/status.json", "/metrics"] {
            let (head, body) = watched.get(path);
            assert!(head.contains("200 OK"), "{path}: {head}");
            said.push(format!("{head}{body}"));
        }
        for command in ["report", "export", "rules", "check"] {
            let url = club.site.url("/1");
            let arguments: &[&str] = if command == "check" {
                &[command, &url]
            } else {
                &[command]
            };
            said.push(format!("{:?}", read(&crawl, arguments)));
        }
    }
    let ended = watched.process.wait().succeeded();
    assert_nowhere(&crawl.path(""), &said, &club.secrets());
    assert_secret(&crawl, &club, &ended);
}

#[test]
fn pages_behind_a_form_that_scripts_draw_are_rendered_with_the_session() {
    let club = Club::new().drawn_by_scripts();
    let crawl = crawl(&club).set("render.mode", "\"auto\"");
    let ended = run_with(&crawl, PASSWORD).succeeded();
    assert_eq!(outcomes(&crawl, &club.site), expected(&club.kept()));
    for page in crawl.export() {
        let text = page["text"].as_str().unwrap();
        assert!(text.split_whitespace().count() > 100, "{page}");
        assert_eq!(
            page["rendered"],
            !page["url"].as_str().unwrap().ends_with('/'),
            "{page}"
        );
    }
    assert_secret(&crawl, &club, &ended);
}

#[test]
fn a_wrong_password_is_sent_once_and_the_error_tells_what_the_site_answered() {
    let club = Club::new();
    let crawl = crawl(&club);
    let ended = run_with(&crawl, "Wr0ng-Pässword").with_code(5);
    let ended = ended.complains_of(&[
        "the log-in fetch.login[1]",
        "does not show the sign of success",
        "HTTP status 200 for /login",
        "Wrong name or password",
    ]);
    assert_eq!((club.posts(), club.refusals()), (1, 1));
    assert!(
        club.site
            .paths()
            .iter()
            .all(|path| path.starts_with("/login") || path == "/robots.txt")
    );
    assert_secret(&crawl, &club, &ended);
    assert_nowhere(&crawl.path(""), &[format!("{ended:?}")], &["Wr0ng-Pässword".to_owned()]);
    // The pages wait for a run with the right password.
    run_with(&crawl, PASSWORD).succeeded();
    assert_eq!(outcomes(&crawl, &club.site), expected(&club.kept()));
}

#[test]
fn a_redirect_of_the_form_to_another_origin_is_not_followed() {
    for status in [302, 303, 307, 308] {
        let other = Site::scripted(|_| article(1, NO_LINKS));
        let to = other.localhost_url("/collect");
        let club = Club::new().sending_on(status, &to);
        let crawl = crawl(&club);
        let ended = run_with(&crawl, PASSWORD).with_code(5);
        ended.complains_of(&["redirects the log-in to another origin, http://localhost:", "`origins`"]);
        assert_eq!((club.posts(), other.requests().len()), (1, 0), "{status}");
    }
}

#[test]
fn a_form_that_leads_to_another_origin_is_sent_only_if_the_configuration_names_it() {
    let other = Club::new();
    let action = other.site.localhost_url("/login");
    let club = Club::new().with_action(&action);
    let crawl = crawl(&club);
    let ended = run_with(&crawl, PASSWORD).with_code(5);
    ended.complains_of(&["the form leads to another origin, http://localhost:", "`origins`"]);
    assert_eq!((club.posts(), other.site.requests().len()), (0, 0));

    let origin = action.strip_suffix("/login").unwrap();
    let crawl = with_login(
        Crawl::of(club.site.url("/")),
        &club,
        &format!(", origins = [\"{origin}\"]"),
    );
    run_with(&crawl, PASSWORD);
    assert_eq!((club.posts(), other.posts()), (0, 1));
}

#[test]
fn a_form_that_would_put_the_password_into_a_url_is_not_sent() {
    let club = Club::new().with_method("get");
    let crawl = crawl(&club);
    run_with(&crawl, PASSWORD)
        .with_code(5)
        .complains_of(&["its method is not POST"]);
    assert_eq!(club.posts(), 0);
    assert!(club.site.paths().iter().all(|path| !path.contains('?')));
}

#[test]
fn a_password_in_the_configuration_is_not_sent() {
    let club = Club::new();
    let form = club.site.url("/login");
    let crawl = Crawl::of(club.site.url("/")).set(
        "fetch.login",
        format!("[{{ url = \"{form}\", fields = {{ user = \"{USER}\", password = \"plain-s3cret\" }}, success = \"text:Sign out\" }}]"),
    );
    let ended = crawl
        .end(&[])
        .with_code(5)
        .complains_of(&["\"password\" is a password", "env:NAME"]);
    assert!(!format!("{ended:?}").contains("plain-s3cret"));
    assert_eq!(club.posts(), 0);
}

#[test]
fn the_session_goes_to_no_other_port_of_the_host() {
    let other = Site::scripted(|_| article(99, NO_LINKS));
    let club = Club::new();
    let mut crawl = crawl(&club).set("fetch.cookies", true);
    crawl.add_seed(&other.url("/"));
    run_with(&crawl, PASSWORD).succeeded();
    assert!(club.logins() == 1 && !other.requests().is_empty());
    assert!(
        other
            .requests()
            .iter()
            .all(|request| !request.headers.contains_key("cookie"))
    );
}

#[test]
fn the_requests_of_a_log_in_keep_the_delay_of_the_host() {
    let club = Club::new();
    let crawl = crawl(&club).set("politeness.delay_ms", 60).one_at_a_time();
    run_with(&crawl, PASSWORD).succeeded();
    let requests = club.site.requests();
    assert!(requests.iter().any(|request| request.method == "POST"));
    for pair in requests.windows(2) {
        let rest = pair[1].received - pair[0].answered.unwrap();
        assert!(rest >= Duration::from_millis(60), "{} after {rest:?}", pair[1].path);
    }
}

#[test]
fn kept_cookies_save_the_next_log_in_and_nobody_else_can_read_them() {
    let club = Club::new();
    let mut crawl = crawl(&club)
        .set("fetch.keep_cookies", true)
        .set("refresh.min_interval", "\"0s\"")
        .set("refresh.first_interval", "\"0s\"")
        .set("refresh.max_interval", "\"0s\"");
    run_with(&crawl, PASSWORD).succeeded();
    let file = crawl.data().join("cookies.txt");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert!(!crawl.data().join("cookies.txt.new").exists());
    let mut command = crawl.command(&["--refresh"]);
    run(command.env(PASSWORD_VARIABLE, PASSWORD)).succeeded();
    assert_eq!(club.logins(), 1, "the page of the form showed the user");
    let asked = club.site.times_asked();
    assert_eq!(asked["/1"], 2, "{asked:?}");
    let kept = fs::read_to_string(&file).unwrap();
    fs::remove_file(&file).unwrap();
    assert!(club.secrets().iter().any(|secret| kept.contains(secret)));
    // The file was the only place.
    assert_nowhere(&crawl.path(""), &[], &club.secrets());
    fs::write(&file, "no cookies\n").unwrap();
    crawl.add_seed(&club.site.url("/new"));
    run_with(&crawl, PASSWORD)
        .succeeded()
        .complains_of(&["cookies.txt", "without kept cookies"]);
    assert_eq!(club.logins(), 2);
}

#[test]
fn a_killed_crawl_logs_in_again_and_finishes() {
    let club = Club::new().lapsing_after(9);
    let crawl = crawl(&club).set("politeness.delay_ms", 20).one_at_a_time();
    for requests in [4, 12, 20] {
        let mut command = crawl.command(&[]);
        command.env(PASSWORD_VARIABLE, PASSWORD);
        let mut running = Running::start(&mut command);
        club.site.wait_for_requests(requests);
        running.kill();
    }
    let ended = run_with(&crawl, PASSWORD).succeeded();
    assert_eq!(outcomes(&crawl, &club.site), expected(&club.kept()));
    assert_secret(&crawl, &club, &ended);
}

#[test]
fn a_page_that_logs_the_user_out_ends_as_failed_and_costs_no_other_page() {
    let club = Club::new().with_logout();
    let crawl = crawl(&club).one_at_a_time();
    run_with(&crawl, PASSWORD).succeeded();
    let mut outcomes_expected = club.kept();
    outcomes_expected.push(("/logout", "failed logged_out"));
    assert_eq!(outcomes(&crawl, &club.site), expected(&outcomes_expected));
    assert!(club.logins() <= 4, "{}", club.logins());
}

#[test]
fn the_cookies_of_a_file_go_where_the_file_says() {
    let site = Site::scripted(|asked| {
        let cookies = asked.headers.get("cookie").map_or("", |value| value.to_str().unwrap());
        match asked.path.as_str() {
            "/robots.txt" => Answer::status(404),
            "/" => {
                let seed = if asked.host.starts_with("127.") { 1 } else { 3 };
                article(seed, &["/app/a"]).with("set-cookie", "more=m0re-s3cret-value; Path=/")
            }
            "/app/a" if cookies.contains("member=s3cret-of-the-file") => article(2, NO_LINKS),
            _ => Answer::status(403),
        }
    });
    let mut crawl = Crawl::of(site.url("/")).set("fetch.cookies_file", "\"export.txt\"");
    crawl.add_seed(&site.localhost_url("/"));
    fs::write(
        crawl.path("export.txt"),
        "# Netscape HTTP Cookie File\n\
         #HttpOnly_127.0.0.1\tFALSE\t/app\tFALSE\t0\tmember\ts3cret-of-the-file\n\
         127.0.0.1\tFALSE\t/app\tFALSE\t1000000000\tmember\texpired-s3cret\n\
         127.0.0.1 FALSE / FALSE 0 broken s3cret-of-line-four\n",
    )
    .unwrap();
    let mut command = crawl.command(&["--log-file", "trace.log"]);
    let ended = run(command.env("RUST_LOG", "trace")).succeeded();
    let ended = ended.complains_of(&["fetch.cookies_file, line 4"]);
    assert_eq!(
        outcomes(&crawl, &site),
        expected(&[
            ("/", "kept"),
            ("/app/a", "kept"),
            (&site.localhost_url("/"), "kept"),
            (&site.localhost_url("/app/a"), "failed http_403"),
        ])
    );
    for request in site.requests() {
        let cookies = request
            .headers
            .get("cookie")
            .map_or("", |value| value.to_str().unwrap());
        let is_member = request.host.starts_with("127.") && request.path.starts_with("/app");
        assert_eq!(
            cookies.contains("member="),
            is_member,
            "{} {}",
            request.host,
            request.path
        );
        assert!(!request.host.starts_with("localhost") || cookies.is_empty());
    }
    fs::remove_file(crawl.path("export.txt")).unwrap();
    let secrets = ["s3cret-of-the-file", "expired-s3cret", "s3cret-of-line-four"].map(str::to_owned);
    assert_nowhere(&crawl.path(""), &[format!("{ended:?}")], &secrets);
    let archive = archived(&crawl.data());
    let of_user = String::from_utf8_lossy(&archive[&site.url("/")].responses[0].block).into_owned();
    assert!(!of_user.contains("m0re-s3cret-value"), "{of_user}");
}

#[test]
fn a_file_of_another_format_ends_the_command_before_any_request() {
    let site = Site::scripted(|_| article(1, NO_LINKS));
    let crawl = Crawl::of(site.url("/")).set("fetch.cookies_file", "\"export.json\"");
    fs::write(crawl.path("export.json"), "[{\"name\": \"a\", \"value\": \"s3cret\"}]").unwrap();
    let ended = crawl.end(&[]).with_code(2);
    let ended = ended.complains_of(&["fetch.cookies_file = \"export.json\"", "Netscape format", "line 1"]);
    assert!(!format!("{ended:?}").contains("s3cret"));
    assert!(site.requests().is_empty());
}

#[test]
fn each_worker_of_a_fleet_logs_in_for_the_hosts_that_it_owns() {
    let redis = Redis::start(&["--appendonly", "yes", "--appendfsync", "always"]);
    let clubs = [Club::new(), Club::new()];
    let urls = [clubs[0].site.url(""), clubs[1].site.localhost_url("")];
    let section = |url: &String| {
        format!(
            "{{ url = \"{url}/login\", fields = {{ user = \"{USER}\", password = \"env:{PASSWORD_VARIABLE}\" }}, \
             success = \"text:Sign out\" }}"
        )
    };
    let sections: Vec<String> = urls.iter().map(section).collect();
    let worker = || {
        Crawl::of(format!("{}/\n{}/", urls[0], urls[1]))
            .set("fetch.login", format!("[{}]", sections.join(", ")))
            .set("fleet.address", format!("\"redis://{}\"", redis.host()))
            .set("fleet.lease_seconds", 1)
            .set("politeness.delay_ms", 20)
            .one_at_a_time()
    };
    let workers = [worker(), worker()];
    let running = workers.each_ref().map(|worker| {
        let mut command = worker.command(&["--log-file", "trace.log"]);
        Running::start(command.env(PASSWORD_VARIABLE, PASSWORD).env("RUST_LOG", "trace"))
    });
    let ended = running.map(|worker| worker.wait().succeeded());
    for club in &clubs {
        let times = club.site.times_asked();
        let once = club.kept().iter().all(|(path, _)| times[*path] == 1);
        assert!(
            once && club.refusals() == 0 && (1..=2).contains(&club.logins()),
            "{times:?}"
        );
    }
    for (worker, ended) in workers.iter().zip(&ended) {
        clubs.iter().for_each(|club| assert_secret(worker, club, ended));
    }
}
