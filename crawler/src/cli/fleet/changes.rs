//! `crawler fleet config`

use ::fleet::{Agreed, FleetError, Visitor, change};

use crate::cli::arguments::{FleetConfigArgs, FleetFormat};
use crate::cli::error::{Error, UsageError};
use crate::cli::output::say;
use config::settings::{Adjustable, parse_change, valid_changes};
use error::RunError;

/// Changes what the user asks for, and shows the settings on which the workers agree.
pub(super) async fn execute(args: &FleetConfigArgs) -> Result<(), Error> {
    let failed = |error: FleetError| RunError::Fleet(error.to_string());
    let refused = |reason: String| UsageError::Argument(reason);
    let changes = args.changes.iter().map(|text| parse_change(text));
    let changes = changes.collect::<Result<Vec<_>, _>>().map_err(refused)?;
    let visitor = Visitor::new(&args.fleet.address, &args.fleet.name).await;
    let visitor = visitor.map_err(failed)?;
    let mut agreed = visitor.agreed().clone();
    // No worker takes over another one.
    agreed.changed = valid_changes(&agreed.changed);
    if !changes.is_empty() {
        let kept = agreed
            .changed
            .iter()
            .filter(|(key, _)| !changes.iter().any(|(of, _)| of == key));
        let mut after: Vec<(String, String)> = kept.cloned().collect();
        after.extend(
            changes
                .iter()
                .filter_map(|(key, value)| Some((key.clone(), value.clone()?))),
        );
        // Every worker comes to the same: a value may be invalid beside those of the [[host]] sections.
        Adjustable::of(agreed.rules.iter().chain(&after)).map_err(refused)?;
        let changed = change(&args.fleet.address, &args.fleet.name, &changes).await;
        agreed.changed = valid_changes(&changed.map_err(failed)?);
    }
    say(&match args.format {
        FleetFormat::Json => serde_json::to_string_pretty(&agreed)
            .map_err(|error| RunError::Fleet(format!("the settings cannot be written: {error}")))?,
        FleetFormat::Text => shown(&agreed, !changes.is_empty()),
    })?;
    Ok(())
}

fn shown(agreed: &Agreed, has_changed: bool) -> String {
    let mut lines = Vec::new();
    if has_changed {
        lines.push("Every worker takes the change over when it next renews its lease.".to_owned());
    }
    lines.extend([
        format!("crawl {}", agreed.name),
        "for the whole crawl:".to_owned(),
        format!("  partitions = {}", agreed.terms.partitions),
        format!("  scheme of the fingerprints: {}", agreed.terms.scheme),
        format!("  rule of the verdicts: {}", agreed.terms.rule),
        "for all workers that live:".to_owned(),
    ]);
    let changed = |key: &str| agreed.changed.iter().find(|(of, _)| of == key);
    lines.extend(agreed.rules.iter().map(|(key, value)| match changed(key) {
        Some((_, now)) => format!("  {key} = {now} (changed; the workers started with {value})"),
        None => format!("  {key} = {value}"),
    }));
    let others = agreed
        .changed
        .iter()
        .filter(|(key, _)| !agreed.rules.iter().any(|(of, _)| of == key));
    lines.extend(
        others.map(|(key, value)| format!("  {key} = {value} (changed; each worker started with its own value)")),
    );
    lines.join("\n")
}
