//! The `[steering]` section.

use web::url_rule::{HostRule, InvalidRule};

use super::{DuplicateShare, InvalidSetting, invalid};
use crate::Leave;
use crate::sections::SteeringSection;

/// How verdicts change the order of the queue.
#[derive(Debug, Clone)]
pub struct SteeringSettings {
    /// Deprioritise URLs that are probably duplicates.
    pub enabled: bool,
    /// Duplicates that must confirm a rule before the crawler uses it.
    pub min_confirmed: u32,
    /// Pages after the first that a pattern needs before the crawler judges it.
    pub min_pattern_pages: u32,
    /// Which probable duplicates are held back.
    pub leave: Leave,
    /// Rules that the user applies: their URLs are held back without a sample.
    pub apply: Vec<HostRule>,
    /// When the crawl leaves a host or a folder; `None` for never. It holds even if `enabled` is false.
    pub duplicate_share: Option<DuplicateShare>,
}

pub(super) fn steering(
    config: &SteeringSection,
    duplicate_share: Option<DuplicateShare>,
) -> Result<SteeringSettings, InvalidSetting> {
    let parsed = config.apply.iter().map(|text| {
        let invalid = |error: InvalidRule| invalid("steering.apply", format!("{text:?}"), error.to_string());
        text.parse().map_err(invalid)
    });
    Ok(SteeringSettings {
        enabled: config.enabled,
        min_confirmed: config.min_confirmed,
        min_pattern_pages: config.min_pattern_pages,
        leave: config.leave,
        apply: parsed.collect::<Result<_, _>>()?,
        duplicate_share,
    })
}
