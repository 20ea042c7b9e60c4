//! Measures the time to read the worst known robots.txt, and the time to decide about one URL.
//!
//! `cargo run --release -p crawler-web --example worst_robots`

use std::hint::black_box;
use std::time::Instant;

use web::robots::{MAX_ROBOTS_BYTES, Robots};

/// Bytes of a long URL path. The crawler accepts no path that is much longer.
const PATH_BYTES: usize = 2_000;

/// Number of measured decisions. Only the fastest counts, because the others shared the processor.
const ROUNDS: u32 = 50;

fn main() {
    println!(
        "{:<44} {:>9} {:>11} {:>12}",
        "rules", "read, ms", "a URL, µs", "memory, kB"
    );
    for (name, rules, path) in shapes() {
        let body = file_of(rules);
        let began = Instant::now();
        let robots = Robots::parse(&body, "examplebot");
        let read = began.elapsed();
        let decide = |_| {
            let began = Instant::now();
            black_box(robots.decide_target(black_box(&path)));
            began.elapsed()
        };
        let decided = (0..ROUNDS).map(decide).min().unwrap_or_default();
        println!(
            "{name:<44} {:>9.1} {:>11.1} {:>12}",
            read.as_secs_f64() * 1e3,
            decided.as_secs_f64() * 1e6,
            robots.heap_bytes() / 1_000
        );
    }
}

/// As many of the rules as a robots.txt may have.
fn file_of(rules: impl Iterator<Item = String>) -> Vec<u8> {
    let mut body = b"User-agent: *\n".to_vec();
    for rule in rules {
        if body.len() + rule.len() + 20 > MAX_ROBOTS_BYTES {
            break;
        }
        body.extend(format!("Disallow:{rule}\n").bytes());
    }
    body
}

type Shape = (&'static str, Box<dyn Iterator<Item = String>>, String);

fn shapes() -> Vec<Shape> {
    let letters = letters(PATH_BYTES);
    let twice = letters.clone();
    let ends = letters.clone();
    let parts = letters.clone();
    let a = "a".repeat(PATH_BYTES);
    vec![
        (
            "/*aa*00000b: a part does not occur",
            Box::new((0..).map(|number| format!("/*aa*{number:05}b"))),
            format!("/{a}"),
        ),
        (
            "/*pqr*abc: the parts occur in another order",
            Box::new((0..PATH_BYTES).flat_map(move |late| {
                let letters = twice.clone();
                (0..20).map(move |early| {
                    let late = PATH_BYTES / 2 + late % (PATH_BYTES / 2 - 6);
                    let early = early * 40 + late % 37;
                    format!("/*{}*{}", &letters[late..late + 6], &letters[early..early + 6])
                })
            })),
            format!("/{letters}"),
        ),
        (
            "/*abc$: the part occurs, not at the end",
            Box::new((3..15).flat_map(move |length| {
                let letters = ends.clone();
                (0..PATH_BYTES - length - 1).map(move |at| format!("/*{}$", &letters[at..at + length]))
            })),
            format!("/{letters}"),
        ),
        (
            "/*a*a*a…*ba: the last part occurs too early",
            Box::new((0..1_000).map(|number| format!("/*{}ba", "a*".repeat(PATH_BYTES - 2 - number)))),
            format!("/ba{a}"),
        ),
        (
            "/*abc*abc*…: all parts occur, one too often",
            Box::new((0..1_000).map(move |number| {
                let parts: Vec<&str> = (number..PATH_BYTES - 3)
                    .step_by(4)
                    .map(|at| &parts[at..at + 3])
                    .collect();
                format!("/*{}*{}", parts.join("*"), parts[0])
            })),
            format!("/{letters}"),
        ),
        (
            "one long line of /*a*a*a…",
            Box::new(std::iter::once(format!("/{}", "*a".repeat(8_000)))),
            format!("/{a}"),
        ),
        (
            "/a /aa /aaa …: each a prefix of the next",
            Box::new((1..1_010).map(|length| format!("/{}b", "a".repeat(length)))),
            format!("/{a}"),
        ),
        (
            "/00000: prefixes",
            Box::new((0..).map(|number| format!("/{number:05}"))),
            "/31415/page".into(),
        ),
    ]
}

/// A text in which most sequences of three letters occur once.
fn letters(bytes: usize) -> String {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'a' + (state >> 24) as u8 % 26)
    };
    (0..bytes).map(|_| next()).collect()
}
