//! A crawl that the servers have lost comes back with the workers' folders; a worker that is forgotten does not.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use fleet::{
    Entry, Fleet, FleetError, Forgotten, JoinOptions, Partition, Position, Remembered, UrlHash, WorkerNumber, forget,
    status,
};
use support::{Server, beat, changes, entries, options, queued, waiting, worker};

/// How the folder of a worker joins again.
fn again(address: &str, folder: u64, fleet: &Fleet, last: u16) -> JoinOptions {
    let mut options = options(address, folder);
    options.crawl = Some(fleet.crawl());
    options.remembered = Remembered {
        worker: Some(fleet.worker()),
        life: fleet.life(),
        last,
        forgotten: Vec::new(),
    };
    options
}

#[tokio::test]
async fn a_lost_crawl_is_the_same_one_again_and_waits_for_all_its_workers() {
    let server = Server::start(&[]);
    let address = server.address();
    let mut old = Vec::new();
    for folder in 1..=4 {
        old.push(worker(&address, folder).await);
    }
    assert_eq!(beat(&old[0]).await.last, 4);
    server.ask(&["FLUSHALL"]);
    // The second folder comes first, and knows of three workers.
    let two = Fleet::join(again(&address, 2, &old[1], 3)).await.unwrap();
    assert_eq!((two.crawl(), two.worker()), (old[0].crawl(), WorkerNumber(2)));
    assert_ne!(two.life(), old[1].life());
    assert_eq!(beat(&two).await.awaited, [1, 2, 3]);
    two.is_back().await.unwrap();
    assert_eq!(beat(&two).await.awaited, [1, 3]);
    // A new folder has nothing to bring back, and gets a number that no worker has.
    let new = worker(&address, 9).await;
    assert_eq!((new.worker(), new.life()), (WorkerNumber(4), two.life()));
    assert_eq!(beat(&new).await.awaited, [1, 3]);
    let taken = Fleet::join(again(&address, 4, &old[3], 4)).await.map(drop).unwrap_err();
    assert!(matches!(taken, FleetError::NumberTaken { worker: 4, .. }), "{taken}");
    let one = Fleet::join(again(&address, 1, &old[0], 4)).await.unwrap();
    assert_eq!((one.worker(), one.life()), (WorkerNumber(1), two.life()));
    one.is_back().await.unwrap();
    assert_eq!(status(&address, "crawl").await.unwrap().awaited, [3]);
    assert_eq!(forget(&address, "crawl", WorkerNumber(3)).await, Ok(Forgotten::Now));
    let pulse = beat(&one).await;
    assert_eq!((pulse.awaited, pulse.forgotten), (vec![], vec![3]));
    let gone = Fleet::join(again(&address, 3, &old[2], 4)).await.map(drop).unwrap_err();
    assert!(matches!(gone, FleetError::Dismissed { worker: 3, .. }), "{gone}");
    // A process that slept through all this is told to end.
    let slept = old[0].heartbeat(&fleet::WorkerReport::default()).await.unwrap_err();
    assert!(!slept.is_transient(), "{slept}");
}

#[tokio::test]
async fn what_any_folder_has_finished_is_finished_in_whatever_order_the_folders_come() {
    let server = Server::start(&[]);
    let one = worker(&server.address(), 1).await;
    let (a, b) = ("https://a.example/a", "https://a.example/b");
    let rows = [(Partition(3), vec![waiting(a), waiting(b)])];
    for is_finished_first in [true, false] {
        if is_finished_first {
            one.bring_back(&[(Partition(3), vec![(UrlHash::of(a), None)])])
                .await
                .unwrap();
        }
        for _ in 0..2 {
            one.enqueue(&rows).await.unwrap();
        }
        for _ in 0..2 {
            one.bring_back(&[(Partition(3), vec![(UrlHash::of(a), None)])])
                .await
                .unwrap();
        }
        assert_eq!(queued(&one, Partition(3)).await, [b]);
        assert_eq!(one.waiting().await.unwrap(), 1);
        assert_eq!(
            one.done(Partition(3), &[UrlHash::of(a), UrlHash::of(b)]).await.unwrap(),
            [true, false]
        );
        server.ask(&["DEL", "{crawl/3}m", "{crawl/3}q", "{crawl/3}k0", "{crawl/3}d0"]);
    }
}

