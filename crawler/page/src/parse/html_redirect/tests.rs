use super::*;
use crate::parse::parse;

const PAGE: &str = "https://example.org/docs/old/page.html?q=1";

fn of(html: &str) -> Option<HtmlRedirect> {
    html_redirect(&parse(html, crate::parse::Attributes::Read), &Url::parse(PAGE).unwrap())
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

#[test]
fn only_a_constant_that_is_always_assigned_is_the_target_of_a_script() {
    for (script, found) in [
        ("location = 'a'", &[Some("a")][..]),
        ("location.href='a';", &[Some("a")]),
        ("window.location.replace(\"a\")", &[Some("a")]),
        ("top.location.assign('https:\\/\\/h\\/a')", &[Some("https://h/a")]),
        ("location.replace('a'+location.hash)", &[Some("a")]),
        ("var x = 1\nlocation = 'a'\nx()", &[Some("a")]),
        ("location = 'a'\n + x", &[None]),
        ("location = 'a' + x", &[None]),
        ("location = 'a'.trim()", &[None]),
        ("location = x", &[None]),
        ("location = `a${x}`", &[None]),
        ("location = 'a\\u0041'", &[None]),
        ("location = 'a\n'", &[None]),
        ("if (mobile) location = 'a'", &[None]),
        ("mobile && (location = 'a')", &[None]),
        ("mobile ? 0 : location = 'a'", &[None]),
        ("function go() { location = 'a' }", &[None]),
        ("on('click', () => location = 'a')", &[None]),
        ("location = 'a'; if (mobile) location = 'b'", &[Some("a"), None]),
        ("if (location == 'a') x()", &[]),
        ("this.map.location = 'a'", &[]),
        ("'location = 1'", &[]),
        ("// location = 'a'", &[]),
        ("log(location.href)", &[]),
        ("relocation = 'a'", &[]),
        ("location", &[]),
        ("location = 'a", &[None]),
    ] {
        let moves = moves(script);
        let moves: Vec<Option<&str>> = moves.iter().map(Option::as_deref).collect();
        assert_eq!(moves, found, "{script}");
    }
    assert_eq!(
        moves(&format!("location = 'a';{}", " ".repeat(5000))),
        Vec::<Move>::new()
    );
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
    fn any_script_is_read(script in "(location|window|href|=|\\.|'|\"|`|/\\*|\\*/|//|\n|\\\\|\\(|if|é|[a-z]| ){0,40}") {
        proptest::prop_assert!(moves(&script).len() <= script.matches("location").count());
    }
}
