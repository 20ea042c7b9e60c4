//! The table of digests on a real server, against a `HashMap`.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::collections::HashMap;

use fleet::{DigestClaim, Fleet, PageId};
use support::{Cluster, Server, worker};

/// What the table must say: the page of the first claim.
#[derive(Default)]
struct Oracle(HashMap<u128, PageId>);

impl Oracle {
    fn claim(&mut self, claims: &[DigestClaim]) -> Vec<PageId> {
        let first = claims
            .iter()
            .map(|claim| *self.0.entry(claim.digest).or_insert(claim.page));
        first.collect()
    }
}

/// Claims of a worker: few digests, so that many meet; those of a `crowd` lie in one small hash of one shard.
fn claims(fleet: &Fleet, from: u64, digests: u64, crowd: bool, random: &mut fastrand::Rng) -> Vec<DigestClaim> {
    let count = random.usize(1..60);
    (0..count as u64)
        .map(|at| {
            let number = u128::from(random.u64(..digests));
            let spread = number.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
            DigestClaim {
                digest: if crowd { number << 8 } else { spread },
                page: PageId {
                    worker: fleet.worker(),
                    sequence: from + at,
                },
            }
        })
        .collect()
}

#[tokio::test]
async fn the_first_claim_of_a_digest_has_it_whoever_repeats_what() {
    let server = Server::start(&[]);
    let workers = [worker(&server.address(), 1).await, worker(&server.address(), 2).await];
    let mut random = fastrand::Rng::with_seed(7);
    for crowd in [false, true] {
        let (mut oracle, mut made) = (Oracle::default(), Vec::new());
        for round in 0..300_u64 {
            let at = random.usize(..2);
            let some = claims(&workers[at], round * 100, 4_000, crowd, &mut random);
            // The answer may be lost: the worker claims again, later, and in other company.
            let expected = oracle.claim(&some);
            let keepers = workers[at].claim_digests(&some).await.unwrap();
            if random.bool() {
                assert_eq!(keepers, expected, "round {round}");
            }
            made.push((at, some));
            let (at, again) = &made[random.usize(..made.len())];
            let keepers = workers[*at].claim_digests(again).await.unwrap();
            assert_eq!(keepers, oracle.claim(again), "round {round}, again");
        }
        assert!(oracle.0.len() > 2_000);
        server.ask(&["FLUSHALL"]);
    }
}

#[tokio::test]
async fn two_workers_that_claim_at_once_are_told_the_same_pages() {
    let server = Server::start(&[]);
    let workers = [worker(&server.address(), 1).await, worker(&server.address(), 2).await];
    // One begins with the first number, the other one with the last.
    let claiming = [(workers[0].clone(), 0), (workers[1].clone(), 2_950)].map(|(fleet, begin)| {
        tokio::spawn(async move {
            let mut told = HashMap::new();
            for step in (0..3_000_u64).step_by(50) {
                let first = step.abs_diff(begin);
                let claims: Vec<DigestClaim> = (first..first + 50)
                    .map(|number| DigestClaim {
                        digest: u128::from(number) << 64 | u128::from(number % 256),
                        page: PageId {
                            worker: fleet.worker(),
                            sequence: number,
                        },
                    })
                    .collect();
                let keepers = fleet.claim_digests(&claims).await.unwrap();
                told.extend(claims.iter().map(|claim| claim.digest).zip(keepers));
            }
            told
        })
    });
    let [one, two] = claiming;
    let (one, two) = (one.await.unwrap(), two.await.unwrap());
    assert_eq!(one, two);
    assert_eq!(one.len(), 3_000);
    for fleet in &workers {
        assert!(one.values().any(|page| page.worker == fleet.worker()));
    }
}

#[tokio::test]
async fn a_claim_that_was_answered_survives_the_servers_that_answered_it() {
    let mut cluster = Cluster::start();
    let fleet = worker(&cluster.address(), 1).await;
    let claims: Vec<DigestClaim> = (0..2_000_u64)
        .map(|number| DigestClaim {
            digest: u128::from(number) << 70 | u128::from(number),
            page: PageId {
                worker: fleet.worker(),
                sequence: number,
            },
        })
        .collect();
    let pages: Vec<PageId> = claims.iter().map(|claim| claim.page).collect();
    assert_eq!(fleet.claim_digests(&claims).await.unwrap(), pages);
    cluster.servers[0].kill();
    let other = worker(&cluster.address(), 2).await;
    let theirs: Vec<DigestClaim> = claims
        .iter()
        .map(|claim| DigestClaim {
            page: PageId {
                worker: other.worker(),
                sequence: claim.page.sequence,
            },
            ..*claim
        })
        .collect();
    assert_eq!(other.claim_digests(&theirs).await.unwrap(), pages);
}
