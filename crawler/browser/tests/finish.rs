//! A page is read when it is finished: what pages wait for before they show their text, one after the other, also beside other work of the machine.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use browser::{Ending, Refusal, Renderer, Request, Resource, Resources, Settings, Unanswered};
use tokio::sync::Mutex;

use support::{Site, document, render, settings};

/// Who holds it may take all cores, or must get the time of one: a page whose processor time is withheld is cut off.
static CORES: Mutex<()> = Mutex::const_new(());

/// The rendered page has this when it is finished.
const SHOWN: &str = "the text is there";

/// What a page does before it shows its text.
const BEFORE_THE_TEXT: [(&str, &str); 24] = [
    ("a timer", "setTimeout(show, 1500)"),
    ("a late timer", "setTimeout(show, 7000)"),
    (
        "a chain of timers",
        "let n = 0; (function next() { n++ < 12 ? setTimeout(next, 700) : show() })()",
    ),
    (
        "an interval that looks whether something is ready",
        "setTimeout(() => window.ready = 1, 6000); const id = setInterval(() => { if (window.ready) { clearInterval(id); show() } }, 300)",
    ),
    ("an idle time", "requestIdleCallback(() => requestIdleCallback(show))"),
    ("two frames", "requestAnimationFrame(() => requestAnimationFrame(show))"),
    (
        "many frames",
        "let n = 0; (function next() { n++ < 50 ? requestAnimationFrame(next) : show() })()",
    ),
    (
        "a transition",
        "p.style.transition = 'opacity 700ms'; p.addEventListener('transitionend', show); p.getBoundingClientRect(); p.style.opacity = 0",
    ),
    (
        "an animation",
        "p.animate([{opacity: 0}, {opacity: 1}], 900).onfinish = show",
    ),
    (
        "a message to itself",
        "const c = new MessageChannel(); c.port1.onmessage = show; setTimeout(() => c.port2.postMessage(0), 100)",
    ),
    ("data", "fetch('/data').then(a => a.text()).then(show)"),
    (
        "data that come in parts",
        "fetch('/data').then(async a => { for await (const part of a.body) window.last = part; show() })",
    ),
    (
        "data by data",
        "fetch('/data').then(() => fetch('/data?2')).then(() => setTimeout(() => fetch('/data?3').then(show), 900))",
    ),
    ("data that is refused", "fetch('/nothing').catch(show)"),
    (
        "a method that is refused",
        "fetch('/data', {method: 'POST'}).catch(show)",
    ),
    (
        "a script that it imports",
        "import('/module.js').then(it => it.draw(show))",
    ),
    (
        "a script that another one adds",
        "const s = document.createElement('script'); s.src = '/added.js'; document.head.append(s)",
    ),
    (
        "a socket that is refused",
        "const s = new WebSocket('ws://site.test/live'); s.onclose = () => setTimeout(show, 500)",
    ),
    (
        "a stream that is refused",
        "const s = new EventSource('/news'); s.onerror = () => { s.close(); show() }",
    ),
    (
        "a service worker that is refused",
        "'serviceWorker' in navigator ? navigator.serviceWorker.register('/sw.js').then(show, show) : show()",
    ),
    (
        "what comes into view",
        "new IntersectionObserver(([entry], it) => { if (entry.isIntersecting) { it.disconnect(); setTimeout(show, 300) } }).observe(p)",
    ),
    (
        "its size",
        "let n = 0; new ResizeObserver(() => { n++ < 2 ? p.style.height = 50 * n + 'px' : show() }).observe(p)",
    ),
    (
        "a worker that computes",
        "const w = new Worker('/worker.js'); w.onmessage = show; w.postMessage('compute')",
    ),
    (
        "a worker that is asked several things in turn",
        "const w = new Worker('/worker.js'); let n = 0; w.onmessage = () => n++ < 5 ? w.postMessage(n) : show(); w.postMessage(n)",
    ),
];

