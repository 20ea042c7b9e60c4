//! Counters in front of the tree builder, [`TokenCount`], and behind it, [`CountingSink`].
//!
//! ```text
//! Tokenizer ─▶ TokenCount ─▶ TreeBuilder ─▶ CountingSink ─▶ Tree
//!               tokens,                      depth, looks at
//!               attributes                   open elements
//! ```
//!
//! The tree builder needs more than constant time only where it asks its sink about open elements (scopes, the adoption agency,
//! reconstruction of formatting elements) or compares the attributes of a token. The counters cover both.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeBuilder, TreeSink};
use html5ever::{Attribute, QualName, expanded_name, local_name, ns};

use super::limits::{self, ParseLimits};
use super::tree::{Element, Node, NodeId, NodeRef, Tree};
use super::{MAX_ATTRIBUTES, MAX_DEPTH, Truncation};

type Builder = TreeBuilder<NodeId, CountingSink>;

/// Passes tokens on to the tree builder and counts them.
pub(super) struct TokenCount {
    builder: Builder,
    tokens: Cell<u64>,
    /// Whether the last token ends with `>` and leaves the tokenizer in its data state.
    ended_in_data: Cell<bool>,
    too_many_attributes: Cell<bool>,
}

impl TokenCount {
    pub(super) fn new(builder: Builder) -> Self {
        Self {
            builder,
            tokens: Cell::new(0),
            ended_in_data: Cell::new(true),
            too_many_attributes: Cell::new(false),
        }
    }

    /// Counts attributes that are in the source and not in the tokens.
    pub(super) fn count_left_out(&self, attributes: usize) {
        self.builder.sink.count_attributes(attributes);
    }

    /// The number of tokens so far. It is constant while the tokenizer is inside a long tag or comment.
    pub(super) fn tokens(&self) -> u64 {
        self.tokens.get()
    }

    /// Whether the last token was a whole tag, comment or doctype, after which the tokenizer is in its data state.
    pub(super) fn ended_in_data(&self) -> bool {
        self.ended_in_data.get()
    }

    /// The limit that the page has passed, if any.
    pub(super) fn truncation(&self, limits: ParseLimits) -> Option<Truncation> {
        let too_many = self.too_many_attributes.get().then_some(Truncation::TooManyAttributes);
        too_many.or_else(|| self.builder.sink.truncation(limits))
    }

    pub(super) fn into_builder(self) -> Builder {
        self.builder
    }

    /// Counts the comparisons of attributes: the tokenizer compares each with the previous ones, and the tree builder compares
    /// those of a formatting element with those of the open formatting elements.
    fn count_attributes(&self, tag: &mut Tag) {
        if tag.attrs.len() > MAX_ATTRIBUTES {
            self.too_many_attributes.set(true);
            tag.attrs.truncate(MAX_ATTRIBUTES);
        }
        let (attributes, depth) = (tag.attrs.len() as u64, self.builder.sink.depth.get().1 as u64);
        self.builder.sink.count(attributes * (attributes / 2 + depth));
    }
}

impl TokenSink for TokenCount {
    type Handle = NodeId;

