//! The prepared model: the report, and the pages as rows that a search passes in milliseconds.

mod groups;
mod others;
mod outcome;
mod pairs;
mod rows;

use std::collections::HashMap;
use std::sync::OnceLock;

use storage::{Outlinks, Store};

use super::paths::pages_of_host;
use super::program::Program;
use crate::report::html::Sections;
use crate::report::{Report, Waiting};
use config::settings::Settings;
use crawl::clock::unix_millis;
use error::RunError;
use terminal::units::utc;

use others::Others;

pub(super) use groups::Group;
pub(super) use others::{Other, Source};
pub(super) use outcome::{Outcome, OutcomeFilter};
pub(super) use pairs::DoubtfulPair;
pub(super) use rows::{Listed, Query, Row, SortKey};

/// The crawl at one moment.
#[derive(Debug)]
pub(super) struct Model {
    /// Counts the readings of this process.
    pub number: u64,
    /// When it was read: RFC 3339, UTC.
    pub read_at: String,
    pub settings: Settings,
    pub report: Report,
    /// The parts of the report for the views, made when a view asks first.
    sections: OnceLock<Sections>,
    /// The current pages, in the order of decision.
    pub rows: Vec<Row>,
    /// The other URLs.
    pub others: Vec<Other>,
    /// Queued URLs without room among the others.
    pub left_out: u64,
    /// The number of URLs with each outcome, in the order of [`Outcome::ALL`].
    pub outcomes: Vec<(Outcome, u64)>,
    /// The pairs nearest to the threshold, the most doubtful first.
    pub pairs: Vec<DoubtfulPair>,
    /// Which URL links to which.
    pub outlinks: Outlinks,
    by_id: HashMap<u64, usize>,
    /// The places of the rows and the others in the order of their URLs, made when a search asks first.
    by_url: OnceLock<Vec<u32>>,
    /// The hosts of the pages, by name.
    pub hosts: Vec<String>,
    /// The languages of the pages, by code.
    pub languages: Vec<String>,
    /// The pages by language, and by kind of document, the largest group first.
    pub by_language: Vec<Group>,
    pub by_kind: Vec<Group>,
}

impl Model {
    /// Reads the crawl under the configuration in force. An error is a sentence.
    pub fn read(program: &Program, number: u64) -> Result<Self, String> {
        let settings = (program.settings)()?;
        let words = |error: RunError| error.to_string();
        let store = program.store().map_err(words)?;
        let report = Report::read_by(&store, &settings, &Waiting::new(true)).map_err(words)?;
        Self::of(&store, settings, report, number).map_err(words)
    }

    fn of(store: &Store, settings: Settings, report: Report, number: u64) -> Result<Self, RunError> {
        let mut others = Others::read(store)?;
        let mut rows = rows::read(store, &mut others)?;
        let by_id: HashMap<u64, usize> = rows.iter().enumerate().map(|(place, row)| (row.id, place)).collect();
        for cluster in &report.clusters {
            let members = cluster.duplicates.iter().map(|duplicate| duplicate.id);
            for id in members.chain((!cluster.duplicates.is_empty()).then_some(cluster.id)) {
                if let Some(place) = by_id.get(&id) {
                    rows[*place].cluster = Some(cluster.id);
                }
            }
        }
        let distinct = |names: Vec<&str>| {
            let names: std::collections::BTreeSet<&str> = names.into_iter().collect();
            names.into_iter().map(str::to_owned).collect()
        };
        Ok(Self {
            number,
            read_at: utc(unix_millis(std::time::SystemTime::now())),
            hosts: distinct(rows.iter().map(|row| &*row.host).collect()),
            languages: distinct(rows.iter().filter_map(|row| row.language.as_deref()).collect()),
            by_language: groups::by(&rows, |row| row.language.as_deref().unwrap_or_default()),
            by_kind: groups::by(&rows, |row| row.kind),
            outcomes: groups::outcomes(&rows, &others.rows),
            pairs: pairs::of(&report),
            settings,
            report,
            sections: OnceLock::new(),
            by_url: OnceLock::new(),
            outlinks: store.outlinks().map_err(RunError::from)?,
            rows,
            others: others.rows,
            left_out: others.left_out,
            by_id,
        })
    }

    /// The parts of the report.
    pub fn sections(&self) -> &Sections {
        self.sections
            .get_or_init(|| Sections::of(&self.report, Some(pages_of_host)))
    }

    /// The URLs that a search selects, in its order.
    pub fn find(&self, query: &Query) -> Vec<Listed<'_>> {
        let by_url = || {
            &**self
                .by_url
                .get_or_init(|| rows::places_by_url(&self.rows, &self.others))
        };
        query.find(&self.rows, &self.others, by_url)
    }

    /// The row of a current page.
    pub fn row(&self, id: u64) -> Option<&Row> {
        self.by_id.get(&id).map(|place| &self.rows[*place])
    }
}
