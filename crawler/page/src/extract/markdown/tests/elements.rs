use super::*;

#[test]
fn headings_have_their_levels_and_no_handles() {
    assert_all(&[
        (
            "<h1>One</h1><p>text<h2>Two <b>b</b></h2><h6>Six</h6>",
            "# One\n\ntext\n\n## Two **b**\n\n###### Six",
        ),
        ("<h2 id=a>Title<a class=headerlink href=#a>¶</a></h2>", "## Title"),
        ("<h2 id=a><a class=header href=#a>Title</a></h2>", "## Title"),
        ("<h2><a href=/p>Title</a></h2>", "## [Title](https://example.org/p)"),
        ("<h2><div>two</div><div>boxes</div></h2>", "## two boxes"),
        ("<h2>a<br>b</h2>", "## a b"),
        (
            "<h2>C #</h2><h2>C#</h2><h2>#</h2><h2>1. one</h2>",
            "## C \\#\n\n## C#\n\n## \\#\n\n## 1. one",
        ),
        ("<div role=heading aria-level=3>Title</div>", "### Title"),
        ("<h2> </h2><p>text", "text"),
        (
            "<a href=/p><h2>Title</h2><p>text</p></a>",
            "## [Title](https://example.org/p)\n\n[text](https://example.org/p)",
        ),
    ]);
}

#[test]
fn lists_are_nested_and_numbered() {
    assert_all(&[
        (
            "<p>Text<ul><li>a<li>b<ul><li>c</ul><li>d</ul><p>end",
            "Text\n\n- a\n- b\n  - c\n- d\n\nend",
        ),
        ("<ol start=9><li>a<li>b<p>second</ol>", "9. a\n10. b\n\n    second"),
        ("<ol><li>a<li value=7>b<li>c</ol>", "1. a\n7. b\n8. c"),
        (
            "<ol start=-3><li>a</ol><p>b<ol start=9999999999><li>c</ol>",
            "1. a\n\nb\n\n1. c",
        ),
        // A list with another number cannot begin directly under text.
        ("<ul><li>a<ol start=3><li>b</ol></ul>", "- a\n\n  3. b"),
        // Several blocks.
        (
            "<ul><li><p>a<p>b<pre>x\n  y</pre><li>c</ul>",
            "- a\n\n  b\n\n  ```\n  x\n    y\n  ```\n\n- c",
        ),
        // Two lists are two lists.
        (
            "<ul><li>a</ul><ul><li>b</ul><ol><li>c</ol><ol><li>d</ol>",
            "- a\n\n+ b\n\n1. c\n\n1) d",
        ),
        // A list directly in a list belongs to the item before it.
        ("<ul><li>a</li><ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c"),
        ("<ul><li><ul><li>a</ul></ul>", "- - a"),
        ("<ul><li> <li><img src=x></ul><p>text", "text"),
        ("<ul><li><h3>Title</h3><p>text</ul>", "- ### Title\n\n  text"),
        ("<li>stray<li>items", "- stray\n\n+ items"),
    ]);
}

