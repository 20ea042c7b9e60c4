//! `crawler layouts`: the cost of finding every near-duplicate within a distance.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use dedup::{Bands, Candidates, Layout, trade_offs};

use crate::cli::arguments::LayoutsArgs;
use crate::cli::error::{Error, UsageError};

pub(super) fn execute(args: &LayoutsArgs) -> Result<(), Error> {
    let layouts = trade_offs(args.bits, args.distance, args.documents).map_err(UsageError::from)?;
    let mut table = Table::new();
    table.load_style(NOTHING).set_header([
        "blocks",
        "tables",
        "prefix bits",
        "probes",
        "candidates",
        "memory B/doc",
        "check µs",
    ]);
    for (layout, costs) in layouts {
        table.add_row([
            layout.blocks().len().to_string(),
            costs.tables.to_string(),
            costs.prefix_bits.to_string(),
            grouped(costs.probes as f64),
            grouped(costs.candidates),
            format!("{:.0}", costs.memory_bytes),
            grouped(Candidates::micros_by_blocks(layout, args.documents)),
        ]);
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let documents = grouped(args.documents as f64);
    Ok(super::output::say(&format!(
        "Layouts that find every pair within {} of {} bits, at {documents} random fingerprints:\n\n{table}\n\n\
         probes: buckets that a query reads, each a cache miss. candidates: entries in them, each a comparison. check: about the time \
         of a query by one thread.\n\n{}",
        args.distance,
        args.bits.bits(),
        bands(args)?
    ))?)
}

/// What the other source of candidates costs, and when the crawler changes over to it.
fn bands(args: &LayoutsArgs) -> Result<String, UsageError> {
    let layout = Layout::for_distance(args.bits, args.distance)?;
    let from = match Candidates::Auto
        .bands_from(layout)
        .filter(|_| Candidates::Auto.may_use_bands(layout))
    {
        Some(documents) => format!("takes them from {} kept pages on", grouped(documents as f64)),
        None => "never takes them at this distance".to_owned(),
    };
    Ok(format!(
        "Bands (dedup.candidates) are the other source of candidates: 16 look-ups and 2 to 4 µs, however many documents there are, for \
         160 bytes more of each. Blocks find every pair within the distance; bands find a pair with a similarity of 0.8 with a \
         probability of {:.5}, and one of 0.76 with {:.5}. \"auto\" {from}.",
        Bands::recall(0.8),
        Bands::recall(0.76),
    ))
}

/// A number with spaces between the thousands; a number below 100 with one digit after the point.
fn grouped(number: f64) -> String {
    if number < 100.0 && number.fract() != 0.0 {
        return format!("{number:.1}");
    }
    let digits = format!("{number:.0}");
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_separate_thousands() {
        for (number, text) in [
            (0.0, "0"),
            (61.04, "61.0"),
            (999.6, "1 000"),
            (1_234_567.0, "1 234 567"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }
}
