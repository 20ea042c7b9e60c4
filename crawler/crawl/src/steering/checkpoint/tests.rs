//! A checkpoint and the pages behind it teach what all pages teach, and nothing else is taken for a checkpoint.

mod sequences;
mod stores;

use proptest::prelude::*;
use serde_json::Value;

use self::sequences::Sequence;
use super::*;
use crate::steering::tests::policy;
use crate::steering::{DuplicateOf, JudgedPage};
use config::settings::DuplicateShare;

/// Steering that forgets soon.
fn forgetful(policy: SteeringSettings) -> Steering {
    Steering {
        memory: Memory::of(60),
        traps: Traps::remembering(80, 10),
        ..Steering::new(policy)
    }
}

fn learn(steering: &mut Steering, pages: &[(String, JudgedPage)]) {
    for (host, page) in pages {
        let _to_review = steering.decided(host, page);
    }
}

/// What a new process, which knows nothing yet, knows after it has read what `steering` wrote.
fn reopened(steering: &Steering, mut again: Steering) -> Steering {
    again.take(&steering.encoded(0).unwrap()).unwrap();
    again.learned_to = steering.learned_to;
    again
}

/// What was learned, in one order.
fn in_order(steering: &Steering) -> String {
    let known = (&steering.hosts, steering.rules, &steering.memory, &steering.traps);
    canonical(&serde_json::to_value(known).unwrap())
}

fn canonical(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().map(|(key, value)| (key, canonical(value))).collect();
            fields.sort();
            format!("{fields:?}")
        }
        Value::Array(values) => format!("{:?}", values.iter().map(canonical).collect::<Vec<_>>()),
        other => other.to_string(),
    }
}

#[track_caller]
fn assert_same(a: &Steering, b: &Steering) {
    assert_eq!(a.hosts, b.hosts);
    assert_eq!(a.rules, b.rules);
    assert!(a.memory == b.memory, "the memories differ");
    assert!(a.traps == b.traps, "the patterns and traps differ");
    assert!(a.folders == b.folders, "the folders differ");
    assert_eq!(a.learned_to, b.learned_to);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_checkpoint_at_any_page_and_the_rest_teach_what_all_pages_teach(
        seed in any::<u64>(),
        pages in 1..260_usize,
        cut in 0.0..1.0_f64,
        (is_forgetful, enabled, has_share, has_rule) in any::<(bool, bool, bool, bool)>(),
    ) {
        let mut policy = policy();
        // One of the three must be on.
        policy.enabled = enabled || !has_share && !has_rule;
        policy.duplicate_share = has_share.then_some(DuplicateShare { share: 0.8, window: 12 });
        policy.apply.extend(has_rule.then(|| "h0: parameter sid".parse().unwrap()));
        let new = |policy| if is_forgetful { forgetful(policy) } else { Steering::new(policy) };
        let pages = Sequence::of(seed).take(pages);
        let cut = (cut * pages.len() as f64) as usize;
        let mut all = new(policy.clone());
        learn(&mut all, &pages);
        let mut first = new(policy);
        learn(&mut first, &pages[..cut]);
        let mut rest = reopened(&first, new(first.policy.clone()));
        learn(&mut rest, &pages[cut..]);
        assert_same(&all, &rest);
    }
}

#[test]
fn what_no_pages_can_have_taught_is_not_taken() {
    let policy = || SteeringSettings {
        duplicate_share: Some(DuplicateShare { share: 0.8, window: 12 }),
        ..policy()
    };
    let mut steering = Steering::new(policy());
    learn(&mut steering, &Sequence::of(3).take(400));
    let takes = |steering: &Steering, policy| Steering::new(policy).take(&steering.encoded(0).unwrap()).is_some();
    assert!(takes(&steering, policy()));
    // The windows of the folders have other bounds.
    let narrow = Some(DuplicateShare { share: 0.8, window: 4 });
    assert!(!takes(
        &steering,
        SteeringSettings {
            duplicate_share: narrow,
            ..policy()
        }
    ));
    steering.rules += 1;
    assert!(!takes(&steering, policy()));
    steering.rules -= 1;
    steering.memory = Memory::of(usize::MAX);
    assert!(!takes(&steering, policy()));
    assert!(!takes(&forgetful(policy()), policy()));
}

#[test]
fn rules_patterns_and_traps_are_the_same_after_a_checkpoint_within_their_evidence() {
    let pages = Sequence::of(7).take(2_500);
    let mut all = Steering::new(policy());
    learn(&mut all, &pages);
    assert!(
        all.rules()
            .iter()
            .any(|standing| standing.holds && standing.is_held_back)
    );
    assert!(!all.traps().is_empty() && !all.deprioritised_patterns().is_empty());
    for cut in [1, 60, 400, 1_200, 2_499] {
        let mut first = Steering::new(policy());
        learn(&mut first, &pages[..cut]);
        let mut rest = reopened(&first, Steering::new(policy()));
        learn(&mut rest, &pages[cut..]);
        assert_same(&all, &rest);
        assert_eq!((all.rules(), all.traps()), (rest.rules(), rest.traps()));
    }
}

