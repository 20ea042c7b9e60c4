//! No record is overslept, and neither is the end.

use super::*;

/// Longer than any test: a receiver that waits so long was not woken.
const LONG: Duration = Duration::from_secs(120);

#[test]
fn a_receiver_that_sleeps_between_records_misses_none_and_learns_of_the_end() {
    let (sender, receiver) = record_channel(4);
    let senders: Vec<_> = (0..3)
        .map(|number| {
            let sender = sender.clone();
            thread::spawn(move || {
                for record in 0..2_000 {
                    // The pauses are about as long as the receiver needs to fall asleep, and shorter, and longer.
                    (0..(record * 7 + number * 131) % 997).for_each(|_| std::hint::spin_loop());
                    sender.expect_more(record % 100 == number);
                    assert!(sender.send((Record::ReadSeeds, Claim::default())));
                }
            })
        })
        .collect();
    drop(sender);
    let mut records = 0;
    let end = loop {
        match receiver.recv_timeout(LONG) {
            Ok(_) => records += 1,
            Err(end) => break end,
        }
    };
    senders.into_iter().for_each(|sender| sender.join().unwrap());
    assert_eq!((records, end), (6_000, RecvTimeoutError::Disconnected));
}

#[test]
fn the_last_sender_wakes_the_receiver() {
    for _ in 0..200 {
        let (sender, receiver) = record_channel(1);
        let waiting = thread::spawn(move || receiver.recv_timeout(LONG).map(drop));
        thread::yield_now();
        drop(sender);
        assert_eq!(waiting.join().unwrap(), Err(RecvTimeoutError::Disconnected));
    }
}

#[test]
fn a_wait_ends_in_time_and_a_sender_learns_that_the_receiver_has_ended() {
    let (sender, receiver) = record_channel(1);
    let waited = receiver.recv_timeout(Duration::from_millis(1)).map(drop);
    assert_eq!(waited, Err(RecvTimeoutError::Timeout));
    assert!(sender.send((Record::ReadSeeds, Claim::default())));
    assert!(sender.is_full());
    let late = sender.send_timeout((Record::ReadSeeds, Claim::default()), Duration::from_millis(1));
    assert!(matches!(late, Err(SendTimeoutError::Timeout(_))));
    drop(receiver);
    assert!(!sender.send((Record::ReadSeeds, Claim::default())));
}

#[test]
fn the_end_comes_through_a_nap() {
    let (sender, receiver) = record_channel(1);
    sender.expect_more(true);
    let waited = receiver.recv_timeout(Duration::from_millis(1)).map(drop);
    assert_eq!(waited, Err(RecvTimeoutError::Timeout));
    drop(sender);
    assert_eq!(
        receiver.recv_timeout(LONG).map(drop),
        Err(RecvTimeoutError::Disconnected)
    );
}
