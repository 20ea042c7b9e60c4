use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn at(ms: u64) -> Now {
    Duration::from_millis(ms)
}

struct Tested {
    clock: CrawlClock,
    gate: Gate,
    random: Rng,
}

/// A gate with the default settings and this change.
fn gate(change: impl FnOnce(&mut Politeness)) -> Tested {
    let mut politeness = Politeness::default();
    change(&mut politeness);
    let clock = CrawlClock::default();
    Tested {
        gate: Gate::new(&clock, &politeness),
        clock,
        random: Rng::with_seed(7),
    }
}

impl Tested {
    fn start(&mut self, now: Now) {
        self.clock.set(now);
        self.gate.start(now);
    }

    fn finish(&mut self, now: Now, signal: HostSignal) {
        self.clock.set(now);
        self.gate.finish(now, signal, None, &mut self.random);
    }

    fn rest(&mut self, now: Now, signal: HostSignal) -> Duration {
        self.start(now);
        self.finish(now, signal);
        self.gate.ready_at().unwrap() - now
    }
}

#[test]
fn after_a_wall_a_host_rests_for_longer_with_each_attempt_and_is_never_given_up() {
    let Tested {
        mut gate, mut random, ..
    } = gate(|_| {});
    let first = Politeness::default().retry_delay;
    let mut ends = at(0);
    for attempts in 0..2 * MAX_FAILURES {
        gate.was_blocked(attempts, ends, &mut random);
        let least = first
            .saturating_mul(1 << attempts)
            .min(Politeness::default().max_wait.div_f64(1.5));
        assert!(gate.rests_until() >= ends + least, "{attempts}");
        ends = gate.rests_until();
    }
    assert!(!gate.is_given_up());
    gate.was_blocked(0, at(0), &mut random);
    assert_eq!(gate.rests_until(), ends);
}

#[test]
fn the_delay_runs_from_the_end_of_a_response() {
    let mut host = gate(|_| {});
    for round in 0..5 {
        let start = at(round * 3_000);
        assert!(host.gate.ready_at().unwrap() <= start);
        host.start(start);
        assert_eq!(host.gate.ready_at(), None);
        host.finish(start + at(700), HostSignal::Answered);
        assert_eq!(host.gate.ready_at(), Some(start + at(1_700)));
    }
}

#[test]
fn a_shorter_delay_counts_for_a_host_that_was_asked_elsewhere_too() {
    let delays = |before: fn(&mut Gate)| {
        let mut host = gate(|rules| rules.delay = 60 * SECOND);
        before(&mut host.gate);
        let long = host.gate.ready_at().unwrap();
        host.gate.set_delay(5 * SECOND, at(1_000));
        (long, host.gate.ready_at().unwrap())
    };
    let by_earlier_run = delays(|gate| gate.was_asked(2 * SECOND));
    assert_eq!(by_earlier_run, (58 * SECOND, 3 * SECOND));
    let by_another = delays(|gate| gate.was_asked_at(SECOND / 2));
    assert_eq!(by_another, (at(60_500), at(5_500)));
    let by_both = delays(|gate| {
        gate.was_asked_at(SECOND / 2);
        gate.was_asked(Duration::ZERO);
    });
    assert_eq!(by_both, by_another, "the later one counts");
}

#[test]
fn other_bounds_are_taken_over_and_what_is_known_of_the_host_stays() {
    let mut host = gate(|_| {});
    host.start(at(0));
    host.finish(at(100), HostSignal::Busy { retry_after: None });
    let rests_until = host.gate.rests_until();
    let rules = Politeness {
        delay: Duration::ZERO,
        parallel_per_host: 2,
        max_delay: SECOND,
        ..Politeness::default()
    };
    host.gate.adopt(&rules, at(200));
    assert_eq!(host.gate.rests_until(), rests_until);
    assert_eq!(host.gate.delay(), SECOND, "slowed, up to the bound");
    let later = rests_until + SECOND;
    host.start(later);
    assert!(host.gate.ready_at().is_some(), "two at a time");
}

#[test]
fn another_delay_counts_at_once_and_never_undercuts_the_crawl_delay() {
    let mut host = gate(|_| {});
    host.start(at(0));
    host.finish(at(100), HostSignal::Answered);
    host.clock.set(at(200));
    host.gate.set_delay(10 * SECOND, at(200));
    assert_eq!(host.gate.ready_at(), Some(at(10_200)));
    host.gate.set_delay(at(500), at(300));
    assert_eq!(host.gate.ready_at(), Some(at(600)), "from the response");
    host.clock.set(at(300));
    host.gate.set_crawl_delay(3 * SECOND, at(300));
    host.gate.set_delay(at(0), at(400));
    assert_eq!(host.gate.delay(), 3 * SECOND);
    assert_eq!(host.gate.ready_at(), Some(at(3_300)));
}

