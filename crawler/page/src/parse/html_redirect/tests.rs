use super::*;
use crate::parse::parse;

const PAGE: &str = "https://example.org/docs/old/page.html?q=1";

fn of(html: &str) -> Option<HtmlRedirect> {
    with_header(html, None)
}

fn with_header(html: &str, header: Option<&str>) -> Option<HtmlRedirect> {
    html_redirect(
        &parse(html, crate::parse::Attributes::Read),
        &Url::parse(PAGE).unwrap(),
        header,
    )
}

/// The target, as a path, and the kind of the redirect.
fn target(html: &str) -> Option<(String, HtmlRedirectKind)> {
    of(html).map(|redirect| (redirect.url.path().to_owned(), redirect.kind))
}

const META: HtmlRedirectKind = HtmlRedirectKind::MetaRefresh;
const SCRIPT: HtmlRedirectKind = HtmlRedirectKind::Script;

/// (generator, page, target, kind)
const STUBS: &[(&str, &str, &str, HtmlRedirectKind)] = &[
    (
        "rustdoc",
        r#"<html><head><meta http-equiv="refresh" content="0;URL=../../x/macro.y.html"></head><body><p>Redirecting to
           <a href="../../x/macro.y.html">../../x/macro.y.html</a>...</p>
           <script>location.replace("../../x/macro.y.html" + location.search + location.hash);</script></body></html>"#,
        "/x/macro.y.html",
        META,
    ),
    (
        "rustdoc of the crate's old name",
        r#"<!DOCTYPE html><html lang="en"><head><meta http-equiv="refresh" content="0;URL=struct.Vec.html"><title>Redirection</title>
           </head><body><p>Redirecting to <a href="struct.Vec.html">struct.Vec.html</a>...</p></body></html>"#,
        "/docs/old/struct.Vec.html",
        META,
    ),
    (
        "mkdocs-redirects",
        r##"<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Redirecting...</title>
           <link rel="canonical" href="../new/"><meta name="robots" content="noindex">
           <script>var anchor=window.location.hash.substr(1);location.href="../new/"+(anchor?"#"+anchor:"")</script>
           <meta http-equiv="refresh" content="0; url=../new/"></head>
           <body>You're being redirected to a <a href="../new/">new destination</a>.</body></html>"##,
        "/docs/new/",
        META,
    ),
    (
        "mkdocs-redirects 1.0",
        r#"<html><head><title>Redirecting...</title><link rel="canonical" href="../new/">
           <noscript><meta http-equiv="refresh" content="1; url=../new/" /></noscript>
           <script>(function () {
               window.location.replace("../new/" + window.location.hash);
           })()</script></head><body>Redirecting...</body></html>"#,
        "/docs/new/",
        META,
    ),
    (
        "sphinx-reredirects",
        r#"<!DOCTYPE html><html><head><noscript><meta http-equiv="refresh" content="0; url=../new.html"></noscript></head>
           <body><script>
             var target = "../new.html";
             // If there is a fragment, append it.
             if (window.location.hash) { window.location.replace(target + window.location.hash); }
             else { window.location.replace(target); }
           </script></body></html>"#,
        "/docs/new.html",
        META,
    ),
    (
        "sphinxext-rediraffe",
        r#"<html><head><meta http-equiv="refresh" content="0; url=../guide/intro.html"/></head></html>"#,
        "/docs/guide/intro.html",
        META,
    ),
    (
        "jekyll-redirect-from",
        r#"<!DOCTYPE html><html lang="en-US"><meta charset="utf-8"><title>Redirecting&hellip;</title>
           <link rel="canonical" href="https://example.org/new"><script>location="https://example.org/new"</script>
           <meta http-equiv="refresh" content="0; url=https://example.org/new"><meta name="robots" content="noindex">
           <h1>Redirecting&hellip;</h1><a href="https://example.org/new">Click here if you are not redirected.</a></html>"#,
        "/new",
        META,
    ),
    (
        "Hugo",
        r#"<!DOCTYPE html><html lang="en"><head><title>https://example.org/new/</title>
           <link rel="canonical" href="https://example.org/new/"><meta name="robots" content="noindex"><meta charset="utf-8">
           <meta http-equiv="refresh" content="0; url=https://example.org/new/"></head></html>"#,
        "/new/",
        META,
    ),
    (
        "Docusaurus",
        r#"<!DOCTYPE html><html><head><meta charset="UTF-8"><meta http-equiv="refresh" content="0; url=/docs/new">
           <link rel="canonical" href="/docs/new" /></head>
           <script>window.location.href = '/docs/new' + window.location.search + window.location.hash;</script></html>"#,
        "/docs/new",
        META,
    ),
    (
        "GitBook",
        r#"<!DOCTYPE html><html><head><meta charset="utf-8"><title>Redirecting</title>
           <link rel="canonical" href="/new.html"></head><body>
           <script type="text/javascript">window.location = "\/new.html";</script>
           <p>If it does not work: <a href="/new.html">go there</a></p></body></html>"#,
        "/new.html",
        SCRIPT,
    ),
    (
        "Antora",
        r#"<!DOCTYPE html><meta charset="utf-8"><link rel="canonical" href="https://example.org/a.html">
           <script>location="../../a.html"</script><meta http-equiv="refresh" content="0; url=../../a.html">
           <meta name="robots" content="noindex"><title>Redirect Notice</title><h1>Redirect Notice</h1>
           <p>The page you requested has been relocated to <a href="../../a.html">https://example.org/a.html</a>.</p>"#,
        "/a.html",
        META,
    ),
    (
        "javadoc",
        r#"<!DOCTYPE HTML><html lang="en"><head><title>Generated Documentation</title>
           <script type="text/javascript">window.location.replace('module/summary.html')</script>
           <noscript><meta http-equiv="Refresh" content="0;module/summary.html"></noscript></head><body><main role="main">
           <noscript><p>JavaScript is disabled on your browser.</p></noscript>
           <p><a href="module/summary.html">module/summary.html</a></p></main></body></html>"#,
        "/docs/old/module/summary.html",
        META,
    ),
    (
        "by hand, with a fragment",
        "<META HTTP-EQUIV=Refresh CONTENT=\"3; URL='/moved#there'\"><p>This page has moved. Please update your bookmarks.",
        "/moved",
        META,
    ),
    (
        "by hand, in Chinese",
        "<meta http-equiv=refresh content='3;url=/moved'><p>页面已经移动，三秒后自动跳转到新的地址，请更新您的书签。",
        "/moved",
        META,
    ),
    (
        "a script with a comment and a base",
        "<base href=/b/><script><!-- if\n// location = 'no' if\n/* if */ window.location.assign(`to`)\nsent()\n//--></script>",
        "/b/to",
        SCRIPT,
    ),
    (
        "a script of two lines without a semicolon",
        "<script>document.location.href = 'to'\ndone = 1</script><a href=to#part>to</a>",
        "/docs/old/to",
        SCRIPT,
    ),
    (
        "a picture for a moment",
        "<meta http-equiv=refresh content='1;url=/to'><img src=spinner.gif>",
        "/to",
        META,
    ),
    (
        "another language as a link",
        "<meta http-equiv=refresh content='0;url=/en/'><a href=/en/>English</a> <a href=/de/>Deutsch</a>",
        "/en/",
        META,
    ),
];

