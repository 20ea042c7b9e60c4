//! The fuzz targets on their seeds and on thousands of mutations of them: a fixed sequence, so that what fails fails again.
//!
//! For a search without cargo-fuzz, `FUZZ_MUTATIONS` sets the number of mutations of each target, and `FUZZ_TARGET` names the only target
//! to run.

use std::env;
use std::fs;
use std::panic::{self, AssertUnwindSafe};

#[path = "../fuzz/src/targets.rs"]
mod targets;

/// Number of mutations of all seeds of a target together, unless `FUZZ_MUTATIONS` sets another number.
const MUTATIONS: usize = 20_000;
/// The same for targets that make a long text from each input.
const LONG_MUTATIONS: usize = 200;
/// Targets that make a long text from each input.
const LONG_TARGETS: [&str; 1] = ["long_text"];
/// No input grows beyond this many bytes.
const MAX_BYTES: usize = 4_096;

/// SplitMix64: the numbers are the same on every machine.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// One to eight of: another byte, a bit turned, a piece cut out, doubled, or taken from another seed.
fn mutate(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    mutate_to(random, seeds, MAX_BYTES)
}

/// As [`mutate`], where no input grows beyond `max_bytes`.
pub fn mutate_to(random: &mut Random, seeds: &[Vec<u8>], max_bytes: usize) -> Vec<u8> {
    let mut input = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(8) {
        let at = random.below(input.len() + 1);
        let end = (at + random.below(32)).min(input.len());
        match random.below(6) {
            0 => input.insert(at, random.next() as u8),
            1 if at < input.len() => input[at] ^= 1 << random.below(8),
            2 => drop(input.drain(at..end)),
            3 => {
                let piece = input[at..end].to_vec();
                for _ in 0..random.below(16) {
                    input.splice(at..at, piece.iter().copied());
                }
            }
            4 => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len());
                let piece = &other[from..(from + random.below(64)).min(other.len())];
                input.splice(at..end, piece.iter().copied());
            }
            _ => input.truncate(at.max(1)),
        }
    }
    input.truncate(max_bytes);
    input
}

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = format!("{}/../fuzz/seeds/{target}", env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{folder}: {error}"))
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

fn mutations(target: &str) -> usize {
    let default = if LONG_TARGETS.contains(&target) {
        LONG_MUTATIONS
    } else {
        MUTATIONS
    };
    env::var("FUZZ_MUTATIONS").map_or(default, |number| number.parse().unwrap())
}

#[test]
fn no_target_fails_on_its_seeds_or_on_mutations_of_them() {
    for (number, (name, target)) in (1..).zip(targets::TARGETS) {
        if env::var("FUZZ_TARGET").is_ok_and(|only| only != *name) {
            continue;
        }
        let seeds = seeds(name);
        assert!(!seeds.is_empty(), "{name} has no seeds");
        let mut random = Random(number);
        let mutations = (0..mutations(name)).map(|_| mutate(&mut random, &seeds));
        for input in seeds.iter().cloned().chain(mutations) {
            let run = panic::catch_unwind(AssertUnwindSafe(|| target(&input)));
            assert!(run.is_ok(), "target {name} fails on {input:?}");
        }
    }
}
