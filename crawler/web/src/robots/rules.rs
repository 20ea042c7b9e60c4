//! The rules of a robots.txt, compiled so that the work for a URL is small and has a bound.
//!
//! ```text
//! /a  /a/b  /a/b*   beginnings   sorted; the ones that match a path are prefixes of one another: a search and a chain
//! /a$               wholes       sorted; a search
//! /*.php$  /a*b     the others   tried, most specific first, up to the best found above; each only if the path is long enough, and a
//!                                bit map shows that it contains four short parts of the rule
//! ```
//!
//! The result is the first match by rank, as if all rules were tried in order; a test compares the two. A hostile file can name
//! thousands of patterns that do not match a path, although all their parts occur in the path. When the work for a URL ([`MAX_WORK`]) is
//! spent, the matcher tries no further pattern. A `Disallow` whose parts occur in the path then counts as a match, and an `Allow` does
//! not. So the crawler never fetches a URL because its rules cost too much.
//!
//! All texts lie in two buffers, and nothing is allocated for a single rule: 500 KiB of rules take 4 MB at most.
//!
//! [`MAX_WORK`]: super::work::MAX_WORK

use std::collections::HashSet;

use super::pattern::{OwnedPattern, Pattern, Single};
use super::work::Work;

/// A rule as the file has it.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    pub pattern: OwnedPattern,
    pub allow: bool,
    /// The line without its comment.
    pub line: &'a [u8],
    pub line_number: u32,
}

impl Draft<'_> {
    /// The order in which rules decide: the most specific first, and of two equal ones `Allow` before `Disallow`.
    fn rank(&self) -> (std::cmp::Reverse<usize>, bool) {
        (std::cmp::Reverse(self.pattern.octets), !self.allow)
    }
}

/// The rule that decides about a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Deciding<'a> {
    pub allow: bool,
    /// The line as written, without its comment.
    pub line: &'a [u8],
    pub line_number: u32,
}

/// Compiled rules.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct RuleIndex {
    /// The normal forms of all patterns, one after the other.
    patterns: Box<[u8]>,
    /// The lines of all rules, one after the other.
    lines: Box<[u8]>,
    /// The rules by rank, each pattern once: the first match decides.
    ranked: Box<[Rule]>,
    /// Ranks of the rules without `*` and `$`, by their literals, each literal once.
    beginnings: Box<[Beginning]>,
    /// Ranks of the rules that name a whole path, by their literals.
    wholes: Box<[u32]>,
    /// The other rules by rank.
    others: Box<[Other]>,
}

