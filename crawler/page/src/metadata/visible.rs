//! What a page shows of itself: the elements that are marked as an author or a date, and the lines near the heading.

mod all_texts;
mod lines;

use std::cell::OnceCell;

use html5ever::{LocalName, local_name, ns};
use url::Url;

use self::all_texts::AllTexts;
use self::lines::Lines;
use super::date::{self, Order, order_told};
use super::marks::{Meaning, Meanings, is_for_screen_readers, is_of_head, is_zone};
use super::names::after_written_by;
use super::text::{cut, folded, text_without};
use crate::extract::is_within_line;
use crate::home_link::HomeLink;
use crate::map::Set;
use crate::parse::{Element, Node, NodeId, NodeRef, Tree, Visit, is_unseen};

/// Most marked elements.
const MAX_MARKS: usize = 128;

/// Most elements with a mark that are read, those included whose text is no author or date.
const MAX_TRIED: usize = 1024;

/// Longest text of a marked element, in bytes. A longer one is a text of its own.
const MAX_MARK_BYTES: usize = 512;

/// Lines after and before the heading in which an author or a date is that of the page.
const LINES_AFTER: usize = 15;
const LINES_BEFORE: usize = 6;

/// Bytes of a line that is a paragraph: the text has begun.
const PARAGRAPH_BYTES: usize = 200;

/// Most paragraphs that are searched for a date with which the text begins: a caption and the summary may come before it.
const MAX_OPENINGS: usize = 3;

/// Longest line that tells an author or a date, in bytes.
const MAX_SHORT_LINE_BYTES: usize = 160;

/// What an element is marked as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// A link to the page of the author.
    AuthorLink,
    Author,
    /// A `<time>`.
    Time,
    Published,
    Modified,
}

/// A marked element.
#[derive(Debug)]
pub(super) struct Marked {
    pub mark: Mark,
    /// Its text, one block a line.
    pub text: String,
    /// The `datetime` or `title` of a date.
    pub declared: Option<String>,
    /// The line in which it begins.
    pub line: usize,
}

/// What the page shows outside of menus, comments and other articles.
#[derive(Debug)]
pub(super) struct Visible<'t> {
    tree: &'t Tree,
    pub marks: Vec<Marked>,
    pub lines: Lines,
    /// The line of the heading, if there is one.
    pub heading: Option<usize>,
    /// The line behind the heading.
    behind_heading: usize,
    /// The first line that may be the page's own. Those before are in the head of the site, where newspapers show the day of the reader.
    own: usize,
    /// All texts of the page, those of menus and comments included. Few pages declare an author who is looked for in them.
    texts: OnceCell<AllTexts<'t>>,
    /// The short lines that may have a date.
    dated: OnceCell<Vec<usize>>,
}

impl<'t> Visible<'t> {
    fn of(tree: &'t Tree) -> Self {
        Self {
            tree,
            marks: Vec::new(),
            lines: Lines::default(),
            heading: None,
            behind_heading: 0,
            own: 0,
            texts: OnceCell::new(),
            dated: OnceCell::new(),
        }
    }

    /// Whether the page shows a name anywhere, in menus and comments, too. The name is folded.
    pub(super) fn shows(&self, name: &str) -> bool {
        // Most pages mark where the author is.
        self.marks.iter().any(|marked| folded(&marked.text).contains(name)) || self.has_anywhere(name)
    }

    fn has_anywhere(&self, folded: &str) -> bool {
        self.texts.get_or_init(|| AllTexts::of(self.tree)).have(folded)
    }

    /// Whether a line is near the heading.
    pub(super) fn is_near(&self, line: usize) -> bool {
        let heading = self.heading.unwrap_or_default();
        (heading.saturating_sub(LINES_BEFORE)..=heading + LINES_AFTER).contains(&line)
    }

    /// Whether a line is the heading or after it, if there is one. Newspapers show the day of the reader before it.
    pub(super) fn is_after_heading(&self, line: usize) -> bool {
        self.heading.is_none_or(|heading| line >= heading)
    }

    /// Whether a line belongs to the heading.
    pub(super) fn is_heading(&self, line: usize) -> bool {
        self.heading
            .is_some_and(|heading| (heading..self.behind_heading).contains(&line))
    }

    /// Whether a line is not in the head of the site.
    pub(super) fn is_own(&self, line: usize) -> bool {
        line >= self.own
    }

