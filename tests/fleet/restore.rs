//! What the data folders restore: a crawl that Redis has lost, and the pages of a worker whose folder is lost.

use std::fs;

use super::*;

/// The site that a crawl of these tests stops in the middle of.
fn slow_site() -> Site {
    site(Duration::from_millis(60))
}

/// Requests after which every host has given its home page, and no host all of its pages.
const MIDDLE: usize = 2 * HOSTS + HOSTS + 4;

/// Three workers that work until the crawl is in its middle.
fn in_the_middle(site: &Site, redis: &Redis) -> (Vec<Crawl>, Vec<Running>) {
    let workers: Vec<Crawl> = (1..=3).map(|number| worker(number, site, redis)).collect();
    let running: Vec<Running> = workers.iter().map(Crawl::start).collect();
    site.wait_for_requests(MIDDLE);
    // A worker learns of another one with its next renewal.
    wait_until("every folder knows of three workers", || {
        workers.iter().all(|worker| remembered(worker, "last") == Some(3))
    });
    (workers, running)
}

/// A number that the folder of a worker remembers of its fleet.
fn remembered(worker: &Crawl, name: &str) -> Option<u64> {
    let text = fs::read(worker.data().join("fleet.json")).ok()?;
    let json: serde_json::Value = serde_json::from_slice(&text).ok()?;
    json[name].as_u64()
}

fn asked_twice(site: &Site) -> Vec<(String, usize)> {
    times(site).into_iter().filter(|(_, times)| *times > 1).collect()
}

/// The number of a worker, which the servers have given it.
fn number_of(worker: &Crawl) -> u64 {
    remembered(worker, "worker").unwrap()
}

/// `crawler fleet forget` of this worker.
fn forget(worker: u64, redis: &Redis) -> crate::support::process::Ended {
    run(&mut crawler(["fleet", "forget", &address(redis), &worker.to_string()]))
}

/// The number of pages in one folder of all these workers, which is sound.
fn merged(workers: &[&Crawl], site: &Site) -> u64 {
    let merged = Crawl::of(format!("http://{}:{}/", host(0), site.port()));
    let folders: Vec<_> = workers.iter().map(|worker| worker.data()).collect();
    run(crawler(["merge", "--data"]).arg(merged.data()).args(&folders)).succeeded();
    merged.read("verify", &[]).succeeded();
    count(&merged.report(), "fetched")
}

#[test]
fn a_crawl_that_redis_has_lost_goes_on_from_the_data_folders() {
    // Without a file: what it has is lost with its process.
    let (mut redis, site) = (Redis::start(&[]), slow_site());
    let (workers, running) = in_the_middle(&site, &redis);
    for worker in running {
        worker.interrupt();
        worker.wait().with_code(130);
    }
    let numbers: Vec<u64> = workers.iter().map(number_of).collect();
    redis.kill();
    redis.restart();
    let asked = site.requests().len();
    assert!(times(&site).len() < HOSTS * PAGES, "it stopped before the end");
    // One worker alone does not know what the others have finished. It may be killed meanwhile.
    let mut first = workers[0].start();
    first.wait_for_stderr("until these workers have brought back");
    std::thread::sleep(2 * LEASE);
    first.kill();
    let running: Vec<Running> = workers[..2].iter().map(Crawl::start).collect();
    running[1].wait_for_stderr("until these workers have brought back");
    let status = run(&mut crawler(["fleet", "status", &address(&redis)])).succeeded();
    status.says(&[&format!("brought back their data folders: {}", numbers[2])]);
    std::thread::sleep(2 * LEASE);
    assert_eq!(site.requests().len(), asked, "it waits for the last folder");
    let last = workers[2].start();
    for worker in running.into_iter().chain([last]) {
        worker.wait().succeeded();
    }
    assert_eq!(times(&site).keys().cloned().collect::<BTreeSet<_>>(), all_pages(&site));
    assert_eq!(asked_twice(&site), []);
    assert_one_worker_at_a_time(&site);
    assert_eq!(fetched(&workers), (HOSTS * PAGES) as u64);
    assert_eq!(workers.iter().map(number_of).collect::<Vec<_>>(), numbers);
    let all: Vec<&Crawl> = workers.iter().collect();
    assert_eq!(merged(&all, &site), (HOSTS * PAGES) as u64);
    for worker in &workers {
        worker.read("verify", &[]).succeeded();
    }
    // A crawl that has ended is restored, too, and ends.
    redis.kill();
    redis.restart();
    let asked = site.requests().len();
    let running: Vec<Running> = workers.iter().map(Crawl::start).collect();
    for worker in running {
        worker.wait().succeeded();
    }
    assert_eq!(site.requests().len(), asked);
}

