//! The names of an index's keys.

use super::entries::Table;
use crate::layout::Layout;

/// The keys of an index. All have the same hash tag.
#[derive(Debug)]
pub(super) struct Keys {
    pub meta: String,
    pub signatures: String,
    pub recent: String,
    pub ids: String,
    pub documents: String,
    digests: String,
    shingles: String,
    blocks: Vec<String>,
}

impl Keys {
    pub fn new(prefix: &str, layout: Layout) -> Self {
        let key = |name: &str| format!("{prefix}{name}");
        Self {
            meta: key("meta"),
            signatures: key("signatures"),
            recent: key("recent"),
            ids: key("ids"),
            documents: key("documents"),
            digests: key("digests"),
            shingles: key("shingles"),
            blocks: (0..layout.blocks().len())
                .map(|number| key(&format!("block-{number}")))
                .collect(),
        }
    }

    pub fn table(&self, table: Table) -> &str {
        match table {
            Table::Digests => &self.digests,
            Table::Shingles => &self.shingles,
            Table::Block(number) => &self.blocks[number],
        }
    }

    /// The tables, in the order of [`Keys::place`].
    pub fn tables(&self) -> impl Iterator<Item = &String> {
        [&self.digests, &self.shingles].into_iter().chain(&self.blocks)
    }

    /// The place of a table among the [`Keys::tables`], from 0.
    pub fn place(table: Table) -> usize {
        match table {
            Table::Digests => 0,
            Table::Shingles => 1,
            Table::Block(number) => 2 + number,
        }
    }
}
