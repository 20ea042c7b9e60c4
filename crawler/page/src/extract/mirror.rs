//! A tree in the form in which the library of selectors reads it.

use std::collections::{HashMap, HashSet};

use html5ever::tendril::StrTendril;
use scraper::node::{Comment, Element, Text};
use scraper::{Html, Node};

use super::selectors::ExtractRule;
use crate::parse::{self, NodeId, Tree};

/// The elements of a tree that a rule is about.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    /// The elements of the content, outermost only, in document order; none within dropped ones.
    pub content: Vec<NodeId>,
    /// The dropped elements, outermost only.
    pub dropped: HashSet<NodeId>,
}

/// Applies a rule to a tree that has all attributes.
pub(super) fn choose(rule: &ExtractRule, tree: &Tree) -> Chosen {
    let (html, ids) = mirror(tree);
    let choice = rule.choose(&html);
    let originals = |id: &ego_tree::NodeId| ids.get(id).copied();
    Chosen {
        content: choice.content.iter().filter_map(originals).collect(),
        dropped: choice.dropped.iter().filter_map(originals).collect(),
    }
}

/// A copy of a tree, and the originals of its nodes.
fn mirror(tree: &Tree) -> (Html, HashMap<ego_tree::NodeId, NodeId>) {
    let mut html = Html::new_document();
    let mut copies = vec![html.tree.root().id()];
    for node in tree.nodes().skip(1) {
        copies.push(html.tree.orphan(copy(node.value())).id());
    }
    for parent in tree.nodes() {
        let Some(mut copied) = html.tree.get_mut(copies[parent.id().index()]) else {
            continue;
        };
        for child in parent.children() {
            copied.append_id(copies[child.id().index()]);
        }
    }
    let originals = tree.nodes().map(|node| (copies[node.id().index()], node.id()));
    let originals = originals.collect();
    (html, originals)
}

fn copy(node: &parse::Node) -> Node {
    match node {
        parse::Node::Document => Node::Document,
        parse::Node::Fragment => Node::Fragment,
        parse::Node::Text(text) => Node::Text(Text { text: text.clone() }),
        parse::Node::Element(element) => Node::Element(Element::new(element.name.clone(), element.attributes.clone())),
        parse::Node::Other => Node::Comment(Comment {
            comment: StrTendril::new(),
        }),
    }
}
