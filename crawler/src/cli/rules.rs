//! `crawler rules`

use serde::Serialize;

use crate::cli::arguments::{RulesArgs, RulesFormat};
use crate::cli::error::Error;
use terminal::text::terminal_text;
use views::report::{LearnedRule, Rendering, Steering};

pub(super) fn execute(args: &RulesArgs) -> Result<(), Error> {
    let mut policy = super::configuration::settings_for_crawl(&args.config, &args.data.data)?.steering;
    // The command shows learned rules even if the configuration does not apply them.
    policy.enabled = true;
    let rules = super::store::read_whole(|| {
        let store = super::store::open_to_read(&args.data.data)?;
        Ok(Rules {
            steering: Steering::of(&store, policy.clone(), args.all)?,
            rendering: Rendering::of(&store)?,
        })
    })?;
    let text = match args.format {
        RulesFormat::Text => text(&rules.steering, args.all) + &rendering_text(&rules.rendering),
        RulesFormat::Json => super::output::json_pretty(&rules)?,
    };
    Ok(super::output::say(text.trim_end())?)
}

/// What the crawl has learned of its URLs.
#[derive(Serialize)]
struct Rules {
    #[serde(flatten)]
    steering: Steering,
    rendering: Rendering,
}

fn rendering_text(rendering: &Rendering) -> String {
    if rendering.is_empty() {
        return String::new();
    }
    let mut out = "\n\nPages that a browser rendered:\n".to_owned();
    for found in &rendering.patterns {
        let shown = terminal_text(&format!("{}{}", found.host, found.pattern), 120);
        out.push_str(&format!("{shown}\n  {}\n", found.words()));
    }
    out
}

fn text(steering: &Steering, all: bool) -> String {
    if steering.is_empty() {
        let hint = if all {
            ""
        } else {
            "; --all also shows rules with too little evidence"
        };
        return format!("No rule was learned and no pattern is deprioritised{hint}.");
    }
    let mut out = String::new();
    for rule in &steering.rules {
        out.push_str(&rule_text(rule));
    }
    for pattern in &steering.patterns {
        let shown = terminal_text(&format!("{}{}", pattern.host, pattern.pattern), 120);
        out.push_str(&format!(
            "{shown}\n  deprioritised pattern: {} of {} pages were duplicates\n",
            pattern.duplicates, pattern.pages
        ));
    }
    for trap in &steering.traps {
        out.push_str(&format!(
            "{}\n  held back: its last {} pages said nothing new; {} URLs queued\n",
            terminal_text(&trap.words(), 160),
            trap.duplicates,
            trap.saved_requests
        ));
    }
    let proposed: Vec<&LearnedRule> = steering.rules.iter().filter(|rule| is_proposed(rule)).collect();
    if !proposed.is_empty() {
        out.push_str(
            "\nTo hold back the URLs of a rule in the next run, copy its line to config.toml:\n\
             [steering]\napply = [\n",
        );
        for rule in proposed {
            let quoted = terminal::json::to_string(&rule.rule).unwrap_or_default();
            out.push_str(&format!("  {},\n", terminal_text(&quoted, 2_000)));
        }
        out.push_str("]\n");
    }
    out
}

/// Whether the output proposes the rule for the configuration. A rule that replaces numbers in a path needs more evidence, because
/// the next number may be a new page.
fn is_proposed(rule: &LearnedRule) -> bool {
    let is_of_numbers = rule.rule.contains(": numbers of ");
    rule.contradicted == 0
        && matches!(rule.standing, "held_back" | "deprioritised")
        && (!is_of_numbers || rule.confirmed >= MIN_CONFIRMED_NUMBERS)
}

const MIN_CONFIRMED_NUMBERS: u32 = 10;

fn rule_text(rule: &LearnedRule) -> String {
    let mut out = format!(
        "{}\n  {}: {}; confirmed by {} pages ({} with exactly the same text), contradicted by {}; {} URLs queued\n",
        terminal_text(&rule.rule, 160),
        rule.words(),
        terminal_text(&rule.meaning, 160),
        rule.confirmed,
        rule.exact,
        rule.contradicted,
        rule.queued,
    );
    for example in &rule.examples {
        let (url, same_as) = (terminal_text(&example.url, 120), terminal_text(&example.same_as, 120));
        out.push_str(&format!("    {url} was a duplicate of {same_as}\n"));
    }
    out
}
