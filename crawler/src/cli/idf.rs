//! `crawler idf`: counts the features of a corpus and writes a frozen table.

use dedup::IdfBuilder;

use super::documents;
use crate::cli::arguments::IdfArgs;
use crate::cli::error::Error;
use error::RunError;

pub(super) fn execute(args: &IdfArgs, quiet: bool) -> Result<(), Error> {
    let (mut config, path) = super::configuration::read(&args.config)?;
    // The configured weights may need the table that this command makes, so it validates the configuration with other weights.
    config.dedup.weights = dedup::Weighting::Tf.to_string();
    config.dedup.idf_table.clear();
    let settings = super::configuration::validate(&config, path)?;
    let mut builder = IdfBuilder::new(&settings.scheme);
    let faults = match &args.data {
        Some(data) => {
            super::store::reject_inside(data, &args.output)?;
            let store = super::store::open_to_read(data)?;
            for row in store.pages_from(0) {
                let (_, page) = row.map_err(RunError::from)?;
                if page.is_kept() {
                    builder.add(&store.text_of(&page).map_err(RunError::from)?.unwrap_or_default());
                }
            }
            0
        }
        None => documents::read(
            &args.inputs,
            settings.extract,
            std::slice::from_ref(&args.output),
            quiet,
            |document| {
                builder.add(document.text);
            },
        )?,
    };
    let table = builder.freeze();
    let mut bytes = Vec::new();
    table
        .write(&mut bytes)
        .map_err(|source| RunError::io("write", args.output.display(), source))?;
    super::output::write_whole(Some(&args.output), &bytes)?;
    super::output::say(&format!(
        "Table {} of {} documents and {} features that occur in at least two of them: {}\nUse it with [dedup] weights = \
         \"tf-idf\" or \"improved\" and idf_table = {:?}.",
        table.id(),
        table.documents(),
        table.len(),
        args.output.display(),
        args.output,
    ))?;
    Error::of_faults(faults)
}
