//! What a page contains after its scripts have run.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use browser::{Ending, Refusal, RenderError, Renderer, Settings};
use support::{PAGE, Site, document, render, settings};

fn links(rendered: &browser::Rendered) -> Vec<&str> {
    rendered.links.iter().map(url::Url::as_str).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn text_and_links_that_scripts_make_are_in_the_result() {
    let site = Arc::new(
        Site::default()
            .file(
                "http://site.test/app.js",
                "text/javascript",
                "fetch('/data.json').then(a => a.json()).then(show)",
            )
            .file(
                "http://site.test/data.json",
                "application/json",
                r#"{"title":"Tides & moons","next":"/next"}"#,
            ),
    );
    let renderer = Renderer::new(settings());
    let html = "<!DOCTYPE html><title>x</title><noscript>Enable scripts</noscript><img src=/a.png><div id=root></div>\
        <script>function show(it) { document.title = it.title; root.innerHTML = '<h1></h1><a href=\"' + it.next + '\">on</a>'; \
        root.firstChild.textContent = it.title }</script><script src=/app.js></script>";
    let rendered = render(&renderer, html, &site).await.unwrap();
    assert!(
        rendered.html.contains("<h1>Tides &amp; moons</h1>"),
        "{}",
        rendered.html
    );
    assert!(rendered.html.contains(r#"<a href="/next">"#), "{}", rendered.html);
    assert!(!rendered.html.contains("Enable scripts"));
    assert_eq!(rendered.ending, Ending::Finished);
    assert_eq!((rendered.requests, rendered.cached), (2, 0));
    assert_eq!(site.asked(), ["http://site.test/app.js", "http://site.test/data.json"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_shadow_tree_is_read_as_it_is_displayed() {
    let renderer = Renderer::new(settings());
    let html = "<x-card>the <b>light</b> text<i slot=foot>foot</i></x-card><script>\
        customElements.define('x-card', class extends HTMLElement { constructor() { super(); \
        this.attachShadow({mode: 'open'}).innerHTML = '<h2>before</h2><slot></slot><p>a < b</p><slot name=foot></slot>' } })</script>";
    let rendered = render(&renderer, html, &Arc::default()).await.unwrap();
    let expected = "<h2>before</h2><slot>the <b>light</b> text</slot><p>a &lt; b</p>";
    assert!(rendered.html.contains(expected), "{}", rendered.html);
}

#[tokio::test(flavor = "multi_thread")]
async fn navigations_windows_and_new_addresses_are_links_and_leave_the_page_in_place() {
    let renderer = Renderer::new(settings());
    let html = "<p>stays</p><script>window.open('/popup'); history.replaceState(0, '', '/in/page'); \
        setTimeout(() => location.href = '/elsewhere', 50)</script>";
    let site = Arc::new(Site::default());
    let rendered = render(&renderer, html, &site).await.unwrap();
    assert!(rendered.html.contains("<p>stays</p>"), "{}", rendered.html);
    assert!(
        rendered.html.contains(r#"<base href="http://site.test/in/page">"#),
        "{}",
        rendered.html
    );
    assert_eq!(
        links(&rendered),
        ["http://site.test/popup", "http://site.test/elsewhere"]
    );
    assert_eq!(rendered.url.unwrap().as_str(), "http://site.test/in/page");
    assert_eq!(rendered.refused[&Refusal::Navigation], 1);
    assert_eq!(rendered.refused[&Refusal::Popup], 1);
    assert!(site.asked().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_loads_on_is_scrolled_and_an_element_is_waited_for() {
    let settings = Settings {
        scrolls: 8,
        ..settings()
    };
    let renderer = Renderer::new(settings);
    // Each part comes by a timer after its end has come into view. Together they need more of the page's clock than one time limit.
    let html = "<main style='height:3000px'>top</main><p id=end>end</p><script>let n = 0; const end = document.getElementById('end'); \
        new IntersectionObserver(([entry]) => { if (entry.isIntersecting && n < 7) setTimeout(() => { \
        const d = document.createElement('div'); d.style.height = '3000px'; d.textContent = 'part ' + ++n; end.before(d) }, 150) }).observe(end)</script>";
    let rendered = render(&renderer, html, &Arc::default()).await.unwrap();
    assert_eq!(rendered.ending, Ending::Finished);
    assert!(rendered.html.contains("part 7"), "{}", rendered.html);

    let late =
        document("<p>soon</p><script>setTimeout(() => document.body.innerHTML = '<p id=late>late</p>', 3000)</script>");
    let rendered = renderer
        .render(&late, Some("#late"), Arc::new(Site::default()))
        .await
        .unwrap();
    assert!(rendered.html.contains("late"), "{}", rendered.html);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_never_rests_is_read_when_its_time_is_up() {
    let settings = Settings {
        timeout: Duration::from_secs(2),
        ..settings()
    };
    let renderer = Renderer::new(settings);
    let html = "<p id=p>0</p><script>setInterval(() => p.textContent++, 20)</script>";
    let rendered = render(&renderer, html, &Arc::default()).await.unwrap();
    assert_eq!(rendered.ending, Ending::Restless);
    assert!(rendered.html.contains("<p id=\"p\">"), "{}", rendered.html);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_budget_of_requests_and_the_length_of_the_result_are_bounds() {
    let settings = Settings {
        max_requests: 5,
        max_html_bytes: 50_000,
        ..settings()
    };
    let renderer = Renderer::new(settings);
    let site = Arc::new(Site::default());
    let html = "<script>for (let i = 0; i < 20; i++) fetch('/' + i).catch(() => {})</script>";
    let rendered = render(&renderer, html, &site).await.unwrap();
    assert_eq!(site.asked().len(), 5);
    assert_eq!(rendered.refused[&Refusal::Budget], 15);

    let long = "<body><script>document.body.textContent = 'x'.repeat(60000)</script>";
    assert_eq!(
        render(&renderer, long, &site).await.unwrap_err(),
        RenderError::TooLong { limit: 50_000 }
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn each_page_has_a_context_of_its_own() {
    let renderer = Renderer::new(settings());
    let html = "<body><script>document.body.textContent = 'seen:' + (localStorage.seen || 'never') + document.cookie; \
        localStorage.seen = 'before'; document.cookie = 'a=b'</script>";
    for _ in 0..2 {
        let rendered = render(&renderer, html, &Arc::default()).await.unwrap();
        assert!(rendered.html.contains("seen:never<"), "{}", rendered.html);
    }
    assert_eq!(renderer.starts(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_of_the_page_cannot_change_how_it_is_read() {
    let renderer = Renderer::new(settings());
    let html = "<p>true text</p><script>Object.defineProperty(Element.prototype, 'outerHTML', {get: () => 'forged'}); \
        document.querySelectorAll = () => []; window.open = alert = null</script>";
    let rendered = render(&renderer, html, &Arc::default()).await.unwrap();
    assert!(rendered.html.contains("<p>true text</p>"), "{}", rendered.html);
    assert!(PAGE.starts_with("http:"));
}
