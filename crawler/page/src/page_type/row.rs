//! The features of a page, from which the model decides its type. Small integers make the decision the same on every machine.

use super::declared::{GROUPS, PROGRAMS};
use super::names::TOPICS;
use super::signs::{Signs, Sums, TAGS};
use crate::scale;

/// Calls `push` with the name and the value of each feature, always in the same order.
pub(super) fn for_each_feature(signs: &Signs, push: &mut impl FnMut(&str, &str, i16)) {
    let address = &signs.address;
    for (part, sums) in [
        ("page_", &signs.page),
        ("inner_", &signs.inner),
        ("items_", &signs.items),
    ] {
        push_sums(part, sums, push);
    }
    push("", "items", log(signs.item_count));
    push("", "items_share", share(signs.items.bytes, signs.inner.bytes));
    let per_item = |sum: u32| share(sum, signs.item_count);
    push("item_", "bytes", log(signs.items.bytes / signs.item_count.max(1)));
    push("item_", "links", per_item(signs.items.links));
    push("item_", "images", per_item(signs.items.images));
    push("item_", "headings", per_item(signs.items.headings));
    push("item_", "times", per_item(signs.items.times));
    push("item_", "prices", per_item(signs.items.prices));
    push("item_", "people", per_item(signs.items.people));
    push("", "most_alike", log(signs.most_alike));
    push("", "long_paragraphs", log(signs.long_paragraphs));
    push("", "longest_paragraph", log(signs.longest_paragraph));
    for (topic, (name, _)) in TOPICS.iter().enumerate() {
        push("of_", name, log(signs.topics[topic]));
        push("body_", name, (signs.body_topics >> topic & 1) as i16);
        push("url_", name, (address.topics >> topic & 1) as i16);
    }
    for (group, (name, _)) in GROUPS.iter().enumerate() {
        push("says_", name, signs.groups[group].min(20) as i16);
    }
    for (program, (name, _)) in PROGRAMS.iter().enumerate() {
        push("", name, signs.programs[program].into());
    }
    for (tag, name) in TAGS.iter().enumerate() {
        push("tag_", name, log(signs.tags[tag]));
    }
    push("url_", "segments", address.segments.min(20) as i16);
    push("url_", "hyphens", address.hyphens.min(20) as i16);
    push("url_", "digits", address.digits.min(20) as i16);
    push("url_", "year", address.has_year.into());
    push("url_", "query", address.has_query.into());
}

fn push_sums(part: &str, sums: &Sums, push: &mut impl FnMut(&str, &str, i16)) {
    push(part, "bytes", log(sums.bytes));
    push(part, "link_share", share(sums.link_bytes, sums.bytes));
    push(part, "links", log(sums.links));
    push(part, "paragraph_share", share(sums.paragraph_bytes, sums.bytes));
    push(part, "code_share", share(sums.code_bytes, sums.bytes));
    push(part, "images", log(sums.images));
    push(part, "headings", log(sums.headings));
    push(part, "times", log(sums.times));
    push(part, "prices", log(sums.prices));
    push(part, "people", log(sums.people));
    push(part, "sentences", share(16 * (sums.sentences.min(1 << 20)), sums.bytes));
}

fn log(count: u32) -> i16 {
    scale::log(count as usize)
}

fn share(part: u32, of: u32) -> i16 {
    scale::share(part as usize, of as usize)
}
