//! A look at a page with little text.

use std::cell::OnceCell;
use std::collections::HashSet;

use super::rules::{Clue, MOST_WORDS, Rule};
use super::sentences::{Sentence, sentences};
use super::vocabulary::VOCABULARY;
use super::{Answer, Wall, WallKind};
use crate::Page;
use crate::parse::{LinkKind, Outlink};
use crate::phrase::{fold, parts};
use crate::words::words;

/// Longest main text of a wall, in bytes: more than [`MOST_WORDS`] words of Russian.
const MAX_TEXT_BYTES: usize = 12 * 1024;

/// Bytes of markup that are searched. Walls are small, and their scripts come first.
pub(super) const MAX_MARKUP_BYTES: usize = 64 * 1024;

/// Fewest links to other pages of the host in the menu of a site.
const MIN_MENU: usize = 2;

/// Most words beside the phrases of a rule on a page that has the menu of its site and a name of its own.
const MOST_BESIDE_OF_SITE: usize = 8;

/// Most characters of a sentence in the evidence.
const MAX_SHOWN_CHARS: usize = 100;

/// A page with little text, and what the rules look for in it.
#[derive(Debug)]
pub(super) struct Look<'a> {
    /// Words of main text.
    pub words: usize,
    answer: &'a Answer<'a>,
    page: &'a Page,
    /// The folded title and first heading, and their parts beside the name of the site.
    titles: Vec<String>,
    sentences: OnceCell<Vec<Sentence<'a>>>,
    marks: OnceCell<HashSet<&'static str>>,
}

impl<'a> Look<'a> {
    /// A look at a page; `None` if it has too much text for a wall.
    pub(super) fn new(answer: &'a Answer<'a>, page: &'a Page) -> Option<Self> {
        if page.text.len() > MAX_TEXT_BYTES {
            return None;
        }
        let words = words(&page.text);
        let titles = [Some(page.title.as_str()), page.heading.as_deref()];
        (words <= MOST_WORDS).then(|| Self {
            words,
            answer,
            page,
            titles: titles.into_iter().flatten().flat_map(parts).map(fold).collect(),
            sentences: OnceCell::new(),
            marks: OnceCell::new(),
        })
    }

    /// The wall of a rule, if all its clues are there.
    pub(super) fn wall(&self, rule: &Rule) -> Option<Wall> {
        if self.words > rule.most_words {
            return None;
        }
        let mut found = Vec::new();
        for clue in rule.clues {
            found.extend(self.find(clue)?);
        }
        let is_little = self.words_beside(rule) <= rule.most_beside && !self.is_page_on_it(rule);
        is_little.then(|| Wall {
            kind: rule.kind,
            evidence: self.evidence(rule, found),
        })
    }

    fn evidence(&self, rule: &Rule, mut found: Vec<String>) -> String {
        if !rule.by.is_empty() {
            found.insert(0, rule.by.to_owned());
        }
        format!("{}; {} words of main text", found.join(", "), self.words)
    }

    /// Whether a clue is there: what was found, in words; nothing for a clue that something is missing.
    fn find(&self, clue: &Clue) -> Option<Option<String>> {
        let found = |found: Option<String>| found.map(Some);
        let missing = |found: bool| (!found).then_some(None);
        match clue {
            Clue::Title(titles) => found(self.title(|title| titles.iter().any(|own| VOCABULARY.title(own) == title))),
            Clue::TitleBegins(titles) => found(self.title(|title| {
                let mut own = titles.iter().map(|own| VOCABULARY.title(own));
                own.any(|own| {
                    title
                        .strip_prefix(own)
                        .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
                })
            })),
            Clue::Says(phrases) => found(self.says(phrases)),
            Clue::SaysNone(phrases) => missing(self.says(phrases).is_some()),
            Clue::Mark(marks) => found(self.mark(marks)),
            Clue::MarkNone(marks) => missing(self.mark(marks).is_some()),
            Clue::NotAt(words) => {
                let path = self.answer.url.path().to_ascii_lowercase();
                missing(words.iter().any(|word| path.contains(word)))
            }
        }
    }

