//! What the thread sends to the recorder, which is played here.

use web::host_key::HostKey;

use super::*;
use crate::record_channel::{RecordReceiver, record_channel};
use config::Config;

/// The orders of a run on this journal.
fn open(dir: &Path, taken: Option<u64>) -> Orders {
    let settings = Settings::new(&Config::default()).unwrap();
    let scope = Arc::new(Scope::new(settings.scope, settings.limits.max_depth));
    let stats = Arc::new(Stats::default());
    Orders::open(dir, taken, (&settings, &scope, &stats), SystemTime::now()).unwrap()
}

/// The next orders for the recorder.
fn next(records: &RecordReceiver) -> Taken {
    match records.recv_timeout(Duration::from_secs(60)).unwrap().0 {
        Record::Orders(taken) => *taken,
        other => panic!("no orders but {other:?}"),
    }
}

fn drop_of(what: &str) -> Order {
    Order::Drop {
        what: vec![what.to_owned()],
    }
}

fn bars(taken: &Taken) -> bool {
    let url = Url::parse("https://a.example/").unwrap();
    taken.steer.drops.refusal(&url).is_some()
}

#[test]
fn a_restore_is_applied_when_the_frontier_knows_that_the_drop_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let journal = Journal::in_folder(dir.path());
    let dropped = journal.order(drop_of("a.example"), 0).unwrap();
    let (records_in, records) = record_channel(8);
    let (_taker, _stop) = open(dir.path(), Some(dropped)).start(records_in).unwrap();
    let what = vec!["a.example".to_owned()];
    let restored = journal.order(Order::Restore { what }, dropped).unwrap();
    let first = next(&records);
    assert!(first.orders.is_empty() && !bars(&first), "{first:?}");
    assert!(
        records.recv_timeout(3 * LOOK_EVERY).is_err(),
        "it waits for the frontier"
    );
    first.done.send(Vec::new()).unwrap();
    let second = next(&records);
    assert_eq!(
        second.orders.iter().map(|order| order.id).collect::<Vec<_>>(),
        [restored]
    );
    assert!(matches!(&second.orders[0].wanted, Wanted::Restore(reasons) if reasons.len() == 1));
}

#[test]
fn another_journal_says_what_stands_and_no_order_is_taken_twice() {
    let dir = tempfile::tempdir().unwrap();
    let journal = Journal::in_folder(dir.path());
    journal.order(drop_of("a.example"), 0).unwrap();
    let paused = journal.order(Order::Pause, 0).unwrap();
    let mut orders = open(dir.path(), Some(paused));
    assert!(orders.in_force.is_dropped("a.example") && orders.in_force.paused.is_some());
    let text = std::fs::read_to_string(journal.path()).unwrap();
    let pause = text.lines().last().unwrap().to_owned();
    for another in [
        "",
        &format!("{pause}\n"),
        &format!("{pause}\n{pause}\n{pause}\n{pause}\n"),
    ] {
        std::fs::write(journal.path(), another).unwrap();
        let entries = orders.reader.read_on().unwrap();
        assert!(entries.is_another, "{another:?}");
        orders.take_in(&entries);
        assert!(!orders.in_force.is_dropped("a.example"));
        assert_eq!(orders.in_force.paused.is_some(), !another.is_empty());
        assert!(orders.waiting.is_empty() && orders.is_untold);
        // Back to the start, for the next round.
        std::fs::write(journal.path(), &text).unwrap();
        orders.reader = Reader::of(journal.clone());
        let entries = orders.reader.read_on().unwrap();
        orders.take_in(&entries);
    }
}

#[test]
fn what_was_added_counts_as_a_seed_in_the_next_run_unless_it_was_refused() {
    let dir = tempfile::tempdir().unwrap();
    let journal = Journal::in_folder(dir.path());
    let add = |urls: &[&str]| Order::Add {
        urls: urls.iter().map(|url| (*url).to_owned()).collect(),
    };
    let urls = [
        "https://a.example/",
        "https://b.example/",
        "sitemap:https://c.example/map.xml",
    ];
    let part = journal.order(add(&urls), 0).unwrap();
    let refused = vec![Refused {
        url: urls[1].to_owned(),
        reason: "dropped".to_owned(),
    }];
    let effect = Effect {
        queued: 1,
        ..Effect::default()
    };
    let answer = Answer::of(&add(&urls), effect, refused);
    journal.answer(part, answer).unwrap();
    let none = journal.order(add(&["https://d.example/"]), 0).unwrap();
    journal.answer(none, Answer::refusal("no")).unwrap();
    let mut orders = open(dir.path(), Some(none));
    let sitemaps: Vec<String> = orders.sitemaps().iter().map(Url::to_string).collect();
    assert_eq!(sitemaps, ["https://c.example/map.xml"]);
    let takes = |url: &str| {
        let host = HostKey::from_url(&Url::parse(url).unwrap()).unwrap();
        orders.scope.admits(&host, 1).is_ok()
    };
    assert!(takes("https://a.example/x") && takes("https://c.example/x"));
    assert!(!takes("https://b.example/x") && !takes("https://d.example/x"));
}