fn site() -> Site {
    let script =
        |site: Site, path: &str, text: &str| site.file(&format!("http://site.test{path}"), "text/javascript", text);
    let mut site = Site::default();
    for path in ["/data", "/data?2", "/data?3"] {
        site = site.file(
            &format!("http://site.test{path}"),
            "text/plain",
            &"data ".repeat(20_000),
        );
    }
    site = script(
        site,
        "/module.js",
        "import { later } from '/inner.js'; export const draw = show => later(show)",
    );
    site = script(
        site,
        "/inner.js",
        "export const later = show => setTimeout(() => import('/last.js').then(show), 400)",
    );
    site = script(site, "/last.js", "export default 1");
    site = script(site, "/added.js", "fetch('/data').then(show)");
    script(
        site,
        "/worker.js",
        "onmessage = ({ data }) => { let n = 0; if (data === 'compute') for (let i = 0; i < 4e8; i++) n += i % 7; postMessage(n) }",
    )
}

fn page(script: &str) -> String {
    format!(
        "<!DOCTYPE html><p id=p>soon</p><script>const p = document.getElementById('p'); \
         function show() {{ p.textContent = '{SHOWN}' }} {script}</script>"
    )
}

async fn each_shows_its_text() {
    let renderer = Renderer::new(Settings {
        timeout: Duration::from_secs(20),
        ..settings()
    });
    let site = Arc::new(site());
    let mut missing = Vec::new();
    for (name, script) in BEFORE_THE_TEXT {
        let rendered = render(&renderer, &page(script), &site).await.unwrap();
        if !rendered.html.contains(SHOWN) || rendered.ending != Ending::Finished {
            missing.push((name, rendered.ending, rendered.html));
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_read_after_what_it_waits_for() {
    each_shows_its_text().await;
}

/// Threads that compute until they are dropped.
struct Busy(Arc<AtomicBool>);

impl Busy {
    fn for_each_core(threads: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let is_over = Arc::<AtomicBool>::default();
        for _ in 0..cores * threads {
            let is_over = Arc::clone(&is_over);
            std::thread::spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        Self(is_over)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_read_after_what_it_waits_for_on_a_busy_machine() {
    let _alone = CORES.lock().await;
    let _busy = Busy::for_each_core(2);
    each_shows_its_text().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn text_in_a_shadow_tree_and_targets_of_links_are_waited_for() {
    let renderer = Renderer::new(settings());
    let html = "<div id=host></div><a id=a href=/soon>link</a><script>const root = host.attachShadow({mode: 'open'}); \
        root.innerHTML = '<p>aaaa</p>'; setTimeout(() => root.innerHTML = '<p>bbbb</p>', 3000); setTimeout(() => a.href = '/late', 6500)</script>";
    let rendered = render(&renderer, html, &Arc::default()).await.unwrap();
    assert!(
        rendered.html.contains("bbbb") && rendered.html.contains("/late"),
        "{}",
        rendered.html
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_repeats_itself_without_an_end_is_finished() {
    let renderer = Renderer::new(settings());
    let site = Arc::new(site());
    for (name, script) in [
        ("an interval", "setInterval(() => {}, 300)"),
        ("a chain of timers", "(function next() { setTimeout(next, 200) })()"),
        (
            "an animation by frames",
            "(function next() { requestAnimationFrame(next) })()",
        ),
        (
            "an animation by styles",
            "p.animate([{opacity: 0}, {opacity: 1}], {duration: 500, iterations: Infinity})",
        ),
        (
            "requests that are refused",
            "(async () => { for (;;) await fetch('/nothing').catch(() => {}) })()",
        ),
        ("idle times", "(function next() { requestIdleCallback(next) })()"),
        (
            "a worker that computes without an end",
            "new Worker(URL.createObjectURL(new Blob(['onmessage = () => { for (;;); }']))).postMessage(0)",
        ),
        (
            "a worker that reports again and again",
            "new Worker(URL.createObjectURL(new Blob(['setInterval(() => postMessage(0), 20)'])))",
        ),
    ] {
        let rendered = render(&renderer, &page(script), &site).await.unwrap();
        assert_eq!(rendered.ending, Ending::Finished, "{name}");
        assert!(!rendered.is_incomplete(), "{name}");
    }
    let polls = page("show(); setInterval(() => fetch('/data?t=' + Date.now()).catch(() => {}), 400)");
    let rendered = render(&renderer, &polls, &site).await.unwrap();
    assert_eq!(rendered.ending, Ending::Finished);
    assert!(rendered.requests < 20, "{} requests", rendered.requests);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_changes_without_an_end_has_used_its_time_up_and_is_complete() {
    let _alone = CORES.lock().await;
    let renderer = Renderer::new(Settings {
        timeout: Duration::from_secs(6),
        ..settings()
    });
    for script in [
        "setInterval(() => p.textContent += '.', 500)",
        "(function next() { p.textContent += '.'; requestAnimationFrame(next) })()",
        // The clock of the page waits for the start of a worker.
        "new Worker(URL.createObjectURL(new Blob(['for (;;);'])))",
    ] {
        let rendered = render(&renderer, &page(script), &Arc::default()).await.unwrap();
        assert_eq!(rendered.ending, Ending::Restless, "{script}");
        assert!(!rendered.is_incomplete());
    }
}

/// Answers after a while, and says that the turn did not come in time.
struct Late;

impl Resources for Late {
    async fn get(&self, _request: Request) -> Result<Resource, Unanswered> {
        Err(Unanswered::NoTurn)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_whose_request_had_no_turn_is_incomplete() {
    let renderer = Renderer::new(settings());
    let html = page("fetch('/data').then(show, () => p.textContent = 'no data')");
    let rendered = renderer.render(&document(&html), None, Arc::new(Late)).await.unwrap();
    assert!(rendered.html.contains("no data"), "{}", rendered.html);
    assert_eq!(rendered.refused[&Refusal::NoTurn], 1);
    assert!(rendered.is_incomplete());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_sees_the_timers_of_the_browser() {
    let renderer = Renderer::new(settings());
    let html = "<body><script>const said = [setTimeout, clearInterval, requestAnimationFrame, WebSocket].map(one => \
        [one.name, one.length, /native code/.test(Function.prototype.toString.call(one))].join()); \
        said.push(Object.keys(window).includes('setTimeout')); \
        const id = setTimeout(() => said.push('cleared'), 10); clearTimeout(id); \
        setTimeout((a, b) => said.push(a + b), 20, 1, 2); setTimeout('said.push(\"string\")', 30); \
        try { new (class extends WebSocket {})('ws://site.test/') instanceof WebSocket && said.push('socket') } catch (e) { said.push(e) } \
        setTimeout(function () { said.push(this === window); document.body.textContent = said.join(' ') }, 40)</script>";
    let rendered = render(&renderer, html, &Arc::default()).await.unwrap();
    let expected = "setTimeout,1,true clearInterval,0,true requestAnimationFrame,1,true WebSocket,1,true true socket 3 string true";
    assert!(rendered.html.contains(expected), "{}", rendered.html);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_without_an_end_is_given_up_after_its_processor_time() {
    let renderer = Renderer::new(Settings {
        timeout: Duration::from_secs(2),
        ..settings()
    });
    let began = Instant::now();
    let rendered = render(
        &renderer,
        &page("setTimeout(() => { for (;;); }, 100)"),
        &Arc::default(),
    )
    .await;
    assert_eq!(rendered.unwrap_err(), browser::RenderError::Hung);
    // It takes 2 s and 3 s of processor time; the bound is that of the real time.
    assert!(began.elapsed() < Duration::from_secs(60));
}
