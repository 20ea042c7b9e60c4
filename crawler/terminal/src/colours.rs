//! Whether a stream shows colours.

use std::ffi::OsString;
use std::io::IsTerminal;

/// Whether output to `stream` may have colours: it is a terminal, and the environment does not switch them off. `NO_COLOR` with any value
/// (no-color.org), `CLICOLOR=0` (bixense.com/clicolors) and `TERM=dumb` do.
#[must_use]
pub fn has_colours(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && allowed_by(|name| std::env::var_os(name))
}

fn allowed_by(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let is = |name, value: &str| variable(name).is_some_and(|found| found == value);
    let is_set = |name| variable(name).is_some_and(|found| !found.is_empty());
    !is_set("NO_COLOR") && !is("CLICOLOR", "0") && !is("TERM", "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_switches_colours_off() {
        let allowed =
            |name: &'static str, value: &'static str| allowed_by(|asked| (asked == name).then(|| value.into()));
        for (name, value) in [
            ("NO_COLOR", "1"),
            ("NO_COLOR", "0"),
            ("CLICOLOR", "0"),
            ("TERM", "dumb"),
        ] {
            assert!(!allowed(name, value), "{name}={value}");
        }
        for (name, value) in [("NO_COLOR", ""), ("CLICOLOR", "1"), ("TERM", "xterm"), ("HOME", "/")] {
            assert!(allowed(name, value), "{name}={value}");
        }
    }
}