    fn process_token(&self, mut token: Token, line: u64) -> TokenSinkResult<NodeId> {
        match &mut token {
            // The tokenizer reports errors before the end of a tag.
            Token::ParseError(_) => return TokenSinkResult::Continue,
            Token::TagToken(tag) => self.count_attributes(tag),
            _ => {}
        }
        self.tokens.set(self.tokens.get() + 1);
        let ends = matches!(
            token,
            Token::TagToken(_) | Token::CommentToken(_) | Token::DoctypeToken(_)
        );
        let answer = self.builder.process_token(token, line);
        let raw = matches!(answer, TokenSinkResult::RawData(_) | TokenSinkResult::Plaintext);
        self.ended_in_data.set(ends && !raw);
        answer
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Builds the tree and counts the work.
pub(super) struct CountingSink {
    tree: RefCell<Tree>,
    /// Steps so far; see [`super::STEPS_PER_BYTE`].
    steps: Cell<u64>,
    /// The last appended node, its depth and its parent. Most nodes are its children or siblings.
    depth: Cell<(NodeId, usize, Option<NodeId>)>,
    max_depth: Cell<usize>,
    /// Number of attributes of all elements, in the source.
    attributes: Cell<usize>,
}

impl CountingSink {
    /// A sink whose tree reserves memory for this many nodes. The system provides only the memory that nodes are written to.
    pub(super) fn with_capacity(nodes: usize) -> Self {
        let tree = Tree::with_capacity(nodes);
        let root = tree.root().id();
        Self {
            tree: RefCell::new(tree),
            steps: Cell::new(0),
            depth: Cell::new((root, 0, None)),
            max_depth: Cell::new(0),
            attributes: Cell::new(0),
        }
    }

    /// Approximate memory of the tree without its texts, which are as long as the page.
    fn tree_bytes(&self) -> usize {
        self.tree.borrow().len() * limits::NODE_BYTES + self.attributes.get() * limits::ATTRIBUTE_BYTES
    }

    /// The limit that the tree or the work has passed, if any.
    pub(super) fn truncation(&self, limits: ParseLimits) -> Option<Truncation> {
        if self.max_depth.get() > MAX_DEPTH {
            Some(Truncation::TooDeep)
        } else if self.tree_bytes() > limits.tree_bytes {
            Some(Truncation::TooLarge)
        } else {
            (self.steps.get() > limits.steps).then_some(Truncation::TooMuchWork)
        }
    }

    pub(super) fn count(&self, steps: u64) {
        self.steps.set(self.steps.get().saturating_add(steps));
    }

    pub(super) fn count_attributes(&self, attributes: usize) {
        self.count(attributes as u64);
        self.attributes.set(self.attributes.get() + attributes);
    }

    /// Records the depth of `node`, which has just got a parent.
    fn note_depth(&self, tree: &Tree, node: NodeId) {
        let (last, last_depth, last_parent) = self.depth.get();
        let parent = tree.get(node).parent();
        let depth = match parent {
            Some(parent) if parent.id() == last => last_depth + 1,
            Some(parent) if Some(parent.id()) == last_parent => {
                self.count(last_depth as u64);
                last_depth
            }
            Some(parent) => {
                let depth = parent.ancestors().count() + 1;
                self.count(depth as u64);
                depth
            }
            None => 0,
        };
        self.depth.set((node, depth, parent.map(NodeRef::id)));
        self.max_depth.set(self.max_depth.get().max(depth));
    }
}

impl TreeSink for CountingSink {
    type Output = Tree;
    type Handle = NodeId;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Tree {
        self.tree.into_inner()
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn get_document(&self) -> NodeId {
        self.tree.borrow().root().id()
    }

    fn same_node(&self, x: &NodeId, y: &NodeId) -> bool {
        self.count(1);
        x == y
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Ref<'a, QualName> {
        self.count(1);
        Ref::map(self.tree.borrow(), |tree| match tree.get(*target).value() {
            Node::Element(element) => &element.name,
            // The tree builder asks only for the names of elements.
            _ => no_name(),
        })
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, _flags: ElementFlags) -> NodeId {
        self.count(1);
        self.count_attributes(attributes.len());
        let is_template = name.expanded() == expanded_name!(html "template");
        let mut tree = self.tree.borrow_mut();
        let element = tree.add(Node::Element(Element::new(name, attributes)));
        if is_template {
            let content = tree.add(Node::Fragment);
            tree.append(element, content);
        }
        element
    }

    fn create_comment(&self, _text: StrTendril) -> NodeId {
        self.tree.borrow_mut().add(Node::Other)
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> NodeId {
        self.tree.borrow_mut().add(Node::Other)
    }

    fn append_doctype_to_document(&self, _name: StrTendril, _public: StrTendril, _system: StrTendril) {
        let mut tree = self.tree.borrow_mut();
        let root = tree.root().id();
        let node = tree.add(Node::Other);
        tree.append(root, node);
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        let mut tree = self.tree.borrow_mut();
        match child {
            NodeOrText::AppendNode(node) => {
                tree.append(*parent, node);
                self.note_depth(&tree, node);
            }
            NodeOrText::AppendText(text) => {
                let last = tree.get(*parent).last_child().map(|last| last.id());
                if let Some(text) = joined(&mut tree, last, text) {
                    let text = tree.add(Node::Text(text));
                    tree.append(*parent, text);
                }
            }
        }
    }

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        let mut tree = self.tree.borrow_mut();
        match child {
            NodeOrText::AppendNode(node) => {
                tree.detach(node);
                if tree.get(*sibling).parent().is_some() {
                    tree.insert_before(*sibling, node);
                }
                self.note_depth(&tree, node);
            }
            NodeOrText::AppendText(text) => {
                if tree.get(*sibling).parent().is_none() {
                    return;
                }
                let previous = tree.get(*sibling).previous_sibling().map(|previous| previous.id());
                if let Some(text) = joined(&mut tree, previous, text) {
                    let text = tree.add(Node::Text(text));
                    tree.insert_before(*sibling, text);
                }
            }
        }
    }

    fn append_based_on_parent_node(&self, element: &NodeId, previous: &NodeId, child: NodeOrText<NodeId>) {
        let has_parent = self.tree.borrow().get(*element).parent().is_some();
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.tree.borrow_mut().detach(*target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        let mut tree = self.tree.borrow_mut();
        while let Some(child) = tree.get(*node).first_child().map(|child| child.id()) {
            self.count(1);
            tree.append(*new_parent, child);
        }
    }

    /// Each further `<html>` or `<body>` tag adds its attributes to the first, by insertion into a sorted list.
    fn add_attrs_if_missing(&self, target: &NodeId, attributes: Vec<Attribute>) {
        let mut tree = self.tree.borrow_mut();
        let Node::Element(element) = tree.node_mut(*target) else {
            return;
        };
        let has = element.attributes.len();
        self.count((has * attributes.len()) as u64);
        if has + attributes.len() <= MAX_ATTRIBUTES {
            element.add_missing(attributes);
        }
    }

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        let content = self
            .tree
            .borrow()
            .get(*target)
            .first_child()
            .map(|content| content.id());
        content.unwrap_or(*target)
    }
}

/// Appends `text` to the node if it is a text; otherwise returns it.
fn joined(tree: &mut Tree, node: Option<NodeId>, text: StrTendril) -> Option<StrTendril> {
    match node.map(|node| tree.node_mut(node)) {
        Some(Node::Text(before)) => {
            before.push_tendril(&text);
            None
        }
        _ => Some(text),
    }
}

fn no_name() -> &'static QualName {
    const NONE: &QualName = &QualName {
        prefix: None,
        ns: ns!(),
        local: local_name!(""),
    };
    NONE
}
