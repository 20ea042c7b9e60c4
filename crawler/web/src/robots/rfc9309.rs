//! RFC 9309, point by point. A test compares this table with the one in `docs/src/standards.md`.

use super::*;

/// (section, point, robots.txt, agent, paths and whether they are allowed)
type Point = (
    &'static str,
    &'static str,
    &'static [u8],
    &'static str,
    &'static [(&'static str, bool)],
);

const POINTS: &[Point] = &[
    (
        "2.1",
        "a file without a group for the agent allows everything",
        b"user-agent: other\ndisallow: /\n",
        "FooBot",
        &[("/", true), ("/x", true)],
    ),
    (
        "2.2",
        "lines end with LF, CR or CR LF",
        b"user-agent: *\rdisallow: /a\r\ndisallow: /b\ndisallow: /c",
        "FooBot",
        &[("/a", false), ("/b", false), ("/c", false), ("/d", true)],
    ),
    (
        "2.2",
        "a byte order mark is ignored",
        b"\xef\xbb\xbfuser-agent: *\ndisallow: /\n",
        "FooBot",
        &[("/x", false)],
    ),
    (
        "2.2",
        "keys may be in any case, with white space around key, colon and value",
        b" USER-agent\t:  *  \n\tDisAllow : /a \n",
        "FooBot",
        &[("/a", false), ("/b", true)],
    ),
    (
        "2.2",
        "comments may fill a line or end one",
        b"# all\nuser-agent: * # everybody\ndisallow: /a# not /a#b\n",
        "FooBot",
        &[("/a", false), ("/ab", false), ("/b", true)],
    ),
    (
        "2.2.1",
        "the product token is compared without regard to case",
        b"user-agent: FOObot\ndisallow: /\n",
        "fooBOT",
        &[("/x", false)],
    ),
    (
        "2.2.1",
        "only the token counts, in the file's line and in the User-Agent header: versions and comments are cut off",
        b"user-agent: FooBot/2.1 (new)\ndisallow: /\n",
        "FooBot/3.0 (+https://example.com/bot)",
        &[("/x", false)],
    ),
    (
        "2.2.1",
        "a token is compared whole",
        b"user-agent: Foo\ndisallow: /a\nuser-agent: FooBotNews\ndisallow: /b\nuser-agent: *\ndisallow: /c\n",
        "FooBot",
        &[("/a", true), ("/b", true), ("/c", false)],
    ),
    (
        "2.2.1",
        "all groups of one agent are merged",
        b"user-agent: FooBot\ndisallow: /a\nuser-agent: b\ndisallow: /b\nuser-agent: foobot\ndisallow: /c\n",
        "FooBot",
        &[("/a", false), ("/b", true), ("/c", false)],
    ),
    (
        "2.2.1",
        "several agents may share a group",
        b"user-agent: a\nuser-agent: FooBot\nuser-agent: b\ndisallow: /a\n",
        "FooBot",
        &[("/a", false), ("/b", true)],
    ),
    (
        "2.2.1",
        "the groups for * hold only if no group names the agent",
        b"user-agent: *\ndisallow: /\nuser-agent: FooBot\ndisallow: /a\n",
        "FooBot",
        &[("/a", false), ("/b", true)],
    ),
    (
        "2.2.1",
        "the groups for * are merged too",
        b"user-agent: *\ndisallow: /a\nuser-agent: b\ndisallow: /\nuser-agent: *\ndisallow: /c\n",
        "FooBot",
        &[("/a", false), ("/b", true), ("/c", false)],
    ),
    (
        "2.2.1",
        "a rule before any user-agent line belongs to no group",
        b"disallow: /a\nuser-agent: *\ndisallow: /b\n",
        "FooBot",
        &[("/a", true), ("/b", false)],
    ),
    (
        "2.2.2",
        "a path is matched from its start, with regard to case",
        b"user-agent: *\ndisallow: /fish\n",
        "FooBot",
        &[
            ("/fish", false),
            ("/fish.html?x", false),
            ("/Fish", true),
            ("/a/fish", true),
        ],
    ),
    (
        "2.2.2",
        "the longest match decides, in any order of the rules",
        b"user-agent: *\nallow: /a/b\ndisallow: /a\ndisallow: /a/b/c\n",
        "FooBot",
        &[("/a", false), ("/a/b", true), ("/a/b/c", false)],
    ),
    (
        "2.2.2",
        "allow wins over an equally long disallow",
        b"user-agent: *\ndisallow: /a\nallow: /a\n",
        "FooBot",
        &[("/a", true)],
    ),
    (
        "2.2.2",
        "length is counted in octets; an escape has three",
        "user-agent: *\nallow: /ツ\ndisallow: /*ab\n".as_bytes(),
        "FooBot",
        &[("/%E3%83%84ab", true)],
    ),
    (
        "2.2.2",
        "an empty disallow forbids nothing",
        b"user-agent: *\ndisallow:\n",
        "FooBot",
        &[("/", true), ("/x", true)],
    ),
    (
        "2.2.2",
        "an escape of an unreserved character equals the character",
        b"user-agent: *\ndisallow: /~joe\ndisallow: /%62%61%7A\n",
        "FooBot",
        &[("/%7Ejoe", false), ("/%7ejoe", false), ("/baz", false)],
    ),
    (
        "2.2.2",
        "octets of UTF-8 are equal raw and escaped, with digits in either case",
        "user-agent: *\ndisallow: /ツ\ndisallow: /%e4%b8%ad\n".as_bytes(),
        "FooBot",
        &[("/%E3%83%84", false), ("/%e3%83%84", false), ("/中", false)],
    ),
    (
        "2.2.2",
        "an escaped / or ? is not the delimiter",
        b"user-agent: *\ndisallow: /a/b\ndisallow: /c%2Fd\ndisallow: /e?f\n",
        "FooBot",
        &[("/a%2Fb", true), ("/c/d", true), ("/c%2fd", false), ("/e%3Ff", true)],
    ),
    (
        "2.2.2",
        "/robots.txt itself is always allowed",
        b"user-agent: *\ndisallow: /\n",
        "FooBot",
        &[("/robots.txt", true), ("/robots.txt?x", false)],
    ),
    (
        "2.2.3",
        "* matches any run of characters, also an empty one",
        b"user-agent: *\ndisallow: /*.gif\ndisallow: *private\n",
        "FooBot",
        &[
            ("/.gif", false),
            ("/a/b.gif?c", false),
            ("/x/private/y", false),
            ("/a.jpg", true),
        ],
    ),
    (
        "2.2.3",
        "$ at the end of a pattern matches the end of path and query",
        b"user-agent: *\ndisallow: /*.php$\ndisallow: /a$b\n",
        "FooBot",
        &[
            ("/x.php", false),
            ("/x.php?y", true),
            ("/x.php5", true),
            ("/a$b", false),
            ("/a", true),
        ],
    ),
    (
        "2.2.3",
        "* and $ as characters are written as their escapes",
        b"user-agent: *\ndisallow: /a%2A\ndisallow: /b%24\n",
        "FooBot",
        &[("/a*", false), ("/ab", true), ("/b$c", false), ("/b", true)],
    ),
    (
        "2.2.4",
        "other lines neither end nor start a group",
        b"user-agent: FooBot\nsitemap: /s\ncrawl-delay: 1\nx-other: y\nuser-agent: b\ndisallow: /\n",
        "FooBot",
        &[("/x", false)],
    ),
    (
        "2.2.4",
        "malformed lines are ignored, and the others count",
        b"<html>\0\xff\n: \nuser-agent *\ndisallow: /a\n{\"disallow\": \"/b\"}\n",
        "FooBot",
        &[("/a", false), ("/b", true)],
    ),
];

#[test]
fn every_point_of_the_rfc_holds() {
    for (section, point, robots, agent, paths) in POINTS {
        let robots = Robots::parse(robots, agent);
        for (path, allowed) in *paths {
            assert_eq!(
                robots.decide_target(path).allowed,
                *allowed,
                "{section}: {point}: {path}"
            );
        }
    }
}

#[test]
fn the_documentation_lists_these_points_and_no_others() {
    let rows: Vec<String> = POINTS
        .iter()
        .map(|(section, point, ..)| format!("| {section} | {point} |"))
        .collect();
    let table = format!("| section | point |\n|---|---|\n{}\n\n", rows.join("\n"));
    let documented = include_str!("../../../../docs/src/standards.md");
    assert!(
        documented.contains(&table),
        "docs/src/standards.md should have\n{table}"
    );
}
