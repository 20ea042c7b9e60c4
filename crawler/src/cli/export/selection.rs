//! How the pages of an export were selected, in sentences for people who get only the export.

use jiff::Timestamp;

use crate::cli::arguments::ExportArgs;

/// A sentence for each filter.
pub(super) fn in_words(args: &ExportArgs) -> Vec<String> {
    let time = |unix_ms: i64| Timestamp::from_millisecond(unix_ms).unwrap_or_default().to_string();
    let mut words = vec![if args.include_duplicates && args.given_verdicts.is_empty() {
        "pages: kept ones and duplicates, with their texts".to_owned()
    } else {
        let verdicts = args
            .verdicts()
            .iter()
            .map(|verdict| format!("{verdict:?}").to_lowercase());
        let texts = if args.include_duplicates {
            ", duplicates with their texts"
        } else {
            ""
        };
        format!("verdicts: {}{texts}", verdicts.collect::<Vec<_>>().join(", "))
    }];
    if !args.languages.is_empty() {
        words.push(format!("languages: {}", args.languages.join(", ")));
    }
    if !args.hosts.is_empty() {
        words.push("only some hosts of the crawl".to_owned());
    }
    for pattern in &args.patterns {
        words.push(format!("URLs that match `{}`", pattern.as_str().replace('`', "'")));
    }
    for (name, at) in [
        ("fetched since", args.since),
        ("fetched until", args.until),
        ("published since", args.since_published),
        ("published until", args.until_published),
    ] {
        words.extend(at.map(|at| format!("{name} {}", time(at))));
    }
    words.extend(
        args.min_chars
            .map(|chars| format!("texts of at least {chars} characters")),
    );
    words.extend(args.limit.map(|limit| format!("the first {limit} pages that pass")));
    words
}