#[test]
fn the_delay_of_a_host_that_was_not_asked_can_be_taken_back() {
    let mut host = gate(|_| {});
    host.clock.set(at(100));
    host.gate.set_delay(86_400 * SECOND, at(100));
    assert_eq!(host.gate.ready_at(), Some(at(0)), "nothing to keep apart from");
    host.gate.set_delay(SECOND, at(200));
    host.start(at(200));
    host.finish(at(300), HostSignal::Answered);
    assert_eq!(host.gate.ready_at(), Some(at(1_300)));
}

#[test]
fn several_at_a_time_start_a_delay_apart() {
    let mut host = gate(|c| c.parallel_per_host = 2);
    host.start(at(0));
    assert_eq!(host.gate.ready_at(), Some(at(1_000)));
    host.start(at(1_000));
    assert_eq!(host.gate.ready_at(), None);
    host.finish(at(1_100), HostSignal::Answered);
    assert_eq!(host.gate.ready_at(), Some(at(2_000)));
}

#[test]
fn consecutive_failures_double_the_rest_and_give_the_host_up() {
    let mut host = gate(|_| {});
    let mut now = at(0);
    for seconds in [5, 10, 20, 40] {
        let rest = host.rest(now, HostSignal::Unreachable);
        assert!(rest >= seconds * SECOND && rest <= seconds * SECOND * 3 / 2, "{rest:?}");
        assert!(!host.gate.is_given_up());
        now += rest;
    }
    host.rest(now, HostSignal::Unreachable);
    assert!(host.gate.is_given_up());
    host.finish(now, HostSignal::Answered);
    assert!(host.gate.is_given_up(), "for this run");
}

#[test]
fn a_host_without_a_server_is_given_up_within_five_seconds_unless_it_has_answered() {
    let mut host = gate(|_| {});
    let mut now = at(0);
    for _ in 1..MAX_ABSENCES {
        now += host.rest(now, HostSignal::Absent);
        assert!(!host.gate.is_given_up());
    }
    host.rest(now, HostSignal::Absent);
    assert!(host.gate.is_given_up() && now <= at(5_000), "{now:?}");

    let mut host = gate(|_| {});
    host.start(at(0));
    host.finish(at(0), HostSignal::Answered);
    let mut now = at(1_000);
    for _ in 1..MAX_FAILURES {
        now += host.rest(now, HostSignal::Absent);
        assert!(!host.gate.is_given_up());
    }
    assert!(now >= at(75_000), "{now:?}");
}

fn fault(attempts: u8) -> HostSignal {
    HostSignal::Faulty {
        retry_after: None,
        attempts: Some(attempts),
    }
}

#[test]
fn faults_bring_one_rest_for_each_attempt_and_give_no_host_up() {
    let mut host = gate(|_| {});
    let mut now = at(0);
    // Four URLs that fail at each of their three attempts.
    let rests = [[1, 10, 1, 1], [40, 1, 1, 1], [1, 1, 1, 1]];
    for (attempts, rests) in (0..).zip(rests) {
        for seconds in rests {
            let rest = host.rest(now, fault(attempts));
            assert!(rest >= seconds * SECOND && rest <= seconds * SECOND * 3 / 2, "{rest:?}");
            now += rest;
        }
    }
    assert!(!host.gate.is_given_up());
    now += host.rest(now, HostSignal::Answered);
    now += host.rest(now, fault(0));
    assert_eq!(host.rest(now, fault(0)), SECOND, "a good answer begins no other rests");
}

#[test]
fn single_faults_among_good_answers_slow_no_host_down() {
    let mut host = gate(|_| {});
    let mut now = at(0);
    for round in 0..20 {
        let signal = match round % 2 {
            0 => HostSignal::Answered,
            _ => fault(0),
        };
        let rest = host.rest(now, signal);
        assert_eq!(rest, SECOND, "{round}");
        now += rest;
    }
}

#[test]
fn a_host_that_asks_for_nothing_but_rests_is_given_up() {
    for signal in [
        HostSignal::Waits(SECOND),
        HostSignal::Faulty {
            retry_after: Some(SECOND),
            attempts: None,
        },
    ] {
        let mut host = gate(|_| {});
        let mut now = at(0);
        for round in 0..12 {
            assert!(!host.gate.is_given_up(), "{round}");
            let good = round == 4;
            now += host.rest(now, if good { HostSignal::Answered } else { signal });
            if round == 9 {
                break;
            }
        }
        assert!(host.gate.is_given_up(), "{signal:?}");
    }
}

#[test]
fn a_fault_of_a_request_that_was_open_at_a_failure_adds_no_rest() {
    let mut host = gate(|rules| {
        rules.parallel_per_host = 4;
        rules.delay = Duration::ZERO;
    });
    (0..4).for_each(|_| host.start(at(0)));
    (0..4).for_each(|_| host.finish(at(10), fault(0)));
    let rest = host.gate.ready_at().unwrap();
    assert!(rest >= at(10_010) && rest <= at(15_010), "{rest:?}");
}

