//! The dataset card: `README.md` with front matter that the Hugging Face hub and its library `datasets` read.

use std::fmt::{self, Formatter};

use super::Facts;
use crate::columns::Columns;
use crate::field::{Field, Kind, shown_time};
use crate::yaml;

/// Hosts that the card names, those with the most pages first.
const MAX_HOSTS_SHOWN: usize = 20;

/// Most bits of a fingerprint that is a number; longer ones are bytes.
const BITS_OF_A_NUMBER: u32 = 64;

/// The card of a dataset.
pub(super) struct Card<'a> {
    pub facts: &'a Facts,
    pub columns: &'a Columns,
    /// How the pages were selected.
    pub notes: &'a [String],
}

impl fmt::Display for Card<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.front_matter(f)?;
        self.body(f)
    }
}

impl Card<'_> {
    /// The keys of a dataset card, as <https://huggingface.co/docs/hub/datasets-cards> has them.
    fn front_matter(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let facts = self.facts;
        f.write_str(
            "---\nconfigs:\n- config_name: default\n  data_files:\n  - split: train\n    path: data/train-*.parquet\n",
        )?;
        if !facts.languages.is_empty() {
            f.write_str("language:\n")?;
            for language in facts.languages.keys() {
                writeln!(f, "- {}", quoted(language))?;
            }
        }
        writeln!(f, "size_categories:\n- {}", size_category(facts.pages))?;
        f.write_str("dataset_info:\n  features:\n")?;
        for field in self.columns.fields() {
            writeln!(f, "  - name: {}\n    dtype: {}", field.name, self.dtype(field))?;
        }
        writeln!(
            f,
            "  splits:\n  - name: train\n    num_bytes: {}\n    num_examples: {}",
            facts.bytes, facts.pages
        )?;
        writeln!(
            f,
            "  download_size: {}\n  dataset_size: {}\n---",
            facts.file_bytes, facts.bytes
        )
    }

    /// The type of a field in `datasets`.
    fn dtype(&self, field: &Field) -> &'static str {
        match field.kind {
            Kind::Text | Kind::Texts => "string",
            Kind::Time => "timestamp[ms, tz=UTC]",
            Kind::Int32 => "int32",
            Kind::Int64 => "int64",
            Kind::Real => "float64",
            Kind::Bool => "bool",
            Kind::Fingerprint if self.columns.fingerprint_bits() > BITS_OF_A_NUMBER => "binary",
            Kind::Fingerprint => "uint64",
        }
    }

    fn body(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let facts = self.facts;
        let pages = if facts.pages == 1 { "page" } else { "pages" };
        writeln!(f, "\n# {} {pages} of a crawl\n", facts.pages)?;
        writeln!(
            f,
            "```python\nfrom datasets import load_dataset\n\npages = load_dataset(\"DIR\", split=\"train\")\n```\n"
        )?;
        writeln!(f, "## How it was made\n")?;
        writeln!(
            f,
            "`crawler export --format dataset`, version {}, wrote the pages of a crawl: one row for each page, in the order in which the crawl \
             decided about them. `text` is the main text of a page, without navigation and templates. The crawl compared each page with those \
             before it, and keeps one page of each cluster of equal or nearly equal texts; `cluster` names that page.\n",
            env!("CARGO_PKG_VERSION")
        )?;
        if let Some((first, last)) = facts.fetched {
            writeln!(f, "- fetched: {} to {}", shown_time(first), shown_time(last))?;
        }
        for note in self.notes {
            writeln!(f, "- {note}")?;
        }
        self.tables(f)?;
        writeln!(
            f,
            "\n## Rights\n\nThe texts belong to their authors. That a robots.txt allows a crawl is no licence; `crawler export --with metadata` adds the licence that a page names."
        )
    }

    fn tables(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let facts = self.facts;
        if !facts.languages.is_empty() {
            writeln!(f, "\n| language | pages |\n|---|---|")?;
            for (language, pages) in most(&facts.languages) {
                writeln!(f, "| {language} | {pages} |")?;
            }
        }
        if !facts.hosts.is_empty() {
            writeln!(f, "\n| host | pages |\n|---|---|")?;
            for (host, pages) in most(&facts.hosts).into_iter().take(MAX_HOSTS_SHOWN) {
                writeln!(f, "| `{}` | {pages} |", host.replace(['`', '|'], "_"))?;
            }
            let more = facts.hosts.len().saturating_sub(MAX_HOSTS_SHOWN);
            if more > 0 {
                let at_least = if facts.is_of_more_hosts { "at least " } else { "" };
                writeln!(f, "\nand {at_least}{more} more hosts")?;
            }
        }
        Ok(())
    }
}

/// The entries with the largest counts first.
fn most(counts: &std::collections::BTreeMap<String, u64>) -> Vec<(&str, u64)> {
    let mut all: Vec<(&str, u64)> = counts.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    all
}

/// The category of the hub for a number of rows.
fn size_category(rows: u64) -> &'static str {
    const CATEGORIES: [(u64, &str); 8] = [
        (1_000, "n<1K"),
        (10_000, "1K<n<10K"),
        (100_000, "10K<n<100K"),
        (1_000_000, "100K<n<1M"),
        (10_000_000, "1M<n<10M"),
        (100_000_000, "10M<n<100M"),
        (1_000_000_000, "100M<n<1B"),
        (10_000_000_000, "1B<n<10B"),
    ];
    let found = CATEGORIES.iter().find(|(below, _)| rows < *below);
    found.map_or("10B<n<100B", |(_, name)| name)
}

/// A text in YAML: `no` would be false.
fn quoted(text: &str) -> String {
    let mut out = String::new();
    yaml::push_quoted(text, &mut out);
    out
}