#[test]
fn a_term_stands_with_its_definition_if_this_is_text() {
    assert_all(&[
        (
            "<dl><dt>Term<dd>One<dd><ul><li>Two</ul></dl>",
            "**Term**\\\nOne\n\n- Two",
        ),
        // Javadoc, with the names of the parameters in one definition each.
        (
            "<dl><dt><span>Parameters:</span></dt><dd><code>a</code> - one</dd><dd><code>b</code> - two</dd><dt>Since:</dt><dd>1.4</dd></dl>",
            "**Parameters:**\\\n`a` - one\n\n`b` - two\n\n**Since:**\\\n1.4",
        ),
        // docutils: several terms, and a list within an item.
        (
            "<ul><li><dl class=docutils><dt>a</dt>\n<dt>b</dt>\n<dd>text<p>more</p></dd></dl></li></ul>",
            "- **a\\\n  b**\\\n  text\n\n  more",
        ),
        (
            "<dl><div><dt>a</dt><!-- --><dd># b</dd></div><div><dt>c</dt><dd>d</dd></div></dl>",
            "**a**\\\n\\# b\n\n**c**\\\nd",
        ),
        // Lists whose definitions have paragraphs, one of them or all: options, glossaries.
        (
            "<dl><dt id=o><code>-v</code></dt><dt><code>--verbose</code></dt>\n<dd class=desc><p>One</p>\n<p>two</p></dd>\n<dt>b</dt>\n<dd>three</dd></dl>",
            "**`-v`\\\n`--verbose`**\\\nOne\n\ntwo\n\n**b**\\\nthree",
        ),
        (
            "<dl><div><dt>a</dt><dd><p>b</p></dd></div><div><dt>c</dt><dd><p>d</p></dd></div></dl>",
            "**a**\\\nb\n\n**c**\\\nd",
        ),
        // What is not text, or does not belong to the term. A single term is a part of an interface.
        ("<dl><dt>a</dt><dd><p>b</p></dd></dl>", "**a**\n\nb"),
        (
            "<dl><dt>a</dt><dd></dd><dt>b</dt><dd>c</dd></dl>d",
            "**a**\n\n**b**\\\nc\n\nd",
        ),
        ("<dl><dt>a</dt><dd><pre>b</pre></dd></dl>", "**a**\n\n```\nb\n```"),
        ("<dl><dt>a</dt><dd><span hidden>b</span></dd></dl><p>c", "**a**\n\nc"),
        ("<dl><dt>a</dt><dd><img src=i></dd></dl><h2>c</h2>", "**a**\n\n## c"),
        ("<dl><dt>a</dt><dd>b<h3>c</h3>d</dd></dl>", "**a**\\\nb\n\n### c\n\nd"),
    ]);
}

#[test]
fn texts_off_the_line_are_told_from_the_words_beside_them() {
    assert_all(&[
        (
            "<p>2<sup>8</sup> H<sub>2</sub>O 1<sup>st</sup> M<sup>me</sup>",
            "2⁸ H₂O 1st Mme",
        ),
        // The grammar of rustc's book.
        (
            "<p><em>U</em><sub>opt</sub> <i>digit</i><sub>max 2</sub>",
            "*U*\\_(opt) *digit*\\_(max 2)",
        ),
        ("<p>10<sup>n−1</sup> x<sup><i>2n</i></sup>", "10^(n−1) x^(*2n*)"),
        // Notes: mdBook, Wikipedia, a link around the number.
        (
            "<p>types<sup class=footnote-reference><a href=#n>1</a></sup>.",
            "types^([1](https://example.org/a/b#n)).",
        ),
        (
            "<p>note<sup><a href=#n>[1]</a></sup>",
            "note[\\[1\\]](https://example.org/a/b#n)",
        ),
        (
            "<p>note<a href=#n><sup>1</sup></a>",
            "note[¹](https://example.org/a/b#n)",
        ),
        (
            "<p>a<sup><a href=#n>1</a>, <a href=#m>2</a></sup>",
            "a^([1](https://example.org/a/b#n), [2](https://example.org/a/b#m))",
        ),
        (
            "<h2>Title <sup>v1.2</sup></h2><table><tr><th>a<sub>i</sub><th>b<tr><td>1<td>2</table>",
            "## Title ^(v1.2)\n\n| a\\_(i) | b |\n| --- | --- |\n| 1 | 2 |",
        ),
        ("<p>a<sub>b<div>c</div></sub>d", "a\\_(b)\n\nc\n\nd"),
    ]);
}

#[test]
fn quotes_summaries_and_terms_are_blocks() {
    assert_all(&[
        (
            "<blockquote><p>a<p>b<ul><li>c</ul></blockquote>d",
            "> a\n>\n> b\n>\n> - c\n\nd",
        ),
        ("<blockquote>a<blockquote>b</blockquote></blockquote>", "> a\n>\n> > b"),
        ("<blockquote>a</blockquote><blockquote>b</blockquote>", "> a\n\n> b"),
        ("<ul><li><blockquote>a</blockquote>b</ul>", "- > a\n\n  b"),
        (
            "<dl><dt><em>class</em> <code>A</code>(<em>b</em>)<dd><p>x</dl>",
            "**class `A`(b)**\n\nx",
        ),
        (
            "<details open><summary>More</summary><p>text</details>",
            "**More**\n\ntext",
        ),
        (
            "<details open><summary>See <h3>Title</h3></summary>text</details>",
            "**See**\n\n### Title\n\ntext",
        ),
        ("<p>a<hr><p>b", "a\n\n***\n\nb"),
        ("<hr><p>a<hr>", "a"),
    ]);
}

