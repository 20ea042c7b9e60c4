//! The report as JSON.

use super::Report;
use error::RunError;

pub fn render(report: &Report) -> Result<String, RunError> {
    let mut text = terminal::json::to_string_pretty(report).map_err(|error| RunError::Render(error.to_string()))?;
    text.push('\n');
    Ok(text)
}
