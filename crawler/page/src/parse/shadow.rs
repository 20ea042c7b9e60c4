//! Declarative shadow roots: `<template shadowrootmode=open>` (WHATWG HTML, section 4.12.3; section 13.2.6.4.4, "a start tag whose tag name
//! is template").
//!
//! Browsers build them while they parse, without a script. They show the shadow tree in the place of the children of its host, and each
//! `<slot>` shows the children of the host that are assigned to it (DOM, section 4.2.2.3, "finding slots and slottables").

use html5ever::{local_name, ns};

use super::tree::{Element, Node, NodeId, NodeRef, Tree};
use crate::map::{Map, Set};

/// The tree as it is displayed, with the same ids; `None` if it has no shadow root, and is displayed as it is. Children of a host that no slot
/// shows do not hang from the root.
pub(crate) fn displayed(tree: &Tree) -> Option<Tree> {
    let roots = shadow_roots(tree);
    if roots.is_empty() {
        return None;
    }
    let mut displayed = tree.clone();
    // In the order of the source, so that a slot is filled before an inner host passes it on.
    for root in roots {
        attach(&mut displayed, root);
    }
    Some(displayed)
}

/// The shadow roots of a tree in the order of the source: the contents of the templates that declare them.
pub(crate) fn shadow_roots(tree: &Tree) -> Vec<NodeId> {
    let mut hosts = Set::default();
    let roots = tree.fragments().filter(|content| {
        let template = content.parent().filter(|template| declares_root(*template));
        let host = template.and_then(NodeRef::parent);
        // The first template of a host counts. The next one is ordinary.
        host.is_some_and(|host| host.value().as_element().is_some_and(may_be_host) && hosts.insert(host.id()))
    });
    roots.map(NodeRef::id).collect()
}

/// Whether a node is a template with a valid `shadowrootmode`.
fn declares_root(node: NodeRef<'_>) -> bool {
    let Some(element) = node.value().as_element() else {
        return false;
    };
    element.name.ns == ns!(html)
        && element.name.local == local_name!("template")
        && element
            .attribute(&local_name!("shadowrootmode"))
            .is_some_and(|mode| mode.eq_ignore_ascii_case("open") || mode.eq_ignore_ascii_case("closed"))
}

/// Whether a shadow root may be attached to such an element (DOM, "attach a shadow root").
fn may_be_host(element: &Element) -> bool {
    let name = &element.name.local;
    element.name.ns == ns!(html)
        && match *name {
            local_name!("article")
            | local_name!("aside")
            | local_name!("blockquote")
            | local_name!("body")
            | local_name!("div")
            | local_name!("footer")
            | local_name!("h1")
            | local_name!("h2")
            | local_name!("h3")
            | local_name!("h4")
            | local_name!("h5")
            | local_name!("h6")
            | local_name!("header")
            | local_name!("main")
            | local_name!("nav")
            | local_name!("p")
            | local_name!("section")
            | local_name!("span") => true,
            _ => is_custom(name),
        }
}

/// Whether a name is one of a custom element (WHATWG HTML, section 4.13.3). The parser has made its letters small.
fn is_custom(name: &str) -> bool {
    const TAKEN: [&str; 8] = [
        "annotation-xml",
        "color-profile",
        "font-face",
        "font-face-src",
        "font-face-uri",
        "font-face-format",
        "font-face-name",
        "missing-glyph",
    ];
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.contains('-') && !TAKEN.contains(&name)
}

/// Puts a shadow tree into the place of the children of its host, and these into the slots.
fn attach(tree: &mut Tree, root: NodeId) {
    let Some((template, host)) = tree
        .get(root)
        .parent()
        .and_then(|template| Some((template, template.parent()?.id())))
    else {
        return;
    };
    let template = template.id();
    let slots = slots(tree.get(root));
    let mut assigned: Map<NodeId, Vec<NodeId>> = Map::default();
    let mut children = Vec::new();
    for child in tree.get(host).children().filter(|child| child.id() != template) {
        children.push(child.id());
        let name = match child.value() {
            Node::Text(_) => "",
            Node::Element(element) => element.attribute(&local_name!("slot")).unwrap_or_default(),
            _ => continue,
        };
        if let Some(slot) = slots.get(name) {
            assigned.entry(*slot).or_default().push(child.id());
        }
    }
    let shadow: Vec<NodeId> = tree.get(root).children().map(NodeRef::id).collect();
    tree.detach(template);
    children.into_iter().for_each(|child| tree.detach(child));
    shadow.into_iter().for_each(|node| tree.append(host, node));
    for (slot, nodes) in assigned {
        let instead: Vec<NodeId> = tree.get(slot).children().map(NodeRef::id).collect();
        instead.into_iter().for_each(|node| tree.detach(node));
        nodes.into_iter().for_each(|node| tree.append(slot, node));
    }
}

