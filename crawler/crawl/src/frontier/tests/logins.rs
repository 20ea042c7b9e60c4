use super::*;
use crate::login::{LoginAnswer, LoginErrand, LoginStep};
use config::sections::LoginEntry;

/// A frontier without robots.txt, with a log-in at `a.example` that holds for `b.example` too.
fn with_login(change: impl FnOnce(&mut Config)) -> Frontier {
    let settings = settings(|config| {
        config.fetch.login.push(LoginEntry {
            url: "https://a.example/login".into(),
            fields: [("user".to_owned(), "me".to_owned())].into(),
            success: "text:out".into(),
            lapsed: None,
            origins: vec!["https://b.example".into()],
        });
        config.politeness.delay_ms = 0;
        change(config);
    });
    Frontier::new(&settings, WINDOW, 0)
}

fn pages(host: &str, from: u64, count: u64) -> Vec<QueuedUrl> {
    (from..from + count)
        .map(|n| queued(n, &format!("https://{host}/{n}")))
        .collect()
}

/// The request of a log-in that is made now.
fn login_of(step: Step) -> LoginErrand {
    match robots_of(step) {
        Errand::Login(errand) => *errand,
        other => panic!("no log-in but {other:?}"),
    }
}

/// Answers the request of a log-in.
fn answered(frontier: &mut Frontier, errand: LoginErrand, answer: LoginAnswer, now: Now) {
    frontier.on(ended(HostKey::from_url(&errand.url).unwrap().as_str()), now);
    let errand = Box::new(errand);
    frontier.on(Event::Login { errand, answer }, now);
}

fn log_in(frontier: &mut Frontier, now: Now) {
    let errand = login_of(frontier.next(now));
    assert_eq!(
        (errand.url.as_str(), &errand.step),
        ("https://a.example/login", &LoginStep::Form)
    );
    answered(frontier, errand, LoginAnswer::LoggedIn, now);
}

/// The page that is fetched now.
fn page_of(step: Step) -> QueuedUrl {
    match step {
        Step::Start(Task::Page { queued, .. }, _) => queued,
        other => panic!("no page but {other:?}"),
    }
}

fn logged_out(frontier: &mut Frontier, page: &QueuedUrl, now: Now) {
    frontier.on(ended(&page.host), now);
    frontier.on(Event::LoggedOut { queued: page.clone() }, now);
}

fn kept(frontier: &mut Frontier, page: &QueuedUrl, now: Now) {
    frontier.on(ended(&page.host), now);
    frontier.on(decided(&page.host, page.seq, true), now);
}

#[test]
fn the_pages_of_its_origins_wait_for_a_log_in_and_no_others() {
    let mut frontier = with_login(|_| {});
    frontier.add(pages("b.example", 0, 2), at(0));
    frontier.add(pages("c.example", 5, 1), at(0));
    let mut first = vec![frontier.next(at(0)), frontier.next(at(0))];
    first.sort_by_key(|step| matches!(step, Step::Start(Task::Page { .. }, _)));
    let page = page_of(first.remove(1));
    assert_eq!(page.url, "https://c.example/5");
    let errand = login_of(first.remove(0));
    assert!(matches!(frontier.next(at(0)), Step::Wait(None)));
    let states = frontier.standing(at(0));
    assert_eq!(states.count(HostStateKind::Login), 1);
    let next = LoginErrand {
        step: LoginStep::After,
        redirects: 1,
        ..errand.clone()
    };
    answered(&mut frontier, errand, LoginAnswer::Next(next), at(10));
    let errand = login_of(frontier.next(at(10)));
    answered(&mut frontier, errand, LoginAnswer::LoggedIn, at(20));
    assert_eq!(page_of(frontier.next(at(20))).url, "https://b.example/0");
}

#[test]
fn a_log_in_passes_the_gate_of_its_host() {
    let mut frontier = with_login(|config| {
        config.politeness.delay_ms = 1_000;
        config.politeness.robots = true;
    });
    frontier.add(pages("a.example", 0, 1), at(0));
    let errand = robots_of(frontier.next(at(0)));
    frontier.on(ended("a.example"), at(0));
    let answer = rules("User-agent: *\nDisallow: /login\nCrawl-delay: 3\n");
    frontier.on(Event::Robots { errand, answer }, at(0));
    assert!(matches!(frontier.next(at(2_999)), Step::Wait(Some(_))));
    let errand = login_of(frontier.next(at(3_000)));
    answered(&mut frontier, errand, LoginAnswer::LoggedIn, at(3_000));
    assert!(matches!(frontier.next(at(5_999)), Step::Wait(Some(_))));
    assert_eq!(page_of(frontier.next(at(6_000))).seq, 0);
}

