//! The settings as CSV: a header line, then a line for each setting.

use std::fmt::Write;

use study::replay::Estimate;
use study::tune::SettingResult;

const HEADER: &str = "max_distance,confirm,min_similarity,is_in_force,dropped,newly_dropped,newly_kept,right,grey,wrong,missed,unique,\
                      not_judged,precision,precision_low,precision_high,recall,recall_low,recall_high,f1,f1_low,f1_high,\
                      labels_contradicted\n";

pub(super) fn csv(settings: &[SettingResult]) -> String {
    let mut out = HEADER.to_owned();
    for setting in settings {
        let similarity = setting.thresholds.min_similarity();
        let shares = [setting.precision, setting.recall, setting.f1].map(estimate);
        // No field holds a comma or a quotation mark.
        let line = writeln!(
            out,
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
            setting.thresholds.max_distance,
            setting.thresholds.confirm_name(),
            similarity.map_or(String::new(), |similarity| similarity.to_string()),
            setting.is_in_force,
            setting.dropped,
            setting.newly_dropped,
            setting.newly_kept,
            setting.right,
            setting.grey,
            setting.wrong,
            setting.missed,
            setting.unique,
            setting.not_judged,
            shares.join(","),
            setting.labels_contradicted,
        );
        debug_assert!(line.is_ok(), "writing to a String cannot fail");
    }
    out
}

fn estimate(share: Option<Estimate>) -> String {
    share.map_or(",,".to_owned(), |Estimate { estimate, low, high }| {
        format!("{estimate:.6},{low:.6},{high:.6}")
    })
}