#[test]
fn the_redirects_of_generators_are_recognised() {
    for (generator, html, to, kind) in STUBS {
        assert_eq!(target(html), Some(((*to).to_owned(), *kind)), "{generator}");
    }
}

#[test]
fn a_page_with_content_or_a_choice_is_no_redirect() {
    let article = "The crawler fetches pages politely and keeps only those that say something new. ".repeat(10);
    let refresh = "<meta http-equiv=refresh content='0;url=/to'>";
    for (why, html) in [
        ("it reloads itself", "<meta http-equiv=refresh content=5><p>Scores".to_owned()),
        (
            "it reloads itself by its URL",
            "<meta http-equiv=refresh content='5;url=page.html?q=1#now'><p>Scores".to_owned(),
        ),
        ("it has a text", format!("{refresh}<p>{article}")),
        ("it waits", "<meta http-equiv=refresh content='6;url=/to'>".to_owned()),
        (
            "it is a slide show",
            "<meta http-equiv=refresh content='5;url=/to'><img src=1.jpg>".to_owned(),
        ),
        ("it has a form", format!("{refresh}<form><input name=q></form>")),
        ("it has a frame", format!("{refresh}<iframe src=/f></iframe>")),
        (
            "it offers a choice",
            format!("{refresh}<a href=/a>a</a> <a href=/b>b</a> <a href=/to>c</a>"),
        ),
        ("refresh and script differ", format!("{refresh}<script>location='/other'</script>")),
        ("a script is no target", "<meta http-equiv=refresh content='0;url=javascript:x()'>".to_owned()),
        (
            "scripts fill it",
            "<div id=app></div><script src=app.js></script><noscript><meta http-equiv=refresh content='0;url=/to'></noscript>".to_owned(),
        ),
        ("it is empty", String::new()),
        ("the script and the link differ", "<script>location='/to'</script><a href=/other>o</a>".to_owned()),
        ("two scripts differ", "<script>location='/to'</script><script>location='/2'</script>".to_owned()),
        (
            "the script and a later refresh differ",
            "<script>location='/to'</script><meta http-equiv=refresh content='9;url=/2'>".to_owned(),
        ),
        ("the script has text", format!("<script>location='/to'</script><p>{article}")),
        ("it leads to itself", "<script>location.href='?q=1'</script>".to_owned()),
        ("a template", format!("{refresh}<template><p>{article}</template>")),
    ] {
        assert_eq!(target(&html), None, "{why}: {html}");
    }
}

