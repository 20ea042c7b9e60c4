//! The choice of the runs that are content.

use std::collections::HashMap;

use super::display::heading_level;
use super::favor::Favor;
use super::features::Page;
use super::forest;
use super::hints::Role;
use super::kind::Kinds;
use super::layout::Layout;
use super::marks::MIN_BYTES_OF_HIDDEN;
use super::select::is_made_for_text;
use super::teasers;

/// Least probability of any run. A page of navigation alone has no content.
const MIN_PROBABILITY: f64 = 0.1;

/// Least probability of a run that is hidden or in navigation. Most of this text is for menus and dialogues.
const MIN_PROBABILITY_OF_MARKED: f64 = 0.5;

/// Chooses the runs that are content, as their indices in order. `root` is the box that the rules take.
///
/// The model gives each run a probability p. Of all sets of runs, the chosen one has the highest expected F<sub>β</sub> for its bytes n,
/// `(1 + β²) Σ n p / (Σ n + β² Σ' n p)`, where Σ is over the set, Σ' over the page, and β what is [favored](Favor). It holds the runs whose
/// p is at least that F<sub>β</sub> divided by 1 + β² (for β = 1, half of F1; Lipton, Elkan and Narayanaswamy 2014, "Optimal thresholding of classifiers to maximize F1 measure"). So the threshold follows the
/// page: where the model doubts everything, the likeliest text is taken. The [teasers] beside an article are left out of the set.
pub(super) fn content(layout: &Layout, root: usize, title: &str, kinds: Kinds, favor: Favor) -> Vec<usize> {
    let page = Page::of(layout, root, title, kinds);
    let (hidden, apart) = (layout.hidden_bytes(), layout.is_apart());
    let read = layout.runs.len().min(MAX_RUNS);
    let mut alone = forest::used().probabilities((0..read).map(|run| page.row(run)));
    alone.extend((read..layout.runs.len()).map(|run| {
        if page.is_kept_by_rules(run) {
            1.0 - MIN_PROBABILITY
        } else {
            0.0
        }
    }));
    let beside = among_neighbours(layout, &with_headings(layout, alone, |run| page.is_kept_by_rules(run)));
    let within = within_content(layout, &beside, |run| page.is_kept_by_rules(run));
    let probabilities = among_like(layout, within);
    let bytes = |run: &usize| layout.runs[*run].text.len() as f64;
    let can_be = |run: &usize| {
        let p = probabilities[*run];
        if apart[*run] {
            return false;
        }
        match hidden[*run] {
            None if page.is_in_navigation(*run) => p >= MIN_PROBABILITY_OF_MARKED,
            None => p >= MIN_PROBABILITY,
            Some(bytes) => p >= MIN_PROBABILITY_OF_MARKED && bytes >= MIN_BYTES_OF_HIDDEN,
        }
    };
    let mut runs: Vec<usize> = (0..layout.runs.len()).filter(can_be).collect();
    runs.sort_by(|a, b| probabilities[*b].total_cmp(&probabilities[*a]));
    let expected: f64 = (0..layout.runs.len()).map(|run| bytes(&run) * probabilities[run]).sum();
    let threshold = best_share(
        runs.iter().map(|run| (bytes(run), probabilities[*run])),
        favor.beta_squared() * expected,
    );
    runs.retain(|run| probabilities[*run] >= threshold);
    runs.sort_unstable();
    teasers::remove(layout, &mut runs);
    runs
}

/// Most runs that the model reads; the rules decide on the others. Of 900 real pages none has as many. A page of single letters has
/// 200,000 a megabyte, and the model takes about a microsecond for each.
const MAX_RUNS: usize = 20_000;

/// Gives each heading at least the probability of the text or of the lower heading under it, unless the rules keep only one of the two, and a
/// heading that links to itself the mean of its section: in manuals, labels and grammars stand between a heading and the text.
///
/// People who mark content do not agree on headings, so the model is not sure of them. But a text with its heading stays the same in
/// another template.
fn with_headings(layout: &Layout, mut probabilities: Vec<f64>, is_kept: impl Fn(usize) -> bool) -> Vec<f64> {
    let level = |run: usize| heading_level(&layout.boxes[layout.runs[run].owner].name);
    for (run, mean) in of_linked_sections(layout, &probabilities, level, &is_kept) {
        probabilities[run] = probabilities[run].max(mean);
    }
    // From the last run, so that a heading above a heading gets the same.
    for run in (0..probabilities.len().saturating_sub(1)).rev() {
        let (this, next) = (level(run), level(run + 1));
        if this > 0 && (next == 0 || next > this) && is_kept(run) == is_kept(run + 1) {
            probabilities[run] = probabilities[run].max(probabilities[run + 1]);
        }
    }
    probabilities
}

