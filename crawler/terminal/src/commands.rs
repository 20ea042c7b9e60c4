//! The commands that a message suggests, as a user can paste them into a shell.
//!
//! A suggestion names the data folder and the configuration file that the user named, so that it acts on the same crawl. The command
//! line sets them once; errors and answers of every part of the program suggest commands, and none of these parts knows the command line.

use std::borrow::Cow;
use std::path::Path;
use std::sync::OnceLock;

/// The folder that commands use without `--data`.
pub const DEFAULT_DATA: &str = "data";

/// The commands that read no crawl.
const WITHOUT_DATA: [&str; 2] = ["dedup", "inspect page"];

/// The commands that read no configuration.
const WITHOUT_CONFIG: [&str; 3] = ["control", "export", "gc"];

/// The options that name the crawl of this process.
static OPTIONS: OnceLock<Options> = OnceLock::new();

/// Options in the form of a shell, each with a leading space; empty where a command finds the crawl without them.
#[derive(Debug, Default)]
struct Options {
    data: String,
    config: String,
}

/// Sets the crawl that suggested commands name. Only the first call counts.
pub fn set_crawl(data: &Path, config: Option<&Path>) {
    OPTIONS.get_or_init(|| Options {
        data: if data == Path::new(DEFAULT_DATA) {
            String::new()
        } else {
            format!(" --data {}", quoted_path(data))
        },
        config: config.map_or_else(String::new, |file| format!(" --config {}", quoted_path(file))),
    });
}

/// A command, with the options that name the crawl of this process; `arguments` are quoted where a shell needs it.
pub fn command(name: &str, arguments: &[&str]) -> String {
    let none = Options::default();
    let options = OPTIONS.get().unwrap_or(&none);
    let mut line = format!("crawler {name}");
    if !WITHOUT_DATA.contains(&name) {
        line.push_str(&options.data);
    }
    if !WITHOUT_CONFIG.contains(&name) {
        line.push_str(&options.config);
    }
    for argument in arguments {
        line.push(' ');
        line.push_str(&quoted(argument));
    }
    line
}

/// `text` as one word of a shell.
fn quoted(text: &str) -> Cow<'_, str> {
    // Only a null character cannot be quoted, and no argument of a process holds one.
    shlex::try_quote(text).unwrap_or(Cow::Borrowed(text))
}

/// A path as an argument, which no command takes for an option.
pub fn path_argument(path: &Path) -> String {
    let text = path.display().to_string();
    if text.starts_with('-') {
        format!("./{text}")
    } else {
        text
    }
}

/// A path as one word of a shell.
fn quoted_path(path: &Path) -> String {
    quoted(&path_argument(path)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_a_shell_stays_one_word() {
        assert_eq!(quoted("crawl-1"), "crawl-1");
        for text in ["my crawl", "it's", "http://a.example/?a=1&b=$HOME", "*", "", "~"] {
            assert_eq!(shlex::split(&quoted(text)).unwrap(), [text]);
        }
        assert_eq!(quoted_path(Path::new("-data")), "./-data");
    }

    #[test]
    fn a_command_without_a_crawl_names_the_default_one() {
        assert_eq!(
            command("report", &["--format", "html", "-o", "my report.html"]),
            "crawler report --format html -o 'my report.html'"
        );
    }
}
