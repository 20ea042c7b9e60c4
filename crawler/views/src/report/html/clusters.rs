//! Clusters, the largest first, with the differences between the kept page and its duplicates.

use serde_json::{Value, json};

use super::super::Report;
use super::super::clusters::{Cluster, Duplicate, DuplicateVerdict};
use super::assets::island;
use super::budget::Budget;
use super::diff_view::StaticDiff;
use super::diffs::{Compared, Diffs, NoDiff};
use super::list::{PAGE, left_out_words};
use super::web_text::{WebUrl, cut};
use terminal::units::{counted, grouped};

/// Characters of a title.
const TITLE_CHARS: usize = 200;
/// Characters of a URL.
const URL_CHARS: usize = 400;
/// Duplicates listed for a cluster.
const DUPLICATES_SHOWN: usize = 50;
/// Near-duplicates compared for a cluster, so that no cluster takes all the room.
const COMPARED: usize = 10;

/// The section of clusters.
#[derive(Debug)]
pub(super) struct Clusters {
    pub first: Vec<ShownCluster>,
    pub rest: String,
    pub listed: usize,
    pub left_out: String,
    /// The number of kept pages with duplicates.
    pub all: String,
}

/// A cluster of the first page.
#[derive(Debug)]
pub(super) struct ShownCluster {
    pub kept: WebUrl,
    pub title: String,
    pub size: String,
    pub duplicates: Vec<ShownDuplicate>,
    pub more: u64,
}

/// A duplicate in a cluster of the first page.
#[derive(Debug)]
pub(super) struct ShownDuplicate {
    pub url: WebUrl,
    pub verdict: &'static str,
    pub measures: String,
    pub diff: StaticDiff,
}

impl Clusters {
    pub fn is_paged(&self) -> bool {
        self.listed > PAGE
    }
}

pub fn clusters(report: &Report, diffs: &mut Diffs<'_>, budget: &mut Budget) -> Clusters {
    let clusters = report.by_size();
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for cluster in &clusters {
        if first.len() < PAGE {
            first.push(shown(cluster, diffs));
            continue;
        }
        // The first cluster without room ends the list, so that no smaller cluster precedes a larger one.
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
            "they are the smallest; the report as JSON lists all",
        ),
        all: grouped(clusters.len() as u64),
    }
}

fn shown(cluster: &Cluster, diffs: &mut Diffs<'_>) -> ShownCluster {
    let duplicates: Vec<ShownDuplicate> = compared(cluster, DUPLICATES_SHOWN, diffs)
        .map(|(duplicate, compared)| ShownDuplicate {
            url: WebUrl::of(&duplicate.url, URL_CHARS),
            verdict: duplicate.verdict.as_str(),
            measures: measures(cluster, duplicate),
            diff: diffs.html(&compared),
        })
        .collect();
    ShownCluster {
        kept: WebUrl::of(&cluster.kept, URL_CHARS),
        title: title(cluster),
        size: grouped(cluster.duplicates.len() as u64),
        more: (cluster.duplicates.len() - duplicates.len()) as u64,
        duplicates,
    }
}

/// The title of the kept page, or whose it is.
fn title(cluster: &Cluster) -> String {
    cluster.of_worker().unwrap_or_else(|| cut(&cluster.title, TITLE_CHARS))
}

/// `[URL, title, number of duplicates, [[verdict, measures, URL, diff], …]]`; `None` if there is no room.
fn as_json(cluster: &Cluster, diffs: &mut Diffs<'_>, budget: &mut Budget) -> Option<Value> {
    let (kept, title) = (WebUrl::of(&cluster.kept, URL_CHARS), title(cluster));
    let bytes_of = |duplicate: &Duplicate| WebUrl::of(&duplicate.url, URL_CHARS).bytes() + 50;
    let duplicates = cluster.duplicates.iter().take(DUPLICATES_SHOWN);
    if !budget.take(kept.bytes() + title.len() + 30 + duplicates.map(bytes_of).sum::<usize>()) {
        return None;
    }
    let duplicates: Vec<Value> = compared(cluster, DUPLICATES_SHOWN, diffs)
        .map(|(duplicate, compared)| {
            let verdict = duplicate.verdict.as_str();
            json!([
                verdict,
                measures(cluster, duplicate),
                WebUrl::of(&duplicate.url, URL_CHARS).json(),
                compared.json()
            ])
        })
        .collect();
    Some(json!([kept.json(), title, cluster.duplicates.len(), duplicates]))
}

/// The first duplicates of a cluster, each with its diff.
fn compared<'c>(
    cluster: &'c Cluster,
    shown: usize,
    diffs: &mut Diffs<'_>,
) -> std::vec::IntoIter<(&'c Duplicate, Compared)> {
    let mut near = 0;
    let mut compared = Vec::new();
    for duplicate in cluster.duplicates.iter().take(shown) {
        let differs = match duplicate.verdict {
            DuplicateVerdict::Exact if duplicate.of == cluster.id => Compared::Nothing(NoDiff::Same),
            _ if near < COMPARED => {
                near += 1;
                diffs.compare(cluster.id, duplicate.id)
            }
            _ => Compared::Nothing(NoDiff::NoRoom),
        };
        compared.push((duplicate, differs));
    }
    compared.into_iter()
}

/// The measures of a duplicate, with a note if they are against another page than the kept one.
fn measures(cluster: &Cluster, duplicate: &Duplicate) -> String {
    let measured = match (duplicate.verdict, duplicate.distance, duplicate.similarity) {
        (DuplicateVerdict::Exact, ..) => String::new(),
        (_, Some(bits), Some(similarity)) => format!("{similarity:.3}, {}", counted(bits.into(), "bit")),
        (_, None, Some(similarity)) => format!("{similarity:.3}, short"),
        (_, bits, None) => bits.map_or_else(String::new, |bits| counted(bits.into(), "bit")),
    };
    if duplicate.of == cluster.id {
        return measured;
    }
    format!("{measured} (against the page kept at that time)")
        .trim_start()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::super::texts::NoTexts;
    use super::super::super::{Waiting, tests::sample};
    use super::*;

    #[test]
    fn a_measure_against_another_page_has_a_note() {
        let mut report = sample();
        let shown = |report: &Report| {
            let waiting = Waiting::new(true);
            let mut diffs = Diffs::new(&NoTexts, &waiting);
            let compared = compared(&report.clusters[0], 10, &mut diffs);
            let shown: Vec<_> = compared
                .map(|(duplicate, compared)| {
                    let is_same = matches!(compared, Compared::Nothing(NoDiff::Same));
                    (measures(&report.clusters[0], duplicate), is_same)
                })
                .collect();
            shown
        };
        assert_eq!(
            shown(&report),
            [(String::new(), true), ("0.912, 5 bits".to_owned(), false)]
        );
        // A newer version of the kept page, whose text may differ.
        report.clusters[0].id = 20;
        let then = "(against the page kept at that time)";
        assert_eq!(
            shown(&report),
            [(then.to_owned(), false), (format!("0.912, 5 bits {then}"), false)]
        );
    }
}