#[test]
fn code_keeps_its_white_space_and_has_its_language() {
    let python = |html: &str| assert_eq!(shown(html), "```python\nif a:\n\n    b  =\tc\n```\n", "{html}");
    let code = "if a:\n\n    b  =\tc\n";
    for before in [
        "<pre><code class='language-python'>",
        "<pre class='brush: python; gutter: true'><code>",
        "<pre><code class='hljs python'>",
        "<pre><code class='lang-python hljs'>",
        "<div class=highlight-python><div class=highlight><pre><span></span>",
        "<div class='highlight highlight-source-python'><pre>",
        "<pre class='sourceCode python'><code>",
        "<div class=sourceCode><pre class='sourceCode Python'>",
        "<pre><code data-lang=python>",
        "<figure data-language=python><pre data-language=python>",
        "<pre class='prettyprint lang-python'>",
        "<pre class='src src-python'>",
    ] {
        python(&format!("{before}{code}"));
    }
    assert_all(&[
        ("<pre>a ``` b</pre>", "````\na ``` b\n````"),
        ("<pre>\n\n  a\n\n</pre>", "```\n  a\n```"),
        ("<pre>a<br>b<button>Copy</button></pre>", "```\na\nb\n```"),
        (
            "<pre><div class=line>a</div><div class=line>  b</div></pre>",
            "```\na\n  b\n```",
        ),
        ("<pre>*a* <b>b</b> &lt;c&gt; [d](e)</pre>", "```\n*a* b <c> [d](e)\n```"),
        ("<pre> </pre><p>text", "text"),
        (
            "<blockquote><pre>a\n\nb</pre></blockquote>",
            "> ```\n> a\n>\n> b\n> ```",
        ),
        // A carriage return would begin a line outside of the quote.
        (
            "<blockquote><pre>a&#13;# b</pre></blockquote>",
            "> ```\n> a\n> # b\n> ```",
        ),
        ("<div class=highlight-default><pre>a</pre></div>", "```\na\n```"),
        // MkDocs: the name of the file is the header of a table.
        (
            "<div class='language-python highlight'><table class=highlighttable><tr><th colspan=2 class=filename>b.py</th></tr><tr><td class=linenos>\
             <div class=linenodiv><pre><span>1</span>\n<span>2</span></pre></div></td><td class=code><div><pre><span></span><code><span>if a:\n</span>\
             <span>    b\n</span></code></pre></div></td></tr></table></div>",
            "b.py\n\n```python\nif a:\n    b\n```",
        ),
        ("<body class=lang-en><pre>a</pre>", "```\na\n```"),
    ]);
}

#[test]
fn the_numbers_of_the_lines_of_a_code_are_left_out() {
    for html in [
        "<table class=highlighttable><tr><td class=linenos><div class=linenodiv><pre>1\n2</pre></div></td>\
         <td class=code><div class=highlight><pre>a\n b</pre></div></td></tr></table>",
        "<pre><span class=lineno>1</span>a\n<span class=lineno>2</span> b</pre>",
        "<div class=highlight><pre><code><table class=rouge-table><tr><td class='rouge-gutter gl'><pre class=lineno>1\n2\n</pre></td>\
         <td class=rouge-code><pre>a\n b\n</pre></td></tr></table></code></pre></div>",
        "<pre><code><table class=hljs-ln><tr><td class=hljs-ln-numbers>1</td><td class=hljs-ln-code>a</td></tr>\
         <tr><td class=hljs-ln-numbers>2</td><td class=hljs-ln-code> b</td></tr></table></code></pre>",
        // VuePress, with the numbers behind the code.
        "<div class=line-numbers-mode><pre><code>a\n b\n</code></pre><div class=line-numbers-wrapper><span class=line-number>1</span><br>\
         <span class=line-number>2</span><br></div></div>",
        // Doxygen, SyntaxHighlighter and Crayon, without a `<pre>`.
        "<div class=fragment><div class=line><a name=l1></a><span class=lineno>    1</span>a</div>\n<div class=line><span class=lineno>    2</span> b</div>\n\
         </div>",
        "<table><tr><td class=gutter><div class=line>1</div><div class=line>2</div></td><td class=code><div class=container><div class=line><code>a</code></div>\
         <div class=line><code> </code><code>b</code></div></div></td></tr></table>",
        "<table><tr><td class=crayon-nums><div>1</div><div>2</div></td><td class=crayon-code><div class=crayon-pre><div class=crayon-line>a</div>\
         <div class=crayon-line> b</div></div></td></tr></table>",
        "<pre><code><span class=boring>fn main() {\n</span>a\n b\n<span class=boring>}\n</span></code></pre>",
    ] {
        assert_eq!(shown(html), "```\na\n b\n```\n", "{html}");
    }
}