#[test]
fn no_log_in_is_made_for_pages_that_robots_txt_forbids() {
    let mut frontier = with_login(|config| config.politeness.robots = true);
    frontier.add(pages("a.example", 0, 1), at(0));
    let errand = robots_of(frontier.next(at(0)));
    frontier.on(ended("a.example"), at(0));
    let answer = rules("User-agent: *\nDisallow: /\n");
    frontier.on(Event::Robots { errand, answer }, at(0));
    assert!(matches!(frontier.next(at(0)), Step::Exclude { .. }));
    frontier.on(decided("a.example", 0, false), at(0));
    assert!(matches!(frontier.next(at(0)), Step::Finished(Ending::Exhausted)));
}

#[test]
fn a_refused_log_in_is_not_repeated_and_its_pages_stay_in_the_store() {
    let mut frontier = with_login(|_| {});
    frontier.add(pages("a.example", 0, 3), at(0));
    let errand = login_of(frontier.next(at(0)));
    answered(&mut frontier, errand, LoginAnswer::Refused("wrong".into()), at(0));
    assert!(matches!(frontier.next(at(0)), Step::Finished(Ending::Exhausted)));
    frontier.add(pages("a.example", 3, 1), at(1));
    frontier.add(pages("b.example", 4, 1), at(1));
    assert!(matches!(frontier.next(at(1)), Step::Finished(Ending::Exhausted)));
    let given_up = frontier.given_up();
    assert_eq!(given_up.len(), 2, "{given_up:?}");
    assert!(
        given_up
            .iter()
            .all(|host| host.last_failure.contains("fetch.login[1]") && host.last_failure.ends_with("wrong"))
    );
}

#[test]
fn a_log_in_out_of_reach_is_tried_three_times() {
    let mut frontier = with_login(|_| {});
    frontier.add(pages("a.example", 0, 1), at(0));
    for _ in 0..3 {
        let errand = login_of(frontier.next(at(0)));
        answered(
            &mut frontier,
            errand,
            LoginAnswer::Unreachable("timed out".into()),
            at(0),
        );
    }
    assert!(matches!(frontier.next(at(0)), Step::Finished(Ending::Exhausted)));
}

#[test]
fn one_lapse_is_one_log_in_however_many_pages_show_it() {
    let mut frontier = with_login(|config| config.politeness.parallel_per_host = 4);
    frontier.add(pages("a.example", 0, 3), at(0));
    log_in(&mut frontier, at(0));
    let open: Vec<QueuedUrl> = (0..3).map(|_| page_of(frontier.next(at(0)))).collect();
    logged_out(&mut frontier, &open[0], at(1));
    logged_out(&mut frontier, &open[1], at(2));
    log_in(&mut frontier, at(3));
    // This one was asked for with the session before.
    logged_out(&mut frontier, &open[2], at(4));
    let mut again: Vec<u64> = (0..3).map(|_| page_of(frontier.next(at(4))).seq).collect();
    again.sort_unstable();
    assert_eq!(again, [0, 1, 2]);
    assert!(matches!(frontier.next(at(4)), Step::Wait(None)));
}

#[test]
fn a_page_that_comes_without_a_new_session_fails() {
    let mut frontier = with_login(|_| {});
    frontier.add(pages("a.example", 0, 1), at(0));
    for _ in 0..2 {
        log_in(&mut frontier, at(0));
        let page = page_of(frontier.next(at(0)));
        logged_out(&mut frontier, &page, at(0));
    }
    let Step::Fail { queued, unfit } = frontier.next(at(0)) else {
        panic!("no failure")
    };
    assert_eq!((queued.seq, unfit.kind), (0, "logged_out"));
}

#[test]
fn a_session_that_brings_few_pages_is_not_renewed_without_end() {
    let mut frontier = with_login(|_| {});
    frontier.add(pages("a.example", 0, 100), at(0));
    let (mut logins, mut fetched) = (0, 0);
    loop {
        match frontier.next(at(0)) {
            Step::Start(Task::Errand { errand, .. }, _) => {
                let Errand::Login(errand) = errand else {
                    panic!("{errand:?}")
                };
                logins += 1;
                answered(&mut frontier, *errand, LoginAnswer::LoggedIn, at(0));
            }
            // Every second page shows the wall: its session brought one page.
            Step::Start(Task::Page { queued, .. }, _) if fetched % 2 == 0 => {
                fetched += 1;
                kept(&mut frontier, &queued, at(0));
            }
            Step::Start(Task::Page { queued, .. }, _) => {
                fetched += 1;
                logged_out(&mut frontier, &queued, at(0));
            }
            Step::Finished(_) => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(logins, 5);
    assert!(frontier.given_up()[0].last_failure.contains("lapsed 5 times"));
}
