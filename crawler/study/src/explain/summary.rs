//! The verdict on a page in one or two sentences.

use storage::{Fate, PageRecord, Verdict};

use super::answer::{ComparedPage, PageRef};
use super::history::Former;
use super::time;
use terminal::commands::command;
use terminal::units::counted;

pub(super) fn kept_summary(
    page: &PageRecord,
    former: Option<&Former>,
    duplicate_by_rule: Option<&PageRef>,
    is_exception: bool,
) -> String {
    let mut summary = match duplicate_by_rule {
        _ if page.is_kept_without_body() => kept_without_body(former),
        None => "Kept: it is not a duplicate of any page kept before it.".to_owned(),
        Some(_) if is_exception => "Kept, because a label says that it differs from a page kept before it.".to_owned(),
        Some(_) => "Kept under the rule that was in force at the time.".to_owned(),
    };
    if let Some(of) = duplicate_by_rule.filter(|_| is_exception) {
        summary.push_str(&format!(
            " By the rule alone it would be a near-duplicate of {}; `{}` takes the label back.",
            of.url,
            command("label", &[&page.url, &of.url, "--withdraw"])
        ));
    } else if let Some(of) = duplicate_by_rule {
        summary.push_str(&format!(
            " Under the configured rule it would be a duplicate of {}. Decide all pages again: `{}`.",
            of.url,
            command("rebuild", &["--redecide"])
        ));
    }
    summary + later(page)
}

fn kept_without_body(former: Option<&Former>) -> String {
    let dropped_as = match former.map(|former| (former.verdict, &former.of)) {
        Some((Verdict::Exact { .. }, Some(of))) => format!(" as an exact duplicate of {}", of.url),
        Some((Verdict::Near { .. }, Some(of))) => format!(" as a near-duplicate of {}", of.url),
        _ => String::new(),
    };
    let redecided = former.map_or_else(String::new, |former| {
        let at = time(former.redecided.at).map_or_else(String::new, |at| format!(" at {at}"));
        format!("{at} ({})", former.redecided.rule)
    });
    format!(
        "Kept, without its body: the crawl dropped it{dropped_as}, and a rebuild decided all pages again{redecided}. The archive \
         holds its text; the next run fetches its body."
    )
}

/// The fate of the page since its verdict.
fn later(page: &PageRecord) -> &'static str {
    match page.fate {
        Fate::Current => "",
        Fate::Superseded { .. } => " A later fetch of the URL returned another page.",
        Fate::Moved => " It has moved since.",
        Fate::Gone { .. } => " It has gone since.",
    }
}

pub(super) fn dropped_summary(
    page: &PageRecord,
    compared_with: Option<&ComparedPage>,
    kept: Option<&PageRef>,
) -> String {
    let of = compared_with.map_or_else(
        || page.verdict.of().map_or_else(String::new, |of| format!("page {of}")),
        |other| other.page.url.clone(),
    );
    let verdict = match page.verdict {
        Verdict::Unique | Verdict::Exact { .. } => format!("Dropped: it is an exact duplicate of {of}."),
        Verdict::Near {
            distance: None,
            similarity,
            ..
        } => format!(
            "Dropped: it is a near-duplicate of {of}. It is too short for a fingerprint; the similarity is {similarity:.3}."
        ),
        Verdict::Near {
            distance: Some(distance),
            similarity,
            ..
        } => {
            let bits = counted(distance.into(), "bit");
            format!(
                "Dropped: it is a near-duplicate of {of}. The fingerprints differ in {bits}; the similarity is {similarity:.3}."
            )
        }
    };
    let elsewhere = match compared_with.and_then(|other| other.page.worker) {
        Some(worker) => format!(" Worker {worker} of the fleet keeps that page."),
        None => String::new(),
    };
    let now = match kept.filter(|kept| kept.url != of && kept.url != page.url) {
        Some(kept) => format!(" The kept page that represents it now is {}.", kept.url),
        None => String::new(),
    };
    format!("{verdict}{elsewhere}{}{now}", later(page))
}
