//! The prepared model: the report, and the pages as rows that a search passes in milliseconds.

mod pairs;
mod rows;

use std::collections::HashMap;

use storage::Store;

use super::program::Program;
use crate::report::{Report, Waiting};
use config::settings::Settings;
use crawl::clock::unix_millis;
use error::RunError;
use terminal::units::utc;

pub(super) use pairs::DoubtfulPair;
pub(super) use rows::{Query, Row, VerdictFilter};

/// The crawl at one moment.
#[derive(Debug)]
pub(super) struct Model {
    /// Counts the readings of this process.
    pub number: u64,
    /// When it was read: RFC 3339, UTC.
    pub read_at: String,
    pub settings: Settings,
    pub report: Report,
    /// The current pages, in the order of decision.
    pub rows: Vec<Row>,
    /// The pairs nearest to the threshold, the most doubtful first.
    pub pairs: Vec<DoubtfulPair>,
    by_id: HashMap<u64, usize>,
    /// The hosts of the pages, by name.
    pub hosts: Vec<String>,
    /// The languages of the pages, by code.
    pub languages: Vec<String>,
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
        let mut rows = rows::read(store)?;
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
            pairs: pairs::of(&report),
            settings,
            report,
            rows,
            by_id,
        })
    }

    /// The row of a current page.
    pub fn row(&self, id: u64) -> Option<&Row> {
        self.by_id.get(&id).map(|place| &self.rows[*place])
    }
}
