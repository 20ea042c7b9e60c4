//! Clusters, the largest first, with what differs between the kept page and its duplicates.

use serde_json::{Value, json};

use super::super::{Cluster, Duplicate, DuplicateVerdict, Report};
use super::assets::island;
use super::budget::Budget;
use super::diffs::{Compared, Diffs, StaticDiff, Why};
use super::list::{PAGE, left_out_words};
use super::summary::grouped;
use super::web_text::cut;

/// Characters of a title and of a URL.
const TITLE_CHARS: usize = 200;
const URL_CHARS: usize = 400;
/// Duplicates of a cluster that are listed; and how many of these a cluster of the first page has without JavaScript.
const DUPLICATES_SHOWN: usize = 50;
const STATIC_DUPLICATES: usize = 10;
/// Near-duplicates of a cluster that are compared, so that no cluster takes all the room.
const COMPARED: usize = 10;

/// See the module's text.
#[derive(Debug)]
pub(super) struct Clusters {
    pub first: Vec<ShownCluster>,
    pub rest: String,
    pub listed: usize,
    pub left_out: String,
    /// Kept pages with duplicates, in words.
    pub all: String,
}

/// One of the first page.
#[derive(Debug)]
pub(super) struct ShownCluster {
    pub kept: String,
    pub title: String,
    pub size: String,
    pub duplicates: Vec<ShownDuplicate>,
    pub more: u64,
}

/// One of its duplicates.
#[derive(Debug)]
pub(super) struct ShownDuplicate {
    pub url: String,
    pub verdict: &'static str,
    pub measures: String,
    pub diff: StaticDiff,
}

impl Clusters {
    pub fn is_paged(&self) -> bool {
        self.listed > PAGE
    }
}

pub(super) fn clusters(report: &Report, diffs: &mut Diffs<'_>, budget: &mut Budget) -> Clusters {
    let clusters = report.by_size();
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for cluster in &clusters {
        if first.len() < PAGE {
            first.push(shown(cluster, diffs));
            continue;
        }
        // No more are looked at once one has found no room, so that their order is that of their size.
        let Some(cluster) = as_json(cluster, diffs, budget) else {
            break;
        };
        rest.push(cluster);
    }
    let listed = first.len() + rest.len();
    Clusters {
        first,
        rest: island(&Value::Array(rest)),
        listed,
        left_out: left_out_words(
            (clusters.len() - listed) as u64,
            "they are the smallest; crawler report --format json lists them all",
        ),
        all: grouped(clusters.len() as u64),
    }
}

fn shown(cluster: &Cluster, diffs: &mut Diffs<'_>) -> ShownCluster {
    let duplicates: Vec<ShownDuplicate> = compared(cluster, STATIC_DUPLICATES, diffs)
        .map(|(duplicate, compared)| ShownDuplicate {
            url: cut(&duplicate.url, URL_CHARS),
            verdict: duplicate.verdict.as_str(),
            measures: measures(cluster, duplicate),
            diff: diffs.html(&compared),
        })
        .collect();
    ShownCluster {
        kept: cut(&cluster.kept, URL_CHARS),
        title: cut(&cluster.title, TITLE_CHARS),
        size: grouped(cluster.duplicates.len() as u64),
        more: (cluster.duplicates.len() - duplicates.len()) as u64,
        duplicates,
    }
}

/// `[URL, title, duplicates in all, [[verdict, measures, URL, what differs], …]]`; `None` where there is no room for it.
fn as_json(cluster: &Cluster, diffs: &mut Diffs<'_>, budget: &mut Budget) -> Option<Value> {
    let (kept, title) = (cut(&cluster.kept, URL_CHARS), cut(&cluster.title, TITLE_CHARS));
    let of_duplicates = |duplicate: &Duplicate| duplicate.url.len().min(4 * URL_CHARS) + 50;
    let duplicates = cluster.duplicates.iter().take(DUPLICATES_SHOWN);
    if !budget.take(kept.len() + title.len() + 30 + duplicates.map(of_duplicates).sum::<usize>()) {
        return None;
    }
    let duplicates: Vec<Value> = compared(cluster, DUPLICATES_SHOWN, diffs)
        .map(|(duplicate, compared)| {
            let verdict = duplicate.verdict.as_str();
            json!([
                verdict,
                measures(cluster, duplicate),
                cut(&duplicate.url, URL_CHARS),
                compared.json()
            ])
        })
        .collect();
    Some(json!([kept, title, cluster.duplicates.len(), duplicates]))
}

/// The first duplicates of a cluster, and what differs.
fn compared<'c>(
    cluster: &'c Cluster,
    shown: usize,
    diffs: &mut Diffs<'_>,
) -> std::vec::IntoIter<(&'c Duplicate, Compared)> {
    let mut near = 0;
    let mut compared = Vec::new();
    for duplicate in cluster.duplicates.iter().take(shown) {
        let differs = match duplicate.verdict {
            DuplicateVerdict::Exact if duplicate.of == cluster.id => Compared::Nothing(Why::Same),
            _ if near < COMPARED => {
                near += 1;
                diffs.compare(cluster.id, duplicate.id)
            }
            _ => Compared::Nothing(Why::NoRoom),
        };
        compared.push((duplicate, differs));
    }
    compared.into_iter()
}

/// What was measured, and said to be of another page than the kept one where it is.
fn measures(cluster: &Cluster, duplicate: &Duplicate) -> String {
    let measured = match (duplicate.verdict, duplicate.distance, duplicate.similarity) {
        (DuplicateVerdict::Exact, ..) => String::new(),
        (_, Some(bits), Some(similarity)) => format!("{similarity:.3}, {bits} bits"),
        (_, None, Some(similarity)) => format!("{similarity:.3}, short"),
        (_, bits, None) => bits.map_or_else(String::new, |bits| format!("{bits} bits")),
    };
    if duplicate.of == cluster.id {
        return measured;
    }
    format!("{measured} (of the page that was kept then)")
        .trim_start()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::super::{NoTexts, Waiting, tests::sample};
    use super::*;

    #[test]
    fn what_was_measured_against_another_page_is_said_so() {
        let mut report = sample();
        let shown = |report: &Report| {
            let waiting = Waiting::new(true);
            let mut diffs = Diffs::new(&NoTexts, &waiting);
            let compared = compared(&report.clusters[0], 10, &mut diffs);
            let shown: Vec<_> = compared
                .map(|(duplicate, compared)| {
                    let is_same = matches!(compared, Compared::Nothing(Why::Same));
                    (measures(&report.clusters[0], duplicate), is_same)
                })
                .collect();
            shown
        };
        assert_eq!(
            shown(&report),
            [(String::new(), true), ("0.912, 5 bits".to_owned(), false)]
        );
        // A newer version of the kept page, which need not say the same.
        report.clusters[0].id = 20;
        let then = "(of the page that was kept then)";
        assert_eq!(
            shown(&report),
            [(then.to_owned(), false), (format!("0.912, 5 bits {then}"), false)]
        );
    }
}