/// For each heading that links to a part of the page, the mean probability of the text in its section, by its bytes. A section goes to the next heading
/// of this level or a higher one. Only the runs that the rules keep count.
fn of_linked_sections(
    layout: &Layout,
    probabilities: &[f64],
    level: impl Fn(usize) -> u8,
    is_kept: impl Fn(usize) -> bool,
) -> Vec<(usize, f64)> {
    let links_to_itself = |run: usize| layout.runs[run].links == 1 && layout.runs[run].outward_bytes == 0;
    let asks = |run: usize| level(run) > 0 && is_kept(run) && links_to_itself(run);
    if !(0..probabilities.len()).any(asks) {
        return Vec::new();
    }
    // For each run, the sums from it to the end of the page.
    let mut behind = vec![(0.0, 0.0); probabilities.len() + 1];
    let mut next_of_level = [probabilities.len(); 7];
    let mut means = Vec::new();
    for run in (0..probabilities.len()).rev() {
        let level = usize::from(level(run));
        let is_text = level == 0 && is_kept(run);
        let bytes = if is_text {
            layout.runs[run].text.len() as f64
        } else {
            0.0
        };
        let (expected, all) = behind[run + 1];
        behind[run] = (expected + bytes * probabilities[run], all + bytes);
        if level == 0 {
            continue;
        }
        if is_kept(run) && links_to_itself(run) {
            let end = next_of_level[1..=level].iter().copied().min().unwrap_or(run + 1);
            let section = (expected - behind[end].0, all - behind[end].1);
            means.push((run, section.0 / f64::max(section.1, 1.0)));
        }
        next_of_level[level] = run;
    }
    means
}

/// The mean of each probability with those of the runs beside it, by their bytes. A short run depends on its neighbours more than a
/// long one, so that single short runs do not come and go between versions of a page.
fn among_neighbours(layout: &Layout, probabilities: &[f64]) -> Vec<f64> {
    let bytes = |run: usize| layout.runs[run].text.len() as f64 + LEAST_BYTES;
    let mean = |run: usize| {
        let (mut sum, mut all) = (bytes(run) * probabilities[run], bytes(run));
        let beside = [
            run.checked_sub(1),
            Some(run + 1).filter(|next| *next < probabilities.len()),
        ];
        for other in beside.into_iter().flatten() {
            let weight = WEIGHT_OF_NEIGHBOUR * bytes(run).min(bytes(other));
            sum += weight * probabilities[other];
            all += weight;
        }
        sum / all
    };
    (0..probabilities.len()).map(mean).collect()
}

/// Weight of a neighbour of the same length, in weights of the run.
const WEIGHT_OF_NEIGHBOUR: f64 = 0.25;

/// Bytes that are added to each run for its weight.
const LEAST_BYTES: f64 = 10.0;

/// Raises the probabilities of runs that the rules keep, that are likely content, and that stand in the midst of content.
///
/// Where the rules and the model agree on the surroundings, a single short run is content too. So a long page does not lose another item
/// of its lists in each version, and the texts of two versions stay as alike as the versions are. A run that the model takes for a
/// leftover of the template (an advertisement between two paragraphs) stays one.
fn within_content(layout: &Layout, probabilities: &[f64], is_kept: impl Fn(usize) -> bool) -> Vec<f64> {
    let bytes = |run: usize| layout.runs[run].text.len() as f64 + LEAST_BYTES;
    let (mut expected, mut all) = (vec![0.0], vec![0.0]);
    for (run, p) in probabilities.iter().enumerate() {
        expected.push(expected[run] + bytes(run) * p);
        all.push(all[run] + bytes(run));
    }
    let mean = |run: usize| {
        let (start, end) = (
            run.saturating_sub(SURROUNDINGS),
            (run + SURROUNDINGS + 1).min(probabilities.len()),
        );
        (expected[end] - expected[start]) / (all[end] - all[start])
    };
    let raised = |(run, &p): (usize, &f64)| {
        if is_kept(run) && p >= LIKELY_CONTENT && mean(run) >= SURELY_CONTENT {
            p.max(SURELY_CONTENT)
        } else {
            p
        }
    };
    probabilities.iter().enumerate().map(raised).collect()
}