#[test]
fn a_rest_that_another_answer_asks_for_counts_as_no_failure() {
    let minute = 60 * SECOND;
    for signal in [
        HostSignal::Waits(minute),
        HostSignal::Faulty {
            retry_after: Some(minute),
            attempts: None,
        },
    ] {
        let mut host = gate(|_| {});
        assert_eq!(host.rest(at(0), signal), minute);
        assert_eq!((host.gate.failures, host.gate.delay()), (0, SECOND), "{signal:?}");
    }
    assert_eq!(gate(|_| {}).rest(at(0), HostSignal::Waits(Duration::MAX)), MAX_REST);
}

#[test]
fn a_response_ends_the_row_of_failures() {
    let mut host = gate(|_| {});
    let rest = host.rest(at(0), HostSignal::Unreachable);
    host.start(rest);
    host.finish(rest, HostSignal::Answered);
    assert_eq!((host.gate.failures, host.gate.ready_at()), (0, Some(rest + SECOND)));
}

#[test]
fn retry_after_makes_the_host_rest_even_longer_than_a_run_waits() {
    let wish = |seconds| HostSignal::Busy {
        retry_after: Some(Duration::from_secs(seconds)),
    };
    let mut host = gate(|_| {});
    assert_eq!(host.rest(at(0), wish(120)), 120 * SECOND);
    assert_eq!(host.gate.long_rest_until(at(0)), None);
    host.rest(at(0), wish(3_600));
    assert_eq!(host.gate.long_rest_until(at(0)), Some(3_600 * SECOND));
    assert_eq!(
        host.gate.long_rest_until(3_000 * SECOND),
        None,
        "near enough to wait for"
    );
    assert_eq!(gate(|_| {}).rest(at(0), wish(u64::MAX)), MAX_REST);
}

#[test]
fn a_request_that_was_open_at_a_failure_is_no_further_failure() {
    let mut host = gate(|c| {
        c.parallel_per_host = 8;
        c.delay = Duration::ZERO;
        c.latency_factor = 0.0;
    });
    (0..8).for_each(|_| host.start(at(0)));
    (0..7).for_each(|_| host.finish(at(10), HostSignal::Busy { retry_after: None }));
    host.finish(at(20), HostSignal::Answered);
    assert_eq!((host.gate.failures, host.gate.is_given_up()), (1, false));
    assert!(host.gate.ready_at().unwrap() <= at(10) + 5 * SECOND * 3 / 2);
    assert!(host.gate.delay() <= SECOND, "one slow-down: {:?}", host.gate.delay());
}

#[test]
fn a_crawl_delay_counts_from_the_robots_txt_that_asked_for_it() {
    let mut host = gate(|_| {});
    host.start(at(0));
    host.finish(at(100), HostSignal::Answered);
    host.gate.set_crawl_delay(4 * SECOND, at(100));
    assert_eq!(host.gate.ready_at(), Some(at(4_100)));
    host.gate.set_crawl_delay(2 * SECOND, at(100));
    assert_eq!((host.gate.ready_at(), host.gate.delay()), (Some(at(4_100)), 2 * SECOND));
}

#[test]
fn without_a_delay_even_a_slow_server_never_waits() {
    let mut host = gate(|c| {
        c.delay = Duration::ZERO;
        c.latency_factor = 0.0;
    });
    host.start(at(0));
    host.gate
        .finish(at(5_000), HostSignal::Answered, Some(at(5_000)), &mut host.random);
    assert_eq!(host.gate.ready_at(), Some(at(0)));
}

#[test]
fn a_gate_continues_with_its_memory() {
    let mut before = gate(|_| {});
    before.gate.set_crawl_delay(3 * SECOND, at(0));
    before.start(at(0));
    before
        .gate
        .finish(at(9_000), HostSignal::Answered, Some(at(9_000)), &mut before.random);
    before.rest(at(50_000), HostSignal::Busy { retry_after: None });
    let memory = before.gate.memory();
    let mut after = gate(|_| {});
    after.gate.remember(&memory);
    assert_eq!(after.gate.delay(), before.gate.delay());
    assert_eq!(
        after.gate.memory(),
        GateMemory {
            asked_at: None,
            ..memory
        }
    );
    after.gate.was_asked(at(400));
    assert_eq!(after.gate.ready_at(), Some(memory.rests_until));
    let mut rested = gate(|_| {});
    rested.gate.was_asked(at(400));
    assert_eq!(rested.gate.ready_at(), Some(at(600)));
}

#[test]
fn a_host_given_up_in_an_earlier_run_gets_one_try() {
    let mut host = gate(|_| {});
    let memory = GateMemory {
        failures: 40,
        ..GateMemory::default()
    };
    host.gate.remember(&memory);
    assert!(!host.gate.is_given_up());
    host.rest(at(0), HostSignal::Unreachable);
    assert!(host.gate.is_given_up());
}
