//! The axes of the tables and the plot: distances, and ways to confirm.

use dedup::Confirm;

use study::replay::Thresholds;
use study::tune::SettingResult;

/// The distances, ascending.
pub(super) fn distances(settings: &[SettingResult]) -> Vec<u32> {
    let mut distances: Vec<u32> = settings.iter().map(|setting| setting.thresholds.max_distance).collect();
    distances.sort_unstable();
    distances.dedup();
    distances
}

/// The ways to confirm: similarities, ascending, then the distance alone, then the combined rule.
pub(super) fn confirms(settings: &[SettingResult]) -> Vec<Confirm> {
    let mut confirms: Vec<Confirm> = Vec::new();
    for setting in settings {
        if !confirms.contains(&setting.thresholds.confirm) {
            confirms.push(setting.thresholds.confirm);
        }
    }
    let order = |confirm: &Confirm| match *confirm {
        Confirm::Sketch { min_similarity } => (0, min_similarity),
        Confirm::Distance => (1, 0.0),
        Confirm::Combined { bound, .. } => (2, bound),
    };
    confirms.sort_by(|a, b| {
        let ((a, x), (b, y)) = (order(a), order(b));
        a.cmp(&b).then(x.total_cmp(&y))
    });
    confirms
}

/// The results of the setting with this distance and confirmation.
pub(super) fn find(settings: &[SettingResult], max_distance: u32, confirm: Confirm) -> Option<&SettingResult> {
    let thresholds = Thresholds { max_distance, confirm };
    settings.iter().find(|setting| setting.thresholds == thresholds)
}
