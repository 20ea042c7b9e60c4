//! The groups of cards of a page, by one look at each box from the inner ones to the outer ones.

use std::ops::Range;

use super::labels;
use crate::extract::display::is_heading;
use crate::extract::layout::{Layout, Run};

/// Least and most text of a headline, in bytes.
const HEADLINE: Range<usize> = 12..260;

/// Most text of a card outside of its headline, in bytes: about 60 words.
const MAX_TEASER: usize = 420;

/// Most text above the first card of a box, in bytes.
const MAX_LABEL: usize = 100;

/// Least text under a headline that makes a teaser of it, in bytes. Less is a date or the name of a section.
const MIN_TEASER: usize = 40;

/// Least cards of a group that is not alone in its box.
pub(super) const MIN_CARDS: usize = 3;

/// Cards that follow one another.
#[derive(Debug)]
pub(super) struct Group {
    /// Its runs, with its label.
    pub runs: Range<usize>,
    /// The innermost box around all of it.
    pub inside: usize,
    /// Whether it begins with a label.
    pub is_labelled: bool,
    /// Whether another label stands above it, and a labelled group before.
    pub is_next: bool,
    /// Whether it is all of its box.
    pub is_alone: bool,
    /// Whether the headlines are headings beside the texts.
    pub has_headings: bool,
    /// Number of cards.
    pub cards: usize,
    /// Text of the headlines.
    pub headline_bytes: usize,
    /// Cards with text under the headline.
    pub teasers: usize,
}

impl Group {
    /// Whether it has enough cards, or a label in a box of their own.
    pub(super) fn may_be_teasers(&self) -> bool {
        self.cards >= MIN_CARDS || self.is_labelled && self.is_alone
    }
}

/// What a box or a run is to a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Kind {
    /// Has no text.
    #[default]
    Empty,
    /// A short text without a headline.
    Short,
    /// A headline, and perhaps a short text.
    Card,
    /// A group.
    Cards,
    /// Anything else.
    Other,
}

#[derive(Debug, Clone, Default)]
struct Part {
    kind: Kind,
    runs: Range<usize>,
    /// Text outside of links to other pages.
    bytes: usize,
    is_heading: bool,
    is_labelled: bool,
    cards: usize,
    headline_bytes: usize,
    teasers: usize,
}

impl Part {
    fn of_run(layout: &Layout, at: usize) -> Self {
        let run = &layout.runs[at];
        let bytes = run.text.len() - run.outward_bytes;
        let is_labelled_headline = is_labelled_headline(run, layout.text_of(run));
        let kind = if is_labelled_headline || is_headline(run) || is_headline_with_text(run) {
            Kind::Card
        } else if is_list_of_links(run) {
            Kind::Cards
        } else if bytes <= MAX_TEASER {
            Kind::Short
        } else {
            Kind::Other
        };
        let cards = match kind {
            Kind::Card => 1,
            Kind::Cards => run.links,
            _ => 0,
        };
        Self {
            kind,
            runs: at..at + 1,
            bytes,
            is_heading: is_heading(&layout.boxes[run.owner].name),
            is_labelled: is_labelled_headline || kind == Kind::Short && labels::is_label(layout.text_of(run)),
            cards,
            headline_bytes: if cards > 0 { run.outward_bytes } else { 0 },
            teasers: 0,
        }
    }

    fn has_cards(&self) -> bool {
        matches!(self.kind, Kind::Card | Kind::Cards)
    }
}

/// Most of the text is a link to another page.
fn is_headline(run: &Run) -> bool {
    HEADLINE.contains(&run.text.len()) && 5 * run.outward_bytes >= 4 * run.text.len() && run.links <= 2
}

/// The text begins with a headline.
fn is_headline_with_text(run: &Run) -> bool {
    run.begins_outward
        && run.links == 1
        && HEADLINE.contains(&run.outward_bytes)
        && run.text.len() - run.outward_bytes <= MAX_TEASER
}

/// A label and a headline behind it: "Read more: " and a link, or a link around both.
fn is_labelled_headline(run: &Run, text: &str) -> bool {
    let beside = run.text.len() - run.outward_bytes;
    let Some(label) = labels::length_at_start(text).filter(|_| beside <= MAX_LABEL) else {
        return false;
    };
    if run.begins_outward {
        let headline = text
            .get(label..)
            .and_then(|behind| behind.trim_start().strip_prefix([':', '|', '：']));
        return beside == 0 && run.links == 1 && headline.is_some_and(|headline| headline.len() >= HEADLINE.start);
    }
    run.outward_bytes >= HEADLINE.start && beside <= label + MAX_BETWEEN
}

/// Most text between a label and a headline in one line, in bytes.
const MAX_BETWEEN: usize = 4;

/// Lines of one link each.
fn is_list_of_links(run: &Run) -> bool {
    run.links >= MIN_CARDS
        && 5 * run.outward_bytes >= 4 * run.text.len()
        && HEADLINE.contains(&(run.outward_bytes / run.links))
}

/// The groups of a page, those inside of others included.
pub(super) fn groups(layout: &Layout) -> Vec<Group> {
    let mut parts = vec![Part::default(); layout.boxes.len()];
    let mut groups = Vec::new();
    // Inner boxes come behind their outer ones.
    for at in (0..layout.boxes.len()).rev() {
        let inner = inner_parts(layout, at, &parts);
        let own = grouped(&inner, at);
        parts[at] = part_of_box(&inner, &own);
        groups.extend(own);
    }
    groups
}

