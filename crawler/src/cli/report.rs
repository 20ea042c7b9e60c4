//! `crawler report`

use crate::cli::arguments::{self, ReportFormat};
use crate::cli::error::Error;
use crate::report::{Report, Waiting};
use crate::terminal::width::terminal_width;

pub(super) fn execute(args: &arguments::Report, quiet: bool) -> Result<(), Error> {
    let (config, path) = super::read_config(&args.config)?;
    let rule = super::validate(&config, path)?.rule;
    if let Some(output) = &args.output {
        super::reject_inside(&args.data.data, output)?;
    }
    let store = super::open_to_read(&args.data.data)?;
    let waiting = Waiting::new(quiet);
    let report = Report::read_by(&store, &rule, &waiting)?;
    let rendered = match args.format {
        ReportFormat::Text if !args.full => report.screen(terminal_width()),
        format => report.render(format.into(), &store, &waiting)?,
    };
    let mut output = super::Output::open(args.output.as_deref())?;
    output.write(&rendered)?;
    Ok(output.finish()?)
}