/// (script, its assignments: target, and whether it certainly runs)
type Script<'a> = (&'a str, &'a [(Option<&'a str>, bool)]);

const A: (Option<&str>, bool) = (Some("a"), true);
const MAYBE_A: (Option<&str>, bool) = (Some("a"), false);
const UNKNOWN: (Option<&str>, bool) = (None, true);

const SCRIPTS: &[Script<'_>] = &[
    // The ways to assign.
    ("location = 'a'", &[A]),
    ("location.href='a';", &[A]),
    ("window.location.replace(\"a\")", &[A]),
    ("document.location = 'a'", &[A]),
    ("self.location.href = 'a'", &[A]),
    ("window.top.location.assign('a')", &[A]),
    ("window['location'] = 'a'", &[A]),
    ("location['href'] = 'a'", &[A]),
    ("window.open('a', '_self')", &[A]),
    ("window.open('a', '_blank')", &[]),
    ("window.navigate('a')", &[A]),
    ("navigate('a')", &[]),
    (
        "top.location.assign('https:\\/\\/h\\/a')",
        &[(Some("https://h/a"), true)],
    ),
    // Constants.
    ("location = `a`", &[A]),
    ("location = '' + \"a\"", &[A]),
    ("location.replace('a'+location.hash)", &[A]),
    ("location = 'a' + window.location.search + window.location.hash", &[A]),
    ("var to = 'a'; location = to", &[A]),
    ("const x = 1, to = 'a'\nlocation.replace(to + location.hash)", &[A]),
    ("to = 'a'; location = to", &[A]),
    (
        "location = location.protocol + '//' + location.host + '/a'",
        &[(Some("https://example.org/a"), true)],
    ),
    (
        "location = window.location.origin + '/a' + 1",
        &[(Some("https://example.org/a1"), true)],
    ),
    ("var to = 'a'; to += 'b'; location = to", &[UNKNOWN]),
    ("var to = 'a'; if (x) to = 'b'; location = to", &[UNKNOWN]),
    ("if (x) { var to = 'a' } location = to", &[UNKNOWN]),
    ("location = to; var to = 'a'", &[UNKNOWN]),
    ("var to = 'a'; go('b'); function go(to) { location = to }", &[UNKNOWN]),
    ("location = 'a' + x", &[UNKNOWN]),
    ("location = location.search + 'a'", &[UNKNOWN]),
    ("location = 'a'.trim()", &[UNKNOWN]),
    ("location = x", &[UNKNOWN]),
    ("location = `a${x}`", &[UNKNOWN]),
    ("location = 'a\\u0041'", &[UNKNOWN]),
    ("location = 'a\n'", &[UNKNOWN]),
    ("location = 'a", &[UNKNOWN]),
    // Statements.
    ("var x = 1\nlocation = 'a'\nx()", &[A]),
    ("location = 'a'\n + x", &[UNKNOWN]),
    ("var s = x ? 1 : 2; location = 'a'", &[A]),
    ("x && y(); location = 'a'", &[A]),
    ("if (x) y(); location = 'a'", &[A]),
    ("if (x) { y() }\nelse z()\nlocation = 'a'", &[A]),
    ("for (var i = 0; i < 3; i++) { x(i) } location = 'a'", &[A]),
    ("try { location = 'a' } catch (e) { x() }", &[A]),
    ("var r = /['\"]/g; location = 'a'", &[A]),
    ("return location.replace('a')", &[A]),
    ("void(location = 'a')", &[A]),
    ("javascript:location='a'", &[A]),
    ("<!--\nlocation = 'a'\n-->", &[A]),
    ("if (x) location = 'a'; else location = 'a'", &[A, A]),
    (
        "if (x) { location = 'a' + location.hash } else { location.replace('a') }",
        &[A, A],
    ),
    (
        "if (mobile) location = 'a'; else location = 'b'",
        &[A, (Some("b"), true)],
    ),
    // Functions that certainly run.
    ("(function () { location = 'a' })()", &[A]),
    ("(function () { location = 'a' }())", &[A]),
    ("!function () { location = 'a' }()", &[A]),
    ("(() => { location = 'a' })()", &[A]),
    ("(function () { location = 'a' }).call(this)", &[A]),
    ("function go() { location = 'a' } go()", &[A]),
    ("go(); function go() { location = 'a' }", &[A]),
    ("window.onload = function () { location = 'a' }", &[A]),
    ("onload = () => location = 'a'", &[A]),
    ("function go() { location = 'a' }\nwindow.onload = go", &[A]),
    ("window.addEventListener('load', function () { location = 'a' })", &[A]),
    (
        "document.addEventListener(\"DOMContentLoaded\", e => { location = 'a' }, false)",
        &[A],
    ),
    (
        "window.attachEvent('onload', go); function go() { location = 'a' }",
        &[A],
    ),
    ("$(function () { location = 'a' })", &[A]),
    ("jQuery(document).ready(function ($) { location = 'a' })", &[A]),
    ("$(window).on('load', () => { location = 'a' })", &[A]),
    ("setTimeout(function () { location = 'a' }, 100)", &[A]),
    ("window.setTimeout(() => location.replace('a'))", &[A]),
    ("setTimeout(go, 10); function go() { location = 'a' }", &[A]),
    ("setTimeout(\"location.href='a'\", 3000)", &[A]),
    ("setTimeout('go()', 0); function go() { location = 'a' }", &[A]),
    // What may not run.
    ("if (mobile) location = 'a'", &[MAYBE_A]),
    ("if (mobile) { location = 'a' }", &[MAYBE_A]),
    ("mobile && (location = 'a')", &[MAYBE_A]),
    ("mobile ? 0 : location = 'a'", &[MAYBE_A]),
    ("while (x) location = 'a'", &[MAYBE_A]),
    ("switch (x) { case 1: location = 'a' }", &[MAYBE_A]),
    ("try { x() } catch (e) { location = 'a' }", &[MAYBE_A]),
    ("return; location = 'a'", &[MAYBE_A]),
    ("if (x) y(); else location = 'a'", &[MAYBE_A]),
    ("if (x) return; location = 'a'", &[MAYBE_A]),
    ("if (x) { y(); return false }\nlocation = 'a'", &[MAYBE_A]),
    (
        "(function () { if (x) { return } else { y() } location = 'a' })()",
        &[MAYBE_A],
    ),
    ("for (;;) { if (x) return }\nlocation = 'a'", &[MAYBE_A]),
    ("if (x) { var to = 'a' } else { y() } location = to", &[UNKNOWN]),
    (
        "if (x) { go(); z() } else { y() } go(); function go() { location = 'a' }",
        &[A],
    ),
    ("class P { go() { location = 'a' } }", &[MAYBE_A]),
    ("x({ go() { location = 'a' } })", &[MAYBE_A]),
    ("function go() { location = 'a' }", &[MAYBE_A]),
    ("on('click', () => location = 'a')", &[MAYBE_A]),
    ("button.onclick = function () { location = 'a' }", &[MAYBE_A]),
    (
        "button.addEventListener('click', go); function go() { location = 'a' }",
        &[MAYBE_A],
    ),
    ("picture.onload = function () { location = 'a' }", &[MAYBE_A]),
    ("request.addEventListener('load', () => { location = 'a' })", &[MAYBE_A]),
    ("setTimeout(go, wait); function go() { location = 'a' }", &[MAYBE_A]),
    ("fetch('x').then(function () { location = 'a' })", &[MAYBE_A]),
    ("location = 'a'; if (mobile) location = 'b'", &[A, (Some("b"), false)]),
    ("if (top != self) top.location = self.location", &[(None, false)]),
    // No assignments.
    ("if (location == 'a') x()", &[]),
    ("this.map.location = 'a'", &[]),
    ("'location = 1'", &[]),
    ("// location = 'a'", &[]),
    ("log(location.href)", &[]),
    ("relocation = 'a'", &[]),
    ("location", &[]),
    ("location.reload()", &[]),
];

