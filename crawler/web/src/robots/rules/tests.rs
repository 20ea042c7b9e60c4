use proptest::prelude::*;

use super::super::pattern::spell_path;
use super::super::work::MAX_WORK;
use super::*;

fn drafts(patterns: &[(String, bool)]) -> Vec<Draft<'_>> {
    let mut drafts = Vec::new();
    for ((pattern, allow), line_number) in patterns.iter().zip(1..) {
        drafts.push(Draft {
            pattern: OwnedPattern::new(pattern.as_bytes()),
            allow: *allow,
            line: pattern.as_bytes(),
            line_number,
        });
    }
    drafts
}

/// The line and the answer of the first match among all rules in the order of rank.
fn naive(drafts: &[Draft<'_>], path: &[u8]) -> Option<(bool, u32)> {
    let mut ranked: Vec<&Draft<'_>> = drafts.iter().collect();
    ranked.sort_by_key(|draft| draft.rank());
    let mut work = Work::without_end();
    let matches = |draft: &&&Draft<'_>| draft.pattern.borrowed().matches(path, &mut work) == Some(true);
    ranked
        .iter()
        .find(matches)
        .map(|draft| (draft.allow, draft.line_number))
}

fn found(rules: &RuleIndex, path: &[u8], work: &mut Work) -> Option<(bool, u32)> {
    rules.find(path, work).map(|rule| (rule.allow, rule.line_number))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn the_rule_found_is_the_first_of_all_that_match(
        patterns in proptest::collection::vec(("/?[ab/*]{0,7}[$]?", any::<bool>()), 0..24),
        paths in proptest::collection::vec("/[ab/]{0,9}", 1..12),
    ) {
        let drafts = drafts(&patterns);
        let rules = RuleIndex::new(super::tests::drafts(&patterns));
        for path in paths {
            let path = spell_path(&path);
            let expected = naive(&drafts, &path);
            let shown = String::from_utf8_lossy(&path);
            prop_assert_eq!(found(&rules, &path, &mut Work::for_one_url()), expected, "{}", shown);
        }
    }

    /// For all rules: if a decision with much work disallows a URL, a decision with little work does so too.
    #[test]
    fn without_work_a_url_is_rather_forbidden(
        patterns in proptest::collection::vec(("/?[ab/*]{0,7}[$]?", any::<bool>()), 0..24),
        path in "/[ab/]{0,9}",
        work in 0_usize..600,
    ) {
        let (drafts, path) = (drafts(&patterns), spell_path(&path));
        let rules = RuleIndex::new(super::tests::drafts(&patterns));
        let allows = |answer: Option<(bool, u32)>| answer.is_none_or(|(allow, _)| allow);
        let mut little = Work::without_end();
        let _ = little.spend(usize::MAX - work);
        if allows(found(&rules, &path, &mut little)) {
            prop_assert!(allows(naive(&drafts, &path)), "{}", String::from_utf8_lossy(&path));
        }
    }
}

#[test]
fn of_many_wildcard_rules_few_are_tried() {
    let patterns: Vec<(String, bool)> = (0..20_000)
        .map(|number| (format!("/*aaa*{number:05}b"), false))
        .collect();
    let rules = RuleIndex::new(drafts(&patterns));
    assert_eq!(rules.others.len(), 20_000);
    let mut work = Work::for_one_url();
    let path = spell_path(&format!("/{}", "a".repeat(2_000)));
    assert_eq!((rules.find(&path, &mut work), work.left()), (None, MAX_WORK));
    let path = spell_path(&format!("/{}/12345b", "a".repeat(2_000)));
    assert_eq!(rules.find(&path, &mut work).unwrap().line, b"/*aaa*12345b");
}

#[test]
fn rules_that_cost_too_much_forbid_what_they_could_match() {
    let costly = |end: &str, allow: bool| -> Vec<(String, bool)> {
        let stars = |number: usize| format!("/*{}ba{end}", "a*".repeat(1_900 - number));
        (0..250).map(|number| (stars(number), allow)).collect()
    };
    let path = spell_path(&format!("/ba{}", "a".repeat(2_000)));
    let unlike = spell_path(&format!("/ca{}", "a".repeat(2_000)));
    for (allow, answer) in [(false, Some(false)), (true, None)] {
        let patterns = costly("", allow);
        let rules = RuleIndex::new(drafts(&patterns));
        let mut work = Work::for_one_url();
        assert_eq!(found(&rules, &path, &mut work).map(|(allow, _)| allow), answer);
        assert_eq!(work.left(), 0);
        let mut work = Work::for_one_url();
        assert_eq!((found(&rules, &unlike, &mut work), work.left()), (None, MAX_WORK));
    }
}

#[test]
fn half_a_megabyte_of_rules_takes_a_few_megabytes() {
    let patterns: Vec<(String, bool)> = (0..60_000).map(|number| (format!("{number:04x}"), true)).collect();
    let rules = RuleIndex::new(drafts(&patterns));
    assert!(rules.heap_bytes() < 4_000_000, "{} bytes", rules.heap_bytes());
    let stars: Vec<(String, bool)> = (0..30)
        .map(|number| (format!("/{number}{}", "*a".repeat(8_000)), true))
        .collect();
    let rules = RuleIndex::new(drafts(&stars));
    assert!(rules.heap_bytes() < 1_100_000, "{} bytes", rules.heap_bytes());
}
