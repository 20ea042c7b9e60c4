//! Parameters that never change the page: those that follow a reader from site to site, and those that name a session.

/// Query parameters by which advertising and mailing systems follow a click. Each is documented by its vendor, carries no
/// part of a page's address, and is stripped by the browsers that strip any (the lists of Firefox and Brave are contained).
const TRACKING_PARAMETERS: &[&str] = &[
    // Google
    "_ga",
    "_gac",
    "_gl",
    "dclid",
    "gad_campaignid",
    "gad_source",
    "gbraid",
    "gclid",
    "gclsrc",
    "srsltid",
    "wbraid",
    // Meta
    "fbclid",
    "igsh",
    "igshid",
    // Microsoft, X, TikTok, LinkedIn, Pinterest, Snapchat, Yandex
    "msclkid",
    "twclid",
    "ttclid",
    "li_fat_id",
    "epik",
    "sccid",
    "yclid",
    "ysclid",
    "_openstat",
    // HubSpot
    "__hsfp",
    "__hssc",
    "__hstc",
    "_hsenc",
    "_hsmi",
    "hsctatracking",
    // Matomo
    "mtm_campaign",
    "mtm_cid",
    "mtm_content",
    "mtm_group",
    "mtm_keyword",
    "mtm_kwd",
    "mtm_medium",
    "mtm_placement",
    "mtm_source",
    "pk_campaign",
    "pk_cid",
    "pk_content",
    "pk_keyword",
    "pk_kwd",
    "pk_medium",
    "pk_source",
    "piwik_campaign",
    "piwik_keyword",
    "piwik_kwd",
    // Mailing: Mailchimp, Marketo, Omeda, MailerLite, Vero, Drip, Ometria
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "oly_anon_id",
    "oly_enc_id",
    "ml_subscriber",
    "ml_subscriber_hash",
    "vero_conv",
    "vero_id",
    "__s",
    "oft_c",
    "oft_ck",
    "oft_d",
    "oft_id",
    "oft_ids",
    "oft_k",
    "oft_lk",
    "oft_sk",
    // Adobe, Rakuten, Wicked Reports, Impact
    "s_cid",
    "rb_clickid",
    "wickedid",
    "irclickid",
];

/// Prefixes of further tracking parameters.
const TRACKING_PREFIXES: &[&str] = &["utm_", "hsa_"];

/// Parameters that name a session whatever their value. Each belongs to one server software.
const SESSION_PARAMETERS: &[&str] = &[
    "jsessionid",
    "phpsessid",
    "asp.net_sessionid",
    "oscsid",
    "xtcsid",
    "zenid",
];

/// Parameters that name a session only if their value looks like a token. The names are generic, and a short `sid=42` often
/// selects the page.
const GENERIC_SESSION_PARAMETERS: &[&str] = &["sid", "sess", "sessid", "session", "session_id", "sessionid"];

/// Fewest hexadecimal digits of a session token: 128 bits, as in an MD5 digest or a UUID.
const TOKEN_DIGITS: usize = 32;

pub(super) fn is_tracking(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    TRACKING_PARAMETERS.contains(&name.as_str()) || TRACKING_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether a parameter, of the query or of a path segment, names a session by itself.
pub(super) fn is_session(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    // ASPSESSIONID and eight letters that differ between servers.
    let is_asp = name
        .strip_prefix("aspsessionid")
        .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_lowercase()));
    is_asp
        || SESSION_PARAMETERS.contains(&name.as_str())
        || (GENERIC_SESSION_PARAMETERS.contains(&name.as_str()) && is_token(value))
}

/// ColdFusion names a session by a pair of parameters. `cfid` alone may mean anything.
pub(super) fn is_half_of_coldfusion_session(name: &str) -> bool {
    name.eq_ignore_ascii_case("cfid") || name.eq_ignore_ascii_case("cftoken")
}

/// Whether a path segment is the cookieless session of ASP.NET, `(S(lit3py55t21z5v55vlm25s55))`, alone or with tickets,
/// `(A(…)F(…)S(…))`.
pub(super) fn is_asp_net_session(segment: &str) -> bool {
    let Some(mut tickets) = segment.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return false;
    };
    let mut names_a_session = false;
    while let Some((kind, rest)) = tickets.split_once('(') {
        let Some((value, rest)) = rest.split_once(')') else {
            return false;
        };
        let is_word = !value.is_empty()
            && value
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
        if !is_word || !matches!(kind, "A" | "F" | "S" | "X") {
            return false;
        }
        // The identifier is 24 characters of a 32-letter alphabet: 120 bits.
        names_a_session |= kind == "S" && value.len() == 24;
        tickets = rest;
    }
    names_a_session && tickets.is_empty()
}

fn is_token(value: &str) -> bool {
    let digits = value.bytes().filter(|byte| *byte != b'-').count();
    digits >= TOKEN_DIGITS && value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_in_lower_case() {
        for list in [
            TRACKING_PARAMETERS,
            TRACKING_PREFIXES,
            SESSION_PARAMETERS,
            GENERIC_SESSION_PARAMETERS,
        ] {
            for name in list {
                assert_eq!(*name, name.to_ascii_lowercase());
            }
        }
    }

    #[test]
    fn a_generic_name_names_a_session_only_with_a_token() {
        let md5 = "0123456789abcdef0123456789ABCDEF";
        assert!(is_session("sid", md5));
        assert!(is_session("SessionId", "01234567-89ab-cdef-0123-456789abcdef"));
        for value in [
            "",
            "42",
            "abc123",
            &md5[1..],
            "-----------------------------------",
            "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz",
        ] {
            assert!(!is_session("sid", value), "{value}");
        }
    }

    #[test]
    fn only_a_whole_segment_is_an_asp_net_session() {
        for segment in [
            "(S(lit3py55t21z5v55vlm25s55))",
            "(A(x1)F(y-2)S(lit3py55t21z5v55vlm25s55))",
        ] {
            assert!(is_asp_net_session(segment), "{segment}");
        }
        for segment in [
            "",
            "()",
            "(S)",
            "(S())",
            "(S(short))",
            "(A(x))",
            "(S(lit3py55t21z5v55vlm25s55)",
            "(S(lit3py55t21z5v55vlm25s55)x)",
            "Q(S(lit3py55t21z5v55vlm25s55))",
        ] {
            assert!(!is_asp_net_session(segment), "{segment}");
        }
    }
}
