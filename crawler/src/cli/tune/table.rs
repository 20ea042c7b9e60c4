//! The settings as tables for a terminal.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use dedup::Confirm;

use super::axes::{confirms, distances, find};
use study::replay::Estimate;
use study::tune::SettingResult;

/// Stands for an estimate that does not exist.
pub(super) const NO_ESTIMATE: &str = "–";

/// Characters of the longest bar.
const BAR: usize = 10;

/// The eighths of a character, from one to eight.
const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// One figure of every setting: distances downwards, ways to confirm across. `*` marks the setting in force, `<` the recommended one.
pub(super) fn matrix(settings: &[SettingResult], figure: impl Fn(&SettingResult) -> String) -> String {
    let mut table = Table::new();
    let confirms = confirms(settings);
    let header = confirms.iter().map(|confirm| match *confirm {
        Confirm::Sketch { min_similarity } => format!("≥{min_similarity} "),
        Confirm::Distance => "any ".to_owned(),
        Confirm::Combined { .. } => "combined ".to_owned(),
    });
    table
        .load_style(NOTHING)
        .set_header(std::iter::once("bits".to_owned()).chain(header));
    for distance in distances(settings) {
        let figures = confirms.iter().map(|confirm| {
            let found = find(settings, distance, *confirm);
            found.map_or(String::new(), |setting| figure(setting) + mark(setting))
        });
        table.add_row(std::iter::once(format!("≤{distance}")).chain(figures));
    }
    align(&mut table, None);
    lines(&table)
}

fn mark(setting: &SettingResult) -> &'static str {
    match (setting.is_in_force, setting.is_recommended) {
        (true, _) => "*",
        (_, true) => "<",
        _ => " ",
    }
}

/// One setting a line, with the interval of each estimate and a bar for the pages dropped; `named` distinguishes the lines.
pub(super) fn list(settings: &[&SettingResult], with_labels: bool, named: impl Fn(&SettingResult) -> String) -> String {
    let most = settings.iter().map(|setting| setting.dropped).max().unwrap_or(0);
    let mut table = Table::new();
    let header = ["", "dropped", "", "change", "precision", "recall", "F1"];
    let labels = with_labels.then_some("labels against");
    table.load_style(NOTHING).set_header(header.into_iter().chain(labels));
    for setting in settings {
        let figures = [
            named(setting) + mark(setting),
            setting.dropped.to_string(),
            bar(setting.dropped, most, BAR),
            change(setting),
            interval(setting.precision),
            interval(setting.recall),
            f1(setting),
        ];
        let labels = with_labels.then(|| setting.labels_contradicted.to_string());
        table.add_row(figures.into_iter().chain(labels));
    }
    align(&mut table, Some(2));
    lines(&table)
}

/// Pages dropped and pages kept that the setting in force decides differently.
fn change(setting: &SettingResult) -> String {
    match (setting.newly_dropped, setting.newly_kept) {
        (0, 0) => "0".to_owned(),
        (dropped, 0) => format!("+{dropped}"),
        (0, kept) => format!("-{kept}"),
        (dropped, kept) => format!("+{dropped} -{kept}"),
    }
}

fn interval(share: Option<Estimate>) -> String {
    share.map_or(NO_ESTIMATE.to_owned(), |Estimate { estimate, low, high }| {
        format!("{estimate:.3} ({low:.2}–{high:.2})")
    })
}

pub(super) fn f1(setting: &SettingResult) -> String {
    setting
        .f1
        .map_or(NO_ESTIMATE.to_owned(), |f1| format!("{:.3}", f1.estimate))
}

/// A bar of at most `width` characters for a figure of at most `most`. Every figure above 0 is visible.
fn bar(figure: u64, most: u64, width: usize) -> String {
    if figure == 0 || most == 0 {
        return String::new();
    }
    let eighths = (figure as f64 / most as f64 * (8 * width) as f64).round() as usize;
    let (whole, rest) = (eighths.max(1) / 8, eighths.max(1) % 8);
    let part = rest.checked_sub(1).map(|last| EIGHTHS[last]);
    std::iter::repeat_n('█', whole).chain(part).collect()
}

/// Aligns the column of bars to the left, all others to the right.
fn align(table: &mut Table, bars: Option<usize>) {
    for (place, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 1));
        if Some(place) != bars {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

fn lines(table: &Table) -> String {
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        assert_eq!(bar(5, 10, 8), "████");
        assert_eq!((bar(0, 10, 8), bar(0, 0, 8)), (String::new(), String::new()));
        assert_eq!(bar(1, 1_000, 8), "▏");
        assert_eq!(
            (bar(10, 10, 8), bar(13, 16, 2)),
            ("████████".to_owned(), "█▋".to_owned())
        );
    }
}
