//! `crawler control`

mod orders;
mod status;

use super::output::json_pretty;
use crate::cli::arguments::{ControlArgs, ControlFormat};
use crate::cli::error::{Error, UsageError};
use crawl::control::giver::{self, Giver, NotGiven};
use terminal::text::terminal_text;

/// Bound on the characters of an answer.
const ANSWER_CHARS: usize = 2_000;

pub(super) fn execute(args: &ControlArgs) -> Result<(), Error> {
    let order = orders::of(&args.action)?;
    if order.is_some()
        && let Some(reason) = giver::why_read_only(&args.data)
    {
        return Err(UsageError::Argument(reason).into());
    }
    let mut crawl = Giver::of(&args.data, super::store::open_again(&args.data)?)?;
    let Some(order) = order else {
        status::show(&crawl, args.format)?;
        super::store::leave_open(crawl.store);
        return Ok(());
    };
    let told = crawl.give(order).map_err(|error| match error {
        NotGiven::Run(error) => Error::from(error),
        senseless => UsageError::Argument(senseless.to_string()).into(),
    })?;
    let text = match args.format {
        ControlFormat::Text => terminal_text(&told.answer.text, ANSWER_CHARS),
        ControlFormat::Json => json_pretty(&told)?,
    };
    super::output::say(&text)?;
    super::store::leave_open(crawl.store);
    if told.state == "refused" {
        return Err(Error::Answer(1));
    }
    Ok(())
}
