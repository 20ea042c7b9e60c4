//! What became of the pages, in words.

use std::collections::BTreeMap;

use export::Destination;
use storage::Fate;

use super::filter::Excluded;
use terminal::units::counted;

/// Numbers of exported and skipped pages.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Pages, or captures of pages in an index.
    pub written: u64,
    pub is_index: bool,
    excluded: BTreeMap<Excluded, u64>,
    /// Earlier versions of pages.
    superseded: u64,
    moved: u64,
    gone: u64,
    pub unreadable: u64,
    /// The limit that ended the export.
    pub limit: Option<u64>,
}

impl Counts {
    pub fn of_index() -> Self {
        Self {
            is_index: true,
            ..Self::default()
        }
    }

    pub fn add_excluded(&mut self, reason: Excluded) {
        *self.excluded.entry(reason).or_default() += 1;
    }

    /// Counts a page that is not the last known version of its URL.
    pub fn add_past(&mut self, fate: Fate) {
        match fate {
            Fate::Current => {}
            Fate::Superseded { .. } => self.superseded += 1,
            Fate::Moved => self.moved += 1,
            Fate::Gone { .. } => self.gone += 1,
        }
    }

    /// A line with the sums, and a line for each kind of page that was left out.
    pub fn summary(&self, destination: &Destination) -> String {
        let noun = if self.is_index { "capture" } else { "page" };
        let to = match destination {
            Destination::Stdout => String::new(),
            Destination::File(path) | Destination::Folder(path) => format!(" to {}", path.display()),
        };
        let excluded: u64 = self.excluded.values().sum();
        let mut text = format!(
            "{} written{to}; {} excluded by the filters",
            counted(self.written, noun),
            counted(excluded, "page")
        );
        let reasons: Vec<String> = self
            .excluded
            .iter()
            .map(|(reason, count)| in_words(*reason, *count))
            .collect();
        if !reasons.is_empty() {
            text += &format!(": {}", reasons.join(", "));
        }
        for line in self.lines() {
            text += &format!("\n  {line}");
        }
        text
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut add = |count: u64, line: String| {
            if count > 0 {
                lines.push(line);
            }
        };
        add(
            self.superseded,
            format!(
                "{} replaced: a later fetch of the URL found a new version, which counts instead",
                counted(self.superseded, "page")
            ),
        );
        add(
            self.moved,
            format!(
                "{} moved: a later fetch was redirected for good, or found a page that may not be stored",
                counted(self.moved, "page")
            ),
        );
        add(
            self.gone,
            format!(
                "{} gone: two fetches in a row found no page any more, such as status 404 or 410",
                counted(self.gone, "page")
            ),
        );
        add(
            self.unreadable,
            format!(
                "{} unreadable in the archive, named above",
                counted(self.unreadable, "page")
            ),
        );
        if let Some(limit) = self.limit {
            lines.push(format!("ended at --limit {limit}; later pages were not counted"));
        }
        lines
    }
}

/// `3 in other languages (--language)`.
fn in_words(reason: Excluded, count: u64) -> String {
    let words = match reason {
        Excluded::Duplicate if count == 1 => "duplicate of a kept page (--verdict all has it)",
        Excluded::Duplicate => "duplicates of kept pages (--verdict all has them)",
        Excluded::Kept => "kept (--verdict)",
        Excluded::Host => "of other hosts (--host)",
        Excluded::Url => "with other URLs (--match)",
        Excluded::Language => "in other languages or too short to tell (--language)",
        Excluded::Fetched => "fetched at another time (--since, --until)",
        Excluded::Short => "with shorter texts (--min-chars)",
        Excluded::Empty => "without any text (--include-empty has them)",
        Excluded::Published => "published at another time (--since-published, --until-published)",
        Excluded::Undated => "without a date of publication",
    };
    format!("{count} {words}")
}