#[test]
fn the_constants_that_a_script_certainly_assigns_are_found() {
    let page_url = Url::parse(PAGE).unwrap();
    for (script, expected) in SCRIPTS {
        let found = moves(&[script], &[], &page_url);
        let found: Vec<(Option<&str>, bool)> = found
            .iter()
            .map(|reached| (reached.target.as_deref(), reached.is_certain))
            .collect();
        assert_eq!(found, *expected, "{script}");
    }
    let long = format!("location = 'a';{}", " ".repeat(5000));
    assert_eq!(moves(&[&long], &[], &page_url), []);
}

#[test]
fn the_handlers_of_the_load_redirect_and_others_do_not() {
    let head = "<script>function go() { setTimeout(\"location.href = '/to'\", 2000) }</script>";
    for (body, delay_seconds) in [
        ("<body onload=\"document.location='/to'\">", Some(0)),
        ("<BODY ONLOAD=\"JavaScript:go();\">", Some(2)),
        ("<body onload='return go()'>Please wait...", Some(2)),
        ("<body onload=\"setTimeout(go, 3000)\">", Some(5)),
        ("<body onload=\"setTimeout(go, 4000)\">", None),
        ("<body onload=\"setTimeout(go, 1e9)\">", None),
        ("<body onload=\"if (x) go()\">", None),
        ("<body onclick=\"location='/to'\">", None),
        ("<body><img src=x onload=\"location='/to'\">", None),
        ("<body onload=\"location='/other'; go()\">", None),
    ] {
        let redirect = of(&format!("{head}{body}"));
        assert_eq!(
            redirect.as_ref().map(|redirect| redirect.delay_seconds),
            delay_seconds,
            "{body}"
        );
        assert!(redirect.is_none_or(|redirect| redirect.url.path() == "/to"), "{body}");
    }
}

