//! The answer of `crawler tune` as text.

use dedup::Confirm;

use super::axes::confirms;
use super::table;
use study::replay::{DIFFERENT_BELOW, DUPLICATE_FROM};
use study::tune::{Answer, ChangedPair, SettingResult, named};
use terminal::commands::command;
use terminal::text::terminal_text;
use terminal::units::counted;

/// Upper bound on the characters of a URL.
const URL_CHARS: usize = 160;

/// Upper bound on the contradicted labels that are listed.
const LABELS_SHOWN: usize = 10;

pub(super) fn render(answer: &Answer) -> String {
    let mut parts = vec![heading(answer)];
    if answer.pages > 0 {
        parts.extend(tables(answer));
        parts.extend(labels(answer));
    }
    parts.push(format!("Recommended: {}", answer.recommendation.reason));
    parts.extend(changes(answer));
    parts.extend(written(answer));
    parts.join("\n\n")
}

fn heading(answer: &Answer) -> String {
    let mut lines = vec![format!(
        "{} replayed at {}. In force: {}, which drops {}.",
        counted(answer.pages as u64, "page"),
        counted(answer.settings.len() as u64, "setting"),
        named(answer.in_force),
        answer.in_force().dropped,
    )];
    let others = answer.pages - answer.stored.as_replayed;
    if others > 0 {
        lines.push(format!(
            "{others} of them have another verdict in the crawl: another rule or a label gave it, or pages have changed since."
        ));
    }
    if answer.past_left_out > 0 {
        lines.push(format!(
            "Left out: {} that later versions replaced, or that moved or went.",
            counted(answer.past_left_out, "page")
        ));
    }
    if answer.of_other_workers > 0 {
        lines.push(format!(
            "They are also compared with {} that other workers keep, as if these had come first. Their texts are in the folders of these \
             workers.",
            counted(answer.of_other_workers as u64, "page")
        ));
    }
    lines.extend(sample(answer));
    lines.join("\n")
}

/// The basis of the estimates.
fn sample(answer: &Answer) -> Option<String> {
    let sample = &answer.sample;
    if sample.judged == 0 && answer.in_force().not_judged == 0 {
        return None;
    }
    let of = if sample.pages < answer.pages {
        "a sample of "
    } else {
        ""
    };
    let mut line = format!(
        "Precision, recall and F1 are estimated from {of}{}, by the exact texts",
        counted(sample.judged, "page")
    );
    if sample.without_text > 0 {
        line += &format!(
            "; {} more pages cannot be judged, because texts are not stored: most of these pages are duplicates, so the estimate of \
             recall is too high",
            sample.without_text
        );
    }
    if sample.too_many_alike > 0 {
        line += &format!(
            "; {} cannot be judged, because more kept pages resemble them than are compared",
            sample.too_many_alike
        );
    }
    Some(format!("{line}.\n{}", trust(answer)))
}

/// That the figures are those of the rule alone, if labels make exceptions from it.
fn exceptions(different: usize) -> &'static str {
    match different {
        0 => "",
        _ => {
            " The figures are those of the rule alone: pages that differ by a label of the data folder are both kept when all pages are \
             decided again."
        }
    }
}

/// What the truth of the estimates is, and how far it can be trusted.
fn trust(answer: &Answer) -> String {
    let truth = format!(
        "The truth of a pair is the share of five-word runs that its whole texts have in common: {DUPLICATE_FROM} or more is a duplicate, \
         less than {DIFFERENT_BELOW} is not. This is nearly the rule itself, so figures near 1 say that the index finds what the rule \
         means, not that the threshold is right for you."
    );
    let advice = match answer.labels.pairs {
        0 => "Your labels say that: `label` asks for them, `serve` has buttons for them, and --pairs reads a file."
            .to_owned(),
        pairs => format!(
            "For {}, your label is the truth instead.{}",
            counted(pairs as u64, "pair"),
            exceptions(answer.labels.different)
        ),
    };
    format!("{truth} {advice}")
}

fn tables(answer: &Answer) -> Vec<String> {
    let settings = &answer.settings;
    let mut parts = vec![format!(
        "Pages dropped, by the largest distance (down) and the smallest similarity (across; any: by distance alone).\n\
         * in force, < recommended\n{}",
        table::matrix(settings, |setting| setting.dropped.to_string())
    )];
    if settings.iter().any(|setting| setting.f1.is_some()) {
        parts.push(format!("F1 of these settings\n{}", table::matrix(settings, table::f1)));
    }
    parts.push(by_distance(answer));
    parts.push(by_similarity(answer));
    parts
}