    /// Marked elements, those near the heading first: after it, then before it, then the others.
    pub(super) fn near_first(&self, wanted: impl Fn(Mark) -> bool) -> Vec<&Marked> {
        let heading = self.heading.unwrap_or_default();
        let mut marks: Vec<&Marked> = self.marks.iter().filter(|marked| wanted(marked.mark)).collect();
        marks.sort_by_key(|marked| {
            let is_before = marked.line < heading;
            (!self.is_near(marked.line), is_before, marked.line.abs_diff(heading))
        });
        marks
    }

    /// The lines near the heading: those after it up to the text, then those before it.
    pub(super) fn lines_near(&self) -> impl Iterator<Item = (usize, &str)> {
        let heading = self.heading.unwrap_or_default().min(self.lines.len());
        let after = self.heading.map_or(0, |line| line + 1);
        let after = self.lines.at(after..after + LINES_AFTER);
        let mut paragraphs = 0;
        let after = after.take_while(move |(_, line)| {
            paragraphs += usize::from(line.len() >= PARAGRAPH_BYTES);
            paragraphs < 2
        });
        let before = self.lines.at(heading.saturating_sub(LINES_BEFORE)..heading);
        let lines = after.chain(before);
        lines.filter(|(_, line)| line.len() <= MAX_SHORT_LINE_BYTES)
    }

    /// The first paragraphs after the heading.
    pub(super) fn openings(&self) -> impl Iterator<Item = &str> {
        let after = self.heading.map_or(self.lines.len(), |line| line + 1);
        let lines = self.lines.at(after..after + LINES_AFTER).map(|(_, line)| line);
        lines
            .filter(|line| line.len() > MAX_SHORT_LINE_BYTES)
            .take(MAX_OPENINGS)
    }

    /// The order of the dates between slashes or hyphens, if some of them can be read in one order only, and all of those in the same.
    pub(super) fn order(&self) -> Option<Order> {
        let marked = self.marks.iter().map(|marked| marked.text.as_str());
        let mut orders = marked
            .chain(self.dated_lines().map(|(_, line)| line))
            .filter_map(order_told);
        let first = orders.next()?;
        orders.all(|order| order == first).then_some(first)
    }

    /// Those of the short lines that may have a date.
    pub(super) fn dated_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let dated = self.dated.get_or_init(|| {
            let lines = self.short_lines(date::may_be_in);
            let lines = lines.filter(|(_, line)| date::may_be_in(line));
            lines.map(|(at, _)| at).collect()
        });
        dated.iter().filter_map(|at| Some((*at, self.lines.get(*at)?)))
    }

    /// The lines that are short enough to tell an author or a date, and may be wanted by how they are written.
    pub(super) fn short_lines(&self, may_be: impl Fn(&str) -> bool) -> impl Iterator<Item = (usize, &str)> {
        self.lines
            .that(may_be)
            .filter(|(_, line)| line.len() <= MAX_SHORT_LINE_BYTES)
    }
}

/// Reads the visible parts of a tree whose title is in this heading.
pub(super) fn visible<'t>(
    tree: &'t Tree,
    heading: Option<NodeRef<'_>>,
    meanings: Meanings<'t>,
    url: &Url,
) -> Visible<'t> {
    let around = heading
        .iter()
        .flat_map(|node| node.ancestors().map(NodeRef::id))
        .collect();
    let mut reader = Reader {
        visible: Visible::of(tree),
        meanings,
        heading: heading.map(NodeRef::id),
        home: HomeLink::of(url),
        has_site: false,
        around,
        are_within_line: Vec::new(),
        articles: 0,
        own_articles: 0,
        tried: 0,
    };
    tree.root().walk(&mut reader);
    reader.visible.lines.end();
    reader.visible
}

/// What the attributes say that each element may have. One pass finds all of it.
#[derive(Default)]
struct Said<'t> {
    class: Option<&'t str>,
    id: Option<&'t str>,
    /// Whether the element is hidden by its own attributes.
    is_hidden: bool,
}

impl<'t> Said<'t> {
    fn by(element: &'t Element) -> Self {
        let hides = |style: &str| style.contains("none") && style.replace(' ', "").contains("display:none");
        let mut said = Self::default();
        for attribute in element.attributes.iter().filter(|attribute| attribute.name.ns == ns!()) {
            match attribute.name.local {
                local_name!("class") => said.class = Some(&attribute.value),
                local_name!("id") => said.id = Some(&attribute.value),
                local_name!("hidden") => said.is_hidden = true,
                local_name!("style") => said.is_hidden |= hides(cut(&attribute.value, MAX_MARK_BYTES)),
                _ => {}
            }
        }
        said.is_hidden &= element.name.local != local_name!("body");
        said
    }
}