#[test]
fn hostile_scripts_are_read_in_bounded_time_and_depth() {
    let page_url = Url::parse(PAGE).unwrap();
    for part in [
        "if(a)",
        "{",
        "(",
        "function f(){",
        "()=>",
        "a=>",
        "if(a)b;else ",
        "try{",
        "setTimeout('",
        "$(function(){",
        "f(",
        "[",
        "/",
        "+\n",
    ] {
        let script = part.repeat(4000 / part.len());
        let scripts = vec![script.as_str(); 15];
        let mut scripts: Vec<&str> = scripts;
        scripts.push("location = 'a'");
        assert!(
            moves(&scripts, &[], &page_url)
                .iter()
                .any(|reached| reached.target.as_deref() == Some("a")),
            "{part}"
        );
    }
}

#[test]
fn a_redirect_has_its_delay_and_a_target_of_any_scheme() {
    let redirect = of("<meta http-equiv=refresh content='4.9;url=mailto:me@example.org'>").unwrap();
    assert_eq!((redirect.delay_seconds, redirect.url.scheme()), (4, "mailto"));
    for (html, is_permanent) in [
        ("<meta http-equiv=refresh content='0;url=/to'>", true),
        ("<meta http-equiv=refresh content='1;url=/to'>", false),
        ("<script>location = '/login'</script>", false),
    ] {
        assert_eq!(of(html).unwrap().is_permanent(), is_permanent, "{html}");
    }
}