/// Several boxes may be alike, such as the posts of a thread. The runs at the same place in these boxes get at least their common mean probability,
/// if this mean is likely content. So a short post among long ones is content too.
fn among_like(layout: &Layout, mut probabilities: Vec<f64>) -> Vec<f64> {
    let mut alike = HashMap::new();
    for this in layout.boxes.iter().filter(|this| this.role == Role::Article) {
        *alike.entry((this.parent, this.signature)).or_default() += 1;
    }
    if alike.is_empty() && layout.boxes.iter().all(|this| this.hidden.is_none()) {
        return probabilities;
    }
    let places: Vec<Option<(usize, u64)>> = layout
        .runs
        .iter()
        .map(|run| place_among(layout, &alike, run.owner))
        .collect();
    let mut sums: HashMap<(usize, u64), (f64, f64)> = HashMap::new();
    for ((run, place), p) in layout.runs.iter().zip(&places).zip(&probabilities) {
        if let Some(place) = place {
            let bytes = run.text.len() as f64;
            let (expected, all) = sums.entry(*place).or_default();
            *expected += bytes * p;
            *all += bytes;
        }
    }
    for (place, p) in places.iter().zip(&mut probabilities) {
        let mean = place
            .and_then(|place| sums.get(&place))
            .map_or(0.0, |(expected, all)| expected / all);
        if mean >= LIKELY_CONTENT {
            *p = p.max(mean);
        }
    }
    probabilities
}

/// The place of a text in the innermost hidden box around it, or in the innermost of several like articles. The first number is the box around the
/// articles, or 0 for a hidden box. The second is a hash of the names of the boxes from there to the text. Paragraphs, list items, table cells and
/// headings are left out of the hash.
fn place_among(layout: &Layout, alike: &HashMap<(usize, u64), usize>, owner: usize) -> Option<(usize, u64)> {
    let (mut at, mut names) = (owner, 0_u64);
    for _ in 0..MAX_LEVELS {
        let this = &layout.boxes[at];
        if !is_made_for_text(&this.name) {
            names = names.rotate_left(7) ^ this.signature;
        }
        if this.hidden.is_some() {
            return Some((0, names.rotate_left(7) ^ layout.boxes[this.parent].signature));
        }
        let is_like_others = || {
            alike
                .get(&(this.parent, this.signature))
                .is_some_and(|like| *like >= MIN_LIKE)
        };
        if this.role == Role::Article && is_like_others() {
            return Some((this.parent, names));
        }
        at = this.parent;
    }
    None
}

/// Least number of articles that are alike.
const MIN_LIKE: usize = 2;

/// Most boxes between a text and the box that has others like it.
const MAX_LEVELS: usize = 12;

/// Runs on each side that are the surroundings of a run.
const SURROUNDINGS: usize = 16;

/// Least probability of a run that its surroundings make content.
const LIKELY_CONTENT: f64 = 0.5;

/// Mean probability of surroundings that are content.
const SURELY_CONTENT: f64 = 0.8;

