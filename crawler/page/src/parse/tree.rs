//! The tree of a page: nodes in one list, in the order of their creation, with links between them.
//!
//! The texts and the values of attributes are slices of the page, except where the page writes them with character references.
//! An element has the attributes that later steps read, or all of them if a rule of the user needs them.

use std::num::NonZeroU32;

use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, QualName, ns};

use super::{Attributes, read_attributes};

/// The place of a node in the list, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(NonZeroU32);

impl NodeId {
    const ROOT: Self = Self(NonZeroU32::MIN);

    /// The place of the node in the list, counted from 0.
    pub(crate) fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// What a node is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    /// The root.
    Document,
    /// The root of the content of a `<template>`.
    Fragment,
    Text(StrTendril),
    Element(Element),
    /// A comment, a document type or a processing instruction, without its text.
    Other,
}

impl Node {
    pub(crate) fn as_element(&self) -> Option<&Element> {
        match self {
            Self::Element(element) => Some(element),
            _ => None,
        }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// The name and the attributes of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Element {
    pub name: QualName,
    /// In the order of their names.
    pub attributes: Vec<Attribute>,
}

impl Element {
    pub(super) fn new(name: QualName, mut attributes: Vec<Attribute>) -> Self {
        if attributes.len() > 1 {
            attributes.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        }
        Self { name, attributes }
    }

    /// Adds the attributes whose names it does not have.
    pub(super) fn add_missing(&mut self, attributes: Vec<Attribute>) {
        for attribute in attributes {
            let place = self.attributes.binary_search_by(|own| own.name.cmp(&attribute.name));
            if let Err(place) = place {
                self.attributes.insert(place, attribute);
            }
        }
    }

    /// The value of an attribute, whatever its namespace.
    pub(crate) fn attribute(&self, name: &LocalName) -> Option<&str> {
        debug_assert!(
            read_attributes::is_held(&self.name.local, name, Attributes::Read),
            "read_attributes.rs must name {name}"
        );
        let mut attributes = self.attributes.iter();
        let found = attributes.find(|attribute| attribute.name.local == *name)?;
        Some(&found.value)
    }

    /// The value of an attribute without a namespace. The tree must have the [requested attributes](Attributes::Requested).
    pub(crate) fn plain_attribute(&self, name: &LocalName) -> Option<&str> {
        debug_assert!(
            read_attributes::is_held(&self.name.local, name, Attributes::Requested),
            "read_attributes.rs must name {name}"
        );
        let mut attributes = self.attributes.iter();
        let found = attributes.find(|attribute| attribute.name.local == *name && attribute.name.ns == ns!())?;
        Some(&found.value)
    }

    /// The same by any name. It takes longer. The tree must have it: [`Attributes`].
    pub(crate) fn any_attribute(&self, name: &str) -> Option<&str> {
        let mut attributes = self.attributes.iter();
        let found = attributes.find(|attribute| attribute.name.ns.is_empty() && &*attribute.name.local == name)?;
        Some(&found.value)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Linked {
    parent: Option<NodeId>,
    previous: Option<NodeId>,
    next: Option<NodeId>,
    first: Option<NodeId>,
    last: Option<NodeId>,
    node: Node,
}

/// A tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tree {
    nodes: Vec<Linked>,
    /// The contents of templates. Most pages have none, so that many steps need no look at the nodes.
    fragments: Vec<NodeId>,
}

impl Tree {
    /// A document without content. The tree reserves memory for so many nodes.
    pub(super) fn with_capacity(nodes: usize) -> Self {
        let mut tree = Self {
            nodes: Vec::with_capacity(nodes.max(1)),
            fragments: Vec::new(),
        };
        tree.add(Node::Document);
        tree
    }

    pub(crate) fn root(&self) -> NodeRef<'_> {
        self.get(NodeId::ROOT)
    }

    pub(crate) fn get(&self, id: NodeId) -> NodeRef<'_> {
        NodeRef { tree: self, id }
    }

