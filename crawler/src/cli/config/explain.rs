//! `crawler config explain`

use toml::Value;

use crate::cli::arguments::ConfigExplainArgs;
use crate::cli::configuration::{config_path, read_sources};
use crate::cli::error::{Error, UsageError};
use crate::cli::output::say;
use crate::cli::screen::Screen;
use config::{Key, Sources};

pub(super) fn execute(args: &ConfigExplainArgs) -> Result<(), Error> {
    let sources = read_sources(config_path(&args.config).as_deref())?;
    let shown = sources.shown();
    let mut chosen = Vec::new();
    for wanted in &args.keys {
        let before = chosen.len();
        let named = shown.iter().filter(|(key, _)| is_named(key, wanted));
        chosen.extend(named);
        if chosen.len() == before {
            return Err(unknown(wanted, &shown).into());
        }
    }
    let meanings = config::meanings();
    let (screen, mut text) = (Screen::of_stdout(), String::new());
    for (key, value) in chosen {
        let path = key.path();
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&screen.indented(0, &in_force(&sources, key, value)));
        let meaning = meanings.get(&path);
        for paragraph in meaning.iter().flat_map(|meaning| meaning.paragraphs()) {
            text.push_str(&screen.indented(2, &paragraph));
        }
        let also = format!("Default: {}. Environment: {}", key.default, key.variable());
        text.push_str(&screen.indented(2, &also));
    }
    Ok(say(text.trim_end())?)
}

/// `politeness.delay_ms = 1000 (default)`.
fn in_force(sources: &Sources, key: &Key, value: &Value) -> String {
    let path = key.path();
    let origin = terminal::text::terminal_text(&sources.origin(&path).to_string(), 300);
    format!("{path} = {value} ({origin})")
}

/// Whether somebody means this key: by its whole name, by its name in the section, or by its section.
fn is_named(key: &Key, wanted: &str) -> bool {
    key.path() == wanted || key.name == wanted || key.section == wanted
}

fn unknown(wanted: &str, shown: &[(Key, Value)]) -> UsageError {
    let mut names: Vec<String> = shown.iter().map(|(key, _)| key.path()).collect();
    names.extend(shown.iter().map(|(key, _)| key.name.clone()));
    let meant = config::nearest(wanted, names.iter().map(String::as_str));
    let wanted = terminal::text::terminal_text(wanted, 200);
    UsageError::Argument(match meant {
        Some(meant) => format!("{wanted} is no key of the configuration; did you mean {meant}?"),
        None => format!("{wanted} is no key of the configuration: `crawler config show` lists all keys"),
    })
}