#[test]
fn tests_under_way_and_samples_begin_anew_and_change_nothing_that_is_learned() {
    let pages = Sequence::of(11).take(1_500);
    let mut plain = Steering::new(policy());
    let mut busy = Steering::new(policy());
    for (seq, (host, page)) in (0..).zip(&pages) {
        let url = url::Url::parse(&page.url).unwrap();
        let rules: Vec<_> = web::url_rule::suggestible_rules(&url);
        for rule in rules {
            let reason = crate::steering::Reason::Rule(rule.clone());
            busy.begin_test(host, seq, rule);
            let _is_sample = busy.is_sample(host, &reason);
        }
        let _to_review = busy.decided(host, page);
        let _to_review = plain.decided(host, page);
    }
    assert!(
        busy.hosts
            .values()
            .any(|host| host.learned().any(|learned| learned.is_tested))
    );
    assert_same(&plain, &reopened(&busy, Steering::new(policy())));
}

/// Postcard names no fields, so a file of another order would be read with the values exchanged. If this fails, raise [`VERSION`], and then put
/// the new values here. Each map has one entry, because a hash map has no order.
#[test]
fn the_bytes_of_what_was_learned_change_only_with_the_version() {
    let evidence = serde_json::json!({
        "confirmed": 1, "exact": 2, "contradicted": 3, "longest_chain": 4, "examples": [{"url": "u", "same_as": "s"}],
        "from_within": 5, "paths": 6, "has_shared_value": true
    });
    let rule = serde_json::json!({"Parameter": {"name": "sid", "path": "/#"}});
    let learned = serde_json::json!([{"rule": rule, "evidence": evidence, "is_applied": false}]);
    let known: Learned = serde_json::from_value(serde_json::json!({
        "hosts": {"h": {
            "wide": learned,
            "by_shape": {"/#": []},
            "patterns": {"p": {"is_begun": true, "pages": 2, "duplicates": 3}}
        }},
        "rules": 1,
        "memory": {"young": {"1": 2}, "old": {"3": 4}, "generation": 5},
        "traps": {
            "counts": {"young": {"1": {
                "news": 1, "pages_to_news": 2, "duplicates": 3, "barren": 4, "near": 5, "from_within": 6
            }}, "old": {}, "generation": 7},
            "sources": {"young": {"1": {"host": "h", "url": "u", "leads_nowhere": true}}, "old": {}, "generation": 8},
            "traps": {"h": {"9": {"pattern": "p", "duplicates": 10}}}
        },
        "folders": {"windows": {}}
    }))
    .unwrap();
    let bytes = Known {
        hosts: &known.hosts,
        rules: known.rules,
        memory: &known.memory,
        traps: &known.traps,
        folders: &known.folders,
    };
    let mut in_root = Steering::new(SteeringSettings {
        duplicate_share: Some(DuplicateShare { share: 0.8, window: 4 }),
        ..policy()
    });
    for page in 1..=6 {
        let duplicate_of = (page == 6).then(|| DuplicateOf {
            page: 1,
            url: "https://h/1".into(),
            is_exact: true,
            new_links: Some(Vec::new()),
        });
        let (url, via) = (format!("https://h/{page}"), None);
        let page = JudgedPage {
            page,
            url,
            via,
            duplicate_of,
            is_incomplete: false,
        };
        learn(&mut in_root, &[("h".into(), page)]);
    }
    let hash = |bytes: postcard::Result<Vec<u8>>| xxh3_64(&bytes.unwrap());
    let hashes = [
        hash(postcard::to_stdvec(&bytes)),
        hash(postcard::to_stdvec(&in_root.folders)),
    ];
    assert_eq!(
        (VERSION, hashes),
        (1, [10_605_102_666_999_484_623, 14_248_392_950_128_000_265])
    );
}

/// If this fails, the code learns something else from the same pages, or encodes it in another way: raise [`VERSION`], so that no run
/// continues from what an older version learned. Then put the new value here.
#[test]
fn what_some_pages_teach_changes_only_with_the_version() {
    let mut steering = Steering::new(policy());
    learn(&mut steering, &Sequence::of(3).take(1_500));
    assert_eq!(
        (VERSION, xxh3_64(in_order(&steering).as_bytes())),
        (1, 12_161_474_131_717_994_624)
    );
}

#[test]
fn only_settings_that_change_what_is_learned_have_another_hash() {
    let same = SteeringSettings {
        min_confirmed: 9,
        min_pattern_pages: 99,
        leave: config::Leave::Nothing,
        ..policy()
    };
    assert_eq!(hash_of(&policy()), hash_of(&same));
    let share = |share, window| SteeringSettings {
        duplicate_share: Some(DuplicateShare { share, window }),
        ..policy()
    };
    let others = [
        SteeringSettings {
            enabled: false,
            ..policy()
        },
        SteeringSettings {
            apply: vec!["h: parameter sid".parse().unwrap()],
            ..policy()
        },
        share(0.8, 100),
        share(0.9, 100),
        share(0.8, 200),
    ];
    let mut hashes: Vec<u64> = others.iter().chain([&policy()]).map(hash_of).collect();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), 6);
}
