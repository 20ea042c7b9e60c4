//! The blocks of Markdown, with the marks of the lists and quotes around them before each line.
//!
//! A list, an item or a quote is opened when its element begins, and written with its first block. So what holds no content leaves no mark.

/// Most items and quotes around a block. What is deeper is written in the innermost of these. Some programs that read Markdown leave out what is
/// deeper than 20 lists, items and quotes (markdown-it).
pub(super) const MAX_DEPTH: usize = 8;

/// Highest number of an item (CommonMark, section 5.2).
const MAX_NUMBER: u32 = 999_999_999;

/// Longest mark of an item, in bytes: nine digits, a point and a space.
const MAX_MARK_BYTES: usize = 11;

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaf {
    /// Text that a line of the next block could continue.
    Paragraph,
    /// Another block.
    Other,
}

/// An open list, item or quote.
#[derive(Debug)]
enum Level {
    List(List),
    Item(Item),
    Quote(Inside),
}

#[derive(Debug)]
struct List {
    /// The number of the next item; `None` without numbers.
    number: Option<u32>,
    /// The character that ends the mark of an item; unknown before the first item.
    mark: Option<char>,
    /// Whether an item has several blocks, so that empty lines separate the items.
    is_loose: bool,
    /// Width of the mark of the last item.
    width: usize,
}

#[derive(Debug)]
struct Item {
    /// The number that the page gives it.
    number: Option<u32>,
    /// Width of its mark; 0 before it is written.
    width: usize,
    inside: Inside,
}

/// What has been written in an item, in a quote, or outside of them.
#[derive(Debug, Default)]
struct Inside {
    is_begun: bool,
    /// Number of blocks, without lists.
    blocks: usize,
    /// Number of lists.
    lists: usize,
    /// The mark of the list that was written last.
    last_list: Option<char>,
}

/// Writes blocks.
#[derive(Debug)]
pub(super) struct Writer {
    out: String,
    max_bytes: usize,
    /// Whether a block did not fit.
    is_full: bool,
    page: Inside,
    levels: Vec<Level>,
    /// Open levels that are too deep to be written.
    ignored: usize,
    /// Number of levels that are open since the last block.
    common: usize,
    last: Leaf,
}

impl Writer {
    /// `bytes` is a guess of the length.
    pub(super) fn new(max_bytes: usize, bytes: usize) -> Self {
        Self {
            out: String::with_capacity(bytes.min(max_bytes)),
            max_bytes,
            is_full: false,
            page: Inside::default(),
            levels: Vec::new(),
            ignored: 0,
            common: 0,
            last: Leaf::Other,
        }
    }

    /// The Markdown, with a line feed at its end unless it is empty.
    pub(super) fn into_markdown(mut self) -> String {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }

    /// Opens a list, whose first item has the number `start`, and returns the number of levels to close.
    pub(super) fn open_list(&mut self, start: Option<i64>) -> usize {
        let is_possible = |start: &u32| *start <= MAX_NUMBER;
        let number = start.map(|start| u32::try_from(start).ok().filter(is_possible).unwrap_or(1));
        let outer = match self.levels.last() {
            Some(Level::List(outer)) => outer.width,
            _ => 0,
        };
        // A list in a list belongs to the last item.
        if outer > 0 {
            self.open(Level::Item(Item {
                number: None,
                width: outer,
                inside: Inside {
                    is_begun: true,
                    blocks: 1,
                    ..Inside::default()
                },
            }));
        }
        self.open(Level::List(List {
            number,
            mark: None,
            is_loose: false,
            width: 0,
        }));
        1 + usize::from(outer > 0)
    }

    /// Opens an item, which may have a number of its own, and returns the number of levels to close.
    pub(super) fn open_item(&mut self, number: Option<i64>) -> usize {
        let opened = if self.takes_items() { 0 } else { self.open_list(None) };
        let own = number.and_then(|number| u32::try_from(number).ok());
        let mut number = None;
        if let Some(Level::List(list)) = self.levels.last_mut() {
            number = list.number.map(|next| own.unwrap_or(next).min(MAX_NUMBER));
            list.number = number.map(|number| number + 1);
        }
        self.open(Level::Item(Item {
            number,
            width: 0,
            inside: Inside::default(),
        }));
        opened + 1
    }

    /// Whether an item that opens now takes its number from a list that is open.
    pub(super) fn takes_items(&self) -> bool {
        self.ignored > 0 || matches!(self.levels.last(), Some(Level::List(_)))
    }

    /// Opens a quote, and returns the number of levels to close.
    pub(super) fn open_quote(&mut self) -> usize {
        self.open(Level::Quote(Inside::default()));
        1
    }

    fn open(&mut self, level: Level) {
        let marks = self.levels.iter().filter(|level| !matches!(level, Level::List(_)));
        if self.ignored > 0 || marks.count() >= MAX_DEPTH || self.levels.len() >= 2 * MAX_DEPTH {
            self.ignored += 1;
        } else {
            self.levels.push(level);
        }
    }

    /// Closes the innermost levels.
    pub(super) fn close(&mut self, levels: usize) {
        let ignored = levels.min(self.ignored);
        self.ignored -= ignored;
        for _ in ignored..levels {
            let closed = self.levels.pop();
            self.common = self.common.min(self.levels.len());
            if let (Some(Level::Item(item)), Some(Level::List(list))) = (closed, self.levels.last_mut()) {
                list.is_loose |= item.inside.blocks > 1;
            }
        }
    }