struct Reader<'t> {
    visible: Visible<'t>,
    meanings: Meanings<'t>,
    heading: Option<NodeId>,
    /// The elements around the heading. None of them is a zone of something else.
    around: Set<NodeId>,
    /// How the page links to the home page of its site.
    home: HomeLink,
    /// Whether the part of the page that was entered last has a link to the home page or a menu. A part is an element beside the heading or
    /// beside an element around it.
    has_site: bool,
    /// For each open element, whether it stands within a line.
    are_within_line: Vec<bool>,
    /// Number of open `<article>` elements, and of those around the heading.
    articles: usize,
    own_articles: usize,
    /// Number of elements whose marks were looked at.
    tried: usize,
}

impl<'t> Visit<'t> for Reader<'t> {
    fn enter(&mut self, node: NodeRef<'t>) -> bool {
        let element = match node.value() {
            Node::Text(text) => {
                self.visible.lines.push(text);
                return false;
            }
            Node::Element(element) => element,
            _ => return true,
        };
        self.enter_part(node, element);
        let is_entered = self.open(node, element);
        if !is_entered {
            self.leave_part(node);
        }
        is_entered
    }

    fn leave(&mut self, node: NodeRef<'t>) {
        if let Some(element) = node.value().as_element() {
            self.leave_part(node);
            let is_article = element.name.local == local_name!("article");
            self.articles -= usize::from(is_article);
            self.own_articles -= usize::from(is_article && self.around.contains(&node.id()));
            let is_within_line = self.are_within_line.pop() == Some(true);
            if !is_within_line {
                self.visible.lines.end();
            }
            if self.heading == Some(node.id()) {
                self.visible.behind_heading = self.visible.lines.len() + usize::from(is_within_line);
            }
        }
    }
}

impl<'t> Reader<'t> {
    /// Takes an element. Whether what is in it is shown, and is the page's own.
    fn open(&mut self, node: NodeRef<'t>, element: &'t Element) -> bool {
        if self.heading == Some(node.id()) {
            self.visible.lines.end();
            self.visible.heading = Some(self.visible.lines.len());
        }
        if is_unseen(element) {
            return false;
        }
        let said = Said::by(element);
        if said.is_hidden {
            return false;
        }
        let by_class = said.class.and_then(|class| self.meanings.of(class));
        if self.is_foreign(node, element, by_class, said.id) {
            return false;
        }
        let is_article = element.name.local == local_name!("article");
        self.articles += usize::from(is_article);
        self.own_articles += usize::from(is_article && self.around.contains(&node.id()));
        let is_within_line = is_within_line(node, element);
        if element.name.local == local_name!("br") || !is_within_line {
            self.visible.lines.end();
        }
        self.are_within_line.push(is_within_line);
        self.take(node, element, by_class);
        true
    }

    /// Looks before the heading for the head of the site: a part of the page with a link to the home page or with a menu.
    fn enter_part(&mut self, node: NodeRef<'_>, element: &Element) {
        if self.visible.heading.is_some() || self.around.contains(&node.id()) {
            return;
        }
        if self.is_part(node) {
            self.has_site = false;
        }
        let is_named_so = || {
            let of = |name: LocalName| element.plain_attribute(&name).unwrap_or_default();
            of(local_name!("role")) == "navigation"
                || is_of_head(of(local_name!("class")))
                || is_of_head(of(local_name!("id")))
        };
        let leads_home = || {
            let of = |name: LocalName| element.plain_attribute(&name).unwrap_or_default();
            let leads = self.home.leads(of(local_name!("href")), of(local_name!("rel")));
            leads.is_some_and(|leads| leads.is_root)
        };
        self.has_site |= match element.name.local {
            local_name!("nav") | local_name!("header") => true,
            local_name!("a") => leads_home(),
            _ => is_named_so(),
        };
    }

    fn leave_part(&mut self, node: NodeRef<'_>) {
        if self.visible.heading.is_none() && self.is_part(node) && std::mem::take(&mut self.has_site) {
            self.visible.lines.end();
            self.visible.own = self.visible.lines.len();
        }
    }

    /// Whether an element stands beside the heading, or beside an element around it.
    fn is_part(&self, node: NodeRef<'_>) -> bool {
        let is_around = |node: NodeRef<'_>| self.around.contains(&node.id());
        !is_around(node) && node.parent().is_some_and(is_around)
    }

