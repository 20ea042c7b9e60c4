//! Letters to other workers.

use storage::{Ended, Letter, Outcome, Store};

use super::support::*;

fn letter(kind: u8, text: &str) -> Letter {
    Letter {
        kind,
        bytes: text.as_bytes().to_vec(),
    }
}

fn texts(store: &Store) -> Vec<String> {
    let letters = store.outbox().letters(0, usize::MAX).unwrap().into_iter();
    letters
        .map(|(_, letter)| String::from_utf8(letter.bytes).unwrap())
        .collect()
}

/// A letter that tells all that a letter may tell.
fn all(ended: &Ended<'_>) -> Vec<Letter> {
    let links: Vec<&str> = ended.links.iter().map(|link| link.url.as_str()).collect();
    let requeued = ended.requeued.map(|queued| queued.attempts);
    vec![letter(1, &format!("{:?} {links:?} {requeued:?}", ended.page_id))]
}

#[test]
fn letters_become_durable_with_their_outcome() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let seeds = [link("h", "a"), link("h", "b")];
    let queued = store
        .discover_with(&seeds, None, |new| vec![letter(0, &new.len().to_string())])
        .unwrap();
    store.commit().unwrap();
    let links = [link("h", "b"), link("i", "c")];
    let finished = store
        .finish_with(&queued[0], kept(&queued[0]), &links[..].into(), all)
        .unwrap();
    store
        .finish_with(&queued[1], Outcome::Retry, &links[..].into(), all)
        .unwrap();
    store.mail(vec![letter(9, "alone")]).unwrap();
    assert_eq!(finished.newly_queued.len(), 1);
    assert_eq!(texts(&store), ["2"], "what is not committed is not shown");
    let copy = tempfile::tempdir().unwrap();
    copy_folder(dir.path(), copy.path());
    let mut copied = open(copy.path());
    assert_eq!(texts(&copied), ["2"]);
    copied.finish(&queued[0], kept(&queued[0]), &links).unwrap();

    store.commit().unwrap();
    drop(store);
    let store = open(dir.path());
    let told = ["2", r#"Some(1) ["https://i/c"] None"#, "None [] Some(1)", "alone"];
    assert_eq!(texts(&store), told);
    assert_sound(&store);
}

#[test]
fn letters_are_read_in_order_and_removed_when_they_have_arrived() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    assert!(store.outbox().is_empty());
    let mut written = Vec::new();
    for n in 0..40 {
        // Every tenth time, letters that do not fit into one row.
        let letters = if n % 10 == 0 { 300 } else { 3 };
        let some: Vec<Letter> = (0..letters)
            .map(|m| letter(7, &format!("{n} {m} {}", "x".repeat(50))))
            .collect();
        written.extend(some.clone());
        store.mail(some).unwrap();
    }
    store.commit().unwrap();
    let (mut read, mut last, mut arrived) = (Vec::new(), 0, 0);
    loop {
        let some = store.outbox().letters(last, 100).unwrap();
        let Some((number, _)) = some.last() else { break };
        assert!(some[0].0 > last && some.is_sorted_by_key(|(number, _)| *number));
        assert!((100..250).contains(&some.len()) || written.len() - read.len() == some.len());
        last = *number;
        read.extend(some.into_iter().map(|(_, letter)| letter));
        // What is removed, is removed for good with the next commit.
        store.sent(last).unwrap();
        if read.len() < written.len() / 2 {
            store.commit().unwrap();
            arrived = read.len();
        }
    }
    assert!(read == written, "{} of {}", read.len(), written.len());
    assert!(store.outbox().is_empty());
    drop(store);

    let mut store = open(dir.path());
    let left: Vec<Letter> = store
        .outbox()
        .letters(0, usize::MAX)
        .unwrap()
        .into_iter()
        .map(|(_, l)| l)
        .collect();
    assert!(
        left == written[arrived..],
        "the removals that were not committed are repeated"
    );
    store.sent(u64::MAX).unwrap();
    store.mail(vec![letter(1, "after all")]).unwrap();
    store.commit().unwrap();
    assert_eq!(texts(&store), ["after all"]);
    drop(store);
    let store = open(dir.path());
    assert_eq!(texts(&store), ["after all"]);
    assert_sound(&store);
}
