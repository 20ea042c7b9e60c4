//! The rules of a robots.txt, stored so that the one that decides is found without trying them all.
//!
//! ```text
//! /a  /a/b  /a/b*   beginnings   sorted; of those that begin a path each begins the next, so a search and a chain
//! /a$               wholes       sorted; a search
//! /*.php$  /a*b     the others   tried, most specific first, up to the best found above; each only if the path has in it
//!                                four short stretches of the rule, which a glance at a bit map tells
//! ```
//!
//! What decides is as if all were tried one after another: the first that matches by [`Rule::rank`], which the tests hold
//! this to. A file of 500 KiB of rules with `*` costs a URL of two kilobytes a three-hundredth of that; one that is made for just
//! the URLs of its host can still cost all of it, which is the bound: linear in the rules and the path.

use std::collections::HashSet;

use super::Rule;

/// Rules in an order to be searched by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rules {
    /// Most specific first, and `Allow` before `Disallow` where they are equal: the first that matches decides.
    ranked: Vec<Rule>,
    /// Ranks of the rules without `*` and `$`, by their literals, each literal once.
    beginnings: Vec<Beginning>,
    /// Ranks of the rules that name a whole path, by their literals, each literal once.
    wholes: Vec<usize>,
    /// The other rules by rank, each pattern once.
    others: Vec<Other>,
}

/// A rule that holds for every path that begins with its literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Beginning {
    rank: usize,
    /// The longest other beginning that its literal begins with.
    shorter: Option<usize>,
    /// The best rank from here on along `shorter`.
    best: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Other {
    rank: usize,
    /// Stretches of its literals, hashed; some may be the same.
    needs: [u16; NEEDS],
}

/// Stretches that are looked for before a pattern is tried.
const NEEDS: usize = 4;

/// Length of a stretch; the shorter ones of shorter literals count too.
const STRETCH: usize = 3;

impl Rules {
    pub(super) fn new(mut ranked: Vec<Rule>) -> Self {
        ranked.sort_by_key(Rule::rank);
        let (mut beginnings, mut wholes, mut others) = (Vec::new(), Vec::new(), Vec::new());
        let mut seen = HashSet::new();
        for (rank, rule) in ranked.iter().enumerate() {
            // Of two equal patterns the first decides.
            if !seen.insert((rule.pattern.literals(), rule.pattern.is_anchored())) {
                continue;
            }
            match (rule.pattern.literals(), rule.pattern.is_anchored()) {
                ([_], false) => beginnings.push(rank),
                ([_, end], _) if end.is_empty() => beginnings.push(rank),
                ([_], true) => wholes.push(rank),
                (literals, _) => {
                    let needs = needs(literals);
                    others.push(Other { rank, needs });
                }
            }
        }
        // /a and /a* are two patterns of one literal.
        beginnings.sort_by_key(|&rank| (first(&ranked[rank]), rank));
        beginnings.dedup_by_key(|rank| first(&ranked[*rank]));
        wholes.sort_by_key(|&rank| first(&ranked[rank]));
        Self {
            beginnings: chained(&beginnings, &ranked),
            wholes,
            others,
            ranked,
        }
    }

    /// The rule that decides for a path that came through [`super::pattern::spell_path`].
    pub(super) fn find(&self, path: &[u8]) -> Option<&Rule> {
        let plain = [self.beginning(path), self.whole(path)].into_iter().flatten().min();
        let before = self
            .others
            .partition_point(|other| plain.is_none_or(|plain| other.rank < plain));
        let others = &self.others[..before];
        let found = if others.is_empty() {
            None
        } else {
            let stretches = Stretches::of(path);
            let matches = |other: &&Other| stretches.has(other) && self.ranked[other.rank].pattern.matches(path);
            others.iter().find(matches).map(|other| other.rank)
        };
        found.or(plain).map(|rank| &self.ranked[rank])
    }

    /// The best of the rules that `path` begins with.
    fn beginning(&self, path: &[u8]) -> Option<usize> {
        let literal = |beginning: &Beginning| first(&self.ranked[beginning.rank]);
        let mut at = self
            .beginnings
            .partition_point(|beginning| literal(beginning) <= path)
            .checked_sub(1)?;
        // Every literal that begins the path begins all literals between itself and the path in this order.
        while !path.starts_with(literal(&self.beginnings[at])) {
            at = self.beginnings[at].shorter?;
        }
        Some(self.beginnings[at].best)
    }

    fn whole(&self, path: &[u8]) -> Option<usize> {
        let found = self
            .wholes
            .binary_search_by_key(&path, |&rank| first(&self.ranked[rank]));
        found.ok().map(|at| self.wholes[at])
    }
}

fn first(rule: &Rule) -> &[u8] {
    rule.pattern.literals().first().map_or(&[], Vec::as_slice)
}