/// A line that is longer than most cells.
const LINE: &str = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen \
    twenty, and so on to a hundred, which is more than anybody reads in a cell of a table whose columns are all short";

#[test]
fn tables_of_data_are_tables() {
    assert_all(&[
        (
            "<table><tr><th>a<th>b<tr><td>1<td>2<tr><td>x|y<td><code>p|q</code></table>",
            "| a | b |\n| --- | --- |\n| 1 | 2 |\n| x\\|y | `p\\|q` |",
        ),
        (
            "<table><caption>Numbers</caption><tr><td>1<td>2</table>",
            "Numbers\n\n|  |  |\n| --- | --- |\n| 1 | 2 |",
        ),
        (
            "<table><thead><tr><td>a<td>b</thead><tr><td><p>x<p>y<ul><li>z</ul><td>l<br>m</table>",
            "| a | b |\n| --- | --- |\n| x y z | l m |",
        ),
        // Without a header in the markup.
        (
            "<table><tr><td>a<td>1<tr><td>b<td>2</table>",
            "|  |  |\n| --- | --- |\n| a | 1 |\n| b | 2 |",
        ),
        // Names and what is said of them.
        (
            &format!("<table><tr><td>a<td>{LINE}<tr><td>b<td>2<tr><td>c<td>3</table>"),
            &format!("|  |  |\n| --- | --- |\n| a | {LINE} |\n| b | 2 |\n| c | 3 |"),
        ),
        // Spans.
        (
            "<table><tr><th colspan=2>a<th>b<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>",
            "| a |  | b |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n|  | 4 | 5 |",
        ),
        (
            "<table><tr><th>a<tr><td>1<td>2</table>",
            "| a |  |\n| --- | --- |\n| 1 | 2 |",
        ),
        (
            "<table><tr><th>a<th>b<tr><td> <td> <tr><td>1<td> </table>",
            "| a | b |\n| --- | --- |\n| 1 |  |",
        ),
    ]);
}

#[test]
fn tables_of_layout_are_blocks() {
    assert_all(&[
        (
            "<table><tr><td><h2>Title</h2>text<td>side</table>",
            "## Title\n\ntext\n\nside",
        ),
        ("<table><tr><td>one cell</table>", "one cell"),
        (
            &format!("<table><tr><td>a<td><div>{LINE}</div><tr><td>b<td>2<tr><td>c<td>3</table>"),
            &format!("a\n\n{LINE}\n\nb\n\n2\n\nc\n\n3"),
        ),
        ("<table><tr><td>a<td>b<tr><td>c</table>", "a\n\nb\n\nc"),
        ("<table role=presentation><tr><th>a<tr><th>b</table>", "a\n\nb"),
        (
            "<table><tr><td><table><tr><th>a<tr><td>1</table><td>b</table>",
            "| a |\n| --- |\n| 1 |\n\nb",
        ),
        (
            "<table><tr><th>Parameters:<td><dl><dt>a<dd>text</dl></table>",
            "Parameters:\n\n**a**\\\ntext",
        ),
        ("<table><tr><th>a<tr><td><pre>x\ny</pre></table>", "a\n\n```\nx\ny\n```"),
        (
            "<table><tr><th>a<tr><td><pre><b>x\n</b> <i>y\n</i></pre></table>",
            "a\n\n```\nx\n y\n```",
        ),
        (
            "<table><tr><th>a<th>b<tr><td><pre>\nx\n</pre><td>1</table>",
            "| a | b |\n| --- | --- |\n| `x` | 1 |",
        ),
    ]);
}

