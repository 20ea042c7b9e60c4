use std::thread;

use proptest::prelude::*;

use super::*;

/// The same queue in its simplest form: every host keeps its account for ever, and each turn looks through all hosts.
struct Model {
    /// By host: the jobs that wait, the jobs under way, and the time taken.
    hosts: Vec<(Vec<u32>, usize, Duration)>,
    /// The hosts with a waiting job, in the order in which they came.
    arrived: Vec<usize>,
    clock: Duration,
    share: Share,
    /// The hosts of all turns.
    turns: Vec<usize>,
}

impl Model {
    fn new(hosts: usize, share: Share) -> Self {
        Self {
            hosts: vec![(Vec::new(), 0, Duration::ZERO); hosts],
            arrived: Vec::new(),
            clock: Duration::ZERO,
            share,
            turns: Vec::new(),
        }
    }

    fn push(&mut self, host: usize, job: u32) {
        let clock = self.clock;
        let (waiting, under_way, taken) = &mut self.hosts[host];
        if waiting.is_empty() && *under_way == 0 {
            *taken = clock.max(*taken);
        }
        waiting.push(job);
        if waiting.len() == 1 {
            self.arrived.push(host);
        }
    }

    fn share_of(&self, host: usize) -> usize {
        let mut last = self.turns.iter().rev().take(ALONE);
        let is_alone = self.turns.len() >= ALONE && last.all(|other| *other == host) && self.arrived == [host];
        if is_alone {
            self.share.alone
        } else {
            self.share.among_others
        }
    }

    fn begin(&mut self) -> Option<(usize, u32)> {
        let may_begin = |host: &usize| self.hosts[*host].1 < self.share_of(*host);
        let hosts = self.arrived.iter().copied().filter(may_begin);
        let host = hosts.min_by_key(|host| self.hosts[*host].2)?;
        self.arrived.retain(|other| *other != host);
        self.turns.push(host);
        let (waiting, under_way, taken) = &mut self.hosts[host];
        self.clock = self.clock.max(*taken);
        let job = waiting.remove(0);
        *under_way += 1;
        if !waiting.is_empty() {
            self.arrived.push(host);
        }
        Some((host, job))
    }

    fn end(&mut self, host: usize, took: Duration) {
        let (_, under_way, taken) = &mut self.hosts[host];
        *under_way -= 1;
        *taken += took;
    }
}

const ONE: Share = Share {
    among_others: 1,
    alone: 1,
};

#[derive(Debug, Clone)]
enum Act {
    Push(usize),
    Begin,
    /// Ends one of the jobs under way.
    End(prop::sample::Index, u64),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => (0_usize..4).prop_map(Act::Push),
        2 => Just(Act::Begin),
        2 => (any::<prop::sample::Index>(), 0_u64..5).prop_map(|(which, took)| Act::End(which, took)),
    ]
}

proptest! {
    #[test]
    fn the_queue_is_its_simplest_form(
        hosts in 1_usize..5,
        share in (1_usize..4, 0_usize..3),
        acts in proptest::collection::vec(act(), 0..300),
    ) {
        let share = Share { among_others: share.0, alone: share.0 + share.1 };
        let mut turns = Turns::new(share);
        let mut model = Model::new(hosts, share);
        let mut under_way = Vec::new();
        let name = |host: usize| format!("h{host}.example");
        for (job, act) in (0..).zip(acts) {
            match act {
                Act::Push(host) => {
                    let host = host % hosts;
                    turns.push(&name(host), job);
                    model.push(host, job);
                }
                Act::Begin => {
                    let expected = model.begin();
                    let expected = expected.inspect(|(host, _)| under_way.push(*host));
                    prop_assert_eq!(turns.begin(), expected.map(|(host, job)| (name(host), job)));
                }
                Act::End(_, _) if under_way.is_empty() => {}
                Act::End(which, took) => {
                    let host = under_way.swap_remove(which.index(under_way.len()));
                    turns.end(&name(host), Duration::from_millis(took));
                    model.end(host, Duration::from_millis(took));
                }
            }
            prop_assert_eq!(turns.is_empty(), model.hosts.iter().all(|(waiting, ..)| waiting.is_empty()));
            for host in 0..hosts {
                let of_host = under_way.iter().filter(|other| **other == host).count();
                prop_assert!(of_host <= share.alone);
            }
        }
    }
}