/// The slots of a shadow tree by their names, the first of each name. The slots of inner shadow trees are theirs.
fn slots(root: NodeRef<'_>) -> Map<String, NodeId> {
    let mut slots = Map::default();
    let mut next = root.first_child();
    while let Some(node) = next {
        let element = node.value().as_element();
        if let Some(slot) = element.filter(|element| element.name.local == local_name!("slot")) {
            let name = slot.attribute(&local_name!("name")).unwrap_or_default();
            slots.entry(name.to_owned()).or_insert(node.id());
        }
        let inside = node.first_child().filter(|_| !matches!(node.value(), Node::Fragment));
        next = inside.or_else(|| {
            let up = std::iter::successors(Some(node), |node| node.parent());
            let mut up = up.take_while(|above| above.id() != root.id());
            up.find_map(NodeRef::next_sibling)
        });
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::super::{Attributes, parse};
    use super::*;

    /// The text of the tree as it is displayed, with the names of its elements.
    fn shown(html: &str) -> String {
        let tree = parse(html, Attributes::Read).html;
        let tree = displayed(&tree).unwrap_or(tree);
        let body = tree.root().descendants().find(|node| {
            let element = node.value().as_element();
            element.is_some_and(|element| element.name.local == local_name!("body"))
        });
        written(body.unwrap())
    }

    fn written(node: NodeRef<'_>) -> String {
        let inside = || node.children().map(written).collect::<String>();
        match node.value() {
            Node::Text(text) => text.to_string(),
            Node::Element(element) if element.name.local == local_name!("slot") => inside(),
            Node::Element(element) if element.name.local == local_name!("template") => "{}".to_owned(),
            Node::Element(element) => format!("{}({})", element.name.local, inside()),
            _ => inside(),
        }
    }

    #[test]
    fn shadow_trees_are_displayed_as_browsers_do() {
        for (html, expected) in [
            (
                "<x-a><template shadowrootmode=open><p>s</template></x-a>",
                "body(x-a(p(s)))",
            ),
            (
                "<div><template shadowrootmode=CLOSED><p>s</template></div>",
                "body(div(p(s)))",
            ),
            // Without a slot, what is in the host is not shown.
            (
                "<x-a>a<template shadowrootmode=open>s</template>b</x-a>",
                "body(x-a(s))",
            ),
            // Slots, in the order of the shadow tree.
            (
                "<x-a><template shadowrootmode=open><i><slot></slot></i><b><slot name=n>none</slot></b></template>\
                 <u slot=n>1</u>t<s>2</s><u slot=n>3</u><u slot=other>4</u></x-a>",
                "body(x-a(i(ts(2))b(u(1)u(3))))",
            ),
            (
                "<x-a><template shadowrootmode=open><slot name=n>none</slot><slot name=n>second</slot></template><u slot=n>1</u></x-a>",
                "body(x-a(u(1)second))",
            ),
            (
                "<x-a><template shadowrootmode=open><slot>none</slot></template></x-a>",
                "body(x-a(none))",
            ),
            // Nested: in a shadow tree, and a slot that is passed on.
            (
                "<x-a><template shadowrootmode=open><x-b><template shadowrootmode=open>[<slot></slot>]</template><slot></slot></x-b></template>t</x-a>",
                "body(x-a(x-b([t])))",
            ),
            (
                "<x-a><template shadowrootmode=open><slot></slot></template><x-b><template shadowrootmode=open>s</template></x-b></x-a>",
                "body(x-a(x-b(s)))",
            ),
            // The first one counts, wherever it stands.
            (
                "<div>t<template shadowrootmode=open>1</template><template shadowrootmode=open>2</template></div>",
                "body(div(1))",
            ),
            (
                "<div><template shadowrootmode=x>1</template><template shadowrootmode=open>2</template></div>",
                "body(div(2))",
            ),
            // Ordinary templates.
            ("<div>t<template>s</template></div>", "body(div(t{}))"),
            ("<div>t<template shadowrootmode>s</template></div>", "body(div(t{}))"),
            (
                "<div>t<template shadowrootmode=' open'>s</template></div>",
                "body(div(t{}))",
            ),
            (
                "<ul><li>t<template shadowrootmode=open>s</template></ul>",
                "body(ul(li(t{})))",
            ),
            (
                "<annotation-xml>t<template shadowrootmode=open>s</template></annotation-xml>",
                "body(annotation-xml(t{}))",
            ),
            (
                "<div><template>s<x-a><template shadowrootmode=open>i</template></x-a></template>t</div>",
                "body(div({}t))",
            ),
        ] {
            assert_eq!(shown(html), expected, "{html}");
        }
    }

    #[test]
    fn a_page_of_nested_shadow_trees_is_displayed_in_linear_time() {
        let depth = 100;
        let html = format!(
            "{}end{}",
            "<x-a><template shadowrootmode=open><slot></slot></template>".repeat(depth),
            "</x-a>".repeat(depth)
        );
        assert!(shown(&html).contains("end"));
        let wide = "<x-a><template shadowrootmode=open><slot></slot></template>t</x-a>".repeat(20_000);
        assert_eq!(shown(&wide).matches('t').count(), 20_000);
        let first = "<template shadowrootmode=open>s</template>".repeat(5_000);
        assert_eq!(shown(&format!("<div>{first}</div>")), "body(div(s))");
    }
}