#[test]
fn words_have_their_marks() {
    assert_all(&[
        (
            "<p>a <b>b</b> <i>c</i> <b><i>d</i></b> <s>e</s> <del><b>f</b></del>",
            "a **b** *c* ***d*** ~~e~~ ~~**f**~~",
        ),
        ("<p>un<b>believ</b>able", "un**believ**able"),
        // White space stands outside of the marks, and marks of one style are one.
        ("<p>a<b> b </b>c <b>d</b> <b>e</b>", "a **b** c **d e**"),
        (
            "<p><b>see <a href=/x>this</a> or <code>that</code></b>",
            "**see [this](https://example.org/x) or `that`**",
        ),
        ("<p>a <a href=/x><b>b</b> c</a>", "a [**b** c](https://example.org/x)"),
        // Marks that would not be marks are left out.
        ("<p>a<b>(b)</b>c", "a(b)c"),
        ("<p>a<b>b</b><i>c</i>", "a**b**c"),
        (
            "<p><code>a</code> <code>b`c</code> <code>`</code>",
            "`a` ``b`c`` `` ` ``",
        ),
        ("<p><code>a.</code><code>b</code><kbd>c</kbd>", "`a.bc`"),
        ("<p>a<br>b <br> c", "a\\\nb\\\nc"),
        ("<p>a<br><br>b", "a\n\nb"),
        ("<p>a<br>\nb<br />\n<br />\n&nbsp;c", "a\\\nb\n\nc"),
        (
            "<p>a<p><span>&#8203;</span><p>b<br>&#8203;<br>c<pre>&#8203;\n</pre>",
            "a\n\nb\n\nc",
        ),
        ("<p><span style=display:none>hidden</span>a", "a"),
    ]);
}

#[test]
fn links_and_images_have_targets_that_may_be() {
    assert_all(&[
        (
            "<base href=https://other.org/x/><p><a href=y>a</a>",
            "[a](https://other.org/x/y)",
        ),
        ("<p><a href='/a b(c'>a</a>", "[a](https://example.org/a%20b%28c)"),
        ("<p><a href='/Foo_(bar)'>a</a>", "[a](https://example.org/Foo_(bar))"),
        (
            "<p><a href='/?a=1&amp;lt;b=`|'>a</a>",
            "[a](https://example.org/?a=1\\&lt;b=%60%7C)",
        ),
        ("<p><a href=mailto:a@b.c>mail</a>", "[mail](mailto:a@b.c)"),
        (
            "<p><a href='javascript:alert(1)'>a</a> <a href='data:text/html,x'>b</a> <a href='java\tscript:x'>c</a>",
            "a b c",
        ),
        ("<p>wow!<a href=/x>a]b</a>", "wow\\![a\\]b](https://example.org/x)"),
        ("<p><a href=/x><img src=i.png></a> text", "text"),
        ("<div id=r><a href=#r>[r]</a></div>", "\\[r\\]"),
    ]);
    let images = MarkdownOptions {
        images: true,
        ..MarkdownOptions::default()
    };
    let html = "<p>a <img src=i.png alt='x ] y'> b <img src='data:image/png;base64,x' alt=z>";
    assert_eq!(
        shown_with(html, &images),
        "a ![x \\] y](https://example.org/a/i.png) b\n"
    );
    let as_written = MarkdownOptions {
        links: Links::AsWritten,
        ..MarkdownOptions::default()
    };
    assert_eq!(
        shown_with("<p><a href='../x y#z'>a</a>", &as_written),
        "[a](../x%20y#z)\n"
    );
    assert_eq!(shown_with("<p><a href='javascript:x'>a</a>", &as_written), "a\n");
    let text_only = MarkdownOptions {
        links: Links::TextOnly,
        ..MarkdownOptions::default()
    };
    assert_eq!(shown_with("<p><a href=/x>a</a>", &text_only), "a\n");
}

