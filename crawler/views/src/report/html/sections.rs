//! The parts of the page that need no text of a page: the figures, the charts and the tables.

use super::super::PROVISIONAL;
use super::super::Report;
use super::super::redecided::Redecided;
use super::super::refresh::RefreshResult;
use super::charts::{self, Chart};
use super::commands::Commands;
use super::list::List;
use super::lists::{self, PagesLink};
use super::summary::{self, Figure, Rank, Subject};
use terminal::units::grouped;

/// The parts, ready for a template.
#[derive(Debug)]
pub(crate) struct Sections {
    pub commands: Commands,
    pub subject: Subject,
    pub lead: String,
    pub figures: Vec<Figure>,
    pub thresholds: String,
    pub exact: String,
    pub distances: Chart,
    pub similarities: Chart,
    /// That the verdicts are provisional, if they are.
    pub provisional: Option<&'static str>,
    pub redecided: Option<String>,
    pub redecisions: List,
    pub hosts: List,
    pub unavailable: List,
    pub steering: String,
    /// The pages that a browser rendered, in a sentence.
    pub rendering: Option<String>,
    pub rules: List,
    pub traps: List,
    pub patterns: List,
    pub failure_groups: List,
    pub failures: List,
    pub exclusion_reasons: List,
    pub excluded: List,
    pub redirects: List,
    pub refresh: Option<RefreshResult>,
    pub changed: List,
    pub gone: List,
    pub timeline: Option<Chart>,
    pub timeline_note: String,
}

impl Sections {
    /// The parts of a report. `pages` is the address of the URLs of a host with an outcome, where a server answers.
    pub fn of(report: &Report, pages: Option<PagesLink>) -> Self {
        Self {
            commands: Commands::of(report),
            subject: summary::subject(report),
            lead: summary::lead(report),
            figures: summary::figures(report),
            thresholds: summary::thresholds(report),
            exact: grouped(report.histograms.exact),
            distances: charts::distances(report),
            similarities: charts::similarities(report),
            provisional: report.provisional.then_some(PROVISIONAL),
            redecided: report.redecided.as_ref().map(Redecided::summary),
            redecisions: lists::redecisions(report),
            hosts: lists::hosts(report, pages),
            unavailable: lists::unavailable_hosts(report),
            steering: summary::steering(report),
            rendering: (!report.rendering.is_empty()).then(|| report.rendering.words()),
            rules: lists::rules(report),
            traps: lists::traps(report),
            patterns: lists::patterns(report),
            failure_groups: lists::failure_groups(report),
            failures: lists::failures(report),
            exclusion_reasons: lists::exclusion_reasons(report),
            excluded: lists::excluded(report),
            redirects: lists::redirects(report),
            refresh: report.refresh.refreshes.last().cloned(),
            changed: lists::changed(report),
            gone: lists::gone(report),
            timeline: charts::timeline(&report.timeline),
            timeline_note: summary::timeline(&report.timeline),
        }
    }

    /// The figures that the page shows large.
    pub fn large(&self) -> impl Iterator<Item = &Figure> {
        self.shown(Rank::Large)
    }

    /// The figures that the page shows small.
    pub fn small(&self) -> impl Iterator<Item = &Figure> {
        self.shown(Rank::Small)
    }

    fn shown(&self, rank: Rank) -> impl Iterator<Item = &Figure> {
        let figures = self.figures.iter();
        figures.filter(move |figure| figure.rank == rank && !figure.is_zero)
    }
}