    /// Whether an element is a zone of something else than the page's own text.
    fn is_foreign(&self, node: NodeRef<'_>, element: &Element, by_class: Option<Meaning>, id: Option<&str>) -> bool {
        let name = &element.name.local;
        if self.around.contains(&node.id())
            || matches!(*name, local_name!("html") | local_name!("body") | local_name!("main"))
        {
            return false;
        }
        match by_class {
            Some(Meaning::Zone) => return true,
            Some(Meaning::Foot) if self.own_articles == 0 => return true,
            Some(Meaning::Author | Meaning::Published) => return false,
            _ => {}
        }
        let by_element = match *name {
            local_name!("nav") | local_name!("aside") => true,
            local_name!("footer") => self.articles == 0,
            _ => false,
        };
        by_element || id.is_some_and(is_zone)
    }

    fn take(&mut self, node: NodeRef<'_>, element: &Element, by_class: Option<Meaning>) {
        let has_room = self.visible.marks.len() < MAX_MARKS && self.tried < MAX_TRIED;
        if !has_room {
            return;
        }
        let Some(mark) = mark_of(element, by_class) else {
            return;
        };
        self.tried += 1;
        let text = text_without(node, MAX_MARK_BYTES, |element| {
            element
                .plain_attribute(&local_name!("class"))
                .is_some_and(is_for_screen_readers)
        });
        let is_byline = text.len() <= MAX_SHORT_LINE_BYTES || after_written_by(&text).is_some();
        if mark == Mark::Author && (!is_byline || self.around.contains(&node.id())) {
            return;
        }
        let given = element
            .plain_attribute(&local_name!("datetime"))
            .or_else(|| element.plain_attribute(&local_name!("title")));
        let is_date = matches!(mark, Mark::Time | Mark::Published | Mark::Modified);
        self.visible.marks.push(Marked {
            mark,
            text,
            declared: given.filter(|_| is_date).map(str::to_owned),
            line: self.visible.lines.len(),
        });
    }
}

/// What an element is marked as, if this is what its class says.
fn mark_of(element: &Element, by_class: Option<Meaning>) -> Option<Mark> {
    match element.name.local {
        local_name!("a") if is_author_link(element) => Some(Mark::AuthorLink),
        local_name!("time") if by_class == Some(Meaning::Modified) => Some(Mark::Modified),
        local_name!("time") => Some(Mark::Time),
        local_name!("a")
        | local_name!("span")
        | local_name!("address")
        | local_name!("p")
        | local_name!("div")
        | local_name!("li")
        | local_name!("ul")
        | local_name!("h2")
        | local_name!("h3")
        | local_name!("h4")
        | local_name!("h5")
        | local_name!("h6")
        | local_name!("strong")
        | local_name!("b")
        | local_name!("em")
        | local_name!("i")
        | local_name!("small")
        | local_name!("cite")
        | local_name!("dd")
        | local_name!("dt")
        | local_name!("td")
        | local_name!("abbr")
        | local_name!("section")
        | local_name!("header") => match by_class? {
            Meaning::Author => Some(Mark::Author),
            Meaning::Published => Some(Mark::Published),
            Meaning::Modified => Some(Mark::Modified),
            Meaning::Title | Meaning::Zone | Meaning::Foot => None,
        },
        _ => None,
    }
}

/// Folders in which programs for blogs and newspapers list the articles of an author.
#[rustfmt::skip]
const AUTHOR_FOLDERS: &[&str] = &[
    "author", "authors", "autor", "autoren", "auteur", "autore", "autores",
    "autori", "auteurs", "contributor", "contributors", "redakteur", "writer", "byline",
];

fn is_author_folder(folder: &[u8]) -> bool {
    matches!(folder, [b'a' | b'b' | b'c' | b'r' | b'w', ..])
        && AUTHOR_FOLDERS.iter().any(|author| author.as_bytes() == folder)
}

/// Whether a link leads to the page of the author, by its relation or by the path that programs for blogs use.
fn is_author_link(element: &Element) -> bool {
    let relations = element.plain_attribute(&local_name!("rel")).unwrap_or_default();
    let href = cut(
        element.plain_attribute(&local_name!("href")).unwrap_or_default(),
        MAX_MARK_BYTES,
    );
    let mut relations = relations.split_ascii_whitespace();
    // A folder stands between two slashes.
    let mut folders = href.as_bytes().split(|byte| *byte == b'/');
    folders.next();
    folders.next_back();
    relations.any(|relation| relation.eq_ignore_ascii_case("author")) || folders.any(is_author_folder)
}
