//! Formulas as LaTeX: MathML with its source, scripts, marked texts and images of MathJax, KaTeX, MediaWiki and WordPress.

use std::borrow::Cow;

use html5ever::local_name;

use super::super::scan::{Budget, Way, scan};
use super::classes;
use super::escape::Place;
use crate::parse::{Element, NodeRef};

/// Longest formula, in bytes. A longer one is written as its text.
const MAX_BYTES: usize = 16 * 1024;

/// Types of annotations that are LaTeX (MathML 3, section 5.1).
const LATEX: [&str; 4] = ["application/x-tex", "application/x-latex", "tex", "latex"];

/// The formula of a `<math>` with an annotation, or with an alternative text.
pub(super) fn of_math(math: NodeRef<'_>, element: &Element, budget: &mut Budget) -> Option<String> {
    let mut annotation = None;
    scan(math, budget, |node| {
        let is_latex = |element: &&Element| {
            let encoding = element.plain_attribute(&local_name!("encoding")).unwrap_or_default();
            &*element.name.local == "annotation" && LATEX.iter().any(|latex| latex.eq_ignore_ascii_case(encoding))
        };
        annotation = node.value().as_element().filter(is_latex).and(node.first_child());
        if annotation.is_some() { Way::End } else { Way::Into }
    });
    let annotation = annotation.and_then(|text| text.value().as_text());
    let latex = annotation.or_else(|| element.plain_attribute(&local_name!("alttext")))?;
    let is_block = |display: &str| display.eq_ignore_ascii_case("block");
    let is_display = element.plain_attribute(&local_name!("display")).is_some_and(is_block) || is_in_display(math);
    written(latex, is_display)
}

/// The formula of a script of MathJax 2 (`<script type="math/tex; mode=display">`).
pub(super) fn of_script(script: NodeRef<'_>, element: &Element) -> Option<String> {
    let kind = element
        .plain_attribute(&local_name!("type"))
        .filter(|kind| is_latex_script(element, kind))?;
    let latex = script.first_child()?.value().as_text()?;
    written(latex, kind.contains("display"))
}

fn is_latex_script(element: &Element, kind: &str) -> bool {
    let name = kind.split(';').next().unwrap_or_default().trim();
    &*element.name.local == "script" && name.eq_ignore_ascii_case("math/tex")
}

/// The formula of an image that stands for one: its description is LaTeX.
pub(super) fn of_image(element: &Element) -> Option<String> {
    let is_formula = |class: &str| class == "latex" || class.starts_with("mwe-math-fallback-image");
    let is_display = classes(element).any(|class| class == "mwe-math-fallback-image-display");
    let is_formula = classes(element).any(is_formula);
    is_formula
        .then(|| written(element.plain_attribute(&local_name!("alt"))?, is_display))
        .flatten()
}

/// Names of elements whose text is LaTeX between the marks that MathJax 3 reads: of Sphinx and Pandoc, of MkDocs,
/// of MathJax.
const DELIMITED: [&str; 3] = ["math", "arithmatex", "mathjax_process"];

/// The formula of an element whose only text is one between marks: `<span class="math">\(x\)</span>`.
pub(super) fn of_delimited(node: NodeRef<'_>, element: &Element) -> Option<String> {
    let first = node.first_child()?;
    // Nearly no text begins so, and one look tells it.
    let text = first.value().as_text()?.trim();
    let is_delimited = text.starts_with('\\') && first.next_sibling().is_none();
    if !is_delimited || !classes(element).any(|class| DELIMITED.contains(&class)) {
        return None;
    }
    let between = |before, behind| text.strip_prefix(before)?.strip_suffix(behind);
    let (latex, is_display) = match (between("\\(", "\\)"), between("\\[", "\\]")) {
        (Some(latex), _) => (latex, false),
        (None, Some(latex)) => (latex, true),
        (None, None) => return None,
    };
    let is_one = !["\\(", "\\)", "\\[", "\\]"].iter().any(|mark| latex.contains(mark));
    is_one.then(|| written(latex, is_display)).flatten()
}

/// Whether an element shows the formula of the script behind it.
pub(super) fn is_shown_twice(node: NodeRef<'_>, element: &Element) -> bool {
    let class = element.plain_attribute(&local_name!("class"));
    // Of most classes one look tells it.
    let may_be = class.is_some_and(|class| class.as_bytes().contains(&b'M'));
    if !may_be || !classes(element).any(|class| class.starts_with("MathJax")) {
        return false;
    }
    let behind = std::iter::successors(node.next_sibling(), |node| node.next_sibling());
    let mut elements = behind.take(MAX_BESIDE).filter_map(|node| node.value().as_element());
    elements.any(|next| {
        next.plain_attribute(&local_name!("type"))
            .is_some_and(|kind| is_latex_script(next, kind))
    })
}

/// Most nodes between what MathJax shows and its script.
const MAX_BESIDE: usize = 4;

/// Most elements between a formula and the element that makes a block of it.
const MAX_LEVELS: usize = 3;

/// Whether a formula of KaTeX is a block.
fn is_in_display(math: NodeRef<'_>) -> bool {
    let mut around = math
        .ancestors()
        .take(MAX_LEVELS)
        .filter_map(|node| node.value().as_element());
    around.any(|element| classes(element).any(|class| class == "katex-display"))
}

/// The formula between dollar signs; `None` if it is empty or too long.
///
/// A program that knows no formulas reads Markdown between the dollar signs. So a formula that would be more than text there is written as
/// GitHub does, with accents within the dollar signs.
fn written(latex: &str, is_display: bool) -> Option<String> {
    if latex.len() > MAX_BYTES {
        return None;
    }
    let latex = latex.split_whitespace().collect::<Vec<_>>().join(" ");
    let styled = latex
        .strip_prefix("{\\displaystyle ")
        .and_then(|rest| rest.strip_suffix('}'));
    let latex = styled.map_or(latex.as_str(), str::trim);
    if latex.is_empty() || latex.contains('`') {
        return None;
    }
    Some(match (is_inert(latex), is_display) {
        (true, false) => format!("${latex}$"),
        (true, true) => format!("$${latex}$$"),
        (false, _) => format!("$`{latex}`$"),
    })
}

/// Whether Markdown has no link and no HTML in a formula.
fn is_inert(latex: &str) -> bool {
    let has_tag = |at: usize| latex[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c));
    let has_tags = latex.match_indices('<').any(|(at, _)| has_tag(at));
    let has_link = ["](", "$", "://", "www.", "@"].iter().any(|part| latex.contains(part));
    !has_tags && !has_link && !latex.ends_with('\\')
}

/// A formula in its place: a bar would end a cell.
pub(super) fn in_place(formula: &str, place: Place) -> Cow<'_, str> {
    if place.is_cell() && formula.contains('|') {
        formula.replace("\\|", "\\Vert ").replace('|', "\\vert ").into()
    } else {
        formula.into()
    }
}
