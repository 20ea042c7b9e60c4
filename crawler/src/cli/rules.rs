//! `crawler rules`

use crate::cli::arguments::{Rules, RulesFormat};
use crate::cli::error::Error;
use crate::error::RunError;
use crate::report::{LearnedRule, Steering};
use crate::terminal::text::terminal_text;

pub(super) fn execute(args: &Rules) -> Result<(), Error> {
    let (config, path) = super::read_config(&args.config)?;
    let mut policy = super::validate(&config, path)?.steering;
    // The question is what the verdicts teach, whether or not they steer.
    policy.enabled = true;
    let store = super::open_to_read(&args.data.data)?;
    let steering = Steering::of(&store, policy, args.all)?;
    let text = match args.format {
        RulesFormat::Text => text(&steering, args.all),
        RulesFormat::Json => {
            let mut json = crate::terminal::json::to_string_pretty(&steering)
                .map_err(|error| RunError::Render(error.to_string()))?;
            json.push('\n');
            json
        }
    };
    Ok(super::say(text.trim_end())?)
}

fn text(steering: &Steering, all: bool) -> String {
    if steering.is_empty() {
        let hint = if all {
            ""
        } else {
            "; --all shows what is only suspected"
        };
        return format!("No rule was learned and no pattern is snoozed{hint}.");
    }
    let mut out = String::new();
    for rule in &steering.rules {
        out.push_str(&rule_text(rule));
    }
    for pattern in &steering.patterns {
        let shown = terminal_text(&format!("{}{}", pattern.host, pattern.pattern), 120);
        out.push_str(&format!(
            "{shown}\n  snoozed pattern: {} of {} pages were duplicates\n",
            pattern.duplicates, pattern.pages
        ));
    }
    let proposed: Vec<&LearnedRule> = steering.rules.iter().filter(|rule| is_proposed(rule)).collect();
    if !proposed.is_empty() {
        out.push_str(
            "\nTo apply rules, so that their URLs are left without a test, put into config.toml those of these lines that \
             you believe:\n[steering]\napply = [\n",
        );
        for rule in proposed {
            let quoted = crate::terminal::json::to_string(&rule.rule).unwrap_or_default();
            out.push_str(&format!("  {},\n", terminal_text(&quoted, 2_000)));
        }
        out.push_str("]\n");
    }
    out
}

/// What changes numbers in a path may well find the next page that matters: that takes more pairs to be proposed.
fn is_proposed(rule: &LearnedRule) -> bool {
    let is_of_numbers = rule.rule.contains(": numbers of ");
    rule.contradicted == 0
        && matches!(rule.state, "left" | "snoozed")
        && (!is_of_numbers || rule.confirmed >= MIN_CONFIRMED_NUMBERS)
}

const MIN_CONFIRMED_NUMBERS: u32 = 10;

fn rule_text(rule: &LearnedRule) -> String {
    let mut out = format!(
        "{}\n  {}: {}; confirmed by {} pages ({} with the very same text), contradicted by {}; {} URLs wait\n",
        terminal_text(&rule.rule, 160),
        rule.state,
        terminal_text(&rule.meaning, 160),
        rule.confirmed,
        rule.exact,
        rule.contradicted,
        rule.queued,
    );
    for example in &rule.examples {
        let (url, same_as) = (terminal_text(&example.url, 120), terminal_text(&example.same_as, 120));
        out.push_str(&format!("    {url} was {same_as}\n"));
    }
    out
}