    /// Writes a block.
    pub(super) fn block(&mut self, text: &str, leaf: Leaf) {
        if text.is_empty() || self.is_full {
            return;
        }
        let lines = 3 + memchr::memchr_iter(b'\n', text.as_bytes()).count();
        let bytes = text.len() + lines * (self.widest_prefix() + 1);
        if bytes > self.max_bytes.saturating_sub(self.out.len()) {
            self.is_full = true;
            return;
        }
        self.separate();
        for at in 0..self.levels.len() {
            self.begin(at);
        }
        let prefix = self.prefix(self.levels.len());
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                self.out.push('\n');
                self.out
                    .push_str(if line.is_empty() { prefix.trim_end() } else { &prefix });
            }
            self.out.push_str(line);
        }
        let inside = self.inside_below(self.levels.len());
        inside.blocks += 1;
        inside.last_list = None;
        (self.common, self.last) = (self.levels.len(), leaf);
    }

    /// Width of the widest prefix of a line here, in bytes.
    fn widest_prefix(&self) -> usize {
        MAX_MARK_BYTES * self.levels.len()
    }

    /// Ends the last block before the next one.
    fn separate(&mut self) {
        if self.out.is_empty() {
            return;
        }
        self.out.push('\n');
        if !self.is_tight() {
            let prefix = self.prefix(self.common);
            self.out.push_str(prefix.trim_end());
            self.out.push('\n');
        }
    }

    /// Whether the next block stands directly under the last one: it begins an item, and both are lines of one list, or of an item and its list.
    fn is_tight(&mut self) -> bool {
        let is_new = |level: &Level| match level {
            Level::List(_) => false,
            Level::Item(item) => !item.inside.is_begun,
            Level::Quote(inside) => !inside.is_begun,
        };
        let Some(at) = self.levels.iter().position(is_new) else {
            return false;
        };
        let Level::Item(Item { number, .. }) = self.levels[at] else {
            return false;
        };
        match at.checked_sub(1).map(|list| &self.levels[list]) {
            Some(Level::List(list)) if list.mark.is_some() => {
                let (mark, is_loose) = (list.mark, list.is_loose);
                // A block between the items ends the list.
                !is_loose && self.inside_below(at - 1).last_list == mark
            }
            Some(Level::List(_)) => {
                // Only the number 1 begins a list behind a line of text (CommonMark, section 5.2).
                let may_follow = self.last == Leaf::Paragraph && number.is_none_or(|number| number == 1);
                let is_in_item = self.levels[..at].iter().any(|level| matches!(level, Level::Item(_)));
                let inside = self.inside_below(at - 1);
                may_follow && is_in_item && inside.is_begun && inside.blocks == 1 && inside.lists == 0
            }
            _ => false,
        }
    }

    /// What has been written directly in the innermost item or quote of the first levels.
    fn inside_below(&mut self, levels: usize) -> &mut Inside {
        let levels = self.levels[..levels].iter_mut().rev();
        let mut inside = levels.filter_map(|level| match level {
            Level::List(_) => None,
            Level::Item(Item { inside, .. }) | Level::Quote(inside) => Some(inside),
        });
        inside.next().unwrap_or(&mut self.page)
    }

    /// Writes the mark of a level into the first line of a block.
    fn begin(&mut self, at: usize) {
        match &self.levels[at] {
            Level::List(_) => {}
            Level::Quote(inside) => {
                if !inside.is_begun {
                    let around = self.inside_below(at);
                    around.blocks += 1;
                    around.last_list = None;
                    self.inside_below(at + 1).is_begun = true;
                }
                self.out.push_str("> ");
            }
            Level::Item(item) if item.inside.is_begun => self.out.extend(std::iter::repeat_n(' ', item.width)),
            Level::Item(item) => {
                let mark = match (item.number, self.mark_of_list(at.saturating_sub(1))) {
                    (Some(number), mark) => format!("{number}{mark} "),
                    (None, mark) => format!("{mark} "),
                };
                self.out.push_str(&mark);
                if let Some(Level::List(list)) = self.levels.get_mut(at.saturating_sub(1)) {
                    list.width = mark.len();
                }
                if let Level::Item(item) = &mut self.levels[at] {
                    (item.width, item.inside.is_begun) = (mark.len(), true);
                }
            }
        }
    }

    /// The character that ends the marks of a list. Two lists side by side have unlike ones, or they would be one list.
    fn mark_of_list(&mut self, at: usize) -> char {
        let Level::List(list) = &self.levels[at] else {
            return '-';
        };
        if let Some(mark) = list.mark {
            return mark;
        }
        let marks = if list.number.is_some() { ['.', ')'] } else { ['-', '+'] };
        let around = self.inside_below(at);
        let mark = if around.last_list == Some(marks[0]) {
            marks[1]
        } else {
            marks[0]
        };
        around.last_list = Some(mark);
        around.lists += 1;
        if let Level::List(list) = &mut self.levels[at] {
            list.mark = Some(mark);
        }
        mark
    }

    /// What stands before a further line in the first levels.
    fn prefix(&self, levels: usize) -> String {
        let mut prefix = String::new();
        for level in &self.levels[..levels] {
            match level {
                Level::List(_) => {}
                Level::Item(item) => prefix.extend(std::iter::repeat_n(' ', item.width)),
                Level::Quote(_) => prefix.push_str("> "),
            }
        }
        prefix
    }
}
