//! The transitions of hosts, lines, origins and URLs, as tables.

use super::super::state::*;
use super::*;
use crate::messages::Unfit;
use crate::steering::{Forecast, Prediction, Reason, UrlRule};

fn idle() -> HostFacts<'static> {
    HostFacts {
        is_given_up: false,
        open_requests: 0,
        in_process: 0,
        awaits_robots: false,
        awaits_login: false,
        work: Work::Request,
        line: Line::None,
        ready_at: Some(at(0)),
        address_is_free: true,
        rests_until: at(0),
        rests_long: false,
        urls: 9,
        is_over_page_limit: false,
        last_failure: Some("HTTP status 503"),
    }
}

#[test]
fn the_facts_decide_the_state_of_a_host() {
    let why = Some("HTTP status 503");
    let state = |change: fn(&mut HostFacts<'static>)| {
        let mut facts = idle();
        change(&mut facts);
        HostState::of(&facts, at(100))
    };
    let ready = HostState::Ready;
    assert_eq!(state(|_| {}), ready(Activity::AwaitsRequest));
    assert_eq!(state(|f| f.is_given_up = true), HostState::GivenUp { why });
    assert_eq!(
        state(|f| (f.in_process, f.awaits_robots) = (1, true)),
        ready(Activity::Fetching)
    );
    assert_eq!(
        state(|f| (f.open_requests, f.awaits_robots) = (1, true)),
        ready(Activity::AwaitsRobots)
    );
    assert_eq!(
        state(|f| (f.open_requests, f.awaits_login) = (1, true)),
        ready(Activity::AwaitsLogin)
    );
    assert_eq!(state(|f| f.address_is_free = false), ready(Activity::AwaitsAddress));
    assert_eq!(state(|f| f.line = Line::Name), ready(Activity::AwaitsName));
    assert_eq!(state(|f| f.line = Line::Trial), ready(Activity::AwaitsTrial));
    let until = Some(at(150));
    assert_eq!(
        state(|f| f.ready_at = Some(at(150))),
        ready(Activity::AwaitsDelay { until })
    );
    let rests: fn(&mut HostFacts<'static>) = |f| (f.ready_at, f.rests_until) = (Some(at(150)), at(150));
    assert_eq!(state(rests), HostState::Resting { until: at(150), why });
    let refills: fn(&mut HostFacts<'static>) =
        |f| (f.work, f.ready_at, f.rests_until) = (Work::Refill, Some(at(150)), at(150));
    assert_eq!(state(refills), ready(Activity::AwaitsRequest), "a refill never waits");
    let exhausted = HostState::Exhausted;
    assert_eq!(
        state(|f| (f.work, f.urls) = (Work::Nothing, 0)),
        exhausted(Reserve::Nothing)
    );
    assert_eq!(state(|f| f.work = Work::Nothing), exhausted(Reserve::HeldBack));
    let limited: fn(&mut HostFacts<'static>) = |f| (f.work, f.is_over_page_limit) = (Work::Nothing, true);
    assert_eq!(state(limited), exhausted(Reserve::OverPageLimit));
}

#[test]
fn a_host_stands_in_one_line_at_most() {
    let soon = LineEvent::HasWork(NextTurn::At(at(5)));
    let late = LineEvent::HasWork(NextTurn::AfterLongRest(at(5)));
    for (line, event, next) in [
        (Line::None, soon, Line::Due),
        (Line::None, late, Line::Rest),
        (Line::Due, late, Line::Due),
        (Line::Rest, soon, Line::Rest),
        (Line::Address, soon, Line::Address),
        (Line::Rest, LineEvent::LongRestEnded, Line::Due),
        (Line::Due, LineEvent::CalledUp, Line::None),
        (Line::Address, LineEvent::CalledUp, Line::None),
        (Line::None, LineEvent::AddressIsBusy, Line::Address),
        (Line::Address, LineEvent::ChangedAddress, Line::None),
        (Line::Due, LineEvent::ChangedAddress, Line::Due),
    ] {
        assert_eq!(line.on(event), next, "{line:?} {event:?}");
    }
}

#[test]
fn a_forecast_only_moves_a_url_further_back() {
    let rule = || UrlRule::Parameter {
        name: "sid".into(),
        path: None,
    };
    let duplicate = |is_held_back| {
        let by = Reason::Rule(rule());
        Forecast::Duplicate(Prediction { by, is_held_back })
    };
    use UrlState::{Deprioritised, HeldBack, InProcess, Queued, Sample};
    for (state, forecast, is_sample, next) in [
        (Queued, Forecast::New, false, InProcess),
        (Queued, Forecast::Test(rule()), false, InProcess),
        (Queued, Forecast::Deprioritised, false, Deprioritised),
        (Deprioritised, Forecast::Deprioritised, false, InProcess),
        (Queued, duplicate(false), false, Deprioritised),
        (Deprioritised, duplicate(false), false, InProcess),
        (Deprioritised, duplicate(true), false, HeldBack),
        (Queued, duplicate(true), true, Sample),
        (Sample, duplicate(true), false, InProcess),
        (HeldBack, duplicate(true), false, InProcess),
        (Sample, Forecast::Same(rule()), false, HeldBack),
        (HeldBack, Forecast::Same(rule()), false, InProcess),
    ] {
        assert_eq!(
            state.after_forecast(&forecast, || is_sample),
            next,
            "{state:?} {forecast:?}"
        );
    }
    for state in [Deprioritised, Sample, HeldBack] {
        assert_eq!(state.priority().map(UrlState::at), Some(state));
    }
}

/// The errand for a robots.txt after this many redirects and failures.
fn errand(redirects: u8, failures: u8) -> Errand {
    Errand::Robots {
        for_host: "a.example".into(),
        origin: "http://a.example".into(),
        url: Url::parse("http://a.example/robots.txt").unwrap(),
        redirects,
        failures,
    }
}

#[test]
fn an_asked_origin_is_settled_or_asked_again() {
    let time = EventTime {
        now: at(0),
        run_started_at: BEGIN,
    };
    let after = |errand, answer| match OriginState::answered(errand, answer, time).unwrap() {
        OriginEvent::AskAgain(Errand::Robots {
            redirects, failures, ..
        }) => format!("again {redirects} {failures}"),
        OriginEvent::AskAgain(Errand::Sitemap { .. } | Errand::Subrequest(_) | Errand::Login(_)) => {
            panic!("no robots.txt")
        }
        OriginEvent::Settled { state, .. } => match state {
            OriginState::Asked => "asked".to_owned(),
            OriginState::Open { until, .. } => format!("open {}", until.as_secs()),
            OriginState::GivenUp { why } => format!("given up: {why}"),
            OriginState::Unfit(_) => "unfit".to_owned(),
        },
    };
    let day = 24 * 60 * 60;
    let recalled = |age_s: u64| RobotsAnswer::Recalled(Robots::allow_all(), Vec::new(), BEGIN - 1_000 * age_s);
    let moved = || RobotsAnswer::Moved(Url::parse("http://b.example/robots.txt").unwrap());
    let unreachable = || RobotsAnswer::Unreachable("no connection".into());
    let unfit = RobotsAnswer::Unfit(Unfit {
        kind: "tls",
        detail: String::new(),
    });
    assert_eq!(after(errand(0, 0), rules("")), format!("open {day}"));
    assert_eq!(after(errand(0, 0), recalled(1_000)), format!("open {}", day - 1_000));
    assert_eq!(after(errand(0, 0), recalled(day)), "again 0 0");
    assert_eq!(after(errand(0, 0), RobotsAnswer::Forgotten), "again 0 0");
    assert_eq!(after(errand(0, 1), moved()), "again 1 1");
    assert_eq!(
        after(errand(5, 0), moved()),
        format!("open {day}"),
        "no robots.txt after five redirects"
    );
    assert_eq!(after(errand(0, 0), unreachable()), "again 0 1");
    assert_eq!(
        after(errand(0, 2), unreachable()),
        "given up: robots.txt: no connection"
    );
    assert_eq!(after(errand(0, 0), unfit), "unfit");
}