#[test]
fn what_redis_and_a_disk_have_lost_is_fetched_again() {
    let (mut redis, site) = (Redis::start(&[]), slow_site());
    let (workers, mut running) = in_the_middle(&site, &redis);
    for worker in &mut running {
        worker.kill();
    }
    drop(running);
    redis.kill();
    redis.restart();
    let lost = number_of(&workers[2]);
    fs::remove_dir_all(workers[2].data()).unwrap();
    let running: Vec<Running> = workers[..2].iter().map(Crawl::start).collect();
    running[0].wait_for_stderr("until these workers have brought back");
    wait_until("both folders are known to the servers", || {
        run(&mut crawler(["fleet", "status", &address(&redis)]))
            .succeeded()
            .stdout
            .contains(&format!("brought back their data folders: {lost}\n"))
    });
    forget(lost, &redis).succeeded().says(&["is forgotten"]);
    for worker in running {
        worker.wait().succeeded();
    }
    assert_eq!(merged(&[&workers[0], &workers[1]], &site), (HOSTS * PAGES) as u64);
}

#[test]
fn a_folder_of_another_crawl_restores_nothing() {
    let (mut redis, site) = (Redis::start(&[]), site(Duration::ZERO));
    let old = worker(1, &site, &redis);
    old.run();
    redis.kill();
    redis.restart();
    worker(2, &site, &redis).run();
    old.end(&[]).with_code(1).complains_of(&["belongs to the crawl"]);
}

#[test]
fn the_pages_of_a_forgotten_worker_are_fetched_again() {
    let (redis, site) = (
        Redis::start(&["--appendonly", "yes", "--appendfsync", "always"]),
        site(Duration::from_millis(100)),
    );
    let (workers, mut running) = in_the_middle(&site, &redis);
    // So that the others do not reach the end before the lease of the killed worker has run out.
    run(&mut crawler(["fleet", "pause", &address(&redis)])).succeeded();
    running[2].kill();
    let lost = number_of(&workers[2]);
    let copy = tempfile::tempdir().unwrap();
    let kept_back = copy.path().join("data");
    fs::rename(workers[2].data(), &kept_back).unwrap();
    forget(lost, &redis).with_code(1).complains_of(&["its lease lasts"]);
    forget(99, &redis).with_code(1).complains_of(&["has no worker 99"]);
    wait_until("its lease has run out", || forget(lost, &redis).code == Some(0));
    forget(lost, &redis).succeeded().says(&["forgotten before"]);
    // It comes back all the same.
    fs::rename(&kept_back, workers[2].data()).unwrap();
    workers[2]
        .end(&[])
        .with_code(1)
        .complains_of(&["was forgotten", "merge it with the others"]);
    drop(running.pop());
    run(&mut crawler(["fleet", "resume", &address(&redis)])).succeeded();
    for worker in running {
        worker.wait().succeeded();
    }
    let others = [&workers[0], &workers[1]];
    for worker in others {
        worker.read("verify", &[]).succeeded();
    }
    assert_eq!(merged(&others, &site), (HOSTS * PAGES) as u64);
    let status = run(&mut crawler(["fleet", "status", &address(&redis)])).succeeded();
    status.says(&["forgotten"]);
    // The folder is whole, and a merge takes it.
    assert_eq!(
        merged(&[&workers[0], &workers[1], &workers[2]], &site),
        (HOSTS * PAGES) as u64
    );
}

#[test]
fn a_worker_can_be_forgotten_while_no_worker_runs() {
    let (redis, site) = (
        Redis::start(&["--appendonly", "yes", "--appendfsync", "always"]),
        // Long enough that every worker gets hosts.
        site(Duration::from_millis(400)),
    );
    let workers: Vec<Crawl> = (1..=3).map(|number| worker(number, &site, &redis)).collect();
    let running: Vec<Running> = workers.iter().map(Crawl::start).collect();
    for worker in running {
        worker.wait().succeeded();
    }
    let pages = |worker: &Crawl| count(&worker.report(), "fetched");
    let lost = (0..workers.len())
        .filter(|number| pages(&workers[*number]) > 0)
        .min_by_key(|number| pages(&workers[*number]))
        .unwrap();
    let asked = times(&site);
    let its_pages = pages(&workers[lost]) as usize;
    let number = number_of(&workers[lost]);
    fs::remove_dir_all(workers[lost].data()).unwrap();
    forget(number, &redis)
        .succeeded()
        .says(&["the next worker that starts"]);
    let others: Vec<&Crawl> = (0..workers.len())
        .filter(|at| *at != lost)
        .map(|at| &workers[at])
        .collect();
    let running: Vec<Running> = others.iter().map(|worker| worker.start()).collect();
    for worker in running {
        worker.wait().succeeded();
    }
    assert_eq!(merged(&others, &site), (HOSTS * PAGES) as u64);
    let again = times(&site).values().sum::<usize>() - asked.values().sum::<usize>();
    assert_eq!(again, its_pages, "its pages and nothing else");
}
