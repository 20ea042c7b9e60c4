//! The exchange step against the text of RFC 6596.

use super::*;

#[test]
fn a_duplicate_stays_only_if_the_kept_page_names_it_and_it_names_no_other() {
    let named = |url, canonical| Named { url, canonical };
    let kept = named("a", Some("b"));
    assert_eq!(exchange(kept, named("b", None)), Stays::Duplicate);
    assert_eq!(exchange(kept, named("b", Some("b"))), Stays::Duplicate);
    assert_eq!(exchange(kept, named("b", Some("a"))), Stays::Kept);
    assert_eq!(exchange(kept, named("c", None)), Stays::Kept);
    assert_eq!(exchange(named("a", None), named("b", None)), Stays::Kept);
    assert_eq!(
        exchange(named("a", Some("a")), named("a", None)),
        Stays::Kept,
        "another version of itself"
    );
}
