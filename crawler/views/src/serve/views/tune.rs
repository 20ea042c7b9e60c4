//! Tune: every setting of the thresholds at once, and what may be done with one.

use std::sync::Arc;

use askama::Template;
use axum::http::StatusCode;
use dedup::Confirm;
use serde::{Deserialize, Serialize};

use super::plane::Plane;
use crate::report::html::{Sections, filters};
use crate::serve::asked::Asked;
use crate::serve::frame::Frame;
use crate::serve::reply::{Refusal, Reply};
use crate::serve::site::Site;
use config::settings::Settings;
use config::{Origin, Sources};
use study::replay::Thresholds;
use study::tune::{self, NotWritten, Plan};
use terminal::commands::command;

/// Pairs of changed pages in an answer.
const SHOWN: usize = 100;

#[derive(Template)]
#[template(path = "serve/tune.html")]
struct TunePage<'a> {
    frame: Frame<'a>,
    sections: &'a Sections,
    plane: Plane,
    /// The columns of the chart of distances.
    slots: usize,
    /// The command that tries settings which the sliders do not have.
    further: String,
}

pub fn page(site: &Arc<Site>) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let report = &current.model.report;
    Reply::page(&TunePage {
        frame: site.frame("tune", Some(&current)),
        slots: report
            .histograms
            .distances
            .len()
            .max(report.thresholds.max_distance as usize + 2),
        plane: Plane::of(report),
        further: command("tune", &["--distances", "12,14"]),
        sections: current.model.sections(),
    })
}

/// As `crawler tune --format json`; the pairs have no Jaccard index.
pub(super) fn json(site: &Arc<Site>) -> Result<Reply, Refusal> {
    let survey = site.survey(&site.current()?)?;
    Reply::json(&survey.answer)
}

/// The pages that another setting decides otherwise: the object `changes` of `crawler tune`.
pub fn changes(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let survey = site.survey(&current)?;
    let max_distance = asked.value("max_distance").and_then(|bits| bits.parse().ok());
    let setting = Setting {
        max_distance: max_distance.ok_or_else(|| Refusal::bad("name a distance: max_distance=7&min_similarity=0.8"))?,
        min_similarity: asked.value("min_similarity").and_then(|least| least.parse().ok()),
    };
    let thresholds = setting.thresholds(&current.model.settings)?;
    let changes = survey.changes_at(thresholds, SHOWN);
    let unknown = || {
        Refusal::new(
            StatusCode::NOT_FOUND,
            "The survey has no such setting; /api/tune lists those that it has.",
        )
    };
    Reply::json(&changes.ok_or_else(unknown)?)
}

/// A setting as the sliders have it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Setting {
    max_distance: u32,
    min_similarity: Option<f32>,
}

impl Setting {
    /// The thresholds with the way to confirm that is in force.
    fn thresholds(&self, settings: &Settings) -> Result<Thresholds, Refusal> {
        let confirm = match (settings.rule.confirm, self.min_similarity) {
            (Confirm::Sketch { .. }, Some(min_similarity)) => Confirm::Sketch { min_similarity },
            (confirm, None) => confirm,
            (_, Some(_)) => {
                return Err(Refusal::bad(
                    "dedup.confirm in force has no smallest similarity: name the distance alone",
                ));
            }
        };
        Ok(Thresholds {
            max_distance: self.max_distance,
            confirm,
        })
    }
}

/// The change of the configuration file.
#[derive(Serialize)]
struct PlanAnswer<'a> {
    #[serde(flatten)]
    written: &'a tune::Written,
    /// The lines that go.
    removed: Vec<&'a str>,
    /// The lines that come.
    added: Vec<&'a str>,
    /// Environment variables that override the file.
    overridden_by: Vec<String>,
    is_written: bool,
}

/// The change that a setting makes to the file, by the file and the configuration of now.
fn planned(site: &Site, asked: &Asked) -> Result<Plan, Refusal> {
    let setting: Setting = serde_json::from_slice(&asked.body).map_err(|error| {
        Refusal::bad(format!(
            "send {{\"max_distance\": bits, \"min_similarity\": 0 to 1}}: {error}"
        ))
    })?;
    let settings = (site.program.settings)().map_err(|reason| Refusal::new(StatusCode::CONFLICT, reason))?;
    let to = setting.thresholds(&settings)?;
    let survey = site.survey(&site.current()?)?;
    if !survey.has(to) {
        let distance = to.max_distance.to_string();
        return Err(Refusal::bad(format!(
            "the sliders do not have this setting; /api/tune lists those that they have, and `{}` tries others",
            command("tune", &["--distances", &distance])
        )));
    }
    let path = (site.program.configuration_file)().map_err(|reason| Refusal::new(StatusCode::CONFLICT, reason))?;
    tune::plan(&path, path.is_file(), Thresholds::of(&settings.rule), to).map_err(refused)
}

fn refused(error: NotWritten) -> Refusal {
    Refusal::new(StatusCode::CONFLICT, error)
}

fn answer(plan: &Plan, is_written: bool) -> Result<Reply, Refusal> {
    let written = plan.written();
    let (removed, added) = plan.lines();
    let sources = Sources::read(written.path.is_file().then_some(&*written.path), std::env::vars_os());
    let overridden_by = written
        .changes
        .iter()
        .filter_map(|change| match sources.as_ref().ok()?.origin(&change.key) {
            Origin::Environment(variable) => Some(variable.to_string()),
            _ => None,
        });
    Reply::json(&PlanAnswer {
        written,
        removed,
        added,
        overridden_by: overridden_by.collect(),
        is_written,
    })
}

/// Shows the change without making it.
pub fn plan(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    answer(&planned(site, asked)?, false)
}

/// Makes the change.
pub fn write(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let plan = planned(site, asked)?;
    plan.write().map_err(refused)?;
    answer(&plan, true)
}
