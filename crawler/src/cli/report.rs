//! `crawler report`

use crate::cli::arguments::{self, ReportFormat};
use crate::cli::error::Error;
use terminal::width::terminal_width;
use views::report::{Report, Waiting};

pub(super) fn execute(args: &arguments::ReportArgs, quiet: bool) -> Result<(), Error> {
    let settings = super::configuration::settings_for_crawl(&args.config, &args.data.data)?;
    if let Some(output) = &args.output {
        super::store::reject_inside(&args.data.data, output)?;
    }
    let rendered = super::store::read_whole(|| {
        let store = super::store::open_to_read(&args.data.data)?;
        let waiting = Waiting::new(quiet);
        let report = Report::read_by(&store, &settings, &waiting)?;
        Ok(match args.format {
            ReportFormat::Text if !args.full => report.screen(terminal_width()),
            format => report.render(format.into(), &store, &waiting)?,
        })
    })?;
    Ok(super::output::write_whole(args.output.as_deref(), &rendered)?)
}