/// The highest expected F<sub>β</sub> of the first runs, divided by 1 + β², for runs with their bytes and probabilities in descending
/// order. `expected` is β² times the expected content of the page, in bytes.
fn best_share(runs: impl Iterator<Item = (f64, f64)>, expected: f64) -> f64 {
    let (mut chosen, mut all, mut best) = (0.0, 0.0, 0.0);
    for (bytes, p) in runs {
        chosen += bytes * p;
        all += bytes;
        best = f64::max(best, chosen / (all + expected));
    }
    best
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::extract::content_layout;
    use crate::parse::{Attributes, parse};

    #[test]
    fn a_heading_that_links_to_itself_has_the_mean_of_its_section() {
        // mdBook: a label and a grammar stand between the heading and the text. Half of the text of each section is content.
        let page = "<main><h1 id=t><a class=header href=#t>Visibility</a></h1><p>[vis]<p>pub | (in path)<p>yes no<h2 id=u><a href=#u>Part</a></h2>\
            <p>yes<p>no.<h2><a href=/other>Other page</a></h2><p>yes<h1 id=v><a href=#v>Next</a></h1></main>";
        let document = parse(page, Attributes::Read);
        let layout = content_layout(&document, &[]).laid.layout;
        let text = |run: usize| layout.text_of(&layout.runs[run]);
        let level = |run: usize| heading_level(&layout.boxes[layout.runs[run].owner].name);
        let probabilities: Vec<f64> = (0..layout.runs.len())
            .map(|run| if text(run).starts_with("yes") { 1.0 } else { 0.0 })
            .collect();
        let means = of_linked_sections(&layout, &probabilities, level, |run| !text(run).contains(['[', '|']));
        let means: Vec<_> = means.into_iter().rev().map(|(run, mean)| (text(run), mean)).collect();
        assert_eq!(means, [("Visibility", 0.8), ("Part", 0.5), ("Next", 0.0)]);
    }

    fn text(page: &str) -> String {
        crate::extract::main_text(&parse(page, Attributes::Read), "", None).0
    }

    #[test]
    fn the_short_answers_of_a_page_of_questions_are_folded_content() {
        let answers = [
            "Yes, on a lead, on the open deck only.",
            "Thirty minutes with a car, ten without.",
            "There is a small café with soup, sandwiches and cake. It opens half an hour after departure and takes cards only.",
            "You get your money back, or you can take the next ferry on which there is a place.",
            "Bicycles are free all year.",
        ];
        let forms: [fn(&str) -> String; 4] = [
            |answer| {
                format!(
                    "<div class=item><div role=button aria-expanded=false><a>Question?</a></div><div class=answer style='display: none'><p>{answer}</p></div></div>"
                )
            },
            |answer| {
                format!("<h2><button aria-expanded=false>Question?</button></h2><div hidden><p>{answer}</p></div>")
            },
            |answer| format!("<h3>Question?</h3><div class=panel aria-hidden=true><p>{answer}</p></div>"),
            |answer| format!("<dl><dt><a href=#>Question?</a></dt><dd style='display:none'>{answer}</dd></dl>"),
        ];
        for form in forms {
            let questions: String = answers.iter().map(|answer| form(answer)).collect();
            let text = text(&format!(
                "<header><a href=/>Ferry Line</a></header><main><h1>Frequently asked questions</h1>{questions}</main>"
            ));
            let lost: Vec<_> = answers.iter().filter(|answer| !text.contains(**answer)).collect();
            assert!(lost.is_empty(), "{lost:?}: {text}");
        }
        // Messages repeat, or stand side by side.
        let article = format!("<p>{}<p>{}", answers[2], answers[3]).repeat(4);
        let tip = format!("<pre>print(1)</pre><div class=tip aria-hidden=true>Copied to the clipboard!</div>{article}");
        let shop: String = [
            "Sorry, this item is sold out.",
            "We could not reach the server, try again.",
            "The item was put into your basket.",
        ]
        .map(|message| format!("<div class=message hidden>{message}</div>"))
        .concat();
        for (page, message) in [
            (tip.repeat(6), "Copied"),
            (format!("{article}{shop}{article}"), "sold out"),
        ] {
            let text = text(&format!("<main><h1>Ferries</h1>{page}</main>"));
            assert!(!text.contains(message) && text.contains("takes cards only"), "{text}");
        }
        // One such message by itself is none.
        let text = text(&format!(
            "<main><p>{}</p><div hidden>{}</div></main>",
            answers[2], answers[0]
        ));
        assert_eq!(text, answers[2]);
    }

    fn f1(set: &[(f64, f64)], all: &[(f64, f64)]) -> f64 {
        let expected = |runs: &[(f64, f64)]| runs.iter().map(|(bytes, p)| bytes * p).sum::<f64>();
        2.0 * expected(set) / (set.iter().map(|(bytes, _)| bytes).sum::<f64>() + expected(all))
    }

    proptest! {
        #[test]
        fn no_set_of_runs_has_a_higher_expected_f1(runs in prop::collection::vec((1u8..100, 1u8..100), 1..9)) {
            let mut runs: Vec<(f64, f64)> = runs.into_iter().map(|(n, p)| (f64::from(n), f64::from(p) / 100.0)).collect();
            runs.sort_by(|a, b| b.1.total_cmp(&a.1));
            let expected: f64 = runs.iter().map(|(bytes, p)| bytes * p).sum();
            let threshold = best_share(runs.iter().copied(), expected);
            let chosen: Vec<_> = runs.iter().copied().filter(|(_, p)| *p >= threshold).collect();
            let best = f1(&chosen, &runs);
            let threshold = |favor: Favor| best_share(runs.iter().copied(), favor.beta_squared() * expected);
            prop_assert!(threshold(Favor::Precision) >= threshold(Favor::Balanced));
            prop_assert!(threshold(Favor::Balanced) >= threshold(Favor::Recall));
            for set in 0u32..1 << runs.len() {
                let set: Vec<_> = (0..runs.len()).filter(|run| set >> run & 1 == 1).map(|run| runs[run]).collect();
                prop_assert!(set.is_empty() || f1(&set, &runs) <= best + 1e-9);
            }
        }
    }
}
