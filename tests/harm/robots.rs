//! robots.txt as a weapon.

use super::doing::{Harm, answer, plain, typed};
use crate::support::hostile::Act;

#[test]
fn without_end() {
    let head = answer("Content-Type: text/plain\r\n", "User-agent: *\nDisallow: /forbidden\n");
    Harm::of("a robots.txt without end")
        .also("/robots.txt", [head, Act::Repeat(b"# and so on\n".repeat(1_000))])
        .page("/allowed", [plain(1)], "kept")
        .page("/forbidden", [plain(2)], "excluded robots.txt: Disallow: /forbidden")
        .is_done();
}

#[test]
fn half_a_megabyte_of_wildcards() {
    let rules: String = (0..22_500)
        .map(|number| format!("Disallow: /*aa*{number:05}b\n"))
        .collect();
    let rules = format!("User-agent: *\n{rules}Disallow: /*forbidden\n");
    assert!((480_000..512_000).contains(&rules.len()), "{}", rules.len());
    let mut harm =
        Harm::of("a robots.txt of half a megabyte of wildcard rules").also("/robots.txt", [typed("text/plain", rules)]);
    for number in 0..40 {
        let path = format!("/{number}{}", "a".repeat(2_000));
        harm = harm.page(&path, [plain(number)], "kept");
    }
    harm.page(
        &format!("/{}forbidden", "a".repeat(1_900)),
        [plain(50)],
        "excluded robots.txt: Disallow: /*forbidden",
    )
    .is_done();
}

#[test]
fn dripped() {
    let done = Harm::of("a robots.txt dripped a byte at a time")
        .also("/robots.txt", [answer("Content-Type: text/plain\r\n", ""), Act::Drip(vec![b'#'; 10_000])])
        .impatiently()
        .loses_its_host()
        .is_done();
    assert!(
        done.outcomes.is_empty(),
        "without robots.txt nothing is fetched: {:?}",
        done.outcomes
    );
}
