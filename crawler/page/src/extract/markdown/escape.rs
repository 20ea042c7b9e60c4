//! Text that stays text: which characters need a backslash before them (CommonMark 0.31.2, section 2.4, and the extensions of GFM).

/// The block of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    /// A paragraph, whose lines may begin like a list or a heading.
    Paragraph,
    Heading,
    /// A cell of a table.
    Cell,
}

/// Where a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    block: Block,
    /// In the text of a link, which holds no other link.
    is_link: bool,
    /// Whether the block has formulas, whose dollar signs could pair with those of the text.
    has_formulas: bool,
}

impl Place {
    pub(super) fn new(block: Block, has_formulas: bool) -> Self {
        Self {
            block,
            is_link: false,
            has_formulas,
        }
    }

    /// The text of a link here.
    pub(super) fn link(self) -> Self {
        Self { is_link: true, ..self }
    }

    pub(super) fn is_link(self) -> bool {
        self.is_link
    }

    pub(super) fn is_cell(self) -> bool {
        self.block == Block::Cell
    }

    /// Whether a text here may have several lines.
    pub(super) fn has_lines(self) -> bool {
        self.block == Block::Paragraph && !self.is_link
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

    fn is_digit(self) -> bool {
        matches!(self, Self::Text(c) if c.is_ascii_digit())
    }

    fn is(self, expected: char) -> bool {
        self == Self::Text(expected)
    }
}

/// Appends text to the lines of a block. Line feeds become spaces.
pub(super) fn push(block: &mut String, text: &str, behind: Behind, place: Place) {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| IS_SPECIAL[usize::from(byte)]) {
        let c = char::from(rest.as_bytes()[at]);
        block.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let next = rest.chars().next().map_or(behind, Behind::Text);
        if is_escaped(block, c, next, place) {
            block.push('\\');
        }
        block.push(if c == '\n' { ' ' } else { c });
    }
    block.push_str(rest);
}

/// Whether a byte is a character that [`is_escaped`] knows, or a line feed. All of them are ASCII, so that the others are appended at once.
const IS_SPECIAL: [bool; 256] = {
    let special = b"\n\\`*[]<~$_&|#>=+-:@.)";
    let mut is_special = [false; 256];
    let mut at = 0;
    while at < special.len() {
        is_special[special[at] as usize] = true;
        at += 1;
    }
    is_special
};

/// Whether `c` would be markup at the end of a block.
fn is_escaped(block: &str, c: char, next: Behind, place: Place) -> bool {
    match c {
        '\\' | '`' | '*' | '[' | ']' | '<' | '~' => true,
        // A sign before a digit ends no formula (Pandoc, "tex_math_dollars"), and the others cannot end what it begins.
        '$' => place.has_formulas || !next.is_digit(),
        // Within a word it does not begin emphasis.
        '_' => !(next.is_alphanumeric() && block.ends_with(char::is_alphanumeric)),
        '&' => next.is_alphanumeric() || next.is('#'),
        '|' => place.is_cell() || begins_line(block, place),
        '#' if place.block == Block::Heading && !place.is_link => {
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
    // Parsers leave out a mark of the byte order at the beginning.
    let block = block.trim_end_matches('\u{feff}');
    place.has_lines() && (block.is_empty() || block.ends_with('\n'))
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
