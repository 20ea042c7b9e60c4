//! Counters in front of the tree builder, [`TokenCount`], and behind it, [`CountingSink`].
//!
//! ```text
//! Tokenizer ─▶ TokenCount ─▶ TreeBuilder ─▶ CountingSink ─▶ scraper's HtmlTreeSink
//!               tokens,                      depth, looks at
//!               attributes                   open elements
//! ```
//!
//! The tree builder needs more than constant time only where it asks its sink about open elements (scopes, the adoption agency,
//! reconstruction of formatting elements) or compares the attributes of a token. The counters cover both.

use std::borrow::Cow;
use std::cell::{Cell, Ref};

use ego_tree::NodeId;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeBuilder, TreeSink};
use html5ever::{Attribute, QualName};
use scraper::{Html, HtmlTreeSink, Node};

use super::limits::{self, ParseLimits};
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
        let sink = &self.builder.sink;
        if sink.max_depth.get() > MAX_DEPTH {
            Some(Truncation::TooDeep)
        } else if self.too_many_attributes.get() {
            Some(Truncation::TooManyAttributes)
        } else if sink.tree_bytes() > limits.tree_bytes {
            Some(Truncation::TooLarge)
        } else {
            (sink.steps.get() > limits.steps).then_some(Truncation::TooMuchWork)
        }
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

/// Builds scraper's tree and counts the work.
pub(super) struct CountingSink {
    inner: HtmlTreeSink,
    /// Steps so far; see [`super::STEPS_PER_BYTE`].
    steps: Cell<u64>,
    /// The last appended element and its depth. Most elements are its children or siblings.
    depth: Cell<(NodeId, usize)>,
    max_depth: Cell<usize>,
    /// Number of attributes of all elements.
    attributes: Cell<usize>,
}

impl CountingSink {
    /// A sink whose tree reserves memory for this many nodes. The system provides only the memory that nodes are written to.
    pub(super) fn with_capacity(nodes: usize) -> Self {
        let mut html = Html::new_document();
        html.tree = ego_tree::Tree::with_capacity(Node::Document, nodes);
        let inner = HtmlTreeSink::new(html);
        let root = inner.get_document();
        Self {
            inner,
            steps: Cell::new(0),
            depth: Cell::new((root, 0)),
            max_depth: Cell::new(0),
            attributes: Cell::new(0),
        }
    }

    /// Approximate memory of the tree without its texts, which are as long as the page.
    fn tree_bytes(&self) -> usize {
        let nodes = self.inner.0.borrow().tree.values().len();
        nodes * limits::NODE_BYTES + self.attributes.get() * limits::ATTRIBUTE_BYTES
    }

    fn count(&self, steps: u64) {
        self.steps.set(self.steps.get().saturating_add(steps));
    }

    /// Records the depth of `node`, which has just got a parent.
    fn note_depth(&self, node: NodeId) {
        let html = self.inner.0.borrow();
        let (last, last_depth) = self.depth.get();
        let parent = html.tree.get(node).and_then(|node| node.parent());
        let depth = match parent {
            Some(parent) if parent.id() == last => last_depth + 1,
            Some(parent) => {
                let depth = parent.ancestors().count() + 1;
                self.count(depth as u64);
                depth
            }
            None => 0,
        };
        self.depth.set((node, depth));
        self.max_depth.set(self.max_depth.get().max(depth));
    }
}

impl TreeSink for CountingSink {
    type Output = Html;
    type Handle = NodeId;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Html {
        self.inner.finish()
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.inner.set_quirks_mode(mode);
    }

    fn get_document(&self) -> NodeId {
        self.inner.get_document()
    }

    fn same_node(&self, x: &NodeId, y: &NodeId) -> bool {
        self.count(1);
        x == y
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Ref<'a, QualName> {
        self.count(1);
        self.inner.elem_name(target)
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> NodeId {
        self.count(1 + attrs.len() as u64);
        self.attributes.set(self.attributes.get() + attrs.len());
        self.inner.create_element(name, attrs, flags)
    }

    fn create_comment(&self, text: StrTendril) -> NodeId {
        self.inner.create_comment(text)
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> NodeId {
        self.inner.create_pi(target, data)
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        self.inner.append_doctype_to_document(name, public, system);
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        let node = appended(&child);
        self.inner.append(parent, child);
        node.into_iter().for_each(|node| self.note_depth(node));
    }

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        let node = appended(&child);
        self.inner.append_before_sibling(sibling, child);
        node.into_iter().for_each(|node| self.note_depth(node));
    }

    fn append_based_on_parent_node(&self, element: &NodeId, previous: &NodeId, child: NodeOrText<NodeId>) {
        let node = appended(&child);
        self.inner.append_based_on_parent_node(element, previous, child);
        node.into_iter().for_each(|node| self.note_depth(node));
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.inner.remove_from_parent(target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        let children = self
            .inner
            .0
            .borrow()
            .tree
            .get(*node)
            .map_or(0, |node| node.children().count());
        self.count(children as u64);
        self.inner.reparent_children(node, new_parent);
    }

    /// Each further `<html>` or `<body>` tag adds its attributes to the first, by insertion into a sorted list.
    fn add_attrs_if_missing(&self, target: &NodeId, attrs: Vec<Attribute>) {
        let has = match self.inner.0.borrow().tree.get(*target).map(|node| node.value()) {
            Some(Node::Element(element)) => element.attrs.len(),
            _ => 0,
        };
        self.count((has * attrs.len()) as u64);
        if has + attrs.len() <= MAX_ATTRIBUTES {
            self.inner.add_attrs_if_missing(target, attrs);
        }
    }

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        self.inner.get_template_contents(target)
    }
}

fn appended(child: &NodeOrText<NodeId>) -> Option<NodeId> {
    match child {
        NodeOrText::AppendNode(node) => Some(*node),
        NodeOrText::AppendText(_) => None,
    }
}