/// A place in one of the two buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// Appends `text` to the buffer.
    fn push(buffer: &mut Vec<u8>, text: &[u8]) -> Self {
        let start = buffer.len() as u32;
        buffer.extend_from_slice(text);
        Self {
            start,
            end: buffer.len() as u32,
        }
    }

    fn of(self, buffer: &[u8]) -> &[u8] {
        &buffer[self.start as usize..self.end as usize]
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rule {
    pattern: Span,
    line: Span,
    line_number: u32,
    allow: bool,
    anchored: bool,
}

/// A rule that matches every path that begins with its literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Beginning {
    rank: u32,
    /// The longest other beginning that is a prefix of its literal.
    shorter: Option<u32>,
    /// The best rank of this beginning and all along the chain of `shorter`.
    best: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Other {
    rank: u32,
    /// Bytes of all its literals: no shorter path matches.
    least: u32,
    /// Hashes of parts of its literals; some may be equal.
    needs: [u16; NEEDS],
}

/// Number of parts that the path must contain before a pattern is tried.
const NEEDS: usize = 4;

/// Length of a part, in bytes. Shorter literals have shorter parts.
const STRETCH: usize = 3;

impl RuleIndex {
    pub(super) fn new(mut drafts: Vec<Draft<'_>>) -> Self {
        drafts.sort_by_key(Draft::rank);
        // The first of two equal patterns decides.
        let mut seen = HashSet::new();
        let is_first: Vec<bool> = drafts
            .iter()
            .map(|draft| {
                let pattern = draft.pattern.borrowed();
                seen.insert((pattern.text, pattern.anchored))
            })
            .collect();
        let (mut patterns, mut lines) = (Vec::new(), Vec::new());
        let mut ranked = Vec::with_capacity(drafts.len());
        for (draft, _) in drafts.iter().zip(&is_first).filter(|(_, is_first)| **is_first) {
            let pattern = draft.pattern.borrowed();
            ranked.push(Rule {
                pattern: Span::push(&mut patterns, pattern.text),
                line: Span::push(&mut lines, draft.line),
                line_number: draft.line_number,
                allow: draft.allow,
                anchored: pattern.anchored,
            });
        }
        let mut rules = Self {
            patterns: patterns.into(),
            lines: lines.into(),
            ranked: ranked.into(),
            ..Self::default()
        };
        rules.sort_into_kinds();
        rules
    }

    fn sort_into_kinds(&mut self) {
        let (mut beginnings, mut wholes, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for rank in 0..self.ranked.len() as u32 {
            let pattern = self.pattern(rank);
            match pattern.single() {
                Some(Single::Beginning(literal)) => beginnings.push((literal, rank)),
                Some(Single::Whole(literal)) => wholes.push((literal, rank)),
                None => others.push(Other {
                    rank,
                    least: pattern.literals().map(|literal| literal.len() as u32).sum(),
                    needs: needs(pattern),
                }),
            }
        }
        // /a and /a* are two patterns with one literal.
        beginnings.sort_unstable();
        beginnings.dedup_by_key(|(literal, _)| *literal);
        wholes.sort_unstable();
        let beginnings = chained(&beginnings);
        let wholes = wholes.into_iter().map(|(_, rank)| rank).collect();
        (self.beginnings, self.wholes, self.others) = (beginnings, wholes, others.into());
    }

    /// The rule that decides about a path, which must be a result of [`super::pattern::spell_path`].
    pub(super) fn find(&self, path: &[u8], work: &mut Work) -> Option<Deciding<'_>> {
        let plain = [self.beginning(path), self.whole(path)].into_iter().flatten().min();
        let before = self
            .others
            .partition_point(|other| plain.is_none_or(|plain| other.rank < plain));
        self.other(&self.others[..before], path, work)
            .or(plain)
            .map(|rank| self.deciding(rank))
    }

    /// The first of `others` that matches or counts as a match.
    fn other(&self, others: &[Other], path: &[u8], work: &mut Work) -> Option<u32> {
        if others.is_empty() {
            return None;
        }
        let stretches = Stretches::of(path);
        let could_match = |other: &&Other| other.least as usize <= path.len() && stretches.has(other);
        let matches = |other: &&Other| {
            let decided = self.pattern(other.rank).matches(path, work);
            decided.unwrap_or(!self.ranked[other.rank as usize].allow)
        };
        others.iter().filter(could_match).find(matches).map(|other| other.rank)
    }

    /// The best of the rules whose literal is a prefix of `path`.
    fn beginning(&self, path: &[u8]) -> Option<u32> {
        let literal = |beginning: &Beginning| match self.pattern(beginning.rank).single() {
            Some(Single::Beginning(literal)) => literal,
            Some(Single::Whole(_)) | None => &[],
        };
        let mut at = self
            .beginnings
            .partition_point(|beginning| literal(beginning) <= path)
            .checked_sub(1)?;
        // A literal that is a prefix of the path is also a prefix of every literal sorted between the two.
        while !path.starts_with(literal(&self.beginnings[at])) {
            at = self.beginnings[at].shorter? as usize;
        }
        Some(self.beginnings[at].best)
    }

    fn whole(&self, path: &[u8]) -> Option<u32> {
        let found = self.wholes.binary_search_by_key(&path, |&rank| self.pattern(rank).text);
        found.ok().map(|at| self.wholes[at])
    }

    fn pattern(&self, rank: u32) -> Pattern<'_> {
        let rule = &self.ranked[rank as usize];
        Pattern {
            text: rule.pattern.of(&self.patterns),
            anchored: rule.anchored,
        }
    }

    fn deciding(&self, rank: u32) -> Deciding<'_> {
        let rule = &self.ranked[rank as usize];
        Deciding {
            allow: rule.allow,
            line: rule.line.of(&self.lines),
            line_number: rule.line_number,
        }
    }

    /// Bytes on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        self.patterns.len()
            + self.lines.len()
            + size_of_val(&*self.ranked)
            + size_of_val(&*self.beginnings)
            + size_of_val(&*self.wholes)
            + size_of_val(&*self.others)
    }
}

/// The beginnings, sorted by their literals, with the chains of their prefixes.
fn chained(sorted: &[(&[u8], u32)]) -> Box<[Beginning]> {
    let mut chained: Vec<Beginning> = Vec::with_capacity(sorted.len());
    for (at, &(literal, rank)) in sorted.iter().enumerate() {
        let mut shorter = at.checked_sub(1);
        while let Some(candidate) = shorter
            && !literal.starts_with(sorted[candidate].0)
        {
            shorter = chained[candidate].shorter.map(|shorter| shorter as usize);
        }
        chained.push(Beginning {
            rank,
            shorter: shorter.map(|shorter| shorter as u32),
            best: shorter.map_or(rank, |shorter| rank.min(chained[shorter].best)),
        });
    }
    chained.into()
}

/// Parts of the literals: three of the longest literal, spread over it, and one of the last that is not empty.
fn needs(pattern: Pattern<'_>) -> [u16; NEEDS] {
    let longest = pattern
        .literals()
        .max_by_key(|literal| literal.len())
        .unwrap_or_default();
    let last = pattern
        .literals()
        .rfind(|literal| !literal.is_empty())
        .unwrap_or_default();
    let at = |literal: &[u8], part: usize, parts: usize| {
        let length = literal.len().min(STRETCH);
        let start = (literal.len() - length) * part / parts;
        hash(&literal[start..start + length])
    };
    [at(longest, 0, 2), at(longest, 1, 2), at(longest, 2, 2), at(last, 1, 1)]
}

/// A place in the bit map. The empty part has the first place, which is always set.
fn hash(stretch: &[u8]) -> u16 {
    let number = stretch
        .iter()
        .fold(0_u32, |number, &byte| number << 8 | u32::from(byte));
    let mixed = number.wrapping_mul(0x9e37_79b1) ^ (stretch.len() as u32).wrapping_mul(0x85eb_ca6b);
    if stretch.is_empty() { 0 } else { (mixed >> 17) as u16 }
}

/// The parts that a path contains: one bit for each hash.
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
mod tests;
