//! Text that stays text: which characters need a backslash before them (CommonMark 0.31.2, section 2.4, and the extensions of GFM).

/// Where a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In a paragraph, whose lines may begin like a list or a heading.
    Paragraph,
    /// In a heading.
    Heading,
    /// In a cell of a table.
    Cell,
    /// In the text of a link, which holds no other link.
    Link,
    /// In the text of a link in a cell.
    LinkInCell,
}

impl Place {
    /// The place of the text of a link here.
    pub(super) fn link(self) -> Self {
        match self {
            Self::Cell | Self::LinkInCell => Self::LinkInCell,
            Self::Paragraph | Self::Heading | Self::Link => Self::Link,
        }
    }

    pub(super) fn is_link(self) -> bool {
        matches!(self, Self::Link | Self::LinkInCell)
    }

    pub(super) fn is_cell(self) -> bool {
        matches!(self, Self::Cell | Self::LinkInCell)
    }
}

/// What stands behind a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Behind {
    /// White space, or the end.
    Space,
    /// A mark.
    Mark,
    /// A character of another text.
    Text(char),
}

impl Behind {
    pub(super) fn is_space(self) -> bool {
        match self {
            Self::Space => true,
            Self::Mark => false,
            Self::Text(c) => c.is_whitespace(),
        }
    }

    fn is_alphanumeric(self) -> bool {
        matches!(self, Self::Text(c) if c.is_alphanumeric())
    }

    fn is(self, expected: char) -> bool {
        self == Self::Text(expected)
    }
}

/// Appends text to the lines of a block. Line feeds become spaces.
pub(super) fn push(block: &mut String, text: &str, behind: Behind, place: Place) {
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let next = rest.clone().next().map_or(behind, Behind::Text);
        if is_escaped(block, c, next, place) {
            block.push('\\');
        }
        block.push(if c == '\n' { ' ' } else { c });
    }
}

/// Whether `c` would be markup at the end of a block.
fn is_escaped(block: &str, c: char, next: Behind, place: Place) -> bool {
    match c {
        '\\' | '`' | '*' | '[' | ']' | '<' | '~' | '$' => true,
        // Within a word it does not begin emphasis.
        '_' => !(next.is_alphanumeric() && block.ends_with(char::is_alphanumeric)),
        '&' => next.is_alphanumeric() || next.is('#'),
        '|' => place.is_cell() || begins_line(block, place),
        '#' if place == Place::Heading => {
            (block.is_empty() || block.ends_with(' ')) && (next.is('#') || next.is_space())
        }
        '#' | '>' => begins_line(block, place),
        '=' | '+' | '-' => !next.is_alphanumeric() && begins_line(block, place),
        ':' => begins_autolink(block, c, next, place) || !next.is_alphanumeric() && begins_line(block, place),
        '@' => begins_autolink(block, c, next, place),
        '.' => begins_autolink(block, c, next, place) || next.is_space() && is_number(block, place),
        ')' => next.is_space() && is_number(block, place),
        _ => false,
    }
}

/// Whether a line begins at the end of the block, and may begin with the mark of another block.
fn begins_line(block: &str, place: Place) -> bool {
    place == Place::Paragraph && (block.is_empty() || block.ends_with('\n'))
}

/// Most digits of the number of an item (CommonMark, section 5.2).
const MAX_DIGITS: usize = 9;

/// Whether the line so far is the number of an item.
fn is_number(block: &str, place: Place) -> bool {
    let before = block.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = block.len() - before.len();
    (1..=MAX_DIGITS).contains(&digits) && begins_line(before, place)
}

/// Whether programs make a link of the text around `c` (GFM, section 6.9): `https://`, `www.`, `mailto:`, `a@b`.
fn begins_autolink(block: &str, c: char, next: Behind, place: Place) -> bool {
    let ends_with = |name: &str| {
        let bytes = block.as_bytes();
        let start = bytes.len().checked_sub(name.len());
        start.is_some_and(|start| bytes[start..].eq_ignore_ascii_case(name.as_bytes()))
    };
    !place.is_link()
        && match c {
            ':' => next.is('/') || ends_with("mailto") || ends_with("xmpp"),
            '@' => next.is_alphanumeric() && block.ends_with(|c: char| c.is_alphanumeric() || "._-+".contains(c)),
            _ => ends_with("www"),
        }
}
