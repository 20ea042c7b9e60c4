//! Lists of any length: one page of a list, its order, the links to its other pages, and all of it as a file.

use axum::http::StatusCode;
use url::form_urlencoded::Serializer;

use crate::serve::asked::Asked;
use crate::serve::file::{File, Gone, Lines};
use crate::serve::reply::{Refusal, Reply};
use terminal::units::grouped;

/// The address of a list: its path, and the parameters that its links keep.
#[derive(Clone, Copy)]
pub(super) struct Address<'a> {
    pub path: &'static str,
    /// Parameters other than `page` and `sort`.
    pub names: &'static [&'static str],
    pub asked: &'a Asked,
}

impl Address<'_> {
    /// The address with all parameters but those of `changes`, which are set; an empty value leaves a parameter out.
    pub fn with(&self, suffix: &str, changes: &[(&str, &str)]) -> String {
        let path = format!("{}{suffix}", self.path);
        let mut query = Serializer::new(String::new());
        let names = self.names.iter().copied().chain(["sort"]);
        for name in names.filter(|name| changes.iter().all(|(changed, _)| changed != name)) {
            if let Some(value) = self.asked.value(name) {
                query.append_pair(name, value);
            }
        }
        for (name, value) in changes.iter().filter(|(_, value)| !value.is_empty()) {
            query.append_pair(name, value);
        }
        match query.finish() {
            query if query.is_empty() => path,
            query => format!("{path}?{query}"),
        }
    }

    /// The key of the parameter `sort`, and whether the last row comes first: `url` or `-url`.
    pub fn sort(&self) -> Option<(&str, bool)> {
        let sort = self.asked.value("sort")?;
        Some(sort.strip_prefix('-').map_or((sort, false), |key| (key, true)))
    }

    /// The orders of a form, by value and name.
    pub fn orders<const N: usize>(&self, orders: [(&'static str, &'static str); N]) -> Vec<Order> {
        let now = self.asked.value("sort").unwrap_or_default();
        let order = |(value, name)| Order {
            value,
            name,
            is_current: value == now,
        };
        orders.map(order).into()
    }

    /// The heads of a table.
    pub fn heads<const N: usize>(&self, columns: [Column; N]) -> Vec<Head> {
        let now = self.sort();
        let heads = columns.map(|column| {
            let way = now.filter(|(key, _)| *key == column.key).map(|(_, is_last)| is_last);
            let sort = match way {
                Some(false) => format!("-{}", column.key),
                _ => column.key.to_owned(),
            };
            Head {
                name: column.name,
                class: column.class,
                link: (!column.key.is_empty()).then(|| self.with("", &[("sort", &sort)])),
                way: way.map(|is_last| if is_last { "descending" } else { "ascending" }),
            }
        });
        heads.into()
    }
}

/// An order of a list, for a form.
#[derive(Debug)]
pub(super) struct Order {
    /// The value of `sort`; empty for the order without it.
    pub value: &'static str,
    pub name: &'static str,
    pub is_current: bool,
}

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    pub name: &'static str,
    /// As in the lists of the report.
    pub class: &'static str,
    /// The value of `sort`; empty for a column that does not sort.
    pub key: &'static str,
}

/// The head of a column.
#[derive(Debug)]
pub(super) struct Head {
    pub name: &'static str,
    pub class: &'static str,
    pub link: Option<String>,
    /// The value of `aria-sort`, if the rows are in the order of this column.
    pub way: Option<&'static str>,
}

/// A page of a list, with the links to the pages before and after it.
pub(super) struct Part<'a, T> {
    pub items: &'a [T],
    pub page: usize,
    pub pages: usize,
    pub count: usize,
    pub from: String,
    pub to: String,
    pub total: String,
    pub before: Option<String>,
    pub after: Option<String>,
    /// All of the list as a file.
    pub csv: String,
}

impl<'a, T> Part<'a, T> {
    /// The page that the parameter `page` names, of pages with `shown` items.
    pub fn of(all: &'a [T], shown: usize, address: Address<'_>) -> Result<Self, Refusal> {
        let page = address.asked.number("page")?;
        let pages = all.len().div_ceil(shown).max(1);
        if page > pages {
            let reason = format!("This list has {pages} pages.");
            return Err(Refusal::new(StatusCode::NOT_FOUND, reason));
        }
        let from = (page - 1) * shown;
        let items = &all[from..all.len().min(from + shown)];
        let link = |page: usize| address.with("", &[("page", &page.to_string())]);
        Ok(Self {
            items,
            page,
            pages,
            count: all.len(),
            from: grouped((from + 1) as u64),
            to: grouped((from + items.len()) as u64),
            total: grouped(all.len() as u64),
            before: (page > 1).then(|| link(page - 1)),
            after: (page < pages).then(|| link(page + 1)),
            csv: address.with(".csv", &[]),
        })
    }
}

/// Comma-separated values as a file with this name: the heads, and what `write` writes.
pub(super) fn csv<const N: usize>(
    name: &'static str,
    heads: [&'static str; N],
    write: impl FnOnce(&mut Lines) -> Result<(), Gone> + Send + 'static,
) -> Reply {
    Reply::File(File::new(name, move |lines| {
        lines.line(&heads)?;
        write(lines)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    #[test]
    fn links_keep_what_was_asked_for_and_turn_the_order() {
        let asked = Asked {
            path: "/pages".to_owned(),
            is_write: false,
            query: [("q", "a&b"), ("sort", "url"), ("page", "3"), ("other", "x")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            body: Bytes::new(),
        };
        let address = Address {
            path: "/pages",
            names: &["q", "host"],
            asked: &asked,
        };
        assert_eq!(address.with("", &[("page", "4")]), "/pages?q=a%26b&sort=url&page=4");
        assert_eq!(address.with(".csv", &[("q", "")]), "/pages.csv?sort=url");
        let column = |key| Column {
            name: "",
            class: "",
            key,
        };
        let heads = address.heads([column("url"), column("outcome"), column("")]);
        assert_eq!(heads[0].way, Some("ascending"));
        assert_eq!(heads[0].link.as_deref(), Some("/pages?q=a%26b&sort=-url"));
        assert_eq!(heads[1].link.as_deref(), Some("/pages?q=a%26b&sort=outcome"));
        assert_eq!((heads[1].way, heads[2].link.is_none()), (None, true));
    }
}