fn chained(sorted: &[usize], ranked: &[Rule]) -> Vec<Beginning> {
    let mut chained: Vec<Beginning> = Vec::with_capacity(sorted.len());
    for (at, &rank) in sorted.iter().enumerate() {
        let mut shorter = at.checked_sub(1);
        while let Some(candidate) = shorter
            && !first(&ranked[rank]).starts_with(first(&ranked[chained[candidate].rank]))
        {
            shorter = chained[candidate].shorter;
        }
        let best = shorter.map_or(rank, |shorter| rank.min(chained[shorter].best));
        chained.push(Beginning { rank, shorter, best });
    }
    chained
}

/// Stretches of the literals: of the longest one, spread over it, and of the last one that has any.
fn needs(literals: &[Vec<u8>]) -> [u16; NEEDS] {
    let by_length = |literal: &&Vec<u8>| literal.len();
    let longest = literals.iter().max_by_key(by_length).map_or(&[][..], Vec::as_slice);
    let last = literals
        .iter()
        .rfind(|literal| !literal.is_empty())
        .map_or(&[][..], Vec::as_slice);
    let at = |literal: &[u8], part: usize, parts: usize| {
        let length = literal.len().min(STRETCH);
        let start = (literal.len() - length) * part / parts;
        hash(&literal[start..start + length])
    };
    [at(longest, 0, 2), at(longest, 1, 2), at(longest, 2, 2), at(last, 1, 1)]
}

/// A place in the bit map; of the empty stretch the first, which is always set.
fn hash(stretch: &[u8]) -> u16 {
    let number = stretch
        .iter()
        .fold(0_u32, |number, &byte| number << 8 | u32::from(byte));
    let mixed = number.wrapping_mul(0x9e37_79b1) ^ (stretch.len() as u32).wrapping_mul(0x85eb_ca6b);
    if stretch.is_empty() { 0 } else { (mixed >> 17) as u16 }
}

/// Which stretches a path has in it: a bit for each hash.
struct Stretches {
    bits: [u64; (1 << 15) / 64],
}

impl Stretches {
    fn of(path: &[u8]) -> Self {
        let mut stretches = Self {
            bits: [0; (1 << 15) / 64],
        };
        stretches.set(0);
        for length in 1..=STRETCH {
            path.windows(length).for_each(|stretch| stretches.set(hash(stretch)));
        }
        stretches
    }

    fn set(&mut self, hash: u16) {
        self.bits[usize::from(hash / 64)] |= 1 << (hash % 64);
    }

    fn has(&self, other: &Other) -> bool {
        other
            .needs
            .iter()
            .all(|&hash| self.bits[usize::from(hash / 64)] & 1 << (hash % 64) != 0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::pattern::{Pattern, spell_path};
    use super::*;

    fn rules(patterns: &[(String, bool)]) -> Vec<Rule> {
        let rule = |(pattern, allow): &(String, bool)| Rule {
            pattern: Pattern::new(pattern.as_bytes()),
            allow: *allow,
            line: pattern.clone(),
            line_number: 0,
        };
        patterns.iter().map(rule).collect()
    }

    /// One after another.
    fn naive<'a>(ranked: &'a [Rule], path: &[u8]) -> Option<&'a Rule> {
        ranked.iter().find(|rule| rule.pattern.matches(path))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]

        #[test]
        fn the_rule_found_is_the_first_of_all_that_match(
            patterns in proptest::collection::vec(("/?[ab/*]{0,7}[$]?", any::<bool>()), 0..24),
            paths in proptest::collection::vec("/[ab/]{0,9}", 1..12),
        ) {
            let mut ranked = rules(&patterns);
            let rules = Rules::new(ranked.clone());
            ranked.sort_by_key(Rule::rank);
            for path in paths {
                let path = spell_path(&path);
                let (found, expected) = (rules.find(&path), naive(&ranked, &path));
                let shown = |rule: Option<&Rule>| rule.map(|rule| (rule.allow, rule.pattern.clone()));
                prop_assert_eq!(shown(found), shown(expected), "{}", String::from_utf8_lossy(&path));
            }
        }
    }

    #[test]
    fn of_many_wildcard_rules_few_are_tried() {
        let patterns: Vec<(String, bool)> = (0..20_000)
            .map(|number| (format!("/*aaa*{number:05}b"), false))
            .collect();
        let rules = Rules::new(rules(&patterns));
        let path = spell_path(&format!("/{}", "a".repeat(2_000)));
        let stretches = Stretches::of(&path);
        assert_eq!(rules.others.len(), 20_000);
        assert_eq!(rules.others.iter().filter(|other| stretches.has(other)).count(), 0);
        let path = spell_path(&format!("/{}/12345b", "a".repeat(2_000)));
        assert_eq!(rules.find(&path).unwrap().line, "/*aaa*12345b");
    }
}