#[test]
fn formulas_are_latex() {
    assert_all(&[
        (
            "<p>a <math><semantics><mrow><mi>x</mi></mrow><annotation encoding=application/x-tex>x_1</annotation></semantics></math>, b",
            "a $x_1$, b",
        ),
        (
            "<p>a <span class=katex><span class=katex-mathml><math><semantics><mi>x</mi><annotation encoding=application/x-tex>x^2</annotation>\
             </semantics></math></span><span class=katex-html aria-hidden=true>x2</span></span> b",
            "a $x^2$ b",
        ),
        (
            "<p>a <math display=block alttext='{\\displaystyle E=mc^2}'><mi>E</mi></math> b",
            "a $$E=mc^2$$ b",
        ),
        ("<p>a <script type='math/tex'>x</script> b", "a $x$ b"),
        // Sphinx and Pandoc, MkDocs.
        (
            "<p>a <span class='math notranslate'>\\(x^2\\)</span>, b</p><div class=math>\n\\[E = mc^2\\]</div>c",
            "a $x^2$, b\n\n$$E = mc^2$$\n\nc",
        ),
        ("<div class=arithmatex>\\[a\\]</div>", "$$a$$"),
        (
            "<p>a <span class=math>\\(a\\) and \\(b\\)</span>",
            "a \\\\(a\\\\) and \\\\(b\\\\)",
        ),
        (
            "<p>a <span class=MathJax_Preview>x</span><span class=MathJax>x</span><script type='math/tex; mode=display'>y</script> b",
            "a $$y$$ b",
        ),
        ("<p>a <img class=latex alt='x' src=i> b", "a $x$ b"),
        ("<p>a <math><mi>x</mi></math> b", "a x b"),
        // What would be markup.
        (
            "<p>a <script type='math/tex'>[x](http://e.org) <b></script> b",
            "a $`[x](http://e.org) <b>`$ b",
        ),
        ("<p>costs $5 and $6", "costs $5 and $6"),
        ("<p>costs $5 ($x$)", "costs $5 (\\$x\\$)"),
        ("<p>costs $5 <script type=math/tex>x</script>", "costs \\$5 $x$"),
    ]);
}

#[test]
fn only_what_is_chosen_is_written() {
    let article = "<p>The frontier holds the URLs that are still to be fetched, in an order that keeps every host at rest for as long as it asks.</p>";
    let html = format!(
        "<body><nav><ul><li><a href=/>Home</a><li><a href=/docs>Docs</a></ul></nav><main><h1>Frontier</h1>{article}<pre>let x = 1;</pre>{article}</main>\
         <footer><p>Copyright 2024 the authors</p></footer>"
    );
    let doc = parse(&html, Attributes::All);
    let markdown = written(
        &doc,
        &content(&doc, "", None, Favor::default()).0,
        &MarkdownOptions::default(),
    );
    assert!(markdown.starts_with("# Frontier\n\nThe frontier"), "{markdown}");
    assert!(markdown.contains("\n\n```\nlet x = 1;\n```\n\n"), "{markdown}");
    assert!(
        !markdown.contains("Home") && !markdown.contains("Copyright"),
        "{markdown}"
    );
}

#[test]
fn shadow_trees_are_written_as_displayed() {
    let html = "<x-a><template shadowrootmode=open><h2>Title</h2><slot></slot></template><p>text</p></x-a>";
    assert_eq!(shown(html), "## Title\n\ntext\n");
}

#[test]
fn plain_text_is_escaped() {
    let options = MarkdownOptions::default();
    let text = "# a\nb *c*\n\n1. d\n===\n";
    let wrapped = of_text(text, Lines::Wrapped, &options);
    assert_eq!(wrapped, "\\# a\nb \\*c\\*\n\n1\\. d\n\\===\n");
    let paragraphs = of_text(text, Lines::Paragraphs, &options);
    assert_eq!(paragraphs, "\\# a\n\nb \\*c\\*\n\n1\\. d\n\n\\===\n");
}