fn by_distance(answer: &Answer) -> String {
    let confirm = answer.in_force.confirm;
    let has_confirm = |setting: &&SettingResult| setting.thresholds.confirm == confirm;
    let mut settings: Vec<&SettingResult> = answer.settings.iter().filter(has_confirm).collect();
    settings.sort_by_key(|setting| setting.thresholds.max_distance);
    let confirmed = match confirm {
        Confirm::Sketch { min_similarity } => format!("at a similarity of at least {min_similarity}"),
        Confirm::Distance => "without confirmation".to_owned(),
        Confirm::Combined { .. } => "by the combined rule".to_owned(),
    };
    let list = table::list(&settings, answer.labels.pairs > 0, |setting| {
        format!("≤{}", setting.thresholds.max_distance)
    });
    format!("By distance, {confirmed}\n{list}")
}

fn by_similarity(answer: &Answer) -> String {
    let distance = answer.in_force.max_distance;
    let has_distance = |setting: &&SettingResult| setting.thresholds.max_distance == distance;
    let mut settings: Vec<&SettingResult> = answer.settings.iter().filter(has_distance).collect();
    let order = confirms(&answer.settings);
    settings.sort_by_key(|setting| order.iter().position(|confirm| *confirm == setting.thresholds.confirm));
    let list = table::list(&settings, answer.labels.pairs > 0, |setting| {
        match setting.thresholds.confirm {
            Confirm::Sketch { min_similarity } => format!("≥{min_similarity}"),
            Confirm::Distance => "any".to_owned(),
            Confirm::Combined { .. } => "combined".to_owned(),
        }
    });
    format!("By similarity, at a distance of at most {distance}\n{list}")
}

fn labels(answer: &Answer) -> Option<String> {
    let labels = &answer.labels;
    if labels.pairs == 0 {
        return None;
    }
    let mut lines = vec![format!(
        "Of {} labelled pairs, the setting in force contradicts {}, and {} contradicts {}",
        labels.pairs,
        answer.in_force().labels_contradicted,
        named(answer.changes.at),
        labels.contradicted.len(),
    )];
    for [a, b] in labels.contradicted.iter().take(LABELS_SHOWN) {
        lines.push(format!("  {}  {}", shown(a), shown(b)));
    }
    Some(lines.join("\n"))
}

/// Whether the answer looks at another setting than the one in force.
fn is_other(answer: &Answer) -> bool {
    answer.changes.at != answer.in_force
}

fn changes(answer: &Answer) -> Option<String> {
    if !is_other(answer) {
        return None;
    }
    let changes = &answer.changes;
    let at = named(changes.at);
    let all = changes.newly_dropped + changes.newly_kept;
    if all == 0 {
        return Some(format!("At {at} no page would have another verdict."));
    }
    let mut lines = vec![format!(
        "At {at}, {} more would be dropped and {} more kept; the least certain first, each with the kept page that it repeats where it is dropped:",
        counted(changes.newly_dropped, "page"),
        changes.newly_kept
    )];
    lines.extend(changes.pairs.iter().map(changed));
    let left_out = all - changes.pairs.len() as u64;
    if left_out > 0 {
        lines.push(format!("  and {left_out} more (--show N shows more)"));
    }
    Some(lines.join("\n"))
}

fn changed(pair: &ChangedPair) -> String {
    let change = match pair.to {
        "kept" => "dropped → kept",
        _ => "kept → dropped",
    };
    let is_exact = [pair.from, pair.to].contains(&"exact");
    let evidence = match pair.distance {
        _ if is_exact => "the same text".to_owned(),
        Some(distance) => format!("distance {distance}, similarity {:.3}", pair.similarity),
        None => format!("short, similarity {:.3}", pair.similarity),
    };
    let exact = match pair.jaccard {
        Some(jaccard) => format!("exact similarity {jaccard:.3}"),
        None => "texts not stored".to_owned(),
    };
    format!(
        "  {change}  {evidence}, {exact}\n    {}\n    {}",
        shown(&pair.url),
        shown(&pair.of)
    )
}

fn written(answer: &Answer) -> Option<String> {
    let Some(written) = &answer.written else {
        return is_other(answer).then(|| "Nothing was written; --write changes the configuration.".to_owned());
    };
    let path = written.path.display();
    if written.changes.is_empty() {
        return Some(format!("{path} needs no change."));
    }
    let keys = written.changes.iter().map(|change| match &change.from {
        Some(from) => format!("  {} = {} (was {from})", change.key, change.to),
        None => format!("  {} = {} (new)", change.key, change.to),
    });
    let keys: Vec<String> = keys.collect();
    Some(format!(
        "Written to {path}:\n{}\nThe next run decides by this setting and builds its index again. Verdicts of the past stay. To \
         decide all pages again: {}",
        keys.join("\n"),
        command("rebuild", &["--redecide"])
    ))
}

fn shown(url: &str) -> String {
    terminal_text(url, URL_CHARS)
}
