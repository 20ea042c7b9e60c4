//! Microdata (WHATWG HTML, section 5) and RDFa (W3C RDFa Core 1.1) in the body of a page.
//!
//! Both are read in one walk: `itemscope` and `typeof` begin an item, `itemprop` and `property` name a value. A value belongs to the
//! innermost item around it. Only the item that the page is about is read, with the names of its author and its publisher; the items of
//! comments, of lists and of other articles are not.

use std::sync::LazyLock;

use html5ever::{LocalName, local_name};

use super::claims::Field::{
    self, Author, Description, Image, Language, Licence, Modified, Published, Section, SiteName, Tag, Tags, Title, Type,
};
use super::claims::{Claims, Source};
use super::kinds::{Kind, kind};
use super::text::text_of;
use crate::parse::{Element, NodeId, NodeRef};

/// Longest text of an element that is a value, in bytes.
const MAX_TEXT_BYTES: usize = 1024;

/// The properties of schema.org, of Dublin Core and of SIOC, without prefix.
#[rustfmt::skip]
const PROPERTIES: &[(&str, Field)] = &[
    ("headline", Title),
    ("name", Title),
    ("title", Title),
    ("author", Author),
    ("creator", Author),
    ("has_creator", Author),
    ("datePublished", Published),
    ("dateCreated", Published),
    ("issued", Published),
    ("created", Published),
    ("date", Published),
    ("dateModified", Modified),
    ("modified", Modified),
    ("description", Description),
    ("publisher", SiteName),
    ("inLanguage", Language),
    ("articleSection", Section),
    ("keywords", Tags),
    ("license", Licence),
    ("image", Image),
    ("thumbnailUrl", Image),
];

/// The words of one of the two syntaxes.
struct Syntax {
    source: Source,
    scope: LocalName,
    kind: LocalName,
    property: LocalName,
}

/// Microdata and RDFa. An atom of another name than those of HTML is not constant.
static SYNTAXES: LazyLock<[Syntax; 2]> = LazyLock::new(|| {
    let kind = LocalName::from("typeof");
    [
        Syntax {
            source: Source::Microdata,
            scope: local_name!("itemscope"),
            kind: local_name!("itemtype"),
            property: local_name!("itemprop"),
        },
        Syntax {
            source: Source::Rdfa,
            scope: kind.clone(),
            kind,
            property: local_name!("property"),
        },
    ]
});

/// Whether an element begins an item, or is a value. Most do neither.
fn takes_part(element: &Element, scope_of_rdfa: &LocalName) -> bool {
    element.attributes.iter().any(|attribute| match &attribute.name.local {
        &local_name!("itemscope") | &local_name!("itemprop") | &local_name!("property") => true,
        name => name == scope_of_rdfa,
    })
}

/// What the values of an open item are.
#[derive(Clone, Copy)]
enum Item {
    /// What the page is about.
    Main,
    /// An author or a publisher of it: its name is the value.
    Named(Field),
    /// Something else.
    Other,
}

/// Reads the items of a tree whose elements it is given in order.
#[derive(Default)]
pub(super) struct Items {
    /// The open items, the innermost last, with the elements that began them.
    open: Vec<(NodeId, Source, Item)>,
    /// The kind of the first item that is about the page. Later items of its kind are other articles.
    has_main: bool,
}

impl Items {
    /// Enters an element.
    pub(super) fn enter(&mut self, node: NodeRef<'_>, element: &Element, claims: &mut Claims) {
        let syntaxes = &*SYNTAXES;
        if claims.is_full() || !takes_part(element, &syntaxes[1].scope) {
            return;
        }
        for syntax in syntaxes {
            let property = element.plain_attribute(&syntax.property);
            let field = property.and_then(|names| self.field(names, syntax));
            if element.plain_attribute(&syntax.scope).is_some() {
                let item = self.begin(element, field, syntax, claims);
                self.open.push((node.id(), syntax.source, item));
            } else if let Some(field) = field {
                add(field, node, element, syntax, claims);
            }
        }
    }

    /// Leaves an element.
    pub(super) fn leave(&mut self, node: NodeRef<'_>) {
        while self.open.last().is_some_and(|(id, ..)| *id == node.id()) {
            self.open.pop();
        }
    }

    fn innermost(&self, syntax: &Syntax) -> Option<Item> {
        let mut open = self.open.iter().rev();
        open.find(|(_, source, _)| *source == syntax.source)
            .map(|(.., item)| *item)
    }

    /// The field of a property at this place.
    fn field(&self, names: &str, syntax: &Syntax) -> Option<Field> {
        let field = names.split_ascii_whitespace().find_map(|name| {
            let name = name.rsplit(['/', ':', '#']).next()?;
            PROPERTIES
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, field)| *field)
        })?;
        match self.innermost(syntax) {
            Some(Item::Main) => Some(field),
            Some(Item::Named(named)) => (field == Title).then_some(named),
            Some(Item::Other) => None,
            // Many templates leave out the item of the page. A name may then be that of anything.
            None => matches!(field, Author | Published | Modified).then_some(field),
        }
    }

    /// Begins an item that is the value of this field of the item around it.
    fn begin(&mut self, element: &Element, field: Option<Field>, syntax: &Syntax, claims: &mut Claims) -> Item {
        let types = element.plain_attribute(&syntax.kind).unwrap_or_default();
        let found = types.split_ascii_whitespace().filter_map(kind).max();
        match (field, self.innermost(syntax)) {
            (Some(field @ (Author | SiteName)), _) => Item::Named(field),
            (_, None | Some(Item::Main)) if found >= Some(Kind::Thing) && !self.has_main => {
                self.has_main = true;
                claims.add(Type, syntax.source, types);
                Item::Main
            }
            // The body of many pages is one, with the article within.
            (None, None) if found == Some(Kind::WebPage) => Item::Main,
            _ => Item::Other,
        }
    }
}

/// Adds the value of an element (WHATWG HTML, section 5.2.4, "values").
fn add(field: Field, node: NodeRef<'_>, element: &Element, syntax: &Syntax, claims: &mut Claims) {
    let given = |name: &LocalName| element.plain_attribute(name);
    let by_element = match element.name.local {
        local_name!("img") | local_name!("source") | local_name!("video") => given(&local_name!("src")),
        local_name!("link") => given(&local_name!("href")),
        local_name!("a") if matches!(field, Licence | Image) => given(&local_name!("href")),
        local_name!("time") => given(&local_name!("datetime")),
        // Templates for blogs show the hour, and have the day in the `title` (microformats.org, "datetime-design-pattern").
        local_name!("abbr") if matches!(field, Published | Modified) => given(&local_name!("title")),
        _ => None,
    };
    let declared = given(&local_name!("content"))
        .or(by_element)
        .filter(|value| !value.trim().is_empty());
    match declared {
        Some(value) => claims.add(field, syntax.source, value),
        None if element.name.local == local_name!("a") && matches!(field, Tags) => {
            claims.add(Tag, syntax.source, &text_of(node, MAX_TEXT_BYTES));
        }
        None => claims.add(field, syntax.source, &text_of(node, MAX_TEXT_BYTES)),
    }
}