    /// All nodes in the order of their creation, which is the order of the source. Some may not hang from the root.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeRef<'_>> {
        let ids = (1..=self.nodes.len() as u32).filter_map(NonZeroU32::new);
        ids.map(|id| self.get(NodeId(id)))
    }

    /// The contents of templates in the order of the source.
    pub(super) fn fragments(&self) -> impl Iterator<Item = NodeRef<'_>> {
        self.fragments.iter().map(|id| self.get(*id))
    }

    /// Number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    fn at(&mut self, id: NodeId) -> &mut Linked {
        &mut self.nodes[id.index()]
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.at(id).node
    }

    /// Adds a node without a parent.
    pub(super) fn add(&mut self, node: Node) -> NodeId {
        let is_fragment = matches!(node, Node::Fragment);
        self.nodes.push(Linked {
            parent: None,
            previous: None,
            next: None,
            first: None,
            last: None,
            node,
        });
        let id = NonZeroU32::new(self.nodes.len() as u32);
        // The limits of a parse end it long before.
        let id = NodeId(id.unwrap_or(NonZeroU32::MAX));
        if is_fragment {
            self.fragments.push(id);
        }
        id
    }

    /// Takes a node from its parent.
    pub(super) fn detach(&mut self, id: NodeId) {
        let this = self.at(id);
        let (parent, previous, next) = (this.parent.take(), this.previous.take(), this.next.take());
        let Some(parent) = parent else { return };
        match previous {
            Some(previous) => self.at(previous).next = next,
            None => self.at(parent).first = next,
        }
        match next {
            Some(next) => self.at(next).previous = previous,
            None => self.at(parent).last = previous,
        }
    }

    /// Makes a node the last child of `parent`.
    pub(super) fn append(&mut self, parent: NodeId, id: NodeId) {
        if self.at(id).parent.is_some() {
            self.detach(id);
        }
        let last = self.at(parent).last.replace(id);
        match last {
            Some(last) => self.at(last).next = Some(id),
            None => self.at(parent).first = Some(id),
        }
        let this = self.at(id);
        (this.parent, this.previous) = (Some(parent), last);
    }

    /// Makes a node the sibling before `sibling`, which has a parent.
    pub(super) fn insert_before(&mut self, sibling: NodeId, id: NodeId) {
        self.detach(id);
        let next = self.at(sibling);
        let (parent, previous) = (next.parent, next.previous.replace(id));
        match (previous, parent) {
            (Some(previous), _) => self.at(previous).next = Some(id),
            (None, Some(parent)) => self.at(parent).first = Some(id),
            (None, None) => {}
        }
        let this = self.at(id);
        (this.parent, this.previous, this.next) = (parent, previous, Some(sibling));
    }
}

/// A walk over a part of a tree.
pub(crate) trait Visit<'t> {
    /// Enters a node. `false` if the walk skips what is below it; otherwise [`leave`](Self::leave) follows after its children.
    fn enter(&mut self, node: NodeRef<'t>) -> bool;

    /// Leaves a node that it has entered.
    fn leave(&mut self, node: NodeRef<'t>);
}

/// A node in its tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeRef<'t> {
    tree: &'t Tree,
    id: NodeId,
}

impl<'t> NodeRef<'t> {
    fn linked(self) -> &'t Linked {
        &self.tree.nodes[self.id.index()]
    }

    fn to(self, id: Option<NodeId>) -> Option<Self> {
        Some(self.tree.get(id?))
    }

    pub(crate) fn id(self) -> NodeId {
        self.id
    }

    pub(crate) fn value(self) -> &'t Node {
        &self.linked().node
    }

    pub(crate) fn parent(self) -> Option<Self> {
        self.to(self.linked().parent)
    }

    pub(crate) fn previous_sibling(self) -> Option<Self> {
        self.to(self.linked().previous)
    }

    pub(crate) fn next_sibling(self) -> Option<Self> {
        self.to(self.linked().next)
    }

    pub(crate) fn first_child(self) -> Option<Self> {
        self.to(self.linked().first)
    }

    pub(super) fn last_child(self) -> Option<Self> {
        self.to(self.linked().last)
    }

    /// The nodes above, from its parent to the root.
    pub(crate) fn ancestors(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), |node| node.parent())
    }

    pub(crate) fn children(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.first_child(), |node| node.next_sibling())
    }

    /// The node and the nodes below it, in the order of the document.
    pub(crate) fn descendants(self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self), move |node| node.following(self))
    }

    /// Visits the nodes below this one in the order of the document, without recursion, because trees may be deep.
    pub(crate) fn walk(self, visit: &mut impl Visit<'t>) {
        let mut next = self.first_child();
        while let Some(mut node) = next {
            let entered = visit.enter(node);
            next = node.first_child().filter(|_| entered);
            if entered && next.is_none() {
                visit.leave(node);
            }
            while next.is_none() {
                next = node.next_sibling();
                if next.is_none() {
                    match node.parent().filter(|parent| parent.id() != self.id()) {
                        Some(parent) => node = parent,
                        None => break,
                    }
                    visit.leave(node);
                }
            }
        }
    }

    /// The next node in the order of the document, within `root`.
    fn following(self, root: Self) -> Option<Self> {
        if let Some(child) = self.first_child() {
            return Some(child);
        }
        let mut node = self;
        while node.id != root.id {
            if let Some(next) = node.next_sibling() {
                return Some(next);
            }
            node = node.parent()?;
        }
        None
    }
}