#[tokio::test]
async fn the_depths_of_finished_urls_come_back_and_shorter_paths_lower_them() {
    let server = Server::start(&[]);
    let one = worker(&server.address(), 1).await;
    let url = "https://a.example/a";
    let at = |depth| {
        let url = fleet::WaitingUrl { depth, ..waiting(url) };
        [(Partition(3), vec![url])]
    };
    let finished = |depth| [(Partition(3), vec![(UrlHash::of(url), depth)])];
    let depths = async || {
        let slice = one.read_queue(Partition(3), None, 0, 100).await.unwrap();
        let of = |urls: Vec<fleet::WaitingUrl>| urls.into_iter().map(|url| url.depth).collect::<Vec<u16>>();
        (of(slice.urls), of(slice.lowered))
    };
    // Two folders have finished it, and one of them does not know its depth.
    for depth in [Some(6), Some(5), None] {
        one.bring_back(&finished(depth)).await.unwrap();
    }
    one.enqueue(&at(7)).await.unwrap();
    assert_eq!(depths().await, (vec![], vec![]), "a longer path");
    one.enqueue(&at(4)).await.unwrap();
    assert_eq!(depths().await, (vec![], vec![4]), "a shorter one");
    assert_eq!(one.waiting().await.unwrap(), 0);
    // What it brought is lost, and nobody who asks for it knows the depth.
    one.reopen(Some(WorkerNumber(2)), &at(fleet::UNKNOWN_DEPTH))
        .await
        .unwrap();
    assert_eq!(depths().await.0, [4, 4]);
    assert_eq!(one.waiting().await.unwrap(), 1);
}

#[tokio::test]
async fn a_finished_url_is_queued_again_once_for_each_worker_that_is_lost() {
    let server = Server::start(&[]);
    let one = worker(&server.address(), 1).await;
    let url = "https://a.example/a";
    let rows = [(Partition(3), vec![waiting(url)])];
    let grant = one.reclaim(&[Partition(3)]).await.unwrap()[0];
    for (lost, times) in [(Some(WorkerNumber(2)), 1), (Some(WorkerNumber(5)), 1), (None, 2)] {
        let mut queued_again = 0;
        for _ in 0..2 {
            one.commit(Partition(3), grant.epoch, &changes(&[url], &[]))
                .await
                .unwrap();
            queued_again += one.reopen(lost, &rows).await.unwrap();
        }
        assert_eq!(queued_again, times, "{lost:?}");
    }
}

#[tokio::test]
async fn a_worker_that_lives_cannot_be_forgotten() {
    let server = Server::start(&[]);
    let address = server.address();
    let missing = forget(&address, "crawl", WorkerNumber(1)).await.unwrap_err();
    assert!(matches!(missing, FleetError::Forgotten { .. }), "{missing}");
    let one = worker(&address, 1).await;
    let alive = forget(&address, "crawl", WorkerNumber(1)).await.unwrap_err();
    assert!(matches!(alive, FleetError::Alive { worker: 1, .. }), "{alive}");
    let none = forget(&address, "crawl", WorkerNumber(2)).await.unwrap_err();
    assert!(matches!(none, FleetError::NoWorker { last: 1, .. }), "{none}");
    one.leave().await.unwrap();
    assert_eq!(forget(&address, "crawl", WorkerNumber(1)).await, Ok(Forgotten::Now));
    assert_eq!(forget(&address, "crawl", WorkerNumber(1)).await, Ok(Forgotten::Before));
    let error = one.heartbeat(&fleet::WorkerReport::default()).await.unwrap_err();
    assert!(matches!(error, FleetError::Dismissed { worker: 1, .. }), "{error}");
    let two = worker(&address, 2).await;
    assert_eq!(two.worker(), WorkerNumber(2), "no number is given twice");
    assert_eq!(beat(&two).await.forgotten, [1]);
}

#[tokio::test]
async fn a_segment_covers_the_place_at_which_its_worker_has_forgotten_another_one() {
    let server = Server::start(&[]);
    let one = worker(&server.address(), 1).await;
    let page = |sequence| Entry {
        page: fleet::PageId {
            worker: WorkerNumber(1),
            sequence,
        },
        url: "https://a.example/".to_owned(),
        signature: vec![7; 300],
    };
    let pages: Vec<Entry> = (0..200).map(page).collect();
    one.append(&pages[..100]).await.unwrap();
    one.append(&[Entry::that_forgets(WorkerNumber(2))]).await.unwrap();
    one.append(&pages[100..]).await.unwrap();
    let all = entries(one.read_log(Position::default(), 1_000).await.unwrap());
    let (forgot_at, forgotten) = &all[100];
    assert_eq!(forgotten.page.forgets(), Some(WorkerNumber(2)));
    assert_eq!(
        all.iter().filter(|(_, entry)| entry.page.forgets().is_some()).count(),
        1
    );
    let everything = Position(u64::MAX, u64::MAX);
    let draft = one.begin_segment(everything, 10).await.unwrap().unwrap();
    assert!(draft.end() < *forgot_at);
    one.leave_segment(draft).await.unwrap();
    let draft = one
        .begin_segment_up_to(everything, 10, *forgot_at)
        .await
        .unwrap()
        .unwrap();
    assert!(draft.end() >= *forgot_at && draft.pages().any(|page| page.forgets().is_some()));
}