    /// Words of main text in sentences that none of the clues names, and that do not repeat the title.
    fn words_beside(&self, rule: &Rule) -> usize {
        let named = |sentence: &Sentence<'_>| {
            let has = |phrase: &&'static str| sentence.phrases.contains(phrase);
            let says = |clue: &Clue| matches!(clue, Clue::Says(phrases) if phrases.iter().any(has));
            rule.clues.iter().any(says) || self.titles.contains(&sentence.folded)
        };
        let beside = self.sentences().iter().filter(|sentence| !named(sentence));
        beside.map(|sentence| sentence.words).sum()
    }

    /// Whether a page of a site has a text of its own on what the rule is about. Sites answer in their template that something is forbidden or for
    /// members; the notices of hosts, brokers and firewalls have no menu and no name of the site.
    fn is_page_on_it(&self, rule: &Rule) -> bool {
        let is_notice_of_host = matches!(rule.kind, WallKind::Parked | WallKind::RateLimit | WallKind::Region);
        if !is_notice_of_host || !rule.by.is_empty() || !self.is_of_site() {
            return false;
        }
        let is_said = |phrase: &&&'static str| {
            rule.clues
                .iter()
                .any(|clue| matches!(clue, Clue::Says(own) if own.contains(*phrase)))
        };
        let beside = |sentence: &Sentence<'_>| {
            let said = sentence
                .phrases
                .iter()
                .filter(is_said)
                .map(|phrase| words(phrase))
                .max();
            sentence.words.saturating_sub(said.unwrap_or_default())
        };
        let own = self
            .sentences()
            .iter()
            .filter(|sentence| !self.titles.contains(&sentence.folded));
        own.map(beside).sum::<usize>() > MOST_BESIDE_OF_SITE
    }

    /// Whether a page has the menu of a site and, beside the name of the site, one of its own.
    fn is_of_site(&self) -> bool {
        let Some(heading) = &self.page.heading else {
            return false;
        };
        let names: Vec<String> = self.page.site.names.iter().map(|name| fold(name)).collect();
        let has_name = names.iter().any(|name| self.titles.contains(name));
        let is_own = !self.page.site.heading_is_home && !names.contains(&fold(heading));
        let url = self.answer.url;
        let other = |link: &&Outlink| {
            link.kind == LinkKind::Anchor && link.url.host() == url.host() && link.url.path() != url.path()
        };
        has_name && is_own && self.page.outlinks.iter().filter(other).count() >= MIN_MENU
    }

    fn title(&self, is_one: impl Fn(&str) -> bool) -> Option<String> {
        let is_there = self.titles.iter().any(|title| is_one(title));
        let (place, text) = match &self.page.heading {
            Some(heading) if self.page.title.is_empty() => ("heading", heading),
            _ => ("title", &self.page.title),
        };
        is_there.then(|| format!("{place} “{}”", shown(text)))
    }

    fn says(&self, phrases: &[&'static str]) -> Option<String> {
        let mut sentences = self.sentences().iter();
        let said = sentences.find(|sentence| sentence.phrases.iter().any(|phrase| phrases.contains(phrase)))?;
        Some(format!("sentence “{}”", shown(said.text)))
    }

    /// The first of the marks that is in the markup and not in the text, where it is a quotation.
    fn mark(&self, marks: &[&'static str]) -> Option<String> {
        let found = self.marks.get_or_init(|| {
            let end = self.answer.body.len().min(MAX_MARKUP_BYTES);
            let mut found = VOCABULARY.marks_of(&self.answer.body[..end]);
            let shown = VOCABULARY.marks_of(self.page.text.as_bytes());
            found.retain(|mark| !shown.contains(mark));
            found
        });
        let mark = marks.iter().find(|mark| found.contains(*mark))?;
        Some(format!("mark “{mark}”"))
    }

    fn sentences(&self) -> &[Sentence<'a>] {
        self.sentences.get_or_init(|| sentences(&self.page.text))
    }
}

/// The beginning of a text.
fn shown(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