#[test]
fn a_host_with_many_jobs_takes_turns_with_one_that_comes_late() {
    let mut turns = Turns::new(ONE);
    (0..100).for_each(|job| turns.push("many.example", job));
    let mut begun = Vec::new();
    for _ in 0..2 {
        let (host, job) = turns.begin().unwrap();
        turns.end(&host, Duration::from_secs(1));
        begun.push(job);
    }
    (1_000..1_002).for_each(|job| turns.push("late.example", job));
    for _ in 0..4 {
        let (host, job) = turns.begin().unwrap();
        turns.end(&host, Duration::from_secs(1));
        begun.push(job);
    }
    assert_eq!(begun, [0, 1, 1_000, 2, 1_001, 3]);
}

/// Of two hosts that always have jobs, one has jobs that take ten times as long: it gets half of the time, and not ten elevenths.
#[test]
fn a_host_pays_with_turns_for_the_time_that_its_jobs_take() {
    let mut turns = Turns::new(ONE);
    for job in 0..100 {
        turns.push("costly.example", job);
        turns.push("cheap.example", job);
    }
    let mut begun = [0, 0];
    for _ in 0..44 {
        let (host, _) = turns.begin().unwrap();
        let is_costly = host == "costly.example";
        begun[usize::from(is_costly)] += 1;
        turns.end(&host, Duration::from_millis(if is_costly { 100 } else { 10 }));
    }
    assert_eq!(begun, [40, 4]);
}

#[test]
fn a_host_leaves_a_worker_to_the_others() {
    let (sender, receiver) = fair_queue(Share::of(1));
    let (began_in, began) = crossbeam_channel::unbounded();
    let (let_go, held) = crossbeam_channel::bounded::<()>(0);
    for _ in 0..3 {
        assert!(sender.send("hostile.example", "hostile"));
    }
    let workers: Vec<_> = (0..2)
        .map(|_| {
            let (receiver, began_in, held) = (receiver.clone(), began_in.clone(), held.clone());
            thread::spawn(move || {
                receiver.work(|job| {
                    began_in.send(job).unwrap();
                    // The hostile job ends when the test lets it.
                    job == "good" || held.recv().is_err()
                });
            })
        })
        .collect();
    drop(receiver);
    assert_eq!(began.recv().unwrap(), "hostile");
    for _ in 0..20 {
        assert!(sender.send("good.example", "good"));
        assert_eq!(began.recv().unwrap(), "good");
    }
    drop((let_go, sender));
    for worker in workers {
        worker.join().unwrap();
    }
    assert_eq!(began.try_iter().count(), 2, "the other hostile jobs");
}

#[test]
fn a_host_that_is_alone_has_all_places_until_another_comes() {
    let mut turns = Turns::new(Share {
        among_others: 1,
        alone: 2,
    });
    (0..40).for_each(|job| turns.push("a.example", job));
    for _ in 0..ALONE - 1 {
        turns.begin().unwrap();
        assert_eq!(turns.begin(), None, "another may come");
        turns.end("a.example", Duration::from_secs(1));
    }
    turns.begin().unwrap();
    turns.begin().unwrap();
    turns.push("b.example", 99);
    assert_eq!(turns.begin(), Some(("b.example".into(), 99)));
    turns.end("a.example", Duration::from_secs(1));
    assert_eq!(turns.begin(), None, "one job of the host is still under way");
}

#[tokio::test]
async fn a_task_waits_for_a_place_and_not_for_the_share_of_another_host() {
    let places = FairPlaces::new(2);
    let hostile = places.take("hostile.example").await;
    let waits = tokio::spawn({
        let places = places.clone();
        async move { places.take("hostile.example").await }
    });
    for _ in 0..10 {
        drop(places.take("good.example").await);
    }
    assert!(!waits.is_finished());
    drop(hostile);
    let hostile = waits.await.unwrap();
    assert_eq!(hostile.host, "hostile.example");
}

#[tokio::test]
async fn a_task_that_has_ended_leaves_its_place() {
    let places = FairPlaces::new(1);
    let place = places.take("a.example").await;
    let abandoned = tokio::time::timeout(Duration::ZERO, places.take("b.example")).await;
    assert!(abandoned.is_err());
    drop(place);
    assert_eq!(places.take("c.example").await.host, "c.example");
}

#[test]
fn nothing_can_be_sent_when_no_worker_is_left() {
    let (sender, receiver) = fair_queue(Share::of(1));
    assert!(sender.send("a.example", 1));
    drop(receiver);
    assert!(!sender.send("a.example", 2));
}
