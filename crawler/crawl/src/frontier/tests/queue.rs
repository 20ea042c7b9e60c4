//! The order of one host's URLs.

use storage::QueuedUrl;

use super::super::queue::{HostQueue, LONGEST_PROBATION, Next};
use super::BUFFER;
use crate::steering::{PRIORITY_DEPRIORITISED, PRIORITY_HELD_BACK};

fn queued(seq: u64, priority: u8, path: &str) -> QueuedUrl {
    QueuedUrl {
        url: format!("http://h/{path}"),
        host: "h".into(),
        depth: 1,
        redirects: 0,
        attempts: 0,
        priority,
        via: None,
        seq,
        id: seq,
        revisits: None,
    }
}

fn take(queue: &mut HostQueue) -> Option<u64> {
    let Next::Url(waiting) = queue.take() else { return None };
    queue.begin(waiting.queued.seq, waiting.skeleton());
    Some(waiting.queued.seq)
}

#[test]
fn a_url_of_another_skeleton_than_those_in_process_goes_first_but_none_waits_for_it() {
    let mut queue = HostQueue::new(false);
    for (seq, path) in [(1, "a/1"), (2, "a/2"), (3, "b?x=1"), (4, "b?x=2"), (5, "c")] {
        queue.offer(queued(seq, 0, path));
    }
    let order: Vec<_> = std::iter::from_fn(|| take(&mut queue)).collect();
    assert_eq!(order, [1, 3, 5, 2, 4]);
}

#[test]
fn similar_pages_go_one_by_one_until_three_have_said_something_new() {
    let mut queue = HostQueue::new(true);
    for seq in 1..=9 {
        queue.offer(queued(seq, 0, &format!("a?n={seq}")));
    }
    for seq in 1..=3 {
        assert_eq!(take(&mut queue), Some(seq));
        assert!(matches!(queue.take(), Next::AwaitsVerdict));
        queue.decided(seq, false);
    }
    assert_eq!(
        [take(&mut queue), take(&mut queue), take(&mut queue)],
        [Some(4), Some(5), Some(6)]
    );
}

#[test]
fn duplicates_prolong_the_probation_up_to_its_longest() {
    let mut queue = HostQueue::new(true);
    for seq in 1..=30 {
        queue.offer(queued(seq, 0, &format!("a/{seq}/{seq}")));
    }
    for seq in 1..=u64::from(LONGEST_PROBATION) {
        assert_eq!(take(&mut queue), Some(seq));
        assert!(matches!(queue.take(), Next::AwaitsVerdict));
        queue.decided(seq, true);
    }
    assert!(take(&mut queue).is_some() && take(&mut queue).is_some());
}

#[test]
fn without_pages_in_process_urls_keep_the_order_of_the_frontier() {
    let mut queue = HostQueue::new(false);
    for seq in 1..=5 {
        queue.offer(queued(seq, 0, &format!("a/{seq}")));
    }
    for seq in 1..=5 {
        assert_eq!(take(&mut queue), Some(seq));
        queue.end(seq);
    }
}

#[test]
fn deprioritised_urls_go_last_even_when_the_others_are_in_the_store() {
    let mut queue = HostQueue::new(false);
    queue.offer(queued(1, PRIORITY_DEPRIORITISED, "a"));
    for seq in 2..=BUFFER as u64 + 1 {
        queue.offer(queued(seq, 0, &format!("{seq}")));
    }
    assert!(queue.has_stored(), "one did not fit");
    for _ in 1..BUFFER {
        let seq = take(&mut queue).unwrap();
        assert_ne!(seq, 1);
        queue.end(seq);
    }
    assert_eq!(take(&mut queue), None, "an earlier one is in the store");
    assert!(queue.is_empty());
    queue.refilled(
        vec![
            queued(BUFFER as u64 + 1, 0, "z"),
            queued(1, PRIORITY_DEPRIORITISED, "a"),
        ],
        false,
    );
    assert_eq!(
        [take(&mut queue), take(&mut queue), take(&mut queue)],
        [Some(BUFFER as u64 + 1), Some(1), None]
    );
}

#[test]
fn held_back_urls_come_back_only_for_a_review() {
    let mut queue = HostQueue::new(false);
    queue.offer(queued(1, PRIORITY_HELD_BACK, "a"));
    assert_eq!(take(&mut queue), None);
    queue.note_stored();
    assert_eq!(queue.begin_refill(true), None);
    queue.refilled(vec![queued(2, 0, "b"), queued(1, PRIORITY_HELD_BACK, "a")], true);
    assert_eq!([take(&mut queue), take(&mut queue)], [Some(2), None]);
    assert!(!queue.wants_more(true), "held-back URLs are not asked for");
    queue.review_held_back();
    for seq in [1, 7] {
        assert!(queue.wants_more(true));
        let from = if seq > 1 {
            (PRIORITY_HELD_BACK, 1, 1)
        } else {
            (PRIORITY_HELD_BACK, 0, 0)
        };
        assert_eq!(queue.begin_refill(true), Some(from));
        queue.refilled(vec![queued(seq, PRIORITY_HELD_BACK, "a")], seq == 1);
        assert_eq!(take(&mut queue), Some(seq));
    }
    assert!(!queue.wants_more(true), "each is judged once");
}

#[test]
fn a_bounded_queue_leaves_the_rest_to_the_store_and_asks_for_no_more_than_its_bound() {
    let mut queue = HostQueue::new(false);
    assert_eq!(queue.most(), BUFFER);
    for seq in 1..=3 {
        queue.offer(queued(seq, 0, &format!("{seq}")));
    }
    // What is in memory stays, and nothing comes to it.
    queue.bound(2);
    queue.offer(queued(4, 0, "4"));
    assert_eq!(queue.most(), 2);
    assert!(queue.has_stored());
    for seq in 1..=3 {
        assert!(!queue.wants_more(true), "{seq}");
        assert_eq!(take(&mut queue), Some(seq));
        queue.end(seq);
    }
    assert!(queue.wants_more(true));
    queue.begin_refill(true);
    queue.refilled(vec![queued(4, 0, "4")], false);
    assert_eq!([take(&mut queue), take(&mut queue)], [Some(4), None]);
}
