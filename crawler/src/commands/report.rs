//! `crawler report`

use crate::cli;
use crate::error::Error;
use crate::report::Report;

pub(super) fn execute(args: &cli::Report) -> Result<(), Error> {
    if let Some(output) = &args.output {
        super::reject_inside(&args.data.data, output)?;
    }
    let store = super::open_to_read(&args.data.data)?;
    let rendered = Report::read(&store)?.render(args.format)?;
    let mut output = super::Output::open(args.output.as_deref())?;
    output.write(&rendered)?;
    Ok(output.finish()?)
}