/// The parts of a box in order: its inner boxes with text, and the runs between them.
fn inner_parts(layout: &Layout, at: usize, parts: &[Part]) -> Vec<Part> {
    let this = &layout.boxes[at];
    let (mut inner, mut run, mut next) = (Vec::new(), this.runs.start, at + 1);
    while run < this.runs.end {
        while next < this.end && layout.boxes[next].runs.is_empty() {
            next = layout.boxes[next].end;
        }
        if next < this.end && layout.boxes[next].runs.start <= run {
            inner.push(Part {
                is_heading: parts[next].is_heading || is_heading(&layout.boxes[next].name),
                ..parts[next].clone()
            });
            (run, next) = (layout.boxes[next].runs.end, layout.boxes[next].end);
        } else {
            inner.push(Part::of_run(layout, run));
            run += 1;
        }
    }
    inner
}

/// What the parts of a box make of it.
fn part_of_box(inner: &[Part], groups: &[Group]) -> Part {
    let [first, .., last] = inner else {
        return inner.first().cloned().unwrap_or_default();
    };
    let sum = |number: fn(&Part) -> usize| inner.iter().map(number).sum::<usize>();
    let (bytes, cards) = (sum(|part| part.bytes), sum(|part| part.cards));
    let is_short = bytes <= MAX_TEASER;
    let is_all_cards = || {
        let above: usize = inner
            .iter()
            .take_while(|part| !part.has_cards())
            .map(|part| part.bytes)
            .sum();
        let gaps = inner.split(|part| part.has_cards());
        above <= MAX_LABEL
            && gaps
                .map(|gap| gap.iter().map(|part| part.bytes).sum::<usize>())
                .all(|gap| gap <= MAX_TEASER)
    };
    let kind = if inner.iter().any(|part| part.kind == Kind::Other) {
        Kind::Other
    } else if cards == 0 {
        if is_short { Kind::Short } else { Kind::Other }
    } else if cards == 1 && is_short {
        Kind::Card
    } else if cards > 1 && is_all_cards() {
        Kind::Cards
    } else {
        Kind::Other
    };
    let text_beside = bytes - if first.is_labelled { first.bytes } else { 0 };
    Part {
        kind,
        runs: first.runs.start..last.runs.end,
        bytes,
        is_heading: false,
        is_labelled: matches!(groups, [group] if group.is_labelled && (group.is_alone || kind == Kind::Card)),
        cards,
        headline_bytes: sum(|part| part.headline_bytes),
        teasers: if kind == Kind::Card {
            usize::from(text_beside >= MIN_TEASER)
        } else {
            groups.iter().map(|group| group.teasers).sum()
        },
    }
}

/// The groups among the parts of a box.
fn grouped(inner: &[Part], at: usize) -> Vec<Group> {
    let mut grouping = Grouping {
        inside: at,
        ..Grouping::default()
    };
    for part in inner {
        match part.kind {
            Kind::Empty => {}
            Kind::Card | Kind::Cards => grouping.add_cards(part),
            Kind::Short => grouping.add_short(part),
            Kind::Other => grouping.close(),
        }
    }
    grouping.close();
    let mut groups = grouping.groups;
    if let ([group], Some((first, last))) = (&mut groups[..], inner.first().zip(inner.last())) {
        group.is_alone |= group.runs == (first.runs.start..last.runs.end);
    }
    groups
}

/// Groups that are being made.
#[derive(Default)]
struct Grouping {
    groups: Vec<Group>,
    inside: usize,
    open: Option<Group>,
    /// The short text before the next card, if it may be a label.
    label: Option<Part>,
    /// The short texts behind the last card.
    behind: Vec<Part>,
    /// Their number behind the card before.
    period: usize,
}

impl Grouping {
    fn add_cards(&mut self, part: &Part) {
        let gap: usize = self.behind.iter().map(|part| part.bytes).sum();
        let is_like = |group: &Group| group.has_headings == part.is_heading;
        if part.is_labelled || gap > MAX_TEASER || !self.open.as_ref().is_none_or(is_like) {
            self.close();
        }
        self.period = self.behind.len();
        self.behind.clear();
        let label = self.label.take().filter(|_| !part.is_labelled);
        let group = self.open.get_or_insert_with(|| Group {
            runs: label.as_ref().map_or(part.runs.start, |label| label.runs.start)..part.runs.end,
            inside: self.inside,
            is_labelled: part.is_labelled || label.is_some_and(|label| label.is_labelled),
            is_next: false,
            is_alone: part.is_labelled,
            has_headings: part.is_heading,
            cards: 0,
            headline_bytes: 0,
            teasers: 0,
        });
        group.runs.end = part.runs.end;
        group.cards += part.cards;
        group.headline_bytes += part.headline_bytes;
        group.teasers += part.teasers + usize::from(gap >= MIN_TEASER);
        if part.is_labelled && part.kind == Kind::Card {
            self.close();
        }
    }

    fn add_short(&mut self, part: &Part) {
        if part.is_labelled || part.is_heading || self.open.is_none() {
            self.close();
            self.label = Some(part.clone()).filter(|label| label.bytes <= MAX_LABEL);
        } else {
            self.behind.push(part.clone());
        }
    }

    /// Ends the open group. The texts behind its last card belong to it if as many stand behind the others.
    fn close(&mut self) {
        self.label = None;
        if let Some(mut group) = self.open.take() {
            if let Some(last) = self.behind.iter().take(self.period).next_back() {
                group.runs.end = last.runs.end;
            }
            group.is_next = self.groups.last().is_some_and(|last| {
                last.runs.end == group.runs.start && (last.is_labelled || last.is_next) && last.cards >= MIN_CARDS
            });
            self.groups.push(group);
        }
        self.behind.clear();
        self.period = 0;
    }
}
