//! Check: whether the crawl has kept a text already, as `crawler check` says.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use askama::Template;

use crate::serve::asked::Asked;
use crate::serve::frame::Frame;
use crate::serve::reply::{Refusal, Reply};
use crate::serve::site::Site;
use error::RunError;
use study::check::{self, Options};
use study::nearest::KeptPages;
use study::scheme;

/// Nearest pages in the answer, as the command has.
const TOP: usize = 3;

/// Upper bound on the characters of a file's name.
const NAME_CHARS: usize = 100;

#[derive(Template)]
#[template(path = "serve/check.html")]
struct CheckPage<'a> {
    frame: Frame<'a>,
}

pub fn page(site: &Arc<Site>) -> Result<Reply, Refusal> {
    let current = site.current()?;
    Reply::page(&CheckPage {
        frame: site.frame("check", Some(&current)),
    })
}

/// As `crawler check --format json`, for the body of the request.
pub(super) fn json(site: &Arc<Site>, asked: &Asked) -> Result<Reply, Refusal> {
    let current = site.current()?;
    let settings = &current.model.settings;
    let failed = |source| RunError::io("write", "a temporary file", source);
    let folder = tempfile::tempdir().map_err(failed)?;
    let name = safe_name(asked.value("name").unwrap_or_default());
    let file = folder.path().join(&name);
    fs::write(&file, &asked.body).map_err(failed)?;
    let in_folder = format!("{}{}", folder.path().display(), std::path::MAIN_SEPARATOR);
    let subject = (site.program.read_text)(&file, asked.value("url"), settings);
    let mut subject = subject.map_err(|reason| Refusal::bad(reason.replace(&in_folder, "")))?;
    subject.source = name;
    let store = site.store()?;
    scheme::require_same(&store, settings)?;
    let kept = KeptPages::open(&store, settings)?;
    let options = Options {
        top: TOP,
        is_thorough: false,
    };
    Reply::json(&check::check(&store, settings, &kept, subject, options, |_| {})?)
}

/// The last part of a name without characters that mean something to a file system; the ending tells the format.
fn safe_name(name: &str) -> String {
    let name = Path::new(name).file_name().and_then(|name| name.to_str());
    let is_safe = |c: &char| c.is_alphanumeric() || "._- ".contains(*c);
    let safe: String = name
        .unwrap_or_default()
        .chars()
        .filter(is_safe)
        .take(NAME_CHARS)
        .collect();
    let safe = safe.trim_matches(['.', ' ']);
    if safe.is_empty() {
        "text".to_owned()
    } else {
        safe.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_to_no_other_folder() {
        for (name, safe) in [
            ("page.html", "page.html"),
            ("../../etc/passwd", "passwd"),
            ("..", "text"),
            ("", "text"),
            ("C:\\pages\\tide tables.txt", "Cpagestide tables.txt"),
            ("標題.html", "標題.html"),
            ("/", "text"),
            (".hidden", "hidden"),
        ] {
            assert_eq!(safe_name(name), safe, "{name}");
        }
    }
}