proptest::proptest! {
    #[test]
    fn any_script_is_read(script in "(location|window|href|function|\\{|\\}|\\)|=>|else|setTimeout|onload|go|;|,|=|\\.|'|\"|`|/\\*|\\*/|//|\n|\\\\|\\(|if|é|[a-z]| ){0,40}") {
        let page_url = Url::parse(PAGE).unwrap();
        proptest::prop_assert!(moves(&[&script], &[&script], &page_url).len() <= 2 * script.matches("location").count());
    }
}

#[test]
fn the_refresh_header_counts_as_a_refresh_in_the_page_and_before_it() {
    let article = format!("<p>{}</p>", "There is much to read here. ".repeat(20));
    let meta = "<meta http-equiv=refresh content='0;url=/meta'>";
    for (header, html, expected) in [
        ("0; url=/new", "<title>Moved</title>", Some("/new")),
        ("0; url=/new", "", Some("/new")),
        (
            "0;URL='/new'",
            "<p>This page has <a href=/new>moved</a>.</p>",
            Some("/new"),
        ),
        ("5, /new", "Moved.", Some("/new")),
        ("0; url=new", "<base href=/base/>Moved.", Some("/docs/old/new")),
        ("0; url=/new", meta, Some("/new")),
        ("6; url=/new", "Moved.", None),
        ("5; url=/new", "<img src=/slide.png>", None),
        ("0; url=/new", &article, None),
        ("0", "Moved.", None),
        ("0; url=", "Moved.", None),
        ("0; url=javascript:alert(1)", "Moved.", None),
        ("0; url=/docs/old/page.html?q=1#top", "Moved.", None),
        ("soon; url=/new", meta, Some("/meta")),
        ("99999999999999999999; url=/new", meta, None),
    ] {
        let found = with_header(html, Some(header));
        assert_eq!(
            found.as_ref().map(|redirect| redirect.url.path()),
            expected,
            "{header}: {html}"
        );
        let by_header =
            expected == Some("/meta") || found.is_none_or(|redirect| redirect.kind == HtmlRedirectKind::RefreshHeader);
        assert!(by_header, "{header}: {html}");
    }
    let permanent = |header| with_header("Moved.", Some(header)).map(|redirect| redirect.is_permanent());
    assert_eq!(
        (permanent("0; url=/new"), permanent("1; url=/new")),
        (Some(true), Some(false))
    );
}
