//! `crawler report`

use crate::cli;
use crate::error::RunError;
use crate::report::Report;

pub(super) fn execute(args: &cli::Report) -> Result<(), RunError> {
    let store = super::open_to_read(&args.data.data)?;
    let rendered = Report::read(&store)?.render(args.format)?;
    let mut output = super::Output::open(args.output.as_deref())?;
    output.write(&rendered)?;
    output.finish()
}
