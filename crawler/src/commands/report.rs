//! `crawler report`

use crate::cli;
use crate::error::Error;
use crate::report::Report;

pub(super) fn execute(args: &cli::Report) -> Result<(), Error> {
    let (config, path) = super::read_config(&args.config)?;
    let rule = super::validate(&config, path)?.rule;
    if let Some(output) = &args.output {
        super::reject_inside(&args.data.data, output)?;
    }
    let store = super::open_to_read(&args.data.data)?;
    let rendered = Report::read_by(&store, &rule)?.render(args.format, &store)?;
    let mut output = super::Output::open(args.output.as_deref())?;
    output.write(&rendered)?;
    Ok(output.finish()?)
}
